/**
 * main.js: starts the page: language, engine, and which view is shown. A view is a class with a root to draw into and
 * `stop`; addresses are behind the # (views.js lists them), so that any web server can deliver the page and no server sees
 * codes.
 */
import { html } from './html.js';
import { _, capital, loadLanguage, pickLanguage } from './i18n.js';
import { $, askToConfirm, closest, dialog, download, hasTouch, put, replaceContent, toast } from './dom.js';
import { icon, wordmark } from './draw.js';
import { Core } from './core.js';
import { ruleLink, symbolList } from './words.js';
import { setTitle, watchTurns } from './waiting.js';
import { applyTheme, editions, games, lacksRoom, saveSettings, settings, storage } from './store.js';
import { LocalGame } from './game.js';
import { HomeView } from './home.js';
import { VIEWS } from './views.js';

/** @typedef {import('./game.js').Game} Game */
/** @typedef {{stop(): void}} Shown */

const get = /** @param {string} name */ (name) => fetch(new URL(name, import.meta.url));

/** Not every web server sends the content type of modules, which is required for compiling while downloading. */
const getModule = () => WebAssembly.compileStreaming(get('pyramids.wasm')).catch(async () => WebAssembly.compile(await (await
    get('pyramids.wasm')).arrayBuffer()));

/** Fetches what the first page does not need: engine, cards, table. This happens while the first page is shown. */
async function getRest() {
    const [module, classic, { TableView }, { EndView }, { GuidedView }] = await Promise.all([getModule(),
        get('classic.edition').then((r) => r.text()), import('./table.js'), import('./end.js'),
        import('./guide.js')]);
    return { module, classic, TableView, EndView, GuidedView };
}

/** Splits an address; if a link was cut off within an encoded letter, that part is not decoded. @param {string} hash */
function parts(hash) {
    try {
        return hash.slice(1).split('/').map(decodeURIComponent);
    } catch {
        return hash.slice(1).split('/');
    }
}

/** The interface of the page for its views. */
export class App {
    constructor() {
        /** @type {Awaited<ReturnType<typeof getRest>> | null} */
        this.rest = null;
        /** @type {Promise<void> | undefined} */
        this.fetching = undefined;
        this.ready.catch(() => {});          // it is reported where it is needed
        /** Why the engine is missing. */
        this.missing = '';
        this.root = $('#app');
        /** @type {Shown | null} */
        this.shown = null;
        /** The game at the table. @type {Game | null} */
        this.game = null;
        /** A newer version of the page that is waiting. @type {ServiceWorker | null} */
        this.newer = null;
        $('#newer').addEventListener('click', (e) => { if (closest(e, 'button')) this.useNewer(); });
        // A record or an edition may be dropped anywhere; the replay pages show errors in their own place.
        addEventListener('dragover', (e) => e.preventDefault());
        addEventListener('drop', (e) => {
            const file = e.dataTransfer?.files[0];
            if (e.defaultPrevented || !file)
                return;
            e.preventDefault();
            void this.isMissing().then(async (missing) => missing ? toast(this.missing) : (await
                import('./replay.js')).openFile(this, file, toast));
        });
        $('#unkept').addEventListener('click', (e) => this.rescue(closest(e, 'button')?.dataset.a));
        storage.changed = () => this.sayUnkept(lacksRoom());
        addEventListener('hashchange', () => void this.route());
        addEventListener('storage', ({ key, newValue }) => {
            if (key === 'pyramids.game' && this.game instanceof LocalGame)
                this.game.leave(newValue && JSON.parse(newValue), () => {
                    this.game = null;
                    void this.route();
                });
        });
    }

    useNewer() {
        navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
        this.newer?.postMessage('now');
    }

    /** Shows that the browser does not store the game, because there is no room or it is not allowed to: better reported
     * at once than noticed after a reload.
     * @param {boolean} is */
    sayUnkept(is) {
        $('#unkept').hidden = !is;
        replaceContent($('#unkept'), html`<span>${
            _('This browser cannot save your game: its storage is full or turned off. The game lasts as long as this page ' +
                'is open.')
            }</span><button class="btn pri" data-a="save">${icon('save')}${
                _('Download the game')}</button><button class="btn" data-a="close">${
            _('Close')}</button>`);
    }

