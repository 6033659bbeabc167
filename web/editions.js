/** editions.js: all cards of an edition; your own edition, drawn or imported, and checked while you type by the reader
 * that is used everywhere. */
import { html } from './html.js';
import { _ } from './i18n.js';
import { $, askToConfirm, dialog, download, closest, put, toast } from './dom.js';
import { icon, miniCard, patternPicture, picture, symbolOf, turned } from './draw.js';
import { spaceName } from './core.js';
import { cardContents, cardName, colourName, spaceWord } from './words.js';
import { faultWords } from './faults.js';
import { LARGEST_EDITION, editions, keepEdition, read, settings, write } from './store.js';
import { startBotGame } from './game.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./core.js').Edition} Edition */

export class EditionsView {
    /** @param {HTMLElement} root @param {App} app @param {string} [name] */
    constructor(root, app, name = 'classic') {
        this.root = root;
        this.app = app;
        this.name = Object.hasOwn(editions(), name) ? name : 'classic';
        this.core = app.core(this.name);
        root.addEventListener('click', (e) => void this.click(e));
        root.addEventListener('change', (e) => {
            const field = /** @type {HTMLInputElement} */ (e.target), file = field.files?.[0];
            if (field.name === 'edition')
                app.go(`editions/${encodeURIComponent(field.value)}`);
            else if (file)
                void importFile(app, file);
            if (file)
                field.value = '';           // so that the same file can be chosen again after it was corrected
        });
        this.render();
    }

    stop() {}

    /** @param {Event} event */
    async click(event) {
        const act = closest(event, '[data-a]')?.dataset.a, card = Number(closest(event, '[data-card]')?.dataset.card ?? 0),
            { edition } = this.core;
        if (card)
            void dialog(cardName(edition, card), html`<div class="lookat">${picture(edition.cards[card])}<p>${
                cardContents(edition,
                card)}</p></div>`, { close: _('Close') });
        else if (act === 'play')
            void this.app.start(() => startBotGame(this.app.core(this.name), settings.name, settings.opponents,
                settings.level));
        else if (act === 'export')
            download(`${edition.name}.edition`, edition.text);
        else if (act === 'edit')
            this.app.go(`edition/${encodeURIComponent(this.name)}`);
        else if (act === 'drop' && await askToConfirm(_('Remove the edition %{name}?', { name: this.name }),
            _('You can still watch games played with it. Export it first if you may want it again.'), _('Remove'))) {
            keepEdition(this.name);
            this.app.go('editions');
        }
    }

    render() {
        const { edition } = this.core, own = Object.keys(editions());
        put(this.root, html`<div class="page">${pageTop(_('Cards'))}<main class="page-in"><h1 class="title">${
            edition.title}</h1><p class="lead">${
            _('48 pyramid cards, 16 of each colour. Look at one, or draw your own edition and play with it.')}</p>
            <p class="bars">${own.length ?
                html`<label><span class="vh">${
                _('Edition')}</span><select class="inp" name="edition"><option value="classic">Classic</option>${
                own.map((n) => html`<option value="${n}" ${n === this.name ? 'selected' : ''}>${
                n}</option>`)}</select></label>` :
                ''}<button class="btn pri" data-a="play">${icon('play')}${
                _('Play with these')}</button><button class="btn" data-a="edit">${
                icon('pen')}${this.name === 'classic' ? _('Draw your own') : _('Change')}</button>
            <label class="btn filebtn">${icon('share')}${
                _('Import')}<input type="file" class="vh" accept=".edition,.txt,text/plain"></label><button class="btn"
                data-a="export">${
                icon('save')}${_('Export')}</button><a class="btn" href="#print/${encodeURIComponent(this.name)}">${
                icon('score')}${_('Print')}</a>${this.name === 'classic' ? '' :
                html`<button class="btn" data-a="drop">${_('Remove')}</button>`}</p>
            <h2 class="title ed-h">${_('Patterns')}</h2><div class="ed-pats">${edition.patterns.map((p) =>
                html`<figure class="panel">${patternPicture(turned(p))}<figcaption>${p.name} × ${
                p.copies}</figcaption></figure>`)}</div>
            <h2 class="title ed-h">${_('Pyramid cards')}</h2><div class="ed-cards">${edition.cards.filter(Boolean).map((c) =>
                html`<button class="look" data-card="${c.number}" aria-label="${cardName(edition, c.number)}">${
                miniCard(c)}</button>`)}</div></main></div>`);
    }
}

