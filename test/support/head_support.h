/* SPDX-License-Identifier: MIT */
/* head_support.h: functions for tests of heads, in addition to those for trees. */
#ifndef TEST_HEAD_SUPPORT_H
#define TEST_HEAD_SUPPORT_H

#include <pqt/head.h>

#include "tree_support.h"

static const pqt_item cat = {{{1, 1}, {3, 2}}, 1}, dog = {{{9, 9}, {12, 15}}, 2};

/* Selects the memory of a loop test: 0 is the arena, 1 the collector. For the collector, the
 * helpers pass NULL. */
static inline void
use_memory(int which)
{
    if (which == 1)
        pqt_arena_destroy(&arena);
}

static inline int
count_memories(void)
{
    return pqt_collector() != NULL ? 2 : 1;
}

static inline pqt_head *
head_of(const pqt_tree *first)
{
    pqt_error error = {0};
    pqt_head *head = pqt_head_make(first, &error);
    require(head != NULL && error.status == PQT_OK, error.text);
    return head;
}

static inline void
publish(pqt_head *head, const pqt_tree *next)
{
    pqt_error error = {0};
    require(pqt_head_publish(head, next, &error) && error.status == PQT_OK, error.text);
}

static inline const void *
insert_cat(const void *now, void *context, pqt_error *error)
{
    (void)context;
    return pqt_tree_insert(now, cat, error);
}

#define add_to_each(tests, test) tcase_add_loop_test(tests, test, 0, count_memories())

#endif
