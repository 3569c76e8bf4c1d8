//! The version and the metadata of the server as JSON.

use serde::Serialize;
use utoipa::ToSchema;

/// The version of the API.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionDto {
    /// Three numbers: major, minor, patch.
    pub(crate) version: &'static str,
    /// The revision of the program.
    pub(crate) revision: &'static str,
    /// Always false: there is no commercial edition.
    pub(crate) enterprise: bool,
}

/// The version of the API and related metadata.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MetadataDto {
    /// Three numbers: major, minor, patch.
    pub(crate) version: &'static str,
    /// The revision of the program.
    pub(crate) revision: &'static str,
    /// The agent server for clusters.
    pub(crate) kas: AgentServerDto,
    /// Always false: there is no commercial edition.
    pub(crate) enterprise: bool,
}

/// The agent server for clusters, which does not exist here.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentServerDto {
    /// Always false.
    pub(crate) enabled: bool,
    /// Its address.
    pub(crate) external_url: Option<String>,
    /// The address of its proxy.
    #[serde(rename = "externalK8sProxyUrl")]
    pub(crate) external_k8s_proxy_url: Option<String>,
    /// Its version.
    pub(crate) version: Option<String>,
}
