/*
 * remote.h (remote.c): a game on a server (docs/protocol.md, section 3) as a state machine: texts in, texts out.
 *
 * It has no socket and no clock of its own. The caller reports what happens to the connection and passes on each message;
 * after every call it sends what pyr_remote_next returns and does what pyr_remote_wish asks for. `now` is in milliseconds
 * of any clock that does not run backwards; random numbers are arguments. So any client can use it, and tests need no
 * network.
 *
 * The game itself is the caller's match: it contains the lines that this seat may see, and the steps of a choice that is
 * not confirmed (the draft). Anything that a server sends is either a game by the rules or refused (PYR_REMOTE_BAD_LINES).
 *
 * Invariants:
 *  1. A choice changes the match only when its lines arrive. Until then it is confirmed, and a copy of the message is
 *     in `sent`.
 *  2. A message that must take effect once (choose, retract, sit) stays in `sent` until it is answered, and is sent again
 *     with the same id over the next connection: after the server has answered `open`, in the order in which it was made.
 *  3. A draft survives everything except a new phase: lost connections, repeated lines, and, with pyr_remote_save, the end
 *     of the program.
 *
 * It keeps pointers to the match and the edition, which must outlive it. One thread at a time may use it and its match.
 */
#ifndef PYR_REMOTE_H
#define PYR_REMOTE_H

#include <pyramids/match.h>

PYR_BEGIN_DECLS

#define PYR_REMOTE_CODE 40       /* bytes of a table's code or a seat's key, with the end */
#define PYR_REMOTE_ID 33         /* of a message's id: 16 bytes as hexadecimal digits */
#define PYR_REMOTE_NUMBER 65     /* of a number for the shuffle, and of a commitment */
#define PYR_REMOTE_SENT 8        /* messages that wait for their answer */
#define PYR_REMOTE_TEXT 1024     /* bytes of a message: a choice of 50 marks has 400 */
#define PYR_REMOTE_SAVED 8192    /* bytes that pyr_remote_save needs at the most */
#define PYR_REMOTE_EVENTS 16     /* that have not been taken; more of one kind are one */

/* What this person sends. */
enum pyr_remote_kind {
    PYR_REMOTE_CHOOSE = 0, PYR_REMOTE_RETRACT = 1, PYR_REMOTE_SIT = 2,           /* sent again until answered */
    PYR_REMOTE_LEAVE = 3, PYR_REMOTE_RETURN = 4, PYR_REMOTE_FILL = 5, PYR_REMOTE_STANDIN = 6, PYR_REMOTE_CLOSE = 7,
    PYR_REMOTE_REACT = 8
};

/* Once the host has not been connected for so many milliseconds, any player may ask for a stand-in. */
#define PYR_REMOTE_HOST_GONE 120000

/* Quick reactions, by their words in the protocol; what each says is in src/text/sentences.inc, in the same order. */
#define PYR_REACTION_WORDS(X) X(tomb) X(ruby) X(torch) X(skull) X(potion) X(cross)
#define PYR_REACTIONS 6

/* A message that has not been answered. */
struct pyr_remote_message {
    uint8_t kind;                            /* enum pyr_remote_kind */
    bool is_posted;                          /* over the present connection */
    bool is_delayed;                         /* the server has asked for patience; the client was notified once */
    uint32_t phase;                          /* of a choice */
    char id[PYR_REMOTE_ID];
    char text[PYR_REMOTE_TEXT];              /* JSON */
};

enum pyr_remote_state {
    PYR_TABLE_UNKNOWN = 0,
    PYR_TABLE_WAITING = 1,
    PYR_TABLE_RUNNING = 2,
    PYR_TABLE_OVER = 3,
    PYR_TABLE_CLOSED = 4
};
enum pyr_remote_seat_kind { PYR_SEAT_OPEN = 0, PYR_SEAT_FRIEND = 1, PYR_SEAT_PERSON = 2, PYR_SEAT_BOT = 3 };

struct pyr_remote_seat {
    uint8_t kind;                            /* enum pyr_remote_seat_kind */
    bool here, away;                         /* connected (bots are); a bot plays for this person */
    uint64_t gone_since;                     /* `now` when the connection ended; 0: is here, or not known */
    char name[PYR_MAX_PLAYER_NAME + 1];
    char level[16];                          /* of a bot */
};

