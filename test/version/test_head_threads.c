/* SPDX-License-Identifier: MIT */
/*
 * test_head_threads.c: tests concurrent writers and readers of one head. Readers receive complete
 * versions in ascending order and never wait, and dropped versions are reclaimed.
 *
 * Every version can be checked by itself: no edit changes the sums of ids and positions, and one
 * item contains the number with which the version was published. The sanitizer and the collector
 * detect different faults, so each test runs on both memories; make tsan runs the tests under
 * thread sanitizer.
 */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "head_support.h"
#include "memory/memory_internal.h"
#include "random.h"
#include "require.h"
#include "suite.h"

#if PQT_WITH_COLLECTOR
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#endif

enum {
    ITEMS = 300,
    READERS = 3,
    WRITERS = 3,
    EDITS = 3000,
    READS = 2000,
    COLLECTIONS = 30,
    LEVEL_EDITS = 100000
};

/* The id of the item that contains the number. All others have lower ids. */
#define TELLER ITEMS
static const double TELLERS_ROW = -5;

typedef struct job job;
struct job {
    bool (*work)(job *this);
    pqt_head *head;
    dice d;
    size_t number;    /* among the threads with the same task */
    bool stays_apart; /* if set, the thread is not attached, not even to the collector */
    bool passed;
    atomic_size_t done; /* the number of rounds done */
    atomic_bool *stop;  /* if NULL, the thread works until the writers have finished */
    pthread_t thread;
};

static atomic_int writing; /* the number of writers that have not finished */

static void *
run_job(void *context)
{
    job *this = context;
    const bool is_to_attach = arena == NULL && !this->stays_apart;
    this->passed = (!is_to_attach || pqt_thread_attach(NULL)) && this->work(this);
    pqt_thread_detach();
    return NULL;
}

static void
begin(job *this)
{
    ck_assert_int_eq(pthread_create(&this->thread, NULL, run_job, this), 0);
}

static void
end(job *this)
{
    ck_assert_int_eq(pthread_join(this->thread, NULL), 0);
    ck_assert(this->passed);
}

/* ---- Versions that can be checked by themselves ---- */

static pqt_item
teller(uint64_t number)
{
    return dot((double)number, TELLERS_ROW, TELLER);
}

/* Returns a tree in which item i begins at (i, i). The coordinates are integers, so their sums are
 * exact. */
static const pqt_tree *
first_version(void)
{
    pqt_tree_options options = options_of(4, 24);
    pqt_item items[ITEMS + 1];
    pqt_error error = {0};
    options.unique_ids = true;
    for (size_t i = 0; i < ITEMS; i++)
        items[i] = dot((double)i, (double)i, i);
    items[ITEMS] = teller(1);
    const pqt_tree *tree = made(box(0, 0, ITEMS, ITEMS), options);
    tree = pqt_tree_insert_all(tree, items, ITEMS + 1, &error);
    return must(tree, &error);
}

/* Moves one item to the right and another one equally far to the left, and increments the number in
   its item. */
static const pqt_tree *
next_version(const pqt_tree *tree, dice *d, uint64_t number, pqt_error *error)
{
    const uint64_t a = dice_below(d, ITEMS), b = (a + 1 + dice_below(d, ITEMS - 1)) % ITEMS;
    const double motion = (double)dice_below(d, 9) - 4;
    pqt_item from, to;
    if (!pqt_tree_find(tree, a, &from) || !pqt_tree_find(tree, b, &to))
        return NULL;
    const pqt_change changes[] = {
        moving(from, point(from.box.min.x + motion, from.box.min.y)),
        moving(to, point(to.box.min.x - motion, to.box.min.y)),
        moving_id(TELLER, teller(number).box),
    };
    return pqt_tree_apply(tree, changes, 3, error);
}

typedef struct sums {
    size_t count;
    uint64_t ids, number;
    double x, y;
} sums;

static bool
add_item(const pqt_item *item, void *context)
{
    sums *all = context;
    all->count++;
    all->ids += item->id;
    if (item->id == TELLER) {
        all->number = (uint64_t)item->box.min.x;
        return true;
    }
    all->x += item->box.min.x;
    all->y += item->box.min.y;
    return true;
}

static bool
is_whole(const pqt_tree *tree, uint64_t number)
{
    const double along = (double)ITEMS * (ITEMS - 1) / 2;
    sums all = {0};
    REQUIRE(pqt_tree_visit(tree, (pqt_query[]){query_of_all()}, add_item, &all));
    REQUIRE(all.count == ITEMS + 1 && all.ids == (uint64_t)ITEMS * (ITEMS + 1) / 2);
    REQUIRE(all.x == along && all.y == along);
    REQUIRE(all.number == number);
    return true;
}

