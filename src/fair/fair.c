/*
 * fair.c: from a secret and numbers to every shuffle of a game; see fair.h. Freestanding, for the browser too.
 *
 * The parts: the server draws a secret and publishes its SHA-256 (commitment) before any player sits down; every person
 * contributes a number; the key is HMAC(secret, edition, seats, numbers), and every shuffle has its own stream of random
 * numbers, HMAC(key, label, counter). After the game the secret is revealed and anyone can derive all of it again
 * (verify.c). The exact bytes are described in docs/fair-shuffle.md and must never change: old records would no longer
 * verify.
 *
 * Secrets are wiped from memory after use.
 */
#include <pyramids/fair.h>

#include "sha256.h"

_Static_assert(PYR_FAIR_BYTES == SHA256_BYTES, "commitment and key are of one size");

void pyr_fair_wipe(struct pyr_fair *fair)
{
    wipe(fair, sizeof *fair);
}

void pyr_fair_add(struct pyr_fair *fair, pyr_seat seat, const uint8_t number[PYR_FAIR_BYTES])
{
    if (seat >= PYR_MAX_SEATS)
        return;
    __builtin_memcpy(fair->number[seat], number, PYR_FAIR_BYTES);
    fair->numbers |= (uint8_t)(1u << seat);
}

void pyr_fair_hash(const uint8_t secret[PYR_FAIR_BYTES], uint8_t hash[PYR_FAIR_BYTES])
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, secret, PYR_FAIR_BYTES);
    sha256_end(&sha, hash);
}

void pyr_fair_commitment(const uint8_t secret[PYR_FAIR_BYTES], char hex[PYR_FAIR_DIGITS + 1])
{
    uint8_t hash[PYR_FAIR_BYTES];
    pyr_fair_hash(secret, hash);
    pyr_fair_write_hex(hash, hex);
}

void pyr_fair_write_hex(const uint8_t bytes[PYR_FAIR_BYTES], char hex[PYR_FAIR_DIGITS + 1])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < PYR_FAIR_DIGITS; i++)
        hex[i] = digits[bytes[i / 2] >> (i % 2 ? 0 : 4) & 15];
    hex[PYR_FAIR_DIGITS] = '\0';
}

/* No capital letters: two spellings of one number would give two records of one game. */
bool pyr_fair_read_hex(const char *text, size_t length, uint8_t bytes[PYR_FAIR_BYTES])
{
    uint8_t read[PYR_FAIR_BYTES] = { 0 };
    if (length != PYR_FAIR_DIGITS)
        return false;
    for (size_t i = 0; i < PYR_FAIR_DIGITS; i++) {
        int digit = pyr_hex_digit(text[i]);
        if (digit < 0)
            return false;
        read[i / 2] = (uint8_t)(read[i / 2] << 4 | digit);
    }
    __builtin_memcpy(bytes, read, sizeof read);
    return true;
}

/* A text with one item per line, so that no two games give the same bytes; "-" for a seat without a number, such as a
 * bot's. */
void pyr_fair_key(const struct pyr_fair *fair, const char *edition, unsigned seats, uint8_t key[PYR_FAIR_BYTES])
{
    struct mac mac;
    char text[PYR_FAIR_DIGITS + 16], hex[PYR_FAIR_DIGITS + 1];
    struct pyr_out out;
    mac_begin(&mac, fair->secret);
    mac_add(&mac, "pyramids shuffle 1\nedition ");
    mac_add(&mac, edition);
    pyr_out_init(&out, text, sizeof text);
    pyr_out_text(&out, "\nseats ");
    pyr_out_number(&out, (int)seats);
    pyr_out_char(&out, '\n');
    mac_add(&mac, text);
    for (unsigned s = 0; s < seats && s < PYR_MAX_SEATS; s++) {
        bool has = fair->numbers >> s & 1;
        if (has)
            pyr_fair_write_hex(fair->number[s], hex);
        pyr_out_init(&out, text, sizeof text);
        pyr_out_number(&out, (int)s + 1);
        pyr_out_char(&out, ' ');
        pyr_out_text(&out, has ? hex : "-");
        pyr_out_char(&out, '\n');
        mac_add(&mac, text);
    }
    mac_end(&mac, key);
}

void pyr_fair_stream_init(struct pyr_fair_stream *stream, const uint8_t key[PYR_FAIR_BYTES], const char *label)
{
    *stream = (struct pyr_fair_stream){ .used = sizeof stream->block / 4 };
    struct pyr_out out;
    __builtin_memcpy(stream->key, key, PYR_FAIR_BYTES);
    pyr_out_init(&out, stream->label, sizeof stream->label);
    pyr_out_text(&out, label);
}

