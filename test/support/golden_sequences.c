/* SPDX-License-Identifier: MIT */
/*
 * golden_sequences.c: describes the versions in golden stores and lines, and makes the histories.
 *
 * The steps of a sequence make each kind of change that a store or a line can hold. The last step
 * changes the options, the kinds or the schema, so its version is stored whole.
 */
#include "config.h"

#include <string.h>

#include "golden.h"

/* ---- Trees ---- */

static pqt_item
item_at(double x, double y, double side, uint64_t id)
{
    return (pqt_item){{{x, y}, {x + side, y + side / 2}}, id};
}

static const pqt_tree *
make_tree(bool unique_ids, int leaf_capacity, pqt_memory *memory, pqt_error *error)
{
    pqt_tree_options options = GOLDEN_TREE_DEFAULTS;
    options.memory = memory;
    options.unique_ids = unique_ids;
    options.leaf_capacity = leaf_capacity;
    return pqt_tree_make((pqt_box){{0, 0}, {64, 64}}, &options, error);
}

static const void *
first_tree(pqt_memory *memory, pqt_error *error)
{
    return make_tree(true, 2, memory, error);
}

static const void *
first_repeats(pqt_memory *memory, pqt_error *error)
{
    return make_tree(false, 2, memory, error);
}

/* Inserts the items of a tree, and one more, in an empty tree with another capacity. */
static const pqt_tree *
with_capacity(const pqt_tree *tree, int leaf_capacity, pqt_error *error)
{
    pqt_item items[16];
    pqt_tree_options options = GOLDEN_TREE_DEFAULTS;
    pqt_tree_get_options(tree, &options);
    const size_t count = pqt_tree_collect(tree, NULL, items, 15);
    items[count] = item_at(40, 41, 1, 99);
    tree = make_tree(options.unique_ids, leaf_capacity, options.memory, error);
    return pqt_tree_insert_all(tree, items, count + 1, error);
}

static const void *
next_tree(const void *version, unsigned number, pqt_error *error)
{
    const pqt_tree *tree = version;
    switch (number) {
    case 1:
        return pqt_tree_insert(tree, item_at(10, 20.5, 1, 1), error);
    case 2:
        tree = pqt_tree_insert(tree, item_at(0.1, -0.0, 0.2, 300), error);
        return pqt_tree_insert(tree, item_at(1e300, 0x1p-1074, 0, UINT64_MAX), error);
    case 3: /* the size stays */
        return pqt_tree_move_id(tree, 1, item_at(11, 21, 1, 1).box, error);
    case 4: /* the size changes, and so does the order of ids */
        tree = pqt_tree_insert(tree, item_at(5, 5, 0, 7), error);
        return pqt_tree_move_id(tree, 300, item_at(-3, 9, 7, 300).box, error);
    case 5:
        tree = pqt_tree_remove_id(tree, UINT64_MAX, error);
        return pqt_tree_insert(tree, item_at(30, 30, 2, 8), error);
    case 6:
        return pqt_tree_remove_id(tree, 1, error);
    default:
        return with_capacity(tree, 5, error);
    }
}

static const void *
next_repeats(const void *version, unsigned number, pqt_error *error)
{
    const pqt_tree *tree = version;
    switch (number) {
    case 3:
        return pqt_tree_remove(tree, item_at(1, 2, 1, 1), error);
    case 6:
        return pqt_tree_move(tree, item_at(4, 2, 1, 1), item_at(4.5, 2, 1, 1).box, error);
    case 7:
        return with_capacity(tree, 5, error);
    default:
        tree = pqt_tree_insert(tree, item_at(number, 2, 1, 1), error);
        return pqt_tree_insert(tree, item_at(number, 2, 1, number), error);
    }
}

/* ---- Regions ---- */

static const void *
first_region(pqt_memory *memory, pqt_error *error)
{
    return pqt_region_make(memory, error);
}

/* Each third step clears a part of the disc that was painted before. */
static const void *
next_region(const void *version, unsigned number, pqt_error *error)
{
    const bool clears = number % 3 == 0;
    const double n = clears ? number - 1 : number;
    return pqt_region_paint(version,
                            pqt_paint_disc(clears ? PQT_PAINT_CLEAR : PQT_PAINT_SET,
                                           (pqt_vec){20.5 * n, -7 * n}, clears ? 2 : 3.25 * n),
                            error);
}

/* ---- Worlds ---- */

static const void *
first_world(pqt_memory *memory, pqt_error *error)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = memory;
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {64, 64}}, &options, error);
    return pqt_world_add(world, (pqt_body){.id = 77, .position = {9, 9}, .radius = 1}, error);
}

