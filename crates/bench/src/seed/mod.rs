//! A population for a database: users, groups, projects, issues, and the relations between them. The same in every run.

mod groups;
mod issuables;
mod maintenance;
mod people;
mod projects;
mod texts;
mod trackers;
mod words;

pub use texts::{COMMON_WORD, RARE_WORD};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use indicatif::ProgressBar;
use tenon_app::{
    App, Clock, Database, DatabaseUrl, KEY_LENGTH, Limits, Objects, Options, Parts, Passwords, RootCredentials, Secret,
    Vault, first_start,
};
use tenon_domain::id::{Iid, NamespaceId, ProjectId, TokenId, UserId};
use tenon_domain::page::PageRequest;
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_domain::token::{Scope, Scopes, Token, TokenKind};
use tenon_storage::user::{UserFilter, UserOrder};

use crate::random::{Random, Repeatable};

/// The password of every account that is made here.
pub const PASSWORD: &str = "correct horse battery";

/// How much there will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Size {
    /// 3 users, 1 group, 5 projects, 200 issues, 20 merge requests
    Small,
    /// 1,000 users, 5 groups with 250 subgroups up to 8 deep, 2,500 projects, one of them with 6,722 issues
    /// and 3,609 merge requests
    Medium,
    /// 5,000 users, 10 groups with 490 subgroups up to 8 deep, 1,000 projects, 100,000 issues and 10,000 merge requests,
    /// a fifth of them in one project
    Team,
    /// 50,000 users, 20 groups with 1,980 subgroups up to 8 deep, 5,000 projects, 1,000,000 issues and 100,000 merge
    /// requests, a fifth of them in one project
    Large,
}

impl Size {
    /// The word on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Team => "team",
            Self::Large => "large",
        }
    }

    /// The number of issues.
    pub(crate) const fn issues(self) -> usize {
        self.counts().issues.all
    }

    const fn counts(self) -> Counts {
        match self {
            Self::Small => Counts {
                users: 3,
                top_groups: 1,
                subgroups: 0,
                projects: 5,
                issues: Amount { all: 200, in_one_project: 100 },
                merge_requests: Amount { all: 20, in_one_project: 20 },
            },
            Self::Medium => Counts {
                users: 1_000,
                top_groups: 5,
                subgroups: 250,
                projects: 2_500,
                issues: Amount { all: 6_722, in_one_project: 6_722 },
                merge_requests: Amount { all: 3_609, in_one_project: 3_609 },
            },
            Self::Team => Counts {
                users: 5_000,
                top_groups: 10,
                subgroups: 490,
                projects: 1_000,
                issues: Amount { all: 100_000, in_one_project: 20_000 },
                merge_requests: Amount { all: 10_000, in_one_project: 2_000 },
            },
            Self::Large => Counts {
                users: 50_000,
                top_groups: 20,
                subgroups: 1_980,
                projects: 5_000,
                issues: Amount { all: 1_000_000, in_one_project: 200_000 },
                merge_requests: Amount { all: 100_000, in_one_project: 20_000 },
            },
        }
    }
}

struct Counts {
    users: usize,
    top_groups: usize,
    subgroups: usize,
    projects: usize,
    issues: Amount,
    merge_requests: Amount,
}

/// The number of rows of a kind.
#[derive(Debug, Clone, Copy)]
struct Amount {
    all: usize,
    /// Those of them that are in [`Landmarks::project`].
    in_one_project: usize,
}

/// Levels of groups below each other, the top one included.
const DEEPEST: usize = 8;

/// The database and the folder that are filled.
#[derive(Debug, Clone)]
pub struct Target {
    /// The database.
    pub database_url: DatabaseUrl,
    /// The server's folder: its key lies there.
    pub data_dir: PathBuf,
}

/// The rows that a measurement asks for.
#[derive(Debug, Clone)]
pub struct Landmarks {
    /// A user with memberships in five groups and at least twenty projects, if there are so many.
    pub member: UserId,
    /// A private project in `group`, in which that user is a developer.
    pub project: ProjectId,
    /// Its full path.
    pub project_path: String,
    /// A group in which that user is a developer.
    pub group: NamespaceId,
    /// Its full path.
    pub group_path: String,
    /// How many issues that project has; the user sees all of them.
    pub issues: usize,
    /// The numbers of its oldest open issues, at most a thousand. Everybody who sees the project sees them, and they
    /// have notes.
    pub open_issues: Vec<Iid>,
    /// The same of its merge requests, which have none.
    pub open_merge_requests: Vec<Iid>,
}

/// Tokens that shall exist.
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    /// Of `root`, with all scopes.
    pub root: Option<String>,
    /// Of [`Landmarks::member`], with the scope `api`.
    pub member: Option<String>,
}

