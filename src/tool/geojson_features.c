/* SPDX-License-Identifier: MIT */
/* geojson_features.c: reads the features of a GeoJSON file one after the other. */
#include "config.h"

#include "tool/geojson_features.h"

#include <string.h>

#include "tool/geojson_geometry.h"
#include "tool/message.h"

feature_reader
features_begin(const char *name, FILE *file)
{
    feature_reader reader = {.from = {.name = name, .file = file, .line = 1}};
    return reader;
}

static _Noreturn void
die_out_of_memory(void)
{
    die(NULL, 0, "out of memory (JSON)");
}

/* ---- Members ---- */

/* Returns the text of the member type, or "" if there is none. */
static const char *
type_of(const json_t *object)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    return type != NULL ? type : "";
}

/* Returns an object as a feature: itself, or a new feature if it is a geometry. A plain object is
   returned as it is, if the first one was plain. */
static json_t *
feature_of(feature_reader *reader, json_t *object)
{
    const char *type = type_of(object);
    const bool is_feature = strcmp(type, "Feature") == 0;
    if (reader->place == BEFORE_FIRST)
        reader->are_rows = !is_feature && !geometry_is_known(type);
    if (reader->are_rows)
        return object;
    check_crs(object, reader->from.name, reader->line);
    if (is_feature)
        return object;
    if (!geometry_is_known(type))
        die(reader->from.name, reader->line, "type is not Feature or that of a geometry (%s)",
            quote_text(type).text);
    json_t *feature = json_object();
    if (feature == NULL || json_object_set_new(feature, "geometry", object) != 0)
        die_out_of_memory();
    return feature;
}

/* ---- Collections ---- */

/* Reads the members of the collection until its features begin. Returns false if the object ends
   before. */
static bool
read_members(feature_reader *reader)
{
    json_stream *from = &reader->from;
    json_begin(from);
    if (json_object_size(reader->collection) == 0 && json_take(from, '}'))
        return false;
    do {
        if (json_peek(from) != '"')
            json_expect(from, '"');
        json_t *key = json_value(from);
        const char *name = json_string_value(key);
        json_expect(from, ':');
        if (json_object_get(reader->collection, name) != NULL) {
            const quotation twice = quote_text(name);
            json_decref(key);
            die(from->name, from->line, "is not JSON (a member occurs twice: %s)", twice.text);
        }
        const bool is_features = strcmp(name, "features") == 0 && json_take(from, '[');
        json_t *value = is_features ? json_true() : json_value(from);
        if (json_object_set_new(reader->collection, name, value) != 0)
            die_out_of_memory();
        json_decref(key);
        if (is_features)
            return true;
    } while (json_take(from, ','));
    json_expect(from, '}');
    return false;
}

/* Ends the program with an error if the file has not ended. */
static void
end_file(feature_reader *reader, const char *what)
{
    reader->place = AFTER_ALL;
    if (json_peek(&reader->from) != EOF)
        die(reader->from.name, reader->from.line, "text follows %s", what);
}

/* Reads the members after the features, and checks those of the whole collection. */
static void
end_collection(feature_reader *reader)
{
    json_stream *from = &reader->from;
    if (json_take(from, ',')) {
        if (read_members(reader))
            die(from->name, from->line, "is not JSON (a member occurs twice: features)");
    } else {
        json_expect(from, '}');
    }
    const char *type = type_of(reader->collection);
    if (strcmp(type, "FeatureCollection") != 0)
        die(from->name, from->line, "type is not FeatureCollection (%s)", quote_text(type).text);
    check_crs(reader->collection, from->name, from->line);
    json_decref(reader->collection);
    reader->collection = NULL;
    end_file(reader, "the FeatureCollection");
}

/* Returns the next element of the collection or the array, or NULL after the last one. */
static json_t *
next_element(feature_reader *reader)
{
    json_stream *from = &reader->from;
    if (json_take(from, ']')) {
        if (reader->place == IN_ARRAY)
            end_file(reader, "the array");
        else
            end_collection(reader);
        return NULL;
    }
    if (!reader->is_first)
        json_expect(from, ',');
    reader->is_first = false;
    if (json_peek(from) != '{')
        json_expect(from, '{');
    reader->line = from->line;
    json_begin(from);
    json_t *feature = json_value(from);
    if (reader->place == IN_ARRAY)
        return feature;
    if (strcmp(type_of(feature), "Feature") != 0)
        die(from->name, reader->line, "type is not Feature (%s)",
            quote_text(type_of(feature)).text);
    check_crs(feature, from->name, reader->line);
    return feature;
}

json_t *
features_next(feature_reader *reader)
{
    json_stream *from = &reader->from;
    if (reader->place == IN_COLLECTION || reader->place == IN_ARRAY)
        return next_element(reader);
    if (reader->place == AFTER_ALL || json_peek(from) == EOF)
        return NULL;
    if (reader->place == BEFORE_FIRST && json_take(from, '[')) {
        reader->place = IN_ARRAY;
        reader->is_first = reader->are_rows = true;
        return next_element(reader);
    }
    reader->line = from->line;
    json_expect(from, '{');
    reader->collection = json_object();
    if (reader->collection == NULL)
        die_out_of_memory();
    if (!read_members(reader)) {
        json_t *object = reader->collection;
        reader->collection = NULL;
        object = feature_of(reader, object);
        reader->place = IN_SEQUENCE;
        return object;
    }
    if (reader->place == IN_SEQUENCE)
        die(from->name, reader->line, "a FeatureCollection follows features");
    check_crs(reader->collection, from->name, from->line);
    reader->place = IN_COLLECTION;
    reader->is_first = true;
    return next_element(reader);
}
