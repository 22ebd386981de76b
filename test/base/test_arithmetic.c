/* SPDX-License-Identifier: MIT */
/* test_arithmetic.c: tests threads that use another rounding mode, or that flush denormals to
   zero. */
#include "config.h"

#include <fenv.h>
#include <string.h>

#if defined __SSE2__
#include <xmmintrin.h>
#endif

#include <pqt/bytes.h>
#include <pqt/crossing.h>
#include <pqt/diff.h>
#include <pqt/document.h>
#include <pqt/head.h>
#include <pqt/history.h>
#include <pqt/merge.h>
#include <pqt/moment.h>
#include <pqt/region.h>
#include <pqt/step.h>
#include <pqt/table.h>
#include <pqt/world.h>

#include "bytes_support.h"
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
    byte_buffer files[PQT_KIND_IMAGE]; /* by kind */
    byte_buffer text;                  /* a table, which `table` has read */
    pqt_table *table;
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

static const uint8_t pixels[] = {1, 0, 1, 1};

static const void *
make_a_region_of_bytes(const values *v, pqt_error *error)
{
    (void)v;
    const pqt_byte_image image = {pixels, 2, 2, 2, 1, 0};
    return pqt_region_of_bytes(&image, (pqt_pixel){0, 0}, arena, error);
}

static const void *
make_a_region_of_bits(const values *v, pqt_error *error)
{
    (void)v;
    const pqt_bit_image image = {pixels, 8, 4, 1, PQT_BITS_LOW_FIRST};
    return pqt_region_of_bits(&image, (pqt_pixel){0, 0}, arena, error);
}

static const void *
make_a_region_of_runs(const values *v, pqt_error *error)
{
    (void)v;
    const pqt_pixel_run run = {1, 2, 3};
    return pqt_region_of_runs(&run, 1, arena, error);
}

static const void *
make_a_region_of_boxes(const values *v, pqt_error *error)
{
    (void)v;
    const pqt_pixel_box covered = {{1, 2}, {3, 4}};
    return pqt_region_of_boxes(&covered, 1, arena, error);
}

static const void *
read_a_version(const values *v, pqt_kind kind, pqt_error *error)
{
    byte_buffer file = v->files[kind];
    return pqt_version_read(kind, source, &file, arena, error);
}

static const void *
read_a_tree(const values *v, pqt_error *error)
{
    return read_a_version(v, PQT_KIND_TREE, error);
}

static const void *
read_a_region(const values *v, pqt_error *error)
{
    return read_a_version(v, PQT_KIND_REGION, error);
}

static const void *
read_a_world(const values *v, pqt_error *error)
{
    return read_a_version(v, PQT_KIND_WORLD, error);
}

/* The results of these calls are no versions: instead, they return `v` on success. */

static const void *
find_a_body(const values *v, pqt_error *error)
{
    pqt_body body;
    const pqt_moment moment = {v->world, v->world, 0.5};
    return pqt_moment_find(&moment, 1, &body, error) ? v : NULL;
}

static const void *
shoot_at_bodies(const values *v, pqt_error *error)
{
    pqt_shot_hit hit;
    const pqt_moment moment = {v->world, v->world, 0.5};
    const pqt_shot shot = pqt_shot_of(pqt_mover_circle(0.5, (pqt_vec){0, 4}, (pqt_vec){9, 4}));
    return pqt_moment_sweep(&moment, &shot, &hit, error) ? v : NULL;
}

static bool
visit_a_crossing(const pqt_crossing *crossing, void *context)
{
    (void)context;
    return crossing->entered;
}

static const void *
find_crossings(const values *v, pqt_error *error)
{
    const pqt_zone zone = {.box = world_box};
    return pqt_world_visit_crossings(v->world, v->world, &zone, visit_a_crossing, NULL, error)
               ? v
               : NULL;
}

static const void *
read_a_table(const values *v, pqt_error *error)
{
    byte_buffer text = v->text;
    pqt_table *table = pqt_table_read(source, &text, NULL, error);
    pqt_table_free(table);
    return table != NULL ? v : NULL;
}

static const void *
write_a_table(const values *v, pqt_error *error)
{
    byte_buffer text = {0};
    const bool done = pqt_table_write(v->table, NULL, 0, sink, &text, error);
    free(text.bytes);
    return done ? v : NULL;
}

typedef const void *call_fn(const values *v, pqt_error *error);

static call_fn *const calls[] = {
    make_tree,
    make_tree_of_items,
    insert_an_item,
    insert_the_same_item,
    remove_an_item,
    move_an_item,
    apply_a_batch,
    clear_a_tree,
    search_a_window,
    unite_trees,
    merge_trees,
    make_a_region,
    paint_a_disc,
    make_a_world,
    add_a_body,
    step_a_world,
    make_a_region_of_bytes,
    make_a_region_of_bits,
    make_a_region_of_runs,
    make_a_region_of_boxes,
    read_a_tree,
    read_a_region,
    read_a_world,
    find_a_body,
    shoot_at_bodies,
    find_crossings,
    read_a_table,
    write_a_table,
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
    v.files[PQT_KIND_TREE] = bytes_of(v.tree);
    v.files[PQT_KIND_REGION] = bytes_of(v.region);
    v.files[PQT_KIND_WORLD] = bytes_of(v.world);
    ck_assert(sink("x,y\n1,2\n", 8, &v.text));
    byte_buffer text = v.text;
    v.table = pqt_table_read(source, &text, NULL, NULL);
    ck_assert_ptr_nonnull(v.table);
    return v;
}

