//! Colours that are waited for, found in the background, and remembered.

use std::sync::Condvar;
use std::thread::ThreadId;

use tenon_domain::id::UserId;
use tenon_domain::limits::Milliseconds;
use tenon_highlight::Answer;

use super::process::Answering;
use super::*;
use crate::core::clock::SystemClock;

const ANN: Client = Client::User(UserId::new(1));
const BOB: Client = Client::User(UserId::new(2));
/// Longer than any test takes.
const LONG: Duration = Duration::from_hours(1);

/// A process without a process: it notes what it is asked, and answers when the gate is open.
#[derive(Clone, Default)]
struct Fake(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    asked: Vec<String>,
    is_closed: bool,
    /// The thread that has ended the process.
    ended_by: Option<ThreadId>,
}

impl Fake {
    fn close(&self) {
        self.0.0.lock().unwrap().is_closed = true;
    }

    fn open(&self) {
        self.0.0.lock().unwrap().is_closed = false;
        self.0.1.notify_all();
    }

    fn asked(&self) -> Vec<String> {
        self.0.0.lock().unwrap().asked.clone()
    }

    /// Waits until it was asked for this text.
    fn wait_for(&self, text: &str) {
        let state = self.0.0.lock().unwrap();
        drop(self.0.1.wait_while(state, |state| !state.asked.iter().any(|asked| asked == text)).unwrap());
    }

    fn highlighter(&self, limits: HighlightLimits) -> Highlighter {
        Highlighter::starting(Box::new(self.clone()), &limits, Arc::new(SystemClock)).unwrap()
    }
}

impl Start for Fake {
    fn start(&mut self) -> io::Result<Box<dyn Answering>> {
        Ok(Box::new(Alive(self.clone())))
    }
}

struct Alive(Fake);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.0.0.lock().unwrap().ended_by = Some(std::thread::current().id());
    }
}

impl Answering for Alive {
    fn ask(&mut self, request: &Request<'_>, _patience: Duration) -> io::Result<Answer> {
        let (state, changed) = &*self.0.0;
        let mut state = state.lock().unwrap();
        state.asked.push(request.text.to_owned());
        changed.notify_all();
        drop(changed.wait_while(state, |state| state.is_closed).unwrap());
        match request.text {
            "crash" => Err(io::ErrorKind::UnexpectedEof.into()),
            "slow" => Ok(Answer::TookTooLong),
            "held up" => Ok(Answer::WasHeldUp),
            text => Ok(Answer::Colours(
                tenon_highlight::Highlighter::new().colours(text, request.language, || false).unwrap(),
            )),
        }
    }

    fn work(&self) -> Option<Duration> {
        None
    }

    fn has_ended(&mut self) -> bool {
        false
    }

    fn is_worn(&self) -> bool {
        false
    }
}

fn source(text: &str) -> Source {
    // Any name will do that is another one for another text.
    let number = text.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    Source {
        origin: Origin::new(1),
        blob: format!("{number:040x}").parse().unwrap(),
        name: "a.rs".into(),
        text: text.into(),
    }
}

/// Which of these texts have colours.
fn coloured(found: &[Arc<Colours>]) -> Vec<bool> {
    found.iter().map(|colours| !colours.is_plain()).collect()
}

#[tokio::test]
async fn colours_that_are_found_in_time_are_shown_in_order_and_remembered() {
    let fake = Fake::default();
    let highlighter = fake.highlighter(HighlightLimits::default());
    let sources = || vec![source("// one"), source(""), source("plain"), source("// two")];
    let first = highlighter.colours_within(LONG, ANN, sources()).await;
    assert_eq!(coloured(&first), [true, false, false, true]);
    let second = highlighter.colours_within(Duration::ZERO, BOB, sources()).await;
    assert_eq!(second, first);
    assert_eq!(fake.asked(), ["// one", "plain", "// two"]);
}

#[tokio::test]
async fn colours_that_are_not_found_in_time_are_there_at_the_next_visit() {
    let fake = Fake::default();
    let highlighter = fake.highlighter(HighlightLimits::default());
    fake.close();
    let sources = || vec![source("// one"), source("// two")];
    assert_eq!(coloured(&highlighter.colours_within(Duration::ZERO, ANN, sources()).await), [false, false]);
    assert_eq!(coloured(&highlighter.colours_within(Duration::ZERO, BOB, sources()).await), [false, false]);
    fake.open();
    assert_eq!(coloured(&highlighter.colours_within(LONG, BOB, sources()).await), [true, true]);
    assert_eq!(fake.asked(), ["// one", "// two"], "each once, however many ask for it");
}

#[tokio::test]
async fn colours_that_one_asked_for_are_there_for_another() {
    let fake = Fake::default();
    let highlighter = fake.highlighter(HighlightLimits::default());
    drop(highlighter.begin(Client::Server, source("// one")));
    assert_eq!(coloured(&highlighter.colours_within(LONG, ANN, vec![source("// one")]).await), [true]);
    assert_eq!(fake.asked(), ["// one"]);
}

