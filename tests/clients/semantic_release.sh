#!/usr/bin/env bash
# Publishes releases of a new project on a running server with an unmodified semantic-release and its plugin
# @semantic-release/gitlab: one without files, one with an uploaded file, and one that fails and opens an issue. Each time
# what the server then answers is compared with what is expected.
#
# Not part of `cargo test`, because it needs packages from outside. Needs git, curl and node 22 or newer with npm:
#
#     bash tests/clients/semantic_release.sh http://127.0.0.1:8080 TOKEN
#
# TOKEN is a personal access token with the scope api. SEMANTIC_RELEASE_MODULES may name a folder node_modules that has the
# packages already; otherwise npm fetches the newest ones into a temporary folder.

set -euo pipefail

url=${1:?the address of the server, such as http://127.0.0.1:8080}
token=${2:?a personal access token with the scope api}
url=${url%/}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME="$folder" GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org

fail() {
    echo "semantic_release.sh: $1" >&2
    exit 1
}

# api METHOD PATH [JSON]: the answer; ends the script where the server refuses.
api() {
    curl --silent --show-error --fail-with-body --request "$1" --header "Private-Token: $token" \
        ${3:+--header 'Content-Type: application/json' --data "$3"} "$url/api/v4$2"
}

# field EXPRESSION: a value of the JSON on standard input, named by an expression in JavaScript over `it`.
field() {
    node -e 'const it = JSON.parse(require("fs").readFileSync(0, "utf8")); console.log(eval(process.argv[1]) ?? "")' "$1"
}

# expect WHAT FOUND WANTED
expect() {
    [ "$2" = "$3" ] || fail "$1 is '$2' and not '$3'"
    echo "ok: $1"
}

if [ -n "${SEMANTIC_RELEASE_MODULES:-}" ]; then
    ln -s "$SEMANTIC_RELEASE_MODULES" "$folder/node_modules"
else
    echo '{"private": true}' >"$folder/package.json"
    npm install --prefix "$folder" --silent --no-fund --no-audit semantic-release @semantic-release/gitlab
fi

name="sr-$(date +%s)-$$"
project=$(api POST /projects "{\"name\": \"$name\", \"visibility\": \"private\"}")
id=$(field it.id <<<"$project")
path=$(field it.path_with_namespace <<<"$project")

git clone --quiet "${url/:\/\//://oauth2:$token@}/$path.git" "$folder/work" 2>/dev/null
cd "$folder/work"
git checkout --quiet -B main
echo "{\"name\": \"$name\", \"version\": \"0.0.0\", \"private\": true}" >package.json
mkdir dist
echo 'a tool' >dist/tool.txt
git add --all
git commit --quiet --message 'chore: begin'
git push --quiet origin main

# release [ASSETS [PLUGIN]]: runs semantic-release on what main has.
release() {
    cat >.releaserc <<CONFIGURATION
{"branches": ["main"], "plugins": ["@semantic-release/commit-analyzer", "@semantic-release/release-notes-generator",
 ["@semantic-release/gitlab", {"gitlabUrl": "$url", "assets": ${1:-[]}}]${2:+, \"$2\"}]}
CONFIGURATION
    # No variable of a CI that happens to run this script counts.
    env --ignore-environment PATH="$PATH" HOME="$HOME" GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 \
        GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org \
        GITLAB_TOKEN="$token" ${DEBUG:+DEBUG="$DEBUG"} \
        node "$folder/node_modules/semantic-release/bin/semantic-release.js" --no-ci
}

# A merge request that closes an issue: both are commented on when it is released.
issue=$(api POST "/projects/$id/issues" '{"title": "It is broken"}' | field it.iid)
git checkout --quiet -b mend
echo mended >mended.txt
git add --all
git commit --quiet --message 'feat: mend it'
git push --quiet origin mend
merge=$(api POST "/projects/$id/merge_requests" \
    "{\"source_branch\": \"mend\", \"target_branch\": \"main\", \"title\": \"Mend it\", \"description\": \"Closes #$issue\"}" |
    field it.iid)
for _ in 1 2 3 4 5 6 7 8 9 10; do
    api PUT "/projects/$id/merge_requests/$merge/merge" '{}' >/dev/null 2>&1 && break
    sleep 1
done
for _ in 1 2 3 4 5 6 7 8 9 10; do
    state=$(api GET "/projects/$id/issues/$issue" | field it.state)
    [ "$state" = closed ] && break
    sleep 1
done
expect 'the state of the issue' "$state" closed
git checkout --quiet main
git pull --quiet origin main

echo '== a release without files'
release
first=$(api GET "/projects/$id/releases/v1.0.0")
expect 'the name of the first release' "$(field it.name <<<"$first")" v1.0.0
expect 'its notes' "$(field 'it.description.includes("mend it")' <<<"$first")" true
expect 'its commit' "$(field it.commit.id <<<"$first")" "$(git rev-parse HEAD)"
expect 'the number of its assets' "$(field it.assets.count <<<"$first")" 4
for subject in "issues/$issue" "merge_requests/$merge"; do
    notes=$(api GET "/projects/$id/$subject/notes?per_page=100")
    written=$(field 'it.filter((note) => /in version \[?1\.0\.0/.test(note.body)).length' <<<"$notes")
    expect "the number of comments on $subject" "$written" 1
done

echo '== a release with a file'
echo more >>mended.txt
git commit --quiet --all --message 'fix: mend more'
git push --quiet origin main
release '[{"path": "dist/tool.txt", "label": "The tool", "type": "package", "filepath": "/bin/tool.txt"}]'
second=$(api GET "/projects/$id/releases/v1.0.1")
expect 'the name of the second release' "$(field it.name <<<"$second")" v1.0.1
expect 'the name of its link' "$(field 'it.assets.links[0].name' <<<"$second")" 'The tool'
expect 'the type of its link' "$(field 'it.assets.links[0].link_type' <<<"$second")" package
for address in url direct_asset_url; do
    at=$(field "it.assets.links[0].$address" <<<"$second")
    expect "what is at its $address" \
        "$(curl --silent --location --location-trusted --header "Private-Token: $token" "$at")" 'a tool'
done
source=$(field 'it.assets.sources.find((source) => source.format === "tar.gz").url' <<<"$second")
curl --silent --fail --header "Private-Token: $token" "$source" | tar --list --gzip >"$folder/list"
expect 'what its archive has' "$(grep --count /mended.txt "$folder/list")" 1
latest=$(curl --silent --location --header "Private-Token: $token" \
    "$url/api/v4/projects/$id/releases/permalink/latest" | field it.tag_name)
expect 'the newest release' "$latest" v1.0.1

echo '== a release that fails'
cat >fails.mjs <<'PLUGIN'
export async function verifyRelease() {
    throw Object.assign(new Error("It must not be released"), { semanticRelease: true, code: "ENOT", details: "No." });
}
PLUGIN
echo most >>mended.txt
git commit --quiet --all --message 'fix: mend most'
git push --quiet origin main
release '[]' ./fails.mjs && fail 'it has not failed'
issues=$(api GET "/projects/$id/issues?labels=semantic-release&state=opened")
expect 'the title of the issue' "$(field 'it[0].title' <<<"$issues")" 'The automated release is failing 🚨'

api DELETE "/projects/$id" >/dev/null
echo 'semantic_release.sh: everything is as expected'
