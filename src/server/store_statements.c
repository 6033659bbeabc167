/*
 * store_statements.c: the statements, in SQL that every engine accepts. The tables are described in docs/storage.md;
 * engines create them.
 *
 * Conventions: the letters before each text are the kinds of its parameters, in order (store_engine.h): i integer, r
 * real, t text, b bytes, x text with a size. Parameters are written ?1, ?2...; PostgreSQL gets them as $1, $2. Times are
 * seconds since 1970. The states of `game` are the numbers of enum store_state: 0 waiting, 1 running, 2 over, 3 closed;
 * "state < 2" is an open table.
 */
#include "store_engine.h"

#define SEAT_COLUMNS "game, visitor, seat, people, bots, level, points, share, made, place, pyramids, luck, rate"

/* The finished games of a visitor, the latest first, from a place on. */
#define PAST_COLUMNS "seat.game, seat.seat, people, bots, level, points, share, made, place, pyramids, luck, rate, code"
#define PAST_FROM " FROM seat JOIN game ON game.id = seat.game WHERE seat.visitor = ?1 AND points IS NOT NULL"
#define PAST_ORDER " AND made <= ?2 AND (made < ?2 OR seat.game < ?3) ORDER BY made DESC, seat.game DESC LIMIT ?4"

/* Whether one seat of a game is placed above another. Games from before places were stored have only points. */
#define MINE_BEATS "mine.place < other.place OR (mine.place = 0 AND mine.points > other.points)"
#define OTHER_BEATS "other.place < mine.place OR (other.place = 0 AND other.points > mine.points)"
/* The number of lines in a table's log. */
#define LINES_END "coalesce((SELECT seq + count FROM line WHERE game = ?1 ORDER BY seq DESC LIMIT 1), 0)"
/* The next revision of a table, with its other two columns. */
#define NOW_SET "number = number + 1, due = nullif(?3, 0), keeper = CASE WHEN ?4 < 0 THEN keeper ELSE ?4 END"
#define NOW_NEXT "UPDATE revision SET " NOW_SET " WHERE game = ?1 AND number = ?2"

