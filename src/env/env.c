/*
 * env.c: environments: options, deals, bots, ends of games, saving. Actions are in actions.c, the step itself and the rows
 * that it writes in rows.inc.
 *
 * Ownership: the caller owns struct pyr_env, the games and all arrays; nothing is allocated. After pyr_env_init an
 * environment is only read, so threads may share it, each with its own games and arrays.
 */
#include <pyramids/env.h>
#include <pyramids/score.h>

#include "rows.h"

/* Setting up. */

static bool options_fit(const struct pyr_env_options *options)
{
    const unsigned flags = PYR_ENV_PARALLEL | PYR_ENV_STAY;
    unsigned bots = 0;
    for (unsigned i = 0; i < sizeof options->reserved; i++)
        if (options->reserved[i])
            return false;
    for (unsigned seat = 0; seat < options->seats; seat++)
        bots += options->bot[seat] != NULL;
    for (unsigned seat = options->seats; seat < PYR_MAX_SEATS; seat++)
        if (options->bot[seat])
            return false;
    return options->reward <= PYR_ENV_WIN && !(options->flags & ~flags) && bots < options->seats;
}

/* FNV-1a over bytes. */
static uint64_t hash(uint64_t start, const void *data, size_t size)
{
    const uint8_t *byte = data;
    for (size_t i = 0; i < size; i++)
        start = (start ^ byte[i]) * UINT64_C(0x100000001b3);
    return start;
}

/* The numbers of env.h's observation: 0 wall, 1 empty, 2 entrance, 3 tomb, 4 cross, 5 ruby, 6 emerald, 7 torch, 8 skull,
 * 9 potion. */
static unsigned symbol_at(const struct pyr_card_face *card, pyr_spaces space)
{
    return !(card->open & space) ? 0 : card->entrance & space ? 2 : card->tomb & space ? 3 : card->cross & space ? 4
        : card->ruby & space ? 5 : card->emerald & space ? 6 : card->torch & space ? 7 : card->skull & space ? 8
        : card->potion & space ? 9 : 1;
}

/* Cards are encoded once per environment and copied into rows: as printed, and as a card without marks. */
static void draw_card(const struct pyr_card_face *card, unsigned number, uint8_t *face, uint8_t *fresh)
{
    for (unsigned i = 0; i < PYR_ENV_SPACES; i++) {
        pyr_spaces space = PYR_SPACE(i / PYR_SIDE, i % PYR_SIDE);
        face[i] = (uint8_t)symbol_at(card, space);
        fresh[i] = (uint8_t)(face[i] | (card->open & space ? PYR_ENV_FREE : 0) |
            (card->entrance & space ? PYR_ENV_REACH : 0));
    }
    uint8_t *more = face + PYR_ENV_SPACES;
    more[0] = (uint8_t)number;
    more[1 + card->colour] = 1;
    more[4] = (uint8_t)bits_count(card->open);
    more[5] = (uint8_t)pyr_card_distance(card, card->open, card->entrance);
    more[6] = 1;
    copy(fresh + PYR_ENV_SPACES, more, PYR_ENV_CARD - PYR_ENV_SPACES);
}

/* Numbers seats and places of cards as seen from one seat. */
static void number_seats(struct pyr_env *env, unsigned observer)
{
    unsigned seats = env->options.seats;
    for (unsigned i = 0; i < 4; i++)
        env->place[observer][i] = (uint8_t)i;
    for (unsigned seat = 0; seat < seats; seat++) {
        unsigned relative = (seat + seats - observer) % seats;
        env->owner[observer][seat] = (uint8_t)(relative + 1);
        for (unsigned i = 4; i < 16; i += 4)
            env->place[observer][i + seat] = (uint8_t)(i + relative);
    }
}

/* `mark` identifies box and number of seats: a saved game is loaded only into the same ones. */
enum pyr_err pyr_env_init(struct pyr_env *env, const struct pyr_box *box, const struct pyr_env_options *options)
{
    if (!pyr_options_has_seats(&pyr_rulebook, options->seats))
        return PYR_ERR_SEATS;
    if (!options_fit(options))
        return PYR_ERR_ENV_OPTIONS;
    struct pyr_components components;
    pyr_box_components(box, &components);
    memset(env, 0, sizeof *env);
    env->box = box;
    env->options = *options;
    env->mark = hash(hash(UINT64_C(0xcbf29ce484222325), &components, sizeof components), &options->seats, 1);
    for (unsigned seat = 0; seat < options->seats; seat++)
        env->bots |= (uint8_t)((options->bot[seat] != NULL) << seat);
    for (unsigned card = 0; card < PYR_CARDS; card++)
        draw_card(&box->card[card], card + 1, env->face[card + 1], env->fresh[card + 1]);
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        for (unsigned i = 0; i < PYR_ENV_SPACES; i++)
            env->pattern[p][i] = (components.pattern[p] & PYR_SPACE(i / PYR_SIDE, i % PYR_SIDE)) != 0;
        env->pattern[p][PYR_ENV_SPACES + p] = 1;
        env->pattern[p][PYR_ENV_SPACES + PYR_PATTERNS] = box->pattern[p].turns;
        env->copies[p] = box->pattern[p].copies;
    }
    for (unsigned seat = 0; seat < options->seats; seat++)
        number_seats(env, seat);
    return PYR_OK;
}

