/* SPDX-License-Identifier: MIT */
/*
 * golden_maker.c: writes golden files. A file that is there is never written again.
 *
 *     golden_maker FOLDER           writes each file of test/golden that FOLDER lacks
 *     golden_maker FOLDER PREFIX    writes only stores, with PREFIX before their names, to be run
 *                                   with an earlier library
 *     golden_maker --list FILE      lists the contents of a .pqt, .pqts or .csv file
 *
 * It needs a library with SQLite and PostgreSQL. test/golden/README.md says when to run it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"

static pqt_error error;
static pqt_memory *arena;

static void
must(bool done, const char *what)
{
    if (done)
        return;
    fprintf(stderr, "golden_maker: %s: %s\n", what, error.text);
    exit(1);
}

/* Returns the name of a file, or NULL if it is there. */
static const char *
new_file(const char *folder, const char *prefix, const char *name, const char *suffix)
{
    static char path[500];
    snprintf(path, sizeof path, "%s/%s%s%s", folder, prefix, name, suffix);
    return access(path, F_OK) == 0 ? NULL : path;
}

static FILE *
open_file(const char *path)
{
    FILE *file = fopen(path, "wb");
    must(file != NULL, path);
    return file;
}

static void
list_store(FILE *out, const char *path)
{
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_READ;
    pqt_store *store = pqt_store_open(path, &options, &error);
    must(store != NULL && golden_list_store(out, store, arena, &error), path);
    must(pqt_store_close(&store, &error), path);
}

static bool
read_file(void *bytes, size_t capacity, size_t *count, void *context)
{
    *count = fread(bytes, 1, capacity, context);
    return !ferror((FILE *)context);
}

static void
list_file(const char *path)
{
    unsigned char head[PQT_STORE_HEAD];
    FILE *file = fopen(path, "rb");
    must(file != NULL, path);
    const size_t count = fread(head, 1, sizeof head, file);
    const pqt_kind kind = pqt_bytes_kind_of(head, count);
    rewind(file);
    if (pqt_is_store(head, count)) {
        list_store(stdout, path);
    } else if (pqt_is_history(head, count)) {
        pqt_history *history = pqt_history_load_file(path, NULL, arena, &error);
        must(history != NULL && golden_list_history(stdout, history), path);
        pqt_history_destroy(&history);
    } else if (kind != PQT_KIND_NONE && kind != PQT_KIND_OTHER) {
        const void *version = pqt_version_load(kind, path, arena, &error);
        must(version != NULL, path);
        golden_list_version(stdout, kind, version);
    } else {
        pqt_table *table = pqt_table_read(read_file, file, NULL, &error);
        must(table != NULL, path);
        golden_list_table(stdout, table);
        pqt_table_free(table);
    }
    fclose(file);
}

/* ---- Writing ---- */

static void
write_versions(const char *folder)
{
    for (size_t i = 0; i < golden_version_count; i++) {
        const golden_version *golden = &golden_versions[i];
        const void *version = golden->make(arena, &error);
        must(version != NULL, golden->name);
        const char *path = new_file(folder, "", golden->name, ".pqt");
        must(path == NULL || pqt_version_save(version, path, &error), golden->name);
        path = new_file(folder, "", golden->name, ".txt");
        FILE *list = path == NULL ? NULL : open_file(path);
        if (list != NULL)
            golden_list_version(list, golden->kind, version);
        must(list == NULL || fclose(list) == 0, golden->name);
    }
}

/* Writes the version region-shapes as a picture. */
static void
write_picture(const char *folder)
{
    char shapes[500];
    snprintf(shapes, sizeof shapes, "%s/region-shapes.pqt", folder);
    const pqt_region *region = pqt_region_load(shapes, arena, &error);
    const char *path = new_file(folder, "", "region-shapes", ".png");
    must(region != NULL, shapes);
    FILE *picture = path == NULL ? NULL : open_file(path);
    must(picture == NULL ||
             (pqt_png_write(picture, region, (pqt_pixel_box){{-100, -100}, {260, 110}}, &error) &&
              fclose(picture) == 0),
         "region-shapes.png");
}

