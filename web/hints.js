/**
 * hints.js: the engine's best choices, drawn on the cards: the selected one as if it were placed, the others dotted,
 * each with a number. They can be selected in the ribbon. A hint places nothing by itself, and disappears when
 * something else is placed.
 */
import { NONE, html } from './html.js';
import { _, language } from './i18n.js';
import { announce, toast } from './dom.js';
import { badge, hintLayer } from './draw.js';
import { gainWords, moveParts } from './words.js';
import { randomSeed } from './thinker.js';
import { sayPlaced } from './announce.js';

/** @typedef {import('./core.js').Option} Option */
/** @typedef {import('./aim.js').Place} Place */
/** @typedef {import('./table.js').TableView} Table */
/** @typedef {{choice: string, win: number, place: Place | null, card: number}} Hint place: its first mark; card: to take,
 * 0 the deck */
/** @typedef {{at: number, list: Hint[], picked: boolean}} Hints empty while it thinks; picked: by the player, not the
 * first one */

const MOST = 4;                  // choices shown
/**
 * A quick first result, which is then replaced by a better one.
 */
const PLAYOUTS = [400, 4000];

/** @param {number} win */
export const percent = (win) => new Intl.NumberFormat(language, { style: 'percent' }).format(win);

/** @param {Table} table @param {Option} option @returns {Hint} */
function hintOf(table, { choice, win }) {
    const taken = /^(?:take (\d+)|draw)/.exec(choice), { aim } = table;
    if (taken)
        return { choice, win, place: null, card: Number(taken[1] ?? 0) };
    const [first] = moveParts(choice);
    const place = first && [...aim?.patterns ?? [], ...aim?.singles ?? []].find((p) => aim?.cards[p.slot] === first.card &&
        p.cells.join() === first.cells.join());
    return { choice, win, place: place ?? null, card: -1 };
}

/** Choices with the same beginning look the same on the board: only the best of them is kept. @param {Hint[]} hints
 * best first */
function distinct(hints) {
    const begin = hints.map(({ place, card }) => place ? `${place.slot} ${place.cells}` : card >= 0 ? `take ${card}` : '');
    return hints.filter((_hint, i) => begin[i] && begin.indexOf(begin[i]) === i);
}

/** Whether a hint can be asked for. @param {Table} table */
export const canHint = (table) => table.game.hints && !table.game.covered &&
    (table.canAim() || (table.view !== undefined && table.mode(table.view) === 'choose'));

/** Requests the best choices, or removes them. @param {Table} table */
export async function hint(table) {
    if (table.hints) {
        dropHint(table);
        return;
    }
    if (!canHint(table))
        return;
    const { core, game } = table;
    if (table.aim)
        while (core.undo(game.me) === 0);
    table.aim?.set(null);
    table.refreshAim(/** @type {import('./core.js').View} */ (core.view(game.me)));
    /** @type {Hints} */
    const hints = { at: 0, list: [], picked: false };
    table.hints = hints;
    game.hinted();
    table.render();
    announce(_('Looking for good choices…'));
    for (const playouts of PLAYOUTS) {
        /** @type {Option[] | null} */
        const options = await table.analyst.ask({ kind: 'options', record: core.visibleLog(game.me), seat: game.me, playouts,
            seed: String(randomSeed()) }).catch(() => null);
        // Dropped if the player has placed something or moved on in the meantime.
        if (table.stopped || table.hints !== hints)
            return;
        if (!options?.length) {
            if (!options && !hints.list.length)
                toast(_('This part could not be loaded. Are you offline?'));
            if (!hints.list.length)
                dropHint(table);
            return;
        }
        const first = !hints.list.length;
        // Once the player has selected one, all keep their numbers: a button that is about to be pressed must not change.
        hints.list = hints.picked ?
            hints.list.map((h) => ({ ...h, win: options.find((o) => o.choice === h.choice)?.win ?? h.win })) :
            distinct(options.map((o) => hintOf(table, o))).slice(0, MOST);
        show(table, hints, first);
    }
}

/** @param {Table} table @param {Hints} hints @param {boolean} say */
function show(table, hints, say) {
    const { place, card } = hints.list[hints.at] ?? {};
    if (place)
        table.aim?.set(place);
    else if (card !== undefined && card >= 0)
        table.picked = [card];
    table.render();
    if (!say)
        return;
    announce(_('Hint %{n} of %{of}: wins %{win} of 100 games.', { n: hints.at + 1, of: hints.list.length,
        win: Math.round(100 * hints.list[hints.at].win) }));
    sayPlaced(table);
}

/** Selects another one. @param {Table} table @param {number} at */
export function pickHint(table, at) {
    const { hints } = table;
    if (!hints?.list.length)
        return;
    hints.at = (at + hints.list.length) % hints.list.length;
    hints.picked = true;
    show(table, hints, true);
    table.root.querySelector(/** @type {'button'} */ (`[data-hint="${hints.at}"]`))?.focus();
}

/** @param {Table} table */
export function dropHint(table) {
    if (!table.hints)
        return;
    table.hints = null;
    table.aim?.set(null);
    table.render();
}

/** The part of the hint that is on a card. @param {Table} table @param {number} slot */
export function hintsOn(table, slot) {
    const { hints } = table;
    if (!hints)
        return NONE;
    const here = hints.list.flatMap(({ place }, i) => place?.slot === slot ? [{ i, cells: place.cells, at: 0 }] : []);
    /** @type {Set<number>} */
    const taken = new Set();
    // Smaller ones have less choice for the place of their number.
    for (const one of [...here].sort((a, b) => a.cells.length - b.cells.length)) {
        one.at = one.cells.find((c) => !taken.has(c)) ?? one.cells[0];
        taken.add(one.at);
    }
    // The best one is on top; those below that overlap it have no fill.
    return html`${here.map(({ i, cells, at }) => i === hints.at ? badge(at, i + 1) : hintLayer(cells, i + 1, at,
        here.some((other) => other.i < i && other.cells.some((c) => cells.includes(c))))).reverse()}`;
}

/** The ribbon as a picker. @param {Table} table */
export function pickerHtml(table) {
    const { hints, edition } = table;
    if (!hints)
        return '';
    if (!hints.list.length)
        return html`<span>${_('Looking for good choices…')}</span>`;
    return html`<span class="hints" role="group" aria-label="${_('Hint')}">${hints.list.map(({ choice, win }, i) => {
        const words = gainWords(edition, /^[\d-]/.test(choice) ? moveParts(choice) : []) || _('no symbols');
        return html`<button data-hint="${i}" aria-pressed="${i === hints.at}" aria-label="${
            _('Hint %{n}: wins %{win} of 100 games, %{symbols}', { n: i + 1, win: Math.round(100 * win),
                symbols: words })}"><b>${
            i + 1}</b><span>${percent(win)}</span></button>`;
    })}</span><span class="no-p gives">${_('wins of 100 games')}</span>`;
}

/** The number at a card that could be taken. @param {Table} table @param {number} card */
export function hintOn(table, card) {
    const note = table.noteOn(card);
    if (note)
        return html`<span class="hintb">${note}</span>`;
    const i = table.hints?.list.findIndex((h) => h.card === card) ?? -1;
    return i < 0 ? '' : html`<span class="hintb"><b>${i + 1}</b> ${
        percent(/** @type {Hints} */ (table.hints).list[i].win)}</span>`;
}
