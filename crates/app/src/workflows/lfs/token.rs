//! Tokens for large files: a client of Git over SSH gets one, since objects are sent over HTTP only.

use serde_json::json;
use tenon_auth::{Secret, basic_credentials, is_same};
use tenon_domain::id::ProjectId;
use tenon_domain::network::Origin;
use tenon_domain::time::TimeDelta;

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::spending::client::Network;
use crate::workflows::lfs::access::LfsOperation;
use crate::workflows::lfs::refusal::LfsRefusal;
use crate::workflows::transport::{GitCaller, GitRefusal, SshCaller};

/// How long a token can be used, in seconds.
const LIFETIME: i64 = 1_800;
/// The beginning of every token.
const PREFIX: &str = "lfs.";

/// The address and the credential with which a client sends and gets large files of a project.
#[derive(Debug, Clone)]
pub struct LfsGrant {
    /// The address below which it asks.
    pub href: String,
    /// The header `Authorization`.
    pub authorization: String,
}

impl LfsGrant {
    /// The answer to `git-lfs-authenticate`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let header = json!({ "Authorization": self.authorization });
        json!({ "href": self.href, "header": header, "expires_in": LIFETIME }).to_string()
    }
}

/// The use that a token allows.
pub(super) struct LfsToken {
    pub(super) caller: SshCaller,
    pub(super) project: ProjectId,
    pub(super) operation: LfsOperation,
}

/// A token for the large files of a project, if the holder of a key may use them. It names the key: that and the rights of its
/// account are asked about again at each use.
///
/// # Errors
/// As a fetch or a push.
pub async fn authenticate(
    app: &App,
    caller: SshCaller,
    path: String,
    operation: LfsOperation,
) -> Result<LfsGrant, GitRefusal> {
    let key = caller.written();
    let opened = app.open_lfs_as(GitCaller::Ssh(caller), path.clone(), operation).await;
    let opened = opened.map_err(|refusal| match refusal {
        LfsRefusal::Git(refusal) => refusal,
        _ => GitRefusal::Forbidden("Git LFS is not enabled for this project."),
    })?;
    let ends = (app.now() + TimeDelta::seconds(LIFETIME)).timestamp();
    let fields = format!("{key}.{}.{}.{ends}", opened.project, operation.name());
    let signature = app.lfs_signature(&fields)?;
    let name = opened.user().map_or("lfs", |user| user.username.as_str());
    // Of characters that no encoding changes.
    let token = Secret::given(format!("{PREFIX}{fields}.{}", signature.expose()));
    let href = format!("{}/{path}.git/info/lfs", app.base_url());
    Ok(LfsGrant { href, authorization: basic_credentials(name, &token) })
}

impl App {
    /// The use that a password allows, if it is a token of [`authenticate`]; `None` if it is another password.
    ///
    /// # Errors
    /// [`GitRefusal::Unauthenticated`] if it has expired or was not made by this server.
    pub(super) fn lfs_token(&self, password: &Secret) -> Result<Option<LfsToken>, LfsRefusal> {
        let network = match self.origin() {
            Origin::Client(address) => Network::of(address),
            Origin::Server => Network::of(None),
        };
        let Some((fields, signature)) = password.expose().strip_prefix(PREFIX).and_then(|rest| rest.rsplit_once('.'))
        else {
            return Ok(None);
        };
        let Some((token, ends)) = parse(fields, network) else { return Ok(None) };
        let is_ours = is_same(self.lfs_signature(fields)?.expose(), signature);
        if is_ours && ends > self.now().timestamp() { Ok(Some(token)) } else { Err(GitRefusal::Unauthenticated.into()) }
    }

    fn lfs_signature(&self, fields: &str) -> Result<Secret, AppError> {
        self.vault().derived_secret(&format!("LFS token {fields}")).map_err(AppError::internal)
    }
}

/// The fields of a token, and the second in which it ends.
fn parse(fields: &str, network: Network) -> Option<(LfsToken, i64)> {
    let parts: Vec<&str> = fields.split('.').collect();
    let [key, project, operation, ends] = parts.as_slice() else { return None };
    let caller = SshCaller::parse(key, network)?;
    let project = ProjectId::new(project.parse().ok()?);
    let operation = LfsOperation::parse(operation)?;
    Some((LfsToken { caller, project, operation }, ends.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_fields_are_read() {
        let parsed = |text| parse(text, Network::of(None)).map(|(token, ends)| (token.project.get(), ends));
        assert_eq!(parsed("user-1-2.3.upload.4"), Some((3, 4)));
        assert_eq!(parsed("deploy-1.3.download.4"), Some((3, 4)));
        for text in [
            "",
            "user-1.3.upload.4",
            "user-1-2.3.write.4",
            "user-1-2.3.upload",
            "user-1-2.3.upload.4.5",
            "x-1.3.upload.4",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
