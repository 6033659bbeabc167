/*
 * weigh.c: how much worse a choice was than the best; see weigh.h for the method and its guarantees.
 *
 * An arm is a choice in the comparison; arm 0 is the one that was made, and all values are stored as differences to it
 * in the same world. All sums are integers, so that the same game gives the same marks on every machine: rounding and
 * the order of additions do not matter.
 */
#include <pyramids/choice.h>

#include "weigh.h"

#define WIN PYR_WIN_UNIT         /* a whole win (struct pyr_result) */

/* What a result is worth when choices are ranked: a point counts as half a percent of the chance to win, so that choices
 * still matter in decided games (is_better in analysis.c). In 2,400ths of a win, a whole number. */
#define WORTH_WIN (2400 / WIN)
#define WORTH_POINT 12

/* win in PYR_WIN_UNITs. */
static int64_t worth(int64_t points, int64_t win)
{
    return WORTH_WIN * win + WORTH_POINT * points;
}

#define WORTH_UNIT (WORTH_WIN * WIN)

static bool is_same(const struct pyr_option *a, const struct pyr_option *b)
{
    return pyr_choice_is_same(a->step, a->count, b->step, b->count);
}

/* Screening. */

/* All choices of the position while they are screened.
 * `worth` is summed over all worlds of all rounds; only choices that have been played equally often are compared. */
struct field {
    struct pyr_option option[PYR_MAX_OPTIONS];
    int64_t worth[PYR_MAX_OPTIONS];
    unsigned count;
};

/* How many choices stay after each round, and in how many worlds they are played. Points count threefold here: they vary
 * far less than wins, and a choice that loses many of them is hardly ever the best. */
static const struct {
    unsigned stay, worlds;
} screening[] = { { 32, 24 }, { 16, 48 }, { 9, 96 }, { WEIGH_RIVALS, 192 } };
#define SCREEN_POINT (3 * WORTH_POINT)
/* Worlds per call, which limits the results on the stack. */
#define SCREEN_CHUNK 8

/* worlds: 0 if no chance is left, so that one world is enough and points are not weighted. */
static bool screen_round(struct field *field, const struct pyr_luck_how *how, const struct pyr_view *view, uint32_t worlds,
    struct pyr_rng *rng)
{
    struct pyr_result result[SCREEN_CHUNK * PYR_MAX_OPTIONS];
    int64_t point = worlds ? SCREEN_POINT : WORTH_POINT;
    worlds += !worlds;
    for (uint32_t done = 0, some; done < worlds; done += some) {
        some = worlds - done < SCREEN_CHUNK ? worlds - done : SCREEN_CHUNK;
        if (!pyr_analysis_play(how->memory, how->box, view, field->option, field->count, some, rng, result))
            return false;
        for (unsigned k = 0; k < some * field->count; k++)
            field->worth[k % field->count] += WORTH_WIN * (int64_t)result[k].win + point * result[k].points;
    }
    return true;
}

/* Sorts by worth and keeps the best, the usual one and the one made. */
static void screen_cut(struct field *field, unsigned stay, const struct pyr_option *made)
{
    unsigned kept = 0;
    for (unsigned i = 1; i < field->count; i++) {
        struct pyr_option option = field->option[i];
        int64_t value = field->worth[i];
        unsigned at = i;
        for (; at && field->worth[at - 1] < value; at--) {
            field->option[at] = field->option[at - 1];
            field->worth[at] = field->worth[at - 1];
        }
        field->option[at] = option;
        field->worth[at] = value;
    }
    for (unsigned i = 0, rivals = 0; i < field->count; i++) {
        bool set = field->option[i].usual || is_same(&field->option[i], made);
        if (!set && rivals++ >= stay)
            continue;
        field->option[kept] = field->option[i];
        field->worth[kept++] = field->worth[i];
    }
    field->count = kept;
}

