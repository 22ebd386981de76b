/* SPDX-License-Identifier: MIT */
/* recording_internal.h - what a recording is made of. */
#ifndef PQTI_RECORDING_INTERNAL_H
#define PQTI_RECORDING_INTERNAL_H

#include <pqt/recording.h>

struct pqt_recording {
    double dt;
    pqt_step_options options; /* its report is NULL */
    size_t every;
    size_t last;                   /* the number of the last step */
    size_t capacity;               /* of each of the two arrays, which are malloc's */
    pqt_fingerprint *fingerprints; /* of steps 0 .. last */
    pqt_pin **keys;                /* of steps 0, every, 2 every ... */
    pqt_pin *newest;               /* of the last step, if it is no key; else NULL */
};

#endif
