/* SPDX-License-Identifier: MIT */
/*
 * byte_buffer.h: writes bytes to scratch memory, and reads them back with every length checked.
 *
 * A *varint* is a number that is stored in groups of 7 bits, one per byte, the lowest group first.
 * The eighth bit of a byte is set if another byte follows. A *short word* is a word of 64 bits
 * without its leading and trailing zero bytes. It begins with a byte whose lower half is the index
 * of the lowest stored byte and whose upper half is the number of stored bytes. The stored bytes
 * follow.
 */
#ifndef PQTI_BYTE_BUFFER_H
#define PQTI_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PQTI_MOST_VARINT = 10 }; /* the maximum size of a varint in bytes */

typedef struct pqti_byte_buffer {
    uint8_t *bytes; /* in scratch memory */
    size_t length, capacity;
    bool failed; /* true if there was no memory */
} pqti_byte_buffer;

void pqti_buffer_free(pqti_byte_buffer *buffer);
void pqti_put_bytes(pqti_byte_buffer *buffer, const void *bytes, size_t count);
void pqti_put_byte(pqti_byte_buffer *buffer, unsigned byte);
void pqti_put_varint(pqti_byte_buffer *buffer, uint64_t number);
void pqti_put_word(pqti_byte_buffer *buffer, uint64_t word);

/* A pqt_write_fn that appends to the buffer passed as its context. */
bool pqti_buffer_write(const void *bytes, size_t count, void *buffer);

typedef struct pqti_byte_source {
    const uint8_t *bytes;
    size_t length, next;
    bool failed; /* true if the bytes were malformed; everything that is read after that is 0 */
} pqti_byte_source;

/* Returns a pointer to the next `count` bytes, or NULL if fewer are left. */
const uint8_t *pqti_get_bytes(pqti_byte_source *source, size_t count);
unsigned pqti_get_byte(pqti_byte_source *source);
uint64_t pqti_get_varint(pqti_byte_source *source);
uint64_t pqti_get_word(pqti_byte_source *source);

/* Returns the next varint as the number of elements that follow, each of which takes at least
   `least` bytes. Fails if the rest of the source is too short. */
size_t pqti_get_count(pqti_byte_source *source, size_t least);

/* A pqt_read_fn that reads from the source passed as its context. */
bool pqti_source_read(void *bytes, size_t capacity, size_t *count, void *source);

#endif