/* Deals. Each episode of a seed has eight streams of random numbers: the first for the deal, one per seat for its bot. */

static void seed_stream(struct pyr_rng *rng, uint64_t seed, uint64_t episode, unsigned stream)
{
    pyr_rng_seed(rng, seed, episode << 3 | stream);
}

void pyr_env_deal(const struct pyr_env *env, uint64_t seed, uint64_t episode, struct pyr_chance *chance)
{
    struct pyr_rng rng;
    seed_stream(&rng, seed, episode, 0);
    pyr_chance_draw(chance, env->box, env->options.seats, &rng);
}

/* Cards that the seat was dealt and that are in the deck must have been returned. */
void env_know_returned(const struct pyr_table *open, pyr_seat seat, const pyr_card *dealt, struct pyr_env_known *known)
{
    unsigned count = 0;
    known->returned[seat][0] = known->returned[seat][1] = PYR_CARDS;
    for (unsigned i = 0; i < PYR_DEALT && open->phase != PYR_KEEP && count < PYR_KEPT; i++)
        if (open->deck >> dealt[i] & 1)
            known->returned[seat][count++] = dealt[i];
}

static void know(const struct pyr_env *env, struct pyr_env_game *game)
{
    const struct pyr_state *state = &game->state;
    ROWS(env_know, env, &state->open, &game->known);
    for (unsigned seat = 0; seat < state->open.seats; seat++)
        env_know_returned(&state->open, (pyr_seat)seat, state->hidden.dealt[seat], &game->known);
}

/* All random numbers of a game follow from seed and episode, not from earlier games. */
static void deal(const struct pyr_env *env, struct pyr_env_game *game, const struct pyr_env_arrays *arrays, uint64_t seed,
    uint64_t episode)
{
    struct pyr_rng rng;
    memset(game, 0, sizeof *game);
    seed_stream(&rng, seed, episode, 0);
    pyr_state_deal(&game->state, env->box, env->options.seats, &rng);
    game->seed = seed;
    game->episode = episode;
    for (unsigned seat = 0; seat < PYR_MAX_SEATS; seat++)
        if (env->bots >> seat & 1)
            seed_stream(&game->rng[seat], seed, episode, 1 + seat);
    if (arrays->trace)
        arrays->trace(arrays->context, game, PYR_NOBODY, PYR_STEP_NONE);
    env_play_bots(env, game, arrays);
    know(env, game);
}

/* Bots play until the caller has to decide or the game is over. Each sees the position at the beginning of the phase, so
 * the order in which seats choose makes no difference. */
void env_play_bots(const struct pyr_env *env, struct pyr_env_game *game, const struct pyr_env_arrays *arrays)
{
    const struct pyr_budget budget = { .nodes = env->options.bot_nodes };
    struct pyr_state *state = &game->state;
    while (state->open.waiting & env->bots) {
        pyr_seat seat = (pyr_seat)bits_first(state->open.waiting & env->bots);
        const struct pyr_bot *bot = env->options.bot[seat];
        struct pyr_view view;
        pyr_view_init(&view, state, seat);
        if (view.open.phase != PYR_REPLACE)
            view.open.waiting = (uint8_t)phase_everyone(&view.open);
        pyr_step step = bot->choose(env->options.bot_memory[seat], env->box, &view, &game->rng[seat], &budget);
        if (arrays->trace)
            arrays->trace(arrays->context, game, seat, step);
        pyr_state_apply_unchecked(state, env->box, seat, step);
        game->steps++;
        pyr_state_advance(state, env->box);
    }
}

/* When a game has ended: its last rewards and scores, then the next deal. */
void env_finish(const struct pyr_env *env, struct pyr_env_game *game, const struct pyr_env_arrays *arrays, size_t at)
{
    const struct pyr_table *open = &game->state.open;
    unsigned seats = open->seats, winners = pyr_table_winners(open, env->box), sharing = bits_count(winners);
    for (unsigned seat = 0; seat < seats; seat++) {
        int total = pyr_table_score(open, env->box, (pyr_seat)seat).total;
        if (arrays->score)
            arrays->score[at * seats + seat] = total;
        if (arrays->reward && env->options.reward == PYR_ENV_SCORE)
            arrays->reward[at * seats + seat] = (float)total;
        if (arrays->reward && env->options.reward == PYR_ENV_WIN)
            arrays->reward[at * seats + seat] = winners >> seat & 1 ? 1.0f / (float)sharing : 0.0f;
    }
    if (arrays->done)
        arrays->done[at] = 1;
    if (env->options.flags & PYR_ENV_STAY)
        game->is_over = 1;
    else
        deal(env, game, arrays, game->seed, game->episode + 1);
}

