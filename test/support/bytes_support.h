/* SPDX-License-Identifier: MIT */
/*
 * bytes_support.h: functions for tests of versions as bytes: a sink and a source in memory, small
 * versions of every kind, and calls that work on any kind.
 */
#ifndef TEST_BYTES_SUPPORT_H
#define TEST_BYTES_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include <check.h>

#include <pqt/image_bytes.h>
#include <pqt/region_bytes.h>
#include <pqt/world_bytes.h>
#include <pqt/obstacle.h>
#include <pqt/step.h>

#include "io/crc32c.h"
#include "io/little_endian.h"
#include "random.h"

/* The bytes that a sink receives or that a source returns. */
typedef struct byte_buffer {
    uint8_t *bytes;
    size_t length, capacity;
    size_t next;  /* the index of the byte that the source returns next */
    size_t step;  /* the maximum number of bytes that one call of the source returns; 0: no limit */
    size_t calls; /* the number of calls to the sink or the source so far */
    size_t failing; /* the number of the call that fails, counted from 1; 0: none fails */
} byte_buffer;

static inline bool
sink(const void *bytes, size_t count, void *context)
{
    byte_buffer *buffer = context;
    if (++buffer->calls == buffer->failing)
        return false;
    if (count > buffer->capacity - buffer->length) {
        buffer->capacity = 2 * buffer->capacity + count;
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
        if (buffer->bytes == NULL)
            abort();
    }
    memcpy(buffer->bytes + buffer->length, bytes, count);
    buffer->length += count;
    return true;
}

static inline bool
source(void *bytes, size_t capacity, size_t *count, void *context)
{
    byte_buffer *buffer = context;
    const size_t rest = buffer->length - buffer->next;
    if (++buffer->calls == buffer->failing)
        return false;
    *count = buffer->step != 0 && buffer->step < capacity ? buffer->step : capacity;
    *count = rest < *count ? rest : *count;
    if (*count > 0)
        memcpy(bytes, buffer->bytes + buffer->next, *count);
    buffer->next += *count;
    return true;
}

static inline byte_buffer
bytes_of(const void *version)
{
    byte_buffer buffer = {0};
    pqt_error error = {0};
    ck_assert_msg(pqt_version_write(version, sink, &buffer, &error), "%s", error.text);
    ck_assert_int_eq(pqt_bytes_kind_of(buffer.bytes, buffer.length), pqt_kind_of(version));
    return buffer;
}

/* ---- Small versions ---- */

enum { SMALL_VERSIONS = 23 };

typedef struct any_version {
    pqt_kind kind;
    const void *version;
} any_version;

static inline pqt_item
small_item(dice *d, uint64_t id)
{
    const pqt_vec min = {(double)dice_below(d, 64) / 4, (double)dice_below(d, 64) / 4};
    const double size = dice_chance(d, 40) ? 0 : dice_real(d) * 9;
    return (pqt_item){{min, {min.x + size, min.y + size / 2}}, id};
}

/* Returns one of six trees: empty; with one item; with a few; with strict bounds and unique ids;
 * with outliers; with many items at one position. */
static inline const pqt_tree *
small_tree_of(unsigned form, pqt_memory *memory, pqt_error *error)
{
    static const size_t counts[] = {0, 1, 7, 30, 9, 40};
    dice d = {form};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    options.leaf_capacity = form == 2 ? 2 : 5;
    options.max_depth = form == 5 ? 3 : 20;
    options.unique_ids = options.strict_bounds = form == 3;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{-1, 0}, {40, 40}}, &options, error);
    for (uint64_t i = 0; i < counts[form]; i++) {
        pqt_item item = small_item(&d, form == 5 ? dice_next(&d) : i);
        if (form == 4 && i % 2 == 0)
            item.box.max.x = item.box.min.x = (double)i * 1e300;
        if (form == 5)
            item.box = (pqt_box){{3, 4}, {3, 4}};
        tree = pqt_tree_insert(tree, item, error);
    }
    return tree;
}

/* Returns one of four regions: empty; a pixel; a disc; equal squares that are far apart. */
static inline const pqt_region *
small_region(unsigned form, pqt_memory *memory, pqt_error *error)
{
    const pqt_region *region = pqt_region_make(memory, error);
    if (form == 1)
        region =
            pqt_region_paint(region, pqt_paint_pixel(PQT_PAINT_SET, (pqt_pixel){-1, 70}), error);
    if (form == 2)
        region =
            pqt_region_paint(region, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){40, -30}, 60), error);
    for (int i = 0; i < 3 && form == 3; i++)
        region = pqt_region_paint(
            region, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){100 + 256 * i, 100}, 20), error);
    return region;
}

