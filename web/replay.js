/**
 * replay.js: finished games: finds the game that is requested (viewer.js shows it). Any record can be dropped onto
 * the page; an error in it is shown with its line.
 */
import { html } from './html.js';
import { _, ngettext } from './i18n.js';
import { put, toast } from './dom.js';
import { ROMAN, avatar, icon, miniCard, shape, symbol } from './draw.js';
import { COLOURS, TILES, ERR } from './core.js';
import { levelName, moveParts, signed } from './words.js';
import { LARGEST_EDITION, LARGEST_RECORD, editions, games, keepEdition, keepGame } from './store.js';
import { unpack } from './pack.js';
import { LocalGame } from './game.js';
import { faultWords } from './faults.js';
import { api, serverWords, visit } from './online.js';
import { pageTop } from './main.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {import('./core.js').Core} Core */
/** @typedef {import('./core.js').View} View */

/** Instead of a message: the edition of the record is missing. */
const MISSING = 'edition';

/** The name of the edition that a record was played with. @param {string} record */
const editionOf = (record) => /^edition (\S+)/m.exec(record)?.[1] ?? 'classic';

/** A core with the record loaded, or what is wrong with it. @param {App} app @param {string} text @param {string} [edition]
 * its text, if it is known
 * @returns {Core | string} */
export function loadRecord(app, text, edition = '') {
    const named = editionOf(text);
    const core = app.core(edition || (Object.hasOwn(editions(), named) ? named : 'classic'));
    const fault = core.load(text);
    if (!fault)
        return core.view(-1) ? core : _('The record ends before the cards are dealt.');
    return fault.code === ERR.record_edition ? MISSING : faultWords(fault);
}

/** Files that are dropped anywhere, or chosen. @param {App} app @param {File} file @param {(message: string) => void} say */
export async function openFile(app, file, say) {
    const text = file.size > LARGEST_RECORD ? '' : await file.text();
    if (text.startsWith('pyramids-edition '))
        await (await import('./editions.js')).importFile(app, file);
    else if (file.size > LARGEST_RECORD)
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
    keepGame({ id, date: Date.now(), record: text, me: -1, edition: core.edition.name === 'classic' ? '' : core.edition.text
        });
    app.go(`replay/${id}`);
}

/** @param {HTMLElement} root @param {AbortSignal} signal @param {(file: File) => unknown} take */
export function takeDrops(root, signal, take) {
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
        input.value = '';                    // so that the same file can be chosen again after it was corrected
    });
}

/** The view after that many lines. The engine takes pyramid points with the last replacement, but a record has a line
 * for each: those of later lines are not shown yet. @param {Core} core @param {string[]} lines @param {number} count
 * @param {number} seat @returns {View | null} */
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
 * The marks of a turn up to a line, by seat: until the last player has marked they are not on the desks, and then a
 * completed card is set aside at once.
 * @param {string[]} lines @param {number} at @returns {Map<number, {card: number, cells: number[]}[]>}
 */
export function turnMarks(lines, at) {
    const marks = new Map();
    for (let i = at; lines[i]?.startsWith('mark '); i--)
        marks.set(Number(lines[i].split(' ')[1]) - 1, moveParts(lines[i].split(' ')[2]));
    return marks;
}

/** A player's two cards, score card and completed pyramids. @param {Core} core @param {View} view @param {View} before
 * @param {number} s
 * @param {string} name @param {{level?: string, me?: boolean, parts?: {card: number, cells: number[]}[],
 * rounds?: boolean}} [more] level of a bot; whether it is the viewer; what was just marked; whether torches are listed by
 * round */
