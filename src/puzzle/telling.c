/*
 * telling.c: the JSON that clients show for a puzzle (puzzler.h). Values are in hundredths.
 */
#include <pyramids/puzzler.h>
#include <pyramids/score.h>

#include "inside.h"

#define SHOWN 10                 /* choices in a verdict */

static void tell_choice(const struct pyr_puzzle_open *open, const struct pyr_puzzle_choice *choice, const char *name,
    struct pyr_json *json)
{
    char text[PYR_CHOICE_SIZE];
    struct pyr_out out;
    pyr_out_init(&out, text, sizeof text);
    pyr_puzzle_write_choice(open, choice, &out);
    pyr_json_text(json, name, text);
}

static void tell_themes(uint8_t themes, struct pyr_json *json)
{
    pyr_json_array(json, "themes");
    for (unsigned t = 0; t < PYR_PUZZLE_THEME_COUNT; t++)
        if (themes >> t & 1)
            pyr_json_text(json, NULL, pyr_puzzle_theme_name(t));
    pyr_json_close(json);
}

/* Opponents who may claim pyramid points in this turn: completing one more card of a colour is a claim, and its tomb is
 * within reach of the pattern. */
static void tell_threats(const struct pyr_view *view, const struct pyr_box *box, struct pyr_json *json)
{
    const struct pyr_table *open = &view->open;
    pyr_json_array(json, "threats");
    for (unsigned seat = 0; open->phase == PYR_MARK && seat < open->seats; seat++) {
        const struct pyr_desk *desk = &open->desk[seat];
        for (unsigned slot = 0; seat != view->seat && slot < PYR_SLOTS; slot++) {
            pyr_card card = desk->card[slot];
            if (card == PYR_NO_CARD)
                continue;
            unsigned colour = box->card[card].colour, place = 0;
            unsigned count = (unsigned)__builtin_popcountll(desk->done & box->colour[colour]);
            while (place < PYR_TILES && open->tile[colour][place] != PYR_NOBODY)
                place++;
            if (place == PYR_TILES || !pyr_options_is_claim(pyr_table_options(open), count + 1) ||
                pyr_card_distance(&box->card[card], pyr_pair_half(slot, desk->free), pyr_pair_half(slot, desk->reach)) >
                    box->pattern[open->revealed[open->turn]].size)
                continue;
            pyr_json_object(json, NULL);
            pyr_json_count(json, "seat", seat + 1);
            pyr_json_count(json, "colour", colour);
            pyr_json_number(json, "points", pyr_tile_value(place));
            pyr_json_close(json);
        }
    }
    pyr_json_close(json);
}

void pyr_puzzle_tell(const struct pyr_puzzle_open *open, const struct pyr_box *box, const char *name,
    struct pyr_json *json)
{
    const struct pyr_table *table = &open->view.open;
    const struct pyr_options *options = pyr_table_options(table);
    pyr_json_object(json, name);
    pyr_json_count(json, "number", open->puzzle.number);
    tell_themes(open->puzzle.themes, json);
    pyr_json_numbers(json, (struct pyr_json_field[]){ { "rating", open->puzzle.rating }, { "seat", open->puzzle.seat + 1 },
        { "seats", table->seats }, { "round", table->round + 1 }, { "turn", table->turn + 1 },
        { "left", (options->rounds - table->round) * options->turns - 1 - table->turn }, { NULL, 0 } });
    pyr_json_text(json, "asks", table->phase == PYR_MARK ? "mark" : table->phase == PYR_KEEP ? "keep" : "card");
    tell_threats(&open->view, box, json);
    pyr_json_close(json);
}

static void tell_gain(const struct pyr_puzzle_gain *gain, struct pyr_json *json)
{
    pyr_json_object(json, "gain");
    pyr_json_numbers(json, (struct pyr_json_field[]){ { "pyramids", gain->pyramids }, { "points", gain->points },
        { "rubies", gain->rubies }, { "emeralds", gain->emeralds }, { "torches", gain->torches }, { "skulls", gain->skulls },
        { "extras", gain->extras }, { NULL, 0 } });
    pyr_json_close(json);
}

