/* SPDX-License-Identifier: MIT */
/*
 * reference_model.h: the reference for the checks of the demo, which is a plain array with a log of
 * its edits.
 *
 * It does not use the library. Each edit can be undone and redone, so the array can be set to its
 * state at any moment. Moment m is the one after m edits.
 */
#ifndef REFERENCE_MODEL_H
#define REFERENCE_MODEL_H

#include <stddef.h>

#include <pqt.h>

typedef enum edit_kind { EDIT_INSERT, EDIT_REMOVE, EDIT_MOVE } edit_kind;

typedef struct edit {
    edit_kind kind;
    size_t at;     /* the index of the item in the array */
    pqt_item item; /* the item that was inserted or removed, or its state before the move */
    pqt_box to;    /* the box of the item after the move */
} edit;

typedef struct model {
    pqt_item *items; /* the items at the current moment */
    size_t count, capacity;
    edit *log;
    size_t edits, log_capacity;
    size_t moment;
    uint64_t next_id;
} model;

/* Makes a model of the items, which get new ids 0, 1, 2 ... */
model model_of(const pqt_item *items, size_t count);
void model_free(model *plain);

/* Edit the newest moment, which must be the current one. */
void model_insert(model *plain, pqt_box box); /* the new item gets an id that was never used
                                                 before */
void model_remove(model *plain, size_t at);
void model_move(model *plain, size_t at, pqt_box to);

void model_go(model *plain, size_t moment);

/* Finds items by testing each one. `found` must have room for all items. Returns the number of
   items found. */
size_t model_search(const model *plain, pqt_box window, pqt_relation relation, pqt_item *found);

#endif
