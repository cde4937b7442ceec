// What nghttp2 can do on one thread without Swift: the reference for Sources/HTTPTransport/HTTP2.
//
//     cc -O2 h2_loop.c -lcurl -lnghttp2 -lssl -lcrypto -o h2_loop && ./h2_loop URL REQUESTS IN-FLIGHT CA-FILE
//
// The same requests and the same tricks as the transport: libcurl brings the connection (name, TLS, verification), the frames
// of one turn leave side by side in writes of at most one TLS record, reads go on until nothing is left, and values that never
// come again are not indexed by HPACK. One connection, so IN-FLIGHT is at most what the server allows. Prints one line:
// "rps=N cpu_us/req=N failed=N warm_up=N".
#define _GNU_SOURCE
#include <curl/curl.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apple_post.h"

enum { RECORD = 16384, MOST_WAITING = 1 << 20 };

static CURL *easy;
static nghttp2_session *session;
static curl_socket_t fd;
static char authority[128], token[APPLE_TOKEN + 1], content_length[16];
static long started, ended, failed, in_flight;
static uint8_t waiting[MOST_WAITING];  // frames that leave next: from `sent` to `collected`
static size_t sent, collected;

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "h2_loop: %s: %s\n", what, why);
    exit(1);
}

static CURLcode offer_http2(CURL *handle, void *context, void *user) {
    (void)handle, (void)user;
    return SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\x02h2", 3) ? CURLE_SSL_CONNECT_ERROR : CURLE_OK;
}

static void connect_to(const char *url, const char *ca_file) {
    easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_SSL_ENABLE_ALPN, 0L);  // with its own offer libcurl would put its own frames on top
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, offer_http2);
    curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    CURLcode code = curl_easy_perform(easy);
    if (code == CURLE_OK) code = curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &fd);
    if (code != CURLE_OK) fail(url, curl_easy_strerror(code));
}

static ssize_t read_body(
    nghttp2_session *unused, int32_t id, uint8_t *room, size_t length, uint32_t *flags, nghttp2_data_source *source, void *user) {
    (void)unused, (void)id, (void)user;
    int *begun = &source->fd;  // how much of it is in frames; the server's window may end within a body
    size_t left = sizeof apple_body - 1 - *begun, count = left < length ? left : length;
    memcpy(room, apple_body + *begun, count);
    *begun += count;
    if (count == left) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return count;
}

static nghttp2_nv field(const char *name, const char *value, size_t length, uint8_t flags) {
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), length, flags | NGHTTP2_NV_FLAG_NO_COPY_NAME};
}

static void submit(long number) {
    enum { ONCE = NGHTTP2_NV_FLAG_NO_INDEX, STAYS = NGHTTP2_NV_FLAG_NO_COPY_VALUE };
    char path[APPLE_TEXT], id[APPLE_TEXT], expiration[APPLE_TEXT];
    int path_length = apple_path(path, number), id_length = apple_id(id, number);
    int expiration_length = apple_expiration(expiration, number);
    const nghttp2_nv fields[] = {
        field(":method", "POST", 4, STAYS), field(":scheme", "https", 5, STAYS),
        field(":authority", authority, strlen(authority), STAYS), field(":path", path, path_length, ONCE),
        field("authorization", token, APPLE_TOKEN, STAYS), field("apns-topic", "com.example.shop", 16, STAYS),
        field("apns-push-type", "alert", 5, STAYS), field("content-type", "application/json", 16, STAYS),
        field("apns-id", id, id_length, ONCE), field("apns-expiration", expiration, expiration_length, ONCE),
        field("content-length", content_length, strlen(content_length), STAYS | ONCE)};
    nghttp2_data_provider body = {.read_callback = read_body};
    int32_t stream = nghttp2_submit_request(session, NULL, fields, sizeof fields / sizeof *fields, &body, NULL);
    if (stream < 0) fail("a request", nghttp2_strerror(stream));
    in_flight++;
}

static int on_header(
    nghttp2_session *unused, const nghttp2_frame *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
    size_t value_length, uint8_t flags, void *user) {
    (void)unused, (void)flags, (void)user;
    static char accepted;
    bool is_status = name_length == 7 && !memcmp(name, ":status", 7);
    if (is_status && value_length == 3 && !memcmp(value, "200", 3))
        nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, &accepted);
    return 0;
}

static int on_close(nghttp2_session *unused, int32_t id, uint32_t code, void *user) {
    (void)unused, (void)user;
    if (code != NGHTTP2_NO_ERROR || !nghttp2_session_get_stream_user_data(session, id)) failed++;
    in_flight--;
    ended++;
    return 0;
}

static void begin_session(void) {
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_option_new(&option);
    nghttp2_option_set_no_closed_streams(option, 1);  // it keeps them for priorities, which nobody uses here
    nghttp2_session_client_new2(&session, callbacks, NULL, option);
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}};
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, 1);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
}

static void collect(void) {
    sent = collected = 0;
    const uint8_t *bytes;
    for (ssize_t count; (count = nghttp2_session_mem_send(session, &bytes)) > 0; collected += count) {
        if (collected + count > sizeof waiting) fail("a turn", "too many frames");
        memcpy(waiting + collected, bytes, count);
    }
}

// Whether the socket is full.
static bool write_all(void) {
    for (;;) {
        if (sent == collected) collect();
        if (sent == collected) return false;
        size_t left = collected - sent, wrote = 0;
        CURLcode code = curl_easy_send(easy, waiting + sent, left < RECORD ? left : RECORD, &wrote);
        if (code == CURLE_AGAIN) return true;
        if (code != CURLE_OK) fail("write", curl_easy_strerror(code));
        sent += wrote;
    }
}

static void read_all(void) {
    static uint8_t room[65536];
    for (;;) {
        size_t count = 0;
        CURLcode code = curl_easy_recv(easy, room, sizeof room, &count);
        if (code == CURLE_AGAIN) return;
        if (code != CURLE_OK) fail("read", curl_easy_strerror(code));
        if (!count) fail("read", "the server ended the connection");
        ssize_t taken = nghttp2_session_mem_recv(session, room, count);
        if (taken < 0) fail("read", nghttp2_strerror(taken));
    }
}

static void drive(long total, long window) {
    started = ended = 0;
    while (ended < total) {
        while (started < total && in_flight < window) submit(started++);
        bool is_full = write_all();
        struct pollfd one = {fd, POLLIN | (is_full ? POLLOUT : 0), 0};
        if (poll(&one, 1, 30000) == 0) fail("poll", "no answer in 30 s");
        read_all();
    }
}

int main(int count, char **arguments) {
    if (count != 5 || strncmp(arguments[1], "https://", 8))
        return fprintf(stderr, "usage: h2_loop https://HOST:PORT REQUESTS IN-FLIGHT CA-FILE\n"), 64;
    long total = atol(arguments[2]), window = atol(arguments[3]), warm_up = total < 2000 ? total : 2000;
    snprintf(authority, sizeof authority, "%s", arguments[1] + 8);
    snprintf(content_length, sizeof content_length, "%zu", sizeof apple_body - 1);
    apple_token(token);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    connect_to(arguments[1], arguments[4]);
    begin_session();

    drive(warm_up, window);
    double began = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    drive(total, window);
    double wall = seconds(CLOCK_MONOTONIC) - began;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("rps=%.0f cpu_us/req=%.2f failed=%ld warm_up=%ld\n", total / wall, cpu * 1e6 / total, failed, warm_up);
    nghttp2_session_del(session);
    curl_easy_cleanup(easy);
    return failed != 0;
}
