//! Revisions: the texts by which callers name a commit, and their meaning.

use crate::command::lossy;
use crate::commit::CommitRange;
use crate::error::GitError;
use crate::name::{BranchName, RefName, TagName, is_ref_format};
use crate::objects::ObjectKind;
use crate::oid::Oid;
use crate::remembered::Question;
use crate::repository::Repository;

/// A longer text names nothing.
const LONGEST: usize = 1000;

/// Bytes of a longer text are the name of no branch and no tag, and with `refs/heads/` before it neither.
const LONGEST_NAME: usize = 255;

/// The shortest abbreviation of a commit's name.
const SHORTEST: usize = 7;

/// Steps back that one revision takes, such as those of `main~3^2`.
const STEPS: usize = 32;

/// A `ref` or `sha` as a caller sent it: `HEAD`, a branch, a tag, a full ref, or 7 to 40 hexadecimal digits. Behind it
/// stand any number of `~<number>` (so many first parents back) and `^<number>` (this parent); no number means 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    text: String,
    /// How many bytes of it are the name; steps back are behind it.
    name: usize,
}

/// Two revisions with dots between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevisionRange {
    /// One revision, with everything before it.
    From(Revision),
    /// `<from>..<to>`: the commits of `to` that `from` has not.
    Between {
        /// The revision that is left out, with everything before it.
        from: Revision,
        /// The revision at which the list begins.
        to: Revision,
    },
    /// `<one>...<other>`: the commits that only one of the two has.
    Apart {
        /// One of the two.
        one: Revision,
        /// The other one.
        other: Revision,
    },
}

/// Cannot be the name of anything: an option, another expression, or not the form of a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a name of a commit")]
pub struct InvalidRevision;

/// The commit that a revision stands for.
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

/// The kind of name by which a commit was found.
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
    /// Fails if the text begins with `-`, has `@{`, `..`, `:`, blanks or control characters, or is longer than 1,000
    /// bytes. Fails if it otherwise has not the form of a ref, and for steps back that are no numbers, or more than 32.
    pub fn parse(text: &str) -> Result<Self, InvalidRevision> {
        let end = text.find(['~', '^']).unwrap_or(text.len());
        let (name, steps) = text.split_at(end);
        let fine = text.len() <= LONGEST && !name.starts_with('-') && is_ref_format(name) && are_steps(steps);
        if fine { Ok(Self { name: end, text: text.to_owned() }) } else { Err(InvalidRevision) }
    }

    /// The text that the caller sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name, and the steps back from it.
    fn parts(&self) -> (&str, &str) {
        self.text.split_at_checked(self.name).unwrap_or((&self.text, ""))
    }

    fn of_name(text: &str) -> Self {
        Self { text: text.to_owned(), name: text.len() }
    }
}

/// True if this is nothing, or `~` and `^` with numbers.
fn are_steps(text: &str) -> bool {
    let is_number = |part: &str| part.len() <= 9 && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split(['~', '^']);
    parts.next() == Some("") && parts.clone().count() <= STEPS && parts.all(is_number)
}

impl RevisionRange {
    /// Parses one revision, or two with `..` or `...` between them; one that is left out is `HEAD`.
    pub fn parse(text: &str) -> Result<Self, InvalidRevision> {
        let side = |text: &str| Revision::parse(if text.is_empty() { "HEAD" } else { text });
        if let Some((one, other)) = text.split_once("...") {
            return Ok(Self::Apart { one: side(one)?, other: side(other)? });
        }
        match text.split_once("..") {
            Some((from, to)) => Ok(Self::Between { from: side(from)?, to: side(to)? }),
            None => Revision::parse(text).map(Self::From),
        }
    }
}

impl From<&BranchName> for Revision {
    fn from(branch: &BranchName) -> Self {
        Self::of_name(branch.full().as_str())
    }
}

impl From<RefName> for Revision {
    fn from(name: RefName) -> Self {
        Self::of_name(name.as_str())
    }
}

impl From<Oid> for Revision {
    fn from(oid: Oid) -> Self {
        Self::of_name(&oid.to_string())
    }
}

/// The question for the commit behind an object.
#[derive(Debug, PartialEq, Eq, Hash)]
struct CommitBehind(Oid);

impl Question for CommitBehind {
    type Answer = Option<Oid>;
}

impl Repository {
    /// The commit that `revision` stands for; `None` if there is no such thing, or none that leads to a commit.
    ///
    /// The order is: all 40 digits of a commit, then a branch, then a tag, then the first digits of a commit. No branch
    /// or tag may be named by 40 digits. `refs/..` names exactly that ref. Branches come before tags because a tag
    /// named like a branch could otherwise take the branch's place everywhere.
    pub fn resolve(&self, revision: &Revision) -> Result<Option<Resolved>, GitError> {
        let (name, steps) = revision.parts();
        let found = self.resolve_name(name)?;
        self.step_back(found, steps)
    }

