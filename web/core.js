/**
 * core.js: the rules, as the page sees them. A Core is one instance of the WebAssembly module (src/wasm) with an edition
 * and at most one match; it decides everything that is legal, scored or hidden. Nothing here draws or depends on the
 * page, so it runs in a window, in a worker and under node.
 *
 * A space is a number from 0 (a1) to 24 (e5), row by row. A card is its number, 1 to 48; 0 is none. A seat counts from 0.
 */

import {
    CHANCE, DECISION, DESK, ERR, EVENT, FLAG, GAME, KIND, LENGTH, LUCK, OPTION, OUTLOOK, PHASE, POINTS, SCORE, SEAT, STEP,
    SUM, TILE, VIEW, WIN, WISH, WORTH,
} from './codes.js';

/** @typedef {{name: string, copies: number, rows: string[], size: number}} Pattern */
/** @typedef {{number: number, colour: Colour, cells: string}} Card cells: 25 characters as in an edition */
/** @typedef {'green' | 'orange' | 'purple'} Colour */
/** @typedef {{name: string, title: string, skulls: number[], patterns: Pattern[], cards: Card[], text: string}} Edition */
/** @typedef {{code: number, line: number, column: number, numbers: number[], word: string, expected: string}} Fault */
/** @typedef {{card: number, marks: number[], tomb: boolean}} Slot */
/**
 * @typedef {object} Desk a player's two cards and score card
 * @property {Slot[]} slots
 * @property {number[]} done completed cards, lowest first
 * @property {number} skulls
 * @property {number} rubies
 * @property {number} emeralds
 * @property {boolean[]} torches by round
 * @property {boolean} first the mark due is the first of the turn
 * @property {number} due
 */
/** @typedef {{total: number, pyramids: number, torches: number, points: number, gems: number, skulls: number}} Score */
/** @typedef {'keep' | 'show' | 'reveal' | 'mark' | 'replace' | 'end'} Phase */
/**
 * @typedef {object} View what a seat may know
 * @property {number} seats
 * @property {Phase} phase
 * @property {number} round from 0
 * @property {number} turn from 0
 * @property {boolean[]} waiting
 * @property {number} deckLeft
 * @property {number[]} display four places, 0 is empty
 * @property {number[]} revealed patterns of this round so far
 * @property {number[][]} tiles by colour, who has the 10, 6, 3; -1 nobody
 * @property {number[][]} fresh by seat, the cards completed in this turn
 * @property {number[]} order who replaces, in order
 * @property {number} place whose turn it is in that order
 * @property {number} owed cards that seat may still take
 * @property {Desk[]} desks as the phase began; the view's own seat with its steps
 * @property {number[]} dealt
 * @property {number} seat -1: a spectator
 * @property {Score[]} scores
 */
/** @typedef {{kind: 'mark', slot: number, cells: number[], step: bigint}} Mark */
/** @typedef {{kind: 'pass' | 'keep' | 'take' | 'draw', cards: number[], step: bigint}} OtherStep */
/** @typedef {Mark | OtherStep} Step */
/** @typedef {{choice: string, points: number, win: number, pointsMargin: number, winMargin: number, usual: boolean, made:
 * boolean}} Option */
/** @typedef {{points: number[], win: number[]}} Outlook */
/** @typedef {{line: number, seat: number, options: Option[], lost: number, winLost: number, mark: string, gained: number,
 * mildest: string, worst: string, sure: boolean, exact: boolean, margin: number, winMargin: number, playouts: number}}
 * Decision a mark that is not sure is between mildest and worst; losses are within their margins (luck.h) */
/**
 * @typedef {object} Judged a whole game, judged
 * @property {Decision[]} decisions
 * @property {{line: number, after: Outlook, luck: number[]}[]} chances
 * @property {{points: number, luck: number, luckMargin: number, skill: number, lost: number, rate: number, rateMargin:
 * number, level: string}[]} sums
 */

export { ERR, EVENT, WISH };
export const COLOURS = /** @type {Colour[]} */ (['green', 'orange', 'purple']);
export const TILES = Object.values(TILE);
export const NOBODY = SEAT.nobody, ONLOOKER = SEAT.onlooker;
/** 0 to n - 1. @param {number} n */
const upTo = (n) => [...Array(n).keys()];
const SEATS = upTo(GAME.seats), ROUNDS = upTo(GAME.rounds), SLOTS = upTo(GAME.slots), CARDS = upTo(GAME.cards);
const SPACES = upTo(GAME.spaces);
const PHASES = /** @type {Phase[]} */ (Object.keys(PHASE));
const KINDS = /** @type {(keyof typeof KIND)[]} */ (Object.keys(KIND));
const SHIFT = BigInt(STEP.half);             // the second card's spaces in a step
const SECOND = BigInt(STEP.second);
const OTHER = 1n << BigInt(STEP.other);
const ONE_CARD = BigInt(STEP.card), ALL_SPACES = BigInt(STEP.spaces);

