/* SPDX-License-Identifier: MIT */
/* map.c: makes, edits and reads maps. */
#include "config.h"

#include "map/map_internal.h"

#include "base/error_internal.h"
#include "base/option_structs.h"

#include "map/map_trie.h"

PQTI_DEFINE_OPTIONS(pqti_map_options, pqt_map_options, memory, PQT_MAP_DEFAULTS);

/* ---- Keys and values ---- */

pqt_map_key
pqt_map_id(uint64_t id)
{
    return (pqt_map_key){.id = id};
}

pqt_map_key
pqt_map_text(const char *text)
{
    PQT_ASSERT(text != NULL, "the text is NULL");
    return pqt_map_byte_key(text, strlen(text));
}

pqt_map_key
pqt_map_byte_key(const void *bytes, size_t size)
{
    PQT_ASSERT(bytes != NULL || size == 0, "bytes is NULL, and size is not 0");
    return (pqt_map_key){.bytes = bytes != NULL ? bytes : "", .size = size};
}

pqt_map_value
pqt_map_number(uint64_t number)
{
    return (pqt_map_value){.number = number};
}

pqt_map_value
pqt_map_bytes(const void *bytes, size_t size)
{
    PQT_ASSERT(bytes != NULL || size == 0, "bytes is NULL, and size is not 0");
    return (pqt_map_value){.bytes = bytes != NULL ? bytes : "", .size = size};
}

/* ---- Versions ---- */

const pqt_map *
pqti_map_of(pqt_memory *memory, uint64_t kinds, const void *root, pqt_error *error)
{
    static pqti_layout layout = PQTI_VERSION_LAYOUT(pqti_map_calls, sizeof(pqt_map),
                                                    PQTI_REFERENCES(offsetof(pqt_map, root), 1));
    pqt_map *map = pqti_alloc_node(memory, &layout);
    if (map == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *map = (pqt_map){{0, pqti_sign_of_new(memory, PQT_KIND_MAP)},
                     memory,
                     root,
                     kinds,
                     pqti_map_sum_of_block(root)};
    return map;
}

static bool
is_null(const char *function, const pqt_map *map, const pqt_error *error)
{
    PQT_ASSERT_IN(function, map != NULL || pqti_may_be_null(error),
                  "the map is NULL, and no earlier error is set");
    return map == NULL;
}

bool
pqti_map_check_input_in(const char *function, const pqt_map *map, pqt_error *error)
{
    if (is_null(function, map, error))
        return false;
    pqti_assert_map_alive(function, map);
    return true;
}

bool
pqti_map_check_read_in(const char *function, const pqt_map *map, pqt_error *error)
{
    if (is_null(function, map, error))
        return false;
    pqti_assert_map_readable(function, map);
    return true;
}

static bool
validate_map_options(const pqt_map_options *options, pqt_error *error)
{
    if (options->keys != PQT_MAP_IDS && options->keys != PQT_MAP_BYTE_KEYS)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "keys is %d, not a pqt_map_keys",
                       (int)options->keys);
    else if (options->values != PQT_MAP_NUMBERS && options->values != PQT_MAP_BYTE_VALUES)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "values is %d, not a pqt_map_values",
                       (int)options->values);
    else
        return true;
    return false;
}

const pqt_map *
pqt_map_make(const pqt_map_options *options, pqt_error *error)
{
    pqt_map_options converted;
    options = pqti_options_read(&pqti_map_options_layout, options, &converted, error);
    if (options == NULL || !validate_map_options(options, error))
        return NULL;
    pqt_memory *memory = pqti_memory_or_default(options->memory, error);
    uint64_t kinds = options->keys == PQT_MAP_BYTE_KEYS ? PQTI_MAP_HAS_BYTE_KEYS : 0;
    kinds |= options->values == PQT_MAP_BYTE_VALUES ? PQTI_MAP_HAS_BYTE_VALUES : 0;
    return memory != NULL ? pqti_map_of(memory, kinds, NULL, error) : NULL;
}

pqt_memory *
pqt_map_memory(const pqt_map *map)
{
    PQTI_ASSERT_MAP(map);
    return map->memory;
}

void
pqt_map_get_options(const pqt_map *map, pqt_map_options *options)
{
    PQTI_ASSERT_MAP(map);
    pqt_map_options own = PQT_MAP_DEFAULTS;
    if ((map->kinds & PQTI_MAP_HAS_BYTE_KEYS) != 0)
        own.keys = PQT_MAP_BYTE_KEYS;
    if ((map->kinds & PQTI_MAP_HAS_BYTE_VALUES) != 0)
        own.values = PQT_MAP_BYTE_VALUES;
    own.memory = map->memory;
    pqti_options_write(__func__, &pqti_map_options_layout, &own, options);
}

