/**
 * table.js: the table: setup, the turn, waiting, replacing. It shows a Game (game.js) to its viewer and turns the
 * player's actions into steps; the engine determines which of them are legal, and what they gain. Its HTML is in
 * tablehtml.js, movements in flights.js, announcements in announce.js, sheets over it in sheets.js; mouse, touch and
 * keys in input.js.
 */
import { NONE } from './html.js';
import { _, ngettext, listWords } from './i18n.js';
import { $, $$, announce, closest, hasTouch, put, replaceContent, toast } from './dom.js';
import { ghostLayer, legalLayer } from './draw.js';
import { PASS, keepStep } from './core.js';
import { gains, patternName, reason } from './words.js';
import { Aim } from './aim.js';
import { saveSettings, settings } from './store.js';
import { finishMotion } from './motion.js';
import { Moments } from './moments.js';
import { Peek } from './peek.js';
import { playSound, playSnap } from './sound.js';
import { Thinker } from './thinker.js';
import { coverHtml, setupHtml, tableHtml } from './tablehtml.js';
import { sayPlaced, tellNews } from './announce.js';
import { describe, listPlacements, showCard, cardOfButton, peekAt, showCompleted } from './sheets.js';
import { canHint, hint, hintsOn, pickHint } from './hints.js';
import { hideMoves, movesSince, showMoves } from './strip.js';
import { Flights } from './flights.js';
import { TableInput } from './input.js';

/** @typedef {import('./core.js').View} View */
/** @typedef {import('./game.js').Game} Game */
/** @typedef {{home(): void, end(game: Game): void, help(): void, settings(): void, menu(items: [string, string, () =>
 * void][]): void}} TableHost */

const SLOW = 20000;              // ms after which a clock is shown while others think
const GREETING = 1500;           // ms for which the header shows that the connection is back

/** The actions of buttons, by their data-a. @type {Record<string, (table: TableView) => void>} */
const ACTIONS = {
    uncover: (table) => table.game.uncover(),
    home: (table) => table.around.home(),
    skip: (table) => table.game.skip(),
    steps: (table) => table.game.steps(),
    menu: (table) => table.menu(),
    help: (table) => table.around.help(),
    settings: (table) => table.around.settings(),
    aim(table) {
        table.keepsAiming = true;
        table.render();
    },
    sound(table) {
        saveSettings({ sound: !settings.sound });
        playSound('gem');
        table.render();
    },
    table: (table) => table.putAside(true),
    cards: (table) => table.putAside(false),
    hint: (table) => void hint(table),
    list: listPlacements,
    react: (table) => void table.game.react(),
    keep: (table) => table.keep(),
    take: (table) => table.take(),
    confirm: (table) => table.confirm(),
    undo: (table) => table.undo(),
    retract: (table) => table.retract(),
    rotate: (table) => table.turn(1),
    mirror: (table) => table.turn(0),
    one: (table) => table.markOne(!table.aim?.one),
    single: (table) => table.markOne(true),
    pattern: (table) => table.markOne(false),
};

export class TableView {
    /** @param {HTMLElement} root @param {Game} game @param {TableHost} around */
    constructor(root, game, around) {
        this.root = root;
        this.game = game;
        this.around = around;
        /** @type {Aim | null} */
        this.aim = null;
        this.aimKey = '';
        /** Cards picked in setup, or the one to take (0: the deck; -1: none). @type {number[]} */
        this.picked = [];
        this.sheet = '';
        this.seenLines = game.core.lines().length;
        /** The marks before the last turn, so that new ones can be animated. @type {Map<string, number[]>} */
        this.before = new Map();
        /** The marks of the viewer's cards when last drawn: new ones are animated. @type {Map<string, number[]>} */
        this.inked = new Map();
        /** Whether the sheet of new cards is put aside, to see the table. */
        this.aside = false;
        this.sealed = false;
        /** The seat whose table was last shown. */
        this.seat = game.me;
        this.focus = [0, 0];
        this.stopped = false;
        /** Handles going back while a drawer is open. @type {any} */
        this.closing = null;
        /** The best choices, while they are shown. @type {import('./hints.js').Hints | null} */
        this.hints = null;
        /** What the others did in the last turn, shown for a moment, by seat. @type {Map<number,
         * import('./strip.js').Move>} */
        this.moves = new Map();
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        this.movesEnd = undefined;
        /** Whether a player has been thinking for a while. */
        this.isSlow = false;
        /** Whether the connection has just come back. */
        this.isBack = false;
        /** Whether the player prefers to go on aiming while the connection is lost. */
        this.keepsAiming = false;
        /** Whether everything is written, even parts that the page shows already. */
        this.writesAll = false;
        /** The content of the cards' layers. @type {WeakMap<Element, string>} */
        this.drawn = new WeakMap();
        this.input = new TableInput(this);
        this.flights = new Flights(this);
        this.moments = new Moments(this);
        this.analyst = new Thinker(game.core);
        this.listen();
        game.changed = () => this.update();
        game.refused = (code) => this.refuse(code);
        this.waitForOthers();
    }

