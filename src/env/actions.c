/*
 * actions.c: the numbering of actions, converting them to steps and back; the fields of the planes.
 *
 * An action is a number from 0 to PYR_ENV_ACTIONS - 1 that means the same in every position: a mark by turn and anchor, a
 * single space, a pair of the dealt cards, a place of the display, draw, pass. The layout never changes, since trained
 * networks depend on it.
 */
#include "rows.h"

#include "bits.h"
#include "port.h"

#define SPACES PYR_ENV_SPACES
#define PAIRS 6                  /* of four cards */

static const uint8_t pair[PAIRS][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };

/* The bit in a pair of space 0-24 of the first card and 25-49 of the second, row by row: rows are PYR_ROW = 6 bits apart. */
#define FIVE(from) (from), (from) + 1, (from) + 2, (from) + 3, (from) + 4
#define CARD_BITS(from) FIVE(from), FIVE((from) + 6), FIVE((from) + 12), FIVE((from) + 18), FIVE((from) + 24)
const uint8_t env_bit_of_space[2 * SPACES] = { CARD_BITS(0), CARD_BITS(PYR_PAIR_SHIFT) };

bool pyr_env_describe(int32_t action, struct pyr_env_action *to)
{
    struct pyr_env_action found = { 0 };
    if (action < 0 || action >= PYR_ENV_ACTIONS)
        return false;
    if (action < PYR_ENV_KEEP) {
        unsigned space = (unsigned)action % (2 * SPACES);
        found.kind = PYR_STEP_MARK;
        found.is_pattern = action < PYR_ENV_SINGLE;
        found.turn = (uint8_t)(found.is_pattern ? action / (2 * SPACES) : 0);
        found.slot = (uint8_t)(space / SPACES);
        found.row = (uint8_t)(space % SPACES / PYR_SIDE);
        found.column = (uint8_t)(space % PYR_SIDE);
    } else if (action < PYR_ENV_TAKE) {
        found.kind = PYR_STEP_KEEP;
        found.first = pair[action - PYR_ENV_KEEP][0];
        found.second = pair[action - PYR_ENV_KEEP][1];
    } else if (action < PYR_ENV_DRAW) {
        found.kind = PYR_STEP_TAKE;
        found.first = (uint8_t)(action - PYR_ENV_TAKE);
    } else {
        found.kind = action == PYR_ENV_DRAW ? PYR_STEP_DRAW : PYR_STEP_PASS;
    }
    *to = found;
    return true;
}

/* A mark at an anchor; 0 if the shape would leave the grid. */
static pyr_step mark_at(uint64_t shape, unsigned space)
{
    const pyr_pair card = pyr_pair_of(space >= SPACES, PYR_ALL_SPACES);
    unsigned bit = env_bit_of_space[space];
    pyr_step mark = shape << bit;
    return mark >> bit == shape && !(mark & ~card) ? mark : 0;
}

/* A mark of the revealed pattern, in the phase for it. */
static enum pyr_err pattern_step(const struct pyr_box *box, const struct pyr_table *open, unsigned action, pyr_step *step)
{
    const struct pyr_pattern_turns *p = &box->pattern[open->revealed[open->turn]];
    unsigned turn = action / (2 * SPACES);
    pyr_step mark = turn < p->turns ? mark_at(p->shape[turn], action % (2 * SPACES)) : 0;
    if (!mark)
        return PYR_ERR_NOT_PATTERN;
    *step = mark;
    return PYR_OK;
}

enum pyr_err env_action_step(const struct pyr_box *box, const struct env_sight *sight, int32_t action, pyr_step *step)
{
    const struct pyr_table *open = sight->open;
    static const uint8_t phase_of[] = { PYR_MARK, PYR_KEEP, PYR_REPLACE, PYR_REPLACE, PYR_MARK };
    struct pyr_env_action what;
    if (!pyr_env_describe(action, &what))
        return PYR_ERR_STEP;
    if (open->phase != phase_of[what.kind])
        return PYR_ERR_PHASE;
    switch (what.kind) {
    case PYR_STEP_MARK:
        if (what.is_pattern)
            return pattern_step(box, open, (unsigned)action, step);
        *step = mark_at(1, (unsigned)action - PYR_ENV_SINGLE);
        break;
    case PYR_STEP_KEEP:
        *step = pyr_step_keep(sight->dealt[what.first], sight->dealt[what.second]);
        break;
    case PYR_STEP_TAKE:
        if (open->display[what.first] == PYR_NO_CARD)
            return PYR_ERR_NOT_IN_DISPLAY;
        *step = pyr_step_take(open->display[what.first]);
        break;
    case PYR_STEP_DRAW:
        *step = pyr_step_draw();
        break;
    default:
        *step = pyr_step_pass();
        break;
    }
    return PYR_OK;
}

