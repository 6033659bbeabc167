// puzzle.mjs SITE: puzzles in the page: right, wrong, just as good, a hint, the next one, which card to take, the puzzle
// of the day, the player's own mistakes, without a network, by keyboard alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { look } from './axe.mjs';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture, serve, settled } from './site.mjs';
import { kept as game, newCore, playOut } from './games.mjs';

const site = process.argv[2], host = await serve(site), browser = await launch(), core = newCore(site);
const pack = readFileSync(join(site, 'classic.puzzles'), 'utf8'), rows = pack.trim().split('\n').slice(1).map((l) =>
    l.split(' '));
const about = (kind) => Number(rows.find((r) => kind === 'card' ? r[6].includes('c') : !r[6].includes('c') &&
    r[9] === '0')[0]);

/** All choices of a puzzle in its verdict, best first. */
function choices(n, text = pack) {
    const told = core.openPuzzle(text, n), steps = core.steps(told.seat - 1), { slots } = core.view(told.seat - 1).desks[
        told.seat - 1];
    const some = told.asks === 'card' ? 'draw' : steps.filter((s) => s.kind === 'mark').map((s) => `${slots[s.slot].card}:${
        s.cells.map((i) => 'abcde'[i % 5] + (1 + (i / 5 | 0))).join('')}`).find((c) => core.answerPuzzle(c, 0));
    return core.answerPuzzle(some, 0).verdict.choices;
}

/** Marks the spaces of a choice by painting them, as in a turn. */
async function mark(page, choice) {
    for (const [place, part] of choice.split('+').entries()) {
        const [card, spaces] = part.split(':'), cells = spaces.match(/[a-e][1-5]/g).map((s) => 'abcde'.indexOf(s[0]) + 5 *
            (Number(s[1]) - 1));
        const at = (i) => page.locator(`article[data-n="${card}"] [data-cell="${i}"]`);
        if (cells.length === 1) {
            if (!place)                      // an extra mark is a single space anyway
                await page.locator('[data-a=single]:visible, [data-a=one]:visible').first().click();
            await at(cells[0]).click();
        } else {
            for (let i = 0; i < 40; i++) {
                await at(cells[0]).click();
                const would = page.locator(`article[data-n="${card}"] [aria-label$="would be marked"], article[data-n="${
                    card}"] [aria-label$="würde angekreuzt"]`);
                const placed = await would.evaluateAll((all) =>
                    all.map((b) => Number(b.dataset.cell)));
                if (placed.join() === [...cells].sort((a, b) => a - b).join())
                    break;
            }
        }
        await page.locator('[data-a=confirm]').click();
    }
}

const parts = '.top, .tray, .cards-in article, .acts';
const boxes = (page) => page.locator(parts).evaluateAll((all) => all.map((e) => {
    const { x, y, width, height } = e.getBoundingClientRect();
    return [x, y, width, height];
}));
const verdict = (page) => page.locator('.pzbars').first().waitFor();
const kept = (page, key) => page.evaluate((k) => JSON.parse(localStorage.getItem(`pyramids.${k}`) ?? 'null'), key);

await test('right: found, gold, rated, and nothing has moved', async () => {
    const n = about('mark'), [best] = choices(n);
    for (const [name, size] of [['desktop', DESKTOP], ['phone', PHONE]]) {
        const page = await open(browser, `${host.url}#puzzle/${n}`, size);
        await page.getByRole('heading', { name: 'Find the best mark' }).waitFor();
        const before = await boxes(page);
        await mark(page, best.choice);
        await verdict(page);
        equal(await page.locator('h1').innerText(), 'Found it!', 'the verdict');
        equal(await boxes(page), before, `nothing moves on a ${name}`);
        truth(/^count 1 1 1 1$/m.test(await kept(page, 'puzzler')), 'solved, a streak of one');
        await picture(page, `puzzle-right-${name}`);
        await look(page, `an answer on a ${name}`);
        equal(page.complaints, [], 'the console');
        await page.context().close();
    }
});

