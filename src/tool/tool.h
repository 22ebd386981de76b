/* SPDX-License-Identifier: MIT */
/*
 * tool.h: the functions that the commands of the program pqt share.
 *
 * The program is an ordinary user of the library: it includes only <pqt.h>. Any error in the user's
 * input ends the program at once: die() prints one line on standard error and exits with status 2.
 * So functions here return only valid results.
 *
 * Sources of this folder without a header of their own: cli.c, cmd_checkout.c, cmd_collide.c,
 * cmd_collide_view.c, cmd_demo.c, cmd_diff.c, cmd_draw.c, cmd_follow.c, cmd_history.c, cmd_info.c,
 * cmd_info_pqt.c, cmd_log.c, cmd_merge.c, cmd_nearest.c, cmd_pairs.c, cmd_pull.c, cmd_push.c,
 * cmd_ray.c, cmd_region.c, cmd_region_view.c, cmd_save.c, cmd_save_line.c, cmd_save_store.c,
 * cmd_search.c, cmd_show.c, cmd_simulate.c, cmd_simulate_balls.c, cmd_simulate_view.c,
 * cmd_stress.c, cmd_studio.c, csv_table.c, csv_write.c, history_queries.c, main.c, out.c,
 * self_test.c.
 */
#ifndef TOOL_H
#define TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <popt.h>

#include <pqt.h>

/* The values of the exit status. */
enum { STATUS_FOUND = 0, STATUS_NOTHING = 1, STATUS_ERROR = 2 };

/* The commands. The first argument is the full name of the command, which its help shows. */
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
int save_command(int count, const char **arguments);
int log_command(int count, const char **arguments);
int show_command(int count, const char **arguments);
int checkout_command(int count, const char **arguments);
int push_command(int count, const char **arguments);
int pull_command(int count, const char **arguments);
int follow_command(int count, const char **arguments);
int draw_command(int count, const char **arguments);
int demo_command(int count, const char **arguments);
int simulate_command(int count, const char **arguments);
int stress_command(int count, const char **arguments);
int studio_command(int count, const char **arguments);

/* ---- out.c: error messages ---- */

/* A string for a message. Control characters and invalid UTF-8 are shown as \xNN, and the string is
   truncated after 60 bytes. */
typedef struct quotation {
    char text[256];
} quotation;

quotation quote(const char *text, size_t length);

/* Quotes a whole string. NULL is quoted as the empty string. The address of a line is quoted as the
   name of the line with its #, since the URL may contain a password. */
quotation quote_text(const char *text);

/* Returns true if a name is the address of a line and so not the name of a file. */
bool line_is_named(const char *name);

/* Prints "pqt: FILE:LINE: what is wrong (value)" and ends the program with status 2. FILE is
   omitted if it is NULL, and LINE if it is 0. The address of a line is shown as quote_text shows
   it. */
__attribute__((format(printf, 3, 4))) _Noreturn void die(const char *file, size_t line,
                                                         const char *format, ...);

/* Ends the program with the message of a library error. */
_Noreturn void die_error(const char *file, const pqt_error *error);

/* Grows an array to at least `needed` elements. Ends the program when out of memory. */
void *xgrow(void *block, size_t *capacity, size_t needed, size_t size);

/* ---- cli.c: the command line ---- */

/* The options that every command has, which end its table of options. */
#define COMMON_OPTIONS                                                                             \
    {"help", 'h', POPT_ARG_NONE, NULL, 'h', "show this help and exit", NULL}, POPT_TABLEEND

/* Returns the letter of the next option that the command handles itself, or 0 after the last one.
   For --help, prints the help and ends the program. Ends the program with an error if an option is
   invalid. */
int next_option(poptContext context);

poptContext begin_options(int count, const char **arguments, const struct poptOption *known,
                          const char *usage, const char *purpose);

/* Returns the next argument, which must be a file. Ends the program with an error if there is none.
   `number` is the number of files before it. */
