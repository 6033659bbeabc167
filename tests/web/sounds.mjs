// sounds.mjs SITE: the sounds as played at full volume, rendered offline: levels, lengths, starts and ends, and that all
// of them can be told apart. docs/architecture.md has the numbers.
import { done, equal, test, truth } from './check.mjs';
import { launch, open, serve } from './site.mjs';

const host = await serve(process.argv[2]), browser = await launch(), RATE = 48000, BITS = 15;

/** Power of each frequency of a sound: a Fourier transform of 2^BITS samples. */
function spectrum(samples) {
    const size = 1 << BITS, re = new Float64Array(size), im = new Float64Array(size);
    for (let i = 0; i < size; i++) {
        let at = 0;
        for (let bit = 0; bit < BITS; bit++)
            at |= (i >> bit & 1) << (BITS - 1 - bit);
        re[at] = samples[i] ?? 0;
    }
    for (let half = 1; half < size; half *= 2)
        for (let k = 0; k < half; k++) {
            const c = Math.cos(Math.PI * k / half), s = -Math.sin(Math.PI * k / half);
            for (let i = k; i < size; i += 2 * half) {
                const j = i + half, x = re[j] * c - im[j] * s, y = re[j] * s + im[j] * c;
                [re[j], im[j], re[i], im[i]] = [re[i] - x, im[i] - y, re[i] + x, im[i] + y];
            }
        }
    return [...Array(size / 2).keys()].map((i) => re[i] ** 2 + im[i] ** 2);
}

/** Two filters that weight frequencies like the ear: the K-weighting of ITU-R BS.1770 at 48 kHz. */
const WEIGHTS = [[1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, .73248077421585],
    [1, -2, 1, -1.99004745483398, .99007225036621]];
const weighed = (samples) => WEIGHTS.reduce((from, [b0, b1, b2, a1, a2]) => {
    const to = new Float64Array(from.length);
    for (let i = 0; i < from.length; i++)
        to[i] = b0 * from[i] + b1 * (from[i - 1] ?? 0) + b2 * (from[i - 2] ?? 0) - a1 * (to[i - 1] ?? 0) -
            a2 * (to[i - 2] ?? 0);
    return to;
}, samples);

/** Loudness in LUFS of the loudest tenth of a second. */
function loudness(samples) {
    const heard = weighed(samples), span = RATE / 10;
    let sum = 0, most = 0;
    for (let i = 0; i < heard.length; i++) {
        sum += heard[i] ** 2 - (i < span ? 0 : heard[i - span] ** 2);
        most = Math.max(most, sum);
    }
    return 10 * Math.log10(most / span) - .691;
}

function measured(samples) {
    const sizes = samples.map(Math.abs), peak = Math.max(...sizes), powers = spectrum(samples), hz = RATE / (1 << BITS);
    const all = powers.reduce((a, b) => a + b), above = (from) => powers.slice(Math.round(from / hz)).reduce((a,
        b) => a + b) / all;
    return { peak, loud: loudness(samples), first: sizes.findIndex((x) => x > peak / 100) / RATE,
        rise: sizes.findIndex((x) => x > peak / 2) / RATE, seconds: sizes.findLastIndex((x) => x > peak / 1000) / RATE,
        end: sizes[sizes.findLastIndex((x) => x > 0)],
        main: powers.indexOf(Math.max(...powers)) * hz, middle: powers.reduce((a, p, i) => a + p * i * hz, 0) / all,
        shrill: above(6000) };
}

await test('no sound clips, clicks, shrieks or lasts; each is told from the others by ear', async () => {
    const page = await open(browser, host.url);
    const all = await page.evaluate(async (rate) => {
        const { SOUNDS, schedule } = await import(new URL('source/sound.js', location.href).href), out = {};
        for (const [name, tones] of Object.entries(SOUNDS)) {
            const audio = new OfflineAudioContext(1, rate, rate);
            schedule(audio, name, 0, 1);
            out[name] = { samples: [...(await audio.startRendering()).getChannelData(0)],
                hisses: tones.every(([wave]) => wave === 'noise') };
        }
        return out;
    }, RATE);
    const found = Object.entries(all).map(([name, { samples, hisses }]) => ({ name, hisses, silent: samples[0],
        ...measured(samples) }));
    for (const f of found)
        console.log(`# | ${f.name} | ${(20 * Math.log10(f.peak)).toFixed(1)} | ${f.loud.toFixed(1)} | ${
            Math.round(f.seconds * 1000)} | ${Math.round(f.rise * 1000)} | ${Math.round(f.hisses ? f.middle : f.main)} | ${
            Math.round(100 * f.shrill)} |`);
    equal(found.length, 10, 'sounds');
    const names = (is) => found.filter(is).map((f) => f.name);
    equal(names((f) => f.silent !== 0 || f.end > .0005), [], 'begin and end in silence');
    equal(names((f) => f.rise - f.first < .001), [], 'begin with a click');
    equal(names((f) => f.seconds < .1 || f.seconds > .6), [], 'lengths');
    equal(names((f) => f.shrill > .2), [], 'shrill: more than a fifth above 6 kHz');
    const peaks = found.map((f) => f.peak).sort((a, b) => b - a);
    truth(peaks[0] + peaks[1] <= 1, `the two that reach highest together: ${peaks[0] + peaks[1]}`);
    // The most frequent sounds are the softest, the rarest the loudest.
    const byLoudness = found.toSorted((a, b) => a.loud - b.loud);
    equal([byLoudness[0].name, byLoudness.at(-1).name], ['pen', 'tomb'], 'softest and loudest');
    truth(byLoudness.at(-1).loud - byLoudness[0].loud <= 10, 'none is lost beside another');
    // Two sounds are alike if both their main tones and their centres are less than three semitones apart.
    const alike = found.flatMap((a, i) => found.slice(i + 1).filter((b) => {
        const apart = (key) => Math.max(a[key], b[key]) / Math.min(a[key], b[key]);
        return a.hisses === b.hisses && (a.hisses || apart('main') < 1.18) && apart('middle') < 1.3;
    }).map((b) => `${a.name} and ${b.name}`));
    equal(alike, [], 'taken for each other');
    await page.context().close();
});

await browser.close();
host.close();
done();
