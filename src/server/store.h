/*
 * store.h (store.c, store_ops.c, store_engine.c): the database of a server: visitors, tables, the lines of their games,
 * choices that are not in the log yet. Only the engines depend on the kind of database (store_engine.h).
 *
 * One thread owns the connection. The event loop hands it jobs and never waits: jobs that come together share one
 * transaction (group commit), and only when that is on the disk is each job's `done` called, in the loop's thread. A job
 * that fails is undone alone; the others of its transaction stand. Jobs are run and answered in the order in which they
 * were handed in.
 */
#ifndef PYR_STORE_H
#define PYR_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

enum store_result {
    STORE_OK,
    STORE_MISSING,                  /* the row does not exist: nothing was changed */
    STORE_CONFLICT,              /* the table has changed since it was read: nothing was changed */
    STORE_LIMIT,                 /* the limit is reached: nothing was changed */
    STORE_TAKEN,                 /* something that may exist once exists already: nothing was changed */
    STORE_NO_ROOM,                  /* no room on the disk, or no memory */
    STORE_FAILED                 /* any other error of the database; its message is in the log */
};

struct store;
struct store_db;                 /* the open database, only within a job's `run` or store_open's `load` */

/* A job is part of its owner's structure; it belongs to the store from submit to done. */
struct store_job;
typedef enum store_result store_run(struct store_db *db, struct store_job *job);
typedef void store_done(struct store_job *job, enum store_result result);

struct store_job {
    struct store_job *next;
    store_run *run;              /* in the store's thread, within a transaction; may run twice */
    store_done *done;            /* in the loop's thread, after the commit */
    enum store_result result;
    bool locks_results;          /* it changes ratings or leaderboards (store_lock_results) */
};

/* The state of a table; closed: given up before it began. */
enum store_state { STORE_WAITING, STORE_RUNNING, STORE_OVER, STORE_CLOSED };

struct store_visitor {
    int64_t id;
    uint8_t token[32];           /* SHA-256 of the visitor's token; the token itself is not stored */
    char name[100];              /* UTF-8, at most 24 characters of 4 bytes; "": none yet */
    int64_t created, seen;       /* seconds since 1970 */
    int64_t renewed;             /* when the cookie with this token was last sent; 0: not known */
};

struct store_table {
    int64_t id;
    char code[16];
    uint8_t state;               /* enum store_state */
    int64_t created, changed;    /* seconds since 1970; changed: last choice or seat taken */
    const char *config;          /* JSON: everything about the table except its log (config.c) */
    int64_t phase;               /* when its last lines were added; only if its lines are read too, 0: not known */
    int64_t host;                /* the visitor who made it */
    bool is_public;
    int64_t revision;            /* grows by one with every change; 0: it does not exist yet */
    int64_t due;                 /* when a server next has to look at it, in seconds since 1970; 0: never */
    int64_t keeper;              /* the server that runs its bots and clock (store_add_node); 0: any; STORE_SAME_KEEPER,
                                  * in a change: unchanged */
};

/* A seat of a table with a person: from these rows visitors find their tables, and their statistics are computed. */
struct store_seat {
    int64_t table, visitor;
    uint8_t seat;
    uint8_t people, bots;        /* others at the table when the game began */
    char level[16];              /* of the strongest bot; "" none */
    int32_t points;              /* -1000: the game is not over */
    float share;                 /* of the win */
    int64_t made;                /* when the game ended; 0: it is not over */
    uint8_t place;               /* 1 for the winner; equal ones share it; 0: not known */
    uint32_t pyramids;           /* completed ones by colour, 8 bits each, green lowest */
};
#define STORE_NOT_JUDGED (-1000) /* luck and error rate of a game that has not been analysed */

#define STORE_SEATS 4            /* the most a table has */
#define STORE_CHOICE_SIZE 400
#define STORE_IDS 8              /* ids of messages that a seat remembers */

struct store_choice {
    uint8_t seat;
    uint32_t phase;              /* lines of the log when it was made: a choice of an earlier phase is in the log already */
    char id[40];                 /* the client's id of the request */
    char text[STORE_CHOICE_SIZE];            /* as in a record: at most 50 marks on two cards; "": taken back */
    int64_t made;                /* seconds since 1970 */
    uint64_t ids[STORE_IDS];     /* hashes of the last messages of the seat that took effect; 0: none */
};