#[tokio::test]
async fn a_text_that_is_hopeless_is_plain_and_not_tried_again() {
    let fake = Fake::default();
    let highlighter = fake.highlighter(HighlightLimits::default());
    for _ in 0..3 {
        let found =
            highlighter.colours_within(LONG, ANN, ["slow", "crash", "held up", "// x"].map(source).into()).await;
        assert_eq!(coloured(&found), [false, false, false, true]);
    }
    assert_eq!(fake.asked(), ["slow", "crash", "held up", "// x"]);
}

#[tokio::test]
async fn a_repository_whose_texts_fail_stays_plain_and_others_do_not() {
    let fake = Fake::default();
    let highlighter = fake.highlighter(HighlightLimits { failures: 1, ..HighlightLimits::default() });
    let other = |text| Source { origin: ProjectId::new(2).into(), ..source(text) };
    let sources = vec![source("slow"), source("// one"), other("// two")];
    assert_eq!(coloured(&highlighter.colours_within(LONG, ANN, sources).await), [false, false, true]);
    assert_eq!(fake.asked(), ["slow", "// two"]);
}

#[tokio::test]
async fn a_process_that_is_idle_is_ended_by_a_thread_that_may_wait() {
    let fake = Fake::default();
    let highlighter = fake.highlighter(HighlightLimits { idle: Duration::ZERO, ..HighlightLimits::default() });
    highlighter.colours_within(LONG, ANN, vec![source("// one")]).await;
    let ended_by = || fake.0.0.lock().unwrap().ended_by;
    // The answer is there a moment before the process is free.
    while ended_by().is_none() {
        highlighter.end_idle().await.unwrap();
    }
    assert_ne!(ended_by(), Some(std::thread::current().id()));
}

#[tokio::test]
async fn a_text_that_is_too_long_is_plain_and_not_tried() {
    let fake = Fake::default();
    let highlighter = fake.highlighter(HighlightLimits::default());
    let long = format!("// {}", "x".repeat(MAX_TEXT));
    assert_eq!(coloured(&highlighter.colours_within(LONG, ANN, vec![source(&long)]).await), [false]);
    assert!(fake.asked().is_empty());
}

#[tokio::test]
async fn a_client_fills_neither_the_queue_nor_the_room_of_others() {
    for limits in [
        HighlightLimits { waiting: 8, ..HighlightLimits::default() },
        HighlightLimits { waiting_bytes: 8 * 1024, ..HighlightLimits::default() },
    ] {
        let fake = Fake::default();
        let highlighter = fake.highlighter(limits);
        fake.close();
        // One is under way; the others wait.
        drop(highlighter.begin(ANN, source("// first")));
        fake.wait_for("// first");
        (0..9).for_each(|number| drop(highlighter.begin(ANN, source(&format!("// ann {number}")))));
        let waiting = highlighter.waiting();
        assert!((2..=3).contains(&waiting), "{waiting}");
        drop(highlighter.begin(BOB, source("// bob")));
        assert_eq!(highlighter.waiting(), waiting + 1);
        fake.open();
        let sources = vec![source("// bob"), source("// ann 0"), source("// ann 8")];
        let found = highlighter.colours_within(LONG, BOB, sources).await;
        assert_eq!(coloured(&found), [true, true, true], "what found no room is tried when it is asked for again");
        let asked = fake.asked();
        let second = asked.get(1).map(String::as_str);
        assert_eq!(second, Some("// bob"), "the client that has spent least comes first: {asked:?}");
    }
}

#[tokio::test]
async fn short_texts_are_waited_for_and_long_ones_come_at_the_next_visit() {
    for (awaited, want) in [(100, true), (3, false)] {
        let fake = Fake::default();
        let limits = HighlightLimits { first: Milliseconds(3_600_000), awaited, ..HighlightLimits::default() };
        let highlighter = fake.highlighter(limits);
        fake.close();
        let opens = async {
            // It answers when the longer text would not be waited for any more.
            tokio::task::spawn_blocking({
                let fake = fake.clone();
                move || fake.wait_for("// one")
            })
            .await
            .unwrap();
            if want {
                fake.open();
            }
        };
        let (found, ()) = tokio::join!(highlighter.colours_of_short(ANN, vec![source("// one")]), opens);
        assert_eq!(coloured(&found), [want], "{awaited} bytes are waited for");
        fake.open();
    }
}

#[tokio::test]
async fn a_block_of_code_has_the_colours_of_the_language_that_it_names() {
    let fake = Fake::default();
    let highlighter = fake.highlighter(HighlightLimits::default());
    let fence = |language: &str| Fence { language: language.to_owned(), code: "# one".to_owned() };
    let origin = Origin::new(-1);
    let sources = || ["python", "none", "python", "toml"].map(|language| fence(language).source(origin)).to_vec();
    let found = highlighter.colours_within(LONG, ANN, sources()).await;
    assert_eq!(coloured(&found), [true, false, true, true]);
    assert_eq!(fake.asked().len(), 3, "the same block in the same language is asked for once");
    // A file of that content is another text: its name says the language.
    let file = Source { name: "python".into(), ..fence("python").source(origin) };
    assert_eq!(coloured(&highlighter.colours_within(LONG, ANN, vec![file]).await), [false]);
}
