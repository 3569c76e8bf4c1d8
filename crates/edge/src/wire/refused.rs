//! Refusals as clients see them: the status and the shape of each. A text differs from that of the refusal if clients
//! of the compatible API compare it.

use actix_web::http::StatusCode;
use serde_json::{Value, json};
use tenon_domain::refusal::{
    AccessRefusal, AdmissionRefusal, DeploymentRefusal, GroupRefusal, IssueRefusal, LabelRefusal, ListRefusal,
    MergeRequestRefusal, PipelineRefusal, ProjectRefusal, Refusal, ReleaseRefusal, RepositoryRefusal, SnippetRefusal,
    TwoFactorRefusal, UserRefusal, WikiRefusal,
};

use super::legacy;

/// Status and shape of the answer to a refusal. The text is that of the refusal, but for `Worded`.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// 400, and the text behind `400 Bad request - `.
    BadRequest,
    /// 403, and the text behind `403 Forbidden - `.
    Forbidden,
    /// 403, and a list of the text under `error`.
    OverLimit,
    /// The text.
    Plain(StatusCode),
    /// The text under `message` and under `error`.
    Both(StatusCode),
    /// A list of the text.
    List(StatusCode),
    /// 400, and the text as the message about `error`.
    OfError,
    /// Another text.
    Worded(StatusCode, &'static str),
}

const BAD_REQUEST: Shape = Shape::Plain(StatusCode::BAD_REQUEST);
const CONFLICT: Shape = Shape::Plain(StatusCode::CONFLICT);
/// The response to problems with parameters.
const PARAMETER: Shape = Shape::Both(StatusCode::BAD_REQUEST);
const UNPROCESSABLE: Shape = Shape::Both(StatusCode::UNPROCESSABLE_ENTITY);

/// The status and the body of the answer.
pub(super) fn answer(refusal: &Refusal) -> (StatusCode, Value) {
    let shape = match refusal {
        Refusal::AccountState(refusal) => return message(legacy::state_kept(*refusal)),
        Refusal::Accept(refusal) => return message(legacy::not_merged(refusal)),
        Refusal::Approval(refusal) => return message(legacy::not_approved(refusal)),
        Refusal::Cancel(refusal) => return message(legacy::not_cancelled(*refusal)),
        Refusal::Access(refusal) => of_access(refusal),
        Refusal::Admission(refusal) => of_admission(refusal),
        Refusal::Group(refusal) => of_group(refusal),
        Refusal::Issue(refusal) => of_issue(refusal),
        Refusal::Label(refusal) => of_label(refusal),
        Refusal::List(refusal) => of_list(refusal),
        Refusal::MergeRequest(refusal) => of_merge_request(refusal),
        Refusal::Pipeline(refusal) => of_pipeline(refusal),
        Refusal::Project(refusal) => of_project(refusal),
        Refusal::Release(refusal) => of_release(refusal),
        Refusal::Repository(refusal) => of_repository(refusal),
        Refusal::TwoFactor(refusal) => of_two_factor(refusal),
        Refusal::User(refusal) => of_user(refusal),
        Refusal::Wiki(refusal) => of_wiki(refusal),
        Refusal::Membership(_) => Shape::Worded(StatusCode::FORBIDDEN, "403 Forbidden"),
        Refusal::Badge(_) => Shape::Both(StatusCode::FORBIDDEN),
        Refusal::Board(_) => Shape::OfError,
        Refusal::Contribution(_) => PARAMETER,
        Refusal::FeatureFlag(_) => Shape::List(StatusCode::CONFLICT),
        Refusal::Hook(_) => UNPROCESSABLE,
        Refusal::Deployment(DeploymentRefusal::UnpairedFilter) | Refusal::Snippet(SnippetRefusal::SeveralFiles) => {
            Shape::BadRequest
        }
        Refusal::Snippet(SnippetRefusal::Changed) | Refusal::Impersonation(_) | Refusal::Variable(_) => CONFLICT,
        Refusal::Deployment(DeploymentRefusal::Running | DeploymentRefusal::Current)
        | Refusal::Milestone(_)
        | Refusal::Note(_)
        | Refusal::Notification(_)
        | Refusal::SshKey(_)
        | Refusal::Suggestion(_) => BAD_REQUEST,
    };
    let text = refusal.to_string();
    match shape {
        Shape::BadRequest => message((StatusCode::BAD_REQUEST, format!("400 Bad request - {text}"))),
        Shape::Forbidden => message((StatusCode::FORBIDDEN, format!("403 Forbidden - {text}"))),
        Shape::OverLimit => (StatusCode::FORBIDDEN, json!({ "error": [text] })),
        Shape::Plain(status) => message((status, text)),
        Shape::Both(status) => (status, json!({ "message": text, "error": text })),
        Shape::List(status) => (status, json!({ "message": [text] })),
        Shape::OfError => (StatusCode::BAD_REQUEST, json!({ "message": { "error": text } })),
        Shape::Worded(status, words) => message((status, words.to_owned())),
    }
}

