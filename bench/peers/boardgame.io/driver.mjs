// driver.mjs [--tables N] [--rate MOVES_A_SECOND] [--seconds N] [--postgres FOLDER --postgres-pid PID]: starts the peer
// (with the PostgreSQL server whose socket is in that folder), plays whole games on it with four connections per table
// and prints the results as JSON, with the names of bench/load.c --json.
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { io } from 'socket.io-client';
import { PLAYERS, TURNS } from './game.mjs';

const { values } = parseArgs({ options: { tables: { type: 'string', default: '100' }, rate: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '0' },
    postgres: { type: 'string', default: '' }, 'postgres-pid': { type: 'string', default: '0' },
    json: { type: 'boolean' } } });
const tables = Number(values.tables), rate = Number(values.rate), seconds = Number(values.seconds);

const folder = mkdtempSync(`${tmpdir()}/pyramids-peer-`);
const database = values.postgres ? ['--postgres', values.postgres] : [`${folder}/db`];
const server = fork(fileURLToPath(new URL('server.mjs', import.meta.url)), database,
    { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
const end = (code) => {
    server.kill('SIGKILL');                  // no longer needed
    rmSync(folder, { recursive: true, force: true });
    process.exit(code);
};
const fail = (why) => {
    console.error(`driver: ${why}`);
    end(1);
};
process.on('SIGINT', () => end(130));
process.on('SIGTERM', () => end(143));
process.on('uncaughtException', (error) => fail(error.stack));
server.on('exit', () => fail('the server ended'));

const port = await new Promise((resolve) => server.once('message', resolve));
const url = `http://127.0.0.1:${port}`;
const tick = 100;                            // Linux counts processor time in hundredths of a second

// Of a process: its parent, its own processor time, and that of its children who have ended.
const stat = (pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').map(Number);
    return { parent: fields[1], own: (fields[11] + fields[12]) / tick, ended: (fields[13] + fields[14]) / tick };
};
const cpuSeconds = () => stat(server.pid).own;
const postgresSeconds = () => {
    const root = Number(values['postgres-pid']);
    let sum = root ? stat(root).own + stat(root).ended : 0;
    for (const name of root ? readdirSync('/proc').filter((one) => /^\d+$/.test(one)) : [])
        try {
            const { parent, own } = stat(name);
            sum += parent === root ? own : 0;
        } catch {}                           // it has just ended
    return sum;
};
const bytes = async () => {
    const collected = new Promise((resolve) => server.once('message', resolve));
    server.send('collect');
    await collected;
    return Number(readFileSync(`/proc/${server.pid}/statm`, 'utf8').split(' ')[1]) * 4096;
};
const now = () => performance.now();

const post = async (path, body) => {
    const answer = await fetch(`${url}/games/peer/${path}`, { method: 'POST',
        headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    if (!answer.ok)
        fail(`${path}: ${answer.status}`);
    return answer.json();
};

let sent = 0, done = 0, over = 0, untold = 0, playing = false, closing = false, changed = now();
const toDone = [], toAll = [];

// A client that uses nothing of the game except whether it has to move.
const connect = (table, player, credentials) => new Promise((resolve) => {
    const socket = io(`${url}/peer`, { transports: ['websocket'], forceNew: true, reconnection: false });
    const client = { socket, player, credentials, table, turn: -1, moved: -1 };
    table.clients[player] = client;
    socket.on('connect', () => socket.emit('sync', table.id, String(player), credentials, PLAYERS));
    socket.on('connect_error', (error) => fail(error.message));
    socket.on('disconnect', (why) => fail(`disconnected: ${why}`));
    socket.on('sync', (_, { state }) => {
        client.state = state._stateID;
        client.turn = state.G.turn;
        resolve(client);
    });
    socket.on('update', (_, state) => {
        const { turn, ready } = state.G;
        changed = now();
        client.state = state._stateID;
        client.turn = turn;
        if (table.turn < turn)
            table.turn = turn;
        for (const way of [...table.ways]) {
            if (way.turn >= turn && !ready.includes(String(way.player)))
                continue;
            if (way.player === player && !way.done) {
                way.done = true;
                done++;
                toDone.push(now() - way.at);
            }
            way.told |= 1 << player;
            if (way.told === (1 << PLAYERS) - 1) {
                toAll.push(now() - way.at);
                table.ways.splice(table.ways.indexOf(way), 1);
                untold--;
            }
        }
        if (turn >= TURNS && !table.over) {
            table.over = true;
            over++;
        }
        if (!rate && (oneByOne || isDue(client)))
            oneByOne ? moveAll(table) : move(client);
    });
});

// Its PostgreSQL store reads a match, changes it and writes it back: if two join or move at once, one of them is lost
// silently. So there they do it one after the other.
const oneByOne = Boolean(values.postgres);
const isDue = (client) => playing && !closing && client.turn < TURNS && client.moved < client.turn &&
    !(oneByOne && client.table.ways.length);
const moveAll = (table) => table.clients.forEach((client) => isDue(client) && move(client));

const move = (client) => {
    const { table, player, credentials } = client;
    client.moved = client.turn;
    table.ways.push({ turn: client.turn, player, told: 0, done: false, at: now() });
    untold++;
    sent++;
    const args = [sent & 1, 1 + sent % 0x1ffffff];
    client.socket.emit('update', { type: 'MAKE_MOVE', payload: { type: 'mark', args, playerID: String(player),
        credentials } }, client.state, table.id, String(player));
};

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (what, is) => {
    while (!is()) {
        await sleep(5);
        if (now() - changed > 30000)
            fail(`${what}: nothing happens any more`);
    }
};

const all = [], first = Math.floor(tables / 10);
let before = await bytes();
for (let t = 0; t < tables; t++) {
    if (t === first)
        before = await bytes();              // what a server needs only once does not count
    const table = { id: (await post('create', { numPlayers: PLAYERS, unlisted: true })).matchID, clients: [], ways: [],
        turn: 0, over: false };
    const join = (p) => post(`${table.id}/join`, { playerID: String(p), playerName: `P${p + 1}` });
    const joined = [];
    for (let p = 0; p < PLAYERS; p++)
        joined.push(oneByOne ? await join(p) : join(p));
    const credentials = await Promise.all(joined);
    await Promise.all(credentials.map(({ playerCredentials }, p) => connect(table, p, playerCredentials)));
    all.push(table);
}
await sleep(500);
const seated = await bytes(), cpuBefore = cpuSeconds(), postgresBefore = postgresSeconds(), begin = now();
changed = begin;
playing = true;
if (rate) {
    let count = 0, next = 0;
    while (over < tables && (!seconds || now() - begin < seconds * 1000)) {
        for (const due = (now() - begin) / 1000 * rate; count < due; count++) {
            for (let tries = 0; tries < tables; tries++) {
                const { clients } = all[next++ % tables], first = Math.floor(Math.random() * PLAYERS);
                const client = [0, 1, 2, 3].map((s) => clients[(first + s) % PLAYERS]).find(isDue);
                if (client) {
                    move(client);
                    break;
                }
            }
        }
        await sleep(1);
    }
} else {
    for (const table of all)
        moveAll(table);
    await until('playing', () => over === tables || (seconds && now() - begin > seconds * 1000));
}
closing = true;
await until('the last moves', () => done === sent && !untold);
const took = (now() - begin) / 1000, cpu = cpuSeconds() - cpuBefore,
    postgresCpu = postgresSeconds() - postgresBefore, grown = await bytes();

const part = (times) => {
    times.sort((a, b) => a - b);
    const at = (share) => Number((times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(3));
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
};
console.log(JSON.stringify({ tables, clients: PLAYERS * tables, over, moves: done, seconds: took,
    movesPerSecond: done / took, cpuSeconds: cpu, movesPerCpuSecond: done / cpu, postgresCpuSeconds: postgresCpu,
    done: part(toDone), told: part(toAll), bytesPerTableSeated: (seated - before) / (tables - first),
        bytesPerTable: (grown - before) / (tables - first) }));
server.removeAllListeners('exit');
end(0);
