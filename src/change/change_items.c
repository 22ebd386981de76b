/* SPDX-License-Identifier: MIT */
/*
 * change_items.c: the changes of a tree: items inserted, removed and moved.
 *
 * Each change consists of a byte with its kind, the difference between its id and the previous id,
 * and the box as four short words: min.x, min.y, max.x xor min.x, and max.y xor min.y. For a move,
 * the new box follows: its min xor the old min, and its max xor the sum of the new min and the old
 * size. A drag keeps the size except for rounding, so few bits of these last words are set.
 */
#include "config.h"

#include "change/change_part.h"

#include <pqt/diff.h>

#include <string.h>

#include "base/fp.h"
#include "tree/algebra/same_depth.h"
#include "tree/item_hash.h"

typedef struct item_writer {
    pqti_byte_buffer *to;
    uint64_t last_id;
} item_writer;

/* Maps negative differences of ids to odd numbers, so that small differences of either sign have
   short varints. */
static uint64_t
zigzag_encode(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t
zigzag_decode(uint64_t encoded)
{
    return encoded >> 1 ^ (0 - (encoded & 1));
}

/* Returns the predicted edge of a box, which is at distance `size` from `min`. */
static uint64_t
expected_edge(double min, double old_min, double old_max)
{
    return pqti_bits_of(min + (old_max - old_min));
}

static bool
write_change(const pqt_change *change, void *context)
{
    item_writer *writer = context;
    pqti_byte_buffer *to = writer->to;
    const pqt_box *box = &change->item.box, *moved = &change->to;
    const uint64_t x = pqti_bits_of(box->min.x), y = pqti_bits_of(box->min.y);
    pqti_put_byte(to, change->kind);
    pqti_put_varint(to, zigzag_encode(change->item.id - writer->last_id));
    writer->last_id = change->item.id;
    pqti_put_word(to, x);
    pqti_put_word(to, y);
    pqti_put_word(to, pqti_bits_of(box->max.x) ^ x);
    pqti_put_word(to, pqti_bits_of(box->max.y) ^ y);
    if (change->kind == PQT_MOVE) {
        pqti_put_word(to, pqti_bits_of(moved->min.x) ^ x);
        pqti_put_word(to, pqti_bits_of(moved->min.y) ^ y);
        pqti_put_word(to, pqti_bits_of(moved->max.x) ^
                              expected_edge(moved->min.x, box->min.x, box->max.x));
        pqti_put_word(to, pqti_bits_of(moved->max.y) ^
                              expected_edge(moved->min.y, box->min.y, box->max.y));
    }
    return true;
}

static bool
write_items(pqti_byte_buffer *to, const void *before, const void *after, pqti_encoding *encoding,
            pqt_error *error)
{
    item_writer writer = {to, 0};
    if (!pqti_are_of_one_shape(before, after))
        return true;
    *encoding = PQTI_REVERSIBLE;
    return pqt_tree_visit_diff(before, after, NULL, write_change, &writer, error);
}

static void
read_box(pqti_byte_source *source, pqt_box *box)
{
    const uint64_t x = pqti_get_word(source), y = pqti_get_word(source);
    box->min = (pqt_vec){pqti_double_of(x), pqti_double_of(y)};
    const uint64_t max_x = pqti_get_word(source) ^ x;
    box->max = (pqt_vec){pqti_double_of(max_x), pqti_double_of(pqti_get_word(source) ^ y)};
}

static void
read_moved_box(pqti_byte_source *source, const pqt_box *old, pqt_box *box)
{
    box->min.x = pqti_double_of(pqti_get_word(source) ^ pqti_bits_of(old->min.x));
    box->min.y = pqti_double_of(pqti_get_word(source) ^ pqti_bits_of(old->min.y));
    box->max.x =
        pqti_double_of(pqti_get_word(source) ^ expected_edge(box->min.x, old->min.x, old->max.x));
    box->max.y =
        pqti_double_of(pqti_get_word(source) ^ expected_edge(box->min.y, old->min.y, old->max.y));
}

/* Returns the inverse of a change. */
static pqt_change
reversed_change(pqt_change change)
{
    pqt_change back = change;
    if (change.kind == PQT_MOVE) {
        back.item.box = change.to;
        back.to = change.item.box;
    } else {
        back.kind = change.kind == PQT_INSERT ? PQT_REMOVE : PQT_INSERT;
    }
    return back;
}

/* Reads one change. Checks its boxes here, because an error from pqt_tree_apply would name the
   index of the change in a batch, which means nothing to the caller. */
static bool
read_change(pqti_byte_source *source, uint64_t *last_id, pqt_change *change)
{
    memset(change, 0, sizeof *change);
    change->kind = (pqt_change_kind)pqti_get_byte(source);
    change->item.id = *last_id += zigzag_decode(pqti_get_varint(source));
    read_box(source, &change->item.box);
    if (change->kind == PQT_MOVE)
        read_moved_box(source, &change->item.box, &change->to);
    return !source->failed && change->kind >= PQT_INSERT && change->kind <= PQT_MOVE &&
           pqt_box_is_valid(change->item.box) &&
           (change->kind != PQT_MOVE || pqt_box_is_valid(change->to));
}

/* Reverses the order of changes, and each of them. */
static void
reverse_changes(pqt_change *items, size_t count)
{
    for (size_t i = 0, j = count; i < j--; i++) {
        const pqt_change last = items[j];
        items[j] = reversed_change(items[i]);
        if (i != j)
            items[i] = reversed_change(last);
    }
}

static bool
read_items(pqti_changes *changes, pqti_part_changes *part, pqti_byte_source *source, bool backwards,
           pqt_error *error)
{
    const size_t first = part->count;
    uint64_t last_id = 0;
    (void)changes;
    while (source->next < source->length && !source->failed) {
        pqt_change *items = pqti_part_reserve(part, sizeof *items, error);
        if (items == NULL)
            return false;
        if (!read_change(source, &last_id, &items[part->count]))
            source->failed = true;
        else
            part->count++;
    }
    if (backwards && part->count > first)
        reverse_changes((pqt_change *)part->array + first, part->count - first);
    return true;
}

static const void *
apply_items(const pqti_changes *changes, const pqti_part_changes *part, const void *start,
            pqt_error *error)
{
    (void)changes;
    return pqt_tree_apply(start, part->array, part->count, error);
}

const pqti_kind_changes pqti_tree_changes = {
    .write = write_items,
    .read = read_items,
    .apply = apply_items,
};
