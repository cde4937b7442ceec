// libcurl's setopt and getinfo are variadic, which Swift cannot call: one typed function per kind of argument, no
// logic. The epoll functions are here because Swift cannot name a member of the union in struct epoll_event, which is
// packed. The functions about TLS are here because libcurl gives out OpenSSL's own objects.
#ifndef FANFARE_CLIBCURL_SHIM_H
#define FANFARE_CLIBCURL_SHIM_H

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

typedef size_t (*fanfare_bytes_callback)(char *, size_t, size_t, void *);
typedef int (*fanfare_prereq_callback)(void *, char *, char *, int, int);
typedef curl_socket_t (*fanfare_open_callback)(void *, curlsocktype, struct curl_sockaddr *);
typedef int (*fanfare_close_callback)(void *, curl_socket_t);
typedef int (*fanfare_watch_callback)(CURL *, curl_socket_t, int, void *, void *);
typedef int (*fanfare_timer_callback)(CURLM *, long, void *);

static inline CURLcode fanfare_set_long(CURL *h, CURLoption o, long v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fanfare_set_text(CURL *h, CURLoption o, const char *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode fanfare_set_pointer(CURL *h, CURLoption o, const void *v) { return curl_easy_setopt(h, o, v); }
// libcurl copies the bytes.
static inline CURLcode fanfare_set_blob(CURL *h, CURLoption o, const void *bytes, size_t count) {
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
    return curl_easy_setopt(h, o, &blob);
}
static inline CURLcode fanfare_set_bytes_callback(CURL *h, CURLoption o, fanfare_bytes_callback v) {
    return curl_easy_setopt(h, o, v);
}
static inline CURLcode fanfare_set_prereq(CURL *h, fanfare_prereq_callback v) {
    return curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, v);
}
static inline CURLcode fanfare_set_open(CURL *h, fanfare_open_callback v) {
    return curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, v);
}
static inline CURLcode fanfare_set_close(CURL *h, fanfare_close_callback v) {
    return curl_easy_setopt(h, CURLOPT_CLOSESOCKETFUNCTION, v);
}

static inline CURLMcode fanfare_multi_set_long(CURLM *m, CURLMoption o, long v) { return curl_multi_setopt(m, o, v); }
static inline CURLMcode fanfare_multi_set_pointer(CURLM *m, CURLMoption o, void *v) {
    return curl_multi_setopt(m, o, v);
}
static inline CURLMcode fanfare_multi_set_watch(CURLM *m, fanfare_watch_callback v) {
    return curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, v);
}
static inline CURLMcode fanfare_multi_set_timer(CURLM *m, fanfare_timer_callback v) {
    return curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, v);
}

static inline CURLSHcode fanfare_share_sessions(CURLSH *s) {
    return curl_share_setopt(s, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

static inline CURLcode fanfare_get_long(CURL *h, CURLINFO i, long *v) { return curl_easy_getinfo(h, i, v); }
// In microseconds, for the CURLINFO_..._TIME_T.
static inline CURLcode fanfare_get_time(CURL *h, CURLINFO i, curl_off_t *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode fanfare_get_pointer(CURL *h, CURLINFO i, void **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode fanfare_get_socket(CURL *h, curl_socket_t *v) {
    return curl_easy_getinfo(h, CURLINFO_ACTIVESOCKET, v);
}
static inline CURLcode fanfare_message_result(const CURLMsg *m) { return m->data.result; }

// Keeps the last alert that came where the context's application data points: libcurl keeps words for the first failure of
// a handle alone, and none that a program could read.
static inline void fanfare_alert_came(const SSL *tls, int where, int alert) {
    int *last = (int *)SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls));
    if ((where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT && last != NULL) *last = alert;
}
// Offers HTTP/2 alone in the TLS handshake. libcurl offers it only together with its own framing.
static inline CURLcode fanfare_offer_http2_in(CURL *h, void *context, void *alert) {
    (void)h;
    SSL_CTX_set_app_data((SSL_CTX *)context, alert);
    SSL_CTX_set_info_callback((SSL_CTX *)context, fanfare_alert_came);
    return SSL_CTX_set_alpn_protos((SSL_CTX *)context, (const unsigned char *)"\x02h2", 3) == 0 ? CURLE_OK
                                                                                             : CURLE_SSL_CONNECT_ERROR;
}
// `alert` has to outlive the handle.
static inline CURLcode fanfare_offer_http2(CURL *h, int *alert) {
    CURLcode code = curl_easy_setopt(h, CURLOPT_SSL_CTX_DATA, alert);
    return code != CURLE_OK ? code : curl_easy_setopt(h, CURLOPT_SSL_CTX_FUNCTION, fanfare_offer_http2_in);
}
// Whether the server of a connected handle chose HTTP/2.
static inline int fanfare_chose_http2(CURL *h) {
    struct curl_tlssessioninfo *tls = NULL;
    if (curl_easy_getinfo(h, CURLINFO_TLS_SSL_PTR, &tls) != CURLE_OK || tls == NULL || tls->internals == NULL) return 0;
    const unsigned char *name = NULL;
    unsigned count = 0;
    SSL_get0_alpn_selected((const SSL *)tls->internals, &name, &count);
    return count == 2 && name[0] == 'h' && name[1] == '2';
}

static inline int fanfare_epoll_change(int epoll, int operation, int fd, unsigned events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(epoll, operation, fd, &event);
}
static inline int fanfare_event_fd(const struct epoll_event *e) { return e->data.fd; }
static inline unsigned fanfare_event_bits(const struct epoll_event *e) { return e->events; }

static inline const curl_version_info_data *fanfare_version_info(void) { return curl_version_info(CURLVERSION_NOW); }
static inline const char *fanfare_default_ca_bundle(void) { return fanfare_version_info()->cainfo; }

#endif
