/*
 * access.c: see access.h. Names and addresses of this machine are found in names.c.
 *
 * Three questions about a request: from which address it comes (what limits count for), whether its Host and Origin are
 * ours, and in which language its answer is. Pure functions of the options and the headers; no state but the list of
 * names.
 *
 * Why the Host matters: a page of another name can be made to point to this machine (DNS rebinding), and its scripts
 * would then count as ours. An address in digits cannot be rebound, and names are accepted only if this machine has them.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <pyramids/text.h>

#include "access.h"
#include "server.h"

/* Addresses. */

static bool starts_with(const uint8_t *bytes, const uint8_t *prefix, size_t size)
{
    return !memcmp(bytes, prefix, size);
}

/* Sixteen bytes of IPv6 as the text that they count by. With IPv6 a household usually has a whole /64, so that counts as
 * one address; loopback and link-local addresses (fe80::/10) count individually. IPv4 within IPv6, mapped (::ffff:0:0/96)
 * or translated (64:ff9b::/96), counts as IPv4. */
static void write_six(const uint8_t bytes[16], char to[ADDRESS_SIZE])
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff }, translated[12] = { 0, 0x64, 0xff, 0x9b },
        loopback[16] = { [15] = 1 };
    char text[INET6_ADDRSTRLEN];
    if (starts_with(bytes, mapped, sizeof mapped) || starts_with(bytes, translated, sizeof translated)) {
        inet_ntop(AF_INET, bytes + 12, to, ADDRESS_SIZE);
        return;
    }
    uint8_t kept[16] = { 0 };
    bool alone = starts_with(bytes, loopback, sizeof loopback) || (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80);
    memcpy(kept, bytes, alone ? 16 : 8);
    inet_ntop(AF_INET6, kept, text, sizeof text);
    snprintf(to, ADDRESS_SIZE, "%s%s", text, alone ? "" : "/64");
}

