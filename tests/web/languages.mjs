// languages.mjs SITE SOURCE: every screen in every language and in a pseudo-language (tests/pseudo_po.py), at phone
// sizes: nothing is cut off or overflows, and no word bypasses the catalogue. Plural forms and the choice of a language.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, go, launch, open, picture, serve, settled, withoutServer } from './site.mjs';
import { NAMES, analysed, kept, newCore, playOut, saved } from './games.mjs';

const [built, source] = process.argv.slice(2).map((path) => resolve(path));
const folder = mkdtempSync(join(tmpdir(), 'pyramids-')), site = join(folder, 'site');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const LISTED = readFileSync(join(source, 'po/LINGUAS'), 'utf8').replace(/#.*/g, '').split(/\s+/).filter(Boolean);
const allowed = readFileSync(join(source, 'tests/pseudo-allow.txt'), 'utf8').split('\n')
    .filter((l) => l && !l.startsWith('#'));
const ALLOWED = new RegExp(`^(?:${allowed.map((l) => `(?:${l})`).join('|')})$`);

/** A copy of the site with the pseudo-language. */
function makeSite() {
    const pseudo = join(folder, 'qps.po'), made = join(folder, 'made');
    cpSync(built, site, { recursive: true });
    execFileSync('python3', [join(source, 'tests/pseudo_po.py'), join(source, 'po/pyramids.pot'), pseudo]);
    execFileSync(join(source, 'scripts/po-to-json'), [made, ...LISTED.map((code) => join(source, `po/${code}.po`)), pseudo]);
    cpSync(made, site, { recursive: true });
    for (const name of ['languages.js', ...readdirSync(join(site, 'lang')).filter((n) => !n.endsWith('.gz')).map((n) =>
        `lang/${n}`)])
        writeFileSync(join(site, `${name}.gz`), gzipSync(readFileSync(join(site, name))));
}

makeSite();

await test('plural forms are those of each language, in thousands and millions too', async () => {
    const all = readdirSync(join(source, 'po')).filter((n) => n.endsWith('.po')).map((n) => join(source, 'po', n));
    execFileSync(join(source, 'scripts/po-to-json'), [join(folder, 'all'), ...all]);
    writeFileSync(join(folder, 'all/languages.mjs'), readFileSync(join(folder, 'all/languages.js')));
    const { LANGUAGES } = await import(join(folder, 'all/languages.mjs'));
    const wanted = { fr: [0, 0, 1, 1, 1], en: [1, 0, 1, 1, 1], de: [1, 0, 1, 1, 1], es: [1, 0, 1, 1, 1], it: [1, 0, 1, 1, 1],
        pt: [1, 0, 1, 1, 1] };
    for (const [code, , form] of LANGUAGES)
        if (wanted[code])
            equal([0, 1, 2, 1000, 1000000].map(form), wanted[code], code);
    truth(LANGUAGES.length === all.length + 1, 'all are there');
});

await test('a text, its plural and numbers in a language; the browser’s choice', async () => {
    globalThis.document = { documentElement: { lang: '' } };
    Object.defineProperty(globalThis, 'navigator', { value: { languages: ['zz', 'qps-XX', 'en'] }, configurable: true });
    const polish = { Play: 'Zagraj', '%{n} ruby': '%{n} rubin\t%{n} rubiny\t%{n} rubinów', 'of %{b} and %{a}': '%{a} i %{b}',
        Missing: '' };
    const key = execFileSync('python3', ['-c', `import importlib.machinery, json, sys
sys.path.insert(0, sys.argv[1])
make = importlib.machinery.SourceFileLoader('po_to_json', sys.argv[1] + '/po-to-json').load_module()
print(json.dumps(make.key_of(json.loads(sys.argv[2]))))`, join(source, 'scripts'), JSON.stringify(Object.keys(polish))],
    { encoding: 'utf8' });
    globalThis.fetch = async ({ pathname }) => ({ ok: true, text: async () => pathname.endsWith('/texts.json') ? key :
        pathname.endsWith('/de.txt') ? 'Alt\n' : Object.values(polish).map((line) => `${line}\n`).join('') });
    const place = join(folder, 'alone');
    cpSync(join(source, 'web/i18n.js'), join(place, 'i18n.mjs'));
    writeFileSync(join(place, 'languages.js'), `export const LANGUAGES = [['en', 'English', (n) => Number(n !== 1)],
        ['qps', 'x', (n) => 0],
        ['pl', 'Polski', (n) => Number(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2)],
        ['pt_BR', 'y', (n) => Number(n > 1)]];`);
    writeFileSync(join(place, 'package.json'), '{"type": "module"}');
    const { _, language, loadLanguage, ngettext, number, pickLanguage } = await import(join(place, 'i18n.mjs'));
    equal([pickLanguage(null), pickLanguage('pl'), pickLanguage('pl-PL'), pickLanguage('pt-br'), pickLanguage('zz')],
        ['qps', 'pl', 'pl', 'pt_BR', 'qps'], 'choice');
    equal([language, _('Play'), ngettext('%{n} ruby', '%{n} rubies', 2), number(1.25, 1)], ['en', 'Play', '2 rubies', '1.3'],
        'English');
    await loadLanguage('pl');
    equal([_('Play'), _('Other'), _('Missing'), _('of %{b} and %{a}', { a: 1, b: 2 }), number(1.25, 1)],
        ['Zagraj', 'Other', 'Missing', '1 i 2', '1,3'], 'texts');
    equal([1, 2, 5, 22, -1].map((n) => ngettext('%{n} ruby', '%{n} rubies', n)),
        ['1 rubin', '2 rubiny', '5 rubinów', '22 rubiny', '-1 rubin'], 'plurals');
    equal(_('of %{b} and %{a}', { a: 'דוד', b: 2 }), '\u2068דוד\u2069 i 2', 'what runs from right to left is kept apart');
    await loadLanguage('de');
    equal(_('Play'), 'Play', 'a catalogue of another version is not used');
});

await test('people click with a mouse and tap on a screen: texts that say so come in both kinds', () => {
    const wrong = [];
    for (const name of readdirSync(join(source, 'web')).filter((n) => n.endsWith('.js'))) {
        const code = readFileSync(join(source, 'web', name), 'utf8').replace(/' \+\s+'/g, '');
        for (const { 0: text, index } of code.matchAll(/(?:\b_|ngettext)\('(?:\\'|[^'])*\b(?:[Tt]ap|[Cc]lick)[^']*'/g)) {
            const before = code.slice(0, index).trimEnd();
            if (!(/\btap/i.test(text) ? /hasTouch\(\) \?$/ : /:$/).test(before))
                wrong.push(`${name}: ${text}`);
        }
    }
    equal(wrong, [], 'said to everyone');
});

// The screens, reached without using words of any language.

const midgame = playOut(newCore(site), 4, 7, (v) => v.phase === 'mark' && v.round === 2 && v.turn === 3);
const setup = playOut(newCore(site), 3, 5, () => true);
const over = playOut(newCore(site), 3, 11), four = playOut(newCore(site), 4, 11);
const replacing = (() => {
    for (let seed = 1; ; seed++) {
        const core = playOut(newCore(site), 3, seed, (v) => v.phase === 'replace' && v.order[v.place] === 0 && v.round > 0);
        if (!core.isOver())
            return core;
    }
})();
const lastTurn = playOut(newCore(site), 2, 4, (v) => v.phase === 'mark' && v.round === 3 && v.turn === 6);

/** A puzzle that asks for a card. */
const card = readFileSync(join(built, 'classic.puzzles'), 'utf8').split('\n').slice(1).find((l) =>
    l.split(' ')[6].includes('c')).split(' ')[0];

const table = (page) => page.locator('.table').waitFor();
const MIDGAME = { game: saved(midgame) };
const SCREENS = [
    ['home', '', {}, (page) => page.locator('[data-a=play]').waitFor()],
    ['settings', '', {}, async (page) => {
        await page.locator('[data-a=settings]:visible').first().click();
        await page.locator('dialog[open]').waitFor();
    }],
    ['setup', 'play', { game: saved(setup) }, async (page) => {
        await page.locator('.pick').first().click();
        await page.locator('.pick').nth(2).click();
    }],
    ['table', 'play', MIDGAME, async (page) => {
        await table(page);
        for (let i = 0; i < 25 && !await page.locator('[data-a=confirm]:not([aria-disabled=true])').count(
        ); i++) await page.locator('[role=gridcell]').nth(i).click({ force: true });
    }],
    ['menu', 'play', MIDGAME, async (page) => {
        await table(page);
        await page.locator('[data-a=menu]:visible').first().click();
        await page.locator('dialog[open]').waitFor();
    }],
    ['log', 'play', MIDGAME, async (page) => {
        await table(page);
        await page.locator('[data-open=log]:visible').first().click();
    }],
    ['score', 'play', MIDGAME, async (page) => {
        await table(page);
        if (await page.locator('[data-open=score]:visible').count(
        )) await page.locator('[data-open=score]:visible').first().click();
    }],
    ['completed', 'play', MIDGAME, async (page) => {
        await table(page);
        await page.evaluate(() => document.querySelector('[data-shelf]').click());
        await page.locator('dialog[open]').waitFor();
    }],
    ['replace', 'play', { game: saved(replacing) }, async (page) => { await page.locator('.pick').first().click(); }],
    // With their analyses, whose words have to fit, too.
    ['end-four', 'play', { game: saved(four), ...analysed(four) }, (page) => page.locator('ul.rates').waitFor()],
    ['end', 'play', { game: saved(over), ...analysed(over) }, (page) => page.locator('ul.rates').waitFor()],
    ['games', 'games', { games: [kept(over), kept(lastTurn, '78')] },
    (page) => page.locator('.pastrow').first().waitFor()],
    // It opens at the costliest move; in the header its verdict needs most room when it cost everything.
    ['replay', 'replay/77', { games: [kept(over)], ...analysed(over) },
    (page) => page.locator('.verdict:visible span').evaluate((e) => {
        e.textContent = e.textContent.replace(/\d+/, '100');
    })],
    ['learn', 'learn/8', {}, table],
    ['rules', 'R10', {}, (page) => page.locator('#R10').waitFor()],
    ['puzzle', `puzzle/${card}`, {}, async (page) => {
        await page.locator('[data-next="0"]').click();
        await page.locator('[data-a=take]').click();
        await page.locator('.pzbtn').last().waitFor();
    }],
    ['no mistakes', 'puzzle/mistakes', {}, (page) => page.locator('.lead').waitFor()],
    ['pad', 'pad', {}, (page) => page.locator('.padrow').first().waitFor()],
    ['editions', 'editions', {}, (page) => page.locator('[data-a=play]').first().waitFor()],
    ['edition', 'edition', {}, (page) => page.locator('textarea').waitFor()],
    ['no server', 'friends/new', {}, (page) => page.locator('[data-a=make]').waitFor()],
];

let visits = 0;
/** Closes what is open over a table and takes back placed marks; returns true if the page shows that game. */
async function stays(page, keep, code) {
    if (keep !== MIDGAME || page.shows !== `${code} ${visits}`)
        return false;
    for (let i = 0; i < 3; i++)
        await page.keyboard.press('Escape');
    return true;
}

/** The page is loaded once: it changes its language without a reload, as for a user. */
async function show(page, [, hash, keep, then], code) {
    if (await stays(page, keep, code)) {
        await then(page, code);
        return settled(page);
    }
    await go(page, `nowhere${++visits}`);
    page.shows = keep === MIDGAME ? `${code} ${visits}` : '';
    await page.evaluate(([all, language]) => {
        localStorage.clear();
        for (const [key, value] of Object.entries({ ...all, settings: { language } }))
            localStorage.setItem(`pyramids.${key}`, JSON.stringify(value));
    }, [keep, code]);
    if (hash)
        await go(page, hash);
    await then(page, code);
    await settled(page);
}

async function speak(page, code) {
    await go(page, `nowhere${++visits}`);
    await page.locator('.home select[name=language]').selectOption(code);
    await page.locator(`html[lang=${code}] .view.home`).waitFor();
}

/** Texts that are cut off by their container, overflow their button, are broken within a word, or make the page scroll
 * sideways. */
function misfits(width) {
    const seen = new Map();
    /** Facts that are needed of an element many times; `hidden`: it is for screen readers only. */
    const about = (element) => {
        if (!seen.has(element)) {
            const { overflowX, overflowY, position, clipPath } = getComputedStyle(element), { parentElement } = element;
            seen.set(element, { overflowX, overflowY, position, edge: element.getBoundingClientRect(),
                isHidden: clipPath.startsWith('inset(50%') || (parentElement !== null && about(parentElement).isHidden) });
        }
        return seen.get(element);
    };
    // innerWidth grows with the page on a phone
    const found = [], wide = document.documentElement.scrollWidth - width;
    if (wide > 0)
        found.push(`the page is ${wide} px too wide`);
    for (const control of document.querySelectorAll('.top :is(button, a, select, .av)'))
        if (control.checkVisibility() && control.getBoundingClientRect().right > width)
            found.push(`“${control.getAttribute('aria-label') ?? control.className}” is pushed out of the header`);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const holder = node.parentElement;
        if (!node.nodeValue.trim() || !holder.checkVisibility({ opacityProperty: true, visibilityProperty: true }) ||
            about(holder).isHidden || holder.closest('.vh, noscript, script, style, option, textarea, svg, .nmt, .wm, .bd'))
            continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect();
        if (box.width < 1 || box.height < 1)
            continue;
        const text = node.nodeValue.trim().slice(0, 40);
        if (holder.closest('.hero') && !document.querySelector('dialog[open]') && box.bottom < innerHeight &&
            !document.elementFromPoint(box.left + 3, box.bottom - 4)?.closest('.hero'))
            found.push(`“${text}” is covered`);
        for (const word of holder.closest('button, .btn, .tile, h1, h2, td, .sc th') ?
            node.nodeValue.matchAll(/\p{L}{4,}[.!?]?|\d{2,}/gu) : []) {
            if (word[0].length > 12 && holder.closest('.sc th'))
                continue;            // browsers with a dictionary hyphenate it
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1)
                found.push(`“${word[0]}” is broken within the word`);
        }
        for (let up = holder; up && up !== document.body; up = up.parentElement) {
            const { overflowX, overflowY, position, edge } = about(up);
            if (['auto', 'scroll'].includes(overflowX))
                break;
            if (up.matches('.panel') && overflowX === 'visible' && box.right > edge.right + 2)
                found.push(`“${text}” sticks out of ${up.className} at the right`);
            if (up.matches('button, .btn, .iconbtn, dialog, th, td') &&
                (box.right > edge.right + 2 || box.left < edge.left - 2 || box.bottom > edge.bottom + 2 ||
                box.top < edge.top - 2)
                && !['auto', 'scroll'].includes(overflowY))
            {
                const by = Math.max(box.right - edge.right, edge.left - box.left,
                    box.bottom - edge.bottom, edge.top - box.top);
                found.push(`“${text}” sticks out of ${up.tagName.toLowerCase()}.${up.className} by ${Math.round(by)} px`);
            }
            if (['hidden', 'clip'].includes(overflowX) && (box.right > edge.right + 1 || box.left < edge.left - 1))
                found.push(`“${text}” is cut off by ${up.tagName.toLowerCase()}.${up.className}`);
            if (['hidden', 'clip'].includes(overflowY) && box.top < edge.bottom && box.bottom > edge.bottom + 3 &&
                up.matches('.hero, button, .btn, .panel'))
                found.push(`“${text}” is cut off below by ${up.tagName.toLowerCase()}.${up.className}`);
            if (position === 'fixed')
                break;
        }
    }
    return [...new Set(found)];
}

/** All visible text, and text for screen readers. */
function texts() {
    const all = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
        if (node.nodeValue.trim() && !node.parentElement.closest(
            'script, style, noscript, textarea, kbd, code, .wm, select[name=language], svg'))
            all.push(node.nodeValue.trim());
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt], [aria-description], ' +
        '[aria-roledescription]'))
        for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-description', 'aria-roledescription'])
            if (element.getAttribute(name))
                all.push(element.getAttribute(name));
    return all;
}

