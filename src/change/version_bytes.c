/* SPDX-License-Identifier: MIT */
/* version_bytes.c: appends the bytes of a whole version to a buffer. */
#include "config.h"

#include "change/version_bytes.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"

bool
pqti_version_put(pqti_byte_buffer *to, const void *version, pqt_error *error)
{
    pqt_error failure = {0};
    if (pqt_version_write(version, pqti_buffer_write, to, &failure))
        return true;
    if (to->failed)
        pqti_out_of_memory(error);
    else
        pqti_error_set(error, failure.status, failure.index, "%s", failure.text);
    return false;
}
