/*
 * codes.c: every number of the C headers that the page needs: error codes, offsets of struct members, the encoding of a
 * step.
 *
 * Nothing here is linked. The file is compiled for wasm32 to assembly, from which scripts/codes reads the values into
 * web/codes.js, so they are those of the module itself. The value code_GROUP_name becomes GROUP.name.
 */
#include <pyramids/fair.h>
#include <pyramids/instance.h>
#include <pyramids/puzzle.h>
#include <pyramids/remote.h>
#include <pyramids/score.h>
#include <pyramids/story.h>
#include <pyramids/view.h>

#include "exports.h"

#define VALUE(group, name, value) \
    extern const int32_t code_##group##_##name; \
    const int32_t code_##group##_##name = (int32_t)(value);
#define MEMBER(group, type, name) VALUE(group, name, offsetof(struct type, name))
#define OPEN(name) VALUE(VIEW, name, offsetof(struct pyr_view, open.name))
#define OPEN_LIST(name) OPEN(name) VALUE(LENGTH, name, sizeof ((struct pyr_view *)0)->open.name)

/* The error codes that the page names; the sentences of all are in faulttexts.js and sentences.js. */
VALUE(ERR, not_pattern, PYR_ERR_NOT_PATTERN)
VALUE(ERR, record_edition, PYR_ERR_RECORD_EDITION)
VALUE(ERR, penalty_falls, PYR_ERR_PENALTY_FALLS)
VALUE(ERR, penalty_range, PYR_ERR_PENALTY_RANGE)

VALUE(TEXT, line, PYR_MAX_LINE)

/* Numbers that are not seats. */
VALUE(SEAT, nobody, PYR_NOBODY)
VALUE(SEAT, onlooker, PYR_SPECTATOR)

/* enum pyr_phase */
VALUE(PHASE, keep, PYR_KEEP)
VALUE(PHASE, show, PYR_SHOW)
VALUE(PHASE, reveal, PYR_REVEAL)
VALUE(PHASE, mark, PYR_MARK)
VALUE(PHASE, replace, PYR_REPLACE)
VALUE(PHASE, end, PYR_END)

/* Numbers of the rules (base.h, options.h): components, length, which pyramids claim points (bits), and the points of
 * everything. */
VALUE(GAME, seats, PYR_MAX_SEATS)
VALUE(GAME, slots, PYR_SLOTS)
VALUE(GAME, cards, PYR_CARDS)
VALUE(GAME, spaces, PYR_SIDE * PYR_SIDE)
VALUE(GAME, patterns, PYR_PATTERNS)
VALUE(GAME, forms, PYR_MAX_TURNS)
VALUE(GAME, rounds, PYR_ROUNDS)
VALUE(GAME, turns, PYR_TURNS)
VALUE(GAME, skulls, PYR_SKULLS)
VALUE(GAME, penalty, PYR_MAX_PENALTY)
VALUE(GAME, claims, PYR_RULEBOOK_CLAIMS)
VALUE(TILE, first, PYR_RULEBOOK_TILE_1)
VALUE(TILE, second, PYR_RULEBOOK_TILE_2)
VALUE(TILE, third, PYR_RULEBOOK_TILE_3)
VALUE(WORTH, pyramid, PYR_RULEBOOK_PYRAMID)
VALUE(WORTH, torch, PYR_RULEBOOK_TORCH)
VALUE(WORTH, pair, PYR_RULEBOOK_GEM_PAIR)
VALUE(WORTH, gem, PYR_RULEBOOK_GEM)

/* A step: bits (step.h), and enum pyr_step_kind. */
VALUE(STEP, half, PYR_PAIR_SHIFT)
VALUE(STEP, other, __builtin_ctzll(PYR_STEP_OTHER))
VALUE(STEP, kind, PYR_STEP_KIND_SHIFT)
VALUE(STEP, second, PYR_STEP_SECOND_SHIFT)
VALUE(STEP, card, (1 << PYR_STEP_SECOND_SHIFT) - 1)
VALUE(STEP, spaces, PYR_ALL_SPACES)
VALUE(STEP, row, PYR_ROW)
VALUE(KIND, pass, PYR_STEP_PASS)
VALUE(KIND, keep, PYR_STEP_KEEP)
VALUE(KIND, take, PYR_STEP_TAKE)
VALUE(KIND, draw, PYR_STEP_DRAW)

/* struct pyr_desk; tomb and first are bits of flags. */
MEMBER(DESK, pyr_desk, free)
MEMBER(DESK, pyr_desk, done)
MEMBER(DESK, pyr_desk, skulls)
MEMBER(DESK, pyr_desk, rubies)
MEMBER(DESK, pyr_desk, emeralds)
MEMBER(DESK, pyr_desk, torches)
MEMBER(DESK, pyr_desk, card)
MEMBER(DESK, pyr_desk, flags)
MEMBER(DESK, pyr_desk, due)
VALUE(DESK, tomb, PYR_DESK_TOMB(0))
VALUE(DESK, first, PYR_DESK_FIRST)
VALUE(DESK, size, sizeof(struct pyr_desk))

/* struct pyr_view, with the open table inside it; the bytes of its lists. */
OPEN(desk)
OPEN(seats)
OPEN(phase)
OPEN(round)
OPEN(turn)
OPEN(waiting)
OPEN(deck_left)
OPEN_LIST(display)
OPEN_LIST(revealed)
OPEN_LIST(tile)
OPEN_LIST(completed)
OPEN_LIST(replace_order)
OPEN(replacing)
OPEN(cards_owed)
MEMBER(VIEW, pyr_view, mine)
MEMBER(VIEW, pyr_view, dealt)
VALUE(LENGTH, dealt, sizeof ((struct pyr_view *)0)->dealt)
MEMBER(VIEW, pyr_view, seat)
VALUE(VIEW, size, sizeof(struct pyr_view))