/** ASCII words that are neither names nor notation. */
function leaks(all) {
    const found = new Set();
    for (const text of all)
        for (const word of text.split(/[\s⟦⟧·()[\]'"“”;,=…|’–−+×/]+/)) {
            const bare = word.replace(/^[.:?!]+|[.:?!]+$/g, '');
            // messages of the browser itself are in English in an unknown language
            if (/[A-Za-z]{2}/.test(bare) && !ALLOWED.test(bare) && !NAMES.includes(bare) &&
                !['Classic', 'classic', 'own', 'English', 'II', 'III', 'IV', 'Nov', 'November', 'AM', 'and'].includes(bare))
                found.add(`${bare} in “${text.slice(0, 60)}”`);
        }
    return [...found];
}

truth(leaks(['⟦ýôü⟧ win']).length === 1 && !leaks(['⟦ýôü⟧ Ana 17:a1']).length, 'a leak is found');

const browser = await launch(), host = await serve(site);
const PHONE = { hasTouch: true, isMobile: true };

await test('qps: no word has missed the catalogue, at the desk', async () => {
    const page = await open(browser, host.url, { ...DESKTOP }), found = [];
    await speak(page, 'qps');
    for (const screen of SCREENS) {
        await show(page, screen, 'qps');
        found.push(...leaks(await page.evaluate(texts)).map((leak) => `${screen[0]}: ${leak}`));
    }
    equal(found, [], 'words');
    await page.context().close();
});

const page = await open(browser, host.url, { ...PHONE, viewport: { width: 390, height: 844 } });
await test('what does not fit is found', async () => {
    await page.evaluate(() => {
        const box = document.createElement('button'), cut = document.createElement('h1');
        Object.assign(box.style, { width: '50px', overflowWrap: 'anywhere', display: 'block' });
        box.textContent = 'Gelegenheit';
        Object.assign(cut.style, { fontSize: '60px', position: 'absolute', top: '150px' });
        cut.textContent = 'tief';
        document.querySelector('.hero').append(cut);
        document.querySelector('.lobby').append(box);
    });
    const found = await page.evaluate(misfits, 390);
    truth(found.some((f) => f.includes('“Gelegenheit” is broken')) && found.some((f) =>
        f.includes('“tief” is cut off below')), found.join());
    await page.reload();
});

/** Of the fonts that the page may fall back to (design, 3) DejaVu is the widest: this is the width of an average letter
 * of these words, in em, by weight. If the fonts of this machine are narrower, letter spacing makes up the difference,
 * so that everything has to fit the widest font everywhere. */
const WIDEST = { 400: .523, 700: .592 }, WORDS = 'The quick brown fox jumps over the lazy dog, Ärger über größere Größen';
const widthOf = (page, weight) => page.evaluate(([bold, words]) => {
    const line = document.createElement('span');
    Object.assign(line.style, { fontWeight: bold, position: 'absolute', whiteSpace: 'nowrap', fontSize: '100px' });
    line.textContent = words;
    document.body.append(line);
    const { width } = line.getBoundingClientRect();
    line.remove();
    return width / 100 / words.length;
}, [weight, WORDS]);
await test('the font is as wide as the widest that the page may fall back to', async () => {
    const lacks = Math.max(...await Promise.all(Object.entries(WIDEST).map(async ([weight, wide]) =>
        wide - await widthOf(page, weight))));
    if (lacks > 0)
        await page.evaluate((em) => {
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(`*{letter-spacing:${em}em!important}`);
            document.adoptedStyleSheets = [sheet];
        }, lacks);
    for (const [weight, wide] of Object.entries(WIDEST))
        truth(await widthOf(page, weight) >= wide - .001, `${weight} is ${wide} em a letter`);
});

/** In the page: goes through the states of a turn; returns the position of the first card in each. */
async function tops() {
    const seen = {}, cut = [], press = (what) => { const found = document.querySelector(what); found?.click();
        return Boolean(found); };
    const note = (state) => {
        seen[state] = document.querySelector('.cards-in .pcard').getBoundingClientRect().top;
        cut.push(...globalThis.cutWords());
    };
    note('nothing placed');
    press('[data-cell]:not([aria-disabled])');
    [...document.querySelectorAll('[data-cell]:not([aria-disabled])')].some((cell) => { cell.click();
        return document.querySelector('.fx .res'); });
    note('placed');
    press('[data-cell][aria-disabled]');
    note('refused');
    press('.ctl [data-a=single]');
    note('one space');
    press('.ctl [data-a=pattern]');
    for (let i = 0; i < 6 && !document.querySelector('.mode-wait'); i++) {
        [...document.querySelectorAll('[data-cell]:not([aria-disabled])')].some((cell) => { cell.click();
            return document.querySelector('.fx .res'); });
        press('[data-a=confirm]');
        note(`step ${i}`);
    }
    note('sealed');
    press('[data-a=retract]');
    note('taken back');
    for (let i = 0; i < 8; i++)
        press('[data-a=undo]');
    return { seen, cut: [...new Set(cut)] };
}

/** In the page, before its own scripts: cutWords returns what the expedition's panel says if it does not fit there. */
function measureWords() {
    globalThis.cutWords = () => {
        // Small screens show only the title; the rest is for screen readers.
        const say = document.querySelector('.say'), range = document.createRange();
        const seen = ['.title', 'p'].map((what) => say.querySelector(what)).filter((e) =>
            getComputedStyle(e).position !== 'absolute');
        range.setStart(say, 0);
        range.setEndAfter(seen.at(-1));
        return (seen.length > 1 && say.scrollHeight > say.clientHeight + 1) || range.getBoundingClientRect().bottom >
            document.querySelector('.tray').getBoundingClientRect().bottom ? [`cut: ${say.textContent}`] : [];
    };
}

/** Other words there that do not fit: of states that this game does not reach. */
async function cutSayings() {
    const { _ } = await import(new URL('source/i18n.js', location.href).href), name = 'O4';
    const [title, text] = ['.say .title', '.say p'].map((what) => document.querySelector(what)),
        was = [title.textContent, text.textContent];
    const cut = [[_('Mark the %{pattern}', { pattern: _('%{name} pattern', { name }) }),
        _('On either card, or mark one space instead.')],
    [_('%{name} fits nowhere', { name }), _('Mark one space with blue corners instead.')],
    [_('Sent'), _('Waiting for %{names}.', { names: 'Ben, Chloé, Davi' })],
    [_('Waiting for the connection'), _('Your choice is saved here and sent later.')],
    [_('One more space'), _('The red cross gives you one space on either card.')],
    [_('%{name} takes a new card', { name: 'Chloé' }), _('The lowest completed card chooses first.')]].flatMap((words) => {
        [title.textContent, text.textContent] = words;
        return globalThis.cutWords();
    });
    [title.textContent, text.textContent] = was;
    return cut;
}

/** Labels of Confirm that do not fit. */
async function cutLabels() {
    const { _, loadLanguage } = await import(new URL('source/i18n.js', location.href).href);
    await loadLanguage(document.documentElement.lang);
    const box = document.querySelector('[data-a=confirm]'),
        label = box.querySelector('.lbl'), was = [label.textContent, box.className];
    const cut = [_('Confirm'), _('Next'), _('Sent'), _('Kept'), _('Pass'), _('Place %{n}', { n: 4 })].filter((text) => {
        label.textContent = text;
        box.classList.toggle('long', text.length > 7);
        const [inner, outer] = [label, box].map((e) => e.getBoundingClientRect());
        return inner.left < outer.left || inner.right > outer.right || inner.bottom > outer.bottom;
    });
    [label.textContent, box.className] = was;
    return cut;
}

await test('nothing moves under the finger: the cards stay where they are in every state of a turn, in every language',
    async () => {
    // No other player chooses, so that the choice stays sealed.
    const quietPage = await open(browser, host.url, { viewport: { width: 1440, height: 900 } });
    await quietPage.addInitScript(() => { Worker.prototype.postMessage = () => {}; });
    await quietPage.addInitScript(measureWords);
    const found = [];
    for (const code of ['en', ...LISTED]) {
        await quietPage.evaluate(([game, language]) => {
            localStorage.setItem('pyramids.game', JSON.stringify(game));
            localStorage.setItem('pyramids.settings', JSON.stringify({ language }));
        }, [saved(midgame), code]);
        await quietPage.goto(`${host.url}?${code}#play`);
        await quietPage.locator('.table').waitFor();
        for (const [width, height] of [[1920, 1080], [1366, 768], [820, 1180], [390, 844], [320, 568]]) {
            await quietPage.setViewportSize({ width, height });
            await settled(quietPage);
            found.push(...(await quietPage.evaluate(cutLabels)).map((text) =>
                `${code}, ${width}x${height}: Confirm cuts ${text}`));
            const { seen, cut } = await quietPage.evaluate(tops);
            found.push(...[...cut, ...await quietPage.evaluate(cutSayings)].map((text) =>
                `${code}, ${width}x${height}: ${text}`));
            truth(Object.keys(seen).length >= 7, `states: ${Object.keys(seen)}`);
            if (new Set(Object.values(seen).map(Math.round)).size > 1)
                found.push(`${code}, ${width}x${height}: ${JSON.stringify(seen)}`);
        }
        // The text of a lesson says what to do: no word of it may be missing.
        for (let step = 1; step <= 10; step++) {
            await go(quietPage, `learn/${step}`);
            await quietPage.locator('.lesson').waitFor();
            for (const [width, height] of [[1440, 900], [1366, 768], [820, 1180], [390, 844], [320, 568]]) {
                await quietPage.setViewportSize({ width, height });
                found.push(...(await quietPage.evaluate(() => globalThis.cutWords())).map((text) =>
                    `${code}, ${width}x${height}: ${text}`));
            }
        }
    }
    equal(found, [], 'the top of the first card, and words that are cut');
    await quietPage.context().close();
});

for (const code of ['qps', ...LISTED])
    await test(`${code}: everything fits at 390x844 and 320x568`, async () => {
        const found = [];
        page.complaints.length = 0;
        await speak(page, code);
        truth(!(await page.locator('meta[name=description]').getAttribute('content')).includes('turn a card'),
            'the description is translated');
        for (const screen of SCREENS) {
            await page.setViewportSize({ width: 390, height: 844 });
            await show(page, screen, code);
            // The description of a card for screen readers is one text, with the punctuation of the language.
            if (code === 'fr' && screen[0] === 'setup')
                truth(/^Carte \d+, \S+\u00a0: /.test(await page.locator('.pick .vh').first().textContent()),
                    'a French colon');
            if (code === 'qps')
                found.push(...leaks(await page.evaluate(texts)).map((leak) => `${screen[0]}: ${leak}`));
            for (const [width, height] of [[390, 844], [320, 568]]) {
                await page.setViewportSize({ width, height });
                await settled(page);
                await picture(page, `${screen[0]}-${code}-${width}x${height}`);
                found.push(...(await page.evaluate(misfits, width)).map((misfit) =>
                    `${screen[0]}, ${width}x${height}: ${misfit}`));
            }
        }
        await show(page, SCREENS[0], code);
        for (const [width, height] of [[1440, 900], [1024, 768], [768, 1024], [390, 664], [844, 390]]) {
            await page.setViewportSize({ width, height });
            await settled(page);
            found.push(...(await page.evaluate(misfits, width)).map((misfit) => `home, ${width}x${height}: ${misfit}`));
        }
        equal(found, [], 'misfits');
        equal(withoutServer(page), [], 'the console');
    });

await browser.close();
host.close();
done();
