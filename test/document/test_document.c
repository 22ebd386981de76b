/* SPDX-License-Identifier: MIT */
/*
 * test_document.c: tests documents: making, setting parts, keyed maps, conflicts, heads and
 * histories.
 *
 * test_document_model.c compares edits, merges and differences with a model.
 */
#include "config.h"

#include <pqt/document.h>
#include <pqt/head.h>
#include <pqt/heap.h>
#include <pqt/history_query.h>
#include <pqt/image.h>
#include <pqt/obstacle.h>

#include "document/document_internal.h"
#include "document_model.h"
#include "hooks.h"
#include "suite.h"
#include "tree/node.h"
#include "tree_support.h"

static document_stage stage;

static void
open_stage(void)
{
    open_arena();
    document_stage_make(&stage, arena);
}

static const pqt_tree *
shapes_with(int count)
{
    pqt_tree_options options = options_of(24, 24);
    options.unique_ids = true;
    const pqt_tree *tree = pqt_tree_make(box(0, 0, 100, 100), &options, NULL);
    for (int i = 0; i < count; i++)
        tree = inserted(tree, (pqt_item){shape_box(i), (uint64_t)i});
    return tree;
}

static const pqt_map *
numbers_of(int count)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    const pqt_map *map = pqt_map_make(&options, NULL);
    for (int i = 0; i < count; i++)
        map = pqt_map_insert(map, pqt_map_id((uint64_t)i), pqt_map_number(100 + (uint64_t)i), NULL);
    return map;
}

/* Returns a document of `count` shapes, each with a colour. */
static const pqt_document *
plan_of(int count)
{
    const pqt_part parts[] = {
        {"shapes", PQT_KIND_TREE, shapes_with(count), NULL},
        {"colours", PQT_KIND_MAP, numbers_of(count), "shapes"},
    };
    pqt_error error = {0};
    const pqt_document *plan = pqt_document_make(parts, 2, &error);
    ck_assert_msg(plan != NULL, "%s", error.text);
    return plan;
}

static const pqt_document *
without(const pqt_document *plan, uint64_t id)
{
    const pqt_tree *shapes = pqt_tree_remove_id(pqt_document_tree(plan, "shapes"), id, NULL);
    return pqt_document_set_tree(plan, "shapes", shapes, NULL);
}

static const pqt_document *
coloured(const pqt_document *plan, uint64_t id, uint64_t colour)
{
    const pqt_map *colours = pqt_map_insert(pqt_document_map(plan, "colours"), pqt_map_id(id),
                                            pqt_map_number(colour), NULL);
    return pqt_document_set_map(plan, "colours", colours, NULL);
}

static const pqt_document *
moved_to(const pqt_document *plan, uint64_t id, int place)
{
    const pqt_tree *shapes =
        pqt_tree_move_id(pqt_document_tree(plan, "shapes"), id, shape_box(place), NULL);
    return pqt_document_set_tree(plan, "shapes", shapes, NULL);
}

static bool
has_colour(const pqt_document *plan, uint64_t id, uint64_t colour)
{
    pqt_map_value value;
    return pqt_map_find(pqt_document_map(plan, "colours"), pqt_map_id(id), &value) &&
           value.number == colour;
}

static void
expect_refused(const pqt_part *parts, size_t count, pqt_status status, size_t index,
               const char *text)
{
    pqt_error error = {0};
    ck_assert_ptr_null(pqt_document_make(parts, count, &error));
    expect_failure(&error, status, index, text);
}

static bool
count_any(const pqt_document_change *change, void *context)
{
    (void)change;
    ++*(size_t *)context;
    return true;
}

/* ---- Making and reading ---- */

START_TEST(parts_are_in_the_order_of_their_names)
{
    const pqt_document *plan = plan_of(3);
    size_t index = 9;
    ck_assert_uint_eq(pqt_document_count(plan), 2);
    const pqt_part first = pqt_document_get_part(plan, 0), second = pqt_document_get_part(plan, 1);
    ck_assert_str_eq(first.name, "colours");
    ck_assert_int_eq(first.kind, PQT_KIND_MAP);
    ck_assert_str_eq(first.keyed_by, "shapes");
    ck_assert_ptr_eq(first.version, pqt_document_map(plan, "colours"));
    ck_assert_str_eq(second.name, "shapes");
    ck_assert_ptr_null(second.keyed_by);
    ck_assert(pqt_document_find(plan, "shapes", &index));
    ck_assert_uint_eq(index, 1);
    ck_assert(!pqt_document_find(plan, "shape", &index));
    ck_assert(!pqt_document_find(plan, "shapes2", NULL));
    ck_assert_ptr_eq(pqt_document_memory(plan), arena);
}
END_TEST

START_TEST(a_missing_part_is_null)
{
    pqt_error error = {0};
    const pqt_region *region = pqt_region_make(arena, &error);
    const pqt_part parts[] = {{"mask", PQT_KIND_REGION, region, NULL},
                              {"shapes", PQT_KIND_TREE, small_tree(2), NULL}};
    const pqt_document *document = pqt_document_make(parts, 2, &error);
    ck_assert_msg(document != NULL, "%s", error.text);
    ck_assert_ptr_eq(pqt_document_region(document, "mask"), region);
    static const char *const others[] = {"", "mas", "masks", "shape", "z"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert_ptr_null(pqt_document_tree(document, others[i]));
        ck_assert_ptr_null(pqt_document_map(document, others[i]));
        ck_assert_ptr_null(pqt_document_region(document, others[i]));
        ck_assert_ptr_null(pqt_document_world(document, others[i]));
    }
    ck_assert_ptr_null(pqt_document_tree(document, "mask"));
    ck_assert_ptr_null(pqt_document_map(document, "mask"));
    ck_assert_ptr_null(pqt_document_region(document, "shapes"));
    ck_assert_ptr_null(pqt_document_world(document, "shapes"));
    ck_assert_ptr_null(pqt_document_tree(NULL, "shapes"));
    ck_assert_ptr_null(pqt_document_map(NULL, "shapes"));
    ck_assert_ptr_null(pqt_document_region(NULL, "shapes"));
    ck_assert_ptr_null(pqt_document_world(NULL, "shapes"));
}
END_TEST

START_TEST(the_order_of_the_given_parts_does_not_matter)
{
    const pqt_part parts[] = {
        {"colours", PQT_KIND_MAP, numbers_of(3), "shapes"},
        {"shapes", PQT_KIND_TREE, shapes_with(3), NULL},
    };
    const pqt_document *a = plan_of(3), *b = pqt_document_make(parts, 2, NULL);
    ck_assert(pqt_document_equals(a, b));
    ck_assert_uint_eq(pqt_document_fingerprint(a).low, pqt_document_fingerprint(b).low);
    ck_assert_uint_eq(pqt_document_fingerprint(a).high, pqt_document_fingerprint(b).high);
}
END_TEST

