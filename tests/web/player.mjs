// player.mjs: plays at the table as a person would who knows only roles and names.

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

/** Sets the name of the player, on the page of a new table. */
export async function rename(page, name, press = (l) => l.click()) {
    await press(page.getByRole('button', { name: 'Rename' }));
    await page.getByRole('textbox', { name: 'Your name' }).fill(name);
    await press(page.getByRole('button', { name: 'Done' }));
}

/** Sets who plays a seat there: Friend, Bot or Empty. */
export const seat = (page, n, who, press = (l) => l.click()) =>
    press(page.getByRole('radiogroup', { name: `Who plays seat ${n}` }).getByRole('radio', { name: who }));

/** In the page: what the player has to do now, 'end', 'keep', 'busy', 'take', 'mark', 'confirm' or 'wait', and where
 * to press. By roles and names, too, but in a single call: one by one through locators they would take longer than
 * all the rest of a game. Covered elements are not pressed. */
function due([over, pick, then]) {
    const isThere = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('[aria-hidden=true]');
    const heads = [...document.querySelectorAll('h1, h2, h3, [role=heading]')].filter(isThere).map((e) =>
        e.textContent.trim().replace(/\s+/g, ' '));
    const nameOf = (e) => (document.getElementById(e.getAttribute('aria-labelledby') ?? '')?.textContent ??
        e.getAttribute('aria-label') ?? e.textContent).trim();
    const touch = navigator.maxTouchPoints > 0, at = (what, e) => {
        e?.scrollIntoView({ block: 'nearest' });
        const box = e?.getBoundingClientRect(), x = box?.x + box?.width / 2, y = box?.y + box?.height / 2;
        return e?.contains(document.elementFromPoint(x, y)) ? { what, touch, x, y } : { what: 'wait', touch };
    };
    const named = (name, within = document) => [...within.querySelectorAll('button')].filter((b) => name.test(nameOf(b)) &&
        isThere(b) && b.ariaDisabled !== 'true');
    if (heads.some((text) => new RegExp(over).test(text)))
        return { what: 'end', touch };
    if (then)
        return at(then, named(then === 'take' ? /^Take \d/ : /^(Confirm|Next)/)[0]);
    if (heads.some((text) => text.includes('Keep two')))
        return { what: 'keep', touch };
    if (document.querySelector('[aria-busy=true]'))      // a celebration keeps the table as it was
        return { what: 'busy', touch };
    const sheet = [...document.querySelectorAll('[role=dialog], dialog[open]')].find((e) => isThere(e) &&
        nameOf(e).endsWith('complete'));
    if (sheet)
        return at('take', named(/^Card/, sheet)[pick % 2] ?? named(/^Card/, sheet)[0]);
    const free = [...document.querySelectorAll('[role=gridcell][aria-label*="can be marked"]')].filter(isThere);
    return free.length ? at('mark', free[pick % free.length]) : { what: 'wait', touch };
}

/** Does the next thing with the mouse or, on a touch screen, a finger; returns what it was. `before` checks the page
 * before each press. @param {number} pick which of several */
export async function act(page, pick = 0, before = async () => {}) {
    const ask = (then = '') => page.evaluate(due, [OVER.source, pick, then]);
    const press = async ({ touch, x, y }) => {
        await before();
        await (touch ? page.touchscreen.tap(x, y) : page.mouse.click(x, y));
    };
    const next = await ask(), { what, touch } = next;
    if (what === 'keep')
        await keep(page, touch ? (l) => l.tap() : undefined);
    else if (what === 'busy') {
        await page.keyboard.press('Shift');              // any key ends it
        return 'wait';
    } else if (what === 'take' || what === 'mark') {
        await press(next);
        let then = await ask(what === 'take' ? 'take' : 'confirm');
        for (let i = 0; i < 40 && then.what === 'wait'; i++) {        // a tap becomes a click a little later
            await page.waitForTimeout(5);
            then = await ask(what === 'take' ? 'take' : 'confirm');
        }
        if (then.what === 'wait')
            return 'wait';
        await press(then);
    } else if (what === 'wait')
        await page.waitForTimeout(25);
    return what;
}

const LONGEST_WAIT = 2400;             // pauses of 25 ms: a slow bot is not an error of the page

/** Repeats `step` until it returns 'end'; its argument is the number of things done. Waiting for others does not
 * count. */
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

/** Makes a choice as soon as one is due. @param {Page} page */
export const actWhenDue = (page) => goOn(async () => await act(page) === 'wait' ? 'wait' : 'end');

/** Plays to the end; returns the totals.
 * @param {{before?: () => Promise<void>, each?: (what: string, i: number) => Promise<void>}} look functions that
 * check the page before each press, and after each choice */
export async function finish(page, { before, each = async () => {} } = {}) {
    await goOn(async (i) => {
        const what = await act(page, i, before);
        await each(what, i);
        return what;
    });
    await ended(page).waitFor();
    const row = page.getByRole('row', { name: /^Total/ });
    return (await row.getByRole('cell').allInnerTexts()).map((t) => Number(t.replace('−', '-')));
}
