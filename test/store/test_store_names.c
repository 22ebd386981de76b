/* SPDX-License-Identifier: MIT */
/*
 * test_store_names.c: tests the files of a store by their names: links at the names of its lock and
 * its log, stores with several names, stores that are being made, and what a failed creation
 * leaves.
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "error_support.h"
#include "faulty_vfs.h"
#include "hooks.h"
#include "numbered_store.h"
#include "store/store_internal.h"
#include "suite.h"

enum { LAST = 8 };

/* Tries to open a store. Closes it if that succeeds. */
static bool
try_to_open(const char *path, pqt_store_access access, pqt_error *error)
{
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = access;
    *error = (pqt_error){0};
    pqt_store *store = pqt_store_open(path, &options, error);
    const bool done = store != NULL;
    close_store(&store);
    return done;
}

static void
expect_refused(const char *path, pqt_store_access access, pqt_status status, const char *text)
{
    pqt_error error;
    require(!try_to_open(path, access, &error), "the store is refused");
    require(error.status == status && strstr(error.text, text) != NULL, error.text);
    require(names_its_index(&error), "the index is that of the text");
}

/* Checks that a store has the numbered versions up to `last`, and no fault. */
static void
expect_versions(const char *path, uint64_t last)
{
    pqt_error error = {0};
    pqt_store_options options = PQT_STORE_DEFAULTS;
    options.access = PQT_STORE_READ;
    pqt_store *store = pqt_store_open(path, &options, &error);
    pqt_history *history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, &error);
    require(history != NULL && pqt_store_check(store, &error), error.text);
    require(pqt_history_current(history) == last, "the last version is current");
    for (uint64_t n = 0; n <= last; n++)
        require(pqt_tree_equals(pqt_history_value_of(history, n), numbered_version(n)),
                "a version is what was pushed");
    pqt_history_destroy(&history);
    close_store(&store);
}

static void
expect_bytes(const char *path, const file_bytes *wanted)
{
    const file_bytes now = read_all(path);
    require(now.count == wanted->count && memcmp(now.at, wanted->at, now.count) == 0,
            "a file is unchanged");
    free(now.at);
}

/* ---- Links at the names of side files ---- */

static const char *const suffixes[] = {"-writer", "-wal", "-shm", "-journal"};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

/* The obstacles to which a name may lead. */
typedef enum obstacle {
    LINK_TO_FILE,
    LINK_TO_NOTHING,
    LINK_TO_STORE,
    SECOND_NAME,
    SECOND_NAME_OF_STORE,
    FOLDER,
    PIPE,
    OBSTACLES
} obstacle;

static void
put_obstacle(obstacle what, const char *name, const char *victim, const char *store)
{
    bool done = false;
    switch (what) {
    case LINK_TO_FILE:
        done = symlink(victim, name) == 0;
        break;
    case LINK_TO_NOTHING:
        done = symlink("nothing", name) == 0;
        break;
    case LINK_TO_STORE:
        done = symlink(store, name) == 0;
        break;
    case SECOND_NAME:
        done = link(victim, name) == 0;
        break;
    case SECOND_NAME_OF_STORE:
        done = link(store, name) == 0;
        break;
    case FOLDER:
        done = mkdir(name, 0777) == 0;
        break;
    case PIPE:
    case OBSTACLES:
        done = mkfifo(name, 0666) == 0;
        break;
    }
    require(done, "an obstacle is made");
}

