// check.mjs: a test is a named function; results are printed as TAP for Meson. ONLY=words runs only tests whose names
// contain them.
let count = 0, failed = 0;

/** Functions that return diagnostics when a test has failed: the text of the open pages, the end of the server's log. */
export const witnesses = [];
const FEW_LINES = 40;

async function told() {
    const all = [];
    for (const witness of witnesses)
        all.push(...String(await Promise.resolve().then(witness).catch((error) =>
            `no word: ${error}`)).split('\n').slice(-FEW_LINES));
    return all.map((line) => line.slice(0, 800)).join('\n');
}

export async function test(name, run) {
    if (!name.includes(process.env.ONLY ?? ''))
        return;
    count++;
    const began = Date.now();
    try {
        await run();
        console.log(`ok ${count} - ${name} # ${Date.now() - began} ms`);
    } catch (error) {
        failed++;
        // Printed before the result, because scripts/sum-tests looks for it there.
        console.log(`${error.stack ?? error}\n${await told()}`.replace(/^/gm, '# '));
        console.log(`not ok ${count} - ${name}`);
    }
}

export function done() {
    console.log(`1..${count}`);
    // A failed test may have left something open, which would keep the program from ending.
    if (failed)
        process.stdout.write('', () => process.exit(1));
}

export function equal(a, b, what = '') {
    const [x, y] = [a, b].map((v) => JSON.stringify(v, (_k, n) => typeof n === 'bigint' ? String(n) : n));
    if (x !== y)
        throw new Error(`${what}: ${x} is not ${y}`);
}

export function truth(is, what) {
    if (!is)
        throw new Error(`not true: ${what}`);
}
