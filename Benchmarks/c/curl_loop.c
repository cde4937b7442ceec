// What libcurl can do on one thread without Swift: the reference for Sources/HTTPTransport.
//
//     cc -O2 curl_loop.c -lcurl -o curl_loop && ./curl_loop URL REQUESTS IN-FLIGHT [one-cache|apple-http1|apple-http2] [CA-FILE]
//
// The same requests, options and tricks as the transport: a kept epoll set, one reused handle per slot, the header with
// the tags in front of a shared list, and a guard against libcurl's own resend of a POST. Prints one line:
// "rps=N cpu_us/req=N failed=N connections=N epoll_ctl=N warm_up=N longest_ms=N". `longest_ms` is the longest time from
// giving a request to libcurl to its answer, and counts from the first request of the warm-up on.
//
// CA-FILE: trusted in place of the system's certificates. one-cache: all handles share one cache of TLS sessions. apple-http1,
// apple-http2: pushes to iPhones (apple_post.h) in place of posts to a hub, URL without a path; with the second one over
// libcurl's own HTTP/2, one connection.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "apple_post.h"

enum { MOST_FILES = 65536, READ = 1, WRITE = 2 };

struct slot {
    CURL *easy;
    struct curl_slist tags;  // its `next` is the shared list: nothing is copied or allocated for a request
    char line[96];
    struct curl_slist expiration;  // between the two, of a push to an iPhone
    char second_line[48], path[APPLE_TEXT + 64];
    int sends;
    double began;
};

// Keeps the epoll set between requests: libcurl asks to forget a socket at the end of each transfer and to watch it
// again at the next, which would cost two system calls a request. Only for sockets whose close we see.
static struct {
    uint8_t ours, watched, wanted;
} files[MOST_FILES];

static const char body[] =
    "{\"title\":\"Breaking news Breaking news Breaking news Breaking news Breaking news Breaking news \","
    "\"body\":\"World news in English. World news in English. World news in English. World news in English. "
    "World news in English. World news in English. World news in English. \",\"badge\":1}";
static const char *url, *ca_file;
static bool to_apple, over_http2;
static CURLM *multi;
static CURLSH *sessions;  // NULL: as libcurl does without being asked
static struct slot *slots, **idle;
static struct curl_slist *shared;
static int set, idle_count;
static long started, finished, failed, opened, changes;
static double longest;  // seconds
static uint64_t timer;  // when libcurl wants to be called; 0: never

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static uint64_t milliseconds(void) { return seconds(CLOCK_MONOTONIC) * 1e3; }

static void change(int operation, int fd, int bits) {
    struct epoll_event event = {
        .events = (bits & READ ? EPOLLIN : 0) | (bits & WRITE ? EPOLLOUT : 0), .data.fd = fd};
    changes++;
    epoll_ctl(set, operation, fd, &event);
    files[fd].watched = bits;
}

static int on_watch(CURL *easy, curl_socket_t fd, int what, void *user, void *socket_user) {
    (void)easy, (void)user, (void)socket_user;
    if (what == CURL_POLL_REMOVE) {
        files[fd].wanted = 0;
        bool keep = files[fd].ours && files[fd].watched == READ;
        if (!keep && files[fd].watched) change(EPOLL_CTL_DEL, fd, 0);
        return 0;
    }
    int bits = (what & CURL_POLL_IN ? READ : 0) | (what & CURL_POLL_OUT ? WRITE : 0);
    files[fd].wanted = bits;
    if (files[fd].watched != bits) change(files[fd].watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, bits);
    return 0;
}

static curl_socket_t on_open(void *user, curlsocktype type, struct curl_sockaddr *address) {
    (void)user, (void)type;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd >= MOST_FILES) return close(fd), CURL_SOCKET_BAD;
    if (fd >= 0) files[fd].ours = 1, files[fd].watched = files[fd].wanted = 0, opened++;
    return fd;
}

static int on_close(void *user, curl_socket_t fd) {
    (void)user;
    files[fd].ours = files[fd].watched = files[fd].wanted = 0;
    return close(fd);
}

static int on_timer(CURLM *unused, long after, void *user) {
    (void)unused, (void)user;
    timer = after < 0 ? 0 : milliseconds() + after + (after == 0 ? 0 : 1);
    return 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user) {
    (void)bytes, (void)user;
    return size * count;
}

// libcurl resends a POST by itself when a reused connection breaks before the answer. A push must not be sent twice.
static int on_request(void *user, char *local, char *remote, int local_port, int remote_port) {
    (void)local, (void)remote, (void)local_port, (void)remote_port;
    struct slot *slot = user;
    return slot->sends++ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static CURL *make_easy(struct slot *slot) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, slot);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)(over_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    if (over_http2) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);  // it waits for the one connection there will be
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 5000L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 30000L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, slot);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, to_apple ? apple_body : body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)(to_apple ? sizeof apple_body : sizeof body) - 1);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (ca_file) curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);  // with a directory libcurl parses the file for every connection
    if (sessions) curl_easy_setopt(easy, CURLOPT_SHARE, sessions);
    return easy;
}

// The header lines and the URL of a push to an iPhone.
static void address_to_apple(struct slot *slot, long number) {
    apple_id(slot->line + snprintf(slot->line, sizeof slot->line, "apns-id: "), number);
    apple_expiration(slot->second_line + snprintf(slot->second_line, sizeof slot->second_line, "apns-expiration: "), number);
    apple_path(slot->path + snprintf(slot->path, 64, "%s", url), number);
    slot->expiration = (struct curl_slist){slot->second_line, shared};
    slot->tags = (struct curl_slist){slot->line, &slot->expiration};
    curl_easy_setopt(slot->easy, CURLOPT_URL, slot->path);
}

