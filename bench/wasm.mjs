// wasm.mjs MODULE TWIN EDITION: random games per second of processor time, in WebAssembly and native. They run in turn
// and the best of many runs counts, so that a busy machine does not favour one of them.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { load } from '../tests/module.mjs';

const [module, twin, edition] = process.argv.slice(2);
const games = 4000, turns = 40;

const child = spawn(twin, { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
const native = async (line) => {
    child.stdin.write(line + '\n');
    return (await lines.next()).value;
};
const wasm = load(module);

const read = `read ${edition}`;
if ((await native(read)) !== wasm(read) || !wasm(read).startsWith('0 ')) {
    console.log(`${edition}: ${wasm(read)}`);
    process.exit(1);
}
for (const [title, playouts] of [['steps', 0], ['playouts', 1]]) {
    for (const players of [2, 4]) {
        const best = { native: 0, wasm: 0 };
        for (let turn = 0; turn < turns; turn++) {
            const question = `time ${turn + 1} ${players} ${games} ${playouts}`;
            const [nativeHash, nativeTime] = (await native(question)).split(' ');
            const [wasmHash, wasmTime] = wasm(question).split(' ');
            if (nativeHash !== wasmHash) {
                console.log(`${question}: the games differ`);
                process.exit(1);
            }
            best.native = Math.max(best.native, games / Number(nativeTime) * 1e9);
            best.wasm = Math.max(best.wasm, games / Number(wasmTime) * 1e9);
        }
        console.log(`${players} players, ${title.padEnd(8)}  `
            + `native ${Math.round(best.native).toLocaleString('en')} games/s, `
            + `wasm ${Math.round(best.wasm).toLocaleString('en')}, ratio ${(best.wasm / best.native).toFixed(2)}`);
    }
}
child.stdin.end();
