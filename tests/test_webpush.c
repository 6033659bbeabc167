/*
 * test_webpush.c: Web Push against the examples of the RFCs, letter by letter: RFC 8188 (section 3.1), RFC 8291
 * (section 5 and appendix A), RFC 8292 (section 2.4); and addresses that strangers may invent.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "check.h"
#include "webpush.h"

static size_t from64(const char *text, uint8_t *to, size_t room)
{
    long size = push_read_base64(text, to, room);
    CHECK(size >= 0);
    return size < 0 ? 0 : (size_t)size;
}

/* An independent check of an ES256 token: OpenSSL verifies its signature with the public key. */
static bool is_signed(const char *token, const uint8_t public_key[PUSH_PUBLIC])
{
    uint8_t raw[64], der[80], *end = der;
    const char *dot = strrchr(token, '.');
    if (!dot || push_read_base64(dot + 1, raw, sizeof raw) != 64)
        return false;
    ECDSA_SIG *signature = ECDSA_SIG_new();
    ECDSA_SIG_set0(signature, BN_bin2bn(raw, 32, NULL), BN_bin2bn(raw + 32, 32, NULL));
    int size = i2d_ECDSA_SIG(signature, &end);
    ECDSA_SIG_free(signature);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
    OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, public_key, PUSH_PUBLIC);
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *key = NULL;
    EVP_PKEY_fromdata_init(maker);
    EVP_PKEY_fromdata(maker, &key, EVP_PKEY_PUBLIC_KEY, params);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = key && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
        EVP_DigestVerify(context, der, (size_t)size, (const uint8_t *)token, (size_t)(dot - token)) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(maker);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    return good;
}

TEST("base64url is written and read without padding") {
    static const char *const words[][2] = { { "", "" }, { "f", "Zg" }, { "fo", "Zm8" }, { "foo", "Zm9v" },
        { "foob", "Zm9vYg" }, { "\xff\xef", "_-8" } };
    char text[16];
    uint8_t bytes[16];
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        push_write_base64(words[i][0], strlen(words[i][0]), text);
        CHECK_STR(text, words[i][1]);
        CHECK_INT(push_read_base64(words[i][1], bytes, sizeof bytes), strlen(words[i][0]));
        CHECK(!memcmp(bytes, words[i][0], strlen(words[i][0])));
    }
    static const char *const wrong[] = { "Z", "Zh", "Zg==", "Zm9/", "Zm 8", "Zm9vY", "+A", "Zm9vZm9vZm9vZm9vZm9vZm9v" };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_INT(push_read_base64(wrong[i], bytes, sizeof bytes), -1);
}

TEST("RFC 8188 section 3.1: the walrus") {
    uint8_t key[16], salt[16], body[128];
    char text[256];
    from64("yqdlZ-tYemfogSmv7Ws5PQ", key, sizeof key);
    from64("I1BsxtFttlv3u_Oo94xnmw", salt, sizeof salt);
    const struct push_record record = { .salt = salt, .key = key, .key_size = 16, .record_size = 4096,
        .text = "I am the walrus", .text_size = 15 };
    size_t size = push_seal(&record, body, sizeof body);
    push_write_base64(body, size, text);
    CHECK_STR(text, "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg");
    CHECK_INT(push_seal(&record, body, size - 1), 0);
}

/* From RFC 8291, appendix A. */
static const char *const browser = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    *const secret = "BTBZMqHH6r4Tts7J_aSIgg", *const own = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
    *const salt_text = "DGv6ra1nlYgDCS1FRnbzlw", *const melon = "When I grow up, I want to be a watermelon";

TEST("RFC 8291 section 5: the watermelon") {
    uint8_t public_key[PUSH_PUBLIC], auth[PUSH_AUTH], private_key[PUSH_PRIVATE], salt[PUSH_SALT], body[256];
    char text[512];
    from64(browser, public_key, sizeof public_key);
    from64(secret, auth, sizeof auth);
    from64(own, private_key, sizeof private_key);
    from64(salt_text, salt, sizeof salt);
    size_t size = push_encrypt(public_key, auth, melon, strlen(melon), 0, &(struct push_fixed){ private_key, salt }, body,
        sizeof body);
    push_write_base64(body, size, text);
    CHECK_STR(text, "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
        "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN");
}

