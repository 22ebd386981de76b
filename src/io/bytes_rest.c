/* SPDX-License-Identifier: MIT */
/*
 * bytes_rest.c: writes and reads a state of rest of a world as sections: REST; its contacts, in
 * CONT sections; and its quiet bodies in ascending order of id, in IDLE sections.
 */
#include "config.h"

#include "io/bytes_rest.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_internal.h"
#include "base/hash.h"
#include "memory/memory_internal.h"
#include "tree/item_hash.h"
#include "world/world_internal.h"

enum {
    ROWS = 1024,
    CONTACT_COLUMNS = 4, /* the lower id, the higher id, the side, the impulse */
    BODY_COLUMNS = 2,    /* the id, the number of quiet steps */
    REST_SIZE = 32
};

/* ---- Writing ---- */

static int
compare_ids(const void *a, const void *b)
{
    const uint64_t x = ((const pqti_quiet_body *)a)->id, y = ((const pqti_quiet_body *)b)->id;
    return x < y ? -1 : x > y;
}

static int
compare_keys(const void *a, const void *b)
{
    const uint64_t x = pqti_id_key(((const pqti_quiet_body *)a)->id),
                   y = pqti_id_key(((const pqti_quiet_body *)b)->id);
    return x < y ? -1 : x > y;
}

static bool
write_contacts(pqti_writer *writer, const pqti_rest_draft *draft, uint64_t *words)
{
    for (size_t from = 0; from < draft->contact_count; from += ROWS) {
        const size_t left = draft->contact_count - from, rows = left < ROWS ? left : ROWS;
        for (size_t i = 0; i < rows; i++) {
            const pqti_lasting_contact *contact = &draft->contacts[from + i];
            words[i] = contact->low;
            words[ROWS + i] = contact->high;
            words[2 * ROWS + i] = contact->side;
            words[3 * ROWS + i] = pqti_bits_of(contact->impulse);
        }
        if (!pqti_section_write_columns(writer, "CONT", words, ROWS, CONTACT_COLUMNS, rows))
            return false;
    }
    return true;
}

static bool
write_bodies(pqti_writer *writer, const pqti_quiet_body *bodies, size_t count, uint64_t *words)
{
    for (size_t from = 0; from < count; from += ROWS) {
        const size_t rows = count - from < ROWS ? count - from : ROWS;
        for (size_t i = 0; i < rows; i++) {
            words[i] = bodies[from + i].id;
            words[ROWS + i] = bodies[from + i].steps;
        }
        if (!pqti_section_write_columns(writer, "IDLE", words, ROWS, BODY_COLUMNS, rows))
            return false;
    }
    return true;
}

bool
pqti_rest_write_sections(pqti_writer *writer, const pqti_rest_state *state)
{
    const pqti_rest_draft draft = pqti_rest_draft_of(state);
    uint64_t *words = pqti_alloc_scratch(CONTACT_COLUMNS * ROWS, sizeof *words);
    pqti_quiet_body *bodies = pqti_alloc_scratch(draft.body_count, sizeof *bodies);
    bool written = words != NULL && bodies != NULL;
    if (written) {
        if (draft.body_count > 0)
            memcpy(bodies, draft.bodies, draft.body_count * sizeof *bodies);
        if (draft.body_count > 1)
            qsort(bodies, draft.body_count, sizeof *bodies, compare_ids);
        pqti_section_begin(writer, "REST");
        pqti_section_put(writer, draft.contact_count, 8);
        pqti_section_put(writer, draft.body_count, 8);
        pqti_section_put_double(writer, draft.gravity.x);
        pqti_section_put_double(writer, draft.gravity.y);
        written = pqti_section_end(writer) && write_contacts(writer, &draft, words) &&
                  write_bodies(writer, bodies, draft.body_count, words);
    } else {
        pqti_out_of_memory(writer->error);
    }
    pqti_free_scratch(words);
    pqti_free_scratch(bodies);
    return written;
}

/* ---- Reading ---- */

/* A state that is being read. All arrays are in scratch memory and grow as data arrive. */
typedef struct rest_reader {
    pqti_reader *reader;
    uint64_t contacts_to_come, bodies_to_come;
    pqti_lasting_contact *contacts;
    pqti_quiet_body *bodies;
    size_t contact_count, contact_capacity, body_count, body_capacity;
    pqt_vec gravity;
    uint64_t *words;
} rest_reader;

