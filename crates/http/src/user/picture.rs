//! The avatar of an e-mail address.

use tenon_app::avatar;
use tenon_edge::error::ApiError;

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

/// The widest picture that the avatar service offers.
const WIDEST: i64 = 2048;

pub(super) async fn of_email(Call { caller, params }: Call<PictureParams>) -> Result<Json<PictureDto>, ApiError> {
    let size = params.size.and_then(|size| u16::try_from(size.clamp(1, WIDEST)).ok());
    let avatar_url = caller.read(move |query| avatar::of_email(query, &params.email, size)).await?;
    Ok(Json(PictureDto { avatar_url }))
}
