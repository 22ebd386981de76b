/* SPDX-License-Identifier: MIT */
/*
 * test_history_limits.c: tests that a push into a history at its limit examines few records,
 * however many entries are always kept.
 *
 * The history counts the records that thinning examines or moves. test_history_model.c tests which
 * entries thinning drops.
 */
#include "config.h"

#include "history_support.h"
#include "version/history_internal.h"

/* The values. The kind reports one size for a value alone, and another for a value compared with
   others. */
enum { VALUES = 1 << 16 };
static char values[VALUES];

typedef struct sizes {
    size_t alone, beside;
    size_t calls;
} sizes;

static pqt_memory *
memory_of_value(const void *value, void *context)
{
    (void)value;
    (void)context;
    return arena;
}

static bool
bytes_of_value(const void *value, const void *const *others, size_t count, size_t *bytes,
               void *context)
{
    sizes *s = context;
    (void)value;
    (void)others;
    s->calls++;
    *bytes = count == 0 ? s->alone : s->beside;
    return true;
}

/* A history and the number of its next value. */
typedef struct subject {
    pqt_history *history;
    sizes sizes;
    size_t next, names;
} subject;

static void
begin(subject *s, size_t max_entries, size_t max_bytes)
{
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = max_entries;
    options.max_bytes = max_bytes;
    *s = (subject){.sizes = {1, 1, 0}, .next = 1};
    const pqt_history_kind kind = {.size = sizeof kind,
                                   .name = "values",
                                   .memory = memory_of_value,
                                   .bytes = bytes_of_value,
                                   .context = &s->sizes};
    s->history = pqt_history_make(&kind, &values[0], &options, &error);
    require(s->history != NULL, error.text);
}

static void
push_next(subject *s)
{
    push(s->history, &values[s->next++ % VALUES], "Next");
}

static void
push_named(subject *s)
{
    char name[24];
    pqt_error error = {0};
    push_next(s);
    snprintf(name, sizeof name, "name %zu", s->names++);
    require(pqt_history_set_name(s->history, pqt_history_current(s->history), name, &error),
            error.text);
}

/* Returns the average number of records that thinning examined or moved per push. */
static double
examined_by_pushes(subject *s, size_t pushes)
{
    const uint64_t before = s->history->thinning_steps;
    for (size_t i = 0; i < pushes; i++)
        push_next(s);
    return (double)(s->history->thinning_steps - before) / (double)pushes;
}

/* Returns the maximum average cost of a push. A thinning of n records examines each record once for
   each halving of n, and moves it once. A quarter of the limit is pushed between one thinning and
   the next. */
static double
most_for(size_t limit)
{
    return 4 * (log2((double)limit) + 4);
}

/* Returns the number of named entries: half of the limit, three quarters, almost all, all, or
 * more. */
static size_t
named_of(size_t limit, int way)
{
    const size_t named[] = {
        limit / 2,  limit * 3 / 4 - 3, limit * 3 / 4, limit * 3 / 4 + 1, limit - 50,
        limit - 4,  limit - 3,         limit - 2,     limit - 1,         limit,
        limit + 100};
    return named[way];
}

enum { WAYS = 11, FULL = 7 };

START_TEST(a_push_at_a_limit_of_entries_examines_few_records)
{
    for (size_t limit = 256; limit <= 4096; limit *= 16) {
        subject s;
        begin(&s, limit, 0);
        for (size_t i = 0; i < named_of(limit, _i); i++)
            push_named(&s);
        const double steps = examined_by_pushes(&s, 3 * limit);
        ck_assert_msg(steps <= most_for(limit), "%g records a push", steps);
        ck_assert(_i < FULL || steps <= 2);
        pqt_history_destroy(&s.history);
    }
}
END_TEST

