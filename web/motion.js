/**
 * motion.js: movements on the table. They are only decoration, and all of them end by themselves. Any input ends them
 * at once, and with reduced motion set on the device there are none.
 */

const SLOW = 360;
export const EASE = 'cubic-bezier(.2,.7,.2,1)';
const calm = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether nothing should move. */
export const isStill = () => calm.matches || document.hidden;

/** Numbers that are counting, each with the function that ends it. @type {Set<() => void>} */
const counting = new Set();

/** Registers `stop`, which is called once: by any input, or by calling the result. @param {() => void} stop */
export function onAnyInput(stop) {
    const end = () => { if (counting.delete(end)) stop(); };
    counting.add(end);
    return end;
}

/** Ends all motion. */
export function finishMotion() {
    for (const end of [...counting])
        end();
    for (const animation of document.getAnimations())
        animation.finish();
}

/** @param {Element | null | undefined} element @param {Keyframe[]} frames @param {number} duration @param {number}
 * [delay] */
export function animate(element, frames, duration, delay = 0) {
    return element && !isStill() ? element.animate(frames, { duration, delay, easing: EASE, fill: 'backwards' }) : null;
}

/** Whether an element is visible on the screen. @param {Element} element */
export function isSeen(element) {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
        && element.checkVisibility({ visibilityProperty: true });
}

/**
 * Lets a copy of something fly from one place to another, where it disappears. @param {HTMLElement} copy
 * @param {DOMRect} from
 * @param {Element | null | undefined} to @param {{delay?: number, duration?: number, fade?: boolean}} [how]
 */
export function fly(copy, from, to, { delay = 0, duration = SLOW, fade = false } = {}) {
    if (isStill() || !to || !from.width)
        return;
    const goal = to.getBoundingClientRect(), size = Math.min(goal.width / from.width, goal.height / from.height) || .5;
    copy.classList.add('flying');
    copy.setAttribute('aria-hidden', 'true');
    copy.inert = true;
    Object.assign(copy.style, { left: `${from.left}px`, top: `${from.top}px`, width: `${from.width}px`, height: `${
        from.height}px` });
    document.body.append(copy);
    const x = goal.left + goal.width / 2 - from.left - from.width / 2, y = goal.top +
        goal.height / 2 - from.top - from.height / 2;
    const flight = copy.animate([{ transform: 'none', opacity: 1 }, { transform: `translate(${x}px, ${y}px) scale(${size})`,
        opacity: fade ? 0 : 1 }],
        { duration, delay, easing: EASE, fill: 'both' });
    flight.onfinish = flight.oncancel = () => copy.remove();
}

/** Animates a number counting up or down; the element already has the final text. @param {Element | null} element
 * @param {number} from @param {number} to
 * @param {(n: number) => string} write */
export function countUp(element, from, to, write) {
    const text = element?.firstChild;
    if (!text || isStill() || from === to)
        return;
    const began = performance.now();
    let frame = 0;
    const end = () => {
        cancelAnimationFrame(frame);
        counting.delete(end);
        text.nodeValue = write(to);
    };
    const step = () => {
        const part = Math.min(1, (performance.now() - began) / SLOW);
        if (part === 1) {
            end();
            return;
        }
        text.nodeValue = write(Math.round(from + (to - from) * part));
        frame = requestAnimationFrame(step);
    };
    counting.add(end);
    step();
}
