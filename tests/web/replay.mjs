// replay.mjs SITE: the replay: where it opens, what it draws, whether it fits, the timeline by keyboard, touch and mouse.
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture, serve, settled } from './site.mjs';
import { analysed, kept, newCore, playOut } from './games.mjs';

const site = process.argv[2], host = await serve(site), browser = await launch();
const two = playOut(newCore(site), 2, 11, undefined, 'casual'), four = playOut(newCore(site), 4, 12, undefined, 'casual');
const MOVES = /^(keep|mark|take|draw|points|winner) /;

/** The moves of a record, each with its line and its turn from 0. */
function movesOf(core) {
    let turn = -1;
    return core.lines().flatMap((text, line) => {
        turn += text.startsWith('reveal ') ? 1 : 0;
        return MOVES.test(text) ? [{ text, line, turn }] : [];
    });
}

/** A quick analysis is enough for all checks here. */
const judged = two.analyse(2000, 1n), known = new Map([[two, analysed(two, judged)], [four, analysed(four)]]);

async function watch(core, options, place = '', analysis = known.get(core)) {
    const page = await open(browser, `${host.url}#replay/77${place}`, { ...options, kept: { games: [kept(core)],
        ...analysis }, scripts: analysis ? [] : [() => { Worker.prototype.postMessage = () => {}; }] });
    await page.locator('.bigc:visible, .rp-end').first().waitFor();
    return page;
}

const slider = (page) => page.getByRole('slider', { name: /Chance to win/ });
const at = async (page) => Number(await slider(page).getAttribute('aria-valuenow')) - 1;

