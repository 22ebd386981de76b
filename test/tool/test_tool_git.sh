#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_tool_git.sh: tests the settings of docs/git.md, which let git merge and compare with pqt.
#
# PQT names the program; the default is ./pqt.

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/tool/tool.sh
. "$top/test/tool/tool.sh"

command -v git > /dev/null || skip_all "there is no git"
mkdir bin repository
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" > bin/pqt
chmod +x bin/pqt
PATH=$work/bin:$PATH
HOME=$work
GIT_CONFIG_NOSYSTEM=1
GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.invalid GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.invalid
export PATH HOME GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
cd repository || exit 1

# block N: prints the Nth block of code of docs/git.md.
block()
{
    awk -v wanted="$1" '/^```/ { inside = !inside; n += inside; next } inside && n == wanted' "$top/docs/git.md"
}

# in_git ARGUMENT...: runs git.
in_git()
{
    git "$@" > ../out 2> ../err
    status=$?
}

in_git init -q
block 1 > .gitattributes
block 2 > ../settings
sh -e ../settings
check "the settings are accepted" [ "$?" -eq 0 ]
printf 'id,x,y,name\n7,1,2,cat\n8,3,4,dog\n' > t.csv
pqt search -w=-inf,-inf,inf,inf t.csv -o t.pqt
git add . && git commit -q -m base && git branch side
printf 'id,x,y,name\n7,1,2,cat\n8,3,4.5,dog\n' > t.csv
git commit -q -a -m moved
git checkout -q side
printf 'id,x,y,name\n7,1,2,cat\n8,3,4,fox\n9,5,6,owl\n' > t.csv
printf 'id,x,y\n7,1,2\n8,3,4\n9,5,6\n' | pqt search -w=-inf,-inf,inf,inf - -o t.pqt
git commit -q -a -m named
git checkout -q -

in_git merge -q -m both side
check "git merges rows that both sides changed in different columns" \
    [ "$status $(tail -n +2 t.csv | tr '\n' ' ')" = "0 7,1,2,cat 8,3,4.5,fox 9,5,6,owl " ]
in_git diff HEAD~1 -- t.pqt
check "git shows the facts of a version" grep -q '^+items  *3$' ../out
check "git shows the rows of a version" grep -qx '+9,5,6,5,6' ../out
check "git shows unchanged rows as unchanged" grep -qx ' 7,1,2,1,2' ../out
git show HEAD:t.csv | sed 's/owl/bat/' > ../edited.csv
git show HEAD:t.csv | pqt diff - ../edited.csv > ../out 2> ../err
check "two states of a table are compared" grep -qx 'changed,9,5,6,owl,5,6,bat' ../out

git checkout -q -b ours && sed 's/owl/bat/' t.csv > t.new && mv t.new t.csv && git commit -q -a -m ours
git checkout -q -b theirs HEAD~1 && sed 's/owl/jay/' t.csv > t.new && mv t.new t.csv && git commit -q -a -m theirs
in_git merge -q -m both ours
check "git reports a conflict and the id" grep -q '^pqt: conflict: id 9: ' ../out ../err
git reset -q --hard

git checkout -q -b columns HEAD && sed '1s/$/,pop/; 2,$s/$/,5/' t.csv > t.new && mv t.new t.csv
git commit -q -a -m column
git checkout -q -b rows HEAD~1 && sed 's/cat/lynx/' t.csv > t.new && mv t.new t.csv && git commit -q -a -m rows
in_git merge -q -m both columns
check "git merges a column that one side added" \
    [ "$status $(tr '\n' ' ' < t.csv | sed 's/8,.*//')" = "0 id,x,y,name,pop 7,1,2,lynx,5 " ]
git reset -q --hard HEAD~1 && git checkout -q theirs

# Tables that both sides added, and files that are no tables.

git checkout -q -f -b mine && printf 'id,x,y\n1,2,3\n' > added.csv && printf 'a,b\n1,2\n3,4\n5,6\n' > list.csv
git add . && git commit -q -m mine && git checkout -q -b yours
printf 'a,b\n1,2\n3,4\n5,7\n' > list.csv && git commit -q -a -m yours && git checkout -q mine
printf 'a,b\n1,9\n3,4\n5,6\n' > list.csv && git commit -q -a -m mine
in_git merge -q -m lists yours
check "git merges a file that is no table line by line" \
    [ "$status $(tr '\n' ' ' < list.csv)" = "0 a,b 1,9 3,4 5,7 " ]
git checkout -q -b other HEAD~3 && printf 'id,x,y\n1,2,4\n' > added.csv && git add . && git commit -q -m other
in_git merge -q -m added mine
check "a table that both sides added is a conflict with both" \
    [ "$status $(grep -c '^1,2,[34]$' added.csv) $(grep -c '^<<<<<<<' added.csv)" = "1 2 1" ]
git reset -q --hard

if pqt save s.pqts t.csv > ../out 2> ../err; then
    git add s.pqts && git commit -q -m store
    printf 'id,x,y\n1,2,3\n' > ../other.csv
    pqt save s.pqts ../other.csv --label more > ../out 2> ../err
    in_git diff -- s.pqts
    check "git shows the entries of a store" grep -q '^+.*more' ../out
else
    skip "git shows the entries of a store" "this build has no stores"
fi
cd ..
finish
