/* SPDX-License-Identifier: MIT */
/*
 * option_structs.h: reads options structs of programs that were compiled with another release.
 *
 * Each public struct that begins with `size` can grow. A program sets `size` to the size that the
 * struct has in the headers it was compiled with:
 *
 * - A smaller struct, of an earlier release, is read up to its size. Later fields take their
 *   defaults. No struct is smaller than that of the first release.
 * - A larger struct, of a later release, is accepted if every byte beyond the library's own struct
 *   is zero, because then the program sets no field that the library ignores.
 *
 * A new field begins at or beyond the old sizeof, never in its padding.
 */
#ifndef PQTI_OPTION_STRUCTS_H
#define PQTI_OPTION_STRUCTS_H

#include <stdbool.h>
#include <stddef.h>

#include <pqt/error.h>

/* Larger sizes, in bytes, are rejected, because such a struct was probably not initialised. */
#define PQTI_OPTIONS_MAX_SIZE 4096

/* Describes a struct that begins with `size`. */
typedef struct pqti_options_layout {
    /* the name of the initialiser for messages, such as "PQT_TREE_DEFAULTS" */
    const char *start;
    const void *defaults; /* a struct of the library's own size that holds the defaults */
    size_t size;          /* the size of the struct in this release of the library */
    size_t first_size;    /* the size of the struct in the first release that had it */
} pqti_options_layout;

/* The layouts. Each is defined in the source file that reads the struct. */
extern const pqti_options_layout pqti_heap_options_layout;
extern const pqti_options_layout pqti_tree_options_layout;
extern const pqti_options_layout pqti_nearest_options_layout;
extern const pqti_options_layout pqti_merge_options_layout;
extern const pqti_options_layout pqti_map_options_layout;
extern const pqti_options_layout pqti_map_merge_options_layout;
extern const pqti_options_layout pqti_document_merge_options_layout;
extern const pqti_options_layout pqti_sweep_options_layout;
extern const pqti_options_layout pqti_region_sweep_options_layout;
extern const pqti_options_layout pqti_world_options_layout;
extern const pqti_options_layout pqti_step_options_layout;
extern const pqti_options_layout pqti_history_options_layout;
extern const pqti_options_layout pqti_history_kind_layout;
extern const pqti_options_layout pqti_table_options_layout;
extern const pqti_options_layout pqti_svg_options_layout;
extern const pqti_options_layout pqti_png_options_layout;

/* The size that a struct had in a release in which `field` was its last field. */
#define PQTI_SIZE_THROUGH(type, field)                                                             \
    ((offsetof(type, field) + sizeof(((type *)NULL)->field) + _Alignof(type) - 1) /                \
     _Alignof(type) * _Alignof(type))

/* Defines NAME_layout for the struct `type`, whose last field in the first release was `last`. */
#define PQTI_DEFINE_OPTIONS(name, type, last, begin)                                               \
    static const type name##_defaults = begin;                                                     \
    const pqti_options_layout name##_layout = {#begin, &name##_defaults, sizeof(type),             \
                                               PQTI_SIZE_THROUGH(type, last)}

/* Converts an options struct of another size: see pqti_options_read. */
const void *pqti_options_convert(const pqti_options_layout *layout, const void *given,
                                 void *converted, pqt_error *error);

/*
 * Returns the options to use: the defaults if `given` is NULL, or `given` itself if it has the
 * library's own size. Otherwise fills `converted`, which must have the library's own size, and
 * returns it. Returns NULL with PQT_ERROR_OPTION set if the size is invalid or a field is set that
 * the library does not know.
 */
static inline const void *
pqti_options_read(const pqti_options_layout *layout, const void *given, void *converted,
                  pqt_error *error)
{
    if (given == NULL)
        return layout->defaults;
    if (*(const size_t *)given == layout->size)
        return given;
    return pqti_options_convert(layout, given, converted, error);
}

/*
 * Does the same as pqti_options_read for a public function that cannot fail: if the options are
 * invalid, aborts with a message that names this function.
 */
const void *pqti_options_require(const char *function, const pqti_options_layout *layout,
                                 const void *given, void *converted);

/*
 * Copies the library's options to a caller's struct. The caller has set the size of its struct,
 * which does not change: no byte beyond it is written. Bytes beyond the library's own struct become
 * zero.
 */
void pqti_options_write(const char *function, const pqti_options_layout *layout,
                        const void *options, void *to);

#endif
