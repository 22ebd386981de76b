/* SPDX-License-Identifier: MIT */
/*
 * saving.c: saves a version to a file and loads it.
 *
 * The items, the bounds and the options determine a tree, and the tree determines the bytes of its
 * file. So a loaded tree equals the saved one, node for node, and saving it again gives the same
 * bytes. A damaged file is refused with a message.
 */
#include <stdio.h>

#include <pqt.h>

int
main(void)
{
    static const char file[] = "saving.pqt";
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, NULL, &error);
    for (uint64_t id = 0; id < 1000; id++) {
        double x = (double)(id * 37 % 100), y = (double)(id * 61 % 97);
        tree = pqt_tree_insert(tree, (pqt_item){{{x, y}, {x + 1, y + 2}}, id}, &error);
    }
    if (!pqt_tree_save(tree, file, &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    const pqt_tree *same = pqt_tree_load(file, NULL, &error);
    if (same == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    printf("%zu items, saved and loaded: %s\n", pqt_tree_count(same),
           pqt_tree_equals(tree, same) ? "the same version" : "another version");

    FILE *damaged = fopen(file, "r+b");
    if (damaged == NULL || fseek(damaged, 200, SEEK_SET) != 0 || fputc(7, damaged) == EOF ||
        fclose(damaged) != 0)
        return perror(file), 1;
    if (pqt_tree_load(file, NULL, &error) == NULL)
        printf("with one byte changed: %s\n", error.text);
    remove(file);
    return 0;
}
