/* SPDX-License-Identifier: MIT */
/*
 * crc32c.h: the checksum of sections: CRC-32C.
 *
 * The polynomial is 0x1EDC6F41, reflected; the initial value and the final xor are 0xFFFFFFFF. It
 * detects every burst error of up to 32 bits, and every error of up to 3 bits in a section.
 * Sources: G. Castagnoli, S. Braeuer, M. Herrmann, "Optimization of cyclic redundancy-check codes
 * with 24 and 32 parity bits", 1993; RFC 3720, appendix B.4; eight bytes at a time: M. Kounavis, F.
 * Berry, "A systematic approach to building high performance software-based CRC generators", 2005.
 */
#ifndef PQTI_CRC32C_H
#define PQTI_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* table[k][b] is the checksum register after byte b followed by k zero bytes. */
typedef struct pqti_crc32c_tables {
    uint32_t table[8][256];
} pqti_crc32c_tables;

void pqti_crc32c_make_tables(pqti_crc32c_tables *tables);

/* Extends a checksum by some bytes and returns it. `sum` is the checksum of the bytes before them,
   or 0 if there are none. */
uint32_t pqti_crc32c(const pqti_crc32c_tables *tables, uint32_t sum, const void *bytes,
                     size_t count);

#endif