const struct store_text store_texts[STORE_STATEMENTS] = {
    [PUT_VISITOR] = { "itii", "INSERT INTO visitor (id, name, created, seen) VALUES (?1, ?2, ?3, ?4)"
        " ON CONFLICT (id) DO UPDATE SET name = excluded.name, created = excluded.created, seen = excluded.seen" },
    [ADD_VISITOR] = { "tii", "INSERT INTO visitor (name, created, seen) VALUES (?1, ?2, ?3) RETURNING id" },
    [GET_VISITOR] = { "b", "SELECT id, name, created, seen, renewed FROM token JOIN visitor ON visitor.id = token.visitor"
        " WHERE hash = ?1" },
    [PUT_TOKEN] = { "bii", "INSERT INTO token (hash, visitor, renewed) VALUES (?1, ?2, ?3)" },
    [RENEW_TOKEN] = { "bi", "UPDATE token SET renewed = ?2 WHERE hash = ?1" },
    [GET_TOKEN] = { "b", "SELECT visitor FROM token WHERE hash = ?1" },
    [ALL_TOKENS] = { "", "SELECT id, name, created, seen, hash, renewed"
        " FROM token JOIN visitor ON visitor.id = token.visitor"
        " ORDER BY id" },
    /* A few at a time, each with whether they ever sat at a table: most of those who were not seen for long have. Not the
     * last one, whose id must not be used again. */
    [OLD_VISITORS] = { "iiii", "SELECT id, seen, coalesce((SELECT 1 FROM seat WHERE seat.visitor = old.id LIMIT 1),"
        " (SELECT 1 FROM attempt WHERE attempt.visitor = old.id LIMIT 1), 0)"
        " FROM (SELECT id, seen FROM visitor WHERE seen < ?1 AND seen >= ?2 AND (seen > ?2 OR id > ?3)"
        " AND id < (SELECT max(id) FROM visitor) ORDER BY seen, id LIMIT ?4) AS old ORDER BY seen, id" },
    [SEE_VISITOR] = { "ii", "UPDATE visitor SET seen = ?2 WHERE id = ?1" },
    [VISITOR_OF_ID] = { "i", "SELECT id, name, created, seen FROM visitor WHERE id = ?1" },
    /* Makes one of two servers that count the same visitor's tables wait for the other. */
    [LOCK_VISITOR] = { "i", "UPDATE visitor SET seen = seen WHERE id = ?1" },
    [DROP_TOKENS] = { "i", "DELETE FROM token WHERE visitor = ?1" },
    [DROP_REQUESTS_OF] = { "i", "DELETE FROM request WHERE visitor = ?1" },
    [DROP_VISITOR] = { "i", "DELETE FROM visitor WHERE id = ?1" },
    [LAST_IDS] = { "", "SELECT (SELECT max(id) FROM visitor), (SELECT max(id) FROM game)" },

    /* Most changes of a table leave its state unchanged: then no index is touched. */
    [TOUCH_TABLE] = { "iiitt", "UPDATE game SET changed = ?3, config = ?4 WHERE id = ?1 AND state = ?2 AND code = ?5" },
    [PUT_PUBLIC] = { "ii", "UPDATE game SET public = ?2 WHERE id = ?1" },
    [PUT_TABLE] = { "iiittiii", "INSERT INTO game (id, state, changed, config, code, created, host, public)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        " ON CONFLICT (id) DO UPDATE SET code = excluded.code, state = excluded.state, changed = excluded.changed,"
        " config = excluded.config" },
    [ADD_TABLE] = { "iittiii", "INSERT INTO game (state, changed, config, code, created, host, public)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (code) DO NOTHING RETURNING id" },
    [COUNT_HOSTED] = { "i", "SELECT count(*) FROM game WHERE host = ?1 AND state < 2" },
    [PUT_REVISION] = { "iiii", "INSERT INTO revision (game, number, due, keeper) VALUES (?1, ?2, nullif(?3, 0), ?4)"
        " ON CONFLICT (game) DO NOTHING" },
    [NEXT_REVISION] = { "ii", "UPDATE revision SET number = number + 1 WHERE game = ?1 AND number = ?2" },
    [NEXT_REVISION_DUE] = { "iiii", NOW_NEXT },
    /* A whole change of a table in one statement, for PostgreSQL: if the table has another revision, nothing happens. */
    [CHANGE_CHOICE] = { "iiiiiittib", "WITH now AS (" NOW_NEXT " RETURNING game)"
        " INSERT INTO choice (game, seat, phase, request, text, made, ids) SELECT game, ?5, ?6, ?7, ?8, ?9, ?10 FROM now"
        " ON CONFLICT (game, seat) DO UPDATE SET phase = excluded.phase, request = excluded.request,"
        " text = excluded.text, made = excluded.made, ids = excluded.ids" },
    [CHANGE_LINES] = { "iiiiiixi", "WITH now AS (" NOW_NEXT " AND ?5 = " LINES_END " RETURNING game)"
        " INSERT INTO line (game, seq, count, text, made) SELECT game, ?5, ?6, ?7, ?8 FROM now" },
    [CHANGE_BOTH] = { "iiiiiixiittb", "WITH now AS (" NOW_NEXT " AND ?5 = " LINES_END " RETURNING game),"
        " chosen AS (INSERT INTO choice (game, seat, phase, request, text, made, ids)"
        " SELECT game, ?9, ?5, ?10, ?11, ?8, ?12 FROM now"
        " ON CONFLICT (game, seat) DO UPDATE SET phase = excluded.phase, request = excluded.request,"
        " text = excluded.text, made = excluded.made, ids = excluded.ids)"
        " INSERT INTO line (game, seq, count, text, made) SELECT game, ?5, ?6, ?7, ?8 FROM now" },
    /* A choice stored after choices of others that were not known (store_ops.c): ?11 are their seats, ?12 is their
     * number. */
    [LOCK_REVISION] = { "i", "SELECT 1 FROM revision WHERE game = ?1 FOR NO KEY UPDATE" },
    [JOIN_CHOICE] = { "iiiiiittibii", "WITH known AS (SELECT count(*) AS others FROM choice WHERE game = ?1 AND phase = ?6"
        " AND text <> '' AND ((1::bigint << seat) & ?11) <> 0),"
        " now AS (UPDATE revision SET " NOW_SET " FROM known WHERE game = ?1"
        " AND number - ?2 = others AND others < ?12 AND NOT EXISTS (SELECT 1 FROM line WHERE game = ?1 AND seq >= ?6)"
        " RETURNING game, number)"
        " INSERT INTO choice (game, seat, phase, request, text, made, ids) SELECT game, ?5, ?6, ?7, ?8, ?9, ?10 FROM now"
        " ON CONFLICT (game, seat) DO UPDATE SET phase = excluded.phase, request = excluded.request,"
        " text = excluded.text, made = excluded.made, ids = excluded.ids RETURNING (SELECT number FROM now)" },
    [GET_REVISION] = { "t", "SELECT number FROM revision JOIN game ON game.id = revision.game WHERE code = ?1" },
    /* These three are only for databases that several servers share, which means PostgreSQL. ?1: ids with blanks between
     * them; the rows are in the same order. */
    [GET_REVISIONS] = { "t", "SELECT coalesce(number, 0) FROM unnest(string_to_array(?1, ' ')::bigint[]) WITH ORDINALITY"
        " AS asked (id, place) LEFT JOIN revision ON game = id ORDER BY place" },
    [GET_TIME] = { "", "SELECT extract(epoch FROM clock_timestamp())::bigint" },
    [LOCK_OPEN] = { "", "SELECT 1 FROM pg_advisory_xact_lock(1348031042)" },
    /* Room for new tables (store_ops.c). All numbers are as of one moment. */
    [TAKE_ROOM] = { "i", "UPDATE node SET room = room - 1 WHERE id = ?1 AND room > 0" },
    [COUNT_ROOM] = { "", "SELECT (SELECT count(*) FROM game WHERE state < 2) + (SELECT coalesce(sum(room), 0) FROM node)" },
    [GIVE_ROOM] = { "ii", "UPDATE node SET room = ?2 WHERE id = ?1" },
    [FREE_ROOM] = { "", "UPDATE node SET room = 0 WHERE id IN (SELECT id FROM node WHERE room > 0"
        " FOR UPDATE SKIP LOCKED)" },
    [ADD_NODE] = { "ii", "INSERT INTO node (seen, thinks) VALUES (?1, ?2) RETURNING id" },
    [PUT_NODE] = { "iii", "INSERT INTO node (id, thinks, seen) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (id) DO UPDATE SET seen = excluded.seen" },
    [GET_NODES] = { "ii", "SELECT id, thinks FROM node WHERE seen > ?1 ORDER BY id DESC LIMIT ?2" },
    [DROP_NODE] = { "i", "DELETE FROM node WHERE id = ?1" },
    [OLD_NODES] = { "i", "DELETE FROM node WHERE seen < ?1" },
    [CLAIM] = { "iiiii", "UPDATE revision SET keeper = ?1 WHERE game IN"
        " (SELECT game FROM revision WHERE due <= ?2 AND due >= ?5 AND keeper <> ?1"
        " AND keeper NOT IN (SELECT id FROM node WHERE seen > ?3)"
        " ORDER BY due, game LIMIT ?4 FOR UPDATE SKIP LOCKED)"
        " RETURNING (SELECT code FROM game WHERE game.id = revision.game)" },
    /* Almost all tables are over and therefore never due: stated here, since PostgreSQL cannot infer it. */
    [GET_KEPT] = { "iiii", "SELECT code, due, game FROM (SELECT game, due FROM revision WHERE keeper = ?1"
        " AND due IS NOT NULL AND due <= ?2 AND game > ?3 ORDER BY game LIMIT ?4) AS kept"
        " JOIN game ON game.id = kept.game ORDER BY game" },
    /* Open tables have a due time, and an index by keeper. Rows locked by other servers are skipped: waiting could cause
     * a deadlock, and a keeper that is gone counts as none anyway. */
    [DISOWN] = { "i", "UPDATE revision SET keeper = 0 WHERE game IN (SELECT game FROM revision WHERE keeper = ?1"
        " AND due IS NOT NULL FOR UPDATE SKIP LOCKED)" },
    [PUT_PRESENT] = { "iii", "INSERT INTO presence (game, visitor, node) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (game, visitor, node) DO NOTHING" },
    /* People before servers (0); servers that started later first: the earlier ones may be gone. */
    [GET_PRESENT] = { "ii", "SELECT visitor, node FROM presence WHERE game = ?1"
        " ORDER BY CASE WHEN visitor = 0 THEN 1 ELSE 0 END, node DESC, visitor LIMIT ?2" },
    [DROP_PRESENT] = { "ii", "DELETE FROM presence WHERE game = ?1 AND node = ?2" },
    [DROP_PRESENT_OF] = { "i", "DELETE FROM presence WHERE node = ?1" },
    [OLD_PRESENT] = { "", "DELETE FROM presence WHERE node NOT IN (SELECT id FROM node)" },
    [DROP_PRESENCE] = { "i", "DELETE FROM presence WHERE game = ?1" },
    [PUT_ANALYSIS] = { "iii", "INSERT INTO analysis (game, asker, asked) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (game) DO NOTHING" },
    [COUNT_ANALYSES] = { "ii", "SELECT count(*), count(CASE WHEN asker = ?1 THEN 1 END),"
        " count(CASE WHEN game = ?2 THEN 1 END) FROM analysis" },
    [CLAIM_ANALYSIS] = { "ii", "UPDATE analysis SET node = ?1 WHERE game IN"
        " (SELECT game FROM analysis WHERE node = ?1 OR node NOT IN (SELECT id FROM node WHERE seen > ?2)"
        " ORDER BY asked, game LIMIT 1 FOR UPDATE SKIP LOCKED)"
        " RETURNING (SELECT code FROM game WHERE game.id = analysis.game)" },
    [DROP_ANALYSIS] = { "i", "DELETE FROM analysis WHERE game = ?1" },
    [DISOWN_ANALYSES] = { "i", "UPDATE analysis SET node = 0 WHERE node = ?1" },
    [DROP_REVISION] = { "i", "DELETE FROM revision WHERE game = ?1" },
    [GET_TABLE] = { "i", "SELECT id, code, state, created, changed, config, host, public, number, coalesce(due, 0), keeper"
        " FROM game JOIN revision ON game = id WHERE id = ?1" },
    /* Everything about a table as of one moment, in one query: its row, then its lines, then its choices. */
    [GET_WHOLE] = { "t", "SELECT 2, seat, phase, made, 0, 0, 0, 0, 0, 0, request, text, ids FROM choice"
        " WHERE game = (SELECT id FROM game WHERE code = ?1)"
        " UNION ALL SELECT 1, seq, made, 0, 0, 0, 0, 0, 0, 0, text, '', NULL FROM line"
        " WHERE game = (SELECT id FROM game WHERE code = ?1)"
        " UNION ALL SELECT 0, id, state, created, changed, host, public, number, coalesce(due, 0), keeper, code, config,"
        " NULL FROM game JOIN revision ON game = id WHERE code = ?1 ORDER BY 1, 2" },
    [OPEN_OF] = { "ii", "SELECT code FROM game WHERE state < 2 AND id IN (SELECT id FROM game WHERE host = ?1 AND state < 2"
        " UNION SELECT game FROM seat WHERE visitor = ?1 AND points IS NULL) ORDER BY changed DESC, id DESC LIMIT ?2" },
    [PUBLIC_TABLES] = { "i", "SELECT code FROM (SELECT code, state, changed, id, row_number() OVER (PARTITION BY host"
        " ORDER BY state, changed DESC, id DESC) AS place FROM game WHERE public = 1 AND state < 2) AS listed"
        " ORDER BY CASE WHEN place <= 3 THEN 0 ELSE 1 END, state, changed DESC, id DESC LIMIT ?1" },
    [COUNT_OPEN] = { "", "SELECT count(*) FROM game WHERE state < 2" },
    /* The condition is written twice, so that SQLite, too, uses the index of open tables. */
    [ABANDONED] = { "i", "SELECT code FROM game WHERE state < 2 AND state = 0 AND changed < ?1"
        " ORDER BY changed LIMIT 1" },
    [GET_DUE] = { "iiii", "SELECT code, due, game FROM revision JOIN game ON game.id = revision.game"
        " WHERE due IS NOT NULL AND due <= ?3 AND (due > ?1 OR (due = ?1 AND game > ?2)) ORDER BY due, game LIMIT ?4" },
    [PUT_DUE] = { "iii", "UPDATE revision SET number = number + 1, due = nullif(?3, 0), keeper = 0"
        " WHERE game = ?1 AND number = ?2" },
    [TABLE_OF_CODE] = { "t", "SELECT id FROM game WHERE code = ?1" },
    [OPEN_TABLES] = { "", "SELECT id, 0 FROM game WHERE state < 2 ORDER BY created, id" },
    [TABLES_OF] = { "ii", "SELECT game.id, seat.seat FROM seat JOIN game ON game.id = seat.game WHERE visitor = ?1"
        " ORDER BY changed DESC, game.id DESC LIMIT ?2" },
    [FINISHED_TABLES] = { "", "SELECT id, 0 FROM game WHERE state = 2 ORDER BY created, id" },

    /* Only where the log ends: so it has no gaps. */
    [ADD_LINES] = { "iiixi", "INSERT INTO line (game, seq, count, text, made) SELECT ?1, ?2, ?3, ?4, ?5 WHERE ?2 ="
        " " LINES_END },
    [GET_LINES] = { "i", "SELECT text, made FROM line WHERE game = ?1 ORDER BY seq" },
    [PUT_CHOICE] = { "iiittib", "INSERT INTO choice (game, seat, phase, request, text, made, ids)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        " ON CONFLICT (game, seat) DO UPDATE SET phase = excluded.phase, request = excluded.request,"
        " text = excluded.text, made = excluded.made, ids = excluded.ids" },
    [GET_CHOICES] = { "i", "SELECT seat, phase, request, text, made, ids FROM choice WHERE game = ?1 ORDER BY seat" },

    /* Points of a running game are NULL here, and -1000 outside. */
    [PUT_SEAT] = { "iiiiitiriiirr", "INSERT INTO seat (" SEAT_COLUMNS ")"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, -1000), ?8, ?9, ?10, ?11, ?12, ?13)"
        " ON CONFLICT (game, seat) DO UPDATE SET visitor = excluded.visitor, people = excluded.people, bots = excluded.bots,"
        " level = excluded.level, points = excluded.points, share = excluded.share, made = excluded.made,"
        " place = excluded.place, pyramids = excluded.pyramids" },
    [GET_SEAT] = { "ii", "SELECT game, visitor, seat, people, bots, level, coalesce(points, -1000), share FROM seat"
        " WHERE game = ?1 AND seat = ?2" },
    [DROP_SEAT] = { "ii", "DELETE FROM seat WHERE game = ?1 AND seat = ?2" },
    [STATISTICS] = { "i", "SELECT CASE WHEN people > 0 THEN '' ELSE level END AS against, count(*), sum(share), sum(points),"
        " max(points) FROM seat WHERE visitor = ?1 AND points IS NOT NULL GROUP BY against ORDER BY against LIMIT 8" },

    [PUT_REPORT] = { "itiib", "INSERT INTO report (game, name, made, size, text) VALUES (?1, ?2, ?3, ?4, ?5)"
        " ON CONFLICT (game, name) DO UPDATE SET made = excluded.made, size = excluded.size, text = excluded.text" },
    [GET_REPORT] = { "it", "SELECT size, text FROM report WHERE game = ?1 AND name = ?2" },

    [PUT_REQUEST] = { "itii", "INSERT INTO request (visitor, id, game, made) VALUES (?1, ?2, ?3, ?4)" },
    [GET_REQUEST] = { "it", "SELECT code FROM request JOIN game ON game.id = request.game WHERE visitor = ?1"
        " AND request.id = ?2" },
    [PUT_CODE] = { "bii", "INSERT INTO code (hash, visitor, until) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (visitor) DO UPDATE SET hash = excluded.hash, until = excluded.until" },
    [GET_CODE] = { "bi", "SELECT visitor FROM code WHERE hash = ?1 AND until > ?2" },
    [DROP_CODE] = { "i", "DELETE FROM code WHERE visitor = ?1" },
    [ALL_CODES] = { "", "SELECT hash, visitor, until FROM code" },
    /* The count makes each heartbeat different from the last: SQLite does not write a value that is there already, and
     * then writing would not be tested. */
    [PUT_ALIVE] = { "i", "INSERT INTO heartbeat (id, alive, count) VALUES (1, ?1, 1)"
        " ON CONFLICT (id) DO UPDATE SET alive = excluded.alive, count = heartbeat.count + 1" },
    [GET_ALIVE] = { "", "SELECT alive FROM heartbeat" },
    [PUT_DOWN] = { "ii", "INSERT INTO downtime (began, ended) VALUES (?1, ?2)"
        " ON CONFLICT (began) DO UPDATE SET ended = excluded.ended" },
    [GET_DOWN] = { "i", "SELECT began, ended FROM downtime ORDER BY began DESC LIMIT ?1" },
    [OLD_DOWN] = { "i", "DELETE FROM downtime WHERE ended < ?1" },

    /* Tables that were created later were changed later: so the index of finished tables can be used. */
    [OLD_TABLES] = { "iii", "SELECT id, 0 FROM game WHERE state = 3 AND changed < ?1 AND id < (SELECT max(id) FROM game)"
        " AND NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.game = game.id)"
        " UNION ALL SELECT id, 0 FROM game WHERE state = 2 AND created < ?2 AND changed < ?2"
        " AND id < (SELECT max(id) FROM game) LIMIT ?3" },
    [DROP_LINES] = { "i", "DELETE FROM line WHERE game = ?1" },
    [DROP_CHOICES] = { "i", "DELETE FROM choice WHERE game = ?1" },
    [DROP_SEATS] = { "i", "DELETE FROM seat WHERE game = ?1" },
    [DROP_REPORTS] = { "i", "DELETE FROM report WHERE game = ?1" },
    [DROP_REQUESTS] = { "i", "DELETE FROM request WHERE game = ?1" },
    [DROP_TABLE] = { "i", "DELETE FROM game WHERE id = ?1" },
    [OLD_REPORTS] = { "i", "DELETE FROM report WHERE made < ?1" },
    [OLD_REQUESTS] = { "i", "DELETE FROM request WHERE made < ?1" },
    /* All rows, for store_copy.c: in the order of their keys, with the values of the statement that writes them. */
    [COPY_VISITORS] = { "", "SELECT id, name, created, seen FROM visitor ORDER BY id" },
    [COPY_TOKENS] = { "", "SELECT hash, visitor, renewed FROM token ORDER BY hash" },
    [COPY_CODES] = { "", "SELECT hash, visitor, until FROM code ORDER BY hash" },
    [COPY_TABLES] = { "", "SELECT id, state, changed, config, code, created, host, public FROM game ORDER BY id" },
    [COPY_REVISIONS] = { "", "SELECT game, number, coalesce(due, 0), 0 FROM revision ORDER BY game" },
    [COPY_LINES] = { "", "SELECT game, seq, count, text, made FROM line ORDER BY game, seq" },
    [COPY_CHOICES] = { "", "SELECT game, seat, phase, request, text, made, ids FROM choice ORDER BY game, seat" },
    [COPY_SEATS] = { "", "SELECT game, visitor, seat, people, bots, level, coalesce(points, -1000), share, made, place,"
        " pyramids, luck, rate FROM seat ORDER BY game, seat" },
    [COPY_REPORTS] = { "", "SELECT game, name, made, size, text FROM report ORDER BY game, name" },
    [COPY_REQUESTS] = { "", "SELECT visitor, id, game, made FROM request ORDER BY visitor, id" },
    [COPY_HEARTBEAT] = { "", "SELECT alive, count FROM heartbeat" },
    [COPY_DOWNTIMES] = { "", "SELECT began, ended FROM downtime ORDER BY began" },
    [PUT_HEARTBEAT] = { "ii", "INSERT INTO heartbeat (id, alive, count) VALUES (1, ?1, ?2)" },

    [OLD_CODES] = { "i", "DELETE FROM code WHERE until < ?1" },

    /* For an operator (store_admin.c). */
    [ADD_BAN] = { "tiiit", "INSERT INTO ban (address, visitor, made, until, reason) VALUES (?1, ?2, ?3, ?4, ?5)"
        " RETURNING id" },
    [ALL_BANS] = { "i", "SELECT id, address, visitor, made, until, reason FROM ban WHERE until = 0 OR until > ?1"
        " ORDER BY id" },
    [DROP_BAN] = { "i", "DELETE FROM ban WHERE id = ?1" },
    [OLD_BANS] = { "i", "DELETE FROM ban WHERE until <> 0 AND until < ?1" },
    [LIST_TABLES] = { "i", "SELECT id, code, state, created, changed, config, public FROM game WHERE state < 2"
        " ORDER BY changed DESC, id DESC LIMIT ?1" },
    [LIST_VISITORS] = { "i", "SELECT id, name, created, seen FROM visitor ORDER BY seen DESC, id DESC LIMIT ?1" },
    [RENAME_VISITOR] = { "it", "UPDATE visitor SET name = ?2 WHERE id = ?1" },
    [CODE_OF_TABLE] = { "i", "SELECT code FROM game WHERE id = ?1" },
    [CHECK_TABLES] = { "", "SELECT count(*) FROM game" },
    [CHECK_GAPS] = { "", "SELECT count(DISTINCT game) FROM (SELECT game, seq,"
        " coalesce(lag(seq + count) OVER (PARTITION BY game ORDER BY seq), 0) AS wanted FROM line) AS listed"
        " WHERE seq <> wanted" },
    [CHECK_REVISIONS] = { "", "SELECT count(*) FROM game WHERE NOT EXISTS (SELECT 1 FROM revision"
        " WHERE revision.game = game.id)" },
    [COPY_BANS] = { "", "SELECT id, address, visitor, made, until, reason FROM ban ORDER BY id" },

    /* The daily expedition (store_daily.c). States of an attempt: 0 running, 1 over, 2 expired. */
