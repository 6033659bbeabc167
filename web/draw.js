/**
 * draw.js: all drawings: cards, chambers, patterns, symbols, scenes. They are SVG texts made only of numbers; colours
 * come from the style sheet, so one drawing serves both themes. Symbols are defined in index.html.
 */
import { NONE, html } from './html.js';

/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./core.js').Card} Card */
/** @typedef {import('./core.js').Pattern} Pattern */

const C = 60;             // width of a space
const MX = 14, MT = 24, MB = 14;
const W = 5 * C + 2 * MX, H = 5 * C + MT + MB;
export const SYMBOLS = /** @type {Record<string, string>} */ ({ r: 'ruby', e: 'emerald', f: 'torch', s: 'skull',
    p: 'potion', x: 'cross', T: 'tomb' });
export const ROMAN = ['I', 'II', 'III', 'IV'];
export const ANIMALS = ['cat', 'jackal', 'ibis', 'scarab'];

/** @param {number} i */
const px = (i) => MX + (i % 5) * C;
/** @param {number} i */
const py = (i) => MT + (i / 5 | 0) * C;

/** A number from 0 to 1 that is always the same for the same seed. @param {number} seed */
function rnd(seed) {
    const s = Math.sin(seed * 12.9898) * 43758.5453;
    return s - Math.floor(s);
}
/** @param {number} n */
const f1 = (n) => Math.round(n * 10) / 10;

/** @param {string} name @param {string} [more] */
export const icon = (name, more = '') => html`<svg class="ic ${
    more}" viewBox="0 0 24 24" aria-hidden="true"><use href="#i-${name}"/></svg>`;
/** @param {string} name @param {string} [more] */
export const symbol = (name, more = '') => html`<svg class="sy ${
    more}" viewBox="0 0 48 48" aria-hidden="true"><use href="#s-${name}"/></svg>`;
/** The silhouette of a colour. @param {string} colour */
export const shape = (colour) => html`<svg class="pg" viewBox="0 0 24 20" aria-hidden="true"><use href="#p-${
    colour}"/></svg>`;
/** A skull that a potion has erased, which does not count. */
export const erasedSkull =
    html`<svg class="sy erased" viewBox="0 0 48 48" aria-hidden="true"><use href="#s-skull" opacity=".45"/><path
    d="M5 43 43 5"/></svg>`;
/** The character of an edition as a symbol; '' for those without. @param {string} c */
export const symbolOf = (c) => SYMBOLS[c] ? symbol(SYMBOLS[c]) : c === 'erased' ? erasedSkull : NONE;

/** @param {number} seat @param {{small?: boolean, bot?: boolean, me?: boolean, says?: string}} [how] says: the symbol of a
 * reaction */
export function avatar(seat, { small = false, bot = false, me = false, says = '' } = {}) {
    return html`<span class="av ${small ? 'sm' : ''} ${
        me ? 'me' : ''}" aria-hidden="true"><svg viewBox="0 0 40 40"><use href="#a-${
        ANIMALS[seat]}"/></svg>${
        bot && !small ? html`<span class="bot">${icon('bot')}</span>` : ''}${
        says ? html`<span class="bub">${symbol(says)}</span>` : ''}</span>`;
}

/** A rectangle with a different radius at each corner. @param {number} x @param {number} y @param {number} w
 * @param {number} h @param {number[]} r */
const rect = (x, y, w, h, [a, b, c, d]) => `M${x + a} ${y}H${x + w - b}Q${x + w} ${y} ${x + w} ${y + b}V${y + h - c}Q${
    x + w} ${y + h} ${x + w - c} ${
    y + h}H${x + d}Q${x} ${y + h} ${x} ${y + h - d}V${y + a}Q${x} ${y} ${x + a} ${y}Z`;

/** A pen cross: two quick strokes, slightly different each time. @param {number} x @param {number} y @param {number} s
 * @param {number} seed @param {number} w @param {string} [more] */
