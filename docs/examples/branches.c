/* SPDX-License-Identifier: MIT */
/*
 * branches.c: two drafts of one plan are branches of its history, and are merged.
 *
 * The last common ancestor of both is the base of the merge. The program also prints the path from
 * one draft to the other, and the memory that dropping an entry would free.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>

static pqt_history *history;
static pqt_error error;

static void
must(bool done)
{
    if (!done) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

/* Inserts a square into the current version, as a new entry. Returns its number. */
static uint64_t
draw(uint64_t id, double x, double y, const char *label)
{
    const pqt_item square = {{{x, y}, {x + 10, y + 10}}, id};
    must(pqt_history_push(history, pqt_tree_insert(pqt_history_value(history), square, &error),
                          &(pqt_history_entry_info){.label = label}, &error));
    return pqt_history_current(history);
}

static bool
print_label(const pqt_history_entry *entry, void *context)
{
    (void)context;
    printf(" %" PRIu64 " %s,", entry->number, entry->label);
    return true;
}

/* Prints whether dropping an entry frees anything, and how much of its version is its own. */
static void
print_bytes(uint64_t entry)
{
    pqt_history_bytes bytes;
    must(pqt_history_get_bytes(history, entry, &bytes, &error));
    printf(
        "entry %" PRIu64 ": %s than a tenth of its bytes are its own, and dropping it frees %s\n",
        entry, bytes.added * 10 < bytes.all ? "less" : "more", bytes.freed > 0 ? "some" : "none");
}

int
main(void)
{
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    pqt_item items[2000];
    options.unique_ids = true; /* a merge matches items by id */
    for (uint64_t id = 0; id < 2000; id++) {
        const double x = (double)(id * 37 % 1000), y = (double)(id * 61 % 997);
        items[id] = (pqt_item){{{x, y}, {x + 1, y + 1}}, id};
    }
    history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE),
                               pqt_tree_of(items, 2000, &options, &error), NULL, &error);
    must(history != NULL);

    const uint64_t hall = draw(3000, 100, 100, "hall");
    draw(3001, 200, 100, "stairs");
    const uint64_t tower = draw(3002, 300, 100, "tower");
    must(pqt_history_checkout(history, hall, &error)); /* the second draft begins here */
    const uint64_t garden = draw(3003, 400, 100, "garden");

    printf("from the tower to the garden:");
    pqt_history_visit_path(history, tower, garden, print_label, NULL);
    uint64_t base = 0;
    must(pqt_history_common_ancestor(history, tower, garden, &base));
    printf("\nboth begin at %" PRIu64 "\n", base);
    print_bytes(tower);

    const pqt_tree *both =
        pqt_tree_merge(pqt_history_value_of(history, base), pqt_history_value_of(history, tower),
                       pqt_history_value_of(history, garden), NULL, &error);
    must(pqt_history_push(history, both, &(pqt_history_entry_info){.label = "both"}, &error));
    printf("merged: %zu items\n", pqt_tree_count(pqt_history_value(history)));
    pqt_history_destroy(&history);
    return 0;
}
