/* SPDX-License-Identifier: MIT */
/*
 * test_image_model.c: runs the same random commands on images and on plain arrays of colours, in
 * every memory, and compares the results.
 *
 * A command uses one of the last KEPT versions. At the end all kept versions are compared again
 * with their arrays.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include <pqt/heap.h>
#include <pqt/image_bytes.h>

#include "bytes_support.h"
#include "hooks.h"
#include "image_commands.h"
#include "suite.h"

enum { COMMANDS = 500 };

/* ---- Queries ---- */

/* Compares a box of pixels as bytes, with a stride that is longer than a row. */
static void
compare_bytes(image_stage *s, const image_version *v)
{
    pqt_error error = {0};
    const pqt_pixel_box box = image_draw_box(&s->d, &v->model);
    const size_t width = (size_t)(box.max.x - box.min.x), height = (size_t)(box.max.y - box.min.y);
    const size_t stride = 4 * width + 3;
    uint8_t *bytes = malloc(height * stride + 1);
    if (bytes == NULL)
        abort();
    memset(bytes, 77, height * stride + 1);
    image_require(s, pqt_image_to_rgba(v->image, box, bytes, stride, &error), error.text);
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            const uint8_t *at = bytes + y * stride + 4 * x;
            const pqt_rgba must =
                image_model_at(&v->model, box.min.x + (int32_t)x, box.min.y + (int32_t)y);
            image_require(s, same_rgba((pqt_rgba){at[0], at[1], at[2], at[3]}, must),
                          "a byte is wrong");
        }
        for (size_t i = 4 * width; i < stride && width > 0; i++)
            image_require(s, bytes[y * stride + i] == 77, "bytes beyond the row were written");
    }
    free(bytes);
}

/* How often each pixel is in a box of a difference. */
typedef struct coverage {
    const image_stage *s;
    const image_model *before, *after;
    uint8_t *times;
} coverage;

static bool
differs_at(const coverage *c, int32_t x, int32_t y)
{
    return !same_rgba(image_model_at(c->before, x, y), image_model_at(c->after, x, y));
}

/* Returns true if a pixel in a row or column of a box differs. */
static bool
line_differs(const coverage *c, pqt_pixel_box line)
{
    for (int32_t y = line.min.y; y < line.max.y; y++)
        for (int32_t x = line.min.x; x < line.max.x; x++)
            if (differs_at(c, x, y))
                return true;
    return false;
}

/* Each edge of a box has a pixel that differs, so the box is tight. */
static bool
cover_box(const pqt_pixel_box *box, void *context)
{
    const coverage *c = context;
    const pqt_pixel a = box->min, b = box->max;
    image_require(c->s, line_differs(c, (pqt_pixel_box){a, {b.x, a.y + 1}}),
                  "a box is not tight above");
    image_require(c->s, line_differs(c, (pqt_pixel_box){{a.x, b.y - 1}, b}),
                  "a box is not tight below");
    image_require(c->s, line_differs(c, (pqt_pixel_box){a, {a.x + 1, b.y}}),
                  "a box is not tight left");
    image_require(c->s, line_differs(c, (pqt_pixel_box){{b.x - 1, a.y}, b}),
                  "a box is not tight right");
    for (int32_t y = a.y; y < b.y; y++)
        for (int32_t x = a.x; x < b.x; x++)
            c->times[y * c->before->width + x]++;
    return true;
}

/* Checks the boxes of the difference from one image_version to another of the same size. */
static void
compare_boxes(const image_stage *s, const image_version *v, const image_version *w)
{
    pqt_error error = {0};
    const int32_t width = v->model.width, height = v->model.height;
    coverage c = {s, &v->model, &w->model, calloc((size_t)width * (size_t)height, 1)};
    if (c.times == NULL)
        abort();
    image_require(s, pqt_image_visit_diff(v->image, w->image, cover_box, &c, &error), error.text);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++)
            image_require(
                s, c.times[y * width + x] <= 1 && c.times[y * width + x] >= differs_at(&c, x, y),
                "a pixel that differs is in no box, or boxes overlap");
    free(c.times);
}

