// play.mjs SITE: whole games against bots by mouse, by touch and by keyboard; aiming; undo; a reload in the middle;
// announcements, motion and sounds.
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, pictures, serve, settled } from './site.mjs';
import { act, begin, ended, finish, goOn, keep } from './player.mjs';
import { newCore, playOut, saved } from './games.mjs';

const site = process.argv[2], host = await serve(site), browser = await launch();
const quiet = (page) => equal(page.complaints, [], 'the console');

/** In the page: holds the bots back until the test lets them think. */
function holdBots() {
    const { postMessage } = Worker.prototype, held = [];
    Worker.prototype.postMessage = function (...all) { held.push(() => postMessage.apply(this, all)); };
    globalThis.letBotsThink = () => { Worker.prototype.postMessage = postMessage; held.forEach((send) => send()); };
}

/** In the page: the first answer with choices has two that begin alike (the rest of a choice may differ); the second, which
 * is more exact, arrives when refine() is called, in another order. */
function holdRefinedChoices() {
    const own = Object.getOwnPropertyDescriptor(Worker.prototype, 'onmessage');
    let answers = 0;
    Object.defineProperty(Worker.prototype, 'onmessage', { ...own, set(listener) {
        own.set.call(this, (event) => {
            const { answer } = event.data;
            if (answer?.[0]?.win === undefined)
                return void listener(event);
            const send = (choices) => listener({ data: { ...event.data, answer: choices } });
            answers++;
            if (answers === 2)
                globalThis.refine = () => send([...answer.slice(0, 4).reverse(), ...answer.slice(4)]);
            else
                send([answer[0], ...answer]);
        });
    } });
}

/** Opens the page with a game at a certain point; `scripts` run in the page first. */
async function openAt(core, options = DESKTOP, people = [0], ...scripts) {
    const game = saved(core, people);
    if (core.edition.name !== 'classic')
        game.edition = core.edition.text;
    const page = await open(browser, `${host.url}#play`, { ...options, kept: { game }, scripts });
    await page.locator('.table, .setup, .cover').first().waitFor();
    return page;
}

await test('a whole game by mouse, 1440x900', async () => {
    const page = await open(browser, host.url);
    const began = Date.now();
    await begin(page);
    console.log(`# from Play to the first choice: ${Date.now() - began} ms`);
    await keep(page);
    // The preview in the ribbon before a choice is confirmed matches the engine, and so does its total when the turn is
    // over.
    const engine = newCore(site), promised = new Map();
    const totals = await finish(page, { before: async () => {
        const seen = await page.evaluate(() => {
            const ribbon = [...document.querySelectorAll('.fx .res b')].map((b) => b.textContent),
                total = document.querySelector('.score .tot');
            return ribbon.length && { ribbon, total: total.firstChild.nodeValue,
                delta: total.querySelector('.delta')?.textContent ?? '+0',
                game: JSON.parse(localStorage.getItem('pyramids.game')) };
        });
        if (seen) {
            const { record, held: { pin } } = seen.game, shown = [...seen.ribbon, seen.total, seen.delta];
            const [now, then, total, delta] = shown.map((t) => Number(t.replace('−', '-')));
            equal(engine.localLoad(record, 1n), null, 'the saved game, with the marks so far');
            const view = engine.view(0), turn = record.match(/^reveal /gm).length;
            equal([now, then], [view.scores[0].total + 10 * view.desks[0].slots.filter((s) => s.tomb).length,
                engine.preview(0, BigInt(pin)).total], `the ribbon in turn ${turn}`);
            equal([total, delta], [now, then - now], `the score card in turn ${turn}`);
            promised.set(turn, then);
        }
    } });
    equal(totals.length, 2, 'two totals');
    const record = await page.evaluate(() => JSON.parse(localStorage.getItem('pyramids.games'))[0].record);
    equal(engine.load(record), null, 'the record');
    const lines = engine.lines(), reveals = [...lines.flatMap((l, i) => l.startsWith('reveal ') ? [i] : []),
        lines.findIndex((l) => l.startsWith('score '))];
    for (let turn = 1; turn <= 28; turn++) {
        const points = lines.slice(reveals[turn - 1], reveals[turn]).reduce((sum, l) =>
            sum + (l.startsWith('points 1 ') ? Number(l.split(' ')[3]) : 0), 0);
        const total = engine.viewAt(reveals[turn], -1).scores[0].total;
        equal(promised.get(turn) ?? total, total - points,
            `what was promised in turn ${turn} and what came of it, but for pyramid points`);
        if (turn === 28)
            equal([total, engine.viewAt(reveals[turn], -1).scores[1].total], totals, 'the final scores');
    }
    truth(promised.size >= 26, `the ribbon spoke in ${promised.size} turns`);
    await page.getByRole('heading', { name: 'Turning points' }).waitFor();
    // A reload shows the end again.
    await page.reload();
    await ended(page).waitFor();
    equal((await page.getByRole('row', { name: /^Total/ }).getByRole('cell').allInnerTexts()).map(Number), totals,
        'the same scores after a reload');
    // The link carries the whole game: it opens in another browser that has never seen it.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('Link copied.').first().waitFor();
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
    await tap(page.getByRole('button', { name: '1 opponent, Novice' }));
    await tap(page.getByRole('radiogroup', { name: 'Opponents' }).getByRole('radio', { name: '2' }));
    await tap(page.getByRole('radio', { name: 'Novice' }));
    await tap(page.getByRole('button', { name: 'Done' }));
    await page.getByRole('button', { name: '2 opponents, Novice' }).waitFor();
    await begin(page, tap);
    await keep(page, tap);
    const totals = await finish(page, { each: async (what, i) => {
        if (what === 'mark' && i < 8) {
            const high = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
            truth(high <= 0, `no scrolling at turn ${i}: ${high}`);
        }
    } });
    equal(totals.length, 3);
    quiet(page);
    await page.context().close();
});

await test('a whole game by keyboard alone', async () => {
    const page = await open(browser, host.url), key = (k) => page.keyboard.press(k);
    const focused = () => page.evaluate(() => {
        const { activeElement: at } = document;
        return `${at?.getAttribute('role') ?? at?.tagName} ${at?.getAttribute('aria-label') ?? at?.textContent}`;
    });
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
    await key('l');                      // there is no log yet; it must not open later, over the first turn
    await tabTo(/BUTTON Card/);
    await key('Space');
    await key('Tab');
    await key('Space');
    await tabTo(/BUTTON Keep \d/);
    await key('Enter');
    await page.getByRole('gridcell', { name: /can be marked/ }).first().focus();
    for (let i = 0; i < 3; i++)
        await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    equal([await page.getByText('Round 1 of 4, turn 1 of 7').count(), await page.getByRole('gridcell',
        { name: /would be marked/ }).count() > 0], [1, true], 'a held key places, and confirms nothing');
    await goOn(async (i) => {
        if (await ended(page).count())
            return 'end';
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
        } else {
            await page.waitForTimeout(25);
            return 'wait';
        }
        return 'done';
    });
    await ended(page).waitFor();
    quiet(page);
    await page.context().close();
});

