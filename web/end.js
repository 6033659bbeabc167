/** end.js: the end of a game: scores part by part, who won and why, luck and skill, the chance to win from turn to turn. */
import { html, sentence } from './html.js';
import { _, capital, ngettext, number } from './i18n.js';
import { $, announce, download, closest, put } from './dom.js';
import { ANIMALS, ROMAN, avatar, tinyChamber, icon, desertScene, shape, starIcon, symbol, symbolOf } from './draw.js';
import { MARKS, TILES } from './core.js';
import { logEntries, markName, playsLike, resultWords, signed, withSign } from './words.js';
import { keepMistakes } from './mistakes.js';
import { Analysis, costNumbers, markWords, trustWords, turningPoints } from './analysis.js';
import { turnName } from './timeline.js';
import { numberHtml } from './completed.js';
import { LocalGame } from './game.js';
import { medalWords } from './medals.js';
import { shareReplay } from './pack.js';
import { pageTop } from './main.js';

/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./core.js').View} View */
/** @typedef {import('./core.js').Core} Core */
/** @typedef {import('./game.js').Game} Game */
/** @typedef {import('./main.js').App} App */
/** @typedef {import('./core.js').Judged} Judged */

/** The scores as a table. @param {View} view @param {string[]} names @param {number[]} winners @param {Core} core @param
 * {boolean[]} bots */
export function scoreTable(view, names, winners, core, bots) {
    const seats = names.map((_n, s) => s), w = /** @param {number} s */ (s) => winners.includes(s) ? 'w' : '';
    const cell = /** @param {number} s @param {number | string} value @param {string} [small] @param {string} [more] */ (s,
        value, small = '',
        more = '') => html`<td class="${w(s)} ${more}"><b>${value}</b>${small ? html`<small class="no-p">${small}</small>` :
            ''}</td>`;
    const row = /** @param {Html} i @param {string} title @param {(s: number) => Html} make */ (i, title, make) =>
        html`<tr><th scope="row"><span class="in">${i}<span>${title}</span></span></th>${seats.map(make)}</tr>`;
    const tied = seats.filter((s) => view.scores[s].total === Math.max(...view.scores.map((x) => x.total)));
    const lowest = /** @param {number} s */ (s) => view.desks[s].done[0] ?? 0;
    return html`<table class="sc ${seats.length > 3 ? 'four' : ''}"><caption class="vh">${
        _('Final scores')}</caption><thead><tr><th scope="col"><span class="vh">${_('Part')}</span></th>${
        seats.map((s) => html`<th scope="col" class="${w(s)}"><span class="hd">${avatar(s, { bot: bots[s]
            })}<span class="nmt" dir="auto">${
        names[s]}</span></span></th>`)}</tr></thead><tbody>
        ${row(html`<span class="k-orange">${shape('orange')}</span>`, _('Pyramids'), (s) => cell(s, view.scores[s].pyramids,
            ngettext('%{n} complete', '%{n} complete', view.desks[s].done.length)))}
        ${row(symbol('torch'), _('Torches'), (s) => cell(s, view.scores[s].torches, _('%{n} of %{of}',
            { n: view.desks[s].torches.filter(Boolean).length, of: view.desks[s].torches.length })))}
        ${row(starIcon, _('Pyramid points'), (s) => cell(s, view.scores[s].points, view.tiles.flatMap((t) => t.map((o, i) =>
            o === s ? String(TILES[i]) : '')).filter(Boolean).join(' + ')))}
        ${row(symbol('ruby'), _('Gems'), (s) => { const d = view.desks[s], pairs = Math.min(d.rubies, d.emeralds), single =
            Math.abs(d.rubies - d.emeralds); return cell(s, view.scores[s].gems,
            [pairs && ngettext('%{n} pair', '%{n} pairs', pairs), single && ngettext('%{n} single', '%{n} single',
                single)].filter(Boolean).join(', ')); })}
        ${row(symbol('skull'), _('Worst skull'), (s) => cell(s, signed(view.scores[s].skulls), '', view.scores[s].skulls ?
            'neg' : ''))}
        <tr class="sum"><th scope="row">${_('Total')}</th>${seats.map((s) => html`<td class="${w(s)}"><b>${
            signed(view.scores[s].total)}</b></td>`)}</tr>
        <tr class="tie"><th scope="row">${_('Lowest pyramid')}</th>${seats.map((s) => html`<td class="${w(s)}">${lowest(s) ?
            (tied.length > 1 &&
            tied.includes(s) ? html`<span class="dn k-${core.edition.cards[lowest(s)].colour}">${
                shape(core.edition.cards[lowest(s)].colour)}${
            lowest(s)}</span>` : html`<span class="low">${lowest(s)}</span>`) : '–'}</td>`)}</tr></tbody></table>`;
}

