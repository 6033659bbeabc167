/**
 * offlineday.js: a day's game on this device: a past day from its published secret, or a practice deal from the date
 * alone. The engine deals the cards and computes the seal (daily.h).
 */
import { _ } from './i18n.js';
import { LocalGame, botName } from './game.js';
import { settings } from './store.js';

/** @typedef {import('./main.js').App} App */

/** Whether this page's engine can deal a day. @param {App} app */
export const canDeal = (app) => app.core().canDealDays();

/** @type {Map<string, string>} */
const made = new Map();
/** The seal computed from a secret; '' if the secret is invalid. @param {App} app @param {string} date
 * @param {string} secret */
export function commitmentOf(app, date, secret) {
    const known = made.get(secret);
    if (known !== undefined)
        return known;
    const core = app.core(), fine = core.canDealDays() && core.localDaily(['a', 'b', 'c'], date, secret) === 0;
    const seal = fine ? /^tag commitment ([0-9a-f]{64})$/m.exec(core.log())?.[1] ?? '' : '';
    made.set(secret, seal);
    return seal;
}

/** Begins the game; if another one is under way, asks first. @param {App} app @param {string} date
 * @param {string} secret '': a practice deal */
export function playDay(app, date, secret) {
    void app.start(() => LocalGame.startDay(app.core(), [settings.name || _('Player'), botName(1), botName(2)], date,
        secret));
}
