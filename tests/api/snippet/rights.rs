//! Who reads and writes snippets.

use super::*;

#[both_databases]
fn a_snippet_of_a_user_is_changed_by_its_author_only(server: &TestServer) {
    let [alice, bob, out] = server.users(["alice", "bob", "out"]);
    let root = server.root();
    let _ = root.put(&format!("/users/{}", out.id), json!({"external": true})).assert_status(200);
    for (visibility, bobs, outs) in [("private", 404, 404), ("internal", 200, 404), ("public", 200, 200)] {
        let path = format!("/snippets/{}", id(&made(&alice, "/snippets", old("t", visibility))));
        for (client, status) in [(&*bob, bobs), (&*out, outs), (&root, 200)] {
            assert_eq!(client.get(&path).status(), status, "{visibility}");
            assert_eq!(client.get(&format!("{path}/raw")).status(), status, "{visibility}");
            client.put(&path, json!({"title": "x"})).assert(404, missing("Snippet"));
            client.delete(&path).assert(404, missing("Snippet"));
        }
        for reply in [server.anonymous().get(&path), server.anonymous().get("/snippets/public")] {
            reply.assert(401, unauthorized());
        }
        assert_eq!(changed(&root.header("Sudo", "alice"), &path, json!({"title": "x"}))["title"], "x");
    }
    out.post("/snippets", old("t", "private")).assert(403, forbidden());
}

/// The least role that reads a snippet of this visibility in a project of that one, as its place in the cast.
fn check_roles(server: &TestServer, project: &str, snippet: &str, readers: usize) {
    let cast = Cast::of(server, project);
    let path = format!("{}/snippets", cast.path());
    let one = format!("{path}/{}", id(&made(&cast.owner, &path, old("t", snippet))));
    for (place, (name, client)) in cast.everybody().into_iter().enumerate() {
        let reads = place >= readers;
        let sees = project == "public" || place > 0;
        let want = if reads { 200 } else { 404 };
        assert_eq!((client.get(&one).status(), client.get(&format!("{one}/raw")).status()), (want, want), "{name}");
        let all = client.get(&path);
        assert_eq!(all.status(), if sees { 200 } else { 404 }, "{name}");
        if sees {
            assert_eq!(texts(&all, "title").len(), usize::from(reads), "{name}");
        }
        let edits = if place >= 4 {
            200
        } else if reads {
            403
        } else {
            404
        };
        assert_eq!(client.put(&one, json!({"title": "t"})).status(), edits, "{name}");
        let removes = if place >= 4 { 412 } else { edits };
        let early = client.header("If-Unmodified-Since", "Mon, 02 Mar 2020 11:00:00 GMT");
        assert_eq!(early.delete(&one).status(), removes, "{name}");
        let makes = if place >= 2 {
            201
        } else if sees {
            403
        } else {
            404
        };
        assert_eq!(client.post(&path, old("of", "private")).status(), makes, "{name}");
        if makes == 201 {
            let own = format!("{path}/{}", ids(&client.get(&path))[0]);
            let _ = changed(client, &own, json!({"title": "mine"}));
            let _ = client.delete(&own).assert_status(204);
        }
    }
    server.anonymous().get(&one).assert(401, unauthorized());
}

#[both_databases]
fn a_private_snippet_of_a_public_project_is_for_members(server: &TestServer) {
    check_roles(server, "public", "private", 1);
}

#[both_databases]
fn a_public_snippet_of_a_public_project_is_for_everybody(server: &TestServer) {
    check_roles(server, "public", "public", 0);
}

#[both_databases]
fn a_public_snippet_of_a_private_project_is_for_members(server: &TestServer) {
    check_roles(server, "private", "public", 1);
}

#[both_databases]
fn snippets_that_are_switched_off_are_there_for_nobody(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = format!("{}/snippets", cast.path());
    let number = id(&made(&cast.owner, &path, old("t", "public")));
    let one = format!("{path}/{number}");
    let set = |level: &str| changed(&cast.owner, &cast.path(), json!({"snippets_access_level": level}));
    set("private");
    assert_eq!(listed(&cast.stranger, &path), [""; 0]);
    cast.stranger.get(&one).assert(404, json!({"message": "404 Not found"}));
    assert_eq!((listed(&cast.guest, &path), listed(&cast.stranger, "/snippets/public").len()), (vec!["t".into()], 0));
    let shown = set("disabled");
    assert_eq!((&shown["snippets_enabled"], &shown["snippets_access_level"]), (&json!(false), &json!("disabled")));
    for (name, client) in cast.everybody() {
        assert_eq!(listed(client, &path), [""; 0], "{name}");
        client.get(&one).assert(404, json!({"message": "404 Not found"}));
        client.get(&format!("{one}/raw")).assert(404, missing("Snippet"));
        client.post(&path, old("t", "public")).assert(403, forbidden());
        client.put(&one, json!({"title": "x"})).assert(404, missing("Snippet"));
        assert_eq!(client.get(&format!("/snippets/{number}")).status(), 404, "{name}");
        assert_eq!(listed(client, "/snippets/all"), [""; 0], "{name}");
    }
    let _ = changed(&cast.owner, &cast.path(), json!({"snippets_enabled": true}));
    assert_eq!(listed(&cast.stranger, &path), ["t"]);
}

#[both_databases]
fn an_archived_project_keeps_its_snippets_as_they_are(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let path = format!("{}/snippets", cast.path());
    let number = id(&made(&cast.owner, &path, old("t", "public")));
    let _ = cast.owner.post(&format!("{}/archive", cast.path()), json!({})).assert_status(200);
    for client in [&*cast.owner, &cast.admin] {
        let _ = client.get(&format!("{path}/{number}/raw")).assert_status(200);
        client.post(&path, old("t", "public")).assert(403, forbidden());
        client.put(&format!("{path}/{number}"), json!({"title": "x"})).assert(403, forbidden());
        client.delete(&format!("{path}/{number}")).assert(403, forbidden());
    }
    cast.owner.put(&format!("/snippets/{number}"), json!({"title": "x"})).assert(403, forbidden());
}

#[both_databases]
fn a_snippet_is_found_in_its_own_project_only(server: &TestServer) {
    let alice = server.user("alice");
    let [one, other] = ["one", "other"].map(|name| format!("/projects/{}/snippets", project(&alice, name, "public")));
    let number = id(&made(&alice, &one, old("t", "public")));
    let alone = id(&made(&alice, "/snippets", old("t", "public")));
    for number in [number, alone] {
        alice.get(&format!("{other}/{number}")).assert(404, json!({"message": "404 Not found"}));
        alice.put(&format!("{other}/{number}"), json!({"title": "x"})).assert(404, missing("Snippet"));
    }
    assert_eq!(alice.get(&format!("/snippets/{number}")).assert_status(200).json()["id"], number);
    alice.get("/projects/999999/snippets").assert(404, missing("Project"));
}

#[both_databases]
fn levels_that_administrators_keep_are_refused(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/snippets/{}", id(&made(&alice, "/snippets", old("t", "public"))));
    let _ = server.root().put("/application/settings", json!({"restricted_visibility_levels": ["public"]}));
    let refused = field("visibility_level", "public has been restricted by your administrator");
    alice.post("/snippets", old("t", "public")).assert(400, refused.clone());
    let _ = changed(&alice, &path, json!({"title": "x"}));
    let _ = changed(&alice, &path, json!({"visibility": "private"}));
    alice.put(&path, json!({"visibility": "public"})).assert(400, refused);
    let _ = made(&server.root(), "/snippets", old("t", "public"));
}
