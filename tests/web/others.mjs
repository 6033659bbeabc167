// others.mjs SITE: what is shown of other players: completed pyramids, lost extra marks, points that are used up, an
// empty deck, ties.
import { readFileSync } from 'node:fs';
import { constants, deflateRawSync } from 'node:zlib';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture, pictures, serve, settled } from './site.mjs';
import { NAMES, analysed, newCore, playOut, saved } from './games.mjs';
import { act, begin, goOn, keep } from './player.mjs';

const site = process.argv[2], host = await serve(site), browser = await launch();
const quiet = (page) => equal(page.complaints, [], 'the console');
const COLOURS = ['green', 'orange', 'purple'];
/** In the page: the moves of others stay on the cards until a touch, however long the test takes (SHOWN in strip.js, and
 * 120 ms for each). */
const movesStay = () => {
    const { setTimeout: later } = globalThis;
    globalThis.setTimeout = (run, ms, ...more) => later(run, ms >= 2400 && ms <= 2400 + 3 * 120 ? 1e8 : ms, ...more);
};
const restingBots = () => { Worker.prototype.postMessage = () => {}; };

async function openAt(core, options = DESKTOP, ...scripts) {
    const game = saved(core);
    if (core.edition.name !== 'classic')
        game.edition = core.edition.text;
    const page = await open(browser, `${host.url}#play`, { ...options, kept: { game }, scripts });
    await page.locator('.table').first().waitFor();
    return page;
}

/** Every card is one column with these five spaces, from the entrance to the tomb. */
function narrow(column, more = (text) => text) {
    const core = newCore(site), rows = [...column].map((c) => `##${c}##\n`).join('');
    equal(core.readEdition(more(core.edition.text.replace('name classic',
        'name narrow').replace(/^(card \d+ \w+\n)(?:.{5}\n){5}/gm, `$1${rows}`))), null, 'edition');
    return core;
}

/** The expected text for a seat and a colour in the race (TABLE 3), from the engine's numbers. */
function raceWords(core, view, c, s) {
    const k = COLOURS[c], n = view.desks[s].done.filter((card) => core.edition.cards[card].colour === k).length;
    const won = [10, 6, 3].filter((_v, i) => view.tiles[c][i] === s), left = [10, 6, 3].find((_v,
        i) => view.tiles[c][i] < 0);
    const near = left !== undefined && n % 2 === 1 && n < 6;
    return { words: `${NAMES[s]}: ${n} ${k}${won.length ? `, has ${won.join(', ')}` : ''}${near ? ', one to go' : ''}`,
        near: near ? 1 : 0, left };
}

await test('the race for the points: coins, counts, one to go, a colour used up; what is placed counts at once',
    async () => {
    const games = [[4, 5, 3, 2], [4, 7, 2, 3], [3, 2, 1, 5]].map(([players, seed, round, turn]) =>
        playOut(newCore(site), players, seed, (v) => v.phase === 'mark' && v.round === round && v.turn === turn));
    const page = await open(browser, host.url), bare = (text) => text.replace(/[\u2066-\u2069]/g, '');
    let used = 0, close = 0, several = 0;
    for (const [i, core] of games.entries()) {
        const view = core.view(0);
        await page.evaluate((game) => localStorage.setItem('pyramids.game', JSON.stringify(game)), saved(core));
        await page.goto(`${host.url}?race${i}#play`);
        await page.getByRole('table').first().waitFor();
        equal((await page.getByRole('columnheader').allInnerTexts()).map((t) => bare(t.trim())).slice(1), NAMES.slice(0,
            view.desks.length), 'mine first');
        for (const [c, k] of COLOURS.entries()) {
            const row = page.locator(`.right .race tr.k-${k}`), { left } = raceWords(core, view, c, 0);
            equal((await row.getByRole('rowheader').innerText()).trim().split('\n')[0],
                left ? `${k}: ${left} points next` : `${k}: no points left`, 'the coin');
            used += left ? 0 : 1;
            for (const s of view.desks.keys()) {
                const cell = row.locator(`[data-race="${k}.${s}"]`), wanted = raceWords(core, view, c, s);
                equal(bare(await cell.locator('.vh').innerText()), wanted.words, `game ${i}: ${k} of ${NAMES[s]}`);
                equal(await cell.locator('.near').count(), wanted.near, 'a dashed frame');
                close += wanted.near;
                several += view.tiles[c].filter((o) => o === s).length > 1 ? 1 : 0;
            }
        }
    }
    console.log(`# colours used up: ${used}, one to go: ${close}, two coins of a colour in one hand: ${several}`);
    truth(used > 0 && close > 4, 'the games have what is to be seen');
    // With a tomb placed, the player's own cell shows the result in advance.
    const core = newCore(site);
    const withTomb = () => core.steps(0).find((s) => core.preview(0, s.step).desk.slots.some((slot) => slot.tomb));
    playOut(core, 4, 7, (v) => v.phase === 'mark' && v.round > 1 && core.isWaiting(0) && withTomb() !== undefined);
    truth(!core.isOver(), 'a tomb can be marked');
    const tomb = withTomb();
    const colour = core.edition.cards[core.view(0).desks[0].slots[tomb.slot].card].colour;
    await page.evaluate((game) => localStorage.setItem('pyramids.game', JSON.stringify(game)), saved(core));
    await page.goto(`${host.url}?soon#play`);
    await page.getByRole('grid').first().waitFor();
    await page.keyboard.press('p');
    await page.getByRole('dialog').getByRole('listitem').nth(core.steps(0).findIndex((s) =>
        s.step === tomb.step)).getByRole('button').click();
    await page.locator(`.right .race [data-race="${colour}.0"] .soon`).waitFor();
    equal(await page.locator('.right .race .soon').count(), 1, 'only there');
    quiet(page);
    await page.context().close();
});

