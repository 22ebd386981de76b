/* SPDX-License-Identifier: MIT */
/* recording_internal.h: the structure of a recording. */
#ifndef PQTI_RECORDING_INTERNAL_H
#define PQTI_RECORDING_INTERNAL_H

#include <pqt/recording.h>

/*
 * The functions of a store for a recording that is in it; see src/store/store_recording.c. They
 * return false or NULL with `error` set on failure, and then the store has not changed.
 */
typedef struct pqti_recording_backing {
    /* Saves the next step. */
    bool (*save)(void *store, const pqt_recording *recording, size_t step, const pqt_world *world,
                 pqt_error *error);
    /* Returns the world with this key, which the store keeps until the next one is loaded. */
    const pqt_world *(*load)(void *store, const pqt_recording *recording, size_t step,
                             pqt_error *error);
    void (*detach)(void *store); /* the recording is being destroyed */
} pqti_recording_backing;

struct pqt_recording {
    pqt_memory *memory;
    const pqti_recording_backing *backing; /* NULL: the recording is in no store */
    void *store;
    double dt;
    pqt_step_options options; /* its report is NULL */
    size_t every;
    size_t last;                   /* number of the last step */
    size_t capacity;               /* the capacity of each of the two arrays, in scratch memory */
    pqt_fingerprint *fingerprints; /* the fingerprints of steps 0 .. last */
    pqt_pin **keys;                /* pins of steps 0, every, 2 every ...; not used in a store */
    /* The pin of the last step, if it is not a key. In a store, also of a key, and NULL until it is
       needed. */
    pqt_pin *newest;
};

/* Makes a recording without steps, whose options are valid. Returns NULL and sets `error` if there
   is no memory. */
pqt_recording *pqti_recording_new(pqt_memory *memory, double dt, const pqt_step_options *options,
                                  size_t every, pqt_error *error);

/* Makes room for the fingerprint of a step. Returns false and sets `error` if there is no
   memory. */
bool pqti_recording_reserve(pqt_recording *recording, size_t step, pqt_error *error);

/* Returns true if dt and the distance between keys are in range. Otherwise sets `error`. */
bool pqti_recording_check(double dt, size_t every, pqt_error *error);

/* Keeps only the newest world: from then on the store has the keys. */
void pqti_recording_release_keys(pqt_recording *recording, pqt_pin *newest);

#endif
