/* SPDX-License-Identifier: MIT */
/* shim_recording.c: recordings of worlds, for recording.py, which holds a lock during each call. */
#include "shim.h"

pqt_recording *
pqtpy_recording_make(const pqt_pin *world, double dt, const double *numbers, uint64_t sleep_steps,
                     uint64_t every, pqt_error *error)
{
    const pqt_step_options options = step_options(numbers, sleep_steps);
    return pqt_recording_make(pqt_pin_get_world(world), dt, &options,
                              every < SIZE_MAX ? (size_t)every : SIZE_MAX, error);
}

void
pqtpy_recording_destroy(pqt_recording *recording)
{
    pqt_recording_destroy(&recording);
}

/* Makes, records and pins the next step. A step that was recorded is not made again. */
pqt_pin *
pqtpy_recording_step(pqt_recording *recording, pqt_error *error)
{
    for (bool again = false;; again = true) {
        pqt_memory *memory = begin_scope(error);
        if (memory == NULL)
            return NULL;
        const uint64_t before = used_bytes();
        const pqt_world *made = pqt_recording_step(recording, NULL, error);
        pqt_pin *pinned = pqt_world_pin(made, error);
        pqt_scope_end(memory);
        if (made != NULL || error->status != PQT_ERROR_MEMORY || again) {
            reclaim_since(before);
            return pinned;
        }
        *error = (pqt_error){0};
        pqt_memory_reclaim(memory, PQT_RECLAIM_ALL);
    }
}

/* Writes two figures: the number of the last step, and how many worlds are stored. */
void
pqtpy_recording_describe(const pqt_recording *recording, uint64_t *figures)
{
    figures[0] = pqt_recording_last(recording);
    figures[1] = pqt_recording_kept(recording);
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
pqtpy_recording_fingerprint(const pqt_recording *recording, uint64_t step, uint64_t *halves,
                            pqt_error *error)
{
    if (!has_step(recording, step, error))
        return false;
    const pqt_fingerprint fingerprint = pqt_recording_fingerprint(recording, (size_t)step);
    halves[0] = fingerprint.low;
    halves[1] = fingerprint.high;
    return true;
}

pqt_pin *
pqtpy_recording_at(const pqt_recording *recording, uint64_t step, pqt_error *error)
{
    if (!has_step(recording, step, error))
        return NULL;
    const uint64_t before = used_bytes();
    pqt_memory *memory = begin_scope(error);
    if (memory == NULL)
        return NULL;
    pqt_pin *pinned = pqt_world_pin(pqt_recording_at(recording, (size_t)step, error), error);
    pqt_scope_end(memory);
    reclaim_since(before);
    return pinned;
}

/* Repeats all steps of `a` if `b` is NULL, else compares both. Returns false on failure. Writes
   four figures: whether a step differs, the step, that whose bodies were compared, and the body. */
bool
pqtpy_recording_compare(const pqt_recording *a, const pqt_recording *b, uint64_t *figures,
                        pqt_error *error)
{
    pqt_recording_divergence found = {0};
    const uint64_t before = used_bytes();
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
    reclaim_since(before);
    return done;
}
