/* SPDX-License-Identifier: MIT */
/*
 * test_misuse.c: tests that each mistake of a caller aborts the process with a message, which names
 * the public function that was called, if it is known.
 *
 * Each mistake is made in a child, whose standard error is read. test/check_misuse verifies that
 * messages contain no internal name.
 */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/shapes.h>
#include <pqt/stores.h>
#include <pqt/worlds.h>

#include "memory/memory_internal.h"
#include "misuse.h"
#include "suite.h"
#include "version/head_internal.h"

/* Results are not used, because the calls abort. */
#pragma GCC diagnostic ignored "-Wunused-result"

/* ---- Valid arguments of the calls ---- */

static pqt_error error;
static pqt_memory *arena;
static const pqt_tree *tree, *other;
static const pqt_region *region;
/* `map` has byte strings as keys and values; `id_map` maps ids to numbers */
static const pqt_map *map, *id_map;
static const pqt_world *world;
static pqt_history *history;
static pqt_store_stats store_stats;
static pqt_recording *recording;
static pqt_head *head, *region_head;
static pqt_pin *pin, *region_pin;

static const pqt_item item = {{{1, 1}, {2, 2}}, 1};
static const pqt_box bounds = {{0, 0}, {8, 8}};
static const pqt_vec here = {0, 0};
static const pqt_circle circle = {{0, 0}, 1};
static const pqt_map_key map_key = {.bytes = "key", .size = 3};
static const pqt_map_value map_value = {.bytes = "value", .size = 5};
static const pqt_segment segment = {{0, 0}, {1, 1}};
static const pqt_ray ray = {{0, 0}, {1, 1}};
static const pqt_pixel origin = {0, 0};
static const pqt_pixel_box pixels = {{0, 0}, {8, 8}};
static const pqt_pair_query touching = {.relation = PQT_TOUCHES};
static const pqt_history_entry_info no_step = {0};
static const pqt_cells fine_cells = {1, 1, PQT_COARSE_OUTER};

/* The results of the calls. */
static uint64_t number;
static size_t none, one = 1;
static pqt_item found;
static pqt_change change;
static pqt_box box;
static pqt_pixel_box pixel_box;
static pqt_pixel_pair first_pair;
static pqt_cursor cursor;
static pqt_history_entry entry;
static pqt_history_bytes bytes;
static pqt_history_answer answer;
static pqt_recording_divergence parted;
static const pqt_tree *copied_tree;
static const pqt_region *copied_region;
static const pqt_map *copied_map;
static const pqt_document *document, *copied_document;
static const pqt_world *copied_world;
static const void *mixed[2], *copied[2]; /* two kinds; room for copies */
static uint64_t differences;
static uint8_t byte;

/* The arguments of mistakes. */
static const pqt_tree *const no_tree;
static const pqt_region *const no_region;
static const pqt_map *const no_map;
static const pqt_document *const no_document;
static const pqt_world *const no_world;
static const void *const no_version;
static const pqt_query bad_query = {.relation = (pqt_relation)7, .window = {{0, 0}, {1, 1}}};
static const pqt_pair_query bad_pairs = {.relation = (pqt_relation)7};
static const pqt_cast bad_cast = {.kind = (pqt_cast_kind)7};
static const pqt_query reserved_query = {.relation = PQT_TOUCHES, .reserved = {0, 1}};
static const pqt_convex bad_convex = {.count = 2, .vertices = {{1, 1}, {NAN, 2}}};
static const pqt_query bad_convex_query = {.relation = PQT_TOUCHES, .convex = &bad_convex};
static const pqt_pair_query reserved_pairs = {.relation = PQT_TOUCHES, .reserved = {0, 1, 0, 0}};
static const pqt_cast reserved_cast = {.kind = PQT_CAST_RAY, .reserved = {0, 0, 1, 0}};
static const pqt_history_entry_info reserved_info = {.reserved = {1, 0, 0, 0}};
static const pqt_mover bad_mover = {.kind = (pqt_mover_kind)7};
static const pqt_cells bad_cells = {3, 3, PQT_COARSE_OUTER};
static const pqt_nearest_options bad_nearest = {.size = 1};
static const pqt_sweep_options bad_sweep = {.size = 1};
static const pqt_region_sweep_options bad_region_sweep = {.size = 1};
static const pqt_region_sweep_options coarse = {.size = sizeof coarse, .cells = {3, 3, 1}};
static const pqt_byte_image no_bytes = {.width = 2, .height = 2, .stride = 2, .pixel_stride = 1};
static const pqt_bit_image no_bits = {
    .width = 2, .height = 2, .stride = 8, .order = PQT_BITS_LOW_FIRST};
static const pqt_change bad_change = {.kind = (pqt_change_kind)9};
static const pqt_change change_by_id = {.kind = PQT_REMOVE_ID};
static const pqt_body_change bad_body_change = {.kind = (pqt_body_change_kind)9};
static const pqt_history_kind nameless = {.size = sizeof nameless};

static pqt_query
all(void)
{
    return pqt_query_all();
}

static pqt_mover
box_mover(void)
{
    return pqt_mover_box(bounds, here, here);
}

static pqt_mover
round_mover(void)
{
    return pqt_mover_circle(1, here, here);
}

static pqt_region_mover
moving(const pqt_region *moved)
{
    return (pqt_region_mover){.region = moved};
}

/* Returns a picture whose map is finished, because the keys have been drawn. */
static pqt_svg *
keyed(void)
{
    static pqt_svg svg;
    (void)pqt_svg_begin(&svg, stdout, bounds, NULL, &error);
    pqt_svg_key(&svg, PQT_SVG_BOX, "a", "b");
    return &svg;
}

/* ---- Functions that are not called ---- */

static const void *
next_tree(const void *now, void *context, pqt_error *failure)
{
    (void)context;
    (void)failure;
    return now;
}

static const void *
give_region(const void *now, void *context, pqt_error *failure)
{
    (void)now;
    (void)context;
    (void)failure;
    return region;
}

#define VISITOR(name, type)                                                                        \
    static bool name(const type *met, void *context)                                               \
    {                                                                                              \
        return met != NULL && context == NULL;                                                     \
    }

VISITOR(visit_item, pqt_item)
VISITOR(visit_near, pqt_near)
VISITOR(visit_hit, pqt_ray_hit)
VISITOR(visit_change, pqt_change)
VISITOR(visit_entry, pqt_history_entry)
VISITOR(visit_body, pqt_body)
VISITOR(visit_box, pqt_pixel_box)
VISITOR(visit_run, pqt_pixel_run)
VISITOR(visit_region, pqt_region)
VISITOR(visit_contour, pqt_contour)
VISITOR(visit_map_entry, pqt_map_entry)
VISITOR(visit_document_change, pqt_document_change)

static bool
visit_map_diff(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
               void *context)
{
    (void)key;
    (void)before;
    (void)after;
    (void)context;
    return true;
}
VISITOR(visit_pixels, pqt_pixel_pairs)
VISITOR(visit_square, pqt_square)
VISITOR(visit_cell, pqt_cell)

static bool
visit_ids(const uint64_t *ids, size_t count, void *context)
{
    return ids != NULL && count > 0 && context == NULL;
}

static bool
visit_map_entries(const pqt_map_entry *entries, size_t count, void *context)
{
    return entries != NULL && count > 0 && context == NULL;
}

static bool
visit_columns(const pqt_item_columns *columns, void *context)
{
    return columns->count > 0 && context == NULL;
}

static bool
visit_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    return a != NULL && b != NULL && context == NULL;
}

static bool
visit_pair_change(pqt_pair_change kind, const pqt_item *a, const pqt_item *b, void *context)
{
    return kind == PQT_PAIR_BEGAN && visit_pair(a, b, context);
}

/* ---- The mistakes ---- */

enum { MOST = 600, NOT_NOW = -1 };

/* The names of the mistakes, which are numbered in the order of the table. The function below makes
 * the requested mistake. */
static const char *names[MOST]; /* NULL if none is named */
static const char *calls[MOST];
static int count, wanted = NOT_NOW;

static bool
is_wanted(const char *name, const char *call)
{
    ck_assert_int_lt(count, MOST);
    names[count] = name;
    calls[count] = call;
    return count++ == wanted;
}

