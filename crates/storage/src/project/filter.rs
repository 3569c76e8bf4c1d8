//! The filters and orders of lists of projects.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use tenon_domain::access::Viewer;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::keyset::{KeyKind, KeyedOrder};
use tenon_domain::search::Search;
use tenon_domain::time::Timestamp;
use tenon_domain::visibility::Visibility;

use crate::visibility::projects::Membership;

/// The projects from which a list is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectSet {
    /// Everywhere.
    All,
    /// In this namespace.
    In(NamespaceId),
    /// In this group or below it.
    Below(NamespaceId),
    /// In this group or below it, or shared with it.
    Around(NamespaceId),
    /// In this group, or shared with it.
    Group(NamespaceId),
    /// Shared with this group.
    SharedWith(NamespaceId),
    /// Forked directly from this project.
    ForksOf(ProjectId),
}

/// Which projects a list has. All of them are projects that `viewer` may see.
#[derive(Debug, Clone)]
pub struct ProjectFilter {
    /// Who asks.
    pub viewer: Viewer,
    /// Memberships that end on or before this day have ended.
    pub today: NaiveDate,
    /// The projects from which the list is taken.
    pub set: ProjectSet,
    /// Archived ones only, or none of them.
    pub archived: Option<bool>,
    /// Of this visibility.
    pub visibility: Option<Visibility>,
    /// Path, name or description.
    pub search: Option<Search>,
    /// True if the search also finds by the full path, and by the name of the namespace.
    pub search_namespaces: bool,
    /// Projects that a membership opens.
    pub membership: Option<Membership>,
    /// Projects that this user has starred.
    pub starred_by: Option<UserId>,
    /// Only these.
    pub among: Option<Vec<ProjectId>>,
    /// Projects with files in this language, as far as `viewer` may read their code.
    pub language: Option<String>,
    /// Projects of all these topics.
    pub topics: Vec<String>,
    /// With greater ids only.
    pub id_after: Option<i64>,
    /// With smaller ids only.
    pub id_before: Option<i64>,
    /// Active then or later.
    pub active_after: Option<Timestamp>,
    /// Active then or earlier.
    pub active_before: Option<Timestamp>,
    /// Only projects that this user has imported.
    pub imported_by: Option<UserId>,
    /// True for no project at all.
    pub nothing: bool,
    /// With issues that `viewer` has.
    pub with_issues: bool,
    /// With merge requests that `viewer` has.
    pub with_merge_requests: bool,
    /// All these custom attributes.
    pub custom_attributes: BTreeMap<String, String>,
}

impl ProjectFilter {
    /// Everything in `set` that `viewer` may see.
    #[must_use]
    pub fn new(viewer: Viewer, today: NaiveDate, set: ProjectSet) -> Self {
        Self {
            viewer,
            today,
            set,
            archived: None,
            visibility: None,
            search: None,
            search_namespaces: false,
            membership: None,
            starred_by: None,
            among: None,
            language: None,
            topics: Vec::new(),
            id_after: None,
            id_before: None,
            active_after: None,
            active_before: None,
            imported_by: None,
            nothing: false,
            with_issues: false,
            with_merge_requests: false,
            custom_attributes: BTreeMap::new(),
        }
    }

    /// True if nothing but access narrows it.
    pub(super) fn is_plain(&self) -> bool {
        self.set == ProjectSet::All
            && self.archived.is_none()
            && self.visibility.is_none()
            && self.search.is_none()
            && self.starred_by.is_none()
            && self.among.is_none()
            && self.language.is_none()
            && self.topics.is_empty()
            && self.id_after.is_none()
            && self.id_before.is_none()
            && self.active_after.is_none()
            && self.active_before.is_none()
            && self.imported_by.is_none()
            && !self.nothing
            && !self.with_issues
            && !self.with_merge_requests
            && self.custom_attributes.is_empty()
    }
}

/// The order of a list of projects; ties go by id in the same direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProjectOrder {
    /// Id.
    Id,
    /// Display name.
    Name,
    /// Last segment of the path.
    Path,
    /// Date of creation.
    #[default]
    CreatedAt,
    /// Date of the last change.
    UpdatedAt,
    /// Date of the last activity.
    LastActivityAt,
    /// Number of stars.
    StarCount,
    /// Bytes of the repository.
    RepositorySize,
    /// Bytes of the wiki on disk.
    WikiSize,
    /// Bytes of both on disk.
    StorageSize,
    /// Nearness of path and name to the text that is searched, the nearest first whatever the direction.
    Similarity,
}

impl ProjectOrder {
    /// The orders that [`ProjectOrder::keyed`] has.
    pub const KEYED: &'static str = "id, name, path, created_at, updated_at, last_activity_at";

    /// The order for [`super::walk`]; `None` if no index has it.
    #[must_use]
    pub const fn keyed(self) -> Option<KeyedOrder> {
        let (name, kind) = match self {
            Self::Id => ("id", KeyKind::Id),
            Self::Name => ("name", KeyKind::Text),
            Self::Path => ("path", KeyKind::Text),
            Self::CreatedAt => ("created_at", KeyKind::Moment),
            Self::UpdatedAt => ("updated_at", KeyKind::Moment),
            Self::LastActivityAt => ("last_activity_at", KeyKind::Moment),
            Self::StarCount | Self::RepositorySize | Self::WikiSize | Self::StorageSize | Self::Similarity => {
                return None;
            }
        };
        Some(KeyedOrder { name, kind })
    }
}