static void address_to_hub(struct slot *slot, long number) {
    snprintf(slot->line, sizeof slot->line, "ServiceBusNotification-Tags: (news_World && locale_en) || user_%ld", number);
    slot->tags = (struct curl_slist){slot->line, shared};
}

static void fill(long total) {
    double time = seconds(CLOCK_MONOTONIC);
    while (idle_count && started < total) {
        struct slot *slot = idle[--idle_count];
        (to_apple ? address_to_apple : address_to_hub)(slot, started++);
        slot->sends = 0;
        slot->began = time;
        curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER, &slot->tags);
        curl_multi_add_handle(multi, slot->easy);
    }
}

static void reap(void) {
    CURLMsg *message;
    double time = seconds(CLOCK_MONOTONIC);
    for (int left; (message = curl_multi_info_read(multi, &left));) {
        CURL *easy = message->easy_handle;
        CURLcode result = message->data.result;  // the message dies with remove_handle
        struct slot *slot;
        long status = 0;
        struct curl_header *location = NULL;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &slot);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        // nghttpd names nothing, and the sink answers an iPhone's push over HTTP/1.1 as a hub does.
        bool named = to_apple || !curl_easy_header(easy, "Location", 0, CURLH_HEADER, -1, &location);
        if (result != CURLE_OK || !named || !(status == 201 || (to_apple && status == 200))) failed++;
        if (time - slot->began > longest) longest = time - slot->began;
        curl_multi_remove_handle(multi, easy);
        idle[idle_count++] = slot;
        finished++;
    }
}

static void tell(int fd, int bits) {
    int running;
    curl_multi_socket_action(multi, fd, bits, &running);
}

static void fire_timer(void) {
    timer = 0;
    tell(CURL_SOCKET_TIMEOUT, 0);
}

static void drive(long total) {
    started = finished = 0;
    fill(total);
    while (finished < total) {
        uint64_t time = timer ? milliseconds() : 0;
        int rest = !timer ? 1000 : timer > time ? (int)(timer - time) : 0;
        struct epoll_event events[256];
        int ready = epoll_wait(set, events, 256, rest);
        if (timer && timer <= milliseconds()) fire_timer();
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            bool broken = events[i].events & (EPOLLERR | EPOLLHUP);
            int bits = (broken || events[i].events & EPOLLIN ? READ : 0) | (events[i].events & EPOLLOUT ? WRITE : 0);
            if (!(bits & files[fd].wanted)) {  // the peer closed an idle connection
                if (files[fd].watched) change(EPOLL_CTL_DEL, fd, 0);
                continue;
            }
            tell(fd, (bits & READ ? CURL_CSELECT_IN : 0) | (bits & WRITE ? CURL_CSELECT_OUT : 0));
        }
        reap();
        long before = started;
        fill(total);
        if (started == before) continue;
        fire_timer();  // starts new handles at once, without a trip through epoll; some end in this call
        reap();
        fill(total);
    }
}

static void share_lines(void) {
    char token[400];
    if (to_apple) apple_token(token + snprintf(token, sizeof token, "authorization: "));
    else
        snprintf(token, sizeof token, "Authorization: SharedAccessSignature sr=%090d&sig=%060d&se=1800000000&skn=%s", 0, 0,
                 "DefaultFullSharedAccessSignature");
    const char *hub[] = {"Content-Type: application/json;charset=utf-8", "ServiceBusNotification-Format: template",
                         "x-ms-version: 2015-01", "Expect:"};
    const char *apple[] = {"apns-topic: com.example.shop", "apns-push-type: alert", "content-type: application/json", "Expect:"};
    shared = curl_slist_append(shared, token);
    for (int i = 0; i < 4; i++) shared = curl_slist_append(shared, to_apple ? apple[i] : hub[i]);
}

int main(int count, char **arguments) {
    static const char usage[] = "usage: curl_loop URL REQUESTS IN-FLIGHT [one-cache|apple-http1|apple-http2] [CA-FILE]\n";
    if (count < 4 || count > 6) return fputs(usage, stderr), 64;
    url = arguments[1];
    long total = atol(arguments[2]), warm_up = total < 2000 ? total : 2000;
    int in_flight = atoi(arguments[3]);

    curl_global_init(CURL_GLOBAL_DEFAULT);
    for (int i = 4; i < count; i++) {
        over_http2 = over_http2 || !strcmp(arguments[i], "apple-http2");
        to_apple = to_apple || over_http2 || !strcmp(arguments[i], "apple-http1");
        if (strcmp(arguments[i], "one-cache")) {
            if (strncmp(arguments[i], "apple-", 6)) ca_file = arguments[i];
            continue;
        }
        sessions = curl_share_init();
        curl_share_setopt(sessions, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);  // one thread: no locks
    }
    multi = curl_multi_init();
    set = epoll_create1(EPOLL_CLOEXEC);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_watch);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 2L * in_flight);
    if (over_http2) {
        curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
        curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000L);
    }
    share_lines();
    slots = calloc(in_flight, sizeof *slots);
    idle = calloc(in_flight, sizeof *idle);
    for (int i = 0; i < in_flight; i++) {
        slots[i].easy = make_easy(&slots[i]);
        idle[idle_count++] = &slots[i];
    }

    drive(warm_up);
    long changes_before = changes;
    double began = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    drive(total);
    double wall = seconds(CLOCK_MONOTONIC) - began;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("rps=%.0f cpu_us/req=%.2f failed=%ld connections=%ld epoll_ctl=%ld warm_up=%ld longest_ms=%.1f\n", total / wall,
           cpu * 1e6 / total, failed, opened, changes - changes_before, warm_up, longest * 1e3);
    return failed != 0;
}
