/* SPDX-License-Identifier: MIT */
/*
 * single_page.c: writes the studio as one page, which runs when it is opened from a file.
 *
 * The page is index.html with its style, and with one script in place of its module: all files in
 * base64, and single.js, which makes modules of them.
 */
#include "config.h"

#include "tool/studio/single_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/data_file.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/studio/pages.h"
#include "tool/studio/site.h"

/* The style and the script are part of the page, and so are named by a nonce. Modules are blobs. */
#define POLICY                                                                                     \
    "default-src 'none'; script-src 'nonce-pqt' blob: 'wasm-unsafe-eval'; style-src 'nonce-pqt'; " \
    "img-src blob: data:; worker-src blob:; base-uri 'none'; form-action 'none'"

static void
write_base64(FILE *stream, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    for (size_t i = 0; i < size; i += 3) {
        const size_t count = size - i < 3 ? size - i : 3;
        unsigned long word = 0;
        for (size_t k = 0; k < 3; k++)
            word = word << 8 | (k < count ? from[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            fputc(k <= count ? digits[word >> (18 - 6 * k) & 63] : '=', stream);
    }
}

static void
write_entry(FILE *stream, const char *name, const void *bytes, size_t size)
{
    fputs("[\"", stream);
    write_base64(stream, name, strlen(name));
    fputs("\",\"", stream);
    write_base64(stream, bytes, size);
    fputs("\"],\n", stream);
}

/* Writes a file of the system as an entry. */
static void
write_file_entry(FILE *stream, const char *folder, const char *name, const char *from)
{
    size_t size;
    char *bytes = site_read_file(from, &size), *path = data_file_in(folder, name);
    write_entry(stream, path, bytes, size);
    free(path);
    free(bytes);
}

static const studio_page *
find_page(const char *path)
{
    for (size_t i = 0; i < studio_page_count; i++)
        if (strcmp(studio_pages[i].path, path) == 0)
            return &studio_pages[i];
    die(NULL, 0, "the studio has no %s", path);
}

static void
write_page(FILE *stream, const char *path)
{
    const studio_page *page = find_page(path);
    fwrite(page->bytes, 1, page->size, stream);
}

/* Writes the files as the array that single.js reads. */
static void
write_entries(FILE *stream, const offered_files *files)
{
    for (size_t i = 0; i < studio_page_count; i++) {
        const studio_page *page = &studio_pages[i];
        const char *dot = strrchr(page->path, '.');
        if (dot != NULL && (strcmp(dot, ".js") == 0 || strcmp(dot, ".wasm") == 0))
            write_entry(stream, page->path, page->bytes, page->size);
    }
    for (size_t i = 0; i < SITE_DATA; i++) {
        char *from = data_file(site_data[i]);
        if (from != NULL)
            write_file_entry(stream, "data", site_data[i], from);
        free(from);
    }
    for (size_t i = 0; i < files->count; i++)
        write_file_entry(stream, "files", files->list[i].name, files->list[i].path);
    char *names = offered_as_json(files, false);
    write_entry(stream, "files.json", names, strlen(names));
    free(names);
}

void
write_single_page(const char *path, const offered_files *files)
{
    static const char first[] = "<link rel=\"icon\"", last[] = "</script>\n";
    const studio_page *page = find_page("index.html");
    char *text = strndup((const char *)page->bytes, page->size);
    char *begin = text == NULL ? NULL : strstr(text, first);
    char *end = begin == NULL ? NULL : strstr(begin, last);
    const char *close = end == NULL ? NULL : strstr(end, "</body>");
    if (close == NULL)
        die(NULL, 0, "out of memory (the page)");
    FILE *stream = output_open(path, NULL);
    fwrite(text, 1, (size_t)(begin - text), stream);
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n", stream);
    fputs("<style nonce=\"pqt\">\n", stream);
    write_page(stream, "studio.css");
    fputs("</style>\n", stream);
    end += strlen(last);
    fwrite(end, 1, (size_t)(close - end), stream);
    fputs("<script nonce=\"pqt\">\nglobalThis.pqtFiles = [\n", stream);
    write_entries(stream, files);
    fputs("];\n", stream);
    write_page(stream, "single.js");
    fputs("</script>\n</body>\n</html>\n", stream);
    output_close();
    free(text);
}
