// core.mjs SITE PROGRAM: compares core.js with records and analyses of the command; lessons; QR codes against an
// independent reader.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jsQR from 'jsqr';
import { done, equal, test, truth } from './check.mjs';
import { newCore, playOut } from './games.mjs';
import { LESSONS } from '../../web/lessons.js';
import { qrModules } from '../../web/qr.js';
import { padTotal } from '../../web/padtotal.js';
import { formOf } from '../../web/draw.js';
import { MARKS, dealAnew, markStep, spaceName, spacesOf } from '../../web/core.js';
import { LUCK } from '../../web/codes.js';
import { Aim } from '../../web/aim.js';
import { Analysis, costNumbers, gameKey, keptAnalysis, markWords, turningPoints } from '../../web/analysis.js';
import { Html, html, sentence } from '../../web/html.js';
import { logEntries } from '../../web/words.js';

const [site, program] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'pyramids-'));
const run = (...words) => execFileSync(program, words, { encoding: 'utf8' });
const core = newCore(site);

await test('records of the command load, with the same scores and winners', () => {
    const files = [2, 3, 4].flatMap((players) => {
        const to = join(folder, String(players));
        run('sim', '--bots', Array(players).fill('greedy').join(), '--games', '2', '--seed', String(players), '--records',
            to);
        return readdirSync(to).map((name) => join(String(players), name));
    });
    truth(files.length === 6, 'records were written');
    for (const name of files) {
        const text = readFileSync(join(folder, name), 'utf8');
        equal(core.load(text), null, name);
        const view = core.view(-1), winners = core.winners();
        for (const line of text.split('\n').filter((l) => l.startsWith('score '))) {
            const [, seat, total, , pyramids, , torches, , points, , gems, , skulls] = line.split(' ').map(Number);
            equal(view.scores[seat - 1], { total, pyramids, torches, points, gems, skulls }, line);
            // The score pad computes the same.
            const d = view.desks[seat - 1], colours = ['green', 'orange',
                'purple'].map((k) => d.done.filter((n) => core.edition.cards[n].colour === k).length);
            const sheets = view.desks.map(() => ({ name: '', done: colours, rubies: d.rubies, emeralds: d.emeralds,
                torches: d.torches, skulls: d.skulls }));
            equal(padTotal({ sheets, tiles: view.tiles }, seat - 1, core.edition.skulls), total, 'score pad');
        }
        equal(winners.map((s) => s + 1), text.match(/^winner (.*)$/m)[1].split(' ').map(Number), 'winners');
        equal(core.log(), text, 'the log is the text');
    }
});

await test('legal placements and reasons agree', () => {
    playOut(core, 2, 3, (v) => v.phase === 'mark' && v.round === 1 && v.turn === 2);
    const steps = core.steps(0).filter((s) => s.kind === 'mark'), legal = new Set(steps.map((s) => String(s.step)));
    truth(steps.length > 4, 'there are placements');
    for (const slot of [0, 1])
        for (let i = 0; i < 25; i++) {
            const step = markStep(slot, [i]);
            equal(core.judge(0, step) === 0, legal.has(String(step)), `${slot} ${spaceName(i)}`);
        }
    for (const s of steps) {
        const preview = core.preview(0, s.step);
        equal(core.step(0, s.step), 0);
        const after = core.view(0);
        equal(preview.desk, after.desks[0], 'preview');
        equal(preview.score, after.scores[0], 'preview');
        core.undo(0);
    }
    const text = run('legal', record(core.log()), '--seat', '1').trim().split('\n');
    const first = new Set(text.map((t) => t.split('+')[0]));
    const mine = new Set(steps.map((s) => `${core.view(0).desks[0].slots[s.slot].card}:${s.cells.map(spaceName).join('')}`));
    equal([...mine].sort(), [...first].sort(), 'the command lists the same');
});

function record(text) {
    const path = join(folder, 'now.pyr');
    writeFileSync(path, text);
    return path;
}

await test('hints are those of the command', () => {
    const list = JSON.parse(run('hint', record(core.log()), '--seat', '1', '--top', '3', '--playouts', '2000', '--seed', '5',
        '--json'));
    const mine = core.options(core.lines().length, 0, 2000, 5n);
    list.forEach((o, i) => equal([o.choice, o.win.toFixed(3), o.points.toFixed(1)],
        [mine[i].choice, mine[i].win.toFixed(3), mine[i].points.toFixed(1)]));
});