/* The message about a table for a person who is not connected (store_reminders.h). */
enum store_reminder { STORE_TELL_NOTHING, STORE_TELL_TURN, STORE_TELL_OVER, STORE_TELL_NO_MORE };
#define STORE_TOLD (2 * STORE_SEATS)         /* players before a change of a table, and after it */
struct store_told {
    int64_t visitor;
    uint8_t want;                /* enum store_reminder */
    int64_t due;                 /* when, in seconds since 1970 */
};

/*
 * What one change of a table writes, all of it or nothing. Its owner fills it in and submits its job, with
 * store_run_commit as `run`; texts belong to the owner and must not change until `done`.
 *
 * Every change names the revision that it was made from. If the table has another revision by now, nothing is written and
 * the result is STORE_CONFLICT. A new table has revision 0, and gets its id here.
 */
struct store_commit {
    struct store_job job;        /* first */
    struct store_table table;    /* id and revision are always needed; config NULL: the row stays as it is */
    bool keeps_due;              /* table.due and table.keeper are the stored values */
    bool calls;                  /* the table has no keeper and is due: other servers are notified */
    bool is_alone;               /* no other server has the table in memory, so none is notified */
    uint8_t others;              /* seats whose first choices in this phase may be stored before this one, all but one; 0:
                                    none may */
    int64_t node;                /* of a new table: the server that has it in memory, if the database is shared */
    int64_t made;                /* seconds since 1970 */
    unsigned most;               /* open tables that the host of a new one may have, including this one; more: STORE_LIMIT */
    unsigned most_open;          /* the same for all open tables; 0: not counted */
    int64_t asker;               /* 0: the host */
    char request[40]; /* the request id of a new table; "": none. If the asker already has a table with that id:
                         STORE_MISSING */
    struct {                     /* set when it is done */
        int64_t id, revision;    /* with `others` the revision may have grown by more than one */
    } after;
    const char *lines;           /* whole lines to add, the first of which has number first_line */
    size_t lines_size;           /* 0: none */
    uint32_t first_line;
    struct {                     /* the attempt at a daily expedition played at this table (store_daily.h) */
        enum { STORE_ATTEMPT_STAYS, STORE_ATTEMPT_BEGINS, STORE_ATTEMPT_ENDS,
            STORE_ATTEMPT_GIVEN_UP } what;   /* given up: by one that does not count, while the day may still count */
        uint8_t state, place;    /* set when the attempt ends */
        int32_t points;
        int64_t day;
    } attempt;                   /* STORE_TAKEN: one begins or is given up, and the host has one of that day already */
    bool stores_public;          /* table.is_public differs from the stored value */
    bool has_choice;
    struct store_choice choice;
    unsigned reminders;          /* people who asked for messages about the table and for whom there is news */
    struct store_told reminder[STORE_TOLD];
    unsigned seats;              /* rows of `seat`; 0: they stay as they are */
    bool is_rated;               /* the game ends with this commit and counts for its players' ratings */
    struct store_seat seat[STORE_SEATS];     /* visitor 0: not a person's seat */
};

/* Opening. On failure `error` receives one sentence with the cause and what to do. A database that does not exist is
 * created (mode 0600). One of an older version is migrated, in one transaction, after a copy was put beside it. A newer
 * one, a damaged one (quick_check) and a file that is not our database are refused. `path` ":memory:" stores nothing on
 * disk. `load` (may be NULL) is called once before the thread starts. */
bool store_open(struct store **store, uv_loop_t *loop, const char *path, bool (*load)(struct store_db *db, void *context),
    void *context, char *error, size_t error_size);

/* Whether a server could use a database, without changing anything: it is good; it does not exist yet and can be created;
 * it is of an older version and would be migrated. STORE_PROBE_BAD: `error` has the cause. */
enum store_probe { STORE_PROBE_BAD, STORE_PROBE_GOOD, STORE_PROBE_NEW, STORE_PROBE_OLD };
enum store_probe store_probe(const char *path, char *error, size_t error_size);

/* Whether a server or an import has this file open as its database. */
bool store_is_in_use(const char *path);

