/** lobby.js: playing with others: a new table, waiting for friends (link, QR code), sitting down, watching, your own
 * tables. */
import { html } from './html.js';
import { _, listWords, ngettext } from './i18n.js';
import { dialog, closest, put, radioKeys, toast } from './dom.js';
import { avatar, icon, levelPicture } from './draw.js';
import { LEVELS, levelName } from './words.js';
import { seriesHtml } from './end.js';
import { OnlineGame, ServerError, api, publicAddress, serverWords, tableLink, visit } from './online.js';
import { qrPicture } from './qr.js';
import { cutName, read, saveSettings, settings, write } from './store.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./online.js').Table} Table */

/** Keys of friends' seats, by code: only the host has them. @returns {Record<string, Record<string, string>>} */
const seatKeys = () => read('keys', /** @type {Record<string, Record<string, string>>} */ ({}));

/** @param {unknown} error */
const words = (error) => serverWords(error instanceof ServerError ? error.code : 'no_server');

const nameField = () => html`<label class="fields">${
    _('Your name')}<input class="inp" name="name" dir="auto" maxlength="96" value="${
    settings.name}" autocomplete="nickname" placeholder="${_('Player')}"></label>`;

/** A choice among a few values: a group of buttons. @param {string} label @param {string} name of the data attribute
 * @param {[string, string][]} all value and words @param {string} on @param {string} [more] attributes of every button,
 * such as the seat */
const group = (label, name, all, on, more = '') => html`<span class="seg" role="radiogroup" aria-label="${label}">${
    all.map(([value, text]) =>
    html`<button role="radio" aria-checked="${value === on}" tabindex="${value === on ? 0 : -1}" data-${name}="${
        value}" data-of="${more}">${
    text}</button>`)}</span>`;

/** @param {string} name @param {boolean} on @param {string} title @param {string} text */
const toggle = (name, on, title, text) => html`<section class="panel opt"><span><b id="sw-${name}">${title}</b><small>${
    text}</small></span><button
    class="sw" role="switch" aria-checked="${on}" aria-labelledby="sw-${name}" data-switch="${name}"></button></section>`;

const clockWords = /** @param {string} clock */ (clock) => clock === 'relaxed' ? _('3 minutes') : clock === 'quick' ?
    _('30 seconds') : _('no limit');

/** @typedef {{kind: 'person' | 'open' | 'friend' | 'bot' | 'none', name?: string, level?: string, here?: boolean, mine?:
 * boolean, seat?: number}} Chair what is
 *  seen of a seat; none: no one sits there */

/** The line below a name. @param {Chair} c @param {boolean} host */
function chairWords(c, host) {
    switch (c.mine ? 'mine' : c.kind) {
    case 'mine': return host ? _('you, host') : _('you');
    case 'person': return c.here ? _('joined') : _('not connected');
    case 'friend': return _('invited');
    case 'open': return _('waits for a friend');
    case 'none': return _('stays empty');
    default: return '';
    }
}

/** A seat, with what the host may change it to. @param {Chair} c @param {number} i
 * @param {{host: boolean, few?: boolean, extra?: import('./html.js').Part, past?: import('./html.js').Part}} how few:
 * it cannot be left empty; extra: other actions for it; past: results of earlier games */
function chairHtml(c, i, { host, few = false, extra, past }) {
    const level = LEVELS.indexOf(c.level ?? ''), n = i + 1;
    const free = !c.mine && c.kind !== 'person' && host;
    return html`<li class="panel chair ${c.kind} ${c.mine ? 'mine' : ''}">${avatar(i, { bot: c.kind === 'bot', me: c.mine
        })}<b class="${c.kind === 'person' || c.kind === 'friend' || c.mine ? 'nmt' : ''}" dir="auto">${
        c.kind === 'bot' ? _('Bot') : c.kind === 'open' || c.kind === 'none' ? _('Free seat') : c.name ||
            _('Player')}</b><span class="sub ${
        c.kind === 'person' && !c.mine && c.here ? 'joined' : ''}">${chairWords(c, host)}${c.kind === 'bot' ?
            html`<button class="lvl" data-a="level" data-seat="${n}"
        ${free ? '' : html`disabled`} aria-label="${_('Level of seat %{n}: %{level}', { n, level: levelName(c.level ?? '')
            })}">${
        levelName(c.level ?? '')}${levelPicture(Math.max(0, level))}</button>` : ''}${past}</span><span class="do">${
            c.mine && !extra ? html`<button class="btn"
        data-a="rename">${icon('pen')}${_('Rename')}</button>` : free ? group(_('Who plays seat %{n}', { n }), 'kind',
            [['open', _('Friend')],
        ['bot', _('Bot')], ...(few ? [] : [/** @type {[string, string]} */ (['none', _('Empty')])])], c.kind === 'friend' ?
            'open' : c.kind,
        String(n)) : ''}${extra}</span></li>`;
}

