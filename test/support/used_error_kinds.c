/* SPDX-License-Identifier: MIT */
/* used_error_kinds.c: cases of used_error.h for regions, maps, worlds and documents. */
#include "config.h"

#include <pqt/crossing.h>
#include <pqt/document.h>
#include <pqt/draft.h>
#include <pqt/map.h>
#include <pqt/moment.h>
#include <pqt/obstacle.h>
#include <pqt/region.h>
#include <pqt/region_affine.h>
#include <pqt/region_collect.h>
#include <pqt/region_contour.h>
#include <pqt/region_convolve.h>
#include <pqt/region_morph.h>
#include <pqt/step.h>
#include <pqt/world.h>

#include "used_error.h"

/* ---- Regions ---- */

static const pqt_pixel_box pixels = {{20, -60}, {50, 10}};
static const uint8_t image_bytes[] = {0, 255, 255, 0, 255, 0, 0, 0, 255};

CASE(pqt_region_make)
{
    return VERSION(pqt_region_make(sample.memory, error));
}

CASE(pqt_region_of_bytes)
{
    const pqt_byte_image image = {image_bytes, 3, 3, 3, 1, 128};
    return VERSION(pqt_region_of_bytes(&image, (pqt_pixel){5, 6}, sample.memory, error));
}

CASE(pqt_region_of_bits)
{
    const pqt_bit_image image = {image_bytes, 8, 9, 1, PQT_BITS_LOW_FIRST};
    return VERSION(pqt_region_of_bits(&image, (pqt_pixel){5, 6}, sample.memory, error));
}

CASE(pqt_region_of_runs)
{
    const pqt_pixel_run runs[] = {{3, 5, 9}, {4, 6, 8}};
    return VERSION(pqt_region_of_runs(runs, 2, sample.memory, error));
}

CASE(pqt_region_of_boxes)
{
    return VERSION(pqt_region_of_boxes(&pixels, 1, sample.memory, error));
}

CASE(pqt_region_copy)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const outcome result = VERSION(pqt_region_copy(sample.region, other, error));
    pqt_arena_destroy(&other);
    return result;
}

CASE(pqt_region_copy_all)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_region *copy = NULL;
    const bool done = DONE(pqt_region_copy_all(&sample.region, 1, other, &copy, error));
    const uint64_t value = number_of(copy);
    pqt_arena_destroy(&other);
    return (outcome){done, value};
}

CASE(pqt_region_intern)
{
    return VERSION(pqt_region_intern(sample.region, error));
}

CASE(pqt_region_paint)
{
    const pqt_paint disc = pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){30, -20}, 9);
    return VERSION(pqt_region_paint(sample.region, disc, error));
}

CASE(pqt_region_paint_all)
{
    const pqt_paint paints[] = {pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){30, -20}, 9),
                                pqt_paint_box(PQT_PAINT_SET, pixels)};
    return VERSION(pqt_region_paint_all(sample.region, paints, 2, error));
}

CASE(pqt_region_union)
{
    return VERSION(pqt_region_union(sample.region, sample.next_region, (pqt_pixel){40, 7}, error));
}

CASE(pqt_region_intersection)
{
    return VERSION(
        pqt_region_intersection(sample.region, sample.next_region, (pqt_pixel){40, 7}, error));
}

CASE(pqt_region_difference)
{
    return VERSION(
        pqt_region_difference(sample.region, sample.next_region, (pqt_pixel){40, 7}, error));
}

CASE(pqt_region_xor)
{
    return VERSION(pqt_region_xor(sample.region, sample.next_region, (pqt_pixel){40, 7}, error));
}

CASE(pqt_region_move)
{
    return VERSION(pqt_region_move(sample.region, (pqt_pixel){13, -9}, error));
}

CASE(pqt_region_complement)
{
    return VERSION(pqt_region_complement(sample.region, pixels, error));
}

CASE(pqt_region_crop)
{
    return VERSION(pqt_region_crop(sample.region, pixels, error));
}

static bool
count_region(const pqt_region *region, void *context)
{
    uint64_t *count = context;
    *count += pqt_region_count(region);
    return true;
}

