/*
 * probe.c: whole games condensed into numbers, to compare and time native code and WebAssembly. It is part of probe.wasm,
 * the page's module plus this file, which players do not download. The code is the same natively.
 *
 * The same numbers must come out natively and in wasm, and in every version unless the rules or a bot are changed on
 * purpose: tests compare the hashes.
 */
#include <pyramids/bots.h>
#include <pyramids/score.h>

#include "../instance/inside.h"
#include "exports.h"

struct probe_result {
    uint64_t hash;               /* over the open table at the end of each game; 0: nothing was played */
    uint64_t steps;
};

/* An edition that was never read has no patterns. */
static bool is_box(const struct pyr_box *box)
{
    return box->pattern[0].turns != 0;
}

/* Depends on the order, so two games with the same steps in another order differ. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Everything that is open at the table, and what is computed from it. */
static uint64_t mix_table(uint64_t hash, const struct pyr_box *box, const struct pyr_table *table)
{
    uint64_t words[sizeof *table / 8];
    __builtin_memcpy(words, table, sizeof words);
    for (unsigned i = 0; i < sizeof words / 8; i++)
        hash = mix(hash, words[i]);
    for (unsigned s = 0; s < table->seats; s++)
        hash = mix(hash, (uint64_t)(uint16_t)pyr_table_score(table, box, (pyr_seat)s).total);
    return mix(hash, pyr_table_winners(table, box));
}

static pyr_seat next_seat(const struct pyr_state *state)
{
    return (pyr_seat)__builtin_ctz(state->open.waiting);
}

/* Random steps, at most `most` of them; returns how many were made. */
static uint64_t play_random(const struct pyr_box *box, struct pyr_state *state, struct pyr_rng *rng, uint64_t most)
{
    uint64_t made = 0;
    for (pyr_state_advance(state, box); made < most && state->open.phase != PYR_END; pyr_state_advance(state, box)) {
        struct pyr_steps steps;
        pyr_seat seat = next_seat(state);
        pyr_state_steps(state, box, seat, &steps);
        pyr_state_apply_unchecked(state, box, seat, pyr_steps_pick(&steps, box, rng));
        made++;
    }
    return made;
}

/* Uniformly random games, the way a bot plays them (steps, pick, make) or with pyr_state_playout; both give the same. All
 * draw from one generator, so a difference in any of them changes the hash. */
static struct probe_result play_games(const struct pyr_box *box, uint64_t seed, uint32_t players, uint32_t games,
    bool playouts)
{
    struct probe_result result = { 0, 0 };
    struct pyr_rng rng;
    struct pyr_state state;
    if (!is_box(box))
        return result;
    pyr_rng_seed(&rng, seed, players);
    for (uint32_t game = 0; game < games; game++) {
        if (pyr_state_deal(&state, box, players, &rng))
            return result;
        result.steps += playouts ? pyr_state_playout(&state, box, &rng) : play_random(box, &state, &rng, UINT64_MAX);
        result.hash = mix_table(result.hash, box, &state.open);
    }
    return result;
}

/* The bot whose name begins at *names; moves on to the next name. */
static const struct pyr_bot *next_bot(const char **names)
{
    for (unsigned i = 0; i < pyr_bot_count(); i++) {
        const struct pyr_bot *bot = pyr_bot_at(i);
        unsigned length = 0;
        while (bot->name[length] && bot->name[length] == (*names)[length])
            length++;
        if (!bot->name[length] && ((*names)[length] == ' ' || !(*names)[length])) {
            *names += length + ((*names)[length] == ' ');
            return bot;
        }
    }
    return NULL;
}

/* One game between bots, whose names are separated by spaces; the hash also covers every step. `room` provides memory:
 * all bots share one block, aligned to 16 bytes. A hash of 0 means that the game could not be played. */
