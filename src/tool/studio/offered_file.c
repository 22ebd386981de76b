/* SPDX-License-Identifier: MIT */
/* offered_file.c: keeps the list of files on the command line of `pqt studio`, and replaces
   files. */
#include "config.h"

#include "tool/studio/offered_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pqt.h>
#include <pqt/pixels.h>

#include "tool/data_file.h"
#include "tool/message.h"
#include "tool/tool_memory.h"

extern char **environ;

static bool
has_ending(const char *name, const char *ending)
{
    const size_t length = strlen(name), needed = strlen(ending);
    return length > needed && strcasecmp(name + length - needed, ending) == 0;
}

const offered_file *
find_offered(const offered_files *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->list[i].name, name) == 0)
            return &files->list[i];
    return NULL;
}

static void
add_file(offered_files *files, offered_file file)
{
    if (find_offered(files, file.name) != NULL)
        die(file.path, 0, "another file has the same name (%s)", quote_text(file.name).text);
    files->list = xgrow(files->list, &files->capacity, files->count + 1, sizeof file);
    files->list[files->count++] = file;
}

/* Returns true if the studio opens files with the ending of a name: pictures, versions, and tables
   and GeoJSON, which their contents tell apart. */
static bool
is_openable(const char *name)
{
    static const char *const endings[] = {".csv", ".geojson", ".geojsonl", ".json", ".ndjson",
                                          ".png", ".pqt",     ".tsv",      ".txt"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (has_ending(name, endings[i]))
            return true;
    return false;
}

void
offer_file(offered_files *files, const char *path)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    const offered_file file = {path, slash != NULL ? slash + 1 : path, false};
    if (stat(path, &status) != 0 || access(path, R_OK) != 0)
        die(path, 0, "cannot be opened (%s)", strerror(errno));
    if (!S_ISREG(status.st_mode))
        die(path, 0, "is not a regular file");
    if (!is_openable(file.name))
        die(path, 0,
            "the studio opens .csv, .tsv, .txt, .geojson, .json, .geojsonl, .ndjson, .png and "
            ".pqt files, and .pqts stores");
    add_file(files, file);
}

void
offer_shared(offered_files *files, const char *name)
{
    add_file(files, (offered_file){NULL, name, true});
}

/* Writes names as a JSON array, either of all files or only of the shared histories. */
static void
write_names_as_json(FILE *stream, const offered_files *files, bool shared_only)
{
    const char *before = "\"";
    fputc('[', stream);
    for (size_t i = 0; i < files->count; i++) {
        if (shared_only && !files->list[i].is_shared)
            continue;
        fputs(before, stream);
        for (const char *at = files->list[i].name; *at != '\0'; at++)
            fprintf(stream, *at == '"' || *at == '\\' || (unsigned char)*at < 32 ? "\\u%04x" : "%c",
                    (unsigned char)*at);
        fputc('"', stream);
        before = ",\"";
    }
    fputc(']', stream);
}

char *
offered_as_json(const offered_files *files, bool can_replace)
{
    char *text = NULL;
    size_t length = 0;
    bool has_shared = false;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL)
        die(NULL, 0, "out of memory (the names of files)");
    for (size_t i = 0; i < files->count; i++)
        has_shared = has_shared || files->list[i].is_shared;
    fputs("{\"files\":", stream);
    write_names_as_json(stream, files, false);
    if (has_shared) {
        fputs(",\"shared\":", stream);
        write_names_as_json(stream, files, true);
    }
    fputs(can_replace ? ",\"canReplace\":true}\n" : "}\n", stream);
    if (fclose(stream) != 0)
        die(NULL, 0, "out of memory (the names of files)");
    return text;
}

/* ---- Replacing ---- */

file_tag
tag_of_file(const struct stat *status)
{
    file_tag tag;
    snprintf(tag.text, sizeof tag.text, "\"%llx-%llx.%lx-%llx\"",
             (unsigned long long)status->st_size, (unsigned long long)status->st_mtim.tv_sec,
             (unsigned long)status->st_mtim.tv_nsec, (unsigned long long)status->st_ino);
    return tag;
}

