/* SPDX-License-Identifier: MIT */
/*
 * cmd_stress.c - `pqt stress`: one writer and many readers at a head, checked and timed.
 *
 * The writer is the main thread. It publishes each version that it makes, for so many seconds, and
 * looks whether the collector ran meanwhile: how long such an update took bounds the pause. Readers
 * either follow, loading the newest version for each read, or hold a pinned one unattached for a
 * tenth of a second and then take the next. Each answer is compared with one known beforehand, and
 * every tenth of a second each reader looks at a whole version.
 */
#include "config.h"

#include "tool/tool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tool/stress/latency_histogram.h"
#include "tool/stress/workload.h"

enum { MOST_READERS = 256, MOST_SECONDS = 1000000, MOST_ITEMS = 10000000, FEWEST_ITEMS = 4 };

#define SECOND UINT64_C(1000000000)
#define BETWEEN_CHECKS (SECOND / 10)

static const char purpose[] =
    "Lets one writer move items and publish each version, while readers search the newest one\n"
    "without a lock, and tells how many reads and writes were done, how long they took, and how\n"
    "often the collector ran. Every answer is checked. Status: 0, or 1 if an answer was wrong, or\n"
    "2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"readers", 'r', POPT_ARG_STRING, NULL, 'r', "so many readers (default: 2)", "R"},
    {"seconds", 's', POPT_ARG_STRING, NULL, 's', "work for so long (default: 5)", "S"},
    {"items", 'n', POPT_ARG_STRING, NULL, 'n', "so many items (default: 100000)", "N"},
    {"pinned", 'p', POPT_ARG_NONE, NULL, 'p', "readers hold a pin for 0.1 s, unattached", NULL},
    {"spoil", 0, POPT_ARG_NONE, NULL, 'x', "make a wrong version, to see that it is found", NULL},
    COMMON_OPTIONS};

typedef struct request {
    size_t readers, items;
    uint64_t seconds;
    bool pinned, spoilt;
} request;

/* What all threads share. Readers write nothing here. */
typedef struct stage {
    request asked;
    crowd all;
    pqt_head *head;
    atomic_bool stop;
} stage;

typedef struct reader {
    pthread_t thread;
    stage *at;
    uint64_t wrong, checks; /* wrong answers; whole versions looked at */
    uint64_t number;        /* of the version that was read last */
    gauge reads, pins;
    pqt_error error;
} reader;

/* What the writer has seen. */
typedef struct record {
    gauge updates, pauses; /* all updates; those in which the collector ran */
    uint64_t before;       /* collections at the beginning */
    uint64_t collections;  /* the same, as of the last update */
} record;

static request
read_request(poptContext context)
{
    request asked = {.readers = 2, .items = 100000, .seconds = 5};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'r')
            asked.readers = (size_t)number_option(context, "--readers", 1, MOST_READERS);
        if (letter == 's')
            asked.seconds = (uint64_t)number_option(context, "--seconds", 1, MOST_SECONDS);
        if (letter == 'n')
            asked.items = (size_t)number_option(context, "--items", FEWEST_ITEMS, MOST_ITEMS);
        asked.pinned = asked.pinned || letter == 'p';
        asked.spoilt = asked.spoilt || letter == 'x';
    }
    no_argument(context);
    return asked;
}

/* ---- readers ---- */

static void
check_whole(reader *this, const pqt_tree *tree, uint64_t number)
{
    this->checks++;
    this->wrong += number < this->number || !crowd_check(&this->at->all, tree);
    this->number = number;
}

/* Reads the newest version each time, until it is time to look at a whole one. */
static void
follow(reader *this)
{
    stage *at = this->at;
    const uint64_t end = gauge_now() + BETWEEN_CHECKS;
    uint64_t number = 0;
    const pqt_tree *tree = pqt_head_load(at->head, &number);
    check_whole(this, tree, number);
    for (uint64_t before = gauge_now(), now = before; now < end && !at->stop; before = now) {
        tree = pqt_head_load(at->head, &number);
        this->wrong += number < this->number || !crowd_ask(&at->all, tree, this->reads.count);
        this->number = number;
        now = gauge_now();
        gauge_add(&this->reads, now - before);
    }
}

static pqt_pin *
take_pin(reader *this, uint64_t *number)
{
    const uint64_t before = gauge_now();
    pqt_pin *pin = NULL;
    if (pqt_thread_attach(&this->error))
        pin = pqt_head_pin(this->at->head, number, &this->error);
    pqt_thread_detach();
    gauge_add(&this->pins, gauge_now() - before);
    return pin;
}

/* Reads one version, unattached, until it is time to take the next. */
static void
read_pinned(reader *this)
{
    stage *at = this->at;
    uint64_t number = 0;
    pqt_pin *pin = take_pin(this, &number);
    if (pin == NULL)
        return;
    const pqt_tree *tree = pqt_pin_get_tree(pin);
    check_whole(this, tree, number);
    const uint64_t begun = gauge_now();
    for (uint64_t before = begun, now = begun; now - begun < BETWEEN_CHECKS && !at->stop;
         before = now) {
        this->wrong += !crowd_ask(&at->all, tree, this->reads.count);
        now = gauge_now();
        gauge_add(&this->reads, now - before);
    }
    pqt_unpin(&pin);
}

static void *
run_reader(void *context)
{
    reader *this = context;
    const bool pinned = this->at->asked.pinned;
    if (!pinned && !pqt_thread_attach(&this->error))
        return NULL;
    while (!this->at->stop && this->error.status == PQT_OK)
        (pinned ? read_pinned : follow)(this);
    pqt_thread_detach();
    return NULL;
}

