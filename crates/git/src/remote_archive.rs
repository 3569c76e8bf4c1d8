//! The request of `git archive --remote`: a client sends its arguments, each in a line. Only arguments that name
//! content of the repository or the form of the archive are understood; Git itself never reads them.

use thiserror::Error;

use crate::archive::ArchiveFormat;
use crate::command::stream::GitStream;
use crate::error::GitError;
use crate::oid::Oid;
use crate::pkt_line::{LONGEST_LINE, line_length};
use crate::repository::Repository;
use crate::revision::{Resolved, ResolvedKind, Revision};
use crate::tree_path::{LookupPath, TreePath};

/// The most arguments, as Git has it.
const MOST_ARGUMENTS: usize = 64;
/// The most bytes of all lines.
pub const MOST_BYTES: usize = 64 << 10;

/// The request of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveRequest {
    /// The formats that there are.
    Formats,
    /// An archive.
    Archive(RemoteArchive),
}

/// An archive that a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteArchive {
    format: ArchiveFormat,
    /// The text before each path in it.
    prefix: String,
    /// How much is compressed, 0 to 9.
    level: Option<u8>,
    revision: Revision,
    /// The directory whose content it is; the whole commit if there is none.
    folder: Option<LookupPath>,
    /// Files and directories that are wanted; all if there are none.
    paths: Vec<LookupPath>,
}

