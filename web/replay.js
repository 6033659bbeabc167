/**
 * replay.js: games that were played: the list of those kept here, and the viewer: step, play, jump, from any seat's view, with the marks of
 * the analysis. Any record can be dropped onto the page; what is wrong with one is told with its line.
 */
import { html } from './html.js';
import { _, ngettext, listWords } from './i18n.js';
import { $, download, near, put, shareLink, toast } from './dom.js';
import { ROMAN, avatar, icon, mini, patternPicture, rose, shape, symbol, turned } from './draw.js';
import { COLOURS, TILES, ERR } from './core.js';
import { faultWithLine, levelName, logEntries, moveParts, patternName, playerName, signed, spaceNames, withRules } from './words.js';
import { LARGEST_EDITION, editions, games, keepEdition, keepGame } from './store.js';
import { Analysis, costNumbers, isAnalysed, markWords } from './analysis.js';
import { judgedHtml, scoreTable, resultWords } from './end.js';
import { replayLink, unpack } from './pack.js';
import { LocalGame } from './game.js';
import { api, serverWords, visit } from './online.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./core.js').Core} Core */
/** @typedef {import('./core.js').View} View */
/** @typedef {import('./core.js').Judged} Judged */

/** Instead of words: the record is of an edition that is not here. */
export const MISSING = 'edition';

/** The name of the edition that a record was played with. @param {string} record */
export const editionOf = (record) => /^edition (\S+)/m.exec(record)?.[1] ?? 'classic';

/** A core with the record loaded, or what is wrong with it. @param {App} app @param {string} text @param {string} [edition] its text, if it is known
 * @returns {Core | string} */
export function loadRecord(app, text, edition = '') {
    const named = editionOf(text);
    const core = app.core(edition || (Object.hasOwn(editions(), named) ? named : 'classic'));
    const fault = core.load(text);
    if (!fault)
        return core.view(-1) ? core : _('The record ends before the cards are dealt.');
    return fault.code === ERR.record_edition ? MISSING : faultWithLine(fault);
}

const LARGEST = 65535;             // what the engine reads; a game is written in 4 KB

/** Files that are dropped anywhere, or chosen. @param {App} app @param {File} file @param {(message: string) => void} say */
export async function openFile(app, file, say) {
    const text = file.size > LARGEST ? '' : await file.text();
    if (text.startsWith('pyramids-edition '))
        await (await import('./editions.js')).importFile(app, file);
    else if (file.size > LARGEST)
        say(_('%{name} is too large for a game record.', { name: file.name }));
    else
        openRecord(app, file.name, text, say);
}

/** @param {App} app @param {string} name of its file @param {string} text @param {(message: string) => void} say */
function openRecord(app, name, text, say) {
    const core = loadRecord(app, text);
    if (core === MISSING) {
        app.show((root) => new MissingView(root, app, text, () => openRecord(app, name, text, toast)), _('Replay'));
        return;
    }
    if (typeof core === 'string') {
        say(_('%{name}: %{message}', { name, message: core }));
        return;
    }
    const id = `${Date.now()}`;
    keepGame({ id, date: Date.now(), record: text, me: -1, edition: core.edition.name === 'classic' ? '' : core.edition.text });
    app.go(`replay/${id}`);
}

/** @param {HTMLElement} root @param {AbortSignal} signal @param {(file: File) => unknown} take */
function takeDrops(root, signal, take) {
    document.addEventListener('dragover', () => root.classList.add('dropping'), { signal });
    document.addEventListener('dragleave', () => root.classList.remove('dropping'), { signal });
    document.addEventListener('drop', (e) => {
        root.classList.remove('dropping');
        const file = e.dataTransfer?.files[0];
        if (!file)
            return;
        e.preventDefault();
        take(file);
    }, { signal });
    root.addEventListener('change', (e) => {
        const input = e.target;
        if (!(input instanceof HTMLInputElement) || input.type !== 'file' || !input.files?.[0])
            return;
        take(input.files[0]);
        input.value = '';                    // so that the same file can be chosen again once it is mended
    });
}

/** What is seen after so many lines. The engine takes pyramid points with the last replacement, a record tells them line by line: those of later
 * lines are not shown yet. @param {Core} core @param {string[]} lines @param {number} count @param {number} seat @returns {View | null} */
