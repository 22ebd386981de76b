/* SPDX-License-Identifier: MIT */
/*
 * results.h: sections of results that no compiler, processor or later commit may change.
 *
 * Each section prints what the library computes from numbers that are drawn. fingerprints.c prints
 * all of them, to compare builds; test_results.c compares them with expected.txt.
 */
#ifndef TEST_RESULTS_H
#define TEST_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pqt.h>
#include <pqt/pixels.h>

#include "random.h"

/* The output and the means of a section. */
typedef struct printer {
    FILE *out;
    dice source;        /* has the same seed in each section */
    pqt_memory *memory; /* an arena of the section */
} printer;

typedef struct result_section {
    const char *name;
    void (*print)(printer *p);
} result_section;

extern const result_section result_sections[];
extern const size_t result_section_count;

/* Prints a section, with its name as a heading. Ends the program if a call fails. */
void results_print(const result_section *section, FILE *out);

void print_trees(printer *p);      /* print_versions.c */
void print_maps(printer *p);       /* print_versions.c */
void print_document(printer *p);   /* print_versions.c */
void print_sphere(printer *p);     /* print_versions.c */
void print_worlds(printer *p);     /* print_worlds.c */
void print_scenes(printer *p);     /* print_worlds.c */
void print_convexes(printer *p);   /* print_shapes.c */
void print_sweeps(printer *p);     /* print_shapes.c */
void print_image(printer *p);      /* print_pixels.c */
void print_region(printer *p);     /* print_pixels.c */
void print_collisions(printer *p); /* print_pixels.c */

/* Returns a number between two others. */
double draw(printer *p, double low, double high);

/* Returns discs and lines of pixels in a square that begins at (0, 0). */
const pqt_region *draw_obstacle(printer *p, int discs, double side, pqt_error *error);

/* Prints the fingerprint of a tree, the order of its items, and its bytes. */
void print_tree(printer *p, const char *what, const pqt_tree *tree, pqt_error *error);

/* Ends the program with a message unless a call succeeded. */
void must(bool succeeded, const char *what, const pqt_error *error);

/* A hash (FNV-1a) of bytes, and the number of bytes. */
typedef struct byte_hash {
    uint64_t hash, length;
} byte_hash;

#define NO_BYTES                                                                                   \
    {                                                                                              \
        UINT64_C(0xcbf29ce484222325), 0                                                            \
    }

/* A pqt_write_fn: adds bytes to the byte_hash in `context`. */
bool hash_bytes(const void *bytes, size_t count, void *context);

/* Adds the bits of a number, the lowest byte first. The bits of NaN are not compared. */
void hash_number(double number, byte_hash *sum);
void hash_vec(pqt_vec v, byte_hash *sum);
void hash_integer(uint64_t number, byte_hash *sum);

void print_bytes(printer *p, bool written, const byte_hash *sum, const pqt_error *error);
void print_hash(printer *p, const char *what, const byte_hash *sum);
void print_fingerprint(printer *p, const char *what, pqt_fingerprint fingerprint);

#endif