/** Asks for the level of a bot. @param {string} now @returns {Promise<string>} '' if none was chosen */
const askLevel = (now) => dialog(_('Level'), html`<div class="levels pickl">${LEVELS.map((l, i) => html`<button class="btn ${
    l === now ? 'pri' : ''}" value="${
    l}">${levelPicture(i)}${levelName(l)}</button>`)}</div>`);

/** Asks for your name; true if it has changed. */
async function askName() {
    const before = settings.name;
    await dialog(_('Your name'), nameField(), { close: _('Done'), wire: (box) => box.addEventListener('change', (event) =>
        saveSettings({ name: cutName(/** @type {HTMLInputElement} */ (event.target).value) })) });
    return settings.name !== before;
}

/** A new table is made at once, with its link, and everything about it can be changed there. A table that was left
 * unchanged is used again, so that opening this page repeatedly does not make many tables. */
export class NewTableView {
    /** @param {HTMLElement} root */
    constructor(root) {
        this.root = root;
        this.message = '';
        this.stopped = false;
        root.addEventListener('click', (e) => { if (closest(e, '[data-a=make]')) void this.make(); });
        void this.make();
    }

    stop() { this.stopped = true; }

    render() {
        put(this.root, html`<div class="page">${pageTop(_('Invite friends'))}<main class="page-in inv2"><h1 class="title">${
            _('Who sits at the table?')}</h1>${this.message ? html`<p class="err" role="alert">${
            this.message}</p><p class="bars"><button class="btn pri" data-a="make">${icon('undo')}${_('Try again')}</button>
            <a class="btn" href="#">${icon('home')}${_('Home')}</a></p>` : ''}</main></div>`);
    }

    async make() {
        this.message = '';
        this.render();
        try {
            await visit();
            let made = await this.ask();
            if (made.table.state !== 'waiting' || !isAlone(made.table)) {
                write('draft', undefined);
                made = await this.ask();
            }
            const { table: { code }, keys } = made;
            write('keys', { ...seatKeys(), [code]: keys ?? {} });
            write('sit', code);
            if (!this.stopped)
                location.replace(`#table/${code}`);          // Back leads to the page before this one
        } catch (error) {
            this.message = words(error);
            if (!this.stopped)
                this.render();
        }
    }

    /** For the same id the server returns the same table.
     * @returns {Promise<{table: Table, keys?: Record<string, string>}>} */
    ask() {
        const id = read('draft', '') || crypto.randomUUID?.() || String(Math.random()).slice(2);
        write('draft', id);
        return api('POST', 'tables', { seats: [{ kind: 'open' }, { kind: 'open' }], id });
    }
}

/** Whether only the host has a seat: then the terms of the game can still be changed. @param {Table} table */
const isAlone = (table) => table.host && !table.seats.some((s, i) => s.kind === 'person' && i !== table.you - 1);

