/* SPDX-License-Identifier: MIT */
/*
 * section.h: writes and reads the container of versions: a head, and sections with a name, a length
 * and a checksum.
 *
 *     head      signature (8 bytes), major and minor version (2 + 2), checksum of these (4)
 *     section   name (4), length of the payload (4), payload, checksum of all three (4)
 *
 * docs/format.md specifies both. A section is written in one piece, and read completely before any
 * of its bytes are used. If the first letter of its name is lower-case, a reader that does not know
 * the section may skip it. section_stream.c writes and reads bytes that need several sections.
 */
#ifndef PQTI_SECTION_H
#define PQTI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/bytes.h>

#include "base/attributes.h"
#include "io/crc32c.h"

enum {
    PQTI_FORMAT_MAJOR = 1,
    PQTI_FORMAT_MINOR = 0,
    PQTI_SECTION_WORDS = 20480, /* maximum number of words in a section, columns times rows */
    PQTI_BYTE_SECTION = 65536, /* the size of a BYTE or PIXL section in bytes; the last one of those
                                   that hold one stream may be smaller */
    PQTI_SECTION_MOST = 163940 /* maximum size of a payload that this library writes, in bytes */
};

/* The section with which a history begins. The sections of versions are in memory/kind_table.h. */
#define PQTI_HISTORY_SECTION "HIST"

/* ---- Writing ---- */

typedef struct pqti_writer {
    pqt_write_fn *write;
    void *context;
    pqt_error *error;
    uint8_t *bytes; /* in scratch memory: the section that is being written */
    size_t length;  /* the number of bytes in it so far: name, length and payload */
    pqti_crc32c_tables tables;
} pqti_writer;

/* Allocates the buffer and writes the head. Returns false and sets the error on failure. The caller
   must end the writer in either case. */
bool pqti_writer_begin(pqti_writer *writer, pqt_write_fn *write, void *context, pqt_error *error);
void pqti_writer_end(pqti_writer *writer);

/* Begins a section. `name` has four letters. */
void pqti_section_begin(pqti_writer *writer, const char *name);

/* Adds a number of `size` bytes (1 to 8) to the payload. */
void pqti_section_put(pqti_writer *writer, uint64_t number, unsigned size);
void pqti_section_put_double(pqti_writer *writer, double number);

/* Returns a pointer to the end of the payload. After it there is room for the rest of
   PQTI_SECTION_MOST and 8 more bytes. Call pqti_section_add to append bytes that were stored
   there. */
uint8_t *pqti_section_tail(pqti_writer *writer);
void pqti_section_add(pqti_writer *writer, size_t count);
size_t pqti_section_length(const pqti_writer *writer); /* the length of the payload so far */

/* Ends the section and writes it. Returns false and sets the error on failure. */
bool pqti_section_end(pqti_writer *writer);

/* Writes a section with `rows` rows of words as its payload, in the format of columns.h. The words
   of column c begin at words[c * stride]. Returns false and sets the error on failure. */
bool pqti_section_write_columns(pqti_writer *writer, const char *name, const uint64_t *words,
                                size_t stride, size_t columns, size_t rows);

/* Adds bytes to the stream in BYTE sections. Begins and ends sections as needed; `is_open` says
   whether one is open, which the caller ends with the stream. Returns false and sets the error on
   failure. */
bool pqti_section_write_bytes(pqti_writer *writer, bool *is_open, const void *bytes, size_t size);

/* Writes DONE, the section that ends each version. */
bool pqti_write_done(pqti_writer *writer, pqt_fingerprint fingerprint);

/* ---- Reading ---- */

typedef struct pqti_reader {
    pqt_read_fn *read;
    void *context;
    pqt_error *error;
    pqt_memory *memory; /* the memory in which a scope is open; NULL: no scope is open */
    uint64_t offset;    /* the number of bytes read so far */
    uint64_t section;   /* the offset at which the section that was read last begins */
    char name[5];
    uint8_t *payload; /* in scratch memory: `capacity` bytes and 8 more */
    size_t length, capacity;
    size_t next; /* the index of the byte that pqti_section_get returns next */
    pqti_crc32c_tables tables;
} pqti_reader;

/* Begins a scope in `memory`, or in the default memory if that is NULL, and reads the head. Returns
   false and sets the error on failure. The caller must end the reader in either case. */
bool pqti_reader_begin(pqti_reader *reader, pqt_read_fn *read, void *context, pqt_memory *memory,
                       pqt_error *error);
void pqti_reader_end(pqti_reader *reader);

/* Reads the next section, which must have this name and a payload of `least` to `most` bytes.
   Returns false and sets the error on failure. */
bool pqti_section_read(pqti_reader *reader, const char *name, size_t least, size_t most);

/* Reads a section that pqti_section_write_columns has written, with as many of `left` rows as the
   columns of `stride` words have room for. Returns the number of rows. Returns 0 and sets the error
   on failure. */
size_t pqti_section_read_columns(pqti_reader *reader, const char *name, uint64_t *words,
                                 size_t stride, size_t columns, uint64_t left);

/* Reads bytes that continue in sections of one name, each of which but the last has
   PQTI_BYTE_SECTION bytes. *is_open is false until the first one is read. `unit` names what the
   bytes are part of, as in "it ends within a square". Returns false and sets the error on
   failure. */
bool pqti_section_read_bytes(pqti_reader *reader, const char *name, const char *unit, bool *is_open,
                             uint8_t *bytes, size_t count);

/* Returns the next number of `size` bytes (1 to 8) in the payload, or 0 after the end of the
   payload. */
uint64_t pqti_section_get(pqti_reader *reader, unsigned size);
double pqti_section_get_double(pqti_reader *reader);

/* Returns the name of the first section, which has no terminating zero, in the first bytes of data.
   Returns NULL if they are not in this format, or too few. */
const char *pqti_first_section(const void *bytes, size_t count);

/* Reports a fault in the section that was read last. Returns false. */
PQTI_PRINTF(2, 3) bool pqti_section_fault(pqti_reader *reader, const char *format, ...);

/* Reports the failure of a call that used values from the section. Reports it as a fault in the
   section, unless the machine is the cause, for example when out of memory. Returns false. */
bool pqti_section_fault_of(pqti_reader *reader, const pqt_error *failure);

/* Reads the DONE section and compares its fingerprint with `fingerprint`. Returns false and sets
   the error on failure. */
bool pqti_read_done(pqti_reader *reader, pqt_fingerprint fingerprint);

#endif
