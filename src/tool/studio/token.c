/* SPDX-License-Identifier: MIT */
/*
 * token.c: the secret by which the server knows pages of the user from other programs.
 *
 * The file studio-token is in $XDG_STATE_HOME/pqt, which is ~/.local/state/pqt by default. A file
 * of another user, one that others can read, and a link are not used.
 */
#include "config.h"

#include "tool/studio/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/data_file.h"
#include "tool/message.h"
#include "tool/tool_memory.h"

/* ---- The folder ---- */

/* Makes the folders on a path that are missing. Returns false if one cannot be made. */
static bool
make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash != NULL)
            *slash = '\0';
        const bool exists = mkdir(path, 0700) == 0 || errno == EEXIST;
        if (slash == NULL || !exists)
            return exists;
        *slash = '/';
    }
}

/* Returns the path of a file of the user, to be freed, whose folder exists; NULL if there is no
   such folder. */
static char *
state_file(const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const bool is_given = state != NULL && state[0] == '/';
    if (!is_given && (home == NULL || home[0] != '/'))
        return NULL;
    char *folder = data_file_in(is_given ? state : home, is_given ? "pqt" : ".local/state/pqt");
    char *path = make_folders(folder) ? data_file_in(folder, name) : NULL;
    free(folder);
    return path;
}

/* ---- The token ---- */

static bool
is_token(const char *text, size_t length)
{
    return length >= TOKEN_SIZE && strspn(text, "0123456789abcdef") == TOKEN_SIZE;
}

static bool
read_token(const char *path, studio_token *token)
{
    struct stat status;
    char text[TOKEN_SIZE + 2] = "";
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    const bool is_private = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                            status.st_uid == geteuid() && (status.st_mode & 077) == 0;
    const ssize_t length = is_private ? read(descriptor, text, sizeof text - 1) : 0;
    close(descriptor);
    if (length <= 0 || !is_token(text, (size_t)length))
        return false;
    memcpy(token->text, text, TOKEN_SIZE);
    return true;
}

static studio_token
make_token(void)
{
    studio_token token = {""};
    unsigned char bytes[TOKEN_SIZE / 2];
    FILE *random = fopen("/dev/urandom", "rb");
    if (random == NULL || fread(bytes, 1, sizeof bytes, random) != sizeof bytes)
        die("/dev/urandom", 0, "cannot be read (%s)", strerror(errno));
    fclose(random);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token.text + 2 * i, 3, "%02x", bytes[i]);
    return token;
}

/* Writes a text to a file that only the user can read, and that appears at once. Returns false if
   that is impossible. `replaces` says whether a file with this name may be replaced. */
static bool
write_private(const char *path, const char *text, bool replaces)
{
    char own[4096];
    const size_t length = strlen(text);
    const int count = snprintf(own, sizeof own, "%s.%ld", path, (long)getpid());
    if (count < 0 || (size_t)count >= sizeof own)
        return false;
    unlink(own); /* a program with the same number may have left it */
    const int descriptor = open(own, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return false;
    const bool is_written = write(descriptor, text, length) == (ssize_t)length;
    const bool is_closed = close(descriptor) == 0;
    if (is_written && is_closed && replaces && rename(own, path) == 0)
        return true;
    const bool is_linked = is_written && is_closed && !replaces && link(own, path) == 0;
    unlink(own);
    return is_linked;
}

studio_token
token_of_user(void)
{
    studio_token token = make_token();
    char *path = state_file("studio-token");
    if (path == NULL || read_token(path, &token)) {
        free(path);
        return token;
    }
    char line[TOKEN_SIZE + 2];
    snprintf(line, sizeof line, "%s\n", token.text);
    /* Another server may have written one meanwhile. */
    if (!write_private(path, line, false) && !read_token(path, &token))
        printf("%s cannot be used for the token, so it is a new one at each start.\n",
               quote_text(path).text);
    free(path);
    return token;
}

bool
token_is_in(const studio_token *token, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    const size_t before = sizeof scheme - 1;
    if (authorization == NULL || strlen(authorization) != before + TOKEN_SIZE ||
        strncmp(authorization, scheme, before) != 0)
        return false;
    unsigned difference = 0;
    for (size_t i = 0; i < TOKEN_SIZE; i++)
        difference |= (unsigned)(token->text[i] ^ authorization[before + i]);
    return difference == 0;
}

/* ---- The link ---- */

char *
token_write_link(const char *address)
{
    static const char format[] = "<!doctype html><title>pqt studio</title>"
                                 "<meta http-equiv=\"refresh\" content=\"0; url=%s\">"
                                 "<a href=\"%s\">pqt studio</a>\n";
    size_t capacity = 0;
    char *path = state_file("studio.html");
    char *page = xgrow(NULL, &capacity, sizeof format + 2 * strlen(address), 1);
    snprintf(page, capacity, format, address, address);
    const bool is_written = path != NULL && write_private(path, page, true);
    free(page);
    if (is_written)
        return path;
    free(path);
    return NULL;
}
