//! Groups with which a project is shared: their members can use it.

use tenon_app::project::SharedGroup;
use tenon_domain::access::AccessLevel;

use crate::kit::choice::Choice;
use crate::kit::form::Form;
use crate::kit::problems::Problems;
use crate::kit::words::day;
use crate::parts::member;

/// The groups, and the form that adds one.
pub(super) struct Shares {
    pub(super) rows: Vec<Row>,
    /// True if a group forbids sharing the project.
    pub(super) is_locked: bool,
    pub(super) levels: Vec<Choice>,
    pub(super) typed: FormValues,
    pub(super) problems: Problems,
}

pub(super) struct Row {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) href: String,
    /// The highest access that its members get.
    pub(super) level: &'static str,
    pub(super) expires: Option<String>,
}

/// The values of the form that shares the project.
#[derive(Debug, Clone, Default)]
pub(super) struct FormValues {
    pub(super) group: String,
    pub(super) level: String,
    pub(super) expires: String,
}

impl FormValues {
    pub(super) fn sent(form: Form<'_>) -> Self {
        Self {
            group: form.filled("", "link_group_id").unwrap_or_default(),
            level: form.filled("", "link_group_access").unwrap_or_default(),
            expires: form.filled("", "expires_at").unwrap_or_default(),
        }
    }
}

impl Shares {
    pub(super) fn new(
        root: &str,
        shared_with: &[SharedGroup],
        is_locked: bool,
        sent: Option<(FormValues, Problems)>,
    ) -> Self {
        let (typed, problems) = sent.unwrap_or_default();
        let row = |share: &SharedGroup| Row {
            id: share.id.get(),
            name: share.name.clone(),
            href: format!("{root}/groups/{}", share.full_path),
            level: member::words(share.level),
            expires: share.expires_at.map(day),
        };
        let chosen = member::level(&typed.level).unwrap_or(AccessLevel::Developer);
        let levels = AccessLevel::ALL.into_iter().filter(|level| *level <= AccessLevel::Maintainer);
        let choice =
            |level: AccessLevel| Choice::new(&level.value().to_string(), member::words(level), level == chosen);
        Self {
            rows: shared_with.iter().map(row).collect(),
            is_locked,
            levels: levels.map(choice).collect(),
            typed,
            problems,
        }
    }
}
