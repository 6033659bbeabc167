/** more.js: the views that are not needed at once, by their address. */
import { _ } from './i18n.js';
import { games } from './store.js';
import { LocalGame } from './game.js';
import { toast } from './dom.js';
import { MISSING, MissingView, ReplayView, ReplaysView, editionOf, loadRecord } from './replay.js';
import { learn } from './learn.js';
import { RulesView } from './rules.js';
import { PadView } from './pad.js';
import { EditionsView, edit } from './editions.js';
import { NewTableView, TablesView, table } from './lobby.js';
import { api, serverWords, visit } from './online.js';
import { unpack } from './pack.js';
import { Core } from './core.js';

/** @typedef {import('./main.js').App} App */

/** A game that is kept here, or one of the server's. @param {App} app @param {string} id @param {string} [line] */
async function replay(app, id = '', line) {
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
function end(app, id) {
    const kept = games().find((g) => g.id === id && g.me >= 0), core = kept && loadRecord(app, kept.record, kept.edition);
    if (app.game?.id !== id)
        app.game = kept && core instanceof Core && core.isOver() ? LocalGame.finished(core, kept) : null;
    if (app.game)
        app.end(app.game);
    else
        void app.instead('');
}

/** @type {Record<string, (app: App, ...rest: string[]) => void>} */
export const routes = {
    replays: (app) => app.show((root) => new ReplaysView(root, app), _('Replays')),
    replay: (app, id, line) => void replay(app, id, line),
    end,
    learn,
    rules: (app, tag) => app.show((root) => new RulesView(root, app, tag === 'rules' ? '' : tag), _('Rules')),
    pad: (app) => app.show((root) => new PadView(root, app), _('Score pad')),
    editions: (app, name) => app.show((root) => new EditionsView(root, app, name), _('Cards')),
    edition: edit,
    table,
    friends: (app, what) => app.show((root) => what === 'new' ? new NewTableView(root, app) : new TablesView(root, app, false), _('My tables')),
    watch: (app) => app.show((root) => new TablesView(root, app, true), _('Watch a game')),
};
