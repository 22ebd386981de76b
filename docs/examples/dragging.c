/* SPDX-License-Identifier: MIT */
/*
 * dragging.c: a drag in an editor: a draft follows the pointer, and only its end is a version.
 *
 * Each position of the pointer is an edit of the draft, and the picture is drawn from its view.
 * When the button is released, a snapshot of the draft becomes one entry of the history.
 */
#include <stdio.h>

#include <pqt.h>

enum { SHAPES = 1000, POSITIONS = 200 };

static pqt_box
square(double x, double y)
{
    return (pqt_box){{x, y}, {x + 4, y + 4}};
}

/* Returns the tree of squares in rows of 40. */
static const pqt_tree *
first_shapes(pqt_memory *arena, pqt_error *error)
{
    pqt_item shapes[SHAPES];
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = arena;
    options.unique_ids = true;
    for (uint64_t id = 0; id < SHAPES; id++)
        shapes[id] = (pqt_item){square((double)(id % 40) * 6, (double)(id / 40) * 6), id};
    return pqt_tree_of(shapes, SHAPES, &options, error);
}

/* Drags shape 500 across the others. Returns the number of shapes that it touched on its way. */
static size_t
drag(pqt_draft *draft, pqt_error *error)
{
    size_t touched = 0;
    for (int i = 0; i < POSITIONS; i++) {
        const pqt_box to = square(i, i * 0.5);
        if (!pqt_draft_move_id(draft, 500, to, error))
            return 0;
        const pqt_query under = {.window = to, .relation = PQT_TOUCHES};
        touched += pqt_tree_count_in(pqt_draft_view(draft), &under) - 1;
    }
    return touched;
}

int
main(void)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    const pqt_tree *tree = first_shapes(arena, &error);
    pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, NULL, &error);
    pqt_draft *draft = pqt_draft_begin(tree, &error);
    if (history == NULL || draft == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    const size_t touched = drag(draft, &error);
    (void)drag(draft, &error);
    const uint64_t before = pqt_memory_get_stats(arena).bytes;
    (void)drag(draft, &error);
    const uint64_t grown = pqt_memory_get_stats(arena).bytes - before;
    printf("%d positions, %zu shapes touched on the way; the third drag took %llu bytes\n",
           POSITIONS, touched, (unsigned long long)grown);

    const pqt_history_entry_info info = {.label = "Drag"};
    const pqt_tree *dragged = pqt_draft_snapshot(draft, &error);
    if (dragged == NULL || !pqt_history_push(history, dragged, &info, &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    pqt_item before_drag, after_drag;
    if (pqt_tree_find(tree, 500, &before_drag) && pqt_tree_find(dragged, 500, &after_drag))
        printf("shape 500 was at x = %g and is at x = %g: one entry of the history, number %llu\n",
               before_drag.box.min.x, after_drag.box.min.x,
               (unsigned long long)pqt_history_current(history));

    pqt_draft_destroy(&draft);
    pqt_history_destroy(&history);
    pqt_arena_destroy(&arena);
    return error.status != PQT_OK;
}
