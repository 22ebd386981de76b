/* SPDX-License-Identifier: MIT */
/* test_history_query.c: tests queries of the past, and the cost of a long history. */
#include "config.h"

#include "history_support.h"

/* ---- The past ---- */

static pqt_history_answer
last_change(const pqt_history *history, uint64_t tip, pqt_box window, pqt_query_stats *stats)
{
    pqt_error error = {0};
    pqt_history_answer answer;
    pqt_query query = query_of(window, PQT_TOUCHES);
    query.stats = stats;
    require(pqt_history_last_change(history, NULL, tip, &query, &answer, &error), error.text);
    return answer;
}

static pqt_history_answer
last_item_change(const pqt_history *history, uint64_t tip, uint64_t id)
{
    pqt_error error = {0};
    pqt_history_answer answer;
    require(pqt_history_last_item_change(history, NULL, tip, id, &answer, &error), error.text);
    return answer;
}

/* An item is inserted, moved away and back, and removed. Another item is always present. */
START_TEST(changes_of_an_item_are_listed_newest_first)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *tree = inserted(unique ? unique_tree(2) : small_tree(2), dot(1, 1, 1));
        pqt_history *history = history_of(tree, true);
        push_at(history, tree = inserted(tree, dot(5, 5, 2)), "Appear", 10, 0);
        push_at(history, tree = moved(tree, dot(5, 5, 2), point(9, 9)), "There", 20, 0);
        push_at(history, tree = moved(tree, dot(9, 9, 2), point(5, 5)), "Back", 30, 0);
        push_at(history, removed(tree, dot(5, 5, 2)), "Vanish", 40, 0);
        pqt_history_answer answer = last_item_change(history, 4, 2);
        ck_assert(answer.found && answer.entry == 4 && answer.before == 3 && answer.time == 40);
        ck_assert_int_eq(answer.change.kind, PQT_REMOVE);
        answer = last_item_change(history, answer.before, 2);
        ck_assert_int_eq(answer.change.kind, PQT_MOVE);
        ck_assert(pqt_item_equals(answer.change.item, dot(9, 9, 2)));
        ck_assert(pqt_item_equals(boxed(answer.change.to, 2), dot(5, 5, 2)));
        answer = last_item_change(history, 2, 2);
        ck_assert_uint_eq(answer.entry, 2);
        answer = last_item_change(history, 1, 2);
        ck_assert_int_eq(answer.change.kind, PQT_INSERT);
        ck_assert(!last_item_change(history, 0, 2).found);
        ck_assert(!last_item_change(history, 4, 1).found);
        ck_assert(!last_item_change(history, 4, 77).found);
        /* A change counts even if it was reverted. Items elsewhere did not change. */
        ck_assert_uint_eq(last_change(history, 4, point(9, 9), NULL).entry, 3);
        ck_assert_uint_eq(last_change(history, 4, point(5, 5), NULL).entry, 4);
        ck_assert(!last_change(history, 4, point(1, 1), NULL).found);
        pqt_history_destroy(&history);
    }
}
END_TEST

START_TEST(the_content_at_a_time_is_that_of_the_entry_at_that_time)
{
    uint64_t entry = 99;
    pqt_history *history = forked(small_tree(2));
    ck_assert(pqt_history_entry_at(history, 4, 3.5, &entry) && entry == 3);
    ck_assert(pqt_history_entry_at(history, 4, 3, &entry) && entry == 3);
    ck_assert(pqt_history_entry_at(history, 4, 2.5, &entry) && entry == 1);
    ck_assert(pqt_history_entry_at(history, 2, 2.5, &entry) && entry == 2);
    ck_assert(pqt_history_entry_at(history, 2, INFINITY, &entry) && entry == 2);
    ck_assert(!pqt_history_entry_at(history, 2, -1, &entry));
    ck_assert(!pqt_history_entry_at(history, 2, NAN, &entry));
    pqt_history_destroy(&history);
}
END_TEST

static bool
list_change(const pqt_change *change, void *context)
{
    char *text = context;
    sprintf(text + strlen(text), "%c%u ", "?+-m"[change->kind], (unsigned)change -> item.id);
    return true;
}

