/* SPDX-License-Identifier: MIT */
/*
 * studio_replay.c: replays a log of the studio in a native build, and prints the fingerprints of
 * its versions.
 *
 * Standard input is a JSON array of commands, as balls_world.js, pixels_objects.js and
 * editor_history.js in src/studio make them. Each command contains the number of the version that
 * it starts from, and makes one version or, for steps, several. The versions of each tab are
 * numbered separately. Prints a line for each version. make check-studio compares these with the
 * versions in the browser.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/worlds.h>

/* All versions, with a pin for each. */
typedef struct versions {
    pqt_pin **pins;
    size_t count, capacity;
} versions;

static _Noreturn void
stop(const char *what)
{
    fprintf(stderr, "studio_replay: %s\n", what);
    exit(2);
}

static void
check_error(const pqt_error *error)
{
    if (error->status != PQT_OK)
        stop(error->text);
}

static const json_t *
member(const json_t *object, const char *name)
{
    const json_t *found = json_object_get(object, name);
    if (found == NULL)
        stop(name);
    return found;
}

static double
number(const json_t *object, const char *name)
{
    return json_number_value(member(object, name));
}

static double
number_or_0(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static void
print_fingerprint(pqt_fingerprint fingerprint)
{
    printf("%016" PRIx64 "%016" PRIx64 "\n", fingerprint.high, fingerprint.low);
}

static void
keep(versions *all, pqt_pin *pin)
{
    if (all->count == all->capacity) {
        all->capacity = all->capacity * 2 + 64;
        all->pins = realloc(all->pins, all->capacity * sizeof *all->pins);
        if (all->pins == NULL)
            stop("out of memory");
    }
    all->pins[all->count++] = pin;
}

static pqt_pin *
version_at(const versions *all, const json_t *command)
{
    const json_int_t at = json_integer_value(member(command, "from"));
    if (at < 0 || (size_t)at >= all->count)
        stop("a command starts from a version that was not made");
    return all->pins[at];
}

/* ---- Bytes ---- */

typedef struct hex_source {
    const char *digits;
    size_t at, count; /* in digits */
} hex_source;

static int
digit(char character)
{
    return character <= '9' ? character - '0' : character - 'a' + 10;
}

static size_t
take_bytes(hex_source *from, void *bytes, size_t capacity)
{
    size_t taken = 0;
    for (; taken < capacity && from->at + 2 <= from->count; taken++, from->at += 2)
        ((unsigned char *)bytes)[taken] =
            (unsigned char)(digit(from->digits[from->at]) << 4 | digit(from->digits[from->at + 1]));
    return taken;
}

static bool
read_hex(void *bytes, size_t capacity, size_t *count, void *context)
{
    *count = take_bytes(context, bytes, capacity);
    return true;
}

/* ---- Worlds ---- */

static void
keep_world(versions *all, const pqt_world *world, const pqt_error *error)
{
    pqt_error failure = {0};
    check_error(error);
    keep(all, pqt_world_pin(world, &failure));
    check_error(&failure);
    print_fingerprint(pqt_world_fingerprint(world));
}

static const pqt_world *
make_world(const json_t *command, pqt_error *error)
{
    const json_t *sides = member(command, "bounds");
    const pqt_box bounds = {{number(sides, "minX"), number(sides, "minY")},
                            {number(sides, "maxX"), number(sides, "maxY")}};
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.leaf_capacity = 24; /* as in the JavaScript package */
    return pqt_world_make(bounds, &options, error);
}

static const pqt_world *
add_bodies(const pqt_world *world, const json_t *list, pqt_error *error)
{
    const size_t count = json_array_size(list);
    pqt_body *bodies = calloc(count + 1, sizeof *bodies);
    if (bodies == NULL)
        stop("out of memory");
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(list, i);
        bodies[i].id = (uint64_t)json_integer_value(member(one, "id"));
        bodies[i].position = (pqt_vec){number(one, "x"), number(one, "y")};
        bodies[i].velocity = (pqt_vec){number_or_0(one, "vx"), number_or_0(one, "vy")};
        bodies[i].radius = number(one, "radius");
        bodies[i].mass = number_or_0(one, "mass");
        bodies[i].user_data = (uint64_t)json_integer_value(json_object_get(one, "data"));
    }
    world = pqt_world_add_all(world, bodies, count, error);
    free(bodies);
    return world;
}

static const pqt_world *
remove_bodies(const pqt_world *world, const json_t *list, pqt_error *error)
{
    const size_t count = json_array_size(list);
    uint64_t *ids = calloc(count + 1, sizeof *ids);
    if (ids == NULL)
        stop("out of memory");
    for (size_t i = 0; i < count; i++)
        ids[i] = (uint64_t)json_integer_value(json_array_get(list, i));
    world = pqt_world_remove_all(world, ids, count, error);
    free(ids);
    return world;
}

