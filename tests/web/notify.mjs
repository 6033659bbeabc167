// notify.mjs SITE: notifications: this device and each table are switched on and off, quiet time, the feed, the message
// where notifications do not work, and the number in the title; with a fake push manager and a fake server.
import { look } from './axe.mjs';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, PHONE, launch, open, picture, serve } from './site.mjs';

const host = await serve(process.argv[2]), browser = await launch();
const KEY = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4';
const SEATS = [{ kind: 'person', name: 'Ana', here: true, away: false, ready: false },
    { kind: 'person', name: 'Ben', here: false, away: false, ready: true }];

/** A browser that supports notifications, and a server; page.asked has the requests to it. */
async function visit(hash, { permission = 'default', answer = 'granted', device = DESKTOP, kept = {} } = {}) {
    const state = { available: true, key: KEY, subscriptions: 0, quiet: [], zone: 0, daily: null, feed: false, ...kept };
    const asked = [], table = { code: 'K7QXMWRT', state: 'running', clock: 'none', you: 1, seats: SEATS };
    const page = await open(browser, host.url, device);
    await page.route('**/api/**', async (route) => {
        const request = route.request(), path = new URL(request.url()).pathname.replace(/.*\/api\//, '');
        const body = request.postDataJSON(), what = `${request.method()} ${path}`;
        if (request.method() !== 'GET') asked.push([what, body]);
        if (what === 'POST push') Object.assign(state, body.endpoint ? { subscriptions: 1 } : {}, body.quiet ? { quiet:
            body.quiet } : {}, 'daily' in body ? { daily: body.daily } : {}, 'zone' in body ? { zone: body.zone } : {});
        if (what === 'DELETE push') state.subscriptions = 0;
        if (what === 'POST my/feed') state.feed = true;
        if (path.endsWith('/notify')) table.notify = body.on || undefined;
        const turns = { count: 2, tables: [{ code: 'K7QXMWRT', since: 1, round: 3, turn: 4, names: ['Ben'],
            notify: true }] };
        await route.fulfill({ json: path === 'push' ? state : path === 'my/tables' ? { tables: [table] } : path ===
            'my/feed' ? { path: '/api/my/turns.atom?key=secret' } : path === 'my/turns' ? turns : path.endsWith('/notify') ?
            { table } : { visitor: { name: 'Ana' } } });
    });
    await page.evaluate(() => localStorage.setItem('pyramids.visited', 'true'));
    await page.addInitScript(([now, then, key, had]) => {
        let own = null;
        const made = { endpoint: 'https://fcm.googleapis.com/x', options: { applicationServerKey: null }, toJSON: () => ({
            endpoint: 'https://fcm.googleapis.com/x', keys: { p256dh: key, auth: 'BTBZMqHH6r4Tts7J_aSIgg' } }),
            unsubscribe: async () => { own = null; } };
        own = had ? made : null;
        const kept = { pushManager: { getSubscription: async () => own, subscribe: async (how) => {
            window.subscribed = how.userVisibleOnly && how.applicationServerKey.length; return own = made; } },
            getNotifications: async () => [], addEventListener() {}, waiting: null };
        window.Notification = class { static permission = now; static async requestPermission() {
            return this.permission = then; } };
        window.PushManager = class {};
        Object.defineProperty(navigator, 'serviceWorker', { value: { ready: Promise.resolve(kept),
            getRegistration: async () => kept, register: async () => kept, addEventListener() {} } });
    }, [permission, answer, KEY, state.subscriptions > 0]);
    await page.goto(`${host.url}#${hash}`);
    await page.reload();
    page.asked = asked;
    return page;
}

await test('device, table, quiet time and feed', async () => {
    const page = await visit('notify');
    const device = page.getByRole('switch', { name: 'Notify this device' }), ben = page.getByRole('switch', { name: 'Ben' });
    await ben.waitFor();
    truth(await ben.isDisabled(), 'a table rests without the device');
    await device.click();
    await page.locator('[data-switch=device][aria-checked=true]').waitFor();
    equal(await page.evaluate(() => window.subscribed), 65, 'the server\'s key is the browser\'s');
    equal(page.asked.find(([what]) => what === 'POST push')[1].endpoint, 'https://fcm.googleapis.com/x', 'told the server');
    await ben.click();
    await page.locator('[data-switch=K7QXMWRT][aria-checked=true]').waitFor();
    await page.getByRole('switch', { name: 'Quiet time' }).click();
    await page.locator('input[type=time][name=from]').fill('23:30');
    await page.locator('input[type=time][name=from]').blur();
    await page.locator('input[type=range][name=from][aria-valuetext="23:30"]').waitFor();
    equal(page.asked.at(-1)[1].quiet, [1410, 420], 'half past eleven');
    await page.getByRole('button', { name: 'Make an address' }).click();
    await page.getByRole('textbox', { name: 'Address of the feed' }).waitFor();
    truth((await page.getByRole('textbox', { name: 'Address of the feed' }).inputValue()).endsWith('turns.atom?key=secret'),
        'the address');
    for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await look(page, colorScheme, { dark: colorScheme === 'dark' });
    }
    await device.click();
    await page.locator('[data-switch=device][aria-checked=false]').waitFor();
    equal(page.asked.at(-1)[0], 'DELETE push', 'the server forgets the browser');
    equal(page.complaints, [], 'the console');
    await picture(page, 'notify');
    await page.context().close();
});

