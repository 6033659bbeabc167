/* preflight.c: checks that can be made before a server starts: addresses, origins, certificates. */
#include <arpa/inet.h>
#include <errno.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <pyramids/text.h>

#include "edge.h"
#include "preflight.h"
#include "wire.h"

bool preflight_address(const char *text)
{
    struct in6_addr bytes;
    return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1;
}

bool preflight_listener(const char *text, char address[PREFLIGHT_ADDRESS], unsigned *port)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    unsigned long number = colon ? strtoul(colon + 1, &end, 10) : 0;
    bool in_brackets = text[0] == '[' && colon && colon > text + 1 && colon[-1] == ']';
    size_t length = !colon ? 0 : (size_t)(colon - text) - (in_brackets ? 2 : 0);
    if (!length || length >= PREFLIGHT_ADDRESS || strspn(colon + 1, "0123456789") != strlen(colon + 1) || !colon[1] ||
        *end || number > 65535)
        return false;
    memcpy(address, text + in_brackets, length);
    address[length] = '\0';
    *port = (unsigned)number;
    return true;
}

int preflight_listen(const char *address, unsigned port)
{
    int fd = -1, why = edge_open_socket(address, port, &fd);
    if (!why)
        close(fd);
    return why;
}

void preflight_cannot_listen(int why, unsigned port, const char *address, char *error, size_t size)
{
    snprintf(error, size, why == EADDRINUSE ? _("port %u of %s is in use; --port 0 picks a free one") :
        why == EACCES ? _("no permission to use port %u of %s; try a port above 1023") :
        why == EINVAL ? _("cannot listen on port %u of %s: expected an address such as 127.0.0.1 or ::1") :
        _("cannot listen on port %u of %s: it is not an address of this machine"), port, address);
}

int preflight_writable(const char *path)
{
    char folder[4096];
    struct stat status;
    if (!stat(path, &status))
        return S_ISDIR(status.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    if (errno != ENOENT)
        return errno;
    const char *slash = strrchr(path, '/');
    size_t length = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (length >= sizeof folder)
        return ENAMETOOLONG;
    snprintf(folder, sizeof folder, "%.*s", length ? (int)length : 1, length ? path : ".");
    return access(folder, W_OK | X_OK) ? errno : 0;
}

int preflight_socket(const char *path)
{
    struct stat status;
    if (strlen(path) >= sizeof ((struct sockaddr_un *)0)->sun_path)
        return ENAMETOOLONG;
    if (!lstat(path, &status) && !S_ISSOCK(status.st_mode))
        return S_ISDIR(status.st_mode) ? EISDIR : EEXIST;
    return preflight_writable(path);
}

bool preflight_origin(const char *text)
{
    const char *name = strstr(text, "://");
    return strlen(text) < PREFLIGHT_ORIGIN && name && name[3] && !strchr(name + 3, '/') &&
        (!strncmp(text, "http://", 7) || !strncmp(text, "https://", 8));
}

static bool is_readable(const char *path, char *error, size_t size)
{
    FILE *file = fopen(path, "r");
    bool good = file && fgetc(file) != EOF;
    if (!good)
        snprintf(error, size, "%s: %s", path, file ? _("the file is empty") : pyr_text_system(errno));
    if (file)
        fclose(file);
    return good;
}

/* Seconds since 1970; 0 if there is no certificate in the file. */
static int64_t end_of(const char *path)
{
    FILE *file = fopen(path, "r");
    X509 *certificate = file ? PEM_read_X509(file, NULL, NULL, NULL) : NULL;
    int days = 0, seconds = 0;
    int64_t end = 0;
    if (file)
        fclose(file);
    if (certificate && ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(certificate)))
        end = (int64_t)time(NULL) + 86400 * (int64_t)days + seconds;
    X509_free(certificate);
    return end;
}

bool preflight_certificate(const char *certificate, const char *key, int64_t *expires, char *error, size_t size)
{
    if (!is_readable(certificate, error, size) || !is_readable(key, error, size))
        return false;
    struct wire_tls_context *context = wire_tls_server(certificate, key);
    if (!context) {
        snprintf(error, size, _("cannot serve %s: the certificate or its key cannot be read, or they do not match"),
            certificate);
        return false;
    }
    wire_tls_context_destroy(context);
    *expires = end_of(certificate);
    return true;
}
