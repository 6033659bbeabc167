// online.mjs PROGRAM: the page against the real server: two browsers play a whole game, one is reloaded in the middle,
// the server is killed and started again; a third watches; a rematch; a bot stands in. An unfinished choice survives
// reloads and broken connections and is sent once; two windows at one seat; continuing against bots; a browser and a
// terminal at one table.
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { appendFileSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { done, equal, test, truth, witnesses } from './check.mjs';
import { DESKTOP, PHONE, allKept, launch, open, pictures } from './site.mjs';
import { act, actWhenDue, ended, goOn, rename, seat } from './player.mjs';

const program = process.argv[2], folder = mkdtempSync(join(tmpdir(), 'pyramids-')), ready = join(folder, 'ready');
const plain = fileURLToPath(new URL('../data/plain.edition', import.meta.url));
const log = join(folder, 'server.log');
witnesses.push(() => `server:\n${readFileSync(log, 'utf8').split('\n').slice(-20).join('\n')}`);
let server, url;

/** A port that stays reserved while the server is down. */
const holder = spawn('python3', [fileURLToPath(new URL('../ports.py', import.meta.url)), '1'],
    { stdio: ['pipe', 'pipe', 'inherit'] });
const port = await new Promise((go) => holder.stdout.once('data', (text) => go(String(text).trim())));

async function start() {
    rmSync(ready, { force: true });
    appendFileSync(log, 'start\n');
    server = spawn(program, ['serve', '--port', port, '--database', join(folder, 'games.db'), '--no-browser', '--ready-file',
        ready, '--edition', plain],
        { stdio: ['ignore', 'ignore', openSync(log, 'a')], env: { ...process.env,
        PYRAMIDS_TEST_CLOCK: join(folder, 'clock') } });
    for (let i = 0; i < 2400 && server.exitCode === null && !(existsSync(ready) &&
        readFileSync(ready, 'utf8').endsWith('\n')); i++)
        await new Promise((go) => setTimeout(go, 25));
    url = readFileSync(ready, 'utf8').trim();
}

function stop(signal) {
    return new Promise((gone) => {
        server.on('exit', gone);
        server.kill(signal);
    });
}

/** The browser's own messages about a broken connection are not an error of the page. */
const own = (page) => page.complaints.filter((c) => !/WebSocket connection|ERR_CONNECTION|ERR_NETWORK|ERR_INTERNET/.test(c));

const turn = async (page) => page.locator('.roundtext.no-p').innerText();

await start();
const browser = await launch();
const ana = await open(browser, url, DESKTOP);
let ben;

await test('a table is made, its link opened, both sit', async () => {
    await ana.getByRole('button', { name: 'Invite friends' }).click();
    await rename(ana, 'Ana');
    await ana.locator('.linkbox span').waitFor();
    await ana.getByRole('heading', { name: 'Who sits at the table?' }).waitFor();
    await ana.getByText('you, host').waitFor();
    await pictures(ana, 'lobby');
    // There are no marks yet to keep.
    await ana.context().setOffline(true);
    await ana.getByText('Reconnecting, your seat is kept').waitFor();
    await ana.context().setOffline(false);
    await ana.getByText('Reconnecting').first().waitFor({ state: 'detached' });
    ben = await open(browser, await ana.locator('.linkbox span').innerText(), PHONE);
    await ben.getByRole('heading', { name: 'Join the table' }).waitFor();
    await ben.getByRole('textbox', { name: 'Your name' }).fill('Ben');
    await pictures(ben, 'join');
    await ben.getByRole('button', { name: 'Sit down' }).tap();
    for (const page of [ana, ben])
        await page.getByRole('heading', { name: /Keep two/ }).waitFor();
});

await test('a whole game, with a take-back, a reload, a killed server and a watcher', async () => {
    const step = async (page) => { try { return await act(page); } catch { return 'late'; } };
    await actWhenDue(ana);
    await ana.getByRole('button', { name: 'Take back' }).click();
    await ana.getByRole('button', { name: /^Keep \d/ }).click();
    await actWhenDue(ben);
    await ben.locator('.tray').waitFor();
    const sticksOut = await ben.evaluate(() => [...document.querySelectorAll('.tray .xm')].filter((card) =>
        card.getBoundingClientRect().right >
        document.querySelector('.tray').getBoundingClientRect().right).length);
    equal(sticksOut, 0, 'expedition cards that stick out of their panel');
    /** Plays until Ana has chosen and Ben has not, whoever was faster before. */
    const anaWaits = async () => {
        const sent = ana.locator('.say').getByText('Waiting for Ben.'),
            open = ben.getByRole('gridcell', { name: /can be marked/ });
        while (!(await sent.count() && await open.count() && await turn(ana) === await turn(ben)))
            if (await step(ana) === 'wait' && !await ana.getByRole('heading', { name: /^Sent/ }).count())
                await step(ben);
    };
    const marks = { ana: 0, ben: 0 };
    let reloaded = false, killed = false, cut = false;
    for (let i = 0, did = ['', '']; i < 4000 && did.join() !== 'end,end'; i++) {
        did = [await step(ana), ''];
        marks.ana += did[0] === 'mark' ? 1 : 0;
        if (marks.ana === 5 && !reloaded) {
            reloaded = true;
            await anaWaits();
            await pictures(ana, 'sealed');
            await ana.reload();
            await ana.locator('.table').waitFor();
        }
        if (marks.ana === 9 && !killed) {
            killed = true;
            await stop('SIGKILL');
            await ben.getByText('Reconnecting').first().waitFor();
            await pictures(ben, 'reconnecting');
            await start();
            for (const page of [ana, ben])
                await page.getByText('Reconnecting').first().waitFor({ state: 'detached' });
        }
        if (marks.ana >= 11 && !cut) {
            await anaWaits();
            // Confirmed and taken back while disconnected: although all others are ready, nothing was chosen.
            const now = await turn(ana);
            await ben.context().setOffline(true);
            await ben.getByText('Reconnecting').first().waitFor();
            await goOn(async () => await step(ben) === 'wait' ? 'end' : 'done');
            await ben.getByRole('button', { name: 'Take back' }).tap();
            await ben.context().setOffline(false);
            await ben.getByText('Reconnecting').first().waitFor({ state: 'detached' });
            cut = await ben.evaluate(async () =>
                (await (await fetch(`api/tables/${location.hash.split('/')[1]}`)).json()).table.seats[1].ready === false);
            equal([cut, await turn(ana)], [true, now], 'it is still to be chosen');
        }
        did[1] = await step(ben);
        marks.ben += did[1] === 'mark' ? 1 : 0;
    }
    truth(killed && reloaded && cut, 'all of it happened');
    await ended(ana).waitFor();
    await ended(ben).waitFor();
    const total = async (page) => (await page.getByRole('row', { name: /^Total/ }).getByRole('cell').allInnerTexts()).join();
    equal(await total(ana), await total(ben), 'both see the same scores');
    for (const page of [ana, ben])
        await page.getByText('Checked: the cards follow from the numbers').waitFor();
});

await test('the replay by its link, the rematch, and a bot for who is away', async () => {
    const code = await ana.evaluate(() => location.hash.split('/')[1]);
    const other = await open(browser, `${url}#replay/${code}`);
    await other.getByRole('button', { name: 'Step forward' }).click();
    await other.goto(`${url}#table/${code}`);
    await ended(other).waitFor();
    equal(await other.getByRole('button', { name: 'Rematch' }).count(), 0, 'rematches for who did not play');
    equal(own(other), [], 'the console of a guest');
    // A closed rematch is made again.
    await ben.getByRole('button', { name: 'Rematch' }).tap();
    await ben.getByRole('button', { name: 'Close the table' }).tap();
    await ben.getByRole('button', { name: 'Invite friends' }).waitFor();
    equal((await ben.evaluate(() => fetch('api/my/tables').then((r) => r.json()))).tables.filter((t) =>
        t.state === 'waiting').length, 0, 'it is closed once the first page is there');
    await ben.goto(`${url}#table/${code}`);
    await ended(ben).waitFor();
    // With a free third seat the head-to-head score of the other two is shown.
    const three = await ben.evaluate(() => fetch('api/tables', { method: 'POST', headers: { 'content-type':
        'application/json' }, body: JSON.stringify({ seats: Array(3).fill({ kind: 'open' }) }) }).then((r) => r.json()).then(
        ({ table }) => table.code));
    for (const page of [ben, ana]) {
        await page.goto(`${url}#table/${three}`);
        await page.getByRole('button', { name: 'Sit down' }).click();
    }
    for (const page of [ana, ben])
        await page.getByText(/^head to head (1 : 0|0 : 1|0 : 0)$/).waitFor();
    await pictures(ana, 'head-to-head');
    await ben.getByRole('button', { name: 'Close the table' }).tap();
    await ana.getByText('This table was closed.').waitFor();
    for (const page of [ana, ben]) {
        await page.goto(`${url}#table/${code}`);
        await ended(page).waitFor();
    }
    await ana.clock.install();
    // Both are notified of it before Ana, who asked for it, gets her answer.
    await ana.route('**/rematch', async (route) => {
        const answer = await route.fetch();
        await ben.locator('#toast', { hasText: /^A rematch is ready/ }).waitFor();
        await route.fulfill({ response: answer });
    });
    await ana.getByRole('button', { name: 'Rematch' }).click();
    await ana.getByText('joined', { exact: true }).or(ana.getByText('invited')).first().waitFor();
    await ana.getByRole('button', { name: 'Stand up' }).waitFor();      // Ben's list of tables names who sits there
    await ana.getByRole('heading', { name: 'The series after 1 game' }).waitFor();
    equal(await ana.locator('.series li').count(), 2, 'the score of both');
    truth(!(await ana.locator('#toast').textContent()).includes(ana.url().split('/').pop()), 'Ana is not asked to join');
    await pictures(ana, 'series');
    // A player who was away finds it on the first page.
    await ben.goto(`${url}#`);
    await ben.getByRole('link', { name: /Table with Ana.*waiting for players/ }).tap();
    await ben.getByRole('button', { name: 'Sit down' }).tap();
    for (const page of [ana, ben])
        await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    const benIs = ben.context();
    const watcher = await open(browser, await ana.evaluate(() => location.href));
    await watcher.getByRole('heading', { name: 'The players are choosing their first cards' }).waitFor();
    equal(await watcher.locator('.pick').count(), 0, 'a watcher sees no dealt card');
    await actWhenDue(ana);
    const seat = ben.url();
    await ben.close();
    // The menu offers it as soon as the page knows that Ben is gone.
    const instead = ana.getByRole('button', { name: 'Let a bot play for Ben' }), menu = ana.locator('[data-a=menu]').first();
    await goOn(async () => {
        await menu.click();
        const offered = await instead.count();
        await ana.keyboard.press('Escape');
        await ana.waitForTimeout(25);
        return offered ? 'end' : 'wait';
    });
    await ana.clock.fastForward(130000);
    await ana.getByText(/^Ben has been away for \d+ minutes\.$/).waitFor();         // two, or more on a busy machine
    await ana.getByRole('button', { name: 'Let a bot play', exact: true }).click();
    await ana.getByRole('gridcell', { name: /can be marked/ }).first().waitFor();
    await ana.getByText('away, a bot is playing').waitFor();
    // A player who comes back gets the seat back.
    const again = await benIs.newPage();
    // the message does not stay for long
    await Promise.all([again.locator('#toast', { hasText: 'Welcome back. A bot played for you' }).waitFor(),
        again.goto(seat)]);
    await ana.getByText('away, a bot is playing').waitFor({ state: 'detached' });
    await again.locator('[data-a=menu]').first().tap();
    await again.getByRole('button', { name: 'Let a bot play for me' }).tap();
    await again.getByText('A bot is playing for you').waitFor();
    await watcher.locator('.table').waitFor();
    await pictures(watcher, 'watch');
    for (let i = 0, n = 0; n < 2 && i < 60; i++)
        n += await act(ana) === 'mark' ? 1 : 0;
    equal(own(ana), [], 'the console');
    equal(own(watcher), [], 'the console of a watcher');
});

/** The choices that a page has sent: the ids by phase, each as often as it was sent. */
function choicesSent(page) {
    const sent = new Map();
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => {
        const { type, phase, id } = JSON.parse(payload);
        if (type === 'choose')
            sent.set(phase, [...sent.get(phase) ?? [], id]);
    }));
    return sent;
}