static const pqt_region *
region_of_boxes(const json_t *list, pqt_error *error)
{
    const size_t count = json_array_size(list) / 4;
    pqt_pixel_box *boxes = calloc(count + 1, sizeof *boxes);
    if (boxes == NULL)
        stop("out of memory");
    for (size_t i = 0; i < count; i++) {
        int32_t sides[4];
        for (size_t k = 0; k < 4; k++)
            sides[k] = (int32_t)json_integer_value(json_array_get(list, 4 * i + k));
        boxes[i] = (pqt_pixel_box){{sides[0], sides[1]}, {sides[2], sides[3]}};
    }
    const pqt_region *region = pqt_region_of_boxes(boxes, count, pqt_default_memory(error), error);
    free(boxes);
    return region;
}

static const pqt_world *
set_obstacle(const pqt_world *world, const json_t *boxes, pqt_error *error)
{
    const pqt_region *region = json_is_null(boxes)
                                   ? pqt_region_make(pqt_default_memory(error), error)
                                   : region_of_boxes(boxes, error);
    return pqt_world_set_obstacle(world, (pqt_obstacle){region, {0, 0}}, error);
}

static void
step(versions *all, const pqt_world *world, const json_t *command)
{
    const json_int_t count = json_integer_value(member(command, "count"));
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = number(command, "restitution");
    options.gravity = (pqt_vec){0, number(command, "gravity")};
    options.rest_speed = options.gravity.y == 0 ? 0 : 5;
    options.friction = number_or_0(command, "friction");
    options.contact_budget = (uint64_t)number_or_0(command, "contactBudget");
    for (json_int_t i = 0; i < count; i++) {
        pqt_error error = {0};
        world = pqt_world_step(world, number(command, "dt"), &options, &error);
        keep_world(all, world, &error);
    }
}

static const pqt_world *
read_world(const json_t *bytes, pqt_error *error)
{
    hex_source from = {json_string_value(bytes), 0, json_string_length(bytes)};
    return pqt_world_read(read_hex, &from, NULL, error);
}

static void
run_balls(versions *all, const json_t *command)
{
    pqt_error error = {0};
    const char *op = json_string_value(member(command, "op"));
    if (strcmp(op, "world") == 0) {
        const pqt_world *world = make_world(command, &error);
        keep_world(all, world, &error);
        return;
    }
    if (strcmp(op, "file") == 0) {
        const pqt_world *world = read_world(member(command, "bytes"), &error);
        keep_world(all, world, &error);
        return;
    }
    const pqt_world *world = pqt_pin_get_world(version_at(all, command));
    if (strcmp(op, "step") == 0) {
        step(all, world, command);
        return;
    }
    if (strcmp(op, "add") == 0)
        world = add_bodies(world, member(command, "bodies"), &error);
    else if (strcmp(op, "remove") == 0)
        world = remove_bodies(world, member(command, "ids"), &error);
    else if (strcmp(op, "clear") == 0)
        world = pqt_world_clear(world, &error);
    else if (strcmp(op, "obstacle") == 0)
        world = set_obstacle(world, member(command, "boxes"), &error);
    else
        stop(op);
    keep_world(all, world, &error);
}

/* ---- Regions ---- */

static void
keep_region(versions *all, const pqt_region *region, const pqt_error *error)
{
    pqt_error failure = {0};
    check_error(error);
    keep(all, pqt_region_pin(region, &failure));
    check_error(&failure);
    print_fingerprint(pqt_region_fingerprint(region));
}

/* Paints strokes, but omits pixels outside the sheet of 64 x 64 pixels. */
static const pqt_region *
paint(const pqt_region *region, const json_t *list, pqt_error *error)
{
    const pqt_pixel_box sheet = {{0, 0}, {64, 64}};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const bool clears = strcmp(json_string_value(member(one, "op")), "clear") == 0;
        const pqt_paint stroke = pqt_paint_stroke(
            clears ? PQT_PAINT_CLEAR : PQT_PAINT_SET, (pqt_vec){number(one, "x"), number(one, "y")},
            (pqt_vec){number(one, "toX"), number(one, "toY")}, number(one, "radius"));
        region = pqt_region_paint_all(region, &stroke, 1, error);
    }
    return pqt_region_crop(region, sheet, error);
}

