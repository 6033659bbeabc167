/*
 * names.c: finds the names and addresses of this machine (access.h). Only sources that an outsider cannot change are
 * used: the system's host name, /etc/hosts, the search domains of /etc/resolv.conf, the server's own certificate, the
 * interfaces. Name servers are not asked: their answers could be forged, and would have to be waited for.
 */
#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "access.h"
#include "server.h"

#define BLANKS " \t\r\n"

/* Names. */

/* label.domain; a domain may begin with a dot. */
static void add_below(struct server *server, const char *label, const char *domain)
{
    char name[2 * HOST_SIZE];
    snprintf(name, sizeof name, "%s.%s", label, domain + (domain[0] == '.'));
    access_add_name(server, name);
}

/* "127.0.1.1 mybox.example.org mybox" gives mybox its full name: names on a line with ours that begin with the same
 * label. */
static void read_hosts(struct server *server, const char *host, const char *label, const char *line)
{
    char copy[512], *names[32], *rest;
    unsigned count = 0;
    bool is_ours = false;
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "#"), line);
    char *word = strtok_r(copy, BLANKS, &rest);      /* skips the address */
    while (word && count < 32 && (word = strtok_r(NULL, BLANKS, &rest))) {
        names[count++] = word;
        is_ours = is_ours || !strcasecmp(word, host) || !strcasecmp(word, label);
    }
    size_t length = strlen(label);
    for (unsigned i = 0; i < count && is_ours; i++)
        if (!strncasecmp(names[i], label, length) && names[i][length] == '.')
            access_add_name(server, names[i]);
}

/* "search example.org" makes mybox.example.org one of our names. */
static void read_resolver(struct server *server, const char *host, const char *label, const char *line)
{
    char copy[512], *rest;
    (void)host;
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "#;"), line);
    char *word = strtok_r(copy, BLANKS, &rest);
    if (!word || (strcmp(word, "search") && strcmp(word, "domain")))
        return;
    while ((word = strtok_r(NULL, BLANKS, &rest)))
        if (strcmp(word, "."))
            add_below(server, label, word);
}

static void each_line(struct server *server, const char *path, const char *host, const char *label,
    void (*each)(struct server *server, const char *host, const char *label, const char *line))
{
    char line[512];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        each(server, host, label, line);
    if (file)
        fclose(file);
}

/* A name that contains a zero byte is a known attack. */
static void add_certificate_text(struct server *server, const unsigned char *text, int length)
{
    char name[HOST_SIZE];
    if (length <= 0 || length >= HOST_SIZE)
        return;
    memcpy(name, text, (size_t)length);
    name[length] = '\0';
    if (strlen(name) == (size_t)length)
        access_add_name(server, name);
}

/* The names of a certificate: its subjectAltName, or the common name if it has none. */
static void read_certificate(struct server *server, const char *path)
{
    FILE *file = fopen(path, "r");
    X509 *certificate = file ? PEM_read_X509(file, NULL, NULL, NULL) : NULL;
    if (file)
        fclose(file);
    if (!certificate)
        return;
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        if (name->type == GEN_DNS)
            add_certificate_text(server, ASN1_STRING_get0_data(name->d.dNSName), ASN1_STRING_length(name->d.dNSName));
    }
    const X509_NAME *subject = X509_get_subject_name(certificate);
    int at = names || !subject ? -1 : X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (at >= 0) {
        const ASN1_STRING *common = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
        add_certificate_text(server, ASN1_STRING_get0_data(common), ASN1_STRING_length(common));
    }
    GENERAL_NAMES_free(names);
    X509_free(certificate);
}

/* The certificate's names first: links under TLS prefer them (access_links). */
void access_find_names(struct server *server, const char *certificate)
{
    char host[HOST_SIZE] = "", label[HOST_SIZE];
    if (certificate)
        read_certificate(server, certificate);
    if (gethostname(host, sizeof host - 1) || !host[0] || !strcasecmp(host, "localhost"))
        return;
    snprintf(label, sizeof label, "%.*s", (int)strcspn(host, "."), host);
    access_add_name(server, host);
    access_add_name(server, label);
    add_below(server, label, "local");       /* mDNS */
    each_line(server, "/etc/hosts", host, label, read_hosts);
    each_line(server, "/etc/resolv.conf", host, label, read_resolver);
}

