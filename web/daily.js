/**
 * daily.js: the daily expedition before and around the game: today's dig, the boards and the calendar. dayresult.js
 * shows the result, share.js the picture for others; today.js has what the first page needs as well.
 */
import { NONE, html, sentence } from './html.js';
import { _, capital, ngettext, number } from './i18n.js';
import { $, announce, closest, dialog, put, radioKeys, toast } from './dom.js';
import { avatar, desertScene, icon, shape, symbol } from './draw.js';
import { botName } from './game.js';
import { levelName, withSign } from './words.js';
import { ServerError, api, serverWords, visit } from './online.js';
import { dayLater, dayWords, daysInARow, fetchDaily, hasTorches, keepSeals, keepSecrets, lastDaily, seals, secondsTo,
    secrets, timeLeft, utcDay, weekOfTorches } from './today.js';
import { heapHtml, FEWEST } from './heap.js';
import { animate } from './motion.js';
import { canDeal, commitmentOf, playDay } from './offlineday.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./today.js').Day} Day */
/** @typedef {import('./today.js').Daily} Daily */
/** @typedef {import('./html.js').Html} Html */
/** @typedef {{place: number, name: string, you: boolean, points: number, luck: number | null, error_rate: number | null,
 * without_luck?: number, days?: number, table?: string}} Row */
/** @typedef {{date: string, number: number, state: 'won' | 'played' | 'missed' | 'open' | 'sealed', points: number | null,
 * streak: boolean, commitment?: string}} Cell */

const WARNINGS = [60, 15, 5];                // minutes before midnight that are also announced

/** The bar above these views. @param {string} title @param {string} under @param {string} back @param {boolean} [more] */
export const dayTop = (title, under, back, more = true) => html`<header class="top"><a class="iconbtn" href="#${
    back}" aria-label="${_('Back')}">${icon('left')}</a><span class="tw"><b class="title">${title}</b><small>${
    under}</small></span><span class="sp"></span>${more ? html`<a class="iconbtn" href="#daily/days" aria-label="${
    _('Past days')}">${icon('cal')}</a><a class="iconbtn" href="#daily/board" aria-label="${_('Leaderboard')}">${
    icon('crown')}</a>` : ''}</header>`;

/** A number and its meaning. @param {string | number} value @param {string} text @param {string} [more] */
export const fact = (value, text, more = '') => html`<div class="kpi"><b class="${more}">${value}</b><span>${
    text}</span></div>`;

/** Cards that do not match their seal: shown wherever that day is shown, and never hidden. @param {Day} day @param {App}
 * app */
export function sealBanner(day, app) {
    const seen = seals()[day.date], made = day.secret ? commitmentOf(app, day.date, day.secret) : '';
    const wrong = (made && made !== (seen ?? day.commitment)) || (seen && seen !== day.commitment);
    return wrong ? html`<div class="sealbad" role="alert"><b>${icon('info')}${
        _('The cards of %{day} do not match their seal.', { day: dayWords(day.date, { day: 'numeric', month: 'long' })
        })}</b><dl class="hex"><dt>${_('Seal seen before')}</dt><dd>${seen ?? day.commitment}</dd><dt>${
        _('Seal of the cards')}</dt><dd>${made || day.commitment}</dd></dl><button class="linkbtn" data-a="how">${
        _('How the cards are checked')}</button></div>` : NONE;
}

/** Whether a revealed day matches its seal, as one line. @param {Day} day @param {App} app */
export const sealLine = (day, app) => day.secret && commitmentOf(app, day.date, day.secret) === (seals()[day.date] ??
    day.commitment) ? html`<p class="okline">${icon('check')}${_('Shuffle verified against the seal of %{day}',
    { day: dayWords(dayLater(day.date, -1), { day: 'numeric', month: 'long' }) })}</p>` : NONE;

