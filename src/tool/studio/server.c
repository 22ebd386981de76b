/* SPDX-License-Identifier: MIT */
/*
 * server.c: the web server of `pqt studio`, which uses libmicrohttpd.
 *
 * A single thread does all the work. It serves the pages of the program, the data of the examples
 * and the files on the command line. It replaces these files, and answers pages that share a
 * history.
 *
 * A request is refused if its host is a name other than localhost: another site can make its name
 * resolve to this machine, but its name cannot be a numeric address. A request for a file, a store
 * or a line needs the token of the address that the program printed, which other users of the
 * machine do not know. A request that changes something needs a header that a page from another
 * origin may not send.
 */
#include "config.h"

#include "tool/studio/server.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <microhttpd.h>

#include "tool/data_file.h"
#include "tool/message.h"
#include "tool/studio/answer.h"
#include "tool/studio/pages.h"

enum { MOST_CONNECTIONS = 400, IDLE_SECONDS = 10, CONNECTION_BYTES = 32768 };

struct studio_server {
    struct MHD_Daemon *daemon;
    const offered_files *files;
    const shared_places *shared;
    studio_token token;
    unsigned port;
    time_t next_heartbeat; /* the time of the next call to send_heartbeats, by clock_seconds */
};

/* ---- Answers ---- */

/* Adds the entity tag of a file to a response, which may be NULL. */
static struct MHD_Response *
with_tag(struct MHD_Response *response, file_tag tag)
{
    if (response == NULL || MHD_add_response_header(response, "ETag", tag.text) == MHD_YES)
        return response;
    MHD_destroy_response(response);
    return NULL;
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
    struct MHD_Response *response =
        MHD_create_response_from_fd64((uint64_t)status.st_size, descriptor);
    return answer(connection, MHD_HTTP_OK, with_tag(response, tag_of_file(&status)), type);
}

/* Returns the media type for the name of a file. */
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

/* Returns true if the host of a request is a numeric address or localhost. */
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

static enum MHD_Result
answer_data(struct MHD_Connection *connection, const char *name)
{
    if (strcmp(name, "cities.csv") != 0 && strcmp(name, "countries.csv") != 0)
        return answer_text(connection, MHD_HTTP_NOT_FOUND, "there is no such file\n");
    char *path = data_file(name);
    if (path == NULL)
        return answer_text(connection, MHD_HTTP_NOT_FOUND, "the example data are not installed\n");
    const enum MHD_Result result = answer_file(connection, path, media_type(name));
    free(path);
    return result;
}

static enum MHD_Result
answer_get(struct MHD_Connection *connection, const studio_server *server, const char *path)
{
    const offered_files *files = server->files;
    if (strncmp(path, "shared/", 7) == 0)
        return answer_shared(connection, server->shared, path + 7);
    if (strcmp(path, "files.json") == 0) {
        char *names = offered_as_json(files, true);
        struct MHD_Response *response =
            MHD_create_response_from_buffer(strlen(names), names, MHD_RESPMEM_MUST_COPY);
        free(names);
        return answer(connection, MHD_HTTP_OK, response, media_type(path));
    }
    if (strncmp(path, "data/", 5) == 0)
        return answer_data(connection, path + 5);
    if (strncmp(path, "files/", 6) == 0) {
        const offered_file *file = find_offered(files, path + 6);
        return file != NULL && !file->is_shared
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

/* A PUT that is being received. It replaces a file or changes a shared history. */
typedef struct upload {
    replacement *file;
    shared_upload *change;
} upload;

static void
drop_upload(upload *arriving)
{
    if (arriving->file != NULL)
        drop_replacement(arriving->file);
    if (arriving->change != NULL)
        drop_shared_upload(arriving->change);
    free(arriving);
}

/* Returns the tag of the contents that a request may replace; NULL if it names none. */
static const char *
expected_tag(struct MHD_Connection *connection)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-Match");
}

/* Begins to replace a file. If the request is refused, answers with the reason and returns false. A
   failure of the replacement is reported when all contents have arrived. */
static bool
begin_file(struct MHD_Connection *connection, const studio_server *server, const char *path,
           upload *arriving, enum MHD_Result *result)
{
    const offered_file *file =
        strncmp(path, "files/", 6) == 0 ? find_offered(server->files, path + 6) : NULL;
    if (file == NULL || file->is_shared) {
        *result = answer_text(connection, MHD_HTTP_NOT_FOUND,
                              "only files of the command line can be replaced\n");
        return false;
    }
    if (!may_change(connection)) {
        *result = answer_text(connection, MHD_HTTP_FORBIDDEN, "another site may not do that\n");
        return false;
    }
    const char *expected = expected_tag(connection);
    if (expected == NULL) {
        *result = answer_text(connection, PRECONDITION_REQUIRED,
                              "the request must name the contents that it replaces (If-Match)\n");
        return false;
    }
    arriving->file = begin_replacement(file, expected);
    *result = arriving->file != NULL ? MHD_YES : MHD_NO;
    return arriving->file != NULL;
}

/* Ends a replacement, and answers with the tag of the new contents, or with the reason why the old
   ones remain. */
static enum MHD_Result
finish_file(struct MHD_Connection *connection, replacement *file)
{
    static const unsigned statuses[] = {[REPLACED] = MHD_HTTP_OK,
                                        [REFUSED] = UNPROCESSABLE,
                                        [CHANGED] = MHD_HTTP_PRECONDITION_FAILED,
                                        [GONE] = MHD_HTTP_GONE};
    static const char done[] = "replaced\n";
    const char *expected = expected_tag(connection);
    finish_replacement(file, expected != NULL ? expected : "");
    if (file->result != REPLACED)
        return answer_text(connection, statuses[file->result], file->failure);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        sizeof done - 1, (void *)(uintptr_t)done, MHD_RESPMEM_PERSISTENT);
    return answer(connection, MHD_HTTP_OK, with_tag(response, file->tag),
                  "text/plain; charset=utf-8");
}

