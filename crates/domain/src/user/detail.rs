//! The details of an account: the person at work, and what administrators know.

use crate::field_errors::FieldErrors;
use crate::id::UserId;

/// The numbers of themes, of which the first is that of a new account.
const THEMES: std::ops::RangeInclusive<i64> = 1..=11;
/// The most characters of a remark.
const NOTE: usize = 10_000;

/// The details of an account that few pages show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDetails {
    /// As what the person works; empty when unset.
    pub job_title: String,
    /// How the person wants to be spoken of.
    pub pronouns: Option<String>,
    /// The confirmed address in commits that pages and the API make; the primary one if absent.
    pub commit_email: Option<String>,
    /// A remark that administrators read.
    pub note: Option<String>,
    /// The theme that clients name. Pages have themes of their own.
    pub theme: i64,
    /// The administrator who has made the account.
    pub created_by: Option<UserId>,
    /// The address of the latest sign-in.
    pub current_sign_in_ip: Option<String>,
    /// The address of the sign-in before.
    pub last_sign_in_ip: Option<String>,
}

impl Default for UserDetails {
    fn default() -> Self {
        Self {
            job_title: String::new(),
            pronouns: None,
            commit_email: None,
            note: None,
            theme: *THEMES.start(),
            created_by: None,
            current_sign_in_ip: None,
            last_sign_in_ip: None,
        }
    }
}

impl UserDetails {
    /// Notes what is wrong with the texts.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.at_most(200, "job_title", &self.job_title);
        errors.at_most(50, "pronouns", self.pronouns.as_deref().unwrap_or_default());
        errors.at_most(NOTE, "note", self.note.as_deref().unwrap_or_default());
        errors.require(THEMES.contains(&self.theme), "theme_id", "is not included in the list");
    }

    /// As what the person works and for whom, as one text; `None` if neither is known.
    #[must_use]
    pub fn work_information(&self, organization: Option<&str>) -> Option<String> {
        match (self.job_title.as_str(), organization.unwrap_or_default()) {
            ("", "") => None,
            (title, "") => Some(title.to_owned()),
            ("", organization) => Some(organization.to_owned()),
            (title, organization) => Some(format!("{title} at {organization}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_information_joins_what_is_known() {
        for (title, organization, want) in [
            ("", None, None),
            ("", Some(""), None),
            ("Chemist", None, Some("Chemist")),
            ("", Some("Lab"), Some("Lab")),
            ("Chemist", Some("Lab"), Some("Chemist at Lab")),
        ] {
            let details = UserDetails { job_title: title.to_owned(), ..UserDetails::default() };
            assert_eq!(details.work_information(organization).as_deref(), want);
        }
    }
}