await test('the reminder of today’s expedition has a time of its own', async () => {
    const page = await visit('notify'), daily = page.getByRole('switch', { name: 'Today’s expedition' });
    await page.getByRole('switch', { name: 'Ben' }).waitFor();
    truth(await daily.isDisabled(), 'it rests without the device');
    equal(await page.locator('input[name=daily]').count(), 0, 'off, and then there is no time');
    await page.getByRole('switch', { name: 'Notify this device' }).click();
    await page.locator('[data-switch=device][aria-checked=true]').waitFor();
    await daily.click();
    await page.locator('[data-switch=daily][aria-checked=true]').waitFor();
    const zone = await page.evaluate(() => -new Date().getTimezoneOffset());
    equal(page.asked.at(-1), ['POST push', { daily: 1080, zone }], 'in the evening');
    await page.getByLabel('Time of the message').fill('07:45');
    await page.getByLabel('Time of the message').blur();
    await page.locator('input[name=daily][value="07:45"]').waitFor();
    equal(page.asked.at(-1), ['POST push', { daily: 465, zone }], 'a quarter to eight');
    await picture(page, 'notify-daily');
    await daily.click();
    await page.locator('[data-switch=daily][aria-checked=false]').waitFor();
    equal(page.asked.at(-1)[1].daily, null, 'never');
    await page.setViewportSize({ width: 320, height: 568 });
    equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, 'no sideways scroll');
    equal(page.complaints, [], 'the console');
    await page.context().close();
});

await test('a clock that was moved since is told to the server', async () => {
    const page = await visit('notify', { kept: { subscriptions: 1, daily: 1080, zone: -300 } });
    await page.waitForFunction(() => document.querySelector('[data-switch=daily][aria-checked=true]'));
    const zone = await page.evaluate(() => -new Date().getTimezoneOffset());
    equal(page.asked.filter(([what]) => what === 'POST push'), [['POST push', { zone }]], 'only the zone');
    await page.context().close();
});

await test('where the browser does not allow it', async () => {
    const page = await visit('notify', { permission: 'denied', device: { ...PHONE,
        viewport: { width: 320, height: 568 } } });
    await page.getByText('This browser does not allow it.').waitFor();
    truth(await page.getByRole('switch', { name: 'Notify this device' }).isDisabled(), 'the switch rests');
    truth(await page.getByText('Another way: a feed').isVisible(), 'another way');
    equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, 'no sideways scroll');
    await picture(page, 'notify-denied');
    await page.context().close();
});

await test('the title counts tables in the background', async () => {
    const page = await visit('rules');
    await page.evaluate(() => {
        Object.defineProperty(document, 'hidden', { get: () => true });
        document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.waitForFunction(() => document.title === '(2) Your turn · Pyramids');
    await page.waitForFunction(() => document.querySelector('link[rel=icon]').href.startsWith('data:image/png'));
    await page.context().close();
});

await browser.close();
host.close();
done();
