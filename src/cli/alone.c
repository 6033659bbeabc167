/*
 * alone.c: the differences of the static program that runs on any Linux (scripts/make-tarball): it runs on systems that
 * it was not built for, so it must not use their libraries. Compiled only with -Dalone=true.
 *
 *  1. The C library looks names up in /etc/hosts and by DNS. Anything else that /etc/nsswitch.conf asks for is a module that
 *     would be loaded into this program, with the C library of the system.
 *  2. OpenSSL reads no configuration of the system, which could name modules as well.
 *  3. Certificates are searched for in the places that distributions use, unless SSL_CERT_FILE or SSL_CERT_DIR is set.
 */
#include <nss.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

void cli_stand_alone(void)
{
    static const char *const files[] = { "/etc/ssl/certs/ca-certificates.crt",   /* Debian, Ubuntu, Arch, Alpine, Gentoo */
        "/etc/pki/tls/certs/ca-bundle.crt",              /* Fedora, Red Hat */
        "/etc/ssl/ca-bundle.pem",                        /* openSUSE */
        "/etc/ssl/cert.pem" };
    __nss_configure_lookup("hosts", "files dns");
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    for (size_t i = 0; i < sizeof files / sizeof *files && !getenv("SSL_CERT_FILE") && !getenv("SSL_CERT_DIR"); i++)
        if (access(files[i], R_OK) == 0)
            setenv("SSL_CERT_FILE", files[i], 1);
}
