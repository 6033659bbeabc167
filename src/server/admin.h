/*
 * admin.h (admin.c, admin_parse.c, admin_commands.c): the operator's socket, a Unix socket that `pyramids admin`
 * connects to. A connection has one command, one JSON object on a line, and gets one answer of the same kind, with a
 * file where the command makes one. The permissions of the socket's file decide who may connect; connections are
 * logged with the user.
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

/* A connection with its command; it stays until it is answered, even if the client has gone. */
struct admin_conn {
    uv_poll_t poll;
    struct admin_conn *next, **link;
    struct server *server;
    int fd;                      /* -1: the client has gone */
    bool is_closed;              /* its handle is closed */
    bool is_busy;                /* a command runs */
    uint64_t since;              /* when it was accepted, or answered, by the loop's own clock */
    struct admin_command command;
    size_t in_size;
    char in[ADMIN_LINE + 1];
    char *out;                   /* the answer, owned */
    size_t out_at, out_size;
    int file;                    /* sent with the answer; -1: none */
};

/* For commands: gives the answer to the connection, with a file or -1; or an error. To be called once for each command. */
void admin_answer(struct admin_conn *conn, json_t *answer, int file);
void admin_fail(struct admin_conn *conn, const char *code, const char *message);

/* admin_commands.c: runs the command, and answers now or later. */
void admin_run(struct admin_conn *conn);

#endif
