/* SPDX-License-Identifier: MIT */
/* test_store.c: tests stores of each kind of version, the calls that they refuse, and the cost of
 * loading. */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <pqt/heap.h>

#include "heap_cycles.h"
#include "hooks.h"
#include "store/store_internal.h"
#include "store_support.h"
#include "stored_kinds.h"
#include "suite.h"
#include "tree_support.h"

enum { PUSHES = 60, MANY = 2000 };

/* ---- Each kind ---- */

/* Pushes edits and keeps each version. Sometimes undoes an edit, so that there are branches. */
static void
push_edits(pqt_history *history, pqt_kind kind, const void **versions, dice *d)
{
    pqt_error error = {0};
    for (uint64_t i = 1; i <= PUSHES; i++) {
        const any_version current = {kind, pqt_history_value(history)};
        versions[i] = edit_of_kind(current, d);
        require(
            pqt_history_push(history, versions[i],
                             &(pqt_history_entry_info){.label = i % 3 == 0 ? "three" : "\xc3\xa9",
                                                       .time = (double)i / 3,
                                                       .key = i % 7 == 0 ? UINT64_MAX : 0,
                                                       .keep_equal = true},
                             &error),
            error.text);
        if (i % 10 == 9)
            require(pqt_history_checkout(history, dice_below(d, (size_t)i), &error), error.text);
    }
    require(pqt_history_set_name(history, 17, "seventeen", &error), error.text);
}

static void
expect_versions(const pqt_history *history, const void *const *versions, dice *d)
{
    for (int i = 0; i < 3 * PUSHES; i++) {
        const uint64_t entry = dice_below(d, PUSHES + 1);
        const void *loaded = pqt_history_value_of(history, entry);
        pqt_error error = {0};
        require(loaded != NULL && pqt_version_equals(loaded, versions[entry]) &&
                    pqt_version_check(loaded, &error),
                "a loaded version equals the one that was pushed");
    }
}

