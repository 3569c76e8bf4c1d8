//! The whole behaviour without HTTP, linked by another program: open a database, sign in with a token, make a project.

use std::sync::Arc;

use tenon_app::identity::{Credential, Guard, Identity};
use tenon_app::project::{self, CreateProject};
use tenon_app::repository::Repositories;
use tenon_app::{
    App, Database, Limits, Objects, Options, Parts, Passwords, RootCredentials, Secret, SystemClock, SystemEntropy,
    Vault, first_start,
};
use tenon_domain::token::ScopeRule;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("tenon-example-{}", std::process::id()));
    let outcome = run(&folder);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn run(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    let database = Database::open(Options::new(format!("sqlite:{}/tenon.db", folder.display()).parse()?))?;
    database.migrate()?;
    let app = App::new(Parts {
        database,
        objects: Objects::in_folder(&folder.join("objects"))?,
        repositories: Repositories::in_folder(folder, None, &Limits::default())?,
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        vault: Vault::new(&[0; tenon_app::KEY_LENGTH]),
        base_url: "https://git.example.org".to_owned(),
        limits: Limits::default(),
        passwords: Passwords::default(),
    })?;
    let token = "a-token-that-the-program-chose";
    let root = RootCredentials { password: None, token: Some(Secret::given(token)) };
    app.command(|command| first_start(command, root))?;
    let identity = Identity {
        credential: Some(Credential::Token(token.to_owned())),
        sudo: None,
        guard: Guard::SignedIn,
        scopes: ScopeRule::Api,
        reads: false,
    };
    let request = CreateProject { name: Some("Difference Engine".to_owned()), ..CreateProject::default() };
    let view = app.write_now(&identity, |command| project::create(command, request))?;
    assert_eq!(view.brief.full_path, "root/difference-engine");
    Ok(())
}
