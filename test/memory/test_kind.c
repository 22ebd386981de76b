/* SPDX-License-Identifier: MIT */
/*
 * test_kind.c: tests that versions of each kind are copied, compared and counted by the functions
 * for versions of any kind.
 *
 * A chain is a version of a kind and edits of it, which share blocks.
 */
#include "config.h"

#include <pqt/diff.h>
#include <pqt/heap.h>

#include "hooks.h"
#include "stored_kinds.h"
#include "suite.h"

enum { CHAIN = 5, MEMORIES = 3 };

typedef struct chain {
    pqt_kind kind;
    const void *versions[CHAIN];
} chain;

/* Returns an arena, a heap with an open scope, or the default memory. */
static pqt_memory *
open_memory(int number)
{
    pqt_memory *memory = number == 0   ? pqt_arena_make(0, NULL)
                         : number == 1 ? pqt_heap_make(NULL, NULL)
                                       : pqt_default_memory(NULL);
    ck_assert_ptr_nonnull(memory);
    ck_assert(pqt_scope_begin(memory, NULL));
    return memory;
}

static void
close_memory(pqt_memory *memory, int number)
{
    pqt_scope_end(memory);
    if (number == 0)
        pqt_arena_destroy(&memory);
    else if (number == 1)
        pqt_heap_destroy(&memory);
}

static chain
chain_of(unsigned form, pqt_memory *memory)
{
    dice d = {form};
    const any_version first = first_of_kind(form, memory);
    chain made = {first.kind, {first.version}};
    for (int i = 1; i < CHAIN; i++) {
        made.versions[i] = edit_of_kind((any_version){first.kind, made.versions[i - 1]}, &d);
        while (pqt_version_equals(made.versions[i], made.versions[i - 1]))
            made.versions[i] = edit_of_kind((any_version){first.kind, made.versions[i - 1]}, &d);
    }
    return made;
}

static size_t
exclusive_bytes(const void *version, const void *const *others, size_t count)
{
    size_t bytes = 0;
    pqt_error error = {0};
    ck_assert_msg(pqt_version_exclusive_bytes(version, others, count, &bytes, &error), "%s",
                  error.text);
    return bytes;
}

static size_t
shared_bytes(const void *a, const void *b)
{
    size_t bytes = 0;
    pqt_error error = {0};
    ck_assert_msg(pqt_version_shared_bytes(a, b, &bytes, &error), "%s", error.text);
    return bytes;
}

static uint64_t
count_diff(const void *before, const void *after)
{
    uint64_t count = 0;
    pqt_error error = {0};
    ck_assert_msg(pqt_version_count_diff(before, after, &count, &error), "%s", error.text);
    return count;
}

/* ---- Elements ---- */

static uint64_t
count_by_kind(pqt_kind kind, const void *version)
{
    switch (kind) {
    case PQT_KIND_TREE:
        return pqt_tree_count(version);
    case PQT_KIND_REGION:
        return pqt_region_count(version);
    case PQT_KIND_WORLD:
        return pqt_world_count(version);
    case PQT_KIND_MAP:
        return pqt_map_count(version);
    case PQT_KIND_IMAGE:
        return 70 * 45; /* the size of each image of stored_kinds.h */
    default:
        return pqt_document_count(version);
    }
}

START_TEST(a_version_counts_its_elements_as_by_the_function_of_its_kind)
{
    pqt_memory *memory = open_memory(0);
    const chain c = chain_of((unsigned)_i, memory);
    for (int i = 0; i < CHAIN; i++)
        ck_assert_uint_eq(pqt_version_count(c.versions[i]), count_by_kind(c.kind, c.versions[i]));
    close_memory(memory, 0);
}
END_TEST

START_TEST(each_kind_names_its_elements)
{
    static const char *const names[] = {"elements", "items", "pixels", "bodies",
                                        "entries",  "parts", "pixels", "elements"};
    for (int i = 0; i < 8; i++)
        ck_assert_str_eq(pqt_kind_elements((pqt_kind)i), names[i]);
    ck_assert_str_eq(pqt_kind_elements(PQT_KIND_OTHER), "elements");
}
END_TEST

