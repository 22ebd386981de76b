# SPDX-License-Identifier: MIT
# tap.sh: functions that report results as TAP on standard output. Include it with `.`.
# shellcheck shell=sh

results=0
failures=0

# pass NAME: reports a success.
pass()
{
    results=$((results + 1))
    echo "ok $results - $1"
}

# fail NAME: reports a failure.
fail()
{
    results=$((results + 1))
    failures=$((failures + 1))
    echo "not ok $results - $1"
}

# skip NAME REASON: reports a test that cannot run.
skip()
{
    results=$((results + 1))
    echo "ok $results - $1 # SKIP $2"
}

# pass_if_empty NAME FILE: passes if the file is empty. Otherwise fails and prints its lines.
pass_if_empty()
{
    if [ -s "$2" ]; then
        fail "$1"
        sed 's/^/# /' "$2"
    else
        pass "$1"
    fi
}

# finish: prints the plan after the last result. Callers other than make check may read $failures.
finish()
{
    echo "1..$results"
}

# skip_all REASON: prints that all results are skipped, and exits.
skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}