static const void *
next_world(const void *version, unsigned number, pqt_error *error)
{
    const pqt_world *world = version;
    pqt_body body = {.id = number, .position = {5.5 * number, 30}, .radius = 2, .mass = number};
    switch (number) {
    case 3:
        return pqt_world_remove(world, 77, error);
    case 4:
        body.id = 2;
        body.velocity = (pqt_vec){0.5, -1};
        return pqt_world_change(world, body, error);
    case 5: {
        const pqt_region *region =
            pqt_region_paint(pqt_region_make(pqt_world_memory(world), error),
                             pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){40, 50}, 9), error);
        return pqt_world_set_obstacle(world, (pqt_obstacle){region, {0.5, 0}}, error);
    }
    default:
        body.angle = number == 7 ? 0.25 : 0;
        return pqt_world_add(world, body, error);
    }
}

/* ---- Maps ---- */

static const void *
first_ids_numbers(pqt_memory *memory, pqt_error *error)
{
    return golden_map_make(PQT_MAP_IDS, PQT_MAP_NUMBERS, memory, error);
}

static const void *
first_ids_bytes(pqt_memory *memory, pqt_error *error)
{
    return golden_map_make(PQT_MAP_IDS, PQT_MAP_BYTE_VALUES, memory, error);
}

static const void *
first_bytes_numbers(pqt_memory *memory, pqt_error *error)
{
    return golden_map_make(PQT_MAP_BYTE_KEYS, PQT_MAP_NUMBERS, memory, error);
}

static const void *
first_bytes_bytes(pqt_memory *memory, pqt_error *error)
{
    return golden_map_make(PQT_MAP_BYTE_KEYS, PQT_MAP_BYTE_VALUES, memory, error);
}

/* Returns the n-th key of a map: they are not in ascending order. */
static pqt_map_key
key_of(const pqt_map_options *options, unsigned n)
{
    static const char text[] = "trees of four quadrants";
    return options->keys == PQT_MAP_IDS
               ? pqt_map_id(n == 5 ? UINT64_MAX : (uint64_t)n * n * 1000 % 7001)
               : pqt_map_byte_key(text + n, 3 * (size_t)n % 14);
}

static pqt_map_value
value_of(const pqt_map_options *options, unsigned n)
{
    static const char text[] = "a value, or a part of one";
    return options->values == PQT_MAP_NUMBERS
               ? pqt_map_number(n % 4 == 3 ? UINT64_MAX : (uint64_t)n << (5 * n))
               : pqt_map_bytes(text + n, 3 * (size_t)n % 14);
}

static const void *
next_map(const void *version, unsigned number, pqt_error *error)
{
    const pqt_map *map = version;
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_map_get_options(map, &options);
    switch (number) {
    case 4: /* other values for keys that are there, and a new key */
        map = pqt_map_insert(map, key_of(&options, 1), value_of(&options, 6), error);
        map = pqt_map_insert(map, key_of(&options, 3), value_of(&options, 2), error);
        return pqt_map_insert(map, key_of(&options, 5), value_of(&options, 3), error);
    case 5:
        map = pqt_map_remove(map, key_of(&options, 2), error);
        return pqt_map_insert(map, key_of(&options, 7), value_of(&options, 7), error);
    case 6:
        return pqt_map_remove(map, key_of(&options, 1), error);
    case 7: /* maps of other kinds */
        options.values = options.values == PQT_MAP_NUMBERS ? PQT_MAP_BYTE_VALUES : PQT_MAP_NUMBERS;
        map = golden_map_make(options.keys, options.values, options.memory, error);
        return pqt_map_insert(map, key_of(&options, 4), value_of(&options, 4), error);
    default:
        return pqt_map_insert(map, key_of(&options, number), value_of(&options, number), error);
    }
}

/* ---- Documents ---- */

static const void *
first_document(pqt_memory *memory, pqt_error *error)
{
    const pqt_part parts[] = {
        {"shapes", PQT_KIND_TREE, first_tree(memory, error), NULL},
        {"marks", PQT_KIND_TREE, first_repeats(memory, error), NULL},
        {"colours", PQT_KIND_MAP, first_ids_numbers(memory, error), "shapes"},
        {"mask", PQT_KIND_REGION, first_region(memory, error), NULL},
        {"balls", PQT_KIND_WORLD, first_world(memory, error), NULL},
        {"settings", PQT_KIND_MAP, first_bytes_bytes(memory, error), NULL},
    };
    return error->status == PQT_OK ? pqt_document_make(parts, 6, error) : NULL;
}

static const pqt_document *
with_other_parts(const pqt_document *document, pqt_error *error)
{
    const pqt_part parts[] = {
        {"shapes", PQT_KIND_TREE, pqt_document_tree(document, "shapes"), NULL},
        {"settings", PQT_KIND_MAP, pqt_document_map(document, "settings"), NULL},
    };
    return pqt_document_make(parts, 2, error);
}

