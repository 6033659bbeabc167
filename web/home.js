/** home.js: the first page: play now, with friends, go on, learn. */
import { html } from './html.js';
import { LANGUAGES, _, language, listWords, ngettext } from './i18n.js';
import { dialog, closest, put, radioKeys, toast } from './dom.js';
import { avatar, icon, levelPicture, desertScene, wordmark } from './draw.js';
import { LEVELS, levelName, roundAndTurn } from './words.js';
import { LocalGame, botName, startBotGame } from './game.js';
import { cutName, editions, games, read, saveSettings, settings } from './store.js';

/** @typedef {import('./main.js').App} App */

/** Five beside each other on a phone; where a word of them is long, three and two. @param {string[]} labels */
const five = (labels) => labels.some((l) => l.split(' ').some((word) => word.length > 9)) ? 'row5 long' : 'row5';

export class HomeView {
    /** @param {HTMLElement} root @param {App} app */
    constructor(root, app) {
        this.root = root;
        this.app = app;
        /** Under the field for a code: what is wrong with it, and where one may watch. */
        this.problem = { text: '', watch: '' };
        /** Tables at the server that are under way; where this player is waited for comes first. @type
         * {import('./online.js').Table[]} */
        this.tables = [];
        this.stopped = false;
        root.addEventListener('click', (e) => void this.click(e));
        root.addEventListener('change', (e) => this.change(e));
        root.addEventListener('submit', (e) => e.preventDefault());
        root.addEventListener('keydown', (e) => this.key(e));
        this.render();
        // Only who has been at a table asks a server: there may be none.
        if (read('visited', false))
            void this.loadTables();
    }

    stop() { this.stopped = true; }

    async loadTables() {
        const { api } = await import('./online.js');
        const { tables } = await api('GET', 'my/tables').catch(() => ({ tables: [] }));
        const due = /** @param {import('./online.js').Table} t */ (t) => t.state === 'running' && !t.seats[t.you - 1].ready;
        this.tables = tables.filter((/** @type {import('./online.js').Table} */ t) => (t.you && t.state === 'running') ||
            t.state === 'waiting').sort((
            /** @type {import('./online.js').Table} */ a, /** @type {import('./online.js').Table} */ b) => Number(due(b)) -
                Number(due(a)));
        if (!this.stopped && this.tables.length)
            this.render();
    }

    /** @param {import('./online.js').Table} t @returns {[string, string]} */
    tableWords(t) {
        const others = t.seats.filter((s, i) => i !== t.you - 1 && s.kind !== 'open' && (t.you || s.kind !==
            'friend')).map((s) => s.kind === 'bot' ? _('bot, %{level}',
            { level: levelName(s.level ?? '') }) : s.name ?? '');
        return [others.length ? _('Table with %{names}', { names: listWords(others) }) : _('Table %{code}', { code: t.code
            }), t.state === 'waiting' ?
            _('waiting for players') : t.seats[t.you - 1].ready ? _('Round %{round}, turn %{turn}: the other ' +
                'players are choosing', { round: t.round, turn: t.turn }) : t.round ?
            _('Round %{round}, turn %{turn}: your choice', { round: t.round, turn: t.turn }) : _('Setup: your choice')];
    }