TEST("RFC 8291 appendix A: the public half of a private key") {
    uint8_t private_key[PUSH_PRIVATE], public_key[PUSH_PUBLIC];
    char text[push_letters(PUSH_PUBLIC) + 1];
    from64(own, private_key, sizeof private_key);
    CHECK(push_key_public(private_key, public_key));
    push_write_base64(public_key, sizeof public_key, text);
    CHECK_STR(text, "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
    memset(private_key, 0, sizeof private_key);
    CHECK(!push_key_public(private_key, public_key));
    memset(private_key, 0xff, sizeof private_key);
    CHECK(!push_key_public(private_key, public_key));
}

TEST("a message is padded, never twice the same, and refused for a key that is none") {
    uint8_t public_key[PUSH_PUBLIC], auth[PUSH_AUTH] = { 0 }, one[4096], other[4096];
    static const uint8_t text[PUSH_MOST] = "x";
    from64(browser, public_key, sizeof public_key);
    size_t size = push_encrypt(public_key, auth, text, 10, 512, NULL, one, sizeof one);
    CHECK_INT(size, PUSH_HEAD + PUSH_PUBLIC + 512 + 1 + PUSH_TAG);
    CHECK_INT(push_encrypt(public_key, auth, text, 300, 512, NULL, other, sizeof other), size);
    CHECK(memcmp(one, other, PUSH_HEAD + PUSH_PUBLIC));
    CHECK_INT(push_encrypt(public_key, auth, text, PUSH_MOST, 0, NULL, one, sizeof one), 4096);
    CHECK_INT(push_encrypt(public_key, auth, text, PUSH_MOST + 1, 0, NULL, one, sizeof one), 0);
    CHECK(push_key_is_public(public_key));
    public_key[40] ^= 1;
    CHECK(!push_key_is_public(public_key));
    CHECK_INT(push_encrypt(public_key, auth, text, 10, 512, NULL, one, sizeof one), 0);
}

TEST("RFC 8292 section 2.4: the token of the example is good, and so are ours") {
    static const char claims[] = "{\"aud\":\"https://push.example.net\","
        "\"exp\":1453523768,\"sub\":\"mailto:push@example.com\"}";
    uint8_t public_key[PUSH_PUBLIC], private_key[PUSH_PRIVATE];
    char token[600], header[900], wanted[300], key_text[push_letters(PUSH_PUBLIC) + 1];
    from64("BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs", public_key,
        sizeof public_key);
    snprintf(token, sizeof token, "%s", "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9."
        "eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJ"
        "leHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9o"
        "jFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA");
    CHECK(is_signed(token, public_key));

    CHECK(push_key_new(private_key, public_key));
    CHECK(push_authorize(private_key, "https://push.example.net", "mailto:push@example.com", 1453523768, header,
        sizeof header));
    snprintf(wanted, sizeof wanted, "%s", "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.");
    push_write_base64(claims, sizeof claims - 1, wanted + strlen(wanted));
    CHECK(!strncmp(header, wanted, strlen(wanted)));         /* all except the signature is as in the RFC */
    snprintf(token, sizeof token, "%.*s", (int)strcspn(header + 8, ","), header + 8);
    CHECK(is_signed(token, public_key));
    push_write_base64(public_key, sizeof public_key, key_text);
    CHECK_STR(strstr(header, ", k=") + 4, key_text);
    CHECK(!push_authorize(private_key, "https://push.example.net", "mailto:\"", 1, header, sizeof header));
    CHECK(!push_authorize(private_key, "https://push.example.net", "", 1, header, 80));
}

TEST("endpoints of push services, and what strangers make up") {
    struct push_endpoint endpoint;
    CHECK(push_endpoint_read("https://fcm.googleapis.com/fcm/send/abc:def", &endpoint));
    CHECK_STR(endpoint.host, "fcm.googleapis.com");
    CHECK_STR(endpoint.origin, "https://fcm.googleapis.com");
    CHECK(push_endpoint_read("https://push.example.org:8443/x?y=1", &endpoint));
    CHECK_STR(endpoint.origin, "https://push.example.org:8443");
    CHECK_INT(endpoint.port, 8443);
    static const char *const wrong[] = { "", "http://a.org/", "https://a.org", "https:///x", "https://u@a.org/x",
        "https://u:p@a.org/x", "https://a.org:0/x", "https://a.org:99999/x", "https://a.org:/x", "https://a.org:8x/x",
        "https://[::1]/x", "https://A.org/x", "https://a..org/x", "https://.a.org/x", "https://a.org./x", "https://a.org\\x",
        "https://a.org/x#y", "https://a.org/x y", "https://a.org/\r\nX: y", "https://a.org@b.org/", "file:///etc/passwd",
        "https://a.org/\xc3\xa9", "https://-a.org/", "HTTPS://a.org/", "https://a.org%2f/x", "https://a_b.org/",
        "https://a.org:443443/x" };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (!CHECK(!push_endpoint_read(wrong[i], &endpoint)))
            fprintf(stderr, "# %s\n", wrong[i]);
    static char most[PUSH_ENDPOINT + 1] = "https://a.org/";
    memset(most + 14, 'x', sizeof most - 15);
    CHECK(!push_endpoint_read(most, &endpoint));
    most[PUSH_ENDPOINT - 1] = '\0';
    CHECK(push_endpoint_read(most, &endpoint));
}

TEST("which hosts a list covers") {
    struct push_endpoint endpoint;
    push_endpoint_read("https://wns2-by3p.notify.windows.com/w/", &endpoint);
    CHECK(push_host_covers(".notify.windows.com", &endpoint));
    CHECK(push_host_covers("wns2-by3p.notify.windows.com", &endpoint));
    CHECK(!push_host_covers("notify.windows.com", &endpoint));
    CHECK(!push_host_covers("wns2-by3p.notify.windows.com:8443", &endpoint));
    push_endpoint_read("https://evilnotify.windows.com/", &endpoint);
    CHECK(!push_host_covers(".notify.windows.com", &endpoint));
    push_endpoint_read("https://127.0.0.1:9999/x", &endpoint);
    CHECK(push_host_covers("127.0.0.1:9999", &endpoint));
    CHECK(!push_host_covers("127.0.0.1", &endpoint));
    CHECK(push_host_is_entry(".a.org") && push_host_is_entry("a.org:1") && push_host_is_entry("10.0.0.1"));
    CHECK(!push_host_is_entry("") && !push_host_is_entry("*.a.org") && !push_host_is_entry("https://a.org"));
    CHECK(!push_host_is_entry("a.org:") && !push_host_is_entry("a.org:70000") && !push_host_is_entry("a.org/x"));
}

TEST("addresses that are not for everybody") {
    static const struct { uint8_t at[16]; size_t size; bool is_public; } cases[] = {
        { { 8, 8, 8, 8 }, 4, true }, { { 172, 15, 0, 1 }, 4, true }, { { 172, 32, 0, 1 }, 4, true },
        { { 100, 63, 0, 1 }, 4, true }, { { 223, 255, 255, 254 }, 4, true }, { { 127, 0, 0, 1 }, 4, false },
        { { 127, 255, 0, 1 }, 4, false }, { { 10, 1, 2, 3 }, 4, false }, { { 172, 16, 0, 1 }, 4, false },
        { { 172, 31, 255, 1 }, 4, false }, { { 192, 168, 1, 1 }, 4, false }, { { 169, 254, 169, 254 }, 4, false },
        { { 100, 64, 0, 1 }, 4, false }, { { 0 }, 4, false }, { { 224, 0, 0, 1 }, 4, false },
        { { 255, 255, 255, 255 }, 4, false }, { { 198, 19, 0, 1 }, 4, false },
        { { 0x2a, 0x00, 0x14, 0x50 }, 16, true }, { { [15] = 1 }, 16, false }, { { 0 }, 16, false },
        { { 0xfe, 0x80 }, 16, false }, { { 0xfc }, 16, false }, { { 0xfd, 1 }, 16, false }, { { 0xff, 2 }, 16, false },
        { { [10] = 0xff, [11] = 0xff, [12] = 8, 8, 8, 8 }, 16, false }, { { 0, 0x64, 0xff, 0x9b }, 16, false },
        { { 0x20, 0x02, 127, 0, 0, 1 }, 16, false }, { { 0x20, 0x01 }, 16, false },
        { { 0x20, 0x01, 0x0d, 0xb8 }, 16, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!CHECK_INT(push_address_is_public(cases[i].at, cases[i].size), cases[i].is_public))
            fprintf(stderr, "# case %u\n", i);
}
