/** pack.js: a record, and an edition, as parts of a link: compressed, in the letters that may stand there. So a game can be shared that no server knows. */

/** @param {BlobPart} data @param {GenericTransformStream} through */
const pipe = (data, through) => new Response(new Blob([data]).stream().pipeThrough(through)).arrayBuffer();

/** @param {string} text @returns {Promise<string>} */
export async function pack(text) {
    const bytes = new Uint8Array(await pipe(text, new CompressionStream('deflate-raw')));
    return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** '' if it is not one. @param {string} packed @returns {Promise<string>} */
export async function unpack(packed) {
    try {
        const bytes = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
        return new TextDecoder().decode(await pipe(bytes, new DecompressionStream('deflate-raw')));
    } catch {
        return '';
    }
}

/** The link to a replay: by its code if the server has it, else with the whole record in it, and with the cards if not everyone has them.
 * @param {string} id @param {string} record @param {import('./core.js').Edition} edition @param {boolean} online */
export async function replayLink(id, record, edition, online) {
    const parts = edition.name === 'classic' ? [record] : [record, edition.text];
    return `${location.origin}${location.pathname}#replay/${online ? id : ['z', ...await Promise.all(parts.map(pack))].join('.')}`;
}