/* Half of the edits are pushed before the history is saved, the others after it. */
START_TEST(versions_of_each_kind_are_loaded_unchanged)
{
    const any_version first = first_of_kind((unsigned)_i % STORED_KINDS, arena);
    const void *versions[PUSHES + 1] = {first.version};
    pqt_error error = {0};
    dice d = {(uint64_t)_i};
    const store_folder folder = make_store_folder();
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.max_loaded = _i < STORED_KINDS ? 0 : (size_t)1 << 30;
    pqt_store *store = pqt_store_open(folder.path, &options, &error);
    ck_assert_int_eq(pqt_store_kind(store), PQT_KIND_NONE);
    ck_assert_msg(pqt_store_check(store, &error), "%s", error.text);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(first.kind), first.version, NULL, &error);
    if (_i % 2 == 0)
        ck_assert_msg(pqt_history_save(history, store, &error), "%s", error.text);
    push_edits(history, first.kind, versions, &d);
    if (_i % 2 != 0)
        ck_assert_msg(pqt_history_save(history, store, &error), "%s", error.text);
    ck_assert_int_eq(pqt_store_kind(store), first.kind);
    expect_versions(history, versions, &d);
    pqt_history_destroy(&history);
    ck_assert_msg(pqt_store_check(store, &error), "%s", error.text); /* it opens the history */
    close_store(&store);

    store = pqt_store_open(folder.path, &options, &error);
    history = pqt_history_open(store, NULL, arena, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    expect_versions(history, versions, &d);
    ck_assert_msg(pqt_store_check(store, &error), "%s", error.text);
    uint64_t named = 0;
    ck_assert(pqt_history_find(history, "seventeen", &named) && named == 17);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* No change can make these versions from their parents: they have other bounds, another kind of
 * map, or another schema. */
START_TEST(a_version_that_no_change_makes_from_its_parent_is_stored_as_a_keyframe)
{
    pqt_error error = {0};
    const any_version pairs[][2] = {
        {small_version(2, arena, &error), small_version(3, arena, &error)},
        {small_version(12, arena, &error), small_version(15, arena, &error)},
        {small_version(17, arena, &error), small_version(18, arena, &error)}};
    for (int i = 0; i < 3; i++) {
        const store_folder folder = make_store_folder();
        pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
        pqt_history *history = pqt_history_make(pqt_history_kind_of(pairs[i][0].kind),
                                                pairs[i][0].version, NULL, &error);
        ck_assert(pqt_history_save(history, store, &error));
        ck_assert_msg(pqt_history_push(history, pairs[i][1].version, NULL, &error), "%s",
                      error.text);
        ck_assert_msg(pqt_history_push(history, pairs[i][0].version, NULL, &error), "%s",
                      error.text);
        pqt_history_destroy(&history);
        close_store(&store);
        store = open_store(&folder, PQT_STORE_WRITE);
        history = pqt_history_open(store, NULL, arena, &error);
        ck_assert_msg(history != NULL, "%s", error.text);
        for (uint64_t n = 0; n < 3; n++)
            ck_assert(
                pqt_version_equals(pqt_history_value_of(history, n), pairs[i][n % 2].version));
        ck_assert_msg(pqt_store_check(store, &error), "%s", error.text);
        pqt_history_destroy(&history);
        close_store(&store);
        remove_store_folder(&folder);
    }
}
END_TEST

/* ---- Costs ---- */

/* Makes a closed store with many moves of few items. */
static store_folder
store_of_moves(size_t items, size_t moves, double keyframe_ratio, pqt_store_stats *stats)
{
    pqt_error error = {0};
    dice d = {1};
    const store_folder folder = make_store_folder();
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.keyframe_ratio = keyframe_ratio;
    pqt_tree_options shape = PQT_TREE_DEFAULTS;
    shape.memory = arena;
    shape.unique_ids = true;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {64, 64}}, &shape, &error);
    for (uint64_t i = 0; i < items; i++)
        tree = pqt_tree_insert(tree, small_item(&d, i), &error);
    pqt_store *store = pqt_store_open(folder.path, &options, &error);
    require(store != NULL, error.text);
    pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, NULL, &error);
    require(history != NULL && pqt_history_save(history, store, &error), error.text);
    for (size_t i = 0; i < moves; i++) {
        const uint64_t id = dice_below(&d, items);
        tree = pqt_tree_move_id(tree, id, small_item(&d, id).box, &error);
        require(pqt_history_push(history, tree,
                                 &(pqt_history_entry_info){.label = "Move", .keep_equal = true},
                                 &error),
                error.text);
    }
    require(pqt_store_get_stats(store, stats, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    return folder;
}

/* Opening loads one version. Each undo reads one change and no keyframe. */
START_TEST(an_undo_reads_one_change)
{
    pqt_store_stats stats, before;
    pqt_error error = {0};
    const store_folder folder = store_of_moves(100, MANY, 1e9, &stats);
    ck_assert_uint_eq(stats.keyframes, 1);
    ck_assert_uint_eq(stats.entries, MANY + 1);
    pqt_store *store = open_store(&folder, PQT_STORE_READ);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    ck_assert(pqt_store_get_stats(store, &before, &error));
    ck_assert_uint_eq(before.loads, 1);
    ck_assert_uint_eq(before.keyframes_read, 1);
    ck_assert_uint_eq(before.changes_read, MANY);
    for (uint64_t i = 1; i <= 100; i++) {
        ck_assert(pqt_history_undo(history));
        ck_assert(pqt_store_get_stats(store, &stats, &error));
        ck_assert_uint_eq(stats.changes_read, before.changes_read + i);
        ck_assert_uint_eq(stats.keyframes_read, 1);
    }
    for (int i = 0; i < 100; i++)
        ck_assert(pqt_history_redo(history));
    ck_assert(pqt_store_get_stats(store, &stats, &error));
    /* all of them are still loaded */
    ck_assert_uint_eq(stats.changes_read, before.changes_read + 100);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* The changes on the path to any version take at most as many bytes as a keyframe, or 64 KiB, plus
   one change. */
START_TEST(keyframes_bound_the_cost_of_a_version)
{
    pqt_store_stats stats;
    pqt_error error = {0};
    const store_folder folder = store_of_moves(1000, MANY, 0.5, &stats);
    pqt_store *store = open_store(&folder, PQT_STORE_READ);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    uint64_t most = 0;
    ck_assert_uint_gt(stats.keyframes, 4);
    for (uint32_t slot = 0; slot < history->count; slot++) {
        const pqti_record *record = &history->records[slot];
        const uint32_t key = pqti_history_slot(history, record->keyframe);
        const uint64_t cost = record->path_cost - history->records[key].path_cost;
        most = cost > most ? cost : most;
    }
    ck_assert_uint_le(most, 32768 + 256);
    ck_assert_uint_gt(most, 32000);
    /* A move takes 72 bytes of data: an id and two boxes. */
    ck_assert_uint_le(stats.change_bytes / MANY, 72);
    fprintf(stderr, "# %u bytes a change, %u a keyframe, %u of the file a version\n",
            (unsigned)(stats.change_bytes / MANY),
            (unsigned)(stats.keyframe_bytes / stats.keyframes),
            (unsigned)(stats.file_bytes / MANY));
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* Opens a store that keeps only the current version loaded. */
static pqt_store *
open_forgetful(const store_folder *folder)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_READ;
    options.max_loaded = 1;
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    require(store != NULL, error.text);
    return store;
}

/* Forgets all versions except the current one. */
static void
forget_loaded(pqt_store *store)
{
    store->trim_above = 0;
    pqti_history_trim(store->history);
}

/* Returns the number of entries between entry `n` and the nearest one with a keyframe. */
static uint64_t
distance_to_keyframe(const pqt_history *history, uint64_t n)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t slot = 0; slot < history->count; slot++) {
        const pqti_record *record = &history->records[slot];
        const uint64_t distance = record->number < n ? n - record->number : record->number - n;
        if (record->keyframe == record->number && distance < least)
            least = distance;
    }
    return least;
}

