// record.mjs PROGRAM SITE: a player's games and profile: from this browser alone, and with a server; the link that shows the
// profile, and the removal of one's data.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture, serve, settled } from './site.mjs';
import { kept, newCore, playOut } from './games.mjs';

const [, , program, site] = process.argv, browser = await launch(), host = await serve(site);
const cores = [1, 2, 3, 4, 5, 6].map((seed) => playOut(newCore(site), 2 + seed % 2, seed, undefined, 'novice'));
const list = cores.map((core, i) => ({ ...kept(core, String(70 + i)), date: 1794700800000 + 86400000 * 9 * i,
    record: core.log().replace('\ndeal ', '\ntag bot 2 novice\ndeal ') }));
const judged = cores.map((core) => [core.lines(), core.analyse(16, 1n)]);
const SIZES = [[390, 844], [320, 568], [820, 1180], [1366, 768]];

async function prepared(url, options) {
    const page = await open(browser, `${url}#nowhere`, options);
    await page.evaluate(async ([all, found]) => {
        localStorage.setItem('pyramids.games', JSON.stringify(all));
        const { gameKey, keepAnalysis } = await import('./analysis.js').catch(() => ({}));
        if (gameKey)
            found.forEach(([lines, one]) => keepAnalysis(gameKey(lines), one, true));
    }, [list, judged]);
    return page;
}

/** Nothing is wider than the window. */
async function fits(page, name) {
    for (const [width, height] of SIZES)
        for (const colorScheme of ['light', 'dark']) {
            await page.setViewportSize({ width, height });
            await page.emulateMedia({ colorScheme });
            await settled(page);
            truth(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} at ${width}`);
            await picture(page, `${name}-${width}-${colorScheme}`);
        }
}

await test('games of this browser: months, search, filters, and the old address', async () => {
    const page = await prepared(host.url, PHONE);
    await page.goto(`${host.url}?x#replays`);
    await page.getByRole('heading', { name: 'Games', level: 1 }).waitFor();
    equal(new URL(page.url()).hash, '#games', 'the new address');
    const rows = page.locator('.pastrow'), won = cores.filter((core) => core.winners().includes(0)).length;
    equal(await rows.count(), 6, 'all games');
    truth(await page.locator('.month').count() > 1, 'months');
    equal(await rows.first().getAttribute('href'), '#replay/75', 'the latest first');
    await page.getByRole('radio', { name: 'Won' }).click();
    equal(await rows.count(), won, 'those that were won');
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
    const page = await prepared(host.url, DESKTOP);
    await page.goto(`${host.url}?x#profile`);
    await page.getByRole('heading', { name: 'Points, game by game' }).waitFor();
    equal(await page.locator('.pts path').count(), 6, 'a pyramid for each game');
    equal(await page.locator('.pts .won').count(), cores.filter((core) => core.winners().includes(0)).length, 'gold ones');
    truth(await page.getByRole('img', { name: /Your best game/ }).count() === 1, 'the picture has words');
    await page.getByText('As a table').first().click();
    truth(await page.locator('.fact table').first().isVisible(), 'the table');
    await page.getByRole('heading', { name: /Your pyramids/ }).waitFor();
    await page.getByRole('heading', { name: 'Head to head' }).waitFor();
    await fits(page, 'profile');
    await page.context().close();
    const empty = await open(browser, `${host.url}#profile`, PHONE);
    await empty.getByText('5 more games to a picture.').first().waitFor();
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
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();     // it is shown: no clipboard
    await page.getByText('Whoever has the link sees this page').waitFor();
    const other = await open(browser, `${url}#profile/${key}`, PHONE);
    await other.getByRole('heading', { name: 'Ana', exact: true }).waitFor();
    equal(await other.getByRole('button', { name: 'Share' }).count(), 0, 'others do not share it');
    await page.getByRole('button', { name: 'Withdraw the link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Only you see this page.').waitFor();
    await other.reload();
    await other.getByText('This link shows no profile any more.').waitFor();
    await page.goto(`${url}?y#games`);
    await page.getByRole('button', { name: 'Remove my data' }).click();
    await page.getByText('your rating').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Your data was removed.').first().waitFor();
    equal(await page.evaluate(() => fetch('api/visitor').then((r) => r.status)), 401, 'nobody is known');
});

server.kill('SIGTERM');
await browser.close();
host.close?.();
done();
