/** heap.js: the chart of all results of a day: a heap of stone blocks, with your own column in gold. It is a picture
 * with a description, and also a table. */
import { html } from './html.js';
import { _, capital, ngettext } from './i18n.js';
import { $$ } from './dom.js';
import { animate } from './motion.js';

/** @typedef {{count: number, bins: [number, number][], median: number, ahead?: number, master: number | null}} Results */
/** @typedef {import('./html.js').Html} Html */

export const FEWEST = 20;                    // results before there is a heap, and a percentage
const BIN = 5, MOST = 17, HIGHEST = 12;      // points, columns, blocks
const FALL = 240, APART = 20;                // ms

/** The columns of the heap, without gaps; results far out are added to the outermost ones.
 * @param {[number, number][]} bins @returns {[number, number][]} */
export function columns(bins) {
    const filled = bins.filter(([, n]) => n > 0).sort((a, b) => a[0] - b[0]);
    if (!filled.length)
        return [];
    let low = filled[0][0], high = filled[filled.length - 1][0];
    while ((high - low) / BIN >= MOST) {     // the emptier end is cut
        const below = filled.filter(([v]) => v <= low).reduce((a, b) => a + b[1], 0);
        const above = filled.filter(([v]) => v >= high).reduce((a, b) => a + b[1], 0);
        if (below < above) low += BIN;
        else high -= BIN;
    }
    const all = Array.from({ length: (high - low) / BIN + 1 }, (_n, i) => /** @type {[number, number]} */ ([low + i * BIN,
        0]));
    for (const [from, n] of filled)
        all[Math.max(0, Math.min(all.length - 1, (from - low) / BIN))][1] += n;
    return all;
}

/** What the heap shows, in words. @param {Results} results @param {number | null} mine */
export function heapWords({ count, bins, median, ahead, master }, mine) {
    const filled = bins.filter(([, n]) => n).map(([v]) => v), values = { from: Math.min(...filled), to: Math.max(...filled) +
        BIN - 1, median };
    return [ngettext('%{n} result from %{from} to %{to}, median %{median}.', '%{n} results from %{from} to %{to}, median ' +
        '%{median}.', count, values), mine === null || ahead === undefined ? '' : _('Yours, %{points}, is ahead of %{n}%.',
        { points: mine, n: ahead }), master === null ? '' : _('Master: %{points}.', { points: master })].filter(
        Boolean).join(' ');
}