fn message((status, text): (StatusCode, String)) -> (StatusCode, Value) {
    (status, json!({ "message": text }))
}

const fn of_access(refusal: &AccessRefusal) -> Shape {
    match refusal {
        AccessRefusal::NotAPersonalToken => Shape::BadRequest,
        AccessRefusal::Excluded { .. }
        | AccessRefusal::Impersonated
        | AccessRefusal::SudoByOther
        | AccessRefusal::SudoWithoutToken
        | AccessRefusal::TermsNotAccepted { .. }
        | AccessRefusal::Demanded(_) => Shape::Forbidden,
    }
}

const fn of_admission(refusal: &AdmissionRefusal) -> Shape {
    match refusal {
        AdmissionRefusal::AlreadyMember | AdmissionRefusal::AlreadyInvited => CONFLICT,
        AdmissionRefusal::NoOneInvited | AdmissionRefusal::NoMail => Shape::BadRequest,
        AdmissionRefusal::Locked => Shape::Forbidden,
        AdmissionRefusal::NoUsers | AdmissionRefusal::TooMany(_) => PARAMETER,
    }
}

const fn of_group(refusal: &GroupRefusal) -> Shape {
    match refusal {
        GroupRefusal::SharedWithItself | GroupRefusal::AlreadyShared => CONFLICT,
        GroupRefusal::SharedOutside | GroupRefusal::Transfer(_) => BAD_REQUEST,
    }
}

const fn of_issue(refusal: &IssueRefusal) -> Shape {
    match refusal {
        IssueRefusal::InvalidIid => PARAMETER,
        IssueRefusal::Duplicated | IssueRefusal::LinkedToItself | IssueRefusal::AlreadyLinked => CONFLICT,
        IssueRefusal::MoveNotPermitted | IssueRefusal::MovedToItself => BAD_REQUEST,
    }
}

const fn of_label(refusal: &LabelRefusal) -> Shape {
    match refusal {
        LabelRefusal::Taken => CONFLICT,
        LabelRefusal::Personal => BAD_REQUEST,
    }
}

const fn of_list(refusal: &ListRefusal) -> Shape {
    match refusal {
        ListRefusal::NoKeyset(_) => Shape::Both(StatusCode::METHOD_NOT_ALLOWED),
        ListRefusal::InvalidToken => PARAMETER,
    }
}

const fn of_merge_request(refusal: &MergeRequestRefusal) -> Shape {
    match refusal {
        MergeRequestRefusal::Duplicated(_) => Shape::List(StatusCode::CONFLICT),
        MergeRequestRefusal::SameBranch | MergeRequestRefusal::NotAFork => UNPROCESSABLE,
        MergeRequestRefusal::NotMergeable
        | MergeRequestRefusal::TooManyViewed(_)
        | MergeRequestRefusal::NoConflicts
        | MergeRequestRefusal::NotResolvable(_)
        | MergeRequestRefusal::Unresolved(_) => BAD_REQUEST,
    }
}