await test('the analysis judges the choice that was made, not another', () => {
    const game = playOut(newCore(site), 3, 11), lines = game.lines();
    let phase = 0, takes = 0;
    lines.forEach((line, i) => {
        const [word, seat, ...rest] = line.split(' '), made = { take: `take ${rest[0]}`, draw: 'draw', mark: rest[0],
            keep: rest.join(' ') }[word];
        if (!made)
            return;
        if (!['keep', 'mark'].includes(word) || !lines[i - 1].startsWith(word))
            phase = i;
        takes += word === 'take' ? 1 : 0;
        equal(game.options(phase, Number(seat) - 1, 1, 1n, made).filter((o) => o.made).map((o) => o.choice), [made], line);
    });
    truth(takes > 5, 'cards were taken from the display');
});

await test('luck and skill are those of the command', () => {
    for (const [players, cap] of [[2, 1024], [4, 120]]) {
        const game = playOut(newCore(site), players, 11 + players);
        const theirs = JSON.parse(run('analyze', record(game.log()), '--playouts', String(cap), '--json')),
            mine = game.analyse(cap, BigInt(LUCK.seed));
        truth(theirs.decisions.length > 50 && theirs.chance.length > 28, 'a whole game');
        // The command rounds its output; there must be no other difference.
        const near = (a, b, digits, what) => truth(Math.abs(a - b) <= .5000001 * 10 ** -digits, `${what}: ${a} is not ${b}`);
        equal(mine.decisions.map((d) => [d.line + 1, d.seat + 1, d.options.find((o) => o.made).choice, d.options[0].choice,
            d.mark]),
            theirs.decisions.map((d) => [d.line, d.seat, d.made, d.best[0].choice, d.mark]), 'decisions');
        equal(mine.decisions.map((d) => [d.mildest, d.worst, d.exact ? 'exact' : d.sure ? 'sure' : 'unsure', d.playouts]),
            theirs.decisions.map((d) => [d.mildest, d.worst, d.state, d.playouts]), 'how certain they are');
        equal(mine.chances.map((c) => c.line + 1), theirs.chance.map((c) => c.line), 'chance');
        equal(mine.sums.map((s) => [s.points, s.level]), theirs.players.map((s) => [s.points, s.class]), 'sums');
        theirs.decisions.forEach((d, i) => {
            near(mine.decisions[i].lost, d.points_lost, 2, `line ${d.line}`);
            near(mine.decisions[i].winLost, d.win_lost, 4, `line ${d.line}`);
            near(mine.decisions[i].gained, d.points_gained, 2, `line ${d.line}`);
            near(mine.decisions[i].margin, d.points_margin, 2, `line ${d.line}`);
            near(mine.decisions[i].winMargin, d.win_margin, 4, `line ${d.line}`);
        });
        theirs.chance.forEach((c, i) => c.points_luck.forEach((n, s) => near(mine.chances[i].luck[s], n, 2,
            `line ${c.line}`)));
        theirs.players.forEach((p, s) => {
            near(mine.sums[s].luck, p.luck, 2, 'luck');
            near(mine.sums[s].skill, p.skill, 2, 'skill');
            near(mine.sums[s].lost, p.lost, 2, 'lost');
            near(mine.sums[s].rate, p.error_rate, 4, 'rate');
            near(mine.sums[s].luckMargin, p.luck_margin, 2, 'margin of luck');
            near(mine.sums[s].rateMargin, p.error_rate_margin, 4, 'margin of the rate');
        });
    }
});

/** A browser's storage with a limited size in characters. */
class Storage {
    constructor(room = Infinity) { Object.assign(this, { room, map: new Map() }); }

    getItem(key) { return this.map.get(key) ?? null; }

    removeItem(key) { this.map.delete(key); }

    setItem(key, text) {
        if (text.length > this.room)
            throw new Error('QuotaExceededError');
        this.map.set(key, text);
    }
}

/** Workers that answer when the test wants it. */
class Worker {
    static all = [];

    constructor() { Worker.all.push(this); }

    postMessage(message) { this.asked = message; }

    terminate() {
        this.ended = true;
        this.whenEnded?.();
    }

    answer(data) { this.onmessage({ data: { id: this.asked.id, ...data } }); }
}

