//! The totals of uploads are the sums of the rows, whatever becomes of those.

use tenon_domain::visibility::Visibility;
use tenon_storage::upload::{Upload, insert, totals};
use tenon_storage::{StoreError, author_deletion};

use crate::access::{World, build};
use crate::{now, on_each_backend};

#[test]
fn uploads_count_for_the_account_that_has_them() {
    let world = World {
        groups: vec![(None, Visibility::Private)],
        projects: vec![(0, Visibility::Private)],
        parts: Vec::new(),
        members: Vec::new(),
        shares: Vec::new(),
    };
    on_each_backend(|database| {
        let sums = database
            .write(|tx| {
                let built = build(tx, &world)?;
                let (project, from, to) = (built.projects[0].id, built.users[0], built.users[1]);
                for (uploader, size) in [(from, 3), (from, 4), (to, 10)] {
                    let (secret, file_name) = (format!("{size:032}"), "a".to_owned());
                    insert(tx, &Upload { project, uploader, secret, file_name, size, created_at: now() })?;
                }
                let before = (totals(tx, project, from)?, totals(tx, project, to)?);
                author_deletion::hand_over(tx, from, to)?;
                Ok::<_, StoreError>((before, (totals(tx, project, from)?, totals(tx, project, to)?)))
            })
            .unwrap();
        assert_eq!(sums, (((17, 7), (17, 10)), ((17, 0), (17, 17))));
    });
}
