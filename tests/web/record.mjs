// record.mjs PROGRAM SITE: a player's games and profile: from this browser alone, and with a server; the public link to
// the profile, and the deletion of all data.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { look } from './axe.mjs';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture, serve, settled } from './site.mjs';
import { analysed, kept, newCore, playOut } from './games.mjs';

const [, , program, site] = process.argv, browser = await launch(), host = await serve(site);
const cores = [1, 2, 3, 4, 5, 6].map((seed) => playOut(newCore(site), 2 + seed % 2, seed, undefined, 'novice'));
const list = cores.map((core, i) => ({ ...kept(core, String(70 + i)), date: 1794700800000 + 86400000 * 9 * i,
    record: core.log().replace('\ndeal ', `\ntag bot 2 novice\n${i === 2 ? 'tag practice 2026-11-18\n' : ''}deal `) }));
const remembered = Object.assign({ games: list }, ...cores.map((core) => analysed(core, core.analyse(16, 1n))));
const SIZES = [[390, 844], [320, 568], [820, 1180], [1366, 768]];

/** Nothing is wider than the window. */
async function fits(page, name) {
    for (const [width, height] of SIZES)
        for (const colorScheme of ['light', 'dark']) {
            await page.setViewportSize({ width, height });
            await page.emulateMedia({ colorScheme });
            await settled(page);
            truth(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} at ${width}`);
            if (width === 390 || width === 1366 && colorScheme === 'light')
                await look(page, `${name}, ${width}, ${colorScheme}`, { dark: colorScheme === 'dark' });
            await picture(page, `${name}-${width}-${colorScheme}`);
        }
}

await test('games of this browser: months, search, filters, and the old address', async () => {
    const page = await open(browser, `${host.url}#replays`, { ...PHONE, kept: remembered });
    await page.getByRole('heading', { name: 'Games', level: 1 }).waitFor();
    equal(new URL(page.url()).hash, '#games', 'the new address');
    const rows = page.locator('.pastrow'), won = cores.filter((core) => core.winners().includes(0)).length;
    equal(await rows.count(), 6, 'all games');
    truth(await page.locator('.month').count() > 1, 'months');
    equal(await rows.first().getAttribute('href'), '#replay/75', 'the latest first');
    await page.getByRole('radio', { name: 'Won' }).click();
    equal(await rows.count(), won, 'those that were won');
    for (const [name, count] of [['Expeditions', 1],
        ['With people', cores.filter((core) => core.names().length > 2).length]]) {
        await page.getByRole('radio', { name }).click();
        equal(await rows.count(), count, name);
    }
    await page.getByRole('radio', { name: 'All' }).click();
    await page.getByRole('searchbox').fill('nObody');
    await page.getByText('Nothing for “nObody”.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    equal(await rows.count(), 6, 'all again');
    const points = String(cores[0].view(-1).scores[0].total);
    await page.getByRole('searchbox').fill(points);
    truth(await rows.count() >= 1, 'found by points');
    await page.getByRole('searchbox').fill('');
    await fits(page, 'games');
    // A game's menu: its record, and deletion.
    const more = page.getByRole('button', { name: /^More:/ }), dialog = page.getByRole('dialog');
    await more.first().click();
    const [one] = await Promise.all([page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Save the record' }).click()]);
    equal(readFileSync(await one.path(), 'utf8'), list[5].record, 'the record of the latest');
    await more.first().click();
    await dialog.getByRole('button', { name: 'Remove from this device' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.locator('[href="#replay/75"]').waitFor({ state: 'detached' });
    equal(await rows.count(), 5, 'one less');
    await page.evaluate((all) => localStorage.setItem('pyramids.games', JSON.stringify(all)), list);
    await page.reload();
    await rows.nth(5).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save all records' }).click()]);
    equal(readFileSync(await file.path(), 'utf8').match(/^pyramids-record 1$/gm).length, 6, 'all records');
    await page.getByRole('button', { name: 'Remove my data' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Your games will be kept here.').waitFor();
    equal(await page.evaluate(() => localStorage.getItem('pyramids.games')), null, 'nothing is kept');
    await page.context().close();
});

await test('the profile of this browser: findings with pictures, and the same as tables', async () => {
    const page = await open(browser, `${host.url}#profile`, { ...DESKTOP, kept: remembered });
    await page.getByRole('heading', { name: 'Points, game by game' }).waitFor();
    equal(await page.locator('.pts path').count(), 6, 'a pyramid for each game');
    equal(await page.locator('.pts .won').count(), cores.filter((core) => core.winners().includes(0)).length, 'gold ones');
    truth(await page.getByRole('img', { name: /Your best game/ }).count() === 1, 'the picture has words');
    const points = page.locator('.pts path').first(), address = page.url();
    await points.click();
    await page.waitForURL(/#replay\/70$/);
    await page.goBack();
    equal(page.url(), address, 'back from the game that was touched in the picture');
    await page.getByText('As a table').first().click();
    equal(await page.locator('.fact td a').first().getAttribute('href'), '#replay/70', 'the same from the table');
    truth(await page.locator('.fact table').first().isVisible(), 'the table');
    await page.getByRole('heading', { name: /Your pyramids/ }).waitFor();
    await page.getByRole('heading', { name: 'Head to head' }).waitFor();
    await fits(page, 'profile');
    await page.context().close();
    const empty = await open(browser, `${host.url}#profile`, PHONE);
    await empty.getByText('5 more games until the chart appears.').first().waitFor();
    equal(await empty.getByText('rating').count(), 0, 'no rating without a server');
    equal(empty.complaints, [], 'a server that may not be there is not asked');
    await empty.context().close();
});

const folder = mkdtempSync(join(tmpdir(), 'pyramids-')), ready = join(folder, 'ready');
const server = spawn(program, ['serve', '--port', '0', '--database', join(folder, 'a.db'), '--no-browser', '--quiet',
    '--ready-file', ready], { stdio: 'ignore' });
while (server.exitCode === null && !(existsSync(ready) && readFileSync(ready, 'utf8').endsWith('\n')))
    await new Promise((go) => setTimeout(go, 25));
const url = readFileSync(ready, 'utf8').trim();

await test('with a server: the link shows the profile until it is withdrawn, and all data can be removed', async () => {
    const page = await open(browser, `${url}#nowhere`, DESKTOP);
    await page.evaluate(() => fetch('api/visitor', { method: 'POST', body: '{"name":"Ana"}', headers: { 'content-type':
        'application/json' } }).then(() => localStorage.setItem('pyramids.visited', 'true')));
    await page.goto(`${url}?x#profile`);
    await page.getByRole('heading', { name: 'Ana', exact: true }).waitFor();
    await page.getByText('rating: after 10 games').waitFor();
    await page.getByText('Only you see this page.').waitFor();
    const [answer] = await Promise.all([page.waitForResponse(/profile\/link/),
        page.getByRole('button', { name: 'Share' }).click()]);
    const { key } = await answer.json();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();     // shown: no clipboard
    await page.getByText('Anyone with the link can see this page').waitFor();
    const other = await open(browser, `${url}#profile/${key}`, PHONE);
    await other.getByRole('heading', { name: 'Ana', exact: true }).waitFor();
    equal(await other.getByRole('button', { name: 'Share' }).count(), 0, 'others do not share it');
    await page.getByRole('button', { name: 'Withdraw the link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Only you see this page.').waitFor();
    await other.reload();
    await other.getByText('This link no longer leads to a profile.').waitFor();
    await page.goto(`${url}?y#games`);
    await page.getByRole('button', { name: 'Remove my data' }).click();
    await page.getByText('your rating').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Your data was removed.').first().waitFor();
    equal(await page.evaluate(() => fetch('api/visitor').then((r) => r.status)), 401, 'nobody is known');
});

await test('ratings: the leaderboard, page by page, with one\'s own row; and none yet', async () => {
    const page = await open(browser, `${url}#profile`, PHONE);
    await page.evaluate(() => fetch('api/visitor', { method: 'POST', body: '{"name":"Eva"}', headers: { 'content-type':
        'application/json' } }).then(() => localStorage.setItem('pyramids.visited', 'true')));
    await page.goto(`${url}?r#profile`);
    await page.getByRole('link', { name: 'Ratings' }).click();
    await page.getByText('No one has 10 rated games yet.').waitFor();
    const row = (n) => ({ name: `Player ${n}`, place: n, value: 1800 - n, deviation: 60 + n, games: 10 + n,
        provisional: n > 1, ...(n === 2 ? { you: true } : {}) });
    await page.route('**/api/ratings*', (route) => route.fulfill({ json: new URL(route.request().url()).searchParams.get(
        'from') === '2' ? { ratings: [row(3)], least: 10 } : { ratings: [row(1), row(2)], least: 10, next: 2 } }));
    await page.reload();
    const rows = page.locator('.ranks li');
    await rows.nth(1).waitFor();
    equal((await rows.allInnerTexts()).map((t) => t.replace(/\s+/g, ' ')), ['1 Player 1 11 games 1799 ± 61',
        '2 Player 2 12 games · provisional 1798 ± 62'], 'the first page');
    equal(await page.locator('.ranks .me').innerText().then((t) => t.includes('Player 2')), true, 'one\'s own');
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(2).waitFor();
    equal(await page.getByRole('button', { name: 'Show more' }).count(), 0, 'that is all');
    await fits(page, 'ratings');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

server.kill('SIGTERM');
await browser.close();
host.close?.();
done();