/* Finds the finalists; false if the caller's poll stopped it. */
static bool screen(struct weigh *w, const struct pyr_luck_how *how, const struct pyr_view *view,
    const struct pyr_option *made, uint64_t seed)
{
    struct field field = { .count = 0 };
    struct pyr_rng rng;
    pyr_rng_seed(&rng, seed, 0);
    w->considered = field.count = pyr_analysis_choices(how->memory, how->box, view, made, field.option, PYR_MAX_OPTIONS);
    for (unsigned round = 0; round < sizeof screening / sizeof *screening && field.count > 1; round++) {
        uint32_t worlds = screening[round].worlds;
        if (field.count <= screening[round].stay)
            continue;
        if (how->playouts < WEIGH_LEAST)     /* for a quick result, screening is quick, too */
            worlds = (uint32_t)((uint64_t)worlds * how->playouts / WEIGH_LEAST) + 1;
        if (!screen_round(&field, how, view, w->exact ? 0 : worlds, &rng))
            return false;
        screen_cut(&field, screening[round].stay, made);
    }
    for (unsigned i = 0; i < field.count; i++)
        if (is_same(&field.option[i], made))
            w->arm[w->arms++].option = field.option[i];
    for (unsigned i = 0; i < field.count && w->arms < WEIGH_ARMS; i++)
        if (!is_same(&field.option[i], made))
            w->arm[w->arms++].option = field.option[i];
    return true;
}

/* Playing. */

/* result[0] is arm 0. `apart` sums the squared differences of every pair, for the error of their difference: in the same
 * worlds that is far smaller than the error of either. */
static void add_world(struct weigh *w, const unsigned *playing, unsigned count, const struct pyr_result *result,
    unsigned half)
{
    int64_t value[WEIGH_ARMS];
    w->points += result[0].points;
    w->win += result[0].win;
    for (unsigned i = 0; i < count; i++) {
        struct weigh_arm *arm = &w->arm[playing[i]];
        int64_t points = result[i].points - result[0].points, win = result[i].win - result[0].win;
        value[i] = worth(points, win);
        arm->worlds[half]++;
        arm->points[half] += points;
        arm->win[half] += win;
        arm->points_squares += points * points;
        arm->win_squares += win * win;
        for (unsigned k = 0; k < i; k++)
            w->apart[playing[k]][playing[i]] += (value[i] - value[k]) * (value[i] - value[k]);
    }
}

/* Plays from the worlds so far up to `worlds`, a multiple of the chunk unless it is the last.
 * Each chunk of worlds has a seed of its own, so which worlds are played does not depend on when one stops. Even and odd
 * chunks are the two halves of weigh_losses. The usual choice is played to the end of WEIGH_LEAST even if it is out:
 * gains refer to it. */
static bool play_on(struct weigh *w, const struct pyr_luck_how *how, const struct pyr_view *view, uint64_t seed,
    uint32_t worlds)
{
    struct pyr_result result[WEIGH_CHUNK * WEIGH_ARMS];
    struct pyr_option option[WEIGH_ARMS];
    unsigned playing[WEIGH_ARMS], count = 0;
    for (unsigned i = 0; i < w->arms; i++) {
        if (i && w->arm[i].out && !(w->arm[i].option.usual && w->worlds < WEIGH_LEAST))
            continue;
        option[count] = w->arm[i].option;
        playing[count++] = i;
    }
    while (w->worlds < worlds) {
        uint32_t chunk = w->worlds / WEIGH_CHUNK, some = worlds - w->worlds < WEIGH_CHUNK ? worlds - w->worlds : WEIGH_CHUNK;
        struct pyr_rng rng;
        pyr_rng_seed(&rng, seed, 1 + (uint64_t)chunk);
        if (!pyr_analysis_play(how->memory, how->box, view, option, count, some, &rng, result))
            return false;
        for (uint32_t k = 0; k < some; k++)
            add_world(w, playing, count, &result[k * count], chunk & 1);
        w->worlds += some;
    }
    return true;
}