#define MAKE(name, call)                                                                           \
    do {                                                                                           \
        if (is_wanted(name, #call))                                                                \
            (void)(call);                                                                          \
    } while (0)
#define MISTAKE(function, call) MAKE(#function, call)
#define NAMELESS(call) MAKE(NULL, call)

static void
misuse_trees(void)
{
    MISTAKE(pqt_tree_visit_cells, pqt_tree_visit_cells(NULL, visit_cell, NULL));
    MISTAKE(pqt_pin_get_version_of, pqt_pin_get_tree(region_pin));
    MISTAKE(pqt_tree_of, pqt_tree_of(NULL, 1, NULL, &error));
    MISTAKE(pqt_tree_copy, pqt_tree_copy(NULL, arena, &error));
    MISTAKE(pqt_tree_copy_all, pqt_tree_copy_all(NULL, 1, arena, NULL, &error));
    MISTAKE(pqt_tree_copy_all, pqt_tree_copy_all(&no_tree, 1, arena, &copied_tree, &error));
    MISTAKE(pqt_tree_insert, pqt_tree_insert(NULL, item, &error));
    MISTAKE(pqt_tree_insert_all, pqt_tree_insert_all(NULL, &item, 1, &error));
    MISTAKE(pqt_tree_insert_all, pqt_tree_insert_all(tree, NULL, 1, &error));
    MISTAKE(pqt_tree_remove, pqt_tree_remove(NULL, item, &error));
    MISTAKE(pqt_tree_remove_all, pqt_tree_remove_all(NULL, &item, 1, &error));
    MISTAKE(pqt_tree_remove_all, pqt_tree_remove_all(tree, NULL, 1, &error));
    MISTAKE(pqt_tree_remove_id, pqt_tree_remove_id(NULL, 1, &error));
    MISTAKE(pqt_tree_remove_id, pqt_tree_remove_id(tree, 1, &error));
    MISTAKE(pqt_tree_move, pqt_tree_move(NULL, item, bounds, &error));
    MISTAKE(pqt_tree_move_id, pqt_tree_move_id(NULL, 1, bounds, &error));
    MISTAKE(pqt_tree_move_id, pqt_tree_move_id(tree, 1, bounds, &error));
    MISTAKE(pqt_tree_apply, pqt_tree_apply(NULL, &change, 1, &error));
    MISTAKE(pqt_tree_apply, pqt_tree_apply(tree, NULL, 1, &error));
    MISTAKE(pqt_tree_apply, pqt_tree_apply(tree, &bad_change, 1, &error));
    MISTAKE(pqt_tree_apply, pqt_tree_apply(tree, &change_by_id, 1, &error));
    MISTAKE(pqt_tree_clear, pqt_tree_clear(NULL, &error));
    MISTAKE(pqt_tree_search, pqt_tree_search(NULL, (pqt_query[]){all()}, &error));
    NAMELESS(pqt_tree_search(tree, &bad_query, &error));
    MISTAKE(pqt_tree_count, pqt_tree_count(NULL));
    MISTAKE(pqt_tree_bounds, pqt_tree_bounds(NULL));
    MISTAKE(pqt_tree_get_options, pqt_tree_get_options(NULL, NULL));
    MISTAKE(pqt_tree_get_options, pqt_tree_get_options(tree, NULL));
    MISTAKE(pqt_tree_memory, pqt_tree_memory(NULL));
    MISTAKE(pqt_tree_contains, pqt_tree_contains(NULL, item));
    MISTAKE(pqt_tree_find, pqt_tree_find(NULL, 1, &found));
    MISTAKE(pqt_tree_find, pqt_tree_find(tree, 1, &found));
    MISTAKE(pqt_tree_equals, pqt_tree_equals(NULL, tree));
    MISTAKE(pqt_tree_fingerprint, pqt_tree_fingerprint(NULL));
    MISTAKE(pqt_tree_check, pqt_tree_check(NULL, &error));
    MISTAKE(pqt_tree_get_stats, pqt_tree_get_stats(NULL));
    MISTAKE(pqt_tree_shared_bytes, pqt_tree_shared_bytes(NULL, tree));
    MISTAKE(pqt_tree_exclusive_bytes, pqt_tree_exclusive_bytes(NULL, NULL, 0, &none, &error));
    MISTAKE(pqt_tree_exclusive_bytes, pqt_tree_exclusive_bytes(tree, NULL, 1, &none, &error));
    MISTAKE(pqt_tree_exclusive_bytes, pqt_tree_exclusive_bytes(tree, NULL, 0, NULL, &error));
    MISTAKE(pqt_version_pin, pqt_tree_pin(NULL, &error));
    MISTAKE(pqt_pin_get_version_of, pqt_pin_get_tree(NULL));
    MISTAKE(pqt_pin_get_kind, pqt_pin_get_kind(NULL));
    MISTAKE(pqt_pin_get_version, pqt_pin_get_version(NULL));
    MISTAKE(pqt_kind_of, pqt_kind_of(NULL));
    MISTAKE(pqt_kind_of, pqt_kind_of(&none)); /* no version */
    MISTAKE(pqt_version_memory, pqt_version_memory(NULL));
    MISTAKE(pqt_version_fingerprint, pqt_version_fingerprint(&none));
    MISTAKE(pqt_version_equals, pqt_version_equals(tree, NULL));
    MISTAKE(pqt_version_equals, pqt_version_equals(&none, tree));
    MISTAKE(pqt_version_check, pqt_version_check(NULL, &error));
    MISTAKE(pqt_version_exclusive_bytes, pqt_version_exclusive_bytes(NULL, NULL, 0, &none, &error));
    MISTAKE(pqt_version_exclusive_bytes, pqt_version_exclusive_bytes(tree, NULL, 1, &none, &error));
    MISTAKE(pqt_version_exclusive_bytes, pqt_version_exclusive_bytes(tree, NULL, 0, NULL, &error));
    MISTAKE(pqt_version_merge, pqt_version_merge(tree, tree, NULL, &error));
    MISTAKE(pqt_version_merge, pqt_version_merge(tree, region, tree, &error));
    MISTAKE(pqt_version_count, pqt_version_count(NULL));
    MISTAKE(pqt_version_shared_bytes, pqt_version_shared_bytes(tree, NULL, &none, &error));
    MISTAKE(pqt_version_shared_bytes, pqt_version_shared_bytes(tree, region, &none, &error));
    MISTAKE(pqt_version_shared_bytes, pqt_version_shared_bytes(tree, tree, NULL, &error));
    MISTAKE(pqt_version_count_diff, pqt_version_count_diff(NULL, tree, &differences, &error));
    MISTAKE(pqt_version_count_diff, pqt_version_count_diff(tree, region, &differences, &error));
    MISTAKE(pqt_version_count_diff, pqt_version_count_diff(tree, tree, NULL, &error));
    MISTAKE(pqt_version_copy, pqt_version_copy(NULL, arena, &error));
    MISTAKE(pqt_version_copy, pqt_version_copy(&none, arena, &error));
    MISTAKE(pqt_version_copy_all, pqt_version_copy_all(NULL, 1, arena, NULL, &error));
    MISTAKE(pqt_version_copy_all, pqt_version_copy_all(mixed, 2, arena, copied, &error));
    MISTAKE(pqt_version_copy_all, pqt_version_copy_all(&no_version, 1, arena, copied, &error));
    MISTAKE(pqt_version_pin, pqt_version_pin(NULL, &error));
    MISTAKE(pqt_version_write, pqt_version_write(tree, NULL, NULL, &error));
    MISTAKE(pqt_version_write, pqt_version_write(&none, NULL, NULL, &error));
    MISTAKE(pqt_version_read, pqt_version_read(PQT_KIND_NONE, NULL, NULL, arena, &error));
    MISTAKE(pqt_version_save, pqt_version_save(NULL, "a.pqt", &error));
    MISTAKE(pqt_version_save, pqt_version_save(tree, NULL, &error));
    MISTAKE(pqt_version_load, pqt_version_load(PQT_KIND_OTHER, "a.pqt", arena, &error));
    MISTAKE(pqt_history_kind_of, pqt_history_kind_of(PQT_KIND_NONE));
}

static void
misuse_queries(void)
{
    MISTAKE(pqt_cursor_open, pqt_cursor_open(NULL, tree, (pqt_query[]){all()}));
    MISTAKE(pqt_cursor_open, pqt_cursor_open(&cursor, NULL, (pqt_query[]){all()}));
    NAMELESS(pqt_cursor_open(&cursor, tree, &bad_query));
    MISTAKE(pqt_cursor_next, pqt_cursor_next(NULL, &found));
    MISTAKE(pqt_cursor_next, pqt_cursor_next(&cursor, NULL));
    MISTAKE(pqt_tree_nearest, pqt_tree_nearest(NULL, bounds, NULL, NULL, 0));
    MISTAKE(pqt_tree_nearest, pqt_tree_nearest(tree, bounds, NULL, NULL, 1));
    MISTAKE(pqt_tree_nearest, pqt_tree_nearest(tree, bounds, &bad_nearest, NULL, 0));
    MISTAKE(pqt_tree_visit_nearest, pqt_tree_visit_nearest(NULL, bounds, NULL, visit_near, NULL));
    MISTAKE(pqt_tree_visit_nearest, pqt_tree_visit_nearest(tree, bounds, NULL, NULL, NULL));
    MISTAKE(pqt_tree_visit_nearest,
            pqt_tree_visit_nearest(tree, bounds, &bad_nearest, visit_near, NULL));
    MISTAKE(pqt_tree_visit, pqt_tree_visit(NULL, (pqt_query[]){all()}, visit_item, NULL));
    MISTAKE(pqt_tree_visit, pqt_tree_visit(tree, (pqt_query[]){all()}, NULL, NULL));
    NAMELESS(pqt_tree_visit(tree, &bad_query, visit_item, NULL));
    NAMELESS(pqt_tree_visit(tree, &reserved_query, visit_item, NULL));
    NAMELESS(pqt_tree_visit(tree, &bad_convex_query, visit_item, NULL));
    MISTAKE(pqt_tree_visit_ids, pqt_tree_visit_ids(NULL, (pqt_query[]){all()}, visit_ids, NULL));
    MISTAKE(pqt_tree_visit_ids, pqt_tree_visit_ids(tree, (pqt_query[]){all()}, NULL, NULL));
    MISTAKE(pqt_tree_visit_columns,
            pqt_tree_visit_columns(NULL, (pqt_query[]){all()}, visit_columns, NULL));
    MISTAKE(pqt_tree_visit_columns, pqt_tree_visit_columns(tree, (pqt_query[]){all()}, NULL, NULL));
    MISTAKE(pqt_tree_any, pqt_tree_any(NULL, (pqt_query[]){all()}, &found));
    NAMELESS(pqt_tree_any(tree, &bad_query, &found));
    MISTAKE(pqt_tree_count_in, pqt_tree_count_in(NULL, (pqt_query[]){all()}));
    NAMELESS(pqt_tree_count_in(tree, &bad_query));
    MISTAKE(pqt_tree_collect, pqt_tree_collect(NULL, (pqt_query[]){all()}, NULL, 0));
    MISTAKE(pqt_tree_collect, pqt_tree_collect(tree, (pqt_query[]){all()}, NULL, 1));
    MISTAKE(pqt_tree_collect_ids, pqt_tree_collect_ids(NULL, (pqt_query[]){all()}, NULL, 0));
    MISTAKE(pqt_tree_collect_ids, pqt_tree_collect_ids(tree, (pqt_query[]){all()}, NULL, 1));
    MISTAKE(pqt_cast_at_item, pqt_cast_at_item(&bad_cast, item));
    MISTAKE(pqt_tree_cast, pqt_tree_cast(NULL, (pqt_cast[]){pqt_cast_segment(segment)}));
    MISTAKE(pqt_tree_cast, pqt_tree_cast(tree, &bad_cast));
    MISTAKE(pqt_tree_cast, pqt_tree_cast(tree, &reserved_cast));
    MISTAKE(pqt_tree_cast, pqt_tree_cast(tree, NULL));
    MISTAKE(pqt_tree_cast_all,
            pqt_tree_cast_all(NULL, (pqt_cast[]){pqt_cast_segment(segment)}, NULL, 0));
    MISTAKE(pqt_tree_cast_all, pqt_tree_cast_all(tree, &bad_cast, NULL, 0));
    MISTAKE(pqt_tree_cast_all,
            pqt_tree_cast_all(tree, (pqt_cast[]){pqt_cast_segment(segment)}, NULL, 1));
    MISTAKE(pqt_tree_visit_cast,
            pqt_tree_visit_cast(NULL, (pqt_cast[]){pqt_cast_segment(segment)}, visit_hit, NULL));
    MISTAKE(pqt_tree_visit_cast,
            pqt_tree_visit_cast(tree, (pqt_cast[]){pqt_cast_segment(segment)}, NULL, NULL));
    MISTAKE(pqt_tree_visit_cast, pqt_tree_visit_cast(tree, &bad_cast, visit_hit, NULL));
    MISTAKE(pqt_tree_visit_cells, pqt_tree_visit_cells(tree, NULL, NULL));
}

static void
misuse_differences(void)
{
    MISTAKE(pqt_tree_visit_diff, pqt_tree_visit_diff(NULL, tree, NULL, visit_change, NULL, &error));
    MISTAKE(pqt_tree_visit_diff, pqt_tree_visit_diff(tree, NULL, NULL, visit_change, NULL, &error));
    MISTAKE(pqt_tree_visit_diff, pqt_tree_visit_diff(tree, tree, NULL, NULL, NULL, &error));
    NAMELESS(pqt_tree_visit_diff(tree, tree, &bad_query, visit_change, NULL, &error));
    MISTAKE(pqt_diff_collect, pqt_diff_collect(NULL, tree, NULL, &change, none, &none, &error));
    MISTAKE(pqt_diff_collect, pqt_diff_collect(tree, NULL, NULL, &change, none, &none, &error));
    MISTAKE(pqt_diff_collect, pqt_diff_collect(tree, tree, NULL, &change, 1, NULL, &error));
    MISTAKE(pqt_diff_collect, pqt_diff_collect(tree, tree, NULL, NULL, one, &one, &error));
    MISTAKE(pqt_diff_damage, pqt_diff_damage(NULL, tree, NULL, &box, one, &one, &error));
    MISTAKE(pqt_diff_damage, pqt_diff_damage(tree, NULL, NULL, &box, one, &one, &error));
    MISTAKE(pqt_diff_damage, pqt_diff_damage(tree, tree, NULL, NULL, one, &one, &error));
    MISTAKE(pqt_diff_damage, pqt_diff_damage(tree, tree, NULL, &box, none, &none, &error));
    MISTAKE(pqt_sync_digest_of, pqt_sync_digest_of(NULL, (pqt_sync_path){0}));
    MISTAKE(pqt_sync_items_of, pqt_sync_items_of(NULL, (pqt_sync_path){0}, NULL, 0));
    MISTAKE(pqt_sync_items_of, pqt_sync_items_of(tree, (pqt_sync_path){0}, NULL, 1));
    MISTAKE(pqt_sync_find, pqt_sync_find(tree, NULL, NULL, NULL, &error));
    MISTAKE(pqt_tree_merge, pqt_tree_merge(NULL, tree, tree, NULL, &error));
    MISTAKE(pqt_tree_merge, pqt_tree_merge(tree, NULL, tree, NULL, &error));
    MISTAKE(pqt_tree_merge, pqt_tree_merge(tree, tree, NULL, NULL, &error));
    MISTAKE(pqt_tree_union, pqt_tree_union(NULL, tree, NULL, &error));
    MISTAKE(pqt_tree_union, pqt_tree_union(tree, NULL, NULL, &error));
    MISTAKE(pqt_tree_intersection, pqt_tree_intersection(NULL, tree, NULL, &error));
    MISTAKE(pqt_tree_intersection, pqt_tree_intersection(tree, NULL, NULL, &error));
    MISTAKE(pqt_tree_difference, pqt_tree_difference(NULL, tree, NULL, &error));
    MISTAKE(pqt_tree_difference, pqt_tree_difference(tree, NULL, NULL, &error));
    MISTAKE(pqt_tree_restore, pqt_tree_restore(NULL, tree, (pqt_query[]){all()}, &error));
    MISTAKE(pqt_tree_restore, pqt_tree_restore(tree, NULL, (pqt_query[]){all()}, &error));
    NAMELESS(pqt_tree_restore(tree, other, &bad_query, &error));
}

static void
misuse_collisions(void)
{
    MISTAKE(pqt_box_relates, pqt_box_relates(bounds, bounds, (pqt_relation)7));
    MISTAKE(pqt_sphere_window, pqt_sphere_window(0, 0, 0, 0, NULL));
    MISTAKE(pqt_pairs_visit, pqt_pairs_visit(NULL, NULL, &touching, visit_pair, NULL));
    MISTAKE(pqt_pairs_visit, pqt_pairs_visit(tree, NULL, &touching, NULL, NULL));
    MISTAKE(pqt_pairs_visit, pqt_pairs_visit(tree, NULL, &bad_pairs, visit_pair, NULL));
    MISTAKE(pqt_pairs_count, pqt_pairs_count(NULL, NULL, &touching));
    MISTAKE(pqt_pairs_count, pqt_pairs_count(tree, NULL, &bad_pairs));
    MISTAKE(pqt_pairs_count, pqt_pairs_count(tree, NULL, &reserved_pairs));
    MISTAKE(pqt_pairs_count, pqt_pairs_count(tree, NULL, NULL));
    MISTAKE(pqt_pairs_collect, pqt_pairs_collect(NULL, NULL, &touching, NULL, 0));
    MISTAKE(pqt_pairs_collect, pqt_pairs_collect(tree, NULL, &touching, NULL, 1));
    MISTAKE(pqt_pairs_collect, pqt_pairs_collect(tree, NULL, &bad_pairs, NULL, 0));
    MISTAKE(pqt_pairs_visit_of, pqt_pairs_visit_of(NULL, item, &touching, visit_pair, NULL));
    MISTAKE(pqt_pairs_visit_of, pqt_pairs_visit_of(tree, item, &touching, NULL, NULL));
    MISTAKE(pqt_pairs_visit_of, pqt_pairs_visit_of(tree, item, &bad_pairs, visit_pair, NULL));
    MISTAKE(pqt_pairs_visit_changes,
            pqt_pairs_visit_changes(NULL, tree, &touching, visit_pair_change, NULL, &error));
    MISTAKE(pqt_pairs_visit_changes,
            pqt_pairs_visit_changes(tree, NULL, &touching, visit_pair_change, NULL, &error));
    MISTAKE(pqt_pairs_visit_changes,
            pqt_pairs_visit_changes(tree, tree, &touching, NULL, NULL, &error));
    MISTAKE(pqt_pairs_visit_changes,
            pqt_pairs_visit_changes(tree, tree, &bad_pairs, visit_pair_change, NULL, &error));
    MISTAKE(pqt_pairs_visit_changes,
            pqt_pairs_visit_changes(tree, tree, &reserved_pairs, visit_pair_change, NULL, &error));
    MISTAKE(pqt_mover_is_valid, pqt_mover_is_valid(bad_mover));
    MISTAKE(pqt_mover_convex, pqt_mover_convex(NULL, here, here));
    MISTAKE(pqt_sweep_pair, pqt_sweep_pair(bad_mover, box_mover(), NULL));
    MISTAKE(pqt_sweep_pair, pqt_sweep_pair(box_mover(), bad_mover, NULL));
    MISTAKE(pqt_sweep_pair, pqt_sweep_pair(box_mover(), box_mover(), &bad_sweep));
    MISTAKE(pqt_tree_sweep, pqt_tree_sweep(NULL, box_mover(), NULL));
    MISTAKE(pqt_tree_sweep, pqt_tree_sweep(tree, bad_mover, NULL));
    MISTAKE(pqt_tree_sweep, pqt_tree_sweep(tree, box_mover(), &bad_sweep));
    MISTAKE(pqt_tree_slide, pqt_tree_slide(NULL, box_mover(), 1, NULL));
    MISTAKE(pqt_tree_slide, pqt_tree_slide(tree, bad_mover, 1, NULL));
    MISTAKE(pqt_tree_slide, pqt_tree_slide(tree, box_mover(), 1, &bad_sweep));
}

static void
misuse_maps(void)
{
    const pqt_map_change no_kind = {.key = {.id = 1}};
    MISTAKE(pqt_map_text, pqt_map_text(NULL));
    MISTAKE(pqt_map_byte_key, pqt_map_byte_key(NULL, 1));
    MISTAKE(pqt_map_bytes, pqt_map_bytes(NULL, 1));
    MISTAKE(pqt_map_insert, pqt_map_insert(NULL, map_key, map_value, &error));
    MISTAKE(pqt_map_remove, pqt_map_remove(NULL, map_key, &error));
    MISTAKE(pqt_map_apply, pqt_map_apply(NULL, NULL, 0, &error));
    MISTAKE(pqt_map_apply, pqt_map_apply(map, NULL, 1, &error));
    MISTAKE(pqt_map_apply, pqt_map_apply(map, &no_kind, 1, &error));
    MISTAKE(pqt_map_count, pqt_map_count(NULL));
    MISTAKE(pqt_map_get_options, pqt_map_get_options(NULL, NULL));
    MISTAKE(pqt_map_get_options, pqt_map_get_options(map, NULL));
    MISTAKE(pqt_map_find, pqt_map_find(NULL, map_key, NULL));
    MISTAKE(pqt_map_find, pqt_map_find(map, pqt_map_id(1), NULL));
    MISTAKE(pqt_map_find, pqt_map_find(id_map, map_key, NULL));
    MISTAKE(pqt_map_visit, pqt_map_visit(NULL, visit_map_entry, NULL));
    MISTAKE(pqt_map_visit, pqt_map_visit(map, NULL, NULL));
    MISTAKE(pqt_map_equals, pqt_map_equals(map, NULL));
    MISTAKE(pqt_map_fingerprint, pqt_map_fingerprint(NULL));
    MISTAKE(pqt_map_visit_entries, pqt_map_visit_entries(NULL, visit_map_entries, NULL));
    MISTAKE(pqt_map_visit_entries, pqt_map_visit_entries(map, NULL, NULL));
    MISTAKE(pqt_map_visit_diff, pqt_map_visit_diff(NULL, map, visit_map_diff, NULL));
    MISTAKE(pqt_map_visit_diff, pqt_map_visit_diff(map, map, NULL, NULL));
    MISTAKE(pqt_map_visit_diff, pqt_map_visit_diff(map, id_map, visit_map_diff, NULL));
    MISTAKE(pqt_map_check, pqt_map_check(NULL, &error));
    MISTAKE(pqt_map_get_stats, pqt_map_get_stats(NULL));
    MISTAKE(pqt_map_shared_bytes, pqt_map_shared_bytes(map, NULL));
    MISTAKE(pqt_map_exclusive_bytes, pqt_map_exclusive_bytes(NULL, NULL, 0, &none, &error));
    MISTAKE(pqt_map_exclusive_bytes, pqt_map_exclusive_bytes(map, NULL, 1, &none, &error));
    MISTAKE(pqt_map_exclusive_bytes, pqt_map_exclusive_bytes(map, NULL, 0, NULL, &error));
    MISTAKE(pqt_map_memory, pqt_map_memory(NULL));
    MISTAKE(pqt_map_merge, pqt_map_merge(NULL, map, map, NULL, &error));
    MISTAKE(pqt_map_merge, pqt_map_merge(map, map, NULL, NULL, &error));
    MISTAKE(pqt_map_copy, pqt_map_copy(NULL, arena, &error));
    MISTAKE(pqt_map_copy_all, pqt_map_copy_all(NULL, 1, arena, NULL, &error));
    MISTAKE(pqt_map_copy_all, pqt_map_copy_all(&no_map, 1, arena, &copied_map, &error));
    MISTAKE(pqt_version_pin, pqt_map_pin(NULL, &error));
    MISTAKE(pqt_pin_get_version_of, pqt_pin_get_map(pin));
    MISTAKE(pqt_head_publish, pqt_head_publish(head, map, &error));
}

static void
misuse_documents(void)
{
    const pqt_part no_name = {.kind = PQT_KIND_TREE, .version = tree};
    const pqt_part nothing = {.name = "shapes", .kind = PQT_KIND_TREE};
    MISTAKE(pqt_document_make, pqt_document_make(NULL, 1, &error));
    MISTAKE(pqt_document_make, pqt_document_make(&no_name, 1, &error));
    MISTAKE(pqt_document_make, pqt_document_make(&nothing, 1, &error));
    MISTAKE(pqt_document_copy, pqt_document_copy(NULL, arena, &error));
    MISTAKE(pqt_document_copy_all, pqt_document_copy_all(NULL, 1, arena, NULL, &error));
    MISTAKE(pqt_document_copy_all,
            pqt_document_copy_all(&no_document, 1, arena, &copied_document, &error));
    MISTAKE(pqt_document_set_part, pqt_document_set_tree(NULL, "shapes", tree, &error));
    MISTAKE(pqt_document_set_part, pqt_document_set_tree(document, "none", tree, &error));
    MISTAKE(pqt_document_set_part, pqt_document_set_tree(document, "shapes", NULL, &error));
    MISTAKE(pqt_document_set_part, pqt_document_set_map(document, "shapes", map, &error));
    MISTAKE(pqt_document_set_part, pqt_document_set_region(document, "shapes", region, &error));
    MISTAKE(pqt_document_set_part, pqt_document_set_world(document, "shapes", world, &error));
    MISTAKE(pqt_document_set_parts, pqt_document_set_parts(document, NULL, 1, &error));
    MISTAKE(pqt_document_set_parts, pqt_document_set_parts(document, &no_name, 1, &error));
    MISTAKE(pqt_document_set_parts, pqt_document_set_parts(document, &nothing, 1, &error));
    MISTAKE(pqt_document_part, pqt_document_tree(document, NULL));
    MISTAKE(pqt_document_part, pqt_document_map(document, NULL));
    MISTAKE(pqt_document_part, pqt_document_region(document, NULL));
    MISTAKE(pqt_document_part, pqt_document_world(document, NULL));
    MISTAKE(pqt_document_count, pqt_document_count(NULL));
    MISTAKE(pqt_document_get_part, pqt_document_get_part(NULL, 0));
    MISTAKE(pqt_document_get_part, pqt_document_get_part(document, 1));
    MISTAKE(pqt_document_find, pqt_document_find(NULL, "shapes", NULL));
    MISTAKE(pqt_document_find, pqt_document_find(document, NULL, NULL));
    MISTAKE(pqt_document_memory, pqt_document_memory(NULL));
    MISTAKE(pqt_document_equals, pqt_document_equals(document, NULL));
    MISTAKE(pqt_document_fingerprint, pqt_document_fingerprint(NULL));
    MISTAKE(pqt_document_check, pqt_document_check(NULL, &error));
    MISTAKE(pqt_document_exclusive_bytes,
            pqt_document_exclusive_bytes(document, NULL, 1, &none, &error));
    MISTAKE(pqt_document_exclusive_bytes,
            pqt_document_exclusive_bytes(document, NULL, 0, NULL, &error));
    MISTAKE(pqt_document_get_stats, pqt_document_get_stats(document, NULL, &error));
    MISTAKE(pqt_document_visit_diff,
            pqt_document_visit_diff(NULL, document, visit_document_change, NULL, &error));
    MISTAKE(pqt_document_visit_diff,
            pqt_document_visit_diff(document, document, NULL, NULL, &error));
    MISTAKE(pqt_document_merge, pqt_document_merge(document, document, NULL, NULL, &error));
    MISTAKE(pqt_version_pin, pqt_document_pin(NULL, &error));
    MISTAKE(pqt_pin_get_version_of, pqt_pin_get_document(pin));
    MISTAKE(pqt_head_publish, pqt_head_publish(head, document, &error));
}

static void
misuse_regions(void)
{
    pqt_contour_arrays contours = {.corners = NULL};
    MISTAKE(pqt_region_visit_overlap,
            pqt_region_visit_overlap(NULL, region, here, visit_pixels, NULL));
    MISTAKE(pqt_region_visit_overlap,
            pqt_region_visit_overlap(region, NULL, here, visit_pixels, NULL));
    MISTAKE(pqt_region_visit_squares, pqt_region_visit_squares(NULL, visit_square, NULL));
    MISTAKE(pqt_region_overlaps, pqt_region_overlaps(NULL, region, here));
    MISTAKE(pqt_region_overlaps, pqt_region_overlaps(region, NULL, here));
    MISTAKE(pqt_region_overlap_area, pqt_region_overlap_area(NULL, region, here));
    MISTAKE(pqt_region_overlap_area, pqt_region_overlap_area(region, NULL, here));
    MISTAKE(pqt_region_visit_overlap, pqt_region_visit_overlap(region, region, here, NULL, NULL));
    MISTAKE(pqt_region_first_overlap,
            pqt_region_first_overlap(NULL, region, here, PQT_FROM_TOP, &first_pair));
    MISTAKE(pqt_region_first_overlap,
            pqt_region_first_overlap(region, region, here, (pqt_side)9, &first_pair));
    MISTAKE(pqt_region_overlaps_cells, pqt_region_overlaps_cells(NULL, region, here, fine_cells));
    MISTAKE(pqt_region_overlaps_cells, pqt_region_overlaps_cells(region, region, here, bad_cells));
    MISTAKE(pqt_region_overlaps_box, pqt_region_overlaps_box(NULL, bounds));
    MISTAKE(pqt_region_overlaps_circle, pqt_region_overlaps_circle(NULL, circle));
    MISTAKE(pqt_region_of_bytes, pqt_region_of_bytes(NULL, origin, arena, &error));
    MISTAKE(pqt_region_of_bytes, pqt_region_of_bytes(&no_bytes, origin, arena, &error));
    MISTAKE(pqt_region_of_bits, pqt_region_of_bits(NULL, origin, arena, &error));
    MISTAKE(pqt_region_of_bits, pqt_region_of_bits(&no_bits, origin, arena, &error));
    MISTAKE(pqt_region_of_runs, pqt_region_of_runs(NULL, 1, arena, &error));
    MISTAKE(pqt_region_of_boxes, pqt_region_of_boxes(NULL, 1, arena, &error));
    MISTAKE(pqt_region_copy, pqt_region_copy(NULL, arena, &error));
    MISTAKE(pqt_region_copy_all, pqt_region_copy_all(NULL, 1, arena, NULL, &error));
    MISTAKE(pqt_region_copy_all, pqt_region_copy_all(&no_region, 1, arena, &copied_region, &error));
    MISTAKE(pqt_region_intern, pqt_region_intern(NULL, &error));
    MISTAKE(pqt_region_paint,
            pqt_region_paint(NULL, pqt_paint_pixel(PQT_PAINT_SET, origin), &error));
    MISTAKE(pqt_region_paint_all, pqt_region_paint_all(NULL, NULL, 0, &error));
    MISTAKE(pqt_region_paint_all, pqt_region_paint_all(region, NULL, 1, &error));
    MISTAKE(pqt_region_union, pqt_region_union(NULL, region, origin, &error));
    MISTAKE(pqt_region_union, pqt_region_union(region, NULL, origin, &error));
    MISTAKE(pqt_region_intersection, pqt_region_intersection(NULL, region, origin, &error));
    MISTAKE(pqt_region_difference, pqt_region_difference(region, NULL, origin, &error));
    MISTAKE(pqt_region_xor, pqt_region_xor(NULL, region, origin, &error));
    MISTAKE(pqt_region_move, pqt_region_move(NULL, origin, &error));
    MISTAKE(pqt_region_complement, pqt_region_complement(NULL, pixels, &error));
    MISTAKE(pqt_region_crop, pqt_region_crop(NULL, pixels, &error));
    MISTAKE(pqt_region_visit_components,
            pqt_region_visit_components(NULL, PQT_CONNECTIVITY_4, 0, visit_region, NULL, &error));
    MISTAKE(pqt_region_visit_components,
            pqt_region_visit_components(region, PQT_CONNECTIVITY_4, 0, NULL, NULL, &error));
    MISTAKE(pqt_region_visit_contours,
            pqt_region_visit_contours(NULL, PQT_CONNECTIVITY_4, 0, visit_contour, NULL, &error));
    MISTAKE(pqt_region_visit_contours,
            pqt_region_visit_contours(region, PQT_CONNECTIVITY_4, 0, NULL, NULL, &error));
    MISTAKE(pqt_region_component, pqt_region_component(NULL, origin, PQT_CONNECTIVITY_4, &error));
    MISTAKE(pqt_region_largest_component,
            pqt_region_largest_component(NULL, PQT_CONNECTIVITY_4, &error));
    MISTAKE(pqt_region_outline, pqt_region_outline(NULL, PQT_CONNECTIVITY_4, &error));
    MISTAKE(pqt_region_transform, pqt_region_transform(NULL, PQT_ROTATE_90, &error));
    MISTAKE(pqt_region_scale, pqt_region_scale(NULL, 2, 2, &error));
    MISTAKE(pqt_region_dilate, pqt_region_dilate(NULL, 1, PQT_CONNECTIVITY_4, &error));
    MISTAKE(pqt_region_erode, pqt_region_erode(NULL, 1, PQT_CONNECTIVITY_4, &error));
    MISTAKE(pqt_region_map,
            pqt_region_map(NULL, (pqt_affine){.xx = 1, .yy = 1}, PQT_SAMPLE_AREA, &error));
    MISTAKE(pqt_region_resize, pqt_region_resize(NULL, pixels, pixels, PQT_SAMPLE_AREA, &error));
    MISTAKE(pqt_region_overlap_offsets, pqt_region_overlap_offsets(NULL, region));
    MISTAKE(pqt_region_overlap_offsets, pqt_region_overlap_offsets(region, NULL));
    MISTAKE(pqt_region_convolve, pqt_region_convolve(NULL, region, pixels, NULL, 8, &error));
    MISTAKE(pqt_region_convolve, pqt_region_convolve(region, NULL, pixels, NULL, 8, &error));
    MISTAKE(pqt_region_convolve, pqt_region_convolve(region, region, pixels, NULL, 8, &error));
    MISTAKE(pqt_region_dilate_disc, pqt_region_dilate_disc(NULL, 1, &error));
    MISTAKE(pqt_region_erode_disc, pqt_region_erode_disc(NULL, 1, &error));
    MISTAKE(pqt_region_skeleton, pqt_region_skeleton(NULL, &error));
    MISTAKE(pqt_region_distances,
            pqt_region_distances(NULL, pixels, PQT_DISTANCE_TO_REGION, NULL, 9, &error));
    MISTAKE(pqt_region_distances,
            pqt_region_distances(region, pixels, PQT_DISTANCE_TO_REGION, NULL, 9, &error));
    MISTAKE(pqt_region_collect_runs, pqt_region_collect_runs(NULL, pixels, NULL, 0));
    MISTAKE(pqt_region_collect_runs, pqt_region_collect_runs(region, pixels, NULL, 1));
    MISTAKE(pqt_region_collect_boxes, pqt_region_collect_boxes(NULL, pixels, NULL, 0));
    MISTAKE(pqt_region_collect_boxes, pqt_region_collect_boxes(region, pixels, NULL, 1));
    MISTAKE(pqt_region_collect_squares, pqt_region_collect_squares(NULL, NULL, 0));
    MISTAKE(pqt_region_collect_squares, pqt_region_collect_squares(region, NULL, 1));
    MISTAKE(pqt_region_collect_diff, pqt_region_collect_diff(NULL, region, NULL, 0));
    MISTAKE(pqt_region_collect_diff, pqt_region_collect_diff(region, NULL, NULL, 0));
    MISTAKE(pqt_region_collect_diff, pqt_region_collect_diff(region, region, NULL, 1));
    MISTAKE(pqt_region_collect_overlap, pqt_region_collect_overlap(NULL, region, here, NULL, 0));
    MISTAKE(pqt_region_collect_overlap, pqt_region_collect_overlap(region, NULL, here, NULL, 0));
    MISTAKE(pqt_region_collect_overlap, pqt_region_collect_overlap(region, region, here, NULL, 1));
    MISTAKE(pqt_region_collect_components,
            pqt_region_collect_components(NULL, PQT_CONNECTIVITY_4, 0, NULL, 0, &none, &error));
    MISTAKE(pqt_region_collect_components,
            pqt_region_collect_components(region, PQT_CONNECTIVITY_4, 0, NULL, 1, &none, &error));
    MISTAKE(pqt_region_collect_components,
            pqt_region_collect_components(region, PQT_CONNECTIVITY_4, 0, NULL, 0, NULL, &error));
    MISTAKE(pqt_region_collect_contours,
            pqt_region_collect_contours(NULL, PQT_CONNECTIVITY_4, 0, &contours, &error));
    MISTAKE(pqt_region_collect_contours,
            pqt_region_collect_contours(region, PQT_CONNECTIVITY_4, 0, NULL, &error));
    contours.contour_capacity = 1;
    MISTAKE(pqt_region_collect_contours,
            pqt_region_collect_contours(region, PQT_CONNECTIVITY_4, 0, &contours, &error));
    contours = (pqt_contour_arrays){.corner_capacity = 1};
    MISTAKE(pqt_region_collect_contours,
            pqt_region_collect_contours(region, PQT_CONNECTIVITY_4, 0, &contours, &error));
    MISTAKE(pqt_region_count, pqt_region_count(NULL));
    MISTAKE(pqt_region_count_in, pqt_region_count_in(NULL, pixels));
    MISTAKE(pqt_region_any_in, pqt_region_any_in(NULL, pixels));
    MISTAKE(pqt_region_contains, pqt_region_contains(NULL, origin));
    MISTAKE(pqt_region_bounds, pqt_region_bounds(NULL));
    MISTAKE(pqt_region_memory, pqt_region_memory(NULL));
    MISTAKE(pqt_region_equals, pqt_region_equals(NULL, region));
    MISTAKE(pqt_region_fingerprint, pqt_region_fingerprint(NULL));
    MISTAKE(pqt_region_check, pqt_region_check(NULL, &error));
    MISTAKE(pqt_region_get_moments, pqt_region_get_moments(NULL));
    MISTAKE(pqt_region_get_stats, pqt_region_get_stats(NULL));
    MISTAKE(pqt_region_shared_bytes, pqt_region_shared_bytes(NULL, region));
    MISTAKE(pqt_region_exclusive_bytes, pqt_region_exclusive_bytes(NULL, NULL, 0, &none, &error));
    MISTAKE(pqt_region_exclusive_bytes, pqt_region_exclusive_bytes(region, NULL, 1, &none, &error));
    MISTAKE(pqt_region_exclusive_bytes, pqt_region_exclusive_bytes(region, NULL, 0, NULL, &error));
    MISTAKE(pqt_region_visit_runs, pqt_region_visit_runs(NULL, pixels, visit_run, NULL));
    MISTAKE(pqt_region_visit_runs, pqt_region_visit_runs(region, pixels, NULL, NULL));
    MISTAKE(pqt_region_visit_boxes, pqt_region_visit_boxes(NULL, pixels, visit_box, NULL));
    MISTAKE(pqt_region_visit_boxes, pqt_region_visit_boxes(region, pixels, NULL, NULL));
    MISTAKE(pqt_region_visit_squares, pqt_region_visit_squares(region, NULL, NULL));
    MISTAKE(pqt_region_to_bytes, pqt_region_to_bytes(NULL, pixels, &byte, 8, 1, &error));
    MISTAKE(pqt_region_to_bytes, pqt_region_to_bytes(region, pixels, NULL, 8, 1, &error));
    MISTAKE(pqt_region_visit_diff, pqt_region_visit_diff(NULL, region, visit_box, NULL));
    MISTAKE(pqt_region_visit_diff, pqt_region_visit_diff(region, region, NULL, NULL));
    MISTAKE(pqt_region_damage, pqt_region_damage(NULL, region, &pixel_box, 1));
    MISTAKE(pqt_region_damage, pqt_region_damage(region, region, NULL, 0));
    MISTAKE(pqt_version_pin, pqt_region_pin(NULL, &error));
    MISTAKE(pqt_pin_get_version_of, pqt_pin_get_region(NULL));
    MISTAKE(pqt_pin_get_version_of, pqt_pin_get_region(pin));
    MISTAKE(pqt_region_cast_segment, pqt_region_cast_segment(NULL, segment));
    MISTAKE(pqt_region_cast_ray, pqt_region_cast_ray(NULL, ray));
    MISTAKE(pqt_region_sweep_region, pqt_region_sweep_region(moving(NULL), moving(region), NULL));
    MISTAKE(pqt_region_sweep_region, pqt_region_sweep_region(moving(region), moving(NULL), NULL));
    MISTAKE(pqt_region_sweep_region,
            pqt_region_sweep_region(moving(region), moving(region), &bad_region_sweep));
    MISTAKE(pqt_region_sweep_region,
            pqt_region_sweep_region(moving(region), moving(region), &coarse));
    MISTAKE(pqt_region_sweep_mover, pqt_region_sweep_mover(box_mover(), moving(NULL), NULL));
    MISTAKE(pqt_region_sweep_mover, pqt_region_sweep_mover(round_mover(), moving(NULL), NULL));
    MISTAKE(pqt_region_sweep_mover, pqt_region_sweep_mover(bad_mover, moving(region), NULL));
    MISTAKE(pqt_region_sweep_mover,
            pqt_region_sweep_mover(box_mover(), moving(region), &bad_region_sweep));
    MISTAKE(pqt_region_sweep_mover, pqt_region_sweep_mover(round_mover(), moving(region), &coarse));
    MISTAKE(pqt_region_slide_region, pqt_region_slide_region(moving(NULL), region, here, 1, NULL));
    MISTAKE(pqt_region_slide_region, pqt_region_slide_region(moving(region), NULL, here, 1, NULL));
    MISTAKE(pqt_region_slide_region,
            pqt_region_slide_region(moving(region), region, here, 1, &bad_region_sweep));
    MISTAKE(pqt_region_slide_mover, pqt_region_slide_mover(box_mover(), NULL, here, 1, NULL));
    MISTAKE(pqt_region_slide_mover, pqt_region_slide_mover(bad_mover, region, here, 1, NULL));
    MISTAKE(pqt_region_slide_mover, pqt_region_slide_mover(box_mover(), region, here, 1, &coarse));
    MISTAKE(pqt_region_slide_mover,
            pqt_region_slide_mover(round_mover(), region, here, 1, &coarse));
}

static void
misuse_worlds(void)
{
    MISTAKE(pqt_world_set_obstacle,
            pqt_world_set_obstacle(NULL, (pqt_obstacle){.region = region}, &error));
    MISTAKE(pqt_world_get_obstacle, pqt_world_get_obstacle(NULL));
    MISTAKE(pqt_world_is_obstructed, pqt_world_is_obstructed(NULL, circle));
    MISTAKE(pqt_recording_make, pqt_recording_make(NULL, 1, NULL, 1, &error));
    MISTAKE(pqt_recording_step, pqt_recording_step(NULL, NULL, &error));
    MISTAKE(pqt_recording_last, pqt_recording_last(NULL));
    MISTAKE(pqt_recording_kept, pqt_recording_kept(NULL));
    MISTAKE(pqt_recording_fingerprint, pqt_recording_fingerprint(NULL, 0));
    MISTAKE(pqt_recording_fingerprint, pqt_recording_fingerprint(recording, 7));
    MISTAKE(pqt_recording_at, pqt_recording_at(NULL, 0, &error));
    MISTAKE(pqt_recording_at, pqt_recording_at(recording, 7, &error));
    MISTAKE(pqt_recording_verify, pqt_recording_verify(NULL, NULL, &error));
    MISTAKE(pqt_recording_compare, pqt_recording_compare(NULL, recording, &parted, &error));
    MISTAKE(pqt_recording_compare, pqt_recording_compare(recording, recording, NULL, &error));
    MISTAKE(pqt_world_step, pqt_world_step(NULL, 1, NULL, &error));
    MISTAKE(pqt_world_copy, pqt_world_copy(NULL, arena, &error));
    MISTAKE(pqt_world_copy_all, pqt_world_copy_all(NULL, 1, arena, NULL, &error));
    MISTAKE(pqt_world_copy_all, pqt_world_copy_all(&no_world, 1, arena, &copied_world, &error));
    MISTAKE(pqt_world_add, pqt_world_add(NULL, (pqt_body){0}, &error));
    MISTAKE(pqt_world_add_all, pqt_world_add_all(NULL, NULL, 0, &error));
    MISTAKE(pqt_world_add_all, pqt_world_add_all(world, NULL, 1, &error));
    MISTAKE(pqt_world_remove, pqt_world_remove(NULL, 1, &error));
    MISTAKE(pqt_world_change, pqt_world_change(NULL, (pqt_body){0}, &error));
    MISTAKE(pqt_world_remove_all, pqt_world_remove_all(NULL, NULL, 0, &error));
    MISTAKE(pqt_world_remove_all, pqt_world_remove_all(world, NULL, 1, &error));
    MISTAKE(pqt_world_change_all, pqt_world_change_all(NULL, NULL, 0, &error));
    MISTAKE(pqt_world_change_all, pqt_world_change_all(world, NULL, 1, &error));
    MISTAKE(pqt_world_apply, pqt_world_apply(NULL, NULL, 0, &error));
    MISTAKE(pqt_world_apply, pqt_world_apply(world, NULL, 1, &error));
    MISTAKE(pqt_world_apply, pqt_world_apply(world, &bad_body_change, 1, &error));
    MISTAKE(pqt_world_clear, pqt_world_clear(NULL, &error));
    MISTAKE(pqt_world_search, pqt_world_search(NULL, (pqt_query[]){all()}, &error));
    NAMELESS(pqt_world_search(world, &bad_query, &error));
    MISTAKE(pqt_world_count, pqt_world_count(NULL));
    MISTAKE(pqt_world_bounds, pqt_world_bounds(NULL));
    MISTAKE(pqt_world_get_options, pqt_world_get_options(NULL, NULL));
    MISTAKE(pqt_world_get_options, pqt_world_get_options(world, NULL));
    MISTAKE(pqt_world_memory, pqt_world_memory(NULL));
    MISTAKE(pqt_world_tree, pqt_world_tree(NULL));
    MISTAKE(pqt_world_find, pqt_world_find(NULL, 1, NULL));
    MISTAKE(pqt_world_visit, pqt_world_visit(NULL, (pqt_query[]){all()}, visit_body, NULL));
    MISTAKE(pqt_world_visit, pqt_world_visit(world, (pqt_query[]){all()}, NULL, NULL));
    NAMELESS(pqt_world_visit(world, &bad_query, visit_body, NULL));
    MISTAKE(pqt_world_collect, pqt_world_collect(NULL, (pqt_query[]){all()}, NULL, 0));
    MISTAKE(pqt_world_collect, pqt_world_collect(world, (pqt_query[]){all()}, NULL, 1));
    MISTAKE(pqt_world_nearest, pqt_world_nearest(NULL, here, NULL, 0));
    MISTAKE(pqt_world_nearest, pqt_world_nearest(world, here, NULL, 1));
    MISTAKE(pqt_world_equals, pqt_world_equals(NULL, world));
    MISTAKE(pqt_world_fingerprint, pqt_world_fingerprint(NULL));
    MISTAKE(pqt_world_differs, pqt_world_differs(NULL, world, &number));
    MISTAKE(pqt_world_check, pqt_world_check(NULL, &error));
    MISTAKE(pqt_world_get_stats, pqt_world_get_stats(NULL));
    MISTAKE(pqt_world_shared_bytes, pqt_world_shared_bytes(NULL, world));
    MISTAKE(pqt_world_exclusive_bytes, pqt_world_exclusive_bytes(NULL, NULL, 0, &none, &error));
    MISTAKE(pqt_world_exclusive_bytes, pqt_world_exclusive_bytes(world, NULL, 1, &none, &error));
    MISTAKE(pqt_world_exclusive_bytes, pqt_world_exclusive_bytes(world, NULL, 0, NULL, &error));
    MISTAKE(pqt_version_pin, pqt_world_pin(NULL, &error));
    MISTAKE(pqt_pin_get_version_of, pqt_pin_get_world(NULL));
    MISTAKE(pqt_pin_get_version_of, pqt_pin_get_world(pin));
}

static bool
publish_first(pqti_block kind, size_t size, void *context)
{
    (void)kind;
    (void)size;
    pqti_set_allocation_hook(NULL, NULL);
    (void)pqt_head_publish(head, other, context);
    return true;
}

/* Publishes while another thread publishes first. */
static void
publish_in_between(void)
{
    pqti_set_allocation_hook(publish_first, NULL);
    (void)pqt_head_publish(head, other, &error);
}

static void *
wait_for_ever(void *context)
{
    (void)pqt_head_wait(head, 1, INFINITY);
    return context;
}

static void
destroy_awaited(void)
{
    pthread_t thread;
    (void)pthread_create(&thread, NULL, wait_for_ever, NULL);
    while (pqti_head_waiters(head) == 0)
        sched_yield();
    pqt_head_destroy(&head);
}

static void
destroy_collector(void)
{
    pqt_memory *collector = pqt_collector();
    if (collector != NULL)
        pqt_arena_destroy(&collector);
    else
        pqt_arena_destroy(&arena); /* it fails because the arena has pins */
}

static void
misuse_heads(void)
{
    MISTAKE(pqt_head_publish, publish_in_between());
    MISTAKE(pqt_head_destroy, destroy_awaited());
    MISTAKE(pqt_head_make, pqt_head_make(NULL, &error));
    MISTAKE(pqt_head_make, pqt_head_make(&none, &error)); /* no version */
    MISTAKE(pqt_head_load, pqt_head_load(NULL, NULL));
    MISTAKE(pqt_head_load, pqt_head_load_tree(NULL, NULL));
    MISTAKE(pqt_head_load, pqt_head_load_region(NULL, NULL));
    MISTAKE(pqt_head_load, pqt_head_load_world(NULL, NULL));
    MISTAKE(pqt_head_load, pqt_head_load_map(NULL, NULL));
    MISTAKE(pqt_head_load, pqt_head_load_document(NULL, NULL));
    MISTAKE(pqt_head_pin, pqt_head_pin(NULL, NULL, &error));
    MISTAKE(pqt_head_publish, pqt_head_publish(NULL, tree, &error));
    MISTAKE(pqt_head_publish, pqt_head_publish(head, NULL, &error));
    MISTAKE(pqt_head_publish, pqt_head_publish(head, region, &error));
    MISTAKE(pqt_head_publish, pqt_head_publish(head, world, &error));
    MISTAKE(pqt_head_publish, pqt_head_publish(region_head, tree, &error));
    MISTAKE(pqt_head_update, pqt_head_update(NULL, next_tree, NULL, NULL, &error));
    MISTAKE(pqt_head_update, pqt_head_update(head, NULL, NULL, NULL, &error));
    MISTAKE(pqt_head_update, pqt_head_update(head, give_region, NULL, NULL, &error));
    MISTAKE(pqt_head_number, pqt_head_number(NULL));
    MISTAKE(pqt_head_wait, pqt_head_wait(NULL, 0, 0));
    MISTAKE(pqt_head_wait, pqt_head_wait(head, 0, NAN));
}

static void
misuse_histories(void)
{
    MISTAKE(pqt_is_store, pqt_is_store(NULL, 1));
    MISTAKE(pqt_is_store_file, pqt_is_store_file(NULL));
    MISTAKE(pqt_store_open, pqt_store_open(NULL, NULL, &error));
    MISTAKE(pqt_store_kind, pqt_store_kind(NULL));
    MISTAKE(pqt_store_get_error, pqt_store_get_error(NULL, &error));
    MISTAKE(pqt_store_get_stats, pqt_store_get_stats(NULL, &store_stats, &error));
    MISTAKE(pqt_store_check, pqt_store_check(NULL, &error));
    MISTAKE(pqt_store_compact, pqt_store_compact(NULL, &error));
    MISTAKE(pqt_history_save, pqt_history_save(history, NULL, &error));
    MISTAKE(pqt_history_open, pqt_history_open(NULL, NULL, NULL, &error));
    MISTAKE(pqt_is_history, pqt_is_history(NULL, 1));
    MISTAKE(pqt_history_write, pqt_history_write(NULL, NULL, NULL, &error));
    MISTAKE(pqt_history_write, pqt_history_write(history, NULL, NULL, &error));
    MISTAKE(pqt_history_read, pqt_history_read(NULL, NULL, NULL, NULL, &error));
    MISTAKE(pqt_history_save_file, pqt_history_save_file(NULL, "a.pqt", &error));
    MISTAKE(pqt_history_save_file, pqt_history_save_file(history, NULL, &error));
    MISTAKE(pqt_history_load_file, pqt_history_load_file(NULL, NULL, NULL, &error));
    MISTAKE(pqt_history_make, pqt_history_make(NULL, tree, NULL, &error));
    MISTAKE(pqt_history_make,
            pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), NULL, NULL, &error));
    MISTAKE(pqt_history_make, pqt_history_make(&nameless, tree, NULL, &error));
    MISTAKE(pqt_history_push, pqt_history_push(NULL, tree, &no_step, &error));
    MISTAKE(pqt_history_push, pqt_history_push(history, NULL, &no_step, &error));
    MISTAKE(pqt_history_end_coalescing, pqt_history_end_coalescing(NULL));
    MISTAKE(pqt_history_begin, pqt_history_begin(NULL, NULL));
    MISTAKE(pqt_history_end, pqt_history_end(NULL));
    MISTAKE(pqt_history_cancel, pqt_history_cancel(NULL));
    MISTAKE(pqt_history_undo, pqt_history_undo(NULL));
    MISTAKE(pqt_history_redo, pqt_history_redo(NULL));
    MISTAKE(pqt_history_checkout, pqt_history_checkout(NULL, 1, &error));
    MISTAKE(pqt_history_undo_label, pqt_history_undo_label(NULL));
    MISTAKE(pqt_history_redo_label, pqt_history_redo_label(NULL));
    MISTAKE(pqt_history_mark_saved, pqt_history_mark_saved(NULL));
    MISTAKE(pqt_history_is_modified, pqt_history_is_modified(NULL));
    MISTAKE(pqt_history_set_name, pqt_history_set_name(NULL, 1, "a", &error));
    MISTAKE(pqt_history_value, pqt_history_value(NULL));
    MISTAKE(pqt_history_current, pqt_history_current(NULL));
    MISTAKE(pqt_history_get_entry, pqt_history_get_entry(NULL, 1, &entry));
    MISTAKE(pqt_history_get_entry, pqt_history_get_entry(history, 1, NULL));
    MISTAKE(pqt_history_value_of, pqt_history_value_of(NULL, 1));
    MISTAKE(pqt_history_find, pqt_history_find(NULL, "a", &number));
    MISTAKE(pqt_history_find, pqt_history_find(history, NULL, &number));
    MISTAKE(pqt_history_visit, pqt_history_visit(NULL, visit_entry, NULL));
    MISTAKE(pqt_history_visit, pqt_history_visit(history, NULL, NULL));
    MISTAKE(pqt_history_visit_branches, pqt_history_visit_branches(NULL, visit_entry, NULL));
    MISTAKE(pqt_history_visit_branches, pqt_history_visit_branches(history, NULL, NULL));
    MISTAKE(pqt_history_visit_path, pqt_history_visit_path(NULL, 1, 1, visit_entry, NULL));
    MISTAKE(pqt_history_visit_path, pqt_history_visit_path(history, 1, 1, NULL, NULL));
    MISTAKE(pqt_history_common_ancestor, pqt_history_common_ancestor(NULL, 1, 1, &number));
    MISTAKE(pqt_history_common_ancestor, pqt_history_common_ancestor(history, 1, 1, NULL));
    MISTAKE(pqt_history_get_stats, pqt_history_get_stats(NULL));
    MISTAKE(pqt_history_get_bytes, pqt_history_get_bytes(NULL, 1, &bytes, &error));
    MISTAKE(pqt_history_get_bytes, pqt_history_get_bytes(history, 1, NULL, &error));
    MISTAKE(pqt_history_thin, pqt_history_thin(NULL, 1, &error));
    MISTAKE(pqt_history_drop, pqt_history_drop(NULL, 1, &error));
    MISTAKE(pqt_history_drop_branch, pqt_history_drop_branch(NULL, 1, &error));
    MISTAKE(pqt_history_entry_at, pqt_history_entry_at(NULL, 1, 0, &number));
    MISTAKE(pqt_history_entry_at, pqt_history_entry_at(history, 1, 0, NULL));
    MISTAKE(pqt_history_last_change,
            pqt_history_last_change(NULL, NULL, 1, &bad_query, &answer, &error));
    MISTAKE(pqt_history_push, pqt_history_push(history, tree, &reserved_info, &error));
    MISTAKE(pqt_history_last_change,
            pqt_history_last_change(history, NULL, 1, &bad_query, NULL, &error));
    MISTAKE(pqt_history_last_item_change,
            pqt_history_last_item_change(NULL, NULL, 1, 1, &answer, &error));
    MISTAKE(pqt_history_last_item_change,
            pqt_history_last_item_change(history, NULL, 1, 1, NULL, &error));
    MISTAKE(pqt_history_visit_changes,
            pqt_history_visit_changes(NULL, NULL, 1, 0, 1, &bad_query, visit_change, NULL, &error));
    MISTAKE(pqt_history_visit_changes,
            pqt_history_visit_changes(history, NULL, 1, 0, 1, &bad_query, NULL, NULL, &error));
}

