/* SPDX-License-Identifier: MIT */
/*
 * bytes_tree.c: writes and reads a tree as sections: TREE; its items in tree order, in ITEM
 * sections; and DONE.
 *
 * Nodes, quantised boxes and fingerprints are recomputed from the items. The sides max.x and
 * max.y of a box are stored as min xor max, which is 0 for a point and takes no byte.
 */
#include "config.h"

#include <pqt/bytes.h>

#include "base/error_internal.h"
#include "base/fp.h"
#include "base/validate.h"
#include "io/bytes_internal.h"
#include "memory/memory_internal.h"
#include "tree/item_hash.h"
#include "tree/sorted_items.h"
#include "tree/tree_internal.h"

enum {
    COLUMNS = 5, /* min.x, min.y, max.x xor min.x, max.y xor min.y, id */
    ROWS = PQTI_SECTION_WORDS / COLUMNS,
    TREE_SIZE = 40,
    STRICT_BOUNDS = 1, /* a bit of the flags */
    UNIQUE_IDS = 2
};

/* ---- Writing ---- */

typedef struct item_writer {
    pqti_writer *writer;
    uint64_t *words; /* COLUMNS times ROWS words */
    size_t rows;
} item_writer;

static bool
write_block(item_writer *items)
{
    const size_t rows = items->rows;
    items->rows = 0;
    return pqti_section_write_columns(items->writer, "ITEM", items->words, ROWS, COLUMNS, rows);
}

static bool
write_item(const pqt_item *item, void *context)
{
    item_writer *items = context;
    const uint64_t min_x = pqti_bits_of(item->box.min.x), min_y = pqti_bits_of(item->box.min.y);
    uint64_t *word = items->words + items->rows++;
    word[0] = min_x;
    word[ROWS] = min_y;
    word[2 * ROWS] = pqti_bits_of(item->box.max.x) ^ min_x;
    word[3 * ROWS] = pqti_bits_of(item->box.max.y) ^ min_y;
    word[4 * ROWS] = item->id;
    return items->rows < ROWS || write_block(items);
}

/* Writes the sections of a tree. Returns false and sets the error on failure. */
static bool
write_items(pqti_writer *writer, const pqt_tree *tree)
{
    item_writer items = {writer, pqti_alloc_scratch(PQTI_SECTION_WORDS, sizeof *items.words), 0};
    if (items.words == NULL) {
        pqti_out_of_memory(writer->error);
        return false;
    }
    const bool written =
        pqt_tree_visit(tree, NULL, write_item, &items) && (items.rows == 0 || write_block(&items));
    pqti_free_scratch(items.words);
    return written;
}

void
pqti_section_put_bounds(pqti_writer *writer, const pqt_box *bounds)
{
    pqti_section_put_double(writer, bounds->min.x);
    pqti_section_put_double(writer, bounds->min.y);
    pqti_section_put_double(writer, bounds->max.x);
    pqti_section_put_double(writer, bounds->max.y);
}

static bool
write_tree_section(pqti_writer *writer, const pqt_tree *tree)
{
    const pqt_tree_options *options = &tree->domain->options;
    pqti_section_begin(writer, "TREE");
    pqti_section_put_bounds(writer, &tree->domain->bounds);
    pqti_section_put(writer, tree->count, 4);
    pqti_section_put(writer, (uint64_t)options->leaf_capacity, 2);
    pqti_section_put(writer, (uint64_t)options->max_depth, 1);
    pqti_section_put(
        writer,
        (options->strict_bounds ? STRICT_BOUNDS : 0u) | (options->unique_ids ? UNIQUE_IDS : 0u), 1);
    return pqti_section_end(writer);
}

static bool
write_sections(pqti_writer *writer, const void *version)
{
    const pqt_tree *tree = version;
    return write_tree_section(writer, tree) && write_items(writer, tree) &&
           pqti_write_done(writer, tree->fingerprint);
}

/* If the ids of a tree are pointers, sets the error and returns false. */
static bool
may_write(const void *version, pqt_error *error)
{
    const pqt_tree *tree = version;
    if (!tree->domain->options.ids_are_pointers)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0,
                   "ids are pointers, which mean nothing outside this process");
    return false;
}

/* ---- Reading ---- */

pqt_box
pqti_section_get_bounds(pqti_reader *reader)
{
    const double min_x = pqti_section_get_double(reader), min_y = pqti_section_get_double(reader);
    const double max_x = pqti_section_get_double(reader), max_y = pqti_section_get_double(reader);
    return (pqt_box){{min_x, min_y}, {max_x, max_y}};
}

