/**
 * learn.js: the tutorial: ten positions on the real table, each with one task. The engine checks what is done, and a
 * wrong try gets the same answers as in play. Lessons can be done in any order and resumed at any time.
 */
import { html } from './html.js';
import { _ } from './i18n.js';
import { $, $$, announce, dialog, hasTouch, toast } from './dom.js';
import { formOf, icon, targetLayer, turned } from './draw.js';
import { DRAW, spacesOf, takeStep } from './core.js';
import { Game, startBotGame } from './game.js';
import { LESSONS } from './lessons.js';
import { TableView } from './table.js';
import { read, settings, write } from './store.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./core.js').View} View */
/** @typedef {import('./core.js').Step} Step */

/**
 * @typedef {object} Lesson
 * @property {string} record of LESSONS
 * @property {() => string} title
 * @property {() => string} task
 * @property {() => string} told shown afterwards: what was learned
 * @property {(before: View, made: Step[], after: View, core: import('./core.js').Core) => boolean} done
 * @property {() => string} miss what to do instead, if something else was done
 * @property {string} [target] the space that it is about, which is ringed: 35:e1 is on card 35, wherever that is
 */

/** @type {Lesson[]} */
const STEPS = [
    { record: 'one', title: () => _('A pyramid card'), task: () => hasTouch() ?
        _('These are your two cards. On each the arrow is the entrance, the golden space the tomb; dark spaces are walls. ' +
            'Tap an entrance, then Confirm.') :
        _('These are your two cards. On each the arrow is the entrance, the golden space the tomb; dark spaces are walls. ' +
            'Click an entrance, then Confirm.'),
        told: () => _(
            'You have opened a pyramid. Every card is a way down from the entrance to the tomb, around the walls. Symbols ' +
            'on the way help you or cost you.'),
        done: (_b, made) => made.length > 0, miss: () => '' },
    { record: 'first', target: '32:e1', title: () => _('The first mark'), task: () => hasTouch() ?
        _('Each turn, a card gives everyone a pattern. Your first mark on a card must cover its entrance. Tap the ' +
            'entrance of 32 again and again until the pattern covers the ringed ruby, then Confirm.') :
        _('Each turn, a card gives everyone a pattern. Your first mark on a card must cover its entrance. Click the ' +
            'entrance of 32 again and again until the pattern covers the ringed ruby, then Confirm.'),
        told: () =>
            _('The whole pattern goes on one of your two cards, and the first mark on a card always covers its entrance.'),
        done: (b, _m, a) => a.desks[0].rubies > b.desks[0].rubies, miss: () => hasTouch() ?
            _('That way the ruby is not covered. Tap the entrance again to see the next way.') :
            _('That way the ruby is not covered. Click the entrance again to see the next way.') },
    { record: 'turn', title: () => _('Turn and mirror'), task: () => hasTouch() ?
        _('Patterns may be turned and mirrored. Tap an entrance, then press Rotate or Mirror, and see how the L lies now. ' +
            'Mark it in another way than its card shows it.') :
        _('Patterns may be turned and mirrored. Click an entrance, then press Rotate or Mirror, and see how the L lies ' +
            'now. Mark it in another way than its card shows it.'),
        told: () => hasTouch() ?
            _('Patterns may be turned by quarters and mirrored. Tap the same space again to see other ways.') :
            _('Patterns may be turned by quarters and mirrored. Click the same space again to see other ways; R and F do ' +
                'it on a keyboard.'),
        done: (_b, [m], _a, core) => m.kind === 'mark' && m.cells.length > 1 && formOf(m.cells) !== printed(core),
            miss: () =>
            _('That is not the L turned or mirrored. Press Rotate or Mirror before you confirm.') },
    { record: 'touch', title: () => _('Continue from there'), task: () =>
        _('Card 30 already has marks. The next pattern must share a side with a marked space: put it there. Blue ' +
            'corners show where you can continue.'),
        told: () => _('Every later mark must share a side with a marked space. Corners do not count.'),
        done: (b, [m]) => m.kind === 'mark' && m.cells.length > 1 && b.desks[0].slots[m.slot].marks.length > 0, miss: () =>
            _('Put the pattern on the card that already has marks.') },
    { record: 'gem', target: '35:e1', title: () => _('Gems and pairs'), task: () =>
        _('You have a ruby. With an emerald it makes a pair worth 5 points; a gem alone is worth 1. Mark the ringed ' +
            'emerald with the pattern.'),
        told: () =>
            _('Your score card fills by itself. A pair of one ruby and one emerald is worth 5 points, a gem alone 1.'),
        done: (b, _m, a) => a.desks[0].emeralds > b.desks[0].emeralds, miss: () =>
            _('That was not the emerald. Look for the green gem.') },
    { record: 'torch', target: '11:c1', title: () => _('One torch per round'), task: () => _('A torch is worth 5 points, ' +
        'but only one per round counts. Mark the ringed torch with the pattern.'),
        told: () => _('You lit this round’s torch. Another one in the same round would earn nothing.'),
        done: (b, _m, a) => a.scores[0].torches > b.scores[0].torches, miss: () =>
            _('No torch this time. Cover the space with the flame.') },
    { record: 'potion', target: '27:c4', title: () => _('Skulls and the potion'), task: () =>
        _('You have two skulls. Each one costs more than the last, and the worst is subtracted at the end. The ringed ' +
            'potion erases two: mark it.'),
        told: () => _(
            'The potion erased your two worst skulls. Each further skull costs more, and at the end only the worst one is ' +
            'subtracted. After the tenth skull nothing more happens.'),
        done: (b, _m, a) => a.desks[0].skulls < b.desks[0].skulls, miss: () => _('Cover the blue potion with the pattern.')
            },
    { record: 'cross', target: '42:b2', title: () => _('The red cross'), task: () =>
        _('Mark the ringed red cross and confirm. It gives you one more space, on either card: choose it and confirm ' +
            'again.'),
        told: () => _('A red cross gives you an extra space immediately, on either card. If that is a cross too, you ' +
            'get another one, and so on.'),
        done: (_b, made) => made.length > 1, miss: () => _('Cover the red cross with the pattern.') },
    { record: 'tomb', target: '12:e5', title: () => _('Reach the tomb'), task: () =>
        hasTouch() ? _('The pattern does not reach the tomb, but you may always mark a single space instead. Press One, ' +
            'tap the ringed tomb, confirm; then take a new card.') :
            _('The pattern does not reach the tomb, but you may always mark a single space instead. Press One, click the ' +
                'ringed tomb, confirm; then take a new card.'),
        told: () => _(
            'The pyramid is complete: 10 points. It stays face up for everyone to see, and you took a new one. Each card ' +
            'has a number from 1 to 48: when several players complete cards in a turn, the lowest number chooses first.'),
        done: (b, _m, a) => a.desks[0].done.length > b.desks[0].done.length, miss: () => hasTouch() ?
            _('Tap the golden tomb: a single space will do.') : _('Click the golden tomb: a single space will do.') },
    { record: 'points', target: '34:a5', title: () => _('Pyramid points'), task: () =>
        _('You have finished one orange pyramid. The first player with two of a colour gets 10 extra points, the next ' +
            '6, then 3. Reach the ringed tomb with the pattern.'),
        told: () => _(
            'Ten extra points! The 2nd, 4th and 6th pyramid of a colour earn the highest points that are left, so you may ' +
            'take ' +
            'points of one colour more than once. The lower card number goes first, and it breaks a tie at the end. The ' +
            'game ' +
            'ends after four rounds of seven turns. Then count: 10 per pyramid, 5 per torch, the points, pairs of gems, ' +
            'minus the worst skull.'),
        done: (b, _m, a) => a.desks[0].done.length > b.desks[0].done.length, miss: () =>
            _('Cover the tomb of the card that completes a second of its colour.') },
];

