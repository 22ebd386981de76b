/* SPDX-License-Identifier: MIT */
/*
 * print_versions.c: results of trees, maps and documents.
 */
#include "results.h"

#include <inttypes.h>
#include <string.h>

#include <pqt/pixels.h>

enum { ITEMS = 20000, MOVES = 2000, MAP_EDITS = 20000 };

static pqt_box
draw_box(printer *p, const pqt_box *world, double most)
{
    pqt_vec min = {draw(p, world->min.x, world->max.x), draw(p, world->min.y, world->max.y)};
    double width = draw(p, 0, most * (world->max.x / 2 - world->min.x / 2));
    double height = draw(p, 0, most * (world->max.y / 2 - world->min.y / 2));
    return (pqt_box){min, {min.x + width, min.y + height}};
}

/* Updates a number that depends on the order of the visited items. */
static bool
link_ids(const pqt_item *item, void *context)
{
    uint64_t *order = context;
    *order = (*order ^ item->id) * UINT64_C(0x9e3779b97f4a7c15);
    *order ^= *order >> 29;
    return true;
}

void
print_tree(printer *p, const char *what, const pqt_tree *tree, pqt_error *error)
{
    must(tree != NULL && pqt_tree_check(tree, error), what, error);
    uint64_t order = 0;
    pqt_query all = {.window = pqt_tree_bounds(tree), .relation = PQT_TOUCHES};
    pqt_tree_visit(tree, &all, link_ids, &order);
    pqt_fingerprint fingerprint = pqt_tree_fingerprint(tree);
    pqt_tree_stats stats = pqt_tree_get_stats(tree);
    fprintf(p->out,
            "%-8s %016" PRIx64 "%016" PRIx64 " %016" PRIx64 " %zu items, %zu nodes, %zu leaves\n",
            what, fingerprint.high, fingerprint.low, order, stats.items, stats.nodes, stats.leaves);
    byte_hash sum = NO_BYTES;
    print_bytes(p, pqt_tree_write(tree, hash_bytes, &sum, error), &sum, error);
}

static void
print_edits(printer *p, const char *name, pqt_box world, double most,
            const pqt_tree_options *options)
{
    static pqt_item items[ITEMS];
    pqt_error error = {0};
    for (size_t i = 0; i < ITEMS; i++)
        items[i] = (pqt_item){draw_box(p, &world, most), i};
    const pqt_tree *tree = pqt_tree_make(world, options, &error);
    tree = pqt_tree_insert_all(tree, items, ITEMS, &error);
    fprintf(p->out, "%s\n", name);
    print_tree(p, "built", tree, &error);
    for (size_t i = 0; i < MOVES; i++)
        tree = pqt_tree_move(tree, items[i], draw_box(p, &world, most), &error);
    print_tree(p, "moved", tree, &error);
    pqt_box quarter = {world.min, pqt_box_centre(world)};
    print_tree(
        p, "searched",
        pqt_tree_search(tree, &(pqt_query){.window = quarter, .relation = PQT_OVERLAPS}, &error),
        &error);
}

void
print_trees(printer *p)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = p->memory;
    print_edits(p, "square", (pqt_box){{0, 0}, {10000, 10000}}, 0.01, &options);
    print_edits(p, "wide", (pqt_box){{-180, -90}, {180, 90}}, 0.5, &options);
    print_edits(p, "far", (pqt_box){{5e6, 1.7e9}, {5e6 + 100, 1.7e9 + 3600}}, 0.01, &options);
    print_edits(p, "huge", (pqt_box){{-1e300, -1e300}, {1e300, 1e300}}, 0.001, &options);
    print_edits(p, "tiny", (pqt_box){{0, 0}, {1e-300, 1e-300}}, 0.001, &options);
    options.leaf_capacity = 2;
    options.max_depth = 8;
    print_edits(p, "crowded", (pqt_box){{0, 0}, {1e6, 1}}, 0.001, &options);
}

