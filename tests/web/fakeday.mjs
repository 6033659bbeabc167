// fakeday.mjs: a fake server for daily expeditions, so that every state of the page's views can be tested without waiting
// for a day to pass. expedition.mjs uses the real server.
import { createHash } from 'node:crypto';

const DAY = 86400;
const hex = (text) => createHash('sha256').update(text).digest('hex');
const dateOf = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);

/** Everything that a test may want to vary is an argument.
 * @param {{record: string, friend?: string, state?: string, count?: number, streak?: number, status?: number, wrong?:
 * boolean, refused?: string, secret?: string}} how */
export function fakeDay({ record, friend = record, state = 'none', count = 412, streak = 6, status = 200, wrong = false,
    refused = '', secret = '' }) {
    const now = Date.now() / 1000, start = Math.floor(now / DAY) * DAY, today = dateOf(start), asked = [];
    const points = Number(/^score 1 (-?\d+)/m.exec(record)?.[1] ?? 0);
    const over = { table: 'AAAAAAAA', state: 'over', points, place: Math.min(91, count), of: count, won: 1, luck: 6.2,
        error_rate: .21, level: 'expert', without_luck: points - 6.2, place_without_luck: Math.min(58, count) };
    const you = { none: null, running: { table: 'AAAAAAAA', state: 'running', round: 2, turn: 5 }, over }[state];
    const seal = (back) => back <= 0 || !secret ? hex(`day ${back}`) : wrong ? hex('another') : hex(Buffer.from(secret,
        'hex'));
    const day = (back, who) => ({ date: dateOf(start - back * DAY), number: 128 - back, edition: 'classic',
        commitment: seal(back),
        closes: start + (1 - back) * DAY, reveals: start + (1 - back) * DAY + 10800, now, players: count, you: who,
        ...(back && secret ? { secret } : {}) });
    const middle = Math.round(points / 5) * 5 - 15, bins = [...Array(17).keys()].map((i) => [middle + 5 * (i - 8),
        Math.round(count * Math.exp(-((i - 8) ** 2) / 18) / 7.5)]);
    const few = count < 20 ? [...Array(count).keys()].map((i) => [middle + 5 * (i % 6), 1]) : bins;
    const row = (place, name, more = {}) => ({ place, name, you: false, points: 140 - 2 * place, luck: 9 - place,
        error_rate: .1 * place, days: 3, ...more });
    const rows = [row(1, 'Idris'), row(2, 'Chloé'), row(2, 'Mei'), row(4, 'Jonas', { table: 'BBBBBBBB' }), row(4, 'Lucía'),
        row(6, 'Tomás'), ...[...Array(20).keys()].map((i) => row(7 + i, `Player ${i}`))];
    const mine = row(91, 'Ana', { you: true, points, table: 'AAAAAAAA' });
    const month = today.slice(0, 7), answers = {
        'GET daily': { today: day(0, you), tomorrow: { date: dateOf(start + DAY), number: 129, commitment: seal(-1) },
            yesterday: streak ? { ...day(1, over), median: 96, master: 117 } : null, streak, streak_days: [6, 5, 4, 3, 2, 1,
                0].map((n) => n ? n <= streak : state === 'over'), best_streak: Math.max(14, streak) },
        'POST daily': { table: { code: 'AAAAAAAA', daily: { date: today, number: 128, counted: true } }, counted: true },
        [`GET daily/${today}`]: { day: day(0, you), results: state === 'over' ? { count, bins: few, median: middle,
            ahead: 78, master: points + 9 } : null },
        [`GET daily/${dateOf(start - DAY)}`]: { day: day(1, over), results: { count, bins: few, median: middle, ahead: 78,
            master: null } },
        [`GET daily/${today}/board`]: { rows, page: 1, pages: 2, total: 80, you: mine },
        'GET tables/AAAAAAAA/record': record, 'GET tables/BBBBBBBB/record': friend,
        'POST visitor': { visitor: {} }, 'GET visitor': { visitor: {} }, 'GET my/tables': { tables: [] },
        'GET my/turns': { count: 0, tables: [] }, 'GET links': { links: [] },
    };
    const calendar = (which) => ({ month: which, first: dateOf(start - 40 * DAY), today, days: [...Array(31).keys()].map(
        (i) => `${which}-${`${i + 1}`.padStart(2, '0')}`).filter((d) => d >= dateOf(start - 40 * DAY) && d <= dateOf(start +
        DAY)).map((date) => {
        const back = Math.round((start - Date.parse(date) / 1000) / DAY), kind = back < 0 ? 'sealed' : !back ? state ===
            'over' ? 'won' : 'open' : back % 6 === 4 ? 'missed' : back % 2 ? 'won' : 'played';
        return { date, number: 128 - back, state: kind, points: ['won', 'played'].includes(kind) ? 90 + back : null,
            streak: back > 0 && back <= 3, commitment: seal(back) };
    }) });
    const json = (code, body) => ({ status: code, contentType: 'application/json', body: JSON.stringify(body) });
    /** @param {import('playwright-core').Page} page */
    async function on(page) {
        await page.route('**/api/**', (route) => {
            const request = route.request(), url = new URL(request.url()), path = url.pathname.replace(/^.*\/api\//, '');
            asked.push(`${request.method()} ${path}${url.search}${request.postData() ? ` ${request.postData()}` : ''}`);
            const what = `${request.method()} ${path}`;
            if (status !== 200 && path.startsWith('daily'))
                return status ? route.fulfill(json(status, { error: { code: 'storage' } })) : route.abort();
            if (what === 'POST daily' && refused)
                return route.fulfill(json(refused === 'too_many' ? 429 : 409, { error: { code: refused } }));
            if (path === 'daily/calendar')
                return route.fulfill(json(200, calendar(url.searchParams.get('month') ?? month)));
            const answer = answers[what];
            return typeof answer === 'string' ? route.fulfill({ contentType: 'text/plain', body: answer }) :
                route.fulfill(answer ? json(200, answer) : json(404, { error: { code: 'not_found' } }));
        });
    }
    return { on, asked, answers, today, yesterday: dateOf(start - DAY), points };
}
