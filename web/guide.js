/**
 * guide.js: the table in a player's first game: what to do now, and a tip per turn during the first round.
 */
import { _ } from './i18n.js';
import { hasTouch } from './dom.js';
import { TableView } from './table.js';

/** @typedef {import('./core.js').View} View */

/** A tip for each turn of the first round, in the order in which topics come up. */
const tips = () => [
    hasTouch() ? _('Tap a space with blue corners: the pattern goes there. Tap it again to see other ways.') :
        _('Click a space with blue corners: the pattern goes there. Click it again to see other ways.'),
    _('Continue from your marks towards a golden tomb: a finished pyramid is worth 10 points.'),
    _('Gems count in pairs: one ruby and one emerald are worth 5 points together, a single gem 1.'),
    _('A torch is worth 5 points, one per round. A red cross gives you one more space immediately.'),
    _('Skulls cost points, but only your worst one counts. A potion erases two of them.'),
    _('If the pattern does not help you, mark a single space instead: the button One.'),
    _('The first player with two finished pyramids of a colour gets 10 more points.'),
];

export class GuidedView extends TableView {
    /** @param {View} view @param {string} mode @returns {[string, string]} */
    say(view, mode) {
        const [title, text] = super.say(view, mode);
        if (mode !== 'pattern' || view.round > 0 || !this.aim?.patterns.length || this.aim.one || this.aim.painting)
            return [title, text];
        const { pin } = this.aim;
        return [title, !pin ? tips()[view.turn] : pin.cells.length > 1 ?
            (hasTouch() ? _('This is what you would gain. Confirm, or tap elsewhere; Rotate and Mirror turn the pattern.') :
                _('This is what you would gain. Confirm, or click elsewhere; Rotate and Mirror turn the pattern.')) :
            _('The pattern does not fit here, so this marks a single space. Confirm, or try another space or your other ' +
            'card.')];
    }

    layers() {
        super.layers();
        this.root.classList.toggle('told', this.view?.round === 0 && this.aim !== null);
    }

    /** @param {View} view */
    isTold(view) { return view.round === 0; }
}
