/** rules.js: the rules in our own words, one paragraph per tag, with search and links (#R10), and with boards for
 * trying them out. */
import { NONE, html } from './html.js';
import { _ } from './i18n.js';
import { $$, closest, hasTouch, put, replaceContent } from './dom.js';
import { chamber, formOf, ghostLayer, icon, legalLayer, miniCard, patternPicture, shape, turned } from './draw.js';
import { spaceName } from './core.js';
import { colourName, gains, moveParts, reason, ruleLink, signed, spaceNames, spaceWord, symbolList } from './words.js';
import { RULEBOOK } from './rulebook.js';
import { LESSONS } from './lessons.js';
import { EXAMPLES } from './examples.js';
import { Aim } from './aim.js';
import { scoreTable } from './end.js';
import { deskHtml, tilesHtml, turnMarks, viewAfter } from './replay.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./core.js').View} View */

/** The rules as the terminal shows them, too (src/text/rulebook.inc).
 * @returns {[string, [string, string, Html?][]][]} sections of tag, text and what belongs below it */
function sections() {
    const found = /** @type {[string, [string, string, Html?][]][]} */ ([]);
    for (const [tag, ...texts] of RULEBOOK) {
        const text = texts.map((part) => _(part)).join('\n');
        if (tag)
            found[found.length - 1][1].push(tag === 'R11' ? [tag, text, symbolList()] : [tag, text.replace(' - ', ' − ')]);
        else
            found.push([text, []]);
    }
    return found;
}

/** Boards to try: the paragraph before each, and the position. */
const BOARDS = /** @type {Record<string, string>} */ ({ R10: 'touch', R11: 'cross', E5: 'turn' });

export class RulesView {
    /** @param {HTMLElement} root @param {App} app @param {string} tag */
    constructor(root, app, tag) {
        this.root = root;
        this.app = app;
        this.query = '';
        /** @type {Map<string, TryBoard>} */
        this.boards = new Map(Object.entries(BOARDS).map(([t, lesson]) => [t, new TryBoard(app, lesson)]));
        /** @type {Map<string, ExampleBoard>} */
        this.examples = new Map(Object.keys(EXAMPLES).map((t) => [t, new ExampleBoard(app, t)]));
        root.addEventListener('input', (e) => {
            this.query = /** @type {HTMLInputElement} */ (e.target).value;
            this.render();
        });
        root.addEventListener('click', (e) => {
            const cell = closest(e, '[data-try]'), reset = closest(e, '[data-reset]')?.dataset.reset, confirm = closest(e,
                '[data-ok]')?.dataset.ok;
            if (cell) this.boards.get(cell.dataset.try ?? '')?.choose(Number(cell.dataset.slot), Number(cell.dataset.cell));
            if (reset) this.boards.get(reset)?.begin();
            if (confirm) this.boards.get(confirm)?.confirm();
            const step = closest(e, '[data-step]');
            if (step) this.examples.get(step.dataset.ex ?? '')?.go(Number(step.dataset.step));
            if (cell || reset || confirm || step) this.render();
        });
        this.render();
        const at = tag && root.querySelector(`#${tag}`);
        if (at instanceof HTMLElement) {
            at.scrollIntoView({ block: 'center' });
            at.classList.add('here');
            at.focus();
        }
    }

    stop() {}