await test('aiming: hover, wheel, click again, paint, drag, list, reasons', async () => {
    const core = playOut(newCore(site), 2, 7, (v) => v.phase === 'mark' && v.round === 0 && v.turn === 3);
    const page = await openAt(core, DESKTOP, [0], holdBots);   // their moves would redraw more than the aiming does
    const cell = (n, name) => page.locator(`article[data-n="${n}"]`).getByRole('gridcell',
        { name: new RegExp(`^${name},`) });
    const cards = core.view(0).desks[0].slots, pattern = core.steps(0).filter((s) => s.kind === 'mark' &&
        s.cells.length > 1);
    truth(pattern.length > 1, 'there are placements');
    // Aiming computes the layout at most once per move, and restyles only the spaces of the pattern: work on the whole
    // page at every move would cost a phone its frames.
    const grid = await page.getByRole('grid').first().boundingBox(), MOVES = 40;
    await settled(page);
    await browser.startTracing(page, { categories: ['devtools.timeline'] });
    for (let i = 0; i < MOVES; i++)
        await page.mouse.move(grid.x + grid.width * (.1 + .2 * (i % 5)), grid.y + grid.height * (.1 + .2 * (i / 8 | 0)));
    await page.mouse.down();
    for (let i = 0; i < MOVES; i++)
        await page.mouse.move(grid.x + grid.width * (.1 + .02 * i), grid.y + grid.height * (.1 + .02 * (i % 7)));
    await settled(page);
    const { traceEvents } = JSON.parse(String(await browser.stopTracing())), events = (kind) => traceEvents.filter((e) =>
        e.name === kind), styled = events('UpdateLayoutTree').map((e) => e.args.elementCount);
    await page.mouse.up();
    await page.keyboard.press('Escape');
    await page.evaluate(() => globalThis.letBotsThink());
    const most = Math.max(...styled), all = styled.reduce((a, b) => a + b);
    console.log(`# ${2 * MOVES} moves: ${events('Layout').length} layouts, ${all} elements styled, at most ${most} at once`);
    truth(events('Layout').length <= 2 * MOVES + 2, 'one layout a move, and one each for pressing and letting go');
    // A pattern of up to four spaces has up to 14 parts, and each space that it covers or uncovers has two.
    truth(most <= 40 && all <= 15 * 2 * MOVES, 'only what is aimed at is styled');
    const name = (i) => 'abcde'[i % 5] + (1 + (i / 5 | 0)), [first] = pattern, card = cards[first.slot].card;
    await cell(card, name(first.cells[0])).hover();
    await page.mouse.wheel(0, 100);
    await cell(card, name(first.cells[0])).click();
    truth(await page.getByRole('gridcell', { name: /would be marked/ }).count() > 0, 'placed');
    const placedNow = () => page.getByRole('gridcell', { name: /would be marked/ }).evaluateAll((all) => all.map((b) =>
        b.dataset.cell).join());
    const before = await placedNow();
    // The ribbon names the pattern and the card; the card shows the place.
    equal((await page.locator('.fx .where').innerText()).trim(), `${core.edition.patterns[core.view(
        0).revealed[3]].name} on ${card}`, 'the ribbon');
    await cell(card, name(first.cells[0])).click();
    truth(await placedNow() !== before || pattern.length === 1, 'the same space again places another way');
    await page.getByRole('button', { name: 'Undo' }).click();
    equal(await page.getByRole('gridcell', { name: /would be marked/ }).count(), 0, 'undone');
    // Paint the pattern space by space.
    const box = async (i) => {
        const b = await cell(card, name(i)).boundingBox();
        return [b.x + b.width / 2, b.y + b.height / 2];
    };
    await page.mouse.move(...await box(first.cells[0]));
    await page.mouse.down();
    for (const i of first.cells)
        await page.mouse.move(...await box(i), { steps: 4 });
    await page.mouse.up();
    equal(await page.getByRole('gridcell', { name: /would be marked/ }).count(), first.cells.length, 'painted');
    // Dragging off the card changes nothing; a wall gives a reason.
    await page.keyboard.press('Escape');
    const wall = [...core.edition.cards[card].cells].findIndex((c) => c === '#');
    await cell(card, name(wall)).click({ force: true });       // aria-disabled, but it reacts
    await page.locator('.fx').getByText('That space is a wall.').waitFor();
    equal(await page.locator('.why .rule').first().getAttribute('href'), '#R9');
    await page.keyboard.press('p');
    const list = page.getByRole('dialog', { name: 'List placements' }).getByRole('listitem');
    equal(await list.count(), core.steps(0).length, 'as many placements as the engine has');
    await list.first().getByRole('button').click();
    // placed, once the list has closed
    await page.getByRole('gridcell', { name: /would be marked/ }).nth(1).waitFor();
    // The best choices are drawn on the cards, and the ribbon selects one; each is placed first, and sent only after
    // confirmation.
    await page.keyboard.press('Escape');
    await page.keyboard.press('h');
    const hints = page.getByRole('group', { name: 'Hint' }).getByRole('button');
    await hints.first().waitFor();
    const many = await hints.count(), numbers = () => page.locator('.hint-b text').allTextContents().then((all) =>
        all.sort());
    truth(many > 1 && many <= 4, `${many} choices`);
    equal([await page.getByRole('dialog').count(), await numbers()], [0, [...Array(many).keys()].map((i) =>
        String(i + 1))], 'numbered on the cards, and nothing lies over them');
    await pictures(page, 'hint');
    await hints.first().focus();
    await page.keyboard.press('2');
    equal([await hints.nth(1).getAttribute('aria-pressed'), await hints.nth(1).evaluate((b) =>
        b === document.activeElement)], ['true', true], 'the second');
    await page.keyboard.press('ArrowLeft');
    equal(await hints.first().getAttribute('aria-pressed'), 'true', 'and back');
    const chosen = await placedNow();
    truth(core.steps(0).some((s) => s.cells.join() === chosen), 'a legal place');
    await page.getByRole('button', { name: 'Place 1' }).click();
    equal([await hints.count(), await placedNow(), await page.getByText('Round 1 of 4, turn 4 of 7').count()], [0, chosen,
        1], 'placed, and nothing sent');
    await page.keyboard.press('h');
    await hints.first().waitFor();
    await page.keyboard.press('Escape');
    equal([await hints.count(), await numbers(), await placedNow()], [0, [], ''], 'put away');
    // Names of spaces are shown only if the setting is on.
    const named = () => page.locator('.coords').first().isVisible();
    equal(await named(), false, 'no names');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('checkbox', { name: 'Names of spaces' }).check();
    await page.getByRole('button', { name: 'Done' }).click();
    equal([await named(), await page.locator('.coords').first().locator('text').allTextContents()], [true, ['a', '1', 'b',
        '2', 'c', '3', 'd', '4', 'e', '5']], 'columns and rows');
    await cell(card, name(first.cells[0])).click();
    truth((await page.locator('.fx .where').innerText()).includes(name(first.cells[0])), 'in the ribbon, too');
    quiet(page);
    await page.context().close();
});