/** A step other than a mark (pyr_step_encode). @param {keyof typeof KIND} kind */
const other = (kind, first = 0, second = 0) =>
    OTHER | BigInt(KIND[kind]) << BigInt(STEP.kind) | BigInt(first) | BigInt(second) << SECOND;
export const PASS = other('pass');
export const DRAW = other('draw');

/** The marks of the analysis, and the least that such a choice costs: points, or chance to win. The worst first. */
export const MARKS = /** @type {[string, number, number][]} */ ([['??', POINTS.blunder / 100, WIN.blunder / 1e4],
    ['?', POINTS.mistake / 100, WIN.mistake / 1e4], ['?!', POINTS.dubious / 100, WIN.dubious / 1e4]]);
const SIGNS = ['', ...MARKS.map(([sign]) => sign).reverse()];    // by enum pyr_luck_mark

/** The name of a space. @param {number} i */
export const spaceName = (i) => 'abcde'[i % 5] + (1 + (i / 5 | 0));
/** @param {string} text such as a1b1a2 */
export const spacesOf = (text) => (text.match(/[a-e][1-5]/g) ?? []).map((s) => s.charCodeAt(0) - 97 + 5 * (Number(
    s[1]) - 1));

/** A card and a seat from a byte; 0 and -1 for none. @param {number} byte */
const cardOf = (byte) => byte === NOBODY ? 0 : byte + 1;
/** @param {number} byte */
const seatOf = (byte) => byte === NOBODY ? -1 : byte;

/** The bit of a space in a set of spaces. @param {number} i */
const bitOf = (i) => (i / 5 | 0) * STEP.row + i % 5;

/** Spaces from bits. @param {number} low 32 bits */
export function spacesFrom(low) {
    return SPACES.filter((i) => low >>> bitOf(i) & 1);
}

/** The step that marks these spaces. @param {number} slot @param {number[]} cells */
export function markStep(slot, cells) {
    let bits = 0n;
    for (const i of cells)
        bits |= 1n << BigInt(bitOf(i));
    return slot ? bits << SHIFT : bits;
}

/** @param {bigint} step @returns {Step} */
function stepFrom(step) {
    if (!(step & OTHER)) {
        const slot = step >> SHIFT ? 1 : 0;
        return { kind: 'mark', slot, cells: spacesFrom(Number((slot ? step >> SHIFT : step) & ALL_SPACES)), step };
    }
    const kind = KINDS[Number(step >> BigInt(STEP.kind)) % KINDS.length];
    const cards = [Number(step & ONE_CARD) + 1, Number(step >> SECOND & ONE_CARD) + 1];
    return { kind, cards: kind === 'keep' ? cards : kind === 'take' ? [cards[0]] : [], step };
}

/** @param {number} card */
export const takeStep = (card) => other('take', card - 1);
/** @param {number} a @param {number} b */
export const keepStep = (a, b) => other('keep', Math.min(a, b) - 1, Math.max(a, b) - 1);

/** Reads the output of edition_write, which has a regular form. @param {string} text @returns {Edition} */
function parseEdition(text) {
    const edition = /** @type {Edition} */ ({ name: '', title: '', skulls: [], patterns: [], cards: [], text });
    const lines = text.split('\n');
    for (let i = 0; i < lines.length; i++) {
        const [word, a, b] = lines[i].split(' ');
        if (word === 'name')
            edition.name = a;
        else if (word === 'title')
            edition.title = lines[i].slice(6);
        else if (word === 'skulls')
            edition.skulls = lines[i].split(' ').slice(1).map(Number);
        else if (word === 'pattern') {
            const rows = [];
            while (lines[i + 1])
                rows.push(lines[++i]);
            edition.patterns.push({ name: a, copies: Number(b), rows, size: rows.join('').replaceAll('.', '').length });
        } else if (word === 'card')
            edition.cards[Number(a)] = { number: Number(a), colour: /** @type {Colour} */ (b), cells: lines.slice(i + 1,
                i += 6).join('') };
    }
    return edition;
}

