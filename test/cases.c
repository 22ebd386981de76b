/* SPDX-License-Identifier: MIT */
/*
 * cases.c: writes test cases in JSON, with the answers of the C library. The tests of each binding
 * run them.
 *
 *     test/cases > test/cases.json          (make cases)
 *
 * A case is a list of steps. A step has an operation `op`, its arguments, and the expected result:
 *
 *     {"op": "insert", "of": "a", "as": "b", "id": 7, "box": [0, 0, 1, 2], "size": 1,
 *      "fingerprint": "..."}
 *
 * makes version b from version a. `of`, `ours`, `theirs` and `other` name earlier versions. A step
 * that makes a version states its size and its fingerprint, or the `error` that it must raise; a
 * query states its answer in `is`. Boxes are [minX, minY, maxX, maxY]. Ids above 2^53 - 1 are
 * strings. No answer depends on the platform.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/shapes.h>
#include <pqt/worlds.h>

#include "random.h"

/* ---- JSON ---- */

static bool first_case = true, first_step, first_field;
static size_t steps;

static void
begin_case(const char *name)
{
    printf("%s\n{\"name\": \"%s\", \"steps\": [", first_case ? "" : ",", name);
    first_case = false;
    first_step = true;
}

static void
end_case(void)
{
    printf("\n]}");
}

static void
key(const char *name)
{
    printf("%s\"%s\": ", first_field ? "" : ", ", name);
    first_field = false;
}

static void
text(const char *name, const char *value)
{
    key(name);
    printf("\"%s\"", value);
}

static void
begin(const char *op)
{
    printf("%s\n  {", first_step ? "" : ",");
    first_step = false;
    first_field = true;
    steps++;
    text("op", op);
}

static void
end(void)
{
    printf("}");
}

static void
print_double(double value)
{
    if (value != value)
        printf("\"nan\"");
    else
        printf("%.17g", value);
}

static void
number(const char *name, double value)
{
    key(name);
    print_double(value);
}

static void
print_word(uint64_t value)
{
    const char *quote = value >> 53 == 0 ? "" : "\"";
    printf("%s%" PRIu64 "%s", quote, value, quote);
}

static void
word(const char *name, uint64_t value)
{
    key(name);
    print_word(value);
}

static void
truth(const char *name, bool value)
{
    key(name);
    printf(value ? "true" : "false");
}

static void
print_doubles(const double *values, size_t count)
{
    printf("[");
    for (size_t i = 0; i < count; i++) {
        printf("%s", i == 0 ? "" : ", ");
        print_double(values[i]);
    }
    printf("]");
}

static void
point(const char *name, pqt_vec p)
{
    const double values[] = {p.x, p.y};
    key(name);
    print_doubles(values, 2);
}

static void
print_box(pqt_box b)
{
    const double values[] = {b.min.x, b.min.y, b.max.x, b.max.y};
    print_doubles(values, 4);
}

static void
box(const char *name, pqt_box b)
{
    key(name);
    print_box(b);
}

/* ---- Results of steps ---- */

static void
fail(const char *what)
{
    fprintf(stderr, "cases: %s\n", what);
    exit(1);
}

static const char *
name_of_status(pqt_status status)
{
    switch (status) {
    case PQT_ERROR_BOX:
        return "PQT_ERROR_BOX";
    case PQT_ERROR_BOUNDS:
        return "PQT_ERROR_BOUNDS";
    case PQT_ERROR_OPTION:
        return "PQT_ERROR_OPTION";
    case PQT_ERROR_MISMATCH:
        return "PQT_ERROR_MISMATCH";
    case PQT_ERROR_CONFLICT:
        return "PQT_ERROR_CONFLICT";
    case PQT_ERROR_BODY:
        return "PQT_ERROR_BODY";
    case PQT_ERROR_FORMAT:
        return "PQT_ERROR_FORMAT";
    default:
        fail(pqt_status_name(status));
        return NULL;
    }
}

/* Ends a step that makes a version: writes its size and fingerprint, or the error. */
static void
made(bool is_made, size_t size, pqt_fingerprint fingerprint, pqt_error *error)
{
    if (is_made) {
        char hex[33];
        snprintf(hex, sizeof hex, "%016" PRIx64 "%016" PRIx64, fingerprint.high, fingerprint.low);
        word("size", size);
        text("fingerprint", hex);
    } else {
        text("error", name_of_status(error->status));
        word("status", (uint64_t)error->status);
        *error = (pqt_error){0};
    }
    end();
}

static const pqt_tree *
made_tree(const pqt_tree *tree, const pqt_tree *before, pqt_error *error)
{
    const bool is_made = tree != NULL;
    made(is_made, is_made ? pqt_tree_count(tree) : 0,
         is_made ? pqt_tree_fingerprint(tree) : (pqt_fingerprint){0, 0}, error);
    return is_made ? tree : before;
}

static const pqt_map *
made_map(const pqt_map *map, const pqt_map *before, pqt_error *error)
{
    const bool is_made = map != NULL;
    made(is_made, is_made ? pqt_map_count(map) : 0,
         is_made ? pqt_map_fingerprint(map) : (pqt_fingerprint){0, 0}, error);
    return is_made ? map : before;
}

static const pqt_region *
made_region(const pqt_region *region, pqt_error *error)
{
    if (region == NULL)
        fail(error->text);
    made(true, pqt_region_count(region), pqt_region_fingerprint(region), error);
    return region;
}

static const pqt_image *
made_image(const pqt_image *image, const pqt_image *before, pqt_error *error)
{
    const bool is_made = image != NULL;
    const pqt_pixel_box bounds =
        is_made ? pqt_image_bounds(image) : (pqt_pixel_box){{0, 0}, {0, 0}};
    made(is_made, (size_t)bounds.max.x * (size_t)bounds.max.y,
         is_made ? pqt_image_fingerprint(image) : (pqt_fingerprint){0, 0}, error);
    return is_made ? image : before;
}

static const pqt_world *
made_world(const pqt_world *world, const pqt_world *before, pqt_error *error)
{
    const bool is_made = world != NULL;
    made(is_made, is_made ? pqt_world_count(world) : 0,
         is_made ? pqt_world_fingerprint(world) : (pqt_fingerprint){0, 0}, error);
    return is_made ? world : before;
}

