//! Markdown to safe HTML, and what a text refers to.
//!
//! Every function is pure: the same text gives the same answer. All of them find references in one place
//! (`document::Document::found`), so that what is listed, what is linked and what is rewritten cannot differ.

mod closing;
mod document;
mod emoji;
mod html;
mod link;
mod nesting;
mod raw_html;
mod reference;
mod rewrite;
mod sanitise;
mod scan;
mod spans;
mod tag;
mod tasks;
#[cfg(test)]
mod tests;

pub use closing::closes;
pub use emoji::emoji_name;
pub use html::{Target, html, plain_html};
pub use reference::{MAX_REFERENCES, Mention, Options, Reference, mentions, references};
pub use rewrite::rewrite;
pub use tasks::{Tasks, tasks};

/// The longest text that is parsed, in characters. A longer one is shown as it was written, and refers to nothing.
const MAX_CHARACTERS: usize = 1_000_000;

/// Whether `text` is too long to be parsed.
fn is_too_long(text: &str) -> bool {
    // Counting is only worth it where the bytes leave a doubt.
    text.len() > MAX_CHARACTERS && text.chars().count() > MAX_CHARACTERS
}
