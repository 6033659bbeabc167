/**
 * notify.js: notifications of your turn (#notify): this device, each table, quiet time, the number in the tab,
 * sounds, and a feed instead of messages.
 */
import { html } from './html.js';
import { _, language } from './i18n.js';
import { $, announce, closest, put, toast } from './dom.js';
import { icon } from './draw.js';
import { read, saveSettings, settings, write } from './store.js';
import { api, visit } from './online.js';
import { lookForTurns, waiting } from './waiting.js';
import { pageTop } from './main.js';

/** @typedef {{available: boolean, key?: string, subscriptions?: number, quiet?: number[], zone?: number,
 * daily?: number | null, feed?: boolean}} Push */
/** @typedef {import('./online.js').Table & {notify?: boolean}} Table */

const NIGHT = [22 * 60, 7 * 60], EVENING = 18 * 60;
const zone = () => -new Date().getTimezoneOffset();
const clockText = /** @param {number} m */ (m) =>
    `${Math.floor(m / 60)}`.padStart(2, '0') + ':' + `${m % 60}`.padStart(2, '0');

/** @param {string} text base64url */
const bytesOf = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));

/** This browser's subscription, with the server's present key; NULL: none. */
async function subscription() {
    const kept = await navigator.serviceWorker?.getRegistration();
    return await kept?.pushManager?.getSubscription() ?? null;
}

/** Asks the browser for permission, and registers with the server. False: the person, or the browser, has refused. */
export async function subscribe() {
    if (await Notification.requestPermission() !== 'granted')
        return false;
    await visit();
    /** @type {Push} */
    const { key } = await api('GET', 'push'), kept = await navigator.serviceWorker.ready;
    const old = await kept.pushManager.getSubscription();
    if (!key)
        return false;
    const own = old?.options.applicationServerKey, same = own && `${new Uint8Array(own)}` === `${bytesOf(key)}`;
    if (old && !same)
        await old.unsubscribe();             // the server has a new key
    const made = same && old ? old : await kept.pushManager.subscribe({ userVisibleOnly: true,
        applicationServerKey: bytesOf(key) });
    const { endpoint, keys } = made.toJSON();
    await api('POST', 'push', { endpoint, keys, language, zone: zone() });
    return true;
}

/** Why this device cannot get messages; '': it can. @param {Push | null} push */
export function obstacle(push) {
    if (!('PushManager' in window) || !('Notification' in window) || !navigator.serviceWorker)
        return _('This browser cannot show messages here: they need a secure address (https).');
    if (!push)
        return _('No connection to the server.');
    if (!push.available)
        return _('This server sends no messages.');
    return Notification.permission === 'denied' ?
        _('This browser does not allow it. You can change that in its settings for this page.') : '';
}

export class NotifyView {
    /** @param {HTMLElement} root */
    constructor(root) {
        this.root = root;
        /** @type {Push | null} */
        this.push = null;
        this.on = false;
        /** @type {Table[]} */
        this.tables = [];
        root.addEventListener('click', (e) => void this.click(e));
        root.addEventListener('change', (e) => void this.change(e));
        this.render();
        void this.load();
    }

    stop() {}

    async load() {
        if (read('visited', false)) {
            this.push = await api('GET', 'push').catch(() => null);
            const { tables } = await api('GET', 'my/tables').catch(() => ({ tables: [] }));
            this.tables = tables.filter(/** @param {Table} t */ (t) => t.you && t.state === 'running' &&
                t.clock === 'none' &&
                t.seats.some((s, i) => s.kind === 'person' && i !== t.you - 1));
        } else
            this.push = await fetch('api/push').then((answer) => answer.ok ? answer.json() : null, () => null);
        this.on = await subscription().then((s) => !!s && (this.push?.subscriptions ?? 0) > 0, () => false);
        if (this.on && this.push?.zone !== zone())       // summer time, or travel
            this.push = await api('POST', 'push', { zone: zone() }).catch(() => this.push);
        this.render();
    }

    /** @param {string} name @param {boolean} on @param {string} title @param {string} text @param {boolean} [rests] */
    row(name, on, title, text, rests = false) {
        return html`<div class="opt"><span><b id="nt-${name}" dir="auto">${title}</b><small>${text}</small></span><button
            class="sw" role="switch" aria-checked="${on}" aria-labelledby="nt-${name}" data-switch="${name}" ${
            rests ? 'disabled' : ''}></button></div>`;
    }

    /** @param {string} name @param {number} m @param {string} label */
    time(name, m, label) {
        return html`<label>${label}<input type="time" name="${name}" value="${clockText(m)}"></label>`;
    }

    dailyHtml() {
        const at = this.push?.daily ?? -1;
        return html`<section class="panel">${this.row('daily', at >= 0, _('Today’s expedition'),
            _('At most one message per day, and only if your streak would end today.'), !this.on)}${at >= 0 ?
            html`<div class="times">${this.time('daily', at, _('Time of the message'))}</div>` : ''}</section>`;
    }

    /** The day with its quiet time: two handles, and the same as times. */
    quietHtml() {
        const [from, to] = this.push?.quiet ?? [], quiet = from !== undefined, rests = !this.push?.subscriptions;
        const at = /** @param {number} m */ (m) => m / 14.4, a = at(from ?? NIGHT[0]), b = at(to ?? NIGHT[1]);
        const night = a < b ? `linear-gradient(90deg,transparent ${a}%,var(--lapis) ${a}% ${b}%,transparent ${b}%)` :
            `linear-gradient(90deg,var(--lapis) ${b}%,transparent ${b}% ${a}%,var(--lapis) ${a}%)`;
        const hand = /** @param {string} name @param {number} m @param {string} label */ (name, m, label) => html`<input
            type="range" name="${name}" min="0" max="1425" step="15" value="${m}" aria-label="${label}" aria-valuetext="${
            clockText(m)}">`;
        return html`<section class="panel">${this.row('quiet', quiet, _('Quiet time'), _('No messages; one in the morning.'),
            rests)}${quiet ? html`<div class="night" data-night="${night}">${hand('from', from, _('Quiet from'))}${
            hand('to', to, _('Quiet until'))}</div><div class="times">${this.time('from', from, _('from'))}${
            this.time('to', to, _('until'))}</div>` : ''}</section>`;
    }