START_TEST(a_push_at_a_limit_of_bytes_examines_few_records)
{
    for (size_t limit = 256; limit <= 4096; limit *= 16) {
        subject s;
        begin(&s, 0, limit);
        for (size_t i = 0; i < named_of(limit, _i); i++)
            push_named(&s);
        const double steps = examined_by_pushes(&s, 3 * limit);
        ck_assert_msg(steps <= most_for(limit), "%g records a push", steps);
        ck_assert(_i < FULL || steps <= 2);
        pqt_history_destroy(&s.history);
    }
}
END_TEST

/* If the named entries fill the limit, each push replaces the entry of the previous push. */
START_TEST(a_push_into_a_full_history_costs_no_more_than_any_other)
{
    enum { LIMIT = 1000, PUSHES = 100 };
    subject s;
    begin(&s, LIMIT, 0);
    for (size_t i = 0; i < LIMIT; i++)
        push_named(&s);
    push_next(&s);
    const size_t entries_before = entries(s.history);
    hooks watch = {.fail_at = 0};
    s.sizes.calls = 0;
    hooks_start(&watch);
    for (size_t i = 0; i < PUSHES; i++)
        push_next(&s);
    hooks_stop();
    ck_assert_uint_eq(watch.calls, 0);
    ck_assert_uint_eq(s.sizes.calls, 2 * PUSHES);
    ck_assert_uint_eq(entries(s.history), entries_before);
    ck_assert_uint_eq(entry_at(s.history, pqt_history_current(s.history)).parent, LIMIT);
    pqt_history_destroy(&s.history);
}
END_TEST

/* The saved mark, the current entry and groups change between the pushes. */
START_TEST(a_full_history_examines_few_records_after_undo_and_marks)
{
    enum { ROUNDS = 3000 };
    for (size_t limit = 256; limit <= 4096; limit *= 16) {
        subject s;
        dice d = {test_seed("a full history")};
        begin(&s, _i == 0 ? limit : 0, _i == 0 ? 0 : limit);
        for (size_t i = 0; i < limit + 10; i++)
            push_named(&s);
        const uint64_t before = s.history->thinning_steps;
        for (size_t i = 0; i < ROUNDS; i++) {
            switch (dice_below(&d, 6)) {
            case 0:
                pqt_history_mark_saved(s.history);
                break;
            case 1:
                go(s.history, dice_below(&d, limit));
                break;
            case 2:
                (void)pqt_history_undo(s.history);
                break;
            case 3:
                pqt_history_begin(s.history, "Group");
                push_next(&s);
                push_next(&s);
                pqt_history_end(s.history);
                break;
            default:
                push_next(&s);
                break;
            }
            if (i % 64 == 0)
                expect_droppable_list(s.history);
        }
        const double steps = (double)(s.history->thinning_steps - before) / ROUNDS;
        ck_assert_msg(steps <= most_for(limit), "%g records a round", steps);
        pqt_history_destroy(&s.history);
    }
}
END_TEST

/* A version takes more than a quarter of the limit, so that each push thins. */
START_TEST(pushes_of_large_versions_examine_few_of_many_small_ones)
{
    enum { LIMIT = 1 << 20, SMALL = 4000, LARGE = 200 };
    subject s;
    begin(&s, 0, LIMIT);
    for (size_t i = 0; i < SMALL; i++)
        push_named(&s);
    s.sizes.beside = LIMIT / 3;
    const double steps = examined_by_pushes(&s, LARGE);
    ck_assert_msg(steps <= most_for(SMALL), "%g records a push", steps);
    pqt_history_destroy(&s.history);
}
END_TEST

/* The entry whose number makes thinning keep it longest has no name, and many entries after it have
 * one. */
START_TEST(pushes_of_large_versions_examine_few_if_an_old_one_may_be_dropped)
{
    enum { LIMIT = 1 << 20, OLD = 1 << 10, SMALL = 4000, LARGE = 200 };
    subject s;
    begin(&s, 0, LIMIT);
    for (size_t i = 1; i < SMALL; i++)
        if (i == OLD)
            push_next(&s);
        else
            push_named(&s);
    s.sizes.beside = LIMIT / 3;
    const double steps = examined_by_pushes(&s, LARGE);
    ck_assert_msg(steps <= most_for(SMALL), "%g records a push", steps);
    pqt_history_destroy(&s.history);
}
END_TEST

