/**
 * share.js: a result as a picture and as a text for messengers, made in the browser from numbers alone: it contains
 * no cards, patterns, order or names, so it reveals nothing to people who have not played yet. One SVG, always of the
 * light theme; the same numbers give the same picture.
 */
import { html } from './html.js';
import { _, ngettext } from './i18n.js';
import { $, closest, put, radioKeys, toast } from './dom.js';
import { icon, pyramid, wordmark } from './draw.js';
import { COLOURS } from './core.js';
import { ServerError, api, publicAddress, serverWords, visit } from './online.js';
import { loadRecord } from './replay.js';
import { dayWords, daysInARow, fetchDaily } from './today.js';
import { aheadWords } from './dayresult.js';
import { dayTop } from './daily.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./core.js').Colour} Colour */
/** @typedef {{eyebrow: string, score: number, under: string[], foot: string, last: string, pyramids: Colour[], torches:
 * boolean[]}} Shared under: what is beside the score, line by line */
/** @typedef {'wide' | 'square'} Form */

/** @type {Record<Form, [number, number]>} */
const SIZES = { wide: [1200, 630], square: [1080, 1080] };
const INK = '#2A2018', INK2 = '#5C4E3D', PAPER = '#FFFCF5';
const SERIF = '\'Iowan Old Style\',\'Palatino Linotype\',Palatino,\'URW Palladio L\',P052,Georgia,\'Noto Serif\',serif';
const SANS = 'system-ui,sans-serif';
/** The light theme's faces of a pyramid, in the sun and in the shade. @type {Record<Colour, [string, string]>} */
const FACES = { green: ['#3D9A7A', '#1F6A53'], orange: ['#DE7A36', '#A94E17'], purple: ['#8A63BE', '#5E3B8B'] };

/** @param {string} text */
const safe = (text) => html`${text}`.text;

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;
/** How wide a text is in a font of 100 px. @param {string} text @param {string} family @param {number} weight */
function widthOf(text, family, weight) {
    ruler ??= document.createElement('canvas').getContext('2d');
    if (!ruler)
        return 60 * text.length;
    ruler.font = `${weight} 100px ${family}`;
    return ruler.measureText(text).width;
}

/** A text of at most that size; smaller if it does not fit. @param {string} text @param {number} x @param {number} y
 * @param {number} size @param {number} room @param {{family?: string, weight?: number, fill?: string, anchor?: string}}
 * [how] */
function line(text, x, y, size, room, { family = SERIF, weight = 700, fill = INK, anchor = 'start' } = {}) {
    const fit = Math.min(size, 100 * room / Math.max(1, widthOf(text, family, weight)));
    return { width: widthOf(text, family, weight) * fit / 100, svg: `<text x="${x}" y="${y}" font-family="${
        family}" font-weight="${weight}" font-size="${Math.round(fit)}" fill="${fill}" text-anchor="${anchor}">${
        safe(text)}</text>` };
}

/** @param {Colour} colour @param {number} x @param {number} base @param {number} w @param {number} h */
const painted = (colour, x, base, w, h) => pyramid(colour, x, base, w, h).text.replaceAll('class="f1"', `fill="${
    FACES[colour][0]}"`).replaceAll('class="f2"', `fill="${FACES[colour][1]}"`);

/** The torches of the rounds, from the page's own symbol. @param {boolean[]} lit @param {number} x @param {number} y @param
 * {number} size @param {number} step */
function torches(lit, x, y, size, step) {
    const torch = $('#s-torch').innerHTML.trim();
    return lit.map((is, i) => `<svg x="${x + i * step}" y="${y}" width="${size}" height="${
        size}" viewBox="0 0 48 48"${is ? '' : ' opacity=".25"'}>${torch}</svg>`).join('');
}

/** The sky, the sun and the dunes. @param {number} w @param {number} ground @param {number} sunX @param {number} sunY
 * @param {number} r */
const sky = (w, ground, sunX, sunY, r) => `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0"
    stop-color="#F9EBCB"/><stop offset=".8" stop-color="#F8D9A6"/><stop offset="1" stop-color="#F2C07C"/></linearGradient>${
    $('#g-flame').outerHTML}</defs><rect width="${w}" height="${ground + 40}" fill="url(#sky)"/><circle cx="${sunX}" cy="${
    sunY}" r="${r}" fill="#F6B24A"/><circle cx="${sunX}" cy="${sunY}" r="${Math.round(r *
    1.34)}" fill="#F6B24A" opacity=".22"/><path d="M0 ${ground - 72}Q${w * .25} ${ground - 110} ${w * .5} ${ground - 62}T${
    w} ${ground - 96}V${ground + 60}H0Z" fill="#EBC389"/>`;

