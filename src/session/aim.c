/*
 * aim.c: see aim.h. Placements are checked by the engine; there are at most 25 per turn of the pattern, so nothing is
 * cached between calls.
 *
 * Coordinates: `row` and `column` of an aim are those of the top left corner of the shape's outline, 0 to 4. Points that
 * come from a finger or a mouse are in hundredths of a space, where the middle of the space at row r, column c is (100 r,
 * 100 c).
 *
 * A turn is a number of three bits: bit 2 mirrors the drawing first, bits 0 and 1 then turn it by quarters clockwise.
 * Several turns of a symmetric pattern look the same; where looks are counted, the lowest of them represents all
 * (is_own_look).
 */
#include <pyramids/aim.h>

/* The drawing of a pattern. The box keeps turns relative to their first space; there is an anchor in the first row where
 * all of it is inside the grid. */
static pyr_spaces drawing(const struct pyr_box *box, pyr_pattern pattern)
{
    if (pattern >= PYR_PATTERNS)
        return PYR_SPACE(0, 0);
    uint64_t shape = box->pattern[pattern].shape[0];
    for (unsigned column = 0; column < PYR_SIDE; column++)
        if (!(shape << column & ~(uint64_t)PYR_ALL_SPACES))
            return (pyr_spaces)(shape << column);
    return PYR_SPACE(0, 0);
}

#define FIRST_COLUMN (PYR_SPACE(0, 0) | PYR_SPACE(1, 0) | PYR_SPACE(2, 0) | PYR_SPACE(3, 0) | PYR_SPACE(4, 0))

/* Moves spaces to the top left corner. */
static pyr_spaces to_corner(pyr_spaces spaces)
{
    /* 0x1f is the first row: five bits of PYR_ROW. */
    while (spaces && !(spaces & 0x1f))
        spaces >>= PYR_ROW;
    while (spaces && !(spaces & FIRST_COLUMN))
        spaces >>= 1;
    return spaces;
}

/* Of a shape in the top left corner, like height_of. */
static unsigned width_of(pyr_spaces shape)
{
    unsigned width = 0;
    for (unsigned column = 0; column < PYR_SIDE; column++)
        for (unsigned row = 0; row < PYR_SIDE; row++)
            if (shape & PYR_SPACE(row, column))
                width = column + 1;
    return width;
}

static unsigned height_of(pyr_spaces shape)
{
    unsigned height = 0;
    for (unsigned row = 0; row < PYR_SIDE; row++)
        if (shape >> row * PYR_ROW & 0x1f)
            height = row + 1;
    return height;
}

/* A quarter clockwise takes (r, c) to (c, 4 - r). The box's own list of turns is not used, since its order has no meaning
 * for a player. */
pyr_spaces pyr_aim_shape(const struct pyr_box *box, pyr_pattern pattern, unsigned turn)
{
    pyr_spaces from = drawing(box, pattern), to = 0;
    for (unsigned row = 0; row < PYR_SIDE; row++) {
        for (unsigned column = 0; column < PYR_SIDE; column++) {
            unsigned r = row, c = turn & 4 ? PYR_SIDE - 1 - column : column;
            if (!(from & PYR_SPACE(row, column)))
                continue;
            for (unsigned quarter = 0; quarter < (turn & 3); quarter++) {
                unsigned old = r;
                r = c;
                c = PYR_SIDE - 1 - old;
            }
            to |= PYR_SPACE(r, c);
        }
    }
    return to_corner(to);
}

/* A single space looks the same in every turn; the turn of the aim is kept for when the pattern is held again. */
static pyr_spaces shape_of(const struct pyr_box *box, pyr_pattern pattern, const struct pyr_aim *aim)
{
    return pyr_aim_shape(box, aim->single ? PYR_SINGLE : pattern, aim->turn);
}

/* Moves the aim's pattern inside the grid. */
static void clamp(const struct pyr_box *box, pyr_pattern pattern, struct pyr_aim *aim, int row, int column)
{
    pyr_spaces shape = shape_of(box, pattern, aim);
    int rows = PYR_SIDE - (int)height_of(shape), columns = PYR_SIDE - (int)width_of(shape);
    aim->row = (uint8_t)(row < 0 ? 0 : row > rows ? rows : row);
    aim->column = (uint8_t)(column < 0 ? 0 : column > columns ? columns : column);
}

