/* SPDX-License-Identifier: MIT */
/*
 * crc32c.c: computes CRC-32C, the checksum of sections, eight bytes at a time.
 *
 * The tables are computed again for each version that is read or written. This takes a few
 * microseconds and avoids state that threads would share.
 */
#include "config.h"

#include "io/crc32c.h"

#include "io/little_endian.h"

#define POLYNOMIAL UINT32_C(0x82f63b78) /* 0x1EDC6F41 with its bits reversed */

void
pqti_crc32c_make_tables(pqti_crc32c_tables *tables)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t sum = byte;
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? POLYNOMIAL : 0);
        tables->table[0][byte] = sum;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t sum = tables->table[k - 1][byte];
            tables->table[k][byte] = sum >> 8 ^ tables->table[0][sum & 255];
        }
}

uint32_t
pqti_crc32c(const pqti_crc32c_tables *tables, uint32_t sum, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    sum = ~sum;
    for (; count >= 8; at += 8, count -= 8) {
        const uint64_t word = pqti_load_le64(at) ^ sum;
        sum = 0;
        for (int k = 0; k < 8; k++)
            sum ^= tables->table[7 - k][word >> (8 * k) & 255];
    }
    for (; count > 0; at++, count--)
        sum = sum >> 8 ^ tables->table[0][(sum ^ *at) & 255];
    return ~sum;
}
