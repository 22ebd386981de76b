/* SPDX-License-Identifier: MIT */
/* cmd_studio.c: `pqt studio`: serves the studio to a browser, or writes it as a folder. */
#include "config.h"

#include "tool/tool.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

#include "tool/studio/offered_file.h"
#include "tool/studio/pages.h"
#include "tool/studio/server.h"
#include "tool/studio/site.h"

static const char purpose[] = "Serves the studio on this machine and opens it in a browser: balls "
                              "with a timeline over every\n"
                              "step, objects of pixels, an editor of boxes with an undo tree, and "
                              "a view of what each action\n"
                              "copied. FILE is CSV, PNG or .pqt; the first one is opened. The "
                              "studio saves back to these files\n"
                              "only, after asking. Ctrl-C ends it. --export writes the studio as a "
                              "folder for any web server.\n"
                              "Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"port", 'p', POPT_ARG_STRING, NULL, 'p', "listen on this port (default: any free one)", "N"},
    {"address", 'a', POPT_ARG_STRING, NULL, 'a',
     "listen on this numeric address (default: 127.0.0.1, for this machine only)", "ADDRESS"},
    {"no-browser", 'n', POPT_ARG_NONE, NULL, 'n', "open no browser", NULL},
    {"export", 'e', POPT_ARG_STRING, NULL, 'e', "write the studio to this folder", "DIR"},
    COMMON_OPTIONS};

typedef struct request {
    char *address, *folder;
    unsigned port;
    bool no_browser;
    offered_files files;
} request;

static request
read_request(poptContext context)
{
    request req = {.port = 0};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'p')
            req.port = (unsigned)number_option(context, "--port", 0, 65535);
        if (letter == 'a') {
            free(req.address);
            req.address = text_option(context);
        }
        if (letter == 'e') {
            free(req.folder);
            req.folder = text_option(context);
        }
        req.no_browser = req.no_browser || letter == 'n';
    }
    for (const char *path = poptGetArg(context); path != NULL; path = poptGetArg(context))
        offer_file(&req.files, path);
    return req;
}

#if PQT_WITH_MICROHTTPD

extern char **environ;

/* Opens a page in the browser of the desktop, if there is one. */
static void
open_browser(char *page)
{
    char program[] = "xdg-open";
    char *arguments[] = {program, page, NULL};
    pid_t child;
    if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
        return;
    signal(SIGCHLD, SIG_IGN); /* nothing waits for it */
    if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ) != 0)
        printf("There is no xdg-open: open the page in a browser.\n");
}

static void
serve(const request *req)
{
    const char *address = req->address != NULL ? req->address : "127.0.0.1";
    studio_server *server = server_start(address, req->port, &req->files);
    char page[80];
    snprintf(page, sizeof page, "http://%s:%u/", address, server_port(server));
    printf("pqt studio: %s (Ctrl-C ends it)\n", page);
    fflush(stdout);
    if (!req->no_browser)
        open_browser(page);
    server_run(server);
}

#else

static _Noreturn void
serve(const request *req)
{
    (void)req;
    die(NULL, 0,
        "this build has no web server (libmicrohttpd); --export writes the studio to a folder");
}

#endif

int
studio_command(int count, const char **arguments)
{
    poptContext context =
        begin_options(count, arguments, table_of_options, "[OPTION...] [FILE...]", purpose);
    request req = read_request(context);
    if (!studio_is_complete)
        die(NULL, 0,
            "this build has no pqt.wasm, which the studio needs (make studio compiles it)");
    if (req.folder != NULL)
        printf("%zu files are in %s\n", write_site(req.folder, &req.files),
               quote_text(req.folder).text);
    else
        serve(&req);
    free(req.files.list);
    free(req.address);
    free(req.folder);
    poptFreeContext(context);
    finish_standard_output();
    return STATUS_FOUND;
}
