/* SPDX-License-Identifier: MIT */
/*
 * saving.c - saves a version to a file and loads it.
 *
 * The library has no file format. The bounds, the options and the items of a version are plain
 * numbers and determine the tree, so a version that is built from them again is the same, node for
 * node, with the same fingerprint.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>

/* Writes the bounds and the count, then the items, in the byte order of this machine. */
static bool
save(FILE *file, const pqt_tree *tree)
{
    pqt_box bounds = pqt_tree_bounds(tree);
    size_t count = pqt_tree_count(tree);
    pqt_item *items = malloc((count + 1) * sizeof *items);
    if (items == NULL)
        return false;
    pqt_tree_collect(tree, NULL, items, count);
    bool saved = fwrite(&bounds, sizeof bounds, 1, file) == 1 &&
                 fwrite(&count, sizeof count, 1, file) == 1 &&
                 fwrite(items, sizeof *items, count, file) == count && fflush(file) == 0;
    free(items);
    return saved;
}

/* Does not trust the file: invalid boxes are refused, and missing data are detected. */
static const pqt_tree *
load(FILE *file, pqt_error *error)
{
    pqt_box bounds;
    size_t count;
    if (fread(&bounds, sizeof bounds, 1, file) != 1 || fread(&count, sizeof count, 1, file) != 1)
        return NULL;
    const pqt_tree *tree = pqt_tree_make(bounds, NULL, error);
    pqt_item *items = count <= PQT_MAX_ITEMS ? malloc((count + 1) * sizeof *items) : NULL;
    if (items != NULL && fread(items, sizeof *items, count, file) == count)
        tree = pqt_tree_insert_all(tree, items, count,
                                   error); /* a bulk build, because the tree is empty */
    else
        tree = NULL;
    free(items);
    return tree;
}

int
main(void)
{
    pqt_error error = {0};
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, NULL, &error);
    for (uint64_t id = 0; id < 1000; id++) {
        double x = (double)(id * 37 % 100), y = (double)(id * 61 % 97);
        tree = pqt_tree_insert(tree, (pqt_item){{{x, y}, {x + 1, y + 2}}, id}, &error);
    }
    FILE *file = tmpfile();
    if (tree == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    if (file == NULL || !save(file, tree))
        return perror("not saved"), 1;
    rewind(file);
    const pqt_tree *again = load(file, &error);
    fclose(file);
    if (again == NULL)
        return fprintf(stderr, "not loaded %s\n", error.text), 1;
    printf("%zu items, saved and loaded: %s\n", pqt_tree_count(again),
           pqt_tree_equals(tree, again) ? "the same version" : "another version");
    return 0;
}
