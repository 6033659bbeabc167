// games.mjs: test positions, played by bots in the module itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gameKey, keepAnalysis } from '../../web/analysis.js';
import { Core } from '../../web/core.js';

export const NAMES = ['Ana', 'Ben', 'Chloé', 'Davi'];

let module, edition;               // the site does not change; compiling it once saves time

export function newCore(site) {
    module ??= new WebAssembly.Module(readFileSync(join(site, 'pyramids.wasm')));
    edition ??= readFileSync(join(site, 'classic.edition'), 'utf8');
    const core = new Core(module);
    core.readEdition(edition);
    return core;
}

/** Bots play until `stop` returns true, or to the end. */
export function playOut(core, players, seed, stop = () => false, level = 'club') {
    const bot = core.fork();
    core.start(NAMES.slice(0, players), BigInt(seed));
    for (let n = 1n; !core.isOver() && !stop(core.view(0)); n++)
        for (let s = 0; s < players; s++)
            if (core.isWaiting(s)) {
                bot.load(core.visibleLog(s), s);
                const fault = core.choose(s, bot.botChoice(level, s, 0, n + BigInt(seed)));
                if (fault)
                    throw new Error(JSON.stringify(fault));
                core.confirm(s);
                if (stop(core.view(0)))
                    break;
            }
    return core;
}

/** A local game as the page stores it, so that it can be opened at any point. */
export function saved(core, people = [0], level = 'club') {
    const seats = core.names().map((name, s) => ({ name, level: people.includes(s) ? '' : level }));
    return { id: '1', record: core.log(), edition: '', seats, me: people[0], pending: [] };
}

/** An analysis as the page stores it in the browser, so that a view need not make it first. Without `judged` it has few
 * playouts. */
export function analysed(core, judged = core.analyse(16, 1n)) {
    const { localStorage: own } = globalThis, found = {};
    globalThis.localStorage = { getItem: (key) => found[key] ?? null, setItem: (key, text) => { found[key] = text; },
        removeItem: (key) => { delete found[key]; } };
    keepAnalysis(gameKey(core.lines()), judged, true);
    globalThis.localStorage = own;
    return Object.fromEntries(Object.entries(found).map(([key, text]) => [key.replace('pyramids.', ''), JSON.parse(text)]));
}

/** A finished game for the list of replays. */
export const kept = (core, id = '77') => ({ id, date: 1794700800000, record: core.log(), me: 0, edition: '' });