static const pqt_document *
made_document(const pqt_document *document, const pqt_document *before, pqt_error *error)
{
    const bool is_made = document != NULL;
    made(is_made, is_made ? pqt_document_count(document) : 0,
         is_made ? pqt_document_fingerprint(document) : (pqt_fingerprint){0, 0}, error);
    return is_made ? document : before;
}

/* ---- Bytes ---- */

enum { MOST_BYTES = 1 << 16 };

typedef struct byte_list {
    size_t count;
    uint8_t bytes[MOST_BYTES];
} byte_list;

static byte_list written;

static bool
add_bytes(const void *bytes, size_t count, void *context)
{
    byte_list *list = context;
    if (count > MOST_BYTES - list->count)
        return false;
    memcpy(list->bytes + list->count, bytes, count);
    list->count += count;
    return true;
}

static void
print_hex(const char *name, const byte_list *list)
{
    key(name);
    printf("\"");
    for (size_t i = 0; i < list->count; i++)
        printf("%02x", list->bytes[i]);
    printf("\"");
}

/* Writes a step that writes `what`, one that reads its bytes as another version, and one that reads
 * them with a flipped bit. */
static void
bytes_steps(const char *kind, const char *of, bool is_written, size_t size,
            pqt_fingerprint fingerprint)
{
    pqt_error error = {0};
    if (!is_written)
        fail("a version was not written");
    begin("bytes");
    text("of", of);
    print_hex("is", &written);
    end();
    begin("read");
    text("kind", kind);
    text("as", "read");
    print_hex("bytes", &written);
    made(true, size, fingerprint, &error);
    written.bytes[written.count / 2] ^= 1;
    begin("read");
    text("kind", kind);
    text("as", "damaged");
    print_hex("bytes", &written);
    error.status = PQT_ERROR_FORMAT;
    made(false, 0, fingerprint, &error);
    written.count = 0;
}

/* ---- Trees ---- */

static pqt_memory *memory;
static pqt_error error;

static pqt_box
box_at(double x, double y, double to_x, double to_y)
{
    return (pqt_box){{x, y}, {to_x, to_y}};
}

static const pqt_tree *
make_tree(const char *as, pqt_box bounds, bool unique_ids, bool strict_bounds)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    options.unique_ids = unique_ids;
    options.strict_bounds = strict_bounds;
    begin("tree");
    text("as", as);
    box("bounds", bounds);
    truth("uniqueIds", unique_ids);
    truth("strictBounds", strict_bounds);
    return made_tree(pqt_tree_make(bounds, &options, &error), NULL, &error);
}

static void
begin_edit(const char *op, const char *of, const char *as)
{
    begin(op);
    text("of", of);
    text("as", as);
}

static void
item_fields(pqt_item item)
{
    word("id", item.id);
    box("box", item.box);
}

static const pqt_tree *
insert(const pqt_tree *tree, const char *of, const char *as, pqt_item item)
{
    begin_edit("insert", of, as);
    item_fields(item);
    return made_tree(pqt_tree_insert(tree, item, &error), tree, &error);
}

static const pqt_tree *
remove_item(const pqt_tree *tree, const char *of, const char *as, pqt_item item)
{
    begin_edit("remove", of, as);
    item_fields(item);
    return made_tree(pqt_tree_remove(tree, item, &error), tree, &error);
}

static const pqt_tree *
move_item(const pqt_tree *tree, const char *of, const char *as, pqt_item item, pqt_box to)
{
    begin_edit("move", of, as);
    item_fields(item);
    box("to", to);
    return made_tree(pqt_tree_move(tree, item, to, &error), tree, &error);
}

static void
print_items(const pqt_item *items, size_t count)
{
    printf("[");
    for (size_t i = 0; i < count; i++) {
        printf("%s[", i == 0 ? "" : ", ");
        print_word(items[i].id);
        printf(", ");
        print_box(items[i].box);
        printf("]");
    }
    printf("]");
}

static const pqt_tree *
load(const pqt_tree *tree, const char *of, const char *as, const pqt_item *items, size_t count)
{
    begin_edit("load", of, as);
    key("items");
    print_items(items, count);
    return made_tree(pqt_tree_insert_all(tree, items, count, &error), tree, &error);
}

enum { MOST_ITEMS = 400 };

typedef struct item_list {
    size_t count;
    pqt_item items[MOST_ITEMS];
} item_list;

static bool
add_item(const pqt_item *item, void *context)
{
    item_list *list = context;
    if (list->count == MOST_ITEMS)
        fail("too many items");
    list->items[list->count++] = *item;
    return true;
}

/* Writes a step that asks for the items of a window, in tree order. */
static void
write_window(const pqt_tree *tree, const char *of, pqt_box window)
{
    item_list found = {.count = 0};
    const pqt_query query = {.window = window, .relation = PQT_TOUCHES};
    (void)pqt_tree_visit(tree, &query, add_item, &found);
    begin("window");
    text("of", of);
    box("box", window);
    key("is");
    print_items(found.items, found.count);
    end();
    begin("count");
    text("of", of);
    box("box", window);
    word("is", pqt_tree_count_in(tree, &query));
    end();
}

static void
write_nearest(const pqt_tree *tree, const char *of, pqt_vec at, size_t most)
{
    pqt_near found[16];
    const size_t count = pqt_tree_nearest(tree, (pqt_box){at, at}, NULL, found, most);
    begin("nearest");
    text("of", of);
    point("at", at);
    word("most", most);
    key("is");
    printf("[");
    for (size_t i = 0; i < count; i++)
        printf("%s", i == 0 ? "" : ", "), print_word(found[i].item.id);
    printf("]");
    key("distances");
    printf("[");
    for (size_t i = 0; i < count; i++)
        printf("%s%.17g", i == 0 ? "" : ", ", found[i].distance);
    printf("]");
    end();
}

static void
write_equality(const char *of, const char *other, bool is_equal)
{
    begin("equals");
    text("of", of);
    text("other", other);
    truth("is", is_equal);
    end();
}