await test('a game has one analysis: first rough, then refined, then kept', async () => {
    const { localStorage: storage, Worker: worker } = globalThis;
    Object.assign(globalThis, { localStorage: new Storage(), Worker });
    const game = playOut(newCore(site), 2, 21), log = game.log(), key = gameKey(log.split('\n').filter(Boolean));
    const told = [], also = [];
    const rough = game.analyse(10, 1n), fine = game.analyse(20, 1n), note = (list) => (p) => list.push({ ...p });
    const isKept = (record) => keptAnalysis(gameKey(record.split('\n').filter(Boolean))) !== null;
    equal(isKept(log), false);
    // The lines that an analysis refers to are those of the record, whatever its tags and names are.
    const tagged = /** @param {string} tag */ (tag) => gameKey(log.trim().replace('\ndeal', `\ntag ${tag}\ndeal`)
        .split('\n'));
    truth(tagged('bot 1 club') === tagged('date 2026') && tagged('bot 1 club') !== key, 'a line more is another numbering');
    equal(gameKey(log.replace(/^player 1 .*/m, 'player 1 Zoë').trim().split('\n')), key, 'names');
    const analysis = new Analysis(game, log, note(told));
    equal([Worker.all.length, told.length], [1, 0], 'nothing to show yet');
    const [first] = Worker.all;
    equal([first.asked.job.quick, first.asked.job.playouts, first.asked.job.seed], [LUCK.quick, LUCK.cap, LUCK.seed]);
    first.answer({ done: .5 });
    equal([told[0].judged, told[0].done, told[0].refining], [null, .5, true]);
    first.answer({ done: 0, part: rough });
    equal(told[1].judged.decisions.length, rough.decisions.length, 'the first result');
    equal(keptAnalysis(key).done, false, 'it is kept as such');
    // Another view of the same game, with other names, uses the same analysis; a view that is left does not end it.
    const renamed = log.replace('player 1 Ana', 'player 1 Someone').replaceAll('tag ', 'tag x');
    const other = new Analysis(game, renamed, note(also));
    equal([Worker.all.length, also.length], [1, 1], 'one worker for both, shown at once');
    analysis.stop();
    first.answer({ done: .1, part: { decisions: fine.decisions.slice(0, 7) } });
    equal([told.length, also.length], [2, 2]);
    equal(also[1].judged.decisions.map((d) => d.lost),
        [...fine.decisions.slice(0, 7), ...rough.decisions.slice(7)].map((d) => d.lost), 'choice by choice');
    equal(also[1].judged.sums, rough.sums, 'the sums are those of the first result until all is done');
    first.answer({ answer: fine });
    await Promise.resolve();
    await new Promise((go) => { setTimeout(go); });
    equal([also.at(-1).refining, also.at(-1).judged.sums, first.ended], [false, fine.sums, true]);
    other.stop();
    // Cached: a worker is no longer needed.
    const later = [];
    new Analysis(game, log, note(later)).stop();
    equal([Worker.all.length, later.length, later[0].refining], [1, 1, false]);
    equal(later[0].judged.decisions.map((d) => [d.line, d.mark, d.sure]),
        fine.decisions.map((d) => [d.line, d.mark, d.sure]));
    truth(localStorage.getItem(`pyramids.analysis.${key}`).length < 60000, 'it is small');
    // A first result from an earlier visit is shown at once, and only refined. If storage is full, only time is lost.
    const second = playOut(newCore(site), 2, 22), parts = [];
    globalThis.localStorage = new Storage(100);
    new Analysis(second, second.log(), note(parts));
    Worker.all[1].answer({ done: 0, part: second.analyse(10, 1n) });
    equal([parts.length, isKept(second.log())], [1, true]);
    Worker.all[1].onerror();
    await new Promise((go) => { setTimeout(go); });
    equal([parts.at(-1).refining, parts.at(-1).failed], [false, false], 'the first result stays');
    new Analysis(second, second.log(), note(parts));
    const { refining, judged } = parts.at(-1);
    equal([Worker.all[2].asked.job.quick, refining, judged.decisions.length > 50], [0, true, true]);
    // Without a view it pauses, and its results so far are used the next time.
    globalThis.localStorage = new Storage();
    Analysis.grace = 0;
    const third = playOut(newCore(site), 2, 24), left = new Analysis(third, third.log(), () => 0), last = Worker.all[3];
    last.answer({ done: 0, part: third.analyse(10, 1n) });
    left.stop();
    await new Promise((ended) => { last.whenEnded = ended; });
    equal([isKept(third.log()), keptAnalysis(gameKey(third.log().split('\n').filter(Boolean))).done], [true, false]);
    Object.assign(globalThis, { localStorage: storage, Worker: worker });
});

