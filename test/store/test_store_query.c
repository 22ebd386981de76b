/* SPDX-License-Identifier: MIT */
/*
 * test_store_query.c: compares histories that are opened from stores with histories in memory that
 * received the same edits: queries of past versions, and limits.
 */
#include "config.h"

#include <pqt/document.h>
#include <pqt/store.h>

#include "history_support.h"
#include "random.h"
#include "store/store_internal.h"
#include "store_support.h"
#include "suite.h"

enum { EDITS = 700, IDS = 12, SIDE = 16 };

static pqt_history_options
indexed_options(void)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = true;
    return options;
}

static pqt_history *
open_indexed(pqt_store *store)
{
    pqt_error error = {0};
    const pqt_history_options options = indexed_options();
    pqt_history *history = pqt_history_open(store, &options, arena, &error);
    require(history != NULL, error.text);
    return history;
}

static pqt_box
random_box(dice *d)
{
    const double x = (double)dice_below(d, SIDE), y = (double)dice_below(d, SIDE);
    return box(x, y, x + (double)dice_below(d, 3), y + (double)dice_below(d, 3));
}

static pqt_query
random_query(dice *d)
{
    const double x = (double)dice_below(d, SIDE), y = (double)dice_below(d, SIDE);
    const double side = (double)dice_below(d, 6);
    return query_of(box(x, y, x + side, y + side), (pqt_relation)(PQT_TOUCHES + dice_below(d, 4)));
}

static bool
take_item_of_id(const pqt_item *item, void *found)
{
    const bool is_it = item->id == ((pqt_item *)found)->id;
    if (is_it)
        *(pqt_item *)found = *item;
    return !is_it;
}

/* Inserts, moves or removes a random item. */
static const pqt_tree *
edit(const pqt_tree *tree, dice *d)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    const pqt_item item = {random_box(d), dice_below(d, IDS)};
    pqt_item found = item;
    pqt_tree_get_options(tree, &options);
    const bool is_there = !pqt_tree_visit(tree, NULL, take_item_of_id, &found);
    const pqt_tree *next = !is_there || (!options.unique_ids && dice_chance(d, 30))
                               ? pqt_tree_insert(tree, item, &error)
                           : dice_chance(d, 60) ? pqt_tree_move(tree, found, item.box, &error)
                                                : pqt_tree_remove(tree, found, &error);
    require(next != NULL, error.text);
    return next;
}

static const pqt_tree *
tree_of(bool unique)
{
    pqt_error error = {0};
    pqt_tree_options options = options_of(2, 24);
    options.memory = arena;
    options.unique_ids = unique;
    const pqt_tree *tree = pqt_tree_make(box(0, 0, SIDE, SIDE), &options, &error);
    require(tree != NULL, error.text);
    return tree;
}

/* Returns a tree, or a document with two trees and a region. */
static const void *
first_version(bool is_document)
{
    pqt_error error = {0};
    if (!is_document)
        return tree_of(true);
    const pqt_part parts[] = {
        {"many", PQT_KIND_TREE, tree_of(false), NULL},
        {"one", PQT_KIND_TREE, tree_of(true), NULL},
#if PQT_WITH_PIXELS
        {"ground", PQT_KIND_REGION, pqt_region_make(arena, &error), NULL},
#endif
    };
    const pqt_document *document = pqt_document_make(parts, sizeof parts / sizeof *parts, &error);
    require(document != NULL, error.text);
    return document;
}

static const char *const parts_with_trees[] = {"many", "one"};

static const pqt_document *
edit_document(const pqt_document *document, dice *d)
{
    pqt_error error = {0};
    const char *part = parts_with_trees[dice_below(d, 2)];
    if (PQT_WITH_PIXELS && dice_chance(d, 10)) {
        const pqt_region *ground = pqt_region_paint(
            pqt_document_region(document, "ground"),
            pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){(double)dice_below(d, 9), 4}, 3), &error);
        document = pqt_document_set_region(document, "ground", ground, &error);
    }
    document =
        pqt_document_set_tree(document, part, edit(pqt_document_tree(document, part), d), &error);
    require(document != NULL, error.text);
    return document;
}

/* A history in memory and one in a store. */
typedef struct twins {
    pqt_history *in_memory, *in_store;
    pqt_store *store;
    store_folder folder;
    bool is_document;
    double clock;
} twins;

static void
push_to(pqt_history *history, const void *value, double time)
{
    pqt_error error = {0};
    const pqt_history_entry_info info = {.time = time, .keep_equal = true};
    require(pqt_history_push(history, value, &info, &error), error.text);
}