    /** Updates the clock, if there is one; only while it is shown. */
    tick() {
        const { deadline } = this.game, clock = this.root.querySelector('.clock');
        clearTimeout(this.timer);
        if (!deadline || !(clock instanceof HTMLElement))
            return;
        this.timer = setTimeout(() => this.tick(), 500);
        const left = Math.max(0, Math.ceil((deadline - Date.now()) / 1000));
        clock.textContent = `${left / 60 | 0}:${String(left % 60).padStart(2, '0')}`;
    }

    /** After a while, shows a clock instead of the others' ticks. */
    waitForOthers() {
        clearTimeout(this.patience);
        this.isSlow = false;
        this.patience = setTimeout(() => {
            this.isSlow = true;
            this.render();
        }, SLOW);
    }

    get core() { return this.game.core; }
    get edition() { return this.game.core.edition; }

    listen() {
        this.abort = new AbortController();
        const { signal } = this.abort, { game } = this;
        const on = /** @param {string} type @param {(event: any) => void} act @param {object} [more] */ (type, act, more) =>
            this.root.addEventListener(type, act, { signal, ...more });
        for (const type of ['pointerdown', 'keydown', 'wheel'])
            document.addEventListener(type, finishMotion, { signal, capture: true, passive: true });
        addEventListener('settings', () => this.render(), { signal });
        this.peek = new Peek(this.root, signal, (e) => peekAt(this, e));
        on('contextmenu', (e) => {
            const held = game.reacts && closest(e, '.peep, .opp .id');     // pressing a player's animal
            if (held || closest(e, '.cells, .xcard, .look'))
                e.preventDefault();
            if (held)
                void game.react();
        });
        on('click', (e) => this.click(e));
        this.input.listen(on, signal);
    }

    stop() {
        this.stopped = true;
        this.abort?.abort();
        this.moments.end();
        for (const timer of [this.timer, this.patience, this.movesEnd, this.backEnd])
            clearTimeout(timer);
        document.documentElement.classList.remove('tabled', 'chooses');
        this.closing?.destroy();
        this.analyst.stop();
        this.game.changed = () => {};
        this.game.refused = () => {};
    }

    // Display

    /** The game has changed. */
    update() {
        if (this.stopped)
            return;
        const seen = this.core.view(this.game.me), done = seen && this.seat === this.game.me ?
            this.moments.completing(seen) : [];
        if (this.core.isOver()) {
            this.finish(seen, done);
            return;
        }
        if (this.game.covered && this.game.me !== this.seat)
            this.handOn();
        this.seat = this.game.me;
        const lines = this.core.lines();
        if (lines.length > this.seenLines) {
            const turned = lines.slice(this.seenLines).some((l) => l.startsWith('mark '));
            if (turned && lines.length - this.seenLines < 30 && !this.game.covered)
                showMoves(this, movesSince(this, lines, this.seenLines));
            tellNews(this, lines);
            this.seenLines = lines.length;
            this.picked = [];
            this.aside = false;
            this.hints = null;
            this.waitForOthers();
        }
        if (seen && done.length)
            this.moments.pyramids(seen, done);
        this.render();
        const sealed = this.game.me >= 0 && this.game.isSealed();
        if (sealed && !this.sealed && this.view)
            announce(this.say(this.view, 'wait').join('. '));
        this.sealed = sealed;
    }

