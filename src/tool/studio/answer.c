/* SPDX-License-Identifier: MIT */
/* answer.c: sends the answers of the web server, and checks where a request comes from. */
#include "config.h"

#include "tool/studio/answer.h"

#include <stdint.h>
#include <string.h>

enum MHD_Result
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

enum MHD_Result
answer_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
    return answer(connection, status,
                  MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                  MHD_RESPMEM_MUST_COPY),
                  "text/plain; charset=utf-8");
}

bool
is_no_other_origin(struct MHD_Connection *connection)
{
    static const char scheme[] = "http://";
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    const char *site = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    if (site != NULL && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return false;
    return origin == NULL || (strncmp(origin, scheme, strlen(scheme)) == 0 && host != NULL &&
                              strcmp(origin + strlen(scheme), host) == 0);
}

bool
may_change(struct MHD_Connection *connection)
{
    const char *mark = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "X-Pqt-Studio");
    return mark != NULL && strcmp(mark, "save") == 0 && is_no_other_origin(connection);
}
