/* Any bytes are read as a configuration file: values point into the file, and each error has its line. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "settings.h"

struct seen {
    uint32_t lines;
    unsigned count;
};

static void tell(void *context, uint32_t line, const char *name, const char *message)
{
    struct seen *seen = context;
    MUST(line <= seen->lines && message[0] && (!name || name[0]));
    seen->count++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct cli_option option[] = { { "port", 'p', "N", "" }, { "database", 'd', "DB", "" },
        { "quiet", 'q', NULL, "" }, { "tls-key", 0, "FILE", "" }, { "config", 'c', "FILE", "" }, { 0 } };
    const char *values[5] = { "8080" };      /* given on the command line */
    struct settings settings = { 0 };
    struct seen seen = { .lines = 1 };
    for (size_t i = 0; i < size; i++)
        seen.lines += data[i] == '\n';
    const struct settings_report report = { tell, &seen };
    bool good = settings_read(&settings, (const char *)data, size, option, 1 << 4, values, &report);
    MUST(good == !seen.count);
    MUST(!strcmp(values[0], "8080") && !settings.line[0] && !values[4]);
    for (unsigned i = 1; i < 4; i++) {
        MUST(!values[i] || (settings.line[i] && settings.line[i] <= seen.lines));
        MUST(!values[i] || (option[i].value ? values[i][0] && !strchr(" \t\r\n", values[i][0]) : !values[i][0]));
    }
    settings_finish(&settings);
    return 0;
}
