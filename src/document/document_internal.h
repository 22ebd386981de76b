/* SPDX-License-Identifier: MIT */
/*
 * document_internal.h: the block of a version of a document, and its schema.
 *
 *     pqt_document --> schema: kinds, keys and names of the parts      shared by versions
 *                 \--> parts[0] .. parts[count - 1]                     in the order of names
 *
 * Sources of this folder without a header of their own: document.c, document_size.c,
 * document_check.c, document_compat.c, document_copy.c, document_diff.c, document_kind.c,
 * document_merge.c, document_set.c.
 */
#ifndef PQTI_DOCUMENT_INTERNAL_H
#define PQTI_DOCUMENT_INTERNAL_H

#include <pqt/document.h>

#include "base/error_internal.h"
#include "memory/kind_calls.h"

/* The value of `keyed_by` for a map that is not keyed by a tree. */
enum { PQTI_NOT_KEYED = 255 };

typedef struct pqti_schema_part {
    uint8_t kind;     /* a pqt_kind */
    uint8_t keyed_by; /* the index of the tree that keys this map, or PQTI_NOT_KEYED */
    uint16_t name;    /* the offset in `names` at which the name begins */
} pqti_schema_part;

/* A schema is a leaf in the document's memory. Two schemas are equal if all their bytes are
   equal. */
typedef struct pqti_schema {
    uint32_t size; /* the size of the struct and the names, in bytes */
    uint32_t count;
    pqti_schema_part parts[PQT_MAX_PARTS]; /* in the order of their names; unused elements are 0 */
    char names[];                          /* each name ends with a zero byte */
} pqti_schema;

/* The last word of the block is unused; see memory_internal.h. */
struct pqt_document {
    pqti_version version; /* its `own` is 0 */
    pqt_memory *memory;
    const pqti_schema *schema;
    const void *parts[];
};

/* Aborts the program if the document was reclaimed. `function` is the public function that received
   the document. */
static inline void
pqti_assert_document_alive(const char *function, const pqt_document *document)
{
    pqti_assert_version(function, PQT_KIND_DOCUMENT, document);
}

extern const struct pqti_kind_calls pqti_document_calls; /* see kind_calls.h */

/* Checks the document that a public function received. */
#define PQTI_ASSERT_DOCUMENT(document)                                                             \
    (PQT_ASSERT((document) != NULL, "the document is NULL"),                                       \
     pqti_assert_document_alive(__func__, document))

/* Returns true if a part may be of this kind: of any kind but the document. */
static inline bool
pqti_is_part_kind(pqt_kind kind)
{
    return pqti_is_kind(kind) && kind != PQT_KIND_DOCUMENT;
}

/* The maximum size of a schema, in bytes. */
#define PQTI_MAX_SCHEMA (sizeof(pqti_schema) + PQT_MAX_PARTS * (PQT_MAX_PART_NAME + 1))

static inline pqt_kind
pqti_part_kind_at(const pqt_document *document, size_t index)
{
    return (pqt_kind)document->schema->parts[index].kind;
}

static inline const char *
pqti_part_name_at(const pqt_document *document, size_t index)
{
    return document->schema->names + document->schema->parts[index].name;
}

/* Return true if a part is a tree or a map: these are merged item by item and key by key. */
static inline bool
pqti_is_tree(const pqt_document *document, size_t index)
{
    return pqti_part_kind_at(document, index) == PQT_KIND_TREE;
}

static inline bool
pqti_is_map(const pqt_document *document, size_t index)
{
    return pqti_part_kind_at(document, index) == PQT_KIND_MAP;
}

/* Returns true if the part is a map that is keyed by the tree at index `tree`. */
static inline bool
pqti_is_keyed_by(const pqt_document *document, size_t index, size_t tree)
{
    return pqti_is_map(document, index) && document->schema->parts[index].keyed_by == tree;
}

/* Returns true if some map is keyed by the tree at index `tree`. */
bool pqti_has_keyed_maps(const pqt_document *document, size_t tree);

bool pqti_equal_schemas(const pqti_schema *a, const pqti_schema *b);

/* Makes a version from these parts. Returns NULL and sets `error` on failure. */
const pqt_document *pqti_document_of(pqt_memory *memory, const pqti_schema *schema,
                                     const void *const *parts, pqt_error *error);

/* Returns the version with these parts, which is `document` itself if they are its own parts. */
const pqt_document *pqti_document_next(const pqt_document *document, const void *const *parts,
                                       pqt_error *error);

/* Returns true if a call that received `document` may continue: `document` is not NULL, and no
   earlier call has failed. If `document` is NULL without an earlier failure, the caller of
   `function` has made a mistake. */
bool pqti_document_check_input_in(const char *function, const pqt_document *document,
                                  pqt_error *error);
#define pqti_document_check_input(document, error)                                                 \
    pqti_document_check_input_in(__func__, document, error)

/* Checks that each key of a map is the id of an item. Otherwise sets PQT_ERROR_MISMATCH. */
bool pqti_check_map_keys(const char *name, const pqt_tree *tree, const pqt_map *map,
                         pqt_error *error);

/* Checks that each key that is in `after` but not in `before` is the id of an item. Otherwise sets
   PQT_ERROR_MISMATCH. */
bool pqti_check_new_map_keys(const char *name, const pqt_tree *tree, const pqt_map *before,
                             const pqt_map *after, pqt_error *error);

/* Returns true if a map can be keyed by a tree. Otherwise sets PQT_ERROR_MISMATCH. */
bool pqti_check_keyed(const char *name, const pqt_tree *tree, const pqt_map *map, pqt_error *error);

/* Checks that two maps have keys of the same kind and values of the same kind. Otherwise sets
   PQT_ERROR_MISMATCH. */
bool pqti_check_map_kinds(const char *name, const pqt_map *a, const pqt_map *b, pqt_error *error);

/* Checks that two documents have the same schema. Otherwise sets PQT_ERROR_MISMATCH. */
bool pqti_check_schemas(const pqt_document *a, const pqt_document *b, pqt_error *error);

/* Sets `error` to the error of a part, with the name of the part before the text. */
void pqti_part_failed(pqt_error *error, const char *part, const pqt_error *failure);

#endif
