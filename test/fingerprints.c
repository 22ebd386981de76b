/* SPDX-License-Identifier: MIT */
/*
 * fingerprints.c: prints fingerprints of trees, worlds, maps, documents, images, regions, convex
 * shapes and distances on the sphere, to compare builds.
 *
 * Every compiler and every optimisation level must give the same numbers. They are computed after
 * edits, searches and moves in bounds of several sizes, and depend on the order of visits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/shapes.h>
#include <pqt/worlds.h>

#include "random.h"

enum {
    ITEMS = 20000,
    MOVES = 2000,
    BODIES = 600,
    WORLD_STEPS = 60,
    MAP_EDITS = 20000,
    CROWD = 300,
    PILE_STEPS = 200
};

static dice source = {2026};

static double
draw(double low, double high)
{
    double share = dice_real(&source);
    return low * (1 - share) + high * share;
}

static pqt_box
draw_box(const pqt_box *world, double most)
{
    pqt_vec min = {draw(world->min.x, world->max.x), draw(world->min.y, world->max.y)};
    double width = draw(0, most * (world->max.x / 2 - world->min.x / 2));
    double height = draw(0, most * (world->max.y / 2 - world->min.y / 2));
    return (pqt_box){min, {min.x + width, min.y + height}};
}

/* Updates a number that depends on the order of the visited items. */
static bool
link_runs_of_cells(const pqt_item *item, void *context)
{
    uint64_t *order = context;
    *order = (*order ^ item->id) * UINT64_C(0x9e3779b97f4a7c15);
    *order ^= *order >> 29;
    return true;
}

/* A hash (FNV-1a) of the bytes of a version, and the number of bytes. */
typedef struct byte_hash {
    uint64_t hash, length;
} byte_hash;

static bool
hash_bytes(const void *bytes, size_t count, void *context)
{
    byte_hash *sum = context;
    for (size_t i = 0; i < count; i++)
        sum->hash = (sum->hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    sum->length += count;
    return true;
}

static void
print_bytes(bool written, const byte_hash *sum, const pqt_error *error)
{
    if (!written) {
        fprintf(stderr, "bytes: %s\n", error->text);
        exit(1);
    }
    printf("bytes    %016" PRIx64 " %" PRIu64 "\n", sum->hash, sum->length);
}

#define NO_BYTES ((byte_hash){UINT64_C(0xcbf29ce484222325), 0})

static void
print(const char *what, const pqt_tree *tree, pqt_error *error)
{
    if (tree == NULL || !pqt_tree_check(tree, error)) {
        fprintf(stderr, "%s: %s\n", what, error->text);
        exit(1);
    }
    uint64_t order = 0;
    pqt_query all = {.window = pqt_tree_bounds(tree), .relation = PQT_TOUCHES};
    pqt_tree_visit(tree, &all, link_runs_of_cells, &order);
    pqt_fingerprint fingerprint = pqt_tree_fingerprint(tree);
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    printf("%-8s %016" PRIx64 "%016" PRIx64 " %016" PRIx64 " %zu items, %zu nodes, %zu leaves\n",
           what, fingerprint.high, fingerprint.low, order, stats.items, stats.nodes, stats.leaves);
    byte_hash sum = NO_BYTES;
    print_bytes(pqt_tree_write(tree, hash_bytes, &sum, error), &sum, error);
}

static void
run(const char *name, pqt_box world, double most, const pqt_tree_options *options)
{
    static pqt_item items[ITEMS];
    pqt_error error = {0};
    for (size_t i = 0; i < ITEMS; i++)
        items[i] = (pqt_item){draw_box(&world, most), i};
    const pqt_tree *tree = pqt_tree_make(world, options, &error);
    tree = pqt_tree_insert_all(tree, items, ITEMS, &error);
    puts(name);
    print("built", tree, &error);
    for (size_t i = 0; i < MOVES; i++)
        tree = pqt_tree_move(tree, items[i], draw_box(&world, most), &error);
    print("moved", tree, &error);
    pqt_box quarter = {world.min, pqt_box_centre(world)};
    print("searched",
          pqt_tree_search(tree, &(pqt_query){.window = quarter, .relation = PQT_OVERLAPS}, &error),
          &error);
}

/* Returns discs and lines of pixels. Some bodies begin inside them. */
static const pqt_region *
draw_obstacle(pqt_memory *memory, pqt_error *error)
{
    const pqt_region *region = pqt_region_make(memory, error);
    for (int i = 0; i < 40; i++) {
        const pqt_vec from = {draw(0, 1000), draw(0, 1000)}, to = {draw(0, 1000), draw(0, 1000)};
        region = pqt_region_paint(region, pqt_paint_disc(PQT_PAINT_SET, from, draw(1, 40)), error);
        if (i % 4 == 0)
            region = pqt_region_paint(region, pqt_paint_stroke(PQT_PAINT_SET, from, to, 1), error);
    }
    return region;
}

/* Prints a world after some steps. Bodies overlap, fly fast, and fall, some of them among
 * pixels. */
static void
run_world(pqt_memory *memory, bool among_pixels)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_step_options how = PQT_STEP_DEFAULTS;
    pqt_error error = {0};
    options.memory = memory;
    how.gravity.y = 10;
    how.damping = 0.01;
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {1000, 1000}}, &options, &error);
    for (uint64_t id = 0; id < BODIES; id++) {
        pqt_body body = {.id = id, .radius = draw(2, 9)};
        body.position = (pqt_vec){draw(10, 990), draw(10, 990)};
        body.velocity = (pqt_vec){draw(-180, 180), draw(-9000, 9000)};
        world = pqt_world_add(world, body, &error);
    }
    if (among_pixels) {
        const pqt_region *region = draw_obstacle(memory, &error);
        world = pqt_world_set_obstacle(world, (pqt_obstacle){region, {0.3, -0.7}}, &error);
    }
    puts(among_pixels ? "world among pixels" : "world");
    for (int i = 0; i < WORLD_STEPS; i++) {
        how.restitution = i < WORLD_STEPS / 2 ? 1 : 0.7;
        world = pqt_world_step(world, 0.01, &how, &error);
        if (world == NULL || !pqt_world_check(world, &error)) {
            fprintf(stderr, "world: %s\n", error.text);
            exit(1);
        }
        pqt_fingerprint fingerprint = pqt_world_fingerprint(world);
        printf("step %-3d %016" PRIx64 "%016" PRIx64 "\n", i + 1, fingerprint.high,
               fingerprint.low);
    }
    byte_hash sum = NO_BYTES;
    print_bytes(pqt_world_write(world, hash_bytes, &sum, &error), &sum, &error);
    print("tree", pqt_world_tree(world), &error);
}