static reader *
start_readers(stage *at)
{
    size_t capacity = 0;
    reader *all = grown(NULL, &capacity, at->asked.readers, sizeof *all);
    memset(all, 0, capacity * sizeof *all);
    for (size_t i = 0; i < at->asked.readers; i++) {
        all[i].at = at;
        if (pthread_create(&all[i].thread, NULL, run_reader, &all[i]) != 0)
            complain(NULL, 0, "no more threads (--readers: %zu)", at->asked.readers);
    }
    return all;
}

/* Ends the readers; the first has then what all of them have found. */
static void
join_readers(stage *at, reader *all)
{
    at->stop = true;
    for (size_t i = 0; i < at->asked.readers; i++) {
        pthread_join(all[i].thread, NULL);
        if (all[i].error.status != PQT_OK)
            complain_error(NULL, &all[i].error);
        if (i == 0)
            continue;
        all[0].wrong += all[i].wrong;
        all[0].checks += all[i].checks;
        gauge_join(&all[0].reads, &all[i].reads);
        gauge_join(&all[0].pins, &all[i].pins);
    }
}

/* ---- the writer ---- */

static uint64_t
count_collections(void)
{
    return pqt_memory_get_stats(pqt_collector()).collections;
}

static void
write_once(stage *at, record *seen, bool spoilt)
{
    pqt_error error = {0};
    const uint64_t begun = gauge_now();
    const pqt_tree *next = crowd_move(&at->all, pqt_head_load(at->head, NULL), spoilt, &error);
    if (!pqt_head_publish(at->head, next, &error))
        complain_error(NULL, &error);
    const uint64_t taken = gauge_now() - begun, collections = count_collections();
    gauge_add(&seen->updates, taken);
    if (collections != seen->collections)
        gauge_add(&seen->pauses, taken);
    seen->collections = collections;
}

static void
write_all(stage *at, record *seen)
{
    const uint64_t begun = gauge_now(), end = begun + at->asked.seconds * SECOND;
    seen->before = seen->collections = count_collections();
    progress_begin("stress", end - begun);
    for (uint64_t now = begun; now < end; now = gauge_now()) {
        write_once(at, seen, at->asked.spoilt && seen->updates.count == 0);
        if (seen->updates.count % 1024 == 0)
            progress_at(now - begun);
    }
    progress_end();
}

/* ---- the report ---- */

static void
print_rate(const char *name, const gauge *done, double seconds)
{
    printf("%-24s %s\n", name, grouped((uint64_t)((double)done->count / seconds)).text);
}

static void
print_times(const char *name, const gauge *of)
{
    printf("%-24s half within %s, 99.9 %% within %s, slowest %s\n", name,
           in_time((double)gauge_share(of, 0.5) * 1e-9).text,
           in_time((double)gauge_share(of, 0.999) * 1e-9).text,
           in_time((double)of->longest * 1e-9).text);
}

static void
print_report(const stage *at, const reader *all, const record *seen, double seconds)
{
    printf("%-24s %zu, %s\n", "readers", at->asked.readers,
           at->asked.pinned ? "unattached, each with a pin for 0.1 s" : "following each version");
    printf("%-24s %s\n", "items", grouped(at->asked.items).text);
    print_rate("reads a second", &all->reads, seconds);
    print_rate("writes a second", &seen->updates, seconds);
    print_times("a read", &all->reads);
    if (at->asked.pinned)
        print_times("a pin, with attaching", &all->pins);
    print_times("a write", &seen->updates);
    printf("%-24s %s\n", "collections", grouped(seen->collections - seen->before).text);
    if (seen->pauses.count > 0)
        print_times("a write with one", &seen->pauses);
    printf("%-24s %s\n", "memory at the end",
           in_bytes((double)pqt_memory_get_stats(pqt_collector()).bytes).text);
    printf("%-24s %s reads, %s whole versions, %s wrong\n", "checked",
           grouped(all->reads.count).text, grouped(all->checks).text, grouped(all->wrong).text);
}

static bool
run(stage *at)
{
    record *seen = calloc(1, sizeof *seen);
    if (seen == NULL)
        complain(NULL, 0, "no memory (times)");
    reader *all = start_readers(at);
    const uint64_t begun = gauge_now();
    write_all(at, seen);
    const double seconds = (double)(gauge_now() - begun) * 1e-9;
    join_readers(at, all);
    const pqt_tree *last = pqt_head_load(at->head, NULL);
    all->wrong += !crowd_check(&at->all, last) || !crowd_equals(&at->all, last);
    print_report(at, all, seen, seconds);
    const bool right = all->wrong == 0;
    free(all);
    free(seen);
    return right;
}

int
stress_command(int count, const char **arguments)
{
    poptContext context = begin_options(count, arguments, table_of_options, "[OPTION...]", purpose);
    stage at = {.asked = read_request(context)};
    pqt_error error = {0};
    if (pqt_collector() == NULL)
        complain(NULL, 0, "an arena would keep every version: stress needs the collector");
    at.all = crowd_make(at.asked.items);
    at.head = pqt_head_make(pqt_tree_of(at.all.items, at.all.count, NULL, &error), &error);
    if (at.head == NULL)
        complain_error(NULL, &error);
    const bool right = run(&at);
    pqt_head_destroy(&at.head);
    crowd_free(&at.all);
    poptFreeContext(context);
    finish_standard_output();
    return right ? STATUS_FOUND : STATUS_NOTHING;
}