await test('the others at the table: shelves, counts and moves; on a phone a strip that is always there', async () => {
    const core = playOut(newCore(site), 4, 5, (v) => v.phase === 'mark' && v.round === 3 && v.turn === 2),
        view = core.view(0), { cards } = core.edition;
    const shelf = (s, k) => view.desks[s].done.filter((n) => cards[n].colour === k);
    const words = (s) => COLOURS.filter((k) => shelf(s, k).length).map((k) => `${k} ${shelf(s, k).join(', ')}`).join('; ');
    // In the order in which they were completed.
    const inOrder = (s) => core.lines().filter((l) => l.startsWith(`mark ${s + 1} `)).flatMap((l) => l.split(' ')[2].split(
        '+'))
        .filter((part) => part.match(/[a-e][1-5]/g).some((at) => cards[part.split(':')[0]].cells['abcde'.indexOf(
            at[0]) + 5 * (at[1] - 1)] === 'T'))
        .map((part) => part.split(':')[0]);
    truth(view.desks.every((d) => d.done.length > 2), 'everyone has completed some');
    const page = await openAt(core), bare = (text) => text.replace(/[\u2066-\u2069]/g, ''), peek = page.getByRole('tooltip');
    for (const s of [1, 2, 3]) {
        const panel = page.locator(`.opp[data-seat="${s}"]`), button = panel.getByRole('button',
            { name: 'Completed pyramids' }), desk = view.desks[s];
        equal(bare(await button.getAttribute('aria-label')), `Completed pyramids of ${NAMES[s]}: ${words(s)}`, 'in words');
        equal(await button.locator('.dn').allInnerTexts(), inOrder(s), `at a glance: ${NAMES[s]}`);
        // A symbol has a count beside it, also skulls: their cost is shown elsewhere.
        equal((await panel.locator('.bits span').allInnerTexts()).map(Number), [desk.rubies, desk.emeralds,
            desk.torches.filter(Boolean).length, desk.skulls],
            'counts');
        equal(await panel.getByText('−').count(), 0, 'no minus among counts');
    }
    // A chip shows its card, with all its marks.
    const [n] = view.desks[1].done, made = core.lines().filter((l) => l.startsWith('mark 2 ')).flatMap((l) =>
        l.split(' ')[2].split('+')).filter((p) => p.startsWith(`${n}:`));
    const strokes = 2 * made.join(' ').replace(/\d+:/g, '').match(/[a-e][1-5]/g).length;
    await page.locator(`.opp[data-seat="1"] .dn[data-n="${n}"]`).hover();
    await peek.locator('.pcard').waitFor();
    equal(await peek.locator('.pen').count(), strokes, 'all its marks, two strokes each');
    await page.mouse.move(500, 20);
    await peek.waitFor({ state: 'hidden' });
    // A line of the log shows its move on the board as it was then, and a second press hides it.
    const line = page.locator('.log .moment[data-by="1"]').first(), card = await line.getAttribute('data-look'),
        spaces = (await line.getAttribute('data-fresh')).split(' ');
    equal([await line.locator('.mb').count(), /[a-e][1-5]/.test(await line.innerText())], [1, false],
        'a picture, and no names of spaces');
    truth(/[a-e][1-5]/.test(await line.getAttribute('aria-label')), 'those are for the ear');
    const mini = page.locator(`.opp[data-seat="1"] .look[data-look="${card}"]`);
    await line.hover();
    await mini.and(page.locator('.hl')).waitFor();
    equal(await mini.locator('.shown').count(), spaces.length, 'its spaces');
    await page.mouse.move(500, 20);
    await page.waitForFunction(() => !document.querySelector('.opp .shown'));
    equal(await mini.and(page.locator('.hl')).count(), 0, 'as it was');
    // By keyboard: all players in one table.
    await page.locator('.opp[data-seat="2"] .shelf').focus();
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'Completed pyramids' });
    await sheet.waitFor();
    for (const s of [0, 1, 2, 3])
        equal((await sheet.locator('.shelves li').nth(s).getByRole('button').evaluateAll((all) => all.map((b) =>
            b.ariaLabel))),
            COLOURS.flatMap((k) => shelf(s, k).map((c) => `Look at card ${c}, ${k}`)), `the cards of ${NAMES[s]}`);
    await sheet.getByRole('button', { name: `Look at card ${n},` }).press('Enter');
    const big = page.getByRole('dialog', { name: `Card ${n},` });
    await big.waitFor();
    equal(await big.locator('.pen').count(), strokes, 'all its marks');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    truth(await page.locator('.opp[data-seat="2"] .shelf').evaluate((b) => b === document.activeElement),
        'the focus comes back');
    // The log has the colour, and the cards in words include the completed ones.
    const logged = await page.locator('.log').getByText(/ completes card /).evaluateAll((all) =>
        all.map((e) => e.innerText).reverse());
    equal(logged.map((t) => t.split(' completes card ')[1].slice(0, -1)).sort(), view.desks.flatMap((d) =>
        d.done.map((c) => `${c}, ${cards[c].colour}`)).sort(), 'the log');
    await page.getByRole('button', { name: 'Menu' }).first().click();
    await page.getByRole('button', { name: 'Describe the cards' }).click();
    truth(bare(await page.getByRole('dialog',
        { name: 'The cards in words' }).innerText()).includes(`Completed pyramids of ${NAMES[3]}: ${words(3)}`),
        'described');
    quiet(page);
    await page.context().close();
    const phone = await openAt(core, PHONE, movesStay);
    const strip = phone.getByRole('list', { name: 'Players' }).getByRole('button');
    await phone.locator('.peep .ok').nth(2).waitFor();                 // the bots have chosen
    equal((await strip.evaluateAll((all) => all.map((b) => b.ariaLabel))).map(bare), [0, 1, 2, 3].map((s) => `${
        NAMES[s]}, ${view.scores[s].total} points, ${
        s ? 'ready, ' : ''}${COLOURS.map((k) => `${shelf(s, k).length} ${k}`).join(' ')}`), 'the strip, for the ear');
    equal(await strip.evaluateAll((all) => all.map((e) => [...e.querySelectorAll('i')].map((i) => i.textContent).join(' '))),
        [0, 1, 2, 3].map((s) => COLOURS.map((k) => shelf(s, k).length).join(' ')), 'for the eye');
    for (const [width, height] of [[390, 844], [360, 800], [320, 568]]) {
        await phone.setViewportSize({ width, height });
        await settled(phone);
        equal(await strip.evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1 ||
            e.getBoundingClientRect().height < 44).length), 0, `whole, and 44 px high, at ${width}`);
        equal(await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, 'nothing to the side');
    }
    // Without a dock the panels are in the menu.
    await phone.getByRole('button', { name: 'Menu' }).first().tap();
    await phone.getByRole('button', { name: 'Race' }).tap();
    await phone.getByRole('region', { name: 'Race for pyramid points' }).getByRole('button', { name: `Look at card ${
        n},` }).waitFor();
    await phone.getByRole('button', { name: 'Close' }).tap();
    await phone.setViewportSize({ width: 390, height: 844 });
    await phone.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'Race' }).tap();
    const drawer = phone.getByRole('region', { name: 'Race for pyramid points' });
    await drawer.getByRole('table').waitFor();
    await picture(phone, 'race-390x844');
    await phone.getByRole('button', { name: 'Close' }).tap();
    await strip.nth(2).tap();
    await phone.locator('.opp[data-seat="2"]').getByRole('button', { name: 'Completed pyramids' }).tap();
    await phone.getByRole('dialog', { name: 'Completed pyramids' }).waitFor();
    await picture(phone, 'completed-390x844');
    equal(await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, 'it fits');
    await phone.getByRole('button', { name: 'Close' }).last().tap();
    await phone.getByRole('button', { name: 'Close' }).tap();
    // After a turn the strip shows what each player has marked, as in the log; a touch on a card ends that.
    await phone.getByRole('gridcell', { name: /can be marked/ }).first().tap();
    for (let i = 0; i < 4 && !await phone.locator('.peep.moved').count(); i++) {
        await phone.getByRole('button', { name: /^(Confirm|Next)/ }).tap();
        await phone.locator('.peep.moved').or(phone.getByRole('gridcell', { name: /can be marked/ })).first().waitFor();
        if (!await phone.locator('.peep.moved').count())
            await phone.getByRole('gridcell', { name: /can be marked/ }).first().tap();
    }
    const seen = await phone.locator('.peep.moved').evaluateAll((all) => all.map((e) => [e.dataset.peep, (e.querySelector(
        '.mb-n').getAttribute('d').match(/M/g) ?? []).length]));
    await picture(phone, 'moves-390x844');
    const last = await phone.evaluate(() => { const found = {}; for (const m of document.querySelectorAll('.log .moment'))
        found[m.dataset.by] ??= []; const turns = [...document.querySelectorAll('.log li')].slice(2);
        for (const li of turns) { if (li.matches('.turn')) break; const m = li.querySelector('.moment');
            if (m) found[m.dataset.by].push(m.dataset.fresh.split(' ').length); } return found; });
    equal(seen.map(([s, count]) => [s, count]), seen.map(([s]) => [s, last[s][0]]), 'the spaces of the first mark');
    equal(seen.map(([s]) => s), ['1', '2', '3'], 'of everyone else');
    quiet(phone);
    await phone.context().close();
});

