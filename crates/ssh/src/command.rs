//! The request of a client: one of Git's commands, or nothing.

use tenon_app::lfs::LfsOperation;
use tenon_app::transport::SshService;

/// The work on a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    /// No command: the user is greeted, as `ssh -T` asks.
    Greeting,
    /// One of Git's commands.
    Git {
        service: SshService,
        /// The full path of a project, without `.git`. There may be no such project.
        path: String,
    },
    /// A token for large files.
    Lfs {
        operation: LfsOperation,
        /// As that of a command of Git.
        path: String,
    },
    /// Any other request.
    Unknown,
}

impl Request {
    /// Reads a command line. No shell reads it. Only the commands of Git's clients are understood: the name of a command and
    /// one path, in quotes or without.
    pub(crate) fn parse(line: &[u8]) -> Self {
        Self::lfs(line).or_else(|| Self::git(line)).unwrap_or(Self::Unknown)
    }

    /// Its name in the log.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Greeting => "greeting",
            Self::Git { service, .. } => service.name(),
            Self::Lfs { .. } => "git-lfs-authenticate",
            Self::Unknown => "unknown",
        }
    }

    fn lfs(line: &[u8]) -> Option<Self> {
        let rest = std::str::from_utf8(line).ok()?.strip_prefix("git-lfs-authenticate ")?;
        let (path, operation) = rest.rsplit_once(' ')?;
        Some(Self::Lfs { operation: LfsOperation::parse(operation)?, path: path_of(argument(path)?)? })
    }

    fn git(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let (name, path) = match line.strip_prefix("git ") {
            Some(rest) => rest.split_once(' ').map(|(name, path)| (format!("git-{name}"), path))?,
            None => line.split_once(' ').map(|(name, path)| (name.to_owned(), path))?,
        };
        Some(Self::Git { service: SshService::parse(&name)?, path: path_of(argument(path)?)? })
    }
}

/// The one argument of a text: without its quotes, or a word.
fn argument(text: &str) -> Option<&str> {
    let quoted = ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let argument = quoted.unwrap_or(text);
    // No path of a project has any of these, so that their meaning to a shell does not matter.
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace() && !"'\"\\`$;&|<>(){}[]*?!#~".contains(c);
    (!argument.is_empty() && argument.chars().all(is_plain)).then_some(argument)
}

/// The path of a project, as a client names its repository: a slash in front and `.git` behind are left out.
fn path_of(argument: &str) -> Option<String> {
    let path = argument.trim_start_matches('/').trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_name = |segment: &str| !matches!(segment, "" | "." | "..") && !segment.starts_with('-');
    path.split('/').all(is_name).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use tenon_app::transport::Service;

    use super::*;

    fn git(service: Service, path: &str) -> Request {
        Request::Git { service: SshService::Transfer(service), path: path.to_owned() }
    }

    #[test]
    fn commands_of_git_are_read_in_each_spelling() {
        for path in ["'/a/b.git'", "'a/b.git'", "/a/b", "a/b", "\"a/b.git\"", "'a/b.git/'", "//a/b.git"] {
            for name in ["git-upload-pack", "git upload-pack"] {
                assert_eq!(
                    Request::parse(format!("{name} {path}").as_bytes()),
                    git(Service::UploadPack, "a/b"),
                    "{path}"
                );
            }
        }
        assert_eq!(Request::parse(b"git-receive-pack 'g/s/p.git'"), git(Service::ReceivePack, "g/s/p"));
        let archive = Request::Git { service: SshService::UploadArchive, path: "a/b".to_owned() };
        assert_eq!(Request::parse(b"git-upload-archive '/a/b.git'"), archive);
        assert_eq!(Request::parse(b"git upload-archive a/b"), archive);
        assert_eq!(Request::parse("git-upload-pack 'a/b.c-d_é.git'".as_bytes()), git(Service::UploadPack, "a/b.c-d_é"));
    }

    #[test]
    fn clients_of_large_files_ask_for_a_token() {
        let lfs = |operation| Request::Lfs { operation, path: "a/b".to_owned() };
        for path in ["a/b.git", "'/a/b.git'", "/a/b"] {
            let line = |operation| format!("git-lfs-authenticate {path} {operation}");
            assert_eq!(Request::parse(line("download").as_bytes()), lfs(LfsOperation::Download), "{path}");
            assert_eq!(Request::parse(line("upload").as_bytes()), lfs(LfsOperation::Upload), "{path}");
        }
    }

    #[test]
    fn anything_else_is_unknown() {
        for line in [
            "git-lfs-authenticate a/b",
            "git-lfs-authenticate a/b write",
            "git-lfs-authenticate a/b upload x",
            "git-lfs-authenticate ../b upload",
            "git-lfs-transfer a/b upload",
            "",
            "ls",
            "git-upload-pack",
            "git-upload-pack ",
            "git-upload-pack ''",
            "git-upload-pack '/'",
            "git-upload-pack 'a/b.git' 'c'",
            "git-upload-pack a/b.git c",
            "git-upload-pack --timeout=1 'a/b.git'",
            "git-upload-pack '--strict'",
            "git-upload-pack '-x/b'",
            "git-upload-pack 'a/b.git'; sh",
            "git-upload-pack 'a/b.git' | sh",
            "git-upload-pack '$(sh)'",
            "git-upload-pack `sh`",
            "git-upload-pack 'a'\\''b'",
            "git-upload-pack 'a/b.git",
            "git-upload-pack '../a.git'",
            "git-upload-pack 'a/../b.git'",
            "git-upload-pack 'a//b.git'",
            "git-upload-pack 'a/./b.git'",
            "git-upload-pack 'a\\b.git'",
            "git-upload-pack 'a/b\n.git'",
            "git-upload-pack 'a/b\0.git'",
            " git-upload-pack 'a/b.git'",
            "git  upload-pack 'a/b.git'",
            "git",
            "git -c core.pager=sh upload-pack 'a/b.git'",
            "git-shell -c \"git-upload-pack 'a/b.git'\"",
            "scp -t x",
            "git-upload-archive--writer 'a/b.git'",
            "git-upload-archive",
            "git-archive 'a/b.git'",
            "GIT-UPLOAD-PACK 'a/b.git'",
        ] {
            assert_eq!(Request::parse(line.as_bytes()), Request::Unknown, "{line:?}");
        }
        assert_eq!(Request::parse(b"git-upload-pack '\xff'"), Request::Unknown);
    }
}
