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

void
tooltips_add(tooltips *to, const table_columns *columns, pqt_item item, const char *fields,
             bool is_result)
{
    if (!pqt_box_is_valid(item.box))
        return;
    const globe_parts parts = parts_of(to, item.box);
    if (!pqt_box_touches(parts.boxes[0], to->shown) &&
        !pqt_box_touches(parts.boxes[parts.count - 1], to->shown))
        return;
    size_t *number = is_result ? &to->results : &to->others;
    if ((*number)++ >= MOST_TOOLTIPS)
        return;
    for (size_t i = 0; i < parts.count; i++)
        add_box(to, parts.boxes[i], is_result);
    append_name(to, columns, item.id, fields);
}

void
tooltips_add_table(tooltips *to, const table *rows, pqt_vec offset, const bool *are_results)
{
    for (size_t i = 0; i < rows->count; i++) {
        const pqt_item item = {pqt_box_moved(rows->items[i].box, offset), rows->items[i].id};
        tooltips_add(to, &rows->columns, item, table_fields(rows, i),
                     are_results != NULL && are_results[i]);
    }
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
