/* SPDX-License-Identifier: MIT */
/* shared_line.h: a line that pages share with programs on other machines. */
#ifndef SHARED_LINE_H
#define SHARED_LINE_H

#include "tool/studio/shared_history.h"

/* Opens a line. If it does not exist, creates it, with an empty scene as its first version. Ends
   the program with an error if that fails. `name` is the name that pages use. `author` is the
   author of new versions, or NULL. */
shared_history *shared_open_line(const char *address, const char *name, const char *author);

#endif
