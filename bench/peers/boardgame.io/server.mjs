// server.mjs DATABASE, or --postgres FOLDER (of its socket): the peer, on a free port of 127.0.0.1, which it reports to
// its parent.
import { createRequire } from 'node:module';
import { game } from './game.mjs';
import { Store } from './store.mjs';

const require = createRequire(import.meta.url);
const { Server } = require('boardgame.io/server');

// Its own adapter for PostgreSQL, as its documentation describes.
const postgres = (folder) => {
    const { PostgresStore } = require('bgio-postgres');
    return new PostgresStore({ host: folder, username: 'postgres', database: 'postgres', logging: false });
};
const [first, folder] = process.argv.slice(2);
const db = first === '--postgres' ? postgres(folder) : new Store(first);
const server = Server({ games: [game], db, origins: [] });
// It would otherwise listen on every address of the machine.
const listen = server.app.listen;
server.app.listen = (port, ready) => listen.call(server.app, port, '127.0.0.1', ready);
const { appServer } = await server.run(0);
process.send(appServer.address().port);
// Before its memory is measured, garbage is collected.
process.on('message', () => {
    globalThis.gc();
    globalThis.gc();
    process.send('collected');
});
const stop = () => process.exit(0);
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
process.on('disconnect', stop);              // the program that started it has ended
