//! The decision whether one change of a ref, by a push or over the API, is allowed.

use super::Protections;
use crate::access::{AccessLevel, Standing};
use crate::id::DeployKeyId;

/// Which kind of ref changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefKind {
    /// Below `refs/heads/`.
    Branch,
    /// Below `refs/tags/`.
    Tag,
    /// Anything else that is not the server's own, such as notes.
    Other,
}

/// How a ref changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefChange {
    /// It comes to be.
    Create,
    /// It moves to what contains the old commit.
    FastForward,
    /// It moves elsewhere.
    Force,
    /// It is deleted.
    Delete,
}

/// The known facts about one change of a ref.
#[derive(Debug, Clone)]
pub struct PushFacts<'a> {
    /// Who pushes, and their level in the project.
    pub standing: Standing,
    /// True if an open merge request lets them work on this very branch, whatever their level.
    pub collaborates: bool,
    /// True if the project is read-only.
    pub archived: bool,
    /// True if the repository has no commits yet.
    pub empty: bool,
    /// While it has none: whether only maintainers make the first push, as the protection of new default branches says.
    pub first_push_is_protected: bool,
    /// The kind of ref.
    pub kind: RefKind,
    /// Its short name.
    pub name: &'a str,
    /// True if it is the default branch.
    pub is_default: bool,
    /// How it changes.
    pub change: RefChange,
    /// The rules that cover it.
    pub protections: &'a Protections<'a>,
    /// True if it comes by the API: only there may maintainers delete protected branches.
    pub through_api: bool,
}

/// Why a change of a ref is refused. The texts reach the pusher's terminal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PushRefusal {
    /// No right to push at all.
    #[error("You are not allowed to push code to this project.")]
    NotAllowed,
    /// The default branch stays.
    #[error("The default branch of a project cannot be deleted.")]
    DefaultBranch,
    /// History of protected branches is not rewritten, unless their rules permit it.
    #[error("You are not allowed to force push code to a protected branch on this project.")]
    ForcePush,
    /// Protected branches are deleted by maintainers.
    #[error(
        "You are not allowed to delete protected branches from this project. Only a project maintainer or owner can \
         delete a protected branch."
    )]
    DeleteProtected,
    /// And not by Git.
    #[error("You can only delete protected branches using the web interface.")]
    DeleteProtectedByGit,
    /// The rule asks for more.
    #[error("You are not allowed to push code to protected branches on this project.")]
    Protected,
    /// The first push belongs to maintainers.
    #[error("A default branch (e.g. main) does not yet exist. Ask a project owner or maintainer to create it.")]
    NoDefaultBranch,
    /// Tags are moved by maintainers.
    #[error("You are not allowed to change existing tags on this project.")]
    ChangeTag,
    /// Protected tags are not moved.
    #[error("Protected tags cannot be updated.")]
    UpdateProtectedTag,
    /// Protected tags are not deleted.
    #[error("Protected tags cannot be deleted.")]
    DeleteProtectedTag,
    /// The rule asks for more.
    #[error("You are not allowed to create this tag as it is protected.")]
    CreateProtectedTag,
    /// A name that could be taken for a commit.
    #[error("You cannot create a branch with a 40-character hexadecimal branch name.")]
    LooksLikeCommit,
}

/// Checks that a change of a ref may happen.
///
/// # Errors
/// The first reason against it: the archived project or the caller's level, then the rules of branches or tags.
pub fn check_ref_change(facts: &PushFacts<'_>) -> Result<(), PushRefusal> {
    // Whose leave is for one branch moves it, and neither makes nor removes it.
    let by_leave = facts.collaborates
        && facts.kind == RefKind::Branch
        && matches!(facts.change, RefChange::FastForward | RefChange::Force);
    if facts.archived || !(facts.standing.at_least(AccessLevel::Developer) || by_leave) {
        return Err(PushRefusal::NotAllowed);
    }
    match facts.kind {
        RefKind::Branch => check_branch(facts),
        RefKind::Tag => check_tag(facts),
        // No rule protects them, and the server shows nothing of them. Its own refs are refused by their names before.
        RefKind::Other => Ok(()),
    }
}

