/**
 * dayresult.js: the result of a day's expedition: points and place, the heap, luck and choices, the table's bars, the
 * decisive moments; and the comparison with a friend's game of the same day, turn by turn.
 */
import { NONE, html } from './html.js';
import { _, ngettext, number } from './i18n.js';
import { $, announce, closest, dialog, put } from './dom.js';
import { avatar, desertScene, icon, symbol, tinyChamber } from './draw.js';
import { logEntries, playerName, playsLike, roundAndTurn, signed, withSign } from './words.js';
import { ServerError, api, serverWords, visit } from './online.js';
import { Analysis, turningPoints } from './analysis.js';
import { loadRecord } from './replay.js';
import { dayWords, daysInARow, fetchDaily, keepSecrets, lastDaily } from './today.js';
import { beginDay, dayTop, fact, sealBanner, sealLine, showHow } from './daily.js';
import { canDeal, playDay } from './offlineday.js';
import { FEWEST, heapFalls, heapHtml, heapTable, heapWords, stonesHtml } from './heap.js';
import { isStill } from './motion.js';
import { playSound } from './sound.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./core.js').Core} Core */
/** @typedef {import('./core.js').Judged} Judged */
/** @typedef {import('./today.js').Day} Day */
/** @typedef {import('./heap.js').Results} Results */

const COUNT = 600, MOMENTS = 2;              // ms; gains and losses that are shown
const ME = 0;                                // the seat of the person

/** The place among the three players. @param {number} place from 1 */
const placeWords = (place) => place === 1 ? _('You won') : place === 2 ? _('Second of three') : _('Third of three');

/** "points, ahead of 78%", or the number of results. @param {Results | null} results @param {Day} day */
export function aheadWords(results, day) {
    if (results && results.count >= FEWEST && results.ahead !== undefined && results.ahead !== null)
        return _('points, ahead of %{n}%', { n: Math.round(results.ahead) });
    return day.you?.place ? _('points, place %{place} of %{of}', { place: day.you.place, of: day.you.of ?? 0 }) :
        _('points');
}

/** The turns of a game, with the lines of each. @param {string[]} lines */
function turnsOf(lines) {
    const at = lines.flatMap((l, i) => l.startsWith('reveal ') ? [i] : []);
    return at.map((from, i) => ({ from, to: at[i + 1] ?? lines.findIndex((l, k) => k > from && l.startsWith('score ')) }));
}

class ResultView {
    /** @param {HTMLElement} root @param {App} app @param {string} date */
    constructor(root, app, date) {
        this.root = root;
        this.app = app;
        this.date = date;
        /** @type {Day | null} */
        this.day = null;
        /** @type {Results | null} */
        this.results = null;
        this.streak = lastDaily()?.streak ?? 0;
        /** The own game. @type {Core | null} */
        this.core = null;
        /** @type {Judged | null} */
        this.judged = null;
        /** @type {Analysis | null} */
        this.analysis = null;
        this.message = '';
        this.stopped = false;
        root.addEventListener('click', (e) => void this.click(e));
        this.render();
        void this.load();
    }

    stop() {
        this.stopped = true;
        this.analysis?.stop();
    }

    async load() {
        try {
            await visit(_('Player'));
            const [{ day, results }, daily] = await Promise.all([api('GET', `daily/${this.date}`), fetchDaily()]);
            keepSecrets([day]);
            this.day = day;
            this.results = results;
            this.streak = daily && typeof daily !== 'string' ? daily.streak : this.streak;
        } catch (error) {
            const code = error instanceof ServerError ? error.code : 'no_server';
            this.message = code === 'no_day' ? _('There was no expedition on this day.') : serverWords(code);
        }
        if (this.stopped)
            return;
        const { you } = this.day ?? {};
        if (you?.state === 'running') {
            await this.app.redirect('daily');
            return;
        }
        this.render();
        if (this.day && you)
            this.celebrate();
        if (you?.table)                      // it may be deleted
            await this.loadGame(you.table);
    }

    /** @param {string} code */
    async loadGame(code) {
        const record = await api('GET', `tables/${code}/record`).catch(() => ''), core = record && loadRecord(this.app,
            record);
        if (!core || typeof core === 'string' || this.stopped)
            return;
        this.core = core;
        this.render();
        if (core.isOver())
            this.analysis = new Analysis(core, record, ({ judged }) => {
                this.judged = judged;
                this.render();
            });
    }

