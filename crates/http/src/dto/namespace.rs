//! Namespaces as JSON.

use serde::Serialize;
use tenon_app::namespace::NamespaceView;
use tenon_domain::id::NamespaceId;
use utoipa::ToSchema;

/// A namespace of projects.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NamespaceDto {
    id: i64,
    name: String,
    path: String,
    /// `user` or `group`.
    kind: &'static str,
    full_path: String,
    parent_id: Option<i64>,
    web_url: String,
    avatar_url: Option<String>,
    /// For callers who may administer the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    members_count_with_descendants: Option<i64>,
}

/// The existence of a path.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExistenceDto {
    pub(crate) exists: bool,
    /// Similar paths that are available.
    pub(crate) suggests: Vec<String>,
}

impl From<NamespaceView> for NamespaceDto {
    fn from(view: NamespaceView) -> Self {
        let namespace = view.namespace;
        Self {
            id: namespace.id.get(),
            name: namespace.name,
            path: namespace.path,
            kind: namespace.kind.as_str(),
            full_path: namespace.full_path,
            parent_id: namespace.parent.map(NamespaceId::get),
            web_url: view.web_url,
            avatar_url: view.avatar_url,
            members_count_with_descendants: view.members_count,
        }
    }
}