__attribute__((format(printf, 3, 4))) static void
fail_replacement(replacement *new_contents, replacement_result result, const char *format, ...)
{
    if (new_contents->result != REPLACED)
        return;
    new_contents->result = result;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(new_contents->failure, sizeof new_contents->failure, format, arguments);
    va_end(arguments);
}

/* Fails a replacement with the reason in errno. */
static void
fail_writing(replacement *new_contents)
{
    fail_replacement(new_contents, REFUSED, "%s cannot be written (%s)", new_contents->file->name,
                     strerror(errno));
}

/* Checks that the file is the one that may be replaced, and sets `status` and the tag. */
static void
check_target(replacement *new_contents, const char *expected, struct stat *status)
{
    const char *name = new_contents->file->name;
    if (stat(new_contents->target, status) != 0) {
        fail_replacement(new_contents, GONE, "%s no longer exists", name);
        return;
    }
    new_contents->tag = tag_of_file(status);
    if (status->st_nlink > 1)
        fail_replacement(new_contents, REFUSED,
                         "%s is not replaced: the file has %lu names, and the others would keep "
                         "the old contents",
                         name, (unsigned long)status->st_nlink);
    if (strcmp(expected, "*") != 0 && strcmp(expected, new_contents->tag.text) != 0)
        fail_replacement(new_contents, CHANGED,
                         "%s is not replaced: another program has changed it since it was opened",
                         name);
}

/* Creates the file for the new contents, with the mode of the old file whatever the umask is, and
   with its owner and group if the program may give them. */
static void
create_contents(replacement *new_contents, const struct stat *old)
{
    static unsigned created; /* two pages may replace the same file at the same time */
    const size_t length = strlen(new_contents->target) + 60;
    char *path = malloc(length);
    if (path == NULL) {
        fail_writing(new_contents);
        return;
    }
    snprintf(path, length, "%s.%ld.%u.tmp", new_contents->target, (long)getpid(), created++);
    new_contents->descriptor =
        access(new_contents->target, W_OK) != 0
            ? -1
            : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (new_contents->descriptor < 0) {
        fail_writing(new_contents);
        free(path);
        return;
    }
    new_contents->path = path;
    if (fchown(new_contents->descriptor, old->st_uid, old->st_gid) != 0 && errno != EPERM)
        fail_writing(new_contents);
    if (fchmod(new_contents->descriptor, old->st_mode & 07777) != 0)
        fail_writing(new_contents);
}

replacement *
begin_replacement(const offered_file *file, const char *expected)
{
    struct stat status = {.st_mode = 0};
    replacement *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = (replacement){.file = file, .descriptor = -1, .target = realpath(file->path, NULL)};
    if (made->target == NULL)
        fail_replacement(made, GONE, "%s no longer exists", file->name);
    else
        check_target(made, expected, &status);
    if (made->result == REPLACED)
        create_contents(made, &status);
    return made;
}

void
append_replacement(replacement *new_contents, const void *bytes, size_t size)
{
    const char *next = bytes;
    if (size > MOST_OFFERED_BYTES - new_contents->size)
        fail_replacement(new_contents, REFUSED, "a file may have at most %zu bytes",
                         MOST_OFFERED_BYTES);
    while (size > 0 && new_contents->result == REPLACED) {
        const ssize_t written = write(new_contents->descriptor, next, size);
        if (written < 0 && errno != EINTR)
            fail_writing(new_contents);
        if (written <= 0)
            continue;
        next += written;
        size -= (size_t)written;
        new_contents->size += (size_t)written;
    }
}

/* ---- The contents ---- */

/* The contents of a .pqt file, as its head says. */
typedef struct file_contents {
    pqt_kind kind; /* of the version; PQT_KIND_NONE for other files */
    bool is_history;
} file_contents;

