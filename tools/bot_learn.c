/*
 * bot_learn.c: learns the numbers of the stronger bots from games against themselves. The results are compiled in, so
 * build again after each command before running the next one; those in the source tree were made from
 * editions/classic.edition by
 *
 *     bot_learn weights 1 8 editions/classic.edition >src/bots/learned.h         about a minute
 *     bot_learn value 1 20000 editions/classic.edition >src/bots/learned_value.h a few seconds
 *     bot_learn net 1 60000 editions/classic.edition >src/bots/learned_net.h     two minutes
 *
 * The same seed (1), passes (8) or games (20000, 60000) and edition give the same numbers.
 *
 * Weights (src/bots/weights.h): each in turn is moved a step up or down, and the result plays the best so far in
 * duplicate games of two. A change that wins by more than two standard errors is kept, and its step grows; a step
 * without gain shrinks. A game counts as a smooth function of its margin, which needs fewer games than counting wins,
 * and unlike the margin itself does not reward risking close games for a few high wins.
 *
 * Value (src/bots/value.h): for each number of players and of turns to come, least squares of the final score minus the
 * points that are certain, by the features of the desk at that time.
 *
 * Net (src/bots/net.h): a network learns the final score while it plays games of two to four against itself, choosing
 * what it rates best at the time.
 */
#include <pyramids/edition.h>
#include <pyramids/score.h>

#include <stdio.h>
#include <stdlib.h>

#include "../src/bots/ahead.h"
#include "../src/bots/policy.h"
#include "../src/bots/value.h"
#include "edition_file.h"

/* Deals of a match, each played twice with the seats exchanged. */
enum { DEALS = 4000 };

static struct pyr_edition edition;

/* About a normal distribution of margins with a deviation of 15 points: 0 to 1.
 * The same sigmoid as in src/bots/search.c, without exp(), so that results do not depend on the C library. */
static double share(int margin)
{
    double x = margin / 15.0;
    return 0.5 + 0.5 * x / (x < 0 ? 1 - x : 1 + x);
}

/* A game of two by the policies; the margin of the first seat. */
static int play(const struct tables *const *seat, const struct pyr_chance *chance)
{
    const struct pyr_box *box = &edition.box;
    struct pyr_state state;
    pyr_state_init(&state, box, 2, chance);
    for (;;) {
        pyr_state_advance(&state, box);
        if (!state.open.waiting)
            break;
        pyr_seat s = (pyr_seat)__builtin_ctz(state.open.waiting);
        pyr_state_apply_unchecked(&state, box, s, policy_step(seat[s], box, &state, s, true));
    }
    return pyr_table_score(&state.open, box, 0).total - pyr_table_score(&state.open, box, 1).total;
}

/* The challenger's share beyond a half, in standard errors.
 * Common random numbers: both play the same deals from both seats, so most of the luck cancels. */
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

/* The policy's weights, by hill climbing.
 * Coordinate ascent with adaptive steps: a step that wins is made half as long again, one that does not is halved.
 * 4 is two standard errors, squared. W_RENEW is a divisor in the policy and must not come near 0; rates cannot be
 * negative. */
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

/* Least squares: a row of sums for each feature, with the target last. */
struct sums {
    double of[FEATURES][FEATURES + 1];
    double count;
};

/* Gauss-Jordan elimination of the normal equations with a ridge of 1e-3 on the diagonal, so that features that are
 * always equal share their weight. No pivoting: with the ridge the matrix is positive definite. */
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

/* One desk before a reveal, with what is known then. The target is added when the game is over. */
struct sample {
    float feature[FEATURES];
    int sure;
};

static struct sums sums[ALL_TURNS + 1];
static double errors[ALL_TURNS + 1];

/* One game; its samples go into the sums or, with lines, into the errors. Ridge regression needs only sums, so games
 * are not stored. With `lines` the games measure the mean absolute error of the estimate, in points. */