fn check_branch(facts: &PushFacts<'_>) -> Result<(), PushRefusal> {
    let protected = facts.protections.is_protected();
    let maintainer = facts.standing.at_least(AccessLevel::Maintainer);
    match facts.change {
        RefChange::Delete if facts.is_default => return Err(PushRefusal::DefaultBranch),
        RefChange::Delete if protected && !maintainer => return Err(PushRefusal::DeleteProtected),
        RefChange::Delete if protected && !facts.through_api => return Err(PushRefusal::DeleteProtectedByGit),
        RefChange::Delete => return Ok(()),
        RefChange::Force if !facts.protections.allow_force_push() => return Err(PushRefusal::ForcePush),
        RefChange::Create if looks_like_commit(facts.name) => return Err(PushRefusal::LooksLikeCommit),
        RefChange::Create | RefChange::FastForward | RefChange::Force => {}
    }
    if facts.empty && facts.first_push_is_protected && !maintainer {
        return Err(PushRefusal::NoDefaultBranch);
    }
    if facts.protections.admit_push(&facts.standing) { Ok(()) } else { Err(PushRefusal::Protected) }
}

fn check_tag(facts: &PushFacts<'_>) -> Result<(), PushRefusal> {
    let protected = facts.protections.is_protected();
    match facts.change {
        RefChange::Create if facts.protections.admit_push(&facts.standing) => Ok(()),
        RefChange::Create => Err(PushRefusal::CreateProtectedTag),
        RefChange::Delete if protected => Err(PushRefusal::DeleteProtectedTag),
        RefChange::FastForward | RefChange::Force if protected => Err(PushRefusal::UpdateProtectedTag),
        // Over the API everyone who may push may delete a tag; by Git only maintainers move and delete tags.
        RefChange::Delete if facts.through_api => Ok(()),
        RefChange::Delete | RefChange::FastForward | RefChange::Force => {
            if facts.standing.at_least(AccessLevel::Maintainer) { Ok(()) } else { Err(PushRefusal::ChangeTag) }
        }
    }
}

/// The known facts about one change of a ref by a deploy key that may write to the project.
#[derive(Debug, Clone, Copy)]
pub struct KeyPushFacts<'a> {
    /// The key.
    pub key: DeployKeyId,
    /// The kind of ref.
    pub kind: RefKind,
    /// True if it is the default branch.
    pub is_default: bool,
    /// How it changes.
    pub change: RefChange,
    /// The rules that cover it.
    pub protections: &'a Protections<'a>,
}

/// Checks that a deploy key may change a ref. A project that gives a key the right to push gives it the right to push
/// anything, except where rules name who may push.
///
/// # Errors
/// The first reason against it.
pub fn check_ref_change_by_key(facts: &KeyPushFacts<'_>) -> Result<(), PushRefusal> {
    use RefChange::{Create, Delete, FastForward, Force};
    let protections = facts.protections;
    match (facts.kind, facts.change) {
        (RefKind::Branch, Delete) if facts.is_default => Err(PushRefusal::DefaultBranch),
        _ if !protections.restrict_deploy_keys() => Ok(()),
        (RefKind::Branch, Delete) => Err(PushRefusal::DeleteProtectedByGit),
        (RefKind::Branch, Force) if !protections.allow_force_push() => Err(PushRefusal::ForcePush),
        (RefKind::Branch, Create | FastForward | Force) if !protections.admit_key(facts.key) => {
            Err(PushRefusal::Protected)
        }
        (RefKind::Tag, Create) if !protections.admit_key(facts.key) => Err(PushRefusal::CreateProtectedTag),
        (RefKind::Tag, Delete) => Err(PushRefusal::DeleteProtectedTag),
        (RefKind::Tag, FastForward | Force) => Err(PushRefusal::UpdateProtectedTag),
        (RefKind::Branch | RefKind::Tag | RefKind::Other, _) => Ok(()),
    }
}

