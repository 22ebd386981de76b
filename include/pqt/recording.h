/* SPDX-License-Identifier: MIT */
/**
 * @file recording.h - a run of a world: any of its moments again, by key worlds and determinism.
 *
 * A recording keeps the fingerprint of every step, and the world of every k-th one, a *key*. Any
 * other moment is made anew from the key before it and compared with its fingerprint: so going back
 * is exact, and a step that does not come out as it did is found out and named.
 *
 * A recording is changed in place: it belongs to one thread at a time. What it hands out are worlds
 * like any others; on the collector they are kept alive by it, and by whoever holds them.
 */
#ifndef PQT_RECORDING_H
#define PQT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/step.h>
#include <pqt/world.h>

PQT_BEGIN_DECLARATIONS

/** A run of a world. */
typedef struct pqt_recording pqt_recording;

/** Where two runs part. */
typedef struct pqt_recording_divergence {
    bool found;    /**< false: nowhere, and the rest is 0 */
    size_t step;   /**< the first step whose worlds differ */
    size_t seen;   /**< where bodies could be compared: `step`, or the next one kept */
    uint64_t body; /**< the lowest id of a body that differs there */
} pqt_recording_divergence;

/**
 * Begins a recording; its step 0 is the given world.
 *
 * @param first    NULL passes an earlier failure on
 * @param dt       seconds of each step, > 0, at most 2^200
 * @param options  of each step; NULL: the defaults; its report is not used
 * @param every    each so many steps a world is kept: 1 keeps all; > 0
 * @param error    told why on failure; may be NULL; an error already in it is kept
 * @return         the recording, to be destroyed by pqt_recording_destroy; NULL on failure
 *
 * @error PQT_ERROR_OPTION  dt or `every` is out of its range; what is wrong with options, the first
 *                          step tells
 * @error PQT_ERROR_MEMORY  no memory
 * @since 0.1
 */
PQT_API PQT_NODISCARD pqt_recording *pqt_recording_make(const pqt_world *first, double dt,
                                                        const pqt_step_options *options,
                                                        size_t every, pqt_error *error);

/** Lets go of all that is kept, and sets the pointer to NULL; NULL and a pointer to NULL are
    allowed. @since 0.1 */
PQT_API void pqt_recording_destroy(pqt_recording **recording);

/**
 * Makes the next step.
 *
 * @param report  NULL, or adds up what happened in it
 * @return        the world after it; NULL on failure, with nothing recorded
 * @error those of pqt_world_step
 * @cost  that of the step, and of a pin
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_world *
pqt_recording_step(pqt_recording *recording, pqt_step_report *report, pqt_error *error);

/** The number of the last step; 0: none was made. @since 0.1 */
PQT_API size_t pqt_recording_last(const pqt_recording *recording);

/** How many worlds are kept: the keys, and the last one. @since 0.1 */
PQT_API size_t pqt_recording_kept(const pqt_recording *recording);

/** The fingerprint of a step. @param step 0 .. pqt_recording_last @since 0.1 */
PQT_API pqt_fingerprint pqt_recording_fingerprint(const pqt_recording *recording, size_t step);

/**
 * The world after a step: a kept one, or made anew and found to be the same.
 *
 * @param step  0 .. pqt_recording_last
 * @return      the world; NULL on failure
 * @error PQT_ERROR_CORRUPT  a step came out otherwise than it was recorded; the text names the
 * first
 *                          and a body
 * @error and those of pqt_world_step
 * @cost  O(1) for a kept world; else that of fewer than `every` steps
 * @since 0.1
 */
PQT_API PQT_NODISCARD const pqt_world *pqt_recording_at(const pqt_recording *recording, size_t step,
                                                        pqt_error *error);

/**
 * Runs all steps anew from the first world, and compares each with its fingerprint.
 *
 * @param divergence  NULL, or set to where the run came out otherwise
 * @return            whether it came out the same; false on failure as well
 * @error as pqt_recording_at
 * @since 0.1
 */
PQT_API bool pqt_recording_verify(const pqt_recording *recording,
                                  pqt_recording_divergence *divergence, pqt_error *error);

/**
 * Finds the first step at which two recordings differ, and a body that does; of steps that both
 * have.
 *
 * @param divergence  set to what was found; `seen` is `step`
 * @return            false on failure
 * @error those of pqt_recording_at
 * @cost  O(steps), and that of pqt_recording_at in both
 * @since 0.1
 */
PQT_API bool pqt_recording_compare(const pqt_recording *a, const pqt_recording *b,
                                   pqt_recording_divergence *divergence, pqt_error *error);

PQT_END_DECLARATIONS

#endif
