//! What people at a terminal read.

use std::io::Write;

/// Prints a line on standard output. A reader who has gone is no failure.
pub(crate) fn say(text: &str) {
    drop(writeln!(std::io::stdout(), "{text}"));
}

/// Prints an error with its causes on standard error.
pub(crate) fn complain(error: &anyhow::Error) {
    let mut causes = error.chain().map(ToString::to_string);
    let mut text = causes.next().unwrap_or_default();
    for cause in causes {
        // Some errors repeat their cause; once is enough.
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    drop(writeln!(std::io::stderr(), "tenon: {text}"));
}

/// Prints a remark on standard error, beside the answer of a command.
pub(crate) fn note(text: &str) {
    drop(writeln!(std::io::stderr(), "{text}"));
}
