/* SPDX-License-Identifier: MIT */
/*
 * columns.h: a block of rows of 64-bit words as bytes, column by column.
 *
 * Neighbours in tree order share sign, exponent and leading digits, and round numbers end in zeros.
 * So a column stores its first word, and of each word the bytes that differ from it anywhere in the
 * column:
 *
 *     low, width   a byte each: the bytes low .. low + width - 1 are stored; byte 0 is the lowest
 *     first        8 bytes: the word of row 0
 *     rows times   `width` bytes: (word xor first) >> 8 low
 *
 * low and width are as small as they can be; both are 0 if all words are equal. So there is one
 * encoding for each block. Sources: bytes that a block has in common, stored once: J. Goldstein,
 * R. Ramakrishnan, U. Shaft, "Compressing relations and indexes", 1998 (frame of reference); xor in
 * place of a difference, for floating point: P. Lindstrom, M. Isenburg, "Fast and efficient
 * compression of floating-point data", 2006.
 */
#ifndef PQTI_COLUMNS_H
#define PQTI_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

enum { PQTI_COLUMN_HEAD = 10 };

/* Returns the maximum number of bytes of a block. */
static inline size_t
pqti_columns_most(size_t columns, size_t rows)
{
    return columns * (PQTI_COLUMN_HEAD + rows * sizeof(uint64_t));
}

/*
 * Writes a block of at least one row and returns the length. The words of column c begin at
 * words[c * stride]. `bytes` has room for pqti_columns_most and 8 bytes more, which are
 * overwritten.
 */
size_t pqti_columns_encode(const uint64_t *words, size_t stride, size_t columns, size_t rows,
                           uint8_t *bytes);

/*
 * Reads a block of `rows` rows that takes all of `length` bytes; 8 bytes after them may be read.
 * Returns NULL, or a message that says what is wrong.
 */
const char *pqti_columns_decode(const uint8_t *bytes, size_t length, uint64_t *words, size_t stride,
                                size_t columns, size_t rows);

#endif