    /** The score counts up, the heap rises, the torch is lit; then the result is announced. */
    celebrate() {
        const { you } = /** @type {Day} */ (this.day), points = you?.points ?? 0, box = $('.score80', this.root);
        const say = () => announce([`${_('%{n} points', { n: points })}.`, `${placeWords(you?.won ?? 3)}.`, this.results &&
            this.results.count >= FEWEST && this.results.ahead != null ? _('Ahead of %{n} percent.',
            { n: Math.round(this.results.ahead) }) : '', this.streak ?
            `${daysInARow(this.streak)}.` : ''].filter(Boolean).join(' '));
        if (isStill() || this.date !== lastDaily()?.today.date) {
            say();
            return;
        }
        const began = performance.now(), step = (/** @type {number} */ now) => {
            const share = Math.min(1, (now - began) / COUNT);
            box.textContent = `${Math.round(points * share)}`;
            if (share < 1 && !this.stopped)
                requestAnimationFrame(step);
            else
                say();
        };
        requestAnimationFrame(step);
        heapFalls(this.root);
        if (this.streak)
            playSound('torch', .6);
    }

    headHtml() {
        const { day, results } = this, you = day?.you;
        if (!day || !you || you.points === undefined)
            return html`<section class="sc2 res">${desertScene()}<div class="stamp"><h1 class="title">${day ?
                _('Not played') : dayWords(this.date)}</h1></div><div class="body2">${this.message ? html`<p role="status">${
                this.message}</p>` : day ? html`<p class="mut">${you?.state === 'expired' ?
                _('This attempt was not finished in time: it is kept, but not counted.') :
                _('You can still play it: it goes to your games, not to the boards, and lights no torch.')}</p>` :
                html`<p class="blank"></p><p class="blank tall"></p>`}</div></section>`;
        const few = results && results.count < FEWEST;
        return html`<section class="sc2 res">${desertScene()}<div class="stamp"><span class="eyebrow">${
            placeWords(you.won ?? 3)}</span><h1><span class="vh">${_('%{n} points', { n: you.points })}</span><span
            class="score80" aria-hidden="true" data-same="${you.points}">${you.points}</span></h1></div><div
            class="body2"><p class="under"><b class="title">${aheadWords(results, day)}</b>${this.streak ? html`<span
            class="flame">${symbol('torch')}${ngettext('%{n} day', '%{n} days', this.streak)}</span>` : ''}</p>${!results ?
            html`<p class="blank tall"></p>` : few ? html`<p class="mut">${_('You are number %{n} here today. The chart ' +
            'appears once there are %{from} results.', { n: results.count, from: FEWEST })}</p>${
            stonesHtml(results, you.points)}` :
            html`${heapHtml(results, you.points)}<p class="end2"><button class="linkbtn" data-a="table">${
            _('As a table')}</button></p>`}<div class="two"><a class="btn pri md" href="#daily/${this.date}/share">${
            icon('share')}${_('Share')}</a><a class="btn md" href="#daily/board/${this.date}">${icon('crown')}${
            _('Place %{place} of %{of}', { place: you.place ?? 0, of: you.of ?? 0 })}</a></div></div></section>`;
    }

    factsHtml() {
        const you = this.day?.you, mine = this.judged?.sums[ME];
        if (!you || you.points === undefined)
            return NONE;
        const luck = you.luck ?? mine?.luck, rate = you.error_rate ?? mine?.rate, level = you.level ?? mine?.level ?? '';
        const without = you.without_luck ?? (luck === undefined ? undefined : you.points - luck);
        return html`<section class="panel bx"><h2 class="title">${_('Cards and choices')}</h2>${luck === undefined ?
            html`<p class="mut" role="status">${_('The game is being analysed.')}</p>` : html`<div class="kpis">${
            fact(Math.round(without ?? 0), you.place_without_luck ?
                _('without luck: place %{n}', { n: you.place_without_luck }) : _('points without luck'))}${
            fact(withSign(Math.round(luck)), _('luck of the cards'), luck > 0 ? 'up' : luck < 0 ? 'down' : '')}${
            rate === undefined ? '' : fact(number(rate, 2),
                level ? `${_('error rate')}, ${playsLike(level)}` : _('error rate'))}</div>`}</section>`;
    }

