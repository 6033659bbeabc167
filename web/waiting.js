/**
 * waiting.js: the tables that are waiting for this player, from the server, and their indication while the page is in
 * the background: the title, a dot or a number on its icon, the app's badge, a sound. Messages about tables that are
 * no longer waiting are closed.
 */
import { _ } from './i18n.js';
import { read, settings } from './store.js';

/** @typedef {{code: string, since: number, round: number, turn: number, names: string[], notify: boolean}} Turn */

/** @type {{count: number, tables: Turn[]}} */
export const waiting = { count: 0, tables: [] };

const PAUSE = 60000;
let title = 'Pyramids', timer = 0;

/** Sets the title of a view; while the page is in the background and tables are waiting, their number is shown
 * instead. @param {string} text */
export function setTitle(text) {
    title = text;
    showTitle();
}

function showTitle() {
    const { count } = waiting, told = count > 0 && document.hidden && settings.badge;
    document.title = told ? `(${count}) ${_('Your turn')} · Pyramids` : title;
}

/** The page's icon with a red dot, from two tables on with their number. @param {number} count */
async function drawIcon(count) {
    const link = document.querySelector('link[rel=icon]'), canvas = document.createElement('canvas'), image = new Image();
    const paper = canvas.getContext('2d');
    if (!link || !paper)
        return;
    if (!count) {
        link.setAttribute('href', 'icon.svg');
        return;
    }
    canvas.width = canvas.height = image.width = image.height = 64;
    image.src = 'icon.svg';
    if (!await image.decode().then(() => true, () => false) || count !== waiting.count)
        return;
    const r = count > 1 ? 20 : 13;
    paper.drawImage(image, 0, 0, 64, 64);
    paper.fillStyle = '#C8201E';
    paper.arc(64 - r, r, r, 0, 7);
    paper.fill();
    paper.fillStyle = '#fff';
    paper.font = 'bold 30px system-ui,sans-serif';
    paper.textAlign = 'center';
    if (count > 1)
        paper.fillText(count > 9 ? '9+' : `${count}`, 64 - r, r + 11);
    link.setAttribute('href', canvas.toDataURL());
}

/** Closes messages that are out of date. */
async function closeOld() {
    const kept = await navigator.serviceWorker?.getRegistration();
    const codes = new Set(waiting.tables.map((t) => t.code));
    for (const shown of await kept?.getNotifications?.() ?? [])
        if ((shown.data?.type === 'turn' && !codes.has(shown.data.table)) || (!codes.size &&
            /several|morning/.test(shown.data?.type)))
            shown.close();
}

/** @param {{count: number, tables: Turn[]}} now */
async function show(now) {
    const more = now.count > waiting.count, other = now.count !== waiting.count;
    Object.assign(waiting, now);
    showTitle();
    void closeOld();
    if (!other)
        return;
    const badge = settings.badge ? now.count : 0, tab = /** @type {any} */ (navigator);
    void drawIcon(badge);
    void (badge ? tab.setAppBadge?.(badge) : tab.clearAppBadge?.())?.catch?.(() => {});
    if (more && document.hidden && settings.sound)
        (await import('./sound.js')).playSound('torch');
    dispatchEvent(new Event('waiting'));
}

/** Asks the server, if it knows us at all. */
export async function lookForTurns() {
    clearTimeout(timer);
    if (!read('visited', false))
        return;
    // Without a network this is retried later: the browser would only log an error.
    const now = navigator.onLine ? await (await import('./online.js')).api('GET', 'my/turns').catch(() => null) : null;
    if (now)
        await show(now);
    clearTimeout(timer);
    timer = window.setTimeout(lookForTurns, PAUSE);
}

/** Starts watching: checks when the page becomes visible or hidden, when a table changes, and regularly. */
export function watchTurns() {
    document.addEventListener('visibilitychange', () => { showTitle(); void lookForTurns(); });
    addEventListener('online', () => void lookForTurns());
    addEventListener('moved', () => {
        if (!document.hidden && !waiting.count)
            return;
        clearTimeout(timer);
        timer = window.setTimeout(lookForTurns, 1000);
    });
    navigator.serviceWorker?.addEventListener?.('message', (event) => {
        if (event.data?.go !== undefined)
            location.hash = event.data.go;
    });
    timer = window.setTimeout(lookForTurns, 3000);
}
