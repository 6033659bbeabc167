/**
 * settings.js: the settings dialog, for the first page and the table. Everything is stored and applied at once.
 */
import { html } from './html.js';
import { LANGUAGES, _, language } from './i18n.js';
import { $, dialog } from './dom.js';
import { cutName, saveSettings, settings } from './store.js';
import { playSound } from './sound.js';

/** @param {(code: string) => void} speak another language was chosen @param {string} [field] the one to begin with */
export function showSettings(speak, field) {
    const option = /** @param {string} value @param {string} label @param {string} now */ (value, label, now) =>
        html`<option value="${value}" ${value === now ? 'selected' : ''}>${label}</option>`;
    const check = /** @param {'letters' | 'sound' | 'vibration' | 'spaces' | 'reactions'}
     * name @param {string} label */ (name, label) =>
        html`<label class="check"><input type="checkbox" name="${name}" ${settings[name] ? 'checked' : ''}>${label}</label>`;
    const canVibrate = 'vibrate' in navigator && matchMedia('(any-pointer: coarse)').matches;
    return dialog(_('Settings'), html`<div class="fields"><label>${
        _('Your name')}<input type="text" name="name" maxlength="96" value="${
        settings.name}" autocomplete="nickname"></label>
        <label>${_('Language')}<select name="language">${LANGUAGES.map(([c, n]) => option(c, n, language))}</select></label>
        <label>${_('Theme')}<select name="theme">${option('auto', _('same as device'), settings.theme)}${option('light',
            _('light'),
            settings.theme)}${option('dark', _('dark'), settings.theme)}</select></label>
        ${check('sound', _('Sounds'))}<label>${
            _('Volume')}<input type="range" name="volume" min="0.1" max="1" step="0.1" value="${settings.volume}" ${
            settings.sound ? '' : 'disabled'}></label>
        ${canVibrate ? check('vibration', _('Vibrate when a pattern snaps into place')) : ''}${check('letters',
            _('Letters as shortcuts'))}${
            check('spaces', _('Names of spaces'))}${check('reactions',
            _('Reactions of other players'))}<p><a class="btn" href="#notify">${_('Messages')}</a></p></div>`,
        { close: _('Done'), wire: (box) => {
            box.querySelector('a')?.addEventListener('click', () => /** @type {HTMLDialogElement} */ (box).close());
            if (field)
                /** @type {HTMLInputElement} */ ($(`[name=${field}]`, box)).autofocus = true;
            box.addEventListener('change', (event) => {
                const changed = /** @type {HTMLInputElement} */ (event.target);
                if (changed.type === 'checkbox') saveSettings({ [changed.name]: changed.checked });
                else if (changed.name === 'volume') saveSettings({ volume: Number(changed.value) });
                else if (changed.name === 'theme') saveSettings({ theme: /** @type {'auto'} */ (changed.value) });
                else if (changed.name === 'name') saveSettings({ name: cutName(changed.value) });
                else if (changed.name === 'language') speak(changed.value);
                if (changed.name === 'sound' || changed.name === 'volume') {
                    /** @type {HTMLInputElement} */ ($('[name=volume]', box)).disabled = !settings.sound;
                    playSound('gem');
                }
            });
        } });
}
