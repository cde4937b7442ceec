#include "sink_http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

struct text answers[SERVICES], last_answers[SERVICES];

// The answer of a Standard tier hub.
static void write_hub(struct text *text, const char *date, const char *connection) {
    text->length = snprintf(
        text->bytes, sizeof text->bytes,
        "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nContent-Type: application/xml; charset=utf-8\r\n"
        "Location: https://sink.servicebus.windows.net/news/messages/4281726354617283-5142637485960718-1?api-version=2020-06\r\n"
        "Server: Microsoft-HTTPAPI/2.0\r\nTrackingId: 7f3a51c2-90d4-4e0e-9c3b-5d6e7f8091a2_G1\r\nDate: %s\r\n%s\r\n",
        date, connection);
}

static void write_json(struct text *text, const char *date, const char *connection, const char *body) {
    text->length = snprintf(
        text->bytes, sizeof text->bytes,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: %zu\r\nServer: ESF\r\n"
        "Cache-Control: private\r\nDate: %s\r\n%s\r\n%s",
        strlen(body), date, connection, body);
}

static void write_set(struct text *set, const char *date, const char *connection) {
    write_hub(&set[HUB], date, connection);
    write_json(&set[FCM], date, connection, "{\"name\":\"projects/sink/messages/0:1500415314455276%31bd1c9631bd1c96\"}");
    write_json(&set[TOKEN], date, connection, "{\"access_token\":\"sink\",\"expires_in\":3599,\"token_type\":\"Bearer\"}");
}

void write_answers(void) {
    char date[64];
    time_t seconds = time(NULL);
    struct tm parts;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&seconds, &parts));
    write_set(answers, date, "");
    write_set(last_answers, date, "Connection: close\r\n");
}

enum service service_of(const char *head) {
    static const char token[] = "POST /token ", fcm[] = "POST /v1/projects/";
    if (!strncmp(head, token, sizeof token - 1)) return TOKEN;
    return strncmp(head, fcm, sizeof fcm - 1) ? HUB : FCM;
}

// What follows a name, which includes its colon; NULL without such a line. It ends with the line, before the head does.
static inline const char *after(const char *name, size_t name_length, const char *head, size_t length) {
    for (const char *line = head, *end = head + length; line < end;) {
        const char *next = memchr(line, '\n', end - line);
        if (!next) break;
        if ((size_t)(next - line) > name_length + 1 && !strncasecmp(line, name, name_length)) return line + name_length;
        line = next + 1;
    }
    return NULL;
}

size_t body_length(const char *head, size_t length) {
    static const char name[] = "content-length:";
    const char *value = after(name, sizeof name - 1, head, length);
    return value ? strtoul(value, NULL, 10) : 0;
}

bool has_tag(const char *head, size_t length, const char *prefix) {
    static const char name[] = "servicebusnotification-tags:";
    const char *value = after(name, sizeof name - 1, head, length);
    return value && !strncmp(value + strspn(value, " "), prefix, strlen(prefix));
}
