#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_help.sh: tests that --help, the manual page, README.md and the completions of shells agree
# on the commands and options, that misspelt ones are recognised, and that the examples of the manual
# page work.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"
sed 's/\\-/-/g; s/\\ / /g' "$top/docs/pqt.1" > page
cp -r "$top/docs/examples/data/." .

# section PATTERN: prints a section of the manual page.
section()
{
    awk -v pattern="^[.]S[SH] $1" '/^[.]S[SH] / { inside = $0 ~ pattern; next } inside' page
}

# options_described: prints the long options that paragraphs of the manual page describe.
options_described()
{
    awk 'described && match($0, /--[a-z-]+/) { print substr($0, RSTART, RLENGTH) } { described = /^[.]TP/ }' |
        sort -u
}

# options_known: prints the options that --help lists.
options_known()
{
    grep -E '^ +(-[a-zA-Z], )?--[a-z]' out | grep -oE -- '--[a-z-]+' | sort -u
}

# lists_agree: checks that the lists are equal. Otherwise prints the difference.
lists_agree()
{
    diff known described > out
}

run --help
sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' out > commands
sed -n 's/^[.]SS pqt \([a-z]*\).*/\1/p' page | sort > described
sort commands > known
check "the manual page has a section for each command" lists_agree
awk '/^```/ { inside = !inside } inside && /^pqt /' "$top/README.md" > synopses
sed 's/^pqt \([a-z]*\) .*/\1/' synopses | sort > described
check "README.md lists each command" lists_agree

section "Pictures" | options_described > pictures
section "Columns" | options_described > columns
while read -r command; do
    run "$command" --help
    options_known | grep -vx -e --help -e --quiet > known
    section "pqt $command( |$)" | options_described > described
    case $command in
    info | search | nearest | ray | pairs | diff | merge | history | save | draw)
        sort -u described columns > both && mv both described
        ;;
    esac
    case $command in
    nearest | ray | pairs) sort -u described pictures > both && mv both described ;;
    esac
    check "the manual page describes exactly the options of pqt $command" lists_agree

    "$program" "$command" --help > out
    grep "^pqt $command " synopses | grep -oE -- '--[a-z-]+' | sort -u > described
    options_known | comm -13 - described > others
    check "README.md names only options that pqt $command has" [ ! -s others ]
done < commands

