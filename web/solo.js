/**
 * solo.js: solo expeditions: fixed cards, no opponents, and three medals for what casual, club and expert reached on
 * the same cards. The best result of each stays on this device (game.js keeps it).
 */
import { html } from './html.js';
import { _, ngettext } from './i18n.js';
import { closest, put } from './dom.js';
import { icon, shape } from './draw.js';
import { COLOURS } from './core.js';
import { read, settings } from './store.js';
import { startSolo } from './game.js';
import { medalName, nextMedal } from './medals.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */

export class SoloView {
    /** @param {HTMLElement} root @param {App} app @param {string} [number] of the expedition, from 1 */
    constructor(root, app, number = '') {
        this.root = root;
        this.app = app;
        this.core = app.core('classic');
        this.count = this.core.x.solo_count();
        this.best = read('solo', /** @type {Record<string, number>} */ ({}));
        const open = Array.from({ length: this.count }, (_none, i) => i + 1).find((n) => this.medal(n) < 3) ?? 1;
        this.now = Number(number) >= 1 && Number(number) <= this.count ? Math.floor(Number(number)) : open;
        root.addEventListener('click', (e) => {
            if (closest(e, '[data-a=play]'))
                void app.start(() => startSolo(app.core('classic'), settings.name, this.now));
        });
        this.render();
    }

    stop() {}

    /** @param {number} n */
    medal(n) { return n in this.best ? this.core.x.solo_medal(n - 1, this.best[n]) : 0; }

    /** The three targets as the courses of a pyramid, and your best as a flag. @param {string} label */
    pyramid(label) {
        const target = [1, 2, 3].map((m) => this.core.x.solo_target(this.now - 1, m)), best = this.best[this.now],
            [bronze, silver, gold] = target;
        // 0 at the bottom, 1 where bronze begins, 3 at gold and above.
        const height = best === undefined ? 0 : best < bronze ? .7 * best / bronze : best < silver ? 1 + (best - bronze) /
            (silver - bronze) : best < gold ? 2 + (best - silver) / (gold - silver) : 2.8;
        const y = 126 - 36 * Math.min(2.9, height);
        const course = /** @param {number} m @param {string} d @param {number} at */ (m, d, at) => html`<path class="m${
            m}" d="${d}"/><text class="t${m}" x="150" y="${at}">${medalName(m)} ${target[m - 1]}</text>`;
        return html`<svg class="solopy" viewBox="0 0 300 132" role="img" aria-label="${label}">${
            course(3, 'M150 4 206 44H94Z', 38)}${course(2, 'M92 46H208L252 80H48Z', 68)}${
            course(1, 'M46 82H254L298 128H2Z', 110)}${best === undefined ? '' : html`<g transform="translate(196 ${
            y})"><path class="flag" d="M0 0 8-11H104V11H8Z"/><text class="tf" x="55" y="4">${
            _('Best %{n}', { n: best })}</text></g>`}</svg>`;
    }

    render() {
        const { now, best, core } = this, mine = best[now], medal = this.medal(now);
        const label = [...[1, 2, 3].map((m) => `${medalName(m)}: ${core.x.solo_target(now - 1, m)}`), mine === undefined ?
            _('not played yet') : _('Best %{n}', { n: mine })].join(', ');
        const cell = /** @param {number} n */ (n) => html`<li><a href="#solo/${n}" class="m${this.medal(n)} ${n in best ?
            '' : 'new'}" ${n === now ? html`aria-current="true"` : ''}><span>${n}</span>${shape(COLOURS[n % 3])}<b>${
            medalName(this.medal(n)) || (n in best ? ngettext('%{n} point', '%{n} points', best[n]) :
            _('Play'))}</b></a></li>`;
        put(this.root, html`<div class="page">${pageTop(_('Solo expedition'))}<main
            class="page-in solo"><section class="panel"><h1 class="title">${_('Expedition %{n}', { n: now })}</h1><p>${
            _('Fixed cards, no opponents. Your three targets are the points that Casual, Club and Expert reached on ' +
                'them.')} ${
            _('The printed game is for two to four players; this mode is our own.')}</p>${this.pyramid(label)}<button
            class="btn pri big" data-a="play">${icon('play')}${mine === undefined ? _('Set out') : medal === 3 ?
            _('Play again') : nextMedal(core, now, mine)}</button></section><ul class="solos" aria-label="${
            _('Expeditions')}">${Array.from({ length: this.count }, (_none, i) => cell(i + 1))}</ul></main></div>`);
    }
}
