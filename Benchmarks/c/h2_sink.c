// Stands in for a service that is spoken to over HTTP/2: takes requests, answers 200 with their apns-id, counts. It can end
// connections as such services do, and knows of each request whether it took it. At /v1/projects/ it answers as FCM does.
//
//     cc -O2 h2_sink.c h2_sink_request.c sink_tls.c -lnghttp2 -lssl -lcrypto -o h2_sink && ./h2_sink --certificate FILE --key FILE
//         [--port N] [--streams N] [--latency-ms N] [--any-id | [--goaway-every N | --cut-every N] [--record FILE]]
//
// One thread, one epoll set, TLS 1.3. Prints "port=N" when it listens; SIGTERM ends it after one line: "requests=N bodies=N
// answered=N unanswered=N on_the_way=N left_out=N connections=N most_streams=N refused=N".
//
// --streams N: MAX_CONCURRENT_STREAMS, 1,000 by default. --latency-ms N: answers that much later.
// --any-id: takes requests whatever their apns-id is, as a product makes them: at /3/device/ and at /v1/projects/.
// --goaway-every N: the Nth request of a connection is the last one that it takes. GOAWAY says so, what was taken is answered,
// then the connection closes. What came behind is `left_out`.
// --cut-every N: of a connection the Nth request and what was read with it get no answer (`unanswered`). The connection ends
// without a word; what the client had under way by then is read and counted (`on_the_way`), and not answered either.
// --record FILE: for each request, by the number that its apns-id begins with, one byte: how often it was taken (bits 0 to 2,
// 7 is 7 or more) and whether it was answered (bit 3).
//
// `requests` is the sum of answered, unanswered and on_the_way; `bodies` those of them that came with one. `refused`: requests
// without such a number, or at another path with --any-id.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "h2_sink_request.h"
#include "sink_tls.h"

// `WIDE`: what a connection may send before the sink has read it, so that no client waits for that, or fails because of it.
enum { MOST_CONNECTIONS = 1024, RECORD = 16384, WIDE = 1 << 20, TAKEN = 7, ANSWERED = 8 };

// Descriptors are reused: `life` shows whether the connection of a delayed answer is still the same one.
struct connection {
    uint32_t life;
    nghttp2_session *session;  // NULL: not open
    struct ssl_st *tls;
    struct requests requests;
    unsigned long taken, open;
    int32_t newest, last;  // `last`: of the GOAWAY; 0: none was sent
    bool cut;              // nothing is answered any more
    bool ended;            // our end of the connection is closed; the peer's end closes it
};

struct due {
    uint64_t at;
    int fd;
    uint32_t life;
    int32_t stream;
};

static struct connection connections[MOST_CONNECTIONS];
static struct due *waiting;  // a ring: all wait equally long, so they are in order
static size_t first, last, capacity = 1 << 16;
static uint8_t record[MOST_REQUESTS];
static long highest = -1;
static uint64_t latency;
static unsigned long goaway_every, cut_every;
static uint32_t streams = 1000;
static bool any_id;
static unsigned long bodies, answered, unanswered, on_the_way, left_out, accepted, refused, open_streams, most_streams;
static nghttp2_session_callbacks *callbacks;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void drop(int fd) {
    struct connection *c = &connections[fd];
    nghttp2_session_del(c->session);
    c->session = NULL;
    free_requests(&c->requests);
    open_streams -= c->open;  // of what is open then, nghttp2 says nothing
    c->life++;
    tls_free(c->tls);
    close(fd);
}

// Closed with bytes unread, a socket would take back answers that are still on their way.
static void end(int fd) {
    connections[fd].ended = true;
    if (!connections[fd].cut) tls_end(connections[fd].tls);
    shutdown(fd, SHUT_WR);
}

static bool is_taken(const struct request *request) { return any_id ? request->service != OTHER : request->number >= 0; }

