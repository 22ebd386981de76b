/* SPDX-License-Identifier: MIT */
/*
 * map_entry.h: the blocks of a map, and the hashes, sums and cells of its entries.
 *
 *     inner block  {head, 8 children, sum}
 *     leaf         {head, slots}            slot: {number or cell, hash}, in key order
 *     cell         {sum, number, key size, bytes of the key and of the value}
 *
 * A head contains the number of entries and the kinds of the map. Maps from ids to numbers have no
 * cells: the hash function for ids is a bijection, so the slot alone represents the entry. In other
 * maps, a slot points to a cell, which versions share like any block.
 *
 * The positions of pointers in a block are fixed: words 1 to 8 of an inner block; words 1, 3, 5 and
 * so on of a leaf with cells, one per entry.
 *
 * Keys are ordered by hash, then by their bytes padded with zeros, then by size. The digits of a
 * key follow this order: 22 levels of digits from the hash, then 88 levels of digits from the bytes
 * and the size. So two different keys differ in at least one digit.
 */
#ifndef PQTI_MAP_ENTRY_H
#define PQTI_MAP_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pqt/map.h>

#include "base/hash.h"
#include "memory/memory_internal.h"
#include "memory/owner.h"

enum {
    PQTI_MAP_BITS = 3,
    PQTI_MAP_BRANCHES = 1 << PQTI_MAP_BITS,
    PQTI_MAP_LEAF = 8,
    PQTI_MAP_HASH_LEVELS = 22,
    PQTI_MAP_LEVELS = PQTI_MAP_HASH_LEVELS + 8 * (PQT_MAX_MAP_KEY + 1) / PQTI_MAP_BITS
};

_Static_assert(8 * (PQT_MAX_MAP_KEY + 1) % PQTI_MAP_BITS == 0,
               "a key does not consist of whole digits");

/* The bits of a head that give the kinds of the map. */
#define PQTI_MAP_HAS_BYTE_KEYS (UINT64_C(1) << 63)
#define PQTI_MAP_HAS_BYTE_VALUES (UINT64_C(1) << 62)
#define PQTI_MAP_HAS_CELLS (PQTI_MAP_HAS_BYTE_KEYS | PQTI_MAP_HAS_BYTE_VALUES)

typedef struct pqti_map_cell {
    pqt_fingerprint sum; /* the fingerprint of the entry; the map has the sum of these */
    uint64_t number;     /* the value, or the size of a value that is a byte string */
    uint64_t key_size;   /* 0 if the keys are ids */
    unsigned char bytes[];
} pqti_map_cell;

typedef struct pqti_map_slot {
    union {
        uint64_t number;
        const pqti_map_cell *cell;
    };
    uint64_t hash; /* for an id, its pqti_id_key */
} pqti_map_slot;

typedef struct pqti_map_leaf {
    uint64_t head;
    pqti_map_slot slots[];
} pqti_map_leaf;

typedef struct pqti_map_inner {
    uint64_t head;
    const void *child[PQTI_MAP_BRANCHES];
    pqt_fingerprint sum; /* the sum of the fingerprints of the entries below */
} pqti_map_inner;

/* A pointer to a slot of a leaf and the slots after it, together with the kinds of their map. */
typedef struct pqti_map_slots {
    const pqti_map_slot *at;
    uint64_t kinds;
} pqti_map_slots;

/* A key in the form that comparisons use. Its bytes are those of a cell, or the caller's. */
typedef struct pqti_map_hashed {
    uint64_t hash;
    const unsigned char *bytes; /* NULL if the keys are ids */
    size_t size;                /* at most PQT_MAX_MAP_KEY; 0 if the keys are ids */
} pqti_map_hashed;

/* An edit: a key and its new value, or a key to be removed. */
typedef struct pqti_map_edit {
    pqti_map_hashed key;
    pqt_map_value value;       /* the value to insert, if there is no cell yet */
    const pqti_map_cell *cell; /* a cell in the same memory; NULL: it is made when a leaf needs
                                  it */
    uint64_t kinds;
    bool removal;
} pqti_map_edit;

static inline uint64_t
pqti_map_count_of(const void *block)
{
    return block == NULL ? 0 : *(const uint64_t *)block & ~PQTI_MAP_HAS_CELLS;
}

