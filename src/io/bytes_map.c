/* SPDX-License-Identifier: MIT */
/*
 * bytes_map.c: writes and reads a map as sections: PMAP; the entries in ascending order of their
 * keys, in ENTR sections, each of which is followed by BYTE sections with the contents of its byte
 * strings; and DONE.
 *
 * Entries are sorted by the keys themselves and not by their hashes. So the format does not depend
 * on the hash function, and consecutive ids take few bytes. The nodes of the map are not stored but
 * rebuilt from the entries.
 */
#include "config.h"

#include <pqt/bytes.h>

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "io/bytes_internal.h"
#include "map/map_internal.h"
#include "memory/memory_internal.h"

enum {
    COLUMNS = 2, /* the id or the size of the key; the number or the size of the value */
    ROWS = 2048,
    MAP_SIZE = 10
};

/* Records whether the keys and the values of a map are byte strings. */
typedef struct map_kinds {
    bool byte_keys, byte_values;
} map_kinds;

/* Compares byte strings byte by byte. A prefix precedes a longer string. */
static int
compare_strings(const pqt_map_key *a, const pqt_map_key *b)
{
    const size_t common = a->size < b->size ? a->size : b->size;
    const int order = common > 0 ? memcmp(a->bytes, b->bytes, common) : 0;
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int
compare_keys(const pqt_map_key *a, const pqt_map_key *b, bool byte_keys)
{
    return byte_keys ? compare_strings(a, b) : (a->id > b->id) - (a->id < b->id);
}

/* ---- Writing ---- */

static int
compare_ids_of_entries(const void *a, const void *b)
{
    const pqt_map_entry *x = a, *y = b;
    return compare_keys(&x->key, &y->key, false);
}

static int
compare_strings_of_entries(const void *a, const void *b)
{
    const pqt_map_entry *x = a, *y = b;
    return compare_keys(&x->key, &y->key, true);
}

typedef struct entry_list {
    pqt_map_entry *all; /* in scratch memory */
    size_t count;
} entry_list;

static bool
append_entries(const pqt_map_entry *some, size_t count, void *context)
{
    entry_list *entries = context;
    memcpy(entries->all + entries->count, some, count * sizeof *some);
    entries->count += count;
    return true;
}

/* Writes the byte strings of a block. Returns false and sets the error on failure. */
static bool
write_strings(pqti_writer *writer, map_kinds kinds, const pqt_map_entry *entries, size_t rows)
{
    bool is_open = false;
    for (size_t i = 0; i < rows; i++) {
        const pqt_map_entry *entry = &entries[i];
        if (kinds.byte_keys &&
            !pqti_section_write_bytes(writer, &is_open, entry->key.bytes, entry->key.size))
            return false;
        if (kinds.byte_values &&
            !pqti_section_write_bytes(writer, &is_open, entry->value.bytes, entry->value.size))
            return false;
    }
    return !is_open || pqti_section_end(writer);
}

/* Writes sorted entries in blocks. Returns false and sets the error on failure. */
static bool
write_blocks(pqti_writer *writer, map_kinds kinds, const entry_list *entries, uint64_t *words)
{
    for (size_t from = 0; from < entries->count; from += ROWS) {
        const pqt_map_entry *block = entries->all + from;
        const size_t rest = entries->count - from, rows = rest < ROWS ? rest : ROWS;
        for (size_t i = 0; i < rows; i++) {
            words[i] = kinds.byte_keys ? block[i].key.size : block[i].key.id;
            words[ROWS + i] = kinds.byte_values ? block[i].value.size : block[i].value.number;
        }
        if (!pqti_section_write_columns(writer, "ENTR", words, ROWS, COLUMNS, rows) ||
            !write_strings(writer, kinds, block, rows))
            return false;
    }
    return true;
}

/* Writes the sections of a map. Returns false and sets the error on failure. */
static bool
write_entries(pqti_writer *writer, const pqt_map *map, map_kinds kinds)
{
    const size_t count = pqt_map_count(map);
    uint64_t *words = pqti_alloc_scratch(COLUMNS * ROWS, sizeof *words);
    entry_list entries = {NULL, 0};
    if (words != NULL)
        entries.all = pqti_alloc_scratch(count, sizeof *entries.all);
    bool written = entries.all != NULL;
    if (written) {
        pqt_map_visit_entries(map, append_entries, &entries);
        qsort(entries.all, count, sizeof *entries.all,
              kinds.byte_keys ? compare_strings_of_entries : compare_ids_of_entries);
        written = write_blocks(writer, kinds, &entries, words);
    } else {
        pqti_out_of_memory(writer->error);
    }
    pqti_free_scratch(entries.all);
    pqti_free_scratch(words);
    return written;
}

static bool
write_map_section(pqti_writer *writer, const pqt_map *map, const pqt_map_options *options)
{
    pqti_section_begin(writer, "PMAP");
    pqti_section_put(writer, pqt_map_count(map), 8);
    pqti_section_put(writer, (uint64_t)options->keys, 1);
    pqti_section_put(writer, (uint64_t)options->values, 1);
    return pqti_section_end(writer);
}

static bool
write_sections(pqti_writer *writer, const void *version)
{
    const pqt_map *map = version;
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_map_get_options(map, &options);
    const map_kinds kinds = {options.keys == PQT_MAP_BYTE_KEYS,
                             options.values == PQT_MAP_BYTE_VALUES};
    return write_map_section(writer, map, &options) && write_entries(writer, map, kinds) &&
           pqti_write_done(writer, pqt_map_fingerprint(map));
}

/* ---- Reading ---- */

/* The entries that have been read. Their strings are in `bytes`, which moves while it grows. So
   until all entries are read, `id` of a byte key and `number` of a byte value hold the offset of
   the string. */
typedef struct map_reader {
    pqti_reader *reader;
    map_kinds kinds;
    uint64_t most;           /* the number of entries that the PMAP section announces */
    pqt_map_change *changes; /* in scratch memory */
    size_t count, capacity;
    uint8_t *bytes; /* in scratch memory */
    size_t length, bytes_capacity;
} map_reader;

/* The reserve functions return false and set the error on failure. */
static bool
reserve_changes(map_reader *maps, size_t rows)
{
    void *changes =
        pqti_grow_scratch(maps->changes, maps->count, &maps->capacity, rows, sizeof *maps->changes);
    if (changes == NULL)
        pqti_out_of_memory(maps->reader->error);
    else
        maps->changes = changes;
    return changes != NULL;
}

static bool
reserve_bytes(map_reader *maps, size_t count)
{
    void *bytes = pqti_grow_scratch(maps->bytes, maps->length, &maps->bytes_capacity, count, 1);
    if (bytes == NULL)
        pqti_out_of_memory(maps->reader->error);
    else
        maps->bytes = bytes;
    return bytes != NULL;
}

/* Reads the PMAP section and returns an empty map of its kinds. Returns NULL and sets the error on
   failure. */
static const pqt_map *
read_map_section(map_reader *maps, pqt_memory *memory)
{
    pqti_reader *reader = maps->reader;
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_error failure = {0};
    if (!pqti_section_read(reader, "PMAP", MAP_SIZE, MAP_SIZE))
        return NULL;
    maps->most = pqti_section_get(reader, 8);
    options.keys = (pqt_map_keys)pqti_section_get(reader, 1);
    options.values = (pqt_map_values)pqti_section_get(reader, 1);
    options.memory = memory;
    maps->kinds =
        (map_kinds){options.keys == PQT_MAP_BYTE_KEYS, options.values == PQT_MAP_BYTE_VALUES};
    const pqt_map *empty = pqt_map_make(&options, &failure);
    if (empty == NULL)
        pqti_section_fault_of(reader, &failure);
    return empty;
}

/* Takes the size of a string from a word, and assigns it the next offset. Returns false and sets
   the error if the string is too large. */
static bool
place_string(map_reader *maps, uint64_t word, uint64_t most, uint64_t *offset, size_t *size,
             size_t *total)
{
    const size_t limit = SIZE_MAX / 2 - maps->length;
    if (word > most || word > limit - *total)
        return pqti_section_fault(maps->reader, "a byte string is too long (%llu bytes)",
                                  (unsigned long long)word);
    *offset = maps->length + *total;
    *size = (size_t)word;
    *total += (size_t)word;
    return true;
}

/* Converts the words of a block to changes. Sets *total to the number of bytes in their strings.
   Returns false and sets the error on failure. */
static bool
take_words(map_reader *maps, const uint64_t *words, size_t rows, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < rows; i++) {
        pqt_map_change *change = &maps->changes[maps->count + i];
        *change = (pqt_map_change){.kind = PQT_MAP_INSERT};
        change->key.id = words[i];
        change->value.number = words[ROWS + i];
        if (maps->kinds.byte_keys && !place_string(maps, words[i], PQT_MAX_MAP_KEY, &change->key.id,
                                                   &change->key.size, total))
            return false;
        if (maps->kinds.byte_values &&
            !place_string(maps, words[ROWS + i], SIZE_MAX, &change->value.number,
                          &change->value.size, total))
            return false;
    }
    return true;
}

