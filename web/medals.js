/** medals.js: the medals of solo expeditions in words. The core has the targets (solo.h). */
import { _, ngettext } from './i18n.js';

/** @typedef {import('./core.js').Core} Core */

/** By number: 1 bronze, 2 silver, 3 gold. @param {number} medal */
export const medalName = (medal) => ['', _('Bronze'), _('Silver'), _('Gold')][medal];

/** The points missing for the next medal; '' with gold. @param {Core} core @param {number} solo from 1
 * @param {number} points */
export function nextMedal(core, solo, points) {
    const medal = core.x.solo_medal(solo - 1, points);
    return medal === 3 ? '' : ngettext('%{n} point to %{medal}', '%{n} points to %{medal}',
        core.x.solo_target(solo - 1, medal + 1) - points, { medal: medalName(medal + 1) });
}

/** The result, as title and text.
 * @param {Core} core @param {number} solo @param {number} points @returns {[string, string]} */
export function medalWords(core, solo, points) {
    const medal = core.x.solo_medal(solo - 1, points), n = ngettext('%{n} point', '%{n} points', points);
    return [medal ? _('%{medal} with %{points}', { medal: medalName(medal), points: n }) : n,
        nextMedal(core, solo, points) || _('You have all three medals of expedition %{n}.', { n: solo })];
}