/* Nothing is written to what a name leads to, nor to the store. A reader opens no lock. */
START_TEST(a_link_at_the_name_of_a_side_file_is_refused)
{
    const char *suffix = suffixes[_i / OBSTACLES];
    const obstacle what = (obstacle)(_i % OBSTACLES);
    const store_folder folder = numbered_store(LAST);
    char victim[200], name[200], nothing[200];
    snprintf(nothing, sizeof nothing, "%s/nothing", folder.name);
    snprintf(victim, sizeof victim, "%s.victim", folder.path);
    snprintf(name, sizeof name, "%s%s", folder.path, suffix);
    write_all(victim, (const uint8_t *)"process of great value\n", 23);
    const file_bytes file = read_all(folder.path), kept = read_all(victim);
    put_obstacle(what, name, victim, folder.path);
    expect_refused(folder.path, PQT_STORE_WRITE, PQT_ERROR_STREAM, suffix);
    if (strcmp(suffix, "-writer") != 0)
        expect_refused(folder.path, PQT_STORE_READ, PQT_ERROR_STREAM, suffix);
    else
        expect_versions(folder.path, LAST);
    expect_bytes(victim, &kept);
    expect_bytes(folder.path, &file);
    require(access(nothing, F_OK) != 0, "no file is made through a link");
    require(what == FOLDER ? rmdir(name) == 0 : unlink(name) == 0, "the obstacle is still there");
    expect_versions(folder.path, LAST);
    free(file.at);
    free(kept.at);
    unlink(victim);
    remove_all(&folder);
}
END_TEST

/* The same in the place of a store that does not exist yet: no file is made. */
START_TEST(no_store_is_made_next_to_a_link)
{
    const char *suffix = suffixes[_i / OBSTACLES];
    const obstacle what = (obstacle)(_i % OBSTACLES);
    const store_folder folder = make_store_folder();
    char victim[200], name[200];
    if (what == SECOND_NAME_OF_STORE)
        return (void)rmdir(folder.name);
    snprintf(victim, sizeof victim, "%s.victim", folder.path);
    snprintf(name, sizeof name, "%s%s", folder.path, suffix);
    write_all(victim, (const uint8_t *)"of great value\n", 15);
    const file_bytes kept = read_all(victim);
    put_obstacle(what, name, victim, folder.path);
    expect_refused(folder.path, PQT_STORE_CREATE, PQT_ERROR_STREAM, suffix);
    expect_bytes(victim, &kept);
    require(what == FOLDER ? rmdir(name) == 0 : unlink(name) == 0, "the obstacle is still there");
    unlink(victim);
    free(kept.at);
    require(rmdir(folder.name) == 0, "there is no other file");
}
END_TEST

/* A file that has the name of the lock by chance keeps its contents. */
START_TEST(a_lock_file_with_other_contents_is_refused)
{
    static const char *const texts[] = {"id,x,y\n1,2,3\n", "p", "process\n"};
    const store_folder folder = numbered_store(LAST);
    char name[200], long_text[300];
    snprintf(name, sizeof name, "%s-writer", folder.path);
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    memcpy(long_text, "process ", 8);
    for (size_t i = 0; i < 4; i++) {
        const char *text = i < 3 ? texts[i] : long_text;
        write_all(name, (const uint8_t *)text, strlen(text));
        const file_bytes kept = read_all(name);
        expect_refused(folder.path, PQT_STORE_WRITE, PQT_ERROR_STREAM, "not the lock of a writer");
        expect_bytes(name, &kept);
        free(kept.at);
    }
    write_all(name, (const uint8_t *)"process 17 on another machine\n", 30);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* Only root can make files of another user. */
START_TEST(a_side_file_of_a_user_who_may_not_write_the_store_is_refused)
{
    const store_folder folder = numbered_store(LAST);
    if (geteuid() != 0)
        return remove_store_folder(&folder);
    for (int i = 0; i < SUFFIXES; i++) {
        char name[200];
        snprintf(name, sizeof name, "%s%s", folder.path, suffixes[i]);
        write_all(name, (const uint8_t *)"of another", 10);
        require(chown(name, 77, (gid_t)-1) == 0 && chmod(folder.path, 0644) == 0, "another user");
        if (strcmp(suffixes[i], "-shm") != 0)
            expect_refused(folder.path, PQT_STORE_WRITE, PQT_ERROR_STREAM,
                           "belongs to another user");
        write_all(name, (const uint8_t *)"", 0); /* as SQLite leaves it for a reader */
        if (strcmp(suffixes[i], "-writer") != 0) {
            pqt_store *writer = open_store(&folder, PQT_STORE_WRITE);
            close_store(&writer);
            write_all(name, (const uint8_t *)"", 0);
            require(chown(name, 77, (gid_t)-1) == 0, "another user");
        }
        require(chmod(folder.path, 0664) == 0, "the group may write the store");
        pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
        close_store(&store);
        unlink(name);
    }
    remove_store_folder(&folder);
}
END_TEST

static unsigned
mode_of(const char *name)
{
    struct stat file;
    require(stat(name, &file) == 0, "a file is there");
    return file.st_mode & 0777;
}

/* Other programs may be given access to a new store, or be kept out of it, by the umask alone. */
START_TEST(a_new_store_has_the_permissions_that_the_umask_leaves)
{
    static const mode_t masks[] = {0, 002, 022, 027, 077};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        struct stat status;
        const store_folder folder = make_store_folder();
        const mode_t before = umask(masks[i]);
        pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
        umask(before);
        require(stat(folder.path, &status) == 0, "the store is there");
        ck_assert_uint_eq(status.st_mode & 07777, 0666 & ~masks[i]);
        close_store(&store);
        remove_all(&folder);
    }
}
END_TEST