/* Inside the grid even if the aim is not: it may have been made for another shape. */
pyr_spaces pyr_aim_spaces(const struct pyr_aim *aim, const struct pyr_box *box, pyr_pattern pattern)
{
    struct pyr_aim inside = *aim;
    clamp(box, pattern, &inside, aim->row, aim->column);
    return shape_of(box, pattern, aim) << (inside.row * PYR_ROW + inside.column);
}

pyr_step pyr_aim_step(const struct pyr_aim *aim, const struct pyr_box *box, pyr_pattern pattern)
{
    return pyr_pair_of(aim->slot, pyr_aim_spaces(aim, box, pattern));
}

/* The engine decides; there is no second set of rules here. */
enum pyr_err pyr_aim_check(const struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk,
    pyr_pattern pattern)
{
    return pyr_desk_check_mark(desk, box, pattern, pyr_aim_step(aim, box, pattern));
}

/* How far from a placement's middle it still snaps in, in hundredths of a space. */
#define REACH 160u
#define LARGEST (2u * HALF * PYR_SIDE + 2 * REACH)

/* Twice the middle of the outline, so that it is a whole number. */
static int middle_row(pyr_spaces shape, unsigned row)
{
    return (int)(2 * row + height_of(shape)) - 1;
}

static int middle_column(pyr_spaces shape, unsigned column)
{
    return (int)(2 * column + width_of(shape)) - 1;
}

#define HALF 50              /* hundredths of a space */

/* Squared, since distances are only compared. */
static int distance(int row, int column, int other_row, int other_column)
{
    return (row - other_row) * (row - other_row) + (column - other_column) * (column - other_column);
}

/* Whether no lower turn looks the same. */
static bool is_own_look(const struct pyr_box *box, pyr_pattern pattern, unsigned turn)
{
    for (unsigned t = 0; t < turn; t++)
        if (pyr_aim_shape(box, pattern, t) == pyr_aim_shape(box, pattern, turn))
            return false;
    return true;
}

/*
 * Of the placements of aim's turn on its card that cover all of `cover` (0: no matter what), the one whose middle is
 * nearest to a point (in hundredths of a space). Only legal ones count, or all. Returns the square of the distance and sets
 * *aim, or -1.
 */
static int nearest(const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern, struct pyr_aim *aim,
    pyr_spaces cover, int row, int column, bool legal)
{
    struct pyr_aim at = *aim, best = *aim;
    pyr_spaces shape = shape_of(box, pattern, aim);
    int least = -1;
    for (at.row = 0; at.row + height_of(shape) <= PYR_SIDE; at.row++) {
        for (at.column = 0; at.column + width_of(shape) <= PYR_SIDE; at.column++) {
            if (cover & ~pyr_aim_spaces(&at, box, pattern))
                continue;
            int far = distance(HALF * middle_row(shape, at.row), HALF * middle_column(shape, at.column), row, column);
            if ((least < 0 || far < least) && (!legal || !pyr_aim_check(&at, box, desk, pattern))) {
                least = far;
                best = at;
            }
        }
    }
    if (least >= 0)
        *aim = best;
    return least;
}

/* Each look is counted once, so a square is counted once per place and not four times. */
unsigned pyr_aim_count(const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern, unsigned slot,
    bool single)
{
    struct pyr_aim at = { .slot = (uint8_t)slot, .single = single };
    unsigned count = 0;
    for (unsigned turn = 0; turn < (single ? 1u : PYR_MAX_TURNS); turn++) {
        if (!single && !is_own_look(box, pattern, turn))
            continue;
        at.turn = (uint8_t)turn;
        pyr_spaces shape = shape_of(box, pattern, &at);
        for (at.row = 0; at.row + height_of(shape) <= PYR_SIDE; at.row++)
            for (at.column = 0; at.column + width_of(shape) <= PYR_SIDE; at.column++)
                count += !pyr_aim_check(&at, box, desk, pattern);
    }
    return count;
}

/* False at the edge, where it cannot move further. */
bool pyr_aim_move(struct pyr_aim *aim, const struct pyr_box *box, pyr_pattern pattern, int rows, int columns)
{
    uint8_t row = aim->row, column = aim->column;
    clamp(box, pattern, aim, row + rows, column + columns);
    return aim->row != row || aim->column != column;
}

/* Turns to the next look, and with a desk to the next one that fits somewhere; quarters 0 mirrors. Looks that are the
 * same are skipped, so that every key press has a visible effect. */
