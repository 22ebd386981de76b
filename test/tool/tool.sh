# SPDX-License-Identifier: MIT
# tool.sh: functions for the tests of the program's commands. Set $top, then include this file with
# `.`.
# shellcheck shell=sh
#
# PQT names the program; the default is ./pqt in the build folder, $built. Including this file
# changes to a new folder, which is removed at the end.
# shellcheck disable=SC2034,SC2154 # variables that callers set, and that some callers do not read

# shellcheck source=test/tap.sh
. "$top/test/tap.sh"
built=$PWD
program=${PQT:-$built/pqt}
# In a build with shared libraries, pqt is a script of libtool that starts the program of this name in
# .libs. The program alone starts in a fifth of the time.
if [ "$program" = "$built/pqt" ] && [ "$(head -c 2 "$program")" = '#!' ] &&
    [ -x "$built/.libs/pqt" ]; then
    program=$built/.libs/pqt
    LD_LIBRARY_PATH=$built/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset LC_ALL LANG LC_NUMERIC

# run ARGUMENT...: runs the program and stores its status in $status and its output in the files out
# and err. A test of one command names it in $subcommand.
run()
{
    "$program" ${subcommand:+"$subcommand"} "$@" > out 2> err
    status=$?
}

# check NAME COMMAND...: passes if the command succeeds. Otherwise fails and prints the last output
# of the program.
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

# no_scraps: checks that no hidden file was left.
no_scraps()
{
    [ -z "$(find . -name '.pqt-*')" ]
}

# refused LINE: checks that the last run ended with status 2, printed only this line, and left no
# file.
refused()
{
    printf '%s\n' "$1" > expected
    [ "$status" -eq 2 ] && [ ! -s out ] && cmp -s expected err && no_scraps
}

# succeeded: checks that the last run ended with status 0 and printed nothing on standard error.
succeeded()
{
    [ "$status" -eq 0 ] && [ ! -s err ]
}

# is_picture FILE: checks that the file is a complete SVG.
is_picture()
{
    if command -v xmllint > /dev/null; then
        xmllint --noout "$1" 2>> err
    else
        grep -q '^<svg xmlns' "$1" && [ "$(tail -n 1 "$1")" = '</svg>' ]
    fi
}
