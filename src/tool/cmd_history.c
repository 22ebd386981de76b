/* SPDX-License-Identifier: MIT */
/*
 * cmd_history.c: `pqt history`: runs a script of edits, undos, branches and queries on the items of
 * a file.
 */
#include "config.h"

#include "tool/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>

#include "tool/cli.h"
#include "tool/column_options.h"
#include "tool/csv_table.h"
#include "tool/history_graph.h"
#include "tool/history_task.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/out.h"
#include "tool/picture.h"
#include "tool/progress.h"
#include "tool/script.h"
#include "tool/tool_memory.h"

static const char purpose[] =
    "Makes a history of the items of FILE, runs the script OPS, and prints the tree of the\n"
    "history's entries: > marks the current one, * those to which undo leads, o others, and |-\n"
    "the first of a branch; then label, time, and the bytes that the entry added.\n"
    "OPS has one command per line; # begins a comment:\n"
    "  insert ID X Y [X1 Y1]   move ID X Y   remove ID\n"
    "  drag ID X Y             a move; consecutive drags of one item are one entry\n"
    "  set ID COLUMN [TEXT]    gives an item a text in another column of FILE, or none\n"
    "  get ID                  the item's texts\n"
    "  begin LABEL  end  cancel                      a group of edits, one entry\n"
    "  undo [N]  redo [N]  go ENTRY  name ENTRY NAME  save\n"
    "  thin RECENT  drop ENTRY  prune ENTRY          prune also drops the entry's descendants\n"
    "  time T                  the time of the edits after it; by default 1, 2, 3 ...\n"
    "  content X0 Y0 X1 Y1 [T] the items in the window, now or at time T\n"
    "  changed X0 Y0 X1 Y1     when the window last changed\n"
    "  item ID                 when an item appeared, moved or vanished, newest first\n"
    "  between T0 T1           the changes between two times\n"
    "  show                    the tree, as it is now\n"
    "ENTRY is a number or a name. Without a column id, the ids are the numbers of the rows,\n"
    "from 0. Of several rows with one id, the last one is used.\n"
    "Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"script", '\0', POPT_ARG_STRING, NULL, 'o', "run this script (required; - is standard input)",
     "OPS"},
    {"limit", '\0', POPT_ARG_STRING, NULL, 'l', "thin the history above N entries", "N"},
    {"svg", 's', POPT_ARG_STRING, NULL, 's', "draw as SVG: the tree of entries", "OUT.svg"},
    COLUMN_OPTIONS,
    COMMON_OPTIONS};

typedef struct request {
    const char *file;
    char *script; /* NULL: no script was given */
    char *output; /* NULL: no picture is drawn */
    size_t limit;
} request;

static request
read_request(poptContext context)
{
    request req = {.file = NULL};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'o') {
            free(req.script);
            req.script = text_option(context);
        } else if (letter == 's') {
            free(req.output);
            req.output = text_option(context);
        } else if (letter == 'l') {
            req.limit = (size_t)number_option(context, "--limit", 1, 1000000000);
        }
    }
    if (req.script == NULL)
        die(NULL, 0, "no script is given (--script OPS)");
    req.file = only_argument(context);
    input_guard(req.file, req.script);
    if (req.output != NULL && strcmp(req.output, "-") == 0)
        die(NULL, 0, "--svg may not be standard output, which receives the results (-)");
    if (req.output != NULL) {
        output_guard(req.output, req.file);
        output_guard(req.output, req.script);
        output_check_name(req.output, "SVG");
    }
    return req;
}

static const pqt_tree *
current_tree(const editor *e)
{
    return history_items(pqt_history_value(e->history));
}

/* Reads an entry from the script, which names it by its number or its name. */
static uint64_t
entry_in(editor *e)
{
    uint64_t entry = 0;
    const char *word = script_word(&e->ops);
    if (word == NULL)
        die(e->ops.file, e->ops.line, "entry is missing");
    if (!pqt_history_find(e->history, word, &entry) && !read_id(word, strlen(word), &entry))
        die(e->ops.file, e->ops.line, "no entry has this name (%s)", quote_text(word).text);
    return entry;
}

/* ---- Edits ---- */

static void
push_document(editor *e, const pqt_document *document, const char *label, uint64_t key,
              pqt_error *error)
{
    const double time = e->has_time ? e->now : e->now + 1;
    if (!pqt_history_push(e->history, document,
                          &(pqt_history_entry_info){.label = label, .time = time, .key = key},
                          error))
        history_die(e, error);
    e->now = time;
}

static void
push_version(editor *e, const pqt_tree *tree, const char *label, uint64_t key, pqt_error *error)
{
    push_document(e, pqt_document_set_tree(pqt_history_value(e->history), "items", tree, error),
                  label, key, error);
}

static pqt_item
read_item(editor *e)
{
    pqt_item item;
    const uint64_t id = script_id(&e->ops, "id");
    if (!pqt_tree_find(current_tree(e), id, &item))
        die(e->ops.file, e->ops.line, "no item has this id (%" PRIu64 ")", id);
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
        die(e->ops.file, e->ops.line, "an item with this id already exists (%" PRIu64 ")", item.id);
    item.box.min.x = script_number(&e->ops, "x");
    item.box.min.y = script_number(&e->ops, "y");
    item.box.max = item.box.min;
    if (script_has_more(&e->ops)) {
        item.box.max.x = script_number(&e->ops, "x1");
        item.box.max.y = script_number(&e->ops, "y1");
    }
    label_of(label, "insert", item.id);
    push_version(e, pqt_tree_insert(current_tree(e), item, &error), label, 0, &error);
}

