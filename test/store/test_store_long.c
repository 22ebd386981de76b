/* SPDX-License-Identifier: MIT */
/*
 * test_store_long.c: tests a store of very many versions. make check-long runs it with a million
 * versions.
 *
 * Each version moves one of 100,000 items by up to 10. The test asserts counts and bytes, and
 * prints processor times.
 */
#include "config.h"

#include <time.h>

#include <pqt/heap.h>

#include "random.h"
#include "store/store_internal.h"
#include "store_support.h"
#include "suite.h"
#include "tree_support.h"

enum { ITEMS = 100000, SIDE = 10000, WIDEST = 30, USUAL_VERSIONS = 10000, OPENED = 300 };

/* Bounds on the numbers of bytes. A change has an id and two boxes. */
enum { LEAST_OF_A_CHANGE = 40, MOST_OF_A_CHANGE = 72, MOST_OF_A_ROW = 160, MOST_OF_A_MOVE = 4096 };

#define MOST_LOADED ((size_t)64 << 20)

/* The moves of the store. Version `n` has moved this item to this box, starting from the previous
 * version. */
typedef struct moves {
    size_t count;
    pqt_item *items; /* indexed from version 1 on */
} moves;

static double
processor_seconds(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (double)spent.tv_sec + (double)spent.tv_nsec / 1e9;
}

static pqt_box
random_box(dice *d)
{
    const pqt_vec min = {dice_real(d) * SIDE, dice_real(d) * SIDE};
    return (pqt_box){min, {min.x + dice_real(d) * WIDEST, min.y + dice_real(d) * WIDEST}};
}

static pqt_box
moved_box(pqt_box old, dice *d)
{
    const double x = dice_real(d) * 20 - 10, y = dice_real(d) * 20 - 10;
    return (pqt_box){{old.min.x + x, old.min.y + y}, {old.max.x + x, old.max.y + y}};
}

static pqt_memory *
make_heap(void)
{
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.reclaim_at_push = true;
    pqt_memory *heap = pqt_heap_make(&options, &error);
    require(heap != NULL, error.text);
    return heap;
}

static pqt_store *
open_limited(const store_folder *folder)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.max_loaded = MOST_LOADED;
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    require(store != NULL, error.text);
    return store;
}

static pqt_store_stats
stats_of(pqt_store *store)
{
    pqt_error error = {0};
    pqt_store_stats stats;
    require(pqt_store_get_stats(store, &stats, &error), error.text);
    return stats;
}

static pqt_history *
begin_history(pqt_store *store, pqt_memory *heap, pqt_item *items, dice *d)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = heap;
    options.unique_ids = true;
    for (uint64_t id = 0; id < ITEMS; id++)
        items[id] = (pqt_item){random_box(d), id};
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {SIDE, SIDE}}, &options, &error);
    tree = pqt_tree_insert_all(tree, items, ITEMS, &error);
    pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, NULL, &error);
    require(history != NULL && pqt_history_save(history, store, &error), error.text);
    return history;
}

/* Pushes all versions. Prints the time for each tenth of them, so that a cliff is visible. */
static moves
write_store(const store_folder *folder, size_t versions)
{
    pqt_error error = {0};
    dice d = {test_seed("store long")};
    pqt_memory *heap = make_heap();
    pqt_store *store = open_limited(folder);
    pqt_item *items = malloc(ITEMS * sizeof *items);
    const moves made = {versions, malloc((versions + 1) * sizeof *made.items)};
    require(items != NULL && made.items != NULL, "there is memory");
    pqt_history *history = begin_history(store, heap, items, &d);
    double begun = processor_seconds();
    for (size_t n = 1; n <= versions; n++) {
        pqt_item *item = &items[dice_below(&d, ITEMS)];
        item->box = moved_box(item->box, &d);
        made.items[n] = *item;
        const pqt_tree *tree =
            pqt_tree_move_id(pqt_history_value(history), item->id, item->box, &error);
        require(pqt_history_push(history, tree,
                                 &(pqt_history_entry_info){.label = "Move", .keep_equal = true},
                                 &error),
                error.text);
        if (n % (versions / 10) == 0) {
            const double now = processor_seconds();
            fprintf(stderr, "# %zu versions: %.1f us of processor time a push, heap of %.0f MB\n",
                    n, (now - begun) * 1e6 / (double)(versions / 10),
                    (double)pqt_memory_get_stats(heap).bytes / 1e6);
            begun = processor_seconds();
        }
    }
    free(items);
    pqt_history_destroy(&history);
    close_store(&store);
    pqt_heap_destroy(&heap);
    return made;
}

/* Loads a version, and compares its last move. */
static void
expect_version(const pqt_history *history, const moves *made, size_t n)
{
    pqt_item found;
    const pqt_tree *tree = pqt_history_value_of(history, n);
    require(tree != NULL && pqt_tree_count(tree) == ITEMS, "a version is loaded");
    require(n == 0 || (pqt_tree_find(tree, made->items[n].id, &found) &&
                       memcmp(&found.box, &made->items[n].box, sizeof found.box) == 0),
            "it has its move");
}

