/* SPDX-License-Identifier: MIT */
/*
 * test_document_failures.c: tests documents in a memory in which each allocation fails in turn, and
 * in memories that collect or reclaim at each allocation.
 */
#include "config.h"

#include <pqt/heap.h>
#include <pqt/history.h>
#include <pqt/world.h>

#include "document_model.h"
#include "hooks.h"
#include "memory_support.h"
#include "random.h"
#include "suite.h"

enum { EDITS = 60 };

/* Versions in one memory, with their models. */
typedef struct scene {
    document_stage stage;
    pqt_memory *other;
    const pqt_document *base, *ours, *theirs;
    document_model in_base, in_ours, in_theirs;
    document_rule rule;
} scene;

static scene here;

static const pqt_document *
edited(const pqt_document *document, document_model *model, uint64_t seed, int count)
{
    dice d = {seed};
    for (int i = 0; i < count; i++)
        document = edit_document(&here.stage, document, model, dice_next(&d), NULL);
    return document;
}

static void
set_scene(pqt_memory *memory, pqt_memory *other)
{
    here = (scene){.other = other};
    document_stage_make(&here.stage, memory);
    here.in_base = document_model_make();
    here.base =
        edited(document_of_model(&here.stage, &here.in_base, NULL), &here.in_base, 1, EDITS);
    here.in_ours = here.in_theirs = here.in_base;
    here.ours = edited(here.base, &here.in_ours, 2, EDITS);
    here.theirs = edited(here.base, &here.in_theirs, 3, EDITS);
}

/* ---- The calls, and the models of their results ---- */

typedef const pqt_document *call_fn(pqt_error *error, document_model *model);

static const pqt_document *
call_make(pqt_error *error, document_model *model)
{
    *model = here.in_ours;
    return document_of_model(&here.stage, model, error);
}

static const pqt_document *
call_edits(pqt_error *error, document_model *model)
{
    dice d = {4};
    const pqt_document *document = here.ours;
    *model = here.in_ours;
    for (int i = 0; i < 12; i++)
        document = edit_document(&here.stage, document, model, dice_next(&d), error);
    return document;
}

static const pqt_document *
call_merge(pqt_error *error, document_model *model)
{
    document_rule rule = {&here.stage, 7, 0}, expected = {&here.stage, 7, 0};
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    options.resolve = resolve_document;
    options.context = &rule;
    *model = document_model_merge(&expected, &here.in_base, &here.in_ours, &here.in_theirs);
    ck_assert_uint_gt(expected.conflicts, 5);
    return pqt_document_merge(here.base, here.ours, here.theirs, &options, error);
}

static const pqt_document *
call_copy(pqt_error *error, document_model *model)
{
    const pqt_document *documents[] = {here.base, here.ours}, *copies[2];
    *model = here.in_ours;
    return pqt_document_copy_all(documents, 2, here.other, copies, error) ? copies[1] : NULL;
}

static const pqt_document *
call_exclusive_bytes(pqt_error *error, document_model *model)
{
    const pqt_document *others[] = {here.ours, here.theirs};
    size_t bytes;
    *model = here.in_base;
    return pqt_document_exclusive_bytes(here.base, others, 2, &bytes, error) ? here.base : NULL;
}

static const pqt_document *
call_history(pqt_error *error, document_model *model)
{
    *model = here.in_ours;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), here.base, NULL, error);
    const bool pushed =
        history != NULL &&
        pqt_history_push(history, here.ours, &(pqt_history_entry_info){.label = "Edit"}, error);
    const pqt_document *value = pushed ? pqt_history_value(history) : NULL;
    pqt_history_destroy(&history);
    return value;
}

static call_fn *const calls[] = {call_make, call_edits,           call_merge,
                                 call_copy, call_exclusive_bytes, call_history};
enum { CALLS = sizeof calls / sizeof *calls };

static void
expect_document(const pqt_document *document, const document_model *model, int call)
{
    const char *wrong = document_differs(&here.stage, document, model);
    ck_assert_msg(wrong == NULL, "call %d: %s", call, wrong);
}

