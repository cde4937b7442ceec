#include "h2_sink_request.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char fcm_answer[] = "{\"name\":\"projects/sink/messages/0:1500415314455276%31bd1c9631bd1c96\"}";

struct request *new_request(struct requests *all) {
    struct request *request = all->ended;
    if (request) {
        all->ended = request->next;
    } else {
        request = malloc(sizeof *request);
        if (!request) abort();
        request->made_before = all->made;
        all->made = request;
    }
    request->service = OTHER;
    request->number = -1;
    request->id_length = request->written = 0;
    return request;
}

void end_request(struct requests *all, struct request *request) {
    if (!request) return;
    request->next = all->ended;
    all->ended = request;
}

void free_requests(struct requests *all) {
    for (struct request *request = all->made, *before; request; request = before) {
        before = request->made_before;
        free(request);
    }
    *all = (struct requests){0};
}

static bool begins(const char *start, const uint8_t *value, size_t length) {
    size_t needed = strlen(start);
    return length >= needed && !memcmp(value, start, needed);
}

// The number is in the first eight digits.
static void read_id(struct request *request, const uint8_t *value, size_t length) {
    if (length > sizeof request->id) return;
    memcpy(request->id, value, length);
    request->id_length = length;
    if (length < 8) return;
    char digits[9] = {0}, *after;
    memcpy(digits, value, 8);
    long number = strtol(digits, &after, 16);
    if (!*after && number >= 0 && number < MOST_REQUESTS) request->number = number;
}

void read_header(struct request *request, const uint8_t *name, size_t name_length, const uint8_t *value, size_t value_length) {
    if (name_length == 5 && !memcmp(name, ":path", 5))
        request->service = begins("/3/device/", value, value_length) ? APNS
            : begins("/v1/projects/", value, value_length) ? FCM : OTHER;
    else if (name_length == 7 && !memcmp(name, "apns-id", 7))
        read_id(request, value, value_length);
}

static ssize_t read_fcm_answer(
    nghttp2_session *session, int32_t stream, uint8_t *room, size_t length, uint32_t *flags, nghttp2_data_source *source,
    void *user) {
    (void)session, (void)stream, (void)user;
    struct request *request = source->ptr;
    size_t left = sizeof fcm_answer - 1 - request->written, count = left < length ? left : length;
    memcpy(room, fcm_answer + request->written, count);
    request->written += count;
    if (count == left) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return count;
}

#define FIELD(name, value, length, index) \
    {(uint8_t *)name, (uint8_t *)(value), sizeof name - 1, length, NGHTTP2_NV_FLAG_NO_COPY_NAME | index}

void submit_answer(nghttp2_session *session, int32_t stream, struct request *request) {
    nghttp2_nv fields[] = {
        FIELD(":status", "200", 3, NGHTTP2_NV_FLAG_NO_COPY_VALUE),
        FIELD("apns-id", request->id, request->id_length, NGHTTP2_NV_FLAG_NO_INDEX),
    };
    nghttp2_nv fcm_fields[] = {
        fields[0], FIELD("content-type", "application/json; charset=UTF-8", 31, NGHTTP2_NV_FLAG_NO_COPY_VALUE)};
    nghttp2_data_provider body = {.source.ptr = request, .read_callback = read_fcm_answer};
    int failed = request->service == FCM ? nghttp2_submit_response(session, stream, fcm_fields, 2, &body)
                                         : nghttp2_submit_response(session, stream, fields, request->id_length ? 2 : 1, NULL);
    if (failed) {
        fprintf(stderr, "an answer: %s\n", nghttp2_strerror(failed));
        exit(1);
    }
}
