/* SPDX-License-Identifier: MIT */
/* never_indexed.c: replaces the index of changes in pqt-trees.wasm, whose histories have none. */
#include "config.h"

#include <pqt/all.h>

#include "tree/history/tree_history.h"

const pqti_index_calls pqti_tree_index_calls = {.make = NULL};
