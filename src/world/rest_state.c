/* SPDX-License-Identifier: MIT */
/* rest_state.c: makes, searches and compares the lists of lasting contacts and quiet bodies. */
#include "config.h"

#include "world/rest_state.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/disjoint_sets.h"
#include "base/fp.h"
#include "base/hash.h"
#include "memory/memory_internal.h"
#include "tree/item_hash.h"

/* The number of contacts after a hint that a search compares one by one. See docs/world.md,
 * "Rest". */
enum { NEAR_CONTACTS = 4 };

static const pqti_quiet_body *
bodies_of(const pqti_rest_state *state)
{
    return (const pqti_quiet_body *)(state->contacts + state->contact_count);
}

pqti_rest_draft
pqti_rest_draft_of(const pqti_rest_state *state)
{
    if (state == NULL)
        return (pqti_rest_draft){.contact_count = 0};
    return (pqti_rest_draft){state->contacts, state->contact_count, bodies_of(state),
                             state->body_count, state->gravity};
}

/* ---- Search ---- */

int
pqti_lasting_contact_compare(const pqti_lasting_contact *a, const pqti_lasting_contact *b)
{
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->side < b->side ? -1 : a->side > b->side;
}

static int
by_ids(const void *a, const void *b)
{
    return pqti_lasting_contact_compare(a, b);
}

/* Returns true if contacts are sorted. The contacts of a single island are sorted from the
 * start. */
static bool
are_sorted(const pqti_lasting_contact *contacts, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (pqti_lasting_contact_compare(&contacts[i - 1], &contacts[i]) > 0)
            return false;
    return true;
}

void
pqti_lasting_contacts_sort(pqti_lasting_contact *contacts, size_t count)
{
    if (!are_sorted(contacts, count))
        qsort(contacts, count, sizeof *contacts, by_ids);
}

/* Returns the index of the first contact in [from, to) that is not before `wanted`, or `to` if all
 * of them are. */