static bool
print_change(const pqt_change *change, void *context)
{
    bool *is_first = context;
    printf("%s[\"%s\", ", *is_first ? "" : ", ",
           change->kind == PQT_INSERT   ? "insert"
           : change->kind == PQT_REMOVE ? "remove"
                                        : "move");
    print_word(change->item.id);
    printf(", ");
    print_box(change->item.box);
    if (change->kind == PQT_MOVE) {
        printf(", ");
        print_box(change->to);
    }
    printf("]");
    *is_first = false;
    return true;
}

static void
write_diff(const pqt_tree *tree, const char *of, const pqt_tree *other, const char *name)
{
    bool is_first = true;
    begin("diff");
    text("of", of);
    text("other", name);
    key("is");
    printf("[");
    if (!pqt_tree_visit_diff(tree, other, NULL, print_change, &is_first, &error))
        fail(error.text);
    printf("]");
    end();
}

/* Writes a step that applies changes together. They have the form of those of a difference. */
static const pqt_tree *
apply(const pqt_tree *tree, const char *of, const char *as, const pqt_change *changes, size_t count)
{
    bool is_first = true;
    begin_edit("apply", of, as);
    key("changes");
    printf("[");
    for (size_t i = 0; i < count; i++)
        (void)print_change(&changes[i], &is_first);
    printf("]");
    return made_tree(pqt_tree_apply(tree, changes, count, &error), tree, &error);
}

static void
merge_fields(const char *of, const char *ours, const char *theirs, const char *resolution)
{
    text("of", of);
    text("ours", ours);
    text("theirs", theirs);
    text("as", "merged");
    if (resolution != NULL)
        text("resolution", resolution);
}

static pqt_resolution
resolve_items(const pqt_conflict *conflict, pqt_items *answer, void *context)
{
    const pqt_resolution *resolution = context;
    (void)conflict;
    (void)answer;
    return *resolution;
}

/* Writes a merge, without a resolution if `name` is NULL. */
static void
merge_trees(const pqt_tree *base, const pqt_tree *ours, const pqt_tree *theirs, const char *name,
            pqt_resolution resolution)
{
    pqt_merge_options options = PQT_MERGE_DEFAULTS;
    options.resolve = name == NULL ? NULL : resolve_items;
    options.context = &resolution;
    begin("merge");
    merge_fields("base", "ours", "theirs", name);
    (void)made_tree(pqt_tree_merge(base, ours, theirs, &options, &error), base, &error);
}

/* Draws a point in a rectangle. Each number is drawn by its own statement, because compilers
 * evaluate arguments and initialisers in different orders. */
static pqt_vec
drawn_point(dice *d, double width, double height)
{
    const double x = dice_real(d) * width, y = dice_real(d) * height;
    return (pqt_vec){x, y};
}

static pqt_item
drawn_item(dice *d, uint64_t id)
{
    const pqt_vec at = drawn_point(d, 900, 100), size = drawn_point(d, 9, 9);
    const double x = floor(at.x) / 8;
    return (pqt_item){box_at(x, at.y, x + size.x, at.y + floor(size.y)), id};
}

static void
tree_bytes(const pqt_tree *tree, const char *of)
{
    const bool is_written = pqt_tree_write(tree, add_bytes, &written, &error);
    bytes_steps("tree", of, is_written, pqt_tree_count(tree), pqt_tree_fingerprint(tree));
}

static void
edges_of_trees(void)
{
    begin_case("trees: touching boxes, refused boxes, an id twice");
    const pqt_item one = {box_at(10, 10, 20, 20), 1}, point_item = {box_at(20, 20, 20, 20), 2};
    const pqt_item far = {box_at(-50, 90, 400, 91), UINT64_MAX};
    const pqt_tree *a = make_tree("a", box_at(0, 0, 100, 100), false, false);
    write_window(a, "a", box_at(0, 0, 100, 100));
    const pqt_tree *b = insert(a, "a", "b", one);
    (void)insert(b, "b", "bad", (pqt_item){box_at(0, 0, NAN, 1), 5});
    (void)insert(b, "b", "bad", (pqt_item){box_at(5, 0, 4, 1), 5});
    b = insert(b, "b", "c", point_item);
    b = insert(b, "c", "d", far);
    write_window(b, "d", box_at(20, 20, 30, 30));
    write_window(b, "d", box_at(20, 5, 20, 10));
    write_window(b, "d", box_at(300, 90.5, 301, 90.75));
    write_window(b, "d", box_at(21, 21, 30, 30));
    b = insert(b, "d", "e", one);
    b = remove_item(b, "e", "f", (pqt_item){box_at(10, 10, 20, 21), 1});
    write_equality("e", "f", true);
    b = remove_item(b, "f", "g", one);
    b = move_item(b, "g", "h", point_item, box_at(-3, -3, -2, -2));
    (void)move_item(b, "h", "bad", one, box_at(0, 0, 1, 1));
    write_diff(a, "a", b, "h");
    write_nearest(b, "h", (pqt_vec){0, 0}, 3);
    begin_edit("clear", "h", "i");
    b = made_tree(pqt_tree_clear(b, &error), b, &error);
    write_equality("i", "a", pqt_tree_equals(a, b));
    end_case();
}

static void
unique_trees(void)
{
    begin_case("trees: unique ids, differences and merges");
    const pqt_tree *base = make_tree("empty", box_at(0, 0, 100, 100), true, false);
    pqt_item items[4];
    for (uint64_t id = 0; id < 4; id++)
        items[id] = (pqt_item){box_at(10.0 * (double)id, 5, 10.0 * (double)id + 5, 9), id};
    base = load(base, "empty", "base", items, 4);
    (void)insert(base, "base", "bad", items[2]);
    (void)insert(base, "base", "bad", (pqt_item){box_at(1, 1, 2, 2), 2});
    const pqt_tree *ours = move_item(base, "base", "ours", items[0], box_at(50, 50, 55, 55));
    ours = insert(ours, "ours", "ours", (pqt_item){box_at(70, 70, 71, 71), 9});
    const pqt_tree *theirs = remove_item(base, "base", "theirs", items[3]);
    merge_trees(base, ours, theirs, NULL, PQT_UNRESOLVED);
    write_diff(base, "base", ours, "ours");
    write_diff(ours, "ours", theirs, "theirs");
    theirs = move_item(theirs, "theirs", "theirs", items[0], box_at(0, 80, 5, 85));
    merge_trees(base, ours, theirs, NULL, PQT_UNRESOLVED);
    merge_trees(base, ours, theirs, "ours", PQT_KEEP_OURS);
    merge_trees(base, ours, theirs, "theirs", PQT_KEEP_THEIRS);
    merge_trees(base, ours, theirs, "neither", PQT_KEEP_NEITHER);
    merge_trees(base, ours, theirs, "base", PQT_KEEP_BASE);
    tree_bytes(ours, "ours");
    end_case();
}

