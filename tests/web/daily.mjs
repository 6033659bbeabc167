// daily.mjs SITE: the daily expedition's views in every state, with answers of a fake server (fakeday.mjs): before,
// begun, done, few results, offline, refused, a broken seal; the board, the calendar by keys, the comparison and the
// picture to share. Sizes, both themes, axe, German.
import { readFileSync } from 'node:fs';
import { look } from './axe.mjs';
import { done, equal, test, truth } from './check.mjs';
import { PHONE, go, launch, open, picture, serve, settled } from './site.mjs';
import { newCore, playOut } from './games.mjs';
import { fakeDay } from './fakeday.mjs';

const site = process.argv[2], host = await serve(site), browser = await launch();
const SIZES = [[390, 844], [320, 568], [820, 1180], [1366, 768]];
/** The same cards with other choices. */
const played = (level) => playOut(newCore(site), 3, 11, undefined, level).log();
const record = played('club'), friend = played('casual').replace('player 1 Ana', 'player 1 Jonas');
const SECRET = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';

/** Opens a page with such a server. */
async function visit(hash, how = {}, { settings = { name: 'Ana' }, options = {}, keep = {} } = {}) {
    const fake = fakeDay({ record, friend, ...how }), page = await open(browser, 'about:blank', options);
    await fake.on(page);
    await page.addInitScript((all) => {
        for (const [key, value] of Object.entries(all))
            if (localStorage.getItem(`pyramids.${key}`) === null)
                localStorage.setItem(`pyramids.${key}`, JSON.stringify(value));
    }, { visited: true, settings, ...keep });
    await page.goto(`${host.url}#${hash.replace('TODAY', fake.today).replace('YESTERDAY', fake.yesterday)}`);
    return { page, fake };
}

/** Elements that are wider than the screen or than their container. */
const misfits = () => [document.documentElement.scrollWidth - innerWidth, [...document.querySelectorAll(
    '.btn, .badge, .pill, .kpi, .cal button, .lb2 li')].filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth +
    1).map((e) => `${e.className}: ${e.textContent.trim().slice(0, 30)}`)];

const VIEWS = [['before', 'daily', {}, 'Everybody digs here today.'], ['result', 'daily/TODAY', { state: 'over', streak: 7 },
    'Where it was decided'], ['few', 'daily/TODAY', { state: 'over', count: 7 }, 'Against the table'],
    ['board', 'daily/board', { state: 'over' }, 'Leaderboard'], ['days', 'daily/days', {}, 'November|[A-Z]'],
    ['share', 'daily/TODAY/share', { state: 'over', streak: 7 }, 'For messengers'],
    ['compare', 'daily/TODAY/with/BBBBBBBB', { state: 'over' }, 'You and Jonas']];
for (const [name, hash, how, heading] of VIEWS)
    await test(`${name}: every size, by day and by night, English and German`, async () => {
        for (const language of ['en', 'de']) {
            const { page } = await visit(hash, how, { settings: { name: 'Ana', language } });
            await page.locator('.pl h1').first().waitFor();
            if (language === 'en')
                await page.getByRole('heading', { name: new RegExp(heading) }).first().waitFor();
            if (name === 'board') await page.locator('.lb2 li').first().waitFor();
            if (name === 'share') await page.locator('.shot').waitFor();
            if (name === 'compare') await page.locator('.cmp tbody tr').nth(27).waitFor();
            if (name === 'result') await page.locator('.moms, .bx .mut').last().waitFor();
            for (const [width, height] of language === 'en' ? SIZES : SIZES.slice(0, 2)) {
                await page.setViewportSize({ width, height });
                for (const colorScheme of language === 'en' ? ['light', 'dark'] : ['light']) {
                    await page.emulateMedia({ colorScheme });
                    await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
                    await settled(page);
                    await picture(page, `daily-${name}-${width}x${height}-${colorScheme}-${language}`);
                    equal(await page.evaluate(misfits), [0, []], `${language}, ${width}x${height}`);
                    if (language === 'en' && (width === 390 || width === 1366))
                        await look(page, `${width} ${colorScheme}`, { dark: colorScheme === 'dark' });
                }
            }
            equal(page.complaints, [], 'the console');
            await page.context().close();
        }
    });

