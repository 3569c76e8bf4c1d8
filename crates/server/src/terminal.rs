//! Output on the terminal.

use std::io::Write;

/// Prints a line on standard output. A closed pipe is not a failure.
pub(crate) fn say(text: &str) {
    drop(writeln!(std::io::stdout(), "{text}"));
}

/// Prints an error with its causes on standard error.
pub(crate) fn complain(error: &anyhow::Error) {
    let mut causes = error.chain().map(ToString::to_string);
    let mut text = causes.next().unwrap_or_default();
    for cause in causes {
        // Some errors repeat their cause.
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    drop(writeln!(std::io::stderr(), "tenon: {text}"));
}

/// Prints a remark on standard error, apart from the output of a command.
pub(crate) fn note(text: &str) {
    drop(writeln!(std::io::stderr(), "{text}"));
}
