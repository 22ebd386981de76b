/* SPDX-License-Identifier: MIT */
/* shim_world.c: recordings, for lib/world.js. */
#include "shim.h"

#include <math.h>

static bool
is_recording(const pqt_recording *recording)
{
    if (recording == NULL)
        fail(PQT_ERROR_MISMATCH, "the recording was freed");
    return recording != NULL;
}

static bool
is_step(const pqt_recording *recording, double step)
{
    if (!is_recording(recording))
        return false;
    if (step >= 0 && floor(step) == step && step <= (double)pqt_recording_last(recording))
        return true;
    fail(PQT_ERROR_OPTION, "the recording has no step with this number");
    return false;
}

/* Begins a recording. The buffer holds the options of the steps. */
pqt_recording *
EXPORT(pqtjs_recording_make)(pqt_pin *pin, double every)
{
    const pqt_world *world = world_of(pin);
    pqt_step_options options;
    double dt;
    if (world == NULL || !flat_step_options((const double *)buffer, &dt, &options, &failure))
        return NULL;
    const size_t distance = every >= 1 && every <= (double)INT32_MAX ? (size_t)every : 0;
    pqt_recording *made = pqt_recording_make(world, dt, &options, distance, &failure);
    if (made == NULL && try_again())
        made = pqt_recording_make(world, dt, &options, distance, &failure);
    return made;
}

void
EXPORT(pqtjs_recording_destroy)(pqt_recording *recording)
{
    pqt_recording_destroy(&recording);
}

/* Makes the next step. Returns a pin on the world after it, and writes the report to the buffer. */
pqt_pin *
EXPORT(pqtjs_recording_step)(pqt_recording *recording)
{
    if (!is_recording(recording))
        return NULL;
    pqt_step_report report = {0};
    const pqt_world *made = pqt_recording_step(recording, &report, &failure);
    if (made == NULL && try_again()) {
        report = (pqt_step_report){0};
        made = pqt_recording_step(recording, &report, &failure);
    }
    memcpy(buffer, &report, sizeof report);
    return keep(pqt_world_pin(made, &failure));
}

/* Returns the number of the last step, or the number of stored worlds; -1 on failure. */
double
EXPORT(pqtjs_recording_count)(pqt_recording *recording, int kept)
{
    if (!is_recording(recording))
        return -1;
    return (double)(kept ? pqt_recording_kept(recording) : pqt_recording_last(recording));
}

pqt_pin *
EXPORT(pqtjs_recording_at)(pqt_recording *recording, double step)
{
    if (!is_step(recording, step))
        return NULL;
    RETURN_PINNED(world, pqt_recording_at(recording, (size_t)step, &failure));
}

/* Writes the fingerprint of a step to the buffer. */
int32_t
EXPORT(pqtjs_recording_fingerprint)(pqt_recording *recording, double step)
{
    if (!is_step(recording, step))
        return 0;
    const pqt_fingerprint fingerprint = pqt_recording_fingerprint(recording, (size_t)step);
    memcpy(buffer, &fingerprint, sizeof fingerprint);
    return 1;
}

/* Returns 1 if two recordings differ, and writes the first step that does, and the lowest id of a
   body that differs there; -1 on failure. */
int32_t
EXPORT(pqtjs_recording_compare)(pqt_recording *a, pqt_recording *b)
{
    pqt_recording_divergence found;
    if (!is_recording(a) || !is_recording(b))
        return -1;
    const bool done = pqt_recording_compare(a, b, &found, &failure);
    keep(NULL);
    if (!done)
        return -1;
    const uint64_t words[2] = {found.step, found.body};
    memcpy(buffer, words, sizeof words);
    return found.found;
}

/* Returns 1 if all steps give the same worlds when they are repeated; -1 if not, and on failure. */
int32_t
EXPORT(pqtjs_recording_verify)(pqt_recording *recording)
{
    if (!is_recording(recording))
        return -1;
    const bool same = pqt_recording_verify(recording, NULL, &failure);
    keep(NULL);
    return same ? 1 : -1;
}
