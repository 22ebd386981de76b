/* SPDX-License-Identifier: MIT */
/* contact_list.c: the contacts that last from one step to the next, as a part of a version. */
#include "config.h"

#include "world/contact_list.h"

#include <float.h>
#include <string.h>

#include "base/hash.h"
#include "base/fp.h"
#include "memory/memory_internal.h"
#include "tree/item_hash.h"

int
pqti_lasting_contact_compare(const pqti_lasting_contact *a, const pqti_lasting_contact *b)
{
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->side < b->side ? -1 : a->side > b->side;
}

double
pqti_contact_list_impulse(const pqti_contact_list *list, uint64_t low, uint64_t high, uint64_t side)
{
    const pqti_lasting_contact wanted = {low, high, side, 0};
    size_t from = 0, to = list == NULL ? 0 : list->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = pqti_lasting_contact_compare(&list->contacts[middle], &wanted);
        if (order == 0)
            return list->contacts[middle].impulse;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return 0;
}

static uint64_t
hash_contact(uint64_t state, const pqti_lasting_contact *contact, uint64_t odd)
{
    state = pqti_hash_combine(state, contact->low, odd);
    state = pqti_hash_combine(state, contact->high, odd);
    state = pqti_hash_combine(state, contact->side, odd);
    return pqti_hash_mix64(pqti_hash_combine(state, pqti_bits_of(contact->impulse), odd));
}

static pqt_fingerprint
sum_of_contacts(const pqti_lasting_contact *contacts, size_t count)
{
    pqt_fingerprint sum = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const pqti_lasting_contact *contact = &contacts[i];
        sum = pqti_fingerprint_add(
            sum,
            (pqt_fingerprint){
                hash_contact(UINT64_C(0x3c6ef372fe94f82b), contact, UINT64_C(0xd1b54a32d192ed03)),
                hash_contact(UINT64_C(0xa54ff53a5f1d36f1), contact, UINT64_C(0x8cb92ba72f3d8dd7))});
    }
    return sum;
}

pqt_fingerprint
pqti_contact_list_fingerprint(const pqti_contact_list *list)
{
    return list == NULL ? (pqt_fingerprint){0, 0} : list->fingerprint;
}

bool
pqti_contact_list_is_summed(const pqti_contact_list *list)
{
    const pqt_fingerprint sum = sum_of_contacts(list->contacts, list->count);
    return memcmp(&sum, &list->fingerprint, sizeof sum) == 0;
}

static size_t
size_of_list(size_t count)
{
    return pqti_rounded(sizeof(pqti_contact_list) + count * sizeof(pqti_lasting_contact));
}

size_t
pqti_contact_list_bytes(const pqt_memory *memory, const pqti_contact_list *list)
{
    return list == NULL ? 0 : pqti_block_size(memory, list, size_of_list(list->count));
}

const pqti_lasting_contact *
pqti_contact_list_difference(const pqti_contact_list *a, const pqti_contact_list *b)
{
    const size_t count_a = a == NULL ? 0 : a->count, count_b = b == NULL ? 0 : b->count;
    for (size_t i = 0; a != b && (i < count_a || i < count_b); i++) {
        if (i == count_a || i == count_b)
            return i == count_a ? &b->contacts[i] : &a->contacts[i];
        const pqti_lasting_contact *x = &a->contacts[i], *y = &b->contacts[i];
        if (memcmp(x, y, sizeof *x) != 0)
            return pqti_lasting_contact_compare(x, y) <= 0 ? x : y;
    }
    return NULL;
}

const char *
pqti_lasting_contact_fault(const pqti_lasting_contact *contact, const pqti_lasting_contact *before)
{
    if (contact->low > contact->high)
        return "its ids are not in order";
    if (contact->side >= PQTI_LASTING_SIDES ||
        (contact->side == 0) != (contact->low != contact->high))
        return "its side is not one of its ids";
    if (!(contact->impulse > 0 && contact->impulse <= DBL_MAX))
        return "its impulse is not above 0";
    if (before != NULL && pqti_lasting_contact_compare(before, contact) >= 0)
        return "it is not behind the one before";
    return NULL;
}

bool
pqti_contact_list_filter(pqt_memory *memory, const pqti_contact_list *list,
                         pqti_keeps_contact_fn *keeps, const void *context,
                         const pqti_contact_list **made)
{
    size_t kept = 0;
    *made = list;
    if (list == NULL || keeps == NULL)
        return true;
    for (size_t i = 0; i < list->count; i++)
        kept += keeps(&list->contacts[i], context);
    if (kept == list->count)
        return true;
    pqti_contact_list *next = kept == 0 ? NULL : pqti_alloc_leaf(memory, size_of_list(kept));
    *made = next;
    if (next == NULL)
        return kept == 0;
    next->count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (keeps(&list->contacts[i], context))
            next->contacts[next->count++] = list->contacts[i];
    next->fingerprint = sum_of_contacts(next->contacts, kept);
    return true;
}

bool
pqti_contact_list_make(pqt_memory *memory, const pqti_lasting_contact *contacts, size_t count,
                       const pqti_contact_list *old, const pqti_contact_list **made)
{
    const size_t bytes = count * sizeof *contacts;
    *made = count == 0 ? NULL : old;
    if (count == 0 ||
        (old != NULL && old->count == count && memcmp(old->contacts, contacts, bytes) == 0))
        return true;
    pqti_contact_list *list = pqti_alloc_leaf(memory, size_of_list(count));
    if (list == NULL)
        return false;
    list->count = count;
    list->fingerprint = sum_of_contacts(contacts, count);
    memcpy(list->contacts, contacts, bytes);
    *made = list;
    return true;
}
