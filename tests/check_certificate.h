/* check_certificate.h: creates a new certificate for each test. Include it once; mkdtemp needs _POSIX_C_SOURCE. */
#ifndef CHECK_CERTIFICATE_H
#define CHECK_CERTIFICATE_H

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes a self-signed certificate for localhost and its key to files. */
static bool write_certificate(const char *certificate_file, const char *key_file)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    FILE *certificates = fopen(certificate_file, "w"), *keys = fopen(key_file, "w");
    X509_NAME *name = X509_get_subject_name(certificate);
    bool good = key && names && certificates && keys && X509_set_version(certificate, 2) &&
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) && X509_gmtime_adj(X509_getm_notBefore(certificate),
            -3600) &&
        X509_gmtime_adj(X509_getm_notAfter(certificate), 86400) && X509_set_pubkey(certificate, key) &&
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0) &&
        X509_set_issuer_name(certificate, name) && X509_add_ext(certificate, names, -1) &&
        X509_sign(certificate, key, EVP_sha256()) && PEM_write_X509(certificates, certificate) &&
        PEM_write_PrivateKey(keys, key, NULL, NULL, 0, NULL, NULL);
    X509_EXTENSION_free(names);
    X509_free(certificate);
    EVP_PKEY_free(key);
    if (certificates)
        fclose(certificates);
    if (keys)
        fclose(keys);
    return good;
}

/* The files of one case. */
static struct { char folder[32], certificate[64], key[64]; } files;

static bool make_files(void)
{
    strcpy(files.folder, "/tmp/wire.XXXXXX");
    if (!mkdtemp(files.folder))
        return false;
    snprintf(files.certificate, sizeof files.certificate, "%s/cert.pem", files.folder);
    snprintf(files.key, sizeof files.key, "%s/key.pem", files.folder);
    return write_certificate(files.certificate, files.key);
}

static void remove_files(void)
{
    remove(files.certificate);
    remove(files.key);
    rmdir(files.folder);
}

#endif
