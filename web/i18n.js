/**
 * i18n.js: texts in the player's language. English is the source: a text is looked up by itself in the catalogue of the language, which is
 * a JSON file made from the same .po files as the command's. Placeholders are named: %{name}. Nothing is glued from parts.
 */

/** @typedef {Record<string, string | number>} Values */

export const LANGUAGES = /** @type {[string, string][]} */ ([['en', 'English'], ['pt', 'Português'], ['es', 'Español'], ['it', 'Italiano'],
    ['fr', 'Français'], ['de', 'Deutsch']]);

/** @type {Record<string, string | string[]>} */
let catalogue = {};
let plurals = new Intl.PluralRules('en');
export let language = 'en';

/** @param {string} text @param {Values} [values] */
function fill(text, values) {
    return values ? text.replace(/%\{(\w+)\}/g, (all, name) => name in values ? String(values[name]) : all) : text;
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
        return fill(plurals.select(n) === 'one' ? found[0] : found[found.length - 1], all);
    return fill(n === 1 ? one : many, all);
}

/** The language asked for, or the first of the browser's that there is. @param {string | null} wanted */
export function pickLanguage(wanted) {
    const codes = LANGUAGES.map(([code]) => code);
    return [wanted ?? '', ...navigator.languages].map((l) => l.slice(0, 2)).find((l) => codes.includes(l)) ?? 'en';
}

/** Loads a language; without its catalogue the texts stay English. @param {string} code */
export async function loadLanguage(code) {
    /** @type {Record<string, string | string[]>} */
    let texts = {};
    if (code !== 'en')
        texts = await fetch(new URL(`lang/${code}.json`, import.meta.url)).then((r) => r.ok ? r.json() : {}, () => ({}));
    catalogue = texts;
    plurals = new Intl.PluralRules(code);
    language = code;
    document.documentElement.lang = code;
}

/** "a, b and c". @param {string[]} words */
export function listWords(words) {
    return new Intl.ListFormat(language, { type: 'conjunction' }).format(words);
}
