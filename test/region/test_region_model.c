/* SPDX-License-Identifier: MIT */
/*
 * test_region_model.c: runs the same random commands on versions and on plain bitmaps, and compares
 * the results.
 *
 * A command uses one of the last KEPT versions. At the end all kept versions are compared again
 * with their bitmaps.
 */
#include "config.h"

#include <stdlib.h>

#include <pqt/memory.h>
#include <pqt/region_affine.h>
#include <pqt/region_collect.h>
#include <pqt/region_convolve.h>
#include <pqt/region_morph.h>

#include "hooks.h"
#include "region_commands.h"
#include "region_reference.h"
#include "suite.h"

enum { COMMANDS = 1500 };

/* Checks a random version for the last time, and replaces it. */
static void
keep(stage *s, version next)
{
    version *old = draw_version(s);
    require_match(s, old);
    bitmap_free(&old->map);
    *old = next;
}

static stage
stage_make(uint64_t seed, pqt_memory *memory)
{
    stage s = {.d = {seed}, .memory = memory, .doing = "start"};
    for (int i = 0; i < KEPT; i++)
        s.versions[i] = region_start_again(&s);
    return s;
}

static void
stage_free(stage *s)
{
    s->doing = "end";
    for (int i = 0; i < KEPT; i++) {
        require_match(s, &s->versions[i]);
        bitmap_free(&s->versions[i].map);
    }
}

static void
run_commands(stage *s, size_t commands)
{
    for (s->step = 0; s->step < commands; s->step++) {
        const region_command *chosen = region_command_draw(&s->d);
        s->doing = chosen->name;
        version next = chosen->run(s);
        require_match(s, &next);
        region_check_queries(s, &next);
        keep(s, next);
    }
}

START_TEST(random_commands_agree_with_a_bitmap)
{
    pqt_error error = {0};
    pqt_memory *arena = _i == 0 ? NULL : pqt_arena_make(0, &error);
    pqt_memory *memory = _i == 0 ? pqt_collector() : arena;
    if (memory == NULL)
        return; /* the build has no collector */
    stage s = stage_make(test_seed("random_commands") + (uint64_t)_i, memory);
    run_commands(&s, test_scaled(COMMANDS));
    stage_free(&s);
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(a_collection_at_each_allocation_reclaims_nothing_in_use)
{
    if (pqt_collector() == NULL)
        return;
    pqt_error error = {0};
    ck_assert(pqt_init(&error));
    hooks watch = {.collect_every = 7, .memory = pqt_collector()};
    stage s = stage_make(test_seed("a_collection_at_each_allocation"), pqt_collector());
    run_commands(&s, 60); /* makes versions that a fault could corrupt */
    hooks_start(&watch);
    run_commands(&s, test_scaled(40));
    watch.collect_every = 1;
    run_commands(&s, 10 + test_scaled(5)); /* some commands allocate nothing */
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 0);
    stage_free(&s);
}
END_TEST

/* The arguments of the functions that make a version. */
typedef struct makings {
    const pqt_region *v, *w;
    pqt_paint paints[3];
    pqt_pixel_box box;
    pqt_memory *memory;
} makings;

typedef const pqt_region *make_fn(const makings *m, pqt_error *error);

static const pqt_region *
make_paint(const makings *m, pqt_error *error)
{
    return pqt_region_paint(m->v, m->paints[0], error);
}

static const pqt_region *
make_pixel(const makings *m, pqt_error *error)
{
    return pqt_region_paint(m->v, pqt_paint_pixel(PQT_PAINT_TOGGLE, (pqt_pixel){5, -5}), error);
}

static const pqt_region *
make_paint_all(const makings *m, pqt_error *error)
{
    return pqt_region_paint_all(m->v, m->paints, 3, error);
}

static const pqt_region *
make_union(const makings *m, pqt_error *error)
{
    return pqt_region_union(m->v, m->w, (pqt_pixel){0, 0}, error);
}

static const pqt_region *
make_xor(const makings *m, pqt_error *error)
{
    return pqt_region_xor(m->v, m->w, (pqt_pixel){1, -1}, error);
}

static const pqt_region *
make_complement(const makings *m, pqt_error *error)
{
    return pqt_region_complement(m->v, m->box, error);
}

static const pqt_region *
make_crop(const makings *m, pqt_error *error)
{
    return pqt_region_crop(m->v, m->box, error);
}

