//! Snippets of users and of projects.

mod talk;

use chrono::{DateTime, Utc};
use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::snippet::{
    self, EditSnippet, FilesChange, ListSnippets, MAX_BODY, NewSnippet, SnippetReference, SnippetSet,
};
use tenon_domain::id::SnippetId;
use tenon_domain::patch::Patch;
use tenon_domain::snippet::{FileChange, SnippetFile};
use tenon_domain::visibility::Visibility;
use tenon_edge::error::ApiError;

use crate::download::PlainText;
use crate::dto::issue::SenderDto;
use crate::dto::snippet::SnippetDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::issuable::sender;
use crate::params::{Each, Paging, Reader, choice, params};

/// The project of the snippets; `None` for those of users alone.
type Home = fn(&Caller) -> Option<Reference>;

/// The paths of one snippet, and what is below it.
struct Paths {
    one: &'static str,
    raw: &'static str,
    file: &'static str,
    sender: &'static str,
}

pub(crate) fn routes(api: &mut Routes) {
    let of_user: Home = |_caller| None;
    let of_project: Home = |caller| Some(Reference::parse(caller.path("id")));
    api.tag("Snippets")
        .get(
            "/snippets",
            Guard::SignedIn,
            |call| list(call, SnippetSet::Of),
            "The caller's snippets, also those in projects.",
        )
        .get("/snippets/public", Guard::SignedIn, |call| list(call, |_user| SnippetSet::Public), "All public snippets.")
        .get(
            "/snippets/all",
            Guard::SignedIn,
            |call| list(call, |_user| SnippetSet::All),
            "All snippets; without administrators' rights the public ones and the caller's own.",
        );
    one(
        api,
        &Paths {
            one: "/snippets/{snippet_id}",
            raw: "/snippets/{snippet_id}/raw",
            file: "/snippets/{snippet_id}/files/{version}/{path}/raw",
            sender: "/snippets/{snippet_id}/user_agent_detail",
        },
        of_user,
    );
    api.tag("Project snippets").get(
        "/projects/{id}/snippets",
        Guard::SignedIn,
        of_one_project,
        "The snippets of a project.",
    );
    one(
        api,
        &Paths {
            one: "/projects/{id}/snippets/{snippet_id}",
            raw: "/projects/{id}/snippets/{snippet_id}/raw",
            file: "/projects/{id}/snippets/{snippet_id}/files/{version}/{path}/raw",
            sender: "/projects/{id}/snippets/{snippet_id}/user_agent_detail",
        },
        of_project,
    );
    talk::routes(api);
    api.tag("Snippets")
        .body_limit(MAX_BODY)
        .post("/snippets", Guard::SignedIn, create, "Makes a snippet of the caller alone.")
        .put("/snippets/{snippet_id}", Guard::SignedIn, edit, "Changes a snippet of the caller.");
    api.tag("Project snippets")
        .body_limit(MAX_BODY)
        .post("/projects/{id}/snippets", Guard::SignedIn, create_in_project, "Makes a snippet in a project.")
        .put(
            "/projects/{id}/snippets/{snippet_id}",
            Guard::SignedIn,
            edit_in_project,
            "Changes a snippet of a project.",
        );
}

fn one(api: &mut Routes, paths: &Paths, of: Home) {
    api.get(paths.one, Guard::SignedIn, move |call| show(call, of), "A snippet, without its texts.")
        .get(paths.raw, Guard::SignedIn, move |call| raw(call, of), "The text of the first file of a snippet.")
        .get(paths.file, Guard::SignedIn, move |call| raw_file(call, of), "The text of a file of a snippet.")
        .get(paths.sender, Guard::Administrator, move |call| from_where(call, of), "From where a snippet was sent.")
        .delete(paths.one, Guard::SignedIn, move |call| delete(call, of), "Removes a snippet.");
}

choice! {
    /// A kind of change of a file.
    pub(crate) enum ActionKind {
        /// Create the file.
        Create = "create",
        /// Change the text.
        Update = "update",
        /// Delete the file.
        Delete = "delete",
        /// Give it another path.
        Move = "move",
    }
}

params! {
    /// Filters of snippets.
    pub(crate) struct ListParams {
        /// Made at or after this moment.
        created_after: Option<DateTime<Utc>>,
        /// Made at or before this moment.
        created_before: Option<DateTime<Utc>>,
        paging: Paging,
    }
}

params! {
    /// A file of a new snippet.
    pub(crate) struct FileParams {
        /// Its path; one is found if it is empty.
        file_path: String,
        /// Its text.
        content: String,
    }
}

params! {
    /// A change of a file.
    pub(crate) struct ChangeParams {
        /// The kind of change.
        action: ActionKind,
        /// The path of the file; for a move, the new one.
        file_path: Option<String>,
        /// The previous path, for a move.
        previous_path: Option<String>,
        /// The text.
        content: Option<String>,
    }
    rules(reader) {
        match action {
            Some(ActionKind::Create) => needs(reader, &["content"]),
            Some(ActionKind::Update) => needs(reader, &["file_path", "content"]),
            Some(ActionKind::Delete) => needs(reader, &["file_path"]),
            Some(ActionKind::Move) => needs(reader, &["previous_path"]),
            None => {}
        }
    }
}

