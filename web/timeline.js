/**
 * timeline.js: the moves of a record as positions on a timeline, and its drawing: everyone's chance to win, which is
 * also the slider of the replay. It does not use the document: it computes where a move is, which one is nearest to a
 * finger, and the drawing.
 */
import { html } from './html.js';
import { ANIMALS, ROMAN } from './draw.js';
import { moveParts } from './words.js';
import { GAME } from './codes.js';

/** @typedef {import('./core.js').Judged} Judged */
/** @typedef {{card: number, cells: number[]}} Part */
/** @typedef {{line: number, kind: string, seat: number, turn: number, x: number, parts: Part[], words: string[]}} Move
 * turn: from 0, -1 in
 *  the setup; x: its place, from 0 to LENGTH; words: those of its line */

const SETUP = .7;                      // a turn is 1 long
const ROUND = GAME.turns, TURNS = GAME.rounds * ROUND;
export const LENGTH = SETUP + TURNS;

/** Where the chance after a reveal is drawn. @param {number} turn */
const xOf = (turn) => SETUP + turn;

/** II.3. @param {number} turn */
export const turnName = (turn) => turn < 0 ? '–' : `${ROMAN[Math.min(3, turn / ROUND | 0)]}.${1 + turn % ROUND}`;

/** The moves of the timeline: every choice, points that were taken, and the end. @param {string[]} lines
 * @returns {Move[]} */
export function movesOf(lines) {
    /** @type {Move[]} */
    const moves = [];
    let turn = -1;
    lines.forEach((text, line) => {
        const words = text.split(' '), [kind] = words;
        if (kind === 'reveal')
            turn++;
        if (['keep', 'mark', 'take', 'draw', 'points', 'winner'].includes(kind))
            moves.push({ line, kind, seat: Number(words[1]) - 1, turn, x: 0, parts: kind === 'mark' ? moveParts(words[2]) :
                [], words });
    });
    for (let t = -1; t < TURNS; t++) {
        const now = moves.filter((m) => m.turn === t && m.kind !== 'winner'), from = t < 0 ? 0 : xOf(t), long = t < 0 ? SETUP
            : 1;
        now.forEach((m, i) => { m.x = from + long * (i + .5) / now.length; });
    }
    for (const m of moves)
        if (m.kind === 'winner')
            m.x = LENGTH;
    return moves;
}

/** The chance to win of each seat at the beginning of each turn, and at the end. @param {Judged} judged @param {string[]}
 * lines
 * @param {number[]} winners @returns {{x: number, win: number[]}[]} */
export function chancesOf(judged, lines, winners) {
    const at = new Map(judged.chances.map((c) => [c.line, c.after.win]));
    /** @type {{x: number, win: number[]}[]} */
    const points = [];
    let turn = 0;
    lines.forEach((text, line) => {
        if (!text.startsWith('reveal '))
            return;
        const win = at.get(line);
        if (win)
            points.push({ x: xOf(turn), win });
        turn++;
    });
    if (points.length && winners.length)
        points.push({ x: LENGTH, win: points[0].win.map((_w, s) => winners.includes(s) ? 1 / winners.length : 0) });
    return points;
}

/** The chance at x, interpolated between two points. @param {{x: number, win: number[]}[]} points @param {number} x
 * @param {number} seat */
export function chanceAt(points, x, seat) {
    const next = points.findIndex((p) => p.x >= x), b = points[next < 0 ? points.length - 1 : next], a = points[Math.max(0,
        next - 1)] ?? b;
    if (!b)
        return null;
    return next <= 0 || b.x === a.x ? b.win[seat] : a.win[seat] + (b.win[seat] - a.win[seat]) * (x - a.x) / (b.x - a.x);
}

const LEFT = 34, RIGHT = 26, TOP = 13, FOOT = 21, SNAP = 22;

/** @param {number} width @param {number} x */
const place = (width, x) => LEFT + (width - LEFT - RIGHT) * x / LENGTH;

/** The move at a place of the drawing: a marked one within a finger's breadth, else the nearest.
 * @param {Move[]} moves @param {Set<number>} marked lines @param {number} width @param {number} px */