static const pqt_region *
make_moved(const makings *m, pqt_error *error)
{
    return pqt_region_move(m->v, (pqt_pixel){-3, 3}, error);
}

static const pqt_region *
make_boxes(const makings *m, pqt_error *error)
{
    return pqt_region_of_boxes(&m->box, 1, m->memory, error);
}

static const pqt_region *
make_bytes(const makings *m, pqt_error *error)
{
    static const uint8_t row[200] = {1, 0, 1, [199] = 1};
    const pqt_byte_image image = {row, 200, 1, 200, 1, 0};
    return pqt_region_of_bytes(&image, m->box.min, m->memory, error);
}

static const pqt_region *
make_turned(const makings *m, pqt_error *error)
{
    return pqt_region_transform(m->v, PQT_ROTATE_90, error);
}

static const pqt_region *
make_scaled(const makings *m, pqt_error *error)
{
    return pqt_region_scale(m->v, 2, 3, error);
}

static const pqt_region *
make_outline(const makings *m, pqt_error *error)
{
    return pqt_region_outline(m->v, PQT_CONNECTIVITY_8, error);
}

static bool
ignore(const pqt_region *region, void *context)
{
    (void)region;
    (void)context;
    return true;
}

/* Visits all components. Returns the version itself. */
static const pqt_region *
make_components(const makings *m, pqt_error *error)
{
    return pqt_region_visit_components(m->v, PQT_CONNECTIVITY_4, 0, ignore, NULL, error) ? m->v
                                                                                         : NULL;
}

static const pqt_region *
make_component(const makings *m, pqt_error *error)
{
    return pqt_region_component(m->v, m->box.min, PQT_CONNECTIVITY_4, error);
}

static const pqt_region *
make_largest(const makings *m, pqt_error *error)
{
    return pqt_region_largest_component(m->v, PQT_CONNECTIVITY_8, error);
}

static bool
ignore_contour(const pqt_contour *contour, void *context)
{
    (void)contour;
    (void)context;
    return true;
}

/* Visits all contours, simplified. Returns the version itself. */
static const pqt_region *
make_contours(const makings *m, pqt_error *error)
{
    return pqt_region_visit_contours(m->v, PQT_CONNECTIVITY_4, 1, ignore_contour, NULL, error)
               ? m->v
               : NULL;
}

static const pqt_region *
make_dilated_by_disc(const makings *m, pqt_error *error)
{
    return pqt_region_dilate_disc(m->v, 2.5, error);
}

static const pqt_region *
make_eroded_by_disc(const makings *m, pqt_error *error)
{
    return pqt_region_erode_disc(m->v, 1, error);
}

static const pqt_region *
make_skeleton(const makings *m, pqt_error *error)
{
    return pqt_region_skeleton(m->v, error);
}

static const pqt_region *
make_distances(const makings *m, pqt_error *error)
{
    uint32_t squares[4];
    const pqt_pixel_box box = {{0, 0}, {2, 2}};
    return pqt_region_distances(m->v, box, PQT_DISTANCE_TO_REGION, squares, 2, error) ? m->v : NULL;
}

static const pqt_region *
make_mapped(const makings *m, pqt_error *error)
{
    const pqt_affine turn = pqt_affine_rotation((pqt_vec){2, 1}, (pqt_vec){3, 4});
    return pqt_region_map(m->v, turn, PQT_SAMPLE_NEAREST, error);
}

static const pqt_region *
make_resized(const makings *m, pqt_error *error)
{
    const pqt_pixel_box to = {{-9, -9}, {80, 70}};
    return pqt_region_resize(m->v, m->box, to, PQT_SAMPLE_NEAREST, error);
}

/* Counts overlaps at enough offsets for a transform. Returns the version itself. */
static const pqt_region *
make_counts(const makings *m, pqt_error *error)
{
    static uint32_t counts[30 * 30];
    const pqt_pixel_box offsets = {{-10, -10}, {20, 20}};
    return pqt_region_convolve(m->v, m->w, offsets, counts, 30, error) ? m->v : NULL;
}

static const pqt_region *
make_components_array(const makings *m, pqt_error *error)
{
    const pqt_region *found[8];
    size_t count;
    return pqt_region_collect_components(m->v, PQT_CONNECTIVITY_8, 0, found, 8, &count, error)
               ? m->v
               : NULL;
}