static void
strict_trees(void)
{
    begin_case("trees: strict bounds");
    const pqt_tree *tree = make_tree("a", box_at(-1, -1, 1, 1), false, true);
    tree = insert(tree, "a", "b", (pqt_item){box_at(-1, -1, 1, 1), 1});
    (void)insert(tree, "b", "bad", (pqt_item){box_at(-1, -1, 1.5, 1), 2});
    (void)move_item(tree, "b", "bad", (pqt_item){box_at(-1, -1, 1, 1), 1}, box_at(-2, 0, -2, 0));
    write_window(tree, "b", box_at(1, 1, 2, 2));
    end_case();
}

static void
random_trees(void)
{
    dice d = {2026};
    begin_case("trees: random edits");
    pqt_item items[150];
    for (uint64_t id = 0; id < 150; id++)
        items[id] = drawn_item(&d, id);
    const pqt_tree *first = make_tree("empty", box_at(0, 0, 120, 110), false, false);
    first = load(first, "empty", "first", items, 150);
    const pqt_tree *tree = first;
    const char *of = "first";
    for (int i = 0; i < 40; i++) {
        const size_t k = dice_below(&d, 150);
        const pqt_item fresh = drawn_item(&d, 200 + (uint64_t)i);
        if (i % 3 == 0) {
            tree = insert(tree, of, "next", fresh);
        } else if (i % 3 == 1) {
            tree = remove_item(tree, of, "next", items[k]);
        } else if (pqt_tree_contains(tree, items[k])) {
            tree = move_item(tree, of, "next", items[k], fresh.box);
            items[k].box = fresh.box;
        }
        of = "next";
        if (i % 8 == 0) {
            const pqt_vec at = drawn_point(&d, 110, 100);
            write_window(tree, of, box_at(at.x, at.y, at.x + 15, at.y + 12));
            write_nearest(tree, of, at, 5);
        }
    }
    write_diff(first, "first", tree, "next");
    tree_bytes(tree, "next");
    end_case();
}

enum { CHANGES = 30 };

/* Applies changes of few items, so that several changes address the same item. The last of some of
   the batches leaves the strict bounds. */
static void
apply_at_random(bool unique_ids)
{
    dice d = {2027};
    pqt_item items[12];
    for (uint64_t i = 0; i < 12; i++)
        items[i] = drawn_item(&d, i / 2);
    const pqt_tree *tree = make_tree("a", box_at(0, 0, 130, 120), unique_ids, true);
    const char *of = "a";
    for (int i = 0; i < 6; i++) {
        pqt_change changes[CHANGES];
        const size_t count = 1 + dice_below(&d, CHANGES);
        for (size_t k = 0; k < count; k++)
            changes[k] = (pqt_change){(pqt_change_kind)(PQT_INSERT + dice_below(&d, 3)),
                                      items[dice_below(&d, 12)], items[dice_below(&d, 12)].box};
        if (i % 3 == 2)
            changes[count - 1] = (pqt_change){PQT_MOVE, items[0], box_at(0, 0, 130, 120.5)};
        tree = apply(tree, of, "b", changes, count);
        of = i == 0 ? "b" : of;
    }
    write_window(tree, "b", box_at(0, 0, 130, 120));
}

static void
trees_of_many_edits(void)
{
    begin_case("trees: many edits as one version");
    apply_at_random(false);
    apply_at_random(true);
    end_case();
}

/* ---- Maps ---- */

static const pqt_map *
make_map(const char *as, pqt_map_keys keys, pqt_map_values values)
{
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = memory;
    options.keys = keys;
    options.values = values;
    begin("map");
    text("as", as);
    text("keys", keys == PQT_MAP_IDS ? "ids" : "bytes");
    text("values", values == PQT_MAP_NUMBERS ? "numbers" : "bytes");
    return made_map(pqt_map_make(&options, &error), NULL, &error);
}

/* Sets a key of a map. Byte strings are given as text. */
static const pqt_map *
set_entry(const pqt_map *map, const char *of, const char *as, pqt_map_key k, const char *bytes,
          uint64_t value)
{
    begin_edit("set", of, as);
    if (k.bytes != NULL)
        text("key", k.bytes);
    else
        word("key", k.id);
    pqt_map_value v = pqt_map_number(value);
    if (bytes != NULL) {
        v = pqt_map_bytes(bytes, strlen(bytes));
        text("value", bytes);
    } else {
        word("value", value);
    }
    return made_map(pqt_map_insert(map, k, v, &error), map, &error);
}

static const pqt_map *
remove_entry(const pqt_map *map, const char *of, const char *as, uint64_t id)
{
    begin_edit("delete", of, as);
    word("key", id);
    return made_map(pqt_map_remove(map, pqt_map_id(id), &error), map, &error);
}

static void
write_value(const pqt_map *map, const char *of, pqt_map_key k, bool is_text)
{
    pqt_map_value value = {.number = 0};
    const bool found = pqt_map_find(map, k, &value);
    begin("get");
    text("of", of);
    if (k.bytes != NULL)
        text("key", k.bytes);
    else
        word("key", k.id);
    if (!found) {
        key("is");
        printf("null");
    } else if (is_text) {
        char copy[64] = "";
        if (value.size >= sizeof copy)
            fail("a value is too long");
        memcpy(copy, value.bytes, value.size);
        text("is", copy);
    } else {
        word("is", value.number);
    }
    end();
}

static pqt_map_resolution
resolve_entry(const pqt_map_conflict *conflict, pqt_map_value *answer, void *context)
{
    const pqt_map_resolution *resolution = context;
    (void)conflict;
    (void)answer;
    return *resolution;
}

