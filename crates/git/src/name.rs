//! Names of refs: the rules for them, which are applied before Git sees a name.

use std::fmt;

use tenon_domain::direction::turns_text;

use crate::config::NOT_FETCHABLE;

/// The treatment of longer names by Git depends on the file system: a lock file's name must fit as well.
const LONGEST: usize = 244;

/// Cannot be the name of a branch, a tag or a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a valid name of a ref")]
pub struct InvalidName;

macro_rules! name_type {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Fails unless `git check-ref-format` and the server's own rules accept it. A name has at most 244 bytes,
            /// no `-` in front, and no character that turns the direction of text. It is neither `HEAD` nor `@`, not
            /// below `refs/`, and not a full object name.
            pub fn parse(text: &str) -> Result<Self, InvalidName> {
                let reserved = text == "HEAD" || text == "@" || text.starts_with("refs/") || is_object_name(text);
                let fine = text.len() <= LONGEST && !text.starts_with('-') && !reserved;
                let fine = fine && is_ref_format(text) && !text.contains(turns_text);
                if fine { Ok(Self(text.to_owned())) } else { Err(InvalidName) }
            }

            /// The name without its directory.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The name with its directory: the only form that commands get.
            #[must_use]
            pub fn full(&self) -> RefName {
                RefName(format!(concat!($prefix, "{}"), self.0))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

name_type! {
    /// A branch, such as `main` or `feature/x`.
    BranchName, "refs/heads/";
    /// A tag, such as `v1.0`.
    TagName, "refs/tags/";
}

/// The full name of a ref, such as `refs/heads/main`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName(String);

impl RefName {
    /// Fails unless it begins with `refs/`, is at most 1,000 bytes long and `git check-ref-format` accepts it.
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let fine = text.len() <= 1000 && text.starts_with("refs/") && is_ref_format(text);
        if fine { Ok(Self(text.to_owned())) } else { Err(InvalidName) }
    }

    /// The ref that keeps the head of a merge request alive and fetchable. `iid` is the request's number in its
    /// project.
    #[must_use]
    pub fn merge_request_head(iid: i64) -> Self {
        Self(format!("refs/merge-requests/{iid}/head"))
    }

    /// The ref of the commit that a merge of a merge request would make.
    #[must_use]
    pub fn merge_request_merge(iid: i64) -> Self {
        Self(format!("refs/merge-requests/{iid}/merge"))
    }

    /// The hidden ref that keeps a commit from being collected.
    #[must_use]
    pub fn keep_around(commit: crate::Oid) -> Self {
        Self(format!("refs/keep-around/{commit}"))
    }

    /// The whole name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if it is one of the server's own refs, which clients do not see.
    pub(crate) fn is_hidden(&self) -> bool {
        let rests = NOT_FETCHABLE.iter().filter_map(|hidden| self.0.strip_prefix(hidden));
        rests.into_iter().any(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The branch that it names; `None` for other refs, and for a name that no branch of ours may have.
    #[must_use]
    pub fn branch(&self) -> Option<BranchName> {
        self.0.strip_prefix("refs/heads/").and_then(|name| BranchName::parse(name).ok())
    }

    /// The tag that it names; `None` for other refs, and for a name that no tag of ours may have.
    #[must_use]
    pub fn tag(&self) -> Option<TagName> {
        self.0.strip_prefix("refs/tags/").and_then(|name| TagName::parse(name).ok())
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// 40 or 64 hexadecimal digits: such a ref could be taken for an object.
fn is_object_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The rule of `git check-ref-format --allow-onelevel`.
pub(crate) fn is_ref_format(text: &str) -> bool {
    let forbidden = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
    !text.is_empty()
        && text != "@"
        && !text.contains(forbidden)
        && !text.contains("..")
        && !text.contains("@{")
        && !text.ends_with('.')
        && text.split('/').all(|part| {
            let is_lock = part.strip_suffix(".lock").is_some();
            !part.is_empty() && !part.starts_with('.') && !is_lock
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_or_the_server_cannot_tell_from_something_else_is_no_branch() {
        let hex = "a".repeat(40);
        let long = "x".repeat(245);
        let wrong = [
            "",
            "-x",
            "--upload-pack=x",
            "HEAD",
            "@",
            "refs/heads/x",
            &hex,
            &long,
            "a..b",
            "a b",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[",
            "a\\b",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.lock/b",
            "a.",
            "a@{1}",
            "a\nb",
            "a\u{7f}",
            "a\u{202e}b",
            "a\u{2066}b",
        ];
        for text in wrong {
            assert_eq!(BranchName::parse(text), Err(InvalidName), "{text:?}");
            assert_eq!(TagName::parse(text), Err(InvalidName), "{text:?}");
        }
        for text in ["main", "feature/x", "a-", "ä", "v1.0", "head", "a@b", &"a".repeat(39), "x/HEAD", "ends-with.json"]
        {
            assert_eq!(BranchName::parse(text).unwrap().full().as_str(), format!("refs/heads/{text}"));
        }
    }

    #[test]
    fn a_full_name_tells_whether_it_is_a_branch_or_a_tag() {
        let full = |text| RefName::parse(text).unwrap();
        assert_eq!(full("refs/heads/a/b").branch().unwrap().as_str(), "a/b");
        assert_eq!(full("refs/tags/v1").tag().unwrap().as_str(), "v1");
        assert_eq!(full("refs/heads/-x").branch(), None);
        assert_eq!(full("refs/merge-requests/1/head").branch(), None);
        assert_eq!(RefName::parse("heads/main"), Err(InvalidName));
        assert_eq!(RefName::parse("refs/heads/../x"), Err(InvalidName));
    }
}
