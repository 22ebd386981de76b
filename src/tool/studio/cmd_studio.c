/* SPDX-License-Identifier: MIT */
/* cmd_studio.c: `pqt studio`: serves the studio to a browser, or writes it as a folder. */
#include "config.h"

#include "tool/commands.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>
#include <pqt.h>
#include <pqt/stores.h>

#include "tool/cli.h"
#include "tool/line_input.h"
#include "tool/message.h"
#include "tool/out.h"
#include "tool/studio/offered_file.h"
#include "tool/studio/pages.h"
#include "tool/studio/single_page.h"
#include "tool/studio/site.h"
#include "tool/tool_memory.h"
#if PQT_WITH_MICROHTTPD
#include "tool/studio/server.h"
#include "tool/studio/shared_line.h"
#include "tool/studio/shared_store.h"
#include "tool/studio/token.h"
#endif

static const char purpose[] =
    "Serves the studio on this machine and opens it in a browser: balls "
    "with a timeline over every\n"
    "step, objects of pixels, an editor of boxes with an undo tree, and "
    "a view of what each action\n"
    "copied. FILE is CSV, GeoJSON, PNG, .pqt, a store (.pqts), or the address of a "
    "line; the first one is opened. A link to a moment of the balls can be given, too.\n"
    "The studio saves back to these files only: to CSV, GeoJSON, PNG and .pqt after "
    "asking, to a store or\n"
    "a line with each edit. Pages that open the same one see each other's "
    "edits. A store that\n"
    "does not exist is made. Ctrl-C ends it. --export writes the studio as "
    "a folder for any web\n"
    "server, or as one page that opens from a file, without stores and lines.\n"
    "Status: 0, or 2 for an error.\n";

static const struct poptOption table_of_options[] = {
    {"port", '\0', POPT_ARG_STRING, NULL, 'p',
     "listen on this port; 0: any free one (default: 7787, or one of the next nine)", "N"},
    {"address", '\0', POPT_ARG_STRING, NULL, 'a',
     "listen on this numeric address (default: 127.0.0.1, for this machine only)", "ADDRESS"},
    {"no-browser", '\0', POPT_ARG_NONE, NULL, 'n', "open no browser", NULL},
    {"author", '\0', POPT_ARG_STRING, NULL, 'u',
     "author of the versions (default: $USER), of a line", "AUTHOR"},
    {"export", '\0', POPT_ARG_STRING, NULL, 'e',
     "write the studio to this folder, or to this file if its name ends in .html", "DIR"},
    COMMON_OPTIONS};

/* A browser keeps work for an address with its port, so each start must have the same one. This one
   has no service, and no system gives it to a connection. If it is taken, the next ones are tried.
 */
enum { DEFAULT_PORT = 7787, DEFAULT_PORTS = 10 };

typedef struct request {
    char *address, *folder, *author;
    char *link;           /* the fragment of a link to a moment of the balls, or NULL */
    unsigned port, ports; /* the first port to try, and how many */
    bool no_browser;
    offered_files files;
    char **shared; /* the paths of stores and the addresses of lines that were given as arguments */
    size_t shared_count, shared_capacity;
} request;

/* Returns true if an argument is the address of a line, the name of a file that contains a store,
   or a name that ends in .pqts. */
static bool
is_shared(const char *argument)
{
    static const char ending[] = ".pqts";
    const size_t length = strlen(argument), needed = strlen(ending);
    return line_is_named(argument) || pqt_is_store_file(argument) ||
           (length > needed && strcmp(argument + length - needed, ending) == 0);
}

/* Returns true if the argument of --export is the name of a page, not of a folder. */
static bool
is_page(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, ".html") == 0;
}

/* Returns the name that pages use, which is the name of the file without its folder, or the name of
   the line. */
static const char *
name_of_shared(const char *argument)
{
    const char *last = strrchr(argument, line_is_named(argument) ? '#' : '/');
    return last != NULL && last[1] != '\0' ? last + 1 : argument;
}

/* Returns the fragment of a link to a moment of the balls; NULL if the argument is none. The page
   reads it, wherever the link was copied. */
static const char *
fragment_of(const char *argument)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789&=,:.-";
    const char *fragment = strchr(argument, '#');
    if (fragment == NULL || strncmp(fragment, "#balls&", 7) != 0 ||
        (fragment != argument && strstr(argument, "://") == NULL) || line_is_named(argument))
        return NULL;
    const char *end = fragment + 1 + strspn(fragment + 1, letters);
    if (*end != '\0')
        die(NULL, 0, "the link has a character that such links do not have (%s)",
            quote_text(end).text);
    return fragment;
}

