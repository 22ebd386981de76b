/* SPDX-License-Identifier: MIT */
/* test_history_drop.c: tests dropping entries, the sizes of entries, and kinds of values. */
#include "config.h"

#include "history_support.h"

#if PQT_WITH_COLLECTOR
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#endif

/* ---- Dropping ---- */

START_TEST(children_of_a_dropped_entry_become_children_of_its_parent)
{
    pqt_error error = {0};
    pqt_history *history = forked(small_tree(2));
    const pqt_tree *four = pqt_history_value(history);
    ck_assert(pqt_history_drop(history, 1, &error));
    ck_assert(pqt_history_drop(history, 3, &error));
    char all[40] = "";
    ck_assert(pqt_history_visit(history, add_number, all));
    ck_assert_str_eq(all, "0 2 4 ");
    ck_assert_uint_eq(entry_at(history, 4).parent, 0);
    expect_value(history, four);
    ck_assert(pqt_history_undo(history));
    ck_assert_uint_eq(pqt_history_current(history), 0);
    ck_assert(pqt_history_redo(history));
    ck_assert_uint_eq(pqt_history_current(history), 4);
    push_at(history, with_dot(four, 5), "numbers are not given again", 5, 0);
    ck_assert_uint_eq(pqt_history_current(history), 5);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(redo_goes_to_the_newest_if_its_branch_was_dropped)
{
    pqt_history *history = forked(small_tree(2));
    go(history, 2);
    push_at(history, with_dot(pqt_history_value(history), 7), "Five", 5, 0);
    go(history, 1);
    ck_assert(pqt_history_drop_branch(history, 2, NULL));
    ck_assert(pqt_history_redo(history));
    ck_assert_uint_eq(pqt_history_current(history), 3);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(protected_entries_are_not_dropped)
{
    static const char *const texts[] = {
        "entry 0: it is the first and cannot be dropped",
        "entry 3: it is the start of the open group and cannot be dropped",
        "entry 2: it is saved and cannot be dropped", "entry 1: it is named and cannot be dropped",
        "entry 4: it is current and cannot be dropped"};
    static const uint64_t numbers[] = {0, 3, 2, 1, 4};
    pqt_history *history = long_history(small_tree(2), 3, false);
    ck_assert(pqt_history_set_name(history, 1, "one", NULL));
    go(history, 2);
    pqt_history_mark_saved(history);
    go(history, 3);
    pqt_history_begin(history, "Group");
    push_at(history, with_dot(pqt_history_value(history), 9), "", 9, 0);
    for (int i = 0; i < 5; i++) {
        pqt_error error = {0};
        ck_assert(!pqt_history_drop(history, numbers[i], &error));
        expect_failure(&error, PQT_ERROR_MISMATCH, 0, texts[i]);
    }
    ck_assert(pqt_history_drop_branch(history, 0, NULL));
    ck_assert(pqt_history_thin(history, 0, NULL));
    ck_assert_uint_eq(entries(history), 5);
    ck_assert(pqt_history_end(history));
    ck_assert(pqt_history_thin(history, 0, NULL));
    ck_assert_uint_eq(entries(history), 4);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(the_fraction_that_thinning_keeps_halves_as_the_age_doubles)
{
    enum { COUNT = 200, RECENT = 10 };
    pqt_history *history = long_history(small_tree(2), COUNT, false);
    ck_assert(pqt_history_set_name(history, 33, "named", NULL));
    go(history, 7);
    pqt_history_mark_saved(history);
    go(history, COUNT - 1);
    ck_assert(pqt_history_thin(history, RECENT, NULL));
    for (uint64_t number = 0; number <= COUNT; number++) {
        const uint64_t age = COUNT - number;
        const uint64_t step = age < 10    ? 1
                              : age < 20  ? 2
                              : age < 40  ? 4
                              : age < 80  ? 8
                              : age < 160 ? 16
                                          : 32;
        const bool kept = number % step == 0 || number == 33 || number == 7;
        ck_assert_msg((pqt_history_value_of(history, number) != NULL) == kept, "entry %u",
                      (unsigned)number);
        if (kept)
            ck_assert_uint_eq(pqt_tree_count(pqt_history_value_of(history, number)), number);
    }
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_limit_of_entries_holds_and_thinning_is_rare)
{
    enum { LIMIT = 100, COUNT = 2000 };
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = LIMIT;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), small_tree(2), &options, &error);
    size_t least = LIMIT, thinnings = 0, before = 1;
    for (size_t i = 0; i < COUNT; i++) {
        push_at(history, with_dot(pqt_history_value(history), i), "Dot", (double)i, 0);
        const size_t now = entries(history);
        require(now <= LIMIT, "the limit holds");
        thinnings += now < before;
        least = i > LIMIT && now < least ? now : least;
        before = now;
    }
    ck_assert_uint_ge(least, LIMIT / 4);
    ck_assert_uint_le(thinnings, COUNT / (LIMIT / 4) + 1);
    ck_assert_uint_eq(pqt_tree_count(pqt_history_value(history)), COUNT);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_limit_of_bytes_holds_while_there_is_something_to_drop)
{
    pqt_error error = {0};
    const pqt_tree *first = with_grid(small_tree(8), 32);
    const size_t base = pqt_tree_get_stats(first).bytes;
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_bytes = base + 20000;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, &options, &error);
    for (size_t i = 0; i < 300; i++) {
        /* A dot is inserted and removed alternately, so that versions are small. */
        const pqt_tree *tree = pqt_history_value(history);
        const pqt_item item = dot((double)(i / 2 % 16) + 0.3, 3.3, 5000);
        push(history, i % 2 == 0 ? inserted(tree, item) : removed(tree, item), "Dot");
        require(pqt_history_get_stats(history).bytes <= options.max_bytes, "the limit holds");
    }
    ck_assert_uint_ge(entries(history), 3);
    pqt_history_destroy(&history);
    /* If the entries that are always kept exceed the limit, only they remain. */
    options.max_bytes = 1;
    history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, &options, &error);
    for (size_t i = 0; i < 10; i++)
        push(history, with_dot(pqt_history_value(history), 5000 + i), "Dot");
    ck_assert_uint_eq(entries(history), 2);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(limits_of_zero_mean_no_limit)
{
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    ck_assert_uint_eq(options.max_entries, 0);
    ck_assert_uint_eq(options.max_bytes, 0);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), small_tree(2), &options, NULL);
    for (size_t i = 0; i < 250; i++)
        push(history, with_dot(pqt_history_value(history), i), "Dot");
    ck_assert_uint_eq(entries(history), 251);
    pqt_history_destroy(&history);
}
END_TEST

