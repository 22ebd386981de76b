/* SPDX-License-Identifier: MIT */
/*
 * golden.h: the contents of the golden files, which test/golden/README.md lists.
 *
 *     golden_versions.c   describes the versions in .pqt files
 *     golden_sequences.c  describes sequences of versions, and the histories that are made of them
 *     golden_listing.c    lists contents as text
 *     golden_lines.c      makes and reads the rows of lines
 *
 * golden_maker.c writes the files, and test_golden.c compares them. These sources call the public
 * functions of the library only, so that golden_maker.c can be linked with an earlier library, too;
 * except for golden_lines.c, because only a server gives rows to a program.
 */
#ifndef TEST_GOLDEN_H
#define TEST_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pqt/all.h>

/* The default options of trees when the files were made. */
#define GOLDEN_TREE_DEFAULTS                                                                       \
    {                                                                                              \
        sizeof(pqt_tree_options), 24, 24, false, false, false, NULL                                \
    }

/* A version in a file NAME.pqt, whose contents NAME.txt lists. */
typedef struct golden_version {
    const char *name;
    pqt_kind kind;
    const void *(*make)(pqt_memory *memory, pqt_error *error);
} golden_version;

extern const golden_version golden_versions[];
extern const size_t golden_version_count;

/* Makes an empty map. Returns NULL and sets `error` on failure. */
const pqt_map *golden_map_make(pqt_map_keys keys, pqt_map_values values, pqt_memory *memory,
                               pqt_error *error);

/* The images (golden_images.c). */
const void *golden_image_blank(pqt_memory *memory, pqt_error *error);
const void *golden_image_colour(pqt_memory *memory, pqt_error *error);
const void *golden_image_shapes(pqt_memory *memory, pqt_error *error);
const void *golden_image_palettes(pqt_memory *memory, pqt_error *error);
const void *golden_image_sections(pqt_memory *memory, pqt_error *error);
const void *golden_image_first(pqt_memory *memory, pqt_error *error);
const void *golden_image_next(const void *version, unsigned number, pqt_error *error);

/* ---- Sequences of versions: in histories, and in lines ---- */

enum { GOLDEN_LENGTH = 8 };

typedef struct golden_sequence {
    const char *name;
    pqt_kind kind;
    const void *(*first)(pqt_memory *memory, pqt_error *error);
    const void *(*next)(const void *version, unsigned number, pqt_error *error);
    bool has_history, has_line; /* the sequence is in history-NAME.pqts, in line-NAME.rows */
    bool has_version_1;         /* and in version-1-history-NAME.pqts */
} golden_sequence;

extern const golden_sequence golden_sequences[];
extern const size_t golden_sequence_count;

/* Sets `versions` to all versions of a sequence. Returns false and sets `error` on failure. */
bool golden_sequence_make(const golden_sequence *sequence, pqt_memory *memory,
                          const void *versions[GOLDEN_LENGTH], pqt_error *error);

/* Saves a history in an empty store. Its entries have the versions of a sequence, and everything
   else that entries can have. */
bool golden_history_make(const golden_sequence *sequence, pqt_store *store, pqt_memory *memory,
                         pqt_error *error);

/* A store NAME.pqts that holds something other than the history of a sequence. */
typedef struct golden_store {
    const char *name;
    bool (*make)(pqt_store *store, pqt_memory *memory, pqt_error *error);
    bool has_history; /* it holds a history, which is in NAME.pqt, too */
} golden_store;

extern const golden_store golden_stores[];
extern const size_t golden_store_count;

/* The options with which all golden stores are written. */
pqt_store_options golden_store_options(void);

/* ---- Listings ---- */

/* Lists a version: kind, options, fingerprint, and what is in it, but only every k-th item, body,
   entry or run of pixels if there are many. */
void golden_list_version(FILE *out, pqt_kind kind, const void *version);

/* Lists the entries of a history. Returns false if a version cannot be loaded from its store. */
bool golden_list_history(FILE *out, const pqt_history *history);

/* Lists what an open store holds. Returns false and sets `error` on failure. */
bool golden_list_store(FILE *out, pqt_store *store, pqt_memory *memory, pqt_error *error);

/* Lists the items and the columns of a table. */
void golden_list_table(FILE *out, const pqt_table *table);

/* ---- Rows of lines ---- */

/* The columns of a row in a file, in order. */
#define GOLDEN_COLUMNS                                                                             \
    "number, parent_hash, hash, fingerprint, label, author, encoding, change, whole_hash, whole"

/* The label of a version of a line, and the author of all. */
const char *golden_label(unsigned number);
#define GOLDEN_AUTHOR "Zo\xc3\xab"

/* Writes the rows of the line with the versions of a sequence, as the command COPY of PostgreSQL
   writes them as text. Returns false and sets `error` on failure. */
bool golden_line_write(FILE *out, const golden_sequence *sequence, pqt_memory *memory,
                       pqt_error *error);

/* Returns the text of a file with such rows, until the next call. Returns NULL if it cannot be
   read. */
char *golden_rows_read(const char *path);

/* Reads such rows, checks each hash, and makes the version of each row from its keyframe and from
   its change. Lists each version. Returns NULL, or what is wrong. */
const char *golden_line_list(FILE *out, const char *rows, pqt_kind kind, pqt_memory *memory);

#endif