static enum MHD_Result
begin_put(struct MHD_Connection *connection, const studio_server *server, const char *path,
          void **state)
{
    enum MHD_Result result = MHD_NO;
    upload *arriving = calloc(1, sizeof *arriving);
    if (arriving == NULL)
        return MHD_NO;
    if (strncmp(path, "shared/", 7) == 0)
        arriving->change = begin_shared_upload(connection, server->shared, path + 7, &result);
    else if (!begin_file(connection, server, path, arriving, &result))
        arriving->file = NULL;
    if (arriving->file == NULL && arriving->change == NULL) {
        free(arriving);
        return result;
    }
    *state = arriving;
    return result;
}

/* Handles one piece of the contents of a PUT. `state` is the upload. */
static enum MHD_Result
take_put(struct MHD_Connection *connection, const studio_server *server, const char *path,
         const char *bytes, size_t *size, void **state)
{
    if (*state == NULL)
        return begin_put(connection, server, path, state);
    upload *arriving = *state;
    if (*size > 0) {
        if (arriving->file != NULL)
            append_replacement(arriving->file, bytes, *size);
        else
            append_shared_upload(arriving->change, bytes, *size);
        *size = 0;
        return MHD_YES;
    }
    if (arriving->change != NULL)
        return finish_shared_upload(connection, arriving->change);
    return finish_file(connection, arriving->file);
}

/* Returns true if anyone may have the answer to a request: the page, and the data of examples. */
static bool
is_public(const char *path, const char *method)
{
    return strcmp(method, MHD_HTTP_METHOD_PUT) != 0 && strcmp(path, "files.json") != 0 &&
           strncmp(path, "files/", 6) != 0 && strncmp(path, "shared/", 7) != 0;
}

