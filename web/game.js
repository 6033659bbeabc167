/**
 * game.js: a game on this device: one person or several, and bots. The core (local.h) decides whose turn it is and what
 * is saved. This file lets bots think, decides which window plays, and stores the text of the game after every change,
 * so that closing a window loses nothing.
 *
 * A game has a Core with the match and the seat of its viewer (`me`), and notifies its view of changes. Games on a
 * server are in online.js.
 */
import { NONE } from './html.js';
import { _ } from './i18n.js';
import { Thinker, randomSeed } from './thinker.js';
import { keepGame, read, write } from './store.js';
import { takeStep, DRAW } from './core.js';
import { playerName } from './words.js';

/** @typedef {import('./core.js').Core} Core */
/** @typedef {{name: string, level: string}} Seat level: '' for a person */
/** @typedef {{at: string, pin: string, picked: number[]}} Draft what is placed or picked but not confirmed, and in which
 * position */
/** @typedef {{seat: number, made: string[], confirmed: boolean}} Pending steps that a seat has made */
/** @typedef {{record: string, seats: Seat[], me: number, pending: Pending[]}} Parted a game as older pages kept it */
/** @typedef {{id: string, record: string, edition: string, held?: Draft | null, copy?: string, claim?: string}} Stored
 *  record: what the core saves;
 *  copy: the code of the table at a server that this is a copy of; claim: of the window that plays it */
/** @typedef {Stored | Stored & Parted} Saved */
/** @typedef {{date: string, number: number, counted: boolean, practice?: boolean}} Badge a daily expedition */
/** @typedef {'thinking' | 'ready' | 'choosing' | 'next' | 'idle' | 'away' | 'gone'} Status */

/** If two windows have the same game, the one with the later claim plays. Claims differ even if they are made at the same
 * moment, or after a clock was set back.
 * @param {string} [last] the claim so far */
function newClaim(last = '') {
    const now = Math.max(Date.now(), 1 + Number(last.split('.')[0]));
    return `${now}.${[...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, '0')).join('')}`;
}

const TAKE_PAUSE = 450;          // a bot's new card should not appear unseen

/** The interface of a game for its view. */
export class Game {
    /** @param {Core} core @param {Seat[]} seats @param {number} me */
    constructor(core, seats, me) {
        this.core = core;
        this.seats = seats;
        this.me = me;
        this.id = '';
        /** The person who has to take the device before anything is shown. @type {string} */
        this.covered = '';
        this.online = false;
        this.hints = true;
        /** When the clock runs out; 0: there is none. */
        this.deadline = 0;
        /** A notice above the table while there is a problem. @type {{text: string, icon?: string, alert?: boolean, actions:
         * {label: string, act: () => void}[]} | null} */
        this.banner = null;
        /** Reactions that are shown now: their symbols by seat. @type {Map<number, string>} */
        this.bubbles = new Map();
        /** All reactions so far, each with the number of visible lines of the log at that time.
         * @type {{seat: number, symbol: number, line: number}[]} */
        this.reactions = [];
        /** The text of a lesson or a puzzle, shown instead of the usual one.
         * @type {{step: number, of: number, title: string, text: string, head?: import('./html.js').Html} | null} head:
         * of a puzzle, above the table */
        this.coach = null;
        /** @type {Draft | null} */
        this.draft = null;
        /** @type {() => void} */
        this.changed = () => {};
        /** The server has refused the choice; a code of err.h. @type {(code: number) => void} */
        this.refused = () => {};
    }

    /** The seat of who reads the screen; none if several people share the device. */
    get reader() { return this.online || this.seats.filter((s) => !s.level).length === 1 ? this.me : -1; }

    /** @param {number} seat @returns {Status} */
    status(seat) {
        const view = this.core.view(-1);
        if (!view || view.phase === 'end')
            return 'idle';
        if (view.phase !== 'replace')
            return this.isIn(seat) ? 'ready' : 'thinking';
        const at = view.order.indexOf(seat);
        return at < 0 || at < view.place ? 'ready' : at === view.place ? 'choosing' : 'next';
    }

