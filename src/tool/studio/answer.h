/* SPDX-License-Identifier: MIT */
/* answer.h: answers of the web server, and tests of the page that a request comes from. */
#ifndef ANSWER_H
#define ANSWER_H

#include <stdbool.h>

#include <microhttpd.h>

/* The policy of the pages: everything comes from the server, and nothing else is allowed. */
#define CONTENT_SECURITY_POLICY                                                                    \
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "               \
    "style-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; "          \
    "frame-ancestors 'none'"

/* The statuses of RFC 9110 whose names differ between versions of libmicrohttpd. */
enum { CONTENT_TOO_LARGE = 413, UNPROCESSABLE = 422 };

/* Answers with a response of a media type, and destroys the response. */
enum MHD_Result answer(struct MHD_Connection *connection, unsigned status,
                       struct MHD_Response *response, const char *type);

/* Answers with a text, which is copied. */
enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text);

/* Returns true if a request names no page that it comes from, or a page of this server. Browsers
 * send no Origin for an image, but they do say if it is for a page of another site. */
bool is_no_other_origin(struct MHD_Connection *connection);

/* Returns whether a request may change something: a page of another origin cannot send the header
   that is required. */
bool may_change(struct MHD_Connection *connection);

#endif
