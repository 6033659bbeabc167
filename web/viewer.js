/**
 * viewer.js: a replay, move by move: the player's cards large, with the move and the better choice drawn on them,
 * everyone's chance to win as the timeline, buttons for going to mistakes. Everything fits on the screen; what is
 * rarely needed (log, scores, files) is in the menu.
 */
import { html } from './html.js';
import { _, capital, listWords, ngettext } from './i18n.js';
import { $, dialog, download, closest, put, toast } from './dom.js';
import { ROMAN, avatar, betterLayer, chamber, compassRose, ghostLayer, icon, miniCard, patternPicture, shape, symbolOf,
    turned, wordmark } from './draw.js';
import { MARKS } from './core.js';
import { GAME } from './codes.js';
import { cardName, choiceParts, choiceWords, gainWords, logEntries, lostShort, lostWords, markName, moveWords, playerName,
    resultWords, roundAndTurn, signed, withRules } from './words.js';
import { read, write } from './store.js';
import { Analysis, markWords } from './analysis.js';
import { keepMistakes } from './mistakes.js';
import { chartsHtml, legend, scoreTable } from './end.js';
import { shareReplay } from './pack.js';
import { chanceAt, chancesOf, moveAt, movesOf, timelineHtml, turnName } from './timeline.js';
import { deskHtml, openFile, takeDrops, tilesHtml, turnMarks, viewAfter } from './replay.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./core.js').Core} Core */
/** @typedef {import('./core.js').View} View */
/** @typedef {import('./core.js').Judged} Judged */
/** @typedef {import('./core.js').Decision} Decision */
/** @typedef {import('./timeline.js').Move} Move */
/** @typedef {import('./html.js').Html} Html */
/** @typedef {{card: number, marks: number[], played: number[], better: number[], on: boolean, alt: boolean}} Big a large
 * card: on: it was
 *  moved on; alt: the better choice is on it */

const PAUSE = 900, LONG_PAUSE = 1600;      // ms between two moves in playback; longer at a turning point
const GRADES = MARKS.map(([mark]) => mark).reverse();
const SHOWN = 6;                           // turning points in the list

/** Which mistakes the buttons lead to. @returns {{seat: number, from: string}} seat: -1 for everyone */
const wanted = () => ({ seat: -1, from: GRADES[0], ...read('mistakes', {}) });

/** The cost of a marked choice: of the two measures, the one that gives it the mark. @param {Decision} d
 * @param {typeof lostWords} [words] */
function costWords(d, words = lostWords) {
    const [, , win] = MARKS.find(([mark]) => mark === d.mark) ?? ['', 0, 0];
    // Rounded down: 4.9% would look like 5%, which is the threshold of another mark.
    return d.winLost >= win ? words('win', Math.floor(100 * d.winLost + 1e-4)) : words('points', Number(d.lost.toFixed(1)));
}

export class ReplayView {
    /** @param {HTMLElement} root @param {App} app @param {Core} core @param {string} id @param {{place?: string, me?:
     * number}} [how] place:
     * where to begin, a line or II.3; me: the seat of who looks */
    constructor(root, app, core, id, { place, me = -1 } = {}) {
        this.root = root;
        this.app = app;
        this.core = core;
        this.id = id;
        this.me = me;
        this.lines = core.lines();
        this.names = core.names().map(playerName);
        this.entries = logEntries(core, this.lines, me);
        this.moves = movesOf(this.lines);
        this.bots = new Map(this.lines.filter((l) => l.startsWith('tag bot ')).map((l) => /** @type {[number, string]} */
            ([Number(l.split(
            ' ')[2]) - 1, l.split(' ')[3]])));
        /** @type {Judged | null} */
        this.judged = null;
        /** @type {{x: number, win: number[]}[]} */
        this.points = [];
        this.progress = 0;
        this.message = '';
        this.speed = 1;
        /** A card that was selected: then its owner's cards are large. @type {{seat: number, card: number} | null} */
        this.look = null;
        this.log = false;
        /** Of the timeline; measured. */
        this.width = 600;
        this.height = 112;
        /** The address that this view has set last. */
        this.address = location.hash;
        this.abort = new AbortController();
        const { signal } = this.abort;
        takeDrops(root, signal, (file) => openFile(app, file, (message) => {
            this.message = message;
            this.render();
        }));
        root.addEventListener('click', (e) => this.click(e));
        root.addEventListener('pointerdown', (e) => this.drag(e));
        root.addEventListener('pointermove', (e) => { if (e.buttons) this.drag(e); });
        document.addEventListener('keydown', (e) => this.key(e), { signal });
        /** Whether numbers may still change. */
        this.refining = true;
        this.at = -1;
        this.analysis = new Analysis(core, core.log(), (progress) => this.analysed(progress));
        this.at = this.begin(place);
        this.render();
        this.watch = new ResizeObserver(() => this.measure());
        this.watch.observe($('.tl', root));
    }

