// What the protocol of migrations/functions/protocol/ can do without HTTP: claims 1,000 messages, writes the intent for all
// of them and records all as accepted, until nothing is due. The reference for Sources/Store and Sources/PushWorker.
//
//     cc -O2 store_loop.c -lpq -lpthread -o store_loop && ./store_loop CONNINFO HUB MESSAGES-PER-POST CONNECTIONS [POSTS]
//
// POSTS: number of posts per intent and completion, as with a window; without it, all of the claim.
//
// The statements, types and binary forms are those of Sources/Store/Protocol/Queue.swift. Prints one line:
// "messages=N posts=N seconds=N rate=N cpu_us/message=N".
#include <endian.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BOOL = 16, INT8 = 20, INT2 = 21, INT4 = 23, TEXT = 25, FLOAT8 = 701, TIMESTAMPTZ = 1184 };
enum { INT2S = 1005, INT4S = 1007, TEXTS = 1009, INT8S = 1016, FLOAT8S = 1022 };
enum { BATCH = 1000, MOST_PARAMETERS = 30, ARRAYS = 27 };

// One array in PostgreSQL's binary form. All statements reuse its storage.
struct array {
    char *bytes;
    size_t length, room;
    int32_t count;
    bool has_null;
    uint32_t element;
};

struct worker {
    pthread_t thread;
    PGconn *connection;
    int32_t number, epoch;  // as sent
    int64_t mark_at, mark_id;
    struct array arrays[ARRAYS];
    long messages, posts;
};

static const char *conninfo, *hub_name;
static int per_post, posts_at_once = BATCH;

static void fail(PGconn *connection, const char *doing) {
    fprintf(stderr, "cannot %s: %s\n", doing, PQerrorMessage(connection));
    exit(1);
}

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void append(struct array *a, const void *bytes, size_t length) {
    if (a->length + length > a->room) {
        a->room = (a->room + length) * 2;
        a->bytes = realloc(a->bytes, a->room);
    }
    memcpy(a->bytes + a->length, bytes, length);
    a->length += length;
}

static void append_32(struct array *a, int32_t value) {
    value = htobe32(value);
    append(a, &value, 4);
}

static void begin(struct array *a, uint32_t element) {
    a->length = 20;  // the head is written by `finish`
    if (!a->room) a->bytes = malloc(a->room = 1 << 16);
    a->count = 0;
    a->has_null = false;
    a->element = element;
}

static void add_text(struct array *a, const char *text, size_t length) {
    append_32(a, length);
    append(a, text, length);
    a->count++;
}

static void add_64(struct array *a, int64_t value) {
    append_32(a, 8);
    value = htobe64(value);
    append(a, &value, 8);
    a->count++;
}

static void add_32(struct array *a, int32_t value) {
    append_32(a, 4);
    append_32(a, value);
    a->count++;
}

static void add_16(struct array *a, int16_t value) {
    append_32(a, 2);
    value = htobe16(value);
    append(a, &value, 2);
    a->count++;
}

static void add_null(struct array *a) {
    append_32(a, -1);
    a->has_null = true;
    a->count++;
}

static void finish(struct array *a) {
    int32_t head[] = {htobe32(a->count > 0), htobe32(a->has_null), htobe32(a->element), htobe32(a->count), htobe32(1)};
    memcpy(a->bytes, head, sizeof head);
    if (a->count == 0) a->length = 12;
}

static PGresult *run(struct worker *w, const char *name, int count, const char *const *values, const int *lengths) {
    static const int binary[MOST_PARAMETERS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                                1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    PGresult *result = PQexecPrepared(w->connection, name, count, values, lengths, binary, 1);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) fail(w->connection, name);
    return result;
}

static int64_t int64_at(PGresult *result, int row, int column) {
    int64_t value;
    memcpy(&value, PQgetvalue(result, row, column), 8);
    return be64toh(value);
}

static PGresult *claim(struct worker *w, int16_t hub) {
    int16_t hub_sent = htobe16(hub), priority = htobe16(1);
    int64_t at = htobe64(w->mark_at), id = htobe64(w->mark_id);
    int32_t limit = htobe32(BATCH);
    const char *values[] = {(char *)&hub_sent, (char *)&priority,  (char *)&at,      (char *)&id,
                            (char *)&limit,    (char *)&w->number, (char *)&w->epoch};
    return run(w, "claim", 7, values, (int[]){2, 2, 8, 8, 4, 4, 4});
}

