/**
 * completed.js: everyone's completed pyramids, which everyone may see (R12), and the race for pyramid points (R14): a
 * shelf of chips for each player, one table for all, and both together in a dialog or, on a phone, in a drawer.
 */
import { isBystander } from './game.js';
import { html } from './html.js';
import { _, capital } from './i18n.js';
import { dialog, closest } from './dom.js';
import { avatar, shape } from './draw.js';
import { COLOURS, TILES } from './core.js';
import { GAME } from './codes.js';
import { colourName, doneByColour, doneWords, logEntries, moveParts, ruleLink } from './words.js';

/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./core.js').View} View */
/** @typedef {import('./table.js').TableView} Table */

/** The seats in the order of the viewer, whose own seat is first. @param {Table} table */
export function seatsFromMine({ game: { me, seats } }) {
    const all = seats.flatMap((seat, s) => isBystander(seat) ? [] : s);
    return me < 0 ? all : [me, ...all.filter((s) => s !== me)];
}

/** A completed card: its colour and its number. @param {Pick<Table, 'edition'>} table @param {number} n
 * @param {string} [more] */
export function numberHtml(table, n, more = '') {
    const k = table.edition.cards[n].colour;
    return html`<span class="dn k-${k} ${more}" data-n="${n}">${shape(k)}<span class="vh">${colourName(k)} </span>${
        n}</span>`;
}

/** "Completed pyramids of Ben: green 5, 28; purple 4". @param {Table} table @param {View} view @param {number} s */
export const shelfWords = (table, view, s) => _('Completed pyramids of %{name}: %{cards}',
    { name: table.game.seats[s].name, cards: doneWords(table.edition, view.desks[s].done) });

/** A seat's completed cards in the order in which it completed them, with all their marks, and which were of the last turn.
 * @param {Table} table @param {View} view @param {number} s @returns {{card: number, marks: number[], fresh: boolean}[]} */
export function shelf(table, view, s) {
    const lines = table.core.lines(), reveals = lines.flatMap((l, i) => l.startsWith('reveal ') ? [i] : []);
    const since = reveals.at(view.phase === 'mark' ? -2 : -1) ?? 0, { done } = view.desks[s];
    /** @type {Map<number, {card: number, marks: number[], at: number}>} */
    const cards = new Map();
    lines.forEach((line, at) => {
        if (!line.startsWith(`mark ${s + 1} `))
            return;
        for (const { card, cells } of moveParts(line.split(' ')[2])) {
            const marks = [...cards.get(card)?.marks ?? [], ...cells];
            const isDone = cells.some((i) => table.edition.cards[card].cells[i] === 'T');
            cards.set(card, { card, marks, at: isDone ? at : cards.get(card)?.at ?? -1 });
        }
    });
    return done.map((card) => cards.get(card) ?? { card, marks: [], at: -1 }).sort((a, b) => a.at - b.at)
        .map(({ card, marks, at }) => ({ card, marks, fresh: at >= since && at >= 0 }));
}

/** Every completed pyramid of a seat as a chip; a press shows everyone's. @param {Table} table @param {View} view @param
 * {number} s */
export function shelfHtml(table, view, s) {
    const chips = shelf(table, view, s).map(({ card, marks, fresh }) => html`<span class="dn k-${
        table.edition.cards[card].colour} ${fresh ? 'won' : ''}" data-n="${card}" data-look="${card}" data-marks="${
            marks.join(' ')}">${
        shape(table.edition.cards[card].colour)}${card}</span>`);
    return html`<button class="shelf" data-shelf="${s}" aria-haspopup="dialog" aria-label="${shelfWords(table, view, s)}">${
        chips.length ? chips : html`<span class="none">${_('none yet')}</span>`}</button>`;
}

/** How many of a colour a seat has completed. @param {Table} table @param {View} view @param {number} s @param {string}
 * colour */
export const countOf = (table, view, s, colour) => view.desks[s].done.filter((n) =>
    table.edition.cards[n].colour === colour).length;

/** The highest points that are left of a colour, by its place in COLOURS; 0 if there are none. @param {View} view @param
 * {number} c */
export const stakeOf = (view, c) => TILES.find((_v, i) => view.tiles[c][i] < 0) ?? 0;

/** Whether the next pyramid of the colour takes points. @param {number} count @param {number} stake */
export const nextTakesPoints = (count, stake) => stake > 0 && (GAME.claims >> count + 1 & 1) === 1;

/** A coin with pyramid points; 0: no points are left. @param {number} points @param {string} [more] */
const coin = (points, more = '') => html`<span class="coin ${more} ${points ? '' : 'gone'}">${points || ''}</span>`;

/** @param {string} k @param {boolean} full */
const glyph = (k, full) => html`<svg class="pg ${
    full ? '' : 'hollow'}" viewBox="0 0 24 20" aria-hidden="true"><use href="#p-${k}"/></svg>`;

/** A seat's pyramids of a colour: how many, the points won, and whether the next one takes the coin.
 * @param {Table} table @param {View} view @param {number} c @param {number} s @param {number} soon this many more with what
 * is placed */
