//! Who reads and writes wikis.

use super::*;

fn check_roles(server: &TestServer, visibility: &str, strangers: u16) {
    let cast = Cast::of(server, visibility);
    let wiki = at(cast.project);
    let _ = page(&cast.owner, &wiki, "home", "c");
    let home = format!("{wiki}/home");
    assert_eq!((server.anonymous().get(&home).status(), cast.stranger.get(&home).status()), (strangers, strangers));
    for reader in [&cast.guest, &cast.reporter] {
        let _ = reader.get(&home).assert_status(200);
        reader.post(&wiki, json!({"title": "t", "content": "c"})).assert(403, forbidden());
        reader.put(&home, json!({"content": "d"})).assert(403, forbidden());
        reader.delete(&home).assert(403, forbidden());
    }
    server.anonymous().post(&wiki, json!({"title": "t", "content": "c"})).assert(401, unauthorized());
    let _ = page(&cast.developer, &wiki, "by developer", "c");
    cast.developer.delete(&home).assert(403, forbidden());
    let _ = cast.maintainer.delete(&home).assert_status(204);
}

#[both_databases]
fn roles_have_their_rights_in_a_private_project(server: &TestServer) {
    check_roles(server, "private", 404);
}

#[both_databases]
fn roles_have_their_rights_in_a_public_project(server: &TestServer) {
    check_roles(server, "public", 200);
}

#[both_databases]
fn a_wiki_that_is_switched_off_is_there_for_nobody(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let wiki = at(cast.project);
    let _ = page(&cast.owner, &wiki, "home", "c");
    let set = |level: &str| changed(&cast.owner, &cast.path(), json!({"wiki_access_level": level}));
    set("private");
    for outside in [&cast.stranger, &server.anonymous()] {
        outside.get(&format!("{wiki}/home")).assert(403, forbidden());
    }
    let _ = cast.guest.get(&format!("{wiki}/home")).assert_status(200);
    set("disabled");
    for (name, client) in cast.everybody() {
        for reply in [client.get(&wiki), client.post(&wiki, json!({"title": "t", "content": "c"}))] {
            assert_eq!(reply.status(), 403, "{name}");
        }
    }
    set("enabled");
    assert_eq!(slugs(&cast.stranger, &wiki), ["home"]);
}

#[both_databases]
fn an_archived_project_keeps_its_wiki_as_it_is(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let wiki = at(cast.project);
    let _ = page(&cast.owner, &wiki, "home", "c");
    let _ = cast.owner.post(&format!("{}/archive", cast.path()), json!({})).assert_status(200);
    let home = format!("{wiki}/home");
    for client in [&*cast.owner, &cast.admin] {
        let _ = client.get(&home).assert_status(200);
        client.post(&wiki, json!({"title": "t", "content": "c"})).assert(403, forbidden());
        client.put(&home, json!({"content": "d"})).assert(403, forbidden());
        client.delete(&home).assert(403, forbidden());
    }
}