/* Reads the BYTE sections of a block. The memory grows as the bytes arrive. Returns false and sets
   the error on failure. */
static bool
read_strings(map_reader *maps, size_t total)
{
    while (total > 0) {
        const size_t count = total < PQTI_BYTE_SECTION ? total : PQTI_BYTE_SECTION;
        if (!pqti_section_read(maps->reader, "BYTE", count, count) || !reserve_bytes(maps, count))
            return false;
        memcpy(maps->bytes + maps->length, maps->reader->payload, count);
        maps->length += count;
        total -= count;
    }
    return true;
}

/* Returns a key that points to the bytes at its offset, for comparisons. */
static pqt_map_key
key_at(const map_reader *maps, size_t i)
{
    const pqt_map_key key = maps->changes[i].key;
    if (!maps->kinds.byte_keys)
        return key;
    return pqt_map_byte_key(key.size > 0 ? maps->bytes + key.id : NULL, key.size);
}

/* Checks that the keys of the last rows are in ascending order. Returns false and sets the error if
   they are not. */
static bool
check_order(map_reader *maps, size_t rows)
{
    for (size_t i = maps->count - rows; i < maps->count; i++) {
        if (i == 0)
            continue;
        const pqt_map_key before = key_at(maps, i - 1), key = key_at(maps, i);
        if (compare_keys(&before, &key, maps->kinds.byte_keys) >= 0)
            return pqti_section_fault(maps->reader, "key %zu is not greater than the previous one",
                                      i);
    }
    return true;
}

