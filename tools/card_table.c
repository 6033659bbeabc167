/*
 * card_table: lets bots play with an edition and prints, as Markdown, what became of each card. Made the tables of
 * docs/editions.md; --help says what its columns mean.
 */
#include <pyramids/bots.h>
#include <pyramids/generate.h>
#include <pyramids/score.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EDITION 1000000

/* What happened to one card over all games. */
struct tally {
    uint64_t dealt, kept;        /* R4 */
    uint64_t offered, taken;     /* choices made while the card lay in the display, and those that took it */
    uint64_t laid, done;         /* came onto a desk, and was completed there */
    uint64_t turns;              /* first marks on it, of those that were completed */
    int64_t points;              /* of those that were completed */
};

/* A card on a desk, until it is completed or the game ends. */
struct visit {
    unsigned turns;
    int points;
};

/* Everything that is counted, over all games. */
struct count {
    struct tally card[PYR_CARDS];
    uint64_t games, seats, out, choices, draws;
    uint64_t pyramids, winner_pyramids[PYR_COLOURS], colour_pyramids[PYR_COLOURS], winners;
    uint64_t tile_points[PYR_COLOURS];
    int64_t score, winner_score, part[5];    /* parts: pyramids, torches, pyramid points, gems, skulls */
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

/* False: the help is printed and the exit code is 2. */
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

/* False after a message. */
static bool read_edition(struct pyr_edition *edition, const char *path)
{
    struct pyr_fault fault;
    bool good = false;
    char *text = malloc(MAX_EDITION);
    FILE *file = fopen(path, "rb");
    if (!file || !text) {
        perror(path);
    } else {
        size_t size = fread(text, 1, MAX_EDITION, file);
        good = pyr_edition_read(edition, text, size, &fault) == PYR_OK;
        if (!good)
            fprintf(stderr, "%s:%" PRIu32 ": not a valid edition (pyramids edition check says more)\n", path, fault.line);
    }
    if (file)
        fclose(file);
    free(text);
    return good;
}

/* What a step does to the counts: called with the state as it was before. */
static void count_step(struct count *count, const struct pyr_state *state, pyr_seat seat, pyr_step step)
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

/* A mark's points go to the card it was made on, whatever they came from.
 * The mark is made on a copy, and the difference of the scores is what it brought; a torch or a gem may bring
 * nothing. */
static void count_mark(struct visit *visit, const struct pyr_box *box, const struct pyr_desk *before, unsigned round,
    pyr_pattern pattern, pyr_step step)
{
    struct pyr_desk after = *before;
    struct visit *on = &visit[before->card[pyr_step_slot(step)]];
    pyr_desk_mark(&after, box, pattern, round, step);
    on->points += pyr_desk_score(&after, box, 0).total - pyr_desk_score(before, box, 0).total;
    on->turns += (before->flags & PYR_DESK_FIRST) != 0;
}

/* The turn is over: its completed cards get their 10 and the pyramid points that they brought.
 * `done` and `tile` are what was known before; the differences are this turn's. */
static void count_completed(struct count *count, struct visit *visit, const struct pyr_box *box,
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
static void count_end(struct count *count, const struct pyr_box *box, const struct pyr_table *open)
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

/* Completed cards are counted when their turn is over, once the pyramid points have been taken: at the next mark, or at
 * the end.
 * Streams as in `pyramids sim`: even ones deal, odd ones are the bots'. */
static void play(struct count *count, const struct pyr_box *box, const struct pyr_bot *bot, void *memory,
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

/* 0 where there is nothing to divide by: a card that was never dealt. */
static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void print_symbols(const struct pyr_card_face *face, pyr_spaces ways)
{
    const pyr_spaces set[] = { face->ruby, face->emerald, face->torch, face->potion, face->cross, face->skull };
    char text[32];
    unsigned length = 0;
    for (unsigned i = 0; i < 6; i++) {
        for (pyr_spaces left = set[i]; left && length < sizeof text - 1; left &= left - 1)
            text[length++] = "refpxsREFPXS"[i + (left & -left & ways ? 6 : 0)];
    }
    text[length] = '\0';
    printf(" %-8s |", text);
}

static void print_cards(const struct count *count, const struct pyr_box *box)
{
    puts("| card | colour | way | walls | symbols  | kept | taken | done | turns | points | points per turn |");
    puts("|-----:|--------|----:|------:|----------|-----:|------:|-----:|------:|-------:|----------------:|");
    for (pyr_card c = 0; c < PYR_CARDS; c++) {
        const struct tally *t = &count->card[c];
        struct pyr_card_survey survey;
        pyr_card_survey(box, c, &survey);
        printf("| %4u | %-6s | %3u | %5u |", c + 1u, pyr_colour_word(survey.colour), survey.way, survey.walls);
        print_symbols(&box->card[c], survey.ways);
        printf(" %4.0f | %5.0f | %4.0f | %5.2f | %6.1f | %15.1f |\n", 100 * ratio((double)t->kept, (double)t->dealt),
            100 * ratio((double)t->taken, (double)t->offered), 100 * ratio((double)t->done, (double)t->laid),
            ratio((double)t->turns, (double)t->done), ratio((double)t->points, (double)t->done),
            ratio((double)t->points, (double)t->turns));
    }
}

static void print_colours(const struct count *count, const struct pyr_box *box)
{
    puts("\n| colour | pyramids per player | per winner | kept | taken | turns | points | pyramid points per game |");
    puts("|--------|--------------------:|-----------:|-----:|------:|------:|-------:|------------------------:|");
    for (unsigned k = 0; k < PYR_COLOURS; k++) {
        struct tally sum = { 0 };
        for (unsigned c = 0; c < PYR_CARDS; c++) {
            if (box->card[c].colour != k)
                continue;
            sum.dealt += count->card[c].dealt, sum.kept += count->card[c].kept;
            sum.offered += count->card[c].offered, sum.taken += count->card[c].taken;
            sum.done += count->card[c].done, sum.turns += count->card[c].turns, sum.points += count->card[c].points;
        }
        printf("| %-6s | %19.2f | %10.2f | %4.1f | %5.1f | %5.2f | %6.1f | %23.1f |\n", pyr_colour_word(k),
            ratio((double)count->colour_pyramids[k], (double)count->seats),
            ratio((double)count->winner_pyramids[k], (double)count->winners),
            100 * ratio((double)sum.kept, (double)sum.dealt), 100 * ratio((double)sum.taken, (double)sum.offered),
            ratio((double)sum.turns, (double)sum.done), ratio((double)sum.points, (double)sum.done),
            ratio((double)count->tile_points[k], (double)count->games));
    }
}

/* One line with averages per player, for the table of all settings in docs/editions.md. */
static void print_summary(const struct count *count, const struct options *o)
{
    double seats = (double)count->seats, games = (double)count->games;
    char bot[64];
    if (o->nodes)
        snprintf(bot, sizeof bot, "%s, %" PRIu64, o->bot, o->nodes);
    else
        snprintf(bot, sizeof bot, "%s", o->bot);
    puts("| bots         | players | games | pyramids | points | winner | torches | pyramid points | gems | skulls | drawn "
         "| deck out |");
    puts("|--------------|--------:|------:|---------:|-------:|-------:|--------:|---------------:|-----:|-------:|------:"
         "|---------:|");
    printf("| %-12s | %7u | %5u | %8.2f | %6.1f | %6.1f | %7.1f | %14.1f | %4.1f | %6.1f | %5.1f | %8.1f |\n", bot,
        o->players, o->games, (double)count->pyramids / seats, (double)count->score / seats,
        ratio((double)count->winner_score, (double)count->winners), (double)count->part[1] / seats,
        (double)count->part[2] / seats, (double)count->part[3] / seats, (double)count->part[4] / seats,
        100 * ratio((double)count->draws, (double)count->choices), 100 * (double)count->out / games);
}

int main(int argc, char **argv)
{
    static struct pyr_edition edition;
    static struct count count;
    struct options o = { .bot = "greedy", .players = 4, .games = 1000, .seed = 1 };
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(help, stdout);
        return 0;
    }
    if (!read_options(&o, argc, argv)) {
        fputs(help, stderr);
        return 2;
    }
    const struct pyr_bot *bot = pyr_bot_find(o.bot);
    if (!bot) {
        fprintf(stderr, "no bot is called %s\n", o.bot);
        return 2;
    }
    if (!read_edition(&edition, o.file))
        return 1;
    /* Whole units of the alignment, at least one. */
    void *memory = aligned_alloc(16, (bot->memory(&edition.box) + 31) / 16 * 16);
    if (!memory) {
        perror("card_table");
        return 1;
    }
    bot->prepare(memory, &edition.box);
    for (unsigned game = 0; game < o.games; game++)
        play(&count, &edition.box, bot, memory, &o, game);
    free(memory);
    if (!o.summary) {
        print_cards(&count, &edition.box);
        print_colours(&count, &edition.box);
        puts("");
    }
    print_summary(&count, &o);
    return 0;
}
