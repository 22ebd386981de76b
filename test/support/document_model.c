/* SPDX-License-Identifier: MIT */
/* document_model.c: the plain model of documents. */
#include "config.h"

#include "document_model.h"

#include <stdio.h>
#include <string.h>

#include <pqt/region.h>
#include <pqt/world.h>

#include "random.h"

/* ---- The meanings of the numbers ---- */

pqt_box
shape_box(int place)
{
    const double x = place * 7.25, y = place * place % 11 * 8.5;
    return (pqt_box){{x, y}, {x + 3 + place, y + 2}};
}

static pqt_box
mark_box(int box)
{
    return (pqt_box){{box * 20, 5}, {box * 20 + 4, 9}};
}

static const char *
setting_key(int setting)
{
    static char text[16];
    snprintf(text, sizeof text, "key %d", setting);
    return text;
}

pqt_map_value
name_value(int value)
{
    static const char text[] = "abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz";
    return pqt_map_bytes(text + value, (size_t)value * 5);
}

static pqt_map_value
colour_value(int value)
{
    return pqt_map_number((uint64_t)value * UINT64_C(0x10204081));
}

static const pqt_region *
mask_of(int discs, pqt_memory *memory)
{
    const pqt_region *region = pqt_region_make(memory, NULL);
    for (int k = 0; discs >> k != 0; k++)
        if ((discs >> k & 1) != 0)
            region = pqt_region_paint(
                region, pqt_paint_disc(PQT_PAINT_SET, (pqt_vec){k * 30.0, 10}, 5 + k), NULL);
    return region;
}

static const pqt_world *
balls_of(int count, pqt_memory *memory)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = memory;
    const pqt_world *world = pqt_world_make((pqt_box){{0, 0}, {100, 100}}, &options, NULL);
    for (int k = 0; k < count; k++) {
        const pqt_body body = {.id = (uint64_t)k, .position = {20 + 10.0 * k, 9}, .radius = 2};
        world = pqt_world_add(world, body, NULL);
    }
    return world;
}

static const pqt_tree *
tree_with_bounds(int side, pqt_memory *memory)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    return pqt_tree_make((pqt_box){{0, 0}, {1.0 + side, 1}}, &options, NULL);
}

void
document_stage_make(document_stage *stage, pqt_memory *memory)
{
    stage->memory = memory;
    for (int i = 0; i < MODEL_MASKS; i++)
        stage->masks[i] =
            PQT_WITH_PIXELS ? (const void *)mask_of(i, memory) : tree_with_bounds(i, memory);
    for (int i = 0; i < MODEL_BALLS; i++)
        stage->balls[i] =
            PQT_WITH_WORLDS ? (const void *)balls_of(i, memory) : tree_with_bounds(i, memory);
}

/* ---- Models and documents ---- */

document_model
document_model_make(void)
{
    document_model model = {.mask = 0};
    for (int i = 0; i < MODEL_IDS; i++)
        model.shape[i] = model.colour[i] = model.name[i] = MODEL_NONE;
    for (int i = 0; i < MODEL_SETTINGS; i++)
        model.setting[i] = MODEL_NONE;
    return model;
}

bool
equal_document_models(const document_model *a, const document_model *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static const pqt_map *
map_of(const document_stage *stage, pqt_map_keys keys, pqt_map_values values, const int *numbers,
       int count, pqt_error *error)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.keys = keys;
    options.values = values;
    options.memory = stage->memory;
    const pqt_map *map = pqt_map_make(&options, error);
    for (int i = 0; i < count; i++)
        if (numbers[i] != MODEL_NONE)
            map = pqt_map_insert(
                map, keys == PQT_MAP_IDS ? pqt_map_id((uint64_t)i) : pqt_map_text(setting_key(i)),
                values == PQT_MAP_NUMBERS ? colour_value(numbers[i]) : name_value(numbers[i]),
                error);
    return map;
}

