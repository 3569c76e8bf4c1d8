//! Passwords in the arguments of the program.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// The argument and the variable that name the database.
const FLAG: &str = "--database-url";
const VARIABLE: &str = "TENON_DATABASE_URL";

/// Every account of the machine can read the arguments of a process. If the address of the database has a password, this program takes
/// its own place with the address in the environment, which only its own account can read. If that fails, it goes on as it is.
pub(crate) fn hide_password() {
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    let Some((address, rest)) = without_password(arguments.collect()) else { return };
    let Ok(program) = std::env::current_exe() else { return };
    #[expect(clippy::disallowed_methods, reason = "the program takes its own place")]
    let mut again = Command::new(program);
    let _failed = again.arg0(name).args(rest).env(VARIABLE, address).exec();
}

/// The address with a password, and the arguments without it; `None` if there is none.
fn without_password(mut arguments: Vec<OsString>) -> Option<(String, Vec<OsString>)> {
    let at = arguments.iter().position(|argument| {
        argument
            .to_str()
            .is_some_and(|text| text.strip_prefix(FLAG).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')))
    })?;
    let given = arguments.remove(at).into_string().ok()?;
    let address = match given.split_once('=') {
        Some((_, address)) => address.to_owned(),
        None if at < arguments.len() => arguments.remove(at).into_string().ok()?,
        None => return None,
    };
    has_password(&address).then_some((address, arguments))
}

/// True if the address of a database has a password.
pub(crate) fn has_password(address: &str) -> bool {
    let rest = address.split_once("://").map_or("", |(_, rest)| rest);
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let user = place.rsplit_once('@').map_or("", |(user, _)| user);
    user.contains(':') || query.split('&').any(|parameter| parameter.starts_with("password="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(arguments: &[&str]) -> Option<(String, Vec<OsString>)> {
        without_password(arguments.iter().map(OsString::from).collect())
    }

    #[test]
    fn an_address_with_a_password_leaves_the_arguments() {
        let url = "postgres://ada:secret@db/tenon";
        let rest = || ["serve", "--workers", "2"].map(OsString::from).to_vec();
        assert_eq!(hidden(&["serve", "--database-url", url, "--workers", "2"]), Some((url.to_owned(), rest())));
        assert_eq!(
            hidden(&["serve", "--workers", "2", &format!("--database-url={url}")]),
            Some((url.to_owned(), rest()))
        );
        let in_query = "postgres:///tenon?host=db&password=secret";
        assert!(hidden(&["--database-url", in_query]).is_some());
        for without in ["postgres://ada@db/tenon", "sqlite:tenon.db", "postgres://db:5432/tenon?sslmode=require"] {
            assert_eq!(hidden(&["--database-url", without]), None, "{without}");
        }
        assert_eq!(hidden(&["--database-url"]), None);
        assert_eq!(hidden(&["--database-urls=postgres://a:b@c/d"]), None);
    }
}
