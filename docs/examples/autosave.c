/* SPDX-License-Identifier: MIT */
/*
 * autosave.c: a thread saves the newest version of a plan in the background, while it is edited.
 *
 * The plan is a document in a head: shapes and their colours. The thread pins a version while it
 * writes the file, so the edits neither wait for it nor change what it writes. It skips the
 * versions that were replaced in the meantime, and always saves the last one.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <pqt.h>

enum {
    EDITS = 300,
    LAST = EDITS + 2
}; /* the first version has number 1; the last edit is undone */

static const char file[] = "autosave.pqt";

static void
must(bool done, const pqt_error *error)
{
    if (!done) {
        fprintf(stderr, "%s\n", error->text);
        exit(1);
    }
}

static const pqt_document *
new_plan(pqt_error *error)
{
    pqt_tree_options unique = PQT_TREE_DEFAULTS;
    unique.unique_ids = true;
    const pqt_box bounds = {{0, 0}, {100, 100}};
    const pqt_part parts[] = {
        {"shapes", PQT_KIND_TREE, pqt_tree_make(bounds, &unique, error), NULL},
        {"colours", PQT_KIND_MAP, pqt_map_make(NULL, error), "shapes"},
    };
    must(error->status == PQT_OK, error);
    return pqt_document_make(parts, 2, error);
}

/* Returns the plan with one more shape and its colour. */
static const void *
draw(const void *now, void *context, pqt_error *error)
{
    const uint64_t id = *(const uint64_t *)context;
    const double x = (double)(id * 37 % 90), y = (double)(id * 61 % 90);
    const pqt_item shape = {{{x, y}, {x + 10, y + 10}}, id};
    now = pqt_document_set_tree(
        now, "shapes", pqt_tree_insert(pqt_document_tree(now, "shapes"), shape, error), error);
    if (now == NULL)
        return NULL;
    return pqt_document_set_map(now, "colours",
                                pqt_map_insert(pqt_document_map(now, "colours"), pqt_map_id(id),
                                               pqt_map_number(id % 8), error),
                                error);
}

static void *
save_versions(void *context)
{
    pqt_head *plan = context;
    pqt_error error = {0};
    must(pqt_thread_attach(&error), &error); /* required, because its stack refers to versions */
    for (uint64_t saved = 0; saved < LAST;) {
        pqt_head_wait(plan, saved, 0.1);
        pqt_pin *pin = pqt_head_pin(plan, &saved, &error);
        must(pin != NULL, &error);
        must(pqt_document_save(pqt_pin_get_document(pin), file, &error), &error);
        pqt_unpin(&pin);
    }
    pqt_thread_detach();
    return NULL;
}

int
main(void)
{
    pqt_error error = {0};
    pthread_t thread;
    pqt_head *plan = pqt_head_make(new_plan(&error), &error);
    must(plan != NULL, &error);
    if (pthread_create(&thread, NULL, save_versions, plan) != 0)
        return fprintf(stderr, "no more threads\n"), 1;

    const pqt_document *before = NULL;
    for (uint64_t id = 0; id < EDITS; id++) {
        before = pqt_head_load_document(plan, NULL);
        must(pqt_head_update(plan, draw, &id, NULL, &error) != NULL, &error);
    }
    must(pqt_head_publish(plan, before, &error), &error); /* undo the last edit */
    pthread_join(thread, NULL);

    const pqt_document *loaded = pqt_document_load(file, NULL, &error);
    must(loaded != NULL, &error);
    printf("the file has %zu shapes, and is %s\n",
           pqt_tree_count(pqt_document_tree(loaded, "shapes")),
           pqt_document_equals(loaded, pqt_head_load_document(plan, NULL)) ? "the newest version"
                                                                           : "another version");
    remove(file);
    pqt_head_destroy(&plan);
    return 0;
}
