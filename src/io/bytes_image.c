/* SPDX-License-Identifier: MIT */
/*
 * bytes_image.c: writes and reads an image as sections: IMAG; its patches from the root down, as a
 * stream in BYTE sections; and DONE.
 *
 * The description of a patch begins with a two-bit code for each of its four children: transparent
 * black or outside, another colour, or described here. A colour follows the codes. The children
 * that are described here follow in order, each with everything below it. A tile of at most
 * MOST_PALETTE colours is a palette, in the order in which the colours first occur, and indices of
 * as few bits as that needs; any other tile is its pixels.
 */
#include "config.h"

#include <pqt/bytes.h>

#include <string.h>

#include "base/arithmetic.h"
#include "base/attributes.h"
#include "base/error_internal.h"
#include "image/image_internal.h"
#include "io/bytes_internal.h"
#include "io/little_endian.h"
#include "memory/memory_internal.h"

enum { IMAGE_SIZE = 9, COLOUR_SIZE = 4, MOST_PALETTE = 128 };
enum { BLANK = 0, COLOURED = 1, DESCRIBED = 2, CODES = 3 }; /* the two-bit codes for a patch */

/* The maximum number of bytes of a tile, which is that of its pixels and the number before them. */
enum { MOST_TILE = 1 + COLOUR_SIZE * PQTI_IMAGE_TILE_PIXELS };

/* The colours of a tile, in the order in which they first occur, and the index of each pixel. */
typedef struct tile_palette {
    uint32_t colours[MOST_PALETTE];
    uint8_t index[PQTI_IMAGE_TILE_PIXELS];
    unsigned count;
} tile_palette;

/* Returns the number of bits of an index of a palette: 1, 2, 4 or 8. */
static unsigned
index_bits(unsigned colours)
{
    return colours <= 2 ? 1 : colours <= 4 ? 2 : colours <= 16 ? 4 : 8;
}

/* Finds the palette of a tile. Returns false if it has more than MOST_PALETTE colours. */
static bool
find_palette(tile_palette *palette, const uint32_t *pixels)
{
    palette->count = 0;
    for (int i = 0; i < PQTI_IMAGE_TILE_PIXELS; i++) {
        unsigned at = 0;
        while (at < palette->count && palette->colours[at] != pixels[i])
            at++;
        if (at == MOST_PALETTE)
            return false;
        if (at == palette->count)
            palette->colours[palette->count++] = pixels[i];
        palette->index[i] = (uint8_t)at;
    }
    return true;
}

/* ---- Writing ---- */

typedef struct patch_writer {
    pqti_writer *writer;
    bool is_open; /* a BYTE section is open */
} patch_writer;

static bool
put_patch_bytes(patch_writer *patches, const void *bytes, size_t count)
{
    return pqti_section_write_bytes(patches->writer, &patches->is_open, bytes, count);
}

static bool
put_colour(patch_writer *patches, uint32_t colour)
{
    uint8_t bytes[COLOUR_SIZE];
    pqti_store_le(bytes, colour, COLOUR_SIZE);
    return put_patch_bytes(patches, bytes, COLOUR_SIZE);
}

static PQTI_NOINLINE bool
put_image_tile(patch_writer *patches, const uint32_t *pixels)
{
    tile_palette palette;
    uint8_t bytes[MOST_TILE] = {0};
    size_t count = 1;
    const bool has_palette = find_palette(&palette, pixels);
    const uint32_t *colours = has_palette ? palette.colours : pixels;
    const unsigned colour_count = has_palette ? palette.count : PQTI_IMAGE_TILE_PIXELS;
    bytes[0] = (uint8_t)(has_palette ? palette.count : 0);
    for (unsigned i = 0; i < colour_count; i++, count += COLOUR_SIZE)
        pqti_store_le(bytes + count, colours[i], COLOUR_SIZE);
    if (!has_palette)
        return put_patch_bytes(patches, bytes, count);
    const unsigned bits = index_bits(palette.count);
    for (unsigned i = 0; i < PQTI_IMAGE_TILE_PIXELS; i++)
        bytes[count + i * bits / 8] |= (uint8_t)(palette.index[i] << i * bits % 8);
    return put_patch_bytes(patches, bytes, count + PQTI_IMAGE_TILE_PIXELS * bits / 8);
}

static unsigned
code_of_patch(const pqti_patch *patch)
{
    return patch->node != NULL ? DESCRIBED : patch->colour != 0 ? COLOURED : BLANK;
}

static bool describe_patch(patch_writer *patches, const pqti_patch *patch, int level);