static void study(const struct tables *tables, unsigned seats, struct pyr_rng *rng, const struct value_line *lines)
{
    static struct sample samples[ALL_TURNS + 1][PYR_MAX_SEATS];
    const struct pyr_box *box = &edition.box;
    struct pyr_state state;
    pyr_state_deal(&state, box, seats, rng);
    while (state.open.phase != PYR_END) {
        if (state.open.phase == PYR_SHOW) {
            pyr_state_show(&state, box);
        } else if (state.open.phase == PYR_REVEAL) {
            for (pyr_seat s = 0; s < seats; s++) {
                struct sample *sample = &samples[value_turns(&state.open)][s];
                value_features(tables, box, &state.open, s, sample->feature);
                sample->sure = value_sure(box, &state.open, s);
            }
            pyr_state_reveal(&state, box);
        } else {
            pyr_seat s = (pyr_seat)__builtin_ctz(state.open.waiting);
            pyr_state_apply_unchecked(&state, box, s, policy_step(tables, box, &state, s, true));
        }
    }
    for (unsigned left = 1; left <= ALL_TURNS; left++) {
        for (pyr_seat s = 0; s < seats; s++) {
            const struct sample *sample = &samples[left][s];
            double y = pyr_table_score(&state.open, box, s).total - sample->sure, told = 0;
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

/* The errors are measured on a tenth as many games that were not used for the weights. */
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

/* The network, by Adam (Kingma and Ba 2015) on the final scores of games that it plays against itself in between. */

/* LESSON_ROOM has space for one more game beyond LESSONS, since a round ends only after a whole game. */
enum { LESSONS = 1 << 16, BATCH = 64, LESSON_ROOM = LESSONS + PYR_MAX_SEATS * ALL_TURNS,
    NET_NUMBERS = sizeof(struct net) / sizeof(float) };

/* A training example. `base` is subtracted from the score, so the network learns the difference (net.c). */
struct lesson {
    float input[NET_INPUTS];
    float base, score;
    uint8_t seats, left;         /* players less two; turns to come */
    pyr_seat seat;
};

static struct lesson lessons[LESSON_ROOM];
static unsigned lesson_count;

/* The network itself, the gradient of its error in a batch, and the running means of the gradient and of its square. A
 * union with an array, so that the optimizer can treat all weights alike. */
static union numbers {
    struct net net;
    float of[NET_NUMBERS];
} now, slope, mean, square;

/* The choice that is rated best; one mark in sixteen is a random one of the tables' best four, so that the network also
 * learns about desks that it would not choose. */
static pyr_step choose(const struct tables *tables, const struct pyr_state *state, pyr_seat seat, struct pyr_rng *rng)
{
    static const struct ahead_plan stand = { 0, 1, 1 };
    struct candidate list[8];
    struct pyr_view view;
    pyr_view_init(&view, state, seat);
    unsigned count = candidates_find(tables, &edition.box, &view, list, 8);
    if (state->open.phase == PYR_MARK && !pyr_rng_below(rng, 16))
        return list[pyr_rng_below(rng, count < 4 ? count : 4)].step;
    ahead_values(&now.net, tables, &stand, &edition.box, &view, list, count);
    candidates_sort(list, count);
    return list[0].step;
}

/* One lesson per seat and turn: the inputs before the reveal, and the final score. */
static void play_lessons(const struct tables *tables, unsigned seats, struct pyr_rng *rng)
{
    const struct pyr_box *box = &edition.box;
    unsigned begin = lesson_count;
    struct pyr_state state;
    pyr_state_deal(&state, box, seats, rng);
    while (state.open.phase != PYR_END) {
        if (state.open.phase == PYR_SHOW) {
            pyr_state_show(&state, box);
        } else if (state.open.phase == PYR_REVEAL) {
            for (pyr_seat s = 0; s < seats; s++) {
                struct lesson *lesson = &lessons[lesson_count++];
                struct net_table at;
                struct net_node node;
                net_begin(&at, &now.net, tables, box, &state.open, s);
                net_node_init(&node, &state.open, s, &state.open.desk[s]);
                net_inputs(&at, &node, lesson->input);
                lesson->base = net_base(&at, &node);
                lesson->seats = (uint8_t)(seats - PYR_MIN_SEATS);
                lesson->left = (uint8_t)at.left;
                lesson->seat = s;
            }
            pyr_state_reveal(&state, box);
        } else {
            pyr_seat s = (pyr_seat)__builtin_ctz(state.open.waiting);
            pyr_state_apply_unchecked(&state, box, s, choose(tables, &state, s, rng));
        }
    }
    for (unsigned i = begin; i < lesson_count; i++)
        lessons[i].score = (float)pyr_table_score(&state.open, box, lessons[i].seat).total;
}

/* Adds the gradient of half the squared error. Returns the squared error. Backpropagation by hand: one hidden layer,
 * rectified, plus direct weights from the inputs. The forward pass is that of net.c without its accumulator. */
static double learn_lesson(const struct lesson *lesson)
{
    const struct net *net = &now.net;
    struct net *to = &slope.net;
    float unit[NET_HIDDEN], back[NET_HIDDEN];
    float sum = lesson->base + net->out_seats[lesson->seats] + net->out_left[lesson->left];
    for (unsigned j = 0; j < NET_HIDDEN; j++)
        unit[j] = net->seats[lesson->seats][j] + net->left[lesson->left][j];
    for (unsigned i = 0; i < NET_INPUTS; i++) {
        float x = lesson->input[i];
        for (unsigned j = 0; j < NET_HIDDEN; j++)
            unit[j] += net->in[i][j] * x;
        sum += net->direct[i] * x;
    }
    for (unsigned j = 0; j < NET_HIDDEN; j++)
        sum += unit[j] > 0 ? unit[j] * net->out[j] : 0;
    float error = sum - lesson->score;
    for (unsigned j = 0; j < NET_HIDDEN; j++) {
        back[j] = unit[j] > 0 ? error * net->out[j] : 0;
        to->out[j] += unit[j] > 0 ? error * unit[j] : 0;
        to->seats[lesson->seats][j] += back[j];
        to->left[lesson->left][j] += back[j];
    }
    for (unsigned i = 0; i < NET_INPUTS; i++) {
        float x = lesson->input[i];
        for (unsigned j = 0; j < NET_HIDDEN; j++)
            to->in[i][j] += back[j] * x;
        to->direct[i] += error * x;
    }
    to->out_seats[lesson->seats] += error;
    to->out_left[lesson->left] += error;
    return (double)error * error;
}

/* Newton's method, starting from half of the exponent: the tools use no libm. */
static float root(float x)
{
    union { float f; uint32_t bits; } guess = { x };
    guess.bits = (guess.bits >> 1) + 0x1fbd1df5;
    for (unsigned i = 0; i < 3; i++)
        guess.f = 0.5f * (guess.f + x / guess.f);
    return guess.f;
}

/* Adam (Kingma and Ba 2014), with its usual constants 0.9 and 0.999. */
static void descend(float rate)
{
    static float begun = 1, begun_square = 1;
    begun *= 0.9f;
    begun_square *= 0.999f;
    for (unsigned i = 0; i < NET_NUMBERS; i++) {
        float g = slope.of[i] / BATCH;
        mean.of[i] += 0.1f * (g - mean.of[i]);
        square.of[i] += 0.001f * (g * g - square.of[i]);
        /* Both means began at 0, hence the divisions. */
        now.of[i] -= rate * mean.of[i] / (1 - begun) / (root(square.of[i] / (1 - begun_square)) + 1e-6f);
        slope.of[i] = 0;
    }
}

/* Four decimals keep the file small. */
static void write_row(const float *from, unsigned count, const char *indent, const char *end)
{
    printf("%s{", indent);
    for (unsigned i = 0; i < count; i++)
        printf("%s %.4ff", i ? "," : "", (double)from[i]);
    printf(" }%s\n", end);
}

static void write_rows(const float (*from)[NET_HIDDEN], unsigned rows)
{
    printf("{\n");
    for (unsigned i = 0; i < rows; i++)
        write_row(from[i], NET_HIDDEN, "    ", ",");
    printf("},\n");
}

/* Games and lessons alternate: each batch is played by the present network, learned in random order and dropped. The
 * rate falls with the square of the remaining work. */
static int learn_net(uint64_t seed, unsigned games)
{
    static const unsigned seats[] = { 4, 2, 3, 2 };
    struct tables *tables = malloc(sizeof *tables);
    struct pyr_rng rng;
    if (!tables)
        return 1;
    tables_prepare(tables, &edition.box, &weights_learned);
    pyr_rng_seed(&rng, seed, 0);
    for (unsigned j = 0; j < NET_HIDDEN; j++) {
        for (unsigned i = 0; i < NET_INPUTS; i++)
            now.net.in[i][j] = ((float)pyr_rng_below(&rng, 2001) - 1000) * 3e-4f;
        now.net.out[j] = ((float)pyr_rng_below(&rng, 2001) - 1000) * 5e-4f;
    }
    for (unsigned game = 0, round = 0; game < games; round++) {
        double off = 0, share = 1 - (double)game / games;
        lesson_count = 0;
        for (; lesson_count < LESSONS; game++)
            play_lessons(tables, seats[game % 4], &rng);
        for (unsigned i = lesson_count; i > 1; i--) {
            unsigned other = pyr_rng_below(&rng, i);
            struct lesson lesson = lessons[i - 1];
            lessons[i - 1] = lessons[other];
            lessons[other] = lesson;
        }
        for (unsigned i = 0; i + BATCH <= lesson_count; i += BATCH) {
            for (unsigned k = 0; k < BATCH; k++)
                off += learn_lesson(&lessons[i + k]);
            descend((float)(2e-3 * share * share) + 1e-5f);
        }
        if (round % 10 == 9)
            fprintf(stderr, "%u games: mean squared error %.2f\n", game, off / lesson_count);
    }
    printf("/* Made by: bot_learn net %u %u %s. Do not edit. */\n", (unsigned)seed, games, edition.name);
    write_rows((const float (*)[NET_HIDDEN])now.net.seats, PYR_MAX_SEATS - 1);
    write_rows((const float (*)[NET_HIDDEN])now.net.left, ALL_TURNS + 1);
    write_rows((const float (*)[NET_HIDDEN])now.net.in, NET_INPUTS);
    write_row(now.net.out, NET_HIDDEN, "", ",");
    write_row(now.net.direct, NET_INPUTS, "", ",");
    write_row(now.net.out_seats, PYR_MAX_SEATS - 1, "", ",");
    write_row(now.net.out_left, ALL_TURNS + 1, "", "");
    free(tables);
    return 0;
}

/* The first letter of the command is enough. */
int main(int count, char **words)
{
    int (*learn)(uint64_t seed, unsigned amount) = count != 5 ? NULL : words[1][0] == 'w' ? learn_weights :
        words[1][0] == 'v' ? learn_value : words[1][0] == 'n' ? learn_net : NULL;
    if (!learn) {
        fprintf(stderr, "usage: bot_learn weights SEED PASSES EDITION | bot_learn value SEED GAMES EDITION | "
            "bot_learn net SEED GAMES EDITION\n");
        return 2;
    }
    uint64_t seed = strtoull(words[2], NULL, 10);
    unsigned amount = (unsigned)strtoul(words[3], NULL, 10);
    if (!edition_file_read(words[4], &edition))
        return 1;
    return learn(seed, amount);
}
