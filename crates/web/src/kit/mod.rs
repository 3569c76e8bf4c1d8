//! The ground floor: answers, cookies, forms, addresses. Nothing here depends on the subject of a page.

pub(crate) mod address;
pub(crate) mod answer;
pub(crate) mod asset;
pub(crate) mod browser_cache;
pub(crate) mod choice;
pub(crate) mod code;
pub(crate) mod cookie;
pub(crate) mod csrf;
pub(crate) mod error;
pub(crate) mod fence;
pub(crate) mod flash;
pub(crate) mod form;
pub(crate) mod found;
pub(crate) mod gap;
pub(crate) mod gzip;
pub(crate) mod header;
pub(crate) mod icon;
pub(crate) mod look;
pub(crate) mod notebook;
pub(crate) mod pagination;
pub(crate) mod parameters;
pub(crate) mod pill;
pub(crate) mod problems;
pub(crate) mod qr;
pub(crate) mod return_to;
pub(crate) mod segment;
pub(crate) mod setting_field;
pub(crate) mod sheet;
pub(crate) mod subject;
pub(crate) mod taken;
pub(crate) mod text;
pub(crate) mod text_style;
pub(crate) mod times;
#[cfg(test)]
mod verbs;
pub(crate) mod words;

/// The text of all templates of the pages.
#[cfg(test)]
pub(crate) fn templates() -> String {
    fn texts(folder: &std::path::Path) -> String {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| if path.is_dir() { texts(&path) } else { std::fs::read_to_string(path).unwrap() }).collect()
    }
    texts(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates"))
}