/** Turns what a seat has seen into a whole record for continuing: the deals that it did not see are drawn again from the
 * cards that may have been in them. The numbers of a fair shuffle are left out, since later cards no longer follow from
 * them.
 * @param {string[]} lines @param {(below: number) => number} random */
export function dealAnew(lines, random) {
    const numbers = /** @param {string} line */ (line) => line.split(' ').slice(1).map(Number);
    const told = lines.filter((l) => l.startsWith('deal ')).map(numbers), kept = lines.filter((l) => l.startsWith(
        'keep ')).map(numbers);
    const known = new Set([...told, ...kept].flatMap(([, ...cards]) => cards)), pool = CARDS.map((i) => i +
        1).filter((n) => !known.has(n));
    const deals = lines.filter((l) => l.startsWith('player ')).map((_l, s) => {
        const [, ...cards] = told.find(([seat]) => seat === s + 1) ?? kept.find(([seat]) => seat === s + 1) ?? [0];
        while (cards.length < 4)
            cards.push(...pool.splice(random(pool.length), 1));
        return `deal ${s + 1} ${cards.join(' ')}`;
    });
    const rest = lines.filter((l) => !/^(deal|tag (commitment|number)) /.test(l)), at = rest.findIndex((l) =>
        /^(keep|show) /.test(l));
    return [...rest.slice(0, at < 0 ? rest.length : at), ...deals, ...at < 0 ? [] : rest.slice(at)];
}

/** Thrown when only a bug in this program can have caused the module's error code. */
class CoreError extends Error {
    /** @param {Fault} fault */
    constructor(fault) {
        super(`error ${fault.code} at line ${fault.line}: ${fault.word} (${fault.expected})`);
        this.fault = fault;
    }
}

export class Core {
    /** @param {WebAssembly.Module} module */
    constructor(module) {
        this.module = module;
        /** @type {any} */
        this.x = new WebAssembly.Instance(module).exports;
        /** @type {Edition} */
        this.edition = parseEdition('');
        /** A cache, since the log is drawn often. @type {Map<string, number[][]>} */
        this.stories = new Map();
    }

    /** A second, independent one with the same edition. */
    fork() {
        const other = new Core(this.module);
        if (this.edition.text)
            other.readEdition(this.edition.text);
        return other;
    }

    bytes() {
        return new Uint8Array(this.x.memory.buffer);     // created each time: memory may have grown
    }

    /** @param {number} at */
    data(at) {
        return new DataView(this.x.memory.buffer, at);
    }

    /** @param {number} at */
    text(at) {
        const from = this.bytes().subarray(at);
        return new TextDecoder().decode(from.subarray(0, from.indexOf(0)));
    }

    /** The edition as sheets to print, as SVG. @param {{paper: number, parts: number, coloured: boolean}} how @param
     * {string[]} words in the order of enum pyr_paper_word */
    sheets({ paper, parts, coloured }, words) {
        return Array.from({ length: this.x.sheets(parts) }, (_none, i) => {
            this.put(words.map((word) => `${word}\n`).join(''));
            this.x.sheet(i, paper, parts, coloured);
            return this.text(this.x.buffer());
        });
    }
    /** Pictures for sheets, from those of the page. @param {string} svg @param {boolean} coloured */
    sprite(svg, coloured) {
        this.x.sprite(this.put(svg), coloured);
        return this.text(this.x.buffer());
    }
    /** Puts a text into the buffer, terminated; its length. @param {string} text */
    put(text) {
        const data = new TextEncoder().encode(text).subarray(0, this.x.buffer_size() - 1);
        this.bytes().set(data, this.x.buffer());
        this.bytes()[this.x.buffer() + data.length] = 0;
        return data.length;
    }

    /** @param {number} code @returns {Fault} */
    fault(code) {
        return { code, line: this.x.fault_line(), column: this.x.fault_column(), numbers: [0, 1, 2].map((i) =>
            this.x.fault_number(i)),
            word: this.text(this.x.fault_word()), expected: this.text(this.x.fault_expected()) };
    }

    /** Null, or what is wrong; then the edition has not changed. @param {string} text @returns {Fault | null} */
    readEdition(text) {
        const code = this.x.edition_read(this.put(text));
        if (code)
            return this.fault(code);
        this.x.edition_write();
        this.edition = parseEdition(this.text(this.x.buffer()));
        this.stories.clear();
        return null;
    }

    /** @returns {string[]} */
    botNames() {
        const names = [];
        for (let at; (at = this.x.bot_name(names.length)); )
            names.push(this.text(at));
        return names;
    }

