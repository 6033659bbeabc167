// player.mjs: plays at the table as a person would who knows roles and names only.

export const ended = (page) => page.getByRole('heading',
    { name: /wins|^You win|share the win|^((Bronze|Silver|Gold) with )?\d+ points?$/ });

/** Two clicks from the opened page to the first choice. */
export async function begin(page, press = (l) => l.click()) {
    await press(page.getByRole('button', { name: 'Play', exact: true }));
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
}

export async function keep(page, press = (l) => l.click()) {
    const cards = page.getByRole('group', { name: 'Your four cards' }).getByRole('button');
    await press(cards.nth(0));
    await press(cards.nth(1));
    await press(page.getByRole('button', { name: /^Keep \d/ }));
}

/** The name to play under, on the page of a new table. */
export async function rename(page, name, press = (l) => l.click()) {
    await press(page.getByRole('button', { name: 'Rename' }));
    await page.getByRole('textbox', { name: 'Your name' }).fill(name);
    await press(page.getByRole('button', { name: 'Done' }));
}

/** Who is to play a seat there: Friend, Bot or Empty. */
export const seat = (page, n, who, press = (l) => l.click()) =>
    press(page.getByRole('radiogroup', { name: `Who plays seat ${n}` }).getByRole('radio', { name: who }));

/** One thing that is due; what it was. */
export async function act(page, press = (l) => l.click(), pick = 0) {
    if (await ended(page).count())
        return 'end';
    if (await page.getByRole('heading', { name: /Keep two/ }).count()) {
        await keep(page, press);
        return 'keep';
    }
    // A moment that is celebrated keeps the table as it was: any key ends it.
    if (await page.locator('[aria-busy=true]').count()) {
        await page.keyboard.press('Shift');
        return 'wait';
    }
    const sheet = page.getByRole('dialog', { name: /complete$/ });
    if (await sheet.count()) {
        await press(sheet.getByRole('button', { name: /^Card/ }).nth(pick % 2));
        await press(sheet.getByRole('button', { name: /^Take \d/ }));
        return 'take';
    }
    const cells = page.getByRole('gridcell', { name: /can be marked/ }), count = await cells.count();
    if (count) {
        await press(cells.nth(pick % count));
        await press(page.getByRole('button', { name: /^(Confirm|Next)/ }));
        return 'mark';
    }
    await page.waitForTimeout(25);
    return 'wait';
}

const LONGEST_WAIT = 2400;             // pauses of 25 ms: a slow bot is no fault of the page

/** Again and again until `step` says that it is the end; it is told how often something was done. Waiting for others does
 * not count. */
export async function goOn(step) {
    for (let i = 0, waits = 0; i < 400 && waits < LONGEST_WAIT;) {
        const what = await step(i);
        if (what === 'end')
            return;
        i += what === 'wait' ? 0 : 1;
        waits = what === 'wait' ? waits + 1 : 0;
    }
    throw new Error('the game does not go on');
}

/** To the end; the totals. */
export async function finish(page, press, each = async () => {}) {
    await goOn(async (i) => {
        const what = await act(page, press, i);
        await each(what, i);
        return what;
    });
    await ended(page).waitFor();
    const row = page.getByRole('row', { name: /^Total/ });
    return (await row.getByRole('cell').allInnerTexts()).map((t) => Number(t.replace('−', '-')));
}
