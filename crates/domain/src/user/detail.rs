//! The details of an account about the person at work.

use crate::field_errors::FieldErrors;

/// The details of an account about the person at work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserDetails {
    /// As what the person works; empty when unset.
    pub job_title: String,
    /// How the person wants to be spoken of.
    pub pronouns: Option<String>,
}

impl UserDetails {
    /// Notes what is wrong with the texts.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.at_most(200, "job_title", &self.job_title);
        errors.at_most(50, "pronouns", self.pronouns.as_deref().unwrap_or_default());
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
            let details = UserDetails { job_title: title.to_owned(), pronouns: None };
            assert_eq!(details.work_information(organization).as_deref(), want);
        }
    }
}