/* Compares equality, fingerprints and the number of pixels that differ with those of the models. */
static void
compare_two(image_stage *s, const image_version *v)
{
    pqt_error error = {0};
    const image_version *w = image_draw_version(s);
    const bool same = image_model_equals(&v->model, &w->model);
    uint64_t count = 0, differ = 0;
    image_require(s, pqt_image_equals(v->image, w->image) == same, "equality is wrong");
    image_require(s,
                  pqt_fingerprint_equals(pqt_image_fingerprint(v->image),
                                         pqt_image_fingerprint(w->image)) == same,
                  "the fingerprints are wrong");
    if (v->model.width != w->model.width || v->model.height != w->model.height) {
        image_require(s, !pqt_version_count_diff(v->image, w->image, &count, &error),
                      "no difference");
        image_require(s, error.status == PQT_ERROR_MISMATCH, error.text);
        return;
    }
    for (int i = 0; i < v->model.width * v->model.height; i++)
        differ += !same_rgba(v->model.pixels[i], w->model.pixels[i]);
    image_require(s, pqt_version_count_diff(v->image, w->image, &count, &error), error.text);
    image_require(s, count == differ, "the number of different pixels is wrong");
    compare_boxes(s, v, w);
}

/* ---- Tests ---- */

enum { ARENA, COLLECTOR, HEAP, MEMORIES };

/* Returns NULL if the build has no such memory. */
static pqt_memory *
open_memory(int which)
{
    pqt_error error = {0};
    if (which == COLLECTOR && pqt_collector() == NULL)
        return NULL;
    pqt_memory *memory = which == ARENA       ? pqt_arena_make(0, &error)
                         : which == COLLECTOR ? pqti_memory_or_default(NULL, &error)
                                              : pqt_heap_make(NULL, &error);
    ck_assert_msg(memory != NULL, "%s", error.text);
    return memory;
}

static void
close_memory(pqt_memory *memory, int which)
{
    if (which == ARENA)
        pqt_arena_destroy(&memory);
    if (which == HEAP)
        pqt_heap_destroy(&memory);
}

static void
pin(const image_stage *s, image_version *v)
{
    pqt_error error = {0};
    v->pin = pqt_image_pin(v->image, &error);
    image_require(s, v->pin != NULL, error.text);
}

static void
drop(image_version *v)
{
    pqt_unpin(&v->pin);
    image_model_free(&v->model);
}

static image_stage
stage_make(uint64_t seed, pqt_memory *memory)
{
    pqt_error error = {0};
    image_stage s = {.d = {seed}, .memory = memory, .doing = "start"};
    image_require(&s, pqt_scope_begin(memory, &error), error.text);
    for (int i = 0; i < KEPT; i++) {
        s.versions[i] = image_start_again(&s);
        pin(&s, &s.versions[i]);
    }
    pqt_scope_end(memory);
    return s;
}

static void
stage_free(image_stage *s)
{
    s->doing = "end";
    for (int i = 0; i < KEPT; i++) {
        image_require_match(s, &s->versions[i]);
        drop(&s->versions[i]);
    }
}

static void
run_commands(image_stage *s, size_t count)
{
    for (s->step = 0; s->step < count; s->step++) {
        const image_command *chosen = image_draw_command(&s->d);
        pqt_error error = {0};
        s->doing = chosen->name;
        image_require(s, pqt_scope_begin(s->memory, &error), error.text);
        image_version next = chosen->run(s);
        image_require_match(s, &next);
        compare_bytes(s, &next);
        compare_two(s, &next);
        image_version *old = image_draw_version(s);
        image_require_match(s, old);
        drop(old);
        pin(s, &next);
        pqt_scope_end(s->memory);
        *old = next;
        if (s->step % 16 == 0)
            pqti_collect(s->memory);
    }
}

