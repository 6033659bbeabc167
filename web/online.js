/**
 * online.js: a game on a server: our identity, the socket, what this browser stores, and texts for events. The core
 * (remote.h) implements the protocol. Its match contains the lines that this seat may see, so the table shows it like
 * any other game.
 */
import { NONE, html, sentence } from './html.js';
import { _, ngettext } from './i18n.js';
import { announce, askToConfirm, dialog, toast } from './dom.js';
import { icon, symbol } from './draw.js';
import { Game, wholeText } from './game.js';
import { FAIR, HOST, SENT } from './codes.js';
import { DRAW, EVENT, NOBODY, WISH, dealAnew, takeStep } from './core.js';
import { codeOf, playerName } from './words.js';
import { REACTIONS, REFUSALS } from './sentences.js';
import { keepGame, read, settings, write } from './store.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Status} Status */
/** @typedef {{kind: 'open' | 'friend' | 'person' | 'bot', name?: string, level?: string, here?: boolean, gone?: number,
 * away?: boolean, ready?: boolean,
 *  hints?: number}} TableSeat */
/** @typedef {{code: string, notify?: boolean, series?: {games: number, wins: number[], points: number[]}, state: 'waiting' |
 * 'running' | 'over' | 'closed', edition: string, public: boolean, hints?:
 * boolean, clock: string, you: number, host: boolean, version: number, round: number, turn: number,
 *  seats: TableSeat[], rematch?: string, points?: number[], winners?: number[], created: number, commitment?: string,
 * host_gone?: number, daily?: {date: string, number: number, counted: boolean}}} Table */
/** @typedef {import('./game.js').Draft} Draft */
/** @typedef {{used?: number, text?: string, held?: Draft | null, number?: string, commitment?: string}} Memory what
 *  this browser stores about a table: the text of the core, and what is placed; from older pages: the part in the
 *  shuffle */

const PATIENCE = 30000;          // without a connection, before alternatives are offered
const MOST_TABLES = 12;          // whose data are stored
const SHOWN = 2400;              // ms of a reaction

/** A refusal or failure of a server. */
export class ServerError extends Error {
    /** @param {string} code */
    constructor(code) {
        super(code);
        this.code = code;
    }
}

/** The error as a sentence. @param {string} code */
export function serverWords(code) {
    switch (code) {
    case 'no_server': return _('This page has no game server, or it cannot be reached. You can still play against bots.');
    case 'origin': return _('The server does not accept visitors at this address. Its operator can allow it: %{command}',
        { command: `pyramids serve --origin ${location.origin}` });
    }
    const found = REFUSALS.find(([known]) => known === code);
    return found ? _(found[1]) : _('The server reports: %{code}', { code });
}

/** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
export async function api(method, path, body) {
    const answer = await fetch(`api/${path}`, { method, ...(body ? { body: JSON.stringify(body), headers: { 'content-type':
        'application/json' } } :
        {}) }).catch(() => null);
    if (!answer)
        throw new ServerError('no_server');
    const type = answer.headers.get('content-type') ?? '';
    if (type.startsWith('text/plain') && answer.ok)
        return answer.text();
    const data = await answer.json().catch(() => ({}));
    if (!answer.ok)
        throw new ServerError(data.error?.code && data.error.code !== 'not_found' && data.error.code !== 'method' ?
            data.error.code : 'no_server');
    return data;
}

/** A question that is being asked: several parts of the page may visit at the same time.
 * @type {Promise<boolean> | null} */
let asking = null;

/** The server may have had another database that knows our cookie, so we become a new player only after asking. */
const meansToBeNew = () => asking ??= askToConfirm(_('The server does not recognise you'), _(
    'Your seats and statistics belong to a player this server does not recognise; it may be using another database. If ' +
    'you continue as a new player, this browser can no longer play as the old one.'),
    _('Continue as a new player')).finally(() => { asking = null; });

/** Introduces us to the server, under our present name if it has visible characters. @param {string} [nameless] the
 * name of a player without one */