/* A database's name for messages, without passwords. */
void store_name(const char *path, char *to, size_t size);

/* The default path of the database: $XDG_DATA_HOME/pyramids/pyramids.db, or below ~/.local/share. False if there is no
 * home directory or no room. Missing folders are created (mode 0700) when a database is opened for writing. */
bool store_default_path(char *to, size_t size);

/* The receiver of the database's error messages, at most one per second, called in the thread in which the error occurs;
 * NULL: standard error. Set it before opening. */
void store_set_log(void (*log)(const char *words));

/* Whether other servers may use the same database; and the same for a database that is not open. */
bool store_is_shared(const struct store *store);
bool store_can_share(const char *path);

/*
 * From now on `on_news` is called, in the loop's thread, for what was stored here or elsewhere; with NULL when something may
 * have been missed: 0 after a connection was made, 1 when it was lost. Nothing happens on a database that is not shared.
 * False without memory. Ends with store_close.
 *
 *   CODE           a table was changed; the revision it has then
 *   ~CODE          a player has shown a reaction at a table (react.c)
 *   @CODE          who is connected to a table has changed; 0, or the player who plays over a connection to the server whose
 *                  number goes along (`more`) from now on
 *   #              a visitor has another name; their id
 *   !              there is work to claim; 0
 */
#define STORE_NEWS_REACTION "~"
#define STORE_NEWS_PRESENCE "@"
#define STORE_NEWS_NAME "#"
#define STORE_NEWS_WORK "!"
/* `more`: the change as store_read_news parses it, for a server that has the revision before; NULL: not sent. */
typedef void store_on_news(void *context, const char *word, int64_t number, const char *more);
bool store_listen(struct store *store, store_on_news *on_news, void *context);

/* A change of a table as announced: a choice, lines, or both. Texts point into the announcement. */
struct store_news {
    int64_t due, keeper, made;   /* as in struct store_table and struct store_commit */
    bool has_choice;
    uint8_t seat;
    char id[40];
    char text[STORE_CHOICE_SIZE];
    uint32_t first_line;         /* lines that the log had before */
    const char *lines;
    size_t lines_size;
};
/* False if it is malformed. */
bool store_read_news(const char *more, struct store_news *news);

/* Submits a job, from the loop's thread. The store's thread gets it when the loop is about to wait, or has handled what it
 * waited for. The loop stays alive until it is done. */
void store_submit(struct store *store, struct store_job *job);

/* When the store's thread last showed that it is alive, in milliseconds of uv_hrtime. It counts as alive while it waits
 * for a database that is away, but not while it hangs in a call that never returns. */
uint64_t store_pulse(struct store *store);

/* Jobs submitted and not yet done. */
unsigned store_pending(const struct store *store);

/* Whether writes reach the disk: as of the last transaction, and of a check of the file twice per second. */
enum store_health {
    STORE_WELL,
    STORE_NO_WRITES,             /* the last transaction failed; the next success clears this */
    STORE_NO_FILE                /* the file is no longer where it was: nothing is written until it is back */
};

/* What was done since the start, for /metrics. */
struct store_counters {
    uint64_t jobs, failed, commits;
    double seconds;              /* in commits */
    enum store_health health;
};
struct store_counters store_counters(const struct store *store);
enum store_health store_health(struct store *store);

/* Runs pending jobs (and those submitted by their `done`), calls each `done`, stops the thread, closes. The loop must
 * still run once for its handle to close. */
void store_close(struct store *store);

/* The rest is for jobs (and the loader). Returned texts are valid until the next call with the same db. */

/* Stores a new visitor (id 0; the new id is filled in) or a changed one, by id; adds the token, unless it is zero. */
enum store_result store_put_visitor(struct store_db *db, struct store_visitor *visitor);
enum store_result store_get_visitor(struct store_db *db, const uint8_t token[32], struct store_visitor *visitor);
enum store_result store_get_visitor_by_id(struct store_db *db, int64_t id, struct store_visitor *visitor);   /* without
                                                                                                                the token */