static size_t
find_contact(const pqti_rest_state *state, const pqti_lasting_contact *wanted, size_t from,
             size_t to)
{
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (pqti_lasting_contact_compare(&state->contacts[middle], wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

double
pqti_rest_impulse_near(const pqti_rest_state *state, size_t *hint,
                       const pqti_lasting_contact *wanted)
{
    const size_t count = state == NULL ? 0 : state->contact_count;
    size_t at = *hint < count ? *hint : count, from = 0, to = at;
    if (at == 0 || pqti_lasting_contact_compare(&state->contacts[at - 1], wanted) < 0) {
        const size_t near = count - at < NEAR_CONTACTS ? count : at + NEAR_CONTACTS;
        while (at < near && pqti_lasting_contact_compare(&state->contacts[at], wanted) < 0)
            at++;
        from = at;
        to = at < near ? at : count;
    }
    at = *hint = count == 0 ? 0 : find_contact(state, wanted, from, to);
    return at < count && pqti_lasting_contact_compare(&state->contacts[at], wanted) == 0
               ? state->contacts[at].impulse
               : 0;
}

double
pqti_rest_impulse(const pqti_rest_state *state, uint64_t low, uint64_t high, uint64_t side)
{
    size_t hint = SIZE_MAX;
    return pqti_rest_impulse_near(state, &hint, &(pqti_lasting_contact){low, high, side, 0});
}

size_t
pqti_rest_find_body(const pqti_rest_state *state, uint64_t id)
{
    const uint64_t wanted = pqti_id_key(id);
    size_t from = 0, to = state == NULL ? 0 : state->body_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const uint64_t key = pqti_id_key(bodies_of(state)[middle].id);
        if (key == wanted)
            return middle;
        if (key < wanted)
            from = middle + 1;
        else
            to = middle;
    }
    return SIZE_MAX;
}

/* ---- Islands ---- */

/* Marks the root of the island of each marked body, and then all bodies whose root is marked. */
static void
spread_marks(uint32_t *parents, bool *marks, size_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (marks[i])
            marks[pqti_set_root(parents, i)] = true;
    for (uint32_t i = 0; i < count; i++)
        marks[i] = marks[i] || marks[pqti_set_root(parents, i)];
}

bool
pqti_rest_mark_islands(const pqti_rest_state *state, bool *marks)
{
    uint32_t *parents = pqti_alloc_scratch(state->body_count, sizeof *parents);
    if (parents == NULL)
        return false;
    pqti_sets_begin(parents, state->body_count);
    for (size_t i = 0; i < state->contact_count; i++) {
        const pqti_lasting_contact *c = &state->contacts[i];
        const size_t low = c->side != 0 ? SIZE_MAX : pqti_rest_find_body(state, c->low);
        const size_t high = low == SIZE_MAX ? SIZE_MAX : pqti_rest_find_body(state, c->high);
        if (high != SIZE_MAX)
            pqti_sets_unite(parents, (uint32_t)low, (uint32_t)high);
    }
    spread_marks(parents, marks, state->body_count);
    pqti_free_scratch(parents);
    return true;
}

/* ---- Fingerprints ---- */

static uint64_t
hash_contact(uint64_t state, const pqti_lasting_contact *contact, uint64_t odd)
{
    state = pqti_hash_combine(state, contact->low, odd);
    state = pqti_hash_combine(state, contact->high, odd);
    state = pqti_hash_combine(state, contact->side, odd);
    return pqti_hash_mix64(pqti_hash_combine(state, pqti_bits_of(contact->impulse), odd));
}

/* Returns the hash of two words, which describe a quiet body or the gravity. */
static uint64_t
hash_words(uint64_t state, uint64_t x, uint64_t y, uint64_t odd)
{
    return pqti_hash_mix64(pqti_hash_combine(pqti_hash_combine(state, x, odd), y, odd));
}

static pqt_fingerprint
fingerprint_of_words(uint64_t seed, uint64_t x, uint64_t y)
{
    return (pqt_fingerprint){hash_words(seed, x, y, UINT64_C(0xd1b54a32d192ed03)),
                             hash_words(~seed, x, y, UINT64_C(0x8cb92ba72f3d8dd7))};
}

static pqt_fingerprint
fingerprint_of_contact(const pqti_lasting_contact *contact)
{
    return (pqt_fingerprint){
        hash_contact(UINT64_C(0x3c6ef372fe94f82b), contact, UINT64_C(0xd1b54a32d192ed03)),
        hash_contact(UINT64_C(0xa54ff53a5f1d36f1), contact, UINT64_C(0x8cb92ba72f3d8dd7))};
}

static pqt_fingerprint
sum_of(const pqti_rest_draft *draft)
{
    pqt_fingerprint sum = {0, 0};
    for (size_t i = 0; i < draft->contact_count; i++)
        sum = pqti_fingerprint_add(sum, fingerprint_of_contact(&draft->contacts[i]));
    for (size_t i = 0; i < draft->body_count; i++)
        sum = pqti_fingerprint_add(sum, fingerprint_of_words(UINT64_C(0x510e527fade682d1),
                                                             draft->bodies[i].id,
                                                             draft->bodies[i].steps));
    if (draft->gravity.x != 0 || draft->gravity.y != 0)
        sum = pqti_fingerprint_add(sum, fingerprint_of_words(UINT64_C(0x1f83d9abfb41bd6b),
                                                             pqti_bits_of(draft->gravity.x),
                                                             pqti_bits_of(draft->gravity.y)));
    return sum;
}

pqt_fingerprint
pqti_rest_fingerprint(const pqti_rest_state *state)
{
    return state == NULL ? (pqt_fingerprint){0, 0} : state->fingerprint;
}

bool
pqti_rest_is_summed(const pqti_rest_state *state)
{
    const pqti_rest_draft draft = pqti_rest_draft_of(state);
    const pqt_fingerprint sum = sum_of(&draft);
    return memcmp(&sum, &state->fingerprint, sizeof sum) == 0;
}

/* ---- Comparison ---- */

static void
lower(uint64_t *id, bool *found, uint64_t other)
{
    if (!*found || other < *id)
        *id = other;
    *found = true;
}

/* Finds the lowest id in a contact that differs. Contacts are sorted by their lower id, so it is in
 * the first difference. */
static void
compare_contacts(const pqti_rest_draft *a, const pqti_rest_draft *b, uint64_t *id, bool *found)
{
    size_t i = 0;
    while (i < a->contact_count && i < b->contact_count &&
           memcmp(&a->contacts[i], &b->contacts[i], sizeof *a->contacts) == 0)
        i++;
    if (i < a->contact_count)
        lower(id, found, a->contacts[i].low);
    if (i < b->contact_count)
        lower(id, found, b->contacts[i].low);
}

static void
compare_bodies(const pqti_rest_draft *a, const pqti_rest_draft *b, uint64_t *id, bool *found)
{
    for (size_t i = 0, k = 0; i < a->body_count || k < b->body_count;) {
        const uint64_t x = i < a->body_count ? pqti_id_key(a->bodies[i].id) : UINT64_MAX;
        const uint64_t y = k < b->body_count ? pqti_id_key(b->bodies[k].id) : UINT64_MAX;
        const bool takes_a = i < a->body_count && (k == b->body_count || x <= y);
        const bool takes_b = k < b->body_count && (i == a->body_count || y <= x);
        if (!takes_a || !takes_b || a->bodies[i].steps != b->bodies[k].steps)
            lower(id, found, takes_a ? a->bodies[i].id : b->bodies[k].id);
        i += takes_a;
        k += takes_b;
    }
}

bool
pqti_rest_differs(const pqti_rest_state *a, const pqti_rest_state *b, uint64_t *id)
{
    if (a == b)
        return false;
    const pqti_rest_draft x = pqti_rest_draft_of(a), y = pqti_rest_draft_of(b);
    bool found = false;
    uint64_t lowest = 0;
    compare_contacts(&x, &y, &lowest, &found);
    compare_bodies(&x, &y, &lowest, &found);
    const bool same_gravity = x.gravity.x == y.gravity.x && x.gravity.y == y.gravity.y;
    for (size_t i = 0; !same_gravity && i < x.body_count; i++)
        lower(&lowest, &found, x.bodies[i].id);
    if (found)
        *id = lowest;
    return found;
}

const char *
pqti_lasting_contact_fault(const pqti_lasting_contact *contact, const pqti_lasting_contact *before)
{
    if (contact->low > contact->high)
        return "its ids are not in order";
    const uint64_t side = pqti_lasting_side(contact);
    const bool is_friction = contact->side >= PQTI_LASTING_FRICTION;
    if (contact->side >= 2 * PQTI_LASTING_FRICTION || side >= PQTI_LASTING_SIDES ||
        (side == 0) != (contact->low != contact->high))
        return "its side does not match its ids";
    if (!is_friction && !(contact->impulse > 0 && contact->impulse <= DBL_MAX))
        return "its impulse is not above 0";
    if (is_friction && (contact->impulse == 0 || !(pqti_fabs(contact->impulse) <= DBL_MAX)))
        return "its friction is 0 or not finite";
    if (before != NULL && pqti_lasting_contact_compare(before, contact) >= 0)
        return "it is not after its predecessor";
    return NULL;
}

/* ---- Blocks ---- */

static size_t
size_of_state(size_t contacts, size_t bodies)
{
    return pqti_rounded(sizeof(pqti_rest_state) + contacts * sizeof(pqti_lasting_contact) +
                        bodies * sizeof(pqti_quiet_body));
}

size_t
pqti_rest_bytes(const pqt_memory *memory, const pqti_rest_state *state)
{
    return state == NULL ? 0
                         : pqti_block_size(memory, state,
                                           size_of_state(state->contact_count, state->body_count));
}

static bool
has_contents(const pqti_rest_state *state, const pqti_rest_draft *draft)
{
    return state->contact_count == draft->contact_count && state->body_count == draft->body_count &&
           memcmp(&state->gravity, &draft->gravity, sizeof state->gravity) == 0 &&
           (draft->contact_count == 0 ||
            memcmp(state->contacts, draft->contacts,
                   draft->contact_count * sizeof *draft->contacts) == 0) &&
           (draft->body_count == 0 || memcmp(bodies_of(state), draft->bodies,
                                             draft->body_count * sizeof *draft->bodies) == 0);
}

bool
pqti_rest_make(pqt_memory *memory, const pqti_rest_draft *draft, const pqti_rest_state *old,
               const pqti_rest_state **made)
{
    const bool empty = draft->contact_count == 0 && draft->body_count == 0;
    *made = empty ? NULL : old;
    if (empty || (old != NULL && has_contents(old, draft)))
        return true;
    pqti_rest_state *state =
        pqti_alloc_leaf(memory, size_of_state(draft->contact_count, draft->body_count));
    if (state == NULL)
        return false;
    state->contact_count = draft->contact_count;
    state->body_count = draft->body_count;
    state->gravity = draft->gravity;
    state->fingerprint = sum_of(draft);
    if (draft->contact_count > 0)
        memcpy(state->contacts, draft->contacts, draft->contact_count * sizeof *draft->contacts);
    if (draft->body_count > 0)
        memcpy(state->contacts + draft->contact_count, draft->bodies,
               draft->body_count * sizeof *draft->bodies);
    *made = state;
    return true;
}
