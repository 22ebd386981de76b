/* SPDX-License-Identifier: MIT */
/*
 * unload.c: finds out whether the library is being unloaded, or the process ends.
 *
 * At the end of a process, exit first calls the functions that were registered by atexit, and then
 * the destructors of shared objects. When a shared object is unloaded, its destructors run first,
 * and then the functions that it registered by atexit. So a destructor that finds that the
 * registered function has not run yet is part of an unloading. On systems where both are in the
 * same order, each unloading looks like the end of the process.
 */
#include "config.h"

#include "base/unload.h"

#ifndef __wasm__

#include <pthread.h>
#include <stdlib.h>

static pthread_once_t watch_once = PTHREAD_ONCE_INIT;
static bool is_watching; /* false if it was not registered, or has run */

static void
note_end(void)
{
    is_watching = false;
}

static void
watch_end(void)
{
    is_watching = atexit(note_end) == 0;
}

void
pqti_unload_watch(void)
{
    (void)pthread_once(&watch_once, watch_end);
}

bool
pqti_is_unloading(void)
{
    return is_watching;
}

#endif
