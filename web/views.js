/**
 * views.js: the one list of views, by their address behind the #. Each entry fetches what its view needs and returns
 * a function that shows it, so that main.js can check in between whether the player has gone elsewhere. Tags such as
 * R10 lead to the rules; any other address leads to the first page.
 */
import { _ } from './i18n.js';

/** @typedef {import('./main.js').App} App */
/** @typedef {(app: App, ...rest: string[]) => void} Open what shows a view, given the rest of its address */

/** @type {Record<string, () => Promise<Open>>} */
export const VIEWS = {
    play: async () => (app) => app.play(),
    end: async () => (await import('./replay.js')).showEnd,
    replay: async () => (await import('./replay.js')).showReplay,
    games: async () => {
        const { GamesView } = await import('./history.js');
        return (app) => app.show((root) => new GamesView(root, app), _('Games'));
    },
    // The former address, which may be in bookmarks.
    replays: async () => (app) => void app.redirect('games'),
    profile: async () => {
        const { ProfileView } = await import('./profile.js');
        return (app, key) => app.show((root) => new ProfileView(root, app, key), _('Profile'));
    },
    ratings: async () => {
        const { RatingsView } = await import('./ratings.js');
        return (app) => app.show((root) => new RatingsView(root), _('Ratings'));
    },
    daily: async () => (await import('./daily.js')).showDaily,
    learn: async () => (await import('./learn.js')).showLessons,
    rules: async () => {
        const { RulesView } = await import('./rules.js');
        return (app, tag = '') => app.show((root) => new RulesView(root, app, tag), _('Rules'));
    },
    pad: async () => {
        const { PadView } = await import('./scorepad.js');
        return (app) => app.show((root) => new PadView(root, app), _('Score pad'));
    },
    editions: async () => {
        const { EditionsView } = await import('./editions.js');
        return (app, name) => app.show((root) => new EditionsView(root, app, name), _('Cards'));
    },
    print: async () => {
        const { PrintView } = await import('./print.js');
        return (app, name) => app.show((root) => new PrintView(root, app, name), _('Print'));
    },
    puzzle: async () => (await import('./puzzle.js')).showPuzzle,
    solo: async () => {
        const { SoloView } = await import('./solo.js');
        return (app, number) => app.show((root) => new SoloView(root, app, number), _('Solo expedition'));
    },
    edition: async () => (await import('./editions.js')).showEditor,
    table: async () => (await import('./lobby.js')).showTable,
    friends: async () => {
        const { NewTableView, TablesView } = await import('./lobby.js');
        return (app, what) => app.show((root) => what === 'new' ? new NewTableView(root) : new TablesView(root, app,
            false), _('My tables'));
    },
    notify: async () => {
        const { NotifyView } = await import('./notify.js');
        return (app) => app.show((root) => new NotifyView(root), _('Messages'));
    },
    watch: async () => {
        const { TablesView } = await import('./lobby.js');
        return (app) => app.show((root) => new TablesView(root, app, true), _('Watch a game'));
    },
};
