/**
 * scorepad.js: a score pad for playing with the physical box: tick gems, torches, skulls, pyramids and points; totals
 * for up to four players. Survives a reload.
 */
import { html } from './html.js';
import { _, ngettext } from './i18n.js';
import { $, askToConfirm, closest, put } from './dom.js';
import { ROMAN, avatar, icon, shape, symbol } from './draw.js';
import { COLOURS, TILES } from './core.js';
import { padTotal } from './padtotal.js';
import { colourName, signed, withRules } from './words.js';
import { codeWords } from './faults.js';
import { ERR, GAME } from './codes.js';
import { editions, read, write } from './store.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./padtotal.js').Sheet} Sheet */
/** @typedef {import('./padtotal.js').Pad} Pad */

/** @returns {Sheet} */
const blank = () => ({ name: '', done: [0, 0, 0], rubies: 0, emeralds: 0, torches: [false, false, false, false], skulls: 0
    });
/** @returns {Pad} */
const fresh = () => ({ sheets: [blank(), blank()], tiles: [0, 1, 2].map(() => [-1, -1, -1]) });

const TEN = [...Array(GAME.skulls).keys()];          // as many as gems of each colour

/** @typedef {{typed: string[], from: string}} Skulls what was typed for the physical box; from: the edition that is
 * used instead, '' for none */

/** Any other content is not trusted. @returns {Skulls} */
function readSkulls() {
    const { typed, from } = read('skulls', /** @type {any} */ ({}));
    return { typed: TEN.map((i) => Array.isArray(typed) ? String(typed[i] ?? '') : ''),
        from: typeof from === 'string' ? from : '' };
}

export class PadView {
    /** @param {HTMLElement} root @param {App} app */
    constructor(root, app) {
        this.root = root;
        this.app = app;
        this.skulls = readSkulls();
        /** @type {Pad} */
        this.pad = { ...fresh(), ...read('pad', {}) };
        /** The pads before each tick, as texts, the last one at the end: for undo. @type {string[]} */
        this.past = [];
        root.addEventListener('click', (e) => void this.click(e));
        root.addEventListener('input', (e) => {
            const field = /** @type {HTMLInputElement} */ (e.target), { s, skull } = field.dataset;
            if (s)
                this.pad.sheets[Number(s)].name = field.value;
            else if (skull)
                this.skulls.typed[Number(skull)] = field.value;
            else
                this.skulls.from = field.value;
            write('skulls', this.skulls);
            this.save();
        });
        this.render();
    }

    stop() {}

    save() {
        write('pad', this.pad);
        this.render();
    }

    /** The penalties in use, or why there are none. No rulebook lists them: the owner of the box enters them, or
     * selects an edition that has them. @returns {{penalties: number[] | null, wrong: string}} */
    penalties() {
        const { typed, from } = this.skulls, numbers = typed.map((t) => /^\d+$/.test(t.trim()) ? Number(t) : -1);
        if (from === 'classic' || Object.hasOwn(editions(), from))
            return { penalties: this.app.core(from).edition.skulls, wrong: '' };
        if (numbers.some((n) => n > GAME.penalty))
            return { penalties: null, wrong: codeWords(ERR.penalty_range) };
        const given = numbers.filter((n) => n >= 0);
        if (given.some((n, i) => i > 0 && n < given[i - 1]))
            return { penalties: null, wrong: codeWords(ERR.penalty_falls) };
        return { penalties: given.length === GAME.skulls ? numbers : null,
            wrong: given.length && given.length < 10 ? _('Expected: ten numbers.') : '' };
    }

    /** @param {number} s */
    nameOf(s) { return this.pad.sheets[s].name || _('Player %{n}', { n: s + 1 }); }

    /** Points for a colour belong to one player: asks before taking them over.
     * @param {number} s @param {number} c @param {number} n */
    async tile(s, c, n) {
        const { tiles, sheets } = this.pad, owner = tiles[c][n], name = sheets[owner] ? this.nameOf(owner) : '';
        const question = ngettext('Take the %{n} point from %{name}?', 'Take the %{n} points from %{name}?', TILES[n],
            { name });
        if (name && owner !== s && !await askToConfirm(question, _('Only one player can have these points.'),
            _('Take over')))
            return;
        tiles[c][n] = owner === s ? -1 : s;
    }

