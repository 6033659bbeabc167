/**
 * tablehtml.js: the table as HTML: setup, the turn, the score card, the others, the display, the log, new cards. Each function draws what a
 * TableView (table.js) shows, and changes nothing.
 */
import { NONE, html, sentence } from './html.js';
import { _, ngettext } from './i18n.js';
import { ROMAN, avatar, bigDeck, cardBack, chamber, deckArt, head, headTall, icon, mini, patternPicture, picture, rose, shape, symbol, symbolOf,
    turned, wordmark } from './draw.js';
import { COLOURS, TILES, spaceName } from './core.js';
import { cardInWords, cardSymbols, colourName, levelName, logEntries, patternName, plus, reason, ruleLink, shapeName, signed, spaceNames, spaceWord } from './words.js';
import { glanceHtml, numberHtml, shelfHtml } from './completed.js';
import { settings } from './store.js';

/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./core.js').View} View */
/** @typedef {import('./table.js').TableView} Table */

const RUBY = 'M13 8H35L45 20 24 43 3 20Z', EMERALD = 'M16 4H32L41 13V35L32 44H16L7 35V13Z';

/** The number that stands after a card's colour: "your 3rd green". @param {number} n @param {string} colour */
function nth(n, colour) {
    const values = { n, colour: colourName(colour) };
    if (n === 1) return _('your 1st %{colour}', values);
    if (n === 2) return _('your 2nd %{colour}', values);
    if (n === 3) return _('your 3rd %{colour}', values);
    return _('your %{n}th %{colour}', values);
}

/** @param {Table} table */
export function coverHtml(table) {
    const name = table.game.covered;
    return html`<main class="view cover"><div class="panel cover-in">${avatar(table.game.me, { me: true })}<h1 class="title">${
        _('Pass the device to %{name}', { name })}</h1>
        <p>${_('The cards are covered until %{name} is ready. Everyone else, please look away.',
            { name })}</p><button class="btn pri big" data-a="uncover">${_('I am %{name}', { name })}</button>
        <button class="btn ghost" data-a="home">${_('Home')}</button></div></main>`;
}

/** @param {Table} table @param {View} view */
export function setupHtml(table, view) {
    const { me } = table.game, sealed = table.game.isSealed(), watching = me < 0;
    // A choice may have been made in another window, or by a bot in this player's place.
    const made = sealed ? table.core.made(me)[0] : undefined, kept = made?.kind === 'keep' ? made.cards : table.picked;
    const label = kept.length === 2 ? _('Keep %{a} and %{b}', { a: kept[0], b: kept[1] }) : ngettext('Keep two (%{n} of 2)',
        'Keep two (%{n} of 2)', kept.length);
    const card = /** @param {number} n */ (n) => html`<button class="pick" aria-pressed="${kept.includes(n)}" data-pick="${n}" ${sealed ?
        html`aria-disabled="true"` : ''}><span class="vh">${cardInWords(table.edition, n)}</span><span class="tick">${icon('check')}</span>${
            picture(table.edition.cards[n])}<span class="cap" aria-hidden="true">${capHtml(table, n)}</span></button>`;
    return html`<div class="view setup">${topHtml(table, html`<span class="roundtext">${_('Setup')}</span>`, NONE)}${bannerHtml(table)}
        <main class="setup-in"><div class="intro"><h1 class="title">${watching ? _('The players are choosing ' +
            'their first cards') : sealed ?
            table.game.isUnsent() ? _('Waiting for the connection') : _('Waiting for the others') : _('Keep two of your four pyramids')}</h1>
        <p>${_('The other two go back into the deck. The other players do not see them.')}</p></div>
        <div class="deal" role="group" aria-label="${_('Your four cards')}">${view.dealt.map(card)}</div>
        <div class="setup-foot"><p class="hint">${icon('info')}<span>${
            _('The 2nd, 4th and 6th pyramid of a colour earn 10, 6 or 3 points, first come first served.')}</span></p>
        <div class="foot"><div class="panel bar"><div class="who">${table.game.seats.map((seat, s) => s === me ? '' :
            html`<div>${avatar(s, { bot: seat.level !== '' })}<span><bdi>${seat.name}</bdi><small class="${
            table.game.isIn(s) ? 'ok' : ''}">${table.game.isIn(s) ? _('ready') : _('choosing')}</small></span></div>`)}</div>${watching ?
                '' : sealed
            ? html`<button class="btn" data-a="retract">${icon('undo')}${_('Take back')}</button>`
            : html`<button class="btn pri" data-a="keep" aria-disabled="${kept.length !== 2}">${icon('check')}${
                label}</button>`}</div></div></div></main></div>`;
}

/** @param {Table} table @param {number} n */
function capHtml(table, n) { return cardSymbols(table.edition, n).map(({ c, n: k }) => html`<span>${symbolOf(c)}${k}</span>`); }

/** @param {Table} table */
function bannerHtml(table) {
    const { banner } = table.game;
    return banner ? html`<div class="banner" role="${banner.alert ? 'alert' : 'status'}">${banner.icon ? icon(banner.icon) : ''}<span>${banner.text}</span>${banner.actions.map((a, i) =>
        html`<button class="btn" data-banner="${i}">${a.label}</button>`)}</div>` : '';
}

/** @param {Table} table @param {Html} middle @param {Html} right */
function topHtml(table, middle, right) {
    return html`<header class="top"><button class="iconbtn" data-a="menu" aria-label="${_('Menu')}">${
        icon('menu')}</button><a href="#" class="no-p" aria-label="${_('Pyramids, home')}">${wordmark}</a>${middle}${table.game.deadline ?
        html`<span class="clock" role="timer" data-same="clock"></span>` : ''}<span class="sp"></span>${
        right}<button class="iconbtn no-p no-t" data-a="sound" aria-pressed="${settings.sound}" aria-label="${_('Sounds')}">${
        icon(settings.sound ? 'sound' : 'mute')}</button><button class="iconbtn" data-a="help" aria-label="${
        _('Help and keys')}">${icon('help')}</button><button class="iconbtn no-p no-t" data-a="settings" aria-label="${
        _('Settings')}">${icon('gear')}</button></header>`;
}

