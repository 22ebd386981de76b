/* SPDX-License-Identifier: MIT */
/* line_state.c: finds a line in the database, and holds its newest version and its head. */
#include "config.h"

#include "line/line_internal.h"

#include <pqt/bytes.h>

#include <string.h>

#include "base/error_internal.h"
#include "io/bytes_internal.h"
#include "memory/kind_calls.h"

bool
pqti_line_fault(pqt_status status, uint64_t number, const char *what, pqt_error *error)
{
    pqti_error_set(error, status, (size_t)number, "version %llu: %s", (unsigned long long)number,
                   what);
    return false;
}

bool
pqti_line_find(pqt_line *line, pqt_error *error)
{
    pqti_parameters parameters = {0};
    pqti_add_text(&parameters, line->name, strlen(line->name));
    PGresult *result =
        pqti_query(&line->connection, "SELECT id, kind FROM pqt.line WHERE name = $1::text",
                   &parameters, error);
    if (result == NULL)
        return false;
    if (PQntuples(result) == 1) {
        line->id = pqti_get_int8(result, 0, 0);
        line->kind = (pqt_kind)pqti_get_int2(result, 0, 1);
    }
    PQclear(result);
    if (line->id != 0 && !pqti_is_kind(line->kind)) {
        pqti_error_set(error, PQT_ERROR_FORMAT, 0, "the kind of the line is %d", (int)line->kind);
        line->id = 0;
        return false;
    }
    return line->id == 0 || pqti_bytes_to_read(line->kind, error) != NULL;
}

bool
pqti_line_has_row(pqt_line *line, const pqti_line_version *at, bool *is_there, pqt_error *error)
{
    pqti_parameters parameters = {0};
    pqti_add_int8(&parameters, line->id);
    pqti_add_int8(&parameters, at->number);
    PGresult *result =
        pqti_query(&line->connection,
                   "SELECT hash FROM pqt.version WHERE line = $1::int8 AND number = $2::int8",
                   &parameters, error);
    if (result == NULL)
        return false;
    *is_there = PQntuples(result) == 1 && PQgetlength(result, 0, 0) == PQT_LINE_HASH &&
                memcmp(PQgetvalue(result, 0, 0), at->hash, PQT_LINE_HASH) == 0;
    PQclear(result);
    return true;
}

/* ---- The newest version ---- */

bool
pqti_line_advance(pqt_line *line, const pqti_line_version *at, pqt_error *error)
{
    pqt_pin *pin = pqt_version_pin(at->version, error);
    if (pin == NULL)
        return false;
    if (line->head != NULL && !pqt_head_publish(line->head, at->version, error)) {
        pqt_unpin(&pin);
        return false;
    }
    pqt_unpin(&line->pin);
    line->pin = pin;
    line->newest = *at;
    return true;
}

const pqt_head *
pqt_line_head(pqt_line *line, pqt_error *error)
{
    PQT_ASSERT(line != NULL, "the line is NULL");
    if (line->newest.number == 0) {
        pqti_error_set(error, PQT_ERROR_MISMATCH, 0, "the line is empty");
        return NULL;
    }
    if (line->head == NULL)
        line->head = pqt_head_make(line->newest.version, error);
    return line->head;
}
