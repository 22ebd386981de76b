/* SPDX-License-Identifier: MIT */
/* test_any_version.c: tests that the functions for versions of any kind do the same as the
 * functions for one kind. */
#include "config.h"

#include <pqt/bytes.h>
#include <pqt/history.h>

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include <pqt/heap.h>

#include "bytes_support.h"
#include "hooks.h"
#include "misuse.h"
#include "suite.h"

static pqt_memory *arena;

static void
set_up(void)
{
    arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
}

static void
tear_down(void)
{
    pqt_arena_destroy(&arena);
}

static any_version
version_of(int number)
{
    pqt_error error = {0};
    const any_version given = small_version((unsigned)number, arena, &error);
    ck_assert_msg(given.version != NULL, "%s", error.text);
    return given;
}

static pqt_fingerprint
fingerprint_of(any_version given)
{
    switch (given.kind) {
    case PQT_KIND_TREE:
        return pqt_tree_fingerprint(given.version);
    case PQT_KIND_REGION:
        return pqt_region_fingerprint(given.version);
    case PQT_KIND_WORLD:
        return pqt_world_fingerprint(given.version);
    case PQT_KIND_MAP:
        return pqt_map_fingerprint(given.version);
    case PQT_KIND_IMAGE:
        return pqt_image_fingerprint(given.version);
    default:
        return pqt_document_fingerprint(given.version);
    }
}

START_TEST(each_kind_has_a_name)
{
    static const char *const names[] = {"tree", "region", "world", "map", "document", "image"};
    for (int i = 0; i < 6; i++)
        ck_assert_str_eq(pqt_kind_name((pqt_kind)(PQT_KIND_TREE + i)), names[i]);
    ck_assert_str_eq(pqt_kind_name(PQT_KIND_NONE), "unknown kind");
    ck_assert_str_eq(pqt_kind_name(PQT_KIND_OTHER), "unknown kind");
    ck_assert_str_eq(pqt_kind_name((pqt_kind)(PQT_KIND_IMAGE + 1)), "unknown kind");
    ck_assert_str_eq(pqt_kind_name((pqt_kind)INT_MAX), "unknown kind");
    ck_assert_str_eq(pqt_kind_name((pqt_kind)-1), "unknown kind");
}
END_TEST

START_TEST(a_kind_is_known_if_it_has_a_name)
{
    for (int i = -1; i < 10; i++)
        ck_assert_int_eq(pqt_kind_is_known((pqt_kind)i), i >= PQT_KIND_TREE && i <= PQT_KIND_IMAGE);
    ck_assert(!pqt_kind_is_known(PQT_KIND_OTHER));
    ck_assert(!pqt_kind_is_known((pqt_kind)INT_MAX));
}
END_TEST

START_TEST(a_version_tells_its_kind)
{
    const any_version given = version_of(_i);
    ck_assert_int_eq(pqt_kind_of(given.version), given.kind);
}
END_TEST

START_TEST(a_version_is_compared_and_checked_as_by_the_functions_of_its_kind)
{
    const any_version given = version_of(_i);
    pqt_error error = {0};
    ck_assert(
        pqt_fingerprint_equals(pqt_version_fingerprint(given.version), fingerprint_of(given)));
    ck_assert(pqt_version_check(given.version, &error));
    for (int i = 0; i < SMALL_VERSIONS; i++) {
        const any_version other = version_of(i);
        if (other.kind == given.kind)
            ck_assert_int_eq(pqt_version_equals(given.version, other.version),
                             pqt_version_equals(given.version, other.version));
    }
}
END_TEST