function raceCell(table, view, c, s, soon) {
    const k = COLOURS[c], n = countOf(table, view, s, k), stake = stakeOf(view, c), near = nextTakesPoints(n, stake);
    const won = TILES.filter((_v, i) => view.tiles[c][i] === s), { name } = table.game.seats[s];
    const words = [_('%{name}: %{n} %{colour}', { name, n, colour: colourName(k) }),
        ...won.length ? [_('has %{points}', { points: won.join(', ') })] : [], ...near ? [_('one to go')] : []];
    const pair = soon ? html`<span class="rc soon">${glyph(k, true)}${glyph(k, (n + soon) % 2 === 0)}${
        near || soon > 1 ? coin(stake, 'sm') : ''}</span>` :
        n % 2 || !n ? html`<span class="rc ${near ? 'near' : ''}">${glyph(k, n % 2 === 1)}${glyph(k, false)}</span>` : '';
    return html`<td class="${s === table.game.me ? 'me' : ''}" data-race="${k}.${s}"><span class="vh">${
        words.join(', ')}</span><span
        aria-hidden="true">${n > 1 ? html`<b>${n}</b>` : ''}${won.map((v) => coin(v, 'sm'))}${pair}</span></td>`;
}

/** Pyramids of a colour that the viewer would complete with what is marked and placed. @param {Table} table
 * @param {View} view */
function soonOf(table, view) {
    const { me } = table.game;
    if (me < 0 || view.phase !== 'mark')
        return [];
    const { slots } = (table.preview(view) ?? { desk: view.desks[me] }).desk;
    return slots.filter((s) => s.tomb).map((s) => table.edition.cards[s.card].colour);
}

/** How many pyramids of each colour everyone has, who needs one more, and for how many points. @param {Table} table
 * @param {View} view */
function raceTable(table, view) {
    const seats = seatsFromMine(table), soon = soonOf(table, view);
    const heads = seats.map((s) => html`<th scope="col">${avatar(s, { small: true,
        me: s === table.game.me })}<span class="vh">${
        table.game.seats[s].name}</span></th>`);
    const row = /** @param {string} k @param {number} c */ (k, c) => {
        const stake = stakeOf(view, c);
        const close = seats.filter((s) => nextTakesPoints(countOf(table, view, s, k), stake)).length > 1;
        const words = stake ? _('%{colour}: %{points} points next', { colour: colourName(k), points: stake }) :
            _('%{colour}: no points left', { colour: colourName(k) });
        return html`<tr class="k-${k}"><th scope="row" title="${close ?
            _('Both this turn: the lower number takes %{points}.',
            { points: stake }) : words}"><span class="vh">${words}</span><span class="stake" aria-hidden="true">${shape(k)}${
            coin(stake)}</span></th>${seats.map((s) => raceCell(table, view, c, s, s === table.game.me ? soon.filter((x) =>
                x === k).length : 0))}</tr>`;
    };
    return html`<table><thead><tr><th scope="col"><span class="vh">${_('Colour')}</span></th>${heads}</tr></thead><tbody>${
        COLOURS.map(row)}</tbody></table>`;
}

/** The completed cards of all players, each a button that shows it. @param {Table} table @param {View} view */
function shelvesHtml(table, view) {
    const entries = logEntries(table.core, table.core.lines());
    const chip = /** @param {number} s @param {number} n */ (s, n) => {
        const { mark } = entries.filter((e) => e.seat === s && e.mark?.card === n).at(-1) ?? {},
            { colour } = table.edition.cards[n];
        return html`<button type="button" class="dn k-${colour}" data-look="${n}" data-marks="${
            mark?.marks.join(' ') ?? ''}" aria-label="${
            _('Look at card %{n}, %{colour}', { n, colour: colourName(colour) })}">${shape(colour)}${n}</button>`;
    };
    return html`<ul class="shelves">${seatsFromMine(table).map((s) => html`<li>${avatar(s, { small: true,
        me: s === table.game.me })}<b
        class="nmt" dir="auto">${table.game.seats[s].name}</b><div class="done">${view.desks[s].done.length ?
        doneByColour(table.edition, view.desks[s].done).flatMap(({ cards }) => cards.map((n) => chip(s, n))) :
        html`<span class="none">${_('none yet')}</span>`}</div></li>`)}</ul>`;
}

/** The race as a panel; as a drawer of a phone with everyone's cards below it. @param {Table} table @param {View} view
 * @param {Html} shut */
export function raceHtml(table, view, shut) {
    return html`<section class="panel race" aria-label="${
        _('Race for pyramid points')}"><div class="ph"><span class="eyebrow">${
        capital(_('race for points'))}</span><span class="racekey" aria-hidden="true"><span class="rc near k-green">${
        glyph('green', true)}${glyph('green', false)}</span>${_('one to go')}</span>${shut}</div>${raceTable(table, view)}${
        table.sheet === 'race' ? shelvesHtml(table, view) : ''}</section>`;
}

/** Opens the table of all players with their cards.
 * @param {Table} table @param {(card: HTMLElement) => void} look shows a card with its marks */
export function openCompleted(table, look) {
    const { view } = table;
    if (!view)
        return;
    void dialog(_('Completed pyramids'), html`<div class="race">${raceTable(table, view)}${shelvesHtml(table,
        view)}</div><p class="note">${
        _('Completed cards stay face up until the end. The 2nd, 4th and 6th of a colour earn the highest points left.')}${
        ruleLink('R14')}</p>`, { close: _('Close'), wide: true, wire: (box) => box.addEventListener('click', (event) => {
        const card = closest(event, '[data-look]');
        if (card)
            look(card);
    }) });
}
