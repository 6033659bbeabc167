/*
 * hint.c: `pyramids hint`: the best choices of a seat at the end of a record.
 *
 * The choices and their values are those of pyr_analysis_options (bots/analysis.h), best first. --json lists the steps
 * of each choice, for programs that do not parse the notation.
 */
#include <stdlib.h>
#include <string.h>

#include <pyramids/judge.h>

#include "cli.h"

/* Indexes into `option` and `value`, after those of every position. */
enum { TOP = CLI_POSITION_OPTIONS, PLAYOUTS, SEED, OPTIONS };

/* Row by row, as in the notation. */
static void json_spaces(struct pyr_json *json, pyr_spaces spaces)
{
    pyr_json_array(json, "spaces");
    for (unsigned k = 0; k < PYR_SIDE * PYR_SIDE; k++) {
        const char space[] = { (char)('a' + k % PYR_SIDE), (char)('1' + k / PYR_SIDE), '\0' };
        if (spaces & PYR_SPACE(k / PYR_SIDE, k % PYR_SIDE))
            pyr_json_text(json, NULL, space);
    }
    pyr_json_close(json);
}

/* `desk` is the desk before the choice. Numbers of cards count from 1, as in the notation. */
static void json_step(struct pyr_json *json, const struct pyr_desk *desk, pyr_step step)
{
    pyr_json_object(json, NULL);
    switch (pyr_step_kind(step)) {
    case PYR_STEP_KEEP:
        pyr_json_text(json, "kind", "keep");
        pyr_json_array(json, "cards");
        pyr_json_number(json, NULL, pyr_step_card(step) + 1);
        pyr_json_number(json, NULL, pyr_step_second(step) + 1);
        pyr_json_close(json);
        break;
    case PYR_STEP_TAKE:
        pyr_json_text(json, "kind", "take");
        pyr_json_number(json, "card", pyr_step_card(step) + 1);
        break;
    case PYR_STEP_DRAW: pyr_json_text(json, "kind", "draw"); break;
    case PYR_STEP_PASS: pyr_json_text(json, "kind", "pass"); break;
    case PYR_STEP_MARK:
        pyr_json_text(json, "kind", "mark");
        pyr_json_number(json, "card", desk->card[pyr_step_slot(step)] + 1);
        json_spaces(json, pyr_step_spaces(step));
        break;
    }
    pyr_json_close(json);
}

/* The immediate gains of a choice, as codes: pages and programs use their own words for them. */
static void json_effects(struct pyr_json *json, const struct pyr_edition *edition, const struct pyr_view *view,
    const struct pyr_option *option)
{
    /* In the order of enum pyr_judge_effect_code; the name of the number. */
    static const struct { const char *code, *number;
    } words[] = { { "way", "spaces" }, { "race", "points" }, { "pyramid", "card" }, { "points", "points" },
        { "rubies", "count" }, { "emeralds", "count" }, { "torch", "round" }, { "skulls", "count" }, { "erased", "count" } };
    static const char *const colours[] = { "green", "orange", "purple" };
    struct pyr_judge_effect list[PYR_JUDGE_EFFECTS];
    unsigned count = pyr_judge_effects(edition, view, option, list);
    pyr_json_array(json, "effects");
    for (unsigned i = 0; i < count; i++) {
        enum pyr_judge_effect_code code = list[i].code;
        pyr_json_object(json, NULL);
        pyr_json_text(json, "code", words[code].code);
        pyr_json_number(json, words[code].number, list[i].number);
        if (code == PYR_EFFECT_POINTS || code == PYR_EFFECT_RACE || code == PYR_EFFECT_PYRAMID)
            pyr_json_text(json, "colour", colours[list[i].colour]);
        pyr_json_close(json);
    }
    pyr_json_close(json);
}

static void print_json(const struct pyr_edition *edition, const struct pyr_view *view, const struct pyr_option *list,
    unsigned count)
{
    struct pyr_json *json = cli_json_begin();
    pyr_json_array(json, NULL);
    for (unsigned i = 0; i < count; i++) {
        char choice[PYR_JUDGE_CHOICE];
        pyr_judge_write_choice(&view->mine, &list[i], choice, sizeof choice);
        pyr_json_object(json, NULL);
        pyr_json_text(json, "choice", choice);
        pyr_json_array(json, "steps");
        for (unsigned k = 0; k < list[i].count; k++)
            json_step(json, &view->mine, list[i].step[k]);
        pyr_json_close(json);
        pyr_text_json_real(json, "win", list[i].win, 4);
        pyr_text_json_real(json, "points", list[i].points, 2);
        pyr_json_number(json, "playouts", list[i].playouts);
        json_effects(json, edition, view, &list[i]);
        pyr_json_close(json);
    }
    pyr_json_close(json);
    cli_json_end(json);
}

