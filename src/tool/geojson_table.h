/* SPDX-License-Identifier: MIT */
/*
 * geojson_table.h: GeoJSON as CSV with geometries in well-known text, which pqt_table_read reads.
 *
 * The columns are id, if a feature has one, wkt, and the properties, in the order in which they
 * first occur. A property that has the name of an earlier column gets a number after it. Plain
 * objects, in an array or one in each line, have their members as columns.
 */
#ifndef GEOJSON_TABLE_H
#define GEOJSON_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct geojson_table geojson_table;

/* Opens a file, which is read twice: first for the names of the properties. A stream that cannot be
   read again is copied to a file without a name. Ends the program with an error if the file is not
   GeoJSON, or if this build cannot read it. `name` is the name for messages. On the globe, a bbox
   may cross the antimeridian. */
geojson_table *geojson_open(const char *name, FILE *stream, bool is_globe);
void geojson_close(geojson_table *of);

/* Supplies the bytes of the CSV, as a pqt_read_fn. `context` is the table. */
bool geojson_read(void *bytes, size_t capacity, size_t *count, void *context);

/* Returns true if the positions are the geometries of features, and false if they are in columns of
   plain objects. */
bool geojson_has_geometries(const geojson_table *of);

/* Returns the line of the feature that a line of the CSV belongs to. */
size_t geojson_line(const geojson_table *of, size_t csv_line);

#endif
