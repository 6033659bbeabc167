/* job_cards.c: adds up what tools/card_table.c has counted, and prints it as Markdown. */
#include <inttypes.h>
#include <string.h>

#include <pyramids/generate.h>
#include <pyramids/score.h>

#include "job.h"
#include "job_cards.h"

#define NUMBERS (sizeof(struct job_count) / sizeof(int64_t))

static struct {
    unsigned players;
    char bot[64];
    uint64_t nodes;
    int summary;
} job;

static struct pyr_edition edition;
static struct job_count all;

/* 0 if there is nothing to divide by: a card that was never dealt. */
static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void print_symbols(FILE *to, const struct pyr_card_face *face, pyr_spaces ways)
{
    const pyr_spaces set[] = { face->ruby, face->emerald, face->torch, face->potion, face->cross, face->skull };
    char text[32];
    unsigned length = 0;
    for (unsigned i = 0; i < 6; i++) {
        for (pyr_spaces left = set[i]; left && length < sizeof text - 1; left &= left - 1)
            text[length++] = "refpxsREFPXS"[i + (left & -left & ways ? 6 : 0)];
    }
    text[length] = '\0';
    fprintf(to, " %-8s |", text);
}

static void print_cards(FILE *to, const struct job_count *count, const struct pyr_box *box)
{
    fputs("| card | colour | way | walls | symbols  | kept | taken | done | turns | points | points per turn |\n", to);
    fputs("|-----:|--------|----:|------:|----------|-----:|------:|-----:|------:|-------:|----------------:|\n", to);
    for (pyr_card c = 0; c < PYR_CARDS; c++) {
        const struct job_tally *t = &count->card[c];
        struct pyr_card_survey survey;
        pyr_card_survey(box, c, &survey);
        fprintf(to, "| %4u | %-6s | %3u | %5u |", c + 1u, pyr_colour_word(survey.colour), survey.way, survey.walls);
        print_symbols(to, &box->card[c], survey.ways);
        fprintf(to, " %4.0f | %5.0f | %4.0f | %5.2f | %6.1f | %15.1f |\n", 100 * ratio((double)t->kept, (double)t->dealt),
            100 * ratio((double)t->taken, (double)t->offered), 100 * ratio((double)t->done, (double)t->laid),
            ratio((double)t->turns, (double)t->done), ratio((double)t->points, (double)t->done),
            ratio((double)t->points, (double)t->turns));
    }
}

static void print_colours(FILE *to, const struct job_count *count, const struct pyr_box *box)
{
    fputs("\n| colour | pyramids per player | per winner | kept | taken | turns | points | pyramid points per game |\n", to);
    fputs("|--------|--------------------:|-----------:|-----:|------:|------:|-------:|------------------------:|\n", to);
    for (unsigned k = 0; k < PYR_COLOURS; k++) {
        struct job_tally sum = { 0 };
        for (unsigned c = 0; c < PYR_CARDS; c++) {
            if (box->card[c].colour != k)
                continue;
            sum.dealt += count->card[c].dealt, sum.kept += count->card[c].kept;
            sum.offered += count->card[c].offered, sum.taken += count->card[c].taken;
            sum.done += count->card[c].done, sum.turns += count->card[c].turns, sum.points += count->card[c].points;
        }
        fprintf(to, "| %-6s | %19.2f | %10.2f | %4.1f | %5.1f | %5.2f | %6.1f | %23.1f |\n", pyr_colour_word(k),
            ratio((double)count->colour_pyramids[k], (double)count->seats),
            ratio((double)count->winner_pyramids[k], (double)count->winners),
            100 * ratio((double)sum.kept, (double)sum.dealt), 100 * ratio((double)sum.taken, (double)sum.offered),
            ratio((double)sum.turns, (double)sum.done), ratio((double)sum.points, (double)sum.done),
            ratio((double)count->tile_points[k], (double)count->games));
    }
}

/* One line with averages per player, for the table of all settings in docs/editions.md. */
static void print_summary(FILE *to, const struct job_count *count)
{
    double seats = (double)count->seats, games = (double)count->games;
    char bots[96];
    if (job.nodes)
        snprintf(bots, sizeof bots, "%s, %" PRIu64, job.bot, job.nodes);
    else
        snprintf(bots, sizeof bots, "%s", job.bot);
    fputs("| bots         | players | games | pyramids | points | winner | torches | pyramid points | gems | skulls | drawn "
         "| deck out |\n", to);
    fputs("|--------------|--------:|------:|---------:|-------:|-------:|--------:|---------------:|-----:|-------:|------:"
         "|---------:|\n", to);
    fprintf(to, "| %-12s | %7u | %5" PRIu64 " | %8.2f | %6.1f | %6.1f | %7.1f | %14.1f | %4.1f | %6.1f | %5.1f | %8.1f |\n",
        bots, job.players, count->games, (double)count->pyramids / seats, (double)count->score / seats,
        ratio((double)count->winner_score, (double)count->winners), (double)count->part[1] / seats,
        (double)count->part[2] / seats, (double)count->part[3] / seats, (double)count->part[4] / seats,
        100 * ratio((double)count->draws, (double)count->choices), 100 * (double)count->out / games);
}

static bool begin(const char *text)
{
    return sscanf(text, "players %u\nbot %63s\nnodes %" SCNu64 "\nseed %*u\nsummary %d\n", &job.players, job.bot, &job.nodes,
        &job.summary) == 4 && job_edition(text, &edition);
}

void job_cards_write(const struct job_count *count, FILE *to)
{
    int64_t number[NUMBERS];
    memcpy(number, count, sizeof number);
    for (unsigned i = 0; i < NUMBERS; i++)
        fprintf(to, "%s%" PRId64, i ? " " : "", number[i]);
}

static bool add(const char *data, FILE *to)
{
    int64_t number[NUMBERS];
    uint64_t sum[NUMBERS];
    (void)to;
    for (unsigned i = 0; i < NUMBERS; i++) {
        int at;
        if (sscanf(data, "%" SCNd64 "%n", &number[i], &at) != 1)
            return false;
        data += at;
    }
    memcpy(sum, &all, sizeof sum);
    for (unsigned i = 0; !*data && i < NUMBERS; i++)
        sum[i] += (uint64_t)number[i];
    memcpy(&all, sum, sizeof sum);
    return !*data;
}

static bool end(FILE *to)
{
    if (!all.games || !all.seats)
        return false;
    if (!job.summary) {
        print_cards(to, &all, &edition.box);
        print_colours(to, &all, &edition.box);
        fputc('\n', to);
    }
    print_summary(to, &all);
    return true;
}

const struct job_kind job_cards = { "card-table", begin, add, end };