await test('words for a mark and its cost do not contradict the legend', () => {
    const judged = playOut(newCore(site), 2, 23, undefined, 'novice').analyse(1024, 1n);
    for (const d of judged.decisions) {
        const { points, win } = costNumbers(d), [p, w] = [points, win].map(parseFloat);
        equal(MARKS.find(([, least, chance]) => p >= least || w >= 100 * chance)?.[0] ?? '', d.mark, JSON.stringify(d));
        equal([points.includes('±'), / or | to /.test(markWords(d))], [!d.sure, !d.sure && d.mark !== '']);
    }
    const worst = turningPoints(judged), most = Math.max(...judged.decisions.map((d) => d.winLost));
    truth(worst.length === 4 && worst.some((d) => d.winLost === most), 'the worst move is one');
});

await test('the thresholds of the page are those of the command', () => {
    const { thresholds } = JSON.parse(run('analyze', record(playOut(newCore(site), 2, 5).log()), '--playouts', '100',
        '--json'));
    equal(Object.fromEntries(MARKS.map(([sign, points, win]) => [sign, { points, win }]).reverse()), thresholds);
});

await test('what a tap places: the turn that is nearest, a quarter costs one and mirroring two; then the nearest place',
    () => {
    const turn = (cells, q, m) => {
        let at = cells.map(([x, y]) => m ? [-x, y] : [x, y]);
        for (let i = 0; i < q; i++)
            at = at.map(([x, y]) => [-y, x]);
        const x0 = Math.min(...at.map(([x]) => x)), y0 = Math.min(...at.map(([, y]) => y));
        return at.map(([x, y]) => `${x - x0},${y - y0}`).sort().join(' ');
    };
    const far = (cells, k) => Math.hypot(cells.reduce((n, i) => n + i % 5, 0) / cells.length - k % 5,
        cells.reduce((n, i) => n + (i / 5 | 0), 0) / cells.length - (k / 5 | 0));
    let mirrored = 0, compared = 0;
    for (let seed = 1; seed <= 30; seed++) {
        const game = playOut(newCore(site), 2, seed, (v) => v.phase === 'mark' && v.turn === seed % 4), view = game.view(0),
            aim = new Aim(game, 0, view);
        const pattern = game.edition.patterns[view.revealed[view.turn]],
            drawn = pattern.rows.flatMap((row, y) => [...row].flatMap((c, x) => c === 'X' ? [[x, y]] : []));
        for (const [q0, m0] of [[0, 0], [1, 0], [2, 1], [3, 1]]) {
            [aim.quarters, aim.mirror] = [q0, m0];
            const cost = ({ cells }) => Math.min(...[0, 1, 2, 3].flatMap((q) =>
                [0, 1].map((m) => turn(drawn, q, m) === turn(cells.map((i) => [i % 5, i / 5 | 0]), 0, 0) ?
                Math.min((q - q0 + 4) % 4, (q0 - q + 4) % 4) + (m === m0 ? 0 : 2) : 99)));
            for (let k = 0; k < 50; k++) {
                const list = aim.covering(k / 25 | 0, k % 25).filter((p) => p.cells.length > 1),
                    ranks = list.map((p) => 100 * cost(p) + far(p.cells, k % 25));
                truth(ranks.every((r) => r < 9900), 'every placement is the pattern, turned');
                truth(ranks.every((r, i) => !i || r >= ranks[i - 1] - 1e-9),
                    `seed ${seed}, turn ${q0} ${m0}, space ${k}: ${ranks}`);
                compared += list.length > 1 ? 1 : 0;
                mirrored += new Set(list.map(cost)).size > 1 ? 1 : 0;
            }
        }
    }
    truth(compared > 200 && mirrored > 100, `there was something to choose: ${compared}, ${mirrored}`);
});