/* Returns one of three images: of one colour; one whose edges cut tiles, with tiles of few colours;
 * one with a tile of many colours. */
static inline const pqt_image *
small_image(unsigned form, pqt_memory *memory, pqt_error *error)
{
    static const size_t sizes[][2] = {{40, 3}, {70, 45}, {20, 20}};
    static const pqt_rgba blank = {0, 0, 0, 0}, sand = {230, 210, 150, 255}, dye = {9, 90, 200, 99};
    dice d = {form};
    const pqt_image *image =
        pqt_image_make(sizes[form][0], sizes[form][1], form == 0 ? sand : blank, memory, error);
    for (int i = 0; i < 3 && form == 1; i++)
        image =
            pqt_image_paint(image, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){20.0 * i, 10.0 * i}, 9),
                            i < 2 ? sand : dye, PQT_INK_OVER, error);
    for (int32_t i = 0; i < 200 && form == 2; i++) {
        const uint64_t any = dice_next(&d);
        image = pqt_image_set_pixel(image, (pqt_pixel){i % 16, i / 16},
                                    (pqt_rgba){(uint8_t)any, (uint8_t)(any >> 8), 3, 255}, error);
    }
    return image;
}

/* Adds two balls that lie on fixed ones. One of them is asleep, the other has been quiet for one
   step. */
static inline const pqt_world *
with_resting_balls(const pqt_world *world, double friction, pqt_error *error)
{
    pqt_step_options falling = PQT_STEP_DEFAULTS;
    falling.restitution = 0;
    falling.gravity.y = 8;
    falling.gravity.x = friction;
    falling.friction = friction;
    for (uint64_t id = 5; id <= 6; id++) {
        falling.sleep_steps = id - 4;
        world = pqt_world_add(
            world,
            (pqt_body){.id = id, .position = {id == 5 ? 3 : 22.5, 27}, .radius = 1.5, .mass = 2},
            error);
        world = pqt_world_step(world, 0.015625, &falling, error);
    }
    return world;
}

/* Returns one of several worlds: with bodies and walls; with an obstacle and without walls; with
   friction and rotation. */
static inline const pqt_world *
small_world_of(unsigned form, pqt_memory *memory, pqt_error *error)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = memory;
    options.leaf_capacity = 3;
    options.walls = form != 1;
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {64, 64}}, &options, error);
    for (uint64_t i = 0; i < 9; i++) {
        pqt_body body = {.id = i * i * 77, .position = {3 + 6.5 * (double)i, 30}, .radius = 1.5};
        body.velocity.x = i % 3 == 0 ? 0 : 0.1 * (double)i;
        body.fixed = i % 3 == 0;
        body.user_data = i == 4 ? UINT64_MAX : i;
        body.category = i == 4 ? UINT32_MAX : (uint32_t)i;
        body.mask = i == 4 ? 1 : 0;
        if (form == 2) {
            body.friction = i == 4 ? 0.5F : 0;
            body.angle = i == 6 ? 1 : 0;
            body.angular_velocity = i % 3 == 0 ? 0 : 0.25 * (double)i;
        }
        world = pqt_world_add(world, body, error);
    }
    if (form == 2)
        return with_resting_balls(world, 0.5, error);
    if (form == 0)
        return world;
    const pqt_obstacle obstacle = {small_region(1, memory, error), {0.25, -3}};
    return with_resting_balls(pqt_world_set_obstacle(world, obstacle, error), 0, error);
}

/* Returns one of five maps: an empty one, and one for each kind of keys and values. Some of the
 * byte strings are empty, and some are prefixes of others. */
