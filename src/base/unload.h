/* SPDX-License-Identifier: MIT */
/*
 * unload.h: lets a file release what it holds when the library is unloaded.
 *
 * A plugin may contain its own copy of the library. When the plugin is unloaded, the code and the
 * static variables of the copy disappear while the process lives. So whatever the system calls
 * later, such as the destructor of a pthread key, must be deleted before, and whatever only static
 * variables refer to must be freed. (The system itself removes the handlers of pthread_atfork.)
 *
 * A destructor of the library also runs when the process ends. Other threads may then still work
 * in the library, so nothing that they use may be freed.
 */
#ifndef PQTI_UNLOAD_H
#define PQTI_UNLOAD_H

#include <stdbool.h>

#ifdef __wasm__ /* nothing is unloaded, and an instance does not end */

#define PQTI_AT_UNLOAD __attribute__((unused))

static inline void
pqti_unload_watch(void)
{
}

static inline bool
pqti_is_unloading(void)
{
    return false;
}

#else

/* Marks a function that runs when the library is unloaded, and when the process ends. */
#define PQTI_AT_UNLOAD __attribute__((destructor))

/* Must be called before anything is made that only an unloading frees. */
void pqti_unload_watch(void);

/*
 * Returns true if the library is being unloaded while the process lives, so that no thread works
 * in it. For functions that are marked with PQTI_AT_UNLOAD. If the system cannot tell, returns
 * false.
 */
bool pqti_is_unloading(void);

#endif

#endif
