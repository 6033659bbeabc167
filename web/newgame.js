/**
 * newgame.js: the dialogs for setting up a game on this device: against bots, or several people on one device.
 */
import { html } from './html.js';
import { _ } from './i18n.js';
import { closest, dialog, radioKeys, toast } from './dom.js';
import { avatar, levelPicture } from './draw.js';
import { LEVELS, levelName } from './words.js';
import { LocalGame, botName } from './game.js';
import { cutName, saveSettings, settings } from './store.js';

/** Five side by side on a phone; three and two if a word is long. @param {string[]} labels */
const five = (labels) => labels.some((l) => l.split(' ').some((word) => word.length > 9)) ? 'row5 long' : 'row5';

/** How many opponents, and how strong: each choice is stored at once. @param {() => void} changed */
export async function chooseOpponents(changed) {
    const radio = /** @param {string} name @param {string | number} value @param {boolean} on
         * @param {import('./html.js').Part} inner */ (name, value, on, inner) => html`<button type="button" role="radio"
        aria-checked="${on}" tabindex="${on ? 0 : -1}" data-${name}="${value}">${inner}</button>`;
    const body = () => html`<div class="field"><span class="eyebrow" id="h-opp">${
        _('Opponents')}</span><div class="seg wide" role="radiogroup" aria-labelledby="h-opp">${[1, 2, 3].map((i) =>
        radio('opponents', i, i === settings.opponents, i))}</div></div><div class="field"><span class="eyebrow"
        id="h-lev">${_('Level')}</span><div class="levels ${five(LEVELS.map(levelName))}" role="radiogroup"
        aria-labelledby="h-lev">${LEVELS.map((l, i) =>
        radio('level', l, l === settings.level, html`${levelPicture(i)}${levelName(l)}`))}</div></div>`;
    await dialog(_('Against the computer'), body(), { close: _('Done'), wire: (box) => {
        box.addEventListener('keydown', radioKeys);
        box.addEventListener('click', (event) => {
            const radio = closest(event, '[role=radio]'), { opponents, level } = radio?.dataset ?? {};
            if (!radio)
                return;
            saveSettings(opponents ? { opponents: Number(opponents) } : { level });
            for (const one of /** @type {HTMLElement[]} */ ([...radio.parentElement?.children ?? []])) {
                one.setAttribute('aria-checked', `${one === radio}`);
                one.tabIndex = one === radio ? 0 : -1;
            }
            changed();
        });
    } });
}

/** Several people on one device, optionally with bots. @param {import('./main.js').App} app @param {string} edition */
export async function hotSeat(app, edition) {
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
    void app.start(() => LocalGame.start(app.core(edition), seats));
}
