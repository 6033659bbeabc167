/**
 * table.js: the table: setup, the turn, waiting, replacing. It draws a Game (game.js) for the seat that looks at it and turns what
 * the player does into steps; which of them are legal, and what they bring, the engine says.
 */
import { _, ngettext, listWords, number } from './i18n.js';
import { $, $$, announce, dialog, esc, near, put, toast } from './dom.js';
import { ROMAN, SYMBOLS, avatar, bigDeck, cardBack, chamber, deckArt, ghostLayer, head, headTall, icon, legalLayer, mini, patternPicture, picture, rose, shape,
    symbol, symbolOf, turned, wordmark } from './draw.js';
import { COLOURS, PASS, TILES, keepStep, spaceName } from './core.js';
import { cardInWords, cardName, cardSymbols, colourName, gainWords, gains, levelName, logEntries, moveParts, patternName, plus, reason, ruleLink,
    shapeName, signed, spaceNames, spaceWord, symbolRule } from './words.js';
import { Aim, same } from './aim.js';
import { saveSettings, settings } from './store.js';
import { count, finishMotion, fly, isSeen, isStill, move } from './motion.js';
import { Peek } from './peek.js';
import { play, tick } from './sound.js';
import { randomSeed, Thinker } from './thinker.js';

/** @typedef {import('./core.js').View} View */
/** @typedef {import('./core.js').Option} Option */
/** @typedef {import('./game.js').Game} Game */
/** @typedef {import('./aim.js').Place} Place */
/** @typedef {{home(): void, end(game: Game): void, help(): void, settings(): void, menu(items: [string, string, () => void][]): void}} Around */

const HOLD = 450;                // a press this long paints by taps
const LIFT = 56;                 // a pattern floats so far above the finger, which would hide it
const RUBY = 'M13 8H35L45 20 24 43 3 20Z', EMERALD = 'M16 4H32L41 13V35L32 44H16L7 35V13Z';

/** The number that stands after a card's colour: "your 3rd green". @param {number} n @param {string} colour */
function nth(n, colour) {
    const values = { n, colour: colourName(colour) };
    if (n === 1) return _('your 1st %{colour}', values);
    if (n === 2) return _('your 2nd %{colour}', values);
    if (n === 3) return _('your 3rd %{colour}', values);
    return _('your %{n}th %{colour}', values);
}

/** The card that a button shows, its marks, and which of them draw themselves. @param {HTMLElement} button @returns {[number, number[], number[]]} */
function lookOf({ dataset: { look, marks = '', fresh = '' } }) {
    const [all, some] = [marks, fresh].map((list) => list.split(' ').filter(Boolean).map(Number));
    return [Number(look), all, some];
}