CASE(pqt_region_visit_components)
{
    uint64_t count = 0;
    const bool done = DONE(pqt_region_visit_components(sample.next_region, PQT_CONNECTIVITY_4, 0,
                                                       count_region, &count, error));
    return (outcome){done, done ? count : 0};
}

static bool
count_corners(const pqt_contour *contour, void *context)
{
    uint64_t *count = context;
    *count += contour->count;
    return true;
}

CASE(pqt_region_visit_contours)
{
    uint64_t count = 0;
    const bool done = DONE(pqt_region_visit_contours(sample.next_region, PQT_CONNECTIVITY_4, 0,
                                                     count_corners, &count, error));
    return (outcome){done, done ? count : 0};
}

CASE(pqt_region_component)
{
    return VERSION(
        pqt_region_component(sample.next_region, (pqt_pixel){40, -30}, PQT_CONNECTIVITY_8, error));
}

CASE(pqt_region_largest_component)
{
    return VERSION(pqt_region_largest_component(sample.next_region, PQT_CONNECTIVITY_4, error));
}

CASE(pqt_region_outline)
{
    return VERSION(pqt_region_outline(sample.region, PQT_CONNECTIVITY_4, error));
}

CASE(pqt_region_transform)
{
    return VERSION(pqt_region_transform(sample.region, PQT_ROTATE_90, error));
}

CASE(pqt_region_scale)
{
    return VERSION(pqt_region_scale(sample.region, 2, 1, error));
}

CASE(pqt_region_dilate)
{
    return VERSION(pqt_region_dilate(sample.region, 2, PQT_CONNECTIVITY_4, error));
}

CASE(pqt_region_erode)
{
    return VERSION(pqt_region_erode(sample.region, 2, PQT_CONNECTIVITY_8, error));
}

CASE(pqt_region_map)
{
    const pqt_affine turn = pqt_affine_rotation((pqt_vec){3, 1}, (pqt_vec){0, 0});
    return VERSION(pqt_region_map(sample.region, turn, PQT_SAMPLE_NEAREST, error));
}

CASE(pqt_region_resize)
{
    const pqt_pixel_box to = {{0, 0}, {70, 20}};
    return VERSION(pqt_region_resize(sample.region, pixels, to, PQT_SAMPLE_AREA, error));
}

CASE(pqt_region_convolve)
{
    uint32_t counts[70 * 30], sum = 0;
    const bool done =
        DONE(pqt_region_convolve(sample.region, sample.next_region, pixels, counts, 30, error));
    for (int i = 0; done && i < 70 * 30; i++)
        sum += counts[i];
    return (outcome){done, sum};
}

CASE(pqt_region_dilate_disc)
{
    return VERSION(pqt_region_dilate_disc(sample.region, 2.5, error));
}

CASE(pqt_region_erode_disc)
{
    return VERSION(pqt_region_erode_disc(sample.region, 2.5, error));
}

CASE(pqt_region_skeleton)
{
    return VERSION(pqt_region_skeleton(sample.region, error));
}

CASE(pqt_region_distances)
{
    uint32_t squares[70 * 30], sum = 0;
    const bool done = DONE(
        pqt_region_distances(sample.region, pixels, PQT_DISTANCE_TO_OUTSIDE, squares, 30, error));
    for (int i = 0; done && i < 70 * 30; i++)
        sum += squares[i];
    return (outcome){done, sum};
}

CASE(pqt_region_collect_components)
{
    const pqt_region *found[2] = {NULL, NULL};
    size_t count = 0;
    const bool done = DONE(pqt_region_collect_components(sample.next_region, PQT_CONNECTIVITY_4, 0,
                                                         found, 2, &count, error));
    return (outcome){done, done ? count + pqt_region_count(found[0]) : 0};
}

CASE(pqt_region_collect_contours)
{
    pqt_contour_arrays arrays = {.corners = NULL};
    const bool done = DONE(
        pqt_region_collect_contours(sample.next_region, PQT_CONNECTIVITY_4, 0, &arrays, error));
    return (outcome){done, arrays.corner_count};
}

