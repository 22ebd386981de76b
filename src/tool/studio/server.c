/* SPDX-License-Identifier: MIT */
/*
 * server.c: the web server of `pqt studio`, on libmicrohttpd.
 *
 * One thread does everything. It serves the pages of the program, the data of the examples and the
 * files of the command line, and replaces these files. A request is refused if it names a host: a
 * page of another site can have its name resolve to this machine, but it cannot have a numeric
 * address as its name. A request that replaces a file needs a header that a page of another origin
 * may not send.
 */
#include "config.h"

#include "tool/studio/server.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <microhttpd.h>

#include "tool/data_file.h"
#include "tool/studio/pages.h"
#include "tool/tool.h"

enum { MOST_CONNECTIONS = 400, IDLE_SECONDS = 10, CONNECTION_BYTES = 32768 };

/* The status of RFC 9110 whose name differs between versions of libmicrohttpd. */
enum { UNPROCESSABLE = 422 };

struct studio_server {
    struct MHD_Daemon *daemon;
    const offered_files *files;
    unsigned port;
};

/* ---- Answers ---- */

static enum MHD_Result
answer(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response,
       const char *type)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy", CONTENT_SECURITY_POLICY},
        {"X-Content-Type-Options", "nosniff"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Referrer-Policy", "no-referrer"},
        {"Cache-Control", "no-store"},
    };
    if (response == NULL)
        return MHD_NO;
    enum MHD_Result result = MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (result == MHD_YES)
            result = MHD_add_response_header(response, headers[i][0], headers[i][1]);
    if (result == MHD_YES && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        result = MHD_add_response_header(response, "Allow", "GET, HEAD, PUT");
    if (result == MHD_YES)
        result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result
answer_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
    return answer(connection, status,
                  MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                  MHD_RESPMEM_MUST_COPY),
                  "text/plain; charset=utf-8");
}

static enum MHD_Result
answer_file(struct MHD_Connection *connection, const char *path, const char *type)
{
    struct stat status;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        if (descriptor >= 0)
            close(descriptor);
        return answer_text(connection, MHD_HTTP_NOT_FOUND, "the file cannot be read\n");
    }
    return answer(connection, MHD_HTTP_OK,
                  MHD_create_response_from_fd64((uint64_t)status.st_size, descriptor), type);
}

/* Returns the media type of a file by its name. */
static const char *
media_type(const char *name)
{
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".wasm", "application/wasm"},
        {".csv", "text/csv; charset=utf-8"},
        {".png", "image/png"},
        {".json", "application/json"},
    };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof types / sizeof types[0]; i++)
        if (strcasecmp(dot, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

/* ---- Requests ---- */

/* Returns whether the host of a request is a numeric address or localhost. */
static bool
is_known_host(const char *host)
{
    char name[64];
    unsigned char address[sizeof(struct in6_addr)];
    if (host == NULL)
        return false;
    const bool has_brackets = host[0] == '[';
    const char *begin = has_brackets ? host + 1 : host;
    const size_t length = strcspn(begin, has_brackets ? "]" : ":");
    const char *rest = begin + length;
    if (length == 0 || length >= sizeof name || (has_brackets && *rest != ']'))
        return false;
    rest += has_brackets;
    if (*rest != '\0' && (*rest != ':' || rest[1 + strspn(rest + 1, "0123456789")] != '\0'))
        return false;
    memcpy(name, begin, length);
    name[length] = '\0';
    return strcasecmp(name, "localhost") == 0 ||
           inet_pton(has_brackets ? AF_INET6 : AF_INET, name, address) == 1;
}

/* Returns whether a request comes from a page of this server, or from no page. */
static bool
is_own_origin(struct MHD_Connection *connection, const char *host)
{
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    const char *mark = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "X-Pqt-Studio");
    static const char scheme[] = "http://";
    return mark != NULL && strcmp(mark, "save") == 0 &&
           (origin == NULL || (strncmp(origin, scheme, strlen(scheme)) == 0 &&
                               strcmp(origin + strlen(scheme), host) == 0));
}

static enum MHD_Result
answer_data(struct MHD_Connection *connection, const char *name)
{
    if (strcmp(name, "cities.csv") != 0 && strcmp(name, "countries.csv") != 0)
        return answer_text(connection, MHD_HTTP_NOT_FOUND, "there is no such file\n");
    char *path = data_file(name);
    if (path == NULL)
        return answer_text(connection, MHD_HTTP_NOT_FOUND, "the data is not installed\n");
    const enum MHD_Result result = answer_file(connection, path, media_type(name));
    free(path);
    return result;
}

static enum MHD_Result
answer_get(struct MHD_Connection *connection, const offered_files *files, const char *path)
{
    if (strcmp(path, "files.json") == 0) {
        char *names = offered_as_json(files);
        struct MHD_Response *response =
            MHD_create_response_from_buffer(strlen(names), names, MHD_RESPMEM_MUST_COPY);
        free(names);
        return answer(connection, MHD_HTTP_OK, response, media_type(path));
    }
    if (strncmp(path, "data/", 5) == 0)
        return answer_data(connection, path + 5);
    if (strncmp(path, "files/", 6) == 0) {
        const offered_file *file = find_offered(files, path + 6);
        return file != NULL
                   ? answer_file(connection, file->path, media_type(file->name))
                   : answer_text(connection, MHD_HTTP_NOT_FOUND, "there is no such file\n");
    }
    if (path[0] == '\0')
        path = "index.html";
    for (size_t i = 0; i < studio_page_count; i++) {
        const studio_page *page = &studio_pages[i];
        if (strcmp(page->path, path) == 0)
            return answer(connection, MHD_HTTP_OK,
                          MHD_create_response_from_buffer(
                              page->size, (void *)(uintptr_t)page->bytes, MHD_RESPMEM_PERSISTENT),
                          media_type(path));
    }
    return answer_text(connection, MHD_HTTP_NOT_FOUND, "there is no such page\n");
}

/* Handles a part of a request that replaces a file. `state` is the replacement. */
static enum MHD_Result
take_put(struct MHD_Connection *connection, const studio_server *server, const char *path,
         const char *bytes, size_t *size, void **state)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    if (*state == NULL) {
        const offered_file *file =
            strncmp(path, "files/", 6) == 0 ? find_offered(server->files, path + 6) : NULL;
        if (file == NULL)
            return answer_text(connection, MHD_HTTP_NOT_FOUND,
                               "only files of the command line are replaced\n");
        if (!is_own_origin(connection, host))
            return answer_text(connection, MHD_HTTP_FORBIDDEN, "another site may not do that\n");
        *state = begin_replacement(file);
        return *state != NULL ? MHD_YES
                              : answer_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                                            "the file is not there any more\n");
    }
    replacement *new_contents = *state;
    if (*size > 0) {
        append_replacement(new_contents, bytes, *size);
        *size = 0;
        return MHD_YES;
    }
    if (finish_replacement(new_contents))
        return answer_text(connection, MHD_HTTP_OK, "replaced\n");
    return answer_text(connection, UNPROCESSABLE, new_contents->failure);
}