/* Makes a store, of a sequence or another one, and the list of its contents. */
static void
write_store(const char *folder, const char *prefix, const char *name,
            const golden_sequence *sequence, const golden_store *other)
{
    const char *path = new_file(folder, prefix, name, ".pqts");
    const pqt_store_options options = golden_store_options();
    char copy[500];
    if (path == NULL)
        return;
    snprintf(copy, sizeof copy, "%s", path);
    pqt_store *store = pqt_store_open(copy, &options, &error);
    must(store != NULL, copy);
    must(sequence != NULL ? golden_history_make(sequence, store, arena, &error)
                          : other->make(store, arena, &error),
         copy);
    must(pqt_store_close(&store, &error), copy);
    path = prefix[0] != '\0' ? NULL : new_file(folder, "", name, ".txt");
    if (path != NULL) {
        FILE *list = open_file(path);
        list_store(list, copy);
        must(fclose(list) == 0, name);
    }
}

static void
write_stores(const char *folder, const char *prefix)
{
    const bool is_earlier = prefix[0] != '\0';
    for (size_t i = 0; i < golden_sequence_count; i++) {
        char name[100];
        const golden_sequence *sequence = &golden_sequences[i];
        snprintf(name, sizeof name, "history-%s", sequence->name);
        if (sequence->has_history && (!is_earlier || sequence->has_version_1))
            write_store(folder, prefix, name, sequence, NULL);
    }
    for (size_t i = 0; i < golden_store_count && !is_earlier; i++)
        write_store(folder, prefix, golden_stores[i].name, NULL, &golden_stores[i]);
}

/* Writes the history of a golden store to a file, whose list is that of the store. */
static void
write_history(const char *folder, const char *name)
{
    char from[500];
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_READ;
    const char *path = new_file(folder, "", name, ".pqt");
    if (path == NULL)
        return;
    snprintf(from, sizeof from, "%s/%s.pqts", folder, name);
    pqt_store *store = pqt_store_open(from, &options, &error);
    pqt_history *history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, &error);
    must(history != NULL && pqt_history_save_file(history, path, &error), name);
    pqt_history_destroy(&history);
    must(pqt_store_close(&store, &error), from);
}

static void
write_histories(const char *folder)
{
    for (size_t i = 0; i < golden_sequence_count; i++) {
        char name[100];
        snprintf(name, sizeof name, "history-%s", golden_sequences[i].name);
        if (golden_sequences[i].has_history)
            write_history(folder, name);
    }
    for (size_t i = 0; i < golden_store_count; i++)
        if (golden_stores[i].has_history)
            write_history(folder, golden_stores[i].name);
}

#if PQT_WITH_POSTGRESQL

static void
write_lines(const char *folder)
{
    for (size_t i = 0; i < golden_sequence_count; i++) {
        char name[100];
        const golden_sequence *sequence = &golden_sequences[i];
        snprintf(name, sizeof name, "line-%s", sequence->name);
        const char *path = new_file(folder, "", name, ".rows");
        if (!sequence->has_line || path == NULL)
            continue;
        FILE *rows = open_file(path);
        must(golden_line_write(rows, sequence, arena, &error) && fclose(rows) == 0, name);
        const char *text = golden_rows_read(path);
        must(text != NULL, path);
        FILE *list = open_file(new_file(folder, "", name, ".txt"));
        const char *fault = golden_line_list(list, text, sequence->kind, arena);
        must(fault == NULL && fclose(list) == 0, fault == NULL ? name : fault);
    }
}

#else

static void
write_lines(const char *folder)
{
    fprintf(stderr, "golden_maker: %s: lines need a library with PostgreSQL\n", folder);
}

#endif

int
main(int argc, char **argv)
{
    arena = pqt_arena_make(0, &error);
    must(arena != NULL, "memory");
    if (argc == 3 && strcmp(argv[1], "--list") == 0) {
        list_file(argv[2]);
    } else if (argc == 3) {
        write_stores(argv[1], argv[2]);
    } else if (argc == 2) {
        write_versions(argv[1]);
        write_picture(argv[1]);
        write_stores(argv[1], "");
        write_histories(argv[1]);
        write_lines(argv[1]);
    } else {
        fprintf(stderr, "usage: golden_maker FOLDER [PREFIX] | --list FILE\n");
        return 2;
    }
    pqt_arena_destroy(&arena);
    return 0;
}