/* ---- Copies ---- */

START_TEST(a_copy_equals_the_version_and_is_in_the_other_memory)
{
    const int from = _i % MEMORIES, to = _i / MEMORIES;
    for (unsigned form = 0; form < STORED_KINDS; form++) {
        pqt_memory *memory = open_memory(from), *other = to == 2 ? NULL : open_memory(to);
        const chain c = chain_of(form, memory);
        pqt_error error = {0};
        const void *copy = pqt_version_copy(c.versions[CHAIN - 1], other, &error);
        ck_assert_msg(copy != NULL, "%s", error.text);
        ck_assert(pqt_version_check(copy, &error));
        ck_assert(pqt_version_equals(copy, c.versions[CHAIN - 1]));
        ck_assert_ptr_eq(pqt_version_memory(copy),
                         other != NULL ? other : pqt_default_memory(NULL));
        ck_assert_ptr_eq(pqt_version_copy(copy, other, &error), copy);
        if (other != NULL)
            close_memory(other, to);
        close_memory(memory, from);
    }
}
END_TEST

START_TEST(copies_share_what_the_versions_share)
{
    pqt_memory *memory = open_memory(0), *other = open_memory(0);
    const chain c = chain_of((unsigned)_i, memory);
    const void *copies[CHAIN];
    pqt_error error = {0};
    ck_assert_msg(pqt_version_copy_all(c.versions, CHAIN, other, copies, &error), "%s", error.text);
    for (int i = 0; i < CHAIN; i++) {
        ck_assert(pqt_version_equals(copies[i], c.versions[i]));
        ck_assert_uint_eq(exclusive_bytes(copies[i], copies, (size_t)i),
                          exclusive_bytes(c.versions[i], c.versions, (size_t)i));
        for (int k = 0; k < CHAIN; k++)
            ck_assert_uint_eq(shared_bytes(copies[i], copies[k]),
                              shared_bytes(c.versions[i], c.versions[k]));
        ck_assert(i == 0 || shared_bytes(copies[i], copies[i - 1]) > 0);
    }
    close_memory(other, 0);
    close_memory(memory, 0);
}
END_TEST

START_TEST(a_version_that_is_given_twice_is_copied_once)
{
    pqt_memory *memory = open_memory(0), *other = open_memory(0);
    const chain c = chain_of((unsigned)_i, memory);
    const void *const given[] = {c.versions[0], c.versions[1], c.versions[0]}, *copies[3];
    pqt_error error = {0};
    ck_assert_msg(pqt_version_copy_all(given, 3, other, copies, &error), "%s", error.text);
    ck_assert_ptr_eq(copies[0], copies[2]);
    ck_assert_ptr_ne(copies[0], copies[1]);
    ck_assert(pqt_version_copy_all(NULL, 0, other, NULL, &error));
    close_memory(other, 0);
    close_memory(memory, 0);
}
END_TEST

START_TEST(each_failed_allocation_of_copies_is_reported)
{
    pqt_memory *memory = open_memory(0), *other = open_memory(_i / STORED_KINDS);
    const chain c = chain_of((unsigned)_i % STORED_KINDS, memory);
    bool copied = false;
    size_t n = 0;
    while (!copied) {
        const void *copies[CHAIN] = {NULL};
        pqt_error error = {0};
        hooks watch = {.fail_at = ++n};
        hooks_start(&watch);
        copied = pqt_version_copy_all(c.versions, CHAIN, other, copies, &error);
        hooks_stop();
        ck_assert(copied == (watch.failures == 0));
        ck_assert_int_eq(error.status, copied ? PQT_OK : PQT_ERROR_MEMORY);
        for (int i = 0; i < CHAIN; i++)
            ck_assert(copied ? pqt_version_equals(copies[i], c.versions[i]) : copies[i] == NULL);
    }
    ck_assert_uint_gt(n, CHAIN);
    close_memory(other, _i / STORED_KINDS);
    close_memory(memory, 0);
}
END_TEST