await test('before: the way to the table, and what is said in each state', async () => {
    const { page, fake } = await visit('daily', {}, { options: PHONE });
    const button = page.getByRole('button', { name: 'Set out' });
    await page.getByText('412 played').waitFor();
    const box = await button.boundingBox();
    truth(box.y + box.height <= 844, 'Set out is on the first screen of a phone');
    equal(await page.locator('.week li').evaluateAll((all) => all.map((l) => l.className.trim())), ['lit', 'lit', 'lit',
        'lit', 'lit', 'lit', 'un now'], 'the torches');
    // The seal: a part of it, and all of it on demand.
    const seal = fake.answers['GET daily'].tomorrow.commitment;
    equal(await page.getByRole('button', { name: 'Show the whole seal' }).innerText(), `${seal.slice(0, 8)} … ${
        seal.slice(-8)}`, 'the seal');
    await page.getByRole('button', { name: 'Show the whole seal' }).tap();
    await page.getByRole('dialog').getByText(seal).waitFor();
    await page.getByRole('button', { name: 'Close' }).tap();
    equal(await page.evaluate(() => Object.values(JSON.parse(localStorage.getItem('pyramids.seals')))),
        [fake.answers['GET daily'].today.commitment, seal], 'both seals are remembered');
    await button.tap();
    await page.waitForURL(/#table\/AAAAAAAA$/);
    equal(fake.asked.filter((a) => a.startsWith('POST daily')), ['POST daily {}'], 'one attempt is asked for');
    await page.context().close();
    for (const [how, text] of [[{ state: 'running' }, 'Round 2, turn 5. Open until midnight UTC.'],
        [{ streak: 0 }, 'Your first torch is waiting.'],
        [{ status: 0 }, 'No connection. Today’s cards come from the server one by one.'],
        [{ status: 503 }, 'The expedition could not be opened. Your streak is safe until midnight.']]) {
        const { page: other } = await visit('daily', how);
        await other.getByText(text).waitFor();
        if (how.streak === 0)
            equal([await other.locator('.week').count(), await other.getByText('Yesterday').count()], [0, 0],
                'no streak, no yesterday');
        if (how.state)
            await other.getByRole('button', { name: 'Continue' }).waitFor();
        if (how.status === 503)
            await other.getByRole('button', { name: 'Try again' }).waitFor();
        await other.context().close();
    }
});

await test('without a network: a practice deal, the same for everybody, and it does not count', async () => {
    const cards = [];
    for (const name of ['Ana', 'Ben']) {
        const { page } = await visit('daily', { status: 0 }, { settings: { name }, options: PHONE });
        await page.getByRole('button', { name: 'Practice deal for today' }).tap();
        await page.getByRole('heading', { name: /Keep two/ }).waitFor();
        equal(await page.locator('.badge').innerText(), 'practice', 'the badge');
        cards.push(await page.getByRole('group', { name: 'Your four cards' }).getByRole('button').evaluateAll((all) =>
            all.map((b) => b.getAttribute('aria-label'))));
        await page.context().close();
    }
    equal(cards[0], cards[1], 'the same cards');
});

await test('refused: another identity on this device, a server that fails', async () => {
    const { page, fake } = await visit('daily', { refused: 'too_many' });
    await page.getByRole('button', { name: 'Set out' }).click();
    await page.getByText('The attempt that counts was already played on this device. Play without counting?').waitFor();
    await page.getByRole('button', { name: 'Play uncounted' }).click();
    await page.getByText('The expedition could not be opened.').waitFor();
    truth(fake.asked.some((a) => a.startsWith('POST daily {"again":true')), 'asked for uncounted');
    await page.context().close();
    const { page: other } = await visit('daily', { refused: 'storage' });
    await other.getByRole('button', { name: 'Set out' }).click();
    await other.getByText('The expedition could not be opened. Your streak is safe until midnight.').waitFor();
    await other.getByRole('button', { name: 'Try again' }).click();
    await other.getByRole('button', { name: 'Set out' }).waitFor();
    await other.context().close();
});

await test('the result: numbers, heap, words for those who listen, ways on', async () => {
    const { page, fake } = await visit('daily', { state: 'over', streak: 7 });
    await page.waitForURL(new RegExp(`#daily/${fake.today}$`));
    await page.getByRole('heading', { name: `${fake.points} points` }).waitFor();
    const heap = page.getByRole('img', { name: /412 results from \d+ to \d+, median \d+/ });
    await heap.waitFor();
    truth((await heap.getAttribute('aria-label')).includes(`Yours, ${fake.points}, is ahead of 78%.`), 'the own result');
    equal(await heap.locator('g.me .blk').count() > 0, true, 'the own column');
    truth(await heap.locator('g').evaluateAll((all) => Math.max(...all.map((g) => g.querySelectorAll('.blk').length)) <= 12),
        'at most twelve blocks high');
    await page.getByText(`${fake.points} points. You won. Ahead of 78 percent. 7 days in a row.`).waitFor({ state:
        'attached' });
    await page.getByRole('button', { name: 'As a table' }).click();
    const sums = await page.getByRole('dialog').locator('tbody td').allInnerTexts();
    const all = fake.answers[`GET daily/${fake.today}`].results.bins.reduce((a, b) => a + b[1], 0);
    equal(sums.reduce((a, n) => a + Number(n), 0), all, 'all results are in the table');
    await page.getByRole('button', { name: 'Close' }).click();
    const points = [...record.matchAll(/^score \d (-?\d+)/gm)].map((m) => m[1]);
    equal(await page.locator('.vs b.mid').allInnerTexts(), points, 'the table’s three');
    // The analysis runs in the page; each row leads to its line of the replay.
    await page.locator('.moms a, .moms li').first().waitFor();
    for (const href of await page.locator('.moms a').evaluateAll((as) => as.map((a) => a.getAttribute('href'))))
        truth(/^#replay\/AAAAAAAA\/\d+$/.test(href), href);
    equal(await page.getByRole('link', { name: 'Place 91 of 412' }).getAttribute('href'), `#daily/board/${fake.today}`,
        'the way to the board');
    await page.getByRole('button', { name: 'Play again' }).click();
    await page.waitForURL(/#table\/AAAAAAAA$/);
    truth(fake.asked.some((a) => a.startsWith(`POST daily {"date":"${fake.today}","again":true`)), 'uncounted');
    await page.context().close();
});

await test('few results: no percentage, single stones', async () => {
    const { page } = await visit('daily/TODAY', { state: 'over', count: 7 });
    await page.getByText('You are number 7 here today. The chart appears once there are 20 results.').waitFor();
    equal([await page.getByText(/ahead of/i).count(), await page.locator('.heap .blk').count()], [0, 7], 'stones');
    await page.context().close();
});

await test('a seal that is broken is said in red and stays; a good one is confirmed', async () => {
    for (const wrong of [true, false]) {
        const { page } = await visit('daily/YESTERDAY', { state: 'over', secret: SECRET, wrong }), can = await page.evaluate(
            () => fetch('pyramids.wasm').then((r) => r.arrayBuffer()).then((b) => WebAssembly.compile(b)).then((m) =>
                WebAssembly.Module.exports(m).some((e) => e.name === 'local_daily')));
        if (!can)
            truth(false, 'the engine deals no days');
        if (wrong) {
            await page.getByRole('alert').getByText(/do not match their seal\./).waitFor();
            await page.getByRole('button', { name: 'How the cards are checked' }).click();
            await page.getByRole('dialog').getByText('pyramids verify game.pyr').waitFor();
        } else {
            await page.getByText(/^Shuffle verified against the seal of /).waitFor();
            equal(await page.getByRole('alert').count(), 0, 'no alarm');
        }
        await page.context().close();
    }
    // A server that changes a seal after it was shown.
    const { page, fake } = await visit('daily', { streak: 6 });
    await page.getByText('412 played').waitFor();
    await page.evaluate((date) => localStorage.setItem('pyramids.seals', JSON.stringify({ [date]: '0'.repeat(64) })),
        fake.yesterday);
    await page.reload();
    await page.getByRole('alert').getByText('0'.repeat(64)).waitFor();
    await page.context().close();
});

await test('the board: podium, equal places, the own row, order and time by keys', async () => {
    const { page, fake } = await visit('daily/board', { state: 'over' }, { options: PHONE });
    await page.locator('.lb2 li').first().waitFor();
    equal(await page.locator('.pod li').evaluateAll((all) => all.map((l) => l.innerText.replace(/\s+/g, ' ').trim())),
        ['Idris 138 Rank 1', 'Chloé Mei 136 Rank 2'], 'equal points share a block');
    const own = page.locator('.lb2 li.me'), box = await own.boundingBox();
    truth(box.y + box.height <= 844, 'the own row is on the screen');
    await page.getByRole('radio', { name: 'Day' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('radio', { name: 'Week', checked: true }).waitFor();
    await page.getByRole('radio', { name: 'People I know' }).tap();
    const second = page.waitForResponse((response) => response.url().endsWith('by=people&page=2'));
    await page.getByRole('button', { name: 'Next' }).tap();
    await page.getByText('Page 2 of 2').waitFor();
    await second;
    for (const query of ['period=week&by=points&page=1', 'period=week&by=people&page=1', 'period=week&by=people&page=2'])
        truth(fake.asked.includes(`GET daily/${fake.today}/board?${query}`), query);
    equal(await page.getByRole('link', { name: /Jonas/ }).getAttribute('href'), `#daily/${fake.today}/with/BBBBBBBB`,
        'a game to compare with');
    await page.context().close();
});

await test('the calendar by keys and by ear', async () => {
    const { page, fake } = await visit('daily/days');
    const grid = page.getByRole('grid'), at = () => page.evaluate(() => document.activeElement.dataset.date);
    await grid.locator('.won, .ply').first().waitFor();
    const later = (date, days) => new Date(Date.parse(date) + days * 864e5).toISOString().slice(0, 10);
    await page.locator(`[data-date="${fake.today}"]`).focus();
    truth(/today, not played$/.test(await page.locator(`[data-date="${fake.today}"]`).getAttribute('aria-label')), 'today');
    await page.keyboard.press('ArrowUp');
    equal(await at(), later(fake.today, -7), 'a week back');
    await page.keyboard.press('ArrowLeft');
    equal(await at(), later(fake.today, -8), 'a day back');
    await page.keyboard.press('PageUp');
    const before = await at();
    truth(before < later(fake.today, -8) && before > later(fake.today, -42), `a month back: ${before}`);
    await page.keyboard.press('PageDown');
    equal((await at()).slice(0, 7), later(fake.today, -8).slice(0, 7), 'and forth');
    equal(await grid.locator('[tabindex="0"]').count(), 1, 'one stop for Tab');
    // The selection is shown.
    await page.locator(`[data-date="${later(fake.today, 1)}"]`).click().catch(() => {});
    await page.context().close();
});

await test('two games are compared turn by turn, and not before the own one is over', async () => {
    const { page } = await visit('daily/TODAY/with/BBBBBBBB', { state: 'over' }), rows = page.locator('.cmp tbody tr');
    await rows.nth(27).waitFor();
    const last = (await rows.nth(27).locator('td').allInnerTexts()).map((t) => t.split('\n')[0].trim());
    const [mine, theirs] = [record, friend].map((r) => Number(/^score 1 (-?\d+)/m.exec(r)[1]));
    equal([Number(last[0]), Number(last[1])], [mine, theirs], 'the final scores');
    await page.context().close();
    const { page: early, fake } = await visit('daily/TODAY/with/BBBBBBBB', { state: 'running' });
    await early.getByText('Games can be compared when your own expedition is over.').waitFor();
    truth(!fake.asked.some((a) => a.includes('tables/')), 'no record is asked for');
    await early.context().close();
});

await test('the picture and the text to share: the same for the same numbers, nothing of the cards', async () => {
    const { page, fake } = await visit('daily/TODAY/share', { state: 'over', streak: 7 });
    const shot = page.locator('.shot'), svg = async () => decodeURIComponent((await shot.getAttribute('src')).replace(
        'data:image/svg+xml,', ''));
    await shot.waitFor();
    const wide = await svg();
    equal(await shot.evaluate((i) => i.decode().then(() => [i.naturalWidth, i.naturalHeight])), [1200, 630], 'wide');
    await page.getByRole('radio', { name: 'Wide' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('radio', { name: 'Square', checked: true }).waitFor();
    equal(await shot.evaluate((i) => i.decode().then(() => [i.naturalWidth, i.naturalHeight])), [1080, 1080], 'square');
    const square = await svg();
    for (const text of [wide, square]) {
        truth(!/Ana|Ben|Chloé|class=|style=/.test(text), 'no names, nothing that depends on the page’s styles');
        equal([...text.matchAll(/<text[^>]*>([^<]*)</g)].map((m) => m[1]).filter((t) => /\d/.test(t)), ['Expedition 128',
            `${fake.points}`, ...(text === wide ? ['ahead of 78%'] : ['points, ahead of 78%']), '7 days in a row'],
            'its numbers');
    }
    const [first, second, third, address] = (await page.locator('.msg').innerText()).split('\n');
    equal(first, `Pyramids 128 · ${fake.points} points, ahead of 78%`, 'first line');
    truth(/^▲+ \d+ pyramids · torches [■□]{4}$/.test(second), second);
    equal([third, address], ['7 days in a row. The same cards for everybody:', `${host.url}#daily`], 'and the address');
    // A PNG of the right size, and the SVG itself.
    for (const [name, kind] of [['PNG', 'png'], ['SVG', 'svg']]) {
        const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
        equal(file.suggestedFilename(), `pyramids-128-square.${kind}`, 'the name of the file');
        const data = readFileSync(await file.path());
        if (kind === 'png')
            equal([data.subarray(1, 4).toString(), data.readUInt32BE(16), data.readUInt32BE(20)], ['PNG', 1080, 1080],
                'PNG');
        else
            equal(data.toString(), square, 'SVG');
    }
    // Another game with the same totals gives the same picture.
    await page.reload();
    await shot.waitFor();
    equal(await svg(), wide, 'the same bytes');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('the first page: expedition, torches, what leads', async () => {
    const { page } = await visit('', {});
    await page.getByRole('link', { name: 'Set out' }).waitFor();
    equal(await page.locator('#app .btn.pri').count(), 1, 'one filled button');
    await page.context().close();
    // A visitor who has played here, but never at a table, is invited to set out, too.
    const { page: known } = await visit('', {}, { keep: { visited: false } });
    await known.getByRole('link', { name: 'Set out' }).waitFor();
    await known.context().close();
    const { page: begun } = await visit('', { state: 'running' });
    await begun.getByText('Round 2, turn 5. Open until midnight UTC.').waitFor();
    equal(await begun.getByRole('link', { name: 'Continue' }).getAttribute('href'), '#table/AAAAAAAA', 'to the table');
    await begun.locator('.brd .mini').nth(1).waitFor();
    await begun.context().close();
    const { page: over, fake } = await visit('', { state: 'over' });
    await over.getByText(`${fake.points} points, place 91 of 412`).waitFor();
    await over.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await go(over, 'daily');
    await over.waitForURL(new RegExp(`#daily/${fake.today}$`));
    await over.context().close();
});

await browser.close();
host.close();
done();