static size_t
bytes_by_kind(any_version given)
{
    size_t bytes = 0;
    pqt_error error = {0};
    const bool done = given.kind == PQT_KIND_TREE
                          ? pqt_tree_exclusive_bytes(given.version, NULL, 0, &bytes, &error)
                      : given.kind == PQT_KIND_REGION
                          ? pqt_region_exclusive_bytes(given.version, NULL, 0, &bytes, &error)
                      : given.kind == PQT_KIND_WORLD
                          ? pqt_world_exclusive_bytes(given.version, NULL, 0, &bytes, &error)
                      : given.kind == PQT_KIND_MAP
                          ? pqt_map_exclusive_bytes(given.version, NULL, 0, &bytes, &error)
                      : given.kind == PQT_KIND_IMAGE
                          ? pqt_image_exclusive_bytes(given.version, NULL, 0, &bytes, &error)
                          : pqt_document_exclusive_bytes(given.version, NULL, 0, &bytes, &error);
    ck_assert(done);
    return bytes;
}

START_TEST(a_version_tells_its_memory_and_its_bytes)
{
    const any_version given = version_of(_i);
    size_t bytes = 0, shared = 1;
    pqt_error error = {0};
    ck_assert_ptr_eq(pqt_version_memory(given.version), arena);
    if (given.kind == PQT_KIND_MAP)
        ck_assert_ptr_eq(pqt_map_memory(given.version), arena);
    ck_assert(pqt_version_exclusive_bytes(given.version, NULL, 0, &bytes, &error));
    ck_assert_uint_eq(bytes, bytes_by_kind(given));
    ck_assert(pqt_version_exclusive_bytes(given.version, &given.version, 1, &shared, &error));
    ck_assert_uint_eq(shared, 0);
}
END_TEST

START_TEST(a_version_that_is_written_is_read_back)
{
    const any_version given = version_of(_i);
    pqt_error error = {0};
    byte_buffer file = {0}, expected = bytes_of(given.version);
    ck_assert(pqt_version_write(given.version, sink, &file, &error));
    ck_assert_mem_eq(file.bytes, expected.bytes, expected.length);
    ck_assert_uint_eq(file.length, expected.length);
    const void *read = pqt_version_read(given.kind, source, &file, arena, &error);
    ck_assert_msg(read != NULL, "%s", error.text);
    ck_assert(pqt_version_equals(read, given.version));
    free(expected.bytes);
    free(file.bytes);
}
END_TEST

START_TEST(a_version_that_is_saved_is_loaded)
{
    const any_version given = version_of(_i);
    pqt_error error = {0}, missing = {0};
    char name[40];
    snprintf(name, sizeof name, "any-version-%d.pqt", (int)getpid());
    ck_assert_msg(pqt_version_save(given.version, name, &error), "%s", error.text);
    const void *loaded = pqt_version_load(given.kind, name, arena, &error);
    ck_assert_int_eq(unlink(name), 0);
    ck_assert_msg(loaded != NULL, "%s", error.text);
    ck_assert(pqt_version_equals(loaded, given.version));
    ck_assert_ptr_null(pqt_version_load(given.kind, name, arena, &missing));
    ck_assert_int_eq(missing.status, PQT_ERROR_STREAM);
}
END_TEST

START_TEST(each_version_but_a_world_is_merged)
{
    const any_version given = version_of(_i);
    pqt_error error = {0};
    const void *merged = pqt_version_merge(given.version, given.version, given.version, &error);
    if (given.kind == PQT_KIND_WORLD) {
        ck_assert_ptr_null(merged);
        ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
        ck_assert_str_eq(error.text, "worlds cannot be merged");
    } else {
        ck_assert_msg(merged != NULL, "%s", error.text);
        ck_assert(pqt_version_equals(merged, given.version));
    }
}
END_TEST

START_TEST(a_merge_of_regions_has_the_changes_of_both_sides)
{
    pqt_error error = {0};
    const pqt_paint all = pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{0, 0}, {30, 30}}),
                    more = pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{40, 0}, {50, 9}}),
                    less = pqt_paint_box(PQT_PAINT_CLEAR, (pqt_pixel_box){{3, 3}, {7, 20}});
    const pqt_region *base = pqt_region_paint(pqt_region_make(arena, &error), all, &error);
    const pqt_region *ours = pqt_region_paint(base, more, &error);
    const pqt_region *theirs = pqt_region_paint(base, less, &error);
    const pqt_region *merged = pqt_version_merge(base, ours, theirs, &error);
    ck_assert_msg(merged != NULL, "%s", error.text);
    ck_assert(pqt_region_equals(merged, pqt_region_paint(ours, less, &error)));
}
END_TEST

