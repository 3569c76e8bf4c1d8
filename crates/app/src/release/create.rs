//! Making releases, and the tag if there is none yet.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::{MilestoneId, ProjectId};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::RELEASES;
use tenon_domain::refusal::ReleaseRefusal;
use tenon_domain::release::{self as rules, Release, ReleaseLink};
use tenon_domain::time::Timestamp;
use tenon_git::TagName;
use tenon_storage::{milestone, release};

use super::link::{NewLink, check, new_link, too_many};
use super::view::{ReleaseView, show};
use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::refs::ref_write::Writable;
use crate::repository::write::change_refs::{NewTag, TagCreation};
use crate::shared::hook_event::release_event::record_release;
use crate::shared::views::release_notes::refused;

/// A request for a new release.
#[derive(Debug, Clone, Default)]
pub struct NewRelease {
    /// The tag.
    pub tag_name: String,
    /// A branch, tag or commit, on which the tag is put if it is not there yet.
    pub from: Option<String>,
    /// The message of a new tag: then it is an annotated one.
    pub tag_message: Option<String>,
    /// The name of the release; that of the tag if absent.
    pub name: Option<String>,
    /// Markdown.
    pub description: Option<String>,
    /// From when on it is released; now if absent.
    pub released_at: Option<Timestamp>,
    /// Titles of milestones.
    pub milestones: Vec<String>,
    /// Links.
    pub links: Vec<NewLink>,
}

/// A valid release with its links and milestones.
struct Prepared {
    release: Release,
    links: Vec<ReleaseLink>,
    milestones: Vec<String>,
}

/// The state of a request after Git was asked.
enum Step {
    /// The tag was made, and the release with it.
    Recorded,
    /// The tag is there; the release is still to be stored.
    Pending(Box<Prepared>),
}

/// Makes a release. Its tag is made first if it is not there; a crash in between leaves a tag without a release.
pub async fn create(
    app: &App,
    identity: &Identity,
    project: Reference,
    request: NewRelease,
) -> Result<ReleaseView, AppError> {
    let writable = app.writable(identity, project.clone()).await?;
    let tag = NewTag {
        name: request.tag_name.clone(),
        from: request.from.clone().unwrap_or_default(),
        message: request.tag_message.clone(),
        release_description: None,
    };
    let name = request.tag_name.clone();
    let prepared = Prepared::new(app, &writable, request)?;
    // Whatever would refuse the release refuses it before there is a tag.
    let reference = project.clone();
    let prepared = app
        .read(identity, move |query| {
            query.project_part(&reference, ProjectAction::Push, &RELEASES)?;
            prepared.resolve(query).map(|_milestones| prepared)
        })
        .await?;
    let this = app.clone();
    if let Step::Pending(prepared) = app.on_git(move || this.tag_and_record(&writable, &tag, prepared)).await? {
        let project = project.clone();
        app.write(identity, move |command| {
            command.query().project_part(&project, ProjectAction::Push, &RELEASES)?;
            prepared.record(command)
        })
        .await?;
    }
    show(app, identity, project, name, false).await
}

impl App {
    fn tag_and_record(&self, writable: &Writable, tag: &NewTag, prepared: Prepared) -> Result<Step, AppError> {
        let name = TagName::parse(&tag.name).map_err(|_invalid| ReleaseRefusal::InvalidTag)?;
        if writable.has_tag(&name)? {
            return Ok(Step::Pending(Box::new(prepared)));
        }
        if tag.from.is_empty() {
            return Err(ReleaseRefusal::NoRef.into());
        }
        let mut recorded = Ok(());
        let also = |command: &mut Command<'_>| match prepared.record(command) {
            Err(fault) if fault.is_fault() => Err(fault),
            // The tag is there all the same, and what follows from it is recorded.
            outcome => {
                recorded = outcome;
                Ok(())
            }
        };
        match self.create_tag_now(writable, tag, also)? {
            TagCreation::Created => recorded.map(|()| Step::Recorded),
            TagCreation::AlreadyThere => Ok(Step::Pending(Box::new(prepared))),
        }
    }
}

impl Prepared {
    fn new(app: &App, writable: &Writable, request: NewRelease) -> Result<Self, AppError> {
        let now = app.now();
        let most = app.limits().releases.links;
        if request.links.len() > most {
            return Err(too_many(most));
        }
        let description = request.description.unwrap_or_default();
        let mut release = Release::new(writable.code.project.id, request.tag_name, description, now);
        release.rename(request.name.as_deref().unwrap_or_default());
        release.author = Some(writable.user.id);
        release.released_at = request.released_at.unwrap_or(now);
        let mut errors = FieldErrors::default();
        rules::check(&mut errors, &release);
        let mut links: Vec<ReleaseLink> = Vec::with_capacity(request.links.len());
        for link in request.links {
            let link = new_link(link, now);
            let mut wrong = FieldErrors::default();
            check(&mut wrong, &link, &links);
            for (field, messages) in wrong.iter() {
                for message in messages {
                    errors.add(&format!("links {field}"), message.clone());
                }
            }
            links.push(link);
        }
        errors.into_result().map_err(|errors| refused(&errors))?;
        Ok(Self { release, links, milestones: request.milestones })
    }

    /// The milestones that are meant. Fails if the release cannot be stored: there is one, or a milestone is missing.
    fn resolve(&self, query: &mut Query<'_>) -> Result<Vec<MilestoneId>, AppError> {
        let project = self.release.project;
        if release::find(&mut query.tx, project, &self.release.tag_name)?.is_some() {
            return Err(ReleaseRefusal::Exists.into());
        }
        milestones(query, project, &self.milestones)
    }

    /// Stores the release. Fails as [`Prepared::resolve`] does, before anything is written.
    fn record(&self, command: &mut Command<'_>) -> Result<(), AppError> {
        let milestones = self.resolve(&mut command.query())?;
        let (project, tag) = (self.release.project, &self.release.tag_name);
        release::insert(&mut command.tx, &self.release)?;
        release::insert_links(&mut command.tx, project, tag, &self.links)?;
        release::set_milestones(&mut command.tx, project, tag, &milestones)?;
        record_release(command, &self.release, "create")
    }
}

/// The milestones of these titles. Fails if a project has and inherits no milestone of one of them.
pub(super) fn milestones(
    query: &mut Query<'_>,
    project: ProjectId,
    titles: &[String],
) -> Result<Vec<MilestoneId>, AppError> {
    let most = query.app.limits().releases.milestones;
    if titles.len() > most {
        return Err(ReleaseRefusal::TooManyMilestones(most).into());
    }
    if titles.is_empty() {
        return Ok(Vec::new());
    }
    let found = milestone::usable_titled(&mut query.tx, project, titles)?;
    let is_missing = |title: &&String| found.iter().all(|milestone| milestone.title != **title);
    let missing: Vec<String> = titles.iter().filter(is_missing).cloned().collect();
    if !missing.is_empty() {
        return Err(ReleaseRefusal::MilestonesMissing(missing).into());
    }
    Ok(found.into_iter().map(|milestone| milestone.id).collect())
}