/** @param {Table} table @param {View} view */
export function tableHtml(table, view) {
    const values = { round: view.round + 1, turn: view.turn + 1 };
    const rounds = html`<ol class="rounds no-p" aria-hidden="true">${ROMAN.map((r, i) =>
        html`<li class="${i === view.round ? 'now' : ''}"><span class="rn">${r}</span><span class="pips">${[0, 1, 2, 3, 4, 5, 6].map((t) =>
        html`<i class="${i < view.round || (i === view.round && t < view.turn) ? 'past' : i === view.round && t === view.turn ? 'now' :
            ''}"></i>`)}</span></li>`)}</ol>`;
    const mode = table.mode(view), hint = table.game.hints && table.aim ? html`<button class="iconbtn no-p" data-a="hint" aria-label="${
        _('Hint')}" title="${_('Hint (H)')}">${icon('bulb')}</button>` : '';
    const { coach } = table.game;
    const shortRound = coach ? _('Step %{n} of %{of}', { n: coach.step, of: coach.of }) : _('Round %{round} · turn %{turn} of 7', values);
    const waiting = table.game.seats.filter((_s, s) => s !== table.game.me && table.game.isIn(s)).length;
    return html`<div class="view table mode-${mode}" ${table.sheet ? html`data-sheet="${table.sheet}"` : ''}>
        ${topHtml(table, html`<span class="roundtext only-p ${shortRound.length > 20 ? 'long' : ''}">${shortRound}</span>${rounds}<span class="roundtext no-p">${coach ? shortRound :
            _('Round %{round} of 4, turn %{turn} of 7', values)}</span>`,
            html`${coach ? html`<button class="btn ghost" data-a="steps">${_('Steps')}</button><button class="btn" data-a="skip">${_('Skip')}</button>` :
                readiesHtml(table)}${hint}<button class="iconbtn no-p" data-open="log" aria-label="${_('Game log')}" aria-expanded="${
                table.sheet === 'log'}">${icon('log')}</button>`)}
        <div class="body">${mode === 'choose' ? '' : bannerHtml(table)}${coach ? '' : glanceHtml(table, view)}<main class="center">${trayHtml(table, view, mode,
            shortRound)}<div class="cards"><div class="cards-in">${view.desks[Math.max(0, table.game.me)].slots.map((slot, i) =>
            cardHtml(table, view, slot, i))}</div></div>${stripHtml(table, view)}${actsHtml(table, view, mode)}</main>
        <aside class="left" aria-label="${_('Score card and log')}">${scoreHtml(table, view)}${logHtml(table)}</aside>
        <aside class="right" aria-label="${_('Players and display')}"><div class="opps" role="group" aria-label="${_('Players')}">${
            shutHtml()}${view.desks.map((_d, s) => s === table.game.me ? '' : opponentHtml(table, view, s))}</div>${displayHtml(table, view)}</aside></div>
        <nav class="dock" aria-label="${_('Panels')}"><button data-open="score">${icon('score')}<span class="dl">${
            _('Score')}</span><span class="bd sc-bd">${signed(table.totalOf(view, table.game.me))}</span></button><button data-open="opps">${
            icon('people')}<span class="dl">${
            _('Players')}</span><span class="bd">${waiting}/${table.game.seats.length - (table.game.me < 0 ? 0 :
                1)}</span></button><button data-open="disp">${icon('cards')}<span class="dl">${
                _('Display')}</span></button><button data-open="log">${icon('log')}<span class="dl">${
            _('Log')}</span></button><button class="only-s" data-a="menu" aria-label="${_('Menu')}">${icon('menu')}<span class="dl">${
                _('Menu')}</span></button></nav><div class="scrim" data-close></div></div>${
        !table.aside && (mode === 'choose' || (mode === 'replace' && view.order.indexOf(table.game.me, view.place) > 0)) ? replaceHtml(table, view) : ''}`;
}

function shutHtml() { return html`<button class="iconbtn shut" data-close aria-label="${_('Close')}">${icon('close')}</button>`; }

/** @param {Table} table */
function readiesHtml(table) {
    return html`<span class="readies only-p">${table.game.seats.map((seat, s) => {
        if (s === table.game.me)
            return '';
        const ready = table.game.isIn(s);
        return html`<span class="av" role="img" data-seat="${s}" aria-label="${ready ? _('%{name} is ready', { name: seat.name }) : _('%{name} is thinking',
            { name: seat.name })}"><svg viewBox="0 0 40 40" aria-hidden="true"><use href="#a-${
            ['cat', 'jackal', 'ibis', 'scarab'][s]}"/></svg><span class="bdg ${ready ? 'ok' : ''}">${ready ? icon('check') :
                html`<span class="dots"><i></i><i></i><i></i></span>`}</span></span>`;
    })}</span>`;
}

/** @param {Table} table @param {View} view @param {string} mode @param {string} shortRound */
function trayHtml(table, view, mode, shortRound) {
    const [title, text] = table.say(view, mode), now = table.edition.patterns[view.revealed[view.turn]];
    const left = table.edition.patterns.flatMap((p, i) => Array(Math.max(0, p.copies - view.revealed.filter((r) => r === i).length)).fill(p));
    const small = /** @param {import('./core.js').Pattern} p @param {string} kind @param {string} label */ (p, kind, label) =>
        html`<span class="xm ${kind}" role="img" aria-label="${label}">${patternPicture(turned(p))}</span>`;
    const [q, m] = table.aim ? [table.aim.quarters, table.aim.mirror] : [0, 0];
    return html`<section class="panel tray ${table.talks(view, mode) ? 'talk' : ''}" aria-label="${
        _('Expedition')}"><div class="xcard" data-key="${view.round}.${view.turn}" role="img" aria-label="${ngettext('%{pattern}, %{n} space', '%{pattern}, %{n} spaces', now.size, { pattern: patternName(now) })}">${rose}<span class="xname">${
        now.name}</span>${patternPicture(table.aim?.extra ? [[0, 0]] : turned(now, q, m))}</div>
        <div class="say"><h1 class="title">${title}</h1><p>${text}</p></div>
        <div class="track"><span class="rt">${shortRound}</span><div class="grp"><span class="eyebrow">${
            _('This round')}</span><div class="row">${view.revealed.map((p, i) => small(table.edition.patterns[p], i === view.turn ? 'now' :
            'seen',
            i === view.turn ? _('%{pattern}, now', { pattern: patternName(table.edition.patterns[p]) }) : _('%{pattern}, played',
                { pattern: patternName(table.edition.patterns[p]) })))}</div></div><div class="grp ${left.length < 4 ? 'few' : ''}"><span class="eyebrow">${
            _('Still in the deck')}</span><div class="row">${left.map((p) => small(p, 'rest', _('%{pattern}, to come or unused',
                { pattern: patternName(p) })))}</div></div></div></section>`;
}

/** @param {Table} table @param {View} view @param {import('./core.js').Slot} slot @param {number} i */
function cardHtml(table, view, slot, i) {
    if (!slot.card)
        return html`<div class="pcard empty" data-key="empty${i}"><p>${view.phase === 'replace' && (view.deckLeft || view.display.some(Boolean)) ?
            _('New cards are being chosen') : _('No card left to take')}</p></div>`;
    const card = table.edition.cards[slot.card], aim = table.aim, pin = aim?.pin?.slot === i ? aim.pin : null;
    const reach = new Set(aim ? aim.reachable(i) : []), marks = new Set(slot.marks), open = [...card.cells].filter((c) => c !== '#').length;
    const old = table.inked.get(`${table.game.me}.${slot.card}`), fresh = old ? slot.marks.filter((m) => !old.includes(m)) : [];
    const space = /** @param {number} k */ (k) => {
        const values = { space: spaceName(k), what: spaceWord(card.cells[k]) };
        const label = marks.has(k) ? _('%{space}, %{what}, marked', values) : pin?.cells.includes(k) ?
            _('%{space}, %{what}, would be marked', values) :
            reach.has(k) ? _('%{space}, %{what}, can be marked', values) : _('%{space}, %{what}', values);
        return html`<button role="gridcell" data-slot="${i}" data-cell="${k}" tabindex="${table.focus[i] === k ? 0 : -1}" aria-label="${
            label}"${card.cells[k] === '#' || marks.has(k) ? html` aria-disabled="true"` : ''}></button>`;
    };
    const cells = [0, 5, 10, 15, 20].map((row) => html`<div role="row">${[0, 1, 2, 3, 4].map((x) => space(row + x))}</div>`);
    const label = _('Card %{n}, %{colour}, %{shape}, %{marked} of %{open} marked', { n: slot.card, colour: colourName(card.colour),
        shape: shapeName(card.colour), marked: slot.marks.length, open });
    return html`<article class="pcard k-${card.colour} ${pin ? 'active' : ''} ${slot.tomb ? 'complete' : ''}" data-key="${slot.card}" data-n="${
        slot.card}"><div class="hwrap" data-same="${slot.card}">${head(card)}${headTall(card)}</div><div class="tip">${pin ? chipsHtml(table, view) : ''}</div><div class="chamber"><div class="art" data-key="${slot.marks.join('.')}" data-same="${
        slot.marks.join('.')}|${card.cells}">${chamber(card, slot.marks, { layers: true,
            fresh })}</div><div class="cells" role="grid" aria-label="${label}">${cells}</div></div></article>`;
}