    /** @param {string} [how] */
    rescue(how) {
        const last = games()[0], { game } = this;
        if (how === 'save' && (game || last))
            download(`pyramids-${game?.id ?? last.id}.pyr`, game?.record() ?? last.record);
        if (how === 'close')
            $('#unkept').hidden = true;
    }

    /** Resolves when engine and table are loaded; after a failed download the next caller tries again.
     * @returns {Promise<void>} */
    get ready() {
        this.fetching ??= getRest().then((rest) => { this.rest = rest; }, (error) => {
            this.fetching = undefined;
            throw error;
        });
        return this.fetching;
    }

    /** Without them no game is possible: shows that, and returns true. */
    async isMissing() {
        const there = await this.ready.then(() => true, () => false);
        this.missing = there ? '' : 'WebAssembly' in globalThis ? _('This part could not be loaded. Are you offline?') :
            _('Pyramids cannot run in this browser: WebAssembly is missing or turned off.');
        return !there;
    }

    /** The text of the classic edition. */
    get classic() { return this.fetched().classic; }

    /** What was fetched: available to views that are shown after `ready`. */
    fetched() {
        if (!this.rest)
            throw new Error('the page is not ready');
        return this.rest;
    }

    /** A core with an edition: its name (classic, or one of this browser's own), or its text. @param {string} [edition] */
    core(edition = 'classic') {
        const core = new Core(this.fetched().module);
        const text = edition === 'classic' ? this.classic : edition.includes('\n') ? edition : editions()[edition] ??
            this.classic;
        if (core.readEdition(text))
            core.readEdition(this.classic);
        return core;
    }

    /** @param {(root: HTMLElement) => Shown} make @param {string} [title] */
    show(make, title = '') {
        this.shown?.stop();
        this.root.replaceChildren();
        if (this.rest && this.shown instanceof this.rest.TableView)      // updates of a game stay at its table
            $('#toast').hidden = true;
        const root = document.createElement('div');
        this.root.append(root);
        scrollTo(0, 0);
        setTitle(title ? `${title} · Pyramids` : 'Pyramids');
        const first = this.shown === null;
        this.shown = make(root);
        this.offerNewer();
        // For screen readers: the new page; not for the home page.
        const title1 = root.querySelector('h1');
        if (!first && title1 && (document.activeElement === document.body || !document.activeElement)) {
            title1.tabIndex = -1;
            title1.focus({ preventScroll: true });
        }
    }

    /** Offers a newer version on pages without a turn in progress. */
    offerNewer() {
        const table = this.rest && this.shown instanceof this.rest.TableView;
        $('#newer').hidden = !this.newer || table === true;
        replaceContent($('#newer'), html`<span>${_('A newer version is ready.')}</span><button class="btn pri">${
            _('Reload')}</button>`);
    }

    /** @param {string} hash without # */
    go(hash) {
        if (location.hash === `#${hash}` || (!hash && !location.hash))
            void this.route();
        else
            location.hash = hash;
    }

    /** Replaces an address that leads nowhere by another one, so that going back does not lead there again.
     * @param {string} hash */
    async redirect(hash) {
        history.replaceState(null, '', `#${hash}`);
        await this.route();
    }

    async route() {
        const { hash } = location, [name, ...rest] = parts(hash), isRule = /^[RQE]\d+$/.test(name);
        document.querySelectorAll('dialog[open]').forEach((d) => /** @type {HTMLDialogElement} */ (d).close());
        if (name !== 'play' && name !== 'table' && !(name === 'end' && this.game?.id === rest[0])) {
            this.game?.stop();
            this.game = null;
        }
        const view = isRule ? 'rules' : name, home = !Object.hasOwn(VIEWS, view);
        const missing = !home && await this.isMissing();
        if (location.hash !== hash)          // the player has gone elsewhere in the meantime
            return;
        if (missing)
            this.show((root) => new NoEngineView(root, this));
        else if (home)
            this.show((root) => new HomeView(root, this));
        else
            await this.open(view, ...(isRule ? [name] : rest));
    }

