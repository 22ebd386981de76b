/* SPDX-License-Identifier: MIT */
/*
 * cmd_stress.c: `pqt stress`: checks and times one writer and many readers of a head.
 *
 * The writer is the main thread. It makes and publishes versions for the given time. For each
 * update it records whether the collector ran, because the duration of such an update is an upper
 * bound on the collector's pause. In a build without the collector, each update also reclaims a
 * slice of the heap, and the writer records the updates in which a cycle ended instead. Some
 * readers load the newest version for each read. Others pin a version while they are not attached,
 * search it for a tenth of a second and then pin the next one. Each result is compared with one
 * that is known beforehand, and each reader checks a whole version every tenth of a second.
 */
#include "config.h"

#include "tool/commands.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>

#include "tool/cli.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/progress.h"
#include "tool/stress/latency_histogram.h"
#include "tool/stress/workload.h"
#include "tool/tool_memory.h"

enum { MOST_READERS = 256, MOST_SECONDS = 1000000, MOST_ITEMS = 10000000, FEWEST_ITEMS = 4 };

#define SECOND UINT64_C(1000000000)
#define BETWEEN_CHECKS (SECOND / 10)

/* The number of blocks that a heap marks or sweeps after each update, which allocates about twenty
   blocks. */
enum { RECLAIMED_BLOCKS = 400 };

static const char purpose[] =
    "One writer moves items and publishes each version, while readers search the newest one\n"
    "without a lock. Prints the number of reads and writes, their durations, and how often the\n"
    "collector ran. Every result is checked. Status: 0, or 1 if a result was wrong, or 2 for an\n"
    "error.\n";

static const struct poptOption table_of_options[] = {
    {"readers", '\0', POPT_ARG_STRING, NULL, 'r', "number of readers (default: 2)", "R"},
    {"seconds", '\0', POPT_ARG_STRING, NULL, 's', "duration in seconds (default: 5)", "S"},
    {"items", '\0', POPT_ARG_STRING, NULL, 'n', "number of items (default: 100000)", "N"},
    {"pinned", '\0', POPT_ARG_NONE, NULL, 'p',
     "let readers pin each version for 0.1 s, without attaching", NULL},
    {"spoil", 0, POPT_ARG_NONE, NULL, 'x', "publish a wrong version, to test the checks", NULL},
    COMMON_OPTIONS};

typedef struct request {
    size_t readers, items;
    uint64_t seconds;
    bool pinned, corrupt;
} request;

/* The state that all threads share. Readers do not write to it. */
typedef struct shared_state {
    request req;
    workload all;
    pqt_memory *memory; /* the memory that holds the versions */
    pqt_head *head;
    atomic_bool stop;
} shared_state;

typedef struct reader {
    pthread_t thread;
    shared_state *at;
    uint64_t wrong, checks; /* the number of wrong results, and of whole versions that were
                               checked */
    uint64_t number;        /* the number of the version that was read last */
    histogram reads, pins;
    pqt_error error;
} reader;

/* The measurements of the writer. */
typedef struct writer_stats {
    histogram updates, pauses; /* the durations of all updates, and of those in which the collector
                                  ran */
    uint64_t before;           /* the number of collections before the first update */
    uint64_t collections;      /* the number of collections at the last update */
} writer_stats;

static request
read_request(poptContext context)
{
    request req = {.readers = 2, .items = 100000, .seconds = 5};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'r')
            req.readers = (size_t)number_option(context, "--readers", 1, MOST_READERS);
        if (letter == 's')
            req.seconds = (uint64_t)number_option(context, "--seconds", 1, MOST_SECONDS);
        if (letter == 'n')
            req.items = (size_t)number_option(context, "--items", FEWEST_ITEMS, MOST_ITEMS);
        req.pinned = req.pinned || letter == 'p';
        req.corrupt = req.corrupt || letter == 'x';
    }
    no_argument(context);
    return req;
}

/* ---- Readers ---- */

static void
check_whole(reader *this, const pqt_tree *tree, uint64_t number)
{
    this->checks++;
    this->wrong += number < this->number || !workload_check(&this->at->all, tree);
    this->number = number;
}

static void
check_newest(reader *this)
{
    uint64_t number = 0;
    if (!pqt_scope_begin(this->at->memory, &this->error))
        return;
    const pqt_tree *tree = pqt_head_load(this->at->head, &number);
    check_whole(this, tree, number);
    pqt_scope_end(this->at->memory);
}