/* A keyframe of a later version is as good as one of an earlier version. */
START_TEST(a_version_is_loaded_from_the_nearest_keyframe)
{
    pqt_store_stats stats;
    pqt_error error = {0};
    const store_folder folder = store_of_moves(1000, MANY, 0.5, &stats);
    pqt_store *store = open_forgetful(&folder);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    uint64_t by_keyframe = 0, worst = 0;
    for (uint64_t n = 0; n < MANY; n += 7) {
        forget_loaded(store);
        const pqt_store_stats before = store->counts;
        ck_assert(pqt_history_value_of(history, n) != NULL);
        const uint64_t changes = store->counts.changes_read - before.changes_read;
        worst = changes > worst ? changes : worst;
        if (store->counts.keyframes_read == before.keyframes_read)
            continue; /* it is made from the current version */
        by_keyframe++;
        ck_assert_uint_le(changes, distance_to_keyframe(history, n) + 2);
    }
    ck_assert_uint_gt(by_keyframe, MANY / 14);
    fprintf(stderr, "# %u changes at most, %u keyframes\n", (unsigned)worst,
            (unsigned)stats.keyframes);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* After a long path, many branches begin. The search for a start ends among the first of them, and
   the current version is at the end of the last one. */
START_TEST(a_version_is_loaded_from_the_current_one_if_that_is_near)
{
    enum { PATH = 60, BRANCHES = 300 };
    pqt_store_stats stats;
    pqt_error error = {0};
    const store_folder folder = store_of_moves(100, PATH, 1e9, &stats);
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_WRITE;
    options.keyframe_ratio = 1e9;
    options.max_loaded = 0;
    pqt_store *store = pqt_store_open(folder.path, &options, &error);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    dice d = {5};
    for (int i = 0; i < BRANCHES; i++) {
        require(pqt_history_checkout(history, PATH, &error), error.text);
        const pqt_tree *tree = pqt_history_value(history);
        tree = pqt_tree_move_id(tree, 7, small_item(&d, 7).box, &error);
        require(pqt_history_push(history, tree, &(pqt_history_entry_info){0}, &error), error.text);
    }
    forget_loaded(store);
    const pqt_store_stats before = store->counts;
    require(pqt_history_value_of(history, PATH + BRANCHES / 2) != NULL, "it is loaded");
    ck_assert_uint_eq(store->counts.changes_read - before.changes_read, 2);
    ck_assert_uint_eq(store->counts.keyframes_read, before.keyframes_read);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* No changes lead from the current version to the one to load, since an entry between them is
   stored as a whole. */
START_TEST(a_version_is_not_loaded_across_an_entry_without_a_change)
{
    enum { PATH = 60, LOADED = PATH - 1 };
    pqt_store_stats stats;
    pqt_error error = {0};
    const store_folder folder = store_of_moves(100, PATH, 1e9, &stats);
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_WRITE;
    options.keyframe_ratio = 1e9;
    options.max_loaded = 0;
    pqt_store *store = pqt_store_open(folder.path, &options, &error);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    const pqt_tree *expected = pqt_history_value_of(history, LOADED);
    const pqt_tree *other = small_tree_of(2, arena, &error); /* its bounds differ */
    require(pqt_history_push(history, other, NULL, &error), error.text);
    other = pqt_tree_insert(other, (pqt_item){{{1, 1}, {2, 2}}, 1000}, &error);
    require(pqt_history_push(history, other, NULL, &error), error.text);
    forget_loaded(store);
    const pqt_store_stats before = store->counts;
    const pqt_tree *loaded = pqt_history_value_of(history, LOADED);
    require(loaded != NULL && loaded != expected, "it is loaded again");
    ck_assert(pqt_tree_equals(loaded, expected));
    ck_assert_uint_eq(store->counts.changes_read - before.changes_read, LOADED);
    ck_assert(pqt_store_get_error(store, &error));
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

static uint32_t
loaded_versions(const pqt_history *history)
{
    uint32_t loaded = 0;
    for (uint32_t slot = 0; slot < history->count; slot++)
        loaded += history->records[slot].value != NULL;
    return loaded;
}

/* Opening applies all changes. Afterwards, the changes to any version cost less than 64 KiB, unless
   the limit on loaded bytes leaves no room for versions on the path. */
START_TEST(opening_keeps_versions_along_a_long_path)
{
    pqt_store_stats stats;
    pqt_error error = {0};
    dice d = {7};
    const store_folder folder = store_of_moves(1000, 2 * MANY, 1e9, &stats);
    pqt_store *store = open_store(&folder, PQT_STORE_READ);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    ck_assert_uint_gt(loaded_versions(history), 4);
    for (int i = 0; i < 100; i++) {
        const uint64_t before = store->counts.changes_read;
        ck_assert(pqt_history_value_of(history, dice_below(&d, 2 * MANY)) != NULL);
        ck_assert_uint_le(store->counts.changes_read - before, 65536 / PQTI_CHANGE_COST / 2);
    }
    ck_assert_uint_eq(store->counts.keyframes_read, 1);
    pqt_history_destroy(&history);
    close_store(&store);
    store = open_forgetful(&folder);
    history = pqt_history_open(store, NULL, arena, &error);
    ck_assert_uint_le(loaded_versions(history), 2);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* Versions on both sides of a damaged change are loaded without it. A check reports it. */
START_TEST(a_damaged_change_hides_one_version)
{
    pqt_store_stats stats;
    pqt_error error = {0};
    char sql[80];
    const store_folder folder = store_of_moves(1000, MANY, 0.5, &stats);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    uint32_t slot = 1;
    while (history->records[slot].keyframe == 0)
        slot++;
    const uint64_t damaged = history->records[slot].number - 5;
    snprintf(sql, sizeof sql, "UPDATE entry SET changes = zeroblob(40) WHERE number = %u",
             (unsigned)damaged);
    ck_assert_msg(pqti_execute(&store->database, sql, &error), "%s", error.text);
    for (uint64_t n = 0; n < MANY; n++) {
        forget_loaded(store);
        ck_assert_msg((pqt_history_value_of(history, n) == NULL) == (n == damaged), "version %u",
                      (unsigned)n);
    }
    forget_loaded(store);
    ck_assert(!pqt_store_check(store, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_uint_eq(error.index, damaged);
    pqt_history_destroy(&history);
    error = (pqt_error){0};
    ck_assert(!pqt_store_check(store, &error)); /* when the history is closed, too */
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_uint_eq(error.index, damaged);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* While all versions are visited, the memory never holds more than the limit, one version, and the
 * version that is loaded next. */
START_TEST(loaded_versions_stay_within_their_limit)
{
    pqt_store_stats stats;
    pqt_error error = {0};
    const size_t limit = 400000;
    const store_folder folder = store_of_moves(1000, MANY, 1, &stats);
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.max_loaded = limit;
    pqt_store *store = pqt_store_open(folder.path, &options, &error);
    pqt_memory *heap = pqt_heap_make(NULL, &error);
    pqt_history *history = pqt_history_open(store, NULL, heap, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    size_t most = 0;
    for (uint64_t i = 0; i <= MANY; i++) {
        ck_assert(pqt_history_value_of(history, i * 7 % (MANY + 1)) != NULL);
        ck_assert(pqt_store_get_stats(store, &stats, &error));
        most = stats.loaded_bytes > most ? stats.loaded_bytes : most;
        if (i % 100 == 0) {
            run_cycle(heap);
            /* Besides the versions, the heap contains the records and their labels. */
            ck_assert_uint_le(pqt_memory_get_stats(heap).used_bytes,
                              stats.loaded_bytes + pqt_history_get_stats(history).entry_bytes +
                                  4096);
        }
    }
    ck_assert_uint_le(most, 2 * limit);
    ck_assert_uint_gt(most, limit / 2);
    pqt_history_destroy(&history);
    pqt_heap_destroy(&heap);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* Checks a store in a heap. Returns the number of bytes of the heap afterwards, or 0 if its limit
 * is too small. */
static uint64_t
check_in_heap(const store_folder *folder, size_t max_loaded, size_t heap_limit)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.max_loaded = max_loaded;
    pqt_heap_options in_heap = PQT_HEAP_DEFAULTS;
    in_heap.limit = heap_limit;
    in_heap.reclaim_at_push = true;
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    pqt_memory *heap = pqt_heap_make(&in_heap, &error);
    pqt_history *history = pqt_history_open(store, NULL, heap, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    const bool done = pqt_store_check(store, &error);
    ck_assert_msg(done || error.status == PQT_ERROR_MEMORY, "%s", error.text);
    const uint64_t bytes = done ? pqt_memory_get_stats(heap).bytes : 0;
    pqt_history_destroy(&history);
    pqt_heap_destroy(&heap);
    close_store(&store);
    return bytes;
}

/* A check that kept all versions would fail at a limit at which a check that forgets them
 * succeeds. */
START_TEST(a_check_in_a_heap_releases_versions_after_use)
{
    pqt_store_stats stats;
    const size_t limit = 12 << 20;
    const store_folder folder = store_of_moves(1000, 3 * MANY, 0.125, &stats);
    const uint64_t all = check_in_heap(&folder, SIZE_MAX, 0);
    ck_assert_uint_eq(check_in_heap(&folder, SIZE_MAX, limit), 0);
    const uint64_t some = check_in_heap(&folder, limit / 10, limit);
    fprintf(stderr, "# %u bytes with all versions, %u with some\n", (unsigned)all, (unsigned)some);
    ck_assert_uint_gt(some, 0);
    ck_assert_uint_gt(all, limit);
    remove_store_folder(&folder);
}
END_TEST

/* ---- Writers and readers ---- */

START_TEST(the_error_of_a_second_writer_names_the_first)
{
    pqt_error error = {0};
    char wanted[40];
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    ck_assert(pqt_store_open(folder.path, NULL, &error) == NULL);
    ck_assert_int_eq(error.status, PQT_ERROR_CONFLICT);
    snprintf(wanted, sizeof wanted, "process %ld on ", (long)getpid());
    ck_assert_msg(strstr(error.text, wanted) != NULL, "%s", error.text);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_WRITE);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* A second process that is refused neither creates the file nor removes it. Here, the test holds
   the lock in the place of the first one, before and after this has created the file. */
START_TEST(a_creation_that_comes_second_leaves_the_file_to_the_first_writer)
{
    pqt_error error = {0};
    pqti_writer_lock lock = {0};
    const store_folder folder = make_store_folder();
    ck_assert(pqti_writer_lock_take(&lock, folder.path, &error));
    ck_assert(pqt_store_open(folder.path, NULL, &error) == NULL);
    ck_assert_int_eq(error.status, PQT_ERROR_CONFLICT);
    ck_assert_int_ne(access(folder.path, F_OK), 0);
    FILE *file = fopen(folder.path, "wb");
    ck_assert(file != NULL && fclose(file) == 0);
    error = (pqt_error){0};
    ck_assert(pqt_store_open(folder.path, NULL, &error) == NULL);
    ck_assert_int_eq(error.status, PQT_ERROR_CONFLICT);
    ck_assert_int_eq(access(folder.path, F_OK), 0);
    pqti_writer_lock_release(&lock);
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* After a process is killed, the next one gets the lock, and the file contains the last push. */
START_TEST(a_killed_writer_leaves_a_valid_store)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    const pid_t child = fork();
    if (child == 0) {
        pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
        pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE),
                                                small_tree_of(3, arena, &error), NULL, &error);
        require(pqt_history_save(history, store, &error), error.text);
        require(pqt_history_push(history, pqt_tree_clear(pqt_history_value(history), &error), NULL,
                                 &error),
                error.text);
        raise(SIGKILL);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    ck_assert_uint_eq(pqt_history_current(history), 1);
    ck_assert_uint_eq(pqt_tree_count(pqt_history_value(history)), 0);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* Forks a child. When the parent closes the pipe, the child ends without closing anything. */
static pid_t
fork_until_closed(const int *pipes)
{
    const pid_t child = fork();
    if (child == 0) {
        char none;
        close(pipes[1]);
        _exit(read(pipes[0], &none, 1) == 0 ? 0 : 1);
    }
    return child;
}

static void
expect_success(pid_t child)
{
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

/* A child that ends without closing the store of its parent does not change it. A child that lives
   longer than its parent does not keep the lock. */
START_TEST(a_child_does_not_change_the_store_of_its_parent)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE),
                                            small_tree_of(3, arena, &error), NULL, &error);
    ck_assert(pqt_history_save(history, store, &error));
    int pipes[2];
    ck_assert_int_eq(pipe(pipes), 0);
    const pid_t lasting = fork_until_closed(pipes), child = fork();
    if (child == 0)
        _exit(0);
    expect_success(child);
    const pqt_tree *empty = pqt_tree_clear(pqt_history_value(history), &error);
    ck_assert_msg(pqt_history_push(history, empty, NULL, &error), "%s", error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_WRITE);
    history = pqt_history_open(store, NULL, arena, &error);
    ck_assert_msg(history != NULL && pqt_store_check(store, &error), "%s", error.text);
    ck_assert_uint_eq(pqt_history_current(history), 1);
    close(pipes[1]);
    expect_success(lasting);
    close(pipes[0]);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* The history of a reader does not change while a writer pushes and thins. */
START_TEST(a_reader_sees_the_history_as_it_was)
{
    pqt_error error = {0};
    const void *versions[PUSHES + 1] = {first_of_kind(0, arena).version};
    dice d = {4};
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), versions[0], NULL, &error);
    ck_assert(pqt_history_save(history, store, &error));
    push_edits(history, PQT_KIND_TREE, versions, &d);
    pqt_store *reader = open_store(&folder, PQT_STORE_READ);
    pqt_history *seen = pqt_history_open(reader, NULL, arena, &error);
    ck_assert_msg(pqt_history_thin(history, 2, &error), "%s", error.text);
    ck_assert(pqt_history_push(history, versions[3], NULL, &error));
    ck_assert_uint_lt(pqt_history_get_stats(history).entries, 20);
    ck_assert_uint_eq(pqt_history_get_stats(seen).entries, PUSHES + 1);
    expect_versions(seen, versions, &d);
    ck_assert(pqt_history_undo(seen)); /* it moves in memory only */
    ck_assert(pqt_store_get_error(reader, &error));
    ck_assert(!pqt_history_set_name(seen, 1, "one", &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    error = (pqt_error){0};
    ck_assert(!pqt_history_thin(seen, 2, &error) && error.status == PQT_ERROR_MISMATCH);
    error = (pqt_error){0};
    ck_assert(!pqt_store_compact(reader, &error) && error.status == PQT_ERROR_MISMATCH);
    pqt_history_destroy(&seen);
    close_store(&reader);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

START_TEST(compacting_a_thinned_store_shrinks_its_file)
{
    pqt_error error = {0};
    pqt_store_stats before, after;
    const store_folder folder = store_of_moves(200, MANY, 0.125, &before);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    ck_assert_msg(pqt_history_thin(history, 0, &error), "%s", error.text);
    ck_assert_msg(pqt_store_compact(store, &error), "%s", error.text);
    ck_assert(pqt_store_get_stats(store, &after, &error));
    ck_assert_uint_eq(after.entries, 2);
    ck_assert_uint_le(after.file_bytes, before.file_bytes / 8);
    ck_assert_msg(pqt_store_check(store, &error), "%s", error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* ---- Refused calls ---- */

static void
expect_refused(const char *path, const pqt_store_options *options, pqt_status status,
               const char *text)
{
    pqt_error error = {0};
    ck_assert(pqt_store_open(path, options, &error) == NULL);
    ck_assert_msg(error.status == status && strstr(error.text, text) != NULL, "%d: %s",
                  (int)error.status, error.text);
}

START_TEST(files_that_are_not_stores_are_refused)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_WRITE;
    expect_refused(folder.path, &options, PQT_ERROR_STREAM, "opened");
    options.access = PQT_STORE_READ;
    expect_refused(folder.path, &options, PQT_ERROR_STREAM, "opened");
    expect_refused(folder.name, &options, PQT_ERROR_STREAM, "regular file");
    expect_refused("/nowhere/at/all.pqts", NULL, PQT_ERROR_STREAM, "created");
    ck_assert(pqt_tree_save(small_tree_of(3, arena, &error), folder.path, &error));
    expect_refused(folder.path, NULL, PQT_ERROR_FORMAT, "not a store");
    expect_refused(folder.path, &options, PQT_ERROR_FORMAT, "not a store");
    unlink(folder.path);
    sqlite3 *other = NULL;
    ck_assert_int_eq(sqlite3_open(folder.path, &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(other, "CREATE TABLE t(a)", NULL, NULL, NULL), SQLITE_OK);
    expect_refused(folder.path, NULL, PQT_ERROR_FORMAT, "not a store");
    sqlite3_close(other);
    unlink(folder.path);
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    ck_assert(pqti_execute(&store->database, "PRAGMA user_version = 3", &error));
    close_store(&store);
    expect_refused(folder.path, NULL, PQT_ERROR_FORMAT, "version 3");
    unlink(folder.path);
    store = open_store(&folder, PQT_STORE_CREATE);
    ck_assert(pqti_execute(&store->database,
                           "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
                           &error));
    close_store(&store);
    expect_refused(folder.path, NULL, PQT_ERROR_FORMAT, "not a store");
    remove_store_folder(&folder);
}
END_TEST

START_TEST(options_out_of_range_are_refused)
{
    const store_folder folder = make_store_folder();
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.keyframe_ratio = 0.1;
    expect_refused(folder.path, &options, PQT_ERROR_OPTION, "keyframe_ratio");
    options.keyframe_ratio = 1;
    options.sync = (pqt_store_sync)2;
    expect_refused(folder.path, &options, PQT_ERROR_OPTION, "sync");
    options.sync = PQT_STORE_NORMAL;
    options.access = (pqt_store_access)3;
    expect_refused(folder.path, &options, PQT_ERROR_OPTION, "access");
    ck_assert(access(folder.path, F_OK) != 0);
    remove_store_folder(&folder);
}
END_TEST

/* version.h contains the rule. No release has had a smaller struct. */
START_TEST(options_of_a_later_release_are_accepted_if_unknown_fields_are_zero)
{
    struct larger {
        pqt_store_options known;
        size_t unknown;
    } larger = {.known = PQT_STORE_DEFAULTS};
    const store_folder folder = make_store_folder();
    pqt_error error = {0};
    larger.known.size = sizeof larger;
    pqt_store *store = pqt_store_open(folder.path, &larger.known, &error);
    ck_assert_msg(store != NULL, "%s", error.text);
    ck_assert(pqt_store_close(&store, &error));
    larger.unknown = 1;
    expect_refused(folder.path, &larger.known, PQT_ERROR_OPTION, "this release does not know");
    larger.known.size = offsetof(pqt_store_options, keyframe_ratio);
    expect_refused(folder.path, &larger.known, PQT_ERROR_OPTION, "PQT_STORE_DEFAULTS");
    remove_store_folder(&folder);
}
END_TEST

static void
expect_not_saved(pqt_history *history, pqt_store *store, pqt_status status, const char *text)
{
    pqt_error error = {0};
    ck_assert(!pqt_history_save(history, store, &error));
    ck_assert_msg(error.status == status && strstr(error.text, text) != NULL, "%d: %s",
                  (int)error.status, error.text);
}

START_TEST(histories_that_no_store_can_hold_are_refused)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    const pqt_history_kind other = {.size = sizeof other, .name = "texts"};
    pqt_tree_options pointers = PQT_TREE_DEFAULTS;
    pointers.ids_are_pointers = true;
    pointers.memory = pqt_collector();
    if (pointers.memory == NULL)
        return;
    ck_assert(pqt_init(&error));
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    ck_assert(pqt_history_open(store, NULL, arena, &error) == NULL);
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    error = (pqt_error){0};
    const pqt_tree *tree = small_tree_of(3, arena, &error);
    const pqt_tree *named = pqt_tree_make((pqt_box){{0, 0}, {1, 1}}, &pointers, &error);
    pqt_history *histories[] = {
        pqt_history_make(&other, "text", NULL, &error),
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), named, NULL, &error),
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, NULL, &error),
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, NULL, &error),
    };
    ck_assert_msg(error.status == PQT_OK, "%s", error.text);
    expect_not_saved(histories[0], store, PQT_ERROR_OPTION, "texts");
    expect_not_saved(histories[1], store, PQT_ERROR_OPTION, "pointers");
    pqt_history_begin(histories[2], "group");
    expect_not_saved(histories[2], store, PQT_ERROR_MISMATCH, "group");
    pqt_history_end(histories[2]);
    ck_assert(pqt_history_save(histories[2], store, &error));
    expect_not_saved(histories[2], store, PQT_ERROR_MISMATCH, "not empty");
    expect_not_saved(histories[3], store, PQT_ERROR_MISMATCH, "not empty");
    ck_assert(pqt_history_open(store, NULL, arena, &error) == NULL);
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    for (int i = 0; i < 4; i++)
        pqt_history_destroy(&histories[i]);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

START_TEST(a_store_is_recognised_by_its_first_bytes)
{
    uint8_t bytes[PQT_STORE_HEAD];
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    close_store(&store);
    FILE *file = fopen(folder.path, "rb");
    ck_assert(file != NULL && fread(bytes, 1, sizeof bytes, file) == sizeof bytes);
    fclose(file);
    ck_assert(pqt_is_store(bytes, sizeof bytes));
    ck_assert(!pqt_is_store(bytes, sizeof bytes - 1) && !pqt_is_store(NULL, 0));
    ck_assert_int_eq(pqt_bytes_kind_of(bytes, sizeof bytes), PQT_KIND_NONE);
    bytes[70] ^= 1;
    ck_assert(!pqt_is_store(bytes, sizeof bytes));
    remove_store_folder(&folder);
}
END_TEST

/* ---- A full disk, and no memory ---- */

/* A push that fails changes neither the history nor the file. It succeeds when there is room
 * again. */
START_TEST(a_full_disk_loses_nothing)
{
    pqt_error error = {0};
    dice d = {3};
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE),
                                            small_tree_of(3, arena, &error), NULL, &error);
    ck_assert(pqt_history_save(history, store, &error));
    ck_assert(pqti_execute(&store->database, "PRAGMA max_page_count = 10", &error));
    uint64_t pushed = 0;
    const pqt_tree *next = NULL;
    for (; error.status == PQT_OK; pushed++) {
        next = edit_tree(pqt_history_value(history), &d, &error);
        if (!pqt_history_push(history, next, &(pqt_history_entry_info){.keep_equal = true}, &error))
            break;
    }
    ck_assert_int_eq(error.status, PQT_ERROR_STREAM);
    ck_assert_str_eq(error.text, "the disk is full");
    ck_assert_uint_gt(pushed, 10);
    ck_assert_uint_eq(pqt_history_current(history), pushed);
    error = (pqt_error){0};
    ck_assert(pqti_execute(&store->database, "PRAGMA max_page_count = 1000", &error));
    ck_assert(
        pqt_history_push(history, next, &(pqt_history_entry_info){.keep_equal = true}, &error));
    pqt_history_destroy(&history);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_READ);
    history = pqt_history_open(store, NULL, arena, &error);
    ck_assert_uint_eq(pqt_history_current(history), pushed + 1);
    ck_assert(pqt_tree_equals(pqt_history_value(history), next));
    ck_assert(pqt_store_check(store, &error));
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* Opens, edits, thins and checks a copy of a store. Returns false and sets the error on failure. */
static bool
use_store(const char *path, pqt_error *error)
{
    dice d = {9};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.max_loaded = 0;
    pqt_store *store = pqt_store_open(path, &options, error);
    pqt_history *history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, error);
    bool done = history != NULL;
    if (done) {
        const any_version current = {pqt_store_kind(store), pqt_history_value(history)};
        const void *next = current.version;
        if (current.kind == PQT_KIND_TREE)
            next = edit_tree(current.version, &d, error);
        done =
            pqt_history_push(history, next, &(pqt_history_entry_info){.keep_equal = true}, error) &&
            pqt_history_checkout(history, 5, error) &&
            pqt_history_set_name(history, 5, "five", error) &&
            pqt_history_thin(history, 3, error) && pqt_store_check(store, error);
    }
    pqt_history_destroy(&history);
    done = done && pqt_store_check(store, error);
    return pqt_store_close(&store, error) && done;
}

static void
copy_file(const char *from, const char *to)
{
    char bytes[4096];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    require(in != NULL && out != NULL, "files are opened");
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, in)) > 0;)
        require(fwrite(bytes, 1, count, out) == count, "bytes are copied");
    require(fclose(in) == 0 && fclose(out) == 0, "files are closed");
}

START_TEST(each_failed_allocation_is_reported_as_out_of_memory)
{
    pqt_error error = {0};
    const any_version first = first_of_kind((unsigned)_i, arena);
    const void *versions[PUSHES + 1] = {first.version};
    dice d = {6};
    char copy[200];
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(first.kind), first.version, NULL, &error);
    ck_assert(pqt_history_save(history, store, &error));
    push_edits(history, first.kind, versions, &d);
    pqt_history_destroy(&history);
    close_store(&store);
    snprintf(copy, sizeof copy, "%s/copy.pqts", folder.name);
    bool done = false;
    size_t failed = 0;
    for (size_t at = 1; !done; at += 1 + at / 20) {
        hooks watch = {.fail_at = at};
        copy_file(folder.path, copy);
        error = (pqt_error){0};
        hooks_start(&watch);
        done = use_store(copy, &error);
        hooks_stop();
        ck_assert_msg(done || (error.status == PQT_ERROR_MEMORY && watch.failures == 1), "%s",
                      error.text);
        failed += !done;
        /* The file contains a complete store, whichever call failed. */
        error = (pqt_error){0};
        store = pqt_store_open(copy, NULL, &error);
        history = pqt_history_open(store, NULL, arena, &error);
        ck_assert_msg(history != NULL && pqt_store_check(store, &error), "%s", error.text);
        pqt_history_destroy(&history);
        close_store(&store);
    }
    ck_assert_uint_gt(failed, 20);
    unlink(copy);
    remove_store_folder(&folder);
}
END_TEST