const cells = (page, what) => page.getByRole('gridcell', { name: what }).evaluateAll((all) =>
    all.map((c) => `${c.dataset.slot}.${c.dataset.cell}`).join());
let solo, sent, place;

/** A table with one person and a bot. */
async function newTable(page) {
    await page.goto(`${url}#friends/new`);
    await rename(page, 'Eva');
    await seat(page, 2, 'Bot');
    await page.getByRole('button', { name: /^Level of seat 2/ }).click();
    await page.getByRole('button', { name: 'Novice', exact: true }).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
}

await test('reloaded while aiming, in a chain of extra marks and while replacing: nothing is lost, each choice is sent once',
    async () => {
    // With everything cached in the browser: later this page continues against bots without a server.
    solo = await open(browser, url, { ...DESKTOP, serviceWorkers: 'allow' });
    await allKept(solo);
    sent = choicesSent(solo);
    await newTable(solo);
    await solo.locator('.pick').nth(2).click();
    await solo.reload();
    await solo.locator('.pick[aria-pressed=true]').waitFor();
    await solo.locator('.pick').nth(1).click();
    await solo.getByRole('button', { name: /^Keep \d/ }).click();
    const was = { aiming: 0, chain: 0, replacing: 0 }, again = async () => {
        await solo.reload();
        await solo.locator('.table').waitFor();
    };
    // If the cards of one game do not produce the situation, those of another do.
    for (let i = 0; i < 400 && !(was.chain && was.replacing); i++) {
        if (await ended(solo).count()) {
            sent.clear();
            await newTable(solo);
            await actWhenDue(solo);
        }
        const sheet = solo.getByRole('dialog', { name: /complete$/ }), free = solo.getByRole('gridcell',
            { name: /can be marked/ });
        await sheet.or(free.first()).or(ended(solo)).first().waitFor();
        if (await sheet.count()) {
            const card = sheet.getByRole('button', { name: /^Card/ }).nth(1), name = await card.innerText();
            await card.click();
            const first = !was.replacing++;
            equal(await solo.getByText('No card left to take').count(), 0, 'cards are left: the place on the table says so');
            if (first) {
                await again();
                equal(await solo.locator('.over .pick[aria-pressed=true]').innerText(), name, 'the card that was picked');
                await stop('SIGKILL');
                await sheet.getByText('Reconnecting, your marks are safe').waitFor();
            }
            await solo.getByRole('button', { name: /^Take \d/ }).click();
            if (first) {
                await sheet.getByText('Your choice is saved here').waitFor();
                await start();
            }
            await sheet.waitFor({ state: 'detached' });
        } else if (await free.count()) {
            const cross = solo.getByRole('gridcell', { name: /cross, can be marked/ }), now = await turn(solo);
            await (await cross.count() ? cross : free).last().click();
            if (!was.aiming++) {
                const placed = await cells(solo, /would be marked/);
                await again();
                equal(await cells(solo, /would be marked/), placed, 'what was placed');
                truth(placed, 'something was');
            }
            await solo.getByRole('button', { name: /^(Confirm|Next)/ }).click();
            while (await solo.getByRole('heading', { name: 'One more space' }).count()) {
                if (!was.chain++) {
                    const marked = await cells(solo, /, marked$/);
                    await again();
                    await solo.getByRole('heading', { name: 'One more space' }).waitFor();
                    equal(await cells(solo, /, marked$/), marked, 'the marks of the chain');
                }
                await free.first().click();
                await solo.getByRole('button', { name: /^(Confirm|Next)/ }).click();
            }
            await solo.waitForFunction((then) => document.querySelector('.over, .end') ||
                document.querySelector('.roundtext.no-p')?.textContent !== then, now);
        }
    }
    truth(was.aiming && was.chain && was.replacing, `all were met: ${JSON.stringify(was)}`);
    truth([...sent.values()].every((ids) => ids.length === 1), `once each: ${JSON.stringify([...sent])}`);
});

