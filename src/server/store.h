/*
 * store.h (store.c, store_ops.c, store_engine.c): the database of a server: visitors, tables, the lines of their games,
 * choices that are not in the log yet. Which database it is, only engines know (store_engine.h).
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
    STORE_MISSING,                  /* there is no such row: nothing was changed */
    STORE_CONFLICT,              /* the table is not as it was when it was read: nothing was changed */
    STORE_LIMIT,                 /* there are as many as there may be: nothing was changed */
    STORE_TAKEN,                 /* what there may be once is there already: nothing was changed */
    STORE_NO_ROOM,                  /* no room on the disk, or no memory */
    STORE_FAILED                 /* anything else that the database reports; the log has its words */
};

struct store;
struct store_db;                 /* the open database, only within a job's `run` or store_start's loader */

/* A job is part of its owner's structure; it is the store's from submit to done. */
struct store_job {
    struct store_job *next;
    /* Store's thread, within a transaction; may run twice. */
    enum store_result (*run)(struct store_db *db, struct store_job *job);
    void (*done)(struct store_job *job, enum store_result result);           /* loop's thread, after the commit */
    enum store_result result;
    bool locks_results;          /* it changes ratings or leaderboards (lock_results) */
};

/* Of a table; closed: given up before it began. */
enum store_state { STORE_WAITING, STORE_RUNNING, STORE_OVER, STORE_CLOSED };

struct store_visitor {
    int64_t id;
    uint8_t token[32];           /* SHA-256 of the visitor's token; the token itself is kept nowhere */
    char name[100];              /* UTF-8, at most 24 characters of 4 bytes; "" none yet */
    int64_t created, seen;       /* seconds since 1970 */
    int64_t renewed;             /* when the cookie with this token was last given out; 0: not known */
};

struct store_table {
    int64_t id;
    char code[16];
    uint8_t state;               /* enum store_state */
    int64_t created, changed;    /* seconds since 1970; changed: last choice or seat taken */
    const char *config;          /* JSON: what the table is apart from its log (config.c) */
    int64_t phase;               /* when its last lines were added; only where its lines are read too, 0: not known */
    int64_t host;                /* the visitor who made it */
    bool is_public;
    int64_t revision;            /* grows by one with every change; 0: it does not exist yet */
    int64_t due;                 /* from when a server has to look at it, in seconds since 1970; 0: never */
    int64_t keeper;              /* the server that thinks for its bots and watches its clock (store_add_node); 0: any;
                                  * STORE_SAME_KEEPER, of a change: as the database has it */
};

/* A seat of a table with a person: how visitors find their tables and what their statistics are made of. */
struct store_seat {
    int64_t table, visitor;
    uint8_t seat;
    uint8_t people, bots;        /* others at the table, when the game began */
    char level[16];              /* of the strongest bot; "" none */
    int32_t points;              /* -1000: the game is not over */
    float share;                 /* of the win */
    int64_t made;                /* when the game ended; 0: it is not over */
    uint8_t place;               /* 1 for the winner; equal ones share it; 0: not known */
    uint32_t pyramids;           /* completed ones by colour, 8 bits each, green lowest */
};
#define STORE_NOT_JUDGED (-1000) /* luck and error rate of a game that was not analysed */

#define STORE_SEATS 4            /* the most a table has */
#define STORE_CHOICE_SIZE 400
#define STORE_IDS 8              /* ids of messages that a seat remembers */

struct store_choice {
    uint8_t seat;
    uint32_t phase;              /* lines in the log when it was made: a choice of an earlier phase is in the log already */
    char id[40];                 /* the client's id of the request */
    char text[STORE_CHOICE_SIZE];            /* as in a record: at most 50 marks on two cards; "" after it was taken back */
    int64_t made;                /* seconds since 1970 */
    uint64_t ids[STORE_IDS];     /* hashes of the last messages of the seat that took effect; 0: none */
};

/* The message about a table for a person who is not there (store_reminders.h). */
enum store_reminder { STORE_TELL_NOTHING, STORE_TELL_TURN, STORE_TELL_OVER, STORE_TELL_NO_MORE };
#define STORE_TOLD (2 * STORE_SEATS)         /* players before a change of a table, and after it */
struct store_told {
    int64_t visitor;
    uint8_t want;                /* enum store_reminder */
    int64_t due;                 /* when, in seconds since 1970 */
};

