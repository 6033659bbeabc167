// screens.mjs SITE: every screen in both themes and at both sizes: axe finds nothing, nothing overflows, the console is
// quiet; screenshots are saved in the build folder. Dropped, broken and foreign records. Sizes.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { look } from './axe.mjs';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, PICTURES, go, launch, open, picture, pictures, serve, settled, withoutServer } from './site.mjs';
import { kept, newCore, playOut, saved } from './games.mjs';
import { act, goOn } from './player.mjs';

const site = process.argv[2], host = await serve(site), browser = await launch();

const midgame = playOut(newCore(site), 4, 7, (v) => v.phase === 'mark' && v.round === 2 && v.turn === 3);
const setup = playOut(newCore(site), 3, 5, () => true);
const replacing = (() => {
    for (let seed = 1; ; seed++) {
        const core = playOut(newCore(site), 3, seed, (v) => v.phase === 'replace' && v.order[v.place] === 0 && v.round > 0);
        if (!core.isOver())
            return core;
    }
})();
const over = playOut(newCore(site), 3, 11);
const late = playOut(newCore(site), 4, 11, (v) => v.phase === 'mark' && v.round === 3 && v.turn === 6);
const lastTurn = playOut(newCore(site), 2, 4, (v) => v.phase === 'mark' && v.round === 3 && v.turn === 6);

const MIDGAME = { game: saved(midgame) };
const table = (page) => page.locator('.table').waitFor();
const press = (page, name) => page.getByRole('button', { name, exact: true }).first().click();
/** Name, address, what to store in the browser before, what to do then. */
const SCREENS = [
    ['home', '', {}, async (page) => {
        await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
        equal(await page.evaluate(() => [...document.querySelectorAll('#app *')].filter((e) => e.checkVisibility() &&
            getComputedStyle(e).position === 'fixed').map((e) => e.outerHTML.slice(0, 80))), [], 'over the page');
    }],
    ['settings', '', {}, async (page) => { await press(page, 'Settings'); await page.getByRole('dialog').waitFor(); }],
    ['setup', 'play', { game: saved(setup) }, async (page) => { await page.locator('.pick').first().click();
    await page.locator('.pick').nth(2).click(); }],
    ['table', 'play', MIDGAME, async (page) => { await table(page); await page.getByRole('gridcell',
    { name: /can be marked/ }).last().click(); }],
    ['refused', 'play', MIDGAME, async (page) => { await table(page); await page.getByRole('gridcell',
    { name: /wall/ }).first().click({ force: true });
        // The check includes a message.
        await page.evaluate(() => { const toast = document.querySelector('#toast'); toast.textContent = 'Round 3 begins.';
            toast.hidden = false; });
    }],
    ['menu', 'play', MIDGAME, async (page) => { await table(page);
    await page.locator('[data-a=menu]:visible').first().click(); await page.getByRole('dialog').waitFor(); }],
    ['log', 'play', MIDGAME, async (page) => { await table(page);
    await page.locator('[data-open=log]:visible').first().click(); }],
    ['completed', 'play', MIDGAME, async (page) => { await table(page);
    await page.locator('[data-shelf]:visible').first().click(); await page.getByRole('dialog').waitFor(); }],
    ['replace', 'play', { game: saved(replacing) }, async (page) => { await page.getByRole('dialog').waitFor();
    await page.locator('.pick').first().click(); }],
    ['help', 'play', MIDGAME, async (page) => { await table(page); await press(page, 'Help and keys');
    await page.getByRole('dialog').waitFor(); }],
    ['end', 'play', { game: saved(lastTurn) }, async (page) => {
        await table(page);
        await goOn(() => act(page));
        await page.getByRole('heading', { name: 'Turning points' }).waitFor();
    }],
    ['replays', 'replays', { games: [kept(over), kept(lastTurn, '78')] },
    (page) => page.getByRole('heading', { name: 'Games', level: 1 }).waitFor()],
    ['replay', 'replay/77', { games: [kept(over)] }, async (page) => {
        await page.getByRole('button', { name: 'To the beginning' }).click();
        for (let i = 0; i < 12; i++)
            await page.getByRole('button', { name: 'Step forward' }).click();
        // A turning point leads to its moment, and the analysis stays; the address follows.
        const first = page.getByRole('complementary',
            { name: 'Players and turning points' }).getByRole('listitem').getByRole('button').first();
        const line = await first.getAttribute('data-line');
        await first.click();
        await page.waitForURL((url) => url.hash === `#replay/77/${line}`);
        truth(await first.isVisible(), 'the analysis is still there');
    }],
    ['learn', 'learn/8', {}, table],
    ['rules', 'R10', {}, (page) => page.locator('#R10').waitFor()],
    ['pad', 'pad', {}, async (page) => {
        await page.getByRole('button', { name: 'Ruby 3' }).first().click();
        await page.getByRole('button', { name: 'Emerald 2' }).first().click();
        await page.getByRole('button', { name: /Skull 4/ }).first().click();
    }],
    ['editions', 'editions', {}, (page) => page.getByRole('heading', { name: 'Classic' }).waitFor()],
    ['edition', 'edition', {}, async (page) => {
        await page.getByRole('button', { name: /^a1/ }).click();
        await page.getByRole('status').first().waitFor();
    }],
    ['no-server', 'friends/new', {}, (page) => page.getByRole('button', { name: 'Try again' }).waitFor()],
];