/** @param {Table} table @param {View} view */
function chipsHtml(table, view) {
    const { cycle } = table.aim ?? { cycle: { of: 0, at: 0 } };
    return html`${(table.preview(view)?.gains ?? []).map(({ c, label }) => html`<span class="chip">${symbolOf(c)}${label}</span>`)}${
        cycle.of > 1 ? html`<span class="chip cyc">${cycle.at + 1}/${cycle.of}</span>` : ''}`;
}

/** @param {Table} table @param {View} view @param {string} mode */
function actsHtml(table, view, mode) {
    const { aim } = table, can = aim !== null && !aim.mustPass, sealed = mode === 'wait';
    const off = /** @param {boolean} is */ (is) => html`aria-disabled="${is}"`;
    const made = table.core.made(Math.max(0, table.game.me)).length > 0;
    const canUndo = sealed ? table.game.isSealed() : aim?.pin || aim?.painting || made;
    const ready = mode === 'pass' || mode === 'made' || aim?.pin;
    const more = !sealed && mode !== 'pass' && Boolean(table.preview(view)?.desk.due);
    const confirm = mode === 'pass' ? _('Pass') : sealed ? table.game.isUnsent() ? _('Kept') : _('Sent') : more ? _('Next') : _('Confirm');
    if (mode === 'watch')
        return html`<section class="panel acts" aria-label="${_('Watching')}"><div class="fx">${icon('eye')}<span>${
            _('You see what everyone may see.')}</span></div></section>`;
    if (table.aside)
        return html`<section class="panel acts" aria-label="${_('Your move')}"><div class="fx"><span>${_('A pyramid is complete')
        }</span></div><div class="ctl"><span class="sp"></span><button class="btn pri" data-a="cards">${icon('cards')}<span class="lbl">${
            _('New cards')}</span></button></div></section>`;
    return html`<section class="panel acts" aria-label="${_('Your move')}"><div class="fx">${ribbonHtml(table, view,
        mode)}</div><div class="ctl"><div class="seg" role="group" aria-label="${_('What to mark')}"><button aria-pressed="${can &&
        !aim.one}" data-a="pattern" ${
        off(!can || aim.extra || !aim.patterns.length)}>${icon('ell')}${_('Pattern')}</button><button aria-pressed="${can &&
            aim.one}" data-a="single" ${off(!can)}>${icon('one')}${_('One space')}</button></div>
        <button class="btn only-p" data-a="one" aria-label="${_('One space')}" aria-pressed="${can && aim.one}" ${off(!can || aim.extra)}>${
            icon('one')}<span class="lb">${_('One')}</span></button>
        <button class="btn" data-a="rotate" title="${_('Rotate the pattern (R)')}" aria-label="${_('Rotate the pattern')}" ${off(!can ||
            aim.one)}>${icon('rot')}<span class="lb">${
            _('Rotate')}</span><kbd class="kbd">R</kbd></button><button class="btn" data-a="mirror" title="${
        _('Mirror the pattern (F)')}" aria-label="${_('Mirror the pattern')}" ${off(!can || aim.one)}>${icon('mir')}<span class="lb">${
            _('Mirror')}</span><kbd class="kbd">F</kbd></button>
        <button class="btn no-p" data-a="list" title="${_('List placements (P)')}" aria-label="${_('List placements')}" ${off(!can)}>${
            icon('list')}<span class="lb wide-only">${_('List')}</span></button>
        <span class="sp"></span><button class="btn" data-a="${sealed ? 'retract' : 'undo'}" title="${_('Undo (U)')}" ${off(!canUndo)}>${
            icon('undo')}<span class="lb">${sealed ? _('Take back') :
            _('Undo')}</span><kbd class="kbd">U</kbd></button><button class="btn pri ${confirm.length > 7 ? 'long' : ''}" data-a="confirm" ${
            more ? html`aria-label="${_('Next: confirm, then mark one more space')}"` : ''} ${off(sealed || !ready)}>${icon('check')}<span class="lbl">${confirm}</span><kbd class="kbd">↵</kbd></button></div></section>`;
}