export function viewAfter(core, lines, count, seat) {
    const view = core.viewAt(count, seat);
    for (let i = count; view && lines[i]?.startsWith('points '); i++) {
        const [, owner, colour, points] = lines[i].split(' '), s = Number(owner) - 1;
        view.tiles[COLOURS.indexOf(/** @type {import('./core.js').Colour} */ (colour))][TILES.indexOf(Number(points))] = -1;
        view.scores[s].points -= Number(points);
        view.scores[s].total -= Number(points);
    }
    return view;
}

/**
 * The marks of a turn up to a line, by seat: until the last player is in they are not on the desks, and a card that they complete is set aside at once.
 * @param {string[]} lines @param {number} at @returns {Map<number, {card: number, cells: number[]}[]>}
 */
export function turnMarks(lines, at) {
    const marks = new Map();
    for (let i = at; lines[i]?.startsWith('mark '); i--)
        marks.set(Number(lines[i].split(' ')[1]) - 1, moveParts(lines[i].split(' ')[2]));
    return marks;
}

/** A player's two cards, score card and completed pyramids. @param {Core} core @param {View} view @param {View} before @param {number} s
 * @param {string} name @param {{level?: string, parts?: {card: number, cells: number[]}[]}} [more] level of a bot; what was just marked */
export function deskHtml({ edition }, view, before, s, name, { level, parts = [] } = {}) {
    const d = view.desks[s];
    const cards = d.slots.map((slot, i) => {
        const old = before.desks[s].slots[i], card = slot.card || (parts.some((p) => p.card === old.card) ? old.card : 0);
        const fresh = parts.filter((p) => p.card === card).flatMap((p) => p.cells), marks = [...new Set([...(slot.card ? slot : old).marks, ...fresh])];
        return card ? html`<div role="img" aria-label="${_('Card %{n}, %{marked} marked', { n: card, marked: marks.length })}">${mini(
            edition.cards[card], marks, fresh)}</div>` : html`<span class="mini none"></span>`;
    });
    return html`<article class="panel opp rp" aria-label="${ngettext('%{name}, %{n} point', '%{name}, %{n} points', view.scores[s].total,
        { name })}"><div class="id">${avatar(s, { bot: level !== undefined })}<div><div class="nm"><span class="nmt" dir="auto">${
        name}</span><span class="num">${signed(view.scores[s].total)}</span></div><div class="sub">${level ?
        _('bot, %{level}', { level: levelName(level) }) : ''}</div></div>
        <div class="done">${d.done.map((n) => html`<span class="dn k-${edition.cards[n].colour}">${shape(edition.cards[n].colour)}${
            n}</span>`)}</div>
        <div class="bits"><span>${symbol('ruby')}${d.rubies}</span><span>${symbol('emerald')}${d.emeralds}</span><span>${symbol('torch')}${
            d.torches.map((t, i) => t ? ROMAN[i] : '').filter(Boolean).join(' ') || 0}</span><span>${symbol('skull')}${d.skulls ?
            `−${edition.skulls[d.skulls - 1]}` : 0}</span></div></div>${cards}</article>`;
}

/** Who has which pyramid points. @param {View} view @param {import('./core.js').Colour[]} [colours] */
export const tilesHtml = (view, colours = COLOURS) => html`<ul class="pp">${colours.map((k) => {
    const owners = view.tiles[COLOURS.indexOf(k)];
    return html`<li class="k-${k}"><span class="k">${shape(k)}</span>${TILES.map((v, i) => html`<span class="v ${owners[i] < 0 ? '' : 'taken'}">${v}${
        owners[i] < 0 ? '' : avatar(owners[i], { small: true })}</span>`)}</li>`;
})}</ul>`;

/** Instead of a replay whose cards are not here: they can be brought. */
export class MissingView {
    /** @param {HTMLElement} root @param {App} app @param {string} record @param {() => void} then the edition is here now */
    constructor(root, app, record, then) {
        this.root = root;
        this.app = app;
        this.name = editionOf(record);
        this.message = '';
        this.abort = new AbortController();
        takeDrops(root, this.abort.signal, async (file) => {
            this.message = await this.bring(file);
            if (this.message)
                this.render();
            else
                then();
        });
        this.render();
    }

    stop() { this.abort.abort(); }

