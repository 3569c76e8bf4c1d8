//! A repository fetched from another server.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::Url;

use crate::command::Command;
use crate::command::budget::Budget;
use crate::command::pump::Watch;
use crate::config::HARMLESS;
use crate::engine::Engine;
use crate::error::GitError;
use crate::name::{BranchName, RefName};
use crate::oid::Oid;
use crate::repository::Repository;
use crate::store::{Store, size};

/// The source of an import: an `http` or `https` URL and the one address that may be connected to.
#[derive(Clone)]
pub struct ImportSource {
    url: Url,
    user: Option<(String, String)>,
    address: IpAddr,
}

/// The text is no source of an import: it is not `http` or `https`, or has no host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("only http and https URLs can be imported")]
pub struct InvalidSource;

/// How much an import may take.
#[derive(Debug, Clone, Copy)]
pub struct ImportLimits {
    /// Bytes on disk.
    pub bytes: u64,
    /// Branches and tags together.
    pub refs: usize,
    /// How long the other side may take to list its refs.
    pub list_time: Duration,
    /// How long it may take to send everything.
    pub fetch_time: Duration,
    /// The bytes a second that the other side has to send.
    pub bytes_per_second: u64,
    /// How long it may send less than that.
    pub slow_time: Duration,
}

/// An import that did not succeed. Nothing is left of it.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The other side has more branches and tags, or more bytes, than the limits allow.
    #[error("the repository is larger than an import may be")]
    TooLarge,
    /// It holds objects that could not be pushed either; the text is the reason, as a sentence.
    #[error("the repository cannot be imported: {0}")]
    Unacceptable(String),
    /// It took longer than it may.
    #[error("the import took too long")]
    TooSlow,
    /// The other side did not answer as a Git server, refused, or sent broken objects.
    #[error("the repository could not be fetched")]
    Refused(#[source] GitError),
    /// The fault is on this side.
    #[error(transparent)]
    Git(GitError),
}

impl ImportSource {
    /// `address` is the checked address of the host; nothing else will be connected to. Credentials in the URL are
    /// taken out of it. Fails for every scheme but `http` and `https`.
    pub fn parse(text: &str, address: IpAddr) -> Result<Self, InvalidSource> {
        let mut url = Url::parse(text.trim()).map_err(|_error| InvalidSource)?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(InvalidSource);
        }
        let decoded = |text: &str| String::from_utf8_lossy(&percent_decoded(text)).into_owned();
        let user = (!url.username().is_empty() || url.password().is_some())
            .then(|| (decoded(url.username()), decoded(url.password().unwrap_or_default())));
        url.set_username("").map_err(|()| InvalidSource)?;
        url.set_password(None).map_err(|()| InvalidSource)?;
        url.set_fragment(None);
        Ok(Self { url, user, address })
    }

    /// Makes `command` connect to the vetted address and to nothing else.
    fn prepare(&self, command: Command, limits: ImportLimits) -> Command {
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port_or_known_default().unwrap_or(443);
        let address = match self.address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let scheme = self.url.scheme();
        let mut command = command
            .setting(format!("protocol.{scheme}.allow=always"))
            .setting("http.followRedirects=false")
            .setting(format!("http.lowSpeedLimit={}", limits.bytes_per_second))
            .setting(format!("http.lowSpeedTime={}", limits.slow_time.as_secs()))
            .setting(format!("http.curloptResolve={host}:{port}:{address}"))
            .env("GIT_ALLOW_PROTOCOL", scheme);
        // By the environment: every process of the machine sees arguments.
        if let Some((name, password)) = &self.user {
            let header = format!("Authorization: Basic {}", STANDARD.encode(format!("{name}:{password}")));
            command = command
                .env("GIT_CONFIG_COUNT", "1")
                .env("GIT_CONFIG_KEY_0", "http.extraHeader")
                .env("GIT_CONFIG_VALUE_0", header);
        }
        command
    }
}

impl fmt::Debug for ImportSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportSource").field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