await test('an empty deck is not offered, and no new cards are promised', async () => {
    const until = (stop) => {
        for (let seed = 1; seed < 60; seed++) {
            const core = narrow('vx.xT');
            playOut(core, 4, seed, (v) => v.phase === 'replace' && v.order[v.place] === 0 && stop(v));
            if (!core.isOver())
                return core;
        }
        throw new Error('no such game');
    };
    const some = (v) => v.display.filter(Boolean).length;
    const page = await openAt(until((v) => !v.deckLeft && some(v) > 1 && v.owed === 1), DESKTOP, restingBots),
        sheet = page.getByRole('dialog', { name: /complete$/ });
    await sheet.getByText('Take your next pyramid from the display. The deck is empty.', { exact: true }).waitFor();
    await sheet.getByText('No more new cards are laid out.').waitFor();
    equal([await sheet.getByRole('button', { name: /Unseen|Deck/ }).count(),
        await sheet.getByText(/top card|New cards are laid out/).count()], [0, 0], 'no deck');
    quiet(page);
    await page.context().close();
    const full = await openAt(until((v) => v.deckLeft > 0), DESKTOP, restingBots),
        other = full.getByRole('dialog', { name: /complete$/ });
    await other.getByText(/unseen top card of the deck/).waitFor();
    await other.getByText('New cards are laid out when you are done.').waitFor();
    await full.context().close();
});