    /** Shows the end of the game: the last pyramid, then the winner, then the final scores.
     * @param {View | null} view @param {number[]} done own cards completed in the last turn */
    finish(view, done) {
        if (this.ending)
            return;
        this.ending = true;
        const over = () => this.moments.finale(() => { if (!this.stopped) this.around.end(this.game); });
        if (view && done.length)
            this.moments.pyramids(view, done, over);
        else
            over();
    }

    /** Called when another person takes the device: removes everything of the last player's choice. */
    handOn() {
        this.hints = null;
        showMoves(this, new Map());
        this.picked = [];
        this.sheet = '';
        this.aim = null;
        this.aimKey = '';
        this.focus = [0, 0];
        $('#toast').hidden = true;
        announce(_('Pass the device to %{name}', { name: this.game.covered }));
    }

    render() {
        const view = this.core.view(this.game.me);
        if (!view || this.stopped || this.moments.state === 'hold')
            return;
        this.view = view;
        this.greet();
        this.refreshAim(view);
        this.keepHeld(view);
        const leaving = this.flights.leaving(view), hadFocus = this.root.contains(document.activeElement);
        if (this.game.covered)
            put(this.root, coverHtml(this));
        else if (view.phase === 'keep')
            put(this.root, setupHtml(this, view));
        else {
            put(this.root, tableHtml(this, view));
            // Parts that were not written because the page showed them may have been lost when other content replaced
            // their parent.
            const lost = $$('.art:empty, .hwrap:empty, .mini:empty:not(.none), .logbox ol:empty', this.root);
            if (lost.length) {
                lost.forEach((part) => part.removeAttribute('data-same'));
                this.writesAll = true;
                put(this.root, tableHtml(this, view));
                this.writesAll = false;
            }
            this.layers();
            this.applySheet();
            const over = this.root.querySelector('.over');
            for (const part of $$('.top, .strip, .body, .dock', this.root))
                part.inert = over !== null || (this.sheet !== '' && !part.matches('.body'));
            if (over && !over.contains(document.activeElement))
                $('h1', over).focus();
            this.flights.animate(view, leaving);
        }
        // Set on the root for the style sheet: with :has(), the browser would search for the table at every space that is
        // pointed at.
        document.documentElement.classList.toggle('tabled', this.root.querySelector('.table') !== null);
        document.documentElement.classList.toggle('chooses', this.root.querySelector('.over') !== null);
        this.tick();
        // The focused element was removed: keyboard players continue at the heading, which describes the next action.
        if (hadFocus && !this.root.contains(document.activeElement)) {
            const title = $('h1', this.root);
            title.tabIndex = -1;
            title.focus({ preventScroll: true });
        }
    }

    /** Whether the connection is lost. */
    get isLost() { return this.game.banner?.icon === 'wifi' && this.game.banner.alert === true; }

    /** Shows for a moment that the connection is back. */
    greet() {
        const lost = this.isLost;
        if (this.wasLost && !lost) {
            this.isBack = true;
            this.keepsAiming = false;
            clearTimeout(this.backEnd);
            this.backEnd = setTimeout(() => {
                this.isBack = false;
                this.render();
            }, GREETING);
        }
        this.wasLost = lost;
    }

    /** The marks of the present choice that are on a card. @param {number} card */
    madeOn(card) {
        const { me } = this.game, { slots } = this.view?.desks[me] ?? { slots: [] };
        return me < 0 ? [] : this.core.made(me).flatMap((m) => m.kind === 'mark' &&
            slots[m.slot]?.card === card ? m.cells : []);
    }

    /** @param {View} view */
    refreshAim(view) {
        const { me } = this.game, due = me >= 0 && view.phase === 'mark' && this.core.isWaiting(me) &&
            !this.core.isReady(me);
        const key = due ? `${this.core.lines().length}.${this.core.made(me).length}.${me}` : '';
        if (key === this.aimKey)
            return;
        const old = this.aim;
        this.aimKey = key;
        this.aim = due ? new Aim(this.core, me, view) : null;
        this.aim?.inherit(old);
    }