await test('placements that cover a space, and painting, as the page has them', () => {
    const game = newCore(site), bits = (cells) => cells.reduce((sum, c) => sum | 1 << (c / 5 | 0) * 6 + c % 5, 0);
    let lists = 0, strokes = 0;
    for (const [round, turn] of [[0, 1], [0, 4], [1, 0], [1, 3], [2, 2], [2, 6]]) {
        playOut(game, 2, 20 + turn, (v) => v.phase === 'mark' && v.round === round && v.turn === turn);
        const view = game.view(0), list = (count) => [...new BigUint64Array(game.x.memory.buffer, game.x.step_list(),
            count)];
        for (let held = 0; held < 8; held++)
            for (const one of [false, true])
                for (let at = 0; at < 50; at++) {
                    const aim = new Aim(game, 0, view), slot = at / 25 | 0, cell = at % 25;
                    [aim.quarters, aim.mirror, aim.one] = [held & 3, held >> 2, aim.one || one];
                    const theirs = aim.covering(slot, cell), mine = list(game.x.aim_covering(0, held, aim.one ? 1 : 0, slot,
                        cell));
                    equal([...mine].sort(), theirs.map((p) => p.step).sort(), `placements over ${at}`);
                    // Their order is that of the page, except for ties that its fractions do not show.
                    const far = mine.map((step) => {
                        const { cells } = theirs.find((p) => p.step === step), n = cells.length;
                        return n === 1 ? 1e9 : aim.apart(formOf(cells)).far * 100
                            + Math.hypot(cells.reduce((a, c) => a + c % 5, 0) / n - cell % 5, cells.reduce((a,
                                c) => a + (c / 5 | 0), 0) / n - (cell / 5 | 0));
                    });
                    truth(far.every((f, i) => !i || f > far[i - 1] - 1e-9), `the order over ${at}`);
                    lists += mine.length > 1 ? 1 : 0;
                    // Painting continues from there: two more spaces, near and far.
                    for (const next of [cell, (cell + 1) % 25, (cell + 12) % 25]) {
                        const painted = aim.paintedOn === slot ? bits(aim.painted) : 0;
                        aim.paint(slot, next);
                        equal(game.x.aim_paint(0, held, aim.one ? 1 : 0, slot, painted, next), bits(aim.painted),
                            `painted ${next}`);
                        equal(list(1)[0], aim.hover.bad ? 0n : aim.hover.step, `what ${next} marks`);
                        strokes += aim.hover.bad ? 0 : 1;
                    }
                }
    }
    truth(lists > 100 && strokes > 500, `${lists} lists, ${strokes} strokes`);
});

await test('a seat sees nothing that is hidden', () => {
    playOut(core, 3, 9, (v) => v.phase === 'mark' && v.round === 0 && v.turn === 1);
    core.step(1, core.steps(1)[0].step);
    const deals = core.visibleLog(0).match(/^deal .*/gm);
    equal(deals.length, 1);
    truth(deals[0].startsWith('deal 1 '), 'its own deal');
    equal(core.view(0).desks[1], core.viewAt(core.lines().length, 0).desks[1], 'no step of another');
    const other = core.fork();
    equal(other.load(core.visibleLog(0), 0), null);
    equal(other.view(0), core.view(0));
});

await test('what a seat has seen goes on as a whole game, with the rest drawn anew', () => {
    const phases = { keep: (v) => v.phase === 'keep', mark: (v) => v.phase === 'mark' && v.round === 1,
        replace: (v) => v.phase === 'replace' };
    const bot = core.fork(), copy = core.fork();
    for (const [phase, stop] of Object.entries(phases))
        for (const [players, seat] of [[2, 1], [4, 2]]) {
            let seed = 7 * players;
            const random = (below) => (seed = seed * 48271 % 2147483647) % below;
            playOut(core, players, 5 * players, stop, 'greedy');
            equal(core.view(seat).phase, phase, 'the position');
            const seen = core.visibleLog(seat).trimEnd().split('\n'), whole = dealAnew(seen, random),
                other = dealAnew(seen, random);
            equal(whole.filter((l) => !l.startsWith('deal')), seen.filter((l) => !l.startsWith('deal')), 'what was seen');
            equal(whole.filter((l) => l.startsWith(`deal ${seat + 1} `)), seen.filter((l) => l.startsWith('deal')),
                'its own deal');
            truth(whole.join() !== other.join(), 'others are drawn');
            const dealt = whole.filter((l) => l.startsWith('deal')).flatMap((l) => l.split(' ').slice(2));
            equal([dealt.length, new Set(dealt).size], [4 * players, 4 * players], 'no card twice');
            equal(copy.load(whole.join('\n') + '\n'), null, 'a record');
            equal(copy.view(seat), core.view(seat), 'the same view');
            copy.shuffle(BigInt(seed));
            for (let n = 1n; !copy.isOver(); n++)
                for (let s = 0; s < players; s++)
                    if (copy.isWaiting(s)) {
                        bot.load(copy.visibleLog(s), s);
                        equal(copy.choose(s, bot.botChoice('greedy', s, 0, n)), null, 'a choice');
                        copy.confirm(s);
                    }
            equal(bot.load(copy.log()), null, 'a whole game');
        }
});