static inline bool
pqti_map_is_inner(const void *block)
{
    return pqti_map_count_of(block) > PQTI_MAP_LEAF;
}

static inline pqti_map_slots
pqti_map_slots_of(const void *block)
{
    const pqti_map_leaf *leaf = block;
    if (leaf == NULL)
        return (pqti_map_slots){NULL, 0};
    return (pqti_map_slots){leaf->slots, leaf->head & PQTI_MAP_HAS_CELLS};
}

static inline pqti_map_slots
pqti_map_slot_at(pqti_map_slots slots, uint64_t i)
{
    return (pqti_map_slots){i == 0 ? slots.at : slots.at + i, slots.kinds};
}

static inline pqti_map_hashed
pqti_map_key_of(pqti_map_slots slot)
{
    const uint64_t hash = slot.at->hash;
    if ((slot.kinds & PQTI_MAP_HAS_BYTE_KEYS) == 0)
        return (pqti_map_hashed){hash, NULL, 0};
    return (pqti_map_hashed){hash, slot.at->cell->bytes, (size_t)slot.at->cell->key_size};
}

/* Compares two byte strings with equal hashes. Returns a value below 0, 0 or above 0. */
int pqti_map_compare_bytes(pqti_map_hashed a, pqti_map_hashed b);

static inline int
pqti_map_compare(pqti_map_hashed a, pqti_map_hashed b)
{
    if (a.hash != b.hash)
        return a.hash < b.hash ? -1 : 1;
    return a.bytes == NULL ? 0 : pqti_map_compare_bytes(a, b);
}

/* Returns a digit of a byte string. `level` is counted from the last level of the hash. */
unsigned pqti_map_bytes_digit(pqti_map_hashed key, unsigned level);

/* Returns the digit of a hash at a level. Level 0 has the most significant bits. At the last level,
   only one bit of the hash is left. */
static inline unsigned
pqti_map_digit(pqti_map_hashed key, unsigned level)
{
    if (level >= PQTI_MAP_HASH_LEVELS)
        return pqti_map_bytes_digit(key, level - PQTI_MAP_HASH_LEVELS);
    return (unsigned)(key.hash << (PQTI_MAP_BITS * level) >> (64 - PQTI_MAP_BITS));
}

/* Return true if a key or a value of the caller has the kind that the map has. Byte strings differ
   from ids and numbers in that their bytes are not NULL. */
static inline bool
pqti_map_takes_key(uint64_t kinds, const pqt_map_key *key)
{
    return (key->bytes != NULL) == ((kinds & PQTI_MAP_HAS_BYTE_KEYS) != 0);
}

static inline bool
pqti_map_takes_value(uint64_t kinds, const pqt_map_value *value)
{
    return (value->bytes != NULL) == ((kinds & PQTI_MAP_HAS_BYTE_VALUES) != 0);
}

/* The size of the name of a key in a message. */
enum { PQTI_MAP_NAME_SIZE = 4 * PQT_MAX_MAP_KEY + sizeof "key \"\"" };

/* Names a key for a message: `id 17`, or `key "cat"` with \x escapes for bytes that are not
   printable and for at most PQT_MAX_MAP_KEY bytes. */
void pqti_map_name_key(char name[PQTI_MAP_NAME_SIZE], const pqt_map_key *key);

/* Hashes a key, whose bytes stay the caller's. Returns false if the key is too long. */
bool pqti_map_hash_key(pqti_map_hashed *hashed, const pqt_map_key *key);

/* Returns the key and the value of an entry, as public types. */
pqt_map_key pqti_map_public_key(const pqti_map_slots *slot);
pqt_map_value pqti_map_public_value(const pqti_map_slots *slot);

/* Return true if the value of an entry equals `*value`, or if two entries have equal values. */
bool pqti_map_has_value(const pqti_map_slots *slot, const pqt_map_value *value);
bool pqti_map_equal_values(const pqti_map_slots *a, const pqti_map_slots *b);

/* Returns the slot of the id with a hash in a block at a level, or NULL if it has none. The digits
   are shifted out of the hash. */