static struct probe_result play_bots(const struct pyr_box *box, uint64_t seed, const char *names, uint64_t nodes,
    void *(*room)(size_t size))
{
    struct probe_result result = { 0, 0 }, none = { 0, 0 };
    const struct pyr_bot *bot[PYR_MAX_SEATS];
    void *memory[PYR_MAX_SEATS];
    struct pyr_rng chance, thought[PYR_MAX_SEATS];
    struct pyr_state state;
    struct pyr_view view;
    const struct pyr_budget budget = { nodes, NULL, NULL };
    unsigned players = 0;
    size_t wanted = 0;
    if (!is_box(box))
        return none;
    for (; *names && players < PYR_MAX_SEATS; players++) {
        bot[players] = next_bot(&names);
        if (!bot[players])
            return none;
        wanted += (bot[players]->memory(box) + 15) / 16 * 16;
    }
    char *block = wanted ? room(wanted) : NULL;
    if (wanted && !block)
        return none;
    for (unsigned s = 0; s < players; s++) {
        size_t size = (bot[s]->memory(box) + 15) / 16 * 16;
        memory[s] = size ? block : NULL;
        if (size)
            block += size;
        bot[s]->prepare(memory[s], box);
        pyr_rng_seed(&thought[s], seed, 1 + s);
    }
    pyr_rng_seed(&chance, seed, 0);
    if (pyr_state_deal(&state, box, players, &chance))
        return none;
    for (pyr_state_advance(&state, box); state.open.phase != PYR_END; pyr_state_advance(&state, box)) {
        pyr_seat seat = next_seat(&state);
        pyr_view_init(&view, &state, seat);
        pyr_step step = bot[seat]->choose(memory[seat], box, &view, &thought[seat], &budget);
        if (pyr_state_apply(&state, box, seat, step))
            return none;
        result.hash = mix(mix(result.hash, seat), step);
        result.steps++;
    }
    result.hash = mix_table(result.hash, box, &state.open);
    return result;
}

/* Perft, as chess programs call it: the number of leaves of the tree of legal steps, which finds errors in move
 * generators. */
static uint64_t count_from(const struct pyr_box *box, const struct pyr_state *state, uint32_t depth)
{
    struct pyr_steps steps;
    uint64_t count = 0;
    if (!depth || state->open.phase == PYR_END)
        return 1;
    pyr_seat seat = next_seat(state);
    pyr_state_steps(state, box, seat, &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        struct pyr_state after = *state;
        pyr_state_apply_unchecked(&after, box, seat, pyr_steps_at(&steps, box, i));
        pyr_state_advance(&after, box);
        count += count_from(box, &after, depth - 1);
    }
    return count;
}

/* From the position after `played` random steps; a game that ends earlier counts once. The lowest seat that has to decide
 * goes first; chance is as dealt. */
static uint64_t count_steps(const struct pyr_box *box, uint64_t seed, uint32_t players, uint32_t played, uint32_t depth)
{
    struct pyr_rng rng;
    struct pyr_state state;
    pyr_rng_seed(&rng, seed, players);
    if (!is_box(box) || pyr_state_deal(&state, box, players, &rng))
        return 0;
    play_random(box, &state, &rng, played);
    return count_from(box, &state, depth);
}

/* The exports. */

static struct probe_result result;

/* Random games, step by step or as playouts, and games between bots whose names are in the buffer, one per seat,
 * separated by spaces: a hash of everything that happened, and the number of steps. 0: no edition, or no such bot or
 * seats. */
EXPORT(random_games) uint64_t wasm_random_games(uint64_t seed, uint32_t players, uint32_t games, uint32_t playouts)
{
    result = play_games(&wasm_instance()->edition.box, seed, players, games, playouts != 0);
    return result.hash;
}

EXPORT(bot_game) uint64_t wasm_bot_game(uint64_t seed, uint64_t nodes)
{
    pyr_instance_forget_tables(wasm_instance());        /* both use the same block */
    result = play_bots(&wasm_instance()->edition.box, seed, wasm_buffer(), nodes, host_room);
    return result.hash;
}

EXPORT(steps) uint64_t wasm_steps(void) { return result.steps; }

/* The number of sequences of `depth` steps from the position after `played` random steps of a game. */
EXPORT(perft) uint64_t wasm_perft(uint64_t seed, uint32_t players, uint32_t played, uint32_t depth)
{
    return count_steps(&wasm_instance()->edition.box, seed, players, played, depth);
}
