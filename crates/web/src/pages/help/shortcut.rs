//! The keys that the script knows.

use askama::Template;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// Keys that lead to an element of a page: the one with this value in `data-key`.
const OF_PAGES: [(&str, &str); 17] = [
    ("/", "Focus the search field"),
    ("?", "Show keyboard shortcuts"),
    ("t", "Find a file"),
    ("f", "Filter the changed files"),
    ("y", "Go to the permalink of this file or directory"),
    ("c", "New issue or merge request (in their lists), or comment"),
    ("e", "Edit the issue, merge request or file"),
    ("l", "Edit labels"),
    ("n", "Next page or thread"),
    ("p", "Previous page or thread"),
    ("g o", "Go to the project or group overview"),
    ("g f", "Go to files"),
    ("g c", "Go to commits"),
    ("g i", "Go to issues"),
    ("g m", "Go to merge requests"),
    ("g t", "Go to the to-do list"),
    ("g p", "Go to the dashboard"),
];

/// Keys whose elements the script finds by itself.
const OF_ROWS: [(&str, &str); 2] = [("j", "Next row, file or comment"), ("k", "Previous row, file or comment")];

/// Arrow keys that move the issue with the focus on a board.
const OF_CARDS: [(&str, &str); 4] = [
    ("Shift Left", "Move the issue to the list before it"),
    ("Shift Right", "Move the issue to the next list"),
    ("Shift Up", "Move the issue up in its list"),
    ("Shift Down", "Move the issue down in its list"),
];

/// Keys in a field for a text. The script has them.
const OF_TEXTS: [(&str, &str); 10] = [
    ("Ctrl Enter", "Submit"),
    ("Ctrl b", "Bold"),
    ("Ctrl i", "Italic"),
    ("Ctrl k", "Link"),
    ("Ctrl e", "Code"),
    ("Enter", "Continue the list, or end it after an empty item"),
    ("Tab", "Indent list items, code or selected lines"),
    ("Shift Tab", "Outdent"),
    ("Esc Tab", "Leave the field"),
    ("@ # ! ~ % : /", "Suggest people, issues, merge requests, labels, milestones, emoji and quick actions"),
];

/// Keys in the editor of files.
const OF_EDITOR: [(&str, &str); 9] = [
    ("Ctrl Enter", "Commit changes"),
    ("Ctrl f", "Find and replace"),
    ("Ctrl z", "Undo"),
    ("Ctrl /", "Comment or uncomment lines"),
    ("Ctrl Alt g", "Go to a line"),
    ("Alt Up", "Move lines up"),
    ("Tab", "Indent"),
    ("Shift Tab", "Outdent"),
    ("Esc Tab", "Leave the editor"),
];

#[derive(Template)]
#[template(path = "help/shortcuts.html")]
struct ShortcutsPage {
    frame: Frame,
    shortcuts: Vec<(Vec<&'static str>, &'static str)>,
    of_texts: Vec<(Vec<&'static str>, &'static str)>,
    of_editor: Vec<(Vec<&'static str>, &'static str)>,
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let keys = |(keys, words): (&'static str, &'static str)| (keys.split(' ').collect(), words);
    let shortcuts = OF_PAGES.into_iter().chain(OF_ROWS).chain(OF_CARDS).map(keys).collect();
    let of_texts = OF_TEXTS.into_iter().map(keys).collect();
    let of_editor = OF_EDITOR.into_iter().map(keys).collect();
    Answer::page(&ShortcutsPage { frame: context.frame().await?, shortcuts, of_texts, of_editor })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::templates;

    #[test]
    fn the_keys_that_are_shown_are_those_of_pages_and_script() {
        let templates = templates();
        let known = |keys: &str| OF_PAGES.iter().any(|(shown, _)| shown.replace(' ', "") == keys);
        for (keys, _) in OF_PAGES {
            assert!(templates.contains(&format!("data-key=\"{}\"", keys.replace(' ', ""))), "{keys}");
        }
        for keys in templates.split("data-key=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(known(keys), "{keys}");
        }
        let script = crate::kit::asset::SOURCES;
        for (key, _) in OF_ROWS {
            assert!(script.contains(&format!("=== \"{key}\"")), "{key}");
        }
        for (keys, _) in OF_CARDS {
            let arrow = keys.replace("Shift ", "Arrow");
            assert!(script.contains("shiftKey") && script.contains(&arrow), "{arrow}");
        }
        for (keys, _) in OF_TEXTS {
            for key in keys.split(' ') {
                let named = match key {
                    "Ctrl" => "ctrlKey",
                    "Shift" => "shiftKey",
                    "Esc" => "Escape",
                    key => key,
                };
                assert!(script.contains(named), "{key}");
            }
        }
    }
}
