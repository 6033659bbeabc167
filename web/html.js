/**
 * html.js: HTML that is escaped by construction. A view writes html`<b>${name}</b>`; everything in ${} is text and is
 * escaped, unless it is Html itself or a list of it. There is no other way to make Html, and put() in dom.js accepts
 * nothing else: so a name that contains a tag is always shown as it was typed. (lit-html does the same in 3.3 KB
 * compressed; this takes 0.4, and our pages are compared as a whole.)
 */

/** HTML ready for the document. It does not convert to a string automatically: concatenated text would show "[object
 * Object]". */
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

/** Values in ${} are escaped; Html is kept, lists are joined, null and undefined are left out. Strings never contain
 * tags.
 * @param {TemplateStringsArray} strings @param {(Part | Part[] | Part[][])[]} values */
export const html = (strings, ...values) => new Html(strings.reduce((all, s, i) => all + textOf(values[i - 1]) + s));

/**
 * A sentence with HTML in it, in the order chosen by its translator: `make` writes it as text, with placeholders from
 * `hold` for the HTML.
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