START_TEST(a_cycle_at_each_allocation_of_copies_loses_nothing)
{
    pqt_memory *memory = open_memory(0), *other = open_memory(1 + _i / STORED_KINDS);
    const chain c = chain_of((unsigned)_i % STORED_KINDS, memory);
    const void *copies[CHAIN];
    hooks watch = {.collect_every = 1, .memory = other};
    hooks_start(&watch);
    const bool copied = pqt_version_copy_all(c.versions, CHAIN, other, copies, NULL);
    hooks_stop();
    ck_assert(copied);
    ck_assert_uint_gt(watch.collections, 0);
    for (int i = 0; i < CHAIN; i++) {
        ck_assert(pqt_version_check(copies[i], NULL));
        ck_assert(pqt_version_equals(copies[i], c.versions[i]));
    }
    close_memory(other, 1 + _i / STORED_KINDS);
    close_memory(memory, 0);
}
END_TEST

/* ---- Shared bytes ---- */

static size_t
shared_by_kind(pqt_kind kind, const void *a, const void *b)
{
    switch (kind) {
    case PQT_KIND_TREE:
        return pqt_tree_shared_bytes(a, b);
    case PQT_KIND_REGION:
        return pqt_region_shared_bytes(a, b);
    case PQT_KIND_WORLD:
        return pqt_world_shared_bytes(a, b);
    default:
        return pqt_map_shared_bytes(a, b);
    }
}

/* For documents and images, pqt_version_shared_bytes is the only function that counts them. */
START_TEST(shared_bytes_equal_those_of_the_function_of_the_kind)
{
    pqt_memory *memory = open_memory(0);
    const chain c = chain_of((unsigned)_i, memory);
    for (int i = 0; i < CHAIN && c.kind < PQT_KIND_DOCUMENT; i++)
        for (int k = 0; k < CHAIN; k++)
            ck_assert_uint_eq(shared_bytes(c.versions[i], c.versions[k]),
                              shared_by_kind(c.kind, c.versions[i], c.versions[k]));
    close_memory(memory, 0);
}
END_TEST

/* Makes a document with one part of each kind. Its parts share no blocks with each other. */
static const pqt_document *
document_of_all(const void *const *versions)
{
    static const char *const names[] = {"region", "tree", "map", "world"};
    pqt_part parts[4];
    pqt_error error = {0};
    for (int i = 0; i < 4; i++)
        parts[i] = (pqt_part){names[i], pqt_kind_of(versions[i]), versions[i], NULL};
    const pqt_document *document = pqt_document_make(parts, 4, &error);
    ck_assert_msg(document != NULL, "%s", error.text);
    return document;
}

/* Two documents of one schema, made one after the other, share only what their parts share. */
START_TEST(documents_share_the_bytes_that_their_parts_share)
{
    pqt_memory *memory = open_memory(0);
    const void *before[4], *after[4], *apart[4];
    size_t expected = 0;
    for (unsigned form = 0; form < 4; form++) {
        const chain c = chain_of(form, memory), other = chain_of(form, memory);
        before[form] = c.versions[0];
        after[form] = c.versions[1];
        apart[form] = other.versions[1];
        expected += shared_by_kind(c.kind, after[form], before[form]);
    }
    ck_assert_uint_gt(expected, 0);
    ck_assert_uint_eq(shared_bytes(document_of_all(after), document_of_all(before)), expected);
    ck_assert_uint_eq(shared_bytes(document_of_all(after), document_of_all(apart)), 0);
    close_memory(memory, 0);
}
END_TEST

START_TEST(each_failed_allocation_of_a_count_of_shared_bytes_is_reported)
{
    pqt_memory *memory = open_memory(0);
    const chain c = chain_of((unsigned)_i, memory);
    const size_t expected = shared_bytes(c.versions[2], c.versions[1]);
    bool counted = false;
    for (size_t n = 1; !counted; n++) {
        size_t bytes = 7;
        pqt_error error = {0};
        hooks watch = {.fail_at = n};
        hooks_start(&watch);
        counted = pqt_version_shared_bytes(c.versions[2], c.versions[1], &bytes, &error);
        hooks_stop();
        ck_assert(counted == (watch.failures == 0));
        ck_assert_int_eq(error.status, counted ? PQT_OK : PQT_ERROR_MEMORY);
        ck_assert_uint_eq(bytes, counted ? expected : 7);
    }
    close_memory(memory, 0);
}
END_TEST