/* Eight words per block, big-endian. */
uint32_t pyr_fair_word(struct pyr_fair_stream *stream)
{
    if (stream->used == sizeof stream->block / 4) {
        struct mac mac;
        char counter[16];
        struct pyr_out out;
        pyr_out_init(&out, counter, sizeof counter);
        pyr_out_char(&out, '\n');
        pyr_out_number(&out, (int)stream->counter++);
        mac_begin(&mac, stream->key);
        mac_add(&mac, stream->label);
        mac_add(&mac, counter);
        mac_end(&mac, stream->block);
        stream->used = 0;
    }
    const uint8_t *b = stream->block + 4 * (size_t)stream->used++;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Words beyond the last whole multiple of the bound are skipped, so that every remainder has the same number of words. */
uint32_t pyr_fair_below(struct pyr_fair_stream *stream, uint32_t bound)
{
    const uint64_t all = (uint64_t)1 << 32;
    uint64_t limit = all - all % bound;
    uint32_t word;
    do
        word = pyr_fair_word(stream);
    while (word >= limit);
    return word % bound;
}

/* Fisher-Yates from the end, as in most textbooks, so that others can implement it from the description. */
void pyr_fair_shuffle(struct pyr_fair_stream *stream, uint8_t *item, unsigned count)
{
    for (unsigned i = count; i-- > 1;) {
        uint32_t j = pyr_fair_below(stream, i + 1);
        uint8_t kept = item[i];
        item[i] = item[j];
        item[j] = kept;
    }
}

static void shuffle_labelled(const uint8_t key[PYR_FAIR_BYTES], const char *label, uint8_t *item, unsigned count)
{
    struct pyr_fair_stream stream;
    pyr_fair_stream_init(&stream, key, label);
    pyr_fair_shuffle(&stream, item, count);
    wipe(&stream, sizeof stream);
}

/* One stream per shuffle: revealed cards of one reveal nothing about the others. */
enum pyr_err pyr_fair_chance(const struct pyr_fair *fair, const struct pyr_edition *edition, unsigned seats,
    struct pyr_chance *chance)
{
    uint8_t key[PYR_FAIR_BYTES], card[PYR_CARDS];
    if (seats < PYR_MIN_SEATS || seats > PYR_MAX_SEATS)
        return PYR_ERR_SEATS;
    pyr_fair_key(fair, edition->name, seats, key);
    for (unsigned i = 0; i < PYR_CARDS; i++)
        card[i] = chance->deck[i] = (uint8_t)i;
    shuffle_labelled(key, "deal", card, PYR_CARDS);
    for (unsigned s = 0; s < PYR_MAX_SEATS; s++)
        for (unsigned i = 0; i < PYR_DEALT; i++)
            chance->dealt[s][i] = s < seats ? card[s * PYR_DEALT + i] : PYR_NO_CARD;
    shuffle_labelled(key, "deck", chance->deck, PYR_CARDS);
    for (unsigned round = 0; round < PYR_ROUNDS; round++) {
        const char label[] = { 'r', 'o', 'u', 'n', 'd', ' ', (char)('1' + round), '\0' };
        __builtin_memcpy(chance->expedition[round], edition->box.expedition, PYR_EXPEDITIONS);
        shuffle_labelled(key, label, chance->expedition[round], PYR_EXPEDITIONS);
    }
    wipe(key, sizeof key);
    wipe(card, sizeof card);
    return PYR_OK;
}

enum pyr_err pyr_fair_game_tags(const struct pyr_fair *fair, const struct pyr_game *game, const struct pyr_sink *sink)
{
    char hex[PYR_FAIR_DIGITS + 1], value[PYR_FAIR_DIGITS + 8];
    struct pyr_out out;
    pyr_fair_commitment(fair->secret, hex);
    enum pyr_err err = pyr_game_tag(game, "commitment", hex, sink);
    for (unsigned s = 0; s < game->replay.seats && !err; s++) {
        if (!(fair->numbers >> s & 1))
            continue;
        pyr_fair_write_hex(fair->number[s], hex);
        pyr_out_init(&out, value, sizeof value);
        pyr_out_number(&out, (int)s + 1);
        pyr_out_char(&out, ' ');
        pyr_out_text(&out, hex);
        err = pyr_game_tag(game, "number", value, sink);
    }
    return err;
}

enum pyr_err pyr_fair_game_reveal(const struct pyr_fair *fair, const struct pyr_game *game, const struct pyr_sink *sink)
{
    char hex[PYR_FAIR_DIGITS + 1];
    if (!pyr_game_is_over(game))
        return PYR_ERR_PHASE;
    pyr_fair_write_hex(fair->secret, hex);
    return pyr_game_tag(game, "secret", hex, sink);
}

enum pyr_err pyr_fair_tags(const struct pyr_fair *fair, struct pyr_match *match)
{
    return pyr_fair_game_tags(fair, &match->game, &(struct pyr_sink){ pyr_log_take, &match->log });
}

enum pyr_err pyr_fair_reveal(const struct pyr_fair *fair, struct pyr_match *match)
{
    return pyr_fair_game_reveal(fair, &match->game, &(struct pyr_sink){ pyr_log_take, &match->log });
}
