//! Wordings of the API that this server is compatible with, if they differ from the form of all other failures. Clients
//! compare these texts. Statuses and Ruby hashes are part of some of them.

use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};
use tenon_app::error::Attempt;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::merge_request::{AcceptRefusal, ApprovalRefusal, CancelRefusal};
use tenon_domain::user::{INACTIVE_DAYS, StateRefusal};

pub(super) const USERS_HIDDEN: &str = "403 Forbidden - Not authorized to access /api/v4/users";
pub(super) const SOLE_OWNER: &str = "User cannot be removed while is the sole-owner of a group";

/// Invalid fields of endpoints with a form of response of their own: most answer with one text, not with an object.
pub(super) fn rejected(attempt: Attempt, fields: &FieldErrors) -> (StatusCode, Value) {
    let hash = ruby_hash(fields);
    let (status, text) = match attempt {
        Attempt::SaveGroup => (StatusCode::BAD_REQUEST, format!("Failed to save group {hash}")),
        Attempt::CreateMilestone => (StatusCode::BAD_REQUEST, format!("Failed to create milestone {hash}")),
        Attempt::UpdateMilestone => (StatusCode::BAD_REQUEST, format!("Failed to update milestone {hash}")),
        Attempt::TransferProject => (StatusCode::BAD_REQUEST, format!("Failed to transfer project {hash}")),
        Attempt::WriteNote => (StatusCode::BAD_REQUEST, format!("400 (Bad request) \"Note {hash}\" not given")),
        Attempt::GiveAward => (StatusCode::NOT_FOUND, format!("404 Award Emoji {hash} Not Found")),
        Attempt::CreateDeployToken => (StatusCode::BAD_REQUEST, fields.sentences()),
        Attempt::Fork => return (StatusCode::CONFLICT, by_field(fields)),
    };
    (status, json!({ "message": text }))
}

/// `{"message": {"name": ["can't be blank"]}}`.
pub(super) fn by_field(fields: &FieldErrors) -> Value {
    let fields: Map<String, Value> = fields.iter().map(|(field, texts)| (field.to_owned(), json!(texts))).collect();
    json!({ "message": fields })
}

/// A merge request that is not merged.
pub(super) fn not_merged(refusal: &AcceptRefusal) -> (StatusCode, String) {
    let (status, text) = match refusal {
        AcceptRefusal::Unauthorized => (StatusCode::UNAUTHORIZED, "401 Unauthorized"),
        AcceptRefusal::NotOpen => (StatusCode::NOT_ACCEPTABLE, "Method Not Allowed"),
        AcceptRefusal::NotReady => (StatusCode::METHOD_NOT_ALLOWED, "405 Method Not Allowed"),
        AcceptRefusal::CannotBeMerged => return (StatusCode::METHOD_NOT_ALLOWED, refusal.to_string()),
        AcceptRefusal::ShaMismatch(_) => return (StatusCode::CONFLICT, refusal.to_string()),
        AcceptRefusal::SquashRequired => return (StatusCode::UNPROCESSABLE_ENTITY, refusal.to_string()),
    };
    (status, text.to_owned())
}

/// A verdict that is not given, or not taken back.
pub(super) fn not_approved(refusal: &ApprovalRefusal) -> (StatusCode, String) {
    let (status, text) = match refusal {
        ApprovalRefusal::Unauthorized => (StatusCode::UNAUTHORIZED, "401 Unauthorized"),
        ApprovalRefusal::NotGiven => (StatusCode::NOT_FOUND, "404 Not found"),
        ApprovalRefusal::ShaMismatch(_) => return (StatusCode::CONFLICT, refusal.to_string()),
    };
    (status, text.to_owned())
}

/// A waiting merge that is not cancelled.
pub(super) fn not_cancelled(refusal: CancelRefusal) -> (StatusCode, String) {
    let (status, text) = match refusal {
        CancelRefusal::Unauthorized => (StatusCode::UNAUTHORIZED, "401 Unauthorized"),
        CancelRefusal::NotOpen => (StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed"),
        CancelRefusal::NotWaiting => (StatusCode::NOT_ACCEPTABLE, "Can't cancel the automatic merge"),
    };
    (status, text.to_owned())
}

/// An account whose state is not changed.
pub(super) fn state_kept(refusal: StateRefusal) -> (StatusCode, String) {
    let text = match refusal {
        StateRefusal::UnblockDeactivated => "403 Forbidden - Deactivated users cannot be unblocked by the API",
        StateRefusal::BlockPending => {
            "403 Forbidden - A user who waits for approval cannot be blocked. Reject the user instead"
        }
        StateRefusal::ActivateExcluded => "Error occurred. A blocked user must be unblocked to be activated",
        StateRefusal::DeactivateExcluded => "Error occurred. A blocked user cannot be deactivated",
        StateRefusal::DeactivateInternal => "Internal users cannot be deactivated",
        StateRefusal::DeactivateUsed => {
            return (
                StatusCode::FORBIDDEN,
                format!(
                    "The user you are trying to deactivate has been active in the past {INACTIVE_DAYS} days and cannot be \
                     deactivated"
                ),
            );
        }
        StateRefusal::BanInactive => r#"State cannot transition via "ban""#,
        StateRefusal::UnbanOther => r#"State cannot transition via "unban""#,
        StateRefusal::ApproveOther => {
            let text = "The user you are trying to approve is not pending approval";
            return (StatusCode::CONFLICT, text.to_owned());
        }
        StateRefusal::RejectOther => {
            return (StatusCode::CONFLICT, "User does not have a pending request".to_owned());
        }
    };
    (StatusCode::FORBIDDEN, text.to_owned())
}

/// `{:name=>["can't be blank"], :path=>["is too short", "is reserved"]}`.
fn ruby_hash(fields: &FieldErrors) -> String {
    let fields = fields.iter().map(|(field, texts)| {
        let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
        format!(":{field}=>[{}]", texts.join(", "))
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_fields_are_printed_as_a_ruby_hash() {
        let mut fields = FieldErrors::of("name", "can't be blank");
        fields.add("path", "is too short");
        fields.add("path", "is reserved");
        let hash = r#"{:name=>["can't be blank"], :path=>["is too short", "is reserved"]}"#;
        for (attempt, status, text) in [
            (Attempt::SaveGroup, 400, format!("Failed to save group {hash}")),
            (Attempt::CreateMilestone, 400, format!("Failed to create milestone {hash}")),
            (Attempt::UpdateMilestone, 400, format!("Failed to update milestone {hash}")),
            (Attempt::TransferProject, 400, format!("Failed to transfer project {hash}")),
            (Attempt::WriteNote, 400, format!("400 (Bad request) \"Note {hash}\" not given")),
            (Attempt::GiveAward, 404, format!("404 Award Emoji {hash} Not Found")),
        ] {
            let (got, body) = rejected(attempt, &fields);
            assert_eq!((got.as_u16(), body), (status, json!({ "message": text })));
        }
    }
}