/* Stores a new name and notifies the other servers. */
enum store_result store_rename_visitor(struct store_db *db, struct store_visitor *visitor);
/* Stores when they were last seen; the name stays, since another server may have stored a newer one. */
enum store_result store_see_visitor(struct store_db *db, int64_t id, int64_t seen);
/* Adds a token for a second device of the same visitor. */
enum store_result store_add_token(struct store_db *db, int64_t visitor, const uint8_t token[32], int64_t renewed);
enum store_result store_renew_token(struct store_db *db, const uint8_t token[32], int64_t renewed);
/* Every token with its visitor, in the order of their ids; stops when `each` returns false, which makes no other call
 * with db. */
enum store_result store_each_visitor(struct store_db *db, bool (*each)(void *context,
    const struct store_visitor *visitor), void *context);
/* Drops visitors who were last seen before that time and never sat at a table. */
enum store_result store_drop_visitors(struct store_db *db, int64_t before);
/* The same for at most STORE_SWEEP visitors, those after *at (zero: the first); returns the ids of those that it dropped.
 * *at becomes the place after the last one, or zero at the end. */
#define STORE_SWEEP 100
struct store_place {
    int64_t due, table;          /* here: when seen, and the visitor */
};
enum store_result store_sweep_visitors(struct store_db *db, int64_t before, struct store_place *at,
    int64_t dropped[STORE_SWEEP], unsigned *count);
/* The highest ids in use. */
enum store_result store_last_ids(struct store_db *db, int64_t *last_visitor, int64_t *last_table);

/* Stores a new or changed table, by id, at any revision: for imports. A new one begins with revision 1. */
enum store_result store_put_table(struct store_db *db, const struct store_table *table);
/* The table with this code; and everything about it at one moment: its lines, to be freed by the caller, and choices. */
enum store_result store_get_table(struct store_db *db, const char *code, struct store_table *table);
enum store_result store_get_whole_table(struct store_db *db, const char *code, struct store_table *table, char **text,
    size_t *size, struct store_choice choices[STORE_SEATS], unsigned *count);
/* All tables that are waiting or running, oldest first; stops when `each` returns false. `text` is the log; choices: the
 * last one of every seat, which is of an earlier phase (and in the log) if `phase` is less than the lines of the log.
 * `each` may make other calls with db. */
enum store_result store_each_open_table(struct store_db *db,
    bool (*each)(void *context, const struct store_table *table, const char *text, size_t size,
        const struct store_choice *choices, unsigned count),
    void *context);

/* Adds lines to a table's log: `text` is whole lines, the first of which is line number `first` (from 0). Fails if
 * that line exists already, and if lines before it are missing: after a refused job, later jobs of that table are
 * refused too, so the log has no gaps. */
enum store_result store_add_lines(struct store_db *db, int64_t table, uint32_t first, const char *text, size_t size,
    int64_t made);
/* *text is to be freed by the caller. */
enum store_result store_get_lines(struct store_db *db, int64_t table, char **text, size_t *size);
/* One choice per seat: the last. */
enum store_result store_put_choice(struct store_db *db, int64_t table, const struct store_choice *choice);
enum store_result store_get_choices(struct store_db *db, int64_t table, struct store_choice choices[STORE_SEATS],
    unsigned *count);

/* New or changed, identified by table and seat. */
enum store_result store_put_seat(struct store_db *db, const struct store_seat *seat);
enum store_result store_drop_seat(struct store_db *db, int64_t table, unsigned seat);
/* The tables of a visitor, last changed first. `each` gets the row of the seat, too. */
enum store_result store_each_table_of(struct store_db *db, int64_t visitor, unsigned limit, bool (*each)(void *context,
    const struct store_table *table, const struct store_seat *seat), void *context);

/* Codes of tables, whose rows the caller then reads. Of a visitor: those that are waiting or running and are theirs by
 * seat, invitation or as host, last changed first. Public ones: those that are waiting before running ones, the last
 * changed first, but at most three of a host before the tables of others. Returns how many, at most STORE_CODES. */
#define STORE_CODES 200
enum store_result store_get_open_of(struct store_db *db, int64_t visitor, char codes[STORE_CODES][16], unsigned *count);
enum store_result store_get_public(struct store_db *db, unsigned most, char codes[STORE_CODES][16], unsigned *count);
/* Tables that are waiting or running. */
enum store_result store_count_open(struct store_db *db, unsigned *count);
/* Of the tables that have waited for players since before that time without a change, the one that has waited longest.
 * STORE_MISSING: none. */
