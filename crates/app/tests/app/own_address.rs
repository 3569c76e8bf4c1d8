//! The server calls itself for no one.

use tenon_app::error::AppError;
use tenon_app::hook::{self, HookChange, HookSource};
use tenon_app::identity::Identity;
use tenon_app::project::{self, CreateProject, ProjectSettings};
use tenon_app::service::{self, ServiceChange};
use tenon_app::{App, KEY_LENGTH, Parts, Reference, RootCredentials, first_start};
use tenon_domain::id::UserId;
use tenon_domain::patch::Patch;
use tenon_domain::service::{Definition, Property};

fn app(folder: &std::path::Path) -> App {
    let parts = Parts::in_folder(folder, "https://git.example.org", &[7; KEY_LENGTH]).expect("parts");
    let own_addresses = vec!["9.9.9.9".parse().expect("an address")];
    let app = App::new(Parts { own_addresses, ..parts }).expect("an application");
    first_start(&app, RootCredentials::default()).expect("an administrator");
    app
}

#[test]
fn hooks_and_imports_do_not_lead_back_to_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = app(folder.path());
    let root = Identity::user(UserId::new(1));
    let create = |name: &str, import_url: Option<&str>| {
        let settings = ProjectSettings { import_url: import_url.map(str::to_owned), ..ProjectSettings::default() };
        let request = CreateProject { name: Some(name.to_owned()), settings, ..CreateProject::default() };
        app.write_now(&root, |command| project::create(command, request))
    };
    let made = create("tool", None).expect("a project");
    let project = Reference::Path(made.brief.full_path);
    let of_project = HookSource::Project(project.clone());
    let add = |source: &HookSource, url: &str| {
        let change = HookChange { url: Some(url.to_owned()), ..HookChange::default() };
        app.write_now(&root, |command| hook::create(command, source, &change))
    };
    for url in
        ["https://git.example.org/x", "http://GIT.example.org.:9000/", "http://9.9.9.9/", "http://[::ffff:9.9.9.9]/"]
    {
        let refused = add(&of_project, url);
        assert!(matches!(refused, Err(AppError::Refused(_))), "{url}: {refused:?}");
        let refused = create("copy", Some(url));
        assert!(matches!(refused, Err(AppError::Invalid(_))), "{url}");
        let set = |slug: &str, name: &'static str, value: &str| {
            let definition = Definition::find(slug).expect("a kind");
            let recipients = ("recipients", Patch::Set(Property::Text("irc://irc.example.com/#a".to_owned())));
            let mut change = ServiceChange::default();
            change.properties.push((name, Patch::Set(Property::Text(value.to_owned()))));
            change.properties.extend((slug == "irker").then_some(recipients));
            app.write_now(&root, |command| service::save(command, &project, definition, change))
        };
        let host = url.split('/').nth(2).expect("a host").trim_end_matches(":9000");
        for refused in [set("slack", "webhook", url), set("irker", "server_host", host)] {
            assert!(matches!(refused, Err(AppError::Invalid(_))), "{url}: {refused:?}");
        }
        // Administrators may have the server call whom they want.
        assert!(add(&HookSource::Server, url).is_ok(), "{url}");
    }
    assert!(add(&of_project, "https://hooks.example.org/").is_ok());
}
