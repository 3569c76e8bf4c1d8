//! The things that writers have asked a server for, and the answers they got.
//!
//! Each thing has a name and the list of all values that it was to have, oldest first; a thing that is not there has none. A backup
//! must bring back the value that was acknowledged last before it began, or one that was asked for later.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Things by name, with their values.
pub(crate) type Found = BTreeMap<String, String>;

/// A value that is not known because its answer was lost.
pub(crate) const ANY: &str = "*";

/// All values of one thing.
#[derive(Debug, Clone)]
struct History {
    values: Vec<Option<String>>,
    /// The place of the value that was acknowledged last.
    acknowledged: usize,
}

/// All things at one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    histories: BTreeMap<String, History>,
    /// Operations that were acknowledged, by kind.
    pub(crate) counts: BTreeMap<&'static str, usize>,
}

/// Changes that were asked for together: the name of each thing and the place of its new value.
#[derive(Debug)]
pub(crate) struct Asked(Vec<(String, usize)>);

impl Model {
    fn ask(&mut self, name: &str, value: Option<String>) -> usize {
        let absent = || History { values: vec![None], acknowledged: 0 };
        let history = self.histories.entry(name.to_owned()).or_insert_with(absent);
        history.values.push(value);
        history.values.len() - 1
    }

    fn acknowledge(&mut self, name: &str, place: usize) {
        if let Some(history) = self.histories.get_mut(name) {
            history.acknowledged = history.acknowledged.max(place);
        }
    }

    /// The names of all things.
    pub(crate) fn names(&self) -> Vec<String> {
        self.histories.keys().cloned().collect()
    }

    /// The names of a thing and of all things below it.
    fn below(&self, thing: &str) -> Vec<String> {
        let is_below =
            |name: &&String| name.strip_prefix(thing).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.histories.keys().filter(is_below).cloned().collect()
    }

    /// The faults of a server that was restored of a backup: `before` is the model when the backup began, and `self` that after its
    /// end.
    pub(crate) fn faults(&self, before: &Self, found: &Found) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, history) in &self.histories {
            let first = before.histories.get(name).map_or(0, |history| history.acknowledged);
            let allowed = history.values.get(first..).unwrap_or_default();
            let is_allowed = |value: Option<&String>| {
                allowed.iter().any(|it| it.as_ref() == value || (value.is_some() && it.as_deref() == Some(ANY)))
            };
            let value = found.get(name);
            if !is_allowed(value) {
                let oldest = allowed.first().cloned().flatten();
                faults.push(format!(
                    "{name}: is {}, but {} was acknowledged and {} asked for after that",
                    value.map_or("missing", String::as_str),
                    oldest.as_deref().unwrap_or("its removal"),
                    allowed.len().saturating_sub(1)
                ));
            }
        }
        let unknown = found.keys().filter(|name| !self.histories.contains_key(*name));
        faults.extend(unknown.map(|name| format!("{name}: is there, and was not requested")));
        faults
    }
}

/// The state that writers and the conductor of a rehearsal share.
#[derive(Default)]
pub(crate) struct Record {
    model: Mutex<Model>,
    /// An operation was acknowledged.
    more: Condvar,
    faults: Mutex<Vec<String>>,
}

impl Record {
    fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that these values are asked for. To be called before the request is sent.
    pub(crate) fn ask(&self, changes: &[(&str, Option<&str>)]) -> Asked {
        let mut model = self.model();
        let ask =
            |(name, value): &(&str, Option<&str>)| ((*name).to_owned(), model.ask(name, value.map(ToOwned::to_owned)));
        Asked(changes.iter().map(ask).collect())
    }

    /// Notes that these things are to be removed, and all below them.
    pub(crate) fn ask_removal(&self, things: &[String]) -> Asked {
        let mut model = self.model();
        let names: Vec<String> = things.iter().flat_map(|thing| model.below(thing)).collect();
        Asked(names.into_iter().map(|name| (name.clone(), model.ask(&name, None))).collect())
    }

    /// Notes that what was asked for is done.
    pub(crate) fn acknowledge(&self, kind: &'static str, asked: Asked) {
        let mut model = self.model();
        for (name, place) in asked.0 {
            model.acknowledge(&name, place);
        }
        *model.counts.entry(kind).or_default() += 1;
        self.more.notify_all();
    }

    /// As [`Record::acknowledge`], for a value that only the answer has told.
    pub(crate) fn acknowledge_as(&self, kind: &'static str, name: &str, value: &str) {
        let asked = self.ask(&[(name, Some(value))]);
        self.acknowledge(kind, asked);
    }

    /// Notes things that are there already.
    pub(crate) fn find(&self, found: &Found) {
        let mut model = self.model();
        for (name, value) in found {
            let place = model.ask(name, Some(value.clone()));
            model.acknowledge(name, place);
        }
    }

    /// The model as it is now.
    pub(crate) fn now(&self) -> Model {
        self.model().clone()
    }

    /// The number of operations that were acknowledged.
    pub(crate) fn count(&self) -> usize {
        self.model().counts.values().sum()
    }

    /// Waits until so many operations were acknowledged, or for a moment.
    pub(crate) fn wait_for(&self, count: usize) -> bool {
        let is_less = |model: &mut Model| model.counts.values().sum::<usize>() < count;
        let waited = self.more.wait_timeout_while(self.model(), Duration::from_millis(50), is_less);
        let (model, _) = waited.unwrap_or_else(PoisonError::into_inner);
        model.counts.values().sum::<usize>() >= count
    }

    /// Notes an answer that a server must not give.
    pub(crate) fn fault(&self, text: String) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// The faults so far.
    pub(crate) fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut self.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(things: &[(&str, &str)]) -> Found {
        things.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_was_acknowledged_before_must_be_there_or_be_newer() {
        let record = Record::default();
        record.acknowledge_as("create", "issue", "one");
        record.acknowledge_as("edit", "issue", "two");
        let before = record.now();
        record.ask(&[("issue", Some("three"))]);
        record.ask(&[("other", Some(ANY))]);
        let after = record.now();
        for fits in [&[("issue", "two")][..], &[("issue", "three")], &[("issue", "two"), ("other", "x")]] {
            assert_eq!(after.faults(&before, &found(fits)), [""; 0], "{fits:?}");
        }
        for wrong in [&[][..], &[("issue", "one")], &[("issue", "two"), ("unknown", "x")]] {
            assert_eq!(after.faults(&before, &found(wrong)).len(), 1, "{wrong:?}");
        }
    }

    #[test]
    fn what_was_removed_before_must_be_gone() {
        let record = Record::default();
        record.acknowledge_as("create", "project/a", "there");
        let asked = record.ask_removal(&["project/a".to_owned()]);
        let during = record.now();
        record.acknowledge("delete", asked);
        let after = record.now();
        assert_eq!(after.faults(&during, &found(&[("project/a", "there")])), [""; 0]);
        assert_eq!(after.faults(&during, &found(&[])), [""; 0]);
        assert_eq!(after.faults(&after, &found(&[("project/a", "there")])).len(), 1);
    }
}