export async function visit(nameless = '') {
    const name = settings.name.replace(/[\p{C}\p{Z}]/gu, '') ? settings.name : nameless, body = name ? { name } : {};
    try {
        await api('POST', 'visitor', body);
    } catch (error) {
        if (!(error instanceof ServerError) || error.code !== 'unknown_visitor' || !await meansToBeNew())
            throw error;
        await api('POST', 'visitor', { ...body, new: true });
    }
    if (!read('visited',
        false))             // without cookies the server does not recognise us later: report it now
        await api('GET', 'visitor');
    write('visited', true);
}

/** The stored text of a table, for the core. An older page stored only the part in the shuffle.
 * @param {Memory} memory @param {string} code */
function memoryText({ text, number, commitment }, code) {
    const promise = commitment ? `commitment ${commitment}\n` : '';
    return text ?? (number ? `pyramids-remote 1\ntable ${code}\nnumber ${number}\n${promise}` : '');
}

export class OnlineGame extends Game {
    /** @param {App} app @param {string} code */
    constructor(app, code) {
        super(app.core(), [], -1);
        this.app = app;
        this.id = code;
        this.online = true;
        /** @type {Table | null} */
        this.table = null;
        const memory = read('tables', /** @type {Record<string, Memory>} */ ({}))[code] ?? {};
        this.draft = memory.held ?? null;
        this.isCode = this.core.remoteBegin(code, memoryText(memory, code));
        /** The text that was stored last. */
        this.kept = '';
        /** When the host was last connected, by this device's clock; 0: connected now. */
        this.hostGoneSince = 0;
        /** A player who makes or joins a rematch gets no notice of it. */
        this.asksRematch = false;
        this.stopped = false;
        /** The game is over, and its whole record was requested. */
        this.whole = false;
        this.lacksEdition = false;
        /** The host is closing the table. */
        this.closes = false;
        /** Whether this browser can receive notifications. @type {boolean | undefined} */
        this.canTell = undefined;
        this.shuffle = NONE;
        /** @type {WebSocket | null} */
        this.socket = null;
        /** @type {(problem: string) => void} */
        this.problem = (code) => toast(serverWords(code));
        /** The table as a whole has changed. @type {() => void} */
        this.tableChanged = () => {};
        this.listeners = new AbortController();
        const { signal } = this.listeners, look = () => this.core.remoteLook(!document.hidden);
        look();
        addEventListener('online', () => this.connect(), { signal });
        addEventListener('offline', () => this.drop(), { signal });
        document.addEventListener('visibilitychange', () => {
            look();
            if (!document.hidden && this.core.remoteState().lostAt)
                this.connect();
        }, { signal });
        this.minutes = setInterval(() => { if (this.seats.some((_s, i) => this.isGone(i))) this.tell(); }, 20000);
    }

    /** Stores what another visit would need. */
    remember() {
        const { core, draft: held } = this, text = core.remoteSave(), kept = JSON.stringify([text, held]);
        if (kept === this.kept || core.remoteState().elsewhere)
            return;                          // then the newer window stores it
        this.kept = kept;
        const before = read('tables', /** @type {Record<string, Memory>} */ ({}));
        const all = Object.entries({ ...before, [this.id]: { used: Date.now(), text, held } });
        write('tables', Object.fromEntries(all.sort((a, b) => (b[1].used ?? 0) - (a[1].used ?? 0)).slice(0, MOST_TABLES)));
    }

    connect() {
        if (this.stopped || (this.socket && this.socket.readyState < 2))
            return;
        if (!this.isCode) {
            this.problem('no_table');
            return;
        }
        const url = new URL('api/socket', location.href);
        url.protocol = url.protocol.replace('http', 'ws');
        url.search = `?table=${this.id}`;    // for a proxy, which can route all players of a table to one server
        url.hash = '';
        const socket = new WebSocket(url, 'pyramids-1');
        this.socket = socket;
        socket.onmessage = ({ data }) => this.receive(data);
        socket.onopen = () => {
            this.core.remoteConnected();
            this.go();
        };
        socket.onclose = () => { if (this.socket === socket) this.lost(); };
    }

    /** Gives up the connection, even if it is not closed. */
    drop() {
        const { socket } = this;
        if (!socket || this.stopped)
            return;
        this.socket = null;
        socket.onmessage = socket.onclose = socket.onopen = null;
        socket.close();
        this.lost();
    }