/** The form of the pattern as printed on its card. @param {import('./core.js').Core} core */
function printed(core) {
    const shown = core.view(0)?.revealed.at(-1) ?? 0;
    return turned(core.edition.patterns[shown]).join(' ');
}

/** @returns {{at: number, done: number[]}} */
const progress = () => read('learn', { at: 0, done: /** @type {number[]} */ ([]) });

class LessonGame extends Game {
    /** @param {App} app @param {number} at */
    constructor(app, at) {
        super(app.core(), [{ name: settings.name || _('Player'), level: '' }, { name: _('Jackal'), level: 'casual' }], 0);
        this.app = app;
        this.at = at;
        this.hints = false;
        /** Whether the last try was not what the lesson asked for. */
        this.missed = false;
        this.tries = 0;
        this.lesson = STEPS[at];
        /** @type {Step[]} */
        this.made = [];
        /** @type {View | null} */
        this.before = null;
        this.coach = { step: at + 1, of: STEPS.length, title: this.lesson.title(), text: this.lesson.task() };
        this.begin();
    }

    begin() {
        if (this.core.load(LESSONS[this.lesson.record].replace(/^player (\d) .*/gm, (_line, n) => `player ${n} ${this.seats[n
            - 1].name}`)))
            throw new Error(`lesson ${this.lesson.record}`);
        this.before = this.core.view(0);
        this.made = [];
        this.tries++;
    }

    /** @param {number} seat */
    isIn(seat) { return seat !== this.me || super.isIn(seat); }

    confirm() {
        const { core } = this;
        this.made = core.made(0);
        if (!['tomb', 'points'].includes(this.lesson.record)) {
            this.finish(/** @type {View} */ (core.view(0)));
            return;
        }
        core.confirm(0);
        // The other player makes any mark, so that the turn continues.
        const other = core.steps(1)[0];
        core.step(1, other.step);
        while (!core.isReady(1) && core.steps(1).length)
            core.step(1, core.steps(1)[0].step);
        core.confirm(1);
        this.goOn();
    }

