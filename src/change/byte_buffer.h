/* SPDX-License-Identifier: MIT */
/*
 * byte_buffer.h: bytes that are written to scratch memory, and read back with every length checked.
 *
 * A *varint* is a number in groups of 7 bits, the lowest first; the eighth bit of a byte says that
 * another one follows. A *short word* is a word of 64 bits without its zero bytes: a byte, whose
 * lower half is the index of the lowest byte that is stored and whose upper half is their number;
 * then those bytes.
 */
#ifndef PQTI_BYTE_BUFFER_H
#define PQTI_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pqti_byte_buffer {
    uint8_t *bytes; /* scratch */
    size_t length, capacity;
    bool failed; /* there was no memory */
} pqti_byte_buffer;

void pqti_buffer_free(pqti_byte_buffer *buffer);
void pqti_put_bytes(pqti_byte_buffer *buffer, const void *bytes, size_t count);
void pqti_put_byte(pqti_byte_buffer *buffer, unsigned byte);
void pqti_put_varint(pqti_byte_buffer *buffer, uint64_t number);
void pqti_put_word(pqti_byte_buffer *buffer, uint64_t word);

/* A pqt_write_fn whose context is a buffer. */
bool pqti_buffer_write(const void *bytes, size_t count, void *buffer);

typedef struct pqti_byte_source {
    const uint8_t *bytes;
    size_t length, next;
    bool failed; /* the bytes were malformed; everything read after that is 0 */
} pqti_byte_source;

/* Returns the next `count` bytes; NULL if there are fewer. */
const uint8_t *pqti_get_bytes(pqti_byte_source *source, size_t count);
unsigned pqti_get_byte(pqti_byte_source *source);
uint64_t pqti_get_varint(pqti_byte_source *source);
uint64_t pqti_get_word(pqti_byte_source *source);

/* Returns the next varint, the number of elements that follow, each of at least `least` bytes. */
size_t pqti_get_count(pqti_byte_source *source, size_t least);

/* A pqt_read_fn whose context is a source. */
bool pqti_source_read(void *bytes, size_t capacity, size_t *count, void *source);

#endif
