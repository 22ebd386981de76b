/* SPDX-License-Identifier: MIT */
/* geojson_geometry.h: geometries of GeoJSON as well-known text. */
#ifndef GEOJSON_GEOMETRY_H
#define GEOJSON_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/json_stream.h"

/* Returns true if a geometry may have this type. */
bool geometry_is_known(const char *type);

/* Ends the program with an error if an object names a reference system other than WGS 84. Files
   from before RFC 7946 may name one, in a collection, a feature or a geometry. */
void check_crs(const json_t *object, const char *file, size_t line);

/* Appends the geometry of a feature as well-known text, without a zero byte. Ends the program with
   an error, with the name of the file and the line of the feature, if the feature has no geometry,
   an invalid one, one in another reference system, or a bbox that crosses the antimeridian. On the
   globe, such a bbox shows that the geometry crosses it, and its eastern longitudes have 360
   added. All other numbers are written as they are spelt. */
void append_geometry(texts *to, const json_t *feature, bool is_globe, const json_stream *from,
                     size_t line);

#endif