/** @param {Table} table @param {View} view @param {string} mode */
function ribbonHtml(table, view, mode) {
    if (mode === 'wait')
        return html`<span class="wax"><span class="seal">${icon('check')}</span>${_('Your move is sealed until everyone is ready')}</span>`;
    const { aim } = table, { me } = table.game;
    const made = table.core.made(me).map((s) => s.kind === 'mark' ? html`<span class="crumb"><b>${spaceNames(s.cells)}</b> ${
        shape(table.edition.cards[view.desks[me].slots[s.slot].card].colour)}${view.desks[me].slots[s.slot].card}</span>` : '');
    if (aim?.refused) {
        const { text, rule } = reason(aim.refused);
        return html`${made}<span class="why">${icon('info')}${text}${ruleLink(rule)}</span>`;
    }
    if (mode === 'replace' || mode === 'choose')
        return html`<span>${_('New cards are being chosen')}</span>`;
    const preview = table.preview(view);
    if (!aim?.pin || !preview)
        return html`${made}<span>${aim?.extra ? _('Choose one more space on either card') : mode === 'pass' ? _('Nothing to mark') :
            mode === 'made' ? _('Ready to confirm') : _('Choose a space to see what you would gain')}</span>`;
    const now = table.totalOf(view, me), { pin } = aim, where = sentence((hold) => _('%{spaces} on card %{card}',
        { spaces: hold(html`<b>${spaceNames(pin.cells)}</b>`), card: hold(html`<b>${view.desks[me].slots[pin.slot].card}</b>`) }));
    return html`${made}<span class="where">${where}</span>${preview.gains.map(({ c, label, text }) =>
        html`<span class="chip"><span class="vh">${text}</span>${symbolOf(c)}${label}</span>`)}<span class="chip res"><b>${
        signed(now)}</b><span class="arrow">→</span><b>${signed(preview.total)}</b></span>`;
}