static void
merge_maps(const pqt_map *base, const pqt_map *ours, const pqt_map *theirs, const char *name,
           pqt_map_resolution resolution)
{
    pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
    options.resolve = name == NULL ? NULL : resolve_entry;
    options.context = &resolution;
    begin("merge");
    merge_fields("base", "ours", "theirs", name);
    (void)made_map(pqt_map_merge(base, ours, theirs, &options, &error), base, &error);
}

static void
map_bytes(const pqt_map *map, const char *of)
{
    const bool is_written = pqt_map_write(map, add_bytes, &written, &error);
    bytes_steps("map", of, is_written, pqt_map_count(map), pqt_map_fingerprint(map));
}

static void
maps(void)
{
    begin_case("maps: ids to texts, and merges");
    const pqt_map *base = make_map("empty", PQT_MAP_IDS, PQT_MAP_BYTE_VALUES);
    base = set_entry(base, "empty", "base", pqt_map_id(1), "oak", 0);
    base = set_entry(base, "base", "base", pqt_map_id(2), "", 0);
    base = set_entry(base, "base", "base", pqt_map_id(UINT64_MAX), "ash", 0);
    write_value(base, "base", pqt_map_id(2), true);
    write_value(base, "base", pqt_map_id(3), true);
    const pqt_map *ours = set_entry(base, "base", "ours", pqt_map_id(1), "elm", 0);
    const pqt_map *theirs = remove_entry(base, "base", "theirs", 2);
    theirs = remove_entry(theirs, "theirs", "theirs", 7);
    merge_maps(base, ours, theirs, NULL, PQT_MAP_UNRESOLVED);
    theirs = set_entry(theirs, "theirs", "theirs", pqt_map_id(1), "yew", 0);
    merge_maps(base, ours, theirs, NULL, PQT_MAP_UNRESOLVED);
    merge_maps(base, ours, theirs, "ours", PQT_MAP_KEEP_OURS);
    merge_maps(base, ours, theirs, "theirs", PQT_MAP_KEEP_THEIRS);
    merge_maps(base, ours, theirs, "neither", PQT_MAP_KEEP_NEITHER);
    merge_maps(base, ours, theirs, "base", PQT_MAP_KEEP_BASE);
    map_bytes(theirs, "theirs");
    end_case();

    begin_case("maps: texts to numbers");
    const pqt_map *map = make_map("map", PQT_MAP_BYTE_KEYS, PQT_MAP_NUMBERS);
    map = set_entry(map, "map", "map", pqt_map_text("a"), NULL, 1);
    map = set_entry(map, "map", "map", pqt_map_text("a longer key, 32 bytes at most.."), NULL, 99);
    map = set_entry(map, "map", "map", pqt_map_text("a"), NULL, UINT64_MAX);
    write_value(map, "map", pqt_map_text("a"), false);
    write_value(map, "map", pqt_map_text("b"), false);
    map_bytes(map, "map");
    end_case();
}

/* ---- Regions ---- */

static const pqt_region *
region_of_box(const char *as, pqt_pixel_box b)
{
    const double sides[] = {b.min.x, b.min.y, b.max.x, b.max.y};
    begin("region");
    text("as", as);
    key("box");
    print_doubles(sides, 4);
    return made_region(
        pqt_region_paint(pqt_region_make(memory, &error), pqt_paint_box(PQT_PAINT_SET, b), &error),
        &error);
}

static const pqt_region *
paint_disc(const pqt_region *region, const char *of, const char *as, pqt_vec centre, double radius,
           bool sets)
{
    begin_edit("disc", of, as);
    point("at", centre);
    number("radius", radius);
    truth("set", sets);
    const pqt_paint disc = pqt_paint_disc(sets ? PQT_PAINT_SET : PQT_PAINT_CLEAR, centre, radius);
    return made_region(pqt_region_paint(region, disc, &error), &error);
}

static const pqt_region *
combine(const char *op, const char *of, const char *other, const char *as, const pqt_region *result)
{
    begin_edit(op, of, as);
    text("other", other);
    return made_region(result, &error);
}

static const pqt_region *
change_region(const char *op, const char *of, const char *as, int32_t x, int32_t y,
              const pqt_region *result)
{
    const double by[] = {x, y};
    begin_edit(op, of, as);
    key("by");
    print_doubles(by, 2);
    return made_region(result, &error);
}

static void
write_sweep(const pqt_region *mover, const char *of, const pqt_region *other, const char *name,
            pqt_vec from, pqt_vec to)
{
    const pqt_region_sweep s = pqt_region_sweep_region(
        (pqt_region_mover){mover, from, to}, (pqt_region_mover){other, {0, 0}, {0, 0}}, NULL);
    begin("sweep");
    text("of", of);
    text("other", name);
    point("from", from);
    point("to", to);
    word("status", s.status);
    number("time", s.time);
    point("stop", s.stop);
    word("blocked", s.blocked & (PQT_BLOCKED_X | PQT_BLOCKED_Y));
    end();
}

static void
regions(void)
{
    const pqt_pixel here = {0, 0};
    begin_case("regions: painting, sets, sweeps");
    const pqt_region *land = region_of_box("land", (pqt_pixel_box){{0, 0}, {100, 40}});
    land = paint_disc(land, "land", "land", (pqt_vec){50, 0}, 20, false);
    land = paint_disc(land, "land", "land", (pqt_vec){-30.5, 70.25}, 12.75, true);
    const pqt_region *ship = region_of_box("ship", (pqt_pixel_box){{-3, -2}, {4, 3}});
    ship = paint_disc(ship, "ship", "ship", (pqt_vec){0, 0}, 1, false);
    (void)combine("union", "land", "ship", "both", pqt_region_union(land, ship, here, &error));
    (void)combine("intersection", "land", "ship", "common",
                  pqt_region_intersection(land, ship, here, &error));
    (void)combine("difference", "land", "ship", "rest",
                  pqt_region_difference(land, ship, here, &error));
    const pqt_region *odd =
        combine("xor", "land", "ship", "odd", pqt_region_xor(land, ship, here, &error));
    (void)change_region("shift", "odd", "moved", -7, 900,
                        pqt_region_move(odd, (pqt_pixel){-7, 900}, &error));
    (void)change_region("dilate", "ship", "larger", 3, 8,
                        pqt_region_dilate(ship, 3, PQT_CONNECTIVITY_8, &error));
    (void)change_region("erode", "land", "smaller", 2, 4,
                        pqt_region_erode(land, 2, PQT_CONNECTIVITY_4, &error));
    write_equality("land", "odd", pqt_region_equals(land, odd));
    write_sweep(ship, "ship", land, "land", (pqt_vec){50, -60}, (pqt_vec){50, 60});
    write_sweep(ship, "ship", land, "land", (pqt_vec){-60, 10.5}, (pqt_vec){300, 10.5});
    write_sweep(ship, "ship", land, "land", (pqt_vec){110, 120}, (pqt_vec){92, 10});
    write_sweep(ship, "ship", land, "land", (pqt_vec){-60, -5}, (pqt_vec){300, -4});
    write_sweep(ship, "ship", land, "land", (pqt_vec){10, 30}, (pqt_vec){10, 100});
    const bool is_written = pqt_region_write(land, add_bytes, &written, &error);
    bytes_steps("region", "land", is_written, pqt_region_count(land), pqt_region_fingerprint(land));
    end_case();
}