    /** @param {number} code of a call that a person cannot make fail */
    must(code) {
        if (code)
            throw new CoreError(this.fault(code));
    }

    /** @param {string[]} names @param {bigint} seed */
    start(names, seed) {
        this.put(names.join('\n') + '\n');
        this.must(this.x.match_start(names.length, seed));
    }

    /** Null, or what is wrong; then there is no match. @param {string} text @param {number} [viewer] @returns {Fault |
     * null} */
    load(text, viewer = NOBODY) {
        const code = this.x.match_load(this.put(text), viewer);
        return code ? this.fault(code) : null;
    }

    /** The JSON that a call has written; null if there is none. @param {number} length @returns {any} */
    told(length) { return length ? JSON.parse(this.text(this.x.buffer())) : null; }
    /** Opens a puzzle of a pack, or (number 0) a mistake of your own; null if that fails. @param {string} text
     * @param {number} number */
    openPuzzle(text, number) {
        const size = this.put(text), code = number ? this.x.puzzle_open(size, number) : this.x.mistake_open(size);
        return code ? null : this.told(this.x.puzzle_tell());
    }
    puzzleHint() { return this.told(this.x.puzzle_hint()); }
    /** @param {string} choice @param {number} day of the puzzle of the day; 0: it is another one */
    answerPuzzle(choice, day) {
        this.put(choice);
        return this.told(this.x.puzzle_answer(day));
    }
    /** The next puzzle of a pack; 0: none. @param {string} pack @param {number} themes bits */
    pickPuzzle(pack, themes) {
        return this.x.puzzle_pick(this.put(pack), themes, 0) || this.x.puzzle_pick(this.put(pack), themes, 1);
    }
    /** Reads the puzzler from its text. @param {string} text */
    readPuzzler(text) { this.x.puzzler_read(this.put(text)); }
    writePuzzler() { return this.x.puzzler_write() ? this.text(this.x.buffer()) : ''; }
    tellPuzzler() { return this.told(this.x.puzzler_tell()); }
    /** A decision as a puzzle of your own; '' if it is none. @param {Decision} d */
    writeMistake({ line, seat, playouts, options }) {
        this.put(options.slice(0, 8).map((o) => `${o.choice.replace('take ', '')}=${Math.round(100 * o.points)}/${
            Math.round(1e4 * o.win)}`).join(' '));
        const at = this.x.mistake_write(line, seat, playouts);
        return at ? this.text(at) : '';
    }
    /** Notes that a mistake was solved today; '' if it leaves the pile. @param {string} text @param {number} day */
    solveMistake(text, day) {
        const at = this.x.mistake_solve(this.put(text), day);
        return at ? this.text(at) : '';
    }

    /** @param {bigint} seed */
    shuffle(seed) { this.x.match_shuffle(seed); }
    seats() { return /** @type {number} */ (this.x.match_seats()); }
    isOver() { return this.x.match_is_over() !== 0; }
    /** @param {number} seat */
    isWaiting(seat) { return (this.x.match_waiting() >> seat & 1) !== 0; }
    log() { return this.text(this.x.match_log()); }
    /** @returns {string[]} */
    lines() { return this.log().split('\n').slice(0, -1); }

    /** Whether a seat (-1: a spectator) may see a line. @param {number} line @param {number} seat */
    isVisible(line, seat) { return this.x.match_line_is_visible(line, seat < 0 ? ONLOOKER : seat) !== 0; }

    /** The lines that a seat may see, as a text. @param {number} seat */
    visibleLog(seat) {
        return this.lines().filter((_, i) => this.isVisible(i, seat)).map((line) => line + '\n').join('');
    }

    /** @param {string} name @param {string} value */
    tag(name, value) {
        this.put(`${name}\n${value}`);
        return this.x.match_tag() === 0;
    }

    /** The sentences for a line of a record: kind, seat, spaces and other numbers of each (story.h).
     * @param {string} line @returns {number[][]} */
    story(line) {
        let story = this.stories.get(line);
        if (!story) {
            story = this.x.story(this.put(line)) ? this.text(this.x.buffer()).trim().split('\n').map((sentence) =>
                sentence.split(' ').map(Number)) : [];
            this.stories.set(line, story);
        }
        return story;
    }

    names() {
        return this.lines().filter((l) => l.startsWith('player ')).map((l) => l.slice(9));
    }

    // A game on a server (remote.h).