/// Fills an empty database, or one that has only `root`. If this fails, the database is to be thrown away.
pub fn fill(target: &Target, size: Size, tokens: &Tokens, bar: &ProgressBar) -> Result<Landmarks> {
    let app = open(target)?;
    refuse_used(app.database(), &target.database_url)?;
    let root =
        RootCredentials { password: Some(Secret::given(PASSWORD)), token: tokens.root.clone().map(Secret::given) };
    first_start(&app, root)?;

    let counts = size.counts();
    let total = counts.users + counts.top_groups + counts.subgroups + counts.projects;
    let total = total + counts.issues.all + counts.merge_requests.all;
    bar.set_length(u64::try_from(total)?);
    let mut world = World {
        database: app.database().clone(),
        url: target.database_url.clone(),
        vault: Vault::new(&key(&target.data_dir)?),
        entropy: Repeatable::new(3),
        random: Random::new(1),
        counts,
        bar: bar.clone(),
    };
    let users = world.users()?;
    let groups = world.groups(&users)?;
    let (landmarks, trackers) = world.projects(&users, &groups)?;
    let open = world.issuables(&users, trackers, groups.landmark)?;
    let landmarks = Landmarks {
        issues: world.counts.issues.in_one_project,
        open_issues: open.issues,
        open_merge_requests: open.merge_requests,
        ..landmarks
    };
    if let Some(secret) = &tokens.member {
        make_token(&world.database, landmarks.member, secret)?;
    }
    world.begin_last("statistics", 1);
    maintenance::rest(&target.database_url)?;
    bar.finish_and_clear();
    Ok(landmarks)
}

/// A population in the making.
struct World {
    database: Database,
    url: DatabaseUrl,
    vault: Vault,
    entropy: Repeatable,
    random: Random,
    counts: Counts,
    bar: ProgressBar,
}

impl World {
    /// Shows the present step in the progress bar.
    fn begin(&self, what: &'static str) {
        self.bar.set_message(what);
    }

    /// The same for steps that the bar has not counted on: this many more.
    fn begin_last(&self, what: &'static str, steps: usize) {
        self.bar.inc_length(u64::try_from(steps).unwrap_or_default());
        self.begin(what);
    }

    /// Makes connections forget the plans they made when tables were empty, by which they would read all rows for each
    /// new one. PostgreSQL does so by itself, but only some time after the rows are there.
    fn plan_anew(&self) -> Result<()> {
        maintenance::analyse(&self.url)
    }
}

/// The year of the first row.
const FIRST_YEAR: i32 = 2021;
/// Over so many years things happen.
const YEARS: usize = 5;
/// The same in days.
const DAYS: usize = YEARS * 365;

/// The moment of the first row, and the others minutes after it.
fn moment(minutes: usize) -> Timestamp {
    second(minutes * 60)
}

/// The same in seconds.
fn second(seconds: usize) -> Timestamp {
    let start = chrono::DateTime::from_timestamp(1_609_459_200, 0).unwrap_or_default();
    start + TimeDelta::seconds(i64::try_from(seconds).unwrap_or_default())
}

struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        moment(0)
    }

    fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

fn open(target: &Target) -> Result<App> {
    std::fs::create_dir_all(&target.data_dir)
        .with_context(|| format!("the folder {} cannot be made", target.data_dir.display()))?;
    let database = Database::open(Options::new(target.database_url.clone()))
        .with_context(|| format!("{} cannot be opened", target.database_url))?;
    database.migrate()?;
    Ok(App::new(Parts {
        database,
        objects: Objects::in_folder(&target.data_dir.join("objects"))?,
        repositories: tenon_app::repository::Repositories::in_folder(&target.data_dir, None, &Limits::default())?,
        clock: Arc::new(StoppedClock),
        entropy: Arc::new(Repeatable::new(2)),
        vault: Vault::new(&key(&target.data_dir)?),
        base_url: "http://localhost".to_owned(),
        own_addresses: Vec::new(),
        ssh: tenon_app::SshAddress::default(),
        limits: Limits::default(),
        passwords: Passwords::default(),
        highlighter: None,
        mail: None,
        providers: Vec::new(),
        backups: None,
        crash_points: None,
    })?)
}

/// The server's key. It is made here if the server has not made it yet: as hexadecimal digits in `secret.key`.
fn key(data_dir: &Path) -> Result<[u8; KEY_LENGTH]> {
    use std::io::Write;
    use tenon_auth::{Entropy, SystemEntropy};

    let path = data_dir.join("secret.key");
    if !path.exists() {
        let mut fresh = [0; KEY_LENGTH];
        SystemEntropy.fill(&mut fresh);
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path)?.write_all(hex::encode(fresh).as_bytes())?;
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let bytes = hex::decode(text.trim()).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.with_context(|| format!("{} does not hold a key", path.display()))
}

fn refuse_used(database: &Database, url: &DatabaseUrl) -> Result<()> {
    let one = PageRequest::new(None, Some(1));
    let accounts =
        database.read(|tx| tenon_storage::user::list(tx, &UserFilter::default(), UserOrder::default(), false, one))?;
    ensure!(
        accounts.total <= 1,
        "{url} is in use: it has {} accounts. Only a database whose only account is root is filled.",
        accounts.total
    );
    Ok(())
}

fn make_token(database: &Database, user: UserId, secret: &str) -> Result<()> {
    let token = Token {
        id: TokenId::new(0),
        user,
        kind: TokenKind::Personal,
        name: "Measurements".to_owned(),
        description: None,
        scopes: Scopes::new([Scope::Api]),
        revoked: false,
        expires_at: None,
        ends_at: None,
        created_at: moment(0),
        last_used_at: None,
    };
    let digest = tenon_auth::digest(secret);
    let new = tenon_storage::token::NewToken { token: &token, digest: &digest, sealed_secret: None, grant: None };
    database.write(|tx| tenon_storage::token::insert(tx, &new))?;
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
