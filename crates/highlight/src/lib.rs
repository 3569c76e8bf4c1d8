//! The colours of code, and the words that differ between two lines.
//!
//! A text and its language go in. Ranges of the text come out, each with one of twelve classes ([`Class`]): no HTML, no style.
//! The functions are pure, but for the deadline of [`changed_words`].
//!
//! ```
//! use tenon_highlight::{Class, Highlighter, Language, pieces};
//!
//! let text = "// Oil.\nfn crank() {}\n";
//! let mut highlighter = Highlighter::new();
//! let colours = highlighter.colours(text, Language::OfFile("engine.rs"), || false).unwrap();
//! let pieces = pieces("fn crank() {}", colours.line(1), &[3..8]);
//! assert_eq!((pieces[0].text, pieces[0].class), ("fn", Some(Class::Keyword)));
//! assert_eq!((pieces[2].text, pieces[2].class, pieces[2].is_changed), ("crank", Some(Class::Function), true));
//! ```
//!
//! # The process
//!
//! Syntaxes are regular expressions that follow each other, written for editors. Some texts make them work for minutes, and
//! they cannot be ended from outside. A server therefore runs [`child::serve`] in a process of its own, which it can kill. It
//! asks the process by [`Request`] and [`Answer`].
//!
//! # Guarantees of the ranges
//!
//! - They are sorted, do not overlap, and lie within their line, without its end; they never cut a character.
//! - They are those of the text for which they were found. [`Answer::read`] checks that for the answers of another process.
//! - Texts of more than [`MAX_TEXT`] bytes and lines of more than [`MAX_LINE`] characters have none.
//! - [`pieces`] gives the whole line, whatever ranges it gets.

pub mod child;
mod class;
mod colours;
mod fence;
mod highlighter;
mod language;
mod licences;
mod pairs;
mod pieces;
mod scopes;
#[cfg(test)]
mod tests;
mod tokens;
mod wire;
mod words;

pub use class::Class;
pub use colours::{Colours, Span};
pub use highlighter::{Highlighter, TookTooLong};
pub use language::Language;
pub use licences::{Licence, licences};
pub use pieces::{Piece, pieces};
pub use tokens::MAX_PAIR;
pub use wire::{Answer, Request, read_hello};
pub use words::{ChangedWords, Words, changed_words, words_of_pair};

/// The longest text that gets colours, in bytes.
pub const MAX_TEXT: usize = 512 * 1024;
/// The longest line that gets colours, in characters.
pub const MAX_LINE: usize = 1_000;

/// The version of everything that colours depend on beside the text and its language: the rules of this crate, the parser and
/// the syntaxes. It changes whenever the same text may get other colours. It also changes whenever requests or answers are
/// written in another way.
pub const VERSION: &str = "2, syntect 5.3.0, two-face 0.5.2+bat-0.26.1";