START_TEST(a_merge_of_images_in_conflict_says_why)
{
    pqt_error error = {0};
    const pqt_rgba red = {255, 0, 0, 255}, green = {0, 255, 0, 255}, blue = {0, 0, 255, 255};
    const pqt_image *base = pqt_image_make(8, 8, red, arena, &error);
    const pqt_pixel at = {3, 3};
    const pqt_image *ours = pqt_image_set_pixel(base, at, green, &error);
    const pqt_image *theirs = pqt_image_set_pixel(base, at, blue, &error);
    ck_assert_ptr_null(pqt_version_merge(base, ours, theirs, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CONFLICT);
    ck_assert_str_ne(error.text, "");
    ck_assert(pqt_version_equals(pqt_version_merge(base, ours, base, NULL), ours));
}
END_TEST

/* Makes a pin of a region to which a disc was added. */
static pqt_pin *
pin_painted(const pqt_region *region, pqt_vec centre)
{
    region = pqt_region_paint(region, pqt_paint_disc(PQT_PAINT_TOGGLE, centre, 20), NULL);
    return pqt_version_pin(region, NULL);
}

/* Without a scope, a thread that reclaims would free the differences from which the merge makes its
   result. Here each allocation reclaims everything. */
START_TEST(a_merge_of_regions_keeps_what_it_makes_while_the_heap_reclaims)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    pqt_pin *base = pin_painted(pqt_region_make(heap, NULL), (pqt_vec){0, 0});
    pqt_pin *ours = pin_painted(pqt_pin_get_region(base), (pqt_vec){30, 5});
    pqt_pin *theirs = pin_painted(pqt_pin_get_region(base), (pqt_vec){-9, 25});
    hooks watch = {.collect_every = 1, .memory = heap};
    hooks_start(&watch);
    const pqt_region *merged = pqt_version_merge(
        pqt_pin_get_version(base), pqt_pin_get_version(ours), pqt_pin_get_version(theirs), NULL);
    hooks_stop();
    ck_assert_uint_gt(watch.collections, 3);
    ck_assert(pqt_region_check(merged, NULL));
    pqt_pin *expected = pin_painted(pqt_pin_get_region(ours), (pqt_vec){-9, 25});
    ck_assert(pqt_region_equals(merged, pqt_pin_get_region(expected)));
    pqt_pin *const pins[] = {base, ours, theirs, expected};
    for (int i = 0; i < 4; i++) {
        pqt_pin *pin = pins[i];
        pqt_unpin(&pin);
    }
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(a_pin_returns_its_version_and_its_kind)
{
    const any_version given = version_of(_i);
    pqt_error error = {0};
    pqt_pin *pin = pqt_version_pin(given.version, &error);
    ck_assert_ptr_nonnull(pin);
    ck_assert_int_eq(pqt_pin_get_kind(pin), given.kind);
    ck_assert_ptr_eq(pqt_pin_get_version(pin), given.version);
    pqt_unpin(&pin);
}
END_TEST

START_TEST(a_history_has_the_kind_of_its_versions)
{
    const any_version given = version_of(_i);
    pqt_error error = {0};
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(given.kind), given.version, NULL, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    ck_assert_ptr_eq(pqt_history_value(history), given.version);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_copy_of_a_kind_with_a_name_of_its_own_is_a_kind_of_versions)
{
    pqt_error error = {0};
    pqt_tree_options unique = PQT_TREE_DEFAULTS;
    unique.memory = arena;
    unique.unique_ids = true;
    pqt_history_kind kind = *pqt_history_kind_of(PQT_KIND_TREE);
    kind.name = "drawings";
    pqt_history_options indexed = PQT_HISTORY_DEFAULTS;
    indexed.indexed = true;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {9, 9}}, &unique, &error);
    pqt_history *history = pqt_history_make(&kind, tree, &indexed, &error);
    ck_assert_msg(history != NULL, "%s", error.text);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(an_earlier_failure_is_passed_on)
{
    pqt_error error = {.status = PQT_ERROR_LIMIT, .text = "earlier"};
    byte_buffer file = {0};
    size_t bytes = 7;
    ck_assert_ptr_null(pqt_version_pin(NULL, &error));
    ck_assert(!pqt_version_write(NULL, sink, &file, &error));
    ck_assert(!pqt_version_save(NULL, "absent/a.pqt", &error));
    ck_assert(!pqt_version_exclusive_bytes(NULL, NULL, 0, &bytes, &error));
    ck_assert_uint_eq(bytes, 7);
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    ck_assert_str_eq(error.text, "earlier");
    ck_assert_uint_eq(file.calls, 0);
}
END_TEST

