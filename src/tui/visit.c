/*
 * visit.c: see visit.h. It sends no requests itself: callers have a loop (remote.c) or wait (there.c).
 */
#include <stdlib.h>
#include <string.h>

#include <pyramids/lines.h>
#include <pyramids/text.h>

#include "visit.h"

/* One file per server. Its name is made from the address, with everything but letters, digits, dots and dashes replaced,
 * so that it cannot leave its folder. The cookie in it is checked before use, since it is put into a header. */
void visit_init(struct visit *visit, const char *server)
{
    char file[300];
    *visit = (struct visit){ .is_forgotten = false };
    snprintf(visit->url, sizeof visit->url, "%.*s", (int)strcspn(server, "#"), server);
    const char *host = strstr(visit->url, "://");
    snprintf(file, sizeof file, "%.200s.cookie", host ? host + 3 : visit->url);
    for (char *c = file; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", *c))
            *c = '_';
    if (file[0] == '.')
        file[0] = '_';
    if (save_path(visit->cookie_path, sizeof visit->cookie_path, "servers", file)) {
        size_t size;
        char *cookie = save_read(visit->cookie_path, sizeof visit->cookie - 1, &size);
        if (cookie && !strncmp(cookie, "pyramids=", 9) && strcspn(cookie, " ;\r\n\t") == size)
            snprintf(visit->cookie, sizeof visit->cookie, "%s", cookie);
        free(cookie);
    }
}

void visit_keep(struct visit *visit, struct net *net)
{
    char cookie[sizeof visit->cookie];
    net_cookie(net, cookie, sizeof cookie);
    if (strcmp(cookie, visit->cookie) && cookie[0]) {
        strcpy(visit->cookie, cookie);
        save_write(visit->cookie_path, cookie, strlen(cookie));
    }
}

void visit_forget(struct visit *visit)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s.old", visit->cookie_path);
    if (visit->cookie_path[0])
        save_write(path, visit->cookie, strlen(visit->cookie));
    visit->cookie[0] = '\0';
    visit->is_forgotten = true;
}

json_t *visit_question(const struct visit *visit, const char *name)
{
    if (visit->cookie[0])
        return NULL;
    return visit->is_forgotten ? json_pack("{ss sb}", "name", name, "new", 1) : json_pack("{ss}", "name", name);
}

/* A proxy's answer while our server is away (502 to 504) does not count, nor does an internal error (500). */
bool visit_is_stranger(int status, const json_t *answer)
{
    return status > 0 && (status < 500 || status == 501) &&
        !json_is_object(json_object_get(answer, status == 200 ? "visitor" : "error"));
}

const char *visit_cause(int status)
{
    switch (status) {
    case NET_NO_NAME: return _("unknown host; check the spelling.");
    case NET_NO_LOOKUP: return _("the name cannot be resolved; is this computer online?");
    case NET_REFUSED: return _("connection refused: no server is running there, or it uses another port.");
    case NET_UNREACHABLE: return _("the computer cannot be reached.");
    case NET_NO_TLS: return _("the server does not use TLS; is its address http://?");
    case NET_NO_HTTP: return _("the server does not use plain HTTP; is its address https://?");
    default: return _("the server reports an internal error.");
    }
}

void visit_refusal(const char *code, char *to, size_t size)
{
    const char *words = pyr_text_refusal(code);
    char shown[61];
    if (words) {
        snprintf(to, size, "%s", words);
    } else {
        pyr_word_copy(pyr_word_of(code), shown, sizeof shown);   /* without control characters that a server may send */
        snprintf(to, size, _("The server refused: %.60s"), shown);
    }
}

const char *visit_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

bool visit_copy_code(char *to, size_t size, const char *code)
{
    size_t length = strlen(code);
    if (!length || length >= size ||
        strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != length)
        return false;
    memcpy(to, code, length + 1);
    return true;
}
