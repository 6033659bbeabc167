/*
 * puzzling.c: puzzles in the match of an instance, and the player who solves them; see instance.h.
 */
#include "inside.h"

static const char *const names[] = { "1", "2", "3", "4" };

static struct pyr_puzzler *puzzler(struct pyr_instance *i)
{
    if (!(i->puzzler.skill.volatility > 0))
        pyr_puzzler_init(&i->puzzler);
    return &i->puzzler;
}

/* Notes whether opening succeeded: otherwise there is neither match nor puzzle. */
static int32_t opened(struct pyr_instance *i, enum pyr_err code)
{
    if (code) {
        i->match.edition = NULL;
        i->puzzle.count = 0;
    }
    return code;
}

int32_t pyr_instance_puzzle_open(struct pyr_instance *i, const char *pack, size_t size, uint32_t number)
{
    struct pyr_puzzle puzzle;
    if (!i->edition.box.pattern[0].turns || !pyr_puzzle_find(&puzzle, pack, size, i->edition.name, number))
        return opened(i, PYR_ERR_NO_SUCH_LINE);
    return opened(i, pyr_puzzle_open(&puzzle, &i->puzzle, &i->match, &i->edition, names));
}

int32_t pyr_instance_mistake_open(struct pyr_instance *i, const char *text, size_t size)
{
    if (!i->edition.box.pattern[0].turns)
        return opened(i, PYR_ERR_RECORD_EDITION);
    return opened(i, pyr_mistake_open(&i->puzzle, &i->match, &i->edition, text, size, &i->fault));
}

size_t pyr_instance_puzzle_tell(const struct pyr_instance *i, char *to, size_t size)
{
    struct pyr_json json;
    if (!i->puzzle.count)
        return 0;
    pyr_json_init(&json, to, size, PYR_JSON_COMPACT);
    pyr_puzzle_tell(&i->puzzle, &i->edition.box, NULL, &json);
    return pyr_json_finish(&json);
}

size_t pyr_instance_puzzle_hint(struct pyr_instance *i, char *to, size_t size)
{
    struct pyr_json json;
    if (!i->puzzle.count)
        return 0;
    const struct pyr_puzzle_hint hint = pyr_puzzle_hint(&i->puzzle, &i->edition.box);
    pyr_json_init(&json, to, size, PYR_JSON_COMPACT);
    pyr_puzzle_tell_hint(&hint, &i->puzzle, NULL, &json);
    return pyr_json_finish(&json);
}

size_t pyr_instance_puzzle_answer(struct pyr_instance *i, const char *choice, int32_t day, char *to, size_t size)
{
    struct pyr_json json;
    struct pyr_puzzle_verdict verdict;
    double change = 0;
    if (!i->puzzle.count || !has_match(i))
        return 0;
    i->puzzle_code = pyr_puzzle_answer(&i->puzzle, &i->match, choice, &verdict, &i->fault);
    if (i->puzzle_code)
        return 0;
    if (i->puzzle.tries == 1)
        change = pyr_puzzler_answer(puzzler(i), &i->puzzle.puzzle, verdict.right, i->puzzle.hints, day);
    pyr_json_init(&json, to, size, PYR_JSON_COMPACT);
    pyr_json_object(&json, NULL);
    pyr_puzzle_tell_verdict(&i->puzzle, &i->edition.box, &verdict, "verdict", &json);
    pyr_json_number(&json, "change", (int64_t)(change + (change < 0 ? -0.5 : 0.5)));
    pyr_puzzler_tell(puzzler(i), "puzzler", &json);
    pyr_json_close(&json);
    return pyr_json_finish(&json);
}

int32_t pyr_instance_puzzle_code(const struct pyr_instance *i)
{
    return i->puzzle_code;
}

uint32_t pyr_instance_puzzle_pick(struct pyr_instance *i, const char *pack, size_t size, uint32_t themes, uint32_t again)
{
    return pyr_puzzler_pick(puzzler(i), pack, size, i->edition.name, (uint8_t)themes, again != 0,
        i->puzzle.puzzle.number);
}

uint32_t pyr_instance_puzzler_read(struct pyr_instance *i, const char *text, size_t size)
{
    return pyr_puzzler_read(&i->puzzler, text, size);
}

size_t pyr_instance_puzzler_write(struct pyr_instance *i, char *to, size_t size)
{
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    pyr_puzzler_write(puzzler(i), &out);
    return out.length;
}

size_t pyr_instance_puzzler_tell(struct pyr_instance *i, char *to, size_t size)
{
    struct pyr_json json;
    pyr_json_init(&json, to, size, PYR_JSON_COMPACT);
    pyr_puzzler_tell(puzzler(i), NULL, &json);
    return pyr_json_finish(&json);
}

size_t pyr_instance_mistake_write(const struct pyr_instance *i, uint32_t line, uint32_t seat, uint32_t playouts,
    const char *values, char *to, size_t size)
{
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    if (!has_match(i) || !pyr_mistake_write(&i->match, line, (pyr_seat)(seat & 255), playouts, values, &out))
        return 0;
    return out.length < size ? out.length : 0;
}

size_t pyr_instance_mistake_solve(const char *text, size_t text_size, int32_t day, char *to, size_t size)
{
    struct pyr_out out;
    pyr_out_init(&out, to, size);
    return pyr_mistake_solve(text, text_size, day, &out) && out.length < size ? out.length : 0;
}
