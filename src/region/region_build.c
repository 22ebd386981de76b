/* SPDX-License-Identifier: MIT */
/*
 * region_build.c: makes regions from images, runs and boxes.
 *
 * An image is read tile by tile, 64 pixels of a row at a time. Runs and boxes are painted into an
 * empty region.
 */
#include "config.h"

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "region/bits.h"
#include "region/paint.h"
#include "region/quad.h"
#include "region/region_internal.h"
#include "region/tile.h"

/* An image and its position in the region. */
typedef struct source source;

struct source {
    pqt_memory *memory;
    pqt_pixel_box box; /* the box of the image */
    const pqt_byte_image *bytes;
    const pqt_bit_image *bits; /* exactly one of bytes and bits is not NULL */
};

static uint64_t
repeat_byte(uint32_t byte)
{
    return byte * UINT64_C(0x0101010101010101);
}

/* Returns a bit for each of eight bytes, which is set if the byte is above the threshold. */
static uint64_t
bytes_above(uint64_t bytes, uint8_t threshold)
{
    uint64_t low7 = bytes & repeat_byte(0x7f);
    if (threshold < 128)
        return pqti_top_bits((low7 + repeat_byte(127u - threshold)) | bytes);
    return pqti_top_bits((low7 + repeat_byte(255u - threshold)) & bytes);
}

