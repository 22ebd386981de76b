/* SPDX-License-Identifier: MIT */
/* test_arithmetic.c: tests threads that use another rounding mode, or that flush denormals to
   zero. */
#include "config.h"

#include <fenv.h>
#include <string.h>

#if defined __SSE2__
#include <xmmintrin.h>
#endif

#include <pqt/diff.h>
#include <pqt/merge.h>
#include <pqt/region.h>
#include <pqt/step.h>
#include <pqt/world.h>

#include "random.h"
#include "suite.h"
#include "tree_support.h"

/* ---- The modes ---- */

typedef struct mode {
    int rounding;
    unsigned flushing; /* bits of the control word of SSE2 */
    const char *text;
    unsigned trapped; /* bits of the control word that are cleared */
} mode;

enum {
    FLUSH_TO_ZERO = 0x8000,
    DENORMALS_ARE_ZERO = 0x0040,
    ALL_BUT_INEXACT = 0x0f80,
    ALL_TRAPS = 0x1f80
};

static const mode modes[] = {
    {FE_UPWARD, 0, "rounds upward", 0},
    {FE_DOWNWARD, 0, "rounds downward", 0},
    {FE_TOWARDZERO, 0, "rounds toward zero", 0},
#if defined __SSE2__
    {FE_TONEAREST, FLUSH_TO_ZERO, "flushes denormals to zero", 0},
    {FE_TONEAREST, DENORMALS_ARE_ZERO, "flushes denormals to zero", 0},
    {FE_TONEAREST, 0, "traps exceptions", ALL_BUT_INEXACT},
#endif
};

enum { MODES = sizeof modes / sizeof *modes };

static void
enter(const mode *m)
{
    ck_assert_int_eq(fesetround(m->rounding), 0);
#if defined __SSE2__
    _mm_setcsr(((_mm_getcsr() & ~0x3fu) | m->flushing) & ~m->trapped);
#endif
}

static void
leave(void)
{
    fesetround(FE_TONEAREST);
#if defined __SSE2__
    _mm_setcsr((_mm_getcsr() & ~(unsigned)(FLUSH_TO_ZERO | DENORMALS_ARE_ZERO)) | ALL_TRAPS);
#endif
}

/* ---- The calls ---- */

typedef struct values {
    const pqt_tree *tree, *other;
    const pqt_region *region;
    const pqt_world *world;
} values;

static const pqt_item held = {{{1, 1}, {2, 2}}, 1};

static const void *
make_tree(const values *v, pqt_error *error)
{
    (void)v;
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    return pqt_tree_make(world_box, &options, error);
}

static const void *
make_tree_of_items(const values *v, pqt_error *error)
{
    (void)v;
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    return pqt_tree_of(&held, 1, &options, error);
}

static const void *
insert_an_item(const values *v, pqt_error *error)
{
    return pqt_tree_insert(v->tree, dot(3, 3, 9), error);
}

static const void *
insert_the_same_item(const values *v, pqt_error *error)
{
    return pqt_tree_insert(v->tree, held, error);
}

static const void *
remove_an_item(const values *v, pqt_error *error)
{
    return pqt_tree_remove(v->tree, held, error);
}

static const void *
move_an_item(const values *v, pqt_error *error)
{
    return pqt_tree_move(v->tree, held, box(5, 5, 6, 6), error);
}

static const void *
apply_a_batch(const values *v, pqt_error *error)
{
    pqt_change change = {.kind = PQT_REMOVE, .item = held};
    return pqt_tree_apply(v->tree, &change, 1, error);
}

static const void *
clear_a_tree(const values *v, pqt_error *error)
{
    return pqt_tree_clear(v->tree, error);
}

static const void *
search_a_window(const values *v, pqt_error *error)
{
    pqt_query query = {.window = box(0, 0, 3, 3), .relation = PQT_TOUCHES};
    return pqt_tree_search(v->tree, &query, error);
}

static const void *
unite_trees(const values *v, pqt_error *error)
{
    return pqt_tree_union(v->tree, v->other, NULL, error);
}

static const void *
merge_trees(const values *v, pqt_error *error)
{
    return pqt_tree_merge(v->tree, v->other, v->tree, NULL, error);
}

static const void *
make_a_region(const values *v, pqt_error *error)
{
    (void)v;
    return pqt_region_make(arena, error);
}

static const void *
paint_a_disc(const values *v, pqt_error *error)
{
    return pqt_region_paint(v->region, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){9, 9}, 3), error);
}

static const void *
make_a_world(const values *v, pqt_error *error)
{
    (void)v;
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = arena;
    return pqt_world_make(world_box, &options, error);
}

static const void *
add_a_body(const values *v, pqt_error *error)
{
    return pqt_world_add(v->world, (pqt_body){.id = 2, .position = {9, 9}, .radius = 1}, error);
}

static const void *
step_a_world(const values *v, pqt_error *error)
{
    return pqt_world_step(v->world, 0.125, NULL, error);
}

typedef const void *call_fn(const values *v, pqt_error *error);

