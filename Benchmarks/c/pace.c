// Enqueues at a steady pace: each INSERT has a fixed time, and begins then unless every connection is still busy with an
// earlier one. So a system that stalls still gets all messages, and no delay is hidden.
//
//     cc -O2 pace.c -lpq -lpthread -o pace && ./pace CONNINFO HUB INSERTS PER-SECOND ROWS-PER-INSERT CONNECTIONS WAKE PRIORITY
//         FILE
//
// Every INSERT is a transaction of its own; with WAKE 1 it calls push.wake_up() before it commits, in the same round trip.
// Its time is random within its share of a second, so that it does not synchronise with periodic polling. Message n,
// counted from 0, carries "id":"n". For every INSERT, in order, FILE gets three times of 8 bytes (CLOCK_MONOTONIC, ns):
// when it was due, when it was sent, and when the client knew that it was committed.
//
// Prints one line: "messages=N seconds=N late=N"; `late` INSERTs began a millisecond or more after their time.
#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ROWS = 100 };

struct times {
    uint64_t due, sent, committed;
};

static const char *conninfo, *hub;
static long inserts, rows, wakes, priority;
static double interval;  // ns
static uint64_t start;
static struct times *times;
static atomic_long next_insert, late;
static pthread_barrier_t ready;

static void fail(PGconn *connection, const char *doing) {
    fprintf(stderr, "cannot %s: %s\n", doing, PQerrorMessage(connection));
    exit(1);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

// A pseudo-random number from 0 to below 1, the same in every run (splitmix64).
static double somewhere(uint64_t n) {
    n = (n + 1) * 0x9e3779b97f4a7c15ull;
    n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9ull;
    n = (n ^ n >> 27) * 0x94d049bb133111ebull;
    return ((n ^ n >> 31) >> 11) * 0x1p-53;
}

static PGconn *introduce(void) {
    PGconn *connection = PQconnectdb(conninfo);
    if (PQstatus(connection) != CONNECTION_OK) fail(connection, "connect");
    char text[80 + 40 * MOST_ROWS], *end = text;
    end += sprintf(end, "INSERT INTO push.message (hub, pack, priority, tag, content) VALUES ");
    for (long row = 0; row < rows; row++)
        end += sprintf(end, "%s($1, false, %ld, $%ld, $%ld)", row ? ", " : "", priority, 2 * row + 2, 2 * row + 3);
    PGresult *result = PQprepare(connection, "insert", text, 0, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(connection, "prepare the INSERT");
    PQclear(result);
    if (!wakes) return connection;
    result = PQprepare(connection, "wake", "SELECT push.wake_up()", 0, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(connection, "prepare the call");
    PQclear(result);
    if (!PQenterPipelineMode(connection)) fail(connection, "begin a pipeline");
    return connection;
}

// The next result of a pipeline. Each statement's result is followed by a null one; the pipeline ends with a sync result.
static void expect(PGconn *connection, ExecStatusType status) {
    PGresult *result = PQgetResult(connection);
    if (PQresultStatus(result) != status) fail(connection, "insert and wake");
    PQclear(result);
    if (status != PGRES_PIPELINE_SYNC && PQgetResult(connection)) fail(connection, "insert and wake once");
}

// One transaction: the server commits when it reads the end of the pipeline.
static void insert_and_wake(PGconn *connection, const char *const *values) {
    if (!PQsendQueryPrepared(connection, "insert", 1 + 2 * rows, values, NULL, NULL, 0) ||
        !PQsendQueryPrepared(connection, "wake", 0, NULL, NULL, NULL, 0) || !PQpipelineSync(connection))
        fail(connection, "send");
    expect(connection, PGRES_COMMAND_OK);
    expect(connection, PGRES_TUPLES_OK);
    expect(connection, PGRES_PIPELINE_SYNC);
}

static void insert(PGconn *connection, long number) {
    static const char form[] =
        "{\"id\":\"%ld\",\"title\":\"Breaking news Breaking news Breaking news\","
        "\"body\":\"World news in English. World news in English. World news in English. World news in English.\"}";
    char tags[MOST_ROWS][32], contents[MOST_ROWS][sizeof form + 32];
    const char *values[1 + 2 * MOST_ROWS] = {hub};
    for (long row = 0; row < rows; row++) {
        sprintf(tags[row], "user_%ld", number * rows + row);
        sprintf(contents[row], form, number * rows + row);
        values[2 * row + 1] = tags[row];
        values[2 * row + 2] = contents[row];
    }
    if (wakes) return insert_and_wake(connection, values);
    PGresult *result = PQexecPrepared(connection, "insert", 1 + 2 * rows, values, NULL, NULL, 0);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(connection, "insert");
    PQclear(result);
}

static void *work(void *unused) {
    (void)unused;
    PGconn *connection = introduce();
    if (pthread_barrier_wait(&ready) == PTHREAD_BARRIER_SERIAL_THREAD) start = now() + 10000000;
    pthread_barrier_wait(&ready);
    for (long number; (number = next_insert++) < inserts;) {
        struct times *t = &times[number];
        t->due = start + (number + somewhere(number)) * interval;
        struct timespec until = {t->due / 1000000000ull, t->due % 1000000000ull};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        t->sent = now();
        if (t->sent - t->due >= 1000000) late++;
        insert(connection, number);
        t->committed = now();
    }
    PQfinish(connection);
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 10) {
        fprintf(stderr, "usage: pace CONNINFO HUB INSERTS PER-SECOND ROWS-PER-INSERT CONNECTIONS WAKE PRIORITY FILE\n");
        return 64;
    }
    conninfo = arguments[1], hub = arguments[2], inserts = atol(arguments[3]);
    interval = 1e9 / atof(arguments[4]);
    rows = atol(arguments[5]);
    int connections = atoi(arguments[6]);
    wakes = atol(arguments[7]), priority = atol(arguments[8]);
    if (priority < 0 || priority > 2) return fprintf(stderr, "priority 0 to 2\n"), 64;
    if (rows < 1 || rows > MOST_ROWS) return fprintf(stderr, "1 to %d rows an INSERT\n", MOST_ROWS), 64;
    times = calloc(inserts, sizeof *times);
    pthread_t *threads = calloc(connections, sizeof *threads);
    pthread_barrier_init(&ready, NULL, connections);
    for (int i = 0; i < connections; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < connections; i++) pthread_join(threads[i], NULL);
    double seconds = (now() - start) / 1e9;
    FILE *file = fopen(arguments[9], "wb");
    if (!file || fwrite(times, sizeof *times, inserts, file) != (size_t)inserts || fclose(file)) {
        perror(arguments[9]);
        return 1;
    }
    printf("messages=%ld seconds=%.4f late=%ld\n", inserts * rows, seconds, (long)late);
    return 0;
}
