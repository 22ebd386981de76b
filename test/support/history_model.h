/* SPDX-License-Identifier: MIT */
/*
 * history_model.h: a plain tree of snapshots that behaves like a history.
 *
 * For each entry it keeps an array of positions, indexed by id. It searches all entries, and
 * implements the contract of pqt/history.h.
 */
#ifndef TEST_HISTORY_MODEL_H
#define TEST_HISTORY_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_IDS = 10, MODEL_MOST = 400, MODEL_LABEL = 24, MODEL_NOBODY = -1 };

/* The position of each item, a column and a row of a 16 x 16 world, or none. */
typedef struct snapshot {
    signed char x[MODEL_IDS], y[MODEL_IDS]; /* x is MODEL_NOBODY if the item is absent */
} snapshot;

typedef struct moment {
    snapshot now;
    uint64_t number, parent, key;
    bool has_redo, has_name;
    uint64_t redo;
    double time;
    char label[MODEL_LABEL], name[MODEL_LABEL];
    const void *value; /* the value that the history holds; only `added` reads it */
} moment;

/* Returns the number of bytes of a value that the value of its parent does not share. `parent` is
 * NULL if there is none. */
typedef size_t history_added_fn(const void *value, const void *parent);

typedef struct history_model {
    moment moments[MODEL_MOST + 1]; /* in the order of their numbers */
    size_t count;
    uint64_t next, current, saved, group_start;
    size_t groups;
    bool sealed;
    char group_label[MODEL_LABEL];
    size_t max_entries, max_bytes; /* 0 means no limit */
    history_added_fn *added;       /* required if max_bytes is set */
} history_model;

/* Returns the entry with a number, which must exist. */
moment *history_model_moment(history_model *m, uint64_t number);

bool history_model_has_children(const history_model *m, uint64_t number);

/* Returns true if the entry is protected, so that it is never dropped. */
bool history_model_keeps(const history_model *m, const moment *at);

/* Returns true if the entry is `tip`, or if undos from `tip` reach it. */
bool history_model_is_on_path(history_model *m, uint64_t number, uint64_t tip);

/* These functions do the same as the history functions with these names. `kept` has a flag for each
 * entry. */
void history_model_push(history_model *m, const snapshot *now, const void *value, const char *label,
                        double time, uint64_t key);
void history_model_go(history_model *m, uint64_t number);
void history_model_drop(history_model *m, const bool *kept);
void history_model_thin(history_model *m, size_t recent);
void history_model_drop_branch(history_model *m, uint64_t number);
void history_model_cancel(history_model *m);

/* Returns the sum of the bytes that all entries added. */
size_t history_model_bytes(history_model *m);

#endif
