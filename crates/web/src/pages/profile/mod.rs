//! The pages about one's own account.

mod account;
mod active_session;
mod email;
mod gpg_key;
mod identity;
mod notification;
mod passkey;
mod password;
mod preferences;
mod ssh_key;
mod token;
mod two_factor;

use tenon_app::identity::Guard;

use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/profile", Guard::SignedIn, account::show);
    table.put("/profile", Guard::SignedIn, account::change);
    table.delete("/profile", Guard::SignedIn, account::delete);
    table.delete("/profile/avatar", Guard::SignedIn, account::remove_picture);
    table.get("/profile/preferences", Guard::SignedIn, preferences::show);
    table.put("/profile/preferences", Guard::SignedIn, preferences::change);
    table.get("/profile/personal_access_tokens", Guard::SignedIn, token::list);
    table.post("/profile/personal_access_tokens", Guard::SignedIn, token::create);
    table.post("/profile/feed_token", Guard::SignedIn, token::reset_feed_token);
    table.delete("/profile/feed_token", Guard::SignedIn, token::delete_feed_token);
    table.put("/profile/personal_access_tokens/{id}/revoke", Guard::SignedIn, token::revoke);
    table.get("/profile/keys", Guard::SignedIn, ssh_key::list);
    table.post("/profile/keys", Guard::SignedIn, ssh_key::create);
    table.delete("/profile/keys/{id}", Guard::SignedIn, ssh_key::delete);
    table.get("/profile/gpg_keys", Guard::SignedIn, gpg_key::list);
    table.post("/profile/gpg_keys", Guard::SignedIn, gpg_key::create);
    table.delete("/profile/gpg_keys/{id}", Guard::SignedIn, gpg_key::delete);
    table.get("/profile/emails", Guard::SignedIn, email::list);
    table.post("/profile/emails", Guard::SignedIn, email::create);
    table.delete("/profile/emails/{id}", Guard::SignedIn, email::delete);
    table.get("/profile/notifications", Guard::SignedIn, notification::show);
    table.put("/profile/notifications", Guard::SignedIn, notification::change);
    table.get("/profile/password/edit", Guard::SignedIn, password::form);
    table.get("/profile/password/new", Guard::SignedIn, password::form);
    table.put("/profile/password", Guard::SignedIn, password::change);
    table.get("/profile/two_factor_auth", Guard::SignedIn, two_factor::show);
    table.post("/profile/two_factor_auth", Guard::SignedIn, two_factor::confirm);
    table.delete("/profile/two_factor_auth", Guard::SignedIn, two_factor::disable);
    table.post("/profile/two_factor_auth/secret", Guard::SignedIn, two_factor::begin);
    table.post("/profile/two_factor_auth/skip", Guard::SignedIn, two_factor::put_off);
    table.post("/profile/two_factor_auth/codes", Guard::SignedIn, two_factor::renew_codes);
    table.post("/profile/two_factor_auth/passkeys", Guard::SignedIn, passkey::add);
    table.post("/profile/two_factor_auth/passkeys/challenge", Guard::SignedIn, passkey::begin);
    table.put("/profile/two_factor_auth/passkeys/{id}", Guard::SignedIn, passkey::rename);
    table.delete("/profile/two_factor_auth/passkeys/{id}", Guard::SignedIn, passkey::remove);
    table.get("/profile/identities", Guard::SignedIn, identity::list);
    table.post("/profile/identities", Guard::SignedIn, identity::add);
    table.delete("/profile/identities", Guard::SignedIn, identity::remove);
    table.get("/profile/active_sessions", Guard::SignedIn, active_session::list);
    table.delete("/profile/active_sessions", Guard::SignedIn, active_session::end_others);
    table.delete("/profile/active_sessions/{id}", Guard::SignedIn, active_session::end);
}
