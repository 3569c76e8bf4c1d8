//! Applications that act for users, and what they are granted.

diesel::table! {
    oauth_applications (id) {
        id -> BigInt,
        uid -> Text,
        secret_digest -> Text,
        name -> Text,
        redirect_uri -> Text,
        scopes -> Text,
        confidential -> Bool,
        trusted -> Bool,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        owner_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    oauth_grants (id) {
        id -> BigInt,
        application_id -> Nullable<BigInt>,
        user_id -> Nullable<BigInt>,
        scopes -> Text,
        code_digest -> Nullable<Text>,
        code_used -> Bool,
        redirect_uri -> Nullable<Text>,
        code_challenge -> Nullable<Text>,
        code_challenge_method -> Nullable<Text>,
        nonce -> Nullable<Text>,
        family_digest -> Nullable<Text>,
        refresh_digest -> Nullable<Text>,
        replaced_refreshes -> Text,
        access_digest -> Nullable<Text>,
        revoked -> Bool,
        expires_at -> Timestamp,
        created_at -> Timestamp,
    }
}

diesel::table! {
    oauth_device_grants (id) {
        id -> BigInt,
        application_id -> BigInt,
        scopes -> Text,
        device_digest -> Text,
        user_code -> Text,
        user_id -> Nullable<BigInt>,
        denied -> Bool,
        polled_at -> Nullable<Timestamp>,
        expires_at -> Timestamp,
    }
}