/* Links. */

static bool is_any(const char *address)
{
    return !strcmp(address, "0.0.0.0") || !strcmp(address, "::");
}

/* The address that this machine would use towards the internet: of several interfaces, most likely that of the home
 * network. Nothing is sent. */
static void find_first_address(int family, char to[INET6_ADDRSTRLEN])
{
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(9) };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(9) };
    union { struct sockaddr any; struct sockaddr_in four; struct sockaddr_in6 six; } own;
    socklen_t size = sizeof own;
    to[0] = '\0';
    inet_pton(AF_INET, "198.51.100.1", &four.sin_addr);
    inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr);
    int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    bool is_six = family == AF_INET6;
    if (!connect(fd, is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four, is_six ? sizeof six : sizeof four) &&
        !getsockname(fd, &own.any, &size))
        inet_ntop(family, is_six ? (void *)&own.six.sin6_addr : (void *)&own.four.sin_addr, to, INET6_ADDRSTRLEN);
    close(fd);
}

struct links {
    const struct server *server;
    char (*link)[ACCESS_LINK_SIZE];
    unsigned count;
};

/* Adds each link once. The port is taken from the server's own URL, since the system may have chosen it. */
static void add_link(struct links *links, const char *host, bool in_brackets)
{
    const struct server *server = links->server;
    const char *port = strrchr(server->url, ':');
    char link[ACCESS_LINK_SIZE];
    int length = snprintf(link, sizeof link, in_brackets ? "%s://[%s]%s" : "%s://%s%s",
        server->secure ? "https" : "http", host, port ? port : "/");
    bool is_there = links->count == ACCESS_LINKS || length >= (int)sizeof link;
    for (unsigned i = 0; i < links->count && !is_there; i++)
        is_there = !strcmp(links->link[i], link);
    if (!is_there)
        memcpy(links->link[links->count++], link, sizeof link);
}

static void add_interfaces(struct links *links, int family)
{
    uv_interface_address_t *found;
    char text[INET6_ADDRSTRLEN];
    int count;
    find_first_address(family, text);
    if (text[0])
        add_link(links, text, family == AF_INET6);
    if (uv_interface_addresses(&found, &count))
        return;                              /* a sandbox may forbid this */
    for (int i = 0; i < count; i++) {
        const struct in6_addr *six = &found[i].address.address6.sin6_addr;
        if (found[i].is_internal || found[i].address.address4.sin_family != family ||
            (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(six)))
            continue;
        if (inet_ntop(family, family == AF_INET6 ? (const void *)six : &found[i].address.address4.sin_addr, text,
            sizeof text))
            add_link(links, text, family == AF_INET6);
    }
    uv_free_interface_addresses(found, count);
}

unsigned access_links(const struct server *server, char to[ACCESS_LINKS][ACCESS_LINK_SIZE])
{
    const char *address = server->options.address;
    struct links links = { server, to, 0 };
    char host[HOST_SIZE] = "";
    if (!strncmp(address, "127.", 4) || !strcmp(address, "::1"))
        return 0;
    /* Under TLS the names of the certificate, which come first among the names, are those that cause no warning. */
    for (unsigned i = 0; i < server->name_count && server->secure; i++)
        if (server->names[i][0] != '*' && strchr(server->names[i], '.'))
            add_link(&links, server->names[i], false);
    if (!is_any(address)) {
        add_link(&links, address, strchr(address, ':'));
    } else {
        add_interfaces(&links, AF_INET);
        if (strchr(address, ':'))
            add_interfaces(&links, AF_INET6);
    }
    if (!gethostname(host, sizeof host - 1) && host[0] && strcasecmp(host, "localhost"))
        add_link(&links, host, false);
    return links.count;
}
