/* SPDX-License-Identifier: MIT */
/*
 * test_options.c: tests options structs of programs that were compiled with another release.
 *
 * Each row of the table is a struct that begins with `size`, and a public function that reads it.
 */
#include "config.h"

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/shapes.h>
#include <pqt/worlds.h>

#include <stdio.h>
#include <string.h>

#include "base/option_structs.h"
#include "error_support.h"
#include "misuse.h"
#include "options_support.h"
#include "suite.h"

/* A struct of the largest size that the library reads. */
typedef union any_options {
    size_t size;
    double alignment;
    unsigned char bytes[PQTI_OPTIONS_MAX_SIZE + 64];
} any_options;

typedef struct options_row {
    const char *name;
    const pqti_options_layout *layout;
    size_t first_size; /* on a 64-bit machine */
    /* Calls a function with the options. Returns false if it failed. */
    bool (*use)(const void *options, pqt_error *error);
    bool cannot_fail; /* wrong options abort the program */
} options_row;

static pqt_memory *arena;
static const pqt_box unit = {{0, 0}, {1, 1}};

static const pqt_tree *
tree_in_arena(pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    return pqt_tree_make(unit, &options, error);
}

static bool
use_tree(const void *options, pqt_error *error)
{
    pqt_tree_options in_arena = PQT_TREE_DEFAULTS;
    memcpy(&in_arena, options, sizeof in_arena);
    in_arena.memory = arena;
    any_options given;
    memcpy(&given, options, sizeof given);
    memcpy(&given, &in_arena, sizeof in_arena);
    return pqt_tree_make(unit, (const pqt_tree_options *)(const void *)&given, error) != NULL;
}

static bool
use_world(const void *options, pqt_error *error)
{
    pqt_world_options in_arena;
    any_options given;
    memcpy(&in_arena, options, sizeof in_arena);
    in_arena.memory = arena;
    memcpy(&given, options, sizeof given);
    memcpy(&given, &in_arena, sizeof in_arena);
    return pqt_world_make(unit, (const pqt_world_options *)(const void *)&given, error) != NULL;
}

static const pqt_world *
world_in_arena(pqt_error *error)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = arena;
    return pqt_world_make(unit, &options, error);
}

static bool
use_nearest(const void *options, pqt_error *error)
{
    (void)pqt_tree_nearest(tree_in_arena(error), unit, options, NULL, 0);
    return pqt_tree_visit_nearest(tree_in_arena(error), unit, options, (pqt_visit_near_fn *)abort,
                                  NULL);
}

static bool
use_merge(const void *options, pqt_error *error)
{
    const pqt_tree *tree = tree_in_arena(error);
    return pqt_tree_merge(tree, tree, tree, options, error) != NULL;
}

static bool
use_union(const void *options, pqt_error *error)
{
    const pqt_tree *tree = tree_in_arena(error);
    return pqt_tree_union(tree, tree, options, error) != NULL;
}

static bool
use_map(const void *options, pqt_error *error)
{
    pqt_map_options in_arena;
    any_options given;
    memcpy(&in_arena, options, sizeof in_arena);
    in_arena.memory = arena;
    memcpy(&given, options, sizeof given);
    memcpy(&given, &in_arena, sizeof in_arena);
    return pqt_map_make((const pqt_map_options *)(const void *)&given, error) != NULL;
}

static bool
use_map_merge(const void *options, pqt_error *error)
{
    pqt_map_options in_arena = PQT_MAP_DEFAULTS;
    in_arena.memory = arena;
    const pqt_map *map = pqt_map_make(&in_arena, error);
    return pqt_map_merge(map, map, map, options, error) != NULL;
}

static bool
use_document_merge(const void *options, pqt_error *error)
{
    const pqt_part part = {.name = "tree", .kind = PQT_KIND_TREE, .version = tree_in_arena(error)};
    const pqt_document *document = pqt_document_make(&part, 1, error);
    return pqt_document_merge(document, document, document, options, error) != NULL;
}

static bool
use_sweep(const void *options, pqt_error *error)
{
    const pqt_mover mover = pqt_mover_box(unit, (pqt_vec){0, 0}, (pqt_vec){1, 0});
    return pqt_tree_sweep(tree_in_arena(error), mover, options).status == PQT_SWEEP_FREE;
}

