#include "sink_tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned long tls_handshakes, tls_resumed;
static SSL_CTX *context;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

void tls_start(const char *certificate, const char *key, const char *version) {
    int number = !strcmp(version, "1.2") ? TLS1_2_VERSION : !strcmp(version, "1.3") ? TLS1_3_VERSION : 0;
    if (!number) fail("--tls is 1.2 or 1.3");
    context = SSL_CTX_new(TLS_server_method());
    if (!context || !SSL_CTX_set_min_proto_version(context, number) || !SSL_CTX_set_max_proto_version(context, number))
        fail("OpenSSL does not speak this version");
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1) fail(certificate);
    if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(context) != 1) fail(key);
    // One system call for a request instead of one for the head of its record and one for the rest.
    SSL_CTX_set_read_ahead(context, 1);
    signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
}

static int choose_http2(
    SSL *tls, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned count, void *user) {
    (void)tls, (void)user;
    for (unsigned at = 0; at < count; at += 1 + offered[at]) {
        if (offered[at] != 2 || at + 3 > count || memcmp(offered + at + 1, "h2", 2)) continue;
        *chosen = offered + at + 1;
        *length = 2;
        return SSL_TLSEXT_ERR_OK;
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

void tls_choose_http2(void) { SSL_CTX_set_alpn_select_cb(context, choose_http2, NULL); }

SSL *tls_accept(int fd) {
    SSL *tls = SSL_new(context);
    if (!tls) return NULL;
    if (!SSL_set_fd(tls, fd)) {
        SSL_free(tls);
        return NULL;
    }
    SSL_set_accept_state(tls);
    return tls;
}

// What a call that moved nothing means.
static ssize_t failed(SSL *tls, int result) {
    switch (SSL_get_error(tls, result)) {
    case SSL_ERROR_ZERO_RETURN: return 0;
    case SSL_ERROR_WANT_READ: errno = EAGAIN; return -1;
    // SSL_ERROR_WANT_WRITE too: a handshake or an answer fits in the socket's buffer, so the peer does not read.
    default: errno = EPROTO; return -1;
    }
}

ssize_t tls_read(SSL *tls, char *bytes, size_t room) {
    bool was_done = SSL_is_init_finished(tls);
    ERR_clear_error();  // SSL_get_error looks at it
    int got = SSL_read(tls, bytes, room);
    if (!was_done && SSL_is_init_finished(tls)) {
        tls_handshakes++;
        tls_resumed += SSL_session_reused(tls);
    }
    return got > 0 ? got : failed(tls, got);
}

bool tls_has_more(SSL *tls) { return SSL_has_pending(tls); }

ssize_t tls_write(SSL *tls, const char *bytes, size_t length) {
    ERR_clear_error();
    int put = SSL_write(tls, bytes, length);
    if (put > 0) return put;
    errno = EPROTO;
    return -1;
}

void tls_end(SSL *tls) { SSL_shutdown(tls); }

void tls_free(SSL *tls) { SSL_free(tls); }
