/* SPDX-License-Identifier: MIT */
/*
 * bytes_region.c: writes and reads a region as sections: REGN; its squares from the root down, in
 * PIXL sections; and DONE.
 *
 * The description of a square begins with a two-bit code for each of its four children: empty,
 * full, described here, or equal to a square of the same size that was described before. The
 * children that are described here follow in order, each with everything below it. Squares of one
 * size are numbered in the order in which their descriptions begin. A tile is described by its
 * blocks of 8 x 8 pixels. Only blocks that are neither empty nor full take bytes.
 *
 * The writer first makes a copy in which all equal squares are shared (intern.c), in an arena of
 * its own. So the bytes do not depend on which squares the version shares.
 */
#include "config.h"

#include <pqt/bytes.h>

#include <string.h>

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "io/bytes_internal.h"
#include "io/little_endian.h"
#include "memory/block_table.h"
#include "memory/memory_internal.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

enum { REGION_SIZE = 10, NUMBER_SIZE = 4, LEVELS = PQTI_TOP_LEVEL + 1 };
enum { EMPTY = 0, FULL = 1, DESCRIBED = 2, REPEATED = 3 }; /* the two-bit codes for a child */

/* ---- Writing ---- */

typedef struct square_writer {
    pqti_writer *writer;
    pqti_hashtable numbers;   /* for each square that was described, its number plus 1 */
    size_t described[LEVELS]; /* the number of squares described so far, for each level */
} square_writer;

/* Adds bytes to the PIXL sections, each of which holds at most PQTI_BYTE_SECTION bytes. Returns
   false and sets the error on failure. */
static bool
put_bytes(square_writer *squares, const uint8_t *bytes, size_t count)
{
    pqti_writer *writer = squares->writer;
    while (count > 0) {
        const size_t room = PQTI_BYTE_SECTION - pqti_section_length(writer);
        const size_t part = count < room ? count : room;
        memcpy(pqti_section_tail(writer), bytes, part);
        pqti_section_add(writer, part);
        bytes += part;
        count -= part;
        if (part < room)
            continue;
        if (!pqti_section_end(writer))
            return false;
        pqti_section_begin(writer, "PIXL");
    }
    return true;
}

/* Returns a block as a word: byte i is row i of the block, that is, byte `x` of row 8 y + i of the
   tile. */
static uint64_t
block_of_rows(const uint64_t *rows, int x, int y)
{
    uint64_t block = 0;
    for (int i = 0; i < 8; i++)
        block |= (rows[8 * y + i] >> (8 * x) & 255) << (8 * i);
    return block;
}

static bool
put_tile(square_writer *squares, const pqti_tile *tile)
{
    uint8_t bytes[16 + 64 * 8], *to = bytes + 16;
    pqti_store_le64(bytes, tile->occupied);
    pqti_store_le64(bytes + 8, tile->full);
    for (int b = 0; b < 64; b++) {
        if (((tile->occupied & ~tile->full) >> b & 1) == 0)
            continue;
        pqti_store_le64(to, block_of_rows(tile->rows, b % 8, b / 8));
        to += 8;
    }
    return put_bytes(squares, bytes, (size_t)(to - bytes));
}

/* Returns the number of a square plus 1 if it was described, otherwise 0. */
static size_t
number_of(const square_writer *squares, const pqti_rnode *node)
{
    return (size_t)(uintptr_t)pqti_hashtable_of_block(&squares->numbers, node);
}

static unsigned
code_of(const square_writer *squares, const pqti_rnode *node)
{
    if (pqti_is_uniform(node))
        return node == PQTI_FULL ? FULL : EMPTY;
    return number_of(squares, node) != 0 ? REPEATED : DESCRIBED;
}

