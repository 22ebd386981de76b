/* SPDX-License-Identifier: MIT */
/* shared_requests.c: handles the requests of pages for shared histories. */
#include "config.h"

#include "tool/studio/shared_requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pqt.h>

#include "tool/numbers.h"
#include "tool/studio/answer.h"
#include "tool/tool_memory.h"

/* The maximum size of a version that a page may push, and the maximum number of bytes of versions
   that may be arriving at the same time. */
#define MOST_VERSION_BYTES ((size_t)64 * 1024 * 1024)
#define MOST_ARRIVING_BYTES (2 * MOST_VERSION_BYTES)

/* The maximum number of bytes of versions that are being sent at the same time. A larger version is
   sent on its own. */
#define MOST_SENT_BYTES (2 * MOST_VERSION_BYTES)

static size_t arriving_bytes, sent_bytes;

struct shared_upload {
    const shared_place *place;
    char *bytes;
    size_t size, capacity;
    unsigned status; /* the status of the answer if the request has failed; otherwise 0 */
};

void
add_shared(shared_places *places, shared_history *history)
{
    places->list =
        xgrow(places->list, &places->capacity, places->count + 1, sizeof places->list[0]);
    places->list[places->count++] = (shared_place){history, open_channel()};
}

void
close_shared(shared_places *places)
{
    for (size_t i = 0; i < places->count; i++) {
        close_channel(places->list[i].channel);
        shared_close(&places->list[i].history);
    }
    free(places->list);
    *places = (shared_places){NULL, 0, 0};
}

/* Returns the history that a path names, and sets `request` to the part of the path after the name.
   Returns NULL if there is no such history. */
static const shared_place *
find_place(const shared_places *places, const char *path, const char **request)
{
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; slash != NULL && i < places->count; i++) {
        const char *name = shared_name(places->list[i].history);
        *request = slash + 1;
        if (strlen(name) == (size_t)(slash - path) &&
            strncmp(path, name, (size_t)(slash - path)) == 0)
            return &places->list[i];
    }
    return NULL;
}

static const char *
request_argument(struct MHD_Connection *connection, const char *name)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    return value != NULL ? value : "";
}

/* Reads an argument that is a whole number. If it is missing, it counts as 0. Returns false if it
   is malformed. */
static bool
number_argument(struct MHD_Connection *connection, const char *name, uint64_t *number)
{
    const char *text = request_argument(connection, name);
    *number = 0;
    return text[0] == '\0' || read_id(text, strlen(text), number);
}

/* Answers with bytes, and frees them. */
static enum MHD_Result
answer_bytes(struct MHD_Connection *connection, char *bytes, size_t size, const char *type)
{
    return answer(connection, MHD_HTTP_OK,
                  MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE), type);
}

static enum MHD_Result
answer_state(struct MHD_Connection *connection, const shared_place *place)
{
    pqt_error error = {0};
    char *json = shared_as_json(place->history, &error);
    return json == NULL ? answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, error.text)
                        : answer_bytes(connection, json, strlen(json), "application/json");
}

/* A version that is being sent. */
typedef struct outgoing {
    char *bytes;
    size_t size;
} outgoing;

static ssize_t
copy_outgoing(void *context, uint64_t offset, char *buffer, size_t room)
{
    const outgoing *version = context;
    const size_t rest = version->size - (size_t)offset, count = rest < room ? rest : room;
    memcpy(buffer, version->bytes + offset, count);
    return (ssize_t)count;
}

static void
free_outgoing(void *context)
{
    outgoing *version = context;
    sent_bytes -= version->size;
    free(version->bytes);
    free(version);
}

/* Answers with the bytes of a version, and frees them. Refuses if the versions that are being sent
   leave too little room. */
static enum MHD_Result
send_version(struct MHD_Connection *connection, char *bytes, size_t size)
{
    const bool is_alone = sent_bytes == 0;
    const bool has_room =
        is_alone || (size <= MOST_SENT_BYTES && sent_bytes <= MOST_SENT_BYTES - size);
    outgoing *version = has_room ? malloc(sizeof *version) : NULL;
    if (version == NULL) {
        free(bytes);
        return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                           "too many versions are being sent\n");
    }
    *version = (outgoing){bytes, size};
    sent_bytes += size;
    struct MHD_Response *response =
        MHD_create_response_from_callback(size, 65536, copy_outgoing, version, free_outgoing);
    if (response == NULL)
        free_outgoing(version);
    return answer(connection, MHD_HTTP_OK, response, "application/octet-stream");
}

static enum MHD_Result
answer_version(struct MHD_Connection *connection, const shared_place *place)
{
    pqt_error error = {0};
    uint64_t number = 0;
    size_t size = 0;
    if (!number_argument(connection, "number", &number))
        return answer_text(connection, MHD_HTTP_BAD_REQUEST,
                           "the number of the version is not a whole number\n");
    char *bytes = shared_version(place->history, number, &size, &error);
    if (bytes != NULL)
        return send_version(connection, bytes, size);
    return answer_text(connection,
                       error.status == PQT_ERROR_STREAM ? MHD_HTTP_SERVICE_UNAVAILABLE
                                                        : MHD_HTTP_NOT_FOUND,
                       error.text);
}

