//! The version and the metadata of the server as JSON.

use serde::Serialize;
use utoipa::ToSchema;

/// The version of the API.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionDto {
    /// Three numbers.
    pub(crate) version: &'static str,
    /// What the program was built from.
    pub(crate) revision: &'static str,
    /// Whether this is the commercial edition of anything: no.
    pub(crate) enterprise: bool,
}

/// The version of the API and what surrounds it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MetadataDto {
    /// Three numbers.
    pub(crate) version: &'static str,
    /// What the program was built from.
    pub(crate) revision: &'static str,
    /// The agent server for clusters.
    pub(crate) kas: AgentServerDto,
    /// Whether this is the commercial edition of anything: no.
    pub(crate) enterprise: bool,
}

/// The agent server for clusters, which this server does not have.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentServerDto {
    /// Whether there is one.
    pub(crate) enabled: bool,
    /// Its address.
    pub(crate) external_url: Option<String>,
    /// The address of its proxy.
    #[serde(rename = "externalK8sProxyUrl")]
    pub(crate) external_k8s_proxy_url: Option<String>,
    /// Its version.
    pub(crate) version: Option<String>,
}
