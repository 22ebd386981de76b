/* SPDX-License-Identifier: MIT */
/* edits.h: random edits like those of a user who edits boxes, for benchmarks of stores and
 * lines. */
#ifndef BENCH_EDITS_H
#define BENCH_EDITS_H

#include <pqt/all.h>

#include "random.h"

/* A source of edits. Of 100 edits, 80 move a box by at most 1/1000 of the map, 10 insert one, and
 * 10 remove one. */
typedef struct edits {
    const pqt_tree *first;
    uint64_t next_id;
    dice random;
} edits;

static inline pqt_box
random_box(dice *random)
{
    const double x = dice_real(random) * 0.99, y = dice_real(random) * 0.99;
    return (pqt_box){{x, y}, {x + dice_real(random) * 0.004, y + dice_real(random) * 0.004}};
}

static inline edits
edits_begin(size_t count, pqt_memory *memory, pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    edits work = {.next_id = 0, .random = {1}};
    options.memory = memory;
    options.unique_ids = true;
    work.first = pqt_tree_make((pqt_box){{0, 0}, {1, 1}}, &options, error);
    for (; work.next_id < count; work.next_id++)
        work.first =
            pqt_tree_insert(work.first, (pqt_item){random_box(&work.random), work.next_id}, error);
    return work;
}

static inline const pqt_tree *
edits_next(edits *work, const pqt_tree *tree, pqt_error *error)
{
    const uint64_t kind = dice_below(&work->random, 10),
                   id = dice_below(&work->random, work->next_id);
    pqt_item item;
    if (kind == 0 || !pqt_tree_find(tree, id, &item))
        return pqt_tree_insert(tree, (pqt_item){random_box(&work->random), work->next_id++}, error);
    if (kind == 1)
        return pqt_tree_remove_id(tree, id, error);
    const pqt_vec by = {(dice_real(&work->random) - 0.5) / 500,
                        (dice_real(&work->random) - 0.5) / 500};
    const pqt_box moved = {{item.box.min.x + by.x, item.box.min.y + by.y},
                           {item.box.max.x + by.x, item.box.max.y + by.y}};
    return pqt_tree_move_id(tree, id, moved, error);
}

#endif
