/* SPDX-License-Identifier: MIT */
/*
 * map_entry.c: handles the entries of maps: hashes of keys, sums of entries, cells.
 *
 * A byte string is hashed as little-endian words of eight bytes on every machine, in the same hash
 * chain as the words of an item (tree/item_hash.h). The size is hashed first, so that a string and
 * its prefix have different hashes.
 */
#include "config.h"

#include "map/map_entry.h"

#include <stdio.h>

#include "base/error_internal.h"

enum { WORD = 8 };

static uint64_t hash_mask = UINT64_MAX;

void
pqti_map_weaken_hash(unsigned bits)
{
    hash_mask = bits == 0 ? 0 : UINT64_MAX << (64 - bits);
}

/* ---- Hashes ---- */

static uint64_t
word_at(const unsigned char *bytes, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size && i < WORD; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static uint64_t
combine_bytes(uint64_t state, const unsigned char *bytes, size_t size, uint64_t odd)
{
    state = pqti_hash_combine(state, size, odd);
    for (size_t i = 0; i < size; i += WORD)
        state = pqti_hash_combine(state, word_at(bytes + i, size - i), odd);
    return state;
}

static uint64_t
hash_of_bytes(const unsigned char *bytes, size_t size)
{
    const uint64_t state =
        combine_bytes(UINT64_C(0x3c6ef372fe94f82b), bytes, size, UINT64_C(0x9fb21c651e98df25));
    return pqti_hash_mix64(state) & hash_mask;
}

bool
pqti_map_hash_key(pqti_map_hashed *hashed, const pqt_map_key *key)
{
    if (key->bytes == NULL)
        *hashed = (pqti_map_hashed){pqti_id_key(key->id), NULL, 0};
    else if (key->size <= PQT_MAX_MAP_KEY)
        *hashed = (pqti_map_hashed){hash_of_bytes(key->bytes, key->size), key->bytes, key->size};
    else
        return false;
    return true;
}

/* ---- Order ---- */

int
pqti_map_compare_bytes(pqti_map_hashed a, pqti_map_hashed b)
{
    const int order = memcmp(a.bytes, b.bytes, a.size < b.size ? a.size : b.size);
    if (order != 0)
        return order;
    /* If the common bytes are equal, the rest of the longer string is compared with zeros. The
       longer string always comes last, because of either a byte that is not 0 or its size. */
    return a.size == b.size ? 0 : a.size < b.size ? -1 : 1;
}

/* Returns one bit of the bytes of a key, which are padded with zeros and followed by the size of
   the key. Bit 0 is the most significant bit of the first byte. */
static unsigned
bit_of(pqti_map_hashed key, unsigned bit)
{
    const unsigned i = bit / 8;
    const unsigned byte = i == PQT_MAX_MAP_KEY ? (unsigned)key.size
                          : i < key.size       ? key.bytes[i]
                                               : 0;
    return byte >> (7 - bit % 8) & 1;
}

unsigned
pqti_map_bytes_digit(pqti_map_hashed key, unsigned level)
{
    unsigned digit = 0;
    for (unsigned i = 0; i < PQTI_MAP_BITS; i++)
        digit = digit << 1 | bit_of(key, level * PQTI_MAP_BITS + i);
    return digit;
}

/* ---- Entries ---- */

static const unsigned char *
value_bytes(const pqti_map_cell *cell)
{
    return cell->bytes + cell->key_size;
}

void
pqti_map_name_key(char name[PQTI_MAP_NAME_SIZE], const pqt_map_key *key)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *bytes = key->bytes;
    if (bytes == NULL) {
        snprintf(name, PQTI_MAP_NAME_SIZE, "id %llu", (unsigned long long)key->id);
        return;
    }
    memcpy(name, "key \"", 5);
    name += 5;
    for (size_t i = 0; i < key->size && i < PQT_MAX_MAP_KEY; i++) {
        if (bytes[i] >= ' ' && bytes[i] < 0x7f) {
            *name++ = (char)bytes[i];
            continue;
        }
        *name++ = '\\';
        *name++ = 'x';
        *name++ = digits[bytes[i] >> 4];
        *name++ = digits[bytes[i] & 15];
    }
    memcpy(name, "\"", 2);
}

