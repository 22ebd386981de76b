/* SPDX-License-Identifier: MIT */
/*
 * event_stream.c: sends streams of events to pages.
 *
 * While a stream has no event to send, it is suspended, so its connection costs nothing and has no
 * time limit. While it is sending, the time limit of the server applies, so a page that does not
 * read loses its stream.
 */
#include "config.h"

#include "tool/studio/event_stream.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/message.h"

enum { MOST_STREAMS = 100, KEPT_EVENTS = 64 };

typedef struct event_stream {
    event_channel *channel;
    struct event_stream *next, **link;
    struct MHD_Connection *connection;
    uint64_t place; /* the number of events that the stream has sent or skipped */
    char *text;     /* the text that is being sent; NULL: there is none */
    size_t size, sent;
    bool is_suspended, needs_heartbeat;
} event_stream;

struct event_channel {
    char *events[KEPT_EVENTS]; /* a ring buffer with the last events */
    uint64_t count;            /* the number of all events so far */
    event_stream *streams;
    bool is_ending;
};

static unsigned streams_open;

event_channel *
open_channel(void)
{
    event_channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL)
        die(NULL, 0, "out of memory (events)");
    return channel;
}

void
close_channel(event_channel *channel)
{
    for (size_t i = 0; i < KEPT_EVENTS; i++)
        free(channel->events[i]);
    free(channel);
}

/* Returns the text `before`, followed by an event in the format of a stream. Returns NULL when out
   of memory. */
static char *
event_text(const char *before, const char *line)
{
    const size_t room = strlen(before) + strlen(line) + sizeof "data: \n\n";
    char *text = malloc(room);
    if (text != NULL)
        snprintf(text, room, "%sdata: %s\n\n", before, line);
    return text;
}

static void
resume_stream(event_stream *stream)
{
    if (!stream->is_suspended)
        return;
    stream->is_suspended = false;
    MHD_resume_connection(stream->connection);
}

static void
resume_streams(event_channel *channel)
{
    for (event_stream *at = channel->streams; at != NULL; at = at->next)
        resume_stream(at);
}

void
publish_event(event_channel *channel, const char *line)
{
    char **place = &channel->events[channel->count % KEPT_EVENTS];
    free(*place);
    *place = event_text("", line); /* if it is NULL, the streams are notified of a missed event */
    channel->count++;
    resume_streams(channel);
}

/* Takes the next text to send, if there is one. */
static void
take_text(event_stream *stream)
{
    event_channel *channel = stream->channel;
    const bool has_events = stream->place < channel->count;
    if (!has_events && !stream->needs_heartbeat)
        return;
    const char *event = channel->events[stream->place % KEPT_EVENTS];
    if (!has_events)
        event = ":\n\n";
    else if (channel->count - stream->place > KEPT_EVENTS || event == NULL) {
        event = "data: {\"missed\":true}\n\n";
        stream->place = channel->count - 1;
    }
    stream->text = strdup(event);
    if (stream->text == NULL)
        return; /* the next event or comment tries again */
    stream->needs_heartbeat = false;
    stream->place += has_events;
    stream->size = strlen(stream->text);
    stream->sent = 0;
}

static ssize_t
send_stream(void *context, uint64_t offset, char *buffer, size_t room)
{
    event_stream *stream = context;
    (void)offset;
    if (stream->channel->is_ending)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (stream->text == NULL)
        take_text(stream);
    if (stream->text == NULL) {
        stream->is_suspended = true;
        MHD_suspend_connection(stream->connection);
        return 0;
    }
    size_t count = stream->size - stream->sent;
    count = count < room ? count : room;
    memcpy(buffer, stream->text + stream->sent, count);
    stream->sent += count;
    if (stream->sent == stream->size) {
        free(stream->text);
        stream->text = NULL;
    }
    return (ssize_t)count;
}

static void
free_stream(void *context)
{
    event_stream *stream = context;
    *stream->link = stream->next;
    if (stream->next != NULL)
        stream->next->link = stream->link;
    streams_open--;
    free(stream->text);
    free(stream);
}

struct MHD_Response *
make_stream(event_channel *channel, struct MHD_Connection *connection, const char *first,
            const char *second)
{
    event_stream *stream = streams_open < MOST_STREAMS ? calloc(1, sizeof *stream) : NULL;
    char *text = event_text("", first);
    if (text != NULL && second != NULL) {
        char *both = event_text(text, second);
        free(text);
        text = both;
    }
    if (stream == NULL || text == NULL) {
        free(stream);
        free(text);
        return NULL;
    }
    *stream = (event_stream){.channel = channel,
                             .next = channel->streams,
                             .link = &channel->streams,
                             .connection = connection,
                             .place = channel->count,
                             .text = text,
                             .size = strlen(text)};
    if (stream->next != NULL)
        stream->next->link = &stream->next;
    channel->streams = stream;
    streams_open++;
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, send_stream, stream, free_stream);
    if (response == NULL)
        free_stream(stream);
    return response;
}

void
send_heartbeats(event_channel *channel)
{
    for (event_stream *at = channel->streams; at != NULL; at = at->next) {
        at->needs_heartbeat = at->is_suspended;
        resume_stream(at);
    }
}

void
end_streams(event_channel *channel)
{
    channel->is_ending = true;
    resume_streams(channel);
}
