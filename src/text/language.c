/*
 * language.c: the language of texts, and looking them up in it. gettext's own functions support one language per process,
 * from the system's locales; but a server answers each player in their own language, and a build that is not installed
 * should have all of them. So the catalogues (.mo files made from po/, see docs/translating.md) are built into the
 * program and read here.
 *
 *  1. A text without a translation is shown as in the source: in English.
 *  2. The catalogues and the program's language are set up before there are threads, and never change; each thread may
 *     choose another language.
 *
 * Format of a .mo file: a magic number, then at offsets 8, 12 and 16 the number of texts and where the two tables of
 * (length, offset) pairs begin; texts are sorted, so they are found by binary search. Files may come from outside
 * (PYRAMIDS_LOCALEDIR), so every offset is checked.
 */
#include <dirent.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pyramids/text.h>

#include "catalogues.inc"        /* embedded[]: code, data and size of each */

/* A language. Entry 0 is English, which has no data: every lookup fails there, and the source text is used. */
struct catalogue {
    char code[16];               /* as in the name of the .po file: de, pt_BR */
    const unsigned char *data;   /* NULL: English, which needs none */
    size_t size;
    uint32_t count, texts, translations;     /* how many, and where the two tables begin */
    const char *plural;          /* the expression in n after "plural=" in the header */
    char **plain;                /* translations for a screen with only ASCII, or NULL */
    uint32_t *plain_size;
};

static struct catalogue catalogues[PYR_LANGUAGES] = { { .code = "en" } };
static unsigned count = 1;
static const struct catalogue *standard = &catalogues[0];
static _Thread_local const struct catalogue *mine;       /* NULL: the program's language */

static const struct catalogue *current(void)
{
    return mine ? mine : standard;
}

/* Reading a catalogue. Numbers are little-endian; a table consists of lengths and offsets, and the texts are sorted. */