enum store_result store_get_abandoned(struct store_db *db, int64_t before, char code[16]);

/* Tables that are due, in the order of that time: at most STORE_DUE of those after *at that are due by then. *at becomes
 * the place after the last one. */
#define STORE_DUE 200
enum store_result store_get_due(struct store_db *db, struct store_place *at, int64_t until, char codes[STORE_DUE][16],
    unsigned *count);
/* Sets when an unchanged table is due, and that it has no keeper. That counts as a change: a server that believes another
 * one to be its keeper finds a newer revision. */
enum store_result store_put_due(struct store_db *db, int64_t table, int64_t revision, int64_t due);

/*
 * Several servers on one database. Each has a number and reports regularly that it is alive: store_put_node, with the
 * database's time (store_get_time; without a shared database, that of this machine). A server that has not reported for
 * STORE_NODE_SECONDS counts as gone. store_claim makes a server the keeper of tables that are due between two times and
 * have no keeper, or one that is gone; it returns their codes. store_drop_node releases the tables that a server keeps.
 */
#define STORE_NODE_SECONDS 6
#define STORE_NODES 256          /* the most that are listed */
enum store_thinking { STORE_THINKS_NOT, STORE_THINKS_TOO, STORE_THINKS_ONLY };      /* beside serving players */
struct store_nodes {
    unsigned count;
    struct store_node {
        int64_t id;
        uint8_t thinks;          /* enum store_thinking */
    } at[STORE_NODES];
};
enum store_result store_get_revision(struct store_db *db, const char *code, int64_t *revision);
/* Of many tables, in one query; only on a database that is shared. */
#define STORE_REVISIONS 200      /* the most at once */
enum store_result store_get_revisions(struct store_db *db, const int64_t *ids, unsigned count, int64_t *revisions);
enum store_result store_get_time(struct store_db *db, int64_t *seconds);
enum store_result store_add_node(struct store_db *db, int64_t now, enum store_thinking thinks, int64_t *node);
enum store_result store_put_node(struct store_db *db, int64_t node, enum store_thinking thinks, int64_t now);
enum store_result store_drop_node(struct store_db *db, int64_t node);
enum store_result store_get_nodes(struct store_db *db, int64_t now, struct store_nodes *nodes);    /* servers that are
                                                                                                      alive */
#define STORE_DUE_BOTS 1         /* when a table is due whose bots have to choose: always */
#define STORE_SAME_KEEPER (-1)   /* in a change: the keeper stays as stored */
enum store_result store_claim(struct store_db *db, int64_t node, int64_t now, int64_t from, int64_t to,
    char codes[STORE_DUE][16], unsigned *count);
/* Tables that this server keeps and that are due, a few at a time, by the ids after *after, which becomes the place to
 * continue from: a claim may have succeeded although no answer arrived. */
enum store_result store_get_kept(struct store_db *db, int64_t node, int64_t now, int64_t *after, char codes[STORE_DUE][16],
    unsigned *count);

/* Who is connected to a table, by server: stores the whole list of one server, which replaces its earlier list; and reads
 * those of all servers, including servers that are gone. Visitor 0 stands for a server that has the table in memory
 * (has_table, store_add_present) and wants to be notified of its changes; store_announce notifies one server again. */
#define STORE_PRESENT 16
struct store_present {
    int64_t visitor, node;
};
enum store_result store_put_present(struct store_db *db, int64_t table, const char *code, int64_t node, bool has_table,
    const int64_t *visitors, unsigned count);
/* Notifies the other servers of something that is not stored. */
enum store_result store_tell(struct store_db *db, const char *word, int64_t number);
enum store_result store_add_present(struct store_db *db, int64_t table, const char *code, int64_t node);
enum store_result store_announce(struct store_db *db, const char *word, int64_t number, const char *more);
enum store_result store_get_present(struct store_db *db, int64_t table, struct store_present present[STORE_PRESENT],
    unsigned *count);

/* Analyses that are to be made, and how many. Asking twice counts once; STORE_LIMIT: there are too many already, of this
 * asker (unless that is 0) or in all. A server claims the oldest one that no other server is making (also one of its own,
 * again); STORE_MISSING: there is none. */
