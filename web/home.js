/**
 * home.js: the first page. One main item has the only filled button; other items follow as rows (next.js decides),
 * then a game against the computer, friends, and plain links.
 */
import { NONE, html } from './html.js';
import { LANGUAGES, _, language, listWords, ngettext } from './i18n.js';
import { closest, put } from './dom.js';
import { avatar, chamber, desertScene, ghostLayer, icon, miniCard, pyramidIcon, wordmark } from './draw.js';
import { levelName, roundAndTurn } from './words.js';
import { LocalGame, startBotGame, wholeText } from './game.js';
import { decide } from './next.js';
import { fetchDaily, hasTorches, lastDaily, timeLeft, weekOfTorches } from './today.js';
import { editions, games, read, settings } from './store.js';
import { VIEWS } from './views.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./html.js').Html} Html */
/** @typedef {import('./online.js').Table} Table */
/** @typedef {import('./core.js').Card} Card */
/** @typedef {{card: Card, marks: number[]}[]} Boards */
/** @typedef {{title: string, text: string, href: string, icon?: string, head?: Html, more?: Html}} Entry */
/** @typedef {Entry & {button: string, glyph: string, boards?: Html, pill?: string}} LeadEntry */

const STEPS = 10;                            // lessons
/** The card that shows a new visitor what the game is like: a card of the classic edition, with marks and a pattern on
 * it. */
const FIRST_CARD = /** @type {Card} */ ({ number: 12, colour: 'purple', cells: '###sv##..#x#..#rs....e#.T' });
const FIRST_MARKS = [4, 3, 8], FIRST_PATTERN = [7, 12, 13];

const firstPicture = html`<div class="brd one"><span class="pcard k-purple">${chamber(FIRST_CARD, FIRST_MARKS,
    { over: ghostLayer(0, FIRST_PATTERN) })}</span></div>`;

/** @param {Boards} boards */
const boardsHtml = (boards) => boards.length ? html`<div class="brd" aria-hidden="true">${boards.map(({ card, marks }) =>
    miniCard(card, marks))}</div>` : NONE;

/** The picture of the main item if there are no boards to show. */
const band = html`<div class="brd scn">${desertScene()}</div>`;
/** The small scene beside the expedition. */
const expeditionPicture = html`<span class="lead-i">${pyramidIcon}</span>`;

/** Lessons that are done. @returns {number[]} */
const progress = () => read('learn', { done: /** @type {number[]} */ ([]) }).done ?? [];

/** The two cards of a seat with their marks. @param {import('./core.js').Core} core @param {number} seat
 * @returns {Boards} */
function boardsOf(core, seat) {
    return (core.view(seat)?.desks[seat]?.slots ?? []).filter((s) => s.card).map((s) =>
        ({ card: core.edition.cards[s.card], marks: s.marks }));
}

export class HomeView {
    /** @param {HTMLElement} root @param {App} app */
    constructor(root, app) {
        this.root = root;
        this.app = app;
        /** Shown below the field for a code: what is wrong with it, and a link for watching. */
        this.problem = { text: '', watch: '' };
        /** Running tables on the server. @type {Table[]} */
        this.tables = [];
        /** The server's data about today; on a first visit it is not requested.
         * @type {import('./today.js').Daily | 'away' | 'failed' | 'unasked' | null} */
        this.daily = lastDaily() ?? (read('visited', false) ? null : 'unasked');
        /** @type {{state: 'none' | 'open' | 'solved', text: string}} */
        this.puzzle = { state: 'none', text: '' };
        /** The boards of the main item, once the engine has read them, and by how much this player leads there.
         * @type {{of: string, boards: Boards, ahead: number}} */
        this.glance = { of: '', boards: [], ahead: 0 };
        this.stopped = false;
        root.addEventListener('click', (e) => void this.click(e));
        root.addEventListener('change', (e) => this.change(e));
        root.addEventListener('submit', (e) => e.preventDefault());
        root.addEventListener('keydown', (e) => {
            if (e.key !== 'Enter' || !closest(e, '[name=code]'))
                return;
            e.preventDefault();
            void this.join();
        });
        this.named = () => this.draw();
        addEventListener('settings', this.named);
        this.draw();
        void this.loadDaily();
        void this.loadPuzzle();
        // A server is asked only if this visitor has been at a table: there may be no server.
        if (read('visited', false))
            void this.loadTables();
    }