/* Returns the codes of four children. A child that equals an earlier one gets the code REPEATED. */
static unsigned
codes_of(const square_writer *squares, const pqti_rnode *const child[4])
{
    unsigned codes = 0;
    for (int i = 0; i < 4; i++) {
        unsigned code = code_of(squares, child[i]);
        for (int k = 0; k < i; k++)
            if (code == DESCRIBED && child[k] == child[i])
                code = REPEATED;
        codes |= code << (2 * i);
    }
    return codes;
}

static bool put_children(square_writer *squares, const pqti_rnode *const child[4], unsigned codes,
                         int level);

static bool
describe_square(square_writer *squares, const pqti_rnode *node, int level)
{
    const uintptr_t number = ++squares->described[level];
    if (!pqti_hashtable_add_block(&squares->numbers, node, (const void *)number)) {
        pqti_out_of_memory(squares->writer->error);
        return false;
    }
    if (level == PQTI_TILE_LEVEL)
        return put_tile(squares, (const pqti_tile *)node);
    const pqti_rinner *inner = (const pqti_rinner *)node;
    const uint8_t codes = (uint8_t)codes_of(squares, inner->child);
    return put_bytes(squares, &codes, 1) && put_children(squares, inner->child, codes, level - 1);
}

static bool
repeat_square(square_writer *squares, const pqti_rnode *node)
{
    uint8_t bytes[NUMBER_SIZE];
    pqti_store_le(bytes, number_of(squares, node) - 1, NUMBER_SIZE);
    return put_bytes(squares, bytes, NUMBER_SIZE);
}

static bool
put_children(square_writer *squares, const pqti_rnode *const child[4], unsigned codes, int level)
{
    for (int i = 0; i < 4; i++) {
        const unsigned code = codes >> (2 * i) & 3;
        if ((code == DESCRIBED && !describe_square(squares, child[i], level)) ||
            (code == REPEATED && !repeat_square(squares, child[i])))
            return false;
    }
    return true;
}

static bool
put_region(square_writer *squares, const pqt_region *region, const pqti_rnode *const quadrant[4])
{
    pqti_writer *writer = squares->writer;
    const unsigned codes = codes_of(squares, quadrant);
    pqti_section_begin(writer, "REGN");
    pqti_section_put(writer, region->count, 8);
    pqti_section_put(writer, (uint64_t)region->level, 1);
    pqti_section_put(writer, codes, 1);
    if (!pqti_section_end(writer))
        return false;
    pqti_section_begin(writer, "PIXL");
    return put_children(squares, quadrant, codes, region->level) &&
           (pqti_section_length(writer) == 0 || pqti_section_end(writer)) &&
           pqti_write_done(writer, pqt_region_fingerprint(region));
}

/* Writes a region in which all equal squares are shared. */
static bool
write_interned(pqti_writer *writer, const pqt_region *region, const pqti_rnode *const quadrant[4])
{
    square_writer squares = {.writer = writer};
    if (!pqti_hashtable_make(&squares.numbers)) {
        pqti_out_of_memory(writer->error);
        return false;
    }
    const bool written = put_region(&squares, region, quadrant);
    pqti_hashtable_free(&squares.numbers);
    return written;
}

bool
pqti_region_write_sections(pqti_writer *writer, const void *version)
{
    const pqt_region *region = version;
    const pqti_rnode *quadrant[4];
    pqt_memory *arena = pqt_arena_make(0, writer->error);
    bool written = false;
    if (arena == NULL)
        return false;
    if (pqti_region_intern_quadrants(region, arena, quadrant))
        written = write_interned(writer, region, quadrant);
    else
        pqti_out_of_memory(writer->error);
    pqt_arena_destroy(&arena);
    return written;
}

/* ---- Reading ---- */

/* The squares of one level, in the order in which their descriptions begin. */
typedef struct square_list {
    const pqti_rnode **nodes; /* in scratch memory: the recursion holds the nodes until their
                                 parents do */
    size_t count, capacity;
} square_list;

typedef struct square_reader {
    pqti_reader *reader;
    pqt_memory *memory;
    bool has_section; /* at least one PIXL section was read */
    square_list described[LEVELS];
} square_reader;

