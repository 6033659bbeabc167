/** flights.js: what moves on the table from one look to the next (motion.js says how): cards set aside, gems to the score card, points to a player. */
import { $$, fill } from './dom.js';
import { SYMBOLS, symbol } from './draw.js';
import { TILES } from './core.js';
import { signed } from './words.js';
import { count, fly, isSeen, isStill, move } from './motion.js';
import { play } from './sound.js';

/** @typedef {import('./core.js').View} View */
/** @typedef {import('./aim.js').Place} Place */
/** @typedef {import('./table.js').TableView} Table */

export class Flights {
    /** @param {Table} table */
    constructor(table) {
        this.table = table;
        /** What was last shown, to move only what changed. */
        this.last = { seat: -2, tray: '', quarters: 0, mirror: 0, cards: /** @type {number[]} */ ([]), totals: /** @type {number[]} */ ([]) };
        /** Movements that begin when the table has been drawn. @type {(() => void)[]} */
        this.then = [];
    }

    /** Own cards that are about to be set aside, as they lie there. @param {View} view */
    leaving(view) {
        const { me } = this.table.game;
        if (me < 0 || me !== this.last.seat || isStill())
            return [];
        const gone = this.last.cards.filter((n) => n && view.desks[me].done.includes(n) && !view.desks[me].slots.some((s) => s.card === n));
        return gone.flatMap((n) => {
            const article = this.table.root.querySelector(`.cards-in article[data-n="${n}"]`);
            if (!(article instanceof HTMLElement))
                return [];
            const copy = /** @type {HTMLElement} */ (article.cloneNode(true));
            copy.querySelector('.cells')?.remove();
            return [{ n, copy, box: article.getBoundingClientRect() }];
        });
    }

    /** Moves what has changed since the last time. @param {View} view @param {{n: number, copy: HTMLElement, box: DOMRect}[]} leaving */
    animate(view, leaving) {
        const { last } = this, { aim } = this.table, { me } = this.table.game, seat = Math.max(0, me);
        const now = { seat: me, tray: `${view.round}.${view.turn}.${aim?.extra ?? ''}`, quarters: aim?.quarters ?? 0, mirror: aim?.mirror ?? 0,
            cards: view.desks[seat].slots.map((s) => s.card), totals: view.scores.map((score, s) => s === seat ? this.table.totalOf(view, s) : score.total) };
        this.last = now;
        view.desks[seat].slots.forEach(({ card, marks }) => this.table.inked.set(`${me}.${card}`, marks));
        const then = this.then;
        this.then = [];
        if (last.seat !== me || isStill())
            return;
        if (last.tray === now.tray && (last.quarters !== now.quarters || last.mirror !== now.mirror)) {
            const quarters = (now.quarters - last.quarters + 5) % 4 - 1;
            move(this.table.root.querySelector('.xcard .pat'), [{ transform: `rotate(${-90 * quarters}deg) scaleX(${last.mirror === now.mirror ? 1 : -1})` },
                { transform: 'none' }], 120);
        }
        for (const { n, copy, box } of leaving)
            fly(copy, box, this.seen(`.score .dn[data-n="${n}"]`, '.strip .tot', '.dock [data-open=score]'), { duration: 600, fade: true });
        for (const n of now.cards)
            if (n && last.cards.length && !last.cards.includes(n))
                move(this.table.root.querySelector(`.cards-in article[data-n="${n}"]`), [{ opacity: 0, transform: 'scale(.9)' }, { opacity: 1, transform: 'none' }], 360);
        now.totals.forEach((total, s) => {
            for (const place of s === seat ? $$('.score .tot, .strip .tot', this.table.root) : $$(`.opp[data-seat="${s}"] .num`, this.table.root))
                count(place, last.totals[s] ?? total, total, signed);
        });
        then.forEach((begin) => begin());
    }

    /** The first of these that can be seen. @param {string[]} selectors */
    seen(...selectors) {
        return selectors.flatMap((s) => $$(s, this.table.root)).find(isSeen) ?? null;
    }

    /** Pyramid points go to whoever took them. @param {string} colour @param {number} points @param {number} seat */
    flyTile(colour, points, seat) {
        const from = this.seen(`.pp .k-${colour} .v:nth-of-type(${2 + TILES.indexOf(points)})`, '.xcard');
        const to = seat === this.table.game.me ? this.seen('.score .tot', '.strip .tot', '.dock [data-open=score]') :
            this.seen(`.opp[data-seat="${seat}"] .num`, `.readies [data-seat="${seat}"]`, '.dock [data-open=opps]');
        const tile = document.createElement('span');
        tile.className = 'wontile num';
        tile.textContent = String(points);
        if (from)
            fly(tile, from.getBoundingClientRect(), to, { duration: 600 });
    }

    /** What a mark has brought goes to the score card, with its sounds.
     * @param {View} before @param {Place} mark @param {NonNullable<ReturnType<Table['preview']>>} after @param {DOMRect[]} boxes of its spaces */
    flyGains(before, mark, after, boxes) {
        const { me } = this.table.game, desk = before.desks[me], face = this.table.edition.cards[desk.slots[mark.slot].card].cells;
        const had = /** @type {Record<string, number>} */ ({ r: desk.rubies, e: desk.emeralds, s: desk.skulls, f: before.round });
        const brought = new Set(after.gains.map((g) => g.c));
        let wait = .12;
        play('pen');
        for (const [c, name] of /** @type {const} */ ([['r', 'gem'], ['e', 'gem'], ['f', 'torch'], ['s', 'skull'], ['T', 'tomb']]))
            if (brought.has(c)) {
                play(name, wait);
                wait += .15;
            }
        mark.cells.forEach((i, k) => {
            const c = face[i];
            if (!(c in had) || !brought.has(c))
                return;
            const slot = c === 'f' ? had.f : had[c]++;
            const to = this.seen(`.score [data-of="${c}${slot}"]`, `.strip [data-of="${c}"]`, '.dock [data-open=score]'), copy = document.createElement('span');
            fill(copy, symbol(SYMBOLS[c]));
            fly(copy, boxes[k], to, { delay: 60 * k });
            if (to?.closest('.score'))
                move(to, [{ opacity: 0 }, { opacity: 0, offset: .85 }, { opacity: 1 }], 360, 60 * k);
        });
    }
}
