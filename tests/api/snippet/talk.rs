//! Comments on snippets, discussions, and reactions.

use super::*;

/// A public snippet of a public project's owner.
fn place(server: &TestServer) -> (Cast, String) {
    let cast = Cast::of(server, "public");
    let path = format!("{}/snippets", cast.path());
    let one = format!("{path}/{}", id(&made(&cast.owner, &path, old("t", "public"))));
    (cast, one)
}

#[both_databases]
fn a_discussion_is_begun_answered_changed_and_shortened(server: &TestServer) {
    let (cast, one) = place(server);
    let all = format!("{one}/discussions");
    let begun = made(&cast.owner, &all, json!({"body": "first"}));
    assert_eq!((&begun["individual_note"], begun["notes"].as_array().map(Vec::len)), (&json!(false), Some(1)));
    let note = &begun["notes"][0];
    let number: i64 = one.rsplit('/').next().and_then(|id| id.parse().ok()).expect("an id");
    assert_eq!((&note["noteable_type"], &note["noteable_id"]), (&json!("Snippet"), &json!(number)));
    assert_eq!((&note["noteable_iid"], &note["resolvable"]), (&Value::Null, &json!(false)));
    assert_eq!((&note["type"], &note["project_id"]), (&json!("DiscussionNote"), &json!(cast.project)));
    let thread = format!("{all}/{}", begun["id"].as_str().expect("an id"));
    let reply = made(&cast.stranger, &format!("{thread}/notes"), json!({"body": "second"}));
    let path = format!("{thread}/notes/{}", id(&reply));
    assert_eq!(cast.owner.get(&path).assert_status(200).json(), reply);
    server.advance(TimeDelta::minutes(1));
    assert_eq!(changed(&cast.stranger, &path, json!({"body": "edited"}))["body"], "edited");
    let seen = cast.guest.get(&thread).assert_status(200).json();
    assert_eq!(seen["notes"][1]["body"], "edited");
    cast.guest.put(&path, json!({"body": "x"})).assert(403, forbidden());
    cast.guest.delete(&path).assert(403, forbidden());
    let _ = cast.maintainer.delete(&path).assert_status(204);
    assert_eq!(cast.owner.get(&thread).json()["notes"].as_array().map(Vec::len), Some(1));
    assert_eq!(cast.owner.get(&all).json().as_array().map(Vec::len), Some(1));
    cast.owner.get(&format!("{all}/none")).assert(404, missing("Discussion"));
    cast.owner.get(&path).assert(404, json!({"message": "404 Not found"}));
}

#[both_databases]
fn comments_are_listed_and_take_no_replies(server: &TestServer) {
    let (cast, one) = place(server);
    let path = format!("{one}/notes");
    let first = made(&cast.owner, &path, json!({"body": "first"}));
    server.advance(TimeDelta::seconds(1));
    let second = made(&cast.guest, &path, json!({"body": "/close"}));
    assert_eq!((&first["type"], &second["body"]), (&Value::Null, &json!("/close")));
    assert_eq!(ids(&cast.owner.get(&path)), [id(&second), id(&first)]);
    assert_eq!(ids(&cast.owner.get(&format!("{path}?sort=asc&per_page=1"))), [id(&first)]);
    server.advance(TimeDelta::seconds(1));
    let _ = changed(&cast.owner, &format!("{path}/{}", id(&first)), json!({"body": "later"}));
    assert_eq!(ids(&cast.owner.get(&format!("{path}?order_by=updated_at"))), [id(&first), id(&second)]);
    let thread = cast.owner.get(&format!("{one}/discussions")).json()[0].clone();
    assert_eq!(thread["individual_note"], true);
    let reply = format!("{one}/discussions/{}/notes", thread["id"].as_str().expect("an id"));
    assert_eq!(cast.owner.post(&reply, json!({"body": "x"})).status(), 400);
    cast.owner.post(&path, json!({})).assert(400, parameter("body is missing"));
    assert_eq!(cast.owner.post(&path, json!({"body": " "})).status(), 400);
    let _ = cast.guest.delete(&format!("{path}/{}", id(&second))).assert_status(204);
    let _ = cast.owner.delete(&one).assert_status(204);
    cast.owner.get(&path).assert(404, json!({"message": "404 Not found"}));
}