await test('an extra mark that is lost: said before, at once, in the log, and of the others too (Q3)', async () => {
    // A step that marks more crosses than there are extra marks to make after it.
    const losing = (core) => core.steps(0).find((s) => s.kind === 'mark' && core.preview(0, s.step).desk.due
        < s.cells.filter((i) => core.edition.cards[core.view(0).desks[0].slots[s.slot].card].cells[i] === 'x').length);
    let core;
    for (let seed = 4; !core || core.isOver(); seed++) {
        core = narrow('vx.xT');
        playOut(core, 4, seed, (v) => v.phase === 'mark' && core.isWaiting(0) && losing(core) !== undefined);
    }
    const page = await openAt(core), spaces = losing(core).cells.map((i) => 'abcde'[i % 5] + (1 + (i / 5 | 0))).join(' ');
    await page.keyboard.press('p');
    await page.getByRole('dialog').getByRole('button', { name: new RegExp(`: ${spaces}(:|$)`) }).first().click();
    await page.locator('.fx .chip').filter({ hasText: 'lost' }).waitFor();
    truth(/1 extra mark is lost/.test(await page.locator('#live').textContent()), 'said before it is confirmed');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.locator('.log').getByText('loses 1 extra mark: no space is left for it').first().waitFor();
    quiet(page);
    await page.context().close();
    // Another player's lost marks are in the record, and so in the log.
    let other;
    for (let seed = 4; !other; seed++) {
        const game = playOut(narrow('vx.xT'), 4, seed), lost = game.lines().find((l) => /^mark [2-4]/.test(l) &&
            l.match(/[a-e][24]/g)?.length > l.split('+').length - 1);
        other = lost && { game, seat: Number(lost[5]) - 1 };
    }
    const replay = await open(browser, host.url);
    await replay.evaluate(([record, edition, known]) => {
        const all = { editions: { narrow: edition }, games: [{ id: '77', date: 1, record, me: 0, edition }], ...known };
        for (const [key, value] of Object.entries(all))
            localStorage.setItem(`pyramids.${key}`, JSON.stringify(value));
    }, [other.game.log(), other.game.edition.text, analysed(other.game)]);
    await replay.goto(`${host.url}?r#replay/77`);
    await replay.getByRole('button', { name: 'Game log' }).click();
    await replay.locator('.log').getByText(`${NAMES[other.seat]} loses 1 extra mark: no space is left for it`).first()
        .waitFor();
    await replay.context().close();
});

