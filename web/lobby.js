/** lobby.js: playing with others: a new table, waiting for friends (link, QR code), sitting down, watching, one's own tables. */
import { html } from './html.js';
import { _, ngettext } from './i18n.js';
import { $, near, put, toast } from './dom.js';
import { avatar, icon } from './draw.js';
import { LEVELS, levelName } from './words.js';
import { OnlineGame, ServerError, api, serverWords, tableLink, visit } from './online.js';
import { qrPicture } from './qr.js';
import { read, saveSettings, settings, write } from './store.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./online.js').Table} Table */

/** Keys of friends' seats, by code: only the host has them. @returns {Record<string, Record<string, string>>} */
const seatKeys = () => read('keys', /** @type {Record<string, Record<string, string>>} */ ({}));

/** @param {unknown} error */
const words = (error) => serverWords(error instanceof ServerError ? error.code : 'no_server');

const nameField = () => html`<label class="fields">${_('Your name')}<input class="inp" name="name" dir="auto" maxlength="24" value="${
    settings.name}" autocomplete="nickname" placeholder="${_('Player')}"></label>`;

/** A new table. */
export class NewTableView {
    /** @param {HTMLElement} root @param {App} app */
    constructor(root, app) {
        this.root = root;
        this.app = app;
        this.kinds = ['open', 'open', 'none', 'none'];
        this.message = '';
        this.making = false;
        /** @type {{name: string, title: string}[]} what the server offers */
        this.editions = [];
        root.addEventListener('change', (e) => {
            const field = /** @type {HTMLInputElement} */ (e.target);
            if (field.name.startsWith('kind')) {
                this.kinds[Number(field.name.slice(4))] = field.value;
                this.render();
            } else if (field.name === 'name')
                saveSettings({ name: field.value.trim() });
        });
        root.addEventListener('click', (e) => { if (near(e, '[data-a=make]')) void this.make(); });
        this.render();
        void this.askEditions();
    }

    stop() {}

    /** Most servers have one; a club may have drawn its own. */
    async askEditions() {
        const { editions } = await api('GET', 'editions').catch(() => ({ editions: [] }));
        if (editions.length > 1) {
            this.editions = editions;
            this.render();
        }
    }

    render() {
        const row = /** @param {number} i */ (i) => html`<fieldset class="seatrow"><legend class="vh">${_('Seat %{n}', { n: i + 1 })}</legend>${
            avatar(i)}${i === 0 ? html`<b class="seat-you">${_('You')}</b>` : html`<select class="inp" name="kind${i}" aria-label="${
            _('Who plays seat %{n}', { n: i + 1 })}">${[['open', _('a friend with the link')], ...(i > 1 ? [['none', _('nobody')]] : []),
            ...LEVELS.map((l) => [l, _('bot, %{level}', { level: levelName(l) })])].map(([v, t]) =>
            html`<option value="${v}" ${this.kinds[i] === v ? 'selected' : ''}>${t}</option>`)}</select>`}</fieldset>`;
        put(this.root, html`<div class="page">${pageTop(_('Invite friends'))}<main class="page-in narrow"><h1 class="title">${
            _('Invite friends')}</h1><p class="lead">${
            _('Create a table, send the link, and play together, each on your own device.')}</p><div class="panel form">${
            nameField()}<div class="seatrows">${[0, 1, 2, 3].map(row)}</div>${this.editions.length ? html`
            <label class="fields">${_('Edition')}<select class="inp" name="edition">${this.editions.map(({ name, title }) =>
                html`<option value="${name}">${title || name}</option>`)}</select></label>` : ''}
            <label class="fields">${_('Time per choice')}<select class="inp" name="clock"><option value="none">${
                _('no limit')}</option><option value="relaxed">${_('3 minutes')}</option><option value="quick">${
                _('30 seconds')}</option></select></label>
            <label class="check"><input type="checkbox" name="public">${_('Anyone may join and watch')}</label><p class="err" role="alert">${
                this.message}</p><button class="btn pri big" data-a="make">${icon('link')}${_('Create the table')}</button></div></main></div>`);
    }

    async make() {
        if (this.making)                     // a second click makes no second table
            return;
        this.making = true;
        const seats = this.kinds.filter((k) => k !== 'none').map((k) => k === 'open' ? { kind: 'open' } : { kind: 'bot', level: k });
        const edition = /** @type {HTMLSelectElement | null} */ (this.root.querySelector('[name=edition]'))?.value;
        try {
            await visit();
            const { table, keys } = await api('POST', 'tables', { seats, ...edition && { edition }, public: /** @type {HTMLInputElement} */ ($('[name=public]',
                this.root)).checked, clock: /** @type {HTMLSelectElement} */ ($('[name=clock]', this.root)).value });
            write('keys', { ...seatKeys(), [table.code]: keys ?? {} });
            write('sit', table.code);
            this.app.go(`table/${table.code}`);
        } catch (error) {
            this.making = false;
            this.message = words(error);
            this.render();
        }
    }
}

