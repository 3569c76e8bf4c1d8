//! Positions in differences, as they are stored: one text that nothing is searched in.

use serde_json::{Value, json};
use tenon_domain::note::DiffPosition;

/// The text that is stored for a position.
#[must_use]
pub fn encode(position: &DiffPosition) -> String {
    json!({
        "base": position.base, "start": position.start, "head": position.head,
        "old_path": position.old_path, "new_path": position.new_path,
        "old_line": position.old_line, "new_line": position.new_line,
    })
    .to_string()
}

/// The position that a stored text stands for; `None` if the text is no position.
#[must_use]
pub fn decode(text: &str) -> Option<DiffPosition> {
    let stored: Value = serde_json::from_str(text).ok()?;
    let field = |name: &str| stored.get(name)?.as_str().map(ToOwned::to_owned);
    let line = |name: &str| stored.get(name)?.as_i64();
    Some(DiffPosition {
        base: field("base")?,
        start: field("start")?,
        head: field("head")?,
        old_path: field("old_path")?,
        new_path: field("new_path")?,
        old_line: line("old_line"),
        new_line: line("new_line"),
    })
}
