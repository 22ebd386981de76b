/* SPDX-License-Identifier: MIT */
/*
 * fingerprints.c: prints all sections, to compare builds and processors.
 */
#include "results.h"

int
main(void)
{
    for (size_t i = 0; i < result_section_count; i++)
        results_print(&result_sections[i], stdout);
    return 0;
}