await test('a connection lost before Confirm and after it; the same seat in two windows; on against bots, and back',
    async () => {
    const free = solo.getByRole('gridcell', { name: /can be marked/ });
    await newTable(solo);
    place = solo.url();
    sent.clear();
    await actWhenDue(solo);
    await free.first().click();
    const now = await turn(solo);
    await stop('SIGKILL');
    await solo.getByText('Reconnecting, your marks are safe').waitFor();
    // The header shows it, and it covers neither the pattern nor the menu nor the cards, on a phone either.
    for (const size of [{ width: 390, height: 844 }, { width: 820, height: 1180 }, { width: 1366, height: 768 },
        { width: 1440, height: 900 }]) {
        await solo.setViewportSize(size);
        equal(await solo.evaluate(() => {
            const box = (what) => document.querySelector(what).getBoundingClientRect(), chip = box('.conn');
            return ['.xcard', '[data-a=menu]', '.cards', '[data-a=help]'].filter((what) => {
                const other = box(what);
                return other.left < chip.right && chip.left < other.right && other.top < chip.bottom &&
                    chip.top < other.bottom;
            });
        }), [], `what is covered at ${size.width}`);
    }
    await solo.keyboard.press('Escape');
    await free.last().click();                                       // aiming continues
    const placed = await cells(solo, /would be marked/);
    await solo.clock.install();
    await solo.clock.fastForward(31000);
    await solo.getByRole('button', { name: 'Try again' }).waitFor();
    await pictures(solo, 'lost');
    // A copy on this device that the table does not know of.
    await solo.getByRole('button', { name: 'Continue against bots' }).click();
    await solo.getByRole('button', { name: 'Continue playing', exact: true }).click();
    await solo.getByText('This is a copy').waitFor();
    equal(await cells(solo, /would be marked/), placed, 'what was placed, in the copy');
    await solo.getByRole('button', { name: /^(Confirm|Next)/ }).click();
    await solo.locator('.banner').getByRole('button', { name: 'Close' }).click();
    await solo.goBack();                                             // to the table, while the server is still down
    await solo.getByText('This page has no game server').waitFor();
    await start();
    await solo.clock.fastForward(9000);
    await solo.locator('.table').waitFor();
    equal([await turn(solo), await cells(solo, /would be marked/)], [now, placed], 'the table is as it was');
    // Confirmed without a connection: the choice waits, survives a reload, and is sent once.
    await stop('SIGKILL');
    await solo.getByText('Reconnecting').first().waitFor();
    const before = sent.size;
    await solo.getByRole('button', { name: /^(Confirm|Next)/ }).click();
    while (await solo.getByRole('heading', { name: 'One more space' }).count()) {
        await free.first().click();
        await solo.getByRole('button', { name: /^(Confirm|Next)/ }).click();
    }
    await solo.getByRole('heading', { name: 'Waiting for the connection' }).waitFor();
    equal(sent.size, before, 'nothing could be sent');
    await start();
    await solo.reload();
    await solo.waitForFunction((then) => document.querySelector('.over') ||
        (document.querySelector('.roundtext.no-p')?.textContent ?? then) !== then, now);
    equal(sent.size, before + 1, 'one choice');
    equal(new Set([...sent.values()].at(-1)).size, 1, 'under one id');
    await solo.locator('[data-a=menu]').first().click();
    await solo.getByRole('button', { name: 'Hint' }).last().waitFor();                  // against bots hints are allowed
    await solo.keyboard.press('Escape');
    // Two windows: the newer one plays, the older one shows that and can take the seat back.
    equal(now, 'Round 1 of 4, turn 1 of 7', 'then');
    equal(await turn(solo), 'Round 1 of 4, turn 2 of 7', 'now');
    const second = await solo.context().newPage();
    await second.goto(solo.url());
    await second.locator('.table').waitFor();
    await solo.getByText('You are playing this seat in another window.').waitFor();
    await solo.getByRole('button', { name: 'Play here' }).click();
    await second.getByText('You are playing this seat in another window.').waitFor();
    await solo.getByText('another window').waitFor({ state: 'detached' });
    await second.close();
    await solo.getByText('another window').waitFor({ state: 'detached' });
    equal(own(solo), [], 'the console');
});