/* Writes what follows the codes of children: their colours, then their descriptions. */
static bool
put_patches(patch_writer *patches, const pqti_patch *child, int count, int level)
{
    for (int i = 0; i < count; i++)
        if (code_of_patch(&child[i]) == COLOURED && !put_colour(patches, child[i].colour))
            return false;
    for (int i = 0; i < count; i++)
        if (child[i].node != NULL && !describe_patch(patches, &child[i], level))
            return false;
    return true;
}

/* Writes the description of a node. */
static bool
describe_patch(patch_writer *patches, const pqti_patch *patch, int level)
{
    pqti_patch child[4];
    uint8_t codes = 0;
    if (level == PQTI_IMAGE_TILE_LEVEL)
        return put_image_tile(patches, ((const pqti_image_tile *)patch->node)->pixels);
    for (int i = 0; i < 4; i++) {
        child[i] = pqti_patch_child(patch, i);
        codes |= (uint8_t)(code_of_patch(&child[i]) << 2 * i);
    }
    return put_patch_bytes(patches, &codes, 1) && put_patches(patches, child, 4, level - 1);
}

static bool
write_image_sections(pqti_writer *writer, const void *version)
{
    const pqt_image *image = version;
    patch_writer patches = {.writer = writer};
    pqti_section_begin(writer, "IMAG");
    pqti_section_put(writer, (uint64_t)image->frame.width, 4);
    pqti_section_put(writer, (uint64_t)image->frame.height, 4);
    pqti_section_put(writer, code_of_patch(&image->root), 1);
    return pqti_section_end(writer) && put_patches(&patches, &image->root, 1, image->level) &&
           (!patches.is_open || pqti_section_end(writer)) &&
           pqti_write_done(writer, pqt_image_fingerprint(image));
}

/* ---- Reading ---- */

typedef struct patch_reader {
    pqti_reader *reader;
    pqti_image_frame frame;
    bool has_section; /* at least one BYTE section was read */
} patch_reader;

/* Reads bytes of the stream. Returns false and sets the error on failure. */
static bool
get_patch_bytes(patch_reader *patches, uint8_t *bytes, size_t count)
{
    return pqti_section_read_bytes(patches->reader, "BYTE", "a patch", &patches->has_section, bytes,
                                   count);
}

static bool
get_colour(patch_reader *patches, uint32_t *colour)
{
    uint8_t bytes[COLOUR_SIZE];
    if (!get_patch_bytes(patches, bytes, COLOUR_SIZE))
        return false;
    *colour = (uint32_t)pqti_load_le(bytes, COLOUR_SIZE);
    return true;
}

/* Reads the pixels of a tile whose palette has `count` colours. */
static bool
get_indexed_pixels(patch_reader *patches, unsigned count, uint32_t *pixels)
{
    uint32_t colours[MOST_PALETTE];
    uint8_t bytes[PQTI_IMAGE_TILE_PIXELS];
    const unsigned bits = index_bits(count);
    for (unsigned i = 0; i < count; i++)
        if (!get_colour(patches, &colours[i]))
            return false;
    if (!get_patch_bytes(patches, bytes, PQTI_IMAGE_TILE_PIXELS * bits / 8))
        return false;
    unsigned used = 0;
    for (unsigned i = 0; i < PQTI_IMAGE_TILE_PIXELS; i++) {
        const unsigned index = bytes[i * bits / 8] >> i * bits % 8 & ((1U << bits) - 1);
        if (index > used || index >= count)
            return pqti_section_fault(patches->reader, "pixel %u of a tile has the index %u", i,
                                      index);
        used += index == used;
        pixels[i] = colours[index];
    }
    return true;
}

/* Returns true if a palette of `count` colours, or 0 for none, is the one that is written. */
static bool
has_written_palette(const uint32_t *pixels, unsigned count)
{
    tile_palette palette;
    return find_palette(&palette, pixels) ? palette.count == count : count == 0;
}