/* Prints a world of touching bodies, in clusters of all sizes, while other bodies hit them. */
static void
run_crowd(pqt_memory *memory)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_step_options how = PQT_STEP_DEFAULTS;
    pqt_error error = {0};
    options.memory = memory;
    options.walls = false;
    how.restitution = 0.25;
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {1000, 1000}}, &options, &error);
    for (uint64_t id = 0; id < CROWD; id++) {
        pqt_body body = {.id = id * 7919, .radius = 1, .mass = draw(1, 100)};
        body.position = (pqt_vec){500 + 2 * (double)(id % 20), 500 + 2 * (double)(id / 20)};
        if (id % 20 == 0)
            body.velocity = (pqt_vec){draw(1, 90), draw(-9, 9)};
        world = pqt_world_add(world, body, &error);
    }
    puts("crowd");
    for (int i = 0; i < WORLD_STEPS; i++) {
        world = pqt_world_step(world, 0.01, &how, &error);
        pqt_fingerprint fingerprint = pqt_world_fingerprint(world);
        printf("step %-3d %016" PRIx64 "%016" PRIx64 "\n", i + 1, fingerprint.high,
               fingerprint.low);
    }
}

/* Prints a world of balls that fall on each other and settle. With friction, some of them
 * turn at first. */
static void
run_pile(pqt_memory *memory, double friction)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_step_options how = PQT_STEP_DEFAULTS;
    pqt_error error = {0};
    options.memory = memory;
    how.restitution = 0.5;
    how.gravity.y = 10;
    how.friction = friction;
    const pqt_world *world = pqt_world_make((pqt_box){{0, -100}, {12, 0}}, &options, &error);
    for (uint64_t id = 0; id < CROWD; id++) {
        pqt_body body = {.id = id * 7919, .radius = draw(1, 4) / 8};
        body.position = (pqt_vec){0.6 + 1.15 * (double)(id % 10), -0.6 - 1.2 * (double)(id / 10)};
        if (friction > 0 && id % 4 == 0)
            body.angular_velocity = draw(-20, 20);
        world = pqt_world_add(world, body, &error);
    }
    puts(friction > 0 ? "pile with friction" : "pile");
    for (int i = 0; i < PILE_STEPS; i++) {
        world = pqt_world_step(world, 1 / 60.0, &how, &error);
        pqt_fingerprint fingerprint = pqt_world_fingerprint(world);
        if (i % 20 == 19)
            printf("step %-3d %016" PRIx64 "%016" PRIx64 "\n", i + 1, fingerprint.high,
                   fingerprint.low);
    }
}

