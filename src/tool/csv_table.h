/* SPDX-License-Identifier: MIT */
/* csv_table.h: the rows of a CSV, GeoJSON or .pqt file as items. */
#ifndef CSV_TABLE_H
#define CSV_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt.h>

#include "tool/tool_memory.h"

struct input_file; /* see input_file.h */
typedef struct row_source row_source;

/* The columns of a file. */
typedef struct table_columns {
    texts names;     /* the names of all columns */
    size_t *name_at; /* the index of each name in `names` */
    size_t name_at_capacity;
    size_t count;
    int places;          /* the number of coordinates: 2, 4 for a box given by two corners, or 0 for
                            a geometry */
    size_t coordinates;  /* the number of columns in `rank` */
    size_t rank[4];      /* the indices of the columns of the position */
    size_t id;           /* the index of the column with ids; SIZE_MAX: there are no ids */
    bool has_id_of_text; /* a column is named id, but holds text */
} table_columns;

/* Finds the row of an item. */
typedef struct row_index {
    uint64_t *ids; /* the id of each row */
    size_t *rows;  /* the rows sorted by id; NULL if `ids` is sorted */
} row_index;

/* The rows of a file, each of which has one item. */
typedef struct table {
    pqt_item *items;
    size_t count, capacity;
    bool has_shared_items; /* the items are those of `source` */
    bool has_ids;
    bool is_geographic; /* y is a latitude or belongs to a geometry, so it points up */
    bool is_json;
    table_columns columns;
    texts kept; /* for each row, all fields except the position and the id, if they are kept; of
                        an open table, those of one row */
    size_t *kept_at; /* the index in `kept` at which the fields of each row begin */
    size_t kept_at_capacity;
    row_index index;               /* finds the rows of items; the first look-up makes it */
    const pqt_tree *tree;          /* the version of a .pqt file; NULL: the file is CSV */
    pqt_table *source;             /* the table of a CSV file; NULL unless all is kept */
    row_source *again;             /* reads rows of an open table again, otherwise NULL */
    const pqt_field *fields_again; /* all fields of the row that table_fields_again read last */
} table;

/* The parts of a CSV or GeoJSON file that a table keeps, apart from the items of its rows. */
typedef enum kept_part {
    KEEP_ITEMS,
    KEEP_FILE,  /* all names, and the open file, so that the fields of rows can be read again */
    KEEP_TEXTS, /* all names, and the other fields, so that rows can be compared */
    KEEP_ALL    /* the same, and the bytes of a CSV file, so that it can be written again */
} kept_part;

/*
 * Reads the items of a file; "-" is standard input. Ends the program at the first error in it. A
 * GeoJSON file counts as the CSV that geojson_table.h describes. A .pqt file with a tree counts as
 * a CSV file with the columns id,min_x,min_y,max_x,max_y and with the items in tree order.
 */
table table_read(const char *file, kept_part kept);

/* Reads a file that is already open. */
table table_from(struct input_file *from, kept_part kept);

/* Makes a version of all items. Their array is freed, unless the table is a .pqt file or all of it
   was read. `file` is the name for messages; NULL options
   mean the usual ones, and unique_ids must be false. The bounds are the smallest that contain all
   items, or those given to the second function. */
const pqt_tree *table_tree(table *rows, const pqt_tree_options *options, const char *file);
const pqt_tree *table_tree_in(table *rows, pqt_box bounds, const pqt_tree_options *options,
                              const char *file);

void table_free(table *rows);

/* Replaces the columns of a table that keeps all, and the fields of its rows that hold text. The
   rows stay the same. The table owns both arguments then. */
void table_replace_columns(table *rows, pqt_table *source, texts fields);

/* Returns true if a column contains neither coordinates nor ids. */
bool column_is_other(const table_columns *columns, size_t column);

/* Returns the kept fields of a row, whose number is counted from 0. They are strings, one after the
   other. Those of an open table, which the second function reads, are valid until its next call,
   and so is `fields_again`. */
const char *table_fields(const table *rows, size_t row);
const char *table_fields_again(table *rows, size_t row);

/* Returns the kept field after `field`. */
const char *next_field(const char *field);

/* Returns the first row with the given item, which must be in the table. */
size_t table_row(table *rows, const pqt_item *item);

/* Compares items by id, then by their coordinates. Returns a negative number, 0 or a positive
   number. */
int compare_items(const pqt_item *a, const pqt_item *b);

/* Makes a version from items. `file` is the name in the message if that fails. */
const pqt_tree *tree_of_items(const pqt_item *items, size_t count, const char *file);

#endif
