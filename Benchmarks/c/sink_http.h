// The sink's HTTP: what it reads of a request, and what it answers.
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct text {
    char bytes[512];
    size_t length;
};

// What a request asks of: a notification hub, FCM's messages:send, or FCM's token endpoint.
enum service { HUB, FCM, TOKEN, SERVICES };

extern struct text answers[SERVICES], last_answers[SERVICES];  // the last ones say that the connection ends

enum service service_of(const char *head);

// Writes all. Their Date is the current time, because senders compare clocks with it: to be called about every second.
void write_answers(void);

// The value of Content-Length in a request's head; 0 without it.
size_t body_length(const char *head, size_t length);

// Whether the tag expression of a post begins with `prefix`, which must not hold the end of a line.
bool has_tag(const char *head, size_t length, const char *prefix);
