/* SPDX-License-Identifier: MIT */
/*
 * components.c: finds all connected components of a region; region_flood.c finds one.
 *
 * Runs of adjacent rows that touch belong to one component. Components are found by union-find over
 * the runs (B. A. Galler, M. J. Fischer, "An improved equivalence algorithm", 1964). The parent of
 * a run never follows the run in row order, so the root of a component is its first run.
 */
#include "config.h"

#include <pqt/heap.h>
#include <pqt/region_collect.h>

#include "base/error_internal.h"
#include "memory/memory_internal.h"
#include "region/region_internal.h"
#include "region/run_list.h"

/* The runs of a region and their components. The other arrays follow the list. */
typedef struct graph {
    pqti_run_list all;
    pqt_pixel_run *sorted; /* the runs, sorted by component */
    /* for each run: its parent in the union-find forest; after sort_runs, the number of its
     * component */
    uint32_t *parent;
    /* for each component: its first index in `sorted`; a last element holds the end */
    uint32_t *start;
    size_t components;
} graph;

static uint32_t
find_root(graph *g, uint32_t run)
{
    while (g->parent[run] != run)
        run = g->parent[run] = g->parent[g->parent[run]];
    return run;
}

static void
unite_runs(graph *g, uint32_t a, uint32_t b)
{
    PQT_INVARIANT(a < b, "a run precedes the run above it");
    a = find_root(g, a);
    b = find_root(g, b);
    if (a < b)
        g->parent[b] = a;
    else
        g->parent[a] = b;
}

/* Unites runs of two adjacent rows that touch. `aside` is 1 if diagonal neighbours touch, otherwise
 * 0. */
static void
unite_rows(graph *g, size_t above, size_t row, size_t end, int32_t aside)
{
    for (size_t a = above, b = row; a < row && b < end;) {
        const pqt_pixel_run *run = &g->all.runs[b], *over = &g->all.runs[a];
        if (over->min_x < run->max_x + aside && run->min_x < over->max_x + aside)
            unite_runs(g, (uint32_t)a, (uint32_t)b);
        if (over->max_x < run->max_x)
            a++;
        else
            b++;
    }
}

static void
unite_all(graph *g, pqt_connectivity connectivity)
{
    const int32_t aside = connectivity == PQT_CONNECTIVITY_8 ? 1 : 0;
    for (size_t row = 0, above = 0, end; row < g->all.count; above = row, row = end) {
        end = pqti_run_list_end_of_row(&g->all, row);
        if (row > 0 && g->all.runs[above].y == g->all.runs[row].y - 1)
            unite_rows(g, above, row, end, aside);
    }
}

/* Numbers the components and sorts the runs by component. */
static void
sort_runs(graph *g)
{
    for (size_t i = 0; i < g->all.count; i++) {
        uint32_t first = find_root(g, (uint32_t)i);
        if (first == i)
            g->start[g->components++] = 0;
    }
    /* Parents precede their children, so the number of the parent's component has been set
     * already. */
    for (size_t i = 0, number = 0; i < g->all.count; i++) {
        PQT_INVARIANT(g->parent[i] <= i, "the parent of a run follows it");
        g->parent[i] = g->parent[i] == i ? (uint32_t)number++ : g->parent[g->parent[i]];
        g->start[g->parent[i]]++;
    }
    for (size_t i = 0, sum = 0; i < g->components; i++) {
        sum += g->start[i];
        g->start[i] = (uint32_t)sum;
    }
    g->start[g->components] = (uint32_t)g->all.count;
    for (size_t i = g->all.count; i > 0; i--)
        g->sorted[--g->start[g->parent[i - 1]]] = g->all.runs[i - 1];
}

/* Finds the runs of a region and their components. Returns false and sets an error if there is no
 * memory or if there are too many runs. */