START_TEST(documents_with_different_schemas_differ)
{
    const pqt_part parts[][2] = {{{"colours", PQT_KIND_MAP, numbers_of(3), NULL},
                                  {"shapes", PQT_KIND_TREE, shapes_with(3), NULL}},
                                 {{"colourS", PQT_KIND_MAP, numbers_of(3), "shapes"},
                                  {"shapes", PQT_KIND_TREE, shapes_with(3), NULL}},
                                 {{"colours", PQT_KIND_TREE, shapes_with(3), NULL},
                                  {"shapes", PQT_KIND_TREE, shapes_with(3), NULL}}};
    const char *const names[] = {"colours", "colourS", "colours"};
    const pqt_document *plan = plan_of(3);
    for (size_t i = 0; i < 3; i++) {
        pqt_error errors[2] = {{0}};
        char text[80];
        const pqt_document *other = pqt_document_make(parts[i], 2, NULL);
        snprintf(text, sizeof text, "%s: the kind or the keys of this part differ", names[i]);
        ck_assert(!pqt_document_equals(plan, other));
        ck_assert_uint_ne(pqt_document_fingerprint(plan).low, pqt_document_fingerprint(other).low);
        ck_assert_ptr_null(pqt_document_merge(plan, plan, other, NULL, &errors[0]));
        expect_failure(&errors[0], PQT_ERROR_MISMATCH, 0, text);
        ck_assert(!pqt_document_visit_diff(plan, other, count_any, NULL, &errors[1]));
        expect_failure(&errors[1], PQT_ERROR_MISMATCH, 0, text);
    }
}
END_TEST

START_TEST(invalid_parts_are_refused)
{
    char long_name[PQT_MAX_PART_NAME + 2] = {0};
    pqt_memory *other = pqt_arena_make(0, NULL);
    pqt_map_options by_bytes = PQT_MAP_DEFAULTS;
    pqt_tree_options plain = options_of(24, 24);
    by_bytes.keys = PQT_MAP_BYTE_KEYS;
    by_bytes.memory = arena;
    memset(long_name, 'a', sizeof long_name - 1);
    pqt_part parts[PQT_MAX_PARTS + 1] = {{"shapes", PQT_KIND_TREE, shapes_with(3), NULL},
                                         {"colours", PQT_KIND_MAP, numbers_of(3), "shapes"}};
    const pqt_part right = parts[1];

    expect_refused(parts, 0, PQT_ERROR_LIMIT, 0, "parts: 0 parts, not 1 to 16");
    expect_refused(parts, 17, PQT_ERROR_LIMIT, 0, "parts: 17 parts, not 1 to 16");
    parts[1].name = long_name;
    expect_refused(parts, 2, PQT_ERROR_OPTION, 1,
                   "part 1: the name is empty, longer than 63 bytes, or has control characters");
    long_name[PQT_MAX_PART_NAME] = '\0';
    ck_assert_ptr_nonnull(pqt_document_make(parts, 2, NULL));
    parts[1].name = "";
    expect_refused(parts, 2, PQT_ERROR_OPTION, 1,
                   "part 1: the name is empty, longer than 63 bytes, or has control characters");
    parts[1].name = "shapes";
    expect_refused(parts, 2, PQT_ERROR_OPTION, 1, "shapes: two parts have this name");
    parts[1] = right;
    parts[1].kind = PQT_KIND_DOCUMENT;
    expect_refused(parts, 2, PQT_ERROR_OPTION, 1, "colours: kind is 5, not the kind of a part");
    parts[1] = right;
    parts[1].keyed_by = "shape";
    expect_refused(parts, 2, PQT_ERROR_OPTION, 1,
                   "colours: keyed_by names no tree with unique ids");
    parts[1] = right;
    parts[1].version = pqt_map_make(&by_bytes, NULL);
    expect_refused(parts, 2, PQT_ERROR_OPTION, 1,
                   "colours: keyed_by is set, but this is not a map of ids");
    parts[1].version = numbers_of(4);
    expect_refused(parts, 2, PQT_ERROR_MISMATCH, 1,
                   "colours: no item has the id 3, which is a key");
    parts[1].version = pqt_map_copy(numbers_of(3), other, NULL);
    expect_refused(parts, 2, PQT_ERROR_MISMATCH, 1,
                   "colours: the map is not in the memory of the first part");
    parts[1] = right;
    parts[0].version = pqt_tree_make(box(0, 0, 1, 1), &plain, NULL);
    expect_refused(parts, 2, PQT_ERROR_OPTION, 1,
                   "colours: keyed_by names no tree with unique ids");
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_document_may_have_sixteen_parts)
{
    pqt_part parts[PQT_MAX_PARTS];
    char names[PQT_MAX_PARTS][8];
    for (size_t count = 1; count <= PQT_MAX_PARTS; count++) {
        for (size_t i = 0; i < count; i++) {
            snprintf(names[i], sizeof names[i], "%zu", i);
            parts[i] = (pqt_part){names[i], PQT_KIND_MAP, numbers_of((int)i), NULL};
        }
        const pqt_document *document = pqt_document_make(parts, count, NULL);
        ck_assert(pqt_document_check(document, NULL));
        ck_assert_uint_eq(pqt_document_count(document), count);
        ck_assert_uint_eq(pqt_map_count(pqt_document_map(document, names[count - 1])), count - 1);
    }
}
END_TEST

/* ---- Setting parts ---- */

START_TEST(setting_the_same_part_returns_the_same_document)
{
    const pqt_document *plan = plan_of(3);
    ck_assert_ptr_eq(pqt_document_set_tree(plan, "shapes", pqt_document_tree(plan, "shapes"), NULL),
                     plan);
    ck_assert_ptr_eq(pqt_document_set_parts(plan, NULL, 0, NULL), plan);
}
END_TEST

START_TEST(removing_an_item_removes_its_attributes)
{
    const pqt_document *plan = plan_of(5), *next = without(plan, 2);
    ck_assert(has_colour(plan, 2, 102));
    ck_assert(!has_colour(next, 2, 102));
    ck_assert_uint_eq(pqt_map_count(pqt_document_map(next, "colours")), 4);
    ck_assert(pqt_document_check(next, NULL));
}
END_TEST

START_TEST(a_tree_with_different_bounds_removes_attributes_as_well)
{
    pqt_tree_options options = options_of(24, 24);
    options.unique_ids = true;
    const pqt_tree *other = pqt_tree_make(box(0, 0, 8, 8), &options, NULL);
    other = inserted(other, (pqt_item){shape_box(0), 1});
    const pqt_document *next = pqt_document_set_tree(plan_of(5), "shapes", other, NULL);
    ck_assert_uint_eq(pqt_map_count(pqt_document_map(next, "colours")), 1);
    ck_assert(has_colour(next, 1, 101));
}
END_TEST

START_TEST(a_key_without_an_item_is_refused)
{
    pqt_error errors[3] = {{0}};
    pqt_map_options by_bytes = PQT_MAP_DEFAULTS;
    pqt_tree_options plain = options_of(24, 24);
    by_bytes.keys = PQT_MAP_BYTE_KEYS;
    by_bytes.memory = arena;
    ck_assert_ptr_null(pqt_document_set_map(plan_of(5), "colours", numbers_of(6), &errors[0]));
    expect_failure(&errors[0], PQT_ERROR_MISMATCH, 0,
                   "colours: no item has the id 5, which is a key");
    ck_assert_ptr_null(
        pqt_document_set_map(plan_of(5), "colours", pqt_map_make(&by_bytes, NULL), &errors[1]));
    expect_failure(&errors[1], PQT_ERROR_MISMATCH, 0,
                   "colours: it is keyed by a tree, but its keys are not ids");
    ck_assert_ptr_null(pqt_document_set_tree(
        plan_of(5), "shapes", pqt_tree_make(box(0, 0, 1, 1), &plain, NULL), &errors[2]));
    expect_failure(&errors[2], PQT_ERROR_MISMATCH, 0,
                   "colours: the tree that it is keyed by has no unique ids");
}
END_TEST