START_TEST(side_files_have_the_permissions_of_the_store)
{
    static const mode_t modes[] = {0600, 0640, 0664, 0666};
    const store_folder folder = numbered_store(LAST);
    umask(027);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        require(chmod(folder.path, modes[i]) == 0, "permissions are set");
        pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
        require(mode_of(with_suffix(&folder, "-writer")) == modes[i] &&
                    mode_of(with_suffix(&folder, "-wal")) == modes[i] &&
                    mode_of(with_suffix(&folder, "-shm")) == modes[i],
                "those who may write the store may write its other files");
        close_store(&store);
    }
    remove_store_folder(&folder);
}
END_TEST

/* The names that are not further names of the file: they lead to the same lock. */
START_TEST(a_link_to_a_store_is_the_store)
{
    pqt_error error = {0};
    const store_folder folder = numbered_store(LAST);
    enum { NAMES = 4 };
    const char *base = strrchr(folder.name, '/') + 1;
    char names[NAMES][200];
    snprintf(names[0], sizeof names[0], "%s/link.pqts", folder.name);
    snprintf(names[1], sizeof names[1], "%s/folder/test.pqts", folder.name);
    snprintf(names[2], sizeof names[2], "%s/.././%s/test.pqts", folder.name, base);
    /* The dots follow the link: they lead out of the folder to which it leads. */
    snprintf(names[3], sizeof names[3], "%s/folder/../%s/test.pqts", folder.name, base);
    char other[200];
    snprintf(other, sizeof other, "%s/folder", folder.name);
    require(symlink("test.pqts", names[0]) == 0 && symlink(".", other) == 0, "links are made");
    for (int i = 0; i < NAMES; i++) {
        pqt_store *store = pqt_store_open(names[i], NULL, &error);
        require(store != NULL, error.text);
        for (int j = 0; j < NAMES; j++) {
            expect_versions(names[j], LAST);
            expect_refused(names[j], PQT_STORE_WRITE, PQT_ERROR_CONFLICT, "process ");
        }
        close_store(&store);
    }
    unlink(names[0]);
    unlink(other);
    remove_store_folder(&folder);
}
END_TEST

/* ---- Several names ---- */

static void
expect_conflict(bool done, pqt_error *error)
{
    require(!done, "it is refused");
    require(error->status == PQT_ERROR_CONFLICT &&
                strcmp(error->text, "the store has 2 names, one of them test.pqts.two, and can "
                                    "only be read") == 0,
            error->text);
    *error = (pqt_error){0};
}

