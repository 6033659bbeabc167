/*
 * bot_learn.c: learns what the stronger bots know, from games of the policy against itself. Both results are compiled in, so the
 * second command follows once the first one's is built; what lies in the tree was made from editions/classic.edition by
 *
 *     bot_learn weights 1 8 editions/classic.edition >src/bots/learned.h         about a minute
 *     bot_learn value 1 20000 editions/classic.edition >src/bots/learned_value.h a few seconds
 *
 * The same seed (1), passes (8) or games (20000) and edition give the same numbers.
 *
 * Weights (src/bots/weights.h): one after the other is moved by a step up or down and plays the best so far in duplicate games of
 * two; what wins by more than two standard errors stays, and its step grows; a step that brings nothing shrinks. A game
 * counts as a smooth function of its margin, which tells more in fewer games than who won, and unlike the margin itself
 * does not reward gambling away close games for a few high wins.
 *
 * Value (src/bots/value.h): for each number of players and of turns to come, least squares of the final score less
 * what is sure, by the features of the desk at that time.
 */
#include <pyramids/edition.h>
#include <pyramids/score.h>

#include <stdio.h>
#include <stdlib.h>

#include "../src/bots/policy.h"
#include "../src/bots/value.h"

enum { DEALS = 4000 };

static struct pyr_edition edition;

/* About a normal distribution of margins with a deviation of 15 points: 0 to 1. */
static double share(int margin)
{
    double x = margin / 15.0;
    return 0.5 + 0.5 * x / (x < 0 ? 1 - x : 1 + x);
}

static int play(const struct tables *const *seat, const struct pyr_chance *chance)
{
    const struct pyr_box *box = &edition.box;
    struct pyr_state state;
    pyr_state_init(&state, box, 2, chance);
    for (;;) {
        pyr_state_advance(box, &state);
        if (!state.open.waiting)
            break;
        pyr_seat s = (pyr_seat)__builtin_ctz(state.open.waiting);
        pyr_state_make(box, &state, s, policy_step(seat[s], box, &state, s, true));
    }
    return pyr_table_score(box, &state.open, 0).total - pyr_table_score(box, &state.open, 1).total;
}

/* The challenger's share beyond a half, in standard errors. */
static double match(const struct tables *challenger, const struct tables *champion, uint64_t seed, double *mean)
{
    double sum = 0, squares = 0;
    for (unsigned deal = 0; deal < DEALS; deal++) {
        struct pyr_rng rng;
        struct pyr_chance chance;
        pyr_rng_seed(&rng, seed, deal);
        pyr_chance_draw(&chance, &edition.box, 2, &rng);
        const struct tables *there[2] = { challenger, champion }, *back[2] = { champion, challenger };
        double x = (share(play(there, &chance)) + share(-play(back, &chance))) / 2 - 0.5;
        sum += x;
        squares += x * x;
    }
    *mean = sum / DEALS;
    double variance = squares / DEALS - *mean * *mean;
    double z2 = variance > 0 ? *mean * *mean * DEALS / variance : 0;
    return *mean < 0 ? -z2 : z2;             /* squared, with its sign: no square root needed */
}

/* The policy's weights, by hill climbing. */
static int learn_weights(uint64_t seed, unsigned passes)
{
    struct tables *champion = malloc(sizeof *champion), *challenger = malloc(sizeof *challenger);
    if (!champion || !challenger)
        return 1;
    struct weights best = weights_plain;
    uint64_t round = 0;
    int step[WEIGHTS];
    for (unsigned i = 0; i < WEIGHTS; i++)
        step[i] = abs(best.of[i]) / 4 > 6 ? abs(best.of[i]) / 4 : 6;
    tables_prepare(champion, &edition.box, &best);
    for (unsigned pass = 0; pass < passes; pass++) {
        for (unsigned i = 0; i < WEIGHTS; i++) {
            bool better = false;
            for (int sign = 1; sign >= -1 && !better; sign -= 2) {
                struct weights tried = best;
                double mean;
                tried.of[i] = (int16_t)(tried.of[i] + sign * step[i]);
                if (i == W_RENEW && tried.of[i] < 8)
                    continue;
                if (i >= W_GEM_RATE && tried.of[i] < 0)
                    continue;
                tables_prepare(challenger, &edition.box, &tried);
                better = match(challenger, champion, seed + round++, &mean) > 4;
                if (better) {
                    fprintf(stderr, "pass %u weight %u: %d to %d, %+.4f\n", pass, i, best.of[i], tried.of[i], mean);
                    struct tables *old = champion;
                    champion = challenger;
                    challenger = old;
                    best = tried;
                }
            }
            step[i] = better ? step[i] * 3 / 2 : (step[i] + 1) / 2;
        }
    }
    printf("/* Made by: bot_learn weights %u %u %s (%u matches of %u games). Do not edit. */\n", (unsigned)seed, passes,
        edition.name, (unsigned)round, 2u * DEALS);
    for (unsigned i = 0; i < WEIGHTS; i++)
        printf("%d%s", best.of[i], i + 1 < WEIGHTS ? ", " : "\n");
    free(champion);
    free(challenger);
    return 0;
}

/* Least squares, a row of sums for each feature and the target last. */
struct sums {
    double of[FEATURES][FEATURES + 1];
    double count;
};

