/* SPDX-License-Identifier: MIT */
/*
 * event_stream.h: streams of events to pages (text/event-stream), with bounded memory.
 *
 * A channel keeps its last events, and a stream only its place among them. A page that reads too
 * slowly gets an event that reports the loss of others. Only one thread may use a channel.
 */
#ifndef EVENT_STREAM_H
#define EVENT_STREAM_H

#include <microhttpd.h>

typedef struct event_channel event_channel;

/* Makes a channel without events. Ends the program if memory is exhausted. */
event_channel *open_channel(void);

/* Frees a channel; its streams have ended. */
void close_channel(event_channel *channel);

/* Sends an event to each stream of a channel: one line, which is copied. */
void publish_event(event_channel *channel, const char *line);

/* Returns the response for a new stream, which begins with an event of its own, and with a second
   one unless that is NULL; NULL if there are too many streams. */
struct MHD_Response *make_stream(event_channel *channel, struct MHD_Connection *connection,
                                 const char *first, const char *second);

/* Seconds between two calls of beat_streams. */
enum { BEAT_SECONDS = 5 };

/* Sends a comment to each waiting stream, which detects the pages that are gone. */
void beat_streams(event_channel *channel);

/* Ends all streams of a channel, before the daemon stops. */
void end_streams(event_channel *channel);

#endif