/* Prints a map of each kind after edits. */
static void
run_map(pqt_memory *memory, pqt_map_keys keys, pqt_map_values values)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_error error = {0};
    uint64_t state = 9;
    options.keys = keys;
    options.values = values;
    options.memory = memory;
    const pqt_map *map = pqt_map_make(&options, &error);
    for (int i = 0; i < MAP_EDITS; i++) {
        state = state * UINT64_C(0x5851f42d4c957f2d) + 1;
        char text[40];
        snprintf(text, sizeof text, "%" PRIu64, state >> 50);
        const size_t size = (state >> 40) % (strlen(text) + 1);
        const pqt_map_key key = keys == PQT_MAP_IDS ? pqt_map_id(state >> 50) : pqt_map_text(text);
        const pqt_map_value value =
            values == PQT_MAP_NUMBERS ? pqt_map_number(state) : pqt_map_bytes(text, size);
        map =
            i % 3 == 2 ? pqt_map_remove(map, key, &error) : pqt_map_insert(map, key, value, &error);
    }
    if (map == NULL || !pqt_map_check(map, &error)) {
        fprintf(stderr, "map: %s\n", error.text);
        exit(1);
    }
    const pqt_fingerprint fingerprint = pqt_map_fingerprint(map);
    printf("map %d %d  %016" PRIx64 "%016" PRIx64 "\n", (int)keys, (int)values, fingerprint.high,
           fingerprint.low);
    byte_hash sum = NO_BYTES;
    print_bytes(pqt_map_write(map, hash_bytes, &sum, &error), &sum, &error);
}

/* Prints a document of shapes with numbers and a region. */
static void
run_document(pqt_memory *memory)
{
    pqt_tree_options unique = PQT_TREE_DEFAULTS;
    pqt_map_options numbers = PQT_MAP_DEFAULTS;
    pqt_error error = {0};
    unique.memory = numbers.memory = memory;
    unique.unique_ids = true;
    const pqt_tree *shapes = pqt_tree_make((pqt_box){{0, 0}, {1000, 1000}}, &unique, &error);
    const pqt_map *colours = pqt_map_make(&numbers, &error);
    for (uint64_t id = 0; id < 500; id++) {
        const pqt_vec at = {dice_real(&source) * 1000, dice_real(&source) * 1000};
        shapes = pqt_tree_insert(shapes, (pqt_item){{at, {at.x + 5, at.y + 1}}, id}, &error);
        colours =
            pqt_map_insert(colours, pqt_map_id(id), pqt_map_number(dice_next(&source)), &error);
    }
    const pqt_region *mask =
        pqt_region_paint(pqt_region_make(memory, &error),
                         pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){30, 40}, 50), &error);
    const pqt_part parts[] = {{"shapes", PQT_KIND_TREE, shapes, NULL},
                              {"colours", PQT_KIND_MAP, colours, "shapes"},
                              {"mask", PQT_KIND_REGION, mask, NULL}};
    const pqt_document *document =
        error.status == PQT_OK ? pqt_document_make(parts, 3, &error) : NULL;
    if (document == NULL || !pqt_document_check(document, &error)) {
        fprintf(stderr, "document: %s\n", error.text);
        exit(1);
    }
    const pqt_fingerprint fingerprint = pqt_document_fingerprint(document);
    printf("document  %016" PRIx64 "%016" PRIx64 "\n", fingerprint.high, fingerprint.low);
    byte_hash sum = NO_BYTES;
    print_bytes(pqt_document_write(document, hash_bytes, &sum, &error), &sum, &error);
}

/* Adds the bits of a number to a hash, the lowest byte first. */
static void
hash_number(double number, byte_hash *sum)
{
    uint64_t bits;
    uint8_t bytes[8];
    memcpy(&bits, &number, sizeof bits);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(bits >> (8 * i));
    hash_bytes(bytes, sizeof bytes, sum);
}

