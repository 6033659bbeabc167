/**
 * codes.js: numbers of the C headers: error codes by name, offsets of struct members in the module's memory, the encoding of
 * a step.
 * Made by scripts/codes from src/wasm/codes.c; do not change it by hand.
 */
export const ERR = { seats: -100, chance_deal: -99, chance_deck: -98, chance_expedition: -97, not_in_deck: -96,
    not_in_round: -95, state: -94, phase: -200, not_due: -199, step: -198, not_dealt: -197, not_on_desk: -196,
    wall: -195, marked: -194, no_entrance: -193, no_touch: -192, not_pattern: -191, extra_one: -190, must_mark: -189,
    must_pass: -188, not_in_display: -187, deck_empty: -186, extra_missing: -185, extra_too_many: -184,
    penalty_falls: -300, penalty_range: -299, pattern_size: -298, pattern_apart: -297, pattern_corner: -296,
    pattern_alike: -295, copies: -294, card_spaces: -293, card_entrance: -292, card_tomb: -291, card_apart: -290,
    card_colour: -289, colour_count: -288, text_encoding: -400, text_line: -399, text_space: -398, text_header: -397,
    text_version: -396, text_keyword: -395, text_missing: -394, text_extra: -393, text_number: -392, text_range: -391,
    text_long: -390, text_colour: -389, text_twice: -388, text_spaces: -387, text_order: -386, text_move: -385,
    text_end: -384, text_full: -383, edition_row: -500, edition_drawing: -499, edition_patterns: -498,
    edition_cards: -497, edition_needs: -496, edition_same_name: -495, record_edition: -600, record_expected: -599,
    record_seat: -598, record_players: -597, record_pattern: -596, record_dealt: -595, record_show_count: -594,
    record_points: -593, record_score: -592, record_winner: -591, record_over: -590, not_ready: -700, confirmed: -699,
    no_undo: -698, no_such_line: -697, env_options: -800, env_array: -799, env_data: -798 };
export const SEAT = { nobody: 255, onlooker: 254 };
export const PHASE = { keep: 0, show: 1, reveal: 2, mark: 3, replace: 4, end: 5 };
export const TILE = { first: 10, second: 6, third: 3 };
export const WORTH = { pyramid: 10, torch: 5, pair: 5, gem: 1 };
export const STEP = { half: 35, other: 29, kind: 30, second: 6, row: 6 };
export const KIND = { pass: 0, keep: 1, take: 2, draw: 3 };
export const DESK = { free: 0, done: 16, skulls: 24, rubies: 25, emeralds: 26, torches: 27, card: 28, flags: 30,
    due: 31, tomb: 1, first: 4, size: 32 };
export const VIEW = { desk: 0, seats: 136, phase: 137, round: 138, turn: 139, waiting: 140, deck_left: 141,
    display: 142, revealed: 146, tile: 154, completed: 171, replace_order: 179, replacing: 183, cards_owed: 184,
    mine: 192, dealt: 224, seat: 228, size: 232 };
export const SCORE = { total: 0, pyramids: 2, torches: 4, points: 6, gems: 8, skulls: 10 };
export const OUTLOOK = { points: 0, win: 16 };
export const EVENT = { table: 1, lines: 2, ready: 3, edition: 4, over: 5, refused: 7, done: 8, presence: 9,
    returned: 10, missed: 11, bad: 12 };
export const WISH = { connect: 1, drop: 2 };
export const FLAG = { elsewhere: 1, restarting: 2, slow: 4, unsent: 8 };
export const LUCK = { decision: 1, chance: 2, cap: 32768, quick: 512, seed: 1, unsure: 0, exact: 2 };
export const OPTION = { usual: 401, points: 408, win: 412, points_margin: 416, win_margin: 420, size: 432 };
export const DECISION = { line: 0, seat: 4, made: 8, best: 440, bests: 2600, points_lost: 2604, win_lost: 2608,
    points_gained: 2636, mark: 2644, mildest: 2648, worst: 2652, state: 2656, playouts: 2660, points_margin: 2612,
    win_margin: 2616 };
export const CHANCE = { line: 0, after: 8, luck: 40 };
export const SUM = { actual: 0, luck: 12, skill: 16, lost: 28, rate: 60, luck_margin: 64, rate_margin: 84 };
export const POINTS = { dubious: 150, mistake: 300, blunder: 600 };
export const WIN = { dubious: 200, mistake: 500, blunder: 1000 };
