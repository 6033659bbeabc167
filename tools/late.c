/*
 * late.c: late positions, solved exactly, and how well a bot plays them.
 *
 *     late make EDITION COUNT SEED > tests/data/late.txt
 *     late score EDITION tests/data/late.txt BOT [NODES]
 *
 * A position is the table before a seat's mark in the last, last but one or last but two turn of a game of greedy bots.
 * These are a fixed yardstick, so a position is determined by a seed, a number of players and a turn. It is solved for
 * the expected final points of the seat with best play from there on if the others do nothing (they take neither cards
 * nor pyramid points). All patterns that can be revealed are weighted by the cards left in the round; after a completed
 * pyramid every card of the display and every card of the deck is tried.
 *
 * make looks at COUNT games, those of the seeds from SEED; one without a choice, or with more than 400, gives no line.
 * With --shard I/N --output FILE both do a part, and `pyramids merge` combines the parts.
 *
 * A line: PLAYERS GAME TURNS SEAT, then every complete choice with its value, best first: `4 17 2 1 12:a4a5=96.25 12:a4=95.5
 * ...`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/bots.h>
#include <pyramids/record.h>

#include "edition_file.h"
#include "job.h"

/* Everything that can still change, from the view of one seat. */
struct late {
    struct pyr_desk desk;
    pyr_card display[PYR_DISPLAY];
    pyr_cardset deck;
    uint8_t pool[PYR_PATTERNS];  /* expedition cards not revealed yet */
    uint8_t tiles[PYR_COLOURS];  /* pyramid points that are taken */
    uint8_t turns;               /* to come after the present one */
    int16_t points;              /* pyramid points of this seat */
};

/* How a line begins. */
#define POSITION "%u %llu %u %u%n"

static const struct pyr_box *box;

/* Values that were computed before, by the whole position; old ones are overwritten. */
#define MEMO (1u << 18)
/* A transposition table: one entry per place, replaced always. */
static struct memo {
    struct late late;
    double value;
    bool used;
} *memo;

/* Any hash will do, since the whole position is compared. 24 bits are left, of which MEMO uses 18. */
static uint64_t hash(const struct late *late)
{
    uint64_t h = late->desk.free * UINT64_C(0x9e3779b97f4a7c15) ^ late->desk.tally * UINT64_C(
        0xbf58476d1ce4e5b9) ^ late->desk.done * 31;
    for (unsigned i = 0; i < PYR_PATTERNS; i++)
        h = h * 5 + late->pool[i];
    for (unsigned i = 0; i < PYR_DISPLAY; i++)
        h = (h ^ late->display[i]) * UINT64_C(0x94d049bb133111eb);
    return (h ^ h >> 29 ^ late->turns) * UINT64_C(0x94d049bb133111eb) >> 40;
}

static double value_of_turn(const struct late *late);

/* Expected final points before the next card is revealed. A chance node: the mean over the patterns that can be
 * revealed, weighted by the number of cards left of each. */
static double value_of_rest(const struct late *late)
{
    if (!late->turns)
        return pyr_desk_score(&late->desk, box, late->points).total;
    struct memo *m = &memo[hash(late) % MEMO];
    if (m->used && !memcmp(&m->late, late, sizeof *late))
        return m->value;
    double sum = 0;
    unsigned all = 0;
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        all += late->pool[p];
    for (unsigned p = 0; p < PYR_PATTERNS; p++) {
        if (!late->pool[p])
            continue;
        struct late next = *late;
        next.pool[p]--;
        next.turns--;
        next.desk.due = 1;
        next.desk.flags = PYR_DESK_FIRST;
        /* The revealed pattern is stored in bits that are not needed here. */
        next.tiles[0] = (uint8_t)(next.tiles[0] | p << 4);
        sum += late->pool[p] * value_of_turn(&next);
    }
    double value = sum / all;
    m->late = *late;
    m->value = value;
    m->used = true;
    return value;
}

/* The upper four bits of tiles[0]; a number of tiles needs two. */
static pyr_pattern pattern_of(const struct late *late)
{
    return (pyr_pattern)(late->tiles[0] >> 4);
}

