/**
 * codes.js: numbers of the C headers: error codes by name, offsets of struct members in the module's memory, the encoding of
 * a step.
 * Made by scripts/codes from src/wasm/codes.c; do not change it by hand.
 */
export const ERR = { not_pattern: -191, record_edition: -600, penalty_falls: -300, penalty_range: -299 };
export const TEXT = { line: 4096 };
export const SEAT = { nobody: 255, onlooker: 254 };
export const PHASE = { keep: 0, show: 1, reveal: 2, mark: 3, replace: 4, end: 5 };
export const GAME = { seats: 4, slots: 2, cards: 48, spaces: 25, patterns: 6, forms: 8, rounds: 4, turns: 7, skulls: 10,
    penalty: 999, claims: 84 };
export const TILE = { first: 10, second: 6, third: 3 };
export const WORTH = { pyramid: 10, torch: 5, pair: 5, gem: 1 };
export const STEP = { half: 35, other: 29, kind: 30, second: 6, card: 63, spaces: 528349151, row: 6 };
export const KIND = { pass: 0, keep: 1, take: 2, draw: 3 };
export const DESK = { free: 0, done: 16, skulls: 24, rubies: 25, emeralds: 26, torches: 27, card: 28, flags: 30,
    due: 31, tomb: 1, first: 4, size: 32 };
export const VIEW = { desk: 0, seats: 136, phase: 137, round: 138, turn: 139, waiting: 140, deck_left: 141,
    display: 142, revealed: 146, tile: 154, completed: 171, replace_order: 179, replacing: 183, cards_owed: 184,
    mine: 192, dealt: 224, seat: 228, size: 232 };
export const LENGTH = { display: 4, revealed: 8, tile: 9, completed: 8, replace_order: 4, dealt: 4 };
export const SCORE = { total: 0, pyramids: 2, torches: 4, points: 6, gems: 8, skulls: 10 };
export const OUTLOOK = { points: 0, win: 16 };
export const SENT = { choose: 0, retract: 1 };
export const EVENT = { table: 1, lines: 2, ready: 3, edition: 4, over: 5, refused: 7, done: 8, presence: 9,
    returned: 10, missed: 11, bad: 12, reaction: 13 };
export const WISH = { connect: 1, drop: 2 };
export const FLAG = { elsewhere: 1, restarting: 2, slow: 4, unsent: 8, reacts: 16 };
export const HOST = { gone: 120000 };
export const THEME = { card: 1, race: 2, cross: 4, skull: 8, tomb: 16, last: 32 };
export const FAIR = { good: 0, no_commitment: 2 };
export const STORY = { show: 1, reveal: 2, lost: 8, complete: 9, score: 13 };
export const LUCK = { decision: 1, chance: 2, cap: 32768, quick: 512, seed: 1, unsure: 0, exact: 2 };
export const OPTION = { usual: 401, points: 408, win: 412, points_margin: 416, win_margin: 420, size: 432 };
export const DECISION = { line: 0, seat: 4, made: 8, best: 440, bests: 2600, points_lost: 2604, win_lost: 2608,
    points_gained: 2636, mark: 2644, mildest: 2648, worst: 2652, state: 2656, playouts: 2660, points_margin: 2612,
    win_margin: 2616 };
export const CHANCE = { line: 0, after: 8, luck: 40 };
export const SUM = { actual: 0, luck: 12, skill: 16, lost: 28, rate: 60, luck_margin: 64, rate_margin: 84 };
export const POINTS = { dubious: 150, mistake: 300, blunder: 600 };
export const WIN = { dubious: 200, mistake: 500, blunder: 1000 };
