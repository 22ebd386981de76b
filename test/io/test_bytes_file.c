/* SPDX-License-Identifier: MIT */
/*
 * test_bytes_file.c: tests that versions are written to files whole or not at all, and are read
 * back.
 *
 * Each test has its own folder, which must contain only the files that the test expects.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "bytes_support.h"
#include "error_support.h"
#include "hooks.h"
#include "suite.h"

static pqt_memory *arena;
static char folder[] = "bytes-XXXXXX", name[64], other[64];

/* ---- Flushing ---- */

/* The flushes of files and of folders, and what the name of the saved file was at each. */
static struct {
    size_t files, folders;
    bool had_name_at_file;   /* the file had its name when it was flushed */
    bool had_name_at_folder; /* the file had its name when the folder was flushed */
    int interrupted;         /* the number of flushes that a signal interrupts first */
    int fails;               /* not 0: the errno with which flushes of files fail */
} flushes;

/* Replaces the function of the system. */
int
fsync(int descriptor)
{
    struct stat status, named;
    ck_assert_int_eq(fstat(descriptor, &status), 0);
    if (flushes.interrupted-- > 0) {
        errno = EINTR;
        return -1;
    }
    const bool has_name = stat(name, &named) == 0;
    if (S_ISDIR(status.st_mode)) {
        flushes.folders++;
        flushes.had_name_at_folder = has_name;
        return 0;
    }
    flushes.files++;
    flushes.had_name_at_file = has_name && named.st_ino == status.st_ino;
    errno = flushes.fails;
    return flushes.fails != 0 ? -1 : 0;
}

/* ---- Calls that fail ---- */

/* Not 0: the errno with which a function of the system fails. */
static struct {
    int fchmod, rename, access;
    bool rename_removes; /* the file to rename is gone when its renaming has failed */
} fails;

/* Returns 0, or -1 and sets errno if `number` is not 0. */
static int
fail_with(int number)
{
    errno = number;
    return number != 0 ? -1 : 0;
}

/* These functions replace those of the system. */
int
fchmod(int descriptor, mode_t mode)
{
    return fails.fchmod != 0 ? fail_with(fails.fchmod) : (int)syscall(SYS_fchmod, descriptor, mode);
}

