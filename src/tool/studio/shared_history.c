/* SPDX-License-Identifier: MIT */
/* shared_history.c: a history that pages share, with its states, its versions as bytes, and its
   JSON. */
#include "config.h"

#include "tool/studio/shared_history.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <pqt.h>

#include "tool/message.h"
#include "tool/tool_memory.h"

const pqt_document *
make_empty_scene(void)
{
    pqt_error error = {0};
    pqt_tree_options boxes = PQT_TREE_DEFAULTS;
    pqt_map_options colours = PQT_MAP_DEFAULTS, names = PQT_MAP_DEFAULTS;
    boxes.memory = colours.memory = names.memory = tool_memory();
    boxes.unique_ids = true;
    names.values = PQT_MAP_BYTE_VALUES;
    const pqt_box sheet = {{0, 0}, {1000, 700}};
    const pqt_part parts[] = {
        {"boxes", PQT_KIND_TREE, pqt_tree_make(sheet, &boxes, &error), NULL},
        {"colours", PQT_KIND_MAP, pqt_map_make(&colours, &error), "boxes"},
        {"names", PQT_KIND_MAP, pqt_map_make(&names, &error), "boxes"},
    };
    const pqt_document *scene = pqt_document_make(parts, sizeof parts / sizeof parts[0], &error);
    if (scene == NULL)
        die_error(NULL, &error);
    return scene;
}

void
require_scenes(const shared_history *shared)
{
    if (shared->kind != PQT_KIND_DOCUMENT && shared->kind != PQT_KIND_TREE)
        die(shared->name, 0, "the studio opens histories of documents and of trees only");
}

shared_history *
shared_make(const shared_functions *functions, const char *name)
{
    shared_history *shared = calloc(1, sizeof *shared);
    uint64_t random = 0;
    if (shared != NULL)
        shared->name = strdup(name);
    if (shared == NULL || shared->name == NULL ||
        getrandom(&random, sizeof random, 0) != sizeof random)
        die(NULL, 0, "out of memory, or no random number (%s)", strerror(errno));
    snprintf(shared->session, sizeof shared->session, "%016" PRIx64, random);
    shared->functions = functions;
    shared->number = 1;
    return shared;
}

void
shared_close(shared_history **shared)
{
    (*shared)->functions->close(*shared);
    free((*shared)->name);
    free(*shared);
    *shared = NULL;
}

const char *
shared_name(const shared_history *shared)
{
    return shared->name;
}

int
shared_descriptor(const shared_history *shared)
{
    return shared->functions->descriptor == NULL ? -1 : shared->functions->descriptor(shared);
}

char *
shared_take_event(shared_history *shared)
{
    return shared->functions->take_event == NULL ? NULL : shared->functions->take_event(shared);
}

/* ---- JSON ---- */

void
write_json_text(FILE *stream, const char *text)
{
    if (text == NULL) {
        fputs("null", stream);
        return;
    }
    fputc('"', stream);
    for (const char *at = text; *at != '\0'; at++)
        fprintf(stream, *at == '"' || *at == '\\' || (unsigned char)*at < 32 ? "\\u%04x" : "%c",
                (unsigned char)*at);
    fputc('"', stream);
}

static shared_state_text
state_of_number(const shared_history *shared, uint64_t number)
{
    shared_state_text state;
    snprintf(state.text, sizeof state.text, "%s-%" PRIu64, shared->session, number);
    return state;
}

shared_state_text
shared_state(const shared_history *shared)
{
    return state_of_number(shared, shared->number);
}

char *
shared_changes_as_json(shared_history *shared, uint64_t after, uint64_t page, const char *what,
                       pqt_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL)
        die(NULL, 0, "out of memory (the entries)");
    fprintf(stream, "{\"kind\":\"%s\",\"holds\":\"%ss\",\"name\":", shared->functions->kind,
            pqt_kind_name(shared->kind));
    write_json_text(stream, shared->name);
    fputs(",\"readOnly\":", stream);
    write_json_text(stream,
                    shared->not_writable.text[0] != '\0' ? shared->not_writable.text : NULL);
    fprintf(stream, ",\"page\":%" PRIu64 ",\"what\":", page);
    write_json_text(stream, what);
    fputs(",\"before\":", stream);
    write_json_text(stream, after > 0 ? state_of_number(shared, after).text : NULL);
    fprintf(stream, ",\"state\":\"%s\"", shared_state(shared).text);
    const bool is_whole = shared->functions->write(shared, after, stream, error);
    fputs("}", stream);
    if (fclose(stream) != 0)
        die(NULL, 0, "out of memory (the entries)");
    if (!is_whole) {
        free(text);
        text = NULL;
    }
    return text;
}

