/* SPDX-License-Identifier: MIT */
/*
 * row_output.c: writes merged rows as the file OURS with the changes of the other side.
 *
 * The program is used as a merge driver of git, which shows each line that differs. So lines that
 * nobody changed are written byte for byte, and in their order.
 */
#include "config.h"

#include "tool/row_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "tool/csv_table.h"
#include "tool/message.h"
#include "tool/tool_memory.h"

/* The rows of a result in `all`, in the order in which they are written. The arrays before it have
   an element for each row of m->rows. */
typedef struct row_order {
    const merger *m;
    bool *is_merged;      /* the row is in the result */
    bool *is_written;     /* it is in `all` already */
    bool *replaces;       /* OURS has rows with the same id */
    size_t *place[SIDES]; /* the first number of the row in a file, or NO_ROW */
    pqt_table_row *all;
    size_t count, capacity;
    pqt_field **fields; /* the arrays of fields of rows in `all` */
    size_t fields_count, fields_capacity;
} row_order;

/* Allocates an array of zeros. */
static void *
array_of(size_t count, size_t size)
{
    size_t capacity = 0;
    void *array = xgrow(NULL, &capacity, count, size);
    return memset(array, 0, count * size);
}

static size_t *
places_in(const rows *all, size_t side)
{
    size_t *place = array_of(all->count, sizeof *place);
    for (size_t i = 0; i < all->count; i++)
        place[i] = NO_ROW;
    for (size_t i = all->tables[side].count; i-- > 0;)
        place[rows_number(all, side, i)] = i;
    return place;
}

/* Marks the rows whose ids occur in OURS. Rows that were made by merging columns are such rows. */
static void
mark_replacements(row_order *order)
{
    const rows *all = order->m->rows;
    for (size_t from = 0, to; from < all->read; from = to) {
        bool is_in_ours = false;
        for (to = from; to < all->read && all->all[to].item.id == all->all[from].item.id; to++)
            is_in_ours |= order->place[OURS][to] != NO_ROW;
        for (size_t i = from; i < to; i++)
            order->replaces[i] = is_in_ours;
    }
    for (size_t i = all->read; i < all->count; i++)
        order->replaces[i] = true;
}

static row_order
order_of(const merger *m)
{
    const rows *all = m->rows;
    row_order order = {.m = m};
    order.is_merged = array_of(all->count, sizeof *order.is_merged);
    order.is_written = array_of(all->count, sizeof *order.is_written);
    order.replaces = array_of(all->count, sizeof *order.replaces);
    for (size_t i = 0; i < m->merged_count; i++)
        order.is_merged[m->merged[i]] = true;
    for (size_t side = OURS; side <= THEIRS; side++)
        order.place[side] = places_in(all, side);
    mark_replacements(&order);
    return order;
}

static void
free_order(row_order *order)
{
    for (size_t i = 0; i < order->fields_count; i++)
        free(order->fields[i]);
    free(order->fields);
    free(order->all);
    free(order->place[OURS]);
    free(order->place[THEIRS]);
    free(order->is_merged);
    free(order->is_written);
    free(order->replaces);
}

/* ---- Sources ---- */

/* Returns the fields of a row for all columns of OURS. The row owns their texts. */
static const pqt_field *
fields_of(row_order *order, const row *of)
{
    const table_columns *columns = &order->m->rows->tables[OURS].columns;
    pqt_field *fields = array_of(columns->count, sizeof *fields);
    const char *text = of->fields;
    for (size_t c = 0; c < columns->count; c++) {
        if (!column_is_other(columns, c))
            continue;
        fields[c] = (pqt_field){text, strlen(text), false};
        text = next_field(text);
    }
    order->fields = xgrow(order->fields, &order->fields_capacity, order->fields_count + 1,
                          sizeof *order->fields);
    return order->fields[order->fields_count++] = fields;
}

/* Returns the number in a file of a row with the id and the position of `made`, or NO_ROW. */
static size_t
place_of_position(const row_order *order, const row *made, size_t side)
{
    const rows *all = order->m->rows;
    for (size_t i = rows_find(all, &made->item, false);
         i < all->read && compare_items(&all->all[i].item, &made->item) == 0; i++)
        if (order->place[side][i] != NO_ROW)
            return order->place[side][i];
    return NO_ROW;
}

