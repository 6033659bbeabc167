/*
 * service_routes.c: routes about the server itself: editions, puzzles, links to it, health, metrics. All are answered at
 * once, from memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "daily.h"
#include "pool.h"
#include "reload.h"
#include "reminder.h"
#include "request.h"
#include "server.h"

#define PUZZLES 100              /* in one answer */

/* Editions, puzzles, health, metrics. */

void get_editions(struct request *request)
{
    const struct pyr_edition *edition;
    json_t *list = json_array();
    for (unsigned i = 0; (edition = edition_offered(request->server, i)); i++)
        json_array_append_new(list, json_pack("{ss ss}", "name", edition->name, "title", edition->title));
    answer_json(request, 200, json_pack("{so}", "editions", list));
}

/* The text as it was read, so that a client can check records with exactly the same edition. */
void get_edition(struct request *request)
{
    const char *found = edition_text(request->server, request->word);
    if (!found) {
        request_error(request, ERROR_NOT_FOUND, "");
        return;
    }
    size_t size = strlen(found);
    char *text = malloc(size + 1);
    if (text)
        memcpy(text, found, size + 1);
    answer_text(request, text ? 200 : 503, "text/plain; charset=utf-8", text, text ? size : 0);
}

/* Where the line of the puzzle with this number begins in the pack; NULL: it has none. */
static const char *find_puzzle(const char *pack, unsigned long number)
{
    for (; pack && number; number--) {
        pack = strchr(pack, '\n');
        pack = pack && pack[1] ? pack + 1 : NULL;
    }
    return pack;
}

/* A pack of a hundred, with its header, from `?from=NUMBER` on. */
void get_puzzles(struct request *request)
{
    static const char header[] = "pyramids-puzzles 1 classic\n";
    const char *pack = strcmp(request->word, "classic") ? NULL : request->server->options.puzzles;
    char word[8], *end = word;
    unsigned long from = 1;
    if (request_query(request, "from", word, sizeof word))
        from = word[0] >= '1' && word[0] <= '9' ? strtoul(word, &end, 10) : 0;       /* 0: also if it does not fit */
    if (!from || (end != word && *end)) {
        request_error(request, ERROR_BAD_MESSAGE, "from");
        return;
    }
    const char *first = find_puzzle(pack, from);
    if (!first) {
        request_error(request, ERROR_NOT_FOUND, "");
        return;
    }
    const char *last = find_puzzle(first, PUZZLES);
    size_t size = last ? (size_t)(last - first) : strlen(first);
    char *text = malloc(sizeof header + size);
    if (text) {
        memcpy(text, header, sizeof header - 1);
        memcpy(text + sizeof header - 1, first, size);
        text[sizeof header - 1 + size] = '\0';
    }
    answer_text(request, text ? 200 : 503, "text/plain; charset=utf-8", text, text ? sizeof header - 1 + size : 0);
}

/* For load balancers: 503 while stopping or while the database cannot be written, so that no new players are sent
 * here. */
void get_health(struct request *request)
{
    static const char *const states[] = { [STORE_WELL] = "ok\n", [STORE_NO_WRITES] = "the database cannot be written\n",
        [STORE_NO_FILE] = "the database file was removed or replaced\n" };
    enum store_health health = store_health(request->server->store);
    const char *state = request->server->stopping ? "stopping\n" : states[health];
    size_t size = strlen(state);
    char *text = malloc(size + 1);
    if (text)
        memcpy(text, state, size + 1);
    int status = request->server->stopping || health ? 503 : 200;
    answer_text(request, status, "text/plain; charset=utf-8", text, text ? size : 0);
}

/* Prometheus' text format. 15 digits: counters are exact up to 10^15. */
static void metric(FILE *to, const char *name, const char *kind, const char *help, double value)
{
    fprintf(to, "# HELP pyramids_%s %s\n# TYPE pyramids_%s %s\npyramids_%s %.15g\n", name, help, name, kind, name, value);
}

/* Metrics about the work of other servers on the same database. */
static void metric_news(FILE *to, const struct server *server)
{
    metric(to, "hears_others", "gauge", "1: it receives what other servers on the same database announce.",
        server->shared && !server->is_deaf);
    metric(to, "table_reads_total", "counter", "Tables read again, since another server had changed them.",
        (double)server->count.refreshes);
    metric(to, "table_news_total", "counter", "Tables changed by what another server announced, without reading them.",
        (double)server->count.news);
}

/* The buckets of a histogram are cumulative: each counts everything that took at most that time. The bounds are those
 * of count_time (change.c), in seconds. On its own listener only (find_route): the numbers are not for everyone. */
