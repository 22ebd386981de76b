/* SPDX-License-Identifier: MIT */
/**
 * @file table.h - tables: reads CSV files as items, and writes them back without losing anything.
 *
 *     pqt_error error = {0};
 *     pqt_table *table = pqt_table_read(read_file, file, NULL, &error);
 *     if (table == NULL)
 *         return complain(&error);
 *     const pqt_item *items = pqt_table_items(table);
 *     size_t count = pqt_table_count(table);
 *
 * A table consists of a header, which names the columns, and of rows. Each row has one item. A
 * field is the text of one column in one row. Fields are separated by commas, semicolons or tabs:
 * by the first of these with which the header names a position, or by the one that the first line
 * names, such as sep=; (as Excel does). Rows end with LF, CRLF or CR. Quotes are as in RFC 4180;
 * spaces and tabs around a field do not belong to it, unless tabs separate. A byte-order mark and
 * blank lines are skipped.
 *
 * The header has the columns of one *position*, in any order and in upper or lower case:
 *
 * | position | columns | box of a row |
 * |---|---|---|
 * | PQT_TABLE_BOXES | min_x, min_y, max_x, max_y | these |
 * | PQT_TABLE_SIZES | x, y, w, h, or x, y, width, height | (x, y) to (x + w, y + h) |
 * | PQT_TABLE_POINTS | x, y | a point |
 * | PQT_TABLE_DEGREES | lon, lat | a point; y is the latitude, which increases upwards |
 * | PQT_TABLE_DEGREE_BOXES | min_lon, min_lat, max_lon, max_lat | these; y is the latitude, too |
 * | PQT_TABLE_GEOMETRIES | wkt | that of a geometry in well-known text; y increases upwards |
 *
 * Columns may also have the names that other tools give them:
 *
 * | column | other names |
 * |---|---|
 * | min_x, min_y, max_x, max_y | minx .., xmin .., st_xmin ..; left, bottom, right, top |
 * | w, h | width, height |
 * | x, y | st_x, st_y; easting, northing |
 * | lon, lat | lng, long, longitude, latitude; stop_lon, stop_lat; \@lon, \@lat; decimalLongitude,
 *              decimalLatitude; location-long, location-lat |
 * | min_lon, min_lat, max_lon, max_lat | west, south, east, north |
 * | wkt | geometry, geom, the_geom, st_astext |
 * | id | fid, stop_id, \@id, osm_id, gbifID, geonameid |
 *
 * Columns with any other names hold the positions and the ids if the caller names them
 * (pqt_table_options).
 *
 * A column `id` holds ids, which are whole numbers. Without it, the id of a row is its number,
 * counted from 0, and so it is if the field of that column in the first row is empty or begins with
 * neither a digit, nor a sign, nor a point: ids of other tools may be text, such as A7. Ids may
 * occur several times. Any other column is kept as text.
 *
 * A geometry is well-known text such as POINT (8.5 47.4): of any kind with straight lines, with Z
 * or M or without. Its box is the smallest that contains its positions, so a geometry that crosses
 * the antimeridian must be cut there. An empty geometry has no box and is refused, and so are
 * curves, hexadecimal WKB, and text with an SRID.
 *
 * Numbers are decimal, with a point in every locale, and are read as the nearest double. If
 * semicolons separate the fields, a number may have a comma for the point, and is then at most
 * 1,000 bytes long. A number never has separators of thousands. A table
 * keeps all bytes of the file. So pqt_table_write writes the rows that did not change byte for
 * byte: the order of the columns, the spelling of numbers, quotes and line ends are those of the
 * file.
 *
 * Errors name the line, counted from 1, which is also `error.index`.
 */
#ifndef PQT_TABLE_H
#define PQT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/bytes.h>
#include <pqt/error.h>
#include <pqt/export.h>
#include <pqt/item.h>
#include <pqt/sphere.h>

PQT_BEGIN_DECLARATIONS

/** A table. It is immutable, and belongs to its reader: see pqt_table_free. */
typedef struct pqt_table pqt_table;

