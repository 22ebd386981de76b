/* SPDX-License-Identifier: MIT */
/* store_recording_internal.h: reads the recording of a store, and checks it. */
#ifndef PQTI_STORE_RECORDING_INTERNAL_H
#define PQTI_STORE_RECORDING_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/store_recording.h>

/* Reads the row of the recording. */
bool pqti_read_recording(pqt_store *store, double *dt, size_t *every, pqt_step_options *options,
                         pqt_error *error);

/* Loads and checks each keyframe of the open recording. */
bool pqti_check_recording(pqt_store *store, pqt_error *error);

#endif
