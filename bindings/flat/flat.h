/* SPDX-License-Identifier: MIT */
/*
 * flat.h: functions that turn numbers and arrays into the types of the library, for the calls in
 * calls.txt that are more than one call of the library.
 *
 * They are called with versions that are not NULL. Each reads its arrays before it writes results,
 * because in pqt.wasm both have the same address.
 */
#ifndef PQT_FLAT_H
#define PQT_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pqt/all.h>

/* A primitive as seven doubles: a pqt_paint_op, a pqt_paint_shape, the path or the box, and the
   radius. */
typedef struct flat_primitive {
    double op, shape;
    double from_x, from_y, to_x, to_y, radius;
} flat_primitive;

/* The kinds of shapes that move, with the same numbers as in the packages. */
enum { FLAT_BOX = 1, FLAT_CIRCLE, FLAT_CONVEX };

/* Appends bytes to the results of a call. Each package defines it. It is a pqt_write_fn. */
bool flat_append(const void *bytes, size_t count, void *out);

/* Records a failure, unless one is recorded already, or `error` is NULL. */
void flat_fail(pqt_error *error, pqt_status status, size_t index, const char *text);

/* Sets a query; fails if the window contains NaN or is inverted, or is not one on the sphere, and
   then records `index`. The relation has a bit of 8 on the sphere. */
bool flat_query(pqt_box window, int relation, size_t index, pqt_query *query, pqt_error *error);

/* Sets a mover from the four numbers of its path and those of its shape: four sides of a box, a
   radius, or `points` points of a convex shape. */
bool flat_mover(int kind, const double *numbers, size_t points, pqt_convex *convex,
                pqt_mover *mover, pqt_error *error);

/* Returns the paint for a primitive. */
pqt_paint flat_paint(flat_primitive primitive);

