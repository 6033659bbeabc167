/**
 * online.js: a game at a server (docs/protocol.md): who we are, one socket, record lines in and choices out. The lines that this seat may see are
 * loaded into a Core like any record, so the table does not know the difference. What was sent is sent again after a break, under the same id,
 * until the server says that it has it.
 */
import { _, ngettext } from './i18n.js';
import { toast } from './dom.js';
import { Game } from './game.js';
import { NOBODY, ONLOOKER } from './core.js';
import { REASONS, levelName, reason } from './words.js';
import { keepGame, settings, write } from './store.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./game.js').Status} Status */
/** @typedef {{kind: 'open' | 'friend' | 'person' | 'bot', name?: string, level?: string, here?: boolean, away?: boolean, ready?: boolean}} TableSeat */
/** @typedef {{code: string, state: 'waiting' | 'running' | 'over' | 'closed', edition: string, public: boolean, clock: string, you: number, host: boolean, version: number, round: number, turn: number,
 *  seats: TableSeat[], rematch?: string, points?: number[], winners?: number[], created: number}} Table */

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
    case 'no_server': return _('There is no game server behind this page, or it cannot be reached. Games against bots work all the same.');
    case 'no_table': return _('There is no table with this code.');
    case 'taken': return _('That seat is taken, or no seat is free. You can watch.');
    case 'begun': return _('The game has begun. You can watch.');
    case 'bad_key': return _('This seat is kept for a friend, and the link is not theirs.');
    case 'too_many': return _('There are too many tables or visitors just now. Please try later.');
    case 'too_fast': return _('That was too fast. Please wait a moment.');
    case 'storage': case 'stopping': return _('The server cannot take this now. Please try again.');
    case 'late': return _('The turn was over before your choice arrived.');
    case 'not_host': return _('Only the host of the table can do this.');
    case 'bad_name': return _('Please choose another name.');
    case 'here': return _('That player is connected.');
    case 'no_edition': return _('The server does not have this edition.');
    default: return _('The server says: %{code}', { code });
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

