//! Tables of accounts: keys, addresses, second factors, accepted terms, and whom users follow.

diesel::table! {
    emails (id) {
        id -> BigInt,
        user_id -> BigInt,
        email -> Text,
        confirmed_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    gpg_keys (id) {
        id -> BigInt,
        user_id -> BigInt,
        key_text -> Text,
        fingerprint -> Text,
        keyid -> Text,
        can_sign -> Bool,
        revoked -> Bool,
        expires_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    gpg_subkeys (id) {
        id -> BigInt,
        gpg_key_id -> BigInt,
        fingerprint -> Text,
        keyid -> Text,
        revoked -> Bool,
        expires_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    gpg_user_ids (id) {
        id -> BigInt,
        gpg_key_id -> BigInt,
        name -> Text,
        email -> Text,
    }
}

diesel::table! {
    ssh_keys (id) {
        id -> BigInt,
        user_id -> BigInt,
        title -> Text,
        key_text -> Text,
        md5 -> Text,
        sha256 -> Text,
        usage_type -> Text,
        expires_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
        last_used_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    two_factors (user_id) {
        user_id -> BigInt,
        secret -> Text,
        last_step -> Nullable<BigInt>,
        enabled_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    recovery_codes (user_id, digest) {
        user_id -> BigInt,
        digest -> Text,
    }
}

diesel::table! {
    passkeys (id) {
        id -> BigInt,
        user_id -> BigInt,
        name -> Text,
        credential -> Text,
        public_key -> Text,
        sign_count -> BigInt,
        created_at -> Timestamp,
        last_used_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    sign_in_challenges (browser, purpose) {
        browser -> Text,
        purpose -> Text,
        value -> Text,
        expires_at -> Timestamp,
    }
}

diesel::table! {
    two_factor_graces (user_id) {
        user_id -> BigInt,
        began_at -> Timestamp,
    }
}

diesel::table! {
    terms_acceptances (user_id, version) {
        user_id -> BigInt,
        version -> Text,
        accepted_at -> Timestamp,
    }
}

diesel::table! {
    user_follows (follower_id, followed_id) {
        follower_id -> BigInt,
        followed_id -> BigInt,
        created_at -> Timestamp,
    }
}

diesel::table! {
    user_preferences (user_id) {
        user_id -> BigInt,
        view_diffs_file_by_file -> Bool,
        show_whitespace_in_diffs -> Bool,
        pass_user_identities_to_ci_jwt -> Bool,
    }
}
