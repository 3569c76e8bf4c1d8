//! Messages of administrators to all users.

use chrono::{DateTime, Utc};
use tenon_app::broadcast_message::{self, BroadcastChange};
use tenon_app::identity::Guard;
use tenon_domain::broadcast_message::BroadcastType;
use tenon_domain::id::BroadcastMessageId;
use tenon_edge::error::ApiError;

use crate::dto::broadcast_message::BroadcastMessageDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Paging, choice, params};

pub(crate) fn routes(api: &mut Routes) {
    let guard = Guard::Administrator;
    api.tag("Broadcast messages")
        .get("/broadcast_messages", guard, list, "All messages to all users; administrators only.")
        .post("/broadcast_messages", guard, create, "Makes a message to all users; administrators only.")
        .get("/broadcast_messages/{id:int}", guard, show, "A message to all users; administrators only.")
        .put("/broadcast_messages/{id:int}", guard, edit, "Changes a message to all users; administrators only.")
        .delete("/broadcast_messages/{id:int}", guard, delete, "Removes a message to all users; administrators only.");
}

choice! {
    /// The place of a message on the page.
    pub(crate) enum Kind {
        /// On top of each page.
        Banner = "banner",
        /// Beside the page.
        Notification = "notification",
    }
}

choice! {
    /// The theme of a message, which is stored only.
    pub(crate) enum Theme {
        Indigo = "indigo",
        LightIndigo = "light-indigo",
        Blue = "blue",
        LightBlue = "light-blue",
        Green = "green",
        LightGreen = "light-green",
        Red = "red",
        LightRed = "light-red",
        Dark = "dark",
        Light = "light",
    }
}

params! {
    /// The optional parameters of a message.
    pub(crate) struct DetailParams {
        /// The moment from which the message is shown; now by default.
        starts_at: Option<DateTime<Utc>>,
        /// The moment until which the message is shown; in one hour by default.
        ends_at: Option<DateTime<Utc>>,
        /// The background colour, `#rgb` or `#rrggbb`.
        color: Option<String>,
        /// The colour of the text.
        font: Option<String>,
        /// The access levels of the target users. A message with such levels is stored only.
        target_access_levels: Option<Vec<i64>>,
        /// The paths of the target pages and projects, with `*` for any text; empty for all.
        target_path: Option<String>,
        /// The place of the message on the page.
        broadcast_type: Option<Kind>,
        /// True if users may dismiss the message; stored only.
        dismissable: Option<bool>,
        /// The theme; stored only.
        theme: Option<Theme>,
    }
}

params! {
    /// A new message.
    pub(crate) struct CreateParams {
        /// The text: one line of Markdown.
        message: String,
        details: DetailParams,
    }
}

params! {
    /// Changes of a message.
    pub(crate) struct EditParams {
        /// The text: one line of Markdown.
        message: Option<String>,
        details: DetailParams,
    }
}

impl Theme {
    const fn name(self) -> &'static str {
        match self {
            Self::Indigo => "indigo",
            Self::LightIndigo => "light-indigo",
            Self::Blue => "blue",
            Self::LightBlue => "light-blue",
            Self::Green => "green",
            Self::LightGreen => "light-green",
            Self::Red => "red",
            Self::LightRed => "light-red",
            Self::Dark => "dark",
            Self::Light => "light",
        }
    }
}

impl DetailParams {
    fn with(self, message: Option<String>) -> BroadcastChange {
        let kind = |kind| match kind {
            Kind::Banner => BroadcastType::Banner,
            Kind::Notification => BroadcastType::Notification,
        };
        BroadcastChange {
            message,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            color: self.color,
            font: self.font,
            target_access_levels: self.target_access_levels,
            target_path: self.target_path,
            kind: self.broadcast_type.map(kind),
            dismissable: self.dismissable,
            theme: self.theme.map(|theme| theme.name().to_owned()),
        }
    }
}

fn id(caller: &Caller) -> Result<BroadcastMessageId, ApiError> {
    caller.path_i64("id").map(BroadcastMessageId::new)
}

async fn list(Call { caller, params }: Call<Paging>) -> Result<Paged<BroadcastMessageDto>, ApiError> {
    let page = caller.read(move |query| broadcast_message::list(query, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<BroadcastMessageDto>, ApiError> {
    let id = id(&call)?;
    let found = call.read(move |query| broadcast_message::show(query, id)).await?;
    Ok(Json(found.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<BroadcastMessageDto>, ApiError> {
    let change = params.details.with(Some(params.message));
    let made = caller.write(move |command| broadcast_message::create(command, change)).await?;
    Ok(Created(made.into()))
}

async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<BroadcastMessageDto>, ApiError> {
    let (id, change) = (id(&caller)?, params.details.with(params.message));
    let stored = caller.write(move |command| broadcast_message::edit(command, id, change)).await?;
    Ok(Json(stored.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (id, since) = (id(&call)?, call.head().unmodified_since);
    call.write(move |command| broadcast_message::delete(command, id, since)).await?;
    Ok(NoContent)
}
