/**
 * analysis.js: the analysis of a game, shared by all views that show it. It is read from storage, or made in a
 * worker: a first result within seconds, then refined until every mark is certain or the cap of luck.h is reached;
 * then it is stored. The numbers are those of `pyramids analyze` and of the server's report, as the C core computes
 * all of them and the seeds follow from the record.
 */
import { _, number } from './i18n.js';
import { LUCK } from './codes.js';
import { Thinker } from './thinker.js';

/** @typedef {import('./core.js').Core} Core */
/** @typedef {import('./core.js').Judged} Judged */
/** @typedef {import('./core.js').Decision} Decision */

/** Changes when numbers get another meaning: then stored analyses are made again. */
const VERSION = 1;
const MOST = 20;                             // analyses kept; one takes 20 to 60 KB
const LIST = 'pyramids.analyses', ONE = 'pyramids.analysis.';

/** A key for a game, made from its cards and choices; names and the content of tags do not count. The position of tags
 * does, since an analysis refers to lines of the record. @param {string[]} lines */
export function gameKey(lines) {
    let a = 0x811c9dc5, b = 0x9747b28c;
    const counted = lines.filter((l) => !/^(player|pyramids-record)/.test(l)).map((l) => l.replace(/^tag .*/, ''));
    for (const c of counted.join('\n')) {
        const code = c.codePointAt(0) ?? 0;
        a = Math.imul(a ^ code, 0x01000193);
        b = Math.imul(b ^ code, 0x85ebca6b) ^ b >>> 13;
    }
    return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

/** @typedef {{version: number, done: boolean, judged: Judged}} Kept done: false for a first result */

/** Analyses that the storage refused, kept while the page is open. @type {Map<string, Kept>} */
const inMemory = new Map();

/** @returns {string[]} newest first */
function listed() {
    try {
        const list = JSON.parse(localStorage.getItem(LIST) ?? '[]');
        return Array.isArray(list) ? list.filter((k) => typeof k === 'string') : [];
    } catch {
        return [];
    }
}

/** An analysis that was kept. @param {string} key @returns {Kept | null} */
export function keptAnalysis(key) {
    try {
        const kept = JSON.parse(localStorage.getItem(ONE + key) ?? 'null');
        if (kept?.version === VERSION && Array.isArray(kept.judged?.decisions) && Array.isArray(kept.judged?.sums))
            return kept;
    } catch { /* as if there were none */ }
    return inMemory.get(key) ?? null;
}

/** The analysis of a game, if it was made already. @param {string[]} lines @returns {Judged | undefined} */
export const analysisOf = (lines) => keptAnalysis(gameKey(lines))?.judged;

/** Rounds to four decimals, more than is shown. @param {string} _key @param {unknown} value */
const shorter = (_key, value) => typeof value === 'number' ? Math.round(1e4 * value) / 1e4 : value;

/** Stores an analysis; the oldest ones are dropped to make room. Games are more important: an analysis can be made
 * again, so none is stored if storage is full. @param {string} key @param {Judged} judged @param {boolean} done */
export function keepAnalysis(key, judged, done) {
    const list = [key, ...listed().filter((k) => k !== key)], kept = { version: VERSION, done, judged };
    try {
        for (const old of list.splice(MOST))
            localStorage.removeItem(ONE + old);
        localStorage.setItem(ONE + key, JSON.stringify(kept, shorter));
        localStorage.setItem(LIST, JSON.stringify(list));
        inMemory.delete(key);
    } catch {
        inMemory.set(key, kept);
    }
}

/** @typedef {{judged: Judged | null, done: number, refining: boolean, failed: boolean}} Progress judged: null before the
 * first result; done: the share of the present pass, from 0 to 1; refining: numbers may still change */

/** One analysis in progress; it continues from one view to the next. */
class Run {
    /** @param {string} key @param {Core} core @param {string} record */
    constructor(key, core, record) {
        const kept = keptAnalysis(key);
        this.key = key;
        this.thinker = new Thinker(core);
        /** @type {Set<(progress: Progress) => void>} */
        this.listeners = new Set();
        /** @type {Progress} */
        this.state = { judged: kept?.judged ?? null, done: 0, refining: !kept?.done, failed: false };
        if (!kept?.done)
            void this.make(record, kept !== null);
    }

    /** @param {string} record @param {boolean} known the first result exists already */
    async make(record, known) {
        running.set(this.key, this);
        try {
            const judged = await this.thinker.ask({ kind: 'analyse', record, quick: known ? 0 : LUCK.quick,
                playouts: LUCK.cap,
                seed: LUCK.seed }, (done, part) => this.note(done, part));
            keepAnalysis(this.key, judged, true);
            this.tell({ judged, done: 1, refining: false });
        } catch {
            this.tell({ refining: false, failed: !this.state.judged });
        }
        running.delete(this.key);
        this.thinker.stop();                 // a worker takes memory
    }

    /** Reports progress, sometimes with results so far: first the whole rough result, then refined choices.
     * @param {number} done @param {Partial<Judged>} [part] */
    note(done, part) {
        const { judged } = this.state;
        if (part?.sums?.length) {
            const whole = /** @type {Judged} */ (part);
            keepAnalysis(this.key, whole, false);
            this.tell({ done, judged: whole });
        } else if (part?.decisions && judged) {
            const better = part.decisions;
            this.tell({ done, judged: { ...judged, decisions: [...better, ...judged.decisions.slice(better.length)] } });
        } else {
            this.tell({ done });
        }
    }

    /** Called when no view shows it, to save the battery. The result so far is stored, and refined when it is shown
     * again. */
    end() {
        if (running.get(this.key) !== this)
            return;
        running.delete(this.key);
        this.thinker.stop();
        if (this.state.judged)
            keepAnalysis(this.key, this.state.judged, false);
    }

    /** @param {Partial<Progress>} news */
    tell(news) {
        Object.assign(this.state, news);
        for (const listener of this.listeners)
            listener(this.state);
    }
}

/** By key. @type {Map<string, Run>} */
const running = new Map();

/** @param {string} record */
const keyOf = (record) => gameKey(record.split('\n').filter(Boolean));

export class Analysis {
    /** How long it continues while no view shows it, in milliseconds. */
    static grace = 5000;

    /** @param {Core} core whose module and edition are used @param {string} record the whole game
     * @param {(progress: Progress) => void} changed called whenever there is more to show, and at once if something is
     * known */
    constructor(core, record, changed) {
        const key = keyOf(record);
        this.changed = changed;
        this.run = running.get(key) ?? new Run(key, core, record);
        this.run.listeners.add(changed);
        if (this.run.state.judged)
            changed(this.run.state);
    }

    /** Stops following the analysis. */
    stop() {
        const { listeners } = this.run;
        listeners.delete(this.changed);
        setTimeout(() => {
            if (!listeners.size)
                this.run.end();
        }, Analysis.grace);
    }
}

/** The mark of a choice as it is shown: `?`; if it is not certain, `? or ??`, or `? (?! to ??)` for a wider range.
 * @param {Decision} d */
export function markWords(d) {
    if (d.sure || !d.mark)
        return d.mark;
    const { mark, mildest, worst } = d;
    return mildest === '?!' && worst === '??' ? _('%{mark} (%{mildest} to %{worst})', { mark, mildest, worst }) :
        _('%{mark} or %{other}', { mark: d.mark, other: d.mark === d.worst ? d.mildest : d.worst });
}

/** What a choice cost, in numbers that never contradict its mark; with margins if the mark is not certain.
 * @param {Decision} d @returns {{points: string, win: string}} to go before "points" and "% of the winning chances" */
export function costNumbers(d) {
    const margin = /** @param {number} n @param {number} more */ (n, more) =>
        number(n, 1) + (d.sure ? '' : ` ± ${number(more, 1)}`);
    return { points: margin(d.lost, d.margin), win: margin(100 * d.winLost, 100 * d.winMargin) };
}

/** The choices that cost most, in the order of the game. @param {Judged} judged @param {number} [most] */
export function turningPoints(judged, most = 4) {
    return judged.decisions.filter((d) => d.mark).sort((a, b) => b.winLost - a.winLost || b.lost - a.lost).slice(0, most)
        .sort((a, b) => a.line - b.line);
}

/** How reliable the numbers are. @param {Judged} judged @param {boolean} refining */
export function trustWords(judged, refining) {
    const margin = Math.max(...judged.sums.map((s) => s.luckMargin)), unsure = judged.decisions.some((d) => d.mark &&
        !d.sure);
    return [refining ? _('A first result: it is still being refined.') : '',
        _('Luck and skill are accurate to about %{n} points.', { n: number(margin, 1) }),
        unsure ? _('Where two marks are shown, the simulation could not decide between them.') :
        ''].filter(Boolean).join(' ');
}