    /** Whether a seat has chosen. @param {number} seat */
    isIn(seat) { return this.core.isConfirmed(seat) || !this.core.isWaiting(seat); }
    /** Whether the viewer has confirmed while others have not. */
    isSealed() { return this.core.isConfirmed(this.me); }
    /** Called when a step of the present choice was made or undone. */
    draftChanged() {}
    /** Stores what is placed or picked, so that closing the window does not lose it. @param {Draft} draft */
    keepDraft(draft) {
        const changed = JSON.stringify(draft) !== JSON.stringify(this.draft);
        this.draft = draft;
        return changed;
    }
    /** Whether this player can show a symbol to other people. */
    get reacts() { return false; }
    /** Asks which symbol to show, and shows it. */
    async react() {}
    /** Called when a hint was looked at: at a table with people this is announced. */
    hinted() {}
    /** How many hints a seat has used. @param {number} _seat */
    hintsUsed(_seat) { return 0; }
    /** Whether the choice waits for the connection. */
    isUnsent() { return false; }
    /** How long a person has not been connected. @param {number} _seat */
    minutesGone(_seat) { return 0; }
    /** Whether the shuffle was honest, as HTML; '' if that is unknown. */
    shuffleHtml() { return NONE; }
    /** Sends the choice. */
    confirm() {}
    /** Takes it back. */
    retract() {}
    /** @param {number} _card 0: from the deck */
    take(_card) {}
    uncover() {}
    /** For a lesson: the next one, and the list of all. */
    skip() {}
    steps() {}
    stop() {}
    /** More entries for the table's menu. @returns {[string, string, () => void][]} */
    menu() { return []; }
    /** The text of the edition to store: none for the edition that every page has. */
    editionText() { return this.core.edition.name === 'classic' ? '' : this.core.edition.text; }
    /** Which expedition it is, if it is one. @returns {Badge | null} */
    badge() { return null; }
    /** The record as a file. */
    record() { return this.core.log(); }
}

/** A record with its players and unfinished choices, in the form in which the core saves a game (local.h).
 * @param {Parted} game */
export function wholeText({ record, seats, me, pending }) {
    const hex = /** @param {string} step */ (step) => BigInt(step).toString(16).padStart(16, '0');
    const choices = pending.filter((p) => p.made.length).map(({ seat, made, confirmed }) =>
        `; ${confirmed ? 'sealed' : 'draft'} ${seat + 1} ${made.map(hex).join(' ')}\n`);
    return `${record}; seats ${seats.map((s) => s.level || 'person').join()}\n; me ${me + 1}\n${choices.join('')}`;
}

export class LocalGame extends Game {
    /** @param {Core} core @param {Seat[]} seats @param {number} me @param {string} id */
    constructor(core, seats, me, id) {
        super(core, seats, me);
        this.id = id;
        this.thinker = new Thinker(core);
        /** The position in which a bot was last asked to choose. */
        this.asked = '';
        this.stopped = false;
        this.copy = '';
        /** Which day's expedition it is, as its tag says. @type {string[] | undefined} */
        this.day = undefined;
        this.claim = newClaim(LocalGame.saved()?.claim);
        /** Shown when the bots could not be fetched. @type {Game['banner']} */
        this.noBots = null;
        this.hints = !this.solo;
    }

    /** Which solo expedition it is, from 1; 0: none. */
    get solo() { return Number(/^tag solo (\d+)$/m.exec(this.core.log())?.[1] ?? 0); }

    /** @param {Core} core with its edition @param {Seat[]} seats @param {bigint} [seed] @param {number} [solo] the
     * expedition that it is, from 1 */
    static start(core, seats, seed = randomSeed(), solo = 0) {
        core.localBegin(seats.map((s) => s.name), seats.map((s) => s.level), seed);
        if (solo)
            core.tag('solo', `${solo}`);
        core.tag('date', new Date().toISOString().slice(0, 10));
        seats.forEach((s, i) => s.level && core.tag('bot', `${i + 1} ${s.level}`));
        const game = new LocalGame(core, seats, -1, `${Date.now()}`);
        game.look();
        game.save();
        return game;
    }

