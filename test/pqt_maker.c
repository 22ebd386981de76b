/* SPDX-License-Identifier: MIT */
/*
 * pqt_maker.c: writes small .pqt files, some with regions of many squares, which are copies of each
 * other. test_tool_pqt.sh runs commands on them.
 *
 *     pqt_maker world FILE DOUBLINGS          a world whose obstacle is such a region
 *     pqt_maker world-part FILE DOUBLINGS     a document of that world, the part "balls"
 *     pqt_maker image FILE                    an image of 20 x 10 pixels, of which 4 x 3 are red
 *     pqt_maker parts FILE DOUBLINGS COUNT    a document of COUNT regions, "mask00" and so on
 *
 * A region has 4^DOUBLINGS tiles with a disc in each.
 */
#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 64 };

static pqt_error error;
static pqt_memory *arena;

static const pqt_region *
make_region(int doublings)
{
    const pqt_paint disc = pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){32, 32}, 20);
    const pqt_region *region = pqt_region_paint(pqt_region_make(arena, &error), disc, &error);
    for (int32_t side = TILE; side < TILE << doublings; side *= 2) {
        region = pqt_region_union(region, region, (pqt_pixel){side, 0}, &error);
        region = pqt_region_union(region, region, (pqt_pixel){0, side}, &error);
        region = pqt_region_intern(region, &error);
    }
    return region;
}

static const pqt_world *
make_world(int doublings)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = arena;
    const pqt_body body = {.id = 1, .position = {-10, -10}, .radius = 1};
    const pqt_world *world = pqt_world_make((pqt_box){{-64, -64}, {64, 64}}, &options, &error);
    world = pqt_world_add(world, body, &error);
    return pqt_world_set_obstacle(world, (pqt_obstacle){make_region(doublings), {0, 0}}, &error);
}

static bool
save_world_part(const char *file, int doublings)
{
    const pqt_part part = {"balls", PQT_KIND_WORLD, make_world(doublings), NULL};
    return part.version != NULL &&
           pqt_document_save(pqt_document_make(&part, 1, &error), file, &error);
}

static bool
save_image(const char *file)
{
    const pqt_paint box = pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{2, 1}, {6, 4}});
    const pqt_image *image = pqt_image_make(20, 10, (pqt_rgba){0, 0, 0, 0}, arena, &error);
    image = pqt_image_paint(image, box, (pqt_rgba){255, 0, 0, 255}, PQT_INK_REPLACE, &error);
    return image != NULL && pqt_version_save(image, file, &error);
}

static bool
save_parts(const char *file, int doublings, size_t count)
{
    pqt_part parts[PQT_MAX_PARTS];
    char names[PQT_MAX_PARTS][8];
    for (size_t i = 0; i < count && i < PQT_MAX_PARTS; i++) {
        snprintf(names[i], sizeof names[i], "mask%02zu", i);
        parts[i] = (pqt_part){names[i], PQT_KIND_REGION, make_region(doublings), NULL};
        if (parts[i].version == NULL)
            return false;
    }
    return pqt_document_save(pqt_document_make(parts, count, &error), file, &error);
}

int
main(int argc, char **argv)
{
    bool saved = false;
    arena = pqt_arena_make(0, &error);
    if (argc == 4 && strcmp(argv[1], "world") == 0)
        saved = pqt_world_save(make_world(atoi(argv[3])), argv[2], &error);
    else if (argc == 4 && strcmp(argv[1], "world-part") == 0)
        saved = save_world_part(argv[2], atoi(argv[3]));
    else if (argc == 3 && strcmp(argv[1], "image") == 0)
        saved = save_image(argv[2]);
    else if (argc == 5 && strcmp(argv[1], "parts") == 0)
        saved = save_parts(argv[2], atoi(argv[3]), (size_t)atoi(argv[4]));
    if (!saved)
        fprintf(stderr, "pqt_maker: %s\n", error.text);
    pqt_arena_destroy(&arena);
    return saved ? EXIT_SUCCESS : EXIT_FAILURE;
}
