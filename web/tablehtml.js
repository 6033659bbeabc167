/**
 * tablehtml.js: the table as HTML: setup, the turn, the score card, the others, the display, the log, new cards. Each
 * function draws what a TableView (table.js) shows, and changes nothing.
 */
import { isBystander } from './game.js';
import { NONE, html, sentence } from './html.js';
import { _, capital, language, ngettext } from './i18n.js';
import { ROMAN, avatar, bigDeck, cardBack, cardHead, cardHeadTall, chamber, compassRose, deckArt, icon, miniCard,
    patternPicture, picture, pyramidOf, tinyChamber,
    shape, symbol, symbolOf, turned, wordmark } from './draw.js';
import { COLOURS, TILES, spaceName } from './core.js';
import { cardInWords, cardSymbols, colourName, levelName, logEntries, patternName, withSign, reason, ruleLink, shapeName,
    signed, spaceNames,
    spaceWord, turnOfGame } from './words.js';
import { GAME } from './codes.js';
import { countOf, nextTakesPoints, numberHtml, raceHtml, shelf, shelfHtml, stakeOf } from './completed.js';
import { stripHtml } from './strip.js';
import { canHint, hintOn, pickerHtml } from './hints.js';
import { settings } from './store.js';
import { REACTIONS } from './sentences.js';

/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./core.js').View} View */
/** @typedef {import('./table.js').TableView} Table */

/** Does not write again what the page shows already, which would take longer than the rest of a turn: an element with the
 * same data-same is left unchanged (dom.js). The selector must find it by keys, even if it has moved.
 * @param {Table} table @param {string} selector @param {() => Html | Html[]} make */
const unless = (table, selector, make) => !table.writesAll && table.root.querySelector(selector) ? NONE : make();

const RUBY = 'M13 8H35L45 20 24 43 3 20Z', EMERALD = 'M16 4H32L41 13V35L32 44H16L7 35V13Z';

/** The number after a card's colour: "your 3rd green". @param {number} n @param {string} colour */
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
    return html`<main class="view cover"><div class="panel cover-in">${avatar(table.game.me,
        { me: true })}<h1 class="title">${
        _('Pass the device to %{name}', { name })}</h1>
        <p>${_('The cards are covered until %{name} is ready. Everyone else, please look away.',
            { name })}</p><button class="btn pri big" data-a="uncover">${_('I am %{name}', { name })}</button>
        <button class="btn ghost" data-a="home">${_('Home')}</button></div></main>`;
}

/** @param {Table} table @param {View} view */
export function setupHtml(table, view) {
    const { me } = table.game, sealed = table.game.isSealed(), watching = me < 0;
    // The choice may have been made in another window, or by a bot that stood in for this player.
    const made = sealed ? table.core.made(me)[0] : undefined, kept = made?.kind === 'keep' ? made.cards : table.picked;
    const label = kept.length === 2 ? _('Keep %{a} and %{b}', { a: kept[0], b: kept[1] }) : ngettext('Keep two (%{n} of 2)',
        'Keep two (%{n} of 2)', kept.length);
    const card = /** @param {number} n */ (n) => html`<button class="pick" aria-pressed="${kept.includes(n)}" data-pick="${
        n}" ${sealed ?
        html`aria-disabled="true"` : ''}><span class="vh">${cardInWords(table.edition, n)}</span><span class="tick">${
            icon('check')}</span>${
            picture(table.edition.cards[n])}<span class="cap" aria-hidden="true">${capHtml(table, n)}</span></button>`;
    const title = watching ? _('The players are choosing their first cards') : !sealed ?
        _('Keep two of your four pyramids') :
        table.game.isUnsent() ? _('Waiting for the connection') : _('Waiting for the others');
    return html`<div class="view setup">${topHtml(table, html`${whoseHtml(table) || html`<span class="roundtext">${
        _('Setup')}</span>`}`, NONE)}${
        bannerHtml(table)}
        <main class="setup-in"><div class="intro"><h1 class="title">${title}</h1>
        <p>${_('The other two go back into the deck unseen.')} <span class="race-rule">${
            _('The 2nd, 4th and 6th pyramid of a colour earn 10, 6 or 3 points, first come first served.')}</span></p></div>
        <div class="deal" role="group" aria-label="${_('Your four cards')}"><div class="deal-in">${
            view.dealt.map(card)}</div></div>
        <div class="foot"><div class="panel bar"><div class="who">${table.game.seats.map((seat, s) => s === me ||
            isBystander(seat) ? '' :
            html`<div>${avatar(s, { bot: seat.level !== '', says: table.game.bubbles.get(s) })}<span><bdi>${
            seat.name}</bdi><small
            class="${table.game.isIn(s) ? 'ok' : ''}">${table.game.isIn(s) ? _('ready') :
                _('choosing')}</small></span></div>`)}</div>${watching ?
            '' : sealed ? html`<button class="btn" data-a="retract">${icon('undo')}${_('Take back')}</button>`
            : html`<button class="btn pri" data-a="keep" aria-disabled="${kept.length !== 2}">${icon('check')}${
                label}</button>`}</div></div></main></div>`;
}

/** @param {Table} table @param {number} n */
function capHtml(table, n) { return cardSymbols(table.edition, n).map(({ c, n: k }) => html`<span>${symbolOf(c)}${
    k}</span>`); }

/** The notice about a problem, except a lost connection, which the header shows. @param {Table} table
 * @param {boolean} [all] also for a lost connection */