/* ---- One writer, many readers ---- */

static bool
write_versions(job *this)
{
    pqt_error error = {0};
    bool fine = true;
    const size_t edits = test_scaled(EDITS);
    for (size_t i = 0; fine && i < edits; i++) {
        uint64_t number;
        const pqt_tree *now = pqt_head_load(this->head, &number);
        now = next_version(now, &this->d, number + 1, &error);
        fine = pqt_head_publish(this->head, now, &error);
        if (i % 500 == 0)
            pqti_collect(pqt_tree_memory(now));
    }
    atomic_fetch_sub(&writing, 1);
    REQUIRE(fine);
    return true;
}

static bool
read_newest(job *this)
{
    uint64_t number = 0, before = 0;
    do {
        const pqt_tree *tree = pqt_head_load(this->head, &number);
        REQUIRE(number >= before && is_whole(tree, number));
        before = number;
    } while (atomic_load_explicit(&writing, memory_order_relaxed) > 0);
    return true;
}

/* Attaches only to pin a version, and then reads the version many times. */
static bool
read_pinned(job *this)
{
    uint64_t number = 0;
    do {
        REQUIRE(pqt_thread_attach(NULL));
        pqt_pin *pin = pqt_head_pin(this->head, &number, NULL);
        pqt_thread_detach();
        REQUIRE(pin != NULL);
        for (int i = 0; i < 3; i++)
            REQUIRE(is_whole(pqt_pin_get_tree(pin), number));
        pqt_unpin(&pin);
    } while (atomic_load_explicit(&writing, memory_order_relaxed) > 0);
    return true;
}

/* Waits for newer versions, up to the last one. */
static bool
wait_for_newer(job *this)
{
    const uint64_t last = 1 + test_scaled(EDITS);
    for (uint64_t number = 0; number < last;) {
        const uint64_t before = number;
        REQUIRE(pqt_head_wait(this->head, number, INFINITY));
        const pqt_tree *tree = pqt_head_load(this->head, &number);
        REQUIRE(number > before && is_whole(tree, number));
    }
    return true;
}

static void
run_with_readers(bool (*read)(job *this), bool stays_apart)
{
    static job writer, readers[READERS];
    pqt_head *head = head_of(first_version());
    const uint64_t seed = test_seed("run_with_readers");
    atomic_store(&writing, 1);
    writer = (job){.work = write_versions, .head = head, .d = {seed}};
    for (size_t i = 0; i < READERS; i++) {
        readers[i] = (job){.work = read, .head = head, .stays_apart = stays_apart};
        begin(&readers[i]);
    }
    begin(&writer);
    end(&writer);
    for (size_t i = 0; i < READERS; i++)
        end(&readers[i]);
    ck_assert_uint_eq(pqt_head_number(head), 1 + test_scaled(EDITS));
    expect_sound(pqt_head_load(head, NULL));
    pqt_head_destroy(&head);
}

START_TEST(readers_find_each_version_whole_and_none_older_than_the_last)
{
    use_memory(_i);
    run_with_readers(read_newest, false);
}
END_TEST

START_TEST(unattached_readers_of_pinned_versions_find_them_whole)
{
    use_memory(_i);
    ck_assert(pqt_init(NULL));
    run_with_readers(read_pinned, true);
}
END_TEST

START_TEST(readers_that_wait_miss_no_wake_up)
{
    use_memory(_i);
    run_with_readers(wait_for_newer, false);
}
END_TEST

/* ---- Many writers ---- */

typedef struct insertion {
    uint64_t id;
    size_t calls;
} insertion;

static const void *
insert_one(const void *now, void *context, pqt_error *error)
{
    insertion *one = context;
    one->calls++;
    return pqt_tree_insert(now, dot((double)(one->id % 97), (double)(one->id % 89), one->id),
                           error);
}

/* Updates the head in a loop. Each writer has its own ids. */
static bool
update_often(job *this)
{
    const size_t updates = test_scaled(EDITS) / WRITERS;
    uint64_t number = 0, before = 0;
    for (size_t i = 0; i < updates; i++) {
        insertion one = {i * WRITERS + this->number, 0};
        const pqt_tree *made = pqt_head_update(this->head, insert_one, &one, &number, NULL);
        REQUIRE(made != NULL && one.calls > 0);
        REQUIRE(number > before && pqt_tree_count(made) == number - 1);
        before = number;
    }
    atomic_fetch_sub(&writing, 1);
    return true;
}

