//! Tags.

use tenon_domain::page::{Page, PageRequest};

use crate::branch::NameSearch;
use crate::command::lossy;
use crate::commit::{Commit, cut_text};
use crate::error::GitError;
use crate::name::{RefName, TagName};
use crate::oid::Oid;
use crate::repository::Repository;
use crate::signature::Signature;

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Without `refs/tags/`.
    pub name: TagName,
    /// The object that the ref points at: the tag's own object, or for a lightweight tag the commit.
    pub target: Oid,
    /// The data of an annotated tag; `None` for a lightweight one.
    pub annotation: Option<Annotation>,
    /// The commit behind it; `None` for the rare tag of something else.
    pub commit: Option<Commit>,
}

/// The message and the author of an annotated tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// The message, without cryptographic signature and line ends at its end.
    pub message: String,
    /// Who made it; very old tags do not say.
    pub tagger: Option<Signature>,
}

/// In which order tags are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagOrder {
    /// By the moment at which the commit was committed.
    Updated,
    /// By name, numbers in it by their value.
    Name,
}

/// Which end of an order comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The smallest.
    Ascending,
    /// The largest.
    Descending,
}

/// Fields of each tag, each ended by a NUL, as no field can hold one.
const FORMAT: &str = "--format=%(refname)%00%(objectname)%00%(objecttype)%00%(*objectname)%00%(*objecttype)%00\
                      %(taggername)%00%(taggeremail)%00%(taggerdate:raw)%00%(contents)%00%(contents:signature)%00";
const FIELDS: usize = 10;
/// Bytes that a tag takes beside its message, as long as there is nothing wrong with it; signatures are printed twice.
const BESIDE: usize = 16 << 10;
/// The most that is read at once.
const OUTPUT: usize = 32 << 20;

impl Repository {
    /// A page of tags.
    pub fn tags(
        &self,
        search: Option<&NameSearch>,
        order: TagOrder,
        direction: Direction,
        page: PageRequest,
    ) -> Result<Page<Tag>, GitError> {
        let key = match order {
            // The date of the tag's object is another than that of its commit; both are empty for the other kind.
            TagOrder::Updated => {
                "%(if)%(*committerdate)%(then)%(*committerdate:unix)%(else)%(committerdate:unix)%(end)"
            }
            TagOrder::Name => "",
        };
        let listed = |key: &str| {
            let format = format!("--format=%(refname) {key}");
            self.git("for-each-ref").args(["--sort=version:refname", &format, "refs/tags/"]).text()
        };
        let output = match listed(key) {
            // For the date Git reads the whole commit, and there is one that is too large. Names can always be listed.
            Err(GitError::TooLarge(_)) if !key.is_empty() => listed("")?,
            output => output?,
        };
        let row = |line: &str| {
            let (name, date) = line.split_once(' ')?;
            Some((RefName::parse(name).ok()?.tag()?, date.parse::<i64>().unwrap_or_default()))
        };
        let mut rows: Vec<(TagName, i64)> = output.lines().filter_map(row).collect();
        rows.retain(|(name, _)| search.is_none_or(|search| search.finds(name.as_str())));
        if order == TagOrder::Updated {
            rows.sort_by_key(|(_, date)| *date);
        }
        if direction == Direction::Descending {
            rows.reverse();
        }
        let Page { items: names, total, request } = Page::cut(rows, page).map(|(name, _)| name);
        Ok(Page { items: self.tags_by_name(&names)?, total, request })
    }

    /// Names and targets of all tags. Tags whose names we would not accept are left out.
    pub fn tag_targets(&self) -> Result<Vec<(TagName, Oid)>, GitError> {
        let refs = self.refs_below("refs/tags/")?;
        Ok(refs.into_iter().filter_map(|(name, target)| Some((name.tag()?, target))).collect())
    }

    /// One tag; `None` if there is none of this name.
    pub fn tag(&self, name: &TagName) -> Result<Option<Tag>, GitError> {
        Ok(self.tags_by_name(std::slice::from_ref(name))?.pop())
    }

