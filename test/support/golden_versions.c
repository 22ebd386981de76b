/* SPDX-License-Identifier: MIT */
/*
 * golden_versions.c: describes the versions in the golden .pqt files.
 *
 * A description is never changed, since its file is not. Another version gets another description
 * and another file.
 */
#include "config.h"

#include <float.h>

#include "golden.h"

/* ---- Trees ---- */

static const pqt_tree *
make_tree(pqt_box bounds, pqt_tree_options options, const pqt_item *items, size_t count,
          pqt_memory *memory, pqt_error *error)
{
    options.memory = memory;
    const pqt_tree *tree = pqt_tree_make(bounds, &options, error);
    return pqt_tree_insert_all(tree, items, count, error);
}

static const void *
tree_empty(pqt_memory *memory, pqt_error *error)
{
    return make_tree((pqt_box){{0, 0}, {100, 100}}, (pqt_tree_options)GOLDEN_TREE_DEFAULTS, NULL, 0,
                     memory, error);
}

/* Each option differs from its default. The tree has inner nodes, own items and leaves. */
static const void *
tree_options(pqt_memory *memory, pqt_error *error)
{
    pqt_tree_options options = GOLDEN_TREE_DEFAULTS;
    options.leaf_capacity = 3;
    options.max_depth = 7;
    options.strict_bounds = options.unique_ids = true;
    pqt_item items[40];
    for (uint64_t i = 0; i < 40; i++) {
        const pqt_vec min = {-12.5 + 0.625 * (double)(i * 7 % 40), -3 + (double)(i * i % 23) / 10};
        const double side = i % 9 == 0 ? 6.25 : 0.1 * (double)(i % 4);
        items[i] = (pqt_item){{min, {min.x + side, min.y + side / 3}}, i * i + 1};
    }
    return make_tree((pqt_box){{-12.5, -3.25}, {20.25, 7}}, options, items, 40, memory, error);
}

/* Doubles at the ends of their range, outside and inside of the bounds. */
static const void *
tree_extremes(pqt_memory *memory, pqt_error *error)
{
    pqt_tree_options options = GOLDEN_TREE_DEFAULTS;
    options.max_depth = PQT_MAX_DEPTH;
    options.leaf_capacity = 1;
    const pqt_item items[] = {
        {{{-0.0, -0.0}, {0.0, 0.0}}, 0},
        {{{-0.0, 0x1p-1074}, {0x1p-1074, 0x1p-1073}}, 1},
        {{{DBL_MIN, -DBL_MIN}, {DBL_MIN, 0x1.fffffffffffffp-1023}}, 2},
        {{{1e308, 1e308}, {1e308, DBL_MAX}}, 3},
        {{{-DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}}, 4},
        {{{-DBL_MAX, 5}, {-1e308, 5}}, UINT64_MAX},
        {{{0x1.fffffffffffffp-1, 1}, {1, 0x1.0000000000001p0}}, UINT64_MAX - 1},
        {{{0.1, 0.2}, {0.3, 0.7}}, (uint64_t)1 << 63},
        {{{1e-300, -1e300}, {1e300, 1e-300}}, 0x123456789abcdef0},
    };
    return make_tree((pqt_box){{-1e300, -0x1p-1074}, {1e300, 1e10}}, options, items,
                     sizeof items / sizeof *items, memory, error);
}

/* Equal boxes beyond the capacity of a leaf at the last depth, and equal ids. */
static const void *
tree_repeats(pqt_memory *memory, pqt_error *error)
{
    pqt_tree_options options = GOLDEN_TREE_DEFAULTS;
    options.max_depth = 2;
    options.leaf_capacity = 4;
    pqt_item items[70];
    for (uint64_t i = 0; i < 60; i++)
        items[i] = (pqt_item){{{3, 4}, {3, 4}}, i * 0x9e3779b97f4a7c15};
    for (uint64_t i = 60; i < 70; i++)
        items[i] = (pqt_item){{{(double)i - 60, 1}, {(double)i - 59, 2}}, 7};
    return make_tree((pqt_box){{0, 0}, {16, 16}}, options, items, 70, memory, error);
}

