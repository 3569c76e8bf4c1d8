//! Tables of the connections of projects.

diesel::table! {
    services (id) {
        id -> BigInt,
        project_id -> BigInt,
        slug -> Text,
        active -> Bool,
        properties -> Text,
        sealed_properties -> Nullable<Text>,
        push_events -> Bool,
        tag_push_events -> Bool,
        issues_events -> Bool,
        confidential_issues_events -> Bool,
        merge_requests_events -> Bool,
        note_events -> Bool,
        confidential_note_events -> Bool,
        pipeline_events -> Bool,
        wiki_page_events -> Bool,
        job_events -> Bool,
        commit_events -> Bool,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    variables (id) {
        id -> BigInt,
        project_id -> Nullable<BigInt>,
        namespace_id -> Nullable<BigInt>,
        key -> Text,
        sealed_value -> Text,
        kind -> Text,
        protected -> Bool,
        masked -> Bool,
        hidden -> Bool,
        raw -> Bool,
        environment_scope -> Text,
        description -> Nullable<Text>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    badges (id) {
        id -> BigInt,
        project_id -> Nullable<BigInt>,
        namespace_id -> Nullable<BigInt>,
        name -> Nullable<Text>,
        link_url -> Text,
        image_url -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    deploy_tokens (id) {
        id -> BigInt,
        project_id -> Nullable<BigInt>,
        namespace_id -> Nullable<BigInt>,
        name -> Text,
        username -> Nullable<Text>,
        digest -> Text,
        scopes -> Text,
        expires_at -> Nullable<Date>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    bots (user_id) {
        user_id -> BigInt,
        project_id -> Nullable<BigInt>,
        namespace_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    mail_counts (user_id, service_id, counted_from) {
        user_id -> BigInt,
        service_id -> BigInt,
        counted_from -> Timestamp,
        sent -> BigInt,
        dropped -> BigInt,
    }
}

diesel::table! {
    service_suppressions (service_id, address_digest) {
        service_id -> BigInt,
        address_digest -> Text,
        created_at -> Timestamp,
    }
}
