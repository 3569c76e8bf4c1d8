//! Positions in differences, as they are stored: one text that nothing is searched in.

use serde_json::{Value, json};
use tenon_domain::note::DiffPosition;

pub(super) fn encode(position: &DiffPosition) -> String {
    json!({
        "base": position.base, "start": position.start, "head": position.head,
        "old_path": position.old_path, "new_path": position.new_path,
        "old_line": position.old_line, "new_line": position.new_line,
    })
    .to_string()
}

pub(super) fn decode(text: &str) -> Option<DiffPosition> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_comes_back() {
        let position = DiffPosition {
            base: "a".repeat(40),
            start: "b".repeat(40),
            head: "c".repeat(40),
            old_path: "a \"quoted\" name".to_owned(),
            new_path: "b".to_owned(),
            old_line: None,
            new_line: Some(7),
        };
        assert_eq!(decode(&encode(&position)), Some(position));
        assert_eq!(decode("{}"), None);
    }
}