    /** Stores what is placed or picked at every drawing, and restores it at the first one, so that it survives closing
     * the window. @param {View} view */
    keepHeld(view) {
        const { game, aim } = this, at = this.aimKey || `${this.core.lines().length}.${view.phase}.${game.me}`;
        if (!this.looked && game.draft?.at === at) {
            const place = aim && [...aim.patterns, ...aim.singles].find((p) => String(p.step) === game.draft?.pin);
            this.picked = game.draft.picked;
            if (place)
                aim.set(place);
        }
        this.looked = true;
        game.keepDraft({ at, pin: String(aim?.pin?.step ?? ''), picked: this.picked });
    }

    canAim() { return this.aim !== null && !this.aim.mustPass && !this.game.covered && !this.root.querySelector('.over'); }

    /** @param {View} view @returns {string} */
    mode(view) {
        const { me } = this.game;
        if (me < 0)
            return 'watch';
        if (view.phase === 'replace')
            return view.order[view.place] === me ? 'choose' : 'replace';
        if (this.game.isSealed() || !this.core.isWaiting(me))
            return 'wait';
        if (this.core.isReady(me))
            return 'made';
        return this.aim?.mustPass ? 'pass' : this.aim?.extra ? 'extra' : 'pattern';
    }

    /** The total with tombs marked in this turn. @param {View} view @param {number} seat */
    totalOf(view, seat) {
        return seat < 0 ? 0 : view.scores[seat].total + (view.phase === 'mark' ? 10 * view.desks[seat].slots.filter((s) =>
            s.tomb).length : 0);
    }

    /** @param {View} view @param {string} mode @returns {[string, string]} */
    say(view, mode) {
        const { coach } = this.game;
        if (coach)
            return [coach.title, mode === 'extra' ? _('Now the extra space, on either card. Then confirm.') : coach.text];
        const pattern = this.edition.patterns[view.revealed[view.turn]],
            name = pattern ? patternName(pattern) : '';    // none before the first turn
        const missing = this.game.seats.filter((_s, s) => s !== this.game.me && !this.game.isIn(s)).map((s) => s.name);
        const chooser = view.phase === 'replace' ? view.order[view.place] : -1;
        if (this.aim?.painting)
            return [_('Paint the pattern'), this.paintWords()];
        switch (mode) {
        case 'extra': return [_('One more space'), _('The red cross gives you one space on either card.')];
        case 'made': return [_('Your choice is complete'), _('Confirm it, or take marks back.')];
        case 'pass': return [_('Nothing to mark'), _('You have no card left, so you pass.')];
        case 'wait': return this.game.isUnsent() ? [_('Waiting for the connection'),
            _('Your choice is saved here and sent later.')] :
            [_('Sent'), missing.length ? _('Waiting for %{names}.', { names: listWords(missing) }) :
                _('All choices are in.')];
        case 'choose': return [_('A pyramid is complete'), _('Choose your next card.')];
        case 'replace': return [_('%{name} takes a new card', { name: this.game.seats[chooser].name }),
            view.order.indexOf(this.game.me,
            view.place) > 0
            ? _('Then it is your turn to choose.') : _('The lowest completed card chooses first.')];
        case 'watch': return [chooser >= 0 ? _('%{name} takes a new card',
            { name: this.game.seats[chooser].name }) : _('You are watching'),
            missing.length
            ? _('Waiting for %{names}. Below are the cards of %{name}.', { names: listWords(missing),
                name: this.game.seats[0].name }) :
                _('All choices are in.')];
        default: return this.aim && !this.aim.patterns.length ? [_('%{name} fits nowhere', { name: pattern.name }),
            _('Mark one space with blue corners instead.')] : this.aim?.one ? [_('Mark one space'),
            _('Any space with blue corners. The pattern is not used.')]
            : [_('Mark the %{pattern}', { pattern: name }), _('On either card, or mark one space instead.')];
        }
    }

    /** The actions that replace the buttons once a puzzle is answered. @returns {import('./html.js').Html | null} */
    ownActs() { return null; }
    /** A note for the announcement of a card that could be taken. @param {number} _card */
    noteOn(_card) { return ''; }
    get confirmWord() { return _('Confirm'); }

    /** Whether the text of the tray needs more room than usual. @param {View} _view */
    isTold(_view) { return Boolean(this.game.coach); }

    /** Whether several people play on this device: then it is shown whose cards these are. */
    get isShared() { return !this.game.online && !this.game.coach && this.game.me >= 0 && this.game.seats.filter((s) =>
        !s.level).length > 1; }

