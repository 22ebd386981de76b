/* SPDX-License-Identifier: MIT */
/*
 * test_late_init.c: tests a program whose first call comes from a thread other than the main
 * thread. The call is refused. Then the main thread can start the library, and the other thread can
 * use it.
 *
 * This program does not use check, so that nothing calls the library earlier.
 */
#include "config.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pqt.h>
#include <pqt/pixels.h>
#include <pqt/stores.h>
#include <pqt/worlds.h>

static const pqt_box bounds = {{0, 0}, {1, 1}};

static void
tell(bool right, int number, const char *name)
{
    printf("%sok %d - %s\n", right ? "" : "not ", number, name);
}

/* Returns true if the call was refused because of the thread. Clears the error for the next
 * call. */
static bool
read_nothing(void *bytes, size_t capacity, size_t *count, void *context)
{
    (void)capacity;
    *count = 0;
    return bytes != NULL && context == NULL;
}

static bool
is_refused(const void *result, pqt_error *error)
{
    const bool refused = result == NULL && error->status == PQT_ERROR_THREAD;
    *error = (pqt_error){0};
    return refused;
}

/* Makes and copies a version of each kind in the default memory. The originals are in an arena. */
static bool
refuses_each_kind(void)
{
    pqt_error error = {0};
    pqt_memory *arena = pqt_arena_make(0, &error);
    pqt_tree_options tree_options = PQT_TREE_DEFAULTS;
    pqt_world_options world_options = PQT_WORLD_DEFAULTS;
    pqt_map_options map_options = PQT_MAP_DEFAULTS;
    tree_options.memory = world_options.memory = map_options.memory = arena;
    const pqt_tree *tree = pqt_tree_make(bounds, &tree_options, &error);
    const pqt_region *region = pqt_region_make(arena, &error);
    const pqt_world *world = pqt_world_make(bounds, &world_options, &error);
    const pqt_map *map = pqt_map_make(&map_options, &error);
    bool right = error.status == PQT_OK;
    right = is_refused(pqt_tree_copy(tree, NULL, &error), &error) && right;
    right = is_refused(pqt_region_make(NULL, &error), &error) && right;
    right = is_refused(pqt_region_copy(region, NULL, &error), &error) && right;
    const pqt_rgba colour = {1, 2, 3, 4};
    const pqt_image *image = pqt_image_make(20, 20, colour, arena, &error), *copied_image = NULL;
    right = is_refused(pqt_image_make(20, 20, colour, NULL, &error), &error) && right;
    right = is_refused(pqt_image_of_rgba(&colour.r, 1, 1, 4, NULL, &error), &error) && right;
    right = is_refused(pqt_image_copy(image, NULL, &error), &error) && right;
    right = !pqt_image_copy_all(&image, 1, NULL, &copied_image, &error) && right;
    right = is_refused(copied_image, &error) && right;
    right = is_refused(pqt_world_make(bounds, NULL, &error), &error) && right;
    right = is_refused(pqt_world_copy(world, NULL, &error), &error) && right;
    const pqt_world *copied = NULL;
    right = !pqt_world_copy_all(&world, 1, NULL, &copied, &error) && right;
    right = is_refused(copied, &error) && right;
    right = is_refused(pqt_map_make(NULL, &error), &error) && right;
    right = is_refused(pqt_map_copy(map, NULL, &error), &error) && right;
    right = is_refused(pqt_history_read(read_nothing, NULL, NULL, NULL, &error), &error) && right;
    right = is_refused(pqt_history_load_file("none.pqt", NULL, NULL, &error), &error) && right;
    right = is_refused(pqt_default_memory(&error), &error) && right;
    const pqt_item item = {bounds, 1};
    const pqt_pixel_box box = {{0, 0}, {1, 1}};
    const pqt_pixel_run run = {0, 0, 1};
    right = is_refused(pqt_tree_of(&item, 1, NULL, &error), &error) && right;
    right = is_refused(pqt_region_of_boxes(&box, 1, NULL, &error), &error) && right;
    right = is_refused(pqt_region_of_runs(&run, 1, NULL, &error), &error) && right;
    pqt_arena_destroy(&arena);
    return right;
}

