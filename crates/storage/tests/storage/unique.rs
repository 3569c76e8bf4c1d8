//! A unique index that a write runs into is named alike by both databases.

use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::email::Email;
use tenon_domain::gpg_key::{GpgKey, KeyPart, PublicGpgKey};
use tenon_domain::id::{EmailId, GpgKeyId, NamespaceId, SshKeyId, UserId};
use tenon_domain::member::Member;
use tenon_domain::namespace::NamespaceKind;
use tenon_domain::ssh_key::{KeyAlgorithm, KeyUsage, PublicKey, SshKey};
use tenon_domain::user::User;
use tenon_domain::visibility::Visibility;
use tenon_storage::namespace::NewNamespace;
use tenon_storage::user::{Identity, NewUser};
use tenon_storage::{Database, StoreError, UniqueKey, WriteTx, email, gpg_key, member, namespace, ssh_key, user};

use crate::access::a_user;
use crate::{now, on_each_backend};

fn refused(database: &Database, work: impl FnOnce(&mut WriteTx<'_>) -> Result<(), StoreError>) -> UniqueKey {
    match database.write(work) {
        Err(StoreError::Unique(key)) => key,
        other => panic!("{other:?}"),
    }
}

fn add_user(tx: &mut WriteTx<'_>, username: &str, email: &str) -> Result<UserId, StoreError> {
    let user = User { email: email.to_owned(), ..a_user(username) };
    user::insert(tx, &NewUser { user: &user, unconfirmed_email: None, password_digest: None, password_expired: false })
}

fn add_group(tx: &mut WriteTx<'_>, path: &str) -> Result<NamespaceId, StoreError> {
    let (kind, visibility) = (NamespaceKind::Group, Visibility::Private);
    namespace::insert(tx, &NewNamespace { kind, owner: None, parent: None, name: path, path, visibility, at: now() })
}

#[test]
fn what_is_taken_is_named() {
    on_each_backend(|database| {
        let (ann, group) = database
            .write(|tx| {
                let ann = add_user(tx, "ann", "ann@example.org")?;
                user::add_identity(tx, ann, &Identity { provider: "ldap".into(), extern_uid: "uid=ann".into() })?;
                Ok::<_, StoreError>((ann, add_group(tx, "team")?))
            })
            .unwrap();
        assert_eq!(refused(database, |tx| add_user(tx, "ANN", "x@example.org").map(drop)), UniqueKey::Username);
        assert_eq!(refused(database, |tx| add_user(tx, "bob", "ann@example.org").map(drop)), UniqueKey::Email);
        assert_eq!(refused(database, |tx| add_group(tx, "TEAM").map(drop)), UniqueKey::FullPath);
        let twice = |tx: &mut WriteTx<'_>| {
            let bob = add_user(tx, "bob", "bob@example.org")?;
            user::add_identity(tx, bob, &Identity { provider: "ldap".into(), extern_uid: "UID=Ann".into() })
        };
        assert_eq!(refused(database, twice), UniqueKey::Identity);
        let member = Member {
            container: Container::Group(group),
            user: ann,
            level: AccessLevel::Guest,
            expires_at: None,
            created_at: now(),
            created_by: None,
            updated_at: now(),
        };
        database.write(|tx| member::insert(tx, &member)).unwrap();
        assert_eq!(refused(database, |tx| member::insert(tx, &member)), UniqueKey::Member);
    });
}

#[test]
fn keys_and_addresses_are_taken_once() {
    on_each_backend(|database| {
        let ann = database.write(|tx| add_user(tx, "ann", "ann@example.org")).unwrap();
        let public = PublicKey {
            algorithm: KeyAlgorithm::Ed25519,
            bits: 256,
            text: "ssh-ed25519 A".to_owned(),
            md5: "m".to_owned(),
            sha256: "s".to_owned(),
        };
        let key = SshKey {
            id: SshKeyId::new(0),
            user: ann,
            title: "t".to_owned(),
            text: public.text.clone(),
            usage: KeyUsage::Auth,
            expires_at: None,
            created_at: now(),
            last_used_at: None,
        };
        database.write(|tx| ssh_key::insert(tx, &key, &public)).unwrap();
        for other in
            [PublicKey { md5: "x".to_owned(), ..public.clone() }, PublicKey { sha256: "x".to_owned(), ..public }]
        {
            assert_eq!(refused(database, |tx| ssh_key::insert(tx, &key, &other).map(drop)), UniqueKey::SshKey);
        }
        let part = |name: &str| KeyPart {
            fingerprint: format!("f{name}"),
            keyid: format!("k{name}"),
            revoked: false,
            expires_at: None,
        };
        let found = |primary| PublicGpgKey { primary, can_sign: true, user_ids: Vec::new(), subkeys: vec![part("2")] };
        let key = GpgKey { id: GpgKeyId::new(0), user: ann, text: "block".to_owned(), created_at: now() };
        database.write(|tx| gpg_key::insert(tx, &key, &found(part("1")))).unwrap();
        for other in
            [KeyPart { keyid: "x".to_owned(), ..part("1") }, KeyPart { fingerprint: "x".to_owned(), ..part("1") }]
        {
            let again = |tx: &mut WriteTx<'_>| gpg_key::insert(tx, &key, &found(other)).map(drop);
            assert_eq!(refused(database, again), UniqueKey::GpgKey);
        }
        let address = "ann@work.example".to_owned();
        let email = Email { id: EmailId::new(0), user: ann, address, confirmed_at: None, created_at: now() };
        database.write(|tx| email::insert(tx, &email)).unwrap();
        assert_eq!(refused(database, |tx| email::insert(tx, &email).map(drop)), UniqueKey::Email);
    });
}