static void
do_remove(editor *e)
{
    char label[64];
    pqt_error error = {0};
    const pqt_item item = read_item(e);
    label_of(label, "remove", item.id);
    push_version(e, pqt_tree_remove(current_tree(e), item, &error), label, 0, &error);
}

static void
move_item(editor *e, bool is_drag)
{
    char label[64];
    pqt_error error = {0};
    const pqt_item item = read_item(e);
    pqt_vec to = {.x = script_number(&e->ops, "x")};
    to.y = script_number(&e->ops, "y");
    const pqt_vec size = pqt_box_size(item.box);
    const pqt_box box = {to, {to.x + size.x, to.y + size.y}};
    label_of(label, is_drag ? "drag" : "move", item.id);
    push_version(e, pqt_tree_move(current_tree(e), item, box, &error), label,
                 is_drag ? item.id + 1 : 0, &error);
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
do_set(editor *e)
{
    char label[64];
    pqt_error error = {0};
    const pqt_item item = read_item(e);
    label_of(label, "set", item.id);
    push_document(e, history_set_text(e, item.id, &error), label, 0, &error);
}

static void
do_get(editor *e)
{
    history_print_texts(e, read_item(e).id);
}

static void
do_begin(editor *e)
{
    pqt_history_begin(e->history, script_rest(&e->ops, "label"));
    if (e->groups++ == 0)
        e->group_line = e->ops.line;
}

static void
require_group(const editor *e, bool was_open)
{
    if (!was_open)
        die(e->ops.file, e->ops.line, "no group is open");
}

static void
do_end(editor *e)
{
    require_group(e, pqt_history_end(e->history));
    e->groups--;
}

static void
do_cancel(editor *e)
{
    require_group(e, pqt_history_cancel(e->history));
    e->groups = 0;
}

static void
do_time(editor *e)
{
    e->now = script_number(&e->ops, "time");
    e->has_time = true;
}

/* ---- Navigation and dropping ---- */

static void
repeat_step(editor *e, bool (*step)(pqt_history *), const char *what)
{
    const uint64_t times = script_has_more(&e->ops) ? script_id(&e->ops, "count") : 1;
    for (uint64_t i = 0; i < times; i++)
        if (!step(e->history))
            die(e->ops.file, e->ops.line, "there is nothing to %s (%" PRIu64 " done)", what, i);
}

static void
do_undo(editor *e)
{
    repeat_step(e, pqt_history_undo, "undo");
}

static void
do_redo(editor *e)
{
    repeat_step(e, pqt_history_redo, "redo");
}

static void
do_go(editor *e)
{
    pqt_error error = {0};
    if (!pqt_history_checkout(e->history, entry_in(e), &error))
        history_die(e, &error);
}

static void
do_name(editor *e)
{
    pqt_error error = {0};
    const uint64_t entry = entry_in(e);
    if (!pqt_history_set_name(e->history, entry, script_rest(&e->ops, "name"), &error))
        history_die(e, &error);
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
        history_die(e, &error);
}

static void
do_drop(editor *e)
{
    pqt_error error = {0};
    if (!pqt_history_drop(e->history, entry_in(e), &error))
        history_die(e, &error);
}

static void
do_prune(editor *e)
{
    pqt_error error = {0};
    if (!pqt_history_drop_branch(e->history, entry_in(e), &error))
        history_die(e, &error);
}

static void
do_show(editor *e)
{
    history_print(e->history);
}

/* ---- Script ---- */

static const struct operation {
    const char *name;
    void (*run)(editor *e);
} operations[] = {
    {"set", do_set},
    {"get", do_get},
    {"insert", do_insert},
    {"move", do_move},
    {"remove", do_remove},
    {"drag", do_drag},
    {"begin", do_begin},
    {"end", do_end},
    {"cancel", do_cancel},
    {"undo", do_undo},
    {"redo", do_redo},
    {"go", do_go},
    {"name", do_name},
    {"save", do_save},
    {"thin", do_thin},
    {"drop", do_drop},
    {"prune", do_prune},
    {"time", do_time},
    {"content", query_content},
    {"changed", query_changed},
    {"item", query_item},
    {"between", query_between},
    {"show", do_show},
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
    die(e->ops.file, e->ops.line, "unknown command (%s)", quote_text(word).text);
}

static void
run_script(editor *e, const char *file)
{
    e->ops = script_open(file);
    while (script_next(&e->ops))
        run_line(e);
    if (e->groups > 0)
        die(e->ops.file, e->group_line, "the group is still open");
    script_close(&e->ops);
}

static pqt_history *
history_of_rows(const table *rows, const request *req)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_history_options history_options = PQT_HISTORY_DEFAULTS;
    options.memory = tool_memory();
    options.unique_ids = true;
    history_options.indexed = true;
    history_options.max_entries = req->limit;
    progress_begin_wait("building", rows->count);
    const pqt_tree *tree = pqt_tree_of(rows->items, rows->count, &options, &error);
    progress_end();
    if (tree == NULL)
        die_error(req->file, &error);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT),
                         history_document_of(rows, tree, req->file), &history_options, &error);
    if (history == NULL)
        die_error(req->file, &error);
    return history;
}

int
history_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "--script OPS [OPTION...] FILE", purpose);
    request req = read_request(context);
    table rows = table_read(req.file, KEEP_TEXTS);
    editor e = {.history = history_of_rows(&rows, &req)};
    table_free(&rows);
    run_script(&e, req.script);
    if (req.output != NULL)
        history_draw(e.history, req.output, title_of(req.file, "its history").text);
    history_print(e.history);
    pqt_history_destroy(&e.history);
    poptFreeContext(context);
    finish_standard_output();
    if (req.output != NULL)
        output_close();
    free(req.script);
    free(req.output);
    return STATUS_FOUND;
}
