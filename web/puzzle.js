/**
 * puzzle.js: one puzzle at a time on the real table (docs/puzzles.md). The core makes the position, judges the
 * answer, gives hints and rates; this file shows it. The layout stays the same between question and verdict.
 */
import { NONE, html } from './html.js';
import { _, capital, language, ngettext, number } from './i18n.js';
import { $, $$, announce, closest, dialog, put } from './dom.js';
import { betterLayer, ghostLayer, icon, symbol, symbolOf, targetLayer, wallLabel } from './draw.js';
import { THEME } from './codes.js';
import { COLOURS, spaceName } from './core.js';
import { Game } from './game.js';
import { pageTop } from './main.js';
import { TableView } from './table.js';
import { percent } from './hints.js';
import { colourName, gainWords, moveParts, withSign } from './words.js';
import { mistakes, solvedMistake } from './mistakes.js';
import { read, settings, write } from './store.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./core.js').View} View */
/** @typedef {{choice: string, value: number, at_most?: boolean, gain: Record<string, number>}} Choice */
/** @typedef {{right: boolean, best: boolean, cost: number, at_least: boolean, unit: string, playouts: number, yours: number,
 * choices: Choice[]}} Verdict */

/** @returns {Record<string, string>} */
const themeNames = () => ({ card: _('which card to take'), race: _('race for points'), cross: _('cross chain'),
    skull: _('skull risk'), tomb: _('tomb or gems'), last: _('last turn') });
const today = () => Math.floor(Date.now() / 864e5);
/** The puzzles of the page; the same with those that the server has added since. */
let base = '', pack = '';
/** Whether the server may be asked for more. */
let asks = true;
const count = () => pack.split('\n').length - 2;

/** Loads the puzzles of the page and, if they extend the same pack, those stored on this device. */
async function load() {
    base ||= await fetch('classic.puzzles').then((r) => r.ok ? r.text() : '', () => '');
    const { after = '', lines = '' } = read('packs', { after: '', lines: '' });
    pack = base && after === base.slice(-80) ? base + lines : base;
}

/** Up to a hundred puzzles of the server, as a pack; '': there are none. @param {number} from */
async function fetchPack(from) {
    const text = await fetch(`api/puzzles/classic?from=${from}`).then((r) => r.ok ? r.text() : '', () => '');
    const lines = text.split('\n').slice(1);
    return lines.pop() === '' && lines.length && lines.every((l, i) => l.startsWith(`${from + i} `)) ? text : '';
}

/** Fetches a hundred more, one pack with each puzzle that is shown until all are loaded, and stores them: if there is
 * a server, or after enough puzzles to make a request worthwhile. @param {import('./core.js').Core} core */
async function more(core) {
    const from = count() + 1;
    if (!asks || !(read('visited', false) || core.tellPuzzler().tried > 99))
        return;
    asks = false;
    const text = await fetchPack(from);
    if (!text || from !== count() + 1)
        return;
    pack += text.slice(text.indexOf('\n') + 1);
    write('packs', { after: base.slice(-80), lines: pack.slice(base.length) });
    asks = true;
}

/** A value as it is shown. @param {number} hundredths @param {boolean} isWin */
const valueWords = (hundredths, isWin) => isWin ? percent(hundredths / 1e4) : number(hundredths / 100, 1);
/** Which card a choice takes, as the page has it: 0 is the deck. @param {string} choice */
const cardOf = (choice) => choice === 'draw' ? 0 : Number(choice.replace('take ', ''));

class PuzzleGame extends Game {
    /** @param {App} app @param {import('./core.js').Core} core @param {any} told the core's description of it
     * @param {string} kind of the address @param {import('./mistakes.js').Mistake} [mistake] */
    constructor(app, core, told, kind, mistake) {
        super(core, core.names().map((name, s) => ({ name: (s === told.seat - 1 && settings.name) || (mistake ? name :
            _('Player %{n}', { n: s + 1 })), level: s === told.seat - 1 ? '' : 'casual' })), told.seat - 1);
        this.app = app;
        this.told = told;
        this.kind = kind;
        this.mistake = mistake;
        /** @type {Verdict | null} */
        this.verdict = null;
        /** @type {any} */
        this.hint = null;
        this.change = 0;
        this.tries = 0;
        this.coach = { step: 0, of: 0, title: '', text: '', head: NONE };
        this.ask();
    }