    stop() {
        this.analysis.stop();
        this.abort.abort();
        this.watch.disconnect();
        clearTimeout(this.timer);
        clearTimeout(this.noting);
    }

    /** The move to begin with: the requested one, the costliest turning point, or, without an analysis, the last marks of
     * the first round: at the first choice all cards are still empty.
     * @param {string} [place] */
    begin(place) {
        const turn = /^(I|II|III|IV)\.([1-7])$/.exec(place ?? ''), line = /^\d+$/.test(place ?? '') ? Number(place) : -1;
        const start = turn ? 7 * ROMAN.indexOf(turn[1]) + Number(turn[2]) - 1 : -1, worst = this.mistakes()[0];
        const asked = turn ? this.moves.findIndex((m) => m.turn === start) : line < 0 || line >= this.lines.length ? -1 :
            this.moveOf(line);
        if (asked >= 0)
            return asked;
        return Math.max(0, worst ? this.moves.findIndex((m) => m.line === worst.line) :
            this.moves.map((m) => m.turn < GAME.turns && m.kind === 'mark').lastIndexOf(true));
    }

    /** The move that a line belongs to: its own, or the one before. @param {number} line */
    moveOf(line) { return this.moves.filter((m) => m.line <= line).length - 1; }

    /** @param {Judged | null} judged */
    know(judged) {
        this.judged = judged;
        this.points = judged ? chancesOf(judged, this.lines, this.winners()) : [];
    }

    /** Shows results at once, and replaces them by later ones. @param {import('./analysis.js').Progress} progress */
    analysed({ judged, done, refining, failed }) {
        this.refining = refining;
        this.progress = failed || !refining ? 1 : done;
        if (failed)
            toast(_('This part could not be loaded. Are you offline?'));
        if (judged)
            this.know(judged);
        if (judged && !refining && this.me >= 0)
            keepMistakes(this.core, judged, this.me);
        if (this.at >= 0)
            this.render();
    }

    /** Marked choices, the costliest first. */
    mistakes() {
        return (this.judged?.decisions ?? []).filter((d) => d.mark).sort((a, b) => b.winLost - a.winLost || b.lost - a.lost);
    }

    /** The mistakes that the buttons go to. */
    jumps() {
        const { seat, from } = wanted();
        return this.mistakes().filter((d) => (seat < 0 || d.seat === seat) && GRADES.indexOf(d.mark) >=
            GRADES.indexOf(from));
    }

    winners() {
        this.core.view(-1);
        return this.core.isOver() ? this.core.winners() : [];
    }

    // Navigation

    /** @param {number} at */
    goTo(at) {
        this.at = Math.max(0, Math.min(this.moves.length - 1, at));
        this.look = null;
        this.render();
    }

    /** @param {number} line */
    goToLine(line) { this.goTo(this.moveOf(line)); }

    /** By turns. @param {number} by */
    turn(by) {
        const { turn } = this.moves[this.at];
        const to = this.moves.findIndex((m) => m.turn === turn + by);
        this.goTo(to < 0 ? (by < 0 ? 0 : this.moves.length - 1) : to);
    }

    /** To the next mistake, or the one before. @param {number} by */
    jump(by) {
        const { line } = this.moves[this.at], lines = this.jumps().map((d) => d.line).sort((a, b) => a - b);
        const to = by > 0 ? lines.find((l) => l > line) : lines.filter((l) => l < line).at(-1);
        if (to !== undefined)
            this.goToLine(to);
    }

    play() {
        if (this.timer) {
            clearTimeout(this.timer);
            this.timer = undefined;
        } else {
            if (this.at === this.moves.length - 1)
                this.at = 0;
            this.next();
        }
        this.render();
    }

