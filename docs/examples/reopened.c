/* SPDX-License-Identifier: MIT */
/* reopened.c: an editor that saves with each edit, quits, and undoes after it is opened again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pqt.h>
#include <pqt/stores.h>

static pqt_error error;

static void
must(bool done)
{
    if (!done) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

/* An editor with a file. Nothing is lost if its process ends at any moment. */
typedef struct editor {
    pqt_store *store;
    pqt_history *history;
    double now; /* its clock */
} editor;

static editor
start(const char *path)
{
    editor made = {.store = pqt_store_open(path, NULL, &error)};
    must(made.store != NULL);
    if (pqt_store_kind(made.store) == PQT_KIND_NONE) { /* a new file */
        pqt_tree_options options = PQT_TREE_DEFAULTS;
        options.unique_ids = true;
        const pqt_tree *empty = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &options, &error);
        made.history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), empty, NULL, &error);
        must(pqt_history_save(made.history, made.store, &error));
    } else {
        pqt_history_entry current;
        made.history = pqt_history_open(made.store, NULL, NULL, &error);
        must(made.history != NULL);
        pqt_history_get_entry(made.history, pqt_history_current(made.history), &current);
        made.now = current.time;
    }
    return made;
}

static void
quit(editor *of)
{
    pqt_history_destroy(&of->history);
    must(pqt_store_close(&of->store, &error));
    printf("-- quit --\n");
}

static void
commit(editor *to, const pqt_tree *next, const char *label, uint64_t key)
{
    must(pqt_history_push(to->history, next,
                          &(pqt_history_entry_info){.label = label, .time = ++to->now, .key = key},
                          &error));
    printf("%s\n", label);
}

static void
draw(editor *to, uint64_t id, double x)
{
    const pqt_item item = {{{x, 10}, {x + 10, 20}}, id};
    commit(to, pqt_tree_insert(pqt_history_value(to->history), item, &error), "Draw", 0);
}

static void
drag(editor *to, uint64_t id, double x)
{
    const pqt_box box = {{x, 10}, {x + 10, 20}};
    commit(to, pqt_tree_move_id(pqt_history_value(to->history), id, box, &error), "Drag", id);
}

static void
undo(editor *of)
{
    printf("Undo %s\n", pqt_history_undo_label(of->history));
    must(pqt_history_undo(of->history));
}

static bool
print_entry(const pqt_history_entry *entry, void *context)
{
    (void)context;
    printf("%c %" PRIu64 " %s\n", entry->is_current ? '>' : ' ', entry->number,
           entry->depth == 0 ? "New" : entry->label);
    return true;
}

int
main(void)
{
    char folder[] = "/tmp/pqt-example-XXXXXX", path[64];
    pqt_item shape;
    must(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/plan.pqts", folder);

    editor first = start(path);
    draw(&first, 1, 10);
    draw(&first, 2, 40);
    drag(&first, 2, 45); /* three moves, one entry */
    drag(&first, 2, 50);
    drag(&first, 2, 55);
    quit(&first);

    editor second = start(path); /* in another process, on another day */
    undo(&second);               /* undoes the drag that the first one made */
    pqt_tree_find(pqt_history_value(second.history), 2, &shape);
    printf("shape 2 is at %g again\n", shape.box.min.x);
    draw(&second, 3, 70); /* a branch next to the drag */
    quit(&second);

    editor third = start(path);
    pqt_history_visit(third.history, print_entry, NULL);
    undo(&third);
    undo(&third);
    printf("shapes: %zu\n", pqt_tree_count(pqt_history_value(third.history)));
    quit(&third);
    unlink(path);
    rmdir(folder);
    return 0;
}
