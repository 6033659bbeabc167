/** announce.js: what is announced at the table: what has happened, what is due, what a placed mark gains. */
import { _, ngettext, listWords } from './i18n.js';
import { announce, toast } from './dom.js';
import { GAME } from './codes.js';
import { COLOURS } from './core.js';
import { colourName, logEntries, patternName, spaceNames, turnOfGame } from './words.js';
import { Aim } from './aim.js';
import { isBystander } from './game.js';
import { playSound } from './sound.js';

/** @typedef {import('./core.js').View} View */
/** @typedef {import('./table.js').TableView} Table */

/** Announces what has happened since the last announcement. @param {Table} table @param {string[]} lines */
export function tellNews(table, lines) {
    const { seats } = table.game, fresh = logEntries(table.core, lines, -1, seats.map((s) => s.name)).filter((e) =>
        e.line >= table.seenLines && !isBystander(seats[e.seat]));
    const words = fresh.filter((e) => e.kind === 'line').map((e) => e.text);
    table.before = new Map();
    const then = table.core.viewAt(table.seenLines, -1);
    if (then && lines.length - table.seenLines < 30)
        then.desks.forEach((d, s) => d.slots.forEach(({ card, marks }) => card && table.before.set(`${s}.${card}`, marks)));
    const view = table.core.view(table.game.me);
    // Of your own events only those that you have not seen already: points, and lost extra marks.
    const loud = fresh.filter((e) => e.loud && (e.seat !== table.game.me || e.lost || lines[e.line].startsWith('points')))
        .map((e) => e.text);
    const turned = fresh.some((e) => e.kind === 'turn'), more = turned ? missedWords(table, lines) : [];
    if (view && view.turn === 0 && view.round > 0 && turned)
        more.push(_('Round %{n} begins: the expedition cards are shuffled, a new torch can be lit.', { n: view.round + 1 }));
    loud.push(...more);
    words.push(...more);
    if (view?.phase === 'mark' && turned)
        words.push(turnWords(table, view));
    if (view?.phase === 'replace')
        words.push(...orderWords(table, view));
    announce(words.join(' '));
    if (loud.length)
        toast(loud.join(' '), 3000 + 1500 * loud.length, '');
    const has = /** @param {string} word */ (word) => fresh.some((e) => lines[e.line].startsWith(word));
    if (has('mark ')) playSound('ready');
    if (turned) playSound('card', .3);
    if (view?.phase === 'replace' && view.order[view.place] === table.game.me) playSound('yours', .3);
    for (const { line, seat } of fresh)
        if (lines[line].startsWith('points '))
            table.flights.then.push(() => table.flights.flyTile(lines[line].split(' ')[2],
                Number(lines[line].split(' ')[3]), seat));
}

/** The viewer's place in the order of replacing. @param {Table} table @param {View} view */
function orderWords(table, view) {
    const at = view.order.indexOf(table.game.me, view.place);
    if (at < 0)
        return [];
    if (at === view.place) {
        const open = view.display.filter(Boolean).length;
        return [view.deckLeft ? ngettext('Your choice: %{n} card and the deck.', 'Your choice: %{n} cards and the deck.',
            open) :
            ngettext('Your choice: %{n} card.', 'Your choice: %{n} cards.', open)];
    }
    return [_('You choose after %{names}.', { names: listWords(view.order.slice(view.place, at).map((s) =>
        table.game.seats[s].name)) })];
}

/** Players who reached a 2nd, 4th or 6th pyramid in the last turn when no points of that colour were left.
 * @param {Table} table @param {string[]} lines */
function missedWords(table, lines) {
    const [from, to] = lines.flatMap((l, i) => l.startsWith('reveal ') ? [i] : []).slice(-2);
    const before = to ? table.core.viewAt(from + 1, -1) : null, after = before && table.core.viewAt(to, -1);
    if (!before || !after)
        return [];
    const points = lines.slice(from, to).filter((l) => l.startsWith('points '));
    return after.desks.flatMap((desk, s) => COLOURS.flatMap((colour) => {
        const [a, b] = [before.desks[s], desk].map(({ done }) => done.filter((n) =>
            table.edition.cards[n].colour === colour).length);
        // Certain numbers of pyramids claim points (R14), also those that are skipped by completing two at once (Q6).
        const claims = GAME.claims & ((2 << b) - (2 << a));
        return claims && !points.some((l) => l.startsWith(`points ${s + 1} ${colour} `)) ?
            [_('No pyramid points for %{colour} were left for %{name}.', { colour: colourName(colour),
                name: table.game.seats[s].name })] : [];
    }));
}

/** @param {Table} table @param {View} view */
function turnWords(table, view) {
    const pattern = table.edition.patterns[view.revealed[view.turn]], aim = view.seat >= 0 &&
        table.core.isWaiting(view.seat) ? new Aim(table.core,
        view.seat, view) : null;
    const head = ngettext('Round %{round}, turn %{turn} of %{turns}. %{pattern}, %{n} space.',
        'Round %{round}, turn %{turn} of %{turns}. %{pattern}, %{n} spaces.', pattern.size,
        { ...turnOfGame(view), pattern: patternName(pattern) });
    const places = (aim?.cards ?? []).map((card, slot) => card ? ngettext('%{n} place on card %{card}.',
        '%{n} places on card %{card}.',
        aim ? aim.patterns.filter((p) => p.slot === slot).length : 0, { card }) : '').join(' ');
    return `${head} ${places}`;
}

/** @param {Table} table */
export function sayPlaced(table) {
    const { aim, view } = table;
    if (!aim?.pin || !view)
        return;
    const preview = table.preview(view), gained = preview?.gains.map((g) => g.text).join(', ');
    const values = { card: aim.cards[aim.pin.slot], spaces: spaceNames(aim.pin.cells), gains: gained || _('no symbols'),
        now: table.totalOf(view, table.game.me), then: preview?.total ?? '' };
    announce(preview?.desk.due ? _('Placed on %{card}: %{spaces}. %{gains}. %{now} to %{then}. Next: one more space.',
        values) :
        _('Placed on %{card}: %{spaces}. %{gains}. %{now} to %{then}. Confirm sends it.', values));
}