    /** @param {Event} event */
    async click(event) {
        const b = closest(event, '[data-k]'), { pad } = this, before = JSON.stringify(pad);
        if (!b)
            return;
        const s = Number(b.dataset.s ?? 0), n = Number(b.dataset.n ?? 0), sheet = pad.sheets[s];
        switch (b.dataset.k) {
        case 'r': sheet.rubies = sheet.rubies === n ? n - 1 : n; break;          // ticking the last one again removes it
        case 'e': sheet.emeralds = sheet.emeralds === n ? n - 1 : n; break;
        case 's': sheet.skulls = sheet.skulls === n ? n - 1 : n; break;
        case 'f': sheet.torches[n] = !sheet.torches[n]; break;
        case 'more': sheet.done[n] = Math.min(16, sheet.done[n] + 1); break;
        case 'less': sheet.done[n] = Math.max(0, sheet.done[n] - 1); break;
        case 'skulls': $('[data-skull]', this.root).focus(); return;
        case 't': await this.tile(s, Number(b.dataset.c), n); break;
        case 'add': if (pad.sheets.length < 4) pad.sheets.push(blank()); break;
        case 'drop': if (pad.sheets.length > 2) { pad.sheets.pop(); pad.tiles = pad.tiles.map((t) => t.map((o) => o ===
            pad.sheets.length ? -1 :
            o)); } break;
        case 'undo': this.pad = JSON.parse(this.past.pop() ?? before); this.save(); return;
        case 'clear': { if (!await askToConfirm(_('Start a new game?'), _('This clears all ticks and keeps the names.'),
            _('New game'))) return; const names = pad.sheets.map((x) => x.name); this.pad = fresh(); this.pad.sheets =
            names.map((name) => ({ ...blank(),
            name })); break; }
        }
        if (JSON.stringify(this.pad) !== before)
            this.past.push(before);
        this.save();
    }

    /** The form for entering the penalties of the skulls once. */
    skullsHtml() {
        const { typed, from } = this.skulls, { penalties, wrong } = this.penalties();
        const own = from !== 'classic' && !Object.hasOwn(editions(), from);
        const option = /** @param {string} value @param {string} label */ (value, label) => html`<option value="${value}" ${
            value === (own ? '' : from) ? 'selected' : ''}>${label}</option>`;
        const text = own ? _('The rulebooks do not list them: copy the ten numbers from a score card of your ' +
            'box. They are saved in this browser.') : from === 'classic' ?
            _('These are the penalties of our own Classic edition, not those of your box.') : '';
        const field = /** @param {number} i */ (i) => html`<label><span aria-hidden="true">${symbol('skull')}${i +
            1}</span><input
            class="inp" type="number" inputmode="numeric" min="0" max="${GAME.penalty}" data-skull="${i}" value="${
            own ? typed[i] : penalties?.[i] ?? ''}" ${own ? '' : 'readonly'} aria-label="${
            _('Skull %{n} costs', { n: i + 1 })}"></label>`;
        const choices = [option('', _('my box')), option('classic', _('Classic (suggestion)')),
            ...Object.keys(editions()).map((name) => option(name, name))];
        return html`<section class="panel padskulls" aria-labelledby="h-skulls"><h2 class="title" id="h-skulls">${
            _('Skull penalties')}</h2><label>${_('Skull penalties of')} <select class="inp" name="from">${
            choices}</select></label><div class="padten">${
            TEN.map(field)}</div><p class="note" role="status">${wrong ? withRules(wrong) : text}</p></section>`;
    }

    /** @param {number} s @param {number} c @param {number} i */
    isOthers(s, c, i) {
        const owner = this.pad.tiles[c][i];
        return owner >= 0 && owner !== s && owner < this.pad.sheets.length;
    }

    /** @param {number} s @param {number} c @param {number} i */
    tileLabel(s, c, i) {
        const name = this.isOthers(s, c, i) ? this.nameOf(this.pad.tiles[c][i]) : '';
        const values = { colour: colourName(COLOURS[c]), name };
        return name ? ngettext('%{n} point for %{colour}, %{name} has it', '%{n} points for %{colour}, %{name} has them',
            TILES[i], values) : ngettext('%{n} point for %{colour}', '%{n} points for %{colour}', TILES[i], values);
    }

