/** languages.js: the languages there are: code, own name, which plural form a number takes. The build replaces this file by
 * one made from po/. */

export const LANGUAGES = /** @type {[string, string, (n: number) => number][]} */ ([
    ['en', 'English', (n) => Number(n !== 1)],
]);
