//! What callers send to name a commit, and what it stands for.

use crate::command::lossy;
use crate::error::GitError;
use crate::name::{BranchName, RefName, TagName, is_ref_format};
use crate::objects::ObjectKind;
use crate::oid::Oid;
use crate::remembered::Question;
use crate::repository::Repository;

/// Bytes of a longer text are the name of no branch and no tag.
const LONGEST_NAME: usize = 244;

/// The shortest abbreviation of a commit's name.
const SHORTEST: usize = 7;

/// A `ref` or `sha` as a caller sent it: `HEAD`, a branch, a tag, a full ref, or 7 to 40 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision(String);

/// Cannot be the name of anything: an option, an expression, or not the form of a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a name of a commit")]
pub struct InvalidRevision;

/// What a revision stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The commit, behind annotated tags.
    pub commit: Oid,
    /// By which kind of name it was found.
    pub kind: ResolvedKind,
}

/// A kind of refs that people name commits by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefKind {
    /// `refs/heads/`
    Branch,
    /// `refs/tags/`
    Tag,
}

/// By which kind of name a commit was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolvedKind {
    /// By that of a branch, or by `HEAD`.
    Branch(BranchName),
    /// By that of a tag.
    Tag(TagName),
    /// By a ref of another kind.
    Other(RefName),
    /// By its own.
    Commit,
}

impl Revision {
    /// Fails for what begins with `-`, has `@{`, `..`, `^`, `:`, blanks or control characters, is longer than 1,000 bytes,
    /// or otherwise has not the form of a ref.
    pub fn parse(text: &str) -> Result<Self, InvalidRevision> {
        let fine = text.len() <= 1000 && !text.starts_with('-') && is_ref_format(text);
        if fine { Ok(Self(text.to_owned())) } else { Err(InvalidRevision) }
    }

    /// What the caller sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&BranchName> for Revision {
    fn from(branch: &BranchName) -> Self {
        Self(branch.full().as_str().to_owned())
    }
}

impl From<RefName> for Revision {
    fn from(name: RefName) -> Self {
        Self(name.as_str().to_owned())
    }
}

impl From<Oid> for Revision {
    fn from(oid: Oid) -> Self {
        Self(oid.to_string())
    }
}

