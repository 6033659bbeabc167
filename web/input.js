/**
 * input.js: mouse, touch and keyboard at the table. It turns pointers and keys into spaces for the Aim (aim.js) and
 * into the actions of buttons; the table (table.js) draws the result.
 */
import { _ } from './i18n.js';
import { $, $$, announce, replaceContent, closest } from './dom.js';
import { patternPicture, turned } from './draw.js';
import { gains, reason, spaceNames } from './words.js';
import { isSamePlace } from './aim.js';
import { settings } from './store.js';
import { playSnap } from './sound.js';
import { sayPlaced } from './announce.js';
import { listPlacements } from './sheets.js';
import { dropHint, pickHint } from './hints.js';

/** @typedef {import('./aim.js').Aim} Aim */
/** @typedef {import('./aim.js').Place} Place */
/** @typedef {{slot: number, cell: number, mode: '' | 'move' | 'paint' | 'toggle', x: number, y: number, touch:
 * boolean}} Drag where it began, and what it does once it has moved */
/** @typedef {import('./table.js').TableView} Table */

const HOLD = 450;                // pressing this long (ms) starts painting by taps
const LIFT = 56;                 // px: a pattern floats this far above the finger, which would hide it

export class TableInput {
    /** @param {Table} table */
    constructor(table) {
        this.table = table;
        /** @type {Drag | null} */
        this.drag = null;
        /** @type {HTMLElement | null} */
        this.carried = null;
        this.wasDragged = false;
        /** Where the mouse or the keyboard points, card and space. @type {number[] | undefined} */
        this.hoverAt = undefined;
        /** The positions of the chambers while something is dragged: measured once, since measuring at every move
         * would force the browser to compute the layout each time. @type {{slot: number, box: DOMRect}[]} */
        this.grids = [];
    }

    /** The space at a point, in spaces from the corner of its chamber. @param {number} x @param {number} y */
    spaceAt(x, y) {
        for (const { slot, box } of this.grids)
            if (x >= box.left && x < box.right && y >= box.top && y < box.bottom) {
                const across = (x - box.left) / box.width * 5, down = (y - box.top) / box.height * 5;
                return { slot, across, down, cell: Math.floor(across) + 5 * Math.floor(down) };
            }
        return null;
    }

    /** @param {(type: string, act: (event: any) => void, more?: object) => void} on listens to the table @param
     * {AbortSignal} signal */
    listen(on, signal) {
        on('pointerover', (e) => this.pointerOver(e));
        on('pointerdown', (e) => this.pointerDown(e));
        on('pointermove', (e) => this.pointerMove(e));
        on('pointerup', () => this.endDrag(true));
        on('pointercancel', () => this.endDrag(false));
        addEventListener('blur', () => this.endDrag(false), { signal });
        on('wheel', (e) => {
            if (closest(e, '.cells') && this.table.canAim()) {
                e.preventDefault();
                this.table.turn(e.deltaY < 0 ? -1 : 1);
            }
        }, { passive: false });
        document.addEventListener('keydown', (e) => this.key(e), { signal });
        on('focusin', (e) => this.focused(e));
    }

    /** @param {PointerEvent} event */
    pointerOver(event) {
        if (event.pointerType !== 'mouse' || this.drag?.mode || !this.table.aim)
            return;
        const cell = closest(event, '[data-cell]');
        if (this.table.hints)                    // the hint stays until something is placed
            return;
        if (cell && this.table.canAim()) {
            this.hoverAt = [Number(cell.dataset.slot), Number(cell.dataset.cell)];
            this.table.aim.point(this.hoverAt[0], this.hoverAt[1]);
            this.table.layers();
        } else if (this.table.aim.hover) {
            this.table.aim.hover = null;
            this.hoverAt = undefined;
            this.table.layers();
        }
    }

    /** @param {PointerEvent} event */
    pointerDown(event) {
        const cell = closest(event, '[data-cell]'), tray = closest(event, '.xcard');
        this.wasDragged = false;
        if (!this.table.canAim() || event.button !== 0 || !(cell || tray))
            return;
        this.drag = { slot: cell ? Number(cell.dataset.slot) : -1, cell: cell ? Number(cell.dataset.cell) : -1, mode: '',
            x: event.clientX,
            y: event.clientY, touch: event.pointerType !== 'mouse' };
        this.grids = $$('.cells', this.table.root).map((grid) => ({ slot: Number($('button', grid).dataset.slot),
            box: grid.getBoundingClientRect() }));
        clearTimeout(this.holding);
        if (tray) {
            this.drag.mode = 'move';
            event.preventDefault();
        } else if (this.drag.touch && !this.table.aim?.one) {
            this.holding = setTimeout(() => this.paintByTaps(), HOLD);
        }
        if (event.target instanceof Element && event.target.hasPointerCapture(event.pointerId))
            event.target.releasePointerCapture(event.pointerId);
    }

