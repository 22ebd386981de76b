/* SPDX-License-Identifier: MIT */
/* cmd_info_pqt.c: `pqt info` for .pqt files, and the functions that print all facts. */
#include "config.h"

#include "tool/info_task.h"

#include <inttypes.h>
#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

#include "tool/message.h"
#include "tool/numbers.h"

void
info_print_number(const char *name, uint64_t number)
{
    printf("%-16s %s\n", name, grouped(number).text);
}

void
info_print_box(const char *name, pqt_box box)
{
    printf("%-16s %s, %s .. %s, %s\n", name, shortest(box.min.x).text, shortest(box.min.y).text,
           shortest(box.max.x).text, shortest(box.max.y).text);
}

void
info_print_fingerprint(pqt_fingerprint print)
{
    printf("%-16s %016" PRIx64 "%016" PRIx64 "\n", "fingerprint", print.high, print.low);
}

/* The offsets of the format version in the head of a file, which consists of two 16-bit numbers
   (docs/format.md). */
enum { MAJOR_AT = 8, MINOR_AT = 10 };

static unsigned
number_at(const input_file *from, size_t at)
{
    return from->head[at] | (unsigned)from->head[at + 1] << 8;
}

void
info_print_pqt(const input_file *from)
{
    printf("%-16s %s\n", "file", quote_text(from->name).text);
    printf("%-16s %s\n", "kind", pqt_kind_name(from->kind));
    if (from->version != NULL) /* a version that was in a store has no file header */
        return;
    printf("%-16s %u.%u\n", "format version", number_at(from, MAJOR_AT), number_at(from, MINOR_AT));
    info_print_number("file bytes", from->taken);
}

static pqt_box
box_of_pixels(pqt_pixel_box box)
{
    return (pqt_box){{box.min.x, box.min.y}, {box.max.x, box.max.y}};
}

void
info_print_region(input_file *from)
{
    pqt_error error = {0};
    const pqt_region *region = input_of_kind(from, PQT_KIND_REGION);
    if (!pqt_region_check(region, &error))
        die_error(from->name, &error);
    const pqt_region_stats stats = pqt_region_get_stats(region);
    info_print_pqt(from);
    info_print_number("pixels", stats.pixels);
    info_print_box("bounds", box_of_pixels(pqt_region_bounds(region)));
    info_print_fingerprint(pqt_region_fingerprint(region));
    info_print_number("inner nodes", stats.nodes);
    info_print_number("leaves", stats.leaves);
    info_print_number("full squares", stats.full);
    info_print_number("bytes", stats.bytes);
}

void
info_print_world(input_file *from)
{
    pqt_error error = {0};
    const pqt_world *world = input_of_kind(from, PQT_KIND_WORLD);
    if (!pqt_world_check(world, &error))
        die_error(from->name, &error);
    const pqt_world_stats stats = pqt_world_get_stats(world);
    const pqt_region *obstacle = pqt_world_get_obstacle(world).region;
    info_print_pqt(from);
    info_print_number("bodies", stats.bodies);
    info_print_box("bounds", pqt_world_bounds(world));
    info_print_number("obstacle pixels", obstacle != NULL ? pqt_region_count(obstacle) : 0);
    info_print_fingerprint(pqt_world_fingerprint(world));
    printf("%-16s %.6g\n", "energy", stats.energy);
    printf("%-16s %.6g, %.6g\n", "momentum", stats.momentum.x, stats.momentum.y);
    info_print_number("cells", stats.cells);
    info_print_number("bytes", stats.bytes);
}

void
info_print_map(input_file *from)
{
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    const pqt_map *map = input_of_kind(from, PQT_KIND_MAP);
    if (!pqt_map_check(map, &error))
        die_error(from->name, &error);
    const pqt_map_stats stats = pqt_map_get_stats(map);
    pqt_map_get_options(map, &options);
    info_print_pqt(from);
    printf("%-16s %s\n", "keys", options.keys == PQT_MAP_IDS ? "ids" : "byte strings");
    printf("%-16s %s\n", "values", options.values == PQT_MAP_NUMBERS ? "numbers" : "byte strings");
    info_print_number("entries", stats.entries);
    info_print_fingerprint(pqt_map_fingerprint(map));
    info_print_number("inner nodes", stats.nodes);
    info_print_number("leaves", stats.leaves);
    info_print_number("depth", stats.depth);
    info_print_number("bytes", stats.bytes);
}

/* Prints the number of items, pixels, bodies or entries in a part, and the noun for them. */
static void
print_part(const pqt_part *part)
{
    printf("%-16s %s, %s of %s %s", "part", part->name, pqt_kind_name(part->kind),
           grouped(pqt_version_count(part->version)).text, pqt_kind_elements(part->kind));
    if (part->keyed_by != NULL)
        printf(", keyed by %s", part->keyed_by);
    putchar('\n');
}

void
info_print_document(input_file *from)
{
    pqt_error error = {0};
    pqt_document_stats stats = {0};
    const pqt_document *document = input_of_kind(from, PQT_KIND_DOCUMENT);
    if (!pqt_document_check(document, &error) || !pqt_document_get_stats(document, &stats, &error))
        die_error(from->name, &error);
    info_print_pqt(from);
    for (size_t i = 0; i < stats.parts; i++) {
        const pqt_part part = pqt_document_get_part(document, i);
        print_part(&part);
    }
    info_print_fingerprint(pqt_document_fingerprint(document));
    info_print_number("bytes", stats.bytes);
}
