/* options.h: how a server was started (src/cli/serve.c). */
#ifndef PYR_SERVER_OPTIONS_H
#define PYR_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct pyr_edition;

/* Strings are the caller's. */
struct server_options {
    const char *address;         /* NULL: none; connections are handed in (tests) */
    unsigned port;               /* 0: any free one */
    bool other_port;             /* if that port is taken, use any free one */
    const char *database;        /* a path, or ":memory:" */
    const char *tls_cert, *tls_key;          /* both or none */
    const char *metrics_address; /* ADDRESS:PORT where /metrics is served; NULL: nowhere */
    const char *const *origins;  /* further origins of the page, behind a proxy; ended by NULL */
    const struct pyr_edition *editions;
    unsigned edition_count;
    const char *const *edition_texts;
    const char *puzzles;         /* a pack of the edition classic (pyramids/puzzle.h); NULL: none */
    bool trust_proxy;            /* trust X-Forwarded-For for the address, X-Forwarded-Proto for whether cookies must be
                                    Secure */
    bool open_browser;
    bool quiet;                  /* log only warnings and errors */
    unsigned bot_threads;        /* 0: other servers on the same database run the bots */
    bool thinks_only;            /* serves no players: bots and analyses of all tables */
    unsigned message_rate, request_rate;     /* per second */
    unsigned max_connections, max_per_address, max_tables, max_tables_per_visitor, max_conns_per_visitor;
    unsigned max_tables_per_address, table_rate;      /* open ones; new ones per minute */
    unsigned max_attempts;       /* at one day's expedition, that count, from one address */
    unsigned quick_seconds, relaxed_seconds;
    unsigned ping_seconds;       /* between pings of a socket */
    unsigned analysis_playouts;  /* the cap of an analysis (judge.h); 0: the usual one */
    unsigned keep_analyses, keep_closed, keep_visitors, keep_games;      /* days; 0: for ever */
    bool push;                   /* send messages to browsers */
    const char *const *push_hosts;           /* push services beside those of the browsers; ended by NULL */
    const char *push_ca;         /* file with certificates of push services; NULL: the system's */
    const char *push_contact;    /* how their operators can reach ours; NULL: the page's address */
    const char *access_log;      /* file for a log of requests with their addresses; NULL: none */
    const char *admin_socket;    /* path of the operator's socket; NULL: none */
    const char *version;         /* version shown to clients; NULL: that of the library */
    /* Reads all options again: calls `use` with the new ones, which are valid until it returns, and returns its result.
     * Also returns false, with a sentence in `error`, if something is wrong with them. NULL: there is nothing to read. */
    bool (*again)(void *context, bool (*use)(void *user, const struct server_options *fresh), void *user, char *error,
        size_t size);
    void *again_context;
    const char *ready_file;      /* gets the address once the server listens; for scripts. NULL: none */
};

#endif
