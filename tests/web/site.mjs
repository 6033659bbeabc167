// site.mjs: the built page behind a small web server, with the same policy headers as the real one; and a browser for it.
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { chromium } from 'playwright-core';
import { witnesses } from './check.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml',
    '.png': 'image/png', '.json': 'application/json',
    '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json', '.edition': 'text/plain; charset=utf-8',
    '.puzzles': 'text/plain; charset=utf-8', '.txt': 'text/plain; charset=utf-8' };
export const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; worker-src 'self'; "
    + "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** All requests that the page sends by itself. This server has no expedition. */
const ASKED = { '/api/editions': '{"editions": [{"name": "classic", "title": "Classic"}]}',
    '/api/daily': '{"today": null}' };

/** Where tests find a single module of the page in source form, with its imports: source/sound.js. The built site has a
 * few large files instead, and only it has the list of languages. */
const SOURCE = '/source/', WRITTEN = new URL('../../web/', import.meta.url).pathname;

/** Serves the folder; counts the bytes sent. */
export function serve(folder) {
    const sent = { bytes: 0, down: false };
    const server = createServer((request, response) => {
        const asked = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)), isSource =
            asked.startsWith(SOURCE), path = isSource ? asked.slice(SOURCE.length - 1) : asked,
            name = join(folder, path === '/' ? 'index.html' : path);
        if (sent.down)
            return request.socket.destroy();
        if (ASKED[path]) {
            response.writeHead(200, { 'content-type': 'application/json' });
            return response.end(ASKED[path]);
        }
        if (isSource && path.endsWith('.js') && path !== '/languages.js' && existsSync(join(WRITTEN, path))) {
            response.writeHead(200, { 'content-type': TYPES['.js'] });
            return response.end(readFileSync(join(WRITTEN, path)));
        }
        if (!name.startsWith(folder) || !existsSync(`${name}.gz`)) {
            response.writeHead(404, { 'content-type': 'application/json' });
            return response.end('{"error": {"code": "not_found"}}');
        }
        const data = readFileSync(`${name}.gz`);
        sent.bytes += data.length;
        response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'text/plain', 'content-encoding': 'gzip',
            'content-security-policy': POLICY, 'cache-control': 'no-cache' });
        response.end(data);
    });
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () =>
        resolve({ url: `http://127.0.0.1:${server.address().port}/`, sent, close: () => server.close() })));
}

export const DESKTOP = { viewport: { width: 1440, height: 900 } };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

export function launch() {
    return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
        args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
}

/** How long a press must last to paint by taps. On a busy machine any tap may last that long, so here only deliberate
 * long presses count (pressesLong). */
const HOLD = Number(/const HOLD = (\d+);/.exec(readFileSync(new URL('../../web/input.js', import.meta.url), 'utf8'))[1]);

function makeTapsShort(hold) {
    const { setTimeout: later } = globalThis;
    globalThis.setTimeout = (run, ms, ...more) => later(run, ms === hold && !globalThis.pressesLong ? 1e8 : ms, ...more);
}

/** In the page: an analysis uses few playouts. It looks the same and is made the same way, but the 32,768 of a real one
 * would keep a core busy while a test has the end of a game or a replay open. core.mjs compares its numbers with those
 * of the command. */
function makeAnalysesShort() {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, ...more) {
        const { job } = message;
        return postMessage.call(this, job?.kind === 'analyse' ? { ...message, job: { ...job, quick: Math.min(job.quick, 64),
            playouts: 128 } } : message, ...more);
    };
}

/** The open pages; their text is printed when a test fails. */
const pages = new Set();
witnesses.push(async () => (await Promise.all([...pages].slice(-4).map(async (page) => {
    const text = await Promise.race([page.evaluate(() => document.body.innerText),
        new Promise((go) => setTimeout(go, 5000, 'no answer'))]).catch(String);
    return [`page ${page.url().slice(0, 100)}:`, text.replace(/\s+/g, ' ').slice(0, 700),
        ...(page.complaints ?? []).slice(-5).map((c) => `console: ${c}`)].join('\n');
}))).join('\n'));

/** In the page: fills the browser's storage as after earlier visits, before the first visit of this test. */
function remember(kept) {
    try {
        if (localStorage.getItem('remembered'))
            return;
        localStorage.setItem('remembered', 'all');
        for (const [key, value] of Object.entries(kept))
            localStorage.setItem(`pyramids.${key}`, JSON.stringify(value));
    } catch { /* about:blank keeps nothing */ }
}

