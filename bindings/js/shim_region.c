/* SPDX-License-Identifier: MIT */
/* shim_region.c: the calls for regions that only lib/region.js has. */
#include "shim.h"

static bool
append_pin(const pqt_region *component, void *context)
{
    int32_t *count = context;
    pqt_pin *pin = pqt_region_pin(component, &failure);
    if (pin == NULL || !append(&(uint64_t){(uintptr_t)pin}, sizeof(uint64_t))) {
        pqt_unpin(&pin);
        return false;
    }
    ++*count;
    return true;
}

/* Fills the buffer with pins of the components of at least `minimum` pixels, in 64-bit words, and
   returns their number; -1 on failure. */
int32_t
EXPORT(pqtjs_region_components)(pqt_pin *pin, int connectivity, double minimum)
{
    const pqt_region *region = region_of(pin);
    int32_t count = 0;
    begin_append();
    if (region == NULL)
        return -1;
    const bool all = pqt_region_visit_components(region, (pqt_connectivity)connectivity,
                                                 (uint64_t)minimum, append_pin, &count, &failure);
    keep(NULL);
    if (all)
        return count;
    for (int32_t i = 0; i < count; i++) {
        pqt_pin *component = (pqt_pin *)(uintptr_t)((const uint64_t *)buffer)[i];
        pqt_unpin(&component);
    }
    return -1;
}