    lost() {
        if (this.stopped)
            return;
        this.core.remoteLost();
        this.go();
    }

    /** Does what is due: sends messages, handles events, connects, and repeats when the core requests it. */
    go() {
        if (this.stopped)
            return;
        const { core } = this;
        clearTimeout(this.wake);
        for (let text = core.remoteNext(); text; text = core.remoteNext())
            this.socket?.send(text);
        const { wish, at } = core.remoteWish();
        this.tellEvents();
        this.remember();
        if (wish === WISH.drop)
            this.drop();
        else if (wish === WISH.connect)
            this.connect();
        else if (at)
            this.wake = setTimeout(() => this.go(), Math.max(0, at - Date.now()));
    }

    tellEvents() {
        const { core } = this;
        let greeting = '', any = false;
        for (let event = core.remoteEvent(); event.kind; event = core.remoteEvent()) {
            const { kind, number } = event;
            any = true;
            if (kind === EVENT.edition || (kind === EVENT.table && this.lacksEdition))
                void this.getEdition(this.table?.edition ?? '');
            else if (kind === EVENT.over)
                void this.finish();
            else if (kind === EVENT.refused)
                this.wasRefused(event.code, event.reason, number);
            else if (kind === EVENT.bad)
                this.problem('bad_lines');
            else if (kind === EVENT.reaction)
                this.showReaction(number >> 3, number & 7);
            else if (kind === EVENT.returned)
                greeting = _('Welcome back. A bot played for you; now it is your game again.');
            else if (kind === EVENT.missed)
                greeting = ngettext('Welcome back, %{n} turn was played.', 'Welcome back, %{n} turns were played.', number);
        }
        if (any)
            this.tell();
        if (greeting)
            toast(greeting);                 // after showing the table, which removes earlier messages
    }

    /** Shows the most urgent problem above the table. */
    tell() {
        const seats = this.table?.seats ?? [], absent = this.maySubstitute() ? seats.findIndex((s, i) => i !== this.me &&
            this.minutesGone(i) > 0 && !s.away &&
            !this.isIn(i)) : -1;
        const { lostAt, deadline, restarting, elsewhere, slow, notice, restartAt } = this.core.remoteState();
        /** @type {{label: string, act: () => void}[]} */
        const actions = [];
        this.banner = null;
        this.deadline = deadline;
        clearTimeout(this.patience);
        if (lostAt) {
            const left = lostAt + PATIENCE - Date.now();
            if (left > 0)
                this.patience = setTimeout(() => this.tell(), left);
            else {
                actions.push({ label: _('Try again'), act: () => { this.drop(); this.connect(); } });
                if (this.me >= 0 && this.core.view(-1) && !this.core.isOver())
                    actions.push({ label: _('Continue against bots'), act: () => void this.playOn() });
            }
            this.banner = { icon: 'wifi', alert: true, text: this.hasMarks() ? _('Reconnecting, your marks are safe') :
                this.me >= 0 ? _('Reconnecting, your seat is kept') :
                _('Reconnecting…'), actions };
        } else if (restarting)
            this.banner = { icon: 'wifi', alert: true, text: this.hasMarks() ?
                _('The server is restarting. Your marks are safe.') :
                _('The server is restarting. This page will reconnect by itself.'), actions };
        else if (elsewhere)
            this.banner = { icon: 'device', text: _('You are playing this seat in another window.'), actions: [{
                label: _('Play here'), act: () => {
                    this.core.remoteOpenHere();
                    this.go();
                } }] };
        else if (slow)
            this.banner = { icon: 'wifi', text: _('The connection is slow. Your choice is on its way.'), actions };
        else if (seats[this.me]?.away)
            this.banner = { icon: 'bot', text: _('A bot is playing for you'), actions: [{
                label: _('Play myself'), act: () => this.act('return') }] };
        else if (absent >= 0)
            this.banner = { icon: 'wifi', text: ngettext('%{name} has been away for %{n} minute.',
                '%{name} has been away for %{n} minutes.',
                this.minutesGone(absent), { name: this.seats[absent].name }), actions: [{ label: _('Let a bot play'),
                    act: () =>
                this.act('standin', [absent]) }] };
        else if (notice || restartAt) {
            const minutes = Math.max(1, Math.ceil((restartAt - Date.now()) / 60000));
            this.banner = { icon: 'wifi', text: restartAt ? ngettext(
                'The server restarts in %{n} minute. Your game continues afterwards.',
                'The server restarts in %{n} minutes. Your game continues afterwards.', minutes) + (notice && ` ${notice}`) :
                notice, actions };
        } else
            this.askToTell();
        // After the end, nothing is shown until the whole record has arrived.
        if (this.whole || !this.core.isOver()) {
            this.changed();
            this.tableChanged();
        }
    }

