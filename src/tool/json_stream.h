/* SPDX-License-Identifier: MIT */
/*
 * json_stream.h: reads the values of a JSON file one after the other, so that no more than one is
 * in memory.
 */
#ifndef JSON_STREAM_H
#define JSON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "tool/numbers.h"
#include "tool/tool_memory.h"

/* The maximum size of a value, in bytes, and the maximum memory that it takes as JSON. The memory
   of a position of two numbers is about ten times its text; that of an empty array 46 times. */
enum { LONGEST_JSON = 1 << 25, LARGEST_JSON = 1 << 28 };

typedef struct json_stream {
    const char *name; /* the name for messages */
    FILE *file;
    size_t line;                /* the line of the next byte, counted from 1 */
    uint64_t taken;             /* the number of bytes that were read */
    size_t left;                /* the number of bytes that the current value may still have */
    size_t memory;              /* the number of bytes of memory that it may still take */
    bool is_quoted, is_escaped; /* where the next byte of the value is */
    texts numbers;              /* the numbers of the current values, as they are spelt */
    digits place;               /* what jansson gets for the last number */
    size_t place_at;            /* the number of its bytes that jansson got */
} json_stream;

/* Returns the next byte that is not blank without reading it, or EOF. The byte 1E, which begins the
   records of a sequence (RFC 8142), is blank. */
int json_peek(json_stream *from);

/* Reads the next byte that is not blank if it is this one. */
bool json_take(json_stream *from, char byte);

/* Reads a byte that must be next. */
void json_expect(json_stream *from, char byte);

/* Begins a value, or a group of values, to which the limits apply. */
void json_begin(json_stream *from);

/* Reads the next value. Ends the program with an error if it is not JSON or is too large. The
   caller releases the value. Its numbers are integers of jansson: their places in the spellings. */
json_t *json_value(json_stream *from);

/* Returns a number as it is spelt, or NULL if the value is not a number. It is valid until the next
   call of json_begin. */
const char *json_spelling(const json_stream *from, const json_t *value);

/* Returns the number that is nearest to its spelling; an infinite one beyond the greatest. */
double json_double(const json_stream *from, const json_t *number);

/* Appends a value as JSON without blanks. */
void json_append(texts *to, const json_stream *from, const json_t *value);

/* Releases what the stream has made. The file remains open. */
void json_end(json_stream *from);

#endif