    /** A space was pressed for a while: from now on taps paint. */
    paintByTaps() {
        const { drag } = this, { aim } = this.table;
        if (!drag || drag.mode || !aim || !this.table.canAim())
            return;
        drag.mode = 'toggle';
        aim.set(null);
        aim.painting = true;
        aim.togglePaint(drag.slot, drag.cell);
        playSnap();
        this.table.answer();
        this.table.render();
    }

    /** Moves the pattern if it is there; elsewhere paints a line. @param {Drag} drag @param {Aim} aim */
    startDrag(drag, aim) {
        clearTimeout(this.holding);
        this.table.hints = null;
        drag.mode = aim.pin && aim.pin.slot === drag.slot && aim.pin.cells.includes(drag.cell) ? 'move' : 'paint';
        aim.painted = [];
        if (drag.mode === 'paint')
            aim.paint(drag.slot, drag.cell);
    }

    /** @param {PointerEvent} event */
    pointerMove(event) {
        const { drag } = this, { aim } = this.table;
        if (!drag || !aim)
            return;
        const at = this.spaceAt(event.clientX, event.clientY), cell = at ? [at.slot, at.cell] : null;
        if (!drag.mode) {
            if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 12 || (cell && cell[0] === drag.slot &&
                cell[1] === drag.cell))
                return;
            this.startDrag(drag, aim);
        }
        if (drag.mode === 'paint') {
            if (cell && cell[0] === drag.slot)
                aim.paint(cell[0], cell[1]);
        } else if (drag.mode === 'toggle') {
            if (cell && aim.painting && cell[0] === drag.slot && cell[1] !== drag.cell) {
                drag.cell = cell[1];
                if (!aim.painted.includes(cell[1]))
                    this.table.choose(cell[0], cell[1]);
            }
            return;
        } else {
            const y = event.clientY - (drag.touch ? LIFT : 0), was = aim.hover?.step;
            aim.hover = null;
            const to = this.spaceAt(event.clientX, y);
            if (to)
                aim.snap(to.slot, to.across - .5, to.down - .5);
            if (aim.hover && /** @type {Place} */ (aim.hover).step !== was)
                playSnap();
            this.carry(event.clientX, y);
        }
        this.table.layers();
    }

    /** Between cards the pattern floats with the pointer. @param {number} x @param {number} y */
    carry(x, y) {
        const { aim } = this.table;
        if (!aim)
            return;
        if (!this.carried) {
            this.carried = document.createElement('div');
            this.carried.className = 'carried';
            replaceContent(this.carried, patternPicture(aim.one ? [[0, 0]] : turned(aim.pattern, aim.quarters, aim.mirror)));
            // As large as it will be on the card; the picture is three spaces wide, four if the pattern is.
            const space = (this.grids[0]?.box.width ?? 0) / 5;
            const [, , wide] = ($('svg', this.carried).getAttribute('viewBox') ?? '').split(' ');
            this.carried.style.width = `${space * Number(wide) / 20}px`;
            document.body.append(this.carried);
        }
        this.carried.style.translate = `calc(${x}px - 50%) calc(${y}px - 50%)`;
        this.carried.hidden = aim.hover !== null;
    }

    /** @param {boolean} keep */
    endDrag(keep) {
        const { drag } = this, { aim } = this.table;
        clearTimeout(this.holding);
        this.drag = null;
        this.carried?.remove();
        this.carried = null;
        if (!drag?.mode || !aim)
            return;
        this.wasDragged = true;
        if (drag.mode === 'toggle')
            return;
        const found = keep && aim.hover && !aim.hover.bad ? aim.hover : null;
        if (found) {
            aim.set({ slot: found.slot, cells: found.cells, step: found.step });
            aim.cycle = { slot: -1, cell: -1, at: 0, of: 0 };
            this.table.answer();
        } else if (keep && aim.hover?.bad) {
            aim.refused = aim.hover.bad;
        }
        aim.hover = null;
        aim.painted = [];
        this.table.render();
    }

    /** @param {FocusEvent} event */
    focused(event) {
        const cell = closest(event, '[data-cell]');
        if (!cell || !this.table.aim || !this.table.canAim() || !cell.matches(':focus-visible'))
            return;
        this.table.focus[Number(cell.dataset.slot)] = Number(cell.dataset.cell);
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const { table } = this;
        if (document.querySelector('dialog[open]') || table.game.covered || event.altKey || closest(event,
            'input, select, textarea'))
            return;
        const k = event.key.toLowerCase(), cell = closest(event, '[data-cell]');
        if (event.ctrlKey || event.metaKey) {
            if (k === 'z') {
                event.preventDefault();
                table.undo();
            }
        } else if (k === 'escape')
            this.escape();
        else if (table.hints && closest(event, '.hints') && /^([1-4]|arrow(left|right))$/.test(k)) {
            event.preventDefault();
            pickHint(table, Number(k) ? Number(k) - 1 : table.hints.at + (k === 'arrowleft' ? -1 : 1));
        } else if (k === 'tab' && table.sheet) {
            event.preventDefault();
            this.nextInSheet(event.shiftKey ? -1 : 1);
        } else if (cell && table.aim && (k.startsWith('arrow') || k === 'enter')) {
            event.preventDefault();
            this.keyOnCard(event, k, cell, table.aim);
        } else if (settings.letters)
            this.letter(event, k, cell);
    }

    /** Closes the topmost element, one per press. */
    escape() {
        const { table } = this;
        if (table.peek?.hide())
            return;
        if (table.hints)
            dropHint(table);
        else if (table.sheet)
            table.openSheet('');
        else if (table.root.querySelector('.over'))
            table.act('table');
        else if (table.aim?.pin || table.aim?.refused || table.aim?.painting) {
            table.aim.set(null);
            table.render();
        }
    }

    /** The focus stays within the sheet that is open. @param {number} by */
    nextInSheet(by) {
        const panel = `.${this.table.sheet}`;
        const open = $$(`${panel} button, ${panel} [tabindex="0"]`, this.table.root).filter((b) => b.offsetParent !== null);
        const at = open.indexOf(/** @type {HTMLElement} */ (document.activeElement));
        open[(at + by + open.length) % open.length]?.focus();
    }

    /** Arrows and Enter on a space of a card. @param {KeyboardEvent} event @param {string} k @param {HTMLElement} cell
     * @param {Aim} aim */
    keyOnCard(event, k, cell, aim) {
        const { table } = this, { pin, hover } = aim, slot = Number(cell.dataset.slot), i = Number(cell.dataset.cell);
        if (k !== 'enter')
            this.goTo(slot, i + ({ arrowleft: i % 5 ? -1 : 0, arrowright: i % 5 < 4 ? 1 : 0, arrowup: i > 4 ? -5 : 0,
                arrowdown: i < 20 ? 5 : 0 }[k] ?? 0));
        else if (event.repeat)               // holding a key down does not confirm what it has placed
            return;
        else if (table.hints || (pin && pin.slot === slot && pin.cells.includes(i) && (!hover || isSamePlace(hover, pin) ||
            hover.bad)))
            table.confirm();
        else if (hover && !hover.bad && hover.cells.includes(i)) {
            aim.set({ slot: hover.slot, cells: hover.cells, step: hover.step });
            sayPlaced(table);
            table.render();
        } else
            table.choose(slot, i);
    }

    /** @param {KeyboardEvent} event @param {string} k @param {HTMLElement | null} cell */
    letter(event, k, cell) {
        if (k === 'r') this.table.turn(event.shiftKey ? -1 : 1);
        else if (k === 'f') this.table.turn(0);
        else if (k === 's') this.table.act('one');
        else if (k === 'u') this.table.undo();
        else if (k === 'l') this.table.openSheet(this.table.sheet === 'log' ? '' : 'log');
        else if (k === 'p') listPlacements(this.table);
        else if (k === 'h') this.table.act('hint');
        else if (k === 'e') void this.table.game.react();
        else if (k === '?') this.table.around.help();
        else if (k === '1' || k === '2') this.goTo(Number(k) - 1, this.table.focus[Number(k) - 1]);
        else if (k === 'n' && this.table.aim && this.table.canAim()) {
            const slot = cell ? Number(cell.dataset.slot) : this.table.aim.pin?.slot ?? 0;
            this.table.hints = null;
            this.table.aim.step(slot, event.shiftKey ? -1 : 1);
            this.table.render();
            if (this.table.aim.pin)
                this.goTo(slot, this.table.aim.pin.cells[0], false);
            sayPlaced(this.table);
        } else return;
        event.preventDefault();
    }

    /** Moves the keyboard's position on a card. @param {number} slot @param {number} i @param {boolean} [point] */
    goTo(slot, i, point = true) {
        const cell = this.table.root.querySelector(`[data-slot="${slot}"][data-cell="${i}"]`);
        if (!(cell instanceof HTMLElement))
            return;
        for (const other of $$(`[data-slot="${slot}"]`, this.table.root))
            other.tabIndex = other === cell ? 0 : -1;
        this.table.focus[slot] = i;
        cell.focus();
        if (point && this.table.aim && this.table.canAim() && !this.table.hints) {
            this.hoverAt = [slot, i];
            this.table.aim.point(slot, i);
            this.table.layers();
            this.saySoon();
        }
    }

    /** Announces what is at the keyboard's position once it stops moving. */
    saySoon() {
        clearTimeout(this.pause);
        this.pause = setTimeout(() => this.sayHover(), 300);
    }

    sayHover() {
        const { aim, view } = this.table, hover = aim?.hover;
        if (!aim || !view || !hover)
            return;
        if (hover.bad) {
            announce(_('Does not fit: %{reason}', { reason: reason(hover.bad).text }));
            return;
        }
        const { me } = this.table.game, after = this.table.core.preview(me, hover.step);
        const brings = after ? gains(this.table.edition, view.desks[me], after.desk, view.round).map((g) =>
            g.text).join(', ') : '';
        announce(_('%{spaces}: %{gains}. %{now} to %{then}.', { spaces: spaceNames(hover.cells), gains: brings ||
            _('no symbols'),
            now: this.table.totalOf(view, me), then: after?.total ?? '' }));
    }
}