/* Takes new cards, the best of all available ones. */
static double value_of_replacing(const struct late *late, unsigned owed)
{
    double best = -1e9, sum = 0;
    unsigned slot = late->desk.card[0] == PYR_NO_CARD ? 0 : 1, left = 0;
    if (!owed || !late->turns)
        return value_of_rest(late);
    for (unsigned i = 0; i < PYR_DISPLAY; i++) {
        if (late->display[i] == PYR_NO_CARD)
            continue;
        struct late next = *late;
        next.display[i] = PYR_NO_CARD;
        pyr_desk_lay(&next.desk, box, slot, late->display[i]);
        double value = value_of_replacing(&next, owed - 1);
        best = value > best ? value : best;
    }
    /* A drawn card is worth the mean of the deck; near the end a new card gains only what the remaining turns can mark. */
    for (pyr_cardset deck = late->deck; deck; deck &= deck - 1, left++) {
        struct late next = *late;
        pyr_card card = (pyr_card)__builtin_ctzll(deck);
        next.deck &= ~((pyr_cardset)1 << card);
        pyr_desk_lay(&next.desk, box, slot, card);
        sum += value_of_replacing(&next, owed - 1);
    }
    if (left && sum / left > best)
        best = sum / left;
    return best > -1e8 ? best : value_of_rest(late);
}

/* All marks of the turn are made. */
static double value_of_end(struct late late)
{
    unsigned owed = 0;
    late.tiles[0] &= 15;
    for (unsigned slot = 0; slot < PYR_SLOTS; slot++) {
        if (!(late.desk.flags & PYR_DESK_TOMB(slot)))
            continue;
        pyr_card card = late.desk.card[slot];
        unsigned colour = box->card[card].colour;
        late.desk.done |= (pyr_cardset)1 << card;
        unsigned count = (unsigned)__builtin_popcountll(late.desk.done & box->colour[colour]);
        if (pyr_options_is_claim(&pyr_rulebook, count) && late.tiles[colour] < PYR_TILES)
            late.points = (int16_t)(late.points + pyr_tile_value(late.tiles[colour]++));
        late.desk.card[slot] = PYR_NO_CARD;
        late.desk.free &= pyr_pair_of(!slot, PYR_ALL_SPACES);
        late.desk.reach &= pyr_pair_of(!slot, PYR_ALL_SPACES);
        owed++;
    }
    late.desk.flags = 0;
    return value_of_replacing(&late, owed);
}

/* Only the last round matters, so its torch is that of PYR_ROUNDS - 1. */
static double value_of_step(const struct late *late, pyr_step step)
{
    struct late next = *late;
    pyr_desk_mark(&next.desk, box, pattern_of(late), PYR_ROUNDS - 1, step);
    return next.desk.due ? value_of_turn(&next) : value_of_end(next);
}

/* The best mark and what follows.
 * A decision node: extra marks are decisions of their own. */
static double value_of_turn(const struct late *late)
{
    struct pyr_steps steps;
    double best = -1e9;
    pyr_desk_steps(&late->desk, box, pattern_of(late), &steps);
    for (uint32_t i = 0; i < steps.count; i++) {
        double value = value_of_step(late, pyr_steps_at(&steps, box, i));
        best = value > best ? value : best;
    }
    return best;
}

/* Making a position. */

static void play_bot(const struct pyr_bot *bot, struct pyr_state *state, pyr_seat seat, struct pyr_rng *rng)
{
    struct pyr_view view;
    pyr_view_init(&view, state, seat);
    pyr_state_apply_unchecked(state, box, seat, bot->choose(NULL, box, &view, rng, NULL));
}

/* A game of greedy bots up to the reveal after which `turns` turns are still to come. */
static void make_position(struct pyr_state *state, unsigned players, uint64_t game, unsigned turns)
{
    const struct pyr_bot *greedy = pyr_bot_find("greedy");
    struct pyr_rng chance, bots;
    pyr_rng_seed(&chance, game, 0);
    pyr_rng_seed(&bots, game, 1);
    pyr_state_deal(state, box, players, &chance);
    for (;;) {
        pyr_state_advance(state, box);
        if (state->open.phase == PYR_MARK && state->open.round == PYR_ROUNDS - 1 &&
            state->open.turn == PYR_TURNS - 1 - turns)
            return;
        play_bot(greedy, state, (pyr_seat)__builtin_ctz(state->open.waiting), &bots);
    }
}

