/**
 * online.js: a game at a server (docs/protocol.md): who we are, one socket, record lines in and choices out. The lines that this seat may see are
 * loaded into a Core like any record, so the table does not know the difference. What was sent is sent again after a break, under the same id,
 * until the server says that it has it.
 */
import { _, ngettext } from './i18n.js';
import { confirmed, dialog, esc, toast } from './dom.js';
import { icon } from './draw.js';
import { Game } from './game.js';
import { NOBODY, ONLOOKER, dealAnew } from './core.js';
import { codeOf, playerName } from './words.js';
import { keepGame, read, settings, write } from './store.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Status} Status */
/** @typedef {{kind: 'open' | 'friend' | 'person' | 'bot', name?: string, level?: string, here?: boolean, gone?: number, away?: boolean, ready?: boolean}} TableSeat */
/** @typedef {{code: string, state: 'waiting' | 'running' | 'over' | 'closed', edition: string, public: boolean, clock: string, you: number, host: boolean, version: number, round: number, turn: number,
 *  seats: TableSeat[], rematch?: string, points?: number[], winners?: number[], created: number, commitment?: string, host_gone?: number}} Table */
/** @typedef {{type: string, [field: string]: unknown}} Message */
/** @typedef {{used: number, version: number, turns: number, made: string[], confirmed: boolean, sent: [string, Message][], held: import('./game.js').Held | null,
 *  commitment?: string, number?: string}} Memory what this browser remembers of a table: what was being chosen, and its part in the shuffle */

const PATIENCE = 30000;          // without a connection, before other ways are offered
const SLOW = 4000;               // without an answer, before it is said
const HOST_GONE = 120000;        // without the host, before any player may ask for a stand-in (docs/protocol.md)
const DEAD = 6000;               // and after that the connection is taken for dead
const MOST_TABLES = 12;          // that are remembered

/** A server's answer that is not what we hoped for. */
export class ServerError extends Error {
    /** @param {string} code */
    constructor(code) {
        super(code);
        this.code = code;
    }
}

/** What went wrong, for people. @param {string} code */
export function serverWords(code) {
    switch (code) {
    case 'no_server': return _('This page has no game server, or it cannot be reached. You can still play against bots.');
    case 'no_visitor': return _('The server does not recognise you: this browser blocks cookies for this page. Please ' +
        'allow them.');
    case 'unknown_visitor': return _('The server no longer recognises you. It may be using another database.');
    case 'bad_cookie': return _('The server cannot read your cookies, so it does not recognise you. Nothing was changed.');
    case 'no_table': return _('No table has this code.');
    case 'taken': return _('That seat is taken, or no seat is free. You can watch.');
    case 'begun': return _('The game has started. You can watch.');
    case 'bad_key': return _('This seat is reserved for a friend; this link has the wrong key.');
    case 'too_many': return _('The server has too many tables or visitors right now. Please try again later.');
    case 'too_fast': return _('That was too fast. Please wait a moment.');
    case 'storage': case 'stopping': return _('The server cannot do this now. Please try again.');
    case 'late': return _('The turn was over before your choice arrived.');
    case 'not_host': return _('Only the host of the table can do this.');
    case 'bad_name': return _('Please choose another name.');
    case 'here': return _('That player is connected.');
    case 'origin': return _('The server does not accept visitors at this address. Its operator can allow it: %{command}',
        { command: `pyramids serve --origin ${location.origin}` });
    case 'no_edition': return _('The server does not have this edition.');
    default: return _('The server reports: %{code}', { code });
    }
}

/** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
export async function api(method, path, body) {
    const answer = await fetch(`api/${path}`, { method, ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } :
        {}) }).catch(() => null);
    if (!answer)
        throw new ServerError('no_server');
    const type = answer.headers.get('content-type') ?? '';
    if (type.startsWith('text/plain') && answer.ok)
        return answer.text();
    const data = await answer.json().catch(() => ({}));
    if (!answer.ok)
        throw new ServerError(data.error?.code && data.error.code !== 'not_found' && data.error.code !== 'method' ? data.error.code : 'no_server');
    return data;
}

/** A question under way: several parts of the page may visit at once. @type {Promise<boolean> | null} */
let asking = null;

