// invite.mjs PROGRAM: the page of an invitation against the real server: seats, Start, who can open the link, agreed
// hints, names; and a proxy whose address the server does not know.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { look } from './axe.mjs';
import { done, equal, test, truth, witnesses } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture, pictures, settled } from './site.mjs';
import { act, rename, seat } from './player.mjs';

const program = process.argv[2], folder = mkdtempSync(join(tmpdir(), 'pyramids-')), log = join(folder, 'server.log'),
    running = [];
witnesses.push(() => `server:\n${readFileSync(log, 'utf8').split('\n').slice(-20).join('\n')}`);

async function start(...options) {
    const ready = join(folder, `ready${running.length}`);
    const server = spawn(program, ['serve', '--port', '0', '--database', join(folder, `games${running.length}.db`),
        '--no-browser', '--ready-file', ready, ...options],
        { stdio: ['ignore', 'ignore', openSync(log, 'a')] });
    running.push(server);
    while (server.exitCode === null && !(existsSync(ready) && readFileSync(ready, 'utf8').endsWith('\n')))
        await new Promise((go) => setTimeout(go, 10));
    return readFileSync(ready, 'utf8').trim();
}

const url = await start(), browser = await launch();
const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', WIDE = 'W'.repeat(24);

/** Makes a new table for a host; returns its code. */
async function invite(name, before = async () => {}, at = url) {
    const page = await open(browser, `${at}#friends/new`);
    await page.getByText('you, host').waitFor();
    await rename(page, name);
    await before(page);
    await page.locator('.code2').waitFor();
    return page;
}

async function join2(page, name, options = PHONE) {
    const other = await open(browser, page.url(), options);
    await other.getByRole('textbox', { name: 'Your name' }).fill(name);
    await other.getByRole('button', { name: 'Sit down' }).click();
    return other;
}

const becomes = (page, wanted) => page.waitForFunction((want) => [...document.querySelectorAll('.chair')].map((e) =>
    ['mine', 'person', 'open', 'bot', 'none'].find((k) =>
    e.classList.contains(k))).join() === want, wanted.join());

await test('one page for making and waiting: seats change under the same link, Start begins with who is there', async () => {
    const ana = await invite('Ana'), place = ana.url(), code = place.split('/').at(-1),
        start = ana.getByRole('button', { name: 'Start' });
    await becomes(ana, ['mine', 'open', 'none', 'none']);
    truth(await start.isDisabled(), 'nobody is there yet');
    await ana.getByText('Two seats must be taken before the game can start.').waitFor();
    await seat(ana, 3, 'Friend');
    await becomes(ana, ['mine', 'open', 'open', 'none']);
    await seat(ana, 4, 'Bot');
    await becomes(ana, ['mine', 'open', 'open', 'bot']);
    const ben = await join2(ana, 'Ben');
    await ana.getByText('joined').waitFor();
    await becomes(ana, ['mine', 'person', 'open', 'bot']);
    await becomes(ben, ['person', 'mine', 'open', 'bot']);
    equal(await ben.getByRole('radiogroup').count(), 0, 'only the host arranges');
    // The last free seat becomes a bot's: this alone does not begin the game.
    await seat(ana, 3, 'Bot');
    await becomes(ana, ['mine', 'person', 'bot', 'bot']);
    equal(await ana.evaluate((c) => fetch(`api/tables/${c}`).then((r) => r.json()).then((d) => d.table.state), code),
        'waiting', 'it waits for Start');
    await ana.getByRole('button', { name: /^Level of seat 3/ }).click();
    await ana.getByRole('button', { name: 'Novice', exact: true }).click();
    await seat(ana, 4, 'Empty');
    await becomes(ana, ['mine', 'person', 'bot', 'none']);
    await pictures(ana, 'invite-waiting');
    // The message about a newer version covers nothing, on a phone either.
    const free = (page) => page.evaluate(() => {
        const newer = document.querySelector('#newer'), button = document.querySelector('[data-a=start]');
        newer.textContent = 'A newer version is ready.';
        newer.hidden = false;
        button.scrollIntoView({ block: 'nearest' });
        const { left, top, right, bottom } = button.getBoundingClientRect();
        const seen = [[left + 4, (top + bottom) / 2], [right - 4, (top + bottom) / 2], [(left + right) / 2, top + 4],
            [(left + right) / 2, bottom - 4]].filter(([x, y]) => button.contains(document.elementFromPoint(x, y))).length;
        newer.hidden = true;
        return seen;
    });
    for (const [width, height] of [[1366, 768], [390, 844], [320, 568]]) {
        await ana.setViewportSize({ width, height });
        equal(await free(ana), 4, `edges of Start that can be pressed at ${width}x${height}`);
    }
    await ana.setViewportSize(DESKTOP.viewport);
    await pictures(ben, 'invite-joined');
    equal(ana.url(), place, 'the link has stayed');
    await ana.getByText('At the table: you, Ben, and bot, Novice.').waitFor();
    await start.click();
    for (const page of [ana, ben])
        await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    const record = await ana.evaluate((c) => fetch(`api/tables/${c}/record`).then((r) => r.text()), code);
    equal(record.match(/^player .*/gm), ['player 1 Ana', 'player 2 Ben', 'player 3 novice'], 'who plays');
    equal([ana.complaints, ben.complaints], [[], []], 'the console');
    await ana.context().close();
    await ben.context().close();
});