await test('a hint that was picked keeps its number while the chances become more exact', async () => {
    const core = playOut(newCore(site), 2, 7, (v) => v.phase === 'mark' && v.round === 0 && v.turn === 3);
    const page = await openAt(core, DESKTOP, [0], holdRefinedChoices);
    const hints = page.getByRole('group', { name: 'Hint' }).getByRole('button');
    const pressed = () => hints.evaluateAll((all) => all.findIndex((b) => b.ariaPressed === 'true') + 1);
    const placed = () => page.getByRole('gridcell', { name: /would be marked/ }).evaluateAll((all) => all.map((b) =>
        `${b.dataset.slot} ${b.dataset.cell}`).join());
    await page.keyboard.press('h');
    await hints.first().waitFor();
    await hints.first().focus();
    const best = await placed();
    await page.keyboard.press('2');
    equal(await pressed(), 2);
    const second = await placed();
    truth(best && second && best !== second, `two choices that differ: ${best}; ${second}`);
    await page.waitForFunction(() => globalThis.refine);
    await page.evaluate(() => globalThis.refine());
    await settled(page);
    equal([await pressed(), await placed()], [2, second], 'still the second');
    await page.keyboard.press('ArrowLeft');
    equal([await pressed(), await placed()], [1, best], 'and the first is what it was');
    quiet(page);
    await page.context().close();
});

await test('the focus stays where it is when the page is drawn anew, and so does what is being typed', async () => {
    const core = playOut(newCore(site), 2, 7, (v) => v.phase === 'mark' && v.round === 0 && v.turn === 3),
        page = await openAt(core);
    /** A focus that is lost and set again counts as lost: screen readers would repeat everything. */
    const watched = () => page.evaluate(() => {
        globalThis.watched = document.activeElement;
        globalThis.blurs = 0;
        document.activeElement.addEventListener('blur', () => { globalThis.blurs++; });
    });
    const kept = async (what) => {
        await settled(page);               // elements that can no longer have the focus lose it when the page is drawn
        equal(await page.evaluate(() => [document.activeElement === globalThis.watched && globalThis.watched.isConnected,
            globalThis.blurs]), [true, 0], what);
    };
    /** Waits for a visible change, which shows that the page was drawn again. */
    const drawn = async (act, seen) => {
        const before = JSON.stringify(await page.evaluate(seen));
        await act();
        await page.waitForFunction(`(${seen})() !== ${before}`);
    };
    const ribbon = () => document.querySelector('.fx').innerHTML + document.querySelector('.xcard').innerHTML +
        document.querySelector('.seg').innerHTML;
    const cell = page.getByRole('gridcell', { name: /can be marked/ }).first();
    await cell.focus();
    await watched();
    await drawn(() => page.keyboard.press('Enter'), ribbon);
    await kept('a space, when something is placed');
    await drawn(() => page.keyboard.press('u'), ribbon);
    await kept('a space, when it is taken back');
    await drawn(() => page.keyboard.press('s'), ribbon);
    await kept('a space, when one space is wanted');
    await page.getByRole('button', { name: 'Rotate the pattern' }).focus();
    await drawn(() => page.keyboard.press('s'), ribbon);
    await watched();
    await drawn(() => page.keyboard.press('r'), ribbon);
    await kept('a button');
    // A heading can be focused by scripts only, and stays focusable while it has the focus.
    await page.evaluate(() => { const h = document.querySelector('.say h1'); h.tabIndex = -1; h.focus(); });
    await watched();
    await drawn(() => page.keyboard.press('r'), ribbon);
    await kept('the heading');
    // Fields keep their text and the caret's place in it.
    await page.goto(`${host.url}?fields#pad`);
    const name = page.getByRole('textbox', { name: 'Name of player 1' });
    await name.focus();
    await watched();
    await page.keyboard.type('Ana');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('x');
    await kept('a field');
    equal(await name.inputValue(), 'Anxa', 'typed in the middle');
    await page.getByRole('button', { name: 'Ruby 3' }).first().focus();
    await watched();
    await drawn(() => page.keyboard.press('Enter'), () => document.querySelector('output').textContent);
    await kept('a tick');
    quiet(page);
    await page.context().close();
});