MEMBER(SCORE, pyr_score, total)
MEMBER(SCORE, pyr_score, pyramids)
MEMBER(SCORE, pyr_score, torches)
MEMBER(SCORE, pyr_score, points)
MEMBER(SCORE, pyr_score, gems)
MEMBER(SCORE, pyr_score, skulls)

MEMBER(OUTLOOK, pyr_outlook, points)
MEMBER(OUTLOOK, pyr_outlook, win)

/* A game on a server (remote.h): messages, events, what to do with the connection, remote_flags. */
VALUE(SENT, choose, PYR_REMOTE_CHOOSE)
VALUE(SENT, retract, PYR_REMOTE_RETRACT)
VALUE(EVENT, table, PYR_REMOTE_TABLE)
VALUE(EVENT, lines, PYR_REMOTE_LINES)
VALUE(EVENT, ready, PYR_REMOTE_READY)
VALUE(EVENT, edition, PYR_REMOTE_EDITION)
VALUE(EVENT, over, PYR_REMOTE_IS_OVER)
VALUE(EVENT, refused, PYR_REMOTE_REFUSED)
VALUE(EVENT, done, PYR_REMOTE_DONE)
VALUE(EVENT, presence, PYR_REMOTE_PRESENCE)
VALUE(EVENT, returned, PYR_REMOTE_RETURNED)
VALUE(EVENT, missed, PYR_REMOTE_MISSED)
VALUE(EVENT, bad, PYR_REMOTE_BAD_LINES)
VALUE(EVENT, reaction, PYR_REMOTE_REACTION)
VALUE(WISH, connect, PYR_REMOTE_CONNECT)
VALUE(WISH, drop, PYR_REMOTE_DROP)
VALUE(FLAG, elsewhere, WASM_ELSEWHERE)
VALUE(FLAG, restarting, WASM_RESTARTING)
VALUE(FLAG, slow, WASM_SLOW)
VALUE(FLAG, unsent, WASM_UNSENT)
VALUE(FLAG, reacts, WASM_REACTS)

/* In milliseconds. */
VALUE(HOST, gone, PYR_REMOTE_HOST_GONE)

/* What a puzzle is about (puzzle.h), by the names of addresses. */
#define THEME_OF(NAME, number, name, letter) VALUE(THEME, name, 1 << number)
PYR_PUZZLE_THEMES(THEME_OF)

/* The results of checking a shuffle (fair.h). */
VALUE(FAIR, good, PYR_FAIR_GOOD)
VALUE(FAIR, no_commitment, PYR_FAIR_NO_COMMITMENT)

/* Events in a line of a record (story.h): the kinds that the page treats specially. */
VALUE(STORY, show, PYR_STORY_SHOW)
VALUE(STORY, reveal, PYR_STORY_REVEAL)
VALUE(STORY, lost, PYR_STORY_LOST)
VALUE(STORY, complete, PYR_STORY_COMPLETE)
VALUE(STORY, score, PYR_STORY_SCORE)

/* The analysis of a game (luck.h). */
VALUE(LUCK, decision, PYR_INSTANCE_DECISION)
VALUE(LUCK, chance, PYR_INSTANCE_CHANCE)
VALUE(LUCK, cap, PYR_LUCK_CAP)
VALUE(LUCK, quick, PYR_LUCK_QUICK)
VALUE(LUCK, seed, PYR_LUCK_SEED)
VALUE(LUCK, unsure, PYR_LUCK_UNSURE)
VALUE(LUCK, exact, PYR_LUCK_EXACT)
MEMBER(OPTION, pyr_option, usual)
MEMBER(OPTION, pyr_option, points)
MEMBER(OPTION, pyr_option, win)
MEMBER(OPTION, pyr_option, points_margin)
MEMBER(OPTION, pyr_option, win_margin)
VALUE(OPTION, size, sizeof(struct pyr_option))
MEMBER(DECISION, pyr_luck_decision, line)
MEMBER(DECISION, pyr_luck_decision, seat)
MEMBER(DECISION, pyr_luck_decision, made)
MEMBER(DECISION, pyr_luck_decision, best)
MEMBER(DECISION, pyr_luck_decision, bests)
MEMBER(DECISION, pyr_luck_decision, points_lost)
MEMBER(DECISION, pyr_luck_decision, win_lost)
MEMBER(DECISION, pyr_luck_decision, points_gained)
MEMBER(DECISION, pyr_luck_decision, mark)
MEMBER(DECISION, pyr_luck_decision, mildest)
MEMBER(DECISION, pyr_luck_decision, worst)
MEMBER(DECISION, pyr_luck_decision, state)
MEMBER(DECISION, pyr_luck_decision, playouts)
MEMBER(DECISION, pyr_luck_decision, points_margin)
MEMBER(DECISION, pyr_luck_decision, win_margin)
MEMBER(CHANCE, pyr_luck_chance, line)
MEMBER(CHANCE, pyr_luck_chance, after)
MEMBER(CHANCE, pyr_luck_chance, luck)
MEMBER(SUM, pyr_luck_sum, actual)
MEMBER(SUM, pyr_luck_sum, luck)
MEMBER(SUM, pyr_luck_sum, skill)
MEMBER(SUM, pyr_luck_sum, lost)
MEMBER(SUM, pyr_luck_sum, rate)
MEMBER(SUM, pyr_luck_sum, luck_margin)
MEMBER(SUM, pyr_luck_sum, rate_margin)

/* Thresholds of the marks: hundredths of a point, ten-thousandths of the chance to win. */
#define MARK(name, sign, points, win) VALUE(POINTS, name, points) VALUE(WIN, name, win)
PYR_LUCK_MARKS(MARK)
