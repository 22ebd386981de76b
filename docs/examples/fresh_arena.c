/* SPDX-License-Identifier: MIT */
/*
 * fresh_arena.c: moves a history into another arena, which frees the versions that it has dropped.
 *
 * An arena frees nothing until it is destroyed. So the program copies the versions of the history
 * into a second arena, makes a history of the copies there, and destroys the first arena. Versions
 * that are copied together share as much as before. copy_history works for histories of any kind of
 * version.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>

enum { ITEMS = 2000, MOVES = 4000, RECENT = 8, MOST_ENTRIES = 64 };

static pqt_error error;

static void
must(bool done)
{
    if (!done) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

typedef struct path {
    const void *versions[MOST_ENTRIES];
    const char *labels[MOST_ENTRIES]; /* valid until the history changes */
    size_t count;
} path;

static bool
add_to_path(const pqt_history_entry *entry, void *context)
{
    path *p = context;
    must(p->count < MOST_ENTRIES);
    p->versions[p->count] = entry->value;
    p->labels[p->count++] = entry->label;
    return true;
}

/* Returns a history in `memory` with copies of the entries from the first to the current one. */
static pqt_history *
copy_history(const pqt_history *history, pqt_memory *memory)
{
    path old = {.count = 0};
    const void *copies[MOST_ENTRIES];
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    pqt_history_visit_path(history, 0, pqt_history_current(history), add_to_path, &old);
    must(pqt_version_copy_all(old.versions, old.count, memory, copies, &error));
    options.label = old.labels[0];
    const pqt_history_kind *kind = pqt_history_kind_of(pqt_kind_of(copies[0]));
    pqt_history *copied = pqt_history_make(kind, copies[0], &options, &error);
    must(copied != NULL);
    for (size_t i = 1; i < old.count; i++) {
        const pqt_history_entry_info info = {.label = old.labels[i], .keep_equal = true};
        must(pqt_history_push(copied, copies[i], &info, &error));
    }
    return copied;
}

static const pqt_tree *
make_scene(pqt_memory *memory)
{
    static pqt_item items[ITEMS];
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    options.unique_ids = true;
    for (uint64_t id = 0; id < ITEMS; id++) {
        const double x = (double)(id * 37 % 1000), y = (double)(id * 61 % 997);
        items[id] = (pqt_item){{{x, y}, {x + 1, y + 1}}, id};
    }
    return pqt_tree_of(items, ITEMS, &options, &error);
}

static void
move_items(pqt_history *history)
{
    for (uint64_t i = 0; i < MOVES; i++) {
        const pqt_vec corner = {(double)(i % 1000), (double)(i % 999)};
        const pqt_box to = pqt_box_from_size(corner, (pqt_vec){2, 2});
        const pqt_tree *moved = pqt_tree_move_id(pqt_history_value(history), i % ITEMS, to, &error);
        must(pqt_history_push(history, moved, &(pqt_history_entry_info){.label = "Move"}, &error));
    }
}

int
main(void)
{
    pqt_memory *first = pqt_arena_make(0, &error), *second = pqt_arena_make(0, &error);
    must(first != NULL && second != NULL);
    const pqt_history_kind *trees = pqt_history_kind_of(PQT_KIND_TREE);
    pqt_history *history = pqt_history_make(trees, make_scene(first), NULL, &error);
    must(history != NULL);
    move_items(history);
    must(pqt_history_thin(history, RECENT, &error));

    pqt_history *copied = copy_history(history, second);
    const uint64_t before = pqt_memory_get_stats(first).bytes;
    const uint64_t after = pqt_memory_get_stats(second).bytes;
    printf("entries after thinning: %zu\n", pqt_history_get_stats(copied).entries);
    printf("the second arena is less than a quarter of the first one: %s\n",
           after * 4 < before ? "yes" : "no");
    printf("the newest versions are equal: %s\n",
           pqt_version_equals(pqt_history_value(copied), pqt_history_value(history)) ? "yes"
                                                                                     : "no");
    pqt_history_destroy(&history);
    pqt_arena_destroy(&first);

    must(pqt_history_undo(copied));
    printf("after an undo: %s\n", pqt_history_redo_label(copied));
    /* The last version outlives the arena in the default memory. */
    const pqt_tree *kept = pqt_version_copy(pqt_history_value(copied), NULL, &error);
    must(kept != NULL);
    pqt_history_destroy(&copied);
    pqt_arena_destroy(&second);
    printf("kept: %zu items\n", pqt_tree_count(kept));
    return 0;
}