/* Names are removed one by one. Each push drops one entry, and moves the later records down in the
 * array. */
START_TEST(entries_whose_names_are_removed_are_dropped_by_the_next_push)
{
    enum { LIMIT = 300 };
    subject s;
    begin(&s, LIMIT, 0);
    for (size_t i = 0; i < LIMIT; i++)
        push_named(&s);
    for (uint64_t number = LIMIT; number > 0; number--) {
        const size_t before = entries(s.history);
        ck_assert(pqt_history_set_name(s.history, number, NULL, NULL));
        push_next(&s);
        expect_droppable_list(s.history);
        const size_t after = entries(s.history);
        ck_assert_uint_le(after, before + 1);
        ck_assert(after <= LIMIT || pqt_history_value_of(s.history, number) == NULL);
    }
    ck_assert_uint_le(entries(s.history), LIMIT);
    pqt_history_destroy(&s.history);
}
END_TEST

/* Thinning drops entries in many places of a history. Each allocation fails in turn. */
START_TEST(a_thinning_that_runs_out_of_memory_leaves_the_history_unchanged)
{
    enum { ENTRIES = 100 };
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = _i == 1;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), small_tree(24), &options, &error);
    require(history != NULL, error.text);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        char name[24];
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        push(history, with_dot(pqt_history_value(history), i), "Dot");
        if (i % 3 == 0)
            ck_assert(pqt_history_set_name(history, i + 1, name, &error));
        if (i % 7 == 0)
            go(history, i / 2);
    }
    const pqt_history_stats before = pqt_history_get_stats(history);
    bool done = false;
    size_t failures = 0;
    for (size_t n = 1; !done; n++) {
        pqt_error failure = {0};
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        done = pqt_history_thin(history, 5, &failure);
        hooks_stop();
        expect_droppable_list(history);
        if (done)
            break;
        failures++;
        ck_assert_int_eq(failure.status, PQT_ERROR_MEMORY);
        const pqt_history_stats now = pqt_history_get_stats(history);
        ck_assert(now.entries == before.entries && now.bytes == before.bytes &&
                  now.branches == before.branches && now.index_bytes == before.index_bytes);
    }
    ck_assert_uint_ge(failures, 1);
    ck_assert_uint_lt(entries(history), ENTRIES / 2 + 10);
    pqt_history_destroy(&history);
}
END_TEST

/* With an index, a push into a full history makes no summary. The limits produce each depth modulo
   9; records at one of these depths have a summary. */
START_TEST(a_push_into_a_full_history_with_an_index_makes_no_summary)
{
    enum { PUSHES = 20, SUMMED = 0 };
    pqt_error error = {0};
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.max_entries = 90 + (size_t)_i;
    options.indexed = true;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), small_tree(24), &options, &error);
    require(history != NULL, error.text);
    for (uint64_t i = 0; i < options.max_entries; i++) {
        char name[24];
        push(history, with_dot(pqt_history_value(history), i), "Dot");
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        ck_assert(pqt_history_set_name(history, i + 1, name, &error));
    }
    push(history, with_dot(pqt_history_value(history), 254), "Dot");
    ck_assert((history->records[history->current].rank > 0) == (_i == SUMMED));
    for (uint64_t i = 0; i < PUSHES; i++) {
        const pqt_tree *next = inserted(pqt_history_value(history), dot(5.5, 5.5, 1000 + i));
        hooks watch = {.fail_at = 0};
        hooks_start(&watch);
        push(history, next, "Dot");
        hooks_stop();
        ck_assert_uint_eq(watch.calls, 0);
    }
    ck_assert_uint_eq(entries(history), options.max_entries + 2);
    pqt_history_destroy(&history);
}
END_TEST

