//! The cost of the pages for people, each beside the answer of the API with the same content, compared with their
//! budgets.

mod budget;
mod session;
mod world;

use std::fmt::Write as _;
use std::io::Write as _;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use indicatif::ProgressBar;
use tenon_testkit::Client;

use self::budget::{BUDGETS, Budget};
use self::session::signed_in;
use self::world::World;
use crate::endpoint::ROOT_TOKEN;
use crate::load;
use crate::measure::{Kind, Place, start};
use crate::seed::{self, Size, Target, Tokens};

/// The size of the database for a measuring, and its time.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How much there is in the database.
    pub size: Size,
    /// How long each page is driven, alone and with others.
    pub time: Duration,
}

/// Connections that ask for a page at the same time, if one does not ask alone.
const CONNECTIONS: usize = 32;

/// The cost of a page.
#[derive(Debug, Clone)]
pub struct Cost {
    budget: &'static Budget,
    /// Milliseconds in which nine of ten are answered: alone, and with others.
    alone: f64,
    together: f64,
    /// The same of the API's answer, alone.
    api: f64,
    /// Bytes of the packed page, and elements in it.
    packed: usize,
    elements: usize,
}

/// Measures all pages on a fresh database of this kind.
pub async fn run(plan: &Plan, database: Kind, bar: &ProgressBar) -> Result<Vec<Cost>> {
    let folder = tempfile::Builder::new().prefix("tenon-pages.").tempdir()?;
    let place = Place::new(database, &folder)?;
    let target = Target { database_url: place.url.clone(), data_dir: folder.path().to_owned() };
    let tokens = Tokens { root: Some(ROOT_TOKEN.to_owned()), member: None };
    let landmarks = seed::fill(&target, plan.size, &tokens, bar)?;
    let (server, _) = start(&target, &place.given_url).await?;
    let (port, path) = (server.port, folder.path().to_owned());
    // The client blocks.
    let (world, cookies) = tokio::task::spawn_blocking(move || {
        let client = Client::new(&format!("http://127.0.0.1:{port}"), Some(ROOT_TOKEN));
        let world = World::make(&client, &path, &landmarks)?;
        Ok::<_, anyhow::Error>((world, signed_in(&client)?))
    })
    .await??;
    bar.reset();
    bar.set_length(u64::try_from(BUDGETS.len())?);
    let mut costs = Vec::new();
    for budget in &BUDGETS {
        bar.set_message(budget.page);
        costs.push(cost(plan, port, &cookies, &world, budget).await.with_context(|| budget.page)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(costs)
}

async fn cost(plan: &Plan, port: u16, cookies: &str, world: &World, budget: &'static Budget) -> Result<Cost> {
    let (path, twin) = (world.filled(budget.path), world.filled(budget.twin));
    let page: Rc<[u8]> = request(&path, &format!("Cookie: {cookies}")).into();
    let api: Rc<[u8]> = request(&format!("/api/v4{twin}"), &format!("Private-Token: {ROOT_TOKEN}")).into();
    let (client, address, sent) =
        (Client::new(&format!("http://127.0.0.1:{port}"), None), format!("/{path}"), cookies.to_owned());
    let html = tokio::task::spawn_blocking(move || {
        let reply = client.header("Cookie", &sent).get(&address);
        ensure!(reply.status() == 200, "{address} answers {}", reply.status());
        Ok(reply.text())
    })
    .await??;
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(html.as_bytes())?;
    Ok(Cost {
        budget,
        alone: within(plan, port, 1, &page).await?,
        together: if budget.together.is_some() { within(plan, port, CONNECTIONS, &page).await? } else { 0.0 },
        api: within(plan, port, 1, &api).await?,
        packed: packer.finish()?.len(),
        elements: elements(&html),
    })
}

fn request(path: &str, header: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n\r\n").into_bytes()
}

/// The milliseconds in which nine of ten answers come.
async fn within(plan: &Plan, port: u16, connections: usize, message: &Rc<[u8]>) -> Result<f64> {
    let again = Rc::clone(message);
    let message: Rc<load::Message> = Rc::new(move |_| Rc::clone(&again));
    load::drive(port, connections, plan.time / 3, &mut 0, Rc::clone(&message)).await?;
    let outcome = load::drive(port, connections, plan.time, &mut 0, message).await?;
    ensure!(outcome.errors == 0, "{} answers are errors", outcome.errors);
    Ok(outcome.percentile(90).as_secs_f64() * 1e3)
}

/// How many elements there are in a page.
fn elements(html: &str) -> usize {
    html.as_bytes().windows(2).filter(|two| matches!(two, [b'<', first] if first.is_ascii_alphabetic())).count()
}

impl Cost {
    /// The figures that exceed their budgets, in words. On PostgreSQL a page may take twice as long.
    fn excess(&self, database: Kind) -> Vec<&'static str> {
        let times = if database == Kind::Postgres { 2.0 } else { 1.0 };
        let budget = self.budget;
        [
            (self.alone > budget.alone * times, "alone"),
            (budget.together.is_some_and(|most| self.together > most * times), "with others"),
            (self.packed > budget.packed, "bytes"),
            (self.elements > budget.elements, "elements"),
        ]
        .into_iter()
        .filter_map(|(is_over, name)| is_over.then_some(name))
        .collect()
    }
}

/// True if all of them keep their budgets.
#[must_use]
pub fn keep(costs: &[Cost], database: Kind) -> bool {
    costs.iter().all(|cost| cost.excess(database).is_empty())
}

/// A Markdown table of costs and budgets.
#[must_use]
pub fn table(costs: &[Cost], database: Kind) -> String {
    let mut text = String::from(
        "| page | P90 alone, ms | budget | P90 of 32, ms | budget | API alone, ms | of API | packed, bytes | budget | \
         elements | budget | over |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
    );
    let times = if database == Kind::Postgres { 2.0 } else { 1.0 };
    for cost in costs {
        let Cost { budget, alone, together, api, packed, elements } = cost;
        let (most, ratio) = (budget.alone * times, alone / api);
        let together = match budget.together {
            Some(most) => format!("{together:.1} | {:.0}", most * times),
            None => "– | –".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {alone:.1} | {most:.0} | {together} | {api:.1} | {ratio:.1} | {packed} | {} | {elements} | {} | {} |",
            budget.page,
            budget.packed,
            budget.elements,
            cost.excess(database).join(", "),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_by_their_first_tags() {
        assert_eq!(elements("<!doctype html><p>a < b</p><br><!-- x --><svg><use/></svg>"), 4);
    }

    #[test]
    fn what_is_over_its_budget_is_named() {
        let budget = &BUDGETS[0];
        let within = Cost { budget, alone: budget.alone, together: 0.0, api: 1.0, packed: budget.packed, elements: 0 };
        assert!(keep(std::slice::from_ref(&within), Kind::Sqlite));
        let slow = Cost { alone: budget.alone * 1.5, packed: budget.packed + 1, ..within };
        assert_eq!(slow.excess(Kind::Sqlite), ["alone", "bytes"]);
        assert_eq!(slow.excess(Kind::Postgres), ["bytes"]);
        assert!(table(&[slow], Kind::Sqlite).contains("| alone, bytes |"));
    }
}
