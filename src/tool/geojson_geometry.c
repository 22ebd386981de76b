/* SPDX-License-Identifier: MIT */
/*
 * geojson_geometry.c: geometries of GeoJSON as well-known text.
 *
 * The coordinates of GeoJSON are nested like the parentheses of well-known text. Each position
 * keeps its first three numbers.
 */
#include "config.h"

#include "tool/geojson_geometry.h"

#include <math.h>
#include <string.h>

#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/tool_memory.h"

enum { DEEPEST = 32 }; /* the deepest collections that well-known text is read with */

/* The types of geometries, and how deeply their positions are nested; -1: a collection. */
static const struct geometry_type {
    const char *type, *wkt;
    int depth;
} types[] = {{"Point", "POINT ", 0},
             {"MultiPoint", "MULTIPOINT ", 1},
             {"LineString", "LINESTRING ", 1},
             {"MultiLineString", "MULTILINESTRING ", 2},
             {"Polygon", "POLYGON ", 2},
             {"MultiPolygon", "MULTIPOLYGON ", 3},
             {"GeometryCollection", "GEOMETRYCOLLECTION ", -1}};
enum { TYPES = sizeof types / sizeof types[0] };

/* A geometry that is being written. */
typedef struct writer {
    texts *to;
    const json_stream *from;
    const char *file;
    size_t line;
    size_t positions;
    bool is_globe;
    double west; /* 360 is added to longitudes that are less */
} writer;

static const struct geometry_type *
type_named(const char *name)
{
    for (size_t i = 0; name != NULL && i < TYPES; i++)
        if (strcmp(types[i].type, name) == 0)
            return &types[i];
    return NULL;
}

bool
geometry_is_known(const char *type)
{
    return type_named(type) != NULL;
}

static void
append(writer *out, const char *text)
{
    append_bytes(out->to, text, strlen(text));
}

/* ---- Coordinates ---- */

static void
append_position(writer *out, const json_t *position)
{
    const size_t count = json_array_size(position);
    if (count < 2)
        die(out->file, out->line, "a position of the geometry has fewer than two numbers");
    for (size_t i = 0; i < count && i < 3; i++) {
        const json_t *number = json_array_get(position, i);
        const char *spelling = json_spelling(out->from, number);
        if (spelling == NULL)
            die(out->file, out->line, "a coordinate of the geometry is not a number");
        const double value = json_double(out->from, number);
        if (!isfinite(value))
            die(out->file, out->line, "a coordinate of the geometry is too large (%s)",
                quote_text(spelling).text);
        append(out, i > 0 ? " " : "");
        append(out, i == 0 && value < out->west ? shortest(value + 360).text : spelling);
    }
    out->positions++;
}

static void
append_coordinates(writer *out, const json_t *coordinates, int depth)
{
    const size_t count = json_array_size(coordinates);
    if (!json_is_array(coordinates))
        die(out->file, out->line, "the coordinates of the geometry are not an array");
    if (depth == 0) {
        append_position(out, coordinates);
        return;
    }
    if (count == 0)
        append(out, "EMPTY");
    for (size_t i = 0; i < count; i++) {
        append(out, i > 0 ? "," : "(");
        append_coordinates(out, json_array_get(coordinates, i), depth - 1);
    }
    append(out, count > 0 ? ")" : "");
}

/* ---- Geometries ---- */

void
check_crs(const json_t *object, const char *file, size_t line)
{
    static const char *const allowed[] = {"urn:ogc:def:crs:OGC:1.3:CRS84",
                                          "urn:ogc:def:crs:OGC::CRS84",
                                          "urn:ogc:def:crs:EPSG::4326", "EPSG:4326", "OGC:CRS84"};
    const json_t *crs = json_object_get(object, "crs");
    if (crs == NULL || json_is_null(crs))
        return;
    const char *name =
        json_string_value(json_object_get(json_object_get(crs, "properties"), "name"));
    for (size_t i = 0; name != NULL && i < sizeof allowed / sizeof allowed[0]; i++)
        if (strcmp(name, allowed[i]) == 0)
            return;
    die(file, line, "the coordinates are not those of WGS 84 (%s)",
        name != NULL ? quote_text(name).text : "a crs without a name");
}

/* Heeds the member bbox of an object. If it crosses the antimeridian, its west side is greater than
   its east side (RFC 7946, section 5.2), and no box of the plane has the same points. On the globe,
   the parts of the geometry in the east then have longitudes above 180; elsewhere, ends the program
   with an error. */
static void
heed_bbox(writer *out, const json_t *object)
{
    const json_t *bbox = json_object_get(object, "bbox");
    const size_t count = json_array_size(bbox);
    if (bbox == NULL || json_is_null(bbox))
        return;
    if (count != 4 && count != 6)
        die(out->file, out->line, "bbox is not four or six numbers");
    for (size_t i = 0; i < count; i++)
        if (json_spelling(out->from, json_array_get(bbox, i)) == NULL)
            die(out->file, out->line, "bbox is not four or six numbers");
    const double west = json_double(out->from, json_array_get(bbox, 0));
    const double east = json_double(out->from, json_array_get(bbox, count / 2));
    if (west <= east)
        return;
    if (!out->is_globe)
        die(out->file, out->line,
            "bbox crosses the antimeridian, so it is no box of the plane, but one with --globe "
            "(west %s > east %s)",
            shortest(west).text, shortest(east).text);
    out->west = west;
}

static void
append_one(writer *out, const json_t *geometry, int depth)
{
    const char *name = json_string_value(json_object_get(geometry, "type"));
    const struct geometry_type *type = type_named(name);
    if (type == NULL)
        die(out->file, out->line, "type is not that of a geometry (%s)", quote_text(name).text);
    if (depth > DEEPEST)
        die(out->file, out->line, "the collections of the geometry are nested too deeply");
    const double west = out->west;
    heed_bbox(out, geometry);
    check_crs(geometry, out->file, out->line);
    append(out, type->wkt);
    if (type->depth >= 0) {
        const json_t *coordinates = json_object_get(geometry, "coordinates");
        const bool is_position = type->depth == 0 && json_array_size(coordinates) > 0;
        append(out, is_position ? "(" : "");
        append_coordinates(out, coordinates, type->depth == 0 && !is_position ? 1 : type->depth);
        append(out, is_position ? ")" : "");
        out->west = west;
        return;
    }
    const json_t *inner = json_object_get(geometry, "geometries");
    const size_t count = json_array_size(inner);
    if (!json_is_array(inner))
        die(out->file, out->line, "the geometries of the collection are not an array");
    if (count == 0)
        append(out, "EMPTY");
    for (size_t i = 0; i < count; i++) {
        append(out, i > 0 ? "," : "(");
        append_one(out, json_array_get(inner, i), depth + 1);
    }
    append(out, count > 0 ? ")" : "");
    out->west = west;
}

void
append_geometry(texts *to, const json_t *feature, bool is_globe, const json_stream *from,
                size_t line)
{
    const char *file = from->name;
    writer out = {.to = to,
                  .from = from,
                  .file = file,
                  .line = line,
                  .is_globe = is_globe,
                  .west = -INFINITY};
    const json_t *geometry = json_object_get(feature, "geometry");
    if (!json_is_object(geometry))
        die(file, line, "the feature has no geometry, and so no box");
    heed_bbox(&out, feature);
    append_one(&out, geometry, 0);
    if (out.positions == 0)
        die(file, line, "the geometry is empty, and has no box");
}
