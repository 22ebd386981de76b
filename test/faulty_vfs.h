/* SPDX-License-Identifier: MIT */
/*
 * faulty_vfs.h: SQLite's files with faults: a call that fails or writes only half, and copies of
 * what is left when the power fails.
 */
#ifndef TEST_FAULTY_VFS_H
#define TEST_FAULTY_VFS_H

#include <stdbool.h>
#include <stddef.h>

/* Makes these files the default of SQLite. */
void faulty_vfs_install(void);

/* The faults, and a count of calls. */
typedef struct vfs_faults {
    size_t calls;     /* reads, writes, syncs and truncations so far */
    size_t failing;   /* the number of the call that fails, from 1; 0: none */
    bool stays;       /* all later ones fail, too */
    bool cut_short;   /* a failing write writes half of its bytes */
    bool full_disk;   /* writes fail as on a full disk */
    bool reads_too;   /* reads count and fail, too */
    bool keep_synced; /* each sync copies the file to its name with ".synced" added */
} vfs_faults;

extern vfs_faults vfs;

#endif
