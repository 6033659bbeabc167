/*
 * html.c: the analysis as a self-contained page, readable on a phone, light and dark.
 *
 * It has no script and needs no other files: it can be mailed, and the server sends it with a policy that forbids both
 * (http.c). Every text is either ours or written by put_safe.
 */
#include <string.h>

#include <pyramids/judge.h>
#include <pyramids/text.h>

/* Writes a text from outside safely: escapes the four characters with a meaning in HTML text and in double-quoted
 * attributes. */
static void put_safe(FILE *to, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '&': fputs("&amp;", to); break;
        case '"': fputs("&quot;", to); break;
        default: fputc(text[i], to); break;
        }
    }
}

/* Names come from players. */
static void put_name(FILE *to, const struct pyr_judge_report *r, unsigned seat)
{
    char name[PYR_MAX_PLAYER_NAME + 1];
    pyr_text_player(r->name[seat], name, sizeof name);
    put_safe(to, name, strlen(name));
}

/* A text in an element, given with its attributes. */
static void put_element(FILE *to, const char *element, const char *text)
{
    fprintf(to, "<%s>", element);
    put_safe(to, text, strlen(text));
    fprintf(to, "</%.*s>", (int)strcspn(element, " "), element);
}

/* Seats differ by colour and by the dashes of their lines. */
static const char *const dash[PYR_MAX_SEATS] = { "none", "7 4", "2 4", "10 3 2 3" };

/* A light set of colours and a dark one; the browser chooses (prefers-color-scheme). */
static const char style[] =
    ":root{--bg:#F3EADA;--paper:#FFFCF5;--ink:#2A2018;--ink2:#5C4E3D;--edge:#D9CBB2;--s0:#1D4E9E;--s1:#9A4310;"
    "--s2:#1C5D49;--s3:#54337D;--bad:#A3261C}"
    "@media(prefers-color-scheme:dark){:root{--bg:#14110E;--paper:#1F1A15;--ink:#F4EADA;--ink2:#C3B59E;"
    "--edge:#453A2D;--s0:#9DBBFF;--s1:#F3A66B;"
    "--s2:#7FD0AE;--s3:#C6A6F0;--bad:#FF9A8D}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,sans-serif}"
    "main{max-width:960px;margin:0 auto;padding:16px}h1,h2{font-family:Iowan Old Style,Palatino,Georgia,serif;"
    "line-height:1.15}"
    "section{background:var(--paper);border:1px solid var(--edge);border-radius:10px;padding:12px 16px;margin:0 0 "
    "16px;overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}td,th{padding:4px 8px;"
    "text-align:right;border-bottom:1px solid var(--edge)}"
    "td:first-child,th:first-child,td.t,th.t{text-align:left}th{color:var(--ink2);font-weight:600}svg{width:100%;"
    "height:auto;display:block}"
    "svg text{fill:var(--ink2);font-size:13px}.m{color:var(--bad);font-weight:700}.s{color:var(--ink2)}"
    "code{font-size:.95em;overflow-wrap:anywhere}"
    "ul{list-style:none;margin:0;padding:0}li{padding:6px 0;border-bottom:1px solid var(--edge);display:flex;"
    "flex-wrap:wrap;gap:2px 12px}li b{min-width:2.2em}"
    "@media(max-width:600px){td,th{padding:4px 5px;font-size:13px}section{padding:10px}main{padding:8px}}";

/* Units of the drawing; the browser scales it to the width of the page. */
#define CHART_WIDE 480
#define CHART_HIGH 240
#define CHART_LEFT 44
#define CHART_TOP 12

/* A line per player over the reveals, whose lines begin with 'r'; the last point is the result. Fewer than two points
 * make no chart. */