const char *file_argument(poptContext context, int number);

/* Returns the only remaining argument, which must be a file. Ends the program with an error if
   there is none or more than one. */
const char *only_argument(poptContext context);

/* Ends the program with an error if any argument is left. */
void no_argument(poptContext context);

/* Parse the argument of the option that next_option has just returned. End the program with an
   error if the argument is invalid. */
pqt_box box_option(poptContext context, const char *name, bool may_be_infinite);
pqt_vec point_option(poptContext context, const char *name);
double distance_option(poptContext context, const char *name);
pqt_relation relation_option(poptContext context);
long long number_option(poptContext context, const char *name, long long least, long long most);
char *text_option(poptContext context); /* the caller frees it */

/* ---- cli.c: parsing and formatting numbers ---- */

typedef enum number_fault { NUMBER_FINE, NUMBER_NOT_ONE, NUMBER_NOT_FINITE } number_fault;

/* Parses a whole string as a decimal number. Also sets the number for inf and nan, but reports that
   they are not finite. */
number_fault read_number(const char *text, size_t length, double *number);

/* Parses a whole string of digits as a number from 0 to 2^64 - 1. */
bool read_id(const char *text, size_t length, uint64_t *id);

/* A number as text. It has 15, 16 or 17 digits, as few as are needed to read back the same
   double. */
typedef struct digits {
    char text[40];
} digits;

digits shortest(double number);
digits grouped(uint64_t number); /* for example 1234567 -> 1,234,567 */
digits in_bytes(double bytes);   /* for example 1234567 -> 1.23 MB */
digits in_time(double seconds);  /* for example 0.00000123 -> 1.23 us */
digits utc_time(double seconds); /* seconds since 1970 -> 2026-01-31 23:59:59 */

/* ---- csv_table.c: the rows of a CSV or .pqt file as items ---- */

struct input_file; /* see input_file.h */

/* Strings that are stored one after the other, each terminated by a zero byte. */
typedef struct texts {
    char *bytes;
    size_t length, capacity;
} texts;

/* The columns of a file. */
typedef struct table_columns {
    texts names;     /* the names of all columns; empty unless table_read_all kept them */
    size_t *name_at; /* the index of each name in `names` */
    size_t name_at_capacity;
    size_t count;
    int places;     /* the number of coordinates: 2, or 4 for a box given by two corners */
    size_t rank[4]; /* the indices of the columns with coordinates */
    size_t id;      /* the index of the column with ids; SIZE_MAX: there are no ids */
} table_columns;

/* The rows of a file, each of which has one item. */
typedef struct table {
    pqt_item *items;
    size_t count, capacity;
    bool has_ids;
    bool is_geographic; /* y is a latitude, so it points up */
    table_columns columns;
    texts kept;      /* for each row, all fields except the position and the id, if they are kept */
    size_t *kept_at; /* the index in `kept` at which the fields of each row begin */
    size_t kept_at_capacity;
    struct item_row *by_item; /* the rows sorted by item; the first look-up makes this array */
    const pqt_tree *tree;     /* the version of a .pqt file; NULL: the file is CSV */
    pqt_table *source;        /* the table of a CSV file; NULL unless table_read_all kept it */
} table;

/*
 * Reads the items of a file; "-" is standard input. Ends the program at the first error in it. A
 * .pqt file with a tree counts as a CSV file with the columns id,min_x,min_y,max_x,max_y and with
 * the items in tree order.
 */
table table_read(const char *file);
table table_from(struct input_file *from); /* reads a file that is already open */

/* Reads the items in the same way, and also keeps the other columns and all names, so that rows can
   be written. */
table table_read_all(const char *file);

void table_free(table *rows);

/* Returns true if a column contains neither coordinates nor ids. */
bool column_is_other(const table_columns *columns, size_t column);

/* Returns the kept fields of a row, whose number is counted from 0. They are strings, one after the
   other. */
const char *table_fields(const table *rows, size_t row);