START_TEST(items_and_attributes_are_set_at_once)
{
    pqt_error errors[3] = {{0}};
    const pqt_part parts[] = {{"colours", PQT_KIND_MAP, numbers_of(6), NULL},
                              {"shapes", PQT_KIND_TREE, shapes_with(6), NULL},
                              {"colours", PQT_KIND_MAP, numbers_of(6), NULL},
                              {"colours", PQT_KIND_TREE, shapes_with(6), NULL}};
    const pqt_document *plan = plan_of(5);
    const pqt_document *next = pqt_document_set_parts(plan, parts, 2, NULL);
    ck_assert(has_colour(next, 5, 105));
    ck_assert_ptr_null(pqt_document_set_parts(plan, parts, 3, &errors[0]));
    expect_failure(&errors[0], PQT_ERROR_OPTION, 2, "colours: it is set twice");
    ck_assert_ptr_null(pqt_document_set_parts(plan, &parts[3], 1, &errors[1]));
    expect_failure(&errors[1], PQT_ERROR_OPTION, 0, "colours: no tree has this name");
}
END_TEST

START_TEST(a_part_in_another_memory_is_refused)
{
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_map *map = pqt_map_copy(numbers_of(2), other, NULL);
    ck_assert_ptr_null(pqt_document_set_map(plan_of(5), "colours", map, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0,
                   "colours: the map is not in the memory of the document");
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_failure_is_passed_through_a_chain_of_edits)
{
    pqt_error error = {0};
    const pqt_document *plan = plan_of(2);
    const pqt_tree *refused =
        pqt_tree_insert(pqt_document_tree(plan, "shapes"), (pqt_item){box(3, 3, 1, 1), 9}, &error);
    plan = pqt_document_set_tree(plan, "shapes", refused, &error);
    plan = pqt_document_set_map(plan, "colours", pqt_document_map(plan, "colours"), &error);
    ck_assert_ptr_null(plan);
    ck_assert_int_eq(error.status, PQT_ERROR_BOX);
}
END_TEST

/* ---- Conflicts ---- */

typedef struct one_answer {
    pqt_document_resolution resolution;
    pqt_document_conflict_kind kind;
    size_t calls;
    uint64_t id;
} one_answer;

static pqt_document_resolution
give_answer(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    one_answer *given = context;
    (void)answer;
    given->calls++;
    ck_assert_int_eq(conflict->kind, given->kind);
    given->id = conflict->item != NULL ? conflict->item->id : 0;
    return given->resolution;
}

static const pqt_document *
merged_by(const pqt_document *base, const pqt_document *ours, const pqt_document *theirs,
          one_answer *given, pqt_error *error)
{
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    options.resolve = give_answer;
    options.context = given;
    return pqt_document_merge(base, ours, theirs, &options, error);
}

START_TEST(an_item_removed_by_one_side_and_recoloured_by_the_other_is_a_conflict)
{
    const pqt_document *base = plan_of(5), *removed = without(base, 2);
    const pqt_document *recoloured = coloured(base, 2, 7);
    pqt_error errors[3] = {{0}};
    one_answer given = {PQT_DOCUMENT_KEEP_THEIRS, PQT_CONFLICT_REMOVED_ITEM, 0, 0};
    const pqt_document *merged = merged_by(base, removed, recoloured, &given, NULL);
    ck_assert_ptr_eq(merged, recoloured);
    ck_assert_uint_eq(given.calls, 1);
    ck_assert_uint_eq(given.id, 2);
    given.resolution = PQT_DOCUMENT_KEEP_OURS;
    ck_assert_ptr_eq(merged_by(base, removed, recoloured, &given, NULL), removed);
    given.resolution = PQT_DOCUMENT_KEEP_BASE;
    ck_assert_ptr_eq(merged_by(base, removed, recoloured, &given, NULL), base);
    given.resolution = PQT_DOCUMENT_KEEP_NEITHER;
    ck_assert(pqt_document_equals(merged_by(base, recoloured, removed, &given, NULL), removed));
    given.resolution = PQT_DOCUMENT_KEEP_ANSWER;
    ck_assert_ptr_null(merged_by(base, removed, recoloured, &given, &errors[0]));
    expect_failure(&errors[0], PQT_ERROR_CALLBACK, 0,
                   "shapes: resolution 5 does not apply to the removed id 2");
    ck_assert_ptr_null(pqt_document_merge(base, recoloured, removed, NULL, &errors[1]));
    expect_failure(&errors[1], PQT_ERROR_CONFLICT, 0,
                   "shapes: one side removed id 2, and the other changed it");
}
END_TEST

/* Returns the number of blocks that a merge makes if one side removed all items and the other
 * recoloured them. */
static size_t
blocks_of_merge(pqt_document_resolution resolution)
{
    enum { ITEMS = 2000 };
    const pqt_document *base = plan_of(ITEMS), *removed = base, *recoloured = base;
    for (uint64_t id = 0; id < ITEMS; id++) {
        removed = without(removed, id);
        recoloured = coloured(recoloured, id, 7);
    }
    one_answer given = {resolution, PQT_CONFLICT_REMOVED_ITEM, 0, 0};
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    const pqt_document *merged = merged_by(base, removed, recoloured, &given, NULL);
    hooks_stop();
    ck_assert_uint_eq(given.calls, ITEMS);
    ck_assert(pqt_document_equals(merged, resolution == PQT_DOCUMENT_KEEP_THEIRS ? recoloured
                                          : resolution == PQT_DOCUMENT_KEEP_BASE ? base
                                                                                 : removed));
    return hooks_kept_blocks(&watch);
}

START_TEST(decisions_on_many_removed_items_make_each_block_once)
{
    ck_assert_uint_le(blocks_of_merge(PQT_DOCUMENT_KEEP_THEIRS), 2000);
    ck_assert_uint_le(blocks_of_merge(PQT_DOCUMENT_KEEP_BASE), 3000);
    ck_assert_uint_le(blocks_of_merge(PQT_DOCUMENT_KEEP_NEITHER), 20);
}
END_TEST

START_TEST(an_item_removed_by_one_side_and_moved_by_the_other_is_the_same_conflict)
{
    const pqt_document *base = plan_of(5);
    one_answer given = {PQT_DOCUMENT_KEEP_OURS, PQT_CONFLICT_REMOVED_ITEM, 0, 0};
    const pqt_document *moved = moved_to(base, 4, 9);
    const pqt_document *merged = merged_by(base, moved, without(base, 4), &given, NULL);
    ck_assert_ptr_eq(merged, moved);
    ck_assert(has_colour(merged, 4, 104));
}
END_TEST

START_TEST(a_box_and_a_colour_changed_on_two_sides_are_not_a_conflict)
{
    const pqt_document *base = plan_of(5);
    const pqt_document *merged =
        pqt_document_merge(base, moved_to(base, 3, 9), coloured(base, 3, 8), NULL, NULL);
    pqt_item item;
    ck_assert(has_colour(merged, 3, 8));
    ck_assert(pqt_tree_find(pqt_document_tree(merged, "shapes"), 3, &item));
    ck_assert(pqt_item_equals(item, (pqt_item){shape_box(9), 3}));
}
END_TEST

START_TEST(an_item_removed_on_both_sides_is_not_a_conflict)
{
    const pqt_document *base = plan_of(5);
    const pqt_document *ours = without(coloured(base, 1, 5), 1);
    ck_assert_ptr_eq(pqt_document_merge(base, ours, without(base, 1), NULL, NULL), ours);
}
END_TEST

START_TEST(a_conflict_of_an_entry_names_part_and_key)
{
    const pqt_document *base = plan_of(5);
    pqt_error errors[2] = {{0}};
    one_answer given = {(pqt_document_resolution)77, PQT_CONFLICT_ENTRY, 0, 0};
    ck_assert_ptr_null(
        pqt_document_merge(base, coloured(base, 3, 1), coloured(base, 3, 2), NULL, &errors[0]));
    ck_assert_int_eq(errors[0].status, PQT_ERROR_CONFLICT);
    ck_assert_msg(strncmp(errors[0].text, "colours: ", 9) == 0 && strchr(errors[0].text, '3'), "%s",
                  errors[0].text);
    ck_assert_ptr_null(
        merged_by(base, coloured(base, 3, 1), coloured(base, 3, 2), &given, &errors[1]));
    ck_assert_int_eq(errors[1].status, PQT_ERROR_CALLBACK);
}
END_TEST

START_TEST(a_merged_part_that_equals_a_given_one_is_that_one)
{
    const pqt_document *base = plan_of(300);
    const pqt_document *removed = without(moved_to(base, 7, 9), 2);
    const pqt_document *recoloured = coloured(base, 2, 7);
    one_answer given = {PQT_DOCUMENT_KEEP_BASE, PQT_CONFLICT_REMOVED_ITEM, 0, 0};
    const pqt_document *merged = merged_by(base, removed, recoloured, &given, NULL);
    ck_assert_ptr_eq(pqt_document_map(merged, "colours"), pqt_document_map(base, "colours"));
    given.resolution = PQT_DOCUMENT_KEEP_THEIRS;
    merged = merged_by(base, removed, recoloured, &given, NULL);
    ck_assert_ptr_eq(pqt_document_map(merged, "colours"), pqt_document_map(recoloured, "colours"));
}
END_TEST

START_TEST(parts_that_cannot_be_merged_conflict_as_a_whole)
{
    document_model model = document_model_make();
    const pqt_document *base = document_of_model(&stage, &model, NULL);
    const pqt_document *ours = pqt_document_set_world(base, "balls", stage.balls[1], NULL);
    const pqt_document *theirs = pqt_document_set_world(base, "balls", stage.balls[2], NULL);
    pqt_error errors[2] = {{0}};
    one_answer given = {PQT_DOCUMENT_KEEP_THEIRS, PQT_CONFLICT_PART, 0, 0};
    ck_assert_ptr_eq(pqt_document_merge(base, ours, base, NULL, NULL), ours);
    ck_assert_ptr_eq(pqt_document_merge(base, base, theirs, NULL, NULL), theirs);
    ck_assert_ptr_eq(merged_by(base, ours, theirs, &given, NULL), theirs);
    ck_assert_ptr_null(pqt_document_merge(base, ours, theirs, NULL, &errors[0]));
    expect_failure(&errors[0], PQT_ERROR_CONFLICT, 0, "balls: both sides changed the world");
    given.resolution = PQT_DOCUMENT_KEEP_NEITHER;
    ck_assert_ptr_null(merged_by(base, ours, theirs, &given, &errors[1]));
    expect_failure(&errors[1], PQT_ERROR_CALLBACK, 0,
                   "balls: the resolution does not apply to the world");
}
END_TEST

START_TEST(regions_are_merged_by_pixel_without_conflicts)
{
    const document_model model = {.mask = 3};
    const pqt_document *base = document_of_model(&stage, &model, NULL);
    const pqt_document *ours = pqt_document_set_region(base, "mask", stage.masks[1], NULL);
    const pqt_document *theirs = pqt_document_set_region(base, "mask", stage.masks[6], NULL);
    one_answer given = {PQT_DOCUMENT_KEEP_THEIRS, PQT_CONFLICT_PART, 0, 0};
    const pqt_document *merged = merged_by(base, ours, theirs, &given, NULL);
    ck_assert_uint_eq(given.calls, 0);
    ck_assert(pqt_region_equals(pqt_document_region(merged, "mask"), stage.masks[4]));
    ck_assert(pqt_document_equals(pqt_document_merge(base, theirs, ours, NULL, NULL), merged));
}
END_TEST

static const pqt_document *
picture_of(const pqt_image *image)
{
    pqt_error error = {0};
    const pqt_part part = {"picture", PQT_KIND_IMAGE, image, NULL};
    const pqt_document *made = pqt_document_make(&part, 1, &error);
    ck_assert_msg(made != NULL, "%s", error.text);
    return made;
}

static const pqt_document *
dotted(const pqt_document *picture, int32_t x, uint8_t red)
{
    const pqt_rgba colour = {red, 0, 0, 255};
    const pqt_image *image = pqt_image_set_pixel(pqt_document_image(picture, "picture"),
                                                 (pqt_pixel){x, 5}, colour, NULL);
    return pqt_document_set_image(picture, "picture", image, NULL);
}

static uint8_t
red_at(const pqt_document *picture, int32_t x)
{
    return pqt_image_pixel(pqt_document_image(picture, "picture"), (pqt_pixel){x, 5}).r;
}

/* The box of the last conflict, and the resolution of all. */
typedef struct pixel_answer {
    pqt_document_resolution resolution;
    pqt_pixel_box box;
    size_t calls;
} pixel_answer;

static pqt_document_resolution
give_pixel_answer(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    pixel_answer *given = context;
    (void)answer;
    ck_assert_int_eq(conflict->kind, PQT_CONFLICT_PIXELS);
    ck_assert_int_eq(conflict->part_kind, PQT_KIND_IMAGE);
    ck_assert(conflict->item == NULL && conflict->entry == NULL);
    ck_assert_str_eq(conflict->part, "picture");
    given->box = *conflict->pixels;
    given->calls++;
    return given->resolution;
}

START_TEST(images_are_merged_by_pixel_and_conflicts_are_boxes)
{
    const pqt_document *base = picture_of(pqt_image_make(90, 40, (pqt_rgba){0}, arena, NULL));
    const pqt_document *ours = dotted(dotted(base, 3, 1), 70, 2);
    const pqt_document *theirs = dotted(dotted(base, 3, 9), 40, 8);
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    pixel_answer given = {PQT_DOCUMENT_KEEP_THEIRS, {{0, 0}, {0, 0}}, 0};
    options.resolve = give_pixel_answer;
    options.context = &given;
    const pqt_document *merged = pqt_document_merge(base, ours, theirs, &options, NULL);
    ck_assert_uint_eq(given.calls, 1);
    ck_assert(given.box.min.x == 3 && given.box.min.y == 5 && given.box.max.x == 4);
    ck_assert(red_at(merged, 3) == 9 && red_at(merged, 70) == 2 && red_at(merged, 40) == 8);
    given.resolution = PQT_DOCUMENT_KEEP_OURS;
    ck_assert_uint_eq(red_at(pqt_document_merge(base, ours, theirs, &options, NULL), 3), 1);
    given.resolution = PQT_DOCUMENT_KEEP_BASE;
    ck_assert_uint_eq(red_at(pqt_document_merge(base, ours, theirs, &options, NULL), 3), 0);
    pqt_error errors[2] = {{0}};
    given.resolution = PQT_DOCUMENT_KEEP_ANSWER;
    ck_assert_ptr_null(pqt_document_merge(base, ours, theirs, &options, &errors[0]));
    expect_failure(&errors[0], PQT_ERROR_CALLBACK, 0,
                   "picture: the resolution does not apply to pixels");
    ck_assert_ptr_null(pqt_document_merge(base, ours, theirs, NULL, &errors[1]));
    expect_failure(&errors[1], PQT_ERROR_CONFLICT, 0,
                   "picture: the pixels from 3, 5 to 4, 6: both sides changed them differently");
    const pqt_document *apart = dotted(base, 40, 8);
    ck_assert(pqt_document_equals(pqt_document_merge(base, dotted(base, 9, 4), apart, NULL, NULL),
                                  dotted(apart, 9, 4)));
}
END_TEST

START_TEST(images_of_different_sizes_conflict_as_a_whole)
{
    const pqt_document *base = picture_of(pqt_image_make(90, 40, (pqt_rgba){0}, arena, NULL));
    const pqt_image *small = pqt_image_make(9, 9, (pqt_rgba){0}, arena, NULL);
    const pqt_document *ours = dotted(base, 3, 1);
    const pqt_document *theirs = pqt_document_set_image(base, "picture", small, NULL);
    pqt_error error = {0};
    one_answer given = {PQT_DOCUMENT_KEEP_THEIRS, PQT_CONFLICT_PART, 0, 0};
    ck_assert_ptr_eq(merged_by(base, ours, theirs, &given, NULL), theirs);
    ck_assert_uint_eq(given.calls, 1);
    ck_assert_ptr_null(pqt_document_merge(base, ours, theirs, NULL, &error));
    expect_failure(&error, PQT_ERROR_CONFLICT, 0, "picture: both sides changed the image");
}
END_TEST

START_TEST(maps_of_different_kinds_are_not_merged)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.values = PQT_MAP_BYTE_VALUES;
    options.memory = arena;
    pqt_error errors[2] = {{0}};
    size_t calls = 0;
    const pqt_document *base = plan_of(3);
    const pqt_document *other =
        pqt_document_set_map(base, "colours", pqt_map_make(&options, NULL), NULL);
    ck_assert_ptr_null(pqt_document_merge(base, without(base, 1), other, NULL, &errors[0]));
    expect_failure(&errors[0], PQT_ERROR_MISMATCH, 0,
                   "colours: the maps' kinds of keys or values differ");
    ck_assert(!pqt_document_visit_diff(base, other, count_any, &calls, &errors[1]));
    expect_failure(&errors[1], PQT_ERROR_MISMATCH, 0,
                   "colours: the maps' kinds of keys or values differ");
}
END_TEST

