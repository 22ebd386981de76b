# SPDX-License-Identifier: MIT
# tool.sh - what the tests of the program's commands share. To be read with `.`, once $top is set.
# shellcheck shell=sh
#
# PQT names the program; else it is ./pqt in the folder of the build, $built. From here on the working
# folder is a new one, which is removed at the end.
# shellcheck disable=SC2034,SC2154 # what others set, and what not all ask for

# shellcheck source=test/tap.sh
. "$top/test/tap.sh"
built=$PWD
program=${PQT:-$built/pqt}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset LC_ALL LANG LC_NUMERIC

# run ARGUMENT...: the program, with its status in $status, and what it printed in out and err. A test of one
# command names it in $subcommand.
run()
{
    "$program" ${subcommand:+"$subcommand"} "$@" > out 2> err
    status=$?
}

# check NAME COMMAND...: passes if the command succeeds; else shows what the program said last.
check()
{
    name=$1
    shift
    if "$@"; then
        pass "$name"
    else
        fail "$name"
        sed 's/^/# standard error: /' err | head -n 5
        sed 's/^/# standard output: /' out | head -n 20
    fi
}

# no_scraps: no file was left that is not to be seen.
no_scraps()
{
    [ -z "$(find . -name '.pqt-*')" ]
}

# refused LINE: the last run ended with status 2, this line was all it said, and it left no file behind.
refused()
{
    printf '%s\n' "$1" > expected
    [ "$status" -eq 2 ] && [ ! -s out ] && cmp -s expected err && no_scraps
}

# succeeded: the last run ended with status 0 and no word on standard error.
succeeded()
{
    [ "$status" -eq 0 ] && [ ! -s err ]
}

# is_picture FILE: it is SVG, and whole.
is_picture()
{
    if command -v xmllint > /dev/null; then
        xmllint --noout "$1" 2>> err
    else
        grep -q '^<svg xmlns' "$1" && [ "$(tail -n 1 "$1")" = '</svg>' ]
    fi
}