static void
search_newest(reader *this)
{
    shared_state *at = this->at;
    uint64_t number = 0;
    if (!pqt_scope_begin(at->memory, &this->error))
        return;
    const pqt_tree *tree = pqt_head_load(at->head, &number);
    this->wrong += number < this->number || !workload_run_check(&at->all, tree, this->reads.count);
    this->number = number;
    pqt_scope_end(at->memory);
}

/* Searches the newest version each time, until it is time to check a whole version again. */
static void
read_newest(reader *this)
{
    const uint64_t end = clock_nanoseconds() + BETWEEN_CHECKS;
    check_newest(this);
    for (uint64_t before = clock_nanoseconds(), now = before; now < end && !this->at->stop;
         before = now) {
        search_newest(this);
        now = clock_nanoseconds();
        histogram_add(&this->reads, now - before);
    }
}

static pqt_pin *
pin_newest(reader *this, uint64_t *number)
{
    const uint64_t before = clock_nanoseconds();
    pqt_pin *pin = NULL;
    if (pqt_thread_attach(&this->error))
        pin = pqt_head_pin(this->at->head, number, &this->error);
    pqt_thread_detach();
    histogram_add(&this->pins, clock_nanoseconds() - before);
    return pin;
}

/* Pins one version and searches it while not attached, until it is time to pin the next one. */
static void
read_pinned(reader *this)
{
    shared_state *at = this->at;
    uint64_t number = 0;
    pqt_pin *pin = pin_newest(this, &number);
    if (pin == NULL)
        return;
    const pqt_tree *tree = pqt_pin_get_tree(pin);
    check_whole(this, tree, number);
    const uint64_t start = clock_nanoseconds();
    for (uint64_t before = start, now = start; now - start < BETWEEN_CHECKS && !at->stop;
         before = now) {
        this->wrong += !workload_run_check(&at->all, tree, this->reads.count);
        now = clock_nanoseconds();
        histogram_add(&this->reads, now - before);
    }
    pqt_unpin(&pin);
}

static void *
run_reader(void *context)
{
    reader *this = context;
    const bool pinned = this->at->req.pinned;
    if (!pinned && !pqt_thread_attach(&this->error))
        return NULL;
    while (!this->at->stop && this->error.status == PQT_OK)
        (pinned ? read_pinned : read_newest)(this);
    pqt_thread_detach();
    return NULL;
}

static reader *
start_readers(shared_state *at)
{
    size_t capacity = 0;
    reader *all = xgrow(NULL, &capacity, at->req.readers, sizeof *all);
    memset(all, 0, capacity * sizeof *all);
    for (size_t i = 0; i < at->req.readers; i++) {
        all[i].at = at;
        if (pthread_create(&all[i].thread, NULL, run_reader, &all[i]) != 0)
            die(NULL, 0, "cannot start a thread (--readers %zu)", at->req.readers);
    }
    return all;
}

/* Stops the readers and adds the results of all readers to those of the first one. */
static void
join_readers(shared_state *at, reader *all)
{
    at->stop = true;
    for (size_t i = 0; i < at->req.readers; i++) {
        pthread_join(all[i].thread, NULL);
        if (all[i].error.status != PQT_OK)
            die_error(NULL, &all[i].error);
        if (i == 0)
            continue;
        all[0].wrong += all[i].wrong;
        all[0].checks += all[i].checks;
        histogram_merge(&all[0].reads, &all[i].reads);
        histogram_merge(&all[0].pins, &all[i].pins);
    }
}

/* ---- Writer ---- */

static uint64_t
count_collections(const shared_state *at)
{
    return pqt_memory_get_stats(at->memory).collections;
}

static bool
publish_next(shared_state *at, bool corrupt, pqt_error *error)
{
    if (!pqt_scope_begin(at->memory, error))
        return false;
    const pqt_tree *next = workload_move(&at->all, pqt_head_load(at->head, NULL), corrupt, error);
    const bool published = pqt_head_publish(at->head, next, error);
    pqt_scope_end(at->memory);
    return published;
}