    render() {
        const { pad } = this, { penalties } = this.penalties();
        const tick =
            /** @param {string} k @param {number} s @param {number} n @param {boolean} on @param {import('./html.js').Part}
             * inner @param {string} label @param {import('./html.js').Part} [more] */ (
            k, s, n, on, inner, label, more = '') => html`<button class="tk ${on ? 'on' : ''}" data-k="${k}" data-s="${
                s}" data-n="${n}" aria-pressed="${
            on}" aria-label="${label}" ${more}>${inner}</button>`;
        const sheet = /** @param {Sheet} x @param {number} s */ (x, s) => html`<section class="panel padsheet" aria-label="${
            x.name ||
            _('Player %{n}', { n: s + 1 })}"><div class="hd">${avatar(s)}<input class="inp" data-s="${s}" value="${
            x.name}" maxlength="24" placeholder="${_('Player %{n}', { n: s + 1 })}" aria-label="${_('Name of player %{n}',
            { n: s + 1 })}"><output class="tot num">${signed(padTotal(pad, s, penalties))}</output></div>
            <div class="blk"><span class="eyebrow">${_('Pyramids')}</span>${COLOURS.map((k, c) =>
                html`<div class="padrow k-${k}">${shape(k)}<button class="btn" data-k="less" data-s="${s}" data-n="${
                c}" aria-label="${
                _('One %{colour} pyramid less', { colour: colourName(k) })}">−</button><b aria-live="polite">${
                x.done[c]}</b><button class="btn" data-k="more" data-s="${s}" data-n="${c}" aria-label="${
                _('One %{colour} pyramid more', { colour: colourName(k) })}">+</button>${TILES.map((v, i) => tick('t', s, i,
                    pad.tiles[c][i] === s, String(v), this.tileLabel(s, c, i), html`data-c="${c}" ${
                    this.isOthers(s, c, i) ? 'data-other' : ''}`))}</div>`)}</div>
            <div class="blk"><span class="eyebrow">${_('Gems')}</span><div class="padten">${TEN.map((i) => tick('r', s, i +
                1, i < x.rubies,
                symbol('ruby'), _('Ruby %{n}', { n: i + 1 })))}${TEN.map((i) => tick('e', s, i + 1, i < x.emeralds,
                    symbol('emerald'),
                _('Emerald %{n}', { n: i + 1 })))}</div></div>
            <div class="blk"><span class="eyebrow">${_('Torches')}</span><div class="padfour">${x.torches.map((t, i) =>
                tick('f', s, i, t,
                html`${symbol('torch')}${ROMAN[i]}`, _('Torch of round %{n}', { n: i + 1 })))}</div></div>
            <div class="blk"><span class="eyebrow">${_('Skulls')}</span><div class="padten">${TEN.map((i) => tick('s', s, i +
                1, i < x.skulls,
                html`${symbol('skull')}<small>${penalties ? `−${penalties[i]}` : i + 1}</small>`,
                penalties ? _('Skull %{n}, minus %{penalty}', { n: i + 1, penalty: penalties[i] }) :
                    _('Skull %{n}', { n: i + 1 })))}</div><p class="note">${x.skulls && !penalties ?
                    html`<button data-k="skulls">${_('Not subtracted yet: enter the skull penalties first.')}</button>` :
                        ''}</p></div></section>`;
        put(this.root, html`<div class="page">${pageTop(_('Score pad'))}<main class="page-in"><h1 class="title">${
            _('Score pad')}</h1><p class="lead">${
            _('For the game on your own table: tick what you mark; tick the last one again to erase it. Everything is ' +
                'saved in this browser.')}</p><p class="bars"><button class="btn" data-k="add" aria-disabled="${
            pad.sheets.length > 3}">${icon('people')}${
                _('Add a player')}</button><button class="btn" data-k="drop" aria-disabled="${
            pad.sheets.length < 3}">${_('Remove the last')}</button><button class="btn" data-k="undo" aria-disabled="${
                !this.past.length}">${icon('undo')}${
                _('Undo')}</button><button class="btn" data-k="clear">${icon('pad')}${
                    _('New game')}</button></p><div class="pads">${
                pad.sheets.map(sheet)}</div>${this.skullsHtml()}</main></div>`);
    }
}
