//! Sending mail, if the server is configured to.

use std::borrow::Cow;

use tenon_domain::id::UserId;
use tenon_domain::refusal::NotificationRefusal;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_outbound::mail::{Mail, MailError};

use crate::core::app::{App, Query};
use crate::core::caller::Rights;
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::links::host_of;

/// How long a mail is tried.
const TRIED_FOR: TimeDelta = TimeDelta::days(2);
/// Seconds after which it is tried again.
pub(crate) const AGAIN_AFTER: u32 = 300;

/// The outcome of a mail that a job has sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It was taken, or it is given up.
    Done,
    /// It is not taken for this recipient now.
    RecipientLater,
    /// The mail server cannot be used now.
    AllLater,
}

/// Text as it stands in HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl App {
    /// True if mail is sent at all.
    pub fn sends_mail(&self) -> bool {
        self.parts().mail.is_some()
    }

    /// Sends a mail; does nothing if none is sent. Blocks, for as long as the mail server takes.
    pub(crate) fn send_mail(&self, mail: &Mail) -> Result<(), AppError> {
        let Some(mailer) = &self.parts().mail else { return Ok(()) };
        let most = usize::try_from(self.limits().mail.message).unwrap_or(usize::MAX);
        mailer.send(&self.with_additional_text(mail), most).map_err(AppError::internal)
    }

    /// The mail with the text that administrators put at the end of each.
    fn with_additional_text<'m>(&self, mail: &'m Mail) -> Cow<'m, Mail> {
        let settings = self.known_settings();
        let Some(text) = &settings.email_text else { return Cow::Borrowed(mail) };
        let html = mail.html.as_ref().map(|html| {
            let lines = escaped(text).replace('\n', "<br>");
            let (start, end) =
                html.rsplit_once("</body>").map_or((html.as_str(), ""), |(start, _)| (start, "</body></html>"));
            format!("{start}<p>{lines}</p>{end}")
        });
        Cow::Owned(Mail { text: format!("{}\n{text}\n", mail.text), html, ..mail.clone() })
    }

    /// Sends a user the mail that `compose` makes of what happened at `since`, as [`App::send_composed`] does.
    pub(crate) fn mail_to(
        &self,
        user: UserId,
        since: Timestamp,
        compose: impl FnOnce(&mut Query<'_>) -> Result<Option<Mail>, AppError>,
    ) -> Result<(), AppError> {
        let composed = self.query_as(user, Rights::OfAccount, compose);
        self.send_composed(composed.map(Option::flatten), since)
    }

    /// Sends a mail of a job, as [`App::send_mail_of`] does. Nothing is sent if there is nothing to say any more, or if the user
    /// may not see what it is about.
    pub(crate) fn send_composed(
        &self,
        composed: Result<Option<Mail>, AppError>,
        since: Timestamp,
    ) -> Result<(), AppError> {
        match composed {
            Ok(Some(mail)) => self.send_mail_of(&mail, since),
            Ok(None) | Err(AppError::NotFound(_) | AppError::Forbidden) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// As [`App::send_mail`], for a job about what happened at `since`: it is tried again while the mail server cannot
    /// be used, for two days. A mail that the mail server refuses for good, or that cannot be one, is logged and given
    /// up.
    pub(crate) fn send_mail_of(&self, mail: &Mail, since: Timestamp) -> Result<(), AppError> {
        match self.try_mail_of(mail, since) {
            Sent::Done => Ok(()),
            Sent::RecipientLater | Sent::AllLater => Err(AppError::Busy { retry_after: AGAIN_AFTER }),
        }
    }

    /// As [`App::send_mail_of`], for a job that sends more than one mail: what cannot be sent now is sent again by the caller,
    /// after [`AGAIN_AFTER`] seconds.
    pub(crate) fn try_mail_of(&self, mail: &Mail, since: Timestamp) -> Sent {
        let Some(mailer) = &self.parts().mail else { return Sent::Done };
        let most = usize::try_from(self.limits().mail.message).unwrap_or(usize::MAX);
        let Err(error) = mailer.send(&self.with_additional_text(mail), most) else { return Sent::Done };
        if error.is_passing() && self.now() < since + TRIED_FOR {
            tracing::warn!(%error, "a mail is sent again later");
            return if error.is_of_recipient() { Sent::RecipientLater } else { Sent::AllLater };
        }
        tracing::error!(%error, "a mail is given up");
        Sent::Done
    }

    /// As [`send_test`], to the caller's own address, which it yields; administrators only. Fails with 503 if too many calls to
    /// other servers are under way.
    pub async fn send_test_mail(&self, identity: &Identity) -> Result<String, AppError> {
        let address = self.read(identity, |query| {
            if !query.is_admin() {
                return Err(AppError::Forbidden);
            }
            Ok(query.user()?.email.clone())
        });
        let address = address.await?;
        let _permit = self.permit_call().await?;
        let (app, to) = (self.clone(), address.clone());
        tokio::task::spawn_blocking(move || send_test(&app, &to)).await.map_err(AppError::internal)??;
        Ok(address)
    }

    /// The id of a mail, from what distinguishes it: the same for each time that it is sent.
    pub(crate) fn mail_id(&self, name: &str) -> String {
        format!("{name}@{}", host(self.base_url()))
    }
}

/// The host of this base URL, as it stands in the ids of mails.
#[must_use]
pub fn host(base_url: &str) -> &str {
    let host = host_of(base_url);
    if host.is_empty() { "localhost" } else { host }
}

/// A mail without anything but a text, from the server.
pub(crate) fn plain(to: &str, subject: String, message_id: String, text: String, at: Timestamp) -> Mail {
    Mail {
        to: to.to_owned(),
        from_name: None,
        from_address: None,
        subject,
        message_id,
        in_reply_to: None,
        // No other program is to answer it (RFC 3834).
        headers: vec![("Auto-Submitted", "auto-generated".to_owned())],
        text,
        html: None,
        at: at.into(),
    }
}

/// A name as it stands in a sentence of a mail: on one line.
pub(crate) fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Sends a mail to this address at once, to see whether mail is configured as it should be. Blocks. Fails if none is
/// sent, and if it was not taken.
pub fn send_test(app: &App, address: &str) -> Result<(), AppError> {
    if !app.sends_mail() {
        return Err(NotificationRefusal::NoMail.into());
    }
    let now = app.now();
    let text = format!("This is a test email from {}.\n", app.base_url());
    let id = app.mail_id(&format!("test_{}", now.timestamp_micros()));
    app.send_mail(&plain(address, "Test email".to_owned(), id, text, now)).map_err(|error| match error {
        AppError::Internal(cause) if cause.is::<MailError>() => {
            AppError::from(NotificationRefusal::NotSent(cause.to_string()))
        }
        other => other,
    })
}
