//! That no public function of `app` uses the application without knowing who calls.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::Finding;
use super::floors::Source;
use super::imports;

const FOLDER: &str = "crates/app/src";

/// The types that say who calls: the credentials of a request, a transaction of an authenticated caller, or the objects
/// that such a transaction has found to be visible.
const CALLERS: [&str; 18] = [
    "ClientCredentials",
    "Code",
    "Command",
    "Credential",
    "FetchProof",
    "GitCaller",
    "GitCommand",
    "GitRequest",
    "Identity",
    "Introspector",
    "LfsRequest",
    "PushedBranch",
    "Query",
    "SignIn",
    "SshCaller",
    "TokenRequest",
    "VisibleFile",
    "VisiblePicture",
];

/// The functions that need no caller, with the reason. Those of `App` have its name in front, all others that of their
/// module.
const EXCEPTIONS: &[(&str, &[&str])] = &[
    (
        "It reads and changes nothing that belongs to users.",
        &[
            "App::admit_address",
            "App::admit_sign_in",
            "App::backup_plan",
            "App::base_url",
            "App::colours",
            "App::colours_of_fences",
            "App::colours_of_file",
            "App::count_by_settings",
            "App::count_request",
            "App::count_ssh_connection",
            "App::counts_callers",
            "App::file_permit",
            "App::has_passkeys",
            "App::known_settings",
            "App::limits",
            "App::masked",
            "App::new_secret",
            "App::now",
            "App::outside_pictures",
            "App::providers",
            "App::seconds_now",
            "App::sends_mail",
            "App::serves_ssh",
            "App::token_key",
            "App::used_by",
            "App::with_origin",
            "App::waiting",
            "shared::markdown::inline",
        ],
    ),
    (
        "It finds out who calls, or makes the caller's account or session.",
        &[
            "App::ask_for_passkey",
            "App::awaiting_second_factor",
            "App::begin_openid",
            "App::complete_sign_in",
            "App::prove_git",
            "App::sign_in_with_passkey",
            "App::sign_up",
            "App::ssh_caller",
            "App::start_session",
            "App::token_info",
            "App::verify_second_factor",
        ],
    ),
    (
        "The program itself calls it: at its start and end, for its jobs and for its health.",
        &[
            "App::backups",
            "App::database",
            "App::end_streams",
            "App::finish_server_task",
            "App::new",
            "App::objects",
            "App::ready",
            "App::recover_merges",
            "App::recover_server_tasks",
            "App::start_server_task",
            "App::refresh_settings",
            "App::sweep_repositories",
            "jobs::enqueue_stored",
            "jobs::recover",
            "jobs::relay_events",
            "jobs::runner::new",
            "jobs::runner::pool",
            "jobs::schedule::start_schedule",
            "jobs::serve",
            "jobs::threads",
            "jobs::upkeep::flush_usage",
            "workflows::transport::hooks::answer_hooks",
        ],
    ),
    (
        "The command line calls it: its user may read the whole database anyway.",
        &[
            "App::administer",
            "App::command",
            "App::new_password_now",
            "App::set_aside_strays",
            "core::mail::send_test",
            "jobs::counts",
            "jobs::report",
            "repository::maintenance::reconcile::reconcile_all",
            "workflows::doctor::doctor",
            "workflows::first_start::first_start",
            "workflows::notification::unsubscribe::remove_suppressions",
            "workflows::notification::unsubscribe::suppressions",
            "workflows::webhook::failing::dropped_mails",
            "workflows::webhook::failing::failing",
            "workflows::webhook::failing::resend_parked",
        ],
    ),
];

/// A public function that uses the application and takes none of [`CALLERS`].
struct Anonymous {
    name: String,
    line: usize,
}