    barsHtml() {
        const { core } = this, view = core?.view(-1);
        if (!core || !view)
            return NONE;
        const names = core.names(), best = Math.max(1, ...view.scores.map((s) => s.total));
        return html`<section class="panel bx"><h2 class="title">${_('Against the table')}</h2><ul class="vs">${names.map((n,
            s) => html`<li>${avatar(s, { me: s === ME, bot: s !== ME })}<span><b dir="auto">${s === ME ? _('You') :
            playerName(n)}</b><svg class="bar2" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect
            width="100" height="6"/><rect class="${s === ME ? 'me' : 'other'}" width="${Math.max(0, 100 *
            view.scores[s].total / best).toFixed(1)}" height="6"/></svg></span><b class="mid">${
            view.scores[s].total}</b></li>`)}</ul></section>`;
    }

    /** At most two gains and two losses, each with a link to it. */
    momentsHtml() {
        const { core, judged, day } = this, code = day?.you?.table ?? '';
        if (!core || !judged)
            return NONE;
        const lines = core.lines(), entries = logEntries(core, lines, ME), own = judged.decisions.filter((d) =>
            d.seat === ME);
        const gains = own.filter((d) => d.gained >= 1 && !d.mark).sort((a, b) => b.gained - a.gained).slice(0, MOMENTS);
        const losses = turningPoints({ ...judged, decisions: own }, MOMENTS);
        const rows = [...gains.map((d) => ({ d, n: d.gained })), ...losses.map((d) => ({ d, n: -d.lost }))].sort((a, b) =>
            a.d.line - b.d.line);
        const turn = /** @param {number} line */ (line) => roundAndTurn(lines.slice(0, line).filter((l) =>
            l.startsWith('reveal ')).length - 1);
        return html`${rows.length ? html`<ul class="moms">${rows.map(({ d, n }) => html`<li><b class="${n > 0 ? 'up' :
            'down'}">${withSign(Math.round(n))}</b><span><b>${_('Round %{round}, turn %{turn}',
            turn(d.line))}</b><small>${n > 0 ? entries.find((e) => e.line === d.line)?.text ?? '' :
            _('Another choice was better here.')}</small></span><a class="btn" href="#replay/${code}/${d.line}">${
            _('See')}</a></li>`)}</ul>` : html`<p class="mut">${_('No choice cost much.')}</p>`}`;
    }

    render() {
        const { day } = this, you = day?.you, played = you?.points !== undefined, past = day?.secret;
        put(this.root, html`<div class="pl">${dayTop(day ? _('Expedition %{n}', { n: day.number }) : _('Expedition'),
            dayWords(this.date), 'daily/days')}<main class="in">${day ? sealBanner(day, this.app) : ''}<div
            class="cols side">${this.headHtml()}<div class="stack">${this.factsHtml()}${this.barsHtml()}${day ?
            html`<section class="panel bx">${played ? html`<h2 class="title">${_('Where it was decided')}</h2>${
            this.judged ? this.momentsHtml() : html`<p class="mut">${_('The game is being analysed.')}</p>`}` : ''}<div
            class="two">${(played || you) && !past ? html`<button class="btn md" data-a="again">${icon('replay')}${
            _('Play again')}</button>` : past && canDeal(this.app) ? html`<button class="btn md" data-a="replay">${
            icon('play')}${played ? _('Play again') : _('Play this day')}</button>` : ''}${played ? html`<a class="btn md"
            href="#daily/board/${this.date}/day/people">${icon('people')}${_('Compare')}</a>` : ''}</div>${sealLine(day,
            this.app)}</section>` : ''}</div></div></main></div>`);
    }

    /** @param {Event} event */
    async click(event) {
        const act = closest(event, '[data-a]')?.dataset.a, { results, day } = this;
        if (act === 'table' && results)
            await dialog(_('Results'), html`<p class="note">${heapWords(results, day?.you?.points ?? null)}</p>${
                heapTable(results)}`, { close: _('Close') });
        else if (act === 'again' && await beginDay(this.app, { date: this.date, again: true }) === 'failed') {
            this.message = _('The expedition could not be opened.');
            announce(this.message);
        } else if (act === 'how')
            await showHow();
        else if (act === 'replay' && day?.secret)
            playDay(this.app, this.date, day.secret);
    }
}