/* The first call for a request has its headers only; for a PUT, further ones have its contents, and
   the last has none. */
static enum MHD_Result
take_request(void *context, struct MHD_Connection *connection, const char *url, const char *method,
             const char *version, const char *bytes, size_t *size, void **state)
{
    (void)version;
    const studio_server *server = context;
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    if (!is_known_host(host))
        return answer_text(connection, MHD_HTTP_MISDIRECTED_REQUEST,
                           "the host must be a numeric address or localhost\n");
    if (url[0] != '/')
        return answer_text(connection, MHD_HTTP_BAD_REQUEST, "the path must begin with a slash\n");
    if (strcmp(method, MHD_HTTP_METHOD_PUT) == 0)
        return take_put(connection, server, url + 1, bytes, size, state);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET, HEAD and PUT only\n");
    return answer_get(connection, server->files, url + 1);
}

/* Replaces %XX by bytes, in place, and returns the length. %00 stays: it would end the text. */
static size_t
unescape(void *context, struct MHD_Connection *connection, char *text)
{
    static const char values[] = "0123456789abcdef";
    (void)context;
    (void)connection;
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        const bool is_hex =
            from[0] == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2]);
        int byte = (unsigned char)*from;
        if (is_hex)
            byte = (int)((strchr(values, tolower((unsigned char)from[1])) - values) * 16 +
                         (strchr(values, tolower((unsigned char)from[2])) - values));
        if (is_hex && byte == 0)
            byte = '%';
        else if (is_hex)
            from += 2;
        *to++ = (char)byte;
    }
    *to = '\0';
    return (size_t)(to - text);
}

static void
end_request(void *context, struct MHD_Connection *connection, void **state,
            enum MHD_RequestTerminationCode code)
{
    (void)context;
    (void)connection;
    (void)code;
    if (*state != NULL)
        drop_replacement(*state);
    *state = NULL;
}

/* ---- The daemon ---- */

/* The signals that end the server. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static volatile sig_atomic_t is_interrupted;

static void
take_signal(int number)
{
    (void)number;
    is_interrupted = 1;
}

studio_server *
server_start(const char *address, unsigned port, const offered_files *files)
{
    static studio_server server;
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, address, &place.sin_addr) != 1)
        die(NULL, 0, "--address is not a numeric address (%s)", quote_text(address).text);
    const struct sigaction action = {.sa_handler = take_signal};
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    server.files = files;
    server.daemon = MHD_start_daemon(
        MHD_NO_FLAG, (uint16_t)port, NULL, NULL, take_request, &server, MHD_OPTION_SOCK_ADDR,
        &place, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, MHD_OPTION_NOTIFY_COMPLETED, end_request, NULL,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_END);
    if (server.daemon == NULL)
        die(NULL, 0, "%s: port %u cannot be used (%s)", quote_text(address).text, port,
            strerror(errno));
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server.daemon, MHD_DAEMON_INFO_BIND_PORT);
    server.port = info != NULL ? info->port : port;
    return &server;
}

unsigned
server_port(const studio_server *server)
{
    return server->port;
}

/* Waits until a socket is ready, a time is over, or a signal arrives; then answers. Returns false
   after a signal. */
static bool
serve_once(studio_server *server, const sigset_t *unblocked)
{
    fd_set readable, writable, failed;
    int last = -1;
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_ZERO(&failed);
    if (MHD_get_fdset(server->daemon, &readable, &writable, &failed, &last) != MHD_YES)
        die(NULL, 0, "the server cannot wait for requests");
    const bool has_time = MHD_get_timeout(server->daemon, &milliseconds) == MHD_YES;
    const struct timespec time = {(time_t)(milliseconds / 1000),
                                  (long)(milliseconds % 1000) * 1000000};
    const int ready =
        pselect(last + 1, &readable, &writable, &failed, has_time ? &time : NULL, unblocked);
    if (is_interrupted)
        return false;
    if (ready < 0)
        return true; /* another signal */
    MHD_run_from_select(server->daemon, &readable, &writable, &failed);
    return true;
}

/* The signals are blocked except during the wait, so none is missed between two waits. */
void
server_run(studio_server *server)
{
    sigset_t blocked, before;
    sigemptyset(&blocked);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&blocked, signals[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    while (!is_interrupted && serve_once(server, &before))
        continue;
    MHD_stop_daemon(server->daemon);
    sigprocmask(SIG_SETMASK, &before, NULL);
}
