/* abi.c: prints the binary interface of the library as far as headers define it: sizes of structs, offsets of members
 * and values of enums. abi.sh compares the output, and the names that the library exports, with the stored ones. */
#include <stddef.h>
#include <stdio.h>

#include <pyramids/aim.h>
#include <pyramids/bots.h>
#include <pyramids/env.h>
#include <pyramids/fair.h>
#include <pyramids/generate.h>
#include <pyramids/instance.h>
#include <pyramids/judge.h>
#include <pyramids/text.h>

#define SIZE(name) printf("struct %s %zu %zu\n", #name, sizeof(struct name), _Alignof(struct name));
#define AT(name, member) printf("member %s.%s %zu\n", #name, #member, offsetof(struct name, member));
#define VALUE(name) printf("value %s %d\n", #name, (int)(name));

static void structs(void)
{
    SIZE(pyr_aim) SIZE(pyr_bot) SIZE(pyr_box) SIZE(pyr_box_fault) SIZE(pyr_budget) SIZE(pyr_card_face) SIZE(pyr_card_survey)
    SIZE(pyr_chance) SIZE(pyr_column) SIZE(pyr_desk) SIZE(pyr_edition) SIZE(pyr_env) SIZE(pyr_env_action)
    SIZE(pyr_env_arrays) SIZE(pyr_env_field) SIZE(pyr_env_game) SIZE(pyr_env_options) SIZE(pyr_event) SIZE(pyr_fair)
    SIZE(pyr_fair_report) SIZE(pyr_fair_stream) SIZE(pyr_fault) SIZE(pyr_game) SIZE(pyr_judge_options) SIZE(pyr_judge_report)
    SIZE(pyr_lines) SIZE(pyr_log) SIZE(pyr_luck_chance) SIZE(pyr_luck_decision) SIZE(pyr_luck_how) SIZE(pyr_luck_log)
    SIZE(pyr_luck_sum) SIZE(pyr_luck_task) SIZE(pyr_luck_threshold) SIZE(pyr_match) SIZE(pyr_option) SIZE(pyr_options)
    SIZE(pyr_out)
    SIZE(pyr_outlook) SIZE(pyr_part) SIZE(pyr_pattern_turns) SIZE(pyr_pending) SIZE(pyr_components) SIZE(pyr_replay)
        SIZE(pyr_rng)
    SIZE(pyr_score) SIZE(pyr_sink) SIZE(pyr_state) SIZE(pyr_steps) SIZE(pyr_survey) SIZE(pyr_table) SIZE(pyr_view)
    SIZE(pyr_word)
}

static void members(void)
{
    AT(pyr_desk, free) AT(pyr_desk, reach) AT(pyr_desk, done) AT(pyr_desk, skulls) AT(pyr_desk, rubies) AT(pyr_desk,
        emeralds)
    AT(pyr_desk, torches) AT(pyr_desk, card) AT(pyr_desk, flags) AT(pyr_desk, due) AT(pyr_desk, tally)
    AT(pyr_table, desk) AT(pyr_table, deck) AT(pyr_table, seats) AT(pyr_table, phase) AT(pyr_table, round) AT(pyr_table,
        turn)
    AT(pyr_table, waiting) AT(pyr_table, deck_left) AT(pyr_table, display) AT(pyr_table, revealed) AT(pyr_table, tile)
    AT(pyr_table, kept) AT(pyr_table, completed) AT(pyr_table, replace_order) AT(pyr_table, replacing)
        AT(pyr_table, cards_owed)
    AT(pyr_state, open) AT(pyr_state, desk) AT(pyr_state, hidden)
    AT(pyr_chance, dealt) AT(pyr_chance, deck) AT(pyr_chance, expedition)
    AT(pyr_view, open) AT(pyr_view, mine) AT(pyr_view, dealt) AT(pyr_view, seat)
    AT(pyr_score, total) AT(pyr_score, pyramids) AT(pyr_score, torches) AT(pyr_score, points) AT(pyr_score, gems)
    AT(pyr_score, skulls) AT(pyr_outlook, points) AT(pyr_outlook, win)
    AT(pyr_fault, code) AT(pyr_fault, line) AT(pyr_fault, column) AT(pyr_fault, number) AT(pyr_fault, word) AT(pyr_fault,
        expected)
    AT(pyr_match, game) AT(pyr_match, log) AT(pyr_game, replay) AT(pyr_game, choice) AT(pyr_log, start) AT(pyr_log, lines)
    AT(pyr_luck_decision, made) AT(pyr_luck_decision, best) AT(pyr_luck_decision, points_lost) AT(pyr_luck_decision, mark)
    AT(pyr_luck_chance, after) AT(pyr_luck_chance, luck) AT(pyr_luck_sum, luck) AT(pyr_luck_sum, rate)
    AT(pyr_bot, name) AT(pyr_bot, memory) AT(pyr_bot, prepare) AT(pyr_bot, choose)
}

static void values(void)
{
    VALUE(PYR_GREEN) VALUE(PYR_ORANGE) VALUE(PYR_PURPLE) VALUE(PYR_KEEP) VALUE(PYR_SHOW) VALUE(PYR_REVEAL) VALUE(PYR_MARK)
    VALUE(PYR_REPLACE) VALUE(PYR_END) VALUE(PYR_STEP_PASS) VALUE(PYR_STEP_KEEP) VALUE(PYR_STEP_TAKE) VALUE(PYR_STEP_DRAW)
    VALUE(PYR_STEP_MARK) VALUE(PYR_EVENT_HEADER) VALUE(PYR_EVENT_DEAL) VALUE(PYR_EVENT_MARK) VALUE(PYR_EVENT_WINNER)
    VALUE(PYR_EVENT_KINDS) VALUE(PYR_STAGE_HEADER) VALUE(PYR_STAGE_PLAY) VALUE(PYR_STAGE_OVER) VALUE(PYR_FAIR_CARDS)
    VALUE(PYR_JUDGE_CANCELLED) VALUE(PYR_LUCK_BLUNDER) VALUE(PYR_INSTANCE_DECISION) VALUE(PYR_INSTANCE_CHANCE)
    VALUE(PYR_NOBODY)
    VALUE(PYR_SPECTATOR)
#define ERROR(NAME, name, number, rule) VALUE(PYR_ERR_##NAME)
    PYR_ERRORS(ERROR)
}

int main(void)
{
    structs();
    members();
    values();
    return 0;
}
