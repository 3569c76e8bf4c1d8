//! Namespaces (reference: users-groups-auth-settings, section 15).

use serde::Serialize;
use tenon_app::namespace::NamespaceView;
use utoipa::ToSchema;

/// Where projects live.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NamespaceDto {
    id: i64,
    name: String,
    path: String,
    kind: &'static str,
    full_path: String,
    parent_id: Option<i64>,
    web_url: String,
    /// For those who may administer the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    members_count_with_descendants: Option<i64>,
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
            parent_id: namespace.parent.map(tenon_domain::id::NamespaceId::get),
            web_url: view.web_url,
            members_count_with_descendants: view.members_count,
        }
    }
}
