//! Tables of merge requests, as the migrations make them.

diesel::table! {
    merge_requests (issuable_id) {
        issuable_id -> BigInt,
        source_project_id -> Nullable<BigInt>,
        source_branch -> Text,
        target_branch -> Text,
        draft -> Bool,
        squash -> Bool,
        force_remove_source_branch -> Bool,
        should_remove_source_branch -> Nullable<Bool>,
        allow_collaboration -> Bool,
        merge_status -> Text,
        merge_error -> Nullable<Text>,
        base_sha -> Nullable<Text>,
        start_sha -> Nullable<Text>,
        head_sha -> Nullable<Text>,
        commits_count -> BigInt,
        changes_count -> BigInt,
        overflow -> Bool,
        auto_merge_by_id -> Nullable<BigInt>,
        auto_merge_message -> Nullable<Text>,
        auto_merge_squash_message -> Nullable<Text>,
        merged_at -> Nullable<Timestamp>,
        merged_by_id -> Nullable<BigInt>,
        merge_commit_sha -> Nullable<Text>,
        squash_commit_sha -> Nullable<Text>,
        approvals_before_merge -> Nullable<BigInt>,
    }
}

diesel::table! {
    merge_request_versions (id) {
        id -> BigInt,
        issuable_id -> BigInt,
        base_sha -> Text,
        start_sha -> Text,
        head_sha -> Text,
        commits_count -> BigInt,
        changes_count -> BigInt,
        overflow -> Bool,
        patch_id_sha -> Nullable<Text>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    draft_notes (id) {
        id -> BigInt,
        issuable_id -> BigInt,
        author_id -> BigInt,
        body -> Text,
        discussion_id -> Nullable<Text>,
        position -> Nullable<Text>,
        resolves -> Bool,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    viewed_files (user_id, issuable_id, path) {
        user_id -> BigInt,
        issuable_id -> BigInt,
        path -> Text,
        digest -> Text,
    }
}

diesel::table! {
    seen_versions (user_id, issuable_id) {
        user_id -> BigInt,
        issuable_id -> BigInt,
        version_id -> BigInt,
    }
}

diesel::table! {
    merge_request_reviewers (issuable_id, user_id) {
        issuable_id -> BigInt,
        user_id -> BigInt,
        position -> BigInt,
    }
}

diesel::table! {
    merge_request_closing_names (issuable_id, address, iid, by_commit) {
        issuable_id -> BigInt,
        project_id -> BigInt,
        address -> Text,
        iid -> BigInt,
        by_commit -> Bool,
    }
}

// A view.
diesel::table! {
    merge_request_closes (issuable_id, issue_id, by_commit) {
        issuable_id -> BigInt,
        issue_id -> BigInt,
        by_commit -> Bool,
    }
}

diesel::table! {
    merge_intents (issuable_id) {
        issuable_id -> BigInt,
        user_id -> BigInt,
        target_sha -> Text,
        source_sha -> Text,
        tip_sha -> Text,
        merge_commit_sha -> Nullable<Text>,
        squash_commit_sha -> Nullable<Text>,
        remove_source_branch -> Bool,
        created_at -> Timestamp,
    }
}

diesel::table! {
    approval_settings (project_id) {
        project_id -> BigInt,
        reset_on_push -> Bool,
        author_may_approve -> Bool,
    }
}

diesel::table! {
    approval_rules (id) {
        id -> BigInt,
        project_id -> BigInt,
        name -> Text,
        kind -> Text,
        approvals_required -> BigInt,
    }
}

diesel::table! {
    approval_rule_users (rule_id, user_id) {
        rule_id -> BigInt,
        user_id -> BigInt,
    }
}

diesel::table! {
    approval_rule_groups (rule_id, group_id) {
        rule_id -> BigInt,
        group_id -> BigInt,
    }
}

diesel::table! {
    merge_request_verdicts (issuable_id, user_id) {
        issuable_id -> BigInt,
        user_id -> BigInt,
        verdict -> Text,
        created_at -> Timestamp,
    }
}

diesel::table! {
    merge_request_code_owners (issuable_id) {
        issuable_id -> BigInt,
        lines -> Text,
        refusal -> Nullable<Text>,
    }
}

diesel::table! {
    suggestions (id) {
        id -> BigInt,
        issuable_id -> BigInt,
        note_id -> BigInt,
        place -> BigInt,
        from_line -> BigInt,
        to_line -> BigInt,
        from_content -> Text,
        to_content -> Text,
        outdated -> Bool,
        commit_sha -> Nullable<Text>,
        parent_sha -> Nullable<Text>,
        user_id -> Nullable<BigInt>,
        begun_at -> Nullable<Timestamp>,
        applied_at -> Nullable<Timestamp>,
    }
}
