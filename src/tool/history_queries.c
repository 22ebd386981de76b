/* SPDX-License-Identifier: MIT */
/* history_queries.c: runs the queries of `pqt history` about past entries. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "tool/history_graph.h"
#include "tool/history_task.h"
#include "tool/message.h"
#include "tool/numbers.h"
#include "tool/picture.h"
#include "tool/script.h"

static void
print_box(pqt_box box)
{
    printf("%s,%s", shortest(box.min.x).text, shortest(box.min.y).text);
    if (box.min.x != box.max.x || box.min.y != box.max.y)
        printf(",%s,%s", shortest(box.max.x).text, shortest(box.max.y).text);
}

static void
print_window(const char *verb, pqt_box window)
{
    printf("%s %s,%s,%s,%s", verb, shortest(window.min.x).text, shortest(window.min.y).text,
           shortest(window.max.x).text, shortest(window.max.y).text);
}

static bool
print_id(const pqt_item *item, void *context)
{
    (void)context;
    printf(" %" PRIu64, item->id);
    return !ferror(stdout);
}

void
query_content(editor *e)
{
    const pqt_query query = {.window = script_box(&e->ops, true), .relation = PQT_TOUCHES};
    uint64_t entry = pqt_history_current(e->history);
    if (script_has_more(&e->ops)) {
        const double time = script_number(&e->ops, "time");
        if (!pqt_history_entry_at(e->history, entry, time, &entry))
            die(e->ops.file, e->ops.line, "time is before the first entry (%s)",
                shortest(time).text);
    }
    print_window("content", query.window);
    printf(" at entry %" PRIu64 ":", entry);
    if (pqt_tree_visit(history_items(pqt_history_value_of(e->history, entry)), &query, print_id,
                       NULL))
        putchar('\n');
}

void
query_changed(editor *e)
{
    pqt_error error = {0};
    pqt_history_answer answer;
    pqt_history_entry entry;
    const pqt_query query = {.window = script_box(&e->ops, true), .relation = PQT_TOUCHES};
    if (!pqt_history_last_change(e->history, NULL, pqt_history_current(e->history), &query, &answer,
                                 &error))
        history_die(e, &error);
    print_window("changed", query.window);
    if (answer.found && pqt_history_get_entry(e->history, answer.entry, &entry))
        printf(": entry %" PRIu64 " (%s), time %s\n", answer.entry, entry.label,
               shortest(answer.time).text);
    else
        printf(": never\n");
}

static bool
print_change(const pqt_change *change, void *context)
{
    const char *verb = change->kind == PQT_INSERT   ? "appeared at"
                       : change->kind == PQT_REMOVE ? "vanished from"
                                                    : "moved from";
    (void)context;
    printf("item %" PRIu64 " %s ", change->item.id, verb);
    print_box(change->item.box);
    if (change->kind == PQT_MOVE) {
        printf(" to ");
        print_box(change->to);
    }
    putchar('\n');
    return !ferror(stdout);
}

void
query_item(editor *e)
{
    pqt_error error = {0};
    pqt_history_answer answer = {.before = pqt_history_current(e->history)};
    const uint64_t id = script_id(&e->ops, "id");
    do {
        if (!pqt_history_last_item_change(e->history, NULL, answer.before, id, &answer, &error))
            history_die(e, &error);
        if (answer.found) {
            printf("entry %" PRIu64 ", time %s: ", answer.entry, shortest(answer.time).text);
            print_change(&answer.change, NULL);
        }
    } while (answer.found);
    printf("first: item %" PRIu64 " is %s\n", id,
           pqt_tree_find(history_items(pqt_history_value_of(e->history, 0)), id, NULL) ? "present"
                                                                                       : "absent");
}

void
query_between(editor *e)
{
    pqt_error error = {0};
    const double from = script_number(&e->ops, "time");
    const double to = script_number(&e->ops, "time");
    printf("between %s and %s:\n", shortest(from).text, shortest(to).text);
    if (!pqt_history_visit_changes(e->history, NULL, pqt_history_current(e->history), from, to,
                                   NULL, print_change, NULL, &error))
        history_die(e, &error);
}

void
history_die(const editor *e, const pqt_error *error)
{
    die(e->ops.file, e->ops.line, "%s", error->text);
}