/** The columns that hold the positions. */
typedef enum pqt_table_position {
    PQT_TABLE_BOXES = 1,        /**< min_x, min_y, max_x, max_y, or other names of these */
    PQT_TABLE_SIZES = 2,        /**< x, y, w, h */
    PQT_TABLE_POINTS = 3,       /**< x, y */
    PQT_TABLE_DEGREES = 4,      /**< lon, lat */
    PQT_TABLE_DEGREE_BOXES = 5, /**< min_lon, min_lat, max_lon, max_lat */
    PQT_TABLE_GEOMETRIES = 6    /**< wkt */
} pqt_table_position;

/** Used in place of a column or a row that does not exist. */
#define PQT_TABLE_NONE ((size_t)-1)

/** Used in place of a row for the header, whose fields are the names of the columns. */
#define PQT_TABLE_HEADER ((size_t)-2)

/** The columns of a table. Columns are counted from 0. */
typedef struct pqt_table_columns {
    size_t count;                /**< the number of columns */
    pqt_table_position position; /**< the columns that hold the positions */
    size_t coordinates;          /**< the number of these columns: 1, 2 or 4 */
    size_t coordinate[4];        /**< these columns, in the order in which the table above names
                                      them */
    size_t id;                   /**< the column of ids; PQT_TABLE_NONE: there is none, or it holds
                                      text */
} pqt_table_columns;

/** The text of one column in one row. The bytes are those of the table. */
typedef struct pqt_field {
    const char *bytes; /**< not terminated; without the quotes around the field */
    size_t length;     /**< the number of bytes */
    bool is_quoted;    /**< the field is in quotes, and each quote in it is doubled */
} pqt_field;

/**
 * Names of columns, in upper or lower case, for a table whose columns have other names, or that has
 * the columns of several positions.
 */
typedef struct pqt_table_options {
    size_t size; /**< sizeof(pqt_table_options), set by PQT_TABLE_DEFAULTS */
    /** the columns of the positions, and NULL after them: x and y of points, or min_x, min_y, max_x
        and max_y of boxes, or one of geometries; none: they have one of their usual names. If the
        first one is usually read as longitudes, the others are read as degrees, too. */
    const char *position[4];
    const char *id; /**< the column of ids, which must not be text; NULL: it has a usual name */
    /** PQT_SPHERE: a box whose west side (min_x) is greater than its east side (max_x) crosses the
        antimeridian, and its item has 360 added to the east side; PQT_PLANE (the default): it is
        refused */
    pqt_surface surface;
} pqt_table_options;

/** Initial value of options: all columns have one of their usual names. */
#define PQT_TABLE_DEFAULTS                                                                         \
    {                                                                                              \
        sizeof(pqt_table_options), {NULL, NULL, NULL, NULL}, NULL, PQT_PLANE                       \
    }

/**
 * Reads a table.
 *
 * @param read     supplies the bytes of a CSV file
 * @param context  passed to `read`
 * @param options  NULL means PQT_TABLE_DEFAULTS
 * @return         a table, which pqt_table_free must free; NULL on failure
 *
 * @error PQT_ERROR_OPTION  the options name a column twice, name 3 columns of positions, or have an
 *                          unknown surface
 * @error PQT_ERROR_FORMAT  the text is not CSV, the header exceeds 1 MiB or another record
 *                          128 MiB, there is no header or it names no position or lacks a column of
 *                          the options, or a field is not a number
 * @error PQT_ERROR_BOX     the box of a row is inverted or not finite
 * @error PQT_ERROR_CALLBACK  `read` failed
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost  the memory of the file, and 48 bytes for each row
 */
PQT_API PQT_NODISCARD pqt_table *pqt_table_read(pqt_read_fn *read, void *context,
                                                const pqt_table_options *options, pqt_error *error);

/**
 * Frees a table.
 *
 * @param table  a table, or NULL
 */
PQT_API void pqt_table_free(pqt_table *table);

/**
 * Returns the number of rows, without the header.
 *
 * @param table  not NULL
 * @return       the number of rows
 * @cost  O(1)
 */
PQT_API size_t pqt_table_count(const pqt_table *table);

/**
 * Returns the items of all rows, in their order.
 *
 * @param table  not NULL
 * @return       one item for each row; they are valid until the table is freed
 * @cost  O(1)
 */