    /// The commits that a range names; `None` if one side names nothing.
    pub fn resolve_range(&self, range: &RevisionRange) -> Result<Option<CommitRange>, GitError> {
        let both = |one, other| Ok(self.resolve(one)?.zip(self.resolve(other)?).map(|(a, b)| (a.commit, b.commit)));
        Ok(match range {
            RevisionRange::From(revision) => self.resolve(revision)?.map(|found| CommitRange::From(found.commit)),
            RevisionRange::Between { from, to } => both(from, to)?.map(|(from, to)| CommitRange::Between { from, to }),
            RevisionRange::Apart { one, other } => {
                both(one, other)?.map(|(one, other)| CommitRange::Apart { one, other })
            }
        })
    }

    /// The commit to which steps back lead; `found` itself if there are none.
    fn step_back(&self, found: Option<Resolved>, steps: &str) -> Result<Option<Resolved>, GitError> {
        if steps.is_empty() {
            return Ok(found);
        }
        let Some(found) = found else { return Ok(None) };
        let commit = self.commit_named(&format!("{}{steps}", found.commit))?;
        Ok(commit.map(|commit| Resolved { commit, kind: ResolvedKind::Commit }))
    }

    fn resolve_name(&self, text: &str) -> Result<Option<Resolved>, GitError> {
        if let Ok(oid) = text.parse::<Oid>() {
            return Ok(self.commit_of(oid)?.map(|commit| Resolved { commit, kind: ResolvedKind::Commit }));
        }
        if text == "HEAD" {
            let Some(branch) = self.default_branch()? else { return Ok(None) };
            let commit = self.ref_target(&branch.full())?;
            return Ok(commit.map(|commit| Resolved { commit, kind: ResolvedKind::Branch(branch) }));
        }
        if let Some((name, target)) = self.first_of(&refs_called(text))? {
            let kind = kind_of(name);
            return Ok(self.commit_behind(target)?.map(|commit| Resolved { commit, kind }));
        }
        let is_short = (SHORTEST..40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_short {
            return Ok(None);
        }
        Ok(self.commit_named(text)?.map(|commit| Resolved { commit, kind: ResolvedKind::Commit }))
    }

    /// The object that the first of these segments name, and the number of these segments. They are tried in this
    /// order:
    ///
    /// - all 40 digits of a commit,
    /// - the longest branch or tag that fits (the branch, if both do),
    /// - the longest full name of a ref,
    /// - `HEAD` or the first digits of a commit.
    ///
    /// Any of these may have steps back. `only` leaves out names of another kind, except `HEAD`. `None` if they name
    /// nothing.
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
        let (mut names, mut counts, mut text) = (Vec::new(), Vec::new(), String::new());
        for (count, segment) in (1..).zip(segments) {
            let before = if text.is_empty() { "" } else { "/" };
            text = format!("{text}{before}{segment}");
            let found = refs_called(&text).into_iter().rev().filter(|name| match only {
                Some(RefKind::Branch) => name.branch().is_some(),
                Some(RefKind::Tag) => name.tag().is_some(),
                None => !name.is_hidden(),
            });
            names.extend(found);
            counts.resize(names.len(), count);
            // Longer names are names of nothing.
            if text.len() > LONGEST_NAME {
                break;
            }
        }
        names.reverse();
        counts.reverse();
        if let Some((name, target)) = self.first_of(&names)? {
            let place = names.iter().zip(counts).find(|(it, _)| **it == name);
            let (Some((_, used)), kind) = (place, kind_of(name)) else { return Ok(None) };
            return Ok(self.commit_behind(target)?.map(|commit| (Resolved { commit, kind }, used)));
        }
        if let Some(found) = self.resolve_stepped(segments, only)? {
            return Ok(Some(found));
        }
        let is_digits = first.bytes().all(|byte| byte.is_ascii_hexdigit());
        if *first != "HEAD" && (!is_digits || only.is_some()) {
            return Ok(None);
        }
        let Ok(revision) = Revision::parse(first) else { return Ok(None) };
        Ok(self.resolve(&revision)?.map(|resolved| (resolved, 1)))
    }

