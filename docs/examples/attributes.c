/* SPDX-License-Identifier: MIT */
/* attributes.c: shapes with colours and names in one document: undo, removal and a merge treat a
   shape and its attributes as one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

static pqt_error error;

static void
must(bool done)
{
    if (!done) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

static pqt_box
square(double x, double y)
{
    return (pqt_box){{x, y}, {x + 10, y + 10}};
}

/* Returns an empty plan: a tree of shapes, and maps of their colours and names. */
static const pqt_document *
new_plan(void)
{
    pqt_tree_options unique = PQT_TREE_DEFAULTS;
    pqt_map_options texts = PQT_MAP_DEFAULTS;
    unique.unique_ids = true;
    texts.values = PQT_MAP_BYTE_VALUES;
    const pqt_part parts[] = {
        {"shapes", PQT_KIND_TREE, pqt_tree_make(square(0, 0), &unique, &error), NULL},
        {"colours", PQT_KIND_MAP, pqt_map_make(NULL, &error), "shapes"},
        {"names", PQT_KIND_MAP, pqt_map_make(&texts, &error), "shapes"},
    };
    must(error.status == PQT_OK);
    return pqt_document_make(parts, 3, &error);
}

/* Adds a shape and its attributes in one version. */
static const pqt_document *
draw(const pqt_document *plan, uint64_t id, pqt_box box, uint64_t colour, const char *name)
{
    const pqt_part parts[] = {
        {"shapes", PQT_KIND_TREE,
         pqt_tree_insert(pqt_document_tree(plan, "shapes"), (pqt_item){box, id}, &error), NULL},
        {"colours", PQT_KIND_MAP,
         pqt_map_insert(pqt_document_map(plan, "colours"), pqt_map_id(id), pqt_map_number(colour),
                        &error),
         NULL},
        {"names", PQT_KIND_MAP,
         pqt_map_insert(pqt_document_map(plan, "names"), pqt_map_id(id),
                        pqt_map_bytes(name, strlen(name)), &error),
         NULL},
    };
    return pqt_document_set_parts(plan, parts, 3, &error);
}

static const pqt_document *
paint(const pqt_document *plan, uint64_t id, uint64_t colour)
{
    return pqt_document_set_map(plan, "colours",
                                pqt_map_insert(pqt_document_map(plan, "colours"), pqt_map_id(id),
                                               pqt_map_number(colour), &error),
                                &error);
}

static const pqt_document *
erase(const pqt_document *plan, uint64_t id)
{
    return pqt_document_set_tree(
        plan, "shapes", pqt_tree_remove_id(pqt_document_tree(plan, "shapes"), id, &error), &error);
}

static bool
print_shape(const pqt_item *item, void *context)
{
    const pqt_document *plan = *(const pqt_document **)context;
    pqt_map_value colour = {0}, name = {0};
    pqt_map_find(pqt_document_map(plan, "colours"), pqt_map_id(item->id), &colour);
    pqt_map_find(pqt_document_map(plan, "names"), pqt_map_id(item->id), &name);
    printf("  %" PRIu64 " %.*s #%06" PRIx64 " at %g, %g\n", item->id, (int)name.size,
           (const char *)name.bytes, colour.number, item->box.min.x, item->box.min.y);
    return true;
}

static void
print_plan(const char *title, const pqt_document *plan)
{
    printf("%s\n", title);
    pqt_tree_visit(pqt_document_tree(plan, "shapes"), NULL, print_shape, &plan);
}

static pqt_document_resolution
keep_what_changed(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    (void)answer;
    (void)context;
    printf("conflict in %s: shape %" PRIu64 " was removed by one and changed by the other\n",
           conflict->part, conflict->item->id);
    return conflict->item->ours.count > 0 ? PQT_DOCUMENT_KEEP_OURS : PQT_DOCUMENT_KEEP_THEIRS;
}

int
main(void)
{
    const pqt_document *plan = new_plan();
    must(plan != NULL);
    pqt_history *history =
        pqt_history_make(pqt_history_kind_of(PQT_KIND_DOCUMENT), plan, NULL, &error);
    must(history != NULL);

    plan = draw(plan, 1, square(10, 10), 0xff0000, "door");
    plan = draw(plan, 2, square(40, 10), 0x00ff00, "window");
    must(pqt_history_push(history, plan, &(pqt_history_entry_info){.label = "Draw"}, &error));
    must(pqt_history_push(history, erase(plan, 2), &(pqt_history_entry_info){.label = "Erase"},
                          &error));
    print_plan("after erasing the window:", pqt_history_value(history));
    must(pqt_history_undo(history));
    print_plan("after undo, with its colour and name:", pqt_history_value(history));

    /* Two people edit the same plan. */
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    options.resolve = keep_what_changed;
    const pqt_document *ours = erase(draw(plan, 3, square(70, 10), 0xffffff, "wall"), 1);
    const pqt_document *theirs = paint(paint(plan, 1, 0x0000ff), 2, 0xffff00);
    const pqt_document *merged = pqt_document_merge(plan, ours, theirs, &options, &error);
    must(merged != NULL);
    print_plan("merged:", merged);
    pqt_history_destroy(&history);
    return 0;
}