await test('the link is there at once, and what is played changes under it until a friend sits down', async () => {
    const at = await start('--origin', 'https://games.example.org'), ana = await open(browser, at);
    await ana.getByRole('button', { name: 'Invite friends' }).click();
    await ana.locator('.linkbox').getByText('https://games.example.org/#table/').waitFor();
    await becomes(ana, ['mine', 'open', 'none', 'none']);
    truth(await ana.locator('.qr svg').isVisible(), 'a code to scan');
    const place = ana.url(), terms = () => ana.evaluate(() => fetch(`api/tables/${location.hash.split('/')[1]}`).then((r) =>
        r.json()).then(({ table: { clock, public: open, hints } }) => ({ clock, open, hints })));
    equal(await terms(), { clock: 'none', open: false, hints: false }, 'as it is made');
    // A change of seats that would begin the game is not sent.
    await seat(ana, 2, 'Bot');
    await becomes(ana, ['mine', 'bot', 'none', 'none']);
    await ana.getByRole('radio', { name: '30 seconds' }).click();
    await ana.getByRole('radio', { name: '30 seconds', checked: true }).waitFor();
    for (const name of ['Open table', 'Hints']) {
        await ana.getByRole('switch', { name }).click();
        await ana.getByRole('switch', { name, checked: true }).waitFor();
    }
    await becomes(ana, ['mine', 'bot', 'none', 'none']);
    equal(await terms(), { clock: 'quick', open: true, hints: true }, 'as it was changed');
    await seat(ana, 3, 'Friend');
    await becomes(ana, ['mine', 'bot', 'open', 'none']);
    await seat(ana, 4, 'Friend');
    await becomes(ana, ['mine', 'bot', 'open', 'open']);
    await rename(ana, 'Ana');
    await ana.locator('.chair.mine').getByText('Ana', { exact: true }).waitFor();
    equal(ana.url(), place, 'all that under one link');
    const ben = await join2(ana, 'Ben');
    await ana.getByText('joined').waitFor();
    equal(await ana.getByRole('switch').count(), 0, 'now it is agreed on');
    await ana.getByText('Time per choice: 30 seconds').waitFor();
    equal([ana.complaints, ben.complaints], [[], []], 'the console');
    await ben.context().close();
    await ana.goBack();                                               // and not to another new table
    await ana.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await ana.context().close();
});

await test('the page of an invitation in all languages, on the smallest phone and at a desk', async () => {
    const page = await open(browser, url, PHONE), codes = await page.getByRole('combobox', { name: 'Language' }).locator(
        'option').evaluateAll((all) => all.map((o) => o.value));
    for (const code of codes) {
        await page.evaluate((language) => localStorage.setItem('pyramids.settings', JSON.stringify({ language,
            name: 'W'.repeat(24) })), code);
        await page.goto(`${url}?${code}#friends/new`);
        await page.locator('.chair.mine').waitFor();
        for (const [width, height] of [[320, 568], [1366, 768]]) {
            await page.setViewportSize({ width, height });
            await settled(page);
            const out = await page.evaluate(() => [...document.querySelectorAll('main *')].filter((e) =>
                e.checkVisibility() &&
                !e.closest('.vh, .linkbox, svg') && (e.getBoundingClientRect().right > innerWidth + 1 ||
                e.scrollWidth > e.clientWidth + 2 && getComputedStyle(e).overflowX === 'hidden' && !e.matches('.nmt'))).map((
                e) => e.className || e.tagName));
            equal([out, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)], [[], 0],
                `${code}, ${width}`);
            await picture(page, `invite-${code}-${width}`);
        }
        if (code === 'en')
            await look(page, 'an invitation');
    }
    await page.context().close();
});

