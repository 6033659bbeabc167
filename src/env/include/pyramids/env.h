/*
 * env.h (env.c, rows.inc): many games at once for programs that learn or measure: actions in; observations, masks of legal
 * actions, rewards and ends out. docs/research.md explains how to use it.
 *
 * Three kinds of data, all in memory of the caller:
 *
 *   struct pyr_env       what all games share: the box, the options, tables derived from them. Constant after pyr_env_init.
 *   struct pyr_env_game  one game. Any number of them in an array; plain data without pointers, copied by assignment.
 *   struct pyr_env_arrays  what goes in and out, one row per game (or per game and seat).
 *
 * Each call takes `count` neighbouring games and arrays of as many rows. To use several threads, give each one its own
 * slice: games + k and arrays that begin at row k. Calls on slices that do not overlap may run at the same time with one
 * pyr_env. Nothing is allocated, nothing is global, and results do not depend on the slices, the processor or the number of
 * threads.
 *
 * A call either does all its work or returns an error code, and then nothing has changed: neither games nor arrays.
 */
#ifndef PYR_ENV_H
#define PYR_ENV_H

#include <pyramids/bots.h>

PYR_BEGIN_DECLS

/*
 * Actions: one numbering for every edition and phase.
 *
 *     0 to 399   mark the revealed pattern: turn * 50 + slot * 25 + space
 *   400 to 449   mark one space: 400 + slot * 25 + space; also every extra mark (R11)
 *   450 to 455   keep two of the four cards dealt: 1st and 2nd, 1st and 3rd, 1st and 4th, 2nd and 3rd, 2nd and 4th, 3rd
 *                and 4th
 *   456 to 459   take the card in that place of the display
 *          460   draw from the deck
 *          461   pass (Q7); in parallel mode also what a seat does that has nothing to decide
 *
 * slot is 0 for the first and 1 for the second card of the desk: of the two kept the one with the lower number is the first,
 * and a new card takes the place of a completed one. space is row * 5 + column, both from 0, row 0 at the top.
 * `turn` is the number of the pattern's turn: of the eight ways (0 to 3: as printed, then turned clockwise by one to three
 * quarters; 4 to 7: mirrored left to right first) those that look different, counted from 0. A pattern with fewer of them
 * never uses the rest. The space of a pattern is that of its first space in reading order (left to right, top to bottom).
 */
#define PYR_ENV_ACTIONS 462
#define PYR_ENV_MARK 0
#define PYR_ENV_SINGLE 400
#define PYR_ENV_KEEP 450
#define PYR_ENV_TAKE 456
#define PYR_ENV_DRAW 460
#define PYR_ENV_PASS 461
#define PYR_ENV_SPACES 25        /* spaces of a card */

/* An action in words that a program can use. Members that its kind does not have are 0. */
struct pyr_env_action {
    uint8_t kind;                /* enum pyr_step_kind */
    uint8_t is_pattern;          /* a mark: 1 for the revealed pattern, 0 for one space */
    uint8_t turn, slot;          /* a mark */
    uint8_t row, column;         /* a mark */
    uint8_t first, second;       /* a keep: which of the four cards dealt, from 0; a take: `first` is the place */
};

/* Describes an action. False if the number is none; then *to is untouched. */
PYR_API bool pyr_env_describe(int32_t action, struct pyr_env_action *to);

/*
 * The engine's step for an action of the view's seat. Returns PYR_OK if the step exists, which does not make it legal
 * (pyr_state_check_step); else *step is untouched: PYR_ERR_STEP for a number that is no action, PYR_ERR_PHASE for a pattern
 * while none is revealed or cards that are not on offer in this phase, PYR_ERR_NOT_PATTERN for a turn that the pattern does
 * not have or a place where it would leave the card, PYR_ERR_NOT_IN_DISPLAY for an empty place.
 */
PYR_API enum pyr_err pyr_env_action_step(const struct pyr_box *box, const struct pyr_view *view, int32_t action,
    pyr_step *step);

/* The action for a step; -1 if the view's seat has none for it. */
PYR_API int32_t pyr_env_step_action(const struct pyr_box *box, const struct pyr_view *view, pyr_step step);

/* One of the legal actions of a mask (PYR_ENV_ACTIONS bytes of 0 or 1), each with the same chance; PYR_ENV_PASS if there is
 * none. */