impl Repository {
    /// What `revision` stands for; `None` when there is no such thing, or none that leads to a commit.
    ///
    /// The order is: all 40 digits of a commit (no branch or tag may be named so), then a branch, then a tag, then the
    /// first digits of a commit. `refs/..` names exactly that ref. Branches come before tags because a tag named like a
    /// branch could otherwise take the branch's place everywhere.
    pub fn resolve(&self, revision: &Revision) -> Result<Option<Resolved>, GitError> {
        let text = revision.as_str();
        if let Ok(oid) = text.parse::<Oid>() {
            return Ok(self.commit_of(oid)?.map(|commit| Resolved { commit, kind: ResolvedKind::Commit }));
        }
        if text == "HEAD" {
            let Some(branch) = self.default_branch()? else { return Ok(None) };
            let commit = self.ref_target(&branch.full())?;
            return Ok(commit.map(|commit| Resolved { commit, kind: ResolvedKind::Branch(branch) }));
        }
        let names = match RefName::parse(text) {
            Ok(name) => vec![name],
            Err(_) => [BranchName::parse(text).map(|it| it.full()), TagName::parse(text).map(|it| it.full())]
                .into_iter()
                .flatten()
                .collect(),
        };
        if let Some((name, target)) = self.first_of(&names)? {
            let kind = match (name.branch(), name.tag()) {
                (Some(branch), _) => ResolvedKind::Branch(branch),
                (_, Some(tag)) => ResolvedKind::Tag(tag),
                _ => ResolvedKind::Other(name),
            };
            return Ok(self.commit_behind(target)?.map(|commit| Resolved { commit, kind }));
        }
        let is_short = (SHORTEST..40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_short {
            return Ok(None);
        }
        Ok(self.commit_named(text)?.map(|commit| Resolved { commit, kind: ResolvedKind::Commit }))
    }

    /// What the first of these segments name, and how many of them: all 40 digits of a commit, or else the longest branch
    /// or tag that fits (the branch, where both do), or else `HEAD` or the first digits of a commit. `only` leaves out what
    /// is not of that kind, but for `HEAD`. `None` when they name nothing.
    pub fn resolve_start(
        &self,
        segments: &[&str],
        only: Option<RefKind>,
    ) -> Result<Option<(Resolved, usize)>, GitError> {
        let Some(first) = segments.first() else { return Ok(None) };
        if let Ok(oid) = first.parse::<Oid>()
            && let Some(commit) = self.commit_of(oid)?
        {
            return Ok(Some((Resolved { commit, kind: ResolvedKind::Commit }, 1)));
        }
        let (mut names, mut text) = (Vec::new(), String::new());
        for segment in segments {
            let before = if text.is_empty() { "" } else { "/" };
            text = format!("{text}{before}{segment}");
            // The tag first: it is turned around below. Longer names are names of nothing.
            let found = [
                (only != Some(RefKind::Branch)).then(|| TagName::parse(&text).map(|it| it.full())),
                (only != Some(RefKind::Tag)).then(|| BranchName::parse(&text).map(|it| it.full())),
            ];
            names.extend(found.into_iter().flatten().flatten());
            if text.len() > LONGEST_NAME {
                break;
            }
        }
        names.reverse();
        if let Some((name, target)) = self.first_of(&names)? {
            let kind = match (name.branch(), name.tag()) {
                (Some(branch), _) => ResolvedKind::Branch(branch),
                (_, Some(tag)) => ResolvedKind::Tag(tag),
                _ => return Ok(None),
            };
            let used = name.as_str().split('/').count().saturating_sub(2);
            return Ok(self.commit_behind(target)?.map(|commit| (Resolved { commit, kind }, used)));
        }
        let is_digits = first.bytes().all(|byte| byte.is_ascii_hexdigit());
        if *first != "HEAD" && (!is_digits || only.is_some()) {
            return Ok(None);
        }
        let Ok(revision) = Revision::parse(first) else { return Ok(None) };
        Ok(self.resolve(&revision)?.map(|resolved| (resolved, 1)))
    }

    /// The commit behind what a ref points at; `None` for what leads to none. Remembered: the ref keeps it there.
    fn commit_behind(&self, target: Oid) -> Result<Option<Oid>, GitError> {
        let found = self.remember(Question::CommitBehind(target), || self.commit_of(target))?;
        Ok(*found)
    }

    /// The commit with this name, or behind the tag with it; `None` when there is none.
    fn commit_of(&self, id: Oid) -> Result<Option<Oid>, GitError> {
        let mut objects = self.objects();
        let Some(header) = objects.header(&id.to_string())? else { return Ok(None) };
        match header.kind {
            ObjectKind::Commit => Ok(Some(id)),
            ObjectKind::Tag => Ok(objects.header(&format!("{id}^{{commit}}"))?.map(|header| header.oid)),
            ObjectKind::Tree | ObjectKind::Blob => Ok(None),
        }
    }

    /// The commit whose name begins so, or behind the tag whose name does. `digits` are hexadecimal. `None` when there is
    /// none, or when there are several. By a process of its own: one that is kept does not see that a new object has made a
    /// beginning ambiguous.
    fn commit_named(&self, digits: &str) -> Result<Option<Oid>, GitError> {
        let line = self.git("cat-file").arg("--batch-check").input(format!("{digits}^{{commit}}\n")).bytes()?;
        let line = lossy(&line);
        let mut words = line.split_whitespace();
        let oid = words.next().and_then(|word| word.parse().ok());
        Ok(oid.filter(|_| words.next() == Some("commit")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_expressions_are_no_revisions() {
        let long = "x".repeat(1001);
        for text in [
            "",
            "-x",
            "--upload-pack=x",
            "HEAD@{1}",
            "@{-1}",
            "@",
            "a..b",
            "a...b",
            "main^",
            "main~1",
            "main:x",
            ":/fix",
            "a\nb",
            "a b",
            &long,
        ] {
            assert_eq!(Revision::parse(text), Err(InvalidRevision), "{text:?}");
        }
        for text in ["HEAD", "main", "refs/heads/main", "0123abc", "feature/x", "v1.0"] {
            assert_eq!(Revision::parse(text).unwrap().as_str(), text);
        }
    }
}
