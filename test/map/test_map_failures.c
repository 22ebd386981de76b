/* SPDX-License-Identifier: MIT */
/*
 * test_map_failures.c: tests maps in a memory in which each allocation fails in turn, and in one
 * that collects at each allocation.
 */
#include "config.h"

#include "hooks.h"
#include "map_support.h"
#include "memory_support.h"
#include "suite.h"

enum { HELD = 90, CHANGES = 120 };

/* Versions of one form in one memory, with their models and the arguments of the calls. */
typedef struct stage {
    int form;
    pqt_memory *memory, *other;
    const pqt_map *base, *ours, *theirs;
    map_model in_base, in_ours, in_theirs;
    pqt_map_change changes[CHANGES];
    map_model changed;
    map_rule rule;
} stage;

static void
change_in_model(map_model *model, const pqt_map_change *change, int k, int v)
{
    model->values[k] = change->kind == PQT_MAP_REMOVE ? NO_VALUE : v;
}

static const pqt_map *
edit_some(const stage *s, const pqt_map *map, map_model *model, int from)
{
    for (int i = 0; i < 20; i++) {
        const int k = (from + i * 7) % MAP_KEYS, v = (from + i) % MAP_VALUES;
        const bool removal = i % 4 == 0;
        map = removal ? pqt_map_remove(map, map_key(s->form, k), NULL)
                      : pqt_map_insert(map, map_key(s->form, k), map_value(s->form, v), NULL);
        model->values[k] = removal ? NO_VALUE : v;
    }
    return map;
}

static void
set_stage(stage *s, int form, pqt_memory *memory, pqt_memory *other)
{
    s->form = form;
    s->memory = memory;
    s->other = other;
    s->in_base = map_model_make();
    for (int k = 0; k < HELD; k++)
        s->in_base.values[k] = k % MAP_VALUES;
    s->base = map_of_model(form, memory, &s->in_base);
    s->in_ours = s->in_theirs = s->changed = s->in_base;
    s->ours = edit_some(s, s->base, &s->in_ours, 3);
    s->theirs = edit_some(s, s->base, &s->in_theirs, 10);
    for (int i = 0; i < CHANGES; i++) {
        const int k = i * 11 % MAP_KEYS, v = i * 3 % MAP_VALUES;
        s->changes[i] = (pqt_map_change){i % 3 == 0 ? PQT_MAP_REMOVE : PQT_MAP_INSERT,
                                         map_key(form, k), map_value(form, v)};
        change_in_model(&s->changed, &s->changes[i], k, v);
    }
    s->rule = (map_rule){form, 5, &s->in_base, &s->in_ours, &s->in_theirs, 0, true};
}

/* ---- The calls, and the models of their results ---- */

typedef const pqt_map *call_fn(stage *s, pqt_error *error, map_model *model);

static const pqt_map *
call_make(stage *s, pqt_error *error, map_model *model)
{
    const pqt_map_options options = map_options(s->form, s->memory);
    *model = map_model_make();
    return pqt_map_make(&options, error);
}

static const pqt_map *
call_insert(stage *s, pqt_error *error, map_model *model)
{
    *model = s->in_base;
    model->values[HELD + 1] = 9;
    return pqt_map_insert(s->base, map_key(s->form, HELD + 1), map_value(s->form, 9), error);
}

static const pqt_map *
call_remove(stage *s, pqt_error *error, map_model *model)
{
    *model = s->in_base;
    model->values[7] = NO_VALUE;
    return pqt_map_remove(s->base, map_key(s->form, 7), error);
}

static const pqt_map *
call_apply(stage *s, pqt_error *error, map_model *model)
{
    *model = s->changed;
    return pqt_map_apply(s->base, s->changes, CHANGES, error);
}