static void put_chart(FILE *to, const struct pyr_judge_report *r)
{
    unsigned points = 0;
    for (unsigned i = 0; i < r->chances; i++)
        points += pyr_match_line(&r->match, r->chance[i].line).at[0] == 'r';
    unsigned steps = points + r->finished;
    if (steps < 2)
        return;
    const char *title = _("The chance to win, turn by turn");
    fprintf(to, "<section>");
    put_element(to, "h2", title);
    fprintf(to, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", CHART_WIDE, CHART_HIGH + 36);
    put_safe(to, title, strlen(title));
    fprintf(to, "\">");
    for (int percent = 0; percent <= 100; percent += 25) {
        int y = CHART_TOP + (CHART_HIGH - CHART_TOP) * (100 - percent) / 100;
        fprintf(to, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"var(--edge)\"/><text x=\"4\" y=\"%d\">%s</text>",
            CHART_LEFT, CHART_WIDE - 8, y, y, y + 4, PYR_PERCENT(percent, 0));
    }
    double step = (double)(CHART_WIDE - 8 - CHART_LEFT) / (steps - 1);
    for (unsigned round = 0; round * PYR_TURNS < points; round++) {
        char name[128];
        snprintf(name, sizeof name, _("Round %u"), round + 1);
        fprintf(to, "<text x=\"%.0f\" y=\"%d\">", CHART_LEFT + step * round * PYR_TURNS, CHART_HIGH + 20);
        put_safe(to, name, strlen(name));
        fprintf(to, "</text>");
    }
    unsigned winners = r->finished ? pyr_table_winners(&r->match.replay.state.open, &r->edition->box) : 0;
    for (unsigned s = 0; s < r->seats; s++) {
        unsigned k = 0;
        fprintf(to, "<polyline fill=\"none\" stroke=\"var(--s%u)\" stroke-width=\"3\" stroke-dasharray=\"%s\" points=\"", s,
            dash[s]);
        for (unsigned i = 0; i < r->chances; i++)
            if (pyr_match_line(&r->match, r->chance[i].line).at[0] == 'r')
                fprintf(to, "%.1f,%.1f ", CHART_LEFT + step * k++,
                    CHART_TOP + (CHART_HIGH - CHART_TOP) * (1 - (double)r->chance[i].after.win[s]));
        if (r->finished)
            fprintf(to, "%.1f,%.1f", CHART_LEFT + step * k,
                CHART_TOP + (CHART_HIGH - CHART_TOP) * (winners >> s & 1 ? 1 - 1.0 / __builtin_popcount(winners) : 1));
        fprintf(to, "\"/>");
    }
    fprintf(to, "</svg><p>");
    for (unsigned s = 0; s < r->seats; s++) {
        fprintf(to,
            "<svg viewBox=\"0 0 40 10\" style=\"display:inline-block;width:40px;vertical-align:middle\"><line "
            "x1=\"0\" x2=\"40\" y1=\"5\" y2=\"5\" "
            "stroke=\"var(--s%u)\" stroke-width=\"3\" stroke-dasharray=\"%s\"/></svg> ",
            s, dash[s]);
        put_name(to, r, s);
        fprintf(to, " &nbsp; ");
    }
    fprintf(to, "</p></section>");
}

/* Two tables: where the points came from, and how well each player decided. */
static void put_sums(FILE *to, const struct pyr_judge_report *r)
{
    const char *const first[] = { _("player"), r->finished ? _("points") : _("expected"), _("luck"), _("skill"), _("par"),
        _("gained"), _("rest") };
    fprintf(to, "<section>");
    put_element(to, "h2", _("Luck and skill"));
    fprintf(to, "<table><tr>");
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        put_element(to, "th", first[i]);
    fprintf(to, "</tr>");
    for (unsigned s = 0; s < r->seats; s++) {
        const struct pyr_luck_sum *sum = &r->sum[s];
        fprintf(to, "<tr><td>");
        put_name(to, r, s);
        fprintf(to, "</td><td>%s</td><td>%s ± %s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>",
            PYR_NUMBER(sum->expected, r->finished ? 0 : 1), PYR_SIGNED(sum->luck, 1), PYR_NUMBER(sum->luck_margin, 1),
            PYR_NUMBER(sum->skill, 1), PYR_NUMBER(sum->par, 1), PYR_SIGNED(sum->gained, 1), PYR_SIGNED(sum->rest, 1));
    }
    fprintf(to, "</table>");
    put_element(to, "p class=\"s\"", r->finished ? _("points = luck + skill; skill = par + gained + rest") :
        _("The game is not finished: expected final points = luck + skill; skill = par + gained + rest"));
    fprintf(to, "<table><tr>");
    put_element(to, "th", _("player"));
    put_element(to, "th", _("points lost per decision"));
    put_element(to, "th class=\"t\"", _("plays like"));
    fprintf(to, "<th>?!</th><th>?</th><th>?" "?</th></tr>");
    for (unsigned s = 0; s < r->seats; s++) {
        const struct pyr_luck_sum *sum = &r->sum[s];
        fprintf(to, "<tr><td>");
        put_name(to, r, s);
        if (sum->decisions)
            fprintf(to, "</td><td>%s ± %s</td>", PYR_NUMBER(sum->rate, 2), PYR_NUMBER(sum->rate_margin, 2));
        else
            fprintf(to, "</td><td>-</td>");
        put_element(to, "td class=\"t\"", sum->decisions ? pyr_text_level(pyr_luck_level(sum->rate)) : "-");
        fprintf(to, "<td>%u</td><td>%u</td><td>%u</td></tr>", sum->marks[1], sum->marks[2], sum->marks[3]);
    }
    fprintf(to, "</table></section>");
}

/* Only those with a mark, in the order of the game. */
static void put_decisions(FILE *to, const struct pyr_judge_report *r)
{
    char legend[300];
    pyr_judge_legend(legend, sizeof legend);
    fprintf(to, "<section>");
    put_element(to, "h2", _("Costly decisions"));
    put_element(to, "p class=\"s\"", legend);
    fprintf(to, "<ul>");
    unsigned shown = 0;
    for (unsigned i = 0; i < r->decisions; i++) {
        const struct pyr_luck_decision *d = &r->decision[i];
        char text[PYR_CHOICE_SIZE], words[sizeof text + 256], sign[PYR_JUDGE_SIGN];
        char lost[2 * PYR_NUMBER_SIZE], win_lost[2 * PYR_NUMBER_SIZE];
        struct pyr_replay replay;
        if (d->mark == PYR_LUCK_FINE || pyr_match_replay(&r->match, d->line, &replay))
            continue;
        const struct pyr_desk *desk = &replay.state.open.desk[d->seat];
        fprintf(to, "<li><b>%u.%u</b><span>", d->round + 1u, d->turn + 1u);
        put_name(to, r, d->seat);
        pyr_judge_write_choice(desk, &d->made, text, sizeof text);
        pyr_judge_sign(d, sign);
        pyr_judge_cost(d, lost);
        pyr_judge_win_cost(d, win_lost);
        fprintf(to, "</span><span><code>%s</code> <span class=\"m\">%s</span></span>", text, sign);
        snprintf(words, sizeof words, _("cost: %s points, %s of the winning chances"), lost, win_lost);
        put_element(to, "span", words);
        pyr_judge_write_choice(desk, &d->best[0], text, sizeof text);
        snprintf(words, sizeof words, _("best: %s"), text);
        put_element(to, "span class=\"s\"", words);
        fprintf(to, "</li>");
        shown++;
    }
    fprintf(to, "</ul>");
    if (!shown)
        put_element(to, "p", _("None."));
    fprintf(to, "</section>");
}

/* Describes an event of chance. */
static void write_event(const struct pyr_judge_report *r, struct pyr_word line, char *to, size_t size)
{
    struct pyr_lines lines;
    struct pyr_event event;
    struct pyr_sentence sentence[PYR_MAX_SENTENCES];
    char name[PYR_MAX_PLAYER_NAME + 1] = "";
    to[0] = '\0';
    pyr_lines_init(&lines, line.at, line.length);
    if (!pyr_lines_next(&lines, false) || !pyr_event_read(&event, r->edition, &lines))
        return;
    switch (event.kind) {
    case PYR_EVENT_REVEAL: snprintf(to, size, _("Pattern %s is revealed."), r->edition->pattern_name[event.pattern]); break;
    case PYR_EVENT_DRAW: case PYR_EVENT_SHOW:
        pyr_story_read(&event, &r->edition->box, sentence);
        if (sentence->seat < PYR_MAX_SEATS)
            pyr_text_player(r->name[sentence->seat], name, sizeof name);
        pyr_text_sentence(sentence, r->edition, name, 0, to, size);
        break;
    default: snprintf(to, size, "%s", _("The first cards are dealt.")); break;
    }
}

/* The chance events with the largest effect: the ten largest, found by repeated search, since there are a few hundred at
 * most. An event's size is the largest change of a player's chance to win, up or down. */
static void put_luck(FILE *to, const struct pyr_judge_report *r)
{
    bool used[PYR_LOG_LINES] = { false };
    uint32_t first = UINT32_MAX;             /* line of the first turn */
    for (unsigned i = 0; i < r->chances && first == UINT32_MAX; i++)
        if (pyr_match_line(&r->match, r->chance[i].line).at[0] == 'r')
            first = r->chance[i].line;
    fprintf(to, "<section>");
    put_element(to, "h2", _("The luckiest moments"));
    fprintf(to, "<table><tr>");
    put_element(to, "th", _("turn"));
    put_element(to, "th class=\"t\"", _("event"));
    for (unsigned s = 0; s < r->seats; s++) {
        fprintf(to, "<th>");
        put_name(to, r, s);
        fprintf(to, "</th>");
    }
    fprintf(to, "</tr>");
    for (unsigned n = 0; n < 10 && n < r->chances; n++) {
        unsigned best = 0;
        float most = -1;
        for (unsigned i = 0; i < r->chances; i++) {
            float size = 0;
            for (unsigned s = 0; s < r->seats; s++) {
                float luck = r->chance[i].luck.win[s];
                size = luck > size ? luck : -luck > size ? -luck : size;
            }
            if (!used[i] && size > most)
                most = size, best = i;
        }
        used[best] = true;
        const struct pyr_luck_chance *c = &r->chance[best];
        char words[PYR_MAX_PLAYER_NAME + 256];
        write_event(r, pyr_match_line(&r->match, c->line), words, sizeof words);
        if (c->line < first)                 /* the deal and the first display belong to no turn */
            fprintf(to, "<tr><td></td>");
        else
            fprintf(to, "<tr><td>%u.%u</td>", c->round + 1u, c->turn + 1u);
        put_element(to, "td class=\"t\"", words);
        for (unsigned s = 0; s < r->seats; s++)
            fprintf(to, "<td>%s</td>", pyr_text_percent((char[PYR_NUMBER_SIZE]){ 0 }, 100 * c->luck.win[s], 1, true));
        fprintf(to, "</tr>");
    }
    fprintf(to, "</table></section>");
}

/* False if writing failed. A page with a first result reloads after 20 seconds, when the refined one may be ready. */
bool pyr_judge_write_html(const struct pyr_judge_report *r, FILE *to)
{
    fprintf(to, "<!doctype html><html lang=\"%s\"><head><meta charset=\"utf-8\">" PYR_JUDGE_PAGE "%s"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><style>%s</style>",
        pyr_text_code(), r->rough ? "<meta http-equiv=\"refresh\" content=\"20\">" : "", style);
    put_element(to, "title", _("Luck and skill"));
    fprintf(to, "</head><body><main>");
    put_element(to, "h1", _("Luck and skill"));
    if (r->rough)
        put_element(to, "p", _("This is a first result. It is being refined; the page loads again by itself."));
    put_chart(to, r);
    put_sums(to, r);
    put_decisions(to, r);
    put_luck(to, r);
    fputs("</main></body></html>\n", to);
    return !ferror(to);
}
