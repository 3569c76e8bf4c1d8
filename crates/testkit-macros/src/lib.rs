//! The attribute of tests that run on both databases. `tenon-testkit` exports it; it is a crate of its own because Rust asks for that.

use proc_macro::{TokenStream, TokenTree};

/// Makes two tests of a function that takes a `&TestServer`: `name::sqlite` and `name::postgres`, each on a fresh server. If
/// PostgreSQL is neither installed nor required, the second test prints that and passes.
///
/// ```text
/// #[both_databases]
/// fn a_project_has_a_name(server: &TestServer) {
///     let alice = server.user("alice");
///     let project = alice.post("/projects", json!({"name": "Tool"})).assert_status(201).json();
///     assert_eq!(project["path"], "tool");
/// }
/// ```
///
/// `#[both_databases(mail)]` starts servers that send mail, `#[both_databases(named)]` those whose public address has a
/// name, and `#[both_databases(openid)]` those with two sign-in providers.
///
/// The function itself stays as it is. The tests are in a module of the same name, which calls it.
#[proc_macro_attribute]
pub fn both_databases(options: TokenStream, function: TokenStream) -> TokenStream {
    let start = match options.to_string().as_str() {
        "" => "start",
        "mail" => "start_with_mail",
        "named" => "start_named",
        "openid" => "start_with_openid",
        _ => return error("the options of `both_databases` are `mail`, `named` and `openid`"),
    };
    let Some(name) = name(&function) else {
        return error("`both_databases` belongs on a function");
    };
    let test = |database: &str, backend: &str| {
        format!(
            "#[test]
            fn {database}() {{
                ::tenon_testkit::run_test(
                    ::tenon_testkit::Backend::{backend},
                    ::tenon_testkit::TestServer::{start},
                    super::{name},
                );
            }}"
        )
    };
    let tests = format!("mod {name} {{ {} {} }}", test("sqlite", "Sqlite"), test("postgres", "Postgres"));
    match tests.parse::<TokenStream>() {
        Ok(tests) => [function, tests].into_iter().collect(),
        Err(_) => error("`both_databases` could not make its tests"),
    }
}

/// The word after the first `fn` that is in no bracket.
fn name(function: &TokenStream) -> Option<String> {
    let mut tokens = function.clone().into_iter();
    tokens.find(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn"))?;
    match tokens.next()? {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    }
}

/// The error that the compiler reports at the attribute.
fn error(text: &str) -> TokenStream {
    format!("::core::compile_error!({text:?});").parse().unwrap_or_default()
}
