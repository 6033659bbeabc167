/*
 * session.c: a game on a server (remote.h) and a game on this device (local.h) for a script. Both use the match of the
 * instance. Texts are passed in the buffer; random bytes in wasm_random, which a script fills before it calls a
 * function that needs an id.
 */
#include <pyramids/local.h>
#include <pyramids/remote.h>
#include <pyramids/solo.h>

#include "../instance/inside.h"
#include "exports.h"

/* One of each is enough: a script that needs two makes two instances of the module. */
static struct pyr_remote remote;
static struct pyr_local local;
static struct pyr_remote_event event;
static uint8_t noise[48];        /* an id, then a number for the shuffle */

/* Times are the script's milliseconds; negative means none. */
static uint64_t time_of(double now)
{
    return now > 0 ? (uint64_t)now : 0;
}

static size_t within_buffer(uint32_t size)
{
    return size < wasm_buffer_size() ? size : wasm_buffer_size();
}

EXPORT(random) uint8_t *wasm_random(void) { return noise; }
EXPORT(random_size) uint32_t wasm_random_size(void) { return sizeof noise; }

/* A game on a server. The code of the table is in the buffer; false if it is invalid. */
EXPORT(remote_begin) uint32_t wasm_remote_begin(void)
{
    return pyr_remote_init(&remote, &wasm_instance()->match, wasm_buffer());
}
EXPORT(remote_restore) uint32_t wasm_remote_restore(uint32_t size)
{
    return pyr_remote_restore(&remote, wasm_buffer(), within_buffer(size));
}
EXPORT(remote_save) uint32_t wasm_remote_save(void)
{
    return (uint32_t)pyr_remote_save(&remote, wasm_buffer(), wasm_buffer_size());
}

/* The edition that was read last is that of the table. */
EXPORT(remote_set_edition) void wasm_remote_set_edition(double now)
{
    pyr_remote_set_edition(&remote, &wasm_instance()->edition, time_of(now));
}

EXPORT(remote_set_record) int32_t wasm_remote_set_record(uint32_t size)
{
    return pyr_remote_set_record(&remote, wasm_buffer(), within_buffer(size), &wasm_instance()->fault);
}

EXPORT(remote_connected) void wasm_remote_connected(double now) { pyr_remote_connected(&remote, time_of(now)); }
EXPORT(remote_lost) void wasm_remote_lost(double now, uint32_t spread) { pyr_remote_lost(&remote, time_of(now), spread); }

EXPORT(remote_receive) void wasm_remote_receive(uint32_t size, double now)
{
    pyr_remote_receive(&remote, wasm_buffer(), within_buffer(size), time_of(now));
}

EXPORT(remote_wish) uint32_t wasm_remote_wish(double now) { return pyr_remote_wish(&remote, time_of(now)); }
EXPORT(remote_wake_at) double wasm_remote_wake_at(void) { return (double)pyr_remote_wake_at(&remote); }
EXPORT(remote_next) const char *wasm_remote_next(double now) { return pyr_remote_next(&remote, time_of(now)); }

/* The kind of the next event, 0: none; its parts are valid until the next call. */
EXPORT(remote_event) uint32_t wasm_remote_event(void)
{
    event = pyr_remote_event(&remote);
    return event.kind;
}

EXPORT(event_number) int32_t wasm_event_number(void) { return event.number; }
EXPORT(event_code) const char *wasm_event_code(void) { return event.code; }
EXPORT(event_reason) const char *wasm_event_reason(void) { return event.reason; }

EXPORT(remote_look) void wasm_remote_look(uint32_t is_looked_at) { pyr_remote_look(&remote, is_looked_at); }
EXPORT(remote_open_here) void wasm_remote_open_here(void) { pyr_remote_open_here(&remote); }

/* The person's actions; 0: not possible now. */
EXPORT(remote_confirm) uint32_t wasm_remote_confirm(double now) { return pyr_remote_confirm(&remote, noise, time_of(now)); }
EXPORT(remote_retract) uint32_t wasm_remote_retract(double now) { return pyr_remote_retract(&remote, noise, time_of(now)); }
EXPORT(remote_take) uint32_t wasm_remote_take(uint64_t step, double now)
{
    return pyr_remote_take(&remote, step, noise, time_of(now));
}
EXPORT(remote_leave) uint32_t wasm_remote_leave(double now) { return pyr_remote_leave(&remote, noise, time_of(now)); }
EXPORT(remote_return) uint32_t wasm_remote_return(double now) { return pyr_remote_return(&remote, noise, time_of(now)); }
EXPORT(remote_close) uint32_t wasm_remote_close(double now) { return pyr_remote_close(&remote, noise, time_of(now)); }