static const void *
edit_any(const twins *t, const void *value, dice *d)
{
    return t->is_document ? (const void *)edit_document(value, d) : (const void *)edit(value, d);
}

/* Makes the same random edits in both, on many branches. */
static void
edit_both(twins *t, dice *d, size_t edits)
{
    for (size_t i = 0; i < edits; i++) {
        if (dice_chance(d, 5)) {
            pqt_history_entry unused;
            const uint64_t entry = dice_below(d, t->in_memory->next_number);
            if (pqt_history_get_entry(t->in_memory, entry, &unused)) {
                go(t->in_memory, entry);
                go(t->in_store, entry);
            }
        }
        const void *next = edit_any(t, pqt_history_value(t->in_memory), d);
        t->clock += 1;
        push_to(t->in_memory, next, t->clock);
        push_to(t->in_store, next, t->clock);
    }
}

static pqt_store *
open_with_limit(const store_folder *folder, pqt_store_access access, size_t max_loaded)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = access;
    options.max_loaded = max_loaded;
    options.keyframe_ratio = 0.125;
    pqt_store *store = pqt_store_open(folder->path, &options, &error);
    require(store != NULL, error.text);
    return store;
}

static twins
make_twins(bool is_document, const pqt_history_options *options)
{
    pqt_error error = {0};
    twins t = {.folder = make_store_folder(), .is_document = is_document};
    const pqt_history_kind *kind =
        is_document ? pqt_history_kind_of(PQT_KIND_DOCUMENT) : pqt_history_kind_of(PQT_KIND_TREE);
    const void *first = first_version(is_document);
    t.store = open_with_limit(&t.folder, PQT_STORE_CREATE, 1 << 20);
    t.in_memory = pqt_history_make(kind, first, options, &error);
    t.in_store = pqt_history_make(kind, first, options, &error);
    require(pqt_history_save(t.in_store, t.store, &error), error.text);
    return t;
}

/* Reopens the store. */
static void
reopen(twins *t, pqt_store_access access, size_t max_loaded, const pqt_history_options *options)
{
    pqt_error error = {0};
    pqt_history_destroy(&t->in_store);
    close_store(&t->store);
    t->store = open_with_limit(&t->folder, access, max_loaded);
    t->in_store = pqt_history_open(t->store, options, arena, &error);
    require(t->in_store != NULL, error.text);
}

static void
end_twins(twins *t)
{
    pqt_history_destroy(&t->in_memory);
    pqt_history_destroy(&t->in_store);
    close_store(&t->store);
    remove_store_folder(&t->folder);
}

static bool
same_change(const pqt_change *a, const pqt_change *b)
{
    return a->kind == b->kind && (a->kind == 0 || pqt_item_equals(a->item, b->item)) &&
           (a->kind != PQT_MOVE || memcmp(&a->to, &b->to, sizeof a->to) == 0);
}

static void
expect_same(const pqt_history_answer *a, const pqt_history_answer *b)
{
    ck_assert(a->found == b->found);
    ck_assert_uint_eq(a->entry, b->entry);
    ck_assert_uint_eq(a->before, b->before);
    ck_assert(a->time == b->time);
    ck_assert(same_change(&a->change, &b->change));
    ck_assert_uint_eq(a->steps, b->steps);
}

/* Compares all changes to a random item, and those in a random window, before an entry. */
static void
expect_same_past(const twins *t, uint64_t tip, const char *part, dice *d)
{
    pqt_error error = {0};
    pqt_history_answer a = {.found = true}, b;
    const pqt_query query = random_query(d);
    const uint64_t id = dice_below(d, IDS);
    for (uint64_t at = tip; a.found; at = a.before) {
        require(pqt_history_last_item_change(t->in_memory, part, at, id, &a, &error) &&
                    pqt_history_last_item_change(t->in_store, part, at, id, &b, &error),
                error.text);
        expect_same(&a, &b);
    }
    a.found = true;
    for (uint64_t at = tip; a.found; at = a.before) {
        require(pqt_history_last_change(t->in_memory, part, at, &query, &a, &error) &&
                    pqt_history_last_change(t->in_store, part, at, &query, &b, &error),
                error.text);
        expect_same(&a, &b);
    }
}

static void
expect_same_pasts(const twins *t, size_t tips, dice *d)
{
    const uint64_t loads = t->store->counts.loads;
    for (size_t i = 0; i < tips; i++) {
        const uint32_t slot = (uint32_t)dice_below(d, t->in_memory->count);
        const uint64_t tip = t->in_memory->records[slot].number;
        if (!t->is_document)
            expect_same_past(t, tip, NULL, d);
        for (int part = 0; part < 2 && t->is_document; part++)
            expect_same_past(t, tip, parts_with_trees[part], d);
    }
    ck_assert_uint_eq(t->store->counts.loads, loads); /* no version is loaded */
}

