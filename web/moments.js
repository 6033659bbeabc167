/**
 * moments.js: celebrations: a completed pyramid, the end of the game with a personal best. None lasts longer than 1.5
 * s, any input ends it, and with reduced motion only its end is shown. While a pyramid rises, redrawing the table is
 * delayed, so the completed card stays visible.
 */
import { html } from './html.js';
import { _, ngettext } from './i18n.js';
import { replaceContent, toast } from './dom.js';
import { pyramidOf, shape, starIcon, wayLayer } from './draw.js';
import { COLOURS } from './core.js';
import { colourName, resultWords, withSign } from './words.js';
import { countOf, stakeOf } from './completed.js';
import { EASE, isSeen, isStill, onAnyInput } from './motion.js';
import { LocalGame } from './game.js';
import { medalWords } from './medals.js';
import { games } from './store.js';
import { playSound } from './sound.js';

/** @typedef {import('./core.js').View} View */
/** @typedef {import('./table.js').TableView} Table */

/** When each part of a moment begins, in ms. */
const RISE = 420, HOME = 1000, END = 1450;

/** The shortest way over marked spaces from the entrance to the tomb. @param {import('./core.js').Card} card @param
 * {number[]} marks */
function wayDown(card, marks) {
    const [from, to] = ['v', 'T'].map((c) => card.cells.indexOf(c)), ways = [[from]], seen = new Set([from]);
    for (let way = ways.shift(); way; way = ways.shift()) {
        const i = way[way.length - 1];
        if (i === to)
            return way;
        for (const k of [i + 5, i % 5 < 4 ? i + 1 : -1, i % 5 ? i - 1 : -1, i - 5])
            if ((marks.includes(k) || k === to) && !seen.has(k)) {
                seen.add(k);
                ways.push([...way, k]);
            }
    }
    return [from];
}

/** "Your second orange pyramid". @param {number} n @param {string} colour */
function nthWords(n, colour) {
    const values = { n, colour: colourName(colour) };
    if (n === 1) return _('Your first %{colour} pyramid', values);
    if (n === 2) return _('Your second %{colour} pyramid', values);
    return _('Your %{colour} pyramid number %{n}', values);
}

/** The best total of this player's earlier games on this device; 0 if there are none. @param {string} id of the game that
 * has ended */
function bestBefore(id) {
    return Math.max(0, ...games().filter((g) => g.id !== id && g.me >= 0 && !/^tag solo /m.test(g.record))
        .map((g) => Number(new RegExp(`^score ${g.me + 1} (-?\\d+)`, 'm').exec(g.record)?.[1] ?? 0)));
}

export class Moments {
    /** @param {Table} table */
    constructor(table) {
        this.table = table;
        /** hold: the table is not redrawn; home: it is redrawn, but nothing opens over it.
         * @type {'' | 'hold' | 'home'} */
        this.state = '';
        /** @type {HTMLElement | null} */
        this.stage = null;
        /** Ends the present moment. @type {() => void} */
        this.end = () => {};
    }

    /** Own cards that are complete and about to be set aside. @param {View} view */
    completing(view) {
        const { me, covered } = this.table.game, { last } = this.table.flights;
        if (me < 0 || covered || me !== last.seat || isStill())
            return [];
        const { done, slots } = view.desks[me];
        return last.cards.filter((n) => n && done.includes(n) && !slots.some((s) => s.card === n) &&
            this.table.root.querySelector(`.cards-in article[data-n="${n}"]`));
    }

    /** Points that only the viewer can take for these cards; 0 if others could take them first.
     * @param {View} view @param {number[]} cards */
    stake(view, cards) {
        const { me, seats } = this.table.game, { edition } = this.table;
        return COLOURS.map((k, c) => {
            const mine = cards.filter((n) => edition.cards[n].colour === k).length, now = countOf(this.table, view, me, k);
            const passed = (Math.min(now, 6) >> 1) - (Math.min(now - mine, 6) >> 1);
            const rivals = seats.some((_s, s) => s !== me && view.fresh[s]?.some((n) => edition.cards[n].colour === k));
            return { k, points: passed > 0 && !rivals ? stakeOf(view, c) : 0 };
        }).filter(({ points }) => points);
    }

    /** @param {string} kind */
    open(kind) {
        this.stage = document.createElement('div');
        this.stage.className = `stage ${kind}`;
        this.stage.setAttribute('aria-hidden', 'true');
        this.stage.inert = true;
        document.body.append(this.stage);
        return this.stage;
    }

