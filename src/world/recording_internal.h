/* SPDX-License-Identifier: MIT */
/* recording_internal.h: the structure of a recording. */
#ifndef PQTI_RECORDING_INTERNAL_H
#define PQTI_RECORDING_INTERNAL_H

#include <pqt/recording.h>

/*
 * The functions of a store that serve a recording in it: see src/store/store_recording.c. On
 * failure, they return false or NULL with `error` set and leave the store unchanged.
 */
typedef struct pqti_recording_backing {
    /* Saves the next step. */
    bool (*save)(void *store, const pqt_recording *recording, size_t step, const pqt_world *world,
                 pqt_error *error);
    /* Returns the stored world of a step, which the store keeps until it loads the next one. */
    const pqt_world *(*load)(void *store, const pqt_recording *recording, size_t step,
                             pqt_error *error);
    void (*detach)(void *store); /* called when the recording is destroyed */
} pqti_recording_backing;

struct pqt_recording {
    pqt_memory *memory;
    const pqti_recording_backing *backing; /* NULL: the recording is in no store */
    void *store;
    double dt;
    pqt_step_options options; /* the options of each step; `report` is NULL */
    size_t every;
    size_t last;                   /* number of the last step */
    size_t capacity;               /* number of elements for which each array below has room */
    pqt_fingerprint *fingerprints; /* the fingerprints of the worlds of steps 0 .. last */
    pqt_pin **keys;                /* pins of the worlds of steps 0, every, 2 every ... */
    pqt_pin *newest; /* pin of the last world; NULL if `keys` has it. With a store, `keys` is
                        unused, and this is NULL only until it is needed */
};

/* Makes a recording without steps. The options must be valid. Returns NULL and sets `error` when
 * out of memory. */
pqt_recording *pqti_recording_new(pqt_memory *memory, double dt, const pqt_step_options *options,
                                  size_t every, pqt_error *error);

/* Makes room for the fingerprint of a step. Returns false and sets `error` when out of
   memory. */
bool pqti_recording_reserve(pqt_recording *recording, size_t step, pqt_error *error);

/* Returns true if dt and the number of steps between keys are in range. Otherwise, returns false
 * and sets `error`. */
bool pqti_recording_check(double dt, size_t every, pqt_error *error);

/* Keeps only the newest world, because the store holds the key worlds from now on. */
void pqti_recording_release_worlds(pqt_recording *recording, pqt_pin *newest);

#endif