    stop() {
        this.stopped = true;
        removeEventListener('settings', this.named);
    }

    draw() {
        if (this.stopped)
            return;
        this.render();
        void this.loadBoards();
    }

    async loadDaily() {
        const visited = read('visited', false);
        if (visited || this.isKnown())       // a first visit sends no requests: there may be no server
            this.daily = await fetchDaily() ?? (visited ? null : 'unasked');
        this.draw();
    }

    /** The puzzle of the day, where the page has one. */
    async loadPuzzle() {
        const [, day = ''] = /^day (\d+)/m.exec(read('puzzler', '')) ?? [];
        this.puzzle = { state: Number(day) === Math.floor(Date.now() / 864e5) ? 'solved' : 'open',
            text: _('The same for everyone, a new one every day') };
        this.draw();
    }

    async loadTables() {
        const { api } = await import('./online.js');
        /** @type {{tables: Table[]}} */
        const { tables } = await api('GET', 'my/tables').catch(() => ({ tables: [] }));
        // A counted expedition has its own entry.
        this.tables = tables.filter((t) => ((t.you && t.state === 'running') || t.state === 'waiting') && !t.daily?.counted);
        this.draw();
    }

    /** Loads the boards of the main item. */
    async loadBoards() {
        const { lead } = this.decided(), saved = LocalGame.saved(), [table] = this.waiting();
        const of = lead === 'game' && saved ? `game.${saved.id}.${saved.record.length}` : lead === 'table' ? table.code :
            lead === 'daily' ? this.attempt()?.table ?? '' : '';
        if (!of || of === this.glance.of)
            return;
        this.glance = { of, boards: [], ahead: 0 };
        await this.app.ready;
        const core = this.app.core(), isHere = lead === 'game' && saved;
        if (isHere) {
            if ((saved.edition && core.readEdition(saved.edition)) || core.localLoad('seats' in saved ? wholeText(saved) :
                saved.record, 0n))
                return;
        } else {
            const { api } = await import('./online.js'), record = await api('GET', `tables/${of}/record`).catch(() => '');
            if (!record || core.load(record, (lead === 'daily' ? 1 : table.you) - 1))
                return;
        }
        const seat = isHere ? core.localPerson().me : (lead === 'daily' ? 1 : table.you) - 1, view = core.view(-1);
        const rest = view?.scores.filter((_s, i) => i !== seat && i < view.seats).map((s) => s.total) ?? [];
        if (this.stopped || this.glance.of !== of || core.localPerson().covered)
            return;
        this.glance = { of, boards: boardsOf(core, seat), ahead: (view?.scores[seat].total ?? 0) - Math.max(...rest) };
        this.render();
    }

    /** Today's data, if known. */
    known() { return typeof this.daily === 'string' ? null : this.daily; }

    attempt() { return this.known()?.today.you ?? null; }

    /** Tables that are waiting for this player, the longest first. */
    waiting() { return this.tables.filter((t) => t.state === 'running' && !t.daily && !t.seats[t.you - 1].ready).reverse(); }

    decided() {
        const { daily, tables } = this, waiting = this.waiting().length, you = this.attempt();
        const steps = progress().length, saved = LocalGame.saved() !== null;
        return decide({ waiting, others: tables.length - waiting, game: saved, lessons: steps > 0 && steps < STEPS,
            daily: !daily ? 'none' : typeof daily === 'string' ? 'away' : !you ? 'open' : you.state === 'running' ?
            'begun' : 'over',
            known: this.isKnown(), puzzle: this.puzzle.state });
    }