function pen(x, y, s, seed, w, more = '') {
    const j = /** @param {number} k @param {number} a */ (k, a) => (rnd(seed * 7.13 + k) - .5) * a * s;
    const a = .2 * s, b = .8 * s;
    const d1 = `M${f1(x + a + j(1, .1))} ${f1(y + a + j(2, .1))}Q${f1(x + s / 2 + j(3, .16))} ${f1(y + s / 2 + j(4, .1))} ${
        f1(x + b + j(5, .12))} ${
        f1(y + b + j(6, .1))}`;
    const d2 = `M${f1(x + b + j(7, .1))} ${f1(y + a + j(8, .1))}Q${f1(x + s / 2 + j(9, .16))} ${f1(y + s / 2 + j(10,
        .1))} ${f1(x + a + j(11,
        .12))} ${f1(y + b + j(12, .1))}`;
    return html`<path class="pen ${more}" pathLength="1" stroke-width="${w}" d="${d1}"/><path class="pen two ${
        more}" pathLength="1" stroke-width="${
        f1(w * .92)}" d="${d2}"/>`;
}

/** The outline of a set of spaces. @param {number[]} cells @param {number} [inset] */
function outline(cells, inset = 2) {
    const S = new Set(cells), r = 6;
    let d = '';
    for (const i of cells) {
        const x = px(i) + inset, y = py(i) + inset, s = C - 2 * inset, e = 2 * inset;
        const up = S.has(i - 5), dn = S.has(i + 5), lf = i % 5 > 0 && S.has(i - 1), rt = i % 5 < 4 && S.has(i + 1);
        if (!up) d += `M${x - (lf ? e : -r)} ${y}H${x + s + (rt ? e : -r)}`;
        if (!dn) d += `M${x - (lf ? e : -r)} ${y + s}H${x + s + (rt ? e : -r)}`;
        if (!lf) d += `M${x} ${y - (up ? e : -r)}V${y + s + (dn ? e : -r)}`;
        if (!rt) d += `M${x + s} ${y - (up ? e : -r)}V${y + s + (dn ? e : -r)}`;
        if (!up && !lf) d += `M${x} ${y + r}Q${x} ${y} ${x + r} ${y}`;
        if (!up && !rt) d += `M${x + s - r} ${y}Q${x + s} ${y} ${x + s} ${y + r}`;
        if (!dn && !lf) d += `M${x} ${y + s - r}Q${x} ${y + s} ${x + r} ${y + s}`;
        if (!dn && !rt) d += `M${x + s - r} ${y + s}Q${x + s} ${y + s} ${x + s} ${y + s - r}`;
    }
    return d;
}

/** Letters below the columns and numbers beside the rows, for players who want the names of spaces. */
const names = html`<g class="coords">${[0, 1, 2, 3, 4].map((k) => html`<text x="${px(k) + C / 2}" y="${H - 3.5}">${
    'abcde'[k]}</text><text x="${
    MX / 2}" y="${py(5 * k) + C / 2 + 4}">${k + 1}</text>`)}</g>`;

