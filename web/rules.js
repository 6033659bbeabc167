/** rules.js: the rules in our own words, a paragraph a tag, to be searched and linked (#R10), with boards on which one can
 * try. */
import { NONE, html } from './html.js';
import { _ } from './i18n.js';
import { $$, fill, near, put } from './dom.js';
import { chamber, formOf, ghostLayer, icon, legalLayer, mini, patternPicture, shape, turned } from './draw.js';
import { spaceName } from './core.js';
import { colourName, gains, moveParts, reason, ruleLink, signed, spaceNames, spaceWord, symbolList } from './words.js';
import { LESSONS } from './lessons.js';
import { EXAMPLES } from './examples.js';
import { Aim } from './aim.js';
import { scoreTable } from './end.js';
import { deskHtml, tilesHtml, turnMarks, viewAfter } from './replay.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./core.js').View} View */

/** Several paragraphs as one text. @param {string[]} texts */
const paragraphs = (...texts) => texts.join('\n');

/** The texts of src/text/rules.c, word for word, so that one translation serves the terminal, too.
 * @returns {[string, [string, string, Html?][]][]} sections of tag, text and what belongs below it */
function sections() {
    return [
        [_('Components'), [
            ['R1', paragraphs(_(
                'There are 48 pyramid cards: 16 green, 16 orange and 16 purple. Each shows a chamber of five by five ' +
                    'spaces. One space in the top row is the entrance, and one in the bottom row is the tomb. A space ' +
                    'can be a wall, be empty, or hold one symbol.'),
                _('Each card has a number from 1 to 48. The numbers decide who replaces cards first, who takes pyramid ' +
                'points ' +
                    'first, and who wins a tie: the lower number always comes first.'))],
            ['R2', _('Eight expedition cards show six different patterns of two to four spaces.')],
            ['R3', _(
                'Each player has a score card: ten rubies, ten emeralds, four torches (one per round), ten skulls ' +
                    'with growing penalties, and pyramid points of 10, 6 and 3 for each colour.')]]],
        [_('Setup'), [
            ['R4', _('Each player gets four pyramid cards, keeps two face up and returns two. All players choose at ' +
                'the same time.')],
            ['R5', _('All other cards are shuffled into the deck, and four are laid out as the display.')],
            ['R6', _('The eight expedition cards are shuffled for every round.')]]],
        [_('A turn'), [
            ['R7', _('Reveal: turn up the top expedition card. Everyone uses its pattern.')],
            ['R8', _(
                'Mark: at the same time, each player marks the whole pattern on one of their two cards. You may turn ' +
                    'it by quarters and mirror it, but never mark only part of it. Instead of the pattern you may ' +
                    'always mark exactly one space. Doing nothing is not allowed.')],
            ['R9', _('You cannot mark walls or spaces that are already marked, and all marks must stay inside the ' +
                'chamber.')],
            ['R10', _(
                'Your first mark on a card must cover the entrance. In every later mark, at least one space must share ' +
                    'a side with a space that was marked before.')],
            ['R11', _('Symbols take effect when they are marked:'), symbolList()],
            ['R12', paragraphs(_(
                'Replace: if you completed a card, set it aside and take a new one, from the display or unseen from the ' +
                    'deck. If you completed two, replace them one at a time. The display is refilled when you are done. ' +
                    'The player who completed the lowest number chooses first.'),
                _('Completed cards stay face up until the end of the game. Everyone may look at their colours and numbers ' +
                    'at any time.'))],
            ['R13', _('When the deck is empty, the display is no longer refilled. The game continues.')],
            ['R14', paragraphs(_(
                'Pyramid points: when you complete your 2nd, 4th or 6th pyramid of a colour, you take the highest ' +
                    'points left for that colour: 10, then 6, then 3. If several players do so in one turn, the lowest ' +
                    'number among those pyramids goes first.'),
                _('One player may take points of the same colour several times: with the 2nd, the 4th and the 6th ' +
                    'pyramid. ' +
                    'Once 10, 6 and 3 are taken, that colour has no more points.'))],
            ['R15', _('A round ends after seven turns; the eighth expedition card stays hidden. The game ends after four ' +
            'rounds.')]]],
        [_('Scoring'), [
            ['R16', _(
                'Score 10 per completed pyramid, 5 per torch, your pyramid points, 5 per pair of one ruby and one ' +
                'emerald, and 1 per unpaired gem, minus the penalty of your worst skull. Unfinished cards score nothing.')],
            ['R17', _('Most points win; ties go to whoever completed the lowest-numbered pyramid.')]]],
        [_('Rulings'), [
            ['Q1', paragraphs(_(
                'The spaces of a pattern are marked together. Then gems, torch, skulls and potions take effect, in this ' +
                    'order; then the crosses are resolved one by one, each with its own symbol before the next.'),
                _('So a potion in the pattern does not erase a skull that an extra mark adds later.'))],
            ['Q2', _('A card whose tomb is marked is still yours until it is set aside: an extra mark may go there.')],
            ['Q3', _('If an extra mark fits nowhere, it is lost. If it fits somewhere, you must make it.')],
            ['Q4', _(
                'If you completed two cards, you replace both before the display is refilled, and you see the first ' +
                    'new card before choosing the second. Your lower number decides when it is your turn to choose.')],
            ['Q5', _('You see a card from the deck only after you take it, and you cannot change your mind.')],
            ['Q6', _('If a player completed two pyramids of that colour in the turn, the lower number decides the order.')],
            ['Q7', _('If no cards are left to take, you continue with one card, or with none. A player with no card ' +
                'passes.')],
            ['Q8', _('If none of the tied players completed a pyramid, they share the win.')],
            ['Q9', _('Points are taken after all replacements.')],
            ['Q10', _(
                'These are secret: the order of the deck and of the expedition cards; until the game ends, the cards ' +
                    'dealt and returned; and the other players’ choices while everyone is choosing. Everything else ' +
                    'is open.')]]],
        [_('Examples'), [
            ['E1', paragraphs(`${
                _('Seven pyramids, two torches, points 10, 6 and 3, three pairs and three single rubies, worst skull 6:')
            } 70 + 10 + 19 + 18 − 6 = 111`,
                _('Four green pyramids and two orange ones earned the 19 pyramid points; the seventh pyramid is ' +
                    'purple.'))],
            ['E2', _(
                'The 10 for purple is taken. In one turn, one player completes a 2nd purple pyramid, number 33, and ' +
                    'another player a 4th, number 15. Number 15 goes first and takes 6; number 33 takes 3. Nothing is ' +
                    'left for purple.')],
            ['E3', _('In one turn one player completes a 2nd green and another a 2nd purple pyramid: each takes the 10 of ' +
            'that colour.')],
            ['E4', _(
                'A torch in round 1 marks the first torch. A second torch in round 1 marks nothing; the second torch can ' +
                'only be marked in round 2.')],
            ['E5', _('The L pattern, turned and mirrored, opens a card because it covers the entrance.')]]],
    ];
}