    paintWords() {
        const { aim } = this, n = !aim ? 0 : aim.painted.length ? aim.holding(aim.paintedOn, aim.painted).length :
            aim.pool().length;
        return hasTouch() ? ngettext('Tap its spaces one by one: %{n} placement is left.',
            'Tap its spaces one by one: %{n} placements are left.', n) :
            ngettext('Click its spaces one by one: %{n} placement is left.',
            'Click its spaces one by one: %{n} placements are left.', n);
    }

    /** The gains of the placed marks. @param {View} view */
    preview(view) {
        const { me } = this.game;
        if (!this.aim?.pin)
            return null;
        const preview = this.core.preview(me, this.aim.pin.step);
        return preview && { ...preview, gains: gains(this.edition, view.desks[me], preview.desk, view.round) };
    }

    // Layers and drawers

    /** Legal spaces and the ghost, drawn over the cards. */
    layers() {
        const { aim } = this;
        $$('.cards-in article', this.root).forEach((article) => {
            const slot = Number($('.cells button', article).dataset.slot), lg = article.querySelector('.lg'),
                gh = article.querySelector('.gh');
            const painted = aim?.painting && aim.painted.length ? { slot: aim.paintedOn, cells: aim.painted } : null;
            const shown = painted ?? aim?.hover ?? aim?.pin ?? null, here = shown && shown.slot === slot ? shown : null;
            const hover = painted ? null : aim?.hover ?? null;
            // While painting, the spaces that are still possible; otherwise those that can be marked singly.
            const legal = !aim || aim.mustPass ? [] : (painted?.slot === slot ? aim.holding(slot,
                painted.cells).flatMap((p) => p.cells) :
                aim.singles.filter((p) => p.slot === slot).map((p) => p.cells[0])).filter((c, i, all) =>
                    !here?.cells.includes(c) && all.indexOf(c) === i);
            lg?.querySelectorAll('.aimhere').forEach((ring) => ring.remove());
            this.fillLayer(lg, legalLayer(this.hints?.list.length ? [] : legal));
            this.fillLayer(article.querySelector('.hi'), hintsOn(this, slot));
            gh?.setAttribute('class', `gh ${here && hover ? (hover.bad ? 'bad' : 'hov') : ''}`);
            this.fillLayer(gh, here ? ghostLayer(Number(article.dataset.n), here.cells) : NONE);
            article.classList.toggle('active', here !== null);
        });
    }

    /** Draws a layer only if it has changed, since the pointer moves often. @param {Element | null} layer
     * @param {import('./html.js').Html} content */
    fillLayer(layer, content) {
        if (!layer || this.drawn.get(layer) === content.text)
            return;
        this.drawn.set(layer, content.text);
        replaceContent(layer, content);
    }

    /** @param {string} name '' closes */
    openSheet(name) {
        const from = /** @type {HTMLElement | null} */ (document.activeElement);
        if (name && (!this.root.querySelector(`.${name}`) ||
            this.root.querySelector('.over')))      // not loaded yet, or not reachable
            return;
        if (name)
            this.sheetFrom = from;
        this.sheet = name;
        this.render();
        // On a phone, going back closes the drawer, if the browser supports that.
        this.closing?.destroy();
        const Closing = /** @type {any} */ (globalThis).CloseWatcher;
        this.closing = name && Closing ? new Closing() : null;
        if (this.closing)
            this.closing.onclose = () => this.openSheet('');
        if (name)
            this.root.querySelector(/** @type {'button'} */ (`.${name} .shut`))?.focus();
        else
            this.sheetFrom?.focus();
    }

    applySheet() {
        for (const part of $$('.center, .score, .log, .opps, .race, .disp', this.root))
            part.inert = this.sheet !== '' && !part.classList.contains(this.sheet);
    }

    // The player's actions

