/* SPDX-License-Identifier: MIT */
/* version_bytes.h: whole versions of any kind: written, read, compared, checked and pinned. */
#ifndef PQTI_VERSION_BYTES_H
#define PQTI_VERSION_BYTES_H

#include <stdbool.h>

#include <pqt/bytes.h>

#include "change/byte_buffer.h"

bool pqti_version_write(pqt_bytes_kind kind, const void *version, pqt_write_fn *write,
                        void *context, pqt_error *error);

/* Appends the bytes of a version to a buffer. */
bool pqti_version_put(pqti_byte_buffer *to, pqt_bytes_kind kind, const void *version,
                      pqt_error *error);

const void *pqti_version_read(pqt_bytes_kind kind, pqt_read_fn *read, void *context,
                              pqt_memory *memory, pqt_error *error);
pqt_fingerprint pqti_version_fingerprint(pqt_bytes_kind kind, const void *version);

/* A pinned version, and its memory. */
pqt_pin *pqti_version_pin(pqt_bytes_kind kind, const void *version, pqt_error *error);
bool pqti_version_check(pqt_bytes_kind kind, const void *version, pqt_error *error);

#endif