void get_metrics(struct request *request)
{
    struct server *server = request->server;
    struct store_counters store = store_counters(server->store);
    struct pool_state pool = pool_state(server->pool);
    static const int bounds[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000 };
    char *text = NULL;
    size_t size = 0;
    uint64_t sum = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) {
        request_error(request, ERROR_STORAGE, "");
        return;
    }
    fprintf(to, "# HELP pyramids_requests_total HTTP requests answered.\n# TYPE pyramids_requests_total counter\n");
    for (unsigned i = 2; i < 6; i++)
        fprintf(to, "pyramids_requests_total{status=\"%uxx\"} %" PRIu64 "\n", i, server->count.requests[i]);
    metric(to, "connections", "gauge", "Connections open.", server->connections);
    metric(to, "sockets", "gauge", "WebSockets open.", server->sockets);
    metric(to, "tables_open", "gauge", "Tables that wait or run.", server->open_tables);
    metric(to, "tables_in_memory", "gauge", "Tables in memory.", (double)server->tables.count);
    metric(to, "visitors", "gauge", "Visitors in memory.", (double)server->visitors.count);
    metric(to, "bots_pending", "gauge", "Choices that bots have yet to make.", pool.waiting + pool.thinking);
    metric(to, "bots_waiting", "gauge", "Of these, choices that wait for a thread.", pool.waiting);
    metric(to, "bots_oldest_seconds", "gauge", "How long the oldest of the waiting choices has waited.", pool.oldest);
    fprintf(to,
        "# HELP pyramids_bots_choices_total Choices that bots have made, by what they cost.\n"
        "# TYPE pyramids_bots_choices_total counter\npyramids_bots_choices_total{cost=\"light\"} %" PRIu64 "\n"
        "pyramids_bots_choices_total{cost=\"heavy\"} %" PRIu64 "\n",
        pool.bot_choices[SCHEDULE_LIGHT], pool.bot_choices[SCHEDULE_HEAVY]);
    metric(to, "bots_shortened_total", "counter", "Heavy choices that were made in less time because others waited.",
        (double)pool.shortened);
    metric(to, "analyses_pending", "gauge", "Analyses of finished games that are not made yet.",
        server->shared ? server->analyses : pool.jobs);
    metric(to, "servers", "gauge", "Servers on this database, with this one.", server->shared ? server->nodes.count : 1);
    metric(to, "servers_thinking", "gauge", "Of the others, those that only think.", server->thinkers);
    metric(to, "store_pending", "gauge", "Jobs that the store has not finished.", store_pending(server->store));
    metric(to, "messages_total", "counter", "WebSocket messages received.", (double)server->count.messages);
    metric(to, "sent_total", "counter", "WebSocket messages sent.", (double)server->count.sent);
    metric(to, "sent_bytes_total", "counter", "Bytes of WebSocket messages sent.", (double)server->count.bytes_sent);
    metric(to, "choices_total", "counter", "Choices of people taken.", (double)server->count.choices);
    metric(to, "games_total", "counter", "Games finished.", (double)server->count.games);
    metric(to, "errors_total", "counter", "Requests and messages refused.", (double)server->count.errors);
    metric(to, "refused_total", "counter", "Connections refused.", (double)server->count.refused);
    metric(to, "cut_total", "counter", "Sockets closed for misbehaving.", (double)server->count.cut);
    if (server->reminders) {
        const struct reminders *reminders = server->reminders;
        metric(to, "push_looks_total", "counter", "Looks for tables to tell people about that found none.",
            (double)reminders->looks);
        metric(to, "push_daily_looks_total", "counter", "The same for reminders of the daily expedition.",
            (double)reminders->looks_daily);
        metric(to, "push_sent_total", "counter", "Messages that push services have taken.", (double)reminders->sent);
        metric(to, "push_gone_total", "counter", "Browsers that want no messages any more.", (double)reminders->gone);
        metric(to, "push_refused_total", "counter", "Messages that push services have refused.",
            (double)reminders->refused);
        metric(to, "push_failed_total", "counter", "Messages that were given up.", (double)reminders->failed);
    }
    metric_news(to, server);
    metric(to, "log_dropped_total", "counter", "Lines of the log that nobody took.", (double)log_dropped());
    metric(to, "store_jobs_total", "counter", "Jobs of the store.", (double)store.jobs);
    metric(to, "store_failed_total", "counter", "Jobs of the store that failed.", (double)store.failed);
    metric(to, "store_commits_total", "counter", "Transactions.", (double)store.commits);
    metric(to, "store_commit_seconds_total", "counter", "Time in transactions.", store.seconds);
    fprintf(to,
        "# HELP pyramids_answer_seconds Time from a choice to its answer.\n# TYPE pyramids_answer_seconds histogram\n");
    for (unsigned i = 0; i < 12; i++) {
        sum += server->count.answer_ms[i];
        if (i < 11)
            fprintf(to, "pyramids_answer_seconds_bucket{le=\"%g\"} %" PRIu64 "\n", bounds[i] / 1000.0, sum);
        else
            fprintf(to, "pyramids_answer_seconds_bucket{le=\"+Inf\"} %" PRIu64 "\n", sum);
    }
    fprintf(to, "pyramids_answer_seconds_sum %g\npyramids_answer_seconds_count %" PRIu64 "\n", server->count.answer_sum,
        sum);
    fclose(to);
    answer_text(request, 200, "text/plain; version=0.0.4; charset=utf-8", text, size);
}

/* The addresses under which others can reach this server. */
void get_links(struct request *request)
{
    char links[ACCESS_LINKS][ACCESS_LINK_SIZE];
    unsigned count = access_links_to_send(request->server, request->host, links);
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, json_string(links[i]));
    answer_json(request, 200, json_pack("{so}", "links", list));
}