START_TEST(changes_between_two_times_are_listed_in_both_directions)
{
    char on[40] = "", back[40] = "", none[40] = "", early[40] = "", in_window[40] = "";
    pqt_error error = {0};
    const pqt_query query = query_of(point(2, 0), PQT_TOUCHES);
    pqt_history *history = long_history(small_tree(2), 5, false);
    ck_assert(pqt_history_visit_changes(history, NULL, 5, 1, 3.5, NULL, list_change, on, &error));
    ck_assert_str_eq(on, "+1 +2 ");
    ck_assert(pqt_history_visit_changes(history, NULL, 5, 3.5, 1, NULL, list_change, back, &error));
    ck_assert_str_eq(back, "-1 -2 ");
    ck_assert(pqt_history_visit_changes(history, NULL, 5, 3, 3.9, NULL, list_change, none, &error));
    ck_assert_str_eq(none, "");
    ck_assert(pqt_history_visit_changes(history, NULL, 5, -9, 1, NULL, list_change, early, &error));
    ck_assert_str_eq(early, "+0 ");
    ck_assert(
        pqt_history_visit_changes(history, NULL, 5, 0, 9, &query, list_change, in_window, &error));
    ck_assert_str_eq(in_window, "+2 ");
    ck_assert(
        !pqt_history_visit_changes(history, NULL, 5, 0, NAN, NULL, list_change, none, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0, "time is NaN");
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(queries_that_cannot_be_answered_are_refused)
{
    pqt_error errors[3] = {{0}};
    pqt_history_answer answer;
    pqt_query query = query_of_all();
    pqt_history *plain = history_of(small_tree(2), false),
                *indexed = history_of(small_tree(2), true);
    ck_assert(!pqt_history_last_change(plain, NULL, 0, &query, &answer, &errors[0]));
    ck_assert(!pqt_history_last_item_change(plain, NULL, 0, 1, &answer, &errors[1]));
    for (int i = 0; i < 2; i++)
        expect_failure(&errors[i], PQT_ERROR_OPTION, 0,
                       "indexed: the history was made without an index");
    query.window.min.x = NAN;
    ck_assert(!pqt_history_last_change(indexed, NULL, 0, &query, &answer, &errors[2]));
    ck_assert_int_eq(errors[2].status, PQT_ERROR_BOX);
    pqt_history_destroy(&plain);
    pqt_history_destroy(&indexed);
}
END_TEST

/* Returns floor(log8(7n + 1)) - 1. */
static uint64_t
most_steps(uint64_t count)
{
    uint64_t h = 0;
    for (uint64_t power = 64; power <= 7 * count + 1; power *= 8)
        h++;
    return 15 * h + 9;
}

/*
 * Windows are small, and each entry changes one item. So each step enters at most the nodes above a
 * point in two trees, and only the few entries of the search path are examined.
 */
START_TEST(the_last_change_is_found_in_few_nodes)
{
    const size_t count = test_scaled(5000) + 600;
    pqt_history *history = history_of(with_grid(unique_tree(8), 64), true);
    dice d = {test_seed("few nodes")};
    uint64_t *last = calloc(64 * 64, sizeof *last);
    uint64_t worst_steps = 0, worst_nodes = 0;
    pqt_error error = {0};
    ck_assert_ptr_nonnull(last);
    for (uint64_t i = 1; i <= count; i++) {
        /* A few cells change often. The others changed long ago, or never. */
        const size_t cell = i < 500 ? dice_below(&d, 64 * 64) : dice_below(&d, 64);
        const pqt_tree *tree = pqt_history_value(history);
        pqt_item item = dot_of_grid(64, cell);
        const bool had = pqt_tree_find(tree, 10000 + cell, NULL);
        item.id = 10000 + cell;
        tree = had ? pqt_tree_remove_id(tree, item.id, &error) : inserted(tree, item);
        push_at(history, must(tree, &error), "", (double)i, 0);
        last[cell] = i;
    }
    const uint64_t tip = pqt_history_current(history);
    const size_t depth = pqt_tree_get_stats(pqt_history_value(history)).depth;
    for (size_t cell = 0; cell < 64 * 64; cell++) {
        pqt_query_stats stats = {0};
        const pqt_history_answer answer =
            last_change(history, tip, dot_of_grid(64, cell).box, &stats);
        require(answer.entry == last[cell], "the answer of a scan");
        worst_steps = answer.steps > worst_steps ? answer.steps : worst_steps;
        require(answer.steps <= most_steps(count), "the bound of steps");
        const uint64_t nodes = stats.nodes + stats.leaves;
        require(nodes <= answer.steps * 4 * (depth + 1), "the bound of nodes");
        worst_nodes = nodes > worst_nodes ? nodes : worst_nodes;
    }
    fprintf(stderr, "# %zu entries: %u steps of at most %u, %u nodes and leaves\n", count,
            (unsigned)worst_steps, (unsigned)most_steps(count), (unsigned)worst_nodes);
    free(last);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(queries_of_windows_allocate_nothing)
{
    pqt_history *history = long_history(unique_tree(2), 200, true);
    hooks watch = {0};
    hooks_start(&watch);
    const pqt_history_answer window = last_change(history, 200, point(5, 0), NULL);
    const pqt_history_answer item = last_item_change(history, 200, 5);
    hooks_stop();
    ck_assert_uint_eq(window.entry, 6);
    ck_assert_uint_eq(item.entry, 6);
    ck_assert_uint_eq(watch.calls, 0);
    pqt_history_destroy(&history);
}
END_TEST

/* ---- Memory ---- */

/* Each allocation of a push fails in turn. The push needs a new label, a larger array, and a new
 * summary. */
START_TEST(a_push_that_fails_changes_nothing)
{
    pqt_history *history = long_history(small_tree(2), 15, true);
    for (size_t i = 0; i < 60; i++) {
        const pqt_tree *tree = pqt_history_value(history), *next = with_dot(tree, 100 + i);
        const pqt_history_stats before = pqt_history_get_stats(history);
        const char *label = i % 2 ? "a label" : "another label";
        for (size_t n = 1;; n++) {
            hooks watch = {.fail_at = n};
            pqt_error error = {0};
            hooks_start(&watch);
            const bool done = pqt_history_push(
                history, next, &(pqt_history_entry_info){.label = label, .time = 99}, &error);
            hooks_stop();
            require(done == (watch.failures == 0), "it fails if an allocation does");
            if (done)
                break;
            require(error.status == PQT_ERROR_MEMORY, "and says so");
            require(pqt_history_value(history) == tree && entries(history) == before.entries &&
                        pqt_history_get_stats(history).bytes == before.bytes,
                    "nothing has changed");
        }
    }
    ck_assert_uint_eq(last_change(history, 75, dot(3, 0, 3).box, NULL).entry, 4);
    pqt_history_destroy(&history);
}
END_TEST

/* Indexes `count` entries. After each entry, a group is tried and undone `tries` times. */
static size_t
index_after_tries(size_t count, size_t tries)
{
    pqt_history *history = history_of(small_tree(8), true);
    for (size_t i = 0; i < count; i++) {
        push_at(history, with_dot(pqt_history_value(history), i), "Dot", (double)i, 0);
        const pqt_tree *tried = with_dot(pqt_history_value(history), 1000 + i);
        for (size_t k = 0; k < tries; k++) {
            pqt_history_begin(history, "Try");
            push_at(history, tried, "Try", (double)i, 0);
            ck_assert(pqt_history_cancel(history));
        }
    }
    const size_t bytes = pqt_history_get_stats(history).index_bytes;
    pqt_history_destroy(&history);
    return bytes;
}

START_TEST(cancelled_groups_do_not_fill_the_index)
{
    ck_assert_uint_eq(index_after_tries(200, 100), index_after_tries(200, 1));
}
END_TEST

START_TEST(thinning_that_fails_changes_nothing)
{
    pqt_history *history = long_history(small_tree(2), 120, true);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        hooks_start(&watch);
        const bool done = pqt_history_thin(history, 20, &error);
        hooks_stop();
        require(done == (watch.failures == 0), "it fails if an allocation does");
        if (done)
            break;
        failures++;
        require(error.status == PQT_ERROR_MEMORY && entries(history) == 121, "and changes nothing");
        const pqt_history_answer answer = last_change(history, 120, dot(7, 0, 7).box, NULL);
        require(answer.entry == 8, "questions are answered as before");
    }
    ck_assert_uint_ge(failures, 5);
    ck_assert_uint_lt(entries(history), 121);
    pqt_history_destroy(&history);
}
END_TEST

static const pqt_tree *
collected_tree(size_t side)
{
    pqt_error error = {0};
    pqt_tree_options options = options_of(8, 24);
    options.memory = NULL;
    ck_assert(pqt_init(&error));
    return with_grid(made(world_box, options), side);
}

/* Makes a history whose handle is in memory from malloc. Only this history keeps its versions
 * alive. */
static pqt_history **
hidden_history(size_t count)
{
    pqt_history **hidden = malloc(sizeof *hidden);
    ck_assert_ptr_nonnull(hidden);
    *hidden = long_history(collected_tree(16), count, true);
    return hidden;
}

START_TEST(the_versions_of_a_history_survive_collections)
{
    if (pqt_collector() == NULL)
        return;
    hooks watch = {.collect_every = 1, .memory = pqt_collector()};
    hooks_start(&watch);
    pqt_history **hidden = hidden_history(100);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 0);
    ck_assert(pqt_history_set_name(*hidden, 40, "forty", NULL));
    ck_assert(pqt_history_thin(*hidden, 10, NULL));
    pqti_collect(pqt_collector());
    for (uint64_t i = 0; i <= 100; i++) {
        const pqt_tree *tree = pqt_history_value_of(*hidden, i);
        if (tree == NULL)
            continue;
        expect_sound(tree);
        ck_assert_uint_eq(pqt_tree_count(tree), 256 + i);
    }
    ck_assert_str_eq(entry_at(*hidden, 40).name, "forty");
    ck_assert_str_eq(entry_at(*hidden, 96).label, "Dot");
    pqt_history_destroy(hidden);
    free(hidden);
}
END_TEST

static uint64_t
collected_bytes(void)
{
    pqti_collect(pqt_collector());
    pqti_collect(pqt_collector());
    return pqt_memory_get_stats(pqt_collector()).bytes;
}

/* Overwrites what earlier calls left on the stack. */
static void
wipe_stack(void)
{
    volatile char bytes[16384];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0;
}

/* Makes a history in which one dot moves in a circle among others. */
static pqt_history **
hidden_tour(size_t count)
{
    pqt_history **hidden = malloc(sizeof *hidden);
    ck_assert_ptr_nonnull(hidden);
    const pqt_tree *tree = inserted(collected_tree(16), dot(0, 0, 900));
    *hidden = history_of(tree, true);
    for (size_t i = 0; i < count; i++) {
        const pqt_item from = dot((double)(i % 8), 0, 900), to = dot((double)((i + 1) % 8), 0, 900);
        push_at(*hidden, tree = moved(tree, from, to.box), "Tour", (double)i, 0);
    }
    return hidden;
}

START_TEST(the_heap_shrinks_after_dropping)
{
    if (pqt_collector() == NULL)
        return;
    pqt_history **hidden = hidden_tour(5000);
    wipe_stack();
    const uint64_t full = collected_bytes();
    const size_t counted = pqt_history_get_stats(*hidden).bytes;
    ck_assert(pqt_history_thin(*hidden, 100, NULL));
    wipe_stack();
    const uint64_t thinned = collected_bytes();
    const size_t dropped = counted - pqt_history_get_stats(*hidden).bytes;
    ck_assert_uint_gt(dropped, counted / 2);
    /* The number includes whole pages, and the pages of kept entries remain. */
    ck_assert_uint_ge(full - thinned, dropped / 2);
    pqt_history_destroy(hidden);
    free(hidden);
    wipe_stack();
    ck_assert_uint_lt(collected_bytes(), thinned);
}
END_TEST

/* With PQT_TEST_SCALE=20, there are 100,000 entries of 1e5 items. */
START_TEST(an_entry_costs_less_than_2_kB)
{
    pqt_error error = {0};
    const bool collects = pqt_collector() != NULL;
    const size_t count = test_scaled(5000);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = collects ? NULL : arena;
    ck_assert(pqt_init(&error));
    dice d = {test_seed("an entry costs")};
    pqt_item *items = malloc(100000 * sizeof *items);
    ck_assert_ptr_nonnull(items);
    for (size_t i = 0; i < 100000; i++)
        items[i] = dot(dice_real(&d) * 16, dice_real(&d) * 16, i);
    const pqt_tree *first = pqt_tree_of(items, 100000, &options, &error);
    pqt_history *history = history_of(must(first, &error), _i != 0);
    const size_t base = pqt_history_get_stats(history).bytes;
    for (size_t i = 0; i < count; i++) {
        const size_t k = dice_below(&d, 100000);
        const double x = items[k].box.min.x + dice_real(&d) * 0.004 - 0.002;
        const pqt_item next = dot(x, items[k].box.min.y, k);
        push_at(history, moved(pqt_history_value(history), items[k], next.box), "Move", (double)i,
                0);
        items[k] = next;
    }
    const pqt_history_stats stats = pqt_history_get_stats(history);
    const size_t all = stats.bytes - base + stats.index_bytes + stats.entry_bytes;
    fprintf(
        stderr,
        "# %zu entries of 1e5 items: %zu bytes an entry (versions %zu, entries %zu, index %zu)\n",
        count, all / count, (stats.bytes - base) / count, stats.entry_bytes / count,
        stats.index_bytes / count);
    /* The index stores both positions of a moved item, once for each rank. */
    ck_assert_uint_le((all - stats.index_bytes) / count, 2000);
    ck_assert_uint_le(all / count, 2500);
    free(items);
    pqt_history_destroy(&history);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("history past");
    TCase *tests = add_tests(suite, "past and memory");
    tcase_add_test(tests, changes_of_an_item_are_listed_newest_first);
    tcase_add_test(tests, the_content_at_a_time_is_that_of_the_entry_at_that_time);
    tcase_add_test(tests, changes_between_two_times_are_listed_in_both_directions);
    tcase_add_test(tests, queries_that_cannot_be_answered_are_refused);
    tcase_add_test(tests, the_last_change_is_found_in_few_nodes);
    tcase_add_test(tests, queries_of_windows_allocate_nothing);
    tcase_add_test(tests, a_push_that_fails_changes_nothing);
    tcase_add_test(tests, cancelled_groups_do_not_fill_the_index);
    tcase_add_test(tests, thinning_that_fails_changes_nothing);
    tcase_add_test(tests, the_versions_of_a_history_survive_collections);
    tcase_add_test(tests, the_heap_shrinks_after_dropping);
    tcase_add_loop_test(tests, an_entry_costs_less_than_2_kB, 0, 2);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
