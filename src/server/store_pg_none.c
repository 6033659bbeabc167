/*
 * store_pg_none.c: used instead of store_pg.c in a program built without libpq.
 *
 * The engine still accepts connection strings, so that the message names what is missing; otherwise a file of that name
 * would be created.
 */
#include <stdio.h>

#include <pyramids/text.h>

#include "store_engine.h"

static struct store_db *open_none(const char *where, bool write, char *error, size_t size)
{
    (void)where;
    (void)write;
    snprintf(error, size, "%s",
        _("this program was built without PostgreSQL: use a file as --database, or build it with libpq"));
    return NULL;
}

static enum store_probe probe(const char *where, char *error, size_t size)
{
    open_none(where, false, error, size);
    return STORE_PROBE_BAD;
}

static void name_of(const char *where, char *to, size_t size)
{
    (void)where;
    snprintf(to, size, "postgresql://");
}

const struct store_engine store_pg = { .name = "PostgreSQL", .is_mine = store_is_connection,
    .open = open_none, .probe = probe, .name_of = name_of };
