/* SPDX-License-Identifier: MIT */
/* cutting_proxy.c: cuts connections to PostgreSQL. */
#include "config.h"

#include "cutting_proxy.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tree_support.h"

enum { CONNECTIONS = 8 };

typedef struct connection {
    int client, server; /* -1 if there is none */
    bool listens;       /* the client sent LISTEN */
} connection;

static struct sockaddr_un
socket_address(const char *folder)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.80s/.s.PGSQL.5432", folder);
    return address;
}

static void
end_connection(connection *ended)
{
    close(ended->client);
    close(ended->server);
    *ended = (connection){-1, -1, false};
}

static bool
contains_listen(const char *bytes, size_t count)
{
    return memmem(bytes, count, "LISTEN", strlen("LISTEN")) != NULL;
}

/* Forwards the available bytes. Returns false if the connection has ended or must be cut. */
static bool
forward(connection *c, cut_direction direction, cutting_plan *plan)
{
    const int from = direction == CUT_TO_SERVER ? c->client : c->server;
    const int to = direction == CUT_TO_SERVER ? c->server : c->client;
    char bytes[4096];
    ssize_t count = read(from, bytes, sizeof bytes);
    if (count <= 0)
        return false;
    const bool counts = plan->direction == (int)direction;
    const bool cuts = counts && plan->remaining < (size_t)count;
    if (cuts)
        count = (ssize_t)plan->remaining;
    if (counts)
        plan->remaining -= (size_t)count;
    for (ssize_t sent = 0, now; sent < count; sent += now)
        if ((now = write(to, bytes + sent, (size_t)(count - sent))) <= 0)
            return false;
    if (cuts)
        plan->direction = CUT_NOTHING;
    if (plan->cuts_listeners && direction == CUT_TO_CLIENT && c->listens)
        return false;
    c->listens =
        c->listens || (direction == CUT_TO_SERVER && contains_listen(bytes, (size_t)count));
    return !cuts;
}

static void
accept_connection(int listener, const char *target, connection *connections)
{
    const struct sockaddr_un address = socket_address(target);
    connection made = {accept(listener, NULL, NULL), socket(AF_UNIX, SOCK_STREAM, 0), false};
    for (int i = 0; i < CONNECTIONS; i++) {
        if (connections[i].client >= 0)
            continue;
        if (connect(made.server, (const struct sockaddr *)&address, sizeof address) != 0)
            break;
        connections[i] = made;
        return;
    }
    end_connection(&made);
}

static void
serve(int listener, const char *target, cutting_plan *plan)
{
    connection connections[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++)
        connections[i] = (connection){-1, -1, false};
    for (;;) {
        struct pollfd sockets[1 + 2 * CONNECTIONS] = {{.fd = listener, .events = POLLIN}};
        for (int i = 0; i < CONNECTIONS; i++) {
            sockets[1 + 2 * i] = (struct pollfd){.fd = connections[i].client, .events = POLLIN};
            sockets[2 + 2 * i] = (struct pollfd){.fd = connections[i].server, .events = POLLIN};
        }
        poll(sockets, 1 + 2 * CONNECTIONS, -1);
        for (int i = 0; i < CONNECTIONS; i++) {
            connection *c = &connections[i];
            if ((sockets[1 + 2 * i].revents != 0 && !forward(c, CUT_TO_SERVER, plan)) ||
                (sockets[2 + 2 * i].revents != 0 && !forward(c, CUT_TO_CLIENT, plan)))
                end_connection(c);
        }
        if (sockets[0].revents != 0)
            accept_connection(listener, target, connections);
    }
}

void
proxy_start(cutting_proxy *proxy, const char *url)
{
    const char *target = strstr(url, "host=");
    require(target != NULL, "the URL ends in host=FOLDER");
    target += strlen("host=");
    snprintf(proxy->folder, sizeof proxy->folder, "/tmp/pqt-proxy-XXXXXX");
    require(mkdtemp(proxy->folder) != NULL, "a folder is made");
    snprintf(proxy->url, sizeof proxy->url, "%.*s%s", (int)(target - url), url, proxy->folder);
    proxy->plan =
        mmap(NULL, sizeof *proxy->plan, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(proxy->plan != MAP_FAILED, "memory is shared");
    const struct sockaddr_un address = socket_address(proxy->folder);
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    require(bind(listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
                listen(listener, CONNECTIONS) == 0,
            "the proxy listens");
    proxy->process = fork();
    if (proxy->process == 0) {
        signal(SIGPIPE, SIG_IGN);
        serve(listener, target, proxy->plan);
    }
    close(listener);
}

void
proxy_stop(cutting_proxy *proxy)
{
    kill(proxy->process, SIGKILL);
    waitpid(proxy->process, NULL, 0);
    munmap(proxy->plan, sizeof *proxy->plan);
    unlink(socket_address(proxy->folder).sun_path);
    rmdir(proxy->folder);
}

void
proxy_cut_after(cutting_proxy *proxy, cut_direction direction, size_t bytes)
{
    proxy->plan->remaining = bytes;
    proxy->plan->direction = direction;
}

bool
proxy_was_cut(cutting_proxy *proxy)
{
    const bool was_cut = proxy->plan->direction == CUT_NOTHING;
    proxy->plan->direction = CUT_NOTHING;
    return was_cut;
}