    /** Begins at a table that is not opened yet; false: the code is invalid.
     * @param {string} code @param {string} saved by an earlier visit; '': none */
    remoteBegin(code, saved) {
        this.put(code);
        const good = this.x.remote_begin() !== 0;
        this.x.remote_restore(this.put(saved));
        return good;
    }

    remoteSave() { return this.x.remote_save() ? this.text(this.x.buffer()) : ''; }
    /** The edition that was read last is the table's. */
    remoteSetEdition() { this.x.remote_set_edition(Date.now()); }
    /** The whole record of a finished game; false: it is none. @param {string} text */
    remoteSetRecord(text) { return this.x.remote_set_record(this.put(text)) === 0; }
    remoteConnected() { this.x.remote_connected(Date.now()); }
    remoteLost() { this.x.remote_lost(Date.now(), Math.random() * 2 ** 32); }
    /** @param {string} text */
    remoteReceive(text) { this.x.remote_receive(this.put(text), Date.now()); }
    /** @param {boolean} isLookedAt */
    remoteLook(isLookedAt) { this.x.remote_look(isLookedAt ? 1 : 0); }
    remoteOpenHere() { this.x.remote_open_here(); }

    /** The next message to send; '': none. */
    remoteNext() {
        const at = this.x.remote_next(Date.now());
        return at ? this.text(at) : '';
    }

    /** The next event; kind 0: none. */
    remoteEvent() {
        const kind = /** @type {number} */ (this.x.remote_event()), number = /** @type {number} */ (this.x.event_number());
        return { kind, number, code: this.text(this.x.event_code()), reason: this.text(this.x.event_reason()) };
    }

    /** What to do with the connection, and when to ask again; 0: after the next call. */
    remoteWish() {
        const wish = /** @type {number} */ (this.x.remote_wish(Date.now()));
        return { wish, at: /** @type {number} */ (this.x.remote_wake_at()) };
    }

    /** An action of the person; false: not possible now.
     * @param {'confirm' | 'retract' | 'take' | 'sit' | 'leave' | 'return' | 'fill' | 'standin' | 'close' | 'react'} what
     * @param {(number | bigint)[]} where a seat, the step of `take`, or the symbol of `react`
     * @param {string} text the level of `fill`, the key of `sit` */
    remoteDo(what, where, text) {
        this.put(text);
        this.bytes().set(crypto.getRandomValues(new Uint8Array(this.x.random_size())), this.x.random());
        return this.x[`remote_${what}`](...where, Date.now()) !== 0;
    }

    /** The state of the table and the connection. Times are those of Date.now; 0: no clock is running, or the
     * connection is not lost. */
    remoteState() {
        const has = /** @param {number} flag */ (flag) => (this.x.remote_flags() & flag) !== 0;
        const lostAt = /** @type {number} */ (this.x.remote_lost_at());
        const deadline = /** @type {number} */ (this.x.remote_deadline());
        return { lostAt, deadline, elsewhere: has(FLAG.elsewhere), restarting: has(FLAG.restarting), slow: has(FLAG.slow),
            unsent: has(FLAG.unsent), reacts: has(FLAG.reacts), notice: this.text(this.x.remote_notice()),
            restartAt: /** @type {number} */ (this.x.remote_restart_at()) };
    }

    /** Whether a seat has chosen. @param {number} seat */
    remoteIsReady(seat) { return (this.x.remote_ready() >> seat & 1) !== 0; }
    /** For how long a person has not been connected, in milliseconds. @param {number} seat @returns {number} */
    remoteGone(seat) { return this.x.remote_gone(seat, Date.now()); }
    /** Whether a seat's reactions are muted. @param {number} seat */
    remoteIsMuted(seat) { return (this.x.remote_muted() >> seat & 1) !== 0; }
    /** @param {number} seat @param {boolean} is */
    remoteMute(seat, is) { this.x.remote_mute(seat, is ? 1 : 0); }
    /** Our part in the shuffle, and the commitment that we were sent before. */
    remoteShuffle() {
        return { number: this.text(this.x.remote_number()), commitment: this.text(this.x.remote_commitment()) };
    }

    // A game on this device (local.h).

    /** Begins a game. @param {string[]} names @param {string[]} levels of bots; '': a person @param {bigint} seed */
    localBegin(names, levels, seed) {
        this.put([...names, ...levels].join('\n') + '\n');
        this.must(this.x.local_begin(names.length, seed));
    }

