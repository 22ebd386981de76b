/* SPDX-License-Identifier: MIT */
/* editor.c: a small editor. It makes twenty operations, with undo, branches, a drag and a group,
   and queries the past. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>

/* The document is a history. The editor shows its current value. */
static pqt_history *history;
static pqt_error error;
static double now; /* the editor's clock */

static void
must(bool done)
{
    if (!done) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

static const pqt_tree *
shown(void)
{
    return pqt_history_value(history);
}

/* Pushes a version. If the edit failed, the version is NULL, and the push fails too. */
static void
commit(const pqt_tree *next, const char *label, uint64_t key)
{
    must(pqt_history_push(history, next,
                          &(pqt_history_entry_info){.label = label, .time = ++now, .key = key},
                          &error));
}

static pqt_box
square(double x, double y)
{
    return (pqt_box){{x, y}, {x + 10, y + 10}};
}

static void
draw(uint64_t id, double x, double y)
{
    commit(pqt_tree_insert(shown(), (pqt_item){square(x, y), id}, &error), "Draw", 0);
}

static void
move(uint64_t id, double x, double y, const char *label, uint64_t key)
{
    commit(pqt_tree_move_id(shown(), id, square(x, y), &error), label, key);
}

/* Prints the labels of the menu items, as a menu would show them. */
static void
undo(void)
{
    printf("Undo %s\n", pqt_history_undo_label(history));
    must(pqt_history_undo(history));
}

static void
redo(void)
{
    printf("Redo %s\n", pqt_history_redo_label(history));
    must(pqt_history_redo(history));
}

/* Prints one entry per line, indented by its depth. */
static bool
print_entry(const pqt_history_entry *entry, void *context)
{
    (void)context;
    printf("%c %*s%" PRIu64 " %s: %zu shapes%s%s%s\n",
           entry->is_current   ? '>'
           : entry->is_on_path ? '*'
                               : ' ',
           (int)entry->depth, "", entry->number, entry->depth == 0 ? "New" : entry->label,
           pqt_tree_count(entry->value), entry->is_saved ? ", saved" : "",
           entry->name != NULL ? ", named " : "", entry->name != NULL ? entry->name : "");
    return true;
}

int
main(void)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_history_options wanted = PQT_HISTORY_DEFAULTS;
    options.unique_ids = true; /* shapes are found by id */
    wanted.indexed = true;     /* for the queries below */
    const pqt_tree *empty = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &options, &error);
    history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), empty, &wanted, &error);
    must(history != NULL);

    draw(1, 10, 10);                     /* 1 */
    draw(2, 40, 10);                     /* 2 */
    draw(3, 70, 10);                     /* 3 */
    pqt_history_mark_saved(history);     /* 4 */
    for (int x = 11; x <= 15; x++)       /* 5 */
        move(1, x, 40, "Drag", 1);       /* five moves, one entry */
    pqt_history_end_coalescing(history); /* the button is released */
    undo();                              /* 6 */
    redo();                              /* 7 */
    pqt_history_begin(history, "Align"); /* 8 */
    move(2, 40, 40, NULL, 0);            /* 9 */
    move(3, 70, 40, NULL, 0);            /* 10 */
    pqt_history_end(history);            /* 11 */
    must(pqt_history_set_name(history, pqt_history_current(history), "row", &error)); /* 12 */
    undo();                                                                           /* 13 */
    undo();                                                                           /* 14 */
    commit(pqt_tree_remove_id(shown(), 2, &error), "Delete", 0); /* 15: another branch */
    draw(4, 40, 70);                                             /* 16 */
    draw(5, 70, 70);                                             /* 17 */
    undo();                                                      /* 18 */
    uint64_t row = 0;
    must(pqt_history_find(history, "row", &row));
    must(pqt_history_checkout(history, row, &error)); /* 19: back to the first branch */
    draw(6, 10, 70);                                  /* 20 */

    printf("modified since saved: %s\n", pqt_history_is_modified(history) ? "yes" : "no");
    pqt_history_visit(history, print_entry, NULL);

    pqt_history_answer answer;
    pqt_query query = {.window = {{0, 0}, {30, 30}}, .relation = PQT_TOUCHES};
    const uint64_t tip = pqt_history_current(history);
    must(pqt_history_last_change(history, NULL, tip, &query, &answer, &error));
    printf("the upper left corner last changed in entry %" PRIu64 ", at %g\n", answer.entry,
           answer.time);
    must(pqt_history_last_item_change(history, NULL, tip, 2, &answer, &error));
    printf("shape 2 last moved in entry %" PRIu64 ", from y = %g to %g\n", answer.entry,
           answer.change.item.box.min.y, answer.change.to.min.y);
    uint64_t then = 0;
    must(pqt_history_entry_at(history, tip, 3, &then));
    printf("at 3, %zu shapes were there\n", pqt_tree_count(pqt_history_value_of(history, then)));
    pqt_history_destroy(&history);
    return 0;
}