static inline const pqt_map *
small_map(unsigned form, pqt_memory *memory, pqt_error *error)
{
    static const char letters[PQT_MAX_MAP_KEY + 1] = "aaaabaaaabaaaabaaaabaaaabaaaabaa";
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = memory;
    options.keys = (form & 1) != 0 ? PQT_MAP_BYTE_KEYS : PQT_MAP_IDS;
    options.values = (form & 2) != 0 ? PQT_MAP_BYTE_VALUES : PQT_MAP_NUMBERS;
    const pqt_map *map = pqt_map_make(&options, error);
    for (uint64_t i = 0; i < 12 && form < 4; i++) {
        const pqt_map_key key = (form & 1) != 0 ? pqt_map_byte_key(letters + i % 3, (size_t)i * 2)
                                                : pqt_map_id(i * i * i);
        const pqt_map_value value = (form & 2) != 0 ? pqt_map_bytes(letters, (size_t)(i % 4))
                                                    : pqt_map_number(UINT64_MAX / (i + 1));
        map = pqt_map_insert(map, key, value, error);
    }
    return map;
}

/* Returns one of two documents: one has a tree with the maps that it keys, the other a part of each
 * kind. */
static inline const pqt_document *
small_document(unsigned form, pqt_memory *memory, pqt_error *error)
{
    const pqt_tree *shapes = small_tree_of(3, memory, error);
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = memory;
    const pqt_map *colours = pqt_map_make(&options, error);
    options.values = PQT_MAP_BYTE_VALUES;
    const pqt_map *names = pqt_map_make(&options, error);
    for (uint64_t id = 0; id < 9; id += 2) {
        colours = pqt_map_insert(colours, pqt_map_id(id), pqt_map_number(id * id), error);
        names = pqt_map_insert(names, pqt_map_id(id), pqt_map_bytes("shape", id / 2), error);
    }
    const pqt_part keyed[] = {{"shapes", PQT_KIND_TREE, shapes, NULL},
                              {"colours", PQT_KIND_MAP, colours, "shapes"},
                              {"names", PQT_KIND_MAP, names, "shapes"}};
    const pqt_part kinds[] = {
        {"marks", PQT_KIND_TREE, small_tree_of(2, memory, error), NULL},
        {"settings", PQT_KIND_MAP, small_map(3, memory, error), NULL},
#if PQT_WITH_PIXELS
        {"mask", PQT_KIND_REGION, small_region(2, memory, error), NULL},
#endif
#if PQT_WITH_WORLDS
        {"balls", PQT_KIND_WORLD, small_world_of(1, memory, error), NULL},
#endif
    };
    if (error->status != PQT_OK)
        return NULL;
    return form == 0 ? pqt_document_make(keyed, 3, error)
                     : pqt_document_make(kinds, sizeof kinds / sizeof *kinds, error);
}

/* Returns one of SMALL_VERSIONS versions. In a build without its kind, it is a tree. */
static inline any_version
small_version(unsigned number, pqt_memory *memory, pqt_error *error)
{
    if (number < 6)
        return (any_version){PQT_KIND_TREE, small_tree_of(number, memory, error)};
    if (number >= 12 && number < 17)
        return (any_version){PQT_KIND_MAP, small_map(number - 12, memory, error)};
    if (number >= 17 && number < 19)
        return (any_version){PQT_KIND_DOCUMENT, small_document(number - 17, memory, error)};
#if PQT_WITH_WORLDS
    if (number >= 10 && number < 12)
        return (any_version){PQT_KIND_WORLD, small_world_of(number - 10, memory, error)};
    if (number == 19)
        return (any_version){PQT_KIND_WORLD, small_world_of(2, memory, error)};
#endif
#if PQT_WITH_PIXELS
    if (number < 10)
        return (any_version){PQT_KIND_REGION, small_region(number - 6, memory, error)};
    if (number >= 20)
        return (any_version){PQT_KIND_IMAGE, small_image(number - 20, memory, error)};
#endif
    return (any_version){PQT_KIND_TREE, small_tree_of(number % 6, memory, error)};
}

/* ---- Changed bytes ---- */

/* Corrects the checksums of a file whose sections are complete, so that a reader reaches the errors
   in their payloads. */
static inline void
seal(byte_buffer *file)
{
    static pqti_crc32c_tables tables;
    pqti_crc32c_make_tables(&tables);
    if (file->length >= 16)
        pqti_store_le(file->bytes + 12, pqti_crc32c(&tables, 0, file->bytes, 12), 4);
    for (size_t at = 16; at + 12 <= file->length;) {
        const size_t length = (size_t)pqti_load_le(file->bytes + at + 4, 4);
        if (length > file->length - at - 12)
            return;
        pqti_store_le(file->bytes + at + 8 + length,
                      pqti_crc32c(&tables, 0, file->bytes + at, 8 + length), 4);
        at += 12 + length;
    }
}

#endif