/** Screens that are opened by another button there. */
const OTHERWISE_ON_PHONES = ['home', 'log', 'settings'];
/** Screens that look different on a phone: axe checks them there, too. languages.mjs checks that the rest fits there. */
const OWN_ON_PHONES = ['home', 'setup', 'table', 'refused', 'menu', 'log', 'completed', 'replace', 'end', 'replay', 'learn'];

/** Screens with their own colours in the dark theme. */
const OWN_IN_THE_DARK = ['table', 'replace', 'setup'];

/** What lies over a screen that axe has already checked: only that part is new. */
const WITHIN = { settings: ['dialog[open]'], refused: ['#toast', '.acts'], menu: ['dialog[open]'], log: ['.log'],
    completed: ['dialog[open]'], help: ['dialog[open]'] };

let visits = 0;
/** The page is loaded once: only the browser's storage and the address behind the # change. A game that is already shown
 * stays, but anything open over it is closed, and placed marks are taken back. */
async function show(page, [, hash, keep, then]) {
    if (keep === MIDGAME && page.shows === visits) {
        await page.evaluate(() => { document.querySelector('#toast').hidden = true; });
        for (let i = 0; i < 3; i++)
            await page.keyboard.press('Escape');
    } else {
        await go(page, `nowhere${++visits}`);
        page.shows = keep === MIDGAME ? visits : 0;
        await page.evaluate((all) => {
            localStorage.clear();
            for (const [key, value] of Object.entries(all))
                localStorage.setItem(`pyramids.${key}`, JSON.stringify(value));
        }, keep);
        if (hash)
            await go(page, hash);
    }
    await then(page);
    await settled(page);
}

async function fits(page, name) {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    truth(wide <= 0, `${name} is ${wide} px too wide`);
}

/** One page for both sizes and both themes: going to a screen takes longest, changing the theme or the window size takes
 * almost no time. */
const page = await open(browser, host.url);
for (const screen of SCREENS)
    await test(`${screen[0]}, at the desk and on a phone, by day and by night`, async () => {
        const [name] = screen, within = WITHIN[name];
        page.complaints.length = 0;
        for (const [where, { viewport }] of [['1440x900', DESKTOP], ['390x844', PHONE]]) {
            const phone = where === '390x844';
            if (phone && !OWN_ON_PHONES.includes(name) && !PICTURES)
                continue;
            await page.emulateMedia({ colorScheme: 'light' });
            await page.locator('html[data-theme=light]').waitFor();
            await page.setViewportSize(viewport);
            if (!phone || OTHERWISE_ON_PHONES.includes(name))
                await show(page, screen);
            await settled(page);
            await fits(page, name);
            await picture(page, `${name}-${where}`);
            if (!phone || OWN_ON_PHONES.includes(name))
                await look(page, name, { within });
            await page.emulateMedia({ colorScheme: 'dark' });
            await page.locator('html[data-theme=dark]').waitFor();
            await settled(page);
            await picture(page, `${name}-${where}-dark`);
            if (!phone || OWN_IN_THE_DARK.includes(name))
                await look(page, name, { dark: true, within });
        }
        equal(name === 'no-server' ? withoutServer(page) : page.complaints, [], 'the console');
    });

