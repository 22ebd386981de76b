/* SPDX-License-Identifier: MIT */
/*
 * test_error_cases.c: tests documented errors that no other suite provokes.
 *
 * Each allocation of a call fails in turn, and the call must then fail with PQT_ERROR_MEMORY.
 */
#include "config.h"

#include <unistd.h>

#include <pqt/bytes.h>
#include <pqt/convex.h>
#include <pqt/document.h>
#include <pqt/heap.h>
#include <pqt/history_query.h>
#include <pqt/merge.h>
#include <pqt/recording.h>

#include "history_support.h"
#include "hooks.h"
#include "step_support.h"
#include "suite.h"
#include "world/recording_internal.h"

/* A call. Returns false if it failed, that is, if its result is false or NULL. */
typedef bool fallible_call(void *context, pqt_error *error);

/* Fails each allocation of a call in turn. Expects at least `least` failures with PQT_ERROR_MEMORY.
   Other failures must have the status `also`. */
static void
expect_memory_errors_or(fallible_call *call, void *context, size_t least, pqt_status also)
{
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        hooks watch = {.fail_at = n};
        pqt_error error = {0};
        hooks_start(&watch);
        const bool done = call(context, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(done && error.status == PQT_OK, error.text);
            break;
        }
        if (done)
            continue; /* the call did not need that block */
        if (error.status != PQT_ERROR_MEMORY && error.status != also)
            ck_abort_msg("allocation %zu: status %d, %s", n, (int)error.status, error.text);
        failures += error.status == PQT_ERROR_MEMORY;
    }
    ck_assert_uint_ge(failures, least);
}

static void
expect_memory_errors(fallible_call *call, void *context, size_t least)
{
    expect_memory_errors_or(call, context, least, PQT_ERROR_MEMORY);
}

/* ---- Worlds ---- */

static const pqt_world *
world_of_two(void)
{
    return added(added(small_world(), ball(1, 20, 20, 1)), ball(2, 40, 40, 1));
}

static bool
change_two(void *context, pqt_error *error)
{
    const pqt_body bodies[] = {ball(1, 21, 20, 1), ball(2, 41, 40, 1)};
    return pqt_world_change_all(*(const pqt_world **)context, bodies, 2, error) != NULL;
}

static bool
remove_two(void *context, pqt_error *error)
{
    const uint64_t ids[] = {1, 2};
    return pqt_world_remove_all(*(const pqt_world **)context, ids, 2, error) != NULL;
}

START_TEST(changes_and_removals_of_bodies_report_out_of_memory)
{
    const pqt_world *world = world_of_two();
    expect_memory_errors(change_two, &world, 5);
    expect_memory_errors(remove_two, &world, 5);
}
END_TEST

