// play.mjs SITE: whole games against bots by mouse, by touch and by keyboard; aiming; undo; a reload in the middle.
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture, serve } from './site.mjs';
import { act, begin, ended, finish, keep } from './hand.mjs';
import { newCore, playOut, saved } from './games.mjs';

const site = process.argv[2], host = await serve(site), browser = await launch();
const quiet = (page) => equal(page.complaints, [], 'the console');

/** Opens the page with a game at a certain point. */
async function openAt(core, options = DESKTOP, people = [0]) {
    const page = await open(browser, host.url, options);
    await page.evaluate((game) => localStorage.setItem('pyramids.game', JSON.stringify(game)), saved(core, people));
    await page.goto(`${host.url}#play`);
    await page.locator('.table, .setup, .cover').first().waitFor();
    return page;
}

await test('a whole game by mouse, 1440x900', async () => {
    const page = await open(browser, host.url);
    const began = Date.now();
    await begin(page);
    console.log(`# from Play to the first choice: ${Date.now() - began} ms`);
    await keep(page);
    const totals = await finish(page);
    equal(totals.length, 2, 'two totals');
    await page.getByRole('heading', { name: 'Turning points' }).waitFor();
    // The link carries the whole game: it opens in another browser that has never seen it.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('The link is copied.').first().waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    console.log(`# a link with a game in it: ${link.length} characters`);
    const other = await open(browser, link);
    await other.getByRole('button', { name: 'Step forward' }).click();
    quiet(other);
    await other.context().close();
    await page.getByRole('button', { name: 'Rematch' }).click();
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    quiet(page);
    await page.context().close();
});

await test('a whole game by touch, 390x844, against two', async () => {
    const page = await open(browser, host.url, PHONE), tap = (l) => l.tap();
    await tap(page.getByRole('radiogroup', { name: 'Opponents' }).getByRole('radio', { name: '2' }));
    await tap(page.getByRole('radio', { name: 'Novice' }));
    await begin(page, tap);
    await keep(page, tap);
    const totals = await finish(page, tap, async (what, i) => {
        if (what === 'mark' && i < 8) {
            const high = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
            truth(high <= 0, `no scrolling at turn ${i}: ${high}`);
        }
    });
    equal(totals.length, 3);
    quiet(page);
    await page.context().close();
});

await test('a whole game by keyboard alone', async () => {
    const page = await open(browser, host.url), key = (k) => page.keyboard.press(k);
    const focused = () => page.evaluate(() => `${document.activeElement?.getAttribute('role') ?? document.activeElement?.tagName} ${document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent}`);
    const tabTo = async (pattern) => {
        for (let i = 0; i < 60; i++) {
            if (pattern.test(await focused()))
                return;
            await key('Tab');
        }
        throw new Error(`Tab never reached ${pattern}, but ${await focused()}`);
    };
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await tabTo(/^BUTTON Play$/);
    await key('Enter');
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    await tabTo(/BUTTON Card/);
    await key('Space');
    await key('Tab');
    await key('Space');
    await tabTo(/BUTTON Keep \d/);
    await key('Enter');
    for (let i = 0; i < 400 && !await ended(page).count(); i++) {
        if (await page.getByRole('dialog', { name: /complete$/ }).count()) {
            await tabTo(/BUTTON (Card|Unseen)/);
            await key('Space');
            await tabTo(/BUTTON (Take \d|Draw)/);
            await key('Enter');
        } else if (await page.getByRole('gridcell', { name: /can be marked/ }).count()) {
            await key(i % 2 ? '1' : '2');
            await key('n');
            if (!await page.locator('.pcard.active').count()) {
                await key(i % 2 ? '2' : '1');
                await key('n');
            }
            if (i % 5 === 0) {
                await key('r');
                await key('f');
                await key('u');
                await key('n');
            }
            await key('Enter');
        } else
            await page.waitForTimeout(25);
    }
    await ended(page).waitFor();
    quiet(page);
    await page.context().close();
});

await test('aiming: hover, wheel, click again, paint, drag, list, reasons', async () => {
    const core = playOut(newCore(site), 2, 7, (v) => v.phase === 'mark' && v.round === 0 && v.turn === 3);
    const page = await openAt(core);
    const cell = (n, name) => page.locator(`article[data-n="${n}"]`).getByRole('gridcell', { name: new RegExp(`^${name},`) });
    const cards = core.view(0).desks[0].slots, pattern = core.steps(0).filter((s) => s.kind === 'mark' && s.cells.length > 1);
    truth(pattern.length > 1, 'there are placements');
    const name = (i) => 'abcde'[i % 5] + (1 + (i / 5 | 0)), [first] = pattern, card = cards[first.slot].card;
    await cell(card, name(first.cells[0])).hover();
    await page.mouse.wheel(0, 100);
    await cell(card, name(first.cells[0])).click();
    truth(await page.getByRole('gridcell', { name: /would be marked/ }).count() > 0, 'placed');
    const before = await page.locator('.fx .where').innerText();
    await cell(card, name(first.cells[0])).click();
    truth(await page.locator('.fx .where').innerText() !== before || pattern.length === 1, 'the same space again places another way');
    await page.getByRole('button', { name: 'Undo' }).click();
    equal(await page.getByRole('gridcell', { name: /would be marked/ }).count(), 0, 'undone');
    // Paint the pattern space by space.
    const box = async (i) => { const b = await cell(card, name(i)).boundingBox(); return [b.x + b.width / 2, b.y + b.height / 2]; };
    await page.mouse.move(...await box(first.cells[0]));
    await page.mouse.down();
    for (const i of first.cells)
        await page.mouse.move(...await box(i), { steps: 4 });
    await page.mouse.up();
    equal(await page.getByRole('gridcell', { name: /would be marked/ }).count(), first.cells.length, 'painted');
    // Drag it off the card: nothing changes; a wall says why.
    await page.keyboard.press('Escape');
    const wall = [...core.edition.cards[card].cells].findIndex((c) => c === '#');
    await cell(card, name(wall)).click({ force: true });       // aria-disabled, but it answers
    await page.locator('.fx').getByText('That space is a wall.').waitFor();
    equal(await page.locator('.why .rule').first().getAttribute('href'), '#R9');
    await page.keyboard.press('p');
    const list = page.getByRole('dialog', { name: 'List placements' }).getByRole('listitem');
    equal(await list.count(), core.steps(0).length, 'as many placements as the engine has');
    await list.first().getByRole('button').click();
    truth(await page.getByRole('gridcell', { name: /would be marked/ }).count() > 1, 'placed from the list');
    await page.keyboard.press('h');
    await page.getByRole('dialog', { name: 'Hint' }).getByRole('listitem').first().waitFor();
    await picture(page, 'hint-1440x900');
    await page.keyboard.press('Escape');
    quiet(page);
    await page.context().close();
});