/* Pairs of points that are one column of the finest grid apart, so paths are long. */
static const void *
tree_deep(pqt_memory *memory, pqt_error *error)
{
    pqt_tree_options options = GOLDEN_TREE_DEFAULTS;
    options.max_depth = PQT_MAX_DEPTH;
    options.leaf_capacity = 1;
    pqt_item items[24];
    for (uint64_t i = 0; i < 24; i++) {
        const double x = (double)(i / 2 * 5 % 13) / 13 + (double)(i % 2) * 0x1p-32;
        items[i] = (pqt_item){{{x, 1 - x / 2}, {x, 1 - x / 2}}, i};
    }
    return make_tree((pqt_box){{0, 0}, {1, 1}}, options, items, 24, memory, error);
}

/* Bounds without width. */
static const void *
tree_flat(pqt_memory *memory, pqt_error *error)
{
    const pqt_item items[] = {
        {{{5, 1}, {5, 1}}, 1}, {{{5, 9}, {5, 9.5}}, 2}, {{{4, 2}, {6, 3}}, 3}};
    return make_tree((pqt_box){{5, 0}, {5, 10}}, (pqt_tree_options)GOLDEN_TREE_DEFAULTS, items, 3,
                     memory, error);
}

/* One item more than a block of items holds. */
static const void *
tree_blocks(pqt_memory *memory, pqt_error *error)
{
    enum { COUNT = 4097 };
    static pqt_item items[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        const pqt_vec at = {(double)(i % 64), (double)(i / 64)};
        items[i] = (pqt_item){{at, at}, i};
    }
    return make_tree((pqt_box){{0, 0}, {65, 65}}, (pqt_tree_options)GOLDEN_TREE_DEFAULTS, items,
                     COUNT, memory, error);
}

/* ---- Regions ---- */

static pqt_paint
paint_box(int32_t min_x, int32_t min_y, int32_t max_x, int32_t max_y)
{
    return pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{min_x, min_y}, {max_x, max_y}});
}

static const pqt_region *
paint(const pqt_paint *paints, size_t count, pqt_memory *memory, pqt_error *error)
{
    return pqt_region_paint_all(pqt_region_make(memory, error), paints, count, error);
}

static const void *
region_empty(pqt_memory *memory, pqt_error *error)
{
    return paint(NULL, 0, memory, error);
}

/* Each quadrant is full, so no square is described. */
static const void *
region_full(pqt_memory *memory, pqt_error *error)
{
    return paint((pqt_paint[]){paint_box(-128, -128, 128, 128)}, 1, memory, error);
}

/* Single pixels, one in each quadrant, and a tile with a full block. */
static const void *
region_pixels(pqt_memory *memory, pqt_error *error)
{
    const pqt_paint paints[] = {paint_box(-1, -1, 0, 0), paint_box(70, -3, 71, -2),
                                paint_box(-64, 63, -63, 64), paint_box(8, 16, 17, 25)};
    return paint(paints, 4, memory, error);
}

static const void *
region_shapes(pqt_memory *memory, pqt_error *error)
{
    const pqt_paint paints[] = {
        pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){40, -30}, 60),
        pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){52.25, -28.5}, 21),
        pqt_paint_stroke(PQT_PAINT_SET, (pqt_vec){-90, 10}, (pqt_vec){70.5, 99}, 6.5),
        pqt_paint_stroke(PQT_PAINT_TOGGLE, (pqt_vec){0, -90}, (pqt_vec){20, 90}, 3),
        paint_box(128, -64, 256, 64),
    };
    return paint(paints, 5, memory, error);
}

