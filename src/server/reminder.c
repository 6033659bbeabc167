/*
 * reminder.c: see reminder.h. Due reminders are claimed from the database, one visitor at a time; the tables of a message
 * are loaded into memory; the result for each is stored; and only then the messages are sent (deliver.h).
 *
 *  1. A message names all tables that are waiting for a visitor, so a newer one replaces an older one of the same topic.
 *  2. Visitors get no messages about a table that they are connected to, at any server, and none in their quiet time:
 *     then the message is put off.
 *  3. No message is sent for a choice that was made meanwhile: its row has changed, and marking it fails
 *     (STORE_CONFLICT).
 *
 * Everything here runs in the loop's thread except the run_* functions, which run in the store's.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include <pyramids/text.h>

#include "reminder.h"

#define LOOK_MS 1000             /* between looks for due reminders */
#define MOST_LOOKING 8           /* visitors whose messages are made at the same time */
#define TURN_SECONDS (7 * 86400) /* how long a push service may keep a message for a browser that is not running */
#define DAILY_SECONDS 86400      /* the same for one that closes the reminder of a day */
#define PADDED 1024              /* bytes: all messages have the same size, so that it reveals nothing */

/* What to do about a table. */
enum verdict { LEAVE, TELL, WITHDRAW, PUT_OFF, FORGET };

struct reminding {
    struct store_job job;
    struct server *server;
    struct store_due due;
    enum verdict verdict[STORE_REMINDERS];
    int64_t until[STORE_REMINDERS];          /* of PUT_OFF */
    bool is_kept[STORE_REMINDERS];           /* the table had not changed meanwhile */
    char codes[STORE_REMINDERS][16];         /* tables to read */
    unsigned code_count;
};

static struct reminding *reminding_new(struct server *server)
{
    struct reminding *reminding = calloc(1, sizeof *reminding);
    if (reminding)
        reminding->server = server;
    return reminding;
}

static void reminding_free(struct reminding *reminding)
{
    reminding->server->reminders->looking--;
    sodium_memzero(reminding->due.push, sizeof reminding->due.push);
    free(reminding);
}

/* Sending. */

/* A topic that has no meaning for the push service. */
static void write_topic(const struct reminders *reminders, const struct reminder *reminder, char topic[33])
{
    uint8_t hash[32];
    char text[64];
    const char *what = reminder->kind == REMINDER_OVER ? "over" : reminder->kind == REMINDER_DAILY ? "daily" : "turn";
    snprintf(text, sizeof text, "%s %lld %s", what, (long long)reminder->visitor,
        reminder->kind == REMINDER_OVER ? reminder->code : "");
    crypto_auth_hmacsha256(hash, (const unsigned char *)text, strlen(text), reminders->options.private_key);
    push_write_base64(hash, 18, topic);
}

/* Safari withdraws the permission from pages that receive messages without showing any: it is not notified that something
 * is over. */
static bool may_be_silent(const char *endpoint)
{
    struct push_endpoint parts;
    return push_endpoint_read(endpoint, &parts) && !push_host_covers(".push.apple.com", &parts);
}

void reminder_send(struct server *server, const struct reminder *reminder, const struct store_push *push)
{
    struct reminders *reminders = server->reminders;
    struct delivery *delivery = calloc(1, sizeof *delivery);
    char text[2048];
    if (!delivery)
        return;
    const char *before = pyr_text_use(push->language);
    size_t size = reminder_write(reminder, text, sizeof text);
    pyr_text_use(before);
    bool is_quiet = reminder->kind == REMINDER_NONE || reminder->is_silent || reminder->is_closed;
    *delivery = (struct delivery){ .push = push->id, .is_urgent = !is_quiet, .now = server_time(),
        .seconds = reminder->kind != REMINDER_DAILY ? TURN_SECONDS : reminder->is_closed ? DAILY_SECONDS :
            reminder->seconds };
    memcpy(delivery->endpoint, push->endpoint, sizeof delivery->endpoint);
    write_topic(reminders, reminder, delivery->topic);
    delivery->size = size ? push_encrypt(push->key, push->auth, text, size, size > PADDED ? 2 * PADDED : PADDED, NULL,
        delivery->body, sizeof delivery->body) : 0;
    if (delivery->size && (!is_quiet || may_be_silent(push->endpoint)))
        deliver_submit(reminders->deliver, delivery);
    else
        free(delivery);
}

static void send_all(const struct reminding *reminding, const struct reminder *reminder)
{
    for (unsigned i = 0; i < reminding->due.pushes; i++)
        reminder_send(reminding->server, reminder, &reminding->due.push[i]);
}

/* Browsers that no longer exist are removed. */

struct forgetting {
    struct store_job job;
    int64_t push;
};

static enum store_result run_forget(struct store_db *db, struct store_job *job)
{
    return store_drop_push_by_id(db, ((struct forgetting *)job)->push);
}

static void forgotten(struct store_job *job, enum store_result result)
{
    (void)result;                            /* the next message will fail the same way */
    free(job);
}