static bool
count_newest(job *this)
{
    uint64_t number;
    do {
        const pqt_tree *tree = pqt_head_load(this->head, &number);
        REQUIRE(pqt_tree_count(tree) == number - 1);
        REQUIRE(pqt_tree_count_in(tree, (pqt_query[]){query_of_all()}) == number - 1);
    } while (atomic_load_explicit(&writing, memory_order_relaxed) > 0);
    return true;
}

START_TEST(writers_that_update_at_once_lose_nothing)
{
    static job writers[WRITERS], reader;
    use_memory(_i);
    pqt_head *head = head_of(small_tree(4));
    atomic_store(&writing, WRITERS);
    for (size_t i = 0; i < WRITERS; i++) {
        writers[i] = (job){.work = update_often, .head = head, .number = i};
        begin(&writers[i]);
    }
    reader = (job){.work = count_newest, .head = head};
    begin(&reader);
    for (size_t i = 0; i < WRITERS; i++)
        end(&writers[i]);
    end(&reader);
    const size_t all = test_scaled(EDITS) / WRITERS * WRITERS;
    ck_assert_uint_eq(pqt_head_number(head), all + 1);
    for (uint64_t id = 0; id < all; id++)
        require(pqt_tree_contains(pqt_head_load(head, NULL),
                                  dot((double)(id % 97), (double)(id % 89), id)),
                "an insertion was lost");
    pqt_head_destroy(&head);
}
END_TEST

/* ---- A writer that was stopped ---- */

/* Suspends the update until it is released. */
typedef struct barrier {
    atomic_bool entered, released;
    size_t calls;
} barrier;

static barrier stopped;

static const void *
stop_inside(const void *now, void *context, pqt_error *error)
{
    barrier *here = context;
    here->calls++;
    atomic_store(&here->entered, true);
    while (!atomic_load(&here->released))
        sched_yield();
    return pqt_tree_insert(now, cat, error);
}

static bool
update_and_stop(job *this)
{
    REQUIRE(pqt_head_update(this->head, stop_inside, &stopped, NULL, NULL) != NULL);
    return true;
}

static bool
read_so_often(job *this)
{
    for (size_t i = 0; i < READS; i++) {
        const pqt_tree *tree = pqt_head_load(this->head, NULL);
        REQUIRE(pqt_tree_count_in(tree, (pqt_query[]){query_of_all()}) == pqt_tree_count(tree));
    }
    return true;
}

/* All readers and another writer finish before the first writer continues. */
START_TEST(a_writer_suspended_in_an_update_delays_no_other)
{
    static job writer, readers[READERS];
    use_memory(_i);
    pqt_error error = {0};
    pqt_head *head = head_of(small_tree(4));
    stopped = (barrier){.calls = 0};
    writer = (job){.work = update_and_stop, .head = head};
    begin(&writer);
    while (!atomic_load(&stopped.entered))
        sched_yield();
    for (size_t i = 0; i < READERS; i++) {
        readers[i] = (job){.work = read_so_often, .head = head};
        begin(&readers[i]);
    }
    for (size_t i = 0; i < READERS; i++)
        end(&readers[i]);
    insertion other = {7, 0};
    ck_assert_ptr_nonnull(pqt_head_update(head, insert_one, &other, NULL, &error));
    ck_assert_uint_eq(other.calls, 1);
    atomic_store(&stopped.released, true);
    end(&writer);
    ck_assert_uint_eq(stopped.calls, 2); /* the other writer was faster */
    ck_assert_uint_eq(pqt_head_number(head), 3);
    ck_assert_uint_eq(pqt_tree_count(pqt_head_load(head, NULL)), 2);
    pqt_head_destroy(&head);
}
END_TEST

/* ---- Collections ---- */

#if PQT_WITH_COLLECTOR

static job apart, attached;
static pqt_pin *pinned;
static atomic_bool enough;
static atomic_size_t stops_of_apart, stops_of_attached, went_on;

static bool
read_the_pin(job *this)
{
    while (!atomic_load(this->stop)) {
        REQUIRE(is_whole(pqt_pin_get_tree(pinned), 1));
        atomic_fetch_add(&this->done, 1);
    }
    return true;
}

static void
count_stop(GC_EventType event, void *thread)
{
    if (event != GC_EVENT_THREAD_SUSPENDED)
        return;
    if (pthread_equal((pthread_t)thread, apart.thread))
        atomic_fetch_add(&stops_of_apart, 1);
    if (pthread_equal((pthread_t)thread, attached.thread))
        atomic_fetch_add(&stops_of_attached, 1);
}

/* Waits for another read of the unattached thread. It is called while the collector has stopped all
   threads that it knows. */
