/**
 * sw.js: keeps the page for playing without a network. All files are fetched when a version is installed; after that the
 * page comes from the cache, and a new version takes over at the next visit, never in the middle of a game. What the server
 * says (/api) is never kept.
 */
const VERSION = '@VERSION@';
const FILES = ['@FILES@'];
const worker = /** @type {any} */ (self);

worker.addEventListener('install', (/** @type {any} */ event) => {
    // One after the other: nothing is urgent, and a server may count requests.
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
    event.respondWith(caches.open(VERSION).then(async (cache) => (await cache.match(event.request, { ignoreSearch:
        true })) ?? fetch(event.request)));
});

// The page says so when nothing is under way.
worker.addEventListener('message', (/** @type {any} */ event) => { if (event.data === 'now') worker.skipWaiting(); });
