/* SPDX-License-Identifier: MIT */
/*
 * test_document_model.c: makes random edits and merges of documents, and compares them with a plain
 * model, in each memory.
 *
 * All versions are kept by pins and compared again at the end. In a heap, a cycle runs after each
 * command. In the collector, a collection runs after every fiftieth command.
 */
#include "config.h"

#include <pqt/heap.h>
#include <pqt/region.h>
#include <pqt/world.h>

#include "document_model.h"
#include "memory_support.h"
#include "suite.h"

#include "random.h"

enum { VERSIONS = 160, MEMORIES = 3 };

typedef struct versions {
    document_stage stage;
    dice d;
    size_t count;
    pqt_pin *pins[VERSIONS];
    document_model models[VERSIONS];
    pqt_pin *wholes[MODEL_MASKS + MODEL_BALLS];
} versions;

static versions all;

static const pqt_document *
version_at(size_t index)
{
    return pqt_pin_get_document(all.pins[index]);
}

static pqt_memory *
make_one_memory(int which)
{
    return which == 0   ? pqt_arena_make(0, NULL)
           : which == 1 ? pqt_heap_make(NULL, NULL)
                        : pqt_collector();
}

static void
add_version(const pqt_document *document, const document_model *model, const pqt_error *error)
{
    ck_assert_msg(document != NULL, "%s", error->text);
    all.pins[all.count] = pqt_document_pin(document, NULL);
    const char *wrong = document_differs(&all.stage, document, model);
    ck_assert_msg(wrong == NULL, "version %zu: %s", all.count, wrong);
    all.models[all.count++] = *model;
}

static void
edit_some(size_t from)
{
    document_model model = all.models[from];
    pqt_error error = {0};
    const pqt_document *document = version_at(from);
    for (size_t i = 1 + dice_below(&all.d, 5); i > 0; i--)
        document = edit_document(&all.stage, document, &model, dice_next(&all.d), &error);
    ck_assert(document != version_at(from) || equal_document_models(&model, &all.models[from]));
    add_version(document, &model, &error);
}

static void
merge_three(size_t base)
{
    const size_t ours = dice_below(&all.d, all.count), theirs = dice_below(&all.d, all.count);
    const uint64_t seed = dice_next(&all.d);
    document_rule rule = {&all.stage, seed, 0}, expected = {&all.stage, seed, 0};
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    pqt_error error = {0};
    options.resolve = resolve_document;
    options.context = &rule;
    const document_model model =
        document_model_merge(&expected, &all.models[base], &all.models[ours], &all.models[theirs]);
    const pqt_document *merged = pqt_document_merge(version_at(base), version_at(ours),
                                                    version_at(theirs), &options, &error);
    ck_assert_msg(merged != NULL, "%s", error.text);
    ck_assert_uint_eq(rule.conflicts, expected.conflicts);
    if (equal_document_models(&model, &all.models[ours]))
        ck_assert_ptr_eq(merged, version_at(ours));
    else if (equal_document_models(&model, &all.models[theirs]))
        ck_assert_ptr_eq(merged, version_at(theirs));
    else if (equal_document_models(&model, &all.models[base]))
        ck_assert_ptr_eq(merged, version_at(base));
    add_version(merged, &model, &error);
    if (expected.conflicts > 0) {
        ck_assert_ptr_null(pqt_document_merge(version_at(base), version_at(ours),
                                              version_at(theirs), NULL, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_CONFLICT);
    }
}

static bool
count_change(const pqt_document_change *change, void *context)
{
    ck_assert_ptr_ne(change->before, change->after);
    ++*(size_t *)context;
    return true;
}

static void
compare_two(size_t a)
{
    const size_t b = dice_below(&all.d, all.count);
    const pqt_document *x = version_at(a), *y = version_at(b);
    const bool same = equal_document_models(&all.models[a], &all.models[b]);
    const pqt_fingerprint of_x = pqt_document_fingerprint(x), of_y = pqt_document_fingerprint(y);
    size_t changes = 0;
    ck_assert_int_eq(pqt_document_equals(x, y), same);
    ck_assert_int_eq(of_x.low == of_y.low && of_x.high == of_y.high, same);
    ck_assert(pqt_document_visit_diff(x, y, count_change, &changes, NULL));
    ck_assert_uint_eq(changes, count_document_changes(&all.models[a], &all.models[b]));
}

static void
begin_versions(int which, uint64_t seed)
{
    pqt_error error = {0};
    const document_model none = document_model_make();
    pqt_memory *memory = make_one_memory(which);
    all = (versions){.d = {seed}};
    ck_assert(pqt_scope_begin(memory, NULL));
    document_stage_make(&all.stage, memory);
    for (int i = 0; i < MODEL_MASKS; i++)
        all.wholes[i] = pqt_version_pin(all.stage.masks[i], NULL);
    for (int i = 0; i < MODEL_BALLS; i++)
        all.wholes[MODEL_MASKS + i] = pqt_version_pin(all.stage.balls[i], NULL);
    add_version(document_of_model(&all.stage, &none, &error), &none, &error);
    pqt_scope_end(memory);
}

static void
end_versions(int which)
{
    for (size_t i = 0; i < all.count; i++) {
        const char *wrong = document_differs(&all.stage, version_at(i), &all.models[i]);
        ck_assert_msg(wrong == NULL, "version %zu, at the end: %s", i, wrong);
        pqt_unpin(&all.pins[i]);
    }
    for (size_t i = 0; i < MODEL_MASKS + MODEL_BALLS; i++)
        pqt_unpin(&all.wholes[i]);
    if (which == 0)
        pqt_arena_destroy(&all.stage.memory);
    if (which == 1)
        pqt_heap_destroy(&all.stage.memory);
}

START_TEST(random_edits_and_merges_equal_those_of_a_plain_model)
{
    const uint64_t seed = test_seed("random_edits_and_merges_of_documents");
    if (_i == 2 && pqt_collector() == NULL)
        return;
    for (size_t round = 0; round < test_scaled(6); round++) {
        begin_versions(_i, seed + round);
        while (all.count < VERSIONS) {
            const size_t from =
                dice_chance(&all.d, 60) ? all.count - 1 : dice_below(&all.d, all.count);
            if (dice_chance(&all.d, 70))
                edit_some(from);
            else
                merge_three(from);
            compare_two(from);
            if (_i == 1)
                while (!pqt_memory_reclaim(all.stage.memory, 10000))
                    continue;
            if (_i == 2 && all.count % 50 == 0)
                pqti_collect(all.stage.memory);
        }
        end_versions(_i);
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("document_model");
    TCase *tests = tcase_create("document_model");
    tcase_add_loop_test(tests, random_edits_and_merges_equal_those_of_a_plain_model, 0, MEMORIES);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