await test('a link that only this computer can open is not offered as an invitation', async () => {
    const ana = await invite('Ana'), code = ana.url().split('/').at(-1);
    await ana.getByText('Only this computer can open the link').waitFor();
    await ana.getByText('pyramids serve --address 0.0.0.0').waitFor();
    equal(await ana.locator('.qr').count(), 0, 'no code to scan');
    equal(await ana.locator('.linkbox').innerText(), `${url}#table/${code}`, 'for another window it will do');
    await pictures(ana, 'invite-alone');
    await ana.context().close();
    // A server that knows its public address.
    const away = await start('--origin', 'https://games.example.org'), eva = await invite('Eva', undefined, away);
    await eva.locator('.linkbox').getByText(`https://games.example.org/#table/${eva.url().split('/').at(-1)}`).waitFor();
    truth(await eva.locator('.qr svg').isVisible(), 'a code to scan');
    equal(await eva.getByText('Only this computer').count(), 0, 'no warning');
    await eva.context().close();
});

await test('hints at a table with people: off unless agreed, and then everyone sees who used one', async () => {
    for (const agreed of [false, true]) {
        const ana = await invite('Ana', async (page) => {
            if (agreed) await page.getByRole('switch', { name: 'Hints' }).click();
        });
        const ben = await open(browser, ana.url(), PHONE);
        await ben.getByText(agreed ? 'Hints are allowed, and everyone sees who used one' : 'No hints').waitFor();
        await ben.getByRole('textbox', { name: 'Your name' }).fill('Ben');
        await ben.getByRole('button', { name: 'Sit down' }).tap();
        for (const page of [ana, ben])
            await page.getByRole('heading', { name: /Keep two/ }).waitFor();
        await act(ana);
        await act(ben);
        await ana.getByRole('gridcell', { name: /can be marked/ }).first().waitFor();
        const hint = ana.getByRole('button', { name: 'Hint' });
        if (agreed) {
            await hint.first().click();
            await ben.getByText('Ana used a hint.').first().waitFor();
        } else
            equal(await hint.count(), 0, 'hints');
        await ana.context().close();
        await ben.context().close();
    }
});

await test('names: a family stays whole, and 24 wide letters fit', async () => {
    const ana = await invite(`${FAMILY} ${'x'.repeat(30)}`), ben = await join2(ana, WIDE);
    const own = await ana.evaluate(() => JSON.parse(localStorage.getItem('pyramids.settings')).name);
    equal([own.startsWith(FAMILY), [...own].length], [true, 24], 'cut between letters');
    await ben.getByRole('heading', { name: /Keep two/ }).waitFor();
    const names = await ana.evaluate(() => fetch(`api/tables/${location.hash.split('/')[1]}`).then((r) =>
        r.json()).then((d) => d.table.seats.map((s) => s.name)));
    equal(names, [own, WIDE], 'at the server');
    await ana.context().close();
    await ben.context().close();
    // Cutting a family emoji in the middle would leave a part of it: all of it is removed.
    const eva = await open(browser, `${url}#friends/new`);
    await rename(eva, 'x'.repeat(20) + FAMILY);
    equal(await eva.evaluate(() => JSON.parse(localStorage.getItem('pyramids.settings')).name), 'x'.repeat(20),
        'no half of a family');
    await eva.context().close();
});

await test('behind a proxy that the server does not know, the page explains itself', async () => {
    const { port } = new URL(url);
    const proxy = createServer((from, to) => {
        const there = ask({ host: '127.0.0.1', port, method: from.method, path: from.url,
            headers: { ...from.headers, host: `127.0.0.1:${port}` } }, (answer) => {
            to.writeHead(answer.statusCode, answer.headers);
            answer.pipe(to);
        });
        from.pipe(there);
    });
    const at = await new Promise((go) => proxy.listen(0, '127.0.0.1', () => go(`http://127.0.0.1:${proxy.address().port}`)));
    const page = await open(browser, `${at}/`, PHONE);
    await page.getByText(`pyramids serve --origin ${at}`).first().waitFor();
    await settled(page);
    truth(await page.evaluate(() => document.body.innerText.trim().length) > 80, 'not blank');
    await pictures(page, 'unknown-proxy');
    await page.context().close();
    proxy.closeAllConnections();
    proxy.close();
});

await browser.close();
for (const server of running) {
    const gone = new Promise((go) => server.on('exit', go));
    server.kill();
    await gone;
}
rmSync(folder, { recursive: true });
done();