function bannerHtml(table, all = false) {
    const { banner } = table.game;
    return banner && (all || !table.isLost) ? html`<div class="banner" role="${banner.alert ? 'alert' : 'status'}">${
        banner.icon ? icon(banner.icon) : ''}<span>${banner.text}</span>${bannerActions(table)}</div>` : '';
}

/** @param {Table} table */
const bannerActions = (table) => (table.game.banner?.actions ?? []).map((a, i) => html`<button class="btn" data-banner="${
    i}">${a.label}</button>`);

/** In the header, instead of the round: the connection is lost, or has come back. @param {Table} table */
function connHtml(table) {
    if (table.isLost)
        return html`<span class="conn" role="status">${icon('wifi')}<span>${table.game.banner?.text}</span></span>`;
    return table.isBack ? html`<span class="conn" role="status">${icon('check')}<span>${_('Connected')}</span></span>` : '';
}

/** Which expedition this is, and whether it counts. It is not a control. @param {Table} table */
function badgeHtml({ game }) {
    const day = game.badge();
    if (!day)
        return '';
    const { number: n, counted, practice } = day;
    return html`<span class="badge ${counted ? '' : 'again'}">${shape(COLOURS[n % 3])}<span class="only-p">${n || (practice ?
        _('practice') : _('again'))}</span><span class="no-p">${practice ? _('practice') : !n ? _('again') : counted ?
        _('%{n} · counted', { n }) : _('%{n} · again', { n })}</span></span>`;
}

/** @param {Table} table @param {Html} middle @param {Html} right */
function topHtml(table, middle, right) {
    return html`<header class="top"><button class="iconbtn" data-a="menu" aria-label="${_('Menu')}">${
        icon('menu')}</button><a href="#" class="no-p" aria-label="${_('Pyramids, home')}">${wordmark}</a>${
            connHtml(table) || middle}${badgeHtml(table)}${
        table.game.deadline ? html`<span class="clock" role="timer" data-same="clock"></span>` :
            ''}<span class="sp"></span>${
        right}<button class="iconbtn no-p no-t" data-a="sound" aria-pressed="${settings.sound}" aria-label="${
            _('Sounds')}">${
        icon(settings.sound ? 'sound' : 'mute')}</button><button class="iconbtn" data-a="help" aria-label="${
        _('Help and keys')}">${icon('help')}</button><button class="iconbtn no-p no-t" data-a="settings" aria-label="${
        _('Settings')}">${icon('gear')}</button></header>`;
}

/** Whose cards are shown, if several people share the device. @param {Table} table */
const whoseHtml = ({ isShared, game: { me, seats } }) => isShared ? html`<span class="whose">${avatar(me, { small: true,
    me: true })}<b dir="auto" class="nmt">${_('%{name}’s cards', { name: seats[me].name })}</b></span>` : '';

/** The round and the turn, as dots and in words; and whose cards these are, if several people share the device.
 * @param {Table} table @param {View} view @param {string | Html} shortRound */
function roundHtml(table, view, shortRound) {
    const { coach } = table.game;
    const pip = /** @param {number} i @param {number} t */ (i, t) => i < view.round || (i === view.round &&
        t < view.turn) ? 'past' :
        i === view.round && t === view.turn ? 'now' : '';
    const rounds = html`<ol class="rounds no-p" aria-hidden="true">${ROMAN.map((r, i) => html`<li class="${
        i === view.round ? 'now' : ''}"><span
        class="rn">${r}</span><span class="pips">${[...Array(GAME.turns).keys()].map((t) => html`<i class="${pip(i,
            t)}"></i>`)}</span></li>`)}</ol>`;
    return html`${whoseHtml(table) || html`<span class="roundtext only-p ${
        /** @type {string} */ (shortRound).length > 20 ? 'long' : ''}">${
        shortRound}</span>`}${rounds}<span
        class="roundtext no-p">${coach ? shortRound : _('Round %{round} of %{rounds}, turn %{turn} of %{turns}',
            turnOfGame(view))}</span>`;
}

