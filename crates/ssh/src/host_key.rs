//! The key by which clients recognise the server.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use russh::keys::ssh_key::LineEnding;
use russh::keys::ssh_key::private::Ed25519Keypair;
use russh::keys::{HashAlg, PrivateKey};
use tempfile::NamedTempFile;
use tenon_app::Entropy;

/// The name of the file in the folder of all data.
const FILE: &str = "ssh_host_ed25519_key";

/// The key of the server, which is Ed25519.
#[derive(Clone)]
pub struct HostKey(PrivateKey);

/// The reason why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum HostKeyError {
    /// The file cannot be read or written.
    #[error("the host key {path} cannot be read or written: {source}")]
    File {
        /// Its path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file has no private key that can be used.
    #[error(
        "{0} is no private key of OpenSSH without a passphrase: restore it from a backup, or remove it to get a new one"
    )]
    Unreadable(PathBuf),
}

impl HostKey {
    /// The key in `folder`, made by the first call. Two processes that start at once end up with the same one.
    pub fn in_folder(folder: &Path, entropy: &dyn Entropy) -> Result<Self, HostKeyError> {
        let path = folder.join(FILE);
        let failed = |source| HostKeyError::File { path: path.clone(), source };
        if !path.try_exists().map_err(failed)? {
            make(folder, &path, entropy).map_err(failed)?;
        }
        let text = std::fs::read_to_string(&path).map_err(failed)?;
        let key = PrivateKey::from_openssh(&text).ok().filter(|key| !key.is_encrypted());
        key.map(Self).ok_or(HostKeyError::Unreadable(path))
    }

    /// The fingerprint that clients show when they connect for the first time: `SHA256:` and Base64.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.0.public_key().fingerprint(HashAlg::Sha256).to_string()
    }

    pub(crate) fn private(&self) -> PrivateKey {
        self.0.clone()
    }
}

/// Writes a new key into a file that only its owner can read. The file is complete as soon as it has its name.
fn make(folder: &Path, path: &Path, entropy: &dyn Entropy) -> io::Result<()> {
    let mut seed = [0; 32];
    entropy.fill(&mut seed);
    let key = PrivateKey::from(Ed25519Keypair::from_seed(&seed));
    let text = key.to_openssh(LineEnding::LF).map_err(io::Error::other)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error),
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use tenon_app::SystemEntropy;

    use super::*;

    #[test]
    fn the_key_is_made_once_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let first = HostKey::in_folder(folder.path(), &SystemEntropy).unwrap();
        assert_eq!(HostKey::in_folder(folder.path(), &SystemEntropy).unwrap().fingerprint(), first.fingerprint());
        assert!(first.fingerprint().starts_with("SHA256:"));
        let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files, [folder.path().join(FILE)]);
        assert_eq!(std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        let other = tempfile::tempdir().unwrap();
        assert_ne!(HostKey::in_folder(other.path(), &SystemEntropy).unwrap().fingerprint(), first.fingerprint());
    }

    #[test]
    fn a_file_that_is_no_key_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "no key").unwrap();
        assert!(matches!(HostKey::in_folder(folder.path(), &SystemEntropy), Err(HostKeyError::Unreadable(_))));
        assert_eq!(std::fs::read_to_string(folder.path().join(FILE)).unwrap(), "no key");
    }
}
