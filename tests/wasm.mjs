// wasm.mjs MODULE TWIN EDITION...: the module and the native twin give the same answers to the same questions.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { load } from './module.mjs';

const [module, twin, ...editions] = process.argv.slice(2);
const corpus = new URL('data/fuzz/edition/', import.meta.url).pathname;
const ask = load(module);
const questions = ['names'];

for (const name of readdirSync(corpus).sort())
    questions.push(`read ${corpus}${name}`);
for (const edition of editions) {
    questions.push(`read ${edition}`, 'write');
    questions.push('sheet 0 0 7 0', 'sheet 5 1 7 1', 'sheet 7 0 7 0', 'sheet 1 1 6 0', 'sheet 2 0 6 0');
    for (const name of ['plain-2.pyr', 'fair-3.pyr'])                // one without a fair shuffle, one with
        questions.push(`verify ${new URL(`data/${name}`, import.meta.url).pathname}`);
    for (const day of ['1 2026-11-18 -', `0 2026-11-18 ${'0f'.repeat(32)}`, `0 2026-11-18 ${'0F'.repeat(32)}`,
        '1 2026-02-30 -'])
        questions.push(`daily ${day}`);                              // the last two are refused
    for (let players = 1; players <= 5; players++)               // 1 and 5 are refused
        for (const playouts of [0, 1])
            for (const [seed, games] of [[players * 11, 500], ['18446744073709551615', 20]])
                questions.push(`games ${seed} ${players} ${games} ${playouts}`);
    for (const [seed, players, played, depth] of [[1, 2, 0, 4], [2, 4, 0, 4], [3, 2, 60, 3], [4, 3, 40, 3], [5, 4, 30, 3],
        [6, 4, 100, 3], [7, 2, 9999, 3]])
        questions.push(`perft ${seed} ${players} ${played} ${depth}`);
    for (const bot of ask('names').split(' '))
        for (const [seed, others] of [[1, 'random'], [2, 'greedy'], [3, 'greedy random greedy']])
            questions.push(`bots ${seed} 40 ${bot} ${others}`);
    questions.push('bots 1 40 nobody random', 'bots 1 40 random');   // refused
}

const native = spawnSync(twin, { input: questions.join('\n') + '\n', encoding: 'utf8' });
if (native.status !== 0) {
    console.log(`the native twin stopped: ${native.error ?? native.stdout + native.stderr}`);
    process.exit(1);
}
const answers = native.stdout.trimEnd().split('\n');
let different = 0;
questions.forEach((question, i) => {
    const answer = ask(question);
    if (answer === answers[i])
        return;
    console.log(`${question}\n  native ${answers[i]}\n  wasm   ${answer}`);
    different++;
});

// Playouts and games played step by step are the same games.
questions.forEach((question, i) => {
    const playouts = questions.indexOf(question.replace(/^(games .*) 0$/, '$1 1'));
    if (answers[i] !== answers[playouts]) {
        console.log(`${question}: playouts end otherwise`);
        different++;
    }
});
console.log(`${questions.length} questions, ${different} answered differently`);
process.exit(different ? 1 : 0);