await test('a refused move stays placed, with the rule named; the home page lists the table', async () => {
    // The answer of the server is faked here: the page follows the rules, so the real one would not refuse.
    const ids = [];
    await solo.routeWebSocket(/api.socket/, (socket) => {
        const server = socket.connectToServer();
        socket.onMessage((text) => {
            const { type, id } = JSON.parse(text);
            if (type === 'choose' && ids.push(id) === 1)
                return;                      // lost on the way
            if (type === 'choose')
                socket.send(JSON.stringify({ type: 'error', id, code: 'illegal', reason: 'no_touch', rule: 'R10' }));
            else
                server.send(text);
        });
    });
    await solo.goto(`${url}#`);
    await solo.reload();
    await solo.getByRole('link', { name: /Table with bot, Novice.*your choice/i }).waitFor();
    await solo.goto(place);
    await solo.locator('.table').waitFor();
    await solo.getByRole('log').getByText('Novice', { exact: true }).first().waitFor();        // not the name in the record
    const free = solo.getByRole('gridcell', { name: /can be marked/ }), marked = await cells(solo, /, marked$/);
    await free.first().click();
    const placed = await cells(solo, /would be marked/);
    await solo.getByRole('button', { name: /^(Confirm|Next)/ }).click();
    while (await solo.getByRole('heading', { name: 'One more space' }).count()) {
        await free.first().click();
        await solo.getByRole('button', { name: /^(Confirm|Next)/ }).click();
    }
    // Without an answer the page first shows that, then treats the connection as broken, and sends the same message over
    // a new one.
    const lost = solo.getByText('Reconnecting').first().waitFor();                              // neither stays for long
    lost.catch(() => {});                    // awaited below
    await Promise.all([solo.getByText('The connection is slow.').waitFor(), solo.clock.fastForward(4500)]);
    await solo.clock.fastForward(6500);
    await lost;
    await solo.clock.fastForward(2000);
    await solo.locator('.acts .why').getByText('It must share a side with a space you marked before.').waitFor();
    equal([ids.length, new Set(ids).size], [2, 1], 'sent again under one id');
    equal(await solo.locator('.acts .why .rule').innerText(), 'R10', 'the rule');
    equal([await cells(solo, /would be marked/), await cells(solo, /, marked$/)], [placed, marked], 'placed, not marked');
    await pictures(solo, 'refused-online');
    await solo.context().close();
});

