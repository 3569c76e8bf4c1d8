//! Lists of commits that go on behind a commit.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

#[both_databases]
fn parts_go_on_where_they_began_whatever_is_pushed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for number in 0..5 {
        later(server);
        write(&alice, tool, "main", &format!("f{number}"), "x");
    }
    let commits = format!("{}/commits", at(tool));
    let ids = |reply: &Reply| texts(reply, "id");
    for query in ["", "&order_by=topo", "&ref_name=main~4..main", "&path=f1", "&with_stats=true", "&first_parent=true"]
    {
        let whole = ids(&alice.get(&format!("{commits}?per_page=100{query}")).assert_status(200));
        let mut found = Vec::new();
        let mut path = Some(format!("{commits}?pagination=keyset&per_page=2{query}"));
        while let Some(asked) = path {
            let part = alice.get(&asked).assert_status(200);
            assert!(part.header("x-total").is_empty() && part.header("x-page").is_empty(), "{asked}");
            found.extend(ids(&part));
            // Commits that are pushed in between are not in the list.
            later(server);
            write(&alice, tool, "main", &format!("later{}{}", found.len(), query.len()), "x");
            let link = part.header("link");
            let next = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
            assert_eq!(next.is_none(), link.is_empty(), "{link}");
            path = next.and_then(|url| url.split_once("/api/v4")).map(|(_, path)| path.to_owned());
            assert!(path.as_ref().is_none_or(|path| path.contains("page_token=")), "{path:?}");
        }
        assert_eq!(found, whole, "{query}");
    }
    let refused =
        "Keyset pagination is not available for this order. It is for: default and topo of one revision or range";
    alice.get(&format!("{commits}?pagination=keyset&all=true")).assert(405, parameter(refused));
    alice.get(&format!("{commits}?page_token=zz")).assert(400, parameter("page_token is invalid"));
    // Tokens that no list has given.
    let forged = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    for (text, status) in [
        ("default desc 9223372036854775807 main", 200),
        ("default desc -9223372036854775808 main", 200),
        ("default desc 9 ", 404),
        ("default desc 9 missing", 404),
        ("default desc 9 --all", 404),
        ("topo desc 9 main", 400),
        ("default desc 9", 400),
    ] {
        for filter in ["", "&path=f1"] {
            let _ = alice.get(&format!("{commits}?page_token={}{filter}", forged(text))).assert_status(status);
        }
    }
    let _ = alice.get(&format!("{commits}?path=f1&page=9223372036854775807")).assert_status(200);
    let empty = project(&alice, "empty", "public");
    assert_eq!(alice.get(&format!("{}/commits?pagination=keyset", at(empty))).assert_status(200).json(), json!([]));
}