    /** A pyramid is complete: the path lights up, the pyramid rises and moves to its place.
     * @param {View} view @param {number[]} cards @param {() => void} [then] otherwise the table is drawn */
    pyramids(view, cards, then = () => this.table.render()) {
        const { table } = this, { edition } = table, { me } = table.game;
        this.end();
        const before = table.view?.desks[me].slots ?? [];
        cards.forEach((n) => {
            const layer = table.root.querySelector(`.cards-in article[data-n="${n}"] .hi`), slot = before.find((s) =>
                s.card === n);
            const ghost = table.aim?.pin && before[table.aim.pin.slot]?.card === n ? table.aim.pin.cells : [];
            if (layer && slot)
                replaceContent(layer, wayLayer(wayDown(edition.cards[n], [...slot.marks, ...table.madeOn(n), ...ghost])));
        });
        this.state = 'hold';
        table.root.setAttribute('aria-busy', 'true');        // what it shows is out of date
        playSound('tomb', .3);
        /** @type {ReturnType<typeof setTimeout>[]} */
        const timers = [];
        const home = () => {
            this.state = 'home';
            table.root.removeAttribute('aria-busy');
            then();
            this.goHome(cards);
        };
        const stop = onAnyInput(() => {
            timers.forEach(clearTimeout);
            const held = this.state === 'hold';
            this.state = '';
            table.root.removeAttribute('aria-busy');
            this.end = () => {};
            this.stage?.remove();
            this.stage = null;
            if (held)
                then();
            else if (!table.stopped)
                table.render();
        });
        this.end = stop;
        timers.push(setTimeout(() => this.rise(view, cards), RISE), setTimeout(home, HOME), setTimeout(stop, END));
    }

    /** @param {View} view @param {number[]} cards */
    rise(view, cards) {
        const { table } = this, { edition } = table, { me } = table.game, stage = this.open('rising');
        const last = edition.cards[cards[cards.length - 1]], won = this.stake(view, cards);
        const title = cards.length > 1 ? _('Pyramids %{a} and %{b} complete', { a: cards[0], b: cards[1] }) :
            _('Pyramid %{n} complete', { n: cards[0] });
        replaceContent(stage, html`<div class="dim"></div><div class="rise"><div class="burst"></div><div class="pyrs ${
            cards.length > 1 ? 'two' : ''}">${cards.map((n) => pyramidOf(edition.cards[n]))}</div><p class="title">${
            title}</p>${cards.length > 1 ? '' :
            html`<p>${nthWords(countOf(table, view, me, last.colour), last.colour)}</p>`}<div class="pluses"><span>${
            withSign(10 * cards.length)}</span>${won.map(({ k, points }) => html`<span class="k-${k}">${shape(k)}${
                withSign(points)}</span>`)}</div></div>`);
        cards.forEach((n, i) => {
            const from = table.root.querySelector(`.cards-in article[data-n="${n}"] .hwrap`)?.getBoundingClientRect();
            const to = stage.querySelectorAll('.pyr')[i], box = to.getBoundingClientRect();
            if (from)
                to.animate([{ transform: `translate(${from.left + from.width / 2 - box.left - box.width / 2}px, ${
                    from.top + from.height / 2 - box.top - box.height / 2}px) scale(.5)` }, { transform: 'none' }],
                        { duration: 260, easing: EASE });
        });
    }

    /** Moves it from the middle to its final place. @param {number[]} cards */
    goHome(cards) {
        const { table, stage } = this;
        stage?.classList.add('leaving');
        cards.forEach((n, i) => {
            const pyr = stage?.querySelectorAll('.pyr')[i];
            const goal = table.flights.seen(`.score .dn[data-n="${n}"]`, '.peep.me', '.dock [data-open=score]');
            if (!pyr || !goal || !isSeen(goal))
                return;
            const a = pyr.getBoundingClientRect(), b = goal.getBoundingClientRect();
            const x = b.left + b.width / 2 - a.left - a.width / 2, y = b.top + b.height / 2 - a.top - a.height / 2;
            const size = Math.max(.06, Math.min(b.width, 110) / a.width);
            pyr.animate([{ transform: 'none' }, { transform: `translate(${x * .35}px, ${y * .15}px) scale(${.5 +
                size / 2})`, offset: .45 },
                { transform: `translate(${x}px, ${y}px) scale(${size})` }], { duration: END - HOME, easing: 'ease-in-out',
                    fill: 'forwards' });
        });
        playSound('coin', .35);
    }

    /** The end of the game: who has won, and whether it was your best result. @param {() => void} then */
    finale(then) {
        const { table } = this, { core, game } = table, view = core.view(-1), { me } = game;
        const solo = game instanceof LocalGame ? game.solo : 0, total = me >= 0 && view ? view.scores[me].total : 0,
            before = game.online || me < 0 || solo ? 0 : bestBefore(game.id);
        const best = before > 0 && total > before ? ngettext('Your best game so far: %{n} point',
            'Your best game so far: %{n} points', total) : '';
        if (isStill() || !view) {
            then();
            if (best)
                toast(`${best}.`);
            return;
        }
        const [title, why] = solo ? medalWords(core, solo, total) : resultWords(view,
            game.seats.map((s) => s.name), core.winners(), game.reader);
        this.end();
        this.state = 'hold';
        replaceContent(this.open('rising'),
            html`<div class="dim"></div><div class="rise"><div class="burst"></div><div class="medal">${
            starIcon}</div><p class="title">${title}</p><p>${why}</p>${best ? html`<div class="pluses"><span>${
                best}</span></div>` : ''}</div>`);
        playSound('tomb');
        const stop = onAnyInput(() => {
            clearTimeout(timer);
            this.state = '';
            this.end = () => {};
            this.stage?.remove();
            then();
            if (best)
                toast(`${best}.`);
        }), timer = setTimeout(stop, END);
        this.end = stop;
    }
}
