// identity.mjs PROGRAM: the page's identity at a server: if the server no longer knows it, the page asks before it makes
// a new one; codes may be typed in any case, with blanks and dashes.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { done, equal, test, truth } from './check.mjs';
import { DESKTOP, launch, open } from './site.mjs';

const program = process.argv[2], folder = mkdtempSync(join(tmpdir(), 'pyramids-')), ready = join(folder, 'ready');
const holder = spawn('python3', [fileURLToPath(new URL('../ports.py', import.meta.url)), '1'],
    { stdio: ['pipe', 'pipe', 'inherit'] });
const port = await new Promise((go) => holder.stdout.once('data', (text) => go(String(text).trim())));
let server, url;

async function start(database) {
    rmSync(ready, { force: true });
    server = spawn(program, ['serve', '--port', port, '--database', join(folder, database), '--no-browser', '--quiet',
        '--ready-file', ready], { stdio: 'ignore' });
    while (server.exitCode === null && !(existsSync(ready) && readFileSync(ready, 'utf8').endsWith('\n')))
        await new Promise((go) => setTimeout(go, 25));
    url = readFileSync(ready, 'utf8').trim();
}

const stop = () => new Promise((gone) => {
    server.on('exit', gone);
    server.kill('SIGTERM');
});

await start('one.db');
const browser = await launch(), ana = await open(browser, url, DESKTOP);
const token = async () => (await ana.context().cookies()).find((cookie) => cookie.name === 'pyramids')?.value;
let code = '', first;

async function invite() {
    await ana.goto(`${url}#friends/new`);
}

await test('a code is typed in small letters, with a dash', async () => {
    await invite();
    await ana.waitForURL(/#table\/[A-Z0-9]{8}/);
    await ana.getByText('you, host').waitFor();
    code = await ana.evaluate(() => location.hash.split('/')[1]);
    first = await token();
    const ben = await open(browser, url, DESKTOP);
    await ben.locator('[name=code]').fill(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4).toLowerCase()} `);
    await ben.locator('[name=code]').press('Enter');
    await ben.getByRole('heading', { name: 'Join the table' }).waitFor();
    await ben.goto(`${url}#table/${code.slice(0, 4).toLowerCase()}%20${code.slice(4).toLowerCase()}`);
    await ben.reload();
    await ben.getByRole('heading', { name: 'Join the table' }).waitFor();
    await ben.context().close();
});

await test('a server that does not know the player asks before it makes a new one', async () => {
    await stop();
    await start('two.db');
    await ana.goto('about:blank');
    await invite();
    await ana.getByRole('heading', { name: 'The server does not recognise you' }).waitFor();
    await ana.getByRole('button', { name: 'Cancel' }).click();
    await ana.getByText('The server no longer recognises you').waitFor();
    equal(await token(), first, 'the identity is kept');
    await ana.getByRole('button', { name: 'Try again' }).click();
    await ana.getByRole('button', { name: 'Continue as a new player' }).click();
    await ana.waitForURL(/#table\/[A-Z0-9]{8}/);
    await ana.getByText('you, host').waitFor();
    truth(await token() !== first, 'somebody new');
});

await browser.close();
await stop();
holder.stdin.end();
rmSync(folder, { recursive: true });
done();
