//! Refusals of data that do not fit into a quota.

use std::fmt;

/// A quota that would be exceeded, with its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    /// The bytes of a repository.
    Repository(u64),
    /// The bytes of the uploads of a project.
    Uploads(u64),
    /// The bytes that a user uploads to a project without being a member.
    UploadsOfOutsider(u64),
    /// The number of the uploads of a project.
    UploadFiles(usize),
    /// The number of files that a user uploads to a project without being a member.
    UploadFilesOfOutsider(usize),
    /// The bytes of the snippets of a user.
    Snippets(u64),
    /// The bytes of the LFS objects of a project.
    Lfs(u64),
}

const UPLOADS: &str = "The uploads of this project";
const OF_OUTSIDER: &str = "Uploads to a project that you are not a member of";

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repository(limit) => {
                let limit = bytes_text(*limit);
                write!(f, "This repository would exceed its limit of {limit} (quotas.repository)")
            }
            Self::Uploads(limit) => write!(f, "{UPLOADS} may take {} (quotas.uploads)", bytes_text(*limit)),
            Self::UploadsOfOutsider(limit) => {
                write!(f, "{OF_OUTSIDER} may take {} (quotas.uploads_of_outsider)", bytes_text(*limit))
            }
            Self::Snippets(limit) => {
                write!(f, "The snippets of one user may take {} (contents.snippet_bytes)", bytes_text(*limit))
            }
            Self::Lfs(limit) => {
                write!(f, "The LFS objects of this project may take {} (quotas.lfs)", bytes_text(*limit))
            }
            Self::UploadFiles(limit) => write!(f, "{UPLOADS} may be {limit} files (contents.uploads)"),
            Self::UploadFilesOfOutsider(limit) => {
                write!(f, "{OF_OUTSIDER} may be {limit} files (contents.uploads_of_outsider)")
            }
        }
    }
}

/// A number of bytes as people write it: in the largest unit that divides it.
fn bytes_text(bytes: u64) -> String {
    for (unit, name) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        if bytes >= unit && bytes.is_multiple_of(unit) {
            return format!("{} {name}", bytes / unit);
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_their_unit() {
        for (bytes, text) in [(10 << 30, "10 GiB"), (20 << 20, "20 MiB"), (1 << 10, "1 KiB"), (1025, "1025 bytes")] {
            assert_eq!(bytes_text(bytes), text);
        }
    }
}