    /** Whether this device has played or learned before. */
    isKnown() {
        const known = this.known();
        return LocalGame.saved() !== null || progress().length > 0 || games().length > 0 || this.tables.length > 0 ||
            settings.name !== '' || this.attempt() !== null || (known !== null && hasTorches(known));
    }

    /** @param {Table} t @returns {Entry} */
    tableEntry(t) {
        const others = t.seats.filter((s, i) => i !== t.you - 1 && s.kind !== 'open' && (t.you ||
            s.kind !== 'friend')).map((s) => s.kind === 'bot' ? _('bot, %{level}',
            { level: levelName(s.level ?? '') }) : s.name ?? ''), ready = t.seats[t.you - 1]?.ready;
        const title = t.daily ? _('Expedition %{n}, played again', { n: t.daily.number }) : others.length ?
            _('Table with %{names}', { names: listWords(others) }) : _('Table %{code}', { code: t.code });
        return { title, href: `table/${t.code}`, icon: 'people', text: t.state === 'waiting' ? _('waiting for players') :
            !t.round ? ready ? _('The players are choosing their first cards') : _('Setup: your choice') : ready ?
            _('Round %{round}, turn %{turn}: the other players are choosing', { round: t.round, turn: t.turn }) :
            _('Round %{round}, turn %{turn}: your choice', { round: t.round, turn: t.turn }) };
    }

    /** @param {Table} t @returns {LeadEntry} */
    tableLead(t) {
        const others = t.seats.filter((s, i) => i !== t.you - 1 && s.kind === 'person'), entry = this.tableEntry(t);
        return { ...entry, title: _('Your turn'), text: others.length ? ngettext('%{names} is waiting',
            '%{names} are waiting', others.length, { names: listWords(others.map((s) => s.name ?? '')) }) : entry.title,
            pill: t.round ? _('Round %{round}, turn %{turn}', { round: t.round, turn: t.turn }) : _('Setup'),
            head: html`<span class="avs">${t.seats.map((_s, i) => i === t.you - 1 ? '' : avatar(i))}</span>`,
            button: _('Take your turn'), glyph: 'pen', boards: boardsHtml(this.boards(t.code)) };
    }

    /** @param {string} of */
    boards(of) { return this.glance.of === of ? this.glance.boards : []; }

    /** @returns {Entry} */
    dailyEntry() {
        const { daily } = this;
        if (!daily || typeof daily === 'string')
            return { title: _('Today’s expedition'), text: daily === 'away' ?
                _('No connection. You can play today’s practice deal.') : _('The same cards for everybody.'),
                href: 'daily', head: expeditionPicture };
        const { today } = daily, { you } = today, time = timeLeft(today.closes);
        const text = you?.state === 'over' ? _('%{points} points, place %{place} of %{of}', { points: you.points ?? 0,
            place: you.place ?? 0, of: you.of ?? 0 }) : you?.state === 'running' ? _('Round %{round}, turn %{turn}. Open ' +
            'until midnight UTC.', { round: you.round, turn: you.turn }) : hasTorches(daily) ?
            _('Open until midnight UTC, %{time} left', { time }) : today.players ?
            ngettext('The same cards for everybody. %{n} player has finished today.',
                'The same cards for everybody. %{n} players have finished today.', today.players) :
            _('The same cards for everybody.');
        return { title: _('Expedition %{n}', { n: today.number }), text, head: expeditionPicture,
            href: you?.state === 'running' ? `table/${you.table}` : 'daily',
            more: hasTorches(daily) ? weekOfTorches(daily) : NONE };
    }