    /** Whether the engine can deal a day's expedition (daily.h). */
    canDealDays() { return 'local_daily' in this.x; }
    /** Begins a day's expedition. 0, or a code of err.h. @param {string[]} names of the three seats
     * @param {string} date @param {string} secret '': a practice deal @returns {number} */
    localDaily(names, date, secret) {
        this.put([...names, secret, date].join('\n') + '\n');
        return this.x.local_daily(secret ? 0 : 1);
    }

    /** Continues what localSave has returned. Null, or what is wrong.
     * @param {string} text @param {bigint} seed if it contains none @returns {Fault | null} */
    localLoad(text, seed) {
        const code = this.x.local_load(this.put(text), seed);
        return code ? this.fault(code) : null;
    }

    localSave() { return this.x.local_save() ? this.text(this.x.buffer()) : ''; }
    localConfirm() { return this.x.local_confirm() === 0; }
    localRetract() { return this.x.local_retract() === 0; }
    /** @param {bigint} step */
    localTake(step) { return this.x.local_take(step) === 0; }
    localUncover() { this.x.local_uncover(); }
    /** The bot that plays a seat; '': a person does. @param {number} seat */
    localLevel(seat) { return this.text(this.x.local_level(seat)); }

    /** Whose turn it is among the people who share the device, and whether they have to take the device first. */
    localPerson() {
        this.x.local_next_person();
        return { me: /** @type {number} */ (this.x.local_me()), covered: this.x.local_is_covered() !== 0 };
    }

    /** The bot that has to choose, the number of lines, and its random numbers; seat -1: none. */
    localDue() {
        const lines = /** @type {number} */ (this.x.match_lines());
        return { seat: seatOf(this.x.local_due()), lines, seed: String(this.x.local_due_seed()) };
    }

    /** A bot's choice; false if it is not due, or illegal.
     * @param {number} seat @param {number} lines @param {string} choice */
    localAnswer(seat, lines, choice) {
        this.put(choice);
        return this.x.local_answer(seat, lines) !== 0;
    }

    /** @param {number} at @returns {Desk} */
    desk(at) {
        const d = this.data(at), bytes = this.bytes();
        const halves = /** @param {number} o */ (o) => {
            const word = d.getBigUint64(o, true);
            return [Number(word & ALL_SPACES), Number(word >> SHIFT)];
        };
        const free = halves(DESK.free), flags = d.getUint8(DESK.flags), done = d.getBigUint64(DESK.done, true);
        const cards = CARDS.filter((i) => done >> BigInt(i) & 1n).map((i) => i + 1);
        const slots = SLOTS.map((slot) => {
            const card = cardOf(bytes[at + DESK.card + slot]);
            const open = new Set(spacesFrom(free[slot]));
            const marks = card ? SPACES.filter((i) => this.edition.cards[card].cells[i] !== '#' && !open.has(i)) : [];
            return { card, marks, tomb: (flags & DESK.tomb << slot) !== 0 };
        });
        const torches = ROUNDS.map((r) => (d.getUint8(DESK.torches) >> r & 1) !== 0);
        return { slots, done: cards, torches, skulls: d.getUint8(DESK.skulls), rubies: d.getUint8(DESK.rubies),
            emeralds: d.getUint8(DESK.emeralds), first: (flags & DESK.first) !== 0, due: d.getUint8(DESK.due) };
    }

    /** @param {number} at @returns {Score} */
    score(at) {
        const d = this.data(at), entries = Object.entries(SCORE).map(([name, place]) => [name, d.getInt16(place, true)]);
        return Object.fromEntries(entries);
    }

    /** @param {number} at @returns {View} */
    decodeView(at) {
        const byte = this.bytes().subarray(at, at + VIEW.size);
        /** A list of the table's, or the part of it that belongs to one of several. @param {keyof typeof LENGTH} name */
        const list = (name, of = 1, i = 0) => {
            const length = LENGTH[name] / of, from = VIEW[name] + length * i;
            return [...byte.subarray(from, from + length)];
        };
        const seats = byte[VIEW.seats], seat = seatOf(byte[VIEW.seat]);
        const phase = PHASES[byte[VIEW.phase]];
        const desks = [], scores = [];
        for (let s = 0; s < seats; s++) {
            desks.push(this.desk(at + (s === seat ? VIEW.mine : VIEW.desk + DESK.size * s)));
            scores.push(this.score(this.x.view_score(s, s === seat && phase === 'mark' ? 1 : 0)));
        }
        return {
            seats, phase, round: byte[VIEW.round], turn: byte[VIEW.turn], deckLeft: byte[VIEW.deck_left],
            waiting: SEATS.map((s) => (byte[VIEW.waiting] >> s & 1) !== 0),
            display: list('display').map(cardOf),
            revealed: list('revealed').filter((p) => p < GAME.patterns),
            tiles: COLOURS.map((_, c) => list('tile', COLOURS.length, c).map(seatOf)),
            fresh: SEATS.map((s) => list('completed', SEATS.length, s).map(cardOf).filter(Boolean)),
            order: list('replace_order').filter((s) => s < SEATS.length), place: byte[VIEW.replacing],
            owed: byte[VIEW.cards_owed],
            desks, dealt: list('dealt').map(cardOf).filter(Boolean), seat, scores,
        };
    }