static bool
graph_make(graph *g, const pqt_region *region, pqt_connectivity connectivity, pqt_error *error)
{
    *g = (graph){.components = 0};
    if (!pqti_run_list_make(&g->all, region,
                            sizeof *g->sorted + sizeof *g->parent + sizeof *g->start, error))
        return false;
    g->sorted = pqti_run_list_extra(&g->all);
    g->parent = (uint32_t *)(g->sorted + g->all.count);
    g->start = g->parent + g->all.count;
    for (size_t i = 0; i < g->all.count; i++)
        g->parent[i] = (uint32_t)i;
    unite_all(g, connectivity);
    sort_runs(g);
    return true;
}

static void
graph_free(graph *g)
{
    pqti_run_list_free(&g->all);
}

static const pqt_region *
component_at(const graph *g, size_t i, const pqt_region *region, pqt_error *error)
{
    if (g->components == 1)
        return region;
    return pqt_region_of_runs(g->sorted + g->start[i], g->start[i + 1] - g->start[i],
                              region->memory, error);
}

static bool
check_components_input(const char *function, const pqt_region *region,
                       pqt_connectivity connectivity, pqt_error *error)
{
    return pqti_region_may_go_on_in(function, region, error) &&
           pqti_validate_connectivity(connectivity, error);
}

/* Returns the number of pixels of a component, counting no more than `enough`. */
static uint64_t
count_pixels(const graph *g, size_t i, uint64_t enough)
{
    uint64_t count = 0;
    for (size_t k = g->start[i]; k < g->start[i + 1] && count < enough; k++)
        count += (uint64_t)(g->sorted[k].max_x - g->sorted[k].min_x);
    return count;
}

bool
pqt_region_visit_components(const pqt_region *region, pqt_connectivity connectivity,
                            uint64_t minimum, pqt_visit_region_fn *visit, void *context,
                            pqt_error *error)
{
    graph g;
    PQT_ASSERT(visit != NULL, "the visitor is NULL");
    if (!check_components_input(__func__, region, connectivity, error) ||
        !graph_make(&g, region, connectivity, error))
        return false;
    /* The visitor may reclaim versions. The scope keeps those that this function uses. */
    bool unstopped = pqt_scope_begin(region->memory, error);
    const bool has_scope = unstopped;
    for (size_t i = 0; i < g.components && unstopped; i++) {
        if (count_pixels(&g, i, minimum) < minimum)
            continue;
        const pqt_region *component = component_at(&g, i, region, error);
        unstopped = component != NULL && visit(component, context);
    }
    if (has_scope)
        pqt_scope_end(region->memory);
    graph_free(&g);
    return unstopped;
}

bool
pqt_region_collect_components(const pqt_region *region, pqt_connectivity connectivity,
                              uint64_t minimum, const pqt_region **components, size_t capacity,
                              size_t *count, pqt_error *error)
{
    graph g;
    size_t found = 0;
    PQT_ASSERT(components != NULL || capacity == 0, "components is NULL, and capacity is not 0");
    PQT_ASSERT(count != NULL, "count is NULL");
    if (!check_components_input(__func__, region, connectivity, error) ||
        !graph_make(&g, region, connectivity, error))
        return false;
    bool good = true;
    for (size_t i = 0; i < g.components && good; i++) {
        if (count_pixels(&g, i, minimum) < minimum)
            continue;
        if (found < capacity) {
            components[found] = component_at(&g, i, region, error);
            good = components[found] != NULL;
        }
        found++;
    }
    graph_free(&g);
    if (good)
        *count = found;
    return good;
}

/* Returns the index of the largest component; of several, the first. There is at least one. */
static size_t
find_largest(const graph *g)
{
    size_t largest = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < g->components; i++) {
        const uint64_t count = count_pixels(g, i, UINT64_MAX);
        if (count <= most)
            continue;
        largest = i;
        most = count;
    }
    return largest;
}

const pqt_region *
pqt_region_largest_component(const pqt_region *region, pqt_connectivity connectivity,
                             pqt_error *error)
{
    graph g;
    if (!check_components_input(__func__, region, connectivity, error))
        return NULL;
    if (region->count == 0)
        return region;
    if (!graph_make(&g, region, connectivity, error))
        return NULL;
    const pqt_region *found = component_at(&g, find_largest(&g), region, error);
    graph_free(&g);
    return found;
}
