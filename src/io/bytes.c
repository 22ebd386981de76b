/* SPDX-License-Identifier: MIT */
/* bytes.c: writes and reads a version of a given kind, from the head of its bytes to their end. */
#include "config.h"

#include <pqt/bytes.h>

#include "io/bytes_internal.h"
#include "memory/memory_internal.h"

bool
pqti_write_version(const pqti_kind_bytes *kind, const void *version, pqt_write_fn *write,
                   void *context, pqt_error *error)
{
    if (kind->may_write != NULL && !kind->may_write(version, error))
        return false;
    pqti_writer writer;
    const bool written =
        pqti_writer_begin(&writer, write, context, error) && kind->write_sections(&writer, version);
    pqti_writer_end(&writer);
    pqti_keep_alive(version);
    return written;
}

const void *
pqti_read_version(const pqti_kind_bytes *kind, pqt_read_fn *read, void *context, pqt_memory *memory,
                  pqt_error *error)
{
    memory = pqti_memory_or_default(memory, error);
    if (memory == NULL)
        return NULL;
    pqti_reader reader;
    const void *version = pqti_reader_begin(&reader, read, context, memory, error)
                              ? kind->read_sections(&reader, memory)
                              : NULL;
    pqti_reader_end(&reader);
    return version;
}