/* Repeated squares of several levels. */
static const void *
region_shared(pqt_memory *memory, pqt_error *error)
{
    const pqt_region *region =
        pqt_region_paint(pqt_region_make(memory, error),
                         pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){32, 32}, 20), error);
    for (int32_t side = 64; side < 4096; side *= 2) {
        region = pqt_region_union(region, region, (pqt_pixel){side, 0}, error);
        region = pqt_region_union(region, region, (pqt_pixel){0, side}, error);
    }
    region = pqt_region_union(region, region, (pqt_pixel){-8192, -8192}, error);
    return pqt_region_paint(region, paint_box(1000, 1000, 1100, 1001), error);
}

/* Pixels at the corners of the plane. */
static const void *
region_far(pqt_memory *memory, pqt_error *error)
{
    const int32_t far = PQT_PIXEL_LIMIT;
    const pqt_paint paints[] = {paint_box(-far, -far, 1 - far, 1 - far),
                                paint_box(far - 1, far - 1, far, far),
                                paint_box(-far, far - 2, 1 - far, far)};
    return paint(paints, 3, memory, error);
}

/* 128 tiles that differ, which fill more than one section. */
static const void *
region_sections(pqt_memory *memory, pqt_error *error)
{
    const pqt_region *region = pqt_region_make(memory, error);
    for (int32_t x = 0; x < 64; x += 2)
        region = pqt_region_paint(region, paint_box(x, 0, x + 1, 64), error);
    for (int32_t side = 64; side < 64 * 128; side *= 2)
        region = pqt_region_union(region, region, (pqt_pixel){side, 0}, error);
    for (int32_t i = 0; i < 128; i++) {
        const pqt_pixel pixel = {64 * i + 1 + 2 * (i % 32), i / 4};
        region = pqt_region_paint(region, pqt_paint_pixel(PQT_PAINT_SET, pixel), error);
    }
    return region;
}

/* ---- Worlds ---- */

static const pqt_world *
make_world(bool walls, int leaf_capacity, pqt_memory *memory, pqt_error *error)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = memory;
    options.walls = walls;
    options.leaf_capacity = leaf_capacity;
    return pqt_world_make((pqt_box){{-8, 0}, {64, 64.5}}, &options, error);
}

static const void *
world_empty(pqt_memory *memory, pqt_error *error)
{
    return make_world(false, 24, memory, error);
}

/* Each member of a body at the ends of its range, but without rotation. */
static const void *
world_bodies(pqt_memory *memory, pqt_error *error)
{
    const pqt_body bodies[] = {
        {.id = 0, .position = {-5, 3}, .velocity = {-0.0, 1e-300}, .radius = 1.5},
        {.id = 1, .position = {10, 20}, .radius = 0.1, .mass = 0x1p402, .friction = 0.5F},
        {.id = 2, .position = {20, 20}, .radius = 3, .fixed = true, .user_data = UINT64_MAX},
        {.id = 3, .position = {30, 20}, .velocity = {1, -2}, .radius = 1, .kinematic = true},
        {.id = 4, .position = {30, 20}, .radius = 9, .sensor = true, .category = 1, .mask = 6},
        {.id = 77, .position = {50, 60}, .radius = 0, .mass = 0x1p-1074, .category = UINT32_MAX},
        {.id = 78, .position = {51, 60}, .radius = 2, .fixed = true, .sensor = true},
        {.id = UINT64_MAX, .position = {0.1, 0.2}, .acceleration = {0.3, -9.81}, .radius = 0.05},
    };
    return pqt_world_add_all(make_world(true, 2, memory, error), bodies, 8, error);
}

static const void *
world_rotation(pqt_memory *memory, pqt_error *error)
{
    const pqt_body bodies[] = {
        {.id = 5, .position = {10, 20}, .radius = 1, .angle = -100.25},
        {.id = 6, .position = {20, 20}, .radius = 1, .angular_velocity = 0.1},
        {.id = 7, .position = {30, 20}, .radius = 1},
    };
    return pqt_world_add_all(make_world(true, 24, memory, error), bodies, 3, error);
}

