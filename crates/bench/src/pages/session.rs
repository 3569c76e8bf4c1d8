//! The session in which pages are measured.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tenon_testkit::{Client, Reply};

/// The password that the administrator gets. No one else reaches the server.
const PASSWORD: &str = "measurements of pages only";

/// The cookies of a session of the administrator, whose token the client has.
pub(super) fn signed_in(client: &Client) -> Result<String> {
    let changed = client.put("/users/1", json!({"password": PASSWORD}));
    ensure!(changed.status() == 200, "the password cannot be set: {}", changed.text());
    let visitor = Client::new(client.base(), None);
    let form = visitor.get("//users/sign_in");
    let html = form.text();
    let (_, rest) = html.split_once(r#"name="authenticity_token" value=""#).context("a form without a token")?;
    let (token, _) = rest.split_once('"').context("a token without an end")?;
    let fields = [("authenticity_token", token), ("user[login]", "root"), ("user[password]", PASSWORD)];
    let body: Vec<String> =
        fields.iter().map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
    let answer = visitor.header("Cookie", &cookies(&[&form])?).header("Origin", client.base()).form(
        "POST",
        "//users/sign_in",
        &body.join("&"),
    );
    ensure!(answer.status() == 302, "the sign-in answers {}: {}", answer.status(), answer.text());
    cookies(&[&form, &answer])
}

/// The cookies that these answers have set; a later one counts.
fn cookies(answers: &[&Reply]) -> Result<String> {
    let mut kept: Vec<(String, String)> = Vec::new();
    for line in answers.iter().flat_map(|answer| answer.headers().get_all("set-cookie")) {
        let pair = line.to_str()?.split(';').next().unwrap_or_default();
        let (name, value) = pair.split_once('=').context("a cookie without a value")?;
        kept.retain(|(known, _)| known != name);
        kept.push((name.to_owned(), value.to_owned()));
    }
    let pairs: Vec<String> = kept.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    Ok(pairs.join("; "))
}

fn escaped(text: &str) -> String {
    let one = |byte: u8| {
        if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(one).collect()
}
