/* SPDX-License-Identifier: MIT */
/*
 * tool.h - what the commands of the program pqt have in common.
 *
 * The program is a user of the library like any other: it sees <pqt.h> alone. Whatever is wrong
 * with the user's input ends it at once, by complain(), with one line on standard error and status
 * 2; so functions here return only what is sound.
 *
 * Sources of this folder without a header of their own: cli.c, cmd_collide.c, cmd_collide_view.c,
 * cmd_demo.c, cmd_diff.c, cmd_draw.c, cmd_history.c, cmd_info.c, cmd_merge.c, cmd_nearest.c,
 * cmd_pairs.c, cmd_ray.c, cmd_region.c, cmd_region_view.c, cmd_search.c, cmd_simulate.c,
 * cmd_simulate_balls.c, cmd_simulate_view.c, cmd_stress.c, csv.c, csv_table.c, csv_write.c,
 * history_queries.c, main.c, out.c, self_test.c.
 */
#ifndef TOOL_H
#define TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <popt.h>

#include <pqt.h>

/* What the program returns. */
enum { STATUS_FOUND = 0, STATUS_NOTHING = 1, STATUS_ERROR = 2 };

/* The commands; the first argument is the command's own name, for its help. */
int info_command(int count, const char **arguments);
int search_command(int count, const char **arguments);
int nearest_command(int count, const char **arguments);
int ray_command(int count, const char **arguments);
int pairs_command(int count, const char **arguments);
int diff_command(int count, const char **arguments);
int merge_command(int count, const char **arguments);
int region_command(int count, const char **arguments);
int collide_command(int count, const char **arguments);
int history_command(int count, const char **arguments);
int draw_command(int count, const char **arguments);
int demo_command(int count, const char **arguments);
int simulate_command(int count, const char **arguments);
int stress_command(int count, const char **arguments);

/** @name out.c - the one way out when something is wrong */
/** @{ */

/* Text fit for one line: control characters and broken UTF-8 as \xNN, cut after 60 bytes. */
typedef struct quotation {
    char text[256];
} quotation;

quotation quote(const char *text, size_t length);
quotation quote_text(const char *text); /* NULL is quoted as nothing */

/*
 * Prints "pqt: FILE:LINE: what is wrong (value)" and ends the program with status 2. Without a file
 * (NULL) or a line (0) that part is left out.
 */
__attribute__((format(printf, 3, 4))) _Noreturn void complain(const char *file, size_t line,
                                                              const char *format, ...);

/* Complains about a failure that the library told. */
_Noreturn void complain_error(const char *file, const pqt_error *error);

/* Memory that grows, never NULL; a shortage ends the program. */
void *grown(void *block, size_t *capacity, size_t needed, size_t size);
/** @} */

/** @name cli.c - the command line */
/** @{ */

/* The options that each command has; ends its table. */
#define COMMON_OPTIONS                                                                             \
    {"help", 'h', POPT_ARG_NONE, NULL, 'h', "show this help and end", NULL}, POPT_TABLEEND

/*
 * The next option that a command must look at itself, as its letter; 0 after the last. --help
 * prints and ends the program; a wrong option ends it too.
 */
int next_option(poptContext context);

poptContext begin_options(int count, const char **arguments, const struct poptOption *known,
                          const char *usage, const char *purpose);

/* The file that must be named next; complains if there is none. `number`: how many were named
   before. */
const char *file_argument(poptContext context, int number);

/* The one file that must be left; complains if there is none, or another argument. */
const char *only_argument(poptContext context);

/* Complains if an argument is left. */
void no_argument(poptContext context);

/* The argument of the option that next_option has just returned, read as ... Each complains. */
pqt_box box_option(poptContext context, const char *name, bool may_be_infinite);
pqt_vec point_option(poptContext context, const char *name);
double distance_option(poptContext context, const char *name);
pqt_relation relation_option(poptContext context);
long long number_option(poptContext context, const char *name, long long least, long long most);
char *text_option(poptContext context); /* to be freed */
/** @} */

/** @name cli.c - numbers from text and to text */
/** @{ */

typedef enum number_fault { NUMBER_FINE, NUMBER_NOT_ONE, NUMBER_NOT_FINITE } number_fault;

/* Reads all of a text as a decimal number; inf and nan are read, and are a fault. */
number_fault read_number(const char *text, size_t length, double *number);

/* Reads all of a text as digits, 0 .. 2^64 - 1. */
bool read_id(const char *text, size_t length, uint64_t *id);

/* The shortest of 15, 16 or 17 digits that reads back as the same double. */
typedef struct digits {
    char text[40];
} digits;

digits shortest(double number);
digits grouped(uint64_t number); /* 1234567 -> 1,234,567 */
digits in_bytes(double bytes);   /* 1234567 -> 1.23 MB */
digits in_time(double seconds);  /* 0.00000123 -> 1.23 us */
/** @} */

/** @name csv.c - the fields of a CSV file, with the lines they stand on */
/** @{ */

/* Is handed what a file holds, in its order. Lines count from 1, columns from 0. */
typedef struct csv_reader {
    void (*field)(void *context, size_t line, size_t column, const char *text, size_t length);
    void (*record)(void *context, size_t line, size_t columns); /* its last field was handed over */
    void *context;
} csv_reader;