static file_contents
contents_of_file(const char *path)
{
    unsigned char head[PQT_BYTES_HEAD];
    FILE *stream = fopen(path, "rb");
    const size_t length = stream != NULL ? fread(head, 1, sizeof head, stream) : 0;
    if (stream != NULL)
        fclose(stream);
    const pqt_kind kind = pqt_bytes_kind_of(head, length);
    return (file_contents){pqt_kind_is_known(kind) ? kind : PQT_KIND_NONE,
                           pqt_is_history(head, length)};
}

static const char *
name_of_contents(file_contents contents)
{
    return contents.is_history ? "history" : pqt_kind_name(contents.kind);
}

static bool
holds_history(const char *path, pqt_error *error)
{
    pqt_history *history = pqt_history_load_file(path, NULL, tool_memory(), error);
    const bool is_history = history != NULL;
    pqt_history_destroy(&history);
    return is_history;
}

/* Reads the version or the history in a .pqt file, which must have the kind of the old one. */
static bool
holds_version(const replacement *new_contents, pqt_error *error)
{
    const file_contents contents = contents_of_file(new_contents->path);
    const file_contents old = contents_of_file(new_contents->target);
    const bool was_known = old.is_history || old.kind != PQT_KIND_NONE;
    if (!contents.is_history && contents.kind == PQT_KIND_NONE)
        snprintf(error->text, sizeof error->text, "the contents are not a version (.pqt)");
    else if (was_known && (old.is_history != contents.is_history || old.kind != contents.kind))
        snprintf(error->text, sizeof error->text, "it holds a %s, and the new contents are a %s",
                 name_of_contents(old), name_of_contents(contents));
    else if (contents.is_history)
        return holds_history(new_contents->path, error);
    else
        return pqt_version_load(contents.kind, new_contents->path, tool_memory(), error) != NULL;
    return false;
}

/* Reads a PNG picture. A build without libpng reads only its first bytes. */
static bool
holds_picture(const replacement *new_contents, pqt_error *error)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char head[sizeof signature] = {0};
    FILE *stream = fopen(new_contents->path, "rb");
    if (stream == NULL) {
        snprintf(error->text, sizeof error->text, "%s", strerror(errno));
        return false;
    }
    pqt_png_options options = PQT_PNG_DEFAULTS;
    options.memory = tool_memory();
    bool is_picture = pqt_png_read(stream, &options, NULL, error) != NULL;
    if (!is_picture && error->status == PQT_ERROR_UNSUPPORTED) {
        rewind(stream);
        is_picture = fread(head, 1, sizeof head, stream) == sizeof head &&
                     memcmp(head, signature, sizeof head) == 0;
    }
    fclose(stream);
    return is_picture;
}

/* Makes the attributes of a process that does not take over what the server does with signals. */
static bool
make_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGCHLD);
    sigaddset(&usual, SIGPIPE);
    return posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &usual) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) ==
               0;
}

/* Starts `pqt info` with a file as its standard input, and with `output` for what it prints.
   Returns 0, or the number of the error. */
static int
start_reader(const char *path, int output, pid_t *child)
{
    char *arguments[] = {(char[]){"pqt"},     (char[]){"info"}, (char[]){"--json"},
                         (char[]){"--quiet"}, (char[]){"-"},    NULL};
    posix_spawn_file_actions_t streams;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&streams) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&streams);
        return ENOMEM;
    }
    int failure = ENOMEM;
    if (posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, path, O_RDONLY, 0) == 0 &&
        posix_spawn_file_actions_adddup2(&streams, output, STDOUT_FILENO) == 0 &&
        posix_spawn_file_actions_adddup2(&streams, output, STDERR_FILENO) == 0 &&
        make_attributes(&attributes)) {
        failure = posix_spawn(child, "/proc/self/exe", &streams, &attributes, arguments, environ);
        if (failure == ENOENT) /* this system has no /proc */
            failure = posix_spawnp(child, program_name, &streams, &attributes, arguments, environ);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&streams);
    return failure;
}

