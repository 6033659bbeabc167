/* json.c: the analysis for programs. */
#include <string.h>

#include <pyramids/judge.h>
#include <pyramids/text.h>

static void write_values(FILE *to, const char *name, const float *value, unsigned seats)
{
    fprintf(to, ", \"%s\": [", name);
    for (unsigned s = 0; s < seats; s++)
        fprintf(to, "%s%.4f", s ? ", " : "", (double)value[s]);
    fputc(']', to);
}

/* Half of the 95% intervals; the standard errors come from 8 parts, so Student's number is larger than 1.96. */
static void write_margins(FILE *to, const char *name, const float *error, unsigned seats)
{
    float margin[PYR_MAX_SEATS];
    for (unsigned s = 0; s < seats; s++)
        margin[s] = 2.365f * error[s];
    write_values(to, name, margin, seats);
}

static void write_players(FILE *to, const struct pyr_judge_report *r)
{
    for (unsigned s = 0; s < r->seats; s++) {
        const struct pyr_luck_sum *sum = &r->sum[s];
        fprintf(to, "%s{\"seat\": %u, \"name\": ", s ? ", " : "", s + 1);
        pyr_text_json(to, r->name[s].at, r->name[s].length);
        fprintf(to, ", \"points\": %.0f, \"expected\": %.2f, \"luck\": %.2f, \"skill\": %.2f, \"par\": %.2f, "
                "\"gained\": %.2f, \"rest\": %.2f, \"lost\": %.2f, \"win_luck\": %.4f, \"win_lost\": %.4f",
            sum->actual, sum->expected, sum->luck, sum->skill, sum->par, sum->gained, sum->rest, sum->lost, sum->win_luck,
            sum->win_lost);
        fprintf(to, ", \"decisions\": %u, \"dubious\": %u, \"mistakes\": %u, \"blunders\": %u, \"waiting\": %s",
            sum->decisions, sum->marks[1], sum->marks[2], sum->marks[3], sum->waiting ? "true" : "false");
        fprintf(to, ", \"unsure\": %u, \"luck_margin\": %.2f, \"win_luck_margin\": %.4f, \"gained_margin\": %.2f, "
                "\"lost_margin\": %.2f, \"win_lost_margin\": %.4f",
            sum->unsure, sum->luck_margin, sum->win_luck_margin, sum->gained_margin, sum->lost_margin, sum->win_lost_margin);
        if (sum->decisions)
            fprintf(to, ", \"error_rate\": %.4f, \"error_rate_margin\": %.4f, \"class\": \"%s\"}", sum->rate,
                sum->rate_margin, pyr_luck_level(sum->rate));
        else
            fprintf(to, ", \"error_rate\": null, \"error_rate_margin\": null, \"class\": null}");
    }
}

static const char *sign(enum pyr_luck_mark mark) { return pyr_luck_threshold(mark)->sign; }

static void write_decision(FILE *to, const struct pyr_judge_report *r, const struct pyr_luck_decision *d)
{
    static const char *const state[] = { "unsure", "sure", "exact" };
    char text[PYR_JUDGE_CHOICE];
    fprintf(to, "{\"line\": %u, \"seat\": %u, \"made\": ", (unsigned)d->line + 1, d->seat + 1u);
    pyr_judge_choice(r, d, &d->made, text, sizeof text);
    pyr_text_json(to, text, strlen(text));
    fprintf(to, ", \"points\": %.2f, \"win\": %.4f, \"points_lost\": %.2f, \"points_margin\": %.2f, \"win_lost\": %.4f, "
            "\"win_margin\": %.4f, \"points_gained\": %.2f, ",
        d->made.points, d->made.win, d->points_lost, d->points_margin, d->win_lost, d->win_margin, d->points_gained);
    fprintf(to, "\"mark\": \"%s\", \"mildest\": \"%s\", \"worst\": \"%s\", \"state\": \"%s\", \"playouts\": %u, \"best\": [",
        sign(d->mark), sign(d->mildest), sign(d->worst), state[d->state], (unsigned)d->playouts);
    for (unsigned k = 0; k < d->bests; k++) {
        pyr_judge_choice(r, d, &d->best[k], text, sizeof text);
        fprintf(to, "%s{\"choice\": ", k ? ", " : "");
        pyr_text_json(to, text, strlen(text));
        fprintf(to, ", \"points\": %.2f, \"win\": %.4f}", d->best[k].points, d->best[k].win);
    }
    fprintf(to, "]}");
}

bool pyr_judge_write_json(const struct pyr_judge_report *r, FILE *to)
{
    fprintf(to, "{\"edition\": ");
    pyr_text_json(to, r->edition->name, strlen(r->edition->name));
    fprintf(to, ", \"done\": %s, \"playouts\": %u, \"seed\": %llu, \"finished\": %s, \"players\": [", r->rough ? "false" : "true",
        (unsigned)r->playouts, (unsigned long long)r->seed, r->finished ? "true" : "false");
    write_players(to, r);
    fprintf(to, "], \"thresholds\": {");
    for (int m = PYR_LUCK_DUBIOUS; m <= PYR_LUCK_BLUNDER; m++)
        fprintf(to, "%s\"%s\": {\"points\": %g, \"win\": %g}", m > 1 ? ", " : "",
            pyr_luck_threshold((enum pyr_luck_mark)m)->sign,
            pyr_luck_threshold((enum pyr_luck_mark)m)->points, pyr_luck_threshold((enum pyr_luck_mark)m)->win);
    fprintf(to, "}, \"decisions\": [");
    for (unsigned i = 0; i < r->decisions; i++) {
        fputs(i ? ", " : "", to);
        write_decision(to, r, &r->decision[i]);
    }
    fprintf(to, "], \"chance\": [");
    for (unsigned i = 0; i < r->chances; i++) {
        const struct pyr_luck_chance *c = &r->chance[i];
        struct pyr_word line = pyr_match_line(&r->match, c->line);
        fprintf(to, "%s{\"line\": %u, \"event\": ", i ? ", " : "", (unsigned)c->line + 1);
        pyr_text_json(to, line.at, line.length);
        write_values(to, "points", c->after.points, r->seats);
        write_values(to, "win", c->after.win, r->seats);
        write_values(to, "points_luck", c->luck.points, r->seats);
        write_values(to, "win_luck", c->luck.win, r->seats);
        write_margins(to, "points_luck_margin", c->error.points, r->seats);
        write_margins(to, "win_luck_margin", c->error.win, r->seats);
        fputc('}', to);
    }
    fputs("]}\n", to);
    return !ferror(to);
}
