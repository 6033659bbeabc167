// server.mjs BUILD [--json] [--rounds N]: our server and boardgame.io (peers/) with the same work: four players per
// table, all choose at once, everyone is notified, both stores durable. They run in turn, so that a busy machine does not
// favour one of them. Then ten thousand clients on ours alone.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: { json, rounds }, positionals: [build] } = parseArgs({ allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, rounds: { type: 'string', default: '2' } } });
const driver = fileURLToPath(new URL('peers/boardgame.io/driver.mjs', import.meta.url));

let child;
for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {               // the child cleans up; then so do we
        child?.kill(signal);
        child?.on('exit', () => process.exit(130));
    });

const say = (words) => json || process.stderr.write(`${words}\n`);
const run = (command, ...args) => new Promise((resolve, reject) => {
    child = spawn(command, [...args, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk) => { text += chunk; });
    child.on('error', reject);
    child.on('exit', (code) => code ? reject(new Error(`${command} failed`)) : resolve(JSON.parse(text)));
});
const ours = (...args) => run(`${build}/bench/load`, `${build}/src/cli/pyramids`, ...args.map(String));
const theirs = (...args) => run(process.execPath, driver, ...args.map(String));

const median = (list) => [...list].sort((a, b) => a - b)[(list.length - 1) >> 1];
const both = async (...args) => {
    const results = { ours: [], theirs: [] };
    for (let round = 0; round < Number(rounds); round++) {
        results.ours.push(await ours(...args));
        results.theirs.push(await theirs(...args));
    }
    return (get) => [median(results.ours.map(get)), median(results.theirs.map(get))];
};

const rows = [];
const row = (title, unit, [mine, peer], most, digits = 0) => {
    const ratio = most ? peer / mine : mine / peer;          // how many times better we are
    rows.push({ title, unit, ours: mine, peer, ratio });
    const number = (value) => value.toLocaleString('en', { maximumFractionDigits: digits });
    const [a, b, times] = [number(mine).padStart(10), number(peer).padStart(14), ratio.toFixed(1).padStart(8)];
    say(`${`${title}, ${unit}`.padEnd(52)} ${a} ${b} ${times}`);
};

try {
    say('100 tables, whole games, as fast as acknowledged; then 300 tables at 100 moves per second. Some minutes.');
    const fast = await both('--tables', 100);
    const calm = await both('--tables', 300, '--rate', 100, '--seconds', 8);
    say(`\n${''.padEnd(52)} ${'ours'.padStart(10)} ${'boardgame.io'.padStart(14)} ${'better'.padStart(8)}`);
    row('saturated', 'moves per second', fast((r) => r.movesPerSecond));
    row('saturated', 'moves per second of processor time', fast((r) => r.movesPerCpuSecond));
    row('saturated, move until all are notified', 'ms p50', fast((r) => r.told.p50), true, 1);
    row('saturated, move until all are notified', 'ms p99', fast((r) => r.told.p99), true, 1);
    row('100 moves per second, until all are notified', 'ms p50', calm((r) => r.told.p50), true, 1);
    row('100 moves per second, until all are notified', 'ms p99', calm((r) => r.told.p99), true, 1);
    row('memory a table, cards just dealt', 'KB', calm((r) => r.bytesPerTableSeated / 1024), true, 1);
    row('memory a table, whole games played', 'KB', fast((r) => r.bytesPerTable / 1024), true, 1);

    say('\n10,000 clients on 2,500 tables, 1,000 moves per second for 30 seconds');
    const big = await ours('--tables', 2500, '--rate', 1000, '--seconds', 30);
    say(`  ${big.moves} moves at ${big.movesPerSecond.toFixed(0)} per second in ${big.cpuSeconds} s of processor time; ` +
        `${(big.bytesPerTable / 1024).toFixed(1)} KB per table, ${big.lost} lost`);
    for (const [title, times] of [['until all are notified', big.told], ['the disk alone', big.disk]])
        say(`  ${title.padEnd(18)} p50 ${times.p50.toFixed(1)}  p99 ${times.p99.toFixed(1)}  ` +
            `max ${times.max.toFixed(1)} ms`);
    if (json)
        console.log(JSON.stringify({ rows, big }, null, 2));
} catch (error) {
    console.error(`bench-server: ${error.message}`);
    process.exit(1);
}
