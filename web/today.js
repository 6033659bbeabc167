/**
 * today.js: today's expedition, as far as every view needs it: the server's data, the seals that this device has
 * seen, and the display of days, times and torches. daily.js has the views.
 */
import { html } from './html.js';
import { _, language, ngettext } from './i18n.js';
import { symbol } from './draw.js';
import { read, write } from './store.js';

/** @typedef {{table: string, state: 'running' | 'over' | 'expired', round: number, turn: number, points?: number, place?:
 * number, of?: number, won?: number, luck?: number | null, error_rate?: number | null, level?: string | null,
 * without_luck?: number | null, place_without_luck?: number | null}} Attempt */
/** @typedef {{date: string, number: number, edition: string, commitment: string, closes: number, reveals: number,
 * players: number, now?: number, secret?: string, median?: number | null, master?: number | null, you: Attempt | null}}
 * Day */
/** @typedef {{today: Day, tomorrow: {date: string, number: number, commitment: string}, yesterday: Day | null, streak:
 * number, streak_days: boolean[], best_streak: number}} Daily */

const MOST_SEALS = 60;
const MINUTE = 60, HOUR = 60 * MINUTE;

/** Seals by date, as this device saw them first. @returns {Record<string, string>} */
export const seals = () => read('seals', /** @type {Record<string, string>} */ ({}));

/** Stores the seals of days; the first one seen is kept. @param {{date: string, commitment: string}[]} days */
export function keepSeals(days) {
    const before = seals(), fresh = days.filter(({ date }) => !before[date]);
    if (fresh.length)
        write('seals', Object.fromEntries([...Object.entries(before), ...fresh.map((d) => [d.date, d.commitment])].sort()
            .slice(-MOST_SEALS)));
}

/** Secrets of past days that this device knows, so that they can be played without a network. @returns {Record<string,
 * string>} */
export const secrets = () => read('secrets', /** @type {Record<string, string>} */ ({}));
/** @param {(Day | null)[]} days */
export function keepSecrets(days) {
    const before = secrets(), fresh = days.filter((d) => d?.secret && !before[d.date]);
    if (fresh.length)
        write('secrets', Object.fromEntries([...Object.entries(before), ...fresh.map((d) => [d?.date, d?.secret])].sort()
            .slice(-MOST_SEALS)));
}

/** By how many seconds this device's clock is slow. */
let slow = 0;
/** The server's last answer, so that a view has something to show at once. @type {Daily | null} */
let last = null;
export const lastDaily = () => last && secondsTo(last.today.closes) ? last : null;

/** Asks the server. null: this page has no expedition; 'away': the server cannot be reached; 'failed': it had an error.
 * @returns {Promise<Daily | 'away' | 'failed' | null>} */
export async function fetchDaily() {
    const answer = await fetch('api/daily').catch(() => null);
    if (!answer || answer.status >= 500)
        return answer ? 'failed' : 'away';
    const data = answer.ok ? await answer.json().catch(() => null) : null;
    if (!data?.today)
        return null;
    keepSeals([data.today, data.tomorrow]);
    keepSecrets([data.yesterday]);
    slow = data.today.now ? data.today.now - Date.now() / 1000 : 0;
    last = data;
    return data;
}

/** The day in UTC. @param {string} date 2026-11-18 */
export const utcDay = (date) => new Date(`${date}T00:00:00Z`);
/** @param {string} date @param {Intl.DateTimeFormatOptions} [how] */
export const dayWords = (date, how = { weekday: 'long', day: 'numeric', month: 'long' }) =>
    new Intl.DateTimeFormat(language, { ...how, timeZone: 'UTC' }).format(utcDay(date));
/** The date of another day. @param {string} date @param {number} days later */
export const dayLater = (date, days) => new Date(utcDay(date).getTime() + days * 864e5).toISOString().slice(0, 10);

/** @param {number} until in seconds since 1970 */
export const secondsTo = (until) => Math.max(0, until - Date.now() / 1000 - slow);

/** The time until then, in words. @param {number} until in seconds since 1970 */
export function timeLeft(until) {
    const left = secondsTo(until), h = left / HOUR | 0, m = Math.ceil(left % HOUR / MINUTE);
    return m === 60 ? _('%{h} h %{m} min', { h: h + 1, m: 0 }) : h ? _('%{h} h %{m} min', { h, m }) : _('%{m} min', { m });
}

/** @param {number} n */
export const daysInARow = (n) => ngettext('%{n} day in a row', '%{n} days in a row', n);

/** The last seven days as torches, today at the end. @param {Daily} daily */
export function weekOfTorches({ today: { date }, streak_days: lit, streak }) {
    return html`<ol class="week" aria-label="${daysInARow(streak)}">${lit.map((is, i) => {
        const day = dayLater(date, i - lit.length + 1), now = i === lit.length - 1;
        return html`<li class="${is ? 'lit' : 'un'} ${now && !is ? 'now' : ''}">${symbol('torch')}<span aria-hidden="true">${
            dayWords(day, { weekday: 'narrow' })}</span><span class="vh">${is ? _('%{day}: played', { day: dayWords(day) }) :
            _('%{day}: not played', { day: dayWords(day) })}</span></li>`;
    })}</ol>`;
}

/** Whether there is any torch to show. @param {Daily} daily */
export const hasTorches = (daily) => daily.streak > 0 || daily.streak_days.some(Boolean);