static bool
use_slide(const void *options, pqt_error *error)
{
    const pqt_mover mover = pqt_mover_box(unit, (pqt_vec){0, 0}, (pqt_vec){1, 0});
    return pqt_tree_slide(tree_in_arena(error), mover, 1, options).last.status == PQT_SWEEP_FREE;
}

static bool
use_sweep_of_pair(const void *options, pqt_error *error)
{
    (void)error;
    const pqt_mover mover = pqt_mover_box(unit, (pqt_vec){0, 0}, (pqt_vec){1, 0});
    const pqt_mover far = pqt_mover_box(unit, (pqt_vec){9, 0}, (pqt_vec){9, 0});
    return pqt_sweep_pair(mover, far, options).status == PQT_SWEEP_FREE;
}

static bool
use_region_sweep(const void *options, pqt_error *error)
{
    const pqt_region_mover mover = {pqt_region_make(arena, error), {0, 0}, {1, 0}};
    return pqt_region_sweep_region(mover, mover, options).status == PQT_SWEEP_FREE;
}

static bool
use_region_slide(const void *options, pqt_error *error)
{
    const pqt_region_mover mover = {pqt_region_make(arena, error), {0, 0}, {1, 0}};
    return pqt_region_slide_region(mover, mover.region, (pqt_vec){0, 0}, 1, options).status ==
           PQT_SWEEP_FREE;
}

static bool
use_step(const void *options, pqt_error *error)
{
    return pqt_world_step(world_in_arena(error), 1, options, error) != NULL;
}

static bool
use_recording(const void *options, pqt_error *error)
{
    pqt_recording *recording = pqt_recording_make(world_in_arena(error), 1, options, 1, error);
    const bool is_made = recording != NULL;
    pqt_recording_destroy(&recording);
    return is_made;
}

static bool
use_history(const void *options, pqt_error *error)
{
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree_in_arena(error), options, error);
    const bool is_made = history != NULL;
    pqt_history_destroy(&history);
    return is_made;
}

static bool
read_header(void *bytes, size_t capacity, size_t *count, void *context)
{
    const char header[] = "x,y\n";
    bool *was_read = context;
    *count = *was_read || capacity < sizeof header ? 0 : sizeof header - 1;
    memcpy(bytes, header, *count);
    *was_read = true;
    return true;
}

static bool
use_table_reader(const void *options, pqt_error *error)
{
    bool was_read = false;
    pqt_table_reader *reader = pqt_table_reader_open(read_header, &was_read, options, error);
    pqt_table_reader_close(reader);
    return reader != NULL;
}

static bool
use_table(const void *options, pqt_error *error)
{
    bool was_read = false;
    pqt_table *table = pqt_table_read(read_header, &was_read, options, error);
    pqt_table_free(table);
    return table != NULL;
}

static bool
use_kind(const void *kind, pqt_error *error)
{
    pqt_history_kind trees;
    any_options given;
    memcpy(&given, kind, sizeof given);
    memcpy(&trees, kind, sizeof trees);
    trees.name = "trees";
    trees.memory = pqt_history_kind_of(PQT_KIND_TREE)->memory;
    memcpy(&given, &trees, sizeof trees);
    pqt_history *history = pqt_history_make((const pqt_history_kind *)(const void *)&given,
                                            tree_in_arena(error), NULL, error);
    const bool is_made = history != NULL;
    pqt_history_destroy(&history);
    return is_made;
}

static bool
use_svg(const void *options, pqt_error *error)
{
    FILE *stream = tmpfile();
    pqt_svg svg;
    ck_assert_ptr_nonnull(stream);
    const bool has_begun = pqt_svg_begin(&svg, stream, unit, options, error);
    fclose(stream);
    return has_begun;
}

#if PQT_WITH_PNG

/* Returns true if the options are accepted. The call then fails only because the input is not
   PNG. */