impl Store {
    /// Fetches branches and tags of `source` into `to`, which must not be there; it appears when everything has been
    /// fetched and checked. `HEAD` is what the other side says. Redirects are not followed.
    pub fn import(&self, source: &ImportSource, to: &Repository, limits: ImportLimits) -> Result<(), ImportError> {
        let draft = self.temporary_folder().map_err(ImportError::Git)?;
        let path = draft.path().join("it.git");
        let copy = Repository::new(self.engine.clone(), path.clone());
        let head = self.remote_head(source, limits)?;
        let main = head.as_ref().map_or("main", BranchName::as_str);
        self.init(&path, main).map_err(ImportError::Git)?;
        let everything = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        if fetch(copy.git("fetch"), source, (&copy, &everything), limits, &draft.path().join("trace"))? == Checked::Not
        {
            copy.check_objects(copy.git("fsck"), limits)?;
        }
        copy.drop_foreign_names().map_err(ImportError::Git)?;
        copy.check_import()?;
        self.move_into_place(&path, to).map_err(ImportError::Git)
    }

    /// Asks for the refs first: an endless list of them costs nothing yet.
    fn remote_head(&self, source: &ImportSource, limits: ImportLimits) -> Result<Option<BranchName>, ImportError> {
        let answer = ls_remote(&self.engine, source, limits, "--symref", &["HEAD", "refs/heads/*", "refs/tags/*"])?;
        let symbolic = answer.lines().find_map(|line| line.strip_prefix("ref: ")?.strip_suffix("\tHEAD"));
        let rows = || answer.lines().filter_map(|line| line.split_once('\t'));
        // Old servers say only which commit `HEAD` is.
        let guessed = || {
            let (tip, _) = rows().find(|(_, name)| *name == "HEAD")?;
            let same = |name: &&str| name.starts_with("refs/heads/") && rows().any(|row| row == (tip, *name));
            let usual = ["refs/heads/main", "refs/heads/master"];
            usual.iter().find(|name| same(name)).copied().or_else(|| rows().map(|(_, name)| name).find(same))
        };
        Ok(symbolic.or_else(guessed).and_then(|name| RefName::parse(name).ok()?.branch()))
    }
}

/// The refs of the other side that match these patterns, a line for each.
pub(super) fn ls_remote(
    engine: &Engine,
    source: &ImportSource,
    limits: ImportLimits,
    option: &str,
    patterns: &[&str],
) -> Result<String, ImportError> {
    let answer = source
        .prepare(engine.command("ls-remote"), limits)
        .args(["--quiet", option])
        .operands([&[source.url.as_str()], patterns].concat())
        .time(limits.list_time)
        .budget(Budget::Transfer)
        .output(limits.refs.saturating_mul(300).saturating_add(1000))
        .text()
        .map_err(refused)?;
    if answer.lines().count() > limits.refs { Err(ImportError::TooLarge) } else { Ok(answer) }
}

/// Says whether Git has checked the objects that it has fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Checked {
    All,
    Not,
}

/// Runs `command`, a fetch into `copy`, from the source with these refspecs. `trace` is the path of a file to be written.
pub(super) fn fetch(
    command: Command,
    source: &ImportSource,
    (copy, refspecs): (&Repository, &[&str]),
    limits: ImportLimits,
    trace: &Path,
) -> Result<Checked, ImportError> {
    let command = source
        .prepare(command, limits)
        .args(["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"])
        .operands([&[source.url.as_str()], refspecs].concat())
        .env("GIT_TRACE2_EVENT", trace)
        .time(limits.fetch_time)
        .budget(Budget::Transfer);
    let path: PathBuf = copy.path().to_owned();
    let watch = move || size(&path).is_ok_and(|bytes| bytes <= limits.bytes);
    let outcome = command.watched(Watch(Box::new(watch))).map_err(refused)?;
    if outcome.code != Some(0) {
        if let Some(text) = fault(&outcome.log.0) {
            return Err(ImportError::Unacceptable(text));
        }
        return Err(refused(crate::command::failure("fetch", Some(copy.path()), outcome.code, outcome.log)));
    }
    if size(copy.path()).is_ok_and(|bytes| bytes <= limits.bytes) {
        checked(trace).map_err(|error| ImportError::Git(GitError::File(error)))
    } else {
        Err(ImportError::TooLarge)
    }
}

/// Reads from its trace what a fetch has done. From a server that only serves files, Git fetches objects without
/// checking them, whatever its configuration says.
fn checked(trace: &Path) -> io::Result<Checked> {
    let is_check = |line: &str| {
        line.contains(r#""child_start""#) && (line.contains("\"--strict") || line.contains(r#""--fsck-objects"#))
    };
    for line in BufReader::new(File::open(trace)?).lines() {
        if is_check(&line?) {
            return Ok(Checked::All);
        }
    }
    Ok(Checked::Not)
}

/// Git's reason to refuse an object, as a sentence.
fn fault(log: &str) -> Option<String> {
    log.lines().find_map(|line| {
        let mut words = line.split(' ').map(|word| word.trim_end_matches(':'));
        let object = words.find_map(|word| word.parse::<Oid>().ok())?;
        let name = words.next().filter(|name| !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric()))?;
        line.contains("error").then(|| format!("The object {object} has the fault '{name}'."))
    })
}