CASE(pqt_region_check)
{
    return (outcome){DONE(pqt_region_check(sample.region, error)), 0};
}

CASE(pqt_region_exclusive_bytes)
{
    size_t bytes = 0;
    const bool done =
        DONE(pqt_region_exclusive_bytes(sample.next_region, &sample.region, 1, &bytes, error));
    return (outcome){done, bytes};
}

CASE(pqt_region_to_bytes)
{
    uint8_t bytes[30 * 30] = {0};
    uint64_t sum = 0;
    const bool done = DONE(pqt_region_to_bytes(
        sample.region, (pqt_pixel_box){{80, -40}, {109, -11}}, bytes, 30, 1, error));
    for (size_t i = 0; i < sizeof bytes; i++)
        sum += bytes[i];
    return (outcome){done, sum};
}

/* ---- Maps ---- */

CASE(pqt_map_make)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = sample.memory;
    return VERSION(pqt_map_make(&options, error));
}

CASE(pqt_map_copy)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const outcome result = VERSION(pqt_map_copy(sample.map, other, error));
    pqt_arena_destroy(&other);
    return result;
}

CASE(pqt_map_copy_all)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_map *copy = NULL;
    const bool done = DONE(pqt_map_copy_all(&sample.map, 1, other, &copy, error));
    const uint64_t value = number_of(copy);
    pqt_arena_destroy(&other);
    return (outcome){done, value};
}

CASE(pqt_map_insert)
{
    return VERSION(pqt_map_insert(sample.map, pqt_map_id(3), pqt_map_number(4), error));
}

CASE(pqt_map_remove)
{
    return VERSION(pqt_map_remove(sample.map, pqt_map_id(8), error));
}

CASE(pqt_map_apply)
{
    const pqt_map_change changes[] = {{PQT_MAP_INSERT, pqt_map_id(3), pqt_map_number(4)},
                                      {.kind = PQT_MAP_REMOVE, .key = pqt_map_id(8)}};
    return VERSION(pqt_map_apply(sample.map, changes, 2, error));
}

CASE(pqt_map_check)
{
    return (outcome){DONE(pqt_map_check(sample.map, error)), 0};
}

CASE(pqt_map_exclusive_bytes)
{
    size_t bytes = 0;
    const bool done = DONE(pqt_map_exclusive_bytes(sample.next_map, &sample.map, 1, &bytes, error));
    return (outcome){done, bytes};
}

CASE(pqt_map_merge)
{
    const pqt_map *third = pqt_map_insert(sample.map, pqt_map_id(5), pqt_map_number(6), NULL);
    return VERSION(pqt_map_merge(sample.map, sample.next_map, third, NULL, error));
}

/* Returns the outcome of an edit of a draft of the sample, and destroys the draft. */
static outcome
edited(pqt_map_draft *draft, bool done)
{
    const uint64_t value = pqt_map_fingerprint(pqt_map_draft_view(draft)).low;
    pqt_map_draft_destroy(&draft);
    return (outcome){done, value};
}

static pqt_map_draft *
new_draft(void)
{
    pqt_map_draft *draft = pqt_map_draft_begin(sample.map, NULL);
    ck_assert_ptr_nonnull(draft);
    return draft;
}

CASE(pqt_map_draft_begin)
{
    pqt_map_draft *draft = OWN(pqt_map_draft_begin(sample.map, error));
    const bool done = draft != NULL;
    pqt_map_draft_destroy(&draft);
    return (outcome){done, 0};
}

CASE(pqt_map_draft_insert)
{
    pqt_map_draft *draft = new_draft();
    const pqt_map_value value = pqt_map_number(4);
    return edited(draft, DONE(pqt_map_draft_insert(draft, pqt_map_id(3), value, error)));
}

CASE(pqt_map_draft_remove)
{
    pqt_map_draft *draft = new_draft();
    return edited(draft, DONE(pqt_map_draft_remove(draft, pqt_map_id(8), error)));
}