await test('wrong, with a hint: the cost, a second try, the list, the next one', async () => {
    const n = about('mark'), all = choices(n);
    const bad = all.find((c) => all[0].value - c.value > 30 && !c.choice.includes('+')) ?? all.at(-1);
    const page = await open(browser, `${host.url}#puzzle/${n}`, { ...PHONE, colorScheme: 'dark' });
    await page.getByRole('heading', { name: 'Find the best mark' }).waitFor();
    await page.getByRole('button', { name: 'Hint' }).click();
    await page.locator('.say p').getByText(/^Look at card \d+\.$/).waitFor();
    await page.getByRole('button', { name: 'Hint' }).click();
    await page.locator('.say p').getByText(/around the rings\.$/).waitFor();
    await mark(page, bad.choice);
    await verdict(page);
    truth(/^It costs \d+\.\d points\./.test(await page.locator('.say p').innerText()), 'what it costs');
    truth(/^count 0 1 0 0$/m.test(await kept(page, 'puzzler')), 'tried, not solved');
    await page.getByRole('button', { name: `All ${all.length}` }).click();
    equal(await page.locator('dialog .pzbars li').count(), all.length, 'all choices');
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: /^Find the best/ }).waitFor();
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

/** Buttons that cannot be pressed because they are outside the window or covered, and bars that cut their words. */
const unreachable = (page) => page.evaluate(() => [...[...document.querySelectorAll('.pzbtn .btn, .top button, .top a')]
    .filter((b) => {
        const { x, y, width, height } = b.getBoundingClientRect();
        return b.checkVisibility() && !(b.closest('.top') && document.querySelector('.over')) && (width < 30 || x < 0 ||
            x + width > innerWidth + 1 || !document.elementFromPoint(x + width / 2, y + height / 2)?.closest('button, a')
            ?.isSameNode(b));
    }).map((b) => b.textContent.trim() || b.getAttribute('aria-label')), ...[...document.querySelectorAll('.pzb > span')]
    .filter((s) => s.checkVisibility() && s.scrollWidth > s.clientWidth).map((s) => `cut: ${s.textContent}`)]);

await test('at every size all can be pressed after an answer, and nothing is cut', async () => {
    const n = about('mark'), all = choices(n), bad = all.find((c) => all[0].value - c.value > 30 && !c.choice.includes('+'))
        ?? all.at(-1), found = [];
    for (const language of ['en', 'de'])
        for (const asks of ['mark', 'card']) {
            const page = await open(browser, host.url, PHONE);
            await page.evaluate((l) => localStorage.setItem('pyramids.settings', JSON.stringify({ language: l })), language);
            await page.goto(`${host.url}?${language}#puzzle/${asks === 'card' ? about('card') : n}`);
            await page.locator('.puzzling').waitFor();
            if (asks === 'mark') {
                await mark(page, bad.choice);
            } else {
                await page.locator('[data-next="0"]').click();
                await page.locator('[data-a=take]').click();
            }
            await page.locator('.pzbtn').last().waitFor();
            for (const [width, height] of [[390, 844], [320, 640], [844, 390], [820, 1180], [1366, 768]]) {
                await page.setViewportSize({ width, height });
                await settled(page);
                await picture(page, `puzzle-answered-${asks}-${language}-${width}`);
                found.push(...(await unreachable(page)).map((what) => `${asks}, ${language}, ${width}x${height}: ${what}`));
            }
            await page.context().close();
        }
    equal(found, [], 'out of reach');
});