/* What a client may want to show or do; taken one after the other with pyr_remote_event. */
enum pyr_remote_event_kind {
    PYR_REMOTE_NOTHING = 0,
    PYR_REMOTE_TABLE = 1,                    /* the table has changed: seats, presence, state */
    PYR_REMOTE_LINES = 2,                    /* the game has moved on: the match is new */
    /* Who has chosen, or this seat's choice, has changed; `code`, if any: the server had another choice, or none. */
    PYR_REMOTE_READY = 3,
    PYR_REMOTE_EDITION = 4,                  /* pyr_remote_set_edition is due: edition_name */
    PYR_REMOTE_IS_OVER = 5,                  /* the whole record can be asked for */
    PYR_REMOTE_REMATCH = 6,                  /* a player has made a rematch: `rematch` */
    /* `code` of the answer, of message kind `number`; `reason` if the rules forbid it. */
    PYR_REMOTE_REFUSED = 7,
    PYR_REMOTE_DONE = 8,                     /* message kind `number` took effect */
    PYR_REMOTE_PRESENCE = 9,                 /* connection lost or back, elsewhere, slow, restarting, an announcement */
    PYR_REMOTE_RETURNED = 10,                /* a bot has played for this person, who plays again */
    PYR_REMOTE_MISSED = 11,                  /* `number` turns were played meanwhile */
    /* The server's lines are not a legal game: `number`, a code of err.h; `fault`. */
    PYR_REMOTE_BAD_LINES = 12,
    /* A person shows a symbol: `number` is 8 * the seat + the symbol. Never of a muted seat. */
    PYR_REMOTE_REACTION = 13
};

/* The running score of a series of games: what has been won and scored by who sits at each seat now. */
struct pyr_remote_series {
    uint8_t games;                           /* played so far; 0: this is no series */
    uint16_t wins[PYR_MAX_SEATS];            /* in hundredths: a shared win counts its share */
    int32_t points[PYR_MAX_SEATS];
};

struct pyr_remote_event {
    uint8_t kind;                            /* enum pyr_remote_event_kind */
    int32_t number;
    char code[24], reason[24], rule[8];      /* words of the protocol; letters, digits and _ only */
};

enum pyr_remote_wish { PYR_REMOTE_WAIT = 0, PYR_REMOTE_CONNECT = 1, PYR_REMOTE_DROP = 2 };

#define PYR_REMOTE_NOTICE 241                /* bytes with its end */

struct pyr_remote {
    struct pyr_match *match;                 /* the caller's */
    const struct pyr_edition *edition;       /* the caller's; NULL: not known yet */
    char code[PYR_REMOTE_CODE];

    /* The table, as the server has described it. */
    uint8_t state;                           /* enum pyr_remote_state */
    uint8_t seats;
    pyr_seat you;                            /* PYR_SPECTATOR: watching */
    bool host, is_public;
    struct pyr_remote_seat seat[PYR_MAX_SEATS];
    char edition_name[PYR_MAX_NAME + 1];
    char rematch[PYR_REMOTE_CODE];
    char commitment[PYR_REMOTE_NUMBER];      /* as this device saw it first */
    char number[PYR_REMOTE_NUMBER]; /* this person's part in the shuffle; exactly one per table; "": none yet */

    /* The log: lines that this seat may see, as they came. `version` counts those of the server, which has more. */
    char text[PYR_LOG_SIZE];
    uint32_t size, version, promised;        /* promised: the version that the table message named */
    uint8_t ready;                           /* bits: seats whose choice is in */
    uint64_t deadline;                       /* `now` at which the clock runs out; 0: no clock */

    /* The connection. */
    bool is_connected, is_open;              /* there is one; the server has answered `open` over it */
    bool must_open, must_return, is_dropping;
    bool elsewhere;                          /* the seat is played over a newer connection */
    bool restarting, slow;
    bool has_left;                           /* a bot plays because this person asked for it */
    bool is_hidden;                          /* no one is looking: reconnecting is not reported as returning to play */
    uint64_t lost_at, retry_at;              /* 0: not lost; nothing to retry */
    uint64_t answer_due;                     /* when a silent server is called slow, then dead; 0: nothing was asked */
    uint64_t resend_at;                      /* after `storage` or `too_fast`; 0: none */
    unsigned tries;
    bool is_back, has_returned;              /* since the last `lines` */
    int32_t known_turns;                     /* reveals seen before; -1: none */

    struct pyr_remote_message sent[PYR_REMOTE_SENT];
    unsigned sent_count;

    /* A draft from an earlier visit, kept until the server has sent the lines up to its phase. */
    uint32_t saved_version;
    struct pyr_remote_draft {
        pyr_step step[PYR_MAX_CHOICE];
        uint8_t count;
        bool confirmed;
    } saved;

    struct pyr_remote_event event[PYR_REMOTE_EVENTS];
    unsigned events;
    char out[PYR_REMOTE_TEXT];               /* the last message that pyr_remote_next returned */
    struct pyr_fault fault;                  /* of the last PYR_REMOTE_BAD_LINES */

    /* What the operator announces: words, a restart, both, or nothing. */
    char notice[PYR_REMOTE_NOTICE];          /* "": no words */
    uint64_t restart_at;                     /* `now` at which the server restarts, about; 0: not announced */

    uint8_t muted;                           /* bits: seats whose reactions are not reported */
    struct pyr_remote_series series;
};

/* A table that is not opened yet. False: this is not a code (letters, digits, - and _). */
PYR_API bool pyr_remote_init(struct pyr_remote *remote, struct pyr_match *match, const char *code);

