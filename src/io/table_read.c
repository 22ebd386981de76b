/* SPDX-License-Identifier: MIT */
/* table_read.c: reads whole tables. */
#include "config.h"

#include "base/arithmetic.h"
#include "base/error_internal.h"
#include "base/option_structs.h"
#include "io/table_internal.h"
#include "memory/memory_internal.h"

/* Adds the row of a record. */
static bool
add_row(pqt_table *table, const pqt_table_record *record, pqt_error *error)
{
    pqt_item *items =
        pqti_grow_scratch(table->items, table->count, &table->items_capacity, 1, sizeof *items);
    if (items == NULL) {
        pqti_out_of_memory(error);
        return false;
    }
    table->items = items;
    items[table->count++] = record->item;
    return true;
}

/* Adds all rows. */
static bool
read_rows(pqt_table_reader *from, pqt_error *error)
{
    for (;;) {
        pqt_table_record record;
        if (!pqti_table_reader_next(from, &record, error))
            return false;
        if (record.row == PQT_TABLE_NONE)
            return true;
        if (!add_row(from->table, &record, error))
            return false;
    }
}

pqt_table *
pqt_table_read(pqt_read_fn *read, void *context, const pqt_table_options *options, pqt_error *error)
{
    PQT_ASSERT(read != NULL, "the read function is NULL");
    pqt_table_options converted;
    if (!pqti_may_compute(error))
        return NULL;
    options = pqti_options_read(&pqti_table_options_layout, options, &converted, error);
    if (options == NULL)
        return NULL;
    pqt_table_reader from = {.read = read, .context = context, .keeps_all = true};
    pqt_table *table = NULL;
    if (pqti_table_reader_begin(&from, options, error) && read_rows(&from, error)) {
        table = pqti_table_reader_take(&from);
        from.table = NULL;
    }
    pqti_table_reader_end(&from);
    return table;
}