static const void *
world_obstacle(pqt_memory *memory, pqt_error *error)
{
    const pqt_world *world = make_world(false, 24, memory, error);
    const pqt_obstacle obstacle = {region_shapes(memory, error), {0.25, -3 - 1.0 / 1024}};
    world = pqt_world_set_obstacle(world, obstacle, error);
    return pqt_world_add(world, (pqt_body){.id = 9, .position = {-7, 60}, .radius = 1}, error);
}

/* One body more than a block of bodies holds. */
static const void *
world_blocks(pqt_memory *memory, pqt_error *error)
{
    enum { COUNT = 1025 };
    static pqt_body bodies[COUNT];
    for (uint64_t i = 0; i < COUNT; i++)
        bodies[i] = (pqt_body){.id = 3 * i,
                               .position = {(double)(i % 40), 1 + (double)(i / 40)},
                               .radius = 0.25,
                               .mass = 1};
    return pqt_world_add_all(make_world(true, 24, memory, error), bodies, COUNT, error);
}

/* Balls that lie on fixed ones, on pixels and on a wall, with friction. Some are asleep, and one
   has been quiet for one step. */
static const void *
world_resting(pqt_memory *memory, pqt_error *error)
{
    const pqt_world *world = make_world(true, 3, memory, error);
    const pqt_region *floor = paint((pqt_paint[]){paint_box(0, 40, 20, 44)}, 1, memory, error);
    world = pqt_world_set_obstacle(world, (pqt_obstacle){floor, {0, 0}}, error);
    pqt_step_options falling = PQT_STEP_DEFAULTS;
    falling.restitution = 0;
    falling.gravity = (pqt_vec){0.5, 8};
    falling.friction = 0.5;
    const pqt_body bodies[] = {
        {.id = 1, .position = {30, 30}, .radius = 1.5, .fixed = true},
        {.id = 2, .position = {30, 27}, .radius = 1.5, .mass = 2},
        {.id = 3, .position = {10, 38.5}, .radius = 1.5, .mass = 2},
        {.id = 4, .position = {50, 63}, .radius = 1.5, .mass = 2},
    };
    world = pqt_world_add_all(world, bodies, 4, error);
    falling.sleep_steps = 2;
    for (int i = 0; i < 4; i++)
        world = pqt_world_step(world, 0.015625, &falling, error);
    falling.sleep_steps = 60;
    world = pqt_world_add(
        world, (pqt_body){.id = 5, .position = {-6, 63}, .radius = 1.5, .mass = 3}, error);
    return pqt_world_step(world, 0.015625, &falling, error);
}

/* ---- Maps ---- */

const pqt_map *
golden_map_make(pqt_map_keys keys, pqt_map_values values, pqt_memory *memory, pqt_error *error)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.keys = keys;
    options.values = values;
    options.memory = memory;
    return pqt_map_make(&options, error);
}

static const void *
map_empty(pqt_memory *memory, pqt_error *error)
{
    return golden_map_make(PQT_MAP_BYTE_KEYS, PQT_MAP_NUMBERS, memory, error);
}

static const void *
map_ids_numbers(pqt_memory *memory, pqt_error *error)
{
    const pqt_map *map = golden_map_make(PQT_MAP_IDS, PQT_MAP_NUMBERS, memory, error);
    for (uint64_t i = 0; i < 20; i++)
        map = pqt_map_insert(map, pqt_map_id(i * i * i * 0x10001),
                             pqt_map_number(UINT64_MAX / (i + 1)), error);
    return pqt_map_insert(map, pqt_map_id(UINT64_MAX), pqt_map_number(0), error);
}

static const char letters[PQT_MAX_MAP_KEY + 1] = "aaaabaaaabaaaabaaaabaaaabaaaabaa";

