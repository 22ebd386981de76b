/* SPDX-License-Identifier: MIT */
/*
 * row_table.c: makes the rows of several files into versions that the library can compare and
 * merge.
 *
 * All rows are sorted once. Equal rows of several files become one row, which records the files
 * that contain it. If rows with the same id and position differ in other columns, all rows with
 * that id become keys.
 */
#include "config.h"

#include "tool/row_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pqt.h>

#include "tool/column_merge.h"
#include "tool/column_options.h"
#include "tool/csv_table.h"
#include "tool/csv_write.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/part_build.h"
#include "tool/tool_memory.h"

static size_t
length_of_fields(const char *fields, size_t count)
{
    const char *end = fields;
    for (size_t i = 0; i < count; i++)
        end = next_field(end);
    return (size_t)(end - fields);
}

int
compare_rows(const row *a, const row *b)
{
    int order = compare_items(&a->item, &b->item);
    size_t common = a->length < b->length ? a->length : b->length;
    order = order != 0 ? order : memcmp(a->fields, b->fields, common);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* ---- Reading ---- */

/* Returns the first column, from `column` onwards, that contains neither a position nor an id.
   Returns the number of columns if there is none. */
static size_t
other_column(const table_columns *columns, size_t column)
{
    while (column < columns->count && !column_is_other(columns, column))
        column++;
    return column;
}

/* Returns true if some row of a .pqt file is not a point, so that columns x,y cannot represent
   it. */
static bool
is_pqt_with_boxes(const table *from)
{
    for (size_t i = 0; from->tree != NULL && i < from->count; i++) {
        const pqt_box box = from->items[i].box;
        if (box.min.x < box.max.x || box.min.y < box.max.y)
            return true;
    }
    return false;
}

/* Ends the program with an error unless two files have the same columns for positions. The boxes of
   a .pqt file can be in any columns for boxes, and its points in any columns. */
static void
check_position_columns(const char *const files[2], const table *first, const table *second)
{
    const char *a = column_name(&first->columns, first->columns.rank[0]);
    const char *b = column_name(&second->columns, second->columns.rank[0]);
    const bool one_is_pqt = (first->tree != NULL) != (second->tree != NULL);
    const bool hold_boxes = first->columns.places == 4 && second->columns.places == 4;
    if (one_is_pqt && (hold_boxes || (!is_pqt_with_boxes(first) && !is_pqt_with_boxes(second))))
        return;
    if (strcasecmp(a, b) != 0)
        die(files[1], 0, "positions are not in the same columns as in %s (%s, not %s)",
            quote_text(files[0]).text, b, a);
}

/* Ends the program with an error unless the other columns of two files have the same names in the
   same order. */
static void
check_other_columns(const char *const files[2], const table_columns *first,
                    const table_columns *second)
{
    size_t a = other_column(first, 0), b = other_column(second, 0);
    for (; a < first->count && b < second->count;
         a = other_column(first, a + 1), b = other_column(second, b + 1))
        if (strcasecmp(column_name(first, a), column_name(second, b)) != 0)
            break;
    if (b < second->count)
        die(files[1], 0, "column differs from that of %s (%s)", quote_text(files[0]).text,
            quote_text(column_name(second, b)).text);
    if (a < first->count)
        die(files[1], 0, "column of %s is missing (%s)", quote_text(files[0]).text,
            quote_text(column_name(first, a)).text);
}

/* Ends the program with an error unless all files have the columns of the first one. */
static void
check_columns(const rows *all, const char *const *files)
{
    for (size_t f = 1; f < all->files; f++)
        check_other_columns((const char *const[2]){files[0], files[f]}, &all->tables[0].columns,
                            &all->tables[f].columns);
}

static void
read_tables(rows *all, const char *const *files, size_t count, kept_part kept)
{
    for (size_t f = 0; f < count; f++)
        for (size_t g = 0; g < f; g++)
            input_guard(files[f], files[g]);
    for (size_t f = 0; f < count; f++) {
        all->tables[f] = table_read(files[f], kept);
        for (size_t g = 0; g < f; g++)
            check_position_columns((const char *const[2]){files[g], files[f]}, &all->tables[g],
                                   &all->tables[f]);
    }
    all->files = count;
}

/* Replaces -0 with 0, as the library does. */
static pqt_box
without_negative_zeros(pqt_box box)
{
    return (pqt_box){{box.min.x + 0.0, box.min.y + 0.0}, {box.max.x + 0.0, box.max.y + 0.0}};
}

/* Returns row `number` of a file. */
static row
row_of_file(const rows *all, size_t file, size_t number)
{
    const table *from = &all->tables[file];
    row found = {.item = from->items[number], .files = 1U << file};
    found.item.box = without_negative_zeros(found.item.box);
    found.fields = table_fields(from, number);
    found.length = length_of_fields(found.fields, all->fields);
    return found;
}

/* The rows of a file in ascending order. */
typedef struct ascending_rows {
    size_t *order; /* the numbers of the rows; NULL: they are ascending in the file */
    size_t count, next;
    row first; /* the row of `next`, if it is less than `count` */
} ascending_rows;

/* The file whose rows are being sorted, since qsort passes nothing on. */
static const rows *rows_being_sorted;
static size_t file_being_sorted;

static int
compare_numbers_of_rows(const void *a, const void *b)
{
    const size_t one = *(const size_t *)a, other = *(const size_t *)b;
    const pqt_item *items = rows_being_sorted->tables[file_being_sorted].items;
    const int order = compare_items(&items[one], &items[other]);
    if (order != 0)
        return order;
    const row first = row_of_file(rows_being_sorted, file_being_sorted, one);
    const row second = row_of_file(rows_being_sorted, file_being_sorted, other);
    return compare_rows(&first, &second);
}

/* Takes the next row. */
static void
advance(ascending_rows *of, const rows *all, size_t file)
{
    if (++of->next < of->count)
        of->first = row_of_file(all, file, of->order != NULL ? of->order[of->next] : of->next);
}

static ascending_rows
sort_rows(const rows *all, size_t file)
{
    ascending_rows sorted = {.count = all->tables[file].count, .next = SIZE_MAX};
    size_t capacity = 0, i = 1;
    rows_being_sorted = all;
    file_being_sorted = file;
    while (i < sorted.count && compare_numbers_of_rows(&(size_t){i - 1}, &i) <= 0)
        i++;
    if (i < sorted.count) {
        sorted.order = xgrow(NULL, &capacity, sorted.count, sizeof *sorted.order);
        for (i = 0; i < sorted.count; i++)
            sorted.order[i] = i;
        qsort(sorted.order, sorted.count, sizeof *sorted.order, compare_numbers_of_rows);
    }
    advance(&sorted, all, file);
    return sorted;
}

/* Adds a row, which is not less than the last one. Equal rows become one row. */
static void
append_row(rows *all, const row *added)
{
    if (all->count > 0 && compare_rows(&all->all[all->count - 1], added) == 0) {
        all->all[all->count - 1].files |= added->files;
        return;
    }
    all->bounds = all->count == 0 ? added->item.box : pqt_box_union(all->bounds, added->item.box);
    all->all = xgrow(all->all, &all->capacity, all->count + 1, sizeof *all->all);
    all->all[all->count++] = *added;
}

/* Appends the rows of all files in ascending order. */
static void
append_rows(rows *all)
{
    ascending_rows sorted[MOST_FILES];
    for (size_t f = 0; f < all->files; f++)
        sorted[f] = sort_rows(all, f);
    for (;;) {
        size_t least = all->files;
        for (size_t f = 0; f < all->files; f++)
            if (sorted[f].next < sorted[f].count &&
                (least == all->files || compare_rows(&sorted[f].first, &sorted[least].first) < 0))
                least = f;
        if (least == all->files)
            break;
        append_row(all, &sorted[least].first);
        advance(&sorted[least], all, least);
    }
    for (size_t f = 0; f < all->files; f++)
        free(sorted[f].order);
}

/* Marks the ids that have different rows at the same position. */
static void
mark_key_rows(rows *all)
{
    for (size_t from = 0, to; from < all->count; from = to) {
        bool differ = false;
        for (to = from + 1; to < all->count && all->all[to].item.id == all->all[from].item.id; to++)
            differ |= compare_items(&all->all[to - 1].item, &all->all[to].item) == 0;
        for (size_t i = from; i < to; i++)
            all->all[i].is_key = differ;
    }
}

/* ---- Rows without ids ---- */

/* A row of a file without ids. Equal rows of two files get the same id. */
typedef struct loose_row {
    row row; /* its id is 0, so that rows are compared by position and fields */
    size_t number;
    uint64_t id;
    bool is_matched;
} loose_row;

typedef struct loose_rows {
    loose_row *all;
    size_t count;
} loose_rows;

static int
compare_loose_rows(const void *a, const void *b)
{
    const loose_row *first = a, *second = b;
    const int order = compare_rows(&first->row, &second->row);
    return order != 0 ? order : (first->number > second->number) - (first->number < second->number);
}

/* Returns the rows of a file, sorted by position and fields. Their ids are `first_id` and so on. */
static loose_rows
sort_loose_rows(const rows *all, size_t file, uint64_t first_id)
{
    size_t capacity = 0;
    loose_rows found = {.count = all->tables[file].count};
    found.all = xgrow(NULL, &capacity, found.count, sizeof *found.all);
    for (size_t i = 0; i < found.count; i++) {
        found.all[i] = (loose_row){row_of_file(all, file, i), i, first_id + i, false};
        found.all[i].row.item.id = 0;
    }
    qsort(found.all, found.count, sizeof *found.all, compare_loose_rows);
    return found;
}

static int
compare_positions(const row *a, const row *b)
{
    return compare_items(&a->item, &b->item);
}

/* Gives each row the id of a row that is equal by `compare`. Each row is matched at most once. */
static void
match_rows(loose_rows *before, loose_rows *after, int (*compare)(const row *, const row *))
{
    size_t i = 0, j = 0;
    while (i < before->count && j < after->count) {
        loose_row *one = &before->all[i], *other = &after->all[j];
        const int order = compare(&one->row, &other->row);
        const bool is_pair = order == 0 && !one->is_matched && !other->is_matched;
        if (is_pair) {
            other->id = one->id;
            one->is_matched = other->is_matched = true;
        }
        i += order < 0 || is_pair || (order == 0 && one->is_matched);
        j += order > 0 || is_pair || (order == 0 && !is_pair && !one->is_matched);
    }
}

/* Allows the rows of the first file to be matched with those of another file. */
static void
release_rows(loose_rows *of)
{
    for (size_t i = 0; i < of->count; i++)
        of->all[i].is_matched = false;
}

/* Gives ids to the rows of files without ids, such that their order does not matter: a row has the
   id of an equal row in the first file, or of one at the same position. Rows that only the second
   and the third file have get the same id if they are equal. */
static void
match_files(rows *all)
{
    loose_rows found[MOST_FILES];
    uint64_t next_id = 0;
    for (size_t f = 0; f < all->files; f++) {
        found[f] = sort_loose_rows(all, f, next_id);
        next_id += found[f].count;
        if (f == 0)
            continue;
        release_rows(&found[0]);
        match_rows(&found[0], &found[f], compare_rows);
        match_rows(&found[0], &found[f], compare_positions);
    }
    if (all->files == MOST_FILES)
        match_rows(&found[1], &found[2], compare_rows);
    for (size_t f = 0; f < all->files; f++) {
        for (size_t i = 0; i < found[f].count; i++)
            all->tables[f].items[found[f].all[i].number].id = found[f].all[i].id;
        free(found[f].all);
    }
}

bool
rows_have_ids(const rows *all)
{
    bool has_ids = false;
    for (size_t f = 0; f < all->files; f++)
        has_ids |= all->tables[f].has_ids;
    return has_ids;
}

/* Makes the distinct rows of the tables that were read. */
static void
make_rows(rows *all, bool only_places)
{
    const table_columns *columns = &all->tables[0].columns;
    for (size_t c = other_column(columns, 0); c < columns->count && !only_places;
         c = other_column(columns, c + 1))
        all->fields++;
    if (!rows_have_ids(all))
        match_files(all);
    append_rows(all);
    mark_key_rows(all);
    all->read = all->count;
}

rows
rows_read(const char *const *files, size_t count, bool only_places)
{
    rows all = {.all = NULL};
    read_tables(&all, files, count, only_places ? KEEP_ITEMS : KEEP_TEXTS);
    if (!only_places)
        check_columns(&all, files);
    make_rows(&all, only_places);
    for (size_t f = 0; f < count; f++) { /* each row has its item now */
        free(all.tables[f].items);
        all.tables[f].items = NULL;
    }
    return all;
}

/* Returns true if the columns of the files can be merged. A .pqt file has none but ids and boxes,
   and files with other columns of positions are refused before. */
static bool
have_columns(const rows *all)
{
    for (size_t f = 0; f < all->files; f++)
        if (all->tables[f].source == NULL ||
            all->tables[f].columns.coordinates != all->tables[0].columns.coordinates)
            return false;
    return true;
}

rows
rows_read_sides(const char *const *files)
{
    rows all = {.all = NULL};
    if (chosen_columns.no_header)
        die(NULL, 0, "--no-header cannot be used here: the result has a header");
    read_tables(&all, files, SIDES, KEEP_ALL);
    if (have_columns(&all)) {
        const column_merge merged = align_columns(all.tables, files);
        all.has_other_columns = merged.has_changed;
        all.column_conflicts = merged.conflicts;
        all.column_conflict_texts = merged.conflict_texts;
    } else {
        check_columns(&all, files);
    }
    make_rows(&all, false);
    return all;
}

void
rows_free(rows *all)
{
    for (size_t i = all->read; i < all->count; i++)
        free(all->made_up[i - all->read]);
    for (size_t f = 0; f < all->files; f++)
        table_free(&all->tables[f]);
    free(all->column_conflict_texts.bytes);
    free(all->made_up);
    free(all->all);
    *all = (rows){.all = NULL};
}

size_t
rows_make_up(rows *all, pqt_item item, const char *const *fields)
{
    size_t made = all->count - all->read;
    texts joined = {NULL, 0, 0};
    for (size_t i = 0; i < all->fields; i++) {
        size_t length = strlen(fields[i]) + 1;
        joined.bytes = xgrow(joined.bytes, &joined.capacity, joined.length + length, 1);
        memcpy(joined.bytes + joined.length, fields[i], length);
        joined.length += length;
    }
    all->made_up = xgrow(all->made_up, &all->made_up_capacity, made + 1, sizeof *all->made_up);
    all->made_up[made] = joined.bytes;
    all->all = xgrow(all->all, &all->capacity, all->count + 1, sizeof *all->all);
    all->all[all->count] = (row){item, joined.bytes, joined.length, 0, true};
    return all->count++;
}

/* ---- Versions ---- */

/* A way to see rows as items. */
typedef struct row_view {
    bool are_keys;
    bool everything; /* positions also of the rows that belong to the keys */
} row_view;

/* Returns true if a row is seen, is in one set of files, and is in none of the other set. A row of
   the keys may have the item of another row that is in both, so it counts for both. */
static bool
is_between(const row *of, row_view view, unsigned has, unsigned lacks)
{
    const bool is_seen = view.everything || of->is_key == view.are_keys;
    const bool may_be_another = view.everything && of->is_key;
    return is_seen && (of->files & has) != 0 && ((of->files & lacks) == 0 || may_be_another);
}

/* Returns the items of the rows in one set of files that the other set lacks. */
static pqt_item *
items_between(const rows *all, row_view view, unsigned has, unsigned lacks, size_t *count)
{
    size_t capacity = 0;
    *count = 0;
    pqt_item *items = NULL;
    for (size_t i = 0; i < all->read; i++) {
        if (!is_between(&all->all[i], view, has, lacks))
            continue;
        items = xgrow(items, &capacity, *count + 1, sizeof *items);
        items[(*count)++] = view.are_keys ? rows_key(all, i) : all->all[i].item;
    }
    return items;
}

static const pqt_tree *
first_version(const rows *all, row_view view)
{
    const pqt_box keys = {{0, 0}, {(double)all->read, 0}};
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    size_t count;
    options.memory = tool_memory();
    const pqt_tree *empty = pqt_tree_make(view.are_keys ? keys : all->bounds, &options, &error);
    if (empty == NULL)
        die_error(NULL, &error);
    pqt_item *items = items_between(all, view, 1, 0, &count);
    return build_in_parts(empty, items, count, NULL);
}

/* Makes a version for each file. They share what the files have in common. */
static void
make_versions(const rows *all, row_view view, const pqt_tree *versions[])
{
    pqt_error error = {0};
    versions[0] = first_version(all, view);
    for (size_t f = 1; f < all->files; f++) {
        size_t lost, found;
        pqt_item *removed = items_between(all, view, 1, 1U << f, &lost);
        pqt_item *added = items_between(all, view, 1U << f, 1, &found);
        const pqt_tree *made = pqt_tree_remove_all(versions[0], removed, lost, &error);
        if (made != NULL)
            made = pqt_tree_insert_all(made, added, found, &error);
        if (made == NULL)
            die_error(NULL, &error);
        versions[f] = made;
        free(removed);
        free(added);
    }
}

void
rows_places(const rows *all, bool everything, const pqt_tree *versions[])
{
    make_versions(all, (row_view){.everything = everything}, versions);
}

void
rows_keys(const rows *all, const pqt_tree *versions[])
{
    make_versions(all, (row_view){.are_keys = true}, versions);
}

pqt_item
rows_key(const rows *all, size_t number)
{
    pqt_vec position = {(double)number, 0};
    return (pqt_item){{position, position}, all->all[number].item.id};
}

size_t
rows_find(const rows *all, const pqt_item *item, bool is_key)
{
    size_t low = 0, high = all->read;
    if (is_key)
        return (size_t)item->box.min.x;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_items(&all->all[middle].item, item) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t
rows_number(const rows *all, size_t file, size_t number)
{
    const row wanted = row_of_file(all, file, number);
    size_t low = 0, high = all->read;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_rows(&all->all[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void
rows_add_tooltips(const rows *all, tooltips *to)
{
    static const table_columns no_columns = {.count = 0};
    const unsigned everywhere = (1U << all->files) - 1;
    for (size_t i = 0; i < all->count; i++)
        tooltips_add(to, all->fields > 0 ? &all->tables[0].columns : &no_columns, all->all[i].item,
                     all->all[i].fields, all->all[i].files != everywhere);
}

/* ---- CSV ---- */

/* Returns true if a column is omitted because only positions are compared. */
static bool
is_left_out(const rows *all, size_t column)
{
    return all->fields == 0 && column_is_other(&all->tables[1].columns, column);
}

void
rows_write_header(const rows *all, FILE *stream, const char *prefix)
{
    const table_columns *columns = &all->tables[1].columns;
    for (size_t c = 0; c < columns->count; c++) {
        if (c == columns->id || is_left_out(all, c))
            continue;
        putc(',', stream);
        write_prefixed(stream, prefix, column_name(columns, c));
    }
}

void
rows_write(const rows *all, FILE *stream, size_t number)
{
    const table_columns *columns = &all->tables[1].columns;
    const row *of = number == NO_ROW ? NULL : &all->all[number];
    const char *field = of == NULL ? NULL : of->fields;
    for (size_t c = 0; c < columns->count; c++) {
        if (c == columns->id || is_left_out(all, c))
            continue;
        putc(',', stream);
        if (of != NULL)
            write_cell(stream, columns, c, &of->item, &field);
    }
}

void
rows_write_table_header(const rows *all, FILE *stream)
{
    write_names(stream, &all->tables[1].columns, "");
    putc('\n', stream);
}

void
rows_write_line(const rows *all, FILE *stream, size_t number)
{
    const row *of = &all->all[number];
    write_cells(stream, &all->tables[1].columns, &of->item, of->fields);
    putc('\n', stream);
}