START_TEST(a_store_with_two_names_is_not_written)
{
    pqt_error error = {0};
    const store_folder folder = numbered_store(LAST);
    char other[200];
    snprintf(other, sizeof other, "%s.two", folder.path);
    const file_bytes file = read_all(folder.path);
    require(link(folder.path, other) == 0, "a second name is made");
    for (int access = PQT_STORE_CREATE; access <= PQT_STORE_WRITE; access++) {
        expect_refused(folder.path, (pqt_store_access)access, PQT_ERROR_CONFLICT,
                       "the store has 2 names, one of them test.pqts.two, and can only be read");
        expect_refused(other, (pqt_store_access)access, PQT_ERROR_CONFLICT,
                       "the store has 2 names, one of them test.pqts, and can only be read");
    }
    expect_versions(folder.path, LAST);
    expect_versions(other, LAST);
    expect_bytes(folder.path, &file);
    require(unlink(other) == 0, "no file is left with the second name");
    /* The second name is made while the store is open. */
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL && push_numbered(history, LAST + 1, &error), error.text);
    require(link(folder.path, other) == 0, "a second name is made");
    expect_conflict(push_numbered(history, LAST + 2, &error), &error);
    expect_conflict(pqt_history_thin(history, 0, &error), &error);
    expect_conflict(pqt_history_set_name(history, 3, "three", &error), &error);
    expect_conflict(pqt_store_compact(store, &error), &error);
    expect_refused(other, PQT_STORE_READ, PQT_ERROR_CONFLICT, "its log is that of test.pqts");
    expect_versions(folder.path, LAST + 1);
    unlink(other);
    require(push_numbered(history, LAST + 2, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    expect_versions(folder.path, LAST + 2);
    free(file.at);
    remove_store_folder(&folder);
}
END_TEST

/* The log of a writer that was killed follows the name. By the other name, its pushes would be
   missing, and a push would be made in their place. */
START_TEST(the_log_of_one_name_is_not_ignored_by_another)
{
    pqt_error error = {0};
    const store_folder folder = numbered_store(LAST);
    char other[200];
    snprintf(other, sizeof other, "%s/a_second_name_that_is_longer_than_what_a_message_holds",
             folder.name);
    const pid_t child = fork();
    if (child == 0) {
        pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
        pqt_history *history = pqt_history_open(store, NULL, arena, &error);
        for (uint64_t n = LAST + 1; n <= 2 * LAST; n++)
            require(push_numbered(history, n, &error), error.text);
        raise(SIGKILL);
    }
    require(waitpid(child, NULL, 0) == child, "the writer is killed");
    require(link(folder.path, other) == 0, "a second name is made");
    expect_refused(other, PQT_STORE_WRITE, PQT_ERROR_CONFLICT, "the store has 2 names");
    expect_refused(folder.path, PQT_STORE_WRITE, PQT_ERROR_CONFLICT, "the store has 2 names");
    expect_refused(other, PQT_STORE_READ, PQT_ERROR_CONFLICT,
                   "the store has 2 names, and its log is that of test.pqts");
    expect_versions(folder.path, 2 * LAST);
    unlink(other);
    expect_versions(folder.path, 2 * LAST);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    close_store(&store);
    remove_store_folder(&folder);
}
END_TEST

/* The log may be a rollback journal, which SQLite names after the name that the writer used. */
START_TEST(a_store_whose_journal_has_another_name_is_not_read)
{
    const store_folder folder = numbered_store(LAST);
    char other[200], journal[220];
    snprintf(other, sizeof other, "%s.two", folder.path);
    snprintf(journal, sizeof journal, "%s-journal", folder.path);
    require(link(folder.path, other) == 0, "a second name is made");
    expect_versions(other, LAST);
    FILE *file = fopen(journal, "w");
    require(file != NULL && fclose(file) == 0, "an empty journal is made");
    expect_versions(other, LAST);
    file = fopen(journal, "w");
    require(file != NULL && fputs("pages", file) >= 0 && fclose(file) == 0, "a journal is made");
    expect_refused(other, PQT_STORE_READ, PQT_ERROR_CONFLICT,
                   "the store has 2 names, and its log is that of test.pqts");
    unlink(journal);
    expect_versions(other, LAST);
    unlink(other);
    remove_store_folder(&folder);
}
END_TEST

/* Two processes that use one name each. Neither acknowledges a push. */
START_TEST(two_writers_with_a_name_each_are_both_refused)
{
    const store_folder folder = numbered_store(LAST);
    char other[200];
    snprintf(other, sizeof other, "%s.two", folder.path);
    require(link(folder.path, other) == 0, "a second name is made");
    pid_t children[2];
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            pqt_error error;
            for (int n = 0; n < 100; n++)
                if (try_to_open(i == 0 ? folder.path : other, PQT_STORE_WRITE, &error))
                    _exit(1);
            _exit(0);
        }
    }
    for (int i = 0; i < 2; i++) {
        int status = 0;
        require(waitpid(children[i], &status, 0) == children[i] && WIFEXITED(status) &&
                    WEXITSTATUS(status) == 0,
                "each open is refused");
    }
    unlink(other);
    expect_versions(folder.path, LAST);
    remove_store_folder(&folder);
}
END_TEST