enum store_result store_ask_analysis(struct store_db *db, int64_t table, int64_t asker, int64_t now, unsigned most_of_asker,
    unsigned most, unsigned *count);
enum store_result store_count_analyses(struct store_db *db, unsigned *count);
enum store_result store_claim_analysis(struct store_db *db, int64_t node, int64_t now, char code[16]);
enum store_result store_drop_analysis(struct store_db *db, int64_t table);

/* Writes a commit, within a job; and the same as a job's `run`. */
enum store_result store_commit(struct store_db *db, struct store_commit *commit);
enum store_result store_run_commit(struct store_db *db, struct store_job *job);

/* A visitor's finished games: against bots of a level (people = 0), or with people. */
struct store_statistics {
    struct store_tally {
        char level[16];          /* "": with people */
        uint32_t games;
        double wins, points;     /* sums; a shared win counts its share */
        int32_t best;            /* most points */
    } tally[8];
    unsigned count;
};
enum store_result store_get_statistics(struct store_db *db, int64_t visitor, struct store_statistics *statistics);

/*
 * highest number of points
 */

/* Waits until no other server is changing ratings or leaderboards; store.c calls it for jobs that have locks_results. */
enum store_result store_lock_results(struct store_db *db);
/* Updates the ratings of the people at these seats after a game that counts. Called by store_commit, so that it happens
 * once, with the end of the game. */
enum store_result store_rate(struct store_db *db, const struct store_seat *seat, unsigned seats, int64_t now);
struct store_rating {
    int64_t visitor;
    double mu, sigma;
    int64_t games;
    char name[100];              /* only in a list */
};
/* STORE_MISSING: no game has counted. *better: how many visitors with enough games have a higher rating, at most
 * STORE_BETTER. */
#define STORE_BETTER 10000
enum store_result store_get_rating(struct store_db *db, int64_t visitor, struct store_rating *rating, unsigned *better);
enum store_result store_count_stronger(struct store_db *db, double mu, unsigned *better);
/* Visitors with enough games, the best first: at most `most` after the first `from` of them. */
enum store_result store_get_ratings(struct store_db *db, unsigned from, struct store_rating *ratings, unsigned most,
    unsigned *count);

/* Stores what an analysis found about a seat of a finished game; if the seat is not a person's, nothing happens. */
enum store_result store_put_judged(struct store_db *db, int64_t table, unsigned seat, double luck, double rate);

/* The finished games of a visitor, the latest first: at most `most` of those after `from`, with their configs or without
 * (""). `each` makes no other call with db; texts are valid until it returns; false stops. */
struct store_place_of_game {
    int64_t made, table;
};
#define STORE_ALL_GAMES (struct store_place_of_game){ INT64_MAX, INT64_MAX }
struct store_past {
    struct store_seat seat;
    double luck, rate;           /* STORE_NOT_JUDGED */
    char code[16];
    const char *config;
};
enum store_result store_each_game_of(struct store_db *db, int64_t visitor, struct store_place_of_game from, unsigned most,
    bool with_config, bool (*each)(void *context, const struct store_past *past), void *context);

/* How a visitor did against others in their last STORE_PAST games: games in which one of both was placed higher, and all
 * games. */
#define STORE_PAST 1000
struct store_rival {
    int64_t visitor;
    char name[100];
    unsigned won, lost, games;
    int64_t last;
};
enum store_result store_get_rivals(struct store_db *db, int64_t visitor, struct store_rival *rivals, unsigned most,
    unsigned *count);
enum store_result store_get_rivalry(struct store_db *db, int64_t visitor, int64_t other, struct store_rival *rival);

/* The secret address of a profile, by its SHA-256: at most one per visitor. */
enum store_result store_put_link(struct store_db *db, const uint8_t hash[32], int64_t visitor, int64_t made);
enum store_result store_get_link(struct store_db *db, const uint8_t hash[32], struct store_visitor *visitor);
enum store_result store_has_link(struct store_db *db, int64_t visitor, bool *has);
enum store_result store_drop_link(struct store_db *db, int64_t visitor);

/* Removes the data of a visitor at once; what is in their finished games is removed by store_forget_games, a few games
 * per call, until *left is false. `rewrite` changes the config of a table and the first lines of its log (both malloced,
 * replaced if it returns true). store_next_leaving: a visitor whose games are not all done; 0: none. */
