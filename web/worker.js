/**
 * worker.js: thinks. Choices of bots, hints and the analysis of games take from milliseconds to seconds; here they do not disturb the page,
 * and the page ends the worker when it no longer wants the answer.
 */
import { Core, MARKS } from './core.js';

/** @typedef {import('./core.js').Option} Option */
/** @typedef {import('./core.js').Outlook} Outlook */
/**
 * @typedef {object} Judged a whole game, judged
 * @property {{line: number, seat: number, options: Option[], lost: number, winLost: number, mark: string, gained: number}[]} decisions
 * @property {{line: number, after: Outlook, luck: number[]}[]} chances
 * @property {{points: number, luck: number, skill: number, lost: number, rate: number}[]} sums
 */

/** @type {Core | null} */
let core = null;

/** The choice of a decision line, as options are written. @param {string} line */
function choiceOf(line) {
    const [word, , ...rest] = line.split(' ');
    return word === 'take' ? `take ${rest[0]}` : word === 'draw' ? 'draw' : rest.join(' ');
}

/** @param {Core} core @param {string} record @param {number} playouts @param {(done: number) => void} progress @returns {Judged} */
function analyse(core, record, playouts, progress) {
    const fault = core.load(record);
    if (fault)
        throw new Error(`record line ${fault.line}`);
    const lines = core.lines(), seats = core.seats();
    /** @type {Judged} */
    const judged = { decisions: [], chances: [], sums: [] };
    let phase = 0;               // where the decisions that are made at once began
    lines.forEach((line, i) => {
        const [word, seatText] = line.split(' '), seat = Number(seatText) - 1;
        if (i % 8 === 0)
            progress(i / lines.length);
        if (word === 'deal' && seat !== seats - 1)
            return;
        if (['deal', 'show', 'reveal', 'draw'].includes(word)) {
            const { after, luck } = core.judgeLine(i, playouts / 4 | 0, BigInt(i));
            if (luck)
                judged.chances.push({ line: i, after, luck: luck.points });
        }
        if (!['keep', 'mark', 'take', 'draw'].includes(word))
            return;
        if (!['keep', 'mark'].includes(word) || !lines[i - 1].startsWith(word))
            phase = i;
        const options = core.options(phase, seat, playouts, BigInt(i), choiceOf(line));
        const best = options[0], made = options.find((o) => o.made), usual = options.find((o) => o.usual);
        if (!best || !made)
            return;
        const lost = made === best ? 0 : Math.max(0, best.points - made.points), winLost = made === best ? 0 : Math.max(0, best.win - made.win);
        const mark = MARKS.find(([, p, w]) => (lost >= p && lost > made.pointsMargin) || (winLost >= w && winLost > made.winMargin));
        judged.decisions.push({ line: i, seat, options: [...new Set([...options.slice(0, 3), made])], lost, winLost, mark: mark ? mark[0] : '',
            gained: usual ? made.points - usual.points : 0 });
    });
    const end = core.view(-1);
    for (let s = 0; s < seats; s++) {
        const luck = judged.chances.reduce((sum, c) => sum + c.luck[s], 0), points = end ? end.scores[s].total : 0;
        const mine = judged.decisions.filter((d) => d.seat === s), lost = mine.reduce((sum, d) => sum + d.lost, 0);
        judged.sums.push({ points, luck, skill: points - luck, lost, rate: mine.length ? lost / mine.length : 0 });
    }
    return judged;
}

self.onmessage = ({ data }) => {
    const { id, module, edition, job } = data;
    try {
        core ??= new Core(module);
        if (core.edition.text !== edition)
            core.readEdition(edition);
        /** @type {unknown} */
        let answer;
        if (job.kind === 'choice') {
            const fault = core.load(job.record, job.seat);
            if (fault)
                throw new Error(`view line ${fault.line}`);
            answer = core.botChoice(job.level, job.seat, job.nodes ?? 0, BigInt(job.seed));
        } else if (job.kind === 'options') {
            const fault = core.load(job.record, job.seat);
            if (fault)
                throw new Error(`view line ${fault.line}`);
            answer = core.options(core.lines().length, job.seat, job.playouts, BigInt(job.seed));
        } else {
            answer = analyse(core, job.record, job.playouts, (done) => self.postMessage({ id, done }));
        }
        self.postMessage({ id, answer });
    } catch (error) {
        self.postMessage({ id, error: String(error) });
    }
};