static const pqt_tree *
shapes_of(const document_stage *stage, const document_model *model, pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.unique_ids = true;
    options.leaf_capacity = 3;
    options.memory = stage->memory;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &options, error);
    for (int i = 0; i < MODEL_IDS; i++)
        if (model->shape[i] != MODEL_NONE)
            tree =
                pqt_tree_insert(tree, (pqt_item){shape_box(model->shape[i]), (uint64_t)i}, error);
    return tree;
}

static const pqt_tree *
marks_of(const document_stage *stage, const document_model *model, pqt_error *error)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = stage->memory;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &options, error);
    for (int i = 0; i < MODEL_MARKS; i++)
        for (int b = 0; b < MODEL_BOXES; b++)
            if ((model->mark[i] >> b & 1) != 0)
                tree = pqt_tree_insert(tree, (pqt_item){mark_box(b), (uint64_t)i}, error);
    return tree;
}

const pqt_document *
document_of_model(const document_stage *stage, const document_model *model, pqt_error *error)
{
    const pqt_part parts[] = {
        {.name = "shapes", .kind = PQT_KIND_TREE, .version = shapes_of(stage, model, error)},
        {.name = "colours",
         .kind = PQT_KIND_MAP,
         .version = map_of(stage, PQT_MAP_IDS, PQT_MAP_NUMBERS, model->colour, MODEL_IDS, error),
         .keyed_by = "shapes"},
        {.name = "names",
         .kind = PQT_KIND_MAP,
         .version = map_of(stage, PQT_MAP_IDS, PQT_MAP_BYTE_VALUES, model->name, MODEL_IDS, error),
         .keyed_by = "shapes"},
        {.name = "marks", .kind = PQT_KIND_TREE, .version = marks_of(stage, model, error)},
        {.name = "settings",
         .kind = PQT_KIND_MAP,
         .version = map_of(stage, PQT_MAP_BYTE_KEYS, PQT_MAP_BYTE_VALUES, model->setting,
                           MODEL_SETTINGS, error)},
        {.name = "mask", .kind = MODEL_MASK_KIND, .version = stage->masks[model->mask]},
        {.name = "balls", .kind = MODEL_BALLS_KIND, .version = stage->balls[model->balls]},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].version == NULL)
            return NULL;
    return pqt_document_make(parts, sizeof parts / sizeof *parts, error);
}

const char *
document_differs(const document_stage *stage, const pqt_document *document,
                 const document_model *model)
{
    static char text[160];
    pqt_error error = {0};
    if (document == NULL)
        return "there is no document";
    if (!pqt_document_check(document, &error)) {
        snprintf(text, sizeof text, "the check failed: %s", error.text);
        return text;
    }
    const pqt_tree *shapes = pqt_document_tree(document, "shapes");
    const pqt_map *colours = pqt_document_map(document, "colours");
    const pqt_map *names = pqt_document_map(document, "names");
    size_t count[4] = {0};
    for (int i = 0; i < MODEL_IDS; i++) {
        pqt_item item;
        pqt_map_value value;
        const uint64_t id = (uint64_t)i;
        const bool has_shape = pqt_tree_find(shapes, id, &item);
        if (has_shape != (model->shape[i] != MODEL_NONE) ||
            (has_shape && !pqt_item_equals(item, (pqt_item){shape_box(model->shape[i]), id})))
            return "a shape differs";
        const bool has_colour = pqt_map_find(colours, pqt_map_id(id), &value);
        if (has_colour != (model->colour[i] != MODEL_NONE) ||
            (has_colour && value.number != colour_value(model->colour[i]).number))
            return "a colour differs";
        const bool has_name = pqt_map_find(names, pqt_map_id(id), &value);
        const pqt_map_value name = name_value(has_name ? model->name[i] : 0);
        if (has_name != (model->name[i] != MODEL_NONE) ||
            (has_name && (value.size != name.size ||
                          (name.size > 0 && memcmp(value.bytes, name.bytes, name.size) != 0))))
            return "a name differs";
        count[0] += has_shape;
        count[1] += has_colour;
        count[2] += has_name;
    }
    if (pqt_tree_count(shapes) != count[0] || pqt_map_count(colours) != count[1] ||
        pqt_map_count(names) != count[2])
        return "there are more shapes, colours or names";
    const pqt_document *same = document_of_model(stage, model, &error);
    return same != NULL && pqt_document_equals(document, same) ? NULL : "another part differs";
}

