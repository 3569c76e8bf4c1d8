//! New environments, which requests and first deployments make.

use tenon_domain::environment::{AutoStop, Environment, EnvironmentState, SLUG_RANDOM, Tier, plain_slug, random_slug};
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::id::{EnvironmentId, ProjectId};
use tenon_storage::environment::{self, EnvironmentFilter};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::quota::check_number;
use crate::shared::web_address::problem_of;

/// Random slugs that are tried until one is free.
const TRIES: usize = 8;

/// Makes an available environment of this name, as `filled` completes it.
pub(crate) fn make(
    command: &mut Command<'_>,
    project: ProjectId,
    name: String,
    filled: impl FnOnce(&mut Environment),
) -> Result<Environment, AppError> {
    let mut new = Environment {
        id: EnvironmentId::new(0),
        project,
        slug: String::new(),
        tier: Tier::guessed(&name),
        name,
        state: EnvironmentState::Available,
        external_url: None,
        description: None,
        auto_stop: AutoStop::Always,
        created_at: command.now,
        updated_at: command.now,
    };
    filled(&mut new);
    check(&new)?;
    if environment::find_named(&mut command.tx, project, &new.name)?.is_some() {
        return Err(AppError::invalid("name", TAKEN));
    }
    let count = environment::count(&mut command.tx, &EnvironmentFilter::of(project))?;
    check_number(count, command.app.limits().contents.environments, "A project", "environments")?;
    new.slug = free_slug(command, &new)?;
    new.id = environment::insert(&mut command.tx, &new)?;
    Ok(new)
}

/// Refuses an environment whose fields are wrong.
pub(crate) fn check(environment: &Environment) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    environment.check(&mut errors);
    if let Some(address) = &environment.external_url
        && let Some(problem) = problem_of(address, address)
    {
        errors.add("external_url", problem);
    }
    Ok(errors.into_result()?)
}

/// The slug of a new environment: its name if that is one, and no other environment has it.
fn free_slug(command: &mut Command<'_>, new: &Environment) -> Result<String, AppError> {
    let plain = plain_slug(&new.name);
    if plain == new.name && !environment::has_slug(&mut command.tx, new.project, &plain)? {
        return Ok(plain);
    }
    for _ in 0..TRIES {
        let mut random = [0_u8; SLUG_RANDOM];
        command.app.entropy().fill(&mut random);
        let slug = random_slug(&plain, random);
        if !environment::has_slug(&mut command.tx, new.project, &slug)? {
            return Ok(slug);
        }
    }
    Err(AppError::invalid("slug", TAKEN))
}
