/* SPDX-License-Identifier: MIT */
/*
 * geojson_features.h: reads the features of a GeoJSON file (RFC 7946) one after the other: those of
 * a FeatureCollection, of a sequence of features (RFC 8142, or one in each line), a single one, or
 * a geometry alone.
 *
 * A file whose first object is none of these, or that is an array, has plain objects: rows with a
 * member for each column.
 */
#ifndef GEOJSON_FEATURES_H
#define GEOJSON_FEATURES_H

#include "tool/json_stream.h"

typedef enum feature_place {
    BEFORE_FIRST, /* nothing was read */
    IN_COLLECTION,
    IN_ARRAY,
    IN_SEQUENCE,
    AFTER_ALL /* of a collection or an array */
} feature_place;

typedef struct feature_reader {
    json_stream from;
    feature_place place;
    json_t *collection; /* the members of the collection so far, without its features */
    bool is_first;      /* no element of the collection or the array was read */
    bool are_rows;      /* the file has plain objects; known after the first one */
    size_t line;        /* the line in which the last feature begins */
} feature_reader;

/* Begins to read a file from its present place. */
feature_reader features_begin(const char *name, FILE *file);

/* Returns the next feature or plain object, which the caller releases, or NULL at the end. A
   geometry alone is returned as a feature. Ends the program with an error if the file is not
   GeoJSON, or names another coordinate reference system than WGS 84. */
json_t *features_next(feature_reader *reader);

#endif
