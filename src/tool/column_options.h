/* SPDX-License-Identifier: MIT */
/* column_options.h: the options that name the columns of positions and ids in CSV files. */
#ifndef COLUMN_OPTIONS_H
#define COLUMN_OPTIONS_H

#include <popt.h>
#include <pqt.h>

/* The arguments of the options; NULL if an option is not given. popt sets them. */
typedef struct column_names {
    char *x, *y;    /* the columns of points */
    char *box;      /* the four columns of boxes, separated by commas */
    char *geometry; /* the column of geometries in WKT */
    char *id;       /* the column of ids */
    int no_header;  /* files have no header, and the columns are named by their numbers */
    int is_globe;   /* a box whose west is greater than its east crosses the antimeridian */
} column_names;

extern column_names chosen_columns;

/* The options of all commands that read CSV files. They apply to each CSV file that the command
   reads. */
#define COLUMN_OPTIONS                                                                             \
    {"x",   '\0', POPT_ARG_STRING, &chosen_columns.x, 0, "the column with x of points (with --y)", \
     "NAME"},                                                                                      \
        {"y",                                                                                      \
         '\0',                                                                                     \
         POPT_ARG_STRING,                                                                          \
         &chosen_columns.y,                                                                        \
         0,                                                                                        \
         "the column with y of points (with --x)",                                                 \
         "NAME"},                                                                                  \
        {"box",                                                                                    \
         '\0',                                                                                     \
         POPT_ARG_STRING,                                                                          \
         &chosen_columns.box,                                                                      \
         0,                                                                                        \
         "the columns with the sides of boxes",                                                    \
         "X0,Y0,X1,Y1"},                                                                           \
        {"geometry",                                                                               \
         '\0',                                                                                     \
         POPT_ARG_STRING,                                                                          \
         &chosen_columns.geometry,                                                                 \
         0,                                                                                        \
         "the column with geometries in WKT",                                                      \
         "NAME"},                                                                                  \
        {"id", '\0', POPT_ARG_STRING, &chosen_columns.id, 0, "the column with ids", "NAME"},       \
    {                                                                                              \
        "no-header", '\0', POPT_ARG_NONE, &chosen_columns.no_header, 0,                            \
            "CSV has no header; columns are named by number, from 1", NULL                         \
    }

/* Returns the options with which CSV files are read. Ends the program with an error if the
   arguments do not name one position. */
const pqt_table_options *column_options(void);

#endif
