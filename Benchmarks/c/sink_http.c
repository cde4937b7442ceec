#include "sink_http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

struct text answer, last_answer;

// The answer of a Standard tier hub.
static void write_answer(struct text *text, const char *date, const char *connection) {
    text->length = snprintf(
        text->bytes, sizeof text->bytes,
        "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nContent-Type: application/xml; charset=utf-8\r\n"
        "Location: https://sink.servicebus.windows.net/news/messages/4281726354617283-5142637485960718-1?api-version=2020-06\r\n"
        "Server: Microsoft-HTTPAPI/2.0\r\nTrackingId: 7f3a51c2-90d4-4e0e-9c3b-5d6e7f8091a2_G1\r\nDate: %s\r\n%s\r\n",
        date, connection);
}

void write_answers(void) {
    char date[64];
    time_t seconds = time(NULL);
    struct tm parts;
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&seconds, &parts));
    write_answer(&answer, date, "");
    write_answer(&last_answer, date, "Connection: close\r\n");
}

size_t body_length(const char *head, size_t length) {
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
