// learn.mjs SITE: the whole tutorial on a phone, with one wrong attempt; a first game with its tips; the examples of the
// rules; score pad, own editions; then a game without a network.
import { readFileSync } from 'node:fs';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, allKept, go, launch, open, pictures, serve, settled } from './site.mjs';
import { act, begin, goOn, keep } from './player.mjs';
import { newCore, playOut, saved } from './games.mjs';

const host = await serve(process.argv[2]), browser = await launch();
const tap = (l) => l.tap();

/** Details in the rulebook that a lesson must not leave out. */
const LEARNED = { 7: ['After the tenth skull'], 9: ['stays face up', 'number from 1 to 48', 'lowest number chooses first'],
    10: ['2nd, 4th and 6th', 'more than once', 'breaks a tie'] };

await test('who does what a lesson says gets what it says: the whole pattern, on either card', async () => {
    const page = await open(browser, host.url, PHONE);
    for (const [step, ...spaces] of [[2, 0, 1], [3, 0, 1], [5, 'e1, emerald'], [6, 'c1, torch'], [7, 'c4, potion'],
        [8, 'b2, red cross'], [10, 'a5, tomb']]) {
        await go(page, `learn/${step}`);
        await page.getByText(`Step ${step} of 10`).first().waitFor();
        for (const space of spaces) {
            const asked = page.getByRole('gridcell', { name: typeof space === 'number' ? /entrance, (can|would) be marked/ :
                `${space}, can be marked` });
            await tap(asked.nth(typeof space === 'number' ? space : 0));
            truth(await page.getByRole('gridcell', { name: /would be marked/ }).count() > 1,
                `step ${step}: a tap on ${space} places the pattern`);
        }
    }
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('lessons 1 to 3 ask for three things; the last one rings the tomb of its card', async () => {
    const page = await open(browser, host.url, DESKTOP), core = newCore(process.argv[2]);
    const { LESSONS } = await import('../../web/lessons.js');
    // No placement in the first lesson marks a skull.
    equal(core.load(LESSONS.one), null, 'the record');
    equal(core.steps(0).filter((s) => s.cells.some((i) => core.edition.cards[core.view(0).desks[0].slots[
        s.slot].card].cells[i] === 's')).length, 0, 'skulls in lesson 1');
    await go(page, 'learn/1');
    await page.getByText('Click an entrance, then Confirm.').first().waitFor();       // with a mouse it says "click"
    // The second: the same space again and again until the ruby is covered.
    await go(page, 'learn/2');
    await page.getByRole('heading', { name: 'The first mark' }).waitFor();
    const entrance = page.getByRole('gridcell', { name: /d1, entrance/ }).first(), ruby = page.getByRole('gridcell',
        { name: /e1, ruby, would be marked/ });
    for (let i = 0; i < 8 && !await ruby.count(); i++)
        await entrance.click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Well done' }).waitFor();
    // The third: Rotate changes a placed pattern on either card; if it cannot, it gives the reason.
    await go(page, 'learn/3');
    await page.getByRole('heading', { name: 'Turn and mirror' }).waitFor();
    const placed = () => page.getByRole('gridcell', { name: /would be marked/ }).evaluateAll((all) => all.map((c) => `${
        c.dataset.slot}.${c.dataset.cell}`).join());
    for (const card of [0, 1]) {
        await page.getByRole('gridcell', { name: /entrance, (can|would) be marked/ }).nth(card).click();
        const before = await placed();
        await page.getByRole('button', { name: /^Rotate/ }).click();
        truth(await placed() !== before, `it turns on card ${card}`);
    }
    // The ring is on the card of the lesson, and its animation ends.
    await go(page, 'learn/10');
    await page.locator('.aimhere').first().waitFor();
    equal(await page.locator('article:has(.aimhere)').count(), 1, 'one card');
    truth((await page.locator('article:has(.aimhere)').getAttribute('aria-label') ?? await page.locator(
        'article:has(.aimhere)').innerText()).includes('34'), 'card 34');
    const ring = await page.locator('.aimhere.in').evaluate((e) => ({ stroke: getComputedStyle(e).stroke,
        moves: getComputedStyle(e).animationName }));
    equal(ring, { stroke: 'rgb(29, 78, 158)', moves: 'none' }, 'lapis, which is seen on gold');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('the tutorial, ten steps, by touch', async () => {
    const page = await open(browser, host.url, PHONE);
    await tap(page.getByRole('link', { name: 'Start', exact: true }));
    const wanted = [/./, /ruby/, / \w\d \w\d \w\d/, / \w\d \w\d/, /emerald/, /torch/, /potion/, /red cross/, /tomb/, /tomb/];
    let wentBack = false;
    for (let step = 1; step <= 10; step++) {
        await page.getByText(`Step ${step} of 10`).first().waitFor();
        const well = page.getByRole('heading', { name: 'Well done' });
        for (let k = 0; k < 8 && !await well.count(); k++) {
            await tap(page.getByRole('button', { name: 'Menu' }).first());
            await tap(page.getByRole('button', { name: 'List placements' }));
            const list = page.getByRole('dialog', { name: 'List placements' }).getByRole('listitem').getByRole('button');
            await list.first().waitFor();            // the menu closes first
            const texts = await list.allInnerTexts();
            const fitting = texts.map((t, i) => wanted[step - 1].test(t) ? i : -1).filter((i) => i >= 0);
            truth(fitting.length > 0, `step ${step} has what it asks for: ${texts}`);
            await tap(list.nth(fitting[k % fitting.length]));
            await tap(page.getByRole('button', { name: /^(Confirm|Next)/ }));
            if (step === 8) {
                await tap(page.getByRole('gridcell', { name: /can be marked/ }).last());
                await tap(page.getByRole('button', { name: /^(Confirm|Next)/ }));
            }
            if (step > 8) {
                const sheet = page.getByRole('dialog', { name: /complete$/ });
                await sheet.or(well).first().waitFor();
                if (await sheet.count()) {
                    await tap(sheet.getByRole('button', { name: /^Card/ }).first());
                    await tap(sheet.getByRole('button', { name: /^Take \d/ }));
                }
            }
            await settled(page);
        }
        await pictures(page, `learn-${step}`);
        for (const says of LEARNED[step] ?? [])
            truth((await page.getByRole('dialog', { name: 'Well done' }).innerText()).includes(says),
                `step ${step} says: ${says}`);
        if (step === 3 && !wentBack) {   // going back closes the dialog, and does not count as an answer
            wentBack = true;
            await page.goBack();
            await page.getByText('Step 2 of 10').first().waitFor();
            await settled(page);
            equal(new URL(page.url()).hash, '#learn/2', 'back is back');
            await page.goForward();
            step--;
            continue;
        }
        await tap(page.getByRole('button', { name: step < 10 ? 'Next step' : 'Play a first game' }));
    }
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    // Progress is kept: opened again it is at the last step, and any step can be chosen.
    await page.goto(`${host.url}#learn/2`);
    await page.getByText('Step 2 of 10').first().waitFor();
    await tap(page.getByRole('gridcell', { name: /can be marked/ }).first());
    await tap(page.getByRole('button', { name: 'One space' }));
    await tap(page.getByRole('gridcell', { name: /can be marked/ }).first());
    await tap(page.getByRole('button', { name: /^(Confirm|Next)/ }));
    await page.getByText('That way the ruby is not covered. Tap the entrance again to see the next way.').first().waitFor();
    equal(await page.getByRole('button', { name: 'Confirm' }).getAttribute('aria-disabled'), 'true',
        'nothing is left of the try');
    // The place for the next choice is ringed until something is placed.
    await go(page, 'learn/5');
    await page.getByRole('heading', { name: 'Gems and pairs' }).waitFor();
    equal(await page.locator('.aimhere.in').count(), 1, 'a ring');
    await tap(page.getByRole('gridcell', { name: /can be marked/ }).first());
    equal(await page.locator('.aimhere').count(), 0, 'no ring');
    // The menu also has the entries of the top bar.
    await page.setViewportSize({ width: 320, height: 568 });
    await tap(page.getByRole('button', { name: 'Menu' }).last());
    await tap(page.getByRole('dialog').getByRole('button', { name: 'Skip' }));
    await page.getByRole('heading', { name: 'One torch per round' }).waitFor();
    // In landscape, too, the phone shows the instruction, beside all the buttons.
    await page.setViewportSize({ width: 844, height: 390 });
    await settled(page);
    const task = await page.locator('.say p').boundingBox(), cards = await page.locator('.cards-in').boundingBox();
    truth(task.width > 300 && task.y >= 0 && task.y + task.height <= cards.y && cards.y + cards.height <= 390,
        'the task stands above the cards');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('a first game says what to do, later ones do not', async () => {
    const page = await open(browser, host.url, PHONE), game = playOut(newCore(process.argv[2]), 2, 3,
        (v) => v.phase === 'mark');
    truth(game.steps(0).some((s) => s.kind === 'mark' && s.cells.length > 1), 'the pattern fits somewhere');
    await page.evaluate((kept) => localStorage.setItem('pyramids.game', JSON.stringify(kept)), saved(game));
    await go(page, 'play');
    await page.getByText('Tap a space with blue corners: the pattern goes there.').first().waitFor();
    await tap(page.getByRole('gridcell', { name: /can be marked/ }).first());
    await page.getByText(/^This is what you would gain|^The pattern does not fit here/).first().waitFor();
    await page.evaluate(() => localStorage.setItem('pyramids.games', JSON.stringify([{ id: '1', date: 1, record: '', me: 0,
        edition: '' }])));
    await page.reload();
    await page.getByText('On either card, or mark one space instead.').first().waitFor();
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('the examples of the rules, step by step, with the results that the rules give', async () => {
    const page = await open(browser, `${host.url}#E2`, PHONE);
    const board = (tag) => page.getByRole('group', { name: `Example ${tag}` });
    /** The text, and the points of each player, at every step. */
    const walk = async (tag) => {
        const steps = [], next = board(tag).getByRole('button', { name: 'Step forward' });
        for (;;) {
            steps.push({ say: await board(tag).locator('.exs p').innerText(),
                tiles: await board(tag).locator('.pp .v').evaluateAll((list) =>
                list.map((v) => v.querySelector('use')?.getAttribute('href') ?? v.textContent).join(' ')),
                torches: await board(tag).locator('.bits span:nth-child(3)').first().innerText().catch(() => '') });
            if (await next.getAttribute('aria-disabled') === 'true')
                return steps;
            await tap(next);
        }
    };
    await board('E1').waitFor();
    equal(await page.evaluate(() => document.activeElement.id), 'E2', 'the link leads there');
    const [e1, e2, e3, e4, e5] = [await walkOnly('E1'), await walk('E2'), await walk('E3'), await walk('E4'),
        await walkOnly('E5')];
    async function walkOnly(tag) {
        const says = [], next = board(tag).getByRole('button', { name: 'Step forward' });
        for (;;) {
            says.push(await board(tag).locator('.exs p').innerText());
            if (await next.getAttribute('aria-disabled') === 'true')
                return says;
            await tap(next);
        }
    }
    // E1: 70 + 10 + 19 + 18 - 6 = 111, part by part.
    equal(e1.at(-1), '70 + 10 + 19 + 18 − 6 = 111', 'E1');
    equal((await board('E1').getByRole('row').allInnerTexts()).slice(1).map((r) =>
        r.split(/\s+/).find((w) => /^−?\d+$/.test(w))), ['70', '10', '19', '18', '−6', '111', undefined].slice(0, -1),
        'E1, the parts');
    // As in the rulebooks: 4 green, 2 orange, and one more; points for green and for orange.
    const shelf = (tag, player = '') => board(tag).locator(player ? `.opp:has-text("${player}") .dn` :
        '.opp .dn').evaluateAll((all) => all.map((e) => [e.className.match(/k-(\w+)/)[1],
        Number(e.textContent.match(/\d+/)[0])]));
    const colours = (list) => ['green', 'orange', 'purple'].map((k) => list.filter(([c]) => c === k).length);
    equal(colours(await shelf('E1')), [4, 2, 1], 'E1, the pyramids');
    equal(await board('E1').locator('.pp li').evaluateAll((all) => all.map((li) =>
        [li.className.slice(2), [...li.querySelectorAll('.v')].filter((v) => v.querySelector('[href="#a-cat"]')).map((v) =>
        parseInt(v.textContent, 10))])),
        [['green', [6, 3]], ['orange', [10]]], 'E1, where the 19 points are from');
    // E2: every card has the colour that the rulebook (33 and 15) or our box gives it; both players complete nothing but
    // purple.
    const printed = newCore(process.argv[2]).edition.cards, e2cards = [await shelf('E2', 'Ana'), await shelf('E2', 'Ben')];
    equal(e2cards.map((l) => [colours(l), l.every(([c, n]) => c === ([15, 33].includes(n) ? 'purple' : printed[n].colour))]),
        [[[0, 0, 2], true], [[0, 0, 4], true]], 'E2, the pyramids');
    truth(e2cards[0].some(([, n]) => n === 33) && e2cards[1].some(([, n]) => n === 15), 'E2, the numbers');
    // E2: 15 takes 6, 33 takes 3, purple is exhausted. Ana is the cat, Ben the jackal.
    equal(e2.map((s) => s.tiles), ['#a-jackal 6 3', '#a-jackal 6 3', '#a-jackal 6 3', '#a-jackal #a-jackal 3',
        '#a-jackal #a-jackal #a-cat'], 'E2');
    truth(/33.*Ben.*15/.test(e2[1].say) && /Ben takes 6/.test(e2[3].say) && /Ana takes 3/.test(e2[4].say), 'E2 says so');
    // E3: each takes the 10 of that colour.
    equal(e3.map((s) => s.tiles), ['10 6 3 10 6 3', '10 6 3 10 6 3', '#a-cat 6 3 10 6 3', '#a-cat 6 3 #a-jackal 6 3'], 'E3');
    // E4: the first torch, nothing, the second torch in round 2.
    equal(e4.map((s) => s.torches), ['0', 'I', 'I', 'I II'], 'E4');
    // E5: the L, turned and mirrored, covers the entrance.
    truth(/does not fit/.test(e5[0]) && /does not fit/.test(e5[1]) && /covers the entrance of card 6/.test(e5[2]), 'E5');
    equal(await board('E5').locator('.pen').count(), 8, 'E5, four spaces, two strokes each');
    await pictures(page, 'examples');
    // The same words as in the terminal: one translation serves both.
    const rulebook = readFileSync(new URL('../../src/text/rulebook.inc', import.meta.url), 'utf8').replace(/"\s*"/g, '');
    const rules = rulebook.split('\nRULE("').slice(1).map((rule) => /** @type {[string, string[]]} */ ([rule.split('"')[0],
        [...rule.matchAll(/^(?:TEXT\(|SYMBOL\("\w+", )N_\("(.*)"\)/gm)].map(([, text]) => text)]));
    equal(rules.length, 32, 'all rules were found');
    truth(rules.every(([, texts]) => texts.length), 'with their texts');
    for (const [tag, texts] of rules) {
        const said = (await page.locator(`#${tag} > div`).first().evaluate((e) => e.textContent)).replace(/\s+/g, ' ');
        for (const text of texts)
            truth(said.includes(text), `${tag} says: ${text}`);
    }
    // The notice of the library in the module, as its licence asks.
    const notice = new URL(await page.locator('.about a').getAttribute('href') ?? '', page.url()).href;
    truth((await (await page.request.get(notice)).text()).includes('Copyright (c) 2010 Serge Zaitsev'), 'the notice');
    // Search by words and by tag; every paragraph is a link to itself.
    const tags = () => page.locator('.rl').evaluateAll((list) => list.map((l) => l.id));
    truth((await tags()).length === 32 && (await page.locator('.tagl').evaluateAll((list) =>
        list.every((a) => a.hash === `#${a.textContent}`))), 'tags');
    await page.getByRole('searchbox').fill('q7');
    equal(await tags(), ['Q7'], 'a tag');
    await page.getByRole('searchbox').fill('torch round 1');
    truth((await tags()).includes('E4') && !(await tags()).includes('R17'), 'words');
    equal(page.complaints, [], 'the console');

    // The score pad: E1 once more, by touch; undo; a new game only after confirmation; a reload keeps it.
    await go(page, 'pad');
    const first = page.locator('.padsheet').first(), total = () => first.locator('output').innerText();
    const press = (name) => tap(first.getByRole('button', { name, exact: true })),
        costs = (n) => page.getByRole('spinbutton', { name: `Skull ${n} costs`, exact: true });
    for (const [colour, n] of [['green', 4], ['orange', 2], ['purple', 1]])
        for (let i = 0; i < n; i++)
            await press(`One ${colour} pyramid more`);
    for (const name of ['Torch of round 1', 'Torch of round 4', '6 points for green', '3 points for green',
        '10 points for orange', 'Ruby 6', 'Emerald 3', 'Skull 5'])
        await press(name);
    // The rulebook does not print what skulls cost: until the owner of the box has entered it nothing is subtracted, and
    // the pad shows that.
    equal(await total(), '117', 'without the skulls');
    await first.getByText('Not subtracted yet: enter the skull penalties first.').waitFor();
    for (const [i, value] of [2, 2, 4, 5, 6, 7, 9, 9, 12, 20].entries())
        await costs(i + 1).fill(String(value));
    equal(await total(), '111', 'the pad counts as the rules do, with the numbers of the box');
    await press('Skull 6, minus 7');
    equal(await total(), '110', 'the worst one counts');
    await costs(6).fill('1');
    await page.getByText('A skull costs less than the one before it; penalties must not decrease').waitFor();
    equal(await total(), '117', 'numbers that cannot be are not used');
    await costs(6).fill('7');
    await page.reload();
    equal([await total(), await costs(10).inputValue()], ['110', '20'], 'entered once, kept');
    const from = page.getByRole('combobox', { name: 'Skull penalties of' });
    await from.selectOption('Classic (suggestion)');
    await page.getByText('These are the penalties of our own Classic edition, not those of your box.').waitFor();
    equal(await total(), '109', 'Classic’s sixth is 8');
    await from.selectOption('my box');
    equal([await total(), await costs(6).inputValue()], ['110', '7'], 'what was typed is still there');
    await press('Skull 6, minus 7');
    equal(await total(), '111', 'ticked again: erased');
    await press('Emerald 3');
    equal(await total(), '107', 'ticked again: erased');
    await tap(page.getByRole('button', { name: 'Undo' }));
    equal(await total(), '111', 'undone');
    // Points of another player cannot be removed by accident.
    const second = page.locator('.padsheet').nth(1), ten = second.getByRole('button',
        { name: '10 points for orange, Player 1 has them' });
    await tap(ten);
    const ask = page.getByRole('dialog', { name: 'Take the 10 points from Player 1?' });
    await tap(ask.getByRole('button', { name: 'Cancel' }));
    await ask.waitFor({ state: 'detached' });
    equal([await total(), await second.locator('output').innerText()], ['111', '0'], 'kept');
    await tap(ten);
    await tap(ask.getByRole('button', { name: 'Take over' }));
    await second.locator('output').filter({ hasText: /^10$/ }).waitFor();
    equal(await total(), '101', 'taken over');
    await tap(page.getByRole('button', { name: 'Undo' }));
    equal(await total(), '111', 'undone');
    await tap(page.getByRole('button', { name: 'New game' }));
    await tap(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
    equal(await total(), '111', 'not cleared');
    await page.reload();
    equal(await total(), '111', 'kept');
    await pictures(page, 'pad-full');
    await tap(page.getByRole('button', { name: 'New game' }));
    await tap(page.getByRole('dialog').getByRole('button', { name: 'New game' }));
    await first.locator('output').filter({ hasText: /^0$/ }).waitFor();       // cleared
    equal(await costs(10).inputValue(), '20', 'the penalties of the box stay');
    truth(await page.locator('.padsheet button').evaluateAll((list) => list.every((b) => {
        const { width, height } = b.getBoundingClientRect();
        return width >= 40 && height >= 44;
    })), 'for thumbs');

    // Editions: for any file, the reader reports the error, and the page still works.
    const classic = await page.evaluate(() => fetch('classic.edition').then((r) => r.text()));
    const mine = classic.replace(/^name .*/m, 'name mine');
    const status = page.getByRole('status').filter({ hasText: /./ }).first(),
        area = page.getByRole('textbox', { name: 'Text of the edition' });
    for (const [what, bytes, says] of [['empty', '', /^Line 1: wrong format: the first line must be/],
        ['binary', Buffer.from([0, 255, 1, 2, 200, 13, 10, 0]), /^Line 1: byte 1/], ['with a mark and Windows line ends',
        `\ufeff${mine.replaceAll('\n', '\r\n')}`, /^No problems found/],
        ['cut short', mine.slice(0, 300), /^(Line \d+: )?.*expected/], ['one long line', 'x'.repeat(20000),
        /^Line 1: the line is too long/]]) {
        await go(page, 'editions');
        await page.locator('input[type=file]').setInputFiles({ name: `${what}.edition`, mimeType: 'text/plain',
            buffer: Buffer.from(bytes) });
        await area.waitFor();
        await page.locator('.checkline span').filter({ hasText: says }).waitFor();
        await go(page, `nowhere-${what.replaceAll(' ', '-')}`);
    }
    await go(page, 'editions');
    await page.locator('input[type=file]').setInputFiles({ name: 'huge.edition', mimeType: 'text/plain',
        buffer: Buffer.alloc(5000000, 'a') });
    await page.getByText('huge.edition is too large for an edition.').first().waitFor();
    // Drawn by tapping, kept over a reload and over a rejected file, saved, removed.
    await go(page, 'edition');
    await area.fill(mine);
    await go(page, 'editions');
    await page.locator('input[type=file]').setInputFiles({ name: 'other.edition', mimeType: 'text/plain',
        buffer: Buffer.from('other') });
    await tap(page.getByRole('dialog', { name: 'Start over?' }).getByRole('button', { name: 'Cancel' }));
    await go(page, 'edition');
    await tap(page.getByRole('radio', { name: 'skull' }));
    const empty = page.locator('.ed-grid').getByRole('button', { name: /empty$/ }).first(),
        name = (await empty.getAttribute('aria-label')).slice(0, 2);
    await tap(empty);
    await page.getByRole('button', { name: `${name}, skull` }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: `${name}, skull` }).waitFor();
    await tap(page.getByRole('button', { name: 'Save' }));
    await page.getByRole('combobox', { name: 'Edition' }).waitFor();
    equal(await page.locator('.look').count(), 48, 'all cards are seen');
    await tap(page.getByRole('button', { name: 'Remove' }));
    await tap(page.getByRole('dialog').getByRole('button', { name: 'Remove' }));
    await page.getByRole('button', { name: 'Draw your own' }).waitFor();
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('a game without a network, after the first visit', async () => {
    const page = await open(browser, host.url, { ...PHONE, serviceWorkers: 'allow' });
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await allKept(page);
    host.sent.down = true;
    await page.reload();
    await page.getByRole('button', { name: '1 opponent, Novice' }).tap();
    await page.getByRole('radio', { name: 'Expert' }).tap();
    await page.getByRole('button', { name: 'Done' }).tap();
    await begin(page, tap);
    await keep(page, tap);
    let marks = 0;
    await goOn(async () => {
        const what = await act(page);
        return what === 'mark' && ++marks === 5 ? 'end' : what;
    });
    for (const hash of ['rules', 'pad', 'editions', 'games', 'learn/1']) {
        await page.goto(`${host.url}#${hash}`);
        await page.locator('.page, .table').first().waitFor();
    }
    equal(page.complaints, [], 'the console');
    // Without a server friends cannot be invited, and the page shows that.
    await page.goto(`${host.url}#friends/new`);
    await page.getByText(/no game server/).waitFor();
    await pictures(page, 'no-server');
    host.sent.down = false;
    await page.context().close();
});

await browser.close();
host.close();
done();
