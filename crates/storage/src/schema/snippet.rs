//! Tables of snippets.

diesel::table! {
    snippets (id) {
        id -> BigInt,
        project_id -> Nullable<BigInt>,
        author_id -> BigInt,
        title -> Text,
        description -> Nullable<Text>,
        visibility -> Text,
        size -> BigInt,
        user_agent -> Nullable<Text>,
        ip_address -> Nullable<Text>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    snippet_files (id) {
        id -> BigInt,
        snippet_id -> BigInt,
        path -> Text,
        content -> Text,
    }
}

diesel::table! {
    snippet_notes (id) {
        id -> BigInt,
        snippet_id -> BigInt,
        author_id -> BigInt,
        discussion_id -> Text,
        individual -> Bool,
        body -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    snippet_awards (id) {
        id -> BigInt,
        snippet_id -> BigInt,
        note_id -> Nullable<BigInt>,
        user_id -> BigInt,
        name -> Text,
        created_at -> Timestamp,
    }
}
