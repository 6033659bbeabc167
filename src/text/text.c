/*
 * text.c: the sentences. A whole sentence a cause, never one glued from parts: other languages order words their own
 * way. What stands in quotes or after "expected:" is the notation of the formats, which is the same in all languages.
 *
 * Used by commands, the server's pages and the terminal; the page has its own sentences (web/words.js). Faults come with
 * numbers and words (struct pyr_fault): which of them a sentence uses is fixed by its code.
 */
#include <errno.h>
#include <string.h>

#include <pyramids/text.h>
#include <pyramids/utf8.h>

const char *pyr_text_colour(unsigned colour)
{
    switch (colour) {
    case PYR_GREEN: return _("green");
    case PYR_ORANGE: return _("orange");
    default: return _("purple");
    }
}

/* Levels are translated, names of other bots (greedy, flatmc) are not: they are names. */
const char *pyr_text_level(const char *name)
{
    static const char *const names[] = { N_("novice"), N_("casual"), N_("club"), N_("expert"), N_("master") };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return _(names[i]);
    return name;
}

/* Names in records are the same in all languages. Those that we gave ourselves ("club 2", no name) are shown translated. */
void pyr_text_player(struct pyr_word name, char *to, size_t size)
{
    pyr_word_copy(name, to, size);
    pyr_text_clean(to);
    if (!strcmp(to, PYR_NAMELESS) || !strcmp(to, "You")) {
        snprintf(to, size, "%s", _("Player"));
        return;
    }
    char *blank = strrchr(to, ' ');
    if (!blank || blank[1] < '1' || blank[1] > '0' + PYR_MAX_SEATS || blank[2])
        return;
    *blank = '\0';
    const char *level = pyr_text_level(to);
    char number = blank[1];
    if (level == to)
        *blank = ' ';
    else
        snprintf(to, size, "%s %c", level, number);
}