/// One finding for each such function that is no exception, and for each exception that is no such function.
pub(super) fn check(sources: &[Source]) -> Result<Vec<Finding>> {
    let mut unused: BTreeSet<&str> = EXCEPTIONS.iter().flat_map(|(_, names)| *names).copied().collect();
    let mut findings = Vec::new();
    for source in sources {
        let Ok(inside) = Path::new(&source.file).strip_prefix(FOLDER) else { continue };
        let tokens: TokenStream = source.text.parse().map_err(|error| anyhow!("{}: {error}", source.file))?;
        let mut found = Vec::new();
        walk(tokens, &imports::module_of(inside).join("::"), &mut found);
        for function in found {
            if !unused.remove(function.name.as_str()) {
                findings.push(Finding {
                    file: format!("{}:{}", source.file, function.line),
                    rule: "a public function of app knows who calls",
                    fault: format!("{} takes no identity, query or command", function.name),
                    fix: "let a use case take `&mut Query` or `&mut Command`; make other functions pub(crate); if it needs no \
                          caller, add it to EXCEPTIONS in xtask/src/tidy/identity.rs, under the reason",
                });
            }
        }
    }
    findings.extend(unused.into_iter().map(|name| Finding {
        file: "xtask/src/tidy/identity.rs".to_owned(),
        rule: "each exception is needed",
        fault: format!("{name} is no public function without a caller"),
        fix: "remove the name",
    }));
    Ok(findings)
}

/// Finds the functions of a module; `of` is its path, or `App` within the methods of that type.
fn walk(tokens: TokenStream, of: &str, found: &mut Vec<Anonymous>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut rest = tokens.as_slice();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            TokenTree::Ident(word) if word == "mod" => {
                // Modules in braces are tests.
                if let [TokenTree::Ident(_), TokenTree::Group(_), after @ ..] = after {
                    rest = after;
                }
            }
            TokenTree::Ident(word) if word == "impl" => {
                if let [TokenTree::Ident(name), TokenTree::Group(body), after @ ..] = after {
                    walk(body.stream(), if name == "App" { "App" } else { of }, found);
                    rest = after;
                }
            }
            TokenTree::Ident(word) if word == "pub" => found.extend(function(after, of)),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => walk(group.stream(), of, found),
            TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The function that begins behind the word `pub`, if it is one that no caller is known to.
fn function(tokens: &[TokenTree], of: &str) -> Option<Anonymous> {
    let words = tokens.iter().take_while(|token| matches!(token, TokenTree::Ident(_))).count();
    let (words, rest) = tokens.split_at_checked(words)?;
    let [.., TokenTree::Ident(keyword), TokenTree::Ident(name)] = words else { return None };
    if keyword != "fn" {
        return None;
    }
    // Generic parameters may have brackets of their own; the first group behind the name is the list of arguments.
    let arguments = rest.iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => Some(group.stream()),
        TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })?;
    // The arguments of a closure are in a group of its own, and say nothing of the caller.
    let named: BTreeSet<String> = arguments
        .into_iter()
        .filter_map(|token| match token {
            TokenTree::Ident(word) => Some(word.to_string()),
            TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
        })
        .collect();
    let uses_app = named.contains("App") || (of == "App" && (named.contains("self") || named.contains("Parts")));
    // A method of another type has the data that the value was made from: a caller was known then.
    let is_known = CALLERS.iter().any(|caller| named.contains(*caller)) || (of != "App" && named.contains("self"));
    let name_line = name.span().start().line;
    (uses_app && !is_known).then(|| Anonymous { name: format!("{of}::{name}"), line: name_line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        walk(text.parse().unwrap(), "m", &mut found);
        found.into_iter().map(|function| function.name).collect()
    }

    #[test]
    fn a_public_function_without_a_caller_is_found() {
        for (text, want) in [
            ("pub async fn read(app: &App, id: i64) {}", &["m::read"][..]),
            ("pub fn run<T>(app: &App, work: impl FnOnce(&mut Command<'_>) -> T) {}", &["m::run"]),
            ("impl App { pub fn all(&self) {} fn own(&self) {} }", &["App::all"]),
            ("impl Other { pub fn all(&self, app: &App) {} pub fn with(app: &App) {} }", &["m::with"]),
            ("pub async fn read(app: &App, identity: &Identity) {}", &[]),
            ("pub(crate) fn read(app: &App) {}", &[]),
            ("fn read(app: &App) {}", &[]),
            ("pub fn read(query: &mut Query<'_>) {}", &[]),
            ("mod tests { pub fn read(app: &App) {} }", &[]),
        ] {
            assert_eq!(names(text), want, "{text}");
        }
    }

    #[test]
    fn an_exception_that_is_not_needed_is_a_finding() {
        let faults: Vec<String> = check(&[]).unwrap().into_iter().map(|finding| finding.fault).collect();
        assert!(faults.contains(&"App::command is no public function without a caller".to_owned()), "{faults:?}");
    }
}