/** A table that waits for players; shows the game once it runs. */
class LobbyView {
    /** @param {HTMLElement} root @param {App} app @param {OnlineGame} game @param {number} seat from a link, 0 if none @param {string} key */
    constructor(root, app, game, seat, key) {
        this.root = root;
        this.app = app;
        this.game = game;
        this.seat = seat;
        this.key = key;
        this.message = '';
        this.stopped = false;
        root.addEventListener('click', (e) => void this.click(e));
        root.addEventListener('change', (e) => {
            const field = /** @type {HTMLInputElement} */ (e.target);
            if (field.name === 'name') {
                saveSettings({ name: field.value.trim() });
                void visit().catch(() => {});
            }
        });
        game.tableChanged = () => this.update();
        game.problem = (code) => {
            this.message = serverWords(code);
            this.render();
        };
        this.render();
        void this.begin();
    }

    stop() { this.stopped = true; }

    async begin() {
        try {
            await visit();
            this.game.connect();
        } catch (error) {
            this.message = words(error);
            this.unreachable = error instanceof ServerError && error.code === 'no_server';
            if (this.unreachable)
                this.game.connect();         // it may come back, and a choice may wait to be sent
            this.render();
        }
    }

    update() {
        if (this.stopped)
            return;
        const { game } = this, { table } = game;
        if (table && this.unreachable) {
            this.unreachable = false;
            this.message = '';
        }
        if (table && table.state === 'waiting' && !table.you && (read('sit', '') === table.code || (this.seat && this.key))) {
            write('sit', undefined);
            void game.sit(this.seat || undefined, this.key || undefined);
            this.key = '';
        }
        if (game.core.isOver()) {
            game.problem = (code) => toast(serverWords(code));
            this.app.end(game);
        } else if (game.core.view(-1)) {
            game.problem = (code) => toast(serverWords(code));
            game.tableChanged = () => {};
            this.app.showTable(game);
        } else
            this.render();
    }

    /** @param {Event} event */
    async click(event) {
        const b = near(event, '[data-a]'), { game } = this, link = tableLink(game.id);
        if (!b)
            return;
        const seat = Number(b.dataset.seat ?? 0);
        this.message = '';
        if (b.dataset.a === 'sit') {
            const name = /** @type {HTMLInputElement | null} */ (this.root.querySelector('[name=name]'));
            if (name)
                saveSettings({ name: name.value.trim() });
            void game.sit(seat || undefined);
        } else if (b.dataset.a === 'fill') game.act('fill', [seat - 1], settings.level);
        else if (b.dataset.a === 'leave') game.act('leave');
        else if (b.dataset.a === 'close') { game.act('close'); this.app.go(''); }
        else if (b.dataset.a === 'copy') navigator.clipboard.writeText(b.dataset.link ?? link).then(() => toast(_('Link copied.')), () =>
            toast(b.dataset.link ?? link));
        else if (b.dataset.a === 'share') navigator.share({ title: 'Pyramids', url: link }).catch(() => {});
    }

    render() {
        const { game } = this, { table } = game, link = tableLink(game.id);
        const problem = table?.state === 'closed' ? _('This table was closed.') : this.message;
        if (!table || table.state === 'closed') {
            put(this.root, html`<div class="page">${pageTop(_('Table'))}<main class="page-in narrow"><h1 class="title">${_('Table %{code}',
                { code: game.id })}</h1><p class="lead" role="status">${problem || _('Looking for the table…')}</p>${problem ?
                html`<p class="bars"><a class="btn pri" href="#">${icon('home')}${_('Home')}</a><a class="btn" href="#friends">${
                _('My tables')}</a></p>` : ''}</main></div>`);
            return;
        }
        if (table.state === 'running') {     // an onlooker sees nothing yet
            put(this.root, html`<div class="page">${pageTop(_('Table'))}<main class="page-in narrow"><h1 class="title">${
                _('The players are choosing their first cards')}</h1><p class="lead">${
                _('You will see the game when they are done.')}</p><p class="err" role="alert">${problem}</p><ul class="panel form seatlist">${table.seats.map((s, i) =>
                html`<li>${avatar(i, { bot: s.kind === 'bot' })}<span><b dir="auto">${game.seats[i].name}</b></span></li>`)}</ul></main></div>`);
            return;
        }
        const keys = seatKeys()[game.id] ?? {}, free = table.seats.some((s) => s.kind === 'open' || s.kind === 'friend');
        const seat = /** @param {import('./online.js').TableSeat} s @param {number} i */ (s, i) =>
            html`<li>${avatar(i, { bot: s.kind === 'bot', me: i === table.you - 1 })}<span><b dir="auto">${s.kind === 'bot' ? _('bot, %{level}',
            { level: levelName(s.level ?? '') }) : s.kind === 'open' ? _('free') : s.name ?? ''}</b><small>${i === table.you - 1 ? _('you') :
            s.kind === 'person' ? (s.here ? _('online') : _('not connected')) : s.kind === 'friend' ? _('invited') : ''}</small></span>${
            s.kind === 'open' && !table.you ? html`<button class="btn" data-a="sit" data-seat="${i + 1}">${_('Sit here')}</button>` :
                s.kind !== 'person' && s.kind !== 'bot' && table.host ? html`<button class="btn" data-a="fill" data-seat="${i + 1}">${icon('bot')}${
                _('Bot')}</button>` : ''}${s.kind === 'friend' && keys[i + 1] ? html`<button class="btn" data-a="copy" data-link="${tableLink(game.id,
                i + 1, keys[i + 1])}">${icon('copy')}${_('Link')}</button>` : ''}</li>`;
        put(this.root, html`<div class="page">${pageTop(_('Table'))}<main class="page-in lobby2"><h1 class="title">${table.you ?
            _('Waiting for friends') : _('Join the table')}</h1><p class="lead">${
            _('The game starts when all seats are taken.')}</p>${game.banner || problem ? html`<p class="err" role="alert">${game.banner?.text ?? problem}</p>` : ''}
            <div class="lob-grid"><section class="panel form" aria-label="${_('Seats')}">${table.you ? '' : nameField()}<ul class="seatlist">${
                table.seats.map(seat)}</ul>${!table.you && free ? html`<button class="btn pri big" data-a="sit">${_('Sit down')}</button>` :
                ''}<p class="bars">${table.you ? html`<button class="btn" data-a="leave">${_('Stand up')}</button>` : ''}${table.host ?
                html`<button class="btn" data-a="close">${_('Close the table')}</button>` : ''}</p></section>
            <section class="panel form" aria-label="${_('Invitation')}"><p class="note">${
                _('Send the link, or let friends scan the code.')}</p><div class="qr">${qrPicture(link,
                _('QR code of the invitation link'))}</div><p class="codeline">${_('Code')} <b>${
                game.id}</b></p><div class="linkbox"><span>${link}</span><button class="iconbtn" data-a="copy" aria-label="${
                _('Copy the link')}">${icon('copy')}</button></div>${
            'share' in navigator ? html`<button class="btn" data-a="share">${icon('share')}${_('Share the invitation')}</button>` :
                ''}</section></div></main></div>`);
    }
}

