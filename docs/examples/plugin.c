/* SPDX-License-Identifier: MIT */
/*
 * plugin.c: a plugin that uses the library. The program that loads it does not know the library.
 *
 *     cc -shared -fPIC -o plugin.so plugin.c $(pkg-config --cflags --libs pqt)
 *     cc -o plugin_host plugin_host.c && ./plugin_host ./plugin.so
 *
 * The versions are in a static variable of the plugin, which the collector scans. The program calls
 * plugin_start from its main thread. The library stays loaded when the plugin is unloaded, because
 * the collector must remain.
 */
#include <stdio.h>

#include <pqt.h>

PQT_API int plugin_start(char *why, size_t size);
PQT_API int plugin_add(double x, double y);
PQT_API size_t plugin_undo(void);

enum { MOST_VERSIONS = 1000 };

static const pqt_tree *versions[MOST_VERSIONS];
static size_t newest;

int
plugin_start(char *why, size_t size)
{
    pqt_error error = {0};
    pqt_box bounds = {{0, 0}, {100, 100}};
    if (pqt_version_number() <
        PQT_VERSION_NUMBER) /* the header that the plugin was compiled with */
        return snprintf(why, size, "pqt %s is older than the plugin", pqt_version()), 0;
    if (pqt_init(&error))
        versions[0] = pqt_tree_make(bounds, NULL, &error);
    snprintf(why, size, "%s", error.text);
    return versions[0] != NULL;
}

int
plugin_add(double x, double y)
{
    pqt_item item = {{{x, y}, {x, y}}, newest};
    const pqt_tree *next =
        newest + 1 < MOST_VERSIONS ? pqt_tree_insert(versions[newest], item, NULL) : NULL;
    if (next != NULL)
        versions[++newest] = next;
    return next != NULL;
}

/* Goes back one version and returns its number of points. */
size_t
plugin_undo(void)
{
    newest -= newest > 0;
    return pqt_tree_count(versions[newest]);
}