bool pyr_aim_turn_placed(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    int quarters)
{
    pyr_spaces before = shape_of(box, pattern, aim);
    int row = HALF * middle_row(before, aim->row), column = HALF * middle_column(before, aim->column);
    for (int i = quarters != 0; i < 4 && !aim->single; i++) {
        struct pyr_aim to = *aim;
        /* As the player sees it, a mirrored pattern turns the other way round. */
        to.turn = (uint8_t)(quarters ? (aim->turn & 4) | ((aim->turn + i * quarters) & 3) :
            (~aim->turn & 4) | ((i - aim->turn) & 3));
        bool looks_same = shape_of(box, pattern, &to) == before;
        if (looks_same && !quarters)
            break;
        if (!looks_same && (!desk || nearest(box, desk, pattern, &to, 0, row, column, true) >= 0)) {
            *aim = to;
            return true;
        }
    }
    return false;
}

/* Turns about the middle of the outline, so that four quarters return it to where it was. */
bool pyr_aim_turn(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    int quarters)
{
    struct pyr_aim to = *aim;
    pyr_spaces before = shape_of(box, pattern, aim);
    if (!(quarters && pyr_aim_turn_placed(&to, box, desk, pattern, quarters)) &&
        !pyr_aim_turn_placed(&to, box, NULL, pattern, quarters))
        return false;
    pyr_spaces shape = shape_of(box, pattern, &to);
    int row = middle_row(before, aim->row) + 1 - (int)height_of(shape),
        column = middle_column(before, aim->column) + 1 - (int)width_of(shape);
    aim->turn = to.turn;
    /* Halves are rounded towards the top left, and up again with the next turn. */
    clamp(box, pattern, aim, row < 0 ? 0 : (row + (to.turn & 1)) / 2, column < 0 ? 0 : (column + (to.turn & 1)) / 2);
    return true;
}

/* A point far outside is refused by one unsigned comparison: negative numbers become very large ones. */
bool pyr_aim_snap(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    unsigned slot, int row, int column)
{
    struct pyr_aim to = *aim;
    int far;
    to.slot = (uint8_t)slot;
    if ((unsigned)row + REACH > LARGEST || (unsigned)column + REACH > LARGEST)      /* negative ones wrap */
        return false;
    far = nearest(box, desk, pattern, &to, 0, row, column, true);
    if (far < 0 || far >= (int)(REACH * REACH))
        return false;
    *aim = to;
    return true;
}

/* The aim that would make this step, in the turn nearest to how the pattern is held. PYR_ROW bits are a row, so the
 * distance between the lowest bits of spaces and corner is row * PYR_ROW + column. */
bool pyr_aim_hold(struct pyr_aim *aim, const struct pyr_box *box, pyr_pattern pattern, pyr_step step)
{
    pyr_spaces spaces = pyr_step_spaces(step) & PYR_ALL_SPACES, corner = to_corner(spaces);
    struct pyr_aim to = { .slot = (uint8_t)pyr_step_slot(step), .turn = aim->turn, .single = !(spaces & (spaces - 1)) };
    unsigned turn = aim->turn;
    if (!spaces || (!to.single && pyr_aim_apart(box, pattern, aim->turn, spaces, &turn) == PYR_AIM_NOT_ALIKE))
        return false;
    to.turn = (uint8_t)turn;
    unsigned shift = (unsigned)(__builtin_ctz(spaces) - __builtin_ctz(corner));
    to.row = (uint8_t)(shift / PYR_ROW);
    to.column = (uint8_t)(shift % PYR_ROW);
    *aim = to;
    return true;
}

/* If no legal placement covers the space, the shape is still held over it, so that the player sees why it does not fit;
 * then false. */
bool pyr_aim_cover(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    unsigned slot, unsigned row, unsigned column, bool any_turn)
{
    /* Changes of turn, the cheapest first: a mirroring is two quarters. */
    static const uint8_t near[] = { 0, 1, 3, 2, 4, 5, 7, 6 };
    pyr_spaces space = PYR_SPACE(row, column);
    aim->slot = (uint8_t)slot;
    for (unsigned i = 0; i < (any_turn && !aim->single ? PYR_MAX_TURNS : 1u); i++) {
        struct pyr_aim to = *aim;
        to.turn = (uint8_t)(((to.turn ^ near[i]) & 4) | ((to.turn + near[i]) & 3));
        if (nearest(box, desk, pattern, &to, space, 2 * HALF * (int)row, 2 * HALF * (int)column, true) >= 0) {
            *aim = to;
            return true;
        }
    }
    if (nearest(box, desk, pattern, aim, space, 2 * HALF * (int)row, 2 * HALF * (int)column, false) < 0)
        clamp(box, pattern, aim, (int)row, (int)column);
    return false;
}

