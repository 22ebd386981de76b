/* SPDX-License-Identifier: MIT */
/* answer.h: sends the answers of the web server, and checks where a request comes from. */
#ifndef ANSWER_H
#define ANSWER_H

#include <stdbool.h>

#include <microhttpd.h>

#include "tool/studio/pages.h"

/* The policy in the header of each answer. No page may show the studio in a frame, which only a
   header can say. */
#define CONTENT_SECURITY_POLICY PAGE_POLICY "; frame-ancestors 'none'"

/* The statuses of RFC 9110 and 6585 whose names differ between versions of libmicrohttpd. */
enum { CONTENT_TOO_LARGE = 413, UNPROCESSABLE = 422, PRECONDITION_REQUIRED = 428 };

/* Answers with a response of the given media type, and destroys the response. */
enum MHD_Result answer(struct MHD_Connection *connection, unsigned status,
                       struct MHD_Response *response, const char *type);

/* Answers with a string, which it copies. */
enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text);

/* Returns true if a request does not name a page that it comes from, or if that page is from this
   server. For an image, browsers send no Origin, but they do say whether it is for a page on
   another site. */
bool is_no_other_origin(struct MHD_Connection *connection);

/* Returns true if a request may change something. It must have a header that a page from another
   origin cannot send. */
bool may_change(struct MHD_Connection *connection);

#endif