export class TableView {
    /** @param {HTMLElement} root @param {Game} game @param {Around} around */
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
        /** Marks as they were before the last turn, to draw in what is new. @type {Map<string, number[]>} */
        this.before = new Map();
        /** Marks of the looking seat's cards as they were last drawn: what is new draws itself. @type {Map<string, number[]>} */
        this.inked = new Map();
        /** What was last shown, to move only what changed. */
        this.last = { seat: -2, tray: '', quarters: 0, mirror: 0, cards: /** @type {number[]} */ ([]), totals: /** @type {number[]} */ ([]) };
        /** Movements that begin when the table has been drawn. @type {(() => void)[]} */
        this.then = [];
        /** The sheet of new cards is laid aside, to look at the table. */
        this.aside = false;
        this.sealed = false;
        /** Whose table was last shown. */
        this.seat = game.me;
        this.focus = [0, 0];
        this.stopped = false;
        /** @type {{slot: number, cell: number, mode: '' | 'move' | 'paint' | 'dab', x: number, y: number, touch: boolean} | null} */
        this.drag = null;
        /** Watches for the way back while a drawer is open. @type {any} */
        this.closing = null;
        /** @type {HTMLElement | null} */
        this.carried = null;
        this.wasDragged = false;
        this.analyst = new Thinker(game.core);
        this.listen();
        game.changed = () => this.update();
        game.refused = (code) => this.refuse(code);
        this.timer = setInterval(() => this.tick(), 500);
    }

    /** The clock, where there is one. */
    tick() {
        const { deadline } = this.game, clock = this.root.querySelector('.clock');
        if (!deadline || !(clock instanceof HTMLElement))
            return;
        const left = Math.max(0, Math.ceil((deadline - Date.now()) / 1000));
        clock.textContent = `${left / 60 | 0}:${String(left % 60).padStart(2, '0')}`;
    }

    get core() { return this.game.core; }
    get edition() { return this.game.core.edition; }

    listen() {
        this.abort = new AbortController();
        const { signal } = this.abort;
        const on = /** @param {string} type @param {(event: any) => void} act @param {object} [more] */ (type, act, more) =>
            this.root.addEventListener(type, act, { signal, ...more });
        for (const type of ['pointerdown', 'keydown', 'wheel'])
            document.addEventListener(type, finishMotion, { signal, capture: true, passive: true });
        this.peek = new Peek(this.root, signal, (e) => this.peekAt(e));
        on('contextmenu', (e) => { if (near(e, '.cells, .xcard, .look')) e.preventDefault(); });
        on('click', (e) => this.click(e));
        on('pointerover', (e) => this.pointerOver(e));
        on('pointerdown', (e) => this.pointerDown(e));
        on('pointermove', (e) => this.pointerMove(e));
        on('pointerup', (e) => this.pointerUp(e));
        on('pointercancel', () => this.endDrag(false));
        addEventListener('blur', () => this.endDrag(false), { signal });
        on('wheel', (e) => {
            if (near(e, '.cells') && this.canAim()) {
                e.preventDefault();
                this.turn(e.deltaY < 0 ? -1 : 1);
            }
        }, { passive: false });
        document.addEventListener('keydown', (e) => this.key(e), { signal });
        on('focusin', (e) => this.focused(e));
    }

    stop() {
        this.stopped = true;
        this.abort?.abort();
        clearInterval(this.timer);
        this.closing?.destroy();
        this.analyst.stop();
        this.game.changed = () => {};
        this.game.refused = () => {};
    }

    // What is shown

    /** The game has changed. */
    update() {
        if (this.stopped)
            return;
        if (this.core.isOver()) {
            this.around.end(this.game);
            return;
        }
        if (this.game.covered && this.game.me !== this.seat)
            this.handOn();
        this.seat = this.game.me;
        const lines = this.core.lines();
        if (lines.length > this.seenLines) {
            this.tellNews(lines);
            this.seenLines = lines.length;
            this.picked = [];
            this.aside = false;
        }
        this.render();
        const sealed = this.game.me >= 0 && this.game.isSealed();
        if (sealed && !this.sealed && this.view)
            announce(`${this.say(this.view, 'wait')[0]}.`);
        this.sealed = sealed;
    }

    /** Another person takes the device: nothing of the last one's choice stays. */
    handOn() {
        this.picked = [];
        this.sheet = '';
        this.aim = null;
        this.aimKey = '';
        this.focus = [0, 0];
        $('#toast').hidden = true;
        announce(_('Pass the device to %{name}', { name: this.game.covered }));
    }

    /** Announces what has happened since the last look. @param {string[]} lines */
    tellNews(lines) {
        const fresh = logEntries(lines, this.edition).filter((e) => e.line >= this.seenLines);
        const words = fresh.filter((e) => e.kind === 'line').map((e) => `${e.text}.`);
        this.before = new Map();
        const then = this.core.viewAt(this.seenLines, -1);
        if (then && lines.length - this.seenLines < 30)
            then.desks.forEach((d, s) => d.slots.forEach(({ card, marks }) => card && this.before.set(`${s}.${card}`, marks)));
        const view = this.core.view(this.game.me);
        const loud = fresh.filter((e) => e.loud && (e.seat !== this.game.me || lines[e.line].startsWith('points'))).map((e) => `${e.text}.`);
        const turned = fresh.some((e) => e.kind === 'turn'), more = turned ? this.missedWords(lines) : [];
        if (view && view.turn === 0 && view.round > 0 && turned)
            more.push(_('Round %{n} begins: the expedition cards are shuffled, a new torch can be lit.', { n: view.round + 1 }));
        loud.push(...more);
        words.push(...more);
        if (view?.phase === 'mark' && turned)
            words.push(this.turnWords(view));
        if (view?.phase === 'replace')
            words.push(...this.orderWords(view));
        announce(words.join(' '));
        if (loud.length)
            toast(loud.join(' '), 3000 + 1500 * loud.length, '');
        const has = /** @param {string} word */ (word) => fresh.some((e) => lines[e.line].startsWith(word));
        if (has('mark ')) play('ready');
        if (turned) play('card', .3);
        if (view?.phase === 'replace' && view.order[view.place] === this.game.me) play('yours', .3);
        for (const { line, seat } of fresh)
            if (lines[line].startsWith('points '))
                this.then.push(() => this.flyTile(lines[line].split(' ')[2], Number(lines[line].split(' ')[3]), seat));
    }

    /** Where the looking seat stands among those who take new cards. @param {View} view */
    orderWords(view) {
        const at = view.order.indexOf(this.game.me, view.place);
        if (at < 0)
            return [];
        if (at === view.place) {
            const open = view.display.filter(Boolean).length;
            return [view.deckLeft ? ngettext('Your choice: %{n} card and the deck.', 'Your choice: %{n} cards and the deck.', open) :
                ngettext('Your choice: %{n} card.', 'Your choice: %{n} cards.', open)];
        }
        return [_('You choose after %{names}.', { names: listWords(view.order.slice(view.place, at).map((s) => this.game.seats[s].name)) })];
    }

    /** Who reached a 2nd, 4th or 6th pyramid in the turn that has ended, when no points of that colour were left. @param {string[]} lines */
    missedWords(lines) {
        const [from, to] = lines.flatMap((l, i) => l.startsWith('reveal ') ? [i] : []).slice(-2);
        const before = to ? this.core.viewAt(from + 1, -1) : null, after = before && this.core.viewAt(to, -1);
        if (!before || !after)
            return [];
        const points = lines.slice(from, to).filter((l) => l.startsWith('points '));
        return after.desks.flatMap((desk, s) => COLOURS.flatMap((colour) => {
            const [a, b] = [before.desks[s], desk].map(({ done }) => done.filter((n) => this.edition.cards[n].colour === colour).length);
            return b < 7 && (b >> 1) > (a >> 1) && !points.some((l) => l.startsWith(`points ${s + 1} ${colour} `)) ?
                [_('No pyramid points for %{colour} were left for %{name}.', { colour: colourName(colour), name: this.game.seats[s].name })] : [];
        }));
    }

    /** @param {View} view */
    turnWords(view) {
        const pattern = this.edition.patterns[view.revealed[view.turn]], aim = view.seat >= 0 && this.core.isWaiting(view.seat) ? new Aim(this.core,
            view.seat, view) : null;
        const head = ngettext('Round %{round}, turn %{turn} of 7. %{pattern}, %{n} space.',
            'Round %{round}, turn %{turn} of 7. %{pattern}, %{n} spaces.', pattern.size,
            { round: view.round + 1, turn: view.turn + 1, pattern: patternName(pattern) });
        const places = (aim?.cards ?? []).map((card, slot) => card ? ngettext('%{n} place on card %{card}.', '%{n} places on card %{card}.',
            aim ? aim.patterns.filter((p) => p.slot === slot).length : 0, { card }) : '').join(' ');
        return `${head} ${places}`;
    }

    render() {
        const view = this.core.view(this.game.me);
        if (!view)
            return;
        this.view = view;
        this.refreshAim(view);
        this.keepHeld(view);
        const leaving = this.leaving(view), hadFocus = this.root.contains(document.activeElement);
        if (this.game.covered)
            put(this.root, this.coverHtml());
        else if (view.phase === 'keep')
            put(this.root, this.setupHtml(view));
        else {
            put(this.root, this.tableHtml(view));
            this.layers();
            this.applySheet();
            const over = this.root.querySelector('.over');
            for (const part of $$('.top, .body, .dock', this.root))
                part.inert = over !== null || (this.sheet !== '' && !part.matches('.body'));
            if (over && !over.contains(document.activeElement))
                $('h1', over).focus();
            this.animate(view, leaving);
        }
        // What had the focus is gone: whoever plays by keys goes on at the heading, which says what is due.
        if (hadFocus && !this.root.contains(document.activeElement)) {
            const title = $('h1', this.root);
            title.tabIndex = -1;
            title.focus({ preventScroll: true });
        }
    }

    // What moves: see motion.js

    /** Own cards that are about to be set aside, as they lie there. @param {View} view */
    leaving(view) {
        const { me } = this.game;
        if (me < 0 || me !== this.last.seat || isStill())
            return [];
        const gone = this.last.cards.filter((n) => n && view.desks[me].done.includes(n) && !view.desks[me].slots.some((s) => s.card === n));
        return gone.flatMap((n) => {
            const article = this.root.querySelector(`.cards-in article[data-n="${n}"]`);
            if (!(article instanceof HTMLElement))
                return [];
            const copy = /** @type {HTMLElement} */ (article.cloneNode(true));
            copy.querySelector('.cells')?.remove();
            return [{ n, copy, box: article.getBoundingClientRect() }];
        });
    }

    /** Moves what has changed since the last time. @param {View} view @param {{n: number, copy: HTMLElement, box: DOMRect}[]} leaving */
    animate(view, leaving) {
        const { last, aim } = this, { me } = this.game, seat = Math.max(0, me);
        const now = { seat: me, tray: `${view.round}.${view.turn}.${aim?.extra ?? ''}`, quarters: aim?.quarters ?? 0, mirror: aim?.mirror ?? 0,
            cards: view.desks[seat].slots.map((s) => s.card), totals: view.scores.map((score, s) => s === seat ? this.totalOf(view, s) : score.total) };
        this.last = now;
        view.desks[seat].slots.forEach(({ card, marks }) => this.inked.set(`${me}.${card}`, marks));
        const then = this.then;
        this.then = [];
        if (last.seat !== me || isStill())
            return;
        if (last.tray === now.tray && (last.quarters !== now.quarters || last.mirror !== now.mirror)) {
            const quarters = (now.quarters - last.quarters + 5) % 4 - 1;
            move(this.root.querySelector('.xcard .pat'), [{ transform: `rotate(${-90 * quarters}deg) scaleX(${last.mirror === now.mirror ? 1 : -1})` },
                { transform: 'none' }], 120);
        }
        for (const { n, copy, box } of leaving)
            fly(copy, box, this.seen(`.score .dn[data-n="${n}"]`, '.strip .tot', '.dock [data-open=score]'), { duration: 600, fade: true });
        for (const n of now.cards)
            if (n && last.cards.length && !last.cards.includes(n))
                move(this.root.querySelector(`.cards-in article[data-n="${n}"]`), [{ opacity: 0, transform: 'scale(.9)' }, { opacity: 1, transform: 'none' }], 360);
        now.totals.forEach((total, s) => {
            for (const place of s === seat ? $$('.score .tot, .strip .tot', this.root) : $$(`.opp[data-seat="${s}"] .num`, this.root))
                count(place, last.totals[s] ?? total, total, signed);
        });
        then.forEach((begin) => begin());
    }

    /** The first of these that can be seen. @param {string[]} selectors */
    seen(...selectors) {
        return selectors.flatMap((s) => $$(s, this.root)).find(isSeen) ?? null;
    }

    /** Pyramid points go to whoever took them. @param {string} colour @param {number} points @param {number} seat */
    flyTile(colour, points, seat) {
        const from = this.seen(`.pp .k-${colour} .v:nth-of-type(${2 + TILES.indexOf(points)})`, '.xcard');
        const to = seat === this.game.me ? this.seen('.score .tot', '.strip .tot', '.dock [data-open=score]') :
            this.seen(`.opp[data-seat="${seat}"] .num`, `.readies [data-seat="${seat}"]`, '.dock [data-open=opps]');
        const tile = document.createElement('span');
        tile.className = 'wontile num';
        tile.textContent = String(points);
        if (from)
            fly(tile, from.getBoundingClientRect(), to, { duration: 600 });
    }

    /** What a mark has brought goes to the score card, with its sounds.
     * @param {View} before @param {Place} mark @param {NonNullable<ReturnType<typeof this.preview>>} after @param {DOMRect[]} boxes of its spaces */
    flyGains(before, mark, after, boxes) {
        const { me } = this.game, desk = before.desks[me], face = this.edition.cards[desk.slots[mark.slot].card].cells;
        const had = /** @type {Record<string, number>} */ ({ r: desk.rubies, e: desk.emeralds, s: desk.skulls, f: before.round });
        const brought = new Set(after.gains.map((g) => g.c));
        let wait = .12;
        play('pen');
        for (const [c, name] of /** @type {const} */ ([['r', 'gem'], ['e', 'gem'], ['f', 'torch'], ['s', 'skull'], ['T', 'tomb']]))
            if (brought.has(c)) {
                play(name, wait);
                wait += .15;
            }
        mark.cells.forEach((i, k) => {
            const c = face[i];
            if (!(c in had) || !brought.has(c))
                return;
            const slot = c === 'f' ? had.f : had[c]++;
            const to = this.seen(`.score [data-of="${c}${slot}"]`, `.strip [data-of="${c}"]`, '.dock [data-open=score]'), copy = document.createElement('span');
            copy.innerHTML = symbol(SYMBOLS[c]);
            fly(copy, boxes[k], to, { delay: 60 * k });
            if (to?.closest('.score'))
                move(to, [{ opacity: 0 }, { opacity: 0, offset: .85 }, { opacity: 1 }], 360, 60 * k);
        });
    }

    /** @param {View} view */
    refreshAim(view) {
        const { me } = this.game, due = me >= 0 && view.phase === 'mark' && this.core.isWaiting(me) && !this.core.isReady(me);
        const key = due ? `${this.core.lines().length}.${this.core.made(me).length}.${me}` : '';
        if (key === this.aimKey)
            return;
        const old = this.aim;
        this.aimKey = key;
        this.aim = due ? new Aim(this.core, me, view) : null;
        this.aim?.inherit(old);
    }

    /** What is placed or picked outlives a closed window: it is kept at every look, and brought back at the first. @param {View} view */
    keepHeld(view) {
        const { game, aim } = this, at = this.aimKey || `${this.core.lines().length}.${view.phase}.${game.me}`;
        if (!this.looked && game.held?.at === at) {
            const place = aim && [...aim.patterns, ...aim.singles].find((p) => String(p.step) === game.held?.pin);
            this.picked = game.held.picked;
            if (place)
                aim.set(place);
        }
        this.looked = true;
        game.hold({ at, pin: String(aim?.pin?.step ?? ''), picked: this.picked });
    }

    canAim() { return this.aim !== null && !this.aim.mustPass && !this.game.covered && !this.root.querySelector('.over'); }

    coverHtml() {
        const name = this.game.covered;
        return `<main class="view cover"><div class="panel cover-in">${avatar(this.game.me, { me: true })}<h1 class="title">${
            esc(_('Pass the device to %{name}', { name }))}</h1>
            <p>${esc(_('The cards are covered until %{name} is ready. Nobody else should look.',
                { name }))}</p><button class="btn pri big" data-a="uncover">${esc(_('I am %{name}', { name }))}</button>
            <button class="btn ghost" data-a="home">${_('Home')}</button></div></main>`;
    }

    /** @param {View} view */
    setupHtml(view) {
        const { me } = this.game, sealed = this.game.isSealed(), watching = me < 0;
        // A choice may have been made in another window, or by a bot in this player's place.
        const made = sealed ? this.core.made(me)[0] : undefined, kept = made?.kind === 'keep' ? made.cards : this.picked;
        const label = kept.length === 2 ? _('Keep %{a} and %{b}', { a: kept[0], b: kept[1] }) : ngettext('Keep two (%{n} of 2)',
            'Keep two (%{n} of 2)', kept.length);
        const card = /** @param {number} n */ (n) => `<button class="pick" aria-pressed="${kept.includes(n)}" data-pick="${n}" ${sealed ?
            'aria-disabled="true"' : ''}><span class="vh">${esc(cardInWords(this.edition, n))}</span><span class="tick">${icon('check')}</span>${
                picture(this.edition.cards[n])}<span class="cap" aria-hidden="true">${this.capHtml(n)}</span></button>`;
        return `<div class="view setup">${this.topHtml(`<span class="roundtext">${_('Setup')}</span>`, '')}${this.bannerHtml()}
            <main class="setup-in"><div class="intro"><h1 class="title">${watching ? _('The players choose their first cards') : sealed ?
                this.game.isUnsent() ? _('Waiting for the connection') : _('Waiting for the others') : _('Keep two of your four pyramids')}</h1>
            <p>${_('The other two go back into the deck. Nobody sees what you return.')}</p></div>
            <div class="deal" role="group" aria-label="${esc(_('Your four cards'))}">${view.dealt.map(card).join('')}</div>
            <div class="setup-foot"><p class="hint">${icon('info')}<span>${
                _('The 2nd, 4th and 6th pyramid of a colour earn 10, 6 or 3 points, first come first served.')}</span></p>
            <div class="foot"><div class="panel bar"><div class="who">${this.game.seats.map((seat, s) => s === me ? '' :
                `<div>${avatar(s, { bot: seat.level !== '' })}<span><bdi>${esc(seat.name)}</bdi><small class="${
                this.game.isIn(s) ? 'ok' : ''}">${this.game.isIn(s) ? _('ready') : _('choosing')}</small></span></div>`).join('')}</div>${watching ?
                    '' : sealed
                ? `<button class="btn" data-a="retract">${icon('undo')}${_('Take back')}</button>`
                : `<button class="btn pri" data-a="keep" aria-disabled="${kept.length !== 2}">${icon('check')}${
                    esc(label)}</button>`}</div></div></div></main></div>`;
    }

    /** @param {number} n */
    capHtml(n) { return cardSymbols(this.edition, n).map(({ c, n: k }) => `<span>${symbolOf(c)}${k}</span>`).join(''); }

    bannerHtml() {
        const { banner } = this.game;
        return banner ? `<div class="banner" role="${banner.alert ? 'alert' : 'status'}">${banner.icon ? icon(banner.icon) : ''}<span>${esc(banner.text)}</span>${banner.actions.map((a, i) =>
            `<button class="btn" data-banner="${i}">${esc(a.label)}</button>`).join('')}</div>` : '';
    }

    /** @param {string} middle @param {string} right */
    topHtml(middle, right) {
        return `<header class="top"><button class="iconbtn" data-a="menu" aria-label="${esc(_('Menu'))}">${
            icon('menu')}</button><a href="#" class="no-p" aria-label="${esc(_('Pyramids, home'))}">${wordmark}</a>${middle}${this.game.deadline ?
            '<span class="clock" role="timer" data-same="clock"></span>' : ''}<span class="sp"></span>${
            right}<button class="iconbtn no-p no-t" data-a="sound" aria-pressed="${settings.sound}" aria-label="${esc(_('Sounds'))}">${
            icon(settings.sound ? 'sound' : 'mute')}</button><button class="iconbtn" data-a="help" aria-label="${
            esc(_('Help and keys'))}">${icon('help')}</button><button class="iconbtn no-p no-t" data-a="settings" aria-label="${
            esc(_('Settings'))}">${icon('gear')}</button></header>`;
    }

    /** @param {View} view */
    tableHtml(view) {
        const values = { round: view.round + 1, turn: view.turn + 1 };
        const rounds = `<ol class="rounds no-p" aria-hidden="true">${ROMAN.map((r, i) =>
            `<li class="${i === view.round ? 'now' : ''}"><span class="rn">${r}</span><span class="pips">${[0, 1, 2, 3, 4, 5, 6].map((t) =>
            `<i class="${i < view.round || (i === view.round && t < view.turn) ? 'past' : i === view.round && t === view.turn ? 'now' :
                ''}"></i>`).join('')}</span></li>`).join('')}</ol>`;
        const mode = this.mode(view), hint = this.game.hints && this.aim ? `<button class="iconbtn no-p" data-a="hint" aria-label="${
            esc(_('Hint'))}" title="${esc(_('Hint (H)'))}">${icon('bulb')}</button>` : '';
        const { coach } = this.game;
        const shortRound = coach ? esc(_('Step %{n} of %{of}', { n: coach.step, of: coach.of })) : esc(_('Round %{round} · turn %{turn} of 7',
            values));
        const waiting = this.game.seats.filter((_s, s) => s !== this.game.me && this.game.isIn(s)).length;
        return `<div class="view table mode-${mode}" ${this.sheet ? `data-sheet="${this.sheet}"` : ''}>
            ${this.topHtml(`<span class="roundtext only-p ${shortRound.length > 20 ? 'long' : ''}">${shortRound}</span>${rounds}<span class="roundtext no-p">${coach ? shortRound :
                esc(_('Round %{round} of 4, turn %{turn} of 7', values))}</span>`,
                `${coach ? `<button class="btn ghost" data-a="steps">${_('Steps')}</button><button class="btn" data-a="skip">${_('Skip')}</button>` :
                    this.readiesHtml()}${hint}<button class="iconbtn no-p" data-open="log" aria-label="${esc(_('Game log'))}" aria-expanded="${
                    this.sheet === 'log'}">${icon('log')}</button>`)}
            <div class="body">${mode === 'choose' ? '' : this.bannerHtml()}<main class="center">${this.trayHtml(view, mode,
                shortRound)}<div class="cards"><div class="cards-in">${view.desks[Math.max(0, this.game.me)].slots.map((slot, i) =>
                this.cardHtml(view, slot, i)).join('')}</div></div>${this.stripHtml(view)}${this.actsHtml(view, mode)}</main>
            <aside class="left" aria-label="${esc(_('Score card and log'))}">${this.scoreHtml(view)}${this.logHtml()}</aside>
            <aside class="right" aria-label="${esc(_('Players and display'))}"><div class="opps" role="group" aria-label="${esc(_('Players'))}">${
                this.shutHtml()}${view.desks.map((_d, s) => s === this.game.me ? '' : this.opponentHtml(view, s)).join('')}</div>${this.displayHtml(
                view)}</aside></div>
            <nav class="dock" aria-label="${esc(_('Panels'))}"><button data-open="score">${icon('score')}<span class="dl">${
                _('Score')}</span><span class="bd sc-bd">${signed(this.totalOf(view, this.game.me))}</span></button><button data-open="opps">${
                icon('people')}<span class="dl">${
                _('Players')}</span><span class="bd">${waiting}/${this.game.seats.length - (this.game.me < 0 ? 0 :
                    1)}</span></button><button data-open="disp">${icon('cards')}<span class="dl">${
                    _('Display')}</span></button><button data-open="log">${icon('log')}<span class="dl">${
                _('Log')}</span></button><button class="only-s" data-a="menu" aria-label="${esc(_('Menu'))}">${icon('menu')}<span class="dl">${
                    _('Menu')}</span></button></nav><div class="scrim" data-close></div></div>${
            !this.aside && (mode === 'choose' || (mode === 'replace' && view.order.indexOf(this.game.me, view.place) > 0)) ? this.replaceHtml(view) : ''}`;
    }

    /** @param {View} view */
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

    /** With tombs of this turn counted already. @param {View} view @param {number} seat */
    totalOf(view, seat) {
        return seat < 0 ? 0 : view.scores[seat].total + (view.phase === 'mark' ? 10 * view.desks[seat].slots.filter((s) => s.tomb).length : 0);
    }

    shutHtml() { return `<button class="iconbtn shut" data-close aria-label="${esc(_('Close'))}">${icon('close')}</button>`; }

    readiesHtml() {
        return `<span class="readies only-p">${this.game.seats.map((seat, s) => {
            if (s === this.game.me)
                return '';
            const ready = this.game.isIn(s);
            return `<span class="av" role="img" data-seat="${s}" aria-label="${esc(ready ? _('%{name} is ready', { name: seat.name }) : _('%{name} is thinking',
                { name: seat.name }))}"><svg viewBox="0 0 40 40" aria-hidden="true"><use href="#a-${
                ['cat', 'jackal', 'ibis', 'scarab'][s]}"/></svg><span class="bdg ${ready ? 'ok' : ''}">${ready ? icon('check') :
                    '<span class="dots"><i></i><i></i><i></i></span>'}</span></span>`;
        }).join('')}</span>`;
    }

    /** @param {View} view @param {string} mode @returns {[string, string]} */
    say(view, mode) {
        const { coach } = this.game;
        if (coach)
            return [coach.title, mode === 'extra' ? _('Now the extra space, on either card. Then confirm.') : coach.text];
        const pattern = this.edition.patterns[view.revealed[view.turn]], name = pattern ? patternName(pattern) : '';    // none before the first turn
        const missing = this.game.seats.filter((_s, s) => s !== this.game.me && !this.game.isIn(s)).map((s) => s.name);
        const chooser = view.phase === 'replace' ? view.order[view.place] : -1;
        if (this.aim?.painting)
            return [_('Paint the pattern'), this.paintWords()];
        switch (mode) {
        case 'extra': return [_('One more space'), _('The red cross gives you one space on either card.')];
        case 'made': return [_('Your choice is complete'), _('Confirm it, or take marks back.')];
        case 'pass': return [_('Nothing to mark'), _('You have no card left, so you pass this turn.')];
        case 'wait': return this.game.isUnsent() ? [_('Waiting for the connection'), _('Your choice is kept here, and sent once as soon as the server is back.')] :
            [missing.length ? _('Sent. Waiting for %{names}', { names: listWords(missing) }) : _('Sent'),
            _('The others’ choices appear once everyone is ready.')];
        case 'choose': return [_('A pyramid is complete'), _('Choose your next card.')];
        case 'replace': return [_('%{name} takes a new card', { name: this.game.seats[chooser].name }), view.order.indexOf(this.game.me,
            view.place) > 0
            ? _('Then it is your turn to choose.') : _('The lowest completed card chooses first.')];
        case 'watch': return [chooser >= 0 ? _('%{name} takes a new card', { name: this.game.seats[chooser].name }) : _('You are watching'),
            missing.length
            ? _('Waiting for %{names}. Below are the cards of %{name}.', { names: listWords(missing), name: this.game.seats[0].name }) :
                _('All choices are in.')];
        default: return this.aim && !this.aim.patterns.length ? [_('The %{pattern} fits nowhere', { pattern: name }),
            _('Mark one space with blue corners instead.')] : this.aim?.one ? [_('Mark one space'),
            _('Any space with blue corners. The pattern is not used.')]
            : [_('Mark the %{pattern}', { pattern: name }), _('On one of your two cards, or mark a single space instead.')];
        }
    }

    paintWords() {
        const { aim } = this;
        return ngettext('Tap its spaces one by one: %{n} placement is left.', 'Tap its spaces one by one: %{n} placements are left.',
            aim ? aim.painted.length ? aim.holding(aim.paintedOn, aim.painted).length : aim.pool().length : 0);
    }

    /** @param {View} view @param {string} mode @param {string} shortRound */
    trayHtml(view, mode, shortRound) {
        const [title, text] = this.say(view, mode), now = this.edition.patterns[view.revealed[view.turn]];
        const left = this.edition.patterns.flatMap((p, i) => Array(Math.max(0, p.copies - view.revealed.filter((r) => r === i).length)).fill(p));
        const small = /** @param {import('./core.js').Pattern} p @param {string} kind @param {string} label */ (p, kind, label) =>
            `<span class="xm ${kind}" role="img" aria-label="${esc(label)}">${patternPicture(turned(p))}</span>`;
        const [q, m] = this.aim ? [this.aim.quarters, this.aim.mirror] : [0, 0];
        return `<section class="panel tray ${mode === 'pattern' && !this.aim?.one && !this.aim?.painting && !this.game.coach ? '' :
            'talk'}" aria-label="${
            esc(_('Expedition'))}"><div class="xcard" data-key="${view.round}.${view.turn}" role="img" aria-label="${esc(ngettext('%{pattern}, %{n} space', '%{pattern}, %{n} spaces', now.size, { pattern: patternName(now) }))}">${rose}<span class="xname">${
            esc(now.name)}</span>${patternPicture(this.aim?.extra ? [[0, 0]] : turned(now, q, m))}</div>
            <div class="say"><h1 class="title">${esc(title)}</h1><p>${esc(text)}</p></div>
            <div class="track"><span class="rt">${shortRound}</span><div class="grp"><span class="eyebrow">${
                _('This round')}</span><div class="row">${view.revealed.map((p, i) => small(this.edition.patterns[p], i === view.turn ? 'now' :
                'seen',
                i === view.turn ? _('%{pattern}, now', { pattern: patternName(this.edition.patterns[p]) }) : _('%{pattern}, played',
                    { pattern: patternName(this.edition.patterns[p]) }))).join('')}</div></div><div class="grp ${left.length < 4 ? 'few' : ''}"><span class="eyebrow">${
                _('Still in the deck')}</span><div class="row">${left.map((p) => small(p, 'rest', _('%{pattern}, to come or left over',
                    { pattern: patternName(p) }))).join('')}</div></div></div></section>`;
    }

    /** @param {View} view @param {import('./core.js').Slot} slot @param {number} i */
    cardHtml(view, slot, i) {
        if (!slot.card)
            return `<div class="pcard empty" data-key="empty${i}"><p>${view.phase === 'replace' && (view.deckLeft || view.display.some(Boolean)) ?
                _('New cards are being chosen') : _('No card left to take')}</p></div>`;
        const card = this.edition.cards[slot.card], aim = this.aim, pin = aim?.pin?.slot === i ? aim.pin : null;
        const reach = new Set(aim ? aim.reachable(i) : []), marks = new Set(slot.marks), open = [...card.cells].filter((c) => c !== '#').length;
        const old = this.inked.get(`${this.game.me}.${slot.card}`), fresh = old ? slot.marks.filter((m) => !old.includes(m)) : [];
        let cells = '';
        for (let y = 0; y < 5; y++) {
            cells += '<div role="row">';
            for (let x = 0; x < 5; x++) {
                const k = y * 5 + x, what = spaceWord(card.cells[k]), values = { space: spaceName(k), what };
                const label = marks.has(k) ? _('%{space}, %{what}, marked', values) : pin?.cells.includes(k) ? _('%{space}, %{what}, would be marked',
                    values)
                    : reach.has(k) ? _('%{space}, %{what}, can be marked', values) : _('%{space}, %{what}', values);
                cells += `<button role="gridcell" data-slot="${i}" data-cell="${k}" tabindex="${this.focus[i] === k ? 0 : -1}" aria-label="${
                    esc(label)}"${card.cells[k] === '#' || marks.has(k) ? ' aria-disabled="true"' : ''}></button>`;
            }
            cells += '</div>';
        }
        const label = _('Card %{n}, %{colour}, %{shape}, %{marked} of %{open} marked', { n: slot.card, colour: colourName(card.colour),
            shape: shapeName(card.colour), marked: slot.marks.length, open });
        return `<article class="pcard k-${card.colour} ${pin ? 'active' : ''} ${slot.tomb ? 'complete' : ''}" data-key="${slot.card}" data-n="${
            slot.card}"><div class="hwrap" data-same="${slot.card}">${head(card)}${headTall(card)}</div><div class="tip">${pin ? this.chipsHtml(
            view) : ''}</div><div class="chamber"><div class="art" data-key="${slot.marks.join('.')}" data-same="${
            slot.marks.join('.')}|${card.cells}">${chamber(card, slot.marks, { layers: true,
                fresh })}</div><div class="cells" role="grid" aria-label="${esc(label)}">${cells}</div></div></article>`;
    }

    /** What the placed marks bring. @param {View} view */
    preview(view) {
        const { me } = this.game;
        if (!this.aim?.pin)
            return null;
        const preview = this.core.preview(me, this.aim.pin.step);
        return preview && { ...preview, gains: gains(view.desks[me], preview.desk, view.round) };
    }

    /** @param {View} view */
    chipsHtml(view) {
        const { cycle } = this.aim ?? { cycle: { of: 0, at: 0 } };
        return (this.preview(view)?.gains ?? []).map(({ c, label }) => `<span class="chip">${symbolOf(c)}${label}</span>`).join('') + (cycle.of > 1 ?
            `<span class="chip cyc">${cycle.at + 1}/${cycle.of}</span>` : '');
    }

    /** @param {View} view @param {string} mode */
    actsHtml(view, mode) {
        const { aim } = this, can = aim !== null && !aim.mustPass, sealed = mode === 'wait';
        const off = /** @param {boolean} is */ (is) => `aria-disabled="${is}"`;
        const made = this.core.made(Math.max(0, this.game.me)).length > 0;
        const canUndo = sealed ? this.game.isSealed() : aim?.pin || aim?.painting || made;
        const ready = mode === 'pass' || mode === 'made' || aim?.pin;
        const more = !sealed && mode !== 'pass' && Boolean(this.preview(view)?.desk.due);
        const confirm = mode === 'pass' ? _('Pass') : sealed ? this.game.isUnsent() ? _('Kept') : _('Sent') : more ? _('Next') : _('Confirm');
        if (mode === 'watch')
            return `<section class="panel acts" aria-label="${esc(_('Watching'))}"><div class="fx">${icon('eye')}<span>${
                _('You see what everyone may see.')}</span></div></section>`;
        if (this.aside)
            return `<section class="panel acts" aria-label="${esc(_('Your move'))}"><div class="fx"><span>${_('A pyramid is complete')
            }</span></div><div class="ctl"><span class="sp"></span><button class="btn pri" data-a="cards">${icon('cards')}<span class="lbl">${
                _('New cards')}</span></button></div></section>`;
        return `<section class="panel acts" aria-label="${esc(_('Your move'))}"><div class="fx">${this.ribbonHtml(view,
            mode)}</div><div class="ctl"><div class="seg" role="group" aria-label="${esc(_('What to mark'))}"><button aria-pressed="${can &&
            !aim.one}" data-a="pattern" ${
            off(!can || aim.extra || !aim.patterns.length)}>${icon('ell')}${_('Pattern')}</button><button aria-pressed="${can &&
                aim.one}" data-a="single" ${off(!can)}>${icon('one')}${_('One space')}</button></div>
            <button class="btn only-p" data-a="one" aria-label="${esc(_('One space'))}" aria-pressed="${can && aim.one}" ${off(!can || aim.extra)}>${
                icon('one')}<span class="lb">${_('One')}</span></button>
            <button class="btn" data-a="rotate" title="${esc(_('Rotate the pattern (R)'))}" aria-label="${esc(_('Rotate the pattern'))}" ${off(!can ||
                aim.one)}>${icon('rot')}<span class="lb">${
                _('Rotate')}</span><kbd class="kbd">R</kbd></button><button class="btn" data-a="mirror" title="${
            esc(_('Mirror the pattern (F)'))}" aria-label="${esc(_('Mirror the pattern'))}" ${off(!can || aim.one)}>${icon('mir')}<span class="lb">${
                _('Mirror')}</span><kbd class="kbd">F</kbd></button>
            <button class="btn no-p" data-a="list" title="${esc(_('List placements (P)'))}" aria-label="${esc(_('List placements'))}" ${off(!can)}>${
                icon('list')}<span class="lb wide-only">${_('List')}</span></button>
            <span class="sp"></span><button class="btn" data-a="${sealed ? 'retract' : 'undo'}" title="${esc(_('Undo (U)'))}" ${off(!canUndo)}>${
                icon('undo')}<span class="lb">${sealed ? _('Take back') :
                _('Undo')}</span><kbd class="kbd">U</kbd></button><button class="btn pri ${confirm.length > 7 ? 'long' : ''}" data-a="confirm" ${
                more ? `aria-label="${esc(_('Next: confirm, then mark one more space'))}"` : ''} ${off(sealed || !ready)}>${icon('check')}<span class="lbl">${confirm}</span><kbd class="kbd">↵</kbd></button></div></section>`;
    }

    /** @param {View} view @param {string} mode */
    ribbonHtml(view, mode) {
        if (mode === 'wait')
            return `<span class="wax"><span class="seal">${icon('check')}</span>${_('Your move is sealed until everyone is ready')}</span>`;
        const { aim } = this, { me } = this.game;
        const made = this.core.made(me).map((s) => s.kind === 'mark' ? `<span class="crumb"><b>${spaceNames(s.cells)}</b> ${
            shape(this.edition.cards[view.desks[me].slots[s.slot].card].colour)}${view.desks[me].slots[s.slot].card}</span>` : '').join('');
        if (aim?.refused) {
            const { text, rule } = reason(aim.refused);
            return `${made}<span class="why">${icon('info')}${esc(text)}${ruleLink(rule)}</span>`;
        }
        if (mode === 'replace' || mode === 'choose')
            return `<span>${_('New cards are being chosen')}</span>`;
        const preview = this.preview(view);
        if (!aim?.pin || !preview)
            return `${made}<span>${aim?.extra ? _('Choose one more space on either card') : mode === 'pass' ? _('There is nothing to mark') :
                mode === 'made' ? _('Ready to confirm') : _('Choose a space to see what it brings')}</span>`;
        const now = this.totalOf(view, me), where = _('%{spaces} on card %{card}', { spaces: `<b>${spaceNames(aim.pin.cells)}</b>`,
            card: `<b>${view.desks[me].slots[aim.pin.slot].card}</b>` });
        return `${made}<span class="where">${where}</span>${preview.gains.map(({ c, label, text }) =>
            `<span class="chip"><span class="vh">${esc(text)}</span>${symbolOf(c)}${label}</span>`).join('')}<span class="chip res"><b>${
            signed(now)}</b><span class="arrow">→</span><b>${signed(preview.total)}</b></span>`;
    }

    /** @param {View} view */
    stripHtml(view) {
        const { me } = this.game;
        if (me < 0)
            return '';
        if (this.aim?.refused) {
            const { text, rule } = reason(this.aim.refused);
            return `<div class="panel strip why">${icon('info')}<span>${esc(text)}${ruleLink(rule)}</span></div>`;
        }
        const desk = view.desks[me], p = this.preview(view), now = this.totalOf(view, me), d = p ? p.total - now : 0;
        const delta = /** @param {number} n */ (n) => n ? `<span class="delta">${plus(n)}</span>` : '';
        const worst = desk.skulls ? -this.edition.skulls[desk.skulls - 1] : 0;
        return `<button class="panel strip" data-open="score"><span class="vh">${
            esc(_('Score card: rubies %{rubies}, emeralds %{emeralds}, skulls %{skulls}, total %{total}', { rubies: desk.rubies,
            emeralds: desk.emeralds, skulls: worst, total: now }))}</span><span data-of="r" aria-hidden="true">${symbol('ruby')}${desk.rubies}${
            delta(p ? p.desk.rubies - desk.rubies : 0)}</span><span data-of="e" aria-hidden="true">${symbol('emerald')}${desk.emeralds}${delta(p ?
                p.desk.emeralds - desk.emeralds : 0)}</span><span class="tt" data-of="f" aria-hidden="true">${desk.torches.map((t, i) =>
            symbol('torch', t || p?.desk.torches[i] ? '' : 'un')).join('')}</span><span data-of="s" aria-hidden="true">${symbol('skull')}${signed(worst)}${
                delta(p ? p.desk.skulls - desk.skulls : 0)}</span><span class="tot num" aria-hidden="true">${signed(now)}</span>${d ?
                `<span class="delta" aria-hidden="true">${plus(d)}</span>` : '<span aria-hidden="true"></span>'}</button>`;
    }

    /** @param {View} view */
    scoreHtml(view) {
        const seat = Math.max(0, this.game.me), desk = view.desks[seat], p = this.preview(view), next = p?.desk ?? desk, now = this.totalOf(view,
            seat), d = p ? p.total - now : 0;
        const gem = /** @param {'ruby' | 'emerald'} g @param {number} i @param {boolean} on @param {boolean} soon */ (g, i, on, soon) => on ?
            `<svg class="gs" data-of="${g[0]}${i}" viewBox="0 0 48 48" aria-hidden="true"><use href="#s-${g}"/></svg>`
            : soon ? `<span class="ring"><svg class="gs" viewBox="0 0 48 48" aria-hidden="true"><use href="#s-${g}"/></svg></span>` :
                `<svg class="gs" viewBox="0 0 48 48" aria-hidden="true"><path class="slot" d="${g === 'ruby' ? RUBY : EMERALD}"/></svg>`;
        const columns = [...Array(10).keys()].map((i) => {
            const r = i < desk.rubies, e = i < desk.emeralds;
            return `<div class="col ${r && e ? 'pair' : ''}">${gem('ruby', i, r, i < next.rubies)}${gem('emerald', i, e,
                i < next.emeralds)}<small>${r &&
                e ? 5 : r || e ? 1 : ''}</small></div>`;
        }).join('');
        const score = view.scores[seat], colourCount = /** @param {string} k */ (k) => desk.done.filter((n) =>
            this.edition.cards[n].colour === k).length;
        const done = [...desk.done, ...desk.slots.filter((s) => s.tomb && view.phase === 'mark').map((s) => s.card)];
        const seatName = this.game.seats[seat].name;
        return `<section class="panel score" aria-label="${esc(_('Score card of %{name}', { name: seatName }))}">${this.shutHtml()}<div class="hd">${
            avatar(seat, { me: seat === this.game.me })}<div class="who"><b dir="auto">${esc(seatName)}</b><span class="eyebrow">${
            _('Score card')}</span></div><div class="tot num">${signed(now)}${d ? `<span class="delta">${plus(d)}</span>` : ''}</div></div>
            <div class="blk p-done"><div class="bh"><span class="eyebrow">${_('Pyramids')}</span><b>${10 * done.length}</b></div><div class="done">${
                done.map((n) => this.numberHtml(n)).join('') || `<span class="none">${_('none yet')}</span>`}</div></div>
            <div class="blk"><div class="bh"><span class="eyebrow">${_('Pyramid points')}</span><b>${score.points}</b></div><ul class="pp">${
                COLOURS.map((k, c) => `<li class="k-${k}"><span class="k">${shape(k)}<span class="vh">${colourName(k)} </span>${
                colourCount(k)}</span>${TILES.map((v, i) => {
                const owner = view.tiles[c][i];
                const label = owner < 0 ? _('%{points}, free', { points: v }) : _('%{points}, taken by %{name}', { points: v,
                    name: this.game.seats[owner].name });
                return `<span class="v ${owner < 0 ? '' : owner === seat ? 'mine' : 'taken'}" role="img" aria-label="${esc(label)}">${owner >= 0 &&
                    owner !== seat ? `<s>${v}</s>` : v}${owner === seat ? icon('check') : owner >= 0 ? avatar(owner, { small: true }) : ''}</span>`;
            }).join('')}</li>`).join('')}</ul></div>
            <div class="blk"><div class="bh"><span class="eyebrow">${_('Gems')}</span><b>${
                score.gems}</b></div><div class="gems" role="img" aria-label="${esc(_('Rubies %{rubies}, emeralds %{emeralds}', { rubies: desk.rubies,
                emeralds: desk.emeralds }))}">${columns}</div></div>
            <div class="blk"><div class="bh"><span class="eyebrow">${_('Torches')}</span><b>${score.torches}</b></div><ul class="torches">${
                desk.torches.map((t, i) => `<li data-of="f${i}" class="${t ? 'lit' : next.torches[i] ? 'next' : i < view.round ? 'missed' :
                i === view.round ? 'due' : ''}">${symbol('torch', t || next.torches[i] ? '' : 'un')}${ROMAN[i]}<span class="vh">${
                t ? _('marked') : _('not marked')}</span></li>`).join('')}</ul></div>
            <div class="blk"><div class="bh"><span class="eyebrow">${_('Skulls')}</span><b class="neg">${
                signed(score.skulls)}</b></div><ol class="skulls">${this.edition.skulls.map((v, i) =>
                `<li data-of="s${i}" class="${i < desk.skulls ? '' : i < next.skulls ? 'next' : 'un'} ${i === desk.skulls - 1 ? 'worst' : ''}">${symbol('skull')}−${
                v}</li>`).join('')}</ol></div></section>`;
    }

    /** @param {number} n */
    numberHtml(n) { const k = this.edition.cards[n].colour; return `<span class="dn k-${k}" data-n="${n}">${shape(k)}${n}</span>`; }

    logHtml() {
        const { core } = this, lines = core.lines().filter((_l, i) => core.isVisible(i, this.game.me));
        const entries = logEntries(lines, this.edition);
        /** @type {string[]} */
        let part = [];
        /** @type {string[][]} */
        const parts = [part];
        for (const e of entries) {
            if (e.kind === 'turn')
                parts.push(part = [`<li class="turn">${e.html}</li>`]);
            else
                part.push(`<li class="ln">${avatar(e.seat, { small: true, me: e.seat === this.game.me })}${e.mark ?
                    // Reached by keys in the open log only: docked, its many lines would stand between the other panels.
                    `<button class="moment" data-look="${e.mark.card}" data-marks="${e.mark.marks.join(' ')}" data-fresh="${e.mark.cells.join(' ')}" tabindex="${
                        this.sheet === 'log' ? 0 : -1}">${e.html}</button>` : `<span>${e.html}</span>`}</li>`);
        }
        return `<section class="panel log" aria-label="${esc(_('Game log'))}"><div class="ph"><span class="eyebrow">${_('Game log')}</span>${
            this.shutHtml()}<button class="iconbtn open" data-open="log" aria-label="${esc(_('Open the whole log'))}">${
            icon('right')}</button></div><div class="logbox" tabindex="0" role="log" aria-live="off" aria-label="${
            esc(_('Game log, newest turn first'))}"><ol>${parts.reverse().flat().join('')}</ol></div></section>`;
    }

    /** @param {number} card @param {number[]} marks @param {number[]} [fresh] */
    lookHtml(card, marks, fresh = []) {
        return card ? `<button class="look" data-look="${card}" data-marks="${marks.join(' ')}" aria-label="${esc(_('Look at card %{n}, %{colour}',
            { n: card, colour: colourName(this.edition.cards[card].colour) }))}">${mini(this.edition.cards[card], marks, fresh)}</button>` :
            '<span class="mini none"></span>';
    }

    /** @param {View} view @param {number} s */
    opponentHtml(view, s) {
        const seat = this.game.seats[s], desk = view.desks[s], status = this.game.status(s);
        const words = { ready: _('ready'), thinking: _('thinking'), choosing: _('choosing a card'), next: _('next to choose'), idle: '',
            away: _('away, a bot plays'), gone: this.game.minutesGone(s) ? _('away %{n} min', { n: this.game.minutesGone(s) }) :
                _('not connected') }[status];
        const sub = seat.level ? _('bot, %{level}', { level: levelName(seat.level) }) : ngettext('%{n} pyramid', '%{n} pyramids', desk.done.length);
        const worst = desk.skulls ? -this.edition.skulls[desk.skulls - 1] : 0;
        return `<article class="panel opp" data-seat="${s}" aria-label="${esc(ngettext('%{name}, %{n} point, %{status}', '%{name}, %{n} points, %{status}',
            view.scores[s].total, { name: seat.name, status: words }))}"><div class="id">${avatar(s,
            { bot: seat.level !== '' })}<div><div class="nm"><span class="nmt" dir="auto">${esc(seat.name)}</span><span class="num">${
            signed(view.scores[s].total)}</span></div><div class="sub">${esc(sub)}</div></div>
            <div class="st ${status}">${status === 'ready' ? icon('check') : status === 'gone' ? icon('wifi') : status === 'away' ? '' : '<span class="dots"><i></i><i></i><i></i></span>'}${
                esc(words)}<span class="pyrs" aria-hidden="true">${shape('orange')}${desk.done.length}</span></div>
            <div class="bits" role="img" aria-label="${
                esc(_('Pyramids %{pyramids}, rubies %{rubies}, emeralds %{emeralds}, torches %{torches}, skulls %{skulls}',
                { pyramids: desk.done.length, rubies: desk.rubies, emeralds: desk.emeralds, torches: desk.torches.filter(Boolean).length,
                skulls: worst }))}"><span>${symbol('ruby')}${
                desk.rubies}</span><span>${symbol('emerald')}${desk.emeralds}</span><span>${symbol('torch')}${desk.torches.filter(
                    Boolean).length}</span><span>${symbol('skull')}${signed(worst)}</span></div></div>${desk.slots.map((slot) => {
                const old = this.before.get(`${s}.${slot.card}`);
                return this.lookHtml(slot.card, slot.marks, old ? slot.marks.filter((m) => !old.includes(m)) : []);
            }).join('')}</article>`;
    }

    /** @param {View} view */
    displayHtml(view) {
        const deck = ngettext('%{n} card', '%{n} cards', view.deckLeft);
        return `<section class="panel disp" aria-label="${esc(_('Display and deck'))}"><div class="ph"><span class="eyebrow">${_('Display')}</span>${
            this.shutHtml()}</div><div class="grid">${view.display.map((n) => `<div class="dcell">${this.lookHtml(n, [])}</div>`).join(
            '')}<div class="dcell dk">${bigDeck(view.deckLeft)}</div></div><div class="deck">${deckArt}<span>${_('Deck')}<small>${
            esc(deck)}</small></span></div></section>`;
    }

    /** @param {View} view */
    replaceHtml(view) {
        const { me } = this.game, armed = view.order[view.place] === me, off = armed ? '' : 'aria-disabled="true"', fresh = view.fresh[me], [choice] = this.picked, none = this.picked.length === 0, chosen = this.picked.length ?
            choice : -1;
        const title = fresh.length > 1 ? _('Cards %{a} and %{b} are complete', { a: fresh[0], b: fresh[1] }) : _('Card %{n} is complete',
            { n: fresh[0] });
        const colours = view.desks[me].done.map((n) => this.edition.cards[n].colour);
        const pick = /** @param {number} n */ (n) => { const k = this.edition.cards[n].colour; return `<button class="pick" aria-pressed="${
            chosen === n}" data-next="${n}" ${off}><span class="vh">${esc(cardInWords(this.edition, n))}</span><span class="tick">${icon('check')}</span>${
            picture(this.edition.cards[n])}<span class="cap" aria-hidden="true">${this.capHtml(n)}</span><span class="cap nth k-${k}">${shape(k)}${
                esc(nth(colours.filter((c) => c === k).length + 1, k))}</span></button>`; };
        const order = view.order.map((s, i) => `<li class="${i < view.place ? 'past' : i === view.place ? 'now' : ''}">${avatar(s, { small: true,
            me: s === me })}<span>${Math.min(...view.fresh[s])}</span></li>`).join('');
        return `<div class="over" role="dialog" aria-modal="true" aria-labelledby="rp-t">${this.bannerHtml()}<div class="panel ov"><div class="ovh"><div><h1 class="title" id="rp-t" tabindex="-1">${
            esc(title)}</h1><p>${!armed ? esc(_('%{name} chooses first, with card %{n}.', { name: this.game.seats[view.order[view.place]].name,
                n: Math.min(...view.fresh[view.order[view.place]]) })) : view.owed > 1
            ? _('Take your next pyramid from the display, or the unseen top card of the deck. You take two, one after the other.') :
                _('Take your next pyramid from the display, or the unseen top card of the deck.')}</p></div><div class="ovr"><ol class="order" aria-label="${
                esc(_('Order of choosing'))}">${order}</ol><button class="btn" data-a="table">${icon('eye')}${_('Table')}</button></div></div>
            <div class="deal five" role="group" aria-label="${esc(_('Cards to take'))}">${view.display.filter(Boolean).map(pick).join('')}${
                view.deckLeft ? `<button class="pick deckpick" aria-pressed="${chosen === 0}" data-next="0" ${off}><span class="vh">${
                esc(_('Unseen top card.'))} </span><span class="tick">${icon('check')}</span><span class="dback">${
                cardBack}</span><span class="cap">${
                esc(ngettext('Deck, %{n} card', 'Deck, %{n} cards', view.deckLeft))}</span></button>` : ''}</div>
            <div class="ovf"><span class="note">${icon('info')}${
                this.game.isUnsent() ? _('Your choice is kept here, and sent once as soon as the server is back.') : _('New cards are laid out when you are done.')}</span><button class="btn pri" data-a="take" aria-disabled="${none}">${icon('check')}${
                none ? _('Take a card') : choice ? esc(_('Take %{n}', { n: choice })) : _('Draw from the deck')}</button></div></div></div>`;
    }

    // Layers and drawers

    /** Legal spaces and the ghost, drawn over the cards. */
    layers() {
        const { aim } = this;
        $$('.cards-in article', this.root).forEach((article) => {
            const slot = Number($('.cells button', article).dataset.slot), lg = article.querySelector('.lg'), gh = article.querySelector('.gh');
            const painted = aim?.painting && aim.painted.length ? { slot: aim.paintedOn, cells: aim.painted } : null;
            const shown = painted ?? aim?.hover ?? aim?.pin ?? null, here = shown && shown.slot === slot ? shown : null;
            const hover = painted ? null : aim?.hover ?? null;
            // While painting, the spaces that are still possible; else those that can be marked singly.
            const legal = !aim || aim.mustPass ? [] : (painted?.slot === slot ? aim.holding(slot, painted.cells).flatMap((p) => p.cells) :
                aim.singles.filter((p) => p.slot === slot).map((p) => p.cells[0])).filter((c, i, all) => !here?.cells.includes(c) && all.indexOf(c) === i);
            if (lg) lg.innerHTML = legalLayer(legal);
            if (gh) {
                gh.setAttribute('class', `gh ${here && hover ? (hover.bad ? 'bad' : 'hov') : ''}`);
                gh.innerHTML = here ? ghostLayer(Number(article.dataset.n), here.cells) : '';
            }
            article.classList.toggle('active', here !== null);
        });
    }

    /** @param {string} name '' closes */
    openSheet(name) {
        const from = /** @type {HTMLElement | null} */ (document.activeElement);
        if (name && (!this.root.querySelector(`.${name}`) || this.root.querySelector('.over')))      // no panels yet, or out of reach
            return;
        if (name)
            this.sheetFrom = from;
        this.sheet = name;
        this.render();
        // On a phone the way back closes the drawer, where the browser knows how.
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
        for (const part of $$('.center, .score, .log, .opps, .disp', this.root))
            part.inert = this.sheet !== '' && !part.classList.contains(this.sheet);
    }

    // What the player does

    /** @param {MouseEvent} event */
    click(event) {
        if (this.wasDragged) {
            this.wasDragged = false;
            if (near(event, '.cells'))
                return;
        }
        if (this.peek?.held) {
            this.peek.held = false;
            return;
        }
        const cell = near(event, '[data-cell]');
        if (cell) {
            this.choose(Number(cell.dataset.slot), Number(cell.dataset.cell));
            return;
        }
        const act = near(event, '[data-a]')?.dataset.a, open = near(event, '[data-open]')?.dataset.open, look = near(event, '[data-look]');
        const banner = near(event, '[data-banner]')?.dataset.banner;
        if (banner !== undefined) this.game.banner?.actions[Number(banner)]?.act();
        else if (act) this.act(act);
        else if (open) this.openSheet(open);
        else if (near(event, '[data-close]')) this.openSheet('');
        else if (look) this.look(...lookOf(look));
        else this.pick(near(event, '[data-pick]')?.dataset.pick, near(event, '[data-next]')?.dataset.next);
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
        const { game, aim, core } = this;
        switch (what) {
        case 'uncover': game.uncover(); break;
        case 'home': this.around.home(); break;
        case 'skip': game.skip(); break;
        case 'steps': game.steps(); break;
        case 'menu': this.menu(); break;
        case 'help': this.around.help(); break;
        case 'settings': this.around.settings(); break;
        case 'sound':
            saveSettings({ sound: !settings.sound });
            play('gem');
            this.render();
            break;
        case 'table': case 'cards':
            this.aside = what === 'table';
            this.render();
            if (this.aside)
                this.root.querySelector(/** @type {'button'} */ ('[data-a=cards]'))?.focus();
            break;
        case 'hint': void this.hint(); break;
        case 'list': this.listPlacements(); break;
        case 'keep':
            if (this.picked.length === 2 && core.step(game.me, keepStep(this.picked[0], this.picked[1])) === 0)
                game.confirm();
            break;
        case 'take':
            if (this.picked.length) {
                const [card] = this.picked;
                this.picked = [];
                game.take(card);
            }
            break;
        case 'confirm': this.confirm(); break;
        case 'undo': this.undo(); break;
        case 'retract': this.retract(); break;
        case 'rotate': this.turn(1); break;
        case 'mirror': this.turn(0); break;
        case 'one': case 'single': case 'pattern':
            if (aim && !aim.mustPass && !aim.extra && aim.patterns.length) {
                const [dot, ...more] = aim.painting ? aim.painted : [], slot = aim.paintedOn;
                aim.one = what === 'one' ? !aim.one : what === 'single';
                aim.set(null);
                aim.cycle = { slot: -1, cell: -1, at: 0, of: 0 };
                // One space was painted, and one is wanted.
                if (aim.one && dot !== undefined && !more.length)
                    aim.set(aim.holding(slot, [dot])[0] ?? null);
                this.render();
            }
            break;
        }
    }

    /** @param {number} slot @param {number} cell */
    choose(slot, cell) {
        if (!this.aim || !this.canAim())
            return;
        this.focus[slot] = cell;
        if (this.aim.painting)
            this.aim.dab(slot, cell);
        else
            this.aim.place(slot, cell);
        this.answer();
        this.render();
    }

    /** Says what became of a try to place something. */
    answer() {
        const { aim } = this;
        if (aim?.pin) {
            tick();
            this.sayPlaced();
        } else if (aim?.refused) {
            announce(reason(aim.refused).text);
        } else if (aim?.painting) {
            announce(this.paintWords());
        }
    }

    sayPlaced() {
        const { aim, view } = this;
        if (!aim?.pin || !view)
            return;
        const preview = this.preview(view), gained = preview?.gains.map((g) => g.text).join(', ');
        const values = { card: aim.cards[aim.pin.slot], spaces: spaceNames(aim.pin.cells), gains: gained || _('no symbols'),
            now: this.totalOf(view, this.game.me), then: preview?.total ?? '' };
        announce(preview?.desk.due ? _('Placed on %{card}: %{spaces}. %{gains}. %{now} to %{then}. Next: one more space.', values) :
            _('Placed on %{card}: %{spaces}. %{gains}. %{now} to %{then}. Confirm sends it.', values));
    }

    /** @param {number} by */
    turn(by) {
        const { aim } = this;
        if (!aim || !this.canAim() || aim.one)
            return;
        const at = aim.hover;
        if (!aim.turn(by))
            announce(_('No other turn fits on this card.'));
        else if (aim.pin)
            this.sayPlaced();
        if (at && this.hoverAt) {
            aim.point(this.hoverAt[0], this.hoverAt[1]);
            this.saySoon();
        }
        this.render();
    }

    confirm() {
        const { game, core, aim } = this, view = this.view;
        if (!view || game.isSealed() || game.me < 0 || view.phase !== 'mark')
            return;
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
            game.touched();
            const desk = view.desks[game.me], face = this.edition.cards[desk.slots[pin.slot].card].cells;
            if (pin.cells.filter((i) => face[i] === 'x').length + (aim.extra ? desk.due - 1 : 0) > after.desk.due)
                toast(_('No space is left, the extra mark is lost.'));
            if (core.isReady(game.me)) {
                game.confirm();
            } else {
                this.render();
                const n = this.aim?.singles.length ?? 0;
                announce(aim.extra ? ngettext('And one more space, on either card. %{n} to choose from.',
                    'And one more space, on either card. %{n} to choose from.', n) : ngettext('One more space, on either card. %{n} to choose from.',
                    'One more space, on either card. %{n} to choose from.', n));
            }
            if (!this.stopped)
                this.flyGains(view, pin, after, boxes);
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
        if (aim?.pin || aim?.painting) {
            aim.set(null);
            aim.cycle = { slot: -1, cell: -1, at: 0, of: 0 };
        } else if (game.me >= 0 && core.undo(game.me) === 0) {
            game.touched();
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
        game.touched();
        if (last?.kind === 'keep')
            this.picked = last.cards;
        this.render();
        if (last?.kind === 'mark') {
            this.aim?.set(last);
            this.render();
        }
        announce(_('Taken back.'));
    }

    /** The server has refused what was sent: the board is as it was, the mark stays placed, and the rule is named. @param {number} code */
    refuse(code) {
        const { core, game } = this, [first] = core.made(game.me);
        while (core.undo(game.me) === 0);
        game.touched();
        this.render();
        if (first?.kind === 'mark' && this.aim) {
            this.aim.set(first);
            this.aim.refused = code;
            this.render();
            announce(reason(code).text);
        } else
            toast(reason(code).text);
    }

    /** @param {PointerEvent} event */
    pointerOver(event) {
        if (event.pointerType !== 'mouse' || this.drag?.mode || !this.aim)
            return;
        const cell = near(event, '[data-cell]');
        if (cell && this.canAim()) {
            this.hoverAt = [Number(cell.dataset.slot), Number(cell.dataset.cell)];
            this.aim.point(this.hoverAt[0], this.hoverAt[1]);
            this.layers();
        } else if (this.aim.hover) {
            this.aim.hover = null;
            this.hoverAt = undefined;
            this.layers();
        }
    }

    /** @param {PointerEvent} event */
    pointerDown(event) {
        const cell = near(event, '[data-cell]'), tray = near(event, '.xcard');
        this.wasDragged = false;
        if (!this.canAim() || event.button !== 0 || !(cell || tray))
            return;
        this.drag = { slot: cell ? Number(cell.dataset.slot) : -1, cell: cell ? Number(cell.dataset.cell) : -1, mode: '', x: event.clientX,
            y: event.clientY, touch: event.pointerType !== 'mouse' };
        clearTimeout(this.holding);
        if (tray) {
            this.drag.mode = 'move';
            event.preventDefault();
        } else if (this.drag.touch && !this.aim?.one) {
            this.holding = setTimeout(() => this.paintByTaps(), HOLD);
        }
        if (event.target instanceof Element && event.target.hasPointerCapture(event.pointerId))
            event.target.releasePointerCapture(event.pointerId);
    }

    /** A space was pressed for a while: from now on taps paint. */
    paintByTaps() {
        const { drag, aim } = this;
        if (!drag || drag.mode || !aim || !this.canAim())
            return;
        drag.mode = 'dab';
        aim.set(null);
        aim.painting = true;
        aim.dab(drag.slot, drag.cell);
        tick();
        this.answer();
        this.render();
    }

    /** @param {PointerEvent} event */
    pointerMove(event) {
        const { drag, aim } = this;
        if (!drag || !aim)
            return;
        const under = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-cell]');
        const cell = under instanceof HTMLElement ? [Number(under.dataset.slot), Number(under.dataset.cell)] : null;
        if (!drag.mode) {
            if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 12 || (cell && cell[0] === drag.slot && cell[1] === drag.cell))
                return;
            clearTimeout(this.holding);
            drag.mode = aim.pin && aim.pin.slot === drag.slot && aim.pin.cells.includes(drag.cell) ? 'move' : 'paint';
            aim.painted = [];
            if (drag.mode === 'paint')
                aim.paint(drag.slot, drag.cell);
        }
        if (drag.mode === 'paint') {
            if (cell && cell[0] === drag.slot)
                aim.paint(cell[0], cell[1]);
        } else if (drag.mode === 'dab') {
            if (cell && aim.painting && cell[0] === drag.slot && cell[1] !== drag.cell) {
                drag.cell = cell[1];
                if (!aim.painted.includes(cell[1]))
                    this.choose(cell[0], cell[1]);
            }
            return;
        } else {
            const y = event.clientY - (drag.touch ? LIFT : 0), was = aim.hover?.step;
            aim.hover = null;
            for (const grid of $$('.cells', this.root)) {
                const box = grid.getBoundingClientRect();
                if (event.clientX >= box.left && event.clientX <= box.right && y >= box.top && y <= box.bottom)
                    aim.snap(Number($('button', grid).dataset.slot), (event.clientX - box.left) / box.width * 5 - .5,
                        (y - box.top) / box.height * 5 - .5);
            }
            if (aim.hover && /** @type {Place} */ (aim.hover).step !== was)
                tick();
            this.carry(event.clientX, y);
        }
        this.layers();
    }

    /** Between cards the pattern floats where it is carried. @param {number} x @param {number} y */
    carry(x, y) {
        const { aim } = this;
        if (!aim)
            return;
        if (!this.carried) {
            this.carried = document.createElement('div');
            this.carried.className = 'carried';
            this.carried.innerHTML = patternPicture(aim.one ? [[0, 0]] : turned(aim.pattern, aim.quarters, aim.mirror));
            // As large as it will lie on the card; the picture is three spaces wide, four if the pattern is.
            const space = $('.cells button', this.root).getBoundingClientRect().width, [, , wide] = ($('svg', this.carried).getAttribute('viewBox') ?? '').split(' ');
            this.carried.style.width = `${space * Number(wide) / 20}px`;
            document.body.append(this.carried);
        }
        this.carried.style.translate = `calc(${x}px - 50%) calc(${y}px - 50%)`;
        this.carried.hidden = aim.hover !== null;
    }

    /** @param {PointerEvent} _event */
    pointerUp(_event) { this.endDrag(true); }

    /** @param {boolean} keep */
    endDrag(keep) {
        const { drag, aim } = this;
        clearTimeout(this.holding);
        this.drag = null;
        this.carried?.remove();
        this.carried = null;
        if (!drag?.mode || !aim)
            return;
        this.wasDragged = true;
        if (drag.mode === 'dab')
            return;
        const found = keep && aim.hover && !aim.hover.bad ? aim.hover : null;
        if (found) {
            aim.set({ slot: found.slot, cells: found.cells, step: found.step });
            aim.cycle = { slot: -1, cell: -1, at: 0, of: 0 };
            this.answer();
        } else if (keep && aim.hover?.bad) {
            aim.refused = aim.hover.bad;
        }
        aim.hover = null;
        aim.painted = [];
        this.render();
    }

    /** @param {FocusEvent} event */
    focused(event) {
        const cell = near(event, '[data-cell]');
        if (!cell || !this.aim || !this.canAim() || !cell.matches(':focus-visible'))
            return;
        this.focus[Number(cell.dataset.slot)] = Number(cell.dataset.cell);
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        if (document.querySelector('dialog[open]') || this.game.covered || event.altKey || near(event, 'input, select, textarea'))
            return;
        const k = event.key.toLowerCase(), cell = near(event, '[data-cell]');
        if ((event.ctrlKey || event.metaKey) && k === 'z') {
            event.preventDefault();
            this.undo();
            return;
        }
        if (event.ctrlKey || event.metaKey)
            return;
        if (k === 'escape') {
            if (this.peek?.hide())
                return;
            if (this.sheet)
                this.openSheet('');
            else if (this.root.querySelector('.over'))
                this.act('table');
            else if (this.aim?.pin || this.aim?.refused || this.aim?.painting) {
                this.aim.set(null);
                this.render();
            }
            return;
        }
        if (k === 'tab' && this.sheet) {
            const open = $$(`.${this.sheet} button, .${this.sheet} [tabindex="0"]`, this.root).filter((b) => b.offsetParent !== null),
                at = open.indexOf(/** @type {HTMLElement} */ (document.activeElement));
            event.preventDefault();
            open[(at + (event.shiftKey ? -1 : 1) + open.length) % open.length]?.focus();
            return;
        }
        if (cell && this.aim && k.startsWith('arrow')) {
            event.preventDefault();
            const slot = Number(cell.dataset.slot), i = Number(cell.dataset.cell);
            const to = i + ({ arrowleft: i % 5 ? -1 : 0, arrowright: i % 5 < 4 ? 1 : 0, arrowup: i > 4 ? -5 : 0, arrowdown: i < 20 ? 5 : 0 }[k] ?? 0);
            this.goTo(slot, to);
        } else if (cell && k === 'enter' && this.aim) {
            event.preventDefault();
            if (event.repeat)                // a key that is held down does not confirm what it has placed
                return;
            const slot = Number(cell.dataset.slot), i = Number(cell.dataset.cell), { aim } = this;
            if (aim.pin && aim.pin.slot === slot && aim.pin.cells.includes(i) && (!aim.hover || same(aim.hover, aim.pin) || aim.hover.bad))
                this.confirm();
            else if (aim.hover && !aim.hover.bad && aim.hover.cells.includes(i)) {
                aim.set({ slot: aim.hover.slot, cells: aim.hover.cells, step: aim.hover.step });
                this.sayPlaced();
                this.render();
            } else
                this.choose(slot, i);
        } else if (settings.letters) {
            this.letter(event, k, cell);
        }
    }

    /** @param {KeyboardEvent} event @param {string} k @param {HTMLElement | null} cell */
    letter(event, k, cell) {
        if (k === 'r') this.turn(event.shiftKey ? -1 : 1);
        else if (k === 'f') this.turn(0);
        else if (k === 's') this.act('one');
        else if (k === 'u') this.undo();
        else if (k === 'l') this.openSheet(this.sheet === 'log' ? '' : 'log');
        else if (k === 'p') this.listPlacements();
        else if (k === 'h') void this.hint();
        else if (k === '?') this.around.help();
        else if (k === '1' || k === '2') this.goTo(Number(k) - 1, this.focus[Number(k) - 1]);
        else if (k === 'n' && this.aim && this.canAim()) {
            const slot = cell ? Number(cell.dataset.slot) : this.aim.pin?.slot ?? 0;
            this.aim.step(slot, event.shiftKey ? -1 : 1);
            this.render();
            if (this.aim.pin)
                this.goTo(slot, this.aim.pin.cells[0], false);
            this.sayPlaced();
        } else return;
        event.preventDefault();
    }

    /** Moves the keyboard's place on a card. @param {number} slot @param {number} i @param {boolean} [point] */
    goTo(slot, i, point = true) {
        const cell = this.root.querySelector(`[data-slot="${slot}"][data-cell="${i}"]`);
        if (!(cell instanceof HTMLElement))
            return;
        for (const other of $$(`[data-slot="${slot}"]`, this.root))
            other.tabIndex = other === cell ? 0 : -1;
        this.focus[slot] = i;
        cell.focus();
        if (point && this.aim && this.canAim()) {
            this.hoverAt = [slot, i];
            this.aim.point(slot, i);
            this.layers();
            this.saySoon();
        }
    }

    /** Says what lies under the keyboard's place once it rests. */
    saySoon() {
        clearTimeout(this.pause);
        this.pause = setTimeout(() => this.sayHover(), 300);
    }

    sayHover() {
        const { aim, view } = this, hover = aim?.hover;
        if (!aim || !view || !hover)
            return;
        if (hover.bad) {
            announce(_('Does not fit: %{reason}', { reason: reason(hover.bad).text }));
            return;
        }
        const after = this.core.preview(this.game.me, hover.step), brings = after ? gains(view.desks[this.game.me], after.desk, view.round).map((g) =>
            g.text).join(', ') : '';
        announce(_('%{spaces}: %{gains}. %{now} to %{then}.', { spaces: spaceNames(hover.cells), gains: brings || _('no symbols'), now: this.totalOf(
            view, this.game.me), then: after?.total ?? '' }));
    }

    // Lists and dialogs

    menu() {
        /** @type {[string, string, () => void][]} */
        const items = [];
        if (this.aim) {
            items.push(['list', _('List placements'), () => this.listPlacements()]);
            if (this.game.hints)
                items.push(['bulb', _('Hint'), () => void this.hint()]);
        }
        items.push(['eye', _('Describe the cards'), () => this.describe()], ...this.game.menu());
        this.around.menu(items);
    }

    listPlacements() {
        const { aim, view } = this;
        if (!aim || !view || !this.canAim())
            return;
        const places = [...(aim.extra ? [] : aim.patterns), ...aim.singles];
        const rows = places.map((p, i) => {
            const card = aim.cards[p.slot], brings = gainWords(this.edition, [{ card, cells: p.cells }]);
            const text = brings ? _('Card %{card}: %{spaces}: %{symbols}', { card, spaces: spaceNames(p.cells), symbols: brings }) :
                _('Card %{card}: %{spaces}', { card, spaces: spaceNames(p.cells) });
            return `<li><button class="btn" value="${i}">${esc(text)}</button></li>`;
        }).join('');
        void dialog(_('List placements'), `<p class="note">${esc(ngettext('%{n} legal placement. Choosing one places it; then confirm.',
            '%{n} legal placements. Choosing one places it; then confirm.', places.length))}</p><ul class="choices">${rows}</ul>`,
            { close: _('Close') })
            .then((value) => {
                if (value === '' || this.aim !== aim)
                    return;
                aim.set(places[Number(value)]);
                this.render();
                this.sayPlaced();
            });
    }

    /** @param {number} card @param {number[]} marks */
    cardText(card, marks) {
        const face = this.edition.cards[card];
        return [0, 1, 2, 3, 4].map((y) => `<li>${esc(_('Row %{n}: %{spaces}', { n: y + 1, spaces: [0, 1, 2, 3, 4].map((x) => {
            const i = 5 * y + x, what = spaceWord(face.cells[i]);
            return marks.includes(i) ? _('%{what} (marked)', { what }) : what;
        }).join(', ') }))}</li>`).join('');
    }

    /** What floats up when something is pointed at or held. @param {Event} event @returns {import('./peek.js').Found | null} */
    peekAt(event) {
        const look = near(event, '[data-look]'), cell = near(event, '[data-cell]'), drawn = near(event, '.sy, .gs');
        if (look)
            return { html: this.bigCard(...lookOf(look)), of: look, beside: look, wait: 400 };
        const card = cell && this.view ? this.view.desks[Math.max(0, this.game.me)].slots[Number(cell.dataset.slot)].card : 0;
        const name = card ? SYMBOLS[this.edition.cards[card].cells[Number(cell?.dataset.cell)]] :
            drawn?.querySelector('use')?.getAttribute('href')?.slice(3) ?? (near(event, '.gems') ? 'ruby' : '');
        const of = cell ?? drawn, beside = cell ? cell.closest('article')?.querySelector('.hwrap') : drawn;
        return name && of && beside && Object.values(SYMBOLS).includes(name) ? { html: `<p>${symbol(name)}<span>${esc(symbolRule(name))}${ruleLink('R11')}</span></p>`,
            of, beside, over: cell !== null, wait: cell ? 1200 : 500 } : null;
    }

    /** @param {number} card @param {number[]} marks @param {number[]} fresh */
    bigCard(card, marks, fresh) { return picture(this.edition.cards[card], marks, fresh); }

    /** @param {number} card @param {number[]} marks @param {number[]} fresh */
    look(card, marks, fresh) {
        void dialog(cardName(this.edition, card), `<div class="lookat">${this.bigCard(card, marks, fresh)}<ol class="rows">${this.cardText(
            card, marks)}</ol></div>`, { close: _('Close') });
    }

    describe() {
        const { view } = this;
        if (!view)
            return;
        const block = /** @param {string} who @param {number} card @param {number[]} marks */ (who, card, marks) => card ?
            `<h3>${esc(`${who} · ${cardName(this.edition, card)}`)}</h3><ol class="rows">${this.cardText(card, marks)}</ol>` : '';
        const html = view.desks.map((d, s) => d.slots.map((slot) => block(this.game.seats[s].name, slot.card, slot.marks)).join('')).join(
            '') + view.display.map((n) => block(_('Display'), n, [])).join('');
        void dialog(_('The cards in words'), html, { close: _('Close'), wide: true });
    }

    async hint() {
        const { aim, view, core, game } = this;
        if (!aim || !view || !game.hints || !this.canAim() || this.hinting)
            return;
        this.hinting = true;
        while (core.undo(game.me) === 0);
        this.render();
        const asked = this.aimKey;
        toast(_('Looking for good choices …'));
        /** @type {Option[] | null} */
        const options = await this.analyst.ask({ kind: 'options', record: core.visibleLog(game.me), seat: game.me, playouts: 4000, seed: String(
            randomSeed()) }).catch(() => null);
        this.hinting = false;
        if (this.stopped)
            return;
        $('#toast').hidden = true;
        if (!options)
            toast(_('This part could not be loaded. Are you offline?'));
        // Whoever has chosen in the meantime is not asked any more.
        if (!options?.length || this.aimKey !== asked)
            return;
        const rows = options.slice(0, 4).map((o, i) => {
            const parts = moveParts(o.choice), words = parts.map((p) => _('%{spaces} on %{card}', { spaces: spaceNames(p.cells),
                card: p.card })).join(' + ');
            return `<li><button class="btn opt" value="${i}"><b>${esc(words)}</b><small>${esc(gainWords(this.edition, parts) ||
                _('no symbols'))}</small><small>${esc(_('wins %{win} of 100 games, %{points} points expected', { win: Math.round(100 * o.win),
                points: number(o.points, 1) }))}</small></button></li>`;
        }).join('');
        const value = await dialog(_('Hint'),
            `<p class="note">${
            _('The best choices, judged by playing on thousands of times from what you can know. Choosing one places its first mark.')}</p><ul class="choices">${
            rows}</ul>`, { close: _('Close') });
        if (value === '' || !this.aim)
            return;
        const [first] = moveParts(options[Number(value)].choice);
        const place = [...this.aim.patterns, ...this.aim.singles].find((p) => this.aim?.cards[p.slot] === first.card && p.cells.join(
            ) === first.cells.join());
        if (place) {
            this.aim.set(place);
            this.render();
            this.sayPlaced();
        }
    }
}