static bool
use_png(const void *options, pqt_error *error)
{
    pqt_error failure = {0};
    pqt_png_options in_arena;
    any_options given;
    memcpy(&in_arena, options, sizeof in_arena);
    in_arena.memory = arena;
    memcpy(&given, options, sizeof given);
    memcpy(&given, &in_arena, sizeof in_arena);
    ck_assert_ptr_null(
        pqt_png_read_bytes(NULL, 0, (const pqt_png_options *)(const void *)&given, NULL, &failure));
    if (failure.status == PQT_ERROR_OPTION)
        *error = failure;
    return failure.status != PQT_ERROR_OPTION;
}

#endif

static bool
use_heap(const void *options, pqt_error *error)
{
    pqt_memory *heap = pqt_heap_make(options, error);
    const bool is_made = heap != NULL;
    pqt_heap_destroy(&heap);
    return is_made;
}

static const options_row rows[] = {
    {"pqt_heap_make", &pqti_heap_options_layout, 56, use_heap, false},
    {"pqt_tree_make", &pqti_tree_options_layout, 32, use_tree, false},
    {"pqt_tree_visit_nearest", &pqti_nearest_options_layout, 48, use_nearest, true},
    {"pqt_tree_merge", &pqti_merge_options_layout, 32, use_merge, false},
    {"pqt_tree_union", &pqti_merge_options_layout, 32, use_union, false},
    {"pqt_map_make", &pqti_map_options_layout, 24, use_map, false},
    {"pqt_map_merge", &pqti_map_merge_options_layout, 24, use_map_merge, false},
    {"pqt_document_merge", &pqti_document_merge_options_layout, 24, use_document_merge, false},
    {"pqt_tree_sweep", &pqti_sweep_options_layout, 40, use_sweep, true},
    {"pqt_tree_slide", &pqti_sweep_options_layout, 40, use_slide, true},
    {"pqt_sweep_pair", &pqti_sweep_options_layout, 40, use_sweep_of_pair, true},
    {"pqt_history_make", &pqti_history_options_layout, 48, use_history, false},
    {"pqt_history_make", &pqti_history_kind_layout, 56, use_kind, false},
    {"pqt_table_read", &pqti_table_options_layout, 48, use_table, false},
    {"pqt_table_reader_open", &pqti_table_options_layout, 48, use_table_reader, false},
    {"pqt_svg_begin", &pqti_svg_options_layout, 56, use_svg, false},
#if PQT_WITH_PNG
    {"pqt_png_read_bytes", &pqti_png_options_layout, 40, use_png, false},
#endif
    {"pqt_region_sweep_region", &pqti_region_sweep_options_layout, 32, use_region_sweep, true},
    {"pqt_region_slide_region", &pqti_region_sweep_options_layout, 32, use_region_slide, true},
    {"pqt_world_make", &pqti_world_options_layout, 24, use_world, false},
    {"pqt_world_step", &pqti_step_options_layout, 88, use_step, false},
    {"pqt_recording_make", &pqti_step_options_layout, 88, use_recording, false},
};

/* The number of rows of functions in the build. */
enum {
    OF_REGIONS = 2,
    OF_WORLDS = 3,
    ROWS = sizeof rows / sizeof *rows - (PQT_WITH_PIXELS ? 0 : OF_REGIONS) -
           (PQT_WITH_WORLDS ? 0 : OF_WORLDS)
};

/* Returns the defaults of a row in a struct of `size` bytes, with zeros beyond them. */
static any_options
defaults_of_size(const options_row *row, size_t size)
{
    any_options options;
    memset(&options, 0, sizeof options);
    memcpy(&options, row->layout->defaults, row->layout->size);
    options.size = size;
    return options;
}

