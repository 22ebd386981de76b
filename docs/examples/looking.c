/* SPDX-License-Identifier: MIT */
/*
 * looking.c: queries: a window, the nearest items, a line of sight, and a cursor.
 *
 * Queries never fail and never allocate, so only the functions that make trees can set the error.
 */
#include <inttypes.h>
#include <stdio.h>

#include <pqt.h>

/* Ids below 100 are houses, others are trees. */
static bool
is_tree(const pqt_item *item, void *context)
{
    (void)context;
    return item->id >= 100;
}

static bool
print_id(const pqt_item *item, void *context)
{
    (void)context;
    printf(" %" PRIu64, item->id);
    return true;
}

int
main(void)
{
    pqt_error error = {0};
    const pqt_item items[] = {
        {{{10, 10}, {20, 20}}, 1},   {{{40, 10}, {55, 20}}, 2},   {{{70, 60}, {90, 75}}, 3},
        {{{25, 15}, {26, 16}}, 100}, {{{30, 30}, {32, 32}}, 101}, {{{60, 40}, {61, 41}}, 102},
    };
    const pqt_tree *town = pqt_tree_of(items, 6, NULL, &error);
    if (town == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    pqt_query query = {.window = {{0, 0}, {35, 35}}, .relation = PQT_TOUCHES};
    printf("in the window:");
    pqt_tree_visit(town, &query, print_id, NULL);
    query.filter = is_tree;
    printf("\nof these, %zu are trees\n", pqt_tree_count_in(town, &query));

    pqt_vec here = {50, 30};
    pqt_near near[2];
    size_t count = pqt_tree_nearest(town, (pqt_box){here, here}, NULL, near, 2);
    for (size_t i = 0; i < count; i++)
        printf("%" PRIu64 " is %g away\n", near[i].item.id, near[i].distance);

    pqt_cast sight = pqt_cast_segment((pqt_segment){here, {80, 90}});
    pqt_ray_hit hit = pqt_tree_cast(town, &sight);
    if (hit.hit)
        printf("the line to 80, 90 hits %" PRIu64 ", after %g of its length\n", hit.item.id,
               hit.entry);

    /* A cursor iterates over one version, even while the loop makes other versions. */
    const pqt_tree *cleared = town;
    pqt_cursor cursor;
    pqt_item item;
    for (pqt_cursor_open(&cursor, town, NULL); pqt_cursor_next(&cursor, &item);)
        if (is_tree(&item, NULL))
            cleared = pqt_tree_remove(cleared, item, &error);
    if (cleared == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    printf("without trees:");
    pqt_tree_visit(cleared, NULL, print_id, NULL);
    printf("\n");
    return 0;
}
