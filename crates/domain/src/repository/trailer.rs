//! The trailers of a commit message: lines such as `Signed-off-by: Alice <alice@example.org>` at its end (git-interpret-trailers).

/// Lines that Git itself writes: with one of them, other text may stand among the trailers.
const OF_GIT: [&str; 2] = ["Signed-off-by: ", "(cherry picked from commit "];

/// The keys and values of the trailers of a message, in their order. Folded values are one line.
///
/// They are the last paragraph, if that is not the first one and all its lines are trailers. If Git has written one of them, a
/// quarter of the lines is enough.
#[must_use]
pub fn trailers(message: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let (mut is_of_git, mut counted, mut others) = (false, 0_usize, 0_usize);
    // True if the next line that is indented belongs to the last trailer.
    let mut continues = false;
    for line in last_paragraph(message) {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = found.last_mut().filter(|_| continues) {
                value.push(' ');
                value.push_str(line.trim());
            } else {
                others += 1;
            }
            continue;
        }
        let written_by_git = OF_GIT.iter().any(|beginning| line.starts_with(beginning));
        let trailer = trailer(line);
        continues = trailer.is_some();
        if written_by_git || continues {
            counted += 1;
        } else {
            others += 1;
        }
        is_of_git |= written_by_git;
        found.extend(trailer);
    }
    let are_trailers = others == 0 || (is_of_git && counted.saturating_mul(3) >= others);
    if are_trailers { found } else { Vec::new() }
}

/// The lines of the last paragraph; none if it is the only one.
fn last_paragraph(message: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = message.trim().lines().rev().take_while(|line| !line.trim().is_empty()).collect();
    if lines.len() == message.trim().lines().count() {
        return Vec::new();
    }
    lines.reverse();
    lines
}

/// A line `key: value`, of whose key all characters are letters, digits or `-`.
fn trailer(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim_end_matches([' ', '\t']);
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    is_key.then(|| (key.to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers_are_the_last_paragraph_if_all_its_lines_are_some() {
        for (message, want) in [
            ("Title\n\nA: 1\nB-c : 2\nA: 3\n", vec![("A", "1"), ("B-c", "2"), ("A", "3")]),
            ("Title\n\nText.\n\nA: 1\n  more\n\t of it\nB:\n", vec![("A", "1 more of it"), ("B", "")]),
            ("Title\n\nA: http://x:1/\r\n", vec![("A", "http://x:1/")]),
            ("A: 1", vec![]),
            ("Title\nA: 1", vec![]),
            ("\n\nTitle\nA: 1\n\n", vec![]),
            ("Title\n\nText.\nA: 1", vec![]),
            ("Title\n\nA: 1\n\nText.", vec![]),
            ("Title\n\nA b: 1", vec![]),
            ("Title\n\n indented\nA: 1", vec![]),
            ("Title\n\none\ntwo\nthree\nSigned-off-by: Al <a@b>", vec![("Signed-off-by", "Al <a@b>")]),
            ("Title\n\none\ntwo\nthree\nfour\nSigned-off-by: Al <a@b>", vec![]),
            ("Title\n\nA: 1\n(cherry picked from commit 0123)", vec![("A", "1")]),
            ("", vec![]),
        ] {
            let found = trailers(message);
            let found: Vec<(&str, &str)> = found.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
            assert_eq!(found, want, "{message:?}");
        }
    }
}