await test('one table, a browser and a terminal: both see the same end', async () => {
    const page = await open(browser, url, PHONE), socket = join(folder, 'tmux'),
        env = { ...process.env, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' };
    const tmux = (...words) => execFileSync('tmux', ['-u', '-S', socket, ...words], { encoding: 'utf8', env });
    await page.getByRole('button', { name: 'Invite friends' }).tap();
    await rename(page, 'Web', (l) => l.tap());
    await page.getByRole('switch', { name: 'Open table' }).tap();
    await page.getByRole('radio', { name: '3 minutes' }).tap();
    await page.getByRole('radio', { name: 'For tests' }).tap();      // an edition that neither of the two has
    for (const name of ['3 minutes', 'For tests'])
        await page.getByRole('radio', { name, checked: true }).waitFor();
    const code = (await page.locator('.code2').innerText()).trim();
    tmux('-f', '/dev/null', 'new-session', '-d', '-x', '80', '-y', '24',
        `exec env -i PATH='${process.env.PATH}' HOME='${folder}' XDG_DATA_HOME='${folder}' LC_ALL=C.UTF-8 ` +
        `LANGUAGE=en TERM=tmux-256color '${program}' play --server '${url}' --table ${code} --name Tty`);
    try {
        await page.getByRole('heading', { name: /Keep two/ }).waitFor();
        await page.getByRole('timer').getByText(/^[1-3]:\d\d$/).waitFor();             // before anyone has chosen
        // The prompts of the terminal, and the keys that answer with the first legal choice.
        const prompts = [['Pick two cards', '1', '2', 'Enter'], ...['Enter keeps', 'Enter places', 'Red cross: one more',
            'Placed. Enter', 'Enter passes', 'Choose a card'].map((p) => [p, 'Enter'])];
        const still = (text) => text.replace(/[⠀-⣿|/\\-]/g, '');
        let last = '', text = '', did = '', looked = false;
        for (let i = 0; i < 6000 && !(text.includes('The game is over.') && did === 'end'); i++) {
            did = await act(page).catch(() => 'late');
            text = tmux('capture-pane', '-p');
            const found = prompts.find(([p]) => text.includes(p));
            if (found && still(text) !== last)
                tmux('send-keys', ...found.slice(1));
            last = still(text);
            if (!looked && await page.getByRole('gridcell', { name: /can be marked/ }).count()) {
                // A public table with people: no hints; and the commitment of the shuffle is visible.
                looked = true;
                await page.locator('[data-a=menu]').first().tap();
                equal(await page.getByRole('button', { name: 'Hint' }).count(), 0, 'hints');
                await page.getByRole('button', { name: 'The fair shuffle' }).tap();
                truth(/^[0-9a-f]{64}$/.test(await page.locator('.hex dd').first().innerText()), 'the fingerprint');
                await page.getByRole('button', { name: 'Close' }).tap();
            }
        }
        await ended(page).waitFor();
        const names = await page.locator('.sc thead .nmt').allInnerTexts(),
            totals = (await page.getByRole('row', { name: /^Total/ }).getByRole('cell').allInnerTexts()).map((t) =>
            t.replace('−', '-'));
        truth((await (await fetch(`${url}api/tables/${code}/record`)).text()).includes('\nedition plain\n'), 'the edition');
        equal([...names].sort(), ['Tty', 'Web'], 'who played');           // the faster one sits first
        const other = await open(browser, `${url}#replay/${code}`);       // a visitor who did not play gets the cards, too
        await other.getByRole('button', { name: 'Step forward' }).waitFor();
        await other.context().close();
        text = tmux('capture-pane', '-p');
        names.forEach((name, s) => truth(new RegExp(`${name} .* ${totals[s]}$`, 'm').test(text),
            `${name} ${totals[s]} stands on\n${text}`));
        equal(own(page), [], 'the console');
    } finally {
        tmux('kill-server');
        await page.context().close();
    }
});

await test('without a name, two for one seat, a table that is given up, a link cut short', async () => {
    const [host, one, two] = await Promise.all([1, 2, 3].map(() => open(browser, url)));
    // Opened repeatedly, the page of a new table makes only one.
    for (let i = 0; i < 3; i++) {
        await host.goto(`${url}?${i}#friends/new`);
        await host.locator('.seatlist').getByText('Player', { exact: true }).waitFor();
    }
    equal(await host.evaluate(() => fetch('api/my/tables').then((r) => r.json()).then(({ tables }) => tables.length)), 1,
        'one table, however often it was asked for');
    await seat(host, 3, 'Friend');
    const guests = [one, two], place = host.url(), here = (page) => page.getByRole('button', { name: 'Sit here' });
    for (const page of guests) {
        await page.goto(place);
        await here(page).first().waitFor();
    }
    // Both want the same seat: the slower player sees why it failed, and can take the other.
    let letGo = () => {};
    const seated = new Promise((go) => { letGo = go; });
    await two.route('**/api/visitor', (route) => seated.then(() => route.continue()));
    await here(two).first().click();
    await here(one).first().click();
    await one.getByRole('button', { name: 'Stand up' }).waitFor();
    letGo();
    await two.getByText('That seat is taken').waitFor();
    equal(await here(two).count(), 1, 'a seat is left');
    // The host closes the table: there is no seat left to take, and nothing to invite others to.
    await host.getByRole('button', { name: 'Close the table' }).click();
    for (const page of guests) {
        await page.getByText('This table was closed.').waitFor();
        equal(await page.locator('[data-a], .qr').count(), 0, 'what could be done there');
    }
    await two.goto(`${url}#table/%E0%A4%A`);
    await two.getByText('No table has this code.').waitFor();
    for (const page of [host, ...guests]) {
        equal(own(page).filter((c) => !c.includes('404')), [], 'the console');
        await page.context().close();
    }
});

await test('a browser without cookies is told so', async () => {
    const page = await open(browser, 'about:blank');
    await page.context().route('**/api/visitor', async (route) => route.request().method() === 'POST' ?
        route.fulfill({ json: { visitor: { name: 'Ana' } } }) : route.continue());           // the cookie is not kept
    for (const [hash, before] of [['friends', () => {}], ['table/ABCDEFGH', () => {}],
        ['friends/new', () => {}]]) {
        await page.goto(`${url}#${hash}`);
        await before();
        await page.getByText('The server does not recognise you: this browser blocks cookies for this page.').waitFor();
    }
    await page.context().close();
});

await test('codes that lead nowhere, and tables that have begun', async () => {
    const page = await open(browser, url), field = page.getByRole('textbox', { name: 'Table code' });
    await field.fill('ZZZZZZZZ');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('No table has this code.').waitFor();
    equal(await field.inputValue(), 'ZZZZZZZZ', 'the code is kept');
    await page.evaluate(() => location.hash) === '' || truth(false, 'the page is the same');
    const code = await ana.evaluate(() => location.hash.split('/')[1]);
    await field.fill(code.toLowerCase());
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('The game has started.').waitFor();
    await pictures(page, 'begun');
    await page.getByRole('link', { name: 'Watch', exact: true }).click();
    await page.locator('.table').waitFor();
    await page.getByText('You see what everyone may see.').waitFor();       // whatever is being chosen there
    equal(await page.getByRole('button', { name: 'Hint' }).count(), 0, 'no hints for who watches');
    await page.goto(`${url}#watch`);
    await page.getByRole('heading', { name: 'Watch a game' }).waitFor();
    await page.goto(`${url}#friends`);
    await page.getByRole('heading', { name: 'My tables' }).waitFor();
    equal(own(page).filter((c) => !c.includes('404')), [], 'the console');
    await page.context().close();
});

await test('a newer version is offered between games, never at the table', async () => {
    // A proxy in front of the server can change a file of the page.
    let more = '';
    const front = createServer(async (request, response) => {
        const answer = await fetch(new URL(request.url, url), { headers: { 'accept-encoding': 'identity',
            connection: 'close' } }), body = Buffer.from(await answer.arrayBuffer());
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain',
            'cache-control': 'no-cache' });
        response.end(request.url === '/sw.js' ? body + more : body);
    });
    await new Promise((go) => front.listen(0, '127.0.0.1', go));
    const page = await open(browser, `http://127.0.0.1:${front.address().port}/`, { ...DESKTOP, serviceWorkers: 'allow' }),
        newer = page.getByText('A newer version is ready.');
    await allKept(page);
    await page.reload();                                             // now from the cache
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await actWhenDue(page);
    await page.locator('.table').waitFor();
    more = '// newer';
    await page.evaluate(async () => {
        const kept = await navigator.serviceWorker.ready;
        await kept.update();
        while (!kept.waiting)
            await new Promise((go) => setTimeout(go, 20));
    });
    equal(await newer.isVisible(), false, 'not at the table');
    await page.goto(`${page.url().split('#')[0]}#rules`);
    await newer.waitFor();
    const loaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Reload' }).click();
    await loaded;
    equal(await newer.isVisible(), false, 'it is the newer one');
    await page.context().close();
    front.close();
});