/** Makes us known to the server, under our present name. */
export async function visit() {
    await api('POST', 'visitor', settings.name ? { name: settings.name } : {});
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
        /** Sent and not yet acknowledged. @type {Map<string, {type: string, [field: string]: unknown}>} */
        this.sent = new Map();
        this.tries = 0;
        this.lostAt = 0;
        this.stopped = false;
        this.gone = '';
        /** @type {WebSocket | null} */
        this.socket = null;
        /** @type {(problem: string) => void} */
        this.problem = (code) => toast(serverWords(code));
        /** The table as a whole has changed. @type {() => void} */
        this.tableChanged = () => {};
        this.listeners = new AbortController();
        addEventListener('online', () => this.connect(), { signal: this.listeners.signal });
        document.addEventListener('visibilitychange', () => { if (!document.hidden && this.lostAt) this.connect(); },
            { signal: this.listeners.signal });
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
            this.post({ type: 'open', table: this.id, have: this.version });
        };
        socket.onclose = () => { if (this.socket === socket) this.lost(); };
    }

    lost() {
        if (this.stopped)
            return;
        this.lostAt ||= Date.now();
        this.tries++;
        const long = Date.now() - this.lostAt > 30000;
        this.banner = { text: _('Reconnecting, your marks are safe'), actions: long ? [{ label: _('Try again'), act: () => this.connect() },
            { label: _('Home'), act: () => this.app.home() }] : [] };
        this.retry = setTimeout(() => this.connect(), Math.min(8000, 300 * 2 ** Math.min(this.tries, 6)) * (.75 + Math.random() / 2));
        this.changed();
        this.tableChanged();
    }

    /** @param {object} message */
    post(message) {
        if (this.socket?.readyState === 1)
            this.socket.send(JSON.stringify(message));
    }

    /** Sends until it is acknowledged. @param {{type: string, [field: string]: unknown}} message */
    sendOnce(message) {
        const id = randomHex(16);
        this.sent.set(id, { ...message, id });
        this.post({ ...message, id });
        return id;
    }

    /** @param {any} message */
    hear(message) {
        switch (message.type) {
        case 'table': this.hearTable(message); break;
        case 'lines': this.hearLines(message); break;
        case 'ready': this.hearReady(message); break;
        case 'done': this.sent.delete(message.id); break;
        case 'error': this.hearError(message); break;
        case 'again':
            this.banner = { text: _('The server restarts. Your marks are safe.'), actions: [] };
            this.changed();
            break;
        }
    }

    /** @param {Table} table */
    hearTable(table) {
        const wasLost = this.lostAt > 0, before = this.table;
        this.table = table;
        this.me = table.you - 1;
        this.seats = table.seats.map((s, i) => ({ name: s.kind === 'bot' ? _('%{level} bot', { level: levelName(s.level ?? '') }) : s.name ||
            _('Seat %{n}', { n: i + 1 }), level: s.kind === 'bot' ? s.level ?? 'club' : '' }));
        this.hints = !(table.public && table.seats.filter((s) => s.kind === 'person').length > 1);
        this.lostAt = 0;
        const mine = table.seats[this.me];
        this.banner = mine?.away ? { text: _('A bot plays for you'), actions: [{ label: _('Play myself'), act: () =>
            this.post({ type: 'return' }) }] } : null;
        if (wasLost) {
            for (const message of this.sent.values())
                this.post(message);
        }
        if (table.edition !== this.core.edition.name)
            void this.getEdition(table.edition);
        else if (before && before.you !== table.you)
            this.reload();
        if (table.rematch && !before?.rematch && before)
            this.offerRematch(table.rematch);
        this.tableChanged();
        this.changed();
    }

    /** Cards that this page does not know. @param {string} name */
    async getEdition(name) {
        const text = await api('GET', `editions/${name}`).catch(() => '');
        if (!text || this.core.readEdition(text))
            this.problem('no_edition');
        else
            this.reload();
    }

    /** @param {string} code */
    offerRematch(code) { toast(_('A rematch was made: press Rematch to join, code %{code}.', { code }), 8000); }

    /** @param {{from: number, to: number, lines: string[]}} message */
    hearLines({ from, to, lines }) {
        if (from > this.version) {
            this.version = 0;
            this.lines = [];
            this.post({ type: 'open', table: this.id, have: 0 });
            return;
        }
        if (to <= this.version && lines.length)
            return;
        const behind = this.version > 0 ? lines.filter((l) => l.startsWith('reveal')).length : 0;
        this.lines.push(...lines);
        this.version = to;
        this.ready = [];
        this.deadline = 0;
        if (behind > 1)
            toast(ngettext('Welcome back, %{n} turn was played.', 'Welcome back, %{n} turns were played.', behind));
        this.reload();
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
        this.changed();
    }

    /** @param {{id?: string, code: string, reason?: string, rule?: string}} message */
    hearError({ id, code, reason: why }) {
        const was = id ? this.sent.get(id) : undefined;
        if (id)
            this.sent.delete(id);
        if (was?.type === 'choose' && code !== 'late' && code !== 'confirmed')
            this.core.retract(this.me);
        if (code === 'late' || code === 'no_choice' || code === 'confirmed')
            return;
        if (code === 'illegal' && why)
            toast(reason(REASONS[why] ?? 0).text);
        else
            this.problem(code);
        this.changed();
    }

    /** @param {number} seat @returns {Status} */
    status(seat) {
        if (this.table?.seats[seat]?.away)
            return 'away';
        return super.status(seat);
    }

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
        this.sendOnce({ type: 'retract', phase: this.version });
        this.changed();
    }

    /** @param {number} card */
    take(card) { this.sendOnce({ type: 'choose', phase: this.version, choice: card ? `take ${card}` : 'draw' }); }

    /** @param {number} [seat] @param {string} [key] */
    sit(seat, key) { this.post({ type: 'sit', number: randomHex(64), ...(seat ? { seat } : {}), ...(key ? { key } : {}) }); }

    /** What the table's menu offers beyond the usual. @returns {[string, string, () => void][]} */
    menu() {
        /** @type {[string, string, () => void][]} */
        const items = [];
        const { table } = this;
        if (table?.host)
            table.seats.forEach((s, i) => {
                if (s.kind === 'person' && !s.here && !s.away && i !== this.me)
                    items.push(['bot', _('Let a bot play for %{name}', { name: s.name ?? '' }), () => this.post({ type: 'standin', seat: i + 1 })]);
            });
        if (this.me >= 0 && !table?.seats[this.me].away)
            items.push(['bot', _('Let a bot play for me'), () => this.post({ type: 'leave' })]);
        return items;
    }

    /** @param {App} app */
    async rematch(app) {
        try {
            const code = this.table?.rematch ?? (await api('POST', `tables/${this.id}/rematch`, {})).table.code;
            write('sit', code);
            app.go(`table/${code}`);
        } catch (error) {
            toast(serverWords(error instanceof ServerError ? error.code : 'no_server'));
        }
    }

    stop() {
        this.stopped = true;
        this.listeners.abort();
        clearTimeout(this.retry);
        this.socket?.close();
    }
}

/** The link to a table, or to one of its seats. @param {string} code @param {number} [seat] @param {string} [key] */
export const tableLink = (code, seat, key) => `${location.origin}${location.pathname}#table/${code}${seat && key ? `/${seat}/${key}` : ''}`;