await test('without mistakes of one’s own the page says so, and leads on', async () => {
    const page = await open(browser, `${host.url}#puzzle/mistakes`, PHONE);
    await page.getByRole('heading', { name: 'Puzzles', level: 1 }).waitFor();
    await page.getByText('No mistakes to solve. Analyse a game to find some.').waitFor();
    equal(await page.getByRole('link', { name: 'Games' }).getAttribute('href'), '#games', 'where games are analysed');
    await page.getByRole('button', { name: 'Next puzzle' }).tap();
    await page.getByRole('heading', { name: /^Find the best/ }).waitFor();
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('which card to take: the sheet of new cards', async () => {
    const n = about('card'), [best] = choices(n);
    const page = await open(browser, `${host.url}#puzzle/${n}`, DESKTOP);
    await page.getByRole('heading', { name: 'Find the best card' }).waitFor();
    await page.locator(`[data-next="${best.choice === 'draw' ? 0 : best.choice.replace('take ', '')}"]`).click();
    await page.locator('[data-a=take]').click();
    await page.getByRole('heading', { name: 'Found it!' }).waitFor();
    await verdict(page);
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('the puzzle of the day: once a day, from the first page, and offline', async () => {
    const page = await open(browser, `${host.url}#puzzle`, PHONE);
    await page.getByRole('heading', { name: /^Find the best/ }).waitFor();
    await page.context().setOffline(true);
    await page.evaluate(() => { location.hash = 'puzzle/daily'; });
    await page.getByRole('heading', { name: /^Find the best/ }).waitFor();
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('a theme and your mistakes, from the list', async () => {
    const page = await open(browser, `${host.url}#puzzle`, DESKTOP);
    await page.getByRole('button', { name: 'Themes' }).click();
    await page.getByRole('button', { name: 'Your mistakes (0)' }).click();
    await page.getByText('No mistakes to solve. Analyse a game to find some.').waitFor();
    await page.getByRole('button', { name: 'Next puzzle' }).click();
    await page.getByRole('button', { name: 'Themes' }).click();
    await page.getByRole('button', { name: 'Cross chain' }).click();
    await page.locator('.pzhead:visible').getByText('Cross chain').waitFor();
    equal(await page.locator('.log .moment').evaluateAll((all) => all.map((e) => e.ariaLabel).filter((text) =>
        !/^Player [1-4]\b/.test(text))), [], 'moves of players without a name');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('your mistakes: from the replay of a game, solved on two days, gone with your data', async () => {
    const one = playOut(newCore(site), 2, 5, undefined, 'novice');
    one.load(one.log().replace('\ndeal ', '\ntag bot 2 novice\ndeal '));
    const judged = one.analyse(1000, 1n);
    const page = await open(browser, `${host.url}#nowhere`, DESKTOP);
    await page.evaluate(([past, lines, found]) => {
        localStorage.setItem('pyramids.games', JSON.stringify([past]));
        return import(new URL('source/analysis.js', location.href).href).then(({ gameKey, keepAnalysis }) =>
            keepAnalysis(gameKey(lines), found, true));
    }, [game(one), one.lines(), judged]);
    await page.goto(`${host.url}?x#replay/77`);
    await page.locator('.bigc:visible, .rp-end').first().waitFor();
    const pile = await kept(page, 'pile') ?? [];
    const own = judged.decisions.filter((d) => d.seat === 0 && /^\?\??$/.test(d.mark));
    truth(pile.length > 0 && pile.length <= own.length, `${pile.length} of ${own.length}`);
    // A mistake that is a mark of one part.
    const best = ({ text }) => core.openPuzzle(text, 0).asks === 'mark' ? choices(0, text)[0].choice : '';
    const mine = pile.find((m) => /^\d+:[a-e1-5]+$/.test(best(m))), answer = best(mine);
    for (const [day, words, left] of [[0, 'Solve it again on another day to finish with it.', 1],
        [1, 'Done: you will not be asked again.', 0]]) {
        await page.clock.setFixedTime(Date.UTC(2026, 10, 18 + day, 12));
        if (!day)
            await page.evaluate((m) => localStorage.setItem('pyramids.pile', JSON.stringify([m])), mine);
        await page.goto(`${host.url}?${day}#puzzle/mistakes`);
        await page.locator('.pzhead:visible').getByText(/^Your game of /).waitFor();
        await mark(page, answer);
        await verdict(page);
        truth((await page.locator('.say p').innerText()).includes(words), words);
        equal((await kept(page, 'pile')).length, left, 'in the pile');
    }
    // One can also be removed unsolved.
    const other = pile.find((m) => m.id !== mine.id) ?? mine;
    await page.evaluate((list) => localStorage.setItem('pyramids.pile', JSON.stringify(list)),
        [mine, { ...other, id: 'x' }]);
    for (const left of [1, 0]) {
        await page.goto(`${host.url}?r${left}#puzzle/mistakes`);
        await page.locator('.pzhead:visible').getByText(/^Your game of /).waitFor();
        await page.getByRole('button', { name: 'Menu' }).first().click();
        await page.getByRole('button', { name: 'Remove from this device' }).click();
        await page.waitForFunction((n) => JSON.parse(localStorage.getItem('pyramids.pile') ?? '').length === n, left);
    }
    await page.getByText('No mistakes to solve. Analyse a game to find some.').waitFor();
    // Opening the game again adds none of them a second time.
    await page.goto(`${host.url}?y#replay/77`);
    await page.locator('.bigc:visible, .rp-end').first().waitFor();
    equal(await kept(page, 'pile'), [], 'none comes twice');
    await page.evaluate((m) => localStorage.setItem('pyramids.pile', JSON.stringify([m])), mine);
    await page.goto(`${host.url}?z#games`);
    await page.getByRole('button', { name: 'Remove my data' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Your games will be kept here.').waitFor();
    equal([await kept(page, 'pile'), await kept(page, 'piled')], [null, null], 'records of games go with them');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('more of them from a server, a hundred at a time, kept for when there is none', async () => {
    const file = new URL('../../editions/classic.puzzles', import.meta.url);
    const [head, ...all] = readFileSync(file, 'utf8').trim().split('\n');
    const page = await open(browser, 'about:blank', DESKTOP), asked = [];
    let garbage = '';
    await page.context().route('**/api/puzzles/classic?from=*', (route) => {
        const from = Number(new URL(route.request().url()).searchParams.get('from'));
        asked.push(from);
        return route.fulfill({ contentType: 'text/plain; charset=utf-8', body: garbage || [head, ...all.slice(from - 1,
            from + 99), ''].join('\n') });
    });
    await page.context().route('**/api/my/turns', (route) => route.fulfill({ json: { count: 0, tables: [] } }));
    const held = async () => ((await kept(page, 'packs'))?.lines ?? '').split('\n').length - 1;
    const reach = (n) => page.waitForFunction((wanted) => (JSON.parse(localStorage.getItem('pyramids.packs') ??
        '{"lines":""}').lines).split('\n').length - 1 === wanted, n);
    const next = async (kind) => {
        await page.evaluate((k) => { location.hash = `puzzle/${k}`; }, kind);
        await page.locator('.pzhead:visible').waitFor();
    };
    // A visitor who has never been online sends no request.
    await page.goto(`${host.url}#puzzle`);
    await page.locator('.pzhead:visible').waitFor();
    equal(asked, [], 'a first visit asks nothing');
    await page.evaluate(() => localStorage.setItem('pyramids.visited', 'true'));
    await next('cross');
    await reach(100);
    await next('skull');
    await reach(200);
    equal(asked, [201, 301], 'each once');
    // A puzzle by its number that is not loaded yet.
    await next('1500');
    await reach(300);
    equal(asked.slice(2).sort((a, b) => a - b), [401, 1500], 'that one, and the next hundred');
    // Garbage is ignored, and the server is not asked again.
    garbage = 'pyramids-puzzles 1 classic\n501 x\n<html>\n';
    const answered = page.waitForResponse('**/api/puzzles/classic?from=501');
    await next('last');
    await answered;
    await next('tomb');
    equal([await held(), asked.length], [300, 5], 'kept as it was');
    // Loaded puzzles work without a network.
    await page.reload();
    await page.locator('.pzhead:visible').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Themes' }).click();
    await page.locator('dialog').getByText('500 puzzles on this device').waitFor();
    await page.keyboard.press('Escape');
    await next('450');
    equal(page.complaints.filter((c) => !/ERR_INTERNET_DISCONNECTED/.test(c)), [], 'the console');
    await page.context().close();
});

await browser.close();
host.close();
done();
