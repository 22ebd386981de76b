/* SPDX-License-Identifier: MIT */
/*
 * parcels.c: what the functions of each kind have in common. A version of each kind is sent as
 * bytes to another memory, is saved and loaded, and is copied; and the bytes are counted that one
 * edit added.
 *
 * The functions of pqt/version.h and pqt/bytes.h do the same for a version of any kind.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

static const char file[] = "parcels.pqt";
static pqt_memory *here, *there;
static pqt_error error;

/* The bytes that are on their way. */
typedef struct parcel {
    char bytes[1 << 16];
    size_t length, next;
} parcel;

static parcel sent;

static bool
put(const void *bytes, size_t count, void *context)
{
    parcel *to = context;
    if (count > sizeof to->bytes - to->length)
        return false;
    memcpy(to->bytes + to->length, bytes, count);
    to->length += count;
    return true;
}

static bool
get(void *bytes, size_t capacity, size_t *count, void *context)
{
    parcel *from = context;
    size_t rest = from->length - from->next;
    *count = rest < capacity ? rest : capacity;
    memcpy(bytes, from->bytes + from->next, *count);
    from->next += *count;
    return true;
}

/* Empties the parcel. */
static parcel *
empty(void)
{
    sent.length = sent.next = 0;
    return &sent;
}

/* Prints what became of a version. */
static bool
report(const char *kind, size_t added, bool arrived, bool loaded, bool copied)
{
    printf("%s: the edit added %s; %zu bytes arrived %s, the file is %s, the copy is %s\n", kind,
           added > 0 ? "blocks" : "nothing", sent.length, arrived ? "whole" : "broken",
           loaded ? "whole" : "broken", copied ? "whole" : "broken");
    remove(file);
    if (error.status != PQT_OK)
        fprintf(stderr, "%s\n", error.text);
    return arrived && loaded && copied;
}

static bool
send_tree(const pqt_tree *old, const pqt_tree *tree)
{
    size_t added = 0;
    if (!pqt_tree_exclusive_bytes(tree, &old, 1, &added, &error) ||
        !pqt_tree_write(tree, put, empty(), &error) || !pqt_tree_save(tree, file, &error))
        return report("tree", added, false, false, false);
    const pqt_tree *arrived = pqt_tree_read(get, &sent, there, &error);
    const pqt_tree *loaded = pqt_tree_load(file, there, &error);
    const pqt_tree *copied = pqt_tree_copy(tree, there, &error);
    return report("tree", added, arrived != NULL && pqt_tree_equals(arrived, tree),
                  loaded != NULL && pqt_tree_equals(loaded, tree),
                  copied != NULL && pqt_tree_equals(copied, tree));
}

static bool
send_map(const pqt_map *old, const pqt_map *map)
{
    size_t added = 0;
    if (!pqt_map_exclusive_bytes(map, &old, 1, &added, &error) ||
        !pqt_map_write(map, put, empty(), &error) || !pqt_map_save(map, file, &error))
        return report("map", added, false, false, false);
    const pqt_map *arrived = pqt_map_read(get, &sent, there, &error);
    const pqt_map *loaded = pqt_map_load(file, there, &error);
    const pqt_map *copied = pqt_map_copy(map, there, &error);
    return report("map", added, arrived != NULL && pqt_map_equals(arrived, map),
                  loaded != NULL && pqt_map_equals(loaded, map),
                  copied != NULL && pqt_map_equals(copied, map));
}

static bool
send_region(const pqt_region *old, const pqt_region *region)
{
    size_t added = 0;
    if (!pqt_region_exclusive_bytes(region, &old, 1, &added, &error) ||
        !pqt_region_write(region, put, empty(), &error) || !pqt_region_save(region, file, &error))
        return report("region", added, false, false, false);
    const pqt_region *arrived = pqt_region_read(get, &sent, there, &error);
    const pqt_region *loaded = pqt_region_load(file, there, &error);
    const pqt_region *copied = pqt_region_copy(region, there, &error);
    return report("region", added, arrived != NULL && pqt_region_equals(arrived, region),
                  loaded != NULL && pqt_region_equals(loaded, region),
                  copied != NULL && pqt_region_equals(copied, region));
}

static bool
send_image(const pqt_image *old, const pqt_image *image)
{
    size_t added = 0;
    if (!pqt_image_exclusive_bytes(image, &old, 1, &added, &error) ||
        !pqt_image_write(image, put, empty(), &error) || !pqt_image_save(image, file, &error))
        return report("image", added, false, false, false);
    const pqt_image *arrived = pqt_image_read(get, &sent, there, &error);
    const pqt_image *loaded = pqt_image_load(file, there, &error);
    const pqt_image *copied = pqt_image_copy(image, there, &error);
    return report("image", added, arrived != NULL && pqt_image_equals(arrived, image),
                  loaded != NULL && pqt_image_equals(loaded, image),
                  copied != NULL && pqt_image_memory(copied) == there &&
                      pqt_image_equals(copied, image));
}

