/*
 * test_limit.c: identities of clients and their limits: addresses, hosts, names, codes, identities, tables per
 * address, the lobby. The functions are the server's own; this file stands in for serve.c, web.c and pool.c, and its
 * clock is moved by hand.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "check_server.h"

#include "access.h"

#define MINUTE UINT64_C(60000)
#define DAY 86400

static uint64_t now = 1000000;
static int64_t now_seconds = 1794700800;

uint64_t server_now(const struct server *server) { (void)server; return now; }
int64_t server_time(void) { return now_seconds; }
const char *error_name(enum error error) { (void)error; return "refused"; }
int error_status(enum error error) { (void)error; return 500; }

/* Addresses. */

static const char *key(const char *text)
{
    static char to[ADDRESS_SIZE];
    char *exact = malloc(strlen(text));      /* without an end: a sanitizer finds a read beyond it */
    memcpy(exact, text, strlen(text));
    bool good = access_key(exact, strlen(text), to);
    free(exact);
    return good ? to : "none";
}

TEST("an address counts by itself, with a port or without, IPv6 by its /64")
{
    static const char *const pairs[][2] = {
        { "192.0.2.7", "192.0.2.7" }, { "192.0.2.7:5678", "192.0.2.7" }, { "192.0.2.7:1", "192.0.2.7" },
        { "::ffff:192.0.2.7", "192.0.2.7" }, { "[::ffff:192.0.2.7]:443", "192.0.2.7" }, { "::ffff:c000:207", "192.0.2.7" },
        { "64:ff9b::192.0.2.7", "192.0.2.7" },
        { "2001:db8:1:2::1", "2001:db8:1:2::/64" }, { "2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64" },
        { "[2001:db8:1:2::9]", "2001:db8:1:2::/64" }, { "[2001:db8:1:2::9]:443", "2001:db8:1:2::/64" },
            { "2001:db8:1:3::1", "2001:db8:1:3::/64" },
        { "2001:db8::1", "2001:db8::/64" }, { "::1", "::1" }, { "::", "::/64" },
        { "fe80::1%eth0", "fe80::1" }, { "fe80::2", "fe80::2" },
        { "", "none" }, { "unknown", "none" }, { "_hidden", "none" }, { "192.0.2", "none" }, { "192.0.2.256", "none" },
            { "192.0.2.7:", "none" },
        { "192.0.2.7:123456", "none" }, { "192.0.2.7:12x", "none" }, { "192.0.2.7 ", "none" }, { "[2001:db8::1", "none" },
        { "[2001:db8::1]443", "none" }, { "[2001:db8::1]:", "none" }, { "[192.0.2.7]x", "none" }, { ":", "none" },
            { "[", "none" }, { "[]", "none" },
        { "2001:db8::1::2", "none" }, { "unix:", "none" }, { "1.2.3.4,5.6.7.8", "none" },
        { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "none" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK_STR(key(pairs[i][0]), pairs[i][1]);
}

static struct server server;

static const char *from(const char *list)
{
    struct address *address = access_address(&server, address_of(&server, "127.0.0.1"), list);
    return address ? address->text : "none";
}

TEST("behind a trusted proxy the last address of X-Forwarded-For counts, and no other")
{
    server = (struct server){ .options = { .trust_proxy = true } };
    CHECK_STR(from("203.0.113.9"), "203.0.113.9");
    CHECK_STR(from("198.51.100.1, 203.0.113.9"), "203.0.113.9");             /* the first comes from the client */
    CHECK_STR(from("198.51.100.1,198.51.100.2,203.0.113.9"), "203.0.113.9");
    CHECK_STR(from("198.51.100.1,\t203.0.113.9:4711 "), "203.0.113.9");
    CHECK_STR(from("198.51.100.1, [2001:db8:7::1]:4711"), "2001:db8:7::/64");
    CHECK_STR(from(NULL), "127.0.0.1");
    server.options.trust_proxy = false;
    CHECK_STR(from("203.0.113.9"), "127.0.0.1");
    address_finish(&server);
}

TEST("what is not an address counts by its text, never with the proxy or an earlier entry")
{
    server = (struct server){ .options = { .trust_proxy = true } };
    char one[ADDRESS_SIZE], long_text[400];
    snprintf(one, sizeof one, "%s", from("198.51.100.1, garbage"));
    CHECK(one[0] == '?');
    CHECK_STR(from("garbage"), one);
    CHECK(strcmp(from("198.51.100.1, other"), one));
    CHECK(strcmp(from("198.51.100.1, "), "198.51.100.1") && strcmp(from("198.51.100.1, "), "127.0.0.1"));
    CHECK(strcmp(from("198.51.100.1,"), one) && strcmp(from(""), "127.0.0.1"));
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    snprintf(one, sizeof one, "%s", from(long_text));
    CHECK(one[0] == '?');
    long_text[sizeof long_text - 2] = 'y';
    CHECK(strcmp(from(long_text), one));
    /* Refusing one client refuses no other. */
    struct address *bad = access_address(&server, NULL, "garbage");
    while (bucket_take(&bad->requests, now, 1, 5))
        ;
    CHECK(bucket_take(&access_address(&server, NULL, "unknown")->requests, now, 1, 5));
    CHECK(bucket_take(&access_address(&server, NULL, "192.0.2.1")->requests, now, 1, 5));
    CHECK(bucket_take(&address_of(&server, "127.0.0.1")->requests, now, 1, 5));
    address_finish(&server);
}

TEST("an address stays as long as anything refers to it")
{
    server = (struct server){ .options = { .trust_proxy = true, .max_per_address = 2 } };
    struct visitor visitor = { .name = "Ana", .seen = now_seconds };
    struct conn conn = { .server = &server };
    struct address *address = access_address(&server, NULL, "203.0.113.9");
    CHECK(conn_begin(&conn, &visitor, address));
    CHECK_INT(address->connections, 1);
    now += 11 * MINUTE;                      /* ten quiet minutes and one */
    address_sweep(&server);
    CHECK_INT(server.addresses.count, 1);
    CHECK(address_may_guess(&server, conn.address));     /* as in `open`; a sanitizer finds a use of freed memory */
    now += 11 * MINUTE;
    address_sweep(&server);
    address_guessed(&server, conn.address);
    conn_finish(&conn);
    CHECK(!conn.address && !visitor.conns && !visitor.connections);
    now += 9 * MINUTE;                       /* a bucket may still be filling */
    address_sweep(&server);
    CHECK_INT(server.addresses.count, 1);
    now += 2 * MINUTE;
    address_sweep(&server);
    CHECK_INT(server.addresses.count, 0);
    address_finish(&server);
}

TEST("behind a proxy an address has so many sockets and requests, and they end")
{
    server = (struct server){ .options = { .trust_proxy = true, .max_per_address = 2 } };
    struct visitor visitor = { .seen = now_seconds };
    struct conn conn[3] = { { .server = &server }, { .server = &server }, { .server = &server } };
    struct address *address = address_of(&server, "2001:db8::1");
    CHECK(address == address_of(&server, "2001:db8::ffff") && address != address_of(&server, "2001:db8:0:1::1"));
    CHECK(conn_begin(&conn[0], &visitor, address) && conn_begin(&conn[1], &visitor, address));
    CHECK(!conn_begin(&conn[2], &visitor, address));
    CHECK(!conn[2].address && !conn[2].visitor && visitor.connections == 2);
    conn_finish(&conn[2]);                   /* never began */
    conn_finish(&conn[0]);
    CHECK_INT(address->connections, 1);
    CHECK(conn_begin(&conn[2], &visitor, address));
    conn_finish(&conn[1]);
    conn_finish(&conn[2]);
    CHECK_INT(address->connections + address->references + visitor.connections, 0);
    /* Without a proxy only connections count, and these are none. */
    server.options.trust_proxy = false;
    server.options.max_per_address = 1;
    CHECK(conn_begin(&conn[0], &visitor, address) && conn_begin(&conn[1], &visitor, address));
    CHECK_INT(address->connections, 0);
    conn_finish(&conn[0]);
    conn_finish(&conn[1]);
    CHECK_INT(address->references, 0);
    address_finish(&server);
}

TEST("a connection that never became a socket is finished like any other")
{
    struct conn conn = { .server = &server, .visitor = &(struct visitor){ .seen = 1 } };
    conn_finish(&conn);
    CHECK(!conn.visitor && !conn.address);
}

/* Hosts. */

TEST("only names that the machine has are ours")
{
    server = (struct server){ .origin_count = 1, .origins = { "https://play.example" } };
    CHECK(access_add_name(&server, "mybox") && access_add_name(&server, "mybox.local") &&
        access_add_name(&server, "*.games.example") &&
        access_add_name(&server, "MyBox") && access_add_name(&server, "full.example."));
    CHECK_INT(server.name_count, 4);
    static const char *const refused_names[] = { "", ".", "*", "*.org", "a b", "x/y", "-x", "x:80", "\"x\"" };
    for (size_t i = 0; i < sizeof refused_names / sizeof *refused_names; i++)
        CHECK(!access_add_name(&server, refused_names[i]));
    static const char *const ours[] = { "mybox", "mybox:8080", "MYBOX", "mybox.", "mybox.:8080", "mybox.local:1",
        "a.games.example", "full.example",
        "127.0.0.1", "192.168.1.2:8080", "[::1]:8080", "[2001:db8::1]", "localhost:1", "play.example" };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!CHECK(access_is_our_page(&server, ours[i], NULL)))
            fprintf(stderr, "%s\n", ours[i]);
    static const char *const others[] = { "", "evil.example", "mybox.evil.example", "evil.mybox", "xmybox",
        "mybox:80:80", "mybox:x", "mybox@evil",
        "games.example", "a.b.games.example", ".games.example", "mybox..", "[mybox]", "[::1", "[::1]x", "::1",
            "127.0.0.1.evil.example", "localhost.evil",
        "127.1", "2130706433", "play.example:443", "mybox.local.evil" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!CHECK(!access_is_our_page(&server, others[i], NULL)))
            fprintf(stderr, "%s\n", others[i]);
    CHECK(access_is_our_page(&server, "mybox:8080", "http://mybox:8080"));
    CHECK(!access_is_our_page(&server, "mybox:8080", "https://mybox:8080") &&
        !access_is_our_page(&server, "mybox:8080", "http://mybox"));
    CHECK(!access_is_our_page(&server, "mybox:8080", "http://mybox.local:8080") &&
        !access_is_our_page(&server, "mybox:8080", "null"));
    CHECK(access_is_our_page(&server, "play.example", "https://play.example") &&
        !access_is_our_page(&server, "play.example", "http://play.example"));
    server.secure = true;
    CHECK(access_is_our_page(&server, "mybox:8080", "https://mybox:8080"));
}

TEST("a stranger's name is told no more than the address it must know")
{
    char links[ACCESS_LINKS][ACCESS_LINK_SIZE];
    server = (struct server){ .options = { .address = "192.0.2.2" }, .url = "http://192.0.2.2:8080/" };
    CHECK_INT(access_links_for(&server, "evil.example:8080", links), 1);
    CHECK_STR(links[0], "http://192.0.2.2:8080/");
    server.options.address = "127.0.0.1";
    memcpy(server.url, "http://127.0.0.1:8080/", 23);
    CHECK_INT(access_links(&server, links), 0);
    CHECK_INT(access_links_for(&server, "otherbox", links), 1);
}

TEST("links to send: those that were configured, else those of the networks, for who sits at the machine itself")
{
    char links[ACCESS_LINKS][ACCESS_LINK_SIZE];
    server = (struct server){ .options = { .address = "192.0.2.2" }, .url = "http://192.0.2.2:8080/" };
    static const char *const here[] = { "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "127.0.1.1" };
    for (size_t i = 0; i < sizeof here / sizeof *here; i++) {
        CHECK(access_links_to_send(&server, here[i], links) >= 1);
        CHECK_STR(links[0], "http://192.0.2.2:8080/");
    }
    CHECK_INT(access_links_to_send(&server, "192.0.2.2:8080", links), 0);
    CHECK_INT(access_links_to_send(&server, "evil.example", links), 0);
    server.options.address = "127.0.0.1";
    CHECK_INT(access_links_to_send(&server, "localhost:8080", links), 0);
    server.options.address = NULL;
    CHECK_INT(access_links_to_send(&server, "localhost:8080", links), 0);
}

/* Invisible characters of a name are removed. */

TEST("a name is what can be seen of it")
{
    static const char *const pairs[][2] = {
        { "Ana", "Ana" }, { "\u3164", NULL }, { "\u2800", NULL }, { "\u115f\u1160", NULL }, { "\uffa0", NULL },
            { "\u034f", NULL }, { "\u17b4\u17b5", NULL },
        { "\u0301", NULL }, { " \u0301\u0302", NULL }, { "\u20dd", NULL }, { "\U0001d159", NULL },
            { "\U0001d173", NULL }, { "\ufe0f", NULL },
        { "\u200d\u2060\u00ad", NULL }, { "\u2028", NULL }, { "\U000e0041", NULL }, { "\u180b", NULL },
            { "\u3164A\u2800\u2800B", "A B" },
        { "e\u0301", "e\u0301" }, { "A \u0301B", "A B" }, { "\u0e19\u0e49\u0e33", "\u0e19\u0e49\u0e33" },
            { "\u05d3\u05b8", "\u05d3\u05b8" },
        { "\u0905\u0928\u093e", "\u0905\u0928\u093e" }, { "\u2764\ufe0f", "\u2764\ufe0f" },
            { "\u00a0\u1680Ana\u3000", "Ana" }, { "\U0001f600", "\U0001f600" },
        /* A family, a dark-skinned farmer and the rainbow flag stay whole; a joiner anywhere else is removed. */
        { "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467" },
        { "\U0001f469\U0001f3ff\u200d\U0001f33e", "\U0001f469\U0001f3ff\u200d\U0001f33e" },
        { "\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f3\ufe0f\u200d\U0001f308" },
        { "A\u200dB", "AB" }, { "\U0001f468\u200d", "\U0001f468" }, { "\U0001f468\u200dB", "\U0001f468B" },
        { "\U0001f468\u200d\u200d\U0001f467", "\U0001f468\u200d\U0001f467" },
        { "\u1112\u1161\u11ab", "\u1112\u1161\u11ab" }, { "\u0660", "\u0660" }, { ".", "." },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char clean[NAME_SIZE] = "";
        bool good = name_clean(pairs[i][0], clean);
        CHECK_STR(good ? clean : NULL, pairs[i][1]);
    }
}

TEST("emoji of several parts stay whole in a name and count as one letter")
{
    /* A family of three, a flag, a farmer with a skin tone, a heart on fire, a pirate flag. */
#define FAMILY "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    static const char *const whole[] = { FAMILY, "Ana " FAMILY " Ben", "\U0001f1e9\U0001f1ea",
        "\U0001f469\U0001f3fd\u200d\U0001f33e",
        "\u2764\ufe0f\u200d\U0001f525", "\U0001f3f4\u200d\u2620\ufe0f" };
    char clean[NAME_SIZE], long_name[512];
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        CHECK_STR(name_clean(whole[i], clean) ? clean : NULL, whole[i]);
    /* Anywhere else a joiner is invisible, and is removed. */
    static const char *const pairs[][2] = { { "A\u200dna", "Ana" }, { "\u200d\U0001f600", "\U0001f600" },
        { "\U0001f600\u200d", "\U0001f600" },
        { "\U0001f600\u200dA", "\U0001f600A" }, { "A\u200d\U0001f600", "A\U0001f600" },
        { "\U0001f600\u200d\u200d\U0001f600", "\U0001f600\u200d\U0001f600" },
            { "\U0001f600 \u200d\U0001f600", "\U0001f600 \U0001f600" } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK_STR(name_clean(pairs[i][0], clean) ? clean : NULL, pairs[i][1]);
    /* 24 letters of any kind, if they fit into the bytes of a name. */
    long_name[0] = '\0';
    for (int i = 0; i < 12; i++)
        strcat(long_name, "\U0001f1e9\U0001f1ea");
    CHECK(name_clean(long_name, clean));
    strcat(long_name, "\U0001f1e9\U0001f1ea");
    CHECK(!name_clean(long_name, clean));                /* 104 bytes */
    CHECK(name_clean("aaaaaaaaaaaaaaaaaaaaaaa" FAMILY, clean) && !name_clean("aaaaaaaaaaaaaaaaaaaaaaaa" FAMILY, clean));
    CHECK(name_clean("aaaaaaaaaaaaaaaaaaaaaaa\u0301", clean) && !name_clean("aaaaaaaaaaaaaaaaaaaaaaaa\u0301", clean));
    long_name[0] = '\0';
    for (int i = 0; i < 24; i++)
        strcat(long_name, "\u65e5");
    CHECK_STR(name_clean(long_name, clean) ? clean : NULL, long_name);
}

TEST("codes are read as people write them")
{
    char to[CODE_SIZE + 1];
    static const char *const same[] = { "K7QXMWRT", "k7qxmwrt", "K7QX-MWRT", "k7qx mwrt", " K7QX MWRT ", "k7-qx-mw-rt",
        "K7QX\u2013MWRT", "K7QX\u00a0MWRT" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        CHECK_STR(code_read(same[i], to, CODE_SIZE) ? to : "none", "K7QXMWRT");
    static const char *const none[] = { "", "K7QXMWR", "K7QXMWRTT", "K7QXMWR0", "K7QXMWRO", "K7QXMWR1", "K7QXMWR\u0131",
        "K7QX/MWRT", "K7QX%20MWRT", "--------" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CHECK(!code_read(none[i], to, CODE_SIZE));
}

/* Identities. */

static struct visitor *make_visitor(const char *name, char token[2 * TOKEN_SIZE + 1])
{
    struct store_visitor stored;
    static int64_t last;
    visitor_draw(name, token, &stored);
    stored.id = ++last;
    return visitor_load(&server, &stored);
}

/* Finds visitors in memory; others are left to the database. */
static struct visitor *identify(const char *cookies, enum identity *identity, char text[2 * TOKEN_SIZE + 1],
    unsigned *unknown)
{
    struct visitor *visitor;
    struct tokens *tokens;
    CHECK(visitor_identify(&server, cookies, &visitor, identity, text, &tokens));
    *unknown = tokens ? tokens->count : 0;
    tokens_free(tokens);
    return visitor;
}

TEST("an identity is known, unknown or unreadable, and never mistaken for none")
{
    char ana[2 * TOKEN_SIZE + 1], other[2 * TOKEN_SIZE + 1], text[2 * TOKEN_SIZE + 1], cookies[400];
    enum identity identity;
    unsigned unknown;
    server = (struct server){ 0 };
    struct visitor *visitor = make_visitor("Ana", ana);
    memset(other, 'a', sizeof other - 1);
    other[sizeof other - 1] = '\0';
    CHECK(!identify("", &identity, text, &unknown) && identity == IDENTITY_NONE);
    CHECK(!identify("theme=dark; pyramid=x", &identity, text, &unknown) && identity == IDENTITY_NONE);
    CHECK(!identify(NULL, &identity, text, &unknown) && identity == IDENTITY_UNREADABLE);
    snprintf(cookies, sizeof cookies, "pyramids=%s", other);
    CHECK(!identify(cookies, &identity, text, &unknown) && identity == IDENTITY_UNKNOWN);
    CHECK(!identify("a=b; pyramids=short", &identity, text, &unknown) && identity == IDENTITY_UNKNOWN);
    snprintf(cookies, sizeof cookies, "a=b; pyramids=%s; pyramids=%s", other, ana);      /* one of them is ours */
    CHECK(identify(cookies, &identity, text, &unknown) == visitor && identity == IDENTITY_KNOWN);
    CHECK_STR(text, ana);
    CHECK_INT(unknown, 0);
    snprintf(cookies, sizeof cookies, "pyramids=%s; pyramids=short; pyramids=%s", other, other);
    CHECK(!identify(cookies, &identity, text, &unknown) && identity == IDENTITY_UNKNOWN);
    CHECK_INT(unknown, 2);                   /* the database is asked for both */
    visitors_finish(&server);
}

TEST("a visitor leaves the memory ten minutes after the last visit, and not while a request or a socket is theirs")
{
    char ana[2 * TOKEN_SIZE + 1], ben[2 * TOKEN_SIZE + 1], eva[2 * TOKEN_SIZE + 1];
    server = (struct server){ 0 };
    make_visitor("Ana", ana);
    struct visitor *held = visitor_hold(make_visitor("Ben", ben)), *connected = make_visitor("Eva", eva);
    connected->connections = 1;
    now += 599999;
    visitors_sweep(&server);
    CHECK(server.visitors.count == 3 && server.tokens.count == 3);
    now += 1;
    visitors_sweep(&server);
    CHECK(server.visitors.count == 2 && server.tokens.count == 2);
    visitor_release(&server, held);
    connected->connections = 0;
    visitors_sweep(&server);
    CHECK(server.visitors.count == 1 && server.tokens.count == 1);       /* Ben's request has just ended */
    now += 600000;
    visitors_sweep(&server);
    CHECK(!server.visitors.count && !server.tokens.count);
    visitors_finish(&server);
}

TEST("a cookie is renewed once a day, not more often")
{
    char ana[2 * TOKEN_SIZE + 1];
    server = (struct server){ 0 };
    make_visitor("Ana", ana);
    CHECK(!visitor_renews(&server, ana));    /* it is new */
    now_seconds += DAY - 1;
    CHECK(!visitor_renews(&server, ana));
    now_seconds += 1;
    CHECK(visitor_renews(&server, ana) && !visitor_renews(&server, ana));
    now_seconds += 300 * DAY;
    CHECK(visitor_renews(&server, ana) && !visitor_renews(&server, ana));
    CHECK(!visitor_renews(&server, "nonsense"));
    visitors_finish(&server);
}

static struct device_code made_code;
static uint8_t typed_code[TOKEN_SIZE];

static bool try_codes(struct store_db *db, void *context)
{
    struct store_visitor ana = { .id = 1, .name = "Ana" };
    uint8_t wrong[TOKEN_SIZE];
    int64_t visitor = 0;
    (void)context;
    CHECK_INT(store_put_visitor(db, &ana), STORE_OK);
    CHECK_INT(store_put_code(db, made_code.hash, made_code.visitor, made_code.until), STORE_OK);
    CHECK(device_code_read("2222-2222", wrong) && !device_code_read("not a code", wrong));
    CHECK_INT(store_take_code(db, wrong, now_seconds, &visitor), STORE_MISSING);
    CHECK_INT(store_take_code(db, typed_code, now_seconds + 600, &visitor), STORE_MISSING);
    CHECK_INT(store_take_code(db, typed_code, now_seconds + 599, &visitor), STORE_OK);
    CHECK_INT(visitor, 1);
    CHECK_INT(store_take_code(db, typed_code, now_seconds, &visitor), STORE_MISSING);
    return true;
}

TEST("a one-time code is good once, for ten minutes, however it is typed")
{
    char code[10], typed[20], error[256];
    device_code_draw(1, code, &made_code);
    CHECK(strlen(code) == 9 && code[4] == '-');
    snprintf(typed, sizeof typed, " %.4s %s", code, code + 5);
    for (char *at = typed; *at; at++)
        *at = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
    CHECK(device_code_read(typed, typed_code));
    server = (struct server){ 0 };
    if (!CHECK(!uv_loop_init(&server.loop) && store_open(&server.store, &server.loop, ":memory:", try_codes, NULL, error,
        sizeof error)))
        return;
    store_close(server.store);
    uv_run(&server.loop, UV_RUN_DEFAULT);
    CHECK_INT(uv_loop_close(&server.loop), 0);
}

/* Tables. */

static struct pyr_edition edition = { .name = "classic" };
static unsigned made_tables, refused_tables;

static void made(struct change *change, enum error error)
{
    (void)change;
    made_tables += !error;
    refused_tables += error != ERROR_NONE;
}

static void settle_jobs(void)
{
    while (store_pending(server.store))
        uv_run(&server.loop, UV_RUN_ONCE);
}

static bool begin_tables(unsigned max_tables, unsigned per_address, unsigned rate)
{
    char error[256];
    server = (struct server){ .options = { .editions = &edition, .edition_count = 1, .max_tables = max_tables,
        .max_tables_per_visitor = 24,
        .max_tables_per_address = per_address, .table_rate = rate } };
    made_tables = refused_tables = 0;
    return CHECK(!uv_loop_init(&server.loop) && store_open(&server.store, &server.loop, ":memory:", NULL, NULL, error,
        sizeof error));
}

static unsigned stored_tables;

static enum store_result count_stored(struct store_db *db, struct store_job *job)
{
    (void)job;
    return store_count_open(db, &stored_tables);
}

static void counted(struct store_job *job, enum store_result result)
{
    (void)job;
    CHECK_INT(result, STORE_OK);
}

static void end_tables(void)
{
    struct store_job job = { .run = count_stored, .done = counted };
    store_submit(server.store, &job);
    settle_jobs();
    CHECK_INT(server.open_tables, stored_tables);
    store_close(server.store);
    uv_run(&server.loop, UV_RUN_DEFAULT);
    while (server.table_list)
        table_forget(server.table_list);
    CHECK_INT(server.open_tables, stored_tables);      /* tables that are not in memory are open, too */
    tables_finish(&server);
    now += 11 * MINUTE;
    address_sweep(&server);
    CHECK_INT(server.addresses.count, 0);    /* the tables have returned theirs */
    visitors_finish(&server);
    address_finish(&server);
    CHECK_INT(uv_loop_close(&server.loop), 0);
}

static enum error make_table(struct visitor *host, const char *address, bool is_public, struct table **table)
{
    struct table_request request = { .seats = 2, .terms = { .edition = &edition, .is_public = is_public },
        .address = address ? address_of(&server, address) : NULL };
    enum error error = table_create(&server, host, &request, made, NULL, table);
    settle_jobs();
    return error;
}

TEST("an address makes so many tables a minute and keeps so many open")
{
    char token[2 * TOKEN_SIZE + 1];
    struct table *table = NULL;
    if (!begin_tables(1000, 12, 8))
        return;
    struct visitor *ana = make_visitor("Ana", token), *ben = make_visitor("Ben", token);
    for (unsigned i = 0; i < 8; i++)
        CHECK_INT(make_table(i & 1 ? ana : ben, "2001:db8::1", false, &table), ERROR_NONE);
    CHECK_INT(make_table(ana, "2001:db8::2", false, &table), ERROR_TOO_FAST);            /* the same /64, whichever
                                                                                            visitor it is */
    CHECK_INT(make_table(ana, "2001:db8:0:1::2", false, &table), ERROR_NONE);
    now += MINUTE / 2;
    for (unsigned i = 0; i < 4; i++)
        CHECK_INT(make_table(ben, "2001:db8::1", false, &table), ERROR_NONE);
    now += MINUTE;
    CHECK_INT(make_table(ben, "2001:db8::1", false, &table), ERROR_TOO_MANY);
    CHECK_INT(make_table(ben, "192.0.2.1", false, &table), ERROR_NONE);
    /* An abandoned table makes room. */
    table = server.table_list;
    while (table->host != (int64_t)ben->node.key || !table->address || strcmp(table->address->text, "2001:db8::/64"))
        table = table->next;
    struct change *change = change_new(table, apply_close);
    change->request.visitor = table->host;
    change_submit(change, NULL, NULL);
    settle_jobs();
    CHECK(!table->address);
    CHECK_INT(make_table(ben, "2001:db8::1", false, &table), ERROR_NONE);
    CHECK_INT(address_of(&server, "2001:db8::1")->tables, 12);
    CHECK_INT(refused_tables, 0);
    end_tables();
}

TEST("abandoned tables make room where there is none, of those who have most first")
{
    char token[2 * TOKEN_SIZE + 1];
    struct table *table = NULL, *honest = NULL, *first = NULL;
    if (!begin_tables(10, 100, 1000))
        return;
    struct visitor *ana = make_visitor("Ana", token), *eve = make_visitor("Eve", token);
    CHECK_INT(make_table(ana, "192.0.2.1", true, &honest), ERROR_NONE);
    now += 5 * MINUTE;                       /* the honest one is the oldest */
    for (unsigned i = 0; i < 9; i++) {
        CHECK_INT(make_table(eve, "203.0.113.66", true, &table), ERROR_NONE);
        first = first ? first : table;
        now += 1000;
    }
    CHECK_INT(make_table(ana, "192.0.2.1", true, &table), ERROR_TOO_MANY);   /* none is abandoned yet */
    now += 10 * MINUTE;
    struct conn conn = { .server = &server, .visitor = eve };
    conn_watch(&conn, first, 0);
    CHECK_INT(make_table(ana, "192.0.2.1", true, &table), ERROR_NONE);
    CHECK_INT(honest->now.stage, STORE_WAITING);
    CHECK_INT(first->now.stage, STORE_WAITING);         /* a client has it open */
    CHECK_INT(server.open_tables, 10);
    CHECK_INT(address_of(&server, "203.0.113.66")->tables, 8);
    unsigned closed = 0;
    for (table = server.table_list; table; table = table->next)
        closed += table->now.stage == STORE_CLOSED && table->host == (int64_t)eve->node.key;
    CHECK_INT(closed, 1);
    conn_unwatch(&conn);
    end_tables();
}

/* The lobby. */

static unsigned listed(const struct visitor *host, const struct table *const *list, unsigned count)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        found += list[i]->host == (int64_t)host->node.key;
    return found;
}

TEST("nobody pushes the tables of others out of the lobby")
{
    char token[2 * TOKEN_SIZE + 1], address[32];
    const struct table *list[LOBBY_TABLES];
    struct table *table = NULL, *old = NULL;
    if (!begin_tables(10000, 10000, 100000))
        return;
    struct visitor *ana = make_visitor("Ana", token), *ben = make_visitor("Ben", token), *eve[20];
    CHECK_INT(make_table(ana, "192.0.2.1", true, &old), ERROR_NONE);
    CHECK_INT(make_table(ben, "192.0.2.2", true, &table), ERROR_NONE);
    table->now.stage = STORE_RUNNING;
    for (unsigned i = 0; i < 20; i++)
        eve[i] = make_visitor("Eve", token);
    now_seconds += 3600;
    for (unsigned i = 0; i < 200; i++)       /* newer, many names, one address */
        CHECK_INT(make_table(eve[i % 20], "203.0.113.66", true, &table), ERROR_NONE);
    unsigned count = lobby_list(&server, list);
    CHECK_INT(count, LOBBY_TABLES);
    CHECK_INT(listed(ana, list, count), 1);
    CHECK_INT(listed(ben, list, count), 1);
    for (unsigned i = 1; i < count; i++)
        CHECK(list[i - 1]->now.stage <= list[i]->now.stage);
    CHECK(list[count - 1]->host == (int64_t)ben->node.key);
    unsigned before = 0;
    while (before < count && list[before] != old)
        before++;
    CHECK_INT(before, 5);                    /* five of that address come first, the rest after everyone */
    /* One visitor, many addresses. */
    for (unsigned i = 0; i < 20; i++) {
        snprintf(address, sizeof address, "198.51.100.%u", i);
        CHECK_INT(make_table(ben, address, true, &table), ERROR_NONE);
    }
    count = lobby_list(&server, list);
    CHECK_INT(listed(ben, list, 8), 3);
    CHECK_INT(listed(ana, list, count), 1);
    end_tables();
}

TEST("among thousands of tables the list is made once a second, and never shows one that is gone")
{
    char token[2 * TOKEN_SIZE + 1];
    const struct table *list[LOBBY_TABLES];
    struct table *table = NULL;
    if (!begin_tables(10000, 10000, 100000))
        return;
    for (unsigned v = 0; v < 50; v++) {
        struct visitor *visitor = make_visitor("Ana", token);
        for (unsigned i = 0; i < 21; i++)
            CHECK_INT(make_table(visitor, NULL, true, &table), ERROR_NONE);
    }
    CHECK_INT(lobby_list(&server, list), LOBBY_TABLES);
    uint64_t made_at = server.lobby.list;
    const struct table *first = list[0];
    CHECK(first == table);                   /* the newest */
    struct change *change = change_new(table, apply_close);
    change->request.visitor = table->host;
    change_submit(change, NULL, NULL);
    settle_jobs();
    CHECK_INT(lobby_list(&server, list), LOBBY_TABLES - 1);
    CHECK(list[0] != first && server.lobby.list == made_at);
    now += 1000;
    CHECK_INT(lobby_list(&server, list), LOBBY_TABLES);
    CHECK(list[0] != first && server.lobby.list == made_at + 1);
    end_tables();
}
