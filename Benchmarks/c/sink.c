// Stands in for a notification hub: takes requests over HTTP/1.1, answers 201 with a Location, counts. At /v1/projects/ it
// answers as FCM does, and at /token as its token endpoint, whose requests are counted apart.
//
//     cc -O2 sink.c sink_http.c sink_tls.c -lssl -lcrypto -o sink && ./sink [--port N] [--latency-ms N [--late-tag WORD]]
//         [--tell-at N | --tell-puts N] [--stamps FILE] [--close-after N] [--certificate FILE --key FILE [--tls 1.2|1.3]]
//
// One thread, one epoll set, connections kept alive. Prints "port=N" when it listens; SIGTERM ends it after one line:
// "requests=N bodies=N bytes=N connections=N refused=N puts=N tokens=N handshakes=N resumed=N most_open=N started_ns=N
// slowest_ns=N".
// `requests` are those with POST, `bodies` those of them that came with one; `puts` are registrations of devices, which are
// counted apart. `refused` are neither, are too long, or came over a connection beyond the limit. `resumed` are the
// handshakes that continued an earlier session. `started_ns` is the time from the first connection until every connection
// had its first request, `slowest_ns` the longest time that one of them took for that.
//
// --latency-ms N: answers that much later; with --late-tag WORD only posts whose tag begins with WORD, and others at once.
// --tell-at N: prints "reached=N after_ns=N others=N" when that many requests have come, with the time since the first one
// and the puts so far. --tell-puts N: the same for puts, with the requests so far.
// --stamps FILE: for every body with "id":"N" in it, that number and when the request was there (CLOCK_MONOTONIC, ns),
// 8 bytes each.
// --close-after N: ends a connection after its Nth answer, which says so.
// --certificate FILE --key FILE: speaks TLS (sink_tls.c), of one version only (--tls, default 1.3).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
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

#include "sink_http.h"
#include "sink_tls.h"

enum { MOST_CONNECTIONS = 8192, LONGEST_REQUEST = 70000 };

// Descriptors are reused: `life` shows whether the connection of a delayed answer is still the same one.
struct connection {
    bool open, ending;  // `ending`: told that nothing follows; what the peer still sends is dropped until it ends too
    uint32_t life;
    unsigned long taken, answered;
    uint64_t admitted;
    struct ssl_st *tls;  // NULL: plain
    size_t filled, room;
    char *bytes;
};

struct due {
    uint64_t at;
    int fd;
    uint32_t life;
    enum service service;
};

static struct connection connections[MOST_CONNECTIONS];
static struct due *waiting;  // a ring: all that wait do so equally long, so they are in order
static size_t first, last, capacity = 1 << 16;
static uint64_t latency, began;  // `began`: when the first request came of those that are told of
static unsigned long tell_at, tell_puts, close_after;
static const char *late_tag;  // NULL: all answers wait
static bool secure;
static FILE *stamps;
static unsigned long requests, bodies, bytes, accepted, refused, registered, tokens, open_now, most_open;
static uint64_t first_admitted, started, slowest;

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
    connections[fd].open = false;
    connections[fd].life++;
    open_now--;
    if (connections[fd].tls) tls_free(connections[fd].tls);
    close(fd);
}

// Our end of the connection: the peer's end closes it.
static void finish(int fd) {
    struct connection *c = &connections[fd];
    c->ending = true;
    c->filled = 0;
    if (c->tls) tls_end(c->tls);
    shutdown(fd, SHUT_WR);
}

static void reply(int fd, enum service service) {
    struct connection *c = &connections[fd];
    bool is_last = ++c->answered == close_after;
    const struct text *text = is_last ? &last_answers[service] : &answers[service];
    // This fits in the socket's buffer: a short write means that the peer went away, which the next read shows.
    ssize_t put = c->tls ? tls_write(c->tls, text->bytes, text->length) : send(fd, text->bytes, text->length, MSG_NOSIGNAL);
    if (put < 0 && errno != EAGAIN) drop(fd);
    else if (is_last) finish(fd);
}

static void stamp(const char *body, size_t length) {
    static const char name[] = "\"id\":\"";
    const char *found = memmem(body, length, name, sizeof name - 1);
    if (!found) return;
    uint64_t pair[] = {0, now()};
    for (const char *digit = found + sizeof name - 1; digit < body + length && *digit >= '0' && *digit <= '9'; digit++)
        pair[0] = pair[0] * 10 + (*digit - '0');
    if (fwrite(pair, sizeof pair, 1, stamps) != 1) fail("--stamps");
}

static void tell(unsigned long count, unsigned long at, unsigned long others) {
    if (count == 1) began = now();
    if (count != at) return;
    printf("reached=%lu after_ns=%lu others=%lu\n", count, (unsigned long)(now() - began), others);
    fflush(stdout);
}

static void note_start(const struct connection *c) {
    uint64_t time = now();
    started = time - first_admitted;
    if (time - c->admitted > slowest) slowest = time - c->admitted;
}

