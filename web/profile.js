/**
 * profile.js: a player's profile, from the games in this browser and those on the server. Each panel has its finding
 * as its heading, a picture that shows it, and the same as a table.
 */
import { html } from './html.js';
import { _, capital, ngettext, number } from './i18n.js';
import { askToConfirm, closest, put, shareLink, toast } from './dom.js';
import { COLOURS } from './core.js';
import { avatar, desertScene, icon, shape } from './draw.js';
import { LEVELS, colourName, levelName, signed, withSign } from './words.js';
import { read, settings } from './store.js';
import { localGames, merged } from './past.js';
import { pageTop } from './main.js';

/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./main.js').App} App */
/** @typedef {import('./past.js').Past} Past */

const FEW = 5;                     // with fewer games there is no picture
const MOST = 60;                   // games of a picture

/** A game of a profile as the server gives it. @param {any} g @returns {Past} */
const recent = (g) => ({ id: g.code, made: 1000 * g.made, points: g.points, place: g.place, won: g.won, people: g.people,
    players: g.players, pyramids: COLOURS.map((c) => g.pyramids[c]), names: [], levels: [], luck: g.luck,
    rate: g.error_rate });

/** @param {string} title @param {string} words @param {Html} picture @param {Html} [table] */
const panel = (title, words, picture, table) => html`<section class="panel fact"><h2 class="title">${title}</h2><p>${
    words}</p>${
    picture}${table ? html`<details><summary>${_('As a table')}</summary><div class="scrollx">${table}</div></details>` :
    ''}</section>`;

/** @param {string[]} head @param {any[][]} rows */
const tableHtml = (head, rows) => html`<table class="plain"><thead><tr>${head.map((h) => html`<th scope="col">${
    h}</th>`)}</tr></thead><tbody>${rows.map((r) => html`<tr>${r.map((c) => html`<td>${c}</td>`)}</tr>`)}</tbody></table>`;

/** @param {number} made */
const day = (made) => new Date(made).toLocaleDateString(document.documentElement.lang, { dateStyle: 'medium' });

/** A panel that needs more games. @param {string} title @param {number} lacking */
const later = (title, lacking) => panel(title, ngettext('%{n} more game until the chart appears.',
    '%{n} more games until the chart appears.', lacking), html`<svg class="chart faint" viewBox="0 0 360 60"
    aria-hidden="true"><path d="M10 50L70 34L130 42L190 22L250 30L350 12"/></svg>`);

