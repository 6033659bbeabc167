/** history.js: all finished games of this browser and of the server: search, filters, months, replay, records, and the
 * removal of your data. */
import { html } from './html.js';
import { _, listWords, ngettext } from './i18n.js';
import { $, askToConfirm, closest, dialog, download, hasTouch, put, radioKeys, toast } from './dom.js';
import { COLOURS } from './core.js';
import { icon, shape } from './draw.js';
import { levelName, signed, withRules, withSign } from './words.js';
import { loadRecord, openFile, takeDrops } from './replay.js';
import { shareReplay } from './pack.js';
import { forgetGame, games, read, write } from './store.js';
import { fromServer, localGames, merged } from './past.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./past.js').Past} Past */

const FILTERS = /** @type {const} */ (['all', 'won', 'daily', 'people', 'analysed']);

/** @param {Past} g */
const opponents = (g) => listWords(g.names.map((n, i) => g.levels[i] ? levelName(g.levels[i]) : n));
/** @param {number} made @param {Intl.DateTimeFormatOptions} how */
const date = (made, how) => new Date(made).toLocaleDateString(document.documentElement.lang, how);

/** The most remarkable fact about a game. @param {Past} g */
function remark(g) {
    if (g.margin === 0)
        return g.won ? _('won on the lower pyramid') : _('lost on the lower pyramid');
    if (g.luck !== undefined && Math.abs(g.luck) >= 8)
        return `${_('luck')} ${withSign(Math.round(g.luck))}`;
    return g.margin === undefined ? '' : g.won ? _('by %{n}', { n: g.margin }) : _('%{n} short', { n: -g.margin });
}

/** The silhouette of the colour with the most pyramids, with the points. @param {Past} g */
export const silhouette = (g) => html`<span class="sil ${g.won ? 'won' : ''}">${
    shape(COLOURS[g.pyramids.indexOf(Math.max(...g.pyramids))])}<b>${signed(g.points)}</b></span>`;

export class GamesView {
    /** @param {HTMLElement} root @param {App} app */
    constructor(root, app) {
        this.root = root;
        this.app = app;
        this.abort = new AbortController();
        this.mine = localGames(app);
        /** @type {Past[]} */
        this.theirs = [];
        this.next = '';
        this.atServer = false;
        this.search = '';
        /** @type {string} */
        this.filter = 'all';
        this.message = '';
        takeDrops(root, this.abort.signal, (file) => openFile(app, file, (message) => {
            this.message = message;
            this.render();
        }));
        root.addEventListener('click', (e) => this.click(e));
        root.addEventListener('contextmenu', (e) => {
            const row = closest(e, '.pastli')?.querySelector('[data-row]');
            if (row instanceof HTMLElement && hasTouch()) {
                e.preventDefault();
                row.click();
            }
        });
        root.addEventListener('keydown', radioKeys);
        root.addEventListener('input', (e) => {
            if (e.target instanceof HTMLInputElement && e.target.type === 'search')
                this.ask(e.target.value, this.filter);
        });
        this.render();
        void this.load();
    }

    stop() { this.abort.abort(); }

    /** @param {string} search @param {string} filter */
    ask(search, filter) {
        [this.search, this.filter, this.next] = [search, filter, ''];
        this.render();
        void this.load();
    }

    /** Loads a page of the server's list, if the server knows us: there may be no server. Otherwise the list has only
     * the games of this browser. */
    async load() {
        if (!read('visited', false))
            return;
        const { search, filter, next } = this, { api } = await import('./online.js');
        const query = new URLSearchParams({ filter, search: search.slice(0, 60), ...(next ? { before: next } : {}) });
        const page = await api('GET', `my/games?${query}`).catch(() => null);
        if (!page || search !== this.search || filter !== this.filter || next !== this.next || this.abort.signal.aborted)
            return;
        this.atServer = true;
        this.theirs = [...(next ? this.theirs : []), ...page.games.map(fromServer)];
        this.next = page.next ?? '';
        this.render();
    }