char *
shared_as_json(shared_history *shared, pqt_error *error)
{
    return shared_changes_as_json(shared, 0, 0, NULL, error);
}

bool
shared_has_problem(const shared_history *shared)
{
    return shared->problem.text[0] != '\0';
}

char *
shared_problem_as_json(const shared_history *shared)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL)
        die(NULL, 0, "out of memory (a message)");
    fputs("{\"problem\":", stream);
    write_json_text(stream, shared_has_problem(shared) ? shared->problem.text : NULL);
    fputs("}", stream);
    if (fclose(stream) != 0)
        die(NULL, 0, "out of memory (a message)");
    return text;
}

/* ---- Versions as bytes ---- */

static bool
write_to_stream(const void *bytes, size_t count, void *context)
{
    return fwrite(bytes, 1, count, context) == count;
}

char *
shared_version(shared_history *shared, uint64_t number, size_t *size, pqt_error *error)
{
    const void *version = shared->functions->version(shared, number, error);
    if (version == NULL)
        return NULL;
    char *bytes = NULL;
    FILE *stream = open_memstream(&bytes, size);
    if (stream == NULL)
        die(NULL, 0, "out of memory (a version)");
    const bool is_written = shared->kind == PQT_KIND_TREE
                                ? pqt_tree_write(version, write_to_stream, stream, error)
                                : pqt_document_write(version, write_to_stream, stream, error);
    if (fclose(stream) == 0 && is_written)
        return bytes;
    free(bytes);
    return NULL;
}

typedef struct unread {
    const char *bytes;
    size_t size;
} unread;

static bool
read_from_bytes(void *bytes, size_t capacity, size_t *count, void *context)
{
    unread *rest = context;
    *count = rest->size < capacity ? rest->size : capacity;
    memcpy(bytes, rest->bytes, *count);
    rest->bytes += *count;
    rest->size -= *count;
    return true;
}

/* Makes the version of a push from its bytes. Returns NULL if they are not a version of this
   kind. */
static const void *
decode_version(const shared_history *shared, const shared_change *change, pqt_error *error)
{
    unread rest = {change->bytes, change->size};
    const void *version = NULL;
    if (pqt_bytes_kind_of(change->bytes, change->size) != shared->kind)
        snprintf(error->text, sizeof error->text, "the contents are not a %s (.pqt)",
                 pqt_kind_name(shared->kind));
    else
        version = pqt_version_read(shared->kind, read_from_bytes, &rest, tool_memory(), error);
    if (version == NULL || rest.size == 0)
        return version;
    snprintf(error->text, sizeof error->text, "%zu bytes follow the version", rest.size);
    return NULL;
}

/* ---- Changes ---- */

shared_outcome
shared_make_change(shared_history *shared, const shared_change *change, char **json,
                   pqt_error *error)
{
    const void *version = NULL;
    *json = NULL;
    if (shared->not_writable.text[0] != '\0') {
        *error = shared->not_writable;
        return SHARED_REFUSED;
    }
    if (strcmp(change->from, shared_state(shared).text) != 0)
        return SHARED_BEHIND;
    if (strcmp(change->op, "push") == 0) {
        version = decode_version(shared, change, error);
        if (version == NULL)
            return SHARED_REFUSED;
    }
    const uint64_t before = shared->number;
    const shared_outcome outcome = shared->functions->change(shared, change, version, error);
    if (outcome != SHARED_DONE)
        return outcome;
    const char *what = strcmp(change->op, "push") == 0 ? change->text : change->op;
    *json = shared_changes_as_json(shared, before, change->page, what, error);
    return *json != NULL ? SHARED_DONE : SHARED_FAILED;
}