await test('the fair shuffle is checked, and what was tampered with is found', () => {
    const plain = core.fork(), data = (name) => readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8'),
        record = data('fair-3.pyr');
    equal(plain.readEdition(data('plain.edition')), null);
    const drawn = record.match(/^(deal|show|reveal|draw) /gm).length, lines = record.split('\n');
    equal(plain.verify(record), { code: 0, line: 0, compared: drawn });
    const last = lines.findLastIndex((l) => l.startsWith('reveal')), [, pattern] = lines[last].split(' ');
    lines[last] = `reveal ${plain.edition.patterns.find((p) => p.name !== pattern).name}`;
    equal([plain.verify(lines.join('\n')).code, plain.verify(lines.join('\n')).line], [12, last + 1], 'another card');
    equal(plain.verify(record.replace(/^(tag secret .*)f$/m, '$10')).code, 11, 'another secret');
    equal(plain.verify(record.replace(/^tag number 3 4/m, 'tag number 3 5')).code, 12, 'another number');
    equal(plain.verify(data('plain-2.pyr')).code, 2, 'no promise');
});

await test('lessons load and wait for a mark', () => {
    for (const [name, text] of Object.entries(LESSONS)) {
        equal(core.load(text), null, name);
        equal(core.view(0).phase, 'mark', name);
        truth(core.isWaiting(0), name);
    }
});

await test('faults have their line', () => {
    const lines = playOut(core, 2, 1).lines();
    const at = lines.findIndex((l) => l.startsWith('mark 2'));
    const fault = core.load([...lines.slice(0, at), 'mark 2 17:a1', ...lines.slice(at + 1)].join('\n'));
    equal(fault.line, at + 1);
    equal(core.load('hello\n').code, -397);
    equal(spacesOf('a1e5'), [0, 24]);
    equal(core.readEdition('pyramids-edition 1\nname x y\n').line, 2);
});

await test('QR codes are read back', () => {
    for (let n = 1; n <= 213; n += 7) {
        const text = 'https://example.org/#table/K7QXMWRT/2/'.padEnd(n, 'pR4xYz09').slice(0, n);
        const grid = qrModules(text), scale = 4, quiet = 4, size = (grid.length + 2 * quiet) * scale;
        const data = new Uint8ClampedArray(size * size * 4).fill(255);
        for (let y = 0; y < size; y++)
            for (let x = 0; x < size; x++)
                if (grid[(y / scale | 0) - quiet]?.[(x / scale | 0) - quiet])
                    data.fill(0, 4 * (y * size + x), 4 * (y * size + x) + 3);
        equal(jsQR(data, size, size)?.data, text, `${n} bytes`);
    }
    equal(qrModules('x'.repeat(214)), null);
});

await test('the log is the story that the terminal tells, word for word', () => {
    const data = /** @param {string} name */ (name) => readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8');
    const other = newCore(site);
    equal(other.readEdition(data('plain.edition')), null);
    const lines = data('plain-2.pyr').trim().split('\n').map((l) => l.replace(/^(player 1) .*/, '$1 Ana').replace(
        /^(player 2) .*/, '$1 Ben'));
    const said = logEntries(other, lines).filter((e) => !lines[e.line].startsWith('winner')).map((e) => e.text);
    equal(said, data('story.txt').split('\n').filter((l) => l && !l.startsWith('New in the display')));
    equal(other.story('mark 1 99:z9'), [], 'no line of a record');
});

await test('text in HTML is escaped wherever it stands', () => {
    const name = '<img src=x onerror="alert(1)">&\'', safe = '&#60;img src=x onerror=&#34;alert(1)&#34;&#62;&#38;&#39;';
    equal(html`<b title="${name}">${name}</b>`.text, `<b title="${safe}">${safe}</b>`);
    equal(html`<ul>${[name, html`<li>${name}</li>`]}${null}${undefined}${0}${false}</ul>`.text,
        `<ul>${safe}<li>${safe}</li>0false</ul>`);
    equal(sentence((hold) => `${hold(html`<b>${name}</b>`)} & ${name}`).text, `<b>${safe}</b> &#38; ${safe}`);
    truth(html`x` instanceof Html, 'what put() takes');
    // A name in the log, where a sentence is made by a translator.
    const lines = playOut(core, 2, 1).lines().map((l) => l.startsWith('player 1 ') ? `player 1 ${name}` : l);
    const said = logEntries(core, lines).filter((e) => e.seat === 0);
    truth(said.length > 20 && said.every((e) => !e.html.text.includes('<img') && e.text.includes('<img')),
        said[0]?.html.text);
});

rmSync(folder, { recursive: true });
done();
