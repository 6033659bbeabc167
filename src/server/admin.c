/*
 * admin.c: the operator's socket: listens, reads one command per connection and writes one answer. See admin.h.
 *
 *  1. A connection is freed once its command was answered and its handle is closed, whichever comes last.
 *  2. A client that sends no command, or does not read the answer, is cut after a while, and earlier if there are so many
 *     connections that another one needs its place: the oldest goes first. A connection whose command is running keeps
 *     its place, even after its client has gone.
 *  3. One file is kept open for nothing, and closed when a client comes and no more files can be opened: the operator
 *     gets in when players' connections have taken all of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <pyramids/text.h>

#include "admin.h"

#define MOST_CONNS 64
#define MOST_ACCEPTED 16         /* at once */
#define WAITING 128              /* connections that wait to be accepted */
#define ASK_MS 10000             /* for a command to arrive */
#define READ_MS 60000            /* for an answer to be read */
#define SOCKET_MODE 0660

struct admin {
    uv_poll_t poll;
    int fd;
    char path[sizeof ((struct sockaddr_un *)0)->sun_path];
    struct admin_conn *conns;    /* newest first */
    unsigned count;              /* of connections with a client or a running command */
    int spare;                   /* the file that is kept open; -1: in use by a client */
    bool is_waiting;             /* for a file: not accepting until the next tick */
};

/* Connections. */

static void maybe_free(struct admin_conn *conn)
{
    if (!conn->is_closed || conn->is_busy)
        return;
    free(conn->out);
    free(conn);
}

static void handle_closed(uv_handle_t *handle)
{
    struct admin_conn *conn = handle->data;
    conn->is_closed = true;
    maybe_free(conn);
}

static void count_down(struct admin_conn *conn)
{
    if (conn->server->admin)
        conn->server->admin->count--;
}

static void keep_spare(struct admin *admin)
{
    if (admin && admin->spare < 0)
        admin->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void end(struct admin_conn *conn)
{
    if (conn->fd < 0)
        return;
    *conn->link = conn->next;
    if (conn->next)
        conn->next->link = conn->link;
    if (!conn->is_busy)
        count_down(conn);
    if (conn->file >= 0)
        close(conn->file);
    uv_close((uv_handle_t *)&conn->poll, handle_closed);
    close(conn->fd);
    conn->fd = conn->file = -1;
    keep_spare(conn->server->admin);
}

/* Sends the rest of the answer, and the file with its first byte. */
static ssize_t transmit(struct admin_conn *conn)
{
    union { char room[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control = { { 0 } };
    struct iovec part = { conn->out + conn->out_at, conn->out_size - conn->out_at };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (conn->file >= 0) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
        memcpy(CMSG_DATA(head), &conn->file, sizeof(int));
    }
    ssize_t sent = sendmsg(conn->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0 && conn->file >= 0) {
        close(conn->file);
        conn->file = -1;
    }
    return sent;
}

static void on_poll(uv_poll_t *poll, int status, int events);

static void push(struct admin_conn *conn)
{
    while (conn->out_at < conn->out_size) {
        ssize_t sent = transmit(conn);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (uv_poll_start(&conn->poll, UV_WRITABLE, on_poll))
                end(conn);
            return;
        }
        if (sent <= 0)
            break;
        conn->out_at += (size_t)sent;
    }
    end(conn);
}

void admin_answer(struct admin_conn *conn, json_t *answer, int file)
{
    char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    json_decref(answer);
    if (!text)
        text = strdup("{\"error\":{\"code\":\"memory\",\"message\":\"out of memory\"}}");
    conn->is_busy = false;
    conn->file = file;
    conn->since = uv_now(&conn->server->loop);
    if (conn->fd < 0 || !text) {
        if (file >= 0)
            close(file);
        conn->file = -1;
        free(text);
        if (conn->fd < 0)
            count_down(conn);
        end(conn);
        maybe_free(conn);
        return;
    }
    conn->out_size = strlen(text) + 1;
    conn->out = text;
    text[conn->out_size - 1] = '\n';         /* instead of the terminating NUL */
    push(conn);
}

void admin_fail(struct admin_conn *conn, const char *code, const char *message)
{
    admin_answer(conn, json_pack("{s{ss ss}}", "error", "code", code, "message", message), -1);
}

static long peer_of(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ? -1 : (long)peer.uid;
}

static void run_line(struct admin_conn *conn, size_t length)
{
    char error[200] = "";
    uv_poll_stop(&conn->poll);
    conn->is_busy = true;
    if (!admin_parse(conn->in, length, &conn->command, error, sizeof error)) {
        admin_fail(conn, "bad_command", error);
        return;
    }
    server_log(conn->server, LOG_INFO, "admin", "command=%s uid=%ld", admin_name(conn->command.kind), peer_of(conn->fd));
    admin_run(conn);
}

static void on_readable(struct admin_conn *conn)
{
    ssize_t got = recv(conn->fd, conn->in + conn->in_size, ADMIN_LINE - conn->in_size, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        end(conn);
        return;
    }
    conn->in_size += (size_t)got;
    const char *line_end = memchr(conn->in, '\n', conn->in_size);
    if (line_end) {
        run_line(conn, (size_t)(line_end - conn->in));
    } else if (conn->in_size == ADMIN_LINE) {
        uv_poll_stop(&conn->poll);
        conn->is_busy = true;
        admin_fail(conn, "bad_command", _("the command is too long"));
    }
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct admin_conn *conn = poll->data;
    if (conn->fd < 0)
        return;
    if (status < 0)
        end(conn);
    else if (events & UV_WRITABLE)
        push(conn);
    else if (!conn->out)
        on_readable(conn);
}

/* Cuts the oldest client that has no command running, unless one has just arrived from it. False if there is none. */
static bool cut_oldest(struct admin *admin)
{
    for (;;) {
        struct admin_conn *oldest = NULL;
        for (struct admin_conn *conn = admin->conns; conn; conn = conn->next)
            if (!conn->is_busy)
                oldest = conn;
        if (!oldest)
            return false;
        if (!oldest->out)
            on_readable(oldest);
        if (oldest->is_busy)
            continue;
        end(oldest);
        return true;
    }
}

static void add(struct server *server, int fd)
{
    struct admin *admin = server->admin;
    struct admin_conn *conn = admin->count < MOST_CONNS || cut_oldest(admin) ? calloc(1, sizeof *conn) : NULL;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (!conn || uv_poll_init(&server->loop, &conn->poll, fd)) {
        free(conn);
        close(fd);
        return;
    }
    conn->poll.data = conn;
    conn->server = server;
    conn->fd = fd;
    conn->file = -1;
    conn->since = uv_now(&server->loop);
    conn->next = admin->conns;
    conn->link = &admin->conns;
    if (admin->conns)
        admin->conns->link = &conn->next;
    admin->conns = conn;
    admin->count++;
    if (uv_poll_start(&conn->poll, UV_READABLE, on_poll))
        end(conn);
}

/* Accepts with the spare file, or that of the oldest client. */
static int accept_with_spare(struct admin *admin)
{
    if (admin->spare < 0)
        cut_oldest(admin);
    if (admin->spare < 0)
        return -1;
    close(admin->spare);
    admin->spare = -1;
    return accept(admin->fd, NULL, NULL);
}

static void on_connect(uv_poll_t *poll, int status, int events)
{
    struct server *server = poll->data;
    struct admin *admin = server->admin;
    (void)events;
    for (unsigned i = 0; status >= 0 && i < MOST_ACCEPTED; i++) {
        int fd = accept(admin->fd, NULL, NULL);
        bool is_short = fd < 0 && (errno == EMFILE || errno == ENFILE);
        if (is_short && i)
            return;                          /* there may be no other client */
        if (is_short && (fd = accept_with_spare(admin)) < 0) {
            uv_poll_stop(&admin->poll);
            admin->is_waiting = true;
        }
        if (fd < 0)
            return;
        add(server, fd);
    }
}

void admin_tick(struct server *server)
{
    struct admin *admin = server->admin;
    uint64_t now = uv_now(&server->loop);
    struct admin_conn *next = admin ? admin->conns : NULL;
    keep_spare(admin);
    if (admin && admin->is_waiting)
        admin->is_waiting = uv_poll_start(&admin->poll, UV_READABLE, on_connect) != 0;
    while (next) {
        struct admin_conn *conn = next;
        next = conn->next;
        if (!conn->is_busy && now - conn->since >= (conn->out ? READ_MS : ASK_MS))
            end(conn);
    }
}

/* The socket. */

/* Whether another server is listening there. A file without a listener is left over from an earlier one. */
static bool is_in_use(const struct sockaddr_un *at)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_used = fd >= 0 && (!connect(fd, (const struct sockaddr *)at, sizeof *at) || errno == EAGAIN);
    if (fd >= 0)
        close(fd);
    return is_used;
}

