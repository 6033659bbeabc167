/** sheets.js: what opens over the table: a card looked at, the cards in words, the list of placements, the hint. */
import { html } from './html.js';
import { _, ngettext, number } from './i18n.js';
import { $, dialog, near, toast } from './dom.js';
import { SYMBOLS, picture, symbol } from './draw.js';
import { cardName, gainWords, moveParts, ruleLink, spaceNames, spaceWord, symbolRule } from './words.js';
import { completed, shelfPeek, shelfWords } from './completed.js';
import { randomSeed } from './thinker.js';
import { sayPlaced } from './telling.js';

/** @typedef {import('./core.js').Option} Option */
/** @typedef {import('./table.js').TableView} Table */

/** The card that a button shows, its marks, and which of them draw themselves. @param {HTMLElement} button @returns {[number, number[], number[]]} */
export function lookOf({ dataset: { look, marks = '', fresh = '' } }) {
    const [all, some] = [marks, fresh].map((list) => list.split(' ').filter(Boolean).map(Number));
    return [Number(look), all, some];
}

/** @param {Table} table */
export function listPlacements(table) {
    const { aim, view } = table;
    if (!aim || !view || !table.canAim())
        return;
    const places = [...(aim.extra ? [] : aim.patterns), ...aim.singles];
    const rows = places.map((p, i) => {
        const card = aim.cards[p.slot], brings = gainWords(table.edition, [{ card, cells: p.cells }]);
        const text = brings ? _('Card %{card}: %{spaces}: %{symbols}', { card, spaces: spaceNames(p.cells), symbols: brings }) :
            _('Card %{card}: %{spaces}', { card, spaces: spaceNames(p.cells) });
        return html`<li><button class="btn" value="${i}">${text}</button></li>`;
    });
    void dialog(_('List placements'), html`<p class="note">${ngettext('%{n} legal placement. Choosing one places it; then confirm.',
        '%{n} legal placements. Choosing one places it; then confirm.', places.length)}</p><ul class="choices">${rows}</ul>`,
        { close: _('Close') })
        .then((value) => {
            if (value === '' || table.aim !== aim)
                return;
            aim.set(places[Number(value)]);
            table.render();
            sayPlaced(table);
        });
}

/** @param {Table} table @param {number} card @param {number[]} marks */
function cardText(table, card, marks) {
    const face = table.edition.cards[card];
    return html`${[0, 1, 2, 3, 4].map((y) => html`<li>${_('Row %{n}: %{spaces}', { n: y + 1, spaces: [0, 1, 2, 3, 4].map((x) => {
        const i = 5 * y + x, what = spaceWord(face.cells[i]);
        return marks.includes(i) ? _('%{what} (marked)', { what }) : what;
    }).join(', ') })}</li>`)}`;
}

/** @param {Table} table @param {number} card @param {number[]} marks @param {number[]} fresh */
function bigCard(table, card, marks, fresh) { return picture(table.edition.cards[card], marks, fresh); }

/** @param {Table} table */
export const showCompleted = (table) => completed(table, (card) => look(table, ...lookOf(card)));

/** What floats up when something is pointed at or held. @param {Table} table @param {Event} event @returns {import('./peek.js').Found | null} */
export function peekAt(table, event) {
    const shelf = near(event, '[data-shelf]');
    if (shelf?.dataset.shelf && table.view)
        return { html: shelfPeek(table, table.view, Number(shelf.dataset.shelf)), label: shelf.ariaLabel ?? '', of: shelf, beside: shelf,
            wait: 400 };
    const look = near(event, '[data-look]'), cell = near(event, '[data-cell]'), drawn = near(event, '.sy, .gs');
    if (look)
        return { html: bigCard(table, ...lookOf(look)), label: cardName(table.edition, Number(look.dataset.look)), of: look, beside: look, wait: 400 };
    const card = cell && table.view ? table.view.desks[Math.max(0, table.game.me)].slots[Number(cell.dataset.slot)].card : 0;
    const name = card ? SYMBOLS[table.edition.cards[card].cells[Number(cell?.dataset.cell)]] :
        drawn?.querySelector('use')?.getAttribute('href')?.slice(3) ?? (near(event, '.gems') ? 'ruby' : '');
    const of = cell ?? drawn, beside = cell ? cell.closest('article')?.querySelector('.hwrap') : drawn;
    return name && of && beside && Object.values(SYMBOLS).includes(name) ? { html: html`<p>${symbol(name)}<span>${symbolRule(name)}${ruleLink('R11')}</span></p>`,
        of, beside, over: cell !== null, wait: cell ? 1200 : 500 } : null;
}

