/* SPDX-License-Identifier: MIT */
/* plugin_copy.c: a plugin that contains its own copy of the library, next to the program's copy. */
#include <stdbool.h>
#include <stdio.h>

#include <pqt.h>

PQT_API bool copy_attach(bool attach);
PQT_API bool copy_works(int count);
PQT_API bool copy_begin_heap(void);
PQT_API bool copy_edits_heap(int count);
PQT_API void copy_end_heap(void);

static pqt_memory *heap;

/* Attaches the calling thread to the collector of this copy, or detaches it. */
bool
copy_attach(bool attach)
{
    if (attach)
        return pqt_thread_attach(NULL);
    pqt_thread_detach();
    return true;
}

static bool
edits(pqt_memory *memory, int count)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.memory = memory;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {100, 100}}, &options, &error);
    for (int i = 0; i < count; i++) {
        const double x = i % 100, y = i / 100 % 100;
        tree = pqt_tree_insert(tree, (pqt_item){{{x, y}, {x, y}}, (uint64_t)i}, &error);
    }
    const bool right =
        tree != NULL && pqt_tree_count(tree) == (size_t)count && pqt_tree_check(tree, &error);
    if (!right)
        fprintf(stderr, "# the copy: %s\n", error.text);
    return right;
}

/* Makes `count` versions in the default memory that only the stack refers to. Returns true if they
   are correct. With enough edits, the collector runs. */
bool
copy_works(int count)
{
    return edits(NULL, count);
}

/* Makes a heap, which only the copy knows. */
bool
copy_begin_heap(void)
{
    heap = pqt_heap_make(NULL, NULL);
    return heap != NULL;
}

/* Does the same as copy_works in the heap. Afterwards the calling thread holds free blocks. */
bool
copy_edits_heap(int count)
{
    return edits(heap, count);
}

void
copy_end_heap(void)
{
    pqt_heap_destroy(&heap);
}