static bool is_socket_file(const char *path)
{
    struct stat status;
    return !lstat(path, &status) && S_ISSOCK(status.st_mode);
}

static int open_socket(const struct sockaddr_un *at)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    fchmod(fd, 0600);                        /* until it gets its final permissions */
    if (!bind(fd, (const struct sockaddr *)at, sizeof *at) && !chmod(at->sun_path, SOCKET_MODE) && !listen(fd, WAITING))
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

static void listener_closed(uv_handle_t *handle)
{
    free(handle);                            /* the first member of struct admin */
}

bool admin_start(struct server *server, char *error, size_t size)
{
    const char *path = server->options.admin_socket;
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    if (!path)
        return true;
    if (strlen(path) >= sizeof at.sun_path) {
        snprintf(error, size, _("--admin-socket %s: the path is too long (at most %zu bytes)"), path,
            sizeof at.sun_path - 1);
        return false;
    }
    memcpy(at.sun_path, path, strlen(path) + 1);
    if (is_socket_file(path)) {
        if (is_in_use(&at)) {
            snprintf(error, size, _("--admin-socket %s is in use by another server"), path);
            return false;
        }
        unlink(path);
    }
    struct admin *admin = calloc(1, sizeof *admin);
    if (!admin || (admin->fd = open_socket(&at)) < 0 || uv_poll_init(&server->loop, &admin->poll, admin->fd)) {
        snprintf(error, size, "--admin-socket %s: %s", path, pyr_text_system(errno));
        free(admin);
        return false;
    }
    memcpy(admin->path, at.sun_path, sizeof admin->path);
    admin->spare = -1;
    keep_spare(admin);
    admin->poll.data = server;
    server->admin = admin;
    return !uv_poll_start(&admin->poll, UV_READABLE, on_connect);
}

void admin_stop(struct server *server)
{
    struct admin *admin = server->admin;
    if (!admin)
        return;
    while (admin->conns)
        end(admin->conns);
    server->admin = NULL;
    if (admin->spare >= 0)
        close(admin->spare);
    unlink(admin->path);
    close(admin->fd);
    uv_close((uv_handle_t *)&admin->poll, listener_closed);
}