    /** @returns {Entry} */
    gameEntry() {
        const saved = LocalGame.saved(), record = saved?.record ?? '', turns = (record.match(/^reveal /gm) ?? []).length;
        const levels = [...new Set(saved && 'seats' in saved ? saved.seats.map((s) => s.level) :
            (/^; seats (.*)$/m.exec(record)?.[1] ?? '').split(','))].filter((l) => l && l !== 'person');
        const at = roundAndTurn(turns - 1), { ahead, of } = this.glance;
        return { title: levels.length === 1 ? _('Continue against %{level}', { level: levelName(levels[0]) }) :
            _('Continue your game'), icon: 'bot', href: 'play', text: !turns ? _('Setup') : of.startsWith('game.') &&
            ahead > 0 ? _('Round %{round}, turn %{turn}, you lead by %{n}', { ...at, n: ahead }) :
            _('Round %{round}, turn %{turn}', at) };
    }

    /** @param {import('./next.js').Lead} kind @returns {LeadEntry} */
    leadEntry(kind) {
        const { at } = read('learn', { at: 0 }), step = Math.min(STEPS, (Number(at) || 0) + 1), you = this.attempt();
        switch (kind) {
        case 'table': return this.tableLead(this.waiting()[0]);
        case 'daily': return { ...this.dailyEntry(), button: you ? _('Continue') : _('Set out'), glyph: 'play', boards: you ?
            boardsHtml(this.boards(you.table)) : band };
        case 'game': return { ...this.gameEntry(), button: _('Continue'), glyph: 'play',
            boards: boardsHtml(this.glance.boards) };
        case 'puzzle': return { ...this.puzzleEntry(), button: _('Solve'), glyph: 'play' };
        case 'lessons': return { title: _('Lessons'), text: _('Ten short steps'), href: `learn/${step}`, button:
            _('Step %{n} of %{of}', { n: step, of: STEPS }), glyph: 'learn', boards: firstPicture };
        default: return { title: _('Your first pyramid'), text: _('Ten small steps on a real card, in about four minutes.'),
            href: 'learn/1', button: _('Start'), glyph: 'play', boards: firstPicture };
        }
    }

    /** @returns {Entry} */
    puzzleEntry() {
        return { title: _('Puzzle of the day'), text: this.puzzle.text, href: 'puzzle/daily', icon: 'bulb' };
    }

    /** @param {LeadEntry} e */
    leadHtml({ title, text, href, head, icon: i, more, button, glyph, boards, pill }) {
        return html`<section class="panel lead1" aria-labelledby="h-lead"><div class="whom">${head ?? (i ?
            html`<span class="lead-i">${icon(i)}</span>` : '')}<span><h2 class="title" id="h-lead">${title}</h2><small>${
            text}</small></span>${pill ? html`<span class="pill">${pill}</span>` : ''}</div>${boards ?? ''}${
            more ?? ''}<a class="btn pri big" href="#${href}">${icon(glyph)}${button}</a></section>`;
    }

    /** @param {Entry} e */
    rowHtml({ title, text, href, icon: i, head, more }) {
        return html`<a class="panel hop" href="#${href}" data-key="${href}">${head ?? html`<span class="lead-i">${
            icon(i ?? 'play')}</span>`}<span><b>${title}</b><small>${text}</small></span>${icon('right')}${more ?? ''}</a>`;
    }

    /** The entry for a game against bots, which is the main item if there is nothing else to do. @param {boolean} leads
     * @param {boolean} first on a first visit */
    playHtml(leads, first) {
        const own = Object.keys(editions());
        return html`<section class="panel pnl ${leads ? 'lead1' : ''}" aria-labelledby="h-play"><h2 class="title"
            id="h-play">${first ? _('Just play') : _('Against the computer')}</h2>${leads ? band : ''}${own.length ?
            html`<label><span class="eyebrow">${
                _('Edition')}</span><select class="inp" name="edition"><option value="classic">Classic</option>${
                own.map((n) => html`<option value="${n}">${n}</option>`)}</select></label>` : ''}<div class="playrow"><button
            class="btn" data-a="opponents" aria-haspopup="dialog">${ngettext('%{n} opponent, %{level}',
            '%{n} opponents, %{level}', settings.opponents, { level: levelName(settings.level) })}${
                icon('down')}</button><button class="btn ${leads ? 'pri' : 'blue'}" data-a="play">${icon('play')}${
                _('Play')}</button></div></section>`;
    }