/*
 * What one change of a table writes, all of it or nothing. Its owner fills it in and hands in its job, with store_run_commit
 * as `run`; texts are the owner's and stay as they are until `done`.
 *
 * Every change names the revision that it was made from. If the table has another one by now, nothing is
 * written and the result is STORE_CONFLICT. A new table has revision 0, and gets its id here.
 */
struct store_commit {
    struct store_job job;        /* first */
    struct store_table table;    /* its id and revision in any case; config NULL: the row stays as it is */
    bool keeps_due;              /* table.due and table.keeper are what is stored already */
    bool calls;                  /* the table has no keeper, and is due: other servers are notified */
    bool is_alone;               /* no other server has the table in memory: none is notified */
    uint8_t others;              /* seats whose first choices of this phase may come before, but for one; 0: none may */
    int64_t node;                /* of a new table: the server that has it in memory, on a shared database */
    int64_t made;                /* seconds since 1970 */
    unsigned most;               /* open tables that the host of a new one may have, with this one; more: STORE_LIMIT */
    unsigned most_open;          /* the same for all open tables together; 0: not counted */
    int64_t asker;               /* 0: the host */
    char request[40]; /* by which the asker asked for this new table; "": none. If that has a table already: STORE_MISSING */
    struct {                     /* once it is done */
        int64_t id, revision;    /* with `others` the revision may have grown by more than one */
    } after;
    const char *lines;           /* whole lines to add, the first of which has number first_line */
    size_t lines_size;           /* 0: none */
    uint32_t first_line;
    struct {                     /* the attempt at a daily expedition that is played here (store_daily.h) */
        enum { STORE_ATTEMPT_STAYS, STORE_ATTEMPT_BEGINS, STORE_ATTEMPT_ENDS } what;
        uint8_t state, place;    /* of one that ends */
        int32_t points;
        int64_t day;
    } attempt;                   /* if one begins and the host has one of that day already: STORE_TAKEN */
    bool stores_public;          /* table.is_public is not what is stored */
    bool has_choice;
    struct store_choice choice;
    unsigned reminders;          /* people who asked for messages about the table, and for whom something is new */
    struct store_told reminder[STORE_TOLD];
    unsigned seats;              /* rows of `seat`; 0: they stay as they are */
    bool is_rated;               /* the game ends with this commit and counts for its players' ratings */
    struct store_seat seat[STORE_SEATS];     /* visitor 0: no person sits there */
};

/* Opening. `error` receives one sentence about what is wrong and what to do. A database that does not exist is made
 * (mode 0600). One of an older version is migrated, in one transaction, after a copy was put beside it; a newer one,
 * one that is damaged (quick_check) and one that is no database of ours are refused. `path` ":memory:" keeps nothing.
 * `load` (may be NULL) is called once before the thread starts. */
bool store_open(struct store **store, uv_loop_t *loop, const char *path, bool (*load)(struct store_db *db, void *context),
    void *context, char *error, size_t error_size);

/* Whether a server could use a database, without changing anything: there is none yet and it can be made; it is of an older
 * version and would be migrated. STORE_PROBE_BAD: `error` says what is wrong. */
enum store_probe { STORE_PROBE_BAD, STORE_PROBE_GOOD, STORE_PROBE_NEW, STORE_PROBE_OLD };
enum store_probe store_probe(const char *path, char *error, size_t error_size);

/* Whether a server or an import has this file open as its database. */
bool store_is_in_use(const char *path);

/* A database's name for people, without passwords. */
void store_name(const char *path, char *to, size_t size);

/* The database's place by default: $XDG_DATA_HOME/pyramids/pyramids.db, or below ~/.local/share. False if
 * there is no home or no room. Folders that are missing are made (mode 0700) when a database is opened for writing. */
bool store_default_path(char *to, size_t size);

/* The receiver of the database's error messages, at most one per second, in the thread in which it fails; NULL: standard
 * error. Set before opening. */
void store_set_log(void (*log)(const char *words));

