/* SPDX-License-Identifier: MIT */
/* test_history_query.c: tests queries of the past, and the cost of a long history. */
#include "config.h"

#include <pqt/document.h>
#include <pqt/map.h>

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

/* A push with the same key replaces the current entry. */
START_TEST(a_replacement_that_fails_changes_nothing)
{
    pqt_history *history = long_history(small_tree(2), 15, true);
    const pqt_tree *before = pqt_history_value(history), *first = with_dot(before, 100);
    const pqt_tree *second = with_dot(before, 101);
    push_at(history, first, "first", 99, 7);
    const pqt_history_stats stats = pqt_history_get_stats(history);
    size_t failures = 0;
    for (bool done = false; !done; failures++) {
        hooks watch = {.fail_at = failures + 1};
        pqt_error error = {0};
        pqt_history_entry entry;
        const pqt_history_entry_info info = {.label = "second", .time = 100, .key = 7};
        hooks_start(&watch);
        done = pqt_history_push(history, second, &info, &error);
        hooks_stop();
        require(done == (watch.failures == 0), "it fails if an allocation does");
        require(done || error.status == PQT_ERROR_MEMORY, "and says so");
        require(pqt_history_get_entry(history, pqt_history_current(history), &entry) &&
                    strcmp(entry.label, done ? "second" : "first") == 0 &&
                    pqt_history_value(history) == (done ? second : first) &&
                    entries(history) == stats.entries,
                "it replaces the entry or leaves it alone");
        require(done || pqt_history_get_stats(history).bytes == stats.bytes, "nothing is counted");
    }
    ck_assert_uint_ge(failures, 2);
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

/* ---- Documents with several trees ---- */

enum { FOREST = 3, PLANTS = 8, MOST_EDITS = 1200 };

static const char *const forest[FOREST] = {"alder", "cedar", "elm"};

/* The change of one item that an entry made. */
typedef struct planted_change {
    uint64_t entry;
    size_t tree;
    pqt_change change;
} planted_change;

/* A document whose trees change, with the list of their changes. */
typedef struct planting {
    pqt_history *history;
    dice d;
    pqt_item plants[FOREST][PLANTS];
    bool is_there[FOREST][PLANTS];
    planted_change list[MOST_EDITS];
    size_t count;
} planting;

/* Other parts are before, between and after the trees. Ids are unique in the second tree only. */
static const pqt_document *
make_forest(void)
{
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    const pqt_map *map = pqt_map_make(&options, &error);
    const pqt_part parts[] = {
        {"acre", PQT_KIND_MAP, map, NULL}, {forest[0], PQT_KIND_TREE, small_tree(2), NULL},
        {"bog", PQT_KIND_MAP, map, NULL},  {forest[1], PQT_KIND_TREE, unique_tree(2), NULL},
        {"dale", PQT_KIND_MAP, map, NULL}, {forest[2], PQT_KIND_TREE, small_tree(4), NULL},
        {"fen", PQT_KIND_MAP, map, NULL}};
    const pqt_document *document = pqt_document_make(parts, 7, &error);
    require(document != NULL, error.text);
    return document;
}

/* Inserts, removes or moves an item of a tree, and lists the change as one of the next entry. */
static const pqt_document *
change_plant(planting *p, const pqt_document *document, size_t tree, size_t plant, uint64_t entry)
{
    pqt_error error = {0};
    pqt_change change = {.item = p->plants[tree][plant]};
    const pqt_item next =
        dot((double)dice_below(&p->d, 15), (double)dice_below(&p->d, 15), 100 + plant);
    const bool was_there = p->is_there[tree][plant];
    if (was_there && pqt_item_equals(next, change.item))
        return document;
    change.kind = !was_there ? PQT_INSERT : dice_chance(&p->d, 30) ? PQT_REMOVE : PQT_MOVE;
    if (change.kind == PQT_INSERT)
        change.item = next;
    change.to = next.box;
    p->is_there[tree][plant] = change.kind != PQT_REMOVE;
    p->plants[tree][plant] = next;
    p->list[p->count++] = (planted_change){entry, tree, change};
    const pqt_tree *changed =
        pqt_tree_apply(pqt_document_tree(document, forest[tree]), &change, 1, &error);
    document = pqt_document_set_tree(document, forest[tree], must(changed, &error), &error);
    require(document != NULL, error.text);
    return document;
}

/* Pushes a document in which one or two of the trees changed. */
static void
change_forest(planting *p, uint64_t entry)
{
    const pqt_document *document = pqt_history_value(p->history);
    const size_t before = p->count, first = dice_below(&p->d, FOREST);
    while (p->count == before)
        document = change_plant(p, document, first, dice_below(&p->d, PLANTS), entry);
    if (dice_chance(&p->d, 30))
        document =
            change_plant(p, document, (first + 1) % FOREST, dice_below(&p->d, PLANTS), entry);
    push_at(p->history, document, "", (double)entry, 0);
}

static bool
changes_in(const planted_change *c, pqt_box window)
{
    const bool is_move = c->change.kind == PQT_MOVE;
    return pqt_box_touches(c->change.item.box, window) ||
           (is_move && pqt_box_touches(c->change.to, window));
}

/* Compares an answer with the newest of the listed changes of a tree, up to an entry, that has the
   item or, for an id of 0, is in the window. */
static void
expect_listed(const planting *p, size_t tree, uint64_t tip, uint64_t id, pqt_box window,
              const pqt_history_answer *answer)
{
    size_t i = p->count;
    while (i > 0) {
        const planted_change *c = &p->list[i - 1];
        if (c->tree == tree && c->entry <= tip &&
            (id != 0 ? c->change.item.id == id : changes_in(c, window)))
            break;
        i--;
    }
    require(answer->found == (i > 0), "a change is found if the list has one");
    if (i == 0)
        return;
    const planted_change *c = &p->list[i - 1];
    require(answer->entry == c->entry && answer->before == c->entry - 1, "it is the newest one");
    require(id == 0 || (answer->change.kind == c->change.kind &&
                        pqt_item_equals(answer->change.item, c->change.item)),
            "it is what was done");
}

static void
ask_about_forest(planting *p, uint64_t last)
{
    pqt_error error = {0};
    pqt_history_answer answer;
    const uint64_t tip = dice_below(&p->d, last + 1);
    for (size_t tree = 0; tree < FOREST; tree++) {
        const uint64_t id = 100 + dice_below(&p->d, PLANTS + 1);
        const pqt_box window = point((double)dice_below(&p->d, 15), (double)dice_below(&p->d, 15));
        const pqt_query query = query_of(window, PQT_TOUCHES);
        require(pqt_history_last_item_change(p->history, forest[tree], tip, id, &answer, &error),
                error.text);
        expect_listed(p, tree, tip, id, window, &answer);
        require(pqt_history_last_change(p->history, forest[tree], tip, &query, &answer, &error),
                error.text);
        expect_listed(p, tree, tip, 0, window, &answer);
    }
}

/* Each tree of a document has its own summaries, so an answer about one tree must not come from
   those of another. */
START_TEST(questions_about_each_tree_of_a_document_agree_with_a_list)
{
    static planting p;
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = true;
    p = (planting){.d = {test_seed("forest")}};
    p.history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), make_forest(), &options, &error);
    require(p.history != NULL, error.text);
    for (uint64_t entry = 1; entry <= MOST_EDITS / 2; entry++) {
        change_forest(&p, entry);
        if (entry % 4 == 0)
            ask_about_forest(&p, entry);
    }
    pqt_history_destroy(&p.history);
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
    tcase_add_test(tests, questions_about_each_tree_of_a_document_agree_with_a_list);
    tcase_add_test(tests, a_push_that_fails_changes_nothing);
    tcase_add_test(tests, a_replacement_that_fails_changes_nothing);
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