/* All placements have a place in one order: card, row, column, turn. */
#define PLACES (PYR_SLOTS * PYR_SIDE * PYR_SIDE * PYR_MAX_TURNS)

/* False for places without a placement: a lower turn has the same look, or the shape would leave the grid. */
static bool at_place(const struct pyr_box *box, pyr_pattern pattern, unsigned place, struct pyr_aim *aim)
{
    aim->turn = (uint8_t)(place % PYR_MAX_TURNS);
    aim->column = (uint8_t)(place / PYR_MAX_TURNS % PYR_SIDE);
    aim->row = (uint8_t)(place / (PYR_MAX_TURNS * PYR_SIDE) % PYR_SIDE);
    aim->slot = (uint8_t)(place / (PYR_MAX_TURNS * PYR_SIDE * PYR_SIDE));
    pyr_pattern held = aim->single ? PYR_SINGLE : pattern;
    pyr_spaces shape = pyr_aim_shape(box, held, aim->turn);
    return is_own_look(box, held, aim->turn) && aim->row + height_of(shape) <= PYR_SIDE &&
        aim->column + width_of(shape) <= PYR_SIDE;
}

/* From the present place around and back to it, so every legal placement is visited once. */
bool pyr_aim_next(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    int direction)
{
    pyr_pattern held = aim->single ? PYR_SINGLE : pattern;
    unsigned turn = aim->single ? 0u : aim->turn;
    for (unsigned t = 0; t < turn; t++)
        if (pyr_aim_shape(box, held, t) == pyr_aim_shape(box, held, turn))
            turn = t;
    unsigned place = ((aim->slot * 1u * PYR_SIDE + aim->row) * PYR_SIDE + aim->column) * PYR_MAX_TURNS + turn;
    for (unsigned i = 0; i < PLACES; i++) {
        struct pyr_aim to = *aim;
        place = direction > 0 ? (place + 1) % PLACES : (place + PLACES - 1) % PLACES;
        if (at_place(box, pattern, place, &to) && !pyr_aim_check(&to, box, desk, pattern)) {
            if (to.single)
                to.turn = aim->turn;         /* keeps the turn of the pattern until it is needed again */
            *aim = to;
            return true;
        }
    }
    return false;
}

/* The nearest legal placement of the pattern on a card, in any turn. */
static bool settle_on(const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern, struct pyr_aim *aim,
    unsigned slot)
{
    pyr_spaces shape = shape_of(box, pattern, aim);
    int row = HALF * middle_row(shape, aim->row), column = HALF * middle_column(shape, aim->column);
    static const uint8_t near[] = { 0, 1, 3, 2, 4, 5, 7, 6 };
    for (unsigned i = 0; i < (aim->single ? 1u : PYR_MAX_TURNS); i++) {
        struct pyr_aim to = *aim;
        to.slot = (uint8_t)slot;
        to.turn = (uint8_t)(((to.turn ^ near[i]) & 4) | ((to.turn + near[i]) & 3));
        if (nearest(box, desk, pattern, &to, 0, row, column, true) >= 0) {
            *aim = to;
            return true;
        }
    }
    return false;
}

/* First the whole pattern on this card, then on the other, then a single space in the same order. After the first mark of a
 * turn only single spaces are left. */
bool pyr_aim_settle(struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern)
{
    if (!(desk->flags & PYR_DESK_FIRST) || pattern >= PYR_PATTERNS)
        aim->single = 1;
    clamp(box, pattern, aim, aim->row, aim->column);
    for (unsigned kind = aim->single; kind < 2; kind++) {
        aim->single = (uint8_t)kind;
        if (settle_on(box, desk, pattern, aim, aim->slot) || settle_on(box, desk, pattern, aim, aim->slot ? 0u : 1u))
            return true;
    }
    return false;
}

/* Cycling and painting. */

