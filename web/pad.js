/** pad.js: a score pad for people at a table with the box: tick gems, torches, skulls, pyramids and points; totals for up to four. Survives a reload. */
import { _, ngettext } from './i18n.js';
import { confirmed, esc, near, put } from './dom.js';
import { ROMAN, avatar, icon, shape, symbol } from './draw.js';
import { COLOURS, TILES } from './core.js';
import { padTotal } from './count.js';
import { colourName, signed } from './words.js';
import { read, write } from './store.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./count.js').Sheet} Sheet */
/** @typedef {import('./count.js').Pad} Pad */

/** @returns {Sheet} */
const blank = () => ({ name: '', done: [0, 0, 0], rubies: 0, emeralds: 0, torches: [false, false, false, false], skulls: 0 });
/** @returns {Pad} */
const fresh = () => ({ sheets: [blank(), blank()], tiles: [0, 1, 2].map(() => [-1, -1, -1]) });

export class PadView {
    /** @param {HTMLElement} root @param {App} app */
    constructor(root, app) {
        this.root = root;
        this.penalties = app.core().edition.skulls;
        /** @type {Pad} */
        this.pad = { ...fresh(), ...read('pad', {}) };
        /** What it was before each tick, as texts, the last one at the end: for undo. @type {string[]} */
        this.past = [];
        root.addEventListener('click', (e) => void this.click(e));
        root.addEventListener('input', (e) => {
            const field = /** @type {HTMLInputElement} */ (e.target);
            this.pad.sheets[Number(field.dataset.s)].name = field.value;
            this.save();
        });
        this.render();
    }

    stop() {}

    save() {
        write('pad', this.pad);
        this.render();
    }

    /** @param {Event} event */
    async click(event) {
        const b = near(event, '[data-k]'), { pad } = this, before = JSON.stringify(pad);
        if (!b)
            return;
        const s = Number(b.dataset.s ?? 0), n = Number(b.dataset.n ?? 0), sheet = pad.sheets[s];
        switch (b.dataset.k) {
        case 'r': sheet.rubies = sheet.rubies === n ? n - 1 : n; break;          // ticking the last one again unticks it
        case 'e': sheet.emeralds = sheet.emeralds === n ? n - 1 : n; break;
        case 's': sheet.skulls = sheet.skulls === n ? n - 1 : n; break;
        case 'f': sheet.torches[n] = !sheet.torches[n]; break;
        case 'more': sheet.done[n] = Math.min(16, sheet.done[n] + 1); break;
        case 'less': sheet.done[n] = Math.max(0, sheet.done[n] - 1); break;
        case 't': { const c = Number(b.dataset.c), owner = pad.tiles[c][n]; pad.tiles[c][n] = owner === s ? -1 : s; break; }
        case 'add': if (pad.sheets.length < 4) pad.sheets.push(blank()); break;
        case 'drop': if (pad.sheets.length > 2) { pad.sheets.pop(); pad.tiles = pad.tiles.map((t) => t.map((o) => o === pad.sheets.length ? -1 :
            o)); } break;
        case 'undo': this.pad = JSON.parse(this.past.pop() ?? before); this.save(); return;
        case 'clear': { if (!await confirmed(_('Begin a new game?'), _('All ticks are cleared, the names stay.'), _('New game'))) return; const names = pad.sheets.map((x) => x.name); this.pad = fresh(); this.pad.sheets = names.map((name) => ({ ...blank(),
            name })); break; }
        }
        if (JSON.stringify(this.pad) !== before)
            this.past.push(before);
        this.save();
    }

    render() {
        const { pad } = this;
        const tick = /** @param {string} k @param {number} s @param {number} n @param {boolean} on @param {string} inner @param {string} label @param {string} [more] */ (
            k, s, n, on, inner, label, more = '') => `<button class="tk ${on ? 'on' : ''}" data-k="${k}" data-s="${s}" data-n="${n}" aria-pressed="${
            on}" aria-label="${esc(label)}" ${more}>${inner}</button>`;
        const ten = [...Array(10).keys()];
        const sheet = /** @param {Sheet} x @param {number} s */ (x, s) => `<section class="panel padsheet" aria-label="${esc(x.name ||
            _('Player %{n}', { n: s + 1 }))}"><div class="hd">${avatar(s)}<input class="inp" data-s="${s}" value="${
            esc(x.name)}" maxlength="24" placeholder="${esc(_('Player %{n}', { n: s + 1 }))}" aria-label="${esc(_('Name of player %{n}',
            { n: s + 1 }))}"><output class="tot num">${signed(padTotal(pad, s, this.penalties))}</output></div>
            <div class="blk"><span class="eyebrow">${_('Pyramids')}</span>${COLOURS.map((k, c) =>
                `<div class="padrow k-${k}">${shape(k)}<button class="btn" data-k="less" data-s="${s}" data-n="${c}" aria-label="${
                esc(_('One %{colour} pyramid less', { colour: colourName(k) }))}">−</button><b aria-live="polite">${
                x.done[c]}</b><button class="btn" data-k="more" data-s="${s}" data-n="${c}" aria-label="${
                esc(_('One %{colour} pyramid more', { colour: colourName(k) }))}">+</button>${TILES.map((v, i) => tick('t', s, i,
                    pad.tiles[c][i] === s, String(v), ngettext('%{n} point for %{colour}', '%{n} points for %{colour}', v,
            { colour: colourName(k) }),
                    `data-c="${c}" ${pad.tiles[c][i] >= 0 && pad.tiles[c][i] !== s ? 'data-other' : ''}`)).join('')}</div>`).join('')}</div>
            <div class="blk"><span class="eyebrow">${_('Gems')}</span><div class="padten">${ten.map((i) => tick('r', s, i + 1, i < x.rubies,
                symbol('ruby'), _('Ruby %{n}', { n: i + 1 }))).join('')}${ten.map((i) => tick('e', s, i + 1, i < x.emeralds, symbol('emerald'),
                _('Emerald %{n}', { n: i + 1 }))).join('')}</div></div>
            <div class="blk"><span class="eyebrow">${_('Torches')}</span><div class="padfour">${x.torches.map((t, i) => tick('f', s, i, t,
                symbol('torch') + ROMAN[i], _('Torch of round %{n}', { n: i + 1 }))).join('')}</div></div>
            <div class="blk"><span class="eyebrow">${_('Skulls')}</span><div class="padten">${ten.map((i) => tick('s', s, i + 1, i < x.skulls,
                `${symbol('skull')}<small>−${this.penalties[i]}</small>`, _('Skull %{n}, minus %{penalty}', { n: i + 1,
                penalty: this.penalties[i] }))).join('')}</div></div></section>`;
        put(this.root, `<div class="page">${pageTop(_('Score pad'))}<main class="page-in"><h1 class="title">${_('Score pad')}</h1><p class="lead">${
            _('For the game on your own table: tick what you mark, and tick the last one again to erase it. Everything is kept in this browser.')}</p><p class="bars"><button class="btn" data-k="add" aria-disabled="${
            pad.sheets.length > 3}">${icon('people')}${_('Add a player')}</button><button class="btn" data-k="drop" aria-disabled="${
            pad.sheets.length < 3}">${_('Remove the last')}</button><button class="btn" data-k="undo" aria-disabled="${!this.past.length}">${icon('undo')}${
                _('Undo')}</button><button class="btn" data-k="clear">${icon('pad')}${_('New game')}</button></p><div class="pads">${pad.sheets.map(sheet).join('')}</div></main></div>`);
    }
}
