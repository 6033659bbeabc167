// check.mjs: a test is a named function; results are printed as TAP for Meson. ONLY=words runs those alone whose names hold them.
let count = 0, failed = 0;

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
        console.log(`not ok ${count} - ${name}\n${String(error.stack ?? error).replace(/^/gm, '# ')}`);
    }
}

export function done() {
    console.log(`1..${count}`);
    process.exitCode = failed ? 1 : 0;
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