/* Opens and closes the store each time a byte arrives, and answers with a byte. It runs in another
   process, which must not have been forked while the store was open. */
_Noreturn static void
read_when_told(const store_folder *folder, int from, int to)
{
    char byte;
    while (read(from, &byte, 1) == 1) {
        expect_versions(folder->path, LAST);
        require(write(to, &byte, 1) == 1, "an answer is sent");
    }
    _exit(0);
}

/* If it opened and closed the file in the usual way, the system would end the locks of the writer.
   A reader that then closes the store would take itself for the last one and remove the log. */
START_TEST(an_open_store_can_be_recognised)
{
    int commands[2], answers[2], status = 0;
    char byte = 'r';
    pqt_error error = {0};
    const store_folder folder = numbered_store(LAST);
    require(pipe(commands) == 0 && pipe(answers) == 0, "pipes are made");
    const pid_t child = fork();
    if (child == 0) {
        close(commands[1]);
        read_when_told(&folder, commands[0], answers[1]);
    }
    close(answers[1]);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL && pqt_is_store_file(folder.path), "it is a store");
    require(write(commands[1], &byte, 1) == 1 && read(answers[0], &byte, 1) == 1,
            "another process reads the store");
    require(push_numbered(history, LAST + 1, &error), error.text);
    close(commands[1]);
    require(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
            "the reader ends");
    pqt_history_destroy(&history);
    close_store(&store);
    expect_versions(folder.path, LAST + 1);
    remove_store_folder(&folder);
}
END_TEST

/* ---- Stores that are being made ---- */

/* Makes a store, and pushes to it. The VFS stops the process at the given call. */
_Noreturn static void
make_until_stopped(const store_folder *folder, size_t at)
{
    pqt_error error = {0};
    faulty_vfs_install();
    vfs = (vfs_faults){.failing = at, .signal = SIGSTOP};
    pqt_store *store = open_store(folder, PQT_STORE_CREATE);
    pqt_history *history = begin_numbered(store);
    require(push_numbered(history, 1, &error) && push_numbered(history, 2, &error), error.text);
    pqt_history_destroy(&history);
    vfs = (vfs_faults){0};
    close_store(&store);
    _exit(0);
}

/* Returns true if a process writes pages to the file itself, so that SQLite makes readers wait, as
   in the last moment before the store has a log. */
static bool
is_locked(const char *path)
{
    enum { FIRST_BYTE_OF_READERS = 0x40000002, BYTES_OF_READERS = 510 };
    struct flock lock = {.l_type = F_RDLCK,
                         .l_whence = SEEK_SET,
                         .l_start = FIRST_BYTE_OF_READERS,
                         .l_len = BYTES_OF_READERS};
    const int descriptor = open(path, O_RDONLY);
    require(descriptor >= 0 && fcntl(descriptor, F_GETLK, &lock) == 0, "the lock is read");
    close(descriptor);
    return lock.l_type != F_UNLCK;
}

/* A store that is being made, or whose first writer was killed, is a store. A reader either reads
   it or says who has begun it. */
static void
expect_begun(const store_folder *folder, bool is_alive)
{
    pqt_error error;
    struct stat file;
    const bool is_empty = stat(folder->path, &file) == 0 && file.st_size == 0;
    require(pqt_is_store_file(folder->path), "a store that is being made is recognised");
    const file_bytes head = read_all(folder->path);
    const bool has_log = head.count > 18 && head.at[18] == 2;
    free(head.at);
    if (has_log && is_locked(folder->path))
        return;
    const bool is_read = try_to_open(folder->path, PQT_STORE_READ, &error);
    require(is_read || (error.status == PQT_ERROR_CONFLICT &&
                        strstr(error.text, "no contents yet; begun by process ") != NULL),
            error.text);
    require(!(is_read && is_empty), "an empty file is not read");
    if (is_alive)
        expect_refused(folder->path, PQT_STORE_CREATE, PQT_ERROR_CONFLICT, "locked by process ");
}