    render() {
        const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
        const found = sections().map(([title, list]) => /** @type {[string, [string, string, Html?][]]} */ ([title,
            list.filter(([tag, text, more]) => words.every(
            (w) => `${title} ${tag} ${text} ${more ? more.text.replace(/<[^>]*>/g, ' ') : ''}`.toLowerCase().includes(
            w)))])).filter(([, list]) => list.length);
        put(this.root, html`<div class="page">${pageTop(_('Rules'))}<main class="page-in rules"><h1 class="title">${
            _('Rules')}</h1><p class="lead">${
            _('Turn up a pattern, mark it on one of your two pyramids, find the way down to the tomb. Four rounds of ' +
                'seven turns; two to four players.')}</p>
            <label class="search">${icon('search')}<span class="vh">${
                _('Search the rules')}</span><input class="inp" type="search" placeholder="${
                _('Search the rules')}" value="${this.query}"></label>
            ${found.length ? found.map(([title, list]) => html`<section><h2 class="title">${title}</h2>${list.map(([tag,
                text, more]) =>
                html`<div class="rl" id="${tag}" tabindex="-1"><a href="#${tag}" class="tagl" aria-label="${
                _('Link to %{tag}', { tag })}">${
                tag}</a><div>${text.split('\n').map((part, i) => i ? html`<p>${part}</p>` : part)}${more}${
                this.boards.has(tag) ? this.boards.get(tag)?.html(tag) ?? '' : ''}</div>${this.examples.get(tag)?.html() ??
                ''}</div>`)}</section>`) : html`<p>${_('Nothing found.')}</p>`}<section class="about"><h2 class="title">${
                _('About')}</h2><p>${
                _('“Silver & Gold: Pyramids” is a game by Phil Walker-Harding. Its name belongs to its publishers. ' +
                'Pyramids is an independent project: neither the author nor the publishers have made or endorsed it. ' +
                'All cards, pictures and texts here are our own.')}</p><p><a
                href="licences.txt">MIT: Pyramids, jsmn</a></p></section></main></div>`);
        this.boards.forEach((board, tag) => $$(`[data-board="${tag}"]`, this.root).forEach((box) => board.layers(box)));
    }
}

const tryWords = () => hasTouch() ? _('Try it: tap a space.') : _('Try it: click a space.');

/** Two cards and a pattern to try marks with; the engine answers. */
class TryBoard {
    /** @param {App} app @param {string} lesson */
    constructor(app, lesson) {
        this.core = app.core();
        this.lesson = lesson;
        this.core.load(LESSONS[lesson]);
        /** @type {import('./html.js').Part} */
        this.said = tryWords();
        this.view = this.look();
        /** @type {Aim | null} */
        this.aim = new Aim(this.core, 0, this.view);
    }

    look() { return /** @type {import('./core.js').View} */ (this.core.view(0)); }

    begin() {
        this.core.load(LESSONS[this.lesson]);
        this.said = tryWords();
        this.next();
    }

    next() {
        this.view = this.look();
        this.aim = this.core.isReady(0) ? null : new Aim(this.core, 0, this.view);
    }

    /** @param {number} slot @param {number} cell */
    choose(slot, cell) {
        const { aim, core, view } = this;
        if (!aim)
            return;
        if (aim.place(slot, cell) && aim.pin) {
            const after = core.preview(0, aim.pin.step);
            const list = after ? gains(core.edition, view.desks[0], after.desk, view.round) : [];
            this.said = list.length ? _('%{spaces}: %{gains}', { spaces: spaceNames(aim.pin.cells), gains: list.map((g) =>
                g.text).join(', ') }) :
                _('%{spaces}: legal, no symbols', { spaces: spaceNames(aim.pin.cells) });
        } else {
            const { text, rule } = reason(aim.refused);
            this.said = html`${text} ${ruleLink(rule)}`;
        }
    }

    confirm() {
        if (!this.aim?.pin)
            return;
        this.core.step(0, this.aim.pin.step);
        this.next();
        this.said = this.aim ? _('One more space, on either card.') : _('Marked.');
    }