/* Calls. */

/* Whether the given arrays are long enough. */
static bool arrays_fit(const struct pyr_env *env, size_t count, const struct pyr_env_arrays *a)
{
    size_t seats = env->options.seats, rows = env->options.flags & PYR_ENV_PARALLEL ? count * seats : count;
    return count <= SIZE_MAX / (PYR_MAX_SEATS * PYR_ENV_OBSERVATION) &&
        (!a->action || a->action_size >= rows * sizeof *a->action) &&
        (!a->observation || a->observation_size >= rows * PYR_ENV_OBSERVATION) &&
        (!a->mask || a->mask_size >= rows * PYR_ENV_ACTIONS) &&
        (!a->critic || a->critic_size >= rows * PYR_ENV_CRITIC) &&
        (!a->turn || a->turn_size >= count) && (!a->done || a->done_size >= count) &&
        (!a->reward || a->reward_size >= count * seats * sizeof *a->reward) &&
        (!a->score || a->score_size >= count * seats * sizeof *a->score);
}

enum pyr_err pyr_env_reset(const struct pyr_env *env, struct pyr_env_game *games, size_t count, const uint64_t *seed,
    const struct pyr_env_arrays *arrays)
{
    if (!arrays_fit(env, count, arrays))
        return PYR_ERR_ENV_ARRAY;
    if (arrays->done)
        memset(arrays->done, 0, count);
    if (arrays->reward)
        memset(arrays->reward, 0, count * env->options.seats * sizeof *arrays->reward);
    for (size_t at = 0; at < count; at++) {
        deal(env, &games[at], arrays, seed[at], 0);
        ROWS(env_rows, env, &games[at], arrays, at);
    }
    return PYR_OK;
}

/* All actions are checked before the first is made: after an error nothing has changed, and *row is the first invalid
 * one. */
enum pyr_err pyr_env_check(const struct pyr_env *env, const struct pyr_env_game *games, size_t count,
    const struct pyr_env_arrays *arrays, size_t *row)
{
    size_t bad;
    if (!arrays->action || !arrays_fit(env, count, arrays))
        return PYR_ERR_ENV_ARRAY;
    enum pyr_err err = ROWS(env_judge, env, games, count, arrays->action, &bad);
    if (err && row)
        *row = bad;
    return err;
}

enum pyr_err pyr_env_step(const struct pyr_env *env, struct pyr_env_game *games, size_t count,
    const struct pyr_env_arrays *arrays, size_t *row)
{
    enum pyr_err err = pyr_env_check(env, games, count, arrays, row);
    if (!err)
        ROWS(env_step, env, games, count, arrays);
    return err;
}

enum pyr_err pyr_env_observe(const struct pyr_env *env, const struct pyr_env_game *games, size_t count,
    const struct pyr_env_arrays *arrays)
{
    if (!arrays_fit(env, count, arrays))
        return PYR_ERR_ENV_ARRAY;
    for (size_t at = 0; at < count; at++)
        ROWS(env_rows, env, &games[at], arrays, at);
    return PYR_OK;
}

enum pyr_err pyr_env_look(const struct pyr_env *env, const struct pyr_env_game *game, pyr_seat seat, uint8_t *observation,
    uint8_t *mask, uint8_t *critic)
{
    const struct pyr_state *state = &game->state;
    if (seat >= env->options.seats)
        return PYR_ERR_NOT_DUE;
    const struct env_sight sight = { &state->open, &state->desk[seat], state->hidden.dealt[seat], &game->known, seat };
    ROWS(env_write, env, &sight, observation, mask);
    if (mask && !(state->open.waiting >> seat & 1))
        mask[PYR_ENV_PASS] = !game->is_over;
    if (critic)
        env_write_critic(env, state, seat, critic);
    return PYR_OK;
}

void pyr_env_view(const struct pyr_env *env, const struct pyr_view *view, uint8_t *observation, uint8_t *mask)
{
    struct pyr_env_known known;
    const struct env_sight sight = { &view->open, &view->mine, view->dealt, &known, view->seat };
    ROWS(env_know, env, &view->open, &known);
    env_know_returned(&view->open, view->seat, view->dealt, &known);
    ROWS(env_write, env, &sight, observation, mask);
}

