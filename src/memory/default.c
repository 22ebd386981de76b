/* SPDX-License-Identifier: MIT */
/*
 * default.c: returns the default memory, which is used where the caller passes NULL. It is the
 * collector or, in a build without it, a heap.
 */
#include "config.h"

#include "memory/memory_internal.h"

#include "base/error_internal.h"

bool
pqt_init(pqt_error *error)
{
#if PQT_WITH_COLLECTOR
    return pqti_collector_start(error);
#else
    (void)error;
    return true;
#endif
}

pqt_memory *
pqti_memory_or_default(pqt_memory *memory, pqt_error *error)
{
    if (memory != NULL && memory != pqt_collector())
        return memory;
#if PQT_WITH_COLLECTOR
    return pqti_collector_start(error) ? pqt_collector() : NULL;
#else
    return pqti_default_heap(error);
#endif
}

pqt_memory *
pqt_default_memory(pqt_error *error)
{
    return pqti_memory_or_default(NULL, error);
}