CASE(pqt_map_draft_apply)
{
    pqt_map_draft *draft = new_draft();
    const pqt_map_change changes[] = {{PQT_MAP_INSERT, pqt_map_id(3), pqt_map_number(4)},
                                      {.kind = PQT_MAP_REMOVE, .key = pqt_map_id(8)}};
    return edited(draft, DONE(pqt_map_draft_apply(draft, changes, 2, error)));
}

CASE(pqt_map_draft_snapshot)
{
    pqt_map_draft *draft = new_draft();
    ck_assert(pqt_map_draft_insert(draft, pqt_map_id(3), pqt_map_number(4), NULL));
    const outcome made = VERSION(pqt_map_draft_snapshot(draft, error));
    pqt_map_draft_destroy(&draft);
    return made;
}

/* ---- Worlds ---- */

static const pqt_body new_bodies[] = {{.id = 1, .position = {5, 50}, .radius = 1},
                                      {.id = 2, .position = {50, 5}, .radius = 2}};

static pqt_body
own_body(void)
{
    pqt_body body = {0};
    ck_assert(pqt_world_find(sample.world, 77, &body));
    return body;
}

CASE(pqt_world_make)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = sample.memory;
    return VERSION(pqt_world_make((pqt_box){{0, 0}, {9, 9}}, &options, error));
}

CASE(pqt_world_copy)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const outcome result = VERSION(pqt_world_copy(sample.world, other, error));
    pqt_arena_destroy(&other);
    return result;
}

CASE(pqt_world_copy_all)
{
    const pqt_world *const worlds[] = {sample.world, sample.next_world}, *copies[2] = {NULL};
    pqt_memory *other = pqt_arena_make(0, NULL);
    const bool done = DONE(pqt_world_copy_all(worlds, 2, other, copies, error));
    const uint64_t value = done ? pqt_world_fingerprint(copies[1]).low : 0;
    pqt_arena_destroy(&other);
    return (outcome){done, value};
}

CASE(pqt_world_add)
{
    return VERSION(pqt_world_add(sample.world, new_bodies[0], error));
}

CASE(pqt_world_add_all)
{
    return VERSION(pqt_world_add_all(sample.world, new_bodies, 2, error));
}

CASE(pqt_world_remove)
{
    return VERSION(pqt_world_remove(sample.world, 77, error));
}

CASE(pqt_world_change)
{
    pqt_body body = own_body();
    body.velocity.y = 3;
    return VERSION(pqt_world_change(sample.world, body, error));
}

CASE(pqt_world_remove_all)
{
    const uint64_t ids[] = {0, 77};
    return VERSION(pqt_world_remove_all(sample.world, ids, 2, error));
}

CASE(pqt_world_change_all)
{
    pqt_body body = own_body();
    body.position.y += 0.5;
    return VERSION(pqt_world_change_all(sample.world, &body, 1, error));
}

CASE(pqt_world_apply)
{
    const pqt_body_change changes[] = {{PQT_BODY_ADD, new_bodies[0]},
                                       {PQT_BODY_REMOVE, own_body()}};
    return VERSION(pqt_world_apply(sample.world, changes, 2, error));
}

CASE(pqt_world_clear)
{
    return VERSION(pqt_world_clear(sample.world, error));
}

CASE(pqt_world_search)
{
    const pqt_query query = {.window = {{0, 0}, {20, 60}}, .relation = PQT_TOUCHES};
    return VERSION(pqt_world_search(sample.world, &query, error));
}

CASE(pqt_world_check)
{
    return (outcome){DONE(pqt_world_check(sample.world, error)), 0};
}

CASE(pqt_world_exclusive_bytes)
{
    size_t bytes = 0;
    const bool done =
        DONE(pqt_world_exclusive_bytes(sample.next_world, &sample.world, 1, &bytes, error));
    return (outcome){done, bytes};
}

CASE(pqt_world_set_obstacle)
{
    const pqt_obstacle obstacle = {sample.region, {0.5, -200}};
    return VERSION(pqt_world_set_obstacle(sample.world, obstacle, error));
}

CASE(pqt_world_step)
{
    return VERSION(pqt_world_step(sample.world, 0.25, NULL, error));
}