await test('touch: tap again, drag what is placed, paint', async () => {
    const core = playOut(newCore(site), 2, 7, (v) => v.phase === 'mark' && v.round === 0 && v.turn === 3);
    const page = await openAt(core, PHONE), touch = await page.context().newCDPSession(page);
    const steps = core.steps(0).filter((s) => s.kind === 'mark' && s.cells.length > 1), cards = core.view(0).desks[0].slots;
    const middle = async (slot, i) => {
        const b = await page.locator(`[data-slot="${slot}"][data-cell="${i}"]`).boundingBox();
        return { x: b.x + b.width / 2, y: b.y + b.height / 2 };
    };
    const drag = async (points) => {
        await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [points[0]] });
        for (const point of points.slice(1))
            await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
        await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const placed = () => page.evaluate(() => [...document.querySelectorAll('[aria-label$="would be marked"]')].map((b) =>
        Number(b.dataset.cell)).join());
    const [first] = steps;
    // Painting fills in the rest once it is unambiguous.
    await drag(await Promise.all(first.cells.map((i) => middle(first.slot, i))));
    equal(await placed(), first.cells.join(), 'painted');
    // Dragged up, with the finger 56 px below: another legal place, or the same one. Off the card: nothing changes.
    const from = await middle(first.slot, first.cells[0]);
    await drag([from, { x: from.x + 5, y: from.y + 20 }, { x: from.x, y: from.y + 56 }]);
    const now = await placed();
    truth(steps.some((s) => s.cells.join() === now), `dragged to a legal place: ${now}`);
    await drag([await middle(first.slot, Number(now.split(',')[0])), { x: 30, y: 20 }, { x: 20, y: 10 }]);
    equal(await placed(), now, 'leaving the card cancels');
    truth(cards.length === 2, 'two cards');
    await page.getByRole('button', { name: 'Undo' }).tap();
    // The expedition card, dragged from the tray to a place where its pattern fits as it is turned, with the finger 56 px
    // below its middle.
    const shown = await page.locator('.xcard .pt').evaluateAll((all) =>
        all.map((r) => [Number(r.getAttribute('x')), Number(r.getAttribute('y'))]));
    const form = (pairs) => {
        const x0 = Math.min(...pairs.map((p) => p[0])), y0 = Math.min(...pairs.map((p) => p[1]));
        return pairs.map(([x, y]) => `${x - x0},${y - y0}`).sort().join(' ');
    };
    const goal = steps.find((s) => form(s.cells.map((i) => [i % 5, i / 5 | 0])) === form(shown.map(([x, y]) =>
        [Math.floor(x / 20), Math.floor(y / 20)])));
    const spots = await Promise.all(goal.cells.map((i) => middle(goal.slot, i))),
        tray = await page.locator('.xcard').boundingBox();
    const centre = { x: spots.reduce((a, p) => a + p.x, 0) / spots.length,
        y: spots.reduce((a, p) => a + p.y, 0) / spots.length };
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: tray.x + 30, y: tray.y + 30 }] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: tray.x + 60, y: tray.y + 60 }] });
    await page.locator('.carried').waitFor();
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: centre.x, y: centre.y + 56 }] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    equal(await placed(), goal.cells.join(), 'dragged from the tray');
    equal(await page.locator('.carried').count(), 0, 'nothing is left in the hand');
    await page.getByRole('button', { name: 'Undo' }).tap();
    // Tapping the same space repeatedly goes through all placements that cover it, and back to the first.
    const space = first.cells[0], covering = core.steps(0).filter((s) => s.kind === 'mark' && s.slot === first.slot &&
        s.cells.includes(space)), seen = [];
    for (let i = 1; i <= covering.length + 1; i++) {
        await page.locator(`[data-slot="${first.slot}"][data-cell="${space}"]`).tap();
        seen.push(await placed());
        if (covering.length > 1)
            equal(await page.locator('.tip .cyc').innerText(), `${(i - 1) % covering.length + 1}/${covering.length}`,
                'how many');
    }
    equal([...new Set(seen)].sort(), covering.map((s) => s.cells.join()).sort(), 'all that cover it');
    equal(seen.at(-1), seen[0], 'round again');
    // After a long press each tap narrows the choice, a wall starts again, the rest is filled in.
    const holding = (cells) => steps.filter((s) => s.slot === first.slot && cells.every((i) => s.cells.includes(i)));
    const start = first.cells.find((i) => holding([i]).length > 1);
    const hold = async (i) => {
        await page.evaluate(() => { globalThis.pressesLong = true; });
        await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [await middle(first.slot, i)] });
        await page.getByRole('heading', { name: 'Paint the pattern' }).waitFor();
        await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
        await page.evaluate(() => { globalThis.pressesLong = false; });
    };
    await hold(start);
    truth((await page.locator('.say p').innerText()).includes(`${holding([start]).length} placements`), 'what is left');
    const goalCells = holding([start])[0].cells, painted = [start];
    for (const i of goalCells.filter((k) => k !== start)) {
        if (holding(painted).length === 1)
            break;
        await page.locator(`[data-slot="${first.slot}"][data-cell="${i}"]`).tap();
        painted.push(i);
    }
    equal(await placed(), holding(painted)[0].cells.join(), 'the rest is filled in');
    await hold(start);
    const wall = [...core.edition.cards[cards[first.slot].card].cells].indexOf('#');
    await page.locator(`[data-slot="${first.slot}"][data-cell="${wall}"]`).tap({ force: true });
    await page.locator('.fx .why').getByText('That space is a wall.').waitFor();
    await page.locator(`[data-slot="${first.slot}"][data-cell="${start}"]`).tap();
    truth((await page.locator('.say p').innerText()).includes(`${holding([start]).length} placements`), 'afresh');
    await page.getByRole('button', { name: 'Undo' }).tap();
    equal(await page.getByRole('heading', { name: 'Paint the pattern' }).count(), 0, 'undo ends it');
    quiet(page);
    await page.context().close();
});