enum store_result store_forget_visitor(struct store_db *db, int64_t visitor, int64_t now);
enum store_result store_forget_games(struct store_db *db, int64_t visitor,
    bool (*rewrite)(int64_t visitor, unsigned seat, char **config, char **lines), bool *left);
enum store_result store_next_leaving(struct store_db *db, int64_t *visitor);
/* Changes a player's name in the record of a running game. `renamed` gives the new first lines, malloced; NULL: they
 * stay. */
enum store_result store_rename_player(struct store_db *db, int64_t table, unsigned seat,
    char *(*renamed)(const char *lines, unsigned seat));

/* Whole records of finished games, for export. */
enum store_result store_each_record(struct store_db *db,
    bool (*each)(void *context, const struct store_table *table, const char *text, size_t size), void *context);

/* A report that is made once (the analysis of a game), stored by name, compressed. */
enum store_result store_put_report(struct store_db *db, int64_t table, const char *name, const char *text, size_t size,
    int64_t made);
enum store_result store_get_report(struct store_db *db, int64_t table, const char *name, char **text, size_t *size);

/* The table that a visitor requested with an id of their own, so that a repeated request makes no second table.
 * STORE_MISSING: none. */
enum store_result store_put_request(struct store_db *db, int64_t visitor, const char *id, int64_t table, int64_t made);
enum store_result store_get_request(struct store_db *db, int64_t visitor, const char *id, char code[16]);

/* One-time codes by which a second device becomes the same visitor: one per visitor, by its SHA-256. */
enum store_result store_put_code(struct store_db *db, const uint8_t hash[32], int64_t visitor, int64_t until);
/* The visitor of a code, which is used up by this. STORE_MISSING: there is no such code that is valid at that time. */
enum store_result store_take_code(struct store_db *db, const uint8_t hash[32], int64_t now, int64_t *visitor);
enum store_result store_each_code(struct store_db *db,
    bool (*each)(void *context, const uint8_t hash[32], int64_t visitor, int64_t until), void *context);

/* The heartbeat: when a server was last known to be running (0: never). From one start to the next it shows when none
 * was, and clocks stood still. store_get_downtimes reads those times, the latest STORE_DOWNTIMES of them, including the
 * one that ends now; store_put_start stores that one and drops those that ended more than two days ago. */
#define STORE_DOWNTIMES 32
struct store_downtime {
    int64_t began, ended;
};
enum store_result store_put_alive(struct store_db *db, int64_t alive);
enum store_result store_get_alive(struct store_db *db, int64_t *alive);
enum store_result store_get_downtimes(struct store_db *db, int64_t now, struct store_downtime down[STORE_DOWNTIMES],
    unsigned *count);
enum store_result store_put_start(struct store_db *db, int64_t now);

/* Drops data older than the times given (0: nothing), at most STORE_SWEEP tables per call: those that are returned. The
 * newest table stays, since its id must not be used again. */
struct store_keep {
    int64_t reports, requests, codes;
    int64_t closed, finished;    /* tables, by when they were last changed */
};
enum store_result store_sweep(struct store_db *db, const struct store_keep *keep, int64_t dropped[STORE_SWEEP],
    unsigned *count);

/* Opens the database for a command that runs without a server (export, import): the same checks, no thread. All writes
 * are one transaction, which store_close_alone ends: committed if `good`. */
bool store_open_alone(struct store_db **db, const char *path, bool write, char *error, size_t error_size);
bool store_close_alone(struct store_db *db, bool good, char *error, size_t error_size);

/* Copies a whole database into an empty one, in one transaction. `more` is called after each row; if it returns false,
 * copying stops. False with a sentence in `error`: then nothing was copied. */
struct store_copied {
    uint64_t visitors, tables, rows;
};
bool store_copy(const char *from, const char *to, bool (*more)(void *context, uint64_t rows), void *context,
    struct store_copied *copied, char *error, size_t error_size);

/* A part of a transaction that can be undone alone. (A job is one already.) */
enum store_result store_savepoint(struct store_db *db);
enum store_result store_release(struct store_db *db, bool good);

#endif
