/* SPDX-License-Identifier: MIT */
/*
 * faulty_vfs.h: a SQLite VFS with faults: calls that fail, writes that stop half way, calls
 * that stop or kill the process, and copies of the files as a power failure would leave them.
 */
#ifndef TEST_FAULTY_VFS_H
#define TEST_FAULTY_VFS_H

#include <stdbool.h>
#include <stddef.h>

/* Makes this VFS SQLite's default. */
void faulty_vfs_install(void);

/* The faults to inject, and a count of calls. */
typedef struct vfs_faults {
    size_t calls;     /* the number of reads, writes, syncs and truncations so far */
    size_t failing;   /* the number of the call that fails, counted from 1; 0: none fails */
    bool stays;       /* all later calls fail, too */
    bool cut_short;   /* a failing write writes half of its bytes */
    bool full_disk;   /* writes fail as on a full disk */
    bool reads_too;   /* reads are counted and may fail, too */
    int signal;       /* not 0: the call sends this to the process, and does not fail */
    bool keep_synced; /* each sync copies the file to a file with ".synced" added to its name */
} vfs_faults;

extern vfs_faults vfs;

#endif