PQT_API const pqt_item *pqt_table_items(const pqt_table *table);

/**
 * Returns the columns of a table.
 *
 * @param table  not NULL
 * @return       the columns, and which of them hold the positions and the ids
 * @cost  O(1)
 */
PQT_API pqt_table_columns pqt_table_get_columns(const pqt_table *table);

/**
 * Returns the line at which a row begins, counted from 1.
 *
 * @param table  not NULL
 * @param row    the number of a row, or PQT_TABLE_HEADER
 * @return       the number of the line
 * @cost  O(the bytes before the row)
 */
PQT_API size_t pqt_table_line(const pqt_table *table, size_t row);

/**
 * Returns the fields of a row.
 *
 * @param table   not NULL
 * @param row     a number of a row, or PQT_TABLE_HEADER
 * @param fields  room for a field for each column
 * @cost  O(the bytes of the row)
 */
PQT_API void pqt_table_fields(const pqt_table *table, size_t row, pqt_field *fields);

/**
 * Copies the text of a field, with one quote for two if the field is in quotes.
 *
 * @param field     from pqt_table_fields
 * @param text      room for `capacity` bytes; not terminated
 * @param capacity  the number of bytes that are copied at most
 * @return          the length of the whole text, which is at most field.length
 */
PQT_API size_t pqt_field_text(pqt_field field, char *text, size_t capacity);

/** A column of pqt_table_select. */
typedef struct pqt_table_column {
    size_t source;  /**< a column of the table; PQT_TABLE_NONE: a new one */
    pqt_field name; /**< the name of a new column */
} pqt_table_column;

/**
 * Returns a table with the same rows and other columns, in another order. The bytes of the fields,
 * and those between the rows, are kept. The fields of a new column are empty, and its name is in
 * quotes if necessary.
 *
 * @param table    not NULL
 * @param columns  the columns, with those of the positions and the ids; none of the table's occurs
 *                 twice
 * @param count    the number of columns
 * @return         a table, which pqt_table_free must free; NULL on failure
 *
 * @error PQT_ERROR_OPTION  a column of positions or ids is left out; a column is not one of the
 *                          table, occurs twice, or is new and has no name
 * @error PQT_ERROR_MEMORY  out of memory
 * @cost  as pqt_table_read
 */
PQT_API PQT_NODISCARD pqt_table *pqt_table_select(const pqt_table *table,
                                                  const pqt_table_column *columns, size_t count,
                                                  pqt_error *error);

/** @name Reading record by record */
/** @{ */

/** Reads a table row by row, in the memory of one row. It belongs to its maker: see
    pqt_table_reader_close. */
typedef struct pqt_table_reader pqt_table_reader;

/** A row that a reader has read; see pqt_table_reader_next. */
typedef struct pqt_table_record {
    size_t row;      /**< the number of the row, counted from 0; PQT_TABLE_NONE: there is no other
                          row */
    uint64_t offset; /**< the number of bytes of the file before the row */
    size_t line;     /**< the line at which the row begins, counted from 1 */
    pqt_item item;   /**< the item of the row */
    const pqt_field *fields; /**< a field for each column, valid until the next call */
} pqt_table_record;

/**
 * Begins to read a table, and reads its header. Use it in place of pqt_table_read if the rows are
 * needed one after the other.
 *
 *     pqt_table_record record;
 *     while (pqt_table_reader_next(reader, &record, &error) && record.row != PQT_TABLE_NONE)
 *         add(&record.item);
 *
 * @param read     supplies the bytes of a CSV file
 * @param context  passed to `read`
 * @param options  NULL means PQT_TABLE_DEFAULTS; not kept
 * @return         a reader, which pqt_table_reader_close must free; NULL on failure
 *
 * @error PQT_ERROR_OPTION, PQT_ERROR_FORMAT, PQT_ERROR_CALLBACK, PQT_ERROR_MEMORY  as
 *        pqt_table_read
 */
PQT_API PQT_NODISCARD pqt_table_reader *pqt_table_reader_open(pqt_read_fn *read, void *context,
                                                              const pqt_table_options *options,
                                                              pqt_error *error);

/**
 * Frees a reader.
 *
 * @param reader  a reader, or NULL
 */