static const void *
next_document(const void *version, unsigned number, pqt_error *error)
{
    const pqt_document *document = version;
    const void *part = NULL;
    switch (number) {
    case 1:
        part = next_tree(pqt_document_tree(document, "shapes"), 1, error);
        document = pqt_document_set_tree(document, "shapes", part, error);
        part = next_repeats(pqt_document_tree(document, "marks"), 1, error);
        return pqt_document_set_tree(document, "marks", part, error);
    case 2:
        part = pqt_map_insert(pqt_document_map(document, "colours"), pqt_map_id(1),
                              pqt_map_number(0xff8000), error);
        return pqt_document_set_map(document, "colours", part, error);
    case 3:
        part = next_region(pqt_document_region(document, "mask"), 2, error);
        return pqt_document_set_region(document, "mask", part, error);
    case 4:
        part = next_world(pqt_document_world(document, "balls"), 2, error);
        return pqt_document_set_world(document, "balls", part, error);
    case 5:
        part = next_map(pqt_document_map(document, "settings"), 1, error);
        document = pqt_document_set_map(document, "settings", part, error);
        part = next_tree(pqt_document_tree(document, "shapes"), 3, error);
        return pqt_document_set_tree(document, "shapes", part, error);
    case 6: /* a tree with other options is stored whole */
        part = next_repeats(pqt_document_tree(document, "marks"), 7, error);
        return pqt_document_set_tree(document, "marks", part, error);
    default:
        return with_other_parts(document, error);
    }
}

const golden_sequence golden_sequences[] = {
    {"tree", PQT_KIND_TREE, first_tree, next_tree, true, true, false},
    {"repeats", PQT_KIND_TREE, first_repeats, next_repeats, true, true, true},
    {"region", PQT_KIND_REGION, first_region, next_region, true, true, true},
    {"world", PQT_KIND_WORLD, first_world, next_world, true, true, true},
    {"ids-numbers", PQT_KIND_MAP, first_ids_numbers, next_map, true, false, false},
    {"ids-bytes", PQT_KIND_MAP, first_ids_bytes, next_map, false, true, false},
    {"bytes-numbers", PQT_KIND_MAP, first_bytes_numbers, next_map, false, true, false},
    {"bytes-bytes", PQT_KIND_MAP, first_bytes_bytes, next_map, true, false, true},
    {"document", PQT_KIND_DOCUMENT, first_document, next_document, true, true, true},
    {"image", PQT_KIND_IMAGE, golden_image_first, golden_image_next, true, false, false},
};
const size_t golden_sequence_count = sizeof golden_sequences / sizeof *golden_sequences;

bool
golden_sequence_make(const golden_sequence *sequence, pqt_memory *memory,
                     const void *versions[GOLDEN_LENGTH], pqt_error *error)
{
    versions[0] = sequence->first(memory, error);
    for (unsigned i = 1; i < GOLDEN_LENGTH; i++)
        versions[i] = versions[i - 1] == NULL ? NULL : sequence->next(versions[i - 1], i, error);
    return versions[GOLDEN_LENGTH - 1] != NULL;
}

const char *
golden_label(unsigned number)
{
    static const char *const labels[GOLDEN_LENGTH] = {"Begin",  "",     "\xe2\x9c\x8e draw",
                                                      "Move",   "Move", "'; DROP TABLE entry; --",
                                                      "Remove", "New"};
    return labels[number % GOLDEN_LENGTH];
}

/* ---- Histories ---- */

pqt_store_options
golden_store_options(void)
{
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.keyframe_ratio = 0.125;
    return options;
}

static bool
push(pqt_history *history, const void *version, unsigned label, double time, uint64_t key,
     pqt_error *error)
{
    const pqt_history_entry_info info = {golden_label(label), time, key, true, {0}};
    return pqt_history_push(history, version, &info, error);
}

/* Pushes some versions in memory, and the others in the store. Entries 3 and 6 follow entry 2; the
   current entry is 2, and redo leads to 3. Entry 4 was replaced, and entry 5 was dropped. */
static bool
fill_history(pqt_history *history, const void *const *versions, pqt_store *store, pqt_error *error)
{
    char label[PQT_MAX_LABEL + 1];
    memset(label, 'l', PQT_MAX_LABEL);
    label[PQT_MAX_LABEL] = '\0';
    const pqt_history_entry_info long_label = {.label = label, .time = 1e300};
    return push(history, versions[1], 1, 1, 0, error) &&
           push(history, versions[2], 2, 1.5, 0, error) &&
           pqt_history_save(history, store, error) &&
           pqt_history_set_name(history, 1, "one", error) &&
           push(history, versions[3], 3, 1.75, UINT64_MAX, error) &&
           push(history, versions[3], 4, 2, 9, error) &&
           push(history, versions[4], 4, 3, 9, error) &&
           push(history, versions[5], 5, 4, 0, error) && pqt_history_drop(history, 4, error) &&
           pqt_history_checkout(history, 2, error) && push(history, versions[6], 6, 4, 0, error) &&
           pqt_history_push(history, versions[7], &long_label, error) &&
           pqt_history_set_name(history, 7, "\xc3\xbcnique", error) &&
           pqt_history_checkout(history, 3, error) &&
           (pqt_history_mark_saved(history), pqt_history_undo(history));
}

