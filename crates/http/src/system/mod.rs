//! The version and metadata of the server, and how much it holds.

use tenon_app::identity::Guard;
use tenon_app::statistics as counts;
use tenon_edge::error::ApiError;

use crate::dto::system::{AgentServerDto, MetadataDto, StatisticsDto, VersionDto};
use crate::endpoint::{Call, Json, Routes};

/// The generation of this API. Clients compare it with the version in which a feature appeared, so it is not the
/// version of this program.
const API_VERSION: &str = "11.4.0";

/// The revision that this program was built from.
const REVISION: &str = match option_env!("TENON_REVISION") {
    Some(revision) => revision,
    None => "unknown",
};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("System")
        .get("/version", Guard::SignedIn, version, "The version of the API.")
        .get("/metadata", Guard::SignedIn, metadata, "The version of the API and metadata of the server.")
        .get(
            "/application/statistics",
            Guard::Administrator,
            statistics,
            "How much of everything the server holds; administrators only.",
        );
}

async fn version(call: Call<()>) -> Result<Json<VersionDto>, ApiError> {
    call.admit().await?;
    Ok(Json(VersionDto { version: API_VERSION, revision: REVISION, enterprise: false }))
}

async fn metadata(call: Call<()>) -> Result<Json<MetadataDto>, ApiError> {
    call.admit().await?;
    let kas = AgentServerDto { enabled: false, external_url: None, external_k8s_proxy_url: None, version: None };
    Ok(Json(MetadataDto { version: API_VERSION, revision: REVISION, kas, enterprise: false }))
}

async fn statistics(call: Call<()>) -> Result<Json<StatisticsDto>, ApiError> {
    Ok(Json(call.search(counts::count).await?.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_agent_server_has_the_documented_names() {
        let kas = AgentServerDto { enabled: false, external_url: None, external_k8s_proxy_url: None, version: None };
        let want = json!({"enabled": false, "externalUrl": null, "externalK8sProxyUrl": null, "version": null});
        assert_eq!(serde_json::to_value(kas).unwrap(), want);
    }
}
