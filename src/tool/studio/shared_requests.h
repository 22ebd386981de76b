/* SPDX-License-Identifier: MIT */
/*
 * shared_requests.h: handles the requests of pages for shared histories, below the path
 * shared/NAME/.
 *
 *     GET state                 all entries, as JSON
 *     GET version?number=N      a version, as a .pqt file
 *     GET events                changes, as a stream of events
 *     PUT change?op=...         a change; the body is the version of a push
 */
#ifndef SHARED_REQUESTS_H
#define SHARED_REQUESTS_H

#include <stddef.h>

#include <microhttpd.h>

#include "tool/studio/event_stream.h"
#include "tool/studio/shared_history.h"

/* A shared history, and the streams that report its changes. */
typedef struct shared_place {
    shared_history *history;
    event_channel *channel;
} shared_place;

typedef struct shared_places {
    shared_place *list;
    size_t count, capacity;
} shared_places;

/* Adds a shared history. */
void add_shared(shared_places *places, shared_history *history);

/* Closes all shared histories. */
void close_shared(shared_places *places);

/* Answers a GET. `path` is the part after shared/. */
enum MHD_Result answer_shared(struct MHD_Connection *connection, const shared_places *places,
                              const char *path);

/* A change whose body is being received. */
typedef struct shared_upload shared_upload;

/* Begins to receive a change. If it refuses the request, it answers with the reason and returns
   NULL. */
shared_upload *begin_shared_upload(struct MHD_Connection *connection, const shared_places *places,
                                   const char *path, enum MHD_Result *result);

/* Appends a piece of the body. */
void append_shared_upload(shared_upload *upload, const void *bytes, size_t size);

/* Makes the change, publishes it to all pages, and answers the request. */
enum MHD_Result finish_shared_upload(struct MHD_Connection *connection, shared_upload *upload);

void drop_shared_upload(shared_upload *upload);

/* Publishes the versions that other programs pushed. */
void forward_shared_event(const shared_place *place);

#endif
