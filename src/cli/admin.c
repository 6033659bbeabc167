/*
 * admin.c: `pyramids admin`: talks to a running server over its local socket. The command is sent as a JSON object; the
 * server's answer is shown as text, or unchanged with --json.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "store.h"

#define DEFAULT_SOCKET "/run/pyramids/admin.sock"
#define LONGEST_ANSWER (64 << 20)

enum { SOCKET, LIMIT, VISITOR, DAYS, REASON, MINUTES, CLEAR, FORCE, JSON, OPTIONS };

/* An answer: its text, and the file that may come with it. */
struct answer {
    char *text;
    size_t size;
    int file;                    /* -1: none */
};

/* Requests. */

static json_t *error_json(const char *code, const char *message)
{
    return json_pack("{s{ss ss}}", "error", "code", code, "message", message);
}

static bool send_all(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t sent = send(fd, text, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        text += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Receives part of the answer, and the file if it is attached to this part. */
static ssize_t receive(int fd, char *to, size_t room, int *file)
{
    union { char room[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control;
    struct iovec part = { to, room };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room,
        .msg_controllen = sizeof control.room };
    ssize_t got;
    do
        got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)) &&
        *file < 0)
        memcpy(file, CMSG_DATA(head), sizeof(int));
    return got;
}

static bool read_answer(int fd, struct answer *answer)
{
    size_t room = 0;
    ssize_t got = 1;
    while (got > 0 && answer->size < LONGEST_ANSWER) {
        if (room - answer->size < 4096) {
            room = room ? 2 * room : 8192;
            char *larger = realloc(answer->text, room);
            if (!larger)
                return false;
            answer->text = larger;
        }
        got = receive(fd, answer->text + answer->size, room - answer->size, &answer->file);
        answer->size += got > 0 ? (size_t)got : 0;
    }
    return !got && answer->size && answer->text[answer->size - 1] == '\n';
}

/* The server's answer to a command, or an object with "error" and the reason why there is none. */
static json_t *ask(const char *path, json_t *command, int *file)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    struct answer answer = { .file = -1 };
    char *line = json_dumps(command, JSON_COMPACT), message[512];
    json_t *object = NULL;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen(path) >= sizeof at.sun_path)
        errno = ENAMETOOLONG;
    else
        memcpy(at.sun_path, path, strlen(path) + 1);
    if (fd < 0 || !line || !at.sun_path[0] || connect(fd, (const struct sockaddr *)&at, sizeof at)) {
        if (errno == EACCES)
            snprintf(message, sizeof message, _("%s: no permission: run this as root, or as a member of the server's group"),
                path);
        else
            snprintf(message, sizeof message, _("no server at %s (%s): is it running, and with this --admin-socket?"), path,
                pyr_text_system(errno));
        object = error_json("no_server", message);
    } else if (send_all(fd, line, strlen(line)) && send_all(fd, "\n", 1) && read_answer(fd, &answer)) {
        object = json_loadb(answer.text, answer.size, 0, NULL);
    }
    if (!object)
        object = error_json("no_answer", _("the server did not answer; see its log"));
    if (fd >= 0)
        close(fd);
    free(line);
    free(answer.text);
    *file = answer.file;
    return object;
}

/* Output. */