    /** What a seat sees now; null while cards are being dealt. @param {number} seat @returns {View | null} */
    view(seat) {
        const at = this.x.match_view(seat < 0 ? NOBODY : seat);
        return at ? this.decodeView(at) : null;
    }

    /** The same after that many lines. @param {number} lines @param {number} seat @returns {View | null} */
    viewAt(lines, seat) {
        const at = this.x.match_view_at(lines, seat < 0 ? NOBODY : seat);
        return at ? this.decodeView(at) : null;
    }

    /** The winners in the last view. @returns {number[]} */
    winners() {
        const bits = this.x.view_winners();
        return SEATS.filter((s) => bits >> s & 1);
    }

    /** @param {number} seat @returns {Step[]} */
    steps(seat) { return this.listed(this.x.match_steps(seat)); }

    /** The first steps of the module's list. @param {number} count @returns {Step[]} */
    listed(count) { return [...new BigUint64Array(this.x.memory.buffer, this.x.step_list(), count)].map(stepFrom); }

    /** The steps of a seat. @param {number} seat @returns {Step[]} */
    made(seat) {
        return [...Array(this.x.match_made(seat)).keys()].map((i) => stepFrom(BigInt.asUintN(64, this.x.match_made_at(seat,
            i))));
    }

    /** @param {number} seat */
    isConfirmed(seat) { return this.x.match_is_confirmed(seat) !== 0; }
    /** @param {number} seat */
    isReady(seat) { return this.x.match_is_ready(seat) !== 0; }
    /** 0 or a code of err.h. @param {number} seat @param {bigint} step @returns {number} */
    judge(seat, step) { return this.x.match_judge(seat, step); }
    /** @param {number} seat @param {bigint} step @returns {number} */
    step(seat, step) { return this.x.match_step(seat, step); }
    /** @param {number} seat @returns {number} */
    undo(seat) { return this.x.match_undo(seat); }
    /** @param {number} seat @returns {number} */
    confirm(seat) { return this.x.match_confirm(seat); }
    /** @param {number} seat @returns {number} */
    retract(seat) { return this.x.match_retract(seat); }

    /** The seat's desk after a mark; null if it is illegal. The total counts tombs at once.
     * @param {number} seat @param {bigint} step @returns {{desk: Desk, score: Score, total: number} | null} */
    preview(seat, step) {
        if (this.x.match_preview(seat, step))
            return null;
        const desk = this.desk(this.x.preview_desk()), score = this.score(this.x.preview_score());
        return { desk, score, total: score.total + WORTH.pyramid * desk.slots.filter((s) => s.tomb).length };
    }

    /** Null, or what is wrong. @param {number} seat @param {string} text @returns {Fault | null} */
    choose(seat, text) {
        this.put(text);
        const code = this.x.match_choose(seat);
        return code ? this.fault(code) : null;
    }

    /** The seat's choice so far, as `choose` reads it. @param {number} seat */
    choice(seat) {
        return this.x.match_choice(seat) ? this.text(this.x.buffer()) : '';
    }

    /** @param {string} bot @param {number} seat @param {number} nodes @param {bigint} seed */
    botChoice(bot, seat, nodes, seed) {
        const length = this.x.bot_choice(this.botNames().indexOf(bot), seat, BigInt(nodes), seed);
        return length ? this.text(this.x.buffer()) : '';
    }

    /** @param {number} lines @param {number} seat @param {number} playouts @param {bigint} seed @param {string} [made]
     * @returns {Option[]} */
    options(lines, seat, playouts, seed, made = '') {
        this.put(made);
        if (!this.x.options(lines, seat, playouts, seed))
            return [];
        return this.text(this.x.buffer()).trimEnd().split('\n').map((line) => {
            const [choice, ...n] = line.split('\t');
            return { choice, points: Number(n[0]) / 100, win: Number(n[1]) / 1e4, pointsMargin: Number(n[2]) / 100,
                winMargin: Number(n[3]) / 1e4,
                usual: n[4] === '1', made: n[5] === '1' };
        });
    }

