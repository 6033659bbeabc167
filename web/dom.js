/**
 * dom.js: views are written as HTML text; the document is then changed only where it differs, so that focus,
 * scrolling and animations survive. The text has no style attributes (the page's policy forbids them) and no
 * handlers: a view listens at its root.
 */
import { html } from './html.js';
import { _ } from './i18n.js';

/** @typedef {import('./html.js').Html} Html */

/** The element, which must exist. @template {Element} [T=HTMLElement] @param {string} selector @param {ParentNode} [root]
 * @returns {T} */
export function $(selector, root = document) {
    const found = root.querySelector(selector);
    if (!found)
        throw new Error(`no ${selector}`);
    return /** @type {T} */ (/** @type {unknown} */ (found));
}

/** @param {string} selector @param {ParentNode} [root] @returns {HTMLElement[]} */
export const $$ = (selector, root = document) => [...root.querySelectorAll(/** @type {'div'} */ (selector))];

/** The nearest ancestor of an event's target that matches. @param {Event} event @param {string} selector
 * @returns {HTMLElement | null} */
export const closest = (event, selector) => event.target instanceof Element ? event.target.closest(selector) : null;

/** Whether this device is used by tapping instead of clicking. Some phones claim that a finger can hover. */
export const hasTouch = () => matchMedia('(hover: none), (pointer: coarse)').matches;

/** Arrows move within a group of choices; a view that has such groups listens with this. @param {KeyboardEvent} event */
export function radioKeys(event) {
    const radio = closest(event, '[role=radio]');
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!radio || !by)
        return;
    event.preventDefault();
    const all = [...(radio.parentElement?.children ?? [])];
    const next = /** @type {HTMLElement} */ (all[(all.indexOf(radio) + by + all.length) % all.length]);
    next.click();
    next.focus();
}

/** @param {Element} from @param {Element} to */
function syncAttributes(from, to) {
    for (const { name } of [...from.attributes])
        // Keeps a tabindex that a script has set while the element has the focus, which would otherwise be lost.
        if (!to.hasAttribute(name) && !(name === 'style' || name === 'open' || (name === 'tabindex' &&
            from === document.activeElement)))
            from.removeAttribute(name);
    for (const { name, value } of to.attributes)
        if (from.getAttribute(name) !== value)
            from.setAttribute(name, value);
}

/** @param {Node} from @param {Node} to */
function morph(from, to) {
    if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName
        || (from instanceof Element && to instanceof Element && from.getAttribute('data-key') !== to.getAttribute(
            'data-key'))) {
        from.parentNode?.replaceChild(to, from);
        return;
    }
    if (!(from instanceof Element) || !(to instanceof Element)) {
        if (from.nodeValue !== to.nodeValue)
            from.nodeValue = to.nodeValue;
        return;
    }
    if (from.hasAttribute('data-same') && from.getAttribute('data-same') === to.getAttribute('data-same')) {
        syncAttributes(from, to);
        return;
    }
    syncAttributes(from, to);
    morphChildren(from, to);
    if (from instanceof HTMLInputElement && from !== document.activeElement && to.hasAttribute('value'))
        from.value = to.getAttribute('value') ?? '';
}

/** @param {Node | null} node */
const keyOf = (node) => node instanceof Element ? node.getAttribute('data-key') : null;

/** Children with a data-key are recognised even if they have moved among their siblings; the others are compared in
 * order.
 * @param {Element} from @param {ParentNode & Node} to */
function morphChildren(from, to) {
    const next = [...to.childNodes], wanted = new Set(next.map(keyOf));
    /** @type {Map<string | null, ChildNode>} */
    const kept = new Map([...from.childNodes].map((node) => [keyOf(node), node]));
    next.forEach((node, i) => {
        let old = from.childNodes[i] ?? null;
        const key = keyOf(node), same = key === null ? undefined : kept.get(key);
        if (same && same !== old && same.parentNode === from)
            old = from.insertBefore(same, old);
        // A node that is needed further on is not changed into something else here.
        if (!old || (keyOf(old) !== null && keyOf(old) !== key && wanted.has(keyOf(old))))
            from.insertBefore(node, old);
        else
            morph(old, node);
    });
    while (from.childNodes.length > next.length)
        from.lastChild?.remove();
}

