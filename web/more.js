/** more.js: the views that are not needed at once, by their address. */
/** @typedef {import('./main.js').App} App */

/** @type {Record<string, (app: App, ...rest: string[]) => void>} */
export const routes = {
};
