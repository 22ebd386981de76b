/* SPDX-License-Identifier: MIT */
/* domain.c: makes the domain that all versions of a tree share. */
#include "config.h"

#include "tree/domain.h"

#include <math.h>
#include "base/error_internal.h"
#include "base/option_structs.h"
#include "base/validate.h"
#include "memory/memory_internal.h"

PQTI_DEFINE_OPTIONS(pqti_tree_options, pqt_tree_options, memory, PQT_TREE_DEFAULTS);

static bool
option_is_in_range(pqt_error *error, const char *name, int value, int least, int most)
{
    if (value >= least && value <= most)
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0, "%s is %d, but must be %d to %d", name, value, least,
                   most);
    return false;
}

static bool
are_valid(const pqt_tree_options *options, pqt_error *error)
{
    return option_is_in_range(error, "leaf_capacity", options->leaf_capacity, 1,
                              PQT_MAX_CAPACITY) &&
           option_is_in_range(error, "max_depth", options->max_depth, 0, PQT_MAX_DEPTH);
}

/*
 * Returns false if items hold pointers into the collector's memory but the tree is in another
 * memory: the collector does not scan that memory, so it would free what these pointers refer to.
 */
static bool
can_hold_pointers(const pqt_tree_options *options, pqt_error *error)
{
    if (!options->ids_are_pointers || options->memory == pqt_collector())
        return true;
    pqti_error_set(error, PQT_ERROR_OPTION, 0,
                   "ids_are_pointers is set, and memory is not the collector");
    return false;
}

static pqti_axis
axis_of(double low, double high)
{
    pqti_axis axis = {
        .half_low = low / 2, .half_middle = low / 4 + high / 4, .half_extent = high / 2 - low / 2};
    axis.divisor = axis.half_extent > 0 ? axis.half_extent : 1;
    for (int depth = 0; depth <= PQT_MAX_DEPTH; depth++)
        axis.half_cell[depth] = ldexp(axis.half_extent, -depth);
    return axis;
}

static const pqti_domain *
make_domain(const pqt_box *bounds, const pqt_tree_options *options, pqt_error *error)
{
    if (!can_hold_pointers(options, error))
        return NULL;
    static pqti_layout layout = PQTI_LAYOUT(sizeof(pqti_domain), 0);
    pqti_domain *domain = pqti_alloc_node(options->memory, &layout);
    if (domain == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    *domain = (pqti_domain){
        .options = *options,
        .bounds = *bounds,
        .x = axis_of(bounds->min.x, bounds->max.x),
        .y = axis_of(bounds->min.y, bounds->max.y),
        .capacity = (uint32_t)options->leaf_capacity,
        .depth = (uint32_t)options->max_depth,
    };
    return domain;
}

const pqti_domain *
pqti_domain_make(const pqt_box *bounds, const pqt_tree_options *options, pqt_error *error)
{
    pqt_tree_options converted;
    options = pqti_options_read(&pqti_tree_options_layout, options, &converted, error);
    if (options == NULL || !are_valid(options, error))
        return NULL;
    pqt_tree_options chosen = *options;
    pqt_box admitted;
    if (!pqti_validate_box(bounds, "bounds", &admitted, error))
        return NULL;
    chosen.memory = pqti_memory_or_default(chosen.memory, error);
    return chosen.memory == NULL ? NULL : make_domain(&admitted, &chosen, error);
}

const pqti_domain *
pqti_domain_copy(const pqti_domain *domain, pqt_memory *memory, pqt_error *error)
{
    pqt_tree_options options = domain->options;
    options.memory = memory;
    return make_domain(&domain->bounds, &options, error);
}

static bool
equal_bounds(const pqt_box *a, const pqt_box *b)
{
    return a->min.x == b->min.x && a->min.y == b->min.y && a->max.x == b->max.x &&
           a->max.y == b->max.y;
}

bool
pqti_domain_is_like(const pqti_domain *a, const pqti_domain *b)
{
    return a == b ||
           (a->capacity == b->capacity && a->options.strict_bounds == b->options.strict_bounds &&
            a->options.unique_ids == b->options.unique_ids &&
            a->options.ids_are_pointers == b->options.ids_are_pointers &&
            equal_bounds(&a->bounds, &b->bounds));
}

bool
pqti_domain_equals(const pqti_domain *a, const pqti_domain *b)
{
    return a->depth == b->depth && pqti_domain_is_like(a, b);
}