/** Sends the server a request besides the page's own. */
const post = (page, path, body) => page.evaluate(async ([to, what]) => (await fetch(`api/${to}`,
    { method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify(what) })).json(), [path, body]);

/** A table whose maker does not play. @param {object[]} seats */
async function strangersTable(...seats) {
    const host = await open(browser, url);
    await post(host, 'visitor', { name: 'Host' });
    const { code } = (await post(host, 'tables', { seats })).table;
    await host.context().close();
    return code;
}

await test('a table is closed while its host\'s seat is still being taken', async () => {
    for (const early of [false, true]) {
        const page = await open(browser, url), close = page.getByRole('button', { name: 'Close the table' });
        await post(page, 'visitor', { name: 'Ana' });
        const { code } = (await post(page, 'tables', { seats: [{ kind: 'open' }, { kind: 'open' }] })).table;
        await page.evaluate((id) => localStorage.setItem('pyramids.sit', JSON.stringify(id)), code);
        // From the request for a seat on, the server's messages are held back.
        let held = null, holds = () => {};
        const asked = new Promise((go) => { holds = go; });
        await page.routeWebSocket(/api.socket/, (socket) => {
            const there = socket.connectToServer();
            socket.onMessage((text) => {
                there.send(text);
                if (JSON.parse(text).type === 'sit') {
                    held = [];
                    holds();
                }
            });
            there.onMessage((text) => held ? held.push(text) : socket.send(text));
            page.release = () => {
                held.forEach((text) => socket.send(text));
                held = null;
            };
        });
        await page.goto(`${url}?${early}#table/${code}`);
        await asked;
        await close.hover();
        await page.mouse.down();
        if (early)
            await page.mouse.up();
        page.release();
        if (!early) {
            await page.getByRole('button', { name: 'Stand up' }).waitFor();      // it appears almost under the finger
            await page.mouse.up();
        }
        await page.getByRole('button', { name: 'Invite friends' }).waitFor();
        equal((await (await fetch(`${url}api/tables/${code}`)).json()).table.state, 'closed', 'the table');
        await page.context().close();
    }
});

