/* SPDX-License-Identifier: MIT */
/*
 * cmd_history.c - `pqt history`: a script of edits, undos, branches and questions, on the items of
 * a
   file.
 */
#include "config.h"

#include "tool/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/history_graph.h"
#include "tool/history_task.h"
#include "tool/picture.h"
#include "tool/script.h"

static const char purpose[] =
    "Makes a history of the items of FILE, does what OPS says, and prints the tree of its\n"
    "entries: > the current one, * where undo leads, o others, |- the first of a branch;\n"
    "label, time, bytes that it added.\n"
    "OPS has a command a line; # begins a comment:\n"
    "  insert ID X Y [X1 Y1]   move ID X Y   remove ID\n"
    "  drag ID X Y             a move; drags of one item in a row are one entry\n"
    "  begin LABEL  end  cancel                      a group of edits, one entry\n"
    "  undo [N]  redo [N]  go ENTRY  name ENTRY NAME  save\n"
    "  thin RECENT  drop ENTRY  prune ENTRY          prune drops what follows as well\n"
    "  time T                  when the edits after it happen; else 1, 2, 3 ...\n"
    "  content X0 Y0 X1 Y1 [T] what the window held, at a time if one is given\n"
    "  changed X0 Y0 X1 Y1     when the window last changed\n"
    "  item ID                 when an item appeared, moved, vanished, newest first\n"
    "  between T0 T1           what changed between two times\n"
    "  show                    the tree, as it is now\n"
    "ENTRY is a number or a name. Items without ids have their row's, from 0; of rows\n"
    "with one id the last counts.\n"
    "Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"script", 'o', POPT_ARG_STRING, NULL, 'o', "do what this file says (needed; - is input)",
     "OPS"},
    {"limit", 'l', POPT_ARG_STRING, NULL, 'l', "thin the history above so many entries", "N"},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw the tree of entries there", "OUT.svg"},
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    char *script; /* NULL: none was named */
    char *output; /* NULL: no picture */
    size_t limit;
} request;

static request
read_request(poptContext context)
{
    request asked = {.file = NULL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'o') {
            free(asked.script);
            asked.script = text_option(context);
        } else if (letter == 's') {
            free(asked.output);
            asked.output = text_option(context);
        } else if (letter == 'l') {
            asked.limit = (size_t)number_option(context, "--limit", 1, 1000000000);
        }
    }
    if (asked.script == NULL)
        complain(NULL, 0, "no script is given (--script OPS)");
    asked.file = only_argument(context);
    input_guard(asked.file, asked.script);
    if (asked.output != NULL && strcmp(asked.output, "-") == 0)
        complain(NULL, 0, "--svg is standard output, where the lines go (-)");
    if (asked.output != NULL) {
        output_guard(asked.output, asked.file);
        output_guard(asked.output, asked.script);
    }
    return asked;
}

static const pqt_tree *
current_tree(const editor *e)
{
    return pqt_history_value(e->history);
}

/* An entry by its number or its name. */
static uint64_t
entry_in(editor *e)
{
    uint64_t entry = 0;
    const char *word = script_word(&e->ops);
    if (word == NULL)
        complain(e->ops.file, e->ops.line, "entry is missing");
    if (!pqt_history_find(e->history, word, &entry) && !read_id(word, strlen(word), &entry))
        complain(e->ops.file, e->ops.line, "no entry has this name (%s)", quote_text(word).text);
    return entry;
}

/* ---- Edits ---- */

static void
push(editor *e, const pqt_tree *tree, const char *label, uint64_t key, pqt_error *error)
{
    const double time = e->has_time ? e->now : e->now + 1;
    if (!pqt_history_push(e->history, tree, (pqt_history_entry_info){label, time, key}, error))
        history_complain(e, error);
    e->now = time;
}

static pqt_item
known_item(editor *e)
{
    pqt_item item;
    const uint64_t id = script_id(&e->ops, "id");
    if (!pqt_tree_find(current_tree(e), id, &item))
        complain(e->ops.file, e->ops.line, "item is not there (%" PRIu64 ")", id);
    return item;
}

static void
label_of(char label[64], const char *verb, uint64_t id)
{
    snprintf(label, 64, "%s %" PRIu64, verb, id);
}

static void
do_insert(editor *e)
{
    char label[64];
    pqt_error error = {0};
    pqt_item item = {.id = script_id(&e->ops, "id")};
    if (pqt_tree_find(current_tree(e), item.id, NULL))
        complain(e->ops.file, e->ops.line, "item is there already (%" PRIu64 ")", item.id);
    item.box.min.x = script_number(&e->ops, "x");
    item.box.min.y = script_number(&e->ops, "y");
    item.box.max = item.box.min;
    if (script_has_more(&e->ops)) {
        item.box.max.x = script_number(&e->ops, "x1");
        item.box.max.y = script_number(&e->ops, "y1");
    }
    label_of(label, "insert", item.id);
    push(e, pqt_tree_insert(current_tree(e), item, &error), label, 0, &error);
}

static void
do_remove(editor *e)
{
    char label[64];
    pqt_error error = {0};
    const pqt_item item = known_item(e);
    label_of(label, "remove", item.id);
    push(e, pqt_tree_remove(current_tree(e), item, &error), label, 0, &error);
}