START_TEST(a_store_is_recognised_from_its_beginning)
{
    size_t stops = 0;
    for (size_t at = 1;; at++, stops++) {
        int status = 0;
        pqt_error error = {0};
        const store_folder folder = make_store_folder();
        const pid_t child = fork();
        if (child == 0)
            make_until_stopped(&folder, at);
        require(waitpid(child, &status, WUNTRACED) == child, "the writer stops or ends");
        if (!WIFSTOPPED(status)) {
            require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the store is made");
            remove_store_folder(&folder);
            break;
        }
        expect_begun(&folder, true);
        kill(child, SIGKILL);
        require(waitpid(child, &status, 0) == child, "the writer is killed");
        expect_begun(&folder, false);
        pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
        pqt_history *history = pqt_store_kind(store) == PQT_KIND_NONE
                                   ? begin_numbered(store)
                                   : pqt_history_open(store, NULL, arena, &error);
        require(history != NULL && push_numbered(history, history->next_number, &error),
                error.text);
        const uint64_t last = pqt_history_current(history);
        pqt_history_destroy(&history);
        close_store(&store);
        expect_versions(folder.path, last);
        remove_store_folder(&folder);
    }
    fprintf(stderr, "# stopped at %zu calls\n", stops);
    require(stops > 10, "the writer was stopped at many calls");
}
END_TEST

/* Makes a database whose application is in its log only, as the first writer of a store of format
   version 1 did, and ends without closing it. */
static void
make_and_die(const store_folder *folder)
{
    sqlite3 *connection = NULL;
    char sql[200];
    snprintf(sql, sizeof sql,
             "PRAGMA journal_mode = WAL; BEGIN; PRAGMA application_id = %d;"
             "CREATE TABLE entry(number INTEGER PRIMARY KEY); COMMIT",
             PQTI_STORE_APPLICATION);
    if (sqlite3_open(folder->path, &connection) != SQLITE_OK ||
        sqlite3_exec(connection, sql, NULL, NULL, NULL) != SQLITE_OK)
        _exit(1);
    _exit(0);
}

START_TEST(a_store_of_version_1_whose_first_writer_was_killed_is_recognised)
{
    static const char holder[] = "process 1 on elsewhere\n";
    int status = 0;
    const store_folder folder = make_store_folder();
    const pid_t child = fork();
    if (child == 0)
        make_and_die(&folder);
    require(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
            "the database is made");
    const file_bytes file = read_all(folder.path);
    require(!pqt_is_store(file.at, file.count), "its first bytes do not show what it is");
    require(!pqt_is_store_file(folder.path), "it could be any database");
    const char *writer = with_suffix(&folder, "-writer");
    write_all(writer, (const uint8_t *)holder, strlen(holder));
    require(pqt_is_store_file(folder.path), "a writer of stores has begun it");
    write_all(folder.path, file.at, 60);
    require(!pqt_is_store_file(folder.path), "a short file is none");
    file.at[18] = 1; /* without a log, the head would name the application */
    write_all(folder.path, file.at, file.count);
    require(!pqt_is_store_file(folder.path), "a database without a log is none");
    free(file.at);
    remove_all(&folder);
}
END_TEST

START_TEST(files_that_are_no_stores_are_not_recognised)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    require(!pqt_is_store_file(folder.path) && !pqt_is_store_file(folder.name) &&
                !pqt_is_store_file("/dev/null") && !pqt_is_store_file(""),
            "no store");
    require(mkfifo(folder.path, 0666) == 0 && !pqt_is_store_file(folder.path), "a pipe is not");
    unlink(folder.path);
    write_all(folder.path, (const uint8_t *)"", 0);
    require(!pqt_is_store_file(folder.path), "an empty file without a writer is not");
    write_all(folder.path, (const uint8_t *)"SQLite format 3", 16);
    require(!pqt_is_store_file(folder.path), "a short file is not");
    require(pqt_tree_save(numbered_version(1), folder.path, &error), error.text);
    require(!pqt_is_store_file(folder.path), "a tree is not");
    remove_store_folder(&folder);
}
END_TEST

