// axe.mjs: checks a page with axe.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { equal } from './check.mjs';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
/** The dark theme changes colours only. */
const COLOURS = { type: 'rule', values: ['color-contrast'] };

/** Checks that axe finds nothing on the page as it is now; `within`: only in these parts, if the rest was checked before.
 * @param {{dark?: boolean, within?: string[]}} [how] */
export async function look(page, name, { dark = false, within } = {}) {
    if (!await page.evaluate(() => 'axe' in globalThis))
        await page.evaluate(source);
    const problems = await page.evaluate(async ([parts, runOnly]) => {
        const { violations } = await globalThis.axe.run(parts ? { include: parts } : document, { runOnly, preload: false,
            resultTypes: ['violations'] });
        return violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} ${
            n.any[0]?.message ?? n.failureSummary ?? ''}`).join(' | ')}`);
    }, [within, dark ? COLOURS : ALL]);
    equal(problems, [], `axe on ${name}`);
}
