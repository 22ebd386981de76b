/* SPDX-License-Identifier: MIT */
/*
 * shared_line.c: a line that pages share with programs on other machines.
 *
 * The thread of the server pushes and reads versions. Another thread follows the line over a
 * connection of its own. It writes a byte to a pipe when a version arrives, and when the connection
 * to the database is lost or restored.
 */
#include "config.h"

#include "tool/studio/shared_line.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pqt.h>
#include <pqt/stores.h>

#include "tool/message.h"
#include "tool/tool_memory.h"

/* The maximum number of versions that pages list, which are the newest ones. */
enum { MOST_LISTED = 10000 };

/* The maximum number of versions in an event. If there are more, pages fetch the state instead. */
enum { MOST_IN_EVENT = 100 };

/* The time for which a call tries to reconnect to the database, in seconds. The server does not
   answer requests in the meantime. */
static const double PATIENCE = 2;

struct follower {
    pqt_line *line; /* used only by the thread */
    pthread_t thread;
    int ends[2]; /* the ends of the pipe: the first is read, the second is written */
    atomic_bool is_ending;
    atomic_bool is_server_lost; /* the server has not reconnected to the database yet */
};

/* ---- Following ---- */

static void
wake_server(const struct follower *follower)
{
    /* if the pipe is full, the server wakes up anyway */
    if (write(follower->ends[1], "", 1) < 0)
        return;
}

static void *
follow_line(void *context)
{
    struct follower *follower = context;
    pqt_error failure = {0};
    bool is_lost = false;
    if (!pqt_thread_attach(&failure))
        die_error(NULL, &failure);
    wake_server(follower); /* there may be versions that were pushed between the last fetch and this
                              wait */
    while (!atomic_load(&follower->is_ending)) {
        pqt_error error = {0};
        const uint64_t before = pqt_line_number(follower->line);
        const bool is_connected = pqt_line_wait(follower->line, 1, &error);
        if (is_connected == is_lost || pqt_line_number(follower->line) != before ||
            (is_connected && atomic_load(&follower->is_server_lost)))
            wake_server(follower);
        is_lost = !is_connected;
        if (is_lost)
            nanosleep(&(struct timespec){0, 500000000}, NULL);
    }
    pqt_thread_detach();
    return NULL;
}

/* Starts the thread. All signals are blocked in it. */
static void
start_following(shared_history *shared, pqt_line *line)
{
    struct follower *follower = calloc(1, sizeof *follower);
    sigset_t all, before;
    if (follower == NULL || pipe2(follower->ends, O_CLOEXEC | O_NONBLOCK) != 0)
        die(shared->name, 0, "the line cannot be followed (no pipe)");
    follower->line = line;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&follower->thread, NULL, follow_line, follower) != 0)
        die(shared->name, 0, "the line cannot be followed (no thread)");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    shared->follower = follower;
}

static int
line_descriptor(const shared_history *shared)
{
    return shared->follower->ends[0];
}

/* Sets the number of the state from the number of the newest version. Returns true if it
   changed. */
static bool
take_number(shared_history *shared)
{
    const uint64_t before = shared->number;
    shared->number = pqt_line_number(shared->line);
    return shared->number != before;
}

/* Returns the event for the versions after the given number. */
static char *
news_as_json(shared_history *shared, uint64_t after)
{
    pqt_error error = {0};
    char *json = shared->number - after > MOST_IN_EVENT
                     ? NULL
                     : shared_changes_as_json(shared, after, 0, NULL, &error);
    return json != NULL ? json : strdup(SHARED_MISSED);
}

static char *
line_take_event(shared_history *shared)
{
    char bytes[64];
    while (read(shared->follower->ends[0], bytes, sizeof bytes) > 0)
        continue;
    const uint64_t before = shared->number;
    const bool had_problem = shared_has_problem(shared);
    shared->problem = (pqt_error){0};
    const bool is_fetched = pqt_line_fetch(shared->line, &shared->problem);
    atomic_store(&shared->follower->is_server_lost, !is_fetched);
    if (is_fetched && take_number(shared))
        return news_as_json(shared, before);
    return !is_fetched || had_problem ? shared_problem_as_json(shared) : NULL;
}

/* ---- Changes ---- */