static bool
no_memory(square_reader *squares)
{
    pqti_out_of_memory(squares->reader->error);
    return false;
}

/* Reads bytes, across several PIXL sections if needed. Returns false and sets the error on
   failure. */
static bool
get_bytes(square_reader *squares, uint8_t *bytes, size_t count)
{
    return pqti_section_read_bytes(squares->reader, "PIXL", "a square", &squares->has_section,
                                   bytes, count);
}

/* Makes room for one more square in the list of a level. Returns false and sets the error on
   failure. */
static bool
reserve_number(square_reader *squares, square_list *list, size_t *number)
{
    const pqti_rnode **nodes =
        pqti_grow_scratch(list->nodes, list->count, &list->capacity, 1, sizeof(const pqti_rnode *));
    if (nodes == NULL)
        return no_memory(squares);
    list->nodes = nodes;
    *number = list->count++;
    list->nodes[*number] = NULL;
    return true;
}

static void
set_block(uint64_t *rows, int x, int y, uint64_t block)
{
    for (int i = 0; i < 8; i++)
        rows[8 * y + i] |= (block >> (8 * i) & 255) << (8 * x);
}

/* Reads the blocks of a tile into its rows. Returns false and sets the error on failure. */
static bool
get_blocks(square_reader *squares, uint64_t occupied, uint64_t full, uint64_t *rows)
{
    for (int b = 0; b < 64; b++) {
        uint8_t bytes[8];
        uint64_t block = UINT64_MAX;
        if ((occupied >> b & 1) == 0)
            continue;
        if ((full >> b & 1) == 0) {
            if (!get_bytes(squares, bytes, sizeof bytes))
                return false;
            block = pqti_load_le64(bytes);
            if (block == 0 || block == UINT64_MAX)
                return pqti_section_fault(squares->reader, "a mixed block is uniform");
        }
        set_block(rows, b % 8, b / 8, block);
    }
    return true;
}

/* Reads a tile. Returns NULL and sets the error on failure. */
static const pqti_rnode *
read_tile(square_reader *squares)
{
    uint8_t masks[16];
    uint64_t rows[PQTI_TILE_SIDE] = {0};
    if (!get_bytes(squares, masks, sizeof masks))
        return NULL;
    const uint64_t occupied = pqti_load_le64(masks), full = pqti_load_le64(masks + 8);
    if (occupied == 0 || full == UINT64_MAX || (full & ~occupied) != 0) {
        pqti_section_fault(squares->reader, "the blocks of a tile contradict each other");
        return NULL;
    }
    if (!get_blocks(squares, occupied, full, rows))
        return NULL;
    const pqti_rnode *tile = pqti_tile_make(squares->memory, rows, NULL, NULL);
    if (tile == NULL)
        no_memory(squares);
    return tile;
}

static bool read_children(square_reader *squares, unsigned codes, int level,
                          const pqti_rnode *child[4]);

/* Reads an inner node. Returns NULL and sets the error on failure. */
static const pqti_rnode *
read_inner(square_reader *squares, int level)
{
    const pqti_rnode *child[4];
    uint8_t codes;
    if (!get_bytes(squares, &codes, 1))
        return NULL;
    if (codes == 0x00 || codes == 0x55) {
        pqti_section_fault(squares->reader,
                           "the quadrants of a divided square are all empty or all full");
        return NULL;
    }
    if (!read_children(squares, codes, level - 1, child))
        return NULL;
    const pqti_rnode *inner = pqti_rinner_make(squares->memory, child, level, NULL);
    if (inner == NULL)
        no_memory(squares);
    return inner;
}

/* Reads a square that is described here. Returns NULL and sets the error on failure. */
static const pqti_rnode *
read_described(square_reader *squares, int level)
{
    square_list *list = &squares->described[level];
    size_t number;
    if (!reserve_number(squares, list, &number))
        return NULL;
    const pqti_rnode *node =
        level == PQTI_TILE_LEVEL ? read_tile(squares) : read_inner(squares, level);
    list->nodes[number] = node;
    return node;
}

