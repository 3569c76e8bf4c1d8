//! The bodies of pipelines and jobs, which other programs report as statuses of commits.

use std::collections::HashMap;

use serde_json::{Value, json};
use tenon_domain::id::UserId;
use tenon_git::commit::Commit;

use super::payload::{Scene, hook_commit};
use super::push::ZERO;
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::pipeline::STAGE;
use crate::shared::hook_event::captured::{JobCapture, PipelineCapture};
use crate::shared::views::user_ref::UserRef;

/// The body of a pipeline.
pub(super) fn body(
    query: &mut Query<'_>,
    scene: &Scene,
    pipeline: &PipelineCapture,
    jobs: &[JobCapture],
    commit: Option<&Commit>,
) -> Result<Value, AppError> {
    let people = UserRef::of(query, jobs.iter().filter_map(|job| job.user.map(UserId::new)).collect())?;
    Ok(json!({
        "object_kind": "pipeline",
        "object_attributes": {
            "id": pipeline.id,
            "ref": pipeline.ref_name,
            "tag": pipeline.tag,
            "sha": pipeline.sha,
            "before_sha": ZERO,
            "source": STAGE,
            "status": pipeline.status,
            "detailed_status": pipeline.status,
            "stages": [STAGE],
            "created_at": pipeline.times.created_at,
            "finished_at": pipeline.times.finished_at,
            "duration": pipeline.times.duration,
            "variables": [],
            "url": scene.page(&format!("pipelines/{}", pipeline.id)),
        },
        "user": scene.user(),
        "project": scene.project_without_copies(),
        "commit": commit.map(|commit| hook_commit(scene, commit)),
        "builds": jobs.iter().map(|job| build(job, &people)).collect::<Vec<_>>(),
    }))
}

fn build(job: &JobCapture, people: &HashMap<UserId, UserRef>) -> Value {
    let user = job.user.and_then(|id| people.get(&UserId::new(id)));
    json!({
        "id": job.id,
        "stage": STAGE,
        "name": job.name,
        "status": job.status,
        "created_at": job.times.created_at,
        "started_at": job.times.started_at,
        "finished_at": job.times.finished_at,
        "duration": job.times.duration,
        "when": "on_success",
        "manual": false,
        "allow_failure": false,
        "user": user.map(|user| json!({
            "id": user.id.get(), "name": user.name, "username": user.username, "avatar_url": user.avatar_url,
        })),
        "runner": null,
        "artifacts_file": { "filename": null, "size": null },
    })
}

/// The body of a job. The part under `commit` describes its pipeline.
pub(super) fn job_body(scene: &Scene, pipeline: &PipelineCapture, job: &JobCapture, commit: Option<&Commit>) -> Value {
    let author = commit.map(|commit| &commit.author);
    json!({
        "object_kind": "build",
        "ref": pipeline.ref_name,
        "tag": pipeline.tag,
        "before_sha": ZERO,
        "sha": pipeline.sha,
        "build_id": job.id,
        "build_name": job.name,
        "build_stage": STAGE,
        "build_status": job.status,
        "build_created_at": job.times.created_at,
        "build_started_at": job.times.started_at,
        "build_finished_at": job.times.finished_at,
        "build_duration": job.times.duration,
        "build_allow_failure": false,
        // The program that ran it knows.
        "build_failure_reason": "unknown_failure",
        "pipeline_id": pipeline.id,
        "project_id": scene.project_id(),
        "project_name": scene.full_name(),
        "user": scene.user(),
        "commit": {
            "id": pipeline.id,
            "sha": pipeline.sha,
            "message": commit.map(|commit| commit.message.as_str()),
            "author_name": author.map(|author| author.name.as_str()),
            "author_email": author.map(|author| author.email.as_str()),
            "author_url": author.map(|author| format!("mailto:{}", author.email)),
            "status": pipeline.status,
            "duration": pipeline.times.duration,
            "started_at": pipeline.times.started_at,
            "finished_at": pipeline.times.finished_at,
        },
        "repository": scene.repository_of_push(),
    })
}