/* Whether other servers may use the same database; and the same of one that is not open. */
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
/* `more`: what store_read_news understands, for a server that has the revision before; NULL: nothing. */
typedef void store_on_news(void *context, const char *word, int64_t number, const char *more);
bool store_listen(struct store *store, store_on_news *on_news, void *context);

/* A change of a table as it is announced: a choice, lines, or both. Texts are within what was announced. */
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
/* False if it makes no sense. */
bool store_read_news(const char *more, struct store_news *news);

/* Hands a job in, from the loop's thread. The loop stays alive until it is done. */
void store_submit(struct store *store, struct store_job *job);

/* When the store's thread last showed that it lives, in milliseconds of uv_hrtime: it is not stuck in a call that never
 * returns, though the database may be away. */
uint64_t store_pulse(struct store *store);

/* Jobs handed in and not yet done. */
unsigned store_pending(const struct store *store);

/* Whether what is written gets to the disk: as of the last transaction, and of a look at the file twice a second. */
enum store_health {
    STORE_WELL,
    STORE_NO_WRITES,             /* the last transaction failed; any that succeeds makes it well again */
    STORE_NO_FILE                /* the file is no longer where it was: nothing is written until it is */
};

/* What was done since the start, for /metrics. */
struct store_counters {
    uint64_t jobs, failed, commits;
    double seconds;              /* in commits */
    enum store_health health;
};
struct store_counters store_counters(const struct store *store);
enum store_health store_health(struct store *store);

/* Runs what is pending (and what its `done`s hand in), calls the `done`s, stops the thread, closes. The loop must still
 * run once for its handle to close. */
void store_close(struct store *store);

/* The rest is for jobs (and the loader). Texts that are returned live until the next call with the same db. */

/* New (id 0, which becomes the new one's) or changed, by id; adds the token, unless zero. */
enum store_result store_put_visitor(struct store_db *db, struct store_visitor *visitor);
enum store_result store_get_visitor(struct store_db *db, const uint8_t token[32], struct store_visitor *visitor);
enum store_result store_get_visitor_by_id(struct store_db *db, int64_t id, struct store_visitor *visitor);   /* no token */
/* A new name, which other servers are notified of. */
enum store_result store_rename_visitor(struct store_db *db, struct store_visitor *visitor);
/* They were seen at that time; the name stays, since another server may know a newer one. */
enum store_result store_see_visitor(struct store_db *db, int64_t id, int64_t seen);
/* A second device of the same visitor. */
enum store_result store_add_token(struct store_db *db, int64_t visitor, const uint8_t token[32], int64_t renewed);
enum store_result store_renew_token(struct store_db *db, const uint8_t token[32], int64_t renewed);
/* Every token with its visitor, in the order of their ids; stops when `each` returns false, which makes no other call
 * with db. */
enum store_result store_each_visitor(struct store_db *db, bool (*each)(void *context,
    const struct store_visitor *visitor), void *context);
/* Forgets visitors who were last seen before that time and never sat at a table. */
enum store_result store_drop_visitors(struct store_db *db, int64_t before);
/* The same, but it looks at no more than STORE_SWEEP of them, those after *at (zero: the first); the ids of those that it
 * forgot are returned. *at becomes the place after the last one, or zero when there are no more. */
#define STORE_SWEEP 100
struct store_place {
    int64_t due, table;          /* here: when seen, and the visitor */
};
enum store_result store_sweep_visitors(struct store_db *db, int64_t before, struct store_place *at,
    int64_t dropped[STORE_SWEEP], unsigned *count);
/* The highest ids in use. */
enum store_result store_last_ids(struct store_db *db, int64_t *last_visitor, int64_t *last_table);

/* New or changed, by id, at any revision: for imports. A new one begins with revision 1. */
enum store_result store_put_table(struct store_db *db, const struct store_table *table);
/* The table with this code; and all of it as of one moment: its lines, which are the caller's to free, and choices. */
enum store_result store_get_table(struct store_db *db, const char *code, struct store_table *table);
enum store_result store_get_whole_table(struct store_db *db, const char *code, struct store_table *table, char **text,
    size_t *size, struct store_choice choices[STORE_SEATS], unsigned *count);