const fn of_pipeline(refusal: &PipelineRefusal) -> Shape {
    match refusal {
        PipelineRefusal::InvalidRef => PARAMETER,
        PipelineRefusal::Move(_) | PipelineRefusal::TooManyJobs(_) => BAD_REQUEST,
    }
}

const fn of_project(refusal: &ProjectRefusal) -> Shape {
    match refusal {
        ProjectRefusal::Limit(_) => Shape::OverLimit,
        ProjectRefusal::AlreadyForked | ProjectRefusal::SharedWithOwnGroup => CONFLICT,
        ProjectRefusal::SharingLocked => BAD_REQUEST,
        ProjectRefusal::NotMirrored => Shape::Plain(StatusCode::BAD_REQUEST),
    }
}

const fn of_release(refusal: &ReleaseRefusal) -> Shape {
    match refusal {
        ReleaseRefusal::NoRef => UNPROCESSABLE,
        ReleaseRefusal::Exists => CONFLICT,
        ReleaseRefusal::Invalid(_)
        | ReleaseRefusal::NoChanges
        | ReleaseRefusal::InvalidTag
        | ReleaseRefusal::TooManyMilestones(_)
        | ReleaseRefusal::MilestonesMissing(_)
        | ReleaseRefusal::TooManyLinks(_) => BAD_REQUEST,
    }
}

const fn of_repository(refusal: &RepositoryRefusal) -> Shape {
    use RepositoryRefusal as R;
    match refusal {
        R::BranchProtected => Shape::Forbidden,
        R::BranchMoved | R::ProtectedBranchExists(_) => CONFLICT,
        R::ProtectedTagExists => Shape::List(StatusCode::UNPROCESSABLE_ENTITY),
        R::InvalidLevel(_) | R::InvalidPattern | R::PatternTooLong => PARAMETER,
        R::Push(_)
        | R::FileChanged(_)
        | R::InvalidBranch
        | R::InvalidBranchRef
        | R::BranchNotCreated(_)
        | R::BranchTaken(_)
        | R::NotOnABranch
        | R::InvalidTag
        | R::InvalidRef
        | R::InvalidTarget(_)
        | R::BranchExists
        | R::TagExists(_)
        | R::RefExists
        | R::TooManyRefs(_)
        | R::MessageTooLong(_)
        | R::Conflict
        | R::NoFastForward
        | R::NothingToChange
        | R::DirectoryFileConflict
        | R::FileExists
        | R::FileTaken(_)
        | R::InvalidFileName(_)
        | R::FileMissing
        | R::PathTraversal
        | R::InvalidPath
        | R::NoContent
        | R::Empty
        | R::InvalidCommit
        | R::InvalidSubmodule
        | R::SubmoduleUnchanged { .. }
        | R::NotReplayed { .. }
        | R::TooFewRefs
        | R::RefsMissing(_)
        | R::RangeTooLong(_)
        | R::FileTooLong(_) => BAD_REQUEST,
    }
}

const fn of_two_factor(refusal: &TwoFactorRefusal) -> Shape {
    match refusal {
        TwoFactorRefusal::Enabled | TwoFactorRefusal::NotBegun | TwoFactorRefusal::OnlyWay => CONFLICT,
        TwoFactorRefusal::OfAdministrator => Shape::Forbidden,
        TwoFactorRefusal::NotEnabled => Shape::BadRequest,
    }
}