/** How a seal is checked, here and elsewhere. */
export const showHow = () => dialog(_('How the cards are checked'), html`<p>${
    _('All cards of a day follow from one secret. Its fingerprint (SHA-256), the seal, is published the day before, and ' +
        'this device remembers it. When the day is over, the secret is published, and this page checks that it fits the ' +
        'seal and that the cards follow from it.')}</p><p>${sentence((hold) => _(
    'This page comes from the server that it checks. To check elsewhere, save the record and run %{command} on ' +
    'your own computer.', { command: hold(html`<code>pyramids verify game.pyr</code>`) }))}</p>`, { close: _('Close') });

/** The whole seal, to copy. @param {string} commitment */
async function showSeal(commitment) {
    const value = await dialog(_('The seal'), html`<p>${
        _('This is the fingerprint (SHA-256) of the secret from which tomorrow’s cards follow. When the day is over, ' +
            'the secret is shown, and this page checks that it fits.')}</p><p class="longlink">${commitment}</p><p
        class="dlgf"><button class="btn" value="how">${_('How the cards are checked')}</button> <button class="btn"
        value="copy">${
        icon('copy')}${_('Copy')}</button> <button class="btn pri" value="">${_('Close')}</button></p>`);
    if (value === 'copy')
        navigator.clipboard.writeText(commitment).then(() => toast(_('Copied')), () => {});
    else if (value === 'how')
        await showHow();
}

/** Today's dig, before it is over. */
class BeforeView {
    /** @param {HTMLElement} root @param {App} app */
    constructor(root, app) {
        this.root = root;
        this.app = app;
        /** @type {Daily | null} */
        this.daily = lastDaily();
        /** loading, or what went wrong. @type {'' | 'loading' | 'away' | 'none' | 'failed' | 'used'} */
        this.state = this.daily ? '' : 'loading';
        this.stopped = false;
        this.warned = new Set();
        root.addEventListener('click', (e) => void this.click(e));
        this.timer = setInterval(() => this.tick(), 20000);
        this.render();
        void this.load();
    }

    stop() {
        this.stopped = true;
        clearInterval(this.timer);
    }

    async load() {
        await visit(_('Player')).catch(() => {});
        const daily = await fetchDaily();
        if (this.stopped)
            return;
        this.state = typeof daily === 'string' ? daily : daily ? '' : 'none';
        this.daily = daily && typeof daily !== 'string' ? daily : daily ? this.daily : null;
        if (this.daily?.today.you?.state === 'expired' && this.state === '')
            this.state = 'used';             // given up
        if (this.daily?.today.you?.state === 'over' && this.state === '') {
            await this.app.redirect(`daily/${this.daily.today.date}`);
            return;
        }
        this.render();
    }

    /** Updates the time left every minute; near the end it is also announced. */
    tick() {
        if (this.state === 'away')           // there may be a network again
            void this.load();
        if (!this.daily || this.state === 'loading')
            return;
        const minutes = Math.ceil(secondsTo(this.daily.today.closes) / 60), due = WARNINGS.find((m) => minutes <=
            m && minutes > m - 2 && !this.warned.has(m));
        if (minutes <= 0)
            void this.load();
        else if (due) {
            this.warned.add(due);
            announce(ngettext('%{n} minute left for today’s expedition.', '%{n} minutes left for today’s expedition.',
                minutes));
        }
        this.render();
    }

    headHtml() {
        const { daily } = this, date = daily?.today.date ?? new Date().toISOString().slice(0, 10);
        return html`${desertScene()}<div class="stamp"><span class="eyebrow">${dayWords(date)}</span><h1 class="title">${
            _('Everybody digs here today.')}</h1></div>`;
    }