    /** Plays the next move after a pause, which is longer at a turning point. */
    next() {
        const marked = this.judged?.decisions.some((d) => d.mark && d.line === this.moves[this.at].line);
        this.timer = setTimeout(() => {
            this.timer = undefined;
            if (this.at < this.moves.length - 2)
                this.next();
            this.goTo(this.at + 1);
        }, (marked ? LONG_PAUSE : PAUSE) / this.speed);
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        if (document.querySelector('dialog[open]') || closest(event, 'input, select, textarea') || event.ctrlKey ||
            event.altKey || event.metaKey)
            return;
        const last = this.moves.length - 1, { key } = event;
        if (key === 'ArrowRight' || key === 'ArrowUp') this.goTo(this.at + 1);
        else if (key === 'ArrowLeft' || key === 'ArrowDown') this.goTo(this.at - 1);
        else if (key === 'PageDown') this.turn(1);
        else if (key === 'PageUp') this.turn(-1);
        else if (key === 'Home') this.goTo(0);
        else if (key === 'End') this.goTo(last);
        else if (key === ',') this.jump(-1);
        else if (key === '.') this.jump(1);
        else if (key === 'l' || key === 'L') this.showLog(!this.log);
        else if (key === 'Escape' && this.log) this.showLog(false);
        else if (key === ' ' && !closest(event, 'button, a')) this.play();
        else return;
        event.preventDefault();
    }

    /** A finger or a pointer on the timeline. @param {PointerEvent} event */
    drag(event) {
        const line = closest(event, '.tl-s');
        if (!line || event.button > 0)
            return;
        const box = line.getBoundingClientRect(), marked = new Set(this.jumps().map((d) => d.line));
        const move = moveAt(this.moves, marked, box.width, event.clientX - box.left);
        if (event.type === 'pointerdown')
            line.setPointerCapture(event.pointerId);
        if (move && move !== this.moves[this.at])
            this.goTo(this.moves.indexOf(move));
    }

    /** @param {Event} event */
    click(event) {
        const act = closest(event, '[data-a]')?.dataset.a, line = closest(event, '[data-line]')?.dataset.line,
            card = closest(event, '[data-look]');
        if (line)
            this.goToLine(Number(line));
        if (card) {
            this.look = { seat: Number(card.dataset.seat), card: Number(card.dataset.look) };
            this.render();
        }
        switch (act) {
        case 'first': this.goTo(0); break;
        case 'last': this.goTo(this.moves.length - 1); break;
        case 'back': this.goTo(this.at - 1); break;
        case 'next': this.goTo(this.at + 1); break;
        case 'before': this.jump(-1); break;
        case 'mistake': this.jump(1); break;
        case 'play': this.play(); break;
        case 'log': this.showLog(!this.log); break;
        case 'share': void this.share(); break;
        case 'menu': this.menu(); break;
        case 'verdict': void dialog(_('What the marks mean'), legend(), { close: _('Close') }); break;
        }
    }

    /** @param {boolean} open */
    showLog(open) {
        this.log = open;
        this.render();
        if (open)
            $('.rp-log .logbox', this.root).focus();
    }

    share() { return shareReplay(this.id, this.core.log(), this.core.edition, /^[A-Z0-9]{8}$/.test(this.id)); }

    menu() {
        this.app.menu([['log', _('Game log'), () => this.showLog(true)], ['score', _('Scores, luck and skill'), () =>
            this.scores()],
            ['brain', _('Which mistakes'), () => this.choose()], ['play', this.speed === 1 ? _('Play back twice as fast') :
                _('Play back at normal speed'), () => { this.speed = 3 - this.speed; }],
            ['save', _('Download'), () => download(`pyramids-${this.id.slice(0, 40)}.pyr`, this.core.log())],
            ['share', _('Share'), () => void this.share()], ['replay', _('Games'), () => this.app.go('games')]]);
    }

    /** Asks whose mistakes the buttons should go to, and from which mark on. */
    choose() {
        const { seat, from } = wanted();
        const radio = /** @param {string} name @param {string | number} value @param {boolean} on @param {string} label */
            (name, value, on, label) =>
            html`<label class="check"><input type="radio" name="${name}" value="${value}" ${on ? 'checked' : ''}>${
                label}</label>`;
        void dialog(_('Which mistakes'), html`<fieldset class="fields"><legend>${_('Whose')}</legend>${radio('whose', -1,
            seat < 0, _('everyone’s'))}${
            this.names.map((n, s) => radio('whose', s, s === seat, n))}</fieldset><fieldset class="fields"><legend>${
            _('From this mark on')}</legend>${GRADES.map((g) => radio('grade', g, g === from, g))}</fieldset>${legend()}`, {
                close: _('Done'),
            wire: (box) => box.addEventListener('change', (event) => {
                const { name, value } = /** @type {HTMLInputElement} */ (event.target);
                write('mistakes', { ...wanted(), ...(name === 'whose' ? { seat: Number(value) } : { from: value }) });
            }) }).then(() => this.render());
    }

