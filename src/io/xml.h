/* SPDX-License-Identifier: MIT */
/* xml.h - text as XML wants it. */
#ifndef PQTI_XML_H
#define PQTI_XML_H

#include <stdio.h>

/*
 * Writes text between tags or into an attribute in double quotes. Markup is escaped; bytes that are
 * not UTF-8, and characters that XML 1.0 forbids, become U+FFFD.
 */
void pqti_xml_text(FILE *stream, const char *text);

#endif