    /** Keeps the edition among one's own; or says what is wrong with it. @param {File} file */
    async bring(file) {
        if (file.size > LARGEST_EDITION)
            return _('%{name} is too large for an edition.', { name: file.name });
        const core = this.app.core(), fault = core.readEdition((await file.text()).replace(/\r\n?/g, '\n')), { name, text } = core.edition;
        if (fault)
            return _('%{name}: %{message}', { name: file.name, message: faultWithLine(fault) });
        if (name !== this.name)
            return _('This is the edition “%{other}”. The game was played with “%{name}”.', { other: name, name: this.name });
        keepEdition(name, text);
        return '';
    }

    render() {
        put(this.root, html`<div class="page">${pageTop(_('Replay'))}<main class="page-in narrow"><h1 class="title">${_('The cards of this game are missing')}</h1><p class="lead">${
            _('It was played with the edition “%{name}”, which this browser does not have. Open its file, or drop it onto this page, to see the game.', { name: this.name })}</p>
            <p class="bars"><label class="btn pri filebtn">${icon('cards')}${_('Open the edition file')}<input type="file" class="vh" accept=".edition,.txt,text/plain"></label><a class="btn" href="#replays">${
            icon('replay')}${_('Replays')}</a></p><p class="err" role="alert">${this.message}</p></main></div>`);
    }
}

export class ReplaysView {
    /** @param {HTMLElement} root @param {App} app */
    constructor(root, app) {
        this.root = root;
        this.app = app;
        this.message = '';
        this.abort = new AbortController();
        takeDrops(root, this.abort.signal, (file) => openFile(app, file, (message) => {
            this.message = message;
            this.render();
        }));
        this.render();
    }

    stop() { this.abort.abort(); }

    render() {
        const rows = games().map((g) => {
            const core = loadRecord(this.app, g.record, g.edition);
            if (typeof core === 'string')
                return '';
            const names = core.names().map(playerName), view = core.view(-1), winners = core.isOver() ? core.winners() : [];
            const result = view && core.isOver() ? names.map((n, s) => html`${s ? ' · ' : ''}${winners.includes(s) ? html`<b>${n}</b>` : n} ${
                signed(view.scores[s].total)}`) : `${listWords(names)} · ${_('not finished')}`;
            return html`<li><a class="panel game" href="#replay/${g.id}">${icon('replay')}<span>${result}<small>${new Date(g.date).toLocaleString(
                document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' })} · ${core.edition.title}</small></span>${
                icon('right')}</a></li>`;
        });
        put(this.root, html`<div class="page">${pageTop(_('Replays'))}<main class="page-in"><h1 class="title">${_('Replays')}</h1><p class="lead">${
            _('Your last games are saved in this browser. Drop a record onto this page to watch any game.')}</p>
            <p class="bars"><label class="btn filebtn">${icon('share')}${
                _('Open a record')}<input type="file" class="vh" accept=".pyr,.txt,text/plain"></label></p><p class="err" role="alert">${
                withRules(this.message)}</p>
            <ul class="gamelist">${rows || html`<li class="panel none-yet">${_('Your games will be saved here.')}</li>`}</ul></main></div>`);
    }
}

export class ReplayView {
    /** @param {HTMLElement} root @param {App} app @param {Core} core @param {string} id @param {number} [line] */
    constructor(root, app, core, id, line) {
        this.root = root;
        this.app = app;
        this.core = core;
        this.id = id;
        this.lines = core.lines();
        this.names = core.names().map(playerName);
        this.entries = logEntries(this.lines, core.edition);
        this.bots = new Map(this.lines.filter((l) => l.startsWith('tag bot ')).map((l) => /** @type {[number, string]} */ ([Number(l.split(
            ' ')[2]) - 1, l.split(' ')[3]])));
        const first = this.lines.findIndex((_l, i) => core.viewAt(i + 1, -1) !== null);
        this.first = first < 0 ? 0 : first;
        this.at = line !== undefined && line >= this.first && line < this.lines.length ? line : this.first;
        /** Whose view: -1 everyone's. */
        this.seat = -1;
        /** @type {Analysis | null} */
        this.analysis = null;
        /** @type {Judged | null} */
        this.judged = null;
        this.refining = false;
        this.progress = -1;
        this.message = '';
        this.abort = new AbortController();
        takeDrops(root, this.abort.signal, (file) => openFile(app, file, (message) => {
            this.message = message;
            this.render();
        }));
        root.addEventListener('click', (e) => this.click(e));
        root.addEventListener('input', (e) => this.input(e));
        document.addEventListener('keydown', (e) => this.key(e), { signal: this.abort.signal });
        if (isAnalysed(core.log()))
            this.analyse();
        this.render();
    }