/** @param {Table} table @param {View} view */
export function tableHtml(table, view) {
    const mode = table.mode(view), { coach, me } = table.game;
    const hint = table.game.hints && (table.aim || mode === 'choose') ?
        html`<button class="iconbtn" data-a="hint" aria-pressed="${
        table.hints !== null}" aria-label="${_('Hint')}" title="${_('Hint')} (H)">${icon('bulb')}</button>` : '';
    const shortRound = coach?.head ?? (coach ? _('Step %{n} of %{of}', { n: coach.step, of: coach.of }) :
        _('Round %{round} · turn %{turn} of %{turns}', turnOfGame(view)));
    const isChoosing = !table.aside && !table.moments.state && (mode === 'choose' || (mode === 'replace' &&
        view.order.indexOf(me, view.place) > 0));
    const classes = `mode-${mode} ${table.isTold(view) ? 'coached' : ''} ${coach ? 'lesson' : ''} ${
        settings.spaces ? 'named' : ''}`;
    return html`<div class="view table ${classes}" ${table.sheet ? html`data-sheet="${table.sheet}"` : ''}>
        ${topHtml(table, roundHtml(table, view, shortRound), html`${coach ? html`<button class="btn ghost" data-a="steps">${
            coach.head ? _('Themes') : _('Steps')}</button><button class="btn" data-a="skip">${_('Skip')}</button>` : ''}${
                hint}<button class="iconbtn only-tp" data-open="score" aria-label="${_('Score')}">${
                    icon('score')}</button><button
            class="iconbtn no-p" data-open="log" aria-label="${_('Game log')}" aria-expanded="${table.sheet === 'log'}">${
                icon('log')}</button>`)}
        ${coach ? '' : stripHtml(table, view)}<div class="body">${isChoosing ? '' :
            bannerHtml(table)}<main class="center" data-key="center">${
            trayHtml(table, view, mode, shortRound)}<div class="cards"><div class="cards-in">${
            view.desks[Math.max(0, me)].slots.map((slot, i) => cardHtml(table, view, slot, i))}</div></div>${actsHtml(table,
                view, mode)}</main>
        <aside class="left" data-key="left" aria-label="${_('Score card and log')}">${scoreHtml(table, view)}${
            logHtml(table)}</aside>
        <aside class="right ${view.desks.length === 2 ? 'duo' : ''}" data-key="right" aria-label="${
            _('Players and display')}"><div class="opps n${
            view.desks.length} ${table.game.reacts ? 'talk' : ''}" role="group" aria-label="${
            _('Players')}">${shutHtml()}${reactHtml(table)}${view.desks.map((_d, s) => s === me ||
            isBystander(table.game.seats[s]) ? '' : opponentHtml(table, view, s))}</div>${
            raceHtml(table, view, shutHtml())}${displayHtml(table, view)}</aside></div>
        <nav class="dock" aria-label="${_('Panels')}">${dockHtml()}</nav><div class="scrim" data-close></div></div>${
        isChoosing ? replaceHtml(table, view) : ''}`;
}

/** @param {Table} table */
const reactHtml = ({ game }) => game.reacts ? html`<button class="btn react" data-a="react" data-key="react">${
    symbol('ruby')}${_('React')}<kbd class="kbd">E</kbd></button>` : '';

/** The buttons for panels on a phone. */
const dockHtml = () => /** @type {const} */ ([['score', 'score', _('Score')], ['race', 'crown', _('Race')], ['disp',
    'cards', _('Display')],
    ['log', 'log', _('Log')]]).map(([name, sign, text]) => html`<button data-open="${name}">${icon(sign)}<span class="dl">${
        text}</span></button>`);

function shutHtml() { return html`<button class="iconbtn shut" data-close aria-label="${_('Close')}">${
    icon('close')}</button>`; }

