// A durable store for boardgame.io: SQLite, write-ahead log, synchronous=FULL, like our own server's. States are also
// kept in memory, so that a move reads nothing from the disk, and metadata that contains only the time of the last change
// is written with the next move's transaction: both favour the peer.
import Database from 'better-sqlite3';

export class Store {
    constructor(path) {
        this.db = new Database(path);
        this.db.pragma('journal_mode = WAL');
        this.db.pragma('synchronous = FULL');
        this.db.exec('CREATE TABLE match (id TEXT PRIMARY KEY, initial TEXT, state TEXT, metadata TEXT) WITHOUT ROWID;'
            + 'CREATE TABLE log (id INTEGER PRIMARY KEY, match TEXT NOT NULL, entry TEXT NOT NULL)');
        const create = this.db.prepare('INSERT INTO match (id, initial, state, metadata) VALUES (?, ?, ?, ?)');
        const state = this.db.prepare('UPDATE match SET state = ?, metadata = ? WHERE id = ?');
        const metadata = this.db.prepare('UPDATE match SET metadata = ? WHERE id = ?');
        const entry = this.db.prepare('INSERT INTO log (match, entry) VALUES (?, ?)');
        this.insert = (id, match) => create.run(id, JSON.stringify(match.initialState), JSON.stringify(match.initialState),
            JSON.stringify(match.metadata));
        this.describe = (id, text) => metadata.run(text, id);
        this.update = this.db.transaction((id, match, log) => {
            state.run(JSON.stringify(match.state), JSON.stringify(match.metadata), id);
            for (const one of log)
                entry.run(id, JSON.stringify(one));
        });
        this.entries = this.db.prepare('SELECT entry FROM log WHERE match = ? ORDER BY id').pluck();
        this.initial = this.db.prepare('SELECT initial FROM match WHERE id = ?').pluck();
        this.match = new Map();
    }

    type() { return 0; }                     // synchronous
    connect() {}

    createMatch(id, { initialState, metadata }) {
        this.match.set(id, { state: initialState, metadata });
        this.insert(id, { initialState, metadata });
    }

    setState(id, state, deltalog) {
        const match = this.match.get(id);
        match.state = state;
        this.update(id, match, deltalog ?? []);
    }

    setMetadata(id, metadata) {
        const match = this.match.get(id), { updatedAt: before, ...was } = match.metadata, { updatedAt, ...is } = metadata;
        match.metadata = metadata;
        if (JSON.stringify(was) !== JSON.stringify(is))
            this.describe(id, JSON.stringify(metadata));
    }

    fetch(id, options) {
        const match = this.match.get(id), result = {};
        if (!match)
            return result;
        if (options.state)
            result.state = match.state;
        if (options.metadata)
            result.metadata = match.metadata;
        if (options.log)
            result.log = this.entries.all(id).map((text) => JSON.parse(text));
        if (options.initialState)
            result.initialState = JSON.parse(this.initial.get(id));
        return result;
    }

    wipe(id) { this.match.delete(id); }
    listMatches() { return [...this.match.keys()]; }
}
