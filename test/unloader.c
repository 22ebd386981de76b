/* SPDX-License-Identifier: MIT */
/*
 * unloader.c: a program that knows neither the library nor the collector, and loads and unloads
 * plugin_copy.c several times. test_host runs it.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

enum { ROUNDS = 4, EDITS = 3000 };

int
main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        bool (*works)(int count) = NULL;
        void *plugin = dlopen("test/.libs/plugin_copy.so", RTLD_NOW | RTLD_LOCAL);
        if (plugin != NULL)
            *(void **)&works = dlsym(plugin, "copy_works"); /* the cast that POSIX recommends */
        if (works == NULL)
            return fprintf(stderr, "# %s\n", dlerror()), 1;
        if (!works(EDITS) || dlclose(plugin) != 0)
            return fprintf(stderr, "# the plugin does not work\n"), 1;
    }
    return 0;
}