static uint32_t number_at(const struct catalogue *c, size_t at)
{
    const unsigned char *b = c->data + at;
    return at + 4 > c->size ? 0 : (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Entry i of a table; *size without the terminating zero. NULL if it is outside of the file. */
static const char *entry(const struct catalogue *c, uint32_t table, uint32_t i, uint32_t *size)
{
    uint32_t length = number_at(c, table + 8 * (size_t)i), at = number_at(c, table + 8 * (size_t)i + 4);
    if (at >= c->size || length >= c->size - at || c->data[at + length])
        return NULL;
    *size = length;
    return (const char *)c->data + at;
}

/* The translation of a text, or NULL; plural forms follow each other, each ended by a zero. */
static const char *find(const struct catalogue *c, const char *text, uint32_t *size)
{
    uint32_t low = 0, high = c->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, ignored;
        const char *here = entry(c, c->texts, middle, &ignored);
        int order = here ? strcmp(text, here) : -1;
        if (!order && c->plain)
            return *size = c->plain_size[middle], c->plain[middle];
        if (!order)
            return entry(c, c->translations, middle, size);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* 0x950412de is the magic number of little-endian .mo files; others are refused. */
static bool read_catalogue(struct catalogue *c)
{
    uint32_t size;
    if (c->size < 28 || number_at(c, 0) != 0x950412de)
        return false;
    c->count = number_at(c, 8);
    c->texts = number_at(c, 12);
    c->translations = number_at(c, 16);
    const char *header = find(c, "", &size);
    const char *plural = header ? strstr(header, "plural=") : NULL;
    c->plural = plural ? plural + 7 : "n != 1";
    return true;
}

/* Plural-Forms: an expression of C in n. Each level of precedence binds tighter than the one before. */

/* The position in an expression being evaluated. */
struct reckoning {
    const char *at;
    unsigned long n;
    unsigned depth;
};

static const struct {
    char sign[3];
    unsigned level;
} signs[] = {
    { "||", 1 },
    { "&&", 2 },
    { "==", 3 },
    { "!=", 3 },
    { "<=", 4 },
    { ">=", 4 },
    { "<", 4 },
    { ">", 4 },
    { "+", 5 },
    { "-", 5 },
    { "*", 6 },
    { "/", 6 },
    { "%", 6 },
};

static unsigned long whole(struct reckoning *r);

static void skip_blanks(struct reckoning *r)
{
    r->at += strspn(r->at, " \t");
}

/* `depth` limits the recursion: an expression from outside may be deeply nested. */
static unsigned long operand(struct reckoning *r)
{
    skip_blanks(r);
    unsigned long value = 0;
    if (r->depth > 100)
        return 0;
    if (*r->at == '!') {
        r->at++;
        r->depth++;
        value = !operand(r);
        r->depth--;
    } else if (*r->at == '(') {
        r->at++;
        r->depth++;
        value = whole(r);
        r->depth--;
        skip_blanks(r);
        r->at += *r->at == ')';
    } else if (*r->at == 'n') {
        r->at++;
        value = r->n;
    } else {
        for (; *r->at >= '0' && *r->at <= '9'; r->at++)
            value = 10 * value + (unsigned long)(*r->at - '0');
    }
    return value;
}

/* Division by zero gives 0: the expression may come from outside. */
static unsigned long combine(const char *sign, unsigned long a, unsigned long b)
{
    switch (sign[0]) {
    case '|': return a || b;
    case '&': return a && b;
    case '=': return a == b;
    case '!': return a != b;
    case '<': return sign[1] ? a <= b : a < b;
    case '>': return sign[1] ? a >= b : a > b;
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return b ? a / b : 0;
    default: return b ? a % b : 0;
    }
}

/* Precedence climbing: an operator of a lower level than requested ends this part and is left to the caller. */
static unsigned long from_level(struct reckoning *r, unsigned level)
{
    unsigned long value = operand(r);
    for (;;) {
        size_t i = 0;
        skip_blanks(r);
        while (i < sizeof signs / sizeof *signs && strncmp(r->at, signs[i].sign, strlen(signs[i].sign)))
            i++;
        if (i == sizeof signs / sizeof *signs || signs[i].level < level)
            return value;
        r->at += strlen(signs[i].sign);
        value = combine(signs[i].sign, value, from_level(r, signs[i].level + 1));
    }
}

/* The ternary operator, which has the lowest precedence; both sides are evaluated, since they have no effects. */
static unsigned long whole(struct reckoning *r)
{
    unsigned long value = from_level(r, 1);
    skip_blanks(r);
    if (*r->at != '?' || r->depth > 100)
        return value;
    r->at++;
    r->depth++;
    unsigned long yes = whole(r);
    skip_blanks(r);
    r->at += *r->at == ':';
    unsigned long no = whole(r);
    r->depth--;
    return value ? yes : no;
}

/* Evaluated at every use: expressions are short, and a compiled form would have to be stored per language. */
unsigned long pyr_text_plural(const char *expression, unsigned long n)
{
    struct reckoning r = { .at = expression, .n = n };
    return whole(&r);
}

/* Texts. */

/* The empty text is the header of a catalogue, so it is never looked up. */
const char *pyr_gettext(const char *text)
{
    uint32_t size;
    const char *found = *text ? find(current(), text, &size) : NULL;
    return found ? found : text;
}

/* A form beyond the last one gives the last. */
const char *pyr_ngettext(const char *one, const char *many, unsigned long n)
{
    const struct catalogue *c = current();
    uint32_t size;
    const char *found = find(c, one, &size);
    if (!found)
        return n == 1 ? one : many;
    const char *end = found + size;
    for (unsigned long form = pyr_text_plural(c->plural, n); form && found + strlen(found) < end; form--)
        found += strlen(found) + 1;
    return found;
}

/* ASCII only. */

/* Copies a text, replacing letters according to a list such as "ü=ue ß=ss"; zeros between plural forms stay. Returns its
 * size. */
static uint32_t replace_letters(const char *list, const char *text, uint32_t size, char *to)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < size;) {
        const char *pair = list + strspn(list, " ");
        while (*pair) {
            size_t all = strcspn(pair, " "), letter = strcspn(pair, "= ");
            if (letter && letter < all && letter <= size - i && !memcmp(pair, text + i, letter)) {
                memcpy(to + length, pair + letter + 1, all - letter - 1);
                length += (uint32_t)(all - letter - 1);
                i += (uint32_t)letter;
                break;
            }
            pair += all;
            pair += strspn(pair, " ");
        }
        if (!*pair)
            to[length++] = text[i++];
    }
    to[length] = '\0';
    return length;
}

/* All translations are converted once, when the program starts; later lookups cost nothing more. The memory is never
 * freed. */
void pyr_text_plain(void)
{
    struct catalogue *c = (struct catalogue *)current();
    /* What your language writes for a letter where there are no others than a to z; letters that are not named lose
     * their accents. */
    const char *list = _("ä=a ö=o ü=u");
    size_t longest = 1, room = 1;
    if (c->plain || !c->count)
        return;
    for (const char *pair = list; *pair; pair += strcspn(pair, " "), pair += strspn(pair, " "))
        longest = strcspn(pair, " ") > longest ? strcspn(pair, " ") : longest;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t size = 0;
        entry(c, c->translations, i, &size);
        room += size * longest + 1;
    }
    char **plain = calloc(c->count, sizeof *plain), *at = malloc(room);
    uint32_t *sizes = calloc(c->count, sizeof *sizes);
    if (!plain || !at || !sizes) {           /* without memory, letters only lose their accents */
        free(plain);
        free(at);
        free(sizes);
        return;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t size = 0;
        const char *text = entry(c, c->translations, i, &size);
        plain[i] = text ? at : NULL;
        sizes[i] = text ? replace_letters(list, text, size, at) : 0;
        at += sizes[i] + 1;
    }
    c->plain_size = sizes;
    c->plain = plain;
}