await test('people at a table: reactions, which can be muted', async () => {
    const code = await strangersTable({ kind: 'open' }, { kind: 'open' });
    const [ann, bob] = await Promise.all([open(browser, 'about:blank', PHONE), open(browser, 'about:blank', DESKTOP)]);
    for (const [page, name] of [[ann, 'Ann'], [bob, 'Bob']]) {
        await page.goto(`${url}#table/${code}`);
        await page.getByRole('textbox', { name: 'Your name' }).fill(name);
        await page.getByRole('button', { name: 'Sit down' }).click();
    }
    for (const page of [ann, bob])
        await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    await act(ann);
    await act(bob);
    for (const page of [ann, bob])
        await page.locator('.table').waitFor();
    const log = (page, words) => page.locator('.log li', { hasText: words });
    const fromMenu = async (name) => {
        await ann.locator('[data-a=menu]').first().tap();
        await ann.getByRole('button', { name: 'React' }).last().tap();
        await ann.getByRole('button', { name, exact: true }).tap();
    };
    // Bob has muted Ann's reactions.
    await bob.keyboard.press('e');
    await bob.getByRole('checkbox', { name: 'Mute Ann' }).check();
    await pictures(bob, 'react');
    const shown = ann.waitForFunction(() => {       // whatever its size is when it begins to grow
        const bubble = document.querySelector('.peep .bub'), cell = bubble?.closest('.peep').getBoundingClientRect();
        const top = bubble?.offsetParent.getBoundingClientRect().top + bubble?.offsetTop;
        return bubble && (top >= cell.top && top + bubble.offsetHeight <= cell.bottom ? 'whole' : 'cut');
    });
    await bob.keyboard.press('2');
    equal(await (await shown).jsonValue(), 'whole', 'the bubble in the strip');
    await log(ann, 'Bob Beautiful').waitFor({ state: 'attached' });
    await fromMenu('Ouch');
    await log(ann, 'Ann Ouch').waitFor({ state: 'attached' });
    await fromMenu('Thank you');
    await ann.getByText('That was too fast').first().waitFor();
    for (const page of [ann, bob])
        await page.context().close();
});