/* Adds the sweep of one shape against another, and their contact, to the hash. */
static void
hash_collision(const pqt_convex *a, const pqt_convex *b, byte_hash *sum)
{
    const pqt_vec start = {0, 0}, end = {b->vertices[0].y - 50, b->vertices[0].x - 50};
    const pqt_sweep sweep =
        pqt_sweep_pair(pqt_mover_convex(a, start, end), pqt_mover_convex(b, start, start), NULL);
    const pqt_contact contact = pqt_contact_convexes(a, b);
    hash_number(sweep.status + 8 * sweep.time, sum);
    hash_number(sweep.stop.x + sweep.stop.y + sweep.normal.x, sum);
    hash_number(sweep.exit, sum);
    hash_number(contact.depth + contact.point.x + contact.push.y, sum);
}

/* Prints a hash of oriented boxes, their relations, and the distances, sweeps and contacts between
 * them. */
static void
run_convex(void)
{
    enum { SHAPES = 400 };
    pqt_convex shapes[SHAPES];
    byte_hash sum = NO_BYTES;
    for (size_t i = 0; i < SHAPES; i++) {
        const pqt_vec centre = {draw(0, 100), draw(0, 100)}, half = {draw(1, 9), draw(0, 9)};
        const pqt_vec direction = {draw(-1, 1), draw(-1, 1)};
        const double radius = i % 2 == 0 ? 0 : draw(0, 3);
        pqt_error error = {0};
        if (!pqt_convex_from_oriented_box(centre, half, direction, radius, &shapes[i], &error)) {
            fprintf(stderr, "convex: %s\n", error.text);
            exit(1);
        }
        for (size_t k = 0; k < shapes[i].count; k++) {
            hash_number(shapes[i].vertices[k].x, &sum);
            hash_number(shapes[i].vertices[k].y, &sum);
        }
        for (size_t j = 0; j < i; j++) {
            const pqt_box box = pqt_convex_box(&shapes[j]);
            const uint8_t relates = (uint8_t)(pqt_convex_touches(&shapes[i], &shapes[j]) +
                                              2 * pqt_convex_overlaps(&shapes[i], &shapes[j]) +
                                              4 * pqt_convex_covers_box(&shapes[i], box));
            hash_bytes(&relates, 1, &sum);
            const pqt_gap gap = pqt_convex_distance(&shapes[i], &shapes[j]);
            hash_number(gap.distance, &sum);
            hash_number(gap.on_a.x + gap.on_a.y + gap.normal.x, &sum);
            hash_collision(&shapes[i], &shapes[j], &sum);
        }
    }
    printf("convex    %016" PRIx64 "\n", sum.hash);
}

static bool
link_distances(const pqt_near *near, void *context)
{
    uint64_t bits;
    memcpy(&bits, &near->distance, sizeof bits);
    for (int i = 0; i < 8; i++) { /* the lowest byte first on every processor */
        const uint8_t bytes[] = {(uint8_t)(bits >> 8 * i), (uint8_t)(near->item.id >> 8 * i)};
        hash_bytes(bytes, sizeof bytes, context);
    }
    return true;
}

/* Prints a hash of all distances on the sphere from some points. */
static void
run_sphere(pqt_memory *memory)
{
    const pqt_box globe = {{-180, -90}, {180, 90}};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = memory;
    const pqt_tree *tree = pqt_tree_make(globe, &options, &error);
    for (uint64_t id = 0; id < 2000; id++) {
        pqt_box box = draw_box(&globe, id % 2 == 0 ? 0 : 0.1);
        box.max.y = box.max.y > 90 ? 90 : box.max.y;
        tree = pqt_tree_insert(tree, (pqt_item){box, id}, &error);
    }
    pqt_nearest_options nearest = PQT_NEAREST_DEFAULTS;
    nearest.surface = PQT_SPHERE;
    byte_hash sum = NO_BYTES;
    for (int i = 0; i < 50; i++) {
        const pqt_vec from = {draw(-180, 180), draw(-90, 90)};
        pqt_tree_visit_nearest(tree, (pqt_box){from, from}, &nearest, link_distances, &sum);
    }
    printf("sphere   ");
    print_bytes(tree != NULL, &sum, &error);
}