    /** The possible actions. */
    actHtml() {
        const { state, daily } = this, you = daily?.today.you;
        const practice = canDeal(this.app) ? html`<button class="btn pri big" data-a="practice">${icon('play')}${
            _('Practice deal for today')}</button>` : NONE;
        if (state === 'loading')
            return html`<p class="blank"></p><p class="blank"></p><button class="btn pri big" disabled>${
                icon('play')}${_('Set out')}</button>`;
        if (state === 'away' && !you)
            return html`<p>${_('No connection. Today’s cards come from the server one by one.')}</p>${
                practice}<p class="note">${_('The practice deal is the same for everybody who is offline today, and is ' +
                'not counted.')}</p>`;
        if (state === 'none')
            return html`<p>${_('This page has no game server, so nothing is counted. The practice deal is the same for ' +
                'everybody who plays it today.')}</p>${practice}`;
        if (state === 'failed')
            return html`<p role="alert">${_('The expedition could not be opened.')} ${
                _('Your streak is safe until midnight.')}</p>
                <button class="btn pri big" data-a="again">${icon('undo')}${_('Try again')}</button>`;
        if (state === 'used')
            return html`<p role="alert">${
                _('The attempt that counts was already played on this device. Play without counting?')}</p><button
                class="btn pri big" data-a="uncounted">${icon('play')}${_('Play uncounted')}</button>`;
        return html`<p class="mut">${_('The same cards in the same order for everybody, against two Club bots that choose ' +
            'the same way for all. Leave and come back as you like until midnight UTC.')}</p><p class="foes">${avatar(0,
            { me: true })}<span class="mut">${_('against')}</span>${avatar(1, { bot: true })}${avatar(2, { bot: true })}<b>${
            _('%{a} and %{b}, %{level}', { a: botName(1), b: botName(2), level: levelName('club') })}</b></p>${you ?
            html`<p><b>${_('Round %{round}, turn %{turn}. Open until midnight UTC.', { round: you.round, turn: you.turn
            })}</b></p>` : ''}<button class="btn pri big" data-a="go">${icon('play')}${you ? _('Continue') :
            _('Set out')}</button>${you || !canDeal(this.app) ? '' : html`<p class="note mid">${
            _('About 15 minutes. A practice game first?')} <button class="linkbtn" data-a="practice">${
            _('Other cards, not counted')}</button></p>`}`;
    }

    asideHtml() {
        const { daily } = this;
        if (!daily)
            return NONE;
        const { yesterday: y, streak, best_streak: best, tomorrow } = daily, c = tomorrow.commitment;
        const played = daily.streak_days[daily.streak_days.length - 1];
        return html`${hasTorches(daily) ? html`<section class="panel bx"><div class="bxh"><h2 class="title">${
            daysInARow(streak)}</h2><span class="flame" aria-hidden="true">${symbol('torch')}${streak}</span></div><p
            class="mut">${_('Your longest is %{n}.', { n: best })} ${played ? '' :
            _('Play today to light the next torch.')}</p>${weekOfTorches(daily)}</section>` : html`<section
            class="panel bx"><h2 class="title">${_('Your first torch is waiting.')}</h2><p class="mut">${
            _('Every day on which you finish the expedition lights one.')}</p></section>`}${y?.you?.points !== undefined ?
            html`<section class="panel bx"><div class="bxh"><h2 class="title">${_('Yesterday')}</h2><a class="btn ghost"
            href="#daily/${y.date}">${_('Look again')}</a></div><div class="kpis">${fact(y.you.points,
            _('your points'))}${y.median == null ? '' : fact(y.median, _('median of %{n}', { n: y.players }))}${y.master ==
            null ? '' : fact(y.master, _('Master'))}</div></section>` :
            ''}<section class="panel bx"><h2 class="title seal">${icon('seal')}${
            _('Tomorrow is already sealed')}</h2><p class="mut">${
            _('Nobody can change the cards now, and nobody can read them. The day after, the secret is shown and this ' +
            'page checks it for you.')}</p><button class="hexbtn" data-a="seal" aria-label="${
            _('Show the whole seal')}">${c.slice(0, 8)} … ${c.slice(-8)}</button></section>`;
    }

