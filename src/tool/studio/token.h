/* SPDX-License-Identifier: MIT */
/* token.h: the secret by which the server knows pages of the user from other programs. */
#ifndef TOKEN_H
#define TOKEN_H

#include <stdbool.h>

enum { TOKEN_SIZE = 32 };

/* Hexadecimal digits. */
typedef struct studio_token {
    char text[TOKEN_SIZE + 1];
} studio_token;

/* Returns the token of the user: the same at each start, so that pages that are open find the
   server again. It is in a file that only the user can read. If that is impossible, it is a new one
   for this run. Ends the program with an error if the system gives no random bytes. */
studio_token token_of_user(void);

/* Returns true if the value of a header Authorization, which may be NULL, has the token. Takes the
   same time for each wrong token. */
bool token_is_in(const studio_token *token, const char *authorization);

/* Writes a page that only the user can read, and that leads to an address. Returns the path, to be
   freed, or NULL if that is impossible. A browser that gets the path as an argument does not show
   the token to other users, who can see the arguments of all programs. */
char *token_write_link(const char *address);

#endif