    friendsHtml() {
        const { problem } = this, code = /** @type {HTMLInputElement | null} */ (this.root.querySelector('[name=code]'));
        return html`<section class="panel pnl" aria-labelledby="h-inv"><h2 class="title" id="h-inv">${
            _('With friends')}</h2><div class="two"><button class="btn" data-a="invite">${icon('link')}${
            _('Invite friends')}</button><button class="btn" data-a="hotseat">${icon('device')}${
            _('One device')}</button></div><form class="joinrow"><input class="inp code1" name="code" maxlength="12"
            autocomplete="off" autocapitalize="characters" spellcheck="false" aria-label="${_('Table code')}"
            placeholder="K7QXMWRT" value="${code?.value ?? ''}"><button class="btn" data-a="join">${
            _('Join')}</button></form><p class="err" role="status">${problem.text}${problem.watch ?
            html` <a class="btn" href="#table/${problem.watch}">${icon('eye')}${_('Watch')}</a>` :
            ''}</p><p class="quiets"><a href="#friends">${_('My tables')}</a><a href="#watch">${
            _('Watch a game')}</a></p></section>`;
    }

    /** @param {boolean} lessons whether lessons are among them */
    linksHtml(lessons) {
        const all = /** @type {[string, string, string][]} */ ([['rules', 'book', _('Rules')], ...(lessons ? [['learn',
            'learn', _('Lessons')]] : []), ['games', 'replay', _('Games')], ['solo', 'crown', _('Solo')], ['puzzle',
                'bulb', _('Puzzles')],
            ['editions', 'cards', _('Cards')], ['pad', 'pad', _('Score pad')], ['print', 'print', _('Print')]]);
        return html`<nav class="links" aria-label="${_('More')}">${all.filter(([view]) => Object.hasOwn(VIEWS, view)).map((
            [view, i, label]) => html`<a href="#${view}">${icon(i)}${label}</a>`)}</nav>`;
    }

    /** @param {boolean} fresh a first visit */
    headHtml(fresh) {
        const n = this.waiting().length, profile = Object.hasOwn(VIEWS, 'profile'), name = settings.name || _('Your name');
        const chip = html`${avatar(0, { small: true, me: true })}<span dir="auto">${name}</span>`;
        return html`<header class="nav">${wordmark}<span class="sp"></span>${n ? html`<a class="iconbtn" href="#friends"
            aria-label="${_('Waiting for you: %{n}', { n })}">${icon('bell')}<span class="dotn">${n}</span></a>` : ''}${
            fresh ? html`<label class="lang"><span class="vh">${_('Language')}</span>${icon('globe')}<select
            name="language">${LANGUAGES.map(([c, l]) => html`<option value="${c}" ${c === language ? 'selected' : ''}>${
            l}</option>`)}</select></label>` : profile ? html`<a class="me-chip" href="#profile">${chip}</a>` :
            html`<button class="me-chip" data-a="settings" aria-label="${_('Settings: %{name}', { name })}">${
            chip}</button>`}<button class="iconbtn" data-a="settings" aria-label="${_('Settings')}">${
            icon('gear')}</button></header>`;
    }

    /** The greeting of a visitor who returns, by the clock. */
    greeting() {
        const hour = new Date().getHours(), { name } = settings;
        return !name ? _('Welcome back.') : hour < 5 || hour >= 18 ? _('Good evening, %{name}.', { name }) : hour < 12 ?
            _('Good morning, %{name}.', { name }) : _('Good afternoon, %{name}.', { name });
    }