/* Reads a tile. Returns false and sets the error on failure. */
static PQTI_NOINLINE bool
read_image_tile(patch_reader *patches, pqti_rcell cell, pqti_patch *made)
{
    uint32_t pixels[PQTI_IMAGE_TILE_PIXELS], inside[PQTI_IMAGE_TILE_PIXELS];
    uint8_t count;
    if (!get_patch_bytes(patches, &count, 1))
        return false;
    if (count == 1 || count > MOST_PALETTE)
        return pqti_section_fault(patches->reader, "a palette has %u colours", count);
    for (int i = 0; i < PQTI_IMAGE_TILE_PIXELS && count == 0; i++)
        if (!get_colour(patches, &pixels[i]))
            return false;
    if (count != 0 && !get_indexed_pixels(patches, count, pixels))
        return false;
    if (!has_written_palette(pixels, count))
        return pqti_section_fault(patches->reader,
                                  "the palette of a tile is not the one of its pixels");
    memcpy(inside, pixels, sizeof inside);
    pqti_image_clear_outside(&patches->frame, cell, inside);
    if (memcmp(inside, pixels, sizeof inside) != 0)
        return pqti_section_fault(patches->reader, "a pixel outside is not 0");
    if (pqti_image_tile_is_uniform(&patches->frame, cell, pixels))
        return pqti_section_fault(patches->reader, "a tile has one colour");
    if (pqti_image_tile_make(&patches->frame, cell, pixels, NULL, made))
        return true;
    pqti_out_of_memory(patches->reader->error);
    return false;
}

/* Reads what follows the code of a patch that is not described here: its colour. */
static bool
read_colour(patch_reader *patches, unsigned code, pqti_patch *made)
{
    uint32_t colour = 0;
    if (code == COLOURED && !get_colour(patches, &colour))
        return false;
    if (code == COLOURED && colour == 0)
        return pqti_section_fault(patches->reader, "the colour of a patch is 0");
    *made = pqti_patch_of_colour(colour);
    return true;
}

static bool read_described(patch_reader *patches, pqti_rcell cell, pqti_patch *made);

/* Reads an inner node. Returns false and sets the error on failure. */
static bool
read_inner_patch(patch_reader *patches, pqti_rcell cell, pqti_patch *made)
{
    pqti_patch child[4];
    uint8_t codes;
    if (!get_patch_bytes(patches, &codes, 1))
        return false;
    for (int i = 0; i < 4; i++) {
        const unsigned code = codes >> 2 * i & 3;
        if (code == CODES ||
            (code != BLANK && pqti_image_is_outside(&patches->frame, pqti_rcell_child(cell, i))))
            return pqti_section_fault(patches->reader, "child %d of a patch has the code %u", i,
                                      code);
        if (!read_colour(patches, code, &child[i]))
            return false;
    }
    for (int i = 0; i < 4; i++)
        if ((codes >> 2 * i & 3) == DESCRIBED &&
            !read_described(patches, pqti_rcell_child(cell, i), &child[i]))
            return false;
    if (pqti_image_inner_is_uniform(&patches->frame, cell, child))
        return pqti_section_fault(patches->reader, "the children of a patch have one colour");
    if (pqti_image_inner_make(&patches->frame, cell, child, NULL, made))
        return true;
    pqti_out_of_memory(patches->reader->error);
    return false;
}

/* Reads a patch that is described here. Returns false and sets the error on failure. */
static bool
read_described(patch_reader *patches, pqti_rcell cell, pqti_patch *made)
{
    return cell.level == PQTI_IMAGE_TILE_LEVEL ? read_image_tile(patches, cell, made)
                                               : read_inner_patch(patches, cell, made);
}

/* Reads the root. Returns false and sets the error on failure. */
static bool
read_root(patch_reader *patches, pqti_patch *root)
{
    pqti_reader *reader = patches->reader;
    pqt_error failure = {0};
    if (!pqti_section_read(reader, "IMAG", IMAGE_SIZE, IMAGE_SIZE))
        return false;
    const uint64_t width = pqti_section_get(reader, 4), height = pqti_section_get(reader, 4);
    const unsigned code = (unsigned)pqti_section_get(reader, 1);
    if (!pqti_validate_image_size(width, height, &failure))
        return pqti_section_fault_of(reader, &failure);
    patches->frame.width = (int32_t)width;
    patches->frame.height = (int32_t)height;
    if (code >= CODES)
        return pqti_section_fault(reader, "the code of the root is %u", code);
    if (code == DESCRIBED ? !read_described(patches, pqti_image_root_cell(&patches->frame), root)
                          : !read_colour(patches, code, root))
        return false;
    return !patches->has_section || reader->next == reader->length ||
           pqti_section_fault(reader, "bytes follow the last patch");
}

static const void *
read_image_sections(pqti_reader *reader, pqt_memory *memory)
{
    pqti_patch root;
    patch_reader patches = {.reader = reader, .frame.memory = memory};
    if (!pqti_may_compute(reader->error) || !read_root(&patches, &root))
        return NULL;
    const pqt_image *image = pqti_image_new(&patches.frame, &root, reader->error);
    return image != NULL && pqti_read_done(reader, pqt_image_fingerprint(image)) ? image : NULL;
}

const pqti_kind_bytes pqti_image_bytes = {
    .write_sections = write_image_sections,
    .read_sections = read_image_sections,
};
