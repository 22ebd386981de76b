/* SPDX-License-Identifier: MIT */
/* site.c: writes the studio to a folder that any web server can serve. */
#include "config.h"

#include "tool/studio/site.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool/data_file.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/studio/pages.h"
#include "tool/tool_memory.h"

static void
make_folder(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return;
    if (errno != EEXIST || stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        die(path, 0, "the folder cannot be created (%s)",
            strerror(errno == EEXIST ? ENOTDIR : errno));
}

/* Writes a file below the folder, and creates the folders on its path. */
static void
write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char *path = data_file_in(folder, name);
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        make_folder(path);
        *slash = '/';
    }
    FILE *stream = output_open(path, NULL);
    fwrite(bytes, 1, size, stream);
    output_close();
    free(path);
}

char *
site_read_file(const char *from, size_t *size)
{
    size_t capacity = 0;
    char *bytes = NULL;
    FILE *stream = fopen(from, "rb");
    if (stream == NULL)
        die(from, 0, "cannot be opened (%s)", strerror(errno));
    *size = 0;
    do {
        bytes = xgrow(bytes, &capacity, *size + 65536, 1);
        *size += fread(bytes + *size, 1, 65536, stream);
    } while (!feof(stream) && !ferror(stream));
    if (ferror(stream))
        die(from, 0, "cannot be read (%s)", strerror(errno));
    fclose(stream);
    return bytes;
}

/* Copies a file to a given name below the folder. */
static void
copy_file(const char *folder, const char *name, const char *from)
{
    size_t size;
    char *bytes = site_read_file(from, &size);
    write_file(folder, name, bytes, size);
    free(bytes);
}

const char *const site_data[SITE_DATA] = {"cities.csv", "countries.csv"};

/* Writes the first page with its content security policy, which the server sends in a header, but
   other servers do not. */
static void
write_index(const char *folder, const studio_page *page)
{
    static const char head[] = "<head>\n", policy[] =
                                               "<meta http-equiv=\"Content-Security-Policy\" "
                                               "content=\"" PAGE_POLICY "\">\n";
    const size_t added = sizeof policy - 1;
    char *text = malloc(page->size + added + 1);
    if (text == NULL)
        die(NULL, 0, "out of memory (the page)");
    memcpy(text, page->bytes, page->size);
    text[page->size] = '\0';
    char *place = strstr(text, head);
    if (place != NULL) {
        place += strlen(head);
        memmove(place + added, place, strlen(place) + 1);
        memcpy(place, policy, added);
    }
    write_file(folder, page->path, text, strlen(text));
    free(text);
}

size_t
write_site(const char *folder, const offered_files *files)
{
    size_t count = studio_page_count + 1 + files->count;
    make_folder(folder);
    for (size_t i = 0; i < studio_page_count; i++) {
        const studio_page *page = &studio_pages[i];
        if (strcmp(page->path, "index.html") == 0)
            write_index(folder, page);
        else
            write_file(folder, page->path, page->bytes, page->size);
    }
    for (size_t i = 0; i < SITE_DATA; i++) {
        char *from = data_file(site_data[i]);
        if (from == NULL)
            continue;
        char name[64];
        snprintf(name, sizeof name, "data/%s", site_data[i]);
        copy_file(folder, name, from);
        free(from);
        count++;
    }
    for (size_t i = 0; i < files->count; i++) {
        char *name = data_file_in("files", files->list[i].name);
        copy_file(folder, name, files->list[i].path);
        free(name);
    }
    char *names = offered_as_json(files, false);
    write_file(folder, "files.json", names, strlen(names));
    free(names);
    return count;
}
