//! Mail: how it is written, and how it leaves the server.
//!
//! Errors name neither addresses nor contents of a mail. They do not repeat the answer of the other server either, which has
//! addresses in it. Errors end in logs and in the table of jobs.

use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, MultiPart, MultiPartKind, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, Message, SmtpTransport, Transport as _};
use percent_encoding::percent_decode_str;
use url::Url;

/// Time in which the mail server has to answer each command.
const PATIENCE: Duration = Duration::from_secs(30);

/// A mail that is to be written.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// The address that gets it.
    pub to: String,
    /// The name of its sender, beside the address of the server.
    pub from_name: Option<String>,
    /// The address that it names as its sender's instead of that of the server. The server then is the one that sends it
    /// (`Sender`).
    pub from_address: Option<String>,
    /// The subject.
    pub subject: String,
    /// Its id, without angle brackets. The same mail has the same id each time that it is sent.
    pub message_id: String,
    /// The id of the mail that it answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// Its plain text.
    pub text: String,
    /// The same text as HTML.
    pub html: Option<String>,
    /// When it was written.
    pub at: SystemTime,
}

/// The reason why a mail was not sent.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// A part of it cannot stand in a mail.
    #[error("{0} cannot stand in a mail")]
    Unwritable(&'static str),
    /// It is larger than a mail may be.
    #[error("the mail has {0} bytes, more than a mail may have")]
    TooLarge(usize),
    /// The mail server refused it, with this code.
    #[error("the mail server answered {0}")]
    Refused(String),
    /// The mail server was not found, did not answer in time, or could not be understood.
    #[error("the mail server could not be used: {0}")]
    Unavailable(&'static str),
    /// It could not be written into the folder.
    #[error("the mail could not be written: {0}")]
    Unwritten(#[source] io::Error),
}

impl MailError {
    /// True if the same mail may be taken later: the mail server cannot be used now, or says so (a code from 400 to 499).
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Unwritten(_) => true,
            Self::Refused(code) => code.starts_with('4'),
            Self::Unwritable(_) | Self::TooLarge(_) => false,
        }
    }

    /// True if only this recipient is concerned, so that others may be sent mail now. A mail server that ends the session with
    /// 421 takes mail for no recipient.
    #[must_use]
    pub fn is_of_recipient(&self) -> bool {
        match self {
            Self::Unavailable(_) => false,
            Self::Refused(code) => code != "421",
            Self::Unwritten(_) | Self::Unwritable(_) | Self::TooLarge(_) => true,
        }
    }
}

/// The fault of a route or an address of mail.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidMailSetting(String);

/// The encryption of the way to a mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    None,
    StartTls,
    Implicit,
}

/// How mail leaves the server: `smtps://user:password@host:465`, `smtp://host:587` (which asks for STARTTLS),
/// `smtp://host:25?tls=none`, or `file:FOLDER` for a folder into which mails are written. It is not printed, because it has a
/// password.
#[derive(Clone, PartialEq, Eq)]
pub struct MailRoute(Route);

#[derive(Clone, PartialEq, Eq)]
enum Route {
    Smtp { host: String, port: u16, account: Option<(String, String)>, encryption: Encryption },
    Folder(PathBuf),
}

