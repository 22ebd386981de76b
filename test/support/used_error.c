/* SPDX-License-Identifier: MIT */
/* used_error.c: tests that a call does the same whatever its error holds. */
#include "config.h"

#include "used_error.h"

#include <string.h>

#include "bytes_support.h"
#include "hooks.h"
#include "tree_support.h"

sample_versions sample;

/* ---- The versions ---- */

static const pqt_document *
document_of(const pqt_document *document, const pqt_tree *tree, pqt_error *error)
{
    return pqt_document_set_tree(document, "shapes", tree, error);
}

static void
set_up(void)
{
    pqt_error error = {0};
    pqt_item moved;
    sample.memory = pqt_arena_make(0, &error);
    sample.tree = small_tree_of(3, sample.memory, &error);
    require(pqt_tree_find(sample.tree, 4, &moved), "the tree lacks an item");
    sample.next_tree = pqt_tree_move_id(sample.tree, 4, (pqt_box){{1, 1}, {9, 7}}, &error);
    sample.region = small_region(2, sample.memory, &error);
    sample.next_region = pqt_region_paint(
        sample.region, pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){200, 3}), &error);
    sample.map = small_map(0, sample.memory, &error);
    sample.next_map = pqt_map_insert(sample.map, pqt_map_id(2), pqt_map_number(7), &error);
    sample.world = small_world_of(0, sample.memory, &error);
    sample.next_world = pqt_world_step(sample.world, 0.5, NULL, &error);
    sample.document = small_document(0, sample.memory, &error);
    sample.next_document = document_of(sample.document, sample.next_tree, &error);
    require(sample.next_document != NULL, error.text);
}

static void
tear_down(void)
{
    pqt_arena_destroy(&sample.memory);
}

uint64_t
number_of(const void *version)
{
    return version == NULL ? 0 : pqt_version_fingerprint(version).low;
}

/* ---- One call ---- */

static size_t fail_at; /* the number of the allocation to fail; 0: none fails */
static hooks watch;

void
begin_call(void)
{
    watch = (hooks){.fail_at = fail_at};
    hooks_start(&watch);
}

void
end_call(void)
{
    hooks_stop();
}

outcome
end_version(const void *version)
{
    end_call();
    return (outcome){version != NULL, number_of(version)};
}

outcome
end_pin(pqt_pin *pin)
{
    end_call();
    const bool done = pin != NULL;
    const uint64_t value = done ? number_of(pqt_pin_get_version(pin)) : 0;
    pqt_unpin(&pin);
    return (outcome){done, value};
}

/* ---- Tests ---- */

static const error_case *cases[400];
static size_t case_count;

static bool
is_empty(const pqt_error *error)
{
    static const pqt_error empty;
    return error->status == PQT_OK && error->index == 0 && strcmp(error->text, empty.text) == 0;
}

static void
expect_same(const error_case *c, const char *how, outcome expected, outcome got)
{
    ck_assert_msg(got.done == expected.done && got.value == expected.value,
                  "%s, allocation %zu: %s an error: %d, %llu; with an empty one: %d, %llu",
                  c->function, fail_at, how, got.done, (unsigned long long)got.value, expected.done,
                  (unsigned long long)expected.value);
}

/* Calls with an empty error, with a used one and without one. Expects equal results, and no byte of
   the used error to change. Returns the result and `error` of the first call. */
static outcome
call_three_times(const error_case *c, pqt_error *error)
{
    pqt_error used;
    memset(&used, 0x5a, sizeof used);
    used.status = PQT_ERROR_BOX;
    const pqt_error before = used;
    *error = (pqt_error){0};
    const outcome expected = c->call(error);
    expect_same(c, "with a used", expected, c->call(&used));
    ck_assert_msg(memcmp(&used, &before, sizeof used) == 0, "%s changed a used error: %.60s",
                  c->function, used.text);
    expect_same(c, "without", expected, c->call(NULL));
    return expected;
}

START_TEST(a_call_does_the_same_with_a_used_error)
{
    pqt_error error;
    const outcome got = call_three_times(cases[_i], &error);
    if (error.status == PQT_ERROR_UNSUPPORTED)
        ck_assert(!got.done); /* this build lacks the part */
    else
        ck_assert_msg(got.done && is_empty(&error), "%s: %s", cases[_i]->function, error.text);
}
END_TEST

START_TEST(a_call_fails_in_the_same_way_with_a_used_error)
{
    pqt_error error;
    bool failed = true;
    for (size_t n = 1; failed && n < 200; n += 1 + n / 4) {
        fail_at = n;
        const outcome got = call_three_times(cases[_i], &error);
        failed = watch.failures != 0;
        ck_assert_msg(got.done == is_empty(&error), "%s, allocation %zu: done: %d, status %d, %s",
                      cases[_i]->function, n, got.done, (int)error.status, error.text);
    }
}
END_TEST

void
add_error_cases(Suite *suite, const char *name, const error_case *table, size_t count)
{
    TCase *tests = tcase_create(name);
    const int first = (int)case_count;
    for (size_t i = 0; i < count; i++)
        cases[case_count++] = &table[i];
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, a_call_does_the_same_with_a_used_error, first, (int)case_count);
    tcase_add_loop_test(tests, a_call_fails_in_the_same_way_with_a_used_error, first,
                        (int)case_count);
    suite_add_tcase(suite, tests);
}
