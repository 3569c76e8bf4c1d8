//! The one configuration that every Git process reads.

use std::path::Path;

/// Refs that the server keeps for itself: clients may not push to them.
pub(crate) const NOT_PUSHABLE: [&str; 7] = [
    "refs/merge-requests",
    "refs/keep-around",
    "refs/tmp",
    "refs/remotes",
    "refs/environments",
    "refs/pipelines",
    "refs/replace",
];
/// Refs that clients do not even see.
pub(crate) const NOT_FETCHABLE: [&str; 4] = ["refs/keep-around", "refs/tmp", "refs/remotes", "refs/replace"];

/// Findings of `git fsck` that are accepted all the same. They are in the histories of public repositories, which are
/// not rewritten, and mislead neither Git nor its users. Findings that are not named here are refused.
/// docs/accepted-objects.md gives the reasons.
pub(crate) const HARMLESS: [&str; 22] = [
    "badDate",
    "badDateOverflow",
    "badEmail",
    "badFilemode",
    "badName",
    "badTagName",
    "badTimezone",
    "gitattributesSymlink",
    "gitignoreSymlink",
    "gitmodulesParse",
    "mailmapSymlink",
    "missingAuthor",
    "missingCommitter",
    "missingEmail",
    "missingNameBeforeEmail",
    "missingSpaceBeforeDate",
    "missingSpaceBeforeEmail",
    "missingTaggerEntry",
    "multipleAuthors",
    "nulInCommit",
    "zeroPaddedDate",
    "zeroPaddedFilemode",
];

/// The text of the configuration file. `hooks` is the directory with the hooks; `max_push_bytes` bounds the packed size
/// of one push.
pub(crate) fn text(hooks: &Path, max_push_bytes: u64) -> String {
    let hidden = |refs: &[&str]| refs.iter().map(|name| format!("    hideRefs = {name}\n")).collect::<String>();
    let fsck: String = HARMLESS.iter().map(|name| format!("    {name} = ignore\n")).collect();
    let hooks = quoted(hooks);
    // Mailmaps are off because with them every list of commits reads the commit of `HEAD`, however large that is.
    format!(
        "# Written at every start; changes are lost.
[core]
    hooksPath = {hooks}
    fsync = objects,derived-metadata,reference
    fsyncMethod = fsync
    bigFileThreshold = 32m
    useReplaceRefs = false
    protectHFS = true
    protectNTFS = true
    logAllRefUpdates = true
    filesRefLockTimeout = 2000
    packedRefsTimeout = 10000
    alternateRefsCommand = \"exit 0 #\"
    quotePath = true
[safe]
    directory = *
    bareRepository = explicit
[receive]
    fsckObjects = true
    maxInputSize = {max_push_bytes}
    advertisePushOptions = true
    advertiseAtomic = true
    denyDeleteCurrent = refuse
    autogc = false
    unpackLimit = 100
    keepAlive = 5
{not_pushable}[receive \"fsck\"]
{fsck}[fetch]
    fsckObjects = true
    recurseSubmodules = false
[fetch \"fsck\"]
{fsck}[submodule]
    recurse = false
[uploadpack]
    allowFilter = true
    allowAnySHA1InWant = true
    keepAlive = 5
{not_fetchable}[uploadpackfilter]
    allow = false
[uploadpackfilter \"blob:none\"]
    allow = true
[uploadpackfilter \"blob:limit\"]
    allow = true
[uploadpackfilter \"tree\"]
    allow = true
    maxDepth = 0
[pack]
    threads = 1
    windowMemory = 256m
    writeReverseIndex = true
[repack]
    writeBitmaps = true
[commitGraph]
    changedPaths = true
[gc]
    auto = 0
[maintenance]
    auto = false
[transfer]
    advertiseSID = false
    bundleURI = false
[protocol]
    version = 2
    allow = never
[diff]
    renameLimit = 1000
[merge]
    renameLimit = 1000
[log]
    mailmap = false
[init]
    defaultBranch = main
[advice]
    graftFileDeprecated = false
",
        not_pushable = hidden(&NOT_PUSHABLE),
        not_fetchable = hidden(&NOT_FETCHABLE),
    )
}

/// A path as a value of the configuration file.
fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.display().to_string().replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_accepted_is_explained() {
        let page = include_str!("../../../docs/accepted-objects.md");
        let listed: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once("` | accepted"))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(listed, HARMLESS);
    }
}
