/**
 * sound.js: short sounds, made by the browser from the numbers below, and a tick of the phone's motor. Both are off
 * until you switch them on in the settings, and neither conveys anything that the page does not show. The tomb is the
 * loudest, the pen the softest, 8 dB below it; none clips, even if two play together, and each is over within 0.6 s.
 * Sounds of every turn are soft and low, and no two have the same tone: docs/architecture.md has the measurements.
 */
import { settings } from './store.js';

/** @typedef {[wave: OscillatorType | 'noise', from: number, to: number, at: number, length: number, loud: number]} Tone
 * frequencies in hertz, times in seconds */
/** @typedef {'card' | 'pen' | 'gem' | 'torch' | 'skull' | 'tomb' | 'coin' | 'round' | 'yours' | 'ready'} Name */

/** A struck bell: the tone itself and overtones that decay faster. @param {number} hz @param {number} at
 * @param {number} length
 * @param {number} loud @returns {Tone[]} */
const bell = (hz, at, length, loud) => [['sine', hz, hz, at, length, loud], ['sine', 2.76 * hz, 2.76 * hz, at, length * .4,
    loud * .22],
    ['sine', 5.4 * hz, 5.4 * hz, at, length * .18, loud * .09]];

/** @type {Record<Name, Tone[]>} */
export const SOUNDS = {
    card: [['noise', 1500, 380, 0, .16, .75]],
    pen: [['noise', 2600, 1800, 0, .09, .5], ['noise', 2200, 1500, .11, .1, .46]],
    gem: [...bell(1319, 0, .34, .15), ...bell(1976, .07, .36, .11)],
    torch: [['noise', 400, 1500, 0, .38, .62], ['triangle', 196, 262, 0, .34, .17]],
    skull: [['triangle', 150, 70, 0, .16, .4], ['noise', 500, 200, 0, .05, .34], ['triangle', 130, 60, .15, .2, .34]],
    tomb: [['sine', 131, 131, 0, .58, .2], ...bell(262, 0, .56, .18), ...bell(330, .06, .52, .16), ...bell(392, .12, .46,
        .16),
        ...bell(523, .18, .4, .18)],
    coin: [...bell(784, 0, .18, .17), ...bell(1047, .08, .42, .21)],
    round: [['noise', 300, 1200, 0, .3, .2], ...bell(392, .08, .4, .17), ...bell(587, .2, .38, .15)],
    yours: [['triangle', 587, 587, 0, .16, .26], ['triangle', 880, 880, .14, .3, .28]],
    ready: [['sine', 523, 523, 0, .26, .2], ['sine', 2093, 2093, 0, .07, .03]],
};

/** @type {AudioContext | null} */
let context = null;
/** By playback rate. @type {Map<number, AudioBuffer>} */
const hisses = new Map();

/** Noise, the same every time. @param {BaseAudioContext} audio */
function noise(audio) {
    let hiss = hisses.get(audio.sampleRate);
    if (!hiss) {
        hiss = audio.createBuffer(1, audio.sampleRate >> 1, audio.sampleRate);
        const samples = hiss.getChannelData(0);
        for (let i = 0, state = 1; i < samples.length; i++) {
            state = Math.imul(state, 1103515245) + 12345 >>> 0;
            samples[i] = state / 2 ** 31 - 1;
        }
        hisses.set(audio.sampleRate, hiss);
    }
    return new AudioBufferSourceNode(audio, { buffer: hiss });
}

/** @param {BaseAudioContext} audio @param {Tone} tone @param {number} start @param {number} volume */
function sound(audio, [wave, from, to, at, length, loud], start, volume) {
    const begin = start + at, end = begin + length, gain = new GainNode(audio, { gain: 0 });
    let source, pitch;
    if (wave === 'noise') {
        const band = new BiquadFilterNode(audio, { type: 'bandpass', Q: .9 });
        source = noise(audio);
        source.connect(band).connect(gain);
        pitch = band.frequency;
    } else {
        source = new OscillatorNode(audio, { type: wave });
        source.connect(gain);
        pitch = source.frequency;
    }
    pitch.setValueAtTime(from, begin);
    pitch.exponentialRampToValueAtTime(to, end);
    // Loudness is perceived on a logarithmic scale: with the square, the middle of the slider sounds like a half.
    gain.gain.setValueAtTime(0, begin);
    gain.gain.linearRampToValueAtTime(loud * volume ** 2, begin + .008);
    gain.gain.exponentialRampToValueAtTime(.0001, end);
    gain.connect(audio.destination);
    source.start(begin);
    source.stop(end);
}

/** Puts a sound into any context. @param {BaseAudioContext} audio @param {Name} name @param {number} at @param {number}
 * volume from 0 to 1 */
export function schedule(audio, name, at, volume) {
    for (const tone of SOUNDS[name])
        sound(audio, tone, at, volume);
}

/** @param {Name} name @param {number} [after] seconds from now */
export function playSound(name, after = 0) {
    // Before the first touch or key a browser would refuse to play, and log a warning.
    if (!settings.sound || !settings.volume || !navigator.userActivation?.hasBeenActive)
        return;
    context ??= new AudioContext();
    void context.resume();
    schedule(context, name, context.currentTime + after, settings.volume);
}

/** A pattern has snapped into place. */
export function playSnap() {
    if (settings.vibration && navigator.userActivation?.hasBeenActive)
        navigator.vibrate?.(10);
}
