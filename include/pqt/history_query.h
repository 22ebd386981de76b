/* SPDX-License-Identifier: MIT */
/**
 * @file history_query.h - queries of the trees in a history: when a window or an item last changed,
 * and the changes between two times.
 *
 * The versions of the history are trees, or documents with trees. pqt_history_last_change and
 * pqt_history_last_item_change need a history made with `indexed`.
 */
#ifndef PQT_HISTORY_QUERY_H
#define PQT_HISTORY_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/diff.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/history.h>
#include <pqt/query.h>

PQT_BEGIN_DECLARATIONS

/** The result of pqt_history_last_change and pqt_history_last_item_change. */
typedef struct pqt_history_answer {
    bool found;        /**< if false, all other fields but `steps` are zero */
    uint64_t entry;    /**< the entry that made the change */
    uint64_t before;   /**< its parent: search from there for the previous change */
    double time;       /**< the time of the entry */
    pqt_change change; /**< the change of the item; zero after a search for a window */
    uint64_t steps;    /**< steps of the search; see pqt_history_last_change */
} pqt_history_answer;

/**
 * Finds the last entry on the path from the first entry to `tip` that differs from its parent
 * within a window. The first entry counts as no change.
 *
 * A change that was reverted later counts. The result is the same as if each entry were compared
 * with its parent, but the search takes fewer *steps*. For n entries on the path it takes at most
 * 15 h + 9, where h = floor(log8(7n + 1)) - 1: 54 for n = 1000 and 84 for n = 100,000. A step is
 * one window query in a tree of the items that changed in a run of entries, or one difference
 * between two entries within the window. The statistics of the query count the nodes entered by
 * both.
 *
 * @param history  not NULL
 * @param part     the name of a tree in a history of documents; NULL: the versions are trees, or
 *                 documents with one tree. The same holds for the functions below
 * @param tip      the number of the last entry of the path
 * @param query    window, relation and an optional filter; NULL: any change
 * @param answer   written on success
 * @return         false on failure; `answer->found` says whether there was a change
 *
 * @error PQT_ERROR_OPTION    the history has no index, or `part` names no tree of its versions
 * @error PQT_ERROR_MISMATCH  there is no entry with this number
 * @error PQT_ERROR_BOX       the window contains NaN or is inverted
 * @cost  O(log entries) steps; allocates nothing. In a store, see pqt_history_open
 */
PQT_API bool pqt_history_last_change(const pqt_history *history, const char *part, uint64_t tip,
                                     const pqt_query *query, pqt_history_answer *answer,
                                     pqt_error *error);

/**
 * Finds the last insertion, move or removal of an item: PQT_INSERT, PQT_MOVE or PQT_REMOVE in
 * `answer->change`. An item without a change is in all entries or in none.
 *
 * This loop visits all its changes, newest first:
 *
 *     while (pqt_history_last_item_change(history, NULL, tip, id, &answer, &error) &&
 *            answer.found) {
 *         print(&answer);
 *         tip = answer.before;
 *     }
 *
 * If an entry changed several items with one id, the answer contains the first change;
 * pqt_tree_visit_diff of the two versions visits all.
 *
 * @param history  not NULL
 * @param part     the name of a tree in a history of documents; otherwise NULL
 * @param tip      the number of the last entry of the path
 * @param id       the id of the item
 * @param answer   set on success
 * @return         false on failure
 * @error PQT_ERROR_OPTION, PQT_ERROR_MISMATCH  as pqt_history_last_change
 * @error PQT_ERROR_MEMORY  out of scratch memory; never with unique_ids
 * @cost  at most the steps of pqt_history_last_change, each O(log changes); without unique_ids some
 *        steps compute the difference between two entries
 */
PQT_API bool pqt_history_last_item_change(const pqt_history *history, const char *part,
                                          uint64_t tip, uint64_t id, pqt_history_answer *answer,
                                          pqt_error *error);

/**
 * Visits the difference between the versions at two times on the path to `tip`, as
 * pqt_tree_visit_diff does, without changes that were reverted in between. A time before the first
 * entry means that entry. If `from` is later than `to`, the changes lead back.
 *
 * @param history  not NULL
 * @param part     the name of a tree in a history of documents; otherwise NULL
 * @param tip      the number of the last entry of the path
 * @param from     a time in the unit of the pushes, not NaN
 * @param to       another time; if it is before `from`, the changes lead back
 * @param query    NULL: everything
 * @param visit    called for each change; see error.h for visitors
 * @param context  passed to `visit`
 * @return         true if every change was visited; false on failure, or if `visit` stopped it
 * @error PQT_ERROR_OPTION    `part` names no tree of the versions, or a time is NaN
 * @error PQT_ERROR_MISMATCH  there is no entry with this number; bounds or options of the versions
 *                            differ
 * @error PQT_ERROR_BOX, PQT_ERROR_MEMORY  as pqt_tree_visit_diff
 * @cost  O(log entries + changes x depth)
 */
PQT_API bool pqt_history_visit_changes(const pqt_history *history, const char *part, uint64_t tip,
                                       double from, double to, const pqt_query *query,
                                       pqt_visit_change_fn *visit, void *context, pqt_error *error);

PQT_END_DECLARATIONS

#endif
