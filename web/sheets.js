/**
 * sheets.js: sheets that open over the table: a card in full size, the cards in words, the list of placements.
 */
import { NONE, html } from './html.js';
import { _, ngettext } from './i18n.js';
import { dialog, replaceContent, closest } from './dom.js';
import { SYMBOLS, picture, shownLayer, symbol } from './draw.js';
import { cardName, gainWords, ruleLink, spaceNames, spaceWord, symbolRule } from './words.js';
import { openCompleted, shelfWords } from './completed.js';
import { isSeen } from './motion.js';
import { sayPlaced } from './announce.js';

/** @typedef {import('./table.js').TableView} Table */

/** The card that a button shows, its marks, and which of them draw themselves. @param {HTMLElement} button @returns
 * {[number, number[], number[]]} */
export function cardOfButton({ dataset: { look, marks = '', fresh = '' } }) {
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
        const text = brings ? _('Card %{card}: %{spaces}: %{symbols}', { card, spaces: spaceNames(p.cells),
            symbols: brings }) :
            _('Card %{card}: %{spaces}', { card, spaces: spaceNames(p.cells) });
        return html`<li><button class="btn" value="${i}">${text}</button></li>`;
    });
    table.root.classList.add('named');           // the list uses the names of spaces
    void dialog(_('List placements'), html`<p class="note">${
        ngettext('%{n} legal placement. Choosing one places it; then confirm.',
        '%{n} legal placements. Choosing one places it; then confirm.', places.length)}</p><ul class="choices">${rows}</ul>`,
        { close: _('Close') })
        .then((value) => {
            table.root.classList.remove('named');
            table.hints = null;
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
    return html`${[0, 1, 2, 3, 4].map((y) => html`<li>${_('Row %{n}: %{spaces}', { n: y + 1, spaces: [0, 1, 2, 3,
        4].map((x) => {
        const i = 5 * y + x, what = spaceWord(face.cells[i]);
        return marks.includes(i) ? _('%{what} (marked)', { what }) : what;
    }).join(', ') })}</li>`)}`;
}

/** @param {Table} table @param {number} card @param {number[]} marks @param {number[]} fresh */
function bigCard(table, card, marks, fresh) { return picture(table.edition.cards[card], marks, fresh); }

/** Points out a move of the log on its card, if the card is still there: a function that does it and returns one that
 * removes it.
 * @param {Table} table @param {HTMLElement} line @returns {(() => () => void) | null} */
function pointOut(table, line) {
    const [card, marks, fresh] = cardOfButton(line), now = `[data-n="${card}"]`, by = Number(line.dataset.by);
    const place = table.root.querySelector(by === table.game.me ? `.cards-in article${now}` : `.opp[data-seat="${
        by}"] .look[data-look="${card}"]`);
    const art = place?.querySelector('svg.ch');
    if (!place || !art || !isSeen(place) || !marks.length)
        return null;
    return () => {
        const layer = document.createElementNS('http://www.w3.org/2000/svg', 'g');
        replaceContent(layer, shownLayer(card, fresh, place.matches('article') ? 5.4 : 8));
        art.append(layer);
        place.classList.add('hl');
        line.classList.add('on');
        return () => {
            layer.remove();
            place.classList.remove('hl');
            line.classList.remove('on');
        };
    };
}

/** @param {Table} table */
export const showCompleted = (table) => openCompleted(table, (card) => showCard(table, ...cardOfButton(card)));

/** The popup for something that is pointed at or held. @param {Table} table @param {Event} event
 * @returns {import('./peek.js').Found | null} */
export function peekAt(table, event) {
    const look = closest(event, '[data-look]'), cell = closest(event, '[data-cell]'), drawn = closest(event, '.sy, .gs');
    if (look?.matches('.moment') && table.sheet !== 'log') {
        const show = pointOut(table, look);
        if (show)
            return { html: NONE, of: look, beside: look, wait: 150, show };
    }
    if (look)
        return { html: bigCard(table, ...cardOfButton(look)), label: cardName(table.edition, Number(look.dataset.look)),
            of: look, beside: look, wait: 400 };
    const card = cell && table.view ? table.view.desks[Math.max(0, table.game.me)].slots[Number(cell.dataset.slot)].card : 0;
    const name = card ? SYMBOLS[table.edition.cards[card].cells[Number(cell?.dataset.cell)]] :
        drawn?.querySelector('use')?.getAttribute('href')?.slice(3) ?? (closest(event, '.gems') ? 'ruby' : '');
    const of = cell ?? drawn, beside = cell ? cell.closest('article')?.querySelector('.hwrap') : drawn;
    return name && of && beside && Object.values(SYMBOLS).includes(name) ? { html: html`<p>${symbol(name)}<span>${
        symbolRule(name)}${ruleLink('R11')}</span></p>`,
        of, beside, over: cell !== null, wait: cell ? 1200 : 500 } : null;
}

/** @param {Table} table @param {number} card @param {number[]} marks @param {number[]} fresh */
export function showCard(table, card, marks, fresh) {
    void dialog(cardName(table.edition, card), html`<div class="lookat">${bigCard(table, card, marks,
        fresh)}<ol class="rows">${cardText(table, card, marks)}</ol></div>`, { close: _('Close') });
}

/** @param {Table} table */
export function describe(table) {
    const { view } = table;
    if (!view)
        return;
    const block = /** @param {string} who @param {number} card @param {number[]} marks */ (who, card, marks) => card ?
        html`<h3>${`${who} · ${cardName(table.edition, card)}`}</h3><ol class="rows">${cardText(table, card,
            marks)}</ol>` : '';
    const desk = /** @param {number} s */ (s) => html`${view.desks[s].slots.map((slot) => block(table.game.seats[s].name,
        slot.card,
        slot.marks))}<p>${shelfWords(table, view, s)}</p>`;
    void dialog(_('The cards in words'), html`${view.desks.map((_d, s) => desk(s))}${view.display.map((n) =>
        block(_('Display'), n, []))}`,
        { close: _('Close'), wide: true });
}
