#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_line_peer.sh: tests that the versions in lines and stores equal those of their writer, in
# another process and on another processor. It starts a PostgreSQL server.
#
# PQT_OTHER_PEER is the command of another build of test/line_peer, with an emulator if it needs
# one. By default it is this build.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tap.sh
. "$top/test/tap.sh"

if [ ! -x test/line_peer ]; then
    skip_all "this build has no PostgreSQL"
fi
if [ -z "${PQT_TEST_POSTGRESQL:-}" ]; then
    "$top/test/with_postgresql" "$0"
    status=$?
    if [ "$status" -eq 77 ]; then
        skip_all "PostgreSQL is not installed"
    fi
    exit "$status"
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
this=$PWD/test/line_peer
other=${PQT_OTHER_PEER:-$this}

# begin COMMAND TASK FOLDER [URL]: starts a peer, which writes its output to the folder. $! is its
# process.
begin()
{
    # shellcheck disable=SC2086 # the command may have several words
    $1 "$2" "$3" ${4:+"$4"} > "$3/$2" 2> "$3/$2.err" &
}

# report NAME FOLDER: passes if both peers succeeded, and printed the same line for each version.
report()
{
    if [ "$written" -eq 0 ] && [ "$read" -eq 0 ] && [ "$(wc -l < "$work/$2/write")" -eq 210 ] &&
        cmp -s "$work/$2/write" "$work/$2/read"; then
        pass "$1"
    else
        fail "$1"
        cat "$work/$2"/*.err | sed 's/^/# /'
        diff "$work/$2/write" "$work/$2/read" | sed 's/^/# /' | head -n 10
    fi
}

# follow NAME FOLDER WRITER FOLLOWER: starts the follower first, and then the writer. Both run at
# the same time.
follow()
{
    mkdir "$work/$2"
    begin "$4" read "$work/$2" "$PQT_TEST_POSTGRESQL"
    follower=$!
    begin "$3" write "$work/$2" "$PQT_TEST_POSTGRESQL"
    wait $!
    written=$?
    if [ "$written" -ne 0 ]; then
        kill "$follower" 2> /dev/null
    fi
    wait "$follower"
    read=$?
    report "$1" "$2"
}

# reopen NAME FOLDER WRITER READER
reopen()
{
    mkdir "$work/$2"
    begin "$3" write "$work/$2"
    wait $!
    written=$?
    begin "$4" read "$work/$2"
    wait $!
    read=$?
    report "$1" "$2"
}

follow "a peer follows lines of this build: equal versions and fingerprints" there "$this" "$other"
follow "this build follows lines of a peer: equal versions and fingerprints" back "$other" "$this"
if "$this" write "$work/probe" 2>&1 | grep -q 'this build has no SQLite'; then
    skip "stores of a peer" "this build has no SQLite"
else
    reopen "a peer opens stores of this build: equal versions and fingerprints" stored "$this" "$other"
    reopen "this build opens stores of a peer: equal versions and fingerprints" returned "$other" "$this"
fi
finish
