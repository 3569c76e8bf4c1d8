#!/bin/sh
# Makes a repository of what real histories have and few clients write: tests/odd-repository.sh FOLDER.
# docs/TESTING.md, "With real repositories", compares a server with it.
set -eu
folder=$1
git init -q --bare -b main "$folder"
cd "$folder"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null

{
    at=1400000000
    number=0
    # commit BRANCH PARENTS...: the beginning of a commit; lines with files follow.
    commit() {
        branch=$1
        shift
        number=$((number + 1))
        at=$((at + 3600))
        printf 'commit refs/heads/%s\nmark :%d\nauthor %s\ncommitter Carl <carl@example.org> %d +0530\ndata <<END\n%s\nEND\n' \
            "$branch" "$number" "${author:-Ann <ann@example.org> $at -0330}" "${committed:-$at}" "${message:-Change $number}"
        first=from
        for parent in "$@"; do
            printf '%s :%s\n' "$first" "$parent"
            first=merge
        done
        author= committed= message=
    }
    file() { printf 'M %s inline %s\ndata <<END\n%s\nEND\n' "$1" "$2" "$3"; }

    commit main
    file 100644 README.md '# Odd'
    file 100755 run.sh 'echo run'
    file 120000 link 'README.md'
    file 100644 '"caf\351.txt"' 'acute'
    file 100644 '"caf\350.txt"' 'grave'
    file 100644 '"caf\303\251.txt"' 'UTF-8'
    file 100644 '"d\377/x\376/deep.txt"' 'deep'
    file 100644 '"d\377/two\nlines \"quoted\" back\\slash.txt"' 'quoted'
    file 100644 '"a b/~tilde^caret.txt"' 'steps'
    file 100644 '"tab\there"' 'tab'
    file 100644 'sub/dir/one.txt' 'one'
    file 100644 '-option' 'dash'
    file 100644 ':(top)magic' 'colon'
    printf 'M 160000 1234567890123456789012345678901234567890 module\n'
    for step in 1 2 3 4 5 6 7 8 9; do
        commit main $number
        file 100644 sub/dir/one.txt "one
line $step
three"
        file 100644 '"d\377/x\376/deep.txt"' "deep $step"
    done
    # An empty commit, and ones whose people and dates are odd.
    message='Nothing changes' commit main $number
    author='<anyone@example.org> 1400100000 +0000' commit main $number
    file 100644 a1 1
    author='Zo\351 <zoe@example.org> 99999999999999 +1400' committed=99999999999 commit main $number
    file 100644 a3 3
    author='Old <old@example.org> 0 -1200' committed=0 commit main $number
    file 100644 a4 4
    message="$(printf 'Long %0300d' 0)

With a body." commit main $number
    printf 'R sub/dir/one.txt "sub/dir/moved \\351.txt"\n'
    printf 'D a1\n'
    base=$number
    # Three branches, an octopus merge, and a merge of a merge.
    for side in one two feature/three; do
        commit $side $base
        file 100644 "side-$number.txt" "$side"
        eval "side_$(printf %s "$side" | tr / _)=$number"
    done
    message='Octopus' commit main $base $side_one $side_two $side_feature_three
    file 100644 side.txt all
    octopus=$number
    commit one $side_one
    file 100644 README.md '# One'
    message='Merge again' commit main $octopus $number
    file 100644 README.md '# One'
    last=$number
    # Another root.
    commit pages
    file 100644 index.html '<p>'
    message='Join the roots' commit main $last $number
    file 100644 index.html '<p>'
    # A file becomes a directory, and a directory a file.
    commit main $number
    printf 'D link\n'
    file 100644 link/below 'below'
    printf 'D "a b"\n'
    file 100644 '"a b"' 'a file now'
    # Names like endings, and a branch that is called as a tag.
    for name in a.atom x.git x.keys y.patch both 'caf\303\251'; do
        printf 'reset refs/heads/%b\nfrom :%d\n\n' "$name" $number
    done
    printf 'reset refs/tags/both\nfrom :%d\n\n' $base
    printf 'done\n'
} | sed 's/^author Zo\\351/author Zo\xe9/' | git fast-import --quiet --done --date-format=raw-permissive

git config user.name Ann
git config user.email ann@example.org
# No client of today writes this: no blank before the address, and a date before 1970.
odd=$(printf 'tree %s\nparent %s\nauthor No blank<no@example.org> 1400100001 +0000\ncommitter Old <old@example.org> -5 +0000\n\nOdd\n' \
    "$(git rev-parse 'main^{tree}')" "$(git rev-parse main)" | git hash-object -t commit -w --literally --stdin)
git update-ref refs/heads/main "$odd"
export GIT_COMMITTER_DATE='1400200000 +0000'
git tag light main~3
git tag -m 'Annotated' v1.0 main~2
git tag -m 'Of a tag' of-a-tag v1.0
git tag of-a-file main:README.md
git tag -m 'Of a file' of-a-file-annotated main:README.md
git tag of-a-directory main:sub