/* Returns a colour for its bytes as one number; the red one is the lowest. */
static inline pqt_rgba
flat_rgba(uint32_t number)
{
    return (pqt_rgba){(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                      (uint8_t)(number >> 24)};
}

/* ---- Words and byte strings ----
 *
 * An argument or a result with byte strings is an array of 64-bit words with the bytes after it.
 * The word for a byte string is the offset of its end in these bytes. It begins at the end of the
 * one before. A result has the number of words before the words.
 */

/* Words and byte strings that are read. */
typedef struct flat_reader {
    const char *words, *bytes;
    size_t end; /* of the last byte string that was read */
} flat_reader;

/* Begins to read `count` words, which need not be aligned. */
flat_reader flat_read(const char *words, size_t count);
uint64_t flat_take_word(flat_reader *from);
const char *flat_take_string(flat_reader *from, size_t *size);

/* Bytes in memory that grows. */
typedef struct flat_bytes {
    char *data;
    size_t size, capacity;
} flat_bytes;

/* Words and byte strings that become results. */
typedef struct flat_writer {
    flat_bytes words, bytes;
    void *out;
    pqt_error *error;
} flat_writer;

bool flat_add_word(flat_writer *to, uint64_t word);
bool flat_add_words(flat_writer *to, const void *words, size_t bytes);
bool flat_add_string(flat_writer *to, const void *bytes, size_t size);

/* Appends the results if `done`, and frees them. Returns whether it appended them. */
bool flat_end(flat_writer *to, bool done);

/* Bytes that are not read yet. */
typedef struct flat_source {
    const char *bytes;
    size_t count;
} flat_source;

/* A pqt_read_fn whose context is a source. */
bool flat_read_source(void *bytes, size_t capacity, size_t *count, void *context);

/* ---- Answers to conflicts ----
 *
 * A merge calls no function of a package, because that could itself call the library. It lists the
 * conflicts, each with a hash of its subject, and resolves those without an answer alike. The
 * package then merges again with an answer to each of them. This repeats until every conflict has
 * an answer. An answer is four words: the hash, a resolution, a number, and a byte string.
 */
typedef struct flat_answers {
    const char *answers;
    size_t count, next;
    int otherwise; /* the resolution of conflicts without an answer; 0: they are an error */
} flat_answers;

/* An answer. It has a value, that is a number or a byte string, for some resolutions. */
typedef struct flat_decision {
    int resolution;
    uint64_t number;
    const char *bytes;
    size_t size;
} flat_decision;

/* Returns the answer to the next conflict, which has this hash. */
flat_decision flat_decide(flat_answers *all, uint64_t hash);

/* Returns a hash of bytes, for another hash as a seed. */
uint64_t flat_hash(uint64_t seed, const void *bytes, size_t count);

/* ---- Trees ---- */

/* The operations of flat_tree_combine, and the flags of flat_tree_describe. The packages use the
   same numbers. */
enum { FLAT_MERGE = 1, FLAT_UNION, FLAT_INTERSECTION, FLAT_DIFFERENCE };
enum { FLAT_UNIQUE_IDS = 1, FLAT_STRICT_BOUNDS = 2 };

/* Combines two trees. Only a merge reads `base`. `resolution`, a pqt_resolution, applies to all
   conflicts; 0: a conflict is an error. */
const pqt_tree *flat_tree_combine(int operation, const pqt_tree *base, const pqt_tree *ours,
                                  const pqt_tree *theirs, int resolution, pqt_error *error);

/* Makes an empty tree. */
const pqt_tree *flat_tree_make(pqt_box bounds, int capacity, int depth, int flags,
                               pqt_memory *memory, pqt_error *error);

/* Returns the options of a tree. */
pqt_tree_options flat_tree_options(int capacity, int depth, int flags, pqt_memory *memory);

/* Writes seven doubles: the bounds, the capacity, the depth and the flags. */
void flat_tree_describe(const pqt_tree *tree, double *found);

/* Returns whether the tree has unique ids; otherwise fails and records `index`. */
bool flat_has_unique_ids(const pqt_tree *tree, size_t index, pqt_error *error);

/* Make a change, or changes of any kinds. A draft makes all of them or none. No other thread may
   write to the array. */
const pqt_tree *flat_tree_edit(const pqt_tree *tree, const pqt_change *change, pqt_error *error);
const pqt_tree *flat_tree_apply(const pqt_tree *tree, const pqt_change *changes, size_t count,
                                pqt_error *error);
bool flat_draft_edit(pqt_draft *draft, const pqt_change *change, pqt_error *error);
bool flat_draft_apply(pqt_draft *draft, const pqt_change *changes, size_t count, pqt_error *error);

/* Appends the next items that a cursor finds, at most `most`, and the cursor. It begins with the
   first item, or after the page whose cursor is given, if there are more. */
bool flat_tree_page(const pqt_tree *tree, const pqt_query *query, size_t most, bool more,
                    const char *cursor, void *out, pqt_error *error);

bool flat_tree_any(const pqt_tree *tree, const pqt_query *query);
bool flat_tree_contains(const pqt_tree *tree, pqt_box box, uint64_t id);

/* Returns 1 and the item with an id; 0 if there is none; -1 if ids are not unique. */
int flat_tree_find(const pqt_tree *tree, uint64_t id, pqt_item *found, pqt_error *error);

/* Appends a change, 80 bytes: the kind, the item and the new box. */
bool flat_append_change(const pqt_change *change, void *out);

/* Appends the changes between two versions. */
bool flat_tree_diff(const pqt_tree *before, const pqt_tree *after, void *out, pqt_error *error);

/* Appends at most `most` boxes that cover the changes. */
bool flat_tree_damage(const pqt_tree *before, const pqt_tree *after, size_t most, void *out,
                      pqt_error *error);

/* Appends the pairs that began or ended, 88 bytes each: both items, a byte that is 1 if the
   pair began, and seven zeros. */
bool flat_tree_pair_changes(const pqt_tree *before, const pqt_tree *after, pqt_relation relation,
                            void *out, pqt_error *error);

/* Appends the pairs of a tree, or those between it and another tree, which is moved by an offset:
   two items each, or two ids. */
bool flat_tree_pairs(const pqt_tree *tree, const pqt_tree *other, bool between,
                     pqt_relation relation, pqt_vec offset, bool ids, void *out, pqt_error *error);

/* Appends the first hits of a line, front to back, at most `most`. The line is a segment, or a ray
   with its direction. */
bool flat_tree_cast(const pqt_tree *tree, bool is_ray, pqt_vec from, pqt_vec to, size_t most,
                    void *out, pqt_error *error);

/* Slides a mover, or sweeps it without bounces. Writes the item and ten doubles for the first sweep
   (status, time, stop, blocked axes, normal, exit, free position) and the last one, and four
   doubles: the stop, the bounces and the blocked axes. */
bool flat_tree_slide(const pqt_tree *tree, int kind, const double *numbers, size_t points,
                     int bounces, bool ignore_overlap, double *found, pqt_error *error);

/* Sweeps two movers against each other. `numbers` has those of the first mover, four for its path
   and four for its shape or two for each of its points, and then those of the second. Writes twelve
   doubles: the status, the time, both stops, the blocked axes, the normal, the exit and the free
   position. */
bool flat_sweep_pair(int kind_a, int kind_b, const double *numbers, size_t points_a,
                     size_t points_b, bool ignore_overlap, double *found, pqt_error *error);

/* Returns the distance in metres to a box on the sphere; NaN if there is none. */
double flat_sphere_distance(pqt_vec point, double west, double south, double east, double north);

/* ---- Synchronisation; see flat_sync.c ---- */

/* The bytes of the text of a path, with zeros at the end. */
enum { FLAT_PATH = 71 };

/* The digest of a cell in the other tree. */
typedef struct flat_answer {
    char path[FLAT_PATH + 1];
    pqt_sync_digest digest;
} flat_answer;

/* A cell that differs, or a question: a cell whose digest in the other tree is missing. */
typedef struct flat_cell {
    char path[FLAT_PATH];
    bool is_question;
    pqt_box box;
    pqt_sync_digest own, other;
} flat_cell;

/* Write the digest of a cell, three 64-bit integers, and append its items, 40 bytes each. */
bool flat_tree_digest(const pqt_tree *tree, const char *path, size_t size, uint64_t *found,
                      pqt_error *error);
bool flat_tree_items_at(const pqt_tree *tree, const char *path, size_t size, void *out,
                        pqt_error *error);

/* Appends the cells that differ; or questions, after cells that do not count. The answers are in
   the order of their paths. */
bool flat_tree_sync_cells(const pqt_tree *tree, const flat_answer *answers, size_t count, void *out,
                          pqt_error *error);

/* Appends changes, as flat_tree_diff does, with one of kind 0 before those of each cell. The
   answers are followed by the items of these cells in the other tree. */
bool flat_tree_sync_changes(const pqt_tree *tree, const char *answers, size_t count, size_t items,
                            void *out, pqt_error *error);

/* ---- Regions ---- */

const pqt_region *flat_region_of_bytes(const uint8_t *data, size_t width, size_t height,
                                       size_t stride, size_t pixel_stride, int threshold,
                                       pqt_pixel at, pqt_memory *memory, pqt_error *error);
const pqt_region *flat_region_paint(const pqt_region *region, const flat_primitive *primitives,
                                    size_t count, pqt_error *error);

/* Scales the pixels of the first box to the second one. */
const pqt_region *flat_region_resize(const pqt_region *region, const pqt_pixel_box *boxes,
                                     pqt_sampling sampling, pqt_error *error);

/* Applies the map that six doubles are. */
const pqt_region *flat_region_map(const pqt_region *region, const pqt_affine *map,
                                  pqt_sampling sampling, pqt_error *error);

/* The same for an image. */
const pqt_image *flat_image_map(const pqt_image *image, const pqt_affine *map, size_t width,
                                size_t height, pqt_sampling sampling, pqt_error *error);

/* Writes seven doubles: the centroid, the second central moments xx, xy and yy, and the axis. */
void flat_region_moments(const pqt_region *region, double *found);

/* Write a number for each pixel of a window, row by row. */
bool flat_region_distances(const pqt_region *region, pqt_pixel_box window,
                           pqt_distance_target target, uint32_t *squares, pqt_error *error);
bool flat_region_to_bytes(const pqt_region *region, pqt_pixel_box window, int value, uint8_t *bytes,
                          pqt_error *error);
bool flat_region_convolve(const pqt_region *a, const pqt_region *b, pqt_pixel_box offsets,
                          uint32_t *counts, pqt_error *error);

/* Appends the squares that contain pixels, 32 bytes each: the box, and the kind and the number of
   pixels as 64-bit integers. */
bool flat_region_squares(const pqt_region *region, void *out);

/* Appends the boxes of each component of at least `minimum` pixels, and an empty box after them. */
bool flat_region_components(const pqt_region *region, pqt_connectivity connectivity, double minimum,
                            void *out, pqt_error *error);

/* Append boxes, four 32-bit integers each; runs, three each; and contours: the number of corners
   and that of the outer contour, and the corners. */
bool flat_region_boxes(const pqt_region *region, pqt_pixel_box window, void *out);
bool flat_region_runs(const pqt_region *region, pqt_pixel_box window, void *out);
bool flat_region_contours(const pqt_region *region, pqt_connectivity connectivity, double tolerance,
                          void *out, pqt_error *error);

/* Appends boxes that cover the changes; at most `most`, unless it is 0. */
bool flat_region_damage(const pqt_region *before, const pqt_region *after, size_t most, void *out,
                        pqt_error *error);

double flat_region_overlap_area(const pqt_region *a, const pqt_region *b, pqt_vec at);

/* Returns whether cells of these sides overlap; -1 if the sides are refused. */
int flat_region_overlaps(const pqt_region *a, const pqt_region *b, pqt_vec at, int side_a,
                         int side_b, bool inner, pqt_error *error);

/* Appends the rectangles of pairs of pixels, six 32-bit integers each. */
bool flat_region_overlap_pairs(const pqt_region *a, const pqt_region *b, pqt_vec at, void *out);

/* Writes six doubles: whether the line starts inside, the pixel, the entry, and the normal. */
bool flat_region_cast(const pqt_region *region, bool is_ray, pqt_vec from, pqt_vec to,
                      double *found);

/* Slide a region along another one at rest, or a shape, and write 19 doubles: the status, the stop,
   the blocked axes and the bounces of the slide; then the last sweep: the status, the time, the
   stop, the blocked axes, the normal, the exit, the push and the two pixels that met. `numbers` has
   the path, and for a region the sides of its cells and those of the other's. */
bool flat_region_slide(const pqt_region *mover, const pqt_region *other, const double *numbers,
                       bool inner, int bounces, bool ignore_overlap, double *found,
                       pqt_error *error);
bool flat_region_slide_shape(const pqt_region *region, int kind, const double *numbers,
                             size_t points, int bounces, bool ignore_overlap, double *found,
                             pqt_error *error);

/* ---- Images ---- */

const pqt_image *flat_image_paint(const pqt_image *image, const flat_primitive *primitives,
                                  size_t count, pqt_rgba colour, pqt_ink_mode mode,
                                  pqt_error *error);

/* Returns the pixels with a property. The limit is the threshold or the tolerance. */
const pqt_region *flat_image_select(const pqt_image *image, pqt_image_property property, int limit,
                                    pqt_rgba colour, pqt_error *error);

/* Merges with decisions, a pqt_image_resolution each, at least one. The last one applies to all
   conflicts that follow. Appends the boxes of the conflicts, two words each. */
const pqt_image *flat_image_merge(const pqt_image *base, const pqt_image *ours,
                                  const pqt_image *theirs, const uint8_t *decisions, size_t count,
                                  void *out, pqt_error *error);

/* Appends boxes that cover the changes between two versions. */
bool flat_image_damage(const pqt_image *before, const pqt_image *after, void *out,
                       pqt_error *error);

/* ---- Maps ----
 *
 * A key or a value is a word: an id, a number, or a byte string. A value that may be absent is
 * preceded by a word of 1, or of 0 if it is absent.
 */

/* The kinds of keys and of values. The packages use the same numbers. */
enum { FLAT_BYTE_KEYS = 1, FLAT_BYTE_VALUES };

const pqt_map *flat_map_make(bool byte_keys, bool byte_values, pqt_memory *memory,
                             pqt_error *error);
int flat_map_kinds(const pqt_map *map);

/* Apply changes, three words each: a key, and its value, which is absent if the key is removed. */
const pqt_map *flat_map_apply(const pqt_map *map, const char *changes, size_t count,
                              pqt_error *error);
bool flat_map_draft_apply(pqt_map_draft *draft, const char *changes, size_t count,
                          pqt_error *error);

/* Reads a key, and returns 1 and appends its value, as 8 bytes or as a byte string. Returns 0 if it
   has none, -1 on failure. */
int flat_map_find(const pqt_map *map, const char *key, void *out, pqt_error *error);

/* Appends the entries, in the form of changes. */
bool flat_map_entries(const pqt_map *map, void *out, pqt_error *error);

/* Appends the keys whose values differ, five words each: the key and the values before and after.
   */
bool flat_map_diff(const pqt_map *before, const pqt_map *after, void *out, pqt_error *error);

/* Merges with answers, whose values are used for PQT_MAP_KEEP_VALUE. Appends the conflicts, eight
   words each: the hash, the key, and the values in the base, ours and theirs. */
const pqt_map *flat_map_merge(const pqt_map *base, const pqt_map *ours, const pqt_map *theirs,
                              int otherwise, const char *answers, size_t count, void *out,
                              pqt_error *error);

/* The same for documents. */
bool flat_add_key(flat_writer *to, pqt_map_key key, int kinds);
bool flat_add_value(flat_writer *to, const pqt_map_value *value, int kinds);
uint64_t flat_key_hash(uint64_t seed, pqt_map_key key, int kinds);
pqt_map_value flat_decided_value(const flat_decision *decision, int kinds);

/* ---- Documents ---- */

/* The words of a part that is passed: the kind, the pin, the name, and the name of the tree that
   keys it, or no bytes. Names end with a zero. */
enum { FLAT_PART_WORDS = 4 };

const pqt_document *flat_document_make(const char *parts, size_t count, pqt_error *error);
const pqt_document *flat_document_set(const pqt_document *document, const char *parts, size_t count,
                                      pqt_error *error);

/* Appends the parts, three words each: the kind and the two names, without zeros. */
bool flat_document_parts(const pqt_document *document, void *out, pqt_error *error);

/* Returns the part with a name. */
const void *flat_document_part(const pqt_document *document, const char *name, pqt_error *error);

/* Appends the changes. A change begins with the index of the part. For a tree, the kind, the item
   and the new box follow; for a map, the kinds, the key and the values before and after. */
bool flat_document_diff(const pqt_document *before, const pqt_document *after, void *out,
                        pqt_error *error);

/* Merges with answers, which are used for PQT_DOCUMENT_KEEP_ANSWER: the value of an entry, boxes
   for an item, or the pin of a part. Appends the conflicts. A conflict begins with the hash, the
   kind, and the index of the part. For pixels, a box follows; for an item, the id, and the number
   and the boxes in the base, ours and theirs; for an entry, the kinds, the key and three values. */
const pqt_document *flat_document_merge(const pqt_document *base, const pqt_document *ours,
                                        const pqt_document *theirs, int otherwise,
                                        const char *answers, size_t count, void *out,
                                        pqt_error *error);

/* ---- Histories ---- */

/* Makes a history that begins with a version; a limit of 0 means no limit. */
pqt_history *flat_history_make(const void *first, size_t entries, size_t bytes, bool indexed,
                               double time, pqt_error *error);

/* Reads a history from bytes, all of which it needs. */
pqt_history *flat_history_read(const char *bytes, size_t count, size_t entries, size_t limit,
                               bool indexed, pqt_memory *memory, pqt_error *error);

/* Appends the bytes of a history. */
bool flat_history_write(const pqt_history *history, void *out, pqt_error *error);

/* Adds an entry. Consecutive pushes with the same key, other than 0, are one entry. A time of NaN
   means that of the current entry. */
bool flat_history_push(pqt_history *history, const void *version, const char *label, double time,
                       uint64_t key, bool keep_equal, pqt_error *error);

/* The commands of flat_history_do. The packages use the same numbers. */
enum {
    FLAT_UNDO = 1,
    FLAT_REDO,
    FLAT_MARK_SAVED,
    FLAT_BEGIN,
    FLAT_END,
    FLAT_CANCEL,
    FLAT_IS_MODIFIED,
    FLAT_END_COALESCING
};

/* Runs a command, and returns the result of the function of the library. */
bool flat_history_do(pqt_history *history, int command, const char *label);

/* Names an entry, or removes its name. */
bool flat_history_set_name(pqt_history *history, uint64_t entry, bool has_name, const char *name,
                           pqt_error *error);

/* Appends the numbers of all entries, or of the tips of the branches. */
bool flat_history_numbers(const pqt_history *history, bool tips, void *out);

/* Appends eleven words: the number, the parent, the depth, the children, the bytes added, whether
   the entry is current, saved and on the path, the time as a double, and the label and the name. */
bool flat_history_entry(const pqt_history *history, uint64_t number, void *out, pqt_error *error);

/* Returns the version of an entry; NULL without an error if its store cannot load it. */
const void *flat_history_value(const pqt_history *history, uint64_t number, pqt_error *error);

/* Appends the label of the entry that undo undoes, or to which redo leads, and a zero; nothing if
   there is none. */
bool flat_history_label(const pqt_history *history, bool redo, void *out);

/* Appends the number of the entry with a name; nothing if there is none. */
bool flat_history_find(const pqt_history *history, const char *name, void *out);

/* Appends the number of the last entry on the path to an entry whose time is at most `time`;
   nothing if there is none. */
bool flat_history_entry_at(const pqt_history *history, uint64_t tip, double time, void *out,
                           pqt_error *error);

/* Appends the numbers of the entries on the path between two entries, or that of their last common
   ancestor. */
bool flat_history_path(const pqt_history *history, uint64_t from, uint64_t to, bool ancestor,
                       void *out, pqt_error *error);

/* Appends five words: the entries, the branches, and the bytes of the versions, of the index and of
   the entries. */
bool flat_history_stats(const pqt_history *history, void *out);

/* Appends four words: all bytes of an entry, and those that it added, that a neighbour shares, and
   that dropping it frees. */
bool flat_history_entry_bytes(const pqt_history *history, uint64_t number, void *out,
                              pqt_error *error);

/* The ways to drop entries. The packages use the same numbers. */
enum { FLAT_THIN = 1, FLAT_DROP, FLAT_DROP_BRANCH };

/* Drops an entry, with those that follow it or without, or all but some of the old entries; then
   the number is that of the newest pushes whose entries are kept. */
bool flat_history_drop(pqt_history *history, int command, uint64_t number, pqt_error *error);

/* Append the last change up to an entry, 104 bytes: the change of the item, or zeros after a search
   in a window; the numbers of the entry and of its parent; and the time. Nothing if there is no
   such change. */
bool flat_history_last_change(const pqt_history *history, bool has_part, const char *part,
                              uint64_t tip, const pqt_query *query, void *out, pqt_error *error);
bool flat_history_last_item_change(const pqt_history *history, bool has_part, const char *part,
                                   uint64_t tip, uint64_t id, void *out, pqt_error *error);

/* Appends the changes between two times on the path to an entry. */
bool flat_history_changes(const pqt_history *history, bool has_part, const char *part, uint64_t tip,
                          double from, double to, const pqt_query *query, void *out,
                          pqt_error *error);

/* ---- Worlds ---- */

const pqt_world *flat_world_make(pqt_box bounds, bool walls, int capacity, pqt_memory *memory,
                                 pqt_error *error);
const pqt_world *flat_world_set_obstacle(const pqt_world *world, const pqt_region *region,
                                         pqt_vec at, pqt_error *error);
const pqt_world *flat_world_remove_obstacle(const pqt_world *world, pqt_memory *memory,
                                            pqt_error *error);

/* Returns whether there is an obstacle, and writes its position. */
bool flat_world_obstacle_at(const pqt_world *world, double *at);

/* Returns the region of the obstacle, which is there. */
const pqt_region *flat_world_obstacle(const pqt_world *world, pqt_error *error);

/* Sets the options of a step from ten doubles: the duration, restitution, gravity (two), damping,
   rest speed, budget, steps before sleep, whether events are listed, and friction. */
bool flat_step_options(const double *numbers, double *dt, pqt_step_options *options,
                       pqt_error *error);

/* The number of words of a report: 16 counts, and the energy as a double. */
enum { FLAT_REPORT_WORDS = 17 };

/* Steps a world, and writes the report. */
const pqt_world *flat_world_step(const pqt_world *world, const double *numbers, uint64_t *report,
                                 pqt_error *error);

/* Writes twelve doubles: the bounds, whether they are walls, the capacity, the number of bodies,
   cells and bytes, the energy and the momentum. */
void flat_world_describe(const pqt_world *world, double *found);

/* Append bodies; bodies with their distances; and bodies with a 64-bit word that is 1 if they
   entered. */
bool flat_world_bodies(const pqt_world *world, const pqt_query *query, void *out);
bool flat_world_nearest(const pqt_world *world, pqt_vec point, size_t most, void *out,
                        pqt_error *error);
bool flat_world_crossings(const pqt_world *before, const pqt_world *after, pqt_box zone, void *out,
                          pqt_error *error);
bool flat_world_region_crossings(const pqt_world *before, const pqt_world *after,
                                 const pqt_region *zone, pqt_vec at, void *out, pqt_error *error);
bool flat_world_events(const pqt_world *world, void *out);

#endif