/* Columns: the choice in notation, the chance to win, expected final points, and its gains in words. */
static void print_options(const struct pyr_edition *edition, const struct pyr_view *view, const struct pyr_option *list,
    unsigned count)
{
    struct pyr_column column[] = { { _("choice"), 0, -28 }, { _("win"), 1, 7 }, { _("points"), 1, 8 },
        { _("gains"), 2, 0 } };
    pyr_text_heading(stdout, column, 4);
    for (unsigned i = 0; i < count; i++) {
        char choice[PYR_JUDGE_CHOICE], gains[256];
        pyr_judge_write_choice(&view->mine, &list[i], choice, sizeof choice);
        pyr_judge_gains(edition, view, &list[i], gains, sizeof gains);
        pyr_text_cell(stdout, &column[0], "%s", choice);
        pyr_text_cell(stdout, &column[1], "%s", PYR_PERCENT(100 * list[i].win, 1));
        pyr_text_cell(stdout, &column[2], "%s", PYR_NUMBER(list[i].points, 1));
        pyr_text_cell(stdout, &column[3], "%s\n", gains);
    }
}

/* False without memory. If there is nothing to choose, --json prints an empty list. */
static bool hint(const struct cli_position *position, uint32_t playouts, uint64_t seed, unsigned top, bool json)
{
    const struct pyr_edition *edition = &position->edition;
    const struct pyr_state *state = &position->replay.state;
    struct pyr_option list[PYR_MAX_OPTIONS];
    struct pyr_view view;
    struct pyr_rng rng;
    unsigned count = 0;
    if (position->may_choose && state->open.waiting >> position->seat & 1) {
        void *memory = aligned_alloc(64, (pyr_analysis_memory(&edition->box) + 63) / 64 * 64);
        if (!memory)
            return false;
        pyr_analysis_prepare(memory, &edition->box);
        pyr_view_init(&view, state, position->seat);
        pyr_rng_seed(&rng, seed, 0);
        cli_end_on_interrupt();
        count = pyr_analysis_options(memory, &edition->box, &view, playouts, &rng, NULL, list, PYR_MAX_OPTIONS);
        free(memory);
    }
    if (json)
        print_json(edition, &view, list, count < top ? count : top);
    else if (count)
        print_options(edition, &view, list, count < top ? count : top);
    else
        fprintf(stderr, _("seat %u has nothing to choose now\n"), position->seat + 1u);
    return true;
}

int cli_hint(int argc, char **argv)
{
    static struct cli_position position;
    const char *value[OPTIONS];
    struct cli_option option[OPTIONS + 1] = {
        [TOP] = { "top", 'n', "N", _("number of choices to show (default 5)") },
        [PLAYOUTS] = { "playouts", 'p', "N", _("number of simulated games (default 20000)") },
        [SEED] = { "seed", 0, "S", _("random seed (default 1)") },
    };
    const struct cli_options options = {
        "hint FILE --seat S [--edition E] [--view] [OPTIONS]",
        _("Lists the best choices of a seat at the end of a record: the chance to win, expected final points, and\n"
          "what the choice gains. Uses only what that seat can see. - is standard input."),
        option,
        "  pyramids hint game.pyr --seat 1\n"
        "  pyramids hint game.pyr --seat 2 --top 3 --json\n",
    };
    cli_position_options(option, _("the seat to advise, 1 to 4"));
    int code = cli_parse(&options, &argc, argv, value);
    if (code >= 0)
        return code;
    uint64_t top = 5, playouts = 20000, seed = 1;
    bool json = value[CLI_JSON] != NULL;
    if ((value[TOP] && !cli_number(value[TOP], "--top", 1, PYR_MAX_OPTIONS, &top)) ||
        (value[PLAYOUTS] && !cli_number(value[PLAYOUTS], "--playouts", 100, 10000000, &playouts)) ||
        (value[SEED] && !cli_number(value[SEED], "--seed", 0, UINT64_MAX, &seed)))
        return CLI_USAGE;
    code = cli_position_load(&position, argc, argv, value);
    if (code)
        return code;
    if (!hint(&position, (uint32_t)playouts, seed, (unsigned)top, json)) {
        cli_error(_("out of memory"));
        if (json)
            cli_json_refuse(position.text.name, "memory", NULL);
        code = CLI_WRONG;
    }
    cli_position_free(&position);
    return code;
}
