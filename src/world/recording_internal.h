/* SPDX-License-Identifier: MIT */
/* recording_internal.h: the structure of a recording. */
#ifndef PQTI_RECORDING_INTERNAL_H
#define PQTI_RECORDING_INTERNAL_H

#include <pqt/recording.h>

struct pqt_recording {
    double dt;
    pqt_step_options options; /* its report is NULL */
    size_t every;
    size_t last;                   /* number of the last step */
    size_t capacity;               /* of each of the two arrays, in scratch memory */
    pqt_fingerprint *fingerprints; /* of steps 0 .. last */
    pqt_pin **keys;                /* of steps 0, every, 2 every ... */
    pqt_pin *newest;               /* of the last step, if it is not a key; otherwise NULL */
};

#endif
