/** thinker.js: the page's side of worker.js: requests and answers, one after the other; `stop` drops all of them at
 * once. */

/** @typedef {import('./core.js').Core} Core */

export class Thinker {
    /** @param {Core} core whose module and edition are used */
    constructor(core) {
        this.core = core;
        /** @type {Worker | null} */
        this.worker = null;
        /** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void, progress?: (done: number,
         * part?: any) => void}>} */
        this.open = new Map();
        this.last = 0;
    }

    /** @param {object} job see worker.js @param {(done: number, part?: any) => void} [progress] @returns {Promise<any>}
     * never settled if stopped */
    ask(job, progress) {
        if (!('Worker' in globalThis))
            return Promise.reject(new Error('no worker'));
        if (!this.worker) {
            this.worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
            // The worker could not be fetched: requests fail now, and the next one tries again.
            this.worker.onerror = () => {
                const open = [...this.open.values()];
                this.stop();
                for (const { reject } of open)
                    reject(new Error('no worker'));
            };
            this.worker.onmessage = ({ data }) => {
                const asked = this.open.get(data.id);
                if (data.done !== undefined) {
                    asked?.progress?.(data.done, data.part);
                    return;
                }
                this.open.delete(data.id);
                if (data.error)
                    asked?.reject(new Error(data.error));
                else
                    asked?.resolve(data.answer);
            };
        }
        const id = ++this.last;
        this.worker.postMessage({ id, module: this.core.module, edition: this.core.edition.text, job });
        return new Promise((resolve, reject) => this.open.set(id, { resolve, reject, progress }));
    }

    stop() {
        this.worker?.terminate();
        this.worker = null;
        this.open.clear();
    }
}

/** A seed that cannot be guessed. */
export function randomSeed() {
    return crypto.getRandomValues(new BigUint64Array(1))[0];
}
