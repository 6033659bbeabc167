/**
 * next.js: what the first page offers, and in which order. It only computes the result from a situation and draws
 * nothing, so that a test can try all situations.
 */

/**
 * @typedef {object} Situation
 * @property {number} waiting tables where this player's choice is awaited
 * @property {'none' | 'away' | 'open' | 'begun' | 'over'} daily today's expedition; none: this page has none, away: the
 * server cannot be reached
 * @property {boolean} game a game on this device is under way
 * @property {boolean} lessons begun, not finished
 * @property {boolean} known this browser was used to play or learn before
 * @property {'none' | 'open' | 'solved'} puzzle of the day
 * @property {number} others running tables where others have to choose
 */

/** @typedef {'table' | 'daily' | 'puzzle' | 'game' | 'other'} Row */
/** @typedef {Row | 'lessons' | 'first' | 'play'} Lead */

/** The main item, which has the only filled button of the page. @param {Situation} now @returns {Lead} */
function leadOf({ waiting, daily, game, lessons, known, puzzle }) {
    if (waiting) return 'table';
    if (daily === 'begun') return 'daily';
    if (game) return 'game';
    if (lessons) return 'lessons';
    if (!known) return 'first';
    return daily === 'open' ? 'daily' : puzzle === 'open' ? 'puzzle' : 'play';
}

/** Every item that applies occurs once: as the main item, or as a row. @param {Situation} now
 * @returns {{lead: Lead, rows: Row[]}} */
export function decide(now) {
    const lead = leadOf(now), rows = /** @type {Row[]} */ ([]);
    for (let i = lead === 'table' ? 1 : 0; i < now.waiting; i++)
        rows.push('table');
    if (now.daily !== 'none' && lead !== 'daily') rows.push('daily');
    if (now.puzzle === 'open' && lead !== 'puzzle') rows.push('puzzle');
    if (now.game && lead !== 'game') rows.push('game');
    for (let i = 0; i < now.others; i++)
        rows.push('other');
    return { lead, rows };
}
