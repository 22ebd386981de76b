/* SPDX-License-Identifier: MIT */
/* first.c: the shortest example: each edit returns a version, and old versions stay unchanged. */
#include <stdio.h>

#include <pqt.h>

int
main(void)
{
    pqt_error error = {0};
    pqt_box bounds = {{0, 0}, {100, 100}}, left = {{0, 0}, {50, 100}};
    pqt_item cat = {{{10, 20}, {30, 30}}, 1}, dog = {{{40, 60}, {70, 80}}, 2};

    const pqt_tree *monday = pqt_tree_make(bounds, NULL, &error);
    monday = pqt_tree_insert(monday, cat, &error);
    monday = pqt_tree_insert(monday, dog, &error);
    const pqt_tree *tuesday = pqt_tree_move(monday, cat, (pqt_box){{60, 20}, {80, 30}}, &error);
    if (tuesday == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    pqt_query query = {.window = left, .relation = PQT_INSIDE};
    printf("wholly in the left half on Tuesday: %zu\n", pqt_tree_count_in(tuesday, &query));
    printf("and on Monday, as before: %zu\n", pqt_tree_count_in(monday, &query));
    query.relation = PQT_TOUCHES;
    pqt_item found;
    if (pqt_tree_any(tuesday, &query, &found))
        printf("reaching into it on Tuesday: item %llu\n", (unsigned long long)found.id);
    return 0;
}
