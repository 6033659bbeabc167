/**
 * strip.js: the players in one line, for a phone: points, who is ready, completed pyramids; and for a moment after
 * each turn, what each of them has marked. Where there is room for small cards, the same moves are highlighted on
 * them.
 */
import { html } from './html.js';
import { _, ngettext } from './i18n.js';
import { avatar, tinyChamber, erasedSkull, icon, shape, symbol } from './draw.js';
import { COLOURS } from './core.js';
import { colourName, logEntries, withSign, signed } from './words.js';
import { countOf, nextTakesPoints, seatsFromMine, stakeOf } from './completed.js';

/** @typedef {import('./core.js').View} View */
/** @typedef {import('./table.js').TableView} Table */
/** @typedef {{card: number, cells: number[], marks: number[], symbols: import('./html.js').Html[], delta: number}} Move
 * of a turn: the card of its first mark, what was marked there, all its marks, what it gained, the change of the total */

const SHOWN = 2400;              // ms that a move stays after the last seat's

/** What everyone else did in the turn that has just ended. @param {Table} table @param {string[]} lines @param {number}
 * since
 * @returns {Map<number, Move>} */
export function movesSince(table, lines, since) {
    const before = table.core.viewAt(since, -1), after = table.core.view(-1);
    /** @type {Map<number, Move>} */
    const moves = new Map();
    if (!before || !after)
        return moves;
    for (const { seat, mark, line } of logEntries(table.core, lines))
        if (line >= since && mark && seat !== table.game.me && !moves.has(seat)) {
            const [a, b] = [before.desks[seat], after.desks[seat]], erased = a.skulls - b.skulls;
            const more = /** @type {const} */ ([['ruby', b.rubies - a.rubies], ['emerald', b.emeralds - a.emeralds],
                ['skull', -erased],
                ['torch', b.torches.filter(Boolean).length - a.torches.filter(Boolean).length], ['tomb',
                    b.done.length - a.done.length]]);
            moves.set(seat, { ...mark, delta: after.scores[seat].total - before.scores[seat].total,
                symbols: [...more.filter(([, n]) => n > 0).map(([name]) => symbol(name)),
                    ...erased > 0 ? [erasedSkull] : []] });
        }
    return moves;
}

/** Shows moves for a while. @param {Table} table @param {Map<number, Move>} moves */
export function showMoves(table, moves) {
    clearTimeout(table.movesEnd);
    table.moves = moves;
    if (moves.size)
        table.movesEnd = setTimeout(() => hideMoves(table), SHOWN + 120 * moves.size);
}

/** @param {Table} table */
export function hideMoves(table) {
    clearTimeout(table.movesEnd);
    if (!table.moves.size)
        return;
    table.moves = new Map();
    table.render();
}

/** @param {Table} table @param {View} view @param {number} s */
function peepHtml(table, view, s) {
    const { me, seats } = table.game, total = table.totalOf(view, s), isMe = s === me,
        status = isMe ? 'idle' : table.game.status(s);
    const counts = COLOURS.map((k, c) => ({ k, n: countOf(table, view, s, k),
        near: nextTakesPoints(countOf(table, view, s, k), stakeOf(view, c)) }));
    const isIn = status === 'ready' || (isMe && table.game.isSealed());
    const state = isIn ? _('ready') : status === 'gone' || status === 'away' ? _('away') : status === 'choosing' ?
        _('choosing a card') :
        status === 'thinking' ? _('thinking') : '';
    const words = [ngettext('%{name}, %{n} point', '%{name}, %{n} points', total, { name: seats[s].name }),
        ...state ? [state] : [],
        counts.map(({ k, n }) => _('%{n} %{colour}', { n, colour: colourName(k) })).join(' ')].join(', ');
    const move = table.moves.get(s), says = table.game.bubbles.get(s);
    if (move)
        return html`<li><button class="peep moved m${s}" data-peep="${s}" data-key="m${s}" aria-label="${
            words}"><span class="bd">${
            tinyChamber(table.edition.cards[move.card], move.marks, move.cells)}${avatar(s,
                { small: true, says })}</span><span class="got"><span>${
            move.symbols.slice(0, 3)}</span>${move.delta ? html`<b>${withSign(move.delta)}</b>` : ''}</span></button></li>`;
    return html`<li><button class="peep ${isMe ? 'me' : ''}" data-peep="${s}" data-key="p${s}" aria-label="${words}">${
        avatar(s, { small: true, me: isMe, says })}<span class="sc num">${signed(total)}</span>${isIn ? icon('check', 'ok') :
        status === 'gone' || status === 'away' ? icon('wifi') : status === 'thinking' &&
            table.isSlow ? icon('clock') : ''}<span class="cn">${
        counts.map(({ k, n, near }) => html`<i class="k-${k} ${near ? 'near' : ''}">${shape(k)}${
            n}</i>`)}</span></button></li>`;
}

/** @param {Table} table @param {View} view */
export const stripHtml = (table, view) => html`<nav class="strip" aria-label="${_('Players')}"><ul class="peeps n${
    table.game.seats.length}" aria-label="${_('Players')}">${
    seatsFromMine(table).map((s) => peepHtml(table, view, s))}</ul></nav>`;