START_TEST(random_commands_agree_with_an_array)
{
    pqt_memory *memory = open_memory(_i);
    if (memory == NULL)
        return;
    image_stage s = stage_make(test_seed("random_commands") + (uint64_t)_i, memory);
    run_commands(&s, test_scaled(COMMANDS));
    stage_free(&s);
    close_memory(memory, _i);
}
END_TEST

START_TEST(a_collection_at_each_allocation_reclaims_nothing_in_use)
{
    if (pqt_collector() == NULL)
        return;
    pqt_error error = {0};
    ck_assert(pqt_init(&error));
    hooks watch = {.collect_every = 5, .memory = pqt_collector()};
    image_stage s = stage_make(test_seed("a_collection_at_each_allocation"), pqt_collector());
    run_commands(&s, 40); /* makes versions that a fault could corrupt */
    hooks_start(&watch);
    run_commands(&s, test_scaled(40));
    watch.collect_every = 1;
    run_commands(&s, 10 + test_scaled(5));
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 0);
    stage_free(&s);
}
END_TEST

/* The arguments of the functions that make a image_version. */
typedef struct makings {
    const pqt_image *v, *w;
    const pqt_region *region;
    pqt_paint paint;
    pqt_rgba colour;
    pqt_memory *memory, *other;
} makings;

typedef const pqt_image *make_fn(const makings *m, pqt_error *error);

static const pqt_image *
make_blank(const makings *m, pqt_error *error)
{
    return pqt_image_make(40, 30, m->colour, m->memory, error);
}

static const pqt_image *
make_of_rgba(const makings *m, pqt_error *error)
{
    static uint8_t noise[40 * 30 * 4];
    dice d = {7};
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)dice_next(&d);
    return pqt_image_of_rgba(noise, 40, 30, 160, m->memory, error);
}

static const pqt_image *
make_set_pixel(const makings *m, pqt_error *error)
{
    return pqt_image_set_pixel(m->v, (pqt_pixel){0, 0}, m->colour, error);
}

static const pqt_image *
make_paint(const makings *m, pqt_error *error)
{
    return pqt_image_paint(m->v, m->paint, m->colour, PQT_INK_OVER, error);
}

static const pqt_image *
make_fill(const makings *m, pqt_error *error)
{
    return pqt_image_fill(m->v, m->region, (pqt_pixel){1, 2}, m->colour, PQT_INK_REPLACE, error);
}

static const pqt_image *
make_blit(const makings *m, pqt_error *error)
{
    return pqt_image_blit(m->v, m->w, pqt_image_bounds(m->w), (pqt_pixel){3, -2}, PQT_INK_OVER,
                          error);
}

static const pqt_image *
make_copy(const makings *m, pqt_error *error)
{
    return pqt_image_copy(m->v, m->other, error);
}

static const pqt_image *
make_read(const makings *m, pqt_error *error)
{
    byte_buffer buffer = {.next = 0};
    const pqt_image *read = NULL;
    if (pqt_image_write(m->v, sink, &buffer, error))
        read = pqt_image_read(source, &buffer, m->memory, error);
    free(buffer.bytes);
    return read;
}

static const pqt_image *
make_flood(const makings *m, pqt_error *error)
{
    return pqt_image_flood(m->v, (pqt_pixel){0, 0}, 9, m->colour, PQT_INK_REPLACE, error);
}

/* Selects pixels, and draws them. */
static const pqt_image *
make_selection(const makings *m, pqt_error *error)
{
    const pqt_image_selection opaque = {.property = PQT_SELECT_ALPHA, .threshold = 100};
    const pqt_region *region = pqt_image_select(m->v, opaque, error);
    return pqt_image_fill(m->v, region, (pqt_pixel){1, 0}, m->colour, PQT_INK_REPLACE, error);
}