/** Corner ticks of the spaces that can be marked. @param {number[]} cells */
export function legalLayer(cells) {
    return html`${cells.map((i) => {
        const x = px(i) + 6, y = py(i) + 6, s = C - 12, t = 9;
        return html`<rect class="legal-t" x="${px(i) + 2}" y="${py(i) + 2}" width="${C - 4}" height="${
            C - 4}" rx="5"/><path class="legal" d="M${x} ${
            y + t}V${y}H${x + t}M${x + s - t} ${y}H${x + s}V${y + t}M${x + s} ${y + s - t}V${y + s}H${x + s - t}M${x + t} ${
            y + s}H${x}V${
            y + s - t}"/>`;
    })}`;
}

/** A ring around the space that a lesson asks for, visible on gold, too. @param {number[]} cells */
export const targetLayer = (cells) => html`${cells.map((i) => ['', 'in'].map((kind) => html`<rect class="aimhere ${
    kind}" x="${px(i) + 4}" y="${
    py(i) + 4}" width="${C - 8}" height="${C - 8}" rx="9"/>`))}`;

/** The pattern where it would be placed. @param {number} card @param {number[]} cells */
export function ghostLayer(card, cells) {
    const d = outline(cells);
    return html`${cells.map((i) => html`<rect class="gh-fill" x="${px(i) + 2}" y="${py(i) + 2}" width="${C - 4}" height="${
        C - 4}"/>`)}<path
        class="gh-out" d="${d}"/><path class="gh-line" d="${d}"/>${
        cells.map((i) => pen(px(i) + 3, py(i) + 3, C - 6, card * 25 + i, 4.6))}`;
}

/** A choice that would have been better: dashes, no crosses. @param {number[]} cells */
export function betterLayer(cells) {
    const d = outline(cells, 4);
    return html`<path class="better-w" d="${d}"/><path class="better" d="${d}"/>`;
}

/** A label on a wall beside spaces, if there is a wall: never on a symbol. @param {Card} card @param {number[]} cells
 * @param {string} words @param {string} kind @param {number[]} taken walls that have words */
export function wallLabel(card, cells, words, kind, taken) {
    const far = /** @param {number} i */ (i) => Math.min(...cells.map((c) => Math.abs(c % 5 - i % 5) + Math.abs((c / 5 | 0) -
        (i / 5 | 0))));
    const [at] = [...Array(25).keys()].filter((i) => card.cells[i] === '#' && !taken.includes(i)).sort((a, b) =>
        far(a) - far(b));
    if (at === undefined)
        return NONE;
    taken.push(at);
    return html`<text class="walled ${kind}" x="${px(at) + C / 2}" y="${py(at) + C / 2 + 5}">${words}</text>`;
}

/** A choice of the hint: dotted, with its number at its first space, or at another space of it.
 * @param {number[]} cells @param {number} number @param {number} at the place of the number @param {boolean} bare without a
 * fill */
export function hintLayer(cells, number, at, bare) {
    const d = outline(cells, 5);
    return html`<g class="hinted">${bare ? '' : cells.map((i) => html`<rect class="hint-f" x="${px(i) + 5}" y="${
        py(i) + 5}" width="${
        C - 10}" height="${C - 10}"/>`)}<path class="hint-w" d="${d}"/><path class="hint-l" d="${d}"/>${badge(at,
        number)}</g>`;
}
/** @param {number} i @param {number} number */
export const badge = (i, number) => html`<g class="hint-b"><circle cx="${px(i) + 8}" cy="${py(i) + 8}" r="14"/><text x="${
    px(i) + 8}" y="${
    py(i) + 14}">${number}</text></g>`;

/** A glowing line over spaces, from the first to the last. @param {number[]} cells */
export function wayLayer(cells) {
    const d = `M${cells.map((i) => `${px(i) + C / 2} ${py(i) + C / 2}`).join('L')}`;
    return html`<path class="way-w" pathLength="1" d="${d}"/><path class="way-g" pathLength="1" d="${d}"/>`;
}

/** The marks of a move that is being inspected. @param {number} card @param {number[]} cells @param {number} [w] of
 * the pen */
export const shownLayer = (card, cells, w = 5.4) => html`${cells.map((i) => html`<rect class="shown" x="${px(i) + 2}" y="${
    py(i) + 2}" width="${
    C - 4}" height="${C - 4}"/>`)}${cells.map((i) => pen(px(i) + 3, py(i) + 3, C - 6, card * 25 + i, w))}`;

/** A chamber of the size of a word: earlier marks are grey, new ones blue with a white cross.
 * @param {Card} card @param {number[]} marks all of them @param {number[]} [fresh] */
export function tinyChamber(card, marks, fresh = []) {
    const tiles = /** @param {number[]} cells */ (cells) => cells.map((i) => `M${1 + i % 5 * 10} ${
        1 + (i / 5 | 0) * 10}h8v8h-8z`).join('');
    const all = [...card.cells].flatMap((c, i) => c === '#' ? [] : [i]);
    return html`<svg class="mb k-${
        card.colour}" viewBox="0 0 50 50" aria-hidden="true"><rect class="rock" width="50" height="50" rx="4"/><path
        class="t" d="${tiles(all)}"/><path class="mb-o" d="${tiles(marks)}"/><path class="mb-t" d="${
        tiles([card.cells.indexOf('T')])}"/><path class="mb-n" d="${tiles(fresh)}"/><path class="mb-x" d="${
        fresh.map((i) => `M${3 + i % 5 * 10} ${3 + (i / 5 | 0) * 10}l4 4m0-4l-4 4`).join('')}"/></svg>`;
}

