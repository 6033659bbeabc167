// online.mjs PROGRAM: the page against the real server: two browsers play a whole game, one is reloaded in the middle, the server is killed and
// started again; a third watches; a rematch; a bot stands in.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture } from './site.mjs';
import { act, ended } from './hand.mjs';

const program = process.argv[2], folder = mkdtempSync(join(tmpdir(), 'pyramids-')), ready = join(folder, 'ready');
let server, url;

async function start(port = '0') {
    rmSync(ready, { force: true });
    server = spawn(program, ['serve', '--port', port, '--database', join(folder, 'games.db'), '--no-browser', '--quiet', '--ready-file', ready], { stdio: ['ignore', 'ignore', 'inherit'] });
    for (let i = 0; i < 400 && !(existsSync(ready) && readFileSync(ready, 'utf8').trim()); i++)
        await new Promise((go) => setTimeout(go, 25));
    url = readFileSync(ready, 'utf8').trim();
}

function stop(signal) {
    return new Promise((gone) => {
        server.on('exit', gone);
        server.kill(signal);
    });
}

/** What a browser says of itself when a connection breaks is no fault of the page. */
const own = (page) => page.complaints.filter((c) => !/WebSocket connection|ERR_CONNECTION|ERR_NETWORK/.test(c));

await start();
const browser = await launch();
const ana = await open(browser, url, DESKTOP);
let ben;

await test('a table is made, its link opened, both sit', async () => {
    await ana.getByRole('button', { name: 'Invite friends' }).click();
    await ana.getByRole('textbox', { name: 'Your name' }).fill('Ana');
    await ana.getByRole('button', { name: 'Make the table' }).click();
    await ana.getByRole('heading', { name: 'Waiting for friends' }).waitFor();
    await ana.getByText('you', { exact: true }).waitFor();
    await picture(ana, 'lobby-1440x900');
    ben = await open(browser, await ana.locator('.linkbox span').innerText(), PHONE);
    await ben.getByRole('heading', { name: 'Join the table' }).waitFor();
    await ben.getByRole('textbox', { name: 'Your name' }).fill('Ben');
    await picture(ben, 'join-390x844');
    await ben.getByRole('button', { name: 'Sit down' }).tap();
    for (const page of [ana, ben])
        await page.getByRole('heading', { name: /Keep two/ }).waitFor();
});

await test('a whole game, with a take-back, a reload, a killed server and a watcher', async () => {
    const press = (page) => page === ana ? (l) => l.click({ timeout: 3000 }) : (l) => l.tap({ timeout: 3000 });
    const step = async (page) => { try { return await act(page, press(page)); } catch { return 'late'; } };
    await step(ana);
    await ana.getByRole('button', { name: 'Take back' }).click();
    await ana.getByRole('button', { name: /^Keep \d/ }).click();
    await step(ben);
    const marks = { ana: 0, ben: 0 };
    let reloaded = false, killed = false;
    for (let i = 0; i < 500 && !(await ended(ana).count() && await ended(ben).count()); i++) {
        marks.ana += await step(ana) === 'mark' ? 1 : 0;
        if (marks.ana === 5 && !reloaded) {
            reloaded = true;
            await ana.getByRole('heading', { name: /Waiting for Ben|Sent/ }).waitFor({ timeout: 2000 }).catch(() => {});
            await picture(ana, 'sealed-1440x900');
            await ana.reload();
            await ana.locator('.table').waitFor();
        }
        if (marks.ana === 9 && !killed) {
            killed = true;
            await stop('SIGKILL');
            await ben.getByText('Reconnecting').waitFor();
            await picture(ben, 'reconnecting-390x844');
            await start(new URL(url).port);
            for (const page of [ana, ben])
                await page.getByText('Reconnecting').waitFor({ state: 'detached' });
        }
        marks.ben += await step(ben) === 'mark' ? 1 : 0;
    }
    truth(killed && reloaded, 'both happened');
    await ended(ana).waitFor();
    await ended(ben).waitFor();
    const total = async (page) => (await page.getByRole('row', { name: /^Total/ }).getByRole('cell').allInnerTexts()).join();
    equal(await total(ana), await total(ben), 'both see the same scores');
});

await test('the replay by its link, the rematch, and a bot for who is away', async () => {
    const code = await ana.evaluate(() => location.hash.split('/')[1]);
    const other = await open(browser, `${url}#replay/${code}`);
    await other.getByRole('button', { name: 'Step forward' }).click();
    equal(own(other), [], 'the console of a guest');
    await ana.getByRole('button', { name: 'Rematch' }).click();
    await ana.getByText('is here').or(ana.getByText('invited')).first().waitFor();
    await ben.getByRole('button', { name: 'Rematch' }).tap();
    for (const page of [ana, ben])
        await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    const watcher = await open(browser, await ana.evaluate(() => location.href));
    await watcher.getByRole('heading', { name: 'The players choose their first cards' }).waitFor();
    equal(await watcher.locator('.pick').count(), 0, 'a watcher sees no dealt card');
    await act(ana);
    await ben.context().close();
    await ana.waitForTimeout(300);
    await ana.locator('[data-a=menu]').first().click();
    await ana.getByRole('button', { name: 'Let a bot play for Ben' }).click();
    await ana.getByRole('gridcell', { name: /can be marked/ }).first().waitFor();
    await watcher.locator('.table').waitFor();
    await picture(watcher, 'watch-1440x900');
    for (let i = 0, n = 0; n < 2 && i < 60; i++)
        n += await act(ana) === 'mark' ? 1 : 0;
    equal(own(ana), [], 'the console');
    equal(own(watcher), [], 'the console of a watcher');
});

await test('codes that lead nowhere', async () => {
    const page = await open(browser, url);
    await page.getByRole('textbox', { name: 'Table code' }).fill('ZZZZZZZZ');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('There is no table with this code.').waitFor();
    await page.goto(`${url}#watch`);
    await page.getByRole('heading', { name: 'Watch a game' }).waitFor();
    await page.goto(`${url}#friends`);
    await page.getByRole('heading', { name: 'My tables' }).waitFor();
    equal(own(page), [], 'the console');
});

await browser.close();
await stop('SIGTERM');
rmSync(folder, { recursive: true });
done();