size_t
pqt_map_count(const pqt_map *map)
{
    PQTI_ASSERT_MAP(map);
    return (size_t)pqti_map_count_of(map->root);
}

pqt_fingerprint
pqt_map_fingerprint(const pqt_map *map)
{
    PQTI_ASSERT_MAP(map);
    return map->fingerprint;
}

/* ---- Editing ---- */

/* Returns the version after an edit. */
static const pqt_map *
finish_editing(const pqt_map *map, const pqti_map_editing *m, bool done, pqt_error *error)
{
    if (!done)
        return NULL;
    return m->changed ? pqti_map_of(map->memory, map->kinds, m->root, error) : map;
}

static const pqt_map *
change_one(const char *function, const pqt_map *map, const pqt_map_change *change, pqt_error *error)
{
    if (!pqti_map_check_input_in(function, map, error))
        return NULL;
    pqti_map_editing m = pqti_map_begin_editing(function, map, NULL);
    return finish_editing(map, &m, pqti_map_change(&m, change, error), error);
}

const pqt_map *
pqt_map_insert(const pqt_map *map, pqt_map_key key, pqt_map_value value, pqt_error *error)
{
    const pqt_map_change change = {PQT_MAP_INSERT, key, value};
    return change_one(__func__, map, &change, error);
}

const pqt_map *
pqt_map_remove(const pqt_map *map, pqt_map_key key, pqt_error *error)
{
    const pqt_map_change change = {.kind = PQT_MAP_REMOVE, .key = key};
    return change_one(__func__, map, &change, error);
}

const pqt_map *
pqt_map_apply(const pqt_map *map, const pqt_map_change *changes, size_t count, pqt_error *error)
{
    PQT_ASSERT(changes != NULL || count == 0, "changes is NULL, and count is not 0");
    if (!pqti_map_check_input(map, error))
        return NULL;
    pqti_map_editing m = pqti_map_begin_editing(__func__, map, NULL);
    return finish_editing(map, &m, pqti_map_change_all(&m, changes, count, error), error);
}

/* ---- Reading ---- */

/* Returns the slot of a byte string, or NULL. */
static const pqti_map_slot *
find_byte_key(const pqt_map *map, const pqt_map_key *key)
{
    pqti_map_hashed hashed;
    return pqti_map_hash_key(&hashed, key) ? pqti_map_find_slot(map->root, 0, hashed) : NULL;
}

bool
pqt_map_find(const pqt_map *map, pqt_map_key key, pqt_map_value *found)
{
    PQTI_ASSERT_MAP(map);
    const bool takes_key = pqti_map_takes_key(map->kinds, &key);
    PQT_ASSERT(takes_key, "the key is an id, and the keys of the map are byte strings, or vice "
                          "versa: see pqt_map_id and pqt_map_text");
    if (!takes_key)
        return false;
    const pqti_map_slots slot = {key.bytes == NULL
                                     ? pqti_map_find_id_slot(map->root, 0, pqti_id_key(key.id))
                                     : find_byte_key(map, &key),
                                 map->kinds};
    if (slot.at != NULL && found != NULL)
        *found = pqti_map_public_value(&slot);
    return slot.at != NULL;
}

enum { CHUNK = 64 /* entries that are passed to a visitor together */ };

/* Entries in the form of the caller, and the visitor that gets them. */
typedef struct entry_chunk {
    pqt_visit_map_entries_fn *visit;
    void *context;
    uint64_t kinds;
    size_t count;
    size_t most; /* the limit of the next call in entries; it doubles up to CHUNK, so a visitor that
                    stops soon has not waited for many */
    pqt_map_entry entries[CHUNK];
} entry_chunk;

static inline bool
flush_chunk(entry_chunk *chunk)
{
    const size_t count = chunk->count;
    chunk->count = 0;
    chunk->most = 2 * chunk->most < CHUNK ? 2 * chunk->most : CHUNK;
    return count == 0 || chunk->visit(chunk->entries, count, chunk->context);
}