    stop() {
        this.analysis?.stop();
        this.abort.abort();
        clearInterval(this.timer);
        clearTimeout(this.noting);
    }

    /** The next line at which something is seen to happen. @param {number} by */
    step(by) {
        let at = this.at + by;
        while (at > this.first && at < this.lines.length - 1 && /^(tag|player|deal|show)/.test(this.lines[at]))
            at += by;
        this.at = Math.max(this.first, Math.min(this.lines.length - 1, at));
        this.render();
    }

    play() {
        if (this.timer) {
            clearInterval(this.timer);
            this.timer = undefined;
        } else {
            if (this.at === this.lines.length - 1)
                this.at = this.first;
            this.timer = setInterval(() => {
                this.step(1);
                if (this.at === this.lines.length - 1)
                    this.play();
            }, 1100);
        }
        this.render();
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        if (document.querySelector('dialog[open]') || near(event, 'input, select, textarea'))
            return;
        if (event.key === 'ArrowRight') this.step(1);
        else if (event.key === 'ArrowLeft') this.step(-1);
        else if (event.key === 'Home') this.step(-this.lines.length);
        else if (event.key === 'End') this.step(this.lines.length);
        else if (event.key === ' ' && !near(event, 'button, a')) this.play();
        else return;
        event.preventDefault();
    }

    /** @param {Event} event */
    input(event) {
        const field = /** @type {HTMLInputElement} */ (event.target);
        if (field.name === 'at') {
            this.at = Number(field.value);
            this.render();
        } else if (field.name === 'seat') {
            this.seat = Number(field.value);
            this.render();
        }
    }

    /** @param {Event} event */
    click(event) {
        const act = near(event, '[data-a]')?.dataset.a, link = near(event, `a[href^="#replay/${this.id}/"]`)?.getAttribute('href'),
            line = link?.split('/')[2] ?? near(event, '[data-line]')?.dataset.line;
        if (link) {                          // a turning point of this very game: the analysis stays
            event.preventDefault();
            scrollTo(0, 0);
        }
        if (line) {
            this.at = Number(line);
            this.render();
        }
        switch (act) {
        case 'first': this.at = this.first; this.render(); break;
        case 'last': this.at = this.lines.length - 1; this.render(); break;
        case 'back': this.step(-1); break;
        case 'next': this.step(1); break;
        case 'play': this.play(); break;
        case 'analyse': this.analyse(); break;
        case 'download': download(`pyramids-${this.id}.pyr`, this.core.log()); break;
        case 'share': void replayLink(this.id, this.core.log(), this.core.edition, /^[A-Z0-9]{8}$/.test(this.id)).then(shareLink); break;
        }
    }

    analyse() {
        if (this.analysis)
            return;
        this.progress = 0;
        this.render();
        this.analysis = new Analysis(this.core, this.core.log(), ({ judged, done, refining, failed }) => {
            Object.assign(this, { judged, refining, progress: done });
            if (failed) {
                this.progress = -1;
                this.analysis = null;
                toast(_('This part could not be loaded. Are you offline?'));
            }
            this.render();
        });
    }