    render() {
        const { daily, state } = this, today = daily?.today;
        const pills = html`<div class="pills">${state === 'none' ? '' : html`<span class="badge">${icon('seal')}${
            _('One attempt counts')}</span>`}${today && !state ? html`<span class="pill">${icon('people')}${
            ngettext('%{n} played', '%{n} played', today.players)}</span><span class="pill">${
            _('%{time} left', { time: timeLeft(today.closes) })}</span>` :
            state === 'loading' ? html`<span class="pill blank"></span>` : ''}</div>`;
        put(this.root, html`<div class="pl">${dayTop(today ? _('Expedition %{n}', { n: today.number }) :
            _('Today’s expedition'), dayWords(today?.date ?? new Date().toISOString().slice(0, 10)), '')}<main
            class="in">${daily?.yesterday ? sealBanner(daily.yesterday, this.app) : ''}<div class="cols side"><section
            class="sc2 dig">${this.headHtml()}<div class="body2">${pills}${this.actHtml(
            )}</div></section><div class="stack">${
            this.asideHtml()}</div></div></main></div>`);
    }

    /** @param {Event} event */
    async click(event) {
        const act = closest(event, '[data-a]')?.dataset.a;
        if (act === 'go') await this.setOut({});
        else if (act === 'uncounted') await this.setOut({ again: true });
        else if (act === 'practice') playDay(this.app, new Date().toISOString().slice(0, 10), '');
        else if (act === 'how') await showHow();
        else if (act === 'seal' && this.daily) await showSeal(this.daily.tomorrow.commitment);
        else if (act === 'again') {
            this.state = this.daily ? '' : 'loading';
            this.render();
            await this.load();
        }
    }

    /** @param {{again?: boolean}} what */
    async setOut(what) {
        const state = await beginDay(this.app, what);
        if (!state || this.stopped)
            return;
        this.state = state;
        this.render();
    }
}

/** Goes to the table of a day: the unfinished attempt, or a new one; otherwise what went wrong. @param {App} app
 * @param {{date?: string, again?: boolean}} what @returns {Promise<'' | 'failed' | 'used'>} */
export async function beginDay(app, what) {
    try {
        await visit(_('Player'));
        const { table } = await api('POST', 'daily', what);
        app.go(`table/${table.code}`);
        return '';
    } catch (error) {
        const code = error instanceof ServerError ? error.code : 'no_server';
        if (code === 'attempted')
            await app.route();
        else if (code === 'not_over')
            toast(_('Finish your counted attempt first.'));
        else if (code === 'too_many' && !what.again)
            return 'used';
        else
            return 'failed';
        return '';
    }
}

/** The animal of a player: always the same for the same name. @param {string} name */
const animalOf = (name) => [...name].reduce((a, c) => a + (c.codePointAt(0) ?? 0), 0) % 4;

/** The leaderboard. */
class BoardView {
    /** @param {HTMLElement} root @param {App} app @param {string} date @param {string} period @param {string} by */
    constructor(root, app, date, period, by) {
        this.root = root;
        this.app = app;
        this.date = date;
        this.period = ['week', 'month'].includes(period) ? period : 'day';
        this.by = ['skill', 'people'].includes(by) ? by : 'points';
        this.page = 1;
        /** @type {{rows: Row[], pages: number, total: number, you: Row | null} | null} */
        this.board = null;
        this.message = '';
        this.stopped = false;
        root.addEventListener('keydown', radioKeys);
        root.addEventListener('click', (e) => this.click(e));
        this.render();
        void this.load();
    }

    stop() { this.stopped = true; }

    async load() {
        const { period, by, page } = this, now = `${period}${by}${page}`;
        try {
            await visit(_('Player'));
            const board = await api('GET', `daily/${this.date}/board?period=${period}&by=${by}&page=${page}`);
            if (this.stopped || now !== `${this.period}${this.by}${this.page}`)
                return;
            this.board = board;
            this.message = '';
        } catch (error) {
            const code = error instanceof ServerError ? error.code : '';
            this.message = code === 'not_over' ? _('The leaderboard opens when you have finished your expedition.') :
                code === 'no_day' ? _('There was no expedition on this day.') : serverWords(code || 'no_server');
        }
        this.render();
        [3, 2, 1].forEach((p, i) => animate(this.root.querySelector(`.pod .p${p}`), [{ transform: 'translateY(40px)',
            opacity: 0 }, { transform: 'none', opacity: 1 }], 240, i * 120));
    }