pqt_map_key
pqti_map_public_key(const pqti_map_slots *slot)
{
    if ((slot->kinds & PQTI_MAP_HAS_BYTE_KEYS) == 0)
        return (pqt_map_key){.id = pqti_id_of_key(slot->at->hash)};
    return (pqt_map_key){.bytes = slot->at->cell->bytes, .size = (size_t)slot->at->cell->key_size};
}

pqt_map_value
pqti_map_public_value(const pqti_map_slots *slot)
{
    if ((slot->kinds & PQTI_MAP_HAS_BYTE_VALUES) != 0)
        return (pqt_map_value){.bytes = value_bytes(slot->at->cell),
                               .size = (size_t)slot->at->cell->number};
    const bool has_cell = (slot->kinds & PQTI_MAP_HAS_CELLS) != 0;
    return (pqt_map_value){.number = has_cell ? slot->at->cell->number : slot->at->number};
}

bool
pqti_map_has_value(const pqti_map_slots *slot, const pqt_map_value *value)
{
    const pqt_map_value own = pqti_map_public_value(slot);
    if ((slot->kinds & PQTI_MAP_HAS_BYTE_VALUES) == 0)
        return own.number == value->number;
    return own.size == value->size &&
           (own.size == 0 || memcmp(own.bytes, value->bytes, own.size) == 0);
}

bool
pqti_map_equal_values(const pqti_map_slots *a, const pqti_map_slots *b)
{
    if ((a->kinds & PQTI_MAP_HAS_CELLS) == 0)
        return a->at->number == b->at->number;
    const pqt_map_value value = pqti_map_public_value(b);
    return a->at->cell == b->at->cell || pqti_map_has_value(a, &value);
}

const pqti_map_slot *
pqti_map_find_slot(const void *block, unsigned level, pqti_map_hashed key)
{
    if (key.bytes == NULL)
        return pqti_map_find_id_slot(block, level, key.hash);
    while (pqti_map_is_inner(block))
        block = ((const pqti_map_inner *)block)->child[pqti_map_digit(key, level++)];
    const pqti_map_slots slots = pqti_map_slots_of(block);
    for (uint64_t i = 0; i < pqti_map_count_of(block); i++) {
        const pqti_map_slots slot = pqti_map_slot_at(slots, i);
        if (pqti_map_compare(pqti_map_key_of(slot), key) == 0)
            return slot.at;
    }
    return NULL;
}

/* ---- Sums ---- */

static uint64_t
hash_entry(uint64_t state, const pqt_map_key *key, const pqt_map_value *value, uint64_t kinds,
           uint64_t odd)
{
    state = (kinds & PQTI_MAP_HAS_BYTE_KEYS) != 0 ? combine_bytes(state, key->bytes, key->size, odd)
                                                  : pqti_hash_combine(state, key->id, odd);
    state = (kinds & PQTI_MAP_HAS_BYTE_VALUES) != 0
                ? combine_bytes(state, value->bytes, value->size, odd)
                : pqti_hash_combine(state, value->number, odd);
    return pqti_hash_mix64(state);
}

static pqt_fingerprint
sum_of_entry(const pqt_map_key *key, const pqt_map_value *value, uint64_t kinds)
{
    return (pqt_fingerprint){
        hash_entry(UINT64_C(0xbb67ae8584caa73b), key, value, kinds, UINT64_C(0xd6e8feb86659fd93)),
        hash_entry(UINT64_C(0xa54ff53a5f1d36f1), key, value, kinds, UINT64_C(0xaf251af3b0f025b5))};
}

pqt_fingerprint
pqti_map_compute_sum(const pqti_map_slots *slot)
{
    const pqt_map_key key = pqti_map_public_key(slot);
    const pqt_map_value value = pqti_map_public_value(slot);
    return sum_of_entry(&key, &value, slot->kinds);
}

pqt_fingerprint
pqti_map_sum_of(const pqti_map_slots *slot)
{
    return (slot->kinds & PQTI_MAP_HAS_CELLS) != 0 ? slot->at->cell->sum
                                                   : pqti_map_compute_sum(slot);
}