/* Checking the sums. */

static double arm_worlds(const struct weigh_arm *arm)
{
    return (double)arm->worlds[0] + arm->worlds[1];
}

static int64_t arm_worth(const struct weigh_arm *arm)
{
    return worth(arm->points[0] + arm->points[1], arm->win[0] + arm->win[1]);
}

/* The difference of arm i to the choice made, per world: positive means that i was better. */
void weigh_difference(const struct weigh *w, unsigned i, struct weigh_loss *d)
{
    const struct weigh_arm *arm = &w->arm[i];
    double n = arm_worlds(arm);
    double points = (double)(arm->points[0] + arm->points[1]), win = (double)(arm->win[0] + arm->win[1]);
    bool known = !i || w->exact;             /* no chance is left in it */
    *d = (struct weigh_loss){ 0 };
    if (n < 1)
        return;
    d->points = points / n;
    d->win = win / n / WIN;
    d->points_error = known ? 0 : pyr_analysis_error(points, (double)arm->points_squares, n, PYR_POINTS_UNIT);
    d->win_error = known ? 0 : pyr_analysis_error(win, (double)arm->win_squares, n, WIN) / WIN;
}

/* The thresholds grow with the mark, so the last one that is reached counts. */
enum pyr_luck_mark weigh_mark(double points, double win)
{
    enum pyr_luck_mark mark = PYR_LUCK_FINE;
    for (int m = PYR_LUCK_DUBIOUS; m <= PYR_LUCK_BLUNDER; m++) {
        const struct pyr_luck_threshold *t = pyr_luck_threshold((enum pyr_luck_mark)m);
        if (points >= (double)t->points || win >= (double)t->win)
            mark = (enum pyr_luck_mark)m;
    }
    return mark;
}

/* The arm of the largest mean worth among those that are not out. */
static unsigned find_leader(const struct weigh *w)
{
    unsigned leader = 0;
    int64_t most = INT64_MIN;
    for (unsigned i = 0; i < w->arms; i++)
        if (!w->arm[i].out && arm_worth(&w->arm[i]) > most)
            most = arm_worth(&w->arm[leader = i]);
    return leader;
}

/* Drops choices that are certainly not the best. All others have been played in the same worlds. */
static void drop(struct weigh *w)
{
    unsigned leader = find_leader(w);
    for (unsigned i = 0; i < w->arms; i++) {
        if (i == leader || w->arm[i].out)
            continue;
        double n = w->worlds, gap = (double)(arm_worth(&w->arm[leader]) - arm_worth(&w->arm[i]));
        double squares = (double)(i < leader ? w->apart[i][leader] : w->apart[leader][i]);
        w->arm[i].out = gap > 0 && (w->exact || gap / n > WEIGH_OUT * pyr_analysis_error(gap, squares, n, WORTH_UNIT));
    }
}

/* Determines the range of the mark, from the choices that may still be the best. */
static void look(struct weigh *w)
{
    drop(w);
    w->low = PYR_LUCK_BLUNDER;
    w->high = PYR_LUCK_FINE;
    for (unsigned i = 0; i < w->arms; i++) {
        struct weigh_loss d;
        if (w->arm[i].out)
            continue;
        weigh_difference(w, i, &d);
        enum pyr_luck_mark low = weigh_mark(d.points - WEIGH_Z * d.points_error, d.win - WEIGH_Z * d.win_error);
        enum pyr_luck_mark high = weigh_mark(d.points + WEIGH_Z * d.points_error, d.win + WEIGH_Z * d.win_error);
        w->low = low < w->low ? low : w->low;
        w->high = high > w->high ? high : w->high;
    }
    if (w->exact)                            /* then equal values are certain */
        w->high = w->low;
}

/* The number of worlds at the last look: as many as allowed, but looks are the same with any cap. */
static uint32_t whole_cap(uint32_t cap)
{
    uint32_t worlds = WEIGH_CHUNK;
    if (cap < WEIGH_CHUNK)
        return cap ? cap : 1;
    while (worlds <= cap / 2)
        worlds *= 2;
    return worlds;
}