/** Whoever we were may be known to the server's other database, so only a person's word makes us somebody new. */
const meansToBeNew = () => asking ??= confirmed(_('The server does not recognise you'), _(
    'Your seats and statistics belong to a player this server does not recognise; it may be using another database. If you continue as a new player, this browser can no longer play as the old one.'),
    _('Continue as a new player')).finally(() => { asking = null; });

/** Makes us known to the server, under our present name if it can be seen. @param {string} [nameless] for who has none */
export async function visit(nameless = '') {
    const name = settings.name.replace(/[\p{C}\p{Z}]/gu, '') ? settings.name : nameless, body = name ? { name } : {};
    try {
        await api('POST', 'visitor', body);
    } catch (error) {
        if (!(error instanceof ServerError) || error.code !== 'unknown_visitor' || !await meansToBeNew())
            throw error;
        await api('POST', 'visitor', { ...body, new: true });
    }
    if (!read('visited', false))             // without cookies nobody is known the next moment: better told than left waiting
        await api('GET', 'visitor');
    write('visited', true);
}

const HEX = '0123456789abcdef';
/** @param {number} digits */
const randomHex = (digits) => [...crypto.getRandomValues(new Uint8Array(digits))].map((b) => HEX[b & 15]).join('');

export class OnlineGame extends Game {
    /** @param {App} app @param {string} code */
    constructor(app, code) {
        super(app.core(), [], -1);
        this.app = app;
        this.id = code;
        this.online = true;
        /** @type {Table | null} */
        this.table = null;
        /** @type {string[]} */
        this.lines = [];
        this.version = 0;
        /** @type {number[]} seats whose choice is in */
        this.ready = [];
        /** When the clock runs out; 0: there is none. */
        this.deadline = 0;
        /** @type {Memory} */
        this.memory = read('tables', /** @type {Record<string, Memory>} */ ({}))[code] ?? { used: 0, version: 0, turns: -1, made: [], confirmed: false, sent: [],
            held: null };
        this.held = this.memory.held;
        /** Sent and not yet acknowledged, by id. @type {Map<string, Message>} */
        this.sent = new Map(this.memory.sent);
        /** When each person was last connected, by this device's clock; 0: is. @type {number[]} */
        this.goneSince = [];
        /** The same for the host. */
        this.hostGoneSince = 0;
        this.tries = 0;
        this.lostAt = 0;
        this.stopped = false;
        /** The seat is played in a newer window. */
        this.elsewhere = false;
        this.slow = false;
        this.restarting = false;
        /** Before the first news after a connection. */
        this.comingBack = true;
        /** A bot plays because this person said so. */
        this.hasLeft = false;
        this.shuffle = '';
        /** @type {WebSocket | null} */
        this.socket = null;
        /** @type {(problem: string) => void} */
        this.problem = (code) => toast(serverWords(code));
        /** The table as a whole has changed. @type {() => void} */
        this.tableChanged = () => {};
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        addEventListener('online', () => this.connect(), { signal });
        addEventListener('offline', () => this.drop(), { signal });
        document.addEventListener('visibilitychange', () => { if (!document.hidden && this.lostAt) this.connect(); }, { signal });
        this.minutes = setInterval(() => { if (this.goneSince.some(Boolean)) this.tell(); }, 20000);
    }

    /** Writes down what another visit would need. */
    remember() {
        const { core, me } = this;
        if (this.elsewhere)
            return;                          // the newer window does
        const inPhase = me >= 0 && core.view(-1) !== null;
        this.memory = { ...this.memory, used: Date.now(), version: this.version, turns: this.lines.filter((l) => l.startsWith('reveal')).length,
            made: inPhase ? core.made(me).map((s) => String(s.step)) : [], confirmed: inPhase && core.isConfirmed(me), sent: [...this.sent], held: this.held };
        const all = Object.entries({ .../** @type {Record<string, Memory>} */ (read('tables', {})), [this.id]: this.memory });
        write('tables', Object.fromEntries(all.sort((a, b) => b[1].used - a[1].used).slice(0, MOST_TABLES)));
    }