/** Which neighbours of space i are open: above, below, left, right. @param {Card} card @param {number} i */
const openAround = (card, i) => [i > 4 && card.cells[i - 5] !== '#', i < 20 && card.cells[i + 5] !== '#',
    i % 5 > 0 && card.cells[i - 1] !== '#', i % 5 < 4 && card.cells[i + 1] !== '#'];

/** The look of a tile: stones differ, but each looks the same in every drawing. @param {Card} card @param {number} i
 * @param {boolean} marked */
const stone = (card, i, marked) => card.cells[i] === 'T' ? 'gold' : `t ${marked ? 'm' : ['', 'b',
    'c'][rnd(card.number * 31 + i) * 3 | 0]}`;

/** The arrow that points at the entrance of a chamber, at x, y. @param {number} x @param {number} y
 * @param {boolean} mini @param {boolean} calls whether it asks for the first mark */
const entrance = (x, y, mini, calls) => mini ? html`<path d="M${x + 16} ${y - 18}H${x + 44}L${x + 30} ${
    y + 6}Z" fill="#7A4A00"/>` : html`<path class="arrow-in ${calls ? 'calls' : ''}" d="M${x + 24.5} ${y - 22}H${
    x + 35.5}V${y - 4}H${x + 45}L${x + 30} ${y + 15}L${x + 15} ${y - 4}H${
    x + 24.5}Z" fill="url(#g-gold)" stroke="#4A2F02" stroke-width="2.2" stroke-linejoin="round"/>`;

/** @param {string} c @param {number} x @param {number} y @param {boolean} mini @param {boolean} used */
function printed(c, x, y, mini, used) {
    const s = c === 'T' ? (mini ? 50 : 47) : (mini ? 46 : 38), z = (C - s) / 2;
    return html`<use class="sym ${used ? 'used' : ''}" href="#s-${SYMBOLS[c]}" x="${x + z}" y="${
        y + z}" width="${s}" height="${s}"/>`;
}

/** The shadows of the rock above and on the left of a space. @param {number} x @param {number} y @param {boolean} above
 * @param {boolean} left whether the space there is open and casts none */
const shadows = (x, y, above, left) => [
    above ? '' : html`<rect x="${x}" y="${y}" width="${C}" height="11" fill="url(#sh-top)"/>`,
    left ? '' : html`<rect x="${x}" y="${y}" width="7" height="${C}" fill="url(#sh-left)"/>`];

/** A player's mark. @param {number} x @param {number} y @param {boolean} mini @param {number} seed @param {string} look */
const cross = (x, y, mini, seed, look) => mini ? pen(x + 2, y + 2, C - 4, seed, 8, look) :
    pen(x + 3, y + 3, C - 6, seed, 5.4, look);

/** The chamber: rock with the floor cut out of it. @param {Card} card @param {number[]} [marks]
 * @param {{mini?: boolean, fresh?: number[], told?: number[], layers?: boolean, over?: Html}} [how] fresh: marks that draw
 * themselves; told: marks that are pointed out; over: what is on top */