    /** After the first turn at a table with long turns, while others choose, offers messages about turns. Once per
     * table, and only where they can work. */
    askToTell() {
        const { table, id } = this, asked = read('asked', /** @type {string[]} */ ([]));
        const forget = () => {
            write('asked', [...asked, id].slice(-MOST_TABLES));
            this.tell();
        };
        if (!table || table.notify || table.clock !== 'none' || table.daily || !this.reacts || !this.isSealed() ||
            this.core.view(-1)?.phase !== 'mark' || asked.includes(id))
            return;
        if (this.canTell === undefined) {
            this.canTell = false;
            void import('./notify.js').then(async ({ obstacle }) => {
                this.canTell = !obstacle(await api('GET', 'push'));
                this.tell();
            }).catch(() => {});
        }
        if (this.canTell)
            this.banner = { icon: 'bell', text: _('Tell me when it is my turn?'), actions: [{ label: _('Yes'), act: () => {
                forget();
                void this.tellMe();
            } }, { label: _('Not now'), act: forget }] };
    }

    /** Asks the browser for permission, and the server for messages of this table. */
    async tellMe() {
        const on = await import('./notify.js').then(({ subscribe }) => subscribe()).catch(() => false);
        if (on)
            await api('POST', `tables/${this.id}/notify`, { on }).catch(() => {});
        toast(on ? _('Messages are on') :
            _('This browser does not allow it. You can change that in its settings for this page.'));
    }

    get reacts() { return this.core.remoteState().reacts; }

    /** Asks which symbol to show, and whose symbols to mute. */
    async react() {
        if (!this.reacts || document.querySelector('dialog'))
            return;
        const { core, seats, me } = this, others = (this.table?.seats ?? []).flatMap((s, i) =>
            s.kind === 'person' && i !== me ? [i] : []);
        const value = await dialog(_('React'), html`<div class="reacts">${REACTIONS.map(([name, text], i) => html`<button
            class="btn" value="${i}">${symbol(name)}<span>${_(text)}</span></button>`)}</div>${others.map((i) => html`<label
            class="check"><input type="checkbox" name="${i}" ${core.remoteIsMuted(i) ? 'checked' : ''}><span>${
            _('Mute %{name}', { name: seats[i].name })}</span></label>`)}`, { close: _('Close'), wire: (box) => {
            box.addEventListener('keydown', ({ key }) => { if (/^[1-6]$/.test(key)) box.close(String(Number(key) - 1)); });
            box.addEventListener('change', ({ target }) => {
                const { name, checked } = /** @type {HTMLInputElement} */ (target);
                core.remoteMute(Number(name), checked);
                this.remember();
            });
        } });
        if (value)
            this.act('react', [Number(value)]);
    }

    /** @param {number} seat @param {number} n */
    showReaction(seat, n) {
        const { core, me } = this, [name, text] = REACTIONS[n], words = `${this.seats[seat].name}: ${_(text)}`;
        if (seat !== me && !settings.reactions)
            return;
        this.reactions.push({ seat, symbol: n, line: core.lines().filter((_l, i) => core.isVisible(i, me)).length });
        this.bubbles.set(seat, name);
        setTimeout(() => {
            this.bubbles.delete(seat);
            this.changed();
        }, SHOWN);
        if (document.querySelector('.table, .setup'))
            announce(words);
        else
            toast(words);
    }