    /** @param {string} view of the list @param {string[]} rest */
    async open(view, ...rest) {
        const { hash } = location;
        try {
            const open = await VIEWS[view]();
            if (location.hash === hash)
                open(this, ...rest);
        } catch (error) {
            console.error(error);
            toast(_('This part could not be loaded. Are you offline?'));
        }
    }

    /** The table of a local game: the present one, or the saved one. */
    play() {
        if (!(this.game instanceof LocalGame))
            this.game?.stop();
        const game = this.game instanceof LocalGame ? this.game : LocalGame.resume(this.core());
        if (!game) {
            void this.redirect('');
            return;
        }
        this.game = game;
        this.showTable(game);
        game.run();
    }

    /** @param {Game} game */
    showTable(game) {
        if (game.core.isOver()) {
            this.end(game);
            return;
        }
        $('#toast').hidden = true;
        const { TableView, GuidedView } = this.fetched(), isFirst = game instanceof LocalGame && !games().length;
        this.show((root) => {
            const view = new (isFirst ? GuidedView : TableView)(root, game, this);
            view.update();
            return view;
        }, _('Table'));
    }

    /** Starts a new local game; if another one is well under way, asks first. @param {() => LocalGame} begin */
    async start(begin) {
        if (await this.isMissing()) {
            toast(this.missing);
            return;
        }
        const turns = LocalGame.saved()?.record.match(/^reveal /gm)?.length ?? 0;
        if (turns > 1 && !await askToConfirm(_('Start a new game?'), _('Your unfinished game will be discarded.'),
            _('New game')))
            return;
        this.game?.stop();
        this.game = begin();
        this.go('play');
    }

    // Requests of the table

    home() { this.go(''); }

    /** After a game on this device, a reload leads back to its end. @param {Game} game */
    end(game) {
        const day = game.badge();
        if (day?.counted) {
            void this.redirect(`daily/${day.date}`);
            return;
        }
        if (game instanceof LocalGame)
            history.replaceState(null, '', `#end/${game.id}`);
        this.show((root) => new (this.fetched().EndView)(root, game, this), _('Final scores'));
    }

    help() {
        const keys = /** @type {[string, string][]} */ ([['← ↑ → ↓', _('move over the chamber')], ['Tab',
            _('to the other card, then to the buttons')], ['1 2', _('first or second card')], ['R', _('Rotate the pattern')],
            ['F', _('Mirror the pattern')], ['S', _('one space instead of the pattern')], ['N', _('next legal placement')],
            ['Enter', _('place; press again to confirm')], ['U', _('Undo')], ['P', _('List placements')],
            ['H', _('Hint')], ['L', _('Game log')], ['E 1…6', _('React')], ['Esc', _('clear the placed marks')]]);
        const tips = [hasTouch() ?
            _('Tap a space to place the pattern, tap it again for other ways, then confirm. Hold a space to paint: then ' +
                'tap the others one by one.') :
            _('Point at a space to see where the pattern would go. Click to place it, click again for other ways, then ' +
                'confirm.'), _('Drag over spaces to paint the pattern, or drag the pattern itself.')];
        void dialog(_('Help and keys'), html`<ul class="rows">${tips.map((t) => html`<li>${
            t}</li>`)}</ul><div class="helpcols"><div><h3>${_('Symbols')}${ruleLink('R11')}</h3>${
                symbolList()}</div><div class="keys">${keys.map(([k, t]) =>
            html`<span>${k.split(' ').map((x) => html`<kbd class="kbd">${x}</kbd> `)}</span><span>${
                capital(t)}</span>`)}</div></div><p class="bars"><a class="btn" href="#rules">${icon('book')}${
                    _('Rules')}</a><a class="btn" href="#learn">${icon('learn')}${_('Learn')}</a></p>`,
            { close: _('Close'), wide: true });
    }