/* The edition that edition_name asks for; it must outlive the remote. */
PYR_API void pyr_remote_set_edition(struct pyr_remote *remote, const struct pyr_edition *edition, uint64_t now);

/* The whole record of a finished game, instead of what this seat has seen. PYR_OK, or why not; then nothing changes. */
PYR_API enum pyr_err pyr_remote_set_record(struct pyr_remote *remote, const char *text, size_t size,
    struct pyr_fault *fault);

/* The connection. `random` is any number: it spreads the attempts of many clients. */
PYR_API void pyr_remote_connected(struct pyr_remote *remote, uint64_t now);
PYR_API void pyr_remote_lost(struct pyr_remote *remote, uint64_t now, uint32_t random);
PYR_API void pyr_remote_receive(struct pyr_remote *remote, const char *text, size_t size, uint64_t now);

/* What the caller should do with the connection now, and when to ask again at the latest (0: only after the next call). */
PYR_API enum pyr_remote_wish pyr_remote_wish(struct pyr_remote *remote, uint64_t now);
PYR_API uint64_t pyr_remote_wake_at(const struct pyr_remote *remote);

/* The next message to send, or NULL; valid until the next call. Ask again until there is none. */
PYR_API const char *pyr_remote_next(struct pyr_remote *remote, uint64_t now);

/* The next event; kind PYR_REMOTE_NOTHING when there is none. */
PYR_API struct pyr_remote_event pyr_remote_event(struct pyr_remote *remote);

/* Whether the player is looking at the game; true at first. */
PYR_API void pyr_remote_look(struct pyr_remote *remote, bool is_looked_at);

/* Opens the table over this connection. If the seat has several connections, this one plays from now on. */
PYR_API void pyr_remote_open_here(struct pyr_remote *remote);

/*
 * What this person does. `id` is 16 random bytes. False: nothing is sent, because it is not possible now (no seat,
 * nothing to confirm, a choice is on its way, too much is unanswered).
 */
PYR_API bool pyr_remote_confirm(struct pyr_remote *remote, const uint8_t id[16], uint64_t now);
PYR_API bool pyr_remote_retract(struct pyr_remote *remote, const uint8_t id[16], uint64_t now);
PYR_API bool pyr_remote_take(struct pyr_remote *remote, pyr_step step, const uint8_t id[16], uint64_t now);
/* Sits down: at `seat`, or with PYR_NOBODY at the first free one; key "": none. `number` is 32 random bytes and is used
 * only if this table has none yet: a server that refuses, hoping for another number, gets the same one again. */
PYR_API bool pyr_remote_sit(struct pyr_remote *remote, pyr_seat seat, const char *key, const uint8_t number[32],
    const uint8_t id[16], uint64_t now);
PYR_API bool pyr_remote_leave(struct pyr_remote *remote, const uint8_t id[16], uint64_t now);
PYR_API bool pyr_remote_return(struct pyr_remote *remote, const uint8_t id[16], uint64_t now);
/* The host's: a bot for a free seat (level: a name of bots.h), a bot for a person who is gone, no game at all. */
PYR_API bool pyr_remote_fill(struct pyr_remote *remote, pyr_seat seat, const char *level, const uint8_t id[16],
    uint64_t now);
PYR_API bool pyr_remote_standin(struct pyr_remote *remote, pyr_seat seat, const uint8_t id[16], uint64_t now);
PYR_API bool pyr_remote_close(struct pyr_remote *remote, const uint8_t id[16], uint64_t now);

/* Reactions. They can be shown where this person sits and another person does, too; the server allows one in 5 seconds and
 * three per turn, and refuses more (`too_fast`). The others do not learn who has muted whom. */
PYR_API bool pyr_remote_may_react(const struct pyr_remote *remote);
PYR_API bool pyr_remote_react(struct pyr_remote *remote, unsigned symbol, const uint8_t id[16], uint64_t now);
PYR_API void pyr_remote_mute(struct pyr_remote *remote, pyr_seat seat, bool is_muted);

/* Whether a choice of this phase is on its way, and whether it waits for a connection. */
PYR_API bool pyr_remote_is_pending(const struct pyr_remote *remote);
PYR_API bool pyr_remote_is_unsent(const struct pyr_remote *remote);

/* Milliseconds for which a person has not been connected; 0: connected, or unknown. */
PYR_API uint64_t pyr_remote_gone(const struct pyr_remote *remote, pyr_seat seat, uint64_t now);

/*
 * Everything that the next visit needs: the number, the draft, unanswered messages, who is muted, as a text for the caller
 * to store.
 * Returns its size, or 0 if there is no room (PYR_REMOTE_SAVED is enough). Restore it between pyr_remote_init and the
 * first connection; false: it is not such a text, or of another table, and nothing changes.
 */
PYR_API size_t pyr_remote_save(const struct pyr_remote *remote, char *to, size_t size);
PYR_API bool pyr_remote_restore(struct pyr_remote *remote, const char *text, size_t size);

PYR_END_DECLS

#endif
