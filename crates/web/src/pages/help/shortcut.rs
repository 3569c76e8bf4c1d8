//! The keys that the script knows.

use askama::Template;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// Keys that lead to an element of a page: the one with this value in `data-key`.
const OF_PAGES: [(&str, &str); 16] = [
    ("/", "Go to the field for searching"),
    ("?", "Show this page"),
    ("t", "Find a file of the project"),
    ("y", "Go to the address of this file or folder at this commit, which does not change"),
    ("c", "New issue or merge request, on their lists; comment, on one of them"),
    ("e", "Edit the issue or merge request"),
    ("l", "Change its labels"),
    ("n", "Next page of a list, or next thread"),
    ("p", "Previous page of a list, or previous thread"),
    ("g o", "Go to the front of the project or group"),
    ("g f", "Go to the files of the project"),
    ("g c", "Go to the commits of the project"),
    ("g i", "Go to the issues"),
    ("g m", "Go to the merge requests"),
    ("g t", "Go to the to-do list"),
    ("g p", "Go to the first page, which lists your projects"),
];

/// Keys whose elements the script finds by itself.
const OF_ROWS: [(&str, &str); 2] =
    [("j", "Next row of a list, file of a difference or entry of a conversation"), ("k", "The one before")];

/// Keys in a field for a text. The script has them.
const OF_TEXTS: [(&str, &str); 10] = [
    ("Ctrl Enter", "Send the form"),
    ("Ctrl b", "Bold"),
    ("Ctrl i", "Italic"),
    ("Ctrl k", "Link"),
    ("Ctrl e", "Code"),
    ("Enter", "In a list: begin the next item, or end the list after an empty one"),
    ("Tab", "In a list, in code and in several lines: indent"),
    ("Shift Tab", "The same backwards"),
    ("Esc Tab", "Leave the field"),
    ("@ # ! ~ % : /", "Suggest people, issues, merge requests, labels, milestones, emoji and quick actions"),
];

#[derive(Template)]
#[template(path = "help/shortcuts.html")]
struct ShortcutsPage {
    frame: Frame,
    shortcuts: Vec<(Vec<&'static str>, &'static str)>,
    of_texts: Vec<(Vec<&'static str>, &'static str)>,
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let keys = |(keys, words): (&'static str, &'static str)| (keys.split(' ').collect(), words);
    let shortcuts = OF_PAGES.into_iter().chain(OF_ROWS).map(keys).collect();
    let of_texts = OF_TEXTS.into_iter().map(keys).collect();
    Answer::page(&ShortcutsPage { frame: context.frame().await?, shortcuts, of_texts })
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
        let script = crate::kit::asset::SCRIPT;
        for (key, _) in OF_ROWS {
            assert!(script.contains(&format!("=== \"{key}\"")), "{key}");
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
