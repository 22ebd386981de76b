/* SPDX-License-Identifier: MIT */
/*
 * plain_model.h: a model of a version, made of a plain array of items. Its answers are those that
 * the library must give.
 *
 * A model is modified in place; a test that keeps an old version keeps a copy of its model.
 */
#ifndef TEST_PLAIN_MODEL_H
#define TEST_PLAIN_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/tree.h>

#include "builder.h"
#include "compare_trees.h"

typedef struct model {
    pqt_box bounds;
    size_t capacity;
    int depth;
    bool strict, unique;
    pqt_item *items; /* in any order */
    size_t count, room;
} model;

/* The required outcome of a call: an error, another version, or the same pointer. */
typedef struct model_result {
    pqt_status status;
    size_t index;
    bool changed;
} model_result;

/* Makes an empty model. Free it with model_free. */
model model_make(pqt_box bounds, const pqt_tree_options *options);
model model_copy(const model *from);
void model_free(model *m);

/* Does what pqt_tree_of must do. */
model_result model_of(model *m, const pqt_item *items, size_t count,
                      const pqt_tree_options *options);

/* Applies all changes one by one in the given order. Applies none if one of them must be
 * refused. */
model_result model_apply(model *m, const pqt_change *changes, size_t count);
model_result model_search(model *m, pqt_query query);
model_result model_clear(model *m);

bool model_contains(const model *m, pqt_item item);
const pqt_item *model_find(const model *m, uint64_t id);
bool model_equals(const model *a, const model *b);

/* Returns the item in the form that the library keeps, without -0.0. */
pqt_item model_item(pqt_item item);

/* Returns true if an item has a relation to a window, as the headers define it. A box has no
   relation to a window with NaN or with min > max. */
bool model_relates(pqt_box item, pqt_box window, pqt_relation relation);

/* Builds the predicted tree of the model. Free it with built_free. */
built_tree *model_build(const model *m);

/* Applies one change to a version with the function for its kind. */
const pqt_tree *change_tree(const pqt_tree *tree, const pqt_change *change, pqt_error *error);

/* Returns true if a call had its required outcome. */
bool check_model_result(model_result must, const pqt_tree *before, const pqt_tree *after,
                        const pqt_error *error, complaint *why);

/* Returns true if a version equals the model: every node, every option, and every id. */
bool check_version(const model *m, const pqt_tree *tree, complaint *why);

/* Returns true if every function that reads the tree gives the same result as a loop over all
 * items. */
bool check_query(const built_tree *built, const pqt_tree *tree, pqt_query query, complaint *why);

#endif