bool
pqti_check_bounds_zeros(pqti_reader *reader, const pqt_box *bounds)
{
    return pqti_box_is_canonical(bounds) || pqti_section_fault(reader, "bounds: a number is -0.0");
}

/* Reads the TREE section and returns an empty tree with its bounds and options. Returns NULL and
   sets the error on failure. */
static const pqt_tree *
read_tree_section(pqti_reader *reader, pqt_memory *memory, size_t *count)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_error failure = {0};
    if (!pqti_section_read(reader, "TREE", TREE_SIZE, TREE_SIZE))
        return NULL;
    const pqt_box bounds = pqti_section_get_bounds(reader);
    *count = (size_t)pqti_section_get(reader, 4);
    options.leaf_capacity = (int)pqti_section_get(reader, 2);
    options.max_depth = (int)pqti_section_get(reader, 1);
    const unsigned flags = (unsigned)pqti_section_get(reader, 1);
    options.strict_bounds = (flags & STRICT_BOUNDS) != 0;
    options.unique_ids = (flags & UNIQUE_IDS) != 0;
    options.memory = memory;
    if (flags > (STRICT_BOUNDS | UNIQUE_IDS)) {
        pqti_section_fault(reader, "flags have unknown bits (%d)", (int)flags);
        return NULL;
    }
    if (*count > PQT_MAX_ITEMS) {
        pqti_section_fault(reader, "%zu items, the maximum is %d", *count, PQT_MAX_ITEMS);
        return NULL;
    }
    const pqt_tree *empty = pqti_tree_make(&bounds, &options, &failure);
    if (empty == NULL)
        pqti_section_fault_of(reader, &failure);
    else if (!pqti_check_bounds_zeros(reader, &bounds))
        empty = NULL;
    return empty;
}

static void
items_of_words(const uint64_t *words, size_t rows, pqt_item *items)
{
    for (size_t i = 0; i < rows; i++) {
        const uint64_t *word = words + i;
        const uint64_t min_x = word[0], min_y = word[ROWS];
        items[i].box.min = (pqt_vec){pqti_double_of(min_x), pqti_double_of(min_y)};
        items[i].box.max = (pqt_vec){pqti_double_of(word[2 * ROWS] ^ min_x),
                                     pqti_double_of(word[3 * ROWS] ^ min_y)};
        items[i].id = word[4 * ROWS];
    }
}

/* Reads the next ITEM section. Returns false and sets the error on failure. */
static bool
read_block(pqti_reader *reader, uint64_t *words, pqti_sorted_items *sorted)
{
    pqt_error failure = {0};
    const size_t rows = pqti_section_read_columns(reader, "ITEM", words, ROWS, COLUMNS,
                                                  sorted->most - sorted->count);
    if (rows == 0)
        return false;
    pqt_item *items = pqti_sorted_items_reserve(sorted, rows);
    if (items == NULL) {
        pqti_out_of_memory(reader->error);
        return false;
    }
    items_of_words(words, rows, items);
    return pqti_sorted_items_add(sorted, rows, &failure) || pqti_section_fault_of(reader, &failure);
}

/* Reads all ITEM sections and returns the tree with their items. Returns NULL and sets the error on
   failure. */
static const pqt_tree *
read_items(pqti_reader *reader, pqti_sorted_items *sorted)
{
    uint64_t *words = pqti_alloc_scratch(PQTI_SECTION_WORDS, sizeof *words);
    pqt_error failure = {0};
    bool read = words != NULL;
    if (!read)
        pqti_out_of_memory(reader->error);
    while (read && sorted->count < sorted->most)
        read = read_block(reader, words, sorted);
    pqti_free_scratch(words);
    if (!read)
        return NULL;
    const pqt_tree *tree = pqti_sorted_items_build(sorted, &failure);
    if (tree == NULL)
        pqti_section_fault_of(reader, &failure);
    return tree;
}

static const void *
read_sections(pqti_reader *reader, pqt_memory *memory)
{
    pqti_sorted_items sorted = {0};
    sorted.empty = read_tree_section(reader, memory, &sorted.most);
    if (sorted.empty == NULL)
        return NULL;
    const pqt_tree *tree = read_items(reader, &sorted);
    pqti_sorted_items_free(&sorted);
    return tree != NULL && pqti_read_done(reader, tree->fingerprint) ? tree : NULL;
}

const pqti_kind_bytes pqti_tree_bytes = {
    .may_write = may_write,
    .write_sections = write_sections,
    .read_sections = read_sections,
};
