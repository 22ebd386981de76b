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
   caller releases the value. */
json_t *json_value(json_stream *from);

#endif