    /** Whether this player may let a bot play for someone who is away: the host may, and every player if the host has
     * been away for a while. */
    maySubstitute() {
        return this.table?.host || (this.me >= 0 && this.hostGoneSince > 0 && Date.now() - this.hostGoneSince >= HOST.gone);
    }

    /** Whether there is something that could be lost: not for spectators, nor while a table is waiting or cards are
     * being dealt. */
    hasMarks() { return this.me >= 0 && (this.core.view(-1)?.phase ?? 'keep') !== 'keep'; }

    /** Continues the game on this device, with bots in the other seats. */
    async playOn() {
        const value = await dialog(_('Continue against bots'), html`<p>${
            _('You continue with a copy of this game: bots take the other seats, and cards you could not see are ' +
                'reshuffled. The table itself waits for you on the server.')
            }</p><p class="dlgf"><button class="btn" value="">${
            _('Cancel')}</button> <button class="btn pri" value="go">${_('Continue playing')}</button></p>`);
        if (value !== 'go' || !this.core.remoteState().lostAt)
            return;
        const { core, me } = this, seats = this.seats.map((s, i) => i === me ? s : { ...s, level: s.level || settings.level
            });
        const whole = dealAnew(core.lines(), (below) => crypto.getRandomValues(new Uint32Array(1))[0] % below);
        const at = whole.findIndex((l) => l.startsWith('deal'));
        whole.splice(at, 0, ...seats.flatMap((s, i) => s.level && !whole.some((l) => l.startsWith(`tag bot ${i + 1} `)) ?
            [`tag bot ${i + 1} ${s.level}`] : []));
        const made = core.made(me).map((s) => String(s.step));
        const pending = [{ seat: me, made, confirmed: core.isConfirmed(me) }];
        const held = this.draft && { ...this.draft, at: this.draft.at.replace(/^\d+/, String(whole.length)) };
        const record = wholeText({ record: whole.map((l) => l + '\n').join(''), seats, me, pending });
        write('game', { id: `${Date.now()}`, record, edition: this.editionText(), held, copy: this.id });
        this.app.go('play');
    }

    /** An action of this person; see core.js. @param {Parameters<import('./core.js').Core['remoteDo']>[0]} what
     * @param {(number | bigint)[]} [where] @param {string} [text] @returns {boolean} whether it was possible */
    act(what, where = [], text = '') {
        const done = this.core.remoteDo(what, where, text);
        this.go();
        this.changed();
        return done;
    }

    isUnsent() { return this.core.remoteState().unsent; }

    /** @param {Draft} draft */
    keepDraft(draft) {
        const changed = super.keepDraft(draft);
        if (changed && !this.stopped && this.me >= 0)
            this.remember();
        return changed;
    }

    draftChanged() { this.remember(); }

    /** @param {string} text */
    receive(text) {
        const message = JSON.parse(text);
        if (message.type === 'table' && message.code === this.id)
            this.hearTable(message);
        this.core.remoteReceive(text);
        this.go();
        if (message.type !== 'done')
            dispatchEvent(new Event('moved'));
    }

    /** Takes over the data of a table that are shown besides the game. @param {Table} table */
    hearTable(table) {
        const before = this.table;
        this.table = table;
        this.me = table.you - 1;
        this.seats = table.seats.map((s, i) => ({ name: s.kind === 'bot' ? playerName(s.name || s.level || 'club') : s.name
            ||
            _('Seat %{n}', { n: i + 1 }), level: s.kind === 'bot' ? s.level ?? 'club' : '' }));
        this.hostGoneSince = table.host_gone === undefined ? 0 : Date.now() - table.host_gone;
        // Hints are always allowed against bots; with people only if the table was made so.
        this.hints = !table.daily?.counted && (table.hints === true || table.seats.filter((s) => s.kind !== 'bot').length ===
            1);
        this.sayHints(before, table);
        if (table.rematch && before && before.rematch !== table.rematch && table.you && !this.asksRematch)
            toast(_('A rematch is ready: press Rematch to join, code %{code}.', { code: table.rematch }), 8000);
    }

