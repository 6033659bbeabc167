/**
 * aim.js: where the pattern would go. Holds the placements that the engine calls legal, the turn that is shown, and what is placed
 * but not confirmed. Knows nothing of pixels: the table tells it spaces, and draws what it says.
 */
import { formOf, turned } from './draw.js';
import { ERR, markStep } from './core.js';

/** @typedef {import('./core.js').Core} Core */
/** @typedef {import('./core.js').Mark} Mark */
/** @typedef {import('./core.js').View} View */
/** @typedef {{slot: number, cells: number[], step: bigint}} Place */

/** @param {number[]} cells */
const middle = (cells) => [cells.reduce((a, k) => a + k % 5, 0) / cells.length, cells.reduce((a, k) => a + (k / 5 | 0), 0) / cells.length];
/** @param {number[]} cells @param {number} x @param {number} y */
const distance = (cells, x, y) => { const [mx, my] = middle(cells); return Math.hypot(mx - x, my - y); };
/** @param {Place | null} a @param {Place | null} b */
export const same = (a, b) => a !== null && b !== null && a.step === b.step;

export class Aim {
    /** @param {Core} core @param {number} seat @param {View} view in which the seat has a mark to make */
    constructor(core, seat, view) {
        this.core = core;
        this.seat = seat;
        this.cards = view.desks[seat].slots.map((s) => s.card);
        const marks = core.steps(seat).filter(/** @returns {s is Mark} */ (s) => s.kind === 'mark');
        this.extra = !view.desks[seat].first;
        this.pattern = core.edition.patterns[view.revealed[view.turn]];
        /** @type {Place[]} */
        this.patterns = marks.filter((m) => m.cells.length > 1);
        /** @type {Place[]} */
        this.singles = marks.filter((m) => m.cells.length === 1);
        this.mustPass = marks.length === 0;
        this.one = this.extra || this.patterns.length === 0;
        this.quarters = 0;
        this.mirror = 0;
        /** @type {Place | null} */
        this.pin = null;
        /** @type {(Place & {bad: number}) | null} */
        this.hover = null;
        /** Why the last try was refused: a code of err.h. */
        this.refused = 0;
        this.cycle = { slot: -1, cell: -1, at: 0, of: 0 };
        /** Spaces painted so far, all on one card. @type {number[]} */
        this.painted = [];
        this.paintedOn = -1;
        /** Whether a tap paints; else it places. */
        this.painting = false;
    }

    /** Keeps the turn that another aim had for the same pattern. @param {Aim | null} other */
    inherit(other) {
        if (other && other.pattern === this.pattern)
            [this.quarters, this.mirror] = [other.quarters, other.mirror];
    }

    form(quarters = this.quarters, mirror = this.mirror) { return turned(this.pattern, quarters, mirror).join(' '); }

    /** How far a form is from the turn shown, and that turn: quarters count one, mirroring two. @param {string} form */
    apart(form) {
        let best = { far: 99, quarters: this.quarters, mirror: this.mirror };
        for (let f = 0; f < 2; f++)
            for (let q = 0; q < 4; q++) {
                const d = (q - this.quarters + 4) % 4, far = Math.min(d, 4 - d) + (f === this.mirror ? 0 : 2);
                if (far < best.far && this.form(q, f) === form)
                    best = { far, quarters: q, mirror: f };
            }
        return best;
    }

    /** The placements in use: those of the pattern, or single spaces. */
    pool() { return this.one ? this.singles : this.patterns; }

    /** All that cover a space, the likeliest first: the turn shown, other turns, the single space. @param {number} slot @param {number} cell */
    covering(slot, cell) {
        const covers = /** @param {Place} p */ (p) => p.slot === slot && p.cells.includes(cell);
        const rank = /** @param {Place} p */ (p) => this.apart(formOf(p.cells)).far * 100 + distance(p.cells, cell % 5, cell / 5 | 0);
        const single = this.singles.filter(covers);
        if (this.one)
            return single;
        return [...this.patterns.filter(covers).map((p) => ({ p, r: rank(p) })).sort((a, b) => a.r - b.r).map(({ p }) => p), ...single];
    }

    /** The spaces of a card that some placement covers. @param {number} slot */
    reachable(slot) {
        const cells = new Set([...this.patterns, ...this.singles].filter((p) => p.slot === slot && (!this.one || p.cells.length === 1)).flatMap((p) =>
            p.cells));
        return [...cells].sort((a, b) => a - b);
    }

    /** Shows what a click at the space would do; red where nothing fits in this turn. @param {number} slot @param {number} cell */
    point(slot, cell) {
        const form = this.form();
        const fit = this.covering(slot, cell).filter((p) => this.one || formOf(p.cells) === form)[0];
        if (fit) {
            this.hover = { ...fit, bad: 0 };
            return;
        }
        const shape = this.one ? /** @type {[number, number][]} */ ([[0, 0]]) : turned(this.pattern, this.quarters, this.mirror);
        const tries = shape.map(([ax, ay]) => shape.map(([x, y]) => [cell % 5 + x - ax, (cell / 5 | 0) + y - ay]))
            .filter((c) => c.every(([x, y]) => x >= 0 && y >= 0 && x < 5 && y < 5)).map((c) => c.map(([x, y]) => y * 5 + x).sort((a, b) => a - b));
        const cells = tries.find((c) => [ERR.no_touch, ERR.no_entrance].includes(this.why(slot, c))) ?? tries[0] ?? [cell];
        this.hover = { slot, cells, step: markStep(slot, cells), bad: this.why(slot, cells) };
    }

