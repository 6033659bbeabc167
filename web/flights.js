/**
 * flights.js: what moves on the table when it changes (motion.js has the movements): gems to the score card, points to a
 * player, others' pyramids to their shelf, a new card, a new round. Celebrations are in moments.js.
 */
import { $$, replaceContent } from './dom.js';
import { TILE } from './codes.js';
import { SYMBOLS, pyramidOf, symbol } from './draw.js';
import { signed } from './words.js';
import { EASE, countUp, fly, isSeen, isStill, animate } from './motion.js';
import { playSound } from './sound.js';

/** @typedef {import('./core.js').View} View */
/** @typedef {import('./aim.js').Place} Place */
/** @typedef {import('./table.js').TableView} Table */
/** @typedef {{s: number, n: number, box: DOMRect}} Leaving a card that a seat has completed, and where it was */

export class Flights {
    /** @param {Table} table */
    constructor(table) {
        this.table = table;
        /** What was last shown, to move only what changed. */
        this.last = { seat: -2, tray: '', round: -1, quarters: 0, mirror: 0, cards: /** @type {number[]} */ ([]),
            done: /** @type {number[][]} */ ([]), totals: /** @type {number[]} */ ([]) };
        /** Movements that begin when the table has been drawn. @type {(() => void)[]} */
        this.then = [];
    }

    /** Cards of others that are about to be set aside, with their positions. @param {View} view @returns {Leaving[]} */
    leaving(view) {
        const { me } = this.table.game;
        if (me !== this.last.seat || isStill())
            return [];
        return view.desks.flatMap((desk, s) => s === me ? [] : desk.done.filter((n) => this.last.done[s] &&
            !this.last.done[s].includes(n))
            .flatMap((n) => {
                const from = this.seen(`.opp[data-seat="${s}"] [data-look="${n}"]`);
                return from ? [{ s, n, box: from.getBoundingClientRect() }] : [];
            }));
    }

    /** Animates what has changed since the last time. @param {View} view @param {Leaving[]} leaving */
    animate(view, leaving) {
        const { last } = this, { aim, root } = this.table, { me } = this.table.game, seat = Math.max(0, me);
        const now = { seat: me, tray: `${view.round}.${view.turn}.${aim?.extra ?? ''}`, round: view.round,
            quarters: aim?.quarters ?? 0,
            mirror: aim?.mirror ?? 0, cards: view.desks[seat].slots.map((s) => s.card), done: view.desks.map((d) => d.done),
            totals: view.scores.map((_score, s) => this.table.totalOf(view, s)) };
        this.last = now;
        view.desks[seat].slots.forEach(({ card, marks }) => this.table.inked.set(`${me}.${card}`, marks));
        const then = this.then;
        this.then = [];
        if (last.seat !== me || isStill())
            return;
        if (last.tray === now.tray && (last.quarters !== now.quarters || last.mirror !== now.mirror)) {
            const quarters = (now.quarters - last.quarters + 5) % 4 - 1;
            animate(root.querySelector('.xcard .pat'), [{ transform: `rotate(${-90 * quarters}deg) scaleX(${
                last.mirror === now.mirror ? 1 : -1})` }, { transform: 'none' }], 120);
        }
        this.shelve(leaving);
        for (const n of now.cards)
            if (n && last.cards.length && !last.cards.includes(n))
                animate(root.querySelector(`.cards-in article[data-n="${n}"]`), [{ opacity: 0, transform: 'scale(.9)' },
                    { opacity: 1, transform: 'none' }], 360);
        if (now.round > last.round && last.round >= 0)
            this.newRound();
        now.totals.forEach((total, s) => {
            for (const place of $$(`${s === seat ? '.score .tot, ' : ''}.opp[data-seat="${s}"] .num, .peep[data-peep="${
                s}"] .num`, root))
                countUp(place, last.totals[s] ?? total, total, signed);
        });
        then.forEach((begin) => begin());
    }

