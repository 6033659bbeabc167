/*
 * twin.c: the functions of the WebAssembly module, compiled natively. Answers each command on standard input with a
 * line, which tests/wasm.mjs compares with the module's answer:
 *
 *     read FILE                              code line column word|expected
 *     write                                  length, hash of the bytes
 *     names                                  the bots
 *     games SEED PLAYERS GAMES PLAYOUTS      hash steps
 *     bots SEED NODES NAME...                hash steps
 *     perft SEED PLAYERS PLAYED DEPTH        count
 *     verify FILE                            code of the fair shuffle, line, lines compared
 *     daily PRACTICE DATE SECRET             code, lines, hash of the log, the bot that is due, its seed
 *     time SEED PLAYERS GAMES PLAYOUTS       hash, nanoseconds of processor time
 */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exports.h"

void *host_room(size_t size)
{
    static void *room;
    free(room);
    room = NULL;
    size = (size + 63) / 64 * 64;
    return room = aligned_alloc(64, size);
}

static void read_edition(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(wasm_buffer(), 1, wasm_buffer_size(), file) : 0;
    if (file)
        fclose(file);
    int32_t err = wasm_edition_read((uint32_t)size);
    printf("%" PRId32 " %" PRIu32 " %" PRIu32 " %s|%s\n", err, wasm_fault_line(), wasm_fault_column(), wasm_fault_word(),
        wasm_fault_expected());
}

static void verify_record(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(wasm_buffer(), 1, wasm_buffer_size(), file) : 0;
    if (file)
        fclose(file);
    int32_t code = wasm_record_verify((uint32_t)size);
    printf("%" PRId32 " %" PRIu32 " %" PRIu32 "\n", code, wasm_verify_line(), wasm_verify_compared());
}

static void write_edition(void)
{
    uint32_t length = wasm_edition_write();
    uint64_t hash = 0;
    for (uint32_t i = 0; i < length; i++)
        hash = hash * 31 + (unsigned char)wasm_buffer()[i];
    printf("%" PRIu32 " %" PRIu64 "\n", length, hash);
}

/* Also with invalid words: the sheet must be the same text everywhere. */
static void write_sheet(uint32_t sheet, uint32_t paper, uint32_t parts, uint32_t coloured)
{
    snprintf(wasm_buffer(), wasm_buffer_size(), "%s", "made\ncards & <more>\nexpedition");
    uint32_t length = wasm_sheet(sheet, paper, parts, coloured);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < length; i++)
        hash = hash * 31 + (unsigned char)wasm_buffer()[i];
    printf("%" PRIu32 " %" PRIu32 " %" PRIu64 "\n", wasm_sheets(parts), length, hash);
}

/* A day's expedition on this device: its log, and the seed of the bot that has to choose. */
static void begin_day(uint32_t is_practice, const char *date, const char *secret)
{
    snprintf(wasm_buffer(), wasm_buffer_size(), "Ana\nclub 2\nclub 3\n%s\n%s", secret, date);
    int32_t err = wasm_local_daily(is_practice);
    uint64_t hash = 0;
    for (const char *at = wasm_match_log(); *at; at++)
        hash = hash * 31 + (unsigned char)*at;
    printf("%" PRId32 " %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", err, wasm_match_lines(), hash,
        err ? 255 : wasm_local_due(), err ? 0 : wasm_local_due_seed());
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        uint64_t seed, nodes;
        uint32_t a, b, c;
        char date[16], secret[80];
        int end = 0;
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, "read ", 5)) {
            read_edition(line + 5);
        } else if (!strncmp(line, "verify ", 7)) {
            verify_record(line + 7);
        } else if (sscanf(line, "daily %" SCNu32 " %15s %79s", &a, date, secret) == 3) {
            begin_day(a, date, secret);
        } else if (!strcmp(line, "write")) {
            write_edition();
        } else if (sscanf(line, "sheet %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64, &a, &b, &c, &seed) == 4) {
            write_sheet(a, b, c, (uint32_t)seed);
        } else if (!strcmp(line, "names")) {
            for (uint32_t i = 0; wasm_bot_name(i); i++)
                printf("%s%s", i ? " " : "", wasm_bot_name(i));
            printf("\n");
        } else if (sscanf(line, "games %" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32, &seed, &a, &b, &c) == 4) {
            uint64_t hash = wasm_random_games(seed, a, b, c);
            printf("%" PRIu64 " %" PRIu64 "\n", hash, wasm_steps());
        } else if (sscanf(line, "bots %" SCNu64 " %" SCNu64 " %n", &seed, &nodes, &end) == 2 && end) {
            snprintf(wasm_buffer(), wasm_buffer_size(), "%s", line + end);
            uint64_t hash = wasm_bot_game(seed, nodes);
            printf("%" PRIu64 " %" PRIu64 "\n", hash, wasm_steps());
        } else if (sscanf(line, "perft %" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32, &seed, &a, &b, &c) == 4) {
            printf("%" PRIu64 "\n", wasm_perft(seed, a, b, c));
        } else if (sscanf(line, "time %" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32, &seed, &a, &b, &c) == 4) {
            uint64_t start = now();
            uint64_t hash = wasm_random_games(seed, a, b, c);
            printf("%" PRIu64 " %" PRIu64 "\n", hash, now() - start);
        } else {
            printf("what is \"%s\"?\n", line);
            return 1;
        }
        fflush(stdout);
    }
    return 0;
}