/* Loads up to eight bytes into a word. The first byte is the lowest one. */
static uint64_t
load_bytes(const uint8_t *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

/* Loads eight bytes. The expression is written out, because compilers recognise it as a single
 * load. */
static uint64_t
load_8(const uint8_t *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

/* Reads the pixels x .. x + count - 1 of row y, for count <= 64. */
static uint64_t
read_bytes(const pqt_byte_image *image, size_t x, size_t y, size_t count)
{
    const uint8_t *at = image->data + y * image->stride + x * image->pixel_stride;
    uint64_t word = 0;
    size_t i = 0;
    if (image->pixel_stride == 1)
        for (; i + 8 <= count; i += 8)
            word |= bytes_above(load_8(at + i), image->threshold) << i;
    for (; i < count; i++)
        word |= (uint64_t)(at[i * image->pixel_stride] > image->threshold) << i;
    return word;
}

/* Reverses the bits of each of eight bytes. */
static uint64_t
reverse_bits_of_bytes(uint64_t word)
{
    word = (word >> 1 & repeat_byte(0x55)) | (word & repeat_byte(0x55)) << 1;
    word = (word >> 2 & repeat_byte(0x33)) | (word & repeat_byte(0x33)) << 2;
    return (word >> 4 & repeat_byte(0x0f)) | (word & repeat_byte(0x0f)) << 4;
}

/* Reads pixels of a row of a bit image. 64 pixels that begin inside a byte end in a ninth byte. */
static uint64_t
read_bits_of_row(const pqt_bit_image *image, size_t x, size_t y, size_t count)
{
    const uint8_t *at = image->data + y * image->stride + x / 8;
    const size_t skip = x % 8;
    const size_t bytes = (skip + count + 7) / 8;
    uint64_t word = bytes < 8 ? load_bytes(at, bytes) : load_8(at);
    uint64_t ninth = bytes > 8 ? at[8] : 0;
    if (image->order == PQT_BITS_HIGH_FIRST) {
        word = reverse_bits_of_bytes(word);
        ninth = reverse_bits_of_bytes(ninth);
    }
    word >>= skip;
    if (bytes > 8)
        word |= ninth << (64 - skip);
    return word & pqti_bits_between(0, (int)count);
}

static const pqti_rnode *
build_tile(const source *s, pqti_rcell cell, pqt_pixel_box common)
{
    uint64_t rows[PQTI_TILE_SIDE] = {0};
    const size_t x = (size_t)(common.min.x - s->box.min.x);
    const size_t count = (size_t)(common.max.x - common.min.x);
    for (int32_t y = common.min.y; y < common.max.y; y++) {
        const size_t row = (size_t)(y - s->box.min.y);
        uint64_t word = s->bytes != NULL ? read_bytes(s->bytes, x, row, count)
                                         : read_bits_of_row(s->bits, x, row, count);
        rows[y - cell.y] = word << (common.min.x - cell.x);
    }
    return pqti_tile_make(s->memory, rows, NULL, NULL);
}

/* Makes the node of a cell from an image. Returns NULL when out of memory. */
static const pqti_rnode *
build_node(const source *s, pqti_rcell cell)
{
    const pqti_rnode *child[4];
    pqt_pixel_box common = pqti_box_common(pqti_rcell_box(cell), s->box);
    if (pqti_box_is_empty(common))
        return PQTI_EMPTY;
    if (cell.level == PQTI_TILE_LEVEL)
        return build_tile(s, cell, common);
    for (int i = 0; i < 4; i++) {
        child[i] = build_node(s, pqti_rcell_child(cell, i));
        if (child[i] == NULL)
            return NULL;
    }
    return pqti_rinner_make(s->memory, child, cell.level, NULL);
}

static const pqt_region *
build_from_source(source *s, pqt_memory *memory, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    int level = pqti_level_of(&s->box);
    s->memory = pqti_memory_or_default(memory, error);
    if (s->memory == NULL)
        return NULL;
    for (int i = 0; i < 4; i++) {
        quadrant[i] = build_node(s, pqti_rcell_quadrant(level, i));
        if (quadrant[i] == NULL) {
            pqti_out_of_memory(error);
            return NULL;
        }
    }
    pqti_shrink(&level, quadrant);
    return pqti_region_new(s->memory, level, quadrant, NULL, error);
}

/* Returns true if an image with rows of `row` bytes can be addressed. `row` is SIZE_MAX if its
 * computation overflowed. */
static bool
validate_image_rows(size_t row, size_t stride, size_t height, pqt_error *error)
{
    if (stride < row)
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "stride: %zu is less than the %zu bytes of a row", stride, row);
    else if (row > PTRDIFF_MAX || (height - 1) > (PTRDIFF_MAX - row) / stride)
        pqti_error_set(error, PQT_ERROR_OPTION, 0,
                       "stride: %zu rows of %zu bytes exceed the address space", height, stride);
    else
        return true;
    return false;
}

/* Computes the box of an image that has at least one pixel. Returns false and sets an error if it
 * extends beyond PQT_PIXEL_LIMIT. */
static bool
validate_build_box(size_t width, size_t height, pqt_pixel at, pqt_pixel_box *box, pqt_error *error)
{
    const int64_t limit = PQT_PIXEL_LIMIT;
    if (at.x < -limit || at.y < -limit || at.x > limit || at.y > limit ||
        width > (uint64_t)(limit - at.x) || height > (uint64_t)(limit - at.y)) {
        pqti_error_set(error, PQT_ERROR_LIMIT, 0,
                       "image: %zu x %zu at %d, %d extends more than %d pixels from 0", width,
                       height, at.x, at.y, PQT_PIXEL_LIMIT);
        return false;
    }
    *box = (pqt_pixel_box){at, {at.x + (int32_t)width, at.y + (int32_t)height}};
    return true;
}

const pqt_region *
pqt_region_of_bytes(const pqt_byte_image *image, pqt_pixel at, pqt_memory *memory, pqt_error *error)
{
    PQT_ASSERT(image != NULL, "the image is NULL");
    source s = {.bytes = image};
    const size_t width = image->width, height = image->height;
    if (!pqti_may_compute(error))
        return NULL;
    if (image->pixel_stride == 0) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "pixel_stride: 0; it must be at least 1");
        return NULL;
    }
    if (width == 0 || height == 0)
        return build_from_source(&s, memory, error);
    PQT_ASSERT(image->data != NULL, "data is NULL, and the image has pixels");
    const size_t row =
        width <= SIZE_MAX / image->pixel_stride ? width * image->pixel_stride : SIZE_MAX;
    if (!validate_build_box(width, height, at, &s.box, error) ||
        !validate_image_rows(row, image->stride, height, error))
        return NULL;
    return build_from_source(&s, memory, error);
}