static call_fn *const calls[] = {
    make_tree,       make_tree_of_items, insert_an_item, insert_the_same_item,
    remove_an_item,  move_an_item,       apply_a_batch,  clear_a_tree,
    search_a_window, unite_trees,        merge_trees,    make_a_region,
    paint_a_disc,    make_a_world,       add_a_body,     step_a_world,
};

enum { CALLS = sizeof calls / sizeof *calls };

static values
values_in_the_default_mode(void)
{
    values v = {.tree = pqt_tree_insert(make_tree(NULL, NULL), held, NULL)};
    v.other = pqt_tree_insert(v.tree, dot(7, 7, 7), NULL);
    v.region = pqt_region_paint(make_a_region(NULL, NULL),
                                pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){5, 5}, 2), NULL);
    v.world = pqt_world_add(make_a_world(NULL, NULL),
                            (pqt_body){.id = 1, .position = {4, 4}, .radius = 1}, NULL);
    ck_assert_ptr_nonnull(v.other);
    ck_assert_ptr_nonnull(v.region);
    ck_assert_ptr_nonnull(v.world);
    return v;
}

START_TEST(each_call_that_makes_a_version_reports_the_rounding_mode)
{
    const mode *m = &modes[_i];
    values v = values_in_the_default_mode();
    for (size_t i = 0; i < CALLS; i++) {
        pqt_error error = {0};
        enter(m);
        const void *made = calls[i](&v, &error);
        leave();
        ck_assert_msg(made == NULL, "call %zu made a version", i);
        ck_assert_int_eq(error.status, PQT_ERROR_ARITHMETIC);
        ck_assert_msg(strstr(error.text, m->text) != NULL, "call %zu: %s", i, error.text);
    }
}
END_TEST

/* Denormals are flushed, so the check would find that a sound tree is damaged. */
START_TEST(a_check_reports_the_mode_and_no_box)
{
    const mode *m = &modes[_i];
    values v = values_in_the_default_mode();
    pqt_error error = {0};
    enter(m);
    const bool is_sound = pqt_tree_check(v.tree, &error);
    leave();
    ck_assert(!is_sound);
    ck_assert_int_eq(error.status, PQT_ERROR_ARITHMETIC);
    ck_assert_msg(strstr(error.text, m->text) != NULL, "%s", error.text);
    ck_assert(pqt_tree_check(v.tree, NULL));
}
END_TEST

START_TEST(an_earlier_failure_is_kept)
{
    values v = values_in_the_default_mode();
    pqt_error error = {.status = PQT_ERROR_BOX, .text = "earlier"};
    enter(&modes[_i]);
    const pqt_tree *made = pqt_tree_insert(v.tree, dot(3, 3, 9), &error);
    leave();
    ck_assert_ptr_null(made);
    ck_assert_int_eq(error.status, PQT_ERROR_BOX);
    ck_assert_str_eq(error.text, "earlier");
}
END_TEST

START_TEST(all_calls_work_again_in_the_default_rounding_mode)
{
    values v = values_in_the_default_mode();
    enter(&modes[_i]);
    (void)calls[0](&v, NULL);
    leave();
    for (size_t i = 0; i < CALLS; i++) {
        pqt_error error = {0};
        ck_assert_msg(calls[i](&v, &error) != NULL, "call %zu: %s", i, error.text);
    }
}
END_TEST

/* Without the error, no search would find items on a decimal grid, and trees would fail their
   check. So a call either fails, or makes a version that passes its check and contains its
   items. */
START_TEST(no_rounding_mode_leads_to_a_version_that_loses_items)
{
    dice d = {test_seed("no_rounding_mode_leads_to_a_version_that_loses_items")};
    for (int round = 0; round < 200; round++) {
        pqt_item items[40];
        for (int i = 0; i < 40; i++) {
            double x = (double)dice_below(&d, 1000) * 0.1;
            double y = (double)dice_below(&d, 1000) * 0.1;
            items[i] = boxed(box(x, y, x + 0.1, y + 0.1), (uint64_t)i);
        }
        pqt_tree_options options = {.size = sizeof options, .leaf_capacity = 2, .max_depth = 24};
        options.memory = arena;
        enter(&modes[_i]);
        const pqt_tree *tree =
            pqt_tree_make(box(0.1 * (round % 7), 0.1, 99.7, 99.9), &options, NULL);
        tree = tree != NULL ? pqt_tree_insert_all(tree, items, 40, NULL) : NULL;
        leave();
        if (tree == NULL)
            continue;
        ck_assert(pqt_tree_check(tree, NULL));
        for (int i = 0; i < 40; i++)
            ck_assert(pqt_tree_contains(tree, items[i]));
    }
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("arithmetic");
    TCase *tests = add_tests(suite, "modes");
    tcase_add_loop_test(tests, each_call_that_makes_a_version_reports_the_rounding_mode, 0, MODES);
    tcase_add_loop_test(tests, a_check_reports_the_mode_and_no_box, 0, MODES);
    tcase_add_loop_test(tests, an_earlier_failure_is_kept, 0, MODES);
    tcase_add_loop_test(tests, all_calls_work_again_in_the_default_rounding_mode, 0, MODES);
    tcase_add_loop_test(tests, no_rounding_mode_leads_to_a_version_that_loses_items, 0, MODES);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
