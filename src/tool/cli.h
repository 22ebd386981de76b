/* SPDX-License-Identifier: MIT */
/* cli.h: the command-line options and arguments that several commands have. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>

#include <popt.h>
#include <pqt.h>

/* The options that every command has, which end its table of options. */
#define COMMON_OPTIONS                                                                             \
    {"quiet", 'q', POPT_ARG_NONE, NULL, 'q', "print no progress and no notes", NULL},              \
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

/* Return the four numbers in the text of an option, as they are or as a window that is not
   inverted. End the program with an error if the text is invalid. */
pqt_box sides_of(const char *text, const char *name);
pqt_box window_of(const char *text, const char *name);

#endif