    shown() {
        const words = this.search.toLocaleLowerCase();
        const kinds = /** @param {Past} g */ (g) => ({ all: true, won: g.won, daily: g.expedition, people: g.people > 0,
            analysed: g.learns })[this.filter];
        const fits = /** @param {Past} g */ (g) => !words || `${opponents(g)} ${g.points} ${
            date(g.made, { dateStyle: 'long' })}`.toLocaleLowerCase().includes(words);
        // The server has searched its own games.
        const found = new Set(this.theirs.map((g) => g.id));
        return merged(this.mine.filter((g) => found.has(g.id) || fits(g)), this.theirs).filter(kinds);
    }

    /** @param {Event} event */
    click(event) {
        const act = closest(event, '[data-a]')?.dataset.a, filter = closest(event, '[data-filter]')?.dataset.filter;
        const row = closest(event, '[data-row]')?.dataset.row;
        if (row)
            void this.menu(row);
        else if (filter)
            this.ask(this.search, filter);
        else if (act === 'clear')
            this.ask(/** @type {HTMLInputElement} */ ($('input[type=search]', this.root)).value = '', 'all');
        else if (act === 'more')
            void this.load();
        else if (act === 'save')
            void this.save();
        else if (act === 'remove')
            void this.remove();
    }

    /** The possible actions for a game. @param {string} id */
    async menu(id) {
        const g = this.shown().find((past) => past.id === id), kept = this.mine.some((past) => past.id === id);
        const record = async () => g?.record || (await import('./online.js')).api('GET', `tables/${id}/record`);
        if (!g)
            return;
        const items = [['replay', _('Watch and analyse')], ['save', _('Save the record')], ['share', _('Share')],
            ...(kept ? [['close', _('Remove from this device')]] : [])];
        const what = await dialog(opponents(g), html`<div class="menu">${items.map(([name, text]) => html`<button
            class="btn ghost" value="${name}">${icon(name)}${text}</button>`)}</div>`, { close: _('Close') });
        if (what === 'replay')
            this.app.go(`replay/${id}`);
        else if (what === 'close' && await askToConfirm(_('Remove this game?'), this.theirs.some((past) => past.id === id) ?
            _('It stays on the server.') : _('It cannot be undone.'), _('Remove'))) {
            forgetGame(id);
            this.mine = this.mine.filter((past) => past.id !== id);
            this.render();
        } else if (what === 'save' || what === 'share')
            try {
                const text = await record(), core = loadRecord(this.app, text, g.edition ?? '');
                if (what === 'save')
                    download(`pyramids-${id}.pyr`, text);
                else
                    await shareReplay(id, text, (typeof core === 'string' ? this.app.core() : core).edition, !g.record ||
                        this.theirs.some((past) => past.id === id));
            } catch {
                toast(_('The server cannot do this now. Please try again.'));
            }
    }

    /** All records one after the other, as a file. */
    async save() {
        const { api } = await import('./online.js');
        /** @type {Map<string, string>} */
        const all = new Map(this.mine.map((g) => [g.id, g.record ?? '']));
        try {
            for (let next = this.atServer ? '?' : ''; next;) {
                const page = await api('GET', `my/games/records${next}`);
                for (const game of page.games)
                    all.set(game.code, game.record);
                next = page.next ? `?before=${page.next}` : '';
            }
        } catch {
            toast(_('Not all games could be fetched from the server.'));
        }
        download('games.pyr', [...all.values()].join('\n'));
    }