/* Returns the kept field after `field`. */
const char *next_field(const char *field);

/* Returns the first row with the given item, which must be in the table. */
size_t table_row(table *rows, const pqt_item *item);

/* Compares items by id, then by their coordinates. Returns a negative number, 0 or a positive
   number. */
int compare_items(const pqt_item *a, const pqt_item *b);

/* Makes a version from items. `file` is the name in the message if that fails. */
const pqt_tree *tree_of_items(const pqt_item *items, size_t count, const char *file);

/* ---- csv_write.c: rows as CSV with the columns of their file (table_read_all) ---- */

const char *column_name(const table_columns *columns, size_t column);

/* A name or a prefix of names that a command adds to the columns of a file. */
typedef struct added_name {
    char text[40];
} added_name;

/* Returns `stem`, if necessary with a number after it, so that no column has this name: distance,
   distance_2, ... */
added_name unused_name(const table_columns *columns, const char *stem);

/* Returns a prefix with which no column name begins: second_, second_2_, ... */
added_name unused_prefix(const table_columns *columns, const char *stem);

/* Write a field, in quotes if necessary. The second function writes prefix and name as one
   field. */
void write_field(FILE *stream, const char *text);
void write_prefixed(FILE *stream, const char *prefix, const char *name);

/* Writes the names of all columns, each with the prefix. If the file has no ids, writes the name of
   a column with ids first. */
void write_names(FILE *stream, const table_columns *columns, const char *prefix);

/* Writes a row with these columns, from an item and its kept fields. */
void write_cells(FILE *stream, const table_columns *columns, const pqt_item *item,
                 const char *fields);

/* Writes the field of a row in one column. If it is a kept field, advances `field` to the next
   one. */
void write_cell(FILE *stream, const table_columns *columns, size_t column, const pqt_item *item,
                const char **field);

/* Writes the first row with the given item. */
void write_item(FILE *stream, table *rows, const pqt_item *item);

/* ---- out.c: output files that are replaced completely or not at all ---- */

/* Returns the part of a string that may be shown. For the address of a line, this is "#" and the
   name of the line, or "postgresql://..." if it has none or the # may be in a password. */
const char *public_part(const char *text);

/* Opens a temporary file that output_close renames to `file`; "-" is standard output. If the
   program ends earlier, the file keeps its old contents. A command has at most three outputs. Ends
   the program with an error like output_check_name. */
FILE *output_open(const char *file, const char *format);

/* Ends the program with an error if an output may not have this name: if it would replace a store
   or a file next to one, or if it ends like the name of another format, such as picture.png, which
   no viewer would open, for SVG. The format is "CSV", "PNG", "SVG" or "pqt", or NULL, for which any
   ending is right. */
void output_check_name(const char *file, const char *format);

/* Renames the temporary files of all open outputs to their final names. Ends the program with an
   error if an output could not be written. */
void output_close(void);

/* Removes the temporary files of all open outputs. */
void output_discard(void);

/* Flushes and closes standard output. Ends the program with an error if that fails. */
void finish_standard_output(void);

/* Ends the program with an error if an output would replace an input. */
void output_guard(const char *file, const char *input);

/* Ends the program with an error if two options name the same output. Either file may be NULL. */
void output_guard_twin(const char *option, const char *file, const char *other_option,
                       const char *other);

/* Ends the program with an error if both inputs are standard input. The second one may be NULL. */
void input_guard(const char *file, const char *other);

/* ---- out.c: a progress bar on standard error ---- */
void progress_begin(const char *label,
                    uint64_t total); /* 0: the total is unknown, and only the amount done is
                                        shown */
void progress_at(uint64_t done);     /* cheap, because it draws at most ten times a second */
void progress_end(void);             /* erases the bar */

/* The name by which the user called the program. */
extern const char *program_name;

/* Returns the memory of the program's versions, which is the default memory. Ends the program on
   failure. */
pqt_memory *tool_memory(void);

#endif
