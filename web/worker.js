/**
 * worker.js: thinks. Choices of bots, hints and the analysis of games take from milliseconds to seconds; here they do not disturb the page,
 * and the page ends the worker when it no longer wants the answer.
 */
import { Core } from './core.js';

/** @type {Core | null} */
let core = null;

/** As in `pyramids analyze`. */
const SEED = 1n;

/** @param {Core} core @param {string} record @param {number} playouts @param {(done: number) => void} progress */
function analyse(core, record, playouts, progress) {
    const fault = core.load(record);
    if (fault)
        throw new Error(`record line ${fault.line}`);
    let told = 0;
    return core.analyse(playouts, SEED, (done) => {
        if (done - told > .02)
            progress(told = done);
    });
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