await test('extra marks, undo step by step, reload in a chain', async () => {
    let core, found;
    for (let seed = 1; !found; seed++) {
        core = playOut(newCore(site), 2, seed, (v) => v.phase === 'mark' && v.turn === 2);
        found = core.steps(0).find((s) => s.kind === 'mark' && s.cells.length > 1 &&
            s.cells.some((i) => core.edition.cards[core.view(0).desks[0].slots[s.slot].card].cells[i] === 'x'));
    }
    const page = await openAt(core, PHONE);
    await page.getByRole('button', { name: 'Menu' }).first().tap();
    await page.getByRole('button', { name: 'List placements' }).tap();
    await page.getByRole('dialog').getByRole('button', { name: /red cross/ }).first().tap();
    await page.getByRole('button', { name: /^(Confirm|Next)/ }).tap();
    await page.getByRole('heading', { name: 'One more space' }).waitFor();
    await pictures(page, 'extra');
    await page.reload();
    await page.getByRole('heading', { name: 'One more space' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).tap();
    await page.getByRole('heading', { name: /Mark the/ }).waitFor({ state: 'attached' });
    await act(page);
    quiet(page);
    await page.context().close();
});

await test('games that older pages have kept: a draft in a chain, a sealed choice, who plays', async () => {
    const openOld = async (game) => {
        const page = await open(browser, host.url);
        await page.evaluate((value) => localStorage.setItem('pyramids.game', JSON.stringify(value)), game);
        await page.goto(`${host.url}#play`);
        return page;
    };
    const now = (page) => page.evaluate(() => JSON.parse(localStorage.getItem('pyramids.game')));
    let core, found;
    for (let seed = 1; !found; seed++) {
        core = playOut(newCore(site), 2, seed, (v) => v.phase === 'mark' && v.turn === 2);
        const { slots } = core.view(1).desks[1];
        const isCross = (slot, i) => core.edition.cards[slots[slot].card].cells[i] === 'x';
        found = core.steps(1).find((s) => s.kind === 'mark' && s.cells.length > 1 &&
            s.cells.some((i) => isCross(s.slot, i)));
    }
    const chain = await openOld({ ...saved(core, [1], 'novice'),
        pending: [{ seat: 1, made: [String(found.step)], confirmed: false }] });
    await chain.getByRole('heading', { name: 'One more space' }).waitFor();
    const { record, ...rest } = await now(chain);
    truth(record.startsWith(core.log()) && record.includes('; seats novice,person\n'),
        `who plays is in the text: ${record}`);
    equal(Object.keys(rest).sort(), ['claim', 'copy', 'edition', 'held', 'id'], 'and nothing of it beside the text');
    await chain.reload();
    await chain.getByRole('heading', { name: 'One more space' }).waitFor();
    await chain.getByRole('button', { name: 'Undo' }).click();
    await chain.getByRole('heading', { name: /Mark the/ }).waitFor({ state: 'attached' });
    quiet(chain);
    await chain.context().close();
    // Ana has chosen, and Ben has not looked yet.
    core = playOut(newCore(site), 2, 1, (v) => v.phase === 'mark' && v.turn === 2);
    const bot = core.fork();
    bot.load(core.visibleLog(0), 0);
    core.choose(0, bot.botChoice('club', 0, 0, 1n));
    const choice = core.choice(0), made = core.made(0).map((s) => String(s.step));
    const sealed = await openOld({ ...saved(core, [0, 1]), me: 1,
        pending: [{ seat: 0, made, confirmed: true }, { seat: 1, made: [], confirmed: false }] });
    await sealed.getByRole('heading', { name: 'Pass the device to Ben' }).waitFor();
    await sealed.getByRole('button', { name: 'I am Ben' }).click();
    await goOn(async () => (await now(sealed)).record.includes(`\nmark 1 ${choice}\n`) ? 'end' : act(sealed));
    quiet(sealed);
    await sealed.context().close();
});

await test('what is said in a turn, in order', async () => {
    const core = playOut(newCore(site), 2, 7, (v) => v.phase === 'mark' && v.round === 0 && v.turn === 3);
    // So that there is a player to wait for.
    const page = await openAt(core, DESKTOP, [0], holdBots, () => {
        globalThis.said = [];
        addEventListener('DOMContentLoaded', () => new MutationObserver(() =>
            globalThis.said.push(document.querySelector('#live').textContent.trim()))
            .observe(document.querySelector('#live'), { childList: true, characterData: true, subtree: true }));
    });
    const said = () => page.evaluate(() => globalThis.said), until = (text) =>
        page.waitForFunction((t) => globalThis.said.at(-1)?.includes(t), text);
    const [mark] = core.steps(0).filter((s) => s.kind === 'mark' && s.cells.length > 1),
        names = mark.cells.map((i) => 'abcde'[i % 5] + (1 + (i / 5 | 0))).join(' ');
    const desk = core.view(0).desks[0], total = core.preview(0, mark.step).total, card = desk.slots[mark.slot].card;
    await page.keyboard.press('p');
    await page.getByRole('dialog').getByRole('button', { name: `Card ${card}: ${names}` }).first().press('Enter');
    await until('Placed');
    truth((await said()).at(-1).startsWith(`Placed on ${card}: ${names}. `) &&
        (await said()).at(-1).includes(` to ${total}. `), `placed: ${(await said()).at(-1)}`);
    await page.keyboard.press('u');
    await until('Taken back.');
    await page.keyboard.press(String(mark.slot + 1));
    await page.keyboard.press('n');
    await until('Placed');
    await page.getByRole('button', { name: /^(Confirm|Next)/ }).click();
    for (let i = 0; i < 4 && !await page.locator('.mode-wait').count(); i++)
        await act(page);
    await until('Sent. Waiting for Ben.');
    const sent = (await said()).length - 1;
    await page.evaluate(() => globalThis.letBotsThink());
    await until('turn 5 of 7');
    const all = await said();
    const places = String.raw`\d+ places? on card \d+\.`, turn = all.slice(sent + 1);
    const whole = String.raw`^Ana marks .*Ben marks .*Round 1, turn 5 of 7\. .* pattern, \d spaces\. ${places} ${places}$`;
    truth(new RegExp(whole).test(turn.join(' ')), `the turn: ${JSON.stringify(turn)}`);
    quiet(page);
    await page.context().close();
});

await test('motion, sounds and settings: off, on, and never in the way', async () => {
    let core, mark;
    const brings = (s) => s.cells.filter((i) =>
        'ref'.includes(core.edition.cards[core.view(0).desks[0].slots[s.slot].card].cells[i])).length;
    for (let seed = 1; !mark; seed++) {
        core = playOut(newCore(site), 2, seed, (v) => v.phase === 'mark' && v.turn === 2);
        mark = core.steps(0).find((s) => s.kind === 'mark' && s.cells.length > 1 && brings(s) > 1 &&
            core.preview(0, s.step).desk.due === 0);
    }
    // Only the player's own actions cause motion.
    const page = await openAt(core, { ...DESKTOP, reducedMotion: 'no-preference' }, [0], holdBots, () => {
        globalThis.sounds = 0;
        const { connect } = GainNode.prototype;
        GainNode.prototype.connect = function (...all) { globalThis.sounds++; return connect.apply(this, all); };
    });
    const place = async () => {
        await page.keyboard.press('p');
        await page.getByRole('dialog').getByRole('listitem').nth(core.steps(0).filter((s) =>
            s.cells.length > 1).findIndex((s) => s.step === mark.step)).getByRole('button').click();
    };
    const moving = () => page.evaluate(() => document.getAnimations().filter((a) => a.playState === 'running').length);
    await place();
    await page.getByRole('button', { name: 'Confirm' }).click();
    equal(await page.evaluate(() => globalThis.sounds), 0, 'silent until asked');
    truth(await page.locator('.pen.fresh').count() >= 2 * mark.cells.length, 'strokes are drawn');
    await page.keyboard.press('Shift');
    equal(await moving(), 0, 'any key ends all movement');
    await page.waitForFunction(() => !document.querySelector('.flying'));
    truth(Number(await page.locator('.score .tot').evaluate((e) => e.firstChild.nodeValue)) >= 0, 'the total is a number');
    await page.getByRole('button', { name: 'Settings' }).click();
    const box = page.getByRole('dialog', { name: 'Settings' });
    equal([await box.getByRole('checkbox', { name: 'Sounds' }).isChecked(),
        await box.getByRole('slider', { name: 'Volume' }).isDisabled()], [false, true], 'off at first');
    await box.getByRole('checkbox', { name: 'Sounds' }).check();
    await box.getByRole('slider', { name: 'Volume' }).fill('0.3');
    await box.getByRole('checkbox', { name: 'Letters' }).uncheck();
    await box.getByRole('button', { name: 'Done' }).click();
    const heard = await page.evaluate(() => globalThis.sounds);
    truth(heard > 0, 'a sample');
    await page.keyboard.press('p');
    equal(await page.getByRole('dialog').count(), 0, 'letters are off');
    await page.evaluate(() => globalThis.letBotsThink());
    await page.getByRole('gridcell', { name: /can be marked/ }).first().waitFor();
    await act(page);
    truth(await page.evaluate(() => globalThis.sounds) > heard, 'the pen is heard');
    equal(await page.evaluate(() => {
        const { sound, volume, letters, vibration } = JSON.parse(localStorage.getItem('pyramids.settings'));
        return { sound, volume, letters, vibration };
    }),
        { sound: true, volume: .3, letters: false, vibration: false }, 'kept');
    await page.getByRole('button', { name: 'Sounds' }).click();
    equal(await page.getByRole('button', { name: 'Sounds' }).getAttribute('aria-pressed'), 'false', 'mute');
    // Playing faster than the animations.
    await goOn((i) => i < 6 ? act(page, i) : 'end');
    // At rest no animation runs, and none could run for ever.
    await page.getByRole('gridcell', { name: /can be marked/ }).or(page.getByRole('dialog')).first().waitFor();
    await page.waitForFunction(() => document.getAnimations().every((a) => a.playState !== 'running'));
    equal(await page.evaluate(() => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) =>
        rule.cssText.includes('infinite')).length), 0, 'no endless animation');
    quiet(page);
    await page.context().close();
});

