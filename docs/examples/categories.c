/* SPDX-License-Identifier: MIT */
/*
 * categories.c: collision categories. A filter tests the bit masks of each pair.
 *
 * Each object has a category and a mask of the categories it collides with. Two objects form a pair
 * if each one's category is in the other's mask. The id of an item is the index of its object.
 */
#include <stdio.h>

#include <pqt.h>

enum { PLAYER = 1, BULLET = 2, WALL = 4, COIN = 8 };

typedef struct thing {
    const char *name;
    unsigned category, meets;
    pqt_box box;
} thing;

static const thing things[] = {
    {"player", PLAYER, WALL | COIN, {{10, 10}, {14, 18}}},
    {"own bullet", BULLET, WALL, {{13, 12}, {15, 13}}},
    {"coin", COIN, PLAYER, {{12, 16}, {13, 17}}},
    {"wall", WALL, PLAYER | BULLET, {{14, 0}, {16, 40}}},
    {"far coin", COIN, PLAYER, {{80, 80}, {81, 81}}},
};

enum { THINGS = sizeof things / sizeof *things };

static bool
may_overlap_in_time(const pqt_item *a, const pqt_item *b, void *context)
{
    const thing *all = context;
    return (all[a->id].meets & all[b->id].category) != 0 &&
           (all[b->id].meets & all[a->id].category) != 0;
}

static bool
print_pair(const pqt_item *a, const pqt_item *b, void *context)
{
    const thing *all = context;
    printf("%s meets %s\n", all[a->id].name, all[b->id].name);
    return true;
}

int
main(void)
{
    pqt_error error = {0};
    pqt_item items[THINGS];
    thing all[THINGS];
    for (size_t i = 0; i < THINGS; i++) {
        all[i] = things[i];
        items[i] = (pqt_item){things[i].box, i};
    }
    const pqt_tree *tree = pqt_tree_of(items, THINGS, NULL, &error);
    if (tree == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    pqt_pair_query query = {.relation = PQT_TOUCHES, .filter = may_overlap_in_time, .context = all};
    pqt_pairs_visit(tree, NULL, &query, print_pair, all);

    /* The pairs of one item: what would a second player meet at the wall? It is not in the tree. */
    const pqt_item visitor = {{{15, 20}, {19, 28}}, 0};
    printf("a second player at 15, 20:\n");
    pqt_pairs_visit_of(tree, visitor, &query, print_pair, all);
    query.filter = NULL;
    printf("without categories: %zu pairs\n", pqt_pairs_count(tree, NULL, &query));
    return 0;
}