// Writes posts `from` to `to` (from 0) of the claim: `per_post` messages a post, the target their tags with || between.
static void intend(struct worker *w, PGresult *claimed, int64_t claim, int from, int to) {
    struct array *n = w->arrays, *first = n + 1, *last = n + 2, *ids = n + 3, *targets = n + 4, *bytes = n + 5;
    begin(n, INT4), begin(first, INT4), begin(last, INT4), begin(ids, INT8), begin(targets, TEXT), begin(bytes, INT4);
    int rows = PQntuples(claimed);
    for (int post = from; post < to; post++) {
        int row = post * per_post, end = row + per_post < rows ? row + per_post : rows;
        char target[8192];
        size_t length = 0;
        add_32(n, post + 1);
        add_32(first, ids->count + 1);
        add_32(last, ids->count + end - row);
        add_32(bytes, PQgetlength(claimed, row, 9));
        for (; row < end; row++) {
            add_64(ids, int64_at(claimed, row, 3));
            if (length + PQgetlength(claimed, row, 6) + 4 > sizeof target) continue;
            if (length) memcpy(target + length, " || ", 4), length += 4;
            memcpy(target + length, PQgetvalue(claimed, row, 6), PQgetlength(claimed, row, 6));
            length += PQgetlength(claimed, row, 6);
        }
        add_text(targets, target, length);
    }
    int64_t claim_sent = htobe64(claim);
    const char *values[9] = {(char *)&claim_sent, (char *)&w->number, (char *)&w->epoch};
    int lengths[9] = {8, 4, 4};
    for (int i = 0; i < 6; i++) {
        finish(&w->arrays[i]);
        values[i + 3] = w->arrays[i].bytes;
        lengths[i + 3] = w->arrays[i].length;
    }
    PGresult *result = run(w, "intent", 9, values, lengths);
    if (*PQgetvalue(result, 0, 0) != 1) {
        fprintf(stderr, "claim %ld was taken away\n", (long)claim);
        exit(1);
    }
    PQclear(result);
}

// Records these posts as accepted, with ids as long as a hub's; with the last of them the claim ends.
static void complete(struct worker *w, PGresult *claimed, int64_t claim, int from, int to) {
    static const uint32_t elements[ARRAYS] = {
        INT8, INT8, INT2, INT4, TEXT, TEXT,                                            // alone
        INT8, TEXT, INT2, INT4, TEXT, TEXT, TEXT, TEXT, TEXT, INT2, FLOAT8, TEXT,      // posts
        INT8, INT8,                                                                    // taken
        INT8, INT8, TEXT, TEXT, FLOAT8, TEXT, INT8};                                   // left, finished
    static const char tracking[] = "7f3a51c2-90d4-4e0e-9c3b-5d6e7f8091a2", notification[] = "4281726354617283-5142637485960718-1";
    static const char not_repeated = 0;
    struct array *a = w->arrays;
    for (int i = 0; i < ARRAYS; i++) begin(&a[i], elements[i]);
    for (int n = from + 1; n <= to; n++) {
        int row = (n - 1) * per_post, end = row + per_post < PQntuples(claimed) ? row + per_post : PQntuples(claimed);
        if (end - row == 1) {
            add_64(&a[0], int64_at(claimed, row, 3));
            add_64(&a[1], claim * 10000 + n);
            add_16(&a[2], 201);
            add_32(&a[3], 12);
            add_text(&a[4], tracking, sizeof tracking - 1);
            add_text(&a[5], notification, sizeof notification - 1);
            continue;
        }
        add_64(&a[6], claim * 10000 + n);
        add_text(&a[7], "accepted", 8);
        add_16(&a[8], 201);
        add_32(&a[9], 12);
        add_text(&a[10], tracking, sizeof tracking - 1);
        add_text(&a[11], notification, sizeof notification - 1);
        add_null(&a[12]);
        add_text(&a[13], "accepted", 8);
        add_text(&a[14], "taken_by_hub", 12);
        add_16(&a[15], 0);
        add_null(&a[16]);
        add_null(&a[17]);
        for (; row < end; row++) {
            add_64(&a[18], int64_at(claimed, row, 3));
            add_64(&a[19], claim * 10000 + n);
        }
    }
    if (to * per_post >= PQntuples(claimed)) add_64(&a[26], claim);
    const char *values[MOST_PARAMETERS] = {(char *)&w->number, (char *)&w->epoch, &not_repeated};
    int lengths[MOST_PARAMETERS] = {4, 4, 1};
    for (int i = 0; i < ARRAYS; i++) {
        finish(&a[i]);
        values[i + 3] = a[i].bytes;
        lengths[i + 3] = a[i].length;
    }
    PGresult *result = run(w, "complete", MOST_PARAMETERS, values, lengths);
    int32_t answered;
    memcpy(&answered, PQgetvalue(result, 0, 0), 4);
    if ((int)be32toh(answered) != to - from) {
        fprintf(stderr, "%d of %d posts were recorded\n", (int)be32toh(answered), to - from);
        exit(1);
    }
    PQclear(result);
}

