/* SPDX-License-Identifier: MIT */
/*
 * recording.c: stores the key worlds and the fingerprints of a recording, and recomputes the steps
 * between key worlds.
 *
 * All memory for a step is allocated before the recording changes, so a failed step leaves it
 * unchanged.
 */
#include "config.h"

#include "world/recording_internal.h"

#include "base/error_internal.h"
#include "base/format_double.h"
#include "base/option_structs.h"
#include "memory/memory_internal.h"
#include "world/world_internal.h"

enum { FIRST_CAPACITY = 64 };

static bool
is_key(const pqt_recording *r, size_t step)
{
    return step % r->every == 0;
}

/* ---- Construction ---- */

bool
pqti_recording_reserve(pqt_recording *r, size_t steps, pqt_error *error)
{
    if (steps < r->capacity)
        return true;
    size_t capacity = r->capacity == 0 ? FIRST_CAPACITY : r->capacity * 2;
    size_t used = r->capacity == 0 ? 0 : r->last + 1;
    const size_t keys_used = used == 0 || r->backing != NULL ? 0 : r->last / r->every + 1;
    void *fingerprints =
        pqti_resize_scratch(r->fingerprints, used, capacity, sizeof *r->fingerprints);
    if (fingerprints != NULL)
        r->fingerprints = fingerprints;
    void *keys = fingerprints == NULL
                     ? NULL
                     : pqti_resize_scratch(r->keys, keys_used, capacity, sizeof *r->keys);
    if (keys == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    r->keys = keys;
    r->capacity = capacity;
    return true;
}

/* Stores a world as the world of a step. */
static bool
store_step(pqt_recording *r, size_t step, const pqt_world *world, pqt_error *error)
{
    if (!pqti_recording_reserve(r, step, error))
        return false;
    pqt_pin *pin = pqt_world_pin(world, error);
    if (pin == NULL)
        return false;
    if (r->backing != NULL && !r->backing->save(r->store, r, step, world, error)) {
        pqt_unpin(&pin);
        return false;
    }
    pqt_unpin(&r->newest);
    if (is_key(r, step) && r->backing == NULL)
        r->keys[step / r->every] = pin;
    else
        r->newest = pin;
    PQT_INVARIANT(step < r->capacity, "a recording has no capacity for a step");
    r->fingerprints[step] = pqt_world_fingerprint(world);
    r->last = step;
    return true;
}

bool
pqti_recording_check(double dt, size_t every, pqt_error *error)
{
    if (!(dt > 0 && dt <= PQTI_WORLD_LIMIT))
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "dt is %s, but must be above 0 and at most %s",
                       pqti_format_double(dt).text, pqti_format_double(PQTI_WORLD_LIMIT).text);
    else if (every == 0)
        pqti_error_set(error, PQT_ERROR_OPTION, 0, "every is 0, but must be at least 1");
    else
        return true;
    return false;
}

