/**
 * peek.js: a popup for things that are pointed at for a while, held, or reached by keys: a small card in full size,
 * or the meaning of a symbol with a link to its rule. No one depends on it: pressing a card opens it as a dialog, and
 * the help lists all symbols.
 */
import { replaceContent, closest } from './dom.js';

/** @typedef {{html: import('./html.js').Html, label?: string, of: Element, beside: Element, over?: boolean, wait: number,
 * show?: () => () => void}} Found what to show for which element (with a label, if it is a picture), beside or over which
 * element, after how many milliseconds; or a function that shows it elsewhere and returns one that removes it */

export class Peek {
    /** @param {HTMLElement} root @param {AbortSignal} signal @param {(event: Event) => Found | null} find */
    constructor(root, signal, find) {
        this.find = find;
        /** Whether a press has opened it, which then does not count as a click. */
        this.held = false;
        /** @type {(() => void) | undefined} */
        this.undo = undefined;
        this.box = document.createElement('div');
        this.box.className = 'peek';
        this.box.setAttribute('role', 'tooltip');
        this.box.hidden = true;
        document.body.append(this.box);
        signal.addEventListener('abort', () => { this.hide(); this.box.remove(); });
        // If the mouse rests while the page changes under it, that does not count as pointing.
        let x = -1, y = -1;
        document.addEventListener('pointermove', (e) => { [x, y] = [e.clientX, e.clientY]; }, { signal });
        root.addEventListener('pointerover', (e) => { if (e.pointerType === 'mouse' && (e.clientX !== x ||
            e.clientY !== y)) this.over(e); }, { signal });
        root.addEventListener('pointerleave', (e) => { if (e.pointerType === 'mouse') this.leave(); }, { signal });
        // Stays open while the mouse is in it, so that a link can be reached.
        this.box.addEventListener('pointerenter', () => clearTimeout(this.end));
        this.box.addEventListener('pointerleave', () => { if (!this.box.hidden) this.leave(); });
        root.addEventListener('pointerdown', (e) => {
            this.held = false;
            this.hide();
            if (e.pointerType !== 'mouse' && !closest(e, '.cells'))
                this.wait(this.find(e), true);
        }, { signal });
        for (const type of ['pointerup', 'pointercancel'])
            root.addEventListener(type, () =>
                { if (!this.held) clearTimeout(this.begin); else if (!this.box.querySelector('a')) this.hide(); },
                    { signal });
        root.addEventListener('focusin', (e) => {
            if (!closest(e, '[data-look], [data-shelf]')?.matches(':focus-visible'))
                return;
            this.wait(this.find(e));
        }, { signal });
        root.addEventListener('focusout', () => this.hide(), { signal });
        document.addEventListener('pointerdown', (e) => { if (!closest(e, '.peek') &&
            !root.contains(/** @type {Node} */ (e.target))) this.hide(); }, { signal });
        addEventListener('scroll', () => this.hide(), { signal, capture: true });
    }

    /** @param {PointerEvent} event */
    over(event) {
        const found = this.find(event);
        if (found?.of === this.at)
            return;
        this.leave();
        this.wait(found);
    }

    /** @param {Found | null} found @param {boolean} [held] */
    wait(found, held = false) {
        clearTimeout(this.begin);
        this.at = found?.of;
        if (found)
            this.begin = setTimeout(() => this.show(found, held), found.wait);
    }

    /** @param {Found} found @param {boolean} held */
    show({ html, label, beside, over, show }, held) {
        if (!beside.isConnected)
            return;
        clearTimeout(this.end);
        this.takeBack();
        this.box.hidden = true;
        if (show) {
            this.undo = show();
            return;
        }
        this.held = held;
        replaceContent(this.box, html);
        this.box.ariaLabel = label ?? null;
        this.box.hidden = false;
        const by = beside.getBoundingClientRect(), { width, height } = this.box.getBoundingClientRect();
        // Beside its element, on the side with more room; above or below it if neither side has enough.
        const left = by.left - width - 10, right = by.right + 10;
        const x = by.left > innerWidth - by.right ? left : right, fits = !over && x >= 8 && x + width <= innerWidth - 8;
        const y = fits || over ? by.top + by.height / 2 - height / 2 : by.top - height - 10 > 8 ? by.top - height - 10 :
            by.bottom + 10;
        this.box.style.left = `${Math.max(8, Math.min(fits ? x : by.left + by.width / 2 - width / 2,
            innerWidth - width - 8))}px`;
        this.box.style.top = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`;
    }

    /** Removes what is shown elsewhere. */
    takeBack() {
        this.undo?.();
        this.undo = undefined;
    }

    leave() {
        this.takeBack();
        clearTimeout(this.begin);
        this.at = undefined;
        clearTimeout(this.end);
        if (this.box.hidden)             // the usual case: no restyling needed
            return;
        // Enough time to reach a link in it.
        this.end = setTimeout(() => { this.box.hidden = true; }, this.box.querySelector('a') ? 250 : 0);
    }

    /** True if something was shown. */
    hide() {
        this.takeBack();
        clearTimeout(this.begin);
        clearTimeout(this.end);
        this.at = undefined;
        const was = !this.box.hidden;
        this.box.hidden = true;
        return was;
    }
}
