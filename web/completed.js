/**
 * completed.js: everyone's completed pyramids, which lie face up for all (R12): counts and numbers at the table, all of
 * them when pointed at or held, and a table of all players with the race for the pyramid points (R14).
 */
import { html } from './html.js';
import { _ } from './i18n.js';
import { dialog, near } from './dom.js';
import { avatar, shape } from './draw.js';
import { COLOURS, TILES } from './core.js';
import { colourName, doneByColour, doneWords, logEntries, ruleLink } from './words.js';

/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./core.js').View} View */
/** @typedef {import('./table.js').TableView} Table */

/** The seats as the looking one sees them: its own first. @param {Table} table */
function order({ game: { me, seats } }) {
    const all = seats.map((_s, s) => s);
    return me < 0 ? all : [me, ...all.filter((s) => s !== me)];
}

/** A completed card: its colour and its number. @param {Table} table @param {number} n */
export function numberHtml(table, n) {
    const k = table.edition.cards[n].colour;
    return html`<span class="dn k-${k}" data-n="${n}">${shape(k)}<span class="vh">${colourName(k)} </span>${n}</span>`;
}

/** "Completed pyramids of Ben: green 5, 28; purple 4". @param {Table} table @param {View} view @param {number} s */
export const shelfWords = (table, view, s) => _('Completed pyramids of %{name}: %{cards}',
    { name: table.game.seats[s].name, cards: doneWords(table.edition, view.desks[s].done) });

/** How many of each colour a seat has completed, and which, as far as there is room: the rest floats up.
 * @param {Table} table @param {View} view @param {number} s */
export function shelfHtml(table, view, s) {
    const groups = doneByColour(table.edition, view.desks[s].done).map(({ colour, cards }) => html`<span class="k-${colour} ${
        cards.length ? '' : 'nil'}">${shape(colour)}<b>${cards.length}</b><small>${cards.join(' ')}</small></span>`);
    return html`<button class="shelf" data-shelf="${s}" aria-haspopup="dialog" aria-label="${
        shelfWords(table, view, s)}">${groups}</button>`;
}

/** The counts of everyone in one line, for a phone. @param {Table} table @param {View} view */
export function glanceHtml(table, view) {
    const { me, seats } = table.game, seen = order(table);
    const words = seen.map((s) => `${seats[s].name}: ${doneWords(table.edition, view.desks[s].done)}`);
    const counts = /** @param {number} s */ (s) => doneByColour(table.edition, view.desks[s].done).map(({ colour, cards }) =>
        html`<i class="k-${colour} ${cards.length ? '' : 'nil'}">${shape(colour)}${cards.length}</i>`);
    return html`<button class="glance only-p" data-shelf aria-haspopup="dialog" aria-label="${
        [_('Completed pyramids'), ...words].join('. ')}">${seen.map((s) => html`<span class="${s === me ? 'me' : ''}">${
        avatar(s, { small: true })}${counts(s)}</span>`)}</button>`;
}

/** What floats up at a player's completed pyramids: all their numbers.
 * @param {Table} table @param {View} view @param {number} s */
export function shelfPeek(table, view, s) {
    const rows = doneByColour(table.edition, view.desks[s].done).map(({ colour, cards }) =>
        cards.length ? cards.map((n) => numberHtml(table, n)) :
            html`<span class="dn k-${colour} nil">${shape(colour)}${_('none yet')}</span>`);
    return html`<div class="pk"><b dir="auto">${table.game.seats[s].name}</b>${
        rows.map((row) => html`<div class="done">${row}</div>`)}</div>`;
}

/** The cells of a colour: what everyone has, what it has brought, who needs one more.
 * @param {Table} table @param {View} view @param {number} c @param {(s: number, n: number) => Html} chip */
function raceRow(table, view, c, chip) {
    const k = COLOURS[c], left = TILES.find((_v, i) => view.tiles[c][i] < 0) ?? 0;
    const cell = /** @param {number} s */ (s) => {
        const { cards } = doneByColour(table.edition, view.desks[s].done)[c];
        const isNext = left && cards.length % 2 && cards.length < 6;
        const won = TILES.filter((_v, i) => view.tiles[c][i] === s).map((v) => html` <span class="wontile">+${v}</span>`);
        return html`<td class="${s === table.game.me ? 'me' : ''}"><b>${cards.length}</b>${won}${
            isNext ? html` <small>${_('one to go')}</small>` : ''}<div class="done">${
            cards.map((n) => chip(s, n))}</div></td>`;
    };
    return html`<tr class="k-${k}"><th scope="row">${shape(k)}<span>${colourName(k)}</span><small>${
        left ? _('next: %{points}', { points: `+${left}` }) : _('no points left')}</small></th>${
        order(table).map(cell)}</tr>`;
}

/** Opens the table of all players.
 * @param {Table} table @param {(card: HTMLElement) => void} look shows a card with its marks */
export function completed(table, look) {
    const { view, game, edition, core } = table;
    if (!view)
        return;
    const entries = logEntries(core.lines(), edition);
    const chip = /** @param {number} s @param {number} n */ (s, n) => {
        const { mark } = entries.filter((e) => e.seat === s && e.mark?.card === n).at(-1) ?? {};
        const { colour } = edition.cards[n];
        return html`<button type="button" class="dn k-${colour}" data-look="${n}" data-marks="${
            mark?.marks.join(' ') ?? ''}" aria-label="${
            _('Look at card %{n}, %{colour}', { n, colour: colourName(colour) })}">${n}</button>`;
    };
    const heads = order(table).map((s) => html`<th scope="col">${avatar(s, { small: true, me: s === game.me })}<span
        class="nmt" dir="auto">${game.seats[s].name}</span></th>`);
    const rows = COLOURS.map((_k, c) => raceRow(table, view, c, chip));
    void dialog(_('Completed pyramids'), html`<table class="race"><thead><tr><th scope="col"><span class="vh">${
        _('Colour')}</span></th>${heads}</tr></thead><tbody>${rows}</tbody></table><p class="note">${
        _('Completed cards stay face up until the end. The 2nd, 4th and 6th of a colour earn the highest points left.')}${
        ruleLink('R14')}</p>`, { close: _('Close'), wide: true, wire: (box) => box.addEventListener('click', (event) => {
        const card = near(event, '[data-look]');
        if (card)
            look(card);
    }) });
}