START_TEST(a_change_to_an_invalid_body_is_refused)
{
    const pqt_world *world = world_of_two();
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_world_change(world, ball(1, 20, 20, -1), &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BODY);
    const pqt_body bodies[] = {ball(1, 21, 20, 1), ball(2, NAN, 40, 1)};
    error = (pqt_error){0};
    ck_assert_ptr_null(pqt_world_change_all(world, bodies, 2, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BODY);
    ck_assert_uint_eq(error.index, 1);
}
END_TEST

/* ---- Recordings ---- */

static pqt_recording *
recording_of(const pqt_world *first, const pqt_step_options *options, size_t steps)
{
    pqt_error error = {0};
    pqt_recording *recording = pqt_recording_make(first, 0.01, options, 4, &error);
    require(recording != NULL, error.text);
    for (size_t i = 0; i < steps; i++)
        must_world(pqt_recording_step(recording, NULL, &error), &error);
    return recording;
}

START_TEST(a_recorded_step_passes_its_errors_on)
{
    pqt_error error = {0};
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 2;
    pqt_recording *recording = recording_of(world_of_two(), &options, 0);
    ck_assert_ptr_null(pqt_recording_step(recording, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    pqt_recording_destroy(&recording);

    pqt_body fast = ball(3, 60, 60, 1);
    fast.velocity.x = 0x1p200;
    fast.acceleration.x = 0x1p200;
    error = (pqt_error){0};
    recording = recording_of(added(world_of_two(), fast), NULL, 0);
    ck_assert_ptr_null(pqt_recording_step(recording, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    pqt_recording_destroy(&recording);
}
END_TEST

static bool
step_at(void *context, pqt_error *error)
{
    return pqt_recording_at(context, 7, error) != NULL;
}

static bool
verify(void *context, pqt_error *error)
{
    return pqt_recording_verify(context, NULL, error);
}

typedef struct two_recordings {
    pqt_recording *a, *b;
} two_recordings;

static bool
compare(void *context, pqt_error *error)
{
    pqt_recording_divergence divergence;
    const two_recordings *two = context;
    return pqt_recording_compare(two->a, two->b, &divergence, error);
}

START_TEST(calls_of_recordings_report_errors)
{
    /* They hit each other after 0.05 s, in step 6. The recordings keep steps 4 and 8. */
    const pqt_world *first =
        added(added(small_world(), flying(1, 60, 60, 1, 10, 0)), ball(2, 62.5, 60, 1));
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = 0.5;
    two_recordings two = {recording_of(first, NULL, 10), recording_of(first, &options, 10)};
    expect_memory_errors(step_at, two.a, 5);
    expect_memory_errors(verify, two.a, 5);
    expect_memory_errors(compare, &two, 5);
    two.b->dt = 0.011; /* as if another machine had recorded it */
    pqt_error error = {0};
    ck_assert(!compare(&two, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CORRUPT);
    pqt_recording_destroy(&two.a);
    pqt_recording_destroy(&two.b);
}
END_TEST

/* ---- Histories ---- */

/* Returns a history of trees with an undone branch. */
static pqt_history *
branched_history(void)
{
    pqt_error error = {0};
    const pqt_tree *tree = small_tree(4);
    pqt_history *history = history_of(tree, true);
    for (uint64_t id = 100; id < 104; id++) {
        tree = pqt_tree_insert(tree, (pqt_item){{{1, 1}, {2, 2}}, id}, &error);
        push(history, tree, "edit");
    }
    go(history, 1);
    tree = pqt_tree_insert(tree, (pqt_item){{{3, 3}, {4, 4}}, 200}, &error);
    push(history, tree, "branch");
    return history;
}

static bool
get_bytes(void *context, pqt_error *error)
{
    pqt_history_bytes bytes;
    return pqt_history_get_bytes(context, 2, &bytes, error);
}

static bool
set_name(void *context, pqt_error *error)
{
    return pqt_history_set_name(context, 1, "a name", error);
}

static bool
drop_branch(void *context, pqt_error *error)
{
    return pqt_history_drop_branch(context, 3, error);
}

static bool
drop(void *context, pqt_error *error)
{
    return pqt_history_drop(context, 2, error);
}

static bool
last_item_change(void *context, pqt_error *error)
{
    pqt_history_answer answer;
    return pqt_history_last_item_change(context, NULL, 4, 101, &answer, error);
}

static bool
stop_never(const pqt_change *change, void *context)
{
    (void)change, (void)context;
    return true;
}

static bool
visit_changes(void *context, pqt_error *error)
{
    return pqt_history_visit_changes(context, NULL, 4, -HUGE_VAL, HUGE_VAL, NULL, stop_never, NULL,
                                     error);
}

START_TEST(histories_report_out_of_memory)
{
    pqt_history *history = branched_history();
    expect_memory_errors(last_item_change, history, 1);
    expect_memory_errors(visit_changes, history, 1);
    expect_memory_errors_or(get_bytes, history, 1, PQT_ERROR_CALLBACK);
    expect_memory_errors(set_name, history, 1);
    expect_memory_errors_or(drop_branch, history, 0, PQT_ERROR_CALLBACK);
    expect_memory_errors_or(drop, history, 0, PQT_ERROR_CALLBACK);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(changes_within_an_invalid_window_are_refused)
{
    pqt_error error = {0};
    pqt_history *history = branched_history();
    const pqt_query query = {.window = {{1, 1}, {0, 0}}, .relation = PQT_TOUCHES};
    ck_assert(!pqt_history_visit_changes(history, NULL, 4, -HUGE_VAL, HUGE_VAL, &query, stop_never,
                                         NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_BOX);
    pqt_history_destroy(&history);
}
END_TEST

/* ---- Documents ---- */

static bool
visit_nothing(const pqt_document_change *change, void *context)
{
    (void)change, (void)context;
    return true;
}

static bool
visit_difference(void *context, pqt_error *error)
{
    const pqt_document *const *two = context;
    return pqt_document_visit_diff(two[0], two[1], visit_nothing, NULL, error);
}

START_TEST(the_difference_of_documents_reports_out_of_memory)
{
    pqt_error error = {0};
    const pqt_tree *tree = small_tree(4), *next = tree;
    for (uint64_t id = 100; id < 110; id++)
        next = pqt_tree_insert(next, (pqt_item){{{1, 1}, {2, 2}}, id}, &error);
    const pqt_part parts[] = {{"boxes", PQT_KIND_TREE, tree, NULL}};
    const pqt_document *document = pqt_document_make(parts, 1, &error);
    const pqt_document *two[] = {document, pqt_document_set_tree(document, "boxes", next, &error)};
    require(two[1] != NULL, error.text);
    expect_memory_errors(visit_difference, two, 1);
}
END_TEST

START_TEST(parts_in_another_memory_are_refused)
{
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, &error);
    const pqt_part parts[] = {{"boxes", PQT_KIND_TREE, small_tree(4), NULL}};
    const pqt_document *document = pqt_document_make(parts, 1, &error);
    const pqt_part strange[] = {
        {"boxes", PQT_KIND_TREE, pqt_tree_copy(small_tree(4), other, &error), NULL}};
    ck_assert_ptr_null(pqt_document_set_parts(document, strange, 1, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    pqt_arena_destroy(&other);
}
END_TEST

/* ---- Memories, images and files ---- */

static bool
make_arena(void *context, pqt_error *error)
{
    (void)context;
    pqt_memory *made = pqt_arena_make(0, error);
    if (made == NULL)
        return false;
    pqt_arena_destroy(&made);
    return true;
}

static bool
make_heap(void *context, pqt_error *error)
{
    (void)context;
    pqt_memory *made = pqt_heap_make(NULL, error);
    if (made == NULL)
        return false;
    pqt_heap_destroy(&made);
    return true;
}

static bool
begin_scope(void *context, pqt_error *error)
{
    (void)context;
    pqt_error ignored = {0};
    hooks_stop();
    pqt_memory *heap = pqt_heap_make(NULL, &ignored);
    hooks watch = {.fail_at = 1};
    hooks_start(&watch);
    const bool begun = pqt_scope_begin(heap, error);
    hooks_stop();
    if (begun)
        pqt_scope_end(heap);
    pqt_heap_destroy(&heap);
    return begun;
}

static bool
region_of_bits(void *context, pqt_error *error)
{
    static const uint8_t bits[] = {0x81, 0x42};
    const pqt_bit_image image = {bits, 8, 2, 1, PQT_BITS_LOW_FIRST};
    return pqt_region_of_bits(&image, (pqt_pixel){3, 4}, context, error) != NULL;
}

static bool
load_tree(void *context, pqt_error *error)
{
    return pqt_tree_load(context, arena, error) != NULL;
}

START_TEST(memories_and_images_report_out_of_memory)
{
    expect_memory_errors(make_arena, NULL, 0);
    expect_memory_errors(make_heap, NULL, 0);
    expect_memory_errors(region_of_bits, arena, 1);
}
END_TEST

START_TEST(a_first_scope_that_cannot_be_allocated_is_reported)
{
    pqt_error error = {0};
    if (!begin_scope(NULL, &error))
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
}
END_TEST

START_TEST(loading_a_tree_reports_out_of_memory)
{
    pqt_error error = {0};
    char path[] = "/tmp/pqt-error-cases-XXXXXX";
    const int file = mkstemp(path);
    require(file >= 0 && close(file) == 0, "no file for the test");
    require(pqt_tree_save(small_tree(4), path, &error), error.text);
    expect_memory_errors(load_tree, path, 2);
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

static void *
refuse_memory(size_t bytes, size_t alignment, void *context)
{
    (void)bytes, (void)alignment, (void)context;
    return NULL;
}

static void
release_nothing(void *memory, size_t bytes, void *context)
{
    (void)memory, (void)bytes, (void)context;
}

START_TEST(a_heap_whose_host_is_out_of_memory_holds_nothing)
{
    pqt_error error = {0};
    pqt_heap_options options = PQT_HEAP_DEFAULTS;
    options.allocate = refuse_memory;
    options.release = release_nothing;
    pqt_memory *heap = pqt_heap_make(&options, &error);
    if (heap == NULL) {
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
        return;
    }
    pqt_tree_options tree_options = PQT_TREE_DEFAULTS;
    tree_options.memory = heap;
    ck_assert_ptr_null(pqt_tree_make(world_box, &tree_options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    pqt_heap_destroy(&heap);
}
END_TEST

/* ---- Shapes and unions ---- */

START_TEST(invalid_radii_of_convex_shapes_are_refused)
{
    static const double radii[] = {-1, NAN, HUGE_VAL};
    for (size_t i = 0; i < 3; i++) {
        pqt_convex convex;
        pqt_error error = {0};
        ck_assert(!pqt_convex_from_box((pqt_box){{0, 0}, {1, 2}}, radii[i], &convex, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
        error = (pqt_error){0};
        ck_assert(
            !pqt_convex_from_segment((pqt_segment){{0, 0}, {1, 2}}, radii[i], &convex, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
    }
}
END_TEST

static pqt_resolution
no_resolution(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    (void)conflict, (void)answer, (void)context;
    return (pqt_resolution)99;
}

START_TEST(an_invalid_resolution_of_a_union_is_refused)
{
    pqt_error error = {0};
    const pqt_tree *empty = unique_tree(4);
    const pqt_tree *a = pqt_tree_insert(empty, (pqt_item){{{1, 1}, {2, 2}}, 7}, &error);
    const pqt_tree *b = pqt_tree_insert(empty, (pqt_item){{{3, 3}, {4, 4}}, 7}, &error);
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    options.resolve = no_resolution;
    ck_assert_ptr_null(pqt_tree_union(a, b, &options, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("error_cases");
    TCase *tests = add_tests(suite, "worlds");
    if (PQT_WITH_WORLDS) {
        tcase_add_test(tests, changes_and_removals_of_bodies_report_out_of_memory);
        tcase_add_test(tests, a_change_to_an_invalid_body_is_refused);
    }
    tests = add_tests(suite, "recordings");
    if (PQT_WITH_WORLDS) {
        tcase_add_test(tests, a_recorded_step_passes_its_errors_on);
        tcase_add_test(tests, calls_of_recordings_report_errors);
    }
    tests = add_tests(suite, "histories");
    tcase_add_test(tests, histories_report_out_of_memory);
    tcase_add_test(tests, changes_within_an_invalid_window_are_refused);
    tests = add_tests(suite, "documents");
    tcase_add_test(tests, the_difference_of_documents_reports_out_of_memory);
    tcase_add_test(tests, parts_in_another_memory_are_refused);
    tests = add_tests(suite, "memories, images and files");
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, memories_and_images_report_out_of_memory);
    tcase_add_test(tests, a_first_scope_that_cannot_be_allocated_is_reported);
    tcase_add_test(tests, loading_a_tree_reports_out_of_memory);
    tcase_add_test(tests, a_heap_whose_host_is_out_of_memory_holds_nothing);
    tests = add_tests(suite, "shapes and unions");
    tcase_add_test(tests, invalid_radii_of_convex_shapes_are_refused);
    tcase_add_test(tests, an_invalid_resolution_of_a_union_is_refused);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
