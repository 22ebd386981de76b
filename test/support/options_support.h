/* SPDX-License-Identifier: MIT */
/* options_support.h: returns the options of a version by value. */
#ifndef PQT_TEST_OPTIONS_SUPPORT_H
#define PQT_TEST_OPTIONS_SUPPORT_H

#include <pqt/tree.h>
#include <pqt/world.h>

static inline pqt_tree_options
options_of_tree(const pqt_tree *tree)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_tree_get_options(tree, &options);
    return options;
}

static inline pqt_world_options
options_of_world(const pqt_world *world)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    pqt_world_get_options(world, &options);
    return options;
}

#endif