    render() {
        const { core } = this, view = viewAfter(core, this.lines, this.at + 1, this.seat), before = core.viewAt(this.at, this.seat) ?? view,
            over = this.lines[this.at]?.startsWith('winner');
        if (!view || !before)
            return;
        const edition = core.edition, now = view.revealed.length ? edition.patterns[view.revealed[view.revealed.length - 1]] : null;
        const here = this.entries.filter((e) => e.line <= this.at), current = here.at(-1);
        const mark = new Map((this.judged?.decisions ?? []).filter((d) => d.mark).map((d) => [d.line, d]));
        const judgement = this.judged?.decisions.find((d) => d.line === this.at);
        const marks = turnMarks(this.lines, this.at);
        const desk = /** @param {number} s */ (s) => deskHtml(core, view, before, s, this.names[s], { level: this.bots.get(s), parts: marks.get(s) });
        const seats = this.names.map((_n, s) => s);
        const log = this.entries.map((e) => e.kind === 'turn' ? html`<li class="turn">${e.html}</li>` :
            html`<li class="ln ${e.line === this.at ? 'now' : e.line > this.at ? 'later' : ''}"><button data-line="${e.line}">${avatar(e.seat < 0 ? 0 :
            e.seat, { small: true })}<span>${e.html}${mark.has(e.line) && lastOfLine(this.entries, e) ?
            html` <b class="mk">${mark.get(e.line)?.mark}</b>` : ''}</span></button></li>`);
        const best = judgement && judgement.options.length ? judgement.options[0] : null;
        put(this.root, html`<div class="page">${pageTop(_('Replay'))}<main class="page-in rpl"><h1 class="title vh">${_('Replay: %{names}',
            { names: listWords(this.names) })}</h1>${this.message ? html`<p class="err" role="alert">${withRules(this.message)}</p>` : ''}
            <div class="rp-main"><section class="panel rp-now" aria-live="polite"><div class="xcard">${rose}<span class="xname">${now ?
                now.name : ''}</span>${now ? patternPicture(turned(now)) : ''}</div><div><p class="eyebrow">${now ?
                _('Round %{round}, turn %{turn}', { round: view.round + 1, turn: view.turn + 1 }) : _('Setup')}</p><p class="rp-say">${
                current?.kind === 'turn' && now ? patternName(now) : current?.html ?? ''}${judgement?.mark ? html` <b class="mk">${markWords(judgement)}</b>` : ''}</p>${judgement
                ? html`<p class="note">${(!judgement.mark && judgement.lost < .05 && judgement.winLost < 5e-4) || !best ? _('The best choice.') :
                    _('%{points} points and %{win}% of the winning chances below the best: %{choice}',
                        { ...costNumbers(judgement), choice: choiceWords(best.choice) })}</p>` : ''}</div></section>
            <section class="panel rp-ctl" aria-label="${_('Replay controls')}"><input type="range" name="at" min="${this.first}" max="${
                this.lines.length - 1}" value="${this.at}" aria-label="${
                _('Place in the game')}"><div class="bars"><button class="btn" data-a="first" aria-label="${_('To the beginning')}">${
                icon('first')}</button><button class="btn" data-a="back" aria-label="${
            _('Step back')}">${icon('left')}</button><button class="btn pri" data-a="play">${this.timer ? html`${icon('pause')}${_('Pause')}` :
                html`${icon('play')}${_('Play back')}`}</button><button class="btn" data-a="next" aria-label="${_('Step forward')}">${
                icon('right')}</button><button class="btn" data-a="last" aria-label="${_('To the end')}">${icon('last')}</button>
            <label class="seatsel"><span class="vh">${_('View')}</span><select class="inp" name="seat"><option value="-1">${
                _('everyone')}</option>${seats.map((s) => html`<option value="${s}" ${s === this.seat ? 'selected' : ''}>${_('as %{name} saw it',
                { name: this.names[s] })}</option>`)}</select></label></div></section>
            ${view.phase === 'keep' && view.dealt.length ? html`<section class="panel rp-dealt"><h2 class="eyebrow">${_('Dealt')}</h2><div class="grid">${
                view.dealt.map((n) => html`<div>${mini(edition.cards[n])}</div>`)}</div></section>` : ''}
            <div class="rp-desks">${(this.seat < 0 ? seats : [this.seat, ...seats.filter((s) => s !== this.seat)]).map(desk)}</div>
            <section class="panel rp-disp"><h2 class="eyebrow">${_('Display')}</h2><div class="grid">${view.display.map((n) => n ?
                html`<div role="img" aria-label="${_('Card %{n}', { n })}">${mini(edition.cards[n])}</div>` :
                html`<span class="mini none"></span>`)}</div>${
                view.phase === 'keep' ? '' : html`<p class="note">${ngettext('Deck: %{n} card', 'Deck: %{n} cards', view.deckLeft)}</p>`}
            ${tilesHtml(view)}</section>
            ${over ? html`<section class="panel sheet"><h2 class="title">${resultWords(view, this.names, this.winners()).join('. ')}</h2>${
                scoreTable(view, this.names, this.winners(), core, seats.map((s) => this.bots.has(s)))}</section>` : ''}</div>
            <aside class="rp-side" aria-label="${_('Log and analysis')}"><section class="panel log" aria-label="${
                _('Game log')}"><div class="ph"><span class="eyebrow">${_('Game log')}</span></div><div class="logbox" tabindex="0"><ol>${
                log}</ol></div></section>
            <section class="panel sheet"><div class="bars"><button class="btn" data-a="download">${icon('save')}${
                _('Download')}</button><button class="btn" data-a="share">${icon('share')}${_('Share')}</button>${this.judged ? '' :
                html`<button class="btn" data-a="analyse">${icon('brain')}${_('Analyse')}</button>`}</div>${this.judged ? judgedHtml(this.judged,
                this.names, core, this.winners(), `replay/${this.id}`, this.refining).map((part, i) => html`${i ? html`<h3 class="title">${_('Turning points')}</h3>` : ''}${part}`)
            : this.progress >= 0 ? html`<progress class="bar" max="1" value="${this.progress}" aria-label="${_('Analysis')}"></progress>` :
                html`<p class="note">${_('The analysis marks choices that cost points or winning chances.')}</p>`}</section></aside></main></div>`);
        const range = /** @type {HTMLInputElement} */ ($('[name=at]', this.root)), box = $('.logbox', this.root);
        range.value = String(this.at);
        // The log follows, and the page stays where it is.
        const line = box.querySelector('.ln.now');
        if (line instanceof HTMLElement)
            box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 2;
        this.note();
    }