fn looks_like_commit(name: &str) -> bool {
    name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Viewer;
    use crate::id::UserId;
    use crate::repository::{Grantee, ProtectedAction, ProtectedRef, ProtectionKind};

    fn standing(level: AccessLevel) -> Standing {
        Standing { viewer: Viewer::User { id: UserId::new(1), admin: false, external: false }, level: Some(level) }
    }

    fn rules() -> Vec<ProtectedRef> {
        let levels = [
            ("main", ProtectionKind::Branch, 40),
            ("open", ProtectionKind::Branch, 30),
            ("v*", ProtectionKind::Tag, 40),
        ];
        let rule =
            |(name, kind, level)| ProtectedRef::new(kind, name, &[(ProtectedAction::Push, Grantee::Level(level))]);
        let mut rules = levels.map(rule).to_vec();
        rules.push(ProtectedRef { name: "forced".into(), allow_force_push: true, ..rules[0].clone() });
        rules
    }

    fn verdict(level: AccessLevel, kind: RefKind, name: &str, change: RefChange) -> Result<(), PushRefusal> {
        let protection = if kind == RefKind::Tag { ProtectionKind::Tag } else { ProtectionKind::Branch };
        let rules = rules();
        let protections = Protections::covering(&rules, protection, name);
        check_ref_change(&PushFacts {
            standing: standing(level),
            collaborates: false,
            archived: false,
            empty: false,
            first_push_is_protected: true,
            kind,
            name,
            is_default: name == "main",
            change,
            protections: &protections,
            through_api: false,
        })
    }

    #[test]
    fn the_table() {
        use AccessLevel::{Developer, Maintainer, Reporter};
        use RefChange::{Create, Delete, FastForward, Force};
        use RefKind::{Branch, Other, Tag};
        for (level, kind, name, change, want) in [
            (Reporter, Branch, "x", Create, Err(PushRefusal::NotAllowed)),
            (Developer, Branch, "x", Create, Ok(())),
            (Developer, Branch, "x", Force, Ok(())),
            (Developer, Branch, "x", Delete, Ok(())),
            (Developer, Branch, "main", FastForward, Err(PushRefusal::Protected)),
            (Maintainer, Branch, "main", FastForward, Ok(())),
            (Maintainer, Branch, "main", Force, Err(PushRefusal::ForcePush)),
            (Maintainer, Branch, "main", Delete, Err(PushRefusal::DefaultBranch)),
            (Developer, Branch, "open", FastForward, Ok(())),
            (Developer, Branch, "open", Force, Err(PushRefusal::ForcePush)),
            (Developer, Branch, "open", Delete, Err(PushRefusal::DeleteProtected)),
            (Maintainer, Branch, "open", Delete, Err(PushRefusal::DeleteProtectedByGit)),
            (Maintainer, Branch, "forced", Force, Ok(())),
            (Developer, Branch, "forced", Force, Err(PushRefusal::Protected)),
            (Maintainer, Branch, "forced", Delete, Err(PushRefusal::DeleteProtectedByGit)),
            (Developer, Tag, "x", Create, Ok(())),
            (Developer, Tag, "x", Force, Err(PushRefusal::ChangeTag)),
            (Developer, Tag, "x", Delete, Err(PushRefusal::ChangeTag)),
            (Maintainer, Tag, "x", Force, Ok(())),
            (Developer, Tag, "v1", Create, Err(PushRefusal::CreateProtectedTag)),
            (Maintainer, Tag, "v1", Create, Ok(())),
            (Maintainer, Tag, "v1", Force, Err(PushRefusal::UpdateProtectedTag)),
            (Maintainer, Tag, "v1", Delete, Err(PushRefusal::DeleteProtectedTag)),
            (Reporter, Other, "refs/notes/commits", Create, Err(PushRefusal::NotAllowed)),
            (Developer, Other, "refs/notes/commits", Create, Ok(())),
            (Developer, Other, "refs/notes/commits", Force, Ok(())),
            (Developer, Other, "refs/notes/commits", Delete, Ok(())),
            (Maintainer, Branch, "0123456789012345678901234567890123456789", Create, Err(PushRefusal::LooksLikeCommit)),
        ] {
            assert_eq!(verdict(level, kind, name, change), want, "{level:?} {kind:?} {name} {change:?}");
        }
    }

    #[test]
    fn a_leave_is_for_moving_one_unprotected_branch() {
        let rules = rules();
        let verdict = |name: &str, kind, change, archived| {
            check_ref_change(&PushFacts {
                standing: standing(AccessLevel::Guest),
                collaborates: true,
                archived,
                empty: false,
                first_push_is_protected: true,
                kind,
                name,
                is_default: false,
                change,
                protections: &Protections::covering(&rules, ProtectionKind::Branch, name),
                through_api: false,
            })
        };
        let refused = Err(PushRefusal::NotAllowed);
        assert_eq!(verdict("x", RefKind::Branch, RefChange::FastForward, false), Ok(()));
        assert_eq!(verdict("x", RefKind::Branch, RefChange::Force, false), Ok(()));
        assert_eq!(verdict("x", RefKind::Branch, RefChange::Create, false), refused);
        assert_eq!(verdict("x", RefKind::Branch, RefChange::Delete, false), refused);
        assert_eq!(verdict("x", RefKind::Tag, RefChange::FastForward, false), refused);
        assert_eq!(verdict("x", RefKind::Branch, RefChange::FastForward, true), refused);
        assert_eq!(verdict("open", RefKind::Branch, RefChange::FastForward, false), Err(PushRefusal::Protected));
    }

    #[test]
    fn the_first_push_belongs_to_maintainers_and_archived_projects_take_none() {
        let none = Protections::default();
        let facts = |level, archived| PushFacts {
            standing: standing(level),
            collaborates: false,
            archived,
            empty: true,
            first_push_is_protected: true,
            kind: RefKind::Branch,
            name: "main",
            is_default: false,
            change: RefChange::Create,
            protections: &none,
            through_api: false,
        };
        assert_eq!(check_ref_change(&facts(AccessLevel::Developer, false)), Err(PushRefusal::NoDefaultBranch));
        assert_eq!(check_ref_change(&facts(AccessLevel::Maintainer, false)), Ok(()));
        assert_eq!(check_ref_change(&facts(AccessLevel::Owner, true)), Err(PushRefusal::NotAllowed));
    }

    #[test]
    fn rules_bind_deploy_keys_if_they_name_who_may_push() {
        use RefChange::{Create, Delete, FastForward, Force};
        use RefKind::{Branch, Tag};
        let (key, other) = (DeployKeyId::new(1), DeployKeyId::new(2));
        let mut rules = rules();
        for (kind, name) in [(ProtectionKind::Branch, "own"), (ProtectionKind::Tag, "own")] {
            rules.push(ProtectedRef::new(kind, name, &[(ProtectedAction::Push, Grantee::DeployKey(key))]));
        }
        let verdict = |key, kind, name: &str, change| {
            let protection = if kind == Tag { ProtectionKind::Tag } else { ProtectionKind::Branch };
            let protections = &Protections::covering(&rules, protection, name);
            check_ref_change_by_key(&KeyPushFacts { key, kind, is_default: name == "main", change, protections })
        };
        for (key, kind, name, change, want) in [
            (key, Branch, "main", Force, Ok(())),
            (key, Branch, "main", Delete, Err(PushRefusal::DefaultBranch)),
            (key, Branch, "open", Delete, Ok(())),
            (key, Branch, "own", Create, Ok(())),
            (key, Branch, "own", FastForward, Ok(())),
            (key, Branch, "own", Force, Err(PushRefusal::ForcePush)),
            (key, Branch, "own", Delete, Err(PushRefusal::DeleteProtectedByGit)),
            (other, Branch, "own", FastForward, Err(PushRefusal::Protected)),
            (key, Tag, "v1", Delete, Ok(())),
            (key, Tag, "own", Create, Ok(())),
            (key, Tag, "own", Force, Err(PushRefusal::UpdateProtectedTag)),
            (key, Tag, "own", Delete, Err(PushRefusal::DeleteProtectedTag)),
            (other, Tag, "own", Create, Err(PushRefusal::CreateProtectedTag)),
        ] {
            assert_eq!(verdict(key, kind, name, change), want, "{key} {kind:?} {name} {change:?}");
        }
    }
}