/** @param {Table} table @param {View} view @param {string} mode @param {string | Html} shortRound */
function trayHtml(table, view, mode, shortRound) {
    // In a first game the panel is higher, and has room for the round and the text.
    const [title, text] = table.say(view, mode), told = table.isTold(view), { patterns } = table.edition,
        now = patterns[view.revealed[view.turn]];
    const left = patterns.flatMap((p, i) => Array(Math.max(0, p.copies - view.revealed.filter((r) =>
        r === i).length)).fill(p));
    const small = /** @param {import('./core.js').Pattern} p @param {string} kind @param {string} label */ (p, kind,
        label) =>
        html`<span class="xm ${kind}" role="img" aria-label="${label}">${patternPicture(turned(p))}</span>`;
    const [q, m] = table.aim ? [table.aim.quarters, table.aim.mirror] : [0, 0];
    const seen = view.revealed.map((p, i) => i === view.turn ? small(patterns[p], 'now', _('%{pattern}, now',
        { pattern: patternName(patterns[p]) })) : small(patterns[p], 'seen', _('%{pattern}, played',
            { pattern: patternName(patterns[p]) })));
    const words = ngettext('%{pattern}, %{n} space', '%{pattern}, %{n} spaces', now.size, { pattern: patternName(now) });
    // If there are many in a row, the text gets more room.
    const group = /** @param {string} name @param {Html[]} all */ (name, all) =>
        html`<div class="grp"><span class="eyebrow">${name}</span><div class="row ${
            all.length > 5 ? 'many' : ''}">${all}</div></div>`;
    return html`<section class="panel tray" aria-label="${_('Expedition')}"><div class="xcard" data-key="${view.round}.${
        view.turn}" role="img" aria-label="${words}">${compassRose}<span class="xname">${now.name}</span>${
        patternPicture(table.aim?.extra ? [[0, 0]] : turned(now, q, m))}</div>
        <div class="say"><h1 class="title">${title}</h1><p>${
            table.isShared ? html`<span class="only-p">${shortRound}</span><span class="${
                told ? '' : 'no-p'}">${text}</span>` : text}</p></div>
        <div class="track">${group(_('This round'), seen)}${group(_('Still in the deck'), left.map((p) => small(p, 'rest',
            _('%{pattern}, to come or unused', { pattern: patternName(p) }))))}</div></section>`;
}

/** @param {Table} table @param {View} view @param {import('./core.js').Slot} slot @param {number} i */
function cardHtml(table, view, slot, i) {
    if (!slot.card) {
        const more = view.phase === 'replace' && (view.deckLeft || view.display.some(Boolean));
        const mine = more && table.game.me >= 0 && view.order.indexOf(table.game.me, view.place) >= 0;
        return html`<div class="pcard empty" data-key="empty${i}"><p>${mine ? _('Your next pyramid comes here') : more ?
            _('New cards are being chosen') : _('No card left to take')}</p></div>`;
    }
    const card = table.edition.cards[slot.card], aim = table.aim, pin = aim?.pin?.slot === i ? aim.pin : null;
    const reach = new Set(aim ? aim.reachable(i) : []), marks = new Set(slot.marks), open = [...card.cells].filter((c) =>
        c !== '#').length;
    const old = table.inked.get(`${table.game.me}.${slot.card}`), fresh = old ? slot.marks.filter((m) =>
        !old.includes(m)) : [];
    const space = /** @param {number} k */ (k) => {
        const values = { space: spaceName(k), what: spaceWord(card.cells[k]) };
        const label = marks.has(k) ? _('%{space}, %{what}, marked', values) : pin?.cells.includes(k) ?
            _('%{space}, %{what}, would be marked', values) :
            reach.has(k) ? _('%{space}, %{what}, can be marked', values) : _('%{space}, %{what}', values);
        return html`<button role="gridcell" data-slot="${i}" data-cell="${k}" tabindex="${
            table.focus[i] === k ? 0 : -1}" aria-label="${
            label}"${card.cells[k] === '#' || marks.has(k) ? html` aria-disabled="true"` : ''}></button>`;
    };
    const cells = [0, 5, 10, 15, 20].map((row) => html`<div role="row">${[0, 1, 2, 3, 4].map((x) => space(row + x))}</div>`);
    const label = _('Card %{n}, %{colour}, %{shape}, %{marked} of %{open} marked', { n: slot.card,
        colour: colourName(card.colour),
        shape: shapeName(card.colour), marked: slot.marks.length, open });
    const here = `.cards-in [data-key="${slot.card}"]`, same = `${slot.marks.join('.')}|${card.cells}`;
    return html`<article class="pcard k-${card.colour} ${pin ? 'active' : ''} ${slot.tomb ? 'complete' : ''}" data-key="${
        slot.card}" data-n="${
        slot.card}"><div class="hwrap" data-same="${slot.card}.${card.colour}">${unless(table, `${here} [data-same="${
            slot.card}.${card.colour}"]`,
        () => html`${cardHead(card)}${cardHeadTall(card)}`)}</div><div class="tip">${pin ? chipsHtml(table,
            view) : ''}</div><div class="chamber"><div
        class="art" data-key="${slot.marks.join('.')}" data-same="${same}">${unless(table, `${here} [data-same="${same}"]`,
        () => chamber(card, slot.marks, { layers: true, fresh }))}</div><div class="cells" role="grid" aria-label="${
            label}">${
        cells}</div></div></article>`;
}

/** @param {Table} table @param {View} view */
function chipsHtml(table, view) {
    const { cycle } = table.aim ?? { cycle: { of: 0, at: 0 } };
    return html`${(table.preview(view)?.gains ?? []).map(({ c, label }) => html`<span class="chip">${symbolOf(c)}${
        label}</span>`)}${
        cycle.of > 1 ? html`<span class="chip cyc">${cycle.at + 1}/${cycle.of}</span>` : ''}`;
}

/** @param {Table} table @param {View} view @param {string} mode */
function actsHtml(table, view, mode) {
    // The sheet of new cards has them as well.
    const own = mode === 'choose' && !table.aside ? null : table.ownActs();
    if (own)
        return own;
    if (mode === 'watch')
        return html`<section class="panel acts" aria-label="${_('Watching')}"><div class="fx">${icon('eye')}<span>${
            _('You see what everyone may see.')}</span></div></section>`;
    if (table.aside)
        return html`<section class="panel acts" aria-label="${_('Your move')}"><div class="fx"><span>${
            _('A pyramid is complete')
        }</span></div><div class="ctl"><span class="sp"></span><button class="btn pri" data-a="cards">${
            icon('cards')}<span class="lbl">${
            _('New cards')}</span></button></div></section>`;
    const lost = table.isLost && !table.keepsAiming && (table.game.banner?.actions.length ?? 0) > 0;
    const stuck = lost ? html`<div class="stuck">${bannerActions(table)}<button class="btn" data-a="aim">${
        _('Keep aiming')}</button></div>` : '';
    return html`<section class="panel acts ${lost ? 'lost' : ''}" aria-label="${_('Your move')}"><div class="fx ${
        saysMore(table, mode) ? 'says' : ''}">${ribbonHtml(table, view, mode)}</div>${stuck}${
        controlsHtml(table, view, mode)}</section>`;
}

/** Whether the ribbon contains a reason or hints, which phones show with priority. @param {Table} table
 * @param {string} mode */
const saysMore = (table, mode) => mode !== 'wait' && Boolean(table.aim?.refused || (table.hints?.list.length &&
    mode !== 'replace' && mode !== 'choose'));

const off = /** @param {boolean | undefined} is */ (is) => html`aria-disabled="${Boolean(is)}"`;

/** The two buttons that end a turn. @param {Table} table @param {View} view @param {string} mode */
function endHtml(table, view, mode) {
    const { aim, game, hints } = table, sealed = mode === 'wait', hold = table.isLost && !sealed;
    const canUndo = sealed ? game.isSealed() : aim?.pin || aim?.painting || table.core.made(Math.max(0, game.me)).length;
    const ready = mode === 'pass' || mode === 'made' || aim?.pin, preview = sealed ? null : table.preview(view);
    const more = !hints?.list.length && mode !== 'pass' && Boolean(preview?.desk.due);
    const confirm = mode === 'pass' ? _('Pass') : sealed ? game.isUnsent() ? _('Kept') : _('Sent') : hints?.list.length ?
        _('Place %{n}', { n: hints.at + 1 }) : more ? _('Next') : table.confirmWord;
    return html`<button class="btn" data-a="${sealed ? 'retract' : 'undo'}" title="${_('Undo')} (U)" ${off(!canUndo)}>${
        icon('undo')}<span class="lb">${sealed ? _('Take back') :
        _('Undo')}</span><kbd class="kbd">U</kbd></button><button class="btn pri ${confirm.length > 7 ? 'long' : ''} ${
        hold ? 'hold' : ''}" data-a="confirm" ${more ? html`aria-label="${
        _('Next: confirm, then mark one more space')}"` : ''} ${off(sealed || !ready)}>${icon(hold ? 'wifi' : 'check')}<span
        class="lbl">${confirm}</span>${preview ? html`<span class="then" aria-hidden="true">${
            signed(preview.total)}</span>` : ''}<kbd
        class="kbd">↵</kbd></button>`;
}

/** The buttons of a turn. @param {Table} table @param {View} view @param {string} mode */
function controlsHtml(table, view, mode) {
    const { aim } = table, can = aim !== null && !aim.mustPass, whole = can && !aim.one;
    return html`<div class="ctl"><div class="seg" role="group" aria-label="${_('What to mark')}"><button aria-pressed="${
        whole}" data-a="pattern" ${
        off(!can || aim.extra || !aim.patterns.length)}>${icon('ell')}${_('Pattern')}</button><button aria-pressed="${can &&
            aim.one}" data-a="single" ${off(!can)}>${icon('one')}${_('One space')}</button></div>
        <button class="btn only-p" data-a="one" aria-label="${_('One space')}" aria-pressed="${can && aim.one}" ${
            off(!can || aim.extra)}>${
            icon('one')}<span class="lb">${_('One')}</span></button>
        <button class="btn" data-a="rotate" title="${_('Rotate the pattern')} (R)" aria-label="${_('Rotate the pattern')}" ${
            off(!whole)}>${icon('rot')}<span class="lb">${
            _('Rotate')}</span><kbd class="kbd">R</kbd></button><button class="btn" data-a="mirror" title="${
        _('Mirror the pattern')} (F)" aria-label="${_('Mirror the pattern')}" ${off(!whole)}>${
            icon('mir')}<span class="lb">${
            _('Mirror')}</span><kbd class="kbd">F</kbd></button>
        <button class="btn no-p" data-a="list" title="${_('List placements')} (P)" aria-label="${_('List placements')}" ${
            off(!can)}>${
            icon('list')}<span class="lb wide-only">${_('List')}</span></button>
        <span class="sp"></span>${endHtml(table, view, mode)}</div>`;
}

/** What is placed where, with the names of spaces only if they are switched on: "L on 29". @param {Table} table
 * @param {number} card
 * @param {number[]} cells */
function whereHtml(table, card, cells) {
    const { aim } = table, hold = /** @param {(part: Html) => string} h */ (h) => h(html`<b>${card}</b>`);
    const words = cells.length > 1 && aim ? sentence((h) => _('%{pattern} on %{card}', { pattern: h(html`<b>${
        aim.pattern.name}</b>`),
        card: hold(h) })) : sentence((h) => capital(_('one space on %{card}', { card: hold(h) })));
    return html`${words}${settings.spaces ? html` <small>${spaceNames(cells)}</small>` : ''}`;
}

/** @param {Table} table @param {View} view @param {string} mode */
function ribbonHtml(table, view, mode) {
    if (mode === 'wait')
        return html`<span class="wax"><span class="seal">${icon('check')}</span>${
            _('Your move is sealed until everyone is ready')}</span>`;
    const { aim, hints } = table, { me } = table.game, { slots } = view.desks[me];
    const made = table.core.made(me).map((s) => s.kind === 'mark' ? html`<span class="crumb">${whereHtml(table,
        slots[s.slot].card,
        s.cells)}</span>` : '');
    if (aim?.refused) {
        const { text, rule } = reason(aim.refused);
        return html`${made}<span class="why">${icon('info')}<span>${text}${ruleLink(rule)}</span></span>`;
    }
    if (mode === 'replace' || mode === 'choose')
        return html`<span>${_('New cards are being chosen')}</span>`;
    const preview = table.preview(view);
    if (!aim?.pin || !preview)
        return html`${made}${hints ? pickerHtml(table) : html`<span>${aim?.extra ?
            _('Choose one more space on either card') :
            mode === 'pass' ? _('Nothing to mark') : mode === 'made' ? _('Ready to confirm') :
                _('Choose a space to see what you would gain')}</span>`}`;
    const now = table.totalOf(view, me), { pin } = aim;
    return html`${made}${hints ? pickerHtml(table) : html`<span class="where">${whereHtml(table, slots[pin.slot].card,
        pin.cells)}</span>`}${
        preview.gains.map(({ c, label, text }) => html`<span class="chip"><span class="vh">${text}</span>${symbolOf(c)}${
        label}</span>`)}<span class="chip res"><b>${signed(now)}</b><span class="arrow">→</span><b>${
            signed(preview.total)}</b></span>`;
}

/** @param {Table} table @param {View} view */
function scoreHtml(table, view) {
    const seat = Math.max(0, table.game.me), desk = view.desks[seat], p = table.preview(view), next = p?.desk ?? desk;
    const now = table.totalOf(view, seat), d = p ? p.total - now : 0, score = view.scores[seat],
        seatName = table.game.seats[seat].name;
    const gem = /** @param {'ruby' | 'emerald'} g @param {number} i @param {boolean} on @param {boolean} soon */ (g, i, on,
        soon) => on ?
        html`<svg class="gs" data-of="${g[0]}${i}" viewBox="0 0 48 48" aria-hidden="true"><use href="#s-${g}"/></svg>`
        : soon ? html`<span class="ring"><svg class="gs" viewBox="0 0 48 48" aria-hidden="true"><use href="#s-${
            g}"/></svg></span>` :
            html`<svg class="gs" viewBox="0 0 48 48" aria-hidden="true"><path class="slot" d="${
                g === 'ruby' ? RUBY : EMERALD}"/></svg>`;
    const columns = [...Array(10).keys()].map((i) => {
        const r = i < desk.rubies, e = i < desk.emeralds;
        return html`<div class="col ${r && e ? 'pair' : ''}">${gem('ruby', i, r, i < next.rubies)}${gem('emerald', i, e,
            i < next.emeralds)}<small>${r && e ? 5 : r || e ? 1 : ''}</small></div>`;
    });
    const done = [...shelf(table, view, seat).map(({ card, fresh }) => numberHtml(table, card, fresh ? 'won' : '')),
        ...desk.slots.filter((s) => s.tomb && view.phase === 'mark').map((s) => numberHtml(table, s.card))];
    const coins = COLOURS.flatMap((_k, c) => TILES.filter((_v, i) => view.tiles[c][i] === seat));
    const block = /** @param {string} name @param {string | number} sum @param {Html} body @param {string} [more] */ (name,
        sum, body, more = '') =>
        html`<div class="blk ${more}"><div class="bh"><span class="eyebrow">${name}</span><b class="${
            String(sum).startsWith('−') ? 'neg' : ''}">${
            sum}</b></div>${body}</div>`;
    return html`<section class="panel score" aria-label="${_('Score card of %{name}', { name: seatName })}">${
        shutHtml()}<div class="hd">${
        avatar(seat, { me: seat === table.game.me, says: table.game.bubbles.get(seat) })}<div class="who"><b dir="auto"
            class="nmt">${seatName}</b><span class="eyebrow">${
        _('Score card')}</span></div><div class="tot num">${signed(now)}${d ? html`<span class="delta">${
            withSign(d)}</span>` : ''}</div></div>
        ${block(_('Pyramids'), 10 * done.length, html`<div class="done">${done.length ? done : html`<span class="none">${
            _('none yet')}</span>`}</div>`, 'p-done')}
        ${block(_('Pyramid points'), score.points, html`<span class="coins">${coins.map((v) => html`<span class="coin sm">${
            v}</span>`)}</span>`,
            'p-points')}
        ${block(_('Gems'), score.gems, html`<div class="gems" role="img" aria-label="${
            _('Rubies %{rubies}, emeralds %{emeralds}',
            { rubies: desk.rubies, emeralds: desk.emeralds })}">${columns}</div>`)}
        ${block(_('Torches'), score.torches, html`<ul class="torches">${desk.torches.map((t, i) => html`<li data-of="f${
            i}" class="${
            t ? 'lit' : next.torches[i] ? 'next' : i < view.round ? 'missed' : i === view.round ? 'due' : ''}">${
            symbol('torch', t || next.torches[i] ? '' : 'un')}${ROMAN[i]}<span class="vh">${
                t ? _('marked') : _('not marked')}</span></li>`)}</ul>`, 'p-torches')}
        ${block(desk.skulls ? ngettext('Skulls: %{n} marked', 'Skulls: %{n} marked', desk.skulls) : _('Skulls'),
            signed(score.skulls),
            html`<ol class="skulls">${table.edition.skulls.map((v, i) => html`<li data-of="s${i}" class="${
                i < desk.skulls ? i >= next.skulls ?
                'freed' : '' : i < next.skulls ? 'next' : 'un'} ${i === desk.skulls - 1 ? 'worst' : ''}">${
                    symbol('skull')}−${v}</li>`)}</ol>`)}</section>`;
}

/** @param {Table} table */
function logHtml(table) {
    const key = [table.core.lines().length, table.game.reactions.length, table.game.me, table.sheet === 'log',
        settings.spaces, language].join('.');
    const list = html`<ol data-same="${key}">${unless(table, `.logbox > [data-same="${key}"]`, () => logLines(table))}</ol>`;
    return html`<section class="panel log" aria-label="${_('Game log')}"><div class="ph"><span class="eyebrow">${
        _('Game log')}</span>${
        shutHtml()}<button class="iconbtn open" data-open="log" aria-label="${_('Open the whole log')}">${
        icon('right')}</button></div><div class="logbox" tabindex="0" role="log" aria-live="off" aria-label="${
        _('Game log, newest turn first')}">${list}</div></section>`;
}