static int
compare_seconds(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Loads versions in random order. Loading one reads at most one keyframe. The changes cost at most
 * half as much as a keyframe, and a quarter if a keyframe is read. */
static void
open_any(const pqt_store *store, const pqt_history *history, const moves *made,
         uint64_t most_changes)
{
    double seconds[OPENED];
    dice d = {test_seed("store long: any version")};
    for (size_t i = 0; i < OPENED; i++) {
        const pqt_store_stats before = store->counts;
        const size_t n = dice_below(&d, made->count + 1);
        const double begun = processor_seconds();
        expect_version(history, made, n);
        seconds[i] = processor_seconds() - begun;
        const pqt_store_stats after = store->counts;
        ck_assert_uint_le(after.keyframes_read, before.keyframes_read + 1);
        ck_assert_uint_le(after.changes_read - before.changes_read,
                          after.keyframes_read > before.keyframes_read ? most_changes / 2 + 1
                                                                       : most_changes);
        pqt_memory_reclaim(history->memory, PQT_RECLAIM_ALL);
    }
    qsort(seconds, OPENED, sizeof *seconds, compare_seconds);
    fprintf(stderr,
            "# any of %zu versions: %.1f ms of processor time in the median, %.1f at most\n",
            made->count, seconds[OPENED / 2] * 1e3, seconds[OPENED - 1] * 1e3);
}

/* Visits all versions in order. When versions were forgotten, the next one is loaded from its
   keyframe, or from the current version. The heap contains the loaded versions, and garbage until a
   cycle ends. */
static void
visit_all(const pqt_store *store, const pqt_history *history, const moves *made,
          uint64_t most_changes)
{
    uint64_t most = 0;
    const pqt_store_stats before = store->counts;
    const double begun = processor_seconds();
    for (size_t n = 0; n <= made->count; n++) {
        expect_version(history, made, n);
        pqt_memory_reclaim(history->memory, 200);
        const uint64_t bytes = pqt_memory_get_stats(history->memory).bytes;
        most = bytes > most ? bytes : most;
    }
    const double seconds = processor_seconds() - begun;
    const uint64_t changes = store->counts.changes_read - before.changes_read;
    const uint64_t keyframes = store->counts.keyframes_read - before.keyframes_read;
    fprintf(stderr,
            "# %zu versions visited: %.1f us of processor time, %.2f changes each; %u keyframes; "
            "a heap of at most %.0f MB\n",
            made->count, seconds * 1e6 / (double)made->count, (double)changes / (double)made->count,
            (unsigned)keyframes, (double)most / 1e6);
    /* the number of times that versions are forgotten */
    const uint64_t times = 1 + made->count * MOST_OF_A_MOVE / MOST_LOADED;
    ck_assert_uint_le(changes, made->count + times * most_changes);
    ck_assert_uint_le(keyframes, times);
    ck_assert_uint_le(most, 3 * MOST_LOADED);
}

START_TEST(many_versions_are_stored_and_opened)
{
    pqt_error error = {0};
    const size_t versions = test_scaled_from(USUAL_VERSIONS, 10);
    const store_folder folder = make_store_folder();
    moves made = write_store(&folder, versions);
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    const double begun = processor_seconds();
    pqt_store *store = open_limited(&folder);
    pqt_history *history = pqt_history_open(store, NULL, heap, &error);
    require(history != NULL, error.text);
    fprintf(stderr, "# %zu versions: %.0f ms of processor time to open the store\n", versions,
            (processor_seconds() - begun) * 1e3);
    ck_assert_uint_eq(store->counts.loads, 1);
    const pqt_store_stats stats = stats_of(store);
    const uint64_t keyframe = stats.keyframe_bytes / stats.keyframes;
    /* A version is made from a loaded one if that costs less than reading the nearest keyframe and
       the changes from there. */
    const uint64_t most_changes = keyframe / 2 / (PQTI_CHANGE_COST + LEAST_OF_A_CHANGE) + 1;
    fprintf(stderr, "# %zu versions: %.1f bytes a change, %u keyframes of %u, %.1f of the file\n",
            versions, (double)stats.change_bytes / (double)versions, (unsigned)stats.keyframes,
            (unsigned)keyframe, (double)stats.file_bytes / (double)versions);
    ck_assert_uint_eq(stats.entries, versions + 1);
    ck_assert_uint_le(stats.change_bytes, versions * MOST_OF_A_CHANGE);
    ck_assert_uint_le(stats.keyframes,
                      1 + 2 * versions * (MOST_OF_A_CHANGE + PQTI_CHANGE_COST) / keyframe);
    ck_assert_uint_le(stats.file_bytes, stats.keyframe_bytes * 5 / 4 + versions * MOST_OF_A_ROW);
    open_any(store, history, &made, most_changes);
    visit_all(store, history, &made, most_changes);
    pqt_history_destroy(&history);
    close_store(&store);
    pqt_heap_destroy(&heap);
    free(made.items);
    remove_store_folder(&folder);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store long");
    tcase_add_test(add_tests(suite, "store long"), many_versions_are_stored_and_opened);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