/* Reads the next ENTR section and the BYTE sections after it. Returns false and sets the error on
   failure. */
static bool
read_block(map_reader *maps, uint64_t *words)
{
    size_t total;
    const size_t rows = pqti_section_read_columns(maps->reader, "ENTR", words, ROWS, COLUMNS,
                                                  maps->most - maps->count);
    if (rows == 0 || !reserve_changes(maps, rows) || !take_words(maps, words, rows, &total) ||
        !read_strings(maps, total))
        return false;
    maps->count += rows;
    return check_order(maps, rows);
}

/* Replaces the offsets of strings with their addresses. */
static void
resolve_strings(map_reader *maps)
{
    for (size_t i = 0; i < maps->count; i++) {
        pqt_map_change *change = &maps->changes[i];
        change->key = key_at(maps, i);
        const pqt_map_value value = change->value;
        if (maps->kinds.byte_values)
            change->value =
                pqt_map_bytes(value.size > 0 ? maps->bytes + value.number : NULL, value.size);
    }
}

/* Reads all entries and returns the map that they form. Returns NULL and sets the error on
   failure. */
static const pqt_map *
read_entries(map_reader *maps, const pqt_map *empty)
{
    pqt_error failure = {0};
    uint64_t *words = pqti_alloc_scratch(COLUMNS * ROWS, sizeof *words);
    bool read = words != NULL;
    if (!read)
        pqti_out_of_memory(maps->reader->error);
    while (read && maps->count < maps->most)
        read = read_block(maps, words);
    pqti_free_scratch(words);
    if (!read)
        return NULL;
    resolve_strings(maps);
    const pqt_map *map = pqt_map_apply(empty, maps->changes, maps->count, &failure);
    if (map == NULL)
        pqti_section_fault_of(maps->reader, &failure);
    return map;
}

static const void *
read_sections(pqti_reader *reader, pqt_memory *memory)
{
    map_reader maps = {.reader = reader};
    const pqt_map *empty = read_map_section(&maps, memory);
    if (empty == NULL)
        return NULL;
    const pqt_map *map = read_entries(&maps, empty);
    pqti_free_scratch(maps.bytes);
    pqti_free_scratch(maps.changes);
    return map != NULL && pqti_read_done(reader, pqt_map_fingerprint(map)) ? map : NULL;
}

const pqti_kind_bytes pqti_map_bytes = {
    .write_sections = write_sections,
    .read_sections = read_sections,
};