    /** @param {string} title @param {string} text */
    words(title, text) {
        const { rating, streak } = this.core.tellPuzzler(), { change, told, mistake } = this;
        this.coach = { step: 0, of: 0, title, text, head: html`<span class="pzhead"><span>${mistake ?
            _('Your game of %{date}', { date: new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' }).format(
                mistake.date) }) : this.kind === 'daily' ? _('Puzzle of the day') :
                capital(themeNames()[told.themes[0]])}</span> <b>${rating}${change ? html` <em class="${
                change < 0 ? 'neg' : ''}">${withSign(change)}</em>` : ''}</b><span class="pzrow ${
                streak ? '' : 'un'}" role="img" aria-label="${
            ngettext('%{n} in a row', '%{n} in a row', streak)}">${symbol('torch')}${streak}</span></span>` };
    }

    /** The question. */
    ask() {
        const { told } = this, [threat] = told.threats;
        this.words(told.asks === 'mark' ? _('Find the best mark') : _('Find the best card'), [told.left ?
            ngettext('Round %{round}: %{n} turn left after this one.', 'Round %{round}: %{n} turns left after this one.',
                told.left, { round: told.round }) : _('The last turn of the game.'), threat ?
            _('%{name} can take %{points} points for %{colour} now.', { name: this.seats[threat.seat - 1].name,
                points: threat.points, colour: colourName(COLOURS[threat.colour]) }) : ''].join(' '));
    }

    /** @param {number} seat */
    isIn(seat) { return seat !== this.me || super.isIn(seat); }

    confirm() {
        const { slots } = /** @type {View} */ (this.core.view(this.me)).desks[this.me];
        this.answer(this.core.made(this.me).map((m) => m.kind === 'mark' ? `${slots[m.slot].card}:${m.cells.map(spaceName)
            .join('')}` : '').join('+'));
    }
    /** @param {number} card */
    take(card) { this.answer(card ? String(card) : 'draw'); }

    /** @param {string} choice */
    answer(choice) {
        const { core, mistake } = this, given = core.answerPuzzle(choice, this.kind === 'daily' ? today() : 0);
        if (!given || this.verdict)
            return;
        while (core.undo(this.me) === 0);
        this.verdict = /** @type {Verdict} */ (given.verdict);
        this.change = this.tries++ ? 0 : given.change;
        write('puzzler', core.writePuzzler());
        let more = '';
        if (mistake && this.verdict.right) {
            const text = core.solveMistake(mistake.text, today());
            more = text ? _('Solve it again on another day to finish with it.') : _('Done: you will not be asked again.');
            solvedMistake(mistake, text);
        }
        this.judge(this.verdict, more);
        this.changed();
        announce(`${this.coach.title} ${this.coach.text}`);
    }

    /** Shows the verdict and the reasons. @param {Verdict} v @param {string} more */
    judge(v, more) {
        const { choices: [best], yours } = v, { gain } = v.choices[yours], isWin = v.unit === 'win';
        const brings = /:/.test(best.choice) ? gainWords(this.core.edition, moveParts(best.choice)) : '';
        const cost = { n: valueWords(v.cost, false) };
        const title = v.best ? _('Found it!') : v.right ? _('Just as good.') : gain.pyramids ?
            _('A good pyramid, but not now') : gain.rubies + gain.emeralds > 0 ? _('Good gems, but not now') :
            _('There is something better');
        this.words(title, [v.right ? '' : isWin ? _('It costs %{n}% of the winning chances.', cost) : v.at_least ?
            _('It costs at least %{n} points.', cost) : _('It costs %{n} points.', cost), brings ? v.right ?
            _('It gains %{symbols}.', { symbols: brings }) : _('The best one gains %{symbols}.', { symbols: brings }) : '',
            v.playouts ? _('By %{n} playouts.', { n: v.playouts }) : _('Exact.'), more].filter(Boolean).join(' '));
    }