/* Gauss, with the diagonal raised a little, so that features that are always alike share their weight. */
static void solve(struct sums *s, float *weight)
{
    for (unsigned i = 0; i < FEATURES; i++)
        s->of[i][i] += 1e-3 * s->count;
    for (unsigned i = 0; i < FEATURES; i++) {
        for (unsigned j = 0; j < FEATURES; j++) {
            double factor = j == i ? 0 : s->of[j][i] / s->of[i][i];
            for (unsigned k = i; k <= FEATURES; k++)
                s->of[j][k] -= factor * s->of[i][k];
        }
    }
    for (unsigned i = 0; i < FEATURES; i++)
        weight[i] = (float)(s->of[i][FEATURES] / s->of[i][i]);
}

struct sample {
    float feature[FEATURES];
    int sure;
};

static struct sums sums[ALL_TURNS + 1];
static double errors[ALL_TURNS + 1];

/* One game; its samples go into the sums or, with lines, into the errors. */
static void study(const struct tables *tables, unsigned seats, struct pyr_rng *rng, const struct value_line *lines)
{
    static struct sample samples[ALL_TURNS + 1][PYR_MAX_SEATS];
    const struct pyr_box *box = &edition.box;
    struct pyr_state state;
    pyr_state_deal(&state, box, seats, rng);
    while (state.open.phase != PYR_END) {
        if (state.open.phase == PYR_SHOW) {
            pyr_state_show(box, &state);
        } else if (state.open.phase == PYR_REVEAL) {
            for (pyr_seat s = 0; s < seats; s++) {
                struct sample *sample = &samples[value_turns(&state.open)][s];
                value_features(tables, box, &state.open, s, sample->feature);
                sample->sure = value_sure(box, &state.open, s);
            }
            pyr_state_reveal(box, &state);
        } else {
            pyr_seat s = (pyr_seat)__builtin_ctz(state.open.waiting);
            pyr_state_make(box, &state, s, policy_step(tables, box, &state, s, true));
        }
    }
    for (unsigned left = 1; left <= ALL_TURNS; left++) {
        for (pyr_seat s = 0; s < seats; s++) {
            const struct sample *sample = &samples[left][s];
            double y = pyr_table_score(box, &state.open, s).total - sample->sure, told = 0;
            for (unsigned i = 0; lines && i < FEATURES; i++)
                told += lines[left].weight[i] * sample->feature[i];
            errors[left] += lines ? (y > told ? y - told : told - y) : 0;
            for (unsigned i = 0; i < FEATURES && !lines; i++) {
                for (unsigned j = 0; j < FEATURES; j++)
                    sums[left].of[i][j] += (double)sample->feature[i] * sample->feature[j];
                sums[left].of[i][FEATURES] += sample->feature[i] * y;
            }
            sums[left].count++;
        }
    }
}

static int learn_value(uint64_t seed, unsigned games)
{
    struct tables *tables = malloc(sizeof *tables);
    if (!tables)
        return 1;
    tables_prepare(tables, &edition.box, &weights_learned);
    printf("/* Made by: bot_learn value %u %u %s. Do not edit. */\n", (unsigned)seed, games, edition.name);
    for (unsigned seats = PYR_MIN_SEATS; seats <= PYR_MAX_SEATS; seats++) {
        static const struct sums none;
        struct value_line lines[ALL_TURNS + 1] = { { { 0 }, 0 } };
        struct pyr_rng rng;
        for (unsigned left = 0; left <= ALL_TURNS; left++)
            sums[left] = none, errors[left] = 0;
        pyr_rng_seed(&rng, seed, seats);
        for (unsigned game = 0; game < games; game++)
            study(tables, seats, &rng, NULL);
        for (unsigned left = 1; left <= ALL_TURNS; left++)
            solve(&sums[left], lines[left].weight);
        for (unsigned game = 0; game < games / 10; game++)
            study(tables, seats, &rng, lines);
        printf("{\n    { { 0 }, 0 },\n");
        for (unsigned left = 1; left <= ALL_TURNS; left++) {
            printf("    { {");
            for (unsigned i = 0; i < FEATURES; i++)
                printf("%s %.4ff", i ? "," : "", (double)lines[left].weight[i]);
            printf(" }, %.3ff },\n", errors[left] / (games / 10 * seats));
        }
        printf("},\n");
    }
    free(tables);
    return 0;
}

int main(int count, char **words)
{
    static char text[1 << 20];
    bool weights = count == 5 && words[1][0] == 'w', value = count == 5 && words[1][0] == 'v';
    if (!weights && !value) {
        fprintf(stderr, "usage: bot_learn weights SEED PASSES EDITION | bot_learn value SEED GAMES EDITION\n");
        return 2;
    }
    uint64_t seed = strtoull(words[2], NULL, 10);
    unsigned amount = (unsigned)strtoul(words[3], NULL, 10);
    FILE *file = fopen(words[4], "rb");
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    if (pyr_edition_read(&edition, text, size, NULL)) {
        fprintf(stderr, "bot_learn: %s is not an edition\n", words[4]);
        return 1;
    }
    return weights ? learn_weights(seed, amount) : learn_value(seed, amount);
}
