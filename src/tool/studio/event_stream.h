/* SPDX-License-Identifier: MIT */
/*
 * event_stream.h: sends streams of events to pages (text/event-stream), with bounded memory.
 *
 * A channel keeps its last events, and a stream keeps only its position among them. A page that
 * reads too slowly receives an event that says that others were lost. Only one thread may use a
 * channel.
 */
#ifndef EVENT_STREAM_H
#define EVENT_STREAM_H

#include <microhttpd.h>

typedef struct event_channel event_channel;

/* Makes a channel without events. Ends the program when out of memory. */
event_channel *open_channel(void);

/* Frees a channel. Its streams must have ended. */
void close_channel(event_channel *channel);

/* Sends an event to each stream of a channel. The event is one line, which is copied. */
void publish_event(event_channel *channel, const char *line);

/* Returns the response for a new stream, which begins with the event `first` and, unless it is
   NULL, a second event. Returns NULL if there are too many streams. */
struct MHD_Response *make_stream(event_channel *channel, struct MHD_Connection *connection,
                                 const char *first, const char *second);

/* The time between two calls to send_heartbeats, in seconds. */
enum { HEARTBEAT_SECONDS = 5 };

/* Sends a comment to each waiting stream, so that closed pages are detected. */
void send_heartbeats(event_channel *channel);

/* Ends all streams of a channel. Call this before the daemon stops. */
void end_streams(event_channel *channel);

#endif