/** Boards to try: after which paragraph, and the position. */
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
            const cell = near(e, '[data-try]'), reset = near(e, '[data-reset]')?.dataset.reset, confirm = near(e,
                '[data-ok]')?.dataset.ok;
            if (cell) this.boards.get(cell.dataset.try ?? '')?.choose(Number(cell.dataset.slot), Number(cell.dataset.cell));
            if (reset) this.boards.get(reset)?.begin();
            if (confirm) this.boards.get(confirm)?.confirm();
            const step = near(e, '[data-step]');
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
                'All cards, pictures and texts here are our own.')}</p></section></main></div>`);
        this.boards.forEach((board, tag) => $$(`[data-board="${tag}"]`, this.root).forEach((box) => board.layers(box)));
    }
}

/** Two cards, a pattern, and an engine that answers. */
class TryBoard {
    /** @param {App} app @param {string} lesson */
    constructor(app, lesson) {
        this.core = app.core();
        this.lesson = lesson;
        this.core.load(LESSONS[lesson]);
        /** @type {import('./html.js').Part} */
        this.said = _('Try it: tap a space.');
        this.view = this.look();
        /** @type {Aim | null} */
        this.aim = new Aim(this.core, 0, this.view);
    }

    look() { return /** @type {import('./core.js').View} */ (this.core.view(0)); }

    begin() {
        this.core.load(LESSONS[this.lesson]);
        this.said = _('Try it: tap a space.');
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
            if (lg) fill(lg, legalLayer(aim ? aim.singles.filter((p) => p.slot === slot).map((p) => p.cells[0]) : []));
            if (gh) fill(gh, pin ? ghostLayer(view.desks[0].slots[slot].card, pin.cells) : NONE);
        });
    }
}

/** A worked example, step by step: the engine plays the record, and what it makes of it is shown. */
class ExampleBoard {
    /** @param {App} app @param {string} tag */
    constructor(app, tag) {
        this.tag = tag;
        // The rulebook prints 15 and 33 in purple, our box has them in orange. In their place two cards that the example
        // does not use are orange.
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

    /** Where each step stands in the record, what it shows and says. @returns {{line: number, say: string, picture:
     * Html}[]} */
    makeSteps() {
        const { core } = this, lines = core.lines(), last = lines.length;
        const view = /** @param {number} line */ (line) => /** @type {View} */ (viewAfter(core, lines, line, -1));
        const at = /** @param {string} word @param {number} [nth] */ (word, nth = 0) => lines.map((l,
            i) => l.startsWith(word) ? i + 1 : 0).filter(
            Boolean).at(nth) ?? last;
        const desk = /** @param {number} line @param {number} s */ (line, s) => deskHtml(core, view(line),
            view(line - 1) ?? view(line), s, this.names[s],
            { parts: turnMarks(lines, line - 1).get(s) });
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
            // Whenever a torch is covered, once both players have marked.
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
                    mini(core.edition.cards[card])}` };
            };
            const { marks } = view(last).desks[0].slots[0];
            return [turn(_('The L pattern as it is printed.'), 0, 0), turn(_('Turned by a quarter.'), 1, 0),
                turn(_('Turned and mirrored.'), 1, 1),
                { line: last, say: _('Marked: the card is open.'), picture: html`${patternPicture(turned(pattern, 1, 1))}${
                    mini(core.edition.cards[card], marks, marks)}` }];
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