await test('moments: a completed pyramid, the end of the game, a best game; any input ends them, and time does',
    async () => {
    const completes = (core) => core.steps(0).find((s) => s.kind === 'mark' && core.preview(0, s.step).desk.slots.some((
        slot) => slot.tomb) && core.preview(0, s.step).desk.due === 0);
    let core;
    for (let seed = 1; !core; seed++) {
        const game = newCore(site);
        playOut(game, 2, seed, (v) => v.phase === 'mark' && v.round > 0 && game.isWaiting(0) &&
            completes(game) !== undefined);
        core = game.isOver() ? undefined : game;
    }
    const step = completes(core), place = async (page, before = async () => {}) => {
        await page.getByRole('grid').first().waitFor();
        await page.keyboard.press('p');
        await page.getByRole('dialog').getByRole('listitem').nth(core.steps(0).filter((s) => s.cells.length > 1).concat(
            core.steps(0).filter((s) => s.cells.length === 1)).findIndex((s) => s.step === step.step)).getByRole(
            'button').click();
        await page.getByRole('gridcell', { name: /would be marked/ }).first().waitFor();
        await before();
        await page.getByRole('button', { name: 'Confirm' }).click();
    };
    const card = core.view(0).desks[0].slots[step.slot].card, motion = { ...DESKTOP, reducedMotion: 'no-preference' };
    const page = await openAt(core, motion), stage = page.locator('.stage'), sheet = page.getByRole('dialog',
        { name: /complete$/ });
    await page.clock.install();
    await place(page, async () => {                  // its clock stands still: the moment lasts until the test continues
        const now = await page.evaluate(() => Date.now());
        await page.clock.pauseAt(now + 1000);
    });
    // The card itself is still there while its way lights up; the sheet waits.
    await page.locator(`article[data-n="${card}"] .way-g`).waitFor({ state: 'attached' });
    for (let ms = 0; ms < 1500 && !await stage.count(); ms += 50)
        await page.clock.runFor(50);
    equal([await stage.getByText(`Pyramid ${card} complete`).count(),
        await stage.locator('.pluses span').first().innerText(), await sheet.count()], [1, '+10', 0], 'the pyramid rises');
    await page.keyboard.press('Shift');
    await sheet.waitFor();
    equal([await stage.count(), await page.locator(`.score .dn.won[data-n="${card}"]`).count()], [0, 1],
        'ended, and the chip has its ring');
    quiet(page);
    await page.context().close();
    // Without a press it ends within 1.5 s by the page's clock.
    const timed = await open(browser, 'about:blank', motion);
    await timed.clock.install();
    await timed.goto(host.url);
    await timed.evaluate((value) => localStorage.setItem('pyramids.game', JSON.stringify(value)), saved(core));
    await timed.goto(`${host.url}?clock#play`);
    await place(timed);
    await timed.locator('.way-g').first().waitFor({ state: 'attached' });
    await timed.clock.runFor(1500);
    await timed.getByRole('dialog', { name: /complete$/ }).waitFor();
    equal(await timed.locator('.stage').count(), 0, 'over');
    quiet(timed);
    await timed.context().close();
    // The end: who has won, and that it was the best game so far.
    const last = playOut(newCore(site), 2, 4, (v) => v.phase === 'mark' && v.round === 3 && v.turn === 6),
        end = await openAt(last, motion);
    await end.evaluate((record) => localStorage.setItem('pyramids.games', JSON.stringify([{ id: '5', date: 1, record,
        me: 0, edition: '' }])),
        playOut(newCore(site), 2, 4).log().replace(/^score 1 .*/m,
        'score 1 1 pyramids 0 torches 0 points 0 gems 1 skulls 0'));
    let said = [];                                   // by the moment, if it has not passed yet
    for (let i = 0; i < 12 && !await end.locator('.stage .medal').count() && !await ended(end).count(); i++) {
        await act(end);
        await end.locator('.stage .medal').or(end.getByRole('gridcell', { name: /can be marked/ })).or(ended(
            end)).first().waitFor({ state: 'attached' });
        said = await end.locator('.stage .title').allTextContents();
    }
    await ended(end).waitFor();
    const heading = await ended(end).innerText();
    equal(said.filter((title) => title !== heading), [], 'the moment names the winner as the page after it does');
    await end.getByText(/^Your best game so far: \d+ points\.$/).first().waitFor();
    quiet(end);
    await end.context().close();
});

await test('cards in full size and symbols, by mouse, keys and touch', async () => {
    const core = playOut(newCore(site), 2, 7, (v) => v.phase === 'mark' && v.round === 1 && v.turn === 3);
    // A right-to-left name shows its beginning, and leaves the words around it in order.
    const name = 'عبد الرحمن بن محمد الكبير عبد الرحمن بن محمد الكبير';
    equal(core.load(core.log().replace('player 2 Ben', `player 2 ${name}`)), null, 'the record');
    core.shuffle(1n);
    const page = await openAt(core), peek = page.getByRole('tooltip'), cards = page.getByRole('button',
        { name: /^Look at card/ });
    const shown = page.locator('.opp .nm .nmt');
    equal([await shown.innerText(), await shown.evaluate((e) => getComputedStyle(e).direction), await shown.evaluate((e) =>
        e.scrollWidth > e.clientWidth)], [name, 'rtl', true], 'the name, cut off at its end');
    equal(await page.locator('.opp').getAttribute('aria-label').then((l) => l.split(',')[0]), `\u2068${name}\u2069`,
        'kept apart');
    equal(await page.locator('.log .ln b').filter({ hasText: name }).first().evaluate((e) => getComputedStyle(
        e).direction), 'rtl', 'in the log');
    await cards.first().hover();
    await peek.locator('.pcard').waitFor();
    await page.getByRole('tooltip', { name: /^Card \d+, (green|orange|purple)$/ }).waitFor();
    await page.keyboard.press('Escape');
    await peek.waitFor({ state: 'hidden' });
    await page.locator('.score .torches .sy').first().hover();
    await peek.getByRole('link', { name: 'R11' }).hover();
    await page.waitForTimeout(300);
    truth(await peek.isVisible(), 'its link can be reached');
    equal(await peek.getByRole('link').getAttribute('href'), '#R11');
    await cards.nth(2).focus();
    await page.keyboard.press('Tab');
    await peek.locator('.pcard').waitFor();
    await page.keyboard.press('Tab');
    // A line of the log shows its moment: the marks at that time, not the present ones.
    await page.keyboard.press('l');
    const line = page.locator('.moment').last(), cells = await line.getAttribute('data-fresh');
    await line.press('Enter');
    equal(await page.getByRole('dialog').locator('.pen.fresh').count(), 2 * cells.split(' ').length,
        'its marks draw themselves');
    quiet(page);
    await page.context().close();
    const phone = await openAt(core, PHONE), touch = await phone.context().newCDPSession(phone);
    await phone.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'Score' }).tap();
    const box = await phone.locator('.score .gs').first().boundingBox();
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: box.x + 9, y: box.y + 9 }] });
    await phone.getByRole('tooltip').getByText(/^Ruby, emerald/).waitFor();
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    quiet(phone);
    await phone.context().close();
});