/** @param {Table} table @param {View} view */
function stripHtml(table, view) {
    const { me } = table.game;
    if (me < 0)
        return '';
    if (table.aim?.refused) {
        const { text, rule } = reason(table.aim.refused);
        return html`<div class="panel strip why">${icon('info')}<span>${text}${ruleLink(rule)}</span></div>`;
    }
    const desk = view.desks[me], p = table.preview(view), now = table.totalOf(view, me), d = p ? p.total - now : 0;
    const delta = /** @param {number} n */ (n) => n ? html`<span class="delta">${plus(n)}</span>` : '';
    const worst = desk.skulls ? -table.edition.skulls[desk.skulls - 1] : 0;
    return html`<button class="panel strip" data-open="score"><span class="vh">${
        _('Score card: rubies %{rubies}, emeralds %{emeralds}, skulls %{skulls}, total %{total}', { rubies: desk.rubies,
        emeralds: desk.emeralds, skulls: worst, total: now })}</span><span data-of="r" aria-hidden="true">${symbol('ruby')}${desk.rubies}${
        delta(p ? p.desk.rubies - desk.rubies : 0)}</span><span data-of="e" aria-hidden="true">${symbol('emerald')}${desk.emeralds}${delta(p ?
            p.desk.emeralds - desk.emeralds : 0)}</span><span class="tt" data-of="f" aria-hidden="true">${desk.torches.map((t, i) =>
        symbol('torch', t || p?.desk.torches[i] ? '' : 'un'))}</span><span data-of="s" aria-hidden="true">${symbol('skull')}${signed(worst)}${
            delta(p ? p.desk.skulls - desk.skulls : 0)}</span><span class="tot num" aria-hidden="true">${signed(now)}</span>${d ?
            html`<span class="delta" aria-hidden="true">${plus(d)}</span>` : html`<span aria-hidden="true"></span>`}</button>`;
}