await test('one number for the shuffle of a table, whatever the server answers', async () => {
    const code = await strangersTable({ kind: 'open' }, { kind: 'bot', level: 'novice' }), sits = [];
    const page = await open(browser, `${url}#table/${code}`), sit = page.getByRole('button', { name: 'Sit down' });
    const room = (bytes) => execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:unlimited`]);
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => {
        const { type, number } = JSON.parse(payload);
        if (type === 'sit')
            sits.push(number);
    }));
    await page.reload();                                             // only from here on are requests recorded
    await sit.waitFor();
    await page.waitForFunction(async () => (await fetch('api/visitor')).ok);
    await post(page, 'visitor', { name: 'Ana' });                    // a seat needs a name, which cannot be stored later
    room(1);                                                         // nothing can be stored
    for (let i = 0; i < 2; i++) {
        await sit.click();
        await page.getByText('The server cannot do this now').waitFor();
        await page.reload();
        await sit.waitFor();
    }
    room('unlimited');
    await sit.click();
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    equal([sits.length, new Set(sits).size], [3, 1], 'seats asked for, and numbers');
    truth((await (await fetch(`${url}api/tables/${code}/record`)).text()).includes(`\ntag number 1 ${sits[0]}\n`),
        'it is in the record');
    // Shows that the check itself works.
    await page.locator('[data-a=menu]').first().click();
    await page.getByRole('button', { name: 'The fair shuffle' }).click();
    await page.getByText('This page comes from the server that it checks.').waitFor();
    equal(await page.locator('.dlg code, dialog code').innerText(), 'pyramids verify game.pyr', 'how to check elsewhere');
    await page.context().close();
});

await test('a number that an older page has drawn for a table is kept, and what the server had promised', async () => {
    const code = await strangersTable({ kind: 'open' }, { kind: 'bot', level: 'novice' });
    const number = '0123456789abcdef'.repeat(4);
    const record = async () => (await fetch(`${url}api/tables/${code}/record`)).text();
    const page = await open(browser, url), { commitment } = (await (await fetch(`${url}api/tables/${code}`)).json()).table;
    const kept = () => page.evaluate((id) => JSON.parse(localStorage.getItem('pyramids.tables'))[id].text, code);
    await page.evaluate(([id, old]) => localStorage.setItem('pyramids.tables', JSON.stringify({ [id]: old })),
        [code, { used: 1, version: 0, turns: -1, made: [], confirmed: false, sent: [], held: null, number, commitment }]);
    await page.goto(`${url}#table/${code}`);
    await page.getByRole('button', { name: 'Sit down' }).click();
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    truth((await record()).includes(`\ntag number 1 ${number}\n`), 'it is in the record');
    truth((await kept()).includes(`\nnumber ${number}\ncommitment ${commitment}\n`), `and still here: ${await kept()}`);
    await page.context().close();
});

await test('any player may let a bot play once the host has been away for two minutes', async () => {
    const code = await strangersTable({ kind: 'open' }, { kind: 'open' });
    const pages = [];
    for (let i = 0; i < 2; i++) {
        const page = await open(browser, `${url}#table/${code}`);
        await page.clock.install();
        await page.getByRole('button', { name: 'Sit down' }).click();
        await page.getByText('you', { exact: true }).or(page.getByRole('heading', { name: /Keep two/ })).first().waitFor();
        pages.push(page);
    }
    const [page, other] = pages, offer = page.getByRole('button', { name: /Let a bot play for (?!me)/ }),
        menu = page.locator('[data-a=menu]').first();
    await page.getByRole('heading', { name: /Keep two/ }).waitFor();
    await other.context().close();
    const offered = async () => {
        await menu.click();
        const count = await offer.count();
        await page.keyboard.press('Escape');
        await page.waitForTimeout(25);
        return count;
    };
    equal(await offered(), 0, 'not at once');
    writeFileSync(join(folder, 'clock'), '+130\n');
    await page.clock.fastForward(130000);
    await goOn(async () => await offered() ? 'end' : 'wait');
    await page.getByText('Reconnecting').first().waitFor({ state: 'detached' });      // the server's clock was moved, too
    await menu.click();
    await offer.click();
    await goOn(async () => {
        await page.waitForTimeout(25);       // otherwise the server refuses the requests as too fast
        return (await (await fetch(`${url}api/tables/${code}`)).json()).table.seats.some((s) => s.away) ? 'end' : 'wait';
    });
    await page.context().close();
});

await browser.close();
await stop('SIGTERM');
holder.stdin.end();
rmSync(folder, { recursive: true });
done();