static void
take_argument(request *req, const char *path)
{
    const char *fragment = fragment_of(path);
    if (fragment != NULL && req->link != NULL)
        die(NULL, 0, "there is more than one link");
    if (fragment != NULL) {
        req->link = strdup(fragment);
        if (req->link == NULL)
            die(NULL, 0, "out of memory (names)");
        return;
    }
    if (!is_shared(path)) {
        offer_file(&req->files, path);
        return;
    }
    if (line_is_named(path) && strchr(path, '#') == NULL)
        die(NULL, 0, "the address names no line: postgresql://...#NAME");
    char *shared = line_is_named(path) ? line_address(path) : strdup(path);
    if (shared == NULL)
        die(NULL, 0, "out of memory (names)");
    offer_shared(&req->files, name_of_shared(shared));
    req->shared = xgrow(req->shared, &req->shared_capacity, req->shared_count + 1, sizeof shared);
    req->shared[req->shared_count++] = shared;
}

static request
read_request(poptContext context)
{
    request req = {.port = DEFAULT_PORT, .ports = DEFAULT_PORTS};
    int letter;
    while ((letter = next_option(context)) != 0) {
        if (letter == 'p') {
            req.port = (unsigned)number_option(context, "--port", 0, 65535);
            req.ports = 1;
        }
        if (letter == 'a') {
            free(req.address);
            req.address = text_option(context);
        }
        if (letter == 'e') {
            free(req.folder);
            req.folder = text_option(context);
        }
        if (letter == 'u') {
            free(req.author);
            req.author = text_option(context);
        }
        req.no_browser = req.no_browser || letter == 'n';
    }
    for (const char *path = poptGetArg(context); path != NULL; path = poptGetArg(context))
        take_argument(&req, path);
    if (req.folder != NULL && req.shared_count > 0)
        die(NULL, 0, "a store or a line needs the server: --export cannot include it");
    if (req.folder != NULL && req.link != NULL)
        die(NULL, 0, "a link is opened in the page that --export writes, which cannot include it");
    return req;
}

#if PQT_WITH_MICROHTTPD

extern char **environ;

/* Opens an address in the desktop's browser, if there is one. */
static void
open_browser(const char *address)
{
    char program[] = "xdg-open";
    pid_t child;
    if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
        return;
    char *link = token_write_link(address);
    char *arguments[] = {program, link, NULL};
    signal(SIGCHLD, SIG_IGN); /* so that no process has to wait for the child */
    if (link == NULL || posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ) != 0)
        printf("No browser was started: open the address in one.\n");
    free(link);
}

/* Opens the stores and the lines. */
static shared_places
open_shared(const request *req)
{
    shared_places places = {NULL, 0, 0};
    const char *author = req->author != NULL ? req->author : getenv("USER");
    for (size_t i = 0; i < req->shared_count; i++) {
        const char *argument = req->shared[i], *name = name_of_shared(argument);
        add_shared(&places, line_is_named(argument) ? shared_open_line(argument, name, author)
                                                    : shared_open_store(argument, name));
    }
    return places;
}

static void
serve(const request *req)
{
    const char *address = req->address != NULL ? req->address : "127.0.0.1";
    shared_places places = open_shared(req);
    const studio_token token = token_of_user();
    studio_server *server =
        server_start(address, req->port, req->ports, &token, &req->files, &places);
    const unsigned port = server_port(server);
    const char *link = req->link != NULL ? req->link : "";
    size_t capacity = 0;
    char *page =
        xgrow(NULL, &capacity,
              strlen(address) + strlen(link) + sizeof "http://:65535/#token=" + TOKEN_SIZE, 1);
    snprintf(page, capacity, "http://%s:%u/%s%stoken=%s", address, port, link,
             strchr(link, '#') != NULL ? "&" : "#", token.text);
    if (req->port != 0 && port != req->port)
        printf("Port %u is taken, so this is port %u. Browsers keep work for each port apart.\n",
               req->port, port);
    printf("pqt studio: %s (Ctrl-C ends it)\n", page);
    fflush(stdout);
    if (!req->no_browser)
        open_browser(page);
    server_run(server);
    free(page);
    close_shared(&places);
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
        begin_options(count, arguments, table_of_options, "[OPTION...] [FILE|LINK...]", purpose);
    request req = read_request(context);
    if (!studio_is_complete)
        die(NULL, 0,
            "this build has no pqt.wasm, which the studio needs (make studio compiles it)");
    if (req.folder != NULL && is_page(req.folder)) {
        write_single_page(req.folder, &req.files);
        printf("the studio is in %s\n", quote_text(req.folder).text);
    } else if (req.folder != NULL)
        printf("%zu files are in %s\n", write_site(req.folder, &req.files),
               quote_text(req.folder).text);
    else
        serve(&req);
    free(req.files.list);
    for (size_t i = 0; i < req.shared_count; i++)
        free(req.shared[i]);
    free(req.shared);
    free(req.author);
    free(req.link);
    free(req.address);
    free(req.folder);
    poptFreeContext(context);
    finish_standard_output();
    return STATUS_FOUND;
}
