/* SPDX-License-Identifier: MIT */
/*
 * builder.h: the independent builder, which predicts every node of a version from its items alone.
 *
 * It implements the contract of docs/design.md a second time, slowly and explicitly. The path of an
 * item is an array of digits. The items of a place are those of its parent with a certain digit.
 * Only the item hash is shared with src/tree.
 *
 * Three kinds of place contain items:
 *
 *     SPACE d    a cell of the bounds, halved d times; above capacity: own items and four quadrants
 *     CENTRE d   own items, divided by digit d of the items' centres; four quadrants
 *     MIX m      own items, divided by two bits of the items' hashes; four quadrants
 */
#ifndef TEST_BUILDER_H
#define TEST_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pqt/item.h>
#include <pqt/tree.h>

#define BUILT_DIGITS 32

/* An item and its paths, which have one digit, 0..3, for each possible division. */
typedef struct built_item {
    pqt_item item;
    bool outlier;                     /* its centre is outside the bounds */
    int level;                        /* the length of its path */
    unsigned char path[BUILT_DIGITS]; /* the digits of its centre, on the grid of the bounds */
    /* the digits of its centre, on the grid of the cell that owns it */
    unsigned char centre[BUILT_DIGITS];
    unsigned char mix[BUILT_DIGITS]; /* the digits of its hash, the highest bits first */
    pqt_fingerprint fingerprint;     /* its low half is the item hash */
} built_item;

typedef enum built_kind { BUILT_SPACE, BUILT_CENTRE, BUILT_MIX } built_kind;

/* The position of a node in the tree, which determines how it divides its items. */
typedef struct built_spot {
    built_kind kind;
    int depth; /* the depth of the cell, or the index of the digit or of the two bits: see above */
    bool in_root_own_items; /* below the root's own items, which have their own grid */
} built_spot;

/* A subtree with at least one item. */
typedef struct built_place {
    built_spot spot;
    bool leaf;
    bool deep; /* a compressed edge leads to it */
    size_t count;
    const built_item **items;       /* in tree order */
    pqt_fingerprint fingerprint;    /* the sum of the fingerprints of the items, word by word */
    struct built_place *own_items;  /* the own items of an inner SPACE place, or NULL */
    struct built_place *quarter[4]; /* the quadrants of an inner place, or NULL */
    /* The columns that the quadrants cover. For an empty quadrant, the minimum is all ones and the
       maximum is 0. */
    uint32_t min_x[4], min_y[4], max_x[4], max_y[4];
    /* In an inner MIX place: the least min.x, min.y, max.x and max.y of its items, then the
       greatest. */
    double sides[8];
} built_place;

/* A predicted tree. */
typedef struct built_tree {
    pqt_box bounds;
    size_t capacity;
    int depth;
    size_t count;
    built_item *items;        /* in the order in which they were given */
    const built_item **order; /* in tree order */
    built_place *root;        /* NULL if there are no items */
    pqt_fingerprint fingerprint;
} built_tree;

/* The number of nodes and leaves of a tree, and its depth. */
typedef struct built_size {
    size_t nodes, leaves, depth;
} built_size;

/*
 * Predicts the tree of a set of items. They must be different from each other, finite, and without
 * -0.0. Free the result with built_free.
 */
built_tree *built_make(const pqt_item *items, size_t count, pqt_box bounds, size_t capacity,
                       int depth);
void built_free(built_tree *tree);

/* Computes the path of one item. */
built_item built_item_of(pqt_item item, pqt_box bounds, int depth);

/* Compares two items in tree order. Returns a number less than, equal to, or greater than 0. */
int built_compare(const built_item *a, const built_item *b, int depth);

built_size built_measure(const built_tree *tree);

/* Return the grid coordinate of a value between two bounds. The second function is for the root's
 * own items. */
uint32_t built_column(double value, double low, double high);
uint32_t built_outlier_column(double value, double low, double high);

#endif
