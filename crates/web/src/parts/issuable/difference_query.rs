//! The parameters of the difference of a merge request in an address.

use crate::kit::address::in_query;
use crate::kit::parameters::Parameters;

/// The value in an address that asks for the changes since the caller last looked.
pub(crate) const SEEN: &str = "seen";

/// The paths of the file that alone is requested, before and after, in their kept form.
pub(crate) fn file(asked: &Parameters) -> Option<(String, String)> {
    let after = asked.path("new_path")?;
    Some((asked.path("old_path").unwrap_or(after).to_owned(), after.to_owned()))
}

/// The query that narrows a difference to one file.
pub(crate) fn only((before, after): &(String, String)) -> String {
    format!("old_path={}&new_path={}", in_query(before), in_query(after))
}

/// The query of the difference that an address asks for, with a question mark. Empty for the newest one.
pub(crate) fn kept(asked: &Parameters) -> String {
    let since = asked.text("since").filter(|since| *since == SEEN).map(|since| format!("since={since}"));
    let version = asked.number("diff_id").map(|id| format!("diff_id={id}"));
    let start = asked.text("start_sha").map(|start| format!("start_sha={}", in_query(start)));
    let mode =
        asked.text("view").filter(|mode| matches!(*mode, "parallel" | "inline")).map(|mode| format!("view={mode}"));
    let space = asked.text("w").filter(|space| matches!(*space, "0" | "1")).map(|space| format!("w={space}"));
    let one = file(asked).as_ref().map(only);
    let number = asked.number("file").map(|number| format!("file={number}"));
    let parts: Vec<String> =
        since.into_iter().chain(version).chain(start).chain(one).chain(number).chain(mode).chain(space).collect();
    if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
}