START_TEST(a_history_that_cannot_be_saved_for_lack_of_memory_is_in_no_store)
{
    pqt_error error = {0};
    const any_version first = first_of_kind((unsigned)_i, arena);
    const void *versions[PUSHES + 1] = {first.version};
    dice d = {8};
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(first.kind), first.version, NULL, &error);
    push_edits(history, first.kind, versions, &d);
    bool done = false;
    for (size_t at = 1; !done; at += 1 + at / 20) {
        hooks watch = {.fail_at = at};
        error = (pqt_error){0};
        hooks_start(&watch);
        done = pqt_history_save(history, store, &error);
        hooks_stop();
        ck_assert_msg(done || (error.status == PQT_ERROR_MEMORY && history->backing == NULL &&
                               pqt_store_kind(store) == PQT_KIND_NONE),
                      "%s", error.text);
    }
    expect_versions(history, versions, &d);
    ck_assert_msg(pqt_store_check(store, &error), "%s", error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store");
    TCase *tests = add_tests(suite, "store");
    tcase_add_loop_test(tests, versions_of_each_kind_are_loaded_unchanged, 0, 2 * STORED_KINDS);
    tcase_add_test(tests, a_version_that_no_change_makes_from_its_parent_is_stored_as_a_keyframe);
    tcase_add_test(tests, an_undo_reads_one_change);
    tcase_add_test(tests, keyframes_bound_the_cost_of_a_version);
    tcase_add_test(tests, a_version_is_loaded_from_the_nearest_keyframe);
    tcase_add_test(tests, a_version_is_loaded_from_the_current_one_if_that_is_near);
    tcase_add_test(tests, a_version_is_not_loaded_across_an_entry_without_a_change);
    tcase_add_test(tests, opening_keeps_versions_along_a_long_path);
    tcase_add_test(tests, a_damaged_change_hides_one_version);
    tcase_add_test(tests, loaded_versions_stay_within_their_limit);
    tcase_add_test(tests, a_check_in_a_heap_releases_versions_after_use);
    tcase_add_test(tests, the_error_of_a_second_writer_names_the_first);
    tcase_add_test(tests, a_creation_that_comes_second_leaves_the_file_to_the_first_writer);
    tcase_add_test(tests, a_killed_writer_leaves_a_valid_store);
    tcase_add_test(tests, a_child_does_not_change_the_store_of_its_parent);
    tcase_add_test(tests, a_reader_sees_the_history_as_it_was);
    tcase_add_test(tests, compacting_a_thinned_store_shrinks_its_file);
    tcase_add_test(tests, files_that_are_not_stores_are_refused);
    tcase_add_test(tests, options_out_of_range_are_refused);
    tcase_add_test(tests, options_of_a_later_release_are_accepted_if_unknown_fields_are_zero);
    tcase_add_test(tests, histories_that_no_store_can_hold_are_refused);
    tcase_add_test(tests, a_store_is_recognised_by_its_first_bytes);
    tcase_add_test(tests, a_full_disk_loses_nothing);
    tcase_add_loop_test(tests, each_failed_allocation_is_reported_as_out_of_memory, 0,
                        STORED_KINDS);
    tcase_add_loop_test(tests, a_history_that_cannot_be_saved_for_lack_of_memory_is_in_no_store, 0,
                        STORED_KINDS);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