    render() {
        const saved = LocalGame.saved(), kept = games().length, own = Object.keys(editions());
        const reveals = saved ? (saved.record.match(/^reveal /gm) ?? []).length : 0;
        const newcomer = !saved && !kept && !read('learn', null) && !this.tables.length;
        const tile =
            /** @param {string} href @param {string} i @param {string} title @param {string} text @param {string} [more] */
                (href, i, title,
            text, more = '') =>
            html`<a class="panel tile ${more}" href="#${href}">${icon(i)}<span><b>${title}</b><small>${text}</small></span>${
                icon('right',
                'go')}</a>`;
        const radio =
            /** @param {string} name @param {string | number} value @param {boolean} on @param {import('./html.js').Part}
             * inner */ (name, value, on, inner) =>
            html`<button role="radio" aria-checked="${on}" tabindex="${on ? 0 : -1}" data-${name}="${value}">${
                inner}</button>`;
        put(this.root, html`<div class="view home"><header class="nav">${
            wordmark}<span class="sp"></span><button class="me-chip no-p" data-a="settings" aria-label="${
                _('Settings: %{name}',
            { name: settings.name || _('your name') })}">${avatar(0, { small: true, me: true })}<span dir="auto">${
                settings.name ||
            _('Your name')}</span></button><label class="lang"><span class="vh">${
            _('Language')}</span>${icon('globe', 'g')}<select name="language">${LANGUAGES.map(([c, n]) =>
                html`<option value="${c}" ${c === language ? 'selected' : ''}>${n}</option>`)}</select>${icon('down',
                'd')}</label><button class="iconbtn" data-a="theme" aria-label="${_('Theme')}">${
                icon('sun')}</button><button class="iconbtn" data-a="settings" aria-label="${_('Settings')}">${
                    icon('gear')}</button></header>
            <main><div class="hero">${desertScene()}<div class="txt"><h1 class="title">${
                _('Find the way down to the tomb.')}</h1><p>${
                _('Turn a card, take your pen, choose your path. Two to four players, twenty minutes.')}</p></div></div>
            <div class="lobby"><section class="panel play" aria-labelledby="h-play"><h2 class="title" id="h-play">${
                _('Play now')}</h2><p class="desc">${_('Against the computer, right away.')}</p>
            <div class="field"><span class="eyebrow" id="h-opp">${
                _('Opponents')}</span><div class="seg wide" role="radiogroup" aria-labelledby="h-opp">${[1, 2, 3].map((i) =>
                radio('opponents', i,
                i === settings.opponents, String(i)))}</div></div>
            <div class="field"><span class="eyebrow" id="h-lev">${_('Level')}</span><div class="levels ${
                five(LEVELS.map(levelName))}" role="radiogroup" aria-labelledby="h-lev">${
                LEVELS.map((l, i) => radio('level', l, l === settings.level, html`${levelPicture(i)}${
                    levelName(l)}`))}</div></div>
            ${own.length ? html`<div class="field"><label><span class="eyebrow">${
                _('Edition')}</span><select class="inp" name="edition"><option value="classic">Classic</option>${
                own.map((n) =>
                html`<option value="${n}">${n}</option>`)}</select></label></div>` : ''}
            <button class="btn pri big" data-a="play">${icon('play')}${_('Play')}</button></section>
            <section class="panel inv" aria-labelledby="h-inv"><h2 class="title" id="h-inv">${
                _('Play with friends')}</h2><p class="desc">${
                _('Each on their own device, or all on this one.')}</p>
            <div class="two"><button class="btn" data-a="invite">${icon('link')}${
                _('Invite friends')}</button><button class="btn" data-a="hotseat">${
                icon('device')}${_('One device')}</button></div>
            <div class="or"><span class="eyebrow">${
                _('or join with a code')}</span></div><form class="joinrow" data-form="join"><input class="inp code1"
                name="code" maxlength="12" autocomplete="off" autocapitalize="characters" spellcheck="false" aria-label="${
                _('Table code')}" placeholder="K7QXMWRT"><button class="btn" data-a="join">${_('Join')}</button></form>
            <p class="err" id="join-err" role="status">${this.problem.text}${this.problem.watch ?
                html` <a class="btn" href="#table/${
                this.problem.watch}">${icon('eye')}${_('Watch')}</a>` :
                    ''}</p><div class="two"><a class="btn ghost" href="#watch">${icon('eye')}${
                _('Watch a game')}</a><a class="btn ghost" href="#friends">${icon('people')}${this.tables.length > 1 ?
                    _('My tables (%{n})', { n: this.tables.length }) :
                _('My tables')}</a></div></section>
            <div class="tiles c${Math.min(1, this.tables.length) + (saved || newcomer ? 1 : 0)}">${
                this.tables.slice(0, 1).map((t) => tile(`table/${t.code}`, 'people', ...this.tableWords(t),
                'cont'))}${saved ? tile('play', 'play', _('Continue'), reveals ? _('Round %{round}, turn %{turn}',
                roundAndTurn(reveals - 1)) : _('Setup'), 'cont') : newcomer ? tile('learn',
                    'learn', _('New here?'),
                _('Learn in ten steps'), 'cont') : ''}<span class="p-tiles ${five([_('Learn'), _('Rules'), _('Replays'),
                    _('Score pad'), _('Cards')])}">${tile('learn', 'learn', _('Learn'), _('Ten short steps'))}${
            tile('rules', 'book', _('Rules'), _('With worked examples'))}${tile('replays', 'replay', _('Replays'), kept ?
                ngettext('%{n} game',
                '%{n} games', kept) : _('Your games will be saved here'))}${
            tile('pad', 'pad', _('Score pad'), _('For the game on your table'))}${tile('editions', 'cards', _('Cards'),
                _('See them, draw your own'))}</span></div></div></main></div>`);
    }

    /** @param {Event} event */
    change(event) {
        const field = /** @type {HTMLSelectElement} */ (event.target);
        if (field.name === 'language')
            void this.app.speak(field.value);
    }

    /** Arrows move within a group of choices. @param {KeyboardEvent} event */
    key(event) {
        if (event.key === 'Enter' && closest(event, '[name=code]')) {
            event.preventDefault();
            void this.join();
        }
        radioKeys(event);
    }

    /** @param {Event} event */
    async click(event) {
        const act = closest(event, '[data-a]')?.dataset.a, opponents = closest(event, '[data-opponents]')?.dataset.opponents,
            level = closest(event,
            '[data-level]')?.dataset.level;
        if (opponents) saveSettings({ opponents: Number(opponents) });
        if (level) saveSettings({ level });
        if (opponents || level) this.render();
        if (act === 'play') {
            const edition = /** @type {HTMLSelectElement | null} */ (this.root.querySelector('[name=edition]'))?.value;
            void this.app.start(() => startBotGame(this.app.core(edition ?? 'classic'), settings.name, settings.opponents,
                settings.level));
        } else if (act === 'settings') this.app.settings();
        else if (act === 'theme') {
            saveSettings({ theme: document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark' });
        } else if (act === 'hotseat') void this.hotSeat();
        else if (act === 'invite') this.app.go('friends/new');
        else if (act === 'join') void this.join();
    }

    /** To the table, if there is something to do there; else the reason stands under the field. */
    async join() {
        const code = /** @type {HTMLInputElement} */ (this.root.querySelector('[name=code]')).value.replace(/[\s\p{Pd}]/gu,
            '').toUpperCase();
        const say = /** @param {string} text @param {string} [watch] */ (text, watch = '') => {
            this.problem = { text, watch };
            if (!this.stopped)
                this.render();
        };
        if (!/^[A-Z0-9]{4,12}$/.test(code)) {
            say(_('A code has eight letters and digits.'));
            return;
        }
        say('');
        const { ServerError, api, serverWords, visit } = await import('./online.js');
        try {
            await visit();
            /** @type {{table: import('./online.js').Table}} */
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

    /** Several people on one device, with bots if they like. */
    async hotSeat() {
        const row = /** @param {number} i */ (i) => html`<fieldset class="seatrow"><legend class="vh">${_('Seat %{n}', { n: i
            + 1 })}</legend>${
            avatar(i)}<select class="inp" name="kind${i}" aria-label="${_('Who plays seat %{n}', { n: i + 1 })}">${i > 1 ?
            html`<option value="none">${_('nobody')}</option>` : ''}<option value="" ${i < 2 ? 'selected' : ''}>${
                _('person')}</option>${
            LEVELS.map((l) => html`<option value="${l}">${_('bot, %{level}', { level: levelName(l)
                })}</option>`)}</select><input class="inp" type="text" name="name${
                i}" dir="auto" maxlength="96" aria-label="${_('Name of seat %{n}',
                { n: i + 1 })}" value="${i === 0 ? settings.name : ''}" placeholder="${_('Player %{n}', { n: i + 1
                    })}"></fieldset>`;
        /** @type {import('./game.js').Seat[]} */
        let seats = [];
        const value = await dialog(_('On one device'),
            html`<p class="note">${_('Pass the device around; cards are covered in between.')}</p><div class="seatrows">${[0,
            1, 2,
            3].map(row)}</div><p class="dlgf"><button class="btn" value="">${
                _('Cancel')}</button> <button class="btn pri" value="go">${
            _('Start')}</button></p>`, { wire: (box) => {
            const readSeats = () => {
                seats = [0, 1, 2, 3].flatMap((i) => {
                    const kind = /** @type {HTMLSelectElement} */ (box.querySelector(`[name=kind${i}]`)).value,
                        name = cutName(/** @type {HTMLInputElement} */ (box.querySelector(`[name=name${i}]`)).value);
                    return kind === 'none' ? [] : [{ name: name || (kind ? botName(i) : _('Player %{n}', { n: i + 1 })),
                        level: kind }];
                });
            };
            box.addEventListener('input', readSeats);
            readSeats();
        } });
        if (value !== 'go')
            return;
        if (!seats.some((s) => !s.level)) {
            toast(_('At least one seat must be for a person.'));
            return;
        }
        const edition = /** @type {HTMLSelectElement | null} */ (this.root.querySelector('[name=edition]'))?.value;
        void this.app.start(() => LocalGame.start(this.app.core(edition ?? 'classic'), seats));
    }
}