params! {
    /// A new snippet.
    pub(crate) struct CreateParams {
        /// The title.
        title: String,
        /// The name of the only file; required without `files`. One is found if it is empty.
        file_name: Option<String>,
        /// The text of the only file; required without `files`.
        content | code: Option<String>,
        /// The files, up to 10.
        files: Option<Each<FileParams>>,
        /// Markdown.
        description: Option<String>,
        /// Who may read it; `internal` by default.
        visibility: Option<Visibility>,
    }
    rules(reader) { one_form(reader, "content"); }
}

params! {
    /// A new snippet of a project.
    pub(crate) struct CreateInProjectParams {
        /// The title.
        title: String,
        /// The name of the only file; required without `files`. One is found if it is empty.
        file_name: Option<String>,
        /// The text of the only file; required without `files`. Also called `content`.
        code | content: Option<String>,
        /// The files, up to 10.
        files: Option<Each<FileParams>>,
        /// Markdown.
        description: Option<String>,
        /// Who may read it, of those who see the project.
        visibility: Visibility,
    }
    rules(reader) {
        filled(reader, code.as_ref().and_then(Option::as_deref));
        one_form(reader, "code");
    }
}

params! {
    /// Changes of a snippet.
    pub(crate) struct EditParams {
        /// The title.
        title: Option<String>,
        /// The name of the first file.
        file_name: Option<String>,
        /// The text of the only file.
        content | code: Option<String>,
        /// Changes of files, in order.
        files: Option<Each<ChangeParams>>,
        /// Markdown; null for none.
        description: Patch<String>,
        /// Who may read it.
        visibility: Option<Visibility>,
    }
    rules(reader) {
        no_two_forms(reader);
        something(reader, &["title", "file_name", "content", "visibility"]);
    }
}

params! {
    /// Changes of a snippet of a project.
    pub(crate) struct EditInProjectParams {
        /// The title.
        title: Option<String>,
        /// The name of the first file.
        file_name: Option<String>,
        /// The text of the only file. Also called `content`.
        code | content: Option<String>,
        /// Changes of files, in order.
        files: Option<Each<ChangeParams>>,
        /// Markdown; null for none.
        description: Patch<String>,
        /// Who may read it, of those who see the project.
        visibility: Option<Visibility>,
    }
    rules(reader) {
        filled(reader, code.as_ref().and_then(Option::as_deref));
        no_two_forms(reader);
        something(reader, &["title", "file_name", "code", "visibility_level"]);
    }
}

fn needs(reader: &mut Reader<'_>, names: &[&'static str]) {
    for name in names {
        if !reader.is_given(name) {
            reader.complain(name, "is missing");
        }
    }
}

/// In a project a blank text is a problem of the parameter, as older clients know it.
fn filled(reader: &mut Reader<'_>, code: Option<&str>) {
    if code.is_some_and(|text| text.trim().is_empty()) {
        reader.complain("code", "is empty");
    }
}

fn no_two_forms(reader: &mut Reader<'_>) {
    for name in ["content", "code", "file_name"] {
        reader.mutually_exclusive(&["files", name]);
    }
}

/// A new snippet has one file with a name and a text, called `text`, or a list of files.
fn one_form(reader: &mut Reader<'_>, text: &'static str) {
    if reader.is_given("files") {
        return no_two_forms(reader);
    }
    needs(reader, &["file_name"]);
    if !reader.is_given("content") && !reader.is_given("code") {
        reader.complain(text, "is missing");
    }
}

/// A change changes something; `named` are the parameters that the refusal names.
fn something(reader: &mut Reader<'_>, named: &[&'static str]) {
    let known = ["title", "file_name", "content", "code", "files", "description", "visibility"];
    if !known.iter().any(|name| reader.is_given(name)) {
        reader.at_least_one_of(named);
    }
}

fn reference(caller: &Caller, of: Home) -> Result<SnippetReference, ApiError> {
    Ok(SnippetReference { project: of(caller), id: SnippetId::new(caller.path_i64("snippet_id")?) })
}

async fn list(
    Call { caller, params }: Call<ListParams>,
    set: fn(tenon_domain::id::UserId) -> SnippetSet,
) -> Result<Paged<SnippetDto>, ApiError> {
    let page = caller
        .read(move |query| {
            let set = set(query.user()?.id);
            snippet::list(query, request(params, set))
        })
        .await?;
    Ok(Paged(page.map(Into::into)))
}

fn request(params: ListParams, set: SnippetSet) -> ListSnippets {
    let ListParams { created_after, created_before, paging } = params;
    ListSnippets { set, created_after, created_before, page: paging.into() }
}

