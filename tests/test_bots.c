/*
 * test_bots.c: the guarantees of every bot (bots.h): its choice depends on its view alone, its steps are legal on any
 * edition, and it keeps a small budget of nodes or time.
 */
#include <pyramids/analysis.h>
#include <pyramids/bots.h>
#include <pyramids/edition.h>
#include <pyramids/score.h>

#include "../src/bots/ahead.h"
#include "check.h"
#include "check_edition.h"

static struct pyr_edition plain, crowded;

static void read_editions(void)
{
    check_edition(&plain, "tests/data/plain.edition");
    check_edition(&crowded, "tests/data/crowded.edition");
}

static void *equip(const struct pyr_bot *bot, const struct pyr_box *box)
{
    size_t size = bot->memory(box);
    CHECK(size <= 16u << 20);
    void *memory = size ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;
    if (memory)
        bot->prepare(memory, box);
    return memory;
}

TEST("all levels are there, weakest first")
{
    static const char *const names[] = { "random", "novice", "casual", "greedy", "club", "flatmc", "expert", "master",
        "veteran", "bystander" };
    CHECK_INT(pyr_bot_count(), sizeof names / sizeof *names);
    for (unsigned i = 0; i < pyr_bot_count(); i++) {
        CHECK(pyr_bot_find(names[i]) != NULL);
        CHECK(pyr_bot_at(i) == pyr_bot_find(pyr_bot_at(i)->name));
    }
    CHECK(pyr_bot_find("nobody") == NULL);
    CHECK(pyr_bot_find("") == NULL);
    CHECK(pyr_bot_find("randomly") == NULL);
    CHECK(pyr_bot_at(pyr_bot_count()) == NULL);
}

/* The first waiting seat of a game after some random steps; false if it is over. */
static bool some_position(const struct pyr_box *box, struct pyr_view *view, unsigned seats, uint64_t seed, unsigned played)
{
    struct pyr_rng rng;
    struct pyr_state state;
    pyr_rng_seed(&rng, seed, 3);
    pyr_state_deal(&state, box, seats, &rng);
    for (;; played--) {
        pyr_state_advance(&state, box);
        if (state.open.phase == PYR_END)
            return false;
        pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
        struct pyr_steps steps;
        if (!played) {
            pyr_view_init(view, &state, seat);
            return true;
        }
        pyr_state_steps(&state, box, seat, &steps);
        pyr_state_apply_unchecked(&state, box, seat, pyr_steps_pick(&steps, box, &rng));
    }
}

/* A line of frozen.txt is BOT EDITION PLAYERS SEED NODES, then its choice (in hex) after 0, 11, 22... random steps.
 * The lines of veteran were written by master when veteran was made from it. To add a bot, write lines with "?" and
 * copy what the test prints. */
TEST("frozen bots choose what they have always chosen")
{
    size_t size;
    char *table = check_file("tests/data/frozen.txt", &size);
    unsigned lines = 0, choices = 0;
    read_editions();
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        char name[16], edition[16];
        unsigned seats, nodes, seed;
        int end;
        if (!CHECK_INT(sscanf(line, "%15s %15s %u %u %u%n", name, edition, &seats, &seed, &nodes, &end), 5))
            continue;
        const struct pyr_box *box = strcmp(edition, "plain") ? &crowded.box : &plain.box;
        const struct pyr_bot *bot = pyr_bot_find(name);
        if (!CHECK(bot != NULL))
            continue;
        void *memory = equip(bot, box);
        char chosen[1024] = "";
        for (unsigned played = 0; played < 200; played += 11) {
            struct pyr_budget budget = { .nodes = nodes };
            struct pyr_rng rng;
            struct pyr_view view;
            if (!some_position(box, &view, seats, seed, played))
                break;
            pyr_rng_seed(&rng, seed, played);
            size_t at = strlen(chosen);
            snprintf(chosen + at, sizeof chosen - at, " %llx",
                (unsigned long long)bot->choose(memory, box, &view, &rng, &budget));
            choices++;
        }
        if (!CHECK_STR(chosen, line + end))
            fprintf(stderr, "%.*s%s\n", end, line, chosen);
        free(memory);
        lines++;
    }
    CHECK(lines >= 24);
    CHECK(choices >= 200);
    free(table);
}