    scores() {
        const view = this.core.view(-1), over = this.core.isOver();
        if (!view)
            return;
        void dialog(_('Scores, luck and skill'), html`${over ? scoreTable(view, this.names, this.winners(), this.core,
            this.names.map((_n, s) => this.bots.has(s))) : ''}${this.judged ? chartsHtml(this.judged, this.names,
                this.refining) :
            html`<p class="note">${_('The analysis is not ready yet.')}</p>`}`, { close: _('Close'), wide: true });
    }

    // Drawing

    /** The cards of all players at the current move. */
    desks() {
        const { core, lines } = this, move = this.moves[this.at], marks = turnMarks(lines, move.line);
        const before = marks.size ? core.viewAt(move.line - marks.size + 1, -1) : null;
        const after = /** @type {View} */ (viewAfter(core, lines, move.line + 1, -1) ?? core.view(-1));
        const cards = this.names.map((_n, s) => (before ?? after).desks[s].slots.filter((slot) => slot.card).map((slot) => ({
            card: slot.card,
            marks: slot.marks, fresh: (marks.get(s) ?? []).filter((p) => p.card === slot.card).flatMap((p) => p.cells) })));
        return { before: before ?? after, after, marks, cards };
    }

    /** The analysis of the current move, and its best choice if that was another one.
     * @returns {{decision?: Decision, best?: string, parts: import('./timeline.js').Part[]}} */
    judgement() {
        const { line } = this.moves[this.at], decision = this.judged?.decisions.find((d) => d.line === line), [option] =
            decision?.options ?? [];
        return !decision || !option || option.made || decision.lost < .05 ? { decision, parts: [] } :
            { decision, best: option.choice, parts: choiceParts(option.choice) };
    }

    /** @param {ReturnType<ReplayView['desks']>} desks @returns {Big[]} */
    bigs({ cards }) {
        const move = this.moves[this.at], { parts } = this.judgement(), seat = this.look?.seat ?? move.seat;
        if (move.kind === 'keep' && !this.look) {
            const deal = this.lines.find((l) => l.startsWith(`deal ${move.words[1]} `))?.split(' ').slice(2).map(Number) ??
                [];
            return deal.map((card) => ({ card, marks: [], played: [], better: [],
                on: move.words.slice(2).includes(String(card)), alt: false }));
        }
        if (seat < 0 && this.look)
            return [{ card: this.look.card, marks: [], played: [], better: [], on: false, alt: false }];
        const spaces = /** @param {import('./timeline.js').Part[]} from @param {number} card */ (from, card) =>
            from.filter((p) => p.card === card).flatMap((p) => p.cells);
        return (cards[seat] ?? []).map(({ card, marks, fresh }) => {
            // Parts that both have in common are drawn once.
            const other = parts.filter((p) => !move.parts.some((q) => q.card === p.card && String(q.cells) ===
                String(p.cells)));
            const mine = seat === move.seat, played = mine ? spaces(move.parts, card) : [], better = mine ? spaces(other,
                card) : [];
            return { card, marks: mine ? marks : [...marks, ...fresh], played, better, alt: better.length > 0 &&
                !played.length,
                on: played.length > 0 || (mine && ['take', 'draw'].includes(move.kind) && Number(move.words[2]) === card) };
        });
    }

    /** @param {Big} big @param {boolean} main the one that a phone shows */
    bigHtml({ card, marks, played, better, on, alt }, main) {
        const c = this.core.edition.cards[card], all = marks.length + played.length;
        const label = [cardName(this.core.edition, card), ngettext('%{n} space marked', '%{n} spaces marked', all),
            played.length ? _('played here') : '', better.length ? _('the better choice is here') :
                ''].filter(Boolean).join(', ');
        return html`<div class="bigc k-${c.colour} ${on ? 'on' : ''} ${alt ? 'alt' : ''} ${main ? 'main' :
            ''}" role="img" data-key="b${
            card}" aria-label="${label}"><div class="tag">${shape(c.colour)}${card}</div>${chamber(c, marks, { over: html`${
                played.length ?
            ghostLayer(card, played) : ''}${better.length ? betterLayer(better) : ''}` })}</div>`;
    }

