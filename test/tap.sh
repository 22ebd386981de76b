# SPDX-License-Identifier: MIT
# tap.sh - how the checks tell their results: TAP on standard output. To be read with `.`.
# shellcheck shell=sh

results=0
failures=0

# pass NAME
pass()
{
    results=$((results + 1))
    echo "ok $results - $1"
}

# fail NAME
fail()
{
    results=$((results + 1))
    failures=$((failures + 1))
    echo "not ok $results - $1"
}

# skip NAME REASON
skip()
{
    results=$((results + 1))
    echo "ok $results - $1 # SKIP $2"
}

# pass_if_empty NAME FILE: a line in the file is a finding, and is shown.
pass_if_empty()
{
    if [ -s "$2" ]; then
        fail "$1"
        sed 's/^/# /' "$2"
    else
        pass "$1"
    fi
}

# finish: after the last result. A caller that is not make check may look at $failures.
finish()
{
    echo "1..$results"
}

# skip_all REASON: instead of results.
skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}