/** @param {Table} table */
function logLines(table) {
    const { core, edition } = table, lines = core.lines().filter((_l, i) => core.isVisible(i, table.game.me));
    /** @type {Html[]} */
    let part = [];
    /** @type {Html[][]} */
    const parts = [part];
    /** A line is a picture of its move; its text is for screen readers. @param {import('./words.js').Entry} e */
    const moment = (e) => {
        const { card, cells, marks } = /** @type {NonNullable<typeof e.mark>} */ (e.mark), chars = cells.map((i) =>
            edition.cards[card].cells[i]);
        const words = sentence((h) => _('%{name} on %{card}', { name: h(html`<b dir="auto" class="nmt">${
            table.game.seats[e.seat].name}</b>`),
            card: h(numberHtml(table, card)) }));
        // Can be focused only in the open log: in the dock, its many lines would be between the other panels.
        return html`<button class="moment" data-look="${card}" data-marks="${marks.join(' ')}" data-fresh="${
            cells.join(' ')}" data-by="${
            e.seat}" tabindex="${table.sheet === 'log' ? 0 : -1}" aria-label="${e.text}">${
                tinyChamber(edition.cards[card], marks, cells)}<span
            class="lw">${words}${settings.spaces ? html` <small>${spaceNames(cells)}</small>` : ''}</span><span class="ls">${
            chars.map(symbolOf)}</span></button>`;
    };
    let told = 0;
    const { reactions, seats, me } = table.game, names = seats.map((s) => s.name);
    const reacted = /** @param {number} [before] */ (before = Infinity) => {
        for (; reactions[told] && reactions[told].line <= before; told++) {
            const { seat, symbol: n } = reactions[told];
            part.push(html`<li class="ln">${avatar(seat, { small: true, me: seat === me })}<span><b dir="auto" class="nmt">${
                seats[seat].name}</b> ${symbol(REACTIONS[n][0])} ${_(REACTIONS[n][1])}</span></li>`);
        }
    };
    for (const e of logEntries(core, lines, -1, names).filter((e) => !isBystander(seats[e.seat]))) {
        reacted(e.line);
        if (e.kind === 'turn')
            parts.push(part = [html`<li class="turn">${e.html}</li>`]);
        else
            part.push(html`<li class="ln">${avatar(e.seat, { small: true, me: e.seat === table.game.me })}${
                e.mark ? moment(e) :
                html`<span>${e.html}</span>`}</li>`);
    }
    reacted();
    return parts.reverse().flat();
}