/* Copies a label. If it is too long for a line, cuts it between two characters. */
static void
copy_label(char label[PQT_LINE_TEXT + 1], const char *text)
{
    size_t length = strlen(text);
    if (length > PQT_LINE_TEXT)
        for (length = PQT_LINE_TEXT; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--;
    memcpy(label, text, length);
    label[length] = '\0';
}

static shared_outcome
change_line(shared_history *shared, const shared_change *change, const void *version,
            pqt_error *error)
{
    char label[PQT_LINE_TEXT + 1];
    if (version == NULL) {
        snprintf(error->text, sizeof error->text, "a line accepts only pushes");
        return SHARED_REFUSED;
    }
    copy_label(label, change->text);
    if (pqt_line_push(shared->line, shared->kind, version, label, error)) {
        take_number(shared);
        return SHARED_DONE;
    }
    switch (error->status) {
    case PQT_ERROR_CONFLICT:
        wake_server(shared->follower); /* the server then fetches the versions, and all pages
                                          receive the event */
        return SHARED_BEHIND;
    case PQT_ERROR_STREAM:
    case PQT_ERROR_MEMORY:
        wake_server(shared->follower);
        return SHARED_FAILED;
    default:
        return SHARED_REFUSED;
    }
}

/* ---- Reading ---- */

static const void *
line_version_of(shared_history *shared, uint64_t number, pqt_error *error)
{
    return pqt_line_load(shared->line, number, error);
}

typedef struct entry_writer {
    FILE *stream;
    uint64_t first; /* the number of the first version that is listed */
    bool is_first;
} entry_writer;

static bool
write_entry(const pqt_line_entry *entry, void *context)
{
    entry_writer *writer = context;
    const uint64_t parent = entry->number > writer->first ? entry->number - 1 : entry->number;
    fprintf(writer->stream, "%s[%" PRIu64 ",%" PRIu64 ",", writer->is_first ? "" : ",",
            entry->number, parent);
    write_json_text(writer->stream, entry->label);
    fprintf(writer->stream, ",null,%.17g,", entry->time);
    write_json_text(writer->stream, entry->author[0] != '\0' ? entry->author : entry->role);
    fputc(']', writer->stream);
    writer->is_first = false;
    return true;
}

static bool
write_line(shared_history *shared, uint64_t after, FILE *stream, pqt_error *error)
{
    const uint64_t newest = shared->number;
    const uint64_t first = newest > MOST_LISTED ? newest - MOST_LISTED + 1 : 1;
    entry_writer writer = {stream, first, true};
    fprintf(stream, ",\"current\":%" PRIu64 ",\"saved\":%" PRIu64 ",\"redo\":null,\"entries\":[",
            newest, newest);
    const bool is_read =
        after == newest || pqt_line_visit(shared->line, after == 0 ? first : after + 1, newest,
                                          write_entry, &writer, error);
    fputs("]", stream);
    return is_read;
}

static void
close_line(shared_history *shared)
{
    struct follower *follower = shared->follower;
    atomic_store(&follower->is_ending, true);
    pthread_join(follower->thread, NULL);
    close(follower->ends[0]);
    close(follower->ends[1]);
    pqt_line_close(&follower->line);
    pqt_line_close(&shared->line);
    free(follower);
}

static const shared_functions functions_of_lines = {
    "line", change_line, line_version_of, write_line, close_line, line_descriptor, line_take_event};

static pqt_line *
open_line(const shared_history *shared, const char *address, const char *author)
{
    pqt_error error = {0};
    pqt_line_options options = PQT_LINE_DEFAULTS;
    options.author = author;
    options.patience = PATIENCE;
    pqt_line *line = pqt_line_open(address, tool_memory(), &options, &error);
    if (line == NULL)
        die_error(shared->name, &error);
    return line;
}

shared_history *
shared_open_line(const char *address, const char *name, const char *author)
{
    pqt_error error = {0};
    shared_history *shared = shared_make(&functions_of_lines, name);
    shared->line = open_line(shared, address, author);
    if (pqt_line_kind(shared->line) == PQT_KIND_NONE &&
        !pqt_line_push(shared->line, PQT_KIND_DOCUMENT, make_empty_scene(), "Empty sheet",
                       &error) &&
        error.status != PQT_ERROR_CONFLICT)
        die_error(shared->name, &error);
    error = (pqt_error){0};
    if (!pqt_line_fetch(shared->line, &error))
        die_error(shared->name, &error);
    shared->kind = pqt_line_kind(shared->line);
    snprintf(shared->session, sizeof shared->session, "line");
    take_number(shared);
    require_scenes(shared);
    start_following(shared, open_line(shared, address, author));
    return shared;
}
