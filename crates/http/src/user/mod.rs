//! Users.

mod activity;
mod block;
mod change;
mod counts;
mod delete;
mod follow;
mod list;
mod membership;
mod picture;
mod preferences;
mod show;
mod status;

use tenon_app::identity::Guard;
use tenon_domain::token::ScopeRule;

use crate::avatar::BODY_LIMIT;
use crate::endpoint::Routes;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Users")
        .scope(ScopeRule::ReadUser)
        .body_limit(BODY_LIMIT)
        .get("/user", Guard::SignedIn, show::current, "The caller's own account.")
        .get("/users", Guard::Anyone, list::list, "Users; administrators see more of them.")
        .get("/users/{id:int}", Guard::Anyone, show::show, "One user.")
        .post("/users", Guard::SignedIn, change::create, "Creates a user; administrators only.")
        .put("/users/{id:int}", Guard::SignedIn, change::edit, "Changes a user; administrators only.")
        .delete("/users/{id:int}", Guard::SignedIn, delete::delete, "Removes a user; administrators only.")
        .post("/users/{id:int}/block", Guard::SignedIn, block::block, "Blocks a user; administrators only.")
        .post("/users/{id:int}/unblock", Guard::SignedIn, block::unblock, "Unblocks a user; administrators only.")
        .post(
            "/users/{id:int}/deactivate",
            Guard::SignedIn,
            block::deactivate,
            "Deactivates a user whose account was not used lately; administrators only.",
        )
        .post(
            "/users/{id:int}/activate",
            Guard::SignedIn,
            block::activate,
            "Activates a deactivated user; administrators only.",
        )
        .post("/users/{id:int}/ban", Guard::SignedIn, block::ban, "Bans an active user; administrators only.")
        .post("/users/{id:int}/unban", Guard::SignedIn, block::unban, "Lets a banned user in; administrators only.")
        .post(
            "/users/{id:int}/approve",
            Guard::SignedIn,
            block::approve,
            "Lets a user in who waits for approval; administrators only.",
        )
        .post(
            "/users/{id:int}/reject",
            Guard::SignedIn,
            block::reject,
            "Removes a user who waits for approval; administrators only.",
        )
        .get("/user/status", Guard::SignedIn, status::own, "The caller's status.")
        .get("/users/{username}/exists", Guard::SignedIn, show::exists, "True if a user has this name.")
        .put("/user/status", Guard::SignedIn, status::set, "Replaces the caller's status.")
        .patch("/user/status", Guard::SignedIn, status::change, "Changes parts of the caller's status.")
        .get("/users/{id_or_username}/status", Guard::Anyone, status::of_user, "A user's status.")
        .get(
            "/users/{id:int}/memberships",
            Guard::Administrator,
            membership::list,
            "What a user is a direct member of.",
        )
        .get(
            "/users/{id:int}/associations_count",
            Guard::SignedIn,
            counts::associations,
            "How much belongs to a user: to the caller or, for administrators, any.",
        )
        .post("/users/{id:int}/follow", Guard::SignedIn, follow::follow, "Follows a user.")
        .post("/users/{id:int}/unfollow", Guard::SignedIn, follow::unfollow, "Follows a user no more.")
        .get("/users/{id:int}/followers", Guard::SignedIn, follow::followers, "Who follows a user.")
        .get("/users/{id:int}/following", Guard::SignedIn, follow::followed, "Whom a user follows.")
        .get("/user/preferences", Guard::SignedIn, preferences::own, "How the caller wants pages to be shown.")
        .put(
            "/user/preferences",
            Guard::SignedIn,
            preferences::change,
            "Changes how the caller wants pages to be shown.",
        )
        .get("/user_counts", Guard::SignedIn, counts::workload, "How much waits for the caller.")
        .get("/user/activities", Guard::Administrator, activity::list, "The last activity of users.")
        .delete(
            "/users/{id:int}/identities/{provider}",
            Guard::SignedIn,
            delete::identity,
            "Forgets a user's account at a provider; administrators only.",
        )
        .tag("Avatars")
        .body_limit(BODY_LIMIT)
        .put("/user/avatar", Guard::SignedIn, picture::set_own, "Changes the caller's picture.")
        .get("/avatar", Guard::Anyone, picture::of_email, "The avatar of an e-mail address.");
}