PYR_API int32_t pyr_env_pick(const uint8_t *mask, struct pyr_rng *rng);

/*
 * Observations: PYR_ENV_OBSERVATION bytes, what the seat may know (Q10) and nothing else. Whether others have chosen already
 * is not part of it. Seats are relative: 0 is the observer, 1 the next player, and so on; seats that do not play are zero.
 *
 *   name      offset  shape    contents
 *   desks          0  4 x 2 x 32   the two cards of each seat; the observer's with the marks of this turn (and, once it has
 *                              kept two, these), those of the others as the turn began
 *   offer        256  4 x 32   while keeping, the four cards dealt to the observer; else the display
 *   cards        384  48       where each card is: 0 in the deck, 1 in the deck and returned by the observer, 2 on offer,
 *                              4 + s on the desk of seat s, 8 + s completed by seat s, 12 + s completed in this turn
 *   seats        432  4 x 16   plays (1), skulls, rubies, emeralds, torches of the four rounds (0 or 1 each), completed
 *                              green, orange and purple pyramids, pyramid points, lowest completed number (0: none),
 *                              penalty of the worst skull (at most 255), score + 50 (0 to 255), marks due (the
 *                              observer only; 1 before the first mark)
 *   pattern      496  32       the revealed pattern: its drawing (5 x 5, 0 or 1), one-hot number (6), number of its turns
 *   points       528  3 x 3    who took the 10, 6, 3 of green, orange, purple: seat + 1, 0 nobody
 *   left         537  6        expedition cards of each pattern not yet revealed in this round
 *   decision     543  4        one-hot: keep, first mark, extra mark, replace; all 0 when the observer has nothing to decide
 *   order        547  4        who is replacing now and who will after that: seat + 1, 0 nobody
 *   clock        551  6        round and turn (from 0), turns left with the present one, cards in the deck (0 while
 *                              keeping), cards that the replacing player may still take, players; after the end as
 *                              in the last turn
 *   reserved     557  3        0
 *
 * A card is 32 bytes, all 0 if there is none: 25 spaces in reading order, its number (1 to 48), one-hot colour (green,
 * orange, purple), how many spaces it has, how many the shortest way from the entrance to the tomb has, 1. A space is 0 for
 * a wall, else 1 empty, 2 entrance, 3 tomb, 4 cross, 5 ruby, 6 emerald, 7 torch, 8 skull, 9 potion; plus PYR_ENV_FREE if it
 * is not marked, plus PYR_ENV_REACH if it could be marked next (R10).
 *
 * The critic's plane, PYR_ENV_CRITIC bytes, is for research with perfect information: all that the observation hides. It is
 * written only if the caller supplies an array for it.
 *
 *   desks          0  4 x 2 x 32   the cards of each seat, with the marks that others have made in this turn
 *   deck         256  48       numbers of the cards in the deck, the top first; 0 beyond its end
 *   expedition   304  4 x 8    for each round the patterns in their order, number + 1
 *   dealt        336  4 x 4    the cards that were dealt to each seat
 */
#define PYR_ENV_OBSERVATION 560
#define PYR_ENV_CRITIC 352
#define PYR_ENV_CARD 32          /* bytes of a card */
#define PYR_ENV_FREE 16
#define PYR_ENV_REACH 32

/* A field of a plane; 1 for unused dimensions. size is the product of the shape. */
struct pyr_env_field {
    const char *name;
    uint16_t offset, size;
    uint16_t shape[3];
    uint8_t most;                /* no byte of it is larger */
};

enum pyr_env_plane { PYR_ENV_PLANE_OBSERVATION = 0, PYR_ENV_PLANE_CRITIC = 1 };

/* The fields of a plane in the order of their offsets; NULL past the last one. They cover all its bytes. */
PYR_API const struct pyr_env_field *pyr_env_field_at(enum pyr_env_plane plane, unsigned index);

/* Rewards, one number per seat for each step. */
enum pyr_env_reward {
    PYR_ENV_POINTS = 0,          /* points as they are scored, when all can see them: the sum over a game is the score */
    PYR_ENV_SCORE = 1,           /* the score at the end of the game */
    PYR_ENV_WIN = 2              /* the share of the win at the end: 1, or 1/2 to 1/4 for those who share it (Q8) */
};

enum pyr_env_flags {
    PYR_ENV_PARALLEL = 1,        /* all seats act at once; without it seats act in turn */
    PYR_ENV_STAY = 2             /* a finished game stays; without it the next one is dealt at once */
};

