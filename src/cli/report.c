/*
 * report.c: the analysis as a page: one file without anything from elsewhere, readable on a phone, light and dark.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "judge.h"

/* Text that grows. */
struct page {
    char *text;
    size_t length, room;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void put(struct page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (wanted < 0 || page->failed)
        return;
    if (page->length + (size_t)wanted + 1 > page->room) {
        size_t room = (page->room + (size_t)wanted + 1) * 2;
        char *larger = realloc(page->text, room);
        if (!larger) {
            page->failed = true;
            return;
        }
        page->text = larger;
        page->room = room;
    }
    va_start(arguments, format);
    vsnprintf(page->text + page->length, page->room - page->length, format, arguments);
    va_end(arguments);
    page->length += (size_t)wanted;
}

/* Text from outside, made harmless. */
static void put_safe(struct page *page, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '<': put(page, "&lt;"); break;
        case '>': put(page, "&gt;"); break;
        case '&': put(page, "&amp;"); break;
        case '"': put(page, "&quot;"); break;
        default: put(page, "%c", text[i]); break;
        }
    }
}

static void put_name(struct page *page, const struct judge_report *r, unsigned seat)
{
    put_safe(page, r->name[seat].at, r->name[seat].length);
}

/* Seats differ by colour and by the dashes of their line. */
static const char *const dash[PYR_MAX_SEATS] = { "none", "7 4", "2 4", "10 3 2 3" };

static const char style[] =
    ":root{--bg:#F3EADA;--paper:#FFFCF5;--ink:#2A2018;--ink2:#5C4E3D;--edge:#D9CBB2;--s0:#1D4E9E;--s1:#9A4310;--s2:#1C5D49;--s3:#54337D;--bad:#A3261C}"
    "@media(prefers-color-scheme:dark){:root{--bg:#14110E;--paper:#1F1A15;--ink:#F4EADA;--ink2:#C3B59E;--edge:#453A2D;--s0:#9DBBFF;--s1:#F3A66B;"
    "--s2:#7FD0AE;--s3:#C6A6F0;--bad:#FF9A8D}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,sans-serif}"
    "main{max-width:960px;margin:0 auto;padding:16px}h1,h2{font-family:Iowan Old Style,Palatino,Georgia,serif;line-height:1.15}"
    "section{background:var(--paper);border:1px solid var(--edge);border-radius:10px;padding:12px 16px;margin:0 0 16px;overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}td,th{padding:4px 8px;text-align:right;border-bottom:1px solid var(--edge)}"
    "td:first-child,th:first-child,td.t,th.t{text-align:left}th{color:var(--ink2);font-weight:600}svg{width:100%;height:auto;display:block}"
    "svg text{fill:var(--ink2);font-size:13px}.m{color:var(--bad);font-weight:700}.s{color:var(--ink2)}code{font-size:.95em;overflow-wrap:anywhere}"
    "ul{list-style:none;margin:0;padding:0}li{padding:6px 0;border-bottom:1px solid var(--edge);display:flex;flex-wrap:wrap;gap:2px 12px}li b{min-width:2.2em}"
    "@media(max-width:600px){td,th{padding:4px 5px;font-size:13px}section{padding:10px}main{padding:8px}}";

#define CHART_WIDE 480
#define CHART_HIGH 240
#define CHART_LEFT 44
#define CHART_TOP 12

static void put_chart(struct page *page, const struct judge_report *r)
{
    unsigned points = 0;
    for (unsigned i = 0; i < r->chances; i++)
        points += pyr_match_line(&r->match, r->chance[i].line).at[0] == 'r';
    unsigned steps = points + r->finished;
    if (steps < 2)
        return;
    put(page, "<section><h2>%s</h2><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">", _("The chance to win, turn by turn"),
        CHART_WIDE, CHART_HIGH + 36, _("The chance to win, turn by turn"));
    for (int percent = 0; percent <= 100; percent += 25) {
        int y = CHART_TOP + (CHART_HIGH - CHART_TOP) * (100 - percent) / 100;
        put(page, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"var(--edge)\"/><text x=\"4\" y=\"%d\">%d%%</text>", CHART_LEFT,
            CHART_WIDE - 8, y, y, y + 4, percent);
    }
    double step = (double)(CHART_WIDE - 8 - CHART_LEFT) / (steps - 1);
    for (unsigned round = 0; round * PYR_TURNS < points; round++)
        put(page, "<text x=\"%.0f\" y=\"%d\">%s %u</text>", CHART_LEFT + step * round * PYR_TURNS, CHART_HIGH + 20, _("Round"), round + 1);
    unsigned winners = r->finished ? pyr_table_winners(&r->edition->box, &r->match.replay.state.open) : 0;
    for (unsigned s = 0; s < r->seats; s++) {
        unsigned k = 0;
        put(page, "<polyline fill=\"none\" stroke=\"var(--s%u)\" stroke-width=\"3\" stroke-dasharray=\"%s\" points=\"", s, dash[s]);
        for (unsigned i = 0; i < r->chances; i++)
            if (pyr_match_line(&r->match, r->chance[i].line).at[0] == 'r')
                put(page, "%.1f,%.1f ", CHART_LEFT + step * k++, CHART_TOP + (CHART_HIGH - CHART_TOP) * (1 - (double)r->chance[i].after.win[s]));
        if (r->finished)
            put(page, "%.1f,%.1f", CHART_LEFT + step * k,
                CHART_TOP + (CHART_HIGH - CHART_TOP) * (winners >> s & 1 ? 1 - 1.0 / __builtin_popcount(winners) : 1));
        put(page, "\"/>");
    }
    put(page, "</svg><p>");
    for (unsigned s = 0; s < r->seats; s++) {
        put(page, "<svg viewBox=\"0 0 40 10\" style=\"display:inline-block;width:40px;vertical-align:middle\"><line x1=\"0\" x2=\"40\" y1=\"5\" y2=\"5\" "
                  "stroke=\"var(--s%u)\" stroke-width=\"3\" stroke-dasharray=\"%s\"/></svg> ", s, dash[s]);
        put_name(page, r, s);
        put(page, " &nbsp; ");
    }
    put(page, "</p></section>");
}

