/**
 * i18n.js: texts in the player's language. English is the source: a text is looked up by itself in the catalogue of the language, which is
 * made from the same .po files as the command's: a JSON file with all English texts, and one a language with theirs in the same order.
 * Placeholders are named: %{name}. Nothing is glued from parts.
 */
import { LANGUAGES } from './languages.js';

export { LANGUAGES };

/** @typedef {Record<string, string | number>} Values */

/** @type {Record<string, string | string[]>} */
let catalogue = {};
/** The form of a number, by the language's own rule: Intl's categories are others than gettext's ("many" in French, Spanish, Italian, Portuguese). */
let pluralOf = LANGUAGES[0][2];
export let language = 'en';

/** What runs from right to left, such as a name, must not turn the words around it. @param {string | number} value */
const isolated = (value) => /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(String(value)) ? `\u2068${value}\u2069` : String(value);

/** @param {string} text @param {Values} [values] */
function fill(text, values) {
    return values ? text.replace(/%\{(\w+)\}/g, (all, name) => name in values ? isolated(values[name]) : all) : text;
}

/** A text. @param {string} text @param {Values} [values] */
export function _(text, values) {
    const found = catalogue[text];
    return fill(typeof found === 'string' && found ? found : text, values);
}

/** A text that depends on a number, which is %{n}. @param {string} one @param {string} many @param {number} n @param {Values} [values] */
export function ngettext(one, many, n, values) {
    const found = catalogue[one], all = { n, ...values };
    if (Array.isArray(found) && found.length)
        return fill(found[Math.min(pluralOf(Math.abs(n)), found.length - 1)], all);
    return fill(n === 1 ? one : many, all);
}

/** The language asked for, or the first of the browser's that there is: de for de-AT. @param {string | null} wanted */
export function pickLanguage(wanted) {
    const codes = LANGUAGES.map(([code]) => code);
    for (const tag of [wanted ?? '', ...navigator.languages]) {
        const code = codes.find((c) => c.replace('_', '-').toLowerCase() === tag.toLowerCase()) ?? codes.find((c) => c === tag.split('-')[0].toLowerCase());
        if (code)
            return code;
    }
    return 'en';
}

/** Loads a language; without its catalogue the texts stay English. @param {string} code */
export async function loadLanguage(code) {
    const get = /** @param {string} name */ (name) => fetch(new URL(`lang/${name}.json`, import.meta.url)).then((r) => r.ok ? r.json() : [], () => []);
    /** @type {[string[], (string | string[])[]]} */
    const [texts, forms] = code === 'en' ? [[], []] : await Promise.all([get('texts'), get(code)]);
    // Of two versions of the page, while a server is brought up to date, neither is trusted.
    catalogue = texts.length === forms.length ? Object.fromEntries(texts.map((text, i) => [text, forms[i] ?? ''])) : {};
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
    return new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }).format(n);
}