/* Reads the number of an earlier square and returns that square. Returns NULL and sets the error on
   failure. */
static const pqti_rnode *
read_repeated(square_reader *squares, int level)
{
    const square_list *list = &squares->described[level];
    uint8_t bytes[NUMBER_SIZE];
    if (!get_bytes(squares, bytes, sizeof bytes))
        return NULL;
    const size_t number = (size_t)pqti_load_le(bytes, NUMBER_SIZE);
    if (number < list->count)
        return list->nodes[number];
    pqti_section_fault(squares->reader, "square %zu is repeated, but only %zu squares precede it",
                       number, list->count);
    return NULL;
}

static bool
read_children(square_reader *squares, unsigned codes, int level, const pqti_rnode *child[4])
{
    for (int i = 0; i < 4; i++) {
        const unsigned code = codes >> (2 * i) & 3;
        if (code == DESCRIBED)
            child[i] = read_described(squares, level);
        else if (code == REPEATED)
            child[i] = read_repeated(squares, level);
        else
            child[i] = code == FULL ? PQTI_FULL : PQTI_EMPTY;
        if (child[i] == NULL)
            return false;
    }
    return true;
}

/* Reads the four quadrants of a region of this level. Returns false and sets the error on
   failure. */
static bool
read_quadrants(square_reader *squares, unsigned codes, int level, const pqti_rnode *quadrant[4])
{
    pqti_reader *reader = squares->reader;
    if (!read_children(squares, codes, level, quadrant))
        return false;
    if (squares->has_section && reader->next < reader->length)
        return pqti_section_fault(reader, "bytes follow the last square");
    const pqti_rnode *least[4] = {quadrant[0], quadrant[1], quadrant[2], quadrant[3]};
    int least_level = level;
    pqti_shrink(&least_level, least);
    return least_level == level ||
           pqti_section_fault(reader, "a region of level %d has level %d", least_level, level);
}

/* Reads a region. Returns NULL and sets the error on failure. */
static const pqt_region *
read_region(square_reader *squares)
{
    pqti_reader *reader = squares->reader;
    const pqti_rnode *quadrant[4];
    if (!pqti_section_read(reader, "REGN", REGION_SIZE, REGION_SIZE))
        return NULL;
    const uint64_t count = pqti_section_get(reader, 8);
    const int level = (int)pqti_section_get(reader, 1);
    const unsigned codes = (unsigned)pqti_section_get(reader, 1);
    if (level < PQTI_TILE_LEVEL || level > PQTI_TOP_LEVEL) {
        pqti_section_fault(reader, "level is %d, not %d to %d", level, PQTI_TILE_LEVEL,
                           PQTI_TOP_LEVEL);
        return NULL;
    }
    if (!read_quadrants(squares, codes, level, quadrant))
        return NULL;
    const pqt_region *region =
        pqti_region_new(squares->memory, level, quadrant, NULL, reader->error);
    if (region != NULL && region->count != count) {
        pqti_section_fault(reader, "%llu pixels, not %llu", (unsigned long long)region->count,
                           (unsigned long long)count);
        return NULL;
    }
    return region;
}

const void *
pqti_region_read_sections(pqti_reader *reader, pqt_memory *memory)
{
    if (!pqti_may_compute(reader->error))
        return NULL;
    square_reader squares = {.reader = reader, .memory = memory};
    const pqt_region *region = read_region(&squares);
    for (int level = 0; level < LEVELS; level++)
        pqti_free_scratch(squares.described[level].nodes);
    if (region == NULL)
        return NULL;
    return pqti_read_done(reader, pqt_region_fingerprint(region)) ? region : NULL;
}

const pqti_kind_bytes pqti_region_bytes = {
    .write_sections = pqti_region_write_sections,
    .read_sections = pqti_region_read_sections,
};