    /** @param {MouseEvent} event */
    click(event) {
        if (this.input.wasDragged) {
            this.input.wasDragged = false;
            if (closest(event, '.cells'))
                return;
        }
        if (this.peek?.held) {
            this.peek.held = false;
            return;
        }
        const cell = closest(event, '[data-cell]');
        if (cell) {
            this.choose(Number(cell.dataset.slot), Number(cell.dataset.cell));
            return;
        }
        const act = closest(event, '[data-a]')?.dataset.a, open = closest(event, '[data-open]')?.dataset.open,
            shown = closest(event, '[data-look]');
        const banner = closest(event, '[data-banner]')?.dataset.banner, picked = closest(event, '[data-hint]')?.dataset.hint;
        const peep = closest(event, '[data-peep]')?.dataset.peep;
        if (peep !== undefined) this.openPlayer(Number(peep));
        else if (picked !== undefined) pickHint(this, Number(picked));
        else if (closest(event, '[data-shelf]')) showCompleted(this);
        else if (banner !== undefined) this.game.banner?.actions[Number(banner)]?.act();
        else if (act) this.act(act);
        else if (open) this.openSheet(open);
        else if (closest(event, '[data-close]')) this.openSheet('');
        else if (shown) showCard(this, ...cardOfButton(shown));
        else this.pick(closest(event, '[data-pick]')?.dataset.pick, closest(event, '[data-next]')?.dataset.next);
    }

    /** On a phone: opens the drawer of players at one of them, or your own score card. @param {number} seat */
    openPlayer(seat) {
        this.openSheet(seat === this.game.me ? 'score' : 'opps');
        this.root.querySelector(`.opp[data-seat="${seat}"]`)?.scrollIntoView({ block: 'nearest' });
    }

    /** @param {string | undefined} keep @param {string | undefined} next */
    pick(keep, next) {
        if (keep !== undefined && !this.game.isSealed()) {
            const n = Number(keep);
            this.picked = this.picked.includes(n) ? this.picked.filter((k) => k !== n) : [...this.picked, n].slice(-2);
            this.render();
        } else if (next !== undefined && this.view?.order[this.view.place] === this.game.me) {
            this.picked = [Number(next)];
            this.render();
        }
    }

    /** @param {string} what */
    act(what) {
        ACTIONS[what]?.(this);
    }

    /** Keeps the two starting cards that are picked. */
    keep() {
        const [first, second] = this.picked;
        if (second !== undefined && this.core.step(this.game.me, keepStep(first, second)) === 0)
            this.game.confirm();
    }

    /** Takes the card that is picked. */
    take() {
        const [card] = this.picked;
        if (card === undefined)
            return;
        this.picked = [];
        this.game.take(card);
    }

    /** Where there is no room for both, shows the others' cards, or your own again. @param {boolean} aside */
    putAside(aside) {
        this.aside = aside;
        this.render();
        if (aside)
            this.root.querySelector(/** @type {'button'} */ ('[data-a=cards]'))?.focus();
    }

    /** Switches between marking one space and a pattern. @param {boolean} one */
    markOne(one) {
        const { aim } = this;
        if (!aim || aim.mustPass || aim.extra || !aim.patterns.length)
            return;
        this.hints = null;
        const [dot, ...more] = aim.painting ? aim.painted : [], slot = aim.paintedOn;
        aim.one = one;
        aim.set(null);
        aim.cycle = { slot: -1, cell: -1, at: 0, of: 0 };
        // Switching to one space after exactly one was painted.
        if (one && dot !== undefined && !more.length)
            aim.set(aim.holding(slot, [dot])[0] ?? null);
        this.render();
    }

    /** @param {number} slot @param {number} cell */
    choose(slot, cell) {
        if (!this.aim || !this.canAim())
            return;
        if (this.hints) {
            this.hints = null;
            this.aim.set(null);
        }
        if (this.moves.size)
            hideMoves(this);
        this.focus[slot] = cell;
        if (this.aim.painting)
            this.aim.togglePaint(slot, cell);
        else
            this.aim.place(slot, cell);
        this.answer();
        this.render();
    }

    /** Announces the result of trying to place something. */
    answer() {
        const { aim } = this;
        if (aim?.pin) {
            playSnap();
            sayPlaced(this);
        } else if (aim?.refused) {
            announce(reason(aim.refused).text);
        } else if (aim?.painting) {
            announce(this.paintWords());
        }
    }

    /** @param {number} by */
    turn(by) {
        const { aim } = this;
        if (!aim || !this.canAim() || aim.one)
            return;
        const at = aim.hover;
        this.hints = null;
        if (!aim.turn(by))
            announce(_('It fits no other way on this card.'));
        else if (aim.pin)
            sayPlaced(this);
        if (at && this.input.hoverAt) {
            aim.point(this.input.hoverAt[0], this.input.hoverAt[1]);
            this.input.saySoon();
        }
        this.render();
    }

