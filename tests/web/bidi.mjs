// bidi.mjs: drives Firefox through WebDriver BiDi, which Debian's firefox-esr offers over a WebSocket: only the part that
// a game needs. It listens on 127.0.0.1 only, with a temporary profile.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A WebSocket client for a trusted server: texts in whole frames. */
async function open(url, heard) {
    const { hostname, port, pathname } = new URL(url), socket = connect(Number(port), hostname);
    await new Promise((go, fail) => socket.once('connect', go).once('error', fail));
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${
        port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`);
    let data = Buffer.alloc(0), begun = () => {}, text = [];
    const ready = new Promise((go) => { begun = go; });
    let upgraded = false;
    socket.on('data', (more) => {
        data = Buffer.concat([data, more]);
        if (!upgraded) {
            const end = data.indexOf('\r\n\r\n');
            if (end < 0)
                return;
            if (!data.subarray(0, end).includes(' 101 '))
                throw new Error(String(data.subarray(0, end)));
            data = data.subarray(end + 4);
            upgraded = true;
            begun();
        }
        while (data.length >= 2) {
            const small = data[1] & 127, at = small === 127 ? 10 : small === 126 ? 4 : 2;
            if (data.length < at)
                return;
            const size = small === 127 ? Number(data.readBigUInt64BE(2)) : small === 126 ? data.readUInt16BE(2) : small;
            if (data.length < at + size)
                return;
            if ((data[0] & 15) < 3)
                text.push(data.subarray(at, at + size));
            if (data[0] & 128 && (data[0] & 15) < 3) {
                heard(String(Buffer.concat(text)));
                text = [];
            }
            data = data.subarray(at + size);
        }
    });
    await ready;
    return { close: () => socket.destroy(), send(message) {
        const body = Buffer.from(message), mask = randomBytes(4);
        const head = body.length < 126 ? Buffer.from([129, 128 | body.length]) : body.length < 65536 ? Buffer.from([129,
            254, body.length >> 8, body.length & 255]) :
            Buffer.concat([Buffer.from([129, 255]), (() => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(
            body.length)); return b; })()]);
        socket.write(Buffer.concat([head, mask, body.map((byte, i) => byte ^ mask[i & 3])]));
    } };
}

/** A Firefox with one page. */
export async function firefox(program) {
    const folder = mkdtempSync(join(tmpdir(), 'pyramids-firefox-'));
    // Nothing is requested from the network, and the language is always the same.
    writeFileSync(join(folder, 'user.js'), Object.entries({ 'intl.accept_languages': 'en-US', 'intl.locale.requested':
        'en-US', 'app.update.enabled': false,
        'datareporting.policy.dataSubmissionEnabled': false, 'toolkit.telemetry.reportingpolicy.firstRun': false,
        'browser.shell.checkDefaultBrowser': false,
        'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
        'services.settings.server': 'data:,',
        'ui.prefersReducedMotion': 1 }).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${
        JSON.stringify(value)});\n`).join(''));
    const process_ = spawn(program, ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port', '0'],
        { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: folder, MOZ_HEADLESS: '1' } });
    const url = await new Promise((go, fail) => {
        let said = '';
        process_.stderr.on('data', (text) => {
            said += text;
            const found = /listening on (ws:\/\/127\.0\.0\.1:\d+)/.exec(said);
            if (found)
                go(found[1]);
        });
        process_.on('exit', () => fail(new Error(`firefox ended: ${said.slice(-500)}`)));
    });
    const waiting = new Map(), complaints = [];
    let last = 0;
    const socket = await open(`${url}/session`, (text) => {
        const { id, type, method, params, result, message, error } = JSON.parse(text), asked = waiting.get(id);
        waiting.delete(id);
        if (method === 'log.entryAdded' && ['error', 'warn'].includes(params.level))
            complaints.push(`${params.level}: ${params.text}`);
        else if (type === 'error')
            asked?.[1](new Error(`${error}: ${message}`));
        else
            asked?.[0](result);
    });
    const say = (method, params = {}) => new Promise((go, fail) => {
        waiting.set(++last, [go, fail]);
        socket.send(JSON.stringify({ id: last, method, params }));
    });
    await say('session.new', { capabilities: {} });
    await say('session.subscribe', { events: ['log.entryAdded'] });
    const { contexts: [{ context }] } = await say('browsingContext.getTree');
    return {
        complaints,
        resize: (width, height) => say('browsingContext.setViewport', { context, viewport: { width, height } }),
        goto: (address) => say('browsingContext.navigate', { context, url: address, wait: 'complete' }),
        /** Runs a function in the page; returns its result as JSON. */
        async ask(run, ...words) {
            const { result, exceptionDetails } = await say('script.evaluate', { expression: `Promise.resolve((${run})(...${
                JSON.stringify(words)})).then((v) => JSON.stringify(v ?? null))`,
                target: { context }, awaitPromise: true });
            if (exceptionDetails)
                throw new Error(exceptionDetails.text);
            return JSON.parse(result.value);
        },
        /** A click, or a tap, like a user's. */
        press: (x, y, touch) => say('input.performActions', { context, actions: [{ type: 'pointer', id: touch ? 'finger' :
            'mouse',
            parameters: { pointerType: touch ? 'touch' : 'mouse' }, actions: [{ type: 'pointerMove', x: Math.round(x),
            y: Math.round(y) }, { type: 'pointerDown', button: 0 },
                { type: 'pointerUp', button: 0 }] }] }),
        async close() {
            const gone = new Promise((go) => process_.on('exit', go));
            await Promise.race([say('browser.close').catch(() => {}), gone]);
            socket.close();
            process_.kill();
            await gone;
            rmSync(folder, { recursive: true, force: true });
        },
    };
}