/* ":5678", or nothing. */
static bool is_port(const char *text, size_t size)
{
    if (!size)
        return true;
    if (text[0] != ':' || size < 2 || size > 6)
        return false;
    for (size_t i = 1; i < size; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

/* Accepts the forms that proxies write, too: with a port, in brackets, with a zone. */
bool access_key(const char *text, size_t size, char to[ADDRESS_SIZE])
{
    char name[64];
    uint8_t bytes[16];
    const char *colon = memchr(text, ':', size), *end = text + size;
    if (size && text[0] == '[') {
        const char *close = memchr(text, ']', size);
        if (!close || !is_port(close + 1, (size_t)(end - close - 1)))
            return false;
        text++;
        end = close;
    } else if (colon && !memchr(colon + 1, ':', (size_t)(end - colon - 1))) {    /* one colon: IPv4 with a port */
        if (!is_port(colon, (size_t)(end - colon)))
            return false;
        end = colon;
    }
    size = (size_t)(end - text);
    if (size >= sizeof name)
        return false;
    memcpy(name, text, size);
    name[size] = '\0';
    if (strlen(name) != size)
        return false;
    if (inet_pton(AF_INET, name, bytes) == 1) {
        inet_ntop(AF_INET, bytes, to, ADDRESS_SIZE);
        return true;
    }
    name[strcspn(name, "%")] = '\0';         /* the zone of a link-local address */
    if (inet_pton(AF_INET6, name, bytes) != 1)
        return false;
    write_six(bytes, to);
    return true;
}

/* The last entry was added by our own proxy; the ones before it may be invented by the client. */
struct address *access_address(struct server *server, struct address *peer, const char *forwarded_for)
{
    char last[ADDRESS_TEXT];
    if (!server->options.trust_proxy || !forwarded_for)
        return peer;
    const char *comma = strrchr(forwarded_for, ','), *from = comma ? comma + 1 : forwarded_for;
    from += strspn(from, " \t");
    size_t size = strlen(from);
    while (size && strchr(" \t", from[size - 1]))
        size--;
    /* Texts that are too long for an address are distinguished by their end. */
    size_t kept = size < sizeof last ? size : sizeof last - 1;
    memcpy(last, from + size - kept, kept);
    last[kept] = '\0';
    return address_of(server, last);
}

/* Hosts. */

/* The name in a Host: without its port, its brackets and the dot that may end it. False: it is not one. */
static bool read_host(const char *host, char name[HOST_SIZE], bool *in_brackets)
{
    size_t length = strcspn(host, ":");
    const char *rest = host + length;
    *in_brackets = host[0] == '[';
    if (*in_brackets) {
        const char *end = strchr(host, ']');
        if (!end)
            return false;
        rest = end + 1;
        host++;
        length = (size_t)(end - host);
    }
    if (!length || length >= HOST_SIZE || !is_port(rest, strlen(rest)))
        return false;
    memcpy(name, host, length);
    name[length] = '\0';
    return true;
}

/* An address in digits cannot be redirected to this machine by a foreign name server. */
static bool is_literal(const char *name, bool in_brackets)
{
    uint8_t bytes[16];
    if (in_brackets)
        return inet_pton(AF_INET6, name, bytes) == 1;
    return inet_pton(AF_INET, name, bytes) == 1 || !strcasecmp(name, "localhost");
}

/* A wildcard matches exactly one label, as in certificates. */
static bool fits_name(const char *pattern, const char *name)
{
    if (strncmp(pattern, "*.", 2))
        return !strcasecmp(pattern, name);
    const char *dot = strchr(name, '.');
    return dot && dot != name && !strcasecmp(pattern + 1, dot);
}

static bool is_our_host(const struct server *server, const char *host)
{
    char name[HOST_SIZE];
    bool in_brackets;
    if (!read_host(host, name, &in_brackets))
        return false;
    if (is_literal(name, in_brackets))
        return true;
    size_t length = strlen(name);
    if (name[length - 1] == '.')             /* "mybox." is the same name, written in full */
        name[length - 1] = '\0';
    for (unsigned i = 0; i < server->name_count && !in_brackets; i++)
        if (fits_name(server->names[i], name))
            return true;
    return false;
}

/* origin NULL: none was sent, as by programs and for a browser's own navigation. A browser always sends it with a
 * WebSocket and with a POST, so a foreign page is recognised. */
bool access_is_our_page(const struct server *server, const char *host, const char *origin)
{
    char own[HOST_SIZE + 16];
    for (unsigned i = 0; i < server->origin_count; i++) {
        const char *name = strstr(server->origins[i], "://") + 3;
        if (!strcmp(host, name) && (!origin || !strcmp(origin, server->origins[i])))
            return true;
    }
    if (!is_our_host(server, host))
        return false;
    int length = snprintf(own, sizeof own, "%s://%s", server->secure ? "https" : "http", host);
    return !origin || (length < (int)sizeof own && !strcmp(origin, own));
}

bool access_add_name(struct server *server, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t length = strlen(name);
    const char *plain = strncmp(name, "*.", 2) ? name : name + 2;
    if (length && name[length - 1] == '.')
        length--;
    if (!length || length >= HOST_SIZE || strspn(plain, letters) != strlen(plain) || plain[0] == '.' || plain[0] == '-')
        return false;
    if (plain != name && !strchr(plain, '.'))        /* "*.org" would match half the internet */
        return false;
    for (unsigned i = 0; i < server->name_count; i++)
        if (!strncasecmp(server->names[i], name, length) && !server->names[i][length])
            return true;
    if (server->name_count == sizeof server->names / sizeof *server->names)
        return false;
    memcpy(server->names[server->name_count], name, length);
    server->names[server->name_count++][length] = '\0';
    return true;
}

/* Whether only a private network can assign this name: a single label, or an ending that is reserved or customary for
 * private networks. */
static bool is_local_name(const char *name)
{
    static const char *const endings[] = { ".local", ".lan", ".home", ".internal", ".home.arpa", ".localdomain",
        ".localhost" };
    size_t length = strlen(name);
    if (!strchr(name, '.'))
        return true;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length > strlen(endings[i]) && !strcasecmp(name + length - strlen(endings[i]), endings[i]))
            return true;
    return false;
}

/* Local addresses are shown only to requests by a local name: a stranger on the internet need not learn them. */
unsigned access_links_for(const struct server *server, const char *host, char links[ACCESS_LINKS][ACCESS_LINK_SIZE])
{
    char name[HOST_SIZE];
    bool in_brackets;
    unsigned count = 0;
    for (unsigned i = 0; i < server->origin_count && count < ACCESS_LINKS - 2; i++)
        snprintf(links[count++], ACCESS_LINK_SIZE, "%s/", server->origins[i]);
    snprintf(links[count++], ACCESS_LINK_SIZE, "%s", server->url);
    if (!read_host(host, name, &in_brackets) || in_brackets || !is_local_name(name))
        return count;
    char all[ACCESS_LINKS][ACCESS_LINK_SIZE];
    unsigned more = access_links(server, all);
    for (unsigned i = 0; i < more && count < ACCESS_LINKS; i++)
        if (strcmp(all[i], server->url))
            memcpy(links[count++], all[i], ACCESS_LINK_SIZE);
    return count;
}

/* None if the page was opened by a name that works for others, too: then that address is the link to send. */
unsigned access_links_to_send(const struct server *server, const char *host, char links[ACCESS_LINKS][ACCESS_LINK_SIZE])
{
    char name[HOST_SIZE];
    bool in_brackets;
    unsigned count = 0;
    for (; count < server->origin_count && count < ACCESS_LINKS; count++)
        snprintf(links[count], ACCESS_LINK_SIZE, "%s/", server->origins[count]);
    bool is_alone = read_host(host, name, &in_brackets) &&
        (in_brackets ? !strcmp(name, "::1") : !strcasecmp(name, "localhost") || !strncmp(name, "127.", 4));
    return count || !is_alone || !server->options.address ? count : access_links(server, links);
}

/* Languages. */

const char *access_language(const char *asked, const char *accepted)
{
    const char *found = asked ? pyr_text_accepted(asked) : NULL;
    if (!found && accepted)
        found = pyr_text_accepted(accepted);
    return found ? found : "en";
}