    /// The object that the first of these segments name if one of them has steps back, and the number of these
    /// segments. The path begins behind the steps: no branch or tag has them in its name.
    fn resolve_stepped(&self, segments: &[&str], only: Option<RefKind>) -> Result<Option<(Resolved, usize)>, GitError> {
        let Some(last) = segments.iter().position(|segment| segment.contains(['~', '^'])) else { return Ok(None) };
        let Some(named) = segments.get(..=last) else { return Ok(None) };
        let Ok(revision) = Revision::parse(&named.join("/")) else { return Ok(None) };
        let (name, steps) = revision.parts();
        let parts: Vec<&str> = name.split('/').collect();
        let found = self.resolve_start(&parts, only)?.filter(|(_, used)| *used == parts.len());
        Ok(self.step_back(found.map(|(found, _)| found), steps)?.map(|found| (found, last + 1)))
    }

    /// The commit behind the object that a ref points at; `None` if it leads to none. Remembered: the ref keeps it
    /// there.
    fn commit_behind(&self, target: Oid) -> Result<Option<Oid>, GitError> {
        let found = self.remember(CommitBehind(target), || self.commit_of(target))?;
        Ok(*found)
    }

    /// The commit with this name, or behind the tag with it; `None` if there is none.
    fn commit_of(&self, id: Oid) -> Result<Option<Oid>, GitError> {
        let mut objects = self.objects();
        let Some(header) = objects.header(&id.to_string())? else { return Ok(None) };
        match header.kind {
            ObjectKind::Commit => Ok(Some(id)),
            ObjectKind::Tag => Ok(objects.header(&format!("{id}^{{commit}}"))?.map(|header| header.oid)),
            ObjectKind::Tree | ObjectKind::Blob => Ok(None),
        }
    }

    /// The commit whose name begins so, or behind the tag whose name does, after the steps back that stand behind the
    /// hexadecimal digits. `None` if there is none, and if there are several. Runs a process of its own: one that is
    /// kept does not see that a new object has made a beginning ambiguous.
    fn commit_named(&self, digits: &str) -> Result<Option<Oid>, GitError> {
        let line = self.git("cat-file").arg("--batch-check").input(format!("{digits}^{{commit}}\n")).bytes()?;
        let line = lossy(&line);
        let mut words = line.split_whitespace();
        let oid = words.next().and_then(|word| word.parse().ok());
        Ok(oid.filter(|_| words.next() == Some("commit")))
    }
}

/// The refs that this text may name: the one with this full name, or else a branch and a tag, the branch first.
fn refs_called(text: &str) -> Vec<RefName> {
    match RefName::parse(text) {
        Ok(name) => vec![name],
        Err(_) => [BranchName::parse(text).map(|it| it.full()), TagName::parse(text).map(|it| it.full())]
            .into_iter()
            .flatten()
            .collect(),
    }
}

fn kind_of(name: RefName) -> ResolvedKind {
    match (name.branch(), name.tag()) {
        (Some(branch), _) => ResolvedKind::Branch(branch),
        (_, Some(tag)) => ResolvedKind::Tag(tag),
        _ => ResolvedKind::Other(name),
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
            "main^{commit}",
            "main^{/fix}",
            "main^!",
            "main^@",
            "main^-1",
            "main~-1",
            "main~1x",
            "main~1/x",
            "main~9999999999",
            "~1",
            "^main",
            "^",
            "main:x",
            "main~1:x",
            ":/fix",
            "a\nb",
            "a b",
            &long,
        ] {
            assert_eq!(Revision::parse(text), Err(InvalidRevision), "{text:?}");
        }
        let steps = format!("main{}", "^".repeat(STEPS + 1));
        assert_eq!(Revision::parse(&steps), Err(InvalidRevision));
        for text in
            ["HEAD", "main", "refs/heads/main", "0123abc", "feature/x", "v1.0", "main~1", "HEAD^", "v1~2^2~", "a/b^0"]
        {
            assert_eq!(Revision::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn dots_stand_between_two_revisions() {
        let side = |text| Revision::parse(text).unwrap();
        let between = |from, to| Ok(RevisionRange::Between { from: side(from), to: side(to) });
        let apart = |one, other| Ok(RevisionRange::Apart { one: side(one), other: side(other) });
        for (text, want) in [
            ("main", Ok(RevisionRange::From(side("main")))),
            ("a..b~1", between("a", "b~1")),
            ("..b", between("HEAD", "b")),
            ("a..", between("a", "HEAD")),
            ("a...b/c", apart("a", "b/c")),
            ("a..b..c", Err(InvalidRevision)),
            ("a....b", Err(InvalidRevision)),
            ("-x..b", Err(InvalidRevision)),
            ("a..HEAD@{1}", Err(InvalidRevision)),
            ("", Err(InvalidRevision)),
        ] {
            assert_eq!(RevisionRange::parse(text), want, "{text}");
        }
    }
}