/* Zeroed first: positions are compared byte by byte, padding included. */
static void see(struct late *late, const struct pyr_state *state, pyr_seat seat, unsigned turns)
{
    const struct pyr_table *open = &state->open;
    memset(late, 0, sizeof *late);
    late->desk = state->desk[seat];
    memcpy(late->display, open->display, sizeof late->display);
    late->deck = open->deck;
    late->turns = (uint8_t)turns;
    late->points = (int16_t)pyr_table_points(open, seat);
    for (unsigned p = 0; p < PYR_PATTERNS; p++)
        late->pool[p] = box->pattern[p].copies;
    for (unsigned i = 0; i <= open->turn; i++)
        late->pool[open->revealed[i]]--;
    for (unsigned colour = 0; colour < PYR_COLOURS; colour++)
        for (unsigned place = 0; place < PYR_TILES; place++)
            late->tiles[colour] = (uint8_t)(late->tiles[colour] + (open->tile[colour][place] != PYR_NOBODY));
    late->tiles[0] = (uint8_t)(late->tiles[0] | open->revealed[open->turn] << 4);
}

/* A complete choice in notation, with its value in expected points. */
struct solved {
    char text[PYR_MAX_PARTS * 8 + 16];
    double value;
};

static struct solved *solved;
static size_t solutions;
#define MOST_SOLUTIONS 20000

/* Every complete choice with its value; the recursion follows extra marks. */
static void solve(const struct late *late, const struct pyr_desk *start, pyr_step *made, unsigned count)
{
    struct pyr_steps steps;
    pyr_desk_steps(&late->desk, box, pattern_of(late), &steps);
    for (uint32_t i = 0; i < steps.count && solutions < MOST_SOLUTIONS; i++) {
        struct late next = *late;
        made[count] = pyr_steps_at(&steps, box, i);
        pyr_desk_mark(&next.desk, box, pattern_of(late), PYR_ROUNDS - 1, made[count]);
        if (next.desk.due) {
            solve(&next, start, made, count + 1);
            continue;
        }
        struct pyr_out out;
        struct solved *s = &solved[solutions++];
        pyr_out_init(&out, s->text, sizeof s->text);
        pyr_move_write(made, count + 1, start, &out);
        s->value = value_of_end(next);
    }
}

/* By value, then by text, so that the file is the same on every machine. */
static int better(const void *a, const void *b)
{
    const struct solved *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value) - (x->value > y->value) : strcmp(x->text, y->text);
}

/* The numbers of players, turns to come and seats change from game to game, so that all combinations are equally
 * frequent. */
static bool make(void *context, uint64_t item, FILE *to)
{
    const uint64_t *seed = context;
    uint64_t game = *seed + item;
    unsigned players = (unsigned)(2 + game % 3), turns = (unsigned)(game / 3 % 3);
    pyr_seat seat = (pyr_seat)(game / 9 % players);
    struct pyr_state state;
    struct late late;
    pyr_step steps[PYR_MAX_PARTS + 1];
    make_position(&state, players, game, turns);
    see(&late, &state, seat, turns);
    solutions = 0;
    memset(memo, 0, MEMO * sizeof *memo);
    solve(&late, &state.desk[seat], steps, 0);
    if (solutions < 2 || solutions > 400)
        return fputc('-', to) != EOF;        /* nothing to decide, or too much for a line */
    qsort(solved, solutions, sizeof *solved, better);
    fprintf(to, "%u %llu %u %u", players, (unsigned long long)game, turns, seat + 1u);
    for (size_t i = 0; i < solutions; i++)
        fprintf(to, " %s=%.6g", solved[i].text, solved[i].value);
    return true;
}

/* The data of `score`. */
struct scoring {
    const struct pyr_bot *bot;
    void *memory;
    uint64_t nodes;
    char **line;                 /* positions */
    size_t count;
};

/* The bot chooses step by step, as in a game, and its whole choice is looked up in the line. The bit 0x80 stands for
 * a seat that never chooses, so the phase does not end while the bot is making its extra marks. */