    /** @param {Big[]} bigs */
    stageHtml(bigs) {
        const move = this.moves[this.at], { best } = this.judgement();
        if (move.kind === 'winner' && !this.look) {
            const view = /** @type {View} */ (this.core.view(-1)), winners = this.winners();
            return html`<section class="panel sheet rp-end"><h2 class="title">${resultWords(view, this.names, winners,
                this.me).join('. ')}</h2>${
                scoreTable(view, this.names, winners, this.core, this.names.map((_n, s) => this.bots.has(s)))}</section>`;
        }
        const main = this.look?.card ?? (bigs.find((b) => b.on) ?? bigs.find((b) => b.alt) ?? bigs[0])?.card;
        return html`<div class="bigs"><div class="bigs-in ${bigs.length > 2 ? 'four' : ''}">${bigs.map((b) => this.bigHtml(b,
            b.card === main))}</div></div>${bigs.some((b) => b.played.length || b.better.length) ?
                html`<p class="lgd"><span><i></i>${
            _('played')}</span>${best ? html`<span><i class="b"></i>${this.betterHtml(best)}</span>` : ''}</p>` : ''}`;
    }

    /** The better choice in words, with its gains. @param {string} choice */
    betterHtml(choice) {
        const { edition } = this.core, parts = choiceParts(choice);
        return html`${_('better: %{choice}', { choice: choiceWords(choice, this.pattern()?.name ?? '') })}${parts.length ?
            html` <span
            class="gain" role="img" aria-label="${gainWords(edition, parts)}">${symbolsOf(edition, parts)}</span>` : ''}`;
    }

    /** The pattern of the turn. */
    pattern() {
        const { line, turn } = this.moves[this.at], { edition } = this.core;
        const name = turn < 0 ? '' : this.lines.slice(0, line).filter((l) => l.startsWith('reveal ')).at(-1)?.slice(7);
        return edition.patterns.find((p) => p.name === name);
    }

    /** What happened, in words. @param {ReturnType<ReplayView['judgement']>} judgement */
    whatHtml({ decision, best }) {
        const move = this.moves[this.at], pattern = this.pattern(), { edition } = this.core, name = this.names[move.seat];
        const round = move.turn < 0 ? _('Setup') : _('Round %{round}, turn %{turn}', roundAndTurn(move.turn));
        const result = move.kind === 'winner' && resultWords(/** @type {View} */ (this.core.view(-1)), this.names,
            this.winners(), this.me);
        const text = result ? result[0] : moveWords(move.words, pattern?.name ?? '');
        const lost = this.entries.find((e) => e.line === move.line && e.lost);
        return html`<section class="panel what" aria-live="${this.timer || near2('.tl-s') ? 'off' : 'polite'}">${pattern ?
            html`<div class="xcard">${
            compassRose}<span class="xname">${pattern.name}</span>${patternPicture(turned(pattern))}</div>` : ''}${
            move.seat >= 0 ? avatar(move.seat, { me: move.seat === this.me }) : ''}<div class="tx"><p class="eyebrow">${
            result ? _('The end')
                : html`${round} · <span
            dir="auto">${name}</span>`}</p><p class="title rp-say">${result ? '' : html`<span class="only-p2" dir="auto">${
                name}: </span>`}${text} ${
            symbolsOf(edition, move.parts)}</p><p class="sub">${result ? result[1] : lost ? lost.html : best ?
            this.betterHtml(best) : decision &&
                !decision.mark ?
            _('The best choice, or nearly.') : ''}</p></div>${this.verdictHtml(decision)}</section>`;
    }

    /** @param {Decision} [decision] @param {typeof lostWords} [words] */
    verdictHtml(decision, words) {
        return decision?.mark ? html`<button class="verdict" data-a="verdict" title="${_('What the marks mean')}"><b>${
            markWords(decision)}</b><span>${
            costWords(decision, words)}</span></button>` : '';
    }