/** Luck and skill as bars around the table's average. @param {Judged} judged @param {string[]} names */
function barChart(judged, names) {
    const mean = judged.sums.reduce((a, s) => a + s.points, 0) / judged.sums.length, luckMean = judged.sums.reduce((a, s) =>
        a + s.luck,
        0) / judged.sums.length;
    const rows = judged.sums.map((s) => ({ luck: Math.round(s.luck - luckMean), all: Math.round(s.points - mean)
        })).map((r) => ({ ...r,
        skill: r.all - r.luck }));
    const most = Math.max(10, ...rows.flatMap((r) => [Math.abs(r.luck), Math.abs(r.skill)])), cx = 240, u = 180 / most, rh =
        76;
    const grid = [-1, -.5, .5, 1].map((f) => Math.round(f * most)).map((v) => html`<line class="gr" x1="${cx + v * u}" x2="${
        cx + v * u}" y1="22" y2="${
        22 + rows.length * rh}"/><text x="${cx + v * u}" y="14" text-anchor="middle">${withSign(v)}</text>`);
    const bar = /** @param {number} v @param {number} y @param {string} kind */ (v, y, kind) => { const x = v < 0 ? cx + v *
        u : cx, width = Math.abs(
        v) * u; return html`<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="17" rx="3"/><text x="${v < 0 ? x
            - 6 : x + width + 6}" y="${
        y + 13.5}" text-anchor="${v < 0 ? 'end' : 'start'}">${withSign(v)}</text>`; };
    const label = rows.map((r, s) => _('%{name}: luck %{luck}, choices %{skill}', { name: names[s], luck: withSign(r.luck),
        skill: withSign(r.skill) })).join(
        '. ');
    return html`<svg class="chart" viewBox="0 0 480 ${26 + rows.length * rh}" role="img" aria-label="${label}">${grid}${
        rows.map((r, s) =>
        html`<text class="nm" x="0" y="${40 + s * rh}">${names[s]} ${withSign(r.all)}</text>${
        bar(r.luck, 48 + s * rh, 'luck')}${bar(r.skill, 70 + s * rh, 'skill')}`)}<line class="ax" x1="${cx}" x2="${
            cx}" y1="20" y2="${
        22 + rows.length * rh}"/><text x="${cx}" y="14" text-anchor="middle">0</text></svg><p class="note">${
            _('Points above or below the table’s average of %{n}.', { n: Math.round(mean) })}</p>`;
}

/** The chance to win from turn to turn, with the turning points. @param {Judged} judged @param {string[]} names @param
 * {string[]} lines @param {number[]} winners
 * @param {Judged['decisions']} worst */