/** A small card that can be enlarged. @param {Table} table @param {string} within where it is: a selector that leads
 * there by keys
 * @param {number} card @param {number[]} marks @param {number[]} [fresh] @param {string} [more] */
function lookHtml(table, within, card, marks, fresh = [], more = '') {
    if (!card)
        return html`<span class="mini none"></span>`;
    const face = table.edition.cards[card], key = `${card}.${marks.join('.')}`, same = `${fresh.join('.')}.${face.cells}`;
    const isThere = !table.writesAll && table.root.querySelector(`${within} [data-key="c${card}"] .mini[data-key="${
        key}"][data-same="${
        same}"]`);
    return html`<button class="look ${more}" data-key="c${card}" data-look="${card}" data-marks="${
        marks.join(' ')}" aria-label="${
        _('Look at card %{n}, %{colour}', { n: card, colour: colourName(face.colour) })}">${
        isThere ? html`<span class="mini k-${face.colour}" data-key="${key}" data-same="${same}"></span>` : miniCard(face,
            marks, fresh)}</button>`;
}

/** @param {Table} table @param {View} view @param {number} s */
function opponentHtml(table, view, s) {
    const seat = table.game.seats[s], desk = view.desks[s], status = table.game.status(s), total = table.totalOf(view, s);
    const words = { ready: _('ready'), thinking: _('thinking'), choosing: _('choosing a card'), next: _('next to choose'),
        idle: '',
        away: _('away, a bot is playing'), gone: table.game.minutesGone(s) ? _('away %{n} min',
            { n: table.game.minutesGone(s) }) :
            _('not connected') }[status];
    const counts = { pyramids: desk.done.length, rubies: desk.rubies, emeralds: desk.emeralds,
        torches: desk.torches.filter(Boolean).length,
        skulls: desk.skulls };
    const move = table.moves.get(s), sign = status === 'ready' ? icon('check') : status === 'gone' ? icon('wifi') : '';
    return html`<article class="panel opp" data-key="s${s}" data-seat="${s}" aria-label="${
        ngettext('%{name}, %{n} point', '%{name}, %{n} points', total, { name: seat.name })}, ${words}"><div class="id">${
        avatar(s, { bot: seat.level !== '', says: table.game.bubbles.get(s) })}<div
        class="who"><div class="nm"><span class="nmt" dir="auto">${seat.name}</span><span class="num">${
            signed(total)}</span></div><div class="st ${
        status}">${sign}<span class="nmt">${words}</span>${seat.level ? html`<span class="lv">${
            levelName(seat.level)}</span>` : ''}</div></div></div>${
        shelfHtml(table, view, s)}
        <div class="bits" role="img" aria-label="${
            _('Pyramids %{pyramids}, rubies %{rubies}, emeralds %{emeralds}, torches %{torches}, ' +
            'skulls marked %{skulls}', counts)}"><span>${symbol('ruby')}${desk.rubies}</span><span>${symbol('emerald')}${
            desk.emeralds}</span><span>${symbol('torch')}${counts.torches}</span><span>${symbol('skull')}${
                desk.skulls}</span></div><div
        class="minis">${desk.slots.map((slot) => {
            const old = table.before.get(`${s}.${slot.card}`);
            return lookHtml(table, `.opp[data-seat="${s}"]`, slot.card, slot.marks, old ? slot.marks.filter((m) =>
                !old.includes(m)) : [],
                move?.card === slot.card ? 'hl' : '');
        })}</div></article>`;
}