/* ---- Bytes ---- */

START_TEST(bytes_add_up_to_the_size_of_the_versions)
{
    for (int unique = 0; unique < 2; unique++) {
        const pqt_tree *first = with_grid(unique ? unique_tree(4) : small_tree(4), 16);
        pqt_history *history = history_of(first, false);
        hooks watch = {0};
        const size_t base = pqt_history_get_stats(history).bytes;
        ck_assert_uint_eq(base, pqt_tree_get_stats(first).bytes);
        hooks_start(&watch);
        const pqt_tree *tree = first;
        const pqt_tree *versions[30];
        for (uint64_t i = 0; i < 30; i++)
            versions[i] = tree = inserted(tree, dot((double)(i % 7), 3.1, 900 + i));
        hooks_stop();
        for (int i = 0; i < 30; i++)
            push(history, versions[i], "");
        ck_assert_uint_eq(pqt_history_get_stats(history).bytes - base, hooks_kept_bytes(&watch));
        pqt_history_destroy(&history);
    }
}
END_TEST

START_TEST(an_entry_reports_its_shared_bytes_and_those_that_dropping_it_frees)
{
    pqt_error error = {0};
    pqt_history *history = history_of(with_grid(small_tree(4), 16), false);
    for (uint64_t i = 0; i < 3; i++)
        push(history, inserted(pqt_history_value(history), dot(3, 3, 900 + i)), "Dot");
    go(history, 2);
    push(history, inserted(pqt_history_value(history), dot(12, 12, 950)), "Branch");
    const size_t before = pqt_history_get_stats(history).bytes;
    pqt_history_bytes two;
    ck_assert(pqt_history_get_bytes(history, 2, &two, &error));
    const pqt_tree *tree = pqt_history_value_of(history, 2);
    ck_assert_uint_eq(two.all, pqt_tree_get_stats(tree).bytes);
    ck_assert_uint_eq(two.added,
                      two.all - pqt_tree_shared_bytes(tree, pqt_history_value_of(history, 1)));
    ck_assert_uint_eq(two.shared + two.freed, two.all);
    ck_assert_uint_gt(two.freed, 0);
    /* The branch still needs the changed leaf of entry 2. */
    ck_assert_uint_lt(two.freed, two.added);
    ck_assert(pqt_history_drop(history, 2, &error));
    ck_assert_uint_eq(before - pqt_history_get_stats(history).bytes, two.freed);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_version_that_is_pushed_again_is_counted_again)
{
    const pqt_tree *first = with_grid(small_tree(4), 16), *next = with_dot(first, 900);
    pqt_history *history = history_of(first, false);
    push(history, next, "there");
    push(history, first, "and back");
    const size_t apart = pqt_tree_get_stats(first).bytes - pqt_tree_shared_bytes(first, next);
    ck_assert_uint_eq(entry_at(history, 2).added, apart);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(entries_with_many_children_are_counted_too)
{
    pqt_error error = {0};
    pqt_history_bytes bytes;
    const pqt_tree *first = with_grid(unique_tree(4), 16);
    pqt_history *history = history_of(first, false);
    push(history, inserted(first, dot(1.1, 1.1, 900)), "One");
    for (uint64_t i = 0; i < 40; i++) {
        go(history, 1);
        push(history, inserted(pqt_history_value(history), dot(9, (double)i / 4, 1000 + i)), "");
    }
    ck_assert(pqt_history_get_bytes(history, 1, &bytes, &error));
    /* Every child copies the root and the version record, and shares the leaf with the new dot. */
    ck_assert_uint_gt(bytes.freed, 0);
    ck_assert_uint_lt(bytes.freed, bytes.added);
    ck_assert_uint_eq(bytes.all, bytes.freed + bytes.shared);
    pqt_history_destroy(&history);
}
END_TEST

/* Returns the number of bytes that a tree does not share with another one. */
static size_t
bytes_apart(const pqt_tree *tree, const pqt_tree *other)
{
    return pqt_tree_get_stats(tree).bytes - pqt_tree_shared_bytes(tree, other);
}

START_TEST(blocks_of_a_dropped_entry_are_counted_in_each_child_that_shares_them)
{
    enum { BRANCHES = 4 };
    pqt_error error = {0};
    pqt_history_bytes bytes;
    const pqt_tree *first = small_tree(4), *grid = with_grid(first, 16), *tips[BRANCHES];
    pqt_history *history = history_of(first, false);
    size_t sum = pqt_tree_get_stats(first).bytes;
    push(history, grid, "Grid");
    for (size_t i = 0; i < BRANCHES; i++) {
        go(history, 1);
        push(history, tips[i] = with_dot(grid, 900 + i), "Branch");
        sum += bytes_apart(tips[i], first);
    }
    const size_t before = pqt_history_get_stats(history).bytes;
    ck_assert(pqt_history_get_bytes(history, 1, &bytes, &error));
    ck_assert_uint_lt(bytes.freed, bytes.added);
    ck_assert(pqt_history_drop(history, 1, &error));
    ck_assert_uint_eq(pqt_history_get_stats(history).bytes, sum);
    ck_assert_uint_gt(sum, before);
    for (size_t i = 0; i < BRANCHES; i++) {
        ck_assert(pqt_history_get_bytes(history, 2 + i, &bytes, &error));
        ck_assert_uint_eq(bytes.added, bytes_apart(tips[i], first));
        /* although other branches share most of them */
        ck_assert_uint_eq(bytes.freed, bytes.added);
    }
    pqt_history_destroy(&history);
}
END_TEST

/* ---- Other kinds ---- */

#if PQT_WITH_PIXELS

START_TEST(a_history_of_regions_counts_the_bytes_that_each_entry_adds)
{
    pqt_error error = {0};
    const pqt_region *first = pqt_region_make(arena, &error), *region = first;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_REGION), first, NULL, &error);
    require(history != NULL, error.text);
    for (int i = 0; i < 20; i++) {
        const pqt_region *next = pqt_region_paint(
            region, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){i * 100, 3}, 40), &error);
        require(next != NULL, error.text);
        push(history, next, "Paint");
        const size_t added =
            pqt_region_get_stats(next).bytes - pqt_region_shared_bytes(next, region);
        ck_assert_uint_eq(entry_at(history, (uint64_t)i + 1).added, added);
        region = next;
    }
    pqt_history_bytes bytes;
    ck_assert(pqt_history_get_bytes(history, 10, &bytes, &error));
    ck_assert_uint_eq(bytes.all, bytes.freed + bytes.shared);
    const size_t before = pqt_history_get_stats(history).bytes;
    ck_assert(pqt_history_drop(history, 10, &error));
    ck_assert_uint_eq(before - pqt_history_get_stats(history).bytes, bytes.freed);
    push(history, region, "the same adds nothing");
    ck_assert_uint_eq(entries(history), 20);
    ck_assert(!pqt_history_visit_changes(history, NULL, 0, 0, 1, NULL, never, NULL, &error));
    expect_failure(&error, PQT_ERROR_OPTION, 0,
                   "part: the history holds regions, which have no tree");
    pqt_history_destroy(&history);
}
END_TEST

