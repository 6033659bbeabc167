/*
 * record.h (line.c, replay.c): a game as lines of text (docs/formats.md), and the rules applied to them.
 *
 * A line is first read by itself (pyr_event_read: words and numbers), then checked in its place (pyr_replay_event: the
 * rules). Any prefix of a record is an unfinished game.
 */
#ifndef PYR_RECORD_H
#define PYR_RECORD_H

#include <pyramids/edition.h>
#include <pyramids/score.h>
#include <pyramids/view.h>

PYR_BEGIN_DECLS

#define PYR_MAX_PLAYER_NAME 127  /* bytes */
#define PYR_MAX_PARTS PYR_MAX_CHOICE     /* marks in a move */

enum pyr_event_kind {
    PYR_EVENT_HEADER = 0,        /* pyramids-record 1 */
    PYR_EVENT_EDITION = 1,       /* edition NAME */
    PYR_EVENT_PLAYER = 2,        /* player SEAT NAME */
    PYR_EVENT_TAG = 3,           /* tag NAME VALUE */
    PYR_EVENT_DEAL = 4,          /* deal SEAT C C C C */
    PYR_EVENT_KEEP = 5,          /* keep SEAT C C */
    PYR_EVENT_SHOW = 6,          /* show C... */
    PYR_EVENT_REVEAL = 7,        /* reveal PATTERN */
    PYR_EVENT_MARK = 8,          /* mark SEAT MOVE */
    PYR_EVENT_TAKE = 9,          /* take SEAT C */
    PYR_EVENT_DRAW = 10,         /* draw SEAT C */
    PYR_EVENT_POINTS = 11,       /* points SEAT COLOUR N */
    PYR_EVENT_SCORE = 12,        /* score SEAT N pyramids N torches N points N gems N skulls N */
    PYR_EVENT_WINNER = 13,       /* winner SEAT... */
    PYR_EVENT_KINDS = 14
};

/* One mark of a move: a card and its spaces. */
struct pyr_part {
    pyr_card card;
    pyr_spaces spaces;
};

/* A line, parsed. */
struct pyr_event {
    enum pyr_event_kind kind;
    pyr_seat seat;               /* where the line has one */
    uint8_t count;               /* of cards or of parts; a move without parts is a pass */
    uint8_t winners;             /* winner: bits */
    uint8_t colour, points;      /* points */
    pyr_pattern pattern;         /* reveal */
    pyr_card card[PYR_DEALT];
    struct pyr_part part[PYR_MAX_PARTS];
    struct pyr_score score;
    struct pyr_word name;        /* edition, player, tag: into the text that was read */
    struct pyr_word value;       /* tag */
};

/* Parses the current line of the reader. False with the reader's fault set if it is not a line of a record. */
PYR_API bool pyr_event_read(struct pyr_event *event, const struct pyr_edition *edition, struct pyr_lines *lines);

/* Writes the line of an event, without its end. */
PYR_API void pyr_event_write(const struct pyr_event *event, const struct pyr_edition *edition, struct pyr_out *out);

/* Reads a move such as 17:a1a2a3+22:c1 or -; false with the reader's fault set (word: the whole move). */
PYR_API bool pyr_move_read(struct pyr_event *event, struct pyr_lines *lines, struct pyr_word word);

/* Writes a set of spaces in reading order: a1b1a2. */
PYR_API void pyr_spaces_write(pyr_spaces spaces, struct pyr_out *out);

/* Writes the move that the steps make, made one after the other on the desk. */
PYR_API void pyr_move_write(const pyr_step *steps, unsigned count, const struct pyr_desk *desk, struct pyr_out *out);

/*
 * A record being followed. Hidden cards that no line has shown yet are filled in with cards that fit, in a fixed order:
 * state.hidden is not the true one (pyr_view_sample draws a random one).
 */
struct pyr_replay {
    struct pyr_state state;      /* valid once all cards are dealt (stage PYR_STAGE_PLAY on) */
    uint8_t stage;               /* enum pyr_stage */
    uint8_t seats;               /* players named so far */
    pyr_seat viewer;             /* whose view the lines are; PYR_NOBODY: the whole record */
    uint8_t dealt, kept;         /* bits: whose line has been read */
    uint8_t scored;              /* score lines read */
    uint8_t due_points;          /* points lines still to come: the first of them is next_points */
    uint8_t next_points;
    struct {
        pyr_seat seat;
        uint8_t colour, points;
    } points[PYR_COLOURS * PYR_TILES];
    pyr_card deal[PYR_MAX_SEATS][PYR_DEALT];
    pyr_card keep[PYR_MAX_SEATS][PYR_KEPT];
};

enum pyr_stage {
    PYR_STAGE_HEADER = 0,        /* pyramids-record 1 is next */
    PYR_STAGE_EDITION = 1,       /* edition NAME */
    PYR_STAGE_PLAYERS = 2,       /* players, then the first deal */
    PYR_STAGE_DEAL = 3,
    PYR_STAGE_PLAY = 4,          /* state is valid; up to the last score and winner */
    PYR_STAGE_OVER = 5           /* complete; only tags may follow */
};

/* The viewer of lines without any deal. */
#define PYR_SPECTATOR ((pyr_seat)0xfe)

/* Begins a record. viewer: the seat whose view of a game it is, which lacks the others' deals; PYR_NOBODY for a whole one.
 * */
PYR_API void pyr_replay_init(struct pyr_replay *replay, pyr_seat viewer);

/*
 * Applies an event as the next line. Returns PYR_OK, or what is wrong with it: *replay is untouched and *fault (may be NULL)
 * has code, numbers, word and what was expected, but no line and column, which only the caller knows.
 */
PYR_API enum pyr_err pyr_replay_event(struct pyr_replay *replay, const struct pyr_edition *edition,
    const struct pyr_event *event, struct pyr_fault *fault);

/* The event that the rules require next. False at a decision, a reveal, or the end, where it is not determined;
 * then *event has the kind and, if it is one seat's turn, the seat (kind PYR_EVENT_KINDS: nothing may follow). */
PYR_API bool pyr_replay_expected(const struct pyr_replay *replay, const struct pyr_edition *edition,
    struct pyr_event *event);

/*
 * The same from the side of a host, whose state.hidden is the true one: nothing is read, checked or filled in.
 *
 * pyr_replay_advance performs the next event of chance or the rules (show, reveal, points, score, winner), and returns it
 * as the event of its line. False at a decision, before the deal and after the end; then nothing has changed.
 *
 * pyr_replay_choice makes a whole choice of a seat that waits, which must be legal (asserted by the engine); *event is its
 * line.
 */
PYR_API bool pyr_replay_advance(struct pyr_replay *replay, const struct pyr_edition *edition, struct pyr_event *event);
PYR_API void pyr_replay_choice(struct pyr_replay *replay, const struct pyr_edition *edition, pyr_seat seat,
    const pyr_step *steps, unsigned count, struct pyr_event *event);

/*
 * Reads a record and applies every line. Returns PYR_OK, or the first fault with its line; *replay is then in the position
 * before that line.
 */
PYR_API enum pyr_err pyr_record_read(struct pyr_replay *replay, const struct pyr_edition *edition, const char *text,
    size_t size, struct pyr_fault *fault);

/* The name in the `edition` line of a record, without reading more; false if there is none. */
PYR_API bool pyr_record_edition_name(const char *text, size_t size, struct pyr_word *name);

/* The names of the players in a record, into its text; returns how many there are. */
PYR_API unsigned pyr_record_player_names(const char *text, size_t size, struct pyr_word names[PYR_MAX_SEATS]);

PYR_END_DECLS

#endif