#define DAY_COLUMNS "day, number, secret, revealed, outage, coalesce(master, -1000)"
#define ATTEMPT_COLUMNS "day, attempt.visitor, attempt.state, coalesce(points, -1000), place, judged, luck, rate"
#define SEALED "EXISTS (SELECT 1 FROM day WHERE day.day = ?1 AND revealed = 0)"
    [ADD_DAY] = { "ibi", "INSERT INTO day (day, number, secret, made) SELECT ?1,"
        " ?1 - coalesce((SELECT min(day) FROM day), ?1) + 1, ?2, ?3 WHERE 1 = 1 ON CONFLICT (day) DO NOTHING" },
    [GET_DAYS] = { "ii", "SELECT " DAY_COLUMNS " FROM day WHERE day >= ?1 AND day <= ?2 ORDER BY day" },
    [FIRST_DAY] = { "", "SELECT min(day) FROM day" },
    [LAST_REVEALED] = { "", "SELECT coalesce(max(day), 0) FROM day WHERE revealed <> 0" },
    [HAS_SEALED] = { "i", "SELECT count(*) FROM day WHERE day <= ?1 AND revealed = 0" },
    [REVEAL_DAYS] = { "ii", "UPDATE day SET revealed = ?2 WHERE day <= ?1 AND revealed = 0" },
    [ADD_OUTAGE] = { "ii", "UPDATE day SET outage = outage + ?2 WHERE day = ?1" },
    /* Safe even if a server's clock is wrong: once a day is revealed, no attempt begins, and one that ends counts as
     * expired. */
    [ADD_ATTEMPT] = { "iiii", "INSERT INTO attempt (day, visitor, game, begun) SELECT ?1, ?2, ?3, ?4 FROM day"
        " WHERE day = ?1 AND revealed = 0 ON CONFLICT (day, visitor) DO NOTHING" },
    [GIVE_UP_ATTEMPT] = { "iii", "INSERT INTO attempt (day, visitor, game, state, begun, ended) SELECT ?1, ?2, 0, 2, ?3, ?3"
        " FROM day WHERE day = ?1 AND revealed = 0 ON CONFLICT (day, visitor) DO NOTHING" },
    [END_ATTEMPT] = { "iiiiii", "UPDATE attempt SET ended = ?4, state = CASE WHEN " SEALED " THEN ?3 ELSE 2 END,"
        " points = CASE WHEN " SEALED " THEN nullif(?5, -1000) END, place = CASE WHEN " SEALED " THEN ?6 ELSE 0 END"
        " WHERE day = ?1 AND visitor = ?2 AND state = 0" },
    [GET_ATTEMPT] = { "ii", "SELECT " ATTEMPT_COLUMNS ", code FROM attempt LEFT JOIN game ON game.id = attempt.game"
        " WHERE day = ?1 AND attempt.visitor = ?2" },
    [ATTEMPTS_OF] = { "i", "SELECT " ATTEMPT_COLUMNS ", '' FROM attempt WHERE visitor = ?1 ORDER BY day DESC" },
    [DAY_RESULTS] = { "i", "SELECT points, count(*) FROM attempt WHERE day = ?1 AND state = 1 AND points IS NOT NULL"
        " GROUP BY points ORDER BY points" },
    [COUNT_BETTER] = { "ir", "SELECT count(*) FROM attempt WHERE day = ?1 AND state = 1 AND judged > 0"
        " AND points - luck > ?2" },
    [UNJUDGED] = { "", "SELECT game.id, judged, code FROM attempt JOIN game ON game.id = attempt.game"
        " WHERE attempt.state = 1 AND judged < 2 ORDER BY ended, game.id LIMIT 1" },
    [JUDGE_ATTEMPT] = { "irri", "UPDATE attempt SET luck = ?2, rate = ?3, judged = ?4 WHERE game = ?1 AND judged <= ?4"
        " RETURNING day, visitor" },
    [WANTS_MASTER] = { "", "SELECT day FROM day WHERE master IS NULL AND EXISTS (SELECT 1 FROM attempt"
        " WHERE attempt.day = day.day AND state = 1) ORDER BY day DESC LIMIT 1" },
    [CLAIM_MASTER] = { "iii", "UPDATE day SET keeper = ?2 WHERE day = ?1 AND master IS NULL AND (keeper = ?2"
        " OR keeper NOT IN (SELECT id FROM node WHERE seen > ?3))" },
    [PUT_MASTER] = { "ii", "UPDATE day SET master = ?2 WHERE day = ?1" },
    /* The table of an attempt is dropped, the result stays. */
    [LEAVE_ATTEMPT] = { "i", "UPDATE attempt SET game = 0 WHERE game = ?1" },
    [DROP_ATTEMPTS_OF] = { "i", "DELETE FROM attempt WHERE visitor = ?1" },
    [COPY_DAYS] = { "", "SELECT day, number, secret, made, revealed, outage, coalesce(master, -1000),"
        " coalesce(settled, -1) FROM day ORDER BY day" },
    [PUT_DAY] = { "iibiiiii", "INSERT INTO day (day, number, secret, made, revealed, outage, master, settled)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, -1000), nullif(?8, -1))" },
    [COPY_ATTEMPTS] = { "", "SELECT day, visitor, game, state, begun, ended, coalesce(points, -1000), place, judged, luck,"
        " rate FROM attempt ORDER BY day, visitor" },
    [PUT_ATTEMPT] = { "iiiiiiiiirr", "INSERT INTO attempt (day, visitor, game, state, begun, ended, points, place, judged,"
        " luck, rate) VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, -1000), ?8, ?9, ?10, ?11)" },

    /* Leaderboards. RANK adds up the best results of one visitor from one day to another: everything that a board shows. */
