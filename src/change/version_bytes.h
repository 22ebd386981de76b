/* SPDX-License-Identifier: MIT */
/* version_bytes.h: appends the bytes of a whole version to a buffer. */
#ifndef PQTI_VERSION_BYTES_H
#define PQTI_VERSION_BYTES_H

#include <stdbool.h>

#include <pqt/bytes.h>

#include "change/byte_buffer.h"

/* Appends the bytes of a version to a buffer. Returns false and sets `error` on failure. */
bool pqti_version_put(pqti_byte_buffer *to, const void *version, pqt_error *error);

#endif