static void answer(struct connection *c, int32_t stream) {
    struct request *request = nghttp2_session_get_stream_user_data(c->session, stream);
    if (!request) return;  // the client has given it up
    submit_answer(c->session, stream, request);
    answered++;
    if (!any_id) record[request->number] |= ANSWERED;
}

// A request is there, to its end.
static void take(int fd, int32_t stream, bool has_body) {
    struct connection *c = &connections[fd];
    if (c->last && stream > c->last) {
        left_out++;
        return;
    }
    const struct request *request = nghttp2_session_get_stream_user_data(c->session, stream);
    if (!request || !is_taken(request)) {
        refused++;
        nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_PROTOCOL_ERROR);
        return;
    }
    bodies += has_body;
    if (!any_id) {
        if ((record[request->number] & TAKEN) < TAKEN) record[request->number]++;
        if (request->number > highest) highest = request->number;
    }
    if (stream > c->newest) c->newest = stream;
    if (++c->taken == cut_every) c->cut = true;
    if (c->taken == goaway_every) {
        static const uint8_t reason[] = "Shutdown";
        c->last = c->newest;
        nghttp2_submit_goaway(c->session, NGHTTP2_FLAG_NONE, c->last, NGHTTP2_NO_ERROR, reason, sizeof reason - 1);
    }
    if (c->ended) {
        on_the_way++;
    } else if (c->cut) {
        unanswered++;
    } else if (!latency) {
        answer(c, stream);
    } else {
        if (last - first == capacity) {
            fprintf(stderr, "more than %zu answers wait\n", capacity);
            exit(1);
        }
        waiting[last++ % capacity] = (struct due){now() + latency, fd, c->life, stream};
    }
}

static int on_header(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
    size_t value_length, uint8_t flags, void *user) {
    (void)flags, (void)user;
    struct request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (request) read_header(request, name, name_length, value, value_length);
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
    (void)session;
    bool is_part = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (is_part && frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        take((intptr_t)user, frame->hd.stream_id, frame->hd.type == NGHTTP2_DATA);
    return 0;
}

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    struct connection *c = &connections[(intptr_t)user];
    nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, new_request(&c->requests));
    c->open++;
    if (++open_streams > most_streams) most_streams = open_streams;
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *user) {
    (void)code;
    struct connection *c = &connections[(intptr_t)user];
    end_request(&c->requests, nghttp2_session_get_stream_user_data(session, stream));
    c->open--;
    open_streams--;
    return 0;
}

// Writes all frames there are, and ends the connection when that is due.
static void write_all(int fd) {
    struct connection *c = &connections[fd];
    static uint8_t bytes[1 << 20];
    if (!c->session || c->ended) return;
    size_t length = 0;
    const uint8_t *frame;
    for (ssize_t count; (count = nghttp2_session_mem_send(c->session, &frame)) > 0; length += count) {
        if (length + count > sizeof bytes) {
            fprintf(stderr, "more than %zu bytes of answers\n", sizeof bytes);
            exit(1);
        }
        memcpy(bytes + length, frame, count);
    }
    // This fits in the socket's buffer: a short write means that the peer went away, which the next read shows.
    for (size_t sent = 0; sent < length;) {
        size_t left = length - sent;
        ssize_t count = tls_write(c->tls, (char *)bytes + sent, left < RECORD ? left : RECORD);
        if (count < 0) return drop(fd);
        sent += count;
    }
    bool is_over = !nghttp2_session_want_read(c->session) && !nghttp2_session_want_write(c->session);
    if (c->cut || is_over) end(fd);
}

static void receive(int fd) {
    struct connection *c = &connections[fd];
    static char room[RECORD];
    for (;;) {
        ssize_t count = tls_read(c->tls, room, sizeof room);
        if (count < 0 && errno == EAGAIN) break;
        if (count <= 0) return drop(fd);
        // After a GOAWAY nobody looks at what still comes. After a cut it is counted.
        if (c->ended && !c->cut) continue;
        if (nghttp2_session_mem_recv(c->session, (uint8_t *)room, count) < 0) return drop(fd);
        write_all(fd);
        if (!c->session) return;
    }
}

