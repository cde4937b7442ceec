// Stands in for a notification hub: takes requests over HTTP/1.1, answers 201 with a Location, counts.
//
//     cc -O2 sink.c -o sink && ./sink [--port N] [--latency-ms N] [--tell-at N | --tell-puts N] [--stamps FILE]
//
// One thread, one epoll set, connections kept alive. Prints "port=N" when it listens; SIGTERM ends it after one line:
// "requests=N bodies=N bytes=N connections=N refused=N puts=N". `requests` are those with POST, `bodies` those of them that
// came with one; `puts` are registrations of devices, which are counted apart. `refused` are neither, are too long, or came
// over a connection beyond the limit.
//
// --tell-at N: prints "reached=N after_ns=N others=N" when that many requests have come, with the time since the first one
// and the puts so far. --tell-puts N: the same for puts, with the requests so far.
// --stamps FILE: for every body with "id":"N" in it, that number and when the request was there (CLOCK_MONOTONIC, ns),
// 8 bytes each.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 8192, LONGEST_REQUEST = 70000 };

// Descriptors are reused: `life` shows whether the connection of a delayed answer is still the same one.
struct connection {
    bool open;
    uint32_t life;
    size_t filled, room;
    char *bytes;
};

struct due {
    uint64_t at;
    int fd;
    uint32_t life;
};

static struct connection connections[MOST_CONNECTIONS];
static struct due *waiting;  // a ring: all answers wait equally long, so they are in order
static size_t first, last, capacity = 1 << 16;
static uint64_t latency, began;  // `began`: when the first request came of those that are told of
static unsigned long tell_at, tell_puts;
static FILE *stamps;
static unsigned long requests, bodies, bytes, accepted, refused, registered;
static char answer[512];
static size_t answer_length;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// The answer of a Standard tier hub. Its Date is the current time, because senders compare clocks with it.
static void write_answer(void) {
    char date[64];
    time_t seconds = time(NULL);
    struct tm parts;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&seconds, &parts));
    answer_length = snprintf(
        answer, sizeof answer,
        "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nContent-Type: application/xml; charset=utf-8\r\n"
        "Location: https://sink.servicebus.windows.net/news/messages/4281726354617283-5142637485960718-1?api-version=2020-06\r\n"
        "Server: Microsoft-HTTPAPI/2.0\r\nTrackingId: 7f3a51c2-90d4-4e0e-9c3b-5d6e7f8091a2_G1\r\nDate: %s\r\n\r\n",
        date);
}

static void drop(int fd) {
    connections[fd].open = false;
    connections[fd].life++;
    close(fd);
}

static void reply(int fd) {
    // This fits in the socket's buffer: a short write means that the peer went away, which the next read shows.
    if (send(fd, answer, answer_length, MSG_NOSIGNAL) < 0 && errno != EAGAIN) drop(fd);
}

static size_t body_length(const char *head, size_t length) {
    static const char name[] = "content-length:";
    for (const char *line = head, *end = head + length; line < end;) {
        const char *next = memchr(line, '\n', end - line);
        if (!next) break;
        if ((size_t)(next - line) > sizeof name && !strncasecmp(line, name, sizeof name - 1))
            return strtoul(line + sizeof name - 1, NULL, 10);
        line = next + 1;
    }
    return 0;
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

// Takes every complete request from the received bytes.
static void serve(int fd) {
    struct connection *c = &connections[fd];
    size_t taken = 0;
    while (c->open) {
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
        requests += post;
        registered += put;
        bodies += post && body > 0;
        bytes += body;
        if (tell_at && post) tell(requests, tell_at, registered);
        if (tell_puts && put) tell(registered, tell_puts, requests);
        if (stamps) stamp(head + length, body);
        if (latency) {
            if (last - first == capacity) {
                fprintf(stderr, "more than %zu answers wait\n", capacity);
                exit(1);
            }
            waiting[last++ % capacity] = (struct due){now() + latency, fd, c->life};
        } else {
            reply(fd);
        }
    }
    if (!c->open) return;
    c->filled -= taken;
    memmove(c->bytes, c->bytes + taken, c->filled);
}

static void receive(int fd) {
    struct connection *c = &connections[fd];
    if (!c->open) return;
    if (c->room - c->filled < 2048 && c->room < LONGEST_REQUEST + 2048) {
        c->room = c->room ? c->room * 2 : 8192;
        c->bytes = realloc(c->bytes, c->room);
        if (!c->bytes) fail("realloc");
    }
    ssize_t got = recv(fd, c->bytes + c->filled, c->room - c->filled, 0);
    if (got > 0) {
        c->filled += got;
        serve(fd);
        if (c->open && c->filled == c->room && c->room > LONGEST_REQUEST) {
            refused++;
            drop(fd);
        }
    } else if (got == 0 || errno != EAGAIN) {
        drop(fd);
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
        connections[fd].open = true;
        connections[fd].filled = 0;
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

int main(int count, char **arguments) {
    int port = 0;
    for (int i = 1; i < count; i += 2) {
        if (i + 1 < count && !strcmp(arguments[i], "--port")) port = atoi(arguments[i + 1]);
        else if (i + 1 < count && !strcmp(arguments[i], "--latency-ms")) latency = atof(arguments[i + 1]) * 1e6;
        else if (i + 1 < count && !strcmp(arguments[i], "--tell-at")) tell_at = strtoul(arguments[i + 1], NULL, 10);
        else if (i + 1 < count && !strcmp(arguments[i], "--tell-puts")) tell_puts = strtoul(arguments[i + 1], NULL, 10);
        else if (i + 1 < count && !strcmp(arguments[i], "--stamps")) {
            if (!(stamps = fopen(arguments[i + 1], "wb"))) fail(arguments[i + 1]);
        } else return fprintf(stderr, "usage: sink [--port N] [--latency-ms N] [--tell-at N | --tell-puts N] [--stamps FILE]\n"), 64;
    }
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
    write_answer();
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
            write_answer();
            dated = time;
        }
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd == stops) {
                if (stamps && fclose(stamps)) fail("--stamps");
                printf("requests=%lu bodies=%lu bytes=%lu connections=%lu refused=%lu puts=%lu\n", requests, bodies, bytes,
                       accepted, refused, registered);
                return 0;
            }
            if (fd == listener) admit(listener, set);
            else receive(fd);
        }
        time = now();
        for (; first != last && waiting[first % capacity].at <= time; first++) {
            struct due *due = &waiting[first % capacity];
            struct connection *c = &connections[due->fd];
            if (c->open && c->life == due->life) reply(due->fd);
        }
    }
}
