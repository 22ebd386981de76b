/* SPDX-License-Identifier: MIT */
/* golden_listing.c: lists the contents of golden files as text, with the public functions that read
   them. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

enum { MANY = 64, MOST_ENTRIES = 3000, MOST_RUNS = 50000 };

/* Counts what a visitor is called for, and skips most of many things. */
typedef struct lister {
    FILE *out;
    size_t seen, every;
} lister;

static lister
lister_of(FILE *out, uint64_t count)
{
    return (lister){out, 0, (size_t)(count / MANY + 1)};
}

static bool
is_listed(lister *list)
{
    return list->seen++ % list->every == 0;
}

/* Numbers are written with the 17 digits that determine a double. */
static void
list_box(FILE *out, pqt_box box)
{
    fprintf(out, " %.17g %.17g %.17g %.17g", box.min.x, box.min.y, box.max.x, box.max.y);
}

static void
list_fingerprint(FILE *out, pqt_fingerprint fingerprint)
{
    fprintf(out, " fingerprint %016" PRIx64 " %016" PRIx64, fingerprint.low, fingerprint.high);
}

/* ---- Kinds ---- */

static bool
list_item(const pqt_item *item, void *context)
{
    lister *list = context;
    if (!is_listed(list))
        return true;
    fprintf(list->out, "item %" PRIu64, item->id);
    list_box(list->out, item->box);
    fputc('\n', list->out);
    return true;
}

static void
list_tree(FILE *out, const pqt_tree *tree)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    lister list = lister_of(out, pqt_tree_count(tree));
    pqt_tree_get_options(tree, &options);
    fprintf(out,
            "tree count %zu leaf_capacity %d max_depth %d strict_bounds %d unique_ids %d bounds",
            pqt_tree_count(tree), options.leaf_capacity, options.max_depth, options.strict_bounds,
            options.unique_ids);
    list_box(out, pqt_tree_bounds(tree));
    list_fingerprint(out, pqt_tree_fingerprint(tree));
    fputc('\n', out);
    pqt_tree_visit(tree, NULL, list_item, &list);
}

static bool
count_run(const pqt_pixel_run *run, void *context)
{
    size_t *count = context;
    return run != NULL && ++*count < MOST_RUNS;
}

static bool
list_run(const pqt_pixel_run *run, void *context)
{
    lister *list = context;
    if (is_listed(list))
        fprintf(list->out, "run %d %d %d\n", (int)run->y, (int)run->min_x, (int)run->max_x);
    return list->seen < MOST_RUNS;
}

static void
list_region(FILE *out, const pqt_region *region)
{
    size_t runs = 0;
    const pqt_pixel_box bounds = pqt_region_bounds(region);
    pqt_region_visit_runs(region, bounds, count_run, &runs);
    lister list = lister_of(out, runs);
    fprintf(out, "region count %" PRIu64 " level %d bounds %d %d %d %d", pqt_region_count(region),
            pqt_region_get_stats(region).level, (int)bounds.min.x, (int)bounds.min.y,
            (int)bounds.max.x, (int)bounds.max.y);
    list_fingerprint(out, pqt_region_fingerprint(region));
    fputc('\n', out);
    pqt_region_visit_runs(region, bounds, list_run, &list);
}

/* Lists every k-th pixel. */
static void
list_image(FILE *out, const pqt_image *image)
{
    const pqt_pixel_box box = pqt_image_bounds(image);
    const uint64_t width = (uint64_t)box.max.x, height = (uint64_t)box.max.y;
    fprintf(out, "image size %d %d tiles %zu", (int)box.max.x, (int)box.max.y,
            pqt_image_get_stats(image).tiles);
    list_fingerprint(out, pqt_image_fingerprint(image));
    fputc('\n', out);
    for (uint64_t i = 0; i < width * height; i += width * height / MANY + 1) {
        const pqt_pixel at = {(int32_t)(i % width), (int32_t)(i / width)};
        const pqt_rgba colour = pqt_image_pixel(image, at);
        fprintf(out, "pixel %d %d colour %d %d %d %d\n", (int)at.x, (int)at.y, colour.r, colour.g,
                colour.b, colour.a);
    }
}

typedef struct body_lister {
    lister list;
    const pqt_world *world;
} body_lister;