await test('it opens after round 1, and at the costliest turning point once there is an analysis', async () => {
    const moves = movesOf(two), last = moves.map((m) => m.turn === 6 && m.text.startsWith('mark ')).lastIndexOf(true);
    const none = await watch(two, DESKTOP, '', null);
    equal(await at(none), last, 'the last marks of round 1');
    truth(await none.locator('.bigc .pen').count() > 0, 'the cards are not empty');
    await none.context().close();
    const page = await watch(two, DESKTOP), { decisions } = judged;
    const worst = decisions.filter((d) => d.mark).sort((a, b) => b.winLost - a.winLost || b.lost - a.lost)[0];
    equal(moves[await at(page)].line, worst.line, 'the costliest');
    equal(await page.locator('.wr [aria-current]').getAttribute('data-line'), String(worst.line), 'and the list shows it');
    equal(await page.locator('.rp-stage .verdict b').innerText(), worst.mark, 'its mark');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('nothing lies below the fold, and spaces are large', async () => {
    for (const [core, seats] of [[two, 2], [four, 4]]) {
        const page = await watch(core, PHONE, '/II.3');
        for (const [width, height, least] of [[1366, 768, 68], [1920, 1080, 110], [820, 1180, 66], [390, 844, 60], [320,
            568, 42]]) {
            await page.setViewportSize({ width, height });
            await settled(page);
            const seen = await page.evaluate((phone) => {
                const parts = `.what, .bigc, .tl-s, .bt .btn, ${phone ? '.rp-row, .rep .top .iconbtn' : '.rp-side, .lgd'}`;
                const out = [...document.querySelectorAll(parts)].filter((e) => e.checkVisibility()).filter((e) => {
                    const b = e.getBoundingClientRect();
                    return b.left < 0 || b.right > innerWidth + .5 || b.bottom > innerHeight + .5;
                });
                const cards = [...document.querySelectorAll('.bigc svg.ch')].filter((e) => e.checkVisibility());
                return { out: out.map((e) => e.className), scrolls: document.documentElement.scrollHeight > innerHeight ||
                    document.documentElement.scrollWidth > innerWidth,
                    cards: cards.length, space: Math.min(...cards.map((e) => e.getBoundingClientRect().width * 60 / 328)) };
            }, width < 640);
            const what = `${seats} players, ${width}x${height}`;
            await picture(page, `replay-${seats}-${width}x${height}`);
            equal([seen.out, seen.scrolls, seen.cards], [[], false, width < 640 ? 1 : 2], what);
            truth(seen.space >= least, `${what}: a space of ${seen.space} px`);
        }
        // Counts, as at the table: the rounds of four torches would lie below the small cards.
        await page.setViewportSize({ width: 1366, height: 768 });
        equal(await page.evaluate(() => [...document.querySelectorAll('.rep .opp.rp')].filter((e) => {
            const bits = [...e.querySelectorAll('.bits span')], card = e.querySelector('.mini').getBoundingClientRect();
            return bits.some((bit) => {
                const box = bit.getBoundingClientRect();
                return !/^\d+$/.test(bit.textContent) || (box.right > card.left && box.top < card.bottom &&
                    box.bottom > card.top);
            });
        }).length), 0, 'counts over small cards');
        equal(page.complaints, [], 'the console');
        await page.context().close();
    }
});

await test('the timeline is a slider: by keys, by the buttons, by a finger', async () => {
    const page = await watch(two, DESKTOP, '/I.1'), moves = movesOf(two), line = slider(page);
    const first = moves.findIndex((m) => m.turn === 0);
    equal(await at(page), first, 'the address names a turn');
    await line.focus();
    for (const [key, to] of [['ArrowRight', first + 1], ['ArrowLeft', first],
        ['PageDown', moves.findIndex((m) => m.turn === 1)], ['PageUp', first], ['Home', 0], ['End', moves.length - 1]]) {
        await page.keyboard.press(key);
        equal(await at(page), to, key);
    }
    await page.getByRole('button', { name: 'To the beginning' }).click();
    await page.getByRole('button', { name: 'Step forward' }).click();
    equal(await at(page), 1, 'a step');
    // The words of a value: turn, player, what was done.
    const mark = moves.findIndex((m) => m.turn === 8 && m.text.startsWith('mark 1 '));
    await page.evaluate((to) => { location.hash = `replay/77/${to}`; }, moves[mark].line);
    await page.waitForFunction((n) => document.querySelector('.tl-s')?.getAttribute('aria-valuenow') === n,
        String(mark + 1));
    const [, , move] = moves[mark].text.split(' '), [part] = move.split('+'), [card, spaces] = part.split(':');
    const pattern = two.lines().filter((l) => l.startsWith('reveal '))[8].slice(7);
    const words = await line.getAttribute('aria-valuetext');
    truth(words.startsWith(`Round 2, turn 2, Ana: ${spaces.length === 2 ? 'one space' : pattern} on ${card}`), words);
    // A touch anywhere goes to the nearest move, and follows the finger.
    const box = await line.boundingBox();
    await page.mouse.move(box.x + box.width - 26, box.y + 20);
    await page.mouse.down();
    equal(await at(page), moves.length - 1, 'the right end');
    await page.mouse.move(box.x + 34, box.y + 20);
    equal(await at(page), 0, 'and back');
    await page.mouse.up();
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('from mistake to mistake, the better choice drawn beside the played one', async () => {
    const page = await watch(two, DESKTOP, '/I.1'), moves = movesOf(two), { decisions } = judged;
    const marked = decisions.filter((d) => d.mark).map((d) => d.line).sort((a, b) => a - b);
    const start = moves[await at(page)].line, later = marked.filter((l) => l > start);
    await page.keyboard.press('.');
    equal(moves[await at(page)].line, later[0], 'the next one');
    await page.getByRole('button', { name: 'Next mistake' }).click();
    equal(moves[await at(page)].line, later[1], 'the one after that');
    await page.keyboard.press(',');
    equal(moves[await at(page)].line, later[0], 'and back');
    // A choice of spaces with a mark: the played spaces are filled, the better ones have dashes and no crosses.
    const d = decisions.find((x) => x.mark && moves.find((m) => m.line === x.line).text.startsWith('mark') &&
        x.options[0].choice.includes(':')
        && x.options[0].choice.split('+')[0] !== x.options.find((o) => o.made).choice.split('+')[0]);
    await page.evaluate((to) => { location.hash = `replay/77/${to}`; }, d.line);
    await page.waitForFunction((n) => document.querySelector('.tl-s')?.getAttribute('aria-valuenow') === n,
        String(moves.findIndex((m) => m.line === d.line) + 1));
    const text = moves.find((m) => m.line === d.line).text.split(' ')[2], played = [...text.matchAll(/[a-e][1-5]/g)].length;
    equal(await page.locator('.bigc .gh-fill').count(), played, 'spaces that were played');
    truth(await page.locator('.bigc path.better').count() > 0, 'the better choice is drawn');
    const best = d.options[0].choice.split('+')[0].split(':')[0];
    equal(await page.locator('.bigc:has(path.better) .tag').first().innerText(), best, 'on its card');
    await page.getByText(/^better: /).first().waitFor();
    // Filtered: only those of one player, or from a certain mark on.
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: 'Which mistakes' }).click();
    await page.getByRole('radio', { name: 'Ben' }).check();
    await page.getByRole('radio', { name: '??', exact: true }).check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.keyboard.press('Home');
    const his = decisions.filter((x) => x.mark === '??' && x.seat === 1).map((x) => x.line).sort((a, b) => a - b);
    await page.keyboard.press('.');
    equal(moves[await at(page)].line, his[0], 'Ben’s first blunder');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('who leaves before the address has followed arrives where they wanted to go', async () => {
    const page = await watch(two, DESKTOP, '/I.1');
    await page.locator('.tl-s').focus();
    // The address follows after 400 ms. Here the test decides when: while another view is still being fetched.
    await page.evaluate(() => {
        const { setTimeout: later } = globalThis;
        globalThis.late = [];
        globalThis.setTimeout = (run, ms, ...more) => ms === 400 ? globalThis.late.push(run) : later(run, ms, ...more);
    });
    await page.keyboard.press('ArrowRight');
    const go = (hash) => page.evaluate((to) => {
        location.hash = to;
        globalThis.late.splice(0).forEach((run) => run());
    }, hash);
    const moves = movesOf(two), other = moves.findLast((m) => m.turn === 8);
    await go(`replay/77/${other.line}`);
    await page.waitForFunction((n) => document.querySelector('.tl-s')?.getAttribute('aria-valuenow') === n,
        String(moves.indexOf(other) + 1));
    await page.locator('.tl-s').focus();
    await page.keyboard.press('ArrowLeft');
    await go('pad');
    await page.getByRole('heading', { name: 'Score pad' }).waitFor();
    equal(new URL(page.url()).hash, '#pad', 'the address');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('on a phone any card can be made large; the log follows; playing back ends at the end', async () => {
    const page = await watch(four, PHONE, '/III.1'), row = page.getByRole('group',
        { name: 'All cards' }).getByRole('button');
    equal(await row.count(), 8, 'everyone’s cards');
    const large = () => page.locator('.bigc.main .tag').innerText();
    equal(await row.first().locator('.tag').innerText(), await large(), 'the moved card comes first');
    const other = await row.nth(5).locator('.tag').innerText();
    await row.nth(5).tap();
    equal(await large(), other, 'the one that was tapped');
    await page.getByRole('button', { name: 'Menu' }).tap();
    await page.getByRole('button', { name: 'Game log' }).tap();
    const now = page.locator('.rp-log .ln.now').first();
    await now.waitFor();
    truth(await now.evaluate((e) => {
        const a = e.getBoundingClientRect(), b = e.closest('.logbox').getBoundingClientRect();
        return a.top >= b.top && a.bottom <= b.bottom;
    }), 'it is in view');
    await page.getByRole('button', { name: 'Close' }).tap();
    const moves = movesOf(four);
    await page.evaluate((to) => { location.hash = `replay/77/${to}`; }, moves[moves.length - 3].line);
    await page.waitForFunction((n) => document.querySelector('.tl-s')?.getAttribute('aria-valuenow') === n,
        String(moves.length - 2));
    await page.getByRole('button', { name: 'Play back' }).tap();
    await page.getByRole('table').waitFor();
    await page.getByRole('button', { name: 'Play back' }).waitFor();
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await browser.close();
host.close();
done();