static bool
count_crossing(const pqt_crossing *crossing, void *context)
{
    uint64_t *count = context;
    *count += 1 + crossing->body.id;
    return true;
}

CASE(pqt_world_visit_crossings)
{
    uint64_t count = 0;
    const pqt_zone zone = {.box = {{0, 28}, {9.75, 32}}};
    const bool done = DONE(pqt_world_visit_crossings(sample.world, sample.next_world, &zone,
                                                     count_crossing, &count, error));
    return (outcome){done, count};
}

/* ---- Moments ---- */

static pqt_shot
shot(void)
{
    return pqt_shot_of(pqt_mover_circle(0.5, (pqt_vec){1, 30}, (pqt_vec){60, 30}));
}

static pqt_moment
moment(void)
{
    return (pqt_moment){sample.world, sample.next_world, 0.5};
}

CASE(pqt_moment_find)
{
    const pqt_moment at = moment();
    pqt_body body = {0};
    const bool done = DONE(pqt_moment_find(&at, 77, &body, error));
    return (outcome){done, (uint64_t)(1000 * body.position.x)};
}

CASE(pqt_moment_sweep)
{
    const pqt_moment at = moment();
    const pqt_shot of = shot();
    pqt_shot_hit hit = {0};
    const bool done = DONE(pqt_moment_sweep(&at, &of, &hit, error));
    return (outcome){done, hit.body.id};
}

static bool
count_hit(const pqt_shot_hit *hit, void *context)
{
    uint64_t *count = context;
    *count += 1 + hit->body.id;
    return true;
}

CASE(pqt_moment_visit_hits)
{
    const pqt_moment at = moment();
    const pqt_shot of = shot();
    uint64_t count = 0;
    const bool done = DONE(pqt_moment_visit_hits(&at, &of, count_hit, &count, error));
    return (outcome){done, count};
}

/* ---- Documents ---- */

static pqt_part
part_of_document(const char *name)
{
    size_t index = 0;
    ck_assert(pqt_document_find(sample.document, name, &index));
    return pqt_document_get_part(sample.document, index);
}

CASE(pqt_document_make)
{
    const pqt_part parts[] = {{"mask", PQT_KIND_REGION, sample.region, NULL},
                              {"marks", PQT_KIND_TREE, sample.tree, NULL}};
    return VERSION(pqt_document_make(parts, 2, error));
}

CASE(pqt_document_copy)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const outcome result = VERSION(pqt_document_copy(sample.document, other, error));
    pqt_arena_destroy(&other);
    return result;
}

CASE(pqt_document_copy_all)
{
    pqt_memory *other = pqt_arena_make(0, NULL);
    const pqt_document *copy = NULL;
    const bool done = DONE(pqt_document_copy_all(&sample.document, 1, other, &copy, error));
    const uint64_t value = number_of(copy);
    pqt_arena_destroy(&other);
    return (outcome){done, value};
}

CASE(pqt_document_set_part)
{
    return VERSION(pqt_document_set_tree(sample.document, "shapes", sample.next_tree, error));
}

CASE(pqt_document_set_parts)
{
    const pqt_part part = {"shapes", PQT_KIND_TREE, sample.next_tree, NULL};
    return VERSION(pqt_document_set_parts(sample.document, &part, 1, error));
}

CASE(pqt_document_check)
{
    return (outcome){DONE(pqt_document_check(sample.document, error)), 0};
}

CASE(pqt_document_exclusive_bytes)
{
    size_t bytes = 0;
    const bool done = DONE(
        pqt_document_exclusive_bytes(sample.next_document, &sample.document, 1, &bytes, error));
    return (outcome){done, bytes};
}

CASE(pqt_document_get_stats)
{
    pqt_document_stats stats = {0};
    const bool done = DONE(pqt_document_get_stats(sample.document, &stats, error));
    return (outcome){done, stats.bytes};
}

static bool
count_document_change(const pqt_document_change *change, void *context)
{
    uint64_t *count = context;
    *count += 1 + (uint64_t)change->kind;
    return true;
}

