/**
 * past.js: finished games for Games and Profile: those stored in this browser, and those of the server, if there is
 * one that knows us. A game at a table is listed once.
 */
import { analysisOf } from './analysis.js';
import { COLOURS } from './core.js';
import { playerName } from './words.js';
import { games } from './store.js';
import { loadRecord } from './replay.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {{id: string, made: number, points: number, place: number, names: string[], levels: string[], won: boolean,
 * people: number, players: number, pyramids: number[], luck?: number, rate?: number, level?: string, record?: string,
 * margin?: number, expedition?: boolean, learns?: boolean, edition?: string}} Past made: in
 * milliseconds; names and levels: of the others, '' for a person; level: that plays like it; pyramids:
 * green, orange, purple; margin: points ahead of the next, or behind the first; learns: there are mistakes to learn from */

/** The entry for a finished game in this browser; null for one without a result, or if several people shared the device.
 * @param {App} app @param {import('./store.js').Kept} game @returns {Past | null} */
function here(app, game) {
    const core = game.me >= 0 ? loadRecord(app, game.record, game.edition) : '';
    const view = typeof core === 'string' || !core.isOver() ? null : core.view(-1);
    if (typeof core === 'string' || !view)
        return null;
    const { me } = game, winners = core.winners(), totals = view.scores.map((s) => s.total), lines = core.lines();
    const bots = new Map(lines.flatMap((l) => {
        const [, seat, level] = /^tag bot (\d) (\S+)/.exec(l) ?? [];
        return seat ? [/** @type {[number, string]} */ ([Number(seat) - 1, level])] : [];
    }));
    const won = winners.includes(me), others = totals.map((_t, s) => s).filter((s) => s !== me);
    const analysis = analysisOf(lines), judged = analysis?.sums[me];
    return { id: game.id, made: game.date, points: totals[me], won, names: others.map((s) => playerName(core.names()[s])),
        place: won ? 1 : 1 + others.filter((s) => winners.includes(s) || totals[s] > totals[me]).length,
        levels: others.map((s) => bots.get(s) ?? ''), people: others.length - bots.size, players: totals.length,
        pyramids: COLOURS.map((c) => view.desks[me].done.filter((n) => core.edition.cards[n].colour === c).length),
        margin: totals[me] - Math.max(...others.map((s) => totals[s])), record: game.record,
        expedition: game.daily || lines.some((l) => /^tag (solo|day|practice) /.test(l)), edition: game.edition,
        learns: analysis?.decisions.some((d) => d.seat === me && /^\?\??$/.test(d.mark)),
        ...(judged ? { luck: judged.luck, rate: judged.rate, level: judged.level } : {}) };
}

/** @param {App} app @returns {Past[]} */
export const localGames = (app) => games().flatMap((g) => here(app, g) ?? []);

/** A game as the server lists it. @param {any} g @returns {Past} */
export function fromServer(g) {
    const others = g.seats.filter((/** @type {unknown} */ _s, /** @type {number} */ i) => i !== g.you - 1);
    const totals = others.map((/** @type {any} */ s) => s.points ?? 0);
    return { id: g.code, made: 1000 * g.made, points: g.points, place: g.place, won: g.won, people: g.people,
        players: g.seats.length, pyramids: g.pyramids, names: others.map((/** @type {any} */ s) => playerName(s.name)),
        levels: others.map((/** @type {any} */ s) => s.level ?? ''), margin: g.points - Math.max(...totals),
        luck: g.luck, rate: g.error_rate, expedition: g.daily, learns: g.error_rate > 0 };
}

/** Both lists as one, the latest first. @param {Past[]} mine @param {Past[]} theirs */
export function merged(mine, theirs) {
    const known = new Set(theirs.map((g) => g.id)), here = new Map(mine.map((g) => [g.id, g]));
    // This browser may have a game's record and analysis, which the server does not send.
    return [...theirs.map((g) => ({ ...g, record: here.get(g.id)?.record, learns: here.get(g.id)?.learns ?? g.learns })),
        ...mine.filter((g) => !known.has(g.id))].sort((a, b) => b.made - a.made);
}