/* ---- Answers ---- */

START_TEST(queries_of_a_stored_history_equal_those_in_memory)
{
    const pqt_history_options options = indexed_options();
    pqt_error error = {0};
    dice d = {test_seed("past") + (unsigned)_i};
    twins t = make_twins(_i == 1, &options);
    edit_both(&t, &d, EDITS);
    expect_same_pasts(&t, 10, &d);
    for (int round = 0; round < 3; round++) {
        reopen(&t, PQT_STORE_WRITE, round == 0 ? 0 : 1 << 26, &options);
        expect_same_pasts(&t, 40, &d);
        edit_both(&t, &d, 30);
        expect_same_pasts(&t, 20, &d);
        ck_assert(pqt_history_thin(t.in_memory, 200 >> round, &error) &&
                  pqt_history_thin(t.in_store, 200 >> round, &error));
        ck_assert_uint_eq(t.in_memory->count, t.in_store->count);
        expect_same_pasts(&t, 40, &d);
    }
    ck_assert_msg(pqt_store_check(t.store, &error), "%s", error.text);
    reopen(&t, PQT_STORE_READ, 0, &options);
    expect_same_pasts(&t, 40, &d);
    end_twins(&t);
}
END_TEST

static bool
count_changes(const pqt_change *change, void *context)
{
    *(uint64_t *)context = *(uint64_t *)context * 31 + change->item.id * 4 + change->kind;
    return true;
}

START_TEST(changes_between_times_equal_those_in_memory)
{
    const pqt_history_options options = indexed_options();
    pqt_error error = {0};
    dice d = {test_seed("times")};
    twins t = make_twins(false, &options);
    edit_both(&t, &d, EDITS);
    reopen(&t, PQT_STORE_READ, 0, &options);
    for (int i = 0; i < 100; i++) {
        uint64_t a = 0, b = 0;
        const uint64_t tip = dice_below(&d, EDITS + 1);
        const double from = (double)dice_below(&d, EDITS), to = (double)dice_below(&d, EDITS);
        ck_assert(pqt_history_visit_changes(t.in_memory, NULL, tip, from, to, NULL, count_changes,
                                            &a, &error));
        ck_assert(pqt_history_visit_changes(t.in_store, NULL, tip, from, to, NULL, count_changes,
                                            &b, &error));
        ck_assert_uint_eq(a, b);
    }
    end_twins(&t);
}
END_TEST

/* ---- Costs ---- */

/* The first query reads each change once. Later queries read only the changes of the few entries
   that they examine. */
START_TEST(a_query_reads_each_change_once)
{
    const pqt_history_options options = indexed_options();
    pqt_error error = {0};
    dice d = {3};
    pqt_history_answer answer;
    twins t = make_twins(false, NULL);
    for (double i = 1; i <= 5000; i++) {
        const void *next = edit(pqt_history_value(t.in_store), &d);
        push_to(t.in_store, next, i);
    }
    reopen(&t, PQT_STORE_READ, 1 << 28, &options);
    const pqt_store_stats before = t.store->counts;
    ck_assert(pqt_history_last_item_change(t.in_store, NULL, 5000, 99, &answer, &error));
    ck_assert(!answer.found && answer.steps <= 69);
    ck_assert_uint_le(t.store->counts.changes_read - before.changes_read, 5000);
    ck_assert_uint_ge(t.store->counts.changes_read - before.changes_read, 4990);
    const uint64_t first = t.store->counts.changes_read;
    ck_assert(pqt_history_last_item_change(t.in_store, NULL, 5000, 99, &answer, &error));
    ck_assert_uint_le(t.store->counts.changes_read - first, answer.steps);
    ck_assert_uint_eq(t.store->counts.loads, before.loads);
    ck_assert_uint_lt(pqt_history_get_stats(t.in_store).index_bytes, 500 * 5000);
    end_twins(&t);
}
END_TEST

static uint32_t
count_summaries(const pqt_history *history)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < history->count; slot++)
        count += history->records[slot].summary != NULL;
    return count;
}

/* An index that is larger than the limit on loaded bytes is forgotten at the next call that loads
   or pushes. It never causes a push to drop entries. */
