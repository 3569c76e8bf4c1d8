//! What belongs to accounts: keys and addresses.

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
    }
}