/* ---- Images ---- */

static void
colour_field(pqt_rgba c)
{
    const double channels[] = {c.r, c.g, c.b, c.a};
    key("colour");
    print_doubles(channels, 4);
}

static void
mode_field(pqt_ink_mode mode)
{
    text("mode", mode == PQT_INK_OVER ? "over" : "replace");
}

static void
pixel_field(const char *name, pqt_pixel p)
{
    const double numbers[] = {p.x, p.y};
    key(name);
    print_doubles(numbers, 2);
}

static void
print_pixel_box(pqt_pixel_box b)
{
    const double sides[] = {b.min.x, b.min.y, b.max.x, b.max.y};
    print_doubles(sides, 4);
}

static const pqt_image *
image_of_colour(const char *as, size_t width, size_t height, pqt_rgba colour)
{
    begin("image");
    text("as", as);
    word("width", width);
    word("height", height);
    colour_field(colour);
    return made_image(pqt_image_make(width, height, colour, memory, &error), NULL, &error);
}

static const pqt_image *
draw_stroke(const pqt_image *image, const char *of, const char *as, pqt_vec from, pqt_vec to,
            double radius, pqt_rgba colour, pqt_ink_mode mode)
{
    begin_edit("ink", of, as);
    point("from", from);
    point("to", to);
    number("radius", radius);
    colour_field(colour);
    mode_field(mode);
    const pqt_paint stroke = pqt_paint_stroke(PQT_PAINT_SET, from, to, radius);
    return made_image(pqt_image_paint(image, stroke, colour, mode, &error), image, &error);
}

static const pqt_image *
fill_image(const pqt_image *image, const char *of, const char *as, const pqt_region *region,
           const char *other, pqt_pixel at, pqt_rgba colour, pqt_ink_mode mode)
{
    begin_edit("fill", of, as);
    text("other", other);
    pixel_field("at", at);
    colour_field(colour);
    mode_field(mode);
    return made_image(pqt_image_fill(image, region, at, colour, mode, &error), image, &error);
}

static const pqt_image *
blit_image(const pqt_image *image, const char *of, const char *as, const pqt_image *source,
           const char *other, pqt_pixel_box b, pqt_pixel at, pqt_ink_mode mode)
{
    begin_edit("blit", of, as);
    text("other", other);
    key("box");
    print_pixel_box(b);
    pixel_field("at", at);
    mode_field(mode);
    return made_image(pqt_image_blit(image, source, b, at, mode, &error), image, &error);
}

static const pqt_image *
flood_image(const pqt_image *image, const char *of, const char *as, pqt_pixel at, uint8_t tolerance,
            pqt_rgba colour, pqt_ink_mode mode)
{
    begin_edit("flood", of, as);
    pixel_field("at", at);
    word("tolerance", tolerance);
    colour_field(colour);
    mode_field(mode);
    return made_image(pqt_image_flood(image, at, tolerance, colour, mode, &error), image, &error);
}

static void
ask_pixel(const pqt_image *image, const char *of, pqt_pixel at)
{
    const pqt_rgba c = pqt_image_pixel(image, at);
    const double channels[] = {c.r, c.g, c.b, c.a};
    begin("pixel");
    text("of", of);
    pixel_field("at", at);
    key("is");
    print_doubles(channels, 4);
    end();
}

static bool
print_changed_box(const pqt_pixel_box *box, void *context)
{
    bool *is_first = context;
    printf("%s", *is_first ? "" : ", ");
    *is_first = false;
    print_pixel_box(*box);
    return true;
}

static void
ask_damage(const pqt_image *before, const char *of, const pqt_image *after, const char *other)
{
    bool is_first = true;
    begin("damage");
    text("of", of);
    text("other", other);
    key("is");
    printf("[");
    if (!pqt_image_visit_diff(before, after, print_changed_box, &is_first, &error))
        fail(error.text);
    printf("]");
    end();
}

static pqt_image_resolution
resolve_pixels(const pqt_pixel_box *box, void *context)
{
    const pqt_image_resolution *resolution = context;
    (void)box;
    return *resolution;
}

static void
merge_images(const pqt_image *base, const pqt_image *ours, const pqt_image *theirs,
             const char *name, pqt_image_resolution resolution)
{
    begin("merge");
    merge_fields("base", "ours", "theirs", name);
    pqt_image_resolve_fn *resolve = name == NULL ? NULL : resolve_pixels;
    (void)made_image(pqt_image_merge(base, ours, theirs, resolve, &resolution, &error), base,
                     &error);
}

