/** ratings.js: the leaderboard of people at public tables (#ratings): place, name, rating and how certain it is. */
import { html } from './html.js';
import { _, ngettext } from './i18n.js';
import { closest, put } from './dom.js';
import { icon } from './draw.js';
import { api, serverWords } from './online.js';
import { pageTop } from './main.js';

/** @typedef {{name?: string, place?: number, value?: number, deviation?: number, games: number, provisional?: boolean,
 * you?: boolean}} Rated */

export class RatingsView {
    /** @param {HTMLElement} root */
    constructor(root) {
        this.root = root;
        /** @type {Rated[] | null} */
        this.rows = null;
        /** @type {Rated | undefined} */
        this.you = undefined;
        this.least = 10;
        this.next = 0;
        this.message = '';
        root.addEventListener('click', (e) => { if (closest(e, '[data-a=more]')) void this.load(); });
        this.render();
        void this.load();
    }

    stop() {}

    async load() {
        try {
            const { ratings, least, you, next = 0 } = await api('GET', `ratings?from=${this.next}`);
            this.rows = [...this.rows ?? [], ...ratings];
            [this.least, this.you, this.next] = [least, you, next];
        } catch {
            this.message = serverWords('no_server');
        }
        this.render();
    }

    /** @param {Rated} r */
    rowHtml(r) {
        const small = [ngettext('%{n} game', '%{n} games', r.games), r.provisional ? _('provisional') : ''];
        return html`<li class="${r.you ? 'me' : ''}"><span class="rk">${r.place}</span><span class="nm"><b dir="auto">${
            r.name}</b><small>${small.filter(Boolean).join(' · ')}</small></span><b>${r.value} <small>± ${
            r.deviation}</small></b></li>`;
    }

    listHtml() {
        const { rows, you, least } = this;
        if (!rows)
            return this.message ? html`<p class="panel none-yet">${this.message}</p>` : '';
        const own = you?.games && you.value === undefined ? html`<p class="note">${ngettext(
            'You have %{n} rated game.', 'You have %{n} rated games.', you.games)}</p>` : '';
        return html`${rows.length ? html`<ol class="panel ranks">${rows.map((r) => this.rowHtml(r))}</ol>` : html`<p
            class="panel none-yet">${_('No one has %{n} rated games yet.', { n: least })}</p>`}${this.next ? html`<p
            class="bars"><button class="btn" data-a="more">${_('Show more')}</button></p>` : ''}${own}`;
    }

    render() {
        put(this.root, html`<div class="page">${pageTop(_('Ratings'))}<main class="page-in narrow"><h1 class="title">${
            _('Ratings')}</h1><p class="lead">${_('Games between people at open tables count. A rating is shown after ' +
            '%{n} games, and is provisional until it is certain.', { n: this.least })}</p><div aria-live="polite">${
            this.listHtml()}</div><p class="bars"><a class="btn" href="#watch">${icon('eye')}${
            _('Open tables')}</a></p></main></div>`);
    }
}
