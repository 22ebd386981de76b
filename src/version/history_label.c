/* SPDX-License-Identifier: MIT */
/*
 * history_label.c: stores labels, which are cleaned for display, and names, which are not changed.
 *
 * Both are stored in leaves in the history's memory, which the collector reclaims but does not
 * scan.
 */
#include "config.h"

#include <string.h>

#include "base/error_internal.h"
#include "base/utf8.h"
#include "version/history_internal.h"

const char *
pqti_history_text(const pqt_history *history, const char *text, pqt_error *error)
{
    const size_t size = pqti_rounded(strlen(text) + 1);
    char *kept = pqti_alloc_leaf(history->memory, size);
    if (kept == NULL) {
        pqti_out_of_memory(error);
        return NULL;
    }
    strcpy(kept, text);
    return kept;
}

void
pqti_history_clean(const char *label, char shown[PQT_MAX_LABEL + 1])
{
    size_t used = 0;
    while (label != NULL && *label != '\0') {
        size_t length = pqti_utf8_length(label);
        const char *piece = length == 0                      ? PQTI_REPLACEMENT
                            : pqti_is_control(label, length) ? " "
                                                             : label;
        const size_t taken = length == 0 ? 1 : length;
        length = piece == label ? length : strlen(piece);
        if (used + length > PQT_MAX_LABEL)
            break;
        memcpy(shown + used, piece, length);
        used += length;
        label += taken;
    }
    shown[used] = '\0';
}

const char *
pqti_history_label(const pqt_history *history, const char *label, pqt_error *error)
{
    char shown[PQT_MAX_LABEL + 1];
    pqti_history_clean(label, shown);
    if (shown[0] == '\0')
        return "";
    /* Successive edits often have equal labels, so share the string. */
    if (history->count > 0 && strcmp(history->records[history->current].label, shown) == 0)
        return history->records[history->current].label;
    return pqti_history_text(history, shown, error);
}

/* Returns the slot of the record with this name, or PQTI_NO_SLOT if there is none. */
static uint32_t
slot_of_name(const pqt_history *history, const char *name)
{
    for (uint32_t slot = 0; slot < history->count; slot++)
        if (history->records[slot].name != NULL && strcmp(history->records[slot].name, name) == 0)
            return slot;
    return PQTI_NO_SLOT;
}

static bool
validate_name(const pqt_history *history, uint32_t slot, const char *name, pqt_error *error)
{
    if (!pqti_is_valid_name(name, PQT_MAX_LABEL)) {
        pqti_error_set(
            error, PQT_ERROR_OPTION, 0,
            "name: it is empty, longer than %d bytes, not UTF-8, or has control characters",
            PQT_MAX_LABEL);
        return false;
    }
    const uint32_t other = slot_of_name(history, name);
    if (other == PQTI_NO_SLOT || other == slot)
        return true;
    pqti_error_set(error, PQT_ERROR_CONFLICT, 0, "name: entry %llu already has the name %s",
                   (unsigned long long)history->records[other].number, name);
    return false;
}

static bool
set_name(pqt_history *history, uint32_t slot, const char *name, pqt_error *error)
{
    const char *kept = NULL;
    if (name != NULL) {
        kept = validate_name(history, slot, name, error) ? pqti_history_text(history, name, error)
                                                         : NULL;
        if (kept == NULL)
            return false;
    }
    if (history->backing != NULL && !history->backing->set_name(history, slot, kept, error))
        return false;
    pqti_lock_roots(history->memory);
    pqti_history_record_removed(history, &history->records[slot]);
    history->records[slot].name = kept;
    pqti_history_record_added(history, &history->records[slot]);
    pqti_unlock_roots(history->memory);
    pqti_history_update_droppable(history, slot);
    return true;
}

bool
pqt_history_set_name(pqt_history *history, uint64_t entry, const char *name, pqt_error *error)
{
    PQTI_ASSERT_HISTORY(history);
    const uint32_t slot = pqti_history_require_slot(history, entry, error);
    if (slot == PQTI_NO_SLOT || !pqti_scope_begin(history->memory, error))
        return false;
    const bool done = set_name(history, slot, name, error);
    pqti_scope_end(history->memory);
    return done;
}

bool
pqt_history_find(const pqt_history *history, const char *name, uint64_t *entry)
{
    PQTI_ASSERT_HISTORY(history);
    PQT_ASSERT(name != NULL, "the name is NULL");
    const uint32_t slot = slot_of_name(history, name);
    if (slot == PQTI_NO_SLOT)
        return false;
    if (entry != NULL)
        *entry = history->records[slot].number;
    return true;
}