    /** @param {Row} row */
    value(row) { return this.by === 'skill' ? Math.round(row.without_luck ?? row.points) : row.points; }

    /** The three best as a podium; equal points share a block. @param {Row[]} rows */
    podiumHtml(rows) {
        const best = [1, 2, 3].map((place) => rows.filter((r) => r.place === place)).filter((all) => all.length);
        const block = /** @param {Row[]} all */ (all) => html`<li class="p${all[0].place}"><div class="pp1">${
            all[0].place === 1 ? icon('crown', 'cr') : ''}${avatar(animalOf(all[0].name), { me: all.some((r) => r.you) })}${
            all.slice(0, 3).map((r) => html`<span class="nmt" dir="auto">${r.name}</span>`)}${all.length > 3 ?
            html`<small>${ngettext(
            'and %{n} more', 'and %{n} more', all.length - 3)}</small>` : ''}</div><div class="st"><b>${
            this.value(all[0])}</b><span>${_('Rank %{n}', { n: all[0].place })}</span></div></li>`;
        return html`<ol class="panel pod">${best.map(block)}</ol>`;
    }

    /** @param {Row} row @param {boolean} [pinned] not of this page */
    rowHtml(row, pinned = false) {
        const rate = row.error_rate === null ? '' : `${_('error rate')} ${number(row.error_rate, 1)}`;
        const days = this.period === 'day' || !row.days ? '' : ngettext('%{n} day', '%{n} days', row.days);
        const name = html`<span class="nm"><span class="nmt" dir="auto">${row.name}</span><small>${rate ||
            days}</small></span>`;
        return html`<li class="${row.you ? 'me' : ''} ${pinned ? 'pinned' : ''}" data-key="${row.place}.${row.name}.${
            row.table ?? ''}"><span class="rk">${row.place}</span>${avatar(row.you ? 0 : animalOf(row.name), { me: row.you
            })}${row.table && !row.you ? html`<a class="nm" href="#daily/${this.date}/with/${row.table}" title="${
            _('Compare')}">${name}</a>` : name}${row.luck === null ? html`<span></span>` : html`<span class="pill">${
            icon('clover')}<span class="vh">${_('luck')}</span>${withSign(Math.round(row.luck))}</span>`}<b class="pt2">${
            this.value(row)}</b></li>`;
    }

    /** @param {string} name @param {string} label @param {string} now @param {[string, string][]} all */
    segHtml(name, label, now, all) {
        return html`<div class="seg wide" role="radiogroup" aria-label="${label}">${all.map(([value, text]) => html`<button
            role="radio" aria-checked="${value === now}" tabindex="${value === now ? 0 : -1}" data-${name}="${value}">${
            text}</button>`)}</div>`;
    }

    listHtml() {
        const { board, page } = this;
        if (this.message)
            return html`<p class="panel bx" role="status">${this.message}</p>`;
        if (!board)
            return html`<div class="panel bx"><p class="blank"></p><p class="blank"></p><p class="blank"></p></div>`;
        if (!board.rows.length)
            return html`<p class="panel bx" role="status">${this.by === 'people' ?
                _('No one you have played with has a result here yet.') : _('No results yet.')}</p>`;
        const rows = page === 1 ? board.rows.filter((r) => r.place > 3) : board.rows, { you } = board;
        const here = !you || board.rows.some((r) => r.you);
        return html`${page === 1 ? this.podiumHtml(board.rows) : ''}${rows.length || !here ? html`<ol class="panel lb2">${
            rows.map((r) => this.rowHtml(r))}${here || !you ? '' : this.rowHtml(you, true)}</ol>` : ''}${board.pages > 1 ?
            html`<p class="bars"><button class="btn" data-page="${page - 1}" ${page > 1 ? '' : html`disabled`}>${
            icon('left')}${_('Back')}</button><span class="mut">${_('Page %{n} of %{of}', { n: page, of: board.pages
            })}</span><button class="btn" data-page="${page + 1}" ${page < board.pages ? '' : html`disabled`}>${
            _('Next')}${icon('right')}</button></p>` : ''}`;
    }

    render() {
        put(this.root, html`<div class="pl">${dayTop(_('Leaderboard'), dayWords(this.date), `daily/${this.date}`,
            false)}<main class="in narrow2"><h1 class="vh">${_('Leaderboard')}</h1>${this.segHtml('period', _('Time'),
            this.period, [['day', _('Day')], ['week', _('Week')], ['month', _('Month')]])}<div aria-live="polite"
            class="stack">${this.listHtml()}</div>${this.segHtml('by', _('Order'), this.by, [['points',
            capital(_('points'))], ['skill', _('Without luck')], ['people', _('People I know')]])}<p class="note mid">${
            _('Equal points share a place. A week adds your best five days, a month your best twenty.')}</p></main></div>`);
    }

    /** @param {Event} event */
    click(event) {
        const { period, by, page } = closest(event, '[data-period], [data-by], [data-page]')?.dataset ?? {};
        if (!period && !by && !page)
            return;
        this.period = period ?? this.period;
        this.by = by ?? this.by;
        this.page = Number(page ?? 1);
        this.render();
        void this.load();
    }
}