export function chamber(card, marks = [], { mini = false, fresh = [], told = [], layers = false, over } = {}) {
    /** @type {import('./html.js').Part[]} */
    const floor = [], tiles = [], shade = [], symbols = [], pens = [];
    for (let i = 0; i < 25; i++) {
        const c = card.cells[i], x = px(i), y = py(i), marked = marks.includes(i);
        if (c === '#')
            continue;
        const [U, D, L, R] = openAround(card, i), g = mini ? 1 : 1.4;
        const corner = [U || L, U || R, D || R, D || L].map((beside) => beside ? 0 : 8);
        floor.push(html`<path class="grv" d="${rect(x, y, C, C, corner)}"/>`);
        tiles.push(html`<path class="${stone(card, i, marked)}" d="${rect(x + g, y + g,
            C - 2 * g, C - 2 * g, corner.map((v) => v ? v - 1 : 3))}"/>`);
        if (c === 'T' && !mini)
            tiles.push(html`<path d="${rect(x + 4, y + 4, C - 8, C - 8, [5, 5, 5,
                5])}" fill="none" stroke="#8A5A00" stroke-opacity=".5" stroke-width="1.5"/>`);
        if (!mini)
            shade.push(...shadows(x, y, U || c === 'v', L));
        if (SYMBOLS[c])
            symbols.push(printed(c, x, y, mini, marked));
        if (c === 'v') {
            floor.push(html`<rect class="grv" x="${x + 11}" y="-2" width="38" height="${MT + 4}"/>`);
            tiles.push(html`<rect class="t ${marked ? 'm' : ''}" x="${x + 12.5}" y="-2" width="35" height="${MT + 5}"/>`);
            symbols.push(entrance(x, y, mini, !marks.length));
        }
        if (told.includes(i))
            symbols.push(html`<rect class="told-t" x="${x + 1}" y="${y + 1}" width="${C - 2}" height="${C - 2}" rx="4"/>`);
        if (marked)
            pens.push(cross(x, y, mini, card.number * 25 + i, fresh.includes(i) ? `fresh d${fresh.indexOf(i)}` :
                told.includes(i) ? 'told' : ''));
    }
    const box = mini ? `6 4 ${W - 12} ${H - 10}` : `0 0 ${W} ${H}`;
    return html`<svg class="ch" viewBox="${box}" aria-hidden="true"><rect class="rock" x="-2" y="-2" width="${
        W + 4}" height="${
        H + 4}"/><rect x="-2" y="-2" width="${
        W + 4}" height="${H + 4}" fill="url(#tx-${card.colour})"/>${floor}${tiles}${shade}${
        layers ? html`<g class="lg"></g>` : ''}${symbols}${pens}${
        layers || over ? html`<g class="gh">${over ?? ''}</g>` : ''}${layers ? html`<g class="hi"></g>${names}` : ''}</svg>`;
}

/** Pyramids: step (green), true (orange), bent (purple). @param {string} k @param {number} cx @param {number} base @param
 * {number} w @param {number} h */