/* Sends a quick reaction; mutes those of a seat. */
EXPORT(remote_react) uint32_t wasm_remote_react(uint32_t symbol, double now)
{
    return pyr_remote_react(&remote, symbol, noise, time_of(now));
}
EXPORT(remote_mute) void wasm_remote_mute(uint32_t seat, uint32_t is_muted)
{
    pyr_remote_mute(&remote, (pyr_seat)seat, is_muted);
}
EXPORT(remote_muted) uint32_t wasm_remote_muted(void) { return remote.muted; }

EXPORT(remote_standin) uint32_t wasm_remote_standin(uint32_t seat, double now)
{
    return pyr_remote_standin(&remote, (pyr_seat)seat, noise, time_of(now));
}

/* The level is in the buffer. */
EXPORT(remote_fill) uint32_t wasm_remote_fill(uint32_t seat, double now)
{
    return pyr_remote_fill(&remote, (pyr_seat)seat, wasm_buffer(), noise, time_of(now));
}

/* The key is in the buffer, "": none; seat 255: the first free one. */
EXPORT(remote_sit) uint32_t wasm_remote_sit(uint32_t seat, double now)
{
    return pyr_remote_sit(&remote, (pyr_seat)seat, wasm_buffer(), noise + 16, noise, time_of(now));
}

/* The present data of the table. */
EXPORT(remote_ready) uint32_t wasm_remote_ready(void) { return remote.ready; }
EXPORT(remote_deadline) double wasm_remote_deadline(void) { return (double)remote.deadline; }
EXPORT(remote_lost_at) double wasm_remote_lost_at(void) { return (double)remote.lost_at; }
EXPORT(remote_number) const char *wasm_remote_number(void) { return remote.number; }
EXPORT(remote_notice) const char *wasm_remote_notice(void) { return remote.notice; }
EXPORT(remote_restart_at) double wasm_remote_restart_at(void) { return (double)remote.restart_at; }
EXPORT(remote_commitment) const char *wasm_remote_commitment(void) { return remote.commitment; }

EXPORT(remote_gone) double wasm_remote_gone(uint32_t seat, double now)
{
    return (double)pyr_remote_gone(&remote, (pyr_seat)seat, time_of(now));
}

EXPORT(remote_flags) uint32_t wasm_remote_flags(void)
{
    return (remote.elsewhere ? WASM_ELSEWHERE : 0) | (remote.restarting ? WASM_RESTARTING : 0) |
        (remote.slow ? WASM_SLOW : 0) | (pyr_remote_is_unsent(&remote) ? WASM_UNSENT : 0) |
        (pyr_remote_may_react(&remote) ? WASM_REACTS : 0);
}

/* Makes separate texts of the first lines of the buffer; missing ones are empty. */
static void read_lines(const char **words, uint32_t count)
{
    char *at = wasm_buffer();
    for (uint32_t i = 0; i < count; i++) {
        words[i] = at;
        while (*at && *at != '\n')
            at++;
        if (*at)
            *at++ = '\0';
    }
}

/* A game on this device. The names are in the buffer, a line each, followed by the levels of bots in the same order; an
 * empty line: a person. */
EXPORT(local_begin) int32_t wasm_local_begin(uint32_t seats, uint64_t seed)
{
    const char *words[2 * PYR_MAX_SEATS];
    wasm_instance()->match.edition = NULL;
    if (!wasm_instance()->edition.box.pattern[0].turns || seats < PYR_MIN_SEATS || seats > PYR_MAX_SEATS)
        return PYR_ERR_SEATS;
    read_lines(words, 2 * seats);
    enum pyr_err err = pyr_local_begin(
        &local, &wasm_instance()->match, &wasm_instance()->edition, seats, words, words + seats, seed, false);
    if (err)
        wasm_instance()->match.edition = NULL;
    return err;
}