/* ---- Differences ---- */

static bool
count_item(const pqt_change *change, void *context)
{
    (void)change;
    ++*(uint64_t *)context;
    return true;
}

static bool
count_entry(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
            void *context)
{
    (void)key;
    ck_assert(before != NULL || after != NULL);
    ++*(uint64_t *)context;
    return true;
}

typedef struct body_count {
    const pqt_world *other;
    uint64_t differing, missing;
} body_count;

static bool
compare_body(const pqt_body *body, void *context)
{
    body_count *count = context;
    pqt_body there;
    if (!pqt_world_find(count->other, body->id, &there))
        count->missing++;
    else
        count->differing +=
            body->position.x != there.position.x || body->position.y != there.position.y ||
            body->velocity.x != there.velocity.x || body->velocity.y != there.velocity.y ||
            body->angle != there.angle || body->angular_velocity != there.angular_velocity;
    return true;
}

static uint64_t
world_diff(const pqt_world *before, const pqt_world *after)
{
    body_count there = {after, 0, 0}, here = {before, 0, 0};
    pqt_world_visit(before, NULL, compare_body, &there);
    pqt_world_visit(after, NULL, compare_body, &here);
    ck_assert_uint_eq(here.differing, there.differing);
    return there.differing + there.missing + here.missing;
}

static uint64_t
diff_by_kind(pqt_kind kind, const void *before, const void *after)
{
    uint64_t count = 0;
    pqt_error error = {0};
    if (kind == PQT_KIND_WORLD)
        return world_diff(before, after);
    if (kind == PQT_KIND_TREE)
        ck_assert(pqt_tree_visit_diff(before, after, NULL, count_item, &count, &error));
    else if (kind == PQT_KIND_MAP)
        ck_assert(pqt_map_visit_diff(before, after, count_entry, &count));
    else if (kind == PQT_KIND_REGION)
        count = pqt_region_count(pqt_region_xor(before, after, (pqt_pixel){0, 0}, &error));
    for (int32_t i = 0; kind == PQT_KIND_IMAGE && i < 70 * 45; i++) {
        const pqt_rgba a = pqt_image_pixel(before, (pqt_pixel){i % 70, i / 70}),
                       b = pqt_image_pixel(after, (pqt_pixel){i % 70, i / 70});
        count += memcmp(&a, &b, sizeof a) != 0;
    }
    for (size_t i = 0; kind == PQT_KIND_DOCUMENT && i < pqt_document_count(before); i++) {
        const pqt_part part = pqt_document_get_part(before, i);
        count += diff_by_kind(part.kind, part.version, pqt_document_get_part(after, i).version);
    }
    return count;
}

START_TEST(a_count_of_differences_is_that_of_a_visit)
{
    pqt_memory *memory = open_memory(0);
    const chain c = chain_of((unsigned)_i, memory);
    for (int i = 0; i < CHAIN; i++)
        for (int k = 0; k < CHAIN; k++) {
            const uint64_t count = count_diff(c.versions[i], c.versions[k]);
            ck_assert_uint_eq(count, diff_by_kind(c.kind, c.versions[i], c.versions[k]));
            ck_assert(i == k ? count == 0 : i + 1 != k || count > 0);
        }
    close_memory(memory, 0);
}
END_TEST

/* Squares of one value that are larger than a tile are counted as a whole. */
START_TEST(pixels_of_full_squares_and_of_other_levels_are_counted)
{
    pqt_memory *memory = open_memory(0);
    const pqt_region *none = pqt_region_make(memory, NULL);
    const pqt_paint large = pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{-300, 0}, {1000, 700}}),
                    far = pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{90000, 5}, {90003, 9}});
    const pqt_region *one = pqt_region_paint(none, large, NULL);
    const pqt_region *two = pqt_region_paint(none, far, NULL);
    ck_assert_uint_eq(count_diff(none, one), 1300 * 700);
    ck_assert_uint_eq(count_diff(one, two), 1300 * 700 + 12);
    const pqt_pixel_box window = {{-5000, -7}, {95000, 5000}};
    ck_assert_uint_eq(count_diff(two, pqt_region_complement(two, window, NULL)),
                      100000 * (uint64_t)5007);
    close_memory(memory, 0);
}
END_TEST

