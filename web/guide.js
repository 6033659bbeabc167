/** guide.js: the table for someone's first game: what to do now, and a tip a turn, as long as the first round lasts. */
import { _ } from './i18n.js';
import { toast } from './dom.js';
import { TableView } from './table.js';

/** @typedef {import('./core.js').View} View */

/** A tip for each turn of the first round, in the order in which things come up. */
const tips = () => [
    _('Tap a space with blue corners: the pattern goes there. Tap it again to see other ways.'),
    _('Go on from your marks towards a golden tomb: a finished pyramid is worth 10 points.'),
    _('Gems count in pairs: one ruby and one emerald are worth 5 points together, a single gem 1.'),
    _('A torch is worth 5 points, one a round. A red cross gives you one more space at once.'),
    _('Skulls cost points, but only your worst one counts. A potion erases two of them.'),
    _('If the pattern does not help you, mark a single space instead: the button One.'),
    _('The first with two finished pyramids of a colour gets 10 more points.'),
];

export class GuidedView extends TableView {
    /** @param {View} view @param {string} mode @returns {[string, string]} */
    say(view, mode) {
        const [title, text] = super.say(view, mode);
        if (mode !== 'pattern' || view.round > 0 || !this.aim?.patterns.length || this.aim.one)
            return [title, text];
        return [title, this.aim.pin ? _('This is what it brings. Confirm, or tap elsewhere; Rotate and Mirror turn the pattern.') : tips()[view.turn]];
    }

    /** On a phone the words take the place of the cards to come. @param {View} view @param {string} mode @param {string} shortRound */
    trayHtml(view, mode, shortRound) {
        const html = super.trayHtml(view, mode, shortRound);
        if (view.round === 1 && view.turn === 0 && !this.told) {
            this.told = true;
            toast(_('That was the first of four rounds. Now you know what there is to know: good luck!'), 6000);
        }
        return view.round > 0 ? html : html.replace('class="panel tray "', 'class="panel tray talk"');
    }
}
