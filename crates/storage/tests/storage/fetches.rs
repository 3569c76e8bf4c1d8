//! The count of fetches of projects.

use tenon_domain::id::ProjectId;
use tenon_domain::time::{Date, TimeDelta};
use tenon_storage::project::{any_fetches_before, count_fetches, fetches_since, purge_fetches};
use tenon_storage::{Database, StoreError};

use crate::access::{build, of_projects};
use crate::now;

fn since(database: &Database, project: ProjectId, first: Date) -> Vec<(Date, i64)> {
    database.read(|tx| fetches_since(tx, project, first)).unwrap()
}

#[test]
fn fetches_are_counted_by_day_and_removed_when_they_are_old() {
    crate::on_each_backend(|database| {
        let built = database.write(|tx| build(tx, &of_projects(2))).unwrap();
        let (one, other) = (built.projects[0].id, built.projects[1].id);
        let day = |before: i64| now().date_naive() - TimeDelta::days(before);
        let gone = ProjectId::new(999_999);
        let fetches = [(one, day(2), 3), (one, day(0), 1), (gone, day(0), 7), (one, day(2), 2), (other, day(1), 5)];
        database.write(|tx| count_fetches(tx, &fetches)).unwrap();
        database.write(|tx| count_fetches(tx, &[(one, day(0), 4)])).unwrap();
        database.write(|tx| count_fetches(tx, &[])).unwrap();
        assert_eq!(since(database, one, day(9)), [(day(0), 5), (day(2), 5)]);
        assert_eq!(since(database, one, day(1)), [(day(0), 5)]);
        assert_eq!(since(database, other, day(9)), [(day(1), 5)]);
        let purged = |first: Date| {
            database
                .write(|tx| Ok::<_, StoreError>((any_fetches_before(tx, first)?, purge_fetches(tx, first)?)))
                .unwrap()
        };
        assert_eq!(purged(day(2)), (false, 0), "the first day is kept");
        assert_eq!(purged(day(1)), (true, 1));
        assert_eq!(since(database, one, day(9)), [(day(0), 5)]);
        assert_eq!(since(database, other, day(9)), [(day(1), 5)]);
        assert_eq!(purged(day(-1)), (true, 2));
    });
}