/** @param {number} w @param {number} h @param {number} ground */
const paper = (w, h, ground) => `<path d="M0 ${ground - 18}Q${w * .35} ${ground - 40} ${w * .6} ${ground -
    2}T${w} ${ground - 14}V${h}H0Z" fill="${PAPER}"/>`;

/** The word mark at a place. @param {number} x @param {number} y @param {number} width */
const mark = (x, y, width) => wordmark.text.replace(/class="wordmark"/, `x="${x}" y="${y}" width="${width}" height="${
    Math.round(width * 112 / 742)}"`).replaceAll('currentColor', INK);

/** @param {Shared} what @param {Form} form @returns {string} */
function shareSvg({ eyebrow, score, under, foot, last, pyramids, torches: lit }, form) {
    const [w, h] = SIZES[form], digits = `${score}`, n = Math.max(1, pyramids.length);
    const label = safe([eyebrow, digits, ...under, foot].join(', '));
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${
        h}" role="img" aria-label="${label}">`;
    if (form === 'wide') {
        const number = line(digits, 64, 358, 210, 380), x = 64 + Math.ceil(number.width) + 30, room = 784 - x;
        // All lines beside the score are of the same size.
        const size = Math.min(44, ...under.map((t) => 4400 * room / Math.max(1, widthOf(t, SERIF, 700)) / 44));
        const step = Math.min(132, 640 / n), from = 1136 - step * (n - .5);
        return `${head}${sky(w, 440, 966, 270, 149)}${painted('orange', 966, 442, 500, 296)}${paper(w, h, 440)}${mark(72, 60,
            330)}${line(eyebrow, 74, 176, 34, 520, { family: SANS, weight: 650, fill: INK2 }).svg}${number.svg}${
            under.map((t, i) => line(t, x, 298 + 56 * i, size, room).svg).join('')}${pyramids.map((k, i) =>
            painted(k, from + i * step, 546, step * .9, step * .65)).join('')}${torches(lit, 72, 484, 62, 66)}${
            line(foot, 76, 586, 25, 620, { family: SANS, weight: 650, fill: INK2 }).svg}</svg>`;
    }
    const mid = w / 2, centre = { anchor: 'middle' }, sans = { ...centre, family: SANS, weight: 650, fill: INK2 };
    const step = Math.min(168, 920 / n), from = mid - step * (n - 1) / 2;
    return `${head}${sky(w, 740, mid, 398, 219)}${paper(w, h, 746)}${mark(330, 66, 420)}${line(eyebrow, mid, 210, 34, 760,
        sans).svg}${line(digits, mid, 470, 260, 700, centre).svg}${line(under.join(' '), mid, 548, 54, 900, centre).svg}${
        foot ? `<rect x="${mid - 250}" y="588" width="500" height="64" rx="32" fill="#FBEBC3" stroke="#E2AE36"
        stroke-width="3"/>${line(foot, mid, 630, 28, 450, { ...sans, fill: '#7A5200' }).svg}` : ''}${pyramids.map((k, i) =>
        painted(k, from + i * step, 868, step * .9, step * .65)).join('')}${torches(lit, mid - 33 * lit.length, 918, 60,
        66)}${line(last, mid, 1040, 30, 960, sans).svg}</svg>`;
}

/** The text: three lines, then the address. @param {Shared} what @param {number} number @param {number} streak @param
 * {string} address */
function shareText({ score, under, pyramids, torches: lit }, number, streak, address) {
    return [_('Pyramids %{n} · %{points} %{place}', { n: number, points: score, place: under.join(' ') }),
        _('%{pyramids} · torches %{torches}', { pyramids: `${'▲'.repeat(pyramids.length)} ${ngettext('%{n} pyramid',
            '%{n} pyramids', pyramids.length)}`.trim(), torches: lit.map((is) => is ? '■' : '□').join('') }),
        (streak > 1 ? `${daysInARow(streak)}. ` : '') + _('The same cards for everybody:'),
        address].join('\n');
}

/** @param {string} svg */
const dataUrl = (svg) => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/** The same as a PNG. @param {string} svg @param {Form} form @returns {Promise<Blob>} */
async function pngOf(svg, form) {
    const [width, height] = SIZES[form], picture = new Image(), canvas = Object.assign(document.createElement('canvas'),
        { width, height });
    picture.src = dataUrl(svg);
    await picture.decode();
    canvas.getContext('2d')?.drawImage(picture, 0, 0, width, height);
    return new Promise((done, fail) => canvas.toBlob((blob) => blob ? done(blob) : fail(new Error('no picture')),
        'image/png'));
}