static bool
list_body(const pqt_body *body, void *context)
{
    body_lister *bodies = context;
    FILE *out = bodies->list.out;
    if (!is_listed(&bodies->list))
        return true;
    fprintf(out, "body %" PRIu64 " position %.17g %.17g velocity %.17g %.17g", body->id,
            body->position.x, body->position.y, body->velocity.x, body->velocity.y);
    fprintf(out, " acceleration %.17g %.17g radius %.17g mass %.17g", body->acceleration.x,
            body->acceleration.y, body->radius, body->mass);
    fprintf(out, " fixed %d kinematic %d sensor %d friction %.9g", body->fixed, body->kinematic,
            body->sensor, (double)body->friction);
    if (body->own_friction)
        fprintf(out, " own_friction 1");
    fprintf(out, " user_data %" PRIu64 " category %" PRIu32 " mask %" PRIu32, body->user_data,
            body->category, body->mask);
    fprintf(out, " angle %.17g angular_velocity %.17g asleep %d\n", body->angle,
            body->angular_velocity, pqt_world_is_asleep(bodies->world, body->id));
    return true;
}

static void
list_world(FILE *out, const pqt_world *world)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    body_lister bodies = {lister_of(out, pqt_world_count(world)), world};
    const pqt_obstacle obstacle = pqt_world_get_obstacle(world);
    pqt_world_get_options(world, &options);
    fprintf(out, "world count %zu leaf_capacity %d walls %d obstacle %d at %.17g %.17g bounds",
            pqt_world_count(world), options.leaf_capacity, options.walls, obstacle.region != NULL,
            obstacle.at.x, obstacle.at.y);
    list_box(out, pqt_world_bounds(world));
    list_fingerprint(out, pqt_world_fingerprint(world));
    fputc('\n', out);
    pqt_world_visit(world, NULL, list_body, &bodies);
    if (obstacle.region != NULL)
        list_region(out, obstacle.region);
}

typedef struct entry_list {
    pqt_map_entry entries[MOST_ENTRIES];
    size_t count;
} entry_list;

static bool
add_entry(const pqt_map_entry *entry, void *context)
{
    entry_list *list = context;
    if (list->count < MOST_ENTRIES)
        list->entries[list->count++] = *entry;
    return true;
}

