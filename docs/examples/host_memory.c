/* SPDX-License-Identifier: MIT */
/*
 * host_memory.c: a host without a collector provides the memory for all versions, and limits it.
 *
 * The heap allocates memory for versions only with the host's functions. At the limit, an edit
 * fails and every version stays valid. Reclaiming the versions that no pin holds makes room again.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>

enum { LIMIT = 1000000 };

typedef struct host {
    size_t bytes, most; /* bytes allocated now, and their maximum so far */
} host;

static void *
allocate(size_t bytes, size_t alignment, void *context)
{
    host *this = context;
    void *memory = aligned_alloc(alignment, bytes);
    if (memory == NULL)
        return NULL;
    this->bytes += bytes;
    this->most = this->bytes > this->most ? this->bytes : this->most;
    return memory;
}

static void
release(void *memory, size_t bytes, void *context)
{
    host *this = context;
    this->bytes -= bytes;
    free(memory);
}

/* Moves the item until an edit fails. Returns the last version. */
static const pqt_tree *
move_until_full(const pqt_tree *tree, pqt_item item, pqt_error *error)
{
    for (const pqt_tree *next = tree; next != NULL;) {
        pqt_box to = pqt_box_moved(item.box, (pqt_vec){item.box.min.x < 500 ? 1 : -500, 0});
        tree = next;
        next = pqt_tree_move(tree, item, to, error);
        item.box = next != NULL ? to : item.box;
    }
    return tree;
}

int
main(void)
{
    pqt_error error = {0}, full = {0};
    host this = {0};
    pqt_heap_options heap_options = PQT_HEAP_DEFAULTS;
    heap_options.limit = LIMIT;
    heap_options.allocate = allocate;
    heap_options.release = release;
    heap_options.context = &this;
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = pqt_heap_make(&heap_options, &error);
    pqt_item item = {{{10, 10}, {20, 20}}, 1};
    const pqt_tree *tree = options.memory != NULL ? pqt_tree_of(&item, 1, &options, &error) : NULL;
    if (tree == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;

    tree = move_until_full(tree, item, &full);
    printf("an edit at the limit: %s\n", full.text);
    printf("the last version still has %zu item\n", pqt_tree_count(tree));

    pqt_pin *pin = pqt_tree_pin(tree, &error);
    pqt_memory_reclaim(options.memory, PQT_RECLAIM_ALL);
    pqt_item other = {{{30, 30}, {40, 40}}, 2};
    tree = pin != NULL ? pqt_tree_insert(pqt_pin_get_tree(pin), other, &error) : NULL;
    if (tree == NULL)
        return fprintf(stderr, "%s\n", error.text), 1;
    printf("after reclaiming, an edit succeeds: %zu items\n", pqt_tree_count(tree));

    /* A second heap takes over both versions, which share blocks there as they do here. */
    const pqt_tree *both[] = {pqt_pin_get_tree(pin), tree}, *copies[2];
    pqt_memory *second = pqt_heap_make(NULL, &error);
    if (second == NULL || !pqt_tree_copy_all(both, 2, second, copies, &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    pqt_unpin(&pin);
    pqt_heap_destroy(&options.memory);
    printf("in a second heap: %zu and %zu items\n", pqt_tree_count(copies[0]),
           pqt_tree_count(copies[1]));
    pqt_heap_destroy(&second);
    printf("the host gave at most the limit: %s; %zu bytes are left\n",
           this.most <= LIMIT ? "yes" : "no", this.bytes);
    return 0;
}