static void
images(void)
{
    const pqt_rgba white = {255, 255, 255, 255}, glaze = {200, 10, 0, 128}, ink = {0, 60, 90, 255};
    begin_case("images: drawing, floods, differences, merges");
    const pqt_image *base = image_of_colour("base", 100, 70, white);
    base = draw_stroke(base, "base", "base", (pqt_vec){9, 9}, (pqt_vec){80, 50.5}, 7.25, glaze,
                       PQT_INK_OVER);
    base = draw_stroke(base, "base", "base", (pqt_vec){90, 9}, (pqt_vec){-20, 60}, 4, glaze,
                       PQT_INK_OVER);
    const pqt_region *shape = region_of_box("shape", (pqt_pixel_box){{0, 0}, {20, 33}});
    shape = paint_disc(shape, "shape", "shape", (pqt_vec){10, 16}, 8, false);
    const pqt_image *ours = fill_image(base, "base", "ours", shape, "shape", (pqt_pixel){70, 25},
                                       (pqt_rgba){1, 2, 3, 99}, PQT_INK_OVER);
    ours = fill_image(ours, "ours", "ours", shape, "shape", (pqt_pixel){-5, 60},
                      (pqt_rgba){0, 0, 0, 0}, PQT_INK_REPLACE);
    const pqt_image *theirs =
        flood_image(base, "base", "theirs", (pqt_pixel){0, 0}, 0, ink, PQT_INK_REPLACE);
    theirs = flood_image(theirs, "theirs", "theirs", (pqt_pixel){99, 69}, 60, glaze, PQT_INK_OVER);
    theirs = blit_image(theirs, "theirs", "theirs", ours, "ours",
                        (pqt_pixel_box){{60, 20}, {95, 60}}, (pqt_pixel){3, 45}, PQT_INK_OVER);
    (void)draw_stroke(base, "base", "bad", (pqt_vec){NAN, 9}, (pqt_vec){80, 50.5}, 7.25, glaze,
                      PQT_INK_OVER);
    ask_pixel(ours, "ours", (pqt_pixel){71, 26});
    ask_pixel(theirs, "theirs", (pqt_pixel){20, 50});
    ask_pixel(theirs, "theirs", (pqt_pixel){100, 0});
    ask_damage(base, "base", ours, "ours");
    ask_damage(ours, "ours", theirs, "theirs");
    write_equality("base", "ours", pqt_image_equals(base, ours));
    merge_images(base, ours, theirs, NULL, PQT_IMAGE_UNRESOLVED);
    merge_images(base, ours, theirs, "ours", PQT_IMAGE_KEEP_OURS);
    merge_images(base, ours, theirs, "theirs", PQT_IMAGE_KEEP_THEIRS);
    merge_images(base, ours, theirs, "base", PQT_IMAGE_KEEP_BASE);
    const bool is_written = pqt_image_write(ours, add_bytes, &written, &error);
    bytes_steps("image", "ours", is_written, 7000, pqt_image_fingerprint(ours));
    end_case();
}

/* ---- Worlds ---- */

static void
print_body(pqt_body body)
{
    printf("{\"id\": ");
    print_word(body.id);
    printf(", \"at\": ");
    print_doubles((double[]){body.position.x, body.position.y}, 2);
    printf(", \"velocity\": ");
    print_doubles((double[]){body.velocity.x, body.velocity.y}, 2);
    printf(", \"radius\": %.17g, \"mass\": %.17g, \"fixed\": %s}", body.radius, body.mass,
           body.fixed ? "true" : "false");
}

static const pqt_world *
make_world(const char *as, pqt_box bounds)
{
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = memory;
    begin("world");
    text("as", as);
    box("bounds", bounds);
    return made_world(pqt_world_make(bounds, &options, &error), NULL, &error);
}

static const pqt_world *
add_bodies(const pqt_world *world, const char *of, const char *as, const pqt_body *bodies,
           size_t count)
{
    begin_edit("add", of, as);
    key("bodies");
    printf("[");
    for (size_t i = 0; i < count; i++) {
        printf("%s", i == 0 ? "" : ", ");
        print_body(bodies[i]);
    }
    printf("]");
    return made_world(pqt_world_add_all(world, bodies, count, &error), world, &error);
}

static const pqt_world *
step_world(const pqt_world *world, const char *of, const char *as, double dt, size_t times,
           double restitution, double gravity)
{
    pqt_step_options options = PQT_STEP_DEFAULTS;
    options.restitution = restitution;
    options.gravity = (pqt_vec){0, gravity};
    begin_edit("step", of, as);
    number("dt", dt);
    word("times", times);
    number("restitution", restitution);
    number("gravity", gravity);
    for (size_t i = 0; i < times; i++)
        world = pqt_world_step(world, dt, &options, &error);
    return made_world(world, NULL, &error);
}

static void
write_body_query(const pqt_world *world, const char *of, uint64_t id)
{
    pqt_body body;
    if (!pqt_world_find(world, id, &body))
        fail("a body is not there");
    begin("body");
    text("of", of);
    word("id", id);
    key("is");
    print_body(body);
    end();
}

static void
worlds(void)
{
    dice d = {2027};
    begin_case("worlds: flight, a cradle, a pile");
    const pqt_world *empty = make_world("empty", box_at(0, 0, 200, 100));
    pqt_body row[6];
    for (uint64_t id = 0; id < 6; id++)
        row[id] = (pqt_body){.id = id,
                             .position = {20 + 10.0 * (double)id + (id > 0) * 20, 50},
                             .velocity = {id == 0 ? 30 : 0, 0},
                             .radius = 5,
                             .mass = 1};
    const pqt_world *cradle = add_bodies(empty, "empty", "cradle", row, 6);
    (void)add_bodies(cradle, "cradle", "bad", row, 1);
    cradle = step_world(cradle, "cradle", "cradle", 0.0625, 40, 1, 0);
    write_body_query(cradle, "cradle", 0);
    write_body_query(cradle, "cradle", 5);
    pqt_body heap[25];
    for (uint64_t id = 0; id < 25; id++) {
        const pqt_vec at = drawn_point(&d, 190, 80), size = drawn_point(&d, 3, 1);
        heap[id] = (pqt_body){.id = 100 + id, .position = {5 + at.x, 10 + at.y}, .fixed = id == 3};
        heap[id].radius = 1 + size.x;
        heap[id].mass = 1 + size.y;
        heap[id].velocity.x = id == 3 ? 0 : 9 * dice_real(&d);
    }
    const pqt_world *pile = add_bodies(empty, "empty", "pile", heap, 25);
    pile = step_world(pile, "pile", "elastic", 0.03125, 60, 1, 0);
    pile = step_world(pile, "elastic", "settled", 0.015625, 200, 0.25, 80);
    write_body_query(pile, "settled", 110);
    const bool is_written = pqt_world_write(pile, add_bytes, &written, &error);
    bytes_steps("world", "settled", is_written, pqt_world_count(pile), pqt_world_fingerprint(pile));
    end_case();
}

