/* SPDX-License-Identifier: MIT */
/*
 * row_hash.c: the hash of a version of a line: the 256-bit BLAKE2b hash (RFC 7693) of everything
 * that its pusher wrote and of the hash of the previous version. docs/format.md specifies the
 * order.
 */
#include "config.h"

#include "line/row_hash.h"

#include <string.h>

#include <sodium.h>

#include "io/little_endian.h"

static const char domain[] = "pqt line 1"; /* hashed with its terminating zero byte */

static void
add_number(crypto_generichash_state *state, uint64_t number)
{
    uint8_t bytes[sizeof number];
    pqti_store_le64(bytes, number);
    crypto_generichash_update(state, bytes, sizeof bytes);
}

/* Hashes the length of a byte string and then the string, so that different rows always give
   different input. */
static void
add_bytes(crypto_generichash_state *state, pqti_row_bytes text)
{
    add_number(state, text.length);
    if (text.length > 0)
        crypto_generichash_update(state, text.bytes, text.length);
}

pqt_fingerprint
pqti_row_fingerprint(const uint8_t *bytes)
{
    return (pqt_fingerprint){pqti_load_le64(bytes), pqti_load_le64(bytes + 8)};
}

void
pqti_hash_bytes(const void *bytes, size_t length, uint8_t hash[PQT_LINE_HASH])
{
    crypto_generichash(hash, PQT_LINE_HASH, bytes, length, NULL, 0);
}

void
pqti_hash_row(pqt_kind kind, const pqti_line_row *row, uint8_t hash[PQT_LINE_HASH])
{
    static const uint8_t none[PQT_LINE_HASH];
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, PQT_LINE_HASH);
    crypto_generichash_update(&state, (const uint8_t *)domain, sizeof domain);
    add_number(&state, (uint64_t)kind);
    add_number(&state, row->number);
    crypto_generichash_update(&state, row->parent_hash, PQT_LINE_HASH);
    crypto_generichash_update(&state, row->fingerprint, PQTI_FINGERPRINT_SIZE);
    add_bytes(&state, row->label);
    add_bytes(&state, row->author);
    add_number(&state, row->encoding);
    add_bytes(&state, row->change);
    crypto_generichash_update(&state, row->whole_hash == NULL ? none : row->whole_hash,
                              PQT_LINE_HASH);
    crypto_generichash_final(&state, hash, PQT_LINE_HASH);
}
