/* SPDX-License-Identifier: MIT */
/* history_json.c: entries of histories and lines as JSON. */
#include "config.h"

#include "tool/history_json.h"

#include <stdio.h>

#include "tool/numbers.h"

static void
fact_real(facts *all, const char *name, double number)
{
    fact_name(all, name);
    fputs(shortest(number).text, stdout);
}

static void
fact_bool(facts *all, const char *name, bool is_true)
{
    fact_name(all, name);
    fputs(is_true ? "true" : "false", stdout);
}

void
fact_history_entry(facts *all, const pqt_history_entry *entry)
{
    fact_number(all, "number", entry->number);
    if (entry->depth > 0)
        fact_number(all, "parent", entry->parent);
    fact_text(all, "label", entry->label);
    if (entry->name != NULL)
        fact_text(all, "name", entry->name);
    fact_real(all, "time", entry->time);
    fact_number(all, "added bytes", entry->added);
    fact_bool(all, "is current", entry->is_current);
    fact_bool(all, "is saved", entry->is_saved);
    fact_bool(all, "is on path", entry->is_on_path);
}

void
fact_line_entry(facts *all, const pqt_line_entry *entry)
{
    char hash[2 * PQT_LINE_HASH + 1];
    for (int i = 0; i < PQT_LINE_HASH; i++)
        sprintf(hash + 2 * i, "%02x", entry->hash[i]);
    fact_number(all, "number", entry->number);
    fact_text(all, "label", entry->label);
    fact_text(all, "author", entry->author);
    fact_text(all, "role", entry->role);
    fact_real(all, "time", entry->time);
    fact_text(all, "hash", hash);
    fact_number(all, "change bytes", entry->change_bytes);
    fact_number(all, "keyframe bytes", entry->keyframe_bytes);
}

static bool
print_entry(const pqt_history_entry *entry, void *context)
{
    bool *is_first = context;
    facts all = {.are_json = true};
    fputs(*is_first ? "[\n" : ",\n", stdout);
    fact_history_entry(&all, entry);
    fputs("\n}", stdout);
    *is_first = false;
    return !ferror(stdout);
}

void
history_print_json(const pqt_history *history)
{
    bool is_first = true;
    pqt_history_visit(history, print_entry, &is_first);
    puts("\n]");
}