/** @param {App} app @param {string} code @param {string} [seat] @param {string} [key] */
export function table(app, code, seat, key) {
    const id = (code ?? '').replace(/[\s\p{Pd}]/gu, '').toUpperCase();
    app.game?.stop();
    const game = new OnlineGame(app, id);
    app.game = game;
    app.show((root) => new LobbyView(root, app, game, Number(seat ?? 0), key ?? ''), _('Table'));
}

/** Tables: one's own, or those that can be watched. */
export class TablesView {
    /** @param {HTMLElement} root @param {App} app @param {boolean} watch */
    constructor(root, app, watch) {
        this.root = root;
        this.app = app;
        this.watch = watch;
        /** @type {Table[] | null} */
        this.tables = null;
        this.message = '';
        this.render();
        void this.load();
        this.timer = setInterval(() => { if (!document.hidden && !this.message) void this.load(); }, 10000);
    }

    stop() { clearInterval(this.timer); }

    async load() {
        try {
            await visit();
            this.tables = (await api('GET', this.watch ? 'tables' : 'my/tables')).tables;
        } catch (error) {
            this.message = words(error);
        }
        this.render();
    }

    render() {
        const title = this.watch ? _('Watch a game') : _('My tables');
        const line = /** @param {Table} t */ (t) => {
            const state = t.state === 'waiting' ? _('waiting for players') : t.state === 'over' ? _('over') : t.state === 'closed' ? _('closed') :
                t.round ? _('round %{round}, turn %{turn}', { round: t.round, turn: t.turn }) : _('setup');
            const names = t.seats.map((s) => s.kind === 'bot' ? _('bot, %{level}', { level: levelName(s.level ?? '') }) : s.name || _('free')).join(
                ', ');
            return html`<li><a class="panel game" href="#${t.state === 'over' ? 'replay' : 'table'}/${t.code}">${icon(t.state === 'over' ? 'replay' :
                t.you ? 'play' : 'eye')}<span>${names}<small>${state} · ${t.code}</small></span>${icon('right')}</a></li>`;
        };
        put(this.root, html`<div class="page">${pageTop(title)}<main class="page-in"><h1 class="title">${title}</h1><p class="lead">${this.watch ?
            _('Public tables: sit down where a seat is free, or watch.') :
            _('Your tables on this server, running ones first.')}</p><p class="bars"><a class="btn pri" href="#friends/new">${icon('link')}${
            _('New table')}</a><a class="btn" href="#${this.watch ? 'friends' : 'watch'}">${this.watch ? _('My tables') : _('Watch a game')}</a></p>
            <p class="err" role="status">${this.message}</p><ul class="gamelist">${!this.tables ? '' : this.tables.length ? this.tables.map(line) :
                html`<li class="panel none-yet">${_('None right now.')}</li>`}</ul>${this.tables ?
                html`<p class="note">${ngettext('%{n} table', '%{n} tables', this.tables.length)}</p>` : ''}</main></div>`);
    }
}