/* A call with a version of the wrong kind. */
typedef struct mistake {
    pqt_kind kind;
    const void *version;
    int call;
} mistake;

/* Returns NULL if the kind is not in the build. */
static const void *
version_of_kind(pqt_kind kind)
{
    for (int i = 0; i < SMALL_VERSIONS; i++)
        if (version_of(i).kind == kind)
            return version_of(i).version;
    return NULL;
}

static void
make_mistake(void *context)
{
    const mistake *wrong = context;
    const pqt_part part = {"part", (pqt_kind)wrong->kind, wrong->version, NULL};
    const void *other = version_of_kind(wrong->kind);
    size_t bytes;
    if (wrong->call == 0)
        (void)pqt_version_equals(other, wrong->version);
    else if (wrong->call == 1)
        (void)pqt_version_exclusive_bytes(other, &wrong->version, 1, &bytes, NULL);
    else if (wrong->call == 2)
        (void)!pqt_history_make(pqt_history_kind_of(wrong->kind), wrong->version, NULL, NULL);
    else
        (void)!pqt_document_make(&part, 1, NULL);
}

START_TEST(a_version_of_another_kind_stops_the_program_with_both_kinds)
{
    static const char *const callers[] = {
        "pqt_version_equals: ", "pqt_version_exclusive_bytes: ", "", "pqt_document_make: "};
    const any_version given = version_of(_i);
    char text[MISUSE_TEXT], expected[200];
    for (int kind = PQT_KIND_TREE; kind <= PQT_KIND_IMAGE; kind++)
        for (int call = 0; call < 4 && misuse_can_be_tested(); call++) {
            mistake wrong = {(pqt_kind)kind, given.version, call};
            if ((size_t)(_i + 4 * kind + call) % test_stride() != 0)
                continue;
            if (kind == (int)given.kind || version_of_kind((pqt_kind)kind) == NULL ||
                (call == 3 && kind == PQT_KIND_DOCUMENT))
                continue;
            ck_assert_msg(misuse_aborts(make_mistake, &wrong, text), "%s: %s",
                          pqt_kind_name((pqt_kind)kind), text);
            snprintf(expected, sizeof expected, "pqt: %sthe version is a%s %s, not a%s %s\n",
                     callers[call], given.kind == PQT_KIND_IMAGE ? "n" : "",
                     pqt_kind_name(given.kind), kind == PQT_KIND_IMAGE ? "n" : "",
                     pqt_kind_name((pqt_kind)kind));
            ck_assert_str_eq(text, expected);
        }
}
END_TEST

static pqt_document_resolution
answer_with_a_map(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    (void)conflict;
    (void)context;
    answer->version = version_of_kind(PQT_KIND_MAP);
    return PQT_DOCUMENT_KEEP_ANSWER;
}