await test('from five to seven of a colour in one turn: the page says that no points were left', async () => {
    // Three crosses in a column: a pattern of two spaces completes a card, the one of four completes both.
    const core = narrow('vxxxT', (text) => text.replace(/^(pattern \S+) \d/gm,
        (line, head) => `${head} ${head.endsWith(' I2') ? 3 : 1}`));
    const green = core.edition.cards.filter((c) => c?.colour === 'green').map((c) => c.number),
        rest = core.edition.cards.filter((c) => c && c.colour !== 'green').map((c) => c.number);
    const [a, b, c, d, e, f, g, h, i] = green, whole = (n) => `${n}:c1c2+${n}:c3+${n}:c4+${n}:c5`;
    const record = ['pyramids-record 1', 'edition narrow', 'player 1 Ana', 'player 2 Ben',
        `deal 1 ${a} ${b} ${rest[0]} ${rest[1]}`, `deal 2 ${h} ${i} ${rest[2]} ${rest[3]}`, `keep 1 ${a} ${b}`,
        `keep 2 ${h} ${i}`,
        `show ${rest.slice(4, 8).join(' ')}`,
        'reveal I2', `mark 1 ${whole(a)}`, `mark 2 ${whole(h)}`, `draw 1 ${c}`, `draw 2 ${rest[8]}`,
        'reveal I2', `mark 1 ${whole(b)}`, `mark 2 ${whole(i)}`, `draw 1 ${d}`, `draw 2 ${rest[9]}`, 'points 1 green 10',
        'points 2 green 6',
        'reveal I2', `mark 1 ${whole(c)}`, `mark 2 ${rest[8]}:c1`, `draw 1 ${e}`,
        'reveal I3', `mark 1 ${d}:c1c2c3+${d}:c4+${d}:c5+${e}:c1`, `mark 2 ${rest[9]}:c1`, `draw 1 ${f}`, 'points 1 green 3',
        'reveal V3', `mark 1 ${e}:c2+${e}:c3+${e}:c4+${e}:c5`, `mark 2 ${whole(rest[8]).replace('c1c2', 'c2')}`,
        ...[[e, `draw 1 ${g}`], [rest[8], `draw 2 ${rest[10]}`]].sort(([m], [n]) => m - n).map(([, line]) => line),
        'reveal I4', `mark 1 ${f}:c1c2c3c4+${f}:c5+${g}:c1+${g}:c2+${g}:c3+${g}:c4+${g}:c5`,
        `mark 2 ${rest[10]}:c1`].join('\n');
    const fault = core.load(`${record}\n`);
    equal(fault, null, 'the record');
    const order = core.view(0);
    equal([order.phase, order.desks[0].done.length], ['replace', 7], 'both are complete');
    const page = await openAt(core), sheet = page.getByRole('dialog', { name: /complete$/ });
    for (const pick of [0, 1]) {
        await sheet.getByRole('button', { name: /^Card/ }).nth(pick).click();
        await sheet.getByRole('button', { name: /^Take \d/ }).click();
    }
    await page.getByText('Round 1 of 4, turn 7 of 7').waitFor();
    await page.locator('#toast').getByText('No pyramid points for green were left for Ana.').waitFor();
    quiet(page);
    await page.context().close();
});

