/* SPDX-License-Identifier: MIT */
/*
 * history_document.c: makes the document that `pqt history` edits. It has a tree with the items,
 * and a map for each other column of the file.
 *
 * The maps are keyed by the tree, so removing an item also removes its text in all columns, and
 * undo restores both. An empty field is not stored in a map.
 */
#include "config.h"

#include "tool/history_task.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pqt.h>

#include "tool/csv_table.h"
#include "tool/csv_write.h"
#include "tool/message.h"
#include "tool/tool_memory.h"

#define ITEMS "items"

const pqt_tree *
history_items(const void *document)
{
    return pqt_document_tree(document, ITEMS);
}

/* Returns true if one of the parts has this name. */
static bool
is_taken(const pqt_part *parts, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(parts[i].name, name) == 0)
            return true;
    return false;
}

/* Returns a map from ids to the text in a column. `other` is the index of the column among the
   other columns. */
static const pqt_map *
map_of_column(const table *rows, size_t other, const char *file)
{
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.values = PQT_MAP_BYTE_VALUES;
    options.memory = tool_memory();
    const pqt_map *map = pqt_map_make(&options, &error);
    for (size_t i = 0; i < rows->count; i++) {
        const char *field = table_fields(rows, i);
        for (size_t k = 0; k < other; k++)
            field = next_field(field);
        const pqt_map_key id = pqt_map_id(rows->items[i].id);
        map = *field == '\0' ? pqt_map_remove(map, id, &error)
                             : pqt_map_insert(map, id, pqt_map_bytes(field, strlen(field)), &error);
    }
    if (map == NULL)
        die_error(file, &error);
    return map;
}

/* Returns true if the name of a column is a valid name for a part. */
static bool
is_part_name(const pqt_part *part)
{
    const pqt_part alone = {part->name, PQT_KIND_MAP, part->version, NULL};
    return pqt_document_make(&alone, 1, NULL) != NULL;
}

const pqt_document *
history_document_of(const table *rows, const pqt_tree *items, const char *file)
{
    pqt_error error = {0};
    pqt_part parts[PQT_MAX_PARTS] = {{ITEMS, PQT_KIND_TREE, items, NULL}};
    size_t count = 1, other = 0;
    for (size_t i = 0; i < rows->columns.count && count < PQT_MAX_PARTS; i++) {
        if (!column_is_other(&rows->columns, i))
            continue;
        const pqt_part part = {column_name(&rows->columns, i), PQT_KIND_MAP,
                               map_of_column(rows, other++, file), ITEMS};
        if (!is_taken(parts, count, part.name) && is_part_name(&part))
            parts[count++] = part;
    }
    const pqt_document *document = pqt_document_make(parts, count, &error);
    if (document == NULL)
        die_error(file, &error);
    return document;
}

/* Returns the column that the next word of the script names. */
static const char *
column_in(editor *e)
{
    const pqt_document *document = pqt_history_value(e->history);
    const char *word = script_word(&e->ops);
    size_t place = 0;
    if (word == NULL)
        die(e->ops.file, e->ops.line, "column is missing");
    if (strcmp(word, ITEMS) == 0 || !pqt_document_find(document, word, &place))
        die(e->ops.file, e->ops.line, "no column has this name (%s)", quote_text(word).text);
    return pqt_document_get_part(document, place).name;
}

const pqt_document *
history_set_text(editor *e, uint64_t id, pqt_error *error)
{
    const pqt_document *document = pqt_history_value(e->history);
    const char *column = column_in(e);
    const pqt_map *map = pqt_document_map(document, column);
    if (script_has_more(&e->ops)) {
        const char *text = script_rest(&e->ops, "text");
        map = pqt_map_insert(map, pqt_map_id(id), pqt_map_bytes(text, strlen(text)), error);
    } else {
        map = pqt_map_remove(map, pqt_map_id(id), error);
    }
    return pqt_document_set_map(document, column, map, error);
}

void
history_print_texts(const editor *e, uint64_t id)
{
    const pqt_document *document = pqt_history_value(e->history);
    const char *separator = ": ";
    printf("get %" PRIu64, id);
    for (size_t i = 0; i < pqt_document_count(document); i++) {
        const pqt_part part = pqt_document_get_part(document, i);
        pqt_map_value text;
        if (part.kind != PQT_KIND_MAP || !pqt_map_find(part.version, pqt_map_id(id), &text))
            continue;
        printf("%s%s = %s", separator, part.name, quote(text.bytes, text.size).text);
        separator = ", ";
    }
    putchar('\n');
}
