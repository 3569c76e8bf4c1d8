//! Use cases that store texts, and formatting within a budget.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tenon_markdown::{Ends, Names, Options};

use super::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::slot::Slot;
use crate::core::texts::{FoundTexts, Gone, GoneOnDrop, KnownTexts, SHORT_TEXT, Texts, thread_time};

/// How often a command begins anew because it has met a text that was not expected. A text that another caller changes
/// at the same time may be one.
const MOST_BEGINNINGS: usize = 4;

impl App {
    /// As [`App::write`], for a use case that stores texts whose references it follows. Their names are found before
    /// the transaction, on threads of its own, so that no other write waits for that: of `expected` first, and of
    /// others when the use case has met them, which then begins anew. [`AppError::Busy`] if it meets others each time.
    pub async fn write_text<T: Send + 'static>(
        &self,
        identity: &Identity,
        expected: Vec<String>,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError> + Clone + Send + 'static,
    ) -> Result<T, AppError> {
        let (mut known, mut missing) = (KnownTexts::new(), BTreeSet::from_iter(expected));
        for _ in 0..MOST_BEGINNINGS {
            missing.retain(|text| !text.is_empty());
            if !missing.is_empty() {
                known.extend(self.find_names(missing).await?);
            }
            let texts = Arc::new(FoundTexts::of(known));
            let ((value, waits), work) = (Slot::pair(), work.clone());
            let work = Box::new(move |command: &mut Command<'_>| value.put(work(command)));
            let outcome = self.write_boxed(identity, Some(Arc::clone(&texts)), work).await;
            missing = texts.take_missing();
            if missing.is_empty() || !matches!(outcome, Err(AppError::Busy { .. })) {
                return outcome.and_then(|()| waits.take());
            }
            // The closure that has held it has run.
            known = Arc::into_inner(texts).map(FoundTexts::into_known).unwrap_or_default();
        }
        Err(AppError::Busy { retry_after: 1 })
    }

    /// The same application, for work that ends early when what comes with it is dropped: the client has gone.
    pub(super) fn watched(&self) -> (Self, GoneOnDrop) {
        let gone = Gone::default();
        let guard = gone.on_drop();
        (Self { gone, ..self.clone() }, guard)
    }

    /// The names in texts. Short texts are read at once. Long ones are read on threads of their own, within the rest of
    /// the client's budget. Texts behind the ones that have used up the time of a request name nothing.
    async fn find_names(&self, texts: BTreeSet<String>) -> Result<KnownTexts, AppError> {
        let (app, _goes_with_the_client) = self.watched();
        let is_short = texts.iter().map(String::len).sum::<usize>() <= SHORT_TEXT;
        let work = move || {
            let mut left = app.limits().texts.page.duration().min(app.inner.text_budgets.left(app.client));
            let found = texts.into_iter().map(|text| {
                let begun = thread_time();
                let names = app.names_within(&text, left);
                let used = thread_time().saturating_sub(begun);
                app.inner.text_budgets.count(app.client, used);
                left = left.saturating_sub(used);
                (text, Arc::new(names))
            });
            Ok(found.collect())
        };
        let pool = if is_short { &self.inner.readers } else { &self.inner.texts };
        pool.answer(self.client, work).await
    }

    /// Does some work on a text on threads of its own, without a connection to the database, within what is left after as much as
    /// `used` for this request, and for its client. Yields what is used then as well.
    pub(crate) async fn on_text<T: Send + 'static>(
        &self,
        used: Duration,
        work: impl FnOnce(&App, Ends<'_>) -> T + Send + 'static,
    ) -> Result<(T, Duration), AppError> {
        let (app, _goes_with_the_client) = self.watched();
        let work = move || {
            let used = Cell::new(used);
            let done = app.within_budget(&used, |ends| work(&app, ends));
            Ok((done, used.get()))
        };
        self.inner.texts.answer(self.client, work).await
    }

    /// Does some work on a text, within what is left for one text, for a request that has `formatted` so long, and for its client.
    /// The work ends early if the client has gone.
    fn within_budget<T>(&self, formatted: &Cell<Duration>, work: impl FnOnce(Ends<'_>) -> T) -> T {
        let limits = &self.limits().texts;
        let of_page = limits.page.duration().saturating_sub(formatted.get());
        let of_client = self.inner.text_budgets.left(self.client);
        let most = limits.one.duration().min(of_page).min(of_client);
        let begun = thread_time();
        let used = || thread_time().saturating_sub(begun);
        let is_over = || used() >= most || self.gone.is();
        let done = work(Ends::when(&is_over));
        let used = used();
        formatted.set(formatted.get() + used);
        self.inner.text_budgets.count(self.client, used);
        done
    }

    /// The names in a text; nothing if finding them takes longer than it may.
    pub(crate) fn names_of(&self, text: &str) -> Names {
        self.names_within(text, Duration::MAX)
    }

    fn names_within(&self, text: &str, left: Duration) -> Names {
        let most = self.limits().texts.one.duration().min(left);
        let begun = thread_time();
        let is_over = || thread_time().saturating_sub(begun) >= most || self.gone.is();
        let options = Options { ends: Ends::when(&is_over), ..Options::of(self.base_url()) };
        Names::of(text, &options).unwrap_or_default()
    }
}

impl Command<'_> {
    /// The names in a text.
    pub(crate) fn names(&self, text: &str) -> Result<Arc<Names>, AppError> {
        Ok(self.names_of_all(&[text])?.pop().unwrap_or_default())
    }

    /// The names in each of some texts. Fails if one is not known yet: the command begins anew when it is.
    pub(crate) fn names_of_all(&self, texts: &[&str]) -> Result<Vec<Arc<Names>>, AppError> {
        match self.texts {
            Texts::InPlace => Ok(texts.iter().map(|text| Arc::new(self.app.names_of(text))).collect()),
            Texts::FoundBefore(found) => found.names(texts),
        }
    }
}

impl Query<'_> {
    /// Does some work on a text, within what is left for one text, for this request and for its client. The work ends
    /// early if the client has gone.
    pub(crate) fn within_budget<T>(&self, work: impl FnOnce(Ends<'_>) -> T) -> T {
        self.app.within_budget(&self.formatted, work)
    }
}