    /** Whether the cards of a finished game follow from the numbers in its record (src/fair): a code of fair.h, 0
     * means yes; the line at fault; the number of lines of chance compared. @param {string} record */
    verify(record) {
        const code = /** @type {number} */ (this.x.record_verify(this.put(record)));
        return { code, line: /** @type {number} */ (this.x.verify_line()), compared: /** @type {number} */ (
            this.x.verify_compared()) };
    }

    /** @param {number} at @returns {Outlook} */
    outlook(at) {
        const memory = this.x.memory.buffer;
        const four = /** @param {number} place */ (place) => [...new Float32Array(memory, at + place, SEATS.length)];
        return { points: four(OUTLOOK.points), win: four(OUTLOOK.win) };
    }

    /** An option of the decision judged last: the i-th best, or (beyond the last) the one made. @param {number} at @param
     * {number} i @returns {Option} */
    luckOption(at, i, made = false) {
        const d = this.data(at), float = /** @param {number} place */ (place) => d.getFloat32(place, true);
        const choice = this.x.luck_choice(i) ? this.text(this.x.buffer()) : '';
        return { choice, points: float(OPTION.points), win: float(OPTION.win), pointsMargin: float(OPTION.points_margin),
            winMargin: float(OPTION.win_margin), usual: d.getUint8(OPTION.usual) !== 0, made };
    }

    /** @returns {Decision} */
    luckDecision() {
        const at = this.x.luck_decision(), d = this.data(at), bests = d.getUint32(DECISION.bests, true);
        const made = this.luckOption(at + DECISION.made, bests, true), best = [];
        for (let i = 0; i < Math.min(bests, 3); i++)
            best.push(this.luckOption(at + DECISION.best + OPTION.size * i, i));
        const same = best.findIndex((o) => o.choice === made.choice);
        best[same < 0 ? best.length : same] = made;
        return { line: d.getUint32(DECISION.line, true), seat: d.getUint8(DECISION.seat), options: best,
            lost: d.getFloat32(DECISION.points_lost, true), winLost: d.getFloat32(DECISION.win_lost, true),
            mark: SIGNS[d.getUint32(DECISION.mark, true)], gained: d.getFloat32(DECISION.points_gained, true),
            mildest: SIGNS[d.getUint32(DECISION.mildest, true)], worst: SIGNS[d.getUint32(DECISION.worst, true)],
            sure: d.getUint32(DECISION.state, true) !== LUCK.unsure, exact: d.getUint32(DECISION.state, true) === LUCK.exact,
            margin: d.getFloat32(DECISION.points_margin, true), winMargin: d.getFloat32(DECISION.win_margin, true),
            playouts: d.getUint32(DECISION.playouts, true) };
    }

    /** Luck and skill of the whole game, as `pyramids analyze` has them for the same playouts and seed.
     * @param {number} playouts the cap: worlds per decision @param {bigint} seed
     * @param {(done: number, judged: Judged) => void} [progress] with the results so far; sums come at the end
     * @returns {Judged} */
    analyse(playouts, seed, progress) {
        const judged = /** @type {Judged} */ ({ decisions: [], chances: [], sums: [] }), lines = this.x.match_lines();
        for (let kind = this.x.luck_begin(playouts, seed) && this.x.luck_next(); kind; kind = this.x.luck_next()) {
            if (kind === LUCK.decision) {
                judged.decisions.push(this.luckDecision());
            } else {
                const at = this.x.luck_chance();
                judged.chances.push({ line: this.data(at).getUint32(CHANCE.line, true),
                    after: this.outlook(at + CHANCE.after),
                    luck: this.outlook(at + CHANCE.luck).points });
            }
            const { line } = (kind === LUCK.decision ? judged.decisions : judged.chances).at(-1) ?? { line: 0 };
            progress?.(line / lines, judged);
        }
        for (let s = 0; s < this.seats(); s++) {
            const d = this.data(this.x.luck_sum(s)), float = /** @param {number} place */ (place) => d.getFloat32(place,
                true);
            judged.sums.push({ points: float(SUM.actual), luck: float(SUM.luck), luckMargin: float(SUM.luck_margin),
                skill: float(SUM.skill), lost: float(SUM.lost),
                rate: float(SUM.rate), rateMargin: float(SUM.rate_margin), level: this.text(this.x.luck_level(s)) });
        }
        return judged;
    }
}