/** @param {string} name @param {Blob} blob */
function save(name, blob) {
    const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export class ShareView {
    /** @param {HTMLElement} root @param {App} app @param {string} date */
    constructor(root, app, date) {
        this.root = root;
        this.app = app;
        this.date = date;
        /** @type {Form} */
        this.form = 'wide';
        /** @type {Shared | null} */
        this.what = null;
        this.number = 0;
        this.text = '';
        this.message = '';
        root.addEventListener('keydown', radioKeys);
        root.addEventListener('click', (e) => void this.click(e));
        this.render();
        void this.load();
    }

    stop() {}

    async load() {
        try {
            await visit(_('Player'));
            const [{ day, results }, daily] = await Promise.all([api('GET', `daily/${this.date}`), fetchDaily()]);
            if (day.you?.points === undefined)
                throw new ServerError('not_over');
            const core = loadRecord(this.app, await api('GET', `tables/${day.you.table}/record`));
            const streak = daily && typeof daily !== 'string' ? daily.streak : 0;
            if (typeof core === 'string')
                throw new ServerError('no_table');
            const desk = /** @type {import('./core.js').View} */ (core.view(-1)).desks[0];
            // By colour, not by time: the order would reveal something about the cards.
            const pyramids = COLOURS.flatMap((k) => desk.done.filter((c) => core.edition.cards[c].colour === k).map(() =>
                k));
            const under = aheadWords(results, day).split(', ');
            this.number = day.number;
            this.what = { eyebrow: _('Expedition %{n}', { n: day.number }), score: day.you.points, under: under.length > 1 ?
                [`${under[0]},`, under.slice(1).join(', ')] : under, foot: streak > 1 ? daysInARow(streak) : '',
                last: `${_('The same cards for everybody.')} ${_('Your turn?')}`, pyramids, torches: desk.torches };
            this.text = shareText(this.what, day.number, streak, `${await publicAddress() ??
                location.href.split('#')[0]}#daily`);
        } catch (error) {
            const code = error instanceof ServerError ? error.code : 'no_server';
            this.message = code === 'not_over' ? _('You can share your result when your expedition is over.') :
                serverWords(code);
        }
        this.render();
    }

    render() {
        const { what, form } = this, forms = /** @type {[Form, string][]} */ ([['wide', _('Wide')], ['square',
            _('Square')]]);
        put(this.root, html`<div class="pl">${dayTop(_('Share'), this.number ? _('Expedition %{n}', { n: this.number }) :
            dayWords(this.date), `daily/${this.date}`, false)}<main class="in narrow2"><h1 class="vh">${
            _('Share')}</h1>${!what ? html`<p role="status">${this.message}</p>` : html`<div class="seg wide"
            role="radiogroup" aria-label="${_('Shape of the picture')}">${forms.map(([f, label]) => html`<button role="radio"
            aria-checked="${f === form}" tabindex="${f === form ? 0 : -1}" data-form="${f}">${label}</button>`)}</div><img
            class="shot" src="${dataUrl(shareSvg(what, form))}" width="${SIZES[form][0]}" height="${SIZES[form][1]}" alt="${
            [what.eyebrow, what.score, ...what.under].join(' ')}"><section class="panel bx"><div class="bxh"><h2
            class="title">${_('For messengers')}</h2><button class="btn" data-a="copy">${icon('copy')}${
            _('Copy')}</button></div><p class="msg">${this.text}</p></section><div class="three">${'share' in navigator ?
            html`<button class="btn pri md" data-a="share">${icon('share')}${_('Share')}</button>` : ''}<button
            class="btn md ${'share' in navigator ? '' : 'pri'}" data-a="png">${icon('save')}PNG</button><button
            class="btn md" data-a="svg">${icon('save')}SVG</button></div><p class="note mid">${
            _('The picture and the text reveal no card, pattern or order of the day.')}</p>`}</main></div>`);
    }

    /** @param {Event} event */
    async click(event) {
        const { a, form } = closest(event, '[data-a], [data-form]')?.dataset ?? {}, { what } = this;
        if (!what)
            return;
        if (form) {
            this.form = /** @type {Form} */ (form);
            this.render();
        } else if (a === 'copy')
            navigator.clipboard.writeText(this.text).then(() => toast(_('Copied')), () => toast(this.text));
        else if (a)
            await this.give(a, shareSvg(what, this.form), `pyramids-${this.number}-${this.form}`);
    }

    /** @param {string} how @param {string} svg @param {string} name */
    async give(how, svg, name) {
        if (how === 'svg') {
            save(`${name}.svg`, new Blob([svg], { type: 'image/svg+xml' }));
            return;
        }
        const png = await pngOf(svg, this.form), file = new File([png], `${name}.png`, { type: 'image/png' });
        if (how === 'png')
            save(`${name}.png`, png);
        else
            await navigator.share(navigator.canShare?.({ files: [file] }) ? { files: [file], text: this.text } :
                { text: this.text }).catch(() => {});
    }
}