static void
make_arena(void)
{
    arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void
destroy_arena(void)
{
    pqt_arena_destroy(&arena);
}

static void
expect_accepted(const options_row *row, const any_options *options)
{
    pqt_error error = {0};
    ck_assert_msg(row->use(options, &error), "%s: %s", row->name, error.text);
    ck_assert_int_eq(error.status, PQT_OK);
}

typedef struct wrong_call {
    const options_row *row;
    const any_options *options;
} wrong_call;

static void
call_wrongly(void *context)
{
    const wrong_call *call = context;
    pqt_error error = {0};
    (void)call->row->use(call->options, &error);
}

static void
expect_refused(const options_row *row, const any_options *options, const char *text)
{
    pqt_error error = {0};
    if (!row->cannot_fail) {
        ck_assert(!row->use(options, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_OPTION);
        ck_assert_str_eq(error.text, text);
        ck_assert(names_its_index(&error));
    } else if (misuse_can_be_tested()) {
        char said[MISUSE_TEXT];
        wrong_call call = {row, options};
        ck_assert(misuse_aborts(call_wrongly, &call, said));
        ck_assert_ptr_nonnull(strstr(said, text));
    }
}

START_TEST(the_structs_of_the_first_release_have_these_sizes)
{
    const options_row *row = &rows[_i];
    ck_assert_uint_le(row->layout->first_size, row->layout->size);
    ck_assert_uint_eq(*(const size_t *)row->layout->defaults, row->layout->size);
    if (sizeof(void *) == 8 && sizeof(size_t) == 8)
        ck_assert_uint_eq(row->layout->first_size, row->first_size);
}
END_TEST

START_TEST(a_struct_of_the_first_release_is_accepted)
{
    const options_row *row = &rows[_i];
    const any_options options = defaults_of_size(row, row->layout->first_size);
    expect_accepted(row, &options);
}
END_TEST

START_TEST(a_struct_smaller_than_that_of_the_first_release_is_refused)
{
    const options_row *row = &rows[_i];
    const size_t sizes[] = {0, 1, row->layout->first_size - 1, PQTI_OPTIONS_MAX_SIZE + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char text[sizeof((pqt_error *)NULL)->text];
        const any_options options = defaults_of_size(row, sizes[i]);
        snprintf(text, sizeof text, "size is %zu, but must be %zu to 4096: initialise with %s",
                 sizes[i], row->layout->first_size, row->layout->start);
        expect_refused(row, &options, text);
    }
}
END_TEST

START_TEST(a_larger_struct_is_accepted_if_unknown_fields_are_zero)
{
    const options_row *row = &rows[_i];
    const size_t sizes[] = {row->layout->size + 1, row->layout->size + 8, PQTI_OPTIONS_MAX_SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        any_options options = defaults_of_size(row, sizes[i]);
        options.bytes[sizes[i]] = 1; /* beyond the end of the struct, so not read */
        expect_accepted(row, &options);
    }
}
END_TEST

START_TEST(a_larger_struct_is_refused_if_an_unknown_field_is_set)
{
    const options_row *row = &rows[_i];
    const size_t size = row->layout->size + 16;
    const size_t set[] = {row->layout->size, size - 1};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        char text[sizeof((pqt_error *)NULL)->text];
        any_options options = defaults_of_size(row, size);
        options.bytes[set[i]] = 1;
        snprintf(text, sizeof text,
                 "size is %zu, and a field beyond %zu is set, which this release does not know",
                 size, row->layout->size);
        expect_refused(row, &options, text);
    }
}
END_TEST

/* All fields except the first are treated as if they had been added after the first release. */
START_TEST(a_smaller_struct_takes_the_defaults_for_the_rest)
{
    const options_row *row = &rows[_i];
    pqti_options_layout grown = *row->layout;
    grown.first_size = sizeof(size_t);
    for (size_t size = sizeof(size_t); size < grown.size; size++) {
        any_options given, converted;
        pqt_error error = {0};
        memset(&given, 0x5a, sizeof given);
        memset(&converted, 0xa5, sizeof converted);
        given.size = size;
        ck_assert_ptr_eq(pqti_options_read(&grown, &given, &converted, &error), &converted);
        ck_assert_uint_eq(converted.size, grown.size);
        ck_assert_mem_eq(converted.bytes + sizeof size, given.bytes + sizeof size,
                         size - sizeof size);
        ck_assert_mem_eq(converted.bytes + size, (const unsigned char *)grown.defaults + size,
                         grown.size - size);
        ck_assert_uint_eq(converted.bytes[grown.size], 0xa5);
    }
}
END_TEST

START_TEST(options_of_the_size_of_the_library_are_not_copied)
{
    const options_row *row = &rows[_i];
    const any_options options = defaults_of_size(row, row->layout->size);
    ck_assert_ptr_eq(pqti_options_read(row->layout, &options, NULL, NULL), &options);
    ck_assert_ptr_eq(pqti_options_read(row->layout, NULL, NULL, NULL), row->layout->defaults);
}
END_TEST

/* The callers are from an earlier release and from a later release. */
START_TEST(getters_write_at_most_the_size_of_the_caller)
{
    pqti_options_layout grown = pqti_tree_options_layout;
    grown.first_size = sizeof(size_t);
    const size_t sizes[] = {sizeof(size_t), 20, grown.size, grown.size + 24};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        any_options to;
        const size_t known = sizes[i] < grown.size ? sizes[i] : grown.size;
        memset(&to, 0xa5, sizeof to);
        to.size = sizes[i];
        pqti_options_write("pqt_tree_get_options", &grown, grown.defaults, &to);
        ck_assert_uint_eq(to.size, sizes[i]);
        ck_assert_mem_eq(to.bytes + sizeof(size_t),
                         (const unsigned char *)grown.defaults + sizeof(size_t),
                         known - sizeof(size_t));
        for (size_t k = known; k < sizes[i]; k++)
            ck_assert_uint_eq(to.bytes[k], 0);
        ck_assert_uint_eq(to.bytes[sizes[i]], 0xa5);
    }
}
END_TEST

