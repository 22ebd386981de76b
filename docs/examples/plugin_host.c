/* SPDX-License-Identifier: MIT */
/* plugin_host.c: a program that does not know the library, but loads a plugin that uses it,
   plugin.c. */
#include <dlfcn.h>
#include <stdio.h>

typedef int start_fn(char *why, size_t size);
typedef int add_fn(double x, double y);
typedef size_t undo_fn(void);

int
main(int count, char **arguments)
{
    char why[128];
    void *plugin = dlopen(count > 1 ? arguments[1] : "./plugin.so", RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    start_fn *start;
    add_fn *add;
    undo_fn *undo;
    *(void **)&start = dlsym(plugin, "plugin_start"); /* the cast that POSIX recommends */
    *(void **)&add = dlsym(plugin, "plugin_add");
    *(void **)&undo = dlsym(plugin, "plugin_undo");
    if (start == NULL || add == NULL || undo == NULL)
        return fprintf(stderr, "the plugin lacks a function\n"), 1;
    if (!start(why, sizeof why))
        return fprintf(stderr, "%s\n", why), 1;
    for (int i = 0; i < 500; i++)
        if (!add(i % 100, i % 97))
            return fprintf(stderr, "out of memory\n"), 1;
    size_t left = 500;
    for (int i = 0; i < 123; i++)
        left = undo();
    printf("500 points in a plugin, and 123 undone: %zu\n", left);
    return dlclose(plugin);
}