/* ---- Merges ---- */

/* The choices for each kind of conflict. */
static const pqt_document_resolution choices[][6] = {
    [PQT_CONFLICT_ITEM] = {PQT_DOCUMENT_KEEP_OURS, PQT_DOCUMENT_KEEP_THEIRS,
                           PQT_DOCUMENT_KEEP_NEITHER, PQT_DOCUMENT_KEEP_BASE,
                           PQT_DOCUMENT_KEEP_ANSWER, PQT_DOCUMENT_KEEP_OURS},
    [PQT_CONFLICT_REMOVED_ITEM] = {PQT_DOCUMENT_KEEP_OURS, PQT_DOCUMENT_KEEP_THEIRS,
                                   PQT_DOCUMENT_KEEP_NEITHER, PQT_DOCUMENT_KEEP_BASE,
                                   PQT_DOCUMENT_KEEP_THEIRS, PQT_DOCUMENT_KEEP_OURS},
    [PQT_CONFLICT_ENTRY] = {PQT_DOCUMENT_KEEP_OURS, PQT_DOCUMENT_KEEP_THEIRS,
                            PQT_DOCUMENT_KEEP_NEITHER, PQT_DOCUMENT_KEEP_BASE,
                            PQT_DOCUMENT_KEEP_ANSWER, PQT_DOCUMENT_KEEP_OURS},
    [PQT_CONFLICT_PART] = {PQT_DOCUMENT_KEEP_OURS, PQT_DOCUMENT_KEEP_THEIRS, PQT_DOCUMENT_KEEP_BASE,
                           PQT_DOCUMENT_KEEP_ANSWER, PQT_DOCUMENT_KEEP_ANSWER,
                           PQT_DOCUMENT_KEEP_THEIRS}};

/* Returns a random number for a conflict, which depends on its part and its key. */
static uint64_t
conflict_random(uint64_t seed, pqt_document_conflict_kind kind, const char *part, uint64_t thing)
{
    dice d = {seed + (uint64_t)kind * 1000 + thing};
    for (; *part != '\0'; part++)
        d.state = dice_next(&d) + (unsigned char)*part;
    return dice_next(&d);
}

static pqt_document_resolution
choose(document_rule *rule, pqt_document_conflict_kind kind, const char *part, uint64_t thing,
       int *value)
{
    const uint64_t random = conflict_random(rule->seed, kind, part, thing);
    rule->conflicts++;
    *value = (int)(random >> 32 & 0xff);
    if (strcmp(part, "marks") == 0 && random % 6 >= 4)
        return PQT_DOCUMENT_KEEP_BOTH;
    return choices[kind][random % 6];
}

pqt_document_resolution
resolve_document(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    static pqt_item item;
    document_rule *rule = context;
    int value = 0;
    uint64_t thing = 0;
    if (conflict->kind == PQT_CONFLICT_ITEM || conflict->kind == PQT_CONFLICT_REMOVED_ITEM)
        thing = conflict->item->id;
    else if (conflict->kind == PQT_CONFLICT_ENTRY && conflict->entry->key.bytes == NULL)
        thing = conflict->entry->key.id;
    else if (conflict->kind == PQT_CONFLICT_ENTRY)
        thing = (uint64_t)(((const char *)conflict->entry->key.bytes)[4] - '0');
    const pqt_document_resolution chosen =
        choose(rule, conflict->kind, conflict->part, thing, &value);
    item = (pqt_item){shape_box(value % MODEL_PLACES), thing};
    answer->items = (pqt_items){&item, 1};
    answer->value = strcmp(conflict->part, "colours") == 0 ? colour_value(value % MODEL_VALUES)
                                                           : name_value(value % MODEL_VALUES);
    answer->version = rule->stage->balls[value % MODEL_BALLS];
    return chosen;
}

