/**
 * pack.js: a record, and an edition, as parts of a link: compressed, in letters that are allowed there. So a game can
 * be shared that no server has.
 */
import { _ } from './i18n.js';
import { askToConfirm, shareLink } from './dom.js';
import { LARGEST_RECORD } from './store.js';

/** @param {BlobPart} data @param {GenericTransformStream} through */
const pipe = (data, through) => new Response(new Blob([data]).stream().pipeThrough(through)).arrayBuffer();

/** @param {string} text @returns {Promise<string>} */
export async function pack(text) {
    const bytes = new Uint8Array(await pipe(text, new CompressionStream('deflate-raw')));
    return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Unpacks a text: '' if it is invalid, null if it is too large. A few hundred kilobytes in a link can unpack to a thousand
 * times as much; no more is unpacked than can be used.
 * @param {string} packed @returns {Promise<string | null>} */
export async function unpack(packed) {
    try {
        const bytes = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
        const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
        /** @type {Uint8Array<ArrayBuffer>[]} */
        const chunks = [];
        for (let size = 0, part = await reader.read(); !part.done; part = await reader.read()) {
            chunks.push(part.value);
            size += part.value.length;
            if (size > LARGEST_RECORD) {
                reader.cancel().catch(() => {});
                return null;
            }
        }
        return await new Blob(chunks).text();
    } catch {
        return '';
    }
}

/** Shares the link to a replay: with its code if the server has it, otherwise with the whole record in it, and with the
 * cards if not everyone has them. Cards may be protected: those of a box belong to its publisher, so it asks before
 * copying them.
 * @param {string} id @param {string} record @param {import('./core.js').Edition} edition @param {boolean} online */
export async function shareReplay(id, record, edition, online) {
    const carries = !online && edition.name !== 'classic';
    if (carries && !await askToConfirm(_('Share these cards?'), _('The link carries the whole edition %{name}. Share it ' +
        'only if you designed its cards yourself. The cards of a box belong to its publisher.', { name: edition.name }),
        _('These are my own cards')))
        return;
    const parts = carries ? [record, edition.text] : [record];
    const place = online ? id : ['z', ...await Promise.all(parts.map(pack))].join('.');
    shareLink(`${location.origin}${location.pathname}#replay/${place}`);
}