/* Choosing. */

/* ASCII only, in any locale. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_code(const char *a, const char *b)
{
    while (*a && lower(*a) == *b)
        a++, b++;
    return !*a && !*b;
}

/* The catalogue for the name of a locale or a language tag (de_AT.UTF-8, pt-BR, fr) of length `size`: an exact match,
 * else without the country. */
static const struct catalogue *find_language(const char *name, size_t size)
{
    char code[sizeof catalogues->code];
    size_t length = 0;
    while (length < size && length + 1 < sizeof code && name[length] && !strchr(".@;, \t", name[length])) {
        code[length] = name[length] == '-' ? '_' : lower(name[length]);
        length++;
    }
    code[length] = '\0';
    for (;;) {
        for (unsigned i = 0; i < count; i++)
            if (is_code(catalogues[i].code, code))
                return &catalogues[i];
        char *country = strrchr(code, '_');
        if (!country)
            return NULL;
        *country = '\0';                     /* each time shorter, even if it is the first character: "_de", "-" */
    }
}

/* The data must stay valid; false if it is not a catalogue, or there are too many. */
static bool add_catalogue(const char *code, const unsigned char *data, size_t size)
{
    struct catalogue fresh = { .data = data, .size = size };
    if (count == PYR_LANGUAGES || strlen(code) >= sizeof fresh.code || !read_catalogue(&fresh))
        return false;
    memcpy(fresh.code, code, strlen(code) + 1);
    for (unsigned i = 1; i < count; i++)
        if (!strcmp(catalogues[i].code, code)) {
            catalogues[i] = fresh;
            return true;
        }
    catalogues[count++] = fresh;
    return true;
}

/* A catalogue from a file; it stays in memory as long as the program runs. */
static void add_file(const char *code, const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    long size = -1;
    if (file && !fseek(file, 0, SEEK_END) && (size = ftell(file)) > 0 && !fseek(file, 0, SEEK_SET))
        data = malloc((size_t)size);
    if (data && (fread(data, 1, (size_t)size, file) != (size_t)size || !add_catalogue(code, data, (size_t)size)))
        free(data);
    if (file)
        fclose(file);
}

/* Catalogues in a folder with the system's layout, CODE/LC_MESSAGES/pyramids.mo: for trying out a translation. They take
 * precedence over the built-in ones. */
static void add_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *one; dir && (one = readdir(dir));) {
        char path[4096];
        if (one->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/%s/LC_MESSAGES/pyramids.mo", folder, one->d_name) < (int)sizeof path)
            add_file(one->d_name, path);
    }
    if (dir)
        closedir(dir);
}