/* Prints a map after edits. */
static void
print_map(printer *p, pqt_map_keys keys, pqt_map_values values)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_error error = {0};
    uint64_t state = 9;
    options.keys = keys;
    options.values = values;
    options.memory = p->memory;
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
    must(map != NULL && pqt_map_check(map, &error), "map", &error);
    const pqt_fingerprint fingerprint = pqt_map_fingerprint(map);
    fprintf(p->out, "map %d %d  %016" PRIx64 "%016" PRIx64 "\n", (int)keys, (int)values,
            fingerprint.high, fingerprint.low);
    byte_hash sum = NO_BYTES;
    print_bytes(p, pqt_map_write(map, hash_bytes, &sum, &error), &sum, &error);
}

void
print_maps(printer *p)
{
    print_map(p, PQT_MAP_IDS, PQT_MAP_NUMBERS);
    print_map(p, PQT_MAP_IDS, PQT_MAP_BYTE_VALUES);
    print_map(p, PQT_MAP_BYTE_KEYS, PQT_MAP_NUMBERS);
    print_map(p, PQT_MAP_BYTE_KEYS, PQT_MAP_BYTE_VALUES);
}

/* Prints a document of shapes with numbers and a region. */
void
print_document(printer *p)
{
    pqt_tree_options unique = PQT_TREE_DEFAULTS;
    pqt_map_options numbers = PQT_MAP_DEFAULTS;
    pqt_error error = {0};
    unique.memory = numbers.memory = p->memory;
    unique.unique_ids = true;
    const pqt_tree *shapes = pqt_tree_make((pqt_box){{0, 0}, {1000, 1000}}, &unique, &error);
    const pqt_map *colours = pqt_map_make(&numbers, &error);
    for (uint64_t id = 0; id < 500; id++) {
        const pqt_vec at = {dice_real(&p->source) * 1000, dice_real(&p->source) * 1000};
        shapes = pqt_tree_insert(shapes, (pqt_item){{at, {at.x + 5, at.y + 1}}, id}, &error);
        colours =
            pqt_map_insert(colours, pqt_map_id(id), pqt_map_number(dice_next(&p->source)), &error);
    }
    const pqt_region *mask =
        pqt_region_paint(pqt_region_make(p->memory, &error),
                         pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){30, 40}, 50), &error);
    const pqt_part parts[] = {{"shapes", PQT_KIND_TREE, shapes, NULL},
                              {"colours", PQT_KIND_MAP, colours, "shapes"},
                              {"mask", PQT_KIND_REGION, mask, NULL}};
    const pqt_document *document =
        error.status == PQT_OK ? pqt_document_make(parts, 3, &error) : NULL;
    must(document != NULL && pqt_document_check(document, &error), "document", &error);
    print_fingerprint(p, "document", pqt_document_fingerprint(document));
    byte_hash sum = NO_BYTES;
    print_bytes(p, pqt_document_write(document, hash_bytes, &sum, &error), &sum, &error);
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
void
print_sphere(printer *p)
{
    const pqt_box globe = {{-180, -90}, {180, 90}};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error error = {0};
    options.memory = p->memory;
    const pqt_tree *tree = pqt_tree_make(globe, &options, &error);
    for (uint64_t id = 0; id < 2000; id++) {
        pqt_box box = draw_box(p, &globe, id % 2 == 0 ? 0 : 0.1);
        box.max.y = box.max.y > 90 ? 90 : box.max.y;
        tree = pqt_tree_insert(tree, (pqt_item){box, id}, &error);
    }
    pqt_nearest_options nearest = PQT_NEAREST_DEFAULTS;
    nearest.surface = PQT_SPHERE;
    byte_hash sum = NO_BYTES;
    for (int i = 0; i < 50; i++) {
        const pqt_vec from = {draw(p, -180, 180), draw(p, -90, 90)};
        pqt_tree_visit_nearest(tree, (pqt_box){from, from}, &nearest, link_distances, &sum);
    }
    fprintf(p->out, "sphere   ");
    print_bytes(p, tree != NULL, &sum, &error);
}