    /** The same puzzle again, not rated. */
    again() {
        this.verdict = null;
        this.hint = null;
        this.change = 0;
        this.tries++;
        this.ask();
        this.changed();
    }

    /** Gives a hint: first the card, then the region. */
    giveHint() {
        if (this.verdict)
            return;
        const hint = this.hint = this.core.puzzleHint(), { card, cards, colour, step } = hint;
        this.coach = { ...this.coach, text: card ? step > 1 ? _('On card %{n}, around the rings.', { n: card }) :
            _('Look at card %{n}.', { n: card }) : cards?.length > 1 ? _('It is %{a} or %{b}.', { a: cards[0],
                b: cards[1] }) :
            colour < 0 ? _('Look at the deck.') : _('Look for %{colour}.', { colour: colourName(COLOURS[colour]) }) };
        announce(this.coach.text);
        this.changed();
    }

    skip() { void open(this.app, this.kind === 'daily' ? '' : this.kind); }

    steps() { void menu(this.app, this.kind); }

    /** @returns {[string, string, () => void][]} */
    menu() {
        const { mistake } = this;
        return [['bulb', _('Themes'), () => this.steps()], ['right', _('Next puzzle'), () => this.skip()],
            ...(mistake ? /** @type {[string, string, () => void][]} */ ([['close', _('Remove from this device'), () => {
                solvedMistake(mistake, '');
                this.skip();
            }]]) : [])];
    }
}

class PuzzleView extends TableView {
    answered = 0;
    /** Which choice of the list is drawn; -1: the best and your own. */
    shown = -1;

    /** @returns {PuzzleGame} */
    get puzzle() { return /** @type {PuzzleGame} */ (this.game); }

    listen() {
        super.listen();
        this.flights.flyGains = () => {};
        document.addEventListener('keydown', (e) => {
            if (!this.puzzle.verdict || document.querySelector('dialog[open]') || e.altKey || e.ctrlKey || e.metaKey)
                return;
            if (e.key.toLowerCase() === 'n' || (e.key === 'Enter' && !closest(e, 'button:not([data-cell]), a')))
                this.puzzle.skip();
        }, { signal: this.abort?.signal });
    }

    /** @param {View} view */
    refreshAim(view) {
        const { tries, verdict } = this.puzzle;
        if (tries !== this.answered || verdict) {
            if (tries !== this.answered)
                this.shown = -1;
            this.answered = tries;
            this.aimKey = '';
            this.aim = null;
        }
        if (!verdict)
            super.refreshAim(view);
    }

    /** @param {View} view */
    mode(view) { return this.puzzle.verdict && view.phase === 'mark' ? 'solved' : super.mode(view); }
    get confirmWord() { return _('Answer'); }

    /** @param {string | undefined} keep @param {string | undefined} next */
    pick(keep, next) { if (!this.puzzle.verdict) super.pick(keep, next); }

    /** @param {string} what */
    act(what) {
        if (what === 'hint') this.puzzle.giveHint();
        else if (what === 'again') this.puzzle.again();
        else if (what === 'all') this.all();
        else super.act(what);
    }

    /** The bars and the next actions. */
    ownActs() {
        const { verdict: v } = this.puzzle;
        if (!v)
            return null;
        const { choices } = v, places = [...new Set([0, v.yours, 1, 2])].filter((i) => choices[i]).slice(0, 3);
        return html`<section class="panel acts pz" aria-label="${_('What each choice gains')}"><ul class="pzbars">${
            places.map((i) => html`<li class="${this.kindOf(v, i)}">${this.barHtml(v,
                i)}</li>`)}</ul><div class="pzbtn"><button class="btn" data-a="${v.right ? 'all' :
            'again'}">${v.right ? _('All %{n}', { n: choices.length }) : _('Try again')}</button>${v.right ? '' :
            html`<button class="btn" data-a="all">${_('All %{n}', { n: choices.length })}</button>`}<button class="btn pri"
            data-a="skip">${icon('right')}<span class="lbl">${_('Next puzzle')}</span></button></div></section>`;
    }

