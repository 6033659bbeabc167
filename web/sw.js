/**
 * sw.js: caches the page for playing without a network. All files are fetched when a version is installed; after that
 * the page is served from the cache, and a new version takes over at the next visit, never in the middle of a game.
 * Answers of the server (/api) are never cached.
 */
const VERSION = '@VERSION@';
const FILES = ['@FILES@'];
const worker = /** @type {any} */ (self);

worker.addEventListener('install', (/** @type {any} */ event) => {
    // One after the other: it is not urgent, and a server may limit requests.
    event.waitUntil(caches.open(VERSION).then(async (cache) => {
        for (const name of ['./', ...FILES])
            await cache.add(new Request(name, { cache: 'no-cache' }));
    }));
});

worker.addEventListener('activate', (/** @type {any} */ event) => {
    event.waitUntil(caches.keys().then((keys) => Promise.all(keys.filter((key) => key !== VERSION).map((key) =>
        caches.delete(key)))));
});

worker.addEventListener('fetch', (/** @type {any} */ event) => {
    const url = new URL(event.request.url);
    if (event.request.method !== 'GET' || url.origin !== location.origin || url.pathname.includes('/api/'))
        return;
    event.respondWith(caches.open(VERSION).then(async (cache) => (await cache.match(event.request,
        { ignoreSearch: true })) ?? fetch(event.request)));
});

// The page requests this when no game is in progress.
worker.addEventListener('message', (/** @type {any} */ event) => { if (event.data === 'now') worker.skipWaiting(); });

/** @typedef {{type: string, title: string, body: string, table: string, count: number, silent: boolean}} Message */

/** A message (docs/push.md) lists everything that is waiting, so it replaces earlier messages.
 * @param {Message} message */
async function show(message) {
    const own = /^(over|daily|played)$/.test(message.type), closes = message.type === 'played' ? /^daily$/ :
        own ? /^$/ : /^(turn|several|morning)$/;
    for (const old of await worker.registration.getNotifications())
        if (closes.test(old.data?.type) && old.tag !== `${message.type}${message.table}`)
            old.close();
    if (!own)
        await (message.count ? worker.navigator.setAppBadge?.(message.count) : worker.navigator.clearAppBadge?.());
    if (!/^(none|played)$/.test(message.type))
        await worker.registration.showNotification(message.title, { body: message.body, data: message,
            tag: `${message.type}${message.table}`, silent: message.silent || undefined, renotify: !message.silent,
            icon: 'icon-192.png', badge: 'icon-192.png' });
}

worker.addEventListener('push', (/** @type {any} */ event) => {
    let message;
    try { message = event.data.json(); } catch { return; }
    event.waitUntil(show(message));
});

// A tap opens the table, in the page that is open already if there is one.
worker.addEventListener('notificationclick', (/** @type {any} */ event) => {
    const { type, table } = event.notification.data ?? {}, go = table ? `table/${table}` : type === 'daily' ? 'daily' : '';
    event.notification.close();
    event.waitUntil(worker.clients.matchAll({ type: 'window', includeUncontrolled: true }).then(async (
        /** @type {any[]} */ pages) => {
        const page = pages[0] && await pages[0].focus().catch(() => null);
        return page ? page.postMessage({ go }) : worker.clients.openWindow(`./#${go}`);
    }));
});
