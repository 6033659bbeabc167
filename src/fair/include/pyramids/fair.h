/*
 * fair.h (fair.c, verify.c, draw.c): a shuffle that no one can steer alone and anyone can check; docs/fair-shuffle.md is
 * its specification.
 *
 * The host draws a secret and publishes its commitment. After that each person adds a number. Every deal and shuffle of the
 * game follows from the secret and the numbers; the end of the record reveals the secret.
 *
 * Nothing here has state of its own: all functions may be called from several threads.
 */
#ifndef PYR_FAIR_H
#define PYR_FAIR_H

#include <pyramids/match.h>

PYR_BEGIN_DECLS

#define PYR_FAIR_BYTES 32                    /* of a secret, a number, a commitment, a key */
#define PYR_FAIR_DIGITS (2 * PYR_FAIR_BYTES)    /* the same as hexadecimal digits, without the end mark */

/* The secret and the numbers that determine a game's chance. Plain data; keep it secret until the game is over. */
struct pyr_fair {
    uint8_t secret[PYR_FAIR_BYTES];
    uint8_t number[PYR_MAX_SEATS][PYR_FAIR_BYTES];
    uint8_t numbers;             /* bit s: seat s has added a number; a bot adds none */
};

/* Draws a fresh secret; no seat has a number yet. False if the system has no randomness to give. */
PYR_API bool pyr_fair_draw(struct pyr_fair *fair);

/* Overwrites the secret and the numbers, so that they do not stay in memory. */
PYR_API void pyr_fair_wipe(struct pyr_fair *fair);

/* Sets a seat's number, replacing an earlier one; a seat beyond the last is ignored. */
PYR_API void pyr_fair_add(struct pyr_fair *fair, pyr_seat seat, const uint8_t number[PYR_FAIR_BYTES]);

/* The commitment to a secret: its SHA-256, and the same as it is published. */
PYR_API void pyr_fair_hash(const uint8_t secret[PYR_FAIR_BYTES], uint8_t hash[PYR_FAIR_BYTES]);
PYR_API void pyr_fair_commitment(const uint8_t secret[PYR_FAIR_BYTES], char hex[PYR_FAIR_DIGITS + 1]);

/* 32 bytes as 64 lower-case hexadecimal digits and an end mark, and back. Reading accepts exactly this form: false
 * for any other text, and then the bytes are untouched. */
PYR_API void pyr_fair_write_hex(const uint8_t bytes[PYR_FAIR_BYTES], char hex[PYR_FAIR_DIGITS + 1]);
PYR_API bool pyr_fair_read_hex(const char *text, size_t length, uint8_t bytes[PYR_FAIR_BYTES]);

/* Every deal and shuffle of the game. Returns PYR_OK, or PYR_ERR_SEATS; then *chance is untouched. */
PYR_API enum pyr_err pyr_fair_chance(const struct pyr_fair *fair, const struct pyr_edition *edition, unsigned seats,
    struct pyr_chance *chance);

/* Writes the tags of the header: commitment and numbers; between pyr_match_begin and pyr_match_deal. Codes of pyr_match_tag.
 * */
PYR_API enum pyr_err pyr_fair_tags(const struct pyr_fair *fair, struct pyr_match *match);

/* Writes the secret at the end of the log. PYR_ERR_PHASE while the game is running; codes of pyr_match_tag. */
PYR_API enum pyr_err pyr_fair_reveal(const struct pyr_fair *fair, struct pyr_match *match);

/* The same two for a game whose lines go to a sink. */
PYR_API enum pyr_err pyr_fair_game_tags(const struct pyr_fair *fair, const struct pyr_game *game,
    const struct pyr_sink *sink);
PYR_API enum pyr_err pyr_fair_game_reveal(const struct pyr_fair *fair, const struct pyr_game *game,
    const struct pyr_sink *sink);

/* The parts of the shuffle, for tests and for other uses of the same words. */
struct pyr_fair_stream {
    uint8_t key[PYR_FAIR_BYTES];
    uint8_t block[32];
    char label[12];
    uint32_t counter;            /* of the next block */
    uint32_t used;               /* words used of this block */
};

/* The key that all shuffles of a game share. */
PYR_API void pyr_fair_key(const struct pyr_fair *fair, const char *edition, unsigned seats, uint8_t key[PYR_FAIR_BYTES]);

/* A label is at most 11 bytes. */
PYR_API void pyr_fair_stream_init(struct pyr_fair_stream *stream, const uint8_t key[PYR_FAIR_BYTES], const char *label);
PYR_API uint32_t pyr_fair_word(struct pyr_fair_stream *stream);
PYR_API uint32_t pyr_fair_below(struct pyr_fair_stream *stream, uint32_t bound);
PYR_API void pyr_fair_shuffle(struct pyr_fair_stream *stream, uint8_t *item, unsigned count);

/* What is wrong with the shuffle of a record. */
enum pyr_fair_code {
    PYR_FAIR_GOOD = 0,
    PYR_FAIR_RECORD = 1,         /* the record breaks a rule or is not a record: see report.fault */
    PYR_FAIR_NO_COMMITMENT = 2,  /* no commitment: the shuffle cannot be checked */
    PYR_FAIR_UNDER_WAY = 3,      /* no secret yet, since the game is not over */
    PYR_FAIR_NO_SECRET = 4,      /* the game is over, the secret is missing */
    PYR_FAIR_HEX = 5,            /* not 64 lower-case hexadecimal digits */
    PYR_FAIR_SEAT = 6,           /* a number for a seat that is not in this game */
    PYR_FAIR_TWICE = 7,          /* a second commitment, secret or number of a seat; the first is on line `other` */
    PYR_FAIR_LATE = 8,           /* a commitment or number after the first deal */
    PYR_FAIR_BEFORE_COMMITMENT = 9,  /* a number before the commitment */
    PYR_FAIR_EARLY = 10,         /* the secret before the end of the game */
    PYR_FAIR_MISMATCH = 11,      /* the secret is not the one that was committed to on line `other` */
    PYR_FAIR_CARDS = 12,         /* the cards of the line differ from the shuffle: expected */
    PYR_FAIR_DAY = 13            /* a daily expedition (`tag day` or `tag practice`) that has numbers, or not three seats */
};

struct pyr_fair_report {
    enum pyr_fair_code code;
    uint32_t line;               /* where, from 1 */
    uint32_t other;
    struct pyr_fault fault;      /* of code PYR_FAIR_RECORD, with its line */
    char expected[64];           /* of code PYR_FAIR_CARDS: the line as the shuffle gives it */
    struct pyr_fair fair;        /* as the record contains it */
    unsigned seats, numbers;     /* seats, and how many added a number */
    unsigned deals, shows, reveals, draws;   /* lines that were compared */
};

/*
 * Checks a whole record of this edition: its tags, and every deal, show, reveal and draw against the shuffle that follows
 * from them. Decisions and derived lines are checked against the rules on the way. Returns report->code.
 */
PYR_API enum pyr_fair_code pyr_fair_verify(const struct pyr_edition *edition, const char *text, size_t size,
    struct pyr_fair_report *report);

PYR_END_DECLS

#endif
