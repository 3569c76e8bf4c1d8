//! What callers read whose account may not be used, over the API and in Git.

use tenon_domain::user::Exclusion;

/// The reason, for the user. `base_url` is where one signs in.
pub(crate) fn words(exclusion: Exclusion, base_url: &str) -> String {
    match exclusion {
        Exclusion::Internal => "This action cannot be performed by internal users".to_owned(),
        Exclusion::Blocked => "Your account has been blocked.".to_owned(),
        Exclusion::Banned => "Your account has been banned.".to_owned(),
        Exclusion::Pending => "Your account is pending approval from your administrator and hence blocked.".to_owned(),
        Exclusion::Deactivated => format!(
            "Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate \
             your account at {base_url}"
        ),
    }
}