/* Reads the text that a process writes, up to its end. Returns the number of bytes that fit. */
static size_t
read_messages(int descriptor, char *text, size_t capacity)
{
    size_t length = 0;
    ssize_t count;
    do {
        count = read(descriptor, text + length, capacity - length);
        length += count > 0 ? (size_t)count : 0;
    } while ((count > 0 && length < capacity) || (count < 0 && errno == EINTR));
    return length;
}

/* Sets the message of an error from the line that the process wrote: "pqt: -:LINE: what is
   wrong". */
static void
take_message(pqt_error *error, char *text)
{
    static const char before[] = "pqt: -:";
    const size_t length = sizeof before - 1;
    text[strcspn(text, "\n")] = '\0';
    if (strncmp(text, before, length) != 0)
        snprintf(error->text, sizeof error->text, "it cannot be read");
    else
        snprintf(error->text, sizeof error->text, "%s%.90s", text[length] != ' ' ? "line " : "",
                 text + length + (text[length] == ' '));
}

/* Reads a table or GeoJSON. The reader of the commands ends its process at the first fault, so this
   is another process: the server may have threads, and a copy of its process could use no memory
   that one of them held. */
static bool
holds_rows(const replacement *new_contents, pqt_error *error)
{
    int ends[2];
    pid_t child;
    char text[1024] = "";
    const file_contents contents = contents_of_file(new_contents->path);
    if (contents.is_history || contents.kind != PQT_KIND_NONE) {
        snprintf(error->text, sizeof error->text, "the contents are a version (.pqt)");
        return false;
    }
    int failure = pipe(ends) != 0 ? errno : 0;
    if (failure == 0) {
        fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        failure = start_reader(new_contents->path, ends[1], &child);
        close(ends[1]);
        if (failure == 0) {
            read_messages(ends[0], text, sizeof text - 1);
            waitpid(child, NULL, 0);
        }
        close(ends[0]);
    }
    if (failure != 0)
        snprintf(error->text, sizeof error->text, "it cannot be checked (%s)", strerror(failure));
    else if (text[0] != '{')
        take_message(error, text);
    return failure == 0 && text[0] == '{';
}

/* Checks that the new contents can be read as what the name of the file says. */
static void
check_contents(replacement *new_contents)
{
    pqt_error error = {0};
    const char *name = new_contents->file->name;
    const bool is_readable = has_ending(name, ".pqt")   ? holds_version(new_contents, &error)
                             : has_ending(name, ".png") ? holds_picture(new_contents, &error)
                                                        : holds_rows(new_contents, &error);
    if (!is_readable)
        fail_replacement(new_contents, REFUSED, "%s is not replaced: %s", name, error.text);
}

void
finish_replacement(replacement *new_contents, const char *expected)
{
    struct stat status;
    if (new_contents->result != REPLACED)
        return;
    const int descriptor = new_contents->descriptor;
    const bool is_written = fsync(descriptor) == 0 && fstat(descriptor, &status) == 0;
    const file_tag written = is_written ? tag_of_file(&status) : (file_tag){""};
    new_contents->descriptor = -1;
    if (close(descriptor) != 0 || !is_written)
        fail_writing(new_contents);
    if (new_contents->result == REPLACED)
        check_contents(new_contents);
    if (new_contents->result == REPLACED)
        check_target(new_contents, expected, &status);
    if (new_contents->result != REPLACED)
        return;
    if (rename(new_contents->path, new_contents->target) != 0) {
        fail_writing(new_contents);
        return;
    }
    new_contents->tag = written;
    free(new_contents->path);
    new_contents->path = NULL;
}

void
drop_replacement(replacement *new_contents)
{
    if (new_contents->descriptor >= 0)
        close(new_contents->descriptor);
    if (new_contents->path != NULL)
        unlink(new_contents->path);
    free(new_contents->path);
    free(new_contents->target);
    free(new_contents);
}