/* ---- The order ---- */

/* Adds a row of the result. `source` is its row in the table of a file, whose bytes are kept. If
   the row was made by merging columns, the source has the same position. */
static void
add_row(row_order *order, size_t number, size_t side, size_t source)
{
    const rows *all = order->m->rows;
    const row *of = &all->all[number];
    pqt_table_row added = {.item = of->item};
    if (source != NO_ROW) {
        added.table = all->tables[side].source;
        added.row = source;
    }
    if (of->files == 0 || added.table == NULL || all->has_other_columns)
        added.fields = fields_of(order, of);
    order->all = xgrow(order->all, &order->capacity, order->count + 1, sizeof *order->all);
    order->all[order->count++] = added;
    order->is_written[number] = true;
}

/* Adds a row of the result that is not in OURS, unless it was added. */
static void
add_once(row_order *order, size_t number)
{
    const row *of = &order->m->rows->all[number];
    if (order->is_written[number] || order->place[OURS][number] != NO_ROW)
        return;
    size_t side = THEIRS, source = order->place[THEIRS][number];
    if (of->files == 0) {
        source = place_of_position(order, of, OURS);
        side = source == NO_ROW ? THEIRS : OURS;
        source = source == NO_ROW ? place_of_position(order, of, THEIRS) : source;
    }
    add_row(order, number, side, source);
}

/* Adds the rows of the result with an id that OURS has, too. */
static void
add_replacements(row_order *order, uint64_t id)
{
    const merger *m = order->m;
    size_t low = 0, high = m->merged_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->rows->all[m->merged[middle]].item.id < id)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < m->merged_count && m->rows->all[m->merged[low]].item.id == id; low++)
        add_once(order, m->merged[low]);
}

/* Adds the new rows of THEIRS from *next on, until the row `end`. */
static void
add_new_rows(row_order *order, size_t *next, size_t end)
{
    const rows *all = order->m->rows;
    for (; *next < end; ++*next) {
        const size_t number = rows_number(all, THEIRS, *next);
        if (order->is_merged[number] && !order->replaces[number])
            add_once(order, number);
    }
}

/* Adds all rows. New rows of THEIRS come before the row that follows them in THEIRS. */
static void
add_all(row_order *order)
{
    const rows *all = order->m->rows;
    size_t next = 0;
    for (size_t i = 0; i < all->tables[OURS].count; i++) {
        const size_t number = rows_number(all, OURS, i), place = order->place[THEIRS][number];
        if (order->is_merged[number]) {
            if (place != NO_ROW)
                add_new_rows(order, &next, place);
            add_row(order, number, OURS, i);
        }
        add_replacements(order, all->all[number].item.id);
    }
    add_new_rows(order, &next, all->tables[THEIRS].count);
    for (size_t i = 0; i < order->m->merged_count; i++)
        add_once(order, order->m->merged[i]);
}

/* ---- Output ---- */

static bool
write_bytes(const void *bytes, size_t count, void *stream)
{
    return fwrite(bytes, 1, count, stream) == count;
}

/* Writes the rows in ascending order of ids, in the columns of a .pqt file, or with a column of ids
   that OURS does not have. */
static void
write_new_table(const merger *m, FILE *stream)
{
    rows_write_table_header(m->rows, stream);
    for (size_t i = 0; i < m->merged_count && !ferror(stream); i++)
        rows_write_line(m->rows, stream, m->merged[i]);
}

void
write_merged_rows(const merger *m, FILE *stream, const char *file)
{
    const table *ours = &m->rows->tables[OURS];
    pqt_error error = {0};
    if (ours->source == NULL || (!ours->has_ids && rows_have_ids(m->rows))) {
        write_new_table(m, stream);
        return;
    }
    row_order order = order_of(m);
    add_all(&order);
    /* A failure of the stream is reported when it is closed. */
    if (!pqt_table_write(ours->source, order.all, order.count, write_bytes, stream, &error) &&
        error.status != PQT_ERROR_CALLBACK)
        die_error(file, &error);
    free_order(&order);
}