PQT_API void pqt_table_reader_close(pqt_table_reader *reader);

/**
 * Reads the next row.
 *
 * @param reader  not NULL
 * @param record  set to the row; `row` is PQT_TABLE_NONE after the last one
 * @return        false on failure; the reader can then only be closed
 *
 * @error PQT_ERROR_FORMAT, PQT_ERROR_BOX, PQT_ERROR_CALLBACK, PQT_ERROR_MEMORY  as pqt_table_read
 * @cost  O(the bytes of the row); the memory of the longest row so far, and 64 KiB
 */
PQT_API PQT_NODISCARD bool pqt_table_reader_next(pqt_table_reader *reader, pqt_table_record *record,
                                                 pqt_error *error);

/**
 * Continues at another row, which is the next one then. The read function must supply the bytes
 * from `offset` on.
 *
 * @param reader  not NULL
 * @param record  a row that this reader has read; only `row`, `offset` and `line` are used
 * @cost  O(1)
 */
PQT_API void pqt_table_reader_seek(pqt_table_reader *reader, const pqt_table_record *record);

/**
 * Returns the columns of a table. The column of ids is final after the first row, which shows
 * whether it holds text.
 *
 * @param reader  not NULL
 * @return        as pqt_table_get_columns
 * @cost  O(1)
 */
PQT_API pqt_table_columns pqt_table_reader_columns(const pqt_table_reader *reader);

/**
 * Returns the names of the columns.
 *
 * @param reader  not NULL
 * @param names   room for a field for each column; they are valid until the reader is closed
 * @cost  O(the bytes of the header)
 */
PQT_API void pqt_table_reader_names(const pqt_table_reader *reader, pqt_field *names);
/** @} */

/** A row to write; see pqt_table_write. */
typedef struct pqt_table_row {
    const pqt_table *table; /**< the table that has the row: the one that is written or another one
                                 with the same columns; NULL: the row is new */
    size_t row;             /**< the number of the row in that table */
    pqt_item item;          /**< the id and the box */
    /** a field for each column, to replace those of the row in all columns but the id and the
        position. Only a geometry of the position is read: it must have the box of the item. A
        field with `bytes` NULL is not replaced; NULL: no field is replaced */
    const pqt_field *fields;
} pqt_table_row;

/**
 * Writes a table with other rows.
 *
 * A row of the table is written byte for byte, with the blank lines before it, if its item and its
 * fields are those in `rows`. Otherwise only the fields whose values differ change: a coordinate is
 * written as the shortest decimal that reads back as the same double.
 *
 * The same holds for a row of another table, whose fields are written in the order of the columns
 * of this one. Its numbers are spelled again if that table has another separator or other decimal
 * points. A new row has quotes in the columns in which the first row of the table has quotes, and a
 * decimal comma if the table has. The lines end like the header, and the last one like the last
 * line of the table.
 *
 * A geometry is kept as long as the item has its box. Otherwise that of a point or of a rectangle
 * is replaced by a point or a rectangle; any other one must be given, since the box says less.
 *
 * If the table has no column of ids, ids are not written: reading returns the numbers of the rows.
 *
 * @param table    determines the header, the columns and the line ends
 * @param rows     the rows, in the order in which they are written
 * @param count    the number of rows
 * @param write    takes the bytes
 * @param context  passed to `write`
 * @param error    set on failure; may be NULL; an earlier error in it is kept; `error.index` is the
 *                 index of the row at fault
 * @return         false on failure
 *
 * @error PQT_ERROR_BOX       a box is invalid
 * @error PQT_ERROR_FORMAT    a field in `fields` has a zero byte, which no table can hold
 * @error PQT_ERROR_MISMATCH  the columns cannot hold the box of a row: it is not a point, or no
 *                            width added to x gives the other side, or it is not that of the
 *                            geometry
 * @error PQT_ERROR_CALLBACK  `write` failed
 * @error PQT_ERROR_MEMORY    out of memory
 */
PQT_API bool pqt_table_write(const pqt_table *table, const pqt_table_row *rows, size_t count,
                             pqt_write_fn *write, void *context, pqt_error *error);

PQT_END_DECLARATIONS

#endif