/* As in gettext: LANGUAGE is a list and has precedence, unless the locale is C; then LC_ALL, LC_MESSAGES, LANG. */
static const struct catalogue *from_environment(void)
{
    static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
    const char *locale = NULL, *list = getenv("LANGUAGE");
    for (size_t i = 0; i < sizeof names / sizeof *names && !(locale && *locale); i++)
        locale = getenv(names[i]);
    if (locale && (!strcmp(locale, "C") || !strcmp(locale, "POSIX")))
        return &catalogues[0];
    while (list && *list) {
        size_t length = strcspn(list, ":");
        const struct catalogue *found = find_language(list, length);
        if (found)
            return found;
        list += length + (list[length] == ':');
    }
    const struct catalogue *found = locale && *locale ? find_language(locale, strlen(locale)) : NULL;
    return found ? found : &catalogues[0];
}

/* Uses the encoding given in the environment even if its locale is not installed (often so after ssh): what the terminal
 * can show does not depend on that. */
static void set_signs(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    const char *locale = NULL;
    if (setlocale(LC_ALL, ""))
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names && !(locale && *locale); i++)
        locale = getenv(names[i]);
    const char *encoding = locale ? strchr(locale, '.') : NULL;
    if (encoding && (!strncasecmp(encoding, ".UTF-8", 6) || !strncasecmp(encoding, ".UTF8", 5)))
        setlocale(LC_CTYPE, "C.UTF-8");
}

/* To be called before there are threads (invariant 2). Catalogues of the folder replace built-in ones. */
void pyr_text_init(void)
{
    const char *folder = getenv("PYRAMIDS_LOCALEDIR");
    set_signs();
    setlocale(LC_NUMERIC, "C");              /* programs read these numbers; pyr_text_number writes numbers for people */
    setlocale(LC_TIME, "C");                 /* the same for dates: HTTP uses English names of days and months */
    for (const struct embedded *e = embedded; e->code; e++)
        add_catalogue(e->code, e->data, e->size);
    if (folder && *folder)
        add_folder(folder);
    standard = from_environment();
}

bool pyr_text_language(const char *name)
{
    const struct catalogue *found = find_language(name, strlen(name));
    if (found)
        standard = found;
    return found;
}

/* For the calling thread. NULL restores the program's language; the result can be passed to the next call. */
const char *pyr_text_use(const char *name)
{
    const char *before = mine ? mine->code : NULL;
    mine = name ? find_language(name, strlen(name)) : NULL;
    if (name && !mine)
        mine = &catalogues[0];
    return before;
}

const char *pyr_text_code(void)
{
    return current()->code;
}

const char *pyr_text_language_at(unsigned i)
{
    return i < count ? catalogues[i].code : NULL;
}

const char *pyr_text_language_name(const char *code)
{
    const struct catalogue *before = mine;
    pyr_text_use(code);
    /* The name of your language in your language: Deutsch, Français. */
    const char *name = _("English");
    mine = before;
    return name;
}

/* 1, 0, or 0 with up to three digits after the point. strtod would depend on the locale, and accept "0x1p9" and "1e9". */
static double read_weight(const char *text)
{
    double weight = text[0] == '1', digit = 0.1;
    if (text[0] != '0' || text[1] != '.')
        return weight;
    for (text += 2; *text >= '0' && *text <= '9' && digit > 0.0005; text++, digit /= 10)
        weight += (*text - '0') * digit;
    return weight;
}

/* The language of a browser's Accept-Language with the largest weight that we have; of equal ones, the first. NULL: none. */
const char *pyr_text_accepted(const char *wanted)
{
    const struct catalogue *best = NULL;
    double most = 0;
    while (*wanted) {
        wanted += strspn(wanted, ", \t");
        size_t length = strcspn(wanted, ",");
        const struct catalogue *found = find_language(wanted, length);
        double weight = 1;
        const char *q = memchr(wanted, ';', length);
        if (q && (q = strstr(q, "q=")) && q < wanted + length)
            weight = read_weight(q + 2);
        if (found && weight > most) {
            most = weight;
            best = found;
        }
        wanted += length;
    }
    return best ? best->code : NULL;
}
