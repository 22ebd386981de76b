/* SPDX-License-Identifier: MIT */
/*
 * tooltips.h: the names of items, which a browser shows while the pointer is over them in a
 * picture.
 *
 * A picture of many items would become several times as large, so if its map shows more than 2,000
 * items, only the results have tooltips, and if there are more than 2,000 results, nothing has.
 */
#ifndef TOOLTIPS_H
#define TOOLTIPS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt.h>

#include "tool/csv_table.h"

enum { MOST_TOOLTIPS = 2000 };

typedef struct tooltip {
    pqt_box box;
    size_t name_at; /* the index of the text in `names` */
    bool is_result;
} tooltip;

/* The tooltips of a picture. Initialise it with zeros and the box that the map shows. */
typedef struct tooltips {
    pqt_box shown;
    bool is_globe; /* boxes that cross the antimeridian are shown in two parts */
    tooltip *all;
    size_t count, capacity;
    size_t others, results; /* the numbers that were added, even beyond the limit */
    texts names;
} tooltips;

/* The items that a command found. Of more than MOST_TOOLTIPS, it keeps none. Initialise it with
   zeros, and free it with result_items_free. */
typedef struct result_items {
    pqt_item *items;
    size_t count, capacity;
    bool are_sorted; /* and different */
    bool are_many;
} result_items;

void result_items_add(result_items *to, const pqt_item *item);
void result_items_free(result_items *of);

/* Adds a row, whose other fields are those of table_fields. The text is the field of the column
   `name`, or of the first column whose name ends in _name, ignoring case. If there is none, or the
   field is empty, the text is "id" and the id. */
void tooltips_add(tooltips *to, const table_columns *columns, pqt_item item, const char *fields,
                  bool is_result);

/* Adds the items of a tree, which are drawn at an offset, with the names in their rows. The rows of
   a table that is open are read again. */
void tooltips_add_tree(tooltips *to, table *rows, const pqt_tree *tree, pqt_vec offset,
                       result_items *found);

/* Draws the tooltips, such that those of small boxes are above those of large ones. Frees them. */
void tooltips_draw(tooltips *from, pqt_svg *svg);

#endif