/** A table that waits for players; shows the game once it runs. */
class LobbyView {
    /** @param {HTMLElement} root @param {App} app @param {OnlineGame} game @param {number} seat from a link, 0 if none
     * @param {string} key */
    constructor(root, app, game, seat, key) {
        this.root = root;
        this.app = app;
        this.game = game;
        this.seat = seat;
        this.key = key;
        this.message = '';
        this.stopped = false;
        /** Seats as the host wants them, in the server's notation: not sent yet, since the game would begin.
         * @type {(number | string)[] | null} */
        this.plan = null;
        /** The server's data about the people here: results against them, their ratings.
         * @type {{seat: number, you?: boolean, won?: number, equal?: number, lost?: number, rating?: {value?: number}}[]} */
        this.people = [];
        this.known = '';
        this.showsQr = false;
        /** A seat is being taken automatically, without asking for a name. */
        this.sits = read('sit', '') === game.id;
        /** @type {{name: string, title: string}[]} those that the server offers; most offer one */
        this.editions = [];
        void api('GET', 'editions').then(({ editions }) => {
            this.editions = editions;
            if (editions.length > 1)
                this.update();
        }, () => {});
        /** The address under which others reach this page; null: they cannot. @type {string | null} */
        this.base = `${location.origin}${location.pathname}`;
        void publicAddress().then((base) => {
            this.base = base;
            this.render();
        });
        root.addEventListener('click', (e) => void this.click(e));
        root.addEventListener('keydown', radioKeys);
        root.addEventListener('change', (e) => {
            const field = /** @type {HTMLInputElement} */ (e.target);
            if (field.name === 'name') {
                saveSettings({ name: cutName(field.value) });
                void visit().catch(() => {});
            }
        });
        game.tableChanged = () => this.update();
        game.problem = (code) => {
            this.message = serverWords(code);
            this.sits = game.closes = false;
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
                this.game.connect();         // the connection may be restored, and a choice may be waiting to be sent
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
        if (game.closes && table?.state === 'closed') {      // not before: the message may have been lost
            this.app.go('');
            return;
        }
        this.getPeople();
        if (game.core.remoteState().lostAt)
            game.closes = false;             // it is not sent again
        if (table && table.state === 'waiting' && !table.you && !game.closes && (read('sit', '') === table.code ||
            (this.seat && this.key))) {
            write('sit', undefined);
            this.sits = true;
            void game.sit(this.seat || undefined, this.key || undefined);
            this.key = '';
        }
        // Someone may have taken a seat for which the plan had another use.
        if (table && this.plan && table.seats.some((s, i) => s.kind === 'person' && !this.plan?.includes(i + 1)))
            this.plan = null;
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

    link() { return tableLink(this.game.id, undefined, undefined, this.base ?? undefined); }

    /** @param {Event} event */
    async click(event) {
        const b = closest(event, 'button'), { game } = this, link = this.link(), { a, kind, of, link: other = link, clock,
            edition, switch: flips } = b?.dataset ?? {};
        const seat = Number(b?.dataset.seat ?? 0);
        if (!b)
            return;
        this.message = '';
        if (a !== 'rename')
            write('draft', undefined);       // from now on an empty table is intended
        if (clock) await this.arrange(this.seats(), { clock });
        else if (edition) await this.arrange(this.seats(), { edition });
        else if (flips === 'public' || flips === 'hints')
            await this.arrange(this.seats(), { [flips]: !game.table?.[flips] });
        else if (kind) await this.change(Number(of), kind === 'bot' ? settings.level : kind);
        else if (a === 'level') await this.change(seat, await askLevel(this.chairs()[seat - 1]?.level ?? ''));
        else if (a === 'sit') {
            const name = /** @type {HTMLInputElement | null} */ (this.root.querySelector('[name=name]'));
            if (name)
                saveSettings({ name: cutName(name.value) });
            void game.sit(seat || undefined);
        } else if (a === 'rename') await this.rename();
        else if (a === 'start') await this.arrange(this.plans().filter((p) => typeof p === 'string' ? p !== 'open' :
            this.isTaken(p)));
        else if (a === 'leave') {
            this.sits = false;
            game.act('leave');
        }
        else if (a === 'close') {
            game.closes = game.act('close');
            if (!game.closes)
                this.message = _('No connection to the server.');
            this.render();
        }
        else if (a === 'qr') { this.showsQr = !this.showsQr; this.render(); }
        else if (a === 'copy') navigator.clipboard.writeText(other).then(() => toast(_('Link copied.')), () => toast(other));
        else if (a === 'share') navigator.share({ title: 'Pyramids', url: link }).catch(() => {});
    }

    /** Requested again when other people take seats. */
    getPeople() {
        const { table, id } = this.game, known = JSON.stringify(table?.seats.map((s) => s.kind === 'person' && s.name));
        if (!table || table.state !== 'waiting' || known === this.known)
            return;
        this.known = known;
        void api('GET', `tables/${id}/people`).then(({ people }) => {
            this.people = people;
            this.update();
        }, () => {});
    }

    /** "7 : 5", and the rating. @param {Chair} c */
    pastHtml(c) {
        const { won = 0, equal = 0, lost = 0, rating } = this.people.find((p) => p.seat === c.seat) ?? {};
        const all = c.kind !== 'person' ? [] : [!c.mine && won + equal + lost ? _('head to head %{won} : %{lost}', { won,
            lost }) : '', rating?.value ? `${_('rating')} ${rating.value}` : ''].filter(Boolean);
        return all.length ? html`<small class="past">${all.join(' · ')}</small>` : '';
    }

    /** The player keeps the seat and gets another name. */
    async rename() {
        if (!await askName())
            return;
        try {
            await visit();
            await api('POST', `tables/${this.game.id}/name`, {});
        } catch (error) {
            this.message = words(error);
            this.render();
        }
    }

    seats() { return this.game.table?.seats.map((_s, i) => i + 1) ?? []; }

    /** The present seats, or the planned ones. @returns {(number | string)[]} */
    plans() { return this.plan ?? this.seats(); }

    /** @param {number} n */
    isTaken(n) { return ['person', 'bot'].includes(this.game.table?.seats[n - 1]?.kind ?? ''); }

    /** @returns {Chair[]} */
    chairs() {
        const { table } = this.game, real = this.plans().map((p) => /** @type {Chair} */ (typeof p === 'number' ? {
            ...table?.seats[p - 1],
            mine: p === table?.you, seat: p } : p === 'open' ? { kind: 'open' } : { kind: 'bot', level: p }));
        return [...real, ...Array(table?.host ? 4 - real.length : 0).fill({ kind: 'none' })];
    }

    /** The host changes a seat. @param {number} n of those shown @param {string} what open, none, or a level */
    async change(n, what) {
        const plan = [...this.plans()];
        if (!what)
            return;
        if (what === 'none')
            plan.splice(n - 1, 1);
        else
            plan[Math.min(n - 1, plan.length)] = what;
        // Without a free seat the game would begin, which only Start should do.
        if (plan.some((p) => typeof p === 'string' ? p === 'open' : !this.isTaken(p)))
            await this.arrange(plan);
        else
            this.plan = plan;
        this.render();
    }

    /** @param {(number | string)[]} seats @param {Record<string, string | boolean>} [terms] what is played from now on */
    async arrange(seats, terms) {
        try {
            await api('POST', `tables/${this.game.id}/seats`, { seats, ...terms });
            if (!terms)
                this.plan = null;
        } catch (error) {
            this.message = words(error);
            this.render();
        }
    }

    render() {
        const { game } = this, { table } = game;
        const problem = table?.state === 'closed' ? _('This table was closed.') : this.message;
        if (!table || table.state === 'closed') {
            put(this.root, html`<div class="page">${pageTop(_('Table'))}<main class="page-in narrow"><h1 class="title">${
                _('Table %{code}',
                { code: game.id })}</h1><p class="lead" role="status">${problem || _('Looking for the table…')}</p>${problem
                    ?
                html`<p class="bars"><a class="btn pri" href="#">${icon('home')}${
                    _('Home')}</a><a class="btn" href="#friends">${
                _('My tables')}</a></p>` : ''}</main></div>`);
            return;
        }
        if (table.state === 'running') {     // a spectator sees nothing yet
            put(this.root, html`<div class="page">${pageTop(_('Table'))}<main class="page-in narrow"><h1 class="title">${
                _('The players are choosing their first cards')}</h1><p class="lead">${
                _('You will see the game when they are done.')}</p><p class="err" role="alert">${
                    problem}</p><ul class="panel form seatlist">${table.seats.map((s, i) =>
                html`<li>${avatar(i, { bot: s.kind === 'bot' })}<span><b dir="auto">${
                    game.seats[i].name}</b></span></li>`)}</ul></main></div>`);
            return;
        }
        const said = game.banner?.text ?? problem, free = table.seats.some((s) => s.kind === 'open' || s.kind === 'friend');
        put(this.root, html`<div class="page">${pageTop(table.host ? _('Invite friends') :
            _('Table'))}<main class="page-in inv2"><h1 class="title">${
            table.host ? _('Who sits at the table?') : table.you ? _('Waiting for friends') : _('Join the table')}</h1>${said
                ?
            html`<p class="err" role="alert">${said}</p>` : ''}${table.you || this.sits ? '' :
            html`<div class="panel form joinf">${
                nameField()}${free ? html`<button
            class="btn pri big" data-a="sit">${_('Sit down')}</button>` : ''}</div>`}<ul class="chairs seatlist">${
                this.chairs().map((c, i) =>
            chairHtml(c, i, { host: table.host, few: this.plans().length <= 2 && c.kind !== 'none', extra: this.extraHtml(c,
                i), past: this.pastHtml(c) }))}</ul>${seriesHtml(table.series, game.seats.map((s) => s.name))}${
            isAlone(table) ? this.optionsHtml(table) : this.rulesHtml(table)}${this.linkHtml()}${
            this.goHtml(table)}</main></div>`);
    }

    /** Other actions for a seat. While your own seat is being taken, none is offered: buttons would move away under a
     * finger when that is done. @param {Chair} c @param {number} i */
    extraHtml(c, i) {
        const { table, id } = this.game, keys = seatKeys()[id] ?? {}, n = i + 1;
        return c.kind === 'open' && !table?.you && !this.sits ? html`<button class="btn" data-a="sit" data-seat="${n}">${
            _('Sit here')}</button>` :
            c.kind === 'friend' && keys[n] ? html`<button class="btn" data-a="copy" data-link="${tableLink(id, n, keys[n],
                this.base ?? undefined)}">${
            icon('copy')}${_('Link')}</button>` : undefined;
    }

    /** The options that the host can change until another player takes a seat. @param {Table} table */
    optionsHtml(table) {
        return html`<div class="opts"><section class="panel opt"><b>${_('Time per choice')}</b>${
            group(_('Time per choice'), 'clock', ['none', 'relaxed', 'quick'].map((c) => [c, clockWords(c)]),
            table.clock)}</section>${toggle('public', table.public, _('Open table'), _('Anyone may join and watch'))}${
            toggle('hints', table.hints ?? false, _('Hints'), _('Players may use hints, and everyone sees who did'))}${
            this.editions.length > 1 ? html`<section class="panel opt"><b>${_('Edition')}</b>${group(_('Edition'), 'edition',
            this.editions.map(({ name, title }) => [name, title || name]), table.edition)}</section>` : ''}</div>`;
    }

    /** The terms that were set before the others took their seats. @param {Table} table */
    rulesHtml(table) {
        const people = table.seats.filter((s) => s.kind !== 'bot').length > 1;
        return html`<ul class="agreed">${[_('Time per choice: %{time}', { time: clockWords(table.clock) }), table.public ?
            _('Open table: anyone may join and watch') : _('Only those who have the link can join'), table.hints ?
            _('Hints are allowed, and everyone sees who used one') : people ? _('No hints') : ''].filter(Boolean).map((t) =>
                html`<li>${t}</li>`)}</ul>`;
    }

    linkHtml() {
        const link = this.link(), alone = this.base === null;
        return html`<section class="panel share2 ${this.showsQr ? 'open' : ''}" aria-label="${_('Invitation')}">${alone ? ''
            : html`<div class="qr">${
            qrPicture(link, _('QR code of the invitation link'))}</div>`}<div><span class="eyebrow">${
                _('Table code')}</span><p class="code2">${
            this.game.id}</p>${alone ? html`<p class="err alone">${
                _('Only this computer can open the link: the server accepts no visitors ' +
            'from other devices. To let them in, start it with:')} <code>pyramids serve --address 0.0.0.0</code></p>` :
                ''}<div class="lk"><div
            class="linkbox"><span>${link}</span></div>${'share' in navigator && !alone ?
                html`<button class="btn send" data-a="share">${
            icon('share')}${_('Send')}</button>` : ''}<button class="btn" data-a="copy" aria-label="${_('Copy the link')}">${
                icon('copy')}${
            _('Copy')}</button>${alone ? '' : html`<button class="btn only-p3" data-a="qr" aria-expanded="${this.showsQr}">${
            this.showsQr ? _('Hide QR') : _('Show QR')}</button>`}</div></div></section>`;
    }

    /** Closing is listed before leaving the seat, which appears when the seat is taken: so a button that is being
     * pressed does not change or move. @param {Table} table */
    goHtml(table) {
        const taken = this.chairs().filter((c) => c.kind === 'person' || c.kind === 'bot'), enough = taken.length > 1 &&
            table.you;
        const names = listWords(taken.map((c) => c.mine ? _('you') : c.kind === 'bot' ? _('bot, %{level}',
            { level: levelName(c.level ?? '') }) :
            c.name ?? ''));
        return html`<div class="gos"><p class="bars">${table.host ? html`<button class="btn" data-a="close"
            data-key="close" ${this.game.closes ? 'disabled' : ''}>${_('Close the table')}</button>` : ''}${
            table.you ? html`<button class="btn" data-a="leave" data-key="leave">${
            _('Stand up')}</button>` : ''}</p><div class="go"><p role="status">${enough ?
            html`${_('At the table: %{names}.', { names })} ${_('The game starts when all seats are taken.')}` :
            _('Two seats must be taken before the game can start.')}</p>${table.host ?
            html`<button class="btn pri big" data-a="start" ${enough ? '' : html`disabled`}>${icon('play')}${
            _('Start')}</button>` : ''}</div></div>`;
    }
}

/** @param {App} app @param {string} code @param {string} [seat] @param {string} [key] */
export function showTable(app, code, seat, key) {
    const id = (code ?? '').replace(/[\s\p{Pd}]/gu, '').toUpperCase();
    app.game?.stop();
    const game = new OnlineGame(app, id);
    app.game = game;
    app.show((root) => new LobbyView(root, app, game, Number(seat ?? 0), key ?? ''), _('Table'));
}

/** Lists of tables: your own, or those that can be watched. */
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
            const state = t.state === 'waiting' ? _('waiting for players') : t.state === 'over' ? _('over') :
                t.state === 'closed' ? _('closed') :
                t.round ? _('Round %{round}, turn %{turn}', { round: t.round, turn: t.turn }) : _('Setup');
            const names = t.seats.map((s) => s.kind === 'bot' ? _('bot, %{level}', { level: levelName(s.level ?? '') }) :
                s.name || _('free')).join(
                ', ');
            return html`<li><a class="panel game" href="#${t.state === 'over' ? 'replay' : 'table'}/${t.code}">${icon(t.state
                === 'over' ? 'replay' :
                t.you ? 'play' : 'eye')}<span>${names}<small>${state} · ${t.code}</small></span>${icon('right')}</a></li>`;
        };
        put(this.root, html`<div class="page">${pageTop(title)}<main class="page-in"><h1 class="title">${
            title}</h1><p class="lead">${this.watch ?
            _('Public tables: sit down where a seat is free, or watch.') :
            _('Your tables on this server, running ones first.')}</p><p class="bars"><a class="btn pri"
            href="#friends/new">${icon('link')}${
            _('New table')}</a><a class="btn" href="#${this.watch ? 'friends' : 'watch'}">${this.watch ? _('My tables') :
                _('Watch a game')}</a><a class="btn" href="#ratings">${icon('crown')}${_('Ratings')}</a></p>
            <p class="err" role="status">${this.message}</p><ul class="gamelist">${!this.tables ? '' : this.tables.length ?
                this.tables.map(line) :
                html`<li class="panel none-yet">${_('None right now.')}</li>`}</ul>${this.tables ?
                html`<p class="note">${ngettext('%{n} table', '%{n} tables', this.tables.length)}</p>` : ''}</main></div>`);
    }
}
