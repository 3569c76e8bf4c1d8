//! Limits of what belongs to users: sessions, mail, what people name, and applications that act for them.

use super::declare::groups;
use super::setting::{KIB, MIB};

groups! {
    /// Sessions of browsers.
    SessionLimits {
        /// Sessions of one user. A new one ends the one that was not used for longest.
        count per_user = 100;
        /// Browsers that are in the middle of signing in with a passkey or at a provider, each for some minutes.
        count challenges = 20_000;
    }

    /// The limits of one account.
    AccountLimits {
        /// Passkeys of one account.
        count passkeys = 20;
        /// SSH keys of one account.
        count ssh_keys = 200;
        /// Deploy keys of one project.
        count deploy_keys = 100;
        /// Secondary e-mail addresses of one account.
        count emails = 50;
        /// Personal access tokens of one account, with those that ended less than 30 days ago. By rotation, twice as many.
        count tokens = 1_000;
        /// OpenPGP keys of one account.
        count gpg_keys = 20;
        /// Characters of the block of an OpenPGP key.
        bytes gpg_key = 128 * KIB;
        /// User ids of an OpenPGP key; as many subkeys.
        count gpg_key_parts = 50;
        /// Signatures in an OpenPGP key that are checked when it is added.
        count gpg_key_checks = 200;
    }

    /// People whom one request or one text names.
    PeopleLimits {
        /// People that are assigned, or asked for a review, at once.
        count assigned = 200;
        /// People that one request calls, by what its texts and their commands name.
        count called = 50;
        /// Users whom one user follows.
        count followed = 300;
        /// Comments of one user on one merge request that are not yet published. They are published in one transaction.
        count drafts = 50;
        /// Files of one merge request that one user has viewed.
        count viewed_files = 1_000;
    }

    /// Mail.
    MailLimits {
        /// Bytes of one mail, as it is sent.
        bytes message = MIB;
        /// Characters of what a user has written that a mail repeats; the rest is on the page.
        count text = 20_000;
        /// Mails to users about what one user does, within a day.
        count per_user = 20_000;
        /// Users who get mail about one event.
        count recipients = 1_000;
        /// Time in which a link has to be opened that confirms an address.
        seconds confirmation = 86_400;
        /// Such links that one user may ask for within that time.
        count confirmations = 20;
        /// Time in which a link has to be opened that resets a forgotten password.
        seconds password_reset = 21_600;
        /// Time in which the link has to be opened by which a new user chooses the first password.
        seconds first_password = 172_800;
        /// Time in which the link of an invitation to a project or group works.
        seconds invitation = 1_209_600;
        /// Mails with such links to one account within an hour. Further requests get none.
        count password_resets = 5;
    }

    /// Applications that act for users (OAuth 2.0).
    OAuthLimits {
        /// Applications of the server, without those of its users.
        count applications = 1_000;
        /// Applications of one user.
        count applications_per_user = 100;
        /// Grants of one user to one application, and of an application to itself. A further one ends the oldest.
        count grants = 50;
        /// Time in which an authorization code has to be exchanged.
        seconds code = 600;
        /// Requests of devices that wait for their users, for one application. A further one is refused until one has ended.
        count devices = 10_000;
        /// Time in which the user has to enter the code that a device shows.
        seconds device_code = 300;
        /// Time after which a device may ask again for its tokens.
        seconds device_interval = 5;
        /// Time for which an access token works.
        seconds access_token = 7_200;
        /// Time after a refresh in which the token that it replaced is refused without ending the grant.
        seconds refresh_grace = 30;
        /// Time after which a grant ends that is not refreshed.
        seconds grant = 15_552_000;
    }
}