static const pqt_map *
call_merge(stage *s, pqt_error *error, map_model *model)
{
    size_t conflicts;
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    options.resolve = resolve_by_rule;
    options.context = &s->rule;
    *model = map_model_merge(&s->rule, &conflicts);
    ck_assert_uint_gt(conflicts, 2);
    return pqt_map_merge(s->base, s->ours, s->theirs, &options, error);
}

static const pqt_map *
call_copy(stage *s, pqt_error *error, map_model *model)
{
    *model = s->in_ours;
    return pqt_map_copy(s->ours, s->other, error);
}

static const pqt_map *
call_exclusive_bytes(stage *s, pqt_error *error, map_model *model)
{
    const pqt_map *others[] = {s->ours, s->theirs};
    size_t bytes;
    *model = s->in_base;
    return pqt_map_exclusive_bytes(s->base, others, 2, &bytes, error) ? s->base : NULL;
}

static const pqt_map *
call_pin(stage *s, pqt_error *error, map_model *model)
{
    *model = s->in_base;
    pqt_pin *pin = pqt_map_pin(s->base, error);
    const pqt_map *kept = pin != NULL ? pqt_pin_get_map(pin) : NULL;
    pqt_unpin(&pin);
    return kept;
}

static call_fn *const calls[] = {call_make,  call_insert, call_remove,          call_apply,
                                 call_merge, call_copy,   call_exclusive_bytes, call_pin};
enum { CALLS = sizeof calls / sizeof *calls };

static void
expect_map(const stage *s, const pqt_map *map, const map_model *model, int call)
{
    const char *wrong = map_differs(s->form, map, model);
    ck_assert_msg(wrong == NULL, "call %d of form %d: %s", call, s->form, wrong);
}

/* Fails each allocation of a call in turn, and returns their number. */
static size_t
fail_each(stage *s, int call)
{
    for (size_t n = 1;; n++) {
        pqt_error error = {0};
        map_model model;
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        const pqt_map *map = calls[call](s, &error, &model);
        hooks_stop();
        expect_map(s, s->base, &s->in_base, call);
        if (watch.failures == 0) {
            expect_map(s, map, &model, call);
            return n - 1;
        }
        ck_assert_ptr_null(map);
        ck_assert_int_eq(error.status, PQT_ERROR_MEMORY);
    }
}

START_TEST(each_failed_allocation_is_reported_and_changes_nothing)
{
    stage s;
    const int form = _i % MAP_FORMS, call = _i / MAP_FORMS;
    pqt_memory *memory = make_memory(0), *other = make_memory(0);
    set_stage(&s, form, memory, other);
    ck_assert_uint_ge(fail_each(&s, call), 1);
    drop_memory(memory);
    drop_memory(other);
}
END_TEST

START_TEST(a_collection_at_each_allocation_loses_nothing)
{
    if (pqt_collector() == NULL)
        return;
    stage s;
    const int form = _i % MAP_FORMS, call = _i / MAP_FORMS;
    pqt_memory *memory = make_memory(1), *arena = make_memory(0);
    set_stage(&s, form, memory, arena);
    if (calls[call] == call_copy) { /* it copies to the memory that collects */
        set_stage(&s, form, arena, memory);
    }
    map_model model;
    hooks watch = {.collect_every = 1, .memory = memory};
    hooks_start(&watch);
    const pqt_map *map = calls[call](&s, NULL, &model);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 0);
    /* The blocks of other maps overwrite any block that was lost. */
    for (int i = 0; i < 3; i++) {
        pqti_collect(memory);
        expect_map(&s, map_of_model(form, memory, &s.changed), &s.changed, call);
    }
    expect_map(&s, map, &model, call);
    expect_map(&s, s.base, &s.in_base, call);
    drop_memory(arena);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("map_failures");
    TCase *tests = tcase_create("map_failures");
    tcase_add_loop_test(tests, each_failed_allocation_is_reported_and_changes_nothing, 0,
                        MAP_FORMS * CALLS);
    tcase_add_loop_test(tests, a_collection_at_each_allocation_loses_nothing, 0, MAP_FORMS * CALLS);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
