// A push to an iPhone: the same in every side of the group `transport` that speaks HTTP/2 (in Swift it is Meter's ApplePost).
// Path, id and expiration differ from one to the next; token, topic, type and body do not.
#pragma once
#include <stdio.h>

enum { APPLE_DEVICES = 64, APPLE_TOKEN = 220, APPLE_TEXT = 96 };

static const char apple_body[] =
    "{\"aps\":{\"alert\":{\"title\":\"Breaking news Breaking news Breaking news \",\"body\":\"World news in English. "
    "World news in English. World news in English. World news in English. World news in English. \"},"
    "\"category\":\"NEWS_CATEGORY\"},\"id\":\"01234567890123456789012345678901\"}";

// Write into `text`, which has room for APPLE_TEXT bytes; they return the length.
static inline int apple_path(char *text, long number) {
    return snprintf(text, APPLE_TEXT, "/3/device/%064lx", number % APPLE_DEVICES);
}
static inline int apple_id(char *text, long number) {
    return snprintf(text, APPLE_TEXT, "%08lx-0000-8000-8000-000000000000", number);
}
static inline int apple_expiration(char *text, long number) {
    return snprintf(text, APPLE_TEXT, "%ld", 1700000000 + number % 7);
}

// "bearer aaa…", APPLE_TOKEN bytes and the end.
static inline void apple_token(char *text) {
    for (int i = snprintf(text, APPLE_TOKEN, "bearer "); i < APPLE_TOKEN; i++) text[i] = 'a';
    text[APPLE_TOKEN] = 0;
}