    /** @param {string} tag */
    html(tag) {
        const { view, aim, core } = this, pattern = core.edition.patterns[view.revealed[view.turn]];
        return html`<div class="tryb panel" data-board="${tag}"><div class="tryp">${patternPicture(aim?.extra ? [[0,
            0]] : turned(pattern, aim?.quarters,
            aim?.mirror))}<p aria-live="polite">${this.said}</p><button class="btn" data-ok="${tag}" aria-disabled="${
            !aim?.pin}">${
            _('Mark')}</button><button class="btn" data-reset="${tag}">${_('Again')}</button></div><div class="tryc">${
            view.desks[0].slots.map((slot,
            i) => {
            const card = core.edition.cards[slot.card];
            const cells = [...Array(25).keys()].map((k) => html`<button data-try="${tag}" data-slot="${i}" data-cell="${
                k}" aria-label="${
                `${slot.card} ${spaceName(k)}, ${spaceWord(card.cells[k])}`}"></button>`);
            return html`<div class="tryk k-${card.colour}"><span class="tag">${shape(card.colour)}${slot.card} ${colourName(
                card.colour)}</span><div class="chamber"><div class="art" data-same="${slot.marks.join('.')}">${
                chamber(card, slot.marks,
                { layers: true })}</div><div class="cells">${[0, 1, 2, 3, 4].map((y) => html`<div>${cells.slice(5 * y,
                5 * y + 5)}</div>`)}</div></div></div>`;
        })}</div></div>`;
    }

    /** @param {HTMLElement} box */
    layers(box) {
        const { aim, view } = this;
        box.querySelectorAll('.tryk').forEach((k, slot) => {
            const lg = k.querySelector('.lg'), gh = k.querySelector('.gh'), pin = aim?.pin?.slot === slot ? aim.pin : null;
            if (lg) replaceContent(lg, legalLayer(aim ? aim.singles.filter((p) => p.slot === slot).map((p) => p.cells[0]) :
                []));
            if (gh) replaceContent(gh, pin ? ghostLayer(view.desks[0].slots[slot].card, pin.cells) : NONE);
        });
    }
}

/** A worked example, step by step: the engine replays the record, and each position is shown. */
class ExampleBoard {
    /** @param {App} app @param {string} tag */
    constructor(app, tag) {
        this.tag = tag;
        // The rulebook prints 15 and 33 in purple, but our box has them in orange. Two cards that the example does not
        // use become orange instead.
        this.core = app.core(tag === 'E2' ? app.classic.replace(/^(card (?:15|33)) orange/gm, '$1 purple')
            .replace(/^(card (?:12|31)) purple/gm, '$1 orange') : 'classic');
        if (this.core.load(EXAMPLES[tag]))
            throw new Error(`example ${tag}`);
        this.names = this.core.names();
        this.at = 0;
        this.steps = this.makeSteps();
    }

    /** @param {number} by */
    go(by) { this.at = Math.max(0, Math.min(this.steps.length - 1, this.at + by)); }

    /** The steps: each has its line in the record, a picture and a text.
     * @returns {{line: number, say: string, picture: Html}[]} */
    makeSteps() {
        const { core } = this, lines = core.lines(), last = lines.length;
        const view = /** @param {number} line */ (line) => /** @type {View} */ (viewAfter(core, lines, line, -1));
        const at = /** @param {string} word @param {number} [nth] */ (word, nth = 0) => lines.map((l,
            i) => l.startsWith(word) ? i + 1 : 0).filter(
            Boolean).at(nth) ?? last;
        const desk = /** @param {number} line @param {number} s */ (line, s) => deskHtml(core, view(line),
            view(line - 1) ?? view(line), s, this.names[s],
            { parts: turnMarks(lines, line - 1).get(s), rounds: true });
        const desks = /** @param {number} line @param {import('./core.js').Colour[]} colours */ (line, colours) =>
            html`<div class="rp-desks">${this.names.map((_name, s) => desk(line, s))}</div>${tilesHtml(view(line),
            colours)}`;
        const [ana, ben] = this.names;
        switch (this.tag) {
        case 'E1': {
            const end = view(last), { pyramids, torches, points, gems, skulls, total } = end.scores[0];
            const table = /** @param {number} rows */ (rows) => html`<div class="rp-desks">${desk(last, 0)}</div>${
                tilesHtml(end, ['green', 'orange'])}<div data-rows="${rows}">${
                scoreTable(end, [ana], [], core, [false])}</div>`;
            return [_('Every completed pyramid is worth 10 points.'),
                _('The torches of rounds 1 and 4 are worth 5 points each.'),
                _('Four green pyramids earned 6 and 3 points, two orange ones 10.'),
                _('Three pairs of gems are worth 5 points each, three single rubies 1 each.'),
                _('Only the worst skull is subtracted.'),
                `${[pyramids, torches, points, gems].join(' + ')} − ${-skulls} = ${signed(total)}`].map((say,
                i) => ({ line: last, say,
                picture: table(i + 1) }));
        }
        case 'E2':
            return [[at('mark 1', -1) - 1, `${_('The 10 for purple is taken. %{a} has completed one purple pyramid, %{b} ' +
                'three.',
                { a: ana, b: ben })} ${
                _('Cards 15 and 33 are purple here, as in the rulebook; in Classic they are orange.')}`],
                [at('mark 2', -1), _('In the same turn %{a} completes number 33 and %{b} number 15.', { a: ana, b: ben })],
                [at('points', -2) - 1, _('First both take a new card: 15 is lower than 33, so %{b} chooses first.',
                { b: ben })],
                [at('points', -2), _('The lower number also takes points first: %{b} takes 6.', { b: ben })],
                [at('points', -1), _('%{a} takes 3. No points are left for purple.', { a: ana })]].map(([line, say]) =>
                ({ line: Number(line), say: String(say), picture: desks(Number(line), ['purple']) }));
        case 'E3':
            return [[at('mark 1', -1) - 1, _('%{a} has completed one green pyramid, %{b} one purple.', { a: ana, b: ben })],
                [at('mark 2', -1), _('In one turn both complete a second pyramid of that colour.')],
                [at('points', -2), _('%{a} takes the 10 for green.', { a: ana })],
                [at('points', -1), _('%{b} takes the 10 for purple.', { b: ben })]].map(([line, say]) =>
                ({ line: Number(line), say: String(say), picture: desks(Number(line), ['green', 'purple']) }));
        case 'E4': {
            // The lines in which a torch is covered, once both players have marked.
            const lit = lines.map((l, i) => /^mark 1/.test(l) && this.coversTorch(l) ? i + 2 : 0).filter(Boolean);
            return [[lit[0] - 2, _('Round 1: no torch is marked yet.')], [lit[0],
                _('%{a} marks a torch: the torch of round 1.', { a: ana })],
                [lit[1], _('A second torch in the same round marks nothing.')],
                [lit[2], _('In round 2 a torch marks the second one.')]].map(([line, say]) => ({ line: Number(line),
                say: String(say),
                picture: html`<div class="rp-desks">${desk(Number(line), 0)}</div>` }));
        }
        default: {
            const before = core.fork();
            before.load(lines.slice(0, at('mark 1') - 1).join('\n'));
            const now = /** @type {View} */ (before.view(0)), pattern = core.edition.patterns[now.revealed[0]],
                { card } = now.desks[0].slots[0];
            const turn = /** @param {string} say @param {number} quarters @param {number} mirror */ (say, quarters,
                mirror) => {
                const form = turned(pattern, quarters, mirror), fits = before.steps(0).filter((s) => s.kind === 'mark' &&
                    s.slot === 0 && formOf(
                    s.cells) === form.join(' ')).length;
                return { line: at('mark 1') - 1, say: `${say} ${fits ? _('Now it covers the entrance of card %{card}.',
                    { card }) :
                    _('It does not fit on card %{card}.', { card })}`, picture: html`${patternPicture(form)}${
                    miniCard(core.edition.cards[card])}` };
            };
            const { marks } = view(last).desks[0].slots[0];
            return [turn(_('The L pattern as it is printed.'), 0, 0), turn(_('Turned by a quarter.'), 1, 0),
                turn(_('Turned and mirrored.'), 1, 1),
                { line: last, say: _('Marked: the card is open.'), picture: html`${patternPicture(turned(pattern, 1, 1))}${
                    miniCard(core.edition.cards[card], marks, marks)}` }];
        }
        }
    }

    /** @param {string} line a mark */
    coversTorch(line) {
        return moveParts(line.split(' ')[2]).some(({ card, cells }) => cells.some((i) =>
            this.core.edition.cards[card].cells[i] === 'f'));
    }

    html() {
        const { say, picture } = this.steps[this.at], n = this.at + 1, of = this.steps.length;
        const button = /** @param {number} by @param {string} i @param {string} label @param {boolean} off */ (by, i,
            label, off) =>
            html`<button class="btn" data-ex="${this.tag}" data-step="${by}" aria-disabled="${off}" aria-label="${label}">${
            icon(i)}</button>`;
        return html`<div class="exb panel" role="group" aria-label="${_('Example %{tag}',
            { tag: this.tag })}"><div class="exs"><p aria-live="polite">${
            say}</p><div class="exn">${button(-1, 'left', _('Step back'), n === 1)}<span>${_('Step %{n} of %{of}', { n,
            of })}</span>${button(1,
            'right', _('Step forward'), n === of)}</div></div><div class="exp">${picture}</div></div>`;
    }
}