static void
await_a_read(GC_EventType event)
{
    if (event != GC_EVENT_POST_STOP_WORLD)
        return;
    const size_t before = atomic_load(&apart.done), of_attached = atomic_load(&attached.done);
    while (atomic_load(&apart.done) < before + 2)
        sched_yield();
    if (atomic_load(&attached.done) == of_attached)
        atomic_fetch_add(&went_on, 1);
}

/* Returns false if the environment disables collections, as thread sanitizer does. */
static bool
collections_take_place(void)
{
    const uint64_t before = pqt_init(NULL) ? pqt_memory_get_stats(pqt_collector()).collections : 0;
    pqti_collect(pqt_collector());
    const bool collected = pqt_memory_get_stats(pqt_collector()).collections > before;
    if (!collected)
        fprintf(stderr, "# no collection takes place, so nothing is tested\n");
    return collected;
}

START_TEST(collections_do_not_stop_an_unattached_reader_of_a_pinned_version)
{
    use_memory(1);
    if (!collections_take_place())
        return;
    pinned = pqt_tree_pin(first_version(), NULL);
    apart = (job){.work = read_the_pin, .stays_apart = true, .stop = &enough};
    attached = (job){.work = read_the_pin, .stop = &enough};
    begin(&apart);
    begin(&attached);
    while (atomic_load(&apart.done) == 0 || atomic_load(&attached.done) == 0)
        sched_yield();
    GC_set_on_thread_event(count_stop);
    GC_set_on_collection_event(await_a_read);
    for (int i = 0; i < COLLECTIONS; i++)
        pqti_collect(pqt_collector());
    GC_set_on_collection_event(0);
    GC_set_on_thread_event(0);
    atomic_store(&enough, true);
    end(&apart);
    end(&attached);
    fprintf(stderr,
            "# %d collections: stopped unattached %zu, attached %zu times; read on in %zu\n",
            COLLECTIONS, atomic_load(&stops_of_apart), atomic_load(&stops_of_attached),
            atomic_load(&went_on));
    ck_assert_uint_eq(stops_of_apart, 0);
    ck_assert_uint_ge(stops_of_attached, COLLECTIONS);
    ck_assert_uint_ge(went_on, COLLECTIONS);
    pqt_unpin(&pinned);
}
END_TEST

/* Returns the number of bytes in use after a collection. */
static uint64_t
level(void)
{
    pqti_collect(pqt_collector());
    return pqt_memory_get_stats(pqt_collector()).bytes;
}

/* The first measurement is made after a tenth of the edits, when the heap has grown to its final
   size. */
START_TEST(versions_that_are_dropped_are_reclaimed)
{
    use_memory(1);
    if (!collections_take_place())
        return;
    dice d = {test_seed("versions_that_are_dropped_are_reclaimed")};
    const size_t edits = test_scaled(LEVEL_EDITS);
    uint64_t early = 0, highest = 0;
    pqt_error error = {0};
    pqt_head *head = head_of(first_version());
    for (uint64_t i = 1; i <= edits; i++) {
        const pqt_tree *next = next_version(pqt_head_load(head, NULL), &d, i + 1, &error);
        publish(head, must(next, &error));
        if (i == edits / 10 + 1)
            early = level();
        if (i % (edits / 10 + 1) == 0 && i > edits / 5) {
            const uint64_t now = level();
            highest = now > highest ? now : highest;
        }
    }
    fprintf(stderr, "# %zu edits: the heap took %llu kB early, %llu kB at most later\n", edits,
            (unsigned long long)early / 1000, (unsigned long long)highest / 1000);
    ck_assert(is_whole(pqt_head_load(head, NULL), edits + 1));
    ck_assert(highest <= early + early / 2 + 1000000);
    pqt_head_destroy(&head);
}
END_TEST

static void
add_collections(Suite *suite)
{
    TCase *tests = add_tests(suite, "collections");
    tcase_add_test(tests, collections_do_not_stop_an_unattached_reader_of_a_pinned_version);
    tcase_add_test(tests, versions_that_are_dropped_are_reclaimed);
}

#endif

int
main(void)
{
    Suite *suite = suite_create("following");
    TCase *whole = add_tests(suite, "whole");
    TCase *tests = add_tests(suite, "at once");
    add_to_each(whole, readers_find_each_version_whole_and_none_older_than_the_last);
    add_to_each(tests, unattached_readers_of_pinned_versions_find_them_whole);
    add_to_each(tests, readers_that_wait_miss_no_wake_up);
    add_to_each(tests, writers_that_update_at_once_lose_nothing);
    add_to_each(tests, a_writer_suspended_in_an_update_delays_no_other);
#if PQT_WITH_COLLECTOR
    add_collections(suite);
#endif
    return run_suite(suite);
}
