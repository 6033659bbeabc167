/* findings.c: collects what `serve --check` finds, and prints it in order, as text or as JSON. */
#include <stdarg.h>
#include <string.h>

#include <pyramids/json.h>

#include "findings.h"

void findings_add(struct findings *findings, enum finding_level level, const char *check, const char *option, uint32_t line,
    const char *format, ...)
{
    va_list arguments;
    findings->errors += level == FINDING_ERROR;
    if (findings->count == MOST_FINDINGS)
        return;
    unsigned i = findings->count++;          /* findings about the file in the order of its lines */
    for (; line && i && findings->at[i - 1].line > line; i--)
        findings->at[i] = findings->at[i - 1];
    struct finding *finding = &findings->at[i];
    *finding = (struct finding){ .level = level, .check = check, .option = option, .line = line };
    va_start(arguments, format);
    vsnprintf(finding->message, sizeof finding->message, format, arguments);
    va_end(arguments);
}

void finding_write(const struct findings *findings, const struct finding *finding, char *to, size_t size)
{
    const char *option = finding->option, *colon = option ? ": " : "";
    if (finding->line)
        snprintf(to, size, "%s:%u: %s%s%s", findings->file, (unsigned)finding->line, option ? option : "", colon,
            finding->message);
    else
        snprintf(to, size, "%s%s%s%s", option ? "--" : "", option ? option : "", colon, finding->message);
}

void findings_print(const struct findings *findings)
{
    char text[4096];
    for (unsigned i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->at[i];
        if (finding->level == FINDING_GOOD)
            continue;
        finding_write(findings, finding, text, sizeof text);
        if (finding->level == FINDING_WARNING)
            cli_error(_("warning: %s"), text);
        else if (finding->line)
            cli_line_error(findings->file, finding->line, "%s%s%s", finding->option ? finding->option : "",
                finding->option ? ": " : "", finding->message);
        else
            cli_error("%s", text);
    }
}

void findings_print_json(const struct findings *findings)
{
    static const char *const levels[] = { "good", "warning", "error" };
    struct pyr_json *json = cli_json_begin();
    pyr_json_object(json, NULL);
    pyr_json_bool(json, "good", !findings->errors);
    pyr_json_text(json, "config", findings->file);
    pyr_json_array(json, "findings");
    for (unsigned i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->at[i];
        pyr_json_object(json, NULL);
        pyr_json_text(json, "level", levels[finding->level]);
        pyr_json_text(json, "check", finding->check);
        pyr_json_text(json, "option", finding->option);
        if (finding->line)
            pyr_json_number(json, "line", finding->line);
        else
            pyr_json_null(json, "line");
        pyr_json_text(json, "message", finding->message);
        pyr_json_close(json);
    }
    pyr_json_close(json);
    pyr_json_close(json);
    cli_json_end(json);
}
