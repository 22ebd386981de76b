/* SPDX-License-Identifier: MIT */
/*
 * document_model.h: a plain model of documents, made of arrays of small numbers.
 *
 * The documents have seven parts: "shapes", a tree with unique ids; "colours" (numbers) and "names"
 * (byte strings), both keyed by the ids of "shapes"; "marks", a tree without unique ids;
 * "settings", a map of byte strings; "mask", a region; "balls", a world.
 */
#ifndef TEST_DOCUMENT_MODEL_H
#define TEST_DOCUMENT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <pqt/document.h>

enum {
    MODEL_IDS = 24,      /* the number of shape ids */
    MODEL_PLACES = 12,   /* the number of boxes that a shape may have */
    MODEL_VALUES = 9,    /* the number of values of attributes and settings */
    MODEL_SETTINGS = 10, /* the number of keys of settings */
    MODEL_MARKS = 10,    /* the number of mark ids */
    MODEL_BOXES = 4,     /* the number of boxes that a mark may have */
    MODEL_MASKS = 8,     /* the number of regions; each bit of an index is a disc */
    MODEL_BALLS = 5,     /* the number of worlds */
    MODEL_NONE = -1
};

typedef struct document_model {
    int shape[MODEL_IDS];  /* the index of the shape's box, or MODEL_NONE */
    int colour[MODEL_IDS]; /* the number of the value, or MODEL_NONE */
    int name[MODEL_IDS];
    unsigned mark[MODEL_MARKS]; /* bit b is set if there is a mark with this id and box b */
    int setting[MODEL_SETTINGS];
    int mask, balls; /* the indices of the region and of the world */
} document_model;

/* The memory of a model, and its regions and worlds, which edits replace as a whole. */
typedef struct document_stage {
    pqt_memory *memory;
    const void *masks[MODEL_MASKS];
    const void *balls[MODEL_BALLS];
} document_stage;

/* The kinds of the two parts. In a build without regions or worlds they are trees, which no edit
   replaces. */
#define MODEL_MASK_KIND (PQT_WITH_PIXELS ? PQT_KIND_REGION : PQT_KIND_TREE)
#define MODEL_BALLS_KIND (PQT_WITH_WORLDS ? PQT_KIND_WORLD : PQT_KIND_TREE)

/* Makes the regions and worlds. */
void document_stage_make(document_stage *stage, pqt_memory *memory);

/* Return the empty model, and the document that it describes. */
document_model document_model_make(void);
const pqt_document *document_of_model(const document_stage *stage, const document_model *model,
                                      pqt_error *error);

bool equal_document_models(const document_model *a, const document_model *b);

/* Returns a description of the first difference between a document and a model, or NULL if there is
 * none. */
const char *document_differs(const document_stage *stage, const pqt_document *document,
                             const document_model *model);

/* A rule that resolves conflicts. The result depends on the seed and on the kind, part and key of
 * the conflict. */
typedef struct document_rule {
    const document_stage *stage;
    uint64_t seed;
    size_t conflicts; /* the number of conflicts that it has resolved */
} document_rule;

pqt_document_resolution resolve_document(const pqt_document_conflict *conflict,
                                         pqt_document_answer *answer, void *rule);

/* Merges models by the rules of pqt_document_merge, and counts the conflicts. */
document_model document_model_merge(document_rule *rule, const document_model *base,
                                    const document_model *ours, const document_model *theirs);

/* Applies a random edit to a model, and the same edit to the document that it describes. */
const pqt_document *edit_document(const document_stage *stage, const pqt_document *document,
                                  document_model *model, uint64_t random, pqt_error *error);

/* Returns the number of changes in a difference. */
size_t count_document_changes(const document_model *before, const document_model *after);

pqt_box shape_box(int place);
pqt_map_value name_value(int value);

#endif
