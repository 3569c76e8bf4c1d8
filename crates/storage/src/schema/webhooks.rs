//! Hooks, what they receive, and the deliveries.

diesel::table! {
    hooks (id) {
        id -> BigInt,
        project_id -> Nullable<BigInt>,
        url -> Text,
        sealed_token -> Nullable<Text>,
        push_events -> Bool,
        push_events_branch_filter -> Nullable<Text>,
        issues_events -> Bool,
        confidential_issues_events -> Bool,
        merge_requests_events -> Bool,
        tag_push_events -> Bool,
        note_events -> Bool,
        confidential_note_events -> Nullable<Bool>,
        job_events -> Bool,
        pipeline_events -> Bool,
        wiki_page_events -> Bool,
        enable_ssl_verification -> Bool,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        repository_update_events -> Bool,
        failures -> BigInt,
        failing_since -> Nullable<Timestamp>,
        paused_until -> Nullable<Timestamp>,
        name -> Text,
        description -> Text,
        service_id -> Nullable<BigInt>,
        failure_announced -> Bool,
    }
}

diesel::table! {
    hook_options (hook_id) {
        hook_id -> BigInt,
        emoji_events -> Bool,
        milestone_events -> Bool,
        releases_events -> Bool,
        feature_flag_events -> Bool,
        deployment_events -> Bool,
        resource_access_token_events -> Bool,
        branch_filter_strategy -> Text,
        custom_headers -> Text,
        url_variables -> Text,
        custom_webhook_template -> Nullable<Text>,
    }
}

diesel::table! {
    hook_events (id) {
        id -> BigInt,
        project_id -> Nullable<BigInt>,
        actor_id -> Nullable<BigInt>,
        hook_trigger -> Text,
        uuid -> Text,
        captured -> Text,
        body -> Nullable<Text>,
        created_at -> Timestamp,
        bytes -> BigInt,
    }
}

diesel::table! {
    hook_event_bytes (project_id) {
        project_id -> BigInt,
        bytes -> BigInt,
    }
}

diesel::table! {
    hook_deliveries (id) {
        id -> BigInt,
        hook_id -> BigInt,
        event_id -> BigInt,
        uuid -> Text,
        state -> Text,
        attempts -> BigInt,
        url -> Text,
        request_headers -> Text,
        response_status -> Nullable<BigInt>,
        response_headers -> Text,
        response_body -> Text,
        duration_micros -> BigInt,
        error -> Nullable<Text>,
        attempted_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
    }
}