export function deskHtml({ edition }, view, before, s, name, { level, me = false, parts = [], rounds = false } = {}) {
    const d = view.desks[s];
    const cards = d.slots.map((slot, i) => {
        const old = before.desks[s].slots[i], card = slot.card || (parts.some((p) => p.card === old.card) ? old.card : 0);
        const fresh = parts.filter((p) => p.card === card).flatMap((p) => p.cells), marks = [...new Set([...(slot.card ? slot
            : old).marks, ...fresh])];
        return card ? html`<div role="img" aria-label="${_('Card %{n}, %{marked} marked', { n: card, marked: marks.length
            })}">${miniCard(
            edition.cards[card], marks, fresh)}</div>` : html`<span class="mini none"></span>`;
    });
    return html`<article class="panel opp rp" aria-label="${ngettext('%{name}, %{n} point', '%{name}, %{n} points',
        view.scores[s].total,
        { name })}"><div class="id">${avatar(s, { bot: level !== undefined, me
            })}<div><div class="nm"><span class="nmt" dir="auto">${
        name}</span><span class="num">${signed(view.scores[s].total)}</span></div><div class="sub">${level ?
        _('bot, %{level}', { level: levelName(level) }) : ''}</div></div>
        <div class="done">${d.done.map((n) => html`<span class="dn k-${edition.cards[n].colour}">${
            shape(edition.cards[n].colour)}${
            n}</span>`)}</div>
        <div class="bits"><span>${symbol('ruby')}${d.rubies}</span><span>${symbol('emerald')}${d.emeralds}</span><span>${
            symbol('torch')}${
            rounds && d.torches.map((t, i) => t ? ROMAN[i] : '').filter(Boolean).join(' ') ||
            d.torches.filter(Boolean).length}</span><span>${symbol('skull')}${
                d.skulls}</span></div></div>${cards}</article>`;
}

/** Who has taken which pyramid points. @param {View} view @param {import('./core.js').Colour[]} [colours] */
export const tilesHtml = (view, colours = COLOURS) => html`<ul class="pp">${colours.map((k) => {
    const owners = view.tiles[COLOURS.indexOf(k)];
    return html`<li class="k-${k}"><span class="k">${shape(k)}</span>${TILES.map((v, i) => html`<span class="v ${owners[i] <
        0 ? '' : 'taken'}">${v}${
        owners[i] < 0 ? '' : avatar(owners[i], { small: true })}</span>`)}</li>`;
})}</ul>`;

/** Shown instead of a replay whose edition is missing: the player can open its file. */
class MissingView {
    /** @param {HTMLElement} root @param {App} app @param {string} record @param {() => void} then called when the
     * edition is available */
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

    /** Stores the edition among your own, or shows what is wrong with it. @param {File} file */
    async bring(file) {
        if (file.size > LARGEST_EDITION)
            return _('%{name} is too large for an edition.', { name: file.name });
        const core = this.app.core(), fault = core.readEdition((await file.text()).replace(/\r\n?/g, '\n')), { name, text } =
            core.edition;
        if (fault)
            return _('%{name}: %{message}', { name: file.name, message: faultWords(fault) });
        if (name !== this.name)
            return _('This is the edition “%{other}”. The game was played with “%{name}”.', { other: name, name: this.name
                });
        keepEdition(name, text);
        return '';
    }

    render() {
        put(this.root, html`<div class="page">${pageTop(_('Replay'))}<main class="page-in narrow"><h1 class="title">${
            _('The cards of this game are missing')}</h1><p class="lead">${
            _('It was played with the edition “%{name}”, which this browser does not have. Open its file, or drop it onto ' +
                'this page, to see the game.', { name: this.name })}</p>
            <p class="bars"><label class="btn pri filebtn">${icon('cards')}${
                _('Open the edition file')}<input type="file" class="vh" accept=".edition,.txt,text/plain"></label><a
                class="btn" href="#games">${
            icon('replay')}${_('Games')}</a></p><p class="err" role="alert">${this.message}</p></main></div>`);
    }
}

/** Shows a game stored in this browser, or one of the server's. @param {App} app @param {string} id
 * @param {string} [line] */
export async function showReplay(app, id = '', line) {
    const { ReplayView } = await import('./viewer.js');
    const { hash } = location, kept = games().find((g) => g.id === id), [z, ...packed] = id.split('.'), atServer = !kept &&
        /^[A-Z0-9]{8}$/.test(id);
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
        await app.redirect('games');
        toast(core);
        return;
    }
    // If several players shared a device, none of them is "you".
    const bots = core.lines().filter((l) => l.startsWith('tag bot ')).length, alone = /^[A-Z0-9]{8}$/.test(id) ||
        core.names().length - bots === 1;
    app.show((root) => new ReplayView(root, app, core, id, { place: line, me: alone ? kept?.me : -1 }), _('Replay'));
}

/** Shows the end of a game on this device: the one just played, or a stored one. @param {App} app @param {string} id */
export function showEnd(app, id = '') {
    const kept = games().find((g) => g.id === id && g.me >= 0), core = kept && loadRecord(app, kept.record, kept.edition);
    if (app.game?.id !== id)
        app.game = kept && core && typeof core !== 'string' && core.isOver() ? LocalGame.finished(core, kept) : null;
    if (app.game)
        app.end(app.game);
    else
        void app.redirect('');
}
