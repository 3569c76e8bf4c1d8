//! The server about itself (reference: users-groups-auth-settings, sections 16 and 23.1).

use serde::Serialize;
use tenon_app::identity::Guard;
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::ApiError;
use crate::reply::Json;
use crate::routes::Routes;

/// The generation of the API that is spoken here. Clients compare it with the version in which a feature appeared, so
/// it is not the version of this program.
const API_VERSION: &str = "11.4.0";

/// What this program was built from.
const REVISION: &str = match option_env!("TENON_REVISION") {
    Some(revision) => revision,
    None => "unknown",
};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("System").get("/version", Guard::SignedIn, version, "The version of the API.").get(
        "/metadata",
        Guard::SignedIn,
        metadata,
        "The version of the API, and what the server offers besides it.",
    );
}

/// The version of the API.
#[derive(Debug, Serialize, ToSchema)]
struct VersionDto {
    /// Three numbers.
    version: &'static str,
    /// What the program was built from.
    revision: &'static str,
    /// Whether this is the commercial edition of anything: no.
    enterprise: bool,
}

async fn version(call: Call<()>) -> Result<Json<VersionDto>, ApiError> {
    call.admit().await?;
    Ok(Json(VersionDto { version: API_VERSION, revision: REVISION, enterprise: false }))
}

/// The version of the API and what surrounds it.
#[derive(Debug, Serialize, ToSchema)]
struct MetadataDto {
    /// Three numbers.
    version: &'static str,
    /// What the program was built from.
    revision: &'static str,
    /// The agent server for clusters.
    kas: AgentServerDto,
    /// Whether this is the commercial edition of anything: no.
    enterprise: bool,
}

/// The agent server for clusters, which this server does not have.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AgentServerDto {
    /// Whether there is one.
    enabled: bool,
    /// Its address.
    external_url: Option<String>,
    /// The address of its proxy.
    #[serde(rename = "externalK8sProxyUrl")]
    external_k8s_proxy_url: Option<String>,
    /// Its version.
    version: Option<String>,
}

async fn metadata(call: Call<()>) -> Result<Json<MetadataDto>, ApiError> {
    call.admit().await?;
    let kas = AgentServerDto { enabled: false, external_url: None, external_k8s_proxy_url: None, version: None };
    Ok(Json(MetadataDto { version: API_VERSION, revision: REVISION, kas, enterprise: false }))
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
