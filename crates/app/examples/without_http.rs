//! Another service that embeds Tenon without HTTP: it makes a project for its user, and lists what the public sees.

#![expect(clippy::print_stdout, reason = "its output is for the terminal")]

use tenon_app::identity::Identity;
use tenon_app::project::{self, CreateProject, ListProjects};
use tenon_app::{App, KEY_LENGTH, Parts, RootCredentials, first_start};
use tenon_domain::id::UserId;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let app = App::new(Parts::in_folder(folder.path(), "https://git.example.org", &[7; KEY_LENGTH])?)?;
    first_start(&app, RootCredentials::default())?;

    // The service has authenticated its user itself. The first account is the administrator.
    let root = Identity::user(UserId::new(1));
    let request = CreateProject { name: Some("Difference Engine".to_owned()), ..CreateProject::default() };
    let made = app.write_now(&root, |command| project::create(command, request))?;
    println!("made {}", made.brief.full_path);

    let public = app.read_now(&Identity::anonymous(), |query| project::list(query, ListProjects::default()))?;
    println!("{} projects are public", public.items.len());
    Ok(())
}