    /** @param {Verdict} v @param {number} i */
    barHtml(v, i) {
        const { choices, yours, unit } = v, c = choices[i], low = Math.min(...choices.map((o) => o.value));
        const part = 15 + 85 * (c.value - low) / Math.max(1, choices[0].value - low);
        return html`<span>${[i ? '' : _('best'), i === yours ? _('yours') : ''].filter(Boolean).join(', ')}</span><span
            class="pzb"><svg viewBox="0 0 100 9" preserveAspectRatio="none" aria-hidden="true"><rect width="${
            Math.round(part)}" height="9"/></svg><span>${this.choiceHtml(c.choice)}</span></span><b class="num">${
            c.at_most ? '< ' : ''}${valueWords(c.value, unit === 'win')}</b>`;
    }

    /** @param {Verdict} v @param {number} i */
    kindOf(v, i) { return i ? i === v.yours ? 'mine' : '' : 'first'; }

    /** The cards of a choice and what it marks there, as symbols: words would not fit. @param {string} choice */
    choiceHtml(choice) {
        if (!/:/.test(choice))
            return cardOf(choice) ? _('Take %{n}', { n: cardOf(choice) }) : capital(_('draw from the deck'));
        const parts = moveParts(choice), gains = gainWords(this.edition, parts), { cards } = this.edition;
        return html`${[...new Set(parts.map((p) => p.card))].join(' + ')}${gains && html` <span class="gain" role="img"
            aria-label="${gains}">${parts.flatMap((p) => p.cells.map((i) => symbolOf(cards[p.card].cells[i])))}</span>`}`;
    }

    /** Lists all choices; the selected one is drawn on the cards. */
    async all() {
        const v = /** @type {Verdict} */ (this.puzzle.verdict);
        const value = await dialog(_('What each choice gains'), html`<ol class="pzbars pzall">${v.choices.map((_c, i) =>
            html`<li><button class="btn ghost ${this.kindOf(v, i)}" value="${i}">${this.barHtml(v,
                i)}</button></li>`)}</ol>`,
            { close: _('Close') });
        if (!value)
            return;
        this.shown = Number(value);
        this.layers();
    }

    /** @param {number} card */
    noteOn(card) {
        const { verdict: v, hint } = this.puzzle, is = /** @param {number} i */ (i) => v?.choices[i] &&
            cardOf(v.choices[i].choice) === card;
        return is(0) ? _('best') : v && is(v.yours) ? _('yours') : !v && hint?.cards?.includes(card) ? '?' : '';
    }

    layers() {
        super.layers();
        const { verdict: v, hint } = this.puzzle;
        this.root.classList.add('told', 'puzzling');
        this.root.classList.toggle('right', v?.right === true);
        $$('.cards-in article', this.root).forEach((article) => {
            const n = Number(article.dataset.n), card = this.edition.cards[n], taken = /** @type {number[]} */ ([]);
            const on = /** @param {number} i */ (i) => v && /:/.test(v.choices[i]?.choice) ? moveParts(v.choices[i].choice)
                .flatMap((p) => p.card === n ? p.cells : []) : [];
            const best = on(0), at = this.shown < 0 ? v?.yours ?? 0 : this.shown, mine = at ? on(at) : [];
            if (v)
                this.fillLayer(article.querySelector('.hi'), html`${best.length ? html`<g class="pzbest">${ghostLayer(n,
                    best)}</g>${wallLabel(card, best, _('best'), '', taken)}` : ''}${mine.length ? html`<g class="pzmine">${
                    betterLayer(mine)}</g>${wallLabel(card, mine, at === v.yours ? _('yours') : String(at + 1), 'mine',
                        taken)}` :
                    ''}`);
            else if (hint?.card === n)
                $('.lg', article).insertAdjacentHTML('beforeend', targetLayer(hint.spaces ?? []).text);
            article.classList.toggle('hinted', !v && hint?.card === n);
        });
    }
}

