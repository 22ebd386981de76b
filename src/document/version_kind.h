/* SPDX-License-Identifier: MIT */
/* version_kind.h: recognises a version of the wrong kind, which a void pointer can refer to. */
#ifndef PQTI_VERSION_KIND_H
#define PQTI_VERSION_KIND_H

#include "memory/memory_internal.h"

/*
 * Stops the program if a version is of another kind than its caller says. `function` is the public
 * function that was called, or NULL if it is not known. Does nothing if the version is NULL or was
 * reclaimed, or if there is no such kind; the functions for the kind notice that.
 */
void pqti_assert_kind(const char *function, pqt_kind kind, const void *version);

#endif