#define STANDING_COLUMNS "standing.visitor, value, points, luck, rate, judged, days," \
    " coalesce((SELECT name FROM visitor WHERE id = standing.visitor), ''), coalesce((SELECT code FROM attempt" \
    " JOIN game ON game.id = attempt.game WHERE ?1 < 4 AND attempt.day = ?2 AND attempt.visitor = standing.visitor), '')"
    [RANK] = { "iiiiiii", "INSERT INTO standing (board, start, visitor, value, points, luck, rate, judged, days)"
        " SELECT ?1, ?2, ?3, " STORE_STANDING_SUMS " FROM (SELECT attempt.visitor, points, luck, rate, judged,"
        " CASE WHEN ?6 = 1 THEN " STORE_WITHOUT_LUCK " ELSE 10 * points END AS value"
        " FROM attempt JOIN day ON day.day = attempt.day WHERE attempt.visitor = ?3 AND attempt.day >= ?2"
        " AND attempt.day <= ?4 AND attempt.state = 1 AND points IS NOT NULL AND (?6 = 0 OR judged > 0)"
        " AND (?7 = 0 OR revealed <> 0) ORDER BY 6 DESC, attempt.day LIMIT ?5) AS best GROUP BY visitor"
        " ON CONFLICT (board, start, visitor) DO UPDATE SET value = excluded.value, points = excluded.points,"
        " luck = excluded.luck, rate = excluded.rate, judged = excluded.judged, days = excluded.days" },
    [GET_BOARD] = { "iiii", "SELECT " STANDING_COLUMNS " FROM standing WHERE board = ?1 AND start = ?2"
        " ORDER BY value DESC, visitor LIMIT ?3 OFFSET ?4" },
    /* Visitors who have sat at a table with this visitor, and this visitor. */
    [GET_BOARD_OF_PEOPLE] = { "iiii", "SELECT " STANDING_COLUMNS " FROM (SELECT ?3 AS visitor UNION SELECT other.visitor"
        " FROM (SELECT game FROM seat WHERE visitor = ?3 ORDER BY game DESC LIMIT ?4) AS mine"
        " JOIN seat AS other ON other.game = mine.game) AS people JOIN standing ON board = ?1 AND start = ?2"
        " AND standing.visitor = people.visitor ORDER BY value DESC, standing.visitor" },
    [GET_STANDING] = { "iii", "SELECT " STANDING_COLUMNS " FROM standing WHERE board = ?1 AND start = ?2 AND visitor = ?3" },
    [COUNT_STANDINGS] = { "iii", "SELECT count(*) FROM (SELECT 1 AS one FROM standing WHERE board = ?1 AND start = ?2"
        " ORDER BY value DESC, visitor LIMIT ?3) AS ranked" },
    [BETTER_STANDINGS] = { "iiii", "SELECT count(*) FROM (SELECT 1 AS one FROM standing WHERE board = ?1 AND start = ?2"
        " AND value > ?3 ORDER BY value DESC, visitor LIMIT ?4) AS better" },
    [HAS_UNSETTLED] = { "i", "SELECT count(*) FROM day WHERE settled IS NOT NULL AND revealed <> 0 AND revealed <= ?1" },
    [UNSETTLED] = { "i", "SELECT day, settled FROM day WHERE settled IS NOT NULL AND revealed <> 0 AND revealed <= ?1"
        " ORDER BY day LIMIT 1 FOR UPDATE SKIP LOCKED" },
    [PLAYERS_OF] = { "iii", "SELECT visitor FROM attempt WHERE day = ?1 AND visitor > ?2 AND state = 1 ORDER BY visitor"
        " LIMIT ?3" },
    [SETTLE] = { "ii", "UPDATE day SET settled = nullif(?2, -1) WHERE day = ?1" },
    [DROP_STANDINGS] = { "i", "DELETE FROM standing WHERE visitor = ?1" },
    [COPY_STANDINGS] = { "", "SELECT board, start, visitor, value, points, luck, rate, judged, days FROM standing"
        " ORDER BY board, start, visitor" },
    [PUT_STANDING] = { "iiiiirrii", "INSERT INTO standing (board, start, visitor, value, points, luck, rate, judged, days)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)" },

    [PUT_BAN] = { "itiiit", "INSERT INTO ban (id, address, visitor, made, until, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6)" },

    /* Ratings. If several servers share a database, two of them could apply games at the same time: one waits for the
     * other (lock_results), for leaderboards as well. */
    [LOCK_RESULTS] = { "", "SELECT 1 FROM pg_advisory_xact_lock(1348031043)" },
    [BEGIN_RATING] = { "irri", "INSERT INTO rating (visitor, mu, sigma, games, changed) VALUES (?1, ?2, ?3, 1, ?4)"
        " ON CONFLICT (visitor) DO UPDATE SET games = rating.games + 1, changed = excluded.changed"
        " RETURNING mu, sigma" },
    [SET_RATING] = { "irr", "UPDATE rating SET mu = ?2, sigma = ?3 WHERE visitor = ?1" },
    [GET_RATING] = { "i", "SELECT mu, sigma, games FROM rating WHERE visitor = ?1" },
    [DROP_RATING] = { "i", "DELETE FROM rating WHERE visitor = ?1" },
    [TOP_RATINGS] = { "ii", "SELECT visitor, mu, sigma, games, (SELECT name FROM visitor WHERE id = rating.visitor)"
        " FROM rating WHERE games >= 10 AND mu > -1000 ORDER BY mu DESC, visitor DESC LIMIT ?1 OFFSET ?2" },
    [BETTER_RATINGS] = { "ri", "SELECT count(*) FROM (SELECT 1 AS one FROM rating WHERE games >= 10 AND mu > ?1"
        " ORDER BY mu DESC, visitor DESC LIMIT ?2) AS better" },
    [PUT_RATING] = { "irrii", "INSERT INTO rating (visitor, mu, sigma, games, changed) VALUES (?1, ?2, ?3, ?4, ?5)" },
    [COPY_RATINGS] = { "", "SELECT visitor, mu, sigma, games, changed FROM rating ORDER BY visitor" },

    /* Profiles. */
    [PUT_LINK] = { "bii", "INSERT INTO link (hash, visitor, made) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (visitor) DO UPDATE SET hash = excluded.hash, made = excluded.made" },
    [GET_LINK] = { "b", "SELECT id, name, created FROM link JOIN visitor ON visitor.id = link.visitor WHERE hash = ?1" },
    [HAS_LINK] = { "i", "SELECT made FROM link WHERE visitor = ?1" },
    [DROP_LINK] = { "i", "DELETE FROM link WHERE visitor = ?1" },
    [COPY_LINKS] = { "", "SELECT hash, visitor, made FROM link ORDER BY hash" },
    [GAMES_OF] = { "iiii", "SELECT " PAST_COLUMNS ", config" PAST_FROM PAST_ORDER },
    [RESULTS_OF] = { "iiii", "SELECT " PAST_COLUMNS ", ''" PAST_FROM PAST_ORDER },
    [RIVALS_OF] = { "iii", "SELECT other.visitor, name, sum(CASE WHEN " MINE_BEATS " THEN 1 ELSE 0 END),"
        " sum(CASE WHEN " OTHER_BEATS " THEN 1 ELSE 0 END), count(*), max(mine.made)"
        " FROM (SELECT game, seat, points, place, made FROM seat WHERE visitor = ?1 AND points IS NOT NULL"
        " ORDER BY made DESC, game DESC LIMIT ?2) AS mine"
        " JOIN seat AS other ON other.game = mine.game AND other.seat <> mine.seat AND other.points IS NOT NULL"
        " JOIN visitor ON visitor.id = other.visitor GROUP BY other.visitor, name ORDER BY 5 DESC, 6 DESC LIMIT ?3" },
    [RIVALRY] = { "iii", "SELECT coalesce(sum(CASE WHEN " MINE_BEATS " THEN 1 ELSE 0 END), 0),"
        " coalesce(sum(CASE WHEN " OTHER_BEATS " THEN 1 ELSE 0 END), 0), count(*)"
        " FROM (SELECT game, seat, points, place, made FROM seat WHERE visitor = ?1 AND points IS NOT NULL"
        " ORDER BY made DESC, game DESC LIMIT ?3) AS mine"
        " JOIN seat AS other ON other.game = mine.game AND other.visitor = ?2 AND other.points IS NOT NULL" },
    [PUT_JUDGED] = { "iirr", "UPDATE seat SET luck = ?3, rate = ?4 WHERE game = ?1 AND seat = ?2" },

    /* Visitors whose data is removed, and what is left of them in the records of others. */
    [PUT_LEAVING] = { "ii", "INSERT INTO leaving (visitor, made) VALUES (?1, ?2) ON CONFLICT (visitor) DO NOTHING" },
    [DROP_LEAVING] = { "i", "DELETE FROM leaving WHERE visitor = ?1" },
    [NEXT_LEAVING] = { "", "SELECT visitor FROM leaving ORDER BY visitor LIMIT 1" },
    [COPY_LEAVING] = { "", "SELECT visitor, made FROM leaving ORDER BY visitor" },
    [FIRST_LINES] = { "i", "SELECT text FROM line WHERE game = ?1 AND seq = 0" },
    [RAISE_REVISION] = { "i", "UPDATE revision SET number = number + 1 WHERE game = ?1 RETURNING number" },
    [PUT_FIRST_LINES] = { "ix", "UPDATE line SET text = ?2 WHERE game = ?1 AND seq = 0" },
    [PUT_CONFIG] = { "it", "UPDATE game SET config = ?2 WHERE id = ?1" },
    [DROP_SEATS_OF] = { "i", "DELETE FROM seat WHERE visitor = ?1 AND points IS NULL" },
    [BLANK_VISITOR] = { "i", "UPDATE visitor SET name = '', created = 0, seen = 0 WHERE id = ?1" },
    /* Not the last one, whose id must not be used again. */
    [DROP_OLD_VISITOR] = { "i", "DELETE FROM visitor WHERE id = ?1 AND id < (SELECT max(id) FROM visitor)" },
    /* Messages to people for whom a table is waiting (store_reminders.c). */
    [PUT_SECRET] = { "tb", "INSERT INTO secret (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING" },
    [GET_SECRET] = { "t", "SELECT value FROM secret WHERE name = ?1" },
    [PUT_PUSH] = { "ibtbbti", "INSERT INTO push (visitor, hash, endpoint, p256dh, auth, language, made)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (hash) DO UPDATE SET visitor = excluded.visitor,"
        " p256dh = excluded.p256dh, auth = excluded.auth, language = excluded.language, made = excluded.made" },
    [OLD_PUSHES] = { "ii", "DELETE FROM push WHERE visitor = ?1 AND id NOT IN (SELECT id FROM push WHERE visitor = ?1"
        " ORDER BY made DESC, id DESC LIMIT ?2)" },
    [GET_PUSHES] = { "ii", "SELECT id, endpoint, p256dh, auth, language FROM push WHERE visitor = ?1"
        " ORDER BY made DESC, id DESC LIMIT ?2" },
    [DROP_PUSH] = { "ib", "DELETE FROM push WHERE visitor = ?1 AND hash = ?2" },
    [DROP_PUSH_BY_ID] = { "i", "DELETE FROM push WHERE id = ?1" },
    [DROP_PUSHES] = { "i", "DELETE FROM push WHERE visitor = ?1" },
    /* The row stays due if a message is to be closed. */
    [PUT_NOTICE] = { "iiiiii", "INSERT INTO notice (visitor, quiet_from, quiet_to, zone, daily, due)"
        " VALUES (?1, ?2, ?3, ?4, ?5, nullif(?6, 0)) ON CONFLICT (visitor) DO UPDATE SET quiet_from = excluded.quiet_from,"
        " quiet_to = excluded.quiet_to, zone = excluded.zone, daily = excluded.daily,"
        " due = CASE WHEN notice.closes = 1 THEN notice.due ELSE excluded.due END" },
    [GET_NOTICE] = { "i", "SELECT quiet_from, quiet_to, zone, daily, coalesce(due, 0), told, closes FROM notice"
        " WHERE visitor = ?1" },
    /* The row is locked until the next due is stored, in the same transaction. */
    [CLAIM_NOTICE] = { "i", "UPDATE notice SET due = due WHERE visitor IN (SELECT visitor FROM notice WHERE due <= ?1"
        " ORDER BY due, visitor LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING visitor" },
    [MARK_NOTICE] = { "iiii", "UPDATE notice SET due = nullif(?2, 0), told = ?3, closes = ?4 WHERE visitor = ?1" },
    /* The expedition that a visitor was reminded of is over. */
    [CLOSE_NOTICE] = { "iii", "UPDATE notice SET due = ?3, closes = 1 WHERE visitor = ?1 AND told = ?2" },
    [DROP_NOTICE] = { "i", "DELETE FROM notice WHERE visitor = ?1" },
    /* A person who has chosen gets that message only if they got the message that it is their turn. */
    [PUT_REMINDER] = { "iiii", "INSERT INTO reminder (game, visitor, want, told, night, due)"
        " VALUES (?1, ?2, ?3, 0, 0, CASE WHEN ?3 = 0 THEN NULL ELSE ?4 END) ON CONFLICT (game, visitor) DO UPDATE"
        " SET want = excluded.want, night = CASE WHEN excluded.want = 0 THEN 0 ELSE reminder.night END,"
        " due = CASE WHEN excluded.want = 0 AND reminder.told = 0 THEN NULL ELSE ?4 END" },
    [CLAIM_REMINDER] = { "i", "UPDATE reminder SET due = NULL WHERE (game, visitor) IN (SELECT game, visitor FROM reminder"
        " WHERE due <= ?1 ORDER BY due, game, visitor LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING game, visitor" },
    [CLAIM_REMINDERS_OF] = { "iii", "UPDATE reminder SET due = NULL WHERE (game, visitor) IN (SELECT game, visitor"
        " FROM reminder WHERE visitor = ?1 AND due <= ?2 ORDER BY game LIMIT ?3 FOR UPDATE SKIP LOCKED) RETURNING game" },
    [GET_REMINDERS] = { "iii", "SELECT code, reminder.game, want, told, night, CASE WHEN EXISTS (SELECT 1 FROM presence"
        " JOIN node ON node.id = presence.node WHERE presence.game = reminder.game AND presence.visitor = reminder.visitor"
        " AND node.seen > ?2) THEN 1 ELSE 0 END FROM reminder JOIN game ON game.id = reminder.game WHERE visitor = ?1"
        " AND (want <> 0 OR told <> 0) ORDER BY reminder.due IS NOT NULL, reminder.game LIMIT ?3" },
    [MARK_REMINDER] = { "iiiiii", "UPDATE reminder SET told = ?3, night = ?4, due = nullif(?5, 0) WHERE game = ?1"
        " AND visitor = ?2 AND due IS NULL AND want = ?6" },
    [DROP_REMINDER] = { "ii", "DELETE FROM reminder WHERE game = ?1 AND visitor = ?2" },
    [DROP_REMINDERS] = { "i", "DELETE FROM reminder WHERE game = ?1" },
    [DROP_REMINDERS_OF] = { "i", "DELETE FROM reminder WHERE visitor = ?1" },
    [PUT_REMINDER_AGAIN] = { "iiiiii", "INSERT INTO reminder (game, visitor, want, told, night, due)"
        " VALUES (?1, ?2, ?3, ?4, ?5, nullif(?6, 0))" },
    [PUT_FEED] = { "bi", "INSERT INTO feed (hash, visitor) VALUES (?1, ?2)"
        " ON CONFLICT (visitor) DO UPDATE SET hash = excluded.hash" },
    [GET_FEED] = { "b", "SELECT visitor FROM feed WHERE hash = ?1" },
    [HAS_FEED] = { "i", "SELECT count(*) FROM feed WHERE visitor = ?1" },
    [DROP_FEED] = { "i", "DELETE FROM feed WHERE visitor = ?1" },
    [COPY_SECRETS] = { "", "SELECT name, value FROM secret ORDER BY name" },
    [COPY_PUSHES] = { "", "SELECT visitor, hash, endpoint, p256dh, auth, language, made FROM push ORDER BY id" },
    [COPY_NOTICES] = { "", "SELECT visitor, quiet_from, quiet_to, zone, daily, coalesce(due, 0), told, closes"
        " FROM notice ORDER BY visitor" },
    [PUT_NOTICE_AGAIN] = { "iiiiiiii", "INSERT INTO notice (visitor, quiet_from, quiet_to, zone, daily, due, told, closes)"
        " VALUES (?1, ?2, ?3, ?4, ?5, nullif(?6, 0), ?7, ?8)" },
    [COPY_REMINDERS] = { "", "SELECT game, visitor, want, told, night, coalesce(due, 0) FROM reminder"
        " ORDER BY game, visitor" },
    [COPY_FEEDS] = { "", "SELECT hash, visitor FROM feed ORDER BY hash" },
};