pqt_recording *
pqti_recording_new(pqt_memory *memory, double dt, const pqt_step_options *options, size_t every,
                   pqt_error *error)
{
    pqt_recording *r = pqti_alloc_scratch(1, sizeof *r);
    if (r == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *r = (pqt_recording){.memory = memory, .dt = dt, .options = *options, .every = every};
    r->options.report = NULL;
    return r;
}

static void
free_recording(pqt_recording *r)
{
    pqti_free_scratch(r->fingerprints);
    pqti_free_scratch(r->keys);
    pqti_free_scratch(r);
}

pqt_recording *
pqt_recording_make(const pqt_world *first, double dt, const pqt_step_options *options, size_t every,
                   pqt_error *error)
{
    pqt_step_options converted;
    if (!pqti_world_check_input(first, error) || !pqti_recording_check(dt, every, error))
        return NULL;
    options = pqti_options_read(&pqti_step_options_layout, options, &converted, error);
    if (options == NULL)
        return NULL;
    pqt_recording *r = pqti_recording_new(pqti_world_memory(first), dt, options, every, error);
    if (r != NULL && !store_step(r, 0, first, error)) {
        free_recording(r);
        return NULL;
    }
    return r;
}

static void
unpin_keys(pqt_recording *r)
{
    for (size_t i = 0; r->backing == NULL && i <= r->last / r->every; i++)
        pqt_unpin(&r->keys[i]);
}

void
pqti_recording_release_worlds(pqt_recording *r, pqt_pin *newest)
{
    unpin_keys(r);
    pqt_unpin(&r->newest);
    r->newest = newest;
}

void
pqt_recording_destroy(pqt_recording **recording)
{
    if (recording == NULL || *recording == NULL)
        return;
    pqt_recording *r = *recording;
    unpin_keys(r);
    pqt_unpin(&r->newest);
    if (r->backing != NULL)
        r->backing->detach(r->store);
    free_recording(r);
    *recording = NULL;
}

/* ---- Stored worlds ---- */

/* Returns true if the world of a step is stored. */
static bool
is_stored(const pqt_recording *r, size_t step)
{
    return is_key(r, step) || (step == r->last && r->newest != NULL);
}

/* Returns the stored world of a step. Returns NULL and sets `error` if the store cannot load it. */
static const pqt_world *
stored_world(const pqt_recording *r, size_t step, pqt_error *error)
{
    PQT_INVARIANT(is_stored(r, step), "the world of this step is not stored");
    if (step == r->last && r->newest != NULL)
        return pqt_pin_get_world(r->newest);
    return r->backing != NULL ? r->backing->load(r->store, r, step, error)
                              : pqt_pin_get_world(r->keys[step / r->every]);
}

size_t
pqt_recording_last(const pqt_recording *recording)
{
    PQT_ASSERT(recording != NULL, "the recording is NULL");
    return recording->last;
}

size_t
pqt_recording_kept(const pqt_recording *recording)
{
    PQT_ASSERT(recording != NULL, "the recording is NULL");
    return recording->last / recording->every + 1 +
           (recording->newest != NULL && !is_key(recording, recording->last));
}

pqt_fingerprint
pqt_recording_fingerprint(const pqt_recording *recording, size_t step)
{
    PQT_ASSERT(recording != NULL, "the recording is NULL");
    PQT_ASSERT(step <= recording->last, "the step is after the last one");
    return recording->fingerprints[step];
}

/* ---- Recomputation ---- */

static bool
is_recorded(const pqt_recording *r, size_t step, const pqt_world *world)
{
    return pqt_fingerprint_equals(pqt_world_fingerprint(world), r->fingerprints[step]);
}

/* Returns the world after `steps` more steps, or NULL with an error set on failure. */
static const pqt_world *
step_repeatedly(const pqt_recording *r, const pqt_world *world, size_t steps, pqt_error *error)
{
    for (size_t i = 0; i < steps && world != NULL; i++)
        world = pqt_world_step(world, r->dt, &r->options, error);
    return world;
}

/* Reports that `world`, which was recomputed for `step`, differs from the recording. Names a body
 * that differs at the next stored step, if there is such a body. */
static void
report_divergence(const pqt_recording *r, size_t step, const pqt_world *world,
                  pqt_recording_divergence *divergence, pqt_error *error)
{
    size_t shown = step;
    uint64_t body = 0;
    while (shown < r->last && !is_stored(r, shown))
        shown++;
    *divergence = (pqt_recording_divergence){true, step, step, 0};
    if (!is_stored(r, shown)) {
        pqti_error_set(error, PQT_ERROR_CORRUPT, 0, "step %zu differs from the recording", step);
        return;
    }
    const pqt_world *stored = stored_world(r, shown, error);
    world = stored == NULL ? NULL : step_repeatedly(r, world, shown - step, error);
    if (world == NULL)
        return;
    divergence->seen = shown;
    if (pqt_world_differs(world, stored, &body))
        divergence->body = body;
    pqti_error_set(error, PQT_ERROR_CORRUPT, 0,
                   "step %zu differs from the recording: see body %llu at step %zu", step,
                   (unsigned long long)body, shown);
}

/* Recomputes the steps from `from` + 1 to `to`, starting from the world of step `from`, and
 * compares each fingerprint. Returns NULL with an error set if one differs or a step fails. */
static const pqt_world *
rerun_steps(const pqt_recording *r, const pqt_world *world, size_t from, size_t to,
            pqt_recording_divergence *divergence, pqt_error *error)
{
    for (size_t step = from + 1; step <= to; step++) {
        world = step_repeatedly(r, world, 1, error);
        if (world == NULL)
            return NULL;
        if (is_recorded(r, step, world))
            continue;
        report_divergence(r, step, world, divergence, error);
        return NULL;
    }
    return world;
}

/* Returns the world of a step, which may be made for this. A scope must be open. */
static const pqt_world *
find_world(const pqt_recording *r, size_t step, pqt_error *error)
{
    pqt_recording_divergence divergence;
    if (is_stored(r, step))
        return stored_world(r, step, error);
    size_t key = step / r->every * r->every;
    const pqt_world *from = stored_world(r, key, error);
    return from == NULL ? NULL : rerun_steps(r, from, key, step, &divergence, error);
}

const pqt_world *
pqt_recording_at(const pqt_recording *recording, size_t step, pqt_error *error)
{
    PQT_ASSERT(recording != NULL, "the recording is NULL");
    PQT_ASSERT(step <= recording->last, "the step is after the last one");
    if (!pqti_scope_begin(recording->memory, error))
        return NULL;
    const pqt_world *world = find_world(recording, step, error);
    pqti_scope_end(recording->memory);
    return world;
}

const pqt_world *
pqt_recording_step(pqt_recording *recording, pqt_step_report *report, pqt_error *error)
{
    PQT_ASSERT(recording != NULL, "the recording is NULL");
    pqt_step_options options = recording->options;
    pqt_step_report report_of_step = {0};
    options.report = &report_of_step;
    if (!pqti_scope_begin(recording->memory, error))
        return NULL;
    const pqt_world *now = pqt_recording_at(recording, recording->last, error);
    const pqt_world *next =
        now == NULL ? NULL : pqt_world_step(now, recording->dt, &options, error);
    const bool done = next != NULL && store_step(recording, recording->last + 1, next, error);
    pqti_scope_end(recording->memory);
    if (!done)
        return NULL;
    pqti_report_add(report, &report_of_step);
    return next;
}

/* Recomputes the steps from a key world to the next one, or to the last step. The scope keeps each
 * world until the next step has read it. */
static bool
verify_from_key(const pqt_recording *r, size_t key, pqt_recording_divergence *divergence,
                pqt_error *error)
{
    const size_t end = r->every < r->last - key ? key + r->every : r->last;
    if (!pqti_scope_begin(r->memory, error))
        return false;
    const pqt_world *from = stored_world(r, key, error);
    const bool same = from != NULL && rerun_steps(r, from, key, end, divergence, error) != NULL;
    pqti_scope_end(r->memory);
    return same;
}

bool
pqt_recording_verify(const pqt_recording *recording, pqt_recording_divergence *divergence,
                     pqt_error *error)
{
    pqt_recording_divergence found = {0};
    PQT_ASSERT(recording != NULL, "the recording is NULL");
    bool same = true;
    for (size_t key = 0; key < recording->last && same; key += recording->every)
        same = verify_from_key(recording, key, &found, error);
    if (divergence != NULL)
        *divergence = found;
    return same;
}

/* Returns the first step whose fingerprints differ. If there is none, returns the step after the
 * last one of the shorter recording. */
static size_t
first_difference(const pqt_recording *a, const pqt_recording *b)
{
    size_t step = 0;
    while (step <= a->last && step <= b->last &&
           pqt_fingerprint_equals(a->fingerprints[step], b->fingerprints[step]))
        step++;
    return step;
}

/* Finds a body that differs after a step. A scope must be open in both memories, so that making the
 * second world does not reclaim the first one. */
static bool
compare_at(const pqt_recording *a, const pqt_recording *b, size_t step,
           pqt_recording_divergence *divergence, pqt_error *error)
{
    const pqt_world *in_a = pqt_recording_at(a, step, error);
    const pqt_world *in_b = pqt_recording_at(b, step, error);
    if (in_a == NULL || in_b == NULL)
        return false;
    *divergence = (pqt_recording_divergence){true, step, step, 0};
    (void)pqt_world_differs(in_a, in_b, &divergence->body);
    return true;
}

bool
pqt_recording_compare(const pqt_recording *a, const pqt_recording *b,
                      pqt_recording_divergence *divergence, pqt_error *error)
{
    PQT_ASSERT(a != NULL && b != NULL, "a recording is NULL");
    PQT_ASSERT(divergence != NULL, "divergence is NULL");
    *divergence = (pqt_recording_divergence){0};
    size_t step = first_difference(a, b);
    if (step > a->last || step > b->last)
        return true;
    bool done = false;
    if (!pqti_scope_begin(a->memory, error))
        return false;
    if (pqti_scope_begin(b->memory, error)) {
        done = compare_at(a, b, step, divergence, error);
        pqti_scope_end(b->memory);
    }
    pqti_scope_end(a->memory);
    return done;
}
