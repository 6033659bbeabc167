/**
 * aim.js: the placement of the pattern. Stores the legal placements, the turn that is shown, and what is placed but
 * not confirmed; the module decides what pointing, turning and painting select (src/session/aim.c, as in the
 * terminal). It works with spaces, not pixels: the table translates pointers and draws the result.
 */
import { GAME } from './codes.js';
import { formOf } from './draw.js';
import { ERR, markStep, spacesFrom } from './core.js';

/** @typedef {import('./core.js').Core} Core */
/** @typedef {import('./core.js').Mark} Mark */
/** @typedef {import('./core.js').View} View */
/** @typedef {{slot: number, cells: number[], step: bigint}} Place */

/** @param {Place | null} a @param {Place | null} b */
export const isSamePlace = (a, b) => a !== null && b !== null && a.step === b.step;

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
        /** The placements that repeated clicks at a space go through. @type {Place[]} */
        this.order = [];
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

    /** The turn shown, as the module counts. */
    held() { return this.quarters | this.mirror << 2; }

    /** The step that the module has found, as a placement. @returns {Place} */
    found() { return /** @type {Mark} */ (this.core.listed(1)[0]); }

    /** How far a form (formOf) is from the turn shown, and the nearest turn that looks like it. @param {string} form */
    apart(form) {
        const spaces = markStep(0, form.split(' ').map((at) => Number(at[0]) + 5 * Number(at[2])));
        const code = this.core.x.aim_apart(this.seat, this.held(), Number(spaces));
        return { far: code >> 3, quarters: code & 3, mirror: code >> 2 & 1 };
    }

    /** The placements in use: those of the pattern, or single spaces. */
    pool() { return this.one ? this.singles : this.patterns; }

    /** All that cover a space, the likeliest first: the turn shown, other turns, the single space.
     * @param {number} slot @param {number} cell */
    covering(slot, cell) {
        const count = this.core.x.aim_covering(this.seat, this.held(), this.one, slot, cell);
        return /** @type {Mark[]} */ (this.core.listed(count));
    }

    /** The spaces of a card that some placement covers. @param {number} slot */
    reachable(slot) {
        const places = [...(this.one ? [] : this.patterns), ...this.singles].filter((p) => p.slot === slot);
        return [...new Set(places.flatMap((p) => p.cells))].sort((a, b) => a - b);
    }

    /** Shows what a click at the space would do; red where nothing fits in this turn.
     * @param {number} slot @param {number} cell */
    point(slot, cell) {
        const bad = this.core.x.aim_cover(this.seat, this.held(), this.one, slot, cell);
        this.hover = { ...this.found(), bad };
    }

    /** Why these spaces cannot be marked; 0 if they can. @param {number} slot @param {number[]} cells */
    why(slot, cells) { return this.core.judge(this.seat, markStep(slot, cells)); }

    /** Places what fits best at the space; for the same space again, the next placement that covers it. False if nothing
     * fits there.
     * @param {number} slot @param {number} cell */
    place(slot, cell) {
        const { cycle, pin } = this, at = this.order.findIndex((p) => isSamePlace(p, pin));
        const again = at >= 0 && cycle.slot === slot && cycle.cell === cell;
        this.hover = null;
        this.refused = 0;
        this.painted = [];
        // The order depends on the turn shown, which placing changes: keep the list of the first click.
        if (!again)
            this.order = this.covering(slot, cell);
        const of = this.order.length, next = again ? (at + 1) % of : 0;
        if (!of) {
            this.refused = this.why(slot, [cell]) || ERR.not_pattern;
            return false;
        }
        this.cycle = { slot, cell, at: next, of };
        this.set(this.order[next]);
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

    /** Turns or mirrors; what is placed stays as near as it can. False if no other turn fits on that card.
     * @param {number} by quarters, 0: mirror */
    turn(by) {
        if (this.one)
            return true;
        const { pin } = this, placed = pin !== null && pin.cells.length > 1;
        const held = this.core.x.aim_turn(this.seat, this.held(), by, placed ? pin.step : 0n), turns = held < GAME.forms;
        this.refused = 0;
        this.hover = null;
        if (turns)
            [this.quarters, this.mirror] = [held & 3, held >> 2];
        if (turns && placed)
            this.pin = this.found();
        return turns || !placed;
    }

    /** The next placement on the card in a fixed order. @param {number} slot @param {number} by */
    step(slot, by) {
        const list = [...(this.one ? [] : this.patterns), ...this.singles].filter((p) => p.slot === slot);
        if (!list.length)
            return;
        const at = list.findIndex((p) => isSamePlace(p, this.pin));
        this.set(list[at < 0 ? 0 : (at + by + list.length) % list.length]);
    }

    /** The placements that contain all these spaces. @param {number} slot @param {number[]} cells */
    holding(slot, cells) { return this.pool().filter((p) => p.slot === slot && cells.every((c) => p.cells.includes(c))); }

    /** Paints space by space: each one narrows the placements; a space that fits none starts over.
     * @param {number} slot @param {number} cell */
    paint(slot, cell) {
        const before = slot === this.paintedOn ? this.painted : [];
        const bits = this.core.x.aim_paint(this.seat, this.held(), this.one, slot, Number(markStep(0, before)), cell);
        this.paintedOn = slot;
        this.painted = spacesFrom(bits);
        const found = this.found();
        this.hover = found.step ? { ...found, bad: 0 } :
            { slot, cells: [cell], step: markStep(slot, [cell]), bad: this.why(slot, [cell]) || ERR.not_pattern };
    }

    /** Paints by taps: once a single placement is left, the rest is filled in; tapping a painted space removes it.
     * @param {number} slot @param {number} cell */
    togglePaint(slot, cell) {
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

    /** The placement in the turn shown whose middle is nearest to a point, in spaces; null beyond reach.
     * @param {number} slot @param {number} x @param {number} y */
    snap(slot, x, y) {
        const near = this.core.x.aim_snap(this.seat, this.held(), this.one, slot, Math.round(100 * y), Math.round(100 * x));
        this.hover = near ? { ...this.found(), bad: 0 } : null;
    }
}