await test('full storage is said at once; the game goes on, and can be downloaded', async () => {
    const page = await open(browser, host.url),
        bar = page.getByRole('alert').filter({ hasText: 'This browser cannot save your game' });
    await page.evaluate(() => {
        for (let size = 1 << 22, n = 0; size; n++)
            try {
                localStorage.setItem(`filler${n}`, 'x'.repeat(size));
            } catch {
                size >>= 1;
            }
    });
    await begin(page);
    await bar.waitFor();
    await pictures(page, 'unkept');
    const [file] = await Promise.all([page.waitForEvent('download'), bar.getByRole('button',
        { name: 'Download the game' }).click()]);
    truth(readFileSync(await file.path(), 'utf8').startsWith('pyramids-record 1\n'), 'a record');
    await bar.getByRole('button', { name: 'Close' }).click();
    await bar.waitFor({ state: 'hidden' });
    await keep(page);
    await page.getByRole('gridcell', { name: /can be marked/ }).first().waitFor();
    // There is room again: the next choices are stored, and no message is shown.
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('filler')).forEach((key) =>
        localStorage.removeItem(key)));
    // A red cross asks for more than one space.
    await goOn(async () => await page.evaluate(() => localStorage.getItem('pyramids.game')?.includes('mark 1')) ? 'end' :
        act(page));
    await page.reload();
    await page.getByRole('gridcell', { name: /can be marked/ }).first().waitFor();
    quiet(page);
    await page.context().close();
});

await test('a tie names its winner and the reason, in the log and in the replay (R17)', async () => {
    // Rooms without walls: both go straight down once, and after that mark space by space until the game is over.
    const core = newCore(site), room = '..v..\n.....\n.....\n.....\n..T..\n';
    equal(core.readEdition(core.edition.text.replace('name classic', 'name room').replace(/^(card \d+ \w+\n)(?:.{5}\n){5}/gm,
        `$1${room}`)), null, 'edition');
    const lines = ['pyramids-record 1', 'edition room', 'player 1 Ana', 'player 2 Ben', 'deal 1 7 20 1 2', 'deal 2 3 30 4 5',
        'keep 1 7 20', 'keep 2 3 30', 'show 8 9 10 11'];
    const names = core.edition.patterns.flatMap((p) => Array(p.copies).fill(p.name));
    const rest = ['cbade', 'abcde', 'abcde', 'abcde', 'abde'].flatMap((row, y) => [...row].map((x) => `${x}${y + 1}`));
    for (let turn = 0; turn < 28; turn++) {
        const down = turn < 5, space = down ? `c${turn + 1}` : rest[turn - 5];
        lines.push(`reveal ${names[turn % 7]}`, `mark 1 ${down ? 7 : 20}:${space}`, `mark 2 ${down ? 3 : 30}:${space}`,
            ...turn === 4 ? ['draw 2 12', 'draw 1 13'] : []);
    }
    lines.push(...[1, 2].map((n) => `score ${n} 10 pyramids 10 torches 0 points 0 gems 0 skulls 0`), 'winner 2');
    equal(core.load(`${lines.join('\n')}\n`), null, 'the record');
    equal([core.isOver(), core.view(-1).scores.map((s) => s.total), core.winners()], [true, [10, 10], [1]],
        'Ben, who completed number 3, wins the tie');
    const page = await open(browser, host.url), bare = (text) => text.replace(/[\u2066-\u2069]/g, '');
    await page.evaluate(([record, edition]) => {
        localStorage.setItem('pyramids.editions', JSON.stringify({ room: edition }));
        localStorage.setItem('pyramids.games', JSON.stringify([{ id: '77', date: 1, record, me: 0, edition }]));
    }, [core.log(), core.edition.text]);
    await page.goto(`${host.url}?r#replay/77`);
    await page.getByRole('button', { name: 'To the end' }).click();
    const why = 'Ben wins the tie. Ana and Ben have 10 points. The lowest completed pyramid decides: Ben has number 3';
    const told = async () => bare((await page.locator('.what .rp-say, .what .sub').allInnerTexts()).map((t) =>
        t.trim()).join('. '))
        .replace(/\.$/, '');
    equal(await told(), why, 'what happened');
    await page.keyboard.press('l');
    equal(bare(await page.locator('.log .ln').last().innerText()).trim().replace(/\.$/, ''), why, 'the log');
    // A win against bots is shown as such.
    await page.evaluate(([record, edition]) => {
        localStorage.setItem('pyramids.games', JSON.stringify([{ id: '78', date: 1,
            record: record.replace('player 2 Ben\n', 'player 2 Ben\ntag bot 1 club\n'), me: 1, edition }]));
    }, [core.log(), core.edition.text]);
    await page.goto(`${host.url}?r#end/78`);
    await page.getByRole('heading', { name: 'You win the tie' }).waitFor();
    await page.getByText('You and Ana have 10 points. The lowest completed pyramid decides: you have number 3.').first(
        ).waitFor();
    await page.getByRole('link', { name: 'Watch replay' }).click();
    await page.getByRole('button', { name: 'To the end' }).click();
    equal(await told(),
        'You win the tie. You and Ana have 10 points. The lowest completed pyramid decides: you have number 3',
        'the replay');
    quiet(page);
    await page.context().close();
});

