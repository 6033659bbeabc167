// firefox.mjs SITE FIREFOX: a whole game in Firefox at each size: phone, tablet and desktop; every choice is made by a
// click or tap at the visible position.
import { done, equal, test, truth } from './check.mjs';
import { serve } from './site.mjs';
import { firefox } from './bidi.mjs';

const [, , site, program] = process.argv, host = await serve(site), page = await firefox(program);

/** Where to press next, and what is there. Kept simple, because the same function runs in the page. */
function due(pick) {
    const seen = (e) => e && e.checkVisibility() && !e.closest('[inert]');
    const at = (e, what) => {
        e.scrollIntoView({ block: 'nearest' });
        const b = e.getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2, hit = document.elementFromPoint(
            x, y);
        return hit && (e === hit || e.contains(hit) || hit.contains(e)) ? { what, x, y } : { what: 'wait' };
    };
    const find = (selector, text) => [...document.querySelectorAll(selector)].filter((e) => seen(e) && (!text ||
        text.test(e.getAttribute('aria-label') ?? e.textContent)));
    if (document.querySelector('.end h1'))
        return { what: 'end', totals: [...document.querySelectorAll('.sc .sum td')].map((e) => e.textContent) };
    const picked = find('.pick[aria-pressed=true]'), picks = find('.pick[aria-pressed=false]'),
        go = find('.setup .foot .pri, .ovf .pri, .ov .pri');
    const wants = document.querySelector('.setup') ? 2 : 1;
    if (picks.length && picked.length < wants)
        return at(picks[0], 'pick');
    if (picked.length >= wants && go.length)
        return at(go[0], 'take');
    const confirm = find('[data-a=confirm]').filter((e) => e.getAttribute('aria-disabled') !== 'true' && !e.disabled);
    if (find('.cells button', /would be marked/).length && confirm.length)
        return at(confirm[0], 'confirm');
    const cells = find('.cells button', /can be marked/);
    return cells.length ? at(cells[pick % cells.length], 'mark') : { what: 'wait' };
}

for (const [name, width, height, touch] of [['phone', 390, 844, true], ['tablet', 820, 1180, true], ['desktop', 1366, 768,
    false]])
    await test(`a whole game in Firefox, ${name}`, async () => {
        await page.resize(width, height);
        await page.goto('about:blank');
        await page.goto(`${host.url}?${name}`);
        await page.ask(() => new Promise((go) => { localStorage.clear(); const look = () => document.querySelector(
            '[data-a=play]') ? go() : setTimeout(look, 20); look(); }));
        const play = await page.ask(() => { const b = document.querySelector('[data-a=play]'); b.scrollIntoView();
            const r = b.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; });
        await page.press(...play, touch);
        let end, pressed = 0;
        for (let waits = 0; !end && waits < 2400;) {
            const next = await page.ask(due, pressed);
            if (next.what === 'end')
                end = next;
            else if (next.what === 'wait') {
                waits++;
                await new Promise((go) => setTimeout(go, 25));
            } else {
                waits = 0;
                pressed++;
                await page.press(next.x, next.y, touch);
            }
        }
        truth(end, `the game ends; ${pressed} presses were made`);
        equal(end.totals.length, 2, 'two players');
        truth(pressed > 56, 'every turn was played');
        const wide = await page.ask(() => document.documentElement.scrollWidth - innerWidth);
        truth(wide <= 0, `${wide} px too wide`);
        // The replay of the game opens, and the keys step through it.
        const moves = await page.ask(() => new Promise((go) => {
            location.hash = document.querySelector('a[href^="#replay/"]').getAttribute('href');
            const look = () => document.querySelector('.tl-s') ? go(Number(document.querySelector('.tl-s').getAttribute(
                'aria-valuemax'))) : setTimeout(look, 20);
            look();
        }));
        truth(moves > 58, 'all moves are in the replay');
        equal(page.complaints, [], 'the console');
    });

await page.close();
host.close();
done();