    goOn() {
        const view = /** @type {View} */ (this.core.view(0));
        if (view.phase === 'replace' && view.order[view.place] === 1)
            this.core.step(1, this.core.steps(1)[0].step);
        if (this.core.view(0)?.phase === 'replace')
            this.changed();
        else
            this.finish(/** @type {View} */ (this.core.view(0)));
    }

    /** @param {number} card */
    take(card) {
        this.core.step(0, card ? takeStep(card) : DRAW);
        this.goOn();
    }

    /** @param {View} after */
    finish(after) {
        const { lesson, at } = this;
        if (lesson.done(/** @type {View} */ (this.before), this.made, after, this.core)) {
            const kept = progress();
            write('learn', { at: Math.min(at + 1, STEPS.length - 1), done: [...new Set([...kept.done, at])] });
            const last = at === STEPS.length - 1, { hash } = location;
            this.changed();
            void dialog(_('Well done'), html`<p>${lesson.told()}</p><p class="dlgf"><button class="btn" value="again">${
                _('Repeat')}</button> <button class="btn pri" value="next">${last ? _('Play a first game') :
                _('Next step')}</button></p>`)
                .then((value) => {
                    if (location.hash !== hash)          // navigating elsewhere also closes the dialog
                        return;
                    if (value === 'again')
                        this.again('');
                    else if (last)
                        void this.app.start(() => startBotGame(this.app.core(), settings.name, 1, 'novice'));
                    else
                        this.app.go(`learn/${at + 2}`);
                });
        } else {
            this.again(lesson.miss());
        }
    }

    /** Restarts the lesson. @param {string} miss */
    again(miss) {
        this.begin();
        this.coach = { ...this.coach, text: miss || this.lesson.task() };
        this.missed = miss !== '';
        if (miss)
            announce(miss);
        this.changed();
    }

    menu() { return /** @type {[string, string, () => void][]} */ ([['learn', _('Steps'), () => this.steps()], ['right',
        _('Skip'), () => this.skip()]]); }

    skip() { this.app.go(this.at + 1 < STEPS.length ? `learn/${this.at + 2}` : ''); }

    steps() {
        const { done } = progress();
        void dialog(_('Ten steps'), html`<ol class="choices">${STEPS.map((s, i) => html`<li><button class="btn" value="${i +
            1}">${done.includes(i) ?
            icon('check') : html`<b>${i + 1}</b>`}${s.title()}${done.includes(i) ? html`<span class="vh">${_('done')}</span>`
                : ''}</button></li>`)}</ol>`, { close: _('Close') })
            .then((value) => { if (value) this.app.go(`learn/${value}`); });
    }
}

/** The table with a ring around the space that the lesson is about. */
class LessonView extends TableView {
    /** The try that is shown. */
    answered = 0;

    /** Removes what was placed in an earlier try. @param {View} view */
    refreshAim(view) {
        const { tries } = /** @type {LessonGame} */ (this.game);
        if (tries !== this.answered) {
            this.answered = tries;
            this.aimKey = '';
            this.aim = null;
        }
        super.refreshAim(view);
    }

    layers() {
        super.layers();
        const { lesson, missed } = /** @type {LessonGame} */ (this.game), [card, space] = lesson.target?.split(':') ?? [];
        const slot = this.view?.desks[0].slots.findIndex((s) => s.card === Number(card));
        this.root.classList.add('told');
        this.root.classList.toggle('missed', missed);
        if (space && this.aim && !this.aim.extra && !this.aim.pin)
            $$('.cards-in article', this.root).forEach((article) => {
                if ($('.cells button', article).dataset.slot === String(slot))
                    $('.lg', article).insertAdjacentHTML('beforeend', targetLayer(spacesOf(space)).text);
            });
    }

    /** Explains to a learner why nothing has turned. @param {number} by quarters, 0: mirror */
    turn(by) {
        const before = this.aim?.pin?.step;
        super.turn(by);
        if (before !== undefined && this.aim?.pin?.step === before)
            toast(by ? _('Turned, it does not fit there: walls are in the way. Try Mirror, or another space.') :
                _('Mirrored, it does not fit there: walls are in the way. Try Rotate, or another space.'));
    }
}

/** @param {App} app @param {string} [step] from 1 */
export function showLessons(app, step) {
    const at = Math.min(STEPS.length, Math.max(1, Number(step ?? progress().at + 1) || 1)) - 1;
    const game = new LessonGame(app, at);
    app.show((root) => {
        const view = new LessonView(root, game, app);
        view.update();
        announce(`${game.coach.title}. ${game.coach.text}`);
        return view;
    }, _('Learn'));
}
