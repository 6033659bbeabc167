/*
 * json.c: a report as JSON (docs/json.md).
 *
 * The order and the number of decimals of members are part of the format; line numbers and seats count from 1.
 */
#include <pyramids/judge.h>
#include <pyramids/text.h>

static void write_values(struct pyr_json *json, const char *name, const float *value, unsigned seats)
{
    pyr_json_array(json, name);
    for (unsigned s = 0; s < seats; s++)
        pyr_text_json_real(json, NULL, (double)value[s], 4);
    pyr_json_close(json);
}

/* Half of the 95% intervals; the standard errors come from 8 parts, so the quantile of Student's distribution is larger
 * than 1.96. */
static void write_margins(struct pyr_json *json, const char *name, const float *error, unsigned seats)
{
    float margin[PYR_MAX_SEATS];
    for (unsigned s = 0; s < seats; s++)
        margin[s] = 2.365f * error[s];
    write_values(json, name, margin, seats);
}

/* A player who has decided nothing has no error rate and no level: both are null. */
static void write_player(struct pyr_json *json, const struct pyr_judge_report *r, unsigned seat)
{
    const struct pyr_luck_sum *sum = &r->sum[seat];
    pyr_json_object(json, NULL);
    pyr_json_number(json, "seat", seat + 1);
    pyr_json_word(json, "name", r->name[seat]);
    pyr_text_json_real(json, "points", sum->actual, 0);
    pyr_text_json_real(json, "expected", sum->expected, 2);
    pyr_text_json_real(json, "luck", sum->luck, 2);
    pyr_text_json_real(json, "skill", sum->skill, 2);
    pyr_text_json_real(json, "par", sum->par, 2);
    pyr_text_json_real(json, "gained", sum->gained, 2);
    pyr_text_json_real(json, "rest", sum->rest, 2);
    pyr_text_json_real(json, "lost", sum->lost, 2);
    pyr_text_json_real(json, "win_luck", sum->win_luck, 4);
    pyr_text_json_real(json, "win_lost", sum->win_lost, 4);
    pyr_json_number(json, "decisions", sum->decisions);
    pyr_json_number(json, "dubious", sum->marks[1]);
    pyr_json_number(json, "mistakes", sum->marks[2]);
    pyr_json_number(json, "blunders", sum->marks[3]);
    pyr_json_bool(json, "waiting", sum->waiting);
    pyr_json_number(json, "unsure", sum->unsure);
    pyr_text_json_real(json, "luck_margin", sum->luck_margin, 2);
    pyr_text_json_real(json, "win_luck_margin", sum->win_luck_margin, 4);
    pyr_text_json_real(json, "gained_margin", sum->gained_margin, 2);
    pyr_text_json_real(json, "lost_margin", sum->lost_margin, 2);
    pyr_text_json_real(json, "win_lost_margin", sum->win_lost_margin, 4);
    if (sum->decisions) {
        pyr_text_json_real(json, "error_rate", sum->rate, 4);
        pyr_text_json_real(json, "error_rate_margin", sum->rate_margin, 4);
    } else {
        pyr_json_null(json, "error_rate");
        pyr_json_null(json, "error_rate_margin");
    }
    pyr_json_text(json, "class", sum->decisions ? pyr_luck_level(sum->rate) : NULL);
    pyr_json_close(json);
}

/* So that programs can explain the marks without a table of their own. */
static void write_thresholds(struct pyr_json *json)
{
    pyr_json_object(json, "thresholds");
    for (int m = PYR_LUCK_DUBIOUS; m <= PYR_LUCK_BLUNDER; m++) {
        const struct pyr_luck_threshold *threshold = pyr_luck_threshold((enum pyr_luck_mark)m);
        pyr_json_object(json, threshold->sign);
        pyr_text_json_real(json, "points", threshold->points, PYR_SHORTEST);
        pyr_text_json_real(json, "win", threshold->win, PYR_SHORTEST);
        pyr_json_close(json);
    }
    pyr_json_close(json);
}