    /** @param {ReturnType<ReplayView['desks']>} desks */
    sideHtml(desks) {
        const move = this.moves[this.at], seats = this.names.map((_n, s) => s), shown = this.look?.seat ?? move.seat, others
            =
            move.kind === 'winner' && !this.look ? seats : seats.filter((s) => s !== shown);
        const { after } = desks, { edition } = this.core, took = ['take', 'draw'].includes(move.kind);
        const display = took ? this.core.viewAt(move.line, -1)?.display ?? [] : after.display;
        return html`<aside class="rp-side" aria-label="${_('Players and turning points')}"><div class="rp-others n${
            others.length}">${others.map((s) =>
            html`<div class="oth">${deskHtml(this.core, after, desks.before, s, this.names[s], { level: this.bots.get(s),
                parts: desks.marks.get(s),
                me: s === this.me })}${desks.cards[s].map(({ card }) => html`<button class="lookat2" data-look="${
                    card}" data-seat="${s}"
                aria-label="${_('Show card %{n} of %{name} large', { n: card, name: this.names[s]
                    })}"></button>`)}</div>`)}</div>
            <section class="panel rp-turns" aria-labelledby="h-turns"><h2 class="eyebrow" id="h-turns">${
                _('Turning points')}</h2>${
            this.judged ? this.turnsHtml() : html`<p class="note">${this.progress < 1 ?
                _('The analysis marks choices that cost points or winning chances.') :
            _('This part could not be loaded. Are you offline?')}</p>${this.progress < 1 ?
                html`<progress class="bar" max="1" value="${this.progress}"
            aria-label="${_('Analysis')}"></progress>` : ''}`}</section>
            <section class="panel rp-disp ${took ? 'now' : ''}"><h2 class="eyebrow">${_('Display')}</h2><div class="grid">${
                display.map((n) => n ?
            html`<div class="${took && Number(move.words[2]) === n ? 'taken' : ''}" role="img" aria-label="${_('Card %{n}', {
                n })}">${
            miniCard(edition.cards[n])}</div>` : html`<span class="mini none"></span>`)}</div>${after.phase === 'keep' ? '' :
                html`<p class="note">${
            capital(ngettext('deck: %{n} card', 'deck: %{n} cards', after.deckLeft))}</p>`}<div class="tall">${
                tilesHtml(after)}</div></section></aside>`;
    }

    turnsHtml() {
        const { edition } = this.core, all = this.mistakes().slice(0, SHOWN), { line } = this.moves[this.at];
        if (!all.length)
            return html`<p class="note">${_('No choice cost much.')}</p>`;
        return html`<ol class="wr">${all.map((d) => {
            const move = this.moves.find((m) => m.line === d.line), mark = this.entries.find((e) => e.line === d.line)?.mark;
            const card = mark?.card ?? Number(move?.words.at(-1)), here = d.line === line, name = this.names[d.seat];
            const printed = edition.cards[card];
            const picture = printed ? chamber(printed, mark?.marks ?? [], { mini: true, told: mark?.cells }) : '';
            const what = mark ? _('%{name} on %{card}', { name, card }) :
                _('%{name}: %{choice}', { name, choice: moveWords(move?.words ?? [], '') });
            return html`<li><button data-line="${d.line}" class="${here ? 'on' : ''}" ${here ? html`aria-current="true"` :
                ''}><b>${turnName(move?.turn ?? -1)}</b><span class="pic k-${printed?.colour}" aria-hidden="true">${
                picture}</span><span>${what}<small>${costWords(d)}</small></span><b class="mk">${
                markWords(d)}</b></button></li>`;
        })}</ol>`;
    }

    /** All cards in a row, on a phone. @param {ReturnType<ReplayView['desks']>} desks @param {Big[]} bigs */
    rowHtml({ cards }, bigs) {
        const move = this.moves[this.at], { edition } = this.core, main = this.look?.card ?? bigs.find((b) => b.on)?.card;
        // Cards that could have been taken follow the one that was.
        const display = ['take', 'draw'].includes(move.kind) ? this.core.viewAt(move.line, -1)?.display ?? [] : [];
        const all = [...display.filter((n) => n && n !== Number(move.words[2])).map((card) => ({ card, marks: [], fresh: [],
            seat: -1 })),
            ...this.names.flatMap((_n, seat) => cards[seat].map((c) => ({ ...c, seat })))];
        const first = /** @param {{card: number, seat: number}} c */ (c) => c.seat === move.seat && bigs.find((b) =>
            b.on)?.card === c.card ? 0 :
            c.seat < 0 ? 1 : c.seat === move.seat ? 2 : 3;
        return html`<div class="rp-row" role="group" aria-label="${_('All cards')}">${all.sort((a, b) => first(a) -
            first(b)).map((c) => html`<button
            class="${c.card === main ? 'on' : ''}" data-look="${c.card}" data-seat="${c.seat}" data-key="m${
                c.card}" aria-label="${
            _('Show card %{n} of %{name} large', { n: c.card, name: c.seat < 0 ? _('Display') : this.names[c.seat]
                })}" aria-pressed="${c.card === main}">${
            miniCard(edition.cards[c.card], [...c.marks, ...c.fresh])}${
            c.seat < 0 ? '' : avatar(c.seat, { small: true, me: c.seat === this.me })}</button>`)}</div>`;
    }

    timelineHtml() {
        const at = this.moves[this.at], { decision } = this.judgement(), chance = chanceAt(this.points, at.x, Math.max(0,
            at.seat));
        const marks = this.jumps().map((d) => ({ move: /** @type {Move} */ (this.moves.find((m) => m.line === d.line)),
            mark: d.mark }));
        const me = this.me < 0 ? 0 : this.me, pattern = this.pattern()?.name ?? '';
        const value = [at.turn < 0 ? _('Setup') : _('Round %{round}, turn %{turn}', roundAndTurn(at.turn)),
            at.kind === 'winner' ? _('The end') :
                _('%{name}: %{choice}', { name: this.names[at.seat], choice: moveWords(at.words, pattern) }),
            chance === null ? '' : _('%{n} percent', { n: Math.round(100 * chance) }),
            decision?.mark ? markName(decision.mark) : ''].filter(Boolean).join(', ');
        return html`<div class="tl-s" role="slider" tabindex="0" aria-label="${
            _('Chance to win, and place in the game')}" aria-valuemin="1"
            aria-valuemax="${this.moves.length}" aria-valuenow="${this.at + 1}" aria-valuetext="${value}">${timelineHtml({
                width: this.width,
            height: this.height, at, marks, points: this.points, seats: this.names.length, me })}${this.judged ||
                this.progress >= 1 ? '' :
            html`<span class="tl-w">${_('Working out the chances: %{n}%', { n: Math.round(100 * this.progress)
                })}</span>`}</div>`;
    }

    buttonsHtml() {
        const { line } = this.moves[this.at], lines = this.jumps().map((d) => d.line), worst = this.judged?.decisions;
        const of = /** @param {number} by */ (by) => {
            const to = by > 0 ? lines.filter((l) => l > line).sort((a, b) => a - b)[0] : lines.filter((l) => l <
                line).sort((a, b) => b - a)[0];
            return worst?.find((d) => d.line === to)?.mark ?? '';
        };
        const [back, on] = [of(-1), of(1)];
        const button =
            /** @param {string} act @param {string} i @param {string} label @param {string} more @param {string} keys */
                (act, i, label,
            more, keys) => html`<button class="btn ${more}" data-a="${act}" aria-label="${label}" aria-keyshortcuts="${
                keys}">${icon(i)}</button>`;
        return html`<div class="bt" role="group" aria-label="${_('Replay controls')}"><div class="r">${button('first',
            'first',
            _('To the beginning'), 'no-p2', 'Home')}${button('back', 'left', _('Step back'), '',
                'ArrowLeft')}<button class="btn pri" data-a="play"
            aria-keyshortcuts="Space">${this.timer ? html`${icon('pause')}${_('Pause')}` : html`${icon('play')}${
                _('Play back')}`}</button>${
            button('next', 'right', _('Step forward'), '', 'ArrowRight')}${button('last', 'last', _('To the end'), 'no-p2',
                'End')}</div>
            <div class="r"><button class="btn no-p2" data-a="before" aria-keyshortcuts="," aria-disabled="${
                !back}" aria-label="${
            _('Previous mistake')}">${icon('left')}<b class="mk">${back ||
                '??'}</b></button><button class="btn" data-a="mistake" aria-keyshortcuts="."
            aria-disabled="${!on}"><b class="mk">${on || '??'}</b><span>${_('Next mistake')}</span></button></div></div>`;
    }

    headHtml() {
        const view = /** @type {View | null} */ (this.core.view(-1)), move = this.moves[this.at], { decision } =
            this.judgement();
        const title = _('Replay: %{names}', { names: listWords(this.names.map((n, s) => view ? `${n} ${
            signed(view.scores[s].total)}` : n)) });
        return html`<header class="top"><a class="toplink no-p2" href="#" aria-label="${_('Pyramids, home')}">${
            wordmark}</a><a class="iconbtn only-p2"
            href="#games" aria-label="${_('Games')}">${icon('left')}</a><h1 class="roundtext no-p2">${
                title}</h1><b class="only-p2 here"><span>${
            _('Replay')} ·</span> <span>${turnName(move.turn)}</span></b><span class="sp"></span><span class="only-p2">${
                this.verdictHtml(decision, lostShort)}</span><button
            class="iconbtn no-p2" data-a="log" aria-label="${_('Game log')}" aria-expanded="${this.log}">${
                icon('log')}</button><button
            class="iconbtn no-p2" data-a="share" aria-label="${_('Share')}">${
                icon('share')}</button><button class="iconbtn" data-a="menu" aria-label="${
            _('Menu')}">${icon('menu')}</button></header>`;
    }

    logHtml() {
        const { line } = this.moves[this.at], { edition } = this.core, marks = new Map(this.mistakes().map((d) => [d.line,
            d.mark]));
        const picture = /** @param {NonNullable<import('./words.js').Entry['mark']>} m */ (m) => html`<span class="pic k-${
            edition.cards[m.card].colour}" aria-hidden="true">${chamber(edition.cards[m.card], m.marks, { mini: true,
                told: m.cells })}</span>`;
        const words = /** @param {import('./words.js').Entry} e */ (e) => e.mark ?
            html`<span aria-hidden="true"><b dir="auto">${
            this.names[e.seat]}</b> ${_('on %{card}', { card: e.mark.card })} ${symbolsOf(edition,
                [e.mark])}</span><span class="vh">${
            e.text}</span>` : e.html;
        const rows = this.entries.map((e, i) => e.kind === 'turn' ? html`<li class="turn">${e.html}</li>` :
            html`<li class="ln ${e.line === line ? 'now' : e.line > line ? 'later' : ''}"><button data-line="${e.line}">${
            avatar(Math.max(0, e.seat), { small: true })}${e.mark ? picture(e.mark) : ''}<span>${words(e)}${marks.has(e.line)
                &&
            this.entries[i + 1]?.line !== e.line ? html` <b class="mk">${marks.get(e.line)}</b>` :
                ''}</span></button></li>`);
        return html`<aside class="panel log rp-log" aria-label="${_('Game log')}"><div class="ph"><span class="eyebrow">${
            _('Game log')}</span><button class="iconbtn" data-a="log" aria-label="${_('Close')}">${
            icon('close')}</button></div><div class="logbox"
            tabindex="0"><ol>${rows}</ol></div></aside>`;
    }

    render() {
        const desks = this.desks(), bigs = this.bigs(desks);
        put(this.root, html`<div class="rep">${this.headHtml()}${this.message ? html`<p class="err" role="alert">${
            withRules(this.message)}</p>` :
            ''}<main class="rp-body"><div class="rp-stage">${this.whatHtml(this.judgement())}${this.stageHtml(bigs)}</div>${
                this.sideHtml(desks)}${
            this.rowHtml(desks, bigs)}<section class="panel tl" aria-label="${_('Timeline')}">${this.buttonsHtml()}${
            this.timelineHtml()}</section></main>${this.log ? this.logHtml() : ''}</div>`);
        const box = this.root.querySelector('.rp-log .logbox'), line = box?.querySelector('.ln.now');
        if (box instanceof HTMLElement && line instanceof
            HTMLElement)           // scrolls only the log, not the page
            box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 2;
        this.note();
    }

    /** The drawing has as many units as the place has pixels. */
    measure() {
        const { clientWidth, clientHeight } = $('.tl-s', this.root);
        if (!clientWidth || (clientWidth === this.width && clientHeight === this.height))
            return;
        this.width = clientWidth;
        this.height = clientHeight;
        this.render();
    }

    /** Updates the address after a pause, so that a reload or a copied link leads to the same move. */
    note() {
        clearTimeout(this.noting);
        this.noting = setTimeout(() => {
            if (location.hash !== this.address)    // another view or move is being loaded
                return;
            this.address = `${this.address.split('/').slice(0, 2).join('/')}/${this.moves[this.at].line}`;
            history.replaceState(null, '', this.address);
        }, 400);
    }
}

/** @param {string} selector */
const near2 = (selector) => document.activeElement?.matches(selector) ?? false;

/** @param {import('./core.js').Edition} edition @param {import('./timeline.js').Part[]} parts */
const symbolsOf = (edition, parts) => parts.flatMap(({ card, cells }) => cells.map((i) =>
    symbolOf(edition.cards[card].cells[i])));
