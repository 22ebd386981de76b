/* SPDX-License-Identifier: MIT */
/*
 * costs.c: two versions share almost all of their memory, and their copies in another heap do so,
 * too, if they are copied together.
 *
 * A tree, a map and a region are edited once. The program compares the bytes that both versions
 * share with those of one version, before and after both are copied to a second heap. Versions that
 * are copied one by one share nothing there.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>
#include <pqt/pixels.h>

enum { ITEMS = 10000, SIDE = 1024, HOLES = 2000 };

static pqt_error error;

static void
must(bool done)
{
    if (!done) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

static void
print_shared(const char *what, size_t shared, size_t bytes)
{
    printf("%s: more than nine in ten bytes are shared: %s\n", what,
           shared * 10 > bytes * 9 ? "yes" : "no");
}

static const pqt_tree *
make_items(pqt_memory *memory)
{
    static pqt_item items[ITEMS];
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    for (uint64_t id = 0; id < ITEMS; id++) {
        const double x = (double)(id * 7919 % SIDE), y = (double)(id * 104729 % 1021);
        items[id] = (pqt_item){{{x, y}, {x + 1, y + 1}}, id};
    }
    return pqt_tree_of(items, ITEMS, &options, &error);
}

static const pqt_map *
make_colours(pqt_memory *memory)
{
    static pqt_map_change changes[ITEMS];
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = memory;
    for (uint64_t id = 0; id < ITEMS; id++)
        changes[id] = (pqt_map_change){
            .kind = PQT_MAP_INSERT, .key = pqt_map_id(id), .value = pqt_map_number(id % 16)};
    return pqt_map_apply(pqt_map_make(&options, &error), changes, ITEMS, &error);
}

/* Returns a square with many holes. */
static const pqt_region *
make_mask(pqt_memory *memory)
{
    static pqt_paint paints[HOLES + 1];
    paints[0] = pqt_paint_box(PQT_PAINT_SET, (pqt_pixel_box){{0, 0}, {SIDE, SIDE}});
    for (int i = 1; i <= HOLES; i++) {
        const pqt_vec centre = {(double)(i * 7919 % SIDE), (double)(i * 104729 % 1021)};
        paints[i] = pqt_paint_disc(PQT_PAINT_CLEAR, centre, 4);
    }
    return pqt_region_paint_all(pqt_region_make(memory, &error), paints, HOLES + 1, &error);
}

int
main(void)
{
    pqt_memory *heap = pqt_heap_make(NULL, &error), *second = pqt_heap_make(NULL, &error);
    must(heap != NULL && second != NULL);
    const pqt_item added = {{{3, 3}, {4, 4}}, ITEMS};
    const pqt_tree *items[2] = {make_items(heap)};
    const pqt_map *colours[2] = {make_colours(heap)};
    const pqt_region *masks[2] = {make_mask(heap)};
    items[1] = pqt_tree_insert(items[0], added, &error);
    colours[1] = pqt_map_insert(colours[0], pqt_map_id(7), pqt_map_number(99), &error);
    masks[1] =
        pqt_region_paint(masks[0], pqt_paint_disc(PQT_PAINT_CLEAR, (pqt_vec){500, 500}, 9), &error);
    must(error.status == PQT_OK);

    const size_t map_bytes = pqt_map_get_stats(colours[0]).bytes;
    const size_t mask_bytes = pqt_region_get_stats(masks[0]).bytes;
    print_shared("items", pqt_tree_shared_bytes(items[0], items[1]),
                 pqt_tree_get_stats(items[0]).bytes);
    print_shared("colours", pqt_map_shared_bytes(colours[0], colours[1]), map_bytes);
    print_shared("masks", pqt_region_shared_bytes(masks[0], masks[1]), mask_bytes);

    const pqt_document *documents[2], *document_copies[2];
    const pqt_map *colour_copies[2];
    const pqt_region *mask_copies[2];
    for (int i = 0; i < 2; i++) {
        const pqt_part parts[] = {{"items", PQT_KIND_TREE, items[i], NULL},
                                  {"mask", PQT_KIND_REGION, masks[i], NULL}};
        documents[i] = pqt_document_make(parts, 2, &error);
    }
    must(documents[0] != NULL && documents[1] != NULL);
    must(pqt_map_copy_all(colours, 2, second, colour_copies, &error));
    must(pqt_region_copy_all(masks, 2, second, mask_copies, &error));
    must(pqt_document_copy_all(documents, 2, second, document_copies, &error));
    pqt_heap_destroy(&heap); /* only the copies remain */
    printf("all copies are in the second heap: %s\n",
           pqt_map_memory(colour_copies[1]) == second &&
                   pqt_region_memory(mask_copies[1]) == second &&
                   pqt_document_memory(document_copies[1]) == second
               ? "yes"
               : "no");
    print_shared("copied colours", pqt_map_shared_bytes(colour_copies[0], colour_copies[1]),
                 map_bytes);
    print_shared("copied masks", pqt_region_shared_bytes(mask_copies[0], mask_copies[1]),
                 mask_bytes);
    for (int i = 0; i < 2; i++)
        mask_copies[i] = pqt_document_region(document_copies[i], "mask");
    print_shared("masks of copied documents",
                 pqt_region_shared_bytes(mask_copies[0], mask_copies[1]), mask_bytes);
    size_t shared = 0, bytes = 0;
    must(pqt_version_shared_bytes(document_copies[0], document_copies[1], &shared, &error));
    must(pqt_version_exclusive_bytes(document_copies[0], NULL, 0, &bytes, &error));
    print_shared("copied documents", shared, bytes);
    pqt_heap_destroy(&second);
    return 0;
}