    render() {
        const { lead, rows } = this.decided(), fresh = lead === 'first', queue = this.waiting().slice(lead === 'table' ?
            1 : 0), others = this.tables.filter((t) => !this.waiting().includes(t));
        const entries = rows.map((row) => this.rowHtml(row === 'table' ? this.tableEntry(/** @type {Table} */ (
            queue.shift())) : row === 'other' ? this.tableEntry(/** @type {Table} */ (others.shift())) : row === 'daily' ?
            this.dailyEntry() : row === 'puzzle' ? this.puzzleEntry() : this.gameEntry()));
        const play = lead === 'play' ? NONE : this.playHtml(false, fresh), friends = this.friendsHtml();
        const few = entries.length < 3 || lead === 'play';
        // If there is little to show, everything is beside the main item; otherwise only the rows are, and the rest is
        // below.
        const beside = fresh ? html`${play}${entries}${friends}` : few ?
            html`${entries}${play}${friends}` : html`${entries}`;
        put(this.root, html`<div class="view home">${this.headHtml(fresh)}
            <main><div class="hero ${fresh ? 'tall' : ''}">${desertScene()}<div class="txt"><h1 class="title">${fresh ?
                _('Find the way down to the tomb.') : this.greeting()}</h1>${fresh ? html`<p>${
                _('Turn a card, take your pen, choose your path.')}</p>` : ''}</div></div>
            <div class="lobby">${lead === 'play' ? this.playHtml(true, false) : this.leadHtml(this.leadEntry(lead))}<div
            class="beside">${beside}</div>${fresh || few ? '' : html`${play}${friends}`}${
            this.linksHtml(!fresh && lead !== 'lessons')}</div></main></div>`);
    }

    /** @param {Event} event */
    change(event) {
        const field = /** @type {HTMLSelectElement} */ (event.target);
        if (field.name === 'language')
            void this.app.speak(field.value);
    }

    edition() {
        return /** @type {HTMLSelectElement | null} */ (this.root.querySelector('[name=edition]'))?.value ?? 'classic';
    }

    /** @param {Event} event */
    async click(event) {
        const act = closest(event, '[data-a]')?.dataset.a;
        if (act === 'play')
            void this.app.start(() => startBotGame(this.app.core(this.edition()), settings.name, settings.opponents,
                settings.level));
        else if (act === 'settings') this.app.settings();
        else if (act === 'invite') this.app.go('friends/new');
        else if (act === 'join') void this.join();
        else if (act === 'hotseat') void (await import('./newgame.js')).hotSeat(this.app, this.edition());
        else if (act === 'opponents') void (await import('./newgame.js')).chooseOpponents(() => this.draw());
    }

    /** Goes to the table, if there is something to do there; otherwise shows the reason below the field. */
    async join() {
        const code = /** @type {HTMLInputElement} */ (this.root.querySelector('[name=code]')).value.replace(/[\s\p{Pd}]/gu,
            '').toUpperCase();
        const say = /** @param {string} text @param {string} [watch] */ (text, watch = '') => {
            this.problem = { text, watch };
            this.draw();
        };
        if (!/^[A-Z0-9]{4,12}$/.test(code)) {
            say(_('A code has eight letters and digits.'));
            return;
        }
        say('');
        const { ServerError, api, serverWords, visit } = await import('./online.js');
        try {
            await visit();
            /** @type {{table: Table}} */
            const { table } = await api('GET', `tables/${code}`);
            if (this.stopped)
                return;
            if (!table.you && table.state === 'running')
                say(serverWords('begun'), code);
            else if (!table.you && table.state === 'waiting' && !table.seats.some((s) => s.kind === 'open'))
                say(serverWords('taken'), code);
            else
                this.app.go(`${table.state === 'over' ? 'replay' : 'table'}/${code}`);
        } catch (error) {
            say(serverWords(error instanceof ServerError ? error.code : 'no_server'));
        }
    }
}
