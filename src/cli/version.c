/*
 * version.c: what `pyramids --version` prints after the version: the commit, and the versions of the libraries in use,
 * since a bug report needs both. Only names and numbers, so nothing here is translated.
 */
#define NCURSES_WIDECHAR 1

#include <curses.h>
#ifdef WITH_PUSH
#include <curl/curl.h>
#endif
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include <http_parser.h>
#include <jansson.h>
#ifdef WITH_POSTGRESQL
#include <libpq-fe.h>
#endif
#include <openssl/crypto.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <utf8proc.h>
#include <uv.h>
#include <zlib.h>

#include "cli.h"
#include "commit.h"

static void print_library(const char *name, const char *version)
{
    printf("  %-12s %s\n", name, version);
}

void cli_print_build(void)
{
    char parser[32], postgres[32] = "not included", curl[32] = "not included";
    unsigned long number = http_parser_version();
    snprintf(parser, sizeof parser, "%lu.%lu.%lu", number >> 16 & 255, number >> 8 & 255, number & 255);
#ifdef WITH_POSTGRESQL
    snprintf(postgres, sizeof postgres, "%d.%d", PQlibVersion() / 10000, PQlibVersion() % 10000);
#endif
#ifdef WITH_PUSH
    snprintf(curl, sizeof curl, "%s", curl_version_info(CURLVERSION_NOW)->version);
#endif
    printf("commit %s\nlibraries:\n", PYR_COMMIT);
    print_library("curl", curl);
#ifdef __GLIBC__
    print_library("glibc", gnu_get_libc_version());
#endif
    print_library("http-parser", parser);
    print_library("jansson", jansson_version_str());
    print_library("libpq", postgres);
    print_library("libsodium", sodium_version_string());
    print_library("libuv", uv_version_string());
    print_library("ncurses", curses_version());
    print_library("OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING));
    print_library("qrcodegen", QRCODEGEN_VERSION);       /* has no function for it, so this is the version it was compiled
                                                            with */
    print_library("SQLite", sqlite3_libversion());
    print_library("utf8proc", utf8proc_version());
    print_library("zlib", zlibVersion());
}