/** @param {Results} results @param {number | null} mine own points @param {boolean} [narrow] for a side column */
export function heapHtml(results, mine, narrow = false) {
    const wide = !narrow && matchMedia('(min-width: 640px)').matches, [w, h] = wide ? [680, 290] : [360, 230], cols =
        columns(results.bins);
    if (!cols.length)
        return html``;
    const left = 12, base = h - 44, step = (w - 2 * left) / cols.length, high = (base - 56) / HIGHEST;
    const unit = Math.max(1, Math.max(...cols.map(([, n]) => n)) / HIGHEST), [[low]] = cols, top = low + cols.length * BIN;
    const x = /** @param {number} points */ (points) => left + step * Math.max(0, Math.min(cols.length, (points - low +
        .5) / BIN));
    const at = mine === null ? -1 : Math.max(0, Math.min(cols.length - 1, Math.floor((mine - low) / BIN)));
    const tall = cols.map(([, n]) => n ? Math.max(1, Math.round(n / unit)) : 0);
    const blocks = cols.map((_c, i) => html`<g class="${i === at ? 'me' : ''}">${Array.from({ length: tall[i] }, (_b, k) =>
        html`<rect class="blk ${(i * 7 + k * 3) % 4 ? '' : 'b'}" x="${(left + i * step).toFixed(1)}" y="${
            (base - (k + 1) * high).toFixed(1)}" width="${step.toFixed(1)}" height="${high.toFixed(1)}" rx="2.5"/>`)}</g>`);
    const every = cols.length > 8 ? 20 : 10, ticks = cols.map(([v]) => v).filter((v) => v % every === 0);
    const text = heapWords(results, mine), medianX = x(results.median), flagW = 78;
    const flagX = Math.max(0, Math.min(w - flagW, left + (at + .5) * step - flagW / 2)), flagY = base - (tall[at] ?? 0) *
        high - 34;
    const medianLeft = medianX > w / 2 ? medianX - 5 : medianX + 5, { master } = results;
    // The flag avoids the median's label.
    const medianY = at >= 0 && flagY < 26 && Math.abs(flagX + flagW / 2 - medianX) < 130 ? 6 : 16;
    return html`<svg class="heap" viewBox="0 ${medianY === 6 ? -10 : 0} ${w} ${medianY === 6 ? h + 10 : h}" role="img"
        aria-label="${text}">${blocks}<path class="axis" d="M4 ${base}H${w - 4}"/>${ticks.map((v) => html`<text x="${
        x(v).toFixed(1)}" y="${base + 17}" text-anchor="middle">${v}</text>`)}<path class="med" d="M${medianX.toFixed(1)} ${
        medianY + 4}V${base}"/><text class="lbl" x="${medianLeft.toFixed(1)}" y="${medianY}" text-anchor="${medianX > w / 2 ?
        'end' : 'start'}">${_('median %{n}', { n: results.median })}</text>${master === null ? '' : html`<path class="mst"
        d="M${x(master).toFixed(1)} ${base + 22}l5 9h-10z"/><text class="lbl" x="${(x(master) + (master > (low + top) / 2 ?
        -9 : 9)).toFixed(1)}" y="${base + 33}" text-anchor="${master > (low + top) / 2 ? 'end' : 'start'}">${
        _('Master %{n}', { n: master })}</text>`}${mine === null ? '' : html`<g class="flagg"><path class="flag" d="M${
        flagX.toFixed(1)} ${flagY.toFixed(1)}h${flagW}v24h-${flagW}zM${(left + (at + .5) * step - 8).toFixed(1)} ${
        (flagY + 24).toFixed(1)}h16l-8 8z"/><text class="flagt" x="${(flagX + flagW / 2).toFixed(1)}" y="${
        (flagY + 17).toFixed(1)}" text-anchor="middle">${_('You %{n}', { n: mine })}</text></g>`}</svg>`;
}

/** The same numbers as a table. @param {Results} results @returns {Html} */
export const heapTable = ({ bins }) => html`<table class="nums"><thead><tr><th scope="col">${capital(_('points'))}</th><th
    scope="col">${_('Results')}</th></tr></thead><tbody>${columns(bins).map(([from, n]) => html`<tr><th scope="row">${
    _('%{from} to %{to}', { from, to: from + BIN - 1 })}</th><td>${n}</td></tr>`)}</tbody></table>`;

/** If there are few results, they are single stones on the axis. @param {Results} results @param {number | null} mine */
export function stonesHtml({ bins, count }, mine) {
    const cols = columns(bins), [[low]] = cols.length ? cols : [[0]], w = 360, step = (w - 24) / Math.max(1, cols.length);
    const at = mine === null ? -1 : Math.floor((mine - low) / BIN);
    return html`<svg class="heap" viewBox="0 0 ${w} 74" role="img" aria-label="${ngettext('%{n} result so far',
        '%{n} results so far', count)}">${cols.map(([, n], i) => Array.from({ length: Math.min(n, 4) }, (_b, k) => html`<rect
        class="blk ${i === at && !k ? 'mine' : ''}" x="${(12 + (i + .5) * step - 9).toFixed(1)}" y="${37 - 11 *
        k}" width="18" height="11" rx="2.5"/>`))}<path class="axis" d="M4 48H${w - 4}"/>${cols.map(([v], i) => i %
        Math.ceil(cols.length / 6) ? '' : html`<text x="${(12 + (i + .5) * step).toFixed(1)}" y="66" text-anchor="middle">${
        v}</text>`)}</svg>`;
}

/** The blocks fall column by column from the left, your own last with its flag. @param {Element} root */
export function heapFalls(root) {
    const all = $$('.heap > g:not(.flagg)', root), own = all.filter((g) => g.matches('.me'));
    [...all.filter((g) => !g.matches('.me')), ...own, ...$$('.heap .flagg', root)].forEach((g, i) => animate(g,
        [{ transform: 'translateY(-60px)', opacity: 0 }, { transform: 'none', opacity: 1 }], FALL, i * APART));
}