static void
expect_no_count(const void *before, const void *after, const char *text)
{
    uint64_t count = 7;
    pqt_error error = {0};
    ck_assert(!pqt_version_count_diff(before, after, &count, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    ck_assert_str_eq(error.text, text);
    ck_assert_uint_eq(count, 7);
}

static const pqt_document *
document_of(const char *name, const void *version)
{
    const pqt_part part = {name, pqt_kind_of(version), version, NULL};
    return pqt_document_make(&part, 1, NULL);
}

START_TEST(differences_of_versions_that_cannot_be_compared_are_refused)
{
    pqt_memory *memory = open_memory(0);
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_map_options numbers = PQT_MAP_DEFAULTS, strings = PQT_MAP_DEFAULTS;
    options.memory = numbers.memory = strings.memory = memory;
    strings.values = PQT_MAP_BYTE_VALUES;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {9, 9}}, &options, NULL);
    const pqt_tree *wide = pqt_tree_make((pqt_box){{0, 0}, {99, 9}}, &options, NULL);
    const pqt_map *a = pqt_map_make(&numbers, NULL), *b = pqt_map_make(&strings, NULL);
    expect_no_count(tree, wide, "the versions differ in bounds");
    expect_no_count(a, b, "the maps' kinds of keys or values differ");
    expect_no_count(document_of("drawing", tree), document_of("drawing", wide),
                    "drawing: the versions differ in bounds");
    expect_no_count(document_of("drawing", tree), document_of("names", tree),
                    "drawing: the kind or the keys of this part differ");
    close_memory(memory, 0);
}
END_TEST

START_TEST(a_failed_version_passes_its_error_on)
{
    pqt_error error = {.status = PQT_ERROR_LIMIT, .text = "earlier"};
    size_t bytes = 7;
    uint64_t count = 7;
    ck_assert_ptr_null(pqt_version_copy(NULL, NULL, &error));
    ck_assert(!pqt_version_shared_bytes(NULL, NULL, &bytes, &error));
    ck_assert(!pqt_version_count_diff(NULL, NULL, &count, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    ck_assert_uint_eq(bytes + count, 14);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("kind");
    TCase *tests = tcase_create("kind");
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, a_version_counts_its_elements_as_by_the_function_of_its_kind, 0,
                        STORED_KINDS);
    tcase_add_test(tests, each_kind_names_its_elements);
    tcase_add_loop_test(tests, a_copy_equals_the_version_and_is_in_the_other_memory, 0,
                        MEMORIES * MEMORIES);
    tcase_add_loop_test(tests, copies_share_what_the_versions_share, 0, STORED_KINDS);
    tcase_add_loop_test(tests, a_version_that_is_given_twice_is_copied_once, 0, STORED_KINDS);
    tcase_add_loop_test(tests, each_failed_allocation_of_copies_is_reported, 0,
                        MEMORIES * STORED_KINDS);
    tcase_add_loop_test(tests, a_cycle_at_each_allocation_of_copies_loses_nothing, 0,
                        2 * STORED_KINDS);
    tcase_add_loop_test(tests, shared_bytes_equal_those_of_the_function_of_the_kind, 0,
                        STORED_KINDS);
    tcase_add_test(tests, documents_share_the_bytes_that_their_parts_share);
    tcase_add_loop_test(tests, each_failed_allocation_of_a_count_of_shared_bytes_is_reported, 0,
                        STORED_KINDS);
    tcase_add_loop_test(tests, a_count_of_differences_is_that_of_a_visit, 0, STORED_KINDS);
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, pixels_of_full_squares_and_of_other_levels_are_counted);
    tcase_add_test(tests, differences_of_versions_that_cannot_be_compared_are_refused);
    tcase_add_test(tests, a_failed_version_passes_its_error_on);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