static const char *text_in(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static long long number_in(const json_t *object, const char *name)
{
    return (long long)json_integer_value(json_object_get(object, name));
}

static const char *time_text(long long seconds, char to[32])
{
    time_t time = (time_t)seconds;
    struct tm local;
    if (!seconds || !localtime_r(&time, &local) || !strftime(to, 32, "%Y-%m-%d %H:%M", &local))
        snprintf(to, 32, "-");
    return to;
}

static void show_status(const json_t *answer)
{
    const json_t *database = json_object_get(answer, "database"), *notice = json_object_get(answer, "notice");
    long long up = number_in(answer, "uptime");
    printf(_("pyramids %s, process %lld, at %s\n"), text_in(answer, "version"), number_in(answer, "process"),
        text_in(answer, "url"));
    printf(_("running for %lld d %lld h %lld min\n"), up / 86400, up / 3600 % 24, up / 60 % 60);
    printf(_("connections %lld, sockets %lld\n"), number_in(answer, "connections"), number_in(answer, "sockets"));
    printf(_("open tables %lld (%lld in memory), games finished since the start %lld\n"), number_in(answer, "tables"),
        number_in(answer, "tables_in_memory"), number_in(answer, "finished"));
    printf(_("database %s (%s): %s\n"), text_in(database, "name"), text_in(database, "engine"),
        !strcmp(text_in(database, "health"), "good") ? _("good") : _("cannot be written"));
    printf(_("bans %lld\n"), number_in(answer, "bans"));
    if (*text_in(notice, "text"))
        printf(_("announced: %s\n"), text_in(notice, "text"));
    if (number_in(notice, "restart"))
        printf(_("announced: a restart in %lld s\n"), number_in(notice, "restart"));
}

static void show_tables(const json_t *answer)
{
    const json_t *list = json_object_get(answer, "tables"), *table, *seat;
    size_t i, j;
    char when[32];
    puts(_("table  code  state  edition  last change  seats (visitors)  connections"));
    json_array_foreach(list, i, table) {
        const char *code = text_in(table, "code");
        printf("%lld  %s  %s  %s  %s", number_in(table, "table"), *code ? code : _("private"), text_in(table, "state"),
            text_in(table, "edition"), time_text(number_in(table, "changed"), when));
        json_array_foreach(json_object_get(table, "seats"), j, seat) {
            long long visitor = number_in(seat, "visitor");
            printf("%s%s", j ? ", " : "  ", *text_in(seat, "name") ? text_in(seat, "name") : text_in(seat, "kind"));
            if (visitor)
                printf(" (%lld)", visitor);
        }
        printf("  %lld\n", number_in(table, "watching"));
    }
    printf(_("open tables: %lld\n"), number_in(answer, "open"));
}

static void show_visitors(const json_t *answer)
{
    const json_t *visitor, *address;
    size_t i, j;
    char made[32], seen[32];
    puts(_("visitor  name  first visit  last visit  connections  addresses"));
    json_array_foreach(json_object_get(answer, "visitors"), i, visitor) {
        printf("%lld  %s  %s  %s  %lld", number_in(visitor, "visitor"), text_in(visitor, "name"),
            time_text(number_in(visitor, "created"), made), time_text(number_in(visitor, "seen"), seen),
            number_in(visitor, "connections"));
        json_array_foreach(json_object_get(visitor, "addresses"), j, address)
            printf("  %s", json_string_value(address));
        putchar('\n');
    }
}

static void show_ban(const json_t *ban)
{
    char made[32], until[32];
    const char *address = text_in(ban, "address");
    printf("%lld  ", number_in(ban, "ban"));
    if (*address)
        fputs(address, stdout);
    else
        printf(_("visitor %lld"), number_in(ban, "visitor"));
    printf("  %s", time_text(number_in(ban, "made"), made));
    if (number_in(ban, "until"))
        printf(_("  until %s"), time_text(number_in(ban, "until"), until));
    printf("%s%s\n", *text_in(ban, "reason") ? "  " : "", text_in(ban, "reason"));
}

static void show_bans(const json_t *answer)
{
    const json_t *bans = json_object_get(answer, "bans"), *ban;
    size_t i;
    json_array_foreach(bans, i, ban)
        show_ban(ban);
    if (!json_array_size(bans))
        puts(_("no bans"));
}

static void show_close(const json_t *answer) { printf(_("table %lld is closed\n"), number_in(answer, "table")); }
static void show_unban(const json_t *answer) { printf(_("ban %lld is removed\n"), number_in(answer, "ban")); }

static void show_rename(const json_t *answer)
{
    printf(_("visitor %lld is now called %s\n"), number_in(answer, "visitor"), text_in(answer, "name"));
}

static void show_announce(const json_t *answer)
{
    if (json_is_null(json_object_get(answer, "text")) && json_is_null(json_object_get(answer, "restart")))
        puts(_("the announcement is removed"));
    else
        printf(_("shown to %lld connected players, and to everyone who connects from now on\n"), number_in(answer, "told"));
}

static void show_backup(const json_t *answer) { printf(_("%lld bytes\n"), number_in(answer, "bytes")); }

static void show_check(const json_t *answer)
{
    if (*text_in(answer, "message"))
        printf("%s\n", text_in(answer, "message"));
    printf(_("tables %lld, with gaps in their log %lld, without a revision %lld; rows that point nowhere %lld\n"),
        number_in(answer, "tables"), number_in(answer, "gaps"), number_in(answer, "revisions"),
        number_in(answer, "orphans"));
    puts(json_is_true(json_object_get(answer, "good")) ? _("no problems found") :
        _("the database is damaged: restore it from a backup"));
}

static void show_sweep(const json_t *answer)
{
    printf(_("deleted: tables %lld, visitors %lld, analyses %lld\n"), number_in(answer, "tables"),
        number_in(answer, "visitors"), number_in(answer, "analyses"));
}

/* Commands: how many words follow, and which options they take. */

#define BIT(option) (1u << (option))

static const struct command {
    const char *name;
    unsigned least, most;        /* words */
    const char *words;           /* their names for messages, and alternatives */
    unsigned options;
    void (*show)(const json_t *answer);
} commands[] = {
    { "status", 0, 0, "", 0, show_status },
    { "tables", 0, 0, "", BIT(LIMIT), show_tables },
    { "visitors", 0, 0, "", BIT(LIMIT), show_visitors },
    { "close", 1, 1, " TABLE", 0, show_close },
    { "ban", 0, 1, " ADDRESS", BIT(VISITOR) | BIT(DAYS) | BIT(REASON), show_ban },
    { "unban", 1, 1, " ID", 0, show_unban },
    { "bans", 0, 0, "", 0, show_bans },
    { "rename", 2, 2, " ID NAME", 0, show_rename },
    { "announce", 0, 1, " TEXT", BIT(MINUTES) | BIT(CLEAR), show_announce },
    { "backup", 1, 1, " FILE", BIT(FORCE), show_backup },
    { "check", 0, 0, "", 0, show_check },
    { "sweep", 0, 0, "", 0, show_sweep },
};

/* Moves the server's copy to its destination: whole, or not at all. */
static bool save(int from, const char *path, bool force)
{
    char *text = NULL, draft[4096];
    int length = snprintf(draft, sizeof draft, "%s.part-%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof draft || (!force && !access(path, F_OK))) {
        cli_error(_("%s exists already: choose another name, or use --force"), path);
        return false;
    }
    if (force && store_is_in_use(path)) {
        cli_error(_("%s is the database of a running server: choose another name"), path);
        return false;
    }
    int to = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = to >= 0 && lseek(from, 0, SEEK_SET) == 0 && (text = malloc(1 << 16));
    for (ssize_t got = 1; good && got;) {
        got = read(from, text, 1 << 16);
        good = got >= 0;
        for (ssize_t at = 0, put; good && at < got; at += put) {
            put = write(to, text + at, (size_t)(got - at));
            good = put > 0;
        }
    }
    good = good && !fsync(to);
    if (to >= 0 && close(to))
        good = false;
    if (!good || rename(draft, path)) {
        cli_error("%s: %s", path, pyr_text_system(errno));
        if (to >= 0)
            unlink(draft);
        good = false;
    }
    free(text);
    return good;
}

static int usage(const char *message)
{
    cli_error("%s", message);
    return CLI_USAGE;
}

/* Adds a number, whose range the server checks. An option has `dashes`. */
static bool add_number(json_t *object, const char *dashes, const char *name, const char *word)
{
    size_t length = strlen(word);
    if (!length || length > 18 || word[strspn(word, "0123456789")]) {
        cli_error(_("%s%s: '%s' is not a number"), dashes, name, word);
        return false;
    }
    return !json_object_set_new(object, name, json_integer(strtoll(word, NULL, 10)));
}

static bool is_digits(const char *word)
{
    return *word && !word[strspn(word, "0123456789")] && strlen(word) != 8;    /* a code has eight letters or digits */
}

/* Adds the words after the command, as the members that they stand for. */
static bool add_words(json_t *object, const char *command, int argc, char **argv)
{
    if (!strcmp(command, "close") && is_digits(argv[0]))
        return add_number(object, "", "table", argv[0]);
    if (!strcmp(command, "close"))
        return !json_object_set_new(object, "table", json_string(argv[0]));
    if (!strcmp(command, "ban") && argc)
        return !json_object_set_new(object, "address", json_string(argv[0]));
    if (!strcmp(command, "unban"))
        return add_number(object, "", "ban", argv[0]);
    if (!strcmp(command, "rename"))
        return add_number(object, "", "visitor", argv[0]) && !json_object_set_new(object, "name", json_string(argv[1]));
    if (!strcmp(command, "announce") && argc)
        return !json_object_set_new(object, "text", json_string(argv[0]));
    return true;
}

static json_t *make_command(const char *name, int argc, char **argv, const char *const *values)
{
    json_t *object = json_pack("{ss}", "command", name);
    bool good = object && add_words(object, name, argc, argv);
    if (good && values[LIMIT])
        good = add_number(object, "--", "limit", values[LIMIT]);
    if (good && values[VISITOR])
        good = add_number(object, "--", "visitor", values[VISITOR]);
    if (good && values[DAYS])
        good = add_number(object, "--", "days", values[DAYS]);
    if (good && values[MINUTES])
        good = add_number(object, "--", "minutes", values[MINUTES]);
    if (good && values[REASON])
        good = !json_object_set_new(object, "reason", json_string(values[REASON]));
    if (good && values[CLEAR])
        good = !json_object_set_new(object, "clear", json_true());
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

/* Shows an answer; returns the exit code. */
static int show(const struct command *command, json_t *answer, bool is_json)
{
    const json_t *error = json_object_get(answer, "error"), *good = json_object_get(answer, "good");
    if (error)
        cli_error("%s", text_in(error, "message"));
    if (is_json) {
        json_dumpf(answer, stdout, JSON_COMPACT);
        putchar('\n');
    } else if (!error) {
        command->show(answer);
    }
    return error || json_is_false(good) ? CLI_WRONG : CLI_GOOD;
}

static int run(const struct command *command, int argc, char **argv, const char *const *values)
{
    static const char *const names[] = { [LIMIT] = "limit", [VISITOR] = "visitor", [DAYS] = "days", [REASON] = "reason",
        [MINUTES] = "minutes", [CLEAR] = "clear", [FORCE] = "force" };
    int file = -1;
    for (unsigned i = LIMIT; i <= FORCE; i++)
        if (values[i] && !(command->options & BIT(i))) {
            cli_error(_("--%s cannot be combined with '%s'"), names[i], command->name);
            return CLI_USAGE;
        }
    json_t *object = make_command(command->name, argc, argv, values);
    if (!object)
        return CLI_USAGE;
    json_t *answer = ask(values[SOCKET] ? values[SOCKET] : DEFAULT_SOCKET, object, &file);
    json_decref(object);
    if (file >= 0 && !json_object_get(answer, "error") && !save(file, argv[0], values[FORCE])) {
        json_decref(answer);
        answer = error_json("file", cli_last_message());
        json_object_set_new(answer, "shown", json_true());
    }
    int code = CLI_WRONG;
    if (json_object_get(answer, "shown")) {              /* printed already */
        json_object_del(answer, "shown");
        if (values[JSON]) {
            json_dumpf(answer, stdout, JSON_COMPACT);
            putchar('\n');
        }
    } else {
        code = show(command, answer, values[JSON]);
    }
    if (file >= 0)
        close(file);
    json_decref(answer);
    return code;
}

int cli_admin(int argc, char **argv)
{
    const char *values[OPTIONS];
    const struct cli_option option[] = {
        [SOCKET] = { "socket", 's', "PATH", _("the server's socket (default /run/pyramids/admin.sock)") },
        [LIMIT] = { "limit", 0, "N", _("tables, visitors: at most N of them (default 100)") },
        [VISITOR] = { "visitor", 0, "ID", _("ban: a visitor, in place of an address") },
        [DAYS] = { "days", 0, "N", _("ban: for N days (default: forever)") },
        [REASON] = { "reason", 0, "TEXT", _("ban: a note for yourself") },
        [MINUTES] = { "minutes", 0, "N", _("announce: the server restarts in N minutes") },
        [CLEAR] = { "clear", 0, NULL, _("announce: remove the announcement") },
        [FORCE] = { "force", 0, NULL, _("backup: overwrite the file") },
        [JSON] = { "json", 0, NULL, _("print a JSON object") },
        { 0 }
    };
    const struct cli_options options = { "admin COMMAND [OPTIONS]",
        _("Manages a running server over its local socket (--admin-socket of 'serve'):\n"
          "  status                 its state\n"
          "  tables, visitors       lists them, newest first, without secrets\n"
          "  close TABLE            closes a table, by its number or code\n"
          "  ban ADDRESS            bans an address or prefix, or --visitor ID\n"
          "  unban ID, bans         takes a ban back; lists them\n"
          "  rename ID NAME         gives a visitor another name\n"
          "  announce [TEXT]        shows players a notice, with --minutes about a restart\n"
          "  backup FILE            writes a consistent copy of the database\n"
          "  check                  checks the database\n"
          "  sweep                  deletes now all data older than the --keep options allow"),
        option,
        "  pyramids admin status\n"
        "  pyramids admin ban 192.0.2.0/24 --days 7 --reason spam\n"
        "  pyramids admin announce --minutes 10\n"
        "  pyramids admin backup /var/backups/pyramids.db\n"
        "  pyramids admin tables --json\n"
    };
    int code = cli_parse(&options, &argc, argv, values);
    const struct command *command = commands;
    if (code >= 0)
        return code;
    if (!argc)
        return usage(_("no command; see 'pyramids admin --help'"));
    cli_json_wanted(values[JSON]);
    while (command < commands + sizeof commands / sizeof *commands && strcmp(command->name, argv[0]))
        command++;
    if (command == commands + sizeof commands / sizeof *commands) {
        cli_error(_("unknown command '%s'; see 'pyramids %s --help'"), argv[0], "admin");
        return CLI_USAGE;
    }
    if ((unsigned)argc - 1 < command->least || (unsigned)argc - 1 > command->most) {
        cli_error((unsigned)argc - 1 < command->least ? _("expected: pyramids admin %s%s") :
            _("expected: pyramids admin %s%s (a text with spaces needs quotation marks)"), command->name, command->words);
        return CLI_USAGE;
    }
    return run(command, argc - 1, argv + 1, values);
}