static bool score(void *context, uint64_t item, FILE *to)
{
    const struct scoring *s = context;
    const char *line = s->line[item];
    struct pyr_budget budget = { .nodes = s->nodes };
    unsigned players, turns, seat, steps = 0;
    unsigned long long game;
    int at;
    struct pyr_state state;
    struct pyr_rng rng;
    pyr_step made[PYR_MAX_PARTS];
    if (sscanf(line, POSITION, &players, &game, &turns, &seat, &at) != 4)
        return false;
    make_position(&state, players, game, turns);
    struct pyr_desk start = state.desk[seat - 1];
    pyr_rng_seed(&rng, game, 7);
    state.open.waiting |= 0x80;              /* keeps the turn from ending */
    while (state.desk[seat - 1].due && steps < PYR_MAX_PARTS) {
        struct pyr_view view;
        struct pyr_state shown = state;
        shown.open.waiting &= 0x7f;
        pyr_view_init(&view, &shown, (pyr_seat)(seat - 1));
        made[steps] = s->bot->choose(s->memory, box, &view, &rng, &budget);
        if (pyr_state_apply(&state, box, (pyr_seat)(seat - 1), made[steps++]))
            return fprintf(stderr, "illegal\n"), false;
    }
    char text[PYR_MAX_PARTS * 8 + 18] = " ";
    struct pyr_out out;
    pyr_out_init(&out, text + 1, sizeof text - 2);
    pyr_move_write(made, steps, &start, &out);
    text[out.length + 1] = '=';
    text[out.length + 2] = '\0';
    const char *found = strstr(line + at, text), *best = strchr(line + at, '=');
    if (!found || !best)
        return fprintf(stderr, "not in the list: %s\n", text), false;
    fprintf(to, "%u %.17g", turns, strtod(best + 1, NULL) - strtod(found + out.length + 2, NULL));
    return true;
}

/* Reads the positions, with a hash of all of them for the description of the job. False: there are none. */
static bool read_positions(struct scoring *s, const char *path, uint64_t *sum)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (!file)
        return perror(path), false;
    *sum = UINT64_C(0xcbf29ce484222325);
    while (getline(&line, &room, file) > 0) {
        unsigned players, turns, seat;
        unsigned long long game;
        int at;
        if (sscanf(line, POSITION, &players, &game, &turns, &seat, &at) != 4 || turns > 2 || seat < 1 || seat > players ||
            players < PYR_MIN_SEATS || players > PYR_MAX_SEATS)
            continue;
        for (const char *c = line; *c; c++)
            *sum = (*sum ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        char **more = realloc(s->line, (s->count + 1) * sizeof *more);
        if (!more)
            break;
        s->line = more;
        s->line[s->count++] = strdup(line);
    }
    free(line);
    fclose(file);
    if (!s->count)
        fprintf(stderr, "%s: no positions\n", path);
    return s->count != 0;
}

static int score_all(const struct pyr_edition *edition, const char *path, const char *name, uint64_t nodes,
    const struct job_options *options)
{
    struct scoring s = { .bot = pyr_bot_find(name), .nodes = nodes };
    uint64_t sum;
    int code = 1;
    if (!s.bot)
        return fprintf(stderr, "unknown bot '%s'\n", name), 1;
    size_t size = (s.bot->memory(box) + 63) / 64 * 64;
    s.memory = size ? aligned_alloc(64, size) : NULL;
    if (s.memory)
        s.bot->prepare(s.memory, box);
    if (read_positions(&s, path, &sum))
        code = job_run(&job_late_score, options, job_text(edition, "bot %s\nnodes %" PRIu64 "\npositions %016" PRIx64 "\n",
            s.bot->name, nodes, sum), s.count, score, &s);
    for (size_t i = 0; i < s.count; i++)
        free(s.line[i]);
    free(s.line);
    free(s.memory);
    return code;
}

int main(int argc, char **argv)
{
    static struct pyr_edition edition;
    struct job_options options;
    if (!job_take(&argc, argv, &options))
        return 2;
    bool makes = argc == 5 && !strcmp(argv[1], "make");
    if (!makes && (argc < 5 || argc > 6 || strcmp(argv[1], "score"))) {
        fprintf(stderr, "usage: late make EDITION COUNT SEED [--shard I/N --output FILE] > FILE\n"
            "       late score EDITION FILE BOT [NODES] [--shard I/N --output FILE]\n"
            "`pyramids merge FILE...` puts parts together; one that was stopped is continued.\n");
        return 2;
    }
    if (!edition_file_read(argv[2], &edition))
        return 1;
    box = &edition.box;
    memo = calloc(MEMO, sizeof *memo);
    solved = calloc(MOST_SOLUTIONS, sizeof *solved);
    if (!memo || !solved)
        return 1;
    int code;
    if (makes) {
        uint64_t seed = strtoull(argv[4], NULL, 10);
        code = job_run(&job_late, &options, job_text(&edition, "seed %" PRIu64 "\n", seed), strtoull(argv[3], NULL, 10),
            make, &seed);
    } else {
        code = score_all(&edition, argv[3], argv[4], argc > 5 ? strtoull(argv[5], NULL, 10) : 0, &options);
    }
    free(memo);
    free(solved);
    return code;
}