/* ---- Copies and bytes ---- */

START_TEST(copies_share_what_the_documents_share)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_document *plan = plan_of(300), *copies[3];
    const pqt_document *documents[] = {plan, coloured(plan, 17, 3), plan};
    ck_assert(pqt_document_copy_all(documents, 3, other, copies, NULL));
    const size_t both = (size_t)pqt_memory_get_stats(other).bytes;
    ck_assert_ptr_eq(copies[0], copies[2]);
    ck_assert_ptr_eq(pqt_document_tree(copies[0], "shapes"),
                     pqt_document_tree(copies[1], "shapes"));
    for (int i = 0; i < 2; i++) {
        ck_assert(pqt_document_equals(documents[i], copies[i]));
        ck_assert(pqt_document_check(copies[i], NULL));
        ck_assert_ptr_eq(pqt_document_copy(copies[i], other, NULL), copies[i]);
    }
    pqt_document_stats stats;
    ck_assert(pqt_document_get_stats(copies[0], &stats, NULL));
    ck_assert_uint_lt(both, stats.bytes * 3 / 2 + 65536);
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(copies_of_versions_of_one_document_share_its_schema)
{
    enum { COPIES = 5 };
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_document *plan = plan_of(30), *there = pqt_document_copy(plan, other, NULL);
    const pqt_document *strange = document_of_model(&stage, &(document_model){.mask = 0}, NULL);
    const pqt_document *documents[COPIES] = {plan, there, coloured(plan, 1, 3), strange,
                                             coloured(plan, 2, 4)};
    const pqt_document *copies[COPIES];
    size_t apart, together;
    ck_assert(pqt_document_copy_all(documents, COPIES, other, copies, NULL));
    ck_assert_ptr_eq(copies[1], there);
    for (int i = 2; i < COPIES; i += 2) {
        const pqt_document *both[] = {copies[0], documents[0]};
        ck_assert(pqt_document_exclusive_bytes(documents[i], &both[1], 1, &apart, NULL));
        ck_assert(pqt_document_exclusive_bytes(copies[i], &both[0], 1, &together, NULL));
        ck_assert_uint_eq(together, apart);
    }
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(exclusive_bytes_are_those_that_a_change_made)
{
    pqt_document_stats stats;
    size_t exclusive = 0, none = 9;
    const pqt_document *plan = plan_of(300);
    hooks watch = {.fail_at = 0};
    hooks_start(&watch);
    const pqt_document *next = coloured(plan, 17, 3);
    hooks_stop();
    ck_assert(pqt_document_exclusive_bytes(next, &plan, 1, &exclusive, NULL));
    ck_assert_uint_gt(exclusive, 0);
    ck_assert_uint_eq(exclusive, hooks_kept_bytes(&watch));
    ck_assert(pqt_document_exclusive_bytes(next, &next, 1, &none, NULL));
    ck_assert_uint_eq(none, 0);
    ck_assert(pqt_document_get_stats(plan, &stats, NULL));
    ck_assert_uint_eq(stats.parts, 2);
    ck_assert_uint_gt(stats.bytes, 20 * exclusive);
}
END_TEST

START_TEST(a_part_that_occurs_twice_counts_once)
{
    pqt_document_stats one, two;
    const pqt_map *map = numbers_of(300);
    const pqt_part parts[] = {{"a", PQT_KIND_MAP, map, NULL}, {"b", PQT_KIND_MAP, map, NULL}};
    ck_assert(pqt_document_get_stats(pqt_document_make(parts, 1, NULL), &one, NULL));
    ck_assert(pqt_document_get_stats(pqt_document_make(parts, 2, NULL), &two, NULL));
    ck_assert_uint_lt(two.bytes, one.bytes + 100);
}
END_TEST

/* Returns a document whose region is the obstacle of its world, and whose tree is the tree of its
 * world. */
static const pqt_document *
plan_with_obstacle(const pqt_document *plan, pqt_vec disc)
{
    pqt_error error = {0};
    const pqt_region *mask = pqt_document_region(plan, "mask");
    mask = pqt_region_paint(mask, pqt_paint_disc(PQT_PAINT_SET, disc, 40), &error);
    const pqt_body body = {
        .id = (uint64_t)disc.x, .position = {disc.x / 10, 50}, .radius = 2, .mass = 1};
    const pqt_world *balls = pqt_world_add(pqt_document_world(plan, "balls"), body, &error);
    balls = pqt_world_set_obstacle(balls, (pqt_obstacle){mask, {0, 0}}, &error);
    const pqt_part parts[] = {{"mask", PQT_KIND_REGION, mask, NULL},
                              {"balls", PQT_KIND_WORLD, balls, NULL},
                              {"boxes", PQT_KIND_TREE, pqt_world_tree(balls), NULL}};
    plan = pqt_document_set_parts(plan, parts, 3, &error);
    ck_assert_msg(plan != NULL, "%s", error.text);
    return plan;
}

static size_t
bytes_in_use(pqt_memory *heap)
{
    pqti_collect(heap);
    return (size_t)pqt_memory_get_stats(heap).used_bytes;
}

START_TEST(blocks_that_parts_of_two_kinds_share_count_once)
{
    pqt_memory *heap = pqt_heap_make(NULL, NULL);
    ck_assert(pqt_scope_begin(heap, NULL));
    document_stage_make(&stage, heap);
    const pqt_part parts[] = {{"mask", PQT_KIND_REGION, stage.masks[0], NULL},
                              {"balls", PQT_KIND_WORLD, stage.balls[0], NULL},
                              {"boxes", PQT_KIND_TREE, pqt_world_tree(stage.balls[0]), NULL}};
    const pqt_document *plan = pqt_document_make(parts, 3, NULL);
    for (int i = 0; i < 20; i++)
        plan = plan_with_obstacle(plan, (pqt_vec){30.0 + 40 * i, 100});
    const pqt_document *next = plan_with_obstacle(plan, (pqt_vec){910, 300});
    pqt_pin *pins[] = {pqt_document_pin(plan, NULL), pqt_document_pin(next, NULL)};
    pqt_scope_end(heap);
    const size_t both = bytes_in_use(heap);
    pqt_document_stats of_next;
    size_t exclusive;
    ck_assert(pqt_document_exclusive_bytes(plan, &next, 1, &exclusive, NULL));
    ck_assert(pqt_document_get_stats(next, &of_next, NULL));
    pqt_unpin(&pins[0]);
    ck_assert_uint_eq(both - bytes_in_use(heap), exclusive);
    /* The domain of the tree is not counted. */
    ck_assert_uint_le(of_next.bytes, bytes_in_use(heap));
    ck_assert_uint_lt(bytes_in_use(heap), of_next.bytes + 1024);
    pqt_unpin(&pins[1]);
    pqt_heap_destroy(&heap);
}
END_TEST

START_TEST(the_check_finds_a_key_without_an_item)
{
    pqt_error error = {0};
    const pqt_document *plan = plan_of(3);
    _Alignas(pqt_document) unsigned char block[sizeof(pqt_document) + 2 * sizeof(void *)];
    pqt_document *broken = (pqt_document *)(void *)block;
    memcpy(broken, plan, sizeof block);
    broken->parts[1] = shapes_with(2);
    ck_assert(!pqt_document_check(broken, &error));
    expect_failure(&error, PQT_ERROR_CORRUPT, 0, "colours: no item has the id 2, which is a key");
}
END_TEST

/* ---- Conflicts of items ---- */

enum { OUR_PLACE = 9, THEIR_PLACE = 11 };

/* Returns a document of one tree, in which several items may have the same id. The item with the
   id 3 is at `place`. */
static const pqt_document *
loose_plan(int place)
{
    const pqt_tree *tree = inserted(small_tree(2), (pqt_item){shape_box(1), 1});
    const pqt_part part = {"shapes", PQT_KIND_TREE, inserted(tree, (pqt_item){shape_box(place), 3}),
                           NULL};
    return pqt_document_make(&part, 1, NULL);
}

static bool
has_item_at(const pqt_document *plan, int place)
{
    return pqt_tree_contains(pqt_document_tree(plan, "shapes"), (pqt_item){shape_box(place), 3});
}

START_TEST(a_conflict_of_an_item_is_resolved_by_each_resolution)
{
    static const struct {
        pqt_document_resolution resolution;
        bool base, ours, theirs;
    } cases[] = {
        {PQT_DOCUMENT_KEEP_OURS, false, true, false},
        {PQT_DOCUMENT_KEEP_THEIRS, false, false, true},
        {PQT_DOCUMENT_KEEP_NEITHER, false, false, false},
        {PQT_DOCUMENT_KEEP_BASE, true, false, false},
        {PQT_DOCUMENT_KEEP_BOTH, false, true, true},
    };
    const pqt_document *base = loose_plan(3);
    const pqt_document *ours = loose_plan(OUR_PLACE), *theirs = loose_plan(THEIR_PLACE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        one_answer given = {cases[i].resolution, PQT_CONFLICT_ITEM, 0, 0};
        pqt_error error = {0};
        const pqt_document *merged = merged_by(base, ours, theirs, &given, &error);
        ck_assert_msg(merged != NULL, "%zu: %s", i, error.text);
        ck_assert_uint_eq(given.calls, 1);
        ck_assert_msg(has_item_at(merged, 3) == cases[i].base, "%zu: base", i);
        ck_assert_msg(has_item_at(merged, OUR_PLACE) == cases[i].ours, "%zu: ours", i);
        ck_assert_msg(has_item_at(merged, THEIR_PLACE) == cases[i].theirs, "%zu: theirs", i);
        ck_assert_uint_eq(pqt_tree_count(pqt_document_tree(merged, "shapes")),
                          1U + cases[i].base + cases[i].ours + cases[i].theirs);
    }
}
END_TEST

START_TEST(an_unknown_resolution_of_an_item_is_refused)
{
    one_answer given = {(pqt_document_resolution)77, PQT_CONFLICT_ITEM, 0, 0};
    pqt_error error = {0};
    ck_assert_ptr_null(
        merged_by(loose_plan(3), loose_plan(OUR_PLACE), loose_plan(THEIR_PLACE), &given, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CALLBACK);
    ck_assert_uint_eq(given.calls, 1);
}
END_TEST

/* The tree keys a map or not. */
START_TEST(trees_with_other_bounds_are_not_merged)
{
    pqt_tree_options options = options_of(24, 24);
    options.unique_ids = true;
    const pqt_part part = {"shapes", PQT_KIND_TREE, shapes_with(3), NULL};
    const pqt_document *base = _i % 2 == 0 ? plan_of(3) : pqt_document_make(&part, 1, NULL);
    const pqt_tree *shapes = pqt_tree_make(box(0, 0, 200, 100), &options, NULL);
    const pqt_document *other = pqt_document_set_tree(base, "shapes", shapes, NULL);
    pqt_error error = {0};
    ck_assert_ptr_nonnull(other);
    ck_assert_ptr_null(_i / 2 == 0 ? pqt_document_merge(base, base, other, NULL, &error)
                                   : pqt_document_merge(base, other, base, NULL, &error));
    expect_failure(&error, PQT_ERROR_MISMATCH, 0, "shapes: the versions differ in bounds");
}
END_TEST

START_TEST(documents_in_two_memories_are_not_merged)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_document *plan = plan_of(3), *copy = pqt_document_copy(plan, other, NULL);
    const pqt_document *sides[2][2] = {{plan, copy}, {copy, plan}};
    for (int i = 0; i < 2; i++) {
        pqt_error error = {0};
        ck_assert_ptr_null(pqt_document_merge(plan, sides[i][0], sides[i][1], NULL, &error));
        expect_failure(&error, PQT_ERROR_MISMATCH, 0,
                       "memory: the documents are in different memories");
    }
    pqt_arena_destroy(&other);
}
END_TEST

START_TEST(a_part_that_only_one_document_has_is_named)
{
    const pqt_part parts[] = {{"a", PQT_KIND_MAP, numbers_of(1), NULL},
                              {"b", PQT_KIND_MAP, numbers_of(1), NULL},
                              {"c", PQT_KIND_MAP, numbers_of(1), NULL}};
    const pqt_document *few = pqt_document_make(parts, 2, NULL);
    const pqt_document *many = pqt_document_make(parts, 3, NULL);
    const pqt_document *pairs[2][2] = {{few, many}, {many, few}};
    for (int i = 0; i < 2; i++) {
        pqt_error error = {0};
        ck_assert_ptr_null(pqt_document_merge(pairs[i][0], pairs[i][1], pairs[i][1], NULL, &error));
        ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
        ck_assert_msg(strncmp(error.text, "c: ", 3) == 0, "%s", error.text);
    }
}
END_TEST

/* ---- Damaged documents ---- */

/* A document in memory that may be written to, with a schema of its own. */
typedef struct damaged_document {
    _Alignas(pqt_document) unsigned char block[sizeof(pqt_document) + 2 * sizeof(void *)];
    _Alignas(pqti_schema) unsigned char schema_block[sizeof(pqti_schema) + 64];
    pqt_document *document;
    pqti_schema *schema;
} damaged_document;

/* Copies a plan of two shapes. Part 0 is the map "colours", and part 1 the tree "shapes". */
static void
copy_to_damage(damaged_document *copy)
{
    const pqt_document *plan = plan_of(2);
    copy->document = (pqt_document *)(void *)copy->block;
    copy->schema = (pqti_schema *)(void *)copy->schema_block;
    memcpy(copy->block, plan, sizeof copy->block);
    ck_assert_uint_le(plan->schema->size, sizeof copy->schema_block);
    memcpy(copy->schema_block, plan->schema, plan->schema->size);
    copy->document->schema = copy->schema;
    ck_assert(pqt_document_check(copy->document, NULL));
}

static void
have_no_parts(damaged_document *copy)
{
    copy->schema->count = 0;
}

static void
have_too_many_parts(damaged_document *copy)
{
    copy->schema->count = PQT_MAX_PARTS + 1;
}

static void
have_too_large_a_schema(damaged_document *copy)
{
    copy->schema->size = PQTI_MAX_SCHEMA + 1;
}

static void
begin_a_name_outside(damaged_document *copy)
{
    copy->schema->parts[1].name = (uint16_t)(copy->schema->size - sizeof *copy->schema);
}

static void
end_no_name(damaged_document *copy)
{
    copy->schema->size--;
}

static void
empty_a_name(damaged_document *copy)
{
    copy->schema->names[0] = 0;
}

static void
repeat_a_name(damaged_document *copy)
{
    copy->schema->parts[1].name = copy->schema->parts[0].name;
}

static void
exchange_the_names(damaged_document *copy)
{
    const uint16_t first = copy->schema->parts[0].name;
    copy->schema->parts[0].name = copy->schema->parts[1].name;
    copy->schema->parts[1].name = first;
}

static void
have_a_kind_too_small(damaged_document *copy)
{
    copy->schema->parts[0].kind = PQT_KIND_TREE - 1;
}

static void
have_a_kind_too_large(damaged_document *copy)
{
    copy->schema->parts[0].kind = PQT_KIND_MAP + 1;
}

static void
be_keyed_by_no_part(damaged_document *copy)
{
    copy->schema->parts[0].keyed_by = 2;
}

static void
be_keyed_by_a_map(damaged_document *copy)
{
    copy->schema->parts[0].keyed_by = 0;
}

static void
key_a_tree(damaged_document *copy)
{
    copy->schema->parts[1].keyed_by = 1;
}

static void
lose_a_part(damaged_document *copy)
{
    copy->document->parts[1] = NULL;
}

static void
damage_a_part(damaged_document *copy)
{
    const pqt_tree *tree = copy->document->parts[1];
    ((pqt_tree *)(uintptr_t)tree)->fingerprint.low ^= 1;
}

static void
have_a_map_without_ids(damaged_document *copy)
{
    pqt_map_options by_bytes = PQT_MAP_DEFAULTS;
    by_bytes.keys = PQT_MAP_BYTE_KEYS;
    by_bytes.memory = arena;
    copy->document->parts[0] = pqt_map_make(&by_bytes, NULL);
}

#define OUT_OF_RANGE "schema: the number of parts is out of its range"
#define WRONG_NAME "schema: a name is invalid, or not in order"

static const struct {
    void (*damage)(damaged_document *copy);
    const char *text;
} damages[] = {
    {have_no_parts, OUT_OF_RANGE},
    {have_too_many_parts, OUT_OF_RANGE},
    {have_too_large_a_schema, OUT_OF_RANGE},
    {begin_a_name_outside, WRONG_NAME},
    {end_no_name, WRONG_NAME},
    {empty_a_name, WRONG_NAME},
    {repeat_a_name, WRONG_NAME},
    {exchange_the_names, WRONG_NAME},
    {have_a_kind_too_small, "colours: its kind or its tree is invalid"},
    {have_a_kind_too_large, "colours: its kind or its tree is invalid"},
    {be_keyed_by_no_part, "colours: its kind or its tree is invalid"},
    {be_keyed_by_a_map, "colours: its kind or its tree is invalid"},
    {key_a_tree, "shapes: its kind or its tree is invalid"},
    {lose_a_part, "shapes: the part is NULL"},
    {damage_a_part, "shapes: "},
    {have_a_map_without_ids, "colours: it is keyed by a tree, but its keys are not ids"},
};

START_TEST(the_check_finds_each_kind_of_damage)
{
    damaged_document copy;
    pqt_error error = {0};
    copy_to_damage(&copy);
    damages[_i].damage(&copy);
    ck_assert(!pqt_document_check(copy.document, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_CORRUPT);
    ck_assert_msg(strncmp(error.text, damages[_i].text, strlen(damages[_i].text)) == 0,
                  "%s, not %s", error.text, damages[_i].text);
}
END_TEST

START_TEST(the_check_finds_a_part_in_another_memory)
{
    damaged_document copy;
    pqt_error error = {0};
    pqt_memory *other = pqt_arena_make(0, NULL);
    copy_to_damage(&copy);
    copy.document->parts[0] = pqt_map_copy(copy.document->parts[0], other, NULL);
    ck_assert(!pqt_document_check(copy.document, &error));
    expect_failure(&error, PQT_ERROR_CORRUPT, 0,
                   "colours: the part is not in the memory of the document");
    pqt_arena_destroy(&other);
}
END_TEST

/* ---- Heads and histories ---- */

static const void *
recolour(const void *now, void *context, pqt_error *error)
{
    (void)error;
    return coloured(now, 1, *(uint64_t *)context);
}

START_TEST(heads_hold_documents)
{
    uint64_t number = 0, colour = 5;
    const pqt_document *plan = plan_of(3);
    pqt_head *head = pqt_head_make(plan, NULL);
    ck_assert_ptr_eq(pqt_head_load_document(head, &number), plan);
    ck_assert(pqt_head_publish(head, without(plan, 2), NULL));
    const pqt_document *next = pqt_head_update(head, recolour, &colour, &number, NULL);
    ck_assert_uint_eq(number, 3);
    ck_assert(has_colour(next, 1, 5));
    pqt_pin *pin = pqt_head_pin(head, &number, NULL);
    ck_assert_ptr_eq(pqt_pin_get_document(pin), next);
    pqt_unpin(&pin);
    pqt_head_destroy(&head);
}
END_TEST

static void
push(pqt_history *history, const pqt_document *plan, double time)
{
    pqt_error error = {0};
    ck_assert_msg(pqt_history_push(history, plan, &(pqt_history_entry_info){.time = time}, &error),
                  "%s", error.text);
}

START_TEST(undo_changes_all_parts_at_once)
{
    const pqt_document *plan = plan_of(3);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), plan, NULL, NULL);
    push(history, without(plan, 2), 1);
    ck_assert(pqt_history_undo(history));
    ck_assert_ptr_eq(pqt_history_value(history), plan);
    ck_assert(has_colour(pqt_history_value(history), 2, 102));
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(a_push_counts_the_bytes_that_it_adds)
{
    const pqt_document *plan = plan_of(300), *next = coloured(plan, 17, 3);
    pqt_history_bytes bytes;
    size_t exclusive = 0;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), plan, NULL, NULL);
    push(history, next, 1);
    ck_assert(pqt_history_get_bytes(history, 1, &bytes, NULL));
    ck_assert(pqt_document_exclusive_bytes(next, &plan, 1, &exclusive, NULL));
    ck_assert_uint_eq(bytes.added, exclusive);
    pqt_history_destroy(&history);
}
END_TEST

