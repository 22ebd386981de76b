/* SPDX-License-Identifier: MIT */
/* tooltips.c: the names of items, which a browser shows while the pointer is over them in a
   picture. */
#include "config.h"

#include "tool/tooltips.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool/csv_write.h"
#include "tool/globe_picture.h"

/* ---- Names ---- */

static bool
ends_in_name(const char *name)
{
    const size_t length = strlen(name);
    return length > 5 && strcasecmp(name + length - 5, "_name") == 0;
}

/* Returns the column with names, or the number of columns if there is none. */
static size_t
column_of_names(const table_columns *columns)
{
    size_t found = columns->count;
    for (size_t c = 0; c < columns->count; c++) {
        if (!column_is_other(columns, c))
            continue;
        if (strcasecmp(column_name(columns, c), "name") == 0)
            return c;
        if (found == columns->count && ends_in_name(column_name(columns, c)))
            found = c;
    }
    return found;
}

/* Returns the field with the name of a row, or an empty text if there is none. */
static const char *
name_in(const table_columns *columns, const char *fields)
{
    const size_t wanted = column_of_names(columns);
    if (wanted == columns->count)
        return "";
    for (size_t c = 0; c < wanted; c++)
        if (column_is_other(columns, c))
            fields = next_field(fields);
    return fields;
}

/* ---- Adding ---- */

static void
append_name(tooltips *to, const table_columns *columns, uint64_t id, const char *fields)
{
    char number[32];
    const char *name = name_in(columns, fields);
    if (name[0] == '\0') {
        snprintf(number, sizeof number, "id %" PRIu64, id);
        name = number;
    }
    append_bytes(&to->names, name, strlen(name) + 1);
}

static void
add_box(tooltips *to, pqt_box box, bool is_result)
{
    to->all = xgrow(to->all, &to->capacity, to->count + 1, sizeof *to->all);
    to->all[to->count++] = (tooltip){box, to->names.length, is_result};
}

/* Returns the parts of a box that are drawn. */
static globe_parts
parts_of(const tooltips *to, pqt_box box)
{
    return to->is_globe ? globe_cut(box) : (globe_parts){{box}, 1};
}

/* Counts an item. Returns true if the picture shows it and may have its tooltip. */
static bool
count_item(tooltips *to, const globe_parts *parts, bool is_result)
{
    if (!pqt_box_touches(parts->boxes[0], to->shown) &&
        !pqt_box_touches(parts->boxes[parts->count - 1], to->shown))
        return false;
    size_t *number = is_result ? &to->results : &to->others;
    return (*number)++ < MOST_TOOLTIPS;
}

static void
add_parts(tooltips *to, const globe_parts *parts, bool is_result)
{
    for (size_t i = 0; i < parts->count; i++)
        add_box(to, parts->boxes[i], is_result);
}

void
tooltips_add(tooltips *to, const table_columns *columns, pqt_item item, const char *fields,
             bool is_result)
{
    if (!pqt_box_is_valid(item.box))
        return;
    const globe_parts parts = parts_of(to, item.box);
    if (!count_item(to, &parts, is_result))
        return;
    add_parts(to, &parts, is_result);
    append_name(to, columns, item.id, fields);
}

/* ---- Results ---- */

static int
compare_results(const void *a, const void *b)
{
    return compare_items(a, b);
}

/* Sorts the items and drops those that are equal to others. */
static void
sort_results(result_items *of)
{
    size_t kept = 0;
    if (of->are_sorted || of->count == 0)
        return;
    qsort(of->items, of->count, sizeof *of->items, compare_results);
    for (size_t i = 0; i < of->count; i++)
        if (kept == 0 || compare_items(&of->items[kept - 1], &of->items[i]) != 0)
            of->items[kept++] = of->items[i];
    of->count = kept;
    of->are_sorted = true;
}

void
result_items_add(result_items *to, const pqt_item *item)
{
    if (to->count == 2 * MOST_TOOLTIPS) {
        sort_results(to);
        to->are_many = to->count > MOST_TOOLTIPS;
    }
    if (to->are_many)
        return;
    to->items = xgrow(to->items, &to->capacity, to->count + 1, sizeof *to->items);
    to->items[to->count++] = *item;
    to->are_sorted = false;
}

void
result_items_free(result_items *of)
{
    free(of->items);
    *of = (result_items){.items = NULL};
}

/* ---- Trees ---- */

/* A tree whose items are added. */
typedef struct tree_tips {
    tooltips *to;
    table *rows;
    pqt_vec offset;
    const result_items *found;
} tree_tips;

static bool
add_item(const pqt_item *item, void *context)
{
    const tree_tips *all = context;
    const pqt_box box = pqt_box_moved(item->box, all->offset);
    if (!pqt_box_is_valid(box))
        return true;
    const result_items *found = all->found;
    const bool is_result = found->count > 0 && bsearch(item, found->items, found->count,
                                                       sizeof *item, compare_results) != NULL;
    const globe_parts parts = parts_of(all->to, box);
    if (!count_item(all->to, &parts, is_result))
        return true;
    add_parts(all->to, &parts, is_result);
    append_name(all->to, &all->rows->columns, item->id,
                table_fields_again(all->rows, table_row(all->rows, item)));
    return true;
}

void
tooltips_add_tree(tooltips *to, table *rows, const pqt_tree *tree, pqt_vec offset,
                  result_items *found)
{
    tree_tips all = {to, rows, offset, found};
    pqt_query near = pqt_query_all();
    if (!to->is_globe && offset.x == 0 && offset.y == 0) /* an offset would be rounded */
        near.window = to->shown;
    sort_results(found);
    if (found->are_many || found->count > MOST_TOOLTIPS)
        to->results = MOST_TOOLTIPS + 1;
    else
        pqt_tree_visit(tree, &near, add_item, &all);
}

/* ---- Drawing ---- */

static double
longer_side(const tooltip *of)
{
    const pqt_vec size = pqt_box_size(of->box);
    return size.x > size.y ? size.x : size.y;
}

/* Sorts large boxes before small ones, and results after other items. The order of equal ones is
   that in which they were added. */
static int
compare_tooltips(const void *a, const void *b)
{
    const tooltip *first = a, *second = b;
    const double a_side = longer_side(first), b_side = longer_side(second);
    if (a_side != b_side)
        return a_side > b_side ? -1 : 1;
    if (first->is_result != second->is_result)
        return first->is_result ? 1 : -1;
    return (first->name_at > second->name_at) - (first->name_at < second->name_at);
}

void
tooltips_draw(tooltips *from, pqt_svg *svg)
{
    const bool has_results = from->results <= MOST_TOOLTIPS;
    const bool has_others = has_results && from->results + from->others <= MOST_TOOLTIPS;
    if (from->count > 0)
        qsort(from->all, from->count, sizeof *from->all, compare_tooltips);
    for (size_t i = 0; i < from->count; i++)
        if (from->all[i].is_result ? has_results : has_others)
            pqt_svg_tip(svg, from->all[i].box, from->names.bytes + from->all[i].name_at);
    free(from->all);
    free(from->names.bytes);
    *from = (tooltips){.all = NULL};
}
