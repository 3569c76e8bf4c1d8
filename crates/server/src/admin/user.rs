//! `tenon admin user`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use tenon_app::user::{self, CreateUser, ListUsers, Password};
use tenon_app::{App, PageRequest, Secret, SystemEntropy, two_factor};

use super::explained;
use crate::terminal::say;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create a user, and print the password if it was generated. It must be changed at the first sign-in.
    Create(Create),
    /// List all users: id, username, email, state, and `administrator` for administrators.
    List,
    /// Reset the password of a user. It must be changed at the next sign-in.
    ResetPassword(Reset),
    /// Disable two-factor authentication for a user who has lost their authenticator and recovery codes.
    DisableTwoFactor(DisableTwoFactor),
}

#[derive(Args)]
pub(crate) struct Create {
    /// Username
    #[arg(long)]
    username: String,
    /// Email address
    #[arg(long)]
    email: String,
    /// Full name [default: the username]
    #[arg(long)]
    name: Option<String>,
    /// Password, at least 8 characters [default: generated and printed]
    #[arg(long)]
    password: Option<String>,
    /// Make the user an administrator
    #[arg(long)]
    admin: bool,
}

#[derive(Args)]
pub(crate) struct Reset {
    /// Username
    #[arg(long)]
    username: String,
    /// Password, at least 8 characters [default: generated and printed]
    #[arg(long)]
    password: Option<String>,
}

#[derive(Args)]
pub(crate) struct DisableTwoFactor {
    /// Username
    #[arg(long)]
    username: String,
}

pub(super) fn run(command: Command, app: &App) -> anyhow::Result<ExitCode> {
    match command {
        Command::Create(arguments) => create(arguments, app)?,
        Command::List => list(app)?,
        Command::ResetPassword(arguments) => reset(arguments, app)?,
        Command::DisableTwoFactor(arguments) => disable_two_factor(&arguments, app)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn create(arguments: Create, app: &App) -> anyhow::Result<()> {
    let (password, generated) = password(arguments.password);
    let name = arguments.name.unwrap_or_else(|| arguments.username.clone());
    let new_password = app.new_password_now(Password::Given(Some(password.clone())))?;
    let request = CreateUser {
        admin: arguments.admin,
        must_change_password: true,
        ..CreateUser::new(arguments.username, name, arguments.email, new_password)
    };
    let created = app.administer(|command| user::create(command, request)).map_err(explained)?;
    say(&format!("Created user {} with id {}.", created.user.username, created.user.id));
    print_password(&password, generated);
    Ok(())
}

fn list(app: &App) -> anyhow::Result<()> {
    for number in 1.. {
        let page = PageRequest::new(Some(number), Some(PageRequest::MAX_PER_PAGE));
        let request = ListUsers { ascending: true, page, ..ListUsers::default() };
        let found = app.administer(|command| user::list(&mut command.query(), request)).map_err(explained)?;
        for view in &found.items {
            let user = &view.user;
            let role = if user.admin { "administrator" } else { "" };
            let line =
                format!("{:>6}  {:<24} {:<32} {:<8} {role}", user.id, user.username, user.email, user.state.as_str());
            say(line.trim_end());
        }
        if number >= found.total_pages() {
            break;
        }
    }
    Ok(())
}

fn reset(arguments: Reset, app: &App) -> anyhow::Result<()> {
    let (password, generated) = password(arguments.password);
    let new = app.new_password_now(Password::Given(Some(password.clone())))?;
    app.administer(|command| user::reset_password(command, &arguments.username, &new)).map_err(explained)?;
    say(&format!("Reset the password of {}. It must be changed at the next sign-in.", arguments.username));
    print_password(&password, generated);
    Ok(())
}

fn disable_two_factor(arguments: &DisableTwoFactor, app: &App) -> anyhow::Result<()> {
    let name = &arguments.username;
    let was_enabled = app.administer(|command| two_factor::disable_for(command, name)).map_err(explained)?;
    say(&if was_enabled {
        format!("Disabled two-factor authentication for {name}.")
    } else {
        format!("Two-factor authentication is not enabled for {name}.")
    });
    Ok(())
}

fn password(given: Option<String>) -> (Secret, bool) {
    match given {
        Some(text) => (Secret::given(text), false),
        None => (Secret::generate_typeable(&SystemEntropy), true),
    }
}

fn print_password(password: &Secret, generated: bool) {
    if generated {
        say(&format!("Password: {}", password.expose()));
    }
}
