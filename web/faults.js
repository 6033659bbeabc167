/**
 * faults.js: errors in a record or an edition, in the sentences of the terminal (src/text/sentences.inc).
 */
import { _, fillInOrder, ngettext } from './i18n.js';
import { TEXT } from './codes.js';
import { FAULTS } from './faulttexts.js';

/** @typedef {import('./core.js').Fault} Fault */

/** In lower case, as shown after a line number. @param {Fault} fault */
function sentenceOf({ code, column, numbers, word, expected }) {
    const values = /** @type {Record<string, string | number>} */ ({ w: word, e: expected, a: numbers[0], b: numbers[1],
        c: column, l: TEXT.line });
    const found = FAULTS.filter(([known]) => known === code);
    const row = found.find(([, , names]) => expected || !names.includes('e')) ?? found.at(-1);
    if (!row)
        return fillInOrder(_('unknown error %d'), [code]);
    const [, rule, names, text, many] = row;
    return fillInOrder(many ? ngettext(text, many, numbers[0]) : _(text), [...names].map((name) => values[name])) +
        (rule && ` (${rule})`);
}

/** A fault of a single number, without a text around it. @param {number} code */
export const codeWords = (code) => faultWords({ code, line: 0, column: 0, numbers: [], word: '', expected: '' });

/** One sentence, with its line if there is one. @param {Fault} fault */
export function faultWords(fault) {
    const sentence = sentenceOf(fault);
    return fault.line ? _('Line %{n}: %{sentence}', { n: fault.line, sentence }) :
        sentence[0].toLocaleUpperCase() + sentence.slice(1);
}
