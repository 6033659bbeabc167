/**
 * qr.js: QR codes (ISO/IEC 18004) of short texts: byte mode, error correction M, versions 1 to 10, the mask with the least
 * penalty. Enough for a link of 213 bytes.
 */
import { NONE, html } from './html.js';

/** By version: codewords in all, correction codewords per block, shorter blocks and their data codewords, blocks with
 * one more. */
const SIZES = [[26, 10, 1, 16, 0], [44, 16, 1, 28, 0], [70, 26, 1, 44, 0], [100, 18, 2, 32, 0], [134, 24, 2, 43, 0], [172,
    16, 4, 27, 0], [196, 18, 4,
    31, 0],
    [242, 22, 2, 38, 2], [292, 22, 3, 36, 2], [346, 26, 4, 43, 1]];
const ALIGN = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

/** The field of 256 elements: powers and logarithms. */
const EXP = new Uint8Array(512), LOG = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; i++) {
    EXP[i] = EXP[i + 255] = x;
    LOG[x] = i;
    x = x << 1 ^ (x & 128 ? 0x11d : 0);
}

/** The correction codewords of a block. @param {number[]} data @param {number} count */
function correction(data, count) {
    let generator = [1];
    for (let i = 0; i < count; i++) {
        const next = [...generator, 0];
        generator.forEach((g, k) => { if (g) next[k + 1] ^= EXP[LOG[g] + i]; });
        generator = next;
    }
    const rest = [...data, ...Array(count).fill(0)];
    for (let i = 0; i < data.length; i++) {
        const factor = rest[i];
        if (factor)
            generator.forEach((g, k) => { if (g) rest[i + k] ^= EXP[LOG[g] + LOG[factor]]; });
    }
    return rest.slice(data.length);
}

/** All codewords of the text, in the order in which they are drawn. @param {Uint8Array} bytes @param {number} version */
function codewords(bytes, version) {
    const [all, ecc, short, length, long] = SIZES[version - 1], blocks = short + long, room = all - ecc * blocks;
    /** @type {number[]} */
    const bits = [];
    const push = /** @param {number} value @param {number} n */ (value, n) => { for (let i = n - 1; i >= 0;
        i--) bits.push(value >> i & 1); };
    push(4, 4);
    push(bytes.length, version < 10 ? 8 : 16);
    bytes.forEach((b) => push(b, 8));
    push(0, Math.min(4, room * 8 - bits.length));
    while (bits.length % 8)
        bits.push(0);
    const data = [];
    for (let i = 0; i < bits.length; i += 8)
        data.push(parseInt(bits.slice(i, i + 8).join(''), 2));
    for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11)
        data.push(pad);
    const parts = [];
    for (let b = 0, at = 0; b < blocks; b++) {
        const size = length + (b >= short ? 1 : 0);
        parts.push(data.slice(at, at += size));
    }
    const checks = parts.map((p) => correction(p, ecc)), out = [];
    for (let i = 0; i <= length; i++)
        for (const p of parts)
            if (i < p.length)
                out.push(p[i]);
    for (let i = 0; i < ecc; i++)
        for (const c of checks)
            out.push(c[i]);
    return out;
}

const MASKS = /** @type {((x: number, y: number) => boolean)[]} */ ([(x, y) => (x + y) % 2 === 0, (_x,
    y) => y % 2 === 0, (x) => x % 3 === 0, (x,
    y) => (x + y) % 3 === 0,
    (x, y) => ((y / 2 | 0) + (x / 3 | 0)) % 2 === 0, (x, y) => x * y % 2 + x * y % 3 === 0, (x,
    y) => (x * y % 2 + x * y % 3) % 2 === 0, (x, y) =>
        ((x + y) % 2 + x * y % 3) % 2 === 0]);

/** @param {number} value @param {number} generator @param {number} bits of the remainder */
function withRemainder(value, generator, bits) {
    let rest = value << bits;
    for (let i = 31 - Math.clz32(rest); i >= bits; i = 31 - Math.clz32(rest))
        rest ^= generator << i - bits;
    return value << bits | rest;
}