await test('the end of the deck: one card left, a lost extra mark, passing; the sheet laid aside', async () => {
    // Cards of one column are completed so quickly that the deck runs out.
    const narrow = () => {
        const core = newCore(site);
        equal(core.readEdition(core.edition.text.replace('name classic',
            'name narrow').replace(/^(card \d+ \w+\n)(?:.{5}\n){5}/gm, '$1##v##\n##x##\n##.##\n##x##\n##T##\n')), null,
            'edition');
        return core;
    };
    const until = (stop) => {
        for (let seed = 4; seed < 24; seed++) {
            const core = narrow();
            playOut(core, 4, seed, (v) => v.phase === 'mark' && core.isWaiting(0) && stop(v, core));
            if (!core.isOver())
                return core;
        }
        throw new Error('no such game');
    };
    const passing = await openAt(until((v) => v.desks[0].slots.every((s) => !s.card)));
    await passing.getByRole('heading', { name: 'Nothing to mark' }).waitFor();
    equal(await passing.getByText('No card left to take').count(), 2, 'both places are empty');
    const turn = await passing.locator('.roundtext.no-p').innerText();
    await passing.getByRole('button', { name: 'Pass' }).click();
    await passing.waitForFunction((t) => document.querySelector('.roundtext.no-p')?.textContent !== t, turn);
    quiet(passing);
    await passing.context().close();
    // A step that marks more crosses than there are extra marks to make after it.
    const losing = (core) => core.steps(0).find((s) => s.kind === 'mark' && core.preview(0, s.step).desk.due
        < s.cells.filter((i) => core.edition.cards[core.view(0).desks[0].slots[s.slot].card].cells[i] === 'x').length);
    const core = until((_v, c) => losing(c) !== undefined), page = await openAt(core),
        spaces = losing(core).cells.map((i) => 'abcde'[i % 5] + (1 + (i / 5 | 0))).join(' ');
    await page.keyboard.press('p');
    await page.getByRole('dialog').getByRole('button', { name: new RegExp(`: ${spaces}(:|$)`) }).first().click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('No space is left: the extra mark is lost.').first().waitFor();
    quiet(page);
    await page.context().close();
    const later = (() => {
        for (let seed = 1; ; seed++) {
            const c = playOut(newCore(site), 3, seed, (v) => v.phase === 'replace' && v.order.indexOf(0) > v.place &&
                v.place === 0);
            if (!c.isOver()) return c;
        }
    })();
    const sheetPage = await openAt(later, DESKTOP, [0], () => { Worker.prototype.postMessage = () => {}; });
    const sheet = sheetPage.getByRole('dialog', { name: /complete$/ });
    await sheet.getByText(/^\S+ chooses first, with card \d+\.$/).waitFor();
    equal(await sheet.getByRole('button', { name: /^Card/ }).first().getAttribute('aria-disabled'), 'true', 'unarmed');
    await sheet.getByRole('button', { name: 'Table' }).click();
    equal(await sheet.count(), 0, 'laid aside');
    await sheetPage.getByRole('button', { name: 'New cards' }).click();
    await sheet.waitFor();
    quiet(sheetPage);
    await sheetPage.context().close();
});

await test('several people on one device, covered in between', async () => {
    const page = await open(browser, 'about:blank');
    // The same cards each time, with which no player completes a pyramid in these turns: otherwise the player who takes a
    // card would have to choose twice.
    await page.addInitScript(() => {
        crypto.getRandomValues = (list) => list.fill(typeof list[0] === 'bigint' ? 1n : 1);
    });
    await page.goto(host.url);
    await page.getByRole('button', { name: 'One device' }).click();
    await page.getByRole('textbox', { name: 'Name of seat 1' }).fill('Ana');
    await page.getByRole('textbox', { name: 'Name of seat 2' }).fill('Ben');
    await page.getByRole('button', { name: 'Start' }).click();
    for (let i = 0; i < 6; i++) {
        const who = i % 2 ? 'Ben' : 'Ana';
        await page.getByRole('heading', { name: `Pass the device to ${who}` }).waitFor();
        equal(await page.getByRole('gridcell').count(), 0, 'nothing is seen');
        equal((await page.locator('#live').textContent()).trim(), i ? `Pass the device to ${who}` : '',
            'nothing is said of the other’s choice');
        truth(await page.getByRole('heading', { name: /Pass/ }).evaluate((h) => h === document.activeElement),
            'the focus goes along');
        if (i === 0)
            await pictures(page, 'cover');
        await page.getByRole('button', { name: `I am ${who}` }).click();
        truth(await page.evaluate(() => document.activeElement !== document.body), 'the focus is not lost');
        await page.getByRole('banner').getByText(`${who}’s cards`).waitFor();          // while they are shown
        if (i < 2)
            await page.getByRole('button', { name: 'Keep two (0 of 2)' }).waitFor();
        if (i === 2) {
            const own = page.viewportSize();
            await page.setViewportSize(PHONE.viewport);
            const said = await page.locator('.say p').innerText();
            truth(/^Round 1 · turn 1 of 7\s+\S/.test(said), `on a phone, too, the first turn says what to do: ${said}`);
            await page.setViewportSize(own);
        }
        for (let k = 0; k < 10 && !await page.getByRole('heading', { name: /Pass the device/ }).count(); k++)
            await act(page);
    }
    quiet(page);
    await page.context().close();
});