#endif

/* A kind that the user defines: numbers, and a function for their bytes that fails on demand. */
typedef struct numbers {
    bool fails;
    size_t calls;
} numbers;

static bool
bytes_of_number(const void *value, const void *const *others, size_t count, size_t *bytes,
                void *context)
{
    numbers *own = context;
    (void)others;
    own->calls++;
    *bytes = count == 0 ? 10 : *(const int *)value == 13 ? 13 : 1;
    return !own->fails;
}

static pqt_memory *
memory_of_number(const void *value, void *context)
{
    (void)value;
    (void)context;
    return arena;
}

START_TEST(a_callback_that_fails_changes_nothing)
{
    static const int values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    pqt_error error = {0}, drop = {0}, thin = {0}, bytes_error = {0};
    numbers own = {true, 0};
    pqt_history_bytes bytes = {0};
    const pqt_history_kind kind = {sizeof kind, "numbers", memory_of_number, NULL, bytes_of_number,
                                   &own,        NULL};
    ck_assert_ptr_null(pqt_history_make(&kind, &values[0], NULL, &error));
    expect_failure(&error, PQT_ERROR_CALLBACK, 0,
                   "numbers: the `bytes` function of the kind failed");
    own.fails = false;
    error = (pqt_error){0};
    pqt_history *history = pqt_history_make(&kind, &values[0], NULL, &error);
    for (int i = 1; i < 8; i++)
        push(history, &values[i], "Next");
    own.fails = true;
    ck_assert(!pqt_history_push(history, &values[8], &(pqt_history_entry_info){.time = 1}, &error));
    ck_assert(!pqt_history_drop(history, 3, &drop));
    ck_assert(!pqt_history_thin(history, 1, &thin));
    ck_assert(!pqt_history_get_bytes(history, 3, &bytes, &bytes_error));
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    ck_assert_int_eq(drop.status, PQT_ERROR_CALLBACK);
    ck_assert_int_eq(thin.status, PQT_ERROR_CALLBACK);
    ck_assert_int_eq(bytes_error.status, PQT_ERROR_CALLBACK);
    ck_assert_uint_eq(entries(history), 8);
    ck_assert_uint_eq(pqt_history_get_stats(history).bytes, 17);
    expect_value(history, &values[7]);
    own.fails = false;
    ck_assert(pqt_history_thin(history, 1, NULL));
    ck_assert_uint_lt(entries(history), 8);
    pqt_history_destroy(&history);
}
END_TEST