    /** Pyramids that others have completed go from their cards to their shelves. @param {Leaving[]} leaving */
    shelve(leaving) {
        for (const { s, n, box } of leaving) {
            const copy = document.createElement('span');
            replaceContent(copy, pyramidOf(this.table.edition.cards[n]));
            fly(copy, new DOMRect(box.left + box.width / 2 - 32, box.top + box.height / 2 - 19, 64, 38),
                this.seen(`.opp[data-seat="${s}"] .dn[data-n="${n}"]`, `.peep[data-peep="${s}"]`), { duration: 600 });
        }
    }

    /** A new round: its number, its torch and the first card of its seven. */
    newRound() {
        playSound('round');
        for (const part of $$('.rounds li.now .rn, .top .roundtext, .torches li.due', this.table.root))
            animate(part, [{ transform: 'scale(1)' }, { transform: 'scale(1.35)', offset: .35 }, { transform: 'scale(1)' }],
                700);
    }

    /** The first of these that can be seen. @param {string[]} selectors */
    seen(...selectors) {
        return selectors.flatMap((s) => $$(s, this.table.root)).find(isSeen) ?? null;
    }

    /** Pyramid points go from the race to the player who took them, the ten in an arc. @param {string} colour
     * @param {number} points @param {number} seat */
    flyTile(colour, points, seat) {
        const from = this.seen(`.race .k-${colour} .stake .coin`, '.dock [data-open=race]', '.xcard');
        const to = this.seen(`.race [data-race="${colour}.${seat}"]`, `.peep[data-peep="${seat}"]`);
        if (!from || !to || isStill())
            return;
        const [a, b] = [from, to].map((e) => e.getBoundingClientRect()), tile = document.createElement('span');
        tile.className = 'coin flying';
        tile.textContent = String(points);
        tile.setAttribute('aria-hidden', 'true');
        Object.assign(tile.style, { left: `${a.left + a.width / 2 - 15}px`, top: `${a.top + a.height / 2 - 15}px`,
            width: '30px', height: '30px' });
        document.body.append(tile);
        const x = b.left + b.width / 2 - a.left - a.width / 2, y = b.top + b.height / 2 - a.top - a.height / 2,
            large = points === TILE.first ? 3 : 1.6;
        const flight = tile.animate([{ transform: 'none' }, { transform: `translate(${x * .4 - 20}px, ${
            y * .4 - 30}px) scale(${large})`,
            offset: .5 }, { transform: `translate(${x}px, ${y}px) scale(.75)` }], {
            duration: points === TILE.first ? 1000 : 700, easing: EASE });
        flight.onfinish = flight.oncancel = () => tile.remove();
        playSound('coin', .2);
    }

    /** The gains of a mark fly to the score card, with their sounds. @param {View} before @param {Place} mark
     * @param {NonNullable<ReturnType<Table['preview']>>} after @param {DOMRect[]} boxes of its spaces */
    flyGains(before, mark, after, boxes) {
        const { me } = this.table.game, desk = before.desks[me],
            face = this.table.edition.cards[desk.slots[mark.slot].card].cells;
        const had = /** @type {Record<string, number>} */ ({ r: desk.rubies, e: desk.emeralds, s: desk.skulls,
            f: before.round });
        const brought = new Set(after.gains.map((g) => g.c));
        let wait = .12;
        playSound('pen');
        for (const [c, name] of /** @type {const} */ ([['r', 'gem'], ['e', 'gem'], ['f', 'torch'], ['s', 'skull']]))
            if (brought.has(c)) {
                playSound(name, wait);
                wait += .15;
            }
        mark.cells.forEach((i, k) => {
            const c = face[i];
            if (!(c in had) || !brought.has(c))
                return;
            const slot = c === 'f' ? had.f : had[c]++, copy = document.createElement('span');
            const to = this.seen(`.score [data-of="${c}${slot}"]`, '.peep.me', '.dock [data-open=score]');
            replaceContent(copy, symbol(SYMBOLS[c]));
            fly(copy, boxes[k], to, { delay: 60 * k });
            if (to?.closest('.score'))
                animate(to, [{ opacity: 0 }, { opacity: 0, offset: .85 }, { opacity: 1 }], 360, 60 * k);
        });
    }
}