START_TEST(getters_return_the_given_options)
{
    pqt_tree_options tree_options = PQT_TREE_DEFAULTS;
    tree_options.leaf_capacity = 7;
    tree_options.memory = arena;
    const pqt_tree *tree = pqt_tree_make(unit, &tree_options, NULL);
    ck_assert_int_eq(options_of_tree(tree).leaf_capacity, 7);
    ck_assert_uint_eq(options_of_tree(tree).size, sizeof tree_options);
    ck_assert_ptr_eq(pqt_tree_memory(tree), arena);
    pqt_world_options world_options = PQT_WORLD_DEFAULTS;
    world_options.walls = false;
    world_options.memory = arena;
    const pqt_world *world = pqt_world_make(unit, &world_options, NULL);
    ck_assert(!options_of_world(world).walls);
    ck_assert_uint_eq(options_of_world(world).size, sizeof world_options);
    ck_assert_ptr_eq(pqt_world_memory(world), arena);
}
END_TEST

START_TEST(a_getter_without_the_size_of_the_caller_stops_the_program)
{
    pqt_tree_options options = {.size = 0};
    pqt_tree_get_options(tree_in_arena(NULL), &options);
}
END_TEST

static Suite *
options_suite(void)
{
    Suite *suite = suite_create("options");
    TCase *structs = tcase_create("structs");
    tcase_add_checked_fixture(structs, make_arena, destroy_arena);
    tcase_add_loop_test(structs, the_structs_of_the_first_release_have_these_sizes, 0, ROWS);
    tcase_add_loop_test(structs, a_struct_of_the_first_release_is_accepted, 0, ROWS);
    tcase_add_loop_test(structs, a_struct_smaller_than_that_of_the_first_release_is_refused, 0,
                        ROWS);
    tcase_add_loop_test(structs, a_larger_struct_is_accepted_if_unknown_fields_are_zero, 0, ROWS);
    tcase_add_loop_test(structs, a_larger_struct_is_refused_if_an_unknown_field_is_set, 0, ROWS);
    tcase_add_loop_test(structs, a_smaller_struct_takes_the_defaults_for_the_rest, 0, ROWS);
    tcase_add_loop_test(structs, options_of_the_size_of_the_library_are_not_copied, 0, ROWS);
    suite_add_tcase(suite, structs);

    TCase *getters = tcase_create("getters");
    tcase_add_checked_fixture(getters, make_arena, destroy_arena);
    tcase_add_test(getters, getters_write_at_most_the_size_of_the_caller);
    if (PQT_WITH_WORLDS)
        tcase_add_test(getters, getters_return_the_given_options);
    tcase_add_misuse_test(getters, a_getter_without_the_size_of_the_caller_stops_the_program);
    suite_add_tcase(suite, getters);
    return suite;
}

int
main(void)
{
    return run_suite(options_suite());
}
