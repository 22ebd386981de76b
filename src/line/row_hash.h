/* SPDX-License-Identifier: MIT */
/* row_hash.h: the row that represents a version of a line in the database, and its hash. */
#ifndef PQTI_ROW_HASH_H
#define PQTI_ROW_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <pqt/bytes.h>
#include <pqt/line.h>

/* A byte string in a row. */
typedef struct pqti_row_bytes {
    const uint8_t *bytes; /* NULL: the column is null */
    size_t length;
} pqti_row_bytes;

/* A row. Its byte strings belong to a query result, or to the push that makes the row. */
typedef struct pqti_line_row {
    uint64_t number;
    unsigned encoding;            /* the pqti_encoding of the change */
    const uint8_t *parent_hash;   /* PQT_LINE_HASH bytes */
    const uint8_t *hash;          /* PQT_LINE_HASH bytes */
    const uint8_t *fingerprint;   /* PQTI_FINGERPRINT_SIZE bytes */
    pqti_row_bytes label, author; /* UTF-8 strings */
    pqti_row_bytes change;        /* null if the encoding is PQTI_NO_CHANGE */
    const uint8_t *whole_hash;    /* the hash of the keyframe; NULL: there is none */
} pqti_line_row;

enum { PQTI_FINGERPRINT_SIZE = 16 };

/* Converts the bytes of a fingerprint. */
pqt_fingerprint pqti_row_fingerprint(const uint8_t *bytes);

/* Hashes the bytes of a keyframe. */
void pqti_hash_bytes(const void *bytes, size_t length, uint8_t hash[PQT_LINE_HASH]);

/* Hashes a row. Its own hash is not part of the input. */
void pqti_hash_row(pqt_kind kind, const pqti_line_row *row, uint8_t hash[PQT_LINE_HASH]);

#endif
