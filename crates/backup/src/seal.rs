//! The key of encrypted backups. All files of a folder are sealed by it, in the format of `age`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;

use age::secrecy::ExposeSecret as _;
use age::stream::{StreamReader, StreamWriter};
use age::x25519::Identity;
use age::{DecryptError, Decryptor, Encryptor, Recipient};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::error::BackupError;

/// The beginning of the line of a file that has the key.
const SECRET: &str = "AGE-SECRET-KEY-1";
/// Bytes that a file with a key may have.
const MOST_BYTES: u64 = 64 << 10;
/// The permission bits of groups and others.
const OF_OTHERS: u32 = 0o077;

/// A key by which backups are encrypted and read again. Only who has it can do either.
#[derive(Clone)]
pub struct BackupKey {
    identity: Arc<Identity>,
    /// The key of the names of files, which would tell about contents otherwise.
    names: [u8; 32],
}

impl BackupKey {
    /// Makes a key and writes it to a new file, which only this account can read. Fails if there is a file.
    ///
    /// # Errors
    /// [`BackupError::File`] if the file is there or cannot be written.
    pub fn generate(path: &Path) -> Result<(), BackupError> {
        let identity = Identity::generate();
        let written = || {
            let mut file = File::options().create_new(true).write(true).mode(0o600).open(path)?;
            let secret = identity.to_string();
            writeln!(file, "# The key of the backups of a Tenon server: they cannot be read without it.")?;
            writeln!(file, "{}", secret.expose_secret())?;
            file.sync_all()
        };
        written().map_err(BackupError::at(path))
    }

    /// Reads the file of a key, of this program or of `age-keygen`.
    ///
    /// # Errors
    /// Refused if other accounts can read the file, or if there is not exactly one key in it.
    pub fn read(path: &Path) -> Result<Self, BackupError> {
        let refused = |why: &str| BackupError::Refused(format!("{} {why}", path.display()));
        let file = File::open(path).map_err(BackupError::at(path))?;
        let mode = file.metadata().map_err(BackupError::at(path))?.mode();
        if mode & OF_OTHERS != 0 {
            return Err(refused("can be read by other accounts: chmod 600 it"));
        }
        let mut text = String::new();
        file.take(MOST_BYTES).read_to_string(&mut text).map_err(BackupError::at(path))?;
        let mut keys = text.lines().map(str::trim).filter(|line| line.starts_with(SECRET));
        let (Some(key), None) = (keys.next(), keys.next()) else {
            return Err(refused("has not exactly one key: `tenon backup keygen` makes such a file"));
        };
        let identity: Identity = key.parse().map_err(|_malformed| refused("has a key that is cut or mistyped"))?;
        let names = Sha256::new().chain_update("tenon backup names ").chain_update(key).finalize().into();
        Ok(Self { identity: Arc::new(identity), names })
    }

    /// The name of the key, by which a folder knows its own. It tells nothing about the key.
    pub(crate) fn name(&self) -> String {
        self.keyed("the key itself").chars().take(16).collect()
    }

    /// A digest that only who has the key can tell from others.
    pub(crate) fn keyed(&self, digest: &str) -> String {
        // The digest of a digest under a secret of fixed length: nothing can be appended to either.
        hex::encode(Sha256::new().chain_update(self.names).chain_update(digest).finalize())
    }

    /// A sink that seals what is written to it. It must be finished.
    fn seal<W: Write>(&self, sink: W) -> io::Result<StreamWriter<W>> {
        let recipient = self.identity.to_public();
        let recipient: &dyn Recipient = &recipient;
        Encryptor::with_recipients(std::iter::once(recipient)).map_err(io::Error::other)?.wrap_output(sink)
    }

    /// The sealed bytes in clear. Fails if it was sealed by another key or is damaged.
    pub(crate) fn unseal(&self, part: &str, file: File) -> Result<StreamReader<File>, BackupError> {
        let identity: &dyn age::Identity = &*self.identity;
        let opened = Decryptor::new(file).and_then(|sealed| sealed.decrypt(std::iter::once(identity)));
        opened.map_err(|error| match error {
            DecryptError::NoMatchingKeys => BackupError::damaged(part, "it was encrypted by another key"),
            error => BackupError::damaged(part, error.to_string()),
        })
    }
}

impl std::fmt::Debug for BackupKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BackupKey")
    }
}

/// The bytes of a file of the folder, in clear.
pub(crate) enum Clear {
    Plain(File),
    Sealed(Box<StreamReader<File>>),
}

impl Read for Clear {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(bytes),
            Self::Sealed(file) => file.read(bytes),
        }
    }
}

/// A file that is being written: sealed, or as it is.
pub(crate) enum Sealing {
    Plain(NamedTempFile),
    Sealed(Box<StreamWriter<NamedTempFile>>),
}

impl Sealing {
    pub(crate) fn new(key: Option<&BackupKey>, file: NamedTempFile) -> io::Result<Self> {
        Ok(match key {
            None => Self::Plain(file),
            Some(key) => Self::Sealed(Box::new(key.seal(file)?)),
        })
    }

    /// Writes what is still to be written, and yields the file.
    pub(crate) fn finish(self) -> io::Result<NamedTempFile> {
        match self {
            Self::Plain(file) => Ok(file),
            Self::Sealed(file) => file.finish(),
        }
    }
}

impl Write for Sealing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Sealed(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Sealed(file) => file.flush(),
        }
    }
}