static const pqt_image *
make_turned(const makings *m, pqt_error *error)
{
    const pqt_affine turn = pqt_affine_rotation((pqt_vec){2, 1}, (pqt_vec){20, 20});
    return pqt_image_map(m->v, turn, 40, 70, PQT_SAMPLE_AREA, error);
}

static const pqt_image *
make_resized(const makings *m, pqt_error *error)
{
    return pqt_image_resize(m->v, pqt_image_bounds(m->v), 33, 60, PQT_SAMPLE_AREA, error);
}

/* Fails each allocation of a call in turn, until the call succeeds. */
static void
fail_each(const image_stage *s, make_fn *make, const makings *m)
{
    for (hooks watch = {.fail_at = 1};; watch.fail_at++) {
        pqt_error error = {0};
        hooks_start(&watch);
        const pqt_image *made = make(m, &error);
        hooks_stop();
        if (watch.failures == 0) {
            image_require(s, made != NULL, error.text);
            return;
        }
        image_require(s, made == NULL && error.status == PQT_ERROR_MEMORY,
                      "a failure was not reported");
    }
}

START_TEST(each_failed_allocation_is_reported_and_changes_nothing)
{
    static make_fn *const makes[] = {make_blank, make_of_rgba,   make_set_pixel, make_paint,
                                     make_fill,  make_blit,      make_copy,      make_read,
                                     make_flood, make_selection, make_turned,    make_resized};
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error), *other = pqt_arena_make(0, &error);
    image_stage s = stage_make(test_seed("each_failed_allocation"), arena);
    run_commands(&s, 30);
    for (size_t round = 0; round < test_scaled(10); round++) {
        const image_version *v = image_draw_version(&s), *w = image_draw_version(&s);
        const pqt_paint paint = image_draw_paint(&s.d, &v->model);
        const pqt_region *region = pqt_region_make(arena, &error);
        const makings m = {v->image,
                           w->image,
                           pqt_region_paint(region, paint, &error),
                           paint,
                           image_draw_colour(&s.d),
                           arena,
                           other};
        s.doing = "failing";
        for (size_t i = 0; i < sizeof makes / sizeof *makes; i++)
            fail_each(&s, makes[i], &m);
        image_require_match(&s, v);
        image_require_match(&s, w);
    }
    stage_free(&s);
    pqt_arena_destroy(&arena);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(copies_share_the_tiles_that_the_versions_share)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error), *other = pqt_arena_make(0, &error);
    image_stage s = stage_make(test_seed("copies_share"), arena);
    const pqt_image *images[KEPT], *copies[KEPT];
    run_commands(&s, test_scaled(100));
    for (int i = 0; i < KEPT; i++)
        images[i] = s.versions[i].image;
    ck_assert_msg(pqt_image_copy_all(images, KEPT, other, copies, &error), "%s", error.text);
    for (int i = 0; i < KEPT; i++) {
        const image_version copy = {copies[i], s.versions[i].model, NULL};
        image_require_match(&s, &copy);
        ck_assert_ptr_eq(pqt_image_memory(copies[i]), other);
        for (int k = 0; k < KEPT; k++) {
            size_t of_images = 0, of_copies = 0;
            ck_assert(pqt_version_shared_bytes(images[i], images[k], &of_images, &error));
            ck_assert(pqt_version_shared_bytes(copies[i], copies[k], &of_copies, &error));
            ck_assert_uint_eq(of_images, of_copies);
        }
    }
    stage_free(&s);
    pqt_arena_destroy(&arena);
    pqt_arena_destroy(&other);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("image_model");
    TCase *tests = tcase_create("image_model");
    tcase_add_loop_test(tests, random_commands_agree_with_an_array, 0, MEMORIES);
    tcase_add_test(tests, a_collection_at_each_allocation_reclaims_nothing_in_use);
    tcase_add_test(tests, each_failed_allocation_is_reported_and_changes_nothing);
    tcase_add_test(tests, copies_share_the_tiles_that_the_versions_share);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