/* Returns the three-way merge of one number. */
static int
merge_number(document_rule *rule, pqt_document_conflict_kind kind, const char *part, uint64_t thing,
             int base, int ours, int theirs, int range)
{
    int value = 0;
    if (theirs == base || ours == theirs)
        return ours;
    if (ours == base)
        return theirs;
    switch (choose(rule, kind, part, thing, &value)) {
    case PQT_DOCUMENT_KEEP_OURS:
        return ours;
    case PQT_DOCUMENT_KEEP_THEIRS:
        return theirs;
    case PQT_DOCUMENT_KEEP_BASE:
        return base;
    case PQT_DOCUMENT_KEEP_ANSWER:
        return value % range;
    default:
        return MODEL_NONE;
    }
}

static void
take_shape(document_model *to, const document_model *from, int i)
{
    to->shape[i] = from->shape[i];
    to->colour[i] = from->colour[i];
    to->name[i] = from->name[i];
}

static bool
same_shape(const document_model *a, const document_model *b, int i)
{
    return a->shape[i] == b->shape[i] && a->colour[i] == b->colour[i] && a->name[i] == b->name[i];
}

/* Merges a shape that at least one side removed. Returns false if neither side removed it. */
static bool
merge_removed(document_rule *rule, document_model *merged, const document_model *base,
              const document_model *ours, const document_model *theirs, int i)
{
    int value = 0;
    document_model none = document_model_make();
    if (base->shape[i] == MODEL_NONE ||
        (ours->shape[i] != MODEL_NONE && theirs->shape[i] != MODEL_NONE))
        return false;
    const document_model *left = ours->shape[i] != MODEL_NONE ? ours : theirs;
    take_shape(merged, &none, i);
    if (left->shape[i] == MODEL_NONE || same_shape(left, base, i))
        return true;
    switch (choose(rule, PQT_CONFLICT_REMOVED_ITEM, "shapes", (uint64_t)i, &value)) {
    case PQT_DOCUMENT_KEEP_OURS:
        take_shape(merged, ours, i);
        break;
    case PQT_DOCUMENT_KEEP_THEIRS:
        take_shape(merged, theirs, i);
        break;
    case PQT_DOCUMENT_KEEP_BASE:
        take_shape(merged, base, i);
        break;
    default:
        break;
    }
    return true;
}

static void
merge_shape(document_rule *rule, document_model *merged, const document_model *base,
            const document_model *ours, const document_model *theirs, int i)
{
    if (merge_removed(rule, merged, base, ours, theirs, i))
        return;
    merged->shape[i] = merge_number(rule, PQT_CONFLICT_ITEM, "shapes", (uint64_t)i, base->shape[i],
                                    ours->shape[i], theirs->shape[i], MODEL_PLACES);
    merged->colour[i] = merged->name[i] = MODEL_NONE;
    if (merged->shape[i] == MODEL_NONE)
        return;
    merged->colour[i] =
        merge_number(rule, PQT_CONFLICT_ENTRY, "colours", (uint64_t)i, base->colour[i],
                     ours->colour[i], theirs->colour[i], MODEL_VALUES);
    merged->name[i] = merge_number(rule, PQT_CONFLICT_ENTRY, "names", (uint64_t)i, base->name[i],
                                   ours->name[i], theirs->name[i], MODEL_VALUES);
}

static unsigned
merge_mark(document_rule *rule, unsigned base, unsigned ours, unsigned theirs, int i)
{
    int value = 0;
    const unsigned touched = (base ^ ours) | (base ^ theirs);
    if (theirs == base || ours == theirs)
        return ours;
    if (ours == base)
        return theirs;
    const unsigned kept = base & ~touched;
    switch (choose(rule, PQT_CONFLICT_ITEM, "marks", (uint64_t)i, &value)) {
    case PQT_DOCUMENT_KEEP_OURS:
        return kept | (ours & touched);
    case PQT_DOCUMENT_KEEP_THEIRS:
        return kept | (theirs & touched);
    case PQT_DOCUMENT_KEEP_BASE:
        return base;
    case PQT_DOCUMENT_KEEP_BOTH:
        return kept | ((ours | theirs) & touched);
    default:
        return kept;
    }
}