await test('a message is as high as its words, at every size', async () => {
    for (const name of ['table', 'replace', 'learn']) {
        await show(page, SCREENS.find(([one]) => one === name));
        for (const [width, height] of [[390, 844], [390, 700], [320, 568], [820, 1180], [1440, 900]]) {
            await page.setViewportSize({ width, height });
            const high = await page.evaluate(() => {
                const toast = document.querySelector('#toast');
                toast.textContent = 'Round 3 begins: the expedition cards are shuffled, a new torch can be lit.';
                toast.hidden = false;
                return toast.offsetHeight;
            });
            truth(high >= 16 && high <= 72, `at ${width}x${height} the message over ${name} is ${high} px high`);
        }
    }
});
await page.context().close();

await test('on a large screen the words stand above the cards, and a panel is as high as what is in it', async () => {
    const page = await open(browser, host.url, { viewport: { width: 1920, height: 1080 } });
    const left = (/** @type {string} */ what) => page.locator(what).first().evaluate((e) => e.getBoundingClientRect().left);
    await page.locator('.lobby').waitFor();
    equal(await left('.hero .txt'), await left('.lobby'), 'one edge');
    await go(page, '#solo');
    await page.locator('.solos a').first().waitFor();
    const [panel, list] = await page.evaluate(() => ['.solo .panel', '.solos'].map((what) => {
        const whole = document.querySelector(what).getBoundingClientRect(), { paddingBottom } =
            getComputedStyle(document.querySelector(what));
        const last = [...document.querySelector(what).children].at(-1).getBoundingClientRect();
        return whole.bottom - parseFloat(paddingBottom) - last.bottom;
    }));
    truth(panel < 4 && list < 4, `empty below the button: ${panel}, below the list: ${list}`);
    await page.close();
});

