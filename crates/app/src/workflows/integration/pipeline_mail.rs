//! The mail about a pipeline that has ended.

use serde_json::Value;

use super::letter::Letter;
use super::message::text_at;

/// Failed jobs that a mail names.
const MAX_JOBS: usize = 20;

/// The letter about a pipeline; `None` if it goes on.
pub(super) fn letter(body: &Value) -> Option<Letter> {
    let at = |pointer| text_at(body, pointer);
    let state = match at("/object_attributes/status") {
        "failed" => "Failed",
        "success" => "Successful",
        _ => return None,
    };
    let (name, path) = (at("/object_attributes/ref"), at("/project/path_with_namespace"));
    let id = body.pointer("/object_attributes/id").and_then(Value::as_i64).unwrap_or_default();
    let short: String = at("/object_attributes/sha").chars().take(8).collect();
    let mut parts = vec![format!("{state} pipeline #{id} for {name}\n{}/-/pipelines/{id}", at("/project/web_url"))];
    if let Some(title) = at("/commit/message").lines().next() {
        parts.push(format!("Commit {short} by {}\n    {title}", at("/commit/author/name")));
    }
    let jobs = body.pointer("/builds").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let failed: Vec<String> = jobs
        .iter()
        .filter(|job| text_at(job, "/status") == "failed")
        .take(MAX_JOBS)
        .map(|job| format!("    {} ({})", text_at(job, "/name"), text_at(job, "/stage")))
        .collect();
    if !failed.is_empty() {
        parts.push(format!("Failed jobs:\n{}", failed.join("\n")));
    }
    Some(Letter {
        subject: format!("{} | {state} pipeline for {name} | {short}", at("/project/name")),
        text: format!("{}\n", parts.join("\n\n")),
        from_name: None,
        from_address: None,
        project: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pipeline_that_has_ended_is_written_about() {
        let body = |status: &str| {
            json!({
                "object_attributes": {"id": 5, "ref": "main", "sha": "0123456789", "status": status},
                "project": {"name": "Tool", "path_with_namespace": "a/tool", "web_url": "https://g.example/a/tool"},
                "commit": {"message": "First\n\nMore", "author": {"name": "Ada"}},
                "builds": [{"name": "test", "stage": "check", "status": "failed"}, {"name": "lint", "status": "success"}],
            })
        };
        let letter = letter(&body("failed")).unwrap();
        assert_eq!(letter.subject, "Tool | Failed pipeline for main | 01234567");
        assert!(letter.text.contains("    First\n") && letter.text.contains("    test (check)"), "{}", letter.text);
        assert!(super::letter(&body("running")).is_none());
    }
}
