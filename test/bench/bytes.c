/* SPDX-License-Identifier: MIT */
/*
 * bytes.c: counts the bytes that one edit adds, for each field.
 *
 * All edits apply to the same version. The blocks that a new version does not share with it are
 * divided into the fields of the structs in node.h. The other bytes of a block come from rounding
 * by the library or by the memory. The sums must agree with pqt_tree_get_stats and
 * pqt_tree_shared_bytes.
 */
#include <pqt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory_internal.h"
#include "random_boxes.h"
#include "tree/idmap.h"
#include "tree/path_compress.h"

enum { ITEMS = 100000, EDITS = 1000, KINDS = 4 };

typedef enum field {
    BOUNDS,
    CHILDREN,
    COUNTS,
    FINGERPRINTS,
    OWN_ITEMS,
    SPREADS,
    NODE_ROUNDING,
    BOXES,
    IDS,
    LEAF_ROUNDING,
    VERSION,
    VERSION_ROUNDING,
    ID_MAP,
    TOTAL,
    NODES, /* these are numbers of blocks, not bytes */
    LEAVES,
    LEAF_ITEMS,
    FIELDS
} field;

static const char *const names[FIELDS] = {
    [BOUNDS] = "nodes: bounds of four children",
    [CHILDREN] = "nodes: four pointers",
    [COUNTS] = "nodes: four counts",
    [FINGERPRINTS] = "nodes: fingerprint",
    [OWN_ITEMS] = "nodes: own items",
    [SPREADS] = "nodes: sides of the items",
    [NODE_ROUNDING] = "nodes: rounding",
    [BOXES] = "leaves: boxes",
    [IDS] = "leaves: ids",
    [LEAF_ROUNDING] = "leaves: rounding",
    [VERSION] = "version: fields",
    [VERSION_ROUNDING] = "version: rounding",
    [ID_MAP] = "id map",
    [TOTAL] = "bytes in all",
    [NODES] = "nodes",
    [LEAVES] = "leaves",
    [LEAF_ITEMS] = "items in these leaves",
};

/* The sums over all edits of one kind. */
typedef struct sums {
    double of[FIELDS];
} sums;

static void
add(sums *s, field to, size_t amount)
{
    s->of[to] += (double)amount;
}

static void
add_leaf(sums *s, const pqt_memory *memory, pqti_node_ref leaf)
{
    size_t boxes = leaf.count * 4 * sizeof(double), ids = leaf.count * sizeof(uint64_t);
    add(s, BOXES, boxes);
    add(s, IDS, ids);
    add(s, LEAF_ROUNDING,
        pqti_block_size(memory, leaf.at, pqti_leaf_size(leaf.count)) - boxes - ids);
    add(s, LEAVES, 1);
    add(s, LEAF_ITEMS, leaf.count);
}

static void
add_inner(sums *s, const pqt_memory *memory, pqti_node_ref ref)
{
    const pqti_inner *node = ref.at;
    bool has_own_items = pqti_own_count(node, ref.count) != 0;
    size_t bounds =
        sizeof node->min_x + sizeof node->min_y + sizeof node->max_x + sizeof node->max_y;
    size_t own_bytes = has_own_items ? sizeof *node->own : 0;
    size_t spread = ref.is_hash ? sizeof(pqti_side_range) : 0;
    add(s, BOUNDS, bounds);
    add(s, CHILDREN, sizeof node->child);
    add(s, COUNTS, sizeof node->count);
    add(s, FINGERPRINTS, sizeof node->fingerprint);
    add(s, OWN_ITEMS, own_bytes);
    add(s, SPREADS, spread);
    add(s, NODE_ROUNDING,
        pqti_block_size(memory, node, pqti_inner_size(has_own_items, ref.is_hash)) - bounds -
            sizeof node->child - sizeof node->count - sizeof node->fingerprint - own_bytes -
            spread);
    add(s, NODES, 1);
}

/* Adds the blocks of a subtree, except those that the older version has at the same position:
   shared blocks have equal positions. */
static void
add_shifted_word(sums *s, const pqti_domain *domain, pqti_level level, pqti_node_ref now,
                 pqti_node_ref before)
{
    pqti_inner virtual_node_now, virtual_node_before;
    if (now.at == NULL || now.at == before.at)
        return;
    if (now.leaf) {
        add_leaf(s, domain->options.memory, now);
        return;
    }
    if (!now.skips)
        add_inner(s, domain->options.memory, now);
    now = pqti_expand_skip_at(domain, level, now, &virtual_node_now);
    before = pqti_expand_skip_at(domain, level, before, &virtual_node_before);
    for (int child_index = 0; child_index < PQTI_CHILDREN; child_index++)
        add_shifted_word(s, domain, pqti_child_level(domain, level, child_index),
                         pqti_child_ref(now.at, now.count, child_index),
                         before.at == NULL || before.leaf
                             ? PQTI_EMPTY_REF
                             : pqti_child_ref(before.at, before.count, child_index));
}