static void delivered(void *context, int64_t push, enum delivered result)
{
    struct server *server = context;
    struct reminders *reminders = server->reminders;
    reminders->sent += result == DELIVERED;
    reminders->gone += result == DELIVERED_GONE;
    reminders->refused += result == DELIVERED_REFUSED;
    reminders->failed += result == DELIVERED_FAILED;
    if (result == DELIVERED_REFUSED)         /* the address itself is a secret */
        server_log(server, LOG_WARN, "push_refused", "subscription=%lld", (long long)push);
    struct forgetting *forgetting = result == DELIVERED_GONE && !server->stopped ? calloc(1, sizeof *forgetting) : NULL;
    if (!forgetting)
        return;
    forgetting->push = push;
    forgetting->job.run = run_forget;
    forgetting->job.done = forgotten;
    store_submit(server->store, &forgetting->job);
}

/* The texts. */

/* The waiting tables, with what a message contains about them. */
static void note_waiting(const struct reminding *reminding, struct reminder *reminder)
{
    const struct store_due *due = &reminding->due;
    reminder->count = 0;
    reminder->visitor = due->visitor;
    for (unsigned i = 0; i < due->count; i++) {
        bool waits = due->at[i].want == STORE_TELL_TURN && !due->at[i].is_here &&
            (reminding->verdict[i] == LEAVE || (reminding->verdict[i] == TELL && reminding->is_kept[i]));
        const struct table *table = waits ? table_find(reminding->server, due->at[i].code) : NULL;
        if (!waits)
            continue;
        if (!reminder->count++)
            memcpy(reminder->code, due->at[i].code, sizeof reminder->code);
        if (table)
            reminder_note_table(reminder, table);
    }
    if (reminder->count > 1)
        reminder->code[0] = '\0';
}

static void word_over(const struct reminding *reminding, unsigned i)
{
    struct reminder reminder = { .kind = REMINDER_OVER, .visitor = reminding->due.visitor, .count = 1 };
    memcpy(reminder.code, reminding->due.at[i].code, sizeof reminder.code);
    send_all(reminding, &reminder);
}

/* Called when everything is stored: makes one message about all waiting tables, and one for each game that is over. */
static void word_message(const struct reminding *reminding)
{
    const struct store_due *due = &reminding->due;
    struct reminder reminder = { .kind = REMINDER_NONE };
    unsigned turns = 0, nights = 0, withdrawn = 0;
    for (unsigned i = 0; i < due->count; i++) {
        if (!reminding->is_kept[i])
            continue;
        bool is_told = reminding->verdict[i] == TELL;
        nights += is_told && due->at[i].is_night;
        turns += is_told && due->at[i].want == STORE_TELL_TURN;
        withdrawn += reminding->verdict[i] == WITHDRAW;
        if (is_told && due->at[i].want == STORE_TELL_OVER && !due->at[i].is_night)
            word_over(reminding, i);
    }
    if (!turns && !nights && !withdrawn)
        return;
    note_waiting(reminding, &reminder);
    if (nights) {
        reminder.kind = REMINDER_MORNING;
        reminder.count = nights;
    } else if (reminder.count) {
        reminder.kind = reminder.count > 1 ? REMINDER_SEVERAL : REMINDER_TURN;
        reminder.is_silent = !turns;
    }
    send_all(reminding, &reminder);
}

/* Storing what is done. */

static enum store_result run_mark(struct store_db *db, struct store_job *job)
{
    struct reminding *reminding = (struct reminding *)job;
    const struct store_due *due = &reminding->due;
    enum store_result result = STORE_OK;
    for (unsigned i = 0; i < due->count && !result; i++) {
        enum verdict verdict = reminding->verdict[i];
        struct store_due_table table = due->at[i];
        bool is_told = verdict == TELL || verdict == WITHDRAW;
        if (verdict == LEAVE)
            continue;
        if (is_told)
            table.told = table.want;
        table.is_night = verdict == PUT_OFF && reminding->until[i] && table.is_night;
        result = store_mark_reminder(db, due->visitor, &table, verdict == PUT_OFF ? reminding->until[i] : 0);
        reminding->is_kept[i] = !result;
        if (!result && (verdict == FORGET || table.told == STORE_TELL_OVER))
            result = store_drop_reminder(db, table.table, due->visitor);
        if (result == STORE_CONFLICT)
            result = STORE_OK;
    }
    return result;
}

static void mark_done(struct store_job *job, enum store_result result)
{
    struct reminding *reminding = (struct reminding *)job;
    if (!result && reminding->server->reminders->deliver)
        word_message(reminding);
    reminding_free(reminding);
}

/* Deciding what to do. */

static bool is_here(const struct server *server, const struct store_due *due, unsigned i)
{
    const struct table *table = table_find(server, due->at[i].code);
    pyr_seat seat = table ? table_seat_of(table, due->visitor) : PYR_SPECTATOR;
    return due->at[i].is_here || (seat < PYR_MAX_SEATS && table_is_here(table, seat));
}

