//! Sign-in providers in `tenon.toml`: `[[sign_in.openid]]`.

use std::path::PathBuf;

use serde::Deserialize;
use tenon_app::{Secret, SignInProvider};

/// The most providers.
const MOST: usize = 20;

/// The section of the file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignIn {
    #[serde(default)]
    openid: Vec<OpenId>,
}

/// One provider.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenId {
    name: String,
    label: Option<String>,
    issuer: String,
    client_id: String,
    client_secret: Option<String>,
    client_secret_file: Option<PathBuf>,
    scopes: Option<Vec<String>>,
    #[serde(default)]
    allow_sign_up: bool,
}

/// The providers of the section. Fails with the first problem.
pub(crate) fn providers(section: &SignIn) -> Result<Vec<SignInProvider>, String> {
    if section.openid.len() > MOST {
        return Err(format!("there are more than {MOST} providers"));
    }
    let mut all: Vec<SignInProvider> = Vec::new();
    for given in &section.openid {
        let provider = provider(given).map_err(|problem| format!("{:?}: {problem}", given.name))?;
        if all.iter().any(|known| known.name == provider.name || known.issuer == provider.issuer) {
            return Err(format!("{:?}: another provider has this name or issuer", given.name));
        }
        all.push(provider);
    }
    Ok(all)
}

fn provider(given: &OpenId) -> Result<SignInProvider, String> {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    if given.name.is_empty() || given.name.len() > 64 || !given.name.chars().all(is_word) {
        return Err("name must have 1 to 64 lower-case letters, digits, - and _".to_owned());
    }
    check_issuer(&given.issuer)?;
    if given.client_id.is_empty() {
        return Err("client_id is missing".to_owned());
    }
    let secret = match (&given.client_secret, &given.client_secret_file) {
        (Some(_), Some(_)) => return Err("client_secret and client_secret_file cannot both be set".to_owned()),
        (Some(secret), None) => Some(secret.clone()),
        (None, Some(path)) => {
            let text = std::fs::read_to_string(path);
            Some(text.map_err(|error| format!("{} cannot be read: {error}", path.display()))?.trim().to_owned())
        }
        (None, None) => None,
    };
    let mut scopes = given.scopes.clone().unwrap_or_else(|| vec!["profile".to_owned(), "email".to_owned()]);
    // Without it, a provider gives no ID token.
    scopes.retain(|scope| scope != "openid");
    scopes.insert(0, "openid".to_owned());
    Ok(SignInProvider {
        name: given.name.clone(),
        label: given.label.clone().unwrap_or_else(|| given.name.clone()),
        issuer: given.issuer.clone(),
        client_id: given.client_id.clone(),
        client_secret: secret.filter(|secret| !secret.is_empty()).map(Secret::given),
        scopes,
        allow_sign_up: given.allow_sign_up,
    })
}

/// Refuses an issuer that is no plain URL, and one without TLS on another machine: who can read what lies between could sign in as
/// anyone.
fn check_issuer(issuer: &str) -> Result<(), String> {
    let (is_secure, rest) = match (issuer.strip_prefix("https://"), issuer.strip_prefix("http://")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => (true, ""),
    };
    if rest.is_empty() || rest.contains(['?', '#', '@', ' ']) {
        return Err("issuer must be a URL such as https://login.example.org".to_owned());
    }
    let authority = rest.split('/').next().unwrap_or_default();
    let is_here = ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| {
        let port = authority.strip_prefix(host);
        port.is_some_and(|port| port.is_empty() || port.starts_with(':'))
    });
    if is_secure || is_here { Ok(()) } else { Err("issuer must use https, except on localhost".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<SignInProvider>, String> {
        let section: SignIn = toml::from_str(text).map_err(|error| error.to_string())?;
        providers(&section)
    }

    const CORP: &str = "[[openid]]\nname = 'corp'\nissuer = 'https://login.example.org'\nclient_id = 'tenon'\n";

    #[test]
    fn a_provider_has_what_it_needs() {
        let all = parsed(&format!("{CORP}scopes = ['email']\nclient_secret = 'hidden'\n")).unwrap();
        let [corp] = &all[..] else { panic!("one provider") };
        assert_eq!(
            (corp.label.as_str(), corp.allow_sign_up, corp.scopes.join(" ").as_str()),
            ("corp", false, "openid email")
        );
        assert!(!format!("{corp:?}").contains("hidden"));
        assert_eq!(parsed("").unwrap().len(), 0);
        assert_eq!(parsed(CORP).unwrap()[0].scopes, ["openid", "profile", "email"]);
        for here in ["http://localhost:8080/realm", "http://127.0.0.1:8080", "http://[::1]"] {
            let given = CORP.replace("https://login.example.org", here);
            assert_eq!(parsed(&given).unwrap()[0].issuer, here);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, says) in [
            (CORP.replace("'corp'", "'Corp Inc'"), "name must"),
            (CORP.replace("https://", "ftp://"), "issuer must"),
            (CORP.replace("example.org", "example.org/?a"), "issuer must be a URL"),
            (CORP.replace("https://", "http://"), "issuer must use https"),
            (CORP.replace("https://login.example.org", "http://localhost.example.org"), "issuer must use https"),
            (CORP.replace("https://login.example.org", "http://[::2]:80/"), "issuer must use https"),
            (CORP.replace("'tenon'", "''"), "client_id"),
            (format!("{CORP}client_secret = 'a'\nclient_secret_file = '/b'\n"), "cannot both"),
            (format!("{CORP}client_secret_file = '/does/not/exist'\n"), "cannot be read"),
            (format!("{CORP}{CORP}"), "another provider"),
            (format!("{CORP}colour = 'red'\n"), "colour"),
            (CORP.repeat(21), "more than 20"),
        ] {
            let problem = parsed(&text).unwrap_err();
            assert!(problem.contains(says), "{says}: {problem}");
        }
    }
}
