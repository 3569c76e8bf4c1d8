//! The application settings. The table of all settings is in the domain (`tenon_domain::settings`).

mod params;

use tenon_app::identity::Guard;
use tenon_app::settings::{change, show};
use tenon_edge::error::ApiError;

use self::params::SettingsParams;
use crate::dto::settings::SettingsDto;
use crate::endpoint::{Call, Json, Routes};

const PATH: &str = "/application/settings";

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Application settings")
        .get(PATH, Guard::Administrator, read, "All settings of the server; administrators only.")
        .put(PATH, Guard::Administrator, update, "Changes settings of the server; administrators only.");
}

async fn read(call: Call<()>) -> Result<Json<SettingsDto>, ApiError> {
    Ok(Json(SettingsDto(call.read(show).await?)))
}

async fn update(Call { caller, params }: Call<SettingsParams>) -> Result<Json<SettingsDto>, ApiError> {
    Ok(Json(SettingsDto(change(caller.app(), caller.identity(), params.0).await?)))
}
