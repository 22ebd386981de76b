/* SPDX-License-Identifier: MIT */
/* columns.c: encodes a block of rows of 64-bit words as bytes, column by column. */
#include "config.h"

#include "io/columns.h"

#include <stdbool.h>
#include <string.h>

#include "io/little_endian.h"

/* The range of bytes that is stored for each word of a column. */
typedef struct byte_range {
    unsigned low, width;
} byte_range;

/* Returns the smallest range of bytes that contains all set bits of a word. */
static byte_range
bytes_of_bits(uint64_t bits)
{
    byte_range range = {0, 0};
    if (bits == 0)
        return range;
    while ((bits >> (8 * range.low) & 255) == 0)
        range.low++;
    while (range.low + range.width < 8 && bits >> (8 * (range.low + range.width)) != 0)
        range.width++;
    return range;
}

/* Returns the bits in which some words differ from the first one. */
static uint64_t
differing_bits(const uint64_t *words, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 1; i < count; i++)
        bits |= words[i] ^ words[0];
    return bits;
}

static uint8_t *
encode_column(const uint64_t *words, size_t rows, uint8_t *to)
{
    const byte_range range = bytes_of_bits(differing_bits(words, rows));
    to[0] = (uint8_t)range.low;
    to[1] = (uint8_t)range.width;
    pqti_store_le64(to + 2, words[0]);
    to += PQTI_COLUMN_HEADER;
    if (range.width == 0)
        return to;
    /* Each store writes 8 bytes. The next one overwrites the excess. */
    for (size_t i = 0; i < rows; i++, to += range.width)
        pqti_store_le64(to, (words[i] ^ words[0]) >> (8 * range.low));
    return to;
}

size_t
pqti_columns_encode(const uint64_t *words, size_t stride, size_t columns, size_t rows,
                    uint8_t *bytes)
{
    uint8_t *to = bytes;
    for (size_t c = 0; c < columns; c++)
        to = encode_column(words + c * stride, rows, to);
    return (size_t)(to - bytes);
}

/* Returns true if the range is the one that encode_column would choose for these words. */
static bool
decode_words(const uint8_t *from, byte_range range, uint64_t first, size_t rows, uint64_t *words)
{
    const uint64_t mask = range.width == 0 ? 0 : UINT64_MAX >> (64 - 8 * range.width);
    uint64_t bits = 0;
    for (size_t i = 0; i < rows; i++, from += range.width) {
        const uint64_t stored = range.width == 0 ? 0 : pqti_load_le64(from) & mask;
        bits |= stored;
        words[i] = first ^ stored << (8 * (range.low & 7));
    }
    const byte_range needed = bytes_of_bits(bits);
    return needed.low == 0 && needed.width == range.width && words[0] == first;
}

const char *
pqti_columns_decode(const uint8_t *bytes, size_t length, uint64_t *words, size_t stride,
                    size_t columns, size_t rows)
{
    for (size_t c = 0; c < columns; c++) {
        if (length < PQTI_COLUMN_HEADER)
            return "a column is incomplete";
        const byte_range range = {bytes[0], bytes[1]};
        if (range.low > 8 || range.width > 8 - range.low || (range.width == 0 && range.low != 0))
            return "a column stores bytes that a word does not have";
        const size_t size = PQTI_COLUMN_HEADER + rows * range.width;
        if (size > length)
            return "a column is incomplete";
        if (!decode_words(bytes + PQTI_COLUMN_HEADER, range, pqti_load_le64(bytes + 2), rows,
                          words + c * stride))
            return "a column is longer than necessary";
        bytes += size;
        length -= size;
    }
    return length == 0 ? NULL : "bytes follow the last column";
}
