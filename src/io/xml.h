/* SPDX-License-Identifier: MIT */
/* xml.h: writes text with XML escapes. */
#ifndef PQTI_XML_H
#define PQTI_XML_H

#include <stdio.h>

/*
 * Writes text between tags or into an attribute in double quotes. Escapes markup. Replaces bytes
 * that are not UTF-8, and characters that XML 1.0 forbids, with U+FFFD.
 */
void pqti_xml_text(FILE *stream, const char *text);

#endif
