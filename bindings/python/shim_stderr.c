/* SPDX-License-Identifier: MIT */
/*
 * shim_stderr.c: lets the extension module contain a libpng that was compiled for programs.
 *
 * The static libpng of Debian takes the address of stderr in a way that only the code of a program
 * may. The linker replaces each reference to stderr by one to a variable of the module
 * (--wrap=stderr), which has the same value.
 */
#include <stdio.h>

extern FILE *__real_stderr; /* the name that --wrap gives to that of the C library */

FILE *__wrap_stderr;

__attribute__((constructor)) static void
set_stderr(void)
{
    __wrap_stderr = __real_stderr;
}