async fn of_one_project(Call { caller, params }: Call<ListParams>) -> Result<Paged<SnippetDto>, ApiError> {
    let project = Reference::parse(caller.path("id"));
    let request = request(params, SnippetSet::All);
    let page = caller.read(move |query| snippet::of_project(query, &project, request)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>, of: Home) -> Result<Json<SnippetDto>, ApiError> {
    let of = reference(&call, of)?;
    Ok(Json(call.read(move |query| snippet::show(query, &of)).await?.into()))
}

async fn raw(call: Call<()>, of: Home) -> Result<PlainText, ApiError> {
    let of = reference(&call, of)?;
    let file = call.read(move |query| snippet::file(query, &of, None)).await?;
    Ok(PlainText { name: name(&file), text: file.content })
}

/// A snippet has one version of its files, which is called by any name.
async fn raw_file(call: Call<()>, of: Home) -> Result<PlainText, ApiError> {
    let (of, path) = (reference(&call, of)?, call.path("path").to_owned());
    let file = call.read(move |query| snippet::file(query, &of, Some(&path))).await?;
    Ok(PlainText { name: name(&file), text: file.content })
}

fn name(file: &SnippetFile) -> String {
    file.path.rsplit('/').next().unwrap_or_default().to_owned()
}

async fn from_where(call: Call<()>, of: Home) -> Result<Json<SenderDto>, ApiError> {
    let of = reference(&call, of)?;
    Ok(Json(call.read(move |query| snippet::sender(query, &of)).await?.into()))
}

/// The files of a new snippet.
fn files(files: Option<Each<FileParams>>, name: Option<String>, content: Option<String>) -> Vec<SnippetFile> {
    match files {
        Some(Each(files)) => {
            files.into_iter().map(|file| SnippetFile { path: file.file_path, content: file.content }).collect()
        }
        None => vec![SnippetFile { path: name.unwrap_or_default(), content: content.unwrap_or_default() }],
    }
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<SnippetDto>, ApiError> {
    let request = NewSnippet {
        title: params.title,
        description: params.description,
        visibility: params.visibility.unwrap_or(Visibility::Internal),
        files: files(params.files, params.file_name, params.content),
        sender: sender(&caller),
    };
    let made = caller.write(move |command| snippet::create(command, None, request)).await?;
    Ok(Created(made.into()))
}

async fn create_in_project(
    Call { caller, params }: Call<CreateInProjectParams>,
) -> Result<Created<SnippetDto>, ApiError> {
    let project = Reference::parse(caller.path("id"));
    let request = NewSnippet {
        title: params.title,
        description: params.description,
        visibility: params.visibility,
        files: files(params.files, params.file_name, params.code),
        sender: sender(&caller),
    };
    let made = caller.write(move |command| snippet::create(command, Some(&project), request)).await?;
    Ok(Created(made.into()))
}

impl From<ChangeParams> for FileChange {
    fn from(params: ChangeParams) -> Self {
        let path = params.file_path.unwrap_or_default();
        match params.action {
            ActionKind::Create => Self::Create(SnippetFile { path, content: params.content.unwrap_or_default() }),
            ActionKind::Update => Self::Update(SnippetFile { path, content: params.content.unwrap_or_default() }),
            ActionKind::Delete => Self::Delete(path),
            ActionKind::Move => {
                Self::Move { from: params.previous_path.unwrap_or_default(), to: path, content: params.content }
            }
        }
    }
}

fn changes(files: Option<Each<ChangeParams>>, name: Option<String>, content: Option<String>) -> FilesChange {
    match files {
        Some(Each(changes)) => FilesChange::Each(changes.into_iter().map(Into::into).collect()),
        None => FilesChange::Only { name, content },
    }
}

async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<SnippetDto>, ApiError> {
    let of = reference(&caller, |_caller| None)?;
    let request = EditSnippet {
        title: params.title,
        description: params.description,
        visibility: params.visibility,
        files: changes(params.files, params.file_name, params.content),
        seen: None,
    };
    Ok(Json(caller.write(move |command| snippet::edit(command, &of, request)).await?.into()))
}

async fn edit_in_project(Call { caller, params }: Call<EditInProjectParams>) -> Result<Json<SnippetDto>, ApiError> {
    let of = reference(&caller, |caller| Some(Reference::parse(caller.path("id"))))?;
    let request = EditSnippet {
        title: params.title,
        description: params.description,
        visibility: params.visibility,
        files: changes(params.files, params.file_name, params.code),
        seen: None,
    };
    Ok(Json(caller.write(move |command| snippet::edit(command, &of, request)).await?.into()))
}

async fn delete(call: Call<()>, of: Home) -> Result<NoContent, ApiError> {
    let (of, since) = (reference(&call, of)?, call.head().unmodified_since);
    call.write(move |command| snippet::delete(command, &of, since)).await?;
    Ok(NoContent)
}