static const void *
map_ids_bytes(pqt_memory *memory, pqt_error *error)
{
    const pqt_map *map = golden_map_make(PQT_MAP_IDS, PQT_MAP_BYTE_VALUES, memory, error);
    for (uint64_t i = 0; i < 20; i++)
        map =
            pqt_map_insert(map, pqt_map_id(UINT64_MAX - i * 300), pqt_map_bytes(letters, i), error);
    return pqt_map_insert(map, pqt_map_id(0), pqt_map_bytes("\0\xff\n", 3), error);
}

/* Keys that are prefixes of others, the empty key and the longest one. */
static const void *
map_bytes_numbers(pqt_memory *memory, pqt_error *error)
{
    const pqt_map *map = golden_map_make(PQT_MAP_BYTE_KEYS, PQT_MAP_NUMBERS, memory, error);
    for (uint64_t i = 0; i <= PQT_MAX_MAP_KEY; i++)
        map = pqt_map_insert(map, pqt_map_byte_key(letters, i), pqt_map_number(i << 40), error);
    return pqt_map_insert(map, pqt_map_byte_key("\xff\0\x80", 3), pqt_map_number(1), error);
}

static const void *
map_bytes_bytes(pqt_memory *memory, pqt_error *error)
{
    const pqt_map *map = golden_map_make(PQT_MAP_BYTE_KEYS, PQT_MAP_BYTE_VALUES, memory, error);
    for (uint64_t i = 0; i < 12; i++)
        map = pqt_map_insert(map, pqt_map_byte_key(letters + i, 2 * i % 20),
                             pqt_map_bytes(letters, i % 5), error);
    return map;
}

/* One entry more than a block of entries holds. */
static const void *
map_blocks(pqt_memory *memory, pqt_error *error)
{
    const pqt_map *map = golden_map_make(PQT_MAP_IDS, PQT_MAP_NUMBERS, memory, error);
    for (uint64_t i = 0; i < 2049; i++)
        map = pqt_map_insert(map, pqt_map_id(i), pqt_map_number(i % 7), error);
    return map;
}

/* ---- Documents ---- */

static const pqt_tree *
unique_tree(uint64_t count, pqt_memory *memory, pqt_error *error)
{
    pqt_tree_options options = GOLDEN_TREE_DEFAULTS;
    options.unique_ids = true;
    pqt_item items[16];
    for (uint64_t i = 0; i < count; i++)
        items[i] = (pqt_item){{{(double)i, 2}, {(double)i + 0.5, 3}}, 10 * i};
    return make_tree((pqt_box){{0, 0}, {16, 16}}, options, items, count, memory, error);
}

/* Two trees with the maps that they key. */
static const void *
document_trees(pqt_memory *memory, pqt_error *error)
{
    const pqt_map *colours = golden_map_make(PQT_MAP_IDS, PQT_MAP_NUMBERS, memory, error);
    const pqt_map *names = golden_map_make(PQT_MAP_IDS, PQT_MAP_BYTE_VALUES, memory, error);
    for (uint64_t i = 0; i < 5; i++) {
        colours = pqt_map_insert(colours, pqt_map_id(20 * i), pqt_map_number(0xff8000 + i), error);
        names = pqt_map_insert(names, pqt_map_id(10 * i), pqt_map_bytes("shape", i), error);
    }
    const pqt_part parts[] = {
        {"shapes", PQT_KIND_TREE, unique_tree(12, memory, error), NULL},
        {"colours", PQT_KIND_MAP, colours, "shapes"},
        {"notes", PQT_KIND_TREE, unique_tree(7, memory, error), NULL},
        {"texts of notes", PQT_KIND_MAP, names, "notes"},
        {"names", PQT_KIND_MAP, names, "shapes"},
    };
    return error->status == PQT_OK ? pqt_document_make(parts, 5, error) : NULL;
}