/* Plays a game and compares every choice with the one in a state that differs only in hidden parts. */
static void play_hidden(const struct pyr_bot *bot, void *memory, const struct pyr_box *box, unsigned seats, uint64_t seed)
{
    struct pyr_rng chance, thought, other;
    struct pyr_state state;
    struct pyr_budget budget = { .nodes = 30 };
    pyr_rng_seed(&chance, seed, 0);
    pyr_rng_seed(&thought, seed, 1);
    pyr_rng_seed(&other, seed, 2);
    pyr_state_deal(&state, box, seats, &chance);
    for (unsigned steps = 0;; steps++) {
        pyr_state_advance(&state, box);
        if (state.open.phase == PYR_END || steps > 2000)
            break;
        pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
        struct pyr_view view, twin_view;
        struct pyr_state twin;
        pyr_view_init(&view, &state, seat);
        pyr_view_sample(&view, box, &other, &twin);
        pyr_view_init(&twin_view, &twin, seat);
        CHECK(!memcmp(&view, &twin_view, sizeof view));
        struct pyr_rng again = thought;
        pyr_step step = bot->choose(memory, box, &view, &thought, &budget);
        CHECK(step == bot->choose(memory, box, &twin_view, &again, &budget));
        if (!CHECK_INT(pyr_state_apply(&state, box, seat, step), PYR_OK)) {
            printf("# %s\n", bot->name);
            return;
        }
    }
    CHECK_INT(state.open.phase, PYR_END);
}

TEST("a bot sees its view and nothing else, and its steps are legal on any edition")
{
    /* Each bot with both editions and 2 to 4 seats; or with one of these six, another for the next bot. */
    const unsigned every = check_times(1, 6);
    read_editions();
    for (unsigned i = 0; i < pyr_bot_count(); i++) {
        const struct pyr_bot *bot = pyr_bot_at(i);
        for (unsigned e = 0; e < 2; e++) {
            const struct pyr_box *box = e ? &crowded.box : &plain.box;
            void *memory = equip(bot, box);
            for (unsigned seats = 2; seats <= 4; seats++)
                if ((3 * e + seats) % every == i % every)
                    play_hidden(bot, memory, box, seats, seats + 10 * i);
            free(memory);
        }
    }
}

static bool count_down(void *context)
{
    int *left = context;
    return --*left <= 0;
}

TEST("a bot whose time is up answers with the best it has")
{
    read_editions();
    for (unsigned i = 0; i < pyr_bot_count(); i++) {
        const struct pyr_bot *bot = pyr_bot_at(i);
        void *memory = equip(bot, &plain.box);
        struct pyr_rng rng;
        struct pyr_state state;
        pyr_rng_seed(&rng, 5, i);
        pyr_state_deal(&state, &plain.box, 2, &rng);
        for (int polls = 1; state.open.phase != PYR_END; polls = polls % 5 + 1) {
            pyr_state_advance(&state, &plain.box);
            while (state.open.waiting) {
                int left = polls;
                struct pyr_budget budget = { .is_over = count_down, .context = &left };
                pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
                struct pyr_view view;
                pyr_view_init(&view, &state, seat);
                pyr_step step = bot->choose(memory, &plain.box, &view, &rng, &budget);
                CHECK(left >= -1);           /* stopped when requested */
                if (!CHECK_INT(pyr_state_apply(&state, &plain.box, seat, step), PYR_OK))
                    return;
            }
        }
        free(memory);
    }
}

/* Calls `look` before each mark of a few games in which all seats play by the policy. */
static void visit_marks(const struct tables *tables, const struct pyr_box *box,
    void (*look)(const struct tables *tables, const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat))
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct pyr_rng rng;
        struct pyr_state state;
        pyr_rng_seed(&rng, seed, 7);
        pyr_state_deal(&state, box, 2 + (unsigned)seed % 3, &rng);
        for (;;) {
            pyr_state_advance(&state, box);
            if (state.open.phase == PYR_END)
                break;
            pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
            if (state.open.phase == PYR_MARK)
                look(tables, box, &state, seat);
            pyr_state_apply_unchecked(&state, box, seat, policy_step(tables, box, &state, seat, true));
        }
    }
}

static void visit_editions(
    void (*look)(const struct tables *tables, const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat))
{
    struct tables *tables = aligned_alloc(64, (sizeof *tables + 63) / 64 * 64);
    read_editions();
    for (int e = 0; e < 2; e++) {
        const struct pyr_box *box = e ? &crowded.box : &plain.box;
        tables_prepare(tables, box, &weights_learned);
        visit_marks(tables, box, look);
    }
    free(tables);
}