static void prepare(struct worker *w, const char *name, const char *text, int count, const Oid *types) {
    PGresult *result = PQprepare(w->connection, name, text, count, types);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(w->connection, name);
    PQclear(result);
}

// Connects, registers as a worker and prepares the three statements.
static int16_t introduce(struct worker *w) {
    w->connection = PQconnectdb(conninfo);
    if (PQstatus(w->connection) != CONNECTION_OK) fail(w->connection, "connect");
    PGresult *result = PQexecParams(w->connection,
                                    "SELECT r.id, h.id, r.epoch FROM push_worker.register_v1('store loop', 'c', 15) r, push.hub h "
                                    "WHERE h.name = $1",
                                    1, NULL, &hub_name, NULL, NULL, 0);
    if (PQntuples(result) != 1) fail(w->connection, "register for the hub (is it there?)");
    w->number = htobe32(atoi(PQgetvalue(result, 0, 0)));
    w->epoch = htobe32(atoi(PQgetvalue(result, 0, 2)));
    int16_t hub = atoi(PQgetvalue(result, 0, 1));
    PQclear(result);
    prepare(w, "claim", "SELECT * FROM push_worker.claim_v1($1, $2, $3, $4, NULL, $5, $6, $7)", 7,
            (Oid[]){INT2, INT2, TIMESTAMPTZ, INT8, INT4, INT4, INT4});
    prepare(w, "intent", "SELECT * FROM push_worker.intent_v1($1, $2, $3, $4, $5, $6, $7, $8, $9)", 9,
            (Oid[]){INT8, INT4, INT4, INT4S, INT4S, INT4S, INT8S, TEXTS, INT4S});
    prepare(w, "complete",
            "SELECT * FROM push_worker.complete_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, "
            "$16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30)",
            MOST_PARAMETERS,
            (Oid[]){INT4, INT4, BOOL, INT8S, INT8S, INT2S, INT4S, TEXTS, TEXTS, INT8S, TEXTS, INT2S, INT4S, TEXTS, TEXTS,
                    TEXTS, TEXTS, TEXTS, INT2S, FLOAT8S, TEXTS, INT8S, INT8S, INT8S, INT8S, TEXTS, TEXTS, FLOAT8S, TEXTS,
                    INT8S});
    return hub;
}

static void *work(void *given) {
    struct worker *w = given;
    int16_t hub = introduce(w);
    bool fresh = true;  // the search began at the start of the queue, so an empty result means that nothing is left
    w->mark_at = INT64_MIN;
    for (;;) {
        PGresult *claimed = claim(w, hub);
        int rows = PQntuples(claimed);
        if (rows == 0) {
            PQclear(claimed);
            if (fresh) return NULL;
            w->mark_at = INT64_MIN, w->mark_id = 0, fresh = true;
            continue;
        }
        fresh = false;
        int64_t id = int64_at(claimed, 0, 0);
        w->mark_at = int64_at(claimed, 0, 1);
        w->mark_id = int64_at(claimed, 0, 2);
        int posts = (rows + per_post - 1) / per_post;
        for (int from = 0; from < posts; from += posts_at_once) {
            int to = from + posts_at_once < posts ? from + posts_at_once : posts;
            intend(w, claimed, id, from, to);
            complete(w, claimed, id, from, to);
        }
        PQclear(claimed);
        w->messages += rows;
        w->posts += posts;
    }
}

int main(int count, char **arguments) {
    if (count != 5 && count != 6)
        return fprintf(stderr, "usage: store_loop CONNINFO HUB MESSAGES-PER-POST CONNECTIONS [POSTS]\n"), 64;
    conninfo = arguments[1];
    hub_name = arguments[2];
    per_post = atoi(arguments[3]);
    int workers = atoi(arguments[4]);
    if (count == 6) posts_at_once = atoi(arguments[5]);
    struct worker *all = calloc(workers, sizeof *all);
    double began = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < workers; i++) pthread_create(&all[i].thread, NULL, work, &all[i]);
    long messages = 0, posts = 0;
    for (int i = 0; i < workers; i++) {
        pthread_join(all[i].thread, NULL);
        messages += all[i].messages;
        posts += all[i].posts;
    }
    double wall = seconds(CLOCK_MONOTONIC) - began;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("messages=%ld posts=%ld seconds=%.4f rate=%.0f cpu_us/message=%.3f\n", messages, posts, wall,
           messages / wall, messages ? cpu * 1e6 / messages : 0);
    return 0;
}
