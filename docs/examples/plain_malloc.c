/* SPDX-License-Identifier: MIT */
/*
 * plain_malloc.c: a program that uses only malloc and free: its undo list stores pins.
 *
 * The collector does not scan memory from malloc, so it would reclaim a version that only such
 * memory points to. A pin keeps its version alive from any memory until it is unpinned. Versions
 * without a pin are reclaimed automatically.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>

typedef struct step {
    struct step *before;
    pqt_pin *pin;
    char label[32];
} step;

/* Adds a step with a pinned version. On failure the list stays unchanged. */
static step *
push(step *list, const pqt_tree *tree, const char *label, pqt_error *error)
{
    pqt_pin *pin = pqt_tree_pin(tree, error);
    step *added = pin != NULL ? malloc(sizeof *added) : NULL;
    if (added == NULL) {
        pqt_unpin(&pin);
        return NULL;
    }
    added->before = list;
    added->pin = pin;
    snprintf(added->label, sizeof added->label, "%s", label);
    return added;
}

static step *
pop(step *list)
{
    step *before = list->before;
    pqt_unpin(&list->pin);
    free(list);
    return before;
}

/* Each step adds a row of ten boxes. */
static step *
add_row(step *list, int row, pqt_error *error)
{
    pqt_item items[10];
    char label[32];
    for (int i = 0; i < 10; i++) {
        double x = i * 10, y = row * 10;
        items[i] = (pqt_item){{{x, y}, {x + 5, y + 5}}, (uint64_t)(row * 10 + i)};
    }
    snprintf(label, sizeof label, "row %d", row);
    return push(list, pqt_tree_insert_all(pqt_pin_get_tree(list->pin), items, 10, error), label,
                error);
}

int
main(void)
{
    pqt_error error = {0};
    pqt_box bounds = {{0, 0}, {100, 100}};
    step *list = push(NULL, pqt_tree_make(bounds, NULL, &error), "empty", &error);
    for (int row = 0; list != NULL && row < 5; row++)
        list = add_row(list, row, &error);
    if (list == NULL)
        return fprintf(stderr, "%s\n", error.status != PQT_OK ? error.text : "out of memory"), 1;
    pqt_memory *memory = pqt_tree_memory(pqt_pin_get_tree(list->pin));
    printf("pins: %llu\n", (unsigned long long)pqt_memory_get_stats(memory).pins);
    for (; list != NULL; list = pop(list))
        printf("%-5s %2zu items\n", list->label, pqt_tree_count(pqt_pin_get_tree(list->pin)));
    printf("pins: %llu\n", (unsigned long long)pqt_memory_get_stats(memory).pins);
    return 0;
}
