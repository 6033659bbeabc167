/**
 * mistakes.js: your own mistakes, kept as puzzles on this device (src/puzzle/mistake.c): choices that an analysis
 * marks ? or ??.
 */
import { read, write } from './store.js';

/** @typedef {{id: string, text: string, date: number}} Mistake id: of the position, so that none is added twice */

const MOST = 60;                 // one takes 2 to 6 KB

/** @returns {Mistake[]} newest first */
export const mistakes = () => read('pile', /** @type {Mistake[]} */ ([]));
/** @returns {string[]} ids of mistakes that are or were in the pile */
const known = () => read('piled', /** @type {string[]} */ ([]));

/** @param {import('./core.js').Core} core with the whole game @param {import('./core.js').Judged} judged @param
 * {number} me */
export function keepMistakes(core, judged, me) {
    const before = known(), fresh = judged.decisions.filter((d) => d.seat === me && /^\?\??$/.test(d.mark)).flatMap((d) => {
        const text = core.writeMistake(d), id = text.replace(/^player .*|^values .*/gm, '').slice(-400);
        return text && !before.includes(id) ? [{ id, text, date: Date.now() }] : [];
    });
    if (!fresh.length)
        return;
    write('pile', [...fresh, ...mistakes()].slice(0, MOST));
    write('piled', [...fresh.map((m) => m.id), ...before].slice(0, 4 * MOST));
}

/** A mistake was solved: it stays, marked with the day, or leaves the pile. @param {Mistake} mistake
 * @param {string} text '': leaves */
export const solvedMistake = ({ id }, text) => write('pile', mistakes().flatMap((m) => m.id !== id ? [m] : text ?
    [{ ...m, text }] : []));
