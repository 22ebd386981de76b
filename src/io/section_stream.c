/* SPDX-License-Identifier: MIT */
/* section_stream.c: bytes that continue in several sections of one name. */
#include "config.h"

#include <string.h>

#include "io/section.h"

bool
pqti_section_write_bytes(pqti_writer *writer, bool *is_open, const void *bytes, size_t size)
{
    while (size > 0) {
        if (!*is_open)
            pqti_section_begin(writer, "BYTE");
        *is_open = true;
        const size_t room = PQTI_BYTE_SECTION - pqti_section_length(writer);
        const size_t count = size < room ? size : room;
        memcpy(pqti_section_tail(writer), bytes, count);
        pqti_section_add(writer, count);
        bytes = (const uint8_t *)bytes + count;
        size -= count;
        if (count < room)
            return true;
        *is_open = false;
        if (!pqti_section_end(writer))
            return false;
    }
    return true;
}

/* Makes sure that the stream has a byte that was not read. */
static bool
continue_stream(pqti_reader *reader, const char *name, const char *unit, bool *is_open)
{
    if (*is_open && reader->next < reader->length)
        return true;
    if (*is_open && reader->length < PQTI_BYTE_SECTION)
        return pqti_section_fault(reader, "it ends within %s", unit);
    if (!pqti_section_read(reader, name, 1, PQTI_BYTE_SECTION))
        return false;
    *is_open = true;
    return true;
}

bool
pqti_section_read_bytes(pqti_reader *reader, const char *name, const char *unit, bool *is_open,
                        uint8_t *bytes, size_t count)
{
    while (count > 0) {
        if (!continue_stream(reader, name, unit, is_open))
            return false;
        const size_t rest = reader->length - reader->next, part = count < rest ? count : rest;
        memcpy(bytes, reader->payload + reader->next, part);
        reader->next += part;
        bytes += part;
        count -= part;
    }
    return true;
}
