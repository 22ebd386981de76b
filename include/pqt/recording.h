/* SPDX-License-Identifier: MIT */
/**
 * @file recording.h - recordings: all steps of a world, reproduced from a few stored versions.
 *
 * A recording stores the fingerprint of every step, and the world of every k-th step, a *key*. It
 * reproduces any other version by stepping from the key before it, and compares the result with the
 * stored fingerprint. So going back is exact, and a step that gives a different result is detected
 * and named.
 *
 * A recording is mutable: one thread at a time may use it. The worlds that it returns are ordinary
 * versions. The recording is a root for the versions that it stores (memory.h).
 */
#ifndef PQT_RECORDING_H
#define PQT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/fingerprint.h>
#include <pqt/step.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/** The recorded steps of a world. */
typedef struct pqt_recording pqt_recording;

/** The first difference between two runs. */
typedef struct pqt_recording_divergence {
    bool found;    /**< false: there is none, and the other members are 0 */
    size_t step;   /**< the first step whose worlds differ */
    size_t seen;   /**< the step at which bodies were compared: `step`, or the next stored one */
    uint64_t body; /**< the lowest id of a body that differs there */
} pqt_recording_divergence;

/**
 * Begins a recording. Its step 0 is the given world.
 *
 * @param first    any version
 * @param dt       seconds of each step, > 0, at most 2^200
 * @param options  the options of each step; NULL means PQT_STEP_DEFAULTS; `report` is not used
 * @param every    the number of steps from one key to the next, > 0; 1 stores all worlds
 * @return         the recording, to be destroyed by pqt_recording_destroy; NULL on failure
 *
 * @error PQT_ERROR_OPTION  dt or `every` is out of range; the first step reports errors in options
 * @error PQT_ERROR_MEMORY  out of memory
 */
PQT_API PQT_NODISCARD pqt_recording *pqt_recording_make(const pqt_world *first, double dt,
                                                        const pqt_step_options *options,
                                                        size_t every, pqt_error *error);

/**
 * Destroys a recording, releases all that it stores, and sets the pointer to NULL.
 *
 * @param recording  NULL and a pointer to NULL are allowed
 */
PQT_API void pqt_recording_destroy(pqt_recording **recording);

/**
 * Makes and records the next step.
 *
 * @param recording  not NULL
 * @param report     NULL, or increased by the counts of the step
 * @return           the world after the step; NULL on failure, with nothing recorded
 * @error those of pqt_world_step
 * @cost  a step and a pin
 */
PQT_API PQT_NODISCARD const pqt_world *
pqt_recording_step(pqt_recording *recording, pqt_step_report *report, pqt_error *error);

/**
 * Returns the number of the last step.
 *
 * @param recording  not NULL
 * @return           the number; 0 before the first step
 */
PQT_API size_t pqt_recording_last(const pqt_recording *recording);

/**
 * Returns the number of worlds that are stored: the keys and the last one.
 *
 * @param recording  not NULL
 * @return           the number of worlds, at least 1
 */
PQT_API size_t pqt_recording_kept(const pqt_recording *recording);

/**
 * Returns the fingerprint of the world after a step.
 *
 * @param recording  not NULL
 * @param step       0..pqt_recording_last
 * @return           the fingerprint
 */
PQT_API pqt_fingerprint pqt_recording_fingerprint(const pqt_recording *recording, size_t step);

/**
 * Returns the world after a step, stored or reproduced.
 *
 * @param recording  not NULL
 * @param step       0..pqt_recording_last
 * @return           the world; NULL on failure
 * @error PQT_ERROR_CORRUPT  a step gave a result other than the recorded one; the text names the
 *                           first such step and a body
 * @error and those of pqt_world_step without PQT_ERROR_LIMIT and PQT_ERROR_OPTION, which the first
 *        run would have reported
 * @cost  O(1) for a stored world; otherwise that of fewer than `every` steps, whose worlds remain
 *        in a heap until the call returns
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_recording_at(const pqt_recording *recording, size_t step,
                                                        pqt_error *error);

/**
 * Repeats all steps from the first world, and compares each with its fingerprint.
 *
 * @param recording   not NULL
 * @param divergence  NULL, or set to the first difference
 * @return            true if all steps gave the same results; false if not, and on failure
 * @error PQT_ERROR_CORRUPT, PQT_ERROR_MEMORY  as pqt_recording_at
 */
PQT_API bool pqt_recording_verify(const pqt_recording *recording,
                                  pqt_recording_divergence *divergence, pqt_error *error);

/**
 * Finds the first step at which two recordings differ, and a body that differs. It compares the
 * steps that both have.
 *
 * @param a           a recording, not NULL
 * @param b           a recording, not NULL
 * @param divergence  set to the result; `seen` is `step`
 * @return            false on failure
 * @error PQT_ERROR_CORRUPT, PQT_ERROR_MEMORY  as pqt_recording_at
 * @cost  O(steps), and that of pqt_recording_at in both
 */
PQT_API bool pqt_recording_compare(const pqt_recording *a, const pqt_recording *b,
                                   pqt_recording_divergence *divergence, pqt_error *error);

PQT_END_DECLARATIONS

#endif