bool
golden_history_make(const golden_sequence *sequence, pqt_store *store, pqt_memory *memory,
                    pqt_error *error)
{
    const void *versions[GOLDEN_LENGTH];
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.time = -2.5;
    if (!golden_sequence_make(sequence, memory, versions, error))
        return false;
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(sequence->kind), versions[0], &options, error);
    const bool done = history != NULL && fill_history(history, versions, store, error);
    pqt_history_destroy(&history);
    return done;
}

/* ---- Other stores ---- */

static bool
make_nothing(pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    return store != NULL && memory != NULL && error->status == PQT_OK;
}

/* Names the entry that was pushed last if it is the second keyframe of the store. */
static bool
name_second_keyframe(pqt_history *history, pqt_store *store, pqt_error *error)
{
    pqt_store_stats stats;
    return pqt_store_get_stats(store, &stats, error) &&
           (stats.keyframes != 2 || pqt_history_find(history, "second", NULL) ||
            pqt_history_set_name(history, pqt_history_current(history), "second", error));
}

/* A long history with a keyframe in its middle, which was thinned. */
static bool
make_thinned(pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    const pqt_tree *tree = first_tree(memory, error);
    pqt_history_options options = PQT_HISTORY_DEFAULTS;
    options.label = "Begin";
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), tree, &options, error);
    bool done = history != NULL && pqt_history_save(history, store, error);
    for (unsigned n = 1; done && n <= 200; n++) {
        const uint64_t id = n % 9;
        const pqt_item item = item_at(0.1 * n, 60 - 0.25 * n, n % 5, id);
        tree = pqt_tree_find(tree, id, NULL) ? pqt_tree_move_id(tree, id, item.box, error)
                                             : pqt_tree_insert(tree, item, error);
        done = pqt_history_push(history, tree, NULL, error) &&
               name_second_keyframe(history, store, error);
    }
    done = done && pqt_history_thin(history, 16, error);
    pqt_history_destroy(&history);
    return done;
}

/* A value that is longer than a section, in versions that are longer than a row of a keyframe. */
static bool
make_long(pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    static char text[70000];
    memset(text, 'x', sizeof text);
    memcpy(text + 65530, "beyond the end of a section", 27);
    const pqt_map *map = pqt_map_insert(first_bytes_bytes(memory, error), pqt_map_text("long"),
                                        pqt_map_bytes(text, sizeof text), error);
    pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_MAP), map, NULL, error);
    map = pqt_map_insert(map, pqt_map_text("short"), pqt_map_bytes("x", 1), error);
    const bool done = history != NULL && pqt_history_save(history, store, error) &&
                      pqt_history_push(history, map, NULL, error);
    pqt_history_destroy(&history);
    return done;
}

/* The balls of a recording fall, and meet a wall, an obstacle and each other. */
static bool
make_recording(pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    const pqt_world *world = first_world(memory, error);
    const pqt_region *floor =
        pqt_region_paint(pqt_region_make(memory, error),
                         pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{0, 14}, {30, 20}}), error);
    world = pqt_world_set_obstacle(world, (pqt_obstacle){floor, {0, 0}}, error);
    for (uint64_t id = 2; id < 6; id++) {
        const pqt_body body = {.id = id,
                               .position = {4 * (double)id, 11},
                               .velocity = {20, 3},
                               .radius = 1.5,
                               .mass = (double)id};
        world = pqt_world_add(world, body, error);
    }
    pqt_step_options options = {sizeof options, 0.5,  {1, 10}, 0.125, NULL,
                                5000,           0.25, 30,      true,  0.5};
    pqt_recording *recording = pqt_recording_make(world, 0.03125, &options, 4, error);
    bool done = recording != NULL && pqt_recording_save(recording, store, error);
    for (int i = 0; done && i < 10; i++)
        done = pqt_recording_step(recording, NULL, error) != NULL;
    pqt_recording_destroy(&recording);
    return done;
}

const golden_store golden_stores[] = {
    {"store-empty", make_nothing, false},
    {"history-thinned", make_thinned, true},
    {"history-long", make_long, true},
    {"recording", make_recording, false},
};
const size_t golden_store_count = sizeof golden_stores / sizeof *golden_stores;
