//! The cryptographic signature of a commit.

use crate::command::lossy;
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;

/// A commit that is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCommit {
    /// The armored signature.
    pub signature: String,
    /// The text that was signed: the commit without its signatures.
    pub content: Vec<u8>,
    /// The address of the committer.
    pub committer_email: String,
}

impl Repository {
    /// A commit with its signature; `None` if it has none, or is no commit. Fails if it is larger than a push may bring
    /// it.
    pub fn signed_commit(&self, id: Oid) -> Result<Option<SignedCommit>, GitError> {
        match self.objects().content(&id.to_string(), self.limits().push.commit)? {
            Some((_, Some(content))) => Ok(split(&content)),
            Some((_, None)) => Err(GitError::TooLarge("cat-file")),
            None => Ok(None),
        }
    }
}

/// Takes a commit apart, as Git stores it. A line of its head that begins with a blank goes on with the one before it.
fn split(commit: &[u8]) -> Option<SignedCommit> {
    let (mut signature, mut content, mut committer_email) =
        (Vec::new(), Vec::with_capacity(commit.len()), String::new());
    let (mut rest, mut field) = (commit, Vec::new());
    loop {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        let (line, behind) = rest.split_at_checked(end)?;
        if line.is_empty() || line == b"\n" {
            break;
        }
        let (name, value) = match line.strip_prefix(b" ") {
            Some(value) => (std::mem::take(&mut field), value),
            None => match line.iter().position(|byte| *byte == b' ') {
                Some(blank) => (line.get(..blank)?.to_vec(), line.get(blank + 1..)?),
                None => (line.to_vec(), &b""[..]),
            },
        };
        match name.as_slice() {
            b"gpgsig" => signature.extend_from_slice(value),
            b"gpgsig-sha256" => {}
            _ => content.extend_from_slice(line),
        }
        if name == b"committer" {
            committer_email = email(&lossy(value));
        }
        (rest, field) = (behind, name);
    }
    content.extend_from_slice(rest);
    (!signature.is_empty()).then(|| SignedCommit { signature: lossy(&signature), content, committer_email })
}

/// The address in `Ada <ada@example.org> 1700000000 +0000`.
fn email(person: &str) -> String {
    let address = person.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    address.map_or_else(String::new, |(address, _)| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0000\ncommitter C <c@d> 2 +0000\n";

    #[test]
    fn the_signature_is_taken_out_of_the_commit() {
        for (rest, signature, content) in [
            ("gpgsig one\n two\n \n three\n\nM\n", Some("one\ntwo\n\nthree\n"), "\nM\n"),
            (
                "gpgsig one\nencoding X\n more\n\nM\n\ngpgsig no\n",
                Some("one\n"),
                "encoding X\n more\n\nM\n\ngpgsig no\n",
            ),
            ("gpgsig one\n\n", Some("one\n"), "\n"),
            ("gpgsig one", Some("one"), ""),
            ("gpgsig one\ngpgsig-sha256 two\n three\n\nM", Some("one\n"), "\nM"),
            ("\nM\n", None, ""),
            ("gpgsig-sha256 two\n\nM", None, ""),
            ("", None, ""),
        ] {
            let found = split(format!("{HEAD}{rest}").as_bytes());
            let want = signature.map(|signature| SignedCommit {
                signature: signature.to_owned(),
                content: format!("{HEAD}{content}").into_bytes(),
                committer_email: "c@d".to_owned(),
            });
            assert_eq!(found, want, "{rest:?}");
        }
    }

    #[test]
    fn odd_commits_have_no_address() {
        for commit in ["gpgsig x\n\n", " gpgsig x\ngpgsig y\n", "committer\ngpgsig x\n", "committer <x\ngpgsig x\n"] {
            let found = split(commit.as_bytes()).map(|found| found.committer_email);
            assert_eq!(found.as_deref(), Some(""), "{commit:?}");
        }
    }
}
