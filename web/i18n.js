/**
 * i18n.js: texts in the player's language. English is the source: a text is looked up by itself in the catalogue of the
 * language, which is made from the same .po files as the command's (scripts/po-to-json): a JSON file with a number for every
 * English text, and one per language with its texts in the same order. Placeholders are named: %{name}. Nothing is glued
 * from parts.
 */
import { LANGUAGES } from './languages.js';

export { LANGUAGES };

/** @typedef {Record<string, string | number>} Values */

/** By English text, as far as they were asked for. @type {Map<string, string | string[]>} */
const found = new Map();
/** By the number of the English text. @type {Map<number, string | string[]>} */
let catalogue = new Map();
let seed = 0;

/** The number of a text: FNV-1a over its units, the upper 24 bits. @param {string} text */
function hashOf(text) {
    let value = 0x811c9dc5 ^ seed;
    for (let i = 0; i < text.length; i++)
        value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    return value >>> 8;
}

/** What the catalogue has for an English text; '' if nothing. @param {string} text @returns {string | string[]} */
function look(text) {
    if (!catalogue.size)
        return '';
    let known = found.get(text);
    if (known === undefined)
        found.set(text, known = catalogue.get(hashOf(text)) ?? '');
    return known;
}

/** The form of a number, by the language's own rule: Intl's categories are others than gettext's ("many" in French, Spanish,
 * Italian, Portuguese). */
let pluralOf = LANGUAGES[0][2];
export let language = 'en';

/** What runs from right to left, such as a name, must not turn the words around it. @param {string | number} value */
const isolated = (value) => /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(String(value)) ? `\u2068${value}\u2069` :
    String(value);

/** @param {string} text @param {Values} [values] */
function fill(text, values) {
    return values ? text.replace(/%\{(\w+)\}/g, (all, name) => name in values ? isolated(values[name]) : all) : text;
}

/** Fills the places of a text that the command has, too: %s and %d or, in another order, %2$s. @param {string} text
 * @param {(string | number)[]} values */
export function fillInOrder(text, values) {
    let next = 0;
    return text.replace(/%(?:(\d)\$)?[sdu]/g, (_all, at) => isolated(values[at ? at - 1 : next++]));
}

/** A text. @param {string} text @param {Values} [values] */
export function _(text, values) {
    const known = look(text);
    return fill(typeof known === 'string' && known ? known : text, values);
}

/** A text that depends on a number, which is %{n}. @param {string} one @param {string} many @param {number} n @param
 * {Values} [values] */
export function ngettext(one, many, n, values) {
    const known = look(one), all = { n, ...values };
    if (Array.isArray(known) && known.length)
        return fill(known[Math.min(pluralOf(Math.abs(n)), known.length - 1)], all);
    return fill(n === 1 ? one : many, all);
}

/** The language asked for, or the first of the browser's that there is: de for de-AT. @param {string | null} wanted */
export function pickLanguage(wanted) {
    const codes = LANGUAGES.map(([code]) => code);
    for (const tag of [wanted ?? '', ...navigator.languages]) {
        const code = codes.find((c) => c.replace('_', '-').toLowerCase() === tag.toLowerCase()) ?? codes.find((c) =>
            c === tag.split('-')[0].toLowerCase());
        if (code)
            return code;
    }
    return 'en';
}

/** Loads a language; without its catalogue the texts stay English. @param {string} code */
export async function loadLanguage(code) {
    const get = /** @param {string} name */ (name) => fetch(new URL(`lang/${name}.json`, import.meta.url)).then((r) =>
        r.ok ? r.json() : null, () => null);
    /** @type {[{seed: number, keys: string} | null, (string | string[] | null)[] | null]} */
    const [key, forms] = code === 'en' ? [null, null] : await Promise.all([get('texts'), get(code)]);
    const bytes = atob(key?.keys ?? ''), byte = /** @param {number} i */ (i) => bytes.charCodeAt(i);
    seed = key?.seed ?? 0;
    found.clear();
    // Of two versions of the page, while a server is brought up to date, neither is trusted.
    catalogue = new Map(!forms || bytes.length !== 3 * forms.length ? [] : forms.map((form, i) =>
        [byte(3 * i) << 16 | byte(3 * i + 1) << 8 | byte(3 * i + 2), form ?? '']));
    pluralOf = (LANGUAGES.find(([c]) => c === code) ?? LANGUAGES[0])[2];
    language = code.replace('_', '-');
    document.documentElement.lang = language;
}

/** "a, b and c". @param {string[]} words */
export function listWords(words) {
    return new Intl.ListFormat(language, { type: 'conjunction' }).format(words.map(isolated));
}

/** A number as the language writes it. @param {number} n @param {number} [digits] after the decimal sign */
export function number(n, digits = 0) {
    return new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping:
        false }).format(n);
}