static void
move_item(editor *e, bool is_drag)
{
    char label[64];
    pqt_error error = {0};
    const pqt_item item = known_item(e);
    pqt_vec to = {.x = script_number(&e->ops, "x")};
    to.y = script_number(&e->ops, "y");
    const pqt_vec size = pqt_box_size(item.box);
    const pqt_box box = {to, {to.x + size.x, to.y + size.y}};
    label_of(label, is_drag ? "drag" : "move", item.id);
    push(e, pqt_tree_move(current_tree(e), item, box, &error), label, is_drag ? item.id + 1 : 0,
         &error);
}

static void
do_move(editor *e)
{
    move_item(e, false);
}

static void
do_drag(editor *e)
{
    move_item(e, true);
}

static void
do_begin(editor *e)
{
    pqt_history_begin(e->history, script_rest(&e->ops, "label"));
    if (e->groups++ == 0)
        e->begun = e->ops.line;
}

static void
need_group(const editor *e, bool was_open)
{
    if (!was_open)
        complain(e->ops.file, e->ops.line, "no group is open");
}

static void
do_end(editor *e)
{
    need_group(e, pqt_history_end(e->history));
    e->groups--;
}

static void
do_cancel(editor *e)
{
    need_group(e, pqt_history_cancel(e->history));
    e->groups = 0;
}

static void
do_time(editor *e)
{
    e->now = script_number(&e->ops, "time");
    e->has_time = true;
}

/* ---- Moving and dropping ---- */

static void
repeat(editor *e, bool (*step)(pqt_history *), const char *what)
{
    const uint64_t times = script_has_more(&e->ops) ? script_id(&e->ops, "count") : 1;
    for (uint64_t i = 0; i < times; i++)
        if (!step(e->history))
            complain(e->ops.file, e->ops.line, "there is nothing to %s (%" PRIu64 " done)", what,
                     i);
}

static void
do_undo(editor *e)
{
    repeat(e, pqt_history_undo, "undo");
}

static void
do_redo(editor *e)
{
    repeat(e, pqt_history_redo, "redo");
}

static void
do_go(editor *e)
{
    pqt_error error = {0};
    if (!pqt_history_checkout(e->history, entry_in(e), &error))
        history_complain(e, &error);
}

static void
do_name(editor *e)
{
    pqt_error error = {0};
    const uint64_t entry = entry_in(e);
    if (!pqt_history_set_name(e->history, entry, script_rest(&e->ops, "name"), &error))
        history_complain(e, &error);
}

static void
do_save(editor *e)
{
    pqt_history_mark_saved(e->history);
}

static void
do_thin(editor *e)
{
    pqt_error error = {0};
    if (!pqt_history_thin(e->history, (size_t)script_id(&e->ops, "recent"), &error))
        history_complain(e, &error);
}

static void
do_drop(editor *e)
{
    pqt_error error = {0};
    if (!pqt_history_drop(e->history, entry_in(e), &error))
        history_complain(e, &error);
}

static void
do_prune(editor *e)
{
    pqt_error error = {0};
    if (!pqt_history_drop_branch(e->history, entry_in(e), &error))
        history_complain(e, &error);
}

static void
do_show(editor *e)
{
    branches_print(e->history);
}

/* ---- The script ---- */

static const struct operation {
    const char *name;
    void (*run)(editor *e);
} operations[] = {
    {"insert", do_insert}, {"move", do_move},         {"remove", do_remove},
    {"drag", do_drag},     {"begin", do_begin},       {"end", do_end},
    {"cancel", do_cancel}, {"undo", do_undo},         {"redo", do_redo},
    {"go", do_go},         {"name", do_name},         {"save", do_save},
    {"thin", do_thin},     {"drop", do_drop},         {"prune", do_prune},
    {"time", do_time},     {"content", past_content}, {"changed", past_changed},
    {"item", past_item},   {"between", past_between}, {"show", do_show},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static void
run_line(editor *e)
{
    const char *word = script_word(&e->ops);
    for (size_t i = 0; i < OPERATIONS; i++)
        if (strcmp(operations[i].name, word) == 0) {
            operations[i].run(e);
            script_end(&e->ops);
            return;
        }
    complain(e->ops.file, e->ops.line, "no such command (%s)", quote_text(word).text);
}

static void
run_script(editor *e, const char *file)
{
    e->ops = script_open(file);
    while (script_next(&e->ops))
        run_line(e);
    if (e->groups > 0)
        complain(e->ops.file, e->begun, "this group is never ended");
    script_close(&e->ops);
}

static pqt_history *
history_of_rows(const table *rows, const request *asked)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_history_options wanted = PQT_HISTORY_DEFAULTS;
    options.memory = tool_memory();
    options.unique_ids = true;
    wanted.indexed = true;
    wanted.max_entries = asked->limit;
    const pqt_tree *tree = pqt_tree_of(rows->items, rows->count, &options, &error);
    pqt_history *history = pqt_history_make(pqt_history_trees(), tree, &wanted, &error);
    if (history == NULL)
        complain_error(asked->file, &error);
    return history;
}

int
history_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "--script OPS [OPTION...] FILE", purpose);
    request asked = read_request(context);
    table rows = table_read(asked.file);
    editor e = {.history = history_of_rows(&rows, &asked)};
    table_free(&rows);
    run_script(&e, asked.script);
    if (asked.output != NULL)
        branches_draw(e.history, asked.output, title_of(asked.file, "its history").text);
    branches_print(e.history);
    pqt_history_destroy(&e.history);
    poptFreeContext(context);
    finish_standard_output();
    if (asked.output != NULL)
        output_close();
    free(asked.script);
    free(asked.output);
    return STATUS_FOUND;
}