await test('touch: tap again, drag what is placed, paint', async () => {
    const core = playOut(newCore(site), 2, 7, (v) => v.phase === 'mark' && v.round === 0 && v.turn === 3);
    const page = await openAt(core, PHONE), touch = await page.context().newCDPSession(page);
    const steps = core.steps(0).filter((s) => s.kind === 'mark' && s.cells.length > 1), cards = core.view(0).desks[0].slots;
    const middle = async (slot, i) => { const b = await page.locator(`[data-slot="${slot}"][data-cell="${i}"]`).boundingBox(); return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; };
    const drag = async (points) => {
        await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [points[0]] });
        for (const point of points.slice(1))
            await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
        await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const placed = () => page.evaluate(() => [...document.querySelectorAll('[aria-label$="would be marked"]')].map((b) => Number(b.dataset.cell)).join());
    const [first] = steps;
    // Painting fills in the rest once it is clear.
    await drag(await Promise.all(first.cells.map((i) => middle(first.slot, i))));
    equal(await placed(), first.cells.join(), 'painted');
    // Dragged up to where the finger is 56 px below: another legal place, or the same one. Off the card: nothing changes.
    const from = await middle(first.slot, first.cells[0]);
    await drag([from, { x: from.x + 5, y: from.y + 20 }, { x: from.x, y: from.y + 56 }]);
    const now = await placed();
    truth(steps.some((s) => s.cells.join() === now), `dragged to a legal place: ${now}`);
    await drag([await middle(first.slot, Number(now.split(',')[0])), { x: 30, y: 20 }, { x: 20, y: 10 }]);
    equal(await placed(), now, 'leaving the card cancels');
    truth(cards.length === 2, 'two cards');
    quiet(page);
    await page.context().close();
});

await test('extra marks, undo step by step, reload in a chain', async () => {
    let core, found;
    for (let seed = 1; !found; seed++) {
        core = playOut(newCore(site), 2, seed, (v) => v.phase === 'mark' && v.turn === 2);
        found = core.steps(0).find((s) => s.kind === 'mark' && s.cells.length > 1 && s.cells.some((i) => core.edition.cards[core.view(0).desks[0].slots[s.slot].card].cells[i] === 'x'));
    }
    const page = await openAt(core, PHONE);
    await page.getByRole('button', { name: 'Menu' }).first().tap();
    await page.getByRole('button', { name: 'List placements' }).tap();
    await page.getByRole('dialog').getByRole('button', { name: /red cross/ }).first().tap();
    await page.getByRole('button', { name: /^(Confirm|Next)$/ }).tap();
    await page.getByRole('heading', { name: 'One more space' }).waitFor();
    await picture(page, 'extra-390x844');
    await page.reload();
    await page.getByRole('heading', { name: 'One more space' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).tap();
    await page.getByRole('heading', { name: /Mark the/ }).waitFor({ state: 'attached' });
    await act(page, (l) => l.tap());
    quiet(page);
    await page.context().close();
});

await test('several people on one device, covered in between', async () => {
    const page = await open(browser, host.url);
    await page.getByRole('button', { name: 'One device' }).click();
    await page.getByRole('textbox', { name: 'Name of seat 1' }).fill('Ana');
    await page.getByRole('textbox', { name: 'Name of seat 2' }).fill('Ben');
    await page.getByRole('button', { name: 'Start' }).click();
    for (let i = 0; i < 6; i++) {
        const who = i % 2 ? 'Ben' : 'Ana';
        await page.getByRole('heading', { name: `Pass the device to ${who}` }).waitFor();
        equal(await page.getByRole('gridcell').count(), 0, 'nothing is seen');
        if (i === 0)
            await picture(page, 'cover-1440x900');
        await page.getByRole('button', { name: `I am ${who}` }).click();
        for (let k = 0; k < 10 && !await page.getByRole('heading', { name: /Pass the device/ }).count(); k++)
            await act(page);
    }
    quiet(page);
    await page.context().close();
});

await browser.close();
host.close();
done();