/* All tables that wait or run, oldest first; stops when `each` returns false. `text` is the log; choices: the last one
 * of every seat, which is of an earlier phase (and in the log) if `phase` is less than the lines of the log. `each` may
 * make other calls with db. */
enum store_result store_each_open_table(struct store_db *db,
    bool (*each)(void *context, const struct store_table *table, const char *text, size_t size,
        const struct store_choice *choices, unsigned count),
    void *context);

/* Adds lines to a table's log: `text` is whole lines, the first of which is line number `first` (from 0). Fails if it
 * is there already, and if lines before it are missing: when an earlier job was refused, the later ones of that table
 * are too, and the log has no holes. */
enum store_result store_add_lines(struct store_db *db, int64_t table, uint32_t first, const char *text, size_t size,
    int64_t made);
/* *text: the caller's to free. */
enum store_result store_get_lines(struct store_db *db, int64_t table, char **text, size_t *size);
/* One a seat: the last. */
enum store_result store_put_choice(struct store_db *db, int64_t table, const struct store_choice *choice);
enum store_result store_get_choices(struct store_db *db, int64_t table, struct store_choice choices[STORE_SEATS],
    unsigned *count);

/* New or changed, by table and seat. */
enum store_result store_put_seat(struct store_db *db, const struct store_seat *seat);
enum store_result store_drop_seat(struct store_db *db, int64_t table, unsigned seat);
/* The tables of a visitor, last changed first. `each` gets the seat's row too. */
enum store_result store_each_table_of(struct store_db *db, int64_t visitor, unsigned limit, bool (*each)(void *context,
    const struct store_table *table, const struct store_seat *seat), void *context);

/* Codes of tables, whose rows the caller then reads: those that wait or run and are a visitor's by seat, invitation or as
 * host, last changed first; and public ones, those that wait before those that run, the last changed first, but at most
 * three of a host before others' further ones. At most STORE_CODES; how many. */
#define STORE_CODES 200
enum store_result store_get_open_of(struct store_db *db, int64_t visitor, char codes[STORE_CODES][16], unsigned *count);
enum store_result store_get_public(struct store_db *db, unsigned most, char codes[STORE_CODES][16], unsigned *count);
/* Tables that wait or run. */
enum store_result store_count_open(struct store_db *db, unsigned *count);
/* The one that has waited for players without a change since before that time, for longest. STORE_MISSING: none. */
enum store_result store_get_abandoned(struct store_db *db, int64_t before, char code[16]);

/* Tables that are due, in the order of that time: at most STORE_DUE of them that come after *at and are due until then. *at
 * becomes the place after the last one. */
#define STORE_DUE 200
enum store_result store_get_due(struct store_db *db, struct store_place *at, int64_t until, char codes[STORE_DUE][16],
    unsigned *count);
/* When a table is due that was not changed in the meantime, and that it has no keeper. That is a change: a server that takes
 * another one for its keeper finds a newer revision. */
enum store_result store_put_due(struct store_db *db, int64_t table, int64_t revision, int64_t due);

/*
 * Several servers on one database. Each has a number, and says now and then that it is there: store_put_node, with the time
 * of the database (store_get_time; without a shared database, of this machine). One that has not done so for
 * STORE_NODE_SECONDS counts as gone. store_claim makes a server the keeper of tables that are due, from one time to another,
 * and have no keeper, or one that is gone; their codes. store_drop_node releases what a server keeps.
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
enum store_result store_get_time(struct store_db *db, int64_t *seconds);
enum store_result store_add_node(struct store_db *db, int64_t now, enum store_thinking thinks, int64_t *node);
enum store_result store_put_node(struct store_db *db, int64_t node, enum store_thinking thinks, int64_t now);
enum store_result store_drop_node(struct store_db *db, int64_t node);
enum store_result store_get_nodes(struct store_db *db, int64_t now, struct store_nodes *nodes);    /* those that are there */
#define STORE_DUE_BOTS 1         /* the time at which a table is due whose bots have to choose: always */
#define STORE_SAME_KEEPER (-1)   /* of a change: whoever the database has */
enum store_result store_claim(struct store_db *db, int64_t node, int64_t now, int64_t from, int64_t to,
    char codes[STORE_DUE][16], unsigned *count);