int
rename(const char *from, const char *to)
{
    if (fails.rename != 0 && fails.rename_removes)
        unlink(from);
    return fails.rename != 0 ? fail_with(fails.rename) : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int
access(const char *path, int mode)
{
    return fails.access != 0 ? fail_with(fails.access) : faccessat(AT_FDCWD, path, mode, 0);
}

static void
set_up(void)
{
    arena = pqt_arena_make(0, NULL);
    ck_assert_ptr_nonnull(arena);
    strcpy(folder, "bytes-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/version.pqt", folder);
    snprintf(other, sizeof other, "%s/other", folder);
}

static void
tear_down(void)
{
    unlink(name);
    unlink(other);
    ck_assert_int_eq(rmdir(folder), 0);
    pqt_arena_destroy(&arena);
}

/* Returns the number of files in the folder, including hidden ones. */
static int
count_files(void)
{
    int count = -2; /* without "." and ".." */
    DIR *entries = opendir(folder);
    ck_assert_ptr_nonnull(entries);
    while (readdir(entries) != NULL)
        count++;
    closedir(entries);
    return count;
}

static bool
save_any(any_version given, const char *path, pqt_error *error)
{
    if (given.kind == PQT_KIND_TREE)
        return pqt_tree_save(given.version, path, error);
    if (given.kind == PQT_KIND_MAP)
        return pqt_map_save(given.version, path, error);
    if (given.kind == PQT_KIND_DOCUMENT)
        return pqt_document_save(given.version, path, error);
    if (given.kind == PQT_KIND_IMAGE)
        return pqt_image_save(given.version, path, error);
    return given.kind == PQT_KIND_REGION ? pqt_region_save(given.version, path, error)
                                         : pqt_world_save(given.version, path, error);
}

static const void *
load_any(pqt_kind kind, const char *path, pqt_error *error)
{
    if (kind == PQT_KIND_TREE)
        return pqt_tree_load(path, arena, error);
    if (kind == PQT_KIND_MAP)
        return pqt_map_load(path, arena, error);
    if (kind == PQT_KIND_DOCUMENT)
        return pqt_document_load(path, arena, error);
    if (kind == PQT_KIND_IMAGE)
        return pqt_image_load(path, arena, error);
    return kind == PQT_KIND_REGION ? (const void *)pqt_region_load(path, arena, error)
                                   : (const void *)pqt_world_load(path, arena, error);
}

static void
expect_file(const char *path, any_version given)
{
    pqt_error error = {0};
    const void *read = load_any(given.kind, path, &error);
    ck_assert_msg(read != NULL, "%s", error.text);
    ck_assert(pqt_version_equals(given.version, read));
}

static void
expect_error(const pqt_error *error, pqt_status status, const char *text)
{
    ck_assert_int_eq(error->status, status);
    ck_assert_str_eq(error->text, text);
    ck_assert(names_its_index(error));
}

START_TEST(a_saved_version_is_loaded_unchanged)
{
    pqt_error error = {0};
    const any_version given = small_version((unsigned)_i, arena, &error);
    ck_assert_msg(save_any(given, name, &error), "%s", error.text);
    expect_file(name, given);
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(a_saved_version_replaces_the_previous_one_and_keeps_its_permissions)
{
    pqt_error error = {0};
    struct stat status;
    const any_version first = small_version(3, arena, &error);
    const any_version second = small_version(2, arena, &error);
    ck_assert(save_any(first, name, &error));
    ck_assert_int_eq(chmod(name, 0640), 0);
    ck_assert(save_any(second, name, &error));
    expect_file(name, second);
    ck_assert_int_eq(stat(name, &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0640);
    umask(077);
    ck_assert_int_eq(chmod(name, 0664), 0);
    ck_assert(save_any(first, name, &error));
    ck_assert_int_eq(stat(name, &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0664);
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

/* The temporary file is a new one: a link or another file that has its name is left alone. */
START_TEST(a_save_writes_through_no_link_at_a_temporary_name)
{
    pqt_error error = {0};
    char hidden[80], nothing[80];
    const any_version victim = small_version(3, arena, &error);
    const any_version given = small_version(2, arena, &error);
    snprintf(hidden, sizeof hidden, "%s/.pqt-%ld-0.tmp", folder, (long)getpid());
    snprintf(nothing, sizeof nothing, "%s/nothing", folder);
    for (int i = 0; i < 5; i++) {
        ck_assert(save_any(victim, other, &error));
        const int made = i == 0   ? symlink("other", hidden)
                         : i == 1 ? symlink("nothing", hidden)
                         : i == 2 ? link(other, hidden)
                         : i == 3 ? mkdir(hidden, 0777)
                                  : mkfifo(hidden, 0666);
        ck_assert_int_eq(made, 0);
        ck_assert_msg(save_any(given, name, &error), "%s", error.text);
        expect_file(name, given);
        expect_file(other, victim);
        ck_assert_int_ne(access(nothing, F_OK), 0);
        ck_assert_int_eq(i == 3 ? rmdir(hidden) : unlink(hidden), 0);
        ck_assert_int_eq(count_files(), 2);
    }
}
END_TEST

/* A file that has two names is not overwritten: one name gets the new version, and the other one
   keeps the old version. */
START_TEST(a_save_to_one_name_of_a_file_keeps_the_other)
{
    pqt_error error = {0};
    const any_version first = small_version(3, arena, &error);
    const any_version second = small_version(2, arena, &error);
    ck_assert(save_any(first, name, &error));
    ck_assert_int_eq(link(name, other), 0);
    ck_assert(save_any(second, name, &error));
    expect_file(name, second);
    expect_file(other, first);
    ck_assert_int_eq(count_files(), 2);
}
END_TEST

START_TEST(a_symbolic_link_is_kept_and_its_target_is_replaced)
{
    pqt_error error = {0};
    struct stat status;
    const any_version given = small_version(2, arena, &error);
    ck_assert(save_any(small_version(3, arena, &error), name, &error));
    ck_assert_int_eq(symlink("version.pqt", other), 0);
    ck_assert(save_any(given, other, &error));
    ck_assert_int_eq(lstat(other, &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    expect_file(name, given);
    ck_assert_int_eq(count_files(), 2);
}
END_TEST

/* A limit on the size of files makes a write fail after some bytes. */
START_TEST(a_write_that_fails_leaves_the_old_file_and_no_other)
{
    pqt_error error = {0};
    struct rlimit before, least;
    const any_version given = small_version(3, arena, &error);
    ck_assert(save_any(given, name, &error));
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    least = before;
    least.rlim_cur = 50;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &least), 0);
    const bool saved = save_any(small_version(2, arena, &error), name, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert(!saved);
    char text[64];
    snprintf(text, sizeof text, "the file cannot be written (errno %d)", EFBIG);
    expect_error(&error, PQT_ERROR_STREAM, text);
    expect_file(name, given);
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(a_failed_allocation_leaves_the_old_file_and_no_other)
{
    pqt_error error = {0};
    const any_version given = small_version(3, arena, &error);
    const any_version next = small_version(2, arena, &error);
    ck_assert(save_any(given, name, &error));
    for (size_t fail_at = 1;; fail_at++) {
        pqt_error failure = {0};
        hooks watch = {.fail_at = fail_at};
        hooks_start(&watch);
        const bool saved = save_any(next, name, &failure);
        hooks_stop();
        ck_assert_int_eq(count_files(), 1);
        expect_file(name, saved ? next : given);
        ck_assert_int_eq(saved, watch.failures == 0);
        if (saved)
            break;
        ck_assert_int_eq(failure.status, PQT_ERROR_MEMORY);
    }
}
END_TEST

START_TEST(files_that_cannot_be_made_or_opened_are_reported_with_their_errno)
{
    pqt_error error = {0}, missing = {0}, directory = {0};
    char path[128], text[64];
    const any_version given = small_version(2, arena, &error);
    snprintf(path, sizeof path, "%s/none/version.pqt", folder);
    ck_assert(!save_any(given, path, &error));
    ck_assert_int_eq(errno, ENOENT);
    snprintf(text, sizeof text, "the file cannot be created (errno %d)", ENOENT);
    expect_error(&error, PQT_ERROR_STREAM, text);
    ck_assert_ptr_null(load_any(given.kind, path, &missing));
    snprintf(text, sizeof text, "the file cannot be opened (errno %d)", ENOENT);
    expect_error(&missing, PQT_ERROR_STREAM, text);
    ck_assert_ptr_null(load_any(given.kind, folder, &directory));
    snprintf(text, sizeof text, "the file cannot be read (errno %d)", EISDIR);
    expect_error(&directory, PQT_ERROR_STREAM, text);
}
END_TEST

START_TEST(a_file_with_bytes_after_the_version_is_refused)
{
    pqt_error error = {0};
    char text[64];
    const any_version given = small_version((unsigned)_i, arena, &error);
    ck_assert(save_any(given, name, &error));
    FILE *file = fopen(name, "ab");
    ck_assert_ptr_nonnull(file);
    snprintf(text, sizeof text, "byte %ld: bytes follow the version", ftell(file));
    ck_assert_int_eq(fputc(0, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_ptr_null(load_any(given.kind, name, &error));
    expect_error(&error, PQT_ERROR_FORMAT, text);
}
END_TEST

START_TEST(a_pipe_is_written_directly)
{
    pqt_error error = {0};
    const any_version given = small_version(2, arena, &error);
    byte_buffer wanted = bytes_of(given.version);
    uint8_t bytes[4096];
    ck_assert_int_eq(mkfifo(other, 0600), 0);
    const int reading = open(other, O_RDONLY | O_NONBLOCK);
    ck_assert_int_ge(reading, 0);
    ck_assert_msg(save_any(given, other, &error), "%s", error.text);
    ck_assert_int_eq(read(reading, bytes, sizeof bytes), (ssize_t)wanted.length);
    ck_assert_mem_eq(bytes, wanted.bytes, wanted.length);
    close(reading);
    free(wanted.bytes);
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

/* Expects a save to a path to fail with an errno, and to close what it has opened. */
static void
expect_failed_save(const char *path, const char *what, int number)
{
    char expected[80];
    pqt_error error = {0};
    const int before = dup(0);
    ck_assert(!save_any(small_version(2, arena, &error), path, &error));
    const int after = dup(0);
    snprintf(expected, sizeof expected, "the file cannot be %s (errno %d)", what, number);
    expect_error(&error, PQT_ERROR_STREAM, expected);
    ck_assert_int_eq(after, before + 1);
    close(before);
    close(after);
}

START_TEST(a_device_that_cannot_be_written_is_reported)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, other);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    expect_failed_save(other, "opened", ENXIO); /* a socket cannot be opened */
    close(descriptor);
    if (access("/dev/full", W_OK) == 0)
        expect_failed_save("/dev/full", "written", ENOSPC);
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(a_file_that_may_not_be_written_is_left_alone)
{
    pqt_error error = {0};
    const any_version first = small_version(3, arena, &error);
    ck_assert(save_any(first, name, &error));
    fails.access = EACCES;
    expect_failed_save(name, "written", EACCES);
    expect_file(name, first);
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

/* The error is that of the renaming, whether or not the new file can be removed then. */
START_TEST(a_file_that_cannot_be_renamed_leaves_the_old_one)
{
    pqt_error error = {0};
    const any_version first = small_version(3, arena, &error);
    ck_assert(save_any(first, name, &error));
    fails.rename = EBUSY;
    for (int i = 0; i < 2; i++) {
        fails.rename_removes = i == 1;
        expect_failed_save(name, "renamed", EBUSY);
        expect_file(name, first);
        ck_assert_int_eq(count_files(), 1);
    }
}
END_TEST

START_TEST(a_file_whose_permissions_cannot_be_kept_is_saved)
{
    pqt_error error = {0};
    struct stat status;
    const any_version first = small_version(3, arena, &error);
    const any_version second = small_version(2, arena, &error);
    ck_assert(save_any(first, name, &error));
    ck_assert_int_eq(chmod(name, 0666), 0);
    fails.fchmod = EPERM;
    umask(077);
    ck_assert_msg(save_any(second, name, &error), "%s", error.text);
    expect_file(name, second);
    ck_assert(stat(name, &status) == 0 && (status.st_mode & 0777) == 0600);
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

#if PQT_WITH_COLLECTOR
START_TEST(a_tree_that_cannot_be_written_leaves_no_file)
{
    pqt_error error = {0};
    pqt_tree_options options = PQT_TREE_DEFAULTS;
    options.ids_are_pointers = true;
    const pqt_tree *tree = pqt_tree_make((pqt_box){{0, 0}, {1, 1}}, &options, &error);
    ck_assert(!pqt_tree_save(tree, name, &error));
    expect_error(&error, PQT_ERROR_OPTION,
                 "ids are pointers, which mean nothing outside this process");
    ck_assert_int_eq(count_files(), 0);
}
END_TEST
#endif

/* The bytes are on the disk before the file gets its name, and the name is on the disk before the
   call returns. */
START_TEST(a_save_flushes_the_file_before_its_name_and_the_folder_after_it)
{
    pqt_error error = {0};
    for (int round = 0; round < 2; round++) { /* a new file, and one that is replaced */
        memset(&flushes, 0, sizeof flushes);
        flushes.interrupted = round * 3;
        ck_assert_msg(save_any(small_version((unsigned)round, arena, &error), name, &error), "%s",
                      error.text);
        ck_assert_uint_eq(flushes.files, 1);
        ck_assert_uint_eq(flushes.folders, 1);
        ck_assert(!flushes.had_name_at_file);
        ck_assert(flushes.had_name_at_folder);
    }
}
END_TEST

START_TEST(a_file_that_cannot_be_flushed_is_not_renamed)
{
    pqt_error error = {0};
    char expected[80];
    const any_version first = small_version(3, arena, &error);
    ck_assert(save_any(first, name, &error));
    flushes.fails = EIO;
    ck_assert(!save_any(small_version(2, arena, &error), name, &error));
    flushes.fails = 0;
    snprintf(expected, sizeof expected, "the file cannot be flushed (errno %d)", EIO);
    expect_error(&error, PQT_ERROR_STREAM, expected);
    expect_file(name, first);
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

/* A save tries 100 names for its temporary file. */
START_TEST(a_save_uses_the_last_of_its_temporary_names)
{
    enum { NAMES = 100 };
    pqt_error error = {0};
    char hidden[80], expected[80];
    const any_version given = small_version(2, arena, &error);
    for (int i = 0; i < NAMES; i++) {
        snprintf(hidden, sizeof hidden, "%s/.pqt-%ld-%d.tmp", folder, (long)getpid(), i);
        const int made = open(hidden, O_CREAT | O_WRONLY, 0600);
        ck_assert(made >= 0 && close(made) == 0);
    }
    ck_assert(!save_any(given, name, &error));
    snprintf(expected, sizeof expected, "the file cannot be created (errno %d)", EEXIST);
    expect_error(&error, PQT_ERROR_STREAM, expected);
    ck_assert_int_eq(count_files(), NAMES);
    ck_assert_int_eq(unlink(hidden), 0);
    error = (pqt_error){0};
    ck_assert_msg(save_any(given, name, &error), "%s", error.text);
    expect_file(name, given);
    for (int i = 0; i < NAMES - 1; i++) {
        snprintf(hidden, sizeof hidden, "%s/.pqt-%ld-%d.tmp", folder, (long)getpid(), i);
        ck_assert_int_eq(unlink(hidden), 0);
    }
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("files of bytes");
    TCase *tests = tcase_create("files");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, a_saved_version_is_loaded_unchanged, 0, SMALL_VERSIONS);
    tcase_add_test(tests, a_saved_version_replaces_the_previous_one_and_keeps_its_permissions);
    tcase_add_test(tests, a_save_writes_through_no_link_at_a_temporary_name);
    tcase_add_test(tests, a_save_to_one_name_of_a_file_keeps_the_other);
    tcase_add_test(tests, a_symbolic_link_is_kept_and_its_target_is_replaced);
    tcase_add_test(tests, a_write_that_fails_leaves_the_old_file_and_no_other);
    tcase_add_test(tests, a_failed_allocation_leaves_the_old_file_and_no_other);
    tcase_add_test(tests, files_that_cannot_be_made_or_opened_are_reported_with_their_errno);
    tcase_add_loop_test(tests, a_file_with_bytes_after_the_version_is_refused, 0, SMALL_VERSIONS);
    tcase_add_test(tests, a_pipe_is_written_directly);
    tcase_add_test(tests, a_device_that_cannot_be_written_is_reported);
    tcase_add_test(tests, a_file_that_may_not_be_written_is_left_alone);
    tcase_add_test(tests, a_file_that_cannot_be_renamed_leaves_the_old_one);
    tcase_add_test(tests, a_file_whose_permissions_cannot_be_kept_is_saved);
#if PQT_WITH_COLLECTOR
    tcase_add_test(tests, a_tree_that_cannot_be_written_leaves_no_file);
#endif
    tcase_add_test(tests, a_save_flushes_the_file_before_its_name_and_the_folder_after_it);
    tcase_add_test(tests, a_file_that_cannot_be_flushed_is_not_renamed);
    tcase_add_test(tests, a_save_uses_the_last_of_its_temporary_names);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