#if PQT_WITH_COLLECTOR

/* A value of the program in the collector's heap. It keeps alive what it points to. */
typedef struct note {
    struct note *text;
    uint64_t number;
} note;

static note *
make_note(uint64_t number)
{
    note *made = GC_malloc(2 * sizeof *made);
    ck_assert_ptr_nonnull(made);
    made->number = number;
    return made;
}

static note *
make_pair_of_notes(uint64_t number)
{
    note *made = make_note(number);
    made->text = make_note(~number);
    return made;
}

/* Only the history, whose handle is in malloc's memory, refers to the notes. If it did not keep
   them alive, their blocks would be reused. */
START_TEST(values_of_the_host_live_as_long_as_their_entries)
{
    enum { NOTES = 500 };
    pqt_error error = {0};
    const pqt_history_kind kind = {.size = sizeof kind, .name = "notes"};
    pqt_history **hidden = malloc(sizeof *hidden);
    ck_assert_ptr_nonnull(hidden);
    ck_assert(pqt_init(&error));
    *hidden = pqt_history_make(&kind, make_pair_of_notes(0), NULL, &error);
    require(*hidden != NULL, error.text);
    for (uint64_t i = 1; i < NOTES; i++) {
        push(*hidden, make_pair_of_notes(i), "Note");
        if (i % 100 == 0)
            pqti_collect(pqt_collector());
    }
    ck_assert(pqt_history_drop(*hidden, 250, &error));
    pqti_collect(pqt_collector());
    for (uint64_t i = 0; i < 4 * NOTES; i++)
        (void)make_pair_of_notes(UINT64_MAX / 2);
    for (uint64_t i = 0; i < NOTES; i++) {
        const note *held = pqt_history_value_of(*hidden, i);
        ck_assert((held == NULL) == (i == 250));
        ck_assert(held == NULL || (held->number == i && held->text->number == ~i));
    }
    ck_assert_uint_eq(pqt_history_get_stats(*hidden).bytes, 0); /* the kind reports no bytes */
    pqt_history_destroy(hidden);
    free(hidden);
}
END_TEST