/** All days of a month. */
class DaysView {
    /** @param {HTMLElement} root @param {App} app */
    constructor(root, app) {
        this.root = root;
        this.app = app;
        this.today = lastDaily()?.today.date ?? new Date().toISOString().slice(0, 10);
        this.chosen = this.today;
        /** By month. @type {Map<string, {days: Cell[], first: string}>} */
        this.months = new Map();
        /** What the server has sent about a day.
         * @type {Map<string, {day: Day, results: import('./heap.js').Results | null}>} */
        this.days = new Map();
        this.message = '';
        this.stopped = false;
        root.addEventListener('click', (e) => void this.click(e));
        root.addEventListener('keydown', (e) => this.key(e));
        this.render();
        void this.load();
    }

    stop() { this.stopped = true; }

    get month() { return this.chosen.slice(0, 7); }

    async load() {
        const { month, chosen } = this;
        try {
            await visit(_('Player'));
            if (!this.months.has(month))
                this.months.set(month, await api('GET', `daily/calendar?month=${month}`));
            keepSeals((this.months.get(month)?.days ?? []).flatMap((d) => d.commitment ? [{ date: d.date,
                commitment: d.commitment }] : []));
            const cell = this.cell(chosen);
            if (cell && cell.state !== 'sealed' && !this.days.has(chosen)) {
                const told = await api('GET', `daily/${chosen}`);
                keepSecrets([told.day]);
                this.days.set(chosen, told);
            }
            this.message = '';
        } catch (error) {
            const code = error instanceof ServerError ? error.code : 'no_server';
            this.message = code === 'no_day' ? '' : serverWords(code);
        }
        if (!this.stopped)
            this.render();
    }

    /** @param {string} date */
    cell(date) { return this.months.get(date.slice(0, 7))?.days.find((d) => d.date === date); }

    /** @param {Cell | undefined} cell @param {string} date */
    words(cell, date) {
        const day = dayWords(date), now = date === this.today;
        switch (cell?.state) {
        case 'won': return _('%{day}: won, %{n} points', { day, n: cell.points ?? 0 });
        case 'played': return _('%{day}: played, %{n} points', { day, n: cell.points ?? 0 });
        case 'missed': return _('%{day}: not played', { day });
        case 'open': return _('%{day}: today, not played', { day });
        case 'sealed': return _('%{day}: sealed', { day });
        default: return now ? _('%{day}: today, not played', { day }) : day;
        }
    }