static void admit(int listener, int set) {
    int fd, on = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        if (fd >= MOST_CONNECTIONS) {
            refused++;
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *c = &connections[fd];
        *c = (struct connection){.life = c->life, .tls = tls_accept(fd)};
        if (!c->tls || nghttp2_session_server_new(&c->session, callbacks, (void *)(intptr_t)fd)) fail("a connection");
        const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams}};
        nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings, 1);
        nghttp2_session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0, WIDE);
        accepted++;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
    }
}

static int listen_on(int port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (void *)&address, length) || listen(listener, 4096)) fail("listen");
    getsockname(listener, (void *)&address, &length);
    printf("port=%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void tell_all(const char *file) {
    if (file) {
        FILE *records = fopen(file, "wb");
        size_t count = highest + 1;
        if (!records || fwrite(record, 1, count, records) != count || fclose(records)) fail(file);
    }
    printf("requests=%lu bodies=%lu answered=%lu unanswered=%lu on_the_way=%lu left_out=%lu connections=%lu most_streams=%lu "
           "refused=%lu\n",
           answered + unanswered + on_the_way, bodies, answered, unanswered, on_the_way, left_out, accepted, most_streams, refused);
}

int main(int count, char **arguments) {
    static const struct option known[] = {
        {"certificate", 1, 0, 'c'}, {"key", 1, 0, 'k'}, {"port", 1, 0, 'p'}, {"streams", 1, 0, 's'}, {"latency-ms", 1, 0, 'l'},
        {"goaway-every", 1, 0, 'g'}, {"cut-every", 1, 0, 'u'}, {"record", 1, 0, 'r'}, {"any-id", 0, 0, 'a'},
        {0}};
    const char *certificate = NULL, *key = NULL, *file = NULL;
    int port = 0;
    for (int option; (option = getopt_long(count, arguments, "", known, NULL)) != -1;) switch (option) {
        case 'c': certificate = optarg; break;
        case 'k': key = optarg; break;
        case 'p': port = atoi(optarg); break;
        case 's': streams = strtoul(optarg, NULL, 10); break;
        case 'l': latency = atof(optarg) * 1e6; break;
        case 'g': goaway_every = strtoul(optarg, NULL, 10); break;
        case 'u': cut_every = strtoul(optarg, NULL, 10); break;
        case 'r': file = optarg; break;
        case 'a': any_id = true; break;
        default: exit(64);
    }
    if (optind < count || !certificate || !key || (any_id && file)) {
        fprintf(stderr, "h2_sink: an option is wrong, --certificate or --key is missing, or --any-id is beside --record\n");
        exit(64);
    }
    tls_start(certificate, key, "1.3");
    tls_choose_http2();
    waiting = malloc(capacity * sizeof *waiting);
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);

    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    int set = epoll_create1(EPOLL_CLOEXEC), stops = signalfd(-1, &stop, SFD_CLOEXEC), listener = listen_on(port);
    int watched[] = {listener, stops};
    for (int i = 0; i < 2; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = watched[i]};
        epoll_ctl(set, EPOLL_CTL_ADD, watched[i], &event);
    }
    for (;;) {
        struct epoll_event events[256];
        struct timespec rest, *until = NULL;
        if (first != last) {
            uint64_t at = waiting[first % capacity].at, time = now(), left = at > time ? at - time : 0;
            rest = (struct timespec){left / 1000000000ull, left % 1000000000ull};
            until = &rest;
        }
        int ready = epoll_pwait2(set, events, 256, until, NULL);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd == stops) return tell_all(file), 0;
            if (fd == listener) admit(listener, set);
            else if (connections[fd].session) receive(fd);
        }
        uint64_t time = now();
        for (; first != last && waiting[first % capacity].at <= time; first++) {
            struct due *due = &waiting[first % capacity];
            struct connection *c = &connections[due->fd];
            if (!c->session || c->life != due->life || c->ended) continue;
            answer(c, due->stream);
            write_all(due->fd);
        }
    }
}