impl FromStr for MailRoute {
    type Err = InvalidMailSetting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |problem: &str| InvalidMailSetting(problem.to_owned());
        if let Some(folder) = text.strip_prefix("file:") {
            let is_given = !folder.is_empty();
            return if is_given { Ok(Self(Route::Folder(folder.into()))) } else { Err(wrong("the folder is missing")) };
        }
        let url = Url::parse(text)
            .map_err(|_source| wrong("is neither an address such as smtps://user:password@host:465 nor file:FOLDER"))?;
        let tls = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value.into_owned());
        let encryption = match (url.scheme(), tls.as_deref()) {
            ("smtps", None) => Encryption::Implicit,
            ("smtp", None) => Encryption::StartTls,
            ("smtp", Some("none")) => Encryption::None,
            ("smtp" | "smtps", Some(_)) => return Err(wrong("tls can only be none, and only with smtp:")),
            _ => return Err(wrong("begins with neither smtps:, nor smtp:, nor file:")),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| wrong("the host is missing"))?;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8().map(std::borrow::Cow::into_owned);
        let account = match (url.username(), url.password()) {
            ("", None) => None,
            (user, Some(password)) => {
                let user = decoded(user).map_err(|_source| wrong("the user is not valid UTF-8"))?;
                Some((user, decoded(password).map_err(|_source| wrong("the password is not valid UTF-8"))?))
            }
            (_, None) => return Err(wrong("the password is missing")),
        };
        if account.is_some() && encryption == Encryption::None {
            return Err(wrong("a password is not sent without encryption"));
        }
        let usual = match encryption {
            Encryption::None => 25,
            Encryption::StartTls => 587,
            Encryption::Implicit => 465,
        };
        let port = url.port().unwrap_or(usual);
        Ok(Self(Route::Smtp { host: host.to_owned(), port, account, encryption }))
    }
}

/// The sender of mail: an address, with or without a name.
#[derive(Clone, PartialEq, Eq)]
pub struct MailSender(Mailbox);

impl FromStr for MailSender {
    type Err = InvalidMailSetting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || InvalidMailSetting(format!("{text:?} is no address such as Tenon <tenon@example.org>"));
        if text.chars().any(char::is_control) {
            return Err(wrong());
        }
        text.trim().parse().map(Self).map_err(|_source| wrong())
    }
}

/// Sends mail.
pub struct Mailer {
    transport: Transport,
    from: Mailbox,
}

enum Transport {
    Smtp(Box<SmtpTransport>),
    Folder(PathBuf),
}

impl Mailer {
    /// A mailer on this route, from this address, as a server that others know as `host`. Opens no connection.
    ///
    /// # Errors
    /// If the folder cannot be made, or the machine's certificates cannot be read.
    pub fn new(route: MailRoute, from: MailSender, host: &str) -> Result<Self, MailError> {
        let transport = match route.0 {
            Route::Folder(folder) => {
                std::fs::create_dir_all(&folder).map_err(MailError::Unwritten)?;
                Transport::Folder(folder)
            }
            Route::Smtp { host: server, port, account, encryption } => {
                let parameters = || {
                    TlsParameters::new(server.clone())
                        .map_err(|_source| MailError::Unavailable("the machine's certificates cannot be read"))
                };
                let tls = match encryption {
                    Encryption::None => Tls::None,
                    Encryption::StartTls => Tls::Required(parameters()?),
                    Encryption::Implicit => Tls::Wrapper(parameters()?),
                };
                let builder = SmtpTransport::builder_dangerous(server.as_str())
                    .port(port)
                    .tls(tls)
                    .timeout(Some(PATIENCE))
                    .hello_name(ClientId::Domain(host.to_owned()));
                let builder = match account {
                    Some((user, password)) => builder.credentials(Credentials::new(user, password)),
                    None => builder,
                };
                Transport::Smtp(Box::new(builder.build()))
            }
        };
        Ok(Self { transport, from: from.0 })
    }

    /// Sends a mail of at most `most` bytes. Blocks until the mail server has taken it, or the folder has it.
    ///
    /// # Errors
    /// If it cannot be written, is too large, or was not taken.
    pub fn send(&self, mail: &Mail, most: usize) -> Result<(), MailError> {
        let message = self.written(mail)?;
        let bytes = message.formatted();
        if bytes.len() > most {
            return Err(MailError::TooLarge(bytes.len()));
        }
        match &self.transport {
            Transport::Smtp(transport) => {
                transport.send_raw(message.envelope(), &bytes).map(|_| ()).map_err(|error| unsent(&error))
            }
            Transport::Folder(folder) => write_into(folder, mail, &bytes).map_err(MailError::Unwritten),
        }
    }