/** @param {Table} table @param {View} view */
function scoreHtml(table, view) {
    const seat = Math.max(0, table.game.me), desk = view.desks[seat], p = table.preview(view), next = p?.desk ?? desk, now = table.totalOf(view,
        seat), d = p ? p.total - now : 0;
    const gem = /** @param {'ruby' | 'emerald'} g @param {number} i @param {boolean} on @param {boolean} soon */ (g, i, on, soon) => on ?
        html`<svg class="gs" data-of="${g[0]}${i}" viewBox="0 0 48 48" aria-hidden="true"><use href="#s-${g}"/></svg>`
        : soon ? html`<span class="ring"><svg class="gs" viewBox="0 0 48 48" aria-hidden="true"><use href="#s-${g}"/></svg></span>` :
            html`<svg class="gs" viewBox="0 0 48 48" aria-hidden="true"><path class="slot" d="${g === 'ruby' ? RUBY : EMERALD}"/></svg>`;
    const columns = [...Array(10).keys()].map((i) => {
        const r = i < desk.rubies, e = i < desk.emeralds;
        return html`<div class="col ${r && e ? 'pair' : ''}">${gem('ruby', i, r, i < next.rubies)}${gem('emerald', i, e,
            i < next.emeralds)}<small>${r &&
            e ? 5 : r || e ? 1 : ''}</small></div>`;
    });
    const score = view.scores[seat], colourCount = /** @param {string} k */ (k) => desk.done.filter((n) =>
        table.edition.cards[n].colour === k).length;
    const done = [...desk.done, ...desk.slots.filter((s) => s.tomb && view.phase === 'mark').map((s) => s.card)];
    const seatName = table.game.seats[seat].name;
    return html`<section class="panel score" aria-label="${_('Score card of %{name}', { name: seatName })}">${shutHtml()}<div class="hd">${
        avatar(seat, { me: seat === table.game.me })}<div class="who"><b dir="auto">${seatName}</b><span class="eyebrow">${
        _('Score card')}</span></div><div class="tot num">${signed(now)}${d ? html`<span class="delta">${plus(d)}</span>` : ''}</div></div>
        <div class="blk p-done"><div class="bh"><span class="eyebrow">${_('Pyramids')}</span><b>${10 * done.length}</b></div><div class="done">${
            done.length ? done.map((n) => numberHtml(table, n)) : html`<span class="none">${_('none yet')}</span>`}</div></div>
        <div class="blk"><div class="bh"><span class="eyebrow">${_('Pyramid points')}</span><b>${score.points}</b></div><ul class="pp">${
            COLOURS.map((k, c) => html`<li class="k-${k}"><span class="k">${shape(k)}<span class="vh">${colourName(k)} </span>${
            colourCount(k)}</span>${TILES.map((v, i) => {
            const owner = view.tiles[c][i];
            const label = owner < 0 ? _('%{points}, free', { points: v }) : _('%{points}, taken by %{name}', { points: v,
                name: table.game.seats[owner].name });
            return html`<span class="v ${owner < 0 ? '' : owner === seat ? 'mine' : 'taken'}" role="img" aria-label="${label}">${owner >= 0 &&
                owner !== seat ? html`<s>${v}</s>` : v}${owner === seat ? icon('check') : owner >= 0 ? avatar(owner, { small: true }) : ''}</span>`;
        })}</li>`)}</ul></div>
        <div class="blk"><div class="bh"><span class="eyebrow">${_('Gems')}</span><b>${
            score.gems}</b></div><div class="gems" role="img" aria-label="${_('Rubies %{rubies}, emeralds %{emeralds}', { rubies: desk.rubies,
            emeralds: desk.emeralds })}">${columns}</div></div>
        <div class="blk"><div class="bh"><span class="eyebrow">${_('Torches')}</span><b>${score.torches}</b></div><ul class="torches">${
            desk.torches.map((t, i) => html`<li data-of="f${i}" class="${t ? 'lit' : next.torches[i] ? 'next' : i < view.round ? 'missed' :
            i === view.round ? 'due' : ''}">${symbol('torch', t || next.torches[i] ? '' : 'un')}${ROMAN[i]}<span class="vh">${
            t ? _('marked') : _('not marked')}</span></li>`)}</ul></div>
        <div class="blk"><div class="bh"><span class="eyebrow">${_('Skulls')}</span><b class="neg">${
            signed(score.skulls)}</b></div><ol class="skulls">${table.edition.skulls.map((v, i) =>
            html`<li data-of="s${i}" class="${i < desk.skulls ? '' : i < next.skulls ? 'next' : 'un'} ${i === desk.skulls - 1 ? 'worst' : ''}">${symbol('skull')}−${
            v}</li>`)}</ol></div></section>`;
}