START_TEST(each_failed_allocation_is_reported_and_changes_nothing)
{
    pqt_memory *memory = make_memory(0), *other = make_memory(0);
    set_scene(memory, other);
    for (size_t n = 1;; n++) {
        pqt_error error = {0};
        document_model model;
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        const pqt_document *document = calls[_i](&error, &model);
        hooks_stop();
        if (watch.failures == 0) {
            expect_document(document, &model, _i);
            ck_assert_uint_gt(n, 1);
            break;
        }
        ck_assert_ptr_null(document);
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    }
    expect_document(here.base, &here.in_base, _i);
    drop_memory(memory);
    drop_memory(other);
}
END_TEST

START_TEST(a_collection_at_each_allocation_loses_nothing)
{
    if (pqt_collector() == NULL)
        return;
    pqt_memory *arena = make_memory(0);
    if (calls[_i] == call_copy)
        set_scene(arena, pqt_collector());
    else
        set_scene(pqt_collector(), arena);
    document_model model;
    hooks watch = {.collect_every = 1, .memory = pqt_collector()};
    hooks_start(&watch);
    const pqt_document *document = calls[_i](NULL, &model);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 0);
    collect_and_overwrite(pqt_collector());
    expect_document(document, &model, _i);
    expect_document(here.base, &here.in_base, _i);
    drop_memory(arena);
}
END_TEST

START_TEST(a_cycle_at_each_allocation_in_a_scope_loses_nothing)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL), *arena = make_memory(0);
    ck_assert(pqt_scope_begin(heap, NULL));
    if (calls[_i] == call_copy)
        set_scene(arena, heap);
    else
        set_scene(heap, arena);
    document_model model;
    hooks watch = {.collect_every = 1, .memory = heap};
    hooks_start(&watch);
    const pqt_document *document = calls[_i](NULL, &model);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 0);
    expect_document(document, &model, _i);
    expect_document(here.base, &here.in_base, _i);
    pqt_scope_end(heap);
    pqt_heap_destroy(&heap);
    drop_memory(arena);
}
END_TEST

enum { DOCUMENTS = 9, WORLDS = PQT_MAX_PARTS };

/* Makes a document of worlds with one ball each, which no other document has. */
static const pqt_document *
document_of_worlds(pqt_memory *memory, uint64_t first)
{
    char names[WORLDS][8];
    pqt_part parts[WORLDS];
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = memory;
    for (uint64_t i = 0; i < WORLDS; i++) {
        const pqt_body body = {.id = first + i, .position = {5, 5}, .radius = 1};
        const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {9, 9}}, &options, NULL);
        snprintf(names[i], sizeof names[i], "w%02d", (int)i);
        parts[i] = (pqt_part){names[i], PQT_KIND_WORLD, pqt_world_add(world, body, NULL), NULL};
    }
    const pqt_document *document = pqt_document_make(parts, WORLDS, NULL);
    ck_assert_ptr_nonnull(document);
    return document;
}

/* The table of copied worlds grows when 128 are in it. */
START_TEST(each_failed_allocation_of_a_copy_of_many_worlds_is_reported)
{
    pqt_memory *memory = make_memory(0), *other = make_memory(0);
    const pqt_document *documents[DOCUMENTS], *copies[DOCUMENTS];
    for (uint64_t i = 0; i < DOCUMENTS; i++)
        documents[i] = document_of_worlds(memory, i * WORLDS);
    bool copied = false;
    for (size_t n = 1; !copied; n++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        copied = pqt_document_copy_all(documents, DOCUMENTS, other, copies, &error);
        hooks_stop();
        ck_assert(copied == (watch.failures == 0));
        ck_assert_int_eq(error.status, copied ? PQT_OK : PQT_ERROR_MEMORY);
    }
    for (size_t i = 0; i < DOCUMENTS; i++)
        ck_assert(pqt_document_equals(documents[i], copies[i]));
    drop_memory(memory);
    drop_memory(other);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("document_failures");
    TCase *tests = tcase_create("document_failures");
    tcase_add_loop_test(tests, each_failed_allocation_is_reported_and_changes_nothing, 0, CALLS);
    tcase_add_loop_test(tests, a_collection_at_each_allocation_loses_nothing, 0, CALLS);
    tcase_add_loop_test(tests, a_cycle_at_each_allocation_in_a_scope_loses_nothing, 0, CALLS);
    if (PQT_WITH_WORLDS)
        tcase_add_test(tests, each_failed_allocation_of_a_copy_of_many_worlds_is_reported);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
