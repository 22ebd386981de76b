/* SPDX-License-Identifier: MIT */
/* region_options.h - the options of sweeps among pixels, and what comes of one that is not done. */
#ifndef PQTI_REGION_OPTIONS_H
#define PQTI_REGION_OPTIONS_H

#include <pqt/region_sweep.h>

/* The options themselves, or the defaults for NULL; bad ones are a mistake of the caller of the
   public `function`. */
const pqt_region_sweep_options *pqti_region_options(const char *function,
                                                    const pqt_region_sweep_options *options);

/* Both stay where they are. */
static inline pqt_region_sweep
pqti_region_none(pqt_vec mover, pqt_vec other)
{
    return (pqt_region_sweep){.status = PQT_SWEEP_NONE, .stop = mover, .stop_other = other};
}

#endif
