//! The file of code owners of a commit, and the owners of one path.

use tenon_domain::file_path::FilePath;
use tenon_domain::repository::code_owners::{
    CodeOwners, LineProblem, MAX_BYTES, OwnersRefusal, PLACES, RequiredOwners, Steps,
};
use tenon_git::{LookupPath, Oid, Repository};

use crate::core::error::AppError;

/// The steps that the comparison of one path may take.
const STEPS: u64 = 5_000_000;

/// The file of code owners of a commit, if it has one.
pub(crate) struct OwnersFile {
    /// Its place, which is one of [`PLACES`].
    place: &'static str,
    /// The text and what it says.
    pub(crate) content: Result<(String, CodeOwners), OwnersRefusal>,
}

/// The owners of a path as one section has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionOwners {
    /// The name of the section. Empty for the lines above all headings.
    pub section: String,
    /// The pattern of the line that counts.
    pub pattern: String,
    /// The owners, as the file names them.
    pub owners: Vec<String>,
}

/// The owners of a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathOwners {
    /// The owners by section; none if the path has none.
    pub sections: Vec<SectionOwners>,
    /// The wrong lines, if the path is that of the file itself.
    pub problems: Vec<LineProblem>,
    /// Why the owners are not known.
    pub refusal: Option<OwnersRefusal>,
}

impl OwnersFile {
    /// The file of a commit; `None` if it has none. A file that is too large is not read.
    pub(crate) fn find(repository: &Repository, commit: Oid) -> Result<Option<Self>, AppError> {
        let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
        for place in PLACES {
            let Some(path) = LookupPath::parse(place) else { continue };
            let Some((_, blob)) = repository.file_at(commit, &path, most)? else { continue };
            let content = blob.content.ok_or(OwnersRefusal::TooLarge);
            let content = content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let content = content.and_then(|text| CodeOwners::parse(&text).map(|file| (text, file)));
            return Ok(Some(Self { place, content }));
        }
        Ok(None)
    }
}

/// The owners of a path of a commit.
pub(crate) fn owners_of(repository: &Repository, commit: Oid, path: &FilePath) -> Result<PathOwners, AppError> {
    let Some(file) = OwnersFile::find(repository, commit)? else { return Ok(PathOwners::default()) };
    let is_itself = path.as_kept() == file.place;
    let found = file.content.and_then(|(_, content)| {
        let required = content.required_owners_of(path.as_kept(), &mut Steps::new(STEPS))?;
        let sections = required.into_iter().filter(|line| !line.owners.is_empty()).map(section).collect();
        let problems = if is_itself { content.problems().to_vec() } else { Vec::new() };
        Ok(PathOwners { sections, problems, refusal: None })
    });
    Ok(found.unwrap_or_else(|refusal| PathOwners { refusal: Some(refusal), ..PathOwners::default() }))
}

fn section(line: RequiredOwners<'_>) -> SectionOwners {
    SectionOwners {
        section: line.section.to_owned(),
        pattern: line.pattern.to_owned(),
        owners: line.owners.iter().map(ToString::to_string).collect(),
    }
}
