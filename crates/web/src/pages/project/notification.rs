//! Sets about what the caller wants mail from a project.

use tenon_app::ContainerReference;
use tenon_app::notification_setting::{self, NotificationChange};

use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;

pub(super) async fn change(context: ProjectContext) -> Result<Answer, PageError> {
    let of = Some(ContainerReference::Project(context.project()));
    let change =
        NotificationChange { level: context.request.form().filled("", "level"), ..NotificationChange::default() };
    context.request.write(move |command| notification_setting::change(command, &of, &change)).await?;
    Ok(context.done("").cookie(cookie::of_flash(Flash::NotificationLevelSaved)))
}
