/* SPDX-License-Identifier: MIT */
/* save_input.c: reads the version that `pqt save` adds, which may be of any kind. */
#include "config.h"

#include "tool/save_input.h"

#include <stdlib.h>

#include <pqt.h>

#include "tool/csv_table.h"
#include "tool/input_file.h"
#include "tool/message.h"
#include "tool/tool_memory.h"

save_input
save_load(const char *file)
{
    input_file from = input_open(file);
    save_input given = {from.name, from.is_pqt ? from.kind : PQT_KIND_TREE, NULL};
    if (from.is_pqt) {
        given.version = input_version(&from);
    } else {
        table rows = table_from(&from, KEEP_ITEMS);
        given.version = table_tree(&rows, NULL, file);
        table_free(&rows);
    }
    input_close(&from);
    return given;
}

static bool
insert_item(const pqt_item *item, void *context)
{
    pqt_item **next = context;
    *(*next)++ = *item;
    return true;
}

/* Returns a tree of these items with the bounds and options of another tree. */
static const pqt_tree *
in_tree_of(const pqt_tree *other, const pqt_tree *given, const char *file)
{
    pqt_error error = {0};
    size_t capacity = 0;
    pqt_item *items = xgrow(NULL, &capacity, pqt_tree_count(given) + 1, sizeof *items);
    pqt_item *next = items;
    pqt_tree_visit(given, NULL, insert_item, &next);
    const pqt_tree *made =
        pqt_tree_insert_all(pqt_tree_clear(other, &error), items, (size_t)(next - items), &error);
    free(items);
    if (made == NULL)
        die_error(file, &error);
    return made;
}

const void *
save_version_after(const save_input *given, pqt_kind kind, const void *before, const char *holder)
{
    if (given->kind != kind)
        die(given->name, 0, "the file holds %s %s, but the %s holds %ss", article_of(given->kind),
            pqt_kind_name(given->kind), holder, pqt_kind_name(kind));
    return kind == PQT_KIND_TREE ? in_tree_of(before, given->version, given->name) : given->version;
}
