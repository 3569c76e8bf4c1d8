//! Changing issues.

use chrono::{DateTime, NaiveDate, Utc};
use tenon_app::issuable::{PeopleChange, Triage};
use tenon_app::issue::{self, EditIssue};
use tenon_domain::issuable::IssueType;
use tenon_domain::issuable::StateEvent;
use tenon_domain::patch::Patch;
use tenon_domain::quick_action::extract;
use tenon_edge::error::ApiError;

use super::{IssueParams, project};
use crate::dto::issue::IssueDto;
use crate::endpoint::{Call, Json};
use crate::issuable::{assignees, label_change, milestone};
use crate::params::params;

params! {
    /// Changes to an issue.
    pub(crate) struct EditParams {
        issue: IssueParams,
        /// The title.
        title: Option<String>,
        /// Markdown; lines that are quick actions are executed.
        description: Option<String>,
        /// The assignees; empty or 0 for none.
        assignee_ids: Option<Vec<i64>>,
        /// The assignee; deprecated, takes precedence over `assignee_ids`.
        assignee_id: Patch<i64>,
        /// The milestone; empty or 0 for none.
        milestone_id: Patch<i64>,
        /// True if only members may comment.
        discussion_locked: Option<bool>,
        /// The names of its labels; empty for none.
        labels: Option<Vec<String>>,
        /// The names of labels to add.
        add_labels: Option<Vec<String>>,
        /// The names of labels to remove.
        remove_labels: Option<Vec<String>>,
        /// The date of the change, for owners and administrators.
        updated_at: Option<DateTime<Utc>>,
        /// The due date; empty for none.
        due_date: Patch<NaiveDate>,
        /// The weight, from 0 on; empty for none.
        weight: Patch<i64>,
        /// The type.
        issue_type: Option<IssueType>,
        /// True if the issue is confidential.
        confidential: Option<bool>,
        /// `close` or `reopen`.
        state_event: Option<StateEvent>,
    }
    rules(reader) {
        // The message lists the older parameters only; the newer ones are accepted too.
        let newer = ["add_labels", "remove_labels", "weight", "issue_type"];
        if !newer.iter().any(|name| reader.is_given(name)) {
            reader.at_least_one_of(&[
                "title", "description", "assignee_ids", "assignee_id", "milestone_id", "discussion_locked", "labels",
                "created_at", "due_date", "confidential", "state_event",
            ]);
        }
    }
}

impl From<EditParams> for EditIssue {
    fn from(params: EditParams) -> Self {
        Self {
            title: params.title,
            description: params.description.as_deref().map(extract),
            confidential: params.confidential,
            triage: Triage {
                assignees: assignees(params.assignee_ids, params.assignee_id).map(PeopleChange::All),
                milestone: milestone(params.milestone_id),
                labels: label_change(params.labels, params.add_labels, params.remove_labels),
                due_date: params.due_date,
                weight: params.weight,
                issue_type: params.issue_type,
                discussion_locked: params.discussion_locked,
            },
            state_event: params.state_event,
            updated_at: params.updated_at,
            text_seen: None,
        }
    }
}

pub(super) async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<IssueDto>, ApiError> {
    let (project, iid) = (project(&caller), params.issue.iid());
    let request = EditIssue::from(params);
    let texts = request.texts();
    let view = caller.write_text(texts, move |command| issue::edit(command, &project, iid, request)).await?;
    Ok(Json(IssueDto::single(view)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tenon_domain::id::UserId;
    use tenon_edge::param_map::ParamMap;
    use tenon_edge::raw::RawParams;

    use super::*;
    use crate::params::ReadParams as _;

    fn read(body: &Value) -> Result<EditIssue, ApiError> {
        let map = ParamMap::from_json(body.to_string().as_bytes()).unwrap();
        RawParams::without_files(map).read::<EditParams>().map(Into::into)
    }

    #[test]
    fn nothing_and_zero_take_away() {
        for body in [
            json!({"assignee_ids": []}),
            json!({"assignee_ids": [0]}),
            json!({"assignee_ids": 0}),
            json!({"assignee_ids": ""}),
            json!({"assignee_id": 0}),
            json!({"assignee_id": null, "assignee_ids": [7]}),
            json!({"assignee_id": "", "assignee_ids": [7]}),
        ] {
            let body = merged(body);
            assert_eq!(read(&body).unwrap().triage.assignees, Some(PeopleChange::All(Vec::new())), "{body}");
        }
        for empty in [json!(0), json!("0"), json!(""), json!(null)] {
            assert_eq!(
                read(&merged(json!({"milestone_id": empty}))).unwrap().triage.milestone,
                Patch::Clear,
                "{empty}"
            );
        }
        assert_eq!(read(&merged(json!({"labels": ""}))).unwrap().triage.labels.all, Some(Vec::new()));
        for empty in [json!(""), json!(null)] {
            assert_eq!(read(&merged(json!({"due_date": empty}))).unwrap().triage.due_date, Patch::Clear, "{empty}");
        }
    }

    #[test]
    fn what_is_not_sent_stays() {
        let edit = read(&merged(json!({"title": "t"}))).unwrap();
        assert_eq!((edit.triage.assignees, edit.triage.milestone), (None, Patch::Absent));
        assert_eq!((edit.triage.labels.all, edit.triage.due_date), (None, Patch::Absent));
    }

    #[test]
    fn a_single_assignee_is_stronger_than_many() {
        let edit = read(&merged(json!({"assignee_id": 3, "assignee_ids": [7, 8]}))).unwrap();
        assert_eq!(edit.triage.assignees, Some(PeopleChange::All(vec![UserId::new(3)])));
        let edit = read(&merged(json!({"assignee_ids": "7,8"}))).unwrap();
        assert_eq!(edit.triage.assignees, Some(PeopleChange::All(vec![UserId::new(7), UserId::new(8)])));
    }

    #[test]
    fn a_moment_is_reduced_to_its_day() {
        let edit = read(&merged(json!({"due_date": "2020-01-31T00:00:00Z"}))).unwrap();
        assert_eq!(edit.triage.due_date, Patch::Set(NaiveDate::from_ymd_opt(2020, 1, 31).unwrap()));
    }

    #[test]
    fn an_edit_names_something_to_change() {
        let text = "title, description, assignee_ids, assignee_id, milestone_id, discussion_locked, labels, created_at, \
                    due_date, confidential, state_event are missing, at least one parameter must be provided";
        for body in [json!({}), json!({"updated_at": "2020-01-31"})] {
            assert_eq!(read(&merged(body)).unwrap_err(), ApiError::parameters(text));
        }
        assert!(read(&merged(json!({"add_labels": "a"}))).is_ok());
    }

    fn merged(mut body: Value) -> Value {
        body["issue_iid"] = json!("1");
        body
    }
}
