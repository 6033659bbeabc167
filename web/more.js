/** more.js: the views that are not needed at once, by their address. */
import { _ } from './i18n.js';
import { games } from './store.js';
import { toast } from './dom.js';
import { ReplayView, ReplaysView, loadRecord } from './replay.js';
import { learn } from './learn.js';
import { RulesView } from './rules.js';
import { PadView } from './pad.js';
import { EditionsView, edit } from './editions.js';
import { NewTableView, TablesView, table } from './lobby.js';
import { api, visit } from './online.js';
import { unpack } from './pack.js';

/** @typedef {import('./main.js').App} App */

/** A game that is kept here, or one of the server's. @param {App} app @param {string} id @param {string} [line] */
async function replay(app, id = '', line) {
    const { hash } = location, kept = games().find((g) => g.id === id);
    const atServer = !kept && /^[A-Z0-9]{8}$/.test(id);
    /** @type {string} */
    const record = kept?.record ?? (id.startsWith('z.') ? await unpack(id.slice(2)) : atServer ? await visit().then(() => api('GET',
        `tables/${id}/record`)).catch(() => '') : '');
    const named = /^edition (\S+)/m.exec(record)?.[1] ?? 'classic';
    /** @type {string} */
    const edition = kept?.edition ?? (atServer && named !== 'classic' ? await api('GET', `editions/${encodeURIComponent(named)}`).catch(() => '') : '');
    if (location.hash !== hash)
        return;
    const core = record ? loadRecord(app, record, edition) : _('This game is not kept in this browser.');
    if (typeof core === 'string') {
        await app.instead('replays');
        toast(core);
        return;
    }
    app.show((root) => new ReplayView(root, app, core, id, line === undefined ? undefined : Number(line)), _('Replay'));
}

/** @type {Record<string, (app: App, ...rest: string[]) => void>} */
export const routes = {
    replays: (app) => app.show((root) => new ReplaysView(root, app), _('Replays')),
    replay: (app, id, line) => void replay(app, id, line),
    learn,
    rules: (app, tag) => app.show((root) => new RulesView(root, app, tag === 'rules' ? '' : tag), _('Rules')),
    pad: (app) => app.show((root) => new PadView(root, app), _('Score pad')),
    editions: (app, name) => app.show((root) => new EditionsView(root, app, name), _('Cards')),
    edition: edit,
    table,
    friends: (app, what) => app.show((root) => what === 'new' ? new NewTableView(root, app) : new TablesView(root, app, false), _('My tables')),
    watch: (app) => app.show((root) => new TablesView(root, app, true), _('Watch a game')),
};
