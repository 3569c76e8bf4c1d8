//! The pages, as a browser without script sees them.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what goes wrong here is a failed test"
)]

mod access_request;
mod access_token;
mod address;
mod admin;
mod admin_mode;
mod administration;
mod application;
mod approval;
mod badge;
mod board;
mod broadcast_message;
mod browser;
mod browser_cache;
mod by_id;
mod choices;
mod code;
mod code_owners;
mod confirmation;
mod conflicts;
mod crawl;
mod dashboard;
mod deploy_token;
mod device;
mod discussion;
mod environment;
mod feature_flag;
mod feed;
mod file_change;
mod file_upload;
mod first_page;
mod focus;
mod forged;
mod fragment;
mod graph;
mod group;
mod group_settings;
mod help;
mod impersonation;
mod in_place;
mod invitation;
mod issue;
mod issue_branch;
mod kept;
mod label;
mod leading_back;
mod lfs;
mod merge_request;
mod milestone;
mod mirror;
mod oauth;
mod odd_names;
mod openid;
mod outside_pictures;
mod overview;
mod passkey;
mod password_reset;
mod pictures;
mod pipeline;
mod place;
mod preferences;
mod profile;
mod project;
mod project_settings;
mod proposal;
mod reading;
mod readme;
mod refs;
mod refused;
mod remark;
mod replay;
mod repository;
mod requests;
mod review;
mod search;
mod settings;
mod sign_in;
mod sign_up;
mod snippet;
mod stale;
mod strangers;
mod suggestion;
mod switch;
mod template;
mod two_factor;
mod upload;
mod user;
mod variable;
mod wiki;

// As the product has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use serde_json::json;
use tenon_testkit::{TestServer, User};

use crate::browser::Browser;

/// The password that an administrator gives to every user of [`member`].
const GIVEN: &str = "given by root";
/// The password of every user of [`member`].
const PASSWORD: &str = "correct horse";

/// A user whose password an administrator has replaced by [`GIVEN`]: it has to be changed.
fn expired(server: &TestServer, name: &str) -> User {
    let user = server.user(name);
    let _ = server.root().put(&format!("/users/{}", user.id), json!({"password": GIVEN})).assert_status(200);
    user
}

/// A user who can sign in on a page, and has chosen the password.
fn member(server: &TestServer, name: &str) -> User {
    let user = server.user_with(name, &json!({"password": GIVEN}));
    let browser = Browser::of(server);
    assert_eq!(browser.sign_in(name, GIVEN).location(), "/");
    let page = browser.get("/profile/password/new");
    let fields =
        [("user[current_password]", GIVEN), ("user[password]", PASSWORD), ("user[password_confirmation]", PASSWORD)];
    assert_eq!(page.submit(&browser, "/profile/password", &fields).location(), "/");
    browser.get("/").submit(&browser, "/users/sign_out", &[]);
    user
}
