/**
 * html.js: HTML that is escaped by construction. A view writes html`<b>${name}</b>`; all that is in ${} is text and is
 * escaped, unless it is such HTML itself or a list of it. There is no other way to make Html, and put() in dom.js takes
 * nothing else: a name that holds a tag is shown as it was typed wherever it turns up. (lit-html does the same in 3.3 KB
 * packed; this is 0.4, and our pages are compared as a whole.)
 */

/** HTML as it goes into the document. It does not turn into a string by itself: text that was pieced together would show
 * "[object Object]". */
export class Html {
    /** @param {string} text */
    constructor(text) { this.text = text; }
}

/** @typedef {Html | string | number | boolean | null | undefined} Part */

/** @param {unknown} value @returns {string} */
function textOf(value) {
    if (value instanceof Html)
        return value.text;
    if (Array.isArray(value))
        return value.map(textOf).join('');
    if (value === null || value === undefined || typeof value === 'boolean')
        return typeof value === 'boolean' ? String(value) : '';
    return String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** What is in ${} is escaped; Html stays, lists are put together, null and undefined are nothing. Strings have no tags
 * in them.
 * @param {TemplateStringsArray} strings @param {(Part | Part[] | Part[][])[]} values */
export const html = (strings, ...values) => new Html(strings.reduce((all, s, i) => all + textOf(values[i - 1]) + s));

/**
 * A sentence with HTML in it, in the order that its translator chose: `make` writes it as text, in which `hold` keeps the
 * places of the HTML.
 * @param {(hold: (part: Html) => string) => string} make
 */
export function sentence(make) {
    /** @type {Html[]} */
    const held = [];
    const parts = make((part) => `\0${held.push(part) - 1}\0`).split('\0');
    return html`${parts.map((part, i) => i % 2 ? held[Number(part)] : part)}`;
}

/** No HTML at all. */
export const NONE = html``;