/* Opens a history in the default memory. It was saved from an arena. */
static bool
refuses_a_history(void)
{
    pqt_error error = {0};
    char path[] = "/tmp/pqt-late-XXXXXX";
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    const int file = mkstemp(path);
    if (file < 0)
        return false;
    close(file);
    pqt_store *store = pqt_store_open(path, NULL, &error);
    if (error.status == PQT_ERROR_UNSUPPORTED)
        return unlink(path) == 0;
    pqt_memory *arena = options.memory = pqt_arena_make(0, &error);
    pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_TREE),
                                            pqt_tree_make(bounds, &options, &error), NULL, &error);
    bool right = pqt_history_save(history, store, &error);
    pqt_history_destroy(&history);
    right = right && is_refused(pqt_history_open(store, NULL, NULL, &error), &error);
    right = pqt_store_close(&store, &error) && right;
    pqt_arena_destroy(&arena);
    return unlink(path) == 0 && right;
}

/* Opens a recording in the same way. */
static bool
refuses_a_recording(void)
{
    pqt_error error = {0};
    char path[] = "/tmp/pqt-late-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0)
        return false;
    close(file);
    pqt_store *store = pqt_store_open(path, NULL, &error);
    if (error.status == PQT_ERROR_UNSUPPORTED)
        return unlink(path) == 0;
    pqt_memory *arena = pqt_arena_make(0, &error);
    pqt_world_options options = PQT_WORLD_DEFAULTS;
    options.memory = arena;
    pqt_recording *recording =
        pqt_recording_make(pqt_world_make(bounds, &options, &error), 1, NULL, 1, &error);
    bool right = pqt_recording_save(recording, store, &error);
    pqt_recording_destroy(&recording);
    right = right && is_refused(pqt_recording_open(store, NULL, &error), &error);
    right = pqt_store_close(&store, &error) && right;
    pqt_arena_destroy(&arena);
    return unlink(path) == 0 && right;
}

/* Returns true if opening a line is refused, because of the thread or because the build has no
 * lines. The memory is needed before the database, which does not exist. */
static bool
refuses_a_line(void)
{
    pqt_error error = {0};
    pqt_line *line = pqt_line_open("postgresql:///x?host=/nowhere#x", NULL, NULL, &error);
    return line == NULL &&
           (error.status == PQT_ERROR_UNSUPPORTED || error.status == PQT_ERROR_THREAD);
}

static void *
come_first(void *unused)
{
    pqt_error making = {0}, attaching = {0};
    const bool refused =
        pqt_tree_make(bounds, NULL, &making) == NULL && !pqt_thread_attach(&attaching);
    tell(refused && making.status == PQT_ERROR_THREAD && attaching.status == PQT_ERROR_THREAD, 1,
         "the first call outside the main thread is refused");
    tell(strcmp(making.text,
                "thread: the first call must come from the main thread; call pqt_init there") == 0,
         2, "and says what to do");
    tell(refuses_each_kind() && refuses_a_history() && refuses_a_recording() && refuses_a_line(), 3,
         "and so is each function that makes or copies a version");
    return unused;
}

static void *
come_again(void *unused)
{
    pqt_error error = {0};
    bool right = pqt_thread_attach(&error);
    pqt_head *head = pqt_head_make(pqt_tree_make(bounds, NULL, &error), &error);
    right = right && head != NULL && pqt_tree_count(pqt_head_load(head, NULL)) == 0;
    pqt_head_destroy(&head);
    pqt_thread_detach();
    tell(right && error.status == PQT_OK, 5, "then the thread may use it");
    return unused;
}

int
main(void)
{
    pthread_t thread;
    if (pqt_collector() == NULL) {
        puts("1..0 # SKIP only the collector is started");
        return 0;
    }
    puts("1..5");
    if (pthread_create(&thread, NULL, come_first, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    tell(pqt_init(NULL), 4, "main can start the library after that");
    if (pthread_create(&thread, NULL, come_again, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    return 0;
}
