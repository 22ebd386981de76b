#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_line.sh: starts a PostgreSQL server, and runs test_line.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tap.sh
. "$top/test/tap.sh"

if [ ! -x test/line/test_line ]; then
    skip_all "this build has no PostgreSQL"
fi
"$top/test/with_postgresql" test/line/test_line
status=$?
if [ "$status" -eq 77 ]; then
    skip_all "PostgreSQL is not installed"
fi
exit "$status"
