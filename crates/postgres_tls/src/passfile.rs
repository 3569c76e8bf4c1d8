//! The file of passwords. libpq looks a password up by host and port; these are others for it here.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::address::Host;

/// Writes the lines of a file of passwords that are for one of the hosts, with the name and port that libpq knows each by:
/// `folder`, and its number. `None` if there is no such file, or no line for them. One that others may read is passed over, as libpq
/// does.
pub(crate) fn write(source: &Path, hosts: &[Host], folder: &Path) -> io::Result<Option<PathBuf>> {
    let Ok(found) = fs::metadata(source) else { return Ok(None) };
    if !found.is_file() || found.mode() & 0o077 != 0 {
        tracing::warn!(file = %source.display(), "the file of passwords is passed over: others may read it");
        return Ok(None);
    }
    let lines = lines(&fs::read_to_string(source)?, hosts, folder);
    if lines.is_empty() {
        return Ok(None);
    }
    let place = folder.join("passwords");
    File::options().create_new(true).write(true).mode(0o600).open(&place)?.write_all(lines.as_bytes())?;
    Ok(Some(place))
}

fn lines(text: &str, hosts: &[Host], folder: &Path) -> String {
    let mut lines = String::new();
    let folder = folder.to_string_lossy().replace('\\', "\\\\").replace(':', "\\:");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((host, rest)) = field(line) else { continue };
        let Some((port, rest)) = field(rest) else { continue };
        for (known, number) in hosts.iter().zip(1..) {
            let fits = |pattern: &str, value: &str| pattern == "*" || pattern == value;
            if fits(&host, &known.name) && fits(&port, &known.port.to_string()) {
                if known.is_remote() {
                    lines += &format!("{folder}:{number}:{rest}\n");
                } else {
                    lines += &format!("{line}\n");
                }
            }
        }
    }
    lines
}

/// The first field of a line, and what is behind the colon.
fn field(line: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = line.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            ':' => return Some((value, line.get(at + 1..)?)),
            '\\' => value.push(characters.next()?.1),
            _ => value.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_given_the_names_that_libpq_knows() {
        let hosts = [("db", 5432), ("::1", 7)].map(|(name, port)| Host { name: name.to_owned(), port });
        let text = "# db:5432:x:y:comment\ndb:5432:tenon:ada:se\\:cret\ndb:1:*:*:other\n*:*:*:ada:all\n\\:\\:1:7:a:b:c\nbroken";
        let expected = "/t:1:tenon:ada:se\\:cret\n/t:1:*:ada:all\n/t:2:*:ada:all\n/t:2:a:b:c\n";
        assert_eq!(lines(text, &hosts, Path::new("/t")), expected);
    }
}