    /** A past day's expedition, or a practice deal; neither counts. @param {Core} core @param {string[]} names @param
     * {string} date @param {string} secret '': practice */
    static startDay(core, names, date, secret) {
        const code = core.localDaily(names, date, secret);
        if (code)
            throw new Error(`no expedition: ${code}`);
        core.tag('date', new Date().toISOString().slice(0, 10));
        const seats = names.map((name, i) => ({ name, level: i ? 'club' : '' })), game = new LocalGame(core, seats, -1,
            `${Date.now()}`);
        game.look();
        game.save();
        return game;
    }

    /** @returns {Badge | null} */
    badge() {
        this.day ??= /^tag (day|practice) (\S+)$/m.exec(this.core.log()) ?? [];
        const [, kind, date] = this.day;
        return kind ? { date, number: 0, counted: false, practice: kind === 'practice' } : null;
    }

    /** The unfinished game; null if there is none that can be read. @param {Core} core @returns {LocalGame | null} */
    static resume(core) {
        const saved = LocalGame.saved();
        if (!saved || (saved.edition && core.readEdition(saved.edition)) ||
            core.localLoad('seats' in saved ? wholeText(saved) : saved.record, randomSeed()))
            return null;
        const game = new LocalGame(core, core.names().map((name, s) => {
            const level = core.localLevel(s);
            return { name: level ? playerName(name) : name, level };
        }), -1, saved.id);
        game.draft = saved.held ?? null;
        game.copy = saved.copy ?? '';
        if (game.copy)
            game.banner = { icon: 'bot', text: _('This is a copy: you are playing against bots. The table ' +
                'itself is still on the server.'), actions: [{ label: _('Back to the table'),
                act: () => game.leaveCopy() }, { label: _('Close'), act: () => {
                game.banner = null;
                game.changed();
            } }] };
        game.look();
        return game;
    }

    /** A game that is over. @param {Core} core with its record @param {import('./store.js').Kept} kept */
    static finished(core, kept) {
        const levels = new Map(core.lines().flatMap((l) => { const tag = /^tag bot (\d) (\S+)/.exec(l); return tag ?
            [[Number(tag[1]) - 1, tag[2]]] : []; }));
        return new LocalGame(core, core.names().map((name, s) => ({ name, level: levels.get(s) ?? '' })), kept.me, kept.id);
    }

    /** @returns {Saved | null} */
    static saved() {
        const saved = /** @type {Saved | null} */ (read('game', null));
        return typeof saved?.record === 'string' ? saved : null;
    }

    save() {
        const { core, id, draft: held, copy, claim } = this, edition = this.editionText();
        if (core.isOver()) {
            keepGame({ id, date: Date.now(), record: core.log(), me: this.seats.findIndex((s) => !s.level), edition });
            write('game', undefined);
            this.keepBest();
        } else {
            write('game', { id, record: core.localSave(), edition, held, copy, claim });
        }
    }

    /** Stores the best result of a solo expedition, which determines its medal. */
    keepBest() {
        const { solo } = this, best = read('solo', /** @type {Record<string, number>} */ ({})),
            points = this.core.view(-1)?.scores[0].total ?? 0;
        if (solo && !(best[solo] >= points))
            write('solo', { ...best, [solo]: points });
    }

    /** Determines who plays next; if it is another person than before, they have to take the device first. */
    look() {
        const { me, covered } = this.core.localPerson();
        if (covered || (this.me >= 0 && me !== this.me))
            this.covered = this.seats[me].name;
        this.me = me;
    }

    /** @param {Draft} draft */
    keepDraft(draft) {
        const changed = super.keepDraft(draft);
        if (changed && !this.stopped && !this.core.isOver())
            this.save();
        return changed;
    }

    /** Goes from the copy to the table itself. */
    leaveCopy() { location.hash = `table/${this.copy}`; }

    /** @returns {[string, string, () => void][]} */
    menu() { return this.copy ? [['link', _('Back to the table'), () => this.leaveCopy()]] : []; }

