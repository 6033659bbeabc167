// print.mjs SITE: sheets to print: the printer's output, and the controls.
import { look } from './axe.mjs';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture, serve } from './site.mjs';

const host = await serve(process.argv[2]), browser = await launch();

/** The pages of a PDF and the size of the first, in millimetres. */
async function printed(page) {
    const text = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const box = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text).slice(1).map((points) => Math.round(points / 72 * 25.4));
    return { pages: (text.match(/\/Type \/Page\b/g) ?? []).length, box };
}

await test('eight sheets of A4, and what is switched off stays away', async () => {
    const page = await open(browser, `${host.url}#print`, { ...DESKTOP, locale: 'en-GB' });
    await page.getByRole('button', { name: 'Print 8 sheets' }).waitFor();
    equal(await page.locator('.sheet').count(), 8, 'sheets on the screen');
    truth(await page.getByText('Classic · Expedition cards · A4 · our own design').count() === 1, 'what a sheet is');
    equal(await printed(page), { pages: 8, box: [210, 297] }, 'on paper');
    await page.getByRole('switch', { name: 'Pyramid cards' }).click();
    await page.getByRole('radio', { name: 'Letter' }).click();
    await page.getByRole('button', { name: 'Print 2 sheets' }).waitFor();
    equal(await printed(page), { pages: 2, box: [216, 279] }, 'two sheets of Letter');
    await page.reload();
    await page.getByRole('button', { name: 'Print 2 sheets' }).waitFor();
    equal(await page.getByRole('radio', { name: 'Letter' }).getAttribute('aria-checked'), 'true', 'kept on the device');
    await page.getByRole('switch', { name: 'Expedition cards' }).click();
    await page.getByRole('switch', { name: 'Score cards' }).click();
    truth(await page.getByRole('button', { name: 'Choose what to print' }).isDisabled(), 'nothing to print');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('colour and black, by keyboard, on a phone', async () => {
    const page = await open(browser, `${host.url}#print`, { ...PHONE, colorScheme: 'dark' });
    await page.getByRole('radio', { name: 'Black, saves ink' }).focus();
    const greys = () => page.locator('.sheets defs').first().evaluate((defs) => [...defs.innerHTML.matchAll(
        /#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})"/gi)].every(([, r, g, b]) => r === g && g === b));
    truth(await greys(), 'symbols are grey');
    await page.keyboard.press('ArrowRight');
    equal(await page.evaluate(() => document.activeElement?.textContent), 'Colour', 'the focus follows');
    truth(!await greys(), 'symbols have colours');
    truth(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no sideways scroll');
    await look(page, 'print');
    await picture(page, 'print-phone');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await browser.close();
host.close();
done();
