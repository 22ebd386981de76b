/* SPDX-License-Identifier: MIT */
/* server.h: the web server of `pqt studio`. */
#ifndef SERVER_H
#define SERVER_H

#include "tool/studio/offered_file.h"
#include "tool/studio/shared_requests.h"
#include "tool/studio/token.h"

typedef struct studio_server studio_server;

/* Starts a server on the first of `ports` ports, from `port` on, that is free. Port 0 means any
   free port. Requests for files, stores and lines need the token. From then on, signals that would
   end the program make server_run return instead. Ends the program with an error if the server
   cannot be started. */
studio_server *server_start(const char *address, unsigned port, unsigned ports,
                            const studio_token *token, const offered_files *files,
                            const shared_places *shared);

/* Returns the port on which the server listens. */
unsigned server_port(const studio_server *server);

/* Answers requests until the program is interrupted or terminated, and then stops the server. */
void server_run(studio_server *server);

#endif