/* Returns the number of values that are left. It counts hidden pointers, which the collector sets
   to 0 when it reclaims a value. */
static size_t
count_left(void *const *hidden, size_t count)
{
    size_t left = 0;
    for (int i = 0; i < 3; i++)
        pqti_collect(pqt_collector());
    for (size_t i = 0; i < count; i++)
        left += hidden[i] != NULL;
    return left;
}

static void
push_hidden(pqt_history *history, uint64_t number, void **hidden)
{
    note *made = make_note(number);
    *hidden = (void *)GC_HIDE_POINTER(made);
    ck_assert_int_eq(GC_general_register_disappearing_link(hidden, made), GC_SUCCESS);
    push(history, made, "Note");
}

/* With _i = 0, thinning drops entries; three in five are named and kept. With _i = 1, each push
   into a full history drops the previous entry. */
START_TEST(values_that_were_dropped_are_reclaimed)
{
    enum { NOTES = 400, NAMED = NOTES / 5 * 3, STACK = 20 };
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    const pqt_history_kind kind = {.size = sizeof kind, .name = "notes"};
    void **hidden = calloc(NOTES, sizeof *hidden);
    ck_assert_ptr_nonnull(hidden);
    ck_assert(pqt_init(&error));
    options.max_entries = _i == 0 ? 0 : 2;
    pqt_history *history = pqt_history_make(&kind, make_note(0), &options, &error);
    require(history != NULL, error.text);
    for (uint64_t i = 0; i < NOTES; i++) {
        char name[24];
        push_hidden(history, i, &hidden[i]);
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        if (_i == 0 && i % 5 < 3)
            ck_assert(pqt_history_set_name(history, i + 1, name, &error));
    }
    ck_assert(_i == 1 || count_left(hidden, NOTES) == NOTES);
    ck_assert(pqt_history_thin(history, 0, &error));
    const size_t kept = entries(history);
    ck_assert_uint_eq(kept, _i == 0 ? NAMED + 2 : 2);
    ck_assert_uint_lt(count_left(hidden, NOTES), kept + STACK);
    pqt_history_destroy(&history);
    for (size_t i = 0; i < NOTES; i++)
        GC_unregister_disappearing_link(&hidden[i]);
    free(hidden);
}
END_TEST