    confirm() {
        const { game, core, aim } = this, view = this.view;
        if (!view || game.isSealed() || game.me < 0 || view.phase !== 'mark')
            return;
        // A hint is first placed, and sent only when confirmed again.
        if (this.hints) {
            this.hints = null;
            this.render();
            sayPlaced(this);
            return;
        }
        if (aim?.mustPass) {
            if (core.step(game.me, PASS) === 0)
                game.confirm();
            return;
        }
        if (aim?.pin) {
            const { pin } = aim, after = this.preview(view), boxes = pin.cells.map((i) =>
                $(`[data-slot="${pin.slot}"][data-cell="${i}"]`, this.root).getBoundingClientRect());
            if (!after || core.step(game.me, pin.step) !== 0)
                return;
            game.draftChanged();
            if (after.gains.some((g) => g.lost))
                toast(_('No space is left: the extra mark is lost.'));
            if (core.isReady(game.me)) {
                game.confirm();
            } else {
                this.render();
                const n = this.aim?.singles.length ?? 0;
                announce(aim.extra ? ngettext('And one more space, on either card. %{n} to choose from.',
                    'And one more space, on either card. %{n} to choose from.',
                        n) : ngettext('One more space, on either card. %{n} to choose from.',
                    'One more space, on either card. %{n} to choose from.', n));
            }
            if (!this.stopped)
                this.flights.flyGains(view, pin, after, boxes);
        } else if (core.isReady(game.me)) {
            game.confirm();
        } else {
            announce(_('Choose a space first.'));
        }
    }

    undo() {
        const { aim, core, game } = this;
        if (game.isSealed()) {
            this.retract();
            return;
        }
        this.hints = null;
        if (aim?.pin || aim?.painting) {
            aim.set(null);
            aim.cycle = { slot: -1, cell: -1, at: 0, of: 0 };
        } else if (game.me >= 0 && core.undo(game.me) === 0) {
            game.draftChanged();
        } else {
            return;
        }
        announce(_('Taken back.'));
        this.render();
    }

    /** Takes the sent choice back, with its last mark still placed. */
    retract() {
        const { core, game } = this;
        if (!game.isSealed())
            return;
        const last = core.made(game.me).at(-1);
        game.retract();
        if (game.isSealed() || core.undo(game.me))
            return;
        game.draftChanged();
        if (last?.kind === 'keep')
            this.picked = last.cards;
        this.render();
        if (last?.kind === 'mark') {
            this.aim?.set(last);
            this.render();
        }
        announce(_('Taken back.'));
    }

    /** The server has refused the choice: the board is restored, the mark stays placed, and the rule is named.
     * @param {number} code */
    refuse(code) {
        const { core, game } = this, [first] = core.made(game.me);
        while (core.undo(game.me) === 0);
        game.draftChanged();
        this.render();
        if (first?.kind === 'mark' && this.aim) {
            this.aim.set(first);
            this.aim.refused = code;
            this.render();
            announce(reason(code).text);
        } else
            toast(reason(code).text);
    }

    // Lists and dialogs

    menu() {
        /** @type {[string, string, () => void][]} */
        const items = [];
        if (this.aim) {
            items.push(['list', _('List placements'), () => listPlacements(this)]);
        }
        if (canHint(this))
            items.push(['bulb', _('Hint'), () => void hint(this)]);
        // If the dock has no room, its panels are listed here.
        if (this.root.querySelector('.table') && !$$('.dock', this.root).some((dock) => dock.checkVisibility()))
            for (const [name, sign, text] of /** @type {const} */ ([['score', 'score', _('Score')], ['race', 'crown',
                _('Race')],
                ['disp', 'cards', _('Display')], ['log', 'log', _('Game log')]]))
                if (!$$(`.${name}`, this.root).some((panel) => panel.checkVisibility({ visibilityProperty: true })))
                    items.push([sign, text, () => this.openSheet(name)]);
        items.push(['cards', _('Completed pyramids'), () => showCompleted(this)],
            ['eye', _('Describe the cards'), () => describe(this)], ...this.game.menu());
        this.around.menu(items);
    }
}
