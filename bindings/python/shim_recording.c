/* SPDX-License-Identifier: MIT */
/*
 * shim_recording.c: the functions that recording.py calls, with the lock of the recording held.
 *
 * If a recording is in a store, each call also locks the store.
 */
#include "shim.h"

#include <stdlib.h>

/* Locks the store of a recording, if it is in one. Returns false if the recording can no longer be
   used. */
static bool
enter(const pqtpy_recording *of, pqt_error *error)
{
    if (of == NULL) {
        fail(error, PQT_ERROR_MISMATCH, 0, "there is no recording");
        return false;
    }
    if (of->store == NULL)
        return true;
    if (!lock_store(of->store, error))
        return false;
    if (of->recording != NULL)
        return true;
    unlock_store(of->store);
    fail(error, PQT_ERROR_MISMATCH, 0, "the store gave the recording to another object");
    return false;
}

static void
leave(const pqtpy_recording *of)
{
    if (of->store != NULL)
        unlock_store(of->store);
}

pqtpy_recording *
wrap_recording(pqt_recording *recording, pqt_error *error)
{
    pqtpy_recording *of = recording == NULL ? NULL : make_array(1, sizeof *of, error);
    if (of == NULL)
        pqt_recording_destroy(&recording);
    else
        *of = (pqtpy_recording){.recording = recording};
    return of;
}

pqtpy_recording *
pqtpy_recording_make(const pqt_pin *world, const double *numbers, uint64_t every, pqt_error *error)
{
    pqt_step_options options;
    double dt;
    if (!flat_step_options(numbers, &dt, &options, error))
        return NULL;
    return wrap_recording(pqt_recording_make(pqt_pin_get_world(world), dt, &options,
                                             every < SIZE_MAX ? (size_t)every : SIZE_MAX, error),
                          error);
}

void
pqtpy_recording_destroy(pqtpy_recording *of)
{
    if (of == NULL)
        return;
    if (of->store != NULL)
        leave_store_recording(of);
    else
        pqt_recording_destroy(&of->recording);
    free(of);
}

/* Makes, records and pins the next step. If memory is exhausted, reclaims and tries once more, but
   not if the step was recorded. */
static pqt_pin *
step(pqt_recording *recording, pqt_error *error)
{
    for (bool again = false;; again = true) {
        pqt_memory *memory = begin_scope(error);
        if (memory == NULL)
            return NULL;
        const pqt_world *made = pqt_recording_step(recording, NULL, error);
        pqt_pin *pinned = pqt_world_pin(made, error);
        pqt_scope_end(memory);
        if (made != NULL || error->status != PQT_ERROR_MEMORY || again) {
            reclaim_paced();
            return pinned;
        }
        *error = (pqt_error){0};
        pqt_memory_reclaim(memory, PQT_RECLAIM_ALL);
    }
}

pqt_pin *
pqtpy_recording_step(pqtpy_recording *of, pqt_error *error)
{
    if (!enter(of, error))
        return NULL;
    pqt_pin *pinned = step(of->recording, error);
    leave(of);
    return pinned;
}

/* Writes two figures: the number of the last step, and the number of stored worlds. */
bool
pqtpy_recording_describe(const pqtpy_recording *of, uint64_t *figures, pqt_error *error)
{
    if (!enter(of, error))
        return false;
    figures[0] = pqt_recording_last(of->recording);
    figures[1] = pqt_recording_kept(of->recording);
    leave(of);
    return true;
}

static bool
has_step(const pqt_recording *recording, uint64_t step, pqt_error *error)
{
    if (step <= pqt_recording_last(recording))
        return true;
    fail(error, PQT_ERROR_OPTION, 0, "the recording has no step of this number");
    return false;
}

bool
pqtpy_recording_fingerprint(const pqtpy_recording *of, uint64_t step, uint64_t *halves,
                            pqt_error *error)
{
    if (!enter(of, error))
        return false;
    const bool is_there = has_step(of->recording, step, error);
    if (is_there) {
        const pqt_fingerprint found = pqt_recording_fingerprint(of->recording, (size_t)step);
        halves[0] = found.low;
        halves[1] = found.high;
    }
    leave(of);
    return is_there;
}

static pqt_pin *
at(const pqt_recording *recording, uint64_t step, pqt_error *error)
{
    if (!has_step(recording, step, error))
        return NULL;
    pqt_memory *memory = begin_scope(error);
    if (memory == NULL)
        return NULL;
    pqt_pin *pinned = pqt_world_pin(pqt_recording_at(recording, (size_t)step, error), error);
    pqt_scope_end(memory);
    reclaim_paced();
    return pinned;
}

pqt_pin *
pqtpy_recording_at(const pqtpy_recording *of, uint64_t step, pqt_error *error)
{
    if (!enter(of, error))
        return NULL;
    pqt_pin *pinned = at(of->recording, step, error);
    leave(of);
    return pinned;
}

/* Repeats all steps of `a` if `b` is NULL; otherwise compares the two. Returns false on failure.
 * Writes four numbers: whether a step differs, the step, the step whose bodies were compared, and
 * the id of the body. */
static bool
compare(const pqt_recording *a, const pqt_recording *b, uint64_t *figures, pqt_error *error)
{
    pqt_recording_divergence found = {0};
    bool done;
    if (b != NULL) {
        done = pqt_recording_compare(a, b, &found, error);
    } else {
        done = pqt_recording_verify(a, &found, error) || found.found;
        if (found.found)
            *error = (pqt_error){0};
    }
    figures[0] = found.found;
    figures[1] = found.step;
    figures[2] = found.seen;
    figures[3] = found.body;
    reclaim_paced();
    return done;
}

/* Compares two recordings, which are in different stores. Python locks them in a fixed order. */
bool
pqtpy_recording_compare(const pqtpy_recording *a, const pqtpy_recording *b, uint64_t *figures,
                        pqt_error *error)
{
    const bool is_other = b != NULL && b != a;
    if (!enter(a, error))
        return false;
    if (is_other && !enter(b, error)) {
        leave(a);
        return false;
    }
    const bool done = compare(a->recording, b == NULL ? NULL : b->recording, figures, error);
    if (is_other)
        leave(b);
    leave(a);
    return done;
}