/* A day's expedition on this device. The buffer has five lines: three names, the secret (empty: practice), the date. */
EXPORT(local_daily) int32_t wasm_local_daily(uint32_t is_practice)
{
    const char *words[PYR_DAILY_SEATS + 2], *hex, *date;
    uint8_t secret[PYR_FAIR_BYTES];
    int32_t day;
    wasm_instance()->match.edition = NULL;
    if (!wasm_instance()->edition.box.pattern[0].turns)
        return PYR_ERR_SEATS;
    read_lines(words, PYR_DAILY_SEATS + 2);
    hex = words[PYR_DAILY_SEATS];
    date = words[PYR_DAILY_SEATS + 1];
    if (!pyr_daily_read_date(date, pyr_word_of(date).length, &day))
        return PYR_ERR_TEXT_NUMBER;
    if (is_practice)
        pyr_daily_practice(day, secret);
    else if (!pyr_fair_read_hex(hex, pyr_word_of(hex).length, secret))
        return PYR_ERR_TEXT_NUMBER;
    enum pyr_err err = pyr_local_begin_daily(&local, &wasm_instance()->match, &wasm_instance()->edition, words, day, secret,
        is_practice);
    if (err)
        wasm_instance()->match.edition = NULL;
    return err;
}

/* A record without its players is continued by one person, in the first seat, against bots. */
EXPORT(local_load) int32_t wasm_local_load(uint32_t size, uint64_t seed)
{
    enum pyr_err err = pyr_local_load(&local, &wasm_instance()->match, &wasm_instance()->edition, wasm_buffer(),
        within_buffer(size), 1, "club", seed, &wasm_instance()->fault);
    if (err)
        wasm_instance()->match.edition = NULL;
    return err;
}

EXPORT(local_save) uint32_t wasm_local_save(void)
{
    return (uint32_t)pyr_local_save(&local, wasm_buffer(), wasm_buffer_size());
}
EXPORT(local_level) const char *wasm_local_level(uint32_t seat)
{
    return seat < PYR_MAX_SEATS ? local.seat[seat].level : "";
}
EXPORT(local_me) uint32_t wasm_local_me(void) { return local.me; }
EXPORT(local_is_covered) uint32_t wasm_local_is_covered(void) { return local.covered; }
EXPORT(local_next_person) uint32_t wasm_local_next_person(void) { return pyr_local_next_person(&local); }
EXPORT(local_uncover) void wasm_local_uncover(void) { pyr_local_uncover(&local); }
EXPORT(local_confirm) int32_t wasm_local_confirm(void) { return pyr_local_confirm(&local); }
EXPORT(local_take) int32_t wasm_local_take(uint64_t step) { return pyr_local_take(&local, step); }
EXPORT(local_retract) int32_t wasm_local_retract(void) { return pyr_local_retract(&local); }

/* The seat of a bot that has to choose, 255: none; and the seed for its choice. */
EXPORT(local_due) uint32_t wasm_local_due(void)
{
    struct pyr_rng rng;
    return pyr_local_due(&local, &rng);
}

EXPORT(local_due_seed) uint64_t wasm_local_due_seed(void)
{
    return pyr_local_due_seed(&local);
}

/* A bot's choice, as text in the buffer. */
EXPORT(local_answer) uint32_t wasm_local_answer(uint32_t seat, uint32_t lines)
{
    return pyr_local_answer_choice(&local, (pyr_seat)seat, lines, wasm_buffer());
}

/* Solo expeditions (solo.h), by index: how many, the seed, the points for medal 1 to 3, the medal for points. 0 for an
 * index that does not exist. */
EXPORT(solo_count) uint32_t wasm_solo_count(void) { return pyr_solo_count(); }
EXPORT(solo_seed) uint32_t wasm_solo_seed(uint32_t index)
{
    const struct pyr_solo *solo = pyr_solo_at(index);
    return solo ? solo->seed : 0;
}
EXPORT(solo_target) uint32_t wasm_solo_target(uint32_t index, uint32_t medal)
{
    const struct pyr_solo *solo = pyr_solo_at(index);
    return solo && medal >= PYR_MEDAL_BRONZE && medal <= PYR_MEDAL_GOLD ? solo->target[medal - 1] : 0;
}
EXPORT(solo_medal) uint32_t wasm_solo_medal(uint32_t index, int32_t points)
{
    const struct pyr_solo *solo = pyr_solo_at(index);
    return solo ? (uint32_t)pyr_solo_medal(solo, points) : PYR_MEDAL_NONE;
}
