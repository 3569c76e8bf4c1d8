//! Directories (reference: repository-git-webhooks, section 12).

use serde::Serialize;
use tenon_app::identity::Guard;
use tenon_app::repository::{self, EntryView, ListTree};
use utoipa::ToSchema;

use super::{filled, project};
use crate::call::Call;
use crate::error::ApiError;
use crate::params::{Paging, params};
use crate::reply::Paged;
use crate::routes::Routes;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repositories").get(
        "/projects/{id}/repository/tree",
        Guard::Anyone,
        list,
        "What lies in a directory: directories, then files, then submodules.",
    );
}

params! {
    /// Which directory is wanted.
    pub(crate) struct ListParams {
        /// From the top of the repository, which it is where absent.
        path: Option<String>,
        /// A branch, tag or commit; the default branch where absent.
        r#ref: Option<String>,
        /// With everything below.
        recursive: Option<bool>,
        paging: Paging,
    }
}

/// An entry of a directory.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TreeEntryDto {
    id: String,
    name: String,
    /// `tree`, `blob`, or `commit` for a submodule.
    #[serde(rename = "type")]
    kind: &'static str,
    path: String,
    /// Six octal digits.
    mode: String,
}

impl From<EntryView> for TreeEntryDto {
    fn from(entry: EntryView) -> Self {
        Self { id: entry.id, name: entry.name, kind: entry.kind, path: entry.path, mode: entry.mode }
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<TreeEntryDto>, ApiError> {
    let request = ListTree {
        revision: filled(params.r#ref),
        path: params.path,
        recursive: params.recursive.unwrap_or(false),
        page: params.paging.into(),
    };
    let page = repository::tree(caller.app(), caller.identity(), project(&caller), request).await?;
    Ok(Paged(page.map(Into::into)))
}