/* In quarters; a mirroring counts as two, as in pyr_aim_cover. */
unsigned pyr_aim_apart(const struct pyr_box *box, pyr_pattern pattern, unsigned from, pyr_spaces spaces, unsigned *turn)
{
    pyr_spaces shape = to_corner(spaces);
    unsigned least = PYR_AIM_NOT_ALIKE;
    for (unsigned t = 0; t < PYR_MAX_TURNS; t++) {
        unsigned quarters = (t - from) & 3, far = (quarters == 3 ? 1 : quarters) + ((t ^ from) & 4 ? 2 : 0);
        if (far < least && pyr_aim_shape(box, pattern, t) == shape) {
            least = far;
            *turn = t;
        }
    }
    return least;
}

/* The square of the distance from the middle of the spaces (their mean) to a space, times the square of their number. */
static int centre_distance(pyr_spaces spaces, unsigned row, unsigned column)
{
    int rows = 0, columns = 0;
    for (pyr_spaces left = spaces; left; left &= left - 1) {
        int bit = __builtin_ctz(left);
        rows += bit / PYR_ROW - (int)row;
        columns += bit % PYR_ROW - (int)column;
    }
    return rows * rows + columns * columns;
}

/* Ordered by how far the pattern would have to be turned, then by how near the space is to the middle: 10000 is larger
 * than any distance within a card. Insertion sort: there are few. */
unsigned pyr_aim_covering(const struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk,
    pyr_pattern pattern, unsigned slot, unsigned row, unsigned column, pyr_step to[PYR_AIM_COVERING])
{
    struct pyr_steps steps;
    int rank[PYR_AIM_COVERING];
    unsigned count = 0;
    pyr_desk_steps(desk, box, pattern, &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        pyr_step step = pyr_steps_at(&steps, box, i);
        pyr_spaces spaces = pyr_step_spaces(step);
        bool single = !(spaces & (spaces - 1));
        unsigned turn, at = count;
        if (step & PYR_STEP_OTHER || pyr_step_slot(step) != slot || !(spaces & PYR_SPACE(row,
            column)) || (aim->single && !single))
            continue;
        int far = INT_MAX;                   /* the single space comes last */
        if (!single)
            far = (int)pyr_aim_apart(box, pattern, aim->turn, spaces, &turn) * 10000 + centre_distance(spaces, row, column);
        if (count++ == PYR_AIM_COVERING)
            return PYR_AIM_COVERING;
        for (; at && rank[at - 1] > far; at--)
            rank[at] = rank[at - 1], to[at] = to[at - 1];
        rank[at] = far;
        to[at] = step;
    }
    return count;
}

/* How many legal placements contain all these spaces. *first is one of them, in the turn that is held if there is
 * one. */
unsigned pyr_aim_holding(const struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk,
    pyr_pattern pattern, unsigned slot, pyr_spaces spaces, pyr_step *first)
{
    struct pyr_steps steps;
    unsigned count = 0;
    pyr_spaces shape = shape_of(box, pattern, aim);
    bool is_held = false;                    /* whether *first is in the turn that is held */
    pyr_desk_steps(desk, box, pattern, &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        pyr_step step = pyr_steps_at(&steps, box, i);
        pyr_spaces all = pyr_step_spaces(step);
        if (step & PYR_STEP_OTHER || pyr_step_slot(step) != slot || spaces & ~all ||
            !(all & (all - 1)) != (aim->single != 0))
            continue;
        bool held = to_corner(all) == shape;
        if (!count++ || (held && !is_held)) {
            *first = step;
            is_held = held;
        }
    }
    return count;
}

/* Spaces are painted one by one until only one placement contains them all. A space that fits no placement together with
 * the others starts over. */
bool pyr_aim_paint(const struct pyr_aim *aim, const struct pyr_box *box, const struct pyr_desk *desk, pyr_pattern pattern,
    struct pyr_paint *paint, unsigned slot, unsigned row, unsigned column, pyr_step *step)
{
    pyr_spaces space = PYR_SPACE(row, column);
    struct pyr_paint to = { slot == paint->slot ? paint->spaces | space : space, (uint8_t)slot };
    unsigned left = pyr_aim_holding(aim, box, desk, pattern, slot, to.spaces, step);
    if (!left && to.spaces != space) {       /* no placement has all of them: start over */
        to.spaces = space;
        left = pyr_aim_holding(aim, box, desk, pattern, slot, space, step);
    }
    *paint = to;
    if (left)
        return true;
    *step = pyr_pair_of(slot, space);
    return !pyr_desk_check_mark(desk, box, pattern, *step);
}