/** @param {boolean[][]} grid */
function penalty(grid) {
    const n = grid.length;
    let sum = 0, dark = 0;
    const line = /** @param {(i: number) => boolean} at */ (at) => {
        for (let i = 0, run = 0; i <= n; i++) {
            if (i > 0 && i < n && at(i) === at(i - 1)) {
                run++;
                continue;
            }
            if (run >= 4)
                sum += run - 1;
            run = 0;
        }
        for (let i = 0; i + 10 < n; i++) {
            const word = Array.from({ length: 11 }, (_v, k) => at(i + k) ? 1 : 0).join('');
            if (word === '10111010000' || word === '00001011101')
                sum += 40;
        }
    };
    for (let k = 0; k < n; k++) {
        line((i) => grid[k][i]);
        line((i) => grid[i][k]);
        dark += grid[k].filter(Boolean).length;
    }
    for (let y = 0; y + 1 < n; y++)
        for (let x = 0; x + 1 < n; x++)
            if (grid[y][x] === grid[y][x + 1] && grid[y][x] === grid[y + 1][x] && grid[y][x] === grid[y + 1][x + 1])
                sum += 3;
    return sum + 10 * Math.floor(Math.abs(dark * 20 / (n * n) - 10));
}

/** The modules of a code: rows of dark (true) and light; null if the text is too long. @param {string} text @returns
 * {boolean[][] | null} */
export function qrModules(text) {
    const bytes = new TextEncoder().encode(text);
    const version = SIZES.findIndex(([all, ecc, short, , long], i) => bytes.length + (i < 9 ? 2 : 3) <= all - ecc * (
        short + long)) + 1;
    if (!version)
        return null;
    const n = 17 + 4 * version;
    /** @type {(boolean | null)[][]} null: free for data */
    const fixed = Array.from({ length: n }, () => Array(n).fill(null));
    const square = /** @param {number} cx @param {number} cy @param {number} r @param {(d: number) => boolean} dark */ (cx,
        cy, r, dark) => {
        for (let y = -r; y <= r; y++)
            for (let x = -r; x <= r; x++)
                if (fixed[cy + y]?.[cx + x] !== undefined)
                    fixed[cy + y][cx + x] = dark(Math.max(Math.abs(x), Math.abs(y)));
    };
    for (let i = 0; i < n; i++)
        fixed[6][i] = fixed[i][6] = i % 2 === 0;
    for (const [x, y] of [[3, 3], [n - 4, 3], [3, n - 4]])
        square(x, y, 4, (d) => d !== 2 && d !== 4);
    const at = ALIGN[version - 1];
    for (const y of at)
        for (const x of at)
            if (!((x === 6 && y === 6) || (x === 6 && y === n - 7) || (x === n - 7 && y === 6)))
                square(x, y, 2, (d) => d !== 1);
    if (version >= 7) {
        const word = withRemainder(version, 0x1f25, 12);
        for (let i = 0; i < 18; i++)
            fixed[i / 3 | 0][n - 11 + i % 3] = fixed[n - 11 + i % 3][i / 3 | 0] = (word >> i & 1) === 1;
    }
    const format = /** @param {(boolean | null)[][]} grid @param {number} mask */ (grid, mask) => {
        const word = withRemainder(mask, 0x537, 10) ^ 0x5412;             // level M is 00
        for (let i = 0; i < 15; i++) {
            const bit = (word >> i & 1) === 1;
            grid[i < 6 ? i : i < 8 ? i + 1 : n - 15 + i][8] = bit;
            grid[8][i < 8 ? n - 1 - i : i < 9 ? 7 : 14 - i] = bit;
        }
        grid[n - 8][8] = true;
    };
    format(fixed, 0);
    const words = codewords(bytes, version);
    /** @type {boolean[][] | null} */
    let best = null;
    let least = Infinity;
    MASKS.forEach((mask, m) => {
        const grid = fixed.map((row) => [...row]);
        let bit = 0;
        for (let right = n - 1; right > 0; right -= 2) {
            if (right === 6)
                right = 5;
            for (let k = 0; k < n; k++) {
                const y = (right + 1 & 2) === 0 ? n - 1 - k : k;
                for (const x of [right, right - 1])
                    if (fixed[y][x] === null) {
                        const dark = bit < words.length * 8 && (words[bit >> 3] >> 7 - (bit & 7) & 1) === 1;
                        grid[y][x] = dark !== mask(x, y);
                        bit++;
                    }
            }
        }
        format(grid, m);
        const done = /** @type {boolean[][]} */ (grid), cost = penalty(done);
        if (cost < least)
            [best, least] = [done, cost];
    });
    return best;
}

/** The code as a picture. @param {string} text @param {string} label */
export function qrPicture(text, label) {
    const grid = qrModules(text);
    if (!grid)
        return NONE;
    const n = grid.length, d = grid.flatMap((row, y) => row.map((dark, x) => dark ? `M${x} ${y}h1v1h-1z` : '')).join('');
    return html`<svg class="qr-svg" viewBox="-2 -2 ${n + 4} ${n + 4}" role="img" aria-label="${
        label}" shape-rendering="crispEdges"><path d="${
        d}" fill="currentColor"/></svg>`;
}