static bool
count_changes(const pqt_change *change, void *context)
{
    (void)change;
    ++*(size_t *)context;
    return true;
}

START_TEST(a_history_answers_about_each_tree_of_documents)
{
    enum { EDITS = 400 };
    const pqt_part parts[] = {{"even", PQT_KIND_TREE, shapes_with(10), NULL},
                              {"odd", PQT_KIND_TREE, shapes_with(10), NULL}};
    const pqt_document *plan = pqt_document_make(parts, 2, NULL);
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    pqt_history_answer answer;
    pqt_error errors[3] = {{0}};
    options.indexed = true;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), plan, &options, NULL);
    for (int i = 1; i <= EDITS; i++) {
        const char *name = i % 2 == 0 ? "even" : "odd";
        const pqt_tree *tree = pqt_tree_move_id(pqt_document_tree(plan, name),
                                                (uint64_t)(i / 2 % 10), shape_box(i % 11), NULL);
        plan = pqt_document_set_tree(plan, name, tree, NULL);
        push(history, plan, i);
    }
    const uint64_t tip = pqt_history_current(history);
    ck_assert(pqt_history_last_item_change(history, "even", tip, 4, &answer, NULL));
    ck_assert(answer.found);
    ck_assert_uint_eq(answer.entry, 388);
    ck_assert(pqt_history_last_item_change(history, "odd", tip, 4, &answer, NULL));
    ck_assert_uint_eq(answer.entry, 389);
    ck_assert(pqt_history_last_change(history, "odd", 200, NULL, &answer, NULL));
    ck_assert_uint_eq(answer.entry, 199);
    ck_assert_uint_le(answer.steps, 54);
    size_t changes = 0;
    ck_assert(pqt_history_visit_changes(history, "odd", tip, 10, 12, NULL, count_changes, &changes,
                                        NULL));
    ck_assert_uint_eq(changes, 1);
    ck_assert(!pqt_history_last_change(history, NULL, tip, NULL, &answer, &errors[0]));
    expect_failure(&errors[0], PQT_ERROR_OPTION, 0,
                   "part: it is NULL, but the documents do not have exactly one tree");
    ck_assert(!pqt_history_last_change(history, "none", tip, NULL, &answer, &errors[1]));
    expect_failure(&errors[1], PQT_ERROR_OPTION, 0, "part: the versions have no tree named none");
    ck_assert(pqt_history_thin(history, 20, NULL));
    ck_assert(pqt_history_last_change(history, "odd", tip, NULL, &answer, NULL));
    ck_assert_uint_eq(answer.entry, 399);
    ck_assert(!pqt_history_push(history, plan_of(3), NULL, &errors[2]));
    expect_failure(&errors[2], PQT_ERROR_MISMATCH, 0,
                   "colours: the kind or the keys of this part differ");
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(an_index_refuses_and_names_a_tree_with_different_bounds)
{
    pqt_error error = {0};
    pqt_tree_options unique = options_of(24, 24);
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.indexed = unique.unique_ids = true;
    const pqt_document *plan = plan_of(3);
    const pqt_tree *other = pqt_tree_make(box(0, 0, 8, 8), &unique, NULL);
    const pqt_document *next = pqt_document_set_tree(plan, "shapes", other, NULL);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), plan, &options, NULL);
    ck_assert(!pqt_history_push(history, next, NULL, &error));
    ck_assert_int_eq(error.status, PQT_ERROR_MISMATCH);
    ck_assert_msg(strncmp(error.text, "shapes: ", 8) == 0, "%s", error.text);
    ck_assert_ptr_eq(pqt_history_value(history), plan);
    pqt_history_destroy(&history);
}
END_TEST

