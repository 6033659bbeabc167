/* board.c: cards, patterns and scores as plain characters, for the line-based client, for scripts and for screen readers. */
#include <string.h>

#include <pyramids/text.h>

/* A row: the text, cut or padded to the width, which is counted in characters: all characters written here take one
 * column. */
static void fill(char row[PYR_BOARD_BYTES], const char *text)
{
    size_t size = 0;
    int wide = 0;
    for (; text[size] && size < PYR_BOARD_BYTES - 1; size++) {
        wide += (text[size] & 0xc0) != 0x80;
        if (wide > PYR_BOARD_WIDTH) {
            wide--;
            break;
        }
    }
    snprintf(row, PYR_BOARD_BYTES, "%.*s%*s", (int)size, text, PYR_BOARD_WIDTH - wide, "");
}

/* Title, letters of the columns, five rows with their numbers. A mark hides the symbol below it. */
void pyr_text_card(const struct pyr_box *box, pyr_card card, pyr_spaces marks, char rows[PYR_BOARD_ROWS][PYR_BOARD_BYTES])
{
    char title[PYR_BOARD_BYTES];
    if (card == PYR_NO_CARD) {
        for (unsigned row = 0; row < PYR_BOARD_ROWS; row++)
            fill(rows[row], row ? "" : _("no card"));
        return;
    }
    const struct pyr_card_face *face = &box->card[card];
    snprintf(title, sizeof title, "%d %s", card + 1, pyr_text_colour(face->colour));
    fill(rows[0], title);
    fill(rows[1], "   a b c d e");
    for (unsigned row = 0; row < PYR_SIDE; row++) {
        char line[PYR_BOARD_WIDTH + 1] = "";
        int at = snprintf(line, sizeof line, "%u ", row + 1);
        for (unsigned column = 0; column < PYR_SIDE; column++) {
            char c = marks & PYR_SPACE(row, column) ? '*' : pyr_card_char(face, row, column);
            at += snprintf(line + at, sizeof line - (size_t)at, " %c", c);
        }
        fill(rows[row + 2], line);
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

/* At most eight side by side; `marks` may be NULL. */
void pyr_text_cards(FILE *to, const struct pyr_box *box, const pyr_card *cards, const pyr_spaces *marks, unsigned count,
    unsigned across)
{
    enum { MOST = 8 };
    static const char gap[] = "  ";
    if (across > MOST)
        across = MOST;
    for (unsigned first = 0; first < count; first += across) {
        char rows[MOST][PYR_BOARD_ROWS][PYR_BOARD_BYTES];
        unsigned here = count - first < across ? count - first : across;
        for (unsigned i = 0; i < here; i++)
            pyr_text_card(box, cards[first + i], marks ? marks[first + i] : 0, rows[i]);
        for (unsigned row = 0; row < PYR_BOARD_ROWS; row++) {
            char line[MOST * (PYR_BOARD_BYTES + sizeof gap) + 1] = "";
            size_t at = 0;
            for (unsigned i = 0; i < here; i++)
                at += (size_t)snprintf(line + at, sizeof line - at, "%s%s", gap, rows[i][row]);
            print_trimmed(to, line);
        }
        if (first + across < count)
            fputc('\n', to);
    }
}

/* The edition's drawing, up to its last filled column; the first empty row ends it. */
void pyr_text_pattern(FILE *to, const struct pyr_box *box, pyr_pattern pattern, const char *indent)
{
    struct pyr_components components;
    pyr_box_components(box, &components);
    pyr_spaces drawing = components.pattern[pattern];
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

/* The column of names is as wide as the longest. */
void pyr_text_scores(FILE *to, const struct pyr_box *box, const struct pyr_table *table, const struct pyr_word *names)
{
    struct pyr_column column[] = { { _("player"), 0, -8 }, { _("pyramids"), 2, 8 }, { _("torches"), 2, 7 },
        { _("points"), 2, 6 }, { _("gems"), 2, 4 }, { _("skulls"), 2, 6 }, { _("total"), 2, 5 } };
    for (unsigned s = 0; s < table->seats; s++) {
        int wide = pyr_text_width(names[s].at, names[s].length) + 2;
        if (wide > -column[0].width)
            column[0].width = -wide;
    }
    pyr_text_heading(to, column, sizeof column / sizeof *column);
    for (unsigned s = 0; s < table->seats; s++) {
        struct pyr_score score = pyr_table_score(table, box, (pyr_seat)s);
        const int part[] = { score.pyramids, score.torches, score.points, score.gems, score.skulls, score.total };
        pyr_text_cell(to, &column[0], "%u %.*s", s + 1, (int)names[s].length, names[s].at);
        for (unsigned i = 0; i < sizeof part / sizeof *part; i++)
            pyr_text_cell(to, &column[i + 1], "%d", part[i]);
        fputc('\n', to);
    }
}
