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
info_print_fingerprint(facts *all, pqt_fingerprint print)
{
    char text[40];
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, print.high, print.low);
    fact_text(all, "fingerprint", text);
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
info_print_pqt(facts *all, const input_file *from)
{
    fact_text(all, "file", quote_text(from->name).text);
    fact_text(all, "kind", pqt_kind_name(from->kind));
    if (from->version != NULL) /* a version that was in a store has no file header */
        return;
    char text[24];
    snprintf(text, sizeof text, "%u.%u", number_at(from, MAJOR_AT), number_at(from, MINOR_AT));
    fact_text(all, "format version", text);
    fact_number(all, "file bytes", from->taken);
}

static pqt_box
box_of_pixels(pqt_pixel_box box)
{
    return (pqt_box){{box.min.x, box.min.y}, {box.max.x, box.max.y}};
}

void
info_print_region(facts *all, input_file *from)
{
    pqt_error error = {0};
    const pqt_region *region = input_of_kind(from, PQT_KIND_REGION);
    if (!pqt_region_check(region, &error))
        die_error(from->name, &error);
    const pqt_region_stats stats = pqt_region_get_stats(region);
    info_print_pqt(all, from);
    fact_number(all, "pixels", stats.pixels);
    fact_box(all, "bounds", box_of_pixels(pqt_region_bounds(region)));
    info_print_fingerprint(all, pqt_region_fingerprint(region));
    fact_number(all, "inner nodes", stats.nodes);
    fact_number(all, "leaves", stats.leaves);
    fact_number(all, "full squares", stats.full);
    fact_number(all, "bytes", stats.bytes);
}

void
info_print_world(facts *all, input_file *from)
{
    pqt_error error = {0};
    const pqt_world *world = input_of_kind(from, PQT_KIND_WORLD);
    if (!pqt_world_check(world, &error))
        die_error(from->name, &error);
    const pqt_world_stats stats = pqt_world_get_stats(world);
    const pqt_region *obstacle = pqt_world_get_obstacle(world).region;
    info_print_pqt(all, from);
    fact_number(all, "bodies", stats.bodies);
    fact_box(all, "bounds", pqt_world_bounds(world));
    fact_number(all, "obstacle pixels", obstacle != NULL ? pqt_region_count(obstacle) : 0);
    info_print_fingerprint(all, pqt_world_fingerprint(world));
    fact_name(all, "energy");
    printf(all->are_json ? "%.17g" : "%.6g\n", stats.energy);
    fact_name(all, "momentum");
    printf(all->are_json ? "[%.17g,%.17g]" : "%.6g, %.6g\n", stats.momentum.x, stats.momentum.y);
    fact_number(all, "cells", stats.cells);
    fact_number(all, "bytes", stats.bytes);
}

void
info_print_image(facts *all, input_file *from)
{
    pqt_error error = {0};
    const pqt_image *image = input_of_kind(from, PQT_KIND_IMAGE);
    if (!pqt_image_check(image, &error))
        die_error(from->name, &error);
    const pqt_image_stats stats = pqt_image_get_stats(image);
    info_print_pqt(all, from);
    fact_number(all, "pixels", pqt_version_count(image));
    fact_box(all, "bounds", box_of_pixels(pqt_image_bounds(image)));
    info_print_fingerprint(all, pqt_image_fingerprint(image));
    fact_number(all, "inner nodes", stats.nodes);
    fact_number(all, "tiles", stats.tiles);
    fact_number(all, "bytes", stats.bytes);
}

void
info_print_map(facts *all, input_file *from)
{
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    const pqt_map *map = input_of_kind(from, PQT_KIND_MAP);
    if (!pqt_map_check(map, &error))
        die_error(from->name, &error);
    const pqt_map_stats stats = pqt_map_get_stats(map);
    pqt_map_get_options(map, &options);
    info_print_pqt(all, from);
    fact_text(all, "keys", options.keys == PQT_MAP_IDS ? "ids" : "byte strings");
    fact_text(all, "values", options.values == PQT_MAP_NUMBERS ? "numbers" : "byte strings");
    fact_number(all, "entries", stats.entries);
    info_print_fingerprint(all, pqt_map_fingerprint(map));
    fact_number(all, "inner nodes", stats.nodes);
    fact_number(all, "leaves", stats.leaves);
    fact_number(all, "depth", stats.depth);
    fact_number(all, "bytes", stats.bytes);
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

/* Prints the same as an object of JSON. */
static void
print_part_json(const pqt_part *part)
{
    fputs("\n {\"name\":", stdout);
    write_json_string(stdout, part->name);
    printf(",\"kind\":\"%s\",\"%s\":%" PRIu64, pqt_kind_name(part->kind),
           pqt_kind_elements(part->kind), pqt_version_count(part->version));
    if (part->keyed_by != NULL) {
        fputs(",\"keyed_by\":", stdout);
        write_json_string(stdout, part->keyed_by);
    }
    putchar('}');
}

static void
print_parts(facts *all, const pqt_document *document, size_t count)
{
    if (all->are_json) {
        fact_name(all, "parts");
        putchar('[');
    }
    for (size_t i = 0; i < count; i++) {
        const pqt_part part = pqt_document_get_part(document, i);
        if (all->are_json && i > 0)
            putchar(',');
        if (all->are_json)
            print_part_json(&part);
        else
            print_part(&part);
    }
    if (all->are_json)
        putchar(']');
}

void
info_print_document(facts *all, input_file *from)
{
    pqt_error error = {0};
    pqt_document_stats stats = {0};
    const pqt_document *document = input_of_kind(from, PQT_KIND_DOCUMENT);
    if (!pqt_document_check(document, &error) || !pqt_document_get_stats(document, &stats, &error))
        die_error(from->name, &error);
    info_print_pqt(all, from);
    print_parts(all, document, stats.parts);
    info_print_fingerprint(all, pqt_document_fingerprint(document));
    fact_number(all, "bytes", stats.bytes);
}