/** @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/** Changes the content of an element to the given HTML. @param {Element} root @param {Html} content */
export function put(root, content) {
    const { text } = content;
    if (shown.get(root) === text)
        return;
    const fresh = document.createElement('template');
    fresh.innerHTML = text;
    morphChildren(root, fresh.content);
    shown.set(root, text);
}

/** Replaces the content of an element that has no focus or animation to keep. @param {Element} root
 * @param {Html} content */
export function replaceContent(root, content) { root.innerHTML = content.text; }

/** Texts announced in this microtask. */
let said = '';
/** Announces a text to screen readers. Texts announced at the same time are joined, in order, since a newer text would
 * interrupt an older one. @param {string} text */
export function announce(text) {
    const live = $('#live');
    if (!said)
        queueMicrotask(() => { said = ''; });
    said = said ? `${said} ${text}` : text;
    live.textContent = live.textContent === said ? said + '\u00a0' : said;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let toastEnds;
/** A short message at the top, which is also announced. @param {string} text @param {number} [ms]
 * @param {string} [spoken] another text to announce, '' for none */
export function toast(text, ms = 4000, spoken = text) {
    const box = $('#toast');
    box.textContent = text;
    box.hidden = false;
    if (spoken)
        announce(spoken);
    clearTimeout(toastEnds);
    toastEnds = setTimeout(() => { box.hidden = true; }, ms);
}

/** One dialog can open another, so each heading has its own id. */
let dialogs = 0;
/**
 * A modal dialog with a heading and a close button; resolves with the value of the button that closed it ('' for Esc).
 * @param {string} title @param {Html} body @param {{wide?: boolean, wire?: (dialog: HTMLDialogElement) => void, close?:
 * string}} [options]
 * @returns {Promise<string>}
 */
export function dialog(title, body, { wide = false, wire, close } = {}) {
    return new Promise((resolve) => {
        const box = document.createElement('dialog');
        const back = /** @type {HTMLElement | null} */ (document.activeElement);
        box.className = wide ? 'wide' : '';
        const id = `dlg-${++dialogs}`;
        box.setAttribute('aria-labelledby', id);
        put(box, html`<form method="dialog"><h2 class="title" id="${id}" tabindex="-1">${title}</h2><div class="dlg">${
            body}</div>${close ? html`<p class="dlgf"><button class="btn pri" value="">${close}</button></p>` : ''}</form>`);
        // The page's policy forbids submitting forms, so buttons close the dialog themselves.
        box.addEventListener('click', (event) => {
            const button = closest(event, 'button[value]');
            if (button) {
                event.preventDefault();
                box.close(button.getAttribute('value') ?? '');
            } else if (event.target === box) {
                box.close('');
            }
        });
        box.addEventListener('submit', (event) => event.preventDefault());
        box.addEventListener('close', () => {
            box.remove();
            back?.focus();
            resolve(box.returnValue);
        });
        document.body.append(box);
        wire?.(box);
        box.showModal();
        if (!box.contains(document.activeElement) || document.activeElement === box)
            $(`#${id}`, box).focus();
    });
}

/** Asks before something is lost. @param {string} title @param {string} text @param {string} yes what the button says */
export const askToConfirm = async (title, text, yes) => await dialog(title, html`<p>${
    text}</p><p class="dlgf"><button class="btn" value="">${
    _('Cancel')}</button> <button class="btn pri" value="yes">${yes}</button></p>`) === 'yes';

/** Shares a link: by the device's own dialog, or by copying it to the clipboard. @param {string} url */
export function shareLink(url) {
    if ('share' in navigator && matchMedia('(hover: none)').matches)
        navigator.share({ url, title: 'Pyramids' }).catch(() => {});
    else
        navigator.clipboard.writeText(url).then(() => toast(_('Link copied.')), () => void dialog(_('Link'),
            html`<p class="longlink">${url}</p>`, { close: _('Close') }));
}

/** Offers a text as a file. @param {string} name @param {string} text */
export function download(name, text) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