/* libmicrohttpd calls this function several times for each request. The first call has only the
   headers. For a PUT, the next calls have the contents, and the last call has none. */
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
    if (!is_public(url + 1, method) &&
        !token_is_in(&server->token,
                     MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization")))
        return answer_text(connection, MHD_HTTP_FORBIDDEN,
                           "open the address that pqt studio printed: it has the token that this "
                           "request lacks\n");
    if (strcmp(method, MHD_HTTP_METHOD_PUT) == 0)
        return take_put(connection, server, url + 1, bytes, size, state);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET, HEAD and PUT only\n");
    return answer_get(connection, server, url + 1);
}

/* Replaces %XX with bytes in place, and returns the new length. Does not replace %00, because it
   would end the string. */
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
        drop_upload(*state);
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

/* Starts the daemon on a port; returns NULL and sets errno if the port cannot be used. */
static struct MHD_Daemon *
start_daemon(struct sockaddr_in place, unsigned port, studio_server *server)
{
    place.sin_port = htons((uint16_t)port);
    return MHD_start_daemon(MHD_ALLOW_SUSPEND_RESUME, (uint16_t)port, NULL, NULL, take_request,
                            server, MHD_OPTION_SOCK_ADDR, &place, MHD_OPTION_CONNECTION_LIMIT,
                            (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
                            (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                            (size_t)CONNECTION_BYTES, MHD_OPTION_NOTIFY_COMPLETED, end_request,
                            NULL, MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_END);
}

studio_server *
server_start(const char *address, unsigned port, unsigned ports, const studio_token *token,
             const offered_files *files, const shared_places *shared)
{
    static studio_server server;
    struct sockaddr_in place = {.sin_family = AF_INET};
    if (inet_pton(AF_INET, address, &place.sin_addr) != 1)
        die(NULL, 0, "--address is not a numeric address (%s)", quote_text(address).text);
    const struct sigaction action = {.sa_handler = take_signal};
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    server.token = *token;
    server.files = files;
    server.shared = shared;
    const unsigned last = port + ports - 1;
    while ((server.daemon = start_daemon(place, port, &server)) == NULL && port < last &&
           errno == EADDRINUSE)
        port++;
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

static time_t
clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Publishes the versions that other programs pushed, and detects pages that were closed. */
static void
poll_shared(studio_server *server, int ready, const fd_set *readable)
{
    const bool is_heartbeat_due = clock_seconds() >= server->next_heartbeat;
    for (size_t i = 0; i < server->shared->count; i++) {
        const shared_place *place = &server->shared->list[i];
        const int descriptor = shared_descriptor(place->history);
        if (ready > 0 && descriptor >= 0 && FD_ISSET(descriptor, readable))
            forward_shared_event(place);
        if (is_heartbeat_due)
            send_heartbeats(place->channel);
    }
    if (is_heartbeat_due)
        server->next_heartbeat = clock_seconds() + HEARTBEAT_SECONDS;
}

/* Adds the descriptors that become readable when another program has pushed. */
static void
add_descriptors(const studio_server *server, fd_set *readable, int *last)
{
    for (size_t i = 0; i < server->shared->count; i++) {
        const int descriptor = shared_descriptor(server->shared->list[i].history);
        if (descriptor < 0)
            continue;
        FD_SET(descriptor, readable);
        *last = descriptor > *last ? descriptor : *last;
    }
}

/* Returns the time to wait, which ends at the timeout of the daemon or at the next beat, whichever
   is earlier. */
static struct timespec
time_to_wait(const studio_server *server)
{
    MHD_UNSIGNED_LONG_LONG limit = 0;
    const time_t left = server->next_heartbeat - clock_seconds();
    const MHD_UNSIGNED_LONG_LONG most = left > 0 ? (MHD_UNSIGNED_LONG_LONG)left * 1000 : 0;
    if (MHD_get_timeout(server->daemon, &limit) != MHD_YES || limit > most)
        limit = most;
    return (struct timespec){(time_t)(limit / 1000), (long)(limit % 1000) * 1000000};
}

/* Waits until a socket is ready, the timeout expires, or a signal arrives. Then answers requests.
   Returns false after a signal that ends the server. */
static bool
serve_once(studio_server *server, const sigset_t *unblocked)
{
    fd_set readable, writable, failed;
    int last = -1;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_ZERO(&failed);
    if (MHD_get_fdset(server->daemon, &readable, &writable, &failed, &last) != MHD_YES)
        die(NULL, 0, "the server cannot wait for requests");
    add_descriptors(server, &readable, &last);
    const struct timespec time = time_to_wait(server);
    const int ready = pselect(last + 1, &readable, &writable, &failed, &time, unblocked);
    if (is_interrupted)
        return false;
    if (ready < 0)
        return true; /* a signal that does not end the server */
    poll_shared(server, ready, &readable);
    MHD_run_from_select(server->daemon, &readable, &writable, &failed);
    return true;
}

/* Runs the server. Signals are blocked except during the wait, so that none is missed between two
   waits. */
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
    for (size_t i = 0; i < server->shared->count; i++)
        end_streams(server->shared->list[i].channel);
    MHD_stop_daemon(server->daemon);
    sigprocmask(SIG_SETMASK, &before, NULL);
}