static void put_sums(struct page *page, const struct judge_report *r)
{
    put(page, "<section><h2>%s</h2><table><tr><th>%s</th><th>%s</th><th>%s</th><th>%s</th><th>%s</th><th>%s</th><th>%s</th></tr>", _("Luck and skill"),
        _("player"), _("points"), _("luck"), _("skill"), _("par"), _("gained"), _("rest"));
    for (unsigned s = 0; s < r->seats; s++) {
        const struct judge_sum *sum = &r->sum[s];
        put(page, "<tr><td>");
        put_name(page, r, s);
        put(page, "</td><td>%.0f</td><td>%+.1f</td><td>%.1f</td><td>%.1f</td><td>%+.1f</td><td>%+.1f</td></tr>", sum->actual, sum->luck, sum->skill,
            sum->par, sum->gained, sum->rest);
    }
    put(page, "</table><p class=\"s\">%s</p><table><tr><th>%s</th><th>%s</th><th class=\"t\">%s</th><th>?!</th><th>?</th><th>?" "?</th></tr>",
        _("points = luck + skill; skill = par + gained + rest"), _("player"), _("points lost a decision"), _("plays like"));
    for (unsigned s = 0; s < r->seats; s++) {
        const struct judge_sum *sum = &r->sum[s];
        put(page, "<tr><td>");
        put_name(page, r, s);
        put(page, "</td><td>%.2f</td><td class=\"t\">%s</td><td>%u</td><td>%u</td><td>%u</td></tr>", sum->rate, _(judge_class(sum->rate)),
            sum->marks[1], sum->marks[2], sum->marks[3]);
    }
    put(page, "</table></section>");
}

static void put_decisions(struct page *page, const struct judge_report *r)
{
    put(page, "<section><h2>%s</h2><p class=\"s\">%s</p><ul>", _("Decisions that lost something"),
        _("?! from 1.5 points or 2% of the chance to win, ? from 3 or 5%, ?? from 6 or 10%"));
    unsigned shown = 0;
    for (unsigned i = 0; i < r->decisions; i++) {
        const struct judge_decision *d = &r->decision[i];
        char text[PYR_MAX_CHOICE * 8 + 16];
        struct pyr_replay replay;
        if (d->mark == JUDGE_FINE || pyr_match_replay(&r->match, d->line, &replay))
            continue;
        const struct pyr_desk *desk = &replay.state.open.desk[d->seat];
        put(page, "<li><b>%u.%u</b><span>", d->round + 1u, d->turn + 1u);
        put_name(page, r, d->seat);
        judge_write_choice(desk, &d->made, text, sizeof text);
        put(page, "</span><span><code>%s</code> <span class=\"m\">%s</span></span><span>", text, judge_threshold[d->mark].sign);
        put(page, _("%.1f points and %.1f%% lost"), d->points_lost, 100 * d->win_lost);
        judge_write_choice(desk, &d->best[0], text, sizeof text);
        put(page, "</span><span class=\"s\">");
        put(page, _("best: %s"), text);
        put(page, "</span></li>");
        shown++;
    }
    put(page, "</ul>");
    if (!shown)
        put(page, "<p>%s</p>", _("None."));
    put(page, "</section>");
}

/* The chance events that moved the game most. */
static void put_luck(struct page *page, const struct judge_report *r)
{
    bool used[PYR_LOG_LINES] = { false };
    put(page, "<section><h2>%s</h2><table><tr><th>%s</th><th class=\"t\">%s</th>", _("The luckiest moments"), _("turn"), _("event"));
    for (unsigned s = 0; s < r->seats; s++) {
        put(page, "<th>");
        put_name(page, r, s);
        put(page, "</th>");
    }
    put(page, "</tr>");
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
        const struct judge_chance *c = &r->chance[best];
        struct pyr_word line = pyr_match_line(&r->match, c->line);
        put(page, "<tr><td>%u.%u</td><td class=\"t\"><code>", c->round + 1u, c->turn + 1u);
        put_safe(page, line.at, line.length);
        put(page, "</code></td>");
        for (unsigned s = 0; s < r->seats; s++)
            put(page, "<td>%+.1f%%</td>", 100 * c->luck.win[s]);
        put(page, "</tr>");
    }
    put(page, "</table></section>");
}

bool judge_write_html(const struct judge_report *r, const char *path)
{
    struct page page = { 0 };
    put(&page, "<!doctype html><html lang=\"%s\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
               "<title>%s</title><style>%s</style></head><body><main><h1>%s</h1>", _("en"), _("Luck and skill"), style, _("Luck and skill"));
    put_chart(&page, r);
    put_sums(&page, r);
    put_decisions(&page, r);
    put_luck(&page, r);
    put(&page, "</main></body></html>\n");
    if (page.failed)
        cli_error(_("out of memory"));
    bool good = !page.failed && cli_write(path, page.text, page.length);
    free(page.text);
    return good;
}