/// The reason why there is no archive. The texts are for the user's terminal.
#[derive(Debug, Error)]
pub enum NotArchived {
    /// The bytes that were sent are no request, or are too long.
    #[error("the request cannot be read")]
    Unreadable,
    /// An option that is not taken.
    #[error("the option '{0}' is not supported")]
    Option(String),
    /// A format that there is not.
    #[error("Unknown archive format '{0}'")]
    Format(String),
    /// An option with a value that cannot be used.
    #[error("the value of '{0}' cannot be used")]
    Value(&'static str),
    /// Nothing was named of which to make it.
    #[error("a branch, tag or commit must be named")]
    Nothing,
    /// There is no such commit or directory.
    #[error("not a valid object name: {0}")]
    NoTree(String),
    /// There is no such file or directory.
    #[error("pathspec '{0}' did not match any files")]
    NoPath(String),
    /// Git has failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// The names of the formats, as Git lists them.
pub const FORMATS: &str = "tar\ntgz\ntar.gz\ntbz2\ntar.bz2\nzip\n";

impl ArchiveRequest {
    /// Reads all lines of a client, with the flush packet at their end.
    ///
    /// # Errors
    /// If they are no arguments, or if one is not understood.
    pub fn parse(lines: &[u8]) -> Result<Self, NotArchived> {
        let arguments = arguments(lines)?;
        let mut arguments = arguments.iter().map(String::as_str);
        let (mut format, mut prefix, mut level, mut lists) = (ArchiveFormat::Tar, String::new(), None, false);
        let mut names = Vec::new();
        while let Some(argument) = arguments.next() {
            let mut value = |name: &'static str| arguments.next().ok_or(NotArchived::Value(name));
            match argument {
                "--" => break,
                "-l" | "--list" => lists = true,
                "-v" | "--verbose" => {}
                "--format" => format = format_of(value("--format")?)?,
                "--prefix" => prefix = prefix_of(value("--prefix")?)?,
                _ if let Some(value) = argument.strip_prefix("--format=") => format = format_of(value)?,
                _ if let Some(value) = argument.strip_prefix("--prefix=") => prefix = prefix_of(value)?,
                _ if let [b'-', digit @ b'0'..=b'9'] = argument.as_bytes() => level = Some(digit - b'0'),
                _ if argument.starts_with('-') => return Err(NotArchived::Option(shown(argument))),
                name => names.push(name),
            }
        }
        if lists {
            return Ok(Self::Formats);
        }
        if level.is_some() && matches!(format, ArchiveFormat::Tar | ArchiveFormat::TarBz2) {
            return Err(NotArchived::Option(format!("-{}", level.unwrap_or_default())));
        }
        let mut names = names.into_iter().chain(arguments);
        let tree = names.next().ok_or(NotArchived::Nothing)?;
        let no_tree = || NotArchived::NoTree(shown(tree));
        let (revision, folder) = match tree.split_once(':') {
            None => (tree, None),
            Some((revision, folder)) if folder.trim_matches('/').is_empty() => (revision, None),
            Some((revision, folder)) => (revision, Some(LookupPath::parse(folder).ok_or_else(no_tree)?)),
        };
        let revision = Revision::parse(revision).map_err(|_invalid| no_tree())?;
        // In listings, the sign for bytes that are no UTF-8 stands for any bytes; Git is asked for exact ones.
        let exact = |name: &str| LookupPath::parse(name).filter(|_| !name.contains('\u{fffd}'));
        let path = |name: &str| exact(name).ok_or_else(|| NotArchived::NoPath(shown(name)));
        let paths = names.map(path).collect::<Result<_, _>>()?;
        Ok(Self::Archive(RemoteArchive { format, prefix, level, revision, folder, paths }))
    }
}

fn arguments(mut lines: &[u8]) -> Result<Vec<String>, NotArchived> {
    let mut arguments = Vec::new();
    loop {
        let (digits, rest) = lines.split_at_checked(4).ok_or(NotArchived::Unreadable)?;
        match line_length(digits) {
            Some(0) if rest.is_empty() => return Ok(arguments),
            Some(length @ 5..=LONGEST_LINE) if arguments.len() < MOST_ARGUMENTS => {
                let (line, after) = rest.split_at_checked(length - 4).ok_or(NotArchived::Unreadable)?;
                let text = std::str::from_utf8(line).ok().and_then(|line| line.strip_prefix("argument "));
                let text = text.ok_or(NotArchived::Unreadable)?;
                arguments.push(text.strip_suffix('\n').unwrap_or(text).to_owned());
                lines = after;
            }
            _ => return Err(NotArchived::Unreadable),
        }
    }
}

fn format_of(name: &str) -> Result<ArchiveFormat, NotArchived> {
    ArchiveFormat::parse(name).ok_or_else(|| NotArchived::Format(shown(name)))
}

/// A prefix is a folder, or the beginning of a name. It cannot lead outside when the archive is unpacked.
fn prefix_of(text: &str) -> Result<String, NotArchived> {
    let folder = text.strip_suffix('/').unwrap_or(text);
    if text.is_empty() || TreePath::parse(folder).is_ok() {
        return Ok(text.to_owned());
    }
    Err(NotArchived::Value("--prefix"))
}

/// A part of a request for the terminal of its user.
fn shown(text: &str) -> String {
    text.escape_debug().take(200).collect()
}

impl Repository {
    /// The archive that a client asks for, as a stream.
    ///
    /// # Errors
    /// If there is nothing of the kind, or nothing that a fetch would show, and if Git fails.
    pub fn remote_archive(&self, asked: &RemoteArchive) -> Result<GitStream, NotArchived> {
        let no_tree = || NotArchived::NoTree(shown(asked.revision.as_str()));
        let resolved = self.resolve(&asked.revision)?.ok_or_else(no_tree)?;
        if !self.is_shown_to_clients(&resolved)? {
            return Err(no_tree());
        }
        let commit = resolved.commit;
        let folder = asked.folder.as_ref();
        if self.tree_id(commit, folder)?.is_none() {
            return Err(no_tree());
        }
        for path in &asked.paths {
            if !self.has(commit, folder, path)? {
                return Err(NotArchived::NoPath(shown(path.as_kept())));
            }
        }
        // The arguments were UTF-8, so that kept forms of paths are the paths.
        let tree = folder.map_or_else(|| commit.to_string(), |folder| format!("{commit}:{}", folder.as_kept()));
        let paths = asked.paths.iter().map(LookupPath::argument);
        Ok(self.archive_of(&tree, asked.format, &asked.prefix, asked.level, paths)?)
    }

    /// True if a fetch shows the tree: it was named by a ref that is not hidden, or by a commit that such a ref leads
    /// to.
    fn is_shown_to_clients(&self, resolved: &Resolved) -> Result<bool, GitError> {
        match &resolved.kind {
            ResolvedKind::Branch(_) | ResolvedKind::Tag(_) => Ok(true),
            ResolvedKind::Other(name) => Ok(!name.is_hidden()),
            ResolvedKind::Commit => self.is_reachable_for_clients(resolved.commit),
        }
    }

    fn has(&self, commit: Oid, folder: Option<&LookupPath>, path: &LookupPath) -> Result<bool, GitError> {
        let whole = folder.map(|folder| format!("{}/{}", folder.as_kept(), path.as_kept()));
        let whole = whole.map_or_else(|| Some(path.clone()), |whole| LookupPath::parse(&whole));
        whole.map_or(Ok(false), |whole| Ok(self.tree_entry(commit, &whole)?.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(arguments: &[&str]) -> Vec<u8> {
        let line = |argument: &&str| format!("{:04x}argument {argument}\n", argument.len() + 14);
        (arguments.iter().map(line).collect::<String>() + "0000").into_bytes()
    }

    fn parse(arguments: &[&str]) -> Result<ArchiveRequest, String> {
        ArchiveRequest::parse(&lines(arguments)).map_err(|problem| problem.to_string())
    }

    #[test]
    fn arguments_are_read_as_git_reads_them() {
        let revision = |name| Revision::parse(name).unwrap();
        let path = |name| LookupPath::parse(name).unwrap();
        let plain = RemoteArchive {
            format: ArchiveFormat::Tar,
            prefix: String::new(),
            level: None,
            revision: revision("HEAD"),
            folder: None,
            paths: Vec::new(),
        };
        let zip = RemoteArchive { format: ArchiveFormat::Zip, ..plain.clone() };
        for (arguments, want) in [
            (&["HEAD"][..], plain.clone()),
            (&["--format=zip", "HEAD"], zip.clone()),
            (&["HEAD", "--format", "zip", "-v"], zip.clone()),
            (&["--format=tar", "--format=zip", "-9", "HEAD"], RemoteArchive { level: Some(9), ..zip }),
            (&["--prefix", "a-1/", "--", "HEAD"], RemoteArchive { prefix: "a-1/".to_owned(), ..plain.clone() }),
            (&["--prefix=", "HEAD:"], plain.clone()),
            (
                &["main:d/e", "f", "--", "-x"],
                RemoteArchive {
                    revision: revision("main"),
                    folder: Some(path("d/e")),
                    paths: vec![path("f"), path("-x")],
                    ..plain
                },
            ),
        ] {
            assert_eq!(parse(arguments), Ok(ArchiveRequest::Archive(want)), "{arguments:?}");
        }
        assert_eq!(parse(&["-l"]), Ok(ArchiveRequest::Formats));
    }

    #[test]
    fn nothing_leads_out_of_the_repository() {
        for (arguments, problem) in [
            (&[][..], "a branch, tag or commit must be named"),
            (&["--add-file=/etc/passwd", "HEAD"], "the option '--add-file=/etc/passwd' is not supported"),
            (&["--output=/tmp/x", "HEAD"], "the option '--output=/tmp/x' is not supported"),
            (&["-o", "x", "HEAD"], "the option '-o' is not supported"),
            (&["--remote=x", "HEAD"], "the option '--remote=x' is not supported"),
            (&["--exec=sh", "HEAD"], "the option '--exec=sh' is not supported"),
            (&["--worktree-attributes", "HEAD"], "the option '--worktree-attributes' is not supported"),
            (&["-9", "HEAD"], "the option '-9' is not supported"),
            (&["--format=sh", "HEAD"], "Unknown archive format 'sh'"),
            (&["HEAD", "--format"], "the value of '--format' cannot be used"),
            (&["--prefix=../", "HEAD"], "the value of '--prefix' cannot be used"),
            (&["--prefix=/etc/", "HEAD"], "the value of '--prefix' cannot be used"),
            (&["HEAD@{1}"], "not a valid object name: HEAD@{1}"),
            (&["HEAD:../x"], "not a valid object name: HEAD:../x"),
            (&["--", "--help"], "not a valid object name: --help"),
            (&["HEAD", "../x"], "pathspec '../x' did not match any files"),
            (&["HEAD", "a\u{fffd}"], "pathspec 'a\u{fffd}' did not match any files"),
            (&["\u{1b}[2J^"], "not a valid object name: \\u{1b}[2J^"),
        ] {
            assert_eq!(parse(arguments), Err(problem.to_owned()), "{arguments:?}");
        }
    }

    #[test]
    fn what_is_no_list_of_arguments_is_refused() {
        let many = lines(&["x"; MOST_ARGUMENTS + 1]);
        for bytes in [&b""[..], b"0000x", b"0008HEAD0000", b"000fargument x", b"zzzz", b"0001", b"0004", &many] {
            let refused = ArchiveRequest::parse(bytes).map_err(|problem| problem.to_string());
            assert_eq!(refused, Err("the request cannot be read".to_owned()), "{}", String::from_utf8_lossy(bytes));
        }
    }
}