/* A part of each kind, with names of one and of 63 bytes. */
static const void *
document_kinds(pqt_memory *memory, pqt_error *error)
{
    const pqt_part parts[] = {
        {"t", PQT_KIND_TREE, tree_repeats(memory, error), NULL},
        {"Wege \xe2\x86\x92 \xc3\xbc"
         "ber alle Berge und durch das Tal, bis an das Ende...",
         PQT_KIND_REGION, region_pixels(memory, error), NULL},
        {"balls", PQT_KIND_WORLD, world_obstacle(memory, error), NULL},
        {"settings", PQT_KIND_MAP, map_bytes_bytes(memory, error), NULL},
    };
    return error->status == PQT_OK ? pqt_document_make(parts, 4, error) : NULL;
}

/* As many parts as a document can have, all of them empty. */
static const void *
document_parts(pqt_memory *memory, pqt_error *error)
{
    static const char names[] = "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p";
    pqt_part parts[PQT_MAX_PARTS];
    for (size_t i = 0; i < PQT_MAX_PARTS; i++) {
        const void *(*const makers[])(pqt_memory *, pqt_error *) = {tree_empty, region_empty,
                                                                    world_empty, map_empty};
        parts[i] =
            (pqt_part){names + 2 * i, (pqt_kind)(i % 4 + 1), makers[i % 4](memory, error), NULL};
    }
    return error->status == PQT_OK ? pqt_document_make(parts, PQT_MAX_PARTS, error) : NULL;
}

const golden_version golden_versions[] = {
    {"tree-empty", PQT_KIND_TREE, tree_empty},
    {"tree-options", PQT_KIND_TREE, tree_options},
    {"tree-extremes", PQT_KIND_TREE, tree_extremes},
    {"tree-repeats", PQT_KIND_TREE, tree_repeats},
    {"tree-deep", PQT_KIND_TREE, tree_deep},
    {"tree-flat", PQT_KIND_TREE, tree_flat},
    {"tree-blocks", PQT_KIND_TREE, tree_blocks},
    {"region-empty", PQT_KIND_REGION, region_empty},
    {"region-full", PQT_KIND_REGION, region_full},
    {"region-pixels", PQT_KIND_REGION, region_pixels},
    {"region-shapes", PQT_KIND_REGION, region_shapes},
    {"region-shared", PQT_KIND_REGION, region_shared},
    {"region-far", PQT_KIND_REGION, region_far},
    {"region-sections", PQT_KIND_REGION, region_sections},
    {"world-empty", PQT_KIND_WORLD, world_empty},
    {"world-bodies", PQT_KIND_WORLD, world_bodies},
    {"world-rotation", PQT_KIND_WORLD, world_rotation},
    {"world-obstacle", PQT_KIND_WORLD, world_obstacle},
    {"world-blocks", PQT_KIND_WORLD, world_blocks},
    {"world-resting", PQT_KIND_WORLD, world_resting},
    {"map-empty", PQT_KIND_MAP, map_empty},
    {"map-ids-numbers", PQT_KIND_MAP, map_ids_numbers},
    {"map-ids-bytes", PQT_KIND_MAP, map_ids_bytes},
    {"map-bytes-numbers", PQT_KIND_MAP, map_bytes_numbers},
    {"map-bytes-bytes", PQT_KIND_MAP, map_bytes_bytes},
    {"map-blocks", PQT_KIND_MAP, map_blocks},
    {"document-trees", PQT_KIND_DOCUMENT, document_trees},
    {"document-kinds", PQT_KIND_DOCUMENT, document_kinds},
    {"document-parts", PQT_KIND_DOCUMENT, document_parts},
    {"image-blank", PQT_KIND_IMAGE, golden_image_blank},
    {"image-colour", PQT_KIND_IMAGE, golden_image_colour},
    {"image-shapes", PQT_KIND_IMAGE, golden_image_shapes},
    {"image-palettes", PQT_KIND_IMAGE, golden_image_palettes},
    {"image-sections", PQT_KIND_IMAGE, golden_image_sections},
};
const size_t golden_version_count = sizeof golden_versions / sizeof *golden_versions;