static inline const pqti_map_slot *
pqti_map_find_id_slot(const void *block, unsigned level, uint64_t hash)
{
    uint64_t digits = hash << (PQTI_MAP_BITS * level);
    for (; pqti_map_is_inner(block); digits <<= PQTI_MAP_BITS)
        block = ((const pqti_map_inner *)block)->child[digits >> (64 - PQTI_MAP_BITS)];
    const pqti_map_slot *slot = pqti_map_slots_of(block).at;
    for (uint64_t left = pqti_map_count_of(block); left > 0; left--, slot++)
        if (slot->hash == hash)
            return slot;
    return NULL;
}

/* Returns the slot of a key in a block at a level, or NULL if it has none. */
const pqti_map_slot *pqti_map_find_slot(const void *block, unsigned level, pqti_map_hashed key);

/* Return the fingerprint of an entry. The first function takes it from the cell if there is one,
   the second computes it from the key and the value. */
pqt_fingerprint pqti_map_sum_of(const pqti_map_slots *slot);
pqt_fingerprint pqti_map_compute_sum(const pqti_map_slots *slot);

/* Returns the sum of the fingerprints of all entries of a block, or 0 for NULL. */
pqt_fingerprint pqti_map_sum_of_block(const void *block);

/* The memory of new blocks, the draft that owns them, and the kinds of their map. */
typedef struct pqti_map_home {
    pqt_memory *memory;
    pqti_owner *owner; /* NULL unless a draft edits */
    uint64_t kinds;
} pqti_map_home;

/*
 * Makes a leaf with 1 to PQTI_MAP_LEAF slots. Returns NULL if out of memory. A leaf with cells is
 * allocated as a node, since its slots are references.
 */
const void *pqti_map_make_leaf(const pqti_map_home *home, const pqti_map_slot *slots, size_t count);

/*
 * Makes an inner block for `count` entries. If `before` is not NULL, it is an inner block that
 * differs in few children, and the new sum is computed from its sum and those children. Returns
 * NULL if out of memory.
 */
const void *pqti_map_make_inner(const pqti_map_home *home, const pqti_map_inner *before,
                                const void *const child[PQTI_MAP_BRANCHES], uint64_t count);

/* Gives an inner block another child, which has `count` more entries (modulo 2^64), whose sums add
   up to `change`. */
static inline void
pqti_map_change_inner(pqti_map_inner *inner, unsigned i, const void *child, uint64_t count,
                      pqt_fingerprint change)
{
    inner->head += count;
    inner->child[i] = child;
    inner->sum.low += change.low;
    inner->sum.high += change.high;
}

/* Copies an inner block with another child, as pqti_map_change_inner changes one. Returns NULL if
   out of memory. */
const void *pqti_map_copy_inner(const pqti_map_home *home, const pqti_map_inner *before, unsigned i,
                                const void *child, uint64_t count, pqt_fingerprint change);

/* Makes the cell for an edit. Returns NULL if out of memory. */
const pqti_map_cell *pqti_map_make_cell(const pqti_map_home *home, const pqti_map_edit *edit);

/* Returns true if a draft that edits owns a block. */
static inline bool
pqti_map_owns(const pqti_map_home *home, const void *block)
{
    return home->owner != NULL && pqti_owns(home->owner, block);
}

/* Drop a block that an edit has replaced, or the cell of an entry, if a draft edits: see owner.h.
   The slot may be NULL. */
void pqti_map_drop(const pqti_map_home *home, const void *block);
void pqti_map_drop_replaced(const pqti_map_home *home, const pqti_map_slot *slot);

/* Copies a cell. Returns NULL if out of memory. */
const pqti_map_cell *pqti_map_copy_cell(pqt_memory *memory, const pqti_map_cell *cell,
                                        uint64_t kinds);

/* Returns the number of bytes that a cell requests from the memory. The second function does so for
   a leaf of `count` slots. */
size_t pqti_map_cell_size(const pqti_map_cell *cell, uint64_t kinds);
size_t pqti_map_leaf_size(uint64_t count);

/*
 * For tests with equal hashes: keeps only the upper `bits` bits of the hashes of byte strings; 64
 * keeps all bits. Like the allocation hook, this must be called before any map exists and while no
 * other thread uses the library.
 */
void pqti_map_weaken_hash(unsigned bits);

#endif