document_model
document_model_merge(document_rule *rule, const document_model *base, const document_model *ours,
                     const document_model *theirs)
{
    document_model merged = document_model_make();
    for (int i = 0; i < MODEL_IDS; i++)
        merge_shape(rule, &merged, base, ours, theirs, i);
    for (int i = 0; i < MODEL_MARKS; i++)
        merged.mark[i] = merge_mark(rule, base->mark[i], ours->mark[i], theirs->mark[i], i);
    for (int i = 0; i < MODEL_SETTINGS; i++)
        merged.setting[i] =
            merge_number(rule, PQT_CONFLICT_ENTRY, "settings", (uint64_t)i, base->setting[i],
                         ours->setting[i], theirs->setting[i], MODEL_VALUES);
    merged.mask = base->mask ^ ((base->mask ^ ours->mask) | (base->mask ^ theirs->mask));
    merged.balls = merge_number(rule, PQT_CONFLICT_PART, "balls", 0, base->balls, ours->balls,
                                theirs->balls, MODEL_BALLS);
    return merged;
}

/* ---- Edits ---- */

static const pqt_document *
edit_shape(const pqt_document *document, document_model *model, dice *d, pqt_error *error)
{
    const int i = (int)dice_below(d, MODEL_IDS);
    const uint64_t id = (uint64_t)i;
    const pqt_tree *shapes = pqt_document_tree(document, "shapes");
    if (model->shape[i] != MODEL_NONE && dice_chance(d, 40)) {
        model->shape[i] = model->colour[i] = model->name[i] = MODEL_NONE;
        shapes = pqt_tree_remove_id(shapes, id, error);
    } else {
        model->shape[i] = (int)dice_below(d, MODEL_PLACES);
        shapes = pqt_tree_insert(shapes, (pqt_item){shape_box(model->shape[i]), id}, error);
    }
    return pqt_document_set_tree(document, "shapes", shapes, error);
}

static const pqt_document *
edit_attribute(const pqt_document *document, document_model *model, dice *d, pqt_error *error)
{
    const int i = (int)dice_below(d, MODEL_IDS);
    const bool is_colour = dice_chance(d, 50), removes = dice_chance(d, 25);
    const char *name = is_colour ? "colours" : "names";
    const pqt_map *map = pqt_document_map(document, name);
    int *values = is_colour ? model->colour : model->name;
    if (model->shape[i] == MODEL_NONE)
        return document;
    values[i] = removes ? MODEL_NONE : (int)dice_below(d, MODEL_VALUES);
    map = removes
              ? pqt_map_remove(map, pqt_map_id((uint64_t)i), error)
              : pqt_map_insert(map, pqt_map_id((uint64_t)i),
                               is_colour ? colour_value(values[i]) : name_value(values[i]), error);
    return pqt_document_set_map(document, name, map, error);
}

/* Adds a shape with its attributes and removes another shape, in one edit. */
static const pqt_document *
edit_several(const pqt_document *document, document_model *model, dice *d, pqt_error *error)
{
    const int i = (int)dice_below(d, MODEL_IDS), gone = (i + 1) % MODEL_IDS;
    model->shape[i] = (int)dice_below(d, MODEL_PLACES);
    model->colour[i] = (int)dice_below(d, MODEL_VALUES);
    model->name[i] = (int)dice_below(d, MODEL_VALUES);
    model->shape[gone] = model->colour[gone] = model->name[gone] = MODEL_NONE;
    const pqt_tree *shapes =
        pqt_tree_insert(pqt_document_tree(document, "shapes"),
                        (pqt_item){shape_box(model->shape[i]), (uint64_t)i}, error);
    shapes = pqt_tree_remove_id(shapes, (uint64_t)gone, error);
    const pqt_part parts[] = {
        {.name = "names",
         .kind = PQT_KIND_MAP,
         .version = pqt_map_insert(pqt_document_map(document, "names"), pqt_map_id((uint64_t)i),
                                   name_value(model->name[i]), error)},
        {.name = "shapes", .kind = PQT_KIND_TREE, .version = shapes},
        {.name = "colours",
         .kind = PQT_KIND_MAP,
         .version = pqt_map_insert(pqt_document_map(document, "colours"), pqt_map_id((uint64_t)i),
                                   colour_value(model->colour[i]), error)}};
    return pqt_document_set_parts(document, parts, 3, error);
}