struct pyr_env_options {
    uint8_t seats;               /* 2 to 4 */
    uint8_t reward;              /* enum pyr_env_reward */
    uint8_t flags;               /* enum pyr_env_flags, added up */
    uint8_t reserved[5];         /* 0 */
    uint64_t bot_nodes;          /* the budget of a bot for a step (pyr_budget.nodes); 0: each bot's own */
    const struct pyr_bot *bot[PYR_MAX_SEATS];    /* who plays a seat; NULL: the caller. At least one seat is the caller's. */
    void *bot_memory[PYR_MAX_SEATS];             /* its memory, prepared (bots.h); NULL if it needs none */
};

/* What all games of an environment share. Treat the members as private. */
struct pyr_env {
    const struct pyr_box *box;
    struct pyr_env_options options;
    uint64_t mark;               /* of the box and the number of seats: saved games are for one of them only */
    uint8_t bots;                /* bit s: a bot plays seat s */
    uint8_t reserved[7];
    uint8_t face[PYR_CARDS + 1][PYR_ENV_CARD];       /* cards as they are printed, by number; 0 is no card */
    uint8_t fresh[PYR_CARDS + 1][PYR_ENV_CARD];      /* unmarked, as they are on offer */
    uint8_t pattern[PYR_PATTERNS + 1][32];           /* the last one is no pattern */
    uint8_t copies[8];                               /* expedition cards of each pattern */
    uint8_t owner[PYR_MAX_SEATS][16];        /* by observer and seat: that seat as the observer counts + 1 */
    uint8_t place[PYR_MAX_SEATS][16];        /* by observer and place of a card (below): the number in its observation */
};

/* One game. Treat the members as private, except for reading `state`, `seed` and `episode`. */
struct pyr_env_game {
    struct pyr_state state;
    uint64_t seed, episode;      /* its deal (pyr_env_deal) */
    struct pyr_rng rng[PYR_MAX_SEATS];       /* of bots */
    int16_t score[PYR_MAX_SEATS];            /* points rewarded so far */
    uint32_t steps;              /* made by all seats since the deal */
    uint8_t is_over;             /* finished and not dealt again */
    uint8_t reserved[3];
    /* Derived from what all can see, and the same for every observer, so that it is worked out once per phase. */
    struct pyr_env_known {
        uint64_t seats[PYR_MAX_SEATS][2];    /* rows of the field `seats`, by true seat, without marks due */
        uint8_t place[PYR_CARDS];            /* the field `cards` with true seats */
        uint64_t left, clock;                /* those fields */
        int16_t base[PYR_MAX_SEATS];         /* points for completed pyramids */
        uint8_t returned[PYR_MAX_SEATS][2];  /* cards that a seat returned and that are still in the deck, or PYR_CARDS */
    } known;
};

PYR_STATIC_ASSERT(sizeof(struct pyr_env_game) == 624, "plain data of the same size everywhere");

/*
 * Arrays of the caller. Sizes are in bytes; a pointer that is NULL means that this result is not wanted (pyr_env_step needs
 * `action`). Rows are per game if seats act in turn; in parallel mode those marked * are per game and seat: row
 * game * seats + seat.
 */
struct pyr_env_arrays {
    const int32_t *action;       /* * the action of the seat that `turn` named */
    size_t action_size;
    uint8_t *observation;        /* * PYR_ENV_OBSERVATION bytes per row, of the seat that acts next */
    size_t observation_size;
    uint8_t *mask;               /* * PYR_ENV_ACTIONS bytes per row: 1 legal, 0 not */
    size_t mask_size;
    uint8_t *critic;             /* * PYR_ENV_CRITIC bytes per row */
    size_t critic_size;
    uint8_t *turn;               /* in turn: the seat that acts next, PYR_NOBODY if the game is over; in parallel mode bit s
                                    is set if seat s has something to decide */
    size_t turn_size;
    float *reward;               /* `seats` per game: what this step gained for each seat */
    size_t reward_size;
    uint8_t *done;               /* 1 if this step ended the game, else 0 */
    size_t done_size;
    int32_t *score;              /* `seats` per game: final scores, written only where `done` is 1 */
    size_t score_size;
    /* Called for every deal (seat PYR_NOBODY, step PYR_STEP_NONE, after it) and for every step of a player or bot, before it
     * is made; NULL: no calls. For records: `game` is valid during the call and must not be changed. */
    void (*trace)(void *context, const struct pyr_env_game *game, pyr_seat seat, pyr_step step);
    void *context;
};