impl Repository {
    /// Checks the objects as Git does when a push brings them. `command` is a check of this repository.
    pub(super) fn check_objects(&self, command: Command, limits: ImportLimits) -> Result<(), ImportError> {
        let command = HARMLESS
            .iter()
            .fold(command, |command, name| command.setting(format!("fsck.{name}=ignore")))
            .args(["--strict", "--no-dangling", "--no-reflogs", "--no-progress"])
            .time(limits.fetch_time)
            .budget(Budget::Transfer);
        let outcome = command.outcome().map_err(refused)?;
        if outcome.code == Some(0) {
            return Ok(());
        }
        Err(match fault(&outcome.log.0) {
            Some(text) => ImportError::Unacceptable(text),
            None => refused(crate::command::failure("fsck", Some(self.path()), outcome.code, outcome.log)),
        })
    }

    /// Applies the rules for pushes to the fetched objects: sizes of objects, numbers of files, and paths.
    fn check_import(&self) -> Result<(), ImportError> {
        let refs = self.refs_below("refs/").map_err(ImportError::Git)?;
        let tips: BTreeSet<Oid> = refs.into_values().collect();
        match self.fetched().refusal(&Vec::from_iter(tips), &self.limits().push, 1).map_err(ImportError::Git)? {
            Some(text) => Err(ImportError::Unacceptable(text)),
            None => Ok(()),
        }
    }

    /// Removes branches and tags whose names no client could send us.
    fn drop_foreign_names(&self) -> Result<(), GitError> {
        let names = self.git("for-each-ref").arg("--format=%(refname)").bytes()?;
        let mut input = Vec::new();
        for name in names.split(|byte| *byte == b'\n').filter(|name| !name.is_empty()) {
            let is_ours = std::str::from_utf8(name)
                .ok()
                .and_then(|name| RefName::parse(name).ok())
                .is_some_and(|name| name.branch().is_some() || name.tag().is_some());
            if !is_ours {
                input.extend_from_slice(&[b"delete ".as_slice(), name, b"\n"].concat());
            }
        }
        self.git("update-ref").arg("--stdin").input(input).bytes()?;
        Ok(())
    }
}

pub(super) fn refused(error: GitError) -> ImportError {
    match error {
        GitError::Timeout(_) => ImportError::TooSlow,
        GitError::TooLarge(_) => ImportError::TooLarge,
        GitError::Failed { .. } => ImportError::Refused(error),
        error => ImportError::Git(error),
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let digit =
            |byte: Option<u8>| byte.and_then(|it| char::from(it).to_digit(16)).and_then(|it| u8::try_from(it).ok());
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(high << 4 | low);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn only_the_web_is_imported_from() {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        for text in ["file:///etc", "ext::sh -c x", "ssh://x/y", "git://x/y", "/tmp/x", "-x", "x", "http://", ""] {
            assert!(ImportSource::parse(text, address).is_err(), "{text}");
        }
        assert!(ImportSource::parse("https://example.com/x.git", address).is_ok());
    }

    #[test]
    fn a_refused_object_is_named_with_its_fault() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let said = Some(format!("The object {id} has the fault 'hasDotgit'."));
        for log in [
            format!("error: object {id}: hasDotgit: contains '.git'\nfatal: fsck error in packed object"),
            format!("notice: x\nerror in tree {id}: hasDotgit: contains '.git'"),
        ] {
            assert_eq!(fault(&log), said);
        }
        for log in [String::new(), format!("missing blob {id}"), format!("error: object {id}: /srv: x")] {
            assert_eq!(fault(&log), None);
        }
    }

    #[test]
    fn credentials_are_in_no_url_and_in_no_log() {
        let source =
            ImportSource::parse("https://me%40x:geheim@example.com/x", IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap();
        assert_eq!(source.url.as_str(), "https://example.com/x");
        assert_eq!(source.user, Some(("me@x".to_owned(), "geheim".to_owned())));
        assert!(!format!("{source:?}").contains("geheim"));
    }
}