pqt_fingerprint
pqti_map_sum_of_block(const void *block)
{
    if (pqti_map_is_inner(block))
        return ((const pqti_map_inner *)block)->sum;
    pqt_fingerprint sum = {0, 0};
    const pqti_map_slots slots = pqti_map_slots_of(block);
    for (uint64_t i = 0; i < pqti_map_count_of(block); i++) {
        const pqti_map_slots slot = pqti_map_slot_at(slots, i);
        const pqt_fingerprint one = pqti_map_sum_of(&slot);
        sum.low += one.low;
        sum.high += one.high;
    }
    return sum;
}

/* ---- Cells ---- */

static size_t
size_of_cell(size_t key_size, size_t value_size)
{
    return pqti_rounded(sizeof(pqti_map_cell) + key_size + value_size);
}

size_t
pqti_map_cell_size(const pqti_map_cell *cell, uint64_t kinds)
{
    return size_of_cell((size_t)cell->key_size,
                        (kinds & PQTI_MAP_HAS_BYTE_VALUES) != 0 ? (size_t)cell->number : 0);
}

size_t
pqti_map_leaf_size(uint64_t count)
{
    return pqti_rounded(sizeof(pqti_map_leaf) + (size_t)count * sizeof(pqti_map_slot));
}

static void *
alloc_leaf(const pqti_map_home *home, size_t size)
{
    return home->owner != NULL ? pqti_owner_alloc_leaf(home->owner, size)
                               : pqti_alloc_leaf(home->memory, size);
}

static void *
alloc_node(const pqti_map_home *home, pqti_layout *layout)
{
    return home->owner != NULL ? pqti_owner_alloc_node(home->owner, layout)
                               : pqti_alloc_node(home->memory, layout);
}

static void
copy_bytes(unsigned char *to, const void *from, size_t size)
{
    if (size > 0)
        memcpy(to, from, size);
}

const pqti_map_cell *
pqti_map_make_cell(const pqti_map_home *home, const pqti_map_edit *edit)
{
    const bool has_bytes = (edit->kinds & PQTI_MAP_HAS_BYTE_VALUES) != 0;
    const size_t value_size = has_bytes ? edit->value.size : 0;
    if (value_size > SIZE_MAX / 2)
        return NULL;
    pqti_map_cell *cell = alloc_leaf(home, size_of_cell(edit->key.size, value_size));
    if (cell == NULL)
        return NULL;
    const pqt_map_key key = {
        .id = pqti_id_of_key(edit->key.hash), .bytes = edit->key.bytes, .size = edit->key.size};
    cell->sum = sum_of_entry(&key, &edit->value, edit->kinds);
    cell->number = has_bytes ? value_size : edit->value.number;
    cell->key_size = edit->key.size;
    copy_bytes(cell->bytes, edit->key.bytes, key.size);
    copy_bytes(cell->bytes + key.size, edit->value.bytes, value_size);
    return cell;
}

const pqti_map_cell *
pqti_map_copy_cell(pqt_memory *memory, const pqti_map_cell *cell, uint64_t kinds)
{
    const size_t size = pqti_map_cell_size(cell, kinds);
    pqti_map_cell *copy = pqti_alloc_leaf(memory, size);
    if (copy != NULL)
        memcpy(copy, cell, size);
    return copy;
}

/* ---- Blocks ---- */

/* The words of the first `count` cells of a leaf. The last word of a leaf is a hash. */
#define CELL_WORD(i) PQTI_REFERENCES(sizeof(pqti_map_leaf) + (i) * sizeof(pqti_map_slot), 1)
#define LEAF_LAYOUT(count)                                                                         \
    PQTI_REFERRING_LEAF_LAYOUT(                                                                    \
        sizeof(pqti_map_leaf) + (count) * sizeof(pqti_map_slot),                                   \
        ((count) > 0 ? CELL_WORD(0) : 0) | ((count) > 1 ? CELL_WORD(1) : 0) |                      \
            ((count) > 2 ? CELL_WORD(2) : 0) | ((count) > 3 ? CELL_WORD(3) : 0) |                  \
            ((count) > 4 ? CELL_WORD(4) : 0) | ((count) > 5 ? CELL_WORD(5) : 0) |                  \
            ((count) > 6 ? CELL_WORD(6) : 0) | ((count) > 7 ? CELL_WORD(7) : 0))