    /** The address follows once it rests, so that a reload or a copied link comes to the same moment. */
    note() {
        clearTimeout(this.noting);
        this.noting = setTimeout(() => history.replaceState(null, '', [...location.hash.split('/').slice(0, 2), this.at].join('/')), 400);
    }

    winners() {
        this.core.view(-1);
        return this.core.isOver() ? this.core.winners() : [];
    }
}

/** Marks stand at the last of several entries of one line. @param {import('./words.js').Entry[]} entries @param {import('./words.js').Entry} e */
const lastOfLine = (entries, e) => entries.filter((x) => x.line === e.line).at(-1) === e;

/** A choice in words. @param {string} choice */
function choiceWords(choice) {
    if (choice.includes(':'))
        return moveParts(choice).map((p) => _('%{spaces} on %{card}', { spaces: spaceNames(p.cells), card: p.card })).join(' + ');
    return choice === 'draw' ? _('draw from the deck') : choice.startsWith('take') ? _('take %{n}', { n: choice.slice(5) }) : _('keep %{cards}',
        { cards: choice });
}

/** A game that is kept here, or one of the server's. @param {App} app @param {string} id @param {string} [line] */
export async function showReplay(app, id = '', line) {
    const { hash } = location, kept = games().find((g) => g.id === id), [z, ...packed] = id.split('.'), atServer = !kept && /^[A-Z0-9]{8}$/.test(id);
    let refused = '';
    const texts = z === 'z' ? await Promise.all(packed.slice(0, 2).map(unpack)) : [];
    /** @type {string[]} */
    let [record = '', edition = ''] = kept ? [kept.record, kept.edition] : texts.map((text) => text ?? '');
    if (atServer)
        record = await visit().then(() => api('GET', `tables/${id}/record`)).catch((error) => {
            refused = error.code === 'origin' ? serverWords('origin') : '';
            return '';
        });
    const named = editionOf(record);
    if (atServer && named !== 'classic')
        edition = await api('GET', `editions/${encodeURIComponent(named)}`).catch(() => '');
    if (location.hash !== hash)
        return;
    const core = texts.includes(null) ? _('This link is too large for a game record.') :
        record ? loadRecord(app, record, edition) : refused || _('This game is not saved in this browser.');
    if (record && core === MISSING) {
        app.show((root) => new MissingView(root, app, record, () => void app.route()), _('Replay'));
        return;
    }
    if (typeof core === 'string') {
        await app.instead('replays');
        toast(core);
        return;
    }
    app.show((root) => new ReplayView(root, app, core, id, line === undefined ? undefined : Number(line)), _('Replay'));
}

/** The end of a game on this device: the one just played, or one that is kept. @param {App} app @param {string} id */
export function showEnd(app, id = '') {
    const kept = games().find((g) => g.id === id && g.me >= 0), core = kept && loadRecord(app, kept.record, kept.edition);
    if (app.game?.id !== id)
        app.game = kept && core && typeof core !== 'string' && core.isOver() ? LocalGame.finished(core, kept) : null;
    if (app.game)
        app.end(app.game);
    else
        void app.instead('');
}