    /** Lets bots think and passes the device on, until a person has to choose. */
    run() {
        if (this.stopped)
            return;
        this.look();
        this.save();
        void this.think();
        this.changed();
    }

    /** Asks the bot that has to choose, once. */
    async think() {
        const { core } = this, { seat, lines, seed } = core.localDue(), position = `${lines}.${seat}`;
        if (seat < 0 || this.asked === position)
            return;
        this.asked = position;
        const began = performance.now(), replacing = core.view(-1)?.phase === 'replace';
        /** @type {string | null} */
        const choice = await this.thinker.ask({ kind: 'choice', record: core.visibleLog(seat), seat, seed,
            level: this.seats[seat].level }).catch(() => null);
        if (choice === null) {
            this.asked = '';
            this.banner = this.noBots = { icon: 'bot', text: _('This part could not be loaded. Are you offline?'),
                alert: true, actions: [{ label: _('Try again'), act: () => {
                this.banner = null;
                this.run();
            } }] };
            this.changed();
            return;
        }
        if (this.banner === this.noBots)
            this.banner = null;
        if (replacing && !matchMedia('(prefers-reduced-motion: reduce)').matches)
            await new Promise((done) => setTimeout(done, Math.max(0, TAKE_PAUSE - (performance.now() - began))));
        if (this.stopped || core.localDue().lines !== lines)
            return;
        if (!core.localAnswer(seat, lines, choice))
            throw new Error(`a bot chose ${choice}`);
        this.run();
    }

    draftChanged() {
        if (!this.stopped)
            this.save();
    }

    confirm() {
        if (!this.stopped && this.core.localConfirm())
            this.run();
    }

    retract() {
        if (!this.stopped && this.core.localRetract())
            this.run();
    }

    /** @param {number} card */
    take(card) {
        if (!this.stopped && this.core.localTake(card ? takeStep(card) : DRAW))
            this.run();
    }

    uncover() {
        this.core.localUncover();
        this.covered = '';
        this.changed();
    }

    stop() {
        this.stopped = true;
        this.thinker.stop();
    }

    /** Another window continues the saved game: this one pauses, since both would overwrite each other's turns. If
     * this one's claim is the later one, the other pauses. @param {Saved | null} theirs what the other has written
     * @param {() => void} back */
    leave(theirs, back) {
        if (this.stopped || this.core.isOver())
            return;
        if (theirs?.claim && theirs.claim < this.claim) {
            this.save();
            return;
        }
        this.stop();
        this.banner = { icon: 'device', text: _('You are playing this seat in another window.'),
            actions: [{ label: _('Play here'), act: back }] };
        this.changed();
    }

    /** A new game with the same players. */
    rematch() {
        const core = this.core.fork();
        const seats = this.seats.map((s) => ({ ...s }));
        const { solo } = this;
        this.stop();
        return solo ? startSolo(core, seats[0].name, solo) : LocalGame.start(core, seats);
    }
}

/** Whether a seat is played by the bystander: it is not shown. @param {Seat} [seat] */
export const isBystander = (seat) => seat?.level === 'bystander';

/** Starts a solo expedition with fixed cards. @param {Core} core @param {string} name @param {number} solo the
 * expedition, from 1 */
export const startSolo = (core, name, solo) => LocalGame.start(core, [{ name: name || _('Player'), level: '' },
    { name: 'bystander', level: 'bystander' }], BigInt(core.x.solo_seed(solo - 1)), solo);

/** A bot is called after the animal of its seat. @param {number} seat */
export const botName = (seat) => [_('Cat'), _('Jackal'), _('Ibis'), _('Scarab')][seat];

/** Starts a game of one person against bots. @param {Core} core @param {string} name @param {number} opponents
 * @param {string} level */
export function startBotGame(core, name, opponents, level) {
    const seats = [{ name: name || _('Player'), level: '' }];
    for (let i = 1; i <= opponents; i++)
        seats.push({ name: botName(i), level });
    return LocalGame.start(core, seats);
}