    /** Why these spaces cannot be marked; 0 if they can. @param {number} slot @param {number[]} cells */
    why(slot, cells) { return this.core.judge(this.seat, markStep(slot, cells)); }

    /** Places what fits best at the space; the same space again: the next that covers it. False if nothing fits there.
     * @param {number} slot @param {number} cell */
    place(slot, cell) {
        const list = this.covering(slot, cell);
        this.hover = null;
        this.refused = 0;
        this.painted = [];
        if (!list.length) {
            this.refused = this.why(slot, [cell]) || ERR.not_pattern;
            return false;
        }
        const again = this.pin !== null && this.cycle.slot === slot && this.cycle.cell === cell && list.some((p) => same(p, this.pin));
        const at = again ? (list.findIndex((p) => same(p, this.pin)) + 1) % list.length : 0;
        // The order depends on the turn shown, which placing changes: keep the list of the first click.
        if (!again || !this.order)
            this.order = list;
        const index = again ? (this.order.findIndex((p) => same(p, this.pin)) + 1) % this.order.length : at;
        this.cycle = { slot, cell, at: index, of: this.order.length };
        this.set(this.order[index]);
        return true;
    }

    /** @param {Place | null} place */
    set(place) {
        this.pin = place;
        this.hover = null;
        this.refused = 0;
        this.painted = [];
        this.painting = false;
        if (place && place.cells.length > 1) {
            const turn = this.apart(formOf(place.cells));
            [this.quarters, this.mirror] = [turn.quarters, turn.mirror];
        }
    }

    /** Turns or mirrors; what is placed stays as near as it can. False if no other turn fits on that card. @param {number} by quarters, 0: mirror */
    turn(by) {
        if (this.one)
            return true;
        const from = this.pin;
        this.refused = 0;
        this.hover = null;
        const start = [this.quarters, this.mirror];
        if (!by)
            this.mirror = 1 - this.mirror;
        for (let i = 0; i < 4; i++) {
            if (by || i)
                this.quarters = (this.quarters + (by || 1) + 4) % 4;
            if (!from || from.cells.length === 1)
                return true;
            const [mx, my] = middle(from.cells), form = this.form();
            const fit = this.patterns.filter((p) => p.slot === from.slot && formOf(p.cells) === form)
                .sort((a, b) => distance(a.cells, mx, my) - distance(b.cells, mx, my));
            const next = fit.find((p) => !same(p, from));
            if (formOf(from.cells) === form && by)
                continue;                    // a turn that looks the same
            if (next) {
                this.pin = next;
                return true;
            }
        }
        [this.quarters, this.mirror] = start;
        return false;
    }

    /** The next placement on the card in a fixed order. @param {number} slot @param {number} by */
    step(slot, by) {
        const list = [...(this.one ? [] : this.patterns), ...this.singles].filter((p) => p.slot === slot);
        if (!list.length)
            return;
        const at = list.findIndex((p) => same(p, this.pin));
        this.set(list[at < 0 ? 0 : (at + by + list.length) % list.length]);
    }

    /** The placements that hold all these spaces. @param {number} slot @param {number[]} cells */
    holding(slot, cells) { return this.pool().filter((p) => p.slot === slot && cells.every((c) => p.cells.includes(c))); }

    /** Space by space: each narrows the placements; one that fits none starts afresh. @param {number} slot @param {number} cell */
    paint(slot, cell) {
        if (slot !== this.paintedOn)
            this.painted = [];
        this.paintedOn = slot;
        if (!this.painted.includes(cell))
            this.painted = this.holding(slot, [...this.painted, cell]).length ? [...this.painted, cell] : [cell];
        const left = this.holding(slot, this.painted);
        const form = this.form();
        const best = left.find((p) => formOf(p.cells) === form) ?? left[0];
        const single = this.singles.find((p) => p.slot === slot && p.cells[0] === cell);
        if (left.length === 1 || (best && this.painted.length > 1))
            this.hover = { ...best, bad: 0 };
        else if (this.painted.length === 1 && (single ?? best))
            this.hover = { ...(best ?? /** @type {Place} */ (single)), bad: 0 };
        else
            this.hover = { slot, cells: [cell], step: markStep(slot, [cell]), bad: this.why(slot,
                [cell]) || ERR.not_pattern };
    }

    /** Paints by taps: the rest is filled in once a single placement is left, and a painted space is wiped off again. @param {number} slot @param {number} cell */
    dab(slot, cell) {
        this.refused = 0;
        if (slot === this.paintedOn && this.painted.includes(cell)) {
            this.painted = this.painted.filter((c) => c !== cell);
            return;
        }
        this.paint(slot, cell);
        this.hover = null;
        const left = this.holding(slot, this.painted);
        if (left.length === 1)
            this.set(left[0]);
        if (left.length)
            return;
        this.painted = [];
        this.refused = this.why(slot, [cell]) || ERR.not_pattern;
    }

    /** The placement in the turn shown whose middle is nearest to a point, in spaces; null beyond reach. @param {number} slot @param {number} x @param {number} y */
    snap(slot, x, y) {
        const form = this.form();
        const list = (this.one ? this.singles : this.patterns.filter((p) => formOf(p.cells) === form)).filter((p) => p.slot === slot)
            .map((p) => ({ p, d: distance(p.cells, x, y) })).sort((a, b) => a.d - b.d);
        this.hover = list.length && list[0].d < 1.6 ? { ...list[0].p, bad: 0 } : null;
    }
}
