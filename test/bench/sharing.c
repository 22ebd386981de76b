/* SPDX-License-Identifier: MIT */
/*
 * sharing.c: measures lines: pushes to PostgreSQL, one by one and in batches; the time until a push
 * reaches the head of a follower in another process; the time to open a line; and the size in
 * bytes.
 *
 *     PQT_TEST_FSYNC=on test/with_postgresql test/bench/sharing [ITEMS [EDITS]]
 *
 * The edits are those of docs/performance.md for stores: 80 % are moves, 10 % inserts and 10 %
 * removals of random boxes.
 */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <libpq-fe.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "random.h"
#include "edits.h"

enum { SINGLE = 1000, BATCH = 1000, NOTIFIED = 300 };

static pqt_error error;

static void
must(bool done, const char *what)
{
    if (done)
        return;
    fprintf(stderr, "sharing: %s: %s\n", what, error.text);
    exit(2);
}

static double
seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static pqt_line *
open_line(pqt_memory *memory)
{
    char address[300];
    const char *url = getenv("PQT_TEST_POSTGRESQL");
    if (url == NULL) {
        fputs("sharing: run it by test/with_postgresql\n", stderr);
        exit(2);
    }
    snprintf(address, sizeof address, "%s#bench", url);
    pqt_line *line = pqt_line_open(address, memory, NULL, &error);
    must(line != NULL, "opening the line");
    return line;
}

static int
compare_doubles(const void *first, const void *second)
{
    const double a = *(const double *)first, b = *(const double *)second;
    return a < b ? -1 : a > b;
}

/* Prints the number of bytes of the tables with their indexes. */
static void
print_bytes(uint64_t versions)
{
    PGconn *server = PQconnectdb(getenv("PQT_TEST_POSTGRESQL"));
    PGresult *result = PQexec(server, "SELECT pg_total_relation_size('pqt.version'), "
                                      "sum(octet_length(change)), sum(octet_length(whole)), "
                                      "count(whole) FROM pqt.version");
    must(PQntuples(result) == 1, "asking for sizes");
    printf("versions %llu, of which whole %s\n", (unsigned long long)versions,
           PQgetvalue(result, 0, 3));
    printf("bytes per version: %.0f of changes, %.0f of keyframes, %.0f in the database\n",
           atof(PQgetvalue(result, 0, 1)) / (double)versions,
           atof(PQgetvalue(result, 0, 2)) / (double)versions,
           atof(PQgetvalue(result, 0, 0)) / (double)versions);
    PQclear(result);
    PQfinish(server);
}

/* Runs a follower: writes to a pipe the time at which its head receives each version. */
static void
follow(int out)
{
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    pqt_line *line = open_line(heap);
    must(pqt_line_wait(line, 0, &error), "listening");
    must(pqt_line_head(line, &error) != NULL, "the head");
    double now = 0;
    /* now it listens for notifications */
    must(write(out, &now, sizeof now) == sizeof now, "the pipe");
    for (int i = 0; i < NOTIFIED; i++) {
        const uint64_t before = pqt_line_number(line);
        must(pqt_line_wait(line, 60, &error), "waiting");
        now = seconds_now();
        must(pqt_line_number(line) == before + 1, "each version is seen");
        must(write(out, &now, sizeof now) == sizeof now, "the pipe");
    }
    _exit(0);
}

/* Prints the time from the beginning of a push until the head of a follower has it. */
static void
measure_latency(pqt_line *line, edits *work)
{
    int ends[2];
    static double times[NOTIFIED], pushes[NOTIFIED];
    must(pipe(ends) == 0, "a pipe");
    const pid_t child = fork();
    if (child == 0)
        follow(ends[1]);
    double then;
    must(read(ends[0], &then, sizeof then) == sizeof then, "the pipe");
    for (int i = 0; i < NOTIFIED; i++) {
        const pqt_tree *next = edits_next(work, pqt_line_version(line), &error);
        const double start = seconds_now();
        must(pqt_line_push(line, PQT_KIND_TREE, next, "Edit", &error), "a push");
        pushes[i] = seconds_now() - start;
        must(read(ends[0], &then, sizeof then) == sizeof then, "the pipe");
        times[i] = then - start;
    }
    waitpid(child, NULL, 0);
    qsort(times, NOTIFIED, sizeof *times, compare_doubles);
    qsort(pushes, NOTIFIED, sizeof *pushes, compare_doubles);
    printf(
        "from push to a follower's head: %.2f ms median, %.2f ms worst of %d; the push %.2f ms\n",
        times[NOTIFIED / 2] * 1e3, times[NOTIFIED - 1] * 1e3, NOTIFIED, pushes[NOTIFIED / 2] * 1e3);
}

int
main(int count, char **arguments)
{
    const size_t items = count > 1 ? strtoull(arguments[1], NULL, 10) : 53278;
    const size_t total = count > 2 ? strtoull(arguments[2], NULL, 10) : 20000;
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    must(heap != NULL && pqt_scope_begin(heap, &error), "a heap");
    pqt_line *line = open_line(heap);
    edits work = edits_begin(items, heap, &error);
    must(work.first != NULL && pqt_line_push(line, PQT_KIND_TREE, work.first, "Begin", &error),
         "the first version");
    double start = seconds_now();
    for (int i = 0; i < SINGLE; i++)
        must(pqt_line_push(line, PQT_KIND_TREE, edits_next(&work, pqt_line_version(line), &error),
                           "Edit", &error),
             "a push");
    printf("one by one: %.0f versions a second\n", SINGLE / (seconds_now() - start));
    static pqt_line_new batch[BATCH];
    double pushing = 0;
    for (size_t done = 0; done < total; done += BATCH) {
        const pqt_tree *tree = pqt_line_version(line);
        for (int i = 0; i < BATCH; i++)
            batch[i] = (pqt_line_new){tree = edits_next(&work, tree, &error), "Edit"};
        start = seconds_now();
        must(pqt_line_push_all(line, PQT_KIND_TREE, batch, BATCH, &error), "a batch");
        pushing += seconds_now() - start;
    }
    printf("in batches of %d: %.0f versions a second\n", BATCH, (double)total / pushing);
    start = seconds_now();
    pqt_line *other = open_line(heap);
    printf("opening: %.1f ms\n", (seconds_now() - start) * 1e3);
    must(pqt_tree_equals(pqt_line_version(other), pqt_line_version(line)), "equal versions");
    double *loads = calloc(200, sizeof *loads);
    dice d = {9};
    for (int i = 0; i < 200; i++) {
        start = seconds_now();
        must(pqt_line_load(other, 1 + dice_below(&d, pqt_line_number(other)), &error) != NULL,
             "any version");
        loads[i] = seconds_now() - start;
    }
    qsort(loads, 200, sizeof *loads, compare_doubles);
    printf("any version: %.1f ms median, %.1f ms worst of 200\n", loads[100] * 1e3,
           loads[199] * 1e3);
    free(loads);
    measure_latency(line, &work);
    print_bytes(pqt_line_number(line));
    pqt_line_close(&other);
    pqt_line_close(&line);
    pqt_scope_end(heap);
    pqt_heap_destroy(&heap);
    return 0;
}