    /// These tags, in this order; those that are not there are left out.
    pub fn tags_by_name(&self, names: &[TagName]) -> Result<Vec<Tag>, GitError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let mut rows = match self.tag_rows(names) {
            // One of them is very large: they are read one by one, and it is cut.
            Err(GitError::TooLarge(_)) => self.large_tag_rows(names)?,
            rows => rows?,
        };
        for row in &mut rows {
            if row.kind == "tag" {
                // A tag of a tag: for-each-ref looks behind the first one only.
                row.commit = match row.commit.as_ref().filter(|(_, kind)| kind != "tag") {
                    Some(_) => row.commit.take(),
                    None => self.behind_tags(&row.name)?.map(|commit| (commit, "commit".to_owned())),
                };
            }
        }
        let commits: Vec<Oid> = rows.iter().filter_map(Row::commit).collect();
        let commits = self.commits_at(&commits)?;
        let tags: Vec<Tag> = rows
            .into_iter()
            .map(|row| Tag {
                commit: row.commit().and_then(|id| commits.get(&id).cloned()),
                name: row.name,
                target: row.target,
                annotation: row.annotation,
            })
            .collect();
        Ok(names.iter().filter_map(|name| tags.iter().find(|tag| tag.name == *name).cloned()).collect())
    }

    fn tag_rows(&self, names: &[TagName]) -> Result<Vec<Row>, GitError> {
        let full: Vec<RefName> = names.iter().map(TagName::full).collect();
        let longest = self.limits().reads.message;
        let most = usize::try_from(longest).unwrap_or(usize::MAX).saturating_add(BESIDE).saturating_mul(names.len());
        let output = self
            .git("for-each-ref")
            .arg(FORMAT)
            .args(full.iter().map(|name| format!("--exclude={name}/")))
            .operands(full.iter().map(RefName::as_str))
            .output(most.min(OUTPUT))
            .bytes()?;
        let mut fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        fields.pop();
        Ok(fields.chunks(FIELDS).filter_map(|fields| Row::parse(fields, longest)).collect())
    }

    fn large_tag_rows(&self, names: &[TagName]) -> Result<Vec<Row>, GitError> {
        let mut rows = Vec::new();
        for name in names {
            match self.tag_rows(std::slice::from_ref(name)) {
                Err(GitError::TooLarge(_)) => rows.extend(self.large_tag_row(name)?),
                found => rows.extend(found?),
            }
        }
        Ok(rows)
    }

    /// The data in the beginning of a tag.
    fn large_tag_row(&self, name: &TagName) -> Result<Option<Row>, GitError> {
        let Some(target) = self.ref_target(&name.full())? else { return Ok(None) };
        let line = self.git("cat-file").arg("--batch-check").input(format!("{target}\n")).text()?;
        let Some(kind) = line.split(' ').nth(1).map(ToOwned::to_owned) else { return Ok(None) };
        let name = name.clone();
        if kind != "tag" {
            return Ok(Some(Row { name, target, commit: Some((target, kind.clone())), kind, annotation: None }));
        }
        let found = self.raw_object("tag", target, self.limits().reads.message)?.unwrap_or_default();
        let object = found.all("object").next().and_then(|object| object.parse().ok());
        let commit = object.zip(found.all("type").next());
        let annotation = Annotation { tagger: found.signature("tagger"), message: found.message.trim_end().to_owned() };
        Ok(Some(Row { name, target, kind, commit, annotation: Some(annotation) }))
    }

    /// The commit behind a tag of a tag; `None` for something else, and if there is one that Git cannot read.
    fn behind_tags(&self, name: &TagName) -> Result<Option<Oid>, GitError> {
        match self.resolve(&name.full().into()) {
            Err(GitError::TooLarge(_)) => Ok(None),
            found => Ok(found?.map(|it| it.commit)),
        }
    }
}

/// A line of `for-each-ref`.
struct Row {
    name: TagName,
    target: Oid,
    kind: String,
    /// The object behind the tag, and its type.
    commit: Option<(Oid, String)>,
    annotation: Option<Annotation>,
}

impl Row {
    fn parse(fields: &[&[u8]], longest: u64) -> Option<Self> {
        let fields: Vec<String> = fields.iter().map(|field| lossy(field)).collect();
        let [name, target, kind, behind, behind_kind, tagger, email, date, contents, signature] = fields.as_slice()
        else {
            return None;
        };
        let target: Oid = target.parse().ok()?;
        let annotation = (kind == "tag").then(|| Annotation {
            message: cut_text(
                contents.strip_suffix(signature.as_str()).unwrap_or(contents).trim_end().to_owned(),
                longest,
            ),
            tagger: (!date.is_empty()).then(|| {
                let email = email.trim_start_matches('<').trim_end_matches('>').to_owned();
                Signature::from_parts(tagger.clone(), email, date)
            }),
        });
        let commit = match kind.as_str() {
            "tag" => behind.parse().ok().map(|oid| (oid, behind_kind.clone())),
            _ => Some((target, kind.clone())),
        };
        let name = RefName::parse(name.trim_start()).ok()?.tag()?;
        Some(Self { name, target, kind: kind.clone(), commit, annotation })
    }

    fn commit(&self) -> Option<Oid> {
        self.commit.as_ref().filter(|(_, kind)| kind == "commit").map(|(oid, _)| *oid)
    }
}