/** @param {Past[]} games the oldest first */
function pointsHtml(games) {
    const title = _('Points, game by game');
    if (games.length < FEW)
        return later(title, FEW - games.length);
    const low = 20 * Math.floor(Math.min(...games.map((g) => g.points)) / 20), high = Math.max(low + 40,
        20 * Math.ceil(Math.max(...games.map((g) => g.points)) / 20));
    const x = /** @param {number} i */ (i) => 44 + 300 * i / (games.length - 1), y = /** @param {number} p */ (p) =>
        150 - 130 * (p - low) / (high - low);
    const best = games.reduce((a, b) => b.points > a.points ? b : a);
    const words = _('Your best game: %{points} points, %{date}. Gold pyramids were victories.', { points: best.points,
        date: day(best.made) });
    return panel(title, words, html`<svg class="chart pts" viewBox="0 0 360 164" role="img" aria-label="${words}">${[low,
        (low + high) / 2, high].map((p) => html`<line class="gr" x1="36" x2="352" y1="${y(p)}" y2="${y(p)}"/><text x="30"
        y="${y(p) + 4}" text-anchor="end">${p}</text>`)}<polyline class="ln" points="${games.map((g, i) => `${
        x(i).toFixed(1)},${y(g.points).toFixed(1)}`).join(' ')}"/>${games.map((g, i) => html`<path class="${
        g.won ? 'won' : 'not'}" data-game="${g.id}" d="M${x(i).toFixed(1)} ${(y(g.points) - 7).toFixed(1)}l7 12h-14z"/>`)
    }</svg>`, tableHtml([_('Date'), capital(_('points')), _('Place')], games.map((g) => [
        html`<a href="#replay/${g.id}">${day(g.made)}</a>`, signed(g.points), g.place || '–'])));
}

/** @param {Past[]} games the oldest first */
function luckHtml(games) {
    const told = games.filter((g) => g.luck !== undefined), luck = told.map((g) => g.luck ?? 0);
    if (told.length < FEW)
        return later(_('Luck: analyse games to see it'), FEW - told.length);
    const mean = luck.reduce((a, b) => a + b, 0) / luck.length, most = Math.max(5, ...luck.map(Math.abs));
    const title = Math.abs(mean) < 2 ? _('In the long run, luck evens out') : mean > 0 ?
        _('The cards have been kind to you') : _('The cards owe you something');
    const words = _('What the cards gave you: %{mean} points per game. Your luckiest game %{best}, the unluckiest %{worst}.',
        { mean: (mean < 0 ? '−' : '+') + number(Math.abs(mean), 1), best: withSign(Math.round(Math.max(...luck))),
            worst: withSign(Math.round(Math.min(...luck))) });
    const w = 340 / luck.length;
    return panel(title, words, html`<svg class="chart lks" viewBox="0 0 360 84" role="img" aria-label="${words}">${luck.map(
        (l, i) => html`<rect class="${l < 0 ? 'bad' : 'good'}" x="${(10 + i * w).toFixed(1)}" width="${
        (w * .7).toFixed(1)}" y="${(l < 0 ? 42 : 42 - 38 * l / most).toFixed(1)}" height="${
        (38 * Math.abs(l) / most).toFixed(1)}"/>`)}<line class="ax" x1="8" x2="352" y1="42" y2="42"/></svg>`,
        tableHtml([_('Date'), capital(_('luck'))], told.map((g) => [day(g.made), withSign(Math.round(g.luck ?? 0))])));
}

/** Error rates as a line that rises as errors fall. @param {Past[]} games the oldest first @param {any} server its
 * data about the last games */
function errorsHtml(games, server) {
    const told = games.filter((g) => g.rate !== undefined);
    if (told.length < FEW)
        return later(_('How you play: analyse games to see it'), FEW - told.length);
    // The middle one represents all: its level is the one of the analysis.
    const middle = [...told].sort((a, b) => (a.rate ?? 0) - (b.rate ?? 0))[told.length >> 1];
    const level = server?.level ?? middle.level ?? 'novice', value = server?.value ?? middle.rate ?? 0;
    const trend = server?.before === undefined ? '' : value < server.before ? ` ${_('It falls: you make fewer mistakes.')}` :
        ` ${_('It used to be lower.')}`;
    const words = _('Error rate %{rate}: points given away per choice, in your last games.', { rate: number(value, 2) }) +
        trend;
    const most = Math.max(...told.map((g) => g.rate ?? 0), .1), step = LEVELS.indexOf(level);
    const points = told.map((g, i) => `${(10 + 340 * i / (told.length - 1)).toFixed(1)},${
        (10 + 80 * (g.rate ?? 0) / most).toFixed(1)}`);
    return panel(_('You play like %{level}', { level: levelName(level) }), words, html`<svg class="levelpyr"
        viewBox="0 0 100 76" aria-hidden="true">${LEVELS.map((_l, i) => html`<path class="${i <= step ? 'on' : ''}" d="M${
        10 * i + 1} ${75 - 15 * i}h${98 - 20 * i}l-9 -13h-${80 - 20 * i}z"/>`)}</svg><svg class="chart pts"
        viewBox="0 0 360 100" role="img" aria-label="${words}"><polyline class="ln" points="${points.join(' ')}"/><circle
        class="now" cx="${points.at(-1)?.split(',')[0]}" cy="${points.at(-1)?.split(',')[1]}" r="5"/></svg>`,
        tableHtml([_('Date'), capital(_('error rate'))], told.map((g) => [day(g.made), number(g.rate ?? 0, 2)])));
}

/** @param {{name: string, won: number, equal: number, lost: number}[]} rows */
function rivalsHtml(rows) {
    if (!rows.length)
        return '';
    const best = rows[0];
    return panel(_('Head to head'), _('%{name}: won %{won}, lost %{lost}.', best),
        html`<ul class="rivals">${rows.map((r) => {
        const all = Math.max(1, r.won + r.equal + r.lost);
        return html`<li><b dir="auto">${r.name}</b><span>${number(r.won)} : ${number(r.lost)}</span><svg viewBox="0 0 100 8"
            preserveAspectRatio="none" aria-hidden="true"><rect class="lost" width="100" height="8"/><rect class="eq"
            width="${100 * (r.won + r.equal) / all}" height="8"/><rect class="won" width="${
            100 * r.won / all}" height="8"/></svg></li>`;
    })}</ul>`, tableHtml([_('Name'), _('Won'), _('Equal'), _('Lost')], rows.map((r) => [r.name, r.won, r.equal, r.lost])));
}

/** Silhouettes, larger for larger counts. @param {number[]} counts */
function pyramidsHtml(counts) {
    const most = Math.max(...counts), sum = counts.reduce((a, b) => a + b, 0);
    if (!sum)
        return '';
    const colour = COLOURS[counts.indexOf(most)], words = COLOURS.map((c, i) => `${colourName(c)} ${counts[i]}`).join(', ');
    return panel(_('Your pyramids: mostly %{colour}', { colour: colourName(colour) }), words, html`<div class="built"
        role="img" aria-label="${words}">${COLOURS.map((c, i) => html`<span class="k-${c} z${Math.ceil(4 * counts[i] / most)
        }">${shape(c)}<b>${counts[i]}</b></span>`)}</div>`);
}

export class ProfileView {
    /** @param {HTMLElement} root @param {App} app @param {string} [key] of a profile that a player shares */
    constructor(root, app, key = '') {
        this.root = root;
        this.key = key;
        /** @type {Past[]} */
        this.mine = key ? [] : localGames(app);
        /** @type {any} */
        this.server = null;
        this.message = '';
        root.addEventListener('click', (e) => void this.click(e));
        this.render();
        void this.load();
    }

    stop() {}

    /** Requests the server's data only if this visitor has been at a table: there may be no server. */
    async load() {
        if (!this.key && !read('visited', false))
            return;
        const { api } = await import('./online.js');
        const path = this.key ? `profiles/${encodeURIComponent(this.key)}` : 'my/profile';
        const found = await api('GET', path).catch(() => null);
        this.server = found?.profile ?? null;
        this.message = this.key && !found ? _('This link no longer leads to a profile.') : '';
        this.render();
    }

    /** @param {Event} event */
    async click(event) {
        const game = closest(event, '[data-game]')?.dataset.game;
        if (game)
            location.hash = `replay/${game}`;
        const act = closest(event, '[data-a]')?.dataset.a, { api } = await import('./online.js');
        try {
            if (act === 'share') {
                const { key } = await api('POST', 'my/profile/link', {});
                this.server.shared = true;
                this.render();
                shareLink(`${location.origin}${location.pathname}#profile/${key}`);
            } else if (act === 'withdraw' && await askToConfirm(_('Withdraw the link?'),
                _('People with the link to your profile will no longer see anything.'), _('Withdraw'))) {
                await api('DELETE', 'my/profile/link');
                this.server.shared = false;
                this.render();
            }
        } catch {
            toast(_('The server cannot do this now. Please try again.'));
        }
    }

    /** Results against people by name, and against bot levels. @param {Past[]} games */
    rivals(games) {
        const people = this.server?.people ?? [];
        /** @type {Map<string, {name: string, won: number, equal: number, lost: number}>} */
        const levels = new Map();
        for (const { against, games: n, wins } of this.server?.against ?? [])
            if (against !== 'people')
                levels.set(against, { name: _('Bots, %{level}', { level: levelName(against) }), won: Math.round(wins),
                    equal: 0, lost: n - Math.round(wins) });
        for (const g of games) {
            const level = g.people ? '' : g.levels.at(0) ?? '';
            if (!level)
                continue;
            const row = levels.get(level) ?? { name: _('Bots, %{level}', { level: levelName(level) }), won: 0, equal: 0,
                lost: 0 };
            levels.set(level, { ...row, won: row.won + Number(g.won), lost: row.lost + Number(!g.won) });
        }
        return [...people.slice(0, 8), ...levels.values()];
    }

    headHtml(/** @type {Past[]} */ games) {
        const { server } = this, name = server?.name || (this.key ? '' : settings.name) || _('You');
        const local = this.mine.filter((g) => games.includes(g)), n = (server?.games ?? 0) + local.length;
        const won = Math.round(server?.wins ?? 0) + local.filter((g) => g.won).length, rating = server?.rating;
        return html`<section class="panel owner">${desertScene()}<div>${avatar(0, { me: !this.key })}<span><h1
            class="title" dir="auto">${
            name}</h1><small>${ngettext('%{n} game', '%{n} games', n)} · ${_('%{n} won', { n: won })}</small></span>${
            server ? html`<span class="rated"><b>${rating?.value ?? '–'}</b><small>${rating?.value === undefined ?
            _('rating: after 10 games') : `${_('rating')} ± ${rating.deviation}${rating.provisional ?
            ` · ${_('provisional')}` : ''}`}</small></span>` : ''}</div></section>`;
    }

    render() {
        const { server } = this, theirs = (server?.recent ?? []).map(recent), all = merged(this.mine, theirs);
        const old = all.slice(0, MOST).reverse(), known = new Set(theirs.map((/** @type {Past} */ g) => g.id));
        const own = this.mine.filter((g) => !known.has(g.id));
        const built = COLOURS.map((c, i) => (server?.pyramids?.[c] ?? 0) + own.reduce((a, g) => a + g.pyramids[i], 0));
        put(this.root, html`<div class="page">${pageTop(_('Profile'))}<main class="page-in profile">${this.message ?
            html`<p class="panel none-yet">${this.message}</p>` : html`${this.headHtml(all)}<div class="facts">${
            errorsHtml(old, server?.error_rate)}${pointsHtml(old)}${luckHtml(old)}${rivalsHtml(this.rivals(own))}${
            pyramidsHtml(built)}</div>`}<p class="bars">${this.key ? '' : html`<a class="btn" href="#games">${
            icon('replay')}${_('All games')}</a>${server ? html`<a class="btn" href="#ratings">${icon('crown')}${
            _('Ratings')}</a>` : ''}${server ? html`<button class="btn" data-a="share">${icon('share')}${
            server.shared ? _('New link') : _('Share')}</button>${server.shared ? html`<button class="btn"
            data-a="withdraw">${_('Withdraw the link')}</button>` : ''}` : ''}`}</p>${this.key ? '' : html`<p
            class="note">${server?.shared ? _('Anyone with the link can see this page, without the names of others.') :
            _('Only you see this page.')}</p>`}</main></div>`);
    }
}
