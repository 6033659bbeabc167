/*
 * card_table: lets bots play with an edition and prints statistics of each card as Markdown. It made the tables of
 * docs/editions.md; --help explains its columns.
 */
#include <pyramids/bots.h>
#include <pyramids/score.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edition_file.h"
#include "job.h"
#include "job_cards.h"

/* A card on a desk, until it is completed or the game ends. */
struct visit {
    unsigned turns;
    int points;
};

/* What the command line asks for. */
struct options {
    const char *file, *bot;
    unsigned players, games;
    uint64_t seed, nodes;
    bool summary;
};

static const char help[] =
    "Usage: card_table [OPTION]... EDITION\n"
    "Lets bots play with an edition file and prints what became of each card, as Markdown.\n"
    "\n"
    "  --bot NAME     who plays, in all seats (default greedy)\n"
    "  --players N    2 to 4 (default 4)\n"
    "  --games G      how many games (default 1000)\n"
    "  --seed S       same seed, same table (default 1)\n"
    "  --nodes N      how much a bot may think about a step (default: as it likes)\n"
    "  --summary      only the line of averages\n"
    "  --shard I/N    play only part I of N; `pyramids merge` puts the parts together\n"
    "  --output FILE  for the results of a part; one that was interrupted is continued\n"
    "\n"
    "Columns: way and walls in spaces; symbols as in the format (r e f s p x), those on a shortest way in capitals;\n"
    "kept, of 100 times it was dealt; taken, of 100 choices of a new card made while it lay in the display; done, of\n"
    "100 times it lay on a desk; turns, first marks made on it until its tomb; points, by how much the score grew with\n"
    "its marks, its 10 and its pyramid points, over the completed ones.\n"
    "\n"
    "Example: card_table --bot greedy --games 5000 editions/classic.edition\n";

static bool read_number(const char *text, uint64_t low, uint64_t high, uint64_t *number)
{
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    *number = strtoull(text, &end, 10);
    return !*end && *number >= low && *number <= high;
}

/* False: help was printed, and the exit code is 2. */
static bool read_options(struct options *o, int argc, char **argv)
{
    uint64_t number;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--bot") && value)
            o->bot = argv[++i];
        else if (!strcmp(argv[i], "--players") && read_number(value, PYR_MIN_SEATS, PYR_MAX_SEATS, &number))
            o->players = (unsigned)number, i++;
        else if (!strcmp(argv[i], "--games") && read_number(value, 1, 100000000, &number))
            o->games = (unsigned)number, i++;
        else if (!strcmp(argv[i], "--seed") && read_number(value, 0, UINT64_MAX, &o->seed))
            i++;
        else if (!strcmp(argv[i], "--nodes") && read_number(value, 0, UINT64_MAX, &o->nodes))
            i++;
        else if (!strcmp(argv[i], "--summary"))
            o->summary = true;
        else if (argv[i][0] != '-' && !o->file)
            o->file = argv[i];
        else
            return false;
    }
    return o->file != NULL;
}

/* Counts a step: called with the state before it. */
static void count_step(struct job_count *count, const struct pyr_state *state, pyr_seat seat, pyr_step step)
{
    const struct pyr_table *open = &state->open;
    switch (pyr_step_kind(step)) {
    case PYR_STEP_KEEP:
        for (unsigned i = 0; i < PYR_DEALT; i++)
            count->card[state->hidden.dealt[seat][i]].dealt++;
        count->card[pyr_step_card(step)].kept++;
        count->card[pyr_step_second(step)].kept++;
        break;
    case PYR_STEP_TAKE:
    case PYR_STEP_DRAW:
        count->choices++;
        for (unsigned i = 0; i < PYR_DISPLAY; i++)
            if (open->display[i] != PYR_NO_CARD)
                count->card[open->display[i]].offered++;
        if (pyr_step_kind(step) == PYR_STEP_TAKE)
            count->card[pyr_step_card(step)].taken++;
        else
            count->draws++;
        break;
    case PYR_STEP_PASS:
    case PYR_STEP_MARK:
        break;
    }
}

/* A mark's points count for the card it was made on, whatever the symbol. The mark is made on a copy, and the difference
 * of the scores is its gain; a torch or a gem may gain nothing. */
static void count_mark(struct visit *visit, const struct pyr_box *box, const struct pyr_desk *before, unsigned round,
    pyr_pattern pattern, pyr_step step)
{
    struct pyr_desk after = *before;
    struct visit *on = &visit[before->card[pyr_step_slot(step)]];
    pyr_desk_mark(&after, box, pattern, round, step);
    on->points += pyr_desk_score(&after, box, 0).total - pyr_desk_score(before, box, 0).total;
    on->turns += (before->flags & PYR_DESK_FIRST) != 0;
}

/* Called when the turn is over: its completed cards get their 10 and their pyramid points. `done` and `tile` are the
 * values before; the differences belong to this turn. */
static void count_completed(struct job_count *count, struct visit *visit, const struct pyr_box *box,
    const struct pyr_table *open, pyr_cardset *done, pyr_seat tile[PYR_COLOURS][PYR_TILES])
{
    for (pyr_seat seat = 0; seat < open->seats; seat++) {
        pyr_cardset fresh = open->desk[seat].done & ~done[seat];
        if (!fresh)
            continue;
        for (unsigned k = 0; k < PYR_COLOURS; k++) {
            for (unsigned place = 0; place < PYR_TILES; place++) {
                if (open->tile[k][place] != seat || tile[k][place] == seat || !(fresh & box->colour[k]))
                    continue;
                visit[__builtin_ctzll(fresh & box->colour[k])].points += pyr_tile_value(place);
                count->tile_points[k] += (uint64_t)pyr_tile_value(place);
                tile[k][place] = seat;
            }
        }
        done[seat] |= fresh;
        for (; fresh; fresh &= fresh - 1) {
            unsigned c = (unsigned)__builtin_ctzll(fresh);
            count->card[c].done++;
            count->card[c].turns += visit[c].turns;
            count->card[c].points += visit[c].points + 10;
        }
    }
}