/* Many named branches leave a long path of dropped entries. Thinning finds the nearest kept
   ancestor of each branch, and counts its bytes once. */
START_TEST(dropping_a_long_path_with_many_branches_visits_each_once)
{
    enum { LONG = 500, BRANCHES = 500 };
    subject s;
    begin(&s, 0, 0);
    for (size_t i = 0; i < LONG; i++)
        push_next(&s);
    for (size_t i = 0; i < BRANCHES; i++) {
        go(s.history, LONG);
        push_named(&s);
    }
    s.sizes.calls = 0;
    s.history->thinning_steps = 0;
    ck_assert(pqt_history_thin(s.history, 0, NULL));
    ck_assert_uint_eq(entries(s.history), 1 + BRANCHES);
    ck_assert_uint_eq(s.sizes.calls, BRANCHES);
    ck_assert_uint_le(s.history->thinning_steps, 3 * (LONG + BRANCHES));
    ck_assert_uint_eq(entry_at(s.history, 0).children, BRANCHES);
    pqt_history_destroy(&s.history);
}
END_TEST

/* If thinning leaves few records, the memory of the others is freed. */
START_TEST(thinning_to_few_entries_frees_the_memory_of_the_others)
{
    enum { MANY = 3000 };
    subject s;
    begin(&s, 0, 0);
    for (size_t i = 0; i < MANY; i++)
        push_next(&s);
    const size_t before = pqt_history_get_stats(s.history).entry_bytes;
    ck_assert(pqt_history_thin(s.history, 4, NULL));
    const pqt_history_stats after = pqt_history_get_stats(s.history);
    ck_assert_uint_lt(after.entries, 100);
    ck_assert_uint_lt(after.entry_bytes, before / 10);
    pqt_history_destroy(&s.history);
}
END_TEST

/* A history with the most records is too large for a test, so its arrays are said to be full. */
START_TEST(a_push_beyond_the_most_entries_is_refused)
{
    pqt_error error = {0};
    const pqt_tree *tree = small_tree(2);
    pqt_history *history = history_of(tree, false);
    const uint32_t count = history->count, capacity = history->capacity;
    history->count = history->capacity = UINT32_MAX - 1;
    const bool done = pqt_history_push(history, with_dot(tree, 1), NULL, &error);
    history->count = count;
    history->capacity = capacity;
    ck_assert(!done);
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    ck_assert_str_eq(error.text, "history: it has 4294967294 entries, which is the limit");
    expect_value(history, tree);
    push(history, with_dot(tree, 1), "One");
    ck_assert_uint_eq(entries(history), 2);
    pqt_history_destroy(&history);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("history limits");
    TCase *tests = add_tests(suite, "limits");
    tcase_add_loop_test(tests, a_push_at_a_limit_of_entries_examines_few_records, 0, WAYS);
    tcase_add_loop_test(tests, a_push_at_a_limit_of_bytes_examines_few_records, 0, WAYS);
    tcase_add_test(tests, a_push_into_a_full_history_costs_no_more_than_any_other);
    tcase_add_loop_test(tests, a_full_history_examines_few_records_after_undo_and_marks, 0, 2);
    tcase_add_test(tests, pushes_of_large_versions_examine_few_of_many_small_ones);
    tcase_add_test(tests, pushes_of_large_versions_examine_few_if_an_old_one_may_be_dropped);
    tcase_add_loop_test(tests, a_push_into_a_full_history_with_an_index_makes_no_summary, 0, 9);
    tcase_add_test(tests, entries_whose_names_are_removed_are_dropped_by_the_next_push);
    tcase_add_loop_test(tests, a_thinning_that_runs_out_of_memory_leaves_the_history_unchanged, 0,
                        2);
    tcase_add_test(tests, dropping_a_long_path_with_many_branches_visits_each_once);
    tcase_add_test(tests, thinning_to_few_entries_frees_the_memory_of_the_others);
    tcase_add_test(tests, a_push_beyond_the_most_entries_is_refused);
    return run_suite(suite);
}