/** Themes. @param {App} app @param {string} kind what is shown now */
async function menu(app, kind) {
    const names = themeNames(), item = /** @param {string} value @param {string} words @param
        {boolean} on */ (value, words, on) => html`<li><button class="btn" value="${value}" aria-pressed="${on}">${
            words}</button></li>`;
    const n = mistakes().length, value = await dialog(_('Puzzles'), html`<ul class="choices">${
        [['mixed', _('Mixed')], ...Object.keys(THEME).map((t) => [t, names[t]]),
            ['daily', _('Puzzle of the day')],
            ['mistakes', _('Your mistakes (%{n})', { n })]].map(([v, words]) =>
            item(v, words, v === (kind || 'mixed')))}</ul>
        <p class="note">${ngettext('%{n} puzzle on this device', '%{n} puzzles on this device', count())}</p>`,
        { close: _('Close') });
    if (value)
        void open(app, value === 'mixed' ? '' : value);
}

/** Shown instead of a puzzle: why there is none, and where to go from here. */
class NoPuzzleView {
    /** @param {HTMLElement} root @param {App} app @param {string} why @param {boolean} more whether there are others */
    constructor(root, app, why, more) {
        put(root, html`<div class="page">${pageTop(_('Puzzles'))}<main class="page-in narrow"><h1 class="title">${
            _('Puzzles')}</h1><p class="lead" role="status">${why}</p><p class="bars"><a class="btn" href="#games">${
            icon('replay')}${_('Games')}</a>${more ? html`<button class="btn pri">${icon('right')}${
            _('Next puzzle')}</button>` : ''}</p></main></div>`);
        root.addEventListener('click', (e) => { if (closest(e, 'button')) void open(app, ''); });
    }

    stop() {}
}

/** @param {App} app @param {string} kind '', a theme, daily or mistakes */
async function open(app, kind) {
    const core = app.core(), { hash } = location;
    await load();
    if (location.hash !== hash && location.hash.slice(1).split('/')[0] !== 'puzzle')
        return;
    const none = /** @param {string} why */ (why) => app.show((root) => new NoPuzzleView(root, app, why, pack !== ''),
        _('Puzzles'));
    if (!pack) {
        none(_('This part could not be loaded. Are you offline?'));
        return;
    }
    core.readPuzzler(read('puzzler', ''));
    const pile = mistakes(), last = read('puzzled', 0);
    const mistake = kind === 'mistakes' ? pile[last % Math.max(1, pile.length)] : undefined;
    if (kind === 'mistakes' && !mistake) {
        none(_('No mistakes to solve. Analyse a game to find some.'));
        return;
    }
    write('puzzled', last + 1);
    const n = mistake ? 0 : kind === 'daily' ? core.x.puzzle_of_day(today(), count()) :
        /^\d+$/.test(kind) ? Number(kind) : core.pickPuzzle(pack, THEME[/** @type {keyof typeof THEME} */ (kind)] ?? 0);
    const told = core.openPuzzle(mistake?.text ?? (n > count() ? await fetchPack(n) : pack), n);
    if (!told) {
        none(_('This puzzle could not be opened.'));
        return;
    }
    const game = new PuzzleGame(app, core, told, /^\d+$/.test(kind) ? '' : kind, mistake);
    app.show((root) => {
        const view = new PuzzleView(root, game, app);
        view.update();
        announce(`${game.coach.title}. ${game.coach.text}`);
        return view;
    }, _('Puzzles'));
    void more(core);
}

/** @param {App} app @param {string} [kind] */
export const showPuzzle = (app, kind = '') => void open(app, kind);
