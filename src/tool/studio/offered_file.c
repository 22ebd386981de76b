/* SPDX-License-Identifier: MIT */
/* offered_file.c: keeps the list of files on the command line of `pqt studio`, and replaces
   files. */
#include "config.h"

#include "tool/studio/offered_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/tool.h"

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
    if (!has_ending(file.name, ".csv") && !has_ending(file.name, ".png") &&
        !has_ending(file.name, ".pqt"))
        die(path, 0, "the studio opens files whose names end in .csv, .png or .pqt");
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
offered_as_json(const offered_files *files)
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
    fputs("}\n", stream);
    if (fclose(stream) != 0)
        die(NULL, 0, "out of memory (the names of files)");
    return text;
}

/* ---- Replacing ---- */

__attribute__((format(printf, 2, 3))) static void
fail_replacement(replacement *new_contents, const char *format, ...)
{
    if (new_contents->failure[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(new_contents->failure, sizeof new_contents->failure, format, arguments);
    va_end(arguments);
}

replacement *
begin_replacement(const offered_file *file)
{
    struct stat status;
    replacement *made = calloc(1, sizeof *made);
    char *target = realpath(file->path, NULL);
    size_t length = target != NULL ? strlen(target) + 40 : 0;
    char *path = target != NULL ? malloc(length) : NULL;
    if (made == NULL || path == NULL || stat(target, &status) != 0) {
        free(made);
        free(target);
        free(path);
        return NULL;
    }
    snprintf(path, length, "%s.%ld.tmp", target, (long)getpid());
    free(target);
    *made = (replacement){.file = file, .path = path};
    made->descriptor =
        access(file->path, W_OK) != 0
            ? -1
            : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777);
    if (made->descriptor < 0) {
        fail_replacement(made, "%s cannot be written (%s)", file->name, strerror(errno));
        free(made->path);
        made->path = NULL;
    }
    return made;
}

void
append_replacement(replacement *new_contents, const void *bytes, size_t size)
{
    const char *next = bytes;
    if (size > MOST_OFFERED_BYTES - new_contents->size)
        fail_replacement(new_contents, "a file may have at most %zu bytes", MOST_OFFERED_BYTES);
    while (size > 0 && new_contents->failure[0] == '\0') {
        const ssize_t written = write(new_contents->descriptor, next, size);
        if (written < 0 && errno != EINTR)
            fail_replacement(new_contents, "%s cannot be written (%s)", new_contents->file->name,
                             strerror(errno));
        if (written <= 0)
            continue;
        next += written;
        size -= (size_t)written;
        new_contents->size += (size_t)written;
    }
}

/* Reads the version in a .pqt file. Returns true if that succeeded. */
static bool
holds_version(const char *path, pqt_error *error)
{
    unsigned char head[PQT_BYTES_HEAD];
    FILE *stream = fopen(path, "rb");
    const size_t length = stream != NULL ? fread(head, 1, sizeof head, stream) : 0;
    if (stream != NULL)
        fclose(stream);
    const pqt_bytes_kind kind = pqt_bytes_kind_of(head, length);
    if (kind >= PQT_BYTES_TREE && kind <= PQT_BYTES_DOCUMENT)
        return pqt_version_load(kind, path, tool_memory(), error) != NULL;
    snprintf(error->text, sizeof error->text, "the contents are not a version (.pqt)");
    return false;
}

bool
finish_replacement(replacement *new_contents)
{
    pqt_error error = {0};
    if (new_contents->failure[0] != '\0')
        return false;
    if (fsync(new_contents->descriptor) != 0 || close(new_contents->descriptor) != 0)
        fail_replacement(new_contents, "%s cannot be written (%s)", new_contents->file->name,
                         strerror(errno));
    new_contents->descriptor = -1;
    if (has_ending(new_contents->file->name, ".pqt") && !holds_version(new_contents->path, &error))
        fail_replacement(new_contents, "%s is not replaced: %s", new_contents->file->name,
                         error.text);
    if (new_contents->failure[0] != '\0')
        return false;
    char *target = realpath(new_contents->file->path, NULL);
    if (target == NULL || rename(new_contents->path, target) != 0)
        fail_replacement(new_contents, "%s cannot be replaced (%s)", new_contents->file->name,
                         strerror(errno));
    free(target);
    if (new_contents->failure[0] != '\0')
        return false;
    free(new_contents->path);
    new_contents->path = NULL;
    return true;
}

void
drop_replacement(replacement *new_contents)
{
    if (new_contents->descriptor >= 0 && new_contents->path != NULL)
        close(new_contents->descriptor);
    if (new_contents->path != NULL)
        unlink(new_contents->path);
    free(new_contents->path);
    free(new_contents);
}