static void
run_pixels(versions *all, const json_t *command)
{
    pqt_error error = {0};
    const char *op = json_string_value(member(command, "op"));
    const pqt_region *region = NULL;
    if (strcmp(op, "boxes") == 0)
        region = region_of_boxes(member(command, "boxes"), &error);
    else if (strcmp(op, "paint") == 0)
        region = paint(pqt_pin_get_region(version_at(all, command)), member(command, "primitives"),
                       &error);
    else
        stop(op);
    keep_region(all, region, &error);
}

/* ---- Scenes of the editor ---- */

static pqt_item
item_of(const json_t *one, uint64_t id)
{
    return (pqt_item){
        {{number(one, "minX"), number(one, "minY")}, {number(one, "maxX"), number(one, "maxY")}},
        id};
}

static const pqt_tree *
change_tree(const pqt_tree *tree, const json_t *change, pqt_error *error)
{
    const json_t *one = member(change, "item");
    const pqt_item item = item_of(one, (uint64_t)json_integer_value(member(one, "id")));
    const char *kind = json_string_value(member(change, "change"));
    if (strcmp(kind, "insert") == 0)
        return pqt_tree_insert(tree, item, error);
    if (strcmp(kind, "remove") == 0)
        return pqt_tree_remove(tree, item, error);
    return pqt_tree_move(tree, item, item_of(member(change, "to"), item.id).box, error);
}

static const pqt_map *
change_map(const pqt_map *map, const json_t *change, pqt_error *error)
{
    const json_t *after = member(change, "after");
    const pqt_map_key key = pqt_map_id((uint64_t)json_integer_value(member(change, "key")));
    if (json_is_null(after))
        return pqt_map_remove(map, key, error);
    if (json_is_integer(after))
        return pqt_map_insert(map, key, pqt_map_number((uint64_t)json_integer_value(after)), error);
    unsigned char bytes[1024];
    hex_source from = {json_string_value(after), 0, json_string_length(after)};
    const size_t count = take_bytes(&from, bytes, sizeof bytes);
    return pqt_map_insert(map, key, pqt_map_bytes(bytes, count), error);
}

/* Applies all changes to the parts. The attributes of removed items are removed as well. */
static const pqt_document *
change_scene(const pqt_document *scene, const json_t *changes, pqt_error *error)
{
    const pqt_tree *boxes = pqt_document_tree(scene, "boxes");
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const json_t *change = json_array_get(changes, i);
        if (json_object_get(change, "change") != NULL)
            boxes = change_tree(boxes, change, error);
    }
    scene = pqt_document_set_tree(scene, "boxes", boxes, error);
    for (size_t i = 0; scene != NULL && i < json_array_size(changes); i++) {
        const json_t *change = json_array_get(changes, i);
        const char *part = json_string_value(member(change, "part"));
        if (json_object_get(change, "change") == NULL)
            scene = pqt_document_set_map(
                scene, part, change_map(pqt_document_map(scene, part), change, error), error);
    }
    return scene;
}

static void
run_editor(versions *all, const json_t *command)
{
    pqt_error error = {0};
    const char *op = json_string_value(member(command, "op"));
    const pqt_document *scene = NULL;
    if (strcmp(op, "scene") == 0) {
        const json_t *bytes = member(command, "bytes");
        hex_source from = {json_string_value(bytes), 0, json_string_length(bytes)};
        scene = pqt_document_read(read_hex, &from, NULL, &error);
    } else if (strcmp(op, "edit") == 0) {
        scene = change_scene(pqt_pin_get_document(version_at(all, command)),
                             member(command, "changes"), &error);
    } else {
        stop(op);
    }
    check_error(&error);
    keep(all, pqt_document_pin(scene, &error));
    check_error(&error);
    print_fingerprint(pqt_document_fingerprint(scene));
}

static void
release(versions *all)
{
    for (size_t i = 0; i < all->count; i++)
        pqt_unpin(&all->pins[i]);
    free(all->pins);
}

int
main(void)
{
    json_error_t fault;
    json_t *log = json_loadf(stdin, 0, &fault);
    versions balls = {0}, pixels = {0}, editor = {0};
    if (log == NULL)
        stop(fault.text);
    for (size_t i = 0; i < json_array_size(log); i++) {
        const json_t *command = json_array_get(log, i);
        const char *tab = json_string_value(member(command, "tab"));
        if (strcmp(tab, "balls") == 0)
            run_balls(&balls, command);
        else if (strcmp(tab, "pixels") == 0)
            run_pixels(&pixels, command);
        else if (strcmp(tab, "editor") == 0)
            run_editor(&editor, command);
        else
            stop(tab);
    }
    release(&balls);
    release(&pixels);
    release(&editor);
    json_decref(log);
    return 0;
}