/* One table evaluates desk after desk and recomputes only differences; another starts anew for each. */
static void judge_twice(const struct tables *tables, const struct pyr_box *box, const struct pyr_state *state, pyr_seat seat)
{
    struct net_table used, anew;
    struct net_node node;
    struct candidate list[48];
    struct pyr_view view;
    pyr_view_init(&view, state, seat);
    net_begin(&used, &net_learned, tables, box, &state->open, seat);
    unsigned count = candidates_find(tables, box, &view, list, 48);
    for (unsigned i = 0; i < count; i++) {
        net_begin(&anew, &net_learned, tables, box, &state->open, seat);
        net_node_init(&node, &state->open, seat, &view.mine);
        net_play(&anew, &node, state->open.revealed[state->open.turn], list[i].step);
        float gap = net_score(&used, &node) - net_score(&anew, &node);
        CHECK(gap < 0.01f && gap > -0.01f);
    }
}

TEST("a desk is judged alike, whichever was judged before it")
{
    visit_editions(judge_twice);
}

/* Without a turn to come a choice is worth the final score: its own, and the policy's extra marks. */
static void look_at_last(const struct tables *tables, const struct pyr_box *box, const struct pyr_state *state,
    pyr_seat seat)
{
    static const struct ahead_plan plan = { .depth = 2, .tried = 6, .followed = 3 };
    struct candidate list[48];
    struct pyr_view view;
    if (turns_left(&state->open))
        return;
    pyr_view_init(&view, state, seat);
    unsigned count = candidates_find(tables, box, &view, list, 48);
    ahead_values(&net_learned, tables, &plan, box, &view, list, count);
    for (unsigned i = 0; i < count; i++) {
        struct pyr_state then = *state;
        pyr_state_apply_unchecked(&then, box, seat, list[i].step);
        while (then.open.phase == PYR_MARK && then.open.waiting >> seat & 1)
            pyr_state_apply_unchecked(&then, box, seat, policy_step(tables, box, &then, seat, true));
        /* The others do nothing. Their pyramid points could change, so only positions in which none are taken this turn
         * are compared. */
        int before = pyr_table_points(&state->open, seat);
        struct pyr_desk desk = then.desk[seat];
        for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
            if (desk.flags & PYR_DESK_TOMB(slot))
                desk.done |= (pyr_cardset)1 << desk.card[slot];
        if (desk.done == then.desk[seat].done && then.open.phase == PYR_MARK)
            CHECK(list[i].value == (float)pyr_desk_score(&desk, box, before).total);
        else
            CHECK(list[i].value >= (float)pyr_desk_score(&then.desk[seat], box, before).total ||
                then.open.phase != PYR_MARK);
    }
}

TEST("looking ahead in the last turn is counting")
{
    visit_editions(look_at_last);
}

TEST("the analysis ranks a clear case: the tomb in the last turn")
{
    read_editions();
    const struct pyr_box *box = &plain.box;
    void *memory = aligned_alloc(64, (pyr_analysis_memory(box) + 63) / 64 * 64);
    struct pyr_rng rng;
    struct pyr_option options[PYR_MAX_OPTIONS];
    unsigned cases = 0;
    pyr_analysis_prepare(memory, box);
    for (uint64_t seed = 0; seed < 60; seed++) {
        const struct pyr_bot *greedy = pyr_bot_find("greedy");
        struct pyr_state state;
        pyr_rng_seed(&rng, seed, 0);
        pyr_state_deal(&state, box, 2, &rng);
        for (;;) {
            pyr_state_advance(&state, box);
            if (state.open.phase == PYR_MARK && state.open.round == 3 && state.open.turn == 6)
                break;
            pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
            struct pyr_view view;
            pyr_view_init(&view, &state, seat);
            pyr_state_apply_unchecked(&state, box, seat, greedy->choose(NULL, box, &view, &rng, NULL));
        }
        struct pyr_view view;
        pyr_view_init(&view, &state, 0);
        unsigned count = pyr_analysis_options(memory, box, &view, 400, &rng, NULL, options, PYR_MAX_OPTIONS);
        CHECK(count >= 1);
        /* By hand: the most points that any single step without extra marks can bring. */
        struct pyr_steps steps;
        int best = -1000;
        pyr_view_steps(&view, box, &steps);
        for (uint32_t i = 0; i < steps.count; i++) {
            struct pyr_desk desk = view.mine;
            pyr_desk_mark(&desk, box, view.open.revealed[6], 3, pyr_steps_at(&steps, box, i));
            if (desk.due)
                continue;
            for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
                if (desk.flags & PYR_DESK_TOMB(slot))
                    desk.done |= (pyr_cardset)1 << desk.card[slot];
            int total = pyr_desk_score(&desk, box, pyr_table_points(&view.open, 0)).total;
            best = total > best ? total : best;
        }
        CHECK(options[0].points >= (float)best - 0.01f);
        cases++;
    }
    CHECK_INT(cases, 60);
    free(memory);
}
