//! The avatar of an e-mail address.

use tenon_app::{avatar, user};
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;
use tenon_edge::raw::Upload;

use crate::avatar::with_picture;
use crate::dto::user::PictureDto;
use crate::endpoint::{Call, Json};
use crate::params::params;

params! {
    /// An e-mail address.
    pub(crate) struct PictureParams {
        /// The address.
        email: String,
        /// The width in pixels; only for pictures of the avatar service.
        size: Option<i64>,
    }
}

params! {
    /// A picture.
    pub(crate) struct OwnParams {
        /// The picture; empty removes it.
        avatar: Patch<Upload>,
    }
    rules(reader) {
        if !reader.is_given("avatar") {
            reader.complain("avatar", "is missing");
        }
    }
}

/// The widest picture that the avatar service offers.
const WIDEST: i64 = 2048;

pub(super) async fn of_email(Call { caller, params }: Call<PictureParams>) -> Result<Json<PictureDto>, ApiError> {
    let size = params.size.and_then(|size| u16::try_from(size.clamp(1, WIDEST)).ok());
    let avatar_url = caller.read(move |query| avatar::of_email(query, &params.email, size)).await?;
    Ok(Json(PictureDto { avatar_url }))
}

pub(super) async fn set_own(Call { caller, params }: Call<OwnParams>) -> Result<Json<PictureDto>, ApiError> {
    let avatar_url = with_picture(&caller, params.avatar, user::set_avatar).await?;
    Ok(Json(PictureDto { avatar_url }))
}
