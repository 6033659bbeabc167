/** store.js: data stored in the browser: settings, the unfinished game, finished games, own editions, score pads.
 * Without storage (private windows may refuse it, or it is full) everything works, but lasts only as long as the page
 * is open. */

/** Data that the browser refused to store, as texts. @type {Map<string, string>} */
const unkept = new Map();

/** Called when it changes whether data of a game are only in this page. */
export const storage = { changed: () => {} };
/** The keys whose loss matters. */
const GAMES = ['game', 'games', 'tables'];
export const lacksRoom = () => GAMES.some((key) => unkept.has(key));

/** Reads a value of the same kind as `otherwise`: any other content is not trusted. @template T @param {string} key
 * @param {T} otherwise @returns {T} */
export function read(key, otherwise) {
    try {
        const value = JSON.parse(unkept.get(key) ?? localStorage.getItem(`pyramids.${key}`) ?? 'null');
        return value === null || (otherwise !== null && (typeof value !== typeof otherwise || Array.isArray(value) !==
            Array.isArray(otherwise))) ? otherwise : value;
    } catch {
        return otherwise;
    }
}

/** @param {string} key @param {unknown} value undefined: forget it */
export function write(key, value) {
    const before = lacksRoom();
    keep(key, value);
    if (lacksRoom() !== before)
        storage.changed();
}

/** @param {string} key @param {unknown} value */
function keep(key, value) {
    unkept.delete(key);
    try {
        if (value === undefined)
            localStorage.removeItem(`pyramids.${key}`);
        else
            localStorage.setItem(`pyramids.${key}`, JSON.stringify(value));
    } catch {
        if (value !== undefined)
            unkept.set(key, JSON.stringify(value));
    }
}

/** @typedef {{name: string, theme: 'auto' | 'light' | 'dark', language: string | null, letters: boolean, sound: boolean,
 * volume: number, vibration: boolean, spaces: boolean, badge: boolean, reactions: boolean, opponents: number, level:
 * string}} Settings volume: from 0 to 1; spaces: their names are shown; badge: how many tables wait is shown in the
 * tab and on the icon; reactions: those of others are shown */

/** @type {Settings} */
export const settings = { name: '', theme: 'auto', language: null, letters: true, sound: false, volume: .6, vibration: false,
    spaces: false, badge: true, reactions: true,
    opponents: 1, level: 'novice', ...read('settings', {}) };

/** @param {Partial<Settings>} change */
export function saveSettings(change) {
    Object.assign(settings, change);
    write('settings', settings);
    applyTheme();
    dispatchEvent(new Event('settings'));
}

const dark = matchMedia('(prefers-color-scheme: dark)');
export function applyTheme() {
    const theme = settings.theme === 'auto' ? (dark.matches ? 'dark' : 'light') : settings.theme;
    document.documentElement.dataset.theme = theme;
}
dark.addEventListener('change', applyTheme);

const LONGEST_NAME = 24;           // code points, as the server counts them

/** Cuts a name to fit, between what a reader sees as letters: an emoji family stays whole. @param {string} name
 * @param {number} [most] code points */
export function cutName(name, most = LONGEST_NAME) {
    const text = name.trim(), Segmenter = /** @type {any} */ (Intl).Segmenter;
    /** @type {string[]} */
    const letters = Segmenter ? [...new Segmenter().segment(text)].map((/** @type {{segment: string}} */ s) => s.segment) :
        [...text];
    let cut = '';
    for (const letter of letters) {
        if ([...cut, ...letter].length > most)
            break;
        cut += letter;
    }
    return cut.trim();
}

/** @typedef {{id: string, date: number, record: string, me: number, edition: string, daily?: boolean}} Kept a finished
 * game; edition: its text unless it is the classic one; daily: of an expedition at a server */

const MOST_GAMES = 40;
/** @returns {Kept[]} newest first */
export const games = () => read('games', /** @type {Kept[]} */ ([]));
/** @param {Kept} game */
export function keepGame(game) {
    write('games', [game, ...games().filter((g) => g.id !== game.id)].slice(0, MOST_GAMES));
}

/** @param {string} id */
export const forgetGame = (id) => write('games', games().filter((g) => g.id !== id));

/** In bytes, of texts that are read. */
export const LARGEST_RECORD = 65535;       // a game is written in 4 KB
export const LARGEST_EDITION = 60000;      // a box takes 3 KB; comments may multiply that

/** Own editions by name. @returns {Record<string, string>} */
export const editions = () => read('editions', /** @type {Record<string, string>} */ ({}));
/** @param {string} name @param {string} [text] without one it is forgotten */
export function keepEdition(name, text) {
    const { [name]: _old, ...all } = editions();
    write('editions', text ? { ...all, [name]: text } : all);
}