CASE(pqt_document_visit_diff)
{
    uint64_t count = 0;
    const bool done = DONE(pqt_document_visit_diff(sample.document, sample.next_document,
                                                   count_document_change, &count, error));
    return (outcome){done, count};
}

CASE(pqt_document_merge)
{
    const pqt_map *colours =
        pqt_map_insert(part_of_document("colours").version, pqt_map_id(7), pqt_map_number(8), NULL);
    const pqt_document *third = pqt_document_set_map(sample.document, "colours", colours, NULL);
    return VERSION(pqt_document_merge(sample.document, sample.next_document, third, NULL, error));
}

const error_case error_cases_of_kinds[] = {
    HAS(pqt_region_make),
    HAS(pqt_region_of_bytes),
    HAS(pqt_region_of_bits),
    HAS(pqt_region_of_runs),
    HAS(pqt_region_of_boxes),
    HAS(pqt_region_copy),
    HAS(pqt_region_copy_all),
    HAS(pqt_region_intern),
    HAS(pqt_region_paint),
    HAS(pqt_region_paint_all),
    HAS(pqt_region_union),
    HAS(pqt_region_intersection),
    HAS(pqt_region_difference),
    HAS(pqt_region_xor),
    HAS(pqt_region_move),
    HAS(pqt_region_complement),
    HAS(pqt_region_crop),
    HAS(pqt_region_visit_components),
    HAS(pqt_region_visit_contours),
    HAS(pqt_region_component),
    HAS(pqt_region_largest_component),
    HAS(pqt_region_outline),
    HAS(pqt_region_transform),
    HAS(pqt_region_scale),
    HAS(pqt_region_dilate),
    HAS(pqt_region_erode),
    HAS(pqt_region_map),
    HAS(pqt_region_resize),
    HAS(pqt_region_convolve),
    HAS(pqt_region_dilate_disc),
    HAS(pqt_region_erode_disc),
    HAS(pqt_region_skeleton),
    HAS(pqt_region_distances),
    HAS(pqt_region_collect_components),
    HAS(pqt_region_collect_contours),
    HAS(pqt_region_check),
    HAS(pqt_region_exclusive_bytes),
    HAS(pqt_region_to_bytes),
    HAS(pqt_map_make),
    HAS(pqt_map_copy),
    HAS(pqt_map_copy_all),
    HAS(pqt_map_insert),
    HAS(pqt_map_remove),
    HAS(pqt_map_apply),
    HAS(pqt_map_check),
    HAS(pqt_map_exclusive_bytes),
    HAS(pqt_map_merge),
    HAS(pqt_map_draft_begin),
    HAS(pqt_map_draft_insert),
    HAS(pqt_map_draft_remove),
    HAS(pqt_map_draft_apply),
    HAS(pqt_map_draft_snapshot),
    HAS(pqt_world_make),
    HAS(pqt_world_copy),
    HAS(pqt_world_copy_all),
    HAS(pqt_world_add),
    HAS(pqt_world_add_all),
    HAS(pqt_world_remove),
    HAS(pqt_world_change),
    HAS(pqt_world_remove_all),
    HAS(pqt_world_change_all),
    HAS(pqt_world_apply),
    HAS(pqt_world_clear),
    HAS(pqt_world_search),
    HAS(pqt_world_check),
    HAS(pqt_world_exclusive_bytes),
    HAS(pqt_world_set_obstacle),
    HAS(pqt_world_step),
    HAS(pqt_world_visit_crossings),
    HAS(pqt_moment_find),
    HAS(pqt_moment_sweep),
    HAS(pqt_moment_visit_hits),
    HAS(pqt_document_make),
    HAS(pqt_document_copy),
    HAS(pqt_document_copy_all),
    HAS(pqt_document_set_part),
    HAS(pqt_document_set_parts),
    HAS(pqt_document_check),
    HAS(pqt_document_exclusive_bytes),
    HAS(pqt_document_get_stats),
    HAS(pqt_document_visit_diff),
    HAS(pqt_document_merge),
};
const size_t error_case_count_of_kinds = sizeof error_cases_of_kinds / sizeof *error_cases_of_kinds;