START_TEST(the_only_tree_of_documents_needs_no_name)
{
    const pqt_document *plan = plan_of(3);
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    pqt_history_answer answer;
    options.indexed = true;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), plan, &options, NULL);
    push(history, without(plan, 2), 1);
    ck_assert(pqt_history_last_item_change(history, NULL, 1, 2, &answer, NULL));
    ck_assert(answer.found && answer.change.kind == PQT_REMOVE);
    ck_assert(pqt_history_last_item_change(history, "shapes", 1, 1, &answer, NULL));
    ck_assert(!answer.found);
    pqt_history_destroy(&history);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("document");
    TCase *tests = tcase_create("document");
    tcase_add_checked_fixture(tests, open_stage, close_arena);
    tcase_add_test(tests, parts_are_in_the_order_of_their_names);
    if (PQT_WITH_PIXELS)
        tcase_add_test(tests, a_missing_part_is_null);
    tcase_add_test(tests, the_order_of_the_given_parts_does_not_matter);
    tcase_add_test(tests, documents_with_different_schemas_differ);
    tcase_add_test(tests, invalid_parts_are_refused);
    tcase_add_test(tests, a_document_may_have_sixteen_parts);
    tcase_add_test(tests, setting_the_same_part_returns_the_same_document);
    tcase_add_test(tests, removing_an_item_removes_its_attributes);
    tcase_add_test(tests, a_tree_with_different_bounds_removes_attributes_as_well);
    tcase_add_test(tests, a_key_without_an_item_is_refused);
    tcase_add_test(tests, items_and_attributes_are_set_at_once);
    tcase_add_test(tests, a_part_in_another_memory_is_refused);
    tcase_add_test(tests, a_failure_is_passed_through_a_chain_of_edits);
    tcase_add_test(tests, an_item_removed_by_one_side_and_recoloured_by_the_other_is_a_conflict);
    tcase_add_test(tests, decisions_on_many_removed_items_make_each_block_once);
    tcase_add_test(tests, an_item_removed_by_one_side_and_moved_by_the_other_is_the_same_conflict);
    tcase_add_test(tests, a_box_and_a_colour_changed_on_two_sides_are_not_a_conflict);
    tcase_add_test(tests, an_item_removed_on_both_sides_is_not_a_conflict);
    tcase_add_test(tests, a_conflict_of_an_entry_names_part_and_key);
    tcase_add_test(tests, a_merged_part_that_equals_a_given_one_is_that_one);
    if (PQT_WITH_PIXELS) {
        tcase_add_test(tests, parts_that_cannot_be_merged_conflict_as_a_whole);
        tcase_add_test(tests, regions_are_merged_by_pixel_without_conflicts);
        tcase_add_test(tests, images_are_merged_by_pixel_and_conflicts_are_boxes);
        tcase_add_test(tests, images_of_different_sizes_conflict_as_a_whole);
    }
    tcase_add_test(tests, maps_of_different_kinds_are_not_merged);
    tcase_add_test(tests, copies_share_what_the_documents_share);
    tcase_add_test(tests, copies_of_versions_of_one_document_share_its_schema);
    tcase_add_test(tests, exclusive_bytes_are_those_that_a_change_made);
    tcase_add_test(tests, a_part_that_occurs_twice_counts_once);
    if (PQT_WITH_WORLDS)
        tcase_add_test(tests, blocks_that_parts_of_two_kinds_share_count_once);
    tcase_add_test(tests, the_check_finds_a_key_without_an_item);
    tcase_add_test(tests, a_conflict_of_an_item_is_resolved_by_each_resolution);
    tcase_add_test(tests, an_unknown_resolution_of_an_item_is_refused);
    tcase_add_loop_test(tests, trees_with_other_bounds_are_not_merged, 0, 4);
    tcase_add_test(tests, documents_in_two_memories_are_not_merged);
    tcase_add_test(tests, a_part_that_only_one_document_has_is_named);
    tcase_add_loop_test(tests, the_check_finds_each_kind_of_damage, 0,
                        (int)(sizeof damages / sizeof *damages));
    tcase_add_test(tests, the_check_finds_a_part_in_another_memory);
    tcase_add_test(tests, heads_hold_documents);
    tcase_add_test(tests, undo_changes_all_parts_at_once);
    tcase_add_test(tests, a_push_counts_the_bytes_that_it_adds);
    tcase_add_test(tests, a_history_answers_about_each_tree_of_documents);
    tcase_add_test(tests, an_index_refuses_and_names_a_tree_with_different_bounds);
    tcase_add_test(tests, the_only_tree_of_documents_needs_no_name);
    suite_add_tcase(suite, tests);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