/* How many bytes at the beginning of a file are the mark of its byte order: 3, or 0 without one. */
size_t byte_order_mark(const char *text, size_t length);

/* Reads a file to its end, and returns the number of its lines; complains about what is no CSV. */
size_t csv_read(const char *file, const csv_reader *reader);
/** @} */

/** @name csv_table.c - the rows of a CSV file, as items */
/** @{ */

/* Texts one after the other, each ended by a zero. */
typedef struct texts {
    char *bytes;
    size_t length, capacity;
} texts;

/* What the columns of a file are. */
typedef struct table_columns {
    texts names;     /* of all columns; of none unless they are kept (table_read_all) */
    size_t *name_at; /* where each begins among them */
    size_t name_at_capacity;
    size_t count;
    int places;     /* how many numbers give a place: 2, or 4 for a box */
    size_t rank[4]; /* in which columns they stand */
    size_t id;      /* the column of ids; SIZE_MAX: there is none */
} table_columns;

/* Rows of a file, each one item. */
typedef struct table {
    pqt_item *items;
    size_t count, capacity;
    bool has_ids;
    bool is_geographic; /* the columns are lon,lat: y points up */
    table_columns columns;
    texts kept;      /* of each row all fields but place and id, if all are kept */
    size_t *kept_at; /* where each row's kept fields begin */
    size_t kept_at_capacity, kept_rows;
    struct item_row *by_item; /* the rows sorted by their items; made when one is looked up */
} table;

/* Reads the items of a file, "-" for standard input; complains of the first thing wrong in it. */
table table_read(const char *file);

/* The same, and keeps the other columns and the names of all, so that rows can be written. */
table table_read_all(const char *file);

void table_free(table *rows);

/* Whether a column gives neither a place nor an id. */
bool column_is_other(const table_columns *columns, size_t column);

/* The kept fields of a row, by its number from 0: texts one after the other. */
const char *table_fields(const table *rows, size_t row);

/* The kept field that follows one. */
const char *next_field(const char *field);

/* The first row of an item that the table holds. */
size_t table_row(table *rows, const pqt_item *item);

/* By id, then by the box's numbers: below 0, 0 or above, as strcmp. */
int compare_items(const pqt_item *a, const pqt_item *b);

/* A version that holds items, of a file's rows or some of them. */
const pqt_tree *tree_of_items(const pqt_item *items, size_t count, const char *file);
/** @} */

/** @name csv_write.c - rows as CSV, in the columns of their file (table_read_all) */
/** @{ */

const char *column_name(const table_columns *columns, size_t column);

/* A name, or the beginning of names, that a command adds to the columns of a file. */
typedef struct added_name {
    char text[40];
} added_name;

/* This name, or with a number behind it, so that no column has it: distance, distance_2, ... */
added_name unused_name(const table_columns *columns, const char *stem);

/* A prefix with which no column's name begins: second_, second_2_, ... */
added_name unused_prefix(const table_columns *columns, const char *stem);

/* Writes a field, in quotes where it needs them; the second one, as prefix and name. */
void write_field(FILE *stream, const char *text);
void write_prefixed(FILE *stream, const char *prefix, const char *name);

/* Writes the names of all columns, each after the prefix. A file without ids gets an id first. */
void write_names(FILE *stream, const table_columns *columns, const char *prefix);

/* Writes a row in these columns: an item, and its other fields, as they are kept. */
void write_cells(FILE *stream, const table_columns *columns, const pqt_item *item,
                 const char *fields);

/* Writes what it has in one column, and moves `field` on if that was one of the others. */
void write_cell(FILE *stream, const table_columns *columns, size_t column, const pqt_item *item,
                const char **field);

/* Writes the first row of an item. */
void write_item(FILE *stream, table *rows, const pqt_item *item);
/** @} */

/** @name out.c - files that are there whole, or not at all */
/** @{ */

/*
 * Opens a file to be written under another name beside it; "-" is standard output. If the program
 * ends before output_close, the file of this name is as it was before. A command has two at most.
 */
FILE *output_open(const char *file);

/* Gives all that is open its name; complains if anything could not be written. */
void output_close(void);

/* Removes what output_open began, if anything. */
void output_discard(void);

/* Flushes standard output; complains if anything could not be written. */
void finish_standard_output(void);

/* Complains if an output would replace an input. */
void output_guard(const char *file, const char *input);

/* Complains if what an option names is the picture's file, too; either may be NULL. */
void output_guard_twin(const char *option, const char *file, const char *svg);

/* Complains if two inputs are both standard input; the second may be NULL. */
void input_guard(const char *file, const char *other);
/** @} */

/** @name out.c - a bar on standard error, for long work on a terminal */
/** @{ */
void progress_begin(const char *label,
                    uint64_t total); /* total 0: unknown, what is done is shown */
void progress_at(uint64_t done);     /* cheap: look at the clock rarely */
void progress_end(void);             /* wipes the bar away */
/** @} */

/* How the program was called. */
extern const char *program_name;

/* Where the program's versions live: the collector, or an arena in a build without it. */
pqt_memory *tool_memory(void);

#endif