#endif

START_TEST(thinning_that_fails_is_repeated_later)
{
    static const int values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    numbers own = {false, 0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    const pqt_history_kind kind = {sizeof kind, "numbers", memory_of_number, NULL, bytes_of_number,
                                   &own,        NULL};
    options.max_entries = 4;
    pqt_history *history = pqt_history_make(&kind, &values[0], &options, NULL);
    for (int i = 1; i < 4; i++)
        push(history, &values[i], "Next");
    /* Each allocation of the push that exceeds the limit fails in turn. The last ones are made by
       thinning. */
    size_t put_off = 0;
    for (size_t n = 1; n < 20 && entries(history) >= 4; n++) {
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        const bool done =
            pqt_history_push(history, &values[n % 5 + 4], &(pqt_history_entry_info){0}, NULL);
        hooks_stop();
        put_off += done && watch.failures > 0;
        ck_assert(done || watch.failures == 1);
    }
    ck_assert_uint_gt(put_off, 0);
    ck_assert_uint_lt(entries(history), 4);
    pqt_history_destroy(&history);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("history drop");
    TCase *tests = add_tests(suite, "dropping");
    tcase_add_test(tests, children_of_a_dropped_entry_become_children_of_its_parent);
    tcase_add_test(tests, redo_goes_to_the_newest_if_its_branch_was_dropped);
    tcase_add_test(tests, protected_entries_are_not_dropped);
    tcase_add_test(tests, the_fraction_that_thinning_keeps_halves_as_the_age_doubles);
    tcase_add_test(tests, a_limit_of_entries_holds_and_thinning_is_rare);
    tcase_add_test(tests, a_limit_of_bytes_holds_while_there_is_something_to_drop);
    tcase_add_test(tests, limits_of_zero_mean_no_limit);
    tcase_add_test(tests, bytes_add_up_to_the_size_of_the_versions);
    tcase_add_test(tests, an_entry_reports_its_shared_bytes_and_those_that_dropping_it_frees);
    tcase_add_test(tests, a_version_that_is_pushed_again_is_counted_again);
    tcase_add_test(tests, entries_with_many_children_are_counted_too);
    tcase_add_test(tests, blocks_of_a_dropped_entry_are_counted_in_each_child_that_shares_them);
#if PQT_WITH_PIXELS
    tcase_add_test(tests, a_history_of_regions_counts_the_bytes_that_each_entry_adds);
#endif
    tcase_add_test(tests, a_callback_that_fails_changes_nothing);
    tcase_add_test(tests, thinning_that_fails_is_repeated_later);
#if PQT_WITH_COLLECTOR
    tcase_add_test(tests, values_of_the_host_live_as_long_as_their_entries);
    tcase_add_loop_test(tests, values_that_were_dropped_are_reclaimed, 0, 2);
#endif
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