static void
misuse_memories(void)
{
    MISTAKE(pqt_arena_destroy, destroy_collector());
    MISTAKE(pqt_memory_get_stats, pqt_memory_get_stats(NULL));
    MISTAKE(pqt_arena_destroy, pqt_arena_destroy(&arena));
}

static void
misuse_pictures(void)
{
    MISTAKE(pqt_png_write, pqt_png_write(NULL, region, pixels, &error));
    MISTAKE(pqt_png_write, pqt_png_write(stdout, NULL, pixels, &error));
    MISTAKE(pqt_png_read, pqt_png_read(NULL, NULL, NULL, &error));
    MISTAKE(pqt_png_read_bytes, pqt_png_read_bytes(NULL, 1, NULL, NULL, &error));
    MISTAKE(pqt_svg_begin, pqt_svg_begin(NULL, stdout, bounds, NULL, &error));
    MISTAKE(pqt_svg_begin, pqt_svg_begin(keyed(), NULL, bounds, NULL, &error));
    MISTAKE(pqt_svg_cells, pqt_svg_cells(keyed(), tree, "a"));
    MISTAKE(pqt_svg_items, pqt_svg_items(keyed(), tree, (pqt_query[]){all()}, "a"));
    MISTAKE(pqt_svg_box, pqt_svg_box(keyed(), bounds, "a"));
    MISTAKE(pqt_svg_circle, pqt_svg_circle(keyed(), circle, "a"));
    MISTAKE(pqt_svg_segments, pqt_svg_segments(keyed(), &segment, 1, "a"));
    MISTAKE(pqt_svg_segments, pqt_svg_segments(keyed(), NULL, 1, "a"));
    MISTAKE(pqt_svg_text, pqt_svg_text(keyed(), here, "a", "a"));
    MISTAKE(pqt_svg_tip, pqt_svg_tip(keyed(), bounds, "a"));
}

