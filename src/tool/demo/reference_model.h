/* SPDX-License-Identifier: MIT */
/*
 * reference_model.h: the reference for the demo's checks: a plain array and a log of its edits.
 *
 * It does not use the library. Each edit can be undone and redone, so the array can be set to any
 * moment: moment m is the one after m edits.
 */
#ifndef REFERENCE_MODEL_H
#define REFERENCE_MODEL_H

#include <stddef.h>

#include <pqt.h>

typedef enum edit_kind { EDIT_INSERT, EDIT_REMOVE, EDIT_MOVE } edit_kind;

typedef struct edit {
    edit_kind kind;
    size_t at;     /* index in the array */
    pqt_item item; /* the item inserted or removed, or as it was before the move */
    pqt_box to;    /* the box after the move */
} edit;

typedef struct model {
    pqt_item *items; /* the items at the current moment */
    size_t count, capacity;
    edit *log;
    size_t edits, log_capacity;
    size_t moment;
    uint64_t next_id;
} model;

/* Makes a model of the items under new ids 0, 1, 2 ... */
model model_of(const pqt_item *items, size_t count);
void model_free(model *plain);

/* Edit the newest moment, which must be the current one. */
void model_insert(model *plain, pqt_box box); /* with an id that was never used before */
void model_remove(model *plain, size_t at);
void model_move(model *plain, size_t at, pqt_box to);

void model_go(model *plain, size_t moment);

/* Finds items by testing each. `found` has space for all. Returns the number found. */
size_t model_search(const model *plain, pqt_box window, pqt_relation relation, pqt_item *found);

#endif
