// home.mjs SITE: the first page offers one next thing: which one is prominent in every situation, rows for the others, no
// entry twice, the main button visible without scrolling at every size, in both themes, for axe and by keyboard.
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
import { look } from './axe.mjs';
import { done, equal, test, truth } from './check.mjs';
import { launch, open, picture, serve, settled } from './site.mjs';
import { kept, newCore, playOut, saved } from './games.mjs';

const site = process.argv[2], host = await serve(site), browser = await launch();
const { decide } = await import(pathToFileURL(new URL('../../web/next.js', import.meta.url).pathname));

const midgame = playOut(newCore(site), 3, 7, (v) => v.phase === 'mark' && v.round === 1 && v.turn === 4, 'club');
const over = playOut(newCore(site), 2, 11);
const SIZES = [[390, 844], [320, 568], [820, 1180], [1366, 768]];

await test('what leads, in all situations', () => {
    let tried = 0;
    for (const waiting of [0, 1, 3])
        for (const daily of ['none', 'away', 'open', 'begun', 'over'])
            for (const puzzle of ['none', 'open', 'solved'])
                for (let bits = 0; bits < 8; bits++) {
                    const game = (bits & 1) > 0, lessons = (bits & 2) > 0, known = (bits & 4) > 0, others = bits % 3;
                    const { lead, rows } = decide({ waiting, daily, puzzle, game, lessons, known, others });
                    // The fixed order of the design, as a list of conditions.
                    const wanted = [[waiting > 0, 'table'], [daily === 'begun', 'daily'], [game, 'game'], [lessons,
                        'lessons'], [!known, 'first'], [daily === 'open', 'daily'], [puzzle === 'open', 'puzzle'], [true,
                        'play']].find(([is]) => is)[1];
                    equal(lead, wanted, JSON.stringify({ waiting, daily, puzzle, game, lessons, known }));
                    const count = (kind) => rows.filter((r) => r === kind).length + (lead === kind ? 1 : 0);
                    equal([count('table'), count('daily'), count('puzzle'), count('game'), count('other')], [waiting,
                        daily === 'none' ? 0 : 1, puzzle === 'open' ? 1 : 0, game ? 1 : 0, others], 'each once');
                    const order = ['table', 'daily', 'puzzle', 'game', 'other'].flatMap((k) => rows.filter((r) => r === k));
                    equal(rows, order, 'the order of rows');
                    tried++;
                }
    equal(tried, 360, 'situations');
});

await test('the card of the first page is one of the classic edition', async () => {
    const source = readFileSync(new URL('../../web/home.js', import.meta.url), 'utf8');
    const card = newCore(site).edition.cards[12];
    const [, number, colour, cells] = /number: (\d+), colour: '(\w+)', cells: '([^']+)'/.exec(source);
    equal([Number(number), colour, cells], [card.number, card.colour, card.cells], 'card 12');
});

/** Name, contents of the browser's storage, label of the main button, headings and links that must exist. */
const VISITS = [
    ['new', {}, 'Start', ['Your first pyramid', 'Just play', 'With friends']],
    ['lessons', { learn: { at: 3, done: [0, 1, 2] } }, 'Step 4 of 10', ['Lessons', 'Against the computer']],
    ['game', { game: saved(midgame, [0], 'club'), settings: { name: 'Ana', opponents: 2, level: 'club' } }, 'Continue',
        ['Continue against Club']],
    ['played', { games: [kept(over)], settings: { name: 'Ana' } }, 'Solve', ['Puzzle of the day', 'Against the computer',
        'With friends']],
];

async function visit(page, keep) {
    await page.evaluate((all) => {
        localStorage.clear();
        for (const [key, value] of Object.entries(all))
            localStorage.setItem(`pyramids.${key}`, JSON.stringify(value));
    }, keep);
    await page.goto(`${host.url}?${Math.random()}`);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
}

const page = await open(browser, host.url);
for (const [name, keep, button, headings] of VISITS)
    await test(`${name}: one filled button, at every size, by day and by night`, async () => {
        page.complaints.length = 0;
        await visit(page, keep);
        if (name === 'game')
            await page.locator('.brd .mini').nth(1).waitFor();
        for (const heading of headings)
            await page.getByRole('heading', { name: heading, exact: true }).waitFor();
        for (const [width, height] of SIZES) {
            await page.setViewportSize({ width, height });
            for (const colorScheme of ['light', 'dark']) {
                await page.emulateMedia({ colorScheme });
                await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
                await settled(page);
                await picture(page, `home-${name}-${width}x${height}-${colorScheme}`);
                const seen = await page.evaluate(() => {
                    const all = [...document.querySelectorAll('#app .btn.pri')].filter((b) => b.checkVisibility());
                    const box = all[0].getBoundingClientRect(), links = [...document.querySelectorAll('#app a[href]')].map(
                        (a) => a.getAttribute('href'));
                    return { filled: all.map((b) => b.textContent.trim()),
                        low: box.bottom <= innerHeight && box.height >= 44,
                        wide: document.documentElement.scrollWidth - innerWidth,
                        twice: links.filter((l, i) => links.indexOf(l) < i),
                        small: [...document.querySelectorAll('#app .btn, #app .iconbtn, #app .hop, #app .links a')].filter((
                            e) => e.checkVisibility() && e.getBoundingClientRect().height < 44).length };
                });
                equal(seen, { filled: [button], low: true, wide: 0, twice: [], small: 0 }, `${width}x${height}`);
                if (width === 390 || width === 1366)         // the other widths look the same
                    await look(page, `${width}, ${colorScheme}`, { dark: colorScheme === 'dark' });
            }
        }
        equal(page.complaints, [], 'the console');
    });

await test('a table before the first turn has no round yet', async () => {
    const seats = [{ kind: 'person', name: 'Ana', ready: true }, { kind: 'person', name: 'Dora', ready: false }];
    const phone = await open(browser, `${host.url}#nowhere`);
    await phone.route('**/api/**', (route) => /my\/tables$/.test(route.request().url()) ? route.fulfill({ json: { tables: [
        { code: 'AAAA2222', state: 'running', clock: 'none', you: 1, seats }] } }) : route.fulfill({ json: {} }));
    await visit(phone, { visited: true, settings: { name: 'Ana' } });
    const row = phone.locator('[href="#table/AAAA2222"]');
    await row.waitFor();
    equal(await row.innerText(), 'Table with Dora\nThe players are choosing their first cards', 'the row');
    await phone.context().close();
});

await test('by keys: the settings of a game, and the way to what leads', async () => {
    await page.setViewportSize({ width: 1366, height: 768 });
    await visit(page, {});
    await page.getByRole('button', { name: '1 opponent, Novice' }).focus();
    await page.keyboard.press('Enter');
    const box = page.getByRole('dialog', { name: 'Against the computer' });
    await box.getByRole('radio', { name: '1', checked: true }).focus();
    await page.keyboard.press('ArrowRight');
    await box.getByRole('radio', { name: '2', checked: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await box.getByRole('radio', { name: 'Casual', checked: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: '2 opponents, Casual' }).waitFor();
    equal(await page.evaluate(() => document.activeElement.dataset.a), 'opponents', 'the focus comes back');
    await page.getByRole('link', { name: 'Start', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'A pyramid card' }).waitFor();
    truth(page.url().endsWith('#learn/1'), 'the first lesson');
});

await page.context().close();
await browser.close();
host.close();
done();