/*
 * Sets up an environment. The box and the bots' memory must outlive it.
 * Returns PYR_OK, PYR_ERR_SEATS, or PYR_ERR_ENV_OPTIONS for other options that are unknown or do not fit; then *env is
 * untouched.
 */
PYR_API enum pyr_err pyr_env_init(struct pyr_env *env, const struct pyr_box *box, const struct pyr_env_options *options);

/*
 * Deals all games again, game i with seed[i] and episode 0, and writes the first rows; rewards and `done` are 0. The same
 * seed gives the same deals, however it is played: episode e of a seed is what pyr_env_deal draws.
 * Returns PYR_OK or PYR_ERR_ENV_ARRAY if an array is too short.
 */
PYR_API enum pyr_err pyr_env_reset(const struct pyr_env *env, struct pyr_env_game *games, size_t count, const uint64_t *seed,
    const struct pyr_env_arrays *arrays);

/*
 * Makes one action per row, then plays the seats of bots and turns up cards until the caller has to decide. A game that ends
 * is dealt again with the next episode in the same call, unless PYR_ENV_STAY is set: `done`, `reward` and `score` are about
 * the game that ended, the other rows about the new one. Seats that choose at the same time act in turn, from seat 0;
 * nothing that another seat has chosen shows before all have. In parallel mode seats with nothing to decide pass. Actions of
 * bots' seats and of games that are over are ignored.
 *
 * Returns PYR_OK; PYR_ERR_ENV_ARRAY; or why an action is illegal (a code of pyr_env_action_step or pyr_state_check_step),
 * with its row in *row (may be NULL).
 */
PYR_API enum pyr_err pyr_env_step(const struct pyr_env *env, struct pyr_env_game *games, size_t count,
    const struct pyr_env_arrays *arrays, size_t *row);

/* Why pyr_env_step would refuse these actions, without doing anything: its codes, PYR_OK if it would make them. */
PYR_API enum pyr_err pyr_env_check(const struct pyr_env *env, const struct pyr_env_game *games, size_t count,
    const struct pyr_env_arrays *arrays, size_t *row);

/* Writes `turn`, `observation`, `mask` and `critic` of the present again, for instance after loading. PYR_ERR_ENV_ARRAY. */
PYR_API enum pyr_err pyr_env_observe(const struct pyr_env *env, const struct pyr_env_game *games, size_t count,
    const struct pyr_env_arrays *arrays);

/* One row of one game for any seat that plays; each of the planes may be NULL. The mask is that of parallel mode: a pass for
 * a seat with nothing to decide. PYR_ERR_NOT_DUE for a seat that does not play. */
PYR_API enum pyr_err pyr_env_look(const struct pyr_env *env, const struct pyr_env_game *game, pyr_seat seat,
    uint8_t *observation, uint8_t *mask, uint8_t *critic);

/* The same rows for a view from elsewhere, such as a match at a server; the mask is empty if the seat has nothing to decide.
 * */
PYR_API void pyr_env_view(const struct pyr_env *env, const struct pyr_view *view, uint8_t *observation, uint8_t *mask);

/* The deal of an episode of a seed, for instance for a record: pyr_match_init. */
PYR_API void pyr_env_deal(const struct pyr_env *env, uint64_t seed, uint64_t episode, struct pyr_chance *chance);

/* The bytes of a saved game. The same on every machine. */
#define PYR_ENV_SAVED (16 + 480)     /* derived parts are left out */

/* Saves a game. PYR_ERR_ENV_ARRAY if `size` is less than PYR_ENV_SAVED. */
PYR_API enum pyr_err pyr_env_save(const struct pyr_env *env, const struct pyr_env_game *game, uint8_t *to, size_t size);

/* Loads a saved game, which may come from anywhere. PYR_ERR_ENV_DATA if it is not one of an environment with this box and
 * number of seats, PYR_ERR_STATE if its game cannot occur; then *game is untouched. */
PYR_API enum pyr_err pyr_env_load(const struct pyr_env *env, struct pyr_env_game *game, const uint8_t *from, size_t size);

PYR_END_DECLS

#endif