static bool
send_world(const pqt_world *old, const pqt_world *world)
{
    size_t added = 0;
    if (!pqt_world_exclusive_bytes(world, &old, 1, &added, &error) ||
        !pqt_world_write(world, put, empty(), &error) || !pqt_world_save(world, file, &error))
        return report("world", added, false, false, false);
    const pqt_world *arrived = pqt_world_read(get, &sent, there, &error);
    const pqt_world *loaded = pqt_world_load(file, there, &error);
    const pqt_world *copied = pqt_world_copy(world, there, &error);
    return report("world", added, arrived != NULL && pqt_world_equals(arrived, world),
                  loaded != NULL && pqt_world_equals(loaded, world),
                  copied != NULL && pqt_world_equals(copied, world));
}

static bool
send_document(const pqt_document *old, const pqt_document *document)
{
    size_t added = 0;
    if (!pqt_document_exclusive_bytes(document, &old, 1, &added, &error) ||
        !pqt_document_write(document, put, empty(), &error) ||
        !pqt_document_save(document, file, &error))
        return report("document", added, false, false, false);
    const pqt_document *arrived = pqt_document_read(get, &sent, there, &error);
    const pqt_document *loaded = pqt_document_load(file, there, &error);
    const pqt_document *copied = pqt_document_copy(document, there, &error);
    return report("document", added, arrived != NULL && pqt_document_equals(arrived, document),
                  loaded != NULL && pqt_document_equals(loaded, document),
                  copied != NULL && pqt_document_equals(copied, document));
}

/* Makes a version of each kind and an edit of it, and sends the edit. */
static bool
send_all(void)
{
    static const pqt_box bounds = {{0, 0}, {100, 100}};
    static const pqt_rgba sand = {230, 210, 150, 255}, sea = {0, 90, 160, 255};
    pqt_tree_options of_tree = PQT_TREE_DEFAULTS;
    pqt_map_options of_map = PQT_MAP_DEFAULTS;
    pqt_world_options of_world = PQT_WORLD_DEFAULTS;
    of_tree.memory = of_map.memory = of_world.memory = here;

    const pqt_tree *tree = pqt_tree_make(bounds, &of_tree, &error);
    const pqt_tree *trees[] = {tree,
                               pqt_tree_insert(tree, (pqt_item){{{1, 2}, {3, 4}}, 7}, &error)};
    const pqt_map *map = pqt_map_make(&of_map, &error);
    const pqt_map *maps[] = {map, pqt_map_insert(map, pqt_map_id(7), pqt_map_number(1), &error)};
    const pqt_paint disc = pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){20, 20}, 9.5);
    const pqt_region *region = pqt_region_make(here, &error);
    const pqt_region *regions[] = {region, pqt_region_paint(region, disc, &error)};
    const pqt_image *image = pqt_image_make(64, 48, sand, here, &error);
    const pqt_image *images[] = {image, pqt_image_paint(image, disc, sea, PQT_INK_REPLACE, &error)};
    const pqt_body ball = {.id = 1, .position = {50, 50}, .radius = 5};
    const pqt_world *world = pqt_world_make(bounds, &of_world, &error);
    const pqt_world *worlds[] = {world, pqt_world_add(world, ball, &error)};
    const pqt_part parts[] = {{"picture", PQT_KIND_IMAGE, images[0], NULL},
                              {"shapes", PQT_KIND_TREE, trees[0], NULL}};
    const pqt_document *document = pqt_document_make(parts, 2, &error);
    const pqt_document *documents[] = {
        document, pqt_document_set_image(document, "picture", images[1], &error)};

    return error.status == PQT_OK && send_tree(trees[0], trees[1]) && send_map(maps[0], maps[1]) &&
           send_region(regions[0], regions[1]) && send_image(images[0], images[1]) &&
           send_world(worlds[0], worlds[1]) && send_document(documents[0], documents[1]) &&
           pqt_document_image(documents[1], "picture") == images[1];
}

int
main(void)
{
    here = pqt_arena_make(0, &error);
    there = pqt_arena_make(0, &error);
    bool done = here != NULL && there != NULL && send_all();
    if (error.status != PQT_OK)
        fprintf(stderr, "%s\n", error.text);
    pqt_arena_destroy(&here);
    pqt_arena_destroy(&there);
    return done ? 0 : 1;
}