static const pqt_document *
edit_mark(const pqt_document *document, document_model *model, dice *d, pqt_error *error)
{
    const int i = (int)dice_below(d, MODEL_MARKS), b = (int)dice_below(d, MODEL_BOXES);
    const pqt_item item = {mark_box(b), (uint64_t)i};
    const pqt_tree *marks = pqt_document_tree(document, "marks");
    model->mark[i] ^= 1u << b;
    marks = (model->mark[i] >> b & 1) != 0 ? pqt_tree_insert(marks, item, error)
                                           : pqt_tree_remove(marks, item, error);
    return pqt_document_set_tree(document, "marks", marks, error);
}

static const pqt_document *
edit_setting(const pqt_document *document, document_model *model, dice *d, pqt_error *error)
{
    const int i = (int)dice_below(d, MODEL_SETTINGS);
    const pqt_map *settings = pqt_document_map(document, "settings");
    model->setting[i] = dice_chance(d, 30) ? MODEL_NONE : (int)dice_below(d, MODEL_VALUES);
    settings = model->setting[i] == MODEL_NONE
                   ? pqt_map_remove(settings, pqt_map_text(setting_key(i)), error)
                   : pqt_map_insert(settings, pqt_map_text(setting_key(i)),
                                    name_value(model->setting[i]), error);
    return pqt_document_set_map(document, "settings", settings, error);
}

static const pqt_document *
set_whole(const pqt_document *document, const char *name, pqt_kind kind, const void *version,
          pqt_error *error)
{
    const pqt_part part = {.name = name, .kind = kind, .version = version};
    return pqt_document_set_parts(document, &part, 1, error);
}

const pqt_document *
edit_document(const document_stage *stage, const pqt_document *document, document_model *model,
              uint64_t random, pqt_error *error)
{
    dice d = {random};
    const size_t which = dice_below(&d, PQT_WITH_WORLDS ? 12 : 10);
    if (which < 4)
        return edit_shape(document, model, &d, error);
    if (which < 7)
        return edit_attribute(document, model, &d, error);
    if (which == 7)
        return edit_several(document, model, &d, error);
    if (which == 8)
        return edit_mark(document, model, &d, error);
    if (which == 9)
        return edit_setting(document, model, &d, error);
    if (which == 10) {
        model->mask = (int)dice_below(&d, MODEL_MASKS);
        return set_whole(document, "mask", MODEL_MASK_KIND, stage->masks[model->mask], error);
    }
    model->balls = (int)dice_below(&d, MODEL_BALLS);
    return set_whole(document, "balls", MODEL_BALLS_KIND, stage->balls[model->balls], error);
}

/* ---- Differences ---- */

static size_t
count_bits(unsigned bits)
{
    size_t count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

size_t
count_document_changes(const document_model *before, const document_model *after)
{
    size_t count = (size_t)(before->mask != after->mask) + (before->balls != after->balls);
    for (int i = 0; i < MODEL_IDS; i++)
        count += (size_t)(before->shape[i] != after->shape[i]) +
                 (before->colour[i] != after->colour[i]) + (before->name[i] != after->name[i]);
    for (int i = 0; i < MODEL_SETTINGS; i++)
        count += before->setting[i] != after->setting[i];
    for (int i = 0; i < MODEL_MARKS; i++) {
        /* A removed and an inserted item with the same id count as one move. */
        const size_t went = count_bits(before->mark[i] & ~after->mark[i]);
        const size_t came = count_bits(after->mark[i] & ~before->mark[i]);
        count += went == 1 && came == 1 ? 1 : went + came;
    }
    return count;
}