/* ---- Documents ---- */

static const pqt_document *
set_part(const pqt_document *document, const char *of, const char *as, const char *part,
         const char *version, const pqt_part *value)
{
    begin_edit("setPart", of, as);
    text("part", part);
    text("to", version);
    return made_document(pqt_document_set_parts(document, value, 1, &error), document, &error);
}

static pqt_document_resolution
resolve_part(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    const pqt_document_resolution *resolution = context;
    (void)conflict;
    (void)answer;
    return *resolution;
}

static void
merge_documents(const pqt_document *base, const pqt_document *ours, const pqt_document *theirs,
                const char *name, pqt_document_resolution resolution)
{
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    options.resolve = name == NULL ? NULL : resolve_part;
    options.context = &resolution;
    begin("merge");
    merge_fields("base", "ours", "theirs", name);
    (void)made_document(pqt_document_merge(base, ours, theirs, &options, &error), base, &error);
}

static void
documents(void)
{
    begin_case("documents: a tree and its names");
    const pqt_item oak = {box_at(1, 1, 2, 2), 1}, elm = {box_at(5, 5, 7, 7), 2};
    const pqt_tree *shapes = make_tree("shapes", box_at(0, 0, 10, 10), true, false);
    shapes = insert(shapes, "shapes", "shapes", oak);
    shapes = insert(shapes, "shapes", "shapes", elm);
    const pqt_map *names = make_map("names", PQT_MAP_IDS, PQT_MAP_BYTE_VALUES);
    names = set_entry(names, "names", "names", pqt_map_id(1), "oak", 0);
    names = set_entry(names, "names", "names", pqt_map_id(2), "elm", 0);
    const pqt_part parts[] = {{"shapes", PQT_KIND_TREE, shapes, NULL},
                              {"names", PQT_KIND_MAP, names, "shapes"}};
    begin("document");
    text("as", "base");
    key("parts");
    printf("[[\"shapes\", \"shapes\", null], [\"names\", \"names\", \"shapes\"]]");
    const pqt_document *base = made_document(pqt_document_make(parts, 2, &error), NULL, &error);
    const pqt_tree *fewer = remove_item(shapes, "shapes", "fewer", oak);
    pqt_part part = {"shapes", PQT_KIND_TREE, fewer, NULL};
    const pqt_document *ours = set_part(base, "base", "ours", "shapes", "fewer", &part);
    const pqt_map *renamed = set_entry(names, "names", "renamed", pqt_map_id(2), "wych elm", 0);
    part = (pqt_part){"names", PQT_KIND_MAP, renamed, "shapes"};
    const pqt_document *theirs = set_part(base, "base", "theirs", "names", "renamed", &part);
    merge_documents(base, ours, theirs, NULL, PQT_DOCUMENT_UNRESOLVED);
    renamed = set_entry(renamed, "renamed", "renamed", pqt_map_id(1), "holm oak", 0);
    part.version = renamed;
    theirs = set_part(theirs, "theirs", "theirs", "names", "renamed", &part);
    merge_documents(base, ours, theirs, NULL, PQT_DOCUMENT_UNRESOLVED);
    merge_documents(base, ours, theirs, "ours", PQT_DOCUMENT_KEEP_OURS);
    merge_documents(base, ours, theirs, "theirs", PQT_DOCUMENT_KEEP_THEIRS);
    merge_documents(base, ours, theirs, "base", PQT_DOCUMENT_KEEP_BASE);
    const bool is_written = pqt_document_write(ours, add_bytes, &written, &error);
    bytes_steps("document", "ours", is_written, pqt_document_count(ours),
                pqt_document_fingerprint(ours));
    end_case();
}

/* ---- Histories ---- */

static void
write_history(const pqt_history *history)
{
    const pqt_tree *now = pqt_history_value(history);
    char hex[33];
    const pqt_fingerprint fingerprint = pqt_tree_fingerprint(now);
    snprintf(hex, sizeof hex, "%016" PRIx64 "%016" PRIx64, fingerprint.high, fingerprint.low);
    begin("now");
    text("of", "history");
    text("is", hex);
    end();
}

static void
move_in_time(pqt_history *history, const char *op)
{
    const bool moves =
        strcmp(op, "undo") == 0 ? pqt_history_undo(history) : pqt_history_redo(history);
    begin(op);
    text("of", "history");
    truth("is", moves);
    end();
    write_history(history);
}

static void
push(pqt_history *history, const char *version, const pqt_tree *tree)
{
    begin("push");
    text("of", "history");
    text("version", version);
    text("label", version);
    const pqt_history_entry_info info = {.label = version};
    if (!pqt_history_push(history, tree, &info, &error))
        fail(error.text);
    end();
    write_history(history);
}

static void
histories(void)
{
    begin_case("histories: undo, redo, a branch");
    const pqt_tree *first = make_tree("first", box_at(0, 0, 10, 10), false, false);
    const pqt_tree *second = insert(first, "first", "second", (pqt_item){box_at(1, 1, 2, 2), 1});
    const pqt_tree *third = insert(second, "second", "third", (pqt_item){box_at(3, 3, 4, 4), 2});
    begin("history");
    text("as", "history");
    text("of", "first");
    end();
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE), first, NULL, &error);
    if (history == NULL)
        fail(error.text);
    push(history, "second", second);
    move_in_time(history, "undo");
    move_in_time(history, "undo");
    move_in_time(history, "redo");
    move_in_time(history, "redo");
    push(history, "third", third);
    move_in_time(history, "undo");
    push(history, "first", first);
    move_in_time(history, "undo");
    move_in_time(history, "redo");
    end_case();
    pqt_history_destroy(&history);
}

int
main(void)
{
    memory = pqt_arena_make(0, &error);
    if (memory == NULL)
        fail(error.text);
    printf("{\"format\": 1, \"cases\": [");
    edges_of_trees();
    unique_trees();
    strict_trees();
    random_trees();
    trees_of_many_edits();
    maps();
    regions();
    images();
    worlds();
    documents();
    histories();
    printf("\n], \"steps\": %zu}\n", steps);
    pqt_arena_destroy(&memory);
    return 0;
}
