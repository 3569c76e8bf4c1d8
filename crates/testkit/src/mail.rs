//! The mails that a server has written into its folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_app::{Limits, Mailer};

use crate::application::repositories_in;
use crate::database::TestDatabase;
use crate::reusable::{Backend, Content};
use crate::server::{Extras, TestServer};

/// A mail that was sent.
#[derive(Debug, Clone)]
pub struct Mail {
    head: Vec<(String, String)>,
    /// The text.
    pub text: String,
    /// The text as HTML.
    pub html: Option<String>,
}

impl Mail {
    /// The value of a header; an empty text if there is none.
    pub fn header(&self, name: &str) -> &str {
        let found = self.head.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value.as_str())
    }

    /// The subject.
    pub fn subject(&self) -> &str {
        self.header("Subject")
    }

    /// The text between `before` and the next blank or line end.
    pub fn after(&self, before: &str) -> &str {
        let (_, rest) = self.text.split_once(before).expect("the text");
        rest.split_whitespace().next().unwrap_or_default()
    }

    /// Removes the mails to this address from a folder, and yields them by the time and id that they have.
    pub(crate) fn take(folder: &Path, address: &str) -> Vec<Self> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let end = format!(".{address}.eml");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| path.to_string_lossy().ends_with(&end));
        paths.sort();
        let read = |path: &std::path::PathBuf| {
            let bytes = std::fs::read_to_string(path).expect("a mail");
            std::fs::remove_file(path).expect("a mail that can be removed");
            Self::parse(&bytes)
        };
        paths.iter().map(read).collect()
    }

    fn parse(mail: &str) -> Self {
        let (head, body) = split(mail);
        let kind = value(&head, "Content-Type");
        let Some((_, boundary)) = kind.split_once("boundary=\"") else {
            return Self { text: decoded(body), head, html: None };
        };
        let boundary = boundary.split('"').next().expect("a boundary").to_owned();
        let parts: Vec<_> = body.split(&format!("--{boundary}")).map(|part| split(part.trim_start())).collect();
        let part = |wanted: &str| {
            let found = parts.iter().find(|(head, _)| value(head, "Content-Type").starts_with(wanted));
            found.map(|(_, body)| decoded(body))
        };
        Self { text: part("text/plain").expect("a text"), html: part("text/html"), head }
    }
}

/// The head, with its lines unfolded, and the body.
fn split(text: &str) -> (Vec<(String, String)>, &str) {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let unfolded = head.replace("\r\n ", " ");
    let lines = unfolded.split("\r\n").filter_map(|line| line.split_once(": "));
    (lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(), body)
}

fn value(head: &[(String, String)], name: &str) -> String {
    head.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

/// Text in quoted-printable.
fn decoded(body: &str) -> String {
    let joined = body.replace("=\r\n", "").replace("\r\n", "\n");
    let mut bytes = Vec::new();
    let mut rest = joined.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'=' {
            let digits = [rest.next().expect("a digit"), rest.next().expect("a digit")];
            let text = std::str::from_utf8(&digits).expect("ASCII");
            bytes.push(u8::from_str_radix(text, 16).expect("a byte"));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// Writes mail into the folder of a server.
fn mailer_in(data: &Path) -> Mailer {
    let route = format!("file:{}", mails_in(data).display()).parse().expect("a route");
    let from = "Tenon <tenon@example.org>".parse().expect("an address");
    Mailer::new(route, from, "localhost").expect("a mailer")
}

impl TestServer {
    /// Starts a server that sends mail, which [`TestServer::mails`] shows.
    pub fn start_with_mail(backend: Backend) -> Self {
        Self::start_with_mail_and(backend, Limits::without_rates())
    }

    /// As [`TestServer::start_with_mail`], with these limits.
    pub fn start_with_mail_and(backend: Backend, limits: Limits) -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let repositories = repositories_in(folder.path(), &limits);
        let database = Arc::new(TestDatabase::with(backend, Content::Root));
        let mailer = mailer_in(folder.path());
        Self::run(
            database,
            folder,
            Arc::default(),
            limits,
            repositories,
            &[],
            Extras { mail: Some(mailer), ..Extras::default() },
        )
    }

    /// As [`TestServer::beside`], for a server that sends mail.
    pub fn beside_with_mail(other: &Self) -> Self {
        Self::second(other, Extras { mail: Some(mailer_in(other.data())), ..Extras::default() })
    }

    /// The mails to this address since the last call, by the time at which they were written.
    pub fn mails(&self, address: &str) -> Vec<Mail> {
        Mail::take(&mails_in(self.data()), address)
    }
}

/// The folder of the mails that a server has sent.
fn mails_in(folder: &Path) -> PathBuf {
    folder.join("mails")
}
