/*
 * records.c: files of one or many records, as `pyramids export` writes them, read record by record.
 *
 * A record begins with its header line; comments before it belong to it. The end of a record is found by reading the
 * first line of the next one, which is kept (`held`) after the text, so that standard input can be read in one pass.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define MOST_BYTES (1u << 20)    /* of a record: far more than a match can have */

/* False after a message. In both cases cli_records_close may be called. */
bool cli_records_open(struct cli_records *r, const char *path)
{
    bool standard = !strcmp(path, "-");
    *r = (struct cli_records){ .name = standard ? "<stdin>" : path, .first = 1 };
    r->file = standard ? stdin : fopen(path, "rb");
    if (!r->file)
        cli_error("%s: %s", r->name, pyr_text_system(errno));
    return r->file != NULL;
}

void cli_records_close(struct cli_records *r)
{
    if (r->file && r->file != stdin)
        fclose(r->file);
    free(r->text);
    *r = (struct cli_records){ .file = NULL };
}

/* Where the text of a line begins: after a byte order mark, with which some editors begin a file, and so also a record in
 * files that were concatenated. */
static size_t mark_size(const char *line, size_t size)
{
    return size >= 3 && !memcmp(line, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* A byte order mark at the beginning is ignored. */
static bool begins_with(const char *line, size_t size, const char *words)
{
    size_t mark = mark_size(line, size), length = strlen(words);
    return size - mark >= length && !memcmp(line + mark, words, length);
}

/* Takes note of a line such as: ; table K7QXMWRT 2031-02-03T04:05:06Z Lines of another form, or longer than any that export
 * writes, are ignored. */
static void note_origin(const char *line, size_t size, char origin[CLI_ORIGIN])
{
    size_t mark = mark_size(line, size);
    if (!begins_with(line, size, "; table ") || size - mark >= CLI_ORIGIN)
        return;
    memcpy(origin, line + mark, size - mark);
    origin[size - mark] = '\0';
}

/* Adds a line to the text; returns its size, 0 at the end of the file or if the record is too long. Read byte by byte
 * through stdio's buffer, because a line may contain zero bytes, which fgets would hide. */
static size_t read_line(struct cli_records *r)
{
    size_t start = r->size;
    int c = 0;
    while (c != '\n' && r->size < MOST_BYTES && (c = getc(r->file)) != EOF) {
        if (r->size + 1 >= r->room) {
            size_t room = r->room ? 2 * r->room : 1 << 15;
            char *larger = realloc(r->text, room);
            if (!larger) {
                cli_error("%s: %s", r->name, pyr_text_system(ENOMEM));
                exit(CLI_WRONG);
            }
            r->text = larger;
            r->room = room;
        }
        r->text[r->size++] = (char)c;
    }
    return r->size - start;
}

/* 1: a record, 0: no more, -1 after a message. first and start are line numbers of the file, from 1.
 * The text stays valid until the next call. */
int cli_records_next(struct cli_records *r)
{
    if (r->held)
        memmove(r->text, r->text + r->size, r->held);
    r->size = r->held;
    r->first += r->lines;
    r->lines = r->held > 0;
    r->start = r->first;
    bool begun = r->held > 0;
    r->held = 0;
    memcpy(r->origin, r->next_origin, sizeof r->origin);
    r->next_origin[0] = '\0';
    r->count++;
    for (size_t got; (got = read_line(r)); r->lines++) {
        const char *line = r->text + r->size - got;
        bool header = begins_with(line, got, "pyramids-record");
        note_origin(line, got, begun ? r->next_origin : r->origin);
        if (header && begun) {
            r->size -= got;
            r->held = got;
            return 1;
        }
        if (header)
            r->start = r->first + r->lines;
        begun |= header;
    }
    if (ferror(r->file)) {
        if (!cli_is_interrupted())
            cli_error("%s: %s", r->name, pyr_text_system(errno));
        return -1;
    }
    if (r->size >= MOST_BYTES) {
        /* The line that does not fit may be cut off. */
        uint32_t whole = r->lines - (r->text[r->size - 1] != '\n');

        cli_line_error(r->name, r->first + whole, _("the record is longer than %u bytes"), MOST_BYTES);
        return -1;
    }
    /* A file without any record is one bad record, so that its mistake can be reported. */
    return r->size > 0 || r->count == 1;
}

/* Known from the first record on, because the header of the next one has been read by then. */
bool cli_records_are_many(const struct cli_records *r)
{
    return r->held || r->count > 1;
}

/* The record's text, owned by `r`. */
struct cli_text cli_records_text(const struct cli_records *r)
{
    return (struct cli_text){ .at = r->text ? r->text : (char *)"", .size = r->size, .name = r->name };
}
