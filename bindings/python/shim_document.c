/* SPDX-License-Identifier: MIT */
/* shim_document.c: the functions that document.py calls. */
#include "shim.h"

#include <string.h>

/* Makes a document if `document` is NULL, otherwise sets parts of it. */
static const pqt_document *
make_or_set(const pqt_document *document, const char *const *names, void *const *pins,
            const char *const *keyed_by, size_t count, pqt_error *error)
{
    pqt_part parts[PQT_MAX_PARTS] = {0};
    if (count > PQT_MAX_PARTS) {
        fail(error, PQT_ERROR_LIMIT, 0, "a document has more than 16 parts");
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const int kind = pqtpy_kind(pins[i]);
        if (kind == PQT_KIND_NONE || kind == PQT_KIND_DOCUMENT) {
            fail(error, PQT_ERROR_MISMATCH, i,
                 "a part is a tree, a region, an image, a world or a map");
            return NULL;
        }
        parts[i].name = names[i];
        parts[i].kind = (pqt_kind)kind;
        parts[i].version = pqt_pin_get_version(pins[i]);
        parts[i].keyed_by = keyed_by == NULL ? NULL : keyed_by[i];
    }
    return document == NULL ? pqt_document_make(parts, count, error)
                            : pqt_document_set_parts(document, parts, count, error);
}

/* Makes a document of parts. `keyed_by` has, for each part, the name of a tree or NULL. */
pqt_pin *
pqtpy_document_make(const char *const *names, void *const *pins, const char *const *keyed_by,
                    size_t count, pqt_error *error)
{
    RETURN_PINNED(document, make_or_set(NULL, names, pins, keyed_by, count, error));
}

pqt_pin *
pqtpy_document_set(const pqt_pin *pin, const char *const *names, void *const *pins, size_t count,
                   pqt_error *error)
{
    const pqt_document *document = pqt_pin_get_document(pin);
    RETURN_PINNED(document, make_or_set(document, names, pins, NULL, count, error));
}

size_t
pqtpy_document_count(const pqt_pin *pin)
{
    return pqt_document_count(pqt_pin_get_document(pin));
}

static bool
append_text(pqtpy_bytes *bytes, const char *text, pqt_error *error)
{
    return text == NULL || append(bytes, text, strlen(text), error);
}

/* Appends the name of a part and of the tree that keys it. `index` is below the number of parts. */
bool
pqtpy_document_part(const pqt_pin *pin, size_t index, pqtpy_bytes *name, pqtpy_bytes *keyed_by,
                    pqt_error *error)
{
    const pqt_document *document = pqt_pin_get_document(pin);
    if (index >= pqt_document_count(document)) {
        fail(error, PQT_ERROR_OPTION, index, "the document has no part with this index");
        return false;
    }
    const pqt_part part = pqt_document_get_part(document, index);
    return append_text(name, part.name, error) && append_text(keyed_by, part.keyed_by, error);
}

/* Pins the part with a given name; NULL without an error if there is none. */
pqt_pin *
pqtpy_document_get(const pqt_pin *pin, const char *name, pqt_error *error)
{
    const pqt_document *document = pqt_pin_get_document(pin);
    size_t index;
    if (!pqt_document_find(document, name, &index))
        return NULL;
    const pqt_part part = pqt_document_get_part(document, index);
    return pqt_version_pin(part.version, error);
}

static pqt_document_resolution
resolve_alike(const pqt_document_conflict *conflict, pqt_document_answer *answer, void *context)
{
    (void)conflict;
    (void)answer;
    return *(const pqt_document_resolution *)context;
}

/* Merges two documents. `resolution` applies to all conflicts; 0: a conflict is an error. */
pqt_pin *
pqtpy_document_merge(const pqt_pin *base, const pqt_pin *ours, const pqt_pin *theirs,
                     int resolution, pqt_error *error)
{
    pqt_document_resolution answer = (pqt_document_resolution)resolution;
    pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
    options.resolve = resolution == 0 ? NULL : resolve_alike;
    options.context = &answer;
    RETURN_PINNED(document,
                  pqt_document_merge(pqt_pin_get_document(base), pqt_pin_get_document(ours),
                                     pqt_pin_get_document(theirs), &options, error));
}