START_TEST(an_index_that_exceeds_the_limit_is_dropped)
{
    pqt_history_options options = indexed_options();
    dice d = {5};
    twins t = make_twins(false, &options);
    edit_both(&t, &d, EDITS);
    options.max_bytes = t.in_store->bytes + 100000;
    reopen(&t, PQT_STORE_WRITE, 1, &options);
    ck_assert_uint_eq(count_summaries(t.in_store), 0);
    expect_same_pasts(&t, 20, &d);
    ck_assert_uint_gt(count_summaries(t.in_store), 10);
    edit_both(&t, &d, 1);
    ck_assert_uint_eq(count_summaries(t.in_store), 0);
    ck_assert_uint_eq(t.in_store->count, EDITS + 2);
    expect_same_pasts(&t, 20, &d);
    end_twins(&t);
}
END_TEST

/* ---- Failures ---- */

static bool
ask(const pqt_history *history, pqt_error *error)
{
    pqt_history_answer answer;
    const pqt_query query = query_of(box(0, 0, 0, 0), PQT_INSIDE);
    return pqt_history_last_change(history, NULL, EDITS, &query, &answer, error) &&
           pqt_history_last_item_change(history, NULL, EDITS, 99, &answer, error);
}

START_TEST(each_failed_allocation_of_a_query_is_handled)
{
    const pqt_history_options options = indexed_options();
    pqt_error error = {0};
    dice d = {7};
    twins t = make_twins(false, &options);
    edit_both(&t, &d, EDITS);
    bool done = false;
    size_t failed = 0;
    for (size_t at = 1; !done; at += 1 + at / 30) {
        hooks watch = {.fail_at = at};
        error = (pqt_error){0};
        reopen(&t, PQT_STORE_READ, 1 << 20, &options);
        hooks_start(&watch);
        done = ask(t.in_store, &error);
        hooks_stop();
        ck_assert_msg(done || (error.status == PQT_ERROR_MEMORY && watch.failures == 1), "%s",
                      error.text);
        failed += !done;
        if (failed % 10 == 1)
            expect_same_pasts(&t, 2, &d);
    }
    ck_assert_uint_gt(failed, 10);
    end_twins(&t);
}
END_TEST

