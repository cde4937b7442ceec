#pragma once

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

// Before 3.0.3 an HMAC context re-initialised without its key went on where it had stopped: wrong signatures in silence.
#if OPENSSL_VERSION_NUMBER < 0x30000030L
#error "Signing needs OpenSSL 3.0.3 or later"
#endif

// An OSSL_PARAM keeps pointers to its name and value, and a Swift string is only lent to C for one call: the parameters
// are built here, out of literals. 1 on success.
static inline int hmac_sha256_set_key(EVP_MAC_CTX *context, const unsigned char *key, size_t length) {
    OSSL_PARAM settings[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0), OSSL_PARAM_construct_end()};
    return EVP_MAC_init(context, key, length, settings);
}

// Macros, which Swift cannot call.
static inline EVP_PKEY *new_p256_key(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *new_rsa_key(size_t bits) { return EVP_RSA_gen(bits); }
static inline void free_bytes(unsigned char *bytes) { OPENSSL_free(bytes); }
static inline long memory_bytes(BIO *memory, char **bytes) { return BIO_get_mem_data(memory, bytes); }