function winChart(judged, names, lines, winners, worst) {
    const reveals = judged.chances.filter((c) => lines[c.line].startsWith('reveal')), last = reveals.length;
    const x = /** @param {number} i */ (i) => 34 + 390 * i / Math.max(1, last), y = /** @param {number} p */ (p) => 150 - 135
        * p;
    const path = names.map((_n, s) => reveals.map((c, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${
        y(c.after.win[s]).toFixed(1)}`).join(
        '') + `L${x(last)} ${y(winners.includes(s) ? 1 / winners.length : 0)}`);
    const dots = worst.map((d) => {
        const i = lines.slice(0, d.line).filter((l) => l.startsWith('reveal')).length - 1, at = reveals[i];
        return at ? html`<circle class="tp s${d.seat}" cx="${x(i).toFixed(1)}" cy="${
            y(at.after.win[d.seat]).toFixed(1)}" r="5"/>` : '';
    });
    return html`<svg class="chart win-c" viewBox="0 0 480 190" role="img" aria-label="${_('Chance to win, turn by turn')}">${
        [0, .5, 1].map((p) =>
        html`<line class="gr" x1="34" x2="424" y1="${y(p)}" y2="${y(p)}"/><text x="28" y="${y(p) + 4}" text-anchor="end">${
            100 * p}</text>`)}${
        ROMAN.map((r, i) => html`<line class="gr" x1="${x(7 * i)}" x2="${x(7 * i)}" y1="15" y2="150"/><text x="${
        x(7 * i) + 48}" y="168" text-anchor="middle">${r}</text>`)}${path.map((d, s) => html`<path class="wl s${s}" d="${
            d}"/>`)}${dots}</svg><div class="lg">${names.map((n, s) =>
                html`<span><svg class="key" viewBox="0 0 26 8" aria-hidden="true"><path class="wl s${
            s}" d="M1 4H25"/></svg>${n}</span>`)}</div>`;
}

/** The running score of a series, by games won and then by points. @param {any} series @param {string[]} names */
export function seriesHtml(series, names) {
    if (!series)
        return '';
    const rows = names.map((name, s) => ({ name, won: series.wins[s], points: series.points[s] })).sort((a, b) => b.won -
        a.won || b.points - a.points);
    return html`<section class="panel fact series"><h2 class="title">${ngettext('The series after %{n} game',
        'The series after %{n} games', series.games)}</h2><ol>${rows.map((r) => html`<li><b dir="auto">${r.name}</b> ${
        _('won %{won}, %{points} points', { won: number(r.won, r.won % 1 ? 1 : 0), points: r.points
        })}</li>`)}</ol></section>`;
}

/** The meaning of the marks. */
export function legend() {
    return html`<dl class="mks">${MARKS.map(([mark, points, win]) => html`<dt><b class="mk">${mark}</b></dt><dd>${
        _('%{name}: cost at least %{points} points or %{win}% of the winning chances',
        { name: capital(markName(mark)), points: number(points, points % 1 ? 1 :
        0), win: 100 * win })}</dd>`)}</dl>`;
}

/** How well each played. @param {Judged} judged @param {string[]} names */
function ratesHtml(judged, names) {
    return html`<ul class="rates">${judged.sums.map((s, i) => html`<li>${avatar(i, { small: true })}<span>${_('%{name}: ' +
        '%{points} points lost per choice, %{level}',
        { name: names[i], points: `${number(s.rate, 2)} ± ${number(s.rateMargin, 2)}`, level: playsLike(s.level)
            })}</span></li>`)}</ul>`;
}

/** Luck, skill and level of play. @param {Judged} judged @param {string[]} names @param {boolean} refining */
export const chartsHtml = (judged, names, refining) => html`<div class="lg"><span><i class="a"></i>${
    _('Luck: cards and order')}</span><span><i class="b"></i>${
    _('Skill: the choices')}</span></div>${barChart(judged, names)}${ratesHtml(judged, names)}<p class="note">${
        trustWords(judged, refining)}</p>`;

/** A choice as a picture; the names of its spaces are for screen readers.
 * @param {import('./words.js').Entry | undefined} e @param {string} line of the log @param {string} name @param {Core} core
 * @param {Html} cost */
function choiceHtml(e, line, name, { edition }, cost) {
    if (!e?.mark) {
        const card = edition.cards[Number(line.split(' ').at(-1))];
        return html`${card ? tinyChamber(card, []) : html`<i></i>`}<span>${e?.html ?? ''} ${cost}</span>`;
    }
    const { card, cells, marks } = e.mark, words = sentence((h) => _('%{name} on %{card}',
        { name: h(html`<b dir="auto">${name}</b>`), card: h(numberHtml({ edition }, card)) }));
    return html`${tinyChamber(edition.cards[card], marks, cells)}<span><span class="vh">${e.text}</span><span
        aria-hidden="true">${words} ${cells.map((i) => symbolOf(edition.cards[card].cells[i]))}</span> ${cost}</span>`;
}

/** All results of the analysis, in two parts: how the game went, and which choices made the difference.
 * @param {Judged} judged
 * @param {string[]} names @param {Core} core @param {number[]} winners @param {string} link of the replay, to which a line
 * is added
 * @param {boolean} refining */
function judgedHtml(judged, names, core, winners, link, refining) {
    const lines = core.lines(), entries = logEntries(core, lines);
    const worst = turningPoints(judged);
    const turnOf = /** @param {number} line */ (line) => turnName(lines.slice(0, line).filter((l) =>
        l.startsWith('reveal')).length - 1);
    return [html`<div class="lg"><span><i class="a"></i>${_('Luck: cards and order')}</span><span><i class="b"></i>${
        _('Skill: the choices')}</span></div>${barChart(judged, names)}<h3 class="title">${_('Chance to win')}</h3>${
        winChart(judged, names, lines,
        winners, worst)}`, html`<ul class="moments">${worst.length ? worst.map((d) =>
            html`<li><a href="#${link}/${d.line}"><b>${turnOf(d.line)}</b>${choiceHtml(entries.find((e) =>
            e.line === d.line), lines[d.line], names[d.seat], core, html`<b class="mk">${markWords(d)}</b><small>${
            _('Cost %{points} points and %{win}% of the winning chances.', costNumbers(d))}</small>`)}${
            icon('play')}</a></li>`) : html`<li>${_('No choice cost much.')}</li>`}</ul>${worst.length ?
            legend() : ''}${ratesHtml(judged, names)}
        <p class="note">${trustWords(judged, refining)}</p>`];
}

export class EndView {
    /** @param {HTMLElement} root @param {Game} game @param {App} app */
    constructor(root, game, app) {
        this.root = root;
        this.game = game;
        this.app = app;
        this.core = game.core;
        /** @type {Html[]} */
        this.judged = [];
        this.done = 0;
        root.addEventListener('click', (e) => this.click(e));
        this.view = /** @type {View} */ (this.core.view(-1));
        this.winners = this.core.winners();
        this.solo = game instanceof LocalGame ? game.solo : 0;
        if (this.solo)
            this.winners = [0];
        this.names = game.seats.map((s) => s.name).slice(0, this.solo ? 1 : 4);
        this.me = game.reader;
        this.render();
        game.changed = () => this.render();          // the score of a series may arrive after the last line
        announce(this.result().join('. '));
        $('h1', root).focus();
        // In a solo game there is no chance to win that could change.
        this.analysis = this.solo ? null : new Analysis(this.core, game.record(), (progress) => this.analysed(progress));
    }

    stop() {
        this.analysis?.stop();
        this.game.changed = () => {};
    }

    /** As title and text. */
    result() {
        return this.solo ? medalWords(this.core, this.solo, this.view.scores[0].total) : resultWords(this.view, this.names,
            this.winners, this.me);
    }

    render() {
        const [title, text] = this.result(), [charts, moments] = this.judged;
        put(this.root, html`<div class="view end">${pageTop(_('Final scores'))}<main class="fin"><section class="win">${
            desertScene()}<i class="fade"></i><div class="medal"><svg viewBox="0 0 40 40" aria-hidden="true"><use href="#a-${
            ANIMALS[this.winners[0] ?? 0]}"/></svg></div><div class="tx"><h1 class="title" tabindex="-1">${title}</h1><p>${
            text}</p><div class="acts2">${this.game.badge() ? html`<a class="btn pri" href="#daily">${icon('cal')}${
                _('Expedition')}</a>` : this.game.online && this.game.me < 0 ? '' :
                html`<button class="btn pri" data-a="rematch">${
            icon('undo')}${this.solo ? _('Play again') : _('Rematch')}</button>`}${this.solo ?
                html`<a class="btn" href="#solo/${this.solo}">${icon('crown')}<span class="lbl">${
                    _('Expeditions')}</span></a>` :
                ''}<a class="btn" href="#replay/${this.game.id}">${
                icon('replay')}<span class="lbl">${
                _('Watch replay')}</span></a><button class="btn" data-a="download">${icon('save')}<span class="lbl">${
                _('Download')}</span></button><button class="btn" data-a="share">${icon('share')}<span class="lbl">${
                _('Share')}</span></button>${this.game.reacts ? html`<button class="btn" data-a="react">${
                symbol('ruby')}<span class="lbl">${_('React')}</span></button>` : ''}</div></div></section>
            <div class="fincol"><section class="panel sheet" aria-label="${_('Scores')}">${scoreTable(this.view, this.names,
                this.winners, this.core,
                this.game.seats.map((s) => s.level !== ''))}${this.hintsHtml()}${this.game.shuffleHtml()}</section>${
                seriesHtml(/** @type {any} */ (this.game).table?.series, this.names)}${moments
                    ?
                html`<section class="panel sheet late" aria-labelledby="h-turning"><h2 class="title" id="h-turning">${
                    _('Turning points')}</h2>${moments}</section>` : ''}</div>
            ${this.solo ? '' : html`<section class="panel sheet" aria-labelledby="h-luck"><h2 class="title"
                id="h-luck">${_('Luck and skill')}</h2>${
                charts ||
                html`<p class="note">${
                _('Analysing the game: every choice is compared with the best one, every card with those that could ' +
                    'have come.')}</p><progress class="bar" max="1" value="${
                this.done}" aria-label="${_('Analysis')}"></progress>`}</section>`}</main></div>`);
    }

    /** Who has used hints, at a table that allows them. */
    hintsHtml() {
        const used = this.names.map((name, s) => ({ name, n: this.game.hintsUsed(s) })).filter(({ n }) => n);
        return used.length ? html`<p class="note">${used.map(({ name, n }) => ngettext('%{name} used %{n} hint.',
            '%{name} used %{n} hints.', n,
            { name })).join(' ')}</p>` : '';
    }

    /** @param {import('./analysis.js').Progress} progress */
    analysed({ judged, done, refining, failed }) {
        this.done = done;
        if (judged && !refining && this.me >= 0)
            keepMistakes(this.core, judged, this.me);
        this.judged = failed ? [html`<p class="note">${_('This part could not be loaded. Are you offline?')}</p>`] : judged ?
            judgedHtml(judged, this.names, this.core, this.winners, `replay/${this.game.id}`, refining) : [];
        this.render();
    }

    /** @param {Event} event */
    click(event) {
        const act = closest(event, '[data-a]')?.dataset.a, { game } = this;
        if (act === 'react')
            void game.react();
        else if (act === 'download')
            download(`pyramids-${game.id}.pyr`, game.record());
        else if (act === 'rematch' && game instanceof LocalGame)
            void this.app.start(() => game.rematch());
        else if (act === 'rematch')
            /** @type {import('./online.js').OnlineGame} */ (game).rematch(this.app);
        else if (act === 'share')
            void shareReplay(this.game.id, this.game.record(), this.core.edition, this.game.online);
    }
}