    feedHtml() {
        const path = read('feed', ''), known = this.push?.feed && path;
        return html`<section class="panel"><h2 class="title">${_('Another way: a feed')}</h2><p>${
            _('A secret address for feed readers: it lists the tables that are waiting for you.')}</p>${known ? html`<p
            class="feed"><input type="text" readonly value="${new URL(path, location.href).href}" aria-label="${
            _('Address of the feed')}"></p>` : ''}<p class="bars">${known ? html`<button class="btn" data-a="copy">${
            _('Copy')}</button><button class="btn" data-a="feed">${_('Renew')}</button><button class="btn"
            data-a="nofeed">${_('Withdraw')}</button>` : html`<button class="btn" data-a="feed">${this.push?.feed ?
            _('Renew') : _('Make an address')}</button>`}</p></section>`;
    }

    render() {
        const why = obstacle(this.push);
        put(this.root, html`<div class="page">${pageTop(_('Messages'))}<main
            class="page-in narrow notify"><h1 class="title">${_('Messages')}</h1><div class="sample"
            aria-hidden="true">${icon('bell')}<span><b>${_('Your turn')}</b><br>${
            _('Ben and Chloé are waiting. Round 3, turn 4.')}</span></div>
            <section class="panel">${
            this.row('device', this.on, _('Notify this device'),
            why || _('When it is your turn and the page is closed. Messages contain no card, choice or score.'), !!why)}${
            this.tables.map((t) => this.row(t.code, !!t.notify, t.seats.filter((s, i) => s.kind === 'person' && i !== t.you -
            1).map((s) => s.name).join(', '), _('this table'), !this.on))}</section>${this.dailyHtml()}${this.quietHtml()}
            <section class="panel">${this.row('badge', settings.badge, _('Number in the tab and on the icon'),
            _('How many tables are waiting for you.'))}${this.row('sound', settings.sound, _('Sounds'),
            _('Also when it is your turn in the background.'))}</section>${this.feedHtml()}</main></div>`);
        const night = /** @type {HTMLElement | null} */ (this.root.querySelector('.night'));
        night?.style.setProperty('--night', night.dataset.night ?? '');     // the policy forbids style attributes
    }

    /** @param {Event} event */
    async click(event) {
        const name = closest(event, '[data-switch]')?.dataset.switch, act = closest(event, '[data-a]')?.dataset.a;
        try {
            if (name)
                await this.toggle(name);
            else if (act === 'copy')
                await navigator.clipboard.writeText(new URL(read('feed', ''), location.href).href).then(() =>
                    toast(_('Copied')));
            else if (act)
                await this.feed(act === 'feed');
        } catch {
            toast(_('That did not work. Please try again.'));
        }
        if (name || act) {
            const focus = name ? `[data-switch="${name}"]` : `[data-a="${act}"]`;
            this.render();
            /** @type {HTMLElement | null} */ (this.root.querySelector(focus))?.focus();
        }
    }

    /** @param {boolean} makes */
    async feed(makes) {
        await visit();
        const { path = '' } = await api(makes ? 'POST' : 'DELETE', 'my/feed', makes ? {} : undefined);
        write('feed', path.replace(/^\//, ''));
        this.push = { ...await api('GET', 'push') };
    }

    /** @param {string} name */
    async toggle(name) {
        const table = this.tables.find((t) => t.code === name);
        if (name === 'badge' || name === 'sound') {
            saveSettings({ [name]: !settings[name] });
            waiting.count = -1;              // so that everything is redrawn
            void lookForTurns();
        } else if (table) {
            const { table: now } = await api('POST', `tables/${name}/notify`, { on: !table.notify });
            table.notify = now.notify;
        } else if (name === 'quiet') {
            this.push = await api('POST', 'push', { quiet: this.push?.quiet?.length ? [] : NIGHT, zone: zone() });
        } else if (name === 'daily') {
            this.push = await api('POST', 'push', { daily: this.push?.daily == null ? EVENING : null, zone: zone() });
        } else if (name === 'device' && this.on) {
            const own = await subscription();
            this.push = await api('DELETE', 'push', own ? { endpoint: own.endpoint } : undefined);
            await own?.unsubscribe();
            this.on = false;
        } else if (name === 'device') {
            this.on = await subscribe();
            announce(this.on ? _('Messages are on') : _('Messages are off'));
            await this.load();
        }
    }

    /** @param {Event} event */
    async change(event) {
        const { name, value, type } = /** @type {HTMLInputElement} */ (event.target), quiet = [...this.push?.quiet ?? NIGHT];
        if (name !== 'from' && name !== 'to' && name !== 'daily')
            return;
        const [h, m] = type === 'time' ? value.split(':').map(Number) : [0, Number(value)];
        if (!Number.isFinite(60 * h + m))
            return;
        quiet[name === 'from' ? 0 : 1] = 60 * h + m;
        this.push = await api('POST', 'push', { ...name === 'daily' ? { daily: 60 * h + m } : { quiet }, zone: zone() })
            .catch(() => this.push);
        this.render();
        $(`[name=${name}][type=${type}]`, this.root).focus();
    }
}
