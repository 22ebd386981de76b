/* SPDX-License-Identifier: MIT */
/* test_tree_misuse.c: tests that invalid calls on trees abort with a message. */
#include "config.h"

#include <pqt/tree.h>

#include "suite.h"
#include "tree_support.h"

static bool
stop_at_cell(const pqt_cell *cell, void *context)
{
    (void)cell;
    (void)context;
    return false;
}

static void
call_count(void)
{
    pqt_tree_count(NULL);
}

static void
call_bounds(void)
{
    pqt_tree_bounds(NULL);
}

static void
call_get_options(void)
{
    pqt_tree_get_options(NULL, NULL);
}

static void
call_contains(void)
{
    pqt_tree_contains(NULL, dot(1, 1, 1));
}

static void
call_find(void)
{
    pqt_tree_find(NULL, 1, NULL);
}

static void
call_equals_first(void)
{
    pqt_tree_equals(NULL, small_tree(2));
}

static void
call_equals_second(void)
{
    pqt_tree_equals(small_tree(2), NULL);
}

static void
call_equals_both(void)
{
    pqt_tree_equals(NULL, NULL);
}

static void
call_fingerprint(void)
{
    pqt_tree_fingerprint(NULL);
}

static void
call_check(void)
{
    pqt_tree_check(NULL, &(pqt_error){0});
}

static void
call_get_stats(void)
{
    pqt_tree_get_stats(NULL);
}

static void
call_shared_first(void)
{
    pqt_tree_shared_bytes(NULL, small_tree(2));
}

static void
call_shared_second(void)
{
    pqt_tree_shared_bytes(small_tree(2), NULL);
}

static void
call_visit_cells(void)
{
    pqt_tree_visit_cells(NULL, stop_at_cell, NULL);
}

static void
call_pin(void)
{
    (void)!pqt_tree_pin(NULL, &(pqt_error){0});
}

static void
call_pin_get_tree(void)
{
    pqt_pin_get_tree(NULL);
}

static void
call_find_without_unique_ids(void)
{
    pqt_tree_find(small_tree(2), 1, NULL);
}

static void
give_no_items(void)
{
    (void)!pqt_tree_of(NULL, 1, NULL, &(pqt_error){0});
}

static void (*const mistakes[])(void) = {
    call_count,
    call_bounds,
    call_get_options,
    call_contains,
    call_find,
    call_equals_first,
    call_equals_second,
    call_equals_both,
    call_fingerprint,
    call_check,
    call_get_stats,
    call_shared_first,
    call_shared_second,
    call_visit_cells,
    call_pin,
    call_pin_get_tree,
    call_find_without_unique_ids,
    give_no_items,
};

START_TEST(misuse_stops_the_program)
{
    mistakes[_i]();
}
END_TEST

static void
add_mistakes(Suite *suite)
{
    TCase *tests = add_tests(suite, "mistakes");
    tcase_add_misuse_tests(tests, misuse_stops_the_program, sizeof mistakes / sizeof *mistakes);
}

int
main(void)
{
    Suite *suite = suite_create("tree_mistakes");
    add_mistakes(suite);
    return run_suite(suite);
}