/* ---- Creations that fail ---- */

/* Neither the store nor one of its side files is left, whichever call fails. */
START_TEST(a_creation_that_fails_leaves_no_file)
{
    size_t failed = 0;
    faulty_vfs_install();
    for (size_t at = 1;; at++) {
        pqt_error error = {0};
        const store_folder folder = make_store_folder();
        vfs = (vfs_faults){.failing = at,
                           .stays = _i % 2 == 1,
                           .cut_short = _i / 2 % 2 == 1,
                           .full_disk = _i / 4 == 1};
        pqt_store *store = pqt_store_open(folder.path, NULL, &error);
        const bool done = vfs.calls < at;
        vfs = (vfs_faults){0};
        require(store != NULL || error.status == PQT_ERROR_STREAM, error.text);
        failed += store == NULL;
        require(store != NULL || access(folder.path, F_OK) != 0, "no store is left");
        close_store(&store);
        remove_store_folder(&folder);
        if (done)
            break;
    }
    require(failed > 3, "creations failed");
}
END_TEST

START_TEST(a_creation_without_memory_leaves_no_file)
{
    size_t failed = 0;
    for (size_t at = 1;; at++) {
        pqt_error error = {0};
        hooks watch = {.fail_at = at};
        const store_folder folder = make_store_folder();
        hooks_start(&watch);
        pqt_store *store = pqt_store_open(folder.path, NULL, &error);
        hooks_stop();
        require(store != NULL || error.status == PQT_ERROR_MEMORY, error.text);
        require(store != NULL || access(folder.path, F_OK) != 0, "no store is left");
        failed += store == NULL;
        close_store(&store);
        remove_store_folder(&folder);
        if (watch.failures == 0)
            break;
    }
    require(failed > 3, "creations failed");
}
END_TEST

/* A file that was empty before is kept, because this call did not make it. */
START_TEST(a_creation_that_fails_keeps_an_empty_file)
{
    pqt_error error = {0};
    const store_folder folder = make_store_folder();
    faulty_vfs_install();
    write_all(folder.path, (const uint8_t *)"", 0);
    vfs = (vfs_faults){.failing = 1, .stays = true};
    require(pqt_store_open(folder.path, NULL, &error) == NULL, "it fails");
    vfs = (vfs_faults){0};
    require(access(folder.path, F_OK) == 0, "the file stays");
    remove_all(&folder);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store names");
    TCase *tests = add_tests(suite, "store names");
    tcase_add_loop_test(tests, a_link_at_the_name_of_a_side_file_is_refused, 0,
                        SUFFIXES * OBSTACLES);
    tcase_add_loop_test(tests, no_store_is_made_next_to_a_link, 0, SUFFIXES * OBSTACLES);
    tcase_add_test(tests, a_lock_file_with_other_contents_is_refused);
    tcase_add_test(tests, a_side_file_of_a_user_who_may_not_write_the_store_is_refused);
    tcase_add_test(tests, a_new_store_has_the_permissions_that_the_umask_leaves);
    tcase_add_test(tests, side_files_have_the_permissions_of_the_store);
    tcase_add_test(tests, a_link_to_a_store_is_the_store);
    tcase_add_test(tests, a_store_with_two_names_is_not_written);
    tcase_add_test(tests, the_log_of_one_name_is_not_ignored_by_another);
    tcase_add_test(tests, a_store_whose_journal_has_another_name_is_not_read);
    tcase_add_test(tests, two_writers_with_a_name_each_are_both_refused);
    tcase_add_test(tests, an_open_store_can_be_recognised);
    tcase_add_test(tests, a_store_is_recognised_from_its_beginning);
    tcase_add_test(tests, a_store_of_version_1_whose_first_writer_was_killed_is_recognised);
    tcase_add_test(tests, files_that_are_no_stores_are_not_recognised);
    tcase_add_loop_test(tests, a_creation_that_fails_leaves_no_file, 0, 8);
    tcase_add_test(tests, a_creation_without_memory_leaves_no_file);
    tcase_add_test(tests, a_creation_that_fails_keeps_an_empty_file);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
