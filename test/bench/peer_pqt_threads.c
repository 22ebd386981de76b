/* SPDX-License-Identifier: MIT */
/*
 * peer_pqt_threads.c: pqt as a contestant with a writer and a reader at once, which share a head.
 *
 * One kind of reader is attached and loads every version. The other one pins a version, reads it
 * without being attached, and pins a newer one from time to time.
 */
#include "peer_pqt.h"

#include <stdlib.h>

enum { READS_OF_A_PIN = 50000 };

static bool
begin_sharing(void *of)
{
    holder *s = of;
    if (holder_build(of))
        s->head = pqt_head_make(s->tree, &s->error);
    return holder_succeeds(s);
}

static bool
publish(void *of, const pqt_item *from, const pqt_box *to)
{
    holder *s = of;
    return holder_move(of, from, to) && pqt_head_publish(s->head, s->tree, &s->error);
}

static void *
enter(void *of)
{
    return pqt_thread_attach(NULL) ? of : NULL;
}

static void
leave(void *of)
{
    (void)of;
    pqt_thread_detach();
}

static void
read_newest(void *of, const pqt_box *window, answer *found)
{
    const holder *s = of;
    holder_query(pqt_head_load(s->head, NULL), window, found);
}

const peer_sharing pqt_sharing = {
    .begin = begin_sharing,
    .write = publish,
    .enter = enter,
    .leave = leave,
    .read = read_newest,
};

/* A reader without the collector. It is in malloc'ed memory, so it holds its version through a
   pin. */
typedef struct pinned_reader {
    const pqt_head *head;
    pqt_pin *pin;
    size_t reads;
} pinned_reader;

static bool
pin_newest(pinned_reader *reader)
{
    pqt_unpin(&reader->pin);
    if (!pqt_thread_attach(NULL))
        return false;
    reader->pin = pqt_head_pin(reader->head, NULL, NULL);
    pqt_thread_detach();
    return reader->pin != NULL;
}

static void *
enter_pinned(void *of)
{
    const holder *s = of;
    pinned_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return NULL;
    reader->head = s->head;
    if (pin_newest(reader))
        return reader;
    free(reader);
    return NULL;
}

static void
leave_pinned(void *of)
{
    pinned_reader *reader = of;
    pqt_unpin(&reader->pin);
    free(reader);
}

/* Pins a newer version. If that fails, the next answers are empty, which the comparison detects. */
static void
read_pinned(void *of, const pqt_box *window, answer *found)
{
    pinned_reader *reader = of;
    if (++reader->reads % READS_OF_A_PIN != 0 || pin_newest(reader))
        holder_query(pqt_pin_get_tree(reader->pin), window, found);
}

static const peer_sharing pinned_sharing = {
    .begin = begin_sharing,
    .write = publish,
    .enter = enter_pinned,
    .leave = leave_pinned,
    .read = read_pinned,
};

const peer peer_pqt_pinned = {
    .name = "pqt-pinned",
    .what = "W8 alone: the reader is not attached, and takes a new pin after 50,000 reads",
    .is_pqt = true,
    .make = holder_make,
    .build = holder_build,
    .free = holder_free,
    .sharing = &pinned_sharing,
};
