//! Tables of the things that users are sent and shown: links to addresses and to new passwords, settings of mail,
//! messages to all users.

use super::{namespace_closure, projects};

diesel::table! {
    broadcast_messages (id) {
        id -> BigInt,
        message -> Text,
        starts_at -> Timestamp,
        ends_at -> Timestamp,
        color -> Text,
        font -> Text,
        target_access_levels -> Text,
        target_path -> Text,
        broadcast_type -> Text,
        dismissable -> Bool,
        theme -> Text,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    notification_settings (id) {
        id -> BigInt,
        user_id -> BigInt,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
        level -> Text,
        events -> BigInt,
        email -> Nullable<Text>,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    email_confirmations (id) {
        id -> BigInt,
        user_id -> BigInt,
        email -> Text,
        digest -> Nullable<Text>,
        created_at -> Timestamp,
        expires_at -> Timestamp,
    }
}

diesel::table! {
    access_requests (id) {
        id -> BigInt,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
        user_id -> BigInt,
        requested_at -> Timestamp,
    }
}

diesel::allow_tables_to_appear_in_same_query!(access_requests, projects);
diesel::allow_tables_to_appear_in_same_query!(access_requests, namespace_closure);

diesel::table! {
    invitations (id) {
        id -> BigInt,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
        email -> Text,
        access_level -> BigInt,
        expires_at -> Nullable<Date>,
        inviter_id -> BigInt,
        digest -> Nullable<Text>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        ends_at -> Timestamp,
    }
}

diesel::table! {
    password_resets (user_id) {
        user_id -> BigInt,
        digest -> Nullable<Text>,
        asked_at -> Timestamp,
        expires_at -> Timestamp,
        counted_since -> Timestamp,
        mails -> BigInt,
    }
}