static void
make_wanted(void)
{
    count = 0;
    misuse_trees();
    misuse_queries();
    misuse_differences();
    misuse_collisions();
    misuse_regions();
    misuse_worlds();
    misuse_heads();
    misuse_maps();
    misuse_documents();
    misuse_histories();
    misuse_memories();
    misuse_pictures();
}

static void
make_values(void)
{
    pqt_tree_options tree_options = PQT_TREE_DEFAULTS;
    pqt_world_options world_options = PQT_WORLD_DEFAULTS;
    pqt_history_options history_options = PQT_HISTORY_DEFAULTS;
    arena = pqt_arena_make(0, &error);
    tree_options.memory = world_options.memory = arena;
    tree = pqt_tree_make(bounds, &tree_options, &error);
    other = pqt_tree_insert(tree, item, &error);
    region = pqt_region_paint(pqt_region_make(arena, &error), pqt_paint_box(PQT_PAINT_SET, pixels),
                              &error);
    pqt_map_options map_options = PQT_MAP_DEFAULTS;
    map_options.memory = arena;
    id_map = pqt_map_make(&map_options, &error);
    map_options.keys = PQT_MAP_BYTE_KEYS;
    map_options.values = PQT_MAP_BYTE_VALUES;
    map = pqt_map_make(&map_options, &error);
    const pqt_part part = {.name = "shapes", .kind = PQT_KIND_TREE, .version = tree};
    document = pqt_document_make(&part, 1, &error);
    mixed[0] = tree;
    mixed[1] = map;
    world = pqt_world_make(bounds, &world_options, &error);
    history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, &history_options, &error);
    recording = pqt_recording_make(world, 1, NULL, 1, &error);
    head = pqt_head_make(tree, &error);
    region_head = pqt_head_make(region, &error);
    pin = pqt_tree_pin(tree, &error);
    region_pin = pqt_region_pin(region, &error);
    ck_assert_msg(error.status == PQT_OK, "%s", error.text);
}