export function pyramid(k, cx, base, w, h) {
    const l = cx - w / 2, r = cx + w / 2, t = base - h, sp = cx + w * .14;
    if (k === 'orange')
        return html`<path d="M${cx} ${t}L${sp} ${base}H${l}Z" class="f1"/><path d="M${cx} ${t}L${r} ${base}H${
            sp}Z" class="f2"/>${
            [.3, .5, .7, .86].map((f) => html`<path d="M${f1(cx - (w / 2) * f + 2)} ${f1(t + h * f)}H${
                f1(cx + w * .14 * f)}" stroke="#fff" stroke-opacity=".22" stroke-width="1.5"/>`)}`;
    if (k === 'purple') {
        const my = t + h * .4, ml = cx - w * .33, mr = cx + w * .33, ms = cx + w * .1;
        return html`<path d="M${cx} ${t}L${ms} ${my}L${sp} ${base}H${l}L${ml} ${my}Z" class="f1"/><path d="M${cx} ${t}L${
            mr} ${my}L${r} ${base}H${sp}L${
            ms} ${my}Z" class="f2"/><path d="M${ml} ${my}H${ms}" stroke="#fff" stroke-opacity=".4" stroke-width="1.5"/>${
            [[.25, .62], [.45, .62], [.35, .78], [.15, .78], [.25, .92], [.05, .92], [.45, .92]].map(([a, b]) =>
                html`<circle cx="${f1(cx - w * .4 + w * a)}" cy="${
                f1(t + h * b)}" r="1.8" fill="#fff" fill-opacity=".3"/>`)}`;
    }
    const n = 5;
    return html`${[...Array(n).keys()].map((i) => {
        const hw = (w / 2) * (.2 + .8 * (i / (n - 1))), y = t + h * i / n, sx = cx + hw * .28;
        return html`<path d="M${f1(cx - hw)} ${f1(y)}H${f1(sx)}V${f1(y + h / n + .5)}H${
            f1(cx - hw)}Z" class="f1"/><path d="M${f1(sx)} ${f1(y)}H${
            f1(cx + hw)}V${f1(y + h / n + .5)}H${f1(sx)}Z" class="f2"/><path d="M${f1(cx - hw)} ${f1(y + .8)}H${
            f1(sx)}" stroke="#fff" stroke-opacity=".4" stroke-width="1.6"/>`;
    })}`;
}

/** Only the pyramid of a card, with its number and a golden capstone. @param {Card} card */
export const pyramidOf = (card) => html`<svg class="pyr k-${card.colour}" viewBox="0 0 200 116" aria-hidden="true">${
    pyramid(card.colour, 100, 114, 192, 108)}<path class="cap-g" d="M100 5 ${card.colour === 'green' ? 'L110 16H90Z' :
    'L115 23H85Z'}"/><text
    class="pnum" x="100" y="96">${card.number}</text></svg>`;

/** The picture above the chamber. @param {Card} card */
export function cardHead(card) {
    const k = card.colour, HH = 108;
    const disc = k === 'purple' ? html`<path d="M286 22a17 17 0 1 0 11 29 14 14 0 0 1-11-29Z" class="sun"/>` :
        k === 'green' ?
        html`<circle cx="48" cy="78" r="21" class="sun"/>`
        : html`<circle cx="282" cy="34" r="17" class="sun"/><path class="rays"
            d="M282 6V10M282 58V62M254 34H258M306 34H310M262 14 265 17M299 51 302 54M302 14 299 17M265 51 262 54"/>`;
    return html`<svg class="head" viewBox="0 0 ${W} ${HH}" aria-hidden="true"><rect width="${W}" height="${
        HH}" fill="url(#sky-${k})"/>${
        disc}<path d="M0 92Q60 78 130 90T${W} 84V${HH}H0Z" class="dune" opacity=".75"/>${
        pyramid(k, W / 2, HH - 6, k === 'purple' ? 176 : k === 'green' ? 192 : 196, HH - 16)}<rect y="${HH - 7}" width="${
            W}" height="8" class="dune"/><rect y="${HH - 7}" width="${
            W}" height="2" fill="#fff" opacity=".3"/><text class="pnum" x="${W / 2}" y="${
            HH - 17}">${card.number}</text></svg>`;
}

/** The same beside it, on a phone. @param {Card} card */
export function cardHeadTall(card) {
    const k = card.colour;
    return html`<svg class="head tall" viewBox="0 0 130 248" preserveAspectRatio="xMidYMax slice" aria-hidden="true"><rect
        width="130" height="248" fill="url(#sky-${
        k})"/>${
        k === 'purple' ? html`<path d="M84 26a17 17 0 1 0 11 29 14 14 0 0 1-11-29Z" class="sun"/>` :
            html`<circle cx="82" cy="46" r="17" class="sun"/>`}<path d="M0 196Q40 180 80 192T130 184V248H0Z" class="dune"
                opacity=".75"/>${
        pyramid(k, 65, 214, 104, 86)}<path d="M0 212H130V248H0Z" class="dune"/><text class="pnum tall" x="65" y="200">${
        card.number}</text></svg>`;
}

/** A whole card as a picture. @param {Card} card @param {number[]} [marks] @param {number[]} [fresh] */
export const picture = (card, marks = [], fresh = []) =>
    html`<span class="pcard k-${card.colour}" data-same="${card.number}.${marks.join('.')}.${card.cells}">${
    cardHead(card)}<span class="chamber">${
        chamber(card, marks, { fresh })}</span></span>`;

/** A small card with its number on top. @param {Card} card @param {number[]} [marks] @param {number[]} [fresh] */
export const miniCard = (card, marks = [], fresh = []) =>
    html`<span class="mini k-${card.colour}" data-key="${card.number}.${marks.join('.')}" data-same="${fresh.join('.')}.${
    card.cells}"><span class="tag">${
        shape(card.colour)}${card.number}</span>${
        chamber(card, marks, { mini: true, fresh })}</span>`;

/** @typedef {[number, number][]} Cells pairs of column and row */