static const pqt_region *
make_contour_arrays(const makings *m, pqt_error *error)
{
    pqt_contour_arrays arrays = {.corners = NULL};
    return pqt_region_collect_contours(m->v, PQT_CONNECTIVITY_4, 1, &arrays, error) ? m->v : NULL;
}

/* Fails each allocation of a call in turn, until the call succeeds. */
static void
fail_each(const stage *s, make_fn *make, const makings *m)
{
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_region *made = make(m, &error);
        hooks_stop();
        if (watch.failures == 0) {
            require(s, made != NULL, error.text);
            return;
        }
        require(s, made == NULL && error.status == PQT_ERROR_MEMORY, "a failure was not reported");
    }
}

static void
run_failing(stage *s)
{
    static make_fn *const makes[] = {make_paint,
                                     make_pixel,
                                     make_paint_all,
                                     make_union,
                                     make_xor,
                                     make_boxes,
                                     make_complement,
                                     make_crop,
                                     make_moved,
                                     make_bytes,
                                     make_turned,
                                     make_scaled,
                                     make_outline,
                                     make_component,
                                     make_components,
                                     make_largest,
                                     make_contours,
                                     make_dilated_by_disc,
                                     make_eroded_by_disc,
                                     make_skeleton,
                                     make_distances,
                                     make_mapped,
                                     make_resized,
                                     make_counts,
                                     make_components_array,
                                     make_contour_arrays};
    const version *v = draw_version(s), *w = draw_version(s);
    const makings m = {v->region,
                       w->region,
                       {draw_paint(&s->d), draw_paint(&s->d), draw_paint(&s->d)},
                       draw_box(&s->d),
                       s->memory};
    for (size_t i = 0; i < sizeof makes / sizeof *makes; i++)
        fail_each(s, makes[i], &m);
    require_match(s, v);
    require_match(s, w);
}

START_TEST(each_failed_allocation_is_reported_and_changes_nothing)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    stage s = stage_make(test_seed("each_failed_allocation"), arena);
    run_commands(&s, 60);
    s.doing = "failing";
    for (size_t i = 0; i < test_scaled(10); i++)
        run_failing(&s);
    stage_free(&s);
    pqt_arena_destroy(&arena);
}
END_TEST

START_TEST(copies_share_the_squares_that_the_versions_share)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error), *other = pqt_arena_make(0, &error);
    stage s = stage_make(test_seed("copies_share"), arena);
    const pqt_region *regions[KEPT], *copies[KEPT];
    hooks watch = {.fail_at = 0};
    run_commands(&s, test_scaled(200));
    for (int i = 0; i < KEPT; i++)
        regions[i] = s.versions[i].region;
    hooks_start(&watch);
    ck_assert_msg(pqt_region_copy_all(regions, KEPT, other, copies, &error), "%s", error.text);
    hooks_stop();
    for (int i = 0; i < KEPT; i++) {
        version copy = {copies[i], s.versions[i].map};
        require_match(&s, &copy);
        ck_assert_ptr_eq(pqt_region_memory(copies[i]), other);
        ck_assert(pqt_region_equals(copies[i], regions[i]));
        for (int k = 0; k < KEPT; k++)
            ck_assert_uint_ge(pqt_region_shared_bytes(copies[i], copies[k]),
                              pqt_region_shared_bytes(regions[i], regions[k]));
    }
    const size_t allocations = watch.calls;
    for (watch.fail_at = 1; watch.fail_at <= allocations; watch.fail_at++) {
        pqt_error failed = {0};
        const pqt_region *none[KEPT] = {NULL};
        hooks_start(&watch);
        ck_assert(!pqt_region_copy_all(regions, KEPT, other, none, &failed));
        hooks_stop();
        ck_assert_int_eq(failed.status, PQT_ERROR_MEMORY);
        ck_assert_ptr_null(none[0]);
    }
    stage_free(&s);
    pqt_arena_destroy(&arena);
    pqt_arena_destroy(&other);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("region_model");
    TCase *tcase = tcase_create("model");
    tcase_add_loop_test(tcase, random_commands_agree_with_a_bitmap, 0, 2);
    tcase_add_test(tcase, a_collection_at_each_allocation_reclaims_nothing_in_use);
    tcase_add_test(tcase, each_failed_allocation_is_reported_and_changes_nothing);
    tcase_add_test(tcase, copies_share_the_squares_that_the_versions_share);
    suite_add_tcase(suite, tcase);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
