//! Markdown to safe HTML, and the references of a text.
//!
//! Every function is pure: the same text gives the same answer. All of them find references in one place, so that the
//! listed, the linked and the rewritten references cannot differ.
//!
//! A page is rendered in two steps. [`references`] lists the names in a text. The caller looks those up and decides
//! which of them the reader may see, and [`html`] makes links of these. This crate knows neither the database nor the
//! reader.
//!
//! ```
//! use std::collections::HashMap;
//!
//! use tenon_markdown::Reference::Issue;
//! use tenon_markdown::{Options, Target, html, references};
//!
//! let options = Options::of("https://git.example");
//! let text = "Fixes #12 and #13. <script>alert(1)</script> [Run](javascript:alert(1))";
//! let named = references(text, &options);
//! assert_eq!(named.len(), 2);
//!
//! // The reader may see the first one only.
//! let visible = Issue { project: None, iid: 12 };
//! assert_eq!(named[0], visible);
//! let target = Target {
//!     href: "https://git.example/a/b/issues/12".to_owned(),
//!     title: "Oil".to_owned(),
//!     text: "#12".to_owned(),
//!     color: String::new(),
//! };
//! let page = html(text, &options, &HashMap::from([(visible, target)]));
//! assert!(page.contains(r#"<a href="https://git.example/a/b/issues/12" title="Oil" class="gfm gfm-issue">#12</a>"#));
//! assert!(page.contains("and #13."));
//! assert!(!page.contains("<script") && !page.contains("javascript:"));
//! ```
//!
//! # Promises of the HTML
//!
//! - **It is safe to put into a page**, whatever the text: elements, attributes and schemes of addresses come from
//!   lists of allowed ones; scripts, styles, event handlers and frames never come out. The last step is [`ammonia`], so
//!   that a mistake before it shows as wrong HTML, not as a script.
//! - **It is balanced**: it neither closes nor opens an element of the page around it.
//! - **It shows nothing that the caller has not passed in**: a reference without a target stays the text that it was.
//! - **It costs linear time and space**, also for hostile texts. A text of more than 1,000,000 characters is shown as
//!   it was written. So is a text that takes longer than the caller allows ([`Ends`]).
//! - Characters that turn the direction of text are left out.

#![warn(clippy::missing_errors_doc)]

mod alert;
mod anchor;
mod boxes;
mod closing;
mod diagram;
mod direction;
mod document;
mod emoji;
mod ends;
mod file;
mod file_context;
mod footnote;
mod html;
mod link;
mod math;
mod names;
mod nesting;
mod outside;
mod raw_html;
mod reference;
mod rewrite;
mod sanitise;
mod scan;
mod spans;
mod suggestion;
mod tag;
mod tasks;
#[cfg(test)]
mod tests;

pub use boxes::{TaskList, with_boxes};
pub use emoji::{emoji_name, emoji_named};
pub use ends::{Ended, Ends};
pub use file_context::FileContext;
pub use html::{Target, file_html, html, inline_html, plain_html, preformatted, unformatted};
pub use names::{Names, closes, mentions, references};
pub use outside::OutsidePictures;
pub use reference::{MAX_REFERENCES, Mention, Options, Reference};
pub use rewrite::rewrite;
pub use suggestion::{Proposed, SuggestedPart, suggested_parts, suggestions};
pub use tasks::{Tasks, task_lines, tasks};

/// The longest text that is parsed, in characters. A longer one is shown as it was written, and refers to nothing.
const MAX_CHARACTERS: usize = 1_000_000;

fn is_too_long(text: &str) -> bool {
    // Counting is only worth it if the bytes leave a doubt.
    text.len() > MAX_CHARACTERS && text.chars().count() > MAX_CHARACTERS
}