enum pyr_err pyr_env_action_step(const struct pyr_box *box, const struct pyr_view *view, int32_t action, pyr_step *step)
{
    const struct env_sight sight = { &view->open, &view->mine, view->dealt, NULL, view->seat };
    return env_action_step(box, &sight, action, step);
}

/* Finds the action for a step. Each kind has few candidates, so all are tried; only for marks the shape determines it. */
int32_t pyr_env_step_action(const struct pyr_box *box, const struct pyr_view *view, pyr_step step)
{
    int32_t first = PYR_ENV_KEEP, end = PYR_ENV_ACTIONS;
    if (!step)
        return -1;
    if (pyr_step_kind(step) == PYR_STEP_MARK) {
        first = PYR_ENV_MARK;
        end = PYR_ENV_KEEP;
    }
    for (int32_t action = first; action < end; action++) {
        pyr_step same;
        if (pyr_env_action_step(box, view, action, &same) == PYR_OK && same == step)
            return action;
    }
    return -1;
}

/* Counts eight bytes at a time: the sum of their ones is the top byte of a product. Only the lowest bit of a byte counts,
 * and the search stops at the end of the mask even if its content is invalid, since it may be memory of a script. */
int32_t pyr_env_pick(const uint8_t *mask, struct pyr_rng *rng)
{
    enum { WORDS = PYR_ENV_ACTIONS / 8, REST = PYR_ENV_ACTIONS % 8 };
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint16_t before[WORDS + 1], total = 0;
    for (unsigned w = 0; w <= WORDS; w++) {
        uint64_t bytes = 0;
        memcpy(&bytes, mask + 8 * w, w < WORDS ? 8 : REST);
        before[w] = total;
        total = (uint16_t)(total + ((bytes & ones) * ones >> 56));
    }
    if (!total)
        return PYR_ENV_PASS;
    uint32_t index = pyr_rng_below(rng, total), word = 0;
    while (word < WORDS && before[word + 1] <= index)
        word++;
    int32_t action = (int32_t)(8 * word);
    for (index -= before[word]; action < PYR_ENV_PASS && (index || !(mask[action] & 1)); action++)
        index -= mask[action] & 1;
    return action;
}

/* Fields. */

#define FIELD(name, offset, a, b, c, most) { name, offset, (a) * (b) * (c), { a, b, c }, most }
static const struct pyr_env_field observation_fields[] = {
    FIELD("desks", 0, 4, 2, 32, 57),
    FIELD("offer", 256, 4, 32, 1, 57),
    FIELD("cards", 384, 48, 1, 1, 15),
    FIELD("seats", 432, 4, 16, 1, 255),
    FIELD("pattern", 496, 32, 1, 1, 8),
    FIELD("points", 528, 3, 3, 1, 4),
    FIELD("left", 537, 6, 1, 1, 8),
    FIELD("decision", 543, 4, 1, 1, 1),
    FIELD("order", 547, 4, 1, 1, 4),
    FIELD("clock", 551, 6, 1, 1, 48),
    FIELD("reserved", 557, 3, 1, 1, 0),
}, critic_fields[] = {
    FIELD("desks", 0, 4, 2, 32, 57),
    FIELD("deck", 256, 48, 1, 1, 48),
    FIELD("expedition", 304, 4, 8, 1, 6),
    FIELD("dealt", 336, 4, 4, 1, 48),
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

const struct pyr_env_field *pyr_env_field_at(enum pyr_env_plane plane, unsigned index)
{
    if (plane == PYR_ENV_PLANE_OBSERVATION)
        return index < COUNT(observation_fields) ? &observation_fields[index] : NULL;
    if (plane == PYR_ENV_PLANE_CRITIC)
        return index < COUNT(critic_fields) ? &critic_fields[index] : NULL;
    return NULL;
}
