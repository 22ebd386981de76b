/* SPDX-License-Identifier: MIT */
/**
 * @file store_recording.h - recordings of worlds in stores (store.h), saved with each step.
 */
#ifndef PQT_STORE_RECORDING_H
#define PQT_STORE_RECORDING_H

#include <stdbool.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/memory.h>
#include <pqt/recording.h>
#include <pqt/store.h>

PQT_BEGIN_DECLARATIONS

/**
 * Saves a recording in an empty store. From then on the recording is in the store: each step is in
 * the file when pqt_recording_step returns, as a push of a history is. In memory it keeps the world
 * of the last step and the last key that was loaded, so pin any other world to keep it.
 *
 * @param recording  in no store
 * @param store      empty, open for writing; not NULL
 * @return           false on failure: the store is empty, and the recording is in no store
 *
 * @error PQT_ERROR_MISMATCH  the store is not empty, or is open for reading; or the recording is in
 *                            a store
 * @error PQT_ERROR_CONFLICT  the lock or a file of the store was removed or replaced
 * @error PQT_ERROR_STREAM    the file cannot be written
 * @error PQT_ERROR_MEMORY    out of memory
 * @cost  O(steps), and the worlds of all keys
 */
PQT_API bool pqt_recording_save(pqt_recording *recording, pqt_store *store, pqt_error *error);

/**
 * Opens the recording of a store, with its options. It continues where it ended: pqt_recording_step
 * makes the next step, from the last world, which is reproduced from the key before it.
 *
 * In addition to their own errors, pqt_recording_step, pqt_recording_at, pqt_recording_verify and
 * pqt_recording_compare fail with PQT_ERROR_FORMAT if a key is damaged, and with PQT_ERROR_STREAM
 * if the file cannot be read or written. pqt_recording_step also fails with PQT_ERROR_MISMATCH if
 * the store is open for reading, and with PQT_ERROR_CONFLICT as pqt_recording_save does.
 *
 * @param store   holds a recording that is not open; not NULL
 * @param memory  where its worlds will live; NULL: the default memory
 * @return        the recording, to be destroyed by pqt_recording_destroy; NULL on failure
 *
 * @error PQT_ERROR_MISMATCH  the store holds no recording, or it is open
 * @error PQT_ERROR_FORMAT    the store is damaged; the text names the step
 * @error PQT_ERROR_STREAM    the file cannot be read
 * @error PQT_ERROR_MEMORY, PQT_ERROR_THREAD  as pqt_history_make
 * @cost  O(steps); no world is loaded
 */
PQT_API PQT_NODISCARD pqt_recording *pqt_recording_open(pqt_store *store, pqt_memory *memory,
                                                        pqt_error *error);

PQT_END_DECLARATIONS

#endif
