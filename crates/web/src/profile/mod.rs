//! The pages about one's own account.

mod account;
mod active_session;
mod email;
mod gpg_key;
mod notification;
mod password;
mod preferences;
mod ssh_key;
mod token;
mod two_factor;

use tenon_app::identity::Guard;

use crate::site::Routes;

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/profile", Guard::SignedIn, account::show);
    routes.put("/profile", Guard::SignedIn, account::change);
    routes.delete("/profile/avatar", Guard::SignedIn, account::remove_picture);
    routes.get("/profile/preferences", Guard::SignedIn, preferences::show);
    routes.put("/profile/preferences", Guard::SignedIn, preferences::change);
    routes.get("/profile/personal_access_tokens", Guard::SignedIn, token::list);
    routes.post("/profile/personal_access_tokens", Guard::SignedIn, token::create);
    routes.put("/profile/personal_access_tokens/{id}/revoke", Guard::SignedIn, token::revoke);
    routes.get("/profile/keys", Guard::SignedIn, ssh_key::list);
    routes.post("/profile/keys", Guard::SignedIn, ssh_key::create);
    routes.delete("/profile/keys/{id}", Guard::SignedIn, ssh_key::delete);
    routes.get("/profile/gpg_keys", Guard::SignedIn, gpg_key::list);
    routes.post("/profile/gpg_keys", Guard::SignedIn, gpg_key::create);
    routes.delete("/profile/gpg_keys/{id}", Guard::SignedIn, gpg_key::delete);
    routes.get("/profile/emails", Guard::SignedIn, email::list);
    routes.post("/profile/emails", Guard::SignedIn, email::create);
    routes.delete("/profile/emails/{id}", Guard::SignedIn, email::delete);
    routes.get("/profile/notifications", Guard::SignedIn, notification::show);
    routes.put("/profile/notifications", Guard::SignedIn, notification::change);
    routes.get("/profile/password/edit", Guard::SignedIn, password::form);
    routes.get("/profile/password/new", Guard::SignedIn, password::form);
    routes.put("/profile/password", Guard::SignedIn, password::change);
    routes.get("/profile/two_factor_auth", Guard::SignedIn, two_factor::show);
    routes.post("/profile/two_factor_auth", Guard::SignedIn, two_factor::confirm);
    routes.delete("/profile/two_factor_auth", Guard::SignedIn, two_factor::disable);
    routes.post("/profile/two_factor_auth/secret", Guard::SignedIn, two_factor::begin);
    routes.post("/profile/two_factor_auth/skip", Guard::SignedIn, two_factor::put_off);
    routes.post("/profile/two_factor_auth/codes", Guard::SignedIn, two_factor::renew_codes);
    routes.get("/profile/active_sessions", Guard::SignedIn, active_session::list);
    routes.delete("/profile/active_sessions", Guard::SignedIn, active_session::end_others);
    routes.delete("/profile/active_sessions/{id}", Guard::SignedIn, active_session::end);
}