// Takes every complete request from the received bytes.
static void serve(int fd) {
    struct connection *c = &connections[fd];
    size_t taken = 0;
    while (c->open && !(close_after && c->taken == close_after)) {
        char *head = c->bytes + taken;
        char *end = memmem(head, c->filled - taken, "\r\n\r\n", 4);
        if (!end) break;
        size_t length = end - head + 4, body = body_length(head, length);
        bool post = !strncmp(head, "POST ", 5), put = !strncmp(head, "PUT ", 4);
        if (!(post || put) || length + body > LONGEST_REQUEST) {
            refused++;
            drop(fd);
            return;
        }
        if (c->filled - taken < length + body) break;
        taken += length + body;
        if (!c->taken++) note_start(c);
        enum service service = service_of(head);
        if (service == TOKEN) {
            tokens++;
            reply(fd, service);
            continue;
        }
        requests += post;
        registered += put;
        bodies += post && body > 0;
        bytes += body;
        if (tell_at && post) tell(requests, tell_at, registered);
        if (tell_puts && put) tell(registered, tell_puts, requests);
        if (stamps) stamp(head + length, body);
        if (latency && (!late_tag || has_tag(head, length, late_tag))) {
            if (last - first == capacity) {
                fprintf(stderr, "more than %zu answers wait\n", capacity);
                exit(1);
            }
            waiting[last++ % capacity] = (struct due){now() + latency, fd, c->life, service};
        } else {
            reply(fd, service);
        }
    }
    if (!c->open || c->ending) return;
    c->filled -= taken;
    memmove(c->bytes, c->bytes + taken, c->filled);
}

// Whether something came.
static bool receive(int fd) {
    struct connection *c = &connections[fd];
    if (c->room - c->filled < 2048 && c->room < LONGEST_REQUEST + 2048) {
        c->room = c->room ? c->room * 2 : 8192;
        c->bytes = realloc(c->bytes, c->room);
        if (!c->bytes) fail("realloc");
    }
    char *free_bytes = c->bytes + c->filled;
    size_t room = c->room - c->filled;
    ssize_t got = c->tls ? tls_read(c->tls, free_bytes, room) : recv(fd, free_bytes, room, 0);
    if (got > 0) {
        if (c->ending) return true;
        c->filled += got;
        serve(fd);
        if (c->open && c->filled == c->room && c->room > LONGEST_REQUEST) {
            refused++;
            drop(fd);
        }
    } else if (got == 0 || errno != EAGAIN) {
        drop(fd);
    }
    return got > 0;
}

static void receive_all(int fd) {
    struct connection *c = &connections[fd];
    while (c->open && receive(fd) && c->open && c->tls && tls_has_more(c->tls)) {}
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
        *c = (struct connection){
            .open = true, .life = c->life, .admitted = now(), .room = c->room, .bytes = c->bytes};
        if (secure && !(c->tls = tls_accept(fd))) fail("TLS");
        if (!accepted++) first_admitted = c->admitted;
        if (++open_now > most_open) most_open = open_now;
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

static void tell_all(void) {
    printf("requests=%lu bodies=%lu bytes=%lu connections=%lu refused=%lu puts=%lu tokens=%lu handshakes=%lu resumed=%lu most_open=%lu "
           "started_ns=%lu slowest_ns=%lu\n",
           requests, bodies, bytes, accepted, refused, registered, tokens, tls_handshakes, tls_resumed, most_open,
           (unsigned long)started, (unsigned long)slowest);
}

static int parse(int count, char **arguments) {
    static const struct option known[] = {
        {"port", 1, 0, 'p'}, {"latency-ms", 1, 0, 'l'}, {"late-tag", 1, 0, 'g'}, {"tell-at", 1, 0, 'a'},
        {"tell-puts", 1, 0, 'u'}, {"stamps", 1, 0, 's'}, {"close-after", 1, 0, 'n'}, {"certificate", 1, 0, 'c'},
        {"key", 1, 0, 'k'}, {"tls", 1, 0, 't'}, {0}};
    const char *certificate = NULL, *key = NULL, *version = "1.3";
    int port = 0;
    for (int option; (option = getopt_long(count, arguments, "", known, NULL)) != -1;) switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'l': latency = atof(optarg) * 1e6; break;
        case 'g': late_tag = optarg; break;
        case 'a': tell_at = strtoul(optarg, NULL, 10); break;
        case 'u': tell_puts = strtoul(optarg, NULL, 10); break;
        case 'n': close_after = strtoul(optarg, NULL, 10); break;
        case 'c': certificate = optarg; break;
        case 'k': key = optarg; break;
        case 't': version = optarg; break;
        case 's':
            if (!(stamps = fopen(optarg, "wb"))) fail(optarg);
            break;
        default: exit(64);
    }
    if (optind < count || !certificate != !key) {
        fprintf(stderr, "sink: an option is wrong, or one of --certificate and --key is missing\n");
        exit(64);
    }
    secure = certificate != NULL;
    if (secure) tls_start(certificate, key, version);
    return port;
}

int main(int count, char **arguments) {
    int port = parse(count, arguments);
    waiting = malloc(capacity * sizeof *waiting);
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
    write_answers();
    for (uint64_t dated = now();;) {
        struct epoll_event events[256];
        struct timespec rest, *until = NULL;
        if (first != last) {
            uint64_t at = waiting[first % capacity].at, time = now(), left = at > time ? at - time : 0;
            rest = (struct timespec){left / 1000000000ull, left % 1000000000ull};
            until = &rest;
        }
        int ready = epoll_pwait2(set, events, 256, until, NULL);
        uint64_t time = now();
        if (time - dated > 500000000ull) {
            write_answers();
            dated = time;
        }
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd == stops) {
                if (stamps && fclose(stamps)) fail("--stamps");
                tell_all();
                return 0;
            }
            if (fd == listener) admit(listener, set);
            else receive_all(fd);
        }
        time = now();
        for (; first != last && waiting[first % capacity].at <= time; first++) {
            struct due *due = &waiting[first % capacity];
            struct connection *c = &connections[due->fd];
            if (c->open && c->life == due->life) reply(due->fd, due->service);
        }
    }
}
