//! Badges as JSON.

use serde::Serialize;
use tenon_app::badge::BadgeView;
use tenon_domain::container::Container;
use utoipa::ToSchema;

/// The addresses of a badge.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the API")]
pub(crate) struct RenderedDto {
    /// The address to which it leads, as it is stored.
    link_url: String,
    /// The address of the picture, as it is stored.
    image_url: String,
    /// The same with the values of the project. A name without a value stays.
    rendered_link_url: String,
    rendered_image_url: String,
}

/// A badge of a project or group.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BadgeDto {
    name: Option<String>,
    #[serde(flatten)]
    addresses: RenderedDto,
    id: i64,
    /// `project` or `group`: what the badge belongs to.
    kind: &'static str,
}

impl From<BadgeView> for RenderedDto {
    fn from(view: BadgeView) -> Self {
        Self {
            link_url: view.badge.link_url,
            image_url: view.badge.image_url,
            rendered_link_url: view.rendered_link_url,
            rendered_image_url: view.rendered_image_url,
        }
    }
}

impl From<BadgeView> for BadgeDto {
    fn from(view: BadgeView) -> Self {
        let kind = match view.badge.container {
            Container::Project(_) => "project",
            Container::Group(_) => "group",
        };
        Self { name: view.badge.name.clone(), id: view.badge.id.get(), kind, addresses: view.into() }
    }
}