static void
write_once(shared_state *at, writer_stats *seen, bool corrupt)
{
    pqt_error error = {0};
    const uint64_t start = clock_nanoseconds();
    if (!publish_next(at, corrupt, &error))
        die_error(NULL, &error);
    (void)pqt_memory_reclaim(at->memory, RECLAIMED_BLOCKS);
    const uint64_t duration = clock_nanoseconds() - start, collections = count_collections(at);
    histogram_add(&seen->updates, duration);
    if (collections != seen->collections)
        histogram_add(&seen->pauses, duration);
    seen->collections = collections;
}

static void
write_all(shared_state *at, writer_stats *seen)
{
    const uint64_t start = clock_nanoseconds(), end = start + at->req.seconds * SECOND;
    seen->before = seen->collections = count_collections(at);
    progress_begin("testing", end - start, PROGRESS_TIME);
    for (uint64_t now = start; now < end; now = clock_nanoseconds()) {
        write_once(at, seen, at->req.corrupt && seen->updates.count == 0);
        if (seen->updates.count % 1024 == 0)
            progress_at(now - start);
    }
    progress_end();
}

/* ---- Report ---- */

static void
print_rate(const char *name, const histogram *done, double seconds)
{
    printf("%-24s %s\n", name, grouped((uint64_t)((double)done->count / seconds)).text);
}

static void
print_times(const char *name, const histogram *times)
{
    printf("%-24s half within %s, 99.9 %% within %s, slowest %s\n", name,
           in_time((double)histogram_quantile(times, 0.5) * 1e-9).text,
           in_time((double)histogram_quantile(times, 0.999) * 1e-9).text,
           in_time((double)times->longest * 1e-9).text);
}

static void
print_report(const shared_state *at, const reader *all, const writer_stats *seen, double seconds)
{
    printf("%-24s %zu, %s\n", "readers", at->req.readers,
           at->req.pinned ? "not attached, pinning each version for 0.1 s"
                          : "following each version");
    printf("%-24s %s\n", "items", grouped(at->req.items).text);
    print_rate("reads a second", &all->reads, seconds);
    print_rate("writes a second", &seen->updates, seconds);
    print_times("a read", &all->reads);
    if (at->req.pinned)
        print_times("a pin, with attaching", &all->pins);
    print_times("a write", &seen->updates);
    printf("%-24s %s\n", "collections", grouped(seen->collections - seen->before).text);
    if (seen->pauses.count > 0)
        print_times("a write with one", &seen->pauses);
    printf("%-24s %s\n", "memory at the end",
           in_bytes((double)pqt_memory_get_stats(at->memory).bytes).text);
    printf("%-24s %s reads, %s whole versions, %s wrong\n", "checked",
           grouped(all->reads.count).text, grouped(all->checks).text, grouped(all->wrong).text);
}

/* Checks the last version through a pin, which needs no scope. */
static void
check_last(const shared_state *at, reader *all)
{
    pqt_error error = {0};
    pqt_pin *pin = pqt_head_pin(at->head, NULL, &error);
    if (pin == NULL)
        die_error(NULL, &error);
    const pqt_tree *last = pqt_pin_get_tree(pin);
    all->wrong += !workload_check(&at->all, last) || !workload_equals(&at->all, last);
    pqt_unpin(&pin);
}

static bool
run_threads(shared_state *at)
{
    writer_stats *seen = calloc(1, sizeof *seen);
    if (seen == NULL)
        die(NULL, 0, "out of memory (times)");
    reader *all = start_readers(at);
    const uint64_t start = clock_nanoseconds();
    write_all(at, seen);
    const double seconds = (double)(clock_nanoseconds() - start) * 1e-9;
    join_readers(at, all);
    check_last(at, all);
    print_report(at, all, seen, seconds);
    const bool passed = all->wrong == 0;
    free(all);
    free(seen);
    return passed;
}

int
stress_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options, "[OPTION...]", purpose);
    shared_state at = {.req = read_request(context)};
    pqt_error error = {0};
    at.memory = tool_memory();
    at.all = workload_make(at.req.items);
    at.head = pqt_head_make(pqt_tree_of(at.all.items, at.all.count, NULL, &error), &error);
    if (at.head == NULL)
        die_error(NULL, &error);
    const bool passed = run_threads(&at);
    pqt_head_destroy(&at.head);
    workload_free(&at.all);
    poptFreeContext(context);
    finish_standard_output();
    return passed ? STATUS_FOUND : STATUS_NOTHING;
}