/** Two games with the same cards, turn by turn. */
class CompareView {
    /** @param {HTMLElement} root @param {App} app @param {string} date @param {string} code of the other table */
    constructor(root, app, date, code) {
        this.root = root;
        this.app = app;
        this.date = date;
        this.code = code;
        this.message = '';
        /** @type {Core[]} */
        this.cores = [];
        this.stopped = false;
        this.render();
        void this.load();
    }

    stop() { this.stopped = true; }

    async load() {
        try {
            await visit(_('Player'));
            const { day } = await api('GET', `daily/${this.date}`);
            if (day.you?.state !== 'over')
                throw new ServerError('not_over');
            const records = await Promise.all([day.you.table, this.code].map((c) => api('GET', `tables/${c}/record`)));
            const cores = records.map((r) => loadRecord(this.app, r));
            if (cores.some((c) => typeof c === 'string'))
                throw new ServerError('no_table');
            this.cores = /** @type {Core[]} */ (cores);
        } catch (error) {
            const code = error instanceof ServerError ? error.code : 'no_server';
            this.message = code === 'not_over' ? _('Games can be compared when your own expedition is over.') :
                serverWords(code);
        }
        if (!this.stopped)
            this.render();
    }

    /** The points after each turn, and the choice in it. @param {Core} core */
    turns(core) {
        const lines = core.lines(), entries = logEntries(core, lines, ME);
        return turnsOf(lines).map(({ from, to }) => ({ total: core.viewAt(to, -1)?.scores[ME].total ?? 0,
            mark: entries.find((e) => e.line > from && e.line < to && lines[e.line].startsWith('mark 1 ')) }));
    }

    render() {
        const [mine, theirs] = this.cores, name = theirs ? playerName(theirs.names()[ME]) : '';
        const a = mine ? this.turns(mine) : [], b = theirs ? this.turns(theirs) : [];
        const cell = /** @param {typeof a[number]} t @param {Core} core */ (t, core) => html`<td>${t?.mark?.mark ?
            tinyChamber(core.edition.cards[t.mark.mark.card], t.mark.mark.marks, t.mark.mark.cells) : ''}<b>${t ?
            signed(t.total) : ''}</b><span class="vh">${t?.mark?.text ?? ''}</span></td>`;
        put(this.root, html`<div class="pl">${dayTop(_('Compare'), dayWords(this.date), `daily/${this.date}`)}<main
            class="in narrow2"><h1 class="title">${name ? _('You and %{name}', { name }) : _('Compare')}</h1>${this.message ?
            html`<p role="status">${this.message}</p>` : !mine ? html`<p class="blank tall"></p>` : html`<div class="panel
            bx"><table class="cmp"><thead><tr><th scope="col">${_('Turn')}</th><th scope="col">${_('You')}</th><th
            scope="col" dir="auto">${name}</th><th scope="col">${_('Difference')}</th></tr></thead><tbody>${a.map((t, i) => {
                const { round, turn } = roundAndTurn(i), gap = t.total - (b[i]?.total ?? 0);
                return html`<tr><th scope="row"><a href="#replay/${this.code}/${turnsOf(theirs.lines())[i]?.from ??
                    0}">${_('Round %{round}, turn %{turn}', { round, turn })}</a></th>${cell(t, mine)}${cell(b[i],
                    theirs)}<td class="${gap > 0 ? 'up' : gap < 0 ? 'down' : ''}">${withSign(gap)}</td></tr>`;
            })}</tbody></table></div>`}</main></div>`);
    }
}

/** A day that is over for this player, or past. @param {App} app @param {string} date @param {string} [what] @param {string}
 * [code] */
export function showDay(app, date, what, code = '') {
    const title = dayWords(date);
    if (what === 'share')
        void import('./share.js').then(({ ShareView }) => app.show((root) => new ShareView(root, app, date), _('Share')));
    else if (what === 'with')
        app.show((root) => new CompareView(root, app, date, code), _('Compare'));
    else
        app.show((root) => new ResultView(root, app, date), title);
}
