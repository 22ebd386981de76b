/* SPDX-License-Identifier: MIT */
/*
 * change_map.c: the changes of a map, which are the values before and after for each key whose
 * value differs.
 *
 * Each change begins with a byte. Its lowest bit is set if there is a value before, and the next
 * bit if there is a value after. The key and these values follow. An id is stored as a varint, the
 * difference from the previous id; a number as a short word; and a byte string as a varint, its
 * length, followed by its bytes.
 */
#include "config.h"

#include "change/change_part.h"

#include <string.h>

#include "base/error_internal.h"
#include "map/map_internal.h"

enum { HAS_BEFORE = 1, HAS_AFTER = 2 };

typedef struct entry_writer {
    pqti_byte_buffer *to;
    pqt_map_options options;
    uint64_t last_id;
} entry_writer;

static void
write_string(pqti_byte_buffer *to, const void *bytes, size_t size)
{
    pqti_put_varint(to, size);
    pqti_put_bytes(to, bytes, size);
}

static void
write_value(const entry_writer *writer, const pqt_map_value *value)
{
    if (value != NULL && writer->options.values == PQT_MAP_NUMBERS)
        pqti_put_word(writer->to, value->number);
    else if (value != NULL)
        write_string(writer->to, value->bytes, value->size);
}

static bool
write_entry(const pqt_map_key *key, const pqt_map_value *before, const pqt_map_value *after,
            void *context)
{
    entry_writer *writer = context;
    pqti_put_byte(writer->to,
                  (before != NULL ? HAS_BEFORE : 0u) | (after != NULL ? HAS_AFTER : 0u));
    if (writer->options.keys == PQT_MAP_IDS) {
        pqti_put_varint(writer->to, key->id - writer->last_id);
        writer->last_id = key->id;
    } else {
        write_string(writer->to, key->bytes, key->size);
    }
    write_value(writer, before);
    write_value(writer, after);
    return true;
}

/* Returns the kind of the keys of a map, plus 16 times the kind of its values. */
static unsigned
form_of(const pqt_map_options *options)
{
    return (unsigned)options->keys | (unsigned)options->values << 4;
}

static bool
write_entries(pqti_byte_buffer *to, const void *before, const void *after, pqti_encoding *encoding,
              pqt_error *error)
{
    pqt_map_options old = PQT_MAP_DEFAULTS;
    entry_writer writer = {to, PQT_MAP_DEFAULTS, 0};
    (void)error;
    pqt_map_get_options(before, &old);
    pqt_map_get_options(after, &writer.options);
    if (form_of(&old) != form_of(&writer.options))
        return true;
    *encoding = PQTI_REVERSIBLE;
    pqti_put_byte(to, form_of(&old));
    return pqt_map_visit_diff(before, after, write_entry, &writer);
}

/* Copies a byte string from the source. Returns an empty string if the source is faulty. Returns
   NULL and sets `error` when out of memory. */
static const uint8_t *
read_string(pqti_changes *changes, pqti_byte_source *source, size_t *size, pqt_error *error)
{
    *size = pqti_get_count(source, 1);
    const uint8_t *bytes = pqti_get_bytes(source, *size);
    uint8_t *copy = pqti_changes_string(changes, *size, error);
    if (copy != NULL && bytes == NULL)
        *size = 0;
    else if (copy != NULL)
        memcpy(copy, bytes, *size);
    return copy;
}

static bool
read_value(pqti_changes *changes, pqti_byte_source *source, pqt_map_values kind,
           pqt_map_value *value, pqt_error *error)
{
    if (kind == PQT_MAP_NUMBERS) {
        value->number = pqti_get_word(source);
        return true;
    }
    value->bytes = read_string(changes, source, &value->size, error);
    return value->bytes != NULL;
}

/* Reads one change: a key and its new value. */
static bool
read_entry(pqti_changes *changes, pqti_byte_source *source, unsigned kinds, uint64_t *last_id,
           bool backwards, pqt_map_change *change, pqt_error *error)
{
    const pqt_map_values values = (pqt_map_values)(kinds >> 4);
    const unsigned flags = pqti_get_byte(source);
    pqt_map_value before = {0}, after = {0};
    if (flags == 0 || flags > (HAS_BEFORE | HAS_AFTER))
        source->failed = true;
    memset(change, 0, sizeof *change);
    if ((kinds & 15) == PQT_MAP_IDS) {
        change->key.id = *last_id += pqti_get_varint(source);
    } else {
        change->key.bytes = read_string(changes, source, &change->key.size, error);
        if (change->key.bytes == NULL)
            return false;
        source->failed |= change->key.size > PQT_MAX_MAP_KEY;
    }
    if (((flags & HAS_BEFORE) != 0 && !read_value(changes, source, values, &before, error)) ||
        ((flags & HAS_AFTER) != 0 && !read_value(changes, source, values, &after, error)))
        return false;
    const bool has_value = (flags & (backwards ? HAS_BEFORE : HAS_AFTER)) != 0;
    change->kind = has_value ? PQT_MAP_INSERT : PQT_MAP_REMOVE;
    change->value = backwards ? before : after;
    return true;
}

static bool
read_entries(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source,
             bool backwards, pqt_error *error)
{
    const unsigned kinds = pqti_get_byte(source);
    uint64_t last_id = 0;
    if (((kinds & 15) != PQT_MAP_IDS && (kinds & 15) != PQT_MAP_BYTE_KEYS) ||
        (kinds >> 4 != PQT_MAP_NUMBERS && kinds >> 4 != PQT_MAP_BYTE_VALUES) ||
        (part->form != 0 && part->form != kinds))
        source->failed = true;
    part->form = (uint8_t)kinds;
    while (source->next < source->length && !source->failed) {
        pqt_map_change *entries = pqti_part_reserve(part, sizeof *entries, error);
        if (entries == NULL)
            return false;
        if (!read_entry(changes, source, kinds, &last_id, backwards, &entries[part->count], error))
            return false;
        part->count += !source->failed;
    }
    return true;
}

/* Checks first that the changes are for keys and values of the map's kinds: damaged changes may be
   for another kind of map. */
static const void *
apply_entries(const pqti_changes *changes, const pqti_part_changes *part, const void *start,
              pqt_error *error)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    (void)changes;
    pqt_map_get_options(start, &options);
    if (part->count > 0 && part->form != form_of(&options)) {
        pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the change is of another kind of map");
        return NULL;
    }
    return pqt_map_apply(start, part->array, part->count, error);
}

const pqti_kind_changes pqti_map_changes = {
    .write = write_entries,
    .read = read_entries,
    .apply = apply_entries,
};