/** Opens a page that collects all complaints of the console, with the same language and time on every machine. The
 * service worker would fetch all files of the page each time, so tests must ask for it.
 * @param {object} options of the browser, and: kept: what the page finds there from earlier visits; scripts: functions that
 * run in the page before its own */
export async function open(browser, url, { kept, scripts = [], ...options } = DESKTOP) {
    const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-US', timezoneId: 'UTC',
        serviceWorkers: 'block', ...options });
    context.on('page', (any) => {
        pages.add(any);
        any.on('close', () => pages.delete(any));
    });
    await context.addInitScript(makeAnalysesShort);
    if (options.hasTouch)
        await context.addInitScript(makeTapsShort, HOLD);
    if (kept)
        await context.addInitScript(remember, kept);
    for (const script of scripts)
        await context.addInitScript(script);
    const page = await context.newPage();
    if (process.env.PYR_THROTTLE)          // as on a machine that is so many times slower
        await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate',
            { rate: Number(process.env.PYR_THROTTLE) });
    page.setDefaultTimeout(60000);         // a loaded machine is not an error of the page
    page.complaints = [];
    page.on('console', (m) => {
        // Requests that the test itself has blocked are not reported.
        if ((m.type() === 'error' || m.type() === 'warning') && !m.text().includes('blocked by Playwright'))
            page.complaints.push(`${m.type()}: ${m.text()} ${m.location().url}`.trimEnd());
    });
    page.on('pageerror', (e) => page.complaints.push(`error: ${e.stack}`));
    await page.goto(url);
    return page;
}

/** Complaints of the console when there is no game server: the page asks for a table, and the browser itself reports that
 * it was not found. */
export const withoutServer = (page) => page.complaints.filter((c) => !/status of 404 .*\/api\/visitor$/.test(c));

/** Waits until the service worker has fetched all files, so that the page no longer needs the server. */
export const allKept = (page) => page.evaluate(async () => {
    const { active, installing, waiting } = await navigator.serviceWorker.ready, worker = active ?? waiting ?? installing;
    if (worker.state !== 'activated')
        await new Promise((go) => worker.addEventListener('statechange', () => worker.state === 'activated' && go()));
});

/** Goes to another address of the page without reloading it; the view is ready unless it has to be fetched first. */
export async function go(page, hash) {
    await page.evaluate((to) => new Promise((resolve) => {
        addEventListener('hashchange', () => setTimeout(resolve), { once: true });
        location.hash = to;
    }), hash);
}

/** Waits until changes are drawn. On a crowded machine Chromium may stop drawing for good (seen once in about thirty
 * runs): the layout is correct even then, so it is not worth waiting for ever. */
export const settled = (page) => page.evaluate(() => new Promise((resolve) => {
    const late = setTimeout(() => { globalThis.drawsNothing = true; resolve(); }, globalThis.drawsNothing ? 50 : 20000);
    requestAnimationFrame(() => requestAnimationFrame(() => { clearTimeout(late); resolve(); }));
}));

/** Takes screenshots into the build folder if PYR_PICTURES=1. They are optional because there are hundreds, and no test
 * compares them. Taken through the protocol, each needs a third of the usual time. */
export const PICTURES = Boolean(process.env.PYR_PICTURES);

export async function picture(page, name) {
    if (!PICTURES)
        return;
    const folder = join(process.env.PYR_BUILD ?? '/tmp', 'screenshots');
    mkdirSync(folder, { recursive: true });
    page.camera ??= await page.context().newCDPSession(page);
    if (await page.evaluate(() => globalThis.drawsNothing)) {
        console.log(`# no picture of ${name}: the browser draws nothing`);
        return;
    }
    const { data } = await page.camera.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
    writeFileSync(join(folder, `${name}.png`), Buffer.from(data, 'base64'));
}

/** Screenshots at the sizes of a laptop and a phone; the page has its own size again afterwards. */
export async function pictures(page, name) {
    if (!PICTURES)
        return;
    const own = page.viewportSize();
    for (const { viewport: size } of [DESKTOP, PHONE]) {
        await page.setViewportSize(size);
        await settled(page);
        await picture(page, `${name}-${size.width}x${size.height}`);
    }
    await page.setViewportSize(own);
    await settled(page);
}
