/*
 * admin.h (admin.c, admin_parse.c, admin_commands.c): the operator's socket, a Unix socket that `pyramids admin` connects
 * to. A connection has one command, one JSON object on a line, and gets one answer of the same kind, with a file where the
 * command makes one. Who may connect is decided by the rights of the socket's file; who did is logged.
 */
#ifndef PYR_SERVER_ADMIN_H
#define PYR_SERVER_ADMIN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bans.h"
#include "server.h"

#define ADMIN_LINE 4096          /* bytes of a command */
#define ADMIN_LIST 10000         /* the longest list */

enum admin_kind {
    ADMIN_STATUS, ADMIN_TABLES, ADMIN_VISITORS, ADMIN_CLOSE, ADMIN_BAN, ADMIN_UNBAN, ADMIN_BANS, ADMIN_RENAME,
    ADMIN_ANNOUNCE, ADMIN_BACKUP, ADMIN_CHECK, ADMIN_SWEEP, ADMIN_KINDS
};

/* A command with its checked values; 0 or "": not given. */
struct admin_command {
    enum admin_kind kind;
    unsigned limit;
    int64_t id;                  /* of a table, visitor or ban */
    char code[CODE_SIZE + 1];    /* of a table */
    char address[64];            /* of a ban, as it is kept */
    unsigned days;
    char reason[STORE_REASON];
    char name[NAME_SIZE];
    char text[NOTICE_SIZE];
    unsigned minutes;
    bool has_minutes, clears;
};

/* admin_parse.c: reads a line. False with a sentence about what is wrong. */
bool admin_parse(const char *line, size_t size, struct admin_command *command, char *error, size_t error_size);
const char *admin_name(enum admin_kind kind);

/* admin.c */
bool admin_start(struct server *server, char *error, size_t size);     /* does nothing without options.admin_socket */
void admin_tick(struct server *server);
void admin_stop(struct server *server);

/* A connection with its command; it lives until it is answered, even if the client is gone. */
struct admin_conn {
    uv_poll_t poll;
    struct admin_conn *next, **link;
    struct server *server;
    int fd;                      /* -1: gone */
    bool is_closed;              /* its handle is */
    bool is_busy;                /* a command runs */
    uint64_t since;              /* of the loop's own clock: when it came, or was answered */
    struct admin_command command;
    size_t in_size;
    char in[ADMIN_LINE + 1];
    char *out;                   /* the answer, owned */
    size_t out_at, out_size;
    int file;                    /* goes with the answer; -1: none */
};

/* For commands: the answer, which becomes the connection's, with a file or -1; or an error. Once for each command. */
void admin_answer(struct admin_conn *conn, json_t *answer, int file);
void admin_fail(struct admin_conn *conn, const char *code, const char *message);

/* admin_commands.c: does what is asked, and answers now or later. */
void admin_run(struct admin_conn *conn);

#endif
