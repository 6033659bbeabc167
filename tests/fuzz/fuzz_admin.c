/* Any line that an operator's socket receives is refused with a sentence, or gives valid values. */
#include <string.h>

#include "admin.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct admin_command command;
    char error[200] = "", again[64];
    if (size > ADMIN_LINE)
        return 0;
    if (!admin_parse((const char *)data, size, &command, error, sizeof error)) {
        MUST(error[0]);
        return 0;
    }
    MUST(command.kind < ADMIN_KINDS && command.limit >= 1 && command.limit <= ADMIN_LIST);
    MUST(command.id >= 0 && command.days <= 36500 && command.minutes <= 1440);
    MUST(command.kind != ADMIN_BAN || !command.address[0] == !!command.id);
    MUST(command.kind != ADMIN_CLOSE || !command.code[0] == !!command.id);
    MUST(command.kind != ADMIN_RENAME || (command.name[0] && command.id));
    /* An address that was read stays the same when it is read again. */
    MUST(!command.address[0] || (ban_read_address(command.address, again) && !strcmp(command.address, again)));
    for (const char *at = command.text; *at; at++)
        MUST((unsigned char)*at >= ' ');
    return 0;
}
