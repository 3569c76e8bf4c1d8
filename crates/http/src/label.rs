//! Labels of projects and groups.

use tenon_app::ContainerReference;
use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::label::{self, CreateLabel, EditLabel, LabelReference, LabelView, ListLabels};
use tenon_domain::patch::Patch;
use tenon_domain::transition::Transition;
use tenon_edge::error::ApiError;

use crate::dto::label::LabelDto;
use crate::endpoint::{Call, Caller, Changed, Created, Json, NoContent, Paged, Routes};
use crate::params::{Paging, params};

/// The project or group of the labels.
type Subject = fn(&Caller) -> ContainerReference;

const CHANGES: [&str; 4] = ["new_name", "color", "description", "priority"];

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Labels");
    let of_project: Subject = |caller| ContainerReference::Project(Reference::parse(caller.path("id")));
    let of_group: Subject = |caller| ContainerReference::Group(Reference::parse(caller.path("id")));
    both(
        api,
        [
            "/projects/{id}/labels",
            "/projects/{id}/labels/{label_id}",
            "/projects/{id}/labels/{label_id}/subscribe",
            "/projects/{id}/labels/{label_id}/unsubscribe",
        ],
        of_project,
    );
    both(
        api,
        [
            "/groups/{id}/labels",
            "/groups/{id}/labels/{label_id}",
            "/groups/{id}/labels/{label_id}/subscribe",
            "/groups/{id}/labels/{label_id}/unsubscribe",
        ],
        of_group,
    );
    api.put(
        "/projects/{id}/labels/{label_id}/promote",
        Guard::SignedIn,
        promote,
        "Makes a project's label one of its group.",
    );
}