const fn of_user(refusal: &UserRefusal) -> Shape {
    match refusal {
        UserRefusal::Hidden => Shape::Worded(StatusCode::FORBIDDEN, legacy::USERS_HIDDEN),
        UserRefusal::SoleOwner => Shape::Worded(StatusCode::CONFLICT, legacy::SOLE_OWNER),
        UserRefusal::EmailTaken | UserRefusal::UsernameTaken | UserRefusal::PasswordChanged => CONFLICT,
        UserRefusal::FollowsTooMany(_) => BAD_REQUEST,
        UserRefusal::Internal(_)
        | UserRefusal::Oneself(_)
        | UserRefusal::LastAdministrator
        | UserRefusal::OwnRights
        | UserRefusal::NoMail
        | UserRefusal::NoPasswords
        | UserRefusal::PicturesHidden
        | UserRefusal::NotRemovable
        | UserRefusal::NoSignUp => Shape::Forbidden,
    }
}

const fn of_wiki(refusal: &WikiRefusal) -> Shape {
    match refusal {
        WikiRefusal::Changed => CONFLICT,
        WikiRefusal::TitleTaken
        | WikiRefusal::PageTooLong(_)
        | WikiRefusal::TooManyFiles(_)
        | WikiRefusal::ContentsTooLong(_) => UNPROCESSABLE,
        WikiRefusal::NoFileName => BAD_REQUEST,
    }
}

#[cfg(test)]
mod tests {
    use tenon_domain::member::MemberRefusal;
    use tenon_domain::merge_request::AcceptRefusal;
    use tenon_domain::refusal::HookRefusal;
    use tenon_domain::user::UserEvent;

    use super::*;

    #[test]
    fn each_shape_has_its_body() {
        let table: Vec<(Refusal, u16, Value)> = vec![
            (
                RepositoryRefusal::BranchProtected.into(),
                403,
                json!({"message": "403 Forbidden - You are not allowed to push into this branch"}),
            ),
            (
                ProjectRefusal::Limit(2).into(),
                403,
                json!({"error": ["Your project limit is 2 projects! Please contact your administrator to increase it"]}),
            ),
            (ProjectRefusal::NotMirrored.into(), 400, json!({"message": "The project is not mirrored"})),
            (
                AccessRefusal::NotAPersonalToken.into(),
                400,
                json!({"message": "400 Bad request - This endpoint requires token type to be a personal access token"}),
            ),
            (
                TwoFactorRefusal::NotEnabled.into(),
                400,
                json!({"message": "400 Bad request - Two-factor authentication is not enabled for this user"}),
            ),
            (
                UserRefusal::Internal(UserEvent::Ban).into(),
                403,
                json!({"message": "403 Forbidden - An internal user cannot be banned"}),
            ),
            (
                AcceptRefusal::ShaMismatch("0a".to_owned()).into(),
                409,
                json!({"message": "SHA does not match HEAD of source branch: 0a"}),
            ),
            (AcceptRefusal::CannotBeMerged.into(), 405, json!({"message": "Branch cannot be merged"})),
            (RepositoryRefusal::Empty.into(), 400, json!({"message": "The repository is empty"})),
            (LabelRefusal::Taken.into(), 409, json!({"message": "Label already exists"})),
            (
                RepositoryRefusal::BranchMoved.into(),
                409,
                json!({"message": "The branch has changed in the meantime. Please try again."}),
            ),
            (IssueRefusal::InvalidIid.into(), 400, json!({"message": "iid is invalid", "error": "iid is invalid"})),
            (HookRefusal::Address.into(), 422, json!({"message": "Invalid url given", "error": "Invalid url given"})),
            (RepositoryRefusal::ProtectedTagExists.into(), 422, json!({"message": ["Name has already been taken"]})),
            (MemberRefusal::LastOwner.into(), 403, json!({"message": "403 Forbidden"})),
            (UserRefusal::SoleOwner.into(), 409, json!({"message": legacy::SOLE_OWNER})),
        ];
        for (refusal, status, body) in table {
            let (answered, sent) = answer(&refusal);
            assert_eq!((answered.as_u16(), sent), (status, body), "{refusal:?}");
        }
    }
}
