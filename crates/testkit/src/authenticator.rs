//! The second factor of a user, as an authenticator has it.

use tenon_app::identity::Identity;
use tenon_app::two_factor::{self, PendingTwoFactor};
use tenon_auth::TotpSecret;
use tenon_domain::id::UserId;

use crate::people::User;
use crate::server::TestServer;

/// The means of a user to sign in, beside the password.
pub struct Authenticator {
    secret: TotpSecret,
    /// The codes for users who have lost the authenticator.
    pub recovery_codes: Vec<String>,
}

impl Authenticator {
    /// An authenticator that has scanned this picture.
    pub fn of(pending: &PendingTwoFactor) -> Self {
        Self::with_secret(pending.secret.expose())
    }

    /// An authenticator into which this secret was typed.
    pub fn with_secret(base32: &str) -> Self {
        Self { secret: from_base32(base32), recovery_codes: Vec::new() }
    }

    /// The code that it shows now.
    pub fn code(&self, server: &TestServer) -> String {
        self.secret.code_at(server.now().timestamp()).expect("six digits")
    }
}

impl TestServer {
    /// Sets up an authenticator for a user; one who has a passkey gets no recovery codes. The code of this moment is used up by that.
    pub fn second_factor(&self, user: &User) -> Authenticator {
        let caller = Identity::user(UserId::new(user.id));
        let mut authenticator = Authenticator::of(&self.app().write_now(&caller, two_factor::begin).expect("a secret"));
        let code = authenticator.code(self);
        let codes = self.app().write_now(&caller, |command| two_factor::confirm(command, &code)).expect("the code");
        authenticator.recovery_codes = codes.iter().flatten().map(|code| code.expose().to_owned()).collect();
        authenticator
    }
}

fn from_base32(text: &str) -> TotpSecret {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits: String = text.chars().map(|c| format!("{:05b}", DIGITS.find(c).expect("a digit"))).collect();
    let hex: String = (0..bits.len() / 4)
        .map(|at| format!("{:x}", u8::from_str_radix(&bits[at * 4..at * 4 + 4], 2).expect("bits")))
        .collect();
    TotpSecret::from_hex(&hex).expect("a secret")
}