fn both(api: &mut Routes, [labels, one, subscribing, unsubscribing]: [&'static str; 4], of: Subject) {
    api.get(labels, Guard::SignedIn, move |call| list(call, of), "The labels that can be used there.")
        .post(labels, Guard::SignedIn, move |call| create(call, of), "Creates a label.")
        .put(labels, Guard::SignedIn, move |call| edit_named(call, of), "Changes a label by its name.")
        .delete(labels, Guard::SignedIn, move |call| delete_named(call, of), "Removes a label by its name.")
        .get(one, Guard::SignedIn, move |call| show(call, of), "One label, by id or name.")
        .put(one, Guard::SignedIn, move |call| edit(call, of), "Changes a label.")
        .delete(one, Guard::SignedIn, move |call| delete(call, of), "Removes a label.")
        .post(subscribing, Guard::SignedIn, move |call| subscribe(call, of), "Subscribes the caller to a label.")
        .post(
            unsubscribing,
            Guard::SignedIn,
            move |call| unsubscribe(call, of),
            "Unsubscribes the caller from a label.",
        );
}

params! {
    /// Filters of labels.
    pub(crate) struct ListParams {
        /// Part of the name.
        search: Option<String>,
        /// Include the labels of parent groups; yes by default.
        include_ancestor_groups: Option<bool>,
        /// Accepted and without effect.
        #[expect(dead_code, reason = "labels are always counted")]
        with_counts: Option<bool>,
        /// Only archived labels, or none of them.
        archived: Option<bool>,
        paging: Paging,
    }
}

params! {
    /// A new label.
    pub(crate) struct CreateParams {
        /// The name, without commas.
        name: String,
        /// `#rgb`, `#rrggbb` or a CSS name.
        color: String,
        /// The description.
        description: Option<String>,
        /// True if it is not offered for use.
        archived: Option<bool>,
        /// The priority among the labels of a project.
        priority: Option<i64>,
    }
}

params! {
    /// Changes to a label.
    pub(crate) struct ChangeParams {
        /// The new name.
        new_name: Option<String>,
        /// The colour.
        color: Option<String>,
        /// The description.
        description: Option<String>,
        /// True if it is no longer offered for use. It is still shown where it is.
        archived: Option<bool>,
        /// The priority among the labels of a project; empty for none.
        priority: Patch<i64>,
    }
    rules(reader) {
        // The message lists the older parameters only; the newer one is accepted too.
        if !reader.is_given("archived") {
            reader.at_least_one_of(&CHANGES);
        }
    }
}

params! {
    /// Changes to a label that is named in the request.
    pub(crate) struct EditNamedParams {
        /// Its name as it is, or its id.
        name | label_id: String,
        change: ChangeParams,
    }
}

params! {
    /// The name or id of a label.
    pub(crate) struct NameParams {
        /// Its name, or its id.
        name | label_id: String,
    }
}

impl From<ChangeParams> for EditLabel {
    fn from(params: ChangeParams) -> Self {
        Self {
            new_name: params.new_name,
            color: params.color,
            description: params.description,
            archived: params.archived,
            priority: params.priority,
        }
    }
}

fn in_path(caller: &Caller) -> LabelReference {
    LabelReference::parse(caller.path("label_id"))
}

async fn list(Call { caller, params }: Call<ListParams>, of: Subject) -> Result<Paged<LabelDto>, ApiError> {
    let of = of(&caller);
    let request = ListLabels {
        search: params.search.filter(|text| !text.is_empty()),
        only_own: params.include_ancestor_groups == Some(false),
        archived: params.archived,
        page: params.paging.into(),
    };
    let page = caller.read(move |query| label::list(query, &of, &request)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>, of: Subject) -> Result<Json<LabelDto>, ApiError> {
    let (of, label) = (of(&call), in_path(&call));
    let view = call.read(move |query| label::show(query, &of, &label)).await?;
    Ok(Json(view.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>, of: Subject) -> Result<Created<LabelDto>, ApiError> {
    let of = of(&caller);
    let request = CreateLabel {
        name: params.name,
        color: params.color,
        description: params.description,
        archived: params.archived.unwrap_or(false),
        priority: params.priority,
    };
    let view = caller.write(move |command| label::create(command, &of, request)).await?;
    Ok(Created(view.into()))
}

async fn edit(Call { caller, params }: Call<ChangeParams>, of: Subject) -> Result<Json<LabelDto>, ApiError> {
    let (of, label) = (of(&caller), in_path(&caller));
    let view = caller.write(move |command| label::edit(command, &of, &label, params.into())).await?;
    Ok(Json(view.into()))
}

async fn edit_named(Call { caller, params }: Call<EditNamedParams>, of: Subject) -> Result<Json<LabelDto>, ApiError> {
    let (of, label) = (of(&caller), LabelReference::parse(&params.name));
    let view = caller.write(move |command| label::edit(command, &of, &label, params.change.into())).await?;
    Ok(Json(view.into()))
}

async fn delete(call: Call<()>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, label) = (of(&call), in_path(&call));
    call.write(move |command| label::delete(command, &of, &label)).await?;
    Ok(NoContent)
}

async fn delete_named(Call { caller, params }: Call<NameParams>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, label) = (of(&caller), LabelReference::parse(&params.name));
    caller.write(move |command| label::delete(command, &of, &label)).await?;
    Ok(NoContent)
}

async fn promote(call: Call<()>) -> Result<Json<LabelDto>, ApiError> {
    let (project, label) = (Reference::parse(call.path("id")), in_path(&call));
    let view = call.write(move |command| label::promote(command, &project, &label)).await?;
    Ok(Json(view.into()))
}

async fn subscribe(call: Call<()>, of: Subject) -> Result<Changed<Created<LabelDto>>, ApiError> {
    let (of, label) = (of(&call), in_path(&call));
    Ok(changed(call.write(move |command| label::subscribe(command, &of, &label)).await?))
}

async fn unsubscribe(call: Call<()>, of: Subject) -> Result<Changed<Created<LabelDto>>, ApiError> {
    let (of, label) = (of(&call), in_path(&call));
    Ok(changed(call.write(move |command| label::unsubscribe(command, &of, &label)).await?))
}

fn changed(outcome: Transition<LabelView>) -> Changed<Created<LabelDto>> {
    match outcome {
        Transition::Moved(view) => Changed::Yes(Created(view.into())),
        Transition::Stayed(_) => Changed::No,
    }
}
