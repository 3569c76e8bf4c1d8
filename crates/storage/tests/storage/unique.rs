//! A unique index that a write runs into is named alike by both databases.

use tenon_domain::access::AccessLevel;
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::member::{Member, Source};
use tenon_domain::namespace::NamespaceKind;
use tenon_domain::user::User;
use tenon_domain::visibility::Visibility;
use tenon_storage::namespace::NewNamespace;
use tenon_storage::user::{Identity, NewUser};
use tenon_storage::{Database, StoreError, UniqueKey, WriteTx, member, namespace, user};

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
    user::insert(tx, &NewUser { user: &user, unconfirmed_email: None, password_digest: None })
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
            source: Source::Group(group),
            user: ann,
            level: AccessLevel::Guest,
            expires_at: None,
            created_at: now(),
            updated_at: now(),
        };
        database.write(|tx| member::insert(tx, &member)).unwrap();
        assert_eq!(refused(database, |tx| member::insert(tx, &member)), UniqueKey::Member);
    });
}