/* Players who are connected get no message about the end of a game: they see it. */
static enum verdict judge(struct reminding *reminding, unsigned i, int64_t quiet)
{
    struct store_due_table *table = &reminding->due.at[i];
    table->is_here = is_here(reminding->server, &reminding->due, i);
    if (!table->is_claimed)
        return LEAVE;
    if (table->want == STORE_TELL_NOTHING)
        return table->told == STORE_TELL_TURN ? WITHDRAW : FORGET;
    if (table->is_here && table->want == STORE_TELL_OVER)
        return FORGET;
    if (!table->is_here && !quiet)
        return TELL;
    table->is_night = !table->is_here;
    reminding->until[i] = table->is_here ? server_time() + REMIND_SECONDS : quiet;
    return PUT_OFF;
}

/* Called when the tables are in memory, as far as they could be read: without names a message is still better than none. */
static void tables_there(void *context, enum error error)
{
    struct reminding *reminding = context;
    struct server *server = reminding->server;
    int64_t quiet = reminder_quiet_until(&reminding->due.notice, server_time());
    (void)error;
    for (unsigned i = 0; i < reminding->due.count; i++)
        reminding->verdict[i] = judge(reminding, i, quiet);
    reminding->job.run = run_mark;
    reminding->job.done = mark_done;
    if (server->stopped)
        reminding_free(reminding);
    else
        store_submit(server->store, &reminding->job);
}

static enum store_result run_claim(struct store_db *db, struct store_job *job)
{
    struct reminding *reminding = (struct reminding *)job;
    return store_claim_reminders(db, server_time(), &reminding->due);
}

static void claim_done(struct store_job *job, enum store_result result)
{
    struct reminding *reminding = (struct reminding *)job;
    struct server *server = reminding->server;
    server->reminders->is_asking = false;
    server->reminders->looks += result == STORE_MISSING;
    if (result || server->stopped) {
        reminding_free(reminding);
        return;
    }
    server->reminders->look_at = 0;          /* there may be more */
    for (unsigned i = 0; i < reminding->due.count; i++)
        if (reminding->due.at[i].want == STORE_TELL_TURN && reminding->code_count < 2 * REMINDER_TABLES)
            memcpy(reminding->codes[reminding->code_count++], reminding->due.at[i].code, sizeof *reminding->codes);
    tables_fetch(server, reminding->codes, reminding->code_count, tables_there, reminding);
}

/* The server. */

/* Keys are made at the first start and stored in the database, so that all its servers have the same. */
bool reminders_load(struct server *server, struct store_db *db)
{
    struct reminders *reminders = server->reminders;
    uint8_t public_key[PUSH_PUBLIC];
    if (!reminders)
        return true;
    if (!push_key_new(reminders->options.private_key, public_key) ||
        store_share_secret(db, "vapid", reminders->options.private_key, PUSH_PRIVATE) != STORE_OK ||
        !push_key_public(reminders->options.private_key, public_key))
        return false;
    push_write_base64(public_key, sizeof public_key, reminders->key);
    return true;
}

/* How the operator of a push service can reach ours. */
static void find_subject(const struct server *server, char *to, size_t size)
{
    const char *found = server->options.push_contact;
    for (unsigned i = 0; i < server->origin_count && !found; i++)
        if (!strncmp(server->origins[i], "https://", 8))
            found = server->origins[i];
    if (!found && !strncmp(server->url, "https://", 8))
        found = server->url;
    snprintf(to, size, "%s", found ? found : "");
}

bool reminders_start(struct server *server, char *error, size_t size)
{
    struct reminders *reminders = server->reminders;
    if (!reminders)
        return true;
    reminders->options.hosts = server->options.push_hosts;
    reminders->options.ca = server->options.push_ca;
    find_subject(server, reminders->options.subject, sizeof reminders->options.subject);
    reminders->deliver = deliver_start(&server->loop, &reminders->options, delivered, server, error, size);
    return reminders->deliver;
}

bool reminders_may_send(const struct server *server)
{
    const struct reminders *reminders = server->reminders;
    return reminders->deliver && !server->stopping && store_health(server->store) == STORE_WELL &&
        deliver_pending(reminders->deliver) + STORE_PUSHES * MOST_LOOKING < DELIVER_MOST;
}

void reminders_tick(struct server *server)
{
    struct reminders *reminders = server->reminders;
    uint64_t now = uv_now(&server->loop);
    if (!reminders || !reminders_may_send(server))
        return;
    reminder_daily_tick(server);
    bool may_ask = !reminders->is_asking && reminders->looking < MOST_LOOKING && now >= reminders->look_at;
    struct reminding *reminding = may_ask ? reminding_new(server) : NULL;
    if (!reminding)
        return;
    reminders->look_at = now + LOOK_MS;
    reminders->looking++;
    reminders->is_asking = true;
    reminding->job.run = run_claim;
    reminding->job.done = claim_done;
    store_submit(server->store, &reminding->job);
}

void reminders_stop(struct server *server)
{
    if (server->reminders) {
        deliver_stop(server->reminders->deliver);
        server->reminders->deliver = NULL;
    }
}