await test('the table at every size of the design', async () => {
    let page = await open(browser, host.url);
    await show(page, SCREENS.find(([name]) => name === 'table'));
    for (const [width, height] of [[1920, 1080], [1280, 720], [1366, 768], [1200, 800], [1024, 768], [820, 1180],
        [768, 1024], [640, 960], [390, 664], [844, 390], [320, 568],
        // At 400 % zoom a window of 1280x1024 is as large as 320x256: then the page scrolls (WCAG 1.4.10).
        [546, 320], [320, 320], [320, 256], [1000, 420], [1280, 500]]) {
        if (width === 820) {            // from here on by touch
            await page.context().close();
            page = await open(browser, host.url, PHONE);
            await page.setViewportSize({ width, height });
            await show(page, SCREENS.find(([name]) => name === 'table'));
        }
        await page.setViewportSize({ width, height });
        await settled(page);
        await picture(page, `table-${width}x${height}`);
        // low: opponents who are seen only by scrolling; every size of the design shows all of them.
        const seen = await page.evaluate(() => {
            const confirm = document.querySelector('[data-a=confirm]').getBoundingClientRect();
            const full = [...document.querySelectorAll('.center > *, .left > *, .right > *')].filter((e) => e.offsetParent &&
                !e.matches('.logbox') && e.scrollWidth > e.clientWidth + 1);
            const hit = document.elementFromPoint(confirm.x + confirm.width / 2, confirm.y + confirm.height / 2);
            return { wide: document.documentElement.scrollWidth - innerWidth, confirm: confirm.right <= innerWidth &&
                confirm.bottom <= innerHeight && hit?.closest('[data-a=confirm]') !== null,
                full: full.map((e) => e.className),
                    space: document.querySelector('.cells button').getBoundingClientRect().width > 34,
                    low: [...document.querySelectorAll('.opp')].filter((e) => e.getBoundingClientRect().bottom >
                        document.querySelector('.opps').getBoundingClientRect().bottom + 4).length };
        });
        equal(seen, { wide: 0, confirm: true, full: [], space: true, low: height > 500 ? 0 : seen.low },
            `${width}x${height}`);
        // Cards to choose from are large enough to read, and nothing covers another card's symbols, on the smallest
        // screens.
        const small = height < 700 && height > 350 && width < 900;
        for (const name of small ? ['setup', 'replace'] : []) {
            await show(page, SCREENS.find(([n]) => n === name));
            await picture(page, `${name}-${width}x${height}`);
            const cards = await page.evaluate(() => {
                const boxes = [...document.querySelectorAll('.pick .pcard, .pick .cap, .intro h1, .hint')].filter((e) =>
                    e.checkVisibility()).map((e) => e.getBoundingClientRect());
                const lie = boxes.filter((a, i) => boxes.some((b, k) => k > i && a.left < b.right - 1 &&
                    b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
                const pri = document.querySelector('.foot .pri, .ovf .pri').getBoundingClientRect();
                return { small: [...document.querySelectorAll('.pick .pcard')].filter((e) =>
                    e.getBoundingClientRect().width < 90).length, over: lie.length, button: pri.bottom <= innerHeight &&
                    pri.height >= 44,
                    wide: document.documentElement.scrollWidth - innerWidth };
            });
            equal(cards, { small: 0, over: 0, button: true, wide: 0 }, `${name}, ${width}x${height}`);
        }
        if (small)
            await show(page, SCREENS.find(([name]) => name === 'table'));
    }
    await page.context().close();
});

await test('at the end of a game all opponents fit, too, with what they have completed', async () => {
    const page = await open(browser, host.url);
    await show(page, ['late', 'play', { game: saved(late) }, table]);
    for (const [width, height] of [[1920, 1080], [1440, 900], [1366, 768], [1280, 720]]) {
        await page.setViewportSize({ width, height });
        equal(await page.evaluate(() => [...document.querySelectorAll('.opp')].map((e) => Math.max(0, Math.round(
            e.getBoundingClientRect().bottom - document.querySelector('.opps').getBoundingClientRect().bottom - 4)))),
        [0, 0, 0], `below the panel at ${width}x${height}`);
        truth(await page.evaluate(() => [...document.querySelectorAll('.opp .nmt')].every((e) =>
            e.scrollWidth <= e.clientWidth + 1)), `names are whole at ${width}x${height}`);
        const { top, bottom } = await page.locator('.track').evaluate((e) => e.getBoundingClientRect()),
            tray = await page.locator('.tray').boundingBox();
        truth(top >= tray.y && bottom <= tray.y + tray.height, `the patterns are in their panel at ${width}x${height}`);
    }
    await page.context().close();
});

await test('dropped, broken and foreign records', async () => {
    const page = await open(browser, `${host.url}#games`);
    await page.getByRole('heading', { name: 'Games', level: 1 }).waitFor();
    const drop = (name, text) => page.evaluate(([n, t]) => {
        const data = new DataTransfer();
        data.items.add(new File([t], n));
        document.querySelector(n === 'fine.pyr' ? 'body' : '.page, .rep').dispatchEvent(new DragEvent('drop',
            { dataTransfer: data, bubbles: true, cancelable: true }));
    }, [name, text]);
    const lines = over.lines(), at = lines.findIndex((l) => l.startsWith('mark 1'));
    for (const [name, text, says] of [['photo.jpg', '\u0000\u0001garbage', /Line 1/],
        ['broken.pyr', [...lines.slice(0, at), 'mark 1 17:z9', ...lines.slice(at + 1)].join('\n'),
        new RegExp(`Line ${at + 1}: .*expected`)],
        ['illegal.pyr', over.log().replace(/^score 1 \d+/m, 'score 1 999'), /wrong score; expected: score 1/],
        ['long.pyr', 'x'.repeat(70000), /too large/],
        ['dealt.pyr', lines.slice(0, lines.findIndex((l) => l.startsWith('deal 2'))).join('\n'),
        /ends before the cards are dealt/]]) {
        await drop(name, text);
        await page.getByRole('alert').filter({ hasText: says }).waitFor();
    }
    // A first mark beside the entrance: the violated rule is a click away.
    const card = lines[at].split(/[ :]/)[2], beside = over.edition.cards[card].cells.indexOf('.');
    await drop('rule.pyr', over.log().replace(lines[at],
        `mark 1 ${card}:${'abcde'[beside % 5]}${1 + Math.floor(beside / 5)}`));
    await page.getByRole('alert').filter({ hasText: `Line ${at + 1}` }).getByRole('link', { name: 'R10' }).waitFor();
    await pictures(page, 'broken');
    // From anywhere on any page; a name may be as long as the format allows.
    await go(page, 'pad');
    await page.getByRole('heading', { name: 'Score pad' }).waitFor();
    await drop('fine.pyr', over.log().replace('player 1 Ana', `player 1 ${'W'.repeat(127)}`));
    await page.getByRole('button', { name: 'Step forward' }).waitFor();
    // Before the deal there is no deck to count; after it the deck has all cards except the players' six and the
    // display's four.
    await page.getByRole('button', { name: 'To the beginning' }).click();
    equal(await page.getByText(/^Deck/).count(), 0, 'no deck yet');
    await page.keyboard.press('PageDown');
    await page.getByText('Deck: 38 cards').waitFor();
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.getByRole('table').waitFor();
    await fits(page, 'the end of a replay');
    await page.getByRole('button', { name: 'To the beginning' }).click();
    await page.getByRole('button', { name: 'Play back' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    // A game of another edition waits for its cards; no other edition is used instead.
    await drop('other.pyr', over.log().replace('edition classic', 'edition boxed'));
    await page.getByRole('heading', { name: 'The cards of this game are missing' }).waitFor();
    await pictures(page, 'missing');
    const boxed = over.edition.text.replace('name classic', 'name boxed');
    for (const [name, text, says] of [['photo.jpg', '\u0000\u0001garbage', /^photo.jpg: Line 1/],
        ['classic.edition', over.edition.text, /the edition “classic”.*played with “boxed”/],
        ['huge.edition', 'x'.repeat(70000), /too large/]]) {
        await drop(name, text);
        await page.getByRole('alert').filter({ hasText: says }).waitFor();
    }
    await page.locator('input[type=file]').setInputFiles({ name: 'boxed.edition', mimeType: 'text/plain',
        buffer: Buffer.from(boxed) });
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.getByRole('table').waitFor();
    // A link includes such cards: it opens in browsers that do not have them. An old link, without them, asks for them.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // First a warning about whose cards may be shared; without an answer, nothing is copied.
    const share = () => page.getByRole('button', { name: 'Share' }).click();
    await page.evaluate(() => navigator.clipboard.writeText('nothing'));
    await share();
    await page.getByRole('dialog').getByText('only if you designed its cards yourself').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    equal(await page.evaluate(() => navigator.clipboard.readText()), 'nothing', 'the clipboard after Cancel');
    await share();
    await page.getByRole('button', { name: 'These are my own cards' }).click();
    await page.getByText('Link copied.').first().waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText()), other = await open(browser, link);
    console.log(`# a link with a game and its cards in it: ${link.length} characters`);
    await other.getByRole('button', { name: 'To the end' }).click();
    equal(await other.getByRole('table').innerText(), await page.getByRole('table').innerText(), 'the same scores');
    await other.goto(`${host.url}?old#${link.split('#')[1].split('.').slice(0, 2).join('.')}`);
    await other.getByRole('heading', { name: 'The cards of this game are missing' }).waitFor();
    await other.locator('input[type=file]').setInputFiles({ name: 'boxed.edition', mimeType: 'text/plain',
        buffer: Buffer.from(boxed) });
    await other.getByRole('button', { name: 'Step forward' }).waitFor();
    equal([...page.complaints, ...other.complaints], [], 'the console');
    await other.context().close();
    await page.context().close();
});

await test('an edition of one’s own: checked, saved, played', async () => {
    const page = await open(browser, `${host.url}#edition`);
    const area = page.getByRole('textbox', { name: 'Text of the edition' });
    await area.waitFor();
    const text = await area.inputValue();
    await area.fill(text.replace('card 2 orange', 'card 2 blue'));
    await page.getByText(/'blue' is not a colour/).waitFor();
    // Two cards exchange their colours; in between there are 17 of one.
    await area.fill(text);
    for (const [card, colour, says] of [['1', 'orange', /Line \d+: /], ['2', 'green', 'No problems found.']]) {
        await page.getByRole('combobox', { name: 'Card' }).selectOption(card);
        await page.getByRole('combobox', { name: 'Colour' }).selectOption(colour);
        await page.getByRole('status').getByText(says).waitFor();
    }
    equal((await area.inputValue()).match(/^card [12] .*/gm), ['card 1 orange', 'card 2 green'], 'colours');
    await area.fill(text.replace('name own', 'name mine'));
    await page.getByText('No problems found.').waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    await page.goto(host.url);
    await page.getByRole('combobox', { name: 'Edition' }).waitFor();
    // Imported: a reload keeps it; names are one word of any characters.
    for (const name of ['a/b%25?#ä', '__proto__']) {
        await page.goto(`${host.url}#editions`);
        await page.getByLabel('Import').setInputFiles({ name: 'box.edition', mimeType: 'text/plain',
            buffer: Buffer.from(text.replace('name own', `name ${name}`).replace(/^title .*/m, 'title <b>Odd</b>')) });
        await area.waitFor();
        await page.reload();
        await page.getByText('No problems found.').waitFor();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByRole('heading', { name: '<b>Odd</b>' }).waitFor();
        equal(await page.getByRole('combobox', { name: 'Edition' }).inputValue(), name, 'its name');
    }
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('what is read without scripts speaks all languages', () => {
    const html = readFileSync(join(site, 'index.html'), 'utf8'),
        lines = [...html.slice(html.indexOf('<noscript>')).matchAll(/<p lang="(\w+)">([^<]+)/g)];
    const manifest = JSON.parse(readFileSync(join(site, 'app.webmanifest'), 'utf8'));
    equal(lines.map(([, code]) => code), ['en', 'de', 'es', 'fr', 'it', 'pt'], 'no script');
    equal(new Set(lines.map(([, , text]) => text)).size, 6, 'each its own');
    equal([manifest.lang, ...Object.keys(manifest.description_localized)], ['en', 'de', 'es', 'fr', 'it', 'pt'], 'manifest');
});

await test('the first thing is seen before anything but three small files has arrived', async () => {
    const page = await open(browser, 'about:blank', PHONE), asked = [], held = [], FIRST = ['', 'first.css', 'theme.js'];
    let all = false;
    await page.context().route('**/*', (route) => {
        const name = new URL(route.request().url()).pathname.slice(1);
        asked.push(name);
        return all || FIRST.includes(name) ? route.continue() : held.push(route);
    });
    host.sent.bytes = 0;
    await page.goto(host.url, { waitUntil: 'commit' });
    await page.evaluate(() => new Promise((seen) => {
        new PerformanceObserver((list) => { if (list.getEntriesByName('first-contentful-paint').length) seen(); }).observe(
            { type: 'paint', buffered: true });
    }));
    const { bytes } = host.sent, box = await page.getByRole('img', { name: 'Pyramids' }).boundingBox();
    console.log(`# before the first paint: ${bytes} bytes in ${FIRST.length} files`);
    truth(box.width > 100 && box.x >= 0, 'the word mark');
    // Browsers fetch six files at a time, in the order in which they are named.
    equal(asked.slice(0, 3), FIRST, 'asked for first');
    truth(bytes < 10000, 'less than a server sends at once, without waiting for an answer');
    // Nothing moves when the rest has loaded.
    all = true;
    await Promise.all(held.map((route) => route.continue()));
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    const then = await page.locator('.wordmark').boundingBox();
    equal([then.x, then.y, then.height], [box.x, box.y, box.height], 'where the word mark is');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('small enough, fast enough', async () => {
    let total = 0;
    const list = (folder) => readdirSync(folder, { recursive: true }).filter((n) => n.endsWith('.gz')).map((n) =>
        [n, statSync(join(folder, n)).size]);
    for (const [, size] of list(site))
        total += size;
    host.sent.bytes = 0;
    const page = await open(browser, 'about:blank');
    const began = Date.now();
    await page.goto(host.url);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    const shown = Date.now() - began, bytes = host.sent.bytes;
    console.log(`# all files compressed: ${total} bytes; sent for the first screen: ${bytes}; ` +
        `first screen after ${shown} ms`);
    truth(total < 340000, 'all files are below 340 KB');
    truth(bytes < 200000, 'the first screen is below 200 KB');
    await page.context().close();
});

await browser.close();
host.close();
done();
