//! The version and the metadata of the server, and how much it holds, as JSON.

use serde::Serialize;
use tenon_app::statistics::Counts;
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

/// The counts of resources on the server. The numbers are texts, in groups of three digits: `1,234`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatisticsDto {
    forks: String,
    issues: String,
    merge_requests: String,
    notes: String,
    snippets: String,
    ssh_keys: String,
    milestones: String,
    users: String,
    groups: String,
    projects: String,
    active_users: String,
}

impl From<Counts> for StatisticsDto {
    fn from(counts: Counts) -> Self {
        Self {
            forks: grouped(counts.forks),
            issues: grouped(counts.issues),
            merge_requests: grouped(counts.merge_requests),
            notes: grouped(counts.notes),
            snippets: grouped(counts.snippets),
            ssh_keys: grouped(counts.ssh_keys),
            milestones: grouped(counts.milestones),
            users: grouped(counts.users),
            groups: grouped(counts.groups),
            projects: grouped(counts.projects),
            active_users: grouped(counts.active_users),
        }
    }
}

/// A number with a comma after each third digit from the end.
fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        for (number, want) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345, "12,345"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), want);
        }
    }
}