START_TEST(a_damaged_change_fails_a_query_and_is_named)
{
    const pqt_history_options options = indexed_options();
    pqt_error error = {0};
    pqt_history_answer answer;
    dice d = {9};
    twins t = make_twins(false, &options);
    for (double i = 1; i <= 100; i++)
        push_to(t.in_store, edit(pqt_history_value(t.in_store), &d), i);
    ck_assert(pqti_execute(&t.store->database,
                           "UPDATE entry SET changes = zeroblob(40) WHERE number = 50", &error));
    reopen(&t, PQT_STORE_READ, 1 << 20, NULL);
    pqt_history_destroy(&t.in_store);
    t.in_store = open_indexed(t.store);
    ck_assert(!pqt_history_last_item_change(t.in_store, NULL, 100, 99, &answer, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_uint_eq(error.index, 50);
    error = (pqt_error){0};
    ck_assert(pqt_history_last_item_change(t.in_store, NULL, 40, 99, &answer, &error));
    end_twins(&t);
}
END_TEST

/* Every change matches, so the query tests the boxes of one change. */
START_TEST(a_query_in_a_store_counts_the_boxes_of_changes)
{
    const pqt_history_options options = indexed_options();
    pqt_error error = {0};
    pqt_history_answer answer;
    pqt_query_stats stats = {0};
    pqt_query query = query_of_all();
    query.stats = &stats;
    dice d = {9};
    twins t = make_twins(false, &options);
    for (double i = 1; i <= 10; i++)
        push_to(t.in_store, edit(pqt_history_value(t.in_store), &d), i);
    ck_assert(pqt_history_last_change(t.in_store, NULL, pqt_history_current(t.in_store), &query,
                                      &answer, &error));
    ck_assert(answer.found);
    const uint64_t boxes = answer.change.kind == PQT_MOVE ? 2 : 1;
    ck_assert_uint_eq(stats.boxes, boxes);
    end_twins(&t);
}
END_TEST

static void
expect_not_opened(pqt_store *store, pqt_status status, uint64_t entry, const char *text)
{
    pqt_error error = {0};
    const pqt_history_options options = indexed_options();
    ck_assert(pqt_history_open(store, &options, arena, &error) == NULL);
    ck_assert_msg(error.status == status && strstr(error.text, text) != NULL, "%s", error.text);
    ck_assert_uint_eq(error.index, entry);
}

/* Makes a closed store with a history of two versions. */
static store_folder
store_of_two(const pqt_history_kind *kind, const void *first, const void *second)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history = pqt_history_make(kind, first, NULL, &error);
    require(pqt_history_save(history, store, &error) &&
                pqt_history_push(history, second, NULL, &error),
            error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    return folder;
}

START_TEST(versions_that_no_index_covers_are_refused)
{
    pqt_error error = {0};
    pqt_history_answer answer;
    pqt_tree_options options = options_of(2, 24);
    options.memory = arena;
    const pqt_tree *other = pqt_tree_make(box(0, 0, 99, 99), &options, &error);
    const pqt_region *none = pqt_region_make(arena, &error);
    const pqt_region *some =
        pqt_region_paint(none, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){5, 5}, 3), &error);
    store_folder folder = store_of_two(pqt_history_kind_of(PQT_KIND_TREE), tree_of(true), other);
    pqt_store *store = open_store(&folder, PQT_STORE_READ);
    expect_not_opened(store, PQT_ERROR_MISMATCH, 1, "entry 1: indexed");
    /* it is opened without an index */
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    ck_assert(!pqt_history_last_change(history, NULL, 1, NULL, &answer, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
    folder = store_of_two(pqt_history_kind_of(PQT_KIND_REGION), none, some);
    store = open_store(&folder, PQT_STORE_READ);
    expect_not_opened(store, PQT_ERROR_OPTION, 0, "indexed");
    close_store(&store);
    remove_store_folder(&folder);
    /* A document with another tree is stored as changes, so a query finds it. */
    error = (pqt_error){0};
    const pqt_document *document = first_version(true);
    folder = store_of_two(pqt_history_kind_of(PQT_KIND_DOCUMENT), document,
                          pqt_document_set_tree(document, "many", other, &error));
    store = open_store(&folder, PQT_STORE_READ);
    history = open_indexed(store);
    ck_assert(!pqt_history_last_change(history, "one", 1, NULL, &answer, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    ck_assert_uint_eq(error.index, 1);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* ---- Limits ---- */

/* The remaining entries equal those of a history in memory with the same limit and edits. */
START_TEST(limits_hold_after_opening)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    dice d = {test_seed("limits") + (unsigned)_i};
    options.indexed = _i % 2 == 1;
    options.max_entries = 40;
    twins t = make_twins(_i / 2 == 1, &options);
    for (int round = 0; round < 10; round++) {
        edit_both(&t, &d, 30);
        ck_assert_uint_le(t.in_store->count, 40);
        ck_assert_uint_eq(t.in_store->count, t.in_memory->count);
        for (uint32_t slot = 0; slot < t.in_store->count; slot++)
            ck_assert_uint_eq(t.in_store->records[slot].number, t.in_memory->records[slot].number);
        reopen(&t, PQT_STORE_WRITE, 1 << 20, &options);
    }
    options.max_entries = 0;
    options.max_bytes = t.in_store->bytes + 4096;
    reopen(&t, PQT_STORE_WRITE, 1 << 20, &options);
    for (int i = 0; i < 100; i++) {
        push_to(t.in_store, edit_any(&t, pqt_history_value(t.in_store), &d), t.clock);
        ck_assert_uint_le(t.in_store->bytes, options.max_bytes);
    }
    end_twins(&t);
}
END_TEST

START_TEST(invalid_options_of_an_opened_history_are_refused)
{
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    twins t = make_twins(false, NULL);
    pqt_history_destroy(&t.in_store);
    options.time = NAN;
    ck_assert(pqt_history_open(t.store, &options, arena, &error) == NULL);
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    error = (pqt_error){0};
    t.in_store = pqt_history_open(t.store, NULL, arena, &error);
    end_twins(&t);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store query");
    TCase *tests = add_tests(suite, "store query");
    tcase_add_loop_test(tests, queries_of_a_stored_history_equal_those_in_memory, 0, 2);
    tcase_add_test(tests, changes_between_times_equal_those_in_memory);
    tcase_add_test(tests, a_query_reads_each_change_once);
    tcase_add_test(tests, an_index_that_exceeds_the_limit_is_dropped);
    tcase_add_test(tests, each_failed_allocation_of_a_query_is_handled);
    tcase_add_test(tests, a_damaged_change_fails_a_query_and_is_named);
    tcase_add_test(tests, a_query_in_a_store_counts_the_boxes_of_changes);
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, versions_that_no_index_covers_are_refused);
    tcase_add_loop_test(tests, limits_hold_after_opening, 0, 4);
    tcase_add_test(tests, invalid_options_of_an_opened_history_are_refused);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