static void
drop_values(void)
{
    pqt_unpin(&pin);
    pqt_unpin(&region_pin);
    pqt_head_destroy(&head);
    pqt_head_destroy(&region_head);
    pqt_recording_destroy(&recording);
    pqt_history_destroy(&history);
    pqt_arena_destroy(&arena);
}

/* ---- Reports ---- */

static void
make_mistake(void *number_of_it)
{
    wanted = *(int *)number_of_it;
    make_wanted();
}

/* Returns true if the text has the form "pqt: NAME: SENTENCE", or "pqt: SENTENCE" if there is no
 * name. */
static bool
is_reported_by(const char *name, const char *text)
{
    char start[MISUSE_TEXT];
    snprintf(start, sizeof start, "pqt: %s%s", name != NULL ? name : "", name != NULL ? ": " : "");
    const char *sentence = text + strlen(start);
    return strncmp(text, start, strlen(start)) == 0 && *sentence != '\0' &&
           (name != NULL || strstr(sentence, ": ") == NULL) && strchr(sentence, '\n') != NULL;
}

START_TEST(every_mistake_is_reported_under_the_name_of_the_called_function)
{
    char text[MISUSE_TEXT];
    int untold = 0;
    make_values();
    wanted = NOT_NOW;
    make_wanted();
    ck_assert_int_gt(count, 300);
    const int all_of_them = count;
    for (int i = 0; i < all_of_them; i++) {
        const bool aborted = misuse_aborts(make_mistake, &i, text);
        if (aborted && is_reported_by(names[i], text))
            continue;
        untold++;
        fprintf(stderr, "# %s: %s: %s\n", calls[i], aborted ? "says" : "does not abort", text);
    }
    ck_assert_int_eq(untold, 0);
    drop_values();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("misuse");
    TCase *tests = tcase_create("misuse");
    if (misuse_can_be_tested())
        tcase_add_test(tests, every_mistake_is_reported_under_the_name_of_the_called_function);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
