/**
 * print.js: an edition on paper: what is printed, on which paper, in which ink, and a preview of the sheets. The core
 * draws the sheets (src/paper); this file shows and prints them.
 */
import { html } from './html.js';
import { _, ngettext } from './i18n.js';
import { $, closest, put } from './dom.js';
import { icon } from './draw.js';
import { editions, read, write } from './store.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */

const PARTS = /** @type {const} */ ([['cards', 1], ['expedition', 2], ['score', 4]]);

/** @param {string} name of the edition */
const words = (name) => [name === 'classic' ? _('our own design, made for a table with pens') :
    _('made for a table with pens'), _('Pyramid cards'), _('Expedition cards'), _('Score card'),
    _('Print at 100%: this line is 50 mm long.'), _('Name'), _('Rubies'), _('Emeralds'), _('Torches'), _('Skulls'),
    _('Pyramids'), _('Pyramid points'), _('Gems'), _('Total')];

export class PrintView {
    /** @param {HTMLElement} root @param {App} app @param {string} [name] */
    constructor(root, app, name = 'classic') {
        this.root = root;
        this.name = Object.hasOwn(editions(), name) ? name : 'classic';
        this.core = app.core(this.name);
        /** @type {{paper: number, parts: number, coloured: boolean}} */
        this.how = { paper: /^(en-US|en-CA|es-MX)/.test(navigator.language) ? 1 : 0, parts: 7, coloured: false,
            ...read('print', {}) };
        root.addEventListener('click', (e) => this.click(e));
        root.addEventListener('keydown', (e) => this.key(e));
        this.render();
        this.draw();
    }

    stop() {}

    /** @param {Event} event */
    click(event) {
        const chosen = closest(event, '[data-set]'), part = Number(closest(event, '[data-part]')?.dataset.part ?? 0);
        if (closest(event, '[data-a=print]'))
            window.print();
        else if (part)
            this.set({ parts: this.how.parts ^ part });
        else if (chosen)
            this.set({ [chosen.dataset.set ?? '']: JSON.parse(chosen.dataset.value ?? '0') });
    }

    /** Arrows choose within a group, as in every group of radio buttons. @param {KeyboardEvent} event */
    key(event) {
        const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key] ?? 0;
        const all = [...closest(event, '[role=radiogroup]')?.querySelectorAll('button') ?? []];
        if (!step || !all.length)
            return;
        event.preventDefault();
        const now = all.findIndex((b) => b.getAttribute('aria-checked') === 'true');
        const next = all[(now + step + all.length) % all.length];
        next.click();
        $(`[data-set=${next.dataset.set}][aria-checked=true]`, this.root).focus();
    }

    /** @param {Partial<PrintView['how']>} change */
    set(change) {
        Object.assign(this.how, change);
        write('print', this.how);
        this.render();
        this.draw();
    }

    render() {
        const { paper, parts, coloured } = this.how, labels = { cards: _('Pyramid cards'), expedition: _('Expedition cards'),
            score: _('Score cards') }, notes = { cards: _('48 cards of 63 × 88 mm'), expedition: _('8 cards'),
            score: _('2 cards: print the sheet again for more players') };
        const count = this.core.x.sheets(parts);
        const radio = /** @param {string} name @param {string} label @param {[string, unknown, boolean][]} all */ (name,
            label, all) => html`<h2>${label}</h2>
            <div class="seg wide two" role="radiogroup" aria-label="${label}">${
            all.map(([text, value, on]) => html`<button role="radio" aria-checked="${on}" tabindex="${
            on ? 0 : -1}" data-set="${name}" data-value="${JSON.stringify(value)}">${text}</button>`)}</div>`;
        put(this.root, html`<link rel="stylesheet" href="print.css"><div class="page printpage">${pageTop(_('Print'))}<main
            class="page-in prints"><section class="panel printhow"><h1 class="title">${_('For a table with pens')}</h1><p>${
            _('Cut along the dashed lines. Put the cards into sleeves and write on them with a dry-wipe pen, or print ' +
            'again. Choose 100% in the print dialog: a ruler on the first sheet shows whether the size is right.')}</p>${
            PARTS.map(([name, part]) =>
            html`<div class="opt"><span id="pr-${name}">${labels[name]}<small>${notes[name]}</small></span><button class="sw"
            role="switch" aria-checked="${!!(parts & part)}" aria-labelledby="pr-${name}" data-part="${
            part}"></button></div>`)}${radio('paper', _('Paper'), [['A4', 0, !paper], ['Letter', 1, !!paper]])}${
            radio('coloured', _('Ink'), [[_('Black, saves ink'), false, !coloured], [_('Colour'), true, coloured]])}
            <button class="btn pri" data-a="print" ${count ? '' : 'disabled'}>${icon('score')}${count ?
            ngettext('Print %{n} sheet', 'Print %{n} sheets', count) : _('Choose what to print')}</button><p class="quiet">${
            this.name === 'classic' ? _('Classic is our own design, not the cards of the printed game.') :
            _('An edition of your own: if it is a copy of a printed box, keep the sheets to yourself.')}</p></section>
            <div class="sheets ${paper ? 'letter' : 'a4'}"></div></main></div>`);
    }

    /** The sheets, as SVG that the core has escaped, so they are not read as HTML. */
    draw() {
        const { coloured } = this.how, parser = new DOMParser();
        const pictures = [...document.querySelectorAll('.sprite :is([id^="s-"],[id^="p-"],[id^="g-"],[id^="tx-"])')];
        const sprite = this.core.sprite(pictures.map((p) => p.outerHTML).join(''), coloured);
        const all = [`<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"><defs>${sprite}</defs></svg>`,
            ...this.core.sheets(this.how, words(this.name))];
        $('.sheets', this.root).replaceChildren(...all.map((svg) => document.importNode(parser.parseFromString(svg,
            'image/svg+xml').documentElement, true)));
    }
}
