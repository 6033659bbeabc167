/* job_lines.c: the jobs of tools/late.c, tools/clairvoyant.c and tools/solo.c: their results, and what they print. */
#include <stdlib.h>
#include <string.h>

#include "job.h"

/* late make and solo print their results unchanged. */

static bool begin_lines(const char *job)
{
    return *job;
}

static bool add_late(const char *data, FILE *to)
{
    return !strcmp(data, "-") || (strchr(data, '=') && fprintf(to, "%s\n", data) > 0);
}

const struct job_kind job_late = { "late", begin_lines, add_late, NULL };

static bool add_solo(const char *data, FILE *to)
{
    return !strcmp(data, "-") || (*data == '{' && fprintf(to, "    %s\n", data) > 0);
}

const struct job_kind job_solo = { "solo", begin_lines, add_solo, NULL };

/* late score: for each position, the number of turns to come and the loss of the choice. */

static struct {
    char bot[64];
    double lost[3];
    unsigned count[3], exact[3];
} late;

static bool begin_score(const char *job)
{
    return sscanf(job, "bot %63s\n", late.bot) == 1;
}

/* "exact" is a loss below rounding. */
static bool add_score(const char *data, FILE *to)
{
    unsigned turns;
    double loss;
    int at = -1;
    (void)to;
    if (sscanf(data, "%u %lf%n", &turns, &loss, &at) != 2 || at < 0 || data[at] || turns > 2)
        return false;
    late.lost[turns] += loss;
    late.count[turns]++;
    late.exact[turns] += loss < 1e-4;
    return true;
}

static bool end_score(FILE *to)
{
    unsigned all = 0, exact = 0;
    double lost = 0;
    fprintf(to, "%-8s", late.bot);
    for (unsigned t = 0; t < 3; t++) {
        unsigned count = late.count[t];
        fprintf(to, "  last %u: lost %.4f, exact %.1f%% of %u", t + 1, count ? late.lost[t] / count : 0,
            count ? 100.0 * late.exact[t] / count : 0, count);
        all += count;
        exact += late.exact[t];
        lost += late.lost[t];
    }
    fprintf(to, "  all: lost %.4f, exact %.1f%%\n", all ? lost / all : 0, all ? 100.0 * exact / all : 0);
    return all != 0;
}

const struct job_kind job_late_score = { "late-score", begin_score, add_score, end_score };

/* clairvoyant: for each game, points and margin of the clairvoyant and of each bot. */

#define MOST_BOTS 64

static struct {
    char name[MOST_BOTS][32];
    unsigned count;
    uint64_t games;
    double points[MOST_BOTS], margin[MOST_BOTS];
} seen;

static bool begin_clairvoyant(const char *job)
{
    int at = -1;
    if (sscanf(job, "players %*u\nseed %*u\n%n", &at) < 0 || at < 0)
        return false;
    job += at;
    for (at = -1; seen.count < MOST_BOTS && sscanf(job, "bot %31s%n", seen.name[seen.count], &at) == 1 && at > 0; at = -1) {
        seen.count++;
        job += at;
        job += *job == '\n';
    }
    return seen.count && !strncmp(job, "edition\n", 8);
}

static bool add_clairvoyant(const char *data, FILE *to)
{
    (void)to;
    int points[MOST_BOTS], margin[MOST_BOTS], at;
    for (unsigned i = 0; i < seen.count; i++) {
        if (sscanf(data, "%d %d%n", &points[i], &margin[i], &at) != 2)
            return false;
        data += at;
    }
    for (unsigned i = 0; !*data && i < seen.count; i++) {
        seen.points[i] += points[i];
        seen.margin[i] += margin[i];
    }
    seen.games++;
    return !*data;
}

static bool end_clairvoyant(FILE *to)
{
    double games = (double)seen.games;
    for (unsigned i = 0; i < seen.count; i++)
        fprintf(to, "%-12s %7.2f points, margin %+7.2f, %5.1f%% of the clairvoyant's\n", seen.name[i],
            seen.points[i] / games, seen.margin[i] / games, 100 * seen.margin[i] / seen.margin[0]);
    return seen.games != 0;
}

const struct job_kind job_clairvoyant = { "clairvoyant", begin_clairvoyant, add_clairvoyant, end_clairvoyant };