/** A file becomes the text in the editor, whatever it contains: the reader reports errors. @param {App} app
 * @param {File} file */
export async function importFile(app, file) {
    if (file.size > LARGEST_EDITION) {
        toast(_('%{name} is too large for an edition.', { name: file.name }));
        return;
    }
    // It becomes the draft, with the draft's address, so it survives a reload and going back.
    const fresh = (await file.text()).replace(/\r\n?/g, '\n'), draft = read('draft', '');
    // Asks only before something drawn here is replaced: another file's text still exists in that file.
    if (draft && draft !== fresh && draft !== read('imported', '') && !await askToConfirm(_('Start over?'),
        _('Unsaved changes will be lost.'), _('Import')))
        return;
    write('draft', fresh);
    write('imported', fresh);
    app.go('edition');
}

const PALETTE = ['.', '#', 'v', 'T', 'r', 'e', 'f', 's', 'p', 'x'];

class EditorView {
    /** @param {HTMLElement} root @param {App} app @param {string} text */
    constructor(root, app, text) {
        this.root = root;
        this.app = app;
        this.core = app.core();
        this.text = text;
        this.card = 1;
        this.brush = '#';
        root.addEventListener('click', (e) => void this.click(e));
        root.addEventListener('input', (e) => {
            const field = /** @type {HTMLTextAreaElement} */ (e.target);
            if (field.name === 'text') {
                this.text = field.value;
                this.keep();
                this.render();
            } else if (field.name === 'card') {
                this.card = Number(field.value);
                this.render();
            } else if (field.name === 'colour') {
                this.change((lines, at) => { lines[at - 1] = `card ${this.card} ${field.value}`; });
                this.render();
            }
        });
        this.render();
        /** @type {HTMLTextAreaElement} */ ($('textarea', root)).value = text;
    }

    stop() {}

    /** Keeps unsaved text over a reload. */
    keep() { write('draft', this.text.length > LARGEST_EDITION ? undefined : this.text); }

    /** Where the five rows of a card begin in the text, or -1. */
    rowsAt() {
        const lines = this.text.split('\n');
        return lines.findIndex((l) => l.startsWith(`card ${this.card} `)) + 1 || -1;
    }

    /** Changes the text of the selected card; if the text lacks that card, adds it at the end.
     * @param {(lines: string[], at: number) => void} how */
    change(how) {
        if (this.rowsAt() < 0)
            this.text += `${/(^|\n)$/.test(this.text) ? '' : '\n'}card ${this.card} green\n${'.....\n'.repeat(5)}`;
        const lines = this.text.split('\n');
        how(lines, this.rowsAt());
        this.text = lines.join('\n');
        /** @type {HTMLTextAreaElement} */ ($('textarea', this.root)).value = this.text;
        this.keep();
    }

    /** @param {Event} event */
    async click(event) {
        const act = closest(event, '[data-a]')?.dataset.a, brush = closest(event, '[data-brush]')?.dataset.brush,
            cell = closest(event,
            '[data-draw]')?.dataset.draw;
        const area = /** @type {HTMLTextAreaElement} */ ($('textarea', this.root));
        if (brush)
            this.brush = brush;
        if (cell !== undefined)
            this.change((lines, at) => {
                const i = Number(cell), y = at + (i / 5 | 0), row = (lines[y] ?? '').padEnd(5, '.').slice(0, 5);
                lines[y] = row.slice(0, i % 5) + this.brush + row.slice(i % 5 + 1);
            });
        if (act === 'fresh') {
            if (!await askToConfirm(_('Start over?'), _('Unsaved changes will be lost.'), _('Start over')))
                return;
            write('draft', undefined);
            this.app.go('edition');
            return;
        }
        if (act === 'export')
            download(`${/^name (\S+)/m.exec(this.text)?.[1] ?? 'own'}.edition`, this.text);
        else if (act === 'goto') {
            const fault = this.fault();
            const lines = this.text.split('\n'), line = (fault?.line ?? 1) - 1, start = lines.slice(0,
                line).join('\n').length + (line ? 1 : 0);
            area.focus();
            area.setSelectionRange(start, start + (lines[line] ?? '').length);
            area.scrollTop = area.scrollHeight * Math.max(0, line - 3) / lines.length;
        } else if (act === 'save' || act === 'play') {
            if (this.fault())
                return;
            const { name } = this.core.edition;
            if (name === 'classic') {
                toast(_('Give your edition a name other than classic, in the line “name …”.'));
                return;
            }
            keepEdition(name, this.core.edition.text);
            write('draft', undefined);
            toast(_('Saved.'));
            if (act === 'play')
                void this.app.start(() => startBotGame(this.app.core(name), settings.name, settings.opponents,
                    settings.level));
            else
                this.app.go(`editions/${encodeURIComponent(name)}`);
        }
        this.render();
    }