#[both_databases]
fn who_does_not_read_a_snippet_does_not_comment_on_it(server: &TestServer) {
    let (cast, one) = place(server);
    let note = format!("{one}/notes/{}", id(&made(&cast.owner, &format!("{one}/notes"), json!({"body": "b"}))));
    let _ = changed(&cast.owner, &one, json!({"visibility": "private"}));
    let hidden = json!({"message": "404 Not found"});
    for path in [format!("{one}/notes"), format!("{one}/discussions"), format!("{one}/award_emoji"), note.clone()] {
        cast.stranger.get(&path).assert(404, hidden.clone());
        server.anonymous().get(&path).assert(401, unauthorized());
        let _ = cast.guest.get(&path).assert_status(200);
    }
    cast.stranger.post(&format!("{one}/notes"), json!({"body": "x"})).assert(404, hidden.clone());
    cast.stranger.post(&format!("{one}/award_emoji"), json!({"name": "tada"})).assert(404, hidden.clone());
    let _ = made(&cast.guest, &format!("{one}/notes"), json!({"body": "b"}));
    let _ = cast.owner.post(&format!("{}/archive", cast.path()), json!({})).assert_status(200);
    cast.owner.post(&format!("{one}/notes"), json!({"body": "x"})).assert(403, forbidden());
    cast.owner.put(&note, json!({"body": "x"})).assert(403, forbidden());
    cast.owner.delete(&note).assert(403, forbidden());
    cast.owner.post(&format!("{one}/award_emoji"), json!({"name": "tada"})).assert(404, missing("Award Emoji"));
    // A snippet of a user alone has no comments.
    let alone = id(&made(&cast.owner, "/snippets", old("t", "public")));
    cast.owner.get(&format!("{}/snippets/{alone}/notes", cast.path())).assert(404, hidden);
}

#[both_databases]
fn a_snippet_and_its_comments_get_reactions(server: &TestServer) {
    let (cast, one) = place(server);
    let note = id(&made(&cast.owner, &format!("{one}/notes"), json!({"body": "b"})));
    for (path, kind) in [(format!("{one}/award_emoji"), "Snippet"), (format!("{one}/notes/{note}/award_emoji"), "Note")]
    {
        let given = made(&cast.stranger, &path, json!({"name": "tada"}));
        assert_eq!((&given["name"], &given["awardable_type"]), (&json!("tada"), &json!(kind)));
        let award = format!("{path}/{}", id(&given));
        assert_eq!(cast.owner.get(&award).assert_status(200).json(), given);
        assert_eq!(ids(&cast.owner.get(&path)), [id(&given)]);
        assert_eq!(cast.stranger.post(&path, json!({"name": "tada"})).status(), 404);
        assert_eq!(cast.stranger.post(&path, json!({"name": "none-such"})).status(), 404);
        cast.owner.delete(&award).assert(401, unauthorized());
        let _ = cast.stranger.delete(&award).assert_status(204);
        cast.stranger.delete(&award).assert(404, json!({"message": "404 Not found"}));
    }
}

#[both_databases]
fn comments_of_a_removed_account_stay_and_reactions_go(server: &TestServer) {
    let (cast, one) = place(server);
    let _ = made(&cast.guest, &format!("{one}/notes"), json!({"body": "b"}));
    let _ = made(&cast.guest, &format!("{one}/award_emoji"), json!({"name": "tada"}));
    let _ = made(&cast.reporter, &format!("{one}/notes"), json!({"body": "gone"}));
    let _ = cast.admin.delete(&format!("/users/{}", cast.guest.id)).assert_status(204);
    let _ = cast.admin.delete(&format!("/users/{}?hard_delete=true", cast.reporter.id)).assert_status(204);
    server.run_jobs();
    let notes = cast.owner.get(&format!("{one}/notes")).json();
    assert_eq!(notes.as_array().map(Vec::len), Some(1), "{notes}");
    assert_ne!(notes[0]["author"]["username"], "guest");
    assert_eq!(ids(&cast.owner.get(&format!("{one}/award_emoji"))), [0; 0]);
}

#[both_databases]
fn a_snippet_has_so_many_comments_and_reactions(server: &TestServer) {
    let mut limits = tenon_app::Limits::without_rates();
    limits.contents.notes = 1;
    limits.contents.reactions = 1;
    let server = &TestServer::beside_with(server, limits);
    let (cast, one) = place(server);
    let _ = made(&cast.owner, &format!("{one}/notes"), json!({"body": "b"}));
    let many = field("base", "A snippet has at most 1 comments");
    cast.owner.post(&format!("{one}/discussions"), json!({"body": "b"})).assert(400, many);
    let _ = made(&cast.owner, &format!("{one}/award_emoji"), json!({"name": "tada"}));
    assert_eq!(cast.owner.post(&format!("{one}/award_emoji"), json!({"name": "heart"})).status(), 400);
}