/** @param {Table} table @param {View} view */
function displayHtml(table, view) {
    const deck = ngettext('deck: %{n} card', 'deck: %{n} cards', view.deckLeft);
    return html`<section class="panel disp" aria-label="${_('Display and deck')}"><div class="ph"><span class="eyebrow">${
        _('Display')}</span><span class="deck">${deckArt}<span>${deck}</span></span>${shutHtml()}</div><div class="grid">${
            view.display.map((n) =>
        lookHtml(table, '.disp', n, []))}<div class="dk">${bigDeck(view.deckLeft)}</div></div></section>`;
}

/** Describes where new cards can be taken from, and how many. @param {View} view */
function takeWords(view) {
    const two = Math.min(view.owed, view.deckLeft + view.display.filter(Boolean).length) > 1;
    return (view.deckLeft ? _('Take your next pyramid from the display, or the unseen top card of the deck.') :
        _('Take your next pyramid from the display. The deck is empty.')) + (two ?
        ` ${_('You take two, one after the other.')}` : '');
}

/** A card that can be taken: its symbols, and its place among your own pyramids. @param {Table} table @param {View} view
 * @param {number} n
 * @param {number} chosen @param {Html | string} off */
function pickHtml(table, view, n, chosen, off) {
    const k = table.edition.cards[n].colour, c = COLOURS.indexOf(k), count = countOf(table, view, table.game.me, k),
        stake = stakeOf(view, c);
    return html`<button class="pick" aria-pressed="${chosen === n}" data-next="${n}" ${off}><span class="vh">${
        cardInWords(table.edition, n)}</span><span class="tick">${icon('check')}</span>${hintOn(table, n)}${
        picture(table.edition.cards[n])}<span class="cap" aria-hidden="true">${capHtml(table,
            n)}</span><span class="cap nth k-${k}"><span>${shape(k)}${
        nth(count + 1, k)}${nextTakesPoints(count, stake) ? html` <span class="goes">${_('one to go: %{points}',
            { points: stake })}</span>` : ''}</span></span></button>`;
}