/* Prints an image after random strokes, which are blended. */
static void
run_image(pqt_memory *memory)
{
    pqt_error error = {0};
    const pqt_image *image =
        pqt_image_make(700, 500, (pqt_rgba){255, 255, 255, 255}, memory, &error);
    for (int i = 0; i < 300; i++) {
        const pqt_vec from = {draw(0, 700), draw(0, 500)}, to = {draw(0, 700), draw(0, 500)};
        const uint64_t any = dice_next(&source);
        const pqt_rgba colour = {(uint8_t)any, (uint8_t)(any >> 8), (uint8_t)(any >> 16),
                                 (uint8_t)(any >> 24)};
        image = pqt_image_paint(image, pqt_paint_stroke(PQT_PAINT_SET, from, to, draw(0, 9)),
                                colour, PQT_INK_OVER, &error);
    }
    if (image == NULL) {
        fprintf(stderr, "image: %s\n", error.text);
        exit(1);
    }
    const pqt_fingerprint fingerprint = pqt_image_fingerprint(image);
    printf("image     %016" PRIx64 "%016" PRIx64 "\n", fingerprint.high, fingerprint.low);
    byte_hash sum = NO_BYTES;
    print_bytes(pqt_image_write(image, hash_bytes, &sum, &error), &sum, &error);
}

/* Prints maps of a region by headings, by the nearest pixel and by area, and counts of overlaps. */
static void
run_region(pqt_memory *memory)
{
    enum { SIDE = 60 };
    static uint32_t counts[SIDE * SIDE];
    pqt_error error = {0};
    const pqt_region *region = draw_obstacle(memory, &error);
    for (int i = 0; i < 4; i++) {
        const pqt_sampling sampling = i % 2 == 0 ? PQT_SAMPLE_NEAREST : PQT_SAMPLE_AREA;
        const pqt_vec heading = {draw(-1, 1), draw(-1, 1)}, centre = {draw(-9, 9), draw(-9, 9)};
        const pqt_vec factors = {draw(0.8, 1.25), draw(0.8, 1.25)};
        const pqt_affine map = pqt_affine_compose(pqt_affine_scaling(factors, centre),
                                                  pqt_affine_rotation(heading, centre));
        region = pqt_region_map(region, map, sampling, &error);
    }
    const pqt_pixel_box offsets = {{-SIDE / 2, -SIDE / 2}, {SIDE / 2, SIDE / 2}};
    uint64_t sum = 0;
    if (region == NULL || !pqt_region_convolve(region, region, offsets, counts, SIDE, &error)) {
        fprintf(stderr, "region: %s\n", error.text);
        exit(1);
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        sum = (sum ^ counts[i]) * UINT64_C(0x100000001b3);
    const pqt_fingerprint print = pqt_region_fingerprint(region);
    printf("region %016" PRIx64 "%016" PRIx64 " counts %016" PRIx64 "\n", print.high, print.low,
           sum);
}

int
main(void)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    if (arena == NULL)
        return 1;
    options.memory = arena;
    run("square", (pqt_box){{0, 0}, {10000, 10000}}, 0.01, &options);
    run("wide", (pqt_box){{-180, -90}, {180, 90}}, 0.5, &options);
    run("far", (pqt_box){{5e6, 1.7e9}, {5e6 + 100, 1.7e9 + 3600}}, 0.01, &options);
    run("huge", (pqt_box){{-1e300, -1e300}, {1e300, 1e300}}, 0.001, &options);
    run("tiny", (pqt_box){{0, 0}, {1e-300, 1e-300}}, 0.001, &options);
    options.leaf_capacity = 2;
    options.max_depth = 8;
    run("crowded", (pqt_box){{0, 0}, {1e6, 1}}, 0.001, &options);
    run_world(arena, false);
    run_world(arena, true);
    run_map(arena, PQT_MAP_IDS, PQT_MAP_NUMBERS);
    run_map(arena, PQT_MAP_IDS, PQT_MAP_BYTE_VALUES);
    run_map(arena, PQT_MAP_BYTE_KEYS, PQT_MAP_NUMBERS);
    run_map(arena, PQT_MAP_BYTE_KEYS, PQT_MAP_BYTE_VALUES);
    run_document(arena);
    run_convex();
    run_crowd(arena);
    run_pile(arena, 0);
    run_pile(arena, 0.4);
    run_sphere(arena);
    run_image(arena);
    run_region(arena);
    pqt_arena_destroy(&arena);
    return 0;
}
