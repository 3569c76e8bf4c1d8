//! Branches, tags, commits and files as JSON.

mod branch;
mod commit;
mod file;
mod protection;
mod signature;

pub(crate) use branch::{BranchDto, ReleaseNotesDto, TagDto};
pub(crate) use commit::{
    CommitCommentDto, CommitDetailDto, CommitDto, ComparisonDto, ContainingRefDto, ContributorDto, DiffDto, Trailers,
};
pub(crate) use file::{BlameDto, BlobDto, FileDto, FileFactsDto, TreeEntryDto, WrittenFileDto};
pub(crate) use protection::{ProtectedBranchDto, ProtectedTagDto};
pub(crate) use signature::CommitSignatureDto;
