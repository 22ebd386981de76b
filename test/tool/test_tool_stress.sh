#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_stress.sh: tests pqt stress: its report, its checks, and its errors.
#
# PQT names the program; the default is ./pqt. Speeds are not tested.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
# shellcheck disable=SC2034 # for run
subcommand=stress

# ended STATUS LINE...: checks that the last run ended with this status and no error, and that each
# line is in the report.
ended()
{
    [ "$status" -eq "$1" ] && [ ! -s err ] || return 1
    shift
    for line in "$@"; do
        grep -qE "^$line\$" out || return 1
    done
}

# is_refused OPTION VALUE MESSAGE: checks that the option is refused with this message.
is_refused()
{
    run "--$1=$2"
    check "$1 $2 is refused" refused "pqt: --$1 is not a whole number $3 ($2)"
}

is_refused readers 0 "from 1 to 256"
is_refused readers 257 "from 1 to 256"
is_refused readers -1 "from 1 to 256"
is_refused seconds 0 "from 1 to 1000000"
is_refused seconds 1.5 "from 1 to 1000000"
is_refused items 3 "from 4 to 10000000"
is_refused items many "from 4 to 10000000"
run world.csv
check "a file is refused" refused "pqt: unexpected argument (world.csv)"

run --seconds 1 --items 1000 --readers 3
number='[1-9][0-9,]*'
check "readers that follow find no wrong version" ended 0 'readers +3, following each version' \
    'items +1,000' "reads a second +$number" "writes a second +$number" "collections +[0-9,]+" \
    "checked +$number reads, $number whole versions, 0 wrong"
run --pinned --seconds 1 --items 4 --readers 1
check "readers that pin find no wrong version" ended 0 \
    'readers +1, not attached, pinning each version for 0.1 s' 'a pin, with attaching +half within .*' \
    "checked +$number reads, $number whole versions, 0 wrong"
run --seconds 1 --items 1000 --readers 1 --spoil
check "the corrupt version is detected" ended 1 "checked +$number reads, $number whole versions, $number wrong"
finish