/* What a server keeps already and is due, some at a time, by the ids after *after, which becomes the place to continue
 * from: a claim may have succeeded without an answer. */
enum store_result store_get_kept(struct store_db *db, int64_t node, int64_t now, int64_t *after, char codes[STORE_DUE][16],
    unsigned *count);

/* Who is connected to a table at which server: all at one server at once, which replaces its earlier list;
 * and at all of them, whether these are still there or not. Visitor 0 stands for a server that has the table in memory
 * (has_table, store_add_present) and wants to be notified of its changes; store_announce tells one again. */
#define STORE_PRESENT 16
struct store_present {
    int64_t visitor, node;
};
enum store_result store_put_present(struct store_db *db, int64_t table, const char *code, int64_t node, bool has_table,
    const int64_t *visitors, unsigned count);
/* Tells the other servers of something that is not stored. */
enum store_result store_tell(struct store_db *db, const char *word, int64_t number);
enum store_result store_add_present(struct store_db *db, int64_t table, const char *code, int64_t node);
enum store_result store_announce(struct store_db *db, const char *word, int64_t number, const char *more);
enum store_result store_get_present(struct store_db *db, int64_t table, struct store_present present[STORE_PRESENT],
    unsigned *count);

/* Analyses that are to be made, and how many. Asking twice is asking once; STORE_LIMIT: there are too many already, of
 * this asker (unless that is 0) or in all. A server claims the oldest one that no server makes, or that was its own;
 * STORE_MISSING: there is none. */
enum store_result store_ask_analysis(struct store_db *db, int64_t table, int64_t asker, int64_t now, unsigned most_of_asker,
    unsigned most, unsigned *count);
enum store_result store_count_analyses(struct store_db *db, unsigned *count);
enum store_result store_claim_analysis(struct store_db *db, int64_t node, int64_t now, char code[16]);
enum store_result store_drop_analysis(struct store_db *db, int64_t table);

/* All of a commit, within a job; and that as a job's `run`. */
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
 * store_profile.c: what is kept of people beyond their games. docs/storage.md describes the tables.
 */

/* A server that changes ratings or leaderboards waits until no other server does; store.c does it for jobs that say so. */
enum store_result store_lock_results(struct store_db *db);
/* One game of these seats that counts: the ratings of the people there. For store_commit, so that it is stored with the end
 * of the game, once. */
enum store_result store_rate(struct store_db *db, const struct store_seat *seat, unsigned seats, int64_t now);
struct store_rating {
    int64_t visitor;
    double mu, sigma;
    int64_t games;
    char name[100];              /* only of a list */
};
/* STORE_MISSING: no game has counted. *better: how many with enough games have more, at most STORE_BETTER. */
#define STORE_BETTER 10000
enum store_result store_get_rating(struct store_db *db, int64_t visitor, struct store_rating *rating, unsigned *better);
enum store_result store_count_stronger(struct store_db *db, double mu, unsigned *better);
/* Those with enough games, the best first: at most `most` after the first `from` of them. */
enum store_result store_get_ratings(struct store_db *db, unsigned from, struct store_rating *ratings, unsigned most,
    unsigned *count);

/* What an analysis found about a seat of a finished game; no person there: nothing happens. */
enum store_result store_put_judged(struct store_db *db, int64_t table, unsigned seat, double luck, double rate);

/* The finished games of a visitor, the latest first: those that come after `from`, at most `most`, with their configs or
 * without (""). `each` makes no other call with db; texts are good until it returns, and false stops. */
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

/* How a visitor did against others in their last STORE_PAST games: games in which one came before the other, and all. */
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

/* The secret address that shows a profile, by its SHA-256: a visitor has one at most. */
enum store_result store_put_link(struct store_db *db, const uint8_t hash[32], int64_t visitor, int64_t made);
enum store_result store_get_link(struct store_db *db, const uint8_t hash[32], struct store_visitor *visitor);
enum store_result store_has_link(struct store_db *db, int64_t visitor, bool *has);
enum store_result store_drop_link(struct store_db *db, int64_t visitor);

/* Removes what is kept of a visitor, at once; what is in their finished games follows with store_forget_games, some at a
 * time, until *left is false. `rewrite` changes the config of a table and the first lines of its log (both malloced,
 * replaced if it returns true). store_next_leaving: a visitor whose games are not done; 0: none. */