/** @param {Table} table */
function logHtml(table) {
    const { core } = table, lines = core.lines().filter((_l, i) => core.isVisible(i, table.game.me));
    const entries = logEntries(lines, table.edition);
    /** @type {Html[]} */
    let part = [];
    /** @type {Html[][]} */
    const parts = [part];
    for (const e of entries) {
        if (e.kind === 'turn')
            parts.push(part = [html`<li class="turn">${e.html}</li>`]);
        else
            part.push(html`<li class="ln">${avatar(e.seat, { small: true, me: e.seat === table.game.me })}${e.mark ?
                // Reached by keys in the open log only: docked, its many lines would stand between the other panels.
                html`<button class="moment" data-look="${e.mark.card}" data-marks="${e.mark.marks.join(' ')}" data-fresh="${e.mark.cells.join(' ')}" tabindex="${
                    table.sheet === 'log' ? 0 : -1}">${e.html}</button>` : html`<span>${e.html}</span>`}</li>`);
    }
    return html`<section class="panel log" aria-label="${_('Game log')}"><div class="ph"><span class="eyebrow">${_('Game log')}</span>${
        shutHtml()}<button class="iconbtn open" data-open="log" aria-label="${_('Open the whole log')}">${
        icon('right')}</button></div><div class="logbox" tabindex="0" role="log" aria-live="off" aria-label="${
        _('Game log, newest turn first')}"><ol>${parts.reverse().flat()}</ol></div></section>`;
}

/** @param {Table} table @param {number} card @param {number[]} marks @param {number[]} [fresh] */
function lookHtml(table, card, marks, fresh = []) {
    return card ? html`<button class="look" data-look="${card}" data-marks="${marks.join(' ')}" aria-label="${_('Look at card %{n}, %{colour}',
        { n: card, colour: colourName(table.edition.cards[card].colour) })}">${mini(table.edition.cards[card], marks, fresh)}</button>` :
        html`<span class="mini none"></span>`;
}

/** @param {Table} table @param {View} view @param {number} s */
function opponentHtml(table, view, s) {
    const seat = table.game.seats[s], desk = view.desks[s], status = table.game.status(s);
    const words = { ready: _('ready'), thinking: _('thinking'), choosing: _('choosing a card'), next: _('next to choose'), idle: '',
        away: _('away, a bot is playing'), gone: table.game.minutesGone(s) ? _('away %{n} min', { n: table.game.minutesGone(s) }) :
            _('not connected') }[status];
    const sub = seat.level ? _('bot, %{level}', { level: levelName(seat.level) }) : ngettext('%{n} pyramid', '%{n} pyramids', desk.done.length);
    const worst = desk.skulls ? -table.edition.skulls[desk.skulls - 1] : 0;
    return html`<article class="panel opp" data-seat="${s}" aria-label="${ngettext('%{name}, %{n} point, %{status}', '%{name}, %{n} points, %{status}',
        view.scores[s].total, { name: seat.name, status: words })}"><div class="id">${avatar(s,
        { bot: seat.level !== '' })}<div><div class="nm"><span class="nmt" dir="auto">${seat.name}</span><span class="num">${
        signed(view.scores[s].total)}</span></div><div class="sub">${sub}</div></div>
        <div class="st ${status}">${status === 'ready' ? icon('check') : status === 'gone' ? icon('wifi') : status === 'away' ? '' : html`<span class="dots"><i></i><i></i><i></i></span>`}${
            words}</div>
        <div class="bits" role="img" aria-label="${
            _('Pyramids %{pyramids}, rubies %{rubies}, emeralds %{emeralds}, torches %{torches}, skulls %{skulls}',
            { pyramids: desk.done.length, rubies: desk.rubies, emeralds: desk.emeralds, torches: desk.torches.filter(Boolean).length,
            skulls: worst })}"><span>${symbol('ruby')}${
            desk.rubies}</span><span>${symbol('emerald')}${desk.emeralds}</span><span>${symbol('torch')}${desk.torches.filter(
                Boolean).length}</span><span>${symbol('skull')}${signed(worst)}</span></div></div>${desk.slots.map((slot) => {
            const old = table.before.get(`${s}.${slot.card}`);
            return lookHtml(table, slot.card, slot.marks, old ? slot.marks.filter((m) => !old.includes(m)) : []);
        })}${shelfHtml(table, view, s)}</article>`;
}

