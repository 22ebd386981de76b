/* SPDX-License-Identifier: MIT */
/*
 * columns.h: encodes a block of rows of 64-bit words as bytes, column by column.
 *
 * The coordinates of neighbours in tree order agree in sign, exponent and leading digits, and round
 * numbers end in zero bits. So a column stores its first word, and for each word only the range of
 * bytes in which any word of the column differs from the first one:
 *
 *     low, width   a byte each: the bytes low .. low + width - 1 are stored; byte 0 is the lowest
 *     first        8 bytes: the word of row 0
 *     rows times   `width` bytes: (word xor first) >> 8 low
 *
 * The range is as small as possible; low and width are 0 if all words are equal. So there is
 * exactly one encoding for each block. Sources: storing what the values of a block have in common
 * only once: J. Goldstein, R. Ramakrishnan, U. Shaft, "Compressing relations and indexes", 1998
 * (frame of reference); xor instead of a difference, for floating point: P. Lindstrom, M. Isenburg,
 * "Fast and efficient compression of floating-point data", 2006.
 */
#ifndef PQTI_COLUMNS_H
#define PQTI_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

enum { PQTI_COLUMN_HEADER = 10 };

/* Returns the maximum number of bytes in a block. */
static inline size_t
pqti_columns_most(size_t columns, size_t rows)
{
    return columns * (PQTI_COLUMN_HEADER + rows * sizeof(uint64_t));
}

/*
 * Writes a block of at least one row and returns its length in bytes. The words of column c begin
 * at words[c * stride]. `bytes` must have room for pqti_columns_most bytes and 8 more, since the
 * function may overwrite 8 bytes after the block.
 */
size_t pqti_columns_encode(const uint64_t *words, size_t stride, size_t columns, size_t rows,
                           uint8_t *bytes);

/*
 * Reads a block of `rows` rows that must take exactly `length` bytes. The 8 bytes after them must
 * be readable. Returns NULL on success, or a message that says what is wrong.
 */
const char *pqti_columns_decode(const uint8_t *bytes, size_t length, uint64_t *words, size_t stride,
                                size_t columns, size_t rows);

#endif