    /** @param {string} date */
    cellHtml(date) {
        const cell = this.cell(date), state = cell?.state, on = date === this.chosen, now = date === this.today;
        const kind = /** @type {Record<string, string>} */ ({ won: 'won', played: 'ply', missed: 'mis', open: 'opn'
            })[state ?? ''] ?? '';
        return html`<button role="gridcell" class="${kind} ${now ? 'tod' : ''}" data-date="${date}" aria-selected="${
            on}" tabindex="${on ? 0 : -1}" aria-label="${this.words(cell, date)}"><i>${utcDay(date).getUTCDate()}</i>${kind ?
            html`${shape(['green', 'orange', 'purple'][(cell?.number ?? 0) % 3])}${state === 'missed' || state === 'open' ?
            icon('play', 'pl2') : html`<span>${cell?.points ?? ''}</span>`}` : state === 'sealed' ? icon('seal') : ''}${
            cell?.streak ? symbol('torch') : ''}</button>`;
    }

    gridHtml() {
        const first = `${this.month}-01`, lead = (utcDay(first).getUTCDay() + 6) % 7, start = dayLater(first, -lead);
        const last = dayLater(`${dayLater(first, 31).slice(0, 7)}-01`, -1);
        const weeks = Math.ceil((lead + Number(last.slice(8))) / 7);
        const at = /** @param {number} i */ (i) => dayLater(start, i);
        return html`<div class="cal" role="grid" aria-label="${dayWords(first, { month: 'long', year: 'numeric' })}"><div
            role="row">${[0, 1, 2, 3, 4, 5, 6].map((i) => html`<span role="columnheader" class="wd" aria-label="${
            dayWords(at(i), { weekday: 'long' })}">${dayWords(at(i), { weekday: 'narrow' })}</span>`)}</div>${Array.from({
            length: weeks }, (_w, w) => html`<div role="row">${[0, 1, 2, 3, 4, 5, 6].map((i) => at(7 * w + i)).map((date) =>
            date.slice(0, 7) === this.month ? this.cellHtml(date) : html`<span role="gridcell"></span>`)}</div>`)}</div>`;
    }

    sumHtml() {
        const days = (this.months.get(this.month)?.days ?? []).filter((d) => ['won', 'played', 'missed'].includes(d.state));
        const played = days.filter((d) => d.points !== null && d.state !== 'missed'), won = played.filter((d) =>
            d.state === 'won').length;
        if (!days.length)
            return NONE;
        const mean = played.reduce((a, d) => a + (d.points ?? 0), 0) / Math.max(1, played.length);
        return html`<section class="panel bx"><h2 class="title">${dayWords(`${this.month}-01`, { month: 'long',
            year: 'numeric' })}</h2><div class="kpis">${fact(played.length, ngettext('of %{n} day', 'of %{n} days',
            days.length))}${fact(won, _('won (gold)'))}${played.length ? fact(Math.round(mean), _('average points')) :
            ''}</div></section>`;
    }

    dayHtml() {
        const { chosen } = this, cell = this.cell(chosen), told = this.days.get(chosen), title = dayWords(chosen);
        const kept = secrets()[chosen], secret = told?.day.secret ?? kept;
        const mine = told?.day.you?.points ?? null, { results = null } = told ?? {};
        const text = !cell ? chosen > this.today ? _('This day is still to come.') :
            this.months.has(this.month) ? _('There was no expedition on this day.') : '' : cell.state === 'sealed' ?
            _('Its cards are sealed and nobody can read them.') : cell.state === 'missed' ?
            `${_('Not played')}. ${
            _('You can still play it: it goes to your games, not to the boards, and lights no torch.')}` :
            mine === null ? '' : _('%{points} points, place %{place} of %{of}', { points: mine,
            place: told?.day.you?.place ?? 0, of: told?.day.you?.of ?? 0 });
        const open = chosen === this.today;
        return html`<section class="panel bx stack" aria-live="polite"><h2 class="title">${title}</h2>${text ? html`<p
            class="mut">${text}</p>` : ''}${results && results.count >= FEWEST ? heapHtml(results, mine,
            matchMedia('(min-width: 900px)').matches) : ''}${open ?
            html`<a class="btn" href="#daily">${icon('play')}${_('Today’s expedition')}</a>` : mine !== null ? html`<a
            class="btn" href="#daily/${chosen}">${icon('replay')}${_('Look again')}</a>` : ''}${secret && !open &&
            canDeal(this.app) ? html`<button class="btn" data-a="play" data-secret="${secret}">${icon('play')}${
            _('Play this day')}</button>` : ''}${cell?.state === 'sealed' && cell.commitment ? html`<p class="longlink">${
            cell.commitment}</p>` : ''}${told ? sealLine(told.day, this.app) : ''}</section>`;
    }

    render() {
        const told = this.days.get(this.chosen), first = this.months.get(this.month)?.first, title =
            dayWords(`${this.month}-01`, { month: 'long', year: 'numeric' });
        put(this.root, html`<div class="pl">${dayTop(_('Past days'), '', 'daily', false)}<main class="in">${told ?
            sealBanner(told.day, this.app) : ''}<div class="cols side"><section class="panel bx"
            aria-labelledby="h-month"><div class="bxh"><button class="iconbtn" data-month="-1" aria-label="${
            _('Previous month')}" ${first && first >=
            `${this.month}-01` ? html`disabled` : ''}>${icon('left')}</button><h1 class="title mid" id="h-month"
            aria-live="polite">${title}</h1><button class="iconbtn" data-month="1" aria-label="${_('Next month')}" ${
            this.month >= this.today.slice(0, 7) ? html`disabled` : ''}>${icon('right')}</button></div>${
            this.gridHtml()}</section><div class="stack">${this.message ? html`<p class="panel bx" role="status">${
            this.message}</p>` : ''}${this.sumHtml()}${this.dayHtml()}</div></div></main></div>`);
    }

    /** @param {string} date @param {boolean} [focus] */
    choose(date, focus = false) {
        const first = this.months.get(this.month)?.first, last = dayLater(this.today, 31);
        this.chosen = first && date < first && date.slice(0, 7) < first.slice(0, 7) ? this.chosen : date > last ?
            this.chosen : date;
        this.render();
        if (focus)
            $(`[data-date="${this.chosen}"]`, this.root).focus();
        void this.load();
    }

    /** Moves to the same day of another month, or to its last day. @param {number} by */
    otherMonth(by) {
        const there = new Date(utcDay(`${this.month}-01`));
        there.setUTCMonth(there.getUTCMonth() + by + 1, 0);
        const last = there.toISOString().slice(0, 10), same = `${last.slice(0, 8)}${this.chosen.slice(8)}`;
        return same > last ? last : same;
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        if (!closest(event, '[role=gridcell]'))
            return;
        const days = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
        const months = { PageUp: -1, PageDown: 1 }[event.key], day = (utcDay(this.chosen).getUTCDay() + 6) % 7;
        const to = days ? dayLater(this.chosen, days) : months ? this.otherMonth(months) : event.key === 'Home' ?
            dayLater(this.chosen, -day) : event.key === 'End' ? dayLater(this.chosen, 6 - day) : '';
        if (!to)
            return;
        event.preventDefault();
        this.choose(to, true);
    }

    /** @param {Event} event */
    async click(event) {
        const { date, month, a, secret } = closest(event, 'button')?.dataset ?? {};
        if (date) this.choose(date);
        else if (month) this.choose(this.otherMonth(Number(month)));
        else if (a === 'play') playDay(this.app, this.chosen, secret ?? '');
        else if (a === 'how') await showHow();
    }
}

const DATE = /^\d{4}-\d\d-\d\d$/;

/** `#daily` and the views below it. @param {App} app @param {string[]} rest */
export async function showDaily(app, what = '', ...rest) {
    const today = new Date().toISOString().slice(0, 10), { hash } = location;
    if (what === 'days')
        app.show((root) => new DaysView(root, app), _('Past days'));
    else if (what === 'board') {
        const [date = today, period = '', by = ''] = rest;
        app.show((root) => new BoardView(root, app, DATE.test(date) ? date : today, period, by), _('Leaderboard'));
    } else if (DATE.test(what)) {
        const { showDay } = await import('./dayresult.js');
        if (location.hash === hash)
            showDay(app, what, ...rest);
    } else
        app.show((root) => new BeforeView(root, app), _('Today’s expedition'));
}