/* Adds the entries of a leaf, for which there is room. */
static inline void
add_leaf(entry_chunk *chunk, const void *leaf)
{
    const uint64_t count = pqti_map_count_of(leaf);
    const pqti_map_slot *slots = pqti_map_slots_of(leaf).at;
    pqt_map_entry *next = &chunk->entries[chunk->count];
    chunk->count += count;
    if ((chunk->kinds & PQTI_MAP_HAS_CELLS) == 0) {
        for (uint64_t i = 0; i < count; i++)
            next[i] =
                (pqt_map_entry){{.id = pqti_id_of_key(slots[i].hash)}, {.number = slots[i].number}};
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        pqti_prefetch(slots[i].cell);
    for (uint64_t i = 0; i < count; i++) {
        const pqti_map_slots slot = {&slots[i], chunk->kinds};
        next[i] = (pqt_map_entry){pqti_map_public_key(&slot), pqti_map_public_value(&slot)};
    }
}

/* Adds the entries of a block. Returns false if the visitor stopped. */
static bool
visit_block(entry_chunk *chunk, const void *block)
{
    if (!pqti_map_is_inner(block)) {
        if (chunk->count > chunk->most - PQTI_MAP_LEAF && !flush_chunk(chunk))
            return false;
        add_leaf(chunk, block);
        return true;
    }
    for (unsigned i = 0; i < PQTI_MAP_BRANCHES; i++)
        map_prefetch(map_child(block, i));
    for (unsigned i = 0; i < PQTI_MAP_BRANCHES; i++)
        if (!visit_block(chunk, map_child(block, i)))
            return false;
    return true;
}

static bool
visit_chunks(const pqt_map *map, pqt_visit_map_entries_fn *visit, void *context)
{
    entry_chunk chunk; /* not initialised, because only entries that were written are read */
    chunk.visit = visit;
    chunk.context = context;
    chunk.kinds = map->kinds;
    chunk.count = 0;
    chunk.most = PQTI_MAP_LEAF;
    return visit_block(&chunk, map->root) && flush_chunk(&chunk);
}

bool
pqt_map_visit_entries(const pqt_map *map, pqt_visit_map_entries_fn *visit, void *context)
{
    PQT_ASSERT(map != NULL && visit != NULL, "the map or the visitor is NULL");
    pqti_assert_map_readable(__func__, map);
    return visit_chunks(map, visit, context);
}

typedef struct entry_visitor {
    pqt_visit_map_entry_fn *visit;
    void *context;
} entry_visitor;

static bool
visit_each(const pqt_map_entry *entries, size_t count, void *context)
{
    const entry_visitor *visitor = context;
    for (size_t i = 0; i < count; i++)
        if (!visitor->visit(&entries[i], visitor->context))
            return false;
    return true;
}

bool
pqt_map_visit(const pqt_map *map, pqt_visit_map_entry_fn *visit, void *context)
{
    PQT_ASSERT(map != NULL && visit != NULL, "the map or the visitor is NULL");
    pqti_assert_map_readable(__func__, map);
    entry_visitor visitor = {visit, context};
    return visit_chunks(map, visit_each, &visitor);
}

static bool
equal_leaves(const void *a, const void *b)
{
    const pqti_map_slots x = pqti_map_slots_of(a), y = pqti_map_slots_of(b);
    for (uint64_t i = 0; i < pqti_map_count_of(a); i++) {
        const pqti_map_slots p = pqti_map_slot_at(x, i), q = pqti_map_slot_at(y, i);
        if (pqti_map_compare(pqti_map_key_of(p), pqti_map_key_of(q)) != 0 ||
            !pqti_map_equal_values(&p, &q))
            return false;
    }
    return true;
}

/* Maps with equal entries have equal shapes, so maps of different shapes cannot be equal. */
static bool
equal_blocks(const void *a, const void *b)
{
    if (a == b)
        return true;
    if (pqti_map_count_of(a) != pqti_map_count_of(b))
        return false;
    if (!pqti_map_is_inner(a))
        return equal_leaves(a, b);
    for (unsigned i = 0; i < PQTI_MAP_BRANCHES; i++)
        if (!equal_blocks(map_child(a, i), map_child(b, i)))
            return false;
    return true;
}

bool
pqti_map_equals(const pqt_map *a, const pqt_map *b)
{
    return a == b || (a->kinds == b->kinds &&
                      memcmp(&a->fingerprint, &b->fingerprint, sizeof a->fingerprint) == 0 &&
                      equal_blocks(a->root, b->root));
}

bool
pqt_map_equals(const pqt_map *a, const pqt_map *b)
{
    PQT_ASSERT(a != NULL && b != NULL, "a map is NULL");
    pqti_assert_map_readable(__func__, a);
    pqti_assert_map_readable(__func__, b);
    return pqti_map_equals(a, b);
}
