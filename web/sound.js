/**
 * sound.js: short sounds, made by the browser from the numbers below, and a tick of the phone's motor. Both are off until somebody asks for
 * them in the settings, and neither ever says what the page does not show.
 */
import { settings } from './store.js';

/** @typedef {[wave: OscillatorType | 'noise', from: number, to: number, at: number, length: number, loud: number]} Tone frequencies in hertz, times in seconds */

/** @type {Record<'card' | 'pen' | 'gem' | 'torch' | 'skull' | 'tomb' | 'yours' | 'ready', Tone[]>} */
export const SOUNDS = {
    card: [['noise', 2600, 700, 0, .14, .5]],
    pen: [['noise', 4200, 3000, 0, .08, .22], ['noise', 3600, 2600, .1, .09, .2]],
    gem: [['sine', 1319, 1319, 0, .28, .28], ['sine', 1976, 1976, .07, .32, .18]],
    torch: [['noise', 400, 1500, 0, .38, .4], ['triangle', 196, 262, 0, .3, .14]],
    skull: [['triangle', 150, 70, 0, .13, .7], ['triangle', 130, 60, .15, .16, .5]],
    tomb: [['sine', 262, 262, 0, .5, .22], ['sine', 330, 330, .05, .48, .2], ['sine', 392, 392, .1, .46, .2], ['sine', 523, 523, .15, .42, .2]],
    yours: [['triangle', 587, 587, 0, .15, .22], ['triangle', 880, 880, .14, .26, .22]],
    ready: [['sine', 440, 440, 0, .12, .2], ['sine', 659, 659, .11, .2, .2]],
};

/** @type {AudioContext | null} */
let context = null;
/** @type {AudioBuffer | null} */
let hiss = null;

/** @param {AudioContext} audio */
function noise(audio) {
    if (!hiss) {
        hiss = audio.createBuffer(1, audio.sampleRate >> 1, audio.sampleRate);
        const samples = hiss.getChannelData(0);
        for (let i = 0; i < samples.length; i++)
            samples[i] = 2 * Math.random() - 1;
    }
    return new AudioBufferSourceNode(audio, { buffer: hiss });
}

/** @param {AudioContext} audio @param {Tone} tone @param {number} start */
function sound(audio, [wave, from, to, at, length, loud], start) {
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
    // Ears hear loudness by its logarithm: the square makes the middle of the slider sound like a half.
    gain.gain.setValueAtTime(0, begin);
    gain.gain.linearRampToValueAtTime(loud * settings.volume ** 2, begin + .01);
    gain.gain.exponentialRampToValueAtTime(.0001, end);
    gain.connect(audio.destination);
    source.start(begin);
    source.stop(end);
}

/** @param {keyof typeof SOUNDS} name @param {number} [after] seconds from now */
export function play(name, after = 0) {
    // Before the first touch or key a browser would refuse, and complain.
    if (!settings.sound || !settings.volume || !navigator.userActivation?.hasBeenActive)
        return;
    context ??= new AudioContext();
    void context.resume();
    for (const tone of SOUNDS[name])
        sound(context, tone, context.currentTime + after);
}

/** A pattern has snapped into place. */
export function tick() {
    if (settings.vibration && navigator.userActivation?.hasBeenActive)
        navigator.vibrate?.(10);
}