    /** Everyone sees who has used a hint. @param {Table | null} before @param {Table} now */
    sayHints(before, now) {
        now.seats.forEach((s, i) => {
            if (before && i !== this.me && (s.hints ?? 0) > (before.seats[i]?.hints ?? 0))
                toast(_('%{name} used a hint.', { name: s.name ?? '' }));
        });
    }

    hinted() {
        if ((this.table?.seats.filter((s) => s.kind === 'person').length ?? 0) > 1)
            void api('POST', `tables/${this.id}/hint`, {}).catch(() => {});
    }

    /** @param {number} seat */
    hintsUsed(seat) { return this.table?.seats[seat]?.hints ?? 0; }

    /** Gets the cards of this table, which the page may not have. @param {string} name */
    async getEdition(name) {
        if (name !== this.core.edition.name) {
            const text = await api('GET', `editions/${encodeURIComponent(name)}`).catch(() => '');
            if (name !== this.table?.edition)
                return;                      // the host has chosen yet another one
            if (!text || this.core.readEdition(text)) {
                this.lacksEdition = true;    // requested again with the next update of the table
                this.problem('no_edition');
                return;
            }
        }
        this.lacksEdition = false;
        this.core.remoteSetEdition();
        this.go();
    }

    /** Called when the game is over, and all of it may be seen. */
    async finish() {
        const { core } = this, record = await api('GET', `tables/${this.id}/record`).catch(() => '');
        if (record && core.remoteSetRecord(record)) {
            keepGame({ id: this.id, date: Date.now(), record, me: this.me, edition: this.editionText(),
                daily: !!this.table?.daily });
            if (!this.table?.daily)          // its secret is shown when the day is over
                this.checkShuffle(record);
        }
        this.whole = true;
        this.tell();
    }

    /** @param {string} code @param {string} why @param {number} message its kind (remote.h); choices are sent again */
    wasRefused(code, why, message) {
        if (code === 'illegal' && why)
            this.refused(codeOf(why));
        else if (['storage', 'stopping', 'too_fast'].includes(code) && (message === SENT.choose || message === SENT.retract))
            toast(_('The server could not save it; retrying.'));
        else if (code !== 'late' && code !== 'no_choice' && code !== 'confirmed')
            this.problem(code);
    }

    /** @param {number} seat @returns {Status} */
    status(seat) {
        if (this.table?.seats[seat]?.away)
            return 'away';
        const status = super.status(seat);
        return this.isGone(seat) && (status === 'thinking' || status === 'choosing') ? 'gone' : status;
    }

    /** Whether a person is not connected. @param {number} seat */
    isGone(seat) { return this.table?.seats[seat].kind === 'person' && !this.table.seats[seat].here; }
    /** @param {number} seat */
    minutesGone(seat) { return this.core.remoteGone(seat) / 60000 | 0; }
    /** @param {number} seat */
    isIn(seat) { return this.core.remoteIsReady(seat) || !this.core.isWaiting(seat); }

    confirm() { this.act('confirm'); }
    retract() { this.act('retract'); }
    /** @param {number} card */
    take(card) { this.act('take', [card ? takeStep(card) : DRAW]); }

    /** @param {number} [seat] @param {string} [key] */
    async sit(seat, key) {
        // A player without a name is called Player; a friend gets the name that the host gave.
        await visit(key ? '' : _('Player')).catch(() => {});
        if (!this.closes)
            this.act('sit', [seat ? seat - 1 : NOBODY], key);
    }

    /** Checks the finished game against the commitment. @param {string} record */
    checkShuffle(record) {
        const { code, line, compared } = this.core.verify(record), { number, commitment } = this.core.remoteShuffle();
        const has = /** @param {string} tag */ (tag) => record.includes(`\ntag ${tag}\n`);
        const seen = number && this.me >= 0 ? has(`commitment ${commitment}`) && has(`number ${this.me +
            1} ${number}`) : null;
        if (code === FAIR.no_commitment)
            return;
        const good = code === FAIR.good && seen !== false;
        const why = !good ? code ? _('Line %{line} of the record does not follow from the secret and the numbers.', { line })
            :
            _('The fingerprint or your number in the record differs from the one this browser has seen.') : seen ?
            _('All %{n} deals, reveals and draws follow from the secret and the numbers, and yours is among them.',
                { n: compared }) :
            _('All %{n} deals, reveals and draws follow from the secret and the numbers.', { n: compared });
        this.shuffle = html`<details class="shuffle"><summary class="${good ? 'good' : 'bad'}">${icon(good ? 'check' :
            'info')}${good ?
            _('Checked: the cards follow from the numbers') : _('This shuffle cannot be trusted')}</summary><p>${why}</p>${
                this.shuffleWords()}</details>`;
    }