    /// The mail as it is sent. Control characters become blanks wherever they could end a header.
    fn written(&self, mail: &Mail) -> Result<Message, MailError> {
        let to: Address = mail.to.parse().map_err(|_source| MailError::Unwritable("the address"))?;
        let name = mail.from_name.as_deref().map(one_line).filter(|name| !name.is_empty());
        let name = name.or_else(|| self.from.name.clone());
        let own = mail.from_address.as_deref().map(str::parse::<Address>).transpose();
        let own = own.map_err(|_source| MailError::Unwritable("the address of the sender"))?;
        let mut builder = Message::builder();
        if own.is_some() {
            builder = builder.sender(self.from.clone());
        }
        let mut builder = builder
            .from(Mailbox::new(name, own.unwrap_or_else(|| self.from.email.clone())))
            .to(to.into())
            .date(mail.at)
            .subject(one_line(&mail.subject))
            .message_id(Some(bracketed(&mail.message_id)?));
        if let Some(answered) = &mail.in_reply_to {
            let answered = bracketed(answered)?;
            builder = builder.in_reply_to(answered.clone()).references(answered);
        }
        for (name, value) in &mail.headers {
            let name = HeaderName::new_from_ascii((*name).to_owned());
            let name = name.map_err(|_source| MailError::Unwritable("the name of a header"))?;
            builder = builder.raw_header(HeaderValue::new(name, one_line(value)));
        }
        with_body(builder, mail).map_err(|_source| MailError::Unwritable("what it is made of"))
    }
}

fn with_body(builder: MessageBuilder, mail: &Mail) -> Result<Message, lettre::error::Error> {
    // A text in this encoding cannot contain `=_`, with which the boundary begins.
    let part = |kind: ContentType, body: &str| {
        let builder = SinglePart::builder().header(kind).header(ContentTransferEncoding::QuotedPrintable);
        builder.body(body.trim_end().to_owned())
    };
    let text = part(ContentType::TEXT_PLAIN, &mail.text);
    match &mail.html {
        None => builder.singlepart(text),
        Some(html) => {
            let parts = MultiPart::builder().kind(MultiPartKind::Alternative).boundary("=_tenon_part");
            builder.multipart(parts.singlepart(text).singlepart(part(ContentType::TEXT_HTML, html)))
        }
    }
}

/// The text on one line, without control characters.
fn one_line(text: &str) -> String {
    let blanked: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    blanked.trim().to_owned()
}

fn bracketed(id: &str) -> Result<String, MailError> {
    let is_plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-[]:".contains(&byte))
    };
    match id.split_once('@') {
        Some((left, host)) if is_plain(left) && is_plain(host) => Ok(format!("<{id}>")),
        _ => Err(MailError::Unwritable("its id")),
    }
}

fn unsent(error: &lettre::transport::smtp::Error) -> MailError {
    if let Some(code) = error.status() {
        return MailError::Refused(code.to_string());
    }
    MailError::Unavailable(if error.is_timeout() {
        "it did not answer in time"
    } else if error.is_tls() {
        "no encrypted connection could be made"
    } else if error.is_client() {
        "it does not offer what is configured: encryption, or a way to sign in"
    } else if error.is_response() {
        "its answer is not that of a mail server"
    } else {
        "no connection could be made"
    })
}

/// Writes a mail into a folder, under a name that has the id of the mail and its recipient. The same mail replaces itself.
fn write_into(folder: &Path, mail: &Mail, bytes: &[u8]) -> io::Result<()> {
    let plain = |text: &str| -> String {
        let kept = |c: char| if c.is_ascii_alphanumeric() || ".-_@".contains(c) { c } else { '_' };
        text.chars().take(100).map(kept).collect()
    };
    let name = format!("{}.{}.eml", plain(&mail.message_id), plain(&mail.to));
    let begun = folder.join(format!("{name}.part"));
    std::fs::write(&begun, bytes)?;
    std::fs::rename(begun, folder.join(name))
}

#[cfg(test)]
mod tests;
