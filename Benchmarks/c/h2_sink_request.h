// A request to h2_sink: what is kept of it, and its answer.
#pragma once
#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdint.h>

#include "apple_post.h"

enum { MOST_REQUESTS = 1 << 22 };

// What its path asks for.
enum service { OTHER, APNS, FCM };

struct request {
    enum service service;
    long number;  // that its apns-id begins with; -1: none below MOST_REQUESTS
    size_t id_length, written;
    char id[APPLE_TEXT];
    struct request *next, *made_before;
};

// Those of a connection, open and ended; the ended ones are used again.
struct requests {
    struct request *ended, *made;
};

struct request *new_request(struct requests *all);
void end_request(struct requests *all, struct request *request);
void free_requests(struct requests *all);

void read_header(struct request *request, const uint8_t *name, size_t name_length, const uint8_t *value, size_t value_length);
// 200 with its apns-id, or FCM's answer, which has a body.
void submit_answer(nghttp2_session *session, int32_t stream, struct request *request);