    async remove() {
        const text = this.atServer ? _('This removes your name, your devices, your rating, your results on boards and ' +
            'the link to your profile from the server, and all games from this browser. In the games of others your ' +
            'seat stays as “A player”. It cannot be undone.') :
            _('This removes all games from this browser. It cannot be undone.');
        if (!await askToConfirm(_('Remove my data?'), text, _('Remove')))
            return;
        try {
            if (this.atServer)
                await (await import('./online.js')).api('DELETE', 'visitor');
        } catch {
            toast(_('The server cannot do this now. Please try again.'));
            return;
        }
        for (const key of ['games', 'game', 'tables', 'visited', 'pile', 'piled', 'feed'])
            write(key, undefined);
        [this.mine, this.theirs, this.next, this.atServer] = [[], [], '', false];
        this.render();
        toast(_('Your data was removed.'));
    }

    /** @param {Past} g */
    rowHtml(g) {
        const place = g.place ? _('place %{n} of %{of}', { n: g.place, of: g.players }) : '';
        return html`<li class="pastli"><a class="pastrow" href="#replay/${g.id}">${silhouette(g)}<span><b dir="auto">${
            opponents(g)}</b><small>${[date(g.made, { day: 'numeric', month: 'short' }), place, remark(g)].filter(
            Boolean).join(' · ')}</small></span>${icon('replay')}</a><button class="iconbtn" data-row="${g.id}"
            aria-label="${_('More: %{names}', { names: opponents(g) })}">${icon('menu')}</button></li>`;
    }

    listHtml() {
        const list = this.shown(), months = new Map();
        for (const g of list) {
            const month = date(g.made, { month: 'long', year: 'numeric' });
            months.set(month, [...(months.get(month) ?? []), g]);
        }
        if (list.length || this.next)
            return html`${[...months].map(([month, all]) => html`<section class="panel month"><h2>${month}</h2><ul>${
                all.map((/** @type {Past} */ g) => this.rowHtml(g))}</ul></section>`)}${this.next ?
                html`<p class="bars"><button class="btn" data-a="more">${_('Show more')}</button></p>` : ''}`;
        if (this.search || this.filter !== 'all')
            return html`<p class="panel none-yet">${this.search ? _('Nothing for “%{words}”.', { words: this.search }) :
                _('None right now.')} <button class="btn" data-a="clear">${_('Clear')}</button></p>`;
        return html`<p class="panel none-yet">${_('Your games will be kept here.')} <a class="btn pri" href="#">${
            _('Play now')}</a></p>`;
    }

    render() {
        const labels = { all: _('All'), won: _('Won'), daily: _('Expeditions'), people: _('With people'),
            analysed: _('Mistakes to learn from') };
        const n = this.shown().length, any = n || games().length || this.atServer;
        put(this.root, html`<div class="page">${pageTop(_('Games'))}<main class="page-in narrow games"><h1 class="title">${
            _('Games')}</h1><label class="find">${icon('search')}<span class="vh">${
            _('Search')}</span><input type="search" maxlength="60" autocomplete="off" placeholder="${
            _('Name, level, date, points')}"></label><div class="seg" role="radiogroup" aria-label="${_('Which games')}">${
            FILTERS.map((f) => html`<button role="radio" data-filter="${f}" aria-checked="${String(f === this.filter)}"
            tabindex="${f === this.filter ? 0 : -1}">${labels[f]}</button>`)}</div><p class="err" role="alert">${
            withRules(this.message)}</p><p class="vh" role="status">${ngettext('%{n} game', '%{n} games', n)}</p>${
            this.listHtml()}<p class="bars"><a class="btn" href="#profile">${icon('people')}${
            _('Profile')}</a><label class="btn filebtn">${icon('share')}${
            _('Open a record')}<input type="file" class="vh" accept=".pyr,.txt,text/plain"></label>${any ?
            html`<button class="btn" data-a="save">${icon('save')}${_('Save all records')}</button>` : ''}</p><p
            class="note">${this.atServer ? _('Stored on this device and, for games at tables, on the server.') :
            _('Your last games are saved in this browser. Drop a record onto this page to watch any game.')} ${any ?
            html`<button class="textbtn" data-a="remove">${_('Remove my data')}</button>` : ''}</p></main></div>`);
    }
}