/* The order of visits is not part of the format, so entries are listed in the order of keys. */
static int
compare_entries(const void *left, const void *right)
{
    const pqt_map_key *a = &((const pqt_map_entry *)left)->key;
    const pqt_map_key *b = &((const pqt_map_entry *)right)->key;
    if (a->bytes == NULL || b->bytes == NULL)
        return (a->id > b->id) - (a->id < b->id);
    const size_t common = a->size < b->size ? a->size : b->size;
    const int order = memcmp(a->bytes, b->bytes, common);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* Lists a number, or the length and the bytes of a string: of a long one, the last bytes. */
static void
list_word(FILE *out, uint64_t number, const void *bytes, size_t size)
{
    const unsigned char *text = bytes;
    if (text == NULL) {
        fprintf(out, " %" PRIu64, number);
        return;
    }
    fprintf(out, " %zu:", size);
    for (size_t i = size > MANY ? size - MANY : 0; i < size; i++)
        fprintf(out, "%02x", text[i]);
}

static void
list_map(FILE *out, const pqt_map *map)
{
    entry_list *found = calloc(1, sizeof *found);
    lister list = lister_of(out, pqt_map_count(map));
    pqt_map_options options = PQT_MAP_DEFAULTS;
    pqt_map_get_options(map, &options);
    fprintf(out, "map count %zu keys %d values %d", pqt_map_count(map), options.keys,
            options.values);
    list_fingerprint(out, pqt_map_fingerprint(map));
    fputc('\n', out);
    if (found == NULL)
        return;
    pqt_map_visit(map, add_entry, found);
    qsort(found->entries, found->count, sizeof *found->entries, compare_entries);
    for (size_t i = 0; i < found->count; i++) {
        const pqt_map_entry *entry = &found->entries[i];
        if (!is_listed(&list))
            continue;
        fprintf(out, "entry");
        list_word(out, entry->key.id, entry->key.bytes, entry->key.size);
        list_word(out, entry->value.number, entry->value.bytes, entry->value.size);
        fputc('\n', out);
    }
    free(found);
}

static void
list_document(FILE *out, const pqt_document *document)
{
    static const pqt_kind kinds[] = {PQT_KIND_NONE, PQT_KIND_TREE, PQT_KIND_REGION, PQT_KIND_WORLD,
                                     PQT_KIND_MAP};
    fprintf(out, "document count %zu", pqt_document_count(document));
    list_fingerprint(out, pqt_document_fingerprint(document));
    fputc('\n', out);
    for (size_t i = 0; i < pqt_document_count(document); i++) {
        const pqt_part part = pqt_document_get_part(document, i);
        fprintf(out, "part %zu \"%s\" keyed by %s\n", i, part.name,
                part.keyed_by == NULL ? "nothing" : part.keyed_by);
        golden_list_version(out, kinds[part.kind], part.version);
    }
}

void
golden_list_version(FILE *out, pqt_kind kind, const void *version)
{
    if (kind == PQT_KIND_TREE)
        list_tree(out, version);
    else if (kind == PQT_KIND_REGION)
        list_region(out, version);
    else if (kind == PQT_KIND_WORLD)
        list_world(out, version);
    else if (kind == PQT_KIND_MAP)
        list_map(out, version);
    else if (kind == PQT_KIND_IMAGE)
        list_image(out, version);
    else
        list_document(out, version);
}

/* ---- Histories and stores ---- */

typedef struct history_lister {
    FILE *out;
    const pqt_history *history;
    pqt_kind kind;
    bool failed; /* a version could not be loaded */
} history_lister;

static bool
list_entry(const pqt_history_entry *entry, void *context)
{
    history_lister *list = context;
    fprintf(list->out, "entry %" PRIu64 " parent %" PRIu64 " depth %zu children %zu", entry->number,
            entry->parent, entry->depth, entry->children);
    fprintf(list->out, " time %.17g current %d saved %d label \"%s\" name \"%s\"\n", entry->time,
            entry->is_current, entry->is_saved, entry->label,
            entry->name == NULL ? "" : entry->name);
    const void *version = pqt_history_value_of(list->history, entry->number);
    list->failed = version == NULL;
    if (version != NULL)
        golden_list_version(list->out, list->kind, version);
    return version != NULL;
}

bool
golden_list_history(FILE *out, const pqt_history *history)
{
    history_lister list = {out, history, pqt_kind_of(pqt_history_value(history)), false};
    const char *redo = pqt_history_redo_label(history);
    fprintf(out, "history of kind %d entries %zu branches %zu redo \"%s\"\n", list.kind,
            pqt_history_get_stats(history).entries, pqt_history_get_stats(history).branches,
            redo == NULL ? "" : redo);
    pqt_history_visit(history, list_entry, &list);
    return !list.failed;
}

static bool
list_stored_history(FILE *out, pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    pqt_history *history = pqt_history_open(store, NULL, memory, error);
    if (history == NULL)
        return false;
    const bool done = golden_list_history(out, history) ? pqt_store_check(store, error)
                                                        : pqt_store_get_error(store, error);
    pqt_history_destroy(&history);
    return done;
}

static bool
list_recording(FILE *out, pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    pqt_recording *recording = pqt_recording_open(store, memory, error);
    bool done = recording != NULL && pqt_store_check(store, error);
    const size_t last = recording == NULL ? 0 : pqt_recording_last(recording);
    if (recording != NULL)
        fprintf(out, "recording last %zu kept %zu\n", last, pqt_recording_kept(recording));
    for (size_t step = 0; done && step <= last; step++) {
        const pqt_world *world = pqt_recording_at(recording, step, error);
        fprintf(out, "step %zu", step);
        list_fingerprint(out, pqt_recording_fingerprint(recording, step));
        fputc('\n', out);
        if (world != NULL)
            list_world(out, world);
        done = world != NULL;
    }
    done = done && pqt_recording_verify(recording, NULL, error);
    pqt_recording_destroy(&recording);
    return done;
}

bool
golden_list_store(FILE *out, pqt_store *store, pqt_memory *memory, pqt_error *error)
{
    if (pqt_store_kind(store) == PQT_KIND_NONE)
        return fprintf(out, "empty store\n") > 0;
    return pqt_store_has_recording(store) ? list_recording(out, store, memory, error)
                                          : list_stored_history(out, store, memory, error);
}

/* ---- Tables ---- */

void
golden_list_table(FILE *out, const pqt_table *table)
{
    const pqt_table_columns columns = pqt_table_get_columns(table);
    fprintf(out, "table count %zu columns %zu position %d id %d\n", pqt_table_count(table),
            columns.count, columns.position, columns.id == PQT_TABLE_NONE ? -1 : (int)columns.id);
    for (size_t row = 0; row < pqt_table_count(table); row++) {
        lister list = lister_of(out, 0);
        pqt_field fields[16];
        pqt_table_fields(table, row, fields);
        for (size_t i = 0; i < columns.count; i++) {
            char text[100];
            const size_t length = pqt_field_text(fields[i], text, sizeof text);
            fprintf(out, "field \"%.*s\" quoted %d\n", (int)length, text, fields[i].is_quoted);
        }
        list_item(&pqt_table_items(table)[row], &list);
    }
}