enum store_result store_forget_visitor(struct store_db *db, int64_t visitor, int64_t now);
enum store_result store_forget_games(struct store_db *db, int64_t visitor,
    bool (*rewrite)(int64_t visitor, unsigned seat, char **config, char **lines), bool *left);
enum store_result store_next_leaving(struct store_db *db, int64_t *visitor);
/* The name in the record of a game that continues. `renamed` gives the new first lines, malloced; NULL: they stay. */
enum store_result store_rename_player(struct store_db *db, int64_t table, unsigned seat,
    char *(*renamed)(const char *lines, unsigned seat));

/* Whole records of finished games, for export. */
enum store_result store_each_record(struct store_db *db,
    bool (*each)(void *context, const struct store_table *table, const char *text, size_t size), void *context);

/* A report made once (the analysis of a game), kept by name, compressed. */
enum store_result store_put_report(struct store_db *db, int64_t table, const char *name, const char *text, size_t size,
    int64_t made);
enum store_result store_get_report(struct store_db *db, int64_t table, const char *name, char **text, size_t *size);

/* The table that a visitor asked for with an id of their own, so that asking again makes no second one. STORE_MISSING: there
 * is none. */
enum store_result store_put_request(struct store_db *db, int64_t visitor, const char *id, int64_t table, int64_t made);
enum store_result store_get_request(struct store_db *db, int64_t visitor, const char *id, char code[16]);

/* One-time codes by which a second device becomes the same visitor: one per visitor, by its SHA-256. */
enum store_result store_put_code(struct store_db *db, const uint8_t hash[32], int64_t visitor, int64_t until);
enum store_result store_drop_code(struct store_db *db, int64_t visitor);
/* Whose code it is; it is gone then. STORE_MISSING: there is none that is good at that time. */
enum store_result store_take_code(struct store_db *db, const uint8_t hash[32], int64_t now, int64_t *visitor);
enum store_result store_each_code(struct store_db *db,
    bool (*each)(void *context, const uint8_t hash[32], int64_t visitor, int64_t until), void *context);

/* The heartbeat: when a server was last known to run (0: never). From one start to the next it shows when there was none,
 * and clocks stood still. store_get_downtimes reads those times, the latest STORE_DOWNTIMES of them, with the one that ends
 * now; store_put_start notes that one and forgets those that ended more than two days ago. */
#define STORE_DOWNTIMES 32
struct store_downtime {
    int64_t began, ended;
};
enum store_result store_put_alive(struct store_db *db, int64_t alive);
enum store_result store_get_alive(struct store_db *db, int64_t *alive);
enum store_result store_get_downtimes(struct store_db *db, int64_t now, struct store_downtime down[STORE_DOWNTIMES],
    unsigned *count);
enum store_result store_put_start(struct store_db *db, int64_t now);

/* Drops what is older than the times given (0: nothing), at most STORE_SWEEP tables at once: those that are returned. The
 * newest table stays, since its id must not be given again. */
struct store_keep {
    int64_t reports, requests, codes;
    int64_t closed, finished;    /* tables, by when they were last changed */
};
enum store_result store_sweep(struct store_db *db, const struct store_keep *keep, int64_t dropped[STORE_SWEEP],
    unsigned *count);

/* The database for a command that runs beside no server (export, import): the same checks, no thread. Writes happen in
 * one transaction that store_close_alone ends: kept if `good`. */
bool store_open_alone(struct store_db **db, const char *path, bool write, char *error, size_t error_size);
bool store_close_alone(struct store_db *db, bool good, char *error, size_t error_size);

/* Copies a whole database into an empty one, in one transaction. `more` is called after each row; false stops. False with
 * a sentence in `error`: then nothing was copied. */
struct store_copied {
    uint64_t visitors, tables, rows;
};
bool store_copy(const char *from, const char *to, bool (*more)(void *context, uint64_t rows), void *context,
    struct store_copied *copied, char *error, size_t error_size);

/* A part of a transaction that can be undone alone. (A job is one already.) */
enum store_result store_savepoint(struct store_db *db);
enum store_result store_release(struct store_db *db, bool good);

#endif