export function moveAt(moves, marked, width, px) {
    const far = /** @param {Move} m */ (m) => Math.abs(place(width, m.x) - px);
    const best = /** @param {Move[]} some */ (some) => some.reduce((a, b) => far(b) < far(a) ? b : a, some[0]);
    const mark = best(moves.filter((m) => marked.has(m.line)));
    return mark && far(mark) <= SNAP / 2 ? mark : best(moves);
}

/** Moves names at the right end apart, so that they do not overlap. @param {number[]} wanted heights
 * @param {number} apart @param {number} most */
function spread(wanted, apart, most) {
    const order = wanted.map((_y, i) => i).sort((a, b) => wanted[a] - wanted[b]), out = [...wanted];
    order.forEach((s, i) => { if (i) out[s] = Math.max(out[s], out[order[i - 1]] + apart); });
    const over = Math.max(0, out[order[order.length - 1]] - most);
    order.reverse().forEach((s, i) => { out[s] = i ? Math.min(out[s], out[order[i - 1]] - apart) : out[s] - over; });
    return out;
}

/** The drawing. @param {{width: number, height: number, at: Move, marks: {move: Move, mark: string}[], points: {x: number,
 * win: number[]}[], seats: number, me: number}} what seats: how many; me: whose line is solid */
export function timelineHtml({ width, height, at, marks, points, seats, me }) {
    const x = /** @param {number} v */ (v) => Math.round(place(width, v) * 10) / 10;
    const y = /** @param {number} p */ (p) => Math.round((TOP + (1 - p) * (height - TOP - FOOT)) * 10) / 10;
    const all = [...Array(seats).keys()], kind = /** @param {number} s */ (s) => s === me ? 0 : me > s ? s + 1 : s;
    const bands = ROMAN.map((r, i) => html`<rect class="band ${i % 2 ? 'odd' : ''}" x="${x(xOf(ROUND * i))}" y="${
        TOP}" width="${
        x(xOf(ROUND)) - x(xOf(0))}" height="${height - TOP - FOOT}"/><text x="${x(xOf(ROUND * i + ROUND / 2))}" y="${height -
            6}"
        text-anchor="middle">${r}</text>`);
    const grid = [0, .5, 1].map((p) => html`<line class="gr" x1="${LEFT}" x2="${width - RIGHT}" y1="${y(p)}" y2="${
        y(p)}"/><text x="${
        LEFT - 6}" y="${y(p) + 4}" text-anchor="end">${100 * p}</text>`);
    const lines = points.length ? all.map((s) => html`<path class="wl s${kind(s)}" d="${points.map((p, i) => `${i ? 'L' :
        'M'}${x(p.x)} ${
        y(p.win[s])}`).join('')}"/>`).reverse() : [];
    const last = points.at(-1), ends = last ? spread(all.map((s) => y(last.win[s])), 17, height - FOOT) : [];
    const animals = last ? all.map((s) => html`<svg class="end s${kind(s)}" x="${x(last.x) + 4}" y="${ends[s] -
        9}" width="18" height="18"
        viewBox="0 0 40 40"><use href="#a-${ANIMALS[s]}"/></svg>`) : [];
    // The costliest first; one that would overlap another is a dot without its sign.
    /** @type {[number, number][]} */
    const taken = [], order = [...marks].sort((a, b) => Number(b.move === at) - Number(a.move === at));
    const dots = order.map(({ move, mark }) => {
        const cy = y(chanceAt(points, move.x, move.seat) ?? .5), cx = x(move.x), small = taken.some(([a, b]) => Math.hypot(cx
            - a, cy - b) < 21);
        if (!small)
            taken.push([cx, cy]);
        return html`<g class="mkr ${move === at ? 'on' : ''}">${small ? html`<circle class="dot" cx="${cx}" cy="${
            cy}" r="4"/>` :
            html`<circle cx="${cx}" cy="${cy}" r="11"/><text x="${cx}" y="${cy + 4}" text-anchor="middle">${
                mark}</text>`}</g>`;
    }).reverse();
    return html`<svg class="tlc" viewBox="0 0 ${width} ${height}" aria-hidden="true">${bands}${grid}${lines}${
        animals}<line class="head" x1="${
        x(at.x)}" x2="${x(at.x)}" y1="7" y2="${height - FOOT}"/><circle class="head" cx="${x(at.x)}" cy="7" r="6"/>${
            dots}</svg>`;
}