static void
free_values(values *v)
{
    for (size_t i = 0; i < sizeof v->files / sizeof *v->files; i++)
        free(v->files[i].bytes);
    free(v->text.bytes);
    pqt_table_free(v->table);
}

START_TEST(each_call_that_computes_reports_the_rounding_mode)
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
    free_values(&v);
}
END_TEST

static bool
count_bytes(const void *version, pqt_error *error)
{
    size_t bytes;
    return pqt_version_exclusive_bytes(version, NULL, 0, &bytes, error);
}

static bool
count_bytes_of_document(const void *version, pqt_error *error)
{
    size_t bytes;
    return pqt_document_exclusive_bytes(version, NULL, 0, &bytes, error);
}

static bool
begin_history(const void *version, pqt_error *error)
{
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(pqt_kind_of(version)), version, NULL, error);
    const bool made = history != NULL;
    pqt_history_destroy(&history);
    return made;
}

typedef bool count_fn(const void *version, pqt_error *error);

static void
expect_mode_error(count_fn *count, const void *version, const mode *m)
{
    pqt_error error = {0};
    enter(m);
    const bool done = count(version, &error);
    leave();
    ck_assert(!done);
    ck_assert_int_eq(error.status, PQT_ERROR_ARITHMETIC);
    ck_assert_msg(strstr(error.text, m->text) != NULL, "%s", error.text);
    ck_assert(count(version, NULL));
}

static bool
pin_version(const void *version, pqt_error *error)
{
    pqt_pin *pin = pqt_version_pin(version, error);
    const bool done = pin != NULL;
    pqt_unpin(&pin);
    return done;
}

static bool
make_head(const void *version, pqt_error *error)
{
    pqt_head *head = pqt_head_make(version, error);
    const bool done = head != NULL;
    pqt_head_destroy(&head);
    return done;
}

static bool
write_version(const void *version, pqt_error *error)
{
    byte_buffer file = {0};
    const bool done = pqt_version_write(version, sink, &file, error);
    free(file.bytes);
    return done;
}

static bool
write_document(const void *version, pqt_error *error)
{
    byte_buffer file = {0};
    const bool done = pqt_document_write(version, sink, &file, error);
    ck_assert(done || file.length == 0);
    free(file.bytes);
    return done;
}

static bool
save_document(const void *version, pqt_error *error)
{
    return pqt_document_save(version, "/dev/null", error);
}

/* With traps, the comparison of coordinates in a part would end the program with SIGFPE. */
START_TEST(pins_heads_and_bytes_report_the_mode_as_the_functions_of_the_kind_do)
{
    values v = values_in_the_default_mode();
    const void *const versions[] = {v.tree, v.region, v.world};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        const pqt_part part = {"part", pqt_kind_of(versions[i]), versions[i], NULL};
        const pqt_document *document = pqt_document_make(&part, 1, NULL);
        expect_mode_error(pin_version, versions[i], &modes[_i]);
        expect_mode_error(make_head, versions[i], &modes[_i]);
        expect_mode_error(write_version, versions[i], &modes[_i]);
        expect_mode_error(write_version, document, &modes[_i]);
        expect_mode_error(write_document, document, &modes[_i]);
        expect_mode_error(save_document, document, &modes[_i]);
    }
    free_values(&v);
}
END_TEST

START_TEST(a_count_of_bytes_reports_the_mode_and_not_memory)
{
    values v = values_in_the_default_mode();
    const pqt_part part = {.name = "tree", .kind = PQT_KIND_TREE, .version = v.tree};
    const pqt_document *document = pqt_document_make(&part, 1, NULL);
    const void *const versions[] = {v.tree, v.region, v.world, document};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        expect_mode_error(count_bytes, versions[i], &modes[_i]);
        expect_mode_error(begin_history, versions[i], &modes[_i]);
    }
    expect_mode_error(count_bytes_of_document, document, &modes[_i]);
    free_values(&v);
}
END_TEST

/* So a store of maps can be written in each mode. */
START_TEST(maps_and_documents_are_written_in_each_mode)
{
    values v = values_in_the_default_mode();
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    const pqt_map *map = pqt_map_make(&options, NULL);
    const pqt_part part = {.name = "map", .kind = PQT_KIND_MAP, .version = map};
    const void *const versions[] = {map, pqt_document_make(&part, 1, NULL)};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        byte_buffer expected = bytes_of(versions[i]), file = {0};
        pqt_error error = {0};
        enter(&modes[_i]);
        const bool written = pqt_version_write(versions[i], sink, &file, &error);
        const bool saved = pqt_version_save(versions[i], "/dev/null", &error);
        leave();
        ck_assert_msg(written && saved, "%s", error.text);
        ck_assert_uint_eq(file.length, expected.length);
        ck_assert_mem_eq(file.bytes, expected.bytes, expected.length);
        free(file.bytes);
        free(expected.bytes);
    }
    free_values(&v);
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
    free_values(&v);
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
    free_values(&v);
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
    free_values(&v);
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
    tcase_add_loop_test(tests, each_call_that_computes_reports_the_rounding_mode, 0, MODES);
    tcase_add_loop_test(tests, a_check_reports_the_mode_and_no_box, 0, MODES);
    tcase_add_loop_test(tests, a_count_of_bytes_reports_the_mode_and_not_memory, 0, MODES);
    tcase_add_loop_test(tests, pins_heads_and_bytes_report_the_mode_as_the_functions_of_the_kind_do,
                        0, MODES);
    tcase_add_loop_test(tests, maps_and_documents_are_written_in_each_mode, 0, MODES);
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
