//! Sets about what the caller wants mail from a group.

use tenon_app::ContainerReference;
use tenon_app::notification_setting::{self, NotificationChange};

use crate::context::group::GroupContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;

pub(super) async fn change(context: GroupContext) -> Result<Answer, PageError> {
    let group = context.path.clone();
    let change =
        NotificationChange { level: context.request.form().filled("", "level"), ..NotificationChange::default() };
    let written = context.request.write(move |command| {
        let of = Some(ContainerReference::Group(group.find(&mut command.query())?));
        notification_setting::change(command, &of, &change)
    });
    written.await?;
    Ok(Answer::done(&context.request.own(&context.path.address("")))
        .cookie(cookie::of_flash(Flash::NotificationLevelSaved)))
}