/** @param {Cells} cells @returns {Cells} */
function normal(cells) {
    const mx = Math.min(...cells.map((p) => p[0])), my = Math.min(...cells.map((p) => p[1]));
    return /** @type {Cells} */ (cells.map(([x, y]) => [x - mx, y - my])).sort((a, b) => a[1] - b[1] || a[0] - b[0]);
}

/** The cells of a pattern, turned by quarters and mirrored. @param {Pattern} pattern @param {number} [quarters]
 * @param {number} [mirror]
 * @returns {Cells} */
export function turned(pattern, quarters = 0, mirror = 0) {
    /** @type {Cells} */
    let cells = [];
    pattern.rows.forEach((row, y) => [...row].forEach((c, x) => { if (c === 'X') cells.push([x, y]); }));
    if (mirror)
        cells = cells.map(([x, y]) => [-x, y]);
    for (let i = 0; i < quarters; i++)
        cells = cells.map(([x, y]) => [-y, x]);
    return normal(cells);
}

/** The form of a set of spaces, independent of its position. @param {number[]} spaces */
export const formOf = (spaces) => normal(spaces.map((i) => /** @type {[number, number]} */ ([i % 5, i / 5 | 0]))).join(' ');

/** @param {Cells} cells */
export function patternPicture(cells) {
    const cell = 20, gap = 2;
    const w = Math.max(...cells.map((c) => c[0])) + 1, h = Math.max(...cells.map((c) => c[1])) + 1, m = Math.max(w, h, 3),
        ox = (m - w) / 2,
        oy = (m - h) / 2;
    return html`<svg class="pat" viewBox="0 0 ${m * cell} ${m * cell}" aria-hidden="true">${cells.map(([x, y]) =>
        html`<rect class="pt" x="${(x + ox) * cell + gap / 2}" y="${(y + oy) * cell + gap / 2}" width="${
        cell - gap}" height="${
            cell - gap}" rx="2.8"/>`)}</svg>`;
}

export const compassRose = html`<svg class="rose" viewBox="0 0 118 104" aria-hidden="true"><g fill="none" stroke="#9A7426"
    stroke-width="1"><path d="M98 10H108V20M108 84V94H98M20 94H10V84"/><g opacity=".34"><circle cx="59" cy="52"
    r="34"/><circle cx="59" cy="52" r="29" stroke-dasharray="1.5 4"/><path d="M59 12V92M19 52H99"/></g></g><path
    d="M59 14 64 47 97 52 64 57 59 90 54 57 21 52 54 47Z" fill="#B98F3C" opacity=".2"/></svg>`;

export const wordmark =
    html`<svg class="wordmark" viewBox="-6 -6 742 112" role="img" aria-label="Pyramids"><g fill="none" stroke="currentColor"
        stroke-width="13" stroke-linejoin="miter"><path d="M6 103V3H38a28 28 0 0 1 0 56H6"/><path
        d="M88 0 126 52 164 0M126 52V103"/><path d="M196 103V3H228a28 28 0 0 1 0 56H196M226 59 258 103"/><path
        d="M406 103V10L450 66 494 10V103"/><path d="M532 0V103"/><path d="M572 3H596a47 47 0 0 1 0 94H572Z"/><path
        d="M722 16C712 2 668 -4 668 27C668 56 726 44 726 74C726 106 674 104 662 84"/></g><path d="M326 -6 346 103H268Z"
        fill="#E2AE36"/><path d="M326 -6 384 103H346Z" fill="#B97E14"/></svg>`;

export const deckArt =
    html`<svg class="deckart" viewBox="0 0 30 34" aria-hidden="true"><rect x="5" y="1" width="22" height="28" rx="3"
        class="pile-2"/><rect x="3.5" y="3" width="22" height="28" rx="3" class="pile-1"/><rect x="2" y="5" width="22"
        height="28" rx="3" fill="#1D4E9E"/><path d="M13 11 19.5 25H6.5Z" fill="#E2AE36"/><path d="M13 11 19.5 25H14.5Z"
        fill="#B97E14"/></svg>`;