await test('a link that unpacks to 300 MB is given up early, and the page says why', async () => {
    // A megabyte that refers to nothing before it, three hundred times.
    const one = deflateRawSync(Buffer.alloc(1e6), { level: 9, finishFlush: constants.Z_FULL_FLUSH }),
        bomb = Buffer.concat([...Array(300).fill(one), deflateRawSync('')]).toString('base64url'),
        page = await open(browser, host.url);
    console.log(`# ${bomb.length} characters`);
    // In the page: counts the bytes of the output.
    await page.addInitScript(() => {
        const Real = DecompressionStream;
        globalThis.unpacked = 0;
        globalThis.DecompressionStream = class {
            constructor(format) {
                const real = new Real(format);
                this.writable = real.writable;
                this.readable = real.readable.pipeThrough(new TransformStream({ transform(chunk, out) {
                    globalThis.unpacked += chunk.length;
                    out.enqueue(chunk);
                } }));
            }
        };
    });
    for (const hash of [`replay/z.${bomb}`, `replay/z.${bomb}.${bomb}`]) {
        await page.goto(`${host.url}?${hash.length}#${hash}`);
        await page.getByText('This link is too large for a game record.').first().waitFor();
        truth(await page.evaluate(() => globalThis.unpacked) < 4e6, 'given up early');
        equal(new URL(page.url()).hash, '#games', 'the way back does not end there again');
    }
    quiet(page);
    await page.context().close();
});