# One letter and one long name have one meaning: all commands that have the name have the same letter,
# the same argument, and a description that begins with the same words, up to a comma, a colon, a
# semicolon or a parenthesis.
while read -r command; do
    "$program" "$command" --help | awk -v command="$command" '
        function finish() {
            sub(/ *[,:;(].*/, "", text)
            if (name != "")
                print name, letter, argument, text, command
            name = ""
        }
        BEGIN { OFS = "\t" }
        /^  +(-[a-zA-Z], )?--[a-z]/ {
            finish()
            letter = $1 ~ /,$/ ? substr($1, 2, 1) : "-"
            sub(/^[^-]*(-[a-zA-Z], )?--/, "")
            name = argument = $1
            sub(/=.*/, "", name)
            sub(/^[^=]*=?/, "", argument)
            sub(/^[^ ]+ +/, "")
            text = $0
            next
        }
        /^   / && name != "" { sub(/^ +/, ""); text = text " " $0; next }
        { finish() }
        END { finish() }'
done < commands > meanings

# differ_in FIELDS: prints the first field of FIELDS for which the others have two values.
differ_in()
{
    cut -f "$1" meanings | sort -u | cut -f 1 | uniq -d
}
awk -F'\t' -v OFS='\t' '$2 != "-" { print $2, $1 }' meanings | sort -u | cut -f 1 | uniq -d > out
check "the options of all commands are read" [ "$(cut -f 1 meanings | sort -u | wc -l)" -ge 60 ]
check "each letter stands for one option" [ ! -s out ]
differ_in 1,2 > out
check "each option has one letter in all commands" [ ! -s out ]
differ_in 1,3 | grep -vx output > out
check "each option has one kind of argument in all commands" [ ! -s out ]
differ_in 1,4 > out
check "each option has one meaning in all commands" [ ! -s out ]
grep '^quiet.q.' meanings | cut -f 5 | sort > described
sort commands > known
check "each command has --quiet" lists_agree

while read -r command; do
    "$program" "$command" --help > out
    check "pqt $command --help says what its status means" grep -q 'Status: ' out
done < commands

# same_help COMMAND...: checks that `pqt help` prints what --help does.
same_help()
{
    "$program" help "$@" > out && "$program" "$@" --help | diff - out
}
check "pqt help lists the commands" same_help
while read -r command; do
    check "pqt help $command describes it" same_help "$command"
done < commands

# says MESSAGE ARGUMENT...: checks that the program refuses the arguments with this message.
says()
{
    echo "pqt: $1" > known
    shift
    "$program" "$@" > out 2> err
    [ $? = 2 ] && diff known err && [ ! -s out ]
}
check "a misspelt command is recognised" says "unknown command (serach); did you mean search?" serach
check "a misspelt command after help is recognised" says "unknown command (lgo); did you mean log?" help lgo
check "another command is not" says "unknown command (xyzzy); pqt help lists the commands" xyzzy
check "an empty command is not" says "unknown command (); pqt help lists the commands" ''
check "a misspelt option is recognised" says "unknown option (--widnow=0,0,1,1); did you mean --window?" \
    search --widnow=0,0,1,1 cities.csv
check "another option is not" says "unknown option (--nothing)" search --nothing cities.csv
check "a letter is not" says "unknown option (-y)" search -y cities.csv
check "a long word is compared with nothing" says \
    "unknown command (searchsearchsearchsearchsearchsearch); pqt help lists the commands" \
    searchsearchsearchsearchsearchsearch

# The completions find the words in the help. Those of zsh and fish are tested where these are.
completions=$top/src/tool/completion
# in_bash WORD...: prints what bash offers for the last word.
in_bash()
{
    # shellcheck disable=SC2016 # bash's own variables
    bash -c '. "$1/bash/pqt"; COMP_WORDS=("${@:2}"); COMP_CWORD=$(($# - 2)); _pqt; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$completions" "$program" "$@" | sort
}
# in_fish WORD...: the same for fish.
in_fish()
{
    PATH=$(dirname "$program"):$PATH HOME=$PWD fish --no-config -c "source $completions/fish/pqt.fish; complete -C \"pqt $*\"" | cut -f 1 | sort
}
# in_zsh WORD...: the same for zsh, whose own functions would show the list in a terminal.
in_zsh()
{
    # shellcheck disable=SC2016 # zsh's own variables
    zsh -f -c '_describe() { print -rl -- ${(M)${(P)2}:#$PREFIX*} }; _files() { }
        words=("${@:2}"); CURRENT=$#words; PREFIX=$words[-1]; . "$1"' \
        zsh "$completions/zsh/_pqt" "$program" "$@" | sed 's/:.*//' | sort
}
for shell in bash fish zsh; do
    if ! command -v "$shell" > /dev/null; then
        skip "completions of $shell" "$shell is not installed"
        continue
    fi
    "in_$shell" '' > described
    sort commands > known
    check "$shell completes commands" lists_agree
    "in_$shell" help '' > described
    check "$shell completes commands after help" lists_agree
    "in_$shell" sea > described
    echo search > known
    check "$shell completes a command" lists_agree
    while read -r command; do
        "in_$shell" "$command" -- > described
        run "$command" --help
        options_known > known
        check "$shell completes the options of pqt $command" lists_agree
    done < commands
done

# Make the files that the examples name from existing ones.
head -n 40 cities.csv > old.csv
sed 5d old.csv > new.csv
cp old.csv before.csv
cp new.csv mine.csv
cp old.csv yours.csv
printf 'insert 900000 1 2\nmove 900000 3 4\nundo\n' > edits.txt
PATH=$PWD/bin:$PATH
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" > bin/pqt
printf '#!/bin/sh\nexec cat countries.csv\n' > bin/other-program
chmod +x bin/pqt bin/other-program

section EXAMPLES | grep -E '^(pqt|other-program) ' > examples
check "the manual page has at least 10 examples" [ "$(wc -l < examples)" -ge 10 ]
while read -r line; do
    if [ "$line" != "${line#*.png}" ] && ! grep -q '^#define PQT_WITH_PNG 1' "$built/config.h"; then
        skip "$line" "this build does not read PNG"
        continue
    fi
    sh -c "$line" > out 2> err < /dev/null
    status=$?
    # Exit status 1 is an answer of pqt diff, not an error.
    check "$line" [ "$status-$(wc -c < err)" = "$(case $line in 'pqt diff'*) echo 1 ;; *) echo 0 ;; esac)-0" ]
done < examples
for picture in *.svg; do
    check "$picture is a picture" is_picture "$picture"
done
finish
