//! Directories.

use tenon_app::identity::Guard;
use tenon_app::repository::{self, ListTree};
use tenon_edge::error::ApiError;

use super::{filled, project};
use crate::dto::repository::TreeEntryDto;
use crate::endpoint::{Call, Paged, Routes};
use crate::params::{Paging, PathText, params};

pub(super) fn routes(api: &mut Routes) {
    api.tag("Repositories").get(
        "/projects/{id}/repository/tree",
        Guard::Anyone,
        list,
        "The entries of a directory: directories, then files, then submodules.",
    );
}

params! {
    /// A directory.
    pub(crate) struct ListParams {
        /// The path from the root of the repository, whose bytes need not be UTF-8; the root by default.
        path: Option<PathText>,
        /// A branch, tag or commit; the default branch by default.
        r#ref: Option<String>,
        /// With subdirectories.
        recursive: Option<bool>,
        paging: Paging,
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<TreeEntryDto>, ApiError> {
    let request = ListTree {
        revision: filled(params.r#ref),
        path: params.path.map(|path| path.0),
        recursive: params.recursive.unwrap_or(false),
        page: params.paging.into(),
    };
    let page = repository::tree(caller.app(), caller.identity(), project(&caller), request).await?;
    Ok(Paged(page.map(Into::into)))
}
