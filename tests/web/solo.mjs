// solo.mjs SITE: a solo expedition from the list to its medal: no other player is shown, and the best result is kept.
import { look } from './axe.mjs';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture, serve } from './site.mjs';
import { act, goOn, keep } from './player.mjs';
import { newCore } from './games.mjs';

const site = process.argv[2], host = await serve(site), browser = await launch(), core = newCore(site);
const targets = (n) => [1, 2, 3].map((m) => core.x.solo_target(n - 1, m));

await test('a whole expedition, alone', async () => {
    const page = await open(browser, `${host.url}#solo`, DESKTOP);
    await page.getByRole('heading', { name: 'Expedition 1' }).waitFor();
    const [bronze, silver, gold] = targets(1);
    await page.getByRole('img', { name: `Bronze: ${bronze}, Silver: ${silver}, Gold: ${gold}, not played yet` }).waitFor();
    truth(await page.getByText('The printed game is for two to four players').isVisible(), 'whose idea it is');
    await page.getByRole('button', { name: 'Set out' }).click();
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    equal(await page.getByText(/other players/).count(), 0, 'nobody else is mentioned');
    await keep(page);
    equal(await page.locator('.opp').count(), 0, 'opponents');
    equal(await page.getByText(/bystander/i).count(), 0, 'the second seat is not shown');
    equal(await page.locator('.race thead th').count(), 2, 'one player in the race');
    // A solo game has no winner: the end shows the points.
    const over = page.getByRole('heading', { level: 1, name: /^((Bronze|Silver|Gold) with )?\d+ points?$/ });
    await goOn(async (i) => await over.count() ? 'end' : act(page, i));
    const points = Number(await page.locator('.sc .sum b').innerText());
    equal(await page.locator('.sc .sum b').count(), 1, 'one column of scores');
    const medal = ['', 'Bronze', 'Silver', 'Gold'][targets(1).filter((t) => points >= t).length];
    equal(await page.locator('h1').innerText(), medal ? `${medal} with ${points} points` : `${points} points`, 'the result');
    equal(await page.evaluate(() => JSON.parse(localStorage.getItem('pyramids.solo') ?? '{}')), { 1: points }, 'kept');
    for (const [width, height] of [[390, 844], [320, 568]]) {
        await page.setViewportSize({ width, height });
        equal(await page.locator('.acts2 .btn').evaluateAll((all) => all.filter((b) => b.scrollWidth > b.clientWidth + 1 ||
            b.getBoundingClientRect().right > innerWidth).map((b) => b.textContent)), [], `cut at ${width}`);
    }
    await page.getByRole('link', { name: 'Expeditions' }).click();
    await page.getByText(`Best ${points}`).waitFor();
    if (points < gold)
        await page.getByRole('button', { name: /^\d+ points? to (Bronze|Silver|Gold)$/ }).waitFor();
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('medals from what the device has kept, on a phone', async () => {
    const page = await open(browser, `${host.url}#nowhere`, { ...PHONE, colorScheme: 'dark' });
    const [bronze, silver] = targets(2), gold = targets(1)[2];
    await page.evaluate((best) => localStorage.setItem('pyramids.solo', JSON.stringify(best)), { 1: gold, 2: silver - 1,
        3: 5 });
    await page.goto(`${host.url}?x#solo`);
    await page.getByRole('heading', { name: 'Expedition 2' }).waitFor();
    await page.getByRole('button', { name: '1 point to Silver' }).waitFor();
    truth(silver - 1 >= bronze, 'bronze is reached');
    equal((await page.locator('.solos b').allInnerTexts()).slice(0, 4), ['Gold', 'Bronze', '5 points', 'Play'], 'the list');
    await look(page, 'solo');
    for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 700 });
        truth(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
            `no sideways scroll at ${width}`);
    }
    await picture(page, 'solo-phone');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await browser.close();
host.close();
done();
