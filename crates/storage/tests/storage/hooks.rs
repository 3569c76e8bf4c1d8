//! Which hooks receive what: the SQL condition and the pure rule are held together on random hooks. And how much waits for them.

use proptest::prelude::*;
use tenon_domain::hook::{BranchFilterStrategy, DeliveryState, FLAGS, Health, Hook, HookEvents, Trigger};
use tenon_domain::id::{HookId, ProjectId};
use tenon_storage::hook::{NewDelivery, NewHookEvent};
use tenon_storage::{StoreError, hook};

use crate::access::{build, of_projects, on_worlds};
use crate::{now, on_each_backend};

/// The flags of a hook, and of which project it is: of the server, or of the first or second one.
type Flags = (usize, [bool; 17]);

fn made((place, flags): &Flags, projects: &[ProjectId]) -> Hook {
    let mut events = HookEvents::default();
    for (flag, on) in FLAGS.iter().zip(flags) {
        events.set(flag.trigger, *on);
    }
    Hook {
        id: HookId::new(0),
        project: place.checked_sub(1).and_then(|at| projects.get(at).copied()),
        url: "https://hooks.example.com/".to_owned(),
        name: String::new(),
        description: String::new(),
        events,
        push_events_branch_filter: None,
        branch_filter_strategy: BranchFilterStrategy::Wildcard,
        url_variables: Vec::new(),
        custom_headers: Vec::new(),
        custom_webhook_template: None,
        health: Health::default(),
        enable_ssl_verification: true,
        created_at: now(),
        updated_at: now(),
    }
}

#[test]
fn what_a_hook_receives_is_the_same_in_sql_and_in_the_domain() {
    let hooks = prop::collection::vec((0..3_usize, any::<[bool; 17]>()), 1..12);
    on_worlds(&hooks, |hooks| {
        on_each_backend(|database| {
            let checked = database.write(|tx| {
                let built = build(tx, &of_projects(2))?;
                let projects: Vec<ProjectId> = built.projects.iter().map(|project| project.id).collect();
                let mut all = Vec::new();
                for flags in hooks {
                    let new = made(flags, &projects);
                    let id = hook::insert(tx, &new, None)?;
                    all.push(Hook { id, ..new });
                }
                for place in [None, projects.first().copied(), projects.last().copied()] {
                    for trigger in Trigger::ALL {
                        let is_of = |hook: &&Hook| hook.project.is_none() || hook.project == place;
                        let receives = |hook: &&Hook| hook.receives(*trigger);
                        let wanted: Vec<HookId> =
                            all.iter().filter(is_of).filter(receives).map(|hook| hook.id).collect();
                        let found: Vec<HookId> =
                            hook::receivers(tx, place, *trigger)?.iter().map(|target| target.hook.id).collect();
                        assert_eq!(found, wanted, "{trigger:?} in {place:?}");
                        assert_eq!(
                            hook::is_received(tx, place, *trigger)?,
                            !wanted.is_empty(),
                            "{trigger:?} in {place:?}"
                        );
                    }
                }
                Ok::<_, StoreError>(())
            });
            checked.unwrap();
        });
    });
}

/// The event of that number, of the whole server.
fn event(uuid: &str) -> NewHookEvent<'_> {
    NewHookEvent { project: None, actor: None, trigger: Trigger::System, uuid, captured: "{}", at: now() }
}

#[test]
fn whether_so_many_events_wait_is_known() {
    on_each_backend(|database| {
        let checked = database.write(|tx| {
            for (count, uuid) in ["a", "b", "c"].into_iter().enumerate() {
                let count = i64::try_from(count).unwrap();
                assert!(hook::has_events(tx, None, count)?);
                assert!(!hook::has_events(tx, None, count + 1)?);
                hook::insert_event(tx, &event(uuid))?;
            }
            let first = hook::unrendered_events(tx, None, 1)?.remove(0);
            assert!(hook::has_events(tx, None, 3)?);
            hook::render_event(tx, None, first.id, "body")?;
            assert!(!hook::has_events(tx, None, 3)?, "one waits no more");
            Ok::<_, StoreError>(())
        });
        checked.unwrap();
    });
}

#[test]
fn only_the_oldest_events_are_inspected_for_some_that_make_room() {
    on_each_backend(|database| {
        let checked = database.write(|tx| {
            let receiver = hook::insert(tx, &made(&(0, [true; 17]), &[]), None)?;
            // A receiver that does not answer is waited for by all but the last.
            for number in 0..=1000 {
                hook::insert_event(tx, &event(&format!("event {number}")))?;
                let id = hook::unrendered_events(tx, None, 1)?.remove(0).id;
                hook::render_event(tx, None, id, "body")?;
                if number < 1000 {
                    let uuid = format!("delivery {number}");
                    hook::insert_delivery(tx, &NewDelivery { hook: receiver, event: id, uuid, at: now() })?;
                }
            }
            assert_eq!(hook::make_room(tx, None, 1, 100)?, 0);
            let waits = hook::waiting(tx, receiver, 1)?.remove(0);
            hook::record_attempt(tx, waits.id, DeliveryState::Delivered, 1, &hook::Attempt::default())?;
            assert_eq!(hook::make_room(tx, None, 1, 100)?, 1);
            assert_eq!(hook::make_room(tx, None, 1, 100)?, 1, "one more is inspected then");
            Ok::<_, StoreError>(())
        });
        checked.unwrap();
    });
}
