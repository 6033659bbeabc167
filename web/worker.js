/**
 * worker.js: long computations. Choices of bots, hints and the analysis of games take from milliseconds to seconds;
 * here they do not block the page, and the page terminates the worker when it no longer needs the answer.
 */
import { Core } from './core.js';

/** @type {Core | null} */
let core = null;

/** Makes a first result with few playouts, unless there is one already (quick: 0), then the full result; refined choices
 * are reported once per second. @param {Core} core
 * @param {{record: string, quick: number, playouts: number, seed: number}} job
 * @param {(done: number, part?: Partial<import('./core.js').Judged>) => void} progress */
function analyse(core, job, progress) {
    const fault = core.load(job.record);
    if (fault)
        throw new Error(`record line ${fault.line}`);
    let at = Date.now();
    if (job.quick) {
        // The page redraws the whole replay for each report: more reports would block a slow device.
        const rough = core.analyse(job.quick, BigInt(job.seed), (done) => {
            if (Date.now() - at < 250)
                return;
            at = Date.now();
            progress(done);
        });
        progress(0, rough);
    }
    return core.analyse(job.playouts, BigInt(job.seed), (done, { decisions }) => {
        if (Date.now() - at < 1000)
            return;
        at = Date.now();
        progress(done, { decisions });
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
            answer = analyse(core, job, (done, part) => self.postMessage({ id, done, part }));
        }
        self.postMessage({ id, answer });
    } catch (error) {
        self.postMessage({ id, error: String(error) });
    }
};
