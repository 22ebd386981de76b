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

/* The maximum size of a value, in bytes. In memory, it takes about seven times as much, and a
   hostile one 35 times: an array for each six bytes. */
enum { LONGEST_JSON = 1 << 25 };

typedef struct json_stream {
    const char *name; /* the name for messages */
    FILE *file;
    size_t line;    /* the line of the next byte, counted from 1 */
    uint64_t taken; /* the number of bytes that were read */
    size_t left;    /* the number of bytes that the current value may still have */
} json_stream;

/* Returns the next byte that is not blank without reading it, or EOF. The byte 1E, which begins the
   records of a sequence (RFC 8142), is blank. */
int json_peek(json_stream *from);

/* Reads the next byte that is not blank if it is this one. */
bool json_take(json_stream *from, char byte);

/* Reads a byte that must be next. */
void json_expect(json_stream *from, char byte);

/* Reads the next value. Ends the program with an error if it is not JSON or is too long. The caller
   releases the value. */
json_t *json_value(json_stream *from);

#endif