    fault() { return this.core.readEdition(this.text); }

    render() {
        const fault = this.fault(), at = this.rowsAt(), rows = this.text.split('\n').slice(at, at + 5),
            colour = /^card \d+ (green|orange|purple)/m.exec(this.text.split('\n')[at - 1] ?? '')?.[1] ?? 'green';
        const cells = at > 0 ? [0, 1, 2, 3, 4].map((y) => (rows[y] ?? '').padEnd(5, '.').slice(0, 5)).join('') :
            '.'.repeat(25);
        put(this.root, html`<div class="page">${pageTop(_('Edition'))}<main class="page-in"><h1 class="title">${
            _('Your own edition')}</h1><p class="lead">${
            _('Draw the cards, or write or import the text. It is checked as you go; once it is valid you can save it and ' +
                'play.')}</p>
            <p class="checkline ${fault ? 'bad' : 'good'}" role="status">${fault ? icon('info') : icon('check')}<span>${
                fault ? faultWords(fault) : _('No problems found.')}</span>${
                fault?.line ? html`<button class="btn" data-a="goto">${_('Show')}</button>` : ''}</p>
            <p class="bars"><button class="btn pri" data-a="save" aria-disabled="${fault !== null}">${icon('check')}${
                _('Save')}</button><button class="btn" data-a="play" aria-disabled="${fault !== null}">${icon('play')}${
                _('Play')}</button><button class="btn" data-a="export">${icon('save')}${
                _('Export')}</button><button class="btn" data-a="fresh">${icon('undo')}${_('Start over')}</button></p>
            <div class="ed-edit"><section class="panel ed-draw" aria-label="${
                _('Draw a card')}"><div class="ed-which"><label class="fields">${
                _('Card')}<select class="inp" name="card">${[...Array(48).keys()].map((i) =>
                html`<option value="${i + 1}" ${i + 1 === this.card ? 'selected' : ''}>${
                i + 1}</option>`)}</select></label><label class="fields">${
                _('Colour')}<select class="inp" name="colour">${['green', 'orange', 'purple'].map((k) =>
                html`<option value="${k}" ${k === colour ? 'selected' : ''}>${
                colourName(k)}</option>`)}</select></label></div>
            <div class="palette" role="radiogroup" aria-label="${_('What to draw')}">${PALETTE.map((c) =>
                html`<button role="radio" aria-checked="${c === this.brush}" class="tk ${c === this.brush ? 'on' :
                ''}" data-brush="${c}" aria-label="${
                spaceWord(c)}">${c === '.' ? html`<span class="pl-empty"></span>` : c === '#' ?
                html`<span class="pl-wall"></span>` : c === 'v' ? '▼' :
                symbolOf(c)}</button>`)}</div>
            <div class="ed-grid k-${colour}">${[...cells].map((c, i) => html`<button data-draw="${i}" class="${
                c === '#' ? 'wall' : ''}" aria-label="${
                _('%{space}, %{what}', { space: spaceName(i), what: spaceWord(c) })}">${c === 'v' ? '▼' :
                symbolOf(c)}</button>`)}</div></section>
            <section class="ed-text"><label class="eyebrow" for="ed-text">${
                _('Text of the edition')}</label><textarea id="ed-text" name="text" spellcheck="false" rows="26"
                data-same="text"></textarea></section></div></main></div>`);
    }
}

/** @param {App} app @param {string} [name] */
export function showEditor(app, name = 'classic') {
    const draft = /** @type {string | null} */ (read('draft', null));
    const own = typeof draft === 'string' && (/^name (\S+)/m.exec(draft)?.[1] === name || name === 'classic') ? draft :
        Object.hasOwn(editions(), name) ? editions()[name] : app.classic.replace(/^name .*/m,
        'name own').replace(/^title .*/m, `title ${_('My edition')}`);
    app.show((root) => new EditorView(root, app, own), _('Edition'));
}