await test('names of 24 wide letters and of families: whole, and inside their lines, on small phones, too', async () => {
    const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}', WIDE = 'W'.repeat(24);
    const odd = { Ana: `${FAMILY}${FAMILY}`, Ben: WIDE, Chloé: `${FAMILY} Chloé`, Davi: 'Ｗ'.repeat(24) };
    const named = (text) => Object.entries(odd).reduce((all, [from, to]) => all.replaceAll(from, to), text);
    const game = (stop) => JSON.parse(named(JSON.stringify(saved(playOut(newCore(site), 4, 7, stop)))));
    const midgame = game((v) => v.phase === 'mark' && v.round === 2 && v.turn === 3),
        last = game((v) => v.phase === 'mark' && v.round === 3 && v.turn === 6);
    const page = await open(browser, host.url, PHONE);
    /** Names that overflow the window or their line. */
    const stray = () => page.evaluate((names) => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), out = [];
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const e = node.parentElement;
            if (!names.some((n) => node.data.includes(n)) || !e.checkVisibility({ visibilityProperty: true }) ||
                e.closest('.vh, #live'))
                continue;
            const { left, right } = e.getBoundingClientRect(), line = e.closest('li, th, td, article, h1, p, .hd, .nm') ?? e,
                box = line.getBoundingClientRect();
            if (left < -1 || right > innerWidth + 1 || right > box.right + 1)
                out.push(`${e.className || e.tagName} in ${line.className || line.tagName}: ${left} to ${right}`);
        }
        return [out, document.documentElement.scrollWidth - innerWidth];
    }, Object.values(odd));
    const show = async (value) => {
        await page.evaluate((v) => localStorage.setItem('pyramids.game', JSON.stringify(v)), value);
        await page.goto(`${host.url}?${value === last}#play`);
        await page.locator('.table').waitFor();
    };
    /** The open view, at every size. */
    const fits = async (what, widths = [320, 390, 820, 1366]) => {
        for (const width of widths) {
            await page.setViewportSize({ width, height: { 320: 568, 390: 844, 820: 1180, 1366: 768 }[width] });
            await page.waitForFunction(() => document.getAnimations().every((a) => a.playState !== 'running'));
            await settled(page);
            equal(await stray(), [[], 0], `${what}, ${width}`);
            await picture(page, `names-${what}-${width}`);
        }
    };
    await show(midgame);
    await fits('table');
    await fits('strip', [320, 390]);
    equal(await page.locator('.peep').evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length),
        0, 'the strip');
    // Every player's full name is available to screen readers.
    const said = (await page.locator('.peep').evaluateAll((all) => all.map((e) => e.getAttribute('aria-label')))).join();
    truth(Object.values(odd).every((name) => said.includes(name)), said);
    await page.locator('.peep').nth(1).tap();
    await page.locator('[data-sheet=opps]').waitFor();
    await fits('players', [320, 390]);
    await page.locator('.opps [data-close]').tap();
    await page.keyboard.press('l');
    await page.locator('[data-sheet=log]').waitFor();
    await fits('log');
    // Lines are as high as with other names: as high as a picture, and no more than two lines of words.
    truth(await page.locator('.log .moment').evaluateAll((all) => all.every((e) => e.offsetHeight <= 60)), 'heights');
    const log = await page.locator('.log').innerText();
    truth([odd.Ana, odd.Chloé].every((name) => log.includes(name)), 'families are whole');
    await page.setViewportSize(PHONE.viewport);
    await show(last);
    await goOn(() => act(page));
    await fits('end');
    const end = await page.locator('.end').innerText();
    truth(Object.values(odd).every((name) => end.includes(name)), 'all names are whole at the end');
    quiet(page);
    await page.context().close();
});

await test('a server that does not expect this address: every page that asks it says so, and what would help', async () => {
    const page = await open(browser, 'about:blank'), { origin } = new URL(host.url),
        help = page.getByText(`pyramids serve --origin ${origin}`);
    await page.route('**/api/**', (route) => route.fulfill({ status: 403, contentType: 'application/json',
        body: '{"error": {"code": "origin"}}' }));
    for (const hash of ['table/ABCDEFGH', 'friends', 'friends/new', 'watch', 'replay/ABCDEFGH']) {
        await page.goto(`${host.url}?${hash}#${hash}`);
        await help.first().waitFor();
    }
    await page.goto(`${host.url}?home`);
    await page.getByRole('textbox', { name: /code/i }).fill('ABCDEFGH');
    await page.keyboard.press('Enter');
    await help.first().waitFor();
    truth(await page.getByRole('button', { name: 'Play', exact: true }).isVisible(),
        'against bots one can play all the same');
    await page.context().close();
});

await test('a page whose scripts are refused explains itself instead of staying blank', async () => {
    const page = await open(browser, 'about:blank'), { origin } = new URL(host.url),
        why = page.getByRole('alert').getByText(`pyramids serve --origin ${origin}`);
    // Like a server that compares the Origin of module requests with its own address.
    let refuse = true;
    await page.route('**/main.js', (route) => refuse ? route.fulfill({ status: 403, contentType: 'application/json',
        body: '{"error": {"code": "origin"}}' }) : route.continue());
    await page.goto(host.url);
    await why.waitFor();
    equal(await page.getByRole('alert').getByText(/could not be loaded/).count(), 1, 'in words');
    refuse = false;
    await page.goto(`${host.url}?again`);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    equal(await why.count(), 0, 'else there is nothing to explain');
    await page.context().close();
});

await browser.close();
host.close();
done();