/* Marks that change the direction of writing: what follows them is read otherwise than it stands there. */
static bool turns_direction(int32_t c)
{
    return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static bool is_control(int32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

void pyr_text_clean(char *text)
{
    const char *from = text;
    while (*from) {
        size_t length;
        int32_t c = pyr_utf8_read(from, PYR_UTF8_LONGEST, &length);
        if (c >= 0 && !is_control(c) && !turns_direction(c))
            for (size_t i = 0; i < length; i++)
                *text++ = from[i];
        else
            *text++ = '?';
        from += length;
    }
    *text = '\0';
}

const char *pyr_text_system(int error)
{
    /* The system has its own translations only where its locales are installed. */
    switch (error) {
    case ENOENT: return _("No such file or directory");
    case EACCES: case EPERM: return _("Permission denied");
    case EISDIR: return _("Is a directory");
    case ENOTDIR: return _("Not a directory");
    case EEXIST: return _("File exists");
    case ENOSPC: case EDQUOT: return _("No space left on device");
    case EROFS: return _("Read-only file system");
    case ENAMETOOLONG: return _("File name too long");
    case EFBIG: return _("File too large");
    case EMFILE: case ENFILE: return _("Too many open files");
    case ENOMEM: return _("Cannot allocate memory");
    case EIO: return _("Input/output error");
    case ELOOP: return _("Too many levels of symbolic links");
    case ECONNREFUSED: return _("Connection refused");
    case ETIMEDOUT: return _("Connection timed out");
    case EHOSTUNREACH: case ENETUNREACH: return _("The network cannot be reached");
    default: return strerror(error);
    }
}

/* Sentences about a game or a step. */
static void game_sentence(const struct pyr_fault *f, char *to, size_t size)
{
    int a = f->number[0];
    const char *w = f->word;
    switch (f->code) {
    case PYR_ERR_SEATS: snprintf(to, size, _("a game has 2 to 4 players")); break;
    case PYR_ERR_CHANCE_DEAL: snprintf(to, size, _("the dealt cards are not four different cards per player")); break;
    case PYR_ERR_CHANCE_DECK: snprintf(to, size, _("the deck is not an order of the 48 pyramid cards")); break;
    case PYR_ERR_CHANCE_EXPEDITION: snprintf(to, size, _("a round is not an order of the eight expedition cards")); break;
    case PYR_ERR_NOT_IN_DECK: snprintf(to, size, _("card %d is not in the deck; expected a card not seen yet"), a); break;
    case PYR_ERR_NOT_IN_ROUND:
        snprintf(to, size,
            pyr_ngettext(
                "the %d expedition card with pattern %s has already been revealed this round; expected another pattern",
                "all %d expedition cards with pattern %s have already been revealed this round; expected another pattern",
                (unsigned long)a),
            a, w);
        break;
    case PYR_ERR_STATE: snprintf(to, size, _("the state of the game is inconsistent")); break;
    case PYR_ERR_PHASE: snprintf(to, size, _("not possible now; another action comes first")); break;
    case PYR_ERR_NOT_DUE: snprintf(to, size, _("this player has nothing to decide now")); break;
    case PYR_ERR_STEP: snprintf(to, size, _("not a step of the game")); break;
    case PYR_ERR_NOT_DEALT:
        snprintf(to, size, _("card %d was not dealt to this player; expected two different cards of the four dealt"), a);
        break;
    case PYR_ERR_NOT_ON_DESK:
        snprintf(to, size, _("card %d does not belong to this player; expected one of the player's own cards"), a);
        break;
    case PYR_ERR_WALL: snprintf(to, size, _("%s includes a wall; expected open spaces only"), w); break;
    case PYR_ERR_MARKED:
        snprintf(to, size, _("%s includes a space that is already marked; expected unmarked spaces only"), w);
        break;
    case PYR_ERR_NO_ENTRANCE:
        snprintf(to, size, _("%s does not include the entrance; expected it in the first mark on a card"), w);
        break;
    case PYR_ERR_NO_TOUCH:
        snprintf(to, size, _("%s does not share a side with a marked space; expected one that does"), w);
        break;
    case PYR_ERR_NOT_PATTERN:
        snprintf(to, size,
            _("%s is not the revealed pattern, turned or mirrored; expected the whole pattern or one space"), w);
        break;
    case PYR_ERR_EXTRA_ONE:
        snprintf(to, size, _("the extra mark %s has more than one space; expected exactly one"), w);
        break;
    case PYR_ERR_MUST_MARK: snprintf(to, size, _("a pass where something can be marked; expected a mark")); break;
    case PYR_ERR_MUST_PASS: snprintf(to, size, _("this player has no card to mark; expected the pass -")); break;
    case PYR_ERR_NOT_IN_DISPLAY: snprintf(to, size, _("card %d is not in the display; expected one that is"), a); break;
    case PYR_ERR_DECK_EMPTY: snprintf(to, size, _("the deck is empty; expected a card from the display")); break;
    case PYR_ERR_EXTRA_MISSING:
        snprintf(to, size, pyr_ngettext("%d extra mark is missing; expected +CARD:SPACE for every cross",
            "%d extra marks are missing; expected +CARD:SPACE for every cross", (unsigned long)a), a);
        break;
    case PYR_ERR_EXTRA_TOO_MANY:
        snprintf(to, size, _("no cross allows the extra mark %s; expected the move to end before it"), w);
        break;
    case PYR_ERR_NOT_READY: snprintf(to, size, _("the choice is not complete")); break;
    case PYR_ERR_CONFIRMED: snprintf(to, size, _("the choice is already confirmed")); break;
    case PYR_ERR_NO_UNDO: snprintf(to, size, _("nothing to take back")); break;
    case PYR_ERR_NO_SUCH_LINE: snprintf(to, size, _("the game has no such line")); break;
    case PYR_ERR_ENV_OPTIONS:
        snprintf(to, size, _("the options of the environment do not fit; expected known values and a seat without a bot"));
        break;
    case PYR_ERR_ENV_ARRAY: snprintf(to, size, _("an array of the environment is missing or too short")); break;
    case PYR_ERR_ENV_DATA:
        snprintf(to, size, _("not a saved game of an environment with this edition and number of players"));
        break;
    default: snprintf(to, size, _("unknown error %d"), (int)f->code); break;
    }
}

/* Sentences about what is printed on the components. */
static bool edition_sentence(const struct pyr_fault *f, char *to, size_t size)
{
    int a = f->number[0];
    const char *w = f->word, *e = f->expected;
    switch (f->code) {
    case PYR_ERR_PENALTY_FALLS:
        snprintf(to, size, _("a skull costs less than the one before it; penalties must not decrease"));
        break;
    case PYR_ERR_PENALTY_RANGE: snprintf(to, size, _("a skull costs too much; expected at most 999")); break;
    case PYR_ERR_PATTERN_SIZE: snprintf(to, size, _("pattern %s has the wrong size; expected 2 to 4 spaces"), w); break;
    case PYR_ERR_PATTERN_APART:
        snprintf(to, size, _("the spaces of pattern %s are not all connected side to side"), w);
        break;
    case PYR_ERR_PATTERN_CORNER:
        snprintf(to, size, _("pattern %s has an empty outer row or column; expected it drawn without one"), w);
        break;
    case PYR_ERR_PATTERN_ALIKE:
        snprintf(to, size, _("pattern %s is pattern %s turned or mirrored; expected six different patterns"), w, e);
        break;
    case PYR_ERR_COPIES:
        snprintf(to, size, _("the patterns do not make eight expedition cards; expected copies that add up to 8"));
        break;
    case PYR_ERR_CARD_SPACES:
        snprintf(to, size, _("card %d has overlapping symbols; expected at most one per space"), a);
        break;
    case PYR_ERR_CARD_ENTRANCE: snprintf(to, size, _("card %d: expected exactly one entrance v, in the top row"), a); break;
    case PYR_ERR_CARD_TOMB: snprintf(to, size, _("card %d: expected exactly one tomb T, in the bottom row"), a); break;
    case PYR_ERR_CARD_APART:
        snprintf(to, size, _("the open spaces of card %d are not all connected side to side"), a);
        break;
    case PYR_ERR_CARD_COLOUR: snprintf(to, size, _("card %d has no colour; expected green, orange or purple"), a); break;
    case PYR_ERR_COLOUR_COUNT:
        snprintf(to, size, _("the number of %s cards is %d; expected 16 of each colour"), w, a);
        break;
    case PYR_ERR_EDITION_ROW:
        snprintf(to, size, _("'%s' is not a row of card %d; expected five of # . v T x r e f s p"), w, a);
        break;
    case PYR_ERR_EDITION_DRAWING:
        snprintf(to, size,
            _("'%s' is not a row of a pattern; expected up to four of X and ., rows of one length, then a blank line"), w);
        break;
    case PYR_ERR_EDITION_PATTERNS: snprintf(to, size, _("the number of patterns is %d; expected six"), a); break;
    case PYR_ERR_EDITION_CARDS: snprintf(to, size, _("card %d is missing; expected cards 1 to 48"), a); break;
    case PYR_ERR_EDITION_NEEDS: snprintf(to, size, _("a line is missing; expected: %s"), e); break;
    case PYR_ERR_EDITION_SAME_NAME:
        snprintf(to, size, _("two patterns have the name %s; expected six different names"), w);
        break;
    default: return false;
    }
    return true;
}

/* Sentences about lines and words. */
static bool line_sentence(const struct pyr_fault *f, char *to, size_t size)
{
    int a = f->number[0], b = f->number[1];
    const char *w = f->word, *e = f->expected;
    switch (f->code) {
    case PYR_ERR_TEXT_ENCODING:
        snprintf(to, size, _("byte %u of the line is not part of a printable UTF-8 character"), (unsigned)f->column);
        break;
    case PYR_ERR_TEXT_LINE: snprintf(to, size, _("the line is too long; expected at most %d bytes"), PYR_MAX_LINE); break;
    case PYR_ERR_TEXT_SPACE:
        snprintf(to, size, _("a space too many or too few at byte %u; expected words separated by one space: %s"),
            (unsigned)f->column, e);
        break;
    case PYR_ERR_TEXT_HEADER: snprintf(to, size, _("wrong format: the first line must be '%s'"), e); break;
    case PYR_ERR_TEXT_VERSION: snprintf(to, size, _("unknown version of the format; expected: %s"), e); break;
    case PYR_ERR_TEXT_KEYWORD:
        if (*e)
            snprintf(to, size, _("unknown word '%s'; expected: %s"), w, e);
        else
            snprintf(to, size, _("unknown word '%s'; expected a line of a game record"), w);
        break;
    case PYR_ERR_TEXT_MISSING: snprintf(to, size, _("the line ends too early; expected: %s"), e); break;
    case PYR_ERR_TEXT_EXTRA: snprintf(to, size, _("unexpected '%s'; expected: %s"), w, e); break;
    case PYR_ERR_TEXT_NUMBER: snprintf(to, size, _("'%s' is not a plain number; expected: %s"), w, e); break;
    case PYR_ERR_TEXT_RANGE: snprintf(to, size, _("the number %s is out of range; expected %d to %d"), w, a, b); break;
    case PYR_ERR_TEXT_LONG: snprintf(to, size, _("'%s' is too long; expected at most %d bytes"), w, a); break;
    case PYR_ERR_TEXT_COLOUR: snprintf(to, size, _("'%s' is not a colour; expected green, orange or purple"), w); break;
    case PYR_ERR_TEXT_TWICE: snprintf(to, size, _("'%s' is defined twice (first on line %d)"), w, a); break;
    case PYR_ERR_TEXT_SPACES:
        snprintf(to, size, _("'%s' does not name spaces; expected columns a to e and rows 1 to 5, as in 17:a1b1a2"), w);
        break;
    case PYR_ERR_TEXT_ORDER:
        snprintf(to, size,
            _("the spaces of '%s' are not in reading order; expected row by row, each once, as in 17:a1b1a2"), w);
        break;
    case PYR_ERR_TEXT_MOVE:
        snprintf(to, size, _("'%s' is not a move; expected CARD:SPACES, extra marks as +CARD:SPACE, or -"), w);
        break;
    case PYR_ERR_TEXT_END: snprintf(to, size, _("the text ends in the middle of card %d; expected five rows"), a); break;
    case PYR_ERR_TEXT_FULL: snprintf(to, size, _("too many lines for a game; expected fewer tags")); break;
    default: return false;
    }
    return true;
}

/* Sentences about the order of a record's lines. */
static bool record_sentence(const struct pyr_fault *f, char *to, size_t size)
{
    int a = f->number[0], b = f->number[1];
    const char *w = f->word, *e = f->expected;
    switch (f->code) {
    case PYR_ERR_RECORD_EDITION: snprintf(to, size, _("the record uses edition '%s'; expected: %s"), w, e); break;
    case PYR_ERR_RECORD_EXPECTED: snprintf(to, size, _("unexpected line; expected: %s"), e); break;
    case PYR_ERR_RECORD_SEAT: snprintf(to, size, _("wrong seat; expected: %s"), e); break;
    case PYR_ERR_RECORD_PLAYERS: snprintf(to, size, _("a game has 2 to 4 players; expected: %s"), e); break;
    case PYR_ERR_RECORD_PATTERN:
        snprintf(to, size, _("the edition has no pattern '%s'; expected the name of one of its six"), w);
        break;
    case PYR_ERR_RECORD_DEALT:
        snprintf(to, size, _("card %d has already been dealt; expected four different cards"), a);
        break;
    case PYR_ERR_RECORD_SHOW_COUNT: snprintf(to, size, _("the display lacks %d, not %d; expected: %s"), a, b, e); break;
    case PYR_ERR_RECORD_POINTS: snprintf(to, size, _("wrong pyramid points; expected: %s"), e); break;
    case PYR_ERR_RECORD_SCORE: snprintf(to, size, _("wrong score; expected: %s"), e); break;
    case PYR_ERR_RECORD_WINNER: snprintf(to, size, _("wrong winner; expected: %s"), e); break;
    case PYR_ERR_RECORD_OVER: snprintf(to, size, _("the game is over; expected only tags after this")); break;
    default: return false;
    }
    return true;
}

/* The rule goes behind the sentence, in brackets, where the terminal's "w" finds it. */
void pyr_text_fault(const struct pyr_fault *fault, char *to, size_t size)
{
    const char *rule = pyr_err_rule(fault->code);
    if (!line_sentence(fault, to, size) && !edition_sentence(fault, to, size) && !record_sentence(fault, to, size))
        game_sentence(fault, to, size);
    if (*rule) {
        size_t length = 0;
        while (to[length])
            length++;
        snprintf(to + length, size - length, " (%s)", rule);
    }
}

void pyr_text_error(enum pyr_err code, char *to, size_t size)
{
    struct pyr_fault fault = { .code = code };
    pyr_text_fault(&fault, to, size);
}
