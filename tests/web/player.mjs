// player.mjs: plays at the table as a person would who knows roles and names only.

const OVER = /wins|^You win|share the win|^((Bronze|Silver|Gold) with )?\d+ points?$/;

export const ended = (page) => page.getByRole('heading', { name: OVER });

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

/** In the page: what a player has to do now: 'end', 'keep', 'busy', 'take', or how many spaces can be marked. By roles and
 * names, too, but with one question: asked one by one through locators, they would cost more than all the rest of a game. */
function due(over) {
    const isThere = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('[aria-hidden=true]');
    const heads = [...document.querySelectorAll('h1, h2, h3, [role=heading]')].filter(isThere).map((e) =>
        e.textContent.trim().replace(/\s+/g, ' '));
    const nameOf = (e) => document.getElementById(e.getAttribute('aria-labelledby') ?? '')?.textContent.trim() ??
        e.getAttribute('aria-label') ?? '';
    return heads.some((text) => new RegExp(over).test(text)) ? 'end' : heads.some((text) =>
        text.includes('Keep two')) ? 'keep' :
        // A moment that is celebrated keeps the table as it was.
        document.querySelector('[aria-busy=true]') ? 'busy' :
        [...document.querySelectorAll('[role=dialog], dialog[open]')].some((e) => isThere(e) &&
        nameOf(e).endsWith('complete')) ? 'take' :
        [...document.querySelectorAll('[role=gridcell][aria-label*="can be marked"]')].filter(isThere).length;
}

/** One thing that is due; what it was. */
export async function act(page, press = (l) => l.click(), pick = 0) {
    const what = await page.evaluate(due, OVER.source);
    if (what === 'end')
        return 'end';
    if (what === 'keep') {
        await keep(page, press);
        return 'keep';
    }
    if (what === 'busy') {
        await page.keyboard.press('Shift');              // any key ends it
        return 'wait';
    }
    if (what === 'take') {
        const sheet = page.getByRole('dialog', { name: /complete$/ });
        await press(sheet.getByRole('button', { name: /^Card/ }).nth(pick % 2));
        await press(sheet.getByRole('button', { name: /^Take \d/ }));
        return 'take';
    }
    if (what) {
        await press(page.locator('[role=gridcell][aria-label*="can be marked"]:visible').nth(pick % what));
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
