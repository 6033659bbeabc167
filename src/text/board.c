/* board.c: cards, patterns and scores as plain characters, for the line-based client, for scripts and for screen readers. */
#include <string.h>

#include <pyramids/text.h>

void pyr_text_card(const struct pyr_box *box, pyr_card card, pyr_spaces marks, char rows[PYR_BOARD_ROWS][PYR_BOARD_WIDTH + 1])
{
    char title[PYR_BOARD_WIDTH + 1];
    if (card == PYR_NO_CARD) {
        for (unsigned row = 0; row < PYR_BOARD_ROWS; row++)
            snprintf(rows[row], PYR_BOARD_WIDTH + 1, "%-*s", PYR_BOARD_WIDTH, row ? "" : _("no card"));
        return;
    }
    const struct pyr_card_face *face = &box->card[card];
    snprintf(title, sizeof title, "%d %s", card + 1, pyr_text_colour(face->colour));
    snprintf(rows[0], PYR_BOARD_WIDTH + 1, "%-*s", PYR_BOARD_WIDTH, title);
    snprintf(rows[1], PYR_BOARD_WIDTH + 1, "%-*s", PYR_BOARD_WIDTH, "   a b c d e");
    for (unsigned row = 0; row < PYR_SIDE; row++) {
        char line[PYR_BOARD_WIDTH + 1] = "";
        int at = snprintf(line, sizeof line, "%u ", row + 1);
        for (unsigned column = 0; column < PYR_SIDE; column++) {
            char c = marks & PYR_SPACE(row, column) ? '*' : pyr_card_char(face, row, column);
            at += snprintf(line + at, sizeof line - (size_t)at, " %c", c);
        }
        snprintf(rows[row + 2], PYR_BOARD_WIDTH + 1, "%-*s", PYR_BOARD_WIDTH, line);
    }
}

/* Without the blanks that pad the last card of a row. */
static void print_trimmed(FILE *to, char *line)
{
    size_t length = strlen(line);
    while (length && line[length - 1] == ' ')
        length--;
    fprintf(to, "%.*s\n", (int)length, line);
}

void pyr_text_cards(FILE *to, const struct pyr_box *box, const pyr_card *cards, const pyr_spaces *marks, unsigned count,
    unsigned across)
{
    enum { MOST = 8 };
    static const char gap[] = "  ";
    if (across > MOST)
        across = MOST;
    for (unsigned first = 0; first < count; first += across) {
        char rows[MOST][PYR_BOARD_ROWS][PYR_BOARD_WIDTH + 1];
        unsigned here = count - first < across ? count - first : across;
        for (unsigned i = 0; i < here; i++)
            pyr_text_card(box, cards[first + i], marks ? marks[first + i] : 0, rows[i]);
        for (unsigned row = 0; row < PYR_BOARD_ROWS; row++) {
            char line[MOST * (PYR_BOARD_WIDTH + sizeof gap) + 1] = "";
            size_t at = 0;
            for (unsigned i = 0; i < here; i++)
                at += (size_t)snprintf(line + at, sizeof line - at, "%s%s", gap, rows[i][row]);
            print_trimmed(to, line);
        }
        if (first + across < count)
            fputc('\n', to);
    }
}

void pyr_text_pattern(FILE *to, const struct pyr_box *box, pyr_pattern pattern, const char *indent)
{
    struct pyr_print print;
    pyr_box_print(box, &print);
    pyr_spaces drawing = print.pattern[pattern];
    for (unsigned row = 0; row < PYR_SIDE; row++) {
        char line[2 * PYR_SIDE + 1] = "";
        unsigned width = 0;
        for (unsigned column = 0; column < PYR_SIDE; column++) {
            bool filled = drawing & PYR_SPACE(row, column);
            line[2 * column] = filled ? 'X' : '.';
            line[2 * column + 1] = ' ';
            for (unsigned below = 0; below < PYR_SIDE; below++)
                if (drawing & PYR_SPACE(below, column))
                    width = column + 1;
        }
        if (!(drawing >> row * PYR_ROW & 0x1f))
            return;
        fprintf(to, "%s%.*s\n", indent, (int)(2 * width - 1), line);
    }
}

/* How many characters a UTF-8 text takes on a line. */
static int width_of(struct pyr_word word)
{
    int width = 0;
    for (size_t i = 0; i < word.length; i++)
        width += (word.at[i] & 0xc0) != 0x80;
    return width;
}

void pyr_text_scores(FILE *to, const struct pyr_box *box, const struct pyr_table *table, const struct pyr_word *names)
{
    int wide = 6;
    for (unsigned s = 0; s < table->seats; s++)
        if (width_of(names[s]) > wide)
            wide = width_of(names[s]);
    fprintf(to, "%-*s  %8s  %7s  %6s  %4s  %6s  %5s\n", wide + 2, _("player"), _("pyramids"), _("torches"), _("points"), _("gems"),
        _("skulls"), _("total"));
    for (unsigned s = 0; s < table->seats; s++) {
        struct pyr_score score = pyr_table_score(box, table, (pyr_seat)s);
        fprintf(to, "%u %.*s%*s  %8d  %7d  %6d  %4d  %6d  %5d\n", s + 1, (int)names[s].length, names[s].at,
            wide - width_of(names[s]), "", score.pyramids, score.torches, score.points, score.gems, score.skulls, score.total);
    }
}