await test('odd addresses, back and forward, two windows, bots that cannot be fetched', async () => {
    const page = await open(browser, `${host.url}#%`, { ...DESKTOP, serviceWorkers: 'block' }),
        home = page.getByRole('heading', { name: 'Find the way down to the tomb.' });
    await home.waitFor();
    await page.goto(`${host.url}#toString`);
    await home.waitFor();
    for (const hash of ['replay/1', 'pad', 'replay']) {
        await page.goto(`${host.url}#${hash}`);
        await (hash === 'pad' ? page.getByRole('heading', { name: 'Score pad' }) :
            page.getByText('This game is not saved in this browser.').first()).waitFor();
    }
    // A user who moves on before a view has loaded sees the later one; an address without a game does not block the way
    // back.
    await page.goto(`${host.url}?anew`);
    await home.waitFor();
    await page.evaluate(() => { location.hash = 'pad'; });
    await page.getByRole('heading', { name: 'Score pad' }).waitFor();
    await page.evaluate(() => new Promise((resolve) => {
        location.hash = 'rules';
        setTimeout(() => { location.hash = 'play'; setTimeout(resolve, 100); });
    }));
    await home.waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
    // The owner of the game's name, and that the project is independent.
    await page.getByText('Its name belongs to its publishers. Pyramids is an independent project').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Score pad' }).waitFor();
    await page.goto(`${host.url}?bots`);
    let blocked = true;
    await page.context().route('**/worker.js', (route) => blocked ? route.abort() : route.continue());
    await begin(page);
    await page.getByText('This part could not be loaded. Are you offline?').waitFor();
    blocked = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await keep(page);
    const cells = page.getByRole('gridcell', { name: /can be marked/ });
    await cells.first().waitFor();
    truth(await page.evaluate(() => document.activeElement !== document.body),
        'the focus is not lost with the chosen cards');
    equal(await page.getByText('This part could not be loaded').count(), 0, 'all is well again');
    // Of two windows the one in which a choice is made plays on; the other pauses until it is told to play.
    const other = await page.context().newPage();
    await other.goto(`${host.url}#play`);
    await other.getByRole('gridcell').first().waitFor();
    const rest = [page, other].map((p) => p.getByText('You are playing this seat in another window.'));
    await act(other);
    await rest[0].waitFor();
    await act(page);
    equal(await rest[1].count(), 0, 'a window that rests says nothing to the other');
    await page.getByRole('button', { name: 'Play here' }).click();
    await page.getByText(/Round 1 of 4, turn 2 of 7|^One more space$/).first().waitFor();
    await act(page);
    await rest[1].waitFor();
    // Opened at once, one of the two plays and the other one pauses. Of two claims in the same moment the greater one
    // wins, in both windows.
    await Promise.all([page, other].map((p) => p.reload()));
    await Promise.all([page, other].map((p) => p.getByRole('gridcell').first().waitFor()));
    let count = [];
    for (let i = 0; i < 200 && count.join('') !== '01' && count.join('') !== '10'; i++) {
        await page.waitForTimeout(25);
        count = await Promise.all(rest.map((r) => r.count()));
    }
    equal(count[0] + count[1], 1, 'one rests');
    const playing = count[0] ? other : page;
    const hear = (random) => playing.evaluate((part) => {
        const key = 'pyramids.game', mine = localStorage.getItem(key), claim = JSON.parse(mine).claim,
            theirs = mine.replace(claim, `${claim.split('.')[0]}.${part}`);
        localStorage.setItem(key, theirs);
        dispatchEvent(new StorageEvent('storage', { key, newValue: theirs }));
        return JSON.parse(localStorage.getItem(key)).claim === claim;
    }, random);
    equal([await hear('!'), await rest[count[0] ? 1 : 0].count()], [true, 0],
        'the greater claim goes on, and its game is kept');
    equal([await hear('~'), await rest[count[0] ? 1 : 0].count()], [false, 1], 'the smaller one rests');
    // blocked above: the bots, and the service worker that would have cached them
    page.complaints = page.complaints.filter((c) => !/ERR_FAILED/.test(c));
    quiet(page);
    await page.context().close();
});

await test('a browser that keeps nothing, has no worker, gets no engine or another’s leftovers', async () => {
    const refusing = playOut(newCore(site), 2, 4, (v) => v.phase === 'mark' && v.round === 3 && v.turn === 6);
    const page = await openAt(refusing, DESKTOP, [0], () => {
        Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };
    });
    await finish(page);
    await page.getByRole('link', { name: 'Watch replay' }).click();
    await page.getByRole('button', { name: 'Step forward' }).waitFor();
    await page.getByRole('link', { name: 'Pyramids, home' }).click();
    await page.getByRole('link', { name: 'Games' }).click();
    await page.locator('.games .pastrow').first().waitFor();
    equal(await page.locator('.games .pastrow').count(), 1, 'games kept while the page is open');
    quiet(page);
    await page.addInitScript(() => {
        delete globalThis.Worker;
        Object.defineProperty(navigator, 'serviceWorker', { value: undefined });
    });
    await page.goto(`${host.url}?worker`);
    await begin(page);
    await page.getByText('This part could not be loaded. Are you offline?').waitFor();
    quiet(page);
    await page.context().close();
    const late = await open(browser, 'about:blank', { ...DESKTOP, serviceWorkers: 'block' }),
        none = late.getByText('This part could not be loaded. Are you offline?');
    let blocked = true;
    await late.context().route('**/pyramids.wasm', (route) => blocked ? route.abort() :
        route.fulfill({ path: `${site}/pyramids.wasm`, contentType: 'application/octet-stream' }));
    await late.goto(`${host.url}#pad`);
    await late.getByRole('heading', { name: 'This part could not be loaded. Are you offline?' }).waitFor();
    await late.goto(host.url);
    await late.getByRole('button', { name: 'Play', exact: true }).click();
    await none.first().waitFor();
    blocked = false;
    await begin(late);
    // blocked here: the engine and the service worker
    const calm = () => equal(late.complaints.filter((c) => !/ERR_FAILED/.test(c)), [], 'the console');
    calm();
    // A game in progress would be saved over the leftovers.
    await late.goto(`${host.url}?left`);
    await late.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await late.evaluate(() => {
        for (const key of ['game', 'games', 'editions', 'settings', 'pad', 'draft', 'learn'])
            localStorage.setItem(`pyramids.${key}`, '{"of": "another"}');
    });
    for (const [hash, name] of [['', 'Find the way down to the tomb.'], ['pad', 'Score pad'], ['games', 'Games'],
        ['edition', 'Your own edition']]) {
        await late.goto(`${host.url}?leftovers=${hash}#${hash}`);
        await late.getByRole('heading', { name, exact: true }).waitFor();
    }
    calm();
    await late.addInitScript(() => { delete globalThis.WebAssembly; });
    await late.goto(`${host.url}?none#rules`);
    await late.getByRole('heading',
        { name: 'Pyramids cannot run in this browser: WebAssembly is missing or turned off.' }).waitFor();
    await late.context().close();
});

await browser.close();
host.close();
done();
