// expedition.mjs PYRAMIDS: the daily expedition of the page with the real server: the same cards for two visitors, one
// counted attempt that can be left and resumed, and how the table shows it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open } from './site.mjs';
import { act } from './player.mjs';

const folder = mkdtempSync(join(tmpdir(), 'pyramids-'));
const server = spawn(process.argv[2], ['serve', '--port', '0', '--database', join(folder, 'games.db'),
    '--no-browser'],
    { stdio: ['ignore', 'pipe', 'ignore'] });
const url = await new Promise((found) => {
    let text = '';
    server.stdout.on('data', (data) => {
        text += data;
        const [address] = /http:\/\/\S+/.exec(text) ?? [];
        if (address && text.includes('\n'))
            found(address);
    });
});
const browser = await launch();
const cards = (page) => page.getByRole('group', { name: 'Your four cards' }).getByRole('button').evaluateAll((all) =>
    all.map((b) => b.getAttribute('aria-label')));

/** From the first page to the first choice. */
async function setOut(options) {
    const page = await open(browser, url, options);
    await page.getByRole('link', { name: /^Today’s expedition/ }).click();
    await page.getByRole('button', { name: 'Set out' }).click();
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    return page;
}

await test('two visitors get the same cards; the attempt counts, has no hints, and is resumed', async () => {
    const ana = await setOut(PHONE), ben = await setOut(DESKTOP), tap = (l) => l.tap();
    equal(await cards(ana), await cards(ben), 'the cards');
    equal([(await ana.locator('.badge').innerText()).trim(), (await ben.locator('.badge').innerText()).trim()],
        ['1', '1 · counted'], 'the badge');
    await act(ana);
    await ana.locator('.table').waitFor();
    equal(await ana.getByRole('button', { name: 'Hint' }).count(), 0, 'no hint');
    await ana.locator('[data-a=menu]:visible').first().tap();
    await ana.getByRole('button', { name: 'Leave: you can continue until midnight UTC' }).tap();
    // It leads the first page, with its real boards, and is the same table.
    const go = ana.getByRole('link', { name: 'Continue', exact: true });
    await ana.locator('.brd .mini').nth(1).waitFor();
    const shown = (await ana.locator('.brd .tag').allInnerTexts()).map((t) => t.trim()).sort();
    await go.tap();
    await ana.locator('.table .cards-in article').nth(1).waitFor();
    equal((await ana.locator('.cards-in article').evaluateAll((all) => all.map((a) => a.dataset.n))).sort(), shown,
        'the cards of the table');
    const again = await ana.evaluate(() => fetch('api/daily', { method: 'POST', body: '{}', headers: { 'content-type':
        'application/json' } }).then(async (r) => [r.status, (await r.json()).table?.code]));
    equal(again, [200, ana.url().split('/').pop()], 'no second counted attempt: the same table');
    truth(await ana.evaluate(() => fetch('api/daily').then((r) => r.json()).then((d) => !('secret' in d.today))),
        'no secret');
    equal([ana.complaints, ben.complaints], [[], []], 'the console');
    await ben.context().close();
    await ana.context().close();
});

await browser.close();
server.kill();
rmSync(folder, { recursive: true, force: true });
done();