static void tell_listed(const struct pyr_puzzle_open *open, const struct pyr_box *box,
    const struct pyr_puzzle_choice *choice, bool at_most, struct pyr_json *json)
{
    const struct pyr_puzzle_gain gain = pyr_puzzle_gain(box, &open->view, choice);
    pyr_json_object(json, NULL);
    tell_choice(open, choice, "choice", json);
    pyr_json_number(json, "value", choice->value);
    if (at_most)
        pyr_json_bool(json, "at_most", true);
    tell_gain(&gain, json);
    pyr_json_close(json);
}

void pyr_puzzle_tell_verdict(const struct pyr_puzzle_open *open, const struct pyr_box *box,
    const struct pyr_puzzle_verdict *verdict, const char *name, struct pyr_json *json)
{
    unsigned shown = open->count < SHOWN ? open->count : SHOWN;
    bool apart = verdict->place < 0 || verdict->place >= SHOWN;
    pyr_json_object(json, name);
    pyr_json_bool(json, "right", verdict->right);
    pyr_json_bool(json, "best", verdict->is_best);
    pyr_json_number(json, "cost", verdict->cost);
    pyr_json_bool(json, "at_least", verdict->at_least);
    pyr_json_text(json, "unit", open->is_win ? "win" : "points");
    pyr_json_count(json, "playouts", open->puzzle.playouts);
    pyr_json_count(json, "all", open->count);
    /* Index in the list below; an answer that is not among the best comes last. */
    pyr_json_number(json, "yours", apart ? (int)shown : verdict->place);
    pyr_json_array(json, "choices");
    for (unsigned i = 0; i < shown; i++)
        tell_listed(open, box, &open->choice[i], false, json);
    if (apart)
        tell_listed(open, box, &verdict->made, verdict->at_least, json);
    pyr_json_close(json);
    pyr_json_close(json);
}

void pyr_puzzle_tell_hint(const struct pyr_puzzle_hint *hint, const struct pyr_puzzle_open *open, const char *name,
    struct pyr_json *json)
{
    const struct pyr_desk *desk = &open->view.open.desk[open->view.seat];
    pyr_json_object(json, name);
    pyr_json_count(json, "step", hint->step);
    if (open->view.open.phase == PYR_MARK) {
        pyr_json_count(json, "card", desk->card[hint->slot] + 1u);
        pyr_json_array(json, "spaces");
        for (unsigned i = 0; i < PYR_SIDE * PYR_SIDE; i++)
            if (hint->spaces & PYR_SPACE(i / PYR_SIDE, i % PYR_SIDE))
                pyr_json_count(json, NULL, i);
        pyr_json_close(json);
    } else {
        pyr_json_number(json, "colour", hint->colour);
        pyr_json_array(json, "cards");
        for (unsigned i = 0; i < 2; i++)
            if (hint->card[i] != PYR_NO_CARD)
                pyr_json_count(json, NULL, hint->card[i] + 1u);
        pyr_json_close(json);
    }
    pyr_json_close(json);
}

void pyr_puzzler_tell(const struct pyr_puzzler *p, const char *name, struct pyr_json *json)
{
    pyr_json_object(json, name);
    pyr_json_numbers(json, (struct pyr_json_field[]){
        { "rating", (int64_t)(p->skill.rating + (p->skill.rating < 0 ? -0.5 : 0.5)) },
        { "deviation", (int64_t)(p->skill.deviation + 0.5) }, { "solved", p->solved }, { "tried", p->tried },
        { "streak", p->streak }, { "best", p->best }, { "day", p->day }, { "days", p->days }, { NULL, 0 } });
    pyr_json_bool(json, "day_right", p->day_right);
    pyr_json_close(json);
}