/* Looks are at 128, 256, 512... worlds whatever the cap, so that a mark that is certain does not depend on it (weigh.h). */
void weigh_begin(struct weigh *w, const struct pyr_luck_how *how, const struct pyr_view *view,
    const struct pyr_option *made, uint64_t seed)
{
    *w = (struct weigh){ .exact = pyr_analysis_is_settled(view) };
    if (!screen(w, how, view, made, seed)) {
        w->stopped = true;
        return;
    }
    if (w->arms < 2)
        w->exact = true;                     /* there was nothing to choose */
    uint32_t cap = w->exact ? 1 : whole_cap(how->playouts);
    uint32_t least = cap < WEIGH_LEAST ? cap : WEIGH_LEAST;
    uint32_t next = cap < WEIGH_CHUNK ? cap : WEIGH_CHUNK;
    for (;;) {
        if (!play_on(w, how, view, seed, next)) {
            w->stopped = true;
            return;
        }
        look(w);
        if (w->worlds >= cap || (w->low == w->high && w->worlds >= least))
            return;
        next = 2 * w->worlds;
    }
}

/* Results. */

/* The leader of one half among those that are not out. */
static unsigned half_leader(const struct weigh *w, unsigned half)
{
    unsigned leader = 0;
    for (unsigned i = 1; i < w->arms; i++)
        if (!w->arm[i].out && (w->arm[leader].out || worth(w->arm[i].points[half], w->arm[i].win[half]) >
            worth(w->arm[leader].points[half], w->arm[leader].win[half])))
            leader = i;
    return leader;
}

/* The best of those that are not out, except the choice made; that one if all others are out. */
static unsigned first_rival(const struct weigh *w)
{
    unsigned rival = 0;
    for (unsigned i = 1; i < w->arms; i++)
        if (!w->arm[i].out && (!rival || arm_worth(&w->arm[i]) > arm_worth(&w->arm[rival])))
            rival = i;
    return rival;
}

/* Cross-validation: the best choice of one half of the worlds is valued in the other half, and vice versa. The best of
 * several noisy means, valued in the same worlds, would look better than it is. */
void weigh_losses(const struct weigh *w, struct weigh_loss *loss)
{
    struct weigh_loss whole;
    double parts = 0;
    *loss = (struct weigh_loss){ 0 };
    if (!w->arms)
        return;
    if (!w->arm[0].worlds[1]) {              /* one half only: few worlds, or an exact result */
        weigh_difference(w, find_leader(w), loss);
        return;
    }
    for (unsigned half = 0; half < 2; half++) {
        unsigned leader = half_leader(w, half);
        const struct weigh_arm *arm = &w->arm[leader];
        double n = arm->worlds[!half];
        weigh_difference(w, leader ? leader : first_rival(w), &whole);
        loss->points += (double)arm->points[!half] / n;
        loss->win += (double)arm->win[!half] / n / WIN;
        loss->points_error += whole.points_error;
        loss->win_error += whole.win_error;
        parts++;
    }
    loss->points /= parts;
    loss->win /= parts;
    loss->points_error /= parts;
    loss->win_error /= parts;
}

/* Choices that are out come last: they were played in fewer worlds, so their means are not comparable with the others. */
void weigh_order(const struct weigh *w, unsigned order[WEIGH_ARMS])
{
    for (unsigned i = 0; i < w->arms; i++) {
        double mean = (double)arm_worth(&w->arm[i]) / arm_worlds(&w->arm[i]);
        unsigned at = i;
        for (; at; at--) {
            const struct weigh_arm *before = &w->arm[order[at - 1]];
            bool better = before->out != w->arm[i].out ? before->out :
                mean > (double)arm_worth(before) / arm_worlds(before);
            if (!better)
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}