    badge() { return this.table?.daily ?? null; }

    shuffleHtml() { return this.shuffle; }

    shuffleWords() {
        const { number } = this.core.remoteShuffle(), { commitment } = this.table ?? {};
        return html`<p>${
            _('The cards follow from a secret, whose fingerprint the server showed before the game, and a random number ' +
                'that each player’s device added after that. At the end the secret is shown, and your browser checks ' +
                'every card.')}</p><p>${
            _('Your device draws one number for this table and keeps it, so the server gains nothing by asking ' +
                'again. Only together with a player who sat down after you could it have chosen between deals.')}</p><p>${
            sentence((hold) => _(
            'This page comes from the server that it checks. To check elsewhere, save the record and run %{command} on ' +
            'your own computer.',
            { command: hold(html`<code>pyramids verify game.pyr</code>`) }))}</p><dl class="hex"><dt>${
            _('Fingerprint of the secret')}</dt><dd>${commitment ?? ''}</dd>${number ? html`<dt>${
                _('Your number')}</dt><dd>${number}</dd>` : ''}</dl>`;
    }

    /** What the table's menu offers beyond the usual. @returns {[string, string, () => void][]} */
    menu() {
        /** @type {[string, string, () => void][]} */
        const items = [];
        const { table } = this;
        if (table && this.maySubstitute())
            table.seats.forEach((s, i) => {
                if (this.isGone(i) && !s.away && i !== this.me)
                    items.push(['bot', _('Let a bot play for %{name}', { name: s.name ?? '' }), () =>
                        this.act('standin', [i])]);
            });
        if (this.reacts)
            items.push(['people', _('React'), () => void this.react()]);
        if (table?.daily?.counted)
            items.push(['home', _('Leave: you can continue until midnight UTC'), () => this.app.home()]);
        else if (this.me >= 0 && !table?.seats[this.me].away)
            items.push(['bot', _('Let a bot play for me'), () => this.act('leave')]);
        if (table?.commitment && !table.daily)         // the cards of a daily expedition use no numbers of players
            items.push(['clover', _('The fair shuffle'), () => void dialog(_('The fair shuffle'), this.shuffleWords(), {
                close: _('Close') })]);
        return items;
    }

    /** @param {App} app */
    async rematch(app) {
        this.asksRematch = true;
        try {
            const { code } = (await api('POST', `tables/${this.id}/rematch`,
                {})).table;         // a new table only if there is none, or the rematch was given up
            write('sit', code);
            app.go(`table/${code}`);
        } catch (error) {
            this.asksRematch = false;
            toast(serverWords(error instanceof ServerError ? error.code : 'no_server'));
        }
    }

    stop() {
        this.stopped = true;
        this.listeners.abort();
        clearInterval(this.minutes);
        for (const timer of [this.wake, this.patience])
            clearTimeout(timer);
        this.socket?.close();
    }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The address of this page for others: its own, unless that works only on this computer. Null: there is none.
 * @returns {Promise<string | null>} */
export async function publicAddress() {
    const here = `${location.origin}${location.pathname}`;
    if (!LOOPBACK.test(location.hostname))
        return here;
    const { links } = await api('GET', 'links').catch(() => ({ links: [here] }));       // an older server lacks this
    return links[0] ?? null;
}

/** The link to a table, or to one of its seats. @param {string} code @param {number} [seat] @param {string} [key] @param
 * {string} [base] */
export const tableLink = (code, seat, key, base = `${location.origin}${location.pathname}`) =>
    `${base}#table/${code}${seat && key ? `/${seat}/${key}` : ''}`;
