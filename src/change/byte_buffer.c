/* SPDX-License-Identifier: MIT */
/* byte_buffer.c: writes bytes to scratch memory and reads them back. */
#include "config.h"

#include "change/byte_buffer.h"

#include <string.h>

#include "io/little_endian.h"
#include "memory/memory_internal.h"

enum { FIRST_CAPACITY = 256 };

void
pqti_buffer_free(pqti_byte_buffer *buffer)
{
    pqti_free_scratch(buffer->bytes);
    *buffer = (pqti_byte_buffer){0};
}

/* Makes room for `count` more bytes. Returns false when out of memory. */
static bool
reserve_bytes(pqti_byte_buffer *buffer, size_t count)
{
    if (buffer->failed || count <= buffer->capacity - buffer->length)
        return !buffer->failed;
    size_t capacity = buffer->capacity == 0 ? FIRST_CAPACITY : buffer->capacity;
    while (capacity - buffer->length < count && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    uint8_t *bytes = capacity - buffer->length < count ? NULL : pqti_alloc_scratch(capacity, 1);
    if (bytes == NULL) {
        buffer->failed = true;
        return false;
    }
    if (buffer->length > 0)
        memcpy(bytes, buffer->bytes, buffer->length);
    pqti_free_scratch(buffer->bytes);
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

void
pqti_put_bytes(pqti_byte_buffer *buffer, const void *bytes, size_t count)
{
    if (count == 0 || !reserve_bytes(buffer, count))
        return;
    memcpy(buffer->bytes + buffer->length, bytes, count);
    buffer->length += count;
}

void
pqti_put_byte(pqti_byte_buffer *buffer, unsigned byte)
{
    pqti_put_bytes(buffer, &(uint8_t){(uint8_t)byte}, 1);
}

void
pqti_put_varint(pqti_byte_buffer *buffer, uint64_t number)
{
    uint8_t bytes[PQTI_MOST_VARINT];
    size_t count = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[count++] = (uint8_t)(number | 0x80);
    bytes[count++] = (uint8_t)number;
    pqti_put_bytes(buffer, bytes, count);
}

void
pqti_put_word(pqti_byte_buffer *buffer, uint64_t word)
{
    unsigned low = 0, width = 0;
    uint8_t bytes[1 + sizeof word];
    for (; word != 0 && (word & 0xff) == 0; word >>= 8)
        low++;
    for (; word != 0; word >>= 8)
        bytes[1 + width++] = (uint8_t)word;
    bytes[0] = (uint8_t)(low | width << 4);
    pqti_put_bytes(buffer, bytes, 1 + width);
}

bool
pqti_buffer_write(const void *bytes, size_t count, void *buffer)
{
    pqti_put_bytes(buffer, bytes, count);
    return !((pqti_byte_buffer *)buffer)->failed;
}

const uint8_t *
pqti_get_bytes(pqti_byte_source *source, size_t count)
{
    if (source->failed || count > source->length - source->next) {
        source->failed = true;
        return NULL;
    }
    source->next += count;
    return source->bytes + source->next - count;
}

unsigned
pqti_get_byte(pqti_byte_source *source)
{
    const uint8_t *byte = pqti_get_bytes(source, 1);
    return byte == NULL ? 0 : *byte;
}

uint64_t
pqti_get_varint(pqti_byte_source *source)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const unsigned byte = pqti_get_byte(source);
        if (shift == 63 && byte > 1)
            break;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    source->failed = true;
    return 0;
}

uint64_t
pqti_get_word(pqti_byte_source *source)
{
    const unsigned head = pqti_get_byte(source), low = head & 15, width = head >> 4;
    if (low + width > sizeof(uint64_t)) {
        source->failed = true;
        return 0;
    }
    const uint8_t *bytes = pqti_get_bytes(source, width);
    return bytes == NULL || width == 0 ? 0 : pqti_load_le(bytes, width) << (8 * low);
}

size_t
pqti_get_count(pqti_byte_source *source, size_t least)
{
    const uint64_t count = pqti_get_varint(source);
    if (count > (source->length - source->next) / least) {
        source->failed = true;
        return 0;
    }
    return (size_t)count;
}

bool
pqti_source_read(void *bytes, size_t capacity, size_t *count, void *context)
{
    pqti_byte_source *source = context;
    const size_t rest = source->length - source->next;
    *count = rest < capacity ? rest : capacity;
    if (*count > 0)
        memcpy(bytes, pqti_get_bytes(source, *count), *count);
    return true;
}
