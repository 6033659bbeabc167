// module.mjs: the WebAssembly module behind the commands of twin.c, for wasm.mjs and bench/wasm.mjs.
import { readFileSync } from 'node:fs';

export function load(path) {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)));
    const bytes = () => new Uint8Array(exports.memory.buffer);   // anew each time: memory may have grown
    const text = (at) => {
        const from = bytes().subarray(at);
        return new TextDecoder().decode(from.subarray(0, from.indexOf(0)));
    };
    const put = (data) => bytes().set(data.subarray(0, exports.buffer_size()), exports.buffer());
    const unsigned = (n) => BigInt.asUintN(64, n);

    const commands = {
        read(file) {
            const data = readFileSync(file);
            put(data);
            const err = exports.edition_read(Math.min(data.length, exports.buffer_size()));
            return `${err} ${exports.fault_line()} ${exports.fault_column()} ${text(exports.fault_word())}|`
                + text(exports.fault_expected());
        },
        write() {
            const length = exports.edition_write();
            let hash = 0n;
            for (const byte of bytes().subarray(exports.buffer(), exports.buffer() + length))
                hash = unsigned(hash * 31n + BigInt(byte));
            return `${length} ${hash}`;
        },
        sheet(sheet, paper, parts, coloured) {
            put(new TextEncoder().encode('made\ncards & <more>\nexpedition\0'));
            const length = exports.sheet(sheet, paper, parts, coloured);
            let hash = 0n;
            for (const byte of bytes().subarray(exports.buffer(), exports.buffer() + length))
                hash = unsigned(hash * 31n + BigInt(byte));
            return `${exports.sheets(parts)} ${length} ${hash}`;
        },
        verify(file) {
            const data = readFileSync(file);
            put(data);
            const code = exports.record_verify(Math.min(data.length, exports.buffer_size()));
            return `${code} ${exports.verify_line()} ${exports.verify_compared()}`;
        },
        daily(practice, date, secret) {
            put(new TextEncoder().encode(`Ana\nclub 2\nclub 3\n${secret}\n${date}\0`));
            const err = exports.local_daily(practice);
            let hash = 0n;
            for (const byte of new TextEncoder().encode(text(exports.match_log())))
                hash = unsigned(hash * 31n + BigInt(byte));
            return `${err} ${exports.match_lines()} ${hash} ${err ? 255 : exports.local_due()} ${
                err ? 0 : unsigned(exports.local_due_seed())}`;
        },
        names() {
            const names = [];
            for (let at; (at = exports.bot_name(names.length)); )
                names.push(text(at));
            return names.join(' ');
        },
        games(seed, players, games, playouts) {
            const hash = exports.random_games(BigInt(seed), players, games, playouts);
            return `${unsigned(hash)} ${unsigned(exports.steps())}`;
        },
        bots(seed, nodes, ...names) {
            put(new TextEncoder().encode(names.join(' ') + '\0'));
            const hash = exports.bot_game(BigInt(seed), BigInt(nodes));
            return `${unsigned(hash)} ${unsigned(exports.steps())}`;
        },
        perft(seed, players, played, depth) {
            return `${unsigned(exports.perft(BigInt(seed), players, played, depth))}`;
        },
        time(seed, players, games, playouts) {
            const start = process.cpuUsage();
            const hash = exports.random_games(BigInt(seed), players, games, playouts);
            const { user, system } = process.cpuUsage(start);
            return `${unsigned(hash)} ${(user + system) * 1000}`;
        },
    };
    return (line) => {
        const [command, ...words] = line.split(' ');
        return commands[command](...words);
    };
}
