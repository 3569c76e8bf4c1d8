//! From the names of labels to labels.

use std::collections::HashMap;

use tenon_domain::container::Container;
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::{LabelId, ProjectId};
use tenon_domain::label::{DEFAULT_COLOR, Label, check_name, clean_name};
use tenon_markdown::Options;
use tenon_storage::label::{self, LabelSet};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::quota::check_more;

/// The most labels of one issue or merge request.
pub(crate) const MAX_LABELS: usize = 500;

/// The labels of these names that can be used in a project. A new name becomes a label of the project.
pub(crate) fn find_or_create(
    command: &mut Command<'_>,
    project: ProjectId,
    names: &[String],
) -> Result<Vec<(LabelId, String)>, AppError> {
    let mut cleaned: Vec<String> = names.iter().map(|name| clean_name(name)).filter(|name| !name.is_empty()).collect();
    cleaned.sort();
    cleaned.dedup();
    check_count(0, cleaned.len())?;
    let mut found = existing(command, project, &cleaned)?;
    let more = cleaned.len().saturating_sub(found.len());
    if more > 0 {
        let count = label::count(&mut command.tx, Container::Project(project))?;
        check_more(count, more, command.app.limits().contents.labels, "A project", "labels")?;
    }
    for name in cleaned {
        if found.iter().any(|(_, known)| *known == name) {
            continue;
        }
        let mut errors = FieldErrors::default();
        check_name(&mut errors, &name);
        errors.into_result()?;
        let new = Label {
            id: LabelId::new(0),
            container: Container::Project(project),
            name: name.clone(),
            color: DEFAULT_COLOR.to_owned(),
            description: None,
            archived: false,
        };
        let now = command.now;
        let id = label::insert(&mut command.tx, &new, now)?;
        let event = command.event(EventKind::LabelCreated).project(project).detail(id.to_string());
        command.append(&event)?;
        found.push((id, name));
    }
    found.sort_by(|(_, a), (_, b)| a.cmp(b));
    Ok(found)
}

/// Refuses more labels than one issue or merge request may have; those that it has `before` may stay.
pub(crate) fn check_count(before: usize, after: usize) -> Result<(), AppError> {
    if after > MAX_LABELS.max(before) {
        return Err(AppError::invalid("labels", format!("are too many (maximum is {MAX_LABELS})")));
    }
    Ok(())
}

/// The labels of these names that can be used in a project, by name. If a project and a group above it have one of the
/// same name, the project's own counts.
pub(crate) fn existing(
    command: &mut Command<'_>,
    project: ProjectId,
    names: &[String],
) -> Result<Vec<(LabelId, String)>, AppError> {
    let mut labels = label::named(&mut command.tx, LabelSet::usable_in(project), names)?;
    labels.sort_by_key(|label| (label.name.clone(), matches!(label.container, Container::Group(_)), label.id));
    labels.dedup_by(|later, first| later.name == first.name);
    Ok(labels.into_iter().map(|label| (label.id, label.name)).collect())
}

/// The description of a label as HTML, of a long one its beginning. Names in it stay text: the label is shown in many
/// projects.
pub(crate) fn description_html(query: &Query<'_>, label: &Label) -> String {
    let most = usize::try_from(query.app.limits().reads.label_html).unwrap_or(usize::MAX);
    let text = label.description.as_deref().unwrap_or_default();
    let text = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    let outside = query.app.outside_pictures();
    query.within_budget(|ends| {
        let options = Options { outside: Some(&outside), ends, ..Options::of(query.app.base_url()) };
        tenon_markdown::html(text, &options, &HashMap::new())
    })
}