/** @param {Table} table @param {View} view */
function displayHtml(table, view) {
    const deck = ngettext('%{n} card', '%{n} cards', view.deckLeft);
    return html`<section class="panel disp" aria-label="${_('Display and deck')}"><div class="ph"><span class="eyebrow">${_('Display')}</span>${
        shutHtml()}</div><div class="grid">${view.display.map((n) => html`<div class="dcell">${lookHtml(table, n, [])}</div>`)}<div class="dcell dk">${bigDeck(view.deckLeft)}</div></div><div class="deck">${deckArt}<span>${_('Deck')}<small>${
        deck}</small></span></div></section>`;
}

/** Where new cards can be taken from, and how many. @param {View} view */
function takeWords(view) {
    const two = Math.min(view.owed, view.deckLeft + view.display.filter(Boolean).length) > 1;
    if (!view.deckLeft)
        return two ? _('Take your next pyramid from the display. The deck is empty. You take two, one after the other.') :
            _('Take your next pyramid from the display. The deck is empty.');
    return two ? _('Take your next pyramid from the display, or the unseen top card of the deck. ' +
        'You take two, one after the other.') : _('Take your next pyramid from the display, or the unseen top card of the deck.');
}

/** @param {Table} table @param {View} view */
function replaceHtml(table, view) {
    const { me } = table.game, armed = view.order[view.place] === me, off = armed ? '' : html`aria-disabled="true"`, fresh = view.fresh[me], [choice] = table.picked, none = table.picked.length === 0, chosen = table.picked.length ?
        choice : -1;
    const title = fresh.length > 1 ? _('Cards %{a} and %{b} are complete', { a: fresh[0], b: fresh[1] }) : _('Card %{n} is complete',
        { n: fresh[0] });
    const colours = view.desks[me].done.map((n) => table.edition.cards[n].colour);
    const pick = /** @param {number} n */ (n) => { const k = table.edition.cards[n].colour; return html`<button class="pick" aria-pressed="${
        chosen === n}" data-next="${n}" ${off}><span class="vh">${cardInWords(table.edition, n)}</span><span class="tick">${icon('check')}</span>${
        picture(table.edition.cards[n])}<span class="cap" aria-hidden="true">${capHtml(table, n)}</span><span class="cap nth k-${k}">${shape(k)}${
            nth(colours.filter((c) => c === k).length + 1, k)}</span></button>`; };
    const order = view.order.map((s, i) => html`<li class="${i < view.place ? 'past' : i === view.place ? 'now' : ''}">${avatar(s, { small: true,
        me: s === me })}<span>${Math.min(...view.fresh[s])}</span></li>`);
    return html`<div class="over" role="dialog" aria-modal="true" aria-labelledby="rp-t">${bannerHtml(table)}<div class="panel ov"><div class="ovh"><div><h1 class="title" id="rp-t" tabindex="-1">${
        title}</h1><p>${!armed ? _('%{name} chooses first, with card %{n}.', { name: table.game.seats[view.order[view.place]].name,
            n: Math.min(...view.fresh[view.order[view.place]]) }) : takeWords(view)}</p></div><div class="ovr"><ol class="order" aria-label="${
            _('Order of choosing')}">${order}</ol><button class="btn" data-a="table">${icon('eye')}${_('Table')}</button></div></div>
        <div class="deal five" role="group" aria-label="${_('Cards to take')}">${view.display.filter(Boolean).map(pick)}${
            view.deckLeft ? html`<button class="pick deckpick" aria-pressed="${chosen === 0}" data-next="0" ${off}><span class="vh">${
            _('Unseen top card.')} </span><span class="tick">${icon('check')}</span><span class="dback">${
            cardBack}</span><span class="cap">${
            ngettext('Deck, %{n} card', 'Deck, %{n} cards', view.deckLeft)}</span></button>` : ''}</div>
        <div class="ovf"><span class="note">${icon('info')}${
            table.game.isUnsent() ? _('Your choice is saved here and will be sent when the server is back.') : view.deckLeft ?
                _('New cards are laid out when you are done.') : _('No more new cards are laid out.')}</span><button class="btn pri" data-a="take" aria-disabled="${none}">${icon('check')}${
            none ? _('Take a card') : choice ? _('Take %{n}', { n: choice }) : _('Draw from the deck')}</button></div></div></div>`;
}
