/* SPDX-License-Identifier: MIT */
/*
 * together.c: two people edit one drawing: differences, a merge, and a partial restore.
 *
 * A merge needs the version that both started from. If both changed one shape, a callback decides.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pqt.h>

static pqt_box
square(double x, double y)
{
    return (pqt_box){{x, y}, {x + 10, y + 10}};
}

static bool
print_change(const pqt_change *change, void *context)
{
    const char *kind = change->kind == PQT_INSERT   ? "came"
                       : change->kind == PQT_REMOVE ? "went"
                                                    : "moved";
    pqt_vec from = change->item.box.min, to = change->to.min;
    printf("  %" PRIu64 " %s", change->item.id, kind);
    if (change->kind == PQT_MOVE)
        printf(" from %g, %g to %g, %g", from.x, from.y, to.x, to.y);
    putchar('\n');
    (void)context;
    return true;
}

/* Resolves a conflict with our version, which is Ann's. A real program would ask. */
static pqt_resolution
keep_ann(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    (void)answer, (void)context;
    printf("both moved %" PRIu64 ": Ann's position is kept\n", conflict->id);
    return PQT_KEEP_OURS;
}

/* Ben sends his changes as an array. Ann applies them to her copy of the version that he began
 * with, and has his version. Returns it. */
static const pqt_tree *
send_to_ann(const pqt_tree *base, const pqt_tree *ben, pqt_error *error)
{
    pqt_change changes[8];
    size_t count = 0;
    if (!pqt_diff_collect(base, ben, NULL, changes, 8, &count, error) || count > 8)
        return NULL;
    printf("Ben sends %zu changes\n", count);
    return pqt_tree_apply(base, changes, count, error);
}

int
main(void)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.unique_ids = true; /* shapes are matched by id */
    const pqt_tree *base = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &options, &error);
    for (uint64_t id = 1; id <= 3; id++)
        base = pqt_tree_insert(base, (pqt_item){square(30 * (double)id - 20, 10), id}, &error);

    const pqt_tree *ann = pqt_tree_move_id(base, 1, square(10, 70), &error);
    ann = pqt_tree_insert(ann, (pqt_item){square(40, 70), 4}, &error);
    const pqt_tree *ben = pqt_tree_move_id(base, 1, square(70, 70), &error);
    ben = pqt_tree_remove_id(ben, 3, &error);
    ben = send_to_ann(base, ben, &error);
    if (ann == NULL || ben == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    if (pqt_tree_merge(base, ann, ben, NULL, &error) == NULL)
        printf("undecided: %s\n", error.text);
    error = (pqt_error){0};
    pqt_merge_options decided = PQT_MERGE_DEFAULTS;
    decided.resolve = keep_ann;
    const pqt_tree *both = pqt_tree_merge(base, ann, ben, &decided, &error);

    printf("since they started:\n");
    pqt_tree_visit_diff(base, both, NULL, print_change, NULL, &error);
    pqt_box damage[2];
    size_t count = 0;
    if (pqt_diff_damage(base, both, NULL, damage, 2, &count, &error))
        printf("boxes to redraw: %zu\n", count);

    /* Restore the right half for Ben; the left half keeps its changes. */
    pqt_query right = {.window = {{55, 0}, {100, 100}}, .relation = PQT_TOUCHES};
    const pqt_tree *put_back = pqt_tree_restore(both, base, &right, &error);
    if (put_back == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    printf("with the right half as it was:\n");
    pqt_tree_visit_diff(base, put_back, NULL, print_change, NULL, &error);
    return 0;
}