/* Makes room for `more` elements of an array. Returns false and sets the error on failure. */
static bool
reserve_elements(const rest_reader *r, void **array, size_t count, size_t *capacity, size_t more,
                 size_t size)
{
    void *larger = pqti_grow_scratch(*array, count, capacity, more, size);
    if (larger == NULL) {
        pqti_out_of_memory(r->reader->error);
        return false;
    }
    *array = larger;
    return true;
}

/* Adds a contact that is made from words. Returns false and sets the error on failure. */
static bool
add_contact(rest_reader *r, const uint64_t *word)
{
    pqti_lasting_contact *contact = &r->contacts[r->contact_count];
    *contact = (pqti_lasting_contact){word[0], word[ROWS], word[2 * ROWS], 0};
    memcpy(&contact->impulse, &word[3 * ROWS], sizeof contact->impulse);
    const char *fault =
        pqti_lasting_contact_fault(contact, r->contact_count == 0 ? NULL : contact - 1);
    return ++r->contact_count > 0 &&
           (fault == NULL ||
            pqti_section_fault(r->reader, "contact %zu: %s", r->contact_count - 1, fault));
}

static bool
read_contacts(rest_reader *r)
{
    while (r->contact_count < r->contacts_to_come) {
        const size_t rows =
            pqti_section_read_columns(r->reader, "CONT", r->words, ROWS, CONTACT_COLUMNS,
                                      r->contacts_to_come - r->contact_count);
        if (rows == 0 || !reserve_elements(r, (void **)&r->contacts, r->contact_count,
                                           &r->contact_capacity, rows, sizeof *r->contacts))
            return false;
        for (size_t i = 0; i < rows; i++)
            if (!add_contact(r, r->words + i))
                return false;
    }
    return true;
}

static bool
read_bodies(rest_reader *r)
{
    while (r->body_count < r->bodies_to_come) {
        const size_t rows = pqti_section_read_columns(
            r->reader, "IDLE", r->words, ROWS, BODY_COLUMNS, r->bodies_to_come - r->body_count);
        if (rows == 0 || !reserve_elements(r, (void **)&r->bodies, r->body_count, &r->body_capacity,
                                           rows, sizeof *r->bodies))
            return false;
        for (size_t i = 0; i < rows; i++, r->body_count++) {
            r->bodies[r->body_count] = (pqti_quiet_body){r->words[i], r->words[ROWS + i]};
            if (r->body_count > 0 && r->bodies[r->body_count - 1].id >= r->words[i])
                return pqti_section_fault(
                    r->reader, "quiet body %zu: its id is not greater than the previous one",
                    r->body_count);
        }
    }
    if (r->body_count > 1)
        qsort(r->bodies, r->body_count, sizeof *r->bodies, compare_keys);
    return true;
}

static bool
read_head(rest_reader *r)
{
    if (!pqti_section_read(r->reader, "REST", REST_SIZE, REST_SIZE))
        return false;
    r->contacts_to_come = pqti_section_get(r->reader, 8);
    r->bodies_to_come = pqti_section_get(r->reader, 8);
    r->gravity.x = pqti_section_get_double(r->reader);
    r->gravity.y = pqti_section_get_double(r->reader);
    if (r->contacts_to_come == 0 && r->bodies_to_come == 0)
        return pqti_section_fault(r->reader, "there are neither contacts nor quiet bodies");
    if (r->contacts_to_come <= SIZE_MAX / (4 * sizeof *r->contacts) &&
        r->bodies_to_come <= PQT_MAX_ITEMS)
        return true;
    return pqti_section_fault(r->reader, "too many contacts (%llu) or quiet bodies (%llu)",
                              (unsigned long long)r->contacts_to_come,
                              (unsigned long long)r->bodies_to_come);
}

bool
pqti_rest_read_sections(pqti_reader *reader, pqt_memory *memory, const pqti_rest_state **made)
{
    rest_reader r = {.reader = reader};
    r.words = pqti_alloc_scratch(CONTACT_COLUMNS * ROWS, sizeof *r.words);
    bool read = r.words != NULL;
    if (!read)
        pqti_out_of_memory(reader->error);
    read = read && read_head(&r) && read_contacts(&r) && read_bodies(&r);
    if (read) {
        const pqti_rest_draft draft = {.contacts = r.contacts,
                                       .contact_count = r.contact_count,
                                       .bodies = r.bodies,
                                       .body_count = r.body_count,
                                       .gravity = r.gravity};
        read = pqti_rest_make(memory, &draft, NULL, made);
        if (!read)
            pqti_out_of_memory(reader->error);
    }
    pqti_free_scratch(r.words);
    pqti_free_scratch(r.contacts);
    pqti_free_scratch(r.bodies);
    return read;
}
