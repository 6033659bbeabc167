/**
 * i18n.js: texts in the player's language. English is the source: a text is looked up by itself in the catalogue of
 * the language, which is made from the same .po files as the command's (scripts/po-to-json): a JSON file with a key
 * for every English text, and one per language with its texts in the same order, line by line. Placeholders are
 * named: %{name}. No sentence is put together from parts.
 */
import { LANGUAGES } from './languages.js';

export { LANGUAGES };

/** @typedef {Record<string, string | number>} Values */

/** By English text, as far as they were needed: plural forms, or the one translation. @type {Map<string, string[]>} */
const found = new Map();
/** By the key of the English text. @type {Map<string, string>} */
let catalogue = new Map();
let seed = 0;
const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The key of a text: FNV-1a over its units, the upper 18 bits as three signs. @param {string} text */
function keyOf(text) {
    let value = 0x811c9dc5 ^ seed;
    for (let i = 0; i < text.length; i++)
        value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    return SIGNS[value >>> 26] + SIGNS[value >>> 20 & 63] + SIGNS[value >>> 14 & 63];
}

/** The catalogue's entry for an English text. @param {string} text @returns {string[]} */
function look(text) {
    let known = found.get(text);
    if (!known)
        found.set(text, known = catalogue.get(keyOf(text))?.split('\t') ?? []);
    return known;
}

/** The plural form for a number, by the rule in the catalogue: Intl's categories differ from gettext's ("many" in
 * French, Spanish, Italian, Portuguese). */
let pluralOf = LANGUAGES[0][2];
export let language = 'en';

/** Right-to-left text, such as a name, must not change the order of the words around it.
 * @param {string | number} value */
const isolated = (value) => /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(String(value)) ? `\u2068${value}\u2069` :
    String(value);

/** @param {string} text @param {Values} [values] */
function fill(text, values) {
    return values ? text.replace(/%\{(\w+)\}/g, (all, name) => name in values ? isolated(values[name]) : all) : text;
}

/** Fills the placeholders of a text that is shared with the command: %s and %d or, in another order, %2$s.
 * @param {string} text
 * @param {(string | number)[]} values */
export function fillInOrder(text, values) {
    let next = 0;
    return text.replace(/%(?:(\d)\$)?[sdu]/g, (_all, at) => isolated(values[at ? at - 1 : next++]));
}

/** A text. @param {string} text @param {Values} [values] */
export function _(text, values) {
    return fill(look(text)[0] || text, values);
}

/** A text that depends on a number, which is %{n}. @param {string} one @param {string} many @param {number} n @param
 * {Values} [values] */
export function ngettext(one, many, n, values) {
    const known = look(one), all = { n, ...values };
    if (known[0])
        return fill(known[Math.min(pluralOf(Math.abs(n)), known.length - 1)], all);
    return fill(n === 1 ? one : many, all);
}

/** The requested language, or the first of the browser's languages that we have: de for de-AT.
 * @param {string | null} wanted */
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
    const get = /** @param {string} name */ (name) => fetch(new URL(`lang/${name}`, import.meta.url)).then((r) => r.ok ?
        r.text() : '', () => '');
    const [key, texts] = code === 'en' ? ['', ''] : await Promise.all([get('texts.json'), get(`${code}.txt`)]);
    const known = key ? JSON.parse(key) : { seed: 0, keys: '' }, lines = texts.split('\n').slice(0, -1);
    ({ seed } = known);
    found.clear();
    // If both files are of different versions of the page, while a server is being updated, neither is used.
    catalogue = new Map(known.keys.length === 3 * lines.length ? lines.map((line, i) => [known.keys.slice(3 * i, 3 * i + 3),
        line]) : []);
    pluralOf = (LANGUAGES.find(([c]) => c === code) ?? LANGUAGES[0])[2];
    language = code.replace('_', '-');
    document.documentElement.lang = language;
}

/** A word at the beginning of a line. @param {string} text */
export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** "a, b and c". @param {string[]} words */
export function listWords(words) {
    return new Intl.ListFormat(language, { type: 'conjunction' }).format(words.map(isolated));
}

/** A number as the language writes it. @param {number} n @param {number} [digits] after the decimal sign */
export function number(n, digits = 0) {
    return new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits,
        useGrouping: false }).format(n);
}
