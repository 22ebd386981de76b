/* SPDX-License-Identifier: MIT */
/*
 * message.h: error messages, which end the program, and the values of the exit status.
 *
 * Any error in the user's input ends the program at once: die() prints one line on standard error
 * and exits with status 2. So the functions of the program return only valid results.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pqt.h>

/* The values of the exit status. */
enum { STATUS_FOUND = 0, STATUS_NOTHING = 1, STATUS_ERROR = 2 };

/* A string for a message. Control characters and invalid UTF-8 are shown as \xNN, and the string is
   truncated after 60 bytes. */
typedef struct quotation {
    char text[256];
} quotation;

quotation quote(const char *text, size_t length);

/* Returns the length in bytes of the printable UTF-8 character with which a string begins, or 0 if
   there is none. */
size_t printable_length(const char *string, size_t rest);

/* Quotes a whole string. NULL is quoted as the empty string. The address of a line is quoted as the
   name of the line with its #, since the URL may contain a password. */
quotation quote_text(const char *text);

/* Returns the part of a string that may be shown. For the address of a line, this is "#" and the
   name of the line, or "postgresql://..." if it has none or the # may be in a password. */
const char *public_part(const char *text);

/* Returns true if a name is the address of a line and so not the name of a file. */
bool line_is_named(const char *name);

/* Prints "pqt: FILE:LINE: what is wrong (value)" and ends the program with status 2. FILE is
   omitted if it is NULL, and LINE if it is 0. The address of a line is shown as quote_text shows
   it. */
__attribute__((format(printf, 3, 4))) _Noreturn void die(const char *file, size_t line,
                                                         const char *format, ...);

/* Makes die call a function with the message, without a newline, instead of printing it and ending
   the program. The function does not return. The message is valid until then. */
typedef void message_taker(const char *message);
void give_messages_to(message_taker *taker);

/* Returns the article of a kind's name: "an" of an image, "a" of the others. */
const char *article_of(pqt_kind kind);

/* Ends the program with the message of a library error. */
_Noreturn void die_error(const char *file, const pqt_error *error);

#endif