    connect() {
        if (this.stopped || (this.socket && this.socket.readyState < 2))
            return;
        clearTimeout(this.retry);
        const url = new URL('api/socket', location.href);
        url.protocol = url.protocol.replace('http', 'ws');
        url.hash = '';
        const socket = new WebSocket(url, 'pyramids-1');
        this.socket = socket;
        socket.onmessage = ({ data }) => this.hear(JSON.parse(data));
        socket.onopen = () => {
            this.tries = 0;
            this.comingBack = true;
            this.elsewhere = false;
            this.takePlace();
        };
        socket.onclose = () => { if (this.socket === socket) this.lost(); };
    }

    /** Opens the table here: of several windows the one that did so last plays. */
    takePlace() { this.post({ type: 'open', table: this.id, have: this.version }); }

    /** The connection is of no use, even if nobody has closed it. */
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
        clearTimeout(this.doubt);
        this.slow = false;
        if (!this.lostAt) {
            this.lostAt = Date.now();
            this.patience = setTimeout(() => this.tell(), PATIENCE);
        }
        this.tries++;
        clearTimeout(this.retry);
        this.retry = setTimeout(() => this.connect(), Math.min(8000, 300 * 2 ** Math.min(this.tries, 6)) * (.75 + Math.random() / 2));
        this.tell();
        this.tableChanged();
    }

    /** Says above the table what is amiss, the most pressing first. */
    tell() {
        const seats = this.table?.seats ?? [], absent = this.maySubstitute() ? seats.findIndex((s, i) => i !== this.me && this.minutesGone(i) > 0 && !s.away &&
            !this.isIn(i)) : -1;
        /** @type {{label: string, act: () => void}[]} */
        const actions = [];
        this.banner = null;
        if (this.lostAt) {
            if (Date.now() - this.lostAt >= PATIENCE) {
                actions.push({ label: _('Try again'), act: () => { this.drop(); this.connect(); } });
                if (this.me >= 0 && this.core.view(-1) && !this.core.isOver())
                    actions.push({ label: _('Continue against bots'), act: () => void this.playOn() });
            }
            this.banner = { icon: 'wifi', alert: true, text: this.hasMarks() ? _('Reconnecting, your marks are safe') : this.me >= 0 ? _('Reconnecting, your seat is kept') :
                _('Reconnecting…'), actions };
        } else if (this.restarting)
            this.banner = { icon: 'wifi', alert: true, text: this.hasMarks() ? _('The server is restarting. Your marks are safe.') :
                _('The server is restarting. This page will reconnect by itself.'), actions };
        else if (this.elsewhere)
            this.banner = { icon: 'device', text: _('You are playing this seat in another window.'), actions: [{ label: _('Play here'), act: () => this.takePlace() }] };
        else if (this.slow)
            this.banner = { icon: 'wifi', text: _('The connection is slow. Your choice is on its way.'), actions };
        else if (seats[this.me]?.away)
            this.banner = { icon: 'bot', text: _('A bot is playing for you'), actions: [{ label: _('Play myself'), act: () => {
                this.hasLeft = false;
                this.post({ type: 'return' });
            } }] };
        else if (absent >= 0)
            this.banner = { icon: 'wifi', text: ngettext('%{name} has been away for %{n} minute.', '%{name} has been away for %{n} minutes.',
                this.minutesGone(absent), { name: this.seats[absent].name }), actions: [{ label: _('Let a bot play'), act: () =>
                this.post({ type: 'standin', seat: absent + 1 }) }] };
        this.changed();
    }

    /** Whether this player may let a bot play for someone who is away: the host, and when the host has been away for a while, every player. */
    maySubstitute() {
        return this.table?.host || (this.me >= 0 && this.hostGoneSince > 0 && Date.now() - this.hostGoneSince >= HOST_GONE);
    }

    /** Whether there is something that could be lost: not for onlookers, nor while a table waits or cards are dealt. */
    hasMarks() { return this.me >= 0 && (this.core.view(-1)?.phase ?? 'keep') !== 'keep'; }

    /** The game so far on this device, with bots in the other seats. */
    async playOn() {
        const value = await dialog(_('Continue against bots'), `<p>${
            _('You continue with a copy of this game: bots take the other seats, and cards you could not see are reshuffled. The table itself waits for you on the server.')
            }</p><p class="dlgf"><button class="btn" value="">${
            _('Cancel')}</button> <button class="btn pri" value="go">${_('Continue playing')}</button></p>`);
        if (value !== 'go' || !this.lostAt || !this.table)
            return;
        const { core, me } = this, seats = this.seats.map((s, i) => i === me ? s : { ...s, level: s.level || settings.level });
        const whole = dealAnew(this.lines, (below) => crypto.getRandomValues(new Uint32Array(1))[0] % below), at = whole.findIndex((l) => l.startsWith('deal'));
        whole.splice(at, 0, ...seats.flatMap((s, i) => s.level && !whole.some((l) => l.startsWith(`tag bot ${i + 1} `)) ? [`tag bot ${i + 1} ${s.level}`] : []));
        write('game', { id: `${Date.now()}`, record: whole.map((l) => l + '\n').join(''), edition: core.edition.name === 'classic' ? '' : core.edition.text, seats,
            me, pending: [{ seat: me, made: core.made(me).map((s) => String(s.step)), confirmed: core.isConfirmed(me) }], held: this.held && { ...this.held, at: this.held.at.replace(/^\d+/,
            String(whole.length)) }, copy: this.id });
        this.remember();
        this.app.go('play');
    }

    /** @param {object} message */
    post(message) {
        if (this.socket?.readyState === 1)
            this.socket.send(JSON.stringify(message));
    }

    /** Sends until it is acknowledged. @param {Message} message */
    sendOnce(message) {
        const id = randomHex(16);
        this.sent.set(id, { ...message, id });
        this.post({ ...message, id });
        this.awaitAnswer();
        this.remember();
    }

    /** An answer that is late is told; if it stays away, so does the connection. */
    awaitAnswer() {
        clearTimeout(this.doubt);
        const was = this.slow;
        this.slow = false;
        if (this.sent.size && this.socket?.readyState === 1)
            this.doubt = setTimeout(() => {
                this.slow = true;
                this.tell();
                this.doubt = setTimeout(() => this.drop(), DEAD);
            }, SLOW);
        if (was)
            this.tell();
    }

    /** An answer has come. @param {string} id */
    answered(id) {
        const was = this.sent.get(id);
        this.sent.delete(id);
        if (was) {
            this.awaitAnswer();
            this.remember();
        }
        return was;
    }

    isUnsent() { return this.lostAt > 0 && this.sent.size > 0; }

    /** @param {import('./game.js').Held} held */
    hold(held) {
        const changed = super.hold(held);
        if (changed && !this.stopped && this.me >= 0)
            this.remember();
        return changed;
    }

    touched() { this.remember(); }

    /** @param {any} message */
    hear(message) {
        switch (message.type) {
        case 'table': this.hearTable(message); break;
        case 'lines': this.hearLines(message); break;
        case 'ready': this.hearReady(message); break;
        case 'done': this.answered(message.id); this.changed(); break;
        case 'error': this.hearError(message); break;
        case 'elsewhere':
            this.elsewhere = message.elsewhere;
            this.tell();
            break;
        case 'again':
            this.restarting = true;
            this.tell();
            break;
        }
    }

    /** @param {Table} table */
    hearTable(table) {
        const before = this.table, mine = table.seats[table.you - 1], back = this.comingBack;
        this.table = table;
        this.me = table.you - 1;
        this.seats = table.seats.map((s, i) => ({ name: s.kind === 'bot' ? playerName(s.name || s.level || 'club') : s.name ||
            _('Seat %{n}', { n: i + 1 }), level: s.kind === 'bot' ? s.level ?? 'club' : '' }));
        this.goneSince = table.seats.map((s) => s.kind === 'person' && !s.here ? Date.now() - (s.gone ?? 0) : 0);
        this.hostGoneSince = table.host_gone === undefined ? 0 : Date.now() - table.host_gone;
        this.hints = !(table.public && table.seats.filter((s) => s.kind === 'person').length > 1);
        clearTimeout(this.patience);
        this.lostAt = 0;
        this.restarting = false;
        if (back) {
            this.comingBack = false;
            this.catchingUp = true;
            for (const message of this.sent.values())
                this.post(message);
            this.awaitAnswer();
            // Who comes back plays again, unless the bot was their own wish.
            if (mine?.away && !this.hasLeft && table.state === 'running' && !document.hidden) {
                this.post({ type: 'return' });
                this.returned = true;
            }
        }
        if (table.edition !== this.core.edition.name)
            void this.getEdition(table.edition);
        else if (before && before.you !== table.you)
            this.reload();
        if (table.rematch && before && before.rematch !== table.rematch && table.you)
            this.offerRematch(table.rematch);
        this.tableChanged();
        this.tell();
    }

    /** Cards that this page does not know. @param {string} name */
    async getEdition(name) {
        const text = await api('GET', `editions/${encodeURIComponent(name)}`).catch(() => '');
        if (!text || this.core.readEdition(text))
            this.problem('no_edition');
        else
            this.reload();
    }

    /** @param {string} code */
    offerRematch(code) { toast(_('A rematch is ready: press Rematch to join, code %{code}.', { code }), 8000); }

    /** @param {{from: number, to: number, left: number, lines: string[]}} message */
    hearLines({ from, to, left, lines }) {
        if (from > this.version) {
            this.version = 0;
            this.lines = [];
            this.post({ type: 'open', table: this.id, have: 0 });
            return;
        }
        if (to <= this.version && this.lines.length) {
            this.greet(0);
            return;                          // nothing new: what is being chosen stays
        }
        const known = this.memory.turns;
        this.lines.push(...lines);
        this.version = to;
        this.ready = [];
        this.deadline = left < 0 ? 0 : Date.now() + left;
        this.reload();
        if (to < (this.table?.version ?? 0))
            return;
        this.greet(known < 0 ? 0 : this.lines.filter((l) => l.startsWith('reveal')).length - known);
        this.remember();
    }

    /** Says what has happened to who comes back. @param {number} missed turns */
    greet(missed) {
        if (this.returned)
            toast(_('Welcome back. A bot played for you; now it is your game again.'));
        else if (this.catchingUp && missed > 0 && this.me >= 0 && !this.core.isOver())
            toast(ngettext('Welcome back, %{n} turn was played.', 'Welcome back, %{n} turns were played.', missed));
        this.catchingUp = this.returned = false;
    }

    /** What was being chosen when the page was closed, if that position is still there. */
    recall() {
        const { core, me, memory } = this, view = core.view(-1);
        if (this.recalled || me < 0 || !view)
            return;
        this.recalled = true;
        if (memory.version !== this.version || view.phase === 'replace')
            return;
        for (const step of memory.made)
            core.step(me, BigInt(step));
        if (memory.confirmed)
            core.confirm(me);
    }

    /** The match anew from the lines; what was being chosen is kept if it still can be. */
    reload() {
        const text = this.lines.map((l) => l + '\n').join('');
        const over = this.lines.some((l) => l.startsWith('winner'));
        if (over) {
            void this.finish();
            return;
        }
        if (text && this.core.edition.name === this.table?.edition && this.core.load(text, this.me < 0 ? ONLOOKER : this.me))
            this.problem('bad_lines');
        this.recall();
        this.changed();
        this.tableChanged();
    }

    /** The game is over: now all of it may be seen. */
    async finish() {
        try {
            const record = await api('GET', `tables/${this.id}/record`);
            if (!this.core.load(record, NOBODY))
                keepGame({ id: this.id, date: Date.now(), record, me: this.me, edition: this.core.edition.name === 'classic' ? '' :
                    this.core.edition.text });
            this.checkShuffle(record);
        } catch {
            this.core.load(this.lines.map((l) => l + '\n').join(''), this.me < 0 ? ONLOOKER : this.me);
        }
        this.tableChanged();
        this.changed();
    }

    /** @param {{phase: number, ready: number[], left: number, mine: string | null}} message */
    hearReady({ phase, ready, left, mine }) {
        if (phase !== this.version)
            return;
        this.ready = ready.map((s) => s - 1);
        this.deadline = left < 0 ? 0 : Date.now() + left;
        const replacing = this.core.view(-1)?.phase === 'replace';
        if (mine && !replacing && this.me >= 0 && !this.core.isConfirmed(this.me)) {
            if (!this.core.choose(this.me, mine))
                this.core.confirm(this.me);
        } else if (!mine && this.core.isConfirmed(this.me) && !this.sent.size) {
            this.core.retract(this.me);
        }
        this.tell();
    }

    /** @param {{id?: string, code: string, reason?: string, rule?: string}} message */
    hearError({ id, code, reason: why }) {
        const was = id ? this.answered(id) : undefined;
        if (was?.type === 'choose' && code !== 'late' && code !== 'confirmed')
            this.core.retract(this.me);
        if (code === 'late' || code === 'no_choice' || code === 'confirmed')
            return;
        if (code === 'illegal' && why)
            this.refused(codeOf(why));
        else
            this.problem(code);
        this.remember();
        this.changed();
    }

    /** @param {number} seat @returns {Status} */
    status(seat) {
        if (this.table?.seats[seat]?.away)
            return 'away';
        const status = super.status(seat);
        return this.goneSince[seat] && (status === 'thinking' || status === 'choosing') ? 'gone' : status;
    }

    /** @param {number} seat */
    minutesGone(seat) { return this.goneSince[seat] ? (Date.now() - this.goneSince[seat]) / 60000 | 0 : 0; }

    /** @param {number} seat */
    isIn(seat) { return this.ready.includes(seat) || !this.core.isWaiting(seat); }

    confirm() {
        const choice = this.core.choice(this.me);
        if (this.core.confirm(this.me) !== 0)
            return;
        this.sendOnce({ type: 'choose', phase: this.version, choice });
        this.changed();
    }

    retract() {
        if (this.core.retract(this.me) !== 0)
            return;
        // What may not have arrived yet must not do so later, when it could be the last that the table waits for.
        for (const [id, { type, phase }] of this.sent)
            if (type === 'choose' && phase === this.version)
                this.sent.delete(id);
        this.sendOnce({ type: 'retract', phase: this.version });
        this.changed();
    }

    /** @param {number} card */
    take(card) {
        if (![...this.sent.values()].some((m) => m.type === 'choose' && m.phase === this.version))     // it cannot be taken back, so it is sent once
            this.sendOnce({ type: 'choose', phase: this.version, choice: card ? `take ${card}` : 'draw' });
        this.changed();
    }

    /** @param {number} [seat] @param {string} [key] */
    async sit(seat, key) {
        // Nobody sits without a name, but a friend has the one that was kept for them.
        await visit(key ? '' : _('Player')).catch(() => {});
        // Drawn once for this table and sent again as it is, whatever the server answers: it knows the deal that follows, and by refusing could otherwise
        // wait for one that it likes. Kept beside what the server had promised before it knew the number: the check at the end stands on both.
        if (!this.memory.number)
            this.memory = { ...this.memory, number: randomHex(64), commitment: this.table?.commitment };
        this.remember();
        this.post({ type: 'sit', number: this.memory.number, ...(seat ? { seat } : {}), ...(key ? { key } : {}) });
    }

    /** Holds the finished game against the promise. @param {string} record */
    checkShuffle(record) {
        const { code, line, compared } = this.core.verify(record), { number, commitment } = this.memory, has = /** @param {string} tag */ (tag) =>
            record.includes(`\ntag ${tag}\n`);
        const NO_COMMITMENT = 2, seen = number && this.me >= 0 ? has(`commitment ${commitment}`) && has(`number ${this.me + 1} ${number}`) : null;
        if (code === NO_COMMITMENT)
            return;
        const good = code === 0 && seen !== false;
        const why = !good ? code ? _('Line %{line} of the record does not follow from the secret and the numbers.', { line }) :
            _('The fingerprint or your number in the record differs from the one this browser has seen.') : seen ?
            _('All %{n} deals, reveals and draws follow from the secret and the numbers, and yours is among them.', { n: compared }) :
            _('All %{n} deals, reveals and draws follow from the secret and the numbers.', { n: compared });
        this.shuffle = `<details class="shuffle"><summary class="${good ? 'good' : 'bad'}">${icon(good ? 'check' : 'info')}${good ?
            _('Checked: the cards follow from the numbers') : _('This shuffle cannot be trusted')}</summary><p>${esc(why)}</p>${this.shuffleWords()}</details>`;
    }

    shuffleHtml() { return this.shuffle; }

    shuffleWords() {
        const { number } = this.memory, { commitment } = this.table ?? {};
        return `<p>${
            _('The cards follow from a secret, whose fingerprint the server showed before the game, and a random number that each player’s device added after that. At the end the secret is shown, and your browser checks every card.')}</p><p>${
            _('Your device draws one number for this table and keeps it, so the server gains nothing by asking ' +
                'again. Only together with a player who sat down after you could it have chosen between deals.')}</p><p>${
            _('This page comes from the server that it checks. To check elsewhere, save the record and run %{command} on your own computer.', { command: '<code>pyramids verify game.pyr</code>' })}</p><dl class="hex"><dt>${
            _('Fingerprint of the secret')}</dt><dd>${esc(commitment ?? '')}</dd>${number ? `<dt>${_('Your number')}</dt><dd>${esc(number)}</dd>` : ''}</dl>`;
    }

    /** What the table's menu offers beyond the usual. @returns {[string, string, () => void][]} */
    menu() {
        /** @type {[string, string, () => void][]} */
        const items = [];
        const { table } = this;
        if (table && this.maySubstitute())
            table.seats.forEach((s, i) => {
                if (s.kind === 'person' && !s.here && !s.away && i !== this.me)
                    items.push(['bot', _('Let a bot play for %{name}', { name: s.name ?? '' }), () => this.post({ type: 'standin', seat: i + 1 })]);
            });
        if (this.me >= 0 && !table?.seats[this.me].away)
            items.push(['bot', _('Let a bot play for me'), () => {
                this.hasLeft = true;
                this.post({ type: 'leave' });
            }]);
        if (table?.commitment)
            items.push(['clover', _('The fair shuffle'), () => void dialog(_('The fair shuffle'), this.shuffleWords(), { close: _('Close') })]);
        return items;
    }

    /** @param {App} app */
    async rematch(app) {
        try {
            const { code } = (await api('POST', `tables/${this.id}/rematch`, {})).table;         // a new one only if there is none, or it was given up
            write('sit', code);
            app.go(`table/${code}`);
        } catch (error) {
            toast(serverWords(error instanceof ServerError ? error.code : 'no_server'));
        }
    }

    stop() {
        this.stopped = true;
        this.listeners.abort();
        clearInterval(this.minutes);
        for (const timer of [this.retry, this.patience, this.doubt])
            clearTimeout(timer);
        this.socket?.close();
    }
}

/** The link to a table, or to one of its seats. @param {string} code @param {number} [seat] @param {string} [key] */
export const tableLink = (code, seat, key) => `${location.origin}${location.pathname}#table/${code}${seat && key ? `/${seat}/${key}` : ''}`;