/** @param {Table} table @param {number} card @param {number[]} marks @param {number[]} fresh */
export function look(table, card, marks, fresh) {
    void dialog(cardName(table.edition, card), html`<div class="lookat">${bigCard(table, card, marks, fresh)}<ol class="rows">${cardText(table, card, marks)}</ol></div>`, { close: _('Close') });
}

/** @param {Table} table */
export function describe(table) {
    const { view } = table;
    if (!view)
        return;
    const block = /** @param {string} who @param {number} card @param {number[]} marks */ (who, card, marks) => card ?
        html`<h3>${`${who} · ${cardName(table.edition, card)}`}</h3><ol class="rows">${cardText(table, card, marks)}</ol>` : '';
    const desk = /** @param {number} s */ (s) => html`${view.desks[s].slots.map((slot) => block(table.game.seats[s].name, slot.card,
        slot.marks))}<p>${shelfWords(table, view, s)}</p>`;
    void dialog(_('The cards in words'), html`${view.desks.map((_d, s) => desk(s))}${view.display.map((n) => block(_('Display'), n, []))}`,
        { close: _('Close'), wide: true });
}

/** @param {Table} table */
export async function hint(table) {
    const { aim, view, core, game } = table;
    if (!aim || !view || !game.hints || !table.canAim() || table.hinting)
        return;
    table.hinting = true;
    game.hinted();
    while (core.undo(game.me) === 0);
    table.render();
    const asked = table.aimKey;
    toast(_('Looking for good choices…'));
    /** @type {Option[] | null} */
    const options = await table.analyst.ask({ kind: 'options', record: core.visibleLog(game.me), seat: game.me, playouts: 4000, seed: String(
        randomSeed()) }).catch(() => null);
    table.hinting = false;
    if (table.stopped)
        return;
    $('#toast').hidden = true;
    if (!options)
        toast(_('This part could not be loaded. Are you offline?'));
    // Whoever has chosen in the meantime is not asked any more.
    if (!options?.length || table.aimKey !== asked)
        return;
    const rows = options.slice(0, 4).map((o, i) => {
        const parts = moveParts(o.choice), words = parts.map((p) => _('%{spaces} on %{card}', { spaces: spaceNames(p.cells),
            card: p.card })).join(' + ');
        return html`<li><button class="btn opt" value="${i}"><b>${words}</b><small>${gainWords(table.edition, parts) ||
            _('no symbols')}</small><small>${_('wins %{win} of 100 games, %{points} points expected', { win: Math.round(100 * o.win),
            points: number(o.points, 1) })}</small></button></li>`;
    });
    const value = await dialog(_('Hint'),
        html`<p class="note">${
        _('The best choices, from thousands of simulated games that use only what you can see. Choosing one ' +
            'places its first mark.')}</p><ul class="choices">${
        rows}</ul>`, { close: _('Close') });
    if (value === '' || !table.aim)
        return;
    const [first] = moveParts(options[Number(value)].choice);
    const place = [...table.aim.patterns, ...table.aim.singles].find((p) => table.aim?.cards[p.slot] === first.card && p.cells.join(
        ) === first.cells.join());
    if (place) {
        table.aim.set(place);
        table.render();
        sayPlaced(table);
    }
}