/* `out` counts games in which the deck ran out (R13). */
static void count_end(struct job_count *count, const struct pyr_box *box, const struct pyr_table *open)
{
    unsigned winners = pyr_table_winners(open, box);
    count->games++;
    count->out += !open->deck_left;
    for (pyr_seat seat = 0; seat < open->seats; seat++) {
        struct pyr_score score = pyr_table_score(open, box, seat);
        const int16_t part[5] = { score.pyramids, score.torches, score.points, score.gems, score.skulls };
        bool wins = winners >> seat & 1;
        count->seats++;
        count->score += score.total;
        count->winner_score += wins ? score.total : 0;
        count->winners += wins;
        for (unsigned i = 0; i < 5; i++)
            count->part[i] += part[i];
        for (unsigned k = 0; k < PYR_COLOURS; k++) {
            uint64_t pyramids = (uint64_t)__builtin_popcountll(open->desk[seat].done & box->colour[k]);
            count->pyramids += pyramids;
            count->colour_pyramids[k] += pyramids;
            count->winner_pyramids[k] += wins ? pyramids : 0;
        }
        for (unsigned slot = 0; slot < PYR_SLOTS; slot++)
            if (open->desk[seat].card[slot] != PYR_NO_CARD)
                count->card[open->desk[seat].card[slot]].laid++;
        for (pyr_cardset done = open->desk[seat].done; done; done &= done - 1)
            count->card[__builtin_ctzll(done)].laid++;
    }
}

/* Completed cards are counted when their turn is over, once the pyramid points have been taken: at the next mark, or
 * at the end. Streams as in `pyramids sim`: even ones are for dealing, odd ones for the bots. */
static void play(struct job_count *count, const struct pyr_box *box, const struct pyr_bot *bot, void *memory,
    const struct options *o, unsigned game)
{
    struct pyr_state state;
    struct pyr_rng deal, thought;
    struct pyr_view view;
    struct visit visit[PYR_CARDS] = { { 0, 0 } };
    pyr_cardset done[PYR_MAX_SEATS] = { 0 };
    pyr_seat tile[PYR_COLOURS][PYR_TILES];
    struct pyr_budget budget = { o->nodes, NULL, NULL };
    memset(tile, PYR_NOBODY, sizeof tile);
    pyr_rng_seed(&deal, o->seed, 2 * (uint64_t)game);
    pyr_rng_seed(&thought, o->seed, 2 * (uint64_t)game + 1);
    pyr_state_deal(&state, box, o->players, &deal);
    for (;;) {
        pyr_state_advance(&state, box);
        if (state.open.phase == PYR_MARK || state.open.phase == PYR_END)
            count_completed(count, visit, box, &state.open, done, tile);
        if (state.open.phase == PYR_END)
            break;
        pyr_seat seat = (pyr_seat)__builtin_ctz(state.open.waiting);
        pyr_view_init(&view, &state, seat);
        pyr_step step = bot->choose(memory, box, &view, &thought, &budget);
        count_step(count, &state, seat, step);
        if (pyr_step_kind(step) == PYR_STEP_MARK)
            count_mark(visit, box, &state.desk[seat], state.open.round, state.open.revealed[state.open.turn], step);
        if (pyr_state_apply(&state, box, seat, step) != PYR_OK) {
            fprintf(stderr, "%s made an illegal step\n", bot->name);
            exit(1);
        }
    }
    count_end(count, box, &state.open);
}

/* The parameters of a game. */
struct table {
    const struct options *options;
    const struct pyr_box *box;
    const struct pyr_bot *bot;
    void *memory;
};

static bool make(void *context, uint64_t game, FILE *to)
{
    static struct job_count count;
    const struct table *t = context;
    memset(&count, 0, sizeof count);
    play(&count, t->box, t->bot, t->memory, t->options, (unsigned)game);
    job_cards_write(&count, to);
    return true;
}

int main(int argc, char **argv)
{
    static struct pyr_edition edition;
    struct options o = { .bot = "greedy", .players = 4, .games = 1000, .seed = 1 };
    struct job_options how;
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(help, stdout);
        return 0;
    }
    if (!job_take(&argc, argv, &how))
        return 2;
    if (!read_options(&o, argc, argv)) {
        fputs(help, stderr);
        return 2;
    }
    const struct pyr_bot *bot = pyr_bot_find(o.bot);
    if (!bot) {
        fprintf(stderr, "no bot is called %s\n", o.bot);
        return 2;
    }
    if (!edition_file_read(o.file, &edition))
        return 1;
    /* Whole units of the alignment, at least one. */
    struct table table = { &o, &edition.box, bot, aligned_alloc(16, (bot->memory(&edition.box) + 31) / 16 * 16) };
    if (!table.memory) {
        perror("card_table");
        return 1;
    }
    bot->prepare(table.memory, &edition.box);
    int code = job_run(&job_cards, &how, job_text(&edition, "players %u\nbot %s\nnodes %" PRIu64 "\nseed %" PRIu64
        "\nsummary %d\n", o.players, bot->name, o.nodes, o.seed, o.summary), o.games, make, &table);
    free(table.memory);
    return code;
}
