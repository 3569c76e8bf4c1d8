//! Public keys, and commits that are signed with them. Of the private keys one is kept, to be refused.
//!
//! All OpenPGP keys were made on 1 January 2026 and all commits on 15 January 2026. A commit is an object of Git
//! without parents, with an empty directory.

/// Declares constants with the contents of files in `keys/`.
macro_rules! files {
    ($($(#[doc = $doc:literal])+ $name:ident = $file:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = include_str!(concat!("keys/", $file));)+
    };
}

files! {
    /// An SSH key.
    RSA_1024 = "rsa-1024.pub";
    /// An SSH key.
    RSA_2048 = "rsa-2048.pub";
    /// An SSH key.
    DSA_1024 = "dsa-1024.pub";
    /// An SSH key.
    ECDSA_256 = "ecdsa-256.pub";
    /// An SSH key.
    ECDSA_384 = "ecdsa-384.pub";
    /// An SSH key.
    ECDSA_521 = "ecdsa-521.pub";
    /// An SSH key.
    ED25519 = "ed25519-256.pub";
    /// An SSH key of a security key.
    ED25519_SK = "ed25519-sk.pub";
    /// An OpenPGP key of `alice@example.org` and `alice@work.example`: RSA, with a subkey that signs (Ed25519).
    ALICE = "alice.asc";
    /// An OpenPGP key of `bob@example.org`: Ed25519.
    BOB = "bob.asc";
    /// The private key that belongs to [`BOB`].
    BOB_SECRET = "bob-secret.asc";
    /// An OpenPGP key of `carol@example.org`, which expired on 1 February 2026.
    CAROL = "carol.asc";
    /// An OpenPGP key of `dave@example.org`: ECDSA.
    DAVE = "dave.asc";
    /// The same, revoked.
    DAVE_REVOKED = "dave-revoked.asc";
    /// A commit by `alice@example.org`, signed by the primary key of [`ALICE`].
    BY_PRIMARY = "primary.commit";
    /// A commit by `alice@example.org`, signed by the subkey of [`ALICE`].
    BY_SUBKEY = "subkey.commit";
    /// A commit by `alice@work.example`, signed by [`ALICE`].
    BY_SECOND_ADDRESS = "second-address.commit";
    /// A commit by `mallory@example.org`, signed by [`ALICE`].
    BY_SOMEONE = "someone.commit";
    /// A commit by `bob@example.org`, signed by [`BOB`].
    BY_BOB = "bob.commit";
    /// A commit by `carol@example.org`, signed by [`CAROL`].
    BY_CAROL = "carol.commit";
    /// A commit by `dave@example.org`, signed by [`DAVE`].
    BY_DAVE = "dave.commit";
    /// A commit by `alice@example.org`, signed by [`ED25519`].
    BY_ED25519 = "ssh-ed25519-256.commit";
    /// A commit by `alice@example.org`, signed by [`ECDSA_256`].
    BY_ECDSA_256 = "ssh-ecdsa-256.commit";
    /// A commit by `alice@example.org`, signed by [`RSA_2048`].
    BY_RSA_2048 = "ssh-rsa-2048.commit";
}

/// The key as it is stored and answered: without line end, and with the first word of its comment.
#[must_use]
pub fn stored(key: &str) -> String {
    key.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}
