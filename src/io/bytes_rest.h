/* SPDX-License-Identifier: MIT */
/* bytes_rest.h: the state of rest of a world as bytes. */
#ifndef PQTI_BYTES_REST_H
#define PQTI_BYTES_REST_H

#include <stdbool.h>

#include <pqt/memory.h>

#include "io/section.h"
#include "world/rest_state.h"

/* Write or read a state of rest. On failure, set the error and return false. */
bool pqti_rest_write_sections(pqti_writer *writer, const pqti_rest_state *state);
bool pqti_rest_read_sections(pqti_reader *reader, pqt_memory *memory, const pqti_rest_state **made);

#endif