static void
add_version(sums *s, const pqt_memory *memory, const pqt_tree *tree)
{
    add(s, VERSION, sizeof *tree);
    add(s, VERSION_ROUNDING, pqti_block_size(memory, tree, PQTI_VERSION_SIZE) - sizeof *tree);
}

/* Returns false if the sums differ from the numbers that the library reports. */
static bool
add_edit(sums *s, const pqt_tree *now, const pqt_tree *before)
{
    const pqt_memory *memory = now->domain->options.memory;
    sums one = {{0}};
    add_shifted_word(&one, now->domain, PQTI_ROOT, pqti_root(now), pqti_root(before));
    add_version(&one, memory, now);
    add(&one, ID_MAP,
        pqti_idmap_bytes(memory, now->ids) -
            pqti_idmap_shared_bytes(memory, now->ids, before->ids));
    for (int i = 0; i < TOTAL; i++)
        one.of[TOTAL] += one.of[i];
    for (int i = 0; i < FIELDS; i++)
        s->of[i] += one.of[i];
    return one.of[TOTAL] ==
           (double)(pqt_tree_get_stats(now).bytes - pqt_tree_shared_bytes(now, before));
}

/* ---- edits ---- */

typedef const pqt_tree *edit_fn(const pqt_tree *tree, const drawn_move *move, pqt_error *error);

/* Moves an item. Without unique ids, the same id with another box is another item. */
static const pqt_tree *
insert(const pqt_tree *tree, const drawn_move *move, pqt_error *error)
{
    return pqt_tree_insert(tree, (pqt_item){move->to, ITEMS + move->from.id}, error);
}

static const pqt_tree *
take_out(const pqt_tree *tree, const drawn_move *move, pqt_error *error)
{
    return pqt_tree_remove(tree, move->from, error);
}

static const pqt_tree *
move_item(const pqt_tree *tree, const drawn_move *move, pqt_error *error)
{
    return pqt_tree_move(tree, move->from, move->to, error);
}

static const struct {
    const char *name;
    bool unique_ids;
    edit_fn *edit;
} kinds[KINDS] = {
    {"insert", false, insert},
    {"remove", false, take_out},
    {"move", false, move_item},
    {"move, unique ids", true, move_item},
};

static void
fail_sync(const char *sentence)
{
    fprintf(stderr, "bytes: %s\n", sentence);
    exit(EXIT_FAILURE);
}

static sums
sum_up(int kind, const pqt_item *items, const drawn_move *moves)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    sums s = {{0}};
    options.unique_ids = kinds[kind].unique_ids;
    if (pqt_collector() == NULL)
        options.memory = pqt_arena_make(0, &error);
    const pqt_tree *tree = pqt_tree_of(items, ITEMS, &options, &error);
    if (tree == NULL)
        fail_sync(error.text);
    for (int i = 0; i < EDITS; i++) {
        const pqt_tree *edited = kinds[kind].edit(tree, &moves[i], &error);
        if (edited == NULL)
            fail_sync(error.text);
        if (!add_edit(&s, edited, tree))
            fail_sync("the parts do not add up to the bytes of a version");
    }
    if (options.memory != NULL)
        pqt_arena_destroy(&options.memory);
    return s;
}

/* Draws moves of one item in a hundred, so that each of the EDITS moves concerns a different
   item. */
static void
draw_ground(pqt_item *items, drawn_move *moves)
{
    static pqt_item moved[ITEMS];
    draw_items(UNIFORM, items, ITEMS);
    memcpy(moved, items, sizeof moved);
    if (draw_frame(UNIFORM, 1, false, moved, ITEMS, moves) != EDITS)
        fail_sync("the number of moves drawn differs");
}

int
main(void)
{
    static pqt_item items[ITEMS];
    static drawn_move moves[ITEMS];
    sums found[KINDS];
    pqt_error error = {0};
    if (!pqt_init(&error))
        fail_sync(error.text);
    draw_ground(items, moves);
    for (int kind = 0; kind < KINDS; kind++)
        found[kind] = sum_up(kind, items, moves);
    printf("Bytes that one edit among %d uniform items adds, mean of %d edits\n\n%-32s", ITEMS,
           EDITS, "");
    for (int kind = 0; kind < KINDS; kind++)
        printf("%18s", kinds[kind].name);
    for (int i = 0; i < FIELDS; i++) {
        printf("\n%-32s", names[i]);
        for (int kind = 0; kind < KINDS; kind++)
            printf("%18.1f", found[kind].of[i] / EDITS);
    }
    printf("\n");
    return EXIT_SUCCESS;
}