static const char *sign(enum pyr_luck_mark mark) { return pyr_luck_threshold(mark)->sign; }

/* "made" and "best" are in the notation of records. */
static void write_decision(struct pyr_json *json, const struct pyr_judge_report *r, const struct pyr_luck_decision *d)
{
    static const char *const state[] = { "unsure", "sure", "exact" };
    char text[PYR_JUDGE_CHOICE];
    pyr_json_object(json, NULL);
    pyr_json_number(json, "line", d->line + 1);
    pyr_json_number(json, "seat", d->seat + 1);
    pyr_judge_choice(r, d, &d->made, text, sizeof text);
    pyr_json_text(json, "made", text);
    pyr_text_json_real(json, "points", d->made.points, 2);
    pyr_text_json_real(json, "win", d->made.win, 4);
    pyr_text_json_real(json, "points_lost", d->points_lost, 2);
    pyr_text_json_real(json, "points_margin", d->points_margin, 2);
    pyr_text_json_real(json, "win_lost", d->win_lost, 4);
    pyr_text_json_real(json, "win_margin", d->win_margin, 4);
    pyr_text_json_real(json, "points_gained", d->points_gained, 2);
    pyr_json_text(json, "mark", sign(d->mark));
    pyr_json_text(json, "mildest", sign(d->mildest));
    pyr_json_text(json, "worst", sign(d->worst));
    pyr_json_text(json, "state", state[d->state]);
    pyr_json_number(json, "playouts", (int64_t)d->playouts);
    pyr_json_array(json, "best");
    for (unsigned k = 0; k < d->bests; k++) {
        pyr_judge_choice(r, d, &d->best[k], text, sizeof text);
        pyr_json_object(json, NULL);
        pyr_json_text(json, "choice", text);
        pyr_text_json_real(json, "points", d->best[k].points, 2);
        pyr_text_json_real(json, "win", d->best[k].win, 4);
        pyr_json_close(json);
    }
    pyr_json_close(json);
    pyr_json_close(json);
}

/* One value per seat, in seat order. */
static void write_chance(struct pyr_json *json, const struct pyr_judge_report *r, const struct pyr_luck_chance *c)
{
    pyr_json_object(json, NULL);
    pyr_json_number(json, "line", c->line + 1);
    pyr_json_word(json, "event", pyr_match_line(&r->match, c->line));
    write_values(json, "points", c->after.points, r->seats);
    write_values(json, "win", c->after.win, r->seats);
    write_values(json, "points_luck", c->luck.points, r->seats);
    write_values(json, "win_luck", c->luck.win, r->seats);
    write_margins(json, "points_luck_margin", c->error.points, r->seats);
    write_margins(json, "win_luck_margin", c->error.win, r->seats);
    pyr_json_close(json);
}

/* Written through a small buffer, so that a long report needs no memory. False if writing failed. */
bool pyr_judge_write_json(const struct pyr_judge_report *r, FILE *to)
{
    struct pyr_json json;
    char buffer[4096];
    pyr_text_json_init(&json, to, buffer, sizeof buffer);
    pyr_json_object(&json, NULL);
    pyr_json_text(&json, "edition", r->edition->name);
    pyr_json_bool(&json, "done", !r->rough);
    pyr_json_count(&json, "playouts", r->playouts);
    pyr_json_count(&json, "seed", r->seed);
    pyr_json_bool(&json, "finished", r->finished);
    pyr_json_array(&json, "players");
    for (unsigned s = 0; s < r->seats; s++)
        write_player(&json, r, s);
    pyr_json_close(&json);
    write_thresholds(&json);
    pyr_json_array(&json, "decisions");
    for (unsigned i = 0; i < r->decisions; i++)
        write_decision(&json, r, &r->decision[i]);
    pyr_json_close(&json);
    pyr_json_array(&json, "chance");
    for (unsigned i = 0; i < r->chances; i++)
        write_chance(&json, r, &r->chance[i]);
    pyr_json_close(&json);
    pyr_json_close(&json);
    return pyr_json_finish(&json) && fputc('\n', to) != EOF && !ferror(to);
}