/* The layouts of leaves with cells, by the number of their entries. */
static pqti_layout leaf_layouts[PQTI_MAP_LEAF + 1] = {
    LEAF_LAYOUT(0), LEAF_LAYOUT(1), LEAF_LAYOUT(2), LEAF_LAYOUT(3), LEAF_LAYOUT(4),
    LEAF_LAYOUT(5), LEAF_LAYOUT(6), LEAF_LAYOUT(7), LEAF_LAYOUT(8)};

static pqti_layout inner_layout = PQTI_LAYOUT(
    sizeof(pqti_map_inner), PQTI_REFERENCES(offsetof(pqti_map_inner, child), PQTI_MAP_BRANCHES));

const void *
pqti_map_make_leaf(const pqti_map_home *home, const pqti_map_slot *slots, size_t count)
{
    PQT_INVARIANT(count > 0 && count <= PQTI_MAP_LEAF, "a leaf does not hold 1 to 8 entries");
    pqti_map_leaf *leaf = (home->kinds & PQTI_MAP_HAS_CELLS) != 0
                              ? alloc_node(home, &leaf_layouts[count])
                              : alloc_leaf(home, pqti_map_leaf_size(count));
    if (leaf == NULL)
        return NULL;
    leaf->head = count | home->kinds;
    memcpy(leaf->slots, slots, count * sizeof *slots);
    return leaf;
}

static void
replace_sum(pqt_fingerprint *sum, const void *removed, const void *added)
{
    const pqt_fingerprint a = pqti_map_sum_of_block(added), b = pqti_map_sum_of_block(removed);
    sum->low += a.low - b.low;
    sum->high += a.high - b.high;
}

const void *
pqti_map_make_inner(const pqti_map_home *home, const pqti_map_inner *before,
                    const void *const child[PQTI_MAP_BRANCHES], uint64_t count)
{
    pqti_map_inner *inner = alloc_node(home, &inner_layout);
    if (inner == NULL)
        return NULL;
    inner->head = count | home->kinds;
    memcpy(inner->child, child, sizeof inner->child);
    if (before != NULL)
        inner->sum = before->sum;
    for (unsigned i = 0; i < PQTI_MAP_BRANCHES; i++) {
        const void *replaced = before != NULL ? before->child[i] : NULL;
        if (child[i] != replaced)
            replace_sum(&inner->sum, replaced, child[i]);
    }
    return inner;
}

const void *
pqti_map_copy_inner(const pqti_map_home *home, const pqti_map_inner *before, unsigned i,
                    const void *child, uint64_t count, pqt_fingerprint change)
{
    pqti_map_inner *inner = alloc_node(home, &inner_layout);
    if (inner == NULL)
        return NULL;
    *inner = *before;
    pqti_map_change_inner(inner, i, child, count, change);
    return inner;
}

void
pqti_map_drop(const pqti_map_home *home, const void *block)
{
    if (home->owner == NULL)
        return;
    const size_t count = (size_t)pqti_map_count_of(block);
    if (pqti_map_is_inner(block))
        pqti_drop_node(home->owner, block, inner_layout.size);
    else if ((home->kinds & PQTI_MAP_HAS_CELLS) != 0)
        pqti_drop_leaf_of(home->owner, block, &leaf_layouts[count]);
    else
        pqti_drop_leaf(home->owner, block, pqti_map_leaf_size(count));
}

void
pqti_map_drop_replaced(const pqti_map_home *home, const pqti_map_slot *slot)
{
    if (slot != NULL && home->owner != NULL && (home->kinds & PQTI_MAP_HAS_CELLS) != 0)
        pqti_drop_leaf(home->owner, slot->cell, pqti_map_cell_size(slot->cell, home->kinds));
}