    /** @param {[string, string, () => void][]} items */
    menu(items) {
        const more = /** @type {[string, string, () => void][]} */ ([...items, ['home', _('Home'), () => this.home()],
            ['book', _('Rules'), () =>
            this.go('rules')], ['gear', _('Settings'), () => this.settings()],
            ['help', _('Help and keys'), () => this.help()]]);
        void dialog(_('Menu'), html`<div class="menu">${more.map(([i, label], k) => html`<button class="btn ghost" value="${
            k}">${icon(i)}${
            label}</button>`)}</div>`, { close: _('Close') })
            .then((value) => { if (value !== '') more[Number(value)][2](); });
    }

    /** @param {string} [field] the one to begin with */
    settings(field) {
        void import('./settings.js').then(({ showSettings }) => showSettings(async (code) => {
            await this.speak(code);
            this.settings('language');       // open the settings again, in the new language
        }, field));
    }

    /** @param {string} code */
    async speak(code) {
        saveSettings({ language: code });
        await speakIn(code);
        const game = this.game, chosen = document.activeElement?.matches('.lang select');
        if (game && this.rest && this.shown instanceof this.rest.TableView) {
            document.querySelectorAll('dialog[open]').forEach((d) => /** @type {HTMLDialogElement} */ (d).close());
            this.showTable(game);
        } else
            await this.route();
        if (chosen)
            /** @type {HTMLElement | null} */ (this.root.querySelector('.lang select'))?.focus();
    }
}

/** The bar above a page that is not the table. @param {string} title */
export const pageTop = (title) => html`<header class="top"><a class="toplink" href="#" aria-label="${_('Pyramids, home')}">${
    wordmark}</a><span class="roundtext">${title}</span><span class="sp"></span><a class="btn ghost" href="#">${
    icon('home')}<span class="no-p">${_('Home')}</span><span class="vh only-p">${_('Home')}</span></a></header>`;

/** Shown instead of a view if the engine is missing. */
class NoEngineView {
    /** @param {HTMLElement} root @param {App} app */
    constructor(root, app) {
        put(root, html`<div class="page">${pageTop('')}<main class="page-in narrow"><h1 class="title">${
            app.missing}</h1><p class="bars"><button class="btn pri">${
            icon('undo')}${_('Try again')}</button></p></main></div>`);
        root.addEventListener('click', (e) => { if (closest(e, 'button')) void app.route(); });
    }

    stop() {}
}

/** A waiting newer version is used at once if nothing is in progress; otherwise it is offered.
 * @param {ServiceWorkerRegistration} kept @param {App} app */
function takeOver(kept, app) {
    app.newer = kept.waiting;
    if (kept.waiting && !app.game && location.hash.length <= 1)
        app.useNewer();
    else
        app.offerNewer();
    // A version that arrives while the page is open is offered, never used automatically.
    kept.addEventListener('updatefound', () => {
        const fresh = kept.installing;
        fresh?.addEventListener('statechange', () => {
            if (fresh.state !== 'installed' || !navigator.serviceWorker.controller)
                return;
            app.newer = fresh;
            app.offerNewer();
        });
    });
}

/** @param {string} code */
async function speakIn(code) {
    await loadLanguage(code);
    $('meta[name=description]').setAttribute('content', _(
        'Pyramids: turn a card, take your pen, find the way down to the tomb. For two to four players, with friends or ' +
        'against the computer.'));
}

async function begin() {
    applyTheme();
    const app = new App();
    await speakIn(pickLanguage(settings.language));
    await app.route();
    await app.isMissing();
    watchTurns();
    // The rest is cached for playing without a network, once there is nothing more urgent to fetch.
    navigator.serviceWorker?.register('sw.js').then((kept) => { if (kept) takeOver(kept, app); }, () => {
        /* an insecure address: no offline play */ });
}

void begin();