const pqt_region *
pqt_region_of_bits(const pqt_bit_image *image, pqt_pixel at, pqt_memory *memory, pqt_error *error)
{
    PQT_ASSERT(image != NULL, "the image is NULL");
    source s = {.bits = image};
    const size_t width = image->width, height = image->height;
    if (!pqti_may_compute(error))
        return NULL;
    if (image->order != PQT_BITS_LOW_FIRST && image->order != PQT_BITS_HIGH_FIRST) {
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "order: %d is not a pqt_bit_order",
                       (int)image->order);
        return NULL;
    }
    if (width == 0 || height == 0)
        return build_from_source(&s, memory, error);
    PQT_ASSERT(image->data != NULL, "data is NULL, and the image has pixels");
    if (!validate_build_box(width, height, at, &s.box, error) ||
        !validate_image_rows(width / 8 + (width % 8 != 0), image->stride, height, error))
        return NULL;
    return build_from_source(&s, memory, error);
}

static const pqt_region *
build_from_primitives(const pqti_primitives *primitives, pqt_memory *memory, pqt_error *error)
{
    const pqti_rnode *quadrant[4];
    pqt_region empty = {.quadrant = {PQTI_EMPTY, PQTI_EMPTY, PQTI_EMPTY, PQTI_EMPTY},
                        .level = PQTI_TILE_LEVEL};
    int level;
    empty.memory = pqti_memory_or_default(memory, error);
    if (empty.memory == NULL || !pqti_paint_quadrants(&empty, primitives, &level, quadrant, error))
        return NULL;
    pqti_shrink(&level, quadrant);
    return pqti_region_new(empty.memory, level, quadrant, NULL, error);
}

static bool
validate_run(pqt_pixel_run run, size_t index, pqt_error *error)
{
    const int32_t limit = PQT_PIXEL_LIMIT;
    if (run.min_x > run.max_x)
        pqti_error_set(error, PQT_ERROR_BOX, index, "run %zu: min_x %d is greater than max_x %d",
                       index, run.min_x, run.max_x);
    else if (run.min_x < run.max_x &&
             (run.y < -limit || run.y >= limit || run.min_x < -limit || run.max_x > limit))
        pqti_error_set(error, PQT_ERROR_LIMIT, index,
                       "run %zu: %d..%d in row %d extends more than %d pixels from 0", index,
                       run.min_x, run.max_x, run.y, limit);
    else
        return true;
    return false;
}

const pqt_region *
pqt_region_of_runs(const pqt_pixel_run *runs, size_t count, pqt_memory *memory, pqt_error *error)
{
    PQT_ASSERT(runs != NULL || count == 0, "runs is NULL, and count is not 0");
    if (!pqti_may_compute(error) || !pqti_validate_primitive_count(count, error))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!validate_run(runs[i], i, error))
            return NULL;
    return build_from_primitives(&(pqti_primitives){.runs = runs, .count = count}, memory, error);
}

const pqt_region *
pqt_region_of_boxes(const pqt_pixel_box *boxes, size_t count, pqt_memory *memory, pqt_error *error)
{
    PQT_ASSERT(boxes != NULL || count == 0, "boxes is NULL, and count is not 0");
    if (!pqti_may_compute(error) || !pqti_validate_primitive_count(count, error))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!pqti_validate_pixel_box(&boxes[i], "box", i, error) ||
            !pqti_validate_pixel(&boxes[i], "box", i, error))
            return NULL;
    return build_from_primitives(&(pqti_primitives){.boxes = boxes, .count = count}, memory, error);
}
