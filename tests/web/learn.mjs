// learn.mjs SITE: the tutorial to its end on a phone, first with a wrong try; then a game without a network.
import { done, equal, test, truth } from './check.mjs';
import { PHONE, launch, open, picture, serve } from './site.mjs';
import { act, begin, keep } from './hand.mjs';

const host = await serve(process.argv[2]), browser = await launch();
const tap = (l) => l.tap();

await test('the tutorial, ten steps, by touch', async () => {
    const page = await open(browser, host.url, PHONE);
    await tap(page.getByRole('link', { name: /New here/ }));
    const wanted = [/./, / \w\d \w\d/, / \w\d \w\d \w\d/, / \w\d \w\d/, /emerald/, /torch/, /potion/, /red cross/, /tomb/, /tomb/];
    for (let step = 1; step <= 10; step++) {
        await page.getByText(`Step ${step} of 10`).first().waitFor();
        const well = page.getByRole('heading', { name: 'Well done' });
        for (let k = 0; k < 8 && !await well.count(); k++) {
            await tap(page.getByRole('button', { name: 'Menu' }).first());
            await tap(page.getByRole('button', { name: 'List placements' }));
            const list = page.getByRole('dialog').getByRole('listitem').getByRole('button'), texts = await list.allInnerTexts();
            const fitting = texts.map((t, i) => wanted[step - 1].test(t) ? i : -1).filter((i) => i >= 0);
            truth(fitting.length > 0, `step ${step} has what it asks for: ${texts}`);
            await tap(list.nth(fitting[k % fitting.length]));
            await tap(page.getByRole('button', { name: /^(Confirm|Next)$/ }));
            if (step === 8) {
                await tap(page.getByRole('gridcell', { name: /can be marked/ }).last());
                await tap(page.getByRole('button', { name: /^(Confirm|Next)$/ }));
            }
            if (step > 8) {
                const sheet = page.getByRole('dialog', { name: /complete$/ });
                await sheet.or(well).first().waitFor();
                if (await sheet.count()) {
                    await tap(sheet.getByRole('button', { name: /^Card/ }).first());
                    await tap(sheet.getByRole('button', { name: /^Take \d/ }));
                }
            }
            await page.waitForTimeout(50);
        }
        await picture(page, `learn-${step}-390x844`);
        await tap(page.getByRole('button', { name: step < 10 ? 'Next step' : 'Play a first game' }));
    }
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    // It remembers: opened again it stands at the last step, and any step can be chosen.
    await page.goto(`${host.url}#learn/2`);
    await page.getByText('Step 2 of 10').first().waitFor();
    await tap(page.getByRole('gridcell', { name: /can be marked/ }).first());
    await tap(page.getByRole('button', { name: 'One space' }));
    await tap(page.getByRole('gridcell', { name: /can be marked/ }).first());
    await tap(page.getByRole('button', { name: /^(Confirm|Next)$/ }));
    await page.getByText('Mark the whole pattern this time, not a single space.').first().waitFor();
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('a game without a network, after the first visit', async () => {
    const page = await open(browser, host.url, { ...PHONE, serviceWorkers: 'allow' });
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.evaluate(async () => {
        const { active, installing, waiting } = await navigator.serviceWorker.ready, worker = active ?? installing ?? waiting;
        if (worker.state !== 'activated')
            await new Promise((go) => worker.addEventListener('statechange', () => worker.state === 'activated' && go()));
    });
    host.sent.down = true;
    await page.reload();
    await page.getByRole('radio', { name: 'Expert' }).tap();
    await begin(page, tap);
    await keep(page, tap);
    for (let i = 0, marks = 0; marks < 5 && i < 60; i++)
        marks += await act(page, tap) === 'mark' ? 1 : 0;
    for (const hash of ['rules', 'pad', 'editions', 'replays', 'learn/1']) {
        await page.goto(`${host.url}#${hash}`);
        await page.locator('.page, .table').first().waitFor();
    }
    equal(page.complaints, [], 'the console');
    // Without a server friends cannot be invited, and the page says so.
    await page.goto(`${host.url}#friends/new`);
    await tap(page.getByRole('button', { name: 'Make the table' }));
    await page.getByText(/no game server/).waitFor();
    await picture(page, 'no-server-390x844');
    host.sent.down = false;
    await page.context().close();
});

await browser.close();
host.close();
done();