static enum MHD_Result
answer_events(struct MHD_Connection *connection, const shared_place *place)
{
    char first[100];
    char *problem =
        shared_has_problem(place->history) ? shared_problem_as_json(place->history) : NULL;
    snprintf(first, sizeof first, "{\"state\":\"%s\"}", shared_state(place->history).text);
    struct MHD_Response *response = make_stream(place->channel, connection, first, problem);
    free(problem);
    if (response == NULL)
        return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pages are open\n");
    return answer(connection, MHD_HTTP_OK, response, "text/event-stream");
}

enum MHD_Result
answer_shared(struct MHD_Connection *connection, const shared_places *places, const char *path)
{
    const char *request = "";
    const shared_place *place = find_place(places, path, &request);
    if (!is_no_other_origin(connection))
        return answer_text(connection, MHD_HTTP_FORBIDDEN, "another site may not do that\n");
    if (place != NULL && strcmp(request, "state") == 0)
        return answer_state(connection, place);
    if (place != NULL && strcmp(request, "version") == 0)
        return answer_version(connection, place);
    if (place != NULL && strcmp(request, "events") == 0)
        return answer_events(connection, place);
    return answer_text(connection, MHD_HTTP_NOT_FOUND, "there is no such history or request\n");
}

/* ---- Changes ---- */

shared_upload *
begin_shared_upload(struct MHD_Connection *connection, const shared_places *places,
                    const char *path, enum MHD_Result *result)
{
    const char *request = "";
    const shared_place *place = find_place(places, path, &request);
    if (place == NULL || strcmp(request, "change") != 0) {
        *result = answer_text(connection, MHD_HTTP_NOT_FOUND, "there is no such history\n");
        return NULL;
    }
    if (!may_change(connection)) {
        *result = answer_text(connection, MHD_HTTP_FORBIDDEN, "another site may not do that\n");
        return NULL;
    }
    shared_upload *upload = calloc(1, sizeof *upload);
    if (upload == NULL) {
        *result = MHD_NO;
        return NULL;
    }
    upload->place = place;
    *result = MHD_YES;
    return upload;
}

/* Frees the bytes that have arrived. */
static void
forget_bytes(shared_upload *upload)
{
    arriving_bytes -= upload->capacity;
    free(upload->bytes);
    upload->bytes = NULL;
    upload->size = upload->capacity = 0;
}

static void
fail_upload(shared_upload *upload, unsigned status)
{
    forget_bytes(upload);
    upload->status = status;
}

void
append_shared_upload(shared_upload *upload, const void *bytes, size_t size)
{
    if (upload->status != 0)
        return;
    if (size > MOST_VERSION_BYTES - upload->size) {
        fail_upload(upload, CONTENT_TOO_LARGE);
        return;
    }
    size_t wanted = upload->capacity;
    while (wanted < upload->size + size)
        wanted = wanted == 0 ? 65536 : 2 * wanted;
    if (wanted > upload->capacity) {
        char *grown = arriving_bytes - upload->capacity + wanted <= MOST_ARRIVING_BYTES
                          ? realloc(upload->bytes, wanted)
                          : NULL;
        if (grown == NULL) {
            fail_upload(upload, MHD_HTTP_SERVICE_UNAVAILABLE);
            return;
        }
        arriving_bytes += wanted - upload->capacity;
        upload->bytes = grown;
        upload->capacity = wanted;
    }
    memcpy(upload->bytes + upload->size, bytes, size);
    upload->size += size;
}

/* Reads the change that a page requests. Returns false if a number is malformed. */
static bool
read_change(struct MHD_Connection *connection, const shared_upload *upload, shared_change *change)
{
    *change = (shared_change){.op = request_argument(connection, "op"),
                              .from = request_argument(connection, "from"),
                              .text = request_argument(connection, "text"),
                              .bytes = upload->bytes,
                              .size = upload->size};
    return number_argument(connection, "entry", &change->entry) &&
           number_argument(connection, "key", &change->key) &&
           number_argument(connection, "page", &change->page) && change->page < UINT32_MAX;
}

enum MHD_Result
finish_shared_upload(struct MHD_Connection *connection, shared_upload *upload)
{
    pqt_error error = {0};
    shared_change change;
    char *json = NULL;
    if (upload->status != 0)
        return answer_text(connection, upload->status,
                           upload->status == CONTENT_TOO_LARGE
                               ? "the version is too large\n"
                               : "too many versions are being received\n");
    if (!read_change(connection, upload, &change))
        return answer_text(connection, MHD_HTTP_BAD_REQUEST, "a parameter is not a whole number\n");
    shared_history *history = upload->place->history;
    const shared_state_text before = shared_state(history);
    switch (shared_make_change(history, &change, &json, &error)) {
    case SHARED_DONE:
        publish_event(upload->place->channel, json);
        return answer_bytes(connection, json, strlen(json), "application/json");
    case SHARED_BEHIND:
        return answer_text(connection, MHD_HTTP_CONFLICT, "another change came first\n");
    case SHARED_REFUSED:
        return answer_text(connection, UNPROCESSABLE, error.text);
    default:
        if (strcmp(shared_state(history).text, before.text) != 0)
            publish_event(upload->place->channel, SHARED_MISSED);
        return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, error.text);
    }
}

void
drop_shared_upload(shared_upload *upload)
{
    forget_bytes(upload);
    free(upload);
}

void
forward_shared_event(const shared_place *place)
{
    char *json = shared_take_event(place->history);
    if (json != NULL)
        publish_event(place->channel, json);
    free(json);
}
