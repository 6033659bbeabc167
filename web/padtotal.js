/**
 * padtotal.js: the score of a sheet of the score pad, which has no game that the engine could score (R16).
 */
import { TILES } from './core.js';
import { WORTH } from './codes.js';

/** @typedef {{name: string, done: number[], rubies: number, emeralds: number, torches: boolean[], skulls: number}} Sheet
 * done: pyramids by colour */
/** @typedef {{sheets: Sheet[], tiles: number[][]}} Pad tiles: by colour, who has them; -1 nobody */

/** @param {Pad} pad @param {number} s @param {number[] | null} penalties of the skulls; null: not known yet, nothing
 * is subtracted */
export function padTotal(pad, s, penalties) {
    const sheet = pad.sheets[s], pairs = Math.min(sheet.rubies, sheet.emeralds);
    const points = pad.tiles.flatMap((t) => t.map((o, i) => o === s ? TILES[i] : 0)).reduce((a, b) => a + b);
    return WORTH.pyramid * sheet.done.reduce((a, b) => a + b) + WORTH.torch * sheet.torches.filter(Boolean).length + points
        + WORTH.pair * pairs + WORTH.gem * Math.abs(sheet.rubies - sheet.emeralds)
        - (sheet.skulls ? penalties?.[sheet.skulls - 1] ?? 0 : 0);
}