/* Perfect information. */

void env_write_critic(const struct pyr_env *env, const struct pyr_state *state, pyr_seat seat, uint8_t *to)
{
    enum { DESKS = 0, DECK = 256, EXPEDITION = 304, DEALT = 336 };
    unsigned seats = state->open.seats;
    memset(to, 0, PYR_ENV_CRITIC);
    for (unsigned r = 0; r < seats; r++) {
        unsigned s = (seat + r) % seats;
        const struct pyr_desk *desk = &state->desk[s];
        for (unsigned i = 0; i < PYR_DEALT; i++)
            to[DEALT + r * PYR_DEALT + i] = (uint8_t)(state->hidden.dealt[s][i] + 1);
        for (unsigned slot = 0; slot < PYR_KEPT; slot++) {
            uint8_t *card = to + DESKS + (r * PYR_KEPT + slot) * PYR_ENV_CARD;
            if (desk->card[slot] == PYR_NO_CARD)
                continue;
            copy(card, env->face[desk->card[slot] + 1], PYR_ENV_CARD);
            for (unsigned i = 0; i < PYR_ENV_SPACES; i++) {
                unsigned bit = env_bit_of_space[slot * PYR_ENV_SPACES + i];
                card[i] |= (uint8_t)((desk->free >> bit & 1) * PYR_ENV_FREE | (desk->reach >> bit & 1) * PYR_ENV_REACH);
            }
        }
    }
    /* While cards are being kept, the deck is the order of all 48 cards, less those that will be kept. */
    unsigned top = state->open.phase == PYR_KEEP ? 0 : pyr_deck_top(state);
    unsigned left = state->open.phase == PYR_KEEP ? PYR_CARDS : state->open.deck_left;
    for (unsigned i = 0; i < left; i++)
        to[DECK + i] = (uint8_t)(state->hidden.deck[top + i] + 1);
    for (unsigned i = 0; i < PYR_ROUNDS * PYR_EXPEDITIONS; i++)
        to[EXPEDITION + i] = (uint8_t)(state->hidden.expedition[i / PYR_EXPEDITIONS][i % PYR_EXPEDITIONS] + 1);
}

/* Saving. The bytes of a game are the same on every machine, since the engine supports only little-endian ones (state.h). */

#define HEAD 16                  /* name, version, mark */
#define BODY offsetof(struct pyr_env_game, known)
_Static_assert(HEAD + BODY == PYR_ENV_SAVED, "what is derived is not saved");
static const uint8_t saved_head[8] = { 'p', 'y', 'r', '-', 'e', 'n', 'v', 1 };       /* the last byte is the version */

enum pyr_err pyr_env_save(const struct pyr_env *env, const struct pyr_env_game *game, uint8_t *to, size_t size)
{
    if (size < PYR_ENV_SAVED)
        return PYR_ERR_ENV_ARRAY;
    copy(to, saved_head, sizeof saved_head);
    copy(to + sizeof saved_head, &env->mark, sizeof env->mark);
    copy(to + HEAD, game, BODY);
    return PYR_OK;
}

/* The members that pyr_env_game adds to its state. */
static bool rest_is_sound(const struct pyr_env *env, const struct pyr_env_game *game)
{
    const struct pyr_table *open = &game->state.open;
    bool over = open->phase == PYR_END;
    if (game->reserved[0] | game->reserved[1] | game->reserved[2] || game->is_over != over)
        return false;
    if (over)
        return true;
    /* The game waits for the caller, and every bot's generator is valid. */
    if (!(open->waiting & ~(unsigned)env->bots) || open->waiting & env->bots)
        return false;
    for (unsigned seat = 0; seat < PYR_MAX_SEATS; seat++)
        if (env->bots >> seat & 1 && (!game->rng[seat].state || game->rng[seat].state >= PYR_RNG_END))
            return false;
    return true;
}

enum pyr_err pyr_env_load(const struct pyr_env *env, struct pyr_env_game *game, const uint8_t *from, size_t size)
{
    struct pyr_env_game saved;
    uint8_t head[HEAD];
    if (size != PYR_ENV_SAVED)
        return PYR_ERR_ENV_DATA;
    copy(head, saved_head, sizeof saved_head);
    copy(head + sizeof saved_head, &env->mark, sizeof env->mark);
    for (unsigned i = 0; i < HEAD; i++)
        if (from[i] != head[i])
            return PYR_ERR_ENV_DATA;
    copy(&saved, from + HEAD, BODY);
    if (saved.state.open.seats != env->options.seats || pyr_state_check(&saved.state, env->box, NULL) ||
        !rest_is_sound(env, &saved))
        return PYR_ERR_STATE;
    know(env, &saved);
    *game = saved;
    return PYR_OK;
}