static void
merge_worlds_to_a_map(void *context)
{
    (void)context;
    pqt_world_options world_options = PQT_WORLD_DEFAULTS;
    world_options.memory = arena;
    const pqt_world *empty = pqt_world_make((pqt_box){{0, 0}, {9, 9}}, &world_options, NULL);
    const pqt_part part = {.name = "part", .kind = PQT_KIND_WORLD, .version = empty};
    const pqt_document *base = pqt_document_make(&part, 1, NULL), *sides[2];
    for (uint64_t i = 0; i < 2; i++) {
        const pqt_body ball = {.id = i, .position = {4, 4}, .radius = 1};
        sides[i] = pqt_document_set_world(base, "part", pqt_world_add(empty, ball, NULL), NULL);
    }
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    options.resolve = answer_with_a_map;
    (void)!pqt_document_merge(base, sides[0], sides[1], &options, NULL);
}

START_TEST(a_part_of_another_kind_that_resolves_a_conflict_stops_the_program)
{
    char text[MISUSE_TEXT];
    if (misuse_can_be_tested()) {
        ck_assert(misuse_aborts(merge_worlds_to_a_map, NULL, text));
        ck_assert_str_eq(text, "pqt: pqt_document_merge: the version is a map, not a world\n");
    }
}
END_TEST

START_TEST(bytes_of_another_kind_are_refused)
{
    const any_version given = version_of(_i);
    byte_buffer file = bytes_of(given.version);
    for (int kind = PQT_KIND_TREE; kind <= PQT_KIND_IMAGE; kind++) {
        pqt_error error = {0};
        file.next = 0;
        if (version_of_kind((pqt_kind)kind) == NULL)
            continue;
        const void *read = pqt_version_read((pqt_kind)kind, source, &file, arena, &error);
        ck_assert_int_eq(read != NULL, kind == (int)given.kind);
        ck_assert_int_eq(error.status, read != NULL ? PQT_OK : PQT_ERROR_FORMAT);
    }
    free(file.bytes);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("versions of any kind");
    TCase *tests = tcase_create("kinds");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, each_kind_has_a_name);
    tcase_add_test(tests, a_kind_is_known_if_it_has_a_name);
    tcase_add_loop_test(tests, a_version_tells_its_kind, 0, SMALL_VERSIONS);
    tcase_add_loop_test(tests, a_version_is_compared_and_checked_as_by_the_functions_of_its_kind, 0,
                        SMALL_VERSIONS);
    tcase_add_loop_test(tests, a_version_tells_its_memory_and_its_bytes, 0, SMALL_VERSIONS);
    tcase_add_loop_test(tests, a_version_that_is_written_is_read_back, 0, SMALL_VERSIONS);
    tcase_add_loop_test(tests, a_version_that_is_saved_is_loaded, 0, SMALL_VERSIONS);
    tcase_add_loop_test(tests, each_version_but_a_world_is_merged, 0, SMALL_VERSIONS);
    if (PQT_WITH_PIXELS) {
        tcase_add_test(tests, a_merge_of_regions_has_the_changes_of_both_sides);
        tcase_add_test(tests, a_merge_of_images_in_conflict_says_why);
        tcase_add_test(tests, a_merge_of_regions_keeps_what_it_makes_while_the_heap_reclaims);
    }
    tcase_add_loop_test(tests, a_pin_returns_its_version_and_its_kind, 0, SMALL_VERSIONS);
    tcase_add_loop_test(tests, a_history_has_the_kind_of_its_versions, 0, SMALL_VERSIONS);
    tcase_add_test(tests, a_copy_of_a_kind_with_a_name_of_its_own_is_a_kind_of_versions);
    tcase_add_test(tests, an_earlier_failure_is_passed_on);
    tcase_add_loop_test(tests, a_version_of_another_kind_stops_the_program_with_both_kinds, 0,
                        SMALL_VERSIONS);
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, a_part_of_another_kind_that_resolves_a_conflict_stops_the_program);
    tcase_add_loop_test(tests, bytes_of_another_kind_are_refused, 0, SMALL_VERSIONS);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
