# SPDX-License-Identifier: MIT
# pqt.fish: completes the arguments of pqt in fish. The commands and options are those that the help
# of the program lists, with what it says about them. Other words are names of files.

function __pqt_program
    set -l words (commandline -opc)
    echo $words[1]
end

function __pqt_commands
    eval (__pqt_program) help 2> /dev/null | string replace -rf '^  ([a-z]+) +([a-z].*)' '$1\t$2'
end

function __pqt_options
    set -l words (commandline -opc)
    eval (__pqt_program) help $words[2] 2> /dev/null | string replace -rf '^ +(?:-[a-zA-Z], )?(--[a-z-]+)\S* *(.*)' '$1\t$2'
end

complete -c pqt -n 'test (count (commandline -opc)) -eq 1' -f -a '(__pqt_commands)'
complete -c pqt -n '__fish_seen_subcommand_from help; and test (count (commandline -opc)) -eq 2' -f -a '(__pqt_commands)'
complete -c pqt -n 'string match -q -- "-*" (commandline -ct)' -a '(__pqt_options)'