/** @param {number} left */
export const bigDeck = (left) =>
    html`<svg class="bigdeck" viewBox="0 0 74 98" aria-hidden="true"><rect x="5" y="1" width="66" height="90" rx="8"
        class="pile-2"/><rect x="3" y="4" width="66" height="90" rx="8" class="pile-1"/><rect x="1" y="7" width="66"
        height="90" rx="8" fill="#1D4E9E"/><rect x="6" y="12" width="56" height="80" rx="5" fill="none" stroke="#E2AE36"
        stroke-width="1.5"/><path d="M34 28 52 62H16Z" fill="#E2AE36"/><path d="M34 28 52 62H39Z" fill="#B97E14"/><text
        x="34" y="82" text-anchor="middle" font-size="15" font-weight="700" fill="#fff">${
    left}</text></svg>`;

export const cardBack =
    html`<svg viewBox="0 0 100 136" aria-hidden="true"><rect width="100" height="136" fill="#1D4E9E"/><rect x="7" y="7"
        width="86" height="122" rx="7" fill="none" stroke="#E2AE36" stroke-width="1.6"/><path d="M50 34 80 88H20Z"
        fill="#E2AE36"/><path d="M50 34 80 88H58Z" fill="#B97E14"/><circle cx="50" cy="72" r="8" fill="#1D4E9E"/><circle
        cx="50" cy="72" r="3" fill="#fff"/><path d="M14 104H86M14 110H86" stroke="#E2AE36" stroke-width="1.2"
        opacity=".7"/></svg>`;

export const starIcon = html`<svg class="sy" viewBox="0 0 48 48" aria-hidden="true"><path
    d="M24 4 30 18 45 19 33.5 29 37 44 24 36 11 44 14.5 29 3 19 18 18Z" fill="#E2AE36" stroke="#7A5200" stroke-width="2.5"
    stroke-linejoin="round"/></svg>`;

/** The desert, with the three kinds of pyramids; distant things are smaller on wide screens. */
export function desertScene() {
    return html`<svg class="scene" viewBox="0 0 1440 420" preserveAspectRatio="xMidYMax slice" aria-hidden="true"><rect
        width="1440" height="420" fill="url(#dusk)"/><g class="stars">${
        [...Array(46).keys()].map((i) => html`<circle cx="${f1(rnd(i + 1) * 1440)}" cy="${f1(rnd(i + 91) * 210)}" r="${
            f1(.7 + rnd(i + 7) *
            1.4)}"/>`)}</g><g class="far"><circle cx="1010" cy="214" r="118" class="bigsun"/><circle cx="1010" cy="214"
                r="158" class="bigsun" opacity=".22"/></g><path d="M0 318Q200 270 420 304T860 296T1440
                280V420H0Z" class="d1"/><g class="far"><g class="k-purple">${
        pyramid('purple', 742, 336, 250, 148)}</g><g class="k-orange">${pyramid('orange', 1010, 352, 400,
        236)}</g><g class="k-green">${
        pyramid('green', 1284, 348, 290,
            150)}</g></g><path d="M0 352Q260 318 560 342T1060 350T1440 338V420H0Z" class="d2"/><path
                d="M0 392Q320 356 700 380T1440 372V420H0Z" class="d3"/></svg>`;
}

/** A pyramid of five courses, `level` + 1 of them built. @param {number} level from 0 */
export function levelPicture(level) {
    return html`<svg viewBox="0 0 34 26" aria-hidden="true" fill="currentColor">${[0, 1, 2, 3, 4].map((k) => {
        const w = 30 - k * 6.4, y = 21 - k * 4.8;
        return html`<path opacity="${k <= level ? 1 : .22}" d="M${f1(17 - w / 2)} ${f1(y + 4)}L${f1(17 - w / 2 + 2.4)} ${
            f1(y)}H${f1(17 + w / 2 - 2.4)}L${
            f1(17 + w / 2)} ${f1(y + 4)}Z"/>`;
    })}</svg>`;
}

/** The day's dig as a small picture. */
export const pyramidIcon = html`<svg viewBox="0 0 48 48" aria-hidden="true"><rect width="48" height="48"
    fill="url(#dusk)"/><circle cx="30" cy="24" r="12" class="bigsun"/><g class="k-orange">${
    pyramid('orange', 24, 40, 36, 26)}</g><rect y="39" width="48" height="9" class="d2"/></svg>`;
