/*
 * reload.c: see reload.h.
 *
 * An edition whose content has changed is not replaced: games that were begun with it would continue with other cards.
 * One that the options no longer name is not offered for new tables, but tables that use it continue.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/edition.h>

#include "access.h"
#include "access_log.h"
#include "notify.h"
#include "reload.h"
#include "server.h"
#include "web.h"

struct added_edition {
    struct added_edition *next;
    struct pyr_edition edition;
    char *text;
    bool is_offered;
};

/* Editions. */

const struct pyr_edition *edition_added(const struct server *server, const char *name)
{
    for (const struct added_edition *added = server->added; added; added = added->next)
        if (!strcmp(added->edition.name, name))
            return &added->edition;
    return NULL;
}

bool edition_is_offered(const struct server *server, const struct pyr_edition *edition)
{
    for (unsigned i = 0; i < server->options.edition_count; i++)
        if (edition == &server->options.editions[i])
            return !(server->withdrawn >> i & 1);
    for (const struct added_edition *added = server->added; added; added = added->next)
        if (edition == &added->edition)
            return added->is_offered;
    return false;
}

const struct pyr_edition *edition_offered(const struct server *server, unsigned number)
{
    for (unsigned i = 0; i < server->options.edition_count; i++)
        if (!(server->withdrawn >> i & 1) && !number--)
            return &server->options.editions[i];
    for (const struct added_edition *added = server->added; added; added = added->next)
        if (added->is_offered && !number--)
            return &added->edition;
    return NULL;
}

const char *edition_text(const struct server *server, const char *name)
{
    for (unsigned i = 0; i < server->options.edition_count; i++)
        if (!strcmp(server->options.editions[i].name, name))
            return server->options.edition_texts[i];
    for (const struct added_edition *added = server->added; added; added = added->next)
        if (!strcmp(added->edition.name, name))
            return added->text;
    return NULL;
}

static int find_fresh(const struct server_options *fresh, const char *name)
{
    for (unsigned i = 0; i < fresh->edition_count; i++)
        if (!strcmp(fresh->editions[i].name, name))
            return (int)i;
    return -1;
}

static void add_edition(struct server *server, const struct pyr_edition *edition, const char *text)
{
    struct added_edition *added = calloc(1, sizeof *added), **end = &server->added;
    if (!added || !(added->text = strdup(text))) {
        free(added);
        server_log(server, LOG_WARN, "reload", "edition=%s words=\"not enough memory\"", edition->name);
        return;
    }
    added->edition = *edition;
    added->is_offered = true;
    while (*end)
        end = &(*end)->next;
    *end = added;
}

static void renew_editions(struct server *server, const struct server_options *fresh)
{
    for (unsigned i = 0; i < server->options.edition_count; i++) {
        uint32_t bit = (uint32_t)1 << i;
        bool is_there = find_fresh(fresh, server->options.editions[i].name) >= 0;
        server->withdrawn = is_there ? server->withdrawn & ~bit : server->withdrawn | bit;
    }
    for (struct added_edition *added = server->added; added; added = added->next)
        added->is_offered = find_fresh(fresh, added->edition.name) >= 0;
    for (unsigned i = 0; i < fresh->edition_count; i++) {
        const char *name = fresh->editions[i].name, *known = edition_text(server, name);
        if (!known)
            add_edition(server, &fresh->editions[i], fresh->edition_texts[i]);
        else if (strcmp(known, fresh->edition_texts[i]))
            server_log(server, LOG_WARN, "reload", "edition=%s words=\"has changed and is not replaced, since games have "
                "begun with it: give it another name, or restart\"", name);
    }
}

void reload_finish(struct server *server)
{
    while (server->added) {
        struct added_edition *added = server->added;
        server->added = added->next;
        free(added->text);
        free(added);
    }
}

/* Options. */

static bool is_same(const char *one, const char *other)
{
    return one && other ? !strcmp(one, other) : one == other;
}

static bool is_same_list(const char *const *one, const char *const *other)
{
    while (one && other && *one && *other && !strcmp(*one, *other)) {
        one++;
        other++;
    }
    return !(one && *one) && !(other && *other);
}

/* Logs the options that a running server cannot change. */
static void name_kept(const struct server *server, const struct server_options *fresh)
{
    const struct server_options *now = &server->options;
    const struct { const char *name; bool is_same; } kept[] = {
        { "address", is_same(now->address, fresh->address) },
        { "port", now->port == fresh->port },
        { "database", is_same(now->database, fresh->database) },
        { "access-log", is_same(now->access_log, fresh->access_log) },
        { "admin-socket", is_same(now->admin_socket, fresh->admin_socket) },
        { "metrics-address", is_same(now->metrics_address, fresh->metrics_address) },
        { "trust-proxy", now->trust_proxy == fresh->trust_proxy },
        { "bot-threads", now->bot_threads == fresh->bot_threads },
        { "tls-cert", !now->tls_cert == !fresh->tls_cert },
        { "push", now->push == fresh->push && is_same_list(now->push_hosts, fresh->push_hosts) &&
            is_same(now->push_ca, fresh->push_ca) && is_same(now->push_contact, fresh->push_contact) },
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (!kept[i].is_same)
            server_log(server, LOG_WARN, "reload", "option=%s words=\"takes effect after a restart\"", kept[i].name);
}

static void take_numbers(struct server_options *now, const struct server_options *fresh)
{
    now->quiet = fresh->quiet;
    now->message_rate = fresh->message_rate;
    now->request_rate = fresh->request_rate;
    now->max_connections = fresh->max_connections;
    now->max_per_address = fresh->max_per_address;
    now->max_tables = fresh->max_tables;
    now->max_tables_per_address = fresh->max_tables_per_address;
    now->table_rate = fresh->table_rate;
    now->max_attempts = fresh->max_attempts;
    now->quick_seconds = fresh->quick_seconds;
    now->relaxed_seconds = fresh->relaxed_seconds;
    now->ping_seconds = fresh->ping_seconds;
    now->analysis_playouts = fresh->analysis_playouts;
    now->keep_analyses = fresh->keep_analyses;
    now->keep_closed = fresh->keep_closed;
    now->keep_visitors = fresh->keep_visitors;
    now->keep_games = fresh->keep_games;
}

/* The new options are valid only until this returns. */
static bool use(void *context, const struct server_options *fresh)
{
    struct server *server = context;
    if (server->secure && fresh->tls_cert) {
        if (!web_renew_tls(server, fresh->tls_cert, fresh->tls_key))
            return false;
        access_find_names(server, fresh->tls_cert);
    }
    server->origin_count = 0;
    for (const char *const *origin = fresh->origins; origin && *origin && server->origin_count < 8; origin++)
        snprintf(server->origins[server->origin_count++], sizeof server->origins[0], "%s", *origin);
    renew_editions(server, fresh);
    take_numbers(&server->options, fresh);
    name_kept(server, fresh);
    return true;
}

void reload_server(struct server *server)
{
    const struct server_options *options = &server->options;
    char error[200] = "";
    notify_reloading();
    access_log_reopen(server);
    if (options->again && !options->again(options->again_context, use, server, error, sizeof error)) {
        for (char *at = error; *at; at++)
            if (*at == '"' || *at == '\n')
                *at = '\'';
        server_log(server, LOG_ERROR, "reload_failed", "words=\"%s\"", error);
    } else {
        unsigned editions = 0;
        while (edition_offered(server, editions))
            editions++;
        server_log(server, LOG_INFO, "reloaded", "editions=%u", editions);
    }
    notify_send("READY=1\n");
}
