/* SPDX-License-Identifier: MIT */
/*
 * reference_model.h - what the demo checks the library against: a plain array and the log of its
 * edits.
 *
 * It knows nothing of trees. Each edit can be undone and done again, so the array can be put back
 * to any moment: moment m is after m edits.
 */
#ifndef REFERENCE_MODEL_H
#define REFERENCE_MODEL_H

#include <stddef.h>

#include <pqt.h>

typedef enum edit_kind { EDIT_INSERT, EDIT_REMOVE, EDIT_MOVE } edit_kind;

typedef struct edit {
    edit_kind kind;
    size_t at;     /* where in the array */
    pqt_item item; /* inserted, removed, or moved from here */
    pqt_box to;    /* moved to here */
} edit;

typedef struct model {
    pqt_item *items; /* as they are at this moment */
    size_t count, capacity;
    edit *log;
    size_t edits, log_capacity;
    size_t moment;
    uint64_t next_id;
} model;

/* A model of the items under new ids: 0, 1, 2 ... */
model model_of(const pqt_item *items, size_t count);
void model_free(model *plain);

/* Edits the newest moment, to which the model must have gone. */
void model_insert(model *plain, pqt_box box); /* with an id that was never used before */
void model_remove(model *plain, size_t at);
void model_move(model *plain, size_t at, pqt_box to);

void model_go(model *plain, size_t moment);

/* Finds items by looking at each; `found` has room for all. Returns how many there are. */
size_t model_search(const model *plain, pqt_box window, pqt_relation relation, pqt_item *found);

#endif