/** @param {Table} table @param {View} view */
function replaceHtml(table, view) {
    const { me } = table.game, armed = view.order[view.place] === me, off = armed ? '' : html`aria-disabled="true"`,
        fresh = view.fresh[me];
    const [choice] = table.picked, none = table.picked.length === 0, chosen = none ? -1 : choice;
    const title = table.game.coach?.head ? table.game.coach.title : fresh.length > 1 ?
        _('Cards %{a} and %{b} are complete', { a: fresh[0],
        b: fresh[1] }) : _('Card %{n} is complete',
        { n: fresh[0] });
    const order = view.order.map((s, i) => html`<li class="${i < view.place ? 'past' : i === view.place ? 'now' : ''}">${
        avatar(s, { small: true,
        me: s === me })}<span>${Math.min(...view.fresh[s])}</span></li>`);
    const first = view.order[view.place], lamp = canHint(table) ? html`<button class="btn" data-a="hint" aria-pressed="${
        table.hints !== null}"
        aria-label="${_('Hint')}">${icon('bulb')}</button>` : '';
    return html`<div class="over" role="dialog" aria-modal="true" aria-labelledby="rp-t"><div class="panel ov">${
        bannerHtml(table, true)}<div
        class="ovh"><div class="ovp">${pyramidOf(table.edition.cards[fresh[0]])}<b>${
            withSign(10 * fresh.length)}</b></div><div class="ovt"><h1
        class="title" id="rp-t" tabindex="-1">${title}</h1><p>${table.game.coach?.head ? table.game.coach.text :
            !armed ? _('%{name} chooses first, with card %{n}.',
            { name: table.game.seats[first].name, n: Math.min(...view.fresh[first]) }) :
                takeWords(view)}</p></div><div class="ovr"><ol
        class="order" aria-label="${_('Order of choosing')}">${order}</ol>${lamp}<button
        class="btn" data-a="table" aria-label="${_('Table')}">${icon('eye')}<span class="no-p">${
        _('Table')}</span></button></div></div>
        <div class="deal five" role="group" aria-label="${_('Cards to take')}"><div class="deal-in">${
            view.display.filter(Boolean).map((n) => pickHtml(table, view, n, chosen, off))}${
            view.deckLeft ? html`<button class="pick deckpick" aria-pressed="${chosen === 0}" data-next="0" ${
                off}><span class="vh">${
            _('Unseen top card.')} </span><span class="tick">${icon('check')}</span>${hintOn(table, 0)}<span class="dback">${
            cardBack}</span><span class="cap">${
            ngettext('Deck, %{n} card', 'Deck, %{n} cards', view.deckLeft)}</span></button>` : ''}</div></div>
        <div class="ovf">${table.ownActs() || html`<span class="note">${icon('info')}${
            table.game.isUnsent() ? _('Your choice is saved here and sent later.') :
                view.deckLeft ?
                _('New cards are laid out when you are done.') :
                    _('No more new cards are laid out.')}</span><button class="btn pri"
            data-a="take" aria-disabled="${none}">${icon('check')}${
            none ? _('Take a card') : choice ? _('Take %{n}', { n: choice }) :
                capital(_('draw from the deck'))}</button>`}</div></div></div>`;
}
